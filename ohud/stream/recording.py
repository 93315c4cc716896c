"""A recorded run, a step at a time: a stream, or the transcript that the host keeps of a session."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ohud.fields.model import name as model_name
from ohud.host.derive import derived, sent, window
from ohud.run import fold, journal
from ohud.run.fold import moment
from ohud.run.payload import parse
from ohud.run.world import World
from ohud.stream.document import Fold
from ohud.stream.messages import Message
from ohud.stream.reader import LIMIT, Item, Reader

# Between steps of which no time is known [s].
EVEN_S = 0.2
# Steps that wait for one whose time is known.
_WAITING = 5000
_PIECE = 1 << 16
_LOOK = 1 << 18
_WINDOW = 200_000
_NOWHERE = World({}, 0.0)


class NoRecording(Exception):
    """The file holds neither a stream nor a transcript."""


@dataclass(frozen=True, slots=True)
class Step:
    """Something that happened; at: when [s since 1970]."""

    at: float
    what: Any


class Recording:
    """
    A file with a recorded run.

    Takes:    path: of the file
    Returns:  `kind`: "stream" or "transcript"; `told`: what has been played so far, as a payload and its journal
    Errors:   NoRecording; OSError
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.kind = _kind(path)
        self.told: Fold | Transcribed
        self.begin()

    def begin(self) -> None:
        """Nothing has been played yet."""
        self.told = Fold() if self.kind == "stream" else Transcribed(self.path)

    def steps(self) -> Iterator[Step]:
        """The steps in their order, none earlier than the one before. Errors: OSError."""
        start = os.stat(self.path).st_mtime
        if self.kind == "stream":
            return spread(((_time_of(item), item) for item in _items(self.path)), start)
        return spread(
            ((moment(record.get("timestamp")), (record, line)) for record, line in _records(self.path)), start
        )

    def play(self, step: Step) -> None:
        """Takes a step in."""
        if isinstance(self.told, Fold):
            self.told.add(step.what, step.at)
        else:
            record, line = step.what
            self.told.add(record, line, step.at)


class Transcribed:
    """
    A transcript folded, record by record, into what the host handed to its status line then.

    Takes:  path: of the transcript, for the size of the window that its session turns out to have had
    """

    def __init__(self, path: str) -> None:
        self._state = journal.fresh()
        self._facts: dict[str, Any] = {}
        self._model: str | None = None
        self._effort: str | None = None
        self._usage: dict[str, Any] | None = None
        self._first: float | None = None
        self._last: float | None = None
        known = derived(os.path.abspath(path))
        last = known[0].get("context_window") if known else None
        self._size = int(last["context_window_size"]) if last else _WINDOW

    def add(self, record: dict[str, Any], line: bytes, at: float) -> None:
        """Takes a record in. Errors: none."""
        fold.fold(self._state, line)
        self._first = at if self._first is None else self._first
        self._last = at
        for key in ("cwd", "sessionId", "version"):
            value = record.get(key)
            if isinstance(value, str) and value:
                self._facts[key] = value
                self._facts.setdefault("first " + key, value)
        if record.get("type") == "pr-link" and isinstance(record.get("prNumber"), int):
            self._facts["pr"] = {"number": record["prNumber"], "url": record.get("prUrl")}
        if record.get("subtype") == "compact_boundary":
            self._usage = None
        message = record.get("message")
        if record.get("type") == "assistant" and record.get("isSidechain") is not True and isinstance(message, dict):
            self._answer(record, message)

    def _answer(self, record: dict[str, Any], message: dict[str, Any]) -> None:
        name, usage, effort = message.get("model"), message.get("usage"), record.get("effort")
        if not isinstance(name, str) or name.startswith("<"):
            return
        self._model = name
        if isinstance(usage, dict) and any(sent(usage)):
            self._usage = usage
        if isinstance(effort, str):
            self._effort = effort

    def payload(self, now: float | None = None) -> dict[str, Any]:
        """What the host handed over, as far as a transcript tells; it has no cost."""
        found: dict[str, Any] = {"session_id": self._facts.get("sessionId")}
        if "cwd" in self._facts:
            here = self._facts["cwd"]
            found |= {"cwd": here, "workspace": {"current_dir": here, "project_dir": self._facts["first cwd"]}}
        if self._model is not None:
            label = model_name({"model": {"id": self._model}}, _NOWHERE)
            found["model"] = {"id": self._model, "display_name": label or self._model}
        if "version" in self._facts:
            found["version"] = self._facts["version"]
        if self._effort is not None:
            found["effort"] = {"level": self._effort}
        if "pr" in self._facts:
            found["pr"] = self._facts["pr"]
        if self._first is not None and self._last is not None:
            passed = max(self._last, now or 0) - self._first
            found["cost"] = {"total_cost_usd": None, "total_duration_ms": int(passed * 1000)}
        if self._usage is not None:
            found["context_window"] = window(self._usage, self._size)
        return found

    def memo(self) -> dict[str, Any]:
        """What belongs into a world's `memo`: the journal so far, and the model that has answered."""
        return {"journal": {**self._state, "complete": True}, "model answered": self._model}


def spread(timed: Iterable[tuple[float | None, Any]], start: float) -> Iterator[Step]:
    """
    Steps with a time each: what has none lies evenly between its neighbours, or follows in even steps.

    Takes:  timed: (time or None, what), in their order; start: the time of the first where none is known
    """
    last: float | None = None
    waiting: list[Any] = []
    for at, what in timed:
        if at is None and len(waiting) < _WAITING:
            waiting.append(what)
            continue
        if at is None:
            last = yield from _even(waiting, start if last is None else last)
            waiting = [what]
            continue
        at = at if last is None else max(at, last)
        # What comes before the first time that is told comes at that time.
        gap = (at - (at if last is None else last)) / (len(waiting) + 1)
        for number, one in enumerate(waiting, 1):
            yield Step(at - gap * (len(waiting) + 1 - number), one)
        waiting = []
        yield Step(at, what)
        last = at
    yield from _even(waiting, start if last is None else last)


def _even(waiting: list[Any], last: float) -> Generator[Step, None, float]:
    for one in waiting:
        last += EVEN_S
        yield Step(last, one)
    return last


def _kind(path: str) -> str:
    """Which of the two a file is."""
    with open(path, "rb") as file:
        head = file.read(_LOOK)
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        return "stream"
    for line in head.split(b"\n"):
        record = parse(line.strip(b"\0 \t\r"))
        if record is not None and isinstance(record.get("type"), str):
            if "session_id" in record:
                return "stream"
            if "sessionId" in record or "leafUuid" in record or "messageId" in record:
                return "transcript"
    raise NoRecording("neither a stream nor a transcript: no message of either is in it")


def _items(path: str) -> Iterator[Item]:
    reader = Reader()
    with open(path, "rb", buffering=0) as file:
        while data := file.read(_PIECE):
            yield from reader.feed(data)
    yield from reader.close()


def _time_of(item: Item) -> float | None:
    return moment(item.timestamp) if isinstance(item, Message) else None


def _records(path: str) -> Iterator[tuple[dict[str, Any], bytes]]:
    """The records of a transcript, as objects and as they were written; what is none is passed over."""
    with open(path, "rb") as file:
        while line := file.readline(LIMIT):
            line = line.strip(b"\0 \t\r\n")
            record = parse(line)
            if record is not None and "type" in record:
                yield record, line
