"""
Pictures of terminal text: SVG written here, and PNG where a converter is at hand.

Every run of text stands at the place of its cells, so that no font can shift it. Bars, lines and arrows are drawn as
shapes without seams, and the icons of `ohud.theme.icons` as outlines of our own, as few machines have the fonts.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape as _escape
from importlib import import_module

from ohud.cli.outline import LINE_WIDTH, Outline, outline_of
from ohud.cli.shapes import CURVES, HEIGHT, WIDTH, block_of, rect, short
from ohud.host import files
from ohud.host.screen import Row, Style, paint
from ohud.run import cells

# Where the text's base line is in a cell, and the size of its font [pixels].
_BASE = 15
_SIZE = 15
_SIDE = 16
_BAR = 34
_FONTS = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"
_SCALE = 2
# Far beyond any line, as the lines are cut already.
_FAR = 4000


CONVERTERS = (
    "pip install cairosvg, or install rsvg-convert (librsvg), resvg, Inkscape or ImageMagick; `--svg FILE` needs none"
)


# What XML has no place for, not even as a reference.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escape(text: str, quote: bool = True) -> str:
    """Any text as that of an XML document."""
    return _escape(_NO_XML.sub("\ufffd", text), quote)


class NoConverter(Exception):
    """None of the programs that turn SVG into PNG is there, or the one that is there fails."""


@dataclass(frozen=True, slots=True)
class Paper:
    """
    The colours of a terminal.

    Takes:  ansi: its 16 colours, the bright ones last; inactive: what the host takes for text without a colour
    """

    back: str
    front: str
    frame: str
    bar: str
    quiet: str
    inactive: str
    ansi: tuple[str, ...]


_DARK_16 = (
    "2b2f38 e5656e 87bf5f dcb45a 5c9df5 c585e0 4fb9c4 c9cdd6 727a89 ff8189 a4d97b f0cd79 82b7ff dba3f3 74d4de f4f6fa"
)
_LIGHT_16 = (
    "24282f c5303b 3c7d1e 96660a 1f62c9 8f3bb0 0c7480 55595f 7c828c dd4a54 4d9626 b07d13 3b7de0 a855c9 1590a0 9a9fa6"
)
PAPERS = {
    "dark": Paper(
        "#16181d", "#d4d7dd", "#32363f", "#22252c", "#7d8491", "#999999", tuple("#" + c for c in _DARK_16.split())
    ),
    "light": Paper(
        "#fcfcfa", "#24282f", "#cfd2d6", "#ecedee", "#71767e", "#666666", tuple("#" + c for c in _LIGHT_16.split())
    ),
}


@dataclass(frozen=True, slots=True)
class Panel:
    """Some lines with a caption above them; `rows` are as the host has drawn them, or as `rows_of` gives them."""

    caption: str
    rows: Sequence[Row]


def rows_of(text: str) -> list[Row]:
    """The lines of a command's output as rows, nothing of them cut, trimmed or left out."""
    rows = []
    for line in text.split("\n"):
        rows += paint([line], _FAR, 0) or [Row((), 0)]
    return rows


def svg(title: str, panels: Sequence[Panel], columns: int, background: str = "dark", host: bool = False) -> str:
    """
    The picture of a terminal window.

    Takes:  columns: its width, more where a row needs it; background: "dark" or "light"; host: text without a colour
            is in the host's grey
    """
    paper = PAPERS[background]
    drawing = _Drawing(paper, paper.inactive if host else paper.front)
    line = 0.0
    for number, panel in enumerate(panels):
        line += 0.5 * bool(number)
        if panel.caption:
            drawing.caption(panel.caption, line)
            line += 1
        for row in panel.rows:
            drawing.row(row, line)
            line += 1
    widest = max([columns, *(_end(row) for panel in panels for row in panel.rows)])
    return _framed(title, drawing, paper, widest * WIDTH + 2 * _SIDE, round(_BAR + line * HEIGHT + _SIDE))


def _end(row: Row) -> int:
    return row.indent + cells.width(row.text)


def _framed(title: str, drawing: _Drawing, paper: Paper, width: int, height: int) -> str:
    dots = "".join(f'<circle cx="{x}" cy="17" r="5"/>' for x in (20, 38, 56))
    middle = f'x="{width // 2}" y="22" text-anchor="middle" font-size="13" fill="{paper.quiet}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="{_FONTS}" font-size="{_SIZE}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8" fill="{paper.back}" '
        f'stroke="{paper.frame}"/>',
        f'<path d="M1 {_BAR - 6}V8.5A7.5 7.5 0 0 1 8.5 1H{width - 8.5}A7.5 7.5 0 0 1 {width - 1} 8.5V{_BAR - 6}z" '
        f'fill="{paper.bar}"/>',
        f'<g fill="{paper.frame}">{dots}</g>',
        f'<text {middle} font-family="sans-serif">{escape(title)}</text>',
        f'<g transform="translate({_SIDE} {_BAR})">',
        *drawing.parts(),
        "</g>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


class _Drawing:
    """What has been drawn so far: backgrounds below, shapes without seams over them, text on top."""

    def __init__(self, paper: Paper, front: str) -> None:
        self._paper = paper
        self._front = front
        self._backs: list[str] = []
        self._blocks: list[str] = []
        self._shapes: list[str] = []
        self._texts: list[str] = []

    def parts(self) -> Iterator[str]:
        """All of it, in the order in which it is drawn."""
        if self._backs or self._blocks:
            yield '<g shape-rendering="crispEdges">'
            yield from self._backs
            yield from self._blocks
            yield "</g>"
        yield from self._shapes
        # Blanks count: where a run of text is measured, every one of them is a cell.
        yield '<g xml:space="preserve">'
        yield from self._texts
        yield "</g>"

    def caption(self, text: str, line: float) -> None:
        """A quiet line that is none of the terminal's own."""
        y = short(line * HEIGHT + _BASE - 1)
        self._texts.append(
            f'<text y="{y}" font-family="sans-serif" font-size="12" fill="{self._paper.quiet}">{escape(text)}</text>'
        )

    def row(self, row: Row, line: float) -> None:
        """One row of the terminal."""
        at, y = row.indent, line * HEIGHT
        for number, (text, style) in enumerate(row.spans):
            around = (row.spans[number - 1][0][-1:] if number else "") + "\0"
            around += row.spans[number + 1][0][:1] if number + 1 < len(row.spans) else " "
            front, back = _colours(style, self._paper, self._front)
            parts = list(pieces(text))
            length = sum(width for _, width in parts)
            if back:
                self._backs.append(rect(at * WIDTH, y, length * WIDTH, HEIGHT, back))
            self._span(parts, at, y, front, style, around)
            at += length

    def _span(self, pieces: list[tuple[str, int]], at: int, y: float, front: str, style: Style, around: str) -> None:
        """One run of characters that look alike; `around`: the characters before and behind it, NUL between them."""
        before, _, behind = around.partition("\0")
        plain, start, first = "", at, at
        for number, (piece, width) in enumerate(pieces):
            if width == len(piece) == 1 and piece.isprintable() and piece < "\u0250":
                plain += piece
            else:
                self._text(plain, start, y, front, style)
                block = block_of(piece)
                if block is None:
                    following = pieces[number + 1][0] if number + 1 < len(pieces) else behind
                    # In a row of the same signs the last one is no larger.
                    alone = piece != (pieces[number - 1][0] if number else before)
                    self._glyph(piece, at, y, width, front, style, alone and following == " ")
                elif number == 0 or pieces[number - 1][0] != piece:
                    same = next((n for n, other in enumerate(pieces[number:]) if other[0] != piece), None)
                    count = len(pieces) - number if same is None else same
                    self._blocks.append(block.drawn(at * WIDTH, y, front, count))
                plain, start = "", at + width
            at += width
        self._text(plain, start, y, front, style)
        self._rules(first, at, y, front, style)

    def _text(self, text: str, at: int, y: float, front: str, style: Style) -> None:
        """Text of one-cell characters, pulled to its cells."""
        bare = text.strip(" ")
        if bare:
            at += len(text) - len(text.lstrip(" "))
            pulled = f' textLength="{len(bare) * WIDTH}"' if len(bare) > 1 else ""
            self._texts.append(
                f'<text x="{at * WIDTH}" y="{short(y + _BASE)}"{pulled} fill="{front}"{_font(style)}>'
                f"{escape(bare, quote=False)}</text>"
            )

    def _glyph(self, piece: str, at: int, y: float, width: int, front: str, style: Style, room: bool) -> None:
        """One character that no font can be trusted with."""
        x = at * WIDTH
        curve, found = CURVES.get(piece), outline_of(piece, width)
        if curve is not None:
            self._shapes.append(curve.drawn(x, y, front))
        elif found is not None:
            self._shapes.append(_outlined(found, x, y, width, front, room))
        elif piece.strip():
            self._texts.append(
                f'<text x="{short(x + width * WIDTH / 2)}" y="{short(y + _BASE)}" text-anchor="middle" '
                f'fill="{front}"{_font(style)}>{escape(piece, quote=False)}</text>'
            )

    def _rules(self, start: int, end: int, y: float, front: str, style: Style) -> None:
        """Lines under, through and over the text."""
        for code, down in (("4", _BASE + 2.5), ("9", _BASE - 5), ("53", 1)):
            if code in style.attributes:
                self._texts.append(rect(start * WIDTH, y + down, (end - start) * WIDTH, 1, front))


def _font(style: Style) -> str:
    bold = ' font-weight="bold"' if "1" in style.attributes else ""
    return bold + (' font-style="italic"' if "3" in style.attributes else "")


def pieces(text: str) -> Iterator[tuple[str, int]]:
    """Characters with what combines with them, and the cells that each takes."""
    if cells.width(text) == len(text) and text.isascii():
        yield from ((character, 1) for character in text)
        return
    piece, before, width = "", 0, 0
    for at, character in enumerate(text):
        now = cells.width(text[: at + 1])
        joined = now == before or character == "\ufe0f" or piece.endswith("\u200d")
        if piece and not joined:
            yield piece, width
            piece, width = "", 0
        piece, width, before = piece + character, width + now - before, now
    if piece:
        yield piece, width


def _colours(style: Style, paper: Paper, default: str) -> tuple[str, str]:
    """Colour of the text and of what is behind it, "" where that is the paper."""
    front = _colour(style.foreground, paper, default)
    back = _colour(style.background, paper, "")
    if "7" in style.attributes:
        front, back = back or paper.back, front
    if "2" in style.attributes:
        front = _mixed(front, back or paper.back)
    if "8" in style.attributes:
        front = back or paper.back
    return front, back


def _colour(parameters: str, paper: Paper, default: str) -> str:
    if not parameters:
        return default
    first, *rest = [int(part) for part in parameters.split(";")]
    if first in (38, 48):
        numbers = [min(255, number) for number in rest[1:]]
        if rest[0] == 2:
            return "#" + "".join(f"{number:02x}" for number in numbers)
        return _indexed(numbers[0], paper)
    return paper.ansi[first % 10 + (8 if first >= 90 else 0)]


def _indexed(number: int, paper: Paper) -> str:
    """A colour of the 256: the terminal's own, a cube of 6 x 6 x 6, or a grey."""
    if number < 16:
        return paper.ansi[number]
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    number -= 16
    levels = (0, 95, 135, 175, 215, 255)
    return "#" + "".join(f"{levels[part]:02x}" for part in (number // 36, number // 6 % 6, number % 6))


def _mixed(front: str, back: str) -> str:
    """The colour of dim text: more than half of the way from what is behind it."""
    pairs = [(int(front[at : at + 2], 16), int(back[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(b + (f - b) * 0.6):02x}" for f, b in pairs)


def _outlined(outline: Outline, x: float, y: float, width: int, front: str, room: bool) -> str:
    """An icon in its cells; one of a single cell may lean into a blank behind it."""
    size = width * WIDTH - 2 if width > 1 else 13 if room else WIDTH
    left = x + (width * WIDTH - size) / 2 if width > 1 or not room else x
    colour = outline.colour or front
    parts = [f'<path d="{outline.filled}" fill="{colour}" fill-rule="evenodd"/>'] if outline.filled else []
    if outline.drawn:
        parts.append(
            f'<path d="{outline.drawn}" fill="none" stroke="{colour}" stroke-width="{LINE_WIDTH}" '
            'stroke-linecap="round" stroke-linejoin="round"/>'
        )
    move = f"translate({short(left)} {short(y + (HEIGHT - size) / 2)})scale({short(size / 16)})"
    return f'<g transform="{move}">{"".join(parts)}</g>'


def write_svg(path: str, picture: str) -> None:
    """
    Puts a picture where the user wants it.

    Errors:  OSError, ValueError for what is no path
    """
    _put(path, picture.encode())


def _put(path: str, data: bytes) -> None:
    """A file replaced or made, whole or not at all; a pipe or a device written to."""
    try:
        facts = os.stat(path)
    except FileNotFoundError:
        facts = None
    left = files.Leftovers()
    if facts is None or stat.S_ISREG(facts.st_mode):
        real = os.path.realpath(path)
        try:
            os.replace(files.write_beside(real, data, facts, False, left), real)
            return
        except OSError as fault:
            # The file may be written, but none beside it.
            if facts is None or fault.errno not in (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.EROFS):
                raise
        finally:
            left.clear()
    # A pipe that nobody reads is a fault, nothing to wait for.
    handle = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(handle, "wb") as file:
        if hasattr(os, "set_blocking"):
            os.set_blocking(handle, True)
        if facts is not None and stat.S_ISREG(facts.st_mode):
            os.truncate(handle, 0)
        file.write(data)


def write_png(path: str, picture: str) -> None:
    """
    The same as PNG, twice as large.

    Errors:  NoConverter, OSError, ValueError for what is no path
    """
    _put(path, png(picture))


# program: what turns the SVG on its standard input into a PNG on its standard output
_PROGRAMS = {
    "rsvg-convert": ["--zoom", str(_SCALE), "--format", "png"],
    "resvg": ["--zoom", str(_SCALE), "-", "-c"],
    "inkscape": ["--pipe", "--export-type=png", f"--export-dpi={96 * _SCALE}", "--export-filename=-"],
    "magick": ["-background", "none", "-density", str(96 * _SCALE), "svg:-", "png:-"],
}


def png(picture: str) -> bytes:
    """
    An SVG picture as PNG, by the first converter that is there.

    Errors:  NoConverter
    """
    try:
        # It knows no list of fonts.
        plain = picture.replace(_FONTS, "monospace")
        converted = import_module("cairosvg").svg2png(bytestring=plain.encode(), scale=_SCALE)
        return bytes(converted)
    except Exception:
        # The module without the library that it binds to is as good as none; a picture may be too large for it.
        pass
    for program, words in _PROGRAMS.items():
        place = shutil.which(program)
        if place:
            return _converted([place, *words], picture)
    raise NoConverter("no program that makes PNG of SVG is installed")


def _converted(command: list[str], picture: str) -> bytes:
    try:
        done = subprocess.run(command, input=picture.encode(), capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise NoConverter(f"{command[0]} fails: {fault}") from None
    if done.returncode or not done.stdout.startswith(b"\x89PNG"):
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise NoConverter(f"{command[0]} fails" + (f": {said[-1][:200]}" if said else ""))
    return done.stdout
