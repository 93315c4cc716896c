"""The fold: one state whatever the pieces, and no fault whatever the bytes."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from records import DATA, call, prompt, reply, result, text, usage, user, world

from ohud.fields import activity, cache, cost, speed, transcript
from ohud.run.fold import fold, fold_all
from ohud.run.journal import file_name, fresh, journal

FIELDS = (
    activity.tools,
    activity.agents,
    activity.todos,
    activity.last_at,
    transcript.tokens,
    transcript.side_tokens,
    transcript.messages,
    transcript.prompts,
    transcript.compactions,
    transcript.complete,
    cache.hit_ratio,
    cache.session_hit_ratio,
    cache.ttl_s,
    cache.expires_in_s,
    cache.warm,
    speed.output_per_s,
    cost.usd,
    cost.at_least_usd,
    cost.source,
    cost.basis,
    cost.per_hour,
)
IDS = st.sampled_from(["a", "b", "c", None])
SECONDS = st.integers(0, 3000)
NAMES = st.sampled_from(["Read", "Bash", "Agent", "Task", "TodoWrite", "TaskCreate", "TaskUpdate", "proxy_Bash", ""])
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 2**70)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["1", "a"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "id",
                    "name",
                    "input",
                    "type",
                    "text",
                    "content",
                    "status",
                    "todos",
                    "taskId",
                    "subject",
                    "task",
                    "model",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)
COUNTS = st.builds(usage, *[st.integers(0, 300_000)] * 4)
RECORDS = st.one_of(
    st.builds(reply, SECONDS, IDS, st.just(None), COUNTS, st.sampled_from(["claude-opus-4-6", "x", "<synthetic>"])),
    st.builds(reply, SECONDS, IDS, JSON, JSON, isSidechain=st.booleans()),
    st.builds(call, SECONDS, st.sampled_from("abc"), NAMES, JSON),
    st.builds(result, SECONDS, st.sampled_from("abc"), JSON, st.booleans(), toolUseResult=JSON),
    st.builds(user, SECONDS, JSON, isMeta=JSON, origin=JSON),
    st.builds(prompt, SECONDS),
    st.builds(
        dict,
        type=st.sampled_from(["system", "queue-operation", "custom-title", "summary", "attachment", "progress"]),
        subtype=st.sampled_from(["compact_boundary", "turn_duration", "other"]),
        operation=st.just("enqueue"),
        content=st.just("<task-notification><tool-use-id>a</tool-use-id></task-notification>") | JSON,
        customTitle=JSON,
        summary=JSON,
    ),
    JSON,
)


def figures(state: dict[str, Any]) -> dict[str, Any]:
    return {
        key: value for key, value in state.items() if key not in ("stamp", "head", "tail", "offset", "complete", "skip")
    }


@given(st.lists(RECORDS, max_size=25), st.lists(st.integers(0, 4000), max_size=6))
@settings(max_examples=150, deadline=None)
def test_any_cut_gives_the_same_state(records: list[Any], cuts: list[int]) -> None:
    data = text(*records)
    whole = fresh()
    assert fold_all(whole, data) == len(data)
    pieces = fresh()
    start = 0
    for end in [*sorted(cut for cut in cuts if cut < len(data)), len(data)]:
        start += fold_all(pieces, data[start:end])
    assert start == len(data)
    assert figures(pieces) == figures(whole)


@given(st.lists(st.integers(0, 330_000), max_size=8))
@settings(max_examples=15, deadline=None)
def test_any_growth_of_a_real_file_gives_the_same_state(cuts: list[int]) -> None:
    """Appended in any pieces, each looked at by a refresh of its own, which keeps its state or does not."""
    data = (DATA / "main-2.1.332.jsonl").read_bytes()
    whole = fresh()
    fold_all(whole, data)
    with TemporaryDirectory() as folder:
        home = Path(folder)
        path = home / "t.jsonl"
        state: dict[str, Any] = {}
        for end in [*sorted(cut for cut in cuts if cut < len(data)), len(data)]:
            path.write_bytes(data[:end])
            opened = world(home, path)
            opened.patience = 5.0
            state = journal(opened)
        # A state from the cache comes without the replies it need not look at.
        assert {**figures(state), "replies": 0} == {**figures(whole), "replies": 0}


@given(st.lists(st.one_of(RECORDS.map(lambda record: text(record)), st.binary(max_size=60)), max_size=12))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_folded_and_shown_without_a_fault(lines: list[bytes]) -> None:
    state = fresh()
    fold_all(state, b"".join(lines) + b"\n")
    for line in lines:
        fold(state, line)
    json.dumps(state, allow_nan=False)
    opened = world(Path("/nonexistent"))
    opened.memo["journal"] = {**state, "complete": True}
    for field in FIELDS:
        json.dumps(field({}, opened), allow_nan=False)


@given(st.integers(0, 40_000), st.binary(min_size=1, max_size=20), st.booleans())
@settings(max_examples=60, deadline=None)
def test_any_damage_of_the_state_is_healed(place: int, damage: bytes, cut: bool) -> None:
    data = (DATA / "compact-2.1.215.jsonl").read_bytes()
    whole = fresh()
    fold_all(whole, data)
    with TemporaryDirectory() as folder:
        home = Path(folder)
        path = home / "t.jsonl"
        path.write_bytes(data)
        journal(world(home, path))
        file = home / ".cache" / "ohud" / file_name(str(path))
        raw = file.read_bytes()
        place %= len(raw)
        file.write_bytes(raw[:place] + damage + (b"" if cut else raw[place + len(damage) :]))
        opened = world(home, path)
        assert {**figures(journal(opened)), "replies": 0} == {**figures(whole), "replies": 0}
        for field in FIELDS:
            field({}, opened)
