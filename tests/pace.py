"""How fast this machine works, for bounds on the time of work, which hold on the machine where they were set."""

import time
from functools import cache

# A piece of work there: CPython 3.11 on the machine whose figures stand in the README [s].
_THERE = 0.018
_PIECES = 60_000


def bound(seconds: float) -> float:
    """A bound on the time of work [s], longer on a slower machine or interpreter; on a faster one as it is."""
    return seconds * max(1.0, _here() / _THERE)


@cache
def _here() -> float:
    return min(_work() for _ in range(5))


def _work() -> float:
    begin = time.thread_time()
    table = {}
    for number in range(_PIECES):
        table[number & 255] = str(number) + "x"
    assert len(table) == 256
    return time.thread_time() - begin
