"""Mistakes as values: what is wrong, where, and what to do; `render` alone draws them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

LINE_LIMIT = 300  # characters of any line drawn here
_EXCERPT_CELLS = 120
_NOTICE_LIMIT = 120
_TAB = 4


@dataclass(frozen=True, slots=True)
class Flaw:
    """
    A fault inside one piece of text (an expression, a template), before its place in a file is known.

    Takes:  start: offset in characters into the piece, -1 unknown; line: 1-based line when only that is known;
            weight: "fatal" (the piece cannot be used), "part" (it is used without the place at fault)
    """

    message: str
    start: int = -1
    length: int = 0
    help: str | None = None
    weight: str = "fatal"
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """
    A place in a file.

    Takes:  line and column from 1, in characters; column None: the whole line; line None: the whole file
    """

    file: str
    line: int | None = None
    column: int | None = None
    length: int = 0


@dataclass(frozen=True, slots=True)
class Problem:
    """
    One mistake with its place.

    Takes:  kind: toml-text, theme-shape, segment-path, template-text or host-settings;
            weight: "fatal" (the theme or config cannot be used whole), "part" (one segment or value is left out),
            "ignored" (nothing is lost when drawing; only `ohud check` reports it)
    """

    kind: str
    message: str
    span: Span | None = None
    help: str | None = None
    weight: str = "fatal"


def render(problem: Problem, text: str | None = None, color: bool = False) -> str:
    """
    The problem as people read it: head, place, excerpt with a caret, help.

    Takes:  text: the file that the span is in, for the excerpt (None: none); color: with ANSI colours
    Returns: lines joined by LF, none over 300 characters, no control character from outside
    """
    level, tone = ("warning", "33") if problem.weight == "ignored" else ("error", "31")
    head = _visible(problem.message, LINE_LIMIT - len(f"{level}[{problem.kind}]: "))
    lines = [_paint(f"{level}[{problem.kind}]", f"1;{tone}", color) + _paint(f": {head}", "1", color)]
    if problem.span is not None:
        lines += _excerpt(problem.span, text, tone, color)
    if problem.help:
        lines.append(_paint("help", "1;36", color) + ": " + _visible(problem.help, LINE_LIMIT - len("help: ")))
    return "\n".join(lines)


def notice(problem: Problem) -> str:
    """
    The problem in one line for below the status line: file, line, what, and the command that says more.

    Returns: at most 120 characters, no control character
    """
    tail = ", run: ohud check"
    where = ""
    if problem.span is not None:
        name = problem.span.file.replace("\\", "/").rstrip("/").rpartition("/")[2] or problem.span.file
        where = _place(Span(_visible(name, 40), problem.span.line, problem.span.column)) + " "
    head = "ohud: " + where
    return head + _visible(problem.message, _NOTICE_LIMIT - len(head) - len(tail)) + tail


def told(problem: Problem) -> str:
    """The problem in one line for stderr and the log: the whole path, line, column, what; no control character."""
    where = _visible(_place(problem.span), 300) + " " if problem.span is not None else ""
    return where + _visible(problem.message, 200)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` was probably meant to be; None when none is near."""
    import difflib  # 5 ms; only mistakes need it

    folded = {name.lower(): name for name in known}
    word = word[:80].lower()
    # Letters that changed places come before a letter too few or too many.
    swapped = [name for name in folded if len(name) == len(word) > 1 and sorted(name) == sorted(word)]
    found = swapped or difflib.get_close_matches(word, folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def either(words: Iterable[str]) -> str:
    """The words as a choice: "`a`, `b` or `c`"."""
    quoted = [f"`{word}`" for word in words]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " or " + quoted[-1] if quoted else "nothing"


def count(number: int, noun: str) -> str:
    """The number with its noun: "1 problem", "2 problems"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def quote(text: object, limit: int = 60) -> str:
    """Text from outside for use inside a message: in backticks, cut, controls and invisible characters spelt out."""
    return "`" + _visible(str(text), limit) + "`"


def invisible(character: str) -> bool:
    """Whether a character shows nothing of its own or moves others: controls, bidi marks, zero width, tags, fillers."""
    if character.isascii():
        return not character.isprintable()
    return (
        unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        or character in _FILLERS
        or "\ufe00" <= character <= "\ufe0f"
        or 0xE0000 <= ord(character) <= 0xE0FFF
        or ord(character) & 0xFFFE == 0xFFFE
        or "\ufdd0" <= character <= "\ufdef"
    )


_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")


def _excerpt(span: Span, text: str | None, tone: str, color: bool) -> list[str]:
    place = _visible(_place(span), LINE_LIMIT - 10)
    lines = text.split("\n") if text is not None else []
    if span.line is None or not 0 < span.line <= len(lines):
        return [_paint(" --> ", "34", color) + place]
    margin = " " * len(str(span.line))
    bar = _paint("|", "34", color)
    shown, caret = _marked(lines[span.line - 1].removesuffix("\r"), span)
    return [
        _paint(f"{margin}--> ", "34", color) + place,
        f"{margin} {bar}",
        f"{_paint(str(span.line), '34', color)} {bar} {shown}".rstrip(),
        f"{margin} {bar} {_paint(caret, f'1;{tone}', color)}",
    ]


def _place(span: Span) -> str:
    parts = [span.file]
    if span.line is not None:
        parts.append(str(span.line))
        if span.column is not None:
            parts.append(str(span.column))
    return ":".join(parts)


def _marked(line: str, span: Span) -> tuple[str, str]:
    """The line as it is shown and the carets under the span, cut to a window around the place."""
    if span.column is None:
        start, end = len(line) - len(line.lstrip()), len(line.rstrip())
    else:
        start = min(span.column - 1, len(line))
        end = min(start + max(span.length, 1), max(len(line), start + 1))
    pieces: list[str] = []
    cells: list[int] = []
    at = 0
    for character in line[: start + 400]:  # a piece below is at most 8 cells wide: more is never shown
        piece = _shown(character, at)
        pieces.append(piece)
        cells.append(_cells(piece))
        at += cells[-1]
    first, before = (0, sum(cells[:start])) if at <= _EXCERPT_CELLS else (start, 0)
    while first > 0 and before + cells[first - 1] <= _EXCERPT_CELLS // 3:
        first -= 1
        before += cells[first]
    last, total = first, 0
    while last < len(pieces) and total + cells[last] <= _EXCERPT_CELLS:
        total += cells[last]
        last += 1
    lead, trail = "…" if first else "", "…" if last < len(line) else ""
    shown = lead + "".join(pieces[first:last]) + trail
    wide = sum(cells[start : min(end, last)])
    return shown, " " * (len(lead) + before) + "^" * max(1, wide)


def _shown(character: str, at: int) -> str:
    if character == "\t":
        return " " * (_TAB - at % _TAB)
    return _spelt(character)


def _spelt(character: str) -> str:
    # joiners and the emoji selector stay: without them an emoji would fall apart in the excerpt
    if invisible(character) and character not in "\u200d\ufe0f":
        return f"<U+{ord(character):04X}>"
    return character


def _visible(text: str, limit: int) -> str:
    """Text with every control and invisible character spelt out or, for white space, as one space; cut with `…`."""
    shown = "".join(" " if character in "\t\n\r" else _spelt(character) for character in text[: limit + 1])
    return shown if len(shown) <= limit else shown[: max(0, limit - 1)] + "…"


def _cells(text: str) -> int:
    """Width of a few characters on a terminal, near enough to place a caret."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if character in "\u200d\ufe0f" or unicodedata.combining(character)
        else 2
        if unicodedata.east_asian_width(character) in "WF"
        else 1
        for character in text
    )


def _paint(text: str, code: str, color: bool) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if color and text else text
