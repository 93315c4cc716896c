"""The costly facts of a repository: what `git status` counts."""

from __future__ import annotations

from collections.abc import Iterable

from ohud.refresh._git import GitError, entries
from ohud.run.world import World

_STATUS = (
    "status",
    "--porcelain=v2",
    "--branch",
    "--ahead-behind",
    "-z",
    "--untracked-files=normal",
    # Which commit of a submodule is checked out is told by its files; for more, git would run another one inside of it.
    "--ignore-submodules=dirty",
)


def work(arguments: dict[str, str], world: World) -> dict[str, int | bool | None]:
    """
    Changes of a working tree.

    Takes:   arguments: root and git, as `entries` takes them
    Returns: staged, modified, untracked, conflicts [files], dirty, ahead and behind [commits, None without an upstream]
    Errors:  whatever keeps git from answering; the old answer then stays
    """
    try:
        return parse(entries(world, arguments, *_STATUS, "--find-renames"))
    except GitError:
        # In a partial clone the contents that similar names are compared by may be missing.
        return parse(entries(world, arguments, *_STATUS, "--no-renames"))


def parse(found: Iterable[bytes]) -> dict[str, int | bool | None]:
    """
    The counts in the entries of `git status --porcelain=v2 --branch -z`.

    Errors:  GitError without the header that git never leaves out: no news of something else is not good news
    """
    staged = modified = untracked = conflicts = 0
    told = False
    ahead: int | None = None
    behind: int | None = None
    rest = iter(found)
    for entry in rest:
        kind = entry[:2]
        if kind in (b"1 ", b"2 "):
            staged += entry[2:3] != b"."
            modified += entry[3:4] != b"."
            if kind == b"2 ":
                # A rename's old path is an entry of its own.
                next(rest, None)
        elif kind == b"u ":
            conflicts += 1
        elif kind == b"? ":
            untracked += 1
        elif entry.startswith(b"# branch.oid "):
            told = True
        elif entry.startswith(b"# branch.ab +"):
            plus, _, minus = entry[13:].partition(b" -")
            if plus.isdigit() and minus.isdigit():
                ahead, behind = int(plus), int(minus)
    if not told:
        raise GitError("git prints something else than a status")
    return {
        "staged": staged,
        "modified": modified,
        "untracked": untracked,
        "conflicts": conflicts,
        "dirty": bool(staged or modified or untracked or conflicts),
        "ahead": ahead,
        "behind": behind,
    }
