"""`ohud doctor` as a command: what it prints, its JSON, its exit status."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Answer, call
from launch import STATUS_LINE

from ohud.host import checkup, settings
from ohud.host.command import quote

OWN = quote(STATUS_LINE, "posix")
KEYS = [
    *("ohud", "ok", "host", "directory", "command", "source", "settings", "trusted", "disabled", "terminal"),
    *("environment", "run", "timing", "findings"),
]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory to start the host in, on a machine without an administrator; times are not taken."""
    monkeypatch.setattr(checkup, "measure", lambda *_: None)
    monkeypatch.setattr(settings, "managed_folder", lambda: str(tmp_path / "managed"))
    folder = tmp_path / "home" / "project"
    folder.mkdir(parents=True)
    (tmp_path / "home" / ".claude.json").write_text(
        json.dumps({"projects": {str(folder): {"hasTrustDialogAccepted": True}}})
    )
    return folder


def configure(project: Path, command: str, **line: Any) -> None:
    """Puts a status line into the user's settings."""
    path = project.parent / ".claude" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"statusLine": {"type": "command", "command": command, **line}}))


def doctor(project: Path, *words: str, **env: str) -> Answer:
    """The answer of doctor for the directory."""
    root = next(folder.parent for folder in project.parents if folder.name == "home")
    return call(root, "doctor", "--directory", str(project), *words, env=env)


def test_all_is_well(project: Path) -> None:
    """It shows the line as the host draws it, says that all is well, and ends with 0."""
    configure(project, OWN)
    answer = doctor(project)
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith(f"command: `{OWN}`\ndrawn at 80 columns:\n    [Opus 5.5]")
    assert answer.out.endswith("\nall is well\n")
    assert "problem" not in answer.out and "\x1b" not in answer.out


def test_a_cause(project: Path) -> None:
    """A cause is told with what to do about it; the exit status is 1."""
    answer = doctor(project)
    assert answer.code == 1
    assert "problem  configured: no settings file has a `statusLine`\n" in answer.out
    assert "         help: run `ohud install`, then start Claude Code anew\n" in answer.out
    assert answer.out.endswith("\n1 cause found\n")


def test_several_causes(project: Path) -> None:
    """The causes are counted."""
    configure(project, "echo 'x'; seq 40; head -c 300 /dev/zero | tr '\\0' y")
    answer = doctor(project, "--columns", "100", "--lines", "30")
    assert answer.code == 1
    assert "row 42 too wide: Claude Code draws 96 cells at 100 columns" in answer.out
    assert "42 rows are too many: a terminal of 30 rows" in answer.out
    assert answer.out.endswith("\n2 causes found\n")


def test_nothing_drawn(project: Path) -> None:
    """Where the host would draw nothing this is said, with what the command had to say."""
    configure(project, "echo 'no such model' >&2; exit 2")
    answer = doctor(project)
    assert answer.code == 1
    assert "drawn at 80 columns:\n  (nothing)\n" in answer.out
    assert "stderr: `no such model`\n" in answer.out


@pytest.mark.parametrize("command", [OWN, "exit 1", "printf 'a\\nb\\n'", None])
def test_json_has_the_same_keys_always(command: str | None, project: Path) -> None:
    """Whatever is found, the keys are the same and in the same order."""
    if command is not None:
        configure(project, command, padding=1)
    answer = doctor(project, "--json")
    told = json.loads(answer.out)
    assert list(told) == KEYS
    assert told["ok"] is (answer.code == 0)
    assert told["directory"] == str(project) and told["command"] == command and told["trusted"] is True
    assert told["terminal"] == {"columns": 80, "lines": 24}
    assert [one["kind"] for one in told["settings"]] == ["managed", "local", "project", "user"]
    for finding in told["findings"]:
        assert list(finding) == ["name", "state", "message", "remedy", "details"]
        assert finding["state"] in ("ok", "note", "problem")
        assert finding["remedy"] or finding["state"] != "problem"
    if command == "printf 'a\\nb\\n'":
        assert told["run"]["rows"] == ["   a", "   b"] and told["run"]["cut"] == []
        assert told["source"] == {"kind": "user", "path": str(project.parent / ".claude" / "settings.json")}
    if command is None:
        assert told["run"] is None and told["source"] is None


def test_only_some_variables_are_told(project: Path) -> None:
    """Of the environment nothing is told but a few variables of the terminal."""
    configure(project, "env; env >&2")
    for words in ((), ("--json",)):
        answer = doctor(project, *words, ANTHROPIC_API_KEY="sk-made-up-key", LANG="C.UTF-8", DB="postgres://u:pw@h/d")
        assert "sk-made-up" not in answer.out and "u:pw" not in answer.out and answer.err == ""
    told = json.loads(answer.out)["environment"]
    assert list(told) == ["COLUMNS", "LINES", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "TERM_PROGRAM", "LANG"]
    assert told["LANG"] == "C.UTF-8"


def test_the_administrators_settings(project: Path) -> None:
    """A policy of the administrator's is found where it lies on this system."""
    configure(project, OWN)
    managed = project.parent.parent / "managed"
    managed.mkdir()
    (managed / "managed-settings.json").write_text('{"disableAllHooks": true}')
    answer = doctor(project, "--no-run")
    assert answer.code == 1
    assert "the administrator has turned hooks and status lines off" in answer.out


def test_another_folder_for_the_settings(project: Path) -> None:
    """CLAUDE_CONFIG_DIR is obeyed, for the settings and for what the host keeps."""
    configure(project, OWN)
    other = project.parent / "other"
    other.mkdir()
    answer = doctor(project, "--no-run", "--json", CLAUDE_CONFIG_DIR=str(other))
    told = json.loads(answer.out)
    assert told["settings"][-1]["path"] == str(other / "settings.json") and told["trusted"] is None
    assert [one["name"] for one in told["findings"] if one["state"] == "problem"] == ["configured"]


def test_a_command_cannot_speak_to_the_terminal(project: Path) -> None:
    """Control characters of what a command prints are drawn as the host draws them, or spelt out."""
    configure(project, "printf 'a\\033]0;title\\007b\\033[2Jc'; printf '\\033[2J' >&2")
    answer = doctor(project)
    assert "  abc\n" in answer.out and "\x1b" not in answer.out
    configure(project, "printf '\\033]0;title\\007x' >&2; exit 1")
    assert "\x1b" not in doctor(project).out
    coloured = doctor(project, FORCE_COLOR="1").out
    assert "\x1b]" not in coloured and "\x1b[1;31mproblem" in coloured


def test_names_of_folders_cannot_speak_to_the_terminal(project: Path) -> None:
    """Control characters in paths are spelt out."""
    odd = project / "a\x1b[2J\x9b31m\u202e"
    odd.mkdir()
    answer = doctor(odd)
    assert answer.code == 1 and "a<U+001B>[2J<U+009B>31m<U+202E>" in answer.out
    assert not set("\x1b\x9b\u202e") & set(answer.out + answer.err)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--columns", "0"], "expected a number from 1 to 1000, not `0`"),
        (["--lines", "many"], "expected a number from 1 to 1000, not `many`"),
        (["--directory", "/no/such/place"], "there is no directory `/no/such/place`"),
        (["extra"], "unrecognized arguments: extra"),
    ],
)
def test_wrong_use(words: list[str], said: str, tmp_path: Path) -> None:
    """Wrong use is said in a line; the exit status is 2."""
    answer = call(tmp_path, "doctor", *words)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
