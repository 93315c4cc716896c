"""The prompt cache: how much it serves, and how long it stays warm."""

from ohud.fields._num import count, number, table, tidy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ohud.run.world import World

_TTLS = {"5m": 300, "1h": 3600}


def hit_ratio(payload: "dict[str, Any]", world: "World") -> "float | None":
    """
    Share of the last request that was read from the cache.

    Reads:    context_window.current_usage; without it the transcript's last reply
    Returns:  number 0..1; None before the first reply, when nothing was sent, and after a compaction
    Errors:   none
    """
    usage = table(payload, "context_window").get("current_usage")
    if isinstance(usage, dict):
        reads = count(usage.get("cache_read_input_tokens"))
        if reads is None:
            return None
        written = count(usage.get("cache_creation_input_tokens")) or 0
        return _ratio(reads, (count(usage.get("input_tokens")) or 0) + written + reads)
    last: Any = world.journal().get("last_usage")
    return _ratio(last[2], last[0] + last[2] + last[3] + last[4]) if last else None


def session_hit_ratio(payload: "dict[str, Any]", world: "World") -> "float | None":
    """
    Share of all that the session has sent which was read from the cache.

    Reads:    prompt_cache.hit_ratio; without it the transcript
    Returns:  number 0..1; None before the first reply, and where the host sees no caching
    Errors:   none
    Source:   host payloads 2.1.332; the host counts from the start of its process
    """
    if _is_unseen(payload):
        return None
    given = number(table(payload, "prompt_cache").get("hit_ratio"))
    if given is not None and 0 <= given <= 1:
        return float(given)
    models: Any = world.journal().get("tokens") or {}
    reads = sent = 0
    for buckets in models.values():
        for figures in buckets.values():
            reads += figures[2]
            sent += figures[0] + figures[2] + figures[3] + figures[4]
    return _ratio(reads, sent)


def ttl_s(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    How long the cache is kept after each use.

    Reads:    prompt_cache.ttl; without it the transcript's last cache write
    Returns:  int 300 or 3600 [s]; None while nothing was cached
    Errors:   none
    """
    if _is_unseen(payload):
        return None
    given = table(payload, "prompt_cache").get("ttl")
    if isinstance(given, str) and given in _TTLS:
        return _TTLS[given]
    found = world.journal().get("ttl_s")
    return found if isinstance(found, int) else None


def expires_in_s(payload: "dict[str, Any]", world: "World") -> "int | float | None":
    """
    Time left until the cache goes cold.

    Reads:    prompt_cache.expires_at [s since 1970], prompt_cache.warm; without them the transcript's last reply and
              the ttl
    Returns:  number from 0 [s], 0 once it is cold; None while nothing is cached
    Errors:   none
    Source:   host payloads 2.1.332; a refresh by timer repeats an old payload, so `warm` there can be out of date
    """
    cache = payload.get("prompt_cache")
    if isinstance(cache, dict):
        expires = None if _is_unseen(payload) else number(cache.get("expires_at"))
        # What the host knows to be cold, after a switch of the model for one, has no time left.
        return 0 if expires is not None and cache.get("warm") is False else _left(expires, world)
    return _left(_expires(world.journal()), world)


def warm(payload: "dict[str, Any]", world: "World") -> "bool | None":
    """
    Whether the next request can read from the cache.

    Reads:    as expires_in_s, and prompt_cache.warm
    Returns:  bool; None while nothing is known
    Errors:   none
    """
    if _is_unseen(payload):
        return None
    cache = payload.get("prompt_cache")
    left = expires_in_s(payload, world)
    if isinstance(cache, dict) and (cache.get("warm") is False or left is None):
        return False if cache.get("warm") in (True, False) else None
    return None if left is None else left > 0


def _is_unseen(payload: "dict[str, Any]") -> bool:
    """Whether the host says that no request has used a cache: what it says of one then means nothing."""
    return table(payload, "prompt_cache").get("caching_observed") is False


def _left(expires: "int | float | None", world: "World") -> "int | float | None":
    return None if expires is None else tidy(max(0.0, expires - world.now), 3)


def _expires(state: "dict[str, Any]") -> "float | None":
    """When the cache goes cold by the transcript's last reply."""
    last, at, ttl = state.get("last_usage"), state.get("last_reply_at"), state.get("ttl_s")
    if at is None or ttl is None or (last and not last[2] + last[3] + last[4]):
        return None
    return float(at + ttl)


def _ratio(part: int, whole: int) -> "float | None":
    return part / whole if whole else None
