"""The memory of a Mac, which only its own programs tell."""

from __future__ import annotations

import re
import subprocess
from typing import Any

from ohud.run.world import World

# Pages that could be given to a program at once.
_FREE = ("free", "inactive", "speculative", "purgeable")


def work(arguments: dict[str, Any], world: World) -> dict[str, int]:
    """
    Memory in use and in all.

    Returns: used_bytes, total_bytes
    Errors:  OSError, ValueError, subprocess.SubprocessError where the programs do not answer
    """
    return parse(int(_said("/usr/sbin/sysctl", "-n", "hw.memsize")), _said("/usr/bin/vm_stat"))


def parse(total: int, pages: str) -> dict[str, int]:
    """
    The figures in what `vm_stat` prints.

    Takes:   total [bytes]
    Errors:  ValueError when they are not there
    """
    size = re.search(r"page size of (\d{1,9}) bytes", pages)
    free = re.findall(rf"^Pages ({'|'.join(_FREE)}): +(\d{{1,15}})\.", pages, re.MULTILINE)
    if size is None or not free or total <= 0:
        raise ValueError("vm_stat speaks otherwise")
    available = int(size[1]) * sum(int(number) for _, number in free)
    return {"used_bytes": max(0, total - available), "total_bytes": total}


def _said(*command: str) -> str:
    found = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=2, check=True
    )
    return found.stdout[:65536].decode("ascii", "replace")
