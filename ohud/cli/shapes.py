"""
Characters that are drawn as shapes, so that bars, boxes and arrows have no seams: block elements (U+2580 to U+259F),
box drawing (U+2500 to U+257F), Braille patterns (U+2800 to U+28FF), the arrows of powerline fonts (U+E0B0 to U+E0BF).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

# One cell [pixels].
WIDTH, HEIGHT = 9, 20


def rect(x: float, y: float, width: float, height: float, colour: str, more: str = "") -> str:
    """An SVG rectangle; `more`: further attributes."""
    return (
        f'<rect x="{short(x)}" y="{short(y)}" width="{short(width)}" height="{short(height)}" fill="{colour}"{more}/>'
    )


def short(number: float) -> str:
    """A number with two digits behind the point at most."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


@dataclass(frozen=True, slots=True)
class Block:
    """Parts of a cell with straight sides, each (left, top, right, bottom) in shares of it."""

    parts: tuple[tuple[float, float, float, float], ...]
    opacity: float = 1.0

    def drawn(self, x: float, y: float, colour: str, count: int = 1) -> str:
        """The same in so many cells side by side, in one piece where nothing is between them."""
        more = f' opacity="{self.opacity}"' if self.opacity < 1 else ""
        found = []
        for left, top, right, bottom in self.parts:
            at, high = y + top * HEIGHT, (bottom - top) * HEIGHT
            whole = left == 0 and right == 1
            for number in range(1 if whole else count):
                wide = count if whole else right - left
                found.append(rect(x + (number + left) * WIDTH, at, wide * WIDTH, high, colour, more))
        return "".join(found)


@dataclass(frozen=True, slots=True)
class Curve:
    """A path in a cell of 2 x 2 units, filled, or drawn with a line of that width [pixels]."""

    data: str
    line: float = 0.0

    def drawn(self, x: float, y: float, colour: str) -> str:
        """The path in one cell."""
        steps = [(step[0], [float(number) for number in step[1:].split()]) for step in _STEP.findall(self.data)]
        placed = "".join(name + " ".join(map(short, _placed(name, numbers, x, y))) for name, numbers in steps)
        if not self.line:
            return f'<path d="{placed}" fill="{colour}"/>'
        return f'<path d="{placed}" fill="none" stroke="{colour}" stroke-width="{self.line}"/>'


_STEP = re.compile("[A-Z][^A-Z]*")


def _placed(name: str, numbers: list[float], x: float, y: float) -> list[float]:
    """The numbers of a step of a path, from units of a cell to pixels."""
    wide, high = WIDTH / 2, HEIGHT / 2
    if name == "A":
        radii, flags, end = numbers[:2], numbers[2:5], numbers[5:]
        return [radii[0] * wide, radii[1] * high, *flags, x + end[0] * wide, y + end[1] * high]
    if name == "V":
        return [y + numbers[0] * high]
    return [y + number * high if at % 2 else x + number * wide for at, number in enumerate(numbers)]


def _block(*parts: tuple[float, float, float, float], opacity: float = 1.0) -> Block:
    return Block(parts, opacity)


_TWO = {1: (0.0, 0.0, 0.5, 0.5), 2: (0.5, 0.0, 1.0, 0.5), 4: (0.0, 0.5, 0.5, 1.0), 8: (0.5, 0.5, 1.0, 1.0)}
_QUADRANTS = {0x96: 4, 0x97: 8, 0x98: 1, 0x99: 13, 0x9A: 9, 0x9B: 7, 0x9C: 11, 0x9D: 2, 0x9E: 6, 0x9F: 14}
_ARROWS = {
    "\ue0b0": Curve("M0 0L2 1L0 2Z"),
    "\ue0b1": Curve("M0 0L2 1L0 2", 1.2),
    "\ue0b2": Curve("M2 0L0 1L2 2Z"),
    "\ue0b3": Curve("M2 0L0 1L2 2", 1.2),
    "\ue0b4": Curve("M0 0A2 1 0 0 1 0 2Z"),
    "\ue0b5": Curve("M0 0A2 1 0 0 1 0 2", 1.2),
    "\ue0b6": Curve("M2 0A2 1 0 0 0 2 2Z"),
    "\ue0b7": Curve("M2 0A2 1 0 0 0 2 2", 1.2),
    "\ue0b8": Curve("M0 0L2 2H0Z"),
    "\ue0b9": Curve("M0 0L2 2", 1.2),
    "\ue0ba": Curve("M2 0V2H0Z"),
    "\ue0bb": Curve("M2 0L0 2", 1.2),
    "\ue0bc": Curve("M0 0H2L0 2Z"),
    "\ue0bd": Curve("M2 0L0 2", 1.2),
    "\ue0be": Curve("M0 0H2V2Z"),
    "\ue0bf": Curve("M0 0L2 2", 1.2),
}


def _blocks() -> dict[str, Block]:
    """Block elements, U+2580 to U+259F."""
    found = {"\u2580": _block((0, 0, 1, 0.5)), "\u2590": _block((0.5, 0, 1, 1))}
    for eighths in range(1, 9):
        found[chr(0x2580 + eighths)] = _block((0, 1 - eighths / 8, 1, 1))
        if eighths < 8:
            found[chr(0x2590 - eighths)] = _block((0, 0, eighths / 8, 1))
    for number, opacity in enumerate((0.25, 0.5, 0.75)):
        found[chr(0x2591 + number)] = _block((0, 0, 1, 1), opacity=opacity)
    found |= {"\u2594": _block((0, 0, 1, 0.125)), "\u2595": _block((0.875, 0, 1, 1))}
    for code, bits in _QUADRANTS.items():
        found[chr(0x2500 + code)] = _block(*(part for bit, part in _TWO.items() if bits & bit))
    return found


def _braille() -> dict[str, Block]:
    """Braille patterns, U+2800 to U+28FF, as dots."""
    places = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)]

    def pattern(bits: int) -> Block:
        dots = [
            (0.15 + 0.5 * x, 0.1 + 0.22 * y, 0.35 + 0.5 * x, 0.19 + 0.22 * y)
            for number, (x, y) in enumerate(places)
            if bits >> number & 1
        ]
        return _block(*dots)

    return {chr(0x2800 + bits): pattern(bits) for bits in range(256)}


_BLOCKS = {**_blocks(), **_braille()}
_WEIGHTS = ("LIGHT", "HEAVY", "DOUBLE", "SINGLE")
_ARMS = {"UP": "U", "DOWN": "D", "LEFT": "L", "RIGHT": "R", "HORIZONTAL": "LR", "VERTICAL": "UD"}
CURVES = {
    **_ARROWS,
    "╭": Curve("M1 2Q1 1 2 1", 1.3),
    "╮": Curve("M1 2Q1 1 0 1", 1.3),
    "╯": Curve("M1 0Q1 1 0 1", 1.3),
    "╰": Curve("M1 0Q1 1 2 1", 1.3),
    "╱": Curve("M2 0L0 2", 1.3),
    "╲": Curve("M0 0L2 2", 1.3),
    "╳": Curve("M2 0L0 2M0 0L2 2", 1.3),
}


def block_of(piece: str) -> Block | None:
    """The parts of a character that is drawn with straight sides."""
    found = _BLOCKS.get(piece)
    if found is None and "\u2500" <= piece[0] <= "\u257f" and piece not in CURVES:
        found = _BLOCKS[piece] = _line_of(piece)
    return found


def _line_of(character: str) -> Block:
    """A box-drawing character, U+2500 to U+257F, from what Unicode calls it."""
    name = unicodedata.name(character, "").removeprefix("BOX DRAWINGS ")
    dashes = next((number for word, number in (("DOUBLE DASH", 2), ("TRIPLE", 3), ("QUADRUPLE", 4)) if word in name), 0)
    if dashes:
        return _dashes("HORIZONTAL" in name, dashes, 0.13 if "HEAVY" in name else 0.07)
    arms: dict[str, str] = {}
    weight = "LIGHT"
    for part in name.split(" AND "):
        words = part.split()
        weight = next((word for word in words if word in _WEIGHTS), weight)
        for word in words:
            arms |= dict.fromkeys(_ARMS.get(word, ""), weight)
    if set(arms) == {"L", "R"} and arms["L"] == arms["R"]:
        return _block(*((0, top, 1, bottom) for _, top, _, bottom in _arm("L", arms["L"])))
    return _block(*(part for arm, weight in arms.items() for part in _arm(arm, weight)))


def _dashes(horizontal: bool, count: int, half: float) -> Block:
    spans = [((number + 0.2) / count, (number + 0.8) / count) for number in range(count)]
    if horizontal:
        return _block(*((start, 0.5 - half / 2, end, 0.5 + half / 2) for start, end in spans))
    return _block(*((0.5 - half, start, 0.5 + half, end) for start, end in spans))


def _arm(arm: str, weight: str) -> Iterator[tuple[float, float, float, float]]:
    """The rectangles from the middle of a cell to one of its sides."""
    half = {"HEAVY": 1.3}.get(weight, 0.65)
    for shift in (-1.6, 1.6) if weight == "DOUBLE" else (0.0,):
        if arm in "LR":
            middle, reach = 0.5 + shift / HEIGHT, half / WIDTH
            left, right = (0.0, 0.5 + reach) if arm == "L" else (0.5 - reach, 1.0)
            yield left, middle - half / HEIGHT, right, middle + half / HEIGHT
        else:
            middle, reach = 0.5 + shift / WIDTH, half / HEIGHT
            top, bottom = (0.0, 0.5 + reach) if arm == "U" else (0.5 - reach, 1.0)
            yield middle - half / WIDTH, top, middle + half / WIDTH, bottom
