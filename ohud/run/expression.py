"""
The JMESPath interpreter: walks a lowered expression with fuel, and bounds operands before each operation.

A node is a list that begins with its word:

    ["get", [key or index, ...]]      ["at"]                        ["lit", value]
    ["then", [node, ...]]             ["list", [node, ...]]         ["dict", [[key, node], ...]]
    ["each", base, body]              ["values", base, body]        ["where", base, body, condition]
    ["flat", base]                    ["slice", from, to, step]     ["call", name, [node or ["ref", node], ...]]
    ["or", a, b]  ["and", a, b]  ["not", a]                         ["eq" | "ne" | "lt" | "lte" | "gt" | "gte", a, b]

Meaning: that of jmespath 1.1.0, but numbers stay finite and within 64 bits (else null), `to_number` reads ASCII without
underscores, and `merge` takes objects only. `theme/expressions.py` writes these nodes; a node from a damaged cache is a
Fault at worst.
"""

from ohud.run.fault import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

LONGEST = 8192
LARGEST = 10000


def evaluate(ir: "list[Any]", document: "Any", fuel: int = 5000) -> "Any":
    """
    The JSON value of a lowered expression over a document.

    Takes:   fuel: one unit a node visited, one an element built or compared
    Returns: a JSON value of at most 10,000 nodes (or a part of the document, as it is); its lists may be shared, so
             nobody may change it
    Errors:  Fault when an operand has the wrong type, the work is too much, or the nodes are damaged
    """
    try:
        if ir[0] == "get":
            return _get(ir[1], document)
        result = _run(ir, document, [fuel])
        if type(result) is list or type(result) is dict:
            _weigh(result, LARGEST)
        return result
    except (AttributeError, ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise Fault("the expression cannot be evaluated") from error


def _get(path: "list[str | int]", value: "Any") -> "Any":
    for key in path:
        if type(value) is dict:
            value = value.get(key)
        elif type(value) is list and type(key) is int and -len(value) <= key < len(value):
            value = value[key]
        else:
            return None
    return value


def _run(node: "list[Any]", value: "Any", meter: "list[int]") -> "Any":
    _pay(meter, 1)
    if node[0] == "get":
        return _get(node[1], value)
    return _STEPS[node[0]](node, value, meter)


def _pay(meter: "list[int]", units: int) -> None:
    meter[0] -= units
    if meter[0] < 0:
        raise Fault("the expression does too much work")


def _weigh(value: "Any", most: int) -> int:
    # A shared list counts each time it is reached: what is small here may be huge to whoever walks it.
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if type(item) is dict:
            item = list(item.values())
        if type(item) is list:
            most -= len(item)
            if most < 0:
                raise Fault("the value is too large")
            waiting.extend(item)
    return most


def _is_false(value: "Any") -> bool:
    return not value and type(value) is not int and type(value) is not float


def _at(node: "list[Any]", value: "Any", meter: "list[int]") -> "Any":
    return value


def _lit(node: "list[Any]", value: "Any", meter: "list[int]") -> "Any":
    return node[1]


def _then(node: "list[Any]", value: "Any", meter: "list[int]") -> "Any":
    for step in node[1]:
        value = _run(step, value, meter)
    return value


def _or(node: "list[Any]", value: "Any", meter: "list[int]") -> "Any":
    left = _run(node[1], value, meter)
    return _run(node[2], value, meter) if _is_false(left) else left


def _and(node: "list[Any]", value: "Any", meter: "list[int]") -> "Any":
    left = _run(node[1], value, meter)
    return left if _is_false(left) else _run(node[2], value, meter)


def _not(node: "list[Any]", value: "Any", meter: "list[int]") -> bool:
    return _is_false(_run(node[1], value, meter))


def _eq(node: "list[Any]", value: "Any", meter: "list[int]") -> bool:
    left = _run(node[1], value, meter)
    right = _run(node[2], value, meter)
    if (type(left) is bool) != (type(right) is bool):
        return False
    if type(left) is type(right) and (type(left) is list or type(left) is dict):
        meter[0] = _weigh(left, meter[0])
    return bool(left == right)


def _ne(node: "list[Any]", value: "Any", meter: "list[int]") -> bool:
    return not _eq(node, value, meter)


def _order(node: "list[Any]", value: "Any", meter: "list[int]") -> bool | None:
    left = _run(node[1], value, meter)
    right = _run(node[2], value, meter)
    one, two = type(left), type(right)
    if (one in _NUMBER and two in _NUMBER) or (one is str and two is str):
        word = node[0]
        if word == "lt":
            return bool(left < right)
        if word == "lte":
            return bool(left <= right)
        return bool(left > right) if word == "gt" else bool(left >= right)
    if (one is str and two in _NUMBER) or (one in _NUMBER and two is str):
        raise Fault("a number cannot be compared with a text")
    return None


def _list(node: "list[Any]", value: "Any", meter: "list[int]") -> "list[Any] | None":
    if value is None:
        return None
    return [_run(item, value, meter) for item in node[1]]


def _dict(node: "list[Any]", value: "Any", meter: "list[int]") -> "dict[str, Any] | None":
    if value is None:
        return None
    return {key: _run(item, value, meter) for key, item in node[1]}


def _project(items: "Iterable[Any]", body: "list[Any]", meter: "list[int]") -> "list[Any]":
    results = [_run(body, item, meter) for item in items]
    return [result for result in results if result is not None]


def _each(node: "list[Any]", value: "Any", meter: "list[int]") -> "list[Any] | None":
    base = _run(node[1], value, meter)
    return _project(base, node[2], meter) if type(base) is list else None


def _values(node: "list[Any]", value: "Any", meter: "list[int]") -> "list[Any] | None":
    base = _run(node[1], value, meter)
    return _project(base.values(), node[2], meter) if type(base) is dict else None


def _where(node: "list[Any]", value: "Any", meter: "list[int]") -> "list[Any] | None":
    base = _run(node[1], value, meter)
    if type(base) is not list:
        return None
    return _project([item for item in base if not _is_false(_run(node[3], item, meter))], node[2], meter)


def _flat(node: "list[Any]", value: "Any", meter: "list[int]") -> "list[Any] | None":
    base = _run(node[1], value, meter)
    if type(base) is not list:
        return None
    merged: list[Any] = []
    for item in base:
        if type(item) is list:
            _pay(meter, len(item))
            merged.extend(item)
        else:
            _pay(meter, 1)
            merged.append(item)
    return merged


def _slice(node: "list[Any]", value: "Any", meter: "list[int]") -> "list[Any] | None":
    if type(value) is not list:
        return None
    part = slice(node[1], node[2], node[3])
    _pay(meter, len(range(*part.indices(len(value)))))
    return value[part]


def _call(node: "list[Any]", value: "Any", meter: "list[int]") -> "Any":
    name = node[1]
    function, takes = FUNCTIONS[name]
    given = [child[1] if child[0] == "ref" else _run(child, value, meter) for child in node[2]]
    for argument, kind in zip(given, takes, strict=False):
        if kind in _TYPES:
            _check(name, argument, kind, meter)
    return function(meter, *given)


_STEPS: "dict[str, Callable[[list[Any], Any, list[int]], Any]]" = {
    "at": _at,
    "lit": _lit,
    "then": _then,
    "or": _or,
    "and": _and,
    "not": _not,
    "eq": _eq,
    "ne": _ne,
    "lt": _order,
    "lte": _order,
    "gt": _order,
    "gte": _order,
    "list": _list,
    "dict": _dict,
    "each": _each,
    "values": _values,
    "where": _where,
    "flat": _flat,
    "slice": _slice,
    "call": _call,
}

# What a kind of argument is made of: its own types, and for lists the types of the elements (all of one group).
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
        _pay(meter, len(argument))
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
        return search in subject
    each = 1
    if type(search) is list or type(search) is dict:
        each += meter[0] - _weigh(search, meter[0])
    _pay(meter, each * len(subject))
    return search in subject


def _ends_with(meter: "list[int]", text: str, end: str) -> bool:
    return text.endswith(end)


def _floor(meter: "list[int]", number: "Any") -> "Any":
    return _bounded(int(number // 1))


def _join(meter: "list[int]", glue: str, texts: "list[str]") -> str:
    if sum([len(text) for text in texts]) + len(glue) * len(texts) > LONGEST + len(glue):
        raise Fault("`join` builds a text that is too long")
    return glue.join(texts)


def _keys(meter: "list[int]", value: "dict[str, Any]") -> "list[str]":
    _pay(meter, len(value))
    return list(value)


def _length(meter: "list[int]", value: "Any") -> int:
    return len(value)


def _map(meter: "list[int]", body: "list[Any]", items: "list[Any]") -> "list[Any]":
    return [_run(body, item, meter) for item in items]


def _max(meter: "list[int]", items: "list[Any]") -> "Any":
    return max(items) if items else None


def _max_by(meter: "list[int]", items: "list[Any]", body: "list[Any]") -> "Any":
    keys = _sort_keys("max_by", meter, items, body)
    return items[max(range(len(items)), key=keys.__getitem__)] if items else None


def _merge(meter: "list[int]", *objects: "Any") -> "dict[str, Any]":
    merged: dict[str, Any] = {}
    for value in objects:
        _check("merge", value, "object", meter)
        _pay(meter, len(value))
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
    if type(value) is list:
        _pay(meter, len(value))
    return value[::-1]


def _sort(meter: "list[int]", items: "list[Any]") -> "list[Any]":
    return sorted(items)


def _sort_by(meter: "list[int]", items: "list[Any]", body: "list[Any]") -> "list[Any]":
    keys = _sort_keys("sort_by", meter, items, body)
    return [items[place] for place in sorted(range(len(items)), key=keys.__getitem__)]


def _sort_keys(name: str, meter: "list[int]", items: "list[Any]", body: "list[Any]") -> "list[Any]":
    keys = [_run(body, item, meter) for item in items]
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
        _pay(meter, 1)
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
    _pay(meter, 1 + len(piece) // 64)
    pieces.append(piece)


def _type(meter: "list[int]", value: "Any") -> str:
    kind = _kind(value)
    return "string" if kind == "text" else kind


def _value_list(meter: "list[int]", value: "dict[str, Any]") -> "list[Any]":
    _pay(meter, len(value))
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
