"""What the session has cost."""

from ohud.fields._num import number, table, tidy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ohud.run.world import World


def usd(payload: "dict[str, Any]", world: "World") -> "int | float | None":
    """
    The session's cost: the host's own figure, else what its transcript comes to at list prices.

    Reads:    cost.total_cost_usd [USD]; without it the transcript's tokens, and the config's prices
    Returns:  number [USD]; None when it is not known, as with a model that has no price
    Errors:   none
    Source:   host payloads 2.1.332; 0 is a real value, and some builds do not reset it with the session
    """
    given = _native(payload)
    return _estimate(world)[0] if given is None else given


def at_least_usd(payload: "dict[str, Any]", world: "World") -> "int | float | None":
    """
    The part of the cost that is known while the whole is not.

    Reads:    as usd
    Returns:  number [USD]; None when the whole is known, or nothing of it
    Errors:   none
    """
    return _estimate(world)[1] if _native(payload) is None else None


def source(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    Where the cost comes from.

    Reads:    as usd
    Returns:  str "native" (the host's own figure) or "estimated"; None when nothing of the cost is known
    Errors:   none
    """
    if _native(payload) is not None:
        return "native"
    whole, part, _ = _estimate(world)
    return None if whole is None and part is None else "estimated"


def basis(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    The price table behind an estimate, with its date.

    Reads:    as usd
    Returns:  str such as "genai-prices 0.2.3, 2026-11-10", or "config"; None when the figure is the host's own
    Errors:   none
    """
    return _estimate(world)[2] if _native(payload) is None else None


def per_hour(payload: "dict[str, Any]", world: "World") -> "int | float | None":
    """
    The cost over an hour at the session's pace so far.

    Reads:    as usd, and cost.total_duration_ms [ms]
    Returns:  number [USD/h]; None when cost or time is not known, or no time has passed
    Errors:   none
    """
    spent = usd(payload, world)
    passed = number(table(payload, "cost").get("total_duration_ms"))
    if spent is None or passed is None or passed <= 0:
        return None
    return number(tidy(spent * 3600000.0 / passed, 6))


def _native(payload: "dict[str, Any]") -> "int | float | None":
    return number(table(payload, "cost").get("total_cost_usd"))


def _estimate(world: "World") -> "tuple[float | None, float | None, str | None]":
    """The transcript at list prices: (all of it, the known part when not all is known, the price table)."""
    found = world.memo.get("cost estimate")
    if found is None:
        from ohud.fields._estimate import estimate

        found = world.memo["cost estimate"] = estimate(world.journal(), world.settings.get("prices"))
    return found
