"""Style texts of a theme checked before they are drawn."""

from __future__ import annotations

from collections.abc import Mapping

from ohud.errors import Flaw, nearest, quote
from ohud.run.fault import Fault
from ohud.run.style import Sheet

ATTRIBUTES = ("bold", "dim", "italic", "underline", "strike", "reverse")
_ANSI = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "gray", "default")
COLOURS = (*_ANSI, *(f"bright_{name}" for name in _ANSI[:8]))


def wrong_style(spec: str, palette: Mapping[str, str]) -> Flaw | None:
    """What is wrong in a style text, at the word at fault; None when it is fine."""
    sheet = Sheet(24, dict(palette))
    at = 0
    for word in spec.split():
        at = spec.index(word, at)
        try:
            sheet.style(word)
        except Fault as fault:
            prefix = word[:3] if word[:3] in ("fg:", "bg:") else ""
            name = word[len(prefix) :]
            known = [*palette, *COLOURS] if prefix else [*palette, *COLOURS, *ATTRIBUTES]
            return Flaw(str(fault), at + len(prefix), max(len(name), 1), _help(name, known, prefix == ""))
        at += len(word)
    return None


def wrong_colour(name: str | int, palette: Mapping[str, str]) -> Flaw | None:
    """What is wrong with a colour; None when it is fine."""
    try:
        Sheet(24, dict(palette)).colour(name)
    except Fault as fault:
        return Flaw(str(fault), 0, len(str(name)), _help(str(name), [*palette, *COLOURS], False))
    return None


def wrong_entry(name: str, palette: Mapping[str, str]) -> Flaw | None:
    """What is wrong with the colour that a name of the palette stands for; None when it is fine."""
    if wrong_colour(name, palette) is None:
        return None
    colour = palette[name]
    if colour in palette:
        help = "a name of the palette may stand for another one, and that one for a colour"
    else:
        help = _help(colour, [*(other for other in palette if other != name), *COLOURS], False)
    return Flaw(f"unknown colour {quote(colour, 40)}", 0, max(len(colour), 1), help)


def _help(name: str, known: list[str], attributes: bool) -> str:
    near = nearest(name, known)
    if near:
        return f"did you mean `{near}`?"
    rest = ", or " + ", ".join(f"`{word}`" for word in ATTRIBUTES) if attributes else ""
    return f"a colour is a name of the palette, an ANSI name, 0 to 255 or `#rrggbb`{rest}"
