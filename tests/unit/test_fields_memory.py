"""Memory: what Linux and macOS say, and what they might."""

import sys
from typing import Any

import pytest

from ohud.fields import memory
from ohud.refresh import memory as mac
from ohud.run.world import World

GIB = 1 << 30
MEMINFO = b"""MemTotal:       33554432 kB
MemFree:         1048576 kB
MemAvailable:   20971520 kB
Buffers:          524288 kB
Cached:         16777216 kB
"""
VM_STAT = """Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                               65536.
Pages active:                            400000.
Pages inactive:                          131072.
Pages speculative:                        65536.
Pages throttled:                              0.
Pages wired down:                        100000.
Pages purgeable:                              0.
"Translation faults":                 300000000.
"""


class Machine(World):
    """A machine whose memory is as given."""

    meminfo: bytes | None = None
    answer: Any = None

    def read(self, path: str, limit: int, tail: bool = False) -> bytes | None:
        """The given figures, whole."""
        assert path == "/proc/meminfo"
        return self.meminfo

    def slow(self, job: str, arguments: Any, ttl: float, wait: float = 0, deadline: float = 5) -> Any:
        """The given answer."""
        assert job == "memory"
        return None if self.answer is None else {"value": self.answer, "at": 0, "failed": 0}


def figures(world: World) -> list[object]:
    return [memory.used_bytes({}, world), memory.total_bytes({}, world), memory.percent({}, world)]


def linux(raw: bytes | None) -> list[object]:
    world = Machine({})
    world.meminfo = raw
    return figures(world)


@pytest.mark.skipif(sys.platform == "darwin", reason="reads /proc")
def test_used_is_what_no_program_could_get() -> None:
    """The file cache is not in use: with it the share would be 96.9 %."""
    assert linux(MEMINFO) == [12 * GIB, 32 * GIB, 37.5]


@pytest.mark.skipif(sys.platform == "darwin", reason="reads /proc")
def test_kernel_that_does_not_add_up() -> None:
    old = MEMINFO.replace(b"MemAvailable:   20971520 kB\n", b"")
    assert linux(old) == [32 * GIB - (1 << 20 << 10) - (512 << 20) - 16 * GIB, 32 * GIB, 45.3]


@pytest.mark.skipif(sys.platform == "darwin", reason="reads /proc")
@pytest.mark.parametrize(
    "raw",
    [
        None,
        b"",
        b"MemTotal: 0 kB\nMemAvailable: 0 kB\n",
        b"MemTotal: 5 kB\n",
        b"MemTotal: 5 kB\nMemAvailable: 6 kB\n",
        b"MemTotal: -5 kB\nMemAvailable: 1 kB\n",
        b"MemTotal: " + b"9" * 400 + b" kB\nMemAvailable: 1 kB\n",
        b"\xff\x00" * 100,
    ],
)
def test_figures_that_make_no_sense_are_none(raw: bytes | None) -> None:
    assert linux(raw) == [None, None, None]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_this_machine_in_one_read() -> None:
    world = World({})
    used, total, percent = figures(world)
    assert isinstance(used, int) and isinstance(total, int) and 0 < used < total
    assert percent == pytest.approx(used * 100 / total, abs=0.051)
    assert world.bytes_read <= 4096


def test_mac_is_asked_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    world = Machine({})
    world.answer = mac.parse(16 * GIB, VM_STAT)
    assert figures(world) == [12 * GIB, 16 * GIB, 75]
    wrong: list[Any] = [None, [], {"used_bytes": 5}, {"used_bytes": 6, "total_bytes": 5}, {"used_bytes": "1"}]
    for answer in wrong:
        world = Machine({})
        world.answer = answer
        assert figures(world) == [None, None, None]


@pytest.mark.parametrize(
    "pages", ["", "Pages free: 12.", "page size of 16384 bytes", VM_STAT.replace("Pages", "Seiten")]
)
def test_mac_that_speaks_otherwise_is_a_failure(pages: str) -> None:
    """The last known answer then stays."""
    with pytest.raises(ValueError, match="otherwise"):
        mac.parse(16 * GIB, pages)
