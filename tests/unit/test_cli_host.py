"""`ohud host` as a person uses it."""

import json
from pathlib import Path

import pytest
from session import Session


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A user without settings."""
    return Session(tmp_path)


def settings(session: Session, command: str) -> None:
    """Gives the user a status line."""
    folder = session.home / ".claude"
    folder.mkdir(exist_ok=True)
    line = {"statusLine": {"type": "command", "command": command}}
    (folder / "settings.json").write_text(json.dumps(line))


def test_one_run_of_a_command(session: Session) -> None:
    """A command is run once and its rows are drawn; without a terminal they have no colours."""
    outcome = session.command("host", "--command", "printf '\\033[31mred\\033[0m\\n\\n  two'", "--columns", "80")
    assert (outcome.code, outcome.errors) == (0, "")
    assert outcome.text == "0.00 s · mount · 1 run\n  red\n  two\n"


def test_colours(session: Session) -> None:
    """With colours a row looks as the host draws it: grey where it has none of its own."""
    outcome = session.command("host", "--command", "echo x", "--color", "always")
    assert "  \x1b[38;2;153;153;153mx\x1b[0m" in outcome.text


@pytest.mark.parametrize(
    ("command", "why"),
    [("exit 3", "exit status 3"), ("true", "no output"), ("exec /nonexistent", "exit status 127")],
)
def test_no_line(command: str, why: str, session: Session) -> None:
    """Where there is no line the reason stands in its place, and the exit status says so."""
    outcome = session.command("host", "--command", command)
    assert outcome.code == 1
    assert f"(no line: {why})" in outcome.text


def test_configured_command(session: Session) -> None:
    """Without a command the settings of this machine count."""
    assert "no settings name a status line command" in session.command("host").text
    settings(session, "echo mine")
    assert "\n  mine\n" in session.command("host").text
    assert "switched off: safe-mode" in session.command("host", "--safe-mode").text


def test_trust(session: Session) -> None:
    """A directory that nobody has called trusted runs nothing."""
    settings(session, "echo mine")
    (session.home / ".claude.json").write_text(json.dumps({"projects": {}}))
    outcome = session.command("host")
    assert outcome.code == 1
    assert "not trusted" in outcome.text


def test_payload_and_scenario(session: Session) -> None:
    """The payload is a built-in one, with its files, or one of one's own."""
    show = ["host", "--command", "cat", "--columns", "900"]
    (session.home / "p.json").write_text('{"session_id": "mine", "cwd": "/nonexistent"}')
    own = json.loads(session.command(*show, "--payload", "p.json").text.splitlines()[1])
    assert (own["session_id"], own["cwd"]) == ("mine", str(session.home))
    command = 'test "$PWD" = "$CLAUDE_PROJECT_DIR" && test -d .git && echo staged'
    assert "  staged\n" in session.command("host", "--scenario", "working", "--command", command).text
    default = session.command("host", "--command", 'test "$PWD" = "$CLAUDE_PROJECT_DIR" && pwd').text
    assert f"  {session.home}\n" in default


def test_script(session: Session) -> None:
    """A script is played event by event; `--log` lists its runs, `--json` has everything."""
    (session.home / "s.json").write_text(
        json.dumps({"command": "echo $COLUMNS", "events": [{"do": "reply", "at": 1}, {"do": "end", "at": 2}]})
    )
    outcome = session.command("host", "s.json", "--columns", "50", "--log")
    assert outcome.code == 0
    assert "1.00 s · reply · 2 runs\n  50\n" in outcome.text
    assert [line.split()[0] for line in outcome.text.splitlines()[-2:]] == ["0.000", "1.300"]
    outcome = session.command("host", "s.json", "--json", "--version", "2.1.215")
    made = json.loads(outcome.text)
    assert set(made) == {"version", "frames", "runs", "subagent_runs"}
    assert made["version"] == "2.1.215"
    assert [frame["rows"] for frame in made["frames"]] == [["  80"], ["  80"], []]
    assert (
        session.command(
            "host",
            "-",
            data=b'["reply"]',
        ).code
        == 0
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nonexistent.toml"], "`nonexistent.toml` cannot be read"),
        (["--payload", "nonexistent"], "`nonexistent` cannot be read"),
        (["--scenario", "workin"], "there is no scenario `workin`, did you mean `working`?"),
        (["--padding", "2"], "--padding and --refresh go with --command"),
        (["--columns", "0"], "expected a number from 1 to 1000"),
        (["--speed", "0"], "--speed is above 0"),
        (["-", "--payload", "-"], "only one of script and payload"),
        (["--payload", "x", "--scenario", "y"], "exclude each other"),
    ],
)
def test_wrong_use(words: list[str], said: str, session: Session) -> None:
    """Wrong use is said in one line, with exit status 2."""
    outcome = session.command("host", *words)
    assert outcome.code == 2
    assert said in outcome.errors
    assert "Traceback" not in outcome.errors
