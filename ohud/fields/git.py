"""
The state of the Git repository around the session.

What is checked out is read from the repository's own files, and no program is started for it: only HEAD, the files that
point to it, one loose ref and the presence of some others are looked at, each a regular file of at most 4 KiB.
Configuration, index and packed refs are never opened: a stranger may have made them. What `git status` and `git diff`
count is a slow fact, asked for by a process of its own, and only when a theme names it.
"""

import sys

from ohud.fields._num import count, number, table, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import stat_result
    from typing import Any

    from ohud.run.world import World

_LIMIT = 4096
# Some 1,500 stashes [bytes].
_STASHES_LIMIT = 262144
_LEVELS = 64
_KIND = 0o170000
_FOLDER = 0o040000
_LINK = 0o120000
# Of a path whose links are followed.
_STEPS = 256
_HEX = "0123456789abcdef"
_SHORT = 7
# What a reftable leaves in HEAD for older programs.
_STUB = "ref: refs/heads/.invalid"


def branch(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    The branch that is checked out, also before its first commit; in a rebase the one that is being rebased.

    Reads:    workspace.current_dir, cwd; the repository's HEAD; `git symbolic-ref` where refs are kept in a reftable
    Returns:  str; None outside of a repository and with a detached HEAD
    Errors:   none
    Source:   git 2.39
    """
    found = _tip(payload, world)
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
    found = _tip(payload, world)
    return None if found is None else found[0] is None


def commit(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    The commit that is checked out, its first seven hexadecimal digits.

    Reads:    as branch; the branch's own ref file
    Returns:  str; None before the first commit and for a branch that is kept in the packed refs
    Errors:   none
    """
    found = _tip(payload, world)
    places = _places(payload, world)
    if found is None or places is None:
        return None
    name, full = found
    if name is not None and full is None:
        full = _hash(_line(world, _common(places[0], world) + "/refs/heads/" + name))
    return full[:_SHORT] if full else None


def root(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    The top directory of the working tree; of a bare repository its own.

    Reads:    workspace.current_dir, cwd
    Returns:  str; None outside of a repository
    Errors:   none
    """
    places = _repository(payload, world)
    return places[1] if places else None


def worktree(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    The name under which the repository keeps the linked worktree.

    Reads:    workspace.current_dir, cwd; the file `.git`
    Returns:  str; None in the main working tree and outside of a repository
    Errors:   none
    """
    places = _repository(payload, world)
    if places is None:
        return None
    before, _, name = places[0].replace("\\", "/").rpartition("/")
    return name if before.endswith("/worktrees") and name else None


def operation(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    What is under way in the repository.

    Reads:    the presence of git's own marks; the first word of the steps that are left
    Returns:  str "rebase", "am", "merge", "cherry-pick", "revert" or "bisect"; None when nothing is
    Errors:   none
    Source:   git 2.39, its prompt script
    """
    places = _repository(payload, world)
    if places is None:
        return None
    for mark, name in (
        ("rebase-merge", "rebase"),
        ("rebase-apply/applying", "am"),
        ("rebase-apply", "rebase"),
        ("MERGE_HEAD", "merge"),
        ("CHERRY_PICK_HEAD", "cherry-pick"),
        ("REVERT_HEAD", "revert"),
    ):
        if world.stat(places[0] + "/" + mark) is not None:
            return name
    # Between two of several picks there is no other mark.
    steps = world.read_plain(places[0] + "/sequencer/todo", 7) or b""
    if steps.startswith((b"pick ", b"p ")):
        return "cherry-pick"
    if steps == b"revert ":
        return "revert"
    return "bisect" if world.stat(places[0] + "/BISECT_LOG") is not None else None


def stashes(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    How many changes are put aside with `git stash`.

    Reads:    the log of refs/stash
    Returns:  int; None outside of a repository, where refs are kept in a reftable, and for more than some 1,500
    Errors:   none
    Source:   git 2.39
    """
    places = _places(payload, world)
    if places is None or _head(payload, world) is None:
        return None
    path = _common(places[0], world) + "/logs/refs/stash"
    raw = world.read_plain(path, _STASHES_LIMIT)
    if raw is None:
        return 0 if world.lstat(path) is None else None
    return raw.count(b"\n") if len(raw) < _STASHES_LIMIT else None


def dirty(payload: "dict[str, Any]", world: "World") -> "bool | None":
    """
    Whether anything in the working tree differs from the last commit, untracked files too.

    Reads:    `git status`; of a submodule only its other commit counts, not what changed inside of it
    Returns:  bool; None outside of a working tree, and while git has not answered
    Errors:   none
    Source:   git 2.39
    Cost:     slow
    """
    value = _status(payload, world).get("dirty")
    return value if isinstance(value, bool) else None


def staged(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    Files whose next commit differs from the last one; a renamed file is one.

    Reads:    as dirty
    Returns:  int [files]; None as dirty
    Errors:   none
    Cost:     slow
    """
    return count(_status(payload, world).get("staged"))


def modified(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    Files that differ from what is staged, deleted ones too.

    Reads:    as dirty
    Returns:  int [files]; None as dirty
    Errors:   none
    Cost:     slow
    """
    return count(_status(payload, world).get("modified"))


def untracked(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    Files that git neither tracks nor ignores; a directory of nothing else is one.

    Reads:    as dirty
    Returns:  int [files]; None as dirty
    Errors:   none
    Cost:     slow
    """
    return count(_status(payload, world).get("untracked"))


def conflicts(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    Files that a merge has left unmerged; they are neither staged nor modified.

    Reads:    as dirty
    Returns:  int [files]; None as dirty
    Errors:   none
    Cost:     slow
    """
    return count(_status(payload, world).get("conflicts"))


def ahead(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    Commits that the upstream branch does not have.

    Reads:    as dirty; the upstream as it was last fetched
    Returns:  int [commits]; None as dirty, and without an upstream
    Errors:   none
    Cost:     slow
    """
    return count(_status(payload, world).get("ahead"))


def behind(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    Commits that only the upstream branch has.

    Reads:    as ahead
    Returns:  int [commits]; None as ahead
    Errors:   none
    Cost:     slow
    """
    return count(_status(payload, world).get("behind"))


def lines_added(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    Lines that the working tree has and the last commit has not; untracked, binary and just renamed files do not count.

    Reads:    `git diff`
    Returns:  int [lines]; None as dirty, and before the first commit
    Errors:   none
    Cost:     slow
    """
    return count(_counted("git_diff", payload, world).get("added"))


def lines_removed(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    Lines of the last commit that are no longer in the working tree.

    Reads:    as lines_added
    Returns:  int [lines]; None as lines_added
    Errors:   none
    Cost:     slow
    """
    return count(_counted("git_diff", payload, world).get("removed"))


def _status(payload: "dict[str, Any]", world: "World") -> "dict[str, Any]":
    return _counted("git_status", payload, world)


def _counted(job: str, payload: "dict[str, Any]", world: "World") -> "dict[str, Any]":
    """What git counts in the working tree; empty outside of one, and while there is no answer."""
    places = _repository(payload, world)
    # A bare repository has no working tree to compare with.
    return _asked(job, places, world) if places and places[0] != places[1] else {}


def _asked(job: str, places: "tuple[str, str]", world: "World") -> "dict[str, Any]":
    """The last known answer of git, asked for once a refresh."""
    if job not in world.memo:
        settings = table(world.settings, "git")
        refresh_s = number(settings.get("refresh_s"))
        answer = world.slow(
            job,
            {"root": places[1], "git": places[0]},
            ttl=5 if refresh_s is None else refresh_s,
            wait=(number(settings.get("wait_ms")) or 0) / 1000,
            deadline=(number(settings.get("timeout_ms")) or 1000) / 1000,
        )
        world.memo[job] = table(answer or {}, "value")
    asked: dict[str, Any] = world.memo[job]
    return asked


def _start(payload: "dict[str, Any]", world: "World") -> "str | None":
    # As the host wrote it: the document's text is cut and cleaned for the eye.
    raw = world.raw or payload
    return text(table(raw, "workspace").get("current_dir")) or text(raw.get("cwd"))


def _places(payload: "dict[str, Any]", world: "World") -> "tuple[str, str] | None":
    """The repository's own directory and its working tree, found once a refresh."""
    if "git places" not in world.memo:
        start = _start(payload, world)
        world.memo["git places"] = _find(start, world) if start else None
    places: tuple[str, str] | None = world.memo["git places"]
    return places


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
        world.memo["git reftable"] = bool(
            line == _STUB and places and _folder(world.stat(_common(places[0], world) + "/reftable"))
        )
    head: tuple[str | None, str | None] | None = world.memo["git head"]
    return head


def _repository(payload: "dict[str, Any]", world: "World") -> "tuple[str, str] | None":
    """As `_places`, when what is found there is a repository."""
    return _places(payload, world) if _head(payload, world) or world.memo["git reftable"] else None


def _tip(payload: "dict[str, Any]", world: "World") -> "tuple[str | None, str | None] | None":
    """As `_head`, and of a repository with a reftable what git says of it: branch and commit."""
    found = _head(payload, world)
    places = _places(payload, world)
    if found is None and places and world.memo["git reftable"]:
        told = _asked("git_head", places, world)
        ref, full = text(told.get("ref")), _hash(text(told.get("commit")))
        name = _branch(ref) if ref else None
        if name or (full and not ref):
            found = (name, full)
    return found


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
        if sys.platform != "win32" and _link(world.lstat(folder)):
            # The way up from a link's target is not that from the link.
            folder = _real(folder, world) or ""
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


def _link(facts: "stat_result | None") -> bool:
    return facts is not None and facts.st_mode & _KIND == _LINK


def _real(folder: str, world: "World") -> "str | None":
    """An absolute path with every link in it followed; None where there are too many."""
    real = ""
    rest = folder.split("/")[::-1]
    for _ in range(_STEPS):
        if not rest:
            return real
        name = rest.pop()
        if name in ("", "."):
            continue
        if name == "..":
            real = real.rpartition("/")[0]
            continue
        target = world.link(real + "/" + name)
        if target is None:
            real += "/" + name
        else:
            real = "" if target.startswith("/") else real
            rest += target.split("/")[::-1]
    return None


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
