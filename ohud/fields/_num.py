"""Typed looks into a payload: the value when it has the right type and range, else None."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BIGGEST = 2**63


def table(payload: "dict[str, Any]", *keys: str) -> "dict[str, Any]":
    """The object at a path of keys; empty when there is none."""
    for key in keys:
        value = payload.get(key)
        if not isinstance(value, dict):
            return {}
        payload = value
    return payload


def text(value: object) -> "str | None":
    """A text that says something, without blanks around it."""
    if not isinstance(value, str):
        return None
    return value.strip() or None


def number(value: object) -> "int | float | None":
    """A finite number within 64 bits; a boolean or a numeric text is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    # NaN compares false with everything.
    return value if -_BIGGEST <= value < _BIGGEST else None


def count(value: object) -> "int | None":
    """A whole number from 0 up."""
    found = number(value)
    if found is None or found < 0 or found != int(found):
        return None
    return int(found)


def tidy(value: "int | float", digits: int = 1) -> "int | float":
    """A number without binary noise: rounded, and an integer where it is whole."""
    if isinstance(value, int):
        return value
    value = round(value, digits)
    return int(value) if value == int(value) else value


def parts(path: str) -> "list[str]":
    """The names along a path; backslashes part them too where the path begins like one of Windows."""
    if path[1:2] == ":" or path[:2] == "\\\\":
        path = path.replace("\\", "/")
    return [part for part in path.split("/") if part]


def model_names(payload: "dict[str, Any]") -> "list[str]":
    """The names that the host gives the model and that say something: its id, then its label."""
    model = payload.get("model")
    named = (model.get("id"), model.get("display_name")) if isinstance(model, dict) else (model,)
    return [name for name in map(text, named) if name]


def is_claude(names: "list[str]") -> bool:
    """
    Whether the names, id first, are of a model of Anthropic's own, whoever serves it.

    Takes:   `claude-opus-4-6`, `us.anthropic.claude-...`, `anthropic/claude-...`, or just the label `Opus 4.6`; never a
             name such as `glm-5:cloud`
    """
    if not names or any(name.endswith(":cloud") for name in names):
        return False
    first = names[0].lower()
    word = first.replace("-", " ").partition(" ")[0]
    return word in ("claude", "opus", "sonnet", "haiku") or "anthropic" in first
