"""When the host runs a command, how it starts it and when it ends it: real processes, times as recorded."""

import json
import os
import re
import signal
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ohud.host.play import Player, log, script
from ohud.host.process import environment, safe_directory, shell_words
from ohud.host.runtime import Session, decorations, failure, run_command, settings_of
from ohud.host.version import NEW, OLD, VERSIONS, Version

BOTH = pytest.mark.parametrize("version", [OLD, NEW], ids=lambda version: version.name)
BASE = {"PATH": os.environ["PATH"], "HOME": "/home/user", "ANTHROPIC_API_KEY": "sk-ant-test-not-a-key"}
# What a run that takes 2 s on the session's clock is, where the clock goes eight times as fast.
SPEED = 8.0
TWO_SECONDS = "sleep 0.25; echo SLOW"


def session(tmp_path: Path, version: Version = NEW, **more: Any) -> Session:
    """A session that was started in an empty directory."""
    return Session(BASE, str(tmp_path), str(tmp_path), version=version, **more)


def play(tmp_path: Path, data: dict[str, Any], version: Version = NEW, speed: float = 1.0, **more: Any) -> Player:
    """A session played to its end; its frames are kept in `player.done`."""
    player = Player(script(data), session(tmp_path, version, **more), speed=speed)
    player.done = list(player.frames())  # type: ignore[attr-defined]
    return player


def starts(player: Player) -> list[float]:
    """When each run began [s]."""
    return [one["began"] for one in log(player.line.records)]


def screens(player: Player) -> list[list[str]]:
    """The rows after each event."""
    return [[row.line for row in frame.rows] for frame in player.done]  # type: ignore[attr-defined]


# How a command is started


@BOTH
def test_streams_are_sockets_without_a_terminal(version: Version, tmp_path: Path) -> None:
    """All three streams are sockets, in a session and process group of its own, with no terminal to open."""
    command = (
        "for n in 0 1 2; do readlink /proc/self/fd/$n; done; ulimit -n; "
        "(echo x >/dev/tty) 2>/dev/null || echo no-tty; set -- $(cat /proc/$$/stat); echo $1 $5 $6"
    )
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("there is no /proc")
    run = run_command(command, {}, BASE, str(tmp_path), version=version)
    *links, files, tty, ids = run.stdout.decode().splitlines()
    assert len(links) == 3
    assert all(re.fullmatch(r"socket:\[\d+\]", link) for link in links)
    assert int(files) == 20000 or int(files) < 20000
    assert tty == "no-tty"
    assert len(set(ids.split())) == 1


@BOTH
def test_payload_is_one_line_and_then_the_end(version: Version, tmp_path: Path) -> None:
    """Standard input is one object without blanks, one line end, and nothing more."""
    run = run_command("cat", {"a": "é", "b": [1]}, BASE, str(tmp_path), version=version)
    assert run.stdout == '{"a":"é","b":[1]}\n'.encode()
    assert run_command("cat", b'{"a": 1}', BASE, str(tmp_path), version=version).stdout == b'{"a": 1}\n'


def test_environment_has_the_recorded_names(tmp_path: Path) -> None:
    """The variables are those of the host with the recorded ones added; secrets of the user stay, as they do there."""
    common = {
        "AI_AGENT",
        "CLAUDECODE",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_PID",
        "CLAUDE_PROJECT_DIR",
        "COREPACK_ENABLE_AUTO_PIN",
        "NoDefaultCurrentDirectoryInExePath",
    }
    newer = {"CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_CODE_MESSAGING_TOKEN", "CLAUDE_CODE_SESSION_ATTENDED"}
    main = {"CLAUDE_EFFORT", "COLUMNS", "LINES"}
    otel = {"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"}

    def added(version: Version, subagent: bool) -> set[str]:
        base = {**BASE, "COLUMNS": "9", "CLAUDE_EFFORT": "max"}
        found = environment(base, "/p", 120, 40, version=version, effort="high", subagent=subagent)
        assert found["ANTHROPIC_API_KEY"] == BASE["ANTHROPIC_API_KEY"]
        return set(found) - set(BASE)

    assert added(OLD, False) == common | main
    assert added(NEW, False) == common | main | newer
    assert added(OLD, True) == common | otel
    assert added(NEW, True) == common | newer
    run = run_command('echo "$COLUMNS $LINES $CLAUDE_EFFORT"', {"effort": {"level": "low"}}, BASE, "/", 99, 7)
    assert run.stdout == b"99 7 low\n"


def test_scrubbed_environment() -> None:
    """Log-ins of the session never reach the command; keys of providers only where nobody asked to scrub them."""
    base = {**BASE, "CLAUDE_CODE_OAUTH_TOKEN": "x", "AWS_SECRET_ACCESS_KEY": "y"}
    assert "CLAUDE_CODE_OAUTH_TOKEN" not in environment(base, "/p", 80, 24)
    assert "AWS_SECRET_ACCESS_KEY" in environment(base, "/p", 80, 24)
    scrubbed = environment({**base, "CLAUDE_CODE_SUBPROCESS_ENV_SCRUB": "1"}, "/p", 80, 24)
    assert not {"AWS_SECRET_ACCESS_KEY", "ANTHROPIC_API_KEY"} & set(scrubbed)


def test_shell(tmp_path: Path) -> None:
    """`/bin/sh -c`; on Windows the bash of Git, else PowerShell."""
    bash = tmp_path / "Git" / "bin" / "bash.exe"
    assert shell_words("x y") == ["/bin/sh", "-c", "x y"]
    assert shell_words("x", "win32", {"PATH": str(tmp_path)})[1:] == ["-NoProfile", "-NonInteractive", "-Command", "x"]
    bash.parent.mkdir(parents=True)
    bash.touch()
    assert shell_words("x", "win32", {"ProgramFiles": str(tmp_path), "PATH": ""}) == [str(bash), "-c", "x"]
    assert shell_words("x", "win32", {"CLAUDE_CODE_GIT_BASH_PATH": "B", "PATH": ""}) == ["B", "-c", "x"]


def test_directory(tmp_path: Path) -> None:
    """The session's directory while it exists, then the one that it was started in."""
    gone = str(tmp_path / "gone")
    assert safe_directory(gone, str(tmp_path)) == str(tmp_path)
    assert run_command("pwd", {}, BASE, gone, project_dir=str(tmp_path)).stdout.strip() == str(tmp_path).encode()
    run = run_command('pwd; echo "$CLAUDE_PROJECT_DIR"', {}, BASE, str(tmp_path), project_dir="/elsewhere")
    assert run.stdout.split() == [str(tmp_path).encode(), b"/elsewhere"]


# How a run ends


@BOTH
@pytest.mark.parametrize(
    ("command", "code", "stdout"),
    [
        ("echo out; echo err >&2", 0, b"out\n"),
        ("echo out; exit 3", 3, b"out\n"),
        ("kill -9 $$", -9, b""),
        ("exec /nonexistent/command", 127, b""),
        ("exec 0<&-; echo closed", 0, b"closed\n"),
        ("exec >&- 2>&-", 0, b""),
    ],
)
def test_endings(command: str, code: int, stdout: bytes, version: Version, tmp_path: Path) -> None:
    """Exit status, signal, and a command that closes its streams."""
    run = run_command(command, {"x": "y" * 100_000}, BASE, str(tmp_path), version=version, limit_s=5)
    assert (run.code, run.stdout, run.killed, run.timed_out, run.error) == (code, stdout, False, False, None)


def test_who_holds_the_output(tmp_path: Path) -> None:
    """The older host waits for every holder of the output, the newer one for the shell alone."""
    command = "sleep 1 & echo shown"
    old, new = (run_command(command, {}, BASE, str(tmp_path), version=version) for version in (OLD, NEW))
    assert old.stdout == new.stdout == b"shown\n"
    assert new.took_s < 0.9 <= old.took_s


@BOTH
def test_limit_ends_the_whole_group(version: Version, tmp_path: Path) -> None:
    """A run that takes too long is ended with all that it started, even what does not heed SIGTERM."""
    started = time.monotonic()
    command = "trap '' TERM; echo $$; (sleep 30; echo late) & sleep 30"
    run = run_command(command, {}, BASE, str(tmp_path), version=version, limit_s=0.2)
    assert (run.code, run.timed_out) == (None, True)
    assert time.monotonic() - started < 10
    with pytest.raises(ProcessLookupError):
        for _ in range(200):
            os.killpg(int(run.stdout), 0)
            if _only_dead(int(run.stdout)):
                raise ProcessLookupError
            time.sleep(0.01)


def _only_dead(group: int) -> bool:
    """Whether what is left of a process group has ended and was not waited for (no init process in a container)."""
    states = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[2] == str(group):
            states.append(fields[0])
    return all(state in "ZX" for state in states)


def test_what_cannot_be_started(tmp_path: Path) -> None:
    """A command that the system refuses is told as such, not raised."""
    run = run_command("echo \0", {}, BASE, str(tmp_path))
    assert run.error
    assert run.code is None
    assert failure(run).startswith("the command cannot be started")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("exit 3", "exit status 3"),
        ("kill $$", "ended by signal 15"),
        ("true", "no output"),
        ("echo ' '", "only blanks in the output"),
        ("head -c 1000001 /dev/zero | tr '\\0' M", "more than 1,000,000 characters of output"),
        ("echo x", ""),
    ],
)
def test_failure_in_words(command: str, said: str, tmp_path: Path) -> None:
    """Why there is no line is said in words."""
    assert failure(run_command(command, {}, BASE, str(tmp_path))) == said


# When the command runs


@BOTH
def test_mount_and_one_change(version: Version, tmp_path: Path) -> None:
    """The first run is immediate, the next one 300 ms after a change."""
    player = play(tmp_path, {"command": "echo x", "events": [{"do": "reply", "at": 2}, "end"]}, version)
    assert starts(player) == [0.0]
    player = play(tmp_path, {"command": "echo x", "events": [{"do": "reply", "at": 2}]}, version)
    assert starts(player) == [0.0, 2.3]


@BOTH
def test_debounce(version: Version, tmp_path: Path) -> None:
    """Six changes in half a second are one run, 300 ms after the last."""
    events = [{"do": "mode", "at": 2, "every": 0.1, "repeat": 6}]
    assert starts(play(tmp_path, {"command": "echo x", "events": events}, version)) == [0.0, 2.8]


@BOTH
def test_tool_loop(version: Version, tmp_path: Path) -> None:
    """Replies every 250 ms give no run until the loop ends; as slow as 310 ms they give one each."""
    for every, runs in ((0.25, 1), (0.31, 9)):
        events = [{"do": "reply", "at": 2, "every": every, "repeat": 9}]
        player = play(tmp_path, {"command": "echo x", "events": events}, version)
        assert len(starts(player)) == 1 + runs


# The recorded conversation: replies as the transcript dates them [s after the first run], and other changes.
REPLIES = {
    "2.1.215": (
        *(2.117, 4.322, 4.375, 6.229, 6.623, 6.851, 7.113, 7.457, 7.460, 7.880, 8.131, 8.471),
        *(10.325, 10.373, 18.685, 20.659, 20.683, 20.925, 30.625, 33.687, 41.865, 43.748),
    ),
    "2.1.332": (
        *(2.220, 4.432, 4.451, 6.370, 6.665, 6.900, 7.178, 7.490, 7.731, 7.750, 8.009, 8.031, 8.287, 8.579),
        *(10.483, 10.851, 16.082, 16.137, 16.406, 18.831, 26.209, 29.101, 37.326, 39.205),
    ),
}
OTHERS = {
    "2.1.215": (("rename", 39.827), ("mode", 45.038)),
    "2.1.332": (("rename", 35.268), ("mode", 40.555)),
}
# Runs of the emulator that the real host did not make, by when they begin, and why it did not.
EXTRA = {
    "2.1.215": {},
    "2.1.332": {
        7.478: "two replies of the tool loop are 312 ms apart; something between them was probably a change too",
        10.783: "between two replies, 368 ms apart, an agent was started, which probably is a change here",
    },
}
RUNS = {"2.1.215": 16, "2.1.332": 13}


@BOTH
def test_recorded_conversation(version: Version, tmp_path: Path) -> None:
    """The scripted conversation gives as many runs as in the real host, but for the ones listed."""
    events = [{"do": "reply", "at": at} for at in REPLIES[version.name]]
    events += [{"do": kind, "at": at} for kind, at in OTHERS[version.name]]
    found = starts(play(tmp_path, {"command": "echo x", "events": events}, version))
    extra = EXTRA[version.name]
    assert set(extra) <= set(found)
    assert len(found) - len(extra) == RUNS[version.name]


@BOTH
def test_slow_command_with_a_short_interval(version: Version, tmp_path: Path) -> None:
    """A command of 2 s refreshed every second is never seen: 9 of 9 runs were killed."""
    data = {"command": TWO_SECONDS, "refresh_interval": 1, "events": [{"do": "end", "at": 9.2}]}
    player = play(tmp_path, data, version, speed=SPEED)
    assert [record.killed for record in player.line.records] == [True] * 9
    assert screens(player) == [[], []]


@BOTH
def test_slow_command(version: Version, tmp_path: Path) -> None:
    """While a run goes on the old text stays; a change kills the run and starts the next one at once."""
    events: list[dict[str, Any]] = [
        {"do": "wait", "at": 4.0},
        {"do": "command", "at": 4.5, "command": "sleep 0.25; echo NEW"},
        {"do": "mode", "at": 5.5},
        {"do": "wait", "at": 6.0},
        {"do": "wait", "at": 10.0},
    ]
    player = play(tmp_path, {"command": TWO_SECONDS, "events": events}, version, speed=SPEED)
    assert screens(player) == [["  SLOW"], ["  SLOW"], ["  SLOW"], ["  SLOW"], ["  NEW"], ["  NEW"]]
    assert [record.killed for record in player.line.records] == [False, True, False]
    assert starts(player) == [0.0, 4.5, 5.8]


def test_killed_runs_are_gone(tmp_path: Path) -> None:
    """The older run is ended by SIGTERM to its group, and nothing of it is left when the session is over."""
    (tmp_path / "runs").mkdir()
    command = "trap 'echo term >>ended; exit 1' TERM; touch runs/$$; while :; do sleep 0.01; done"
    play(tmp_path, {"command": command, "events": [{"do": "mode", "at": 1}, {"do": "end", "at": 2.5}]}, speed=2)
    groups = [int(path.name) for path in (tmp_path / "runs").iterdir()]
    assert len(groups) == 2
    assert (tmp_path / "ended").read_text() == "term\n" * 2
    assert all(_only_dead(group) for group in groups)


@pytest.mark.parametrize(("interval", "runs"), [(0.2, 4), (1, 4), (2, 2), ("x", 1), (True, 1)])
def test_refresh_interval(interval: Any, runs: int, tmp_path: Path) -> None:
    """The interval is at least a second, and its runs come through the debounce."""
    line = {"type": "command", "command": "echo x", "refreshInterval": interval}
    player = play(tmp_path, {"settings": {"statusLine": line}, "events": [{"do": "end", "at": 3.6}]})
    assert len(starts(player)) == runs


@BOTH
def test_failure_takes_the_line_away(version: Version, tmp_path: Path) -> None:
    """A run that fails or says nothing clears the line; standard error is not looked at."""
    commands = ["echo x; exit 1", "echo ok", "true", "echo ok", "echo no >&2; kill $$", "echo e >&2; echo ok"]
    events = [{"do": "command", "command": command, "after": 1} for command in commands]
    player = play(tmp_path, {"command": "echo first", "events": events}, version)
    assert [bool(rows) for rows in screens(player)] == [True, False, True, False, True, False, True]


@BOTH
def test_rename_and_resize(version: Version, tmp_path: Path) -> None:
    """A rename and a new size are changes for the newer version only; what is shown is drawn anew in both."""
    events = [{"do": "rename", "at": 1}, {"do": "resize", "at": 2, "columns": 24}]
    player = play(tmp_path, {"command": "echo $COLUMNS 0123456789012345678901234567890", "events": events}, version)
    assert len(starts(player)) == (3 if version.rename_and_resize else 1)
    assert screens(player)[-1] == ["  %d 0123456789012345…" % (24 if version.rename_and_resize else 80)]


@BOTH
def test_cd(version: Version, tmp_path: Path) -> None:
    """A new directory is seen by the next run, which starts in it; the project's directory stays."""
    (tmp_path / "sub").mkdir()
    command = 'basename "$PWD"; test "$CLAUDE_PROJECT_DIR" = "%s" && echo same' % tmp_path
    events = [{"do": "cd", "at": 1, "path": "sub"}, {"do": "reply", "at": 2}]
    player = play(tmp_path, {"command": command, "events": events}, version)
    assert starts(player) == [0.0, 2.3]
    assert screens(player)[-1] == ["  sub", "  same"]


def test_trust(tmp_path: Path) -> None:
    """Nothing runs before the directory is trusted; then the first run is immediate."""
    data = {"command": "echo x", "trusted": False, "events": [{"do": "reply", "at": 1}, {"do": "trust", "at": 3}]}
    player = play(tmp_path, data)
    assert starts(player) == [3.0]
    assert screens(player) == [[], [], ["  x"]]


def test_hidden_while_something_else_is_there(tmp_path: Path) -> None:
    """What takes the line's place ends its run; when it is back it runs at once."""
    events = [{"do": "hide", "at": 1}, {"do": "reply", "at": 2}, {"do": "show", "at": 3}]
    player = play(tmp_path, {"command": "echo x", "events": events})
    assert starts(player) == [0.0, 3.0]
    assert screens(player) == [["  x"], [], [], ["  x"]]


@BOTH
def test_low_full_screen(version: Version, tmp_path: Path) -> None:
    """The older version does not even run the command on a full screen of fewer than 15 rows."""
    data = {"command": "seq 9", "fullscreen": True, "lines": 14, "events": [{"do": "resize", "at": 1, "lines": 16}]}
    shown = [len(rows) for rows in screens(play(tmp_path, data, version))]
    assert shown == ([0, 4] if version is OLD else [3, 4])


def test_wakes_when_something_is_over(tmp_path: Path) -> None:
    """The newer version runs a second after a usage window resets or the cache expires, and drops the window."""
    payload = {
        "rate_limits": {"five_hour": {"used_percentage": 5, "resets_at": 1010}, "seven_day": {"resets_at": 9999}},
        "prompt_cache": {"warm": True, "expires_at": 1020},
    }
    data = {"command": "cat", "epoch": 1000, "columns": 500, "events": [{"do": "end", "at": 30}]}
    player = play(tmp_path, data, payload=payload)
    assert starts(player) == [0.0, 11.0, 21.0]
    last = json.loads(player.line.rows[0])
    assert set(last["rate_limits"]) == {"seven_day"}
    assert last["prompt_cache"]["warm"] is False
    assert starts(play(tmp_path, data, OLD, payload=payload)) == [0.0]


LINE = {"statusLine": {"type": "command", "command": "echo"}}


def lines(**places: str) -> dict[str, dict[str, Any]]:
    """Settings in which each place names itself."""
    return {kind: {"statusLine": {"type": "command", "command": f"echo {kind}"}} for kind in places}


@pytest.mark.parametrize(
    ("settings", "safe_mode", "shown"),
    [
        ({"user": "a", "project": "b", "local": "c", "managed": "d"}, False, "managed"),
        ({"user": "a", "project": "b", "local": "c"}, False, "local"),
        ({"user": "a", "project": "b"}, False, "project"),
        ({"user": "a"}, False, "user"),
        ({"user": "a"}, True, None),
        ({"user": "a", "managed": "b"}, True, "managed"),
    ],
)
def test_settings_that_win(settings: dict[str, str], safe_mode: bool, shown: str | None, tmp_path: Path) -> None:
    """Of all places the nearest wins; in safe mode the administrator's alone."""
    data = {"settings": lines(**settings), "safe_mode": safe_mode}
    assert screens(play(tmp_path, data))[-1] == ([f"  {shown}"] if shown else [])


@pytest.mark.parametrize(
    ("more", "shown"),
    [
        ({"user": {"disableAllHooks": True}}, "managed"),
        ({"managed": {"disableAllHooks": True}}, None),
        ({"managed": {"allowManagedHooksOnly": True}}, "managed"),
        ({"managed": {"disableAllHooks": False}, "user": {"disableAllHooks": True}}, "managed"),
    ],
)
def test_switches(more: dict[str, Any], shown: str | None, tmp_path: Path) -> None:
    """The policy table: what an administrator and a user can switch off."""
    settings = {
        kind: {**lines(managed="a", user="b").get(kind, {}), **more.get(kind, {})} for kind in ("managed", "user")
    }
    assert screens(play(tmp_path, {"settings": settings}))[-1] == ([f"  {shown}"] if shown else [])
    del settings["managed"]
    left = "user" if not more.get("user") else None
    assert screens(play(tmp_path, {"settings": settings}))[-1] == ([f"  {left}"] if left else [])


def test_another_command_runs_at_once(tmp_path: Path) -> None:
    """A changed command runs without the debounce, the same one not at all; the line goes with its setting."""
    events = [
        {"do": "settings", "at": 1, "settings": {"user": {"statusLine": {"type": "command", "command": "echo b"}}}},
        {"do": "settings", "at": 2, "settings": {"user": {"statusLine": {"type": "command", "command": "echo b"}}}},
        {"do": "settings", "at": 3, "settings": {"user": {}}},
    ]
    player = play(tmp_path, {"command": "echo a", "events": events})
    assert starts(player) == [0.0, 1.0]
    assert screens(player) == [["  a"], ["  b"], ["  b"], []]


# Subagents

TASKS = [
    {
        "id": "a1",
        "type": "local_agent",
        "agentType": "general-purpose",
        "description": "Find call sites",
        "tokenCount": 9409,
    },
    {
        "id": "b2",
        "type": "local_agent",
        "agentType": "Explore",
        "description": "Review the 日本語 docs",
        "tokenCount": 9409,
    },
]
ROWS = """
import json, sys
mode = sys.argv[1]
print("not json at all")
print(json.dumps({"id": "unknown", "content": "nobody"}))
for number, task in enumerate(json.load(sys.stdin)["tasks"]):
    text = "SUB-%d %s" % (number, task["description"])
    if mode == "ansi":
        text = "\\033[31m" + text + "\\033[0m " + "W" * 200
    elif mode == "lead":
        text = "   lead " + text + "\\nsecond line"
    elif mode == "empty" and number == 0:
        text = ""
    elif mode == "cjk":
        text = "日本語🚀" * 40
    print(json.dumps({"id": task["id"], "content": "the first"}))
    print(json.dumps({"id": task["id"], "content": text, "extra": 1}))
if mode == "fail":
    sys.exit(1)
"""
OWN = {
    "2.1.215": [
        "  ◯ general-purpose  Find call sites" + " " * 66 + "4s · ↓ 9.4k tokens",
        "  ◯ Explore          Review the 日本語 docs" + " " * 59 + "4s · ↓ 9.4k tokens",
    ],
    "2.1.332": [
        "  ◯ general-purpose  Find call sites" + " " * 64 + "4s · ↓ 9.4k tokens",
        "  ◯ Explore          Review the 日本語 docs" + " " * 57 + "4s · ↓ 9.4k tokens",
    ],
}
DRAWN = {
    "plain": ["  ◯ SUB-0 Find call sites", "  ◯ SUB-1 Review the 日本語 docs"],
    "lead": [
        "  ◯    lead SUB-0 Find call sites",
        "    second line",
        "  ◯    lead SUB-1 Review the 日本語 docs",
        "    second line",
    ],
    "empty": ["  ◯ SUB-1 Review the 日本語 docs"],
}


@pytest.mark.parametrize("mode", ["plain", "lead", "empty", "cjk", "ansi", "fail", "slow"])
@BOTH
def test_subagent_rows(version: Version, mode: str, tmp_path: Path) -> None:
    """Each kind of answer gives the rows that were recorded, at 120 columns, 4 s after the tasks began."""
    (tmp_path / "rows.py").write_text(ROWS)
    command = f"{sys.executable} -I -S rows.py {mode}"
    if mode == "slow":
        command = "sleep 7"
    tasks = [{**task, "startTime": 1_000_000} for task in TASKS]
    data = {
        "subagent_command": command,
        "columns": 120,
        "epoch": 1000,
        "events": [{"do": "tasks", "at": 0, "tasks": tasks}, {"do": "end", "at": 4}],
    }
    player = play(tmp_path, data, version, speed=40.0 if mode == "slow" else 1.0)
    rows = [row.line for row in player.done[1].tasks]  # type: ignore[attr-defined]
    width = 116 if version is OLD else 114
    if mode in DRAWN:
        assert rows == DRAWN[mode]
    elif mode in ("fail", "slow"):
        assert rows == OWN[version.name]
    elif mode == "cjk":
        text = ("日本語🚀" * 40)[: (width - 1) // 2]
        assert rows == [f"  ◯ {text}…"] * 2
    else:
        assert [len(row) for row in rows] == [width + 4, width + 1]
        assert all(row.endswith("W…") for row in rows)
        assert "\x1b[31mSUB-0 Find call sites\x1b[0m" in player.done[1].tasks[0].ansi()  # type: ignore[attr-defined]


def test_subagent_rhythm(tmp_path: Path) -> None:
    """The first run comes 300 ms after a task appears, then one every 5 s, without columns in the environment."""
    command = 'cat >> seen; test -z "$COLUMNS$LINES$CLAUDE_EFFORT" && echo none >> seen'
    events = [
        {"do": "tasks", "at": 1, "tasks": TASKS[:1]},
        {"do": "tasks", "at": 3, "tasks": TASKS},
        {"do": "end", "at": 12},
    ]
    player = play(tmp_path, {"subagent_command": command, "columns": 120, "events": events})
    assert [one["began"] for one in log(player.subagents.records)] == [1.3, 6.3, 11.3]
    seen = (tmp_path / "seen").read_text().splitlines()
    assert seen[1::2] == ["none"] * 3
    first, second, third = (json.loads(line) for line in seen[::2])
    assert first["columns"] == 114
    assert [len(one["tasks"]) for one in (first, second, third)] == [1, 2, 2]
    assert third["tasks"][0]["tokenSamples"] == [9409] * 3
    assert third["tasks"][1]["tokenSamples"] == [9409] * 2
    assert first["tasks"][0]["cwd"] == str(tmp_path)


def test_subagent_runs_do_not_overlap(tmp_path: Path) -> None:
    """A run is ended after 5 s, and the next one comes with the next turn."""
    events = [{"do": "tasks", "at": 0, "tasks": TASKS}, {"do": "end", "at": 14}]
    player = play(tmp_path, {"subagent_command": "exec sleep 9", "events": events}, speed=40.0)
    runs = log(player.subagents.records)
    assert all(one["timed_out"] or one["killed"] for one in runs)
    for one, following in pairwise(runs):
        assert one["ended"] <= following["began"] + 1e-9


def test_decorations() -> None:
    """Lines that are no such object are passed over; an empty text counts."""
    good = b'{"id":"a","content":"1"}\n\n  {"id":"b","content":""}\r\n{"id":"a","content":"2"}'
    assert decorations(good) == {"a": "2", "b": ""}
    bad = (
        b'x\n[]\n{"id":1,"content":"x"}\n{"id":"a"}\n{"id":"a","content":null}\n{"id":"c","content":"\xff"}\n'
        + b"[" * 9999
    )
    assert decorations(bad) == {"c": "\ufffd"}


def test_settings_by_kind() -> None:
    """Settings given in a script stand in the order in which the host asks its places."""
    sources = settings_of(user={}, managed={}, local={})
    assert [one.kind for one in sources.files] == ["managed", "local", "user"]


def test_signals_reach_the_command_as_ever(tmp_path: Path) -> None:
    """A command starts without ignored signals: a closed pipe ends it quietly."""
    assert signal.getsignal(signal.SIGPIPE) is signal.SIG_IGN
    run = run_command("yes | head -1", {}, BASE, str(tmp_path))
    assert (run.stdout, run.stderr, run.code) == (b"y\n", b"", 0)


def test_versions_differ_where_it_is_said() -> None:
    """Both measured versions are there."""
    assert set(VERSIONS) == {"2.1.215", "2.1.332"}
