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
_NUMBER = (int, float)


def evaluate(ir: "list[Any]", document: "Any", fuel: int = 5000, pool: "list[int] | None" = None) -> "Any":
    """
    The JSON value of a lowered expression over a document.

    Takes:   fuel: one unit a node visited, one an element built or compared; pool: what all expressions of a render
             may use together, made smaller by what this one does
    Returns: a JSON value of at most 10,000 nodes (or a part of the document, as it is); its lists may be shared, so
             nobody may change it
    Errors:  Fault when an operand has the wrong type, the work is too much, or the nodes are damaged
    """
    try:
        if ir[0] == "get":
            return _get(ir[1], document)
        meter = [fuel if pool is None else min(fuel, pool[0])]
        given = meter[0]
        try:
            result = run(ir, document, meter)
        finally:
            if pool is not None:
                pool[0] -= given - max(0, meter[0])
        if type(result) is list or type(result) is dict:
            weigh(result, LARGEST)
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


def run(node: "list[Any]", value: "Any", meter: "list[int]") -> "Any":
    """The value of one node; meter: a list that holds the fuel left. Errors: as `evaluate`, uncaught."""
    pay(meter, 1)
    if node[0] == "get":
        return _get(node[1], value)
    return _STEPS[node[0]](node, value, meter)


def pay(meter: "list[int]", units: int) -> None:
    """Takes fuel for work before it is done. Errors: Fault when there is too little."""
    meter[0] -= units
    if meter[0] < 0:
        raise Fault("the expression does too much work")


def weigh(value: "Any", most: int) -> int:
    """What is left of `most` after every value in it has been counted. Errors: Fault when that is not enough."""
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


def is_false(value: "Any") -> bool:
    """JMESPath's false: null, false and what is empty, but not 0."""
    return not value and type(value) is not int and type(value) is not float


def _at(node: "list[Any]", value: "Any", meter: "list[int]") -> "Any":
    return value


def _lit(node: "list[Any]", value: "Any", meter: "list[int]") -> "Any":
    return node[1]


def _then(node: "list[Any]", value: "Any", meter: "list[int]") -> "Any":
    for step in node[1]:
        value = run(step, value, meter)
    return value


def _or(node: "list[Any]", value: "Any", meter: "list[int]") -> "Any":
    left = run(node[1], value, meter)
    return run(node[2], value, meter) if is_false(left) else left


def _and(node: "list[Any]", value: "Any", meter: "list[int]") -> "Any":
    left = run(node[1], value, meter)
    return left if is_false(left) else run(node[2], value, meter)


def _not(node: "list[Any]", value: "Any", meter: "list[int]") -> bool:
    return is_false(run(node[1], value, meter))


def _eq(node: "list[Any]", value: "Any", meter: "list[int]") -> bool:
    left = run(node[1], value, meter)
    right = run(node[2], value, meter)
    if (type(left) is bool) != (type(right) is bool):
        return False
    if type(left) is type(right) and (type(left) is list or type(left) is dict):
        meter[0] = weigh(left, meter[0])
    return bool(left == right)


def _ne(node: "list[Any]", value: "Any", meter: "list[int]") -> bool:
    return not _eq(node, value, meter)


def _order(node: "list[Any]", value: "Any", meter: "list[int]") -> bool | None:
    left = run(node[1], value, meter)
    right = run(node[2], value, meter)
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
    return [run(item, value, meter) for item in node[1]]


def _dict(node: "list[Any]", value: "Any", meter: "list[int]") -> "dict[str, Any] | None":
    if value is None:
        return None
    return {key: run(item, value, meter) for key, item in node[1]}


def _project(items: "Iterable[Any]", body: "list[Any]", meter: "list[int]") -> "list[Any]":
    results = [run(body, item, meter) for item in items]
    return [result for result in results if result is not None]


def _each(node: "list[Any]", value: "Any", meter: "list[int]") -> "list[Any] | None":
    base = run(node[1], value, meter)
    return _project(base, node[2], meter) if type(base) is list else None


def _values(node: "list[Any]", value: "Any", meter: "list[int]") -> "list[Any] | None":
    base = run(node[1], value, meter)
    return _project(base.values(), node[2], meter) if type(base) is dict else None


def _where(node: "list[Any]", value: "Any", meter: "list[int]") -> "list[Any] | None":
    base = run(node[1], value, meter)
    if type(base) is not list:
        return None
    return _project([item for item in base if not is_false(run(node[3], item, meter))], node[2], meter)


def _flat(node: "list[Any]", value: "Any", meter: "list[int]") -> "list[Any] | None":
    base = run(node[1], value, meter)
    if type(base) is not list:
        return None
    merged: list[Any] = []
    for item in base:
        if type(item) is list:
            pay(meter, len(item))
            merged.extend(item)
        else:
            pay(meter, 1)
            merged.append(item)
    return merged


def _slice(node: "list[Any]", value: "Any", meter: "list[int]") -> "list[Any] | None":
    if type(value) is not list:
        return None
    part = slice(node[1], node[2], node[3])
    pay(meter, len(range(*part.indices(len(value)))))
    return value[part]


def _call(node: "list[Any]", value: "Any", meter: "list[int]") -> "Any":
    from ohud.run.functions import call

    given = [child[1] if child[0] == "ref" else run(child, value, meter) for child in node[2]]
    return call(node[1], given, meter)


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
