"""The machine's memory."""

import sys

from ohud.fields._num import count, tidy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ohud.run.world import World

_AGE_S = 5.0


def used_bytes(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    Memory that no program could get: all of it but what is free or can be freed at once.

    Reads:    /proc/meminfo: MemTotal - MemAvailable; on macOS `sysctl` and `vm_stat`, in the background
    Returns:  int from 0 [bytes]; None where the system does not say (Windows)
    Errors:   none
    Source:   the original counted the file cache as used, which no other tool does
    """
    found = _memory(world)
    return found[0] if found else None


def total_bytes(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    All of the machine's memory.

    Reads:    as used_bytes
    Returns:  int above 0 [bytes]; None where the system does not say
    Errors:   none
    """
    found = _memory(world)
    return found[1] if found else None


def percent(payload: "dict[str, Any]", world: "World") -> "int | float | None":
    """
    Share of the memory that is in use.

    Reads:    as used_bytes
    Returns:  number 0..100 [%]; None where the system does not say
    Errors:   none
    """
    found = _memory(world)
    return tidy(found[0] * 100 / found[1]) if found else None


def _memory(world: "World") -> "tuple[int, int] | None":
    """Used and total bytes, looked up once a render."""
    if "memory" not in world.memo:
        if sys.platform == "darwin":
            answer = world.slow("memory", {}, ttl=_AGE_S, wait=0.1)
            world.memo["memory"] = _answered(answer["value"] if answer else None)
        else:
            world.memo["memory"] = _parsed(world.read("/proc/meminfo", 4096) or b"")
    known: tuple[int, int] | None = world.memo["memory"]
    return known


def _answered(value: object) -> "tuple[int, int] | None":
    if not isinstance(value, dict):
        return None
    used, total = count(value.get("used_bytes")), count(value.get("total_bytes"))
    return (used, total) if used is not None and total and used <= total else None


def _parsed(raw: bytes) -> "tuple[int, int] | None":
    """The figures of /proc/meminfo, whose lines are such as `MemTotal:       16384000 kB`."""
    found: dict[bytes, int] = {}
    for line in raw.split(b"\n")[:12]:
        name, _, rest = line.partition(b":")
        words = rest.split()
        if len(words) == 2 and words[0].isdigit() and len(words[0]) < 16:
            found[name] = int(words[0]) * 1024
    total, free = found.get(b"MemTotal"), found.get(b"MemAvailable")
    if free is None and b"MemFree" in found:
        # Kernels before 3.14 (2014) do not add it up.
        free = found[b"MemFree"] + found.get(b"Buffers", 0) + found.get(b"Cached", 0)
    return (total - free, total) if total and free is not None and 0 <= free <= total else None
