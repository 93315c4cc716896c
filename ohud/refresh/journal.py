"""Reads a long transcript to its end: what a refresh leaves to a detached process."""

from __future__ import annotations

import time
from typing import Any

from ohud.run.journal import continues, file_name, fold_all, fresh, load, restore, save
from ohud.run.world import World

# Read at a time [bytes].
_PIECE = 4 << 20
# No record is longer; what is, is passed over [bytes].
_LONGEST = 16 << 20
# How often the figures on screen may grow [s].
_SAVE_EVERY_S = 0.2


def work(arguments: dict[str, Any], world: World) -> dict[str, int]:
    """
    Folds a transcript into its state in the private cache until nothing is left.

    Takes:   arguments: path
    Returns: how far it came [bytes]
    Errors:  none of its own
    """
    return {"offset": catch_up(world, arguments["path"], 25.0)}


def catch_up(world: World, path: str, seconds: float) -> int:
    """
    The same in this process, for at most that long.

    Returns: how many bytes of the file are in the state now
    """
    facts = world.stat(path)
    if facts is None:
        return 0
    name = file_name(path)
    state, replies = load(world, name)
    if state is None or not continues(world, path, facts, state):
        state, replies = fresh(), b""
    restore(state, replies)
    limit = time.monotonic() + seconds
    saved = time.monotonic()
    while True:
        data = _piece(world, path, state)
        if not data:
            break
        now = world.stat(path)
        if now is None or now.st_ino != facts.st_ino or now.st_size < state["offset"] + len(data):
            # Replaced or cut off meanwhile: what was read may be of either file.
            return int(state["offset"])
        state["offset"] += fold_all(state, data) or len(data)
        if time.monotonic() - saved >= _SAVE_EVERY_S or state["offset"] <= 2 * _PIECE:
            save(world, path, name, now, state)
            saved = time.monotonic()
        if time.monotonic() > limit:
            break
    save(world, path, name, facts, state)
    return int(state["offset"])


def _piece(world: World, path: str, state: dict[str, Any]) -> bytes:
    """The next bytes that can be folded, ended by LF, or the beginning of a line that is too long; empty at the end."""
    size = _PIECE
    while True:
        data = world.read_from(path, state["offset"], size) or b""
        end = data.rfind(b"\n") + 1
        if end:
            return data[:end]
        if state["skip"] and data:
            return data
        if len(data) < size:
            return b""
        if size >= _LONGEST:
            state["skip"] = True
            return data
        size *= 2
