"""A question with a few answers, asked in a terminal: arrow keys or numbers, the choice drawn below as it changes."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ohud.cli.output import control
from ohud.cli.preview import tinted
from ohud.host import terminal
from ohud.run.cells import ellipsis
from ohud.run.world import World

_SHOWN = 10  # answers at a time, where there is room
_AROUND = 4  # lines beside answers and drawing: question, two blank ones, the keys
_KEYS_HELP = "up and down or a number, Enter takes it, Esc leaves"


class Left(Exception):
    """The user has left without an answer."""


@dataclass(frozen=True, slots=True)
class Question:
    """
    What is asked.

    Takes:  answers: one line each; start: the one that is marked first; drawing: gives the lines below for an answer
    """

    text: str
    answers: Sequence[str]
    start: int = 0
    drawing: Callable[[int], list[str]] | None = None


def ask(question: Question, world: World, coloured: bool) -> int:
    """
    The number of the answer, from 0.

    Errors: Left
    """
    if not terminal.attends(world):
        return _ask_plainly(question)
    handle = sys.stdin.fileno()
    chosen, typed, drawn = question.start, "", 0
    with terminal.attentive(handle):
        while True:
            lines = _lines(question, chosen, coloured)
            _over(drawn, lines)
            drawn = len(lines)
            pressed = terminal.key(handle)
            if pressed in (terminal.ENTER, terminal.ESCAPE, "q"):
                break
            typed = typed + pressed if pressed.isdecimal() else ""
            chosen, typed = _moved(chosen, pressed, typed, len(question.answers))
        _over(drawn, [])
    if pressed != terminal.ENTER:
        raise Left
    return chosen


def confirmed(text: str) -> bool:
    """Whether the user says yes, which an empty answer does too."""
    print(f"{text} [Y/n] ", end="")
    sys.stdout.flush()
    line = sys.stdin.readline()
    return bool(line) and line.strip().lower() in ("", "y", "yes")


def _moved(chosen: int, pressed: str, typed: str, count: int) -> tuple[int, str]:
    """The marked answer after a key, and the digits typed so far."""
    if typed:
        while typed and not 0 < int(typed) <= count:
            typed = typed[1:]
        return (int(typed) - 1 if typed else chosen), typed
    if pressed in (terminal.UP, "k"):
        return (chosen - 1) % count, ""
    if pressed in (terminal.DOWN, "j"):
        return (chosen + 1) % count, ""
    return {terminal.HOME: 0, terminal.END: count - 1}.get(pressed, chosen), ""


def _lines(question: Question, chosen: int, coloured: bool) -> list[str]:
    """The question as it is drawn, not wider and lower than the terminal."""
    columns, rows = shutil.get_terminal_size((80, 24))
    room = max(1, rows - _AROUND - 1)
    drawing = question.drawing(chosen)[: room // 2] if question.drawing else []
    shown = min(len(question.answers), _SHOWN, room - len(drawing))
    first = min(max(0, chosen - shown // 2), len(question.answers) - shown)
    lines = [tinted(ellipsis(question.text, columns - 1), "1", coloured)]
    for number in range(first, first + shown):
        text = ellipsis(f"{number + 1:3}  {question.answers[number]}", columns - 3)
        lines.append(tinted("> " + text, "1;36", coloured) if number == chosen else "  " + text)
    hint = _KEYS_HELP if shown == len(question.answers) else f"{_KEYS_HELP}; {len(question.answers)} in all"
    below = ["", *drawing, ""] if question.drawing else []
    return [*lines, *below, tinted(ellipsis(hint, columns - 1), "2", coloured)]


def _over(drawn: int, lines: list[str]) -> None:
    """Draws lines in the place of those that were drawn before."""
    up = f"\x1b[{drawn}A\r\x1b[J" if drawn else ""
    control(up)
    sys.stdout.write("".join(line + "\n" for line in lines))
    sys.stdout.flush()


def _ask_plainly(question: Question) -> int:
    """
    The answer by its number, in a terminal that can do no more than lines.

    Errors: Left
    """
    print(question.text)
    for number, answer in enumerate(question.answers):
        print(f"{number + 1:3}  {answer}")
        for line in question.drawing(number) if question.drawing else ():
            print(line)
    while True:
        print(f"number, or q to leave: [{question.start + 1}] ", end="")
        sys.stdout.flush()
        line = sys.stdin.readline()
        word = line.strip() or str(question.start + 1)
        if not line or word == "q":
            raise Left
        if word.isascii() and word.isdecimal() and 0 < int(word) <= len(question.answers):
            return int(word) - 1
