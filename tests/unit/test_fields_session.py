"""Effort, session, cost, context, terminal and now: what the payload says, in the types that themes rely on."""

import json
from pathlib import Path
from typing import Any

import pytest

from ohud.fields import context, cost, effort, now, session, terminal
from ohud.run.world import World

PAYLOADS = Path(__file__).parent.parent / "payloads"
WRONG: list[Any] = [None, True, False, "12", "", [], [1], {}, float("nan"), float("inf"), 10**30, -(10**30)]


def payload(state: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((PAYLOADS / f"{state}.json").read_text(encoding="utf-8"))
    return loaded


def window(**values: Any) -> dict[str, Any]:
    return {"context_window": values}


def test_fresh_session_has_no_context_yet() -> None:
    found, world = payload("fresh"), World({})
    assert context.percent(found, world) is None
    assert context.left(found, world) is None
    assert context.tokens(found, world) is None
    assert context.tokens_left(found, world) is None
    assert context.source(found, world) is None
    assert context.size(found, world) == 1000000
    assert cost.usd(found, world) == 0
    assert cost.source(found, world) == "native"


def test_percentage_that_is_not_shown_has_no_source() -> None:
    found = {"context_window": {"used_percentage": 48, "current_usage": None}}
    assert (context.percent(found, World({})), context.source(found, World({}))) == (None, None)


def test_working_session_is_told_in_full() -> None:
    found, world = payload("working"), World({})
    assert context.percent(found, world) == 2
    assert context.left(found, world) == 98
    assert context.tokens(found, world) == 21712
    assert context.tokens_left(found, world) == 978288
    assert context.source(found, world) == "payload"
    assert cost.usd(found, world) == 0.1354622
    assert cost.per_hour(found, world) == pytest.approx(50.8461, abs=1e-3)
    assert session.duration_s(found, world) == 9.591
    assert session.api_s(found, world) == 2.552
    assert session.lines_added(found, world) == 5
    assert session.lines_removed(found, world) == 0
    assert session.name(found, world) is None
    assert effort.effort(found, world) == "medium"


def test_compacted_session_has_zeros_that_are_real() -> None:
    found, world = payload("after-compact"), World({})
    assert context.percent(found, world) == 0
    assert context.tokens(found, world) == 0
    assert context.tokens_left(found, world) == 1000000
    assert session.name(found, world) == "Mock parser session"


def test_oldest_host_sends_cost_and_no_context() -> None:
    found, world = payload("old-host"), World({})
    assert cost.usd(found, world) == 0.01234
    assert session.duration_s(found, world) == 45
    assert context.percent(found, world) is None
    assert context.size(found, world) is None
    assert effort.effort(found, world) is None


@pytest.mark.parametrize(
    ("given", "percent", "left"),
    [
        (42.300000000000004, 42.3, 57.7),
        (28.000000000000004, 28, 72),
        (122, 100, 0),
        (-50, 0, 100),
        (0, 0, 100),
        (1e18, 100, 0),
    ],
)
def test_percentage_is_clamped_and_loses_its_noise(given: float, percent: float, left: float) -> None:
    """A whole figure is an integer, so that it prints as one."""
    world = World({})
    found = context.percent(window(used_percentage=given), world)
    assert found == percent
    assert isinstance(found, int) == (percent == int(percent))
    assert context.left(window(used_percentage=given), world) == left


def test_percentage_is_worked_out_as_the_host_does() -> None:
    usage = {
        "input_tokens": 0,
        "cache_creation_input_tokens": 1793,
        "cache_read_input_tokens": 147730,
        "output_tokens": 9,
    }
    found = window(context_window_size=200000, current_usage=usage)
    assert context.percent(found, World({})) == 75
    assert context.source(found, World({})) == "usage"
    assert context.percent(window(context_window_size=0, current_usage=usage), World({})) is None
    assert context.percent(window(context_window_size=100, current_usage=usage), World({})) == 100
    assert context.percent(window(current_usage=usage), World({})) is None


def test_percentage_of_before_a_compaction_has_no_source() -> None:
    """A figure that is not shown comes from nowhere."""
    stale = window(used_percentage=83, context_window_size=200000, current_usage=None)
    assert context.percent(stale, World({})) is None
    assert context.source(stale, World({})) is None
    assert context.source(window(used_percentage=83, context_window_size=200000), World({})) == "payload"


def test_missing_counts_read_as_none_sent() -> None:
    found = window(used_percentage=6, context_window_size=200000, current_usage={"input_tokens": 12000})
    assert context.tokens(found, World({})) == 12000
    assert context.tokens(window(current_usage={"output_tokens": 4}), World({})) is None


def test_tokens_left_are_never_negative() -> None:
    found = window(context_window_size=200000, current_usage={"input_tokens": 244000})
    assert context.tokens_left(found, World({})) == 0


@pytest.mark.parametrize("value", WRONG, ids=repr)
def test_wrong_types_are_unknown(value: Any) -> None:
    """A numeric text is no number, a boolean neither, and what leaves 64 bits is nothing."""
    world = World({})
    spent = {"cost": dict.fromkeys(("total_cost_usd", "total_duration_ms", "total_api_duration_ms"), value)}
    lines = {"cost": dict.fromkeys(("total_lines_added", "total_lines_removed"), value)}
    for field in (cost.usd, cost.source, cost.per_hour, session.duration_s, session.api_s):
        assert field(spent, world) is None
    assert session.lines_added(lines, world) is session.lines_removed(lines, world) is None
    filled = window(used_percentage=value, context_window_size=value, current_usage={"input_tokens": value})
    for each in (context.percent, context.left, context.tokens, context.tokens_left, context.size, context.source):
        assert each(filled, world) is None
    for whole in (
        {"cost": value, "context_window": value, "effort": None},
        {"context_window": {"current_usage": value}},
    ):
        for every in (cost.usd, cost.per_hour, session.duration_s, context.percent, context.tokens):
            assert every(whole, world) is None


def test_pace_of_cost_needs_time() -> None:
    world = World({})
    assert cost.per_hour({"cost": {"total_cost_usd": 1.5, "total_duration_ms": 1800000}}, world) == 3
    assert cost.per_hour({"cost": {"total_cost_usd": 1.5, "total_duration_ms": 0}}, world) is None
    assert cost.per_hour({"cost": {"total_cost_usd": 1.5, "total_duration_ms": -5}}, world) is None
    assert cost.per_hour({"cost": {"total_cost_usd": 0, "total_duration_ms": 60000}}, world) == 0
    assert cost.per_hour({"cost": {"total_cost_usd": 9e18, "total_duration_ms": 1e-9}}, world) is None


def test_native_cost_is_whole() -> None:
    found = {"cost": {"total_cost_usd": 68.92850300000005}}
    assert cost.usd(found, World({})) == 68.92850300000005
    assert cost.at_least_usd(found, World({})) is None
    assert cost.basis(found, World({})) is None


def test_fractions_of_lines_are_no_lines() -> None:
    assert session.lines_added({"cost": {"total_lines_added": 2.0}}, World({})) == 2
    assert session.lines_added({"cost": {"total_lines_added": 2.5}}, World({})) is None
    assert session.lines_added({"cost": {"total_lines_added": -2}}, World({})) is None


@pytest.mark.parametrize(
    ("value", "level"),
    [
        ({"level": "xhigh"}, "xhigh"),
        ({"level": "ultracode"}, "ultracode"),
        ("max", "max"),
        ({"level": None}, None),
        ({"level": ""}, None),
        ({"level": 3}, None),
        ({}, None),
        (None, None),
        ([], None),
        (4, None),
        (" ", None),
    ],
)
def test_effort_is_an_object_or_a_bare_text(value: object, level: str | None) -> None:
    """Both have been sent by hosts."""
    assert effort.effort({"effort": value}, World({})) == level


def test_terminal_and_now_come_from_the_world() -> None:
    world = World({"COLUMNS": "120", "LINES": "40", "OHUD_NOW": "1790000000"})
    assert terminal.columns({}, world) == 120
    assert terminal.lines({}, world) == 40
    assert now.now({}, world) == 1790000000
    for bits, word in ((0, "never"), (4, "16"), (8, "256"), (24, "truecolor")):
        world.color = bits
        assert terminal.color({}, world) == word
    assert terminal.columns({}, World({})) is None


def test_a_percentage_of_before_the_compaction_is_not_shown() -> None:
    """With no usage since, what the host still says of the window is stale."""
    window = {"context_window_size": 200_000, "used_percentage": 87, "current_usage": None}
    assert context.percent({"context_window": window}, World({}, now=0)) is None
    assert context.left({"context_window": window}, World({}, now=0)) is None
    assert context.percent({"context_window": {"used_percentage": 87}}, World({}, now=0)) == 87


REPLY = {
    "type": "assistant",
    "message": {
        "model": "claude-opus-4-6",
        "usage": {"input_tokens": 10, "cache_creation_input_tokens": 1990, "cache_read_input_tokens": 92_000},
    },
}
BOUNDARY = {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"postTokens": 14_000}}
SUMMARY = {"type": "user", "isCompactSummary": True, "message": {"role": "user", "content": "x" * 20_000}}
FAILED = {"type": "assistant", "message": {"model": "<synthetic>", "usage": {"input_tokens": 0}}}


@pytest.mark.parametrize(
    "records, cache_read, share",
    [
        ([REPLY], 92_000, 47),
        ([REPLY, BOUNDARY, SUMMARY], 92_000, None),
        ([REPLY, BOUNDARY, SUMMARY, FAILED], 92_000, None),
        # The answer since the compaction is in the payload, and not yet in the file.
        ([REPLY, BOUNDARY, SUMMARY], 9_000, 47),
        ([REPLY, BOUNDARY, SUMMARY, REPLY], 92_000, 47),
        ([REPLY, {**BOUNDARY, "isSidechain": True}], 92_000, 47),
        ([REPLY, {**BOUNDARY, "subtype": "local_command", "content": "compact_boundary"}], 92_000, 47),
        ([BOUNDARY, SUMMARY], 92_000, 47),
    ],
)
def test_figures_that_a_compaction_outdated_are_not_shown(
    tmp_path: Path, records: list[dict[str, object]], cache_read: int, share: int | None
) -> None:
    """Hosts go on sending the figures of the answer before a compaction until the next one; they say nothing now."""
    path = tmp_path / "transcript.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    usage = {"input_tokens": 10, "cache_creation_input_tokens": 1990, "cache_read_input_tokens": cache_read}
    window = {"context_window_size": 200_000, "used_percentage": 47, "current_usage": usage}
    payload, world = {"transcript_path": str(path), "context_window": window}, World({}, now=0)
    assert context.percent(payload, world) == share
    left = None if share is None else 100 - share
    tokens = None if share is None else 2000 + cache_read
    assert (context.left(payload, world), context.tokens(payload, world)) == (left, tokens)
    assert context.source(payload, world) == (None if share is None else "payload")


@pytest.mark.parametrize(
    "size, variables, share",
    [
        (200_000, {}, 83.5),
        (1_000_000, {}, 96.7),
        (200_000, {"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "50"}, 45),
        (200_000, {"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "99"}, 83.5),
        (200_000, {"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "soon"}, 83.5),
        (200_000, {"DISABLE_AUTO_COMPACT": "1"}, None),
        (30_000, {}, None),
        (None, {}, None),
    ],
)
def test_where_the_host_compacts(size: int | None, variables: dict[str, str], share: float | None) -> None:
    """The share follows the window's size; the variable can only lower it."""
    payload = {"context_window": {"context_window_size": size}}
    assert context.compacts_at(payload, World(variables, now=0)) == share
