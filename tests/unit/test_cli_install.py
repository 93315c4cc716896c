"""`ohud install` and `ohud uninstall`."""

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from desk import COMMAND, PYTHON, Desk, desk_at
from launch import REPOSITORY, SHELL, Input, launch
from session import Session

from ohud.host import interpreter
from ohud.host.interpreter import Interpreter

PLAIN = {"type": "command", "command": COMMAND}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A user's machine."""
    return desk_at(tmp_path, monkeypatch)


def data(path: Path) -> dict[str, Any]:
    """Settings."""
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found


def test_first_time(desk: Desk) -> None:
    """It says what it measured, what it wrote and how to undo that."""
    answer = desk.install()
    assert answer.code == 0 and answer.err == ""
    assert answer.out.splitlines() == [
        f"python: {PYTHON}: 11.0 ms a refresh",
        f"made {desk.settings}",
        f"  statusLine: {COMMAND}",
        "undo: ohud uninstall",
    ]
    assert data(desk.settings) == {"statusLine": PLAIN}
    assert not desk.config.exists()
    answer = desk.uninstall()
    assert (answer.code, answer.out) == (0, f"took {desk.settings} away, which ohud install had made\n")


def test_every_option(desk: Desk) -> None:
    """Refresh, padding, vim indicator, subagents; theme and margin go into ohud's config."""
    words = ("--refresh", "5", "--padding", "2", "--hide-vim", "--subagents", "--theme", "oneline")
    assert desk.install(*words).code == 0
    assert data(desk.settings) == {
        "statusLine": {**PLAIN, "refreshInterval": 5, "padding": 2, "hideVimModeIndicator": True},
        "subagentStatusLine": {"type": "command", "command": COMMAND + " subagents"},
    }
    assert desk.config.read_text() == 'theme = "oneline"\nmargin = 8\n'
    assert stat.S_IMODE(desk.config.stat().st_mode) == 0o600
    assert desk.uninstall().code == 0
    assert desk.files() == {} and not desk.config.exists()


def test_changed_and_back(desk: Desk) -> None:
    """Options given later change these alone; uninstalling goes back to before the first time."""
    text = '{\n    "model": "opus",\n    "n": 1.0\n}'
    desk.write(text)
    for words in (
        ("--refresh", "5", "--padding", "-2"),
        ("--refresh", "2.5", "--subagents"),
        ("--hide-vim",),
        ("--no-hide-vim", "--refresh", "off", "--no-subagents"),
        ("--subagents",),
    ):
        assert desk.install(*words).code == 0
    assert data(desk.settings) == {
        "model": "opus",
        "n": 1.0,
        "statusLine": {**PLAIN, "padding": -2, "hideVimModeIndicator": False},
        "subagentStatusLine": {"type": "command", "command": COMMAND + " subagents"},
    }
    assert desk.config.read_text() == "margin = 0\n"
    assert desk.uninstall().code == 0
    assert desk.settings.read_text() == text
    assert [name for name in desk.files() if name != ".claude"] == [".claude/settings.json"]
    assert not desk.config.exists()


def test_older_entry_keeps_what_its_user_set(desk: Desk) -> None:
    """The command is brought up to date, padding and interval stay as they are spelt."""
    desk.write('{"statusLine":{"type":"command","command":"/old/path/ohud","padding":2.0,"refreshInterval":5,"x":[]}}')
    assert desk.install().code == 0
    command = json.dumps(COMMAND)
    assert desk.settings.read_text() == (
        '{"statusLine":{"type":"command","command":' + command + ',"padding":2.0,"refreshInterval":5,"x":[]}}'
    )


def test_another_subagent_line(desk: Desk) -> None:
    """The rows of another program need consent too, and the status line is not installed without it."""
    text = '{"subagentStatusLine": {"type": "command", "command": "other"}}'
    desk.write(text)
    answer = desk.install("--subagents")
    assert answer.code == 1 and "`subagentStatusLine` belongs to another program: other" in answer.err
    assert desk.settings.read_text() == text
    assert desk.install("--no-subagents").code == 0
    assert data(desk.settings)["subagentStatusLine"]["command"] == "other"
    assert desk.install("--subagents", "--replace").code == 0
    assert data(desk.settings)["subagentStatusLine"]["command"] == COMMAND + " subagents"
    assert desk.uninstall().code == 0
    assert desk.settings.read_text() == text


@pytest.mark.parametrize("scope", ["project", "local"])
def test_scopes_of_a_project(scope: str, desk: Desk) -> None:
    """The project's own files, with the modes that files of a project have."""
    umask = os.umask(0o022)
    try:
        answer = desk.install("--scope", scope)
    finally:
        os.umask(umask)
    path = desk.project / ".claude" / ("settings.json" if scope == "project" else "settings.local.json")
    assert answer.code == 0 and f"undo: ohud uninstall --scope {scope}" in answer.out
    assert ("`--scope local` stays out" in answer.out) is (scope == "project")
    assert data(path) == {"statusLine": PLAIN} and not desk.settings.exists()
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert "nothing of ohud's" in desk.uninstall().out and path.exists()
    assert f"note: {path} still has `statusLine` of ohud's" in desk.uninstall().out
    assert desk.uninstall("--scope", scope).code == 0
    assert list(desk.project.iterdir()) == []


def test_dry_run(desk: Desk) -> None:
    """A unified diff of both files, and nothing is written anywhere."""
    desk.write('{\n  "model": "opus"\n}')
    desk.config.parent.mkdir(parents=True)
    desk.config.write_text('# mine\nicons = "nerd"\n')
    before = desk.files()
    answer = desk.install("--dry-run", "--theme", "minimal", "--padding", "1")
    assert answer.code == 0
    assert answer.out.split("\n", 1)[1] == (
        f"--- {desk.settings}\n+++ {desk.settings}\n"
        "@@ -1,3 +1,8 @@\n"
        " {\n"
        '-  "model": "opus"\n'
        '+  "model": "opus",\n'
        '+  "statusLine": {\n'
        '+    "type": "command",\n'
        f'+    "command": "{COMMAND}",\n'
        '+    "padding": 1\n'
        "+  }\n"
        " }\n\\ No newline at end of file\n"
        f"--- {desk.config}\n+++ {desk.config}\n"
        "@@ -1,2 +1,4 @@\n"
        " # mine\n"
        ' icons = "nerd"\n'
        '+theme = "minimal"\n'
        "+margin = 6\n"
    )
    assert desk.files() == before and desk.config.read_text() == '# mine\nicons = "nerd"\n'
    assert [path.name for path in desk.config.parent.iterdir()] == ["config.toml"]
    desk.install()
    assert desk.install("--dry-run").out.endswith("nothing would change\n")
    installed = desk.files()
    answer = desk.uninstall("--dry-run")
    assert '-  "statusLine": {' in answer.out and desk.files() == installed


def test_dry_run_of_a_new_file(desk: Desk) -> None:
    """The old side of a file that is not there yet is the null device."""
    assert f"--- {os.devnull}\n+++ {desk.settings}\n" in desk.install("--dry-run").out
    assert desk.files() == {} and not desk.config.parent.exists()


def test_config_edited_since(desk: Desk) -> None:
    """A config that others have changed since stays as it is when ohud goes."""
    assert desk.install("--theme", "minimal").code == 0
    desk.config.write_text(desk.config.read_text() + 'icons = "ascii"\n')
    answer = desk.uninstall()
    assert answer.code == 0 and f"{desk.config} has been changed since" in answer.out
    assert desk.config.read_text() == 'theme = "minimal"\nicons = "ascii"\n'
    assert [path.name for path in desk.config.parent.iterdir()] == ["config.toml"]


def test_config_is_needed_by_the_other_scope(desk: Desk) -> None:
    """ohud's config goes back when the last settings do."""
    assert desk.install("--theme", "minimal").code == 0
    assert desk.install("--scope", "local").code == 0
    assert desk.uninstall().code == 0
    assert desk.config.read_text() == 'theme = "minimal"\n'
    assert desk.uninstall("--scope", "local").code == 0
    assert not desk.config.exists()


def test_broken_config(desk: Desk) -> None:
    """A config that cannot be edited: nothing at all is done, and the lines to write are named."""
    desk.config.parent.mkdir(parents=True)
    desk.config.write_text("theme = \n")
    answer = desk.install("--theme", "minimal", "--padding", "2")
    assert answer.code == 1 and '`theme = "minimal"` and `margin = 8`' in answer.err
    assert desk.files() == {} and desk.config.read_text() == "theme = \n"


def test_theme_file(desk: Desk) -> None:
    """A theme's file goes into the config with its whole path; one that cannot be drawn is refused."""
    theme = desk.project / "mine.toml"
    theme.write_text('template = "{{ model }}"\n[segments]\nmodel = "computed.model.name"\n')
    assert desk.install("--theme", "mine.toml").code == 0
    assert desk.config.read_text() == f'theme = "{theme}"\n'
    theme.write_text('template = "{{ "\n')
    answer = desk.install("--theme", "mine.toml")
    assert answer.code == 1 and "error[template-text]" in answer.err
    answer = desk.install("--theme", "clasic")
    assert answer.code == 1 and "did you mean `classic`?" in answer.err


@pytest.mark.parametrize(
    "words",
    [
        ("--refresh", "0"),
        ("--refresh", "0.5"),
        ("--refresh", "often"),
        ("--refresh", "nan"),
        ("--refresh", "1e9"),
        ("--padding", "1.5"),
        ("--padding", "5000"),
        ("--scope", "managed"),
        ("extra",),
    ],
)
def test_wrong_use(words: tuple[str, ...], desk: Desk) -> None:
    """What the host would not take is wrong use."""
    assert desk.install(*words).code == 2
    assert desk.files() == {}


def test_slower_than_its_interval(desk: Desk) -> None:
    """An interval shorter than a refresh is warned about, also one that was there before."""
    assert "longer than" not in desk.install("--refresh", "1").out
    desk.usual_ms = 1500.0
    said = "a refresh takes 1500 ms here, longer than the 1 s between two"
    assert said in desk.install().out
    assert "longer than" not in desk.install("--refresh", "2").out


def test_hooks_disabled(desk: Desk) -> None:
    """What keeps the line from being seen is said."""
    desk.write('{"disableAllHooks": true}')
    assert f"note: `disableAllHooks` in {desk.settings} turns the status line off" in desk.install().out


def test_the_home_directory_is_no_project_that_wins(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """At home the project's settings are the user's own, also where HOME leads there by a link."""
    (desk.root / "link").symlink_to(desk.home)
    monkeypatch.chdir(desk.home)
    for home in (desk.home, desk.root / "link"):
        answer = desk.install(env={"HOME": str(home)})
        assert answer.code == 0 and "wins" not in answer.out


def test_passing_interpreter(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interpreter that may vanish is warned about."""
    monkeypatch.setattr(interpreter, "stays", lambda path: path != PYTHON)
    assert f"note: the interpreter lies in a place for passing things: {PYTHON}" in desk.install().out


def test_python_by_path(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A given interpreter is taken as it is, or refused with the reason."""
    assert desk.install("--python", "/opt/python").code == 0
    assert data(desk.settings)["statusLine"]["command"].startswith("/opt/python -I -S ")
    monkeypatch.setattr(interpreter, "examine", lambda path: Interpreter(path, (3, 9), True, "it is too old"))
    answer = desk.install("--python", "/opt/old")
    assert answer.code == 1 and "`/opt/old` cannot be used: it is too old" in answer.err
    answer = desk.install("--python", "no-such-python")
    assert answer.code == 1 and "not on the PATH" in answer.err


def test_record_lost(desk: Desk) -> None:
    """Without its record ohud still takes out what is its own, and only that."""
    desk.write('{"statusLine": null, "a": 1}')
    assert desk.install("--subagents").code == 0
    (desk.config.parent / "installed.json").unlink()
    assert desk.uninstall().code == 0
    assert data(desk.settings) == {"a": 1}


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b"{",
        b'{"format": 1, "files": {"%s": {"previous": {"statusLine": "1, \\"hooks\\": 2"}}}}',
        b'{"format": 1, "files": {"%s": {"previous": {}, "undo": {"start": -1}}}}',
        b'{"format": 1, "files": {"%s": 1}}',
        b"\xff",
    ],
)
def test_damaged_record(raw: bytes, desk: Desk) -> None:
    """A record that makes no sense is none."""
    assert desk.install().code == 0
    desk.settings.write_text(desk.settings.read_text().replace("}\n}", '},\n  "a": 1\n}'))
    record = desk.config.parent / "installed.json"
    record.write_bytes(raw.replace(b"%s", str(desk.settings).encode()))
    assert desk.uninstall().code == 0
    assert data(desk.settings) == {"a": 1}


def test_the_hosts_own_spelling(desk: Desk) -> None:
    """After the host has written the file anew, a second install and the way back touch ohud's values alone."""
    desk.write('{"a":1.0,"statusLine":{"type":"command","command":"other"}}')
    assert desk.install("--replace").code == 0
    desk.settings.write_text(json.dumps({**data(desk.settings), "theme": "dark"}, indent=2) + "\n")
    assert desk.install("--padding", "1").code == 0
    assert desk.uninstall().code == 0
    assert desk.settings.read_text() == (
        json.dumps({"a": 1.0, "statusLine": 0, "theme": "dark"}, indent=2).replace(
            " 0,", ' {"type":"command","command":"other"},'
        )
        + "\n"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")
def test_what_is_installed_runs(tmp_path: Path) -> None:
    """The command that a real run writes, measured and all, draws the line through a real shell."""
    session = Session(tmp_path)
    outcome = session.command("install", "--python", sys.executable, "--theme", "oneline")
    if b"cannot be used" in outcome.err:
        pytest.skip(outcome.errors)
    assert outcome.code == 0, outcome
    assert " ms a refresh" in outcome.text
    command = data(session.home / ".claude" / "settings.json")["statusLine"]["command"]
    payload = b'{"model": {"id": "claude-opus-4-6", "display_name": "Opus 4.6"}, "workspace": {"current_dir": "/"}}'
    drawn = launch([SHELL, "-c", command], Input(payload), session.env(), tmp_path)
    assert drawn.code == 0 and "Opus 4.6" in drawn.text
    assert session.command("uninstall").code == 0
    assert list((session.home / ".claude").parent.iterdir()) == []


def test_installed_file_is_the_packages() -> None:
    """What is installed is what the package ships."""
    assert COMMAND.split()[-1] == str(REPOSITORY / "ohud" / "hot.py")
