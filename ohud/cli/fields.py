"""`ohud fields`: every field that a theme can show, of the payload and computed, with its value in a payload."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from ohud.cli import DONE, NO, parser
from ohud.cli.drawing import COLORS, paints, terminal_columns, tinted
from ohud.cli.explanation import shortened
from ohud.cli.output import as_json, told
from ohud.cli.subject import add_subject, subject, world_of
from ohud.errors import count, nearest, quote
from ohud.host.facts import FACTS
from ohud.run import status
from ohud.run.cells import ellipsis, width
from ohud.run.payload import parse
from ohud.run.program import load
from ohud.run.world import World
from ohud.theme import fieldset

_NEW = 200  # unknown fields that are listed at most
_NARROWEST, _WIDEST = 60, 140  # cells of a line
_NOTHING = object()


@dataclass(frozen=True, slots=True)
class Field:
    """
    One field.

    Takes:  kind: payload, computed, or new (in the payload, and in no table); since: the first host version known to
            send it, as `ohud.host.facts` writes it; sentence: what it is, None for a new one; known: words that hosts
            are known to send; reads: where a computed one comes from
    """

    path: str
    kind: str
    type: str
    unit: str | None = None
    since: str | None = None
    sentence: str | None = None
    known: tuple[str, ...] = ()
    slow: bool = False
    reads: str | None = None


def run(words: list[str]) -> int:
    """Lists the fields that match; 1 when none does."""
    asked = _arguments(words)
    world = World()
    moment = subject(asked, "fields")
    payload = parse(moment.raw) if moment.raw is not None else None
    if payload is None:
        print(f"ohud fields: {moment.name} is no JSON object of at most 256 KiB: no values", file=sys.stderr)
    fields = [field for field in _all(payload or {}) if _wanted(field, asked)]
    columns = terminal_columns(world)
    document = _document(payload or {}, fields, world_of(moment, columns), world)
    if not fields:
        return _none(asked.pattern)
    if asked.json:
        print(as_json([_plain(field, document) for field in fields]))
    else:
        _print(fields, document, moment.name, columns, paints(asked.color, world))
    return DONE


def _arguments(words: list[str]) -> Namespace:
    reader = parser("fields")
    add = reader.add_argument
    add("pattern", nargs="?", metavar="PATTERN", help="only paths with this in them; with `*` or `?`: like this")
    add_subject(reader)
    some = reader.add_mutually_exclusive_group()
    some.add_argument("--payload-only", action="store_true", help="only what Claude Code sends")
    some.add_argument("--computed-only", action="store_true", help="only what ohud works out")
    add("--color", choices=COLORS, default="auto", help="how many colours (default: auto)")
    add("--json", action="store_true", help="as JSON, for programs")
    return reader.parse_args(words)


# -- which -------------------------------------------------------------------------------------------------------------


def _all(payload: dict[str, Any]) -> Iterator[Field]:
    """Every field: of the tables, then those of the payload that are in none, then the computed ones."""
    for fact in FACTS:
        kinds = " or ".join(fact.types)
        yield Field(fact.path, "payload", kinds, fact.unit, fact.since, fact.note, fact.known)
    known = {fact.path for fact in FACTS}
    # A table of words that hosts choose: its keys are no fields of their own.
    free = {fact.path for fact in FACTS if "object" in fact.types} - {path.rpartition(".")[0] for path in known}
    for number, (path, value) in enumerate(_paths(payload, known, free)):
        if number < _NEW:
            yield Field(path, "new", _type(value))
    yield from _computed()


def _computed() -> Iterator[Field]:
    for family, docs in fieldset.catalogue().items():
        for name, doc in docs.items():
            path = f"computed.{family}" if fieldset.is_value(family) else f"computed.{family}.{name}"
            slow = doc.cost == "slow"
            made = Field(path, "computed", _JSON[doc.type], doc.unit, None, doc.summary, slow=slow, reads=doc.reads)
            yield made
            for key, inner in doc.keys.items():
                kind = _JSON[inner.type]
                yield Field(
                    f"{path}.{key}", "computed", kind, inner.unit, None, inner.summary, slow=slow, reads=doc.reads
                )


# The types of the catalogue as JSON calls them.
_JSON = dict(zip(fieldset.TYPES, ("string", "integer", "number", "boolean", "object", "array"), strict=True))


def _paths(value: Any, known: Iterable[str], free: Iterable[str], above: str = "") -> Iterator[tuple[str, Any]]:
    """Every path of a payload that is in no table, with its value, in the order of the payload."""
    if above in free:
        return
    inside: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        inside = [
            (f"{above}.{key}" if above else key, each) for key, each in value.items() if above or key != "computed"
        ]
    elif isinstance(value, list) and value:
        inside = [(above + "[]", value[0])]
    for path, each in inside:
        if path not in known and not isinstance(value, list):
            yield path, each
        yield from _paths(each, known, free, path)


def _type(value: Any) -> str:
    """The JSON type of a value."""
    if isinstance(value, bool):
        return "boolean"
    return {dict: "object", list: "array", str: "string", int: "integer", float: "number"}.get(type(value), "null")


def _wanted(field: Field, asked: Namespace) -> bool:
    if (asked.payload_only and field.kind == "computed") or (asked.computed_only and field.kind != "computed"):
        return False
    if asked.pattern is None:
        return True
    pattern, path = asked.pattern.lower(), field.path.lower()
    if "*" in pattern or "?" in pattern:
        return fnmatchcase(path, pattern.replace("[", "[[]"))
    return pattern in path


def _none(pattern: str) -> int:
    print(f"ohud fields: no field has {quote(pattern)} in its path", file=sys.stderr)
    parts = dict.fromkeys(part for field in _all({}) for part in (*field.path.split("."), field.path))
    close = nearest(pattern, parts)
    print("help: " + (f"did you mean `{close}`?" if close else "ohud fields"), file=sys.stderr)
    return NO


# -- their values ------------------------------------------------------------------------------------------------------


def _document(payload: dict[str, Any], fields: list[Field], world: World, here: World) -> dict[str, Any]:
    """The document that themes see, with the computed fields that are listed."""
    program = load(here)
    world.configure(program["settings"], program["color"], program["columns"])
    document = status.begin(payload, world)
    needs: dict[str, list[str] | bool] = {}
    for field in fields:
        _, family, *rest = [*field.path.split("."), ""] if field.kind == "computed" else ["", ""]
        if not family or family not in fieldset.families():
            continue
        if fieldset.is_value(family):
            needs[family] = True
        else:
            names = needs.setdefault(family, [])
            if isinstance(names, list) and rest[0] not in names:
                names.append(rest[0])
    faults: list[str] = []
    status.compute(document, needs, world, faults)
    for fault in faults:
        print(f"ohud fields: {told(fault)}", file=sys.stderr)
    return document


def _value(path: str, document: Any) -> Any:
    """What stands at a path, of a list its first element; `_NOTHING` when nothing does."""
    value = document
    for part in path.replace("[]", ".[]").split("."):
        if part == "[]" and isinstance(value, list) and value:
            value = value[0]
        elif part != "[]" and isinstance(value, dict) and part in value:
            value = value[part]
        else:
            return _NOTHING
    return value


# -- telling -----------------------------------------------------------------------------------------------------------

_HEADS = {
    "payload": "from Claude Code, as it sends them",
    "new": "new: in this payload, and in no table of this version",
    "computed": "worked out by ohud",
}


def _print(fields: list[Field], document: dict[str, Any], name: str, columns: int, coloured: bool) -> None:
    """Two lines a field: path, type and value; then what it is."""
    room = max(_NARROWEST, min(columns, _WIDEST))
    kind = None
    for field in fields:
        if field.kind != kind:
            number = sum(other.kind == field.kind for other in fields)
            print("\n" * (kind is not None) + tinted(f"{_HEADS[field.kind]} ({number})", "1", coloured))
            kind = field.kind
        for line in _lines(field, document, room, coloured):
            print(line)
    print()
    print(tinted(f"{count(len(fields), 'field')}, the values are those of {name}", "2", coloured))


def _lines(field: Field, document: dict[str, Any], room: int, coloured: bool) -> Iterator[str]:
    value = _value(field.path, document)
    said = "" if value is _NOTHING else shortened(value, max(room // 2, room - width(field.path) - 3))
    path = told(field.path)
    if width(path) + width(said) + 3 > room:
        path = ellipsis(path, room - width(said) - 3)
    gap = " " * max(1, room - width(path) - width(said))
    tone = "35" if field.kind == "new" else "36"
    yield (
        tinted(path, tone, coloured) + (gap + tinted(said, "0" if value is not None else "2", coloured) if said else "")
    )
    traits = [field.type + (f" [{field.unit}]" if field.unit else "")]
    if field.since:
        traits.append(_since(field.since))
    if field.slow:
        traits.append("slow")
    head = ", ".join(traits)
    rest = f": {field.sentence.rstrip('.')}" if field.sentence else ""
    if field.known:
        rest += "; " + ", ".join(field.known)
    for line in _filled(head + rest, room - 4):
        yield "    " + tinted(line, "2", coloured)


def _since(since: str) -> str:
    """The first version in words: `<=` was seen there first, `~` is of one outside table only."""
    if since.startswith("<="):
        return f"since {since[2:].strip()} or before"
    return f"since about {since[1:].strip()}" if since.startswith("~") else f"since {since}"


def _filled(text: str, room: int) -> Iterator[str]:
    """The words of a text in lines of so many cells."""
    line = ""
    for word in text.split():
        if line and width(line + " " + word) > room:
            yield line
            line = word
        else:
            line += (" " if line else "") + word
    yield ellipsis(line, room)


def _plain(field: Field, document: dict[str, Any]) -> dict[str, Any]:
    """One field as plain data; `present` tells a null from a field that is not there."""
    value = _value(field.path, document)
    return {
        "path": field.path,
        "kind": field.kind,
        "type": field.type,
        "unit": field.unit,
        "since": field.since,
        "sentence": field.sentence,
        "known": list(field.known),
        "slow": field.slow,
        "reads": field.reads,
        "present": value is not _NOTHING,
        "value": None if value is _NOTHING else value,
    }
