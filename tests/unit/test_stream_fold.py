"""The state of a stream: what it counts is what a plain reader counts, and what a transcript of it would say."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import records
from hypothesis import given
from hypothesis import strategies as some
from streams import (
    CASES,
    CROWDED,
    DATA,
    DOCUMENTED,
    LINES,
    SESSION,
    answer,
    call,
    done,
    ended,
    event,
    folded,
    init,
    items,
    line,
    name,
    started,
    usage,
)

from ohud.fields import activity, context, cost, model, session, speed, transcript
from ohud.fields import usage as limits
from ohud.run.world import World
from ohud.stream import Fold, Message, Reader, Tokens
from ohud.stream.messages import message

RECORDED = [path for path in LINES if path.parent.name.startswith("2.1.")]
KINDS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
TOTALS = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
# What a stream's journal and that of a transcript must agree on.
SHARED = [
    "messages",
    "compactions",
    "open",
    "recent",
    "counts",
    "errors",
    "agents",
    "todos",
    "last_at",
    "last_reply_at",
]
SHARED += ["asked_at", "started_at", "ttl_s"]


def of(path: Path) -> Fold:
    """The state after a recorded stream."""
    fold = Fold()
    fold.add_all(items(path.read_bytes()))
    return fold


def plain(path: Path) -> dict[str, Any]:
    """The same figures by a reader without any care for speed or memory."""
    lines = []
    for text in path.read_text().split("\n"):
        try:
            lines.append(json.loads(text))
        except json.JSONDecodeError:
            continue
    last = max((at for at, one in enumerate(lines) if one.get("subtype") == "init"), default=0)
    lines = [one for one in lines if one.get("session_id") == lines[last]["session_id"]]
    answers = [one for one in lines if one.get("type") == "assistant"]
    results = [one for one in lines if one.get("type") == "result"]
    blocks = [block for one in answers for block in one["message"]["content"]]
    calls = {block["id"]: block["name"] for block in blocks if block["type"] == "tool_use"}
    tokens = [0, 0, 0, 0]
    if results and results[-1].get("modelUsage"):
        for used in results[-1]["modelUsage"].values():
            tokens = [total + used[key] for total, key in zip(tokens, TOTALS, strict=True)]
    else:
        for used in {one["message"]["id"]: one["message"]["usage"] for one in answers}.values():
            tokens = [total + used[key] for total, key in zip(tokens, KINDS, strict=True)]
    return {
        "cost": max((one.get("total_cost_usd", one.get("cost_usd")) for one in results), default=None),
        "tokens": tokens,
        "tools": {tool: list(calls.values()).count(tool) for tool in calls.values()},
        "replies": len({one["message"]["id"] for one in answers if one["parent_tool_use_id"] is None}),
        "turns": sum(one.get("num_turns", 0) for one in results),
        "duration": sum(one["duration_ms"] for one in results) if results else None,
        "error": results[-1]["is_error"] if results else None,
    }


def world(fold: Fold, now: float = records.START_S + 600) -> World:
    """A world that knows a stream."""
    made = World({}, now=now)
    made.memo.update(fold.memo())
    return made


@pytest.mark.parametrize(
    "path", [path for path in LINES if path != DOCUMENTED and path.parent.name not in CROWDED], ids=name
)
def test_counts_are_those_of_a_plain_reader(path: Path) -> None:
    """Messages, tools, tokens, turns, time and cost are what a straightforward count gives."""
    expected, fold = plain(path), of(path)
    found = fold.summary()
    tokens = found.tokens
    assert found.cost_usd == expected["cost"]
    assert [tokens.input, tokens.output, tokens.cache_read, tokens.cache_write_5m] == expected["tokens"]
    assert tokens.cache_write_1h == 0
    assert found.tools == expected["tools"]
    assert fold.journal()["messages"] == expected["replies"]
    assert (found.turns, found.duration_ms, found.is_error) == tuple(
        expected[key] for key in ("turns", "duration", "error")
    )


@pytest.mark.parametrize("version", ["2.1.215", "2.1.332"])
@pytest.mark.parametrize("what", ["agent", "hello", "think", "tools"])
def test_events_change_no_sum(version: str, what: str) -> None:
    """The same run with and without events of messages in the making comes to the same."""
    with_events, without = (of(DATA / version / f"print-{what}{tail}.ndjson") for tail in ("-partial", ""))
    for key in ("tokens", "models", "cost_usd", "cost_by_model", "tools", "turns", "agents", "tool_errors", "result"):
        assert getattr(with_events.summary(), key) == getattr(without.summary(), key), key
    assert with_events.journal()["messages"] == without.journal()["messages"]
    assert with_events.payload()["context_window"]["total_input_tokens"] > 0


@pytest.mark.parametrize("version", ["2.1.215", "2.1.332"])
@pytest.mark.parametrize("what", ["agent", "hello", "think", "tools"])
def test_tokens_are_known_before_the_result(version: str, what: str) -> None:
    """With events, the main conversation's tokens are exact when its last message ends, before any result."""
    lines = items((DATA / version / f"print-{what}-partial.ndjson").read_bytes())
    fold = Fold()
    fold.add_all(one for one in lines if not (isinstance(one, Message) and one.raw.get("parent_tool_use_id")))
    result = fold.result
    assert result is not None
    before = Fold()
    before.add_all(one for one in lines[:-1] if not (isinstance(one, Message) and one.raw.get("parent_tool_use_id")))
    [told] = [one.raw["usage"] for one in lines if isinstance(one, Message) and one.type == "result"]
    tokens = before.summary().tokens
    assert [tokens.input, tokens.output, tokens.cache_read, tokens.cache_write_5m] == [told[key] for key in KINDS]


@pytest.mark.parametrize("path", RECORDED, ids=name)
def test_a_transcript_of_the_same_says_the_same(path: Path) -> None:
    """The journal of a recorded stream agrees with that of a transcript made of its lines."""
    lines = [one for one in items(path.read_bytes()) if isinstance(one, Message) and one.type != "result"]
    fold = Fold()
    fold.add_all(one for one in lines if one.type in ("assistant", "user"))
    agree(fold, [one.raw for one in lines])


def agree(fold: Fold, lines: list[dict[str, Any]]) -> None:
    """Compares the journals of both."""
    state = records.folded(*map(as_record, lines))
    found = fold.journal()
    for agent in (*state["agents"].values(), *found["agents"].values()):
        # A stream knows it from the agent's own answers, a transcript from the result.
        del agent["model"]
    for key in SHARED:
        assert found[key] == state[key], key
    both: dict[str, list[int]] = {}
    for part in (state["tokens"], state["side"]):
        for key, buckets in part.items():
            for bucket, row in buckets.items():
                both[key + bucket] = [a + b for a, b in zip(both.get(key + bucket, [0] * 6), row, strict=True)]
    ours = {key + bucket: row for key, buckets in found["tokens"].items() for bucket, row in buckets.items()}
    assert {key: row for key, row in ours.items() if any(row)} == {key: row for key, row in both.items() if any(row)}


def as_record(raw: dict[str, Any]) -> dict[str, Any]:
    """A line as the record that a transcript would have."""
    if raw["type"] not in ("assistant", "user"):
        return {"type": "system"}
    record: dict[str, Any] = {key: raw[key] for key in ("type", "timestamp", "message", "uuid", "origin") if key in raw}
    record["isSidechain"] = raw.get("parent_tool_use_id") is not None
    record["isMeta"] = raw["type"] == "user" and raw.get("isReplay") is not True
    if "tool_use_result" in raw:
        record["toolUseResult"] = raw["tool_use_result"]
    return record


TOOLS = some.sampled_from(["Bash", "Read", "Agent", "TodoWrite", "TaskCreate", "TaskUpdate", "proxy_Task", "mcp__a__b"])
INPUTS = some.fixed_dictionaries(
    {},
    optional={
        "file_path": some.sampled_from(["/a", " ", "\x1b[2J", "x" * 2000]),
        "command": some.just("ls"),
        "subagent_type": some.just("Explore"),
        "description": some.just("look"),
        "run_in_background": some.booleans(),
        "todos": some.just([{"content": "a", "status": "pending"}]),
        "subject": some.just("write"),
        "taskId": some.sampled_from(["1", "2"]),
        "status": some.sampled_from(["completed", "in_progress", "deleted"]),
    },
)
IDS = some.sampled_from(["t1", "t2", "t3", "t4"])
BLOCKS = some.one_of(
    some.just({"type": "text", "text": "ok"}),
    some.fixed_dictionaries({"type": some.just("tool_use"), "id": IDS, "name": TOOLS, "input": INPUTS}),
)
SAID = some.sampled_from(
    [
        "ok",
        "[Request interrupted by user]",
        "Task #1 created",
        "<task-notification><task-id>a</task-id>",
        "Continue from",
    ]
)
RESULTS = some.fixed_dictionaries(
    {"type": some.just("tool_result"), "tool_use_id": IDS, "content": SAID, "is_error": some.booleans()}
)
FIGURES = some.integers(0, 300_000)
USAGES = some.builds(
    lambda sent, output, reads, writes, hour: {
        **usage(sent, output, reads, writes),
        "cache_creation": {"ephemeral_1h_input_tokens": hour, "ephemeral_5m_input_tokens": max(0, writes - hour)},
    },
    FIGURES,
    FIGURES,
    FIGURES,
    FIGURES,
    FIGURES,
) | some.sampled_from([None, {}, {"input_tokens": "9"}, {"input_tokens": 5, "speed": "fast"}, {"output_tokens": True}])
PARENTS = some.sampled_from([None, None, None, "t1"])
# A message is of one model and of one conversation.
SAID_BY = (
    ("m1", "claude-opus-4-6", None),
    ("m2", "claude-haiku-4-5", "t1"),
    ("m3", "<synthetic>", None),
    ("m4", "claude-opus-4-6", None),
    ("m5", "claude-haiku-4-5", None),
    ("m6", "claude-opus-4-6", "t2"),
)
ANSWERS = some.builds(
    lambda said, blocks, tokens: json.loads(
        answer(said[0], *blocks, tokens=tokens or {}, parent_tool_use_id=said[2], model=said[1])
    ),
    some.sampled_from(SAID_BY),
    some.lists(BLOCKS, max_size=2),
    USAGES,
)
USERS = some.builds(
    lambda content, parent, replay, result: {
        **json.loads(line("user", message={"role": "user", "content": content}, parent_tool_use_id=parent)),
        **({"isReplay": True} if replay else {}),
        **({"tool_use_result": result} if result else {}),
    },
    some.lists(RESULTS, max_size=2) | SAID | SAID.map(lambda said: [{"type": "text", "text": said}]),
    PARENTS,
    some.booleans(),
    some.sampled_from([None, "x", {"isAsync": True}, {"task": {"id": "1"}}, {"status": "completed"}]),
)


@given(some.lists(ANSWERS | USERS, max_size=25))
def test_any_conversation_is_folded_like_a_transcript(lines: list[dict[str, Any]]) -> None:
    """Whatever is said in whatever order, the journal agrees with that of a transcript of the same."""
    seen: set[str] = set()
    for at, one in enumerate(lines):
        one["timestamp"] = records.at(at)
        for block in one["message"]["content"] if one["type"] == "assistant" else []:
            # A call that is sent twice is one call here, and a new one in a transcript.
            if "id" in block:
                block["id"] += "" if block["id"] not in seen else f"-{at}-{len(seen)}"
                seen.add(block["id"])
    fold = Fold()
    fold.add_all(items(b"".join(json.dumps(one).encode() + b"\n" for one in lines)))
    agree(fold, lines)


@pytest.mark.parametrize("path", RECORDED, ids=name)
def test_payload_has_the_shape_of_the_hosts(path: Path) -> None:
    """The payload of a recorded stream has what a status line is handed, in the same form."""
    found = of(path).payload()
    version = path.parent.name
    assert found["version"] == version
    assert (
        found["cwd"] == found["workspace"]["current_dir"] == found["workspace"]["project_dir"] == "/home/user/project"
    )
    assert found["workspace"]["added_dirs"] == []
    assert found["output_style"] == {"name": "default"}
    assert found["fast_mode"] is False
    assert found["exceeds_200k_tokens"] is False
    assert found["cost"]["total_cost_usd"] > 0
    assert found["cost"]["total_duration_ms"] >= found["cost"]["total_api_duration_ms"] > 0
    window = found["context_window"]
    assert window["context_window_size"] in (200_000, 1_000_000)
    assert window["total_input_tokens"] == sum(window["current_usage"][key] for key in KINDS if key != "output_tokens")
    assert window["used_percentage"] + window["remaining_percentage"] == 100


@pytest.mark.parametrize(
    ("version", "what", "ident", "label", "size"),
    [
        ("2.1.215", "hello", "claude-opus-4-8[1m]", "Opus 4.8", 1_000_000),
        ("2.1.332", "hello", "claude-opus-5-5", "Opus 5.5", 1_000_000),
        ("2.1.332", "rl", "claude-sonnet-5-5", "Sonnet 5.5", 1_000_000),
    ],
)
def test_model_of_recorded_streams(version: str, what: str, ident: str, label: str, size: int) -> None:
    """Model and window are those of the session, from its first line on."""
    lines = items((DATA / version / f"print-{what}.ndjson").read_bytes())
    for count in (1, len(lines)):
        fold = Fold()
        fold.add_all(lines[:count])
        found = fold.payload()
        assert found["model"] == {"id": ident, "display_name": label}
        assert found["context_window"]["context_window_size"] == size


def test_limits_become_those_of_a_payload() -> None:
    """Both spellings of a limit's note become windows in percent."""
    fold = of(DATA / "2.1.332" / "print-rl.ndjson")
    assert fold.payload()["rate_limits"] == {
        "five_hour": {"used_percentage": 42.0, "resets_at": 1796044200},
        "seven_day": {"used_percentage": 17.0, "resets_at": 1796342400},
    }
    five = limits.five_hour(fold.payload(), world(fold, 1796044200 - 60))
    assert five is not None
    assert (five["percent"], five["resets_in_s"]) == (42, 60)
    single = folded(init(), line("rate_limit_event", rate_limit_info={"rateLimitType": "seven_day", "resetsAt": 9}))
    assert single.payload()["rate_limits"] == {"seven_day": {"resets_at": 9}}


def test_families_follow_a_stream() -> None:
    """The families of computed fields read a stream as they read a transcript."""
    lines = items((DATA / "2.1.332" / "print-tools.ndjson").read_bytes())
    fold = Fold()
    fold.add_all(lines)
    payload, seen = fold.payload(), world(fold)
    tools = activity.tools(payload, seen)
    assert tools is not None
    assert tools["counts"] == {"Bash": 2, "Read": 1, "Write": 1, "Edit": 1, "ToolSearch": 1}
    assert (tools["errors"], tools["running"]) == (1, [])
    todos = activity.todos(payload, seen)
    assert todos is not None
    assert (todos["done"], todos["total"]) == (1, 3)
    assert (cost.usd(payload, seen), cost.source(payload, seen)) == (0.1084428, "native")
    assert transcript.complete(payload, seen) is True
    assert transcript.messages(payload, seen) == 9
    assert transcript.prompts(payload, seen) == 1
    assert context.percent(payload, seen) == 2
    assert model.name(payload, seen) == "Opus 5.5"
    assert model.resolved(payload, seen) == "claude-opus-5-5"
    assert session.duration_s(payload, seen) is not None
    assert (payload["cost"]["total_lines_added"], payload["cost"]["total_lines_removed"]) == (5, 0)


def test_cost_is_estimated_until_it_is_told() -> None:
    """Before the result the cost is what the tokens come to at list prices, agents included."""
    known = usage(1000, 1000)
    fold = folded(init(), answer("m1", tokens=known), answer("m2", tokens=known, parent_tool_use_id="t1"))
    assert "total_cost_usd" not in fold.payload()["cost"]
    assert cost.source(fold.payload(), world(fold)) == "estimated"
    assert cost.usd(fold.payload(), world(fold)) == pytest.approx(2 * (1000 * 5 + 1000 * 25) / 1e6)


def test_snapshots_of_a_message_are_counted_once() -> None:
    """Of all that is said of one message the largest counts, in any order of blocks and events."""
    lines = [
        started("m1", usage(10, 1)),
        answer("m1", tokens=usage(10, 1)),
        answer("m1", call("t1"), tokens=usage(10, 1)),
        event("message_delta", usage={"output_tokens": 50, "input_tokens": None}),
        event("message_stop"),
    ]
    for count, output in ((1, 1), (2, 1), (3, 1), (4, 50), (5, 50)):
        fold = folded(init(), *lines[:count])
        assert fold.summary().tokens == Tokens(10, output), count
        assert fold.payload()["context_window"]["current_usage"]["output_tokens"] == output
        assert fold.journal()["messages"] == 1
    again = folded(init(), *lines, answer("m1", tokens=usage(10, 1)), answer("m0"), answer("m1"))
    assert again.summary().tokens == Tokens(20, 51)


def test_answers_without_an_id_are_counted_each() -> None:
    """Lines of messages without an id are told apart by their own, also where their tokens are the same."""
    lines = [line("assistant", message={"usage": usage(2, 5)}, uuid=uuid) for uuid in ("u1", "u2", "u2")]
    found = folded(init(), *lines)
    assert (found.summary().tokens, found.journal()["messages"]) == (Tokens(4, 10), 2)


def test_events_of_agents_and_of_the_conversation_may_mix() -> None:
    """Messages that are made at the same time are kept apart by the call they belong to."""
    end = {"usage": {"output_tokens": 70}}
    fold = folded(
        init(),
        started("m1", usage(10, 1)),
        started("m2", usage(500, 1), parent="t1"),
        event("message_delta", usage={"output_tokens": 9}),
        event("message_delta", parent="t1", **end),
        event("message_delta", parent="t2", **end),
    )
    assert fold.summary().tokens == Tokens(510, 79)
    assert fold.payload()["context_window"]["total_input_tokens"] == 10
    assert fold.journal()["messages"] == 1


def test_speed_is_known_only_with_events() -> None:
    """An answer's line has its output tokens as at its start: without events no speed comes of it."""
    asked = (init(),)
    made = (started("m1"), answer("m1"), event("message_delta", usage={"output_tokens": 90}))
    fold = Fold()
    for at, part in ((0, asked), (3, made)):
        fold.add_all(items(b"".join(part)), records.START_S + at)
    assert speed.output_per_s({}, world(fold)) == 30.0
    silent = Fold()
    silent.add_all(items(b"".join(asked)), records.START_S)
    silent.add_all(items(answer("m1")), records.START_S + 3)
    assert speed.output_per_s({}, world(silent)) is None


def test_turns_add_up() -> None:
    """Cost and use by model restate the whole; time, exchanges and what was said since are added."""
    used = {"inputTokens": 100, "outputTokens": 20, "costUSD": 0.12, "contextWindow": 200_000}
    first = (init(), answer("m1"), ended(0.12, modelUsage={"claude-opus-4-6": used}))
    second = (init(), answer("m2", tokens=usage(7, 3)))
    fold = folded(*first, *second)
    assert fold.running
    assert fold.summary().tokens == Tokens(107, 23)
    assert fold.payload()["cost"]["total_cost_usd"] == 0.12
    fold = folded(*first, *second, answer("m1", tokens=usage(900, 900)))
    assert fold.summary().tokens == Tokens(107, 23)
    twice = {**used, "inputTokens": 300, "costUSD": 0.3}
    found = folded(*first, *second, ended(0.3, modelUsage={"claude-opus-4-6": twice})).summary()
    assert (found.tokens, found.cost_usd, found.cost_by_model) == (Tokens(300, 20), 0.3, {"claude-opus-4-6": 0.3})
    assert (found.turns, found.duration_ms, found.duration_api_ms, found.results) == (4, 4000, 1500, 2)
    assert found.finished


def test_result_without_use_by_model() -> None:
    """Where a result tells only its turn's tokens, they take the place of what the turn's lines said."""
    told = {**usage(10, 40, 100, 2000), "cache_creation": {"ephemeral_1h_input_tokens": 2000}}
    fold = folded(init(), answer("m1"), ended(usage=told), answer("m2"), ended(usage=told))
    assert fold.summary().tokens == Tokens(20, 80, 200, 0, 4000)
    less = folded(init(), answer("m1", tokens=usage(1000)), ended(usage=usage(10, 40)))
    assert less.summary().tokens == Tokens(1000, 1)


def test_writes_for_an_hour_stay_known() -> None:
    """Older hosts do not tell the two kinds of writes apart in their sums; what was seen of them does."""
    split = {
        **usage(writes=500),
        "cache_creation": {"ephemeral_1h_input_tokens": 400, "ephemeral_5m_input_tokens": 100},
    }
    used = {"cacheCreationInputTokens": 700, "outputTokens": 1}
    lines = (init(), answer("m1", tokens=split))
    assert folded(*lines, ended(modelUsage={"claude-opus-4-6[1m]": used})).summary().tokens == Tokens(0, 1, 0, 300, 400)
    told = {**used, "cacheCreationEphemeral1hInputTokens": 650}
    assert folded(*lines, ended(modelUsage={"claude-opus-4-6": told})).summary().tokens == Tokens(0, 1, 0, 50, 650)


def test_single_answer_has_its_turns_output() -> None:
    """Where the turn was one answer, its output is known from the result."""
    fold = folded(init(), answer("m1"), ended(usage=usage(10, 44)))
    assert fold.payload()["context_window"]["current_usage"]["output_tokens"] == 44
    fold = folded(init(), answer("m1"), answer("m2"), ended(usage=usage(20, 88)))
    assert fold.payload()["context_window"]["current_usage"]["output_tokens"] == 1


def test_sessions_are_kept_apart() -> None:
    """Another session starts from nothing; limits, which are of the account, stay."""
    limit = line("rate_limit_event", rate_limit_info={"rateLimitType": "five_hour", "utilization": 0.5})
    fold = folded(
        init(), limit, answer("m1", call("t1")), ended(0.12), init(session_id="s2"), ended(0.05, session_id="s2")
    )
    found = fold.summary()
    assert (found.session_id, found.cost_usd, found.sessions, found.tools) == ("s2", 0.05, 2, {})
    assert fold.payload()["rate_limits"]["five_hour"] == {"used_percentage": 50.0}


def test_another_session_has_the_setup_of_its_process() -> None:
    """A conversation that begins anew without a setup of its own keeps the last one, and none of the figures."""
    fold = folded(init(), answer("m1"), ended(0.12), ended(0.05, session_id="s2"))
    found = fold.payload()
    assert (found["session_id"], found["cwd"], found["model"]["id"]) == ("s2", "/home/user/project", "claude-opus-4-6")
    assert (fold.summary().cost_usd, fold.journal()["messages"]) == (0.05, 0)


def test_newest_setup_sets_the_model() -> None:
    """A setup with another model counts at once; what answered before does not stand in its way, what answers does."""
    first = (init(), answer("m1", model="claude-sonnet-4-6"), ended(0.12))
    for later in ("claude-haiku-4-5", "claude-opus-4-6"):
        fold = folded(*first, init(model=later))
        assert (fold.payload()["model"]["id"], model.id(fold.payload(), world(fold))) == (later, later)
        assert model.resolved(fold.payload(), world(fold)) is None
    fold = folded(*first, init(model="claude-sonnet-4-6[1m]"))
    assert model.resolved(fold.payload(), world(fold)) == "claude-sonnet-4-6"
    fold = folded(*first, init(), answer("m2", model="claude-haiku-4-5"))
    assert fold.payload()["model"]["id"] == "claude-haiku-4-5"


def test_lines_of_no_turn_change_no_session() -> None:
    """Only messages of a conversation can change the session: not a hook's note, nor an agent's line."""
    fold = folded(
        line("system", subtype="hook_started", session_id="s0"),
        init(),
        line("brand_new", session_id="s9"),
        answer("m2", session_id="s8", parent_tool_use_id="t1"),
    )
    assert (fold.session_id, fold.sessions) == (SESSION, 1)


def test_repeated_setup_holds() -> None:
    """The newest setup counts, and what it leaves out is unknown again."""
    fold = folded(init(output_style="terse", claude_code_version="2.1.300"), ended(), init(cwd="/home/user/other"))
    found = fold.payload()
    assert (found["cwd"], found["output_style"]) == ("/home/user/other", {"name": "default"})
    assert "version" not in found


def test_model_of_an_agent_is_not_the_sessions() -> None:
    """An agent's model is shown with the agent and changes nothing else."""
    launch = call("t1", "Agent", subagent_type="Explore", description="look")
    fold = folded(init(), answer("m1", launch), answer("m2", model="claude-haiku-4-5", parent_tool_use_id="t1"))
    assert fold.payload()["model"]["id"] == "claude-opus-4-6"
    assert model.id(fold.payload(), world(fold)) == "claude-opus-4-6"
    [agent] = activity.agents(fold.payload(), world(fold)) or []
    assert (agent["type"], agent["model"], agent["status"]) == ("Explore", "claude-haiku-4-5", "running")
    assert fold.summary().agents == 1


def test_another_model_that_answers_is_shown() -> None:
    """A model that answers in place of the one that was asked for is the session's; another spelling of it is not."""
    assert folded(init(), answer("m1", model="claude-sonnet-4-6")).payload()["model"]["id"] == "claude-sonnet-4-6"
    fold = folded(init(model="claude-opus-4-6[1m]"), answer("m1"))
    assert fold.payload()["model"]["id"] == "claude-opus-4-6[1m]"
    fold = folded(init(), answer("m1", model="<synthetic>", tokens=usage(0, 0)))
    assert fold.payload()["model"]["id"] == "claude-opus-4-6"
    assert fold.payload()["context_window"]["current_usage"] is None


def test_background_agents_end_by_their_notification() -> None:
    """An agent in the background runs on after its launch has its result, until the host tells of its end."""
    launch = call("t1", "Agent", description="look", run_in_background=True)
    lines = [
        init(),
        answer("m1", launch, timestamp=records.at(0)),
        line("system", subtype="task_started", task_id="a1", tool_use_id="t1", is_backgrounded=True),
        done("t1", tool_use_result={"isAsync": True, "agentId": "a1"}, timestamp=records.at(1)),
        line("system", subtype="task_notification", task_id="a1", tool_use_id="t1", status="running"),
    ]
    fold = folded(*lines)
    assert [agent["status"] for agent in activity.agents({}, world(fold)) or []] == ["running"]
    over = folded(*lines, line("system", subtype="task_notification", tool_use_id="t1", status="completed"))
    [agent] = activity.agents({}, world(over)) or []
    assert (agent["status"], agent["elapsed_s"], agent["background"]) == ("completed", 1, True)


def test_running_calls_end_with_the_turn() -> None:
    """A call without a result runs until its turn has ended."""
    fold = folded(init(), answer("m1", call("t1", command="make test"), timestamp=records.at(5)))
    tools = activity.tools({}, world(fold, records.START_S + 8))
    assert tools is not None
    assert tools["running"] == [{"name": "Bash", "target": "make test", "elapsed_s": 3}]
    fold.add_all(items(ended()))
    tools = activity.tools({}, world(fold))
    assert tools is not None
    assert tools["running"] == []


@pytest.mark.parametrize("meta", [[{"permission_decision": {"decision": "reject"}}], None])
def test_denied_calls_have_not_failed(meta: Any) -> None:
    """What was not allowed is a denial and no failure, whether its line or only the result says so."""
    denials = [{"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {}}]
    fold = folded(
        init(),
        answer("m1", call("t1"), call("t2")),
        done("t1", "not allowed", failed=True, tool_result_meta=meta),
        done("t2", "exit code 1", failed=True),
        ended(permission_denials=denials),
        ended(permission_denials=denials),
    )
    found = fold.summary()
    assert (found.denials, found.tool_errors) == (("Bash",), 1)


def test_compaction_empties_the_window() -> None:
    """After a compaction nothing is known of the window until the next answer."""
    compact = line("system", subtype="compact_boundary", compact_metadata={"trigger": "auto", "pre_tokens": 9})
    fold = folded(init(), answer("m1"), compact)
    assert fold.payload()["context_window"]["current_usage"] is None
    assert context.percent(fold.payload(), world(fold)) is None
    assert transcript.compactions({}, world(fold)) == 1
    assert folded(init(), answer("m1"), compact, answer("m2")).payload()["context_window"]["total_input_tokens"] == 10


@pytest.mark.parametrize(
    ("version", "ident", "size"),
    [
        ("2.1.215", "claude-sonnet-5", 200_000),
        ("2.1.215", "claude-sonnet-5[1m]", 1_000_000),
        ("2.1.332", "my-gateway/custom-model-v3", 1_000_000),
        ("2.1.230", "claude-sonnet-4-6", 200_000),
        ("2.1.300", "claude-opus-5-5", None),
        (None, "my-gateway/custom-model-v3", None),
    ],
)
def test_window_before_a_result(version: str | None, ident: str, size: int | None) -> None:
    """The size of the window is what is known of host and model, and unknown where nobody knows."""
    told = {} if version is None else {"claude_code_version": version}
    assert folded(init(model=ident, **told)).payload()["context_window"].get("context_window_size") == size


def test_window_as_a_result_tells_it() -> None:
    """What a result tells of a model's window counts before anything else, under another spelling too."""
    lines = (init(model="us.anthropic.claude-opus-4-6-v1:0"), answer("m1"))
    fold = folded(*lines, ended(modelUsage={"claude-opus-4-6": {"contextWindow": 300_000, "inputTokens": 1}}))
    assert fold.payload()["context_window"]["context_window_size"] == 300_000


def test_time_goes_on_while_a_turn_runs() -> None:
    """The time of a running turn is counted from its first line, by its own moments or by those of its arrival."""
    live = folded(init(), at=records.START_S)
    assert live.payload(records.START_S + 2.5)["cost"]["total_duration_ms"] == 2500
    told = folded(init(), answer("m1", timestamp=records.at(1)), done("t", timestamp=records.at(4)))
    assert told.payload()["cost"]["total_duration_ms"] == 3000
    live.add_all(items(ended()), records.START_S + 3)
    assert live.payload(records.START_S + 60)["cost"]["total_duration_ms"] == 2000
    assert "total_duration_ms" not in folded(init()).payload()["cost"]


def test_failed_runs_say_why() -> None:
    """The flag of the result decides, and what went wrong is kept in words."""
    found = folded(
        init(), answer("m1", error="rate_limit"), ended(subtype="error_max_turns", errors=["max turns"])
    ).summary()
    assert (found.is_error, found.errors) == (False, ("rate_limit", "max turns"))
    found = folded(init(), ended(is_error=True, result="API Error: 401")).summary()
    assert (found.is_error, found.subtype, found.result) == (True, "success", "API Error: 401")


def test_broken_streams_are_told() -> None:
    """Bad, long and unknown lines are counted, and a run without a result is not finished."""
    reader = Reader(limit=600)
    fold = Fold()
    fold.add_all(reader.feed(init() + b"oops\n" + b"x" * 601 + b"\n" + line("brand_new") + ended()[:30]))
    fold.add_all(reader.close())
    found = fold.summary()
    assert (found.messages, found.bad_lines, found.long_lines) == (2, 2, 1)
    assert (found.finished, found.is_error, found.cost_usd) == (False, None, None)


def test_nothing_is_known_of_nothing() -> None:
    """A stream without a line has a payload and a report too."""
    fold = Fold()
    assert fold.payload()["context_window"]["used_percentage"] is None
    assert fold.payload().get("model") is None
    assert fold.summary().tokens.total == 0
    assert fold.journal()["complete"] is True


def test_hostile_lengths_are_bounded() -> None:
    """However many ids, tools, models and errors a stream names, its state stays small."""
    fold = Fold()
    for count in range(6000):
        block = call(f"t{count}", f"tool-{count}", command="x" * 5000)
        one = answer(f"m{count}", block, model=f"claude-{count}", error="e" * 2000, timestamp=records.at(count % 3000))
        fold.add_all(items(one))
    fold.add_all(items(ended(permission_denials=[{"tool_use_id": str(count)} for count in range(3000)])))
    journal, found = fold.journal(), fold.summary()
    assert len(journal["open"]) <= 32
    assert len(found.models) <= 51
    assert len(found.tools) <= 201
    assert sum(found.tools.values()) == 6000
    assert len(found.denials) <= 200
    assert len(repr(journal)) + len(repr(found)) < 100_000
    assert len(fold._journal._replies) <= 1024
    assert len(fold._journal._calls) <= 2048


VALUES = some.sampled_from(
    [None, 3, -1, 1.5, "x", [], {}, [1], {"a": 1}, [{"type": "tool_use"}], [{"type": "tool_result"}]]
)


@given(
    some.lists(
        some.tuples(some.sampled_from([*range(12)]), some.text("abemnopstu_.", max_size=12), VALUES), max_size=12
    )
)
def test_no_object_breaks_the_state(changes: list[tuple[int, str, Any]]) -> None:
    """Whatever stands in place of whatever field, folding and looking raise nothing."""
    lines = [json.loads(one) for one in samples()]
    for at, key, value in changes:
        change(lines[at % len(lines)], key, value)
    fold = Fold()
    fold.add_all(items(b"".join(json.dumps(one).encode() + b"\n" for one in lines)), records.START_S)
    assert isinstance(json.dumps([fold.payload(), fold.journal()]), str)
    assert fold.summary().messages == len(lines)


@pytest.mark.parametrize("value", [None, True, 3, "", [], ["x"], {}, {"a": 1}], ids=repr)
def test_every_field_may_be_missing_or_odd(value: Any) -> None:
    """Each field of each line in turn is left out or of another type, with the lines before it or alone."""
    lines = [json.loads(one) for one in samples()]
    for at, whole in enumerate(lines):
        for path in places(whole):
            odd = json.loads(json.dumps(whole))
            inner = odd
            for key in path[:-1]:
                inner = inner[key]
            if value is None:
                del inner[path[-1]]
            else:
                inner[path[-1]] = value
            for before in ([], lines[:at]):
                fold = Fold()
                fold.add_all(map(message, [*before, odd]), records.START_S)
                assert isinstance(json.dumps([fold.payload(), fold.journal()]), str)
                assert fold.summary().messages == len(before) + 1


def places(value: Any) -> Iterator[tuple[Any, ...]]:
    """Where in a message something stands, as keys from the outside in."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield (key,)
        for inner in places(value[key]):
            yield (key, *inner)


def samples() -> list[bytes]:
    """A line of each kind."""
    return [
        init(),
        started("m1"),
        event("message_delta", usage={"output_tokens": 5}),
        answer("m1", call("t1"), call("t2", "TaskCreate", subject="a"), call("t3", "Agent", description="b")),
        done("t1", failed=True, tool_result_meta=[{"permission_decision": {"decision": "reject"}}]),
        done("t2", tool_use_result={"type": "create", "content": "a", "structuredPatch": [{"lines": ["+a"]}]}),
        line("system", subtype="task_notification", tool_use_id="t3"),
        line("rate_limit_event", rate_limit_info={"unifiedWindows": {"five_hour": {"utilization": 0.1}}}),
        ended(modelUsage={"m": {"inputTokens": 1}}, permission_denials=[{"tool_use_id": "t1"}], usage=usage()),
    ]


def change(value: Any, key: str, new: Any) -> None:
    """Puts a value in place of a field whose name has these letters, wherever it is."""
    if isinstance(value, dict):
        for name_of, inner in list(value.items()):
            if key and name_of.startswith(key[:2]):
                value[name_of] = new
            else:
                change(inner, key, new)
    elif isinstance(value, list):
        for inner in value:
            change(inner, key, new)


def test_array_case_is_read_like_lines() -> None:
    """The case of the one-array form comes to its cost."""
    assert of(CASES / "303-stream-json-array" / "array.json").summary().cost_usd == 0.12
