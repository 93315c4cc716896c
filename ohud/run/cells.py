"""Width of text in terminal cells, and cutting by it. Markers (lone surrogates, see style.py) take no cell."""

from ohud.run.fault import Fault

# Ordinary one-cell characters; most lines hold no others, so the table in _wide.py stays unread.
_ONE = frozenset(
    " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"
    "£§©°±²³µ·»¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"
    "–—‘’“”•…›€←↑→↓↻↺⇡⇣∞≈≤≥⎇─│┃┌┐└┘├┤╭╮╯╰▁▂▃▄▅▆▇█▉▊▋▌▍▎▏░▒▓■□▪▫▶▸◆◇○◌●◐◔◕✓✔✗✘✦✱❯⚠⚑⏱"
)


def plain(text: str) -> str:
    """The text without its markers."""
    return text if text.isascii() else text.encode("utf-8", "ignore").decode()


def width(text: str) -> int:
    """
    Cells that the text takes.

    Source:   equal to wcwidth.wcswidth; control characters and markers count 0
    """
    text = plain(text)
    return len(text) if _simple(text) else _measure(text)[0]


def cut(text: str, cells: int) -> str:
    """The longest beginning of at most that many cells; no grapheme is split, what was opened is closed."""
    return text if width(text) <= cells else _head(text, cells, "")


def ellipsis(text: str, cells: int, mark: str = "…") -> str:
    """The text, or its beginning and a mark of one cell when it is wider than that many cells."""
    if width(text) <= cells:
        return text
    return _head(text, cells - 1, mark) if cells > 0 else _head(text, 0, "")


def pad(text: str, cells: int, align: str = "left") -> str:
    """The text filled up with blanks to that many cells; `align` says where the text stands."""
    missing = cells - width(text)
    if align not in ("left", "right", "center"):
        raise Fault("align is left, right or center")
    if missing <= 0:
        return text
    before = 0 if align == "left" else missing if align == "right" else missing // 2
    return " " * before + text + " " * (missing - before)


def _simple(text: str) -> bool:
    """Whether each character takes one cell by itself, as far as that is known without the table."""
    if text.isascii() and text.isprintable():
        return True
    # U+25FD and U+25FE are wide; the private-use glyphs of fonts take one cell in both hosts
    return all(
        "\u2500" <= c <= "\u25fc" or "\ue000" <= c <= "\uf8ff" or "\u2800" <= c <= "\u28ff" or c >= "\U000f0000"
        for c in set(text) - _ONE
    )


def _head(text: str, cells: int, end: str) -> str:
    if cells <= 0:
        at = 0
    elif _simple(plain(text)):
        at, left = 0, cells
        while left:
            left -= not "\ud800" <= text[at] <= "\udfff"
            at += 1
    else:
        at = _measure(text, cells)[1]
    head = text[:at]
    return head + end + "\udc00" * _open(head)


def _open(text: str) -> int:
    """How many styles and links the text leaves open."""
    depth = 0
    for c in text:
        if "\ud800" <= c < "\ude00":
            if c != "\udc00":
                depth += 1
            elif depth:
                depth -= 1
    return depth


def _measure(text: str, limit: int | None = None) -> tuple[int, int]:
    """
    Cells of the text; the index where the last cluster that fits into `limit` ends.

    Source:   the rules of wcwidth 0.9's wcswidth: U+FE0F widens, U+FE0E narrows, U+200D swallows what follows, two
              regional indicators are a flag, a skin tone adds nothing, a virama joins, a spacing mark widens
    """
    from _bisect import bisect_right

    from ohud.run._wide import EMOJI, JOINS, KINDS, NARROWS, SPACING, STARTS, VIRAMA, WIDENS

    done = cells = end = last = flags = 0
    base, base_cells, ready, virama, swallow = "", 0, False, False, False
    for at, c in enumerate(text):
        if c < " " or "\x7f" <= c < "\xa0" or "\ud800" <= c <= "\udfff":
            continue
        flag = "\U0001f1e6" <= c <= "\U0001f1ff"
        flags = flags + 1 if flag else 0
        if swallow:
            swallow, last = False, at + 1
            continue
        kind = 1 if c <= "~" else KINDS[bisect_right(STARTS, c) - 1]
        if c == "\u200d":
            if not virama:
                swallow, base_cells = True, 0
        elif ready and c == "\ufe0f":
            if KINDS[bisect_right(STARTS, base) - 1] & WIDENS:
                cells = 2
            ready = False
        elif ready and c == "\ufe0e":
            if KINDS[bisect_right(STARTS, base) - 1] & NARROWS and base_cells == 2:
                done -= 1
            ready = False
        elif flag and flags % 2 == 0:
            base = c
        elif "\U0001f3fb" <= c <= "\U0001f3ff" and (
            "\U0001f1e6" <= base <= "\U0001f1ff" or (base and KINDS[bisect_right(STARTS, base) - 1] & EMOJI)
        ):
            pass
        elif kind & 3:
            if virama:
                cells = 2
            else:
                done += cells
                cells = kind & 3
                if not kind & JOINS and not ("\u1100" <= text[last - 1] <= "\u115f" and _jamo(c)):
                    if limit is not None and done > limit:
                        return done, end
                    end = last
            base, base_cells, ready, virama = c, kind & 3, True, False
        elif kind & VIRAMA:
            virama = True
        else:
            if ready and kind & SPACING:
                cells, ready = 2, False
            virama = False
        last = at + 1
    done += cells
    return done, last if limit is None or done <= limit else end


def _jamo(c: str) -> bool:
    """Whether the character stays with a leading Hangul consonant before it."""
    return "\u1100" <= c <= "\u115f" or "\uac00" <= c <= "\ud7a3"
