"""
The limits of a subscription and of a gateway's budget.

Where the payload has none at all, they come from the snapshot file that the user's config names, while it is new: a
JSON object with `updated_at` (seconds or ISO 8601) and windows as in the payload's `rate_limits`.
"""

from ohud.fields._num import number, table, text, tidy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ohud.run.world import World

# The first second of the year 5000; what lies behind it is no time in seconds.
_YEAR_5000 = 95617584000
_SNAPSHOT = 65536
_WINDOWS = ("five_hour", "seven_day", "spend_limit")
_FIVE_HOURS = 5 * 3600
_SEVEN_DAYS = 7 * 86400


def five_hour(payload: "dict[str, Any]", world: "World") -> "dict[str, Any] | None":
    """
    The five-hour limit of a subscription.

    Reads:    rate_limits.five_hour: used_percentage [%], resets_at [s, ms or ISO 8601]; else the config's snapshot
    Returns:  object; None when nobody says anything of it
    Keys:     percent: number from 0 [%]; share of the limit that is used, above 100 where the host says so
              resets_at: number [s]; when the window ends, in seconds since 1970
              resets_in_s: int from 0 [s]; time until then
              pace: number from 0; share of the limit used over share of the window gone: above 1 it will not last
    Errors:   none; a half that cannot be read is None, and a window that is over has neither percent nor time left
    Source:   host payloads 2.1.215 (floats with noise, windows kept past their end), 2.1.332
    """
    return _window(payload, "five_hour", world, _FIVE_HOURS)


def seven_day(payload: "dict[str, Any]", world: "World") -> "dict[str, Any] | None":
    """
    The weekly limit of a subscription.

    Reads:    rate_limits.seven_day: used_percentage [%], resets_at [s, ms or ISO 8601]; else the config's snapshot
    Returns:  object; None when nobody says anything of it
    Keys:     percent: number from 0 [%]; share of the limit that is used, above 100 where the host says so
              resets_at: number [s]; when the window ends, in seconds since 1970
              resets_in_s: int from 0 [s]; time until then
              pace: number from 0; share of the limit used over share of the window gone: above 1 it will not last
    Errors:   none; a half that cannot be read is None, and a window that is over has neither percent nor time left
    Source:   host payloads 2.1.215, 2.1.332
    """
    return _window(payload, "seven_day", world, _SEVEN_DAYS)


def spend(payload: "dict[str, Any]", world: "World") -> "dict[str, Any] | None":
    """
    The spending limit of a gateway.

    Reads:    rate_limits.spend_limit: used_percentage [%], resets_at [s, ms or ISO 8601]; else the config's snapshot
    Returns:  object; None when nobody says anything of it
    Keys:     percent: number from 0 [%]; share of the limit that is used, above 100 where the host says so
              resets_at: number [s]; when the window ends, in seconds since 1970
              resets_in_s: int from 0 [s]; time until then
              pace: number from 0; always None, as nobody says how long the window is
    Errors:   none; a half that cannot be read is None, and a window that is over has neither percent nor time left
    Source:   host 2.1.251 and later, behind a gateway
    """
    return _window(payload, "spend_limit", world, None)


def _window(payload: "dict[str, Any]", key: str, world: "World", length: "int | None") -> "dict[str, Any] | None":
    percent, resets_at = _halves(table(_limits(payload, world), key))
    if percent is None and resets_at is None:
        return None
    remaining = pace = None
    if resets_at is not None:
        if resets_at <= world.now:
            percent = None
        else:
            remaining = int(resets_at - world.now)
            if percent is not None and length is not None and 0 <= resets_at - world.now < length:
                pace = tidy(percent / 100 * length / (length - (resets_at - world.now)), 2)
    return {"percent": percent, "resets_at": resets_at, "resets_in_s": remaining, "pace": pace}


def _halves(limit: "dict[str, Any]") -> "tuple[int | float | None, int | float | None]":
    """Percent and reset of a window, each None when it cannot be read."""
    used = number(limit.get("used_percentage"))
    return None if used is None else max(0, tidy(used)), _moment(limit.get("resets_at"))


def _limits(payload: "dict[str, Any]", world: "World") -> "dict[str, Any]":
    """The payload's windows, or those of the snapshot when none of them says anything."""
    given = table(payload, "rate_limits")
    if any(_halves(table(given, key)) != (None, None) for key in _WINDOWS):
        return given
    if "usage snapshot" not in world.memo:
        world.memo["usage snapshot"] = _snapshot(table(world.settings, "usage"), world)
    found: dict[str, Any] = world.memo["usage snapshot"]
    return found


def _snapshot(settings: "dict[str, Any]", world: "World") -> "dict[str, Any]":
    """The snapshot file's content; empty when there is none, or none that is new enough."""
    path, age_s = text(settings.get("snapshot")), number(settings.get("snapshot_age_s"))
    if path is None:
        return {}
    if path.startswith(("~/", "~\\")):
        path = (world.home or "") + path[1:]
    raw = world.read(path, _SNAPSHOT + 1)
    found = world.decode(raw) if raw is not None and len(raw) <= _SNAPSHOT else None
    written = _moment(found.get("updated_at")) if found else None
    # A time to come is as good as none: such a file would never grow old.
    if found is None or written is None or abs(world.now - written) > (300 if age_s is None else age_s):
        return {}
    return found


def _moment(value: object) -> "int | float | None":
    """Seconds since 1970 from seconds, milliseconds or ISO 8601 text; 0 and the year 1 stand for no time at all."""
    found = _iso(value.strip()) if isinstance(value, str) else number(value)
    if found is None or found <= 0:
        return None
    if found >= _YEAR_5000 and not isinstance(value, str):
        found = found / 1000
    return tidy(found, 3) if found < _YEAR_5000 else None


def _iso(value: str) -> "int | float | None":
    """
    Seconds since 1970 from a text such as `2026-09-21T16:00:00.250+02:00`.

    Returns:  None for any other form; a time without a zone is UTC
    """
    if len(value) > 40 or not value.isascii() or value[10:11] not in ("T", "t", " "):
        return None
    day, clock = value[:10].split("-"), value[11:]
    offset = 0
    if clock[-1:] in ("Z", "z"):
        clock = clock[:-1]
    else:
        sign = max(clock.rfind("+"), clock.rfind("-"))
        if sign > 0:
            zone = clock[sign + 1 :].replace(":", "")
            if len(zone) not in (2, 4) or not zone.isdecimal():
                return None
            offset = int(zone[:2]) * 3600 + int(zone[2:] or "0") * 60
            offset = -offset if clock[sign] == "-" else offset
            clock = clock[:sign]
    clock, dot, fraction = clock.partition(".")
    digits = day + clock.split(":")
    lengths = [len(part) for part in digits]
    if lengths not in ([4, 2, 2, 2, 2, 2], [4, 2, 2, 2, 2]) or not all(part.isdecimal() for part in digits):
        return None
    if dot and not fraction.isdecimal():
        return None
    year, month, date, hour, minute = [int(part) for part in digits[:5]]
    second = int(digits[5]) if len(digits) == 6 else 0
    if year < 1 or not (1 <= month <= 12 and 1 <= date <= 31 and hour < 25 and minute < 60 and second < 61):
        return None
    # Days since 1970 by the civil calendar: the year begins in March, so that the leap day is its last.
    if month < 3:
        year -= 1
        month += 12
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * (month - 3) + 2) // 5 + date - 719469
    moment = days * 86400 + hour * 3600 + minute * 60 + second - offset
    if fraction:
        return tidy(moment + int(fraction[:6]) / 10 ** len(fraction[:6]), 3)
    return moment
