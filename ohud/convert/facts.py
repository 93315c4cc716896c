"""What a status line can show, as ohud's expressions: the words that every converter translates into."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    """
    One thing to show.

    Takes:  value: JMESPath; body: a template that prints it; priority: what goes first in a narrow terminal is the
            lowest; icon: its name among ohud's icons; when: JMESPath that hides it
    """

    value: str
    body: str = "{{ value }}"
    priority: int = 50
    icon: str | None = None
    when: str | None = None


_PERCENT = "{{ value | percent }}"
_TOKENS = "{{ value | tokens }}"
_SPAN = "{{ value | duration }}"
_BAR = "{{ value | bar(10, icon('full'), icon('track')) }}"
_LEFT = "{{ value | countdown }}"
_SIGNS = (
    "{% if value.conflicts %}!{{ value.conflicts }} {% endif %}{% if value.staged %}+{{ value.staged }} {% endif %}"
    "{% if value.modified %}~{{ value.modified }} {% endif %}{% if value.untracked %}?{{ value.untracked }}{% endif %}"
)

FACTS: dict[str, Fact] = {
    "model": Fact("computed.model.name", priority=90, icon="model"),
    "model_id": Fact("computed.model.id", priority=60, icon="model"),
    "model_label": Fact("computed.model.requested", priority=90, icon="model"),
    "folder": Fact("workspace.current_dir || cwd", "{{ value | basename }}", 75, "folder"),
    "project": Fact("computed.project.name", priority=75, icon="project"),
    "path": Fact("workspace.current_dir || cwd", "{{ value | short_path(30) }}", 75, "folder"),
    "whole_path": Fact("workspace.current_dir || cwd", "{{ value | short_path(200) }}", 75, "folder"),
    "project_path": Fact("computed.project.short", priority=75, icon="folder"),
    "branch": Fact("computed.git.branch", priority=70, icon="branch"),
    "head": Fact("computed.git.branch || computed.git.commit", priority=70, icon="branch"),
    "commit": Fact("computed.git.commit", priority=30, icon="commit"),
    "git_root": Fact("computed.git.root", "{{ value | basename }}", 45, "folder"),
    "operation": Fact("computed.git.operation", priority=65, icon="warning"),
    "staged": Fact("computed.git.staged", priority=45),
    "modified": Fact("computed.git.modified", priority=45),
    "untracked": Fact("computed.git.untracked", priority=40),
    "conflicts": Fact("computed.git.conflicts", priority=60, icon="conflict"),
    "stashes": Fact("computed.git.stashes", priority=25, icon="stash"),
    "dirty": Fact("computed.git.dirty", "{{ icon('dirty') if value }}", 50),
    "working_tree": Fact(
        "computed.git.{staged: staged, modified: modified, untracked: untracked, conflicts: conflicts}",
        _SIGNS,
        45,
        when="computed.git.dirty",
    ),
    "divergence": Fact(
        "computed.git.[ahead, behind]",
        "{% if value[0] %}{{ icon('ahead') }}{{ value[0] }}{% endif %}"
        "{% if value[1] %}{{ icon('behind') }}{{ value[1] }}{% endif %}",
        45,
    ),
    "git_lines": Fact(
        "computed.git.{added: lines_added, removed: lines_removed}",
        "(+{{ value.added or 0 }},-{{ value.removed or 0 }})",
        40,
        when="computed.git.lines_added != `null`",
    ),
    "git_added": Fact("computed.git.lines_added", "+{{ value }}", 40),
    "git_removed": Fact("computed.git.lines_removed", "-{{ value }}", 40),
    "worktree": Fact("computed.project.worktree", priority=50, icon="worktree"),
    "worktree_branch": Fact("worktree.branch", priority=40, icon="branch"),
    "original_branch": Fact("worktree.original_branch", priority=20, icon="branch"),
    "repository_owner": Fact("workspace.repo.owner", priority=30),
    "repository": Fact("workspace.repo.name", priority=40),
    "repository_full": Fact("workspace.repo", "{{ value.owner }}/{{ value.name }}", 40, when="workspace.repo.name"),
    "pull_request": Fact("pr.number", "PR #{{ value }}", 55, "pull_request"),
    "style": Fact("output_style.name", priority=30),
    "version": Fact("version", priority=15),
    "session_id": Fact("session_id", priority=10),
    "session_name": Fact("computed.session.name", priority=40, icon="session"),
    "effort": Fact("computed.effort", priority=40, icon="effort"),
    "thinking": Fact("thinking.enabled", "{{ 'thinking' if value }}", 30),
    "fast": Fact("fast_mode", "{{ 'fast' if value }}", 30, "bolt"),
    "vim": Fact("vim.mode", priority=35),
    "agent": Fact("agent.name", priority=45, icon="agent"),
    "context": Fact("computed.context.percent", _PERCENT, 85, "context"),
    "context_left": Fact("computed.context.left", _PERCENT, 85, "context"),
    "context_bar": Fact("computed.context.percent", _BAR, 85, "context"),
    "context_tokens": Fact("computed.context.tokens", _TOKENS, 80, "token"),
    "context_size": Fact("computed.context.size", _TOKENS, 35, "context"),
    "cost": Fact("computed.cost.usd", "{{ value | money }}", 60, "cost"),
    "host_cost": Fact("cost.total_cost_usd", "{{ value | money }}", 60, "cost"),
    "cost_rate": Fact("computed.cost.per_hour", "{{ value | money }}/h", 35, "fire"),
    "today_cost": Fact("computed.today.cost_usd", "{{ value | money }}", 50, "calendar"),
    "duration": Fact("computed.session.duration_s", _SPAN, 40, "time"),
    "api_time": Fact("computed.session.api_s", _SPAN, 30, "timer"),
    "lines_added": Fact("computed.session.lines_added", "+{{ value }}", 40),
    "lines_removed": Fact("computed.session.lines_removed", "-{{ value }}", 40),
    "five_hour": Fact("computed.usage.five_hour.percent", _PERCENT, 65, "usage"),
    "five_hour_reset": Fact("computed.usage.five_hour.resets_in_s", _LEFT, 55, "reset"),
    "five_hour_clock": Fact("computed.usage.five_hour.resets_at", "{{ value | clock }}", 50, "clock"),
    "block_time": Fact(
        "computed.usage.five_hour.resets_in_s", "{{ ([18000 - value, 0] | max) | duration }}", 50, "hourglass"
    ),
    "seven_day": Fact("computed.usage.seven_day.percent", _PERCENT, 60, "calendar"),
    "seven_day_reset": Fact("computed.usage.seven_day.resets_in_s", _LEFT, 45, "reset"),
    "seven_day_clock": Fact("computed.usage.seven_day.resets_at", "{{ value | clock }}", 45, "clock"),
    "spend": Fact("computed.usage.spend.percent", _PERCENT, 60, "cost"),
    "cache_rate": Fact("computed.cache.hit_ratio", "{{ (value * 100) | percent }}", 35, "cache"),
    "cache_session_rate": Fact("computed.cache.session_hit_ratio", "{{ (value * 100) | percent }}", 35, "cache"),
    "cache_left": Fact("computed.cache.expires_in_s", _SPAN, 40, "cache"),
    "cache_read": Fact("context_window.current_usage.cache_read_input_tokens", _TOKENS, 30, "cache"),
    "cache_write": Fact("context_window.current_usage.cache_creation_input_tokens", _TOKENS, 30, "cache"),
    "session_cache_read": Fact("computed.transcript.tokens.cache_read", _TOKENS, 30, "cache"),
    "session_cache_write": Fact(
        "computed.transcript.tokens", "{{ (value.cache_write_5m + value.cache_write_1h) | tokens }}", 30, "cache"
    ),
    "tokens_in": Fact("computed.transcript.tokens.input", _TOKENS, 40),
    "tokens_out": Fact("computed.transcript.tokens.output", _TOKENS, 40),
    "tokens_cached": Fact(
        "computed.transcript.tokens",
        "{{ (value.cache_read + value.cache_write_5m + value.cache_write_1h) | tokens }}",
        35,
    ),
    "tokens": Fact("computed.transcript.tokens.total", _TOKENS, 45, "token"),
    "last_tokens_in": Fact("context_window.current_usage.input_tokens", _TOKENS, 40),
    "last_tokens_out": Fact("context_window.current_usage.output_tokens", _TOKENS, 40),
    "speed": Fact("computed.speed.output_per_s", "{{ value | round(1) }} tok/s", 30, "speed"),
    "messages": Fact("computed.transcript.messages", priority=25, icon="message"),
    "prompts": Fact("computed.transcript.prompts", priority=25, icon="message"),
    "compactions": Fact("computed.transcript.compactions", priority=35, icon="compact"),
    "tool_count": Fact(
        "sum(values(computed.activity.tools.counts))", priority=30, icon="tool", when="computed.activity.tools.counts"
    ),
    "agents": Fact("length(computed.activity.agents[?status=='running'])", priority=45, icon="agent",
                   when="computed.activity.agents[?status=='running']"),
    "todos": Fact("computed.activity.todos", "{{ value.done }}/{{ value.total }}", 45, "todo"),
    "memory": Fact(
        "computed.memory", "{{ value.used_bytes | bytes }}/{{ value.total_bytes | bytes }}", 20, "memory",
        when="computed.memory.used_bytes"
    ),
    "memory_percent": Fact("computed.memory.percent", _PERCENT, 20, "memory"),
    "columns": Fact("computed.terminal.columns", priority=5),
    "clock": Fact("computed.now", "{{ value | clock }}", 20, "clock"),
}  # fmt: skip

# Words that other tools use, and what comes nearest to them here.
NEAREST: dict[str, str] = {
    "account": "nothing in the payload names the account",
    "aws": "`[commands.NAME]` in config.toml, shown as `computed.commands.NAME`",
    "battery": "`[commands.NAME]` in config.toml, shown as `computed.commands.NAME`",
    "email": "nothing in the payload names the account",
    "env": "a theme reads no environment; `[commands.NAME]` in config.toml can print a variable",
    "fable": "`computed.usage.seven_day` is the weekly limit of all models",
    "fork": "`workspace.repo.owner`",
    "host": "`[commands.NAME]` in config.toml, shown as `computed.commands.NAME`",
    "jj": "`[commands.NAME]` in config.toml, shown as `computed.commands.NAME`",
    "opus": "`computed.usage.seven_day` is the weekly limit of all models",
    "skills": "`computed.activity.tools.counts` has the calls of tools by name",
    "sonnet": "`computed.usage.seven_day` is the weekly limit of all models",
    "speed": "`computed.speed.output_per_s` is the speed of the last reply",
    "tag": "`computed.git.commit`",
    "upstream": "`workspace.repo` is the origin; `computed.git.ahead` and `.behind` compare with the upstream branch",
    "user": "`[commands.NAME]` in config.toml, shown as `computed.commands.NAME`",
}


def hint(word: str) -> str:
    """What comes nearest to a thing that other tools can show and ohud cannot, as an advice."""
    parts = word.lower().replace("_", "-").split("-")
    for part in parts:
        if part in NEAREST:
            return NEAREST[part]
    if word in FACTS:
        return f"the nearest is `{FACTS[word].value}`"
    return "`ohud fields` lists what there is; `[commands.NAME]` in config.toml shows what a program prints"


COMMANDS = (
    "nothing that runs a program is carried over by itself; if you trust it, write `[commands.{name}]` with "
    '`run = ["/absolute/path", "argument"]` into config.toml and show `computed.commands.{name}`'
)
