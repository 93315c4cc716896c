"""Recorded streams for tests, and lines in the host's shapes."""

import json
from pathlib import Path
from typing import Any

from ohud.stream import Fold, Item, Reader

DATA = Path(__file__).parent / "stream"
CASES = Path(__file__).parent / "cases"
# What both hosts printed on 2026-11-30, and messages from documents of 2.1.17.
LINES = sorted(
    path for path in [*DATA.rglob("*.ndjson"), *CASES.glob("*-stream-*/stream.jsonl")] if path.stat().st_size
)
DOCUMENTED = DATA / "documented-2.1.17.ndjson"
# Streams of whose lines some hold several messages.
CROWDED = {"621-stream-banner-above-array", "622-stream-glued-objects"}
SESSION = "6484002d-24fe-4f95-ad4b-6bf7130f1fcb"


def name(path: Path) -> str:
    """A recording's name in reports."""
    return "/".join(path.parts[-2:])


def line(kind: str, **fields: Any) -> bytes:
    """One line of a type."""
    return json.dumps({"type": kind, "session_id": SESSION, **fields}).encode() + b"\n"


def init(**fields: Any) -> bytes:
    """The setup of a session."""
    known = {"subtype": "init", "cwd": "/home/user/project", "model": "claude-opus-4-6", "output_style": "default"}
    return line("system", **{**known, **fields})


def usage(sent: int = 10, output: int = 1, reads: int = 0, writes: int = 0) -> dict[str, Any]:
    """Tokens of a message."""
    return {
        "input_tokens": sent,
        "output_tokens": output,
        "cache_read_input_tokens": reads,
        "cache_creation_input_tokens": writes,
    }


def answer(ident: str, *blocks: Any, tokens: Any = None, model: str = "claude-opus-4-6", **fields: Any) -> bytes:
    """A line of an answer."""
    message = {"id": ident, "role": "assistant", "model": model, "content": list(blocks)}
    return line("assistant", **{"message": {**message, "usage": usage() if tokens is None else tokens}, **fields})


def call(ident: str, tool: str = "Bash", **given: Any) -> dict[str, Any]:
    """A block that calls a tool."""
    return {"type": "tool_use", "id": ident, "name": tool, "input": given}


def done(ident: str, content: Any = "ok", failed: bool = False, **fields: Any) -> bytes:
    """A line with the result of a call."""
    block = {"type": "tool_result", "tool_use_id": ident, "content": content, "is_error": failed}
    return line("user", **{"message": {"role": "user", "content": [block]}, **fields})


def event(kind: str, **fields: Any) -> bytes:
    """A line with an event of a message while it is made."""
    parent = fields.pop("parent", None)
    return line("stream_event", event={"type": kind, **fields}, parent_tool_use_id=parent)


def started(ident: str, tokens: Any = None, parent: str | None = None) -> bytes:
    """The event that begins a message."""
    message: dict[str, Any] = {
        "id": ident,
        "model": "claude-opus-4-6",
        "content": [],
        "usage": usage() if tokens is None else tokens,
    }
    return event("message_start", message=message, parent=parent)


def ended(cost: float | None = 0.25, **fields: Any) -> bytes:
    """The result of a turn."""
    known = {"subtype": "success", "is_error": False, "duration_ms": 2000, "duration_api_ms": 1500, "num_turns": 2}
    told = {} if cost is None else {"total_cost_usd": cost}
    return line("result", **{**known, **told, **fields})


def items(data: bytes, piece: int = 1 << 16) -> list[Item]:
    """All that a reader gives for the bytes, fed in pieces."""
    reader = Reader()
    found: list[Item] = []
    for start in range(0, len(data), piece):
        found += reader.feed(data[start : start + piece])
    return found + reader.close()


def folded(*lines: bytes, at: float | None = None) -> Fold:
    """The state after the lines."""
    fold = Fold()
    fold.add_all(items(b"".join(lines)), at)
    return fold
