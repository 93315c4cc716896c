"""What this machine's sessions have come to since midnight."""

from time import localtime, mktime

from ohud.fields._num import count, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ohud.run.world import World

_AGE_S = 30.0
_WAIT_S = 0.05
_DEADLINE_S = 20.0


def cost_usd(payload: "dict[str, Any]", world: "World") -> "int | float | None":
    """
    Cost of all replies since local midnight at list prices, over all sessions of this machine and their agents.

    Reads:    projects/**/*.jsonl in $CLAUDE_CONFIG_DIR or ~/.claude, in the background; the config's prices
    Returns:  number [USD]; None when it is not known, as with a model that has no price
    Errors:   none
    Cost:     slow
    """
    return number(_today(world).get("cost_usd"))


def at_least_usd(payload: "dict[str, Any]", world: "World") -> "int | float | None":
    """
    The part of today's cost that is known while the whole is not.

    Reads:    as cost_usd
    Returns:  number [USD]; None when the whole is known, or nothing of it
    Errors:   none
    Cost:     slow
    """
    return number(_today(world).get("at_least_usd"))


def sessions(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    Sessions in which somebody has said something since local midnight.

    Reads:    as cost_usd
    Returns:  int from 0; None while it is not known
    Errors:   none
    Cost:     slow
    """
    return count(_today(world).get("sessions"))


def _today(world: "World") -> "dict[str, Any]":
    """The job's last answer about this very day, looked up once a render."""
    if "today" not in world.memo:
        folder = world.env("CLAUDE_CONFIG_DIR") or (world.home + "/.claude" if world.home else None)
        found = None
        if folder:
            day = localtime(world.now)
            # The day is part of the key: at midnight the old figures are nobody's answer.
            begin, end = (mktime((day[0], day[1], day[2] + n, 0, 0, 0, 0, 0, -1)) for n in (0, 1))
            arguments = {"folder": folder, "begin": begin, "end": end, "prices": world.settings.get("prices")}
            answer = world.slow("today", arguments, ttl=_AGE_S, wait=_WAIT_S, deadline=_DEADLINE_S)
            found = answer["value"] if answer else None
        world.memo["today"] = found if isinstance(found, dict) else {}
    known: dict[str, Any] = world.memo["today"]
    return known
