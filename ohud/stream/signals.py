"""Signals of this process as something that a loop can wait for, and whether a key was pressed for them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Any

# What asks a process to end, as far as this system has it.
ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_OTHERS = tuple(getattr(signal, name) for name in ("SIGWINCH", "SIGTSTP", "SIGCHLD") if hasattr(signal, name))
_KEYS = tuple(number for number in ENDING if number.name in ("SIGINT", "SIGQUIT"))
# What the kernel says of a signal that no process has sent (Linux).
_BY_KERNEL = 0x80


@dataclass(frozen=True, slots=True)
class Arrived:
    """A signal that came; typed: by a key of the terminal, so that the whole foreground group has it."""

    number: int
    typed: bool = False


class Signals:
    """
    What has come since it was last asked; ignored signals stay ignored.

    Takes:  telling: whether to find out where Ctrl-C comes from. Where the system tells (Linux), it is then to be
            asked for every tenth of a second or so, as nothing wakes the loop for it.
    """

    def __init__(self, telling: bool = False) -> None:
        self._telling = telling and hasattr(signal, "sigtimedwait")
        self._guessing = telling and not self._telling
        self._seen: list[int] = []
        self._before: dict[int, Any] = {}
        self._held: set[signal.Signals] = set()
        self._mask: set[int] = set()
        self._wakeup = -1
        self.fd, self._end = -1, -1

    @property
    def polls(self) -> bool:
        """Whether it has to be asked often."""
        return bool(self._held)

    def __enter__(self) -> Signals:
        self.fd, self._end = os.pipe()
        for end in (self.fd, self._end):
            os.set_blocking(end, False)
        for number in (*ENDING, *_OTHERS):
            # What was started to run on without its terminal shall do so.
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._note)
        self._wakeup = signal.set_wakeup_fd(self._end, warn_on_full_buffer=False)
        if self._telling:
            self._held = {number for number in _KEYS if number in self._before}
            self._mask = signal.pthread_sigmask(signal.SIG_BLOCK, self._held)
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
        if self._held:
            signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
        signal.set_wakeup_fd(self._wakeup)
        for end in (self.fd, self._end):
            os.close(end)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._seen.append(number)

    def taken(self) -> list[Arrived]:
        """What has come, each once."""
        with suppress(BlockingIOError):
            os.read(self.fd, 4096)
        seen, self._seen = self._seen, []
        found = [
            Arrived(number, self._guessing and number in _KEYS and _foreground()) for number in dict.fromkeys(seen)
        ]
        while self._held:
            told = signal.sigtimedwait(self._held, 0)
            if told is None:
                break
            found.append(Arrived(told.si_signo, told.si_code == _BY_KERNEL))
        return found

    @contextmanager
    def apart(self) -> Iterator[None]:
        """For as long as a process is started that shares nothing of this: one that goes on without an `exec`."""
        signal.set_wakeup_fd(-1)
        if self._held:
            signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
        try:
            yield
        finally:
            if self._held:
                signal.pthread_sigmask(signal.SIG_BLOCK, self._held)
            signal.set_wakeup_fd(self._end, warn_on_full_buffer=False)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stops this process as Ctrl-Z does, and comes back when it is let go on."""
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        try:
            os.kill(os.getpid(), signal.SIGTSTP)
            yield
        finally:
            signal.signal(signal.SIGTSTP, self._note)


def _foreground() -> bool:
    """Whether this process belongs to those that the terminal's keys reach."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
