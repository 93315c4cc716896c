"""
The payload that the host would send at the end of a transcript, as far as the transcript tells.

Source:  transcripts of hosts 2.1.215 and 2.1.332 beside the payloads of the same sessions
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from ohud.fields import model as models
from ohud.run.fold import moment
from ohud.run.payload import parse
from ohud.run.world import World

# Of a longer file its beginning and its end are read; a session's last facts stand in its last records [bytes].
_HEAD, _TAIL = 262144, 16 << 20
_WINDOW, _LARGE_WINDOW = 200000, 1000000


def derived(path: str) -> tuple[dict[str, Any], float | None] | None:
    """
    A payload, and the time of the transcript's last record [s since 1970].

    Takes:   path: of the transcript, absolute
    Returns: None for a file without a single record; the cost is not in the payload, as the transcript has none
    """
    world = World()
    records = list(_records(path, world))
    if not records:
        return None
    replies = [record for record in records if _is_reply(record)]
    times = [at for at in (moment(record.get("timestamp")) for record in records) if at is not None]
    directory = _last(records, "cwd")
    session = _last(records, "sessionId") or os.path.basename(path).removesuffix(".jsonl")
    payload: dict[str, Any] = {"session_id": session, "transcript_path": path}
    if directory is not None:
        payload |= {"cwd": directory, "workspace": {"current_dir": directory, "project_dir": _first(records, "cwd")}}
    version = _last(records, "version")
    if version is not None:
        payload["version"] = version
    if replies:
        payload |= _answered(replies, records, world)
    if times:
        passed = int((max(times) - min(times)) * 1000)
        payload["cost"] = {"total_cost_usd": None, "total_duration_ms": passed}
    for record in records:
        if record.get("type") == "pr-link" and isinstance(record.get("prNumber"), int):
            payload["pr"] = {"number": record["prNumber"], "url": record.get("prUrl")}
    return payload, max(times) if times else None


def _records(path: str, world: World) -> Iterator[dict[str, Any]]:
    """The records of the file, of a very long one those at its ends; what is none is passed over."""
    facts = world.stat(path)
    size = facts.st_size if facts is not None else 0
    head = world.read(path, _HEAD) or b""
    data = head if size <= len(head) else world.read_from(path, max(len(head), size - _TAIL), _TAIL) or b""
    if data is not head:
        whole = head.rfind(b"\n") + 1
        rest = head[whole:] + data if size - len(data) == len(head) else data[data.find(b"\n") + 1 :]
        data = head[:whole] + rest
    for line in data.split(b"\n"):
        record = parse(line.strip(b"\0 \t\r"))
        if record is not None and "type" in record:
            yield record


def _is_reply(record: dict[str, Any]) -> bool:
    """Whether a record is a reply of a model in the main conversation."""
    message = record.get("message")
    if record.get("type") != "assistant" or record.get("isSidechain") is True or not isinstance(message, dict):
        return False
    name = message.get("model")
    return isinstance(name, str) and not name.startswith("<")


def _last(records: list[dict[str, Any]], key: str) -> str | None:
    return next((value for value in _texts(reversed(records), key)), None)


def _first(records: list[dict[str, Any]], key: str) -> str | None:
    return next((value for value in _texts(records, key)), None)


def _texts(records: Any, key: str) -> Iterator[str]:
    for record in records:
        value = record.get(key)
        if isinstance(value, str) and value:
            yield value


def _answered(replies: list[dict[str, Any]], records: list[dict[str, Any]], world: World) -> dict[str, Any]:
    """What the replies tell: the model, how full its window is, the effort."""
    last = replies[-1]
    name = str(last["message"]["model"])
    label = models.name({"model": {"id": name}}, world) or name
    found: dict[str, Any] = {"model": {"id": name, "display_name": label}}
    compacted = [number for number, one in enumerate(records) if one.get("subtype") == "compact_boundary"]
    if not compacted or records.index(last) > compacted[-1]:
        usage = next((one["message"]["usage"] for one in reversed(replies) if _counts(one["message"])), None)
        if usage is not None:
            found["context_window"] = window(usage, _size(usage))
    if isinstance(last.get("effort"), str):
        found["effort"] = {"level": last["effort"]}
    return found


def _counts(message: dict[str, Any]) -> bool:
    usage = message.get("usage")
    return isinstance(usage, dict) and sum(sent(usage)) > 0


def sent(usage: dict[str, Any]) -> list[int]:
    """Tokens of a request: sent, written to the cache, read from it."""
    keys = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return [value if isinstance(value, int) and value > 0 else 0 for value in map(usage.get, keys)]


def _size(usage: dict[str, Any]) -> int:
    """Nobody says how large the window is."""
    return _WINDOW if sum(sent(usage)) <= _WINDOW else _LARGE_WINDOW


def window(usage: dict[str, Any], size: int) -> dict[str, Any]:
    """The payload's `context_window` as the host counts it: what the last request sent; size: of it [tokens]."""
    fresh, written, read = sent(usage)
    total = fresh + written + read
    answered = usage.get("output_tokens")
    output = answered if isinstance(answered, int) else 0
    used = round(total * 100 / size)
    return {
        "total_input_tokens": total,
        "total_output_tokens": output,
        "context_window_size": size,
        "current_usage": {
            "input_tokens": fresh,
            "output_tokens": output,
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": read,
        },
        "used_percentage": min(100, used),
        "remaining_percentage": max(0, 100 - used),
    }
