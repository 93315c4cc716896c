"""What all sessions of this machine have come to since midnight, each look from where the last one ended."""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from ohud.fields._estimate import estimate
from ohud.run.fold import fold, moment
from ohud.run.journal import fresh
from ohud.run.world import World

_FORMAT = 1
# One look reads this long; what it does not reach waits for the next [s].
_LIMIT_S = 12.0
# Read at a time, and the longest record that is read at all [bytes].
_PIECE = 4 << 20
_LONGEST = 32 << 20
_STATE = 64 << 20
# projects/<project>/<session>/subagents/workflows/<run>/agent-*.jsonl
_DEPTH = 6
_ENTRIES = 200000


def work(arguments: dict[str, Any], world: World) -> dict[str, Any]:
    """
    Cost and sessions of one day.

    Takes:   arguments: folder (the host's own), begin and end of the day [s since 1970], prices of the config
    Returns: cost_usd, at_least_usd (as `cost` has them), sessions; all None but the part while much is still unread
    Errors:  none of its own
    """
    day = _Day(arguments["begin"], arguments["end"])
    name = "slow-today-" + sha256(repr((arguments["folder"], day.begin)).encode()).hexdigest()[:16] + ".state.json"
    day.restore(_kept(world, name))
    complete = day.read(os.path.join(arguments["folder"], "projects"), world, time.monotonic() + _LIMIT_S)
    if day.changed:
        world.write_private(name, json.dumps(day.state()).encode())
    whole, part, basis = estimate({"complete": complete, "tokens": day.tokens()}, arguments["prices"])
    if complete and not day.replies:
        whole = 0
    return {
        "cost_usd": whole,
        "at_least_usd": part,
        "basis": basis,
        "sessions": len(day.sessions) if complete else None,
    }


def _kept(world: World, name: str) -> Any:
    """What the last look has left in the cache, None when there is nothing that can be read."""
    folder = world.cache_dir()
    if folder is None or not world.make_cache():
        return None
    try:
        return json.loads(world.read_plain(f"{folder}/{name}", _STATE) or b"")
    except (ValueError, RecursionError):
        return None


class _Day:
    """
    What is known of one day.

    files: path -> [inode, how far it is read]; replies: message id -> [whether of a side chain, model, bucket, tokens
    of each kind, searches], each reply once, whatever files hold copies of it
    """

    def __init__(self, begin: float, end: float) -> None:
        self.begin, self.end = begin, end
        self.files: dict[str, list[int]] = {}
        self.replies: dict[str, list[Any]] = {}
        self.sessions: set[str] = set()
        self.changed = False
        # A record of the day bears one of these dates, in UTC; most of a long transcript's bytes bear neither.
        moments = {time.strftime("%Y-%m-%dT", time.gmtime(at)) for at in (begin, end - 1)}
        self.dates = [date.encode() for date in moments]

    def state(self) -> dict[str, Any]:
        """What is kept for the next look."""
        return {
            "format": _FORMAT,
            "files": self.files,
            "replies": self.replies,
            "sessions": sorted(self.sessions),
        }

    def restore(self, kept: Any) -> None:
        """Goes on from what was kept; from the start when it is not whole."""
        if not isinstance(kept, dict) or kept.get("format") != _FORMAT:
            return
        files, replies, sessions = kept.get("files"), kept.get("replies"), kept.get("sessions")
        if not isinstance(files, dict) or not isinstance(replies, dict) or not isinstance(sessions, list):
            return
        if all(_numbers(entry, 2) for entry in files.values()) and all(map(_is_reply, replies.values())):
            self.files, self.replies = files, replies
            self.sessions = {one for one in sessions if isinstance(one, str)}

    def read(self, folder: str, world: World, limit: float) -> bool:
        """Reads what was appended to the transcripts of the day; whether nothing is left to read."""
        for path, facts in _transcripts(folder):
            if facts.st_mtime >= self.begin and not self._follow(path, facts, world, limit):
                return False
        return True

    def tokens(self) -> dict[str, dict[str, list[int]]]:
        """The replies summed up as `ohud.run.journal` has them: by model, then by what changes the price."""
        tokens: dict[str, dict[str, list[int]]] = {}
        for _, model, bucket, *figures in self.replies.values():
            sums = tokens.setdefault(model, {}).setdefault(bucket, [0] * len(figures))
            for at, figure in enumerate(figures):
                sums[at] += figure
        return tokens

    def _follow(self, path: str, facts: os.stat_result, world: World, limit: float) -> bool:
        known = self.files.get(path)
        if known is None or known[0] != facts.st_ino or known[1] > facts.st_size:
            # New, replaced or cut off: what it holds is counted by its ids, so reading it again adds nothing.
            known = self.files[path] = [facts.st_ino, 0]
        while known[1] < facts.st_size:
            data = _piece(world, path, known[1])
            if not data:
                break
            known[1] += len(data)
            self.changed = True
            if any(date in data for date in self.dates):
                self._fold(data)
            if time.monotonic() > limit:
                return False
        return True

    def _fold(self, data: bytes) -> None:
        for line in data.split(b"\n"):
            if b'"assistant"' not in line and b'"user"' not in line:
                continue
            if not any(date in line for date in self.dates):
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(record, dict) and record.get("type") in ("assistant", "user"):
                at = moment(record.get("timestamp"))
                if at is not None and self.begin <= at < self.end:
                    self._add(record, line)

    def _add(self, record: dict[str, Any], line: bytes) -> None:
        session = record.get("sessionId")
        if isinstance(session, str):
            self.sessions.add(session[:100])
        if record["type"] == "user":
            return
        # One line in a state of its own: what counts in a reply is decided in one place.
        alone = fresh()
        fold(alone, line)
        for ident, reply in alone["replies"].items():
            before = self.replies.get(ident)
            if before is None or sum(reply[3:8]) > sum(before[3:8]):
                self.replies[ident] = reply


def _is_reply(entry: Any) -> bool:
    if not isinstance(entry, list) or len(entry) != 9 or not isinstance(entry[0], bool):
        return False
    return isinstance(entry[1], str) and isinstance(entry[2], str) and _numbers(entry[3:], 6)


def _numbers(entry: Any, length: int) -> bool:
    return isinstance(entry, list) and len(entry) == length and all(type(one) is int for one in entry)


def _transcripts(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """Every transcript below a folder with its facts; of a file that has two paths one."""
    waiting = [(folder, 0)]
    seen: set[tuple[int, int]] = set()
    left = _ENTRIES
    while waiting:
        place, depth = waiting.pop()
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    left -= 1
                    if left < 0:
                        return
                    try:
                        if entry.name.endswith(".jsonl"):
                            facts = os.stat(entry.path)
                            key = (facts.st_dev, facts.st_ino)
                            if stat.S_ISREG(facts.st_mode) and key not in seen:
                                seen.add(key)
                                yield entry.path, facts
                        elif depth < _DEPTH and entry.name != "tool-results" and entry.is_dir():
                            waiting.append((entry.path, depth + 1))
                    except OSError:
                        continue
        except OSError:
            continue


def _piece(world: World, path: str, offset: int) -> bytes:
    """The next whole lines of a file, or the beginning of one that is too long; empty when none is whole."""
    size = _PIECE
    while True:
        data = world.read_from(path, offset, size) or b""
        end = data.rfind(b"\n") + 1
        if end or len(data) >= _LONGEST:
            return data[:end] or data
        if len(data) < size:
            return b""
        size *= 4
