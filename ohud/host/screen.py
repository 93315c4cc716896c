"""What the host makes of a command's output: normalised lines, drawn rows, the part of them that is on the screen."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ohud.host.version import NEW, Version
from ohud.run import cells

# What JavaScript's trim takes away (ECMA-262, WhiteSpace and LineTerminator).
BLANKS = "\t\n\v\f\r \u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000\ufeff"
# The grey of text without a colour of its own (dark theme), as SGR parameters.
INACTIVE = "38;2;153;153;153"
# Columns that the host keeps free on each side of the line.
MARGIN = 2
TAB = 8
# No cluster of characters is this long; what stands behind so many characters of a row is beyond any edge.
_FAR = 65536

_ESCAPE = re.compile(
    r"\x1b(?:"
    r"\[(?P<parameters>[0-?]*)(?P<middle>[ -/]*)(?P<final>[@-~]?)"  # control sequence, maybe broken off
    r"|\](?P<command>[^\x07\x1b]*)(?P<end>\x07|\x1b\\)?"  # operating system command
    r"|[PX^_](?:(?!\x1b\\).)*(?:\x1b\\)?"  # the other strings, to their terminator
    r"|[ -/]*[0-~]?"  # two-character escapes and character sets
    r")",
    re.DOTALL,
)
_CONTROLS = dict.fromkeys([*range(9), *range(10, 32), *range(127, 160), 0x200B, 0x2060, 0xFEFF])
_BIDIRECTIONAL = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], "\ufffd")


@dataclass(frozen=True, slots=True)
class Style:
    """
    How a piece of a row looks; colours and attributes are SGR parameters, no colour is the host's grey.

    Takes:  link: where it leads, or nothing
    """

    foreground: str = ""
    background: str = ""
    attributes: frozenset[str] = frozenset()
    link: str = ""


PLAIN = Style()


@dataclass(frozen=True, slots=True)
class Row:
    """One drawn row: pieces of text and how they look, the columns before it, whether the host has cut it."""

    spans: tuple[tuple[str, Style], ...]
    indent: int = MARGIN
    cut: bool = False

    @property
    def text(self) -> str:
        """The characters, without the columns before them."""
        return "".join(text for text, _ in self.spans)

    @property
    def line(self) -> str:
        """The row as it stands on the screen, without colours and blanks at its end."""
        return (" " * self.indent + self.text).rstrip(" ")

    def ansi(self) -> str:
        """The row as it stands on the screen, with colours and links."""
        parts = [" " * self.indent]
        for text, style in self.spans:
            codes = ";".join([*sorted(style.attributes, key=int), style.foreground or INACTIVE, style.background])
            painted = f"\x1b[{codes.rstrip(';')}m{text}\x1b[0m"
            parts.append(f"\x1b]8;;{style.link}\x1b\\{painted}\x1b]8;;\x1b\\" if style.link else painted)
        return "".join(parts)


def normalise(stdout: bytes | str, version: Version = NEW) -> list[str]:
    """
    The lines that the host takes from a command's output: each trimmed, blank ones left out.

    Returns:  nothing also where the version has a limit and the output is longer
    """
    text = stdout.decode("utf-8", "replace") if isinstance(stdout, bytes) else stdout
    if version.output_limit is not None and units(text) > version.output_limit:
        return []
    lines = (line.strip(BLANKS) for line in text.strip(BLANKS).split("\n"))
    return [line for line in lines if line]


def units(text: str) -> int:
    """How long JavaScript says the text is (UTF-16 units)."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def usable(columns: int, padding: int = 0) -> int:
    """Cells that a line may take before the host cuts it."""
    return max(0, columns - 2 * MARGIN - 2 * padding)


def draw(
    rows: list[str],
    columns: int,
    padding: int = 0,
    version: Version = NEW,
    links: bool | None = None,
) -> list[Row]:
    """
    The rows that the host draws for normalised lines, cut to the usable width.

    Takes:    links: whether the terminal is known to support hyperlinks (None: not known, as in tmux)
    Returns:  fewer rows than lines where lines have nothing but escapes
    """
    indent = max(0, MARGIN + padding)
    return paint(rows, usable(columns, padding), indent, version, links)


def paint(rows: list[str], width: int, indent: int, version: Version = NEW, links: bool | None = None) -> list[Row]:
    """Lines as rows of at most that many cells, colours and links carried from line to line."""
    drawn = []
    style = PLAIN
    for line in rows:
        if style is PLAIN and len(line) <= width and line.isascii() and line.isprintable():
            drawn.append(Row(((line, PLAIN),), indent))
            continue
        pieces, style = _pieces(line, style, indent, version)
        row = _fitted(pieces, width, indent, version, links)
        if row is not None:
            drawn.append(row)
    return drawn


def _pieces(line: str, style: Style, indent: int, version: Version) -> tuple[list[tuple[str, Style]], Style]:
    """The texts between a line's escapes and how each looks; how the next line begins."""
    pieces: list[tuple[str, Style]] = []
    at = length = 0
    for found in _ESCAPE.finditer(line):
        length = _add(pieces, line, at, found.start(), style, length)
        at = found.end()
        if found["final"] == "m" and not found["middle"] and not found["parameters"].strip("0123456789;:"):
            style = styled(style, found["parameters"])
        elif found["command"] is not None:
            if not found["end"]:
                return pieces, style
            style = _linked(style, found["command"])
    _add(pieces, line, at, len(line), style, length)
    return pieces, style


def _add(pieces: list[tuple[str, Style]], line: str, start: int, end: int, style: Style, length: int) -> int:
    """Puts the text from start to end to the pieces, as far as it can be seen; gives their new length."""
    if start < end and length < _FAR:
        text = line[start : min(end, start + _FAR)].translate(_CONTROLS).translate(_BIDIRECTIONAL)
        if text:
            pieces.append((text, style))
            length += len(text)
    return length


def _fitted(
    pieces: list[tuple[str, Style]], width: int, indent: int, version: Version, links: bool | None
) -> Row | None:
    """The pieces as one row; None when there is nothing to see."""
    text = "".join(piece for piece, _ in pieces)
    styles = [style for piece, style in pieces for _ in piece]
    if not text.isascii() or "\t" in text:
        text, styles = _laid(text, styles, indent, version)
    if not text:
        return None
    cut = cells.width(text) > width
    if cut:
        head = cells.cut(text, width - 1) if width > 0 else ""
        # The sign of the cut looks like the first character that it stands for.
        text, styles = head + "…" * (width > 0), styles[: len(head) + (width > 0)]
    return Row(tuple(_spans(text, styles, version, links)), indent, cut)


def _laid(text: str, styles: list[Style], indent: int, version: Version) -> tuple[str, list[Style]]:
    """The text with tabs and odd separators as cells, and without what has no cell at its beginning."""
    done: list[str] = []
    kept: list[Style] = []
    base = indent if version.tabs_from_edge else 0
    for character, style in zip(text, styles, strict=True):
        if character == "\t":
            at = base + cells.width("".join(done))
            character = " " * (TAB - at % TAB)
        elif character in "\u2028\u2029":
            character = " " * version.separator_cells
        elif not done and cells.width(character) == 0:
            continue
        if character:
            done.append(character)
            kept += [style] * len(character)
    return "".join(done), kept


def _spans(text: str, styles: list[Style], version: Version, links: bool | None) -> list[tuple[str, Style]]:
    """Neighbours that look alike put together; links that the host would not send left out."""
    spans: list[tuple[str, Style]] = []
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or styles[at] != styles[start]:
            style = styles[start]
            if style.link and not _sent(style.link, version, links):
                style = replace(style, link="")
            if spans and spans[-1][1] == style:
                spans[-1] = (spans[-1][0] + text[start:at], style)
            else:
                spans.append((text[start:at], style))
            start = at
    return spans


def _sent(link: str, version: Version, links: bool | None) -> bool:
    """Whether the host sends a link to the terminal; where links are supported it filters no scheme."""
    if links is not None:
        return links
    return version.keeps_web_links and link.startswith(("http://", "https://"))


def _linked(style: Style, command: str) -> Style:
    """The style after an operating system command: OSC 8 opens or closes a link, others do nothing."""
    number, _, rest = command.partition(";")
    if number != "8" or ";" not in rest:
        return style
    return replace(style, link=rest.partition(";")[2])


_ATTRIBUTES = {code: code for code in ("1", "2", "3", "4", "5", "7", "8", "9", "53")} | {"6": "5", "21": "4"}
_ENDS = {"22": "12", "23": "3", "24": "4", "25": "5", "27": "7", "28": "8", "29": "9"}


def styled(style: Style, parameters: str) -> Style:
    """The style after one SGR sequence; what is not known changes nothing."""
    foreground, background, attributes = style.foreground, style.background, set(style.attributes)
    words = parameters.split(";")
    while words:
        first, *parts = words.pop(0).split(":")
        code = first.lstrip("0") or "0"
        if code in ("38", "48", "58"):
            colour = _colour(code, parts, words)
            if colour and code == "38":
                foreground = colour
            elif colour and code == "48":
                background = colour
        elif code == "0":
            foreground, background = "", ""
            attributes.clear()
        elif code == "4" and parts == ["0"]:
            attributes.discard("4")
        elif code in _ATTRIBUTES:
            attributes.add(_ATTRIBUTES[code])
        elif code in _ENDS:
            attributes.difference_update(_ENDS[code])
        elif code == "55":
            attributes.discard("53")
        elif code == "39":
            foreground = ""
        elif code == "49":
            background = ""
        elif code[:-1] in ("3", "9") and code[-1] in "01234567":
            foreground = code
        elif code[:-1] in ("4", "10") and code[-1] in "01234567":
            background = code
    changed = Style(foreground, background, frozenset(attributes), style.link)
    return PLAIN if changed == PLAIN else changed


def _colour(code: str, parts: list[str], words: list[str]) -> str:
    """An extended colour in the form with semicolons; takes its operands from the words where they stand there."""
    if parts:
        numbers = [part for part in parts if part]
    else:
        count = {"5": 2, "2": 4}.get(words[0] if words else "", 1)
        numbers, words[:count] = words[:count], []
    kind = numbers[0] if numbers else ""
    size = {"5": 1, "2": 3}.get(kind, 0)
    if not size or len(numbers) <= size:
        return ""
    return ";".join([code, kind, *(number or "0" for number in numbers[-size:])])


def room(lines: int, version: Version = NEW) -> int:
    """Rows that a full-screen session shows of a status line, on a terminal of that many rows."""
    return 0 if lines < version.fullscreen_rows else max(0, lines // 2 - 4)


def visible(rows: list[Row], lines: int, version: Version = NEW, fullscreen: bool = False, below: int = 2) -> list[Row]:
    """
    The drawn rows that are on the screen.

    Takes:  below: rows of the host's own under the line (its mode line and a free row)
    """
    if fullscreen:
        return rows[: room(lines, version)]
    # Nothing is left out here, but what is drawn higher than the screen scrolls off its top.
    return rows[-max(1, lines - below) :] if len(rows) > lines - below else rows
