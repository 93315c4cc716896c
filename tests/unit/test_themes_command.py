"""`ohud themes`: the gallery, and themes shown, taken in and begun."""

import os
import re
import stat
import sys
from pathlib import Path

import pytest
from command_line import Answer, call

from ohud.cli.drawing import scene_moments
from ohud.cli.themes import fitting
from ohud.theme import lower, read

BUNDLED = [name for name, _ in read.theme_names(None)]
STRANGE = """
name = "strange"
description = "From elsewhere"
author = "Somebody"
template = "{{ row(model, dirty, up, cost, pr) }}"
[segments]
model = "computed.model.name"
dirty = "computed.git.dirty"
up = "computed.ollama.up"
cost = "cost.total_cost_usd"
pr = {value = "pr.number", format = "{{ value | link('https://example.org') }}"}
"""


def folder_of(folder: Path) -> Path:
    """Where the user's themes are."""
    return folder / "home" / ".config" / "ohud" / "themes"


def own_theme(folder: Path, name: str, text: str) -> Path:
    """A theme of the user's own."""
    folder_of(folder).mkdir(parents=True, exist_ok=True)
    path = folder_of(folder) / f"{name}.toml"
    path.write_text(text)
    return path


def blocks(answer: Answer) -> dict[str, list[str]]:
    """The lines of each theme of the gallery, its heading first, by name."""
    found = [block.split("\n") for block in answer.out.strip("\n").split("\n\n")]
    return {lines[0][2:].split()[0]: lines for lines in found}


# -- the gallery -------------------------------------------------------------------------------------------------------


def test_gallery(tmp_path: Path) -> None:
    """Every bundled theme has a heading and its lines; a star marks the configured one; all fits the terminal."""
    answer = call(tmp_path, "themes", "--columns", "80")
    assert (answer.code, answer.err) == (0, "")
    found = blocks(answer)
    assert list(found) == BUNDLED
    assert [name for name, lines in found.items() if lines[0].startswith("*")] == ["classic"]
    assert "[Opus 5.5]" in found["classic"][1] and "Context" in found["classic"][2]
    for lines in found.values():
        assert len(lines) > 1 and len(lines[0]) <= 80


def test_names(tmp_path: Path) -> None:
    """`--names` is a plain list, the user's own at its end."""
    own_theme(tmp_path, "mine", 'template = "so"\n')
    assert call(tmp_path, "themes", "--names").out == "\n".join([*BUNDLED, "mine"]) + "\n"


def test_own_themes(tmp_path: Path) -> None:
    """The user's themes are in the gallery too, and the star goes to the one that the config names."""
    path = own_theme(tmp_path, "mine", 'name = "mine"\ndescription = "My own"\ntemplate = "so"\n')
    (path.parent.parent / "config.toml").write_text('theme = "mine"\n')
    answer = call(tmp_path, "themes")
    assert "* mine  My own (yours)\nso\n" in answer.out
    assert "  classic  " in answer.out


def test_theme_that_cannot_be_used(tmp_path: Path) -> None:
    """A broken theme does not hide the others, and the gallery says what to do."""
    own_theme(tmp_path, "bad", "template = ")
    answer = call(tmp_path, "themes")
    assert answer.code == 0
    assert "bad  cannot be used, run: ohud check " in answer.out
    assert "oneline" in answer.out


def test_moment_of_ones_choice(tmp_path: Path) -> None:
    """`--scenario` draws all themes on the same moment, `--width` at another width."""
    answer = call(tmp_path, "themes", "--scenario", "limits-near", "--width", "30")
    assert "Sonnet 5.5" in blocks(answer)["oneline"][1] and "(on " not in answer.out
    assert max(len(line) for line in blocks(answer)["oneline"][1:]) <= 26


@pytest.mark.parametrize(
    ("name", "template", "moment"),
    [
        ("plain", "{{ model }}", "working"),
        ("ollama", "{{ model }}", "ollama"),
        ("limits", "{{ model }}", "limits-near"),
        ("alarm", "{{ warning }}", "limits-near"),
    ],
)
def test_fitting_moment(name: str, template: str, moment: str) -> None:
    """A theme is shown on the moment of its name, on one at which it says much more, else on the ordinary one."""
    text = f'template = "{template}"\n[segments]\nmodel = "computed.model.name"\n'
    text += '[segments.warning]\nvalue = "\'the limit is near\'"\nwhen = "computed.usage.five_hour.percent > `90`"\n'
    built = lower.build(read.read_theme_file("/nowhere/t.toml", home=None, kind="theme", text=text))
    assert fitting(name, built.program, scene_moments()).name == moment


# -- show --------------------------------------------------------------------------------------------------------------


def test_show(tmp_path: Path) -> None:
    """`show` prints the theme's own text."""
    answer = call(tmp_path, "themes", "show", "classic")
    assert answer.code == 0
    assert answer.out == Path(dict(read.theme_names(None))["classic"]).read_text("utf-8")


# -- add ---------------------------------------------------------------------------------------------------------------


def strange(folder: Path, text: str = STRANGE, name: str = "strange.toml") -> str:
    """A theme from elsewhere, by its path."""
    (folder / name).write_text(text)
    return str(folder / name)


def test_add_shows_before_it_asks(tmp_path: Path) -> None:
    """Without --yes and without a terminal nothing is copied; what it looks like and reads is all there to see."""
    answer = call(tmp_path, "themes", "add", strange(tmp_path), env={"COLUMNS": "200"})
    assert (answer.code, answer.err) == (1, "")
    assert answer.out.startswith("strange  From elsewhere, by Somebody\n")
    for said in (
        "\nworking: an hour into the work\nOpus 5.5",
        "\nlimits-near: ",
        "families     git (dirty), model (name), ollama (up)\n",
        "payload      cost.total_cost_usd, pr.number\n",
        "transcript   reads the session's own",
        "background   git is run, with all that",
        "Ollama's daemon is asked",
        "links        makes hyperlinks (https and http)",
        "nothing is copied yet; to add it as `strange`: the same with --yes",
    ):
        assert said in answer.out.replace("\n             ", " ")
    assert not folder_of(tmp_path).exists()


def test_add(tmp_path: Path) -> None:
    """With --yes the file is in the user's themes, byte for byte and for its owner alone, and can be chosen."""
    raw = b"\xef\xbb\xbf" + STRANGE.replace("\n", "\r\n").encode()
    (tmp_path / "strange.toml").write_bytes(raw)
    answer = call(tmp_path, "themes", "add", str(tmp_path / "strange.toml"), "--yes")
    path = folder_of(tmp_path) / "strange.toml"
    assert answer.code == 0
    assert path.read_bytes() == raw
    assert answer.out.endswith(f"added: {path}\nchoose it:  ohud config set theme strange\n")
    assert "strange" in call(tmp_path, "themes", "--names").out
    if os.name != "nt":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == stat.S_IMODE(path.parent.parent.stat().st_mode) == 0o700
    assert os.listdir(path.parent) == ["strange.toml"]


@pytest.mark.parametrize(("answer", "copied"), [("y", True), ("yes ", True), ("n", False), ("", False), (None, False)])
def test_add_asks_on_a_terminal(
    answer: str | None, copied: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal there is a question, and only yes is yes."""
    monkeypatch.setattr("ohud.cli.sharing._on_a_terminal", lambda: True)
    typed = b"" if answer is None else answer.encode() + b"\n"
    given = call(tmp_path, "themes", "add", strange(tmp_path), stdin=typed)
    assert "Add it as `strange` to " in given.out
    assert given.code == (0 if copied else 1)
    assert (folder_of(tmp_path) / "strange.toml").exists() is copied


def test_add_does_not_replace(tmp_path: Path) -> None:
    """A theme of that name stays as it is, unless --force puts the new one in its place."""
    path = own_theme(tmp_path, "strange", 'template = "old"\n')
    refused = call(tmp_path, "themes", "add", strange(tmp_path), "--yes")
    assert refused.code == 2 and "you have a theme `strange` already" in refused.err
    assert path.read_text() == 'template = "old"\n'
    assert call(tmp_path, "themes", "add", strange(tmp_path), "--yes", "--name", "other").code == 0
    assert call(tmp_path, "themes", "add", strange(tmp_path), "--yes", "--force").code == 0
    assert path.read_text() == STRANGE
    assert sorted(os.listdir(path.parent)) == ["other.toml", "strange.toml"]


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_add_follows_links_of_the_users(tmp_path: Path) -> None:
    """Where the user's theme is a link, its target is replaced and the link stays; without --force neither is."""
    kept = tmp_path / "dotfiles.toml"
    kept.write_text('template = "old"\n')
    folder_of(tmp_path).mkdir(parents=True)
    link = folder_of(tmp_path) / "strange.toml"
    link.symlink_to(kept)
    assert call(tmp_path, "themes", "add", strange(tmp_path), "--yes").code == 2
    assert call(tmp_path, "themes", "add", strange(tmp_path), "--yes", "--force").code == 0
    assert link.is_symlink() and kept.read_text() == STRANGE


def test_add_names_it(tmp_path: Path) -> None:
    """A theme is called as its file; where that is no name, as it calls itself."""
    assert call(tmp_path, "themes", "add", strange(tmp_path, name="a (1).toml"), "--yes").code == 0
    assert call(tmp_path, "themes", "add", strange(tmp_path, name="b.toml"), "--yes").code == 0
    assert sorted(os.listdir(folder_of(tmp_path))) == ["b.toml", "strange.toml"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('template = "{% if %}"\n', "expected an expression"),
        ("template = \n", "a value is missing"),
        ('template = "a\\u202eb"\n', "hidden character U+202E"),
        ('theme = "classic"\n', "a theme needs a `template` or a `layout`"),
    ],
)
def test_add_refuses_what_cannot_be_used(text: str, said: str, tmp_path: Path) -> None:
    """A theme with a fatal fault gets its report and is not copied, --yes or not."""
    answer = call(tmp_path, "themes", "add", strange(tmp_path, text), "--yes", "--force")
    assert answer.code == 1
    assert said in answer.out and answer.out.endswith("refused: it cannot be used as it is\n")
    assert not folder_of(tmp_path).exists()


def test_add_reports_small_faults(tmp_path: Path) -> None:
    """A fault that costs a segment is reported with its place, and the theme can be added."""
    answer = call(tmp_path, "themes", "add", strange(tmp_path, STRANGE.replace("pr.number", "lenght(pr)")), "--yes")
    assert answer.code == 0
    assert "did you mean `length`?" in answer.out and "strange.toml:11:" in answer.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.toml"], "`nowhere.toml` does not exist"),
        (["{folder}"], "is a directory"),
        (["{folder}/large.toml"], "is larger than 32 KiB"),
        (["{folder}/strange.toml", "--name", "classic"], "a bundled theme is called `classic` already"),
        (["{folder}/strange.toml", "--name", "../x"], "`../x` cannot be the name of a theme"),
        (["{folder}/strange.toml", "--name", "con"], "`con` cannot be the name of a theme"),
        pytest.param(["/dev/zero"], "is not a regular file", marks=pytest.mark.skipif(os.name == "nt", reason="POSIX")),
    ],
)
def test_add_wrong_use(words: list[str], said: str, tmp_path: Path) -> None:
    """What is no file of a theme, or no name for one, is said and nothing is written."""
    strange(tmp_path)
    (tmp_path / "large.toml").write_text("#" * 40_000)
    answer = call(tmp_path, "themes", "add", *(word.replace("{folder}", str(tmp_path)) for word in words), "--yes")
    assert answer.code == 2
    assert said in answer.err
    assert not folder_of(tmp_path).exists()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_add_without_the_right(tmp_path: Path) -> None:
    """A folder that cannot be written is said in one line."""
    folder_of(tmp_path).mkdir(parents=True)
    folder_of(tmp_path).chmod(0o500)
    answer = call(tmp_path, "themes", "add", strange(tmp_path), "--yes")
    folder_of(tmp_path).chmod(0o700)
    assert answer.code == 2 and "cannot be written: permission denied" in answer.err


# -- new ---------------------------------------------------------------------------------------------------------------


def test_new(tmp_path: Path) -> None:
    """A new theme is clean to `check`, is drawn, knows its schema, and the next commands are named."""
    answer = call(tmp_path, "themes", "new", "mine")
    path = folder_of(tmp_path) / "mine.toml"
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith(f"made: {path}\nchoose it:  ohud config set theme mine\n")
    assert "ohud preview --theme mine --watch" in answer.out
    assert call(tmp_path, "check", str(path)).out == f"{path}: ok\n"
    drawn = call(tmp_path, "preview", "--theme", "mine", "--scenario", "working", "--columns", "80").out
    assert "Opus 5.5" in drawn and "26%" in drawn and "$1.27" in drawn
    first = path.read_text("utf-8").split("\n")[0]
    schema = re.fullmatch(r"#:schema file://(/.*/theme\.schema\.json)", first)
    assert schema is not None
    assert os.name == "nt" or Path(schema[1].replace("%20", " ")).is_file()


@pytest.mark.parametrize("base", BUNDLED)
def test_new_from_another(base: str, tmp_path: Path) -> None:
    """A copy of any bundled theme is clean to `check`, and differs in its name and schema line alone."""
    answer = call(tmp_path, "themes", "new", "mine", "--from", base)
    path = folder_of(tmp_path) / "mine.toml"
    assert answer.code == 0
    assert call(tmp_path, "check", str(path)).out == f"{path}: ok\n"
    copy = path.read_text("utf-8").split("\n")
    source = Path(dict(read.theme_names(None))[base]).read_text("utf-8").split("\n")
    assert len(copy) == len(source)
    differing = [line for line, other in zip(copy, source, strict=True) if line != other]
    assert len(differing) == 2
    assert differing[0].startswith("#:schema file:///") and differing[1].startswith('name = "mine"')


def test_new_from_a_file(tmp_path: Path) -> None:
    """A file serves as well; one without a name gets one."""
    path = strange(tmp_path, 'template = "so"\n')
    assert call(tmp_path, "themes", "new", "mine", "--from", path).code == 0
    made = (folder_of(tmp_path) / "mine.toml").read_text("utf-8")
    assert 'name = "mine"' in made and 'template = "so"' in made


def test_new_does_not_replace(tmp_path: Path) -> None:
    """A theme of that name stays, unless --force is given."""
    path = own_theme(tmp_path, "mine", 'template = "old"\n')
    answer = call(tmp_path, "themes", "new", "mine")
    assert answer.code == 2 and "you have a theme `mine` already" in answer.err
    assert path.read_text() == 'template = "old"\n'
    assert call(tmp_path, "themes", "new", "mine", "--force").code == 0
    assert path.read_text("utf-8").startswith("#:schema ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["classic"], "a bundled theme is called `classic` already"),
        (["a/b"], "cannot be the name of a theme"),
        (["mine", "--from", "clasic"], "did you mean `classic`?"),
        (["mine", "--from", "{folder}/none.toml"], "does not exist"),
        (["mine", "--from", "{folder}/bad.toml"], "cannot be used as it is"),
        (["mine", "--from", "{folder}/worse.toml"], "cannot be copied"),
    ],
)
def test_new_wrong_use(words: list[str], said: str, tmp_path: Path) -> None:
    """A name that cannot be used, or a theme that cannot be copied, is said and nothing is written."""
    (tmp_path / "bad.toml").write_text('template = "{% if %}"\n')
    (tmp_path / "worse.toml").write_text("template = \n")
    answer = call(tmp_path, "themes", "new", *(word.replace("{folder}", str(tmp_path)) for word in words))
    assert answer.code == 2
    assert said in answer.err
    assert not folder_of(tmp_path).exists()


# -- wrong use ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show"], "show needs the name of a theme"),
        (["add"], "add needs a file"),
        (["new"], "new needs the name of a theme"),
        (["show", "clasic"], "did you mean `classic`?"),
        (["show", "../../etc/passwd"], "there is no theme"),
        (["classic"], "invalid choice"),
        (["list", "classic"], "ohud themes show classic"),
        (["--yes"], "--yes belongs to `add`"),
        (["show", "classic", "--force"], "--force belongs to `add` and `new`"),
        (["--from", "classic"], "--from belongs to `new`"),
        (["--scenario", "workin"], "did you mean `working`?"),
        (["--columns", "-1"], "a number from 0 to 1000"),
    ],
)
def test_wrong_use(words: list[str], said: str, tmp_path: Path) -> None:
    """What cannot be meant is wrong use, with the reason."""
    answer = call(tmp_path, "themes", *words)
    assert answer.code == 2
    assert said in answer.err and answer.out == ""


@pytest.mark.skipif(sys.platform == "win32", reason="a home is always known there")
def test_no_home(tmp_path: Path) -> None:
    """Without a home there is no place for themes, and OHUD_CONFIG names one."""
    env = {"HOME": ""}
    answer = call(tmp_path, "themes", "new", "mine", env=env)
    assert answer.code == 2 and "OHUD_CONFIG" in answer.err
    env["OHUD_CONFIG"] = str(tmp_path / "there" / "config.toml")
    (tmp_path / "there").mkdir()
    assert call(tmp_path, "themes", "new", "mine", env=env).code == 0
    assert (tmp_path / "there" / "themes" / "mine.toml").is_file()
