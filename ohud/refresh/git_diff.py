"""Lines that differ between a working tree and its last commit."""

from __future__ import annotations

from ohud.refresh._git import entries
from ohud.run.world import World

_DIFF = ("diff", "--numstat", "-z", "--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=all")


def work(arguments: dict[str, str], world: World) -> dict[str, int]:
    """
    Lines added and removed since the last commit, untracked and binary files apart.

    Takes:   arguments: root and git, as `entries` takes them
    Errors:  whatever keeps git from answering, as does a branch without a commit; the old answer then stays
    """
    added = removed = 0
    for entry in entries(world, arguments, *_DIFF, "HEAD", "--"):
        plus, _, rest = entry.partition(b"\t")
        minus = rest.partition(b"\t")[0]
        if plus.isdigit() and minus.isdigit():
            added += int(plus)
            removed += int(minus)
    return {"added": added, "removed": removed}
