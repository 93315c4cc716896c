"""What is checked out, where only git itself can tell: in a repository that keeps its refs in a reftable."""

from __future__ import annotations

from ohud.refresh._git import lines
from ohud.run.world import World


def work(arguments: dict[str, str], world: World) -> dict[str, str | None]:
    """
    Branch and commit of a repository.

    Takes:   arguments: root and git, as `lines` takes them
    Returns: ref, the full name that HEAD stands for, None when it is detached; commit, None before the first one
    Errors:  whatever keeps git from answering; the old answer then stays
    """
    ref = lines(world, arguments, "symbolic-ref", "-q", "HEAD")
    commit = lines(world, arguments, "rev-parse", "-q", "--verify", "HEAD")
    return {"ref": ref[0] if ref else None, "commit": commit[0] if commit else None}
