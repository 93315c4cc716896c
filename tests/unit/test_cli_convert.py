"""`ohud import`: what it writes, says, and refuses."""

import json
from pathlib import Path

import pytest
from launch import REPOSITORY

from ohud.cli import convert
from ohud.theme import lower, read

INPUTS = REPOSITORY / "tests" / "convert"
LINES = str(INPUTS / "ccstatusline-lines.json")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A config of its own, no colour, and a known width."""
    monkeypatch.setenv("OHUD_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


def test_theme_goes_to_the_users_themes(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The theme is written under its file's name, drawn, and followed by the list and the next commands."""
    assert convert.run([LINES]) == 0
    said = capsys.readouterr().out
    path = home / "themes" / "ccstatusline-lines.toml"
    assert path.exists() and str(path) in said
    assert "Model: Opus" in said
    assert "ccstatusline-lines.json:23 lines[1][6]: it runs a program" in said
    assert "ohud config set color truecolor" in said
    assert "ohud preview --theme ccstatusline-lines" in said and "ohud config set theme ccstatusline-lines" in said


def test_written_theme_is_clean_and_names_its_schema(home: Path) -> None:
    """What was written has the schema line, says where it comes from, and checks clean."""
    assert convert.run([LINES, "--name", "mine"]) == 0
    path = home / "themes" / "mine.toml"
    first, second, third = path.read_text(encoding="utf-8").split("\n")[:3]
    assert first.startswith("#:schema file://") and first.endswith("theme.schema.json")
    assert second == "# Converted by `ohud import` from ccstatusline-lines.json."
    assert third == 'name = "mine"'
    assert lower.build(read.read_theme_file(str(path), home=None, kind="theme")).problems == []


def test_a_theme_that_is_there_stays(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is written over without --force."""
    path = home / "themes" / "mine.toml"
    path.parent.mkdir()
    path.write_text("# my own work\n", encoding="utf-8")
    assert convert.run([LINES, "--name", "mine"]) == 2
    assert path.read_text(encoding="utf-8") == "# my own work\n"
    assert "--force" in capsys.readouterr().err
    assert convert.run([LINES, "--name", "mine", "--force"]) == 0
    assert path.read_text(encoding="utf-8").startswith("#:schema")


@pytest.mark.parametrize("name", ["classic", "../up", "a b", "con"])
def test_names_that_cannot_be_used(name: str, home: Path) -> None:
    """A bundled name, and one that is no name, is refused before anything is written."""
    assert convert.run([LINES, "--name", name]) == 2
    assert not (home / "themes").exists()


def test_standard_output_has_the_theme_alone(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With `--output -` the theme goes to standard output, the list to standard error, and nothing is written."""
    assert convert.run([LINES, "--output", "-"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("#:schema") and "not carried over" not in said.out
    assert "not carried over: 3 things" in said.err
    assert not (home / "themes").exists()


def test_output_to_a_file(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of one's own choice is written once, and a folder that is not there is not made."""
    path = home / "here.toml"
    assert convert.run([LINES, "--output", str(path)]) == 0
    assert f"ohud config set theme {path}" in capsys.readouterr().out
    assert convert.run([LINES, "--output", str(path)]) == 2
    assert convert.run([LINES, "--output", str(home / "nowhere" / "x.toml")]) == 2
    assert not (home / "nowhere").exists()


def test_json_has_all_of_it(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --json the result is one object: where the theme is, its text, and each loss with its place."""
    assert convert.run([LINES, "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert set(made) == {"format", "name", "file", "theme", "settings", "losses", "unlisted"}
    assert Path(made["file"]).read_text(encoding="utf-8") == made["theme"]
    assert made["settings"] == {"color": "truecolor"}
    assert made["losses"][0]["path"] == ["lines", 1, 6] and made["losses"][0]["line"] == 23


def test_nothing_lost_is_said(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is carried over whole says so."""
    path = home / "small.json"
    path.write_text('{"lines": [[{"id": "1", "type": "model"}]]}', encoding="utf-8")
    assert convert.run([str(path)]) == 0
    assert "everything was carried over" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["nothing.json"], 2, "does not exist"),
        (["."], 2, "is a directory"),
        ([str(REPOSITORY / "pyproject.toml")], 1, "it looks like none of `ccstatusline`"),
        ([str(REPOSITORY / "LICENSE")], 1, "cannot be converted"),
        ([LINES, "--from", "oh-my-posh"], 1, "nothing in it can be shown"),
    ],
)
def test_what_cannot_be_converted(
    words: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    """A file that is not there is wrong use, one that is nobody's theme is a no; both in words."""
    assert convert.run(words) == code
    caught = capsys.readouterr()
    assert said in caught.err and caught.out == ""
    assert not (home / "themes").exists()


def test_unknown_format_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    """--from takes the formats that there are."""
    with pytest.raises(SystemExit) as end:
        convert.run([LINES, "--from", "zsh"])
    assert end.value.code == 2 and "ccstatusline" in capsys.readouterr().err
