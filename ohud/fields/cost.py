"""What the session has cost."""

from ohud.fields._num import number, table, tidy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ohud.run.world import World


def usd(payload: "dict[str, Any]", world: "World") -> "int | float | None":
    """
    The session's cost, as the host counts it.

    Reads:    cost.total_cost_usd [USD]
    Returns:  number [USD]; None when it is not known
    Errors:   none
    Source:   host payloads 2.1.332; 0 is a real value, and some builds do not reset it with the session
    """
    return number(table(payload, "cost").get("total_cost_usd"))


def at_least_usd(payload: "dict[str, Any]", world: "World") -> "int | float | None":
    """
    The part of the cost that is known while the whole is not.

    Returns:  number [USD]; None when the whole is known, or nothing of it
    Errors:   none
    """
    return None


def source(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    Where the cost comes from.

    Reads:    cost.total_cost_usd [USD]
    Returns:  str "native" (the host's own figure); None when the cost is not known
    Errors:   none
    """
    return None if usd(payload, world) is None else "native"


def basis(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    The price table behind an estimate, with its date.

    Returns:  str; None when the figure is the host's own
    Errors:   none
    """
    return None


def per_hour(payload: "dict[str, Any]", world: "World") -> "int | float | None":
    """
    The cost over an hour at the session's pace so far.

    Reads:    cost.total_cost_usd [USD], cost.total_duration_ms [ms]
    Returns:  number [USD/h]; None when cost or time is not known, or no time has passed
    Errors:   none
    """
    spent = usd(payload, world)
    passed = number(table(payload, "cost").get("total_duration_ms"))
    if spent is None or passed is None or passed <= 0:
        return None
    return number(tidy(spent * 3600000.0 / passed, 6))
