"""How full the model's context window is."""

from ohud.fields._answered import answered
from ohud.fields._num import count, number, table, tidy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ohud.run.world import World

# What fills the window; the answer counts with the next request only.
_INPUTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def percent(payload: "dict[str, Any]", world: "World") -> "int | float | None":
    """
    Share of the context window in use.

    Reads:    context_window.used_percentage [%]; without it current_usage over context_window_size; the transcript's
              end, as many hosts send the figures of before a /compact until the next answer
    Returns:  number 0..100 [%]; None before the first answer, and after a compaction until the next
    Errors:   none
    Source:   host payloads 2.1.332; current_usage is null where nothing counts yet; the host's own rule is input and
              cache tokens over the size, as a whole number
    """
    window_of = table(payload, "context_window")
    if "current_usage" in window_of and window_of["current_usage"] is None:
        # Nothing has been sent since the start, a /clear or a /compact: a figure that is there is of before.
        return None
    if _outlived(payload, world):
        return None
    given = number(window_of.get("used_percentage"))
    if given is not None:
        return min(100, max(0, tidy(given)))
    used = tokens(payload, world)
    window = size(payload, world)
    if used is None or window is None:
        return None
    return min(100, int(used * 100 / window + 0.5))


def left(payload: "dict[str, Any]", world: "World") -> "int | float | None":
    """
    Share of the context window still free.

    Reads:    as percent
    Returns:  number 0..100 [%]; None before the first answer
    Errors:   none
    """
    used = percent(payload, world)
    return None if used is None else tidy(100 - used)


def tokens(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    Tokens in the context window after the last answer: input and cache, without the output.

    Reads:    context_window.current_usage, the transcript's end
    Returns:  int from 0 [tokens]; None before the first answer, and after a compaction until the next
    Errors:   none
    Source:   host payloads 2.1.215, 2.1.332; total_input_tokens meant the whole session up to 2.1.131
    """
    usage = table(payload, "context_window", "current_usage")
    if _outlived(payload, world):
        return None
    total = None
    for key in _INPUTS:
        found = count(usage.get(key))
        if found is not None:
            total = found if total is None else total + found
    return total if total is None else count(total)


def tokens_left(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    Tokens that still fit into the context window.

    Reads:    context_window.current_usage, context_window.context_window_size
    Returns:  int from 0 [tokens]; None when the use or the size is not known
    Errors:   none
    """
    used = tokens(payload, world)
    window = size(payload, world)
    return None if used is None or window is None else max(0, window - used)


def size(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    Size of the context window, as the host gives it.

    Reads:    context_window.context_window_size [tokens]
    Returns:  int above 0 [tokens]; None when the host does not say
    Errors:   none
    """
    return count(table(payload, "context_window").get("context_window_size")) or None


def compacts_at(payload: "dict[str, Any]", world: "World") -> "int | float | None":
    """
    Share of the context window at which the host compacts by itself.

    Reads:    context_window_size; CLAUDE_AUTOCOMPACT_PCT_OVERRIDE, DISABLE_AUTO_COMPACT, DISABLE_COMPACT
    Returns:  number 0..100 [%]; None where it does not, or the size is not known
    Errors:   none
    Source:   public reports on hosts up to 2.1.220, read 2026-11-30: 20,000 tokens are kept for the answer and 13,000
              as a buffer (167k of 200k, 967k of 1M); the variable can only lower that
    """
    window = size(payload, world)
    if window is None or world.env("DISABLE_AUTO_COMPACT") or world.env("DISABLE_COMPACT"):
        return None
    usable = window - 20_000
    limit = usable - 13_000
    asked = world.env("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE") or ""
    if asked.isascii() and asked.isdecimal() and len(asked) < 4 and 0 < int(asked) <= 100:
        limit = min(limit, usable * int(asked) // 100)
    return tidy(limit * 100 / window) if limit > 0 else None


def source(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    Where the percentage comes from.

    Reads:    as percent
    Returns:  str "payload" (the host's own figure) or "usage" (worked out from the tokens); None when there is none
    Errors:   none
    """
    if percent(payload, world) is None:
        return None
    return "usage" if number(table(payload, "context_window").get("used_percentage")) is None else "payload"


def _outlived(payload: "dict[str, Any]", world: "World") -> bool:
    """
    Whether the payload's figures are of an answer that a compaction came after.

    Source:   public reports on hosts up to 2.1.232, read 2026-11-30: nothing is sent anew until the next answer.
              The transcript can be behind the payload, so a compaction counts only while both tell of the same answer
    """
    usage = table(payload, "context_window", "current_usage")
    if not any(count(usage.get(key)) for key in _INPUTS):
        return False
    before = answered(payload, world)[1]
    return before is not None and all((count(before.get(key)) or 0) == (count(usage.get(key)) or 0) for key in _INPUTS)
