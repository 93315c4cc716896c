"""Sums over a transcript: each reply once, side chains apart; and the speed of the last reply."""

from pathlib import Path
from typing import Any

import pytest
from records import START_S, prompt, reply, result, usage, user, world, world_of

from ohud.fields import speed, transcript


def tokens(home: Path, *records: Any) -> dict[str, Any]:
    opened = world_of(home, *records)
    # A long one is not left to a job of its own.
    opened.patience = 5.0
    found = transcript.tokens({}, opened)
    assert found is not None
    return found


def test_without_a_transcript_nothing_is_known(tmp_path: Path) -> None:
    for field in (
        transcript.tokens,
        transcript.side_tokens,
        transcript.messages,
        transcript.prompts,
        transcript.compactions,
        transcript.complete,
        speed.output_per_s,
    ):
        assert field({}, world(tmp_path)) is None


def test_before_the_first_reply_there_are_no_tokens(tmp_path: Path) -> None:
    opened = world_of(tmp_path, prompt(1))
    assert transcript.tokens({}, opened) is None
    assert (transcript.messages({}, opened), transcript.prompts({}, opened)) == (0, 1)
    assert (transcript.compactions({}, opened), transcript.complete({}, opened)) == (0, True)


def test_records_of_one_reply_count_once(tmp_path: Path) -> None:
    one = usage(10, 400, 50000, 2000)
    found = tokens(tmp_path, *(reply(i, "msg_1", tokens=one) for i in range(3)))
    assert found == {
        "input": 10,
        "output": 400,
        "cache_read": 50000,
        "cache_write_5m": 2000,
        "cache_write_1h": 0,
        "total": 52410,
    }
    assert transcript.messages({}, world(tmp_path, tmp_path / "transcript.jsonl")) == 1


@pytest.mark.parametrize("outputs", [(9, 9, 159), (159, 9, 9), (9, 159, 9)])
def test_the_largest_snapshot_counts_wherever_it_stands(tmp_path: Path, outputs: tuple[int, ...]) -> None:
    records = [reply(i, "msg_1", tokens=usage(12, output, 800)) for i, output in enumerate(outputs)]
    assert tokens(tmp_path, *records)["output"] == 159
    assert tokens(tmp_path, *records)["total"] == 971


def test_records_of_two_replies_may_be_interleaved(tmp_path: Path) -> None:
    records = [reply(i, f"msg_{i % 2}", tokens=usage(100, 7 + i)) for i in range(6)]
    assert (tokens(tmp_path, *records)["input"], tokens(tmp_path, *records)["output"]) == (200, 11 + 12)


def test_a_request_id_is_not_needed(tmp_path: Path) -> None:
    records = [reply(1, "msg_1", tokens=usage(100, 40)), reply(2, "msg_1", tokens=usage(100, 40), requestId="r")]
    assert tokens(tmp_path, *records)["output"] == 40


def test_without_a_message_id_the_record_s_own_counts(tmp_path: Path) -> None:
    records = [reply(1, None, tokens=usage(1, 5)), reply(2, None, tokens=usage(1, 6))]
    assert tokens(tmp_path, *records, records[0])["output"] == 11
    bare = [{**record, "uuid": None} for record in records]
    assert tokens(tmp_path, *bare)["output"] == 11
    assert transcript.messages({}, world(tmp_path, tmp_path / "transcript.jsonl")) == 2


def test_a_reply_is_known_again_after_five_hundred_others(tmp_path: Path) -> None:
    records = [reply(0, "old")] + [reply(1, f"m{i}") for i in range(500)] + [reply(2, "old")]
    assert tokens(tmp_path, *records)["output"] == 501 * 20


@pytest.mark.parametrize(
    ("flat", "split", "short", "hour"),
    [
        (1000, None, 1000, 0),
        (1000, {"ephemeral_5m_input_tokens": 1000, "ephemeral_1h_input_tokens": 0}, 1000, 0),
        (1000, {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 1000}, 0, 1000),
        (1000, {"ephemeral_5m_input_tokens": 300, "ephemeral_1h_input_tokens": 700}, 300, 700),
        (1000, {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 700}, 300, 700),
        (0, {"ephemeral_5m_input_tokens": 4, "ephemeral_1h_input_tokens": 5}, 4, 5),
        (1000, {"ephemeral_1h_input_tokens": "many"}, 1000, 0),
    ],
)
def test_cache_writes_by_their_time(tmp_path: Path, flat: int, split: Any, short: int, hour: int) -> None:
    found = tokens(tmp_path, reply(1, tokens=usage(0, 0, 0, flat, split)))
    assert (found["cache_write_5m"], found["cache_write_1h"]) == (short, hour)


def test_iterations_and_details_are_not_added(tmp_path: Path) -> None:
    more: Any = {"iterations": [usage(5, 5)], "output_tokens_details": {"thinking_tokens": 9}}
    assert tokens(tmp_path, reply(1, tokens=usage(1, 20, **more)))["total"] == 21


def test_side_chains_are_apart(tmp_path: Path) -> None:
    records = [reply(1, "msg_1"), reply(2, "side_1", isSidechain=True), reply(3, "side_1", isSidechain=True)]
    assert tokens(tmp_path, *records)["output"] == 20
    opened = world(tmp_path, tmp_path / "transcript.jsonl")
    side = transcript.side_tokens({}, opened)
    assert side is not None and side["output"] == 20
    assert transcript.messages({}, opened) == 1
    assert transcript.side_tokens({}, world_of(tmp_path, reply(1))) is None


def test_the_host_s_own_records_are_no_replies(tmp_path: Path) -> None:
    records = [reply(1, "msg_1"), reply(2, "x", model="<synthetic>", tokens=usage(7, 7))]
    assert tokens(tmp_path, *records)["output"] == 20
    assert transcript.messages({}, world(tmp_path, tmp_path / "transcript.jsonl")) == 1


def test_zero_usage_of_a_gateway_is_zero(tmp_path: Path) -> None:
    assert tokens(tmp_path, reply(1, tokens=usage(0, 0)))["total"] == 0


@pytest.mark.parametrize("first", ["claude-opus-4-6", None])
def test_a_record_without_a_model_is_of_the_reply_s_own(tmp_path: Path, first: str | None) -> None:
    models = (first, None if first else "claude-opus-4-6")
    records = [reply(1, "a", tokens=usage(0, 1), model=models[0]), reply(2, "a", tokens=usage(0, 9), model=models[1])]  # type: ignore[arg-type]
    assert list(world_of(tmp_path, *records).journal()["tokens"]["claude-opus-4-6"].values()) == [[0, 9, 0, 0, 0, 0]]


def test_a_model_at_top_level_counts(tmp_path: Path) -> None:
    record = reply(1)
    del record["message"]["model"]
    assert tokens(tmp_path, {**record, "model": "claude-sonnet-4-20250514"})["output"] == 20


def test_compactions_are_counted(tmp_path: Path) -> None:
    boundary = {
        "parentUuid": None,
        "type": "system",
        "subtype": "compact_boundary",
        "compactMetadata": {"trigger": "auto"},
    }
    micro = {"type": "system", "subtype": "microcompact_boundary"}
    opened = world_of(tmp_path, reply(1), boundary, micro, user(2, "s", isCompactSummary=True), boundary)
    assert (transcript.compactions({}, opened), transcript.prompts({}, opened)) == (2, 0)


def test_a_sibling_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "transcript").mkdir()
    agents = tmp_path / "transcript" / "subagents"
    agents.mkdir()
    (agents / "agent-1.jsonl").write_bytes(b"{}")
    assert tokens(tmp_path, reply(1))["output"] == 20


# --- speed -----------------------------------------------------------------------------------------------------------


def test_speed_is_the_last_reply_s_tokens_over_its_time(tmp_path: Path) -> None:
    records = [prompt(1), reply(3, "a", tokens=usage(1, 900)), prompt(10), reply(12, "b", tokens=usage(1, 100))]
    assert speed.output_per_s({}, world_of(tmp_path, *records)) == 50.0


def test_speed_counts_all_records_of_the_reply(tmp_path: Path) -> None:
    records = [prompt(1), reply(3, "a", tokens=usage(1, 9)), reply(6, "a", tokens=usage(1, 200))]
    assert speed.output_per_s({}, world_of(tmp_path, *records)) == 40.0
    between = [prompt(1), reply(3, "a", tokens=usage(1, 200)), result(4, "x"), reply(6, "a", tokens=usage(1, 200))]
    assert speed.output_per_s({}, world_of(tmp_path, *between)) == 40.0


def test_a_copy_of_an_older_record_is_not_the_last_reply(tmp_path: Path) -> None:
    older, newer = reply(3, "a", tokens=usage(9, 30)), reply(9, "b", tokens=usage(9, 80, reads=7))
    records = [prompt(1), older, prompt(5), newer, older]
    state = world_of(tmp_path, *records).journal()
    assert (state["last_at"], state["last_reply_at"]) == (START_S + 9, START_S + 9)
    assert state["last_usage"][2] == 7
    assert speed.output_per_s({}, world_of(tmp_path, *records)) == 20


def test_speed_of_the_answer_to_a_result(tmp_path: Path) -> None:
    records = [prompt(1), reply(3, "a"), result(60, "x"), reply(62, "b", tokens=usage(1, 80))]
    assert speed.output_per_s({}, world_of(tmp_path, *records)) == 40.0


@pytest.mark.parametrize(
    "records",
    [
        [reply(3, "a")],
        [prompt(3), reply(3, "a")],
        [prompt(5), reply(3, "a")],
        [prompt(1), reply(3, "a", tokens=usage(0, 0))],
        [prompt(1), {**reply(3, "a"), "timestamp": None}],
        [prompt(1), reply(3, "a", isSidechain=True)],
    ],
)
def test_speed_is_unknown_without_both_ends(tmp_path: Path, records: list[Any]) -> None:
    assert speed.output_per_s({}, world_of(tmp_path, *records)) is None


def test_start_is_kept(tmp_path: Path) -> None:
    assert world_of(tmp_path, prompt(5), reply(9)).journal()["started_at"] == START_S + 5
