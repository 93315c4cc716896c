"""Transcripts for tests: records in the host's shapes, files of them, and worlds that read those."""

import json
from pathlib import Path
from typing import Any

from ohud.run.fold import fold
from ohud.run.journal import fresh, journal
from ohud.run.world import World

DATA = Path(__file__).parent / "data" / "transcripts"
START = "2026-11-30T11:00:00.000Z"
START_S = 1796036400


def at(seconds: float) -> str:
    """A timestamp that many seconds after START, within the hour."""
    return f"2026-11-30T11:{int(seconds // 60):02}:{seconds % 60:06.3f}Z"


def usage(
    sent: int = 10, output: int = 20, reads: int = 0, writes: int = 0, split: Any = None, **more: Any
) -> dict[str, Any]:
    """A usage record; `split` is its `cache_creation` part."""
    found: dict[str, Any] = {
        "input_tokens": sent,
        "output_tokens": output,
        "cache_creation_input_tokens": writes,
        "cache_read_input_tokens": reads,
    }
    if split is not None:
        found["cache_creation"] = split
    return {**found, **more}


def reply(
    seconds: float,
    ident: str | None = "msg_1",
    content: Any = None,
    tokens: Any = None,
    model: str = "claude-opus-4-6",
    **more: Any,
) -> dict[str, Any]:
    """One record of a reply."""
    return {
        "parentUuid": None,
        "isSidechain": False,
        "message": {
            "id": ident,
            "role": "assistant",
            "model": model,
            "content": [{"type": "text", "text": "ok"}] if content is None else content,
            "usage": usage() if tokens is None else tokens,
        },
        "type": "assistant",
        "uuid": f"u-{seconds}",
        "timestamp": at(seconds),
        **more,
    }


def call(seconds: float, ident: str, name: str, given: Any = None, message: str | None = None) -> dict[str, Any]:
    """A reply that calls a tool."""
    block = {"type": "tool_use", "id": ident, "name": name, "input": {} if given is None else given}
    return reply(seconds, message or f"msg_{ident}", [block])


def result(seconds: float, ident: str, content: Any = "ok", failed: bool = False, **more: Any) -> dict[str, Any]:
    """The record of a call's result."""
    block = {"type": "tool_result", "tool_use_id": ident, "content": content, "is_error": failed}
    return user(seconds, [block], **more)


def user(seconds: float, content: Any, **more: Any) -> dict[str, Any]:
    """A user record."""
    return {
        "parentUuid": None,
        "isSidechain": False,
        "type": "user",
        "message": {"role": "user", "content": content},
        "timestamp": at(seconds),
        **more,
    }


def prompt(seconds: float, words: str = "go on") -> dict[str, Any]:
    """What a person typed."""
    return user(seconds, words, origin={"kind": "human"}, promptSource="typed")


def text(*records: Any) -> bytes:
    """The file of the records, written as the host writes them."""
    return b"".join(
        json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode(errors="backslashreplace") + b"\n"
        for record in records
    )


def folded(*records: Any) -> dict[str, Any]:
    """The state after the records."""
    state = fresh()
    for line in text(*records).split(b"\n"):
        fold(state, line)
    return state


def world(home: Path, path: Path | None = None, now: float = START_S + 600, **settings: Any) -> World:
    """A world whose cache lies in a folder of the test."""
    made = World({"HOME": str(home)}, now=now)
    made.settings = dict(settings)
    made.transcript = None if path is None else str(path)
    return made


def world_of(home: Path, *records: Any, now: float = START_S + 600, **settings: Any) -> World:
    """A world with a transcript of the records."""
    path = home / "transcript.jsonl"
    path.write_bytes(text(*records))
    return world(home, path, now, **settings)


def read(home: Path, path: Path) -> dict[str, Any]:
    """The state of a file as a new refresh sees it."""
    return journal(world(home, path))
