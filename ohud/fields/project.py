"""The directory that the session works in."""

from ohud.fields._num import parts, table, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ohud.run.world import World

# A longer path loses its middle [characters], as the filter `short_path` has it.
_SHORT = 40
# What is near the length of a text in the document may be cut [characters], and the longest path there is.
_LONG = 500
_LONGEST = 4096


def name(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    The project's name: the last part of its path.

    Reads:    as path
    Returns:  str; None when the host names no directory
    Errors:   none
    Source:   the launch directory comes first, so that the name stays while the session moves about
    """
    found = path(payload, world)
    if found is None:
        return None
    names = parts(found)
    return names[-1].strip() or found if names else found


def path(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    The project's directory.

    Reads:    workspace.project_dir; when that is missing or `/`: workspace.current_dir, cwd
    Returns:  str, as the host gives it (a `~` stays); None when the host names no directory
    Errors:   none
    Source:   host payloads 1.0.80 to 2.1.332
    """
    last = None
    for keys in (("workspace", "project_dir"), ("workspace", "current_dir"), ("cwd",)):
        found = _path(payload, keys, world)
        if found is not None:
            if parts(found):
                return found
            last = last or found
    return last


def short(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    The project's directory for a narrow place: home as `~`, the middle of a long path as `…`.

    Reads:    as path, and HOME
    Returns:  str; None when the host names no directory
    Errors:   none
    """
    found = path(payload, world)
    if found is None:
        return None
    home = (world.home or "").replace("\\", "/").rstrip("/")
    if home and (found.replace("\\", "/") + "/").startswith(home + "/"):
        found = "~" + found[len(home) :]
    found = found.rstrip("/\\") or found
    if len(found) <= _SHORT:
        return found
    separator = "\\" if "\\" in found and "/" not in found else "/"
    names = found.split(separator)
    # The beginning, the last name, and as many before that as there is room for.
    tail = names[-1]
    for part in names[-2:1:-1]:
        if len(names[0]) + len(part) + len(tail) + 4 > _SHORT:
            break
        tail = part + separator + tail
    return separator.join((names[0], "…", tail)) if len(names) > 2 else found


def worktree(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    The name of the linked worktree that the session works in.

    Reads:    workspace.git_worktree (a name, or a path whose last part is the name), worktree.name, worktree.path
    Returns:  str; None outside of a linked worktree
    Errors:   none
    Source:   host payloads 2.1.332: a name; other sources have a path
    """
    for keys in (("workspace", "git_worktree"), ("worktree", "name"), ("worktree", "path")):
        names = parts(_path(payload, keys, world) or "")
        if names:
            return names[-1]
    return None


def _path(payload: "dict[str, Any]", keys: "tuple[str, ...]", world: "World") -> "str | None":
    """A path of the payload; one that is too long for the document whole, as what tells it apart is its end."""
    found = text(table(payload, *keys[:-1]).get(keys[-1]))
    if found is None or len(found) < _LONG:
        return found
    return text(world.given(keys, _LONGEST)) or found
