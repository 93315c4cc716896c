"""One file's data against the declared shape: valid values by key path, and every mistake of shape at once."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

from ohud.errors import Problem, Span, count, nearest, quote
from ohud.theme import shape
from ohud.theme.source import Source, key_span, place
from ohud.theme.span import KeyPath

REPORTED = 60  # mistakes of one file that are spelt out
_INT64 = 2**63


@dataclass(eq=False)
class Layer:
    """
    What one file says.

    Takes:  values: key path -> value of the declared type; tables are taken apart, a segment's short form stands
            under its `value`; broken: paths of segments with a wrong key
    """

    source: Source
    values: dict[KeyPath, Any] = field(default_factory=dict)
    broken: set[KeyPath] = field(default_factory=set)


def check(source: Source, table: shape.Table) -> Layer:
    """
    The layer of a file; what is wrong is left out of it and added to `source.problems`.

    Takes:  table: shape.THEME or shape.CONFIG
    """
    checker = _Checker(source, table)
    checker.table(table, source.data, (), "fatal")
    checker.end()
    return checker.layer


def owner(path: KeyPath) -> KeyPath | None:
    """The path of the segment that a key belongs to; None outside segments."""
    if path[:1] == ("segments",) and len(path) > 1:
        return path[:2]
    if path[:2] == ("subagents", "segments") and len(path) > 2:
        return path[:3]
    return None


class _Wrong(Exception):
    """The value has been reported and is left out."""


class _Checker:
    def __init__(self, source: Source, root: shape.Table) -> None:
        self.source = source
        self.root = root
        self.layer = Layer(source)
        self.unsaid = 0

    def table(self, table: shape.Table, data: dict[str, Any], path: KeyPath, weight: str) -> None:
        """Checks a table key by key; what is fine goes into the layer."""
        if table.names is not None and len(data) > table.longest:
            message = f"{_dotted(path)} has {len(data)} entries, {table.longest} are allowed"
            self._wrong(path, message, weight, at_key=True)
            return
        for name, value in data.items():
            here = (*path, name)
            key = table.key(name)
            if key is not None:
                self._entry(key.type, value, here, key.weight)
            elif table.names is not None and table.entry is not None:
                if self._name(table, name, here):
                    self._entry(table.entry, value, here, "part")
            else:
                self._unknown(table, name, here)
        self._needed(table, data, path)

    def end(self) -> None:
        """Says how many mistakes were left unsaid."""
        if self.unsaid:
            span = Span(self.source.path)
            message = f"{count(self.unsaid, 'mistake')} more in this file"
            self.source.problems.append(Problem("theme-shape", message, span, None, "ignored"))

    def _entry(self, kind: shape.Type, value: Any, path: KeyPath, weight: str) -> None:
        if owner(path) == path:  # a segment: its short form is its value
            if isinstance(value, str):
                kind, path = shape.EXPRESSION, (*path, "value")
            elif isinstance(value, dict):
                kind = shape.SEGMENT
            self.layer.values.setdefault((*(owner(path) or ()), ""), None)
        if isinstance(kind, shape.Table) and isinstance(value, dict):
            self.table(kind, value, path, weight)
            return
        try:
            self.layer.values[path] = self._value(kind, value, path, weight)
        except _Wrong:
            pass

    def _value(self, kind: shape.Type, value: Any, path: KeyPath, weight: str) -> Any:
        match kind:
            case shape.Text() if type(value) is str:
                return self._text(kind, value, path, weight)
            case shape.Boolean() if type(value) is bool:
                return value
            case shape.Integer() | shape.Number() if type(value) is int:
                return self._number(kind, value, path, weight)
            case shape.Number() if type(value) is float:
                return self._number(kind, value, path, weight)
            case shape.Array() if type(value) is list:
                return self._array(kind, value, path, weight)
            case shape.Table() if type(value) is dict:
                return self._dict(kind, value, path, weight)
            case shape.Union():
                for option in kind.options:
                    if shape.fits(option, value):
                        return self._value(option, value, path, weight)
        raise self._wrong(path, f"{_dotted(path)} must be {shape.describe(kind)}, not {_found(value)}", weight)

    def _text(self, kind: shape.Text, value: str, path: KeyPath, weight: str) -> str:
        if kind.choices and value not in kind.choices:
            hint = _meant(value, kind.choices)
            raise self._wrong(path, f"{_dotted(path)} must be {shape.describe(kind)}, not {quote(value)}", weight, hint)
        if len(value) > kind.longest:
            message = f"{_dotted(path)} has {len(value):,} characters, {kind.longest:,} are allowed"
            raise self._wrong(path, message, weight)
        if not kind.lines and ("\n" in value or "\t" in value):
            what = "line feed" if "\n" in value else "tab"
            raise self._wrong(path, f"{_dotted(path)} holds a {what}, one line of text is expected", weight)
        if kind.pattern and not re.fullmatch(kind.pattern, value):
            raise self._wrong(path, f"{_dotted(path)} cannot be {quote(value)}", weight, f"allowed: {kind.rule}")
        return value

    def _number(self, kind: shape.Integer | shape.Number, value: float, path: KeyPath, weight: str) -> float:
        if not math.isfinite(value) if isinstance(value, float) else not -_INT64 <= value < _INT64:
            found = "an endless or undefined number" if isinstance(value, float) else "a number beyond 64 bits"
            raise self._wrong(path, f"{_dotted(path)} must be {shape.describe(kind)}, not {found}", weight)
        if (kind.least is not None and value < kind.least) or (kind.most is not None and value > kind.most):
            raise self._wrong(path, f"{_dotted(path)} must be {shape.describe(kind)}, not {value}", weight)
        return value

    def _array(self, kind: shape.Array, value: list[Any], path: KeyPath, weight: str) -> list[Any]:
        if len(value) > kind.longest:
            message = f"{_dotted(path)} has {len(value)} entries, {kind.longest} are allowed"
            raise self._wrong(path, message, weight)
        if len(value) < kind.least:
            raise self._wrong(path, f"{_dotted(path)} must not be empty", weight)
        items, wrong = [], False
        for number, item in enumerate(value):
            try:
                items.append(self._value(kind.item, item, (*path, number), weight))
            except _Wrong:
                wrong = True
        if wrong:
            raise _Wrong
        return items

    def _dict(self, kind: shape.Table, value: dict[str, Any], path: KeyPath, weight: str) -> dict[str, Any]:
        items, wrong = {}, not self._needed(kind, value, path)
        for name, item in value.items():
            key = kind.key(name)
            if key is None:
                self._unknown(kind, name, (*path, name))
                continue
            try:
                items[name] = self._value(key.type, item, (*path, name), weight)
            except _Wrong:
                wrong = True
        if wrong:
            raise _Wrong
        return items

    def _needed(self, table: shape.Table, data: dict[str, Any], path: KeyPath) -> bool:
        missing = [key.name for key in table.keys if key.needed and key.name not in data]
        for name in missing:
            self._wrong(path, f"{quote(name)} is missing in {_dotted(path)}", "part", at_key=isinstance(path[-1], str))
        return not missing

    def _name(self, table: shape.Table, name: str, path: KeyPath) -> bool:
        assert table.names is not None
        segment = owner(path) == path
        what = "the name of a segment" if segment else f"a name in {_dotted(path[:-1])}"
        weight = "fatal" if segment else "part"
        if len(name) > table.names.longest or not re.fullmatch(table.names.pattern or r"(?s).+", name):
            hint = f"allowed: {table.names.rule}" if table.names.rule else None
            self._wrong(path, f"{quote(name)} cannot be {what}", weight, hint, at_key=True)
            return False
        reserved = shape.RESERVED_IN_SUBAGENTS if path[0] == "subagents" else shape.RESERVED
        if segment and name in reserved:
            message = f"{quote(name)} cannot be the name of a segment: it means something else in templates"
            self._wrong(path, message, weight, f"for example `{name}_`", at_key=True)
            return False
        return True

    def _full(self) -> bool:
        """Whether enough has been said: a file of 30 KiB can hold 5,000 mistakes, each a search for a near word."""
        if len(self.source.problems) < REPORTED:
            return False
        self.unsaid += 1
        return True

    def _unknown(self, table: shape.Table, name: str, path: KeyPath) -> None:
        if self._full():
            return
        above = f" in {_dotted(path[:-1])}" if len(path) > 1 else ""
        hint = _meant(name, [key.name for key in table.keys])
        message = f"unknown key {quote(name)}{above}"
        if self.root is shape.THEME and len(path) == 1 and name in shape.CONFIG_ONLY:
            message, hint = f"{quote(name)} has no meaning in a theme", "it belongs in config.toml"
        elif name in shape.NEVER_IN_THEMES and self.root is shape.THEME:
            hint = "a theme can name no command, file, URL, host or environment variable"
        span = key_span(self.source, path)
        self.source.problems.append(Problem("theme-shape", message, span, hint, "ignored"))

    def _wrong(
        self, path: KeyPath, message: str, weight: str, help: str | None = None, *, at_key: bool = False
    ) -> _Wrong:
        segment = owner(path)
        if segment is not None and weight == "part":
            self.layer.broken.add(segment)
        if weight != "fatal" and self._full():
            return _Wrong()
        if weight == "fatal" and sum(p.weight == "fatal" for p in self.source.problems) >= REPORTED:
            self.unsaid += 1
            return _Wrong()
        span = key_span(self.source, path) if at_key else place(self.source, path)
        self.source.problems.append(Problem("theme-shape", message, span, help, weight))
        return _Wrong()


def _found(value: Any) -> str:
    names = {str: "a text", bool: "a boolean", int: "an integer", float: "a number", list: "a list", dict: "a table"}
    return names.get(type(value), "a date or time")


def _meant(word: str, known: list[str] | tuple[str, ...]) -> str | None:
    near = nearest(word, known)
    return f"did you mean `{near}`?" if near else None


def _dotted(path: KeyPath) -> str:
    words = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in path]
    return quote("".join(words).removeprefix("."), 80)
