"""Changes in the text of a config that leave everything else as it was: comments, order, line ends."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from copy import deepcopy
from typing import Any, NamedTuple

import tomli_w

from ohud.theme.statements import Pair, Section, Statements

MARK = "\ufeff"
Path = tuple[str, ...]
ABSENT = object()


class Unchangeable(Exception):
    """A text that cannot be changed safely, with the reason in words."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Splice(NamedTuple):
    """A piece of a text and what comes into its place."""

    start: int
    end: int
    new: str


def with_keys(text: str, keys: Mapping[str, str | int | float | bool]) -> str:
    """
    The text with keys of its top level set: in their places where they are there, else behind the others.

    Takes:   text: TOML, with any line ends and with or without a byte order mark
    Errors:  Unchangeable when the text is not TOML, a key is a table or list there, or the change would have another
             effect than this
    """
    before = data_of(text)
    for key, value in keys.items():
        if isinstance(before.get(key), dict | list):
            raise Unchangeable(f"`{key}` is not a single value there")
        text = with_value(text, (key,), value)
    return text


def with_value(text: str, path: Path, value: object) -> str:
    """
    The text with one value set, at any depth; a value that is there already keeps its spelling.

    Takes:   text: as for `with_keys`; path: keys from the top down; value: as tomllib gives it. A table that is
             written in parts is changed key by key, a list as a whole
    Errors:  Unchangeable as for `with_keys`, and where a key of the path holds something other than a table
    """
    before = data_of(text)
    wanted = deepcopy(before)
    if same(look(before, path), value):
        return text
    _set(wanted, path, value)
    changed = _with_value(text, path, value)
    if not same(_changed_data(changed), wanted):
        raise Unchangeable(f"`{dotted(path)}` cannot be set without changing other keys")
    return changed


def without(text: str, path: Path) -> str:
    """
    The text without a key; a table of its own that is empty then, comments aside, goes as well.

    Errors:  Unchangeable as for `with_value`
    """
    before = data_of(text)
    if look(before, path) is ABSENT:
        return text
    changed = _without(text, path)
    after = _changed_data(changed)
    for length in range(len(path), 0, -1):
        above = look(before, path[: length - 1])
        assert isinstance(above, dict)
        del above[path[length - 1]]
        if same(after, before):
            return changed
        if above:
            break
    raise Unchangeable(f"`{dotted(path)}` cannot be taken out without changing other keys")


def data_of(text: str) -> dict[str, Any]:
    """
    What a text says.

    Errors:  Unchangeable when it is not TOML
    """
    try:
        return tomllib.loads(text.removeprefix(MARK))
    except (ValueError, RecursionError) as fault:
        raise Unchangeable(f"it is not TOML: {fault}") from None


def look(data: Any, path: Path) -> Any:
    """The value at a path; ABSENT when there is none."""
    for name in path:
        if not isinstance(data, dict) or name not in data:
            return ABSENT
        data = data[name]
    return data


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal, of the same types all through."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other) or (one != one and other != other)


def line(key: str, value: object) -> str:
    """A key and its value as a line of TOML, without the line end."""
    return f"{dotted((key,))} = {written(value)}"


def dotted(path: Path) -> str:
    """A path as TOML writes it, in quotes where it has to be."""
    return ".".join(name if _BARE.fullmatch(name) else _text(name) for name in path)


def written(value: object) -> str:
    """A value as TOML on one line; a text of several lines, where it is the whole value, on several."""
    if isinstance(value, str) and "\n" in value and "\r" not in value:
        return str(tomli_w.dumps({"x": value}, multiline_strings=True))[4:].removesuffix("\n")
    return _inline(value)


def _inline(value: object) -> str:
    if isinstance(value, dict):
        entries = ", ".join(f"{dotted((name,))} = {_inline(item)}" for name, item in value.items())
        return "{ " + entries + " }" if entries else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return _text(value)


def _text(value: object) -> str:
    return tomli_w.dumps({"x": value})[4:].removesuffix("\n")


def _changed_data(text: str) -> dict[str, Any] | None:
    """What a text says that was changed here; None when that has made it something other than TOML."""
    try:
        return data_of(text)
    except Unchangeable:
        return None


def _set(data: dict[str, Any], path: Path, value: object) -> None:
    """
    Puts a value into data.

    Errors:  Unchangeable
    """
    for length, name in enumerate(path[:-1], 1):
        inner = data.setdefault(name, {})
        if not isinstance(inner, dict):
            what = "a list" if isinstance(inner, list) else "a text" if isinstance(inner, str) else "a value"
            raise Unchangeable(f"`{dotted(path[:length])}` is {what}, not a table")
        data = inner
    data[path[-1]] = value


def _with_value(text: str, path: Path, value: object) -> str:
    """The text with a value set that it does not have yet."""
    data = data_of(text)
    found = look(data, path)
    if found is ABSENT:
        return _apply(text, [_added(Statements(_plain(text)), data, path, written(value))])
    statements = Statements(_plain(text))
    if statements.written(path):
        span = statements.spans[path]
        return _apply(text, [_Splice(span.value_start, span.value_end, written(value))])
    if isinstance(found, dict) and isinstance(value, dict) and value:
        for name, item in value.items():
            if not same(found.get(name, ABSENT), item):
                text = _with_value(text, (*path, name), item)
        for name in found:
            if name not in value:
                text = _without(text, (*path, name))
        return text
    text = _without(text, path)
    if look(data_of(text), path) is not ABSENT:
        raise Unchangeable(f"`{dotted(path)}` is written in too many parts")
    return _with_value(text, path, value)


def _added(statements: Statements, data: dict[str, Any], path: Path, value: str) -> _Splice:
    """The piece that adds a key: to the inline table, the dotted keys or the section where its table is written."""
    above = path
    while look(data, above) is ABSENT:
        above = above[:-1]
    for length in range(len(above), 0, -1):
        if statements.inline(path[:length]):
            return _into_inline(statements, path[:length], f"{dotted(path[length:])} = {value}")
    for pair in reversed(statements.pairs):
        if len(pair.above) < len(above) < len(pair.path) and pair.path[: len(above)] == above:
            return _below(statements, pair, f"{dotted(path[len(pair.above) :])} = {value}")
    if len(path) == len(above) + 1:
        for section in statements.sections:
            if section.path == above:
                return _into_section(statements, section, f"{dotted(path[-1:])} = {value}")
    return _new_section(statements, path[:-1], f"[{dotted(path[:-1])}]\n{dotted(path[-1:])} = {value}")


def _into_inline(statements: Statements, table: Path, entry: str) -> _Splice:
    inside = [pair for pair in statements.pairs if pair.above == table]
    if inside:
        return _Splice(inside[-1].end, inside[-1].end, ", " + entry)
    span = statements.spans[table]
    return _Splice(span.value_start, span.value_end, "{ " + entry + " }")


def _below(statements: Statements, pair: Pair, entry: str) -> _Splice:
    """A line below that of another statement, indented as that one."""
    indent = statements.text[statements.line_start(pair.start) : pair.start]
    return _line(statements.text, statements.line_end(pair.end), indent + entry)


def _into_section(statements: Statements, section: Section, entry: str) -> _Splice:
    pairs = statements.lines_of(section)
    if pairs:
        return _below(statements, pairs[-1], entry)
    if section.path:
        return _line(statements.text, section.head_end, entry)
    at = statements.content_end(section)
    splice = _line(statements.text, at, entry)
    gap = statements.text.startswith(_HEADER_OR_COMMENT, at) or (at == 0 and statements.text)
    return splice._replace(new=splice.new + "\n") if gap else splice


def _new_section(statements: Statements, path: Path, entry: str) -> _Splice:
    """A section among those it is related to: before the first that is part of its table, else behind the last."""
    text, sections = statements.text, statements.sections
    parts = [n for n, section in enumerate(sections) if section.path[: len(path)] == path]
    after = sections[-1]
    if parts:
        after = sections[parts[0] - 1]
    else:
        for length in range(len(path) - 1, 0, -1):
            kin = [section for section in sections if section.path[:length] == path[:length]]
            if kin:
                after = kin[-1]
                break
    at = statements.content_end(after)
    splice = _line(text, at, entry)
    if at == 0:
        return splice._replace(new=splice.new + "\n") if text else splice
    if at == len(text) or text.startswith("\n", at):
        return splice._replace(new="\n" + splice.new)
    return splice


def _line(text: str, at: int, entry: str) -> _Splice:
    """A line at the start of another, or at the end of a text, which keeps its way to end."""
    if at == len(text) and not text.endswith("\n") and text:
        return _Splice(at, at, "\n" + entry)
    return _Splice(at, at, entry + "\n")


def _without(text: str, path: Path) -> str:
    statements = Statements(_plain(text))
    for length in range(len(path) - 1, 0, -1):
        if statements.inline(path[:length]):
            return _without_inline(text, path[:length], path)
    gone: list[tuple[int, int]] = []
    for section in statements.sections:
        pairs = statements.lines_of(section)
        mine = [pair for pair in pairs if pair.path[: len(path)] == path]
        emptied = bool(mine) and len(mine) == len(pairs) and _nothing_else(statements, section)
        if section.path and (emptied or section.path[: len(path)] == path):
            gone.append((section.start, statements.floor(section)))
        else:
            gone += [(statements.line_start(pair.start), statements.line_end(pair.end)) for pair in mine]
    return _apply(text, [_gone(statements, start, end) for start, end in _joined(statements.text, gone)])


def _joined(text: str, ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges of lines, those together that only blank lines lie between when the later one begins with a header."""
    joined: list[tuple[int, int]] = []
    for start, end in ranges:
        if joined and not text[joined[-1][1] : start].strip() and text[start:end].lstrip().startswith("["):
            joined[-1] = joined[-1][0], end
        else:
            joined.append((start, end))
    return joined


def _nothing_else(statements: Statements, section: Section) -> bool:
    """Whether a section holds no line of its own but statements, and no comment beside its header."""
    at = section.closed
    for pair in statements.lines_of(section):
        if statements.text[at : statements.line_start(pair.start)].strip():
            return False
        at = statements.line_end(pair.end)
    return not statements.text[at : statements.content_end(section)].strip()


def _gone(statements: Statements, start: int, end: int) -> _Splice:
    """
    Whole lines taken out, with the blank line that sets off a section.

    A text does not begin with a blank line then, and keeps its way to end.
    """
    text = statements.text
    if text.endswith("\n\n", 0, start) and text[start:end].lstrip().startswith("["):
        start -= 1
    if start == 0 and text.startswith("\n", end):
        end += 1
    if end == len(text) and start and not text.endswith("\n"):
        start -= 1
    return _Splice(start, end, "")


def _without_inline(text: str, table: Path, path: Path) -> str:
    """The text without what an inline table says below a path."""
    while True:
        statements = Statements(_plain(text))
        inside = [pair for pair in statements.pairs if pair.above == table]
        gone = [n for n, pair in enumerate(inside) if pair.path[: len(path)] == path]
        if not gone:
            return text
        number = gone[0]
        if len(inside) == 1:
            span = statements.spans[table]
            piece = _Splice(span.value_start, span.value_end, "{}")
        elif number:
            piece = _Splice(inside[number - 1].end, inside[number].end, "")
        else:
            piece = _Splice(inside[0].start, inside[1].start, "")
        text = _apply(text, [piece])


def _plain(text: str) -> str:
    return text.removeprefix(MARK).replace("\r\n", "\n")


def _apply(text: str, pieces: list[_Splice]) -> str:
    """The text with pieces replaced that were found in its plain form; new lines end as the first one does."""
    mark = MARK if text.startswith(MARK) else ""
    bare = text.removeprefix(MARK)
    first = bare.find("\n")
    newline = "\r\n" if first > 0 and bare[first - 1] == "\r" else "\n"
    if "\r" in bare:
        places = [at for at in range(len(bare)) if not bare.startswith("\r\n", at)] + [len(bare)]
        pieces = [
            _Splice(_before_return(bare, places[start]), _before_return(bare, places[end]), new)
            for start, end, new in pieces
        ]
    for start, end, new in sorted(pieces, reverse=True):
        bare = bare[:start] + new.replace("\n", newline) + bare[end:]
    return mark + bare


def _before_return(text: str, at: int) -> int:
    """The offset of a line end that has two characters is that of the first."""
    return at - 1 if text.startswith("\r\n", at - 1) and at else at


_BARE = re.compile(r"[A-Za-z0-9_-]+")
_HEADER_OR_COMMENT = ("[", "#", " ", "\t")
