"""What the session's transcript adds up to."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ohud.run.world import World


def tokens(payload: "dict[str, Any]", world: "World") -> "dict[str, Any] | None":
    """
    Tokens of the main conversation, each reply counted once.

    Reads:    transcript_path and the file: message.usage
    Returns:  object; None before the first reply
    Keys:     input: int [tokens]; what was sent and not cached
              output: int [tokens]; what was answered, thinking included
              cache_read: int [tokens]; what was read from the cache
              cache_write_5m: int [tokens]; what was cached for 5 minutes, and writes of which the time is not said
              cache_write_1h: int [tokens]; what was cached for an hour
              total: int [tokens]; the sum
    Errors:   none
    Source:   transcripts 1.0.17 to 2.1.332; a reply is a message id, of its records the largest counts
    """
    return _sums(world, "tokens")


def side_tokens(payload: "dict[str, Any]", world: "World") -> "dict[str, Any] | None":
    """
    Tokens of side chains that stand in the same file, as hosts up to early 2.x wrote them.

    Reads:    transcript_path and the file: message.usage of records with isSidechain
    Returns:  object; None when there are none
    Keys:     input: int [tokens]; what was sent and not cached
              output: int [tokens]; what was answered, thinking included
              cache_read: int [tokens]; what was read from the cache
              cache_write_5m: int [tokens]; what was cached for 5 minutes, and writes of which the time is not said
              cache_write_1h: int [tokens]; what was cached for an hour
              total: int [tokens]; the sum
    Errors:   none
    """
    return _sums(world, "side")


def messages(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    Replies in the main conversation.

    Reads:    transcript_path and the file
    Returns:  int from 0; None without a transcript
    Errors:   none
    """
    return _figure(world, "messages")


def prompts(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    Prompts that a person has given.

    Reads:    transcript_path and the file
    Returns:  int from 0; None without a transcript
    Errors:   none
    """
    return _figure(world, "prompts")


def compactions(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    How often the conversation was compacted.

    Reads:    transcript_path and the file
    Returns:  int from 0; None without a transcript
    Errors:   none
    """
    return _figure(world, "compactions")


def complete(payload: "dict[str, Any]", world: "World") -> "bool | None":
    """
    Whether the figures are of the whole transcript; a long one takes some refreshes to read.

    Reads:    transcript_path and the file
    Returns:  bool; None without a transcript
    Errors:   none
    """
    found = world.journal().get("complete")
    return found if isinstance(found, bool) else None


def _figure(world: "World", key: str) -> "int | None":
    found = world.journal().get(key)
    return found if isinstance(found, int) else None


def _sums(world: "World", key: str) -> "dict[str, Any] | None":
    """The tokens of all models together."""
    models: Any = world.journal().get(key)
    if not models:
        return None
    sums = [0, 0, 0, 0, 0, 0]
    for buckets in models.values():
        for figures in buckets.values():
            sums = [a + b for a, b in zip(sums, figures, strict=True)]
    return {
        "input": sums[0],
        "output": sums[1],
        "cache_read": sums[2],
        "cache_write_5m": sums[3],
        "cache_write_1h": sums[4],
        "total": sum(sums[:5]),
    }
