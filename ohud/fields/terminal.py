"""The terminal that the line is drawn on."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ohud.run.world import World


def columns(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    Width of the terminal.

    Reads:    COLUMNS, else the config's `columns`
    Returns:  int 1..1000 [cells]; None when nobody says
    Errors:   none
    Source:   the host sets COLUMNS from 2.1.153 on
    """
    return world.columns


def lines(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    Height of the terminal.

    Reads:    LINES
    Returns:  int 1..1000 [rows]; None when nobody says
    Errors:   none
    Source:   the host sets LINES from 2.1.153 on
    """
    return world.lines


def color(payload: "dict[str, Any]", world: "World") -> str:
    """
    Depth of the colours in use, in the words of the config's `color`.

    Reads:    NO_COLOR, FORCE_COLOR, COLORTERM, TERM and the config's `color`
    Returns:  str "never", "16", "256" or "truecolor"
    Errors:   none
    """
    return {4: "16", 8: "256", 24: "truecolor"}.get(world.color, "never")
