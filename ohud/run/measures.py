"""Numbers for people: the filters that nearly every status line has."""

import time

from ohud.run.fault import Fault
from ohud.run.value import levels, number_of, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ohud.run.template import Context


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
    number = number_of(value)
    size = abs(number)
    if size < 999.5:
        return _fixed(number, 0)
    if size < 999_500:
        return _short(number / 1000, 1 if size < 9950 else 0) + "k"
    return _short(number / 1e6, 1) + "M" if size < 999_950_000 else _short(number / 1e9, 1) + "B"


def _money(value: "Any", digits: "int | None" = None) -> str:
    number = number_of(value)
    if digits is None:
        # under a cent the first two decimals would say nothing
        digits = 4 if 0 < abs(number) < 0.005 else 2
    text = _fixed(number, whole(digits, 0, 6))
    return "-$" + text[1:] if text[0] == "-" else "$" + text


def _percent(value: "Any", digits: int = 0) -> str:
    return _short(number_of(value), whole(digits, 0, 6)) + "%"


def _bytes(value: "Any") -> str:
    number = number_of(value)
    if abs(number) < 999.5:
        return _fixed(number, 0) + " B"
    number /= 1000
    for unit in ("kB", "MB", "GB"):
        if abs(number) < 999.95:
            return _fixed(number, 1) + " " + unit
        number /= 1000
    return _fixed(number, 1) + " TB"


def _duration(value: "Any") -> str:
    seconds = max(0, int(number_of(value)))
    if seconds < 60:
        return "%ds" % seconds
    hours, minutes = divmod(seconds // 60, 60)
    return ("%dh" % hours if hours else "") + ("%dm" % minutes if minutes else "")


def _countdown(value: "Any") -> str:
    minutes = int(number_of(value)) // 60
    if minutes < 1:
        return "<1m"
    days, minutes = divmod(minutes, 1440)
    hours, minutes = divmod(minutes, 60)
    if days:
        return "%dd" % days + ("%dh" % hours if hours else "")
    return ("%dh" % hours if hours else "") + ("%dm" % minutes if minutes else "")


def _clock(context: "Context", value: "Any") -> str:
    try:
        then = time.localtime(number_of(value))
        now = time.localtime(context.now)
    except (OverflowError, ValueError, OSError):
        raise Fault("not a time") from None
    text = "%02d:%02d" % (then.tm_hour, then.tm_min)
    if (then.tm_year, then.tm_yday) == (now.tm_year, now.tm_yday):
        return text
    return ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[then.tm_wday] + " " + text


def _ago(context: "Context", value: "Any") -> str:
    seconds = int(context.now - number_of(value))
    for size, unit in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= size:
            return "%d%s ago" % (seconds // size, unit)
    return "now"


def _bar(value: "Any", width: int = 10, full: "str | None" = None, empty: "str | None" = None) -> str:
    share = min(100, max(0, number_of(value)))
    width = max(0, whole(width, -1000, 200))
    track = "░" if empty is None else empty
    if len(full or "x") != 1 or len(track) != 1:
        raise Fault("a bar is drawn with single characters")
    eighths = int(share * width * 8 / 100)
    if full is None:
        bar = "█" * (eighths // 8)
        if eighths % 8:
            bar += "▏▎▍▌▋▊▉"[eighths % 8 - 1]
    else:
        bar = full * (eighths // 8)
    return bar + track * (width - len(bar))


def _blocks(value: "Any", glyphs: str = "▁▂▃▄▅▆▇█") -> str:
    steps = levels(glyphs) - 1
    return glyphs[int(min(100, max(0, number_of(value))) * steps / 100 + 0.5)]


# name: (what the operand is turned into, function). text: what it prints; cells: the same for functions that measure
# it; number: the raw value; list: the value when it is a list or object, else the text; order: the same for functions
# that compare the items; any: untouched, null and undefined too; a leading "context " hands over the context first.
# For all kinds but `any` a missing or null operand gives "" without a call.
MEASURES: "dict[str, tuple[str, Callable[..., Any]]]" = {
    "ago": ("context number", _ago),
    "bar": ("number", _bar),
    "blocks": ("number", _blocks),
    "bytes": ("number", _bytes),
    "clock": ("context number", _clock),
    "countdown": ("number", _countdown),
    "duration": ("number", _duration),
    "money": ("number", _money),
    "percent": ("number", _percent),
    "tokens": ("number", _tokens),
}
