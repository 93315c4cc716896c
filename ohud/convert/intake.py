"""A file of another program: bounded bytes to plain data, and the line that each value stands on."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from typing import Any, NoReturn

import yaml

from ohud.errors import quote
from ohud.theme.source import DOTS_IN_A_FILE, DOTS_ON_A_LINE
from ohud.theme.span import locate, position

SIZE_LIMIT = 256 * 1024  # bytes
DEPTH_LIMIT = 40
VALUE_LIMIT = 20_000
Path = tuple[str | int, ...]

_SPACE = re.compile(r"(?:[ \t\r\n]++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+")
# Possessive: a text without an end costs one walk, not one for every way to cut it.
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,300})(\.[0-9]{1,300})?([eE][+-]?[0-9]{1,4})?(?![0-9.eE+-])")
_WORDS = {"true": True, "false": False, "null": None}


class Unusable(Exception):
    """A file that cannot be converted, with the reason in words and what to do about it."""

    def __init__(self, reason: str, help: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.help = help


@dataclass(frozen=True)
class Document:
    """
    One file that was read.

    Takes:  syntax: "json", "toml" or "yaml"; lines: path of a value: the line it stands on, from 1
    """

    syntax: str
    data: dict[str, Any]
    lines: dict[Path, int]


def parse(raw: bytes, name: str) -> Document:
    """
    The data of a file, its syntax told by its name and, where that says nothing, by its content.

    Errors: Unusable for text that is none of JSON, TOML and YAML, or is too large or too deep
    """
    if len(raw) > SIZE_LIMIT:
        raise Unusable(f"it is larger than {SIZE_LIMIT // 1024} KiB")
    text = _text(raw)
    syntax = _syntax(text, name)
    data, lines = {"json": _json, "toml": _toml, "yaml": _yaml}[syntax](text)
    if not isinstance(data, dict):
        raise Unusable("it holds no table of settings at its top")
    _measure(data)
    return Document(syntax, data, lines)


def _text(raw: bytes) -> str:
    try:
        text = raw.decode("utf-16" if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig")
    except UnicodeDecodeError:
        raise Unusable("it is not UTF-8 text", "save it as UTF-8") from None
    if "\0" in text:
        raise Unusable("it is not a text file")
    return text.replace("\r\n", "\n")


def _syntax(text: str, name: str) -> str:
    end = name.lower().rpartition(".")[2]
    if end in ("json", "jsonc", "toml"):
        return end[:4]
    if end in ("yaml", "yml"):
        return "yaml"
    start = _space(text, 0)
    if text[start : start + 1] == "{":
        return "json"
    return "toml" if re.search(r"^\s*(?:\[|[\w.\"'$-]+\s*=)", text, re.MULTILINE) else "yaml"


def _measure(data: Any) -> None:
    """Refuses what is too deep or has too many values to be a theme."""
    count = 0
    waiting = [(data, 1)]
    while waiting:
        value, depth = waiting.pop()
        inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
        count += 1 + len(inner)
        if depth > DEPTH_LIMIT:
            raise Unusable(f"it is nested deeper than {DEPTH_LIMIT} levels")
        if count > VALUE_LIMIT:
            raise Unusable(f"it has more than {VALUE_LIMIT} values")
        waiting += [(item, depth + 1) for item in inner]


def _json(text: str) -> tuple[Any, dict[Path, int]]:
    return _Json(text).read()


class _Json:
    """One walk over a JSON text; comments and a comma before an end are let through, as some of the tools do."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines: dict[Path, int] = {}
        self.line = 1
        self.counted = 0
        self.values = 0

    def read(self) -> tuple[Any, dict[Path, int]]:
        """The value, and the line of each value in it."""
        value, end = self._value(_space(self.text, 0), ())
        if _space(self.text, end) < len(self.text):
            self._fail(_space(self.text, end), "there is more behind the end")
        return value, self.lines

    def _value(self, at: int, path: Path) -> tuple[Any, int]:
        self._note(at, path)
        if self.text[at : at + 1] == '"':
            return self._string(at)
        if self.text[at : at + 1] in ("{", "["):
            if len(path) >= DEPTH_LIMIT:
                raise Unusable(f"it is nested deeper than {DEPTH_LIMIT} levels")
            return self._object(at, path) if self.text[at] == "{" else self._list(at, path)
        for word, value in _WORDS.items():
            if self.text.startswith(word, at):
                return value, at + len(word)
        found = _NUMBER.match(self.text, at)
        if found is None:
            self._fail(at)
        number = float(found[0]) if found[1] or found[2] else int(found[0])
        return number, found.end()

    def _object(self, at: int, path: Path) -> tuple[dict[str, Any], int]:
        made: dict[str, Any] = {}
        at = _space(self.text, at + 1)
        while self.text[at : at + 1] != "}":
            if self.text[at : at + 1] != '"':
                self._fail(at)
            key, at = self._string(at)
            at = _space(self.text, at)
            if self.text[at : at + 1] != ":":
                self._fail(at)
            made[key], at = self._value(_space(self.text, at + 1), (*path, key))
            at = self._next(at, "}")
        return made, at + 1

    def _list(self, at: int, path: Path) -> tuple[list[Any], int]:
        made: list[Any] = []
        at = _space(self.text, at + 1)
        while self.text[at : at + 1] != "]":
            value, at = self._value(at, (*path, len(made)))
            made.append(value)
            at = self._next(at, "]")
        return made, at + 1

    def _next(self, at: int, end: str) -> int:
        at = _space(self.text, at)
        if self.text[at : at + 1] == ",":
            return _space(self.text, at + 1)
        if self.text[at : at + 1] != end:
            self._fail(at)
        return at

    def _string(self, at: int) -> tuple[str, int]:
        found = _STRING.match(self.text, at)
        if found is None:
            self._fail(at, "a text does not end, or has a wrong escape or a control character")
        text: str = json.loads(found[0])
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"), found.end()

    def _note(self, at: int, path: Path) -> None:
        self.values += 1
        if self.values > VALUE_LIMIT:
            raise Unusable(f"it has more than {VALUE_LIMIT} values")
        self.line += self.text.count("\n", self.counted, at)
        self.counted = at
        self.lines[path] = self.line

    def _fail(self, at: int, said: str = "it is not JSON") -> NoReturn:
        line, column = position(self.text, min(at, len(self.text)))
        raise Unusable(f"{said} (line {line}, column {column})")


def _space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _toml(text: str) -> tuple[Any, dict[Path, int]]:
    dots = [line.count(".") for line in text.split("\n")]
    if max(dots) > DOTS_ON_A_LINE and sum(dots) > DOTS_IN_A_FILE:
        raise Unusable("its keys have too many parts")
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as fault:
        raise Unusable("it is not TOML: " + str(fault)[:200]) from None
    starts = {path: position(text, span.key_start)[0] for path, span in locate(text).items()}
    return data, starts


def _yaml(text: str) -> tuple[Any, dict[Path, int]]:
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=yaml.SafeLoader)):
            raise Unusable("it uses aliases (`*name`)", "write the values out, or save it as JSON")
        top = yaml.compose(text, Loader=yaml.SafeLoader)
        lines: dict[Path, int] = {}
        _yaml_lines(top, (), lines)
        return _plain(yaml.safe_load(text)), lines
    except (yaml.YAMLError, RecursionError, ValueError) as fault:
        mark = getattr(fault, "problem_mark", None)
        where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        raise Unusable("it is not YAML" + where) from None


def _yaml_lines(node: Any, path: Path, lines: dict[Path, int]) -> None:
    if node is None:
        return
    if len(path) > DEPTH_LIMIT:
        raise Unusable(f"it is nested deeper than {DEPTH_LIMIT} levels")
    lines[path] = node.start_mark.line + 1
    if node.id == "mapping":
        for key, value in node.value:
            _yaml_lines(value, (*path, str(key.value)), lines)
    elif node.id == "sequence":
        for number, value in enumerate(node.value):
            _yaml_lines(value, (*path, number), lines)


def _plain(value: Any) -> Any:
    """YAML's data as JSON has it: keys are text, dates are text."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value if value is None or isinstance(value, (str, int, float, bool)) else str(value)


def described(path: Path) -> str:
    """A path as people write it: `lines[0][2].type`."""
    said = ""
    for part in path:
        if isinstance(part, int):
            said += f"[{part}]"
        elif re.fullmatch(r"[\w$-]+", part):
            said += ("." if said else "") + part
        else:
            said += f"[{quote(part, 40)}]"
    return said or "the whole file"
