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
