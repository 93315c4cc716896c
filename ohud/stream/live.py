"""
Lines that stay where they are on a terminal and change there; for what is no terminal, a line a change.

The cursor waits, hidden, at the beginning of the first line, not behind the last one: a terminal that is made narrower
breaks lines that have become too long, and it is there that it keeps the cursor. So nothing above is ever touched.
"""

from __future__ import annotations

import os
import select
from typing import Protocol

from ohud.run.clean import clean

_HIDE, _SHOW = "\x1b[?25l", "\x1b[?25h"
# Synchronized output: drawn in one go where the terminal knows it, passed over where it does not.
_BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"
_PLAIN, _ERASE_BELOW, _ERASE_LINE = "\x1b[0m", "\x1b[J", "\x1b[2K"
_SIZE = (80, 24)
_LONGEST = 8192
_STUCK_S = 1.0


class Display(Protocol):
    """Something that shows lines."""

    def draw(self, lines: list[str]) -> None:
        """Shows lines in the place of those before."""

    def above(self, data: bytes) -> None:
        """Lets text of others go by, above the lines where these stay in place."""

    def erase(self) -> None:
        """Gives the place free, for a while."""

    def leave(self) -> None:
        """Shows nothing more; the last lines stay as they are."""


class Live:
    """
    Lines in place on a terminal. Errors: none, a terminal that has gone is written to no more.

    Takes:  fd: of the terminal, open for writing
    """

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self._lines: list[str] = []
        self._drawn = False
        self._gone = False

    def size(self) -> tuple[int, int]:
        """Columns and rows of the terminal; 80 and 24 where it does not say."""
        try:
            columns, rows = os.get_terminal_size(self.fd)
        except OSError:
            return _SIZE
        return columns or _SIZE[0], rows or _SIZE[1]

    def draw(self, lines: list[str], anew: bool = False) -> None:
        """
        Shows lines in the place of those before.

        Takes:  lines: each as wide as the terminal at most, with colours and links that it closes itself;
                anew: also what has not changed, as after a change of the terminal's size
        """
        if self._drawn and lines == self._lines and not anew:
            return
        fresh = anew or not self._drawn or len(lines) != len(self._lines)
        parts = [_BEGIN, _HIDE, "\r"]
        if fresh:
            parts.append(_PLAIN + _ERASE_BELOW)
        for number, line in enumerate(lines):
            if number:
                parts.append("\r\n")
            # Erased before, not after: behind a line as wide as the terminal the cursor is still on its last cell.
            if fresh:
                parts.append(line)
            elif line != self._lines[number]:
                parts.append(_PLAIN + _ERASE_LINE + line)
        parts.append("\r" + _up(len(lines) - 1) + _END)
        self._write("".join(parts).encode("utf-8", "replace"))
        self._lines, self._drawn = list(lines), True

    def above(self, data: bytes) -> None:
        """Lets text of others go by above the lines; it is made to end in a line end."""
        if not data:
            return
        ended = data if data.endswith(b"\n") else data + b"\n"
        if not self._drawn:
            self._write(ended)
            return
        head = f"{_BEGIN}\r{_PLAIN}{_ERASE_BELOW}".encode()
        self._write(head + ended)
        self._drawn = False
        self.draw(self._lines)

    def erase(self) -> None:
        """Takes the lines away and shows the cursor; the next `draw` begins where it then is."""
        if self._drawn:
            self._write(f"\r{_PLAIN}{_ERASE_BELOW}{_SHOW}".encode())
        self._drawn = False

    def leave(self) -> None:
        """Puts the cursor below the lines and shows it."""
        if self._drawn:
            down = "\x1b[%dB" % (len(self._lines) - 1) if len(self._lines) > 1 else ""
            self._write(f"{down}\r\n{_PLAIN}{_SHOW}".encode() if self._lines else _SHOW.encode())
        self._drawn = False

    def _write(self, data: bytes) -> None:
        if not self._gone and not write_all(self.fd, data):
            self._gone = True


class Lines:
    """A plain line a change, for what is no terminal: several lines of a theme become one."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self._last = ""

    def draw(self, lines: list[str]) -> None:
        """Writes the lines as one, if it is another one than before."""
        text = "  ".join(filter(None, (clean(line, _LONGEST).strip() for line in lines)))
        if text and text != self._last:
            self._last = text
            write_all(self.fd, text.encode("utf-8", "replace") + b"\n")

    def above(self, data: bytes) -> None:
        """Text of others, as it is."""
        write_all(self.fd, data)

    def erase(self) -> None:
        """Nothing: what was written stays."""

    def leave(self) -> None:
        """Nothing."""


def write_all(fd: int, data: bytes) -> bool:
    """All of the bytes to a descriptor; whether they could be written. Errors: none."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(fd, rest) :]
        except BlockingIOError:
            # Another program has made the shared terminal one that does not wait.
            if not select.select([], [fd], [], _STUCK_S)[1]:
                return False
        except OSError:
            return False
    return True


def is_terminal(fd: int) -> bool:
    """Whether a descriptor is a terminal that lines can be redrawn on."""
    try:
        return os.isatty(fd) and os.environ.get("TERM", "") not in ("", "dumb")
    except OSError:
        return False


def _up(rows: int) -> str:
    return "\x1b[%dA" % rows if rows > 0 else ""
