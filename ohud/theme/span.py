"""Where each key and value of a TOML text stands, so that a mistake in meaning can be shown in its place."""

from __future__ import annotations

import re
import tomllib
from typing import NamedTuple

KeyPath = tuple[str | int, ...]


class KeySpan(NamedTuple):
    """
    Offsets of a key and of its value, in characters; ends are exclusive.

    Takes:  for an element of an array the key is the element itself, for a table under a header the value is its key
    """

    key_start: int
    key_end: int
    value_start: int
    value_end: int


class Repeat(NamedTuple):
    """A key that was written before: its path and the offsets of the later and the earlier one."""

    path: KeyPath
    start: int
    end: int
    earlier: int


def locate(text: str) -> dict[KeyPath, KeySpan]:
    """
    Every key path of a TOML text with the offsets of its key and value.

    Takes:  text with LF line ends
    Returns: paths as in tomllib's answer, list indexes as integers; the first place where a table is written in parts;
            of a text that is not TOML, what comes before the fault
    Errors: none
    """
    return Scan(text).spans


class Scan:
    """
    One walk over a TOML text: `spans`, and for texts that tomllib refuses where the walk came to a stop.

    Takes:  text with LF line ends
    Returns: at: offset where it stopped (the text's length when all is well); value_start: start of the value or
             string that it was in, -1 when it was in none; repeats: keys that were written twice;
             last_path, last_key: the last key that was read, and its offsets
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.spans: dict[KeyPath, KeySpan] = {}
        self.repeats: list[Repeat] = []
        self.value_start = -1
        self.at = 0
        self.last_path: KeyPath = ()
        self.last_key = (0, 0)
        self._table: KeyPath = ()
        self._arrays: dict[KeyPath, int] = {}
        self._headers: set[KeyPath] = set()
        try:
            self._document()
        except (_Stop, IndexError, ValueError):
            pass

    def _document(self) -> None:
        while self._skip(_BLANKS_AND_COMMENTS) < len(self.text):
            if self.text[self.at] == "[":
                self._header()
            else:
                self._value(self._pair(self._table))
            self._skip(_SPACES)

    def _header(self) -> None:
        array = self.text.startswith("[[", self.at)
        self.at += 2 if array else 1
        parts = self._key()
        self._expect("]]" if array else "]")
        path = self._enter((), parts[:-1], follow=True)
        name, start, end = parts[-1]
        path = (*path, name)
        self.last_path, self.last_key = path, (start, end)
        if array:
            self._note(path, KeySpan(start, end, start, end))
            number = self._arrays.get(path, -1) + 1
            self._arrays[path] = number
            path = (*path, number)
        elif path in self._headers:
            self.repeats.append(Repeat(path, start, end, self.spans[path].key_start))
        self._headers.add(path)
        self._note(path, KeySpan(start, end, start, end))
        self._table = path

    def _pair(self, table: KeyPath) -> KeyPath:
        """Reads `key =`, leaves `at` at the value and gives its path."""
        parts = self._key()
        path = self._enter(table, parts[:-1])
        name, start, end = parts[-1]
        path = (*path, name)
        self.last_path, self.last_key = path, (start, end)
        if path in self.spans:
            self.repeats.append(Repeat(path, start, end, self.spans[path].key_start))
        self._expect("=")
        self._skip(_SPACES)
        self._note(path, KeySpan(start, end, self.at, self.at))
        return path

    def _enter(self, table: KeyPath, parts: list[tuple[str, int, int]], follow: bool = False) -> KeyPath:
        for name, start, end in parts:
            table = (*table, name)
            self._note(table, KeySpan(start, end, start, end))
            if follow and table in self._arrays:
                table = (*table, self._arrays[table])
        return table

    def _note(self, path: KeyPath, span: KeySpan) -> None:
        self.spans.setdefault(path, span)

    def _key(self) -> list[tuple[str, int, int]]:
        parts = []
        while True:
            self._skip(_SPACES)
            start = self.at
            if self.text[start] in "\"'":
                self.at = _string_end(self.text, start)
                name = _unquote(self.text[start : self.at])
            else:
                name = self._take(_BARE_KEY)
            parts.append((name, start, self.at))
            self._skip(_SPACES)
            if not self.text.startswith(".", self.at):
                return parts
            self.at += 1

    def _value(self, path: KeyPath) -> None:
        """Reads one value; arrays and inline tables by a stack of their own, as deep as tomllib goes."""
        stack: list[tuple[KeyPath, str, int, int]] = []  # path, "[" or "{", start, next index
        while True:
            start = self.value_start = self.at
            character = self.text[start]
            if character in "[{":
                if len(stack) == _DEEPEST:
                    raise _Stop
                stack.append((path, character, start, 0))
                self.at += 1
            else:
                self._scalar()
                self._close(path, start)
            while stack:
                path, kind, start, number = stack[-1]
                self.value_start = start
                self._skip(_BLANKS_AND_COMMENTS)
                if self.text.startswith(",", self.at):
                    self.at += 1
                    self._skip(_BLANKS_AND_COMMENTS)
                if self.text[self.at] == ("]" if kind == "[" else "}"):
                    self.at += 1
                    stack.pop()
                    self._close(path, start)
                    continue
                stack[-1] = (path, kind, start, number + 1)
                if kind == "{":
                    path = self._pair(path)
                else:
                    path = (*path, number)
                    self._note(path, KeySpan(self.at, self.at, self.at, self.at))
                break
            else:
                self.value_start = -1
                return

    def _scalar(self) -> None:
        if self.text[self.at] in "\"'":
            self.at = _string_end(self.text, self.at)
        else:
            self._take(_SCALAR)

    def _close(self, path: KeyPath, start: int) -> None:
        span = self.spans[path]
        if span.value_start == start and span.value_end <= start:
            key_end = self.at if isinstance(path[-1], int) else span.key_end
            self.spans[path] = KeySpan(span.key_start, key_end, start, self.at)

    def _skip(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.at

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        if not found:
            raise _Stop
        self.at = found.end()
        return found.group()

    def _expect(self, token: str) -> None:
        self._skip(_SPACES)
        if not self.text.startswith(token, self.at):
            raise _Stop
        self.at += len(token)


def position(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, both from 1."""
    offset = min(max(offset, 0), len(text))
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def inside(raw: str, offset: int) -> int | None:
    """
    Offset in the TOML source of a string value, from an offset in the text that it stands for.

    Takes:  raw: the value as written, quotes included
    Returns: None when `raw` is no string or the offset lies behind its end
    """
    quotes = next((quotes for quotes in ('"""', "'''", '"', "'") if raw.startswith(quotes)), None)
    if quotes is None or len(raw) < 2 * len(quotes):
        return None
    at, end = len(quotes), len(raw) - len(quotes)
    if len(quotes) == 3 and raw.startswith("\n", at):
        at += 1
    if quotes[0] == "'" or "\\" not in raw:
        return at + offset if at + offset <= end else None
    while offset > 0 or _CONTINUATION.match(raw, at):
        if at >= end:
            return None
        if folded := _CONTINUATION.match(raw, at):
            at = folded.end()
            continue
        found = _ESCAPE.match(raw, at)
        at = found.end() if found else at + 1
        offset -= 1
    return at


class _Stop(Exception):
    """The text is not TOML from here on."""


_DEEPEST = 1000  # tomllib gives up earlier; the paths of deeper values would cost the square of the depth

_SPACES = re.compile(r"[ \t]*")
_BLANKS_AND_COMMENTS = re.compile(r"(?:[ \t\n]+|#[^\n]*)*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR = re.compile(r"\d{4}-\d\d-\d\d \d\d:[^\s,\]}#]*|[^\s,\]}#]+")
_ESCAPE = re.compile(r"\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{2}|.)", re.DOTALL)
_CONTINUATION = re.compile(r"\\[ \t]*\n[ \t\n]*")


def _string_end(text: str, start: int) -> int:
    quote = text[start]
    if text.startswith(quote * 3, start):
        at = start + 3
        while not text.startswith(quote * 3, at):
            at += 2 if quote == '"' and text[at] == "\\" else 1
            if at >= len(text):
                raise _Stop
        at += 3
        extra = len(text[at : at + 2]) - len(text[at : at + 2].lstrip(quote))
        return at + extra
    at = start + 1
    while text[at] != quote:
        if text[at] == "\n":
            raise _Stop
        at += 2 if quote == '"' and text[at] == "\\" else 1
    return at + 1


def _unquote(raw: str) -> str:
    if raw[0] == "'" or "\\" not in raw:
        return raw[1:-1]
    return str(tomllib.loads(f"x = {raw}")["x"])
