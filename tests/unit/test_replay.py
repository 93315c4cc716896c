"""`ohud replay`: a recorded stream or transcript as a live line, in its own time."""

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from launch import COMMAND_LINE, Input, Outcome, launch
from pseudo_terminal import PseudoTerminal
from run_lines import MODEL, RUN, answer, call, init, result, returned
from session import Session

from ohud.stream.recording import EVEN_S, NoRecording, Recording, spread

REPLAY = [*COMMAND_LINE, "replay"]
THEME = (
    'template = "{{ model }} {{ used }} {{ tool }} {{ time }}"\n'
    "[segments]\n"
    'model = "computed.model.name"\n'
    'used = "context_window.used_percentage"\n'
    'tool = "computed.activity.tools.running[0].target"\n'
    'time = { value = "cost.total_duration_ms", format = "{{ (value / 1000) | int }}" }\n'
)


@pytest.fixture
def user(tmp_path: Path) -> Session:
    """A user with a theme that shows what goes on."""
    session = Session(tmp_path)
    session.configure(THEME)
    return session


def record(kind: str, second: float, **fields: Any) -> bytes:
    """A record of a transcript, so many seconds after its beginning."""
    stamp = f"2026-11-30T10:{int(second) // 60:02}:{second % 60:06.3f}Z"
    known = {"sessionId": "s", "cwd": "/srv/widgets", "version": "2.1.215", "uuid": f"u{second}"}
    return json.dumps({"type": kind, "timestamp": stamp, **known, **fields}).encode() + b"\n"


def reply(second: float, tokens: int, *blocks: dict[str, Any]) -> bytes:
    """A record with an answer of the model."""
    message = {"id": f"m{second}", "role": "assistant", "model": MODEL, "content": list(blocks)}
    return record("assistant", second, message={**message, "usage": {"input_tokens": tokens, "output_tokens": 5}})


TRANSCRIPT = (
    b'{"type":"summary","leafUuid":"x","summary":"earlier"}\n'
    + record("user", 0, message={"role": "user", "content": "please test"})
    + reply(2, 20000, {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make test"}})
    + record("user", 8, message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1"}]})
    + reply(3600 - 1, 60000, {"type": "text", "text": "Done."})
)


def replay(user: Session, data: bytes, *options: str) -> Outcome:
    """One run of the command over a file, away from any terminal."""
    file = user.root / "recorded"
    file.write_bytes(data)
    return launch([*REPLAY, str(file), *options], Input(), user.env(), user.home, limit_s=20.0)


def test_stream(user: Session) -> None:
    """A recorded stream ends as it did then."""
    outcome = replay(user, RUN, "--speed", "100")
    assert (outcome.code, outcome.err) == (0, b"")
    assert outcome.text.splitlines()[-1] == "Sonnet 4.6 20  65"


def test_transcript(user: Session) -> None:
    """A transcript ends with its last record, at that time."""
    outcome = replay(user, TRANSCRIPT, "--speed", "1000", "--pause", "0.1")
    assert outcome.code == 0
    assert outcome.text.splitlines()[-1] == "Sonnet 4.6 30  3599"


def test_array(user: Session) -> None:
    """The one-array form is a stream too."""
    data = b"[" + RUN.strip().replace(b"\n", b",") + b"]"
    assert replay(user, data, "--speed", "100").text.splitlines()[-1] == "Sonnet 4.6 20  65"


def test_in_its_time(user: Session) -> None:
    """What ran then runs on the screen for as long, divided by the speed; the session's own clock goes with it."""
    file = user.root / "recorded"
    file.write_bytes(TRANSCRIPT)
    words = [*REPLAY, str(file), "--speed", "4", "--pause", "1.5"]
    with PseudoTerminal(words, user.env(), user.home, 60) as window:
        window.wait(lambda rows: rows[0].startswith("Sonnet 4.6 10 make test"))
        began = time.monotonic()
        shown = {window.look(0.05)[0] for _ in range(15)}
        window.wait(lambda rows: "make test" not in rows[0])
        assert 1.0 < time.monotonic() - began < 2.5
        assert len({row.rpartition(" ")[2] for row in shown if "make test" in row}) >= 2
        assert window.ended() == 0
        assert window.screen.text()[:2] == ["Sonnet 4.6 30  3599", ""] and window.restored()


def test_loop(user: Session) -> None:
    """It begins again until Ctrl-C, which is how it is meant to end."""
    file = user.root / "recorded"
    file.write_bytes(init() + call() + returned() + answer() + result())
    words = [*REPLAY, str(file), "--loop", "--pause", "0.3"]
    with PseudoTerminal(words, user.env(), user.home, 60) as window:
        for _ in range(2):
            window.wait(lambda rows: "make test" in rows[0])
            window.wait(lambda rows: rows[0].endswith(" 65"))
        window.press(b"\x03")
        assert window.ended() == 0 and window.restored()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals(user: Session, number: signal.Signals) -> None:
    """A signal ends it with the terminal as it was."""
    file = user.root / "recorded"
    file.write_bytes(TRANSCRIPT)
    with PseudoTerminal([*REPLAY, str(file)], user.env(), user.home, 60) as window:
        window.wait(lambda rows: "make test" in rows[0])
        window.process.send_signal(number)
        assert window.ended() == 128 + number and window.restored()


@pytest.mark.parametrize("words", [["--speed", "0"], ["--speed", "fast"], ["--pause", "-1"], ["--theme", "nope"]])
def test_wrong_use(user: Session, words: list[str]) -> None:
    """What cannot be meant is said, with status 2."""
    outcome = replay(user, RUN, *words)
    assert (outcome.code, outcome.out) == (2, b"") and outcome.err


@pytest.mark.parametrize("data", [b"", b"words\n", b'{"a": 1}\n', b"\0\xff" * 50])
def test_no_recording(user: Session, data: bytes) -> None:
    """A file of another sort is named."""
    outcome = replay(user, data)
    assert outcome.code == 2 and "neither a stream nor a transcript" in outcome.errors


def test_no_file(user: Session) -> None:
    """A file that is not there is named."""
    outcome = launch([*REPLAY, "nothing-here"], Input(), user.env(), user.home)
    assert outcome.code == 2 and "`nothing-here` cannot be read" in outcome.errors


def test_times() -> None:
    """What has no time lies evenly between what has one, nothing before what came before it."""
    timed = [(None, "a"), (10.0, "b"), (None, "c"), (None, "d"), (13.0, "e"), (12.0, "f"), (None, "g")]
    steps = [(step.what, step.at) for step in spread(timed, 5.0)]
    told = [("a", 10.0), ("b", 10.0), ("c", 11.0), ("d", 12.0), ("e", 13.0), ("f", 13.0), ("g", 13.0 + EVEN_S)]
    assert steps == told


def test_no_times() -> None:
    """Without any, steps are even."""
    steps = list(spread([(None, number) for number in range(3)], 100.0))
    assert [step.at for step in steps] == pytest.approx([100.2, 100.4, 100.6])


def test_steps_of_a_recording(tmp_path: Path) -> None:
    """The records of a transcript come one by one, and what has been played is what is told."""
    file = tmp_path / "t.jsonl"
    file.write_bytes(TRANSCRIPT)
    recording = Recording(str(file))
    assert recording.kind == "transcript"
    used = []
    for step in recording.steps():
        recording.play(step)
        used.append(recording.told.payload().get("context_window", {}).get("total_input_tokens"))
    assert used == [None, None, 20000, 20000, 60000]
    recording.begin()
    assert "model" not in recording.told.payload()


def test_unknown_kind(tmp_path: Path) -> None:
    """A file without a message of either is none."""
    file = tmp_path / "x"
    file.write_text("{}\n")
    with pytest.raises(NoRecording):
        Recording(str(file))
