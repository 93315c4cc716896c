"""`ohud replay`: a recorded stream or transcript, played as a live line."""

from __future__ import annotations

import signal
import time
from argparse import Namespace

from ohud.cli import DONE, complain, parser
from ohud.cli.stage import TICK_S, NoTheme, Painter, Stage, Told, add_options, display_for, ready, unknown_theme
from ohud.errors import quote
from ohud.stream.recording import NoRecording, Recording, Step
from ohud.stream.signals import ENDING, Signals

_FASTEST = 1e6
# Pauses of a session may be hours; nobody wants to look at one longer than this [s].
_PAUSE_S = 3.0


def run(words: list[str]) -> int:
    """Plays the file to its end, or again and again until Ctrl-C."""
    reader = parser("replay")
    reader.add_argument("file", metavar="FILE", help="a recorded stream, or a transcript of the host")
    reader.add_argument("--speed", metavar="N", type=_speed, default=1.0, help="so many times as fast (default: 1)")
    reader.add_argument("--pause", metavar="S", type=_pause, default=_PAUSE_S, help="longest pause (default: 3 s)")
    reader.add_argument("--loop", action="store_true", help="begin again at the end, until Ctrl-C")
    add_options(reader)
    asked = reader.parse_args(words)
    try:
        recording = Recording(asked.file)
        painter = Painter(asked.theme, asked.color)
    except NoTheme as fault:
        return unknown_theme("replay", fault, asked.theme)
    except NoRecording as fault:
        return complain("replay", f"{quote(asked.file, 200)} is {fault}")
    except OSError as fault:
        return complain("replay", f"{quote(asked.file, 200)} cannot be read: {fault.strerror}")
    return Player(recording, painter, asked).run()


def _speed(text: str) -> float:
    return _number(text, 0.001, _FASTEST)


def _pause(text: str) -> float:
    return _number(text, 0.0, 86400.0)


def _number(text: str, least: float, most: float) -> float:
    from argparse import ArgumentTypeError

    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not least <= number <= most:
        raise ArgumentTypeError(f"expected a number from {least:g} to {most:g}, not {quote(text)}")
    return number


class Player:
    """
    Plays a recording at a speed.

    Takes:  asked: `speed`, `pause`, `loop` and the options of a stage
    """

    def __init__(self, recording: Recording, painter: Painter, asked: Namespace) -> None:
        self._recording, self._painter, self._asked = recording, painter, asked
        # The recording's time, where the real one is there, and how fast it goes then.
        self._at = self._real = 0.0
        self._going = False
        self._signal: int | None = None

    def run(self) -> int:
        """Plays; gives the exit status."""
        with Signals() as signals:
            display = display_for(self._asked, False)
            told = self._told
            tick_s = TICK_S / max(1.0, self._asked.speed)
            self._stage = Stage(self._painter, display, told, signals, self._asked.columns, self._clock, tick_s)
            self._signals = signals
            if self._painter.notice:
                self._stage.say(self._painter.notice)
            try:
                self._play()
                while self._asked.loop and self._signal is None:
                    self._recording.begin()
                    self._play()
            finally:
                self._stage.leave()
        if self._signal is None or (self._asked.loop and self._signal == signal.SIGINT):
            return DONE
        return 128 + self._signal

    def _told(self) -> Told:
        return self._recording.told

    def _play(self) -> None:
        first = True
        for step in self._recording.steps():
            if first:
                self._at, first = step.at, False
            self._wait_for(step)
            if self._signal is not None:
                return
            self._recording.play(step)
            self._stage.changed()
        self._wait(self._asked.pause if self._asked.loop else 0.0)

    def _wait_for(self, step: Step) -> None:
        """Lets the time until a step pass, and shows how it does."""
        gap = (step.at - self._at) / self._asked.speed
        # Of a long pause the end is shown.
        wait = min(gap, self._asked.pause)
        self._at = step.at - wait * self._asked.speed
        self._wait(wait)
        self._at = step.at

    def _wait(self, seconds: float) -> None:
        self._real, self._going = time.monotonic(), True
        end = self._real + seconds
        while self._signal is None:
            self._stage.draw_if_due()
            left = end - time.monotonic()
            due = self._stage.wait_s()
            if left > 0:
                ready([self._signals.fd], [], left if due is None else min(left, due))
            for arrived in self._signals.taken():
                if self._stage.handle(arrived) in ENDING:
                    self._signal = arrived.number
            if left <= 0:
                break
        self._going = False

    def _clock(self) -> tuple[float, float | None]:
        """The recording's time now."""
        passed = (time.monotonic() - self._real) * self._asked.speed if self._going else 0.0
        return self._at + passed, self._at + passed
