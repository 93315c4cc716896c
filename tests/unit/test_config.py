"""`ohud config`: keys read, set and taken out, and the editor."""

import json
import os
import stat
import sys
import threading
from pathlib import Path

import pytest
from command_line import Answer, call
from launch import COMMAND_LINE, REPOSITORY
from typist import Typist

from ohud.host.configuration import schema_line
from ohud.theme import keys
from ohud.theme.keys import Misnamed

TEXT = """\
#:schema x
# mine
theme = "classic"  # the best
unknown = 1

[options]
show_cost = true

[segments]
branch = "computed.git.branch"

[segments.where]
value = "computed.project.name"
"""


def path(folder: Path) -> Path:
    """Where the config is."""
    return folder / "home" / ".config" / "ohud" / "config.toml"


def config(folder: Path, *words: str, text: str | None = None, **env: str) -> Answer:
    """The answer of `ohud config`; text: what the config holds before."""
    if text is not None:
        path(folder).parent.mkdir(parents=True, exist_ok=True)
        path(folder).write_bytes(text.encode())
    return call(folder, "config", *words, env=env)


def test_first_key(tmp_path: Path) -> None:
    """A config that is not there is made, for its owner alone, with the line for editors on top."""
    answer = config(tmp_path, "set", "theme", "minimal")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == f'made {path(tmp_path)}\n  theme = "minimal"\n'
    assert path(tmp_path).read_text() == schema_line() + 'theme = "minimal"\n'
    assert stat.S_IMODE(path(tmp_path).stat().st_mode) == 0o600
    assert stat.S_IMODE(path(tmp_path).parent.stat().st_mode) == 0o700
    assert config(tmp_path, "set", "theme", "minimal").out == f"{path(tmp_path)} has it already\n"
    schema = schema_line().removeprefix("#:schema file://").strip()
    assert os.name == "nt" or json.loads(Path(schema).read_text("utf-8"))["title"]


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("theme", "minimal", 'theme = "minimal"'),
        ("theme", '"minimal"', 'theme = "minimal"'),
        ("color", "256", 'color = "256"'),
        ("margin", "12", "margin = 12"),
        ("links", '["file"]', 'links = ["file"]'),
        ("options.show_tools", "true", "show_tools = true"),
        ("options.context_value", "tokens", 'context_value = "tokens"'),
        ("git.refresh_s", "1.5", "refresh_s = 1.5"),
        ("segments.where.style", "bold fg:red", 'style = "bold fg:red"'),
        ("segments.first", "a[0]", 'first = "a[0]"'),
        ("segments.second", "[0]", 'second = "[0]"'),
        ("segments.cost", "{ value = 'computed.cost.usd' }", 'cost = { value = "computed.cost.usd" }'),
        ("palette.accent", "12", "accent = 12"),
        ("prices.claude-opus-4.6.input", "2", '[prices."claude-opus-4.6"]\ninput = 2'),
        ('prices."claude-opus-4-6".input', "5", "[prices.claude-opus-4-6]\ninput = 5"),
        ("projects.~/my.work.theme", "oneline", '[projects."~/my.work"]\ntheme = "oneline"'),
        ("template", "{{ branch }}\n{{ where }}\n", 'template = """\n{{ branch }}\n{{ where }}\n"""'),
    ],
)
def test_set_and_get(tmp_path: Path, key: str, value: str, line: str) -> None:
    """A value is of the type that its key asks for; it can be got, and taking it out leaves the rest."""
    answer = config(tmp_path, "set", key, value, text=TEXT)
    assert (answer.code, answer.err) == (0, "")
    text = path(tmp_path).read_text()
    assert line in text and "# mine\n" in text and "  # the best\n" in text and "unknown = 1\n" in text
    assert config(tmp_path, "get", key).out.rstrip("\n") in line
    if key != "theme":
        assert config(tmp_path, "unset", key).code == 0
        assert path(tmp_path).read_text() == TEXT


def test_string(tmp_path: Path) -> None:
    """With --string a value is text, whatever it looks like."""
    assert config(tmp_path, "set", "segments.raw", "'x'", "--string").code == 0
    assert "raw = \"'x'\"" in path(tmp_path).read_text()
    assert config(tmp_path, "get", "segments.raw", "--json").out == "\"'x'\"\n"


@pytest.mark.parametrize(
    ("key", "value", "report"),
    [
        ("margin", "x", ["`margin` must be an integer from 0 to 1000, not a text", ':5:10\n  |\n5 | margin = "x"']),
        ("margin", "-1", ["`margin` must be an integer from 0 to 1000, not -1"]),
        ("icons", "nrd", ["must be one of `nerd`, `emoji`, `ascii`, not `nrd`", "did you mean `nerd`?"]),
        ("theme", "clasic", ["there is no theme `clasic`", "help: did you mean `classic`?"]),
        ("options.show_tols", "true", ["the theme has no option `show_tols`", "help: did you mean `show_tools`?"]),
        ("segments.where.style", "bld", ["unknown colour `bld`", "help: did you mean `bold`?"]),
        ("segments.a", "lenght(x)", ["unknown function `lenght`", "  |      ^^^^^^\nhelp: did you mean `length`?"]),
        ("template", "{{ branch", ["error[template-text]"]),
        ("projects.~/x.theme", "nosuch", ["there is no theme `nosuch`"]),
        ("commands.load", "{ refresh_s = 5 }", ["`run` is missing in `commands.load`"]),
    ],
)
def test_refused(tmp_path: Path, key: str, value: str, report: list[str]) -> None:
    """A change that adds a problem is answered with the whole report, and nothing is written."""
    answer = config(tmp_path, "set", key, value, text=TEXT)
    assert answer.code == 1 and answer.out == ""
    assert all(part in answer.err for part in [*report, f"--> {path(tmp_path)}:"]), answer.err
    assert answer.err.endswith(f"ohud config: nothing was written, {path(tmp_path)} is as it was\n")
    assert path(tmp_path).read_text() == TEXT


@pytest.mark.parametrize(
    ("words", "message", "help"),
    [
        (("get", "thme"), "unknown key `thme`", "did you mean `theme`?"),
        (("set", "optoins.show_cost", "1"), "unknown key `optoins`", "did you mean `options.show_cost`?"),
        (("set", "git.refresh", "1"), "unknown key `git.refresh`", "did you mean `git.refresh_s`?"),
        (("set", "refresh_s", "1"), "unknown key `refresh_s`", "did you mean `git.refresh_s`?"),
        (("set", "show_cost", "1"), "unknown key `show_cost`", "did you mean `options.show_cost`?"),
        (("set", "icon", "nerd"), "unknown key `icon`", "did you mean `icons`?"),
        (
            ("unset", "segments.where.sytle"),
            "unknown key `segments.where.sytle`",
            "did you mean `segments.where.style`?",
        ),
        (("set", "zzz", "1"), "unknown key `zzz`", "`ohud config list --all` names them all"),
        (("get", "a..b"), "`a..b` is not a key", "write names joined by dots"),
        (("set", "palette.9", "1"), "`9` cannot be a name in `palette`", "allowed: letters, digits,"),
        (("set", "margin.left", "1"), "`margin` has no keys in it", ""),
        (("set", "segments.branch.style", "bold"), "`segments.branch` is a text here", "make it a table first: ohud"),
        (("set", "theme"), "the following arguments are required: VALUE", "ohud config --help"),
        (("frob",), "invalid choice: 'frob'", "ohud config --help"),
        ((), "the following arguments are required: ACTION", "ohud config --help"),
    ],
)
def test_wrong_use(tmp_path: Path, words: tuple[str, ...], message: str, help: str) -> None:
    """A key that there is not is answered with the nearest one, status 2, and nothing is written."""
    answer = config(tmp_path, *words, text=TEXT)
    assert answer.code == 2 and message in answer.err and help in answer.err
    assert path(tmp_path).read_text() == TEXT


def test_short_form_first(tmp_path: Path) -> None:
    """What the hint for a segment in its short form says, done, makes the change possible."""
    hint = config(tmp_path, "set", "segments.branch.style", "bold", text=TEXT).err.rpartition("set ")[2]
    key, table = hint.strip().split(" ", 1)
    assert config(tmp_path, "set", key, table.strip("'").replace("...", "dim")).code == 0
    assert config(tmp_path, "set", "segments.branch.style", "bold").code == 0
    line = 'branch = { value = "computed.git.branch", style = "bold" }\n'
    assert path(tmp_path).read_text() == TEXT.replace('branch = "computed.git.branch"\n', line)


@pytest.mark.parametrize(
    ("key", "code", "out"),
    [
        ("theme", 0, '"classic"\n'),
        ("unknown", 0, "1\n"),
        ("options", 0, "show_cost = true\n"),
        ("options.show_model", 0, "true\n"),
        ("limits.lines", 0, "10\n"),
        ("margin", 0, "4\n"),
        ("git", 0, "refresh_s = 5\nwait_ms = 100\ntimeout_ms = 1000\n"),
        ("segments.where.value", 0, '"computed.project.name"\n'),
        ("columns", 1, ""),
        ("palette.accent", 1, ""),
    ],
)
def test_get(tmp_path: Path, key: str, code: int, out: str) -> None:
    """What the config says, else the theme, else the default; 1 where there is nothing at all."""
    answer = config(tmp_path, "get", key, text=TEXT)
    assert (answer.code, answer.out) == (code, out)
    assert ("is not set, and has no default" in answer.err) == bool(code)


def test_unset(tmp_path: Path) -> None:
    """A key goes, known or not; what is not set cannot; the last segment goes with its header."""
    for key in ("unknown", "segments.where.value", "options.show_cost", "segments.branch"):
        assert config(tmp_path, "unset", key, text=None if key != "unknown" else TEXT).code == 0
    assert path(tmp_path).read_text() == '#:schema x\n# mine\ntheme = "classic"  # the best\n'
    answer = config(tmp_path, "unset", "options.show_cost")
    assert (answer.code, answer.err) == (1, f"ohud config: `options.show_cost` is not set in {path(tmp_path)}\n")


def test_unset_refused(tmp_path: Path) -> None:
    """Taking out what something else needs is refused like any other change."""
    text = TEXT + 'style = "bold"\n'
    answer = config(tmp_path, "unset", "segments.where.value", text=text)
    assert answer.code == 1 and "segment `where` has no `value`, `default` or `format`" in answer.err
    assert path(tmp_path).read_text() == text


def test_dry_run(tmp_path: Path) -> None:
    """A dry run shows the change as a diff; there is no file and no folder afterwards."""
    answer = config(tmp_path, "set", "theme", "minimal", "--dry-run")
    assert answer.code == 0 and '+theme = "minimal"\n' in answer.out
    assert not path(tmp_path).parent.exists()
    assert config(tmp_path, "set", "theme", "classic", "--dry-run", text=TEXT).out == "nothing would change\n"


def test_warning(tmp_path: Path) -> None:
    """What costs nothing, and lies elsewhere than in the key that is set, is a warning: the change is made."""
    theme = path(tmp_path).parent / "themes" / "mine.toml"
    theme.parent.mkdir(parents=True)
    theme.write_text('template = "{{ options.a }}"\noptions = { a = "x" }\n')
    answer = config(tmp_path, "set", "theme", "mine", text=TEXT)
    assert answer.code == 0 and "warning[theme-shape]: the theme has no option `show_cost`" in answer.err
    assert 'theme = "mine"  # the best' in path(tmp_path).read_text()


def test_old_problems(tmp_path: Path) -> None:
    """Problems that are there already do not keep a change from being made, and are not reported again."""
    answer = config(tmp_path, "set", "margin", "6", text='theme = "classic"\nicons = "nrd"\n')
    assert (answer.code, answer.err) == (0, "")
    assert path(tmp_path).read_text() == 'theme = "classic"\nicons = "nrd"\nmargin = 6\n'


@pytest.mark.parametrize("action", [("set", "margin", "6"), ("unset", "theme"), ("get", "theme"), ("list",)])
def test_not_toml(tmp_path: Path, action: tuple[str, ...]) -> None:
    """A config that is no TOML is reported with the place, and left alone."""
    answer = config(tmp_path, *action, text="theme = \n")
    assert answer.code == 1 and answer.out == ""
    assert f"a value is missing\n --> {path(tmp_path)}:1:9" in answer.err and "help: ohud config edit" in answer.err
    assert path(tmp_path).read_text() == "theme = \n"


def test_list(tmp_path: Path) -> None:
    """Every key that is set, as it could be set again; as JSON too."""
    lines = [
        'theme = "classic"',
        "unknown = 1",
        "options.show_cost = true",
        'segments.branch = "computed.git.branch"',
        'segments.where.value = "computed.project.name"',
    ]
    assert config(tmp_path, "list", text=TEXT).out.splitlines() == lines
    found = json.loads(config(tmp_path, "list", "--json").out)
    assert list(found) == [line.split(" = ")[0] for line in lines] and found["options.show_cost"] is True


def test_list_all(tmp_path: Path) -> None:
    """Every key there is with its type, default, value here and sentence."""
    out = config(tmp_path, "list", "--all", text=TEXT).out
    assert "git.refresh_s: a number from 0 to 86400 [s], by default 5\n    How old an answer" in out
    assert 'theme: a text, by default "classic"; here "classic"\n' in out
    rows = json.loads(config(tmp_path, "list", "--all", "--json").out)
    assert {row["key"] for row in rows} == {name for name, _ in keys.known()}
    assert next(row for row in rows if row["key"] == "margin") == {
        "key": "margin",
        "type": "an integer from 0 to 1000",
        "default": 4,
        "unit": "cells",
        "value": None,
        "sentence": "Columns of the terminal that the host keeps for itself: 4, and twice its padding.",
    }


def test_every_key_is_found() -> None:
    """Each declared key can be named, with its own type."""
    for name, key in keys.known():
        assert keys.find(name.replace("NAME", "some_name")).kind == key.type


@pytest.mark.parametrize("key", ["", ".", "a.", ".a", '"a', 'a"b"', "a = 1", '"\\q"', "a\nb", "a b", "segments.A"])
def test_no_key(key: str) -> None:
    """What is no dotted key is said to be none."""
    with pytest.raises(Misnamed):
        keys.find(key)


def test_paths(tmp_path: Path) -> None:
    """The path is that of OHUD_CONFIG, else below the home, whether there is a file or not."""
    assert config(tmp_path, "path").out == f"{path(tmp_path)}\n"
    other = tmp_path / "other" / "mine.toml"
    assert config(tmp_path, "path", OHUD_CONFIG=str(other)).out == f"{other}\n"
    assert config(tmp_path, "set", "theme", "minimal", OHUD_CONFIG=str(other)).code == 0
    assert other.exists() and not path(tmp_path).exists()


def test_an_empty_variable_names_no_config(tmp_path: Path) -> None:
    """What OHUD_CONFIG does not name is not missed."""
    for words in (("preview", "--scenario", "working"), ("eval", "model.id"), ("check",)):
        answer = call(tmp_path, *words, stdin=b"{}", env={"OHUD_CONFIG": ""})
        assert answer.code == 0 and "does not exist" not in answer.out + answer.err


def test_nowhere(tmp_path: Path) -> None:
    """Without a home there is no place for a config, and what to do is said."""
    answer = config(tmp_path, "set", "theme", "minimal", HOME="")
    assert answer.code == 1 and "help: set HOME, or OHUD_CONFIG" in answer.err


@pytest.mark.skipif(os.name == "nt", reason="links and modes")
def test_link(tmp_path: Path) -> None:
    """A config that is a link stays one; the file it leads to keeps its mode."""
    real = tmp_path / "dotfiles.toml"
    real.write_text("margin = 4\n")
    real.chmod(0o640)
    path(tmp_path).parent.mkdir(parents=True)
    path(tmp_path).symlink_to(real)
    assert config(tmp_path, "set", "margin", "6").code == 0
    assert path(tmp_path).is_symlink() and real.read_text() == "margin = 6\n"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


@pytest.mark.skipif(os.name == "nt", reason="modes")
def test_read_only(tmp_path: Path) -> None:
    """A config that is marked read-only is left alone."""
    config(tmp_path, "list", text=TEXT)
    path(tmp_path).chmod(0o400)
    answer = config(tmp_path, "set", "margin", "6")
    assert answer.code == 1 and "is left as it is: it is marked read-only" in answer.err
    assert path(tmp_path).read_text() == TEXT


@pytest.mark.skipif(os.name == "nt", reason="locks of folders")
def test_at_the_same_time(tmp_path: Path) -> None:
    """Changes that are made at the same time are all made."""
    config(tmp_path, "list", text=TEXT)
    env = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(REPOSITORY)}
    names = ["margin", "columns", "git.refresh_s", "git.wait_ms"]

    def start(name: str) -> None:
        os.waitpid(os.posix_spawn(sys.executable, [*COMMAND_LINE, "config", "set", name, "7"], env), 0)

    threads = [threading.Thread(target=start, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    text = path(tmp_path).read_text()
    assert all(f"{name.rpartition('.')[2]} = 7\n" in text for name in names)
    assert list(path(tmp_path).parent.iterdir()) == [path(tmp_path)]


def editor(folder: Path, change: str) -> str:
    """The command of an editor; change: an expression for the new text, `file` is the copy."""
    script = folder / "editor.py"
    script.write_text(f"import pathlib, sys\nfile = pathlib.Path(sys.argv[1])\nfile.write_text({change})\n")
    return f"{sys.executable} '{script}'"


def test_edit(tmp_path: Path) -> None:
    """What the editor leaves behind takes the config's place when it is whole."""
    words = editor(tmp_path, "file.read_text().replace('true', 'false') + '# ' + file.name")
    answer = config(tmp_path, "edit", text=TEXT, VISUAL=words, EDITOR="false")
    assert (answer.code, answer.out) == (0, f"changed {path(tmp_path)}\n")
    assert path(tmp_path).read_text() == TEXT.replace("true", "false") + "# config.toml"


def test_edit_without_a_config(tmp_path: Path) -> None:
    """Without a config the editor gets one with the line for editors; left as it is, none is made."""
    assert config(tmp_path, "edit", EDITOR="true").out == "nothing was changed\n"
    assert not path(tmp_path).exists()
    assert config(tmp_path, "edit", EDITOR=editor(tmp_path, "file.read_text() + 'margin = 6\\n'")).code == 0
    assert path(tmp_path).read_text() == schema_line() + "margin = 6\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (None, "neither VISUAL nor EDITOR names an editor\nhelp: EDITOR=nano ohud config edit; the file is "),
        ("false", "the editor `false` ended with 1"),
        ("/no/such/editor --now", "the editor `/no/such/editor --now` cannot be started: no such file"),
    ],
)
def test_no_editor(tmp_path: Path, words: str | None, said: str) -> None:
    """Without an editor, or with one that fails, what to do is said and nothing is written."""
    answer = config(tmp_path, "edit", text=TEXT, **({"EDITOR": words} if words else {}))
    assert answer.code == 1 and said in answer.err
    assert path(tmp_path).read_text() == TEXT


def test_edit_broken(tmp_path: Path) -> None:
    """Where nobody can be asked, a config with a new problem is reported and dropped."""
    answer = config(tmp_path, "edit", text=TEXT, EDITOR=editor(tmp_path, "'theme = 5\\n'"))
    assert answer.code == 1 and "`theme` must be a text, not an integer" in answer.err
    assert path(tmp_path).read_text() == TEXT


def test_edit_meanwhile(tmp_path: Path) -> None:
    """What another program writes meanwhile is not lost, and neither is what was written in the editor."""
    words = editor(tmp_path, f"(pathlib.Path({str(path(tmp_path))!r}).write_text('margin = 9\\n'), 'margin = 6\\n')[1]")
    answer = config(tmp_path, "edit", text=TEXT, EDITOR=words)
    assert answer.code == 1 and "something else has changed it meanwhile" in answer.err
    assert path(tmp_path).read_text() == "margin = 9\n"
    kept = Path(answer.err.partition("what you have written is in ")[2].splitlines()[0])
    assert kept.read_text() == "margin = 6\n"
    kept.unlink()
    kept.parent.rmdir()


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
@pytest.mark.parametrize(
    ("answers", "code", "left"), [("e", 0, "margin = 8\n"), ("s", 1, "marg = 7\n"), ("d", 1, TEXT)]
)
def test_edit_asked(tmp_path: Path, answers: str, code: int, left: str) -> None:
    """With a problem the user is asked: edit again, save it anyway, or discard it."""
    config(tmp_path, "list", text=TEXT)
    words = editor(tmp_path, "'margin = 8\\n' if 'marg =' in file.read_text() else 'marg = 7\\n'")
    env = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(REPOSITORY), "EDITOR": words}
    with Typist([*COMMAND_LINE, "config", "edit"], env, tmp_path) as user:
        assert "did you mean `margin`?" in user.sees("(e)dit again, (d)iscard the change, (s)ave it anyway? [e] ")
        user.types(answers + "\n")
        assert user.ends() == code
    assert path(tmp_path).read_text() == left


def test_help(tmp_path: Path) -> None:
    """The help says how keys and values are written."""
    answer = config(tmp_path, "--help")
    assert answer.code == 0 and "options.show_cost" in answer.out and "bare text" in answer.out
