"""The interpreter of lowered templates: fuel for each step, every operand bounded before it is worked on."""

from ohud.run.fault import Fault, Spent
from ohud.run.measures import MEASURES
from ohud.run.style import STYLE_FILTERS, gradient, heat
from ohud.run.value import (
    INTEGER_LIMIT,
    LIST_LIMIT,
    TESTS,
    TEXT_LIMIT,
    UNDEFINED,
    Segment,
    labour,
    opened,
    printed,
    weigh,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ohud.run.style import Sheet

    Scope = dict[str, Any]
    Node = Any

__all__ = ["FUEL", "UNDEFINED", "Context", "Segment", "printed", "render"]

FUEL = 20_000
OUTPUT_LIMIT = 16_384
_TURN_LIMIT = 1000
_CALL_LIMIT = 16
_FAULT_LIMIT = 20

# colours that go by a number
SCALES: "dict[str, Callable[..., str]]" = {"gradient": gradient, "heat": heat}


class Context:
    """What one refresh gives to all its templates: the world they may see, and what is left of their budgets."""

    __slots__ = ("budget", "calls", "faults", "fuel", "home", "now", "palette", "segment", "sheet", "terminal")

    def __init__(
        self,
        sheet: "Sheet",
        now: float,
        home: "str | None",
        terminal: "dict[str, Any]",
        palette: "dict[str, str]",
        segment: "Callable[[str], Segment]",
        fuel: int = FUEL,
    ) -> None:
        self.sheet = sheet
        self.now = now
        self.home = home
        self.terminal = terminal
        self.palette = palette
        self.segment = segment
        self.fuel = fuel
        self.budget = 4 * OUTPUT_LIMIT
        self.calls = 0
        self.faults: list[str] = []

    def spend(self, steps: int) -> None:
        """Takes steps off the fuel. Errors: Spent."""
        self.fuel -= steps
        if self.fuel < 0:
            raise Spent("the template takes too many steps")

    def note(self, fault: Exception) -> None:
        """Keeps the reason why a statement was left out."""
        if len(self.faults) < _FAULT_LIMIT:
            reason = str(fault) if isinstance(fault, Fault) else type(fault).__name__ + ": " + str(fault)
            self.faults.append(reason[:200])


class _Frame:
    """The variables of the template or of one macro call, and what it has written so far."""

    __slots__ = ("captured", "context", "out", "outer", "scope", "slots")

    def __init__(self, size: int, outer: "_Frame | None", context: Context, scope: "Scope") -> None:
        self.slots: list[Any] = [UNDEFINED] * size
        self.outer = outer
        self.context = context
        self.scope = scope
        self.out: list[str] = []
        self.captured = ""

    def write(self, text: str) -> None:
        """Adds text to what is written. Errors: Spent."""
        context = self.context
        context.budget -= len(text)
        if context.budget < 0:
            raise Spent("the template writes too much")
        self.out.append(text)


class _Macro:
    """A macro, and the frame in which it was defined."""

    __slots__ = ("frame", "node")

    def __init__(self, node: "Node", frame: _Frame) -> None:
        self.node = node
        self.frame = frame


class _Loop:
    """A running loop: its items and the index of the one it is at."""

    __slots__ = ("at", "items")

    def __init__(self, items: "list[Any]") -> None:
        self.items = items
        self.at = 0


def render(ir: "Node", scope: "Scope", context: Context) -> str:
    """
    The marked text of a lowered template.

    Takes:    ir: [slots, enter, body] as theme/templates.py makes it; scope: plain names and their values
    Returns:  text with style markers, at most 16,384 characters
    Errors:   Spent when fuel or output budget are used up; a fault in a statement leaves that statement out
    """
    try:
        size, enter, body = ir
        frame = _Frame(min(int(size), 4000), None, context, scope)
        _enter(enter, frame)
        _run(body, frame)
    except Spent:
        raise
    except Exception as fault:
        # a program from a damaged cache
        raise Spent("the program of the template is damaged") from fault
    text = "".join(frame.out)
    if len(text) > OUTPUT_LIMIT:
        raise Spent("the template writes too much")
    return text


def _run(body: "list[Node]", frame: _Frame) -> None:
    for node in body:
        if isinstance(node, str):
            frame.write(node)
            continue
        try:
            handler = _STATEMENTS.get(node[0])
            if handler is None:
                frame.write(printed(_value(node, frame)))
            else:
                frame.context.spend(1)
                handler(node, frame)
        except Spent:
            raise
        except Exception as fault:
            frame.context.note(fault)


def _enter(initial: "list[Node]", frame: _Frame) -> None:
    """Sets the variables of a scope as it is entered: [slot] undefined, [slot, node] that value."""
    if len(initial) > 15:
        frame.context.spend(len(initial) >> 4)
    for entry in initial:
        frame.slots[entry[0]] = _attempt(entry[1], frame, UNDEFINED) if len(entry) > 1 else UNDEFINED


def _attempt(node: "Node", frame: _Frame, instead: "Any") -> "Any":
    """The value of an expression, or another when it fails."""
    try:
        return _value(node, frame)
    except Spent:
        raise
    except Exception as fault:
        frame.context.note(fault)
        return instead


def _value(node: "Node", frame: _Frame) -> "Any":
    if not isinstance(node, list):
        return node
    context = frame.context
    context.fuel -= 1
    if context.fuel < 0:
        raise Spent("the template takes too many steps")
    return _EXPRESSIONS[node[0]](node, frame)


def _true(value: "Any") -> bool:
    if isinstance(value, Segment):
        return value.visible and value.value is not False
    return bool(value)


def _assign(target: "Node", value: "Any", frame: _Frame) -> None:
    if isinstance(target, int):
        frame.slots[target] = value
        return
    items = _items(value)
    if len(items) != len(target):
        raise Fault("%d names cannot take %d values" % (len(target), len(items)))
    frame.context.spend(len(target) >> 3)
    for part, item in zip(target, items, strict=True):
        _assign(part, item, frame)


def _items(value: "Any") -> "Any":
    """What a loop goes over: items, keys or characters; a segment's value where that is a list or object."""
    if isinstance(value, Segment):
        value = value.value if isinstance(value.value, (list, dict, tuple)) else printed(value)
    if value is None:
        return ()
    if not isinstance(value, (list, tuple, str, dict)) and value is not UNDEFINED:
        raise Fault("there is nothing to go over")
    return value


# Statements


def _if(node: "Node", frame: _Frame) -> None:
    for test, body in node[1]:
        if _true(_attempt(test, frame, False)):
            _run(body, frame)
            return
    _run(node[2], frame)


def _for(node: "Node", frame: _Frame) -> None:
    _, target, source, test, slot, enter, body, enter_else, otherwise = node
    values = _items(_attempt(source, frame, ()))
    if len(values) > _TURN_LIMIT:
        raise Fault("a loop goes over more than %d items" % _TURN_LIMIT)
    items = list(values) if test is None else _kept(target, test, values, frame)
    loop = _Loop(items)
    spend = frame.context.spend
    for at, item in enumerate(items):
        spend(1)
        _enter(enter, frame)
        _assign(target, item, frame)
        if slot is not None:
            loop.at = at
            frame.slots[slot] = loop
        _run(body, frame)
    if not items and otherwise:
        _enter(enter_else, frame)
        _run(otherwise, frame)


def _kept(target: "Node", test: "Node", values: "Any", frame: _Frame) -> "list[Any]":
    _enter(test[0], frame)
    items = []
    for item in values:
        frame.context.spend(1)
        _assign(target, item, frame)
        if _true(_attempt(test[1], frame, False)):
            items.append(item)
    return items


def _set(node: "Node", frame: _Frame) -> None:
    _, target, source = node
    try:
        _assign(target, _value(source, frame), frame)
    except Spent:
        raise
    except Exception:
        _forget(target, frame)
        raise


def _forget(target: "Node", frame: _Frame) -> None:
    if isinstance(target, int):
        frame.slots[target] = UNDEFINED
    else:
        for part in target:
            _forget(part, frame)


def _set_block(node: "Node", frame: _Frame) -> None:
    _, target, enter, body, result = node
    try:
        _enter(enter, frame)
        text = _captured(body, frame)
        if result is not None:
            frame.captured = text
            text = _value(result, frame)
        _assign(target, text, frame)
    except Spent:
        raise
    except Exception:
        _forget(target, frame)
        raise


def _captured(body: "list[Node]", frame: _Frame) -> str:
    outside, frame.out = frame.out, []
    try:
        _run(body, frame)
        text = "".join(frame.out)
    finally:
        frame.out = outside
    if len(text) > TEXT_LIMIT:
        raise Fault("a text is longer than %d characters" % TEXT_LIMIT)
    return text


def _with(node: "Node", frame: _Frame) -> None:
    _, enter, pairs, body = node
    frame.context.spend(len(pairs) >> 1)
    _enter(enter, frame)
    for target, source in pairs:
        try:
            _set((None, target, source), frame)
        except Spent:
            raise
        except Exception as fault:
            frame.context.note(fault)
    _run(body, frame)


def _define(node: "Node", frame: _Frame) -> None:
    frame.slots[node[1]] = _Macro(node, frame)


_STATEMENTS: "dict[str, Callable[[Node, _Frame], None]]" = {
    "if": _if,
    "for": _for,
    "set": _set,
    "block": _set_block,
    "with": _with,
    "macro": _define,
}


# Expressions


def _get(node: "Node", frame: _Frame) -> "Any":
    return frame.slots[node[1]]


def _get_outer(node: "Node", frame: _Frame) -> "Any":
    for _ in range(node[2]):
        frame = frame.outer  # type: ignore[assignment]
    return frame.slots[node[1]]


def _name(node: "Node", frame: _Frame) -> "Any":
    return frame.scope.get(node[1], UNDEFINED)


def _segment(node: "Node", frame: _Frame) -> "Any":
    return frame.context.segment(node[1])


def _undefined(node: "Node", frame: _Frame) -> "Any":
    return UNDEFINED


def _fault(node: "Node", frame: _Frame) -> "Any":
    raise Fault(node[1])


def _captured_text(node: "Node", frame: _Frame) -> "Any":
    return frame.captured


def _attribute(node: "Node", frame: _Frame) -> "Any":
    value = _value(node[1], frame)
    name = node[2]
    if isinstance(value, Segment):
        if name == "value":
            return value.value
        if name == "visible":
            return value.visible
        if name == "text":
            return printed(value)
        value = value.value
    return value.get(name, UNDEFINED) if isinstance(value, dict) else UNDEFINED


def _item(node: "Node", frame: _Frame) -> "Any":
    value = opened(_value(node[1], frame))
    key = opened(_value(node[2], frame))
    if isinstance(value, dict):
        return value.get(key, UNDEFINED) if not isinstance(key, (list, tuple, dict)) else UNDEFINED
    if isinstance(value, (str, list, tuple)) and isinstance(key, int):
        try:
            return value[key]
        except IndexError:
            pass
    return UNDEFINED


def _part(node: "Node", frame: _Frame) -> "Any":
    value = opened(_value(node[1], frame))
    start, stop, step = [opened(_value(bound, frame)) for bound in node[2:5]]
    if value is UNDEFINED:
        return value
    if not isinstance(value, (str, list, tuple)):
        raise Fault("only texts and lists can be sliced")
    part = value[start:stop:step]
    frame.context.spend(len(part) >> 7)
    return part


def _loop(node: "Node", frame: _Frame) -> "Any":
    loop = _value(node[1], frame)
    if not isinstance(loop, _Loop):
        return UNDEFINED
    at, items = loop.at, loop.items
    name = node[2]
    if name == "index":
        return at + 1
    if name == "index0":
        return at
    if name == "first":
        return at == 0
    if name == "last":
        return at == len(items) - 1
    if name == "length":
        return len(items)
    if name == "revindex":
        return len(items) - at
    if name == "revindex0":
        return len(items) - at - 1
    if name == "previtem":
        return items[at - 1] if at else UNDEFINED
    if name == "nextitem":
        return items[at + 1] if at + 1 < len(items) else UNDEFINED
    raise Fault("a loop has no " + name)


def _list(node: "Node", frame: _Frame) -> "Any":
    frame.context.spend(len(node[1]) >> 3)
    return [_value(item, frame) for item in node[1]]


def _tuple(node: "Node", frame: _Frame) -> "Any":
    return tuple(_list(node, frame))


def _dict(node: "Node", frame: _Frame) -> "Any":
    found = {}
    frame.context.spend(len(node[1]) >> 2)
    for key, value in node[1]:
        name = opened(_value(key, frame))
        if isinstance(name, (list, dict, tuple)):
            raise Fault("a key is a text, a number, a boolean or none")
        found[name] = _value(value, frame)
    return found


def _arithmetic(node: "Node", frame: _Frame) -> "Any":
    operator = node[0]
    left = opened(_value(node[1], frame))
    right = opened(_value(node[2], frame))
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return _checked(_calculated(operator, left, right))
    if operator == "+" and isinstance(left, (str, list, tuple)) and isinstance(right, type(left)):
        _check_size(left, len(left) + len(right), frame)
        return left + right  # type: ignore[operator]
    if operator == "*":
        if isinstance(left, int):
            left, right = right, left
        if isinstance(left, (str, list, tuple)) and isinstance(right, int):
            _check_size(left, len(left) * right, frame)
            return left * right
    raise Fault("`%s` cannot be applied to these values" % operator)


def _calculated(operator: str, left: "int | float", right: "int | float") -> "int | float":
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    if right == 0:
        raise Fault("division by zero")
    if operator == "/":
        return left / right
    return left // right if operator == "//" else left % right


def _checked(number: "int | float") -> "int | float":
    if isinstance(number, int):
        if -INTEGER_LIMIT <= number < INTEGER_LIMIT:
            return number
        raise Fault("a number is beyond 64 bits")
    if -1e309 < number < 1e309:
        return number
    raise Fault("a number is not finite")


def _check_size(value: "Any", size: int, frame: _Frame) -> None:
    if size > (TEXT_LIMIT if isinstance(value, str) else LIST_LIMIT):
        raise Fault("a text or list grows too long")
    if size > 0:
        frame.context.spend(size >> 7)


def _negative(node: "Node", frame: _Frame) -> "Any":
    return _checked(-_operand(node[1], frame))


def _positive(node: "Node", frame: _Frame) -> "Any":
    return +_operand(node[1], frame)


def _operand(node: "Node", frame: _Frame) -> "int | float":
    value = opened(_value(node, frame))
    if not isinstance(value, (int, float)):
        raise Fault("a number is needed here")
    return value


def _joined(node: "Node", frame: _Frame) -> "Any":
    texts = [printed(part) for part in _list(node, frame)]
    _check_size("", sum(map(len, texts)), frame)
    return "".join(texts)


def _and(node: "Node", frame: _Frame) -> "Any":
    left = _value(node[1], frame)
    return _value(node[2], frame) if _true(left) else left


def _or(node: "Node", frame: _Frame) -> "Any":
    left = _value(node[1], frame)
    return left if _true(left) else _value(node[2], frame)


def _not(node: "Node", frame: _Frame) -> "Any":
    return not _true(_value(node[1], frame))


def _either(node: "Node", frame: _Frame) -> "Any":
    return _value(node[2] if _true(_value(node[1], frame)) else node[3], frame)


def _compared(node: "Node", frame: _Frame) -> "Any":
    left = opened(_value(node[1], frame))
    if len(node[2]) > 1:
        frame.context.spend(len(node[2]) >> 1)
    for operator, other in node[2]:
        right = opened(_value(other, frame))
        if not _holds(operator, left, right, frame):
            return False
        left = right
    return True


def _holds(operator: str, left: "Any", right: "Any", frame: _Frame) -> bool:
    many = isinstance(left, (list, dict, tuple))
    if operator == "in" or operator == "notin":
        if many:
            if isinstance(right, dict):
                raise Fault("a key is a text, a number, a boolean or none")
            frame.context.spend(weigh(left) + weigh(right) >> 2)
        elif isinstance(right, str):
            frame.context.spend(len(right) >> 4)
        elif isinstance(right, (list, tuple)):
            # a long text may be compared to its end with each of them
            frame.context.spend(len(right) * (1 + (len(left) >> 10 if isinstance(left, str) else 0)) >> 3)
        return (left in right) is (operator == "in")
    if many and isinstance(right, (list, dict, tuple)):
        frame.context.spend(weigh(left) + weigh(right) >> 2)
    if operator == "eq":
        return bool(left == right)
    if operator == "ne":
        return bool(left != right)
    if operator == "lt":
        return bool(left < right)
    if operator == "gt":
        return bool(left > right)
    if operator == "lteq":
        return bool(left <= right)
    if operator == "gteq":
        return bool(left >= right)
    raise Fault("there is no operator " + operator)


def _filtered(node: "Node", frame: _Frame) -> "Any":
    name = node[1]
    value = _value(node[2], frame)
    context = frame.context
    style = STYLE_FILTERS.get(name) or SCALES.get(name)
    # `reverse` is a style for text and an order for lists.
    if style is not None and not (name == "reverse" and isinstance(opened(value), (list, dict, tuple))):
        text = printed(value)
        if not text:
            return ""
        arguments, named = _arguments(node, frame)
        # styles in the text are counted, words and colours of the arguments are looked up
        cost = len(text) >> 4
        if arguments:
            cost += sum([len(a) for a in arguments if isinstance(a, str)]) >> 2
        if cost:
            context.spend(cost)
        if name in SCALES:
            return style(context.sheet, text, opened(value), *arguments, **named)
        return style(context.sheet, text, *arguments, **named)
    found = MEASURES.get(name)
    if found is None:
        from ohud.run.filters import FILTERS

        found = FILTERS[name]
    kind, function = found
    if kind == "any":
        return function(value, *[_value(n, frame) for n in node[3]], **{k: _value(n, frame) for k, n in node[4]})
    if value is None or value is UNDEFINED or (isinstance(value, Segment) and not value.visible):
        return ""
    raw = opened(value)
    if kind == "list" or kind == "order":
        value = printed(value) if raw is not value and not isinstance(raw, (list, dict, tuple)) else raw
        if isinstance(value, (str, list, dict, tuple)):
            context.spend(labour(value) >> 2 if kind == "order" else len(value) >> 3)
    elif kind == "text" or kind == "context text":
        value = printed(value)
        if len(value) > 15:
            context.spend(len(value) >> 4)
    elif kind == "cells":
        value = printed(value)
        # outside ASCII the width of each character is looked up
        context.spend(len(value) >> 4 if value.isascii() else len(value))
    elif raw is None:
        return ""
    else:
        value = raw
        if isinstance(value, (list, tuple)):
            context.spend(min(len(value), 200) >> 1)
    arguments, named = _arguments(node, frame)
    if kind == "text" and arguments:
        context.spend(sum([len(a) for a in arguments if isinstance(a, str)]) >> 4)
    if kind[:7] == "context":
        value = function(context, value, *arguments, **named)
    else:
        value = function(value, *arguments, **named)
    if isinstance(value, str):
        if len(value) > TEXT_LIMIT:
            raise Fault("a text is longer than %d characters" % TEXT_LIMIT)
        if len(value) > 31:
            context.spend(len(value) >> 5)
    elif name == "batch" or name == "slice":
        context.spend(len(value) + sum(map(len, value)) >> 1)
    return value


def _arguments(node: "Node", frame: _Frame) -> "tuple[list[Any], dict[str, Any]]":
    """The arguments of a filter, test or function; a segment counts as its value."""
    if not node[3] and not node[4]:
        return [], {}
    if len(node[3]) > 4:
        frame.context.spend(len(node[3]) - 1)
    return [opened(_value(n, frame)) for n in node[3]], {name: opened(_value(n, frame)) for name, n in node[4]}


def _tested(node: "Node", frame: _Frame) -> "Any":
    value = _value(node[2], frame)
    if node[1] != "defined" and node[1] != "undefined":
        value = opened(value)
        if isinstance(value, str) and len(value) > 31:
            frame.context.spend(len(value) >> 5)
    arguments, named = _arguments(node, frame)
    return TESTS[node[1]](value, *arguments, **named)


def _called(node: "Node", frame: _Frame) -> "Any":
    _, source, arguments, named = node
    macro = _value(source, frame)
    if not isinstance(macro, _Macro):
        raise Fault("only a macro can be called, and only once it is defined")
    _, _, slots, names, defaults, size, enter, body = macro.node
    if len(arguments) > len(slots):
        raise Fault("a macro is given too many arguments")
    context = frame.context
    context.spend((len(arguments) + len(named) + len(slots) >> 2) + (size >> 4))
    values = [_value(argument, frame) for argument in arguments]
    given = {name: _value(argument, frame) for name, argument in named}
    inner = _Frame(min(int(size), 4000), macro.frame, context, frame.scope)
    missing = []
    for at, slot in enumerate(slots):
        if at < len(values):
            inner.slots[slot] = values[at]
        elif names[at] in given:
            inner.slots[slot] = given.pop(names[at])
        else:
            missing.append(at)
    if given:
        raise Fault("a macro is given an argument that it does not take")
    if context.calls >= _CALL_LIMIT:
        raise Fault("macros call each other more than %d deep" % _CALL_LIMIT)
    context.calls += 1
    try:
        _enter(enter, inner)
        for at in missing:
            default = at - len(slots) + len(defaults)
            if default >= 0:
                inner.slots[slots[at]] = _value(defaults[default], inner)
        return _captured(body, inner)
    finally:
        context.calls -= 1


def _row(node: "Node", frame: _Frame) -> "Any":
    _, _, items, _, named = node
    found: list[tuple[str, int | None]] = []
    frame.context.spend(2 * len(items))
    for item in items:
        value = _value(item, frame)
        if isinstance(value, Segment):
            found.append((printed(value), value.priority))
        else:
            found.append((printed(value), None))
    return frame.context.sheet.row(found, **_options([item[0] for item in found], named, frame))


def _powerline(node: "Node", frame: _Frame) -> "Any":
    _, _, items, _, named = node
    found: list[tuple[str, str | None, int | None]] = []
    frame.context.spend(2 * len(items))
    for item in items:
        value = _value(item, frame)
        if isinstance(value, Segment):
            found.append((value.plain if value.visible else "", value.style, value.priority))
        else:
            found.append((printed(value), None, None))
    return frame.context.sheet.powerline(found, **_options([item[0] for item in found], named, frame))


def _options(texts: "list[str]", named: "list[Node]", frame: _Frame) -> "dict[str, str]":
    """The named arguments of a row, once their text and that of its items is paid for."""
    options = {name: printed(_value(node, frame)) for name, node in named}
    frame.context.spend(sum(map(len, texts)) + sum(map(len, options.values())) >> 3)
    return options


def _fill(node: "Node", frame: _Frame) -> "Any":
    return frame.context.sheet.fill()


_EXPRESSIONS: "dict[str, Callable[[Node, _Frame], Any]]" = {
    "get": _get,
    "outer": _get_outer,
    "name": _name,
    "segment": _segment,
    "undefined": _undefined,
    "fault": _fault,
    "captured": _captured_text,
    ".": _attribute,
    "[]": _item,
    "[:]": _part,
    "loop": _loop,
    "list": _list,
    "tuple": _tuple,
    "dict": _dict,
    "+": _arithmetic,
    "-": _arithmetic,
    "*": _arithmetic,
    "/": _arithmetic,
    "//": _arithmetic,
    "%": _arithmetic,
    "negative": _negative,
    "positive": _positive,
    "~": _joined,
    "and": _and,
    "or": _or,
    "not": _not,
    "either": _either,
    "compare": _compared,
    "|": _filtered,
    "is": _tested,
    "call": _called,
    "row": _row,
    "powerline": _powerline,
    "fill": _fill,
}
