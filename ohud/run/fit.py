"""Marked text to lines that fit: rows and flexible space written out, too wide lines cut, blank ones dropped."""

from ohud.run.cells import ellipsis, plain, width
from ohud.run.style import REVERSE, Sheet, is_arrow, is_control, paint, points_left

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ohud.run.style import Caps, Colour, Style

_WIDEST = 1000  # cells of any line
_FIRST = "\ude00\ude01\ude02\ude03\ude04\ude05\ude06\ude07\ude08\ude09\ude0a\ude0b"  # marks of the first rows
_LONGEST = 16384  # characters that rows may add to all lines


def fit(text: str, sheet: Sheet, columns: int | None, lines: int, fills: bool = True) -> list[str]:
    """
    The first lines of the text that are not blank, each at most so wide.

    Takes:    columns: [cells], None for no limit; lines: how many at most; fills: flexible space reaches the limit,
              else it is one blank, as it is without a limit
    Returns:  marked lines without rows and flexible space, each closing what it opens
    """
    limit = _WIDEST if columns is None else max(1, min(columns, _WIDEST))
    fitted: list[str] = []
    carried: list[str] = []
    sheet.spare = _LONGEST
    for line in text.split("\n"):
        if len(fitted) >= lines:
            break
        line = _closed(line, carried)
        for part in _wrapped(line, sheet, limit, lines - len(fitted)) if sheet.wraps else (line,):
            if not part.isascii():
                part = _written(part, sheet, limit, fills and columns is not None)
            if plain(part).strip():
                fitted.append(part if len(part) <= limit and part.isascii() else ellipsis(part, limit, sheet.mark))
    return fitted


def within(lines: list[str], sheet: Sheet, limit: int) -> str:
    """What `paint` gives for as many of the lines as take at most `limit` bytes in UTF-8."""
    while lines:
        text = paint(lines, sheet)
        if len(text) * 4 <= limit or len(text.encode("utf-8", "replace")) <= limit:
            return text
        if len(lines) > 1:
            lines = lines[:-1]
        else:
            cells = width(lines[0]) // 2
            lines = [ellipsis(lines[0], cells, sheet.mark)] if cells else []
    return ""


def _closed(line: str, carried: list[str]) -> str:
    """
    The line with the carried styles opened and all closed, without controls; `carried` becomes what is open at its end.

    Values are clean already; a theme's own text may still name a control by an escape.
    """
    before = "".join(carried)
    if not line.isascii() or not line.isprintable():
        kept = []
        for c in line:
            if "\ud800" <= c < "\ude00":
                if c != "\udc00":
                    carried.append(c)
                elif carried:
                    carried.pop()
                else:
                    continue
            elif is_control(c):
                continue
            kept.append(c)
        line = "".join(kept)
    return before + line + "\udc00" * len(carried)


def _written(line: str, sheet: Sheet, limit: int, fills: bool) -> str:
    """The line with its rows and flexible space written out."""
    places = [ord(c) - 0xDE00 for c in line if "\ude00" <= c < "\udf00"] if sheet.rows else []
    if places:
        line = _rows(line, places, sheet, limit)
    count = line.count("\udf00")
    if count:
        free = max(count, limit - width(line)) if fills else count
        share, more = divmod(free, count)
        parts = line.split("\udf00")
        for number in range(count):
            parts[number] += " " * (share + (number < more))
        line = "".join(parts)
    return line


def _rows(line: str, places: list[int], sheet: Sheet, limit: int) -> str:
    """The line with each row joined, after dropping items of the lowest priority until it fits."""
    total = width(line) + line.count("\udf00")
    size, drops, texts, rows, ends = 0, [], {}, {}, {}
    for place, number in enumerate(places):
        if number >= len(sheet.rows) or size + sheet.sizes[number] > sheet.spare:
            continue
        size += sheet.sizes[number]
        items, sep, caps = sheet.rows[number]
        gap = width(sep)
        rows[place] = list(range(len(items)))
        for at, (text, _, priority) in enumerate(items):
            text = texts[place, at] = _whole(text, sheet)
            cells = width(text) + text.count("\udf00") + gap + (_around(caps) if caps else 0)
            total += cells
            drops.append((priority, -place, -at, cells))
        ends[place] = (0 if caps[3] else width(caps[0] + caps[1])) - gap if caps else -gap
        total += ends[place]
    sheet.spare -= size
    drops.sort()
    left = len(drops)
    for _, place, at, cells in drops:
        if total <= limit or left < 2:
            break
        rows[-place].remove(-at)
        total -= cells if rows[-place] else cells + ends[-place]
        left -= 1
    pieces, place = [], 0
    for c in line:
        if "\ude00" <= c < "\udf00":
            kept = rows.get(place)
            if kept:
                pieces.append(_joined([texts[place, at] for at in kept], sheet, places[place], kept))
            place += 1
        else:
            pieces.append(c)
    return "".join(pieces)


def _wrapped(line: str, sheet: Sheet, limit: int, lines: int) -> list[str]:
    """
    The line, its first row that may wrap spread over as many lines as it needs and may take.

    What stands beside the row stays on its first line.
    """
    at = next((at for at, c in enumerate(line) if ord(c) - 0xDE00 in sheet.wraps), -1)
    if at < 0 or width(_whole(line, sheet)) + line.count("\udf00") <= limit:
        return [line]
    number = ord(line[at]) - 0xDE00
    items, sep, caps = sheet.rows[number]
    gap = width(sep) + (_around(caps) if caps else 0)
    ends = (width(caps[0] + caps[1]) if caps and not caps[3] else 0) - width(sep)
    cells = [width(text := _whole(item[0], sheet)) + text.count("\udf00") + gap for item in items]
    beside = _whole(line[:at] + line[at + 1 :], sheet)
    first = limit - ends - width(beside) - beside.count("\udf00")
    most, indent = sheet.wraps[number]
    most = min(most, lines)
    kept = list(range(len(items)))
    groups = _groups(kept, cells, first, limit - ends - indent)
    for drop in sorted(kept, key=lambda each: (items[each][2], -each)):
        if len(groups) <= most or len(kept) < 2:
            break
        kept.remove(drop)
        groups = _groups(kept, cells, first, limit - ends - indent)
    if len(sheet.rows) + len(groups) > 256:
        return [line]
    opened: list[str] = []
    _closed(line[:at], opened)
    before, after = " " * indent + "".join(opened), "\udc00" * len(opened)
    made: list[str] = []
    for group in groups[:most]:
        mark = chr(0xDE00 + len(sheet.rows))
        sheet.rows.append(([items[each] for each in group], sep, caps))
        sheet.sizes.append(sum([sheet.size(items[each][0]) + len(sep) + 4 for each in group]))
        made.append(before + mark + after if made else line[:at] + mark + line[at + 1 :])
    return made


def _around(caps: "Caps") -> int:
    """The cells that a block takes beside its text."""
    return 2 * width(caps[2]) + (width(caps[0] + caps[1]) if caps[3] else 0)


def _groups(kept: list[int], cells: list[int], first: int, others: int) -> list[list[int]]:
    """The items line by line, each line as full as it gets; `first` and `others` are the lines' room [cells]."""
    groups: list[list[int]] = []
    free = 0
    for at in kept:
        if not groups or cells[at] > free:
            free = others if groups else first
            groups.append([])
        groups[-1].append(at)
        free -= cells[at]
    return groups


def _whole(text: str, sheet: Sheet) -> str:
    """The text with all rows in it written out whole."""
    marks = _marks(text, sheet)
    while marks:
        mark = max(marks)
        marks.remove(mark)
        number = ord(mark) - 0xDE00
        if number < len(sheet.rows):
            items = sheet.rows[number][0]
            joined = _joined([item[0] for item in items], sheet, number, list(range(len(items))))
            # a row holds none but earlier ones; what was forged may not go round in circles
            marks |= {other for other in _marks(joined, sheet) if other < mark}
            text = text.replace(mark, joined)
    return text


def _marks(text: str, sheet: Sheet) -> set[str]:
    """The marks of the rows in a text."""
    known = len(sheet.rows)
    if not known or text.isascii():
        return set()
    # Few rows are looked up faster than many characters.
    return (
        {mark for mark in _FIRST[:known] if mark in text}
        if known <= len(_FIRST)
        else {c for c in text if "\ude00" <= c < "\udf00"}
    )


def _joined(texts: list[str], sheet: Sheet, number: int, kept: list[int]) -> str:
    items, sep, caps = sheet.rows[number]
    if caps is None:
        return sep.join(texts)
    styles = [items[at][1] or (None, None, 0) for at in kept]
    start, end, pad, apart = caps
    if apart:
        return sep.join([_block(sheet, caps, text, style) for text, style in zip(texts, styles, strict=True)])
    pieces = [_arrow(sheet, start, None, styles[0])] if start else []
    for at, text in enumerate(texts):
        pieces.append(sheet.marked(pad + text + pad, styles[at]))
        if at + 1 < len(texts):
            pieces.append(_arrow(sheet, sep, styles[at], styles[at + 1]))
    if end:
        pieces.append(_arrow(sheet, end, styles[-1], None))
    return "".join(pieces)


def _block(sheet: Sheet, caps: "Caps", text: str, style: "Style") -> str:
    """One block with its own caps."""
    start, end, pad, _ = caps
    before = _arrow(sheet, start, None, style) if start else ""
    return before + sheet.marked(pad + text + pad, style) + (_arrow(sheet, end, style, None) if end else "")


def _arrow(sheet: Sheet, glyph: str, left: "Style | None", right: "Style | None") -> str:
    """The separator between two blocks, or the cap before the first and after the last."""
    one: Colour | None = left[1] if left else None
    two: Colour | None = right[1] if right else None
    if glyph in ("▌", "▐"):
        # half a block: the soft cap of terminals without the arrows
        ground = two if left is None else one
        return sheet.marked(glyph, (ground, None, 0)) if sheet.depth and ground is not None else ""
    if not is_arrow(glyph):
        return sheet.marked(glyph, (left[0], one, 0)) if left and right else glyph
    if one == two or not sheet.depth:
        if not (left and right):
            return ""
        # the outline of the same shape follows the filled one
        thin = chr(ord(glyph) + 1) if glyph <= "\ue0be" and not ord(glyph) % 2 else glyph
        return sheet.marked(thin, (left[0], one, 0))
    body, ground = (two, one) if points_left(glyph) else (one, two)
    if body is None:
        # the terminal's own background as a foreground: the other way round
        return sheet.marked(glyph, (ground, None, REVERSE))
    return sheet.marked(glyph, (body, ground, 0))
