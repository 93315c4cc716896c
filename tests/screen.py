"""Measures of printed text as a terminal would see it: without escapes, in cells, with what is left open."""

import re
from collections.abc import Iterator

from wcwidth import wcswidth, wcwidth

SGR = re.compile(r"\x1b\[([0-9;:]*)m")
LINK = re.compile(r"\x1b\]8;([^\x07\x1b]*)(?:\x07|\x1b\\)")
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")

# What ends a style, by the code that begins it (ECMA-48); colours are told apart below.
_ENDS = {1: 22, 2: 22, 3: 23, 4: 24, 5: 25, 6: 25, 7: 27, 8: 28, 9: 29, 21: 24, 53: 55, 58: 59}
_EXTENDED = {"5": 2, "2": 4}


def plain(text: str) -> str:
    """The text without colour and link sequences."""
    return LINK.sub("", SGR.sub("", text))


def cells(text: str) -> int:
    """Width of one line without escapes, in terminal cells."""
    width = wcswidth(text)
    return width if width >= 0 else sum(max(0, wcwidth(character)) for character in text)


def unclosed_styles(line: str) -> set[int]:
    """The SGR codes that would still have to follow for the line to end in plain text."""
    left: set[int] = set()
    for found in SGR.finditer(line):
        for code in _codes(found[1]):
            _apply(code, left)
    return left


def _codes(parameters: str) -> Iterator[int]:
    """The leading numbers of one SGR sequence, the operands of extended colours left out."""
    rest = parameters.split(";")
    while rest:
        first, *operands = rest.pop(0).split(":")
        number = int(first or 0)
        if number in (38, 48, 58) and not operands and rest:
            del rest[: _EXTENDED.get(rest[0], 0)]
        yield number


def _apply(code: int, left: set[int]) -> None:
    if code == 0:
        left.clear()
    elif 30 <= code <= 38 or 90 <= code <= 97:
        left.add(39)
    elif 40 <= code <= 48 or 100 <= code <= 107:
        left.add(49)
    elif code in _ENDS:
        left.add(_ENDS[code])
    else:
        left.discard(code)


def link_left_open(line: str) -> bool:
    """Whether a hyperlink of the line is not closed on it."""
    closing = [found[1].partition(";")[2] == "" for found in LINK.finditer(line)]
    return bool(closing) and (not closing[-1] or closing.count(False) > closing.count(True))


def faults(text: str) -> list[str]:
    """What no output of ours may have: control bytes, foreign escapes, styles or links open at a line's end."""
    found = []
    bare = plain(text)
    if CONTROL.search(bare):
        found.append(f"control byte in {bare[:100]!r}")
    for line in text.split("\n"):
        if unclosed_styles(line):
            found.append(f"style left open: {line[:80]!r}")
        if link_left_open(line):
            found.append(f"link left open: {line[:80]!r}")
    return found
