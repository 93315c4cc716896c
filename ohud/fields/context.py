"""How full the model's context window is."""

from ohud.fields._num import count, number, table, tidy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ohud.run.world import World


def percent(payload: "dict[str, Any]", world: "World") -> "int | float | None":
    """
    Share of the context window in use.

    Reads:    context_window.used_percentage [%]; without it current_usage over context_window_size
    Returns:  number 0..100 [%]; None before the first answer
    Errors:   none
    Source:   host payloads 2.1.332; the host's own rule is input and cache tokens over the size, as a whole number
    """
    given = number(table(payload, "context_window").get("used_percentage"))
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

    Reads:    context_window.current_usage
    Returns:  int from 0 [tokens]; None before the first answer
    Errors:   none
    Source:   host payloads 2.1.215, 2.1.332; total_input_tokens meant the whole session up to 2.1.131
    """
    usage = table(payload, "context_window", "current_usage")
    total = None
    for key in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"):
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


def source(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    Where the percentage comes from.

    Reads:    as percent
    Returns:  str "payload" (the host's own figure) or "usage" (worked out from the tokens); None when there is none
    Errors:   none
    """
    if number(table(payload, "context_window").get("used_percentage")) is not None:
        return "payload"
    return None if percent(payload, world) is None else "usage"
