"""Cost: the host's own figure, else the tokens at list prices of exactly the model that used them."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from records import DATA, reply, usage, world, world_of

from ohud.fields import cost, transcript
from ohud.fields._estimate import estimate, plain
from ohud.fields._prices import FAST, LONG, PRICES, TABLE
from ohud.run.fold import fold_all
from ohud.run.journal import fresh
from ohud.run.world import World

MILLION = 1_000_000
OPUS = {"input": 5, "output": 25, "cache_write_5m": 6.25, "cache_write_1h": 10, "cache_read": 0.5}


def native(value: Any, **more: Any) -> dict[str, Any]:
    return {"cost": {"total_cost_usd": value, **more}}


def whole(home: Path, *records: Any, **settings: Any) -> tuple[Any, ...]:
    """(usd, at least, source, basis) without a figure of the host's."""
    opened = world_of(home, *records, **settings)
    return (
        cost.usd({}, opened),
        cost.at_least_usd({}, opened),
        cost.source({}, opened),
        cost.basis({}, opened),
    )


# --- native ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [0, 0.01234, 68.92850299999999, 541])
def test_the_host_s_figure_is_shown_as_given(tmp_path: Path, value: float) -> None:
    opened = world_of(tmp_path, reply(1))
    assert cost.usd(native(value), opened) == value
    assert (cost.source(native(value), opened), cost.basis(native(value), opened)) == ("native", None)
    assert cost.at_least_usd(native(value), opened) is None
    assert opened.bytes_read == 0


@pytest.mark.parametrize("value", [None, "1.5", True, float("nan"), float("inf"), [1]])
def test_what_is_no_finite_number_is_estimated(tmp_path: Path, value: Any) -> None:
    opened = world_of(tmp_path, reply(1, tokens=usage(MILLION, 0)))
    assert (cost.usd(native(value), opened), cost.source(native(value), opened)) == (5.0, "estimated")


@pytest.mark.parametrize(
    ("value", "duration", "expected"),
    [(1.5, 1_800_000, 3), (0, 60_000, 0), (1.5, 0, None), (1.5, None, None), (1.5, -5, None), (1.5, "9", None)],
)
def test_cost_over_an_hour(value: float, duration: Any, expected: float | None) -> None:
    assert cost.per_hour(native(value, total_duration_ms=duration), World({})) == expected


def test_an_estimate_has_a_pace_too(tmp_path: Path) -> None:
    opened = world_of(tmp_path, reply(1, tokens=usage(MILLION, 0)))
    assert cost.per_hour(native(None, total_duration_ms=1_800_000), opened) == 10


# --- estimated -------------------------------------------------------------------------------------------------------


def test_nothing_is_known_without_a_transcript_or_a_reply(tmp_path: Path) -> None:
    assert whole(tmp_path) == (None, None, None, None)
    opened = world(tmp_path)
    assert (cost.usd({}, opened), cost.source({}, opened)) == (None, None)
    assert whole(tmp_path, reply(1, tokens=usage(0, 0)))[0] is None


def test_each_kind_of_token_has_its_price(tmp_path: Path) -> None:
    split = {"ephemeral_5m_input_tokens": MILLION, "ephemeral_1h_input_tokens": MILLION}
    one = usage(MILLION, MILLION, MILLION, 2 * MILLION, split)
    assert whole(tmp_path, reply(1, tokens=one)) == (5 + 25 + 0.5 + 6.25 + 10, None, "estimated", TABLE)


def test_hour_writes_are_dearer_and_an_unsplit_rest_is_not_free(tmp_path: Path) -> None:
    split = {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 7000}
    found = whole(tmp_path, reply(1, tokens=usage(0, 0, 0, 10000, split)))[0]
    assert found == pytest.approx((7000 * 10 + 3000 * 6.25) / MILLION)


def test_each_reply_has_the_price_of_its_own_model(tmp_path: Path) -> None:
    records = [
        reply(1, "a", tokens=usage(MILLION, 0), model="claude-opus-4-6"),
        reply(2, "b", tokens=usage(MILLION, 0), model="claude-haiku-4-5-20251001"),
    ]
    assert whole(tmp_path, *records)[0] == 6.0


def test_side_chains_cost_too_and_once(tmp_path: Path) -> None:
    side = reply(2, "s", tokens=usage(MILLION, 0), model="claude-haiku-4-5", isSidechain=True)
    assert whole(tmp_path, reply(1, "a", tokens=usage(MILLION, 0)), side, side)[0] == 6.0


def test_cost_state_records_are_not_added(tmp_path: Path) -> None:
    state = {"type": "cost-state", "totalCostUSD": 0.31, "modelUsage": {"claude-opus-4-6": {"costUSD": 0.31}}}
    assert whole(tmp_path, reply(1, tokens=usage(MILLION, 0)), state, state)[0] == 5.0


@pytest.mark.parametrize(
    "model",
    [
        "octopus-7b",
        "vendor/not-a-haiku",
        "my-claude-opus-4-6",
        "claude-opus-4-6-turbo",
        "claude-opus",
        "claude-opus-9-9",
        "opus",
        "gpt-5",
        "arn:aws:bedrock:eu-west-1:000000000000:application-inference-profile/abc123def456",
        "evil.anthropic.claude-opus-4-6",
    ],
)
def test_an_unknown_model_has_no_price_not_even_a_similar_one(tmp_path: Path, model: str) -> None:
    assert whole(tmp_path, reply(1, tokens=usage(MILLION, MILLION), model=model)) == (None, None, None, None)


def test_a_known_part_is_a_lower_bound_only(tmp_path: Path) -> None:
    records = [reply(1, "a", tokens=usage(MILLION, 0)), reply(2, "b", tokens=usage(9, 9), model="glm-5")]
    assert whole(tmp_path, *records) == (None, 5.0, "estimated", TABLE)


def test_an_unfinished_reading_is_a_lower_bound_only(tmp_path: Path) -> None:
    opened = world_of(tmp_path, reply(1, tokens=usage(MILLION, 0)))
    opened.memo["journal"] = {**opened.journal(), "complete": False}
    assert (cost.usd({}, opened), cost.at_least_usd({}, opened)) == (None, 5.0)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("claude-opus-4-6", "claude-opus-4-6"),
        ("claude-opus-4-6[1m]", "claude-opus-4-6"),
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("claude-sonnet-4-20250514", "claude-sonnet-4"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("global.anthropic.claude-opus-4-6-v1", "claude-opus-4-6"),
        ("anthropic.claude-3-5-haiku-20241022-v1:0", "claude-3-5-haiku"),
        ("sa.anthropic.claude-opus-4-6-v1:0", "claude-opus-4-6"),
        ("arn:aws:bedrock:us-east-1:0:inference-profile/eu.anthropic.claude-opus-4-6-v1:0", "claude-opus-4-6"),
        ("claude-opus-4-1@20250805", "claude-opus-4-1"),
        ("vertex_ai/claude-opus-4-1@20250805", "claude-opus-4-1"),
        ("anthropic/claude-opus-4.6", "claude-opus-4-6"),
        ("anthropic/claude-3.7-sonnet:thinking", "claude-3-7-sonnet"),
        ("openrouter/anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"),
        ("claude-3-7-sonnet-latest", "claude-3-7-sonnet"),
        ("Claude-Opus-4-6", "claude-opus-4-6"),
    ],
)
def test_an_id_is_matched_exactly_once_its_wrapping_is_off(model: str, name: str) -> None:
    assert plain(model) == name
    assert name in PRICES


@pytest.mark.parametrize("model", ["", "-", "claude", "v1", "20250929", "///", "[1m]", "a-v1-v2-v3-v4-v5"])
def test_odd_ids_do_no_harm(model: str) -> None:
    assert plain(model) not in PRICES


# --- fast mode, long prompts, searches -------------------------------------------------------------------------------


def test_fast_replies_have_their_own_price(tmp_path: Path) -> None:
    fast = usage(MILLION, 0, speed="fast")
    records = [
        reply(1, "a", tokens=fast, model="claude-opus-5-5"),
        reply(2, "b", tokens=usage(MILLION, 0), model="claude-opus-5-5"),
    ]
    assert whole(tmp_path, *records)[0] == FAST["claude-opus-5-5"][0] + PRICES["claude-opus-5-5"][0]  # type: ignore[operator]


def test_a_fast_reply_without_a_fast_price_is_unknown(tmp_path: Path) -> None:
    assert whole(tmp_path, reply(1, tokens=usage(MILLION, 0, speed="fast"), model="claude-haiku-4-5"))[0] is None


def test_long_prompts_cost_more_where_the_table_says_so(tmp_path: Path) -> None:
    for model, size, base, long in (("claude-haiku-5-5", 100_000, 0.1, 0.5), ("claude-sonnet-4-5", 200_000, 3, 6)):
        for sent, price in ((size, base), (size + 1, long)):
            found = whole(tmp_path, reply(1, tokens=usage(sent, 0), model=model))[0]
            assert found == pytest.approx(sent * price / MILLION)
    found = whole(tmp_path, reply(1, tokens=usage(1, 0, 300_000), model="claude-opus-4-6"))[0]
    assert found == pytest.approx((5 + 300_000 * 0.5) / MILLION)


def test_web_searches_are_paid_by_the_piece(tmp_path: Path) -> None:
    served = {"web_search_requests": 3, "web_fetch_requests": 9}
    assert whole(tmp_path, reply(1, tokens=usage(MILLION, 0, server_tool_use=served)))[0] == pytest.approx(5.03)
    old = whole(tmp_path, reply(1, tokens=usage(MILLION, 0, server_tool_use=served), model="claude-3-opus-20240229"))
    assert old[:2] == (None, 15.0)


# --- the config's prices ---------------------------------------------------------------------------------------------


def test_the_config_wins_over_the_table(tmp_path: Path) -> None:
    mine = {"claude-opus-4-6": {**OPUS, "input": 7}}
    assert whole(tmp_path, reply(1, tokens=usage(MILLION, 0)), prices=mine) == (7.0, None, "estimated", "config")


def test_the_config_can_price_any_model(tmp_path: Path) -> None:
    mine = {"glm-5": {"input": 1, "output": 2}}
    for model in ("glm-5", "z-ai/glm-5"):
        one = usage(MILLION, MILLION, MILLION, MILLION)
        assert whole(tmp_path, reply(1, tokens=one, model=model), prices=mine)[0] == pytest.approx(1 + 2 + 0.1 + 1.25)


@pytest.mark.parametrize(
    "key", ["claude-opus-4.6", "anthropic/claude-opus-4-6", "Claude-Opus-4-6", "claude-opus-4-6[1m]"]
)
def test_an_entry_holds_for_its_model_however_that_is_written(tmp_path: Path, key: str) -> None:
    mine = {key: {"input": 1, "output": 2}}
    record = reply(1, tokens=usage(MILLION, 0), model="us.anthropic.claude-opus-4-6-v1:0")
    assert whole(tmp_path, record, prices=mine)[0] == 1.0
    assert whole(tmp_path, record, prices={**mine, "claude-opus-4-6": {"input": 3}})[0] == 3.0
    assert whole(tmp_path, reply(1, tokens=usage(MILLION, 0), model="claude-opus-4-5"), prices=mine)[0] == 5.0


def test_what_an_entry_leaves_out(tmp_path: Path) -> None:
    """Cache prices follow from its input price; the rest from the table, and without one there is no price."""
    one = usage(MILLION, MILLION, MILLION, 0)
    assert whole(tmp_path, reply(1, tokens=one), prices={"claude-opus-4-6": {"input": 10}})[0] == 10 + 25 + 1
    assert whole(tmp_path, reply(1, tokens=one), prices={"claude-opus-4-6": {"output": 1}})[0] == 5 + 1 + 0.5
    assert whole(tmp_path, reply(1, tokens=one, model="glm-5"), prices={"glm-5": {"input": 10}})[0] is None


def test_a_price_of_zero_is_a_price(tmp_path: Path) -> None:
    free = dict.fromkeys(OPUS, 0)
    assert whole(tmp_path, reply(1, model="local"), prices={"local": free}) == (0.0, None, "estimated", "config")


def test_config_and_table_are_both_named(tmp_path: Path) -> None:
    records = [reply(1, "a"), reply(2, "b", model="glm-5")]
    assert whole(tmp_path, *records, prices={"glm-5": OPUS})[3] == f"config and {TABLE}"


def test_fast_and_search_with_a_config_price(tmp_path: Path) -> None:
    mine = {"claude-opus-5-5": {**OPUS, "input": 1}, "glm-5": OPUS}
    fast = usage(MILLION, 0, speed="fast")
    assert whole(tmp_path, reply(1, tokens=fast, model="claude-opus-5-5"), prices=mine)[0] == 2.0
    assert whole(tmp_path, reply(1, tokens=fast, model="glm-5"), prices=mine)[0] is None
    search = usage(MILLION, 0, server_tool_use={"web_search_requests": 1})
    assert whole(tmp_path, reply(1, tokens=search, model="glm-5"), prices=mine)[:2] == (None, 5.0)


@pytest.mark.parametrize("prices", [None, [], "x", {"claude-opus-4-6": None}, {"claude-opus-4-6": {"input": "5"}}])
def test_odd_configs_leave_the_table_in_force(tmp_path: Path, prices: Any) -> None:
    assert whole(tmp_path, reply(1, tokens=usage(MILLION, 0)), prices=prices)[0] == 5.0


# --- the table -------------------------------------------------------------------------------------------------------


def test_the_recorded_session_costs_its_tokens_at_list_prices(tmp_path: Path) -> None:
    opened = world(tmp_path, DATA / "main-2.1.332.jsonl")
    opened.patience = 5.0
    found = cost.usd({}, opened)
    assert found is not None
    used = transcript.tokens({}, opened)
    assert used is not None
    by_hand = used["input"] * 4 + used["output"] * 20 + used["cache_read"] * 0.2 + used["cache_write_5m"] * 5
    assert found == pytest.approx(by_hand / MILLION)


def test_the_transcripts_of_a_session_and_its_agents_give_the_host_s_own_total(tmp_path: Path) -> None:
    """0.390075 is the total of the last `cost-state` record of this recording; its agents wrote files of their own."""
    total = 0.0
    for path in (DATA / "main-2.1.332.jsonl", *(DATA / "agents-2.1.332").glob("*.jsonl")):
        state = fresh()
        # Records of an agent's own file all bear the mark of a side chain.
        fold_all(state, path.read_bytes())
        part = estimate({**state, "complete": True}, None)[0]
        assert part is not None
        total += part
    assert total == pytest.approx(0.390075, abs=1e-9)


def test_every_row_is_whole() -> None:
    for table in (PRICES, FAST, {name: row for name, (_, row) in LONG.items()}):
        for name, row in table.items():
            assert len(row) == 6 and all(rate is not None and rate > 0 for rate in row[:5]), name
            assert plain(name) == name and name in PRICES


def test_the_table_is_what_its_generator_writes() -> None:
    pytest.importorskip("genai_prices", reason="the price data is needed to generate the table")
    path = Path(__file__).parents[1] / "tools" / "make_prices.py"
    spec = importlib.util.spec_from_file_location("make_prices", path)
    assert spec is not None and spec.loader is not None
    make_prices = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_prices)
    text = make_prices.TARGET.read_text(encoding="utf-8")
    version = make_prices.importlib.metadata.version("genai-prices")
    if f"genai-prices {version}," not in text:
        pytest.skip("another release of genai-prices is installed")
    date = make_prices.DATE.search(text)
    assert date is not None
    assert text == make_prices.generate(date[1]), "out of date: run `python tests/tools/make_prices.py`"
