"""
The catalogue of computed fields, read from the sources of `fields/`.

A file is a family, a public function a field, its docstring the field's description; nothing is registered anywhere
else. The sources are parsed, not imported, so the answer does not depend on what a family needs to run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType

TYPES = ("str", "int", "number", "bool", "object", "list")

_HEAD = re.compile(r"(Takes|Reads|Returns|Keys|Errors|Source|Cost):[ \t]*(.*)", re.DOTALL)
_KEY = re.compile(r"(NAME|[a-z_][a-z0-9_]*): +(.*)", re.DOTALL)
_UNIT = re.compile(r"\[([^\]]+)\]")


@dataclass(frozen=True, slots=True)
class FieldDoc:
    """
    One computed field, or one key of a field that is an object.

    Takes:  type: one of TYPES; unit: as written between brackets, such as "%", "s", "tokens"; nullable: whether the
            value can be None; returns: the whole head; reads: where the value comes from; cost: "cheap", or "slow" for
            what starts a program or asks another process; keys: of an object, in the order of the docstring
    """

    summary: str
    type: str
    unit: str | None = None
    nullable: bool = True
    returns: str = ""
    reads: str | None = None
    errors: str | None = None
    source: str | None = None
    cost: str = "cheap"
    keys: Mapping[str, FieldDoc] = field(default_factory=lambda: MappingProxyType({}))


def catalogue() -> dict[str, dict[str, FieldDoc]]:
    """
    Every computed field by family, families in the order of their names, fields in that of their file.

    Returns:  {family: {field: FieldDoc}}; a family that is one value has one field, of its own name
    Errors:   ValueError for a field whose docstring does not describe it
    """
    return {family: dict(fields) for family, fields in _catalogue().items()}


def families() -> list[str]:
    """The names of the families, in order."""
    return list(_catalogue())


def is_value(family: str) -> bool:
    """Whether the family is one value, as `computed.effort`, and no object of fields."""
    return list(_catalogue().get(family, ())) == [family]


def is_open(family: str) -> bool:
    """Whether the family is one object whose keys the config names, as `computed.commands`: its only key is `NAME`."""
    return is_value(family) and list(_catalogue()[family][family].keys) == ["NAME"]


@cache
def _catalogue() -> dict[str, dict[str, FieldDoc]]:
    folder = Path(__file__).resolve().parent.parent / "fields"
    found: dict[str, dict[str, FieldDoc]] = {}
    for path in sorted(folder.glob("*.py")):
        if not path.stem.startswith("_"):
            fields = described(path.read_text(encoding="utf-8"), path.stem)
            if fields:
                found[path.stem] = fields
    return found


def described(text: str, family: str) -> dict[str, FieldDoc]:
    """
    The fields of one family.

    Takes:   text: its source
    Errors:  ValueError for a field whose docstring does not describe it
    """
    fields = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            try:
                fields[node.name] = _parse(ast.get_docstring(node) or "")
            except ValueError as fault:
                raise ValueError(f"{family}.{node.name}: {fault}") from None
    return fields


def _parse(docstring: str) -> FieldDoc:
    summary, heads = _split(docstring)
    if not summary:
        raise ValueError("the docstring has no first line")
    if "Returns" not in heads:
        raise ValueError("the docstring has no head `Returns:`")
    if "Errors" not in heads:
        raise ValueError("the docstring has no head `Errors:`")
    returns = heads["Returns"]
    kind, unit, nullable = _typed(returns)
    cost = heads.get("Cost", "cheap")
    if cost not in ("cheap", "slow"):
        raise ValueError(f"`Cost:` is `cheap` or `slow`, not `{cost}`")
    keys = _keys(heads["Keys"]) if "Keys" in heads else {}
    if (kind == "object") != bool(keys):
        raise ValueError("an object, and nothing else, has a head `Keys:`")
    return FieldDoc(
        summary=summary,
        type=kind,
        unit=unit,
        nullable=nullable,
        returns=_joined(returns),
        reads=_joined(heads["Reads"]) if "Reads" in heads else None,
        errors=_joined(heads["Errors"]),
        source=_joined(heads["Source"]) if "Source" in heads else None,
        cost=cost,
        keys=MappingProxyType(keys),
    )


def _split(docstring: str) -> tuple[str, dict[str, str]]:
    """The text before the first head, and each head's text with its lines."""
    summary: list[str] = []
    heads: dict[str, str] = {}
    name = None
    for line in docstring.splitlines():
        found = _HEAD.match(line)
        if found:
            name = found[1]
            heads[name] = found[2].strip()
        elif name is not None:
            heads[name] += "\n" + line.strip()
        else:
            summary.append(line.strip())
    return " ".join(line for line in summary if line), {name: text.strip() for name, text in heads.items()}


def _typed(text: str) -> tuple[str, str | None, bool]:
    """Type, unit and whether None is possible, of a text such as `number 0..100 [%]; None before the first answer`."""
    kind = re.split(r"[ ;,\n]", text, maxsplit=1)[0]
    if kind not in TYPES:
        raise ValueError(f"the type `{kind}` is none of {', '.join(TYPES)}")
    unit = _UNIT.search(text.partition(";")[0])
    return kind, unit[1] if unit else None, re.search(r"\bNone\b", text) is not None


def _keys(text: str) -> dict[str, FieldDoc]:
    keys: dict[str, FieldDoc] = {}
    for line in text.splitlines():
        found = _KEY.fullmatch(line)
        if found is None:
            raise ValueError(f"`{line}` is no key of the form `name: type [unit]; what it is`")
        kind, unit, _ = _typed(found[2])
        summary = found[2].partition(";")[2].strip()
        if not summary:
            raise ValueError(f"the key `{found[1]}` says nothing behind its type")
        keys[found[1]] = FieldDoc(summary, kind, unit, True, found[2])
    return keys


def _joined(text: str) -> str:
    return " ".join(text.split())
