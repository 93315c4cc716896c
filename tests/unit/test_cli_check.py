"""`ohud check`."""

import json
from pathlib import Path

import pytest
from command_line import call

GOOD = 'name = "good"\ntemplate = "{{ model }}"\n[segments]\nmodel = "computed.model.name"\n'
BAD = """name = "bad"
template = "{{ model | sparkle }}{{ turns }}"
shimmer = true
[segments]
model = "computed.model.name"
turns = "lenght(messages)"
[segments.branch]
value = "computed.git.brunch"
prioritty = 3
"""


def write(folder: Path, text: str, name: str) -> str:
    """A file, by its path."""
    (folder / name).write_text(text)
    return str(folder / name)


def config(folder: Path, text: str) -> Path:
    """The user's config."""
    path = folder / "home" / ".config" / "ohud" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_clean_file(tmp_path: Path) -> None:
    """A theme without faults is ok."""
    path = write(tmp_path, GOOD, "good.toml")
    answer = call(tmp_path, "check", path)
    assert (answer.code, answer.out, answer.err) == (0, f"{path}: ok\n", "")


def test_all_faults_at_once(tmp_path: Path) -> None:
    """Every fault is in one report, each with its place, its line and a hint."""
    path = write(tmp_path, BAD, "bad.toml")
    answer = call(tmp_path, "check", path)
    assert answer.code == 1
    for said in (
        "sparkle",
        "`shimmer`",
        "did you mean `length`?",
        "did you mean `branch`?",
        "did you mean `priority`?",
        "bad.toml:2:",
        "bad.toml:6:10",
        '6 | turns = "lenght(messages)"',
        f"{path}: 5 problems",
    ):
        assert said in answer.out
    assert answer.out.count("^\n") == 5


def test_the_excerpt_is_as_the_style_guide_has_it(tmp_path: Path) -> None:
    """The caret stands below the word."""
    path = write(tmp_path, '[segments]\nturns = "lenght(messages)"\n', "config.toml")
    assert call(tmp_path, "check", path).out == (
        "error[segment-path]: unknown function `lenght`\n"
        f" --> {path}:2:10\n"
        "  |\n"
        '2 | turns = "lenght(messages)"\n'
        "  |          ^^^^^^\n"
        "help: did you mean `length`?\n\n"
        f"{path}: 1 problem\n"
    )


def test_several_files(tmp_path: Path) -> None:
    """Each file gets its verdict; one bad one decides the exit status."""
    good, bad = write(tmp_path, GOOD, "good.toml"), write(tmp_path, BAD, "bad.toml")
    answer = call(tmp_path, "check", good, bad)
    assert answer.code == 1
    assert f"{good}: ok\n" in answer.out and f"{bad}: 5 problems\n" in answer.out


@pytest.mark.parametrize("data", [b"template = ", b"\xff\xfe\xfa", b"name = 3\nname = 4", b"x" * 40000])
def test_files_that_are_no_themes(data: bytes, tmp_path: Path) -> None:
    """What is no TOML, no UTF-8 or too large is a fault with a place, not a crash."""
    (tmp_path / "odd.toml").write_bytes(data)
    answer = call(tmp_path, "check", str(tmp_path / "odd.toml"))
    assert answer.code == 1
    assert "odd.toml" in answer.out and "error[" in answer.out
    assert answer.err == ""


def test_missing_file(tmp_path: Path) -> None:
    """A file that is not there is a fault that says so."""
    answer = call(tmp_path, "check", str(tmp_path / "none.toml"))
    assert answer.code == 1
    assert "none.toml" in answer.out and "error[" in answer.out


def test_configured_files(tmp_path: Path) -> None:
    """Without words the config and its theme are looked at; with no config the default theme."""
    answer = call(tmp_path, "check")
    assert answer.code == 0
    assert "classic.toml: ok\n" in answer.out
    path = config(tmp_path, 'theme = "oneline"\n[segments]\nx = "computed.modell"\n')
    answer = call(tmp_path, "check")
    assert answer.code == 1
    assert f"{path}: 1 problem\n" in answer.out and "oneline.toml: ok\n" in answer.out
    assert "did you mean `model`?" in answer.out


def test_config_that_names_no_theme(tmp_path: Path) -> None:
    """A theme that the config names and nobody has is a fault at that line."""
    path = config(tmp_path, 'theme = "oneliner"\n')
    answer = call(tmp_path, "check")
    assert answer.code == 1
    assert f"{path}:1:" in answer.out and "oneline" in answer.out


def test_config_keys(tmp_path: Path) -> None:
    """What only a config may hold is fine there and a fault in a theme."""
    text = 'color = "16"\nmargin = 2\ntheme = "classic"\n'
    path = write(tmp_path, text, "config.toml")
    assert call(tmp_path, "check", path).code == 0
    assert call(tmp_path, "check", "--as", "theme", path).code == 1


def test_json(tmp_path: Path) -> None:
    """`--json` gives the same faults with their places as data."""
    good, bad = write(tmp_path, GOOD, "good.toml"), write(tmp_path, BAD, "bad.toml")
    answer = call(tmp_path, "check", "--json", good, bad)
    assert answer.code == 1
    first, second = json.loads(answer.out)
    assert first == {"file": good, "ok": True, "problems": []}
    assert (second["file"], second["ok"], len(second["problems"])) == (bad, False, 5)
    for problem in second["problems"]:
        assert set(problem) == {"kind", "weight", "message", "help", "file", "line", "column", "length"}
        assert problem["file"] == bad and 1 <= problem["line"] <= 9
    assert {problem["weight"] for problem in second["problems"]} <= {"fatal", "part", "ignored"}


def test_colour(tmp_path: Path) -> None:
    """The report is coloured where colours are forced, and plain in a pipe."""
    path = write(tmp_path, BAD, "bad.toml")
    assert "\x1b[" not in call(tmp_path, "check", path).out
    assert "\x1b[" in call(tmp_path, "check", path, env={"FORCE_COLOR": "1"}).out


def test_a_hostile_file_cannot_speak_to_the_terminal(tmp_path: Path) -> None:
    """No control character of the file comes through in a report."""
    path = write(tmp_path, '"\\u001b]0;x\\u0007" = 1\n[segments]\n"a\u202eb" = "\u009b31m"\n', "odd.toml")
    answer = call(tmp_path, "check", path)
    assert answer.code == 1
    assert not set("\x1b\x07\u202e\u009b") & set(answer.out + answer.err)


def test_prices_that_nothing_completes_are_named(tmp_path: Path) -> None:
    """A model that is not in the shipped table needs both of its main prices; else its entry would do nothing."""
    text = '[prices."glm-5"]\ninput = 1\n[prices."claude-opus-4.6"]\ninput = 1\n[prices.mine]\ninput = 1\noutput = 2\n'
    path = write(tmp_path, text, "config.toml")
    answer = call(tmp_path, "check", path)
    assert answer.code == 1 and "config.toml:1:" in answer.out
    assert "`prices.glm-5` needs `output`: no shipped price completes it" in answer.out
    assert "opus" not in answer.out and "mine" not in answer.out


def test_themes_of_projects_are_looked_at_too(tmp_path: Path) -> None:
    """What is drawn below a directory of `[projects]` is configured as well; a fault that both meet is told once."""
    path = config(tmp_path, 'shimmer = true\n[projects]\n"~/a" = { theme = "bad" }\n"~/b" = { theme = "nowhere" }\n')
    (path.parent / "themes").mkdir()
    bad = write(path.parent / "themes", BAD, "bad.toml")
    answer = call(tmp_path, "check")
    assert answer.code == 1
    assert f"{path}: 2 problems" in answer.out and f"{bad}: 5 problems" in answer.out
    assert answer.out.count("there is no theme `nowhere`") == answer.out.count("`shimmer`") - 1 == 1
    assert "there is no theme `nowhere`" in call(tmp_path, "check", str(path)).out
