"""The prompt cache: ratios, time to live, time left."""

from pathlib import Path
from typing import Any

import pytest
from records import START_S, prompt, reply, usage, world, world_of

from ohud.fields import cache

HOUR = {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 500}


def current(**usage: Any) -> dict[str, Any]:
    return {"context_window": {"current_usage": usage}}


def host(**more: Any) -> dict[str, Any]:
    return {"prompt_cache": {"warm": True, "ttl": "5m", "expires_at": START_S + 700, "hit_ratio": 0.6, **more}}


def test_nothing_is_known_without_payload_and_transcript(tmp_path: Path) -> None:
    for field in (cache.hit_ratio, cache.session_hit_ratio, cache.ttl_s, cache.expires_in_s, cache.warm):
        assert field({}, world(tmp_path)) is None


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (
            current(input_tokens=10, output_tokens=9, cache_creation_input_tokens=1990, cache_read_input_tokens=38000),
            0.95,
        ),
        (current(input_tokens=10, cache_read_input_tokens=0, cache_creation_input_tokens=0), 0.0),
        (current(input_tokens=0, cache_read_input_tokens=0, cache_creation_input_tokens=0), None),
        (current(input_tokens=10), None),
        (current(input_tokens="x", cache_read_input_tokens=5), 1.0),
        (current(input_tokens=5, cache_read_input_tokens="5"), None),
        (current(input_tokens=5, cache_read_input_tokens=-5), None),
        ({"context_window": {"used_percentage": 3}}, None),
    ],
)
def test_hit_ratio_of_the_payload_s_record(tmp_path: Path, payload: dict[str, Any], expected: float | None) -> None:
    assert cache.hit_ratio(payload, world(tmp_path)) == expected


def test_hit_ratio_of_the_last_reply_where_the_payload_has_none(tmp_path: Path) -> None:
    opened = world_of(tmp_path, reply(1, "a", tokens=usage(10, 5, 0, 0)), reply(2, "b", tokens=usage(10, 5, 60, 30)))
    for payload in ({}, {"context_window": {"current_usage": None}}):
        assert cache.hit_ratio(payload, opened) == 0.6
    # Nothing was sent yet after a compaction: the host says so with zeros.
    assert cache.hit_ratio(current(input_tokens=0, cache_read_input_tokens=0), opened) is None


def test_hit_ratio_does_not_outlive_a_compaction(tmp_path: Path) -> None:
    boundary = {"type": "system", "subtype": "compact_boundary"}
    assert cache.hit_ratio({}, world_of(tmp_path, reply(1, tokens=usage(10, 5, 90)), boundary)) is None


def test_session_hit_ratio(tmp_path: Path) -> None:
    records = [reply(i, f"m{i}", tokens=usage(10, 5, 50 * i, 40)) for i in range(3)]
    opened = world_of(tmp_path, *records, reply(9, "side", tokens=usage(0, 0, 999), isSidechain=True))
    assert cache.session_hit_ratio({}, opened) == 150 / 300
    assert cache.session_hit_ratio(host(), opened) == 0.6
    for odd in (-1, 2, "x", None):
        assert cache.session_hit_ratio(host(hit_ratio=odd), opened) == 0.5
    assert cache.session_hit_ratio({}, world_of(tmp_path, reply(1, tokens=usage(0, 0)))) is None


def test_ttl_is_the_host_s_word(tmp_path: Path) -> None:
    opened = world_of(tmp_path, reply(1, tokens=usage(1, 1, 1, 500)))
    assert cache.ttl_s(host(ttl="1h"), opened) == 3600
    assert cache.ttl_s(host(ttl="2d"), opened) == 300


@pytest.mark.parametrize(
    ("writes", "expected"),
    [
        ([usage(1, 1, 0, 500)], 300),
        ([usage(1, 1, 0, 500, HOUR)], 3600),
        ([usage(1, 1, 0, 500, HOUR), usage(1, 1, 500)], 3600),
        ([usage(1, 1, 0, 500, HOUR), usage(1, 1, 0, 500)], 300),
        ([usage(1, 1, 500)], 300),
        ([usage(1, 1)], None),
    ],
)
def test_ttl_is_that_of_the_last_write(tmp_path: Path, writes: list[Any], expected: int | None) -> None:
    records = [reply(i, f"m{i}", tokens=one) for i, one in enumerate(writes)]
    assert cache.ttl_s({}, world_of(tmp_path, *records)) == expected


def test_time_left_counts_from_the_last_reply(tmp_path: Path) -> None:
    records = [prompt(1), reply(100, tokens=usage(1, 1, 0, 500))]
    assert cache.expires_in_s({}, world_of(tmp_path, *records, now=START_S + 150)) == 250
    assert cache.warm({}, world_of(tmp_path, *records, now=START_S + 150)) is True
    assert cache.expires_in_s({}, world_of(tmp_path, *records, now=START_S + 401)) == 0
    assert cache.warm({}, world_of(tmp_path, *records, now=START_S + 401)) is False
    hour = reply(100, tokens=usage(1, 1, 0, 500, HOUR))
    assert cache.expires_in_s({}, world_of(tmp_path, hour, now=START_S + 150)) == 3550


def test_a_reply_without_cache_leaves_nothing_warm(tmp_path: Path) -> None:
    records = [reply(1, "a", tokens=usage(1, 1, 0, 500)), reply(2, "b", tokens=usage(900, 1))]
    assert cache.expires_in_s({}, world_of(tmp_path, *records)) is None
    assert cache.warm({}, world_of(tmp_path, *records)) is None


@pytest.mark.parametrize(
    ("more", "left", "warm"),
    [
        ({}, 100, True),
        ({"expires_at": START_S + 599}, 0, False),
        ({"expires_at": START_S + 600}, 0, False),
        ({"warm": False}, 0, False),
        ({"warm": False, "expires_at": None}, None, False),
        ({"warm": True, "expires_at": None}, None, False),
        ({"warm": None}, 100, True),
        ({"warm": None, "expires_at": "soon"}, None, None),
    ],
)
def test_the_host_s_own_cache_record(tmp_path: Path, more: dict[str, Any], left: int | None, warm: bool | None) -> None:
    """The expiry decides over `warm`: a refresh by timer repeats an old payload."""
    opened = world_of(tmp_path, reply(1, tokens=usage(1, 1, 0, 500)), now=START_S + 600)
    assert cache.expires_in_s(host(**more), opened) == left
    assert cache.warm(host(**more), opened) is warm


def test_nothing_is_said_of_a_cache_that_no_request_has_used(tmp_path: Path) -> None:
    """The record is there behind a gateway without caching, and its figures mean nothing."""
    opened = world_of(tmp_path, reply(1, tokens=usage(1, 1, 0, 500)), now=START_S + 600)
    for field in (cache.session_hit_ratio, cache.ttl_s, cache.expires_in_s, cache.warm):
        assert field(host(caching_observed=False), opened) is None
        assert field(host(caching_observed=True), opened) is not None
