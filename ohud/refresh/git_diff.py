"""Lines that differ between a working tree and its last commit."""

from __future__ import annotations

from ohud.refresh._git import GitError, entries, lines
from ohud.run.world import World

_DIFF = ("diff", "--numstat", "-z", "--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=all")


def work(arguments: dict[str, str], world: World) -> dict[str, int | None]:
    """
    Lines added and removed since the last commit, untracked and binary files apart.

    Takes:   arguments: root and git, as `entries` takes them
    Returns: added, removed; None before the first commit
    Errors:  whatever keeps git from answering; the old answer then stays
    """
    try:
        return _summed(arguments, world)
    except GitError:
        # An answer and no failure: the next one must not wait until failures are forgiven.
        if lines(world, arguments, "rev-parse", "-q", "--verify", "HEAD"):
            raise
        return {"added": None, "removed": None}


def _summed(arguments: dict[str, str], world: World) -> dict[str, int | None]:
    added = removed = 0
    for entry in entries(world, arguments, *_DIFF, "HEAD", "--"):
        plus, _, rest = entry.partition(b"\t")
        minus, last, _ = rest.partition(b"\t")
        if not last:
            raise GitError("git prints something else than counts")
        if plus.isdigit() and minus.isdigit():
            added += int(plus)
            removed += int(minus)
    return {"added": added, "removed": removed}
