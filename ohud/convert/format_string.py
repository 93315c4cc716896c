"""Starship's format strings: text, `$variable`, `[text](style)`, and `(there only when a variable says something)`."""

from __future__ import annotations

import re
from dataclasses import dataclass

_DEEPEST = 12


@dataclass(frozen=True, slots=True)
class Said:
    """Text that means itself."""

    text: str


@dataclass(frozen=True, slots=True)
class Variable:
    """`$name`."""

    name: str


@dataclass(frozen=True, slots=True)
class Group:
    """`[...](style)`."""

    parts: tuple[object, ...]
    style: str


@dataclass(frozen=True, slots=True)
class Maybe:
    """`(...)`: there only when a variable in it says something."""

    parts: tuple[object, ...]


class Malformed(Exception):
    """A format string that cannot be read, with the reason in words."""


def read(text: str) -> tuple[object, ...]:
    """
    The parts of a format string.

    Errors: Malformed
    """
    parts, at = _read(text, 0, "", 0)
    if at < len(text):
        raise Malformed(f"`{text[at]}` has no beginning")
    return parts


def _read(text: str, at: int, end: str, depth: int) -> tuple[tuple[object, ...], int]:
    if depth > _DEEPEST:
        raise Malformed("it is nested too deep")
    parts: list[object] = []
    said = ""
    while at < len(text) and text[at] not in (end or ")]"):
        one = text[at]
        if one == "\\" and at + 1 < len(text):
            said, at = said + text[at + 1], at + 2
            continue
        name = re.compile(r"\$(?:\{([^{}\n]{1,80})\}|(\w+))").match(text, at) if one == "$" else None
        if name is None and one not in "[(":
            said, at = said + one, at + 1
            continue
        parts += [Said(said)] if said else []
        said = ""
        if name is not None:
            parts.append(Variable(name[1] or name[2]))
            at = name.end()
        elif one == "[":
            inner, at = _read(text, at + 1, "]", depth + 1)
            style = re.compile(r"\]\(([^()]*)\)").match(text, at)
            if style is None:
                raise Malformed("`[` needs `](style)` behind it")
            parts.append(Group(inner, style[1]))
            at = style.end()
        else:
            inner, at = _read(text, at + 1, ")", depth + 1)
            if at >= len(text):
                raise Malformed("`(` is not closed")
            parts.append(Maybe(inner))
            at += 1
    parts += [Said(said)] if said else []
    return tuple(parts), at
