"""The declared shape of themes and configs as JSON Schema (draft 2020-12), for editors."""

from __future__ import annotations

from typing import Any

from ohud.theme import shape

DRAFT = "https://json-schema.org/draft/2020-12/schema"

# Tables that stand in more than one place are written once.
_SHARED = (
    ("segment", shape.SEGMENT),
    ("segments", shape.SEGMENTS),
    ("icon", shape.ICON),
    ("level", shape.LEVEL),
)


def theme_schema() -> dict[str, Any]:
    """The schema of a theme file."""
    return _document("ohud theme", "What a status line shows and how: a theme of ohud.", shape.THEME)


def config_schema() -> dict[str, Any]:
    """The schema of config.toml: everything that a theme may hold, and what concerns one machine."""
    return _document("ohud config", "The config of ohud: which theme, changes to it, and this machine.", shape.CONFIG)


def _document(title: str, description: str, table: shape.Table) -> dict[str, Any]:
    return {
        "$schema": DRAFT,
        "title": title,
        "description": description,
        **_type(table),
        "$defs": {name: _type(kind, inline=True) for name, kind in _SHARED},
    }


def _key(key: shape.Key) -> dict[str, Any]:
    described: dict[str, Any] = {"description": key.sentence + (f" Unit: {key.unit}." if key.unit else "")}
    described.update(_type(key.type))
    if key.default is not None:
        described["default"] = key.default
    if key.examples:
        described["examples"] = list(key.examples)
    return described


def _type(kind: shape.Type, inline: bool = False) -> dict[str, Any]:
    for name, shared in _SHARED:
        if kind is shared and not inline:
            return {"$ref": f"#/$defs/{name}"}
    match kind:
        case shape.Text():
            return _text(kind)
        case shape.Integer(least=least, most=most):
            return {"type": "integer", "minimum": least, "maximum": most}
        case shape.Number(least=least, most=most):
            limits = {"minimum": least, "maximum": most}
            return {"type": "number", **{word: bound for word, bound in limits.items() if bound is not None}}
        case shape.Boolean():
            return {"type": "boolean"}
        case shape.Array(item=item, longest=longest, least=least):
            bounds = {"minItems": least} if least else {}
            return {"type": "array", "items": _type(item), "maxItems": longest, **bounds}
        case shape.Union(options=options):
            return {"anyOf": [_type(option) for option in options]}
        case shape.Table():
            return _table(kind)


def _text(kind: shape.Text) -> dict[str, Any]:
    if kind.choices:
        return {"enum": list(kind.choices)}
    text: dict[str, Any] = {"type": "string", "maxLength": kind.longest}
    if kind.pattern:
        text["pattern"] = f"^(?:{kind.pattern})$"
    elif not kind.lines:
        text["pattern"] = r"^[^\n\t]*$"
    return text


def _table(table: shape.Table) -> dict[str, Any]:
    described: dict[str, Any] = {"type": "object"}
    if table.keys:
        described["properties"] = {key.name: _key(key) for key in table.keys}
        needed = [key.name for key in table.keys if key.needed]
        if needed:
            described["required"] = needed
    if table.names is not None and table.entry is not None:
        described["propertyNames"] = _text(table.names)
        if table is shape.SEGMENTS:
            described["propertyNames"]["not"] = {"enum": sorted(shape.RESERVED)}
        described["additionalProperties"] = _type(table.entry)
        described["maxProperties"] = table.longest
    else:
        described["additionalProperties"] = False
    return described
