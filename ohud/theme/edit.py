"""Changes in the text of a config that leave everything else as it was: comments, order, line ends."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping

import tomli_w

from ohud.theme.span import locate

MARK = "\ufeff"


class Unchangeable(Exception):
    """A text that cannot be changed safely, with the reason in words."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def with_keys(text: str, keys: Mapping[str, str | int | float | bool]) -> str:
    """
    The text with keys of its top level set: in their places where they are there, else above everything else.

    Takes:   text: TOML, with any line ends and with or without a byte order mark
    Errors:  Unchangeable when the text is not TOML, or the change would have another effect than this
    """
    mark = MARK if text.startswith(MARK) else ""
    bare = text.removeprefix(MARK)
    newline = "\r\n" if "\r\n" in bare else "\n"
    plain = bare.replace("\r\n", "\n")
    before = _data(plain)
    if newline == "\r\n" and plain.replace("\n", "\r\n") != bare:
        raise Unchangeable("its line ends are of two kinds")
    changed = plain
    for key, value in reversed(list(keys.items())):
        if key not in before or before[key] != value or type(before[key]) is not type(value):
            changed = _with_key(changed, key, value)
    if _data(changed) != {**before, **keys}:
        raise Unchangeable("the keys cannot be put in without changing others")
    return mark + changed.replace("\n", newline)


def line(key: str, value: str | int | float | bool) -> str:
    """A key and its value as a line of TOML, without the line end."""
    return tomli_w.dumps({key: value}).strip()


def _with_key(text: str, key: str, value: str | int | float | bool) -> str:
    span = locate(text).get((key,))
    if span is not None:
        return text[: span.value_start] + line(key, value).partition(" = ")[2] + text[span.value_end :]
    # Above the first key is the one place that is of the top level in every text; comments at the head stay there.
    at = 0
    while text.startswith("#", at):
        end = text.find("\n", at)
        if end < 0:
            text, end = text + "\n", len(text)
        at = end + 1
    rest = text[at:]
    gap = "\n" if rest.startswith("[") else ""
    return text[:at] + line(key, value) + "\n" + gap + rest


def _data(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as fault:
        raise Unchangeable(f"it is not TOML: {fault}") from None
