"""Lines that differ between a working tree and its last commit."""

from __future__ import annotations

from ohud.refresh._git import run_git
from ohud.run.world import World


def work(arguments: dict[str, str], world: World) -> dict[str, int]:
    """
    Lines added and removed since the last commit, untracked and binary files apart.

    Takes:   arguments: root, the working tree's top folder
    Errors:  whatever keeps git from answering; the old answer then stays
    """
    raw = run_git(
        world,
        arguments["root"],
        "diff",
        "--numstat",
        "-z",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
        "--ignore-submodules=all",
        "HEAD",
        "--",
    )
    added = removed = 0
    for entry in raw.split(b"\0"):
        plus, _, rest = entry.partition(b"\t")
        minus = rest.partition(b"\t")[0]
        if plus.isdigit() and minus.isdigit():
            added += int(plus)
            removed += int(minus)
    return {"added": added, "removed": removed}
