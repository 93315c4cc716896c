"""Times, timers and processes of an emulated session, on the real clock or on one that skips idle time."""

from __future__ import annotations

import contextlib
import heapq
import itertools
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

# From SIGTERM to SIGKILL; the host has such a grace, its length was not measured.
GRACE_S = 2.0


class Flight(Protocol):
    """Something under way that a session waits for."""

    def abort(self) -> None:
        """Ends it."""


@dataclass(order=True, slots=True)
class Timer:
    """Something to do at a time."""

    when: float
    number: int
    action: Callable[[], None] = field(compare=False)
    off: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class _Dying:
    """A process that was told to end."""

    deadline: float
    process: subprocess.Popen[bytes]
    files: list[socket.socket]


def stopped(timer: Timer | None) -> Timer | None:
    """No timer: the one given will do nothing any more."""
    if timer is not None:
        timer.off = True
    return None


class Loop:
    """
    Times, timers and processes of one session.

    With a virtual clock nothing waits while no process runs, and while one does the clock goes at `speed` times the
    real one: timing is tested in a fraction of its time, with real processes.
    """

    def __init__(self, virtual: bool = False, speed: float = 1.0) -> None:
        self.virtual, self.speed = virtual, speed if virtual else 1.0
        self.flights: set[Flight] = set()
        self._selector = selectors.DefaultSelector()
        self._timers: list[Timer] = []
        self._numbers = itertools.count()
        self._start = time.monotonic()
        self._now = 0.0
        self._frozen_until = 0.0
        self._dying: list[_Dying] = []

    @property
    def now(self) -> float:
        """Seconds since the beginning."""
        return self._now if self.virtual else time.monotonic() - self._start

    def after(self, delay: float, action: Callable[[], None]) -> Timer:
        """Has something done after so many seconds."""
        timer = Timer(self.now + max(0.0, delay), next(self._numbers), action)
        heapq.heappush(self._timers, timer)
        return timer

    def freeze(self, seconds: float) -> None:
        """Nothing happens for so long: the host is busy drawing."""
        self._frozen_until = max(self._frozen_until, self.now + seconds)

    def run_until(self, when: float, enough: Callable[[], bool] = lambda: False) -> None:
        """Lets time go on until then, or until it is enough."""
        while True:
            if self._frozen_until > self.now:
                self._pass(min(when, self._frozen_until))
            else:
                self._reap()
                self._fire()
                if not enough() and self.now < when:
                    self._wait(min(when, self._next()))
            if enough() or self.now >= when:
                return

    def idle(self, seconds: float) -> bool:
        """Whether nothing is under way and no timer is due within so many seconds."""
        return not self.flights and self._frozen_until <= self.now and self._next() > self.now + seconds

    def watch(self, file: socket.socket | int, events: int, action: Callable[[], None]) -> None:
        """Has something done each time that a file is ready."""
        self._selector.register(file, events, action)

    def forget(self, file: socket.socket | int) -> None:
        """No longer watches a file."""
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(file)

    def bury(self, process: subprocess.Popen[bytes], files: list[socket.socket]) -> None:
        """
        Ends a process and its group: now by SIGTERM, after a grace by SIGKILL (in real time, as it is its own).

        Takes:  files: our ends of its streams; closed earlier, they would end a shell before its trap could run
        """
        _signal_group(process, signal.SIGTERM)
        self._dying.append(_Dying(time.monotonic() + GRACE_S, process, files))

    def close(self) -> None:
        """Ends what still runs."""
        for child in list(self.flights):
            child.abort()
        while self._reap():
            time.sleep(0.002)
        self._selector.close()

    def _reap(self) -> bool:
        """Looks after the processes that were told to end; whether any is left."""
        left = []
        for one in self._dying:
            if _group_lives(one.process):
                if time.monotonic() < one.deadline:
                    left.append(one)
                    continue
                _signal_group(one.process, signal.SIGKILL)
                one.process.wait()
            for file in one.files:
                file.close()
        self._dying = left
        return bool(left)

    def _next(self) -> float:
        while self._timers and self._timers[0].off:
            heapq.heappop(self._timers)
        return self._timers[0].when if self._timers else float("inf")

    def _fire(self) -> None:
        while self._next() <= self.now and self._frozen_until <= self.now:
            heapq.heappop(self._timers).action()

    def _pass(self, when: float) -> None:
        if self.virtual:
            self._now = when
        else:
            time.sleep(max(0.0, when - self.now))

    def _wait(self, when: float) -> None:
        """Waits for the time or for what happens before it."""
        if self.virtual and not self.flights:
            self._now = max(self._now, when)
            return
        started = time.monotonic()
        ready = self._selector.select(max(0.0, when - self.now) / self.speed)
        if self.virtual:
            passed = (time.monotonic() - started) * self.speed
            self._now = min(when, self._now + passed) if ready else when
        for key, _ in ready:
            key.data()


def _signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    if sys.platform == "win32":
        process.terminate()
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)


def _group_lives(process: subprocess.Popen[bytes]) -> bool:
    """Whether any process of the group still runs."""
    if process.poll() is None:
        return True
    if sys.platform == "win32":
        return False
    try:
        os.killpg(process.pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    # Dead ones that nobody has waited for answer too.
    return not os.path.isdir("/proc/self") or any(map(_runs_in, itertools.repeat(process.pid), os.listdir("/proc")))


def _runs_in(group: int, name: str) -> bool:
    """Whether an entry of /proc is a process of that group that has not ended."""
    if not name.isdecimal():
        return False
    try:
        with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
            state, _, in_group = file.read().rpartition(")")[2].split()[:3]
    except (OSError, ValueError):
        return False
    return in_group == str(group) and state not in "ZX"
