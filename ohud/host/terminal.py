"""A terminal asked for single keys and for its background; it is as it was afterwards, however that ends."""

from __future__ import annotations

import atexit
import os
import re
import select
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ohud.run.world import WINDOWS, World

UP, DOWN, HOME, END, ENTER, ESCAPE, OTHER = "up", "down", "home", "end", "enter", "escape", "other"
# Time that a terminal may take to say its background: one that knows the question of old answers the second [s].
ANSWER_S = 0.4
_REST_S = 0.05  # after an escape character, for the rest of a key's sequence
_BACKGROUND = b"\x1b]11;?\x1b\\"
_WHO = b"\x1b[c"
_SILENT = ("", "dumb", "linux", "unknown")


def attends(world: World) -> bool:
    """Whether keys can be read one by one and lines drawn over, on this system and terminal."""
    return not WINDOWS and (world.env("TERM") or "") not in ("", "dumb", "unknown")


@contextmanager
def attentive(handle: int, drop: bool = False) -> Iterator[None]:
    """
    A terminal that hands over each key at once, unseen; Ctrl-C interrupts as ever, a signal that ends the process
    waits until the terminal is as before.

    Takes:   handle: descriptor of the terminal; drop: what comes too late is thrown away
    """
    import termios

    before = termios.tcgetattr(handle)
    modes: list[Any] = [list(part) if isinstance(part, list) else part for part in before]
    modes[3] &= ~(termios.ECHO | termios.ICANON)
    none = bytes([os.fpathconf(handle, "PC_VDISABLE") & 0xFF])
    for number, value in ((termios.VMIN, 1), (termios.VTIME, 0), (termios.VSUSP, none), (termios.VQUIT, none)):
        modes[6][number] = value

    def restore() -> None:
        termios.tcsetattr(handle, termios.TCSAFLUSH if drop else termios.TCSADRAIN, before)

    atexit.register(restore)
    try:
        with _ending_in_order():
            termios.tcsetattr(handle, termios.TCSADRAIN, modes)
            yield
    finally:
        restore()
        atexit.unregister(restore)


def key(handle: int) -> str:
    """
    The next key: UP, DOWN, HOME, END, ENTER, ESCAPE (Ctrl-D and a terminal that is gone, too), a character, or OTHER.

    Takes:   handle: of a terminal within `attentive`
    """
    first = os.read(handle, 1)
    if first in (b"\r", b"\n"):
        return ENTER
    if first in (b"", b"\x04"):
        return ESCAPE
    if first == b"\x1b":
        return _sequence(handle)
    return first.decode() if b" " <= first < b"\x7f" else OTHER


def background(reader: int, writer: int, world: World) -> tuple[str, str] | None:
    """
    "dark" or "light" and who says so: the terminal, else COLORFGBG; None when nobody does.

    Takes:   reader, writer: descriptors of the terminal
    Source:  xterm control sequences, OSC 11, the colour as `rgb:RRRR/GGGG/BBBB`; every terminal answers `CSI c`
    """
    if attends(world) and (world.env("TERM") or "") not in _SILENT:
        colour = _asked(reader, writer)
        if colour is not None:
            return ("light" if _luminance(colour) > 0.5 else "dark"), "the terminal"
    told = by_variable(world)
    return (told, "COLORFGBG") if told else None


def by_variable(world: World) -> str | None:
    """
    "dark" or "light" by COLORFGBG; None when it does not tell.

    Source:  rxvt and what follows it: foreground and background as ANSI numbers, `15;0` or `0;default;15`
    """
    last = (world.env("COLORFGBG") or "").rpartition(";")[2]
    if not last.isascii() or not last.isdecimal() or int(last) > 15:
        return None
    return "light" if int(last) == 7 or int(last) > 8 else "dark"


@contextmanager
def _ending_in_order() -> Iterator[None]:
    """Signals that would end the process at once end it as an exit does, which puts things back first."""

    def end(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    before: list[tuple[int, Callable[..., Any] | int | None]] = []
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None:
            before.append((number, signal.signal(number, end)))
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def _asked(reader: int, writer: int) -> tuple[float, float, float] | None:
    """The background's red, green and blue, 0 to 1; None when the terminal does not tell in time."""
    answer = b""
    with attentive(reader, drop=True):
        os.write(writer, _BACKGROUND + _WHO)
        while not re.search(rb"\x1b\[\?[\d;]*c", answer) and len(answer) < 4096:
            if not select.select([reader], [], [], ANSWER_S)[0]:
                break
            more = os.read(reader, 1024)
            if not more:
                break
            answer += more
    found = re.search(rb"\x1b\]11;rgba?:([\da-fA-F]{1,4})/([\da-fA-F]{1,4})/([\da-fA-F]{1,4})", answer)
    if found is None:
        return None
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in found.groups())
    return red, green, blue


def _luminance(colour: tuple[float, float, float]) -> float:
    red, green, blue = colour
    return 0.299 * red + 0.587 * green + 0.114 * blue


def _sequence(handle: int) -> str:
    """The key whose sequence has begun; answers of the terminal that come late are read to their end."""
    second = _more(handle)
    if second == b"":
        return ESCAPE
    if second in (b"]", b"P", b"_"):
        last = b""
        while (more := _more(handle)) not in (b"", b"\x07") and last + more != b"\x1b\\":
            last = more
        return OTHER
    body = b""
    if second in (b"[", b"O"):
        while (more := _more(handle)) and len(body) < 32:
            body += more
            if b"@" <= more <= b"~":
                break
    return _KEYS.get(body, OTHER)


_KEYS = {b"A": UP, b"B": DOWN, b"H": HOME, b"F": END, b"1~": HOME, b"4~": END, b"7~": HOME, b"8~": END}


def _more(handle: int) -> bytes:
    return os.read(handle, 1) if select.select([handle], [], [], _REST_S)[0] else b""
