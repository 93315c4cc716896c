"""The session as a whole."""

from ohud.fields._num import count, number, table, text, tidy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ohud.run.world import World


def duration_s(payload: "dict[str, Any]", world: "World") -> "int | float | None":
    """
    Wall time since the session began.

    Reads:    cost.total_duration_ms [ms]
    Returns:  number from 0 [s]; None when the host does not say
    Errors:   none
    Source:   host payloads 2.1.332
    """
    return _seconds(payload, "total_duration_ms")


def api_s(payload: "dict[str, Any]", world: "World") -> "int | float | None":
    """
    Time spent waiting for the model; more than the wall time when agents ran side by side.

    Reads:    cost.total_api_duration_ms [ms]
    Returns:  number from 0 [s]; None when the host does not say
    Errors:   none
    Source:   host payloads 2.1.332
    """
    return _seconds(payload, "total_api_duration_ms")


def name(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    The session's name.

    Reads:    session_name; else the titles in the transcript: the user's, the one the host made up, a summary
    Returns:  str; None until it has one
    Errors:   none
    Source:   host payloads 2.1.332: from `/rename` or `--name`; transcripts of 2.1.215: custom-title, ai-title
    """
    given = text(payload.get("session_name"))
    if given is not None:
        return given
    titles = world.journal().get("titles")
    if not isinstance(titles, dict):
        return None
    for kind in ("custom-title", "ai-title", "summary"):
        found = text(titles.get(kind))
        if found is not None:
            return found
    return None


def lines_added(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    Lines that the session has added to files.

    Reads:    cost.total_lines_added
    Returns:  int from 0; None when the host does not say
    Errors:   none
    """
    return count(table(payload, "cost").get("total_lines_added"))


def lines_removed(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    Lines that the session has removed from files.

    Reads:    cost.total_lines_removed
    Returns:  int from 0; None when the host does not say
    Errors:   none
    """
    return count(table(payload, "cost").get("total_lines_removed"))


def started_at(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    When the session began, in seconds since 1970.

    Reads:    the first time in the transcript
    Returns:  int [s]; None while it is not known
    Errors:   none
    """
    found = number(world.journal().get("started_at"))
    return None if found is None else int(found)


def _seconds(payload: "dict[str, Any]", key: str) -> "int | float | None":
    passed = number(table(payload, "cost").get(key))
    return None if passed is None or passed < 0 else tidy(passed / 1000, 3)
