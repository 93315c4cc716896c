"""The other filters: text, lists, paths and cells; loaded when a template uses one. Every operand is bounded first."""

from ohud.run.fault import Fault
from ohud.run.measures import MEASURES
from ohud.run.value import TEXT_LIMIT, UNDEFINED, Segment, bounded, levels, number_of, opened, printed, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ohud.run.template import Context

_WIDTH_LIMIT = 1000


def _center(text: str, width: int = 80) -> str:
    return text.center(whole(width, -_WIDTH_LIMIT, _WIDTH_LIMIT))


def _title(text: str) -> str:
    words = []
    start = True
    for letter in text:
        parts = letter.isspace() or letter in "-({[<"
        words.append(letter if parts else letter.upper() if start else letter.lower())
        start = parts
    return "".join(words)


def _trim(text: str, chars: "str | None" = None) -> str:
    if chars is None or not isinstance(chars, str) or len(chars) < 32:
        return text.strip(chars)
    # `strip` looks through all of them for each letter
    away = set(chars)
    start, end = 0, len(text)
    while start < end and text[start] in away:
        start += 1
    while end > start and text[end - 1] in away:
        end -= 1
    return text[start:end]


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
    length = whole(length, len(end), TEXT_LIMIT)
    if len(text) <= length + whole(leeway, 0, TEXT_LIMIT):
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
    return bounded(abs(value))  # type: ignore[no-any-return]


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
    return bounded(number)  # type: ignore[no-any-return]


def _round(value: "Any", precision: int = 0, method: str = "common") -> "int | float":
    if not isinstance(value, (int, float)):
        raise Fault("a number is needed here")
    precision = whole(precision, -20, 20)
    if method == "common":
        return bounded(round(value, precision))  # type: ignore[no-any-return]
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
    size = whole(linecount, 1, _WIDTH_LIMIT)
    rows = [items[at : at + size] for at in range(0, len(items), size)]
    if rows and fill_with is not None:
        rows[-1] += [fill_with] * (size - len(rows[-1]))
    return rows


def _slice(value: "Any", slices: int, fill_with: "Any" = None) -> "list[Any]":
    items = list(value)
    size, longer = divmod(len(items), whole(slices, 1, _WIDTH_LIMIT))
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
    return bounded(sum(numbers, start))  # type: ignore[no-any-return]


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


def _spark(value: "Any", glyphs: str = "▁▂▃▄▅▆▇█") -> str:
    numbers = [opened(item) for item in value[-200:]]
    known = [n for n in numbers if n is not None]
    most = max(map(number_of, known), default=0)
    least = min(0, min(known, default=0))
    step = (levels(glyphs) - 1) / (most - least) if most > least else 0
    return "".join(" " if n is None else glyphs[int((n - least) * step + 0.5)] for n in numbers)


# Paths and cells


def _short_path(context: "Context", text: str, limit: int = 40, mark: str = "…", letters: bool = False) -> str:
    limit = whole(limit, 1, _WIDTH_LIMIT)
    home = (context.home or "").replace("\\", "/").rstrip("/")
    if home and (text.replace("\\", "/") + "/").startswith(home + "/"):
        text = "~" + text[len(home) :]
    separator = "\\" if "\\" in text and "/" not in text else "/"
    parts = text.split(separator)
    if letters:
        # as in fish: of all folders above the last their first letter, after a dot the second one too
        parts[1:-1] = [part[: 2 if part[0] == "." else 1] for part in parts[1:-1] if part]
        text = separator.join(parts)
    if len(text) <= limit or len(parts) < 3:
        return text
    head = parts[0] + separator + printed(mark)
    at = len(parts) - 1
    left = limit - len(head) - 1 - len(parts[at])
    while at > 1 and left > len(parts[at - 1]):
        at -= 1
        left -= len(parts[at]) + 1
    return separator.join([head, *parts[at:]]) if at > 1 else text


def _basename(text: str) -> str:
    path = text.rstrip("/\\") or text
    return path[max(path.rfind("/", 0, -1), path.rfind("\\", 0, -1)) + 1 :]


def _ascii(text: str) -> str:
    return text if text.isascii() else "".join([c if c < "\x80" or "\ud800" <= c <= "\udfff" else "?" for c in text])


def _ellipsis(text: str, width: int, mark: str = "…") -> str:
    from ohud.run.cells import ellipsis

    if not isinstance(mark, str) or len(mark) != 1:
        raise Fault("the mark is a single character")
    # Below zero is what is left of a width that is too small.
    return ellipsis(text, whole(width, -_WIDTH_LIMIT, _WIDTH_LIMIT), mark)


def _pad(text: str, width: int, align: str = "left") -> str:
    from ohud.run.cells import pad

    return pad(text, whole(width, -_WIDTH_LIMIT, _WIDTH_LIMIT), align)


def _cells(text: str) -> int:
    from ohud.run.cells import width

    return width(text)


# As in measures.py: name, what the operand is turned into, function.
FILTERS: "dict[str, tuple[str, Callable[..., Any]]]" = {
    **MEASURES,
    "abs": ("number", _abs),
    "basename": ("text", _basename),
    "batch": ("list", _batch),
    "capitalize": ("text", str.capitalize),
    "cells": ("cells", _cells),
    "center": ("text", _center),
    "count": ("list", len),
    "d": ("any", _default),
    "default": ("any", _default),
    "dictsort": ("order", _dictsort),
    "ascii": ("text", _ascii),
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
    "pad": ("cells", _pad),
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
    "trim": ("text", _trim),
    "truncate": ("text", _truncate),
    "unique": ("order", _unique),
    "upper": ("text", str.upper),
    "wordcount": ("text", _wordcount),
}
