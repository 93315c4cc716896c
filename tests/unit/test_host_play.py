"""Scripted sessions with real processes: the recorded probes one after the other, and the script's own language."""

import json
import os
import re
import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import probes
import pytest

from ohud.host.play import Player, Unplayable, read, script, session_here
from ohud.host.runtime import Session
from ohud.host.version import VERSIONS

DASH = os.path.realpath("/bin/sh").endswith("dash")
# As the recorder ran it; the stand-in for `sh` below finds the probe itself.
# The recording's path was shortened by three characters after the rows had been cut.
COMMAND = "sh /home/user/host---/runs/{}-files/current.sh"
RUNS = {"2.1.215": "probe215", "2.1.332": "probenew"}
EFFORT = {"2.1.215": "high", "2.1.332": "medium"}
# `od` shows 16 bytes a row: the last rows are the recorded ones when the payload is as long, but for whole rows.
REST = {"2.1.215": 3, "2.1.332": 0}
STAND_IN = '#!/bin/sh\nexec /bin/sh -c "$(/bin/cat "$PROBE")" "$1"\n'
NUMBER = re.compile(r"\[\d+\]")  # sockets and pipes have other numbers each time
# Rows on which emulator and recording differ, and why; what the emulator draws is in test_host_screen.
DIFFERENT = {
    ("2.1.215", "emoji-zwj-edge"): "tmux holds at most 21 bytes in a cell",
    ("2.1.332", "emoji-zwj-edge"): "as above",
    ("2.1.215", "emoji-zwj"): "tmux's cells, and where it and the host count them differently",
    ("2.1.332", "emoji-zwj"): "as above",
    (
        "2.1.215",
        "base6",
    ): "the host had just drawn the 10 MB before it, and the next run was not there yet when the recorder looked",
}
NEEDS_DASH = {"dev-tty", "shell"}


def payload(version: str) -> dict[str, Any]:
    """A payload that ends as the recorded one, at the same place of a row."""
    made: dict[str, Any] = {
        "session_id": "5f0c9a1e-0000-4000-8000-000000000000",
        "session_name": "",
        "cwd": "/home/user/project",
        "workspace": {"current_dir": "/home/user/project", "project_dir": "/home/user/project"},
        "version": version,
        "effort": {"level": EFFORT[version]},
        "fast_mode": False,
        "thinking": {"enabled": True},
    }
    return made


def filled(made: dict[str, Any], directory: str, rest: int) -> dict[str, Any]:
    """The payload, long enough that its last row of 16 bytes has so many."""
    made["cwd"] = made["workspace"]["current_dir"] = directory
    length = len(json.dumps(made, separators=(",", ":")))
    made["session_name"] = "x" * ((rest - length) % 16)
    return made


def played(version: str, root: Path) -> dict[str, list[str]]:
    """The rows on the screen at the end of each probe of a session, as the recorder played it."""
    folder, current = root / "bin", root / "current"
    folder.mkdir()
    (folder / "sh").write_text(STAND_IN)
    (folder / "sh").chmod(0o755)
    current.write_text("echo STARTING")
    every = probes.probes()
    waits = [2.4, *(probe.wait for probe in every)]
    events = [*({"do": "wait", "after": wait} for wait in waits), {"do": "end"}]
    env = {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "TERM": "tmux-256color",
        "PROBE": str(current),
        "LC_ALL": "C.UTF-8",
    }
    session = Session(env, "/home/user/project", str(root), filled(payload(version), str(root), REST[version]))
    session.columns, session.lines, session.version = probes.COLUMNS, probes.LINES, VERSIONS[version]
    player = Player(
        script({"command": COMMAND.format(RUNS[version]), "refresh_interval": 1, "events": events}), session
    )
    frames = player.frames()
    next(frames)
    found = {}
    for probe in every:
        if probe.output is not None:
            (root / "output").write_bytes(probe.output)
        current.write_text(probe.shell or f"cat {shlex.quote(str(root / 'output'))}")
        # What holds the output for 6 s need not be waited for, and a run of 0.6 s must end before the next one.
        player.loop.speed = {"bg-holds-stdout": 8.0, "slow-0.6s": 0.5}.get(probe.name, 1.0)
        found[probe.name] = [row.line for row in next(frames).rows]
    list(frames)
    return found


@pytest.fixture(scope="module")
def screens(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, list[str]]]:
    """The probes as both versions would show them, played once."""
    done: dict[str, dict[str, list[str]]] = {}

    def of(version: str) -> dict[str, list[str]]:
        if version not in done:
            done[version] = played(version, tmp_path_factory.mktemp("probes"))
        return done[version]

    return of


@pytest.mark.parametrize("name", [probe.name for probe in probes.probes()])
@pytest.mark.parametrize("version", VERSIONS)
def test_session_shows_what_the_real_host_showed(
    version: str, name: str, screens: Callable[[str], dict[str, list[str]]]
) -> None:
    """All probes in one session with a refresh a second: the text of every row is the recorded one."""
    if name in NEEDS_DASH and not DASH:
        pytest.skip("the recorded shell was dash")
    rows, expected = screens(version)[name], probes.recorded(version)[name]
    if expected.end_only:
        rows = rows[-len(expected.rows) :]
    if (version, name) in DIFFERENT:
        assert rows != expected.rows
        return
    rows = [row.replace("host---/", "host/") for row in rows]
    assert [NUMBER.sub("[]", row) for row in rows] == [NUMBER.sub("[]", row) for row in expected.rows]


# The language of scripts

SCRIPT = """
command = "echo $COLUMNS $LINES; cat"
padding = 1
refresh_interval = 5
version = "2.1.215"
columns = 60
lines = 20
payload = { model = { id = "a" } }
env = { NAME = "value", NUMBER = 7 }

[[events]]
do = "reply"
after = 1
every = 0.5
repeat = 3
payload = { model = { display_name = "A" }, cost = { total_cost_usd = 1 } }

[[events]]
do = "end"
after = 2
note = "whatever one likes"
"""


def test_script_in_toml() -> None:
    """Short keys are the user's settings, times are counted on from the event before, a mount is put first."""
    made = read(SCRIPT)
    line = {"type": "command", "command": "echo $COLUMNS $LINES; cat", "padding": 1, "refreshInterval": 5}
    assert made.settings == {"user": {"statusLine": line}}
    assert [(event.kind, event.at) for event in made.events] == [
        ("mount", 0.0),
        ("reply", 1.0),
        ("reply", 1.5),
        ("reply", 2.0),
        ("end", 4.0),
    ]
    session = session_here({}, "/")
    Player(made, session).loop.close()
    assert (session.columns, session.lines, session.version.name) == (60, 20, "2.1.215")
    assert session.env == {"NAME": "value", "NUMBER": "7"}
    assert session.document()["model"] == {"id": "a"}


def test_script_in_json() -> None:
    """JSON may hold the whole script or just its events, an event just its name."""
    assert [event.kind for event in read('["reply", {"do": "mount", "at": 0}]').events] == ["reply", "mount"]
    whole = read('\n{"command": "x", "settings": {"project": {"a": 1}}, "events": []}')
    assert whole.settings == {"project": {"a": 1}, "user": {"statusLine": {"type": "command", "command": "x"}}}
    assert read('{"settings": {"statusLine": {}}}').settings == {"user": {"statusLine": {}}}
    assert [event.kind for event in read('[[events]]\ndo = "mount"').events] == ["mount"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "script is neither TOML nor JSON"),
        ("a = ", "script is neither TOML nor JSON"),
        ("7 = 7", "there is no key `7`"),
        ('"x"', "script is neither TOML nor JSON"),
        ("colums = 80", "there is no key `colums`, did you mean `columns`?"),
        ("columns = true", "columns is not a whole number"),
        ('columns = "80"', "columns is not a whole number"),
        ('version = "1.0"', "`version` is `2.1.215` or `2.1.332`, not `1.0`"),
        ('["replay"]', "event 1: there is no event `replay`, did you mean `reply`?"),
        ('[{"at": 1}]', "event 1: it has no `do`, which says what happens"),
        ('[{"do": 5}]', "event 1: `do` is not a text"),
        (
            '["reply", {"do": "tasks", "tasks": [null]}]',
            "event 2: `tasks`: task 1 is not an object with a text for `id`",
        ),
        ('tasks = [{ id = "a" }, { id = 5 }]', "tasks: task 2 is not an object with a text for `id`"),
        ("env = { A = [] }", "env: `A` is no variable with a text or a number"),
        ('env = { "A=B" = "x" }', "env: `A=B` is no variable with a text or a number"),
        ("columns = 0", "columns is not a number from 1 to 1000"),
        ('[{"do": "resize", "lines": -1}]', "event 1: `lines` is not a number from 1 to 1000"),
        ('["reply", {"do": "cd"}]', "event 2: `cd` needs `path`"),
        ('[{"do": "reply", "att": 1}]', "event 1: there is no key `att`, did you mean `at`?"),
        ('[{"do": "reply", "at": -1}]', "event 1: `at` is not a time"),
        ('[{"do": "reply", "at": "1"}]', "event 1: `at` is not a number"),
        ('[{"do": "reply", "repeat": 100000}]', "more than 10000 events"),
        ('{"settings": {"user": {}, "home": {}}}', "there is no place of settings `home`"),
        ('{"settings": {"user": 1}}', "settings.user is not an object"),
        ('[{"do": "settings", "settings": {"user": 1}}]', "event 1: `settings`.user is not an object"),
        ('{"events": {}}', "events is not a list"),
        ('["reply", 1]', "event 2 is not an object"),
        ('[{"do": "reply", "at": 1e999}]', "event 1: `at` is not a time"),
        ("[" * 100000, "script is neither TOML nor JSON"),
    ],
)
def test_script_with_a_fault(text: str, said: str) -> None:
    """What is wrong is said with its place, and the nearest word where there is one."""
    with pytest.raises(Unplayable) as fault:
        read(text)
    assert str(fault.value).startswith(said)


def test_a_mark_before_a_script_does_not_count() -> None:
    """A byte order mark is no part of a script, in either form."""
    assert [read("\ufeff" + text).events[-1].kind for text in ('["reply"]', 'events = ["reply"]')] == ["reply"] * 2


@pytest.mark.parametrize("start", ["NaN", "Infinity", "-1e300", "null", '"x"', "1796037535000"])
def test_odd_tasks_have_rows(start: str, tmp_path: Path) -> None:
    """The host's own row of a task is drawn, whatever its start may be."""
    text = '{"epoch": 1796037600, "columns": 60, "tasks": [{"id": "a", "label": "look", "startTime": %s}]}' % start
    [frame] = Player(read(text), session_here({"PATH": os.environ["PATH"]}, str(tmp_path))).frames()
    assert [("look" in row.text, row.text.split()[-1]) for row in frame.tasks] == [
        (True, "5s" if start.endswith("000") else "0s")
    ]


def test_payload_of_a_session(tmp_path: Path) -> None:
    """Each run gets the payload as it is then; values are put in key by key, null included."""
    made = read(
        json.dumps(
            {
                "command": 'cat | tr -d "\\n" > seen; cat seen',
                "columns": 900,
                "payload": {"a": {"b": 1, "c": 2}},
                "events": [
                    {"do": "payload", "at": 1, "payload": {"a": {"b": None}}},
                    {"do": "reply", "at": 2, "payload": {"a": {"d": 3}}},
                ],
            }
        )
    )
    frames = list(Player(made, session_here({"PATH": os.environ["PATH"]}, str(tmp_path))).frames())
    seen = [json.loads(frame.rows[0].text)["a"] for frame in frames]
    assert seen == [{"b": 1, "c": 2}, {"b": 1, "c": 2}, {"b": None, "c": 2, "d": 3}]
    first = json.loads(frames[0].rows[0].text)
    assert first["workspace"] == {"current_dir": str(tmp_path), "project_dir": str(tmp_path)}
    assert first["version"] == "2.1.332"


def test_real_time(tmp_path: Path) -> None:
    """On the real clock a session takes as long as it says."""
    made = script({"command": "echo x", "events": [{"do": "reply", "at": 0.1}, {"do": "end", "at": 1.2}]})
    started = time.monotonic()
    frames = list(Player(made, session_here({"PATH": os.environ["PATH"]}, str(tmp_path)), virtual=False).frames())
    assert 1.2 <= time.monotonic() - started < 6
    assert [frame.runs for frame in frames] == [1, 2, 2]
    assert frames[0].as_json() == {
        "at": 0.0,
        "event": "mount",
        "rows": ["  x"],
        "cut": [],
        "tasks": [],
        "runs": 1,
        "killed": 0,
        "subagent_runs": 0,
    }
