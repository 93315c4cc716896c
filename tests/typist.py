"""Somebody at a terminal: starts a command in a pseudo-terminal, reads what it draws, types, looks at the modes."""

import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

if sys.platform != "win32":
    import fcntl
    import struct
    import termios

LIMIT_S = 20.0


class Typist:
    """One command in a terminal of its own; ended with the block."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], cwd: Path, size: tuple[int, int] = (30, 100)):
        self.ours, self.theirs = os.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        self.modes = self.now()
        self.seen = b""
        self._at = 0
        self.process = subprocess.Popen(
            [*_LEADER, *command],
            stdin=self.theirs,
            stdout=self.theirs,
            stderr=self.theirs,
            env=dict(env),
            cwd=cwd,
            start_new_session=True,
        )

    def __enter__(self) -> "Typist":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.ours)
        os.close(self.theirs)

    def now(self) -> list[Any]:
        """The terminal's modes."""
        return termios.tcgetattr(self.theirs)

    def sees(self, text: str) -> str:
        """Waits until a text is drawn behind what was waited for before; gives what came up to it, without styles."""
        until = time.monotonic() + LIMIT_S
        wanted = text.encode()
        while (found := self.seen.find(wanted, self._at)) < 0:
            if not select.select([self.ours], [], [], max(0.0, until - time.monotonic()))[0]:
                raise AssertionError(f"{text!r} did not come, but {self.seen[self._at :].decode()!r}")
            self.seen += os.read(self.ours, 65536)
        before, self._at = self._at, found + len(wanted)
        return plain(self.seen[before : self._at].decode())

    def types(self, keys: str) -> None:
        """Types keys, once the command waits for them one by one or by the line."""
        os.write(self.ours, keys.encode())

    def attentive(self) -> None:
        """Waits until keys are read one by one."""
        self._until(lambda: not self.now()[3] & termios.ICANON)

    def _until(self, holds: Any) -> None:
        until = time.monotonic() + LIMIT_S
        while not holds():
            assert time.monotonic() < until
            time.sleep(0.01)

    def ends(self) -> int:
        """The exit status, negative for a signal; what was drawn last is read."""
        until = time.monotonic() + LIMIT_S
        while self.process.poll() is None:
            assert time.monotonic() < until, self.seen
            if select.select([self.ours], [], [], 0.02)[0]:
                self.seen += os.read(self.ours, 65536)
        while select.select([self.ours], [], [], 0.05)[0]:
            self.seen += os.read(self.ours, 65536)
        return self.process.returncode

    def signals(self, number: int) -> None:
        """Sends a signal to the command."""
        os.kill(self.process.pid, number)

    @property
    def rest(self) -> str:
        """What has been drawn since the text waited for last."""
        return plain(self.seen[self._at :].decode())


def plain(text: str) -> str:
    """Text without styles and cursor movements, lines with LF ends."""
    return re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", text).replace("\r", "")


# The terminal has to be the controlling one of the session, for Ctrl-C to reach it.
_LEADER = (
    sys.executable,
    "-c",
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])",
)
