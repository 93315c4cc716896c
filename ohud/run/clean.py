"""Text from outside made harmless: no controls, escape sequences, direction changes, invisible or endless marks."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DEEPEST = 64
_MOST = 20000

# Runs of characters that no value needs, as first and last pairs: format, direction, filler, variation selector, tag,
# noncharacter. U+200D and U+FE0E/F have a rule of their own; the end of each plane is tested by its low bits.
_INVISIBLE = (
    "\xad\xad\u034f\u034f\u061c\u061c\u115f\u1160\u17b4\u17b5\u180b\u180f\u200b\u200f\u202a\u202e\u2060\u206f"
    "\u3164\u3164\ufdd0\ufdef\ufe00\ufe0f\ufeff\ufeff\uffa0\uffa0\ufff0\ufffb\U00013430\U0001343f\U0001bca0\U0001bca3"
    "\U0001d173\U0001d17a\U000e0000\U000e0fff"
)


def clean(text: str, limit: int = 512) -> str:
    """
    The text without anything that could move a cursor, reorder, hide or flood; at most `limit` characters.

    Source:   terminal attacks by class, tests/attacks/terminal.json
    """
    if len(text) > 8 * limit:
        text = text[: 8 * limit]
    if text.isprintable() and (text.isascii() or max(text) < "\u0300"):
        return text[:limit]
    return _scanned(text, limit)


def clean_tree(value: "Any", limit: int = 512) -> "Any":
    """
    The JSON value with clean keys and texts.

    Returns:  None for what is no JSON value, not a finite number, an integer beyond 64 bits, or nested over 64 deep;
              at most 20,000 values in all, later ones dropped
    """
    return _tree(value, limit, _DEEPEST, [_MOST])


def _tree(value: "Any", limit: int, depth: int, left: list[int]) -> "Any":
    kind = type(value)
    if kind is str:
        return value if len(value) <= limit and value.isascii() and value.isprintable() else clean(value, limit)
    if (kind is dict or kind is list) and not depth:
        return None
    if kind is dict:
        left[0] -= len(value)
        found = {}
        for key, item in value.items() if left[0] >= 0 else _first(value.items(), left):
            if not (len(key) <= limit and key.isascii() and key.isprintable()):
                key = clean(key, limit)
            kind = type(item)
            if kind is str:
                found[key] = (
                    item if len(item) <= limit and item.isascii() and item.isprintable() else clean(item, limit)
                )
            elif item is None or kind is bool:
                found[key] = item
            else:
                found[key] = _tree(item, limit, depth - 1, left)
        return found
    if kind is list:
        left[0] -= len(value)
        items = value if left[0] >= 0 else _first(value, left)
        return [_tree(item, limit, depth - 1, left) for item in items]
    if kind is int:
        return value if -0x8000000000000000 <= value < 0x8000000000000000 else None
    if kind is float:
        return value if value - value == 0.0 else None
    return value if kind is bool else None


def _first(items: "Any", left: list[int]) -> "Any":
    """The items, or as many of them as may still be read."""
    if left[0] >= 0:
        return items
    room = max(0, left[0] + len(items))
    left[0] = 0
    return list(items)[:room]


def _scanned(text: str, limit: int) -> str:
    """
    The slow branch of `clean`: one pass.

    An escape sequence goes with its body: a CSI to its final byte, a string (OSC, DCS, SOS, PM, APC) to BEL, ST, CAN
    or SUB, or to the end when there is none.
    """
    from _bisect import bisect_left, bisect_right

    from ohud.run._wide import EMOJI, KINDS, NARROWS, STARTS, WIDENS

    try:
        text.encode()
    except UnicodeEncodeError:
        # pairs that a reader left apart become one character, lone halves go
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
    kept: list[str] = []
    # what is being skipped: "" nothing, "e" after ESC, "i" its intermediates, "[" a CSI, "]" an OSC, "s" another string
    sequence = ""
    escaped = False  # an ESC inside a string
    marks = kind = 0  # marks on the last base; what the last kept character is
    emoji = joiner = False  # whether that base is an emoji; whether a U+200D waits for the next
    last = ""
    known: dict[str, int] = {}
    for c in text:
        if sequence:
            if sequence == "s" or sequence == "]":
                if c in "\x18\x1a\x9c" or (c == "\x07" and sequence == "]") or (escaped and c == "\\"):
                    sequence = ""
                escaped = c == "\x1b"
                continue
            if sequence == "e" and c in "[]PX^_":
                sequence = c if c in "[]" else "s"
                escaped = False
                continue
            if sequence == "[" and " " <= c <= "?":
                continue
            if sequence != "[" and " " <= c <= "/":
                sequence = "i"
                continue
            final = "@" if sequence == "[" else "0"
            sequence = ""
            if final <= c <= "~":
                continue
        if c <= "\x9f" and not " " <= c <= "~":
            if c == "\x1b":
                sequence = "e"
            elif c in "\x9b\x9d\x90\x98\x9e\x9f":
                sequence, escaped = "[" if c == "\x9b" else "]" if c == "\x9d" else "s", False
            elif c in "\t\n\v\f\r\x85" and not (c == "\n" and last == "\r"):
                kept.append(" ")
                marks, kind, emoji, joiner = 0, 1, False, False
            last = c
            continue
        last = c
        if c <= "~":
            kept.append(c)
            marks, kind, emoji, joiner = 0, WIDENS if c in "#*0123456789" else 1, False, False
        elif "\u4e00" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7a3":
            kept.append(c)
            marks, kind, emoji, joiner = 0, 2, False, False
            if len(kept) > limit:
                break
        elif c == "\u2028" or c == "\u2029":
            kept.append(" ")
            marks, kind, emoji, joiner = 0, 1, False, False
        elif c == "\u200d":
            joiner = emoji
        elif c == "\ufe0e" or c == "\ufe0f":
            if kind & (WIDENS | NARROWS | EMOJI):
                kept.append(c)
                kind = 0
        else:
            found = known.get(c)
            if found is None:
                place = bisect_left(_INVISIBLE, c)
                hidden = place % 2 or _INVISIBLE[place : place + 1] == c or ord(c) & 0xFFFE == 0xFFFE
                found = known[c] = -1 if hidden else KINDS[bisect_right(STARTS, c) - 1]
            if found < 0:
                continue
            tone = emoji and "\U0001f3fb" <= c <= "\U0001f3ff"
            if tone or not found & 3:
                marks += 1
                if marks > 4:
                    continue
                joiner = False
            else:
                marks, emoji = 0, bool(found & EMOJI)
                if joiner and emoji:
                    kept.append("\u200d")
                joiner = False
            kind = found
            kept.append(c)
    if len(kept) > limit:
        del kept[limit:]
        if kept[-1] == "\u200d":
            kept.pop()
    return "".join(kept)
