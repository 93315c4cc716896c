"""Draws again and again, whenever one of the files behind a drawing changes."""

from __future__ import annotations

import io
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from shutil import get_terminal_size
from types import FrameType
from typing import NoReturn

from ohud.cli import DONE
from ohud.cli.output import control

_EVERY_S = 0.15
# The screen of programs like editors, without a cursor; and back to the one before, as it was.
_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"
_ENDING = [number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None]
_CLEAR = "\x1b[H\x1b[2J"


def watch(draw: Callable[[], int], sources: Callable[[], list[str]]) -> int:
    """
    Draws now and after every change, until Ctrl-C, SIGTERM or SIGHUP.

    Takes:   draw: prints one drawing, what is wrong with the theme on stderr; sources: the files behind it, there or
             not, asked for after each drawing
    Returns: 0, as no watch ends but by its user
    """
    on_screen = sys.stdout.isatty()
    try:
        with _screen(on_screen):
            _go_on(draw, sources, on_screen)
    except (KeyboardInterrupt, _Ended):
        return DONE


def _go_on(draw: Callable[[], int], sources: Callable[[], list[str]], on_screen: bool) -> NoReturn:
    first = True
    while True:
        size = get_terminal_size()
        before = _stamps(sources())
        _show(_drawn(draw), on_screen, first)
        first = False
        # A file that was saved while it was drawn is drawn again.
        while _stamps(list(before)) == before and (not on_screen or get_terminal_size() == size):
            time.sleep(_EVERY_S)


def _stamps(paths: list[str]) -> dict[str, tuple[int, ...]]:
    """What tells that a file has changed, nothing for one that is not there."""
    found: dict[str, tuple[int, ...]] = {}
    for path in paths:
        try:
            facts = os.stat(path)
            found[path] = (facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size, facts.st_ino)
        except OSError:
            found[path] = ()
    return found


class _Ended(Exception):
    """A signal that ends the process has come."""


@contextmanager
def _screen(on_screen: bool) -> Iterator[None]:
    """A screen of its own while the block runs, however it ends."""

    def ended(number: int, frame: FrameType | None) -> None:
        raise _Ended

    before = [(number, signal.signal(number, ended)) for number in _ENDING]
    try:
        if on_screen:
            control(_ENTER)
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)
        if on_screen:
            control(_LEAVE)
        sys.stdout.flush()


def _drawn(draw: Callable[[], int]) -> str:
    """The text of one drawing: where the theme has problems these, and below them what can be drawn all the same."""
    out, problems = _Terminal(sys.stdout.isatty()), _Terminal(sys.stdout.isatty())
    with redirect_stdout(out), redirect_stderr(problems):
        code = draw()
    said, drawn = problems.getvalue().rstrip("\n"), out.getvalue().rstrip("\n")
    # What stands in for a theme that cannot be used is not what its author wants to see.
    return said if said and code else "\n\n".join(filter(None, [said, drawn]))


class _Terminal(io.StringIO):
    """Text in memory that is drawn like a terminal's where the real output is one."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        """Whether colours are wanted."""
        return self._terminal


def _show(text: str, on_screen: bool, first: bool) -> None:
    """Puts a drawing in the place of the one before; into a pipe it goes below it."""
    if not on_screen:
        print(("" if first else "\n") + text, flush=True)
        return
    rows = get_terminal_size().lines
    lines = text.split("\n")
    if len(lines) >= rows:
        more = len(lines) - rows + 2
        lines = [*lines[: rows - 2], f"\x1b[0;2m({more} more lines: a higher window or --scenario shows them)\x1b[0m"]
    # No wrapping: a line that is too wide for the window would push the others off.
    control(_CLEAR + "\x1b[?7l")
    sys.stdout.write("\n".join(lines))
    control("\x1b[?7h")
    sys.stdout.flush()
