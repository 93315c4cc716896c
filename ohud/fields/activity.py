"""What the session is doing: tools, agents, the task list."""

from ohud.fields._num import tidy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ohud.run.world import World


def tools(payload: "dict[str, Any]", world: "World") -> "dict[str, Any] | None":
    """
    Calls of tools by the main conversation; agents and the upkeep of the task list are none.

    Reads:    transcript_path and the file
    Returns:  object; None without a transcript
    Keys:     running: list; {name, target, elapsed_s [s]} of each call without a result, oldest first
              recent: list; {name, target, ok, ended_at [s since 1970]} of the last 20 results, newest first
              counts: object; finished calls by name, failed ones too
              errors: int; calls that failed; what the user stopped or refused has not
    Errors:   none
    Source:   transcripts 1.0.17 to 2.1.332; a call without a result is dead after a later
              prompt, an interrupt, the end of the turn or a resume
    """
    state: Any = world.journal()
    if not state:
        return None
    running = []
    for call in state["open"].values():
        if not call["dead"]:
            running.append(
                {"name": call["name"], "target": call["target"], "elapsed_s": _elapsed(call["at"], world.now)}
            )
    return {
        "running": running,
        "recent": state["recent"][::-1],
        "counts": state["counts"],
        "errors": state["errors"],
    }


def agents(payload: "dict[str, Any]", world: "World") -> "list[dict[str, Any]] | None":
    """
    Agents that the main conversation has launched, oldest first, at most 40.

    Reads:    transcript_path and the file; the agents' own files are not read
    Returns:  list of {type, description, model, status "running" or "completed", elapsed_s [s], background, ended_at
              [s since 1970]}; None without a transcript
    Errors:   none
    Source:   transcripts to 2.1.332: tools `Task`, `Agent`; one in the background ends at its task notification
    """
    state: Any = world.journal()
    if not state:
        return None
    found = []
    for agent in state["agents"].values():
        ended = agent["ended"]
        found.append(
            {
                "type": agent["type"],
                "description": agent["description"],
                "model": agent["model"],
                "status": "running" if ended is None else "completed",
                "elapsed_s": _elapsed(agent["at"], world.now if ended is None else ended),
                "background": agent["background"],
                "ended_at": ended or None,
            }
        )
    return found


def todos(payload: "dict[str, Any]", world: "World") -> "dict[str, Any] | None":
    """
    The task list.

    Reads:    transcript_path and the file
    Returns:  object; None while there is no task
    Keys:     done: int; completed tasks
              total: int; all tasks
              current: str; the task in progress, in the wording for that where there is one
              items: list; {content, status "pending", "in_progress" or "completed"}
    Errors:   none
    Source:   transcripts to 2.1.332: `TodoWrite`, later `TaskCreate` and `TaskUpdate`
    """
    state: Any = world.journal()
    if not state or not state["todos"]:
        return None
    items = [{"content": task[0], "status": task[1]} for task in state["todos"].values()]
    return {
        "done": sum(1 for item in items if item["status"] == "completed"),
        "total": len(items),
        "current": next((task[2] or task[0] for task in state["todos"].values() if task[1] == "in_progress"), None),
        "items": items,
    }


def last_at(payload: "dict[str, Any]", world: "World") -> "int | float | None":
    """
    When a prompt, a reply or a result was last added to the main conversation, in seconds since 1970.

    Reads:    transcript_path and the file
    Returns:  number [s]; None while there is none
    Errors:   none
    """
    found = world.journal().get("last_at")
    return tidy(found, 3) if isinstance(found, (int, float)) else None


def _elapsed(start: "float | None", end: float) -> "int | float | None":
    """Seconds between two moments, never below 0: clocks differ."""
    return None if start is None else tidy(max(0.0, end - start), 3)
