"""What a terminal shows of coloured text: each character with its look."""

import re
from dataclasses import dataclass, replace

# The host draws text without a colour of its own in the grey of its dark theme (2026-11-30, both versions).
GREY = "2;153;153;153"
_SEQUENCE = re.compile(r"\x1b\[([0-9;:]*)m|\x1b\]8;[^;]*;([^\x07\x1b]*)(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|[\x0e\x0f]")
_ON = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse", 9: "strike"}
_OFF = {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",), 27: ("reverse",), 29: ("strike",)}


@dataclass(frozen=True, slots=True)
class Look:
    """How one character is drawn; colours as in SGR, the default as an empty text."""

    foreground: str = ""
    background: str = ""
    features: frozenset[str] = frozenset()
    link: str = ""


Drawn = tuple[str, Look]


def lines(text: str) -> list[list[Drawn]]:
    """Each line's characters with their looks; what a line leaves on stays on in the next."""
    found: list[list[Drawn]] = [[]]
    look = Look()
    at = 0
    while at < len(text):
        sequence = _SEQUENCE.match(text, at)
        if sequence is None:
            if text[at] == "\n":
                found.append([])
            else:
                found[-1].append((text[at], look))
            at += 1
            continue
        if sequence[1] is not None:
            look = _styled(look, sequence[1])
        elif sequence[2] is not None:
            look = replace(look, link=sequence[2])
        at = sequence.end()
    return found


def _styled(look: Look, parameters: str) -> Look:
    codes = [int(code or 0) for code in re.split("[;:]", parameters)]
    while codes:
        code = codes.pop(0)
        if code in (38, 48) and codes:
            size = 4 if codes[0] == 2 else 2
            look = _coloured(look, code, ";".join(map(str, codes[:size])))
            del codes[:size]
        elif code == 0:
            look = Look(link=look.link)
        elif code in _ON:
            look = replace(look, features=look.features | {_ON[code]})
        elif code in _OFF:
            look = replace(look, features=look.features - set(_OFF[code]))
        elif code in (39, 49):
            look = _coloured(look, code - 1, "")
        elif 30 <= code <= 47 or 90 <= code <= 107:
            bright, code = (8, code - 60) if code >= 90 else (0, code)
            look = _coloured(look, 38 if code < 40 else 48, f"5;{code % 10 + bright}")
    return look


def _coloured(look: Look, code: int, colour: str) -> Look:
    return replace(look, foreground=colour) if code == 38 else replace(look, background=colour)


def text(row: list[Drawn]) -> str:
    """A row's characters."""
    return "".join(character for character, _ in row)


def seen(row: list[Drawn], default: str = "") -> list[tuple[str, str, str, frozenset[str]]]:
    """
    What an eye can tell of a row: a blank shows no colour of its own, nothing shows its link.

    Takes:  default: the colour of text without one
    """
    found = []
    for character, look in row:
        blank = character == " " and not look.features & {"underline", "reverse", "strike"}
        foreground = "" if blank else look.foreground or default
        features = look.features & {"underline", "reverse", "strike"} if character == " " else look.features
        found.append((character, foreground, look.background, features))
    return found
