"""The last answer of the main conversation, at the end of the session's transcript."""

from ohud.fields._num import table, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ohud.run.world import World

    Answer = tuple[str | None, dict[str, Any] | None]

# The end of the transcript that is searched; most records are found in the first, which costs a tenth [bytes].
_WINDOWS = (16384, 262144)
_MARK = b'"assistant"'
_COMPACTED = b'"compact_boundary"'
_NONE: "Answer" = (None, None)


def answered(payload: "dict[str, Any]", world: "World") -> "Answer":
    """
    The id of the model that gave the last answer, and that answer's usage when a compaction came after it.

    Reads:    transcript_path and the file's last 256 KiB, unless the config's `transcript.enabled` is off; of a stream
              its messages
    Returns:  (None, None) when no answer of the main conversation lies in them
    Errors:   none
    Source:   transcripts of 1.0.17 to 2.1.332: message.model, in old records the model at top level
    """
    streamed = world.memo.get("model answered")
    if isinstance(streamed, str):
        return streamed, None
    path = text((world.raw or payload).get("transcript_path"))
    if path is None or table(world.settings, "transcript").get("enabled") is False:
        return _NONE
    key = "answer " + path
    found: Answer | None = world.memo.get(key)
    if found is None:
        found = world.memo[key] = _last(path, world)
    return found


def _last(path: str, world: "World") -> "Answer":
    for size in _WINDOWS:
        # One byte more than the window: it tells whether the window begins with a whole line.
        data = world.read(path, size + 1, tail=True)
        if not data:
            break
        whole = len(data) <= size
        first = 0 if whole else data.find(b"\n") + 1
        found = _last_in(data, first, world) if whole or first else _NONE
        if whole or found is not _NONE:
            return found
    return _NONE


def _last_in(data: bytes, first: int, world: "World") -> "Answer":
    """The last answer in the lines from offset `first` on; lines end at LF only."""
    end = len(data)
    while (mark := data.rfind(_MARK, first, end)) >= 0:
        start = max(data.rfind(b"\n", first, mark) + 1, first)
        stop = data.find(b"\n", mark, end)
        # A crash leaves NUL bytes where the file had grown already.
        behind = stop if stop >= 0 else end
        line = data[start:behind].strip(b"\0 \t\r")
        end = start
        # What does not end like an object is a record being written; decoding it would only cost.
        if line.endswith(b"}"):
            record = world.decode(line)
            found = _answering(record)
            if record is not None and found is not None:
                return found, table(record, "message", "usage") if _compacted(data, behind, world) else None
    return _NONE


def _compacted(data: bytes, first: int, world: "World") -> bool:
    """Whether the main conversation was compacted in the lines from offset `first` on."""
    while (mark := data.find(_COMPACTED, first)) >= 0:
        start = max(data.rfind(b"\n", first, mark) + 1, first)
        stop = data.find(b"\n", mark)
        first = stop if stop >= 0 else len(data)
        record = world.decode(data[start:first])
        if record is not None and record.get("subtype") == "compact_boundary" and record.get("isSidechain") is not True:
            return True
    return False


def _answering(record: "dict[str, Any] | None") -> "str | None":
    """The model that a transcript record of the main conversation was answered by."""
    if record is None or record.get("type") != "assistant" or record.get("isSidechain"):
        return None
    for value in (table(record, "message").get("model"), record.get("model")):
        found = text(value)
        # The host's own records, of errors for one, carry `<synthetic>`.
        if found is not None and not found.startswith("<"):
            return found
    return None
