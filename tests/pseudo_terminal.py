"""A command in a pseudo-terminal, and what its screen shows: enough of a terminal for what ohud may write."""

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from wcwidth import wcwidth

_SEQUENCE = re.compile(r"\x1b\[([?0-9;:]*)([A-Za-z])|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)")
_LIMIT_S = 20.0


class Screen:
    """
    A screen without scrollback.

    Takes:  strange: collects what a live line has no reason to write
    """

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.cells = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.cursor = True
        self.hidden = 0
        self.strange: list[str] = []

    def text(self) -> list[str]:
        """The rows, blanks at their ends left out."""
        return ["".join(row).rstrip() for row in self.cells]

    def feed(self, text: str) -> None:
        """Draws what was written."""
        at = 0
        while at < len(text):
            found = _SEQUENCE.match(text, at)
            if found:
                at = found.end()
                if found[2]:
                    self._act(found[1], found[2])
            else:
                self._put(text[at])
                at += 1

    def _put(self, character: str) -> None:
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self._next()
        elif character < " " or "\x7f" <= character < "\xa0":
            self.strange.append(repr(character))
        else:
            width = max(0, wcwidth(character))
            if self.column + width > self.columns:
                self.column = 0
                self._next()
            if width:
                self.cells[self.row][self.column : self.column + width] = [character, *[""] * (width - 1)]
            self.column += width

    def _next(self) -> None:
        if self.row + 1 < self.rows:
            self.row += 1
        else:
            self.cells = [*self.cells[1:], [" "] * self.columns]

    def _act(self, parameters: str, name: str) -> None:
        number = int(parameters) if parameters.isdecimal() else 1
        if name == "A":
            self.row = max(0, self.row - number)
        elif name == "B":
            self.row = min(self.rows - 1, self.row + number)
        elif name == "J" and not parameters:
            self._blank(self.row, min(self.column, self.columns))
            for row in range(self.row + 1, self.rows):
                self._blank(row, 0)
        elif name == "K" and parameters == "2":
            self._blank(self.row, 0)
        elif parameters in ("?25", "?2026") and name in "hl":
            if parameters == "?25":
                self.cursor = name == "h"
                self.hidden += name == "l"
        elif name != "m":
            self.strange.append(f"{parameters}{name}")

    def _blank(self, row: int, start: int) -> None:
        self.cells[row][start:] = [" "] * (self.columns - start)


class PseudoTerminal:
    """
    A command with a terminal of its own, in which it is the foreground.

    Takes:  shared: which of its streams (0, 1, 2) are the terminal; the others are pipes, `given` writes to that on 0
    """

    def __init__(
        self,
        command: Sequence[str],
        env: Mapping[str, str],
        cwd: Path,
        columns: int = 80,
        rows: int = 12,
        shared: Sequence[int] = (1, 2),
    ) -> None:
        self.screen = Screen(columns, rows)
        self._end, terminal = pty.openpty()
        self.resize(columns, rows)
        self.before = termios.tcgetattr(terminal)
        streams: list[Any] = [terminal if number in shared else subprocess.PIPE for number in range(3)]
        self.process = subprocess.Popen(
            command,
            stdin=streams[0],
            stdout=streams[1],
            stderr=streams[2],
            env=dict(env),
            cwd=cwd,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(terminal, termios.TIOCSCTTY, 0),
        )
        self.terminal = terminal
        self.raw = b""
        self._rest = ""
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    def __enter__(self) -> "PseudoTerminal":
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                with suppress(OSError):
                    stream.close()
        os.close(self._end)
        os.close(self.terminal)

    def resize(self, columns: int, rows: int) -> None:
        """Gives the terminal another size."""
        fcntl.ioctl(self._end, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def give(self, data: bytes) -> None:
        """Writes to the command's standard input."""
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def close_input(self) -> None:
        """Ends its standard input."""
        assert self.process.stdin
        self.process.stdin.close()

    def press(self, keys: bytes) -> None:
        """Presses keys."""
        os.write(self._end, keys)

    def look(self, seconds: float = 0.05) -> list[str]:
        """The rows of the screen, once nothing has been written for so long."""
        while select.select([self._end], [], [], seconds)[0]:
            try:
                data = os.read(self._end, 65536)
            except OSError:
                break
            if not data:
                break
            self.raw += data
            text = self._rest + self._decode(data)
            # A sequence may not be whole yet.
            last = text.rfind("\x1b")
            whole = last if last >= 0 and not _SEQUENCE.match(text, last) else len(text)
            self._rest = text[whole:]
            self.screen.feed(text[:whole])
        return self.screen.text()

    def wait(self, holds: Callable[[list[str]], bool]) -> list[str]:
        """The rows of the screen, once something is true of them."""
        end = time.monotonic() + _LIMIT_S
        while not holds(rows := self.look()):
            assert time.monotonic() < end, "\n".join(rows)
        return rows

    def ended(self) -> int:
        """The exit status, once the command has ended; all that it wrote has been drawn then."""
        end = time.monotonic() + _LIMIT_S
        while self.process.poll() is None:
            self.look()
            assert time.monotonic() < end, "\n".join(self.screen.text())
        self.look(0.2)
        return int(self.process.returncode)

    def restored(self) -> bool:
        """Whether the terminal is as it was: the cursor shown, in the first column, no mode left, nothing strange."""
        same = termios.tcgetattr(self.terminal) == self.before
        return same and self.screen.cursor and self.screen.column == 0 and not self.screen.strange
