"""
Messages of the stream-json protocol as typed views over the objects that were sent.

A view holds nothing but the object itself (`raw`), so no field is lost, known or not, and reading one costs nothing
until a field is asked for. A field that is missing or of another type than expected is None (a list or a table: empty),
never an error.

Source:  streams of hosts 2.1.215 and 2.1.332; public notes on the protocol, read 2026-11-30
"""

from __future__ import annotations

from typing import Any, TypeVar

JsonObject = dict[str, Any]
_V = TypeVar("_V", bound="View")


def _text(raw: JsonObject, key: str) -> str | None:
    value = raw.get(key)
    return value if isinstance(value, str) else None


def _whole(raw: JsonObject, key: str) -> int | None:
    """A whole number from 0 up; 3.0 counts as one."""
    value = raw.get(key)
    if type(value) is float and value.is_integer():
        value = int(value)
    return value if type(value) is int and value >= 0 else None


def _number(raw: JsonObject, key: str) -> float | None:
    value = raw.get(key)
    # What JSON cannot say, Python's reader may still hand over: NaN and the infinities are no figures.
    return value if type(value) is int or (type(value) is float and value - value == 0.0) else None


def _flag(raw: JsonObject, key: str) -> bool | None:
    value = raw.get(key)
    return value if isinstance(value, bool) else None


def _table(raw: JsonObject, key: str) -> JsonObject:
    value = raw.get(key)
    return value if isinstance(value, dict) else {}


def _texts(raw: JsonObject, key: str) -> tuple[str, ...]:
    value = raw.get(key)
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _views(kind: type[_V], raw: JsonObject, key: str) -> tuple[_V, ...]:
    value = raw.get(key)
    return tuple(kind(item) for item in value if isinstance(item, dict)) if isinstance(value, list) else ()


class View:
    """One object of the stream, read through properties; equal to another of its kind with an equal object."""

    __slots__ = ("raw",)

    def __init__(self, raw: JsonObject) -> None:
        self.raw = raw

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, View) and self.raw == other.raw

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "%s(%r)" % (type(self).__name__, self.raw)


class CacheCreation(View):
    """Tokens written to the prompt cache, by how long they stay there."""

    __slots__ = ()

    @property
    def ephemeral_5m_input_tokens(self) -> int | None:
        """Kept for five minutes [tokens]."""
        return _whole(self.raw, "ephemeral_5m_input_tokens")

    @property
    def ephemeral_1h_input_tokens(self) -> int | None:
        """Kept for an hour [tokens]."""
        return _whole(self.raw, "ephemeral_1h_input_tokens")


class ServerToolUse(View):
    """Calls of tools that the maker's servers ran."""

    __slots__ = ()

    @property
    def web_search_requests(self) -> int | None:
        """Searches."""
        return _whole(self.raw, "web_search_requests")

    @property
    def web_fetch_requests(self) -> int | None:
        """Pages fetched."""
        return _whole(self.raw, "web_fetch_requests")


class Usage(View):
    """Tokens of one message, or in a result of one turn."""

    __slots__ = ()

    @property
    def input_tokens(self) -> int | None:
        """Sent and not cached [tokens]."""
        return _whole(self.raw, "input_tokens")

    @property
    def output_tokens(self) -> int | None:
        """Answered [tokens]; in an `assistant` line only what was known at the message's start."""
        return _whole(self.raw, "output_tokens")

    @property
    def cache_creation_input_tokens(self) -> int | None:
        """Written to the cache [tokens]."""
        return _whole(self.raw, "cache_creation_input_tokens")

    @property
    def cache_read_input_tokens(self) -> int | None:
        """Read from the cache [tokens]."""
        return _whole(self.raw, "cache_read_input_tokens")

    @property
    def thinking_tokens(self) -> int | None:
        """The part of the output that is thinking [tokens]."""
        return _whole(_table(self.raw, "output_tokens_details"), "thinking_tokens")

    @property
    def cache_creation(self) -> CacheCreation:
        """What was written to the cache, by time; empty when it is not said."""
        return CacheCreation(_table(self.raw, "cache_creation"))

    @property
    def server_tool_use(self) -> ServerToolUse:
        """Calls of server tools; empty when it is not said."""
        return ServerToolUse(_table(self.raw, "server_tool_use"))

    @property
    def service_tier(self) -> str | None:
        """Such as `standard`."""
        return _text(self.raw, "service_tier")

    @property
    def speed(self) -> str | None:
        """`standard` or `fast`."""
        return _text(self.raw, "speed")


class ModelUsage(View):
    """What one model has used since the process started; the host spells these in another way than `Usage`."""

    __slots__ = ()

    @property
    def input_tokens(self) -> int | None:
        """Sent and not cached [tokens]."""
        return _whole(self.raw, "inputTokens")

    @property
    def output_tokens(self) -> int | None:
        """Answered [tokens]."""
        return _whole(self.raw, "outputTokens")

    @property
    def cache_read_input_tokens(self) -> int | None:
        """Read from the cache [tokens]."""
        return _whole(self.raw, "cacheReadInputTokens")

    @property
    def cache_creation_input_tokens(self) -> int | None:
        """Written to the cache [tokens]."""
        return _whole(self.raw, "cacheCreationInputTokens")

    @property
    def cache_creation_1h_input_tokens(self) -> int | None:
        """The part of the writes that stays for an hour [tokens]; hosts from about 2.1.3xx on."""
        return _whole(self.raw, "cacheCreationEphemeral1hInputTokens")

    @property
    def web_search_requests(self) -> int | None:
        """Searches."""
        return _whole(self.raw, "webSearchRequests")

    @property
    def cost_usd(self) -> float | None:
        """What that has cost [USD]."""
        return _number(self.raw, "costUSD")

    @property
    def context_window(self) -> int | None:
        """Size of the model's context window [tokens]."""
        return _whole(self.raw, "contextWindow")

    @property
    def max_output_tokens(self) -> int | None:
        """Longest answer [tokens]."""
        return _whole(self.raw, "maxOutputTokens")


class McpServer(View):
    """An MCP server as `init` lists it."""

    __slots__ = ()

    @property
    def name(self) -> str | None:
        """Its name."""
        return _text(self.raw, "name")

    @property
    def status(self) -> str | None:
        """Such as `connected`, `failed`, `needs-auth`, `pending`."""
        return _text(self.raw, "status")

    @property
    def source(self) -> str | None:
        """Where it was configured."""
        return _text(self.raw, "source")


class PermissionDenial(View):
    """A call that was not allowed."""

    __slots__ = ()

    @property
    def tool_name(self) -> str | None:
        """The tool."""
        return _text(self.raw, "tool_name")

    @property
    def tool_use_id(self) -> str | None:
        """The call."""
        return _text(self.raw, "tool_use_id")

    @property
    def tool_input(self) -> JsonObject:
        """What it was called with."""
        return _table(self.raw, "tool_input")


class Block(View):
    """One block of a message's content; which fields it has goes by its type."""

    __slots__ = ()

    @property
    def type(self) -> str | None:
        """`text`, `thinking`, `tool_use`, `tool_result`, `image`, `server_tool_use`, ..."""
        return _text(self.raw, "type")

    @property
    def text(self) -> str | None:
        """The words of a text block."""
        return _text(self.raw, "text")

    @property
    def thinking(self) -> str | None:
        """The words of a thinking block."""
        return _text(self.raw, "thinking")

    @property
    def id(self) -> str | None:
        """The id of a call."""
        return _text(self.raw, "id")

    @property
    def name(self) -> str | None:
        """The tool of a call."""
        return _text(self.raw, "name")

    @property
    def input(self) -> JsonObject:
        """What a tool is called with."""
        return _table(self.raw, "input")

    @property
    def tool_use_id(self) -> str | None:
        """The call that a result belongs to."""
        return _text(self.raw, "tool_use_id")

    @property
    def is_error(self) -> bool | None:
        """Whether a result is an error; None where it is not said, which means no."""
        return _flag(self.raw, "is_error")

    @property
    def content(self) -> tuple[Block, ...]:
        """The blocks of a result; a bare text is one block."""
        return _blocks(self.raw.get("content"))


def _blocks(content: object) -> tuple[Block, ...]:
    if isinstance(content, str):
        return (Block({"type": "text", "text": content}),)
    if isinstance(content, list):
        return tuple(
            Block(item if isinstance(item, dict) else {"type": "text", "text": item})
            for item in content
            if isinstance(item, (dict, str))
        )
    return ()


class ApiMessage(View):
    """The message of the model's interface inside an `assistant` or `user` line."""

    __slots__ = ()

    @property
    def id(self) -> str | None:
        """Its id, the same in all lines of one message."""
        return _text(self.raw, "id")

    @property
    def role(self) -> str | None:
        """`assistant` or `user`."""
        return _text(self.raw, "role")

    @property
    def model(self) -> str | None:
        """The model that answered; `<synthetic>` where the host itself speaks."""
        return _text(self.raw, "model")

    @property
    def content(self) -> tuple[Block, ...]:
        """Its blocks; a bare text is one block."""
        return _blocks(self.raw.get("content"))

    @property
    def stop_reason(self) -> str | None:
        """Why it ended; None in `assistant` lines, which are sent before its end."""
        return _text(self.raw, "stop_reason")

    @property
    def usage(self) -> Usage:
        """Its tokens; empty when there are none."""
        return Usage(_table(self.raw, "usage"))


class Message(View):
    """One message of the stream, of whatever type; unknown types are of this class."""

    __slots__ = ()

    @property
    def type(self) -> str | None:
        """The type as it was sent."""
        return _text(self.raw, "type")

    @property
    def session_id(self) -> str | None:
        """The session it belongs to."""
        return _text(self.raw, "session_id")

    @property
    def uuid(self) -> str | None:
        """Its own id."""
        return _text(self.raw, "uuid")

    @property
    def parent_tool_use_id(self) -> str | None:
        """The call that started the agent it comes from; None in the main conversation."""
        return _text(self.raw, "parent_tool_use_id")

    @property
    def timestamp(self) -> str | None:
        """When it was made, as ISO 8601 text; many lines have none."""
        return _text(self.raw, "timestamp")


class System(Message):
    """`system`: what the host says of itself and its surroundings; of its subtypes only `Init` has fields of note."""

    __slots__ = ()

    @property
    def subtype(self) -> str | None:
        """`init`, `status`, `compact_boundary`, `task_started`, `api_retry`, ..."""
        return _text(self.raw, "subtype")


class Init(System):
    """`system/init`: the session's setup; sent anew at each turn, and the newest holds."""

    __slots__ = ()

    @property
    def cwd(self) -> str | None:
        """Working directory."""
        return _text(self.raw, "cwd")

    @property
    def model(self) -> str | None:
        """Id of the model that was asked for."""
        return _text(self.raw, "model")

    @property
    def tools(self) -> tuple[str, ...]:
        """Names of the tools on offer."""
        return _texts(self.raw, "tools")

    @property
    def mcp_servers(self) -> tuple[McpServer, ...]:
        """The MCP servers and how they are."""
        return _views(McpServer, self.raw, "mcp_servers")

    @property
    def permission_mode(self) -> str | None:
        """`default`, `acceptEdits`, `plan`, ..."""
        return _text(self.raw, "permissionMode")

    @property
    def slash_commands(self) -> tuple[str, ...]:
        """Names of the commands, without the slash."""
        return _texts(self.raw, "slash_commands")

    @property
    def api_key_source(self) -> str | None:
        """Where the key comes from; `none` with a subscription."""
        return _text(self.raw, "apiKeySource")

    @property
    def claude_code_version(self) -> str | None:
        """The host's version; older builds do not say."""
        return _text(self.raw, "claude_code_version")

    @property
    def output_style(self) -> str | None:
        """Name of the output style."""
        return _text(self.raw, "output_style")

    @property
    def agents(self) -> tuple[str, ...]:
        """Names of the agents."""
        return _texts(self.raw, "agents")

    @property
    def skills(self) -> tuple[str, ...]:
        """Names of the skills."""
        return _texts(self.raw, "skills")

    @property
    def plugins(self) -> tuple[JsonObject | str, ...]:
        """The plugins: objects with `name`, `path`, `source`; bare names in older builds."""
        value = self.raw.get("plugins")
        return tuple(item for item in value if isinstance(item, (dict, str))) if isinstance(value, list) else ()


class StreamEvent(Message):
    """`stream_event`: one event of a message while it is made; only with `--include-partial-messages`."""

    __slots__ = ()

    @property
    def event(self) -> JsonObject:
        """The event as it was sent."""
        return _table(self.raw, "event")

    @property
    def kind(self) -> str | None:
        """`message_start`, `content_block_start`, `content_block_delta`, `content_block_stop`, `message_delta`, ..."""
        return _text(self.event, "type")

    @property
    def index(self) -> int | None:
        """The block it belongs to."""
        return _whole(self.event, "index")

    @property
    def message(self) -> ApiMessage:
        """The message that `message_start` begins; empty in other events."""
        return ApiMessage(_table(self.event, "message"))

    @property
    def block(self) -> Block:
        """The block that `content_block_start` begins; empty in other events."""
        return Block(_table(self.event, "content_block"))

    @property
    def delta(self) -> JsonObject:
        """What is added; empty in events that add nothing."""
        return _table(self.event, "delta")

    @property
    def text(self) -> str | None:
        """The words that are added to a text block."""
        return _text(self.delta, "text")

    @property
    def usage(self) -> Usage:
        """Tokens of the message so far, in `message_delta`; empty in other events."""
        return Usage(_table(self.event, "usage"))

    @property
    def ttft_ms(self) -> int | None:
        """Time to the first token [ms]."""
        return _whole(self.raw, "ttft_ms")


class Assistant(Message):
    """`assistant`: one block of an answer, when it is whole."""

    __slots__ = ()

    @property
    def message(self) -> ApiMessage:
        """The answer."""
        return ApiMessage(_table(self.raw, "message"))

    @property
    def error(self) -> str | None:
        """What went wrong, such as `authentication_failed`."""
        return _text(self.raw, "error")


class User(Message):
    """`user`: results of tools, prompts that are sent back, or what an agent was asked."""

    __slots__ = ()

    @property
    def message(self) -> ApiMessage:
        """What was said."""
        return ApiMessage(_table(self.raw, "message"))

    @property
    def tool_use_result(self) -> Any:
        """The result in the tool's own form: an object, a text or a list; None when there is none."""
        return self.raw.get("tool_use_result")

    @property
    def is_replay(self) -> bool | None:
        """Whether it is a prompt of the input, sent back."""
        return _flag(self.raw, "isReplay")


class Result(Message):
    """`result`: the end of a turn. Cost and use by model are of the process so far, `usage` is of the turn."""

    __slots__ = ()

    @property
    def subtype(self) -> str | None:
        """`success`, `error_during_execution`, `error_max_turns`, ...; `is_error` decides, not this."""
        return _text(self.raw, "subtype")

    @property
    def is_error(self) -> bool | None:
        """Whether the turn failed, as the host says."""
        return _flag(self.raw, "is_error")

    @property
    def failed(self) -> bool:
        """Whether the turn failed: what the host says, or where it does not, whether the subtype is an error's."""
        said = self.is_error
        return (self.subtype or "").startswith("error") if said is None else said

    @property
    def result(self) -> str | None:
        """The last answer's text, or the error's; some errors have none."""
        return _text(self.raw, "result")

    @property
    def errors(self) -> tuple[str, ...]:
        """What went wrong, where there is no `result`."""
        return _texts(self.raw, "errors")

    @property
    def duration_ms(self) -> int | None:
        """How long the turn took [ms]."""
        return _whole(self.raw, "duration_ms")

    @property
    def duration_api_ms(self) -> int | None:
        """How long the model's interface was waited for [ms]."""
        return _whole(self.raw, "duration_api_ms")

    @property
    def num_turns(self) -> int | None:
        """Exchanges with the model."""
        return _whole(self.raw, "num_turns")

    @property
    def total_cost_usd(self) -> float | None:
        """Cost of the process so far [USD]; old builds say `cost_usd`."""
        found = _number(self.raw, "total_cost_usd")
        return _number(self.raw, "cost_usd") if found is None else found

    @property
    def usage(self) -> Usage:
        """Tokens of the main conversation in this turn."""
        return Usage(_table(self.raw, "usage"))

    @property
    def model_usage(self) -> dict[str, ModelUsage]:
        """What each model has used in this process, agents included."""
        models = _table(self.raw, "modelUsage")
        return {name: ModelUsage(used) for name, used in models.items() if isinstance(used, dict)}

    @property
    def permission_denials(self) -> tuple[PermissionDenial, ...]:
        """Calls that were not allowed."""
        return _views(PermissionDenial, self.raw, "permission_denials")

    @property
    def stop_reason(self) -> str | None:
        """Why the last answer ended."""
        return _text(self.raw, "stop_reason")

    @property
    def terminal_reason(self) -> str | None:
        """Why the turn ended, such as `completed` or `api_error`."""
        return _text(self.raw, "terminal_reason")

    @property
    def structured_output(self) -> Any:
        """The answer in the form that was asked for; None when there is none."""
        return self.raw.get("structured_output")


class LimitWindow(View):
    """One window of a subscription's limits."""

    __slots__ = ()

    @property
    def utilization(self) -> float | None:
        """The part that is used, 1 for all of it; None while it is far from the limit, in many builds."""
        return _number(self.raw, "utilization")

    @property
    def resets_at(self) -> float | None:
        """When the window ends [s since 1970]."""
        return _number(self.raw, "resetsAt")

    @property
    def status(self) -> str | None:
        """`allowed`, `allowed_warning` or `rejected`."""
        return _text(self.raw, "status")


class RateLimitEvent(Message):
    """`rate_limit_event`: how a subscription's limits are."""

    __slots__ = ()

    @property
    def info(self) -> JsonObject:
        """The note as it was sent."""
        return _table(self.raw, "rate_limit_info")

    @property
    def status(self) -> str | None:
        """`allowed`, `allowed_warning` or `rejected`."""
        return _text(self.info, "status")

    @property
    def limit(self) -> str | None:
        """The window that counts most: `five_hour`, `seven_day`, ..."""
        return _text(self.info, "rateLimitType")

    @property
    def windows(self) -> dict[str, LimitWindow]:
        """The windows by name: all that are told, else the one that the note is about."""
        told = _table(self.info, "unifiedWindows")
        found = {name: LimitWindow(window) for name, window in told.items() if isinstance(window, dict)}
        limit = self.limit
        if limit is not None and limit not in found:
            found[limit] = LimitWindow(self.info)
        return found


_KINDS: dict[Any, type[Message]] = {
    "system": System,
    "stream_event": StreamEvent,
    "assistant": Assistant,
    "user": User,
    "result": Result,
    "rate_limit_event": RateLimitEvent,
}


def message(raw: JsonObject) -> Message:
    """
    The view of one decoded object.

    Returns:  of the class that its type names; `Message` for an unknown type or none
    Errors:   none
    """
    kind = raw.get("type")
    found = _KINDS.get(kind, Message) if type(kind) is str else Message
    if found is System and raw.get("subtype") == "init":
        found = Init
    return found(raw)
