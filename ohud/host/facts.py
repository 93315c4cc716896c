"""What the host sends to a status line: each field of the payload with its type, unit, first version and source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_DRAFT = "https://json-schema.org/draft/2020-12/schema"

# Where a fact comes from. "recorded": seen in payloads of the real host, versions 2.1.215 and 2.1.332.
SOURCES = {
    "recorded": "payloads recorded from the host, 2.1.215 and 2.1.332, 2026-11-30",
    "bundle": "text of the host's own program, 2.1.332, never seen in a payload, 2026-11-30",
    "changelog": "https://code.claude.com/docs/en/changelog, seen 2026-11-30",
    "old docs": "https://v50.ai/skills/lexler-skill-factory-writing-statuslines, seen 2026-11-30",
    "model ids": "https://github.com/anthropics/claude-code/issues/35279, seen 2026-11-30",
    "bare model": "https://github.com/philoserf/claude-code-config/pull/189, seen 2026-11-30",
    "effort": "https://github.com/anthropics/claude-code/issues/69178, seen 2026-11-30",
    "cost": "https://github.com/anthropics/claude-code/issues/77970, seen 2026-11-30",
    "peer report": "https://github.com/JanDeDobbeleer/oh-my-posh/issues/7286, seen 2026-11-30",
    "window size": "https://github.com/anthropics/claude-code/issues/73399, seen 2026-11-30",
    "null usage": "https://github.com/anthropics/claude-code/issues/58268, seen 2026-11-30",
    "percent": "https://github.com/anthropics/claude-code/issues/17959, seen 2026-11-30",
    "totals": "https://github.com/anthropics/claude-code/issues/17183, seen 2026-11-30",
    "no limits": "https://github.com/anthropics/claude-code/issues/95918, seen 2026-11-30",
    "limits": "https://github.com/anthropics/claude-code/issues/92081, seen 2026-11-30",
    "reset forms": "https://github.com/hagan/claudia-statusline/pull/67, seen 2026-11-30",
    "transcript": "https://github.com/anthropics/claude-code/issues/77565, seen 2026-11-30",
    "windows": "https://github.com/nilbuild/claude-statusline/issues/8, seen 2026-11-30",
    "prompt": "https://github.com/anthropics/claude-code/issues/86169, seen 2026-11-30",
    "remote": "https://github.com/sirmalloc/ccstatusline/issues/299, seen 2026-11-30",
    "fast mode": "https://github.com/anthropics/claude-code/issues/53558, seen 2026-11-30",
    "one capture": "https://github.com/kunchenguid/firstmate/pull/1270, seen 2026-11-30",
    "other tool": "https://github.com/sirmalloc/ccstatusline/blob/main/src/types/StatusJSON.ts, seen 2026-11-30",
}


@dataclass(frozen=True, slots=True)
class Fact:
    """
    One field of the payload.

    Takes:  path: names joined by dots, `[]` behind a list; types: JSON types that hosts have sent, null apart (any
            field may be null); since: the first version known to send it, "<=" the oldest where it was seen,
            "~" by one outside table only, None unknown; source: a key of `SOURCES`
    """

    path: str
    types: tuple[str, ...]
    since: str | None
    note: str
    source: str
    unit: str | None = None
    known: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The note with the unit and the first version, as a schema's description."""
        unit = f" [{self.unit}]" if self.unit else ""
        since = f" Since {self.since}." if self.since else ""
        return f"{self.note}{unit}.{since}"


_TEXT = ("string",)
_WHOLE = ("integer",)
_NUMBER = ("number",)
_TRUTH = ("boolean",)
_OBJECT = ("object",)
_TEXTS = ("array",)

_ABOUT_SESSION = (
    Fact("hook_event_name", _TEXT, "~ 1.0.71", "`Status`, from 1.0.x hosts only", "other tool"),
    Fact(
        "session_id",
        _TEXT,
        "1.0.71",
        "Names the conversation; a new one after /clear, the same after --continue",
        "old docs",
    ),
    Fact(
        "session_name",
        _TEXT,
        "<= 2.1.98",
        "What the user or the host called the conversation; absent until it has a name; any text at all",
        "recorded",
    ),
    Fact("prompt_id", _TEXT, "<= 2.1.215", "Names the last prompt; absent before the first one", "prompt"),
    Fact(
        "transcript_path",
        _TEXT,
        "1.0.71",
        "The JSON Lines file of the conversation; it need not exist yet, and moves when a worktree is entered",
        "transcript",
    ),
    Fact("cwd", _TEXT, "1.0.71", "The current directory, which may be gone; `\\` or `/` on Windows", "windows"),
    Fact("agent_type", _TEXT, "<= 2.1.215", "The agent that the main conversation was started as", "recorded"),
    Fact("version", _TEXT, "1.0.71", "The host's version, such as 2.1.332", "recorded"),
    Fact("output_style", _OBJECT, "~ 1.0.80", "How the model was told to write", "recorded"),
    Fact("output_style.name", _TEXT, "~ 1.0.80", "The style's name; users define their own", "recorded"),
    Fact("fast_mode", _TRUTH, "<= 2.1.119", "Whether fast mode is on", "fast mode"),
    Fact("thinking", _OBJECT, "2.1.119", "Extended thinking", "changelog"),
    Fact("thinking.enabled", _TRUTH, "2.1.119", "Whether extended thinking is on", "changelog"),
    Fact("remote", _OBJECT, "<= 2.1.98", "There only while the session is controlled from elsewhere", "remote"),
    Fact("remote.session_id", _TEXT, "<= 2.1.98", "Names the remote session", "remote"),
    Fact("vim", _OBJECT, "<= 2.1.80", "There only while vim keys are on", "recorded"),
    Fact(
        "vim.mode",
        _TEXT,
        "<= 2.1.80",
        "The mode of the input field",
        "recorded",
        known=("INSERT", "NORMAL", "VISUAL", "VISUAL LINE"),
    ),
    Fact("agent", _OBJECT, "<= 2.1.98", "There only in a session started with --agent", "recorded"),
    Fact("agent.name", _TEXT, "<= 2.1.98", "The agent's name", "recorded"),
)

_ABOUT_MODEL = (
    Fact("model", ("object", "string"), "1.0.71", "The model asked for; a bare id from some other hosts", "bare model"),
    Fact(
        "model.id",
        _TEXT,
        "1.0.71",
        "The id with what the provider puts around it (`[1m]`, `us.anthropic.`, an ARN, `@date`); may lag a switch",
        "model ids",
    ),
    Fact("model.display_name", _TEXT, "1.0.71", "The model's name for people; the raw id on Bedrock", "model ids"),
    Fact(
        "effort", ("object", "string"), "2.1.119", "How hard the model thinks; a bare word from some builds", "effort"
    ),
    Fact(
        "effort.level",
        _TEXT,
        "2.1.119",
        "The level; models bring words of their own",
        "effort",
        known=("low", "medium", "high", "xhigh", "max", "ultracode"),
    ),
)

_ABOUT_PLACE = (
    Fact("workspace", _OBJECT, "1.0.71", "Where the session works", "old docs"),
    Fact("workspace.current_dir", _TEXT, "1.0.71", "The same as `cwd`", "old docs"),
    Fact(
        "workspace.project_dir",
        _TEXT,
        "1.0.71",
        "Where the session was started; not the root of the repository",
        "old docs",
    ),
    Fact("workspace.added_dirs", _TEXTS, "2.1.47", "Directories added to the session", "changelog"),
    Fact("workspace.added_dirs[]", _TEXT, "2.1.47", "One added directory", "changelog"),
    Fact("workspace.git_worktree", _TEXT, "2.1.97", "The name of the linked worktree; absent elsewhere", "changelog"),
    Fact(
        "workspace.cloud_dir", _TEXT, "<= 2.1.332", "The directory at the other end, where it is another one", "bundle"
    ),
    Fact(
        "workspace.repo",
        _OBJECT,
        "2.1.145",
        "The repository by its origin; absent without one, and for nested groups",
        "recorded",
    ),
    Fact("workspace.repo.host", _TEXT, "2.1.145", "The server, such as github.com", "recorded"),
    Fact("workspace.repo.owner", _TEXT, "2.1.145", "The repository's owner", "recorded"),
    Fact("workspace.repo.name", _TEXT, "2.1.145", "The repository's name", "recorded"),
    Fact("worktree", _OBJECT, "2.1.69", "There only in a session started with --worktree", "changelog"),
    Fact("worktree.name", _TEXT, "2.1.69", "The worktree's name", "recorded"),
    Fact("worktree.path", _TEXT, "2.1.69", "The worktree's directory", "recorded"),
    Fact("worktree.branch", _TEXT, "2.1.69", "The worktree's branch; absent when a hook made the worktree", "recorded"),
    Fact("worktree.original_cwd", _TEXT, "2.1.69", "Where the session came from", "recorded"),
    Fact(
        "worktree.original_branch",
        _TEXT,
        "2.1.69",
        "The branch there; absent when a hook made the worktree",
        "recorded",
    ),
    Fact("pr", _OBJECT, "2.1.145", "The branch's open pull request; absent without one", "changelog"),
    Fact("pr.number", _WHOLE, "2.1.145", "Its number", "recorded"),
    Fact("pr.url", _TEXT, "2.1.145", "Its address", "recorded"),
    Fact("pr.review_state", _TEXT, "2.1.145", "Where its review stands, such as `approved`", "recorded"),
    Fact("pr.kind", _TEXT, "2.1.234", "`mr` for a merge request of GitLab", "changelog"),
)

_ABOUT_COST = (
    Fact("cost", _OBJECT, "~ 1.0.80", "What the session has used", "old docs"),
    Fact(
        "cost.total_cost_usd",
        _NUMBER,
        "~ 1.0.80",
        "The host's own estimate at list price, also for subscribers; 0 is a value; some builds do not reset it",
        "peer report",
        "USD",
    ),
    Fact(
        "cost.total_duration_ms",
        _NUMBER,
        "~ 1.0.80",
        "Time since the session began; resets as the cost does",
        "cost",
        "ms",
    ),
    Fact(
        "cost.total_api_duration_ms",
        _NUMBER,
        "~ 1.0.80",
        "Time spent waiting for replies; more than the session's own with agents side by side",
        "old docs",
        "ms",
    ),
    Fact("cost.total_lines_added", _WHOLE, "~ 1.0.80", "Lines that tools have added to files", "old docs", "lines"),
    Fact(
        "cost.total_lines_removed", _WHOLE, "~ 1.0.80", "Lines that tools have removed from files", "old docs", "lines"
    ),
)

_ABOUT_CONTEXT = (
    Fact(
        "exceeds_200k_tokens",
        _TRUTH,
        "1.0.88",
        "Whether the context is over 200000 tokens, whatever its window",
        "recorded",
    ),
    Fact("context_window", _OBJECT, "<= 2.0.70", "The context window and how full it is", "null usage"),
    Fact(
        "context_window.context_window_size",
        _WHOLE,
        "<= 2.0.70",
        "The window, 200000 or 1000000; some builds say 200000 in a larger one",
        "window size",
        "tokens",
    ),
    Fact(
        "context_window.total_input_tokens",
        _WHOLE,
        "<= 2.0.70",
        "Input of the last request; up to 2.1.131 the sum over the session",
        "totals",
        "tokens",
    ),
    Fact(
        "context_window.total_output_tokens",
        _WHOLE,
        "<= 2.0.70",
        "Output of the last request; up to 2.1.131 the sum over the session",
        "totals",
        "tokens",
    ),
    Fact("context_window.total_tokens", _WHOLE, None, "Seen in one capture only", "one capture", "tokens"),
    Fact(
        "context_window.current_usage",
        _OBJECT,
        "2.0.70",
        "The last request in parts; null before the first reply; zeros or null after /compact",
        "null usage",
    ),
    Fact(
        "context_window.current_usage.input_tokens", _WHOLE, "2.0.70", "Input that no cache held", "recorded", "tokens"
    ),
    Fact(
        "context_window.current_usage.output_tokens",
        _WHOLE,
        "2.0.70",
        "Output so far; it counts up while the reply comes in",
        "peer report",
        "tokens",
    ),
    Fact(
        "context_window.current_usage.cache_creation_input_tokens",
        _WHOLE,
        "2.0.70",
        "Input written to the cache",
        "recorded",
        "tokens",
    ),
    Fact(
        "context_window.current_usage.cache_read_input_tokens",
        _WHOLE,
        "2.0.70",
        "Input read from the cache",
        "recorded",
        "tokens",
    ),
    Fact(
        "context_window.used_percentage",
        _NUMBER,
        "2.1.6",
        "How full the window is, output left out; null early, wrong where the window is",
        "percent",
        "%",
    ),
    Fact("context_window.remaining_percentage", _NUMBER, "2.1.6", "What is left of the window", "percent", "%"),
)

_WINDOWS = (
    ("five_hour", "2.1.80", "The five-hour window", "limits"),
    ("seven_day", "2.1.80", "The seven-day window", "limits"),
    ("spend_limit", "2.1.251", "The spending limit, from a gateway only", "bundle"),
)

_ABOUT_LIMITS = (
    Fact(
        "rate_limits",
        _OBJECT,
        "2.1.80",
        "The limits of a subscription; absent with an API key and before the first reply",
        "no limits",
    ),
    *(
        fact
        for name, since, note, source in _WINDOWS
        for fact in (
            Fact(f"rate_limits.{name}", _OBJECT, since, f"{note}; left out when it is not known", source),
            Fact(
                f"rate_limits.{name}.used_percentage",
                ("number", "string"),
                since,
                "How much of it is used; older hosts pass 100 and carry binary noise; text from other hosts",
                source,
                "%",
            ),
            Fact(
                f"rate_limits.{name}.resets_at",
                ("number", "string"),
                since,
                "When it starts anew, in epoch seconds; milliseconds or ISO text from other hosts; may be past",
                "reset forms",
                "s",
            ),
        )
    ),
    Fact("rate_limits.spend_limit.used_usd", _NUMBER, "2.1.284", "What is spent", "bundle", "USD"),
    Fact("rate_limits.spend_limit.limit_usd", _NUMBER, "2.1.284", "What may be spent", "bundle", "USD"),
    Fact("rate_limits.spend_limit.period", _TEXT, "2.1.284", "The time that the limit is for", "bundle"),
)

_ABOUT_CACHE = (
    Fact(
        "prompt_cache",
        _OBJECT,
        "2.1.251",
        "The prompt cache of the main conversation; absent before a reply",
        "recorded",
    ),
    Fact(
        "prompt_cache.warm", _TRUTH, "2.1.251", "Whether the next request finds it; as old as the payload", "recorded"
    ),
    Fact("prompt_cache.caching_observed", _TRUTH, "2.1.251", "Whether any request has used a cache", "recorded"),
    Fact("prompt_cache.ttl", _TEXT, "2.1.251", "How long an entry lives", "recorded", known=("5m", "1h")),
    Fact(
        "prompt_cache.expires_at",
        _NUMBER,
        "2.1.251",
        "When it goes cold, in epoch seconds; may be past",
        "recorded",
        "s",
    ),
    Fact("prompt_cache.requests", _WHOLE, "2.1.251", "Requests so far", "recorded"),
    Fact("prompt_cache.misses", _WHOLE, "2.1.251", "Requests that found it cold without need", "recorded"),
    Fact("prompt_cache.expected_rebuilds", _WHOLE, "2.1.251", "Requests that had to write it anew", "recorded"),
    Fact(
        "prompt_cache.hit_ratio",
        _NUMBER,
        "2.1.251",
        "Share of the input that it gave, over the session",
        "recorded",
        "0..1",
    ),
    Fact("prompt_cache.cache_write_tokens", _WHOLE, "2.1.251", "Tokens written so far", "recorded", "tokens"),
    Fact(
        "prompt_cache.miss_recache_tokens", _WHOLE, "2.1.251", "Tokens written again after misses", "recorded", "tokens"
    ),
    Fact(
        "prompt_cache.recache_tokens_if_cold",
        _WHOLE,
        "2.1.251",
        "Tokens that a miss would write again; null after /compact",
        "recorded",
        "tokens",
    ),
    Fact("prompt_cache.last_miss_at", _NUMBER, "2.1.251", "When the last miss was, in epoch seconds", "recorded", "s"),
    Fact("prompt_cache.last_miss_cause", _OBJECT, "2.1.260", "Why the last miss was", "changelog"),
    Fact("prompt_cache.last_miss_cause.causes", _TEXTS, "2.1.260", "Causes, such as `likely_server_side`", "recorded"),
    Fact("prompt_cache.last_miss_cause.causes[]", _TEXT, "2.1.260", "One cause", "recorded"),
    Fact("prompt_cache.miss_causes", ("object", "array"), "2.1.260", "Misses by cause", "changelog"),
)

FACTS: tuple[Fact, ...] = (
    *_ABOUT_SESSION,
    *_ABOUT_MODEL,
    *_ABOUT_PLACE,
    *_ABOUT_COST,
    *_ABOUT_CONTEXT,
    *_ABOUT_LIMITS,
    *_ABOUT_CACHE,
)


def payload_schema() -> dict[str, Any]:
    """
    A tolerant JSON Schema (draft 2020-12) of the payload.

    Returns:  every field optional and nullable, unknown fields welcome: no host has ever kept to a strict one
    """
    root: dict[str, Any] = {
        "$schema": _DRAFT,
        "title": "The payload of a status line",
        "description": "What Claude Code hands to its statusLine command on standard input, as far as it is known.",
        "type": "object",
    }
    for fact in FACTS:
        place = root
        *parents, name = fact.path.replace("[]", ".[]").split(".")
        for parent in parents:
            place = place["properties"][parent]
        if name == "[]":
            place["items"] = _described(fact)
        else:
            place.setdefault("properties", {})[name] = _described(fact)
    return root


def _described(fact: Fact) -> dict[str, Any]:
    """One field as a schema."""
    described: dict[str, Any] = {"description": fact.sentence, "type": [*fact.types, "null"]}
    if fact.known:
        # Words are added with each release, so they are examples and no enum.
        described["examples"] = list(fact.known)
    return described
