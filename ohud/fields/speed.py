"""How fast the model answers."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ohud.run.world import World

# Shorter replies say more about the clock than about the model [s].
_SHORTEST_S = 0.05


def output_per_s(payload: "dict[str, Any]", world: "World") -> "float | None":
    """
    Output tokens a second of the last reply, the wait for its first token included.

    Reads:    transcript_path and the file: the reply's output tokens, the time from the prompt or result before it to
              its last record
    Returns:  number [tokens/s]; None before the first reply
    Errors:   none
    """
    reply: Any = world.journal().get("reply")
    if not reply:
        return None
    tokens, seconds = reply[2], reply[3]
    if not tokens or seconds is None or seconds < _SHORTEST_S:
        return None
    return round(float(tokens / seconds), 1)
