"""
Style travels through text as markers, lone surrogates that no input can hold; `paint` alone writes ESC.

U+D800+i opens style i, U+DC01+j opens link j, U+DC00 closes the innermost of either, U+DE00+k stands for row k and
U+DF00 for flexible space (both expanded by fit.py).
"""

from ohud.run.cells import plain
from ohud.run.fault import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    # an index 0..255, -1 for the terminal's own, or red, green, blue
    Colour = int | tuple[int, int, int]
    # foreground, background, attribute bits; None leaves it to the style around
    Style = tuple[Colour | None, Colour | None, int]
    # of a powerline: before its first and after its last block, around each text, and whether each block has its own
    Caps = tuple[str, str, str, bool]

REVERSE = 16
_ATTRIBUTES = {"bold": 1, "dim": 2, "italic": 4, "underline": 8, "reverse": REVERSE, "strike": 32}
_ON = ((1, "1"), (2, "2"), (4, "3"), (8, "4"), (16, "7"), (32, "9"))
_OFF = ((3, "22"), (4, "23"), (8, "24"), (16, "27"), (32, "29"))
_ANSI = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "gray", "grey", "default")
_BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_LIMIT = 16384  # characters that a row may grow to
_CUT = 512  # characters at which values are cut: an address of so many has lost its end
_PRIORITY = 50  # of what has none
LINES = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "10")  # that a row may wrap to


class Sheet:
    """The styles, links and rows of one render; `depth` is the terminal's colour in bits (0, 4, 8, 24)."""

    def __init__(self, depth: int, palette: "dict[str, str]", links_allowed: bool = True, file_links: bool = False):
        self.depth = depth
        self.palette = palette
        self.schemes = ("https://", "http://", "file:///") if file_links else ("https://", "http://")
        self.links_allowed = links_allowed
        self.styles: list[tuple[str | None, str | None, int]] = []
        self.links: list[str] = []
        # items (text, style, priority), separator, None or (start, end, pad, apart) of a powerline
        self.rows: list[tuple[list[tuple[str, Style | None, int]], str, Caps | None]] = []
        self.sizes: list[int] = []
        self.spare = 0  # characters that rows may still add to the text
        self.mark = "…"  # ends what is cut
        self.light = False  # the terminal's background
        self.wraps: dict[int, tuple[int, int]] = {}  # row that may take more lines: how many, and their indent
        self._known: dict[Style, str] = {}

    def wrap(self, text: str, spec: str) -> str:
        """
        The text in a style.

        Takes:    spec: words such as `bold`, `fg:accent`, `bg:#303030`; a colour alone is the foreground
        Errors:   Fault for an unknown word or colour
        """
        return self.marked(text, self.style(spec))

    def marked(self, text: str, style: "Style") -> str:
        """The text in a style that `style` has read."""
        if not text or not self.depth:
            return text
        mark = self._known.get(style)
        if mark is None:
            if len(self.styles) == 1024:
                return text
            front, back, bits = style
            mark = self._known[style] = chr(0xD800 + len(self.styles))
            self.styles.append((_code(front, 30), _code(back, 40), bits))
        return mark + balanced(text) + "\udc00"

    def style(self, spec: str) -> "Style":
        """The style that a spec describes, colours degraded to the depth. Errors: Fault."""
        if type(spec) is not str:
            raise Fault("a style is text")
        front = back = None
        bits = 0
        for word in spec.split():
            if word in _ATTRIBUTES:
                bits |= _ATTRIBUTES[word]
            elif word[:3] == "fg:":
                front = self.colour(word[3:])
            elif word[:3] == "bg:":
                back = self.colour(word[3:])
            else:
                front = self.colour(word)
        return front, back, bits

    def colour(self, name: "str | int") -> "Colour":
        """The colour of a palette name, ANSI name, 0..255 or #rrggbb, degraded to the depth. Errors: Fault."""
        return _degraded(self.exact(name), self.depth)

    def exact(self, name: "str | int") -> "Colour":
        """The colour of a name as the theme means it, whatever the terminal can show. Errors: Fault."""
        if type(name) is int:
            name = str(name)
        if type(name) is not str:
            raise Fault("a colour is text or a number")
        text = self.palette.get(name, name)
        if text != name:
            text = self.palette.get(text, text)
        found = _base(text)
        if found is None:
            raise Fault(f"unknown colour `{plain(name)[:40]}`")
        return found

    def link(self, text: str, url: object) -> str:
        """The text as a hyperlink, or just the text when the address is not one that may be linked."""
        if (
            not text
            or not self.links_allowed
            or type(url) is not str
            or not (7 < len(url) <= 2048 and len(url) != _CUT and url.isascii() and url.isprintable())
            or " " in url
            or not url.lower().startswith(self.schemes)
        ):
            return text
        if url not in self.links:
            if len(self.links) == 511:
                return text
            self.links.append(url)
        return chr(0xDC01 + self.links.index(url)) + balanced(text) + "\udc00"

    def row(
        self, items: "Iterable[tuple[str, int | None]]", sep: str = "  ", wrap: str = "1", indent: str = "0"
    ) -> str:
        """
        A place for the items, joined; fit drops those of the lowest priority. Blank items vanish, "" when all do.

        Takes:    items: text, priority (None: that of the most important item in it where it is a row itself, else 50);
                  wrap: the lines that it may take before anything is dropped; indent: blanks before those after the
                  first; both numbers in digits
        """
        if type(sep) is not str:
            raise Fault("a separator is text")
        return self._place([(text, None, priority) for text, priority in items], sep, None, wrap, indent)

    def powerline(
        self,
        items: "Iterable[tuple[str, str | None, int | None]]",
        sep: str = "\ue0b0",
        start: str | None = None,
        end: str | None = None,
        pad: str = " ",
        wrap: str = "1",
        indent: str = "0",
        apart: str = "false",
    ) -> str:
        """
        A place for the items as blocks of their own background, with arrows in between.

        Takes:    items: text, style spec, priority; sep: the arrow; start, end: caps (None: as the arrow asks); wrap,
                  indent: as for `row`; apart: "true": each block has its own caps, and sep is plain text between them
        Errors:   Fault for an unknown word or colour
        """
        blocks = [(text, self.style(spec) if spec else None, priority) for text, spec, priority in items]
        for text in (sep, start or "", end or "", pad):
            if type(text) is not str:
                raise Fault("an arrow is text")
        if start is None:
            start = sep if points_left(sep) else ""
        if end is None:
            end = sep if is_arrow(sep) and not points_left(sep) else ""
        return self._place(blocks, sep, (_line(start), _line(end), _line(pad), apart == "true"), wrap, indent)

    def fill(self) -> str:
        """Flexible space: what follows goes to the right."""
        return "\udf00"

    def _place(
        self,
        items: "list[tuple[str, Style | None, int | None]]",
        sep: str,
        caps: "Caps | None",
        wrap: str,
        indent: str,
    ) -> str:
        if type(wrap) is not str or wrap not in LINES:
            raise Fault("`wrap` is a number of lines from 1 to 10")
        if sum([len(item[0]) for item in items]) > _LIMIT:
            raise Fault("a row is too long")
        kept = [
            (_line(text), style, self._priority(text) if priority is None else priority)
            for text, style, priority in items
            if plain(text).strip() or "\udf00" in text or self._holds_row(text)
        ]
        if not kept:
            return ""
        if len(self.rows) == 256:
            raise Fault("more than 256 rows")
        size = sum([self.size(text) + len(sep) + 4 for text, _, _ in kept])
        if size > _LIMIT:
            raise Fault("a row is too long")
        if wrap != "1":
            if type(indent) is not str or not indent.isdecimal() or not indent.isascii() or len(indent) > 2:
                raise Fault("`indent` is a number of cells from 0 to 99")
            self.wraps[len(self.rows)] = int(wrap), int(indent)
        self.rows.append((kept, _line(sep), caps))
        self.sizes.append(size)
        return chr(0xDE00 + len(self.rows) - 1)

    def _priority(self, text: str) -> int:
        """The priority of a text that has none of its own."""
        row = ord(text) - 0xDE00 if len(text) == 1 else -1
        return max([item[2] for item in self.rows[row][0]]) if 0 <= row < len(self.rows) else _PRIORITY

    def _holds_row(self, text: str) -> bool:
        return not text.isascii() and any(["\ude00" <= c < "\udf00" for c in text])

    def size(self, text: str) -> int:
        """Characters that the text grows to when its rows are written out."""
        size, known = len(text), len(self.sizes)
        if not known or text.isascii():
            return size
        if known < 12:
            # Few rows are looked up faster than many characters.
            for number, more in enumerate(self.sizes):
                size += more * text.count(chr(0xDE00 + number))
            return size
        return size + sum([self.sizes[ord(c) - 0xDE00] for c in text if 0 <= ord(c) - 0xDE00 < known])


def balanced(text: str) -> str:
    """The text with each style closed that it opens, and none that it does not."""
    if text.isascii():
        return text
    depth = surplus = 0
    for c in text:
        if "\ud800" <= c < "\ude00":
            if c != "\udc00":
                depth += 1
            elif depth:
                depth -= 1
            else:
                surplus = 1
    if not surplus:
        return text + "\udc00" * depth
    kept, depth = [], 0
    for c in text:
        if "\ud800" <= c < "\ude00":
            depth += -1 if c == "\udc00" else 1
            if depth < 0:
                depth = 0
                continue
        kept.append(c)
    return "".join(kept) + "\udc00" * depth


def is_control(c: str) -> bool:
    """Whether the character is a control or changes the direction of text."""
    return c < " " or "\x7f" <= c < "\xa0" or c in _BIDI


def _line(text: str) -> str:
    """The balanced text on one line, without controls."""
    if text.isascii() and text.isprintable():
        return text
    return balanced("".join([c for c in text.replace("\n", " ") if not is_control(c)]))


def is_arrow(glyph: str) -> bool:
    """Whether the glyph is one of the powerline font's separators, to be drawn in two backgrounds."""
    return len(glyph) == 1 and "\ue0b0" <= glyph <= "\ue0d4"


def points_left(glyph: str) -> bool:
    """Whether an arrow's body belongs to what stands right of it."""
    return (
        is_arrow(glyph)
        and glyph[0] in "\ue0b2\ue0b3\ue0b6\ue0b7\ue0ba\ue0bb\ue0be\ue0bf\ue0c2\ue0c3\ue0c5\ue0c7\ue0ca\ue0d4"
    )


def gradient(sheet: Sheet, text: str, value: object, *colours: "str | int", at: object = None) -> str:
    """The text in the colour that stands at value (or `at`), 0..100, between the colours; unknown stays plain."""
    from ohud.run.shade import between

    number = value if at is None else at
    stops = [sheet.exact(colour) for colour in colours]
    if not stops:
        raise Fault("a gradient needs colours")
    if type(number) is not int and type(number) is not float:
        return text
    return sheet.marked(text, (_degraded(between(number, stops), sheet.depth), None, 0))


def heat(sheet: Sheet, text: str, value: object, at: object = None) -> str:
    """The text from green over yellow to red as value (or `at`) goes from 0 to 100, darker on a light background."""
    stops = ("#2e7d32", "#a66a00", "#c62828") if sheet.light else ("#4caf50", "#ffc107", "#f44336")
    return gradient(sheet, text, value, *stops, at=at)


STYLE_FILTERS: "dict[str, Callable[..., str]]" = {
    "fg": lambda sheet, text, colour: sheet.marked(text, (sheet.colour(colour), None, 0)),
    "bg": lambda sheet, text, colour: sheet.marked(text, (None, sheet.colour(colour), 0)),
    "style": lambda sheet, text, spec: sheet.wrap(text, spec),
    "bold": lambda sheet, text: sheet.marked(text, (None, None, 1)),
    "dim": lambda sheet, text: sheet.marked(text, (None, None, 2)),
    "italic": lambda sheet, text: sheet.marked(text, (None, None, 4)),
    "underline": lambda sheet, text: sheet.marked(text, (None, None, 8)),
    "reverse": lambda sheet, text: sheet.marked(text, (None, None, REVERSE)),
    "strike": lambda sheet, text: sheet.marked(text, (None, None, 32)),
    "link": lambda sheet, text, url: sheet.link(text, url),
}


def paint(lines: "Sequence[str]", sheet: Sheet) -> str:
    """
    The bytes-to-be of the marked lines: SGR and OSC 8, nothing else; plain and unlinked at each line's end.

    Source:   the host trims blanks off a line's start unless an SGR stands before them (2.1.215, 2.1.332)
    """
    return "\n".join([_painted(line, sheet) for line in lines])


def _painted(line: str, sheet: Sheet) -> str:
    out: list[str] = []
    now: tuple[str | None, str | None, int] = (None, None, 0)
    linked = ""
    stack: list[tuple[str | None, str | None, int, str]] = [(None, None, 0, "")]
    styles, links = sheet.styles, sheet.links
    start, first = 0, True
    for at, c in enumerate(line + "\udfff"):
        if " " <= c <= "~" or c > "\udfff" or "\xa0" <= c < "\ud800":
            continue
        if start < at:
            front, back, bits, url = stack[-1]
            if linked and linked != url:
                out.append("\x1b]8;;\x1b\\")
            if now != (front, back, bits):
                out.append(_change(now, front, back, bits))
                now = (front, back, bits)
            elif first and sheet.depth and line[start].isspace():
                out.append("\x1b[0m")
            if url and linked != url:
                out.append(f"\x1b]8;;{url}\x1b\\")
            linked, first = url, False
            out.append(line[start:at])
        start = at + 1
        if c == "\udc00":
            if len(stack) > 1:
                stack.pop()
        elif "\ud800" <= c < "\ude00":
            front, back, bits, url = stack[-1]
            number = ord(c) - 0xD800
            if number < len(styles):
                style = styles[number]
                stack.append((style[0] or front, style[1] or back, style[2] | bits, url))
            else:
                number -= 0x401
                stack.append((front, back, bits, links[number] if 0 <= number < len(links) else url))
    if now != (None, None, 0):
        out.append("\x1b[0m")
    if linked:
        out.append("\x1b]8;;\x1b\\")
    return "".join(out)


def _change(now: "tuple[str | None, str | None, int]", front: str | None, back: str | None, bits: int) -> str:
    """The shortest SGR from one style to another."""
    if front is back is None and not bits:
        return "\x1b[0m"
    codes = []
    have = now[2]
    for mask, code in _OFF:
        if have & ~bits & mask:
            codes.append(code)
            have &= ~mask
    for bit, code in _ON:
        if bits & ~have & bit:
            codes.append(code)
    if front != now[0]:
        codes.append(front or "39")
    if back != now[1]:
        codes.append(back or "49")
    return "\x1b[" + ";".join(codes) + "m"


def _base(text: object) -> "Colour | None":
    """The colour that a text names by itself."""
    if type(text) is not str or not text.isascii():
        return None
    if text[:1] == "#":
        digits = text[1:].lower()
        if len(digits) != 6 or digits.strip("0123456789abcdef"):
            return None
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)
    if text.isdigit():
        return int(text) if len(text) < 4 and int(text) < 256 else None
    name = text.replace("_", "").replace("-", "").lower()
    bright = name[:6] == "bright"
    name = name[6:] if bright else name
    if name not in _ANSI:
        return None
    number = _ANSI.index(name)
    if number > 7:
        return None if bright else -1 if name == "default" else 8
    return number + 8 if bright else number


def _code(colour: "Colour | None", ground: int) -> str | None:
    """SGR parameters of a colour; ground is 30 for the text, 40 for what is behind it."""
    if colour is None:
        return None
    if type(colour) is tuple:
        return f"{ground + 8};2;{colour[0]};{colour[1]};{colour[2]}"
    assert type(colour) is int
    if colour > 15:
        return f"{ground + 8};5;{colour}"
    return str(ground + (9 if colour < 0 else colour if colour < 8 else colour + 52))


def _degraded(colour: "Colour", depth: int) -> "Colour":
    """The colour, or the nearest that the terminal has."""
    if depth == 24 or (type(colour) is int and (depth == 8 or colour < 16)):
        return colour
    from ohud.run.shade import nearest

    return nearest(colour, depth)
