"""Keys of the config as a person types them: a dotted name to its declaration, a word to a value of its type."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ohud.errors import nearest, quote
from ohud.theme import shape
from ohud.theme.edit import Path, dotted


class Misnamed(Exception):
    """Something that is no key of the config: why, and what to do about it."""

    def __init__(self, reason: str, help: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.help = help


@dataclass(frozen=True, slots=True)
class Declared:
    """
    A key that the config may have.

    Takes:  path: keys from the top down; kind: the type; sentence, default, unit: as declared, of a key whose name the
            user chooses those of its table, without the default
    """

    path: Path
    kind: shape.Type
    sentence: str
    default: object = None
    unit: str | None = None

    @property
    def name(self) -> str:
        """The key as it is typed."""
        return dotted(self.path)


def find(text: str, also: Iterable[str] = ()) -> Declared:
    """
    The declaration of a key of the config.

    Takes:   text: dotted, parts in quotes as in TOML; a part with dots in it need not be in quotes where it has only
             one reading (`prices.qwen3.5.input`); also: dotted keys that a misspelt one may be meant to be
    Errors:  Misnamed, with the nearest key that there is
    """
    first: Misnamed | None = None
    for path in readings(text):
        try:
            return _find(path, [*also])
        except Misnamed as fault:
            first = first or fault
    assert first is not None
    raise first


def split(text: str) -> list[tuple[str, bool]]:
    """
    The parts of a dotted key, and whether each was in quotes.

    Errors:  Misnamed
    """
    parts: list[tuple[str, bool]] = []
    at = 0
    while True:
        found = _PART.match(text, at)
        if found is None:
            break
        parts.append((_name(found[1], text), found[1][0] in "\"'"))
        at = found.end()
        if at == len(text):
            return parts
        if text[at] != "." or len(parts) == _PARTS:
            break
        at += 1
    raise Misnamed(f"{quote(text)} is not a key", "write names joined by dots, `options.show_cost`; odd ones in quotes")


def typed(kind: shape.Type, text: str, plain: bool = False) -> object:
    """
    The value that a word on the command line stands for.

    Takes:   text: TOML, or bare text where the type is text; plain: it is text, whatever it looks like
    Returns: a value of the type where the word can be read so, else what it is at first sight
    """
    if plain:
        return text
    value = _toml(text)
    if value is None or (not shape.fits(kind, value) and shape.fits(kind, text)):
        return text
    return value


def known() -> list[tuple[str, shape.Key]]:
    """Every declared key that is set as one value by its dotted name, NAME where the user chooses one."""
    rows = list(shape.rows(shape.CONFIG))
    lists = tuple(name + "." for name, key in rows if isinstance(key.type, shape.Array))
    return [(name, key) for name, key in rows if not _holds_keys(key.type) and not name.startswith(lists)]


def _holds_keys(kind: shape.Type) -> bool:
    return isinstance(kind, shape.Table) and bool(kind.keys or isinstance(kind.entry, shape.Table))


def _find(path: Path, also: list[str]) -> Declared:
    found = Declared((), shape.CONFIG, "The config.")
    for number, name in enumerate(path):
        here = path[: number + 1]
        inner = _table(found.kind)
        if inner is None:
            raise Misnamed(f"{quote(found.name)} has no keys in it: it is {shape.describe(found.kind)}")
        key = inner.key(name)
        if key is not None:
            found = Declared(here, key.type, key.sentence, key.default, key.unit)
        elif inner.entry is not None and inner.names is not None:
            _check_name(inner.names, name, here)
            found = Declared(here, inner.entry, found.sentence)
        else:
            raise _unknown(inner, path, number, also)
    return found


def _table(kind: shape.Type) -> shape.Table | None:
    if isinstance(kind, shape.Union):
        return next((table for option in kind.options if (table := _table(option)) is not None), None)
    return kind if isinstance(kind, shape.Table) else None


def _check_name(names: shape.Text, name: str, path: Path) -> None:
    if len(name) > names.longest or not re.fullmatch(names.pattern or r"(?s).+", name):
        help = f"allowed: {names.rule}" if names.rule else None
        raise Misnamed(f"{quote(name)} cannot be a name in {quote(dotted(path[:-1]))}", help)


def _unknown(table: shape.Table, path: Path, number: int, also: list[str]) -> Misnamed:
    """A key that is not there, with the one that was meant: of this name elsewhere, or nearly so here or elsewhere."""
    rows = [*also, *(row for row, _ in shape.rows(shape.CONFIG))]
    ends = {row.rpartition(".")[2]: row for row in reversed(rows)} if number == 0 else {}
    close = nearest(path[number], [key.name for key in table.keys])
    same = ends.get(path[-1]) if len(path) == 1 else None
    # One near at hand comes before one of the same name in some table of the user's own.
    if same is not None and (close is None or ".NAME." not in same):
        meant: str | None = same
    elif close is not None:
        meant = dotted((*path[:number], close, *path[number + 1 :]))
    else:
        end = nearest(path[-1], ends)
        meant = ends[end] if end and len(path) == 1 else nearest(dotted(path), rows)
    help = f"did you mean `{meant}`?" if meant else "`ohud config list --all` names them all"
    return Misnamed(f"unknown key {quote(dotted(path[: number + 1]))}", help)


def readings(text: str) -> Iterator[Path]:
    """
    The ways to read a dotted key: as it is, and with neighbours that are not in quotes joined to one name.

    Errors:  Misnamed
    """
    parts = split(text)
    yield tuple(name for name, _ in parts)
    for length in range(2, min(len(parts), _JOINED) + 1):
        for start in range(1, len(parts) - length + 1):
            joined = parts[start : start + length]
            if not any(quoted for _, quoted in joined):
                names = [name for name, _ in parts]
                yield (*names[:start], ".".join(names[start : start + length]), *names[start + length :])


def _name(raw: str, text: str) -> str:
    if raw[0] not in "\"'":
        return raw.strip()
    try:
        return str(tomllib.loads(f"x = {raw}")["x"])
    except ValueError:
        raise Misnamed(f"{quote(text)} is not a key: {quote(raw)} is not a text in quotes") from None


def _toml(text: str) -> object:
    """A TOML value; None when the text is none."""
    try:
        data = tomllib.loads(f"x = {text}")
    except (ValueError, RecursionError):
        return None
    value: object = data["x"]
    return value if len(data) == 1 else None


_PART = re.compile(r"""[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^.="'\n]*[^.="'\n \t])[ \t]*""")
_PARTS = 32  # of a key: none has more than ten
_JOINED = 8  # parts of one name without quotes
