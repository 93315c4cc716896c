"""What `ohud stream` and `ohud replay` share: a theme drawn again and again while a run goes on."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ohud.cli.drawing import COLORS, load_theme
from ohud.errors import nearest, quote, render
from ohud.run import status
from ohud.run.program import for_session, load
from ohud.run.slow import start
from ohud.run.world import World
from ohud.stream.live import Display, Lines, Live, is_terminal, write_all
from ohud.stream.signals import Arrived, Signals
from ohud.theme import lower

# Drawings on a terminal follow each other no faster, and come at least so often as times go on [s].
PACE_S, TICK_S = 0.1, 1.0
# Lines for what is no terminal come no faster, and only when something has happened [s].
LINE_PACE_S = 1.0
_POLL_S = 0.1
# A drawing that is still going on after this is given up [s].
_BACKSTOP_S = 1.0
_WIDEST = 1000


class Told(Protocol):
    """A run as far as it has been told."""

    def payload(self, now: float | None = None) -> dict[str, Any]:
        """What the host would hand to a status line."""

    def memo(self) -> dict[str, Any]:
        """What the families of computed fields know beside it."""


class Quiet(World):
    """A world that keeps to itself what a refresh would log."""

    def log(self, text: str) -> None:
        """Nothing: what goes wrong here is none of the status line's own."""


class NoTheme(Exception):
    """The theme that was asked for cannot be used; its reports are the argument."""


def add_options(reader: ArgumentParser) -> None:
    """The options of both commands."""
    add = reader.add_argument
    add("--theme", metavar="NAME|FILE", help="a theme by name or file (default: the configured one)")
    add("--columns", metavar="N", type=_width, help="width to draw for (default: the terminal's)")
    add("--color", choices=COLORS, default="auto", help="how many colours (default: auto)")
    add("--quiet", action="store_true", help="draw nothing")


def _width(text: str) -> int:
    from argparse import ArgumentTypeError

    if not (text.isascii() and text.isdecimal() and 0 < int(text[:9]) <= _WIDEST):
        raise ArgumentTypeError(f"expected a number from 1 to {_WIDEST}, not {quote(text)}")
    return int(text)


class Painter:
    """
    The lines of a theme for a run.

    Takes:    theme: a name or a file; None: the configured one; color: of `COLORS`
    Errors:   NoTheme
    """

    def __init__(self, theme: str | None, color: str) -> None:
        world = Quiet()
        self._color = color
        self._own = theme is None
        self._project: object = None
        self._base = load(world) if theme is None else _named(theme, world)
        self._program = self._base
        self._last: list[str] = []

    @property
    def notice(self) -> str | None:
        """What is wrong with the configured theme, in a line."""
        return self._base["notice"] or None

    def variables(self, columns: int | None, rows: int, plain: bool) -> dict[str, str]:
        """The environment of a refresh that draws here."""
        variables = {**os.environ, "LINES": str(rows)}
        if columns is not None:
            variables["COLUMNS"] = str(columns)
        if plain:
            variables["TERM"] = "dumb"
        return variables

    def lines(
        self, told: Told, world: World, now: float | None, plain: bool, started: Callable[[list[Any]], None]
    ) -> list[str]:
        """
        The lines now; those before where none can be made.

        Takes:  now: for the payload's times, None for what the run itself says; plain: no colours, no links;
                started: is handed the slow facts that are wanted, once there are lines
        """
        world.later = []
        world.memo.update(told.memo())
        # A refresh waits a little for what it does not know yet; here the next drawing shows it.
        world.memo["slow waited"] = 60.0
        raw = json.dumps(told.payload(now)).encode()
        program = self._for(raw, world)
        if plain:
            program = {**program, "color": "never"}
        elif self._color != "auto":
            program = {**program, "color": self._color}
        try:
            status.set_backstop(_BACKSTOP_S)
            try:
                text = status.render(raw, program, world)
            finally:
                status.set_backstop(0)
        except (Exception, status.Late):
            # As in a refresh: whatever it is, the line stays.
            text = "" if self._last else str(program["fallback"]["error"])
        if text:
            self._last = text.rstrip("\n").split("\n")
        started(world.later)
        return self._last

    def _for(self, raw: bytes, world: World) -> dict[str, Any]:
        """The program, which in a project of the config's is another one."""
        if self._own and self._base.get("projects"):
            payload = world.decode(raw) or {}
            if payload.get("workspace") != self._project:
                self._project = payload.get("workspace")
                self._program = for_session(self._base, raw, world)
        return self._program


def _named(theme: str, world: World) -> dict[str, Any]:
    """The program of a theme that was asked for by name."""
    loaded = load_theme(theme, world)
    built = lower.build(loaded)
    if built.failed:
        raise NoTheme("\n".join(render(problem, loaded.text(problem)) for problem in built.problems))
    return built.program


class Stage:
    """
    Where a run is shown, and when it is drawn again.

    Takes:  display: None draws nothing; columns: in place of the terminal's, where these are more; clock: the time for
            the drawing, and for the payload's times (None: as the run says) [s since 1970]; tick_s: how long nothing
            is drawn at most [s]
    """

    def __init__(
        self,
        painter: Painter,
        display: Display | None,
        told: Callable[[], Told],
        signals: Signals,
        columns: int | None = None,
        clock: Callable[[], tuple[float, float | None]] | None = None,
        tick_s: float = TICK_S,
    ) -> None:
        self.display = display
        self._tick_s = max(PACE_S, tick_s)
        self._painter, self._told, self._signals, self._columns = painter, told, signals, columns
        self._clock = clock or (lambda: (now(), now()))
        self._drawn_at = -TICK_S
        self._changed = self._resized = False
        self._begun = False

    @property
    def live(self) -> Live | None:
        """The terminal, where there is one."""
        return self.display if isinstance(self.display, Live) else None

    def changed(self) -> None:
        """Something has come that may look otherwise."""
        self._changed = self._begun = True

    def wait_s(self) -> float | None:
        """How long nothing is to be drawn [s]; None: until something comes."""
        waits = [_POLL_S] if self._signals.polls else []
        if self.display is not None and self._begun:
            pace = PACE_S if self.live else LINE_PACE_S
            if self._changed or self._resized:
                waits.append(self._drawn_at + pace - time.monotonic())
            elif self.live:
                waits.append(self._drawn_at + self._tick_s - time.monotonic())
        return max(0.0, min(waits)) if waits else None

    def draw_if_due(self) -> None:
        """Draws when it is time to."""
        if self.display is None or not self._begun:
            return
        passed = time.monotonic() - self._drawn_at
        pace = PACE_S if self.live else LINE_PACE_S
        wanted = self._changed or self._resized
        if passed >= pace and (wanted or (self.live and passed >= self._tick_s)):
            self.draw()

    def draw(self) -> None:
        """Draws now."""
        if self.display is None or not self._begun:
            return
        columns, rows = self.live.size() if self.live else (self._columns, 100)
        if self._columns is not None and columns is not None:
            columns = min(columns, self._columns)
        moment, for_payload = self._clock()
        variables = self._painter.variables(columns, rows, self.live is None)
        lines = self._painter.lines(self._told(), Quiet(variables, moment), for_payload, self.live is None, self._start)
        if self.live:
            self.live.draw(lines, self._resized)
        else:
            self.display.draw(lines)
        self._drawn_at = time.monotonic()
        self._changed = self._resized = False

    def _start(self, later: list[Any]) -> None:
        """Starts what finds slow facts out, in processes that know nothing of this terminal."""
        if not later:
            return
        world = Quiet()
        with self._signals.apart():
            for work in later:
                start(world, *work)

    def say(self, text: str) -> None:
        """A line on standard error, above the drawing where both are on the terminal."""
        data = text.encode("utf-8", "replace") + b"\n"
        self.pass_by(data)

    def pass_by(self, data: bytes) -> None:
        """Bytes for standard error, above the drawing where both are on the terminal."""
        sys.stderr.flush()
        if self.live and os.isatty(2):
            self.live.above(data)
        else:
            write_all(2, data)

    def handle(self, arrived: Arrived) -> int | None:
        """Answers a change of size and Ctrl-Z; gives the number of any other signal that it is for others to answer."""
        if arrived.number == getattr(signal, "SIGWINCH", None):
            self._resized = True
            return None
        if arrived.number == getattr(signal, "SIGTSTP", None):
            if self.display:
                self.display.erase()
            with self._signals.stopped():
                self._changed = self._resized = True
            return None
        return arrived.number

    def leave(self, final: bool = True) -> None:
        """Draws for the last time, and leaves the terminal as it was."""
        if self.display is None:
            return
        # Whole, as a key that was pressed may have been echoed into it.
        self._resized = True
        try:
            if final:
                self.draw()
        finally:
            self.display.leave()


def display_for(asked: Namespace, copying: bool) -> Display | None:
    """
    Where to draw: the terminal on stdout, or on stderr when stdout is taken; else plain lines, or nothing.

    Takes:  copying: stdout is for something else
    """
    if asked.quiet:
        return None
    fd = 2 if copying else 1
    return Live(fd) if is_terminal(fd) else Lines(fd)


def now() -> float:
    """The time, or what OHUD_NOW says it is [s since 1970]."""
    return World().now


def ready(reads: Sequence[int], writes: Sequence[int], timeout: float | None) -> tuple[list[int], list[int]]:
    """Which descriptors can be read and written without waiting."""
    can_read, can_write, _ = select.select(reads, writes, [], timeout)
    return can_read, can_write


def unknown_theme(command: str, fault: NoTheme, theme: str | None) -> int:
    """Says what is wrong with a theme that was asked for by name."""
    from ohud.cli import WRONG_USE
    from ohud.cli.drawing import all_themes

    print(str(fault), file=sys.stderr)
    close = nearest(theme or "", [name for name, _ in all_themes(World())])
    if close and close != theme:
        print(f"help: did you mean `{close}`?", file=sys.stderr)
    print(f"ohud {command}: nothing was read", file=sys.stderr)
    return WRONG_USE
