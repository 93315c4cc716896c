"""
What the user's own programs print: one `[commands.NAME]` of the config is one name here.

A program is asked for by name, so every other name in this module begins with `_`.
"""

from ohud.fields import _num

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ohud.run.world import World


def commands(payload: "dict[str, Any]", world: "World") -> "dict[str, str | None] | None":
    """
    The output of the programs that the user's config names, by their names there.

    Reads:    commands.NAME of the config: run, refresh_s [s], timeout_ms [ms]
    Returns:  object; None when the config names no program
    Keys:     NAME: str; first line that the program printed; None before its first end and when it failed
    Errors:   none
    Cost:     slow
    """
    names = list(_num.table(world.settings, "commands"))
    return {name: _printed(name, payload, world) for name in names} if names else None


def __getattr__(name: str) -> "Callable[[dict[str, Any], World], str | None]":
    """The field of one program, for a theme that names it alone."""
    if name.startswith("_"):
        raise AttributeError(name)
    return lambda payload, world: _printed(name, payload, world)


def _printed(name: str, payload: "dict[str, Any]", world: "World") -> "str | None":
    entry = _num.table(world.settings, "commands", name)
    run = entry.get("run")
    if not isinstance(run, list) or not run:
        return None
    age_s, limit_ms = _num.number(entry.get("refresh_s")), _num.number(entry.get("timeout_ms"))
    raw = world.raw or payload
    # An answer belongs to a session in a directory. No first wait: whoever is slow here is not ohud.
    arguments = {
        "name": name,
        "run": run,
        "session": _num.text(raw.get("session_id")),
        "folder": _num.text(_num.table(raw, "workspace").get("current_dir")) or _num.text(raw.get("cwd")),
    }
    deadline = (1000 if limit_ms is None else limit_ms) / 1000 + 2
    answer = world.slow("command", arguments, ttl=10 if age_s is None else age_s, deadline=deadline)
    value = answer["value"] if answer else None
    return value if isinstance(value, str) else None
