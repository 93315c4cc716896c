"""Limits: every form of percentage and reset that hosts and their like have sent."""

import datetime
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohud.fields import usage
from ohud.run.world import World

NOW = 1790000000
PAYLOADS = Path(__file__).parent.parent / "payloads"


def five_hour(**values: Any) -> dict[str, Any]:
    found = usage.five_hour({"rate_limits": {"five_hour": values}}, World({}, now=NOW))
    assert found is not None
    return found


def test_session_near_its_limits() -> None:
    payload = json.loads((PAYLOADS / "limits-near.json").read_text(encoding="utf-8"))
    world = World({}, now=1796040000)
    assert usage.five_hour(payload, world) == {
        "percent": 29,
        "resets_at": 1796044200,
        "resets_in_s": 4200,
        "pace": 0.38,
    }
    week = usage.seven_day(payload, world)
    assert week is not None and week["percent"] == 99.9
    assert usage.spend(payload, world) is None


@pytest.mark.parametrize(
    ("given_", "percent"),
    [(28.000000000000004, 28), (57.99999999999999, 58), (57.94, 57.9), (118, 118), (-3, 0), (0, 0), (131.5, 131.5)],
)
def test_percentage_loses_noise_and_may_pass_100(given_: float, percent: float) -> None:
    """Only the bars clamp it."""
    found = five_hour(used_percentage=given_, resets_at=NOW + 60)
    assert found["percent"] == percent
    assert len(repr(found["percent"])) < 6


@pytest.mark.parametrize("value", ["25", "41%", True, None, [], {}, float("nan"), float("inf")])
def test_percentage_of_a_wrong_type_leaves_the_reset(value: object) -> None:
    """The known half stays."""
    found = five_hour(used_percentage=value, resets_at=NOW + 3600)
    assert found == {"percent": None, "resets_at": NOW + 3600, "resets_in_s": 3600, "pace": None}


@pytest.mark.parametrize(
    "value", [None, "soon", "", True, [], {}, float("nan"), 1e18, -1e18, 10**30, "2026-13-01T00:00:00Z"]
)
def test_reset_that_cannot_be_read_leaves_the_percentage(value: object) -> None:
    """The known half stays."""
    assert five_hour(used_percentage=12, resets_at=value) == {
        "percent": 12,
        "resets_at": None,
        "resets_in_s": None,
        "pace": None,
    }


@pytest.mark.parametrize(
    "value",
    [
        NOW + 3600,
        NOW + 3600.0,
        (NOW + 3600) * 1000,
        "2026-09-21T15:13:20Z",
        "2026-09-21T15:13:20.000Z",
        "2026-09-21T17:13:20+02:00",
        "2026-09-21T10:43:20-0430",
        "2026-09-21 15:13:20",
        " 2026-09-21T15:13:20+00:00 ",
    ],
)
def test_reset_is_seconds_milliseconds_or_iso(value: object) -> None:
    """All of these are one hour ahead."""
    found = five_hour(used_percentage=25, resets_at=value)
    assert found["resets_at"] == NOW + 3600
    assert found["resets_in_s"] == 3600


@pytest.mark.parametrize("value", [NOW, NOW - 1, 0, -5, (NOW - 7200) * 1000, "2026-09-21T14:13:19Z"])
def test_window_that_is_over_has_no_percentage_and_no_countdown(value: object) -> None:
    """Hosts keep the stale figure until the next answer."""
    found = five_hour(used_percentage=93, resets_at=value)
    assert found["percent"] is None
    assert found["resets_in_s"] is None
    assert found["pace"] is None


def test_pace_compares_use_with_time() -> None:
    assert five_hour(used_percentage=50, resets_at=NOW + 9000)["pace"] == 1
    assert five_hour(used_percentage=50, resets_at=NOW + 13500)["pace"] == 2
    assert five_hour(used_percentage=0, resets_at=NOW + 9000)["pace"] == 0
    assert five_hour(used_percentage=5, resets_at=NOW + 5 * 3600)["pace"] is None
    assert five_hour(used_percentage=5, resets_at=NOW + 6 * 3600)["pace"] is None
    week = {"rate_limits": {"seven_day": {"used_percentage": 60, "resets_at": NOW + 302400}}}
    found = usage.seven_day(week, World({}, now=NOW))
    assert found is not None and found["pace"] == 1.2


def test_spend_limit_has_no_pace() -> None:
    payload = {
        "rate_limits": {"spend_limit": {"used_percentage": 131.5, "resets_at": NOW + 86400, "period": "monthly"}}
    }
    assert usage.spend(payload, World({}, now=NOW)) == {
        "percent": 131.5,
        "resets_at": NOW + 86400,
        "resets_in_s": 86400,
        "pace": None,
    }


@pytest.mark.parametrize(
    "limits",
    [
        None,
        [],
        "x",
        7,
        {},
        {"five_hour": None},
        {"five_hour": {}},
        {"five_hour": [1]},
        {"five_hour": {"utilization": 9}},
    ],
)
def test_window_nobody_speaks_of_is_unknown(limits: object) -> None:
    """Unknown is not 0 %."""
    assert usage.five_hour({"rate_limits": limits}, World({}, now=NOW)) is None


@given(
    st.datetimes(datetime.datetime(1, 1, 2), datetime.datetime(4999, 12, 30)),
    st.integers(-14 * 60, 14 * 60),
    st.booleans(),
)
def test_iso_is_read_as_the_calendar_has_it(moment: datetime.datetime, minutes: int, zulu: bool) -> None:
    zone = datetime.UTC if zulu else datetime.timezone(datetime.timedelta(minutes=minutes))
    aware = moment.replace(microsecond=0, tzinfo=zone)
    text = aware.isoformat()
    assert usage._iso(text.replace("+00:00", "Z") if zulu else text) == aware.timestamp()


@given(st.text(max_size=40) | st.from_regex(r"[0-9T:.Z+ -]{1,40}", fullmatch=True))
def test_any_text_is_a_moment_or_none(text: str) -> None:
    assert usage._iso(text) is None or isinstance(usage._iso(text), int | float)
