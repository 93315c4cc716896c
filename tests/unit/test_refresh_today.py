"""Today's cost and sessions: what counts, what counts once, and what is read of it all."""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ohud.fields import today as fields
from ohud.refresh import today
from ohud.run.world import World

# 2026-11-30 00:00 in Berlin is 23:00 of the day before in UTC.
BEGIN = 1796079600 - 86400
NOON = BEGIN + 43200
PRICES: dict[str, Any] = {}
# Opus 4.6 at list prices [USD per token].
INPUT, OUTPUT = 5e-6, 25e-6


@pytest.fixture(autouse=True)
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def stamp(at: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.250Z", time.gmtime(at))


def reply(
    ident: str | None,
    at: float = NOON,
    *,
    tokens: tuple[int, int] = (1000, 100),
    model: str = "claude-opus-4-6",
    **more: Any,
) -> dict[str, Any]:
    message: dict[str, Any] = {
        "model": model,
        "role": "assistant",
        "content": [{"type": "text", "text": "x"}],
        "usage": {"input_tokens": tokens[0], "output_tokens": tokens[1]},
    }
    if ident is not None:
        message["id"] = ident
    record = {"type": "assistant", "sessionId": "s1", "timestamp": stamp(at), "uuid": f"u-{ident}", "message": message}
    return record | more


def prompt(at: float = NOON, session: str = "s1") -> dict[str, Any]:
    message = {"role": "user", "content": "do"}
    return {"type": "user", "sessionId": session, "timestamp": stamp(at), "message": message}


class Machine:
    """A host's folder under a home directory, and a clock."""

    def __init__(self, home: Path) -> None:
        self.home = home
        (home / ".cache").mkdir()

    def write(self, path: str, *records: Any, at: float = NOON + 60, end: str = "\n") -> Path:
        """Appends records to a transcript; its time is that of its last one."""
        file = self.home / ".claude" / "projects" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = [one if isinstance(one, str) else json.dumps(one, separators=(",", ":")) for one in records]
        with file.open("a", encoding="utf-8") as out:
            out.write("\n".join(lines) + end)
        os.utime(file, (at, at))
        return file

    def world(self, now: float = NOON, **variables: str) -> World:
        """The world of a refresh at that time."""
        return World({"HOME": str(self.home), **variables}, now=now)

    def look(self, prices: Any = None, world: World | None = None) -> dict[str, Any]:
        """One look of the job."""
        arguments = {"folder": str(self.home / ".claude"), "begin": BEGIN, "end": BEGIN + 86400, "prices": prices or {}}
        return today.work(arguments, world or self.world())


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def usd(inputs: int, outputs: int) -> Any:
    return pytest.approx(inputs * INPUT + outputs * OUTPUT)


def test_day_without_sessions_costs_nothing(machine: Machine) -> None:
    found = machine.look()
    assert (found["cost_usd"], found["at_least_usd"], found["sessions"]) == (0, None, 0)
    machine.write("p/old.jsonl", reply("m1", BEGIN - 9000), at=BEGIN - 9000)
    assert machine.look()["cost_usd"] == 0


def test_replies_of_all_sessions_are_added_up(machine: Machine) -> None:
    machine.write("p/s1.jsonl", prompt(), reply("m1"), reply("m2"))
    machine.write("q/s2.jsonl", prompt(session="s2"), reply("m3", sessionId="s2"))
    found = machine.look()
    assert found == {"cost_usd": usd(3000, 300), "at_least_usd": None, "basis": found["basis"], "sessions": 2}
    assert found["basis"].startswith("genai-prices")


def test_agents_count_and_are_no_sessions(machine: Machine) -> None:
    machine.write("p/s1.jsonl", prompt(), reply("m1"))
    machine.write("p/s1/subagents/agent-1.jsonl", reply("m2", isSidechain=True))
    machine.write("p/s1/subagents/workflows/wf_1/agent-2.jsonl", reply("m3", isSidechain=True))
    machine.write("p/s1/subagents/workflows/wf_1/journal.jsonl", {"type": "step", "user": stamp(NOON)})
    machine.write("p/agent-3.jsonl", reply("m4", isSidechain=True))
    found = machine.look()
    assert (found["cost_usd"], found["sessions"]) == (usd(4000, 400), 1)


def test_message_counts_once_whatever_holds_a_copy(machine: Machine) -> None:
    """A record a block, growing figures, a fork, a side chain that is in both files."""
    machine.write(
        "p/s1.jsonl", reply("m1", tokens=(1000, 9)), reply("m1", tokens=(1000, 9)), reply("m1", tokens=(1000, 159))
    )
    machine.write("p/s2.jsonl", reply("m1", tokens=(1000, 159), sessionId="s2"), reply("m2", sessionId="s2"))
    machine.write("p/s2/subagents/agent-1.jsonl", reply("m2", isSidechain=True))
    found = machine.look()
    assert (found["cost_usd"], found["sessions"]) == (usd(2000, 259), 2)


def test_day_begins_at_local_midnight(machine: Machine) -> None:
    machine.write(
        "p/s1.jsonl",
        reply("m1", BEGIN - 1),
        reply("m2", BEGIN),
        reply("m3", BEGIN + 86399),
        reply("m4", BEGIN + 86400),
        prompt(BEGIN - 5, "yesterday"),
    )
    found = machine.look()
    assert (found["cost_usd"], found["sessions"]) == (usd(2000, 200), 1)


def test_model_without_a_price_makes_the_whole_unknown(machine: Machine) -> None:
    machine.write("p/s1.jsonl", reply("m1"), reply("m2", model="glm-5"))
    found = machine.look()
    assert (found["cost_usd"], found["at_least_usd"], found["sessions"]) == (None, usd(1000, 100), 1)
    found = machine.look({"glm-5": {"input": 1, "output": 2}})
    assert found["cost_usd"] == pytest.approx(1000 * INPUT + 100 * OUTPUT + 0.0012)


def test_what_is_no_reply_is_not_counted(machine: Machine) -> None:
    embedded = {
        "type": "progress",
        "timestamp": stamp(NOON),
        "data": {"type": "agent_progress", "message": reply("m9")},
    }
    machine.write(
        "p/s1.jsonl",
        reply("m1"),
        reply("m2", model="<synthetic>"),
        embedded,
        {"type": "user", "timestamp": stamp(NOON), "toolUseResult": {"usage": {"input_tokens": 10**6}}},
        reply("m3", timestamp=None),
        reply("m4", timestamp="noon"),
        '{"type":"assistant","timestamp":"' + stamp(NOON) + '","message":',
        "[" * 5000 + stamp(NOON) + '"assistant"',
        "\x00" * 50,
        "7",
    )
    found = machine.look()
    assert (found["cost_usd"], found["sessions"]) == (usd(1000, 100), 1)


def test_only_what_was_appended_is_read(machine: Machine) -> None:
    filler = json.dumps({"type": "attachment", "timestamp": stamp(NOON), "x": "y" * 10**6})
    file = machine.write("p/s1.jsonl", filler, filler, reply("m1"))
    machine.write("p/old.jsonl", filler, at=BEGIN - 5)
    world = machine.world()
    assert machine.look(world=world)["cost_usd"] == usd(1000, 100)
    assert world.bytes_read == pytest.approx(file.stat().st_size, abs=10**4)
    machine.write("p/s1.jsonl", reply("m2"))
    world = machine.world()
    assert machine.look(world=world)["cost_usd"] == usd(2000, 200)
    assert world.bytes_read < 5000
    world = machine.world()
    assert machine.look(world=world)["cost_usd"] == usd(2000, 200)
    assert world.bytes_read < 3000


def test_line_that_is_being_written_waits(machine: Machine) -> None:
    whole = json.dumps(reply("m2"))
    machine.write("p/s1.jsonl", reply("m1"), whole[:80], end="")
    assert machine.look()["cost_usd"] == usd(1000, 100)
    machine.write("p/s1.jsonl", whole[80:])
    assert machine.look()["cost_usd"] == usd(2000, 200)


def test_file_that_is_cut_off_or_replaced_is_read_anew_and_counts_once(machine: Machine) -> None:
    """What was spent stays spent."""
    file = machine.write("p/s1.jsonl", reply("m1"), reply("m2"))
    machine.look()
    file.write_text("")
    machine.write("p/s1.jsonl", reply("m1"))
    assert machine.look()["cost_usd"] == usd(2000, 200)
    file.unlink()
    machine.write("p/s1.jsonl", reply("m2"), reply("m3"), reply("m1"), reply("m4"))
    assert machine.look()["cost_usd"] == usd(4000, 400)


def test_long_lines(machine: Machine) -> None:
    long = {"type": "user", "timestamp": stamp(NOON), "sessionId": "s1", "message": {"content": "z" * (9 << 20)}}
    machine.write("p/s1.jsonl", reply("m1"), long, reply("m2"))
    machine.write("p/s2.jsonl", "w" * (33 << 20), reply("m3"))
    assert machine.look()["cost_usd"] == usd(3000, 300)


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"[]", b"null", b"\x00", b"[" * 50000, b'{"format": 1}', b'{"format": 1, "files": {"x": [1]}}'],
)
def test_damaged_state_is_dropped(machine: Machine, damage: bytes) -> None:
    machine.write("p/s1.jsonl", reply("m1"), reply("m2"))
    machine.look()
    (state,) = (machine.home / ".cache" / "ohud").glob("slow-today-*.state.json")
    state.write_bytes(damage)
    assert machine.look()["cost_usd"] == usd(2000, 200)
    kept = json.loads(state.read_bytes())
    for key, entry in (("files", ["x"]), ("replies", [True, 7]), ("replies", []), ("replies", None), ("files", 7)):
        state.write_text(json.dumps({**kept, key: {"x": entry}}))
        assert machine.look()["cost_usd"] == usd(2000, 200)


def test_what_takes_too_long_is_partial(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look goes on where the last one ended."""
    monkeypatch.setattr(today, "_LIMIT_S", 0.0)
    for number in range(3):
        machine.write(f"p/s{number}.jsonl", reply(f"m{number}"))
    for number in range(1, 4):
        found = machine.look()
        assert (found["cost_usd"], found["at_least_usd"]) == (None, usd(1000 * number, 100 * number))
        assert found["sessions"] is None
    found = machine.look()
    assert (found["cost_usd"], found["sessions"]) == (usd(3000, 300), 1)


def test_hostile_folder(machine: Machine) -> None:
    """A pipe, a loop of links, a folder named like a transcript, a file under two names."""
    file = machine.write("p/s1.jsonl", reply("m1"))
    folder = file.parent
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "loop").symlink_to(folder)
    (folder / "again.jsonl").symlink_to(file)
    (folder / "zero.jsonl").symlink_to("/dev/zero")
    (folder / "gone.jsonl").symlink_to(folder / "nothing")
    (folder / "folder.jsonl").mkdir()
    (folder / "tool-results").mkdir()
    found = machine.look()
    assert (found["cost_usd"], found["sessions"]) == (usd(1000, 100), 1)


def test_transcripts_of_other_days_are_not_opened(machine: Machine) -> None:
    folder = machine.write("p/s1.jsonl", reply("m1")).parent
    for number in range(300):
        path = folder / f"{number}.jsonl"
        path.write_text("x" * 50)
        os.utime(path, (BEGIN - 100, BEGIN - 100))
    world = machine.world()
    assert machine.look(world=world)["cost_usd"] == usd(1000, 100)
    assert world.bytes_read < 3000


# The fields


def values(world: World) -> list[Any]:
    return [fields.cost_usd({}, world), fields.at_least_usd({}, world), fields.sessions({}, world)]


def test_fields_ask_once_and_follow_the_day(machine: Machine) -> None:
    machine.write("p/s1.jsonl", reply("m1"))
    world = machine.world()
    world.patience = 5.0
    assert values(world) == [usd(1000, 100), None, 1]
    machine.write("p/s1.jsonl", reply("m2"))
    # Within its age the answer stands; nobody waits.
    assert values(machine.world()) == [usd(1000, 100), None, 1]
    # At midnight yesterday's figures are nobody's.
    tomorrow = machine.world(now=BEGIN + 86400 + 5)
    tomorrow.patience = 5.0
    assert values(tomorrow) == [0, None, 0]


def test_folder_of_the_environment(machine: Machine, tmp_path: Path) -> None:
    machine.write("p/s1.jsonl", reply("m1"))
    world = machine.world(CLAUDE_CONFIG_DIR=str(tmp_path / "other"))
    world.patience = 5.0
    assert values(world) == [0, None, 0]


@pytest.mark.parametrize("answer", [None, [], 7, {}, {"cost_usd": "1", "sessions": -1, "at_least_usd": True}])
def test_answer_of_a_wrong_shape_is_none(machine: Machine, answer: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(World, "slow", lambda *_, **__: {"value": answer})
    assert values(machine.world()) == [None, None, None]


def test_day_of_a_clock_change_has_25_hours(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(World, "slow", lambda self, job, arguments, **_: asked.append(arguments))
    fields.cost_usd({}, machine.world(now=1792900800 + 43200))
    assert asked[0]["end"] - asked[0]["begin"] == 25 * 3600
