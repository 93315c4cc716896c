"""Messages as typed views: nothing of a line is lost, and nothing in it can break a view."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some
from streams import CROWDED, DATA, DOCUMENTED, LINES, name

from ohud.stream import (
    Assistant,
    BadLine,
    Block,
    Init,
    Message,
    RateLimitEvent,
    Result,
    StreamEvent,
    System,
    User,
    View,
    message,
    parse_line,
)

VIEWS = [Message, System, Init, StreamEvent, Assistant, User, Result, RateLimitEvent]
RECORDED = [path for path in LINES if DATA in path.parents and path != DOCUMENTED]


def documented(at: int) -> Any:
    return parse_line(DOCUMENTED.read_bytes().split(b"\n")[at])


def recorded(path: Path) -> list[Message]:
    found = [parse_line(line) for line in path.read_bytes().split(b"\n")]
    return [one for one in found if one is not None]


def read_through(view: View, deep: int = 4) -> int:
    """Reads every property of a view and of those it gives; how many there are."""
    count = 0
    for key in dir(type(view)):
        if not key.startswith("_") and isinstance(getattr(type(view), key), property):
            value = getattr(view, key)
            count += 1
            for one in value if isinstance(value, tuple) else [value]:
                if isinstance(one, View) and deep:
                    count += read_through(one, deep - 1)
    return count


@pytest.mark.parametrize("path", LINES, ids=name)
def test_raw_is_the_json_of_its_line(path: Path) -> None:
    """Every recorded line that is JSON is kept whole in its message."""
    seen = 0
    for line in path.read_bytes().split(b"\n"):
        try:
            found = parse_line(line)
        except BadLine:
            assert not whole(line)
            continue
        if found is not None:
            seen += 1
            assert found.raw == json.loads(line)
    assert seen or path.parent.name in CROWDED


def whole(line: bytes) -> bool:
    """Whether a line is one object and nothing more."""
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


@pytest.mark.parametrize("path", RECORDED, ids=name)
def test_recorded_lines_have_types(path: Path) -> None:
    """No line of either host is of an unknown type, and each session has its setup and its result."""
    kinds = [type(one) for one in recorded(path)]
    assert Message not in kinds
    assert kinds.count(Init) == 1
    assert kinds[-1] is Result


@pytest.mark.parametrize("path", RECORDED, ids=name)
def test_every_property_of_a_recorded_message_can_be_read(path: Path) -> None:
    """Reading all that a view offers raises nothing, and the envelope is there in each line."""
    for one in recorded(path):
        assert read_through(one) > 4
        assert one.session_id is not None
        assert one.uuid is not None


def test_documented_init() -> None:
    """The documented setup has its values."""
    found = documented(0)
    assert isinstance(found, Init)
    assert (found.subtype, found.cwd, found.model) == ("init", "/home/user/project", "claude-opus-4-5-20251101")
    assert found.tools == ("Bash", "Read", "Write")
    assert found.permission_mode == "default"
    assert found.slash_commands == ("commit",)
    assert (found.mcp_servers, found.agents, found.skills, found.plugins) == ((), (), (), ())
    assert (found.api_key_source, found.claude_code_version, found.output_style) == ("none", "2.1.17", "default")


def test_documented_result() -> None:
    """The documented result has its values."""
    found = documented(1)
    assert isinstance(found, Result)
    assert (found.subtype, found.is_error, found.failed, found.result) == ("success", False, False, "hello")
    assert (found.duration_ms, found.duration_api_ms, found.num_turns) == (2633, 2600, 1)
    assert found.total_cost_usd == 0.12779625
    assert (found.usage.input_tokens, found.usage.cache_creation_input_tokens) == (3, 20429)
    assert found.usage.cache_creation.ephemeral_5m_input_tokens == 20429
    assert found.usage.server_tool_use.web_fetch_requests == 0
    assert found.usage.service_tier == "standard"
    assert (found.model_usage, found.permission_denials) == ({}, ())


def test_documented_assistant() -> None:
    """The documented answer has its values."""
    found = documented(2)
    assert isinstance(found, Assistant)
    assert found.message.id == "msg_016erzjGS5oTB6Q8uohJEpAs"
    assert [block.text for block in found.message.content] == ["hello"]
    assert found.parent_tool_use_id is None
    assert (found.message.role, found.message.stop_reason) == ("assistant", None)


def test_documented_tool_result() -> None:
    """The documented result of a tool has its values."""
    found = documented(3)
    assert isinstance(found, User)
    assert found.message.role == "user"
    assert len(found.message.content) == 1
    block = found.message.content[0]
    assert (block.type, block.tool_use_id) == ("tool_result", "toolu_01TV2WdLXaSZwBGgKGPvLEmy")
    assert [part.text for part in block.content] == ["hello"]
    assert found.tool_use_result["file"] == {"filePath": "/tmp/hello.txt"}


def test_documented_tool_use() -> None:
    """The documented call of a tool has its values."""
    found = documented(4)
    assert isinstance(found, Assistant)
    assert found.message.model == "claude-opus-4-5-20251101"
    assert len(found.message.content) == 1
    block = found.message.content[0]
    assert (block.name, block.input) == ("Read", {"file_path": "/tmp/hello.txt"})


def test_limits_of_both_spellings() -> None:
    """Windows come from the list of all where there is one, else from the note itself."""
    told = message({"type": "rate_limit_event", "rate_limit_info": {"rateLimitType": "seven_day", "resetsAt": 5}})
    assert isinstance(told, RateLimitEvent)
    assert told.windows["seven_day"].resets_at == 5
    assert told.windows["seven_day"].utilization is None
    [new] = [one for one in recorded(DATA / "2.1.332" / "print-rl.ndjson") if isinstance(one, RateLimitEvent)]
    assert {key: window.utilization for key, window in new.windows.items()} == {"five_hour": 0.42, "seven_day": 0.17}
    assert new.status == "allowed"


def test_result_fails_by_its_flag() -> None:
    """The flag decides; only where it is missing does the subtype."""
    assert Result({"subtype": "success", "is_error": True}).failed
    assert not Result({"subtype": "error_max_turns", "is_error": False}).failed
    assert Result({"subtype": "error_max_turns"}).failed
    assert not Result({"subtype": "completion"}).failed


def test_old_spelling_of_cost() -> None:
    """Old builds said `cost_usd`."""
    assert Result({"cost_usd": 0.07}).total_cost_usd == 0.07
    assert Result({"cost_usd": 0.07, "total_cost_usd": 0}).total_cost_usd == 0


def test_unknown_types_are_kept() -> None:
    """A type that nobody knows, or none, is a plain message with all it holds."""
    for raw in ({"type": "brand_new", "x": 1}, {"no_type": True}, {"type": ["system"]}, {"type": None}):
        found = message(raw)
        assert type(found) is Message
        assert found.raw is raw


def test_system_needs_no_field() -> None:
    """A system line without anything is one, and another subtype than init is no setup."""
    assert type(message({"type": "system"})) is System
    assert type(message({"type": "system", "subtype": "status"})) is System
    assert type(message({"type": "system", "subtype": "init"})) is Init


def test_views_are_equal_by_what_they_hold() -> None:
    """Equal objects of one type are equal messages; of two types they are not."""
    assert System({"a": 1}) == System({"a": 1})
    assert System({"a": 1}) != Init({"a": 1})
    assert System({"a": 1}) != {"a": 1}


def test_bare_text_is_one_block() -> None:
    """Content that is a text reads like content of one block."""
    assert Block({"content": "ok"}).content == (Block({"type": "text", "text": "ok"}),)


JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=5),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMES = """
    type subtype message event usage content model id tools mcp_servers plugins modelUsage permission_denials
    rate_limit_info unifiedWindows rateLimitType cache_creation server_tool_use is_error result errors
    total_cost_usd duration_ms session_id uuid parent_tool_use_id timestamp tool_use_result
"""
KEYS = some.sampled_from(NAMES.split())
OBJECTS = some.dictionaries(KEYS, JSON | some.dictionaries(KEYS, JSON, max_size=4), max_size=6)


@given(OBJECTS)
def test_wrong_types_are_none(raw: dict[str, Any]) -> None:
    """No view of any kind raises over any object."""
    for kind in VIEWS:
        assert read_through(kind(raw)) > 3
