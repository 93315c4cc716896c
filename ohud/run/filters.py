"""Filters and tests of templates: text, numbers and lists, every operand bounded before it is worked on."""

import time

from ohud.run.fault import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ohud.run.template import Context

TEXT_LIMIT = 8192
LIST_LIMIT = 10_000
INTEGER_LIMIT = 2**63
_WIDTH_LIMIT = 1000


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


def _number(value: "Any") -> "int | float":
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    raise Fault("a number is needed here")


def _whole(value: "Any", least: int, most: int) -> int:
    if isinstance(value, int) and least <= value <= most:
        return value
    raise Fault("a whole number from %d to %d is needed here" % (least, most))


def _bounded(value: "Any") -> "Any":
    if isinstance(value, int) and not -INTEGER_LIMIT <= value < INTEGER_LIMIT:
        raise Fault("a number is beyond 64 bits")
    return value


# Text, as Jinja2 has it


def _center(text: str, width: int = 80) -> str:
    return text.center(_whole(width, -_WIDTH_LIMIT, _WIDTH_LIMIT))


def _title(text: str) -> str:
    words = []
    start = True
    for letter in text:
        parts = letter.isspace() or letter in "-({[<"
        words.append(letter if parts else letter.upper() if start else letter.lower())
        start = parts
    return "".join(words)


def _trim(text: str, chars: "str | None" = None) -> str:
    return text.strip(chars)


def _replace(text: str, old: str, new: str, count: "int | None" = None) -> str:
    old = printed(old)
    new = printed(new)
    most = text.count(old)
    if count is None:
        count = -1
    elif 0 <= count < most:
        most = count
    if len(text) + most * (len(new) - len(old)) > TEXT_LIMIT:
        raise Fault("the replaced text is too long")
    return text.replace(old, new, count)


def _truncate(
    text: str, length: int = 255, killwords: bool = False, end: str = "...", leeway: "int | None" = None
) -> str:
    if leeway is None:
        leeway = 5
    length = _whole(length, len(end), TEXT_LIMIT)
    if len(text) <= length + _whole(leeway, 0, TEXT_LIMIT):
        return text
    head = text[: length - len(end)]
    return (head if killwords else head.rsplit(" ", 1)[0]) + end


def _wordcount(text: str) -> int:
    count = 0
    inside = False
    for letter in text:
        word = letter.isalnum() or letter == "_"
        if word and not inside:
            count += 1
        inside = word
    return count


def _string(text: str) -> str:
    return text


def check_format(text: str) -> "str | None":
    """Why a format text cannot be used, None when it can: width to 99, precision to 20, d i f F e g s and %."""
    at = text.find("%")
    while at >= 0:
        at += 1
        while text[at : at + 1] in ("-", "+", " ", "#", "0"):
            at += 1
        for limit in (99, 20):
            start = at
            while "0" <= text[at : at + 1] <= "9":
                at += 1
            if at - start > 2 or int(text[start:at] or 0) > limit:
                return "a width is at most 99 and a precision at most 20"
            if text[at : at + 1] != ".":
                break
            at += 1
        if text[at : at + 1] not in ("d", "i", "f", "F", "e", "g", "s", "%"):
            return "after `%` one of d i f F e g s or % is needed"
        at = text.find("%", at + 1)
    return None


def _format(text: str, *values: "Any") -> str:
    wrong = check_format(text)
    if wrong or len(text) + 100 * text.count("%") > TEXT_LIMIT:
        raise Fault(wrong or "the format is too long")
    shown = tuple(v if isinstance(v, (int, float)) and not isinstance(v, bool) else printed(v) for v in values)
    if len(text) + sum(len(v) for v in shown if isinstance(v, str)) > TEXT_LIMIT:
        raise Fault("the formatted text is too long")
    return text % shown


# Numbers, as Jinja2 has them


def _abs(value: "Any") -> "int | float":
    if not isinstance(value, (int, float)):
        raise Fault("a number is needed here")
    return _bounded(abs(value))  # type: ignore[no-any-return]


def _float(value: "Any", default: float = 0.0) -> float:
    try:
        number = float(value[:400] if isinstance(value, str) else value)
    except (TypeError, ValueError):
        return default
    return number if -1e309 < number < 1e309 else default


def _int(value: "Any", default: int = 0, base: int = 10) -> int:
    if isinstance(value, str) and len(value) > 400:
        return default
    try:
        number = int(value, base) if isinstance(value, str) else int(value)
    except (TypeError, ValueError):
        # "42.23" gives 42
        try:
            number = int(float(value))
        except (TypeError, ValueError, OverflowError):
            return default
    return _bounded(number)  # type: ignore[no-any-return]


def _round(value: "Any", precision: int = 0, method: str = "common") -> "int | float":
    if not isinstance(value, (int, float)):
        raise Fault("a number is needed here")
    precision = _whole(precision, -20, 20)
    if method == "common":
        return _bounded(round(value, precision))  # type: ignore[no-any-return]
    scaled = value * 10**precision
    if method == "ceil":
        return -int(-scaled // 1) / 10**precision  # type: ignore[no-any-return]
    if method == "floor":
        return int(scaled // 1) / 10**precision  # type: ignore[no-any-return]
    raise Fault("the method is common, ceil or floor")


# Lists, as Jinja2 has them; a result that Jinja2 makes lazily is a list here


def _folded(value: "Any") -> "Any":
    return value.lower() if isinstance(value, str) else value


def _batch(value: "Any", linecount: int, fill_with: "Any" = None) -> "list[Any]":
    items = list(value)
    size = _whole(linecount, 1, _WIDTH_LIMIT)
    rows = [items[at : at + size] for at in range(0, len(items), size)]
    if rows and fill_with is not None:
        rows[-1] += [fill_with] * (size - len(rows[-1]))
    return rows


def _slice(value: "Any", slices: int, fill_with: "Any" = None) -> "list[Any]":
    items = list(value)
    size, longer = divmod(len(items), _whole(slices, 1, _WIDTH_LIMIT))
    rows = []
    at = 0
    for number in range(slices):
        end = at + size + (number < longer)
        row = items[at:end]
        if fill_with is not None and number >= longer:
            row.append(fill_with)
        rows.append(row)
        at = end
    return rows


def _default(value: "Any", default_value: "Any" = "", boolean: bool = False) -> "Any":
    if isinstance(value, Segment):
        missing = not value.visible or (boolean and value.value is False)
    else:
        missing = value is None or value is UNDEFINED or (boolean and not value)
    return default_value if missing else value


def _dictsort(value: "Any", case_sensitive: bool = False, by: str = "key", reverse: bool = False) -> "list[Any]":
    if by not in ("key", "value"):
        raise Fault("`by` is key or value")
    at = 0 if by == "key" else 1
    return sorted(
        value.items(), key=lambda item: item[at] if case_sensitive else _folded(item[at]), reverse=bool(reverse)
    )


def _first(value: "Any") -> "Any":
    for item in value:
        return item
    return UNDEFINED


def _last(value: "Any") -> "Any":
    for item in reversed(value):
        return item
    return UNDEFINED


def _items(value: "Any") -> "list[Any]":
    return list(value.items())


def _join(value: "Any", d: "Any" = "") -> str:
    between = printed(d)
    texts = [printed(item) for item in value]
    if sum(map(len, texts)) + len(between) * len(texts) > TEXT_LIMIT:
        raise Fault("the joined text is too long")
    return between.join(texts)


def _list(value: "Any") -> "list[Any]":
    return list(value)


def _key(case_sensitive: bool) -> "Callable[[Any], Any] | None":
    return None if case_sensitive else _folded


def _max(value: "Any", case_sensitive: bool = False) -> "Any":
    return max(value, key=_key(case_sensitive), default=UNDEFINED)


def _min(value: "Any", case_sensitive: bool = False) -> "Any":
    return min(value, key=_key(case_sensitive), default=UNDEFINED)


def _reverse(value: "Any") -> "Any":
    return value[::-1] if isinstance(value, str) else list(reversed(value))


def _sort(value: "Any", reverse: bool = False, case_sensitive: bool = False) -> "list[Any]":
    return sorted(value, key=_key(case_sensitive), reverse=bool(reverse))


def _sum(value: "Any", *, start: "Any" = 0) -> "int | float":
    numbers = [opened(item) for item in value]
    if not all(isinstance(n, (int, float)) for n in (*numbers, start)):
        raise Fault("only numbers can be summed")
    return _bounded(sum(numbers, start))  # type: ignore[no-any-return]


def _unique(value: "Any", case_sensitive: bool = False) -> "list[Any]":
    seen = set()
    found = []
    for item in value:
        key = item if case_sensitive else _folded(item)
        if key not in seen:
            seen.add(key)
            found.append(item)
    return found


# Numbers for people


def _fixed(number: "int | float", digits: int) -> str:
    """Decimals rounded half away from zero, as people expect it of 42.5 and 1.005."""
    scaled = abs(number) * 10**digits
    # a few units in the last place, so that 1.005 counts as a half
    whole = int(scaled + scaled * 1e-15 + 0.5) if isinstance(number, float) else scaled
    text = str(whole).rjust(digits + 1, "0")
    if digits:
        text = text[:-digits] + "." + text[-digits:]
    return "-" + text if number < 0 and whole else text


def _short(number: "int | float", digits: int) -> str:
    text = _fixed(number, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _tokens(value: "Any") -> str:
    number = _number(value)
    size = abs(number)
    if size < 999.5:
        return _fixed(number, 0)
    if size < 999_500:
        return _short(number / 1000, 1 if size < 9950 else 0) + "k"
    return _short(number / 1e6, 1) + "M" if size < 999_950_000 else _short(number / 1e9, 1) + "B"


def _money(value: "Any", digits: "int | None" = None) -> str:
    number = _number(value)
    if digits is None:
        # under a cent the first two decimals would say nothing
        digits = 4 if 0 < abs(number) < 0.005 else 2
    text = _fixed(number, _whole(digits, 0, 6))
    return "-$" + text[1:] if text[0] == "-" else "$" + text


def _percent(value: "Any", digits: int = 0) -> str:
    return _short(_number(value), _whole(digits, 0, 6)) + "%"


def _bytes(value: "Any") -> str:
    number = _number(value)
    if abs(number) < 999.5:
        return _fixed(number, 0) + " B"
    number /= 1000
    for unit in ("kB", "MB", "GB"):
        if abs(number) < 999.95:
            return _fixed(number, 1) + " " + unit
        number /= 1000
    return _fixed(number, 1) + " TB"


def _duration(value: "Any") -> str:
    seconds = max(0, int(_number(value)))
    if seconds < 60:
        return "%ds" % seconds
    hours, minutes = divmod(seconds // 60, 60)
    return ("%dh" % hours if hours else "") + ("%dm" % minutes if minutes else "")


def _countdown(value: "Any") -> str:
    minutes = int(_number(value)) // 60
    if minutes < 1:
        return "<1m"
    days, minutes = divmod(minutes, 1440)
    hours, minutes = divmod(minutes, 60)
    if days:
        return "%dd" % days + ("%dh" % hours if hours else "")
    return ("%dh" % hours if hours else "") + ("%dm" % minutes if minutes else "")


def _clock(context: "Context", value: "Any") -> str:
    try:
        then = time.localtime(_number(value))
        now = time.localtime(context.now)
    except (OverflowError, ValueError, OSError):
        raise Fault("not a time") from None
    text = "%02d:%02d" % (then.tm_hour, then.tm_min)
    if (then.tm_year, then.tm_yday) == (now.tm_year, now.tm_yday):
        return text
    return ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[then.tm_wday] + " " + text


def _ago(context: "Context", value: "Any") -> str:
    seconds = int(context.now - _number(value))
    for size, unit in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= size:
            return "%d%s ago" % (seconds // size, unit)
    return "now"


def _bar(value: "Any", width: int = 10, full: "str | None" = None, empty: "str | None" = None) -> str:
    share = min(100, max(0, _number(value)))
    width = _whole(width, 1, 200)
    track = "░" if empty is None else empty
    eighths = int(share * width * 8 / 100)
    if full is None:
        bar = "█" * (eighths // 8)
        if eighths % 8:
            bar += "▏▎▍▌▋▊▉"[eighths % 8 - 1]
    else:
        bar = full * (eighths // 8)
    if len(full or "x") != 1 or len(track) != 1:
        raise Fault("a bar is drawn with single characters")
    return bar + track * (width - len(bar))


def _blocks(value: "Any") -> str:
    return "▁▂▃▄▅▆▇█"[int(min(100, max(0, _number(value))) * 7 / 100 + 0.5)]


def _spark(value: "Any") -> str:
    numbers = [opened(item) for item in value[-200:]]
    known = [n for n in numbers if n is not None]
    most = max(map(_number, known), default=0)
    least = min(0, min(known, default=0))
    step = 7 / (most - least) if most > least else 0
    return "".join(" " if n is None else "▁▂▃▄▅▆▇█"[int((n - least) * step + 0.5)] for n in numbers)


# Paths and cells


def _short_path(context: "Context", text: str, limit: int = 40) -> str:
    limit = _whole(limit, 1, _WIDTH_LIMIT)
    home = (context.home or "").replace("\\", "/").rstrip("/")
    if home and (text.replace("\\", "/") + "/").startswith(home + "/"):
        text = "~" + text[len(home) :]
    separator = "\\" if "\\" in text and "/" not in text else "/"
    parts = text.split(separator)
    if len(text) <= limit or len(parts) < 3:
        return text
    head = parts[0] + separator + "…"
    at = len(parts) - 1
    left = limit - len(head) - 1 - len(parts[at])
    while at > 1 and left > len(parts[at - 1]):
        at -= 1
        left -= len(parts[at]) + 1
    return separator.join([head, *parts[at:]]) if at > 1 else text


def _basename(text: str) -> str:
    path = text.rstrip("/\\") or text
    return path[max(path.rfind("/", 0, -1), path.rfind("\\", 0, -1)) + 1 :]


def _ellipsis(text: str, width: int) -> str:
    from ohud.run.cells import ellipsis

    return ellipsis(text, _whole(width, 0, _WIDTH_LIMIT))


def _pad(text: str, width: int, align: str = "left") -> str:
    from ohud.run.cells import pad

    return pad(text, _whole(width, 0, _WIDTH_LIMIT), align)


def _cells(text: str) -> int:
    from ohud.run.cells import width

    return width(text)


# name: (what the operand is turned into, function). text: what it prints; cells: the same for functions that measure
# it; number: the raw value; list: the value when it is a list or object, else the text; order: the same for functions
# that compare the items; any: untouched, null and undefined too; a leading "context " hands over the context first.
# For all kinds but `any` a missing or null operand gives "" without a call.
FILTERS: "dict[str, tuple[str, Callable[..., Any]]]" = {
    "abs": ("number", _abs),
    "ago": ("context number", _ago),
    "bar": ("number", _bar),
    "basename": ("text", _basename),
    "batch": ("list", _batch),
    "blocks": ("number", _blocks),
    "bytes": ("number", _bytes),
    "capitalize": ("text", str.capitalize),
    "cells": ("cells", _cells),
    "center": ("text", _center),
    "clock": ("context number", _clock),
    "count": ("list", len),
    "countdown": ("number", _countdown),
    "d": ("any", _default),
    "default": ("any", _default),
    "dictsort": ("order", _dictsort),
    "duration": ("number", _duration),
    "ellipsis": ("cells", _ellipsis),
    "first": ("list", _first),
    "float": ("number", _float),
    "format": ("text", _format),
    "int": ("number", _int),
    "items": ("list", _items),
    "join": ("list", _join),
    "last": ("list", _last),
    "length": ("list", len),
    "list": ("list", _list),
    "lower": ("text", str.lower),
    "max": ("order", _max),
    "min": ("order", _min),
    "money": ("number", _money),
    "pad": ("cells", _pad),
    "percent": ("number", _percent),
    "replace": ("text", _replace),
    "reverse": ("list", _reverse),
    "round": ("number", _round),
    "short_path": ("context text", _short_path),
    "slice": ("list", _slice),
    "sort": ("order", _sort),
    "spark": ("number", _spark),
    "string": ("text", _string),
    "sum": ("list", _sum),
    "title": ("text", _title),
    "tokens": ("number", _tokens),
    "trim": ("text", _trim),
    "truncate": ("text", _truncate),
    "unique": ("order", _unique),
    "upper": ("text", str.upper),
    "wordcount": ("text", _wordcount),
}


# Tests; those that compare (eq, lt, in, ...) are operators to the compiler


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
