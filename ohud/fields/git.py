"""
The state of the Git repository around the session, read from its own files; no program is started.

Only HEAD, the files that point to it, one loose ref and the presence of some others are looked at, each a regular
file of at most 4 KiB. Configuration, index and packed refs are never opened: a stranger may have made them.
"""

import sys

from ohud.fields._num import table, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import stat_result
    from typing import Any

    from ohud.run.world import World

_LIMIT = 4096
_LEVELS = 64
_KIND = 0o170000
_FOLDER = 0o040000
_HEX = "0123456789abcdef"
_SHORT = 7


def branch(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    The branch that is checked out, also before its first commit; in a rebase the one that is being rebased.

    Reads:    workspace.current_dir, cwd; the repository's HEAD
    Returns:  str; None outside of a repository, with a detached HEAD and where refs are kept in a reftable
    Errors:   none
    Source:   git 2.39
    """
    found = _head(payload, world)
    if found is None:
        return None
    if found[0] is None and found[1] is not None:
        return _rebased(_places(payload, world), world)
    return found[0]


def detached(payload: "dict[str, Any]", world: "World") -> "bool | None":
    """
    Whether HEAD is a commit and no branch.

    Reads:    as branch
    Returns:  bool; None outside of a repository
    Errors:   none
    """
    found = _head(payload, world)
    return None if found is None else found[0] is None


def commit(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    The commit that is checked out, its first seven hexadecimal digits.

    Reads:    as branch; the branch's own ref file
    Returns:  str; None before the first commit and for a branch that is kept in the packed refs
    Errors:   none
    """
    found = _head(payload, world)
    places = _places(payload, world)
    if found is None or places is None:
        return None
    name, full = found
    if name is not None:
        full = _hash(_line(world, _common(places[0], world) + "/refs/heads/" + name))
    return full[:_SHORT] if full else None


def root(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    The top directory of the working tree; of a bare repository its own.

    Reads:    workspace.current_dir, cwd
    Returns:  str; None outside of a repository
    Errors:   none
    """
    places = _places(payload, world)
    return places[1] if places and _head(payload, world) else None


def worktree(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    The name under which the repository keeps the linked worktree.

    Reads:    workspace.current_dir, cwd; the file `.git`
    Returns:  str; None in the main working tree and outside of a repository
    Errors:   none
    """
    places = _places(payload, world)
    if places is None or _head(payload, world) is None:
        return None
    before, _, name = places[0].replace("\\", "/").rpartition("/")
    return name if before.endswith("/worktrees") and name else None


def operation(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    What is under way in the repository.

    Reads:    the presence of git's own marks
    Returns:  str "rebase", "am", "merge", "cherry-pick", "revert" or "bisect"; None when nothing is
    Errors:   none
    Source:   git 2.39, its prompt script
    """
    places = _places(payload, world)
    if places is None or _head(payload, world) is None:
        return None
    for mark, name in (
        ("rebase-merge", "rebase"),
        ("rebase-apply/applying", "am"),
        ("rebase-apply", "rebase"),
        ("MERGE_HEAD", "merge"),
        ("CHERRY_PICK_HEAD", "cherry-pick"),
        ("REVERT_HEAD", "revert"),
        ("BISECT_LOG", "bisect"),
    ):
        if world.stat(places[0] + "/" + mark) is not None:
            return name
    return None


def _start(payload: "dict[str, Any]", world: "World") -> "str | None":
    # As the host wrote it: the document's text is cut and cleaned for the eye.
    raw = world.raw or payload
    return text(table(raw, "workspace").get("current_dir")) or text(raw.get("cwd"))


def _places(payload: "dict[str, Any]", world: "World") -> "tuple[str, str] | None":
    """The repository's own directory and its working tree, found once a refresh."""
    if "git places" not in world.memo:
        start = _start(payload, world)
        world.memo["git places"] = _find(start, world) if start else None
    return world.memo["git places"]  # type: ignore[return-value]


def _head(payload: "dict[str, Any]", world: "World") -> "tuple[str | None, str | None] | None":
    """Branch, or commit with a detached HEAD; None when HEAD cannot be read. Read once a refresh."""
    if "git head" not in world.memo:
        places = _places(payload, world)
        line = _line(world, places[0] + "/HEAD") if places else None
        found: tuple[str | None, str | None] | None = None
        if line is not None:
            if line.startswith("ref:"):
                name = _branch(line[4:].lstrip(" \t"))
                found = (name, None) if name else None
            elif _hash(line):
                found = (None, line)
        world.memo["git head"] = found
    return world.memo["git head"]  # type: ignore[return-value]


def _find(start: str, world: "World") -> "tuple[str, str] | None":
    """The way up from a directory to a repository, at most 64 levels and on one device."""
    facts = world.stat(start)
    if facts is None or not _folder(facts):
        return None
    device = facts.st_dev
    if sys.platform == "win32":
        start = start.replace("\\", "/")
    folder = start.rstrip("/")
    for _ in range(_LEVELS):
        inside = world.stat(folder + "/.git")
        if inside is not None:
            if not _folder(inside):
                target = _pointed(folder, world)
                return (target, folder or "/") if target else None
            if world.lstat(folder + "/.git/HEAD") is not None:
                return folder + "/.git", folder or "/"
        if _bare(folder, world):
            # Inside of `.git` the working tree is the directory around it.
            return folder, folder[:-5] or "/" if folder.endswith("/.git") else folder
        folder, slash, _name = folder.rpartition("/")
        if not slash:
            return None
        facts = world.stat(folder or "/")
        if facts is None or facts.st_dev != device:
            return None
    return None


def _bare(folder: str, world: "World") -> bool:
    """Whether a directory is a repository without a working tree around it."""
    if world.lstat(folder + "/HEAD") is None:
        return False
    return _folder(world.stat(folder + "/objects")) and _folder(world.stat(folder + "/refs"))


def _folder(facts: "stat_result | None") -> bool:
    return facts is not None and facts.st_mode & _KIND == _FOLDER


def _pointed(folder: str, world: "World") -> "str | None":
    """The directory that a `.git` file names, when there is one; never a second hop."""
    line = _line(world, folder + "/.git")
    if line is None or not line.startswith("gitdir: "):
        return None
    target = _joined(folder, line[8:])
    return target if target and _folder(world.stat(target)) else None


def _common(place: str, world: "World") -> str:
    """The directory with the refs that a worktree shares with the others."""
    line = _line(world, place + "/commondir")
    return _joined(place, line) or place if line else place


def _joined(folder: str, path: str) -> "str | None":
    """A path from one of git's files, seen from the directory it stands in."""
    if sys.platform == "win32":
        absolute = path[1:2] == ":" or path[:1] in "/\\"
    else:
        absolute = path[:1] == "/"
    found = path if absolute else folder + "/" + path
    return found.rstrip("/") or None


def _line(world: "World", path: str) -> "str | None":
    """The only line of a small plain file; None when there is more, or anything that no printable line holds."""
    raw = world.read_plain(path, _LIMIT + 1)
    if raw is None or len(raw) > _LIMIT:
        return None
    line = raw.decode("utf-8", "replace").rstrip(" \t\r\n")
    if not line or not (line.isprintable() or all(" " <= character != "\x7f" for character in line)):
        return None
    return line


def _hash(line: "str | None") -> "str | None":
    """A full object name, in SHA-1 or SHA-256."""
    if line is None or len(line) not in (40, 64) or line.strip(_HEX):
        return None
    return line


def _branch(ref: str) -> "str | None":
    """
    The branch of a ref, when git itself would take the name.

    Source:  git check-ref-format; a reftable keeps `refs/heads/.invalid` in HEAD
    """
    if not ref.startswith("refs/heads/"):
        return None
    name = ref[11:]
    if not name or name[-1] in "/." or ".." in name or "@{" in name:
        return None
    for character in " ~^:?*[\\":
        if character in name:
            return None
    for part in name.split("/"):
        if not part or part[0] == "." or part.endswith(".lock"):
            return None
    if name.isprintable():
        return name
    # Git takes them; the cleaning would take what follows one for the body of a sequence.
    return "".join(character for character in name if not "\x80" <= character <= "\x9f") or None


def _rebased(places: "tuple[str, str] | None", world: "World") -> "str | None":
    """The branch that a stopped rebase will move."""
    if places is None:
        return None
    for folder in ("/rebase-merge", "/rebase-apply"):
        line = _line(world, places[0] + folder + "/head-name")
        if line:
            return _branch(line)
    return None
