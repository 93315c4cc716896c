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
    "value",
    [
        *(None, "soon", "", True, [], {}, float("nan"), 1e18, -1e18, 10**30, "2026-13-01T00:00:00Z"),
        # What a host writes that has no time: a missing header as a number, an empty time of Go.
        *(0, 0.0, -1, "0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z"),
    ],
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


@pytest.mark.parametrize("value", [NOW, NOW - 1, 1, (NOW - 7200) * 1000, "2026-09-21T14:13:19Z"])
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


def snapshot_world(tmp_path: Path, content: object, **settings: object) -> World:
    """A world whose config names a snapshot file with this content."""
    path = tmp_path / "usage.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    world = World({"HOME": str(tmp_path)}, now=NOW)
    world.settings = {"usage": {"snapshot": str(path), "snapshot_age_s": 300, **settings}}
    return world


WINDOWS = {
    "five_hour": {"used_percentage": 41.000000000000004, "resets_at": "2026-09-21T15:13:20Z"},
    "seven_day": {"used_percentage": 7, "resets_at": NOW + 86400},
}


@pytest.mark.parametrize("updated", [NOW - 10, NOW - 300, NOW + 30, (NOW - 10) * 1000, "2026-09-21T14:13:00Z"])
def test_snapshot_stands_in_for_a_payload_without_limits(tmp_path: Path, updated: object) -> None:
    silent: list[dict[str, Any]] = [{}, {"rate_limits": None}, {"rate_limits": {"five_hour": None, "seven_day": {}}}]
    for limits in silent:
        world = snapshot_world(tmp_path, {"updated_at": updated, **WINDOWS})
        assert usage.five_hour(limits, world) == {
            "percent": 41,
            "resets_at": NOW + 3600,
            "resets_in_s": 3600,
            "pace": 0.51,
        }
        week = usage.seven_day(limits, world)
        assert week is not None and week["percent"] == 7
        assert usage.spend(limits, world) is None


@pytest.mark.parametrize(
    "updated", [NOW - 301, NOW + 301, None, "yesterday", True, [], float("nan"), "2026-09-21T14:08:00Z"]
)
def test_snapshot_that_is_old_or_does_not_say_is_not_used(tmp_path: Path, updated: object) -> None:
    assert usage.five_hour({}, snapshot_world(tmp_path, {"updated_at": updated, **WINDOWS})) is None


def test_snapshot_is_not_mixed_with_the_payload(tmp_path: Path) -> None:
    """One window of the host's is enough for the host to be asked alone, also for the others."""
    limits = {"rate_limits": {"seven_day": {"used_percentage": 3}}}
    world = snapshot_world(tmp_path, {"updated_at": NOW, **WINDOWS})
    assert usage.five_hour(limits, world) is None
    assert world.bytes_read == 0


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"x"',
        b"\xff\xfe",
        b"[" * 9000,
        {"updated_at": NOW},
        {"updated_at": NOW, "five_hour": 7},
        {"updated_at": NOW, "five_hour": {"used_percentage": "41"}},
        json.dumps({"updated_at": NOW, **WINDOWS, "x": "y" * 70000}).encode(),
    ],
)
def test_snapshot_that_cannot_be_read_is_none(tmp_path: Path, content: object) -> None:
    assert usage.five_hour({}, snapshot_world(tmp_path, content)) is None


def test_snapshot_path_is_of_the_home_directory_and_read_once(tmp_path: Path) -> None:
    world = snapshot_world(tmp_path, {"updated_at": NOW, **WINDOWS}, snapshot="~/usage.json")
    assert usage.five_hour({}, world) is not None
    size = world.bytes_read
    assert usage.seven_day({}, world) is not None and world.bytes_read == size
    for path in (None, 7, "", "usage.json", "~other/usage.json", str(tmp_path), "/dev/zero", "/nowhere/x.json"):
        world = snapshot_world(tmp_path, {"updated_at": NOW, **WINDOWS}, snapshot=path)
        assert usage.five_hour({}, world) is None
    assert usage.five_hour({}, snapshot_world(tmp_path, {"updated_at": NOW - 400, **WINDOWS}, snapshot_age_s=500))
