"""The model's reasoning effort."""

from ohud.fields._num import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ohud.run.world import World


def effort(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    The reasoning effort's level, any name a host may give it.

    Reads:    effort.level, effort
    Returns:  str; None when the host or the model has none
    Errors:   none
    Source:   host payloads 2.1.119 to 2.1.332: an object; older hosts sent the bare text
    """
    value = payload.get("effort")
    return text(value.get("level") if isinstance(value, dict) else value)
