"""
What a session's transcript says so far: read once, a piece a refresh, and kept in the private cache.

A refresh reads what was appended since the last one and folds it into the state (`ohud/run/fold.py`). When more is
waiting than it may spend, a detached job catches up (`ohud/refresh/journal.py`) and the refresh shows what is known;
its activity then comes from the file's end.

The state's file is a digest and two JSON objects: the figures, and the replies counted last. The second is read only
when there is something to fold.
"""

from _imp import source_hash

from ohud.run.payload import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import stat_result
    from typing import Any

    from ohud.run.world import World

FORMAT = 1
# What one refresh may read and fold by itself, and of a longer file's end while the job is at work [bytes].
INLINE = 131072
_TAIL = 16384
_HEAD = 256
# Replacing a file that was just written costs up to 2 ms, reading this much again a tenth of that. So what was
# appended last is not kept until there is this much of it, or nothing new has come for a while.
_UNSAVED = 8192
_IDLE_NS = 3_000_000_000
# A file of the cache is read up to 256 KiB; a state that nears this forgets its oldest parts [bytes].
_LARGEST = 60000

_FIGURES = ("tokens", "side", "messages", "prompts", "compactions", "started_at", "counts", "errors")
DAMAGE = (TypeError, ValueError, KeyError, IndexError, AttributeError)


def journal(world: "World") -> "dict[str, Any]":
    """
    The state of the session's transcript, empty when there is none.

    Takes:   world.transcript; the config's `transcript.enabled`
    Returns: the keys of `fresh`, and `complete`: whether all of the file is in it, but for a last line being written
    Errors:  none
    """
    path = world.transcript
    setting = world.settings.get("transcript")
    if path is None or (isinstance(setting, dict) and setting.get("enabled") is False):
        return {}
    facts = world.stat(path)
    if facts is None or facts.st_mode & 0o170000 != 0o100000:
        return {}
    name = file_name(path)
    state, replies = load(world, name)
    if state is not None and state["offset"] == facts.st_size and state["stamp"] == stamp(facts):
        state["complete"] = True
        return state
    if state is None or not continues(world, path, facts, state):
        state, replies = fresh(), b""
    try:
        return _grown(world, path, name, facts, state, replies)
    except DAMAGE:
        # A state that bears our digest and is still not ours: as good as none, and gone by the next refresh.
        save(world, path, name, facts, fresh())
        return _partial(world, path, facts, fresh())


def fresh() -> "dict[str, Any]":
    """The state of a transcript of which nothing has been read."""
    return {
        "format": FORMAT,
        "offset": 0,
        "stamp": [0, 0, 0],
        "head": [0, ""],
        "tail": [0, ""],
        "skip": False,
        "tokens": {},
        "side": {},
        "messages": 0,
        "prompts": 0,
        "compactions": 0,
        "started_at": None,
        "last_at": None,
        "last_reply_at": None,
        "last_usage": None,
        "ttl_s": None,
        "asked_at": None,
        "reply": None,
        "titles": {},
        "open": {},
        "recent": [],
        "counts": {},
        "errors": 0,
        "called": [],
        "agents": {},
        "creating": {},
        "todos": {},
        "listed": False,
        "replies": {},
    }


def file_name(path: str) -> str:
    """The name of a transcript's state in the private cache."""
    return "journal-" + source_hash(1, path.encode("utf-8", "surrogatepass")).hex() + ".json"


def load(world: "World", name: str) -> "tuple[dict[str, Any] | None, bytes]":
    """The kept state, without its replies, and the bytes that hold those; None when there is none or it is damaged."""
    raw = world.read_private(name)
    if not raw or source_hash(FORMAT, raw[16:]).hex().encode() != raw[:16]:
        return None, b""
    figures, _, replies = raw[16:].partition(b"\n")
    state = parse(figures)
    return (state, replies) if state is not None and _sound(state) else (None, b"")


def _sound(state: "dict[str, Any]") -> bool:
    """Whether a state has the parts of a fresh one, each of the right sort."""
    for key, value in fresh().items():
        if key != "replies" and (key not in state or (value is not None and type(state[key]) is not type(value))):
            return False
    parts = len(state["head"]), len(state["tail"]), len(state["stamp"])
    return state["format"] == FORMAT and state["offset"] >= 0 and parts == (2, 2, 3)


def stamp(facts: "stat_result") -> "list[int]":
    """What tells that a file is the same and has not changed."""
    return [facts.st_ino, facts.st_size, facts.st_mtime_ns]


def continues(world: "World", path: str, facts: "stat_result", state: "dict[str, Any]") -> bool:
    """
    Whether the file is the one that the state is of, grown or not; a shorter, another or a new one is not.

    One that was written anew in place shows by what stands before our place in it; a short one also by the time of
    that, where it is as long as before.
    """
    offset = state["offset"]
    if facts.st_ino != state["stamp"][0] or facts.st_size < offset:
        return False
    if facts.st_size == offset and 0 < offset <= INLINE:
        return False
    return _is_piece(world, path, 0, state["head"]) and _is_piece(world, path, offset, state["tail"])


def _is_piece(world: "World", path: str, place: int, piece: "list[Any]") -> bool:
    """Whether a file's bytes from its start, or before a place, are those that were digested."""
    length = piece[0]
    if type(length) is not int or not 0 <= length <= _HEAD or (place and length > place):
        return False
    return _piece(world, path, place - length if place else 0, length) == piece


def _piece(world: "World", path: str, start: int, length: int) -> "list[Any]":
    """Some bytes of a file as [how many, digest]."""
    data = world.read_from(path, start, length) if length else b""
    return [len(data or b""), source_hash(2, data or b"").hex()]


def restore(state: "dict[str, Any]", replies: bytes) -> None:
    """Puts the replies that were counted last back into a loaded state."""
    if "replies" not in state:
        state["replies"] = parse(replies) or {}


def save(world: "World", path: str, name: str, facts: "stat_result", state: "dict[str, Any]") -> bool:
    """Writes the state; whether it is in the cache now."""
    state["stamp"] = stamp(facts)
    length = min(_HEAD, state["offset"])
    if state["head"][0] < _HEAD:
        state["head"] = _piece(world, path, 0, length)
    state["tail"] = _piece(world, path, state["offset"] - length, length)
    replies = state.pop("replies")
    state.pop("complete", None)
    try:
        body = _encoded(state) + b"\n" + _encoded(replies)
        for shrink in (_forget, _shrink):
            if len(body) > _LARGEST:
                shrink(state, replies)
                body = _encoded(state) + b"\n" + _encoded(replies)
    finally:
        state["replies"] = replies
    return world.write_private(name, source_hash(FORMAT, body).hex().encode() + body)


def _encoded(value: "Any") -> bytes:
    try:
        from _json import encode_basestring, make_encoder

        write = make_encoder(None, repr, encode_basestring, None, ":", ",", False, False, False)
        return "".join(write(value, 0)).encode("utf-8", "replace")
    except (ImportError, TypeError):
        from json import dumps

        return dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _forget(state: "dict[str, Any]", replies: "dict[str, Any]") -> None:
    """Forgets the oldest replies: they are most of a state that grows too large, and nothing shows them."""
    for key in list(replies)[:-256]:
        del replies[key]


def _shrink(state: "dict[str, Any]", replies: "dict[str, Any]") -> None:
    """Forgets what is oldest and the ends of long texts, for a state that is too large all the same."""
    for key in list(replies)[:-64]:
        del replies[key]
    for key in [key for key, agent in state["agents"].items() if agent["ended"] is not None][:-5]:
        del state["agents"][key]
    for key in [key for key, call in state["open"].items() if call["dead"]]:
        del state["open"][key]
    del state["recent"][:-5]
    del state["called"][:-32]
    # None of them goes: how many there are is shown.
    for task in state["todos"].values():
        task[0], task[2] = task[0][:40], None
    for key in list(state["counts"])[50:]:
        del state["counts"][key]
    state["creating"].clear()


def _grown(
    world: "World", path: str, name: str, facts: "stat_result", state: "dict[str, Any]", replies: bytes
) -> "dict[str, Any]":
    """The state with what was appended, as far as a refresh may read."""
    if facts.st_size - state["offset"] <= INLINE:
        return _advance(world, path, name, facts, state, replies)
    if world.patience:
        from ohud.refresh.journal import catch_up

        state = catch_up(world, path, world.patience)
        if facts.st_size - state["offset"] <= INLINE:
            return _advance(world, path, name, facts, state)
        return _partial(world, path, facts, state)
    # A first look waits a little; many a transcript is read in that time.
    world.slow("journal", {"path": path}, 0.25, 0.0 if state["offset"] else 0.06, 30.0)
    newer, replies = load(world, name)
    if newer is not None and newer["offset"] > state["offset"] and continues(world, path, facts, newer):
        state = newer
        if facts.st_size - state["offset"] <= INLINE:
            return _advance(world, path, name, facts, state, replies)
    return _partial(world, path, facts, state)


def _advance(
    world: "World", path: str, name: str, facts: "stat_result", state: "dict[str, Any]", replies: bytes = b""
) -> "dict[str, Any]":
    """The state with what was appended; a last line that is whole but not ended counts in this refresh only."""
    data = world.read_from(path, state["offset"], facts.st_size - state["offset"])
    if data is None:
        return {}
    from ohud.run.fold import fold, fold_all

    restore(state, replies)
    used = fold_all(state, data)
    state["offset"] += used
    if used > _UNSAVED or (used and world.now * 1e9 - facts.st_mtime_ns > _IDLE_NS):
        save(world, path, name, facts, state)
    rest = data[used:]
    if rest.endswith((b"}", b"}\r")) and not state["skip"]:
        fold(state, rest)
    state["complete"] = True
    return state


def _partial(world: "World", path: str, facts: "stat_result", state: "dict[str, Any]") -> "dict[str, Any]":
    """What is known of a file of which more is unread than a refresh may read: its sums so far, and its end."""
    from ohud.run.fold import fold_all

    end = fresh()
    data = world.read_from(path, facts.st_size - _TAIL, _TAIL) or b""
    fold_all(end, data[data.find(b"\n") + 1 :])
    for key in _FIGURES:
        end[key] = state[key]
    end["titles"] = {**state["titles"], **end["titles"]}
    end["complete"] = False
    return end
