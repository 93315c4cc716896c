"""Reads a long transcript to its end: what a refresh leaves to a detached process."""

from __future__ import annotations

import time
from typing import Any

from ohud.run.fold import fold_all
from ohud.run.journal import DAMAGE, continues, file_name, fresh, load, restore, save
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
    return {"offset": int(catch_up(world, arguments["path"], 25.0)["offset"])}


def catch_up(world: World, path: str, seconds: float) -> dict[str, Any]:
    """
    The same in this process, for at most that long.

    Returns: the state, as far as it came
    """
    facts = world.stat(path)
    if facts is None:
        return fresh()
    name = file_name(path)
    state, replies = load(world, name)
    if state is None or not continues(world, path, facts, state):
        state, replies = fresh(), b""
    restore(state, replies)
    began = state["offset"]
    now = saved = time.monotonic()
    limit = now + seconds
    while now < limit:
        data = _piece(world, path, state)
        seen = world.stat(path)
        if not data or seen is None or seen.st_ino != facts.st_ino or seen.st_size < state["offset"] + len(data):
            # At the end; or replaced or cut off meanwhile, when what was read may be of either file.
            break
        try:
            state["offset"] += fold_all(state, data) or len(data)
        except DAMAGE:
            if not began:
                raise
            state, began = fresh(), 0
        now = time.monotonic()
        if now - saved >= _SAVE_EVERY_S or state["offset"] <= 2 * _PIECE:
            save(world, path, name, facts, state)
            saved = now
    if state["offset"] != began:
        save(world, path, name, facts, state)
    return state


def _piece(world: World, path: str, state: dict[str, Any]) -> bytes:
    """The next bytes that can be folded, ended by LF, or the beginning of a line that is too long; empty at the end."""
    size = _PIECE
    while True:
        data = world.read_from(path, state["offset"], size) or b""
        end = data.rfind(b"\n") + 1
        if end:
            return data[:end]
        if state["skip"]:
            return data
        if len(data) < size:
            return b""
        if size >= _LONGEST:
            state["skip"] = True
            return data
        size *= 2
