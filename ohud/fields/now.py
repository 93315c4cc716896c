"""The present moment."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ohud.run.world import World


def now(payload: "dict[str, Any]", world: "World") -> int:
    """
    The present moment in whole seconds since 1970.

    Returns:  int [s]; OHUD_NOW fixes it
    Errors:   none
    """
    return int(world.now)
