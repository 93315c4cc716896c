"""The functions of JMESPath, loaded when an expression calls one."""

from ohud.run.expression import LONGEST, pay, run, weigh
from ohud.run.fault import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_NUMBER = (int, float)
_TEXT = (str,)
_TYPES: "dict[str, tuple[type, ...]]" = {
    "number": _NUMBER,
    "text": _TEXT,
    "array": (list,),
    "object": (dict,),
    "array or text": (list, str),
    "array, object or text": (list, dict, str),
    "array of numbers": (list,),
    "array of texts": (list,),
    "array of numbers or of texts": (list,),
}
_ELEMENTS: "dict[str, tuple[tuple[type, ...], ...]]" = {
    "array of numbers": (_NUMBER,),
    "array of texts": (_TEXT,),
    "array of numbers or of texts": (_NUMBER, _TEXT),
}


def _kind(value: "Any") -> str:
    kind = type(value)
    if kind is str:
        return "text"
    if kind is int or kind is float:
        return "number"
    if kind is list:
        return "array"
    if kind is dict:
        return "object"
    return "boolean" if kind is bool else "null"


def _check(name: str, argument: "Any", kind: str, meter: "list[int]") -> None:
    if type(argument) not in _TYPES[kind]:
        raise Fault(f"`{name}` takes {kind}, not {_kind(argument)}")
    if kind in _ELEMENTS and argument:
        pay(meter, len(argument))
        for group in _ELEMENTS[kind]:
            if type(argument[0]) in group:
                break
        for item in argument:
            if type(item) not in group:
                raise Fault(f"`{name}` takes {kind}, not an array with {_kind(item)}")


def _bounded(number: "Any") -> "Any":
    if type(number) is int:
        return number if -(2**63) <= number < 2**63 else None
    return number if number - number == 0 else None


def call(name: str, given: "list[Any]", meter: "list[int]") -> "Any":
    """
    The value of a function for arguments that are worked out; an expression reference is a node.

    Errors:  Fault for an argument of another type than the function takes
    """
    function, takes = FUNCTIONS[name]
    for argument, kind in zip(given, takes, strict=False):
        if kind in _TYPES:
            _check(name, argument, kind, meter)
    return function(meter, *given)


def _abs(meter: "list[int]", number: "Any") -> "Any":
    return _bounded(abs(number))


def _avg(meter: "list[int]", numbers: "list[Any]") -> "Any":
    return _bounded(sum(numbers) / len(numbers)) if numbers else None


def _ceil(meter: "list[int]", number: "Any") -> "Any":
    return _bounded(-int(-number // 1))


def _contains(meter: "list[int]", subject: "Any", search: "Any") -> bool:
    if type(subject) is str:
        if type(search) is not str:
            raise Fault(f"`contains` looks for a text in a text, not for {_kind(search)}")
        pay(meter, len(subject) >> 5)
        return search in subject
    each = 1
    if type(search) is list or type(search) is dict:
        each += meter[0] - weigh(search, meter[0])
    pay(meter, each * len(subject))
    return search in subject


def _ends_with(meter: "list[int]", text: str, end: str) -> bool:
    return text.endswith(end)


def _floor(meter: "list[int]", number: "Any") -> "Any":
    return _bounded(int(number // 1))


def _join(meter: "list[int]", glue: str, texts: "list[str]") -> str:
    if sum([len(text) for text in texts]) + len(glue) * len(texts) > LONGEST + len(glue):
        raise Fault("`join` builds a text that is too long")
    pay(meter, len(glue) * len(texts) >> 6)
    return glue.join(texts)


def _keys(meter: "list[int]", value: "dict[str, Any]") -> "list[str]":
    pay(meter, len(value))
    return list(value)


def _length(meter: "list[int]", value: "Any") -> int:
    return len(value)


def _map(meter: "list[int]", body: "list[Any]", items: "list[Any]") -> "list[Any]":
    return [run(body, item, meter) for item in items]


def _max(meter: "list[int]", items: "list[Any]") -> "Any":
    return max(items) if items else None


def _max_by(meter: "list[int]", items: "list[Any]", body: "list[Any]") -> "Any":
    keys = _sort_keys("max_by", meter, items, body)
    return items[max(range(len(items)), key=keys.__getitem__)] if items else None


def _merge(meter: "list[int]", *objects: "Any") -> "dict[str, Any]":
    merged: dict[str, Any] = {}
    for value in objects:
        _check("merge", value, "object", meter)
        pay(meter, len(value))
        merged.update(value)
    return merged


def _min(meter: "list[int]", items: "list[Any]") -> "Any":
    return min(items) if items else None


def _min_by(meter: "list[int]", items: "list[Any]", body: "list[Any]") -> "Any":
    keys = _sort_keys("min_by", meter, items, body)
    return items[min(range(len(items)), key=keys.__getitem__)] if items else None


def _not_null(meter: "list[int]", *values: "Any") -> "Any":
    for value in values:
        if value is not None:
            return value
    return None


def _reverse(meter: "list[int]", value: "Any") -> "Any":
    pay(meter, len(value) if type(value) is list else len(value) >> 6)
    return value[::-1]


def _sort(meter: "list[int]", items: "list[Any]") -> "list[Any]":
    return sorted(items)


def _sort_by(meter: "list[int]", items: "list[Any]", body: "list[Any]") -> "list[Any]":
    keys = _sort_keys("sort_by", meter, items, body)
    return [items[place] for place in sorted(range(len(items)), key=keys.__getitem__)]


def _sort_keys(name: str, meter: "list[int]", items: "list[Any]", body: "list[Any]") -> "list[Any]":
    keys = [run(body, item, meter) for item in items]
    kinds = [_kind(key) for key in keys]
    for kind in kinds:
        if kind != kinds[0] or kind not in ("number", "text"):
            raise Fault(f"`{name}` orders by numbers or by texts, not by {kind}")
    return keys


def _starts_with(meter: "list[int]", text: str, start: str) -> bool:
    return text.startswith(start)


def _sum(meter: "list[int]", numbers: "list[Any]") -> "Any":
    return _bounded(sum(numbers))


def _to_array(meter: "list[int]", value: "Any") -> "list[Any]":
    return value if type(value) is list else [value]


def _to_number(meter: "list[int]", value: "Any") -> "Any":
    if type(value) is not str:
        return value if type(value) is int or type(value) is float else None
    if not value.isascii() or "_" in value:
        return None
    for read in (int, float):
        try:
            return _bounded(read(value))
        except ValueError:
            pass
    return None


def _to_string(meter: "list[int]", value: "Any") -> str:
    if type(value) is str:
        return value
    try:
        from _json import encode_basestring_ascii as quote
    except ImportError:
        from json.encoder import encode_basestring_ascii as quote
    pieces: list[str] = []
    _encode(value, pieces, meter, quote)
    text = "".join(pieces)
    if len(text) > LONGEST:
        raise Fault("`to_string` builds a text that is too long")
    return text


def _encode(value: "Any", pieces: "list[str]", meter: "list[int]", quote: "Callable[[str], str]") -> None:
    # The text of json.dumps(value, separators=(",", ":")); fuel bounds it while it grows.
    kind = type(value)
    if kind is list or kind is dict:
        pay(meter, 1)
        ends = "[]" if kind is list else "{}"
        mark = ends[0]
        for item in value:
            pieces.append(mark)
            mark = ","
            if kind is dict:
                _encode(item, pieces, meter, quote)
                pieces.append(":")
                item = value[item]
            _encode(item, pieces, meter, quote)
        pieces.append(ends[1] if value else ends)
        return
    if kind is str:
        piece = quote(value)
    elif kind is bool or value is None:
        piece = "true" if value else "null" if value is None else "false"
    else:
        piece = repr(value)
    pay(meter, 1 + len(piece) // 64)
    pieces.append(piece)


def _type(meter: "list[int]", value: "Any") -> str:
    kind = _kind(value)
    return "string" if kind == "text" else kind


def _value_list(meter: "list[int]", value: "dict[str, Any]") -> "list[Any]":
    pay(meter, len(value))
    return list(value.values())


# Name -> function, and what it takes: "&" is an expression reference, "..." any number of further arguments.
FUNCTIONS: "dict[str, tuple[Callable[..., Any], tuple[str, ...]]]" = {
    "abs": (_abs, ("number",)),
    "avg": (_avg, ("array of numbers",)),
    "ceil": (_ceil, ("number",)),
    "contains": (_contains, ("array or text", "any")),
    "ends_with": (_ends_with, ("text", "text")),
    "floor": (_floor, ("number",)),
    "join": (_join, ("text", "array of texts")),
    "keys": (_keys, ("object",)),
    "length": (_length, ("array, object or text",)),
    "map": (_map, ("&", "array")),
    "max": (_max, ("array of numbers or of texts",)),
    "max_by": (_max_by, ("array", "&")),
    "merge": (_merge, ("object", "...")),
    "min": (_min, ("array of numbers or of texts",)),
    "min_by": (_min_by, ("array", "&")),
    "not_null": (_not_null, ("any", "...")),
    "reverse": (_reverse, ("array or text",)),
    "sort": (_sort, ("array of numbers or of texts",)),
    "sort_by": (_sort_by, ("array", "&")),
    "starts_with": (_starts_with, ("text", "text")),
    "sum": (_sum, ("array of numbers",)),
    "to_array": (_to_array, ("any",)),
    "to_number": (_to_number, ("any",)),
    "to_string": (_to_string, ("any",)),
    "type": (_type, ("any",)),
    "values": (_value_list, ("object",)),
}
