"""Lines that differ between a working tree and its last commit."""

from __future__ import annotations

from ohud.refresh._git import GitError, entries, lines
from ohud.run.world import World

_DIFF = ("diff", "--numstat", "-z", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all")


def work(arguments: dict[str, str], world: World) -> dict[str, int | None]:
    """
    Lines added and removed since the last commit, untracked and binary files apart; a rename alone changes none.

    Takes:   arguments: root and git, as `entries` takes them
    Returns: added, removed; None before the first commit
    Errors:  whatever keeps git from answering; the old answer then stays
    """
    try:
        return _summed(arguments, world, "--find-renames")
    except GitError:
        if not lines(world, arguments, "rev-parse", "-q", "--verify", "HEAD"):
            # An answer and no failure: the next one must not wait until failures are forgiven.
            return {"added": None, "removed": None}
        # In a partial clone the contents that similar names are compared by may be missing.
        return _summed(arguments, world, "--no-renames")


def _summed(arguments: dict[str, str], world: World, renames: str) -> dict[str, int | None]:
    added = removed = 0
    found = entries(world, arguments, *_DIFF, renames, "HEAD", "--")
    for entry in found:
        plus, _, rest = entry.partition(b"\t")
        minus, last, path = rest.partition(b"\t")
        if not last:
            raise GitError("git prints something else than counts")
        if not path:
            # A rename's two paths are entries of their own.
            next(found, None)
            next(found, None)
        if plus.isdigit() and minus.isdigit():
            added += int(plus)
            removed += int(minus)
    return {"added": added, "removed": removed}
