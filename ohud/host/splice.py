"""
Changes in a JSON text that leave every byte but those of the wanted value as they were.

Settings files are written by people, by the host and by other tools. To parse one and write it anew would respell its
numbers, lose its indentation and keep only the last of two equal keys.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

DEPTH_LIMIT = 200
NUMBER_LIMIT = 1000  # characters; Python reads no integer of more than 4300 digits
MARK = "\ufeff"
_SPACE = re.compile(r"[ \t\n\r]*")
# Possessive: a text without an end costs one walk, not one for every way to cut it.
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"')
_SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![0-9.eE+-])|true|false|null")
_CLOSING = {"{": "}", "[": "]"}


class Refused(Exception):
    """A file that is left alone, with the reason in words; `settled`: another look would not change it."""

    settled = False

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Member:
    """One key of an object: the key as read, where it begins, where its value begins and ends."""

    key: str
    start: int
    key_end: int
    value_start: int
    value_end: int


@dataclass(frozen=True, slots=True)
class Object:
    """An object of the text: offsets behind its `{` and of its `}`, and its members."""

    open: int
    close: int
    members: tuple[Member, ...]

    def member(self, key: str) -> Member | None:
        """
        The member of a key.

        Errors: Refused when the key is there twice: who reads the file decides which one counts
        """
        found = [one for one in self.members if one.key == key]
        if len(found) > 1:
            raise Refused(f"the key `{key}` is there twice")
        return found[0] if found else None


def decode(raw: bytes) -> str:
    """
    The text of a settings file, its byte order mark kept.

    Errors: Refused for anything that is not UTF-8
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as fault:
        if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise Refused("it is UTF-16, not UTF-8") from None
        raise Refused(f"byte {fault.start + 1} is not UTF-8") from None


def data_of(raw: bytes) -> dict[str, Any]:
    """
    The settings in a file's bytes, read as strictly as the host reads them; an empty file holds none.

    Errors: Refused with the reason and the place
    """
    text = decode(raw)
    if blank(text):
        return {}
    top(text)
    data: dict[str, Any] = json.loads(text.removeprefix(MARK))
    return data


def blank(text: str) -> bool:
    """Whether there is nothing in the text."""
    return not text.removeprefix(MARK).strip(" \t\n\r")


def top(text: str) -> Object:
    """
    The object that is the whole text.

    Errors: Refused for a text that is not JSON, is nested deeper than 200, or is something other than an object
    """
    at = _space(text, len(MARK) if text.startswith(MARK) else 0)
    if text[at : at + 1] != "{":
        kind = {"[": "a list", '"': "a text"}.get(text[at : at + 1]) or (
            "a single value" if _SCALAR.match(text, at) else None
        )
        raise Refused(f"it holds {kind}, not an object" if kind else _fault(text, at))
    found = object_at(text, at)
    end = _space(text, found.close + 1)
    if end < len(text):
        raise Refused(_fault(text, end, "there is more behind the end of the object"))
    return found


def object_at(text: str, start: int) -> Object:
    """
    The object whose `{` stands at an offset, all within it checked.

    Errors: Refused as for `top`
    """
    members: list[Member] = []
    at = _space(text, start + 1)
    if text[at : at + 1] == "}":
        return Object(start + 1, at, ())
    while True:
        begin = at
        key_end, value_start = _key(text, at)
        at = _value(text, value_start)
        members.append(Member(json.loads(text[begin:key_end]), begin, key_end, value_start, at))
        at = _space(text, at)
        if text[at : at + 1] == "}":
            return Object(start + 1, at, tuple(members))
        if text[at : at + 1] != ",":
            raise Refused(_fault(text, at))
        at = _space(text, at + 1)


def raw_value(text: str, key: str) -> str | None:
    """The text of a key's value, None when the key is not there."""
    member = None if blank(text) else top(text).member(key)
    return None if member is None else text[member.value_start : member.value_end]


def put(text: str, path: tuple[str, ...], value: Any, raw: str | None = None) -> str:
    """
    The text with one value set: in its place where the key is there, else behind the last key.

    Takes:  path: the key, or the key of an object and a key in that; raw: the value as it is to be written
    Errors: Refused for a text that cannot be changed safely
    """
    if blank(text):
        newline = "\r\n" if "\r\n" in text else "\n"
        begin = text[: len(MARK)] if text.startswith(MARK) else ""
        return put(begin + "{}" + newline, path, value, raw)
    if len(top(text).members) != len({one.key for one in top(text).members}):
        raise Refused("a key is there twice")
    holder = _holder(text, path)
    member = holder.member(path[-1])
    style = _Style.of(text, holder)
    if member is None:
        written = json.dumps(path[-1], ensure_ascii=False) + style.colon + (raw or style.write(value))
        return _inserted(text, holder, style, written)
    old = text[member.value_start : member.value_end]
    if old.startswith("{") and "\n" not in old:
        style = _Style.of(old, object_at(old, 0)) if old != "{}" else style.flat()
    return text[: member.value_start] + (raw or style.write(value)) + text[member.value_end :]


def drop(text: str, path: tuple[str, ...]) -> str:
    """The text without one key, its comma and the white space that goes with it."""
    holder = _holder(text, path)
    member = holder.member(path[-1])
    if member is None:
        return text
    number = holder.members.index(member)
    if len(holder.members) == 1:
        return text[: holder.open] + text[holder.close :]
    if number == len(holder.members) - 1:
        return text[: holder.members[number - 1].value_end] + text[member.value_end :]
    return text[: member.start] + text[holder.members[number + 1].start :]


def _holder(text: str, path: tuple[str, ...]) -> Object:
    """The object that the last key of a path belongs to."""
    holder = top(text)
    for key in path[:-1]:
        member = holder.member(key)
        if member is None or text[member.value_start] != "{":
            raise Refused(f"`{key}` is not an object")
        holder = object_at(text, member.value_start)
    return holder


def _inserted(text: str, holder: Object, style: _Style, written: str) -> str:
    if holder.members:
        end = holder.members[-1].value_end
        return text[:end] + "," + style.between + written + text[end:]
    return text[: holder.open] + style.between + written + style.newline + text[holder.close :]


@dataclass(frozen=True, slots=True)
class _Style:
    """
    How an object is written.

    Takes:  indent: what stands before its keys, None when they share a line; between: white space behind a comma
    """

    newline: str
    indent: str | None
    between: str
    colon: str

    @staticmethod
    def of(text: str, found: Object) -> _Style:
        """The style of an object, by its first members; an empty one gets a line a key."""
        if not found.members:
            newline = "\r\n" if "\r\n" in text else "\n"
            return _Style(newline, "  ", newline + "  ", ": ")
        first = found.members[0]
        lead = text[found.open : first.start]
        colon = text[first.key_end : first.value_start]
        if "\n" in colon or "\r" in colon:
            colon = ": "
        newline = "\r\n" if "\r\n" in lead else "\n"
        if "\n" in lead:
            indent = lead.rpartition("\n")[2]
            return _Style(newline, indent, newline + indent, colon)
        between = " " if colon.endswith(" ") else ""
        if len(found.members) > 1:
            gap = text[first.value_end : found.members[1].start].partition(",")[2]
            between = gap if "\n" not in gap and "\r" not in gap else " "
        return _Style(newline, None, between, colon)

    def flat(self) -> _Style:
        """The same on one line."""
        return _Style(self.newline, None, " " if self.colon.endswith(" ") else "", self.colon)

    def write(self, value: Any) -> str:
        """A value in this style."""
        if self.indent is None:
            return json.dumps(value, ensure_ascii=False, separators=("," + self.between, self.colon))
        unit = "\t" if self.indent.startswith("\t") else self.indent if 0 < len(self.indent) <= 8 else "  "
        lines = json.dumps(value, ensure_ascii=False, indent=unit, separators=(",", self.colon)).split("\n")
        return (self.newline + self.indent).join(lines)


def _space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _key(text: str, at: int) -> tuple[int, int]:
    """The end of the key at an offset, and where its value begins."""
    found = _STRING.match(text, at)
    if found is None:
        raise Refused(_fault(text, at))
    colon = _space(text, found.end())
    if text[colon : colon + 1] != ":":
        raise Refused(_fault(text, colon))
    return found.end(), _space(text, colon + 1)


def _value(text: str, at: int) -> int:
    """The end of the value at an offset, by a stack of its own: no depth of nesting ends the program."""
    stack: list[str] = []
    while True:
        opening = text[at : at + 1]
        if opening in ("{", "["):
            stack.append(opening)
            if len(stack) >= DEPTH_LIMIT:
                raise Refused(f"it is nested deeper than {DEPTH_LIMIT} levels")
            inner = _space(text, at + 1)
            if text[inner : inner + 1] != _CLOSING[opening]:
                at = _key(text, inner)[1] if opening == "{" else inner
                continue
            stack.pop()
            at = inner + 1
        else:
            at = _scalar(text, at)
        while stack:
            at = _space(text, at)
            if text[at : at + 1] == _CLOSING[stack[-1]]:
                stack.pop()
                at += 1
            elif text[at : at + 1] == ",":
                at = _space(text, at + 1)
                if stack[-1] == "{":
                    at = _key(text, at)[1]
                break
            else:
                raise Refused(_fault(text, at))
        else:
            return at


def _scalar(text: str, at: int) -> int:
    found = _STRING.match(text, at) or _SCALAR.match(text, at)
    if found is None:
        raise Refused(_fault(text, at))
    if text[at] != '"' and found.end() - at > NUMBER_LIMIT:
        raise Refused(f"it holds a number of {found.end() - at} characters")
    return found.end()


def _fault(text: str, at: int, said: str | None = None) -> str:
    """What is wrong at an offset, with its line and column."""
    if said is None:
        rest = text[at : at + 9]
        if at >= len(text) or (rest.startswith('"') and '"' not in text[at + 1 :]):
            said = "it ends in the middle"
        elif rest.startswith(("//", "/*", "#")):
            said = "it has a comment, which is not JSON"
        elif rest[:1] in "}]" and text[:at].rstrip(" \t\r\n").endswith(","):
            said = "there is a comma before the end"
        elif rest.lstrip("-").startswith(("NaN", "Infinity")):
            said = "a number that JSON does not have"
        else:
            said = "it is not JSON"
    before = text[:at]
    return f"{said} (line {before.count(chr(10)) + 1}, column {at - before.rfind(chr(10))})"
