"""What templates work on: JSON values, segments and what is undefined; how they print, and the tests of them."""

from ohud.run.fault import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

TEXT_LIMIT = 8192
LIST_LIMIT = 10_000
INTEGER_LIMIT = 2**63


class Undefined:
    """What a name or key without a value gives: prints nothing, is false, holds nothing."""

    __slots__ = ()

    def __len__(self) -> int:
        return 0

    def __iter__(self) -> "Any":
        return iter(())


UNDEFINED = Undefined()


class Segment:
    """
    A segment as templates see it.

    Takes:  value: raw JSON value; text: what it prints, styled; plain: the same without the segment's own style;
            style: style string or None; priority: what fit drops first is the lowest
    """

    __slots__ = ("plain", "priority", "style", "text", "value", "visible")

    def __init__(
        self, value: "Any", visible: bool, plain: str, text: str, style: "str | None" = None, priority: int = 50
    ) -> None:
        self.value = value
        self.visible = visible
        self.plain = plain
        self.text = text
        self.style = style
        self.priority = priority

    # For lists that hold segments: in, ==, sort, min and unique go by the value.
    def __eq__(self, other: object) -> bool:
        return bool(self.value == opened(other))

    def __lt__(self, other: object) -> bool:
        return bool(self.value < opened(other))

    def __gt__(self, other: object) -> bool:
        return bool(self.value > opened(other))

    def __le__(self, other: object) -> bool:
        return bool(self.value <= opened(other))

    def __ge__(self, other: object) -> bool:
        return bool(self.value >= opened(other))

    def __hash__(self) -> int:
        return hash(self.value)


def opened(value: "Any") -> "Any":
    """The value of a segment; anything else as it is."""
    return value.value if isinstance(value, Segment) else value


def printed(value: "Any") -> str:
    """What a value prints: nothing for null, undefined, lists and objects."""
    if isinstance(value, str):
        return value
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, (int, float)):
        return str(value)
    return value.text if isinstance(value, Segment) and value.visible else ""


def weigh(value: "Any", most: int = LIST_LIMIT) -> int:
    """How many values hang below a list or object, shared ones counted each time; a Fault above `most`."""
    waiting = [value]
    found = 0
    while waiting:
        value = opened(waiting.pop())
        if isinstance(value, (list, tuple)):
            found += len(value)
        elif isinstance(value, dict):
            found += len(value)
            value = value.values()
        else:
            continue
        if found > most:
            raise Fault("a list or object is too large for this")
        waiting.extend(value)
    return found


def labour(value: "Any") -> int:
    """What it takes to compare the items of a list, object or text: values, and the letters of those that are text."""
    if isinstance(value, str):
        return len(value)
    found = weigh(value)
    for items in (value, value.values()) if isinstance(value, dict) else (value,):
        found += sum([len(item) for item in map(opened, items) if isinstance(item, str)]) >> 2
    return found


def number_of(value: "Any") -> "int | float":
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    raise Fault("a number is needed here")


def whole(value: "Any", least: int, most: int) -> int:
    if isinstance(value, int) and least <= value <= most:
        return value
    raise Fault("a whole number from %d to %d is needed here" % (least, most))


def levels(glyphs: "Any") -> int:
    """How many glyphs stand for a number, lowest first. Errors: Fault for what is no such text."""
    if isinstance(glyphs, str) and 2 <= len(glyphs) <= 32:
        return len(glyphs)
    raise Fault("the glyphs are a text of 2 to 32 characters, lowest first")


def bounded(value: "Any") -> "Any":
    if isinstance(value, int) and not -INTEGER_LIMIT <= value < INTEGER_LIMIT:
        raise Fault("a number is beyond 64 bits")
    return value


# Those tests that compare (eq, lt, in, ...) are operators to the compiler


def _remainder(value: "Any", by: "Any") -> "Any":
    if not isinstance(value, (int, float)) or not isinstance(by, (int, float)):
        raise Fault("a number is needed here")
    return value % by


def _same(value: "Any", other: "Any") -> bool:
    if isinstance(value, (list, dict, tuple)):
        return value is other
    return type(value) is type(other) and bool(value == other)


TESTS: "dict[str, Callable[..., bool]]" = {
    "boolean": lambda value: isinstance(value, bool),
    "defined": lambda value: value is not UNDEFINED,
    "divisibleby": lambda value, num: _remainder(value, num) == 0,
    "even": lambda value: _remainder(value, 2) == 0,
    "false": lambda value: value is False,
    "float": lambda value: isinstance(value, float),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "iterable": lambda value: hasattr(value, "__iter__"),
    "lower": lambda value: printed(value).islower(),
    "mapping": lambda value: isinstance(value, dict),
    "none": lambda value: value is None,
    "number": lambda value: isinstance(value, (int, float)),
    "odd": lambda value: _remainder(value, 2) == 1,
    "sameas": _same,
    "sequence": lambda value: isinstance(value, (str, list, tuple, dict, Undefined)),
    "string": lambda value: isinstance(value, str),
    "true": lambda value: value is True,
    "undefined": lambda value: value is UNDEFINED,
    "upper": lambda value: printed(value).isupper(),
}
