"""`classic` has the lines of the original program, each behind an option, and none of its defects."""

import json
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from launch import REPOSITORY
from session import Session

NOW = 1774742400
# The original's defaults; `show_dirty` was true there, and would make the default line ask git in the background.
DEFAULTS: dict[str, object] = {
    "show_model": True,
    "show_effort": True,
    "show_dirty": False,
    "show_ahead_behind": False,
    "show_context_bar": True,
    "context_value": "percent",
    "show_api_time": True,
    "show_usage": True,
    "usage_bar": True,
    "usage_compact": False,
    "show_reset_label": True,
    "time_format": "relative",
    "seven_day_threshold": 80,
    "warning_threshold": 60,
    "critical_threshold": 75,
    "show_cost": False,
    "show_prompt_cache": False,
    "show_memory": False,
    "show_environment": False,
    "show_duration": False,
    "show_speed": False,
    "show_tools": False,
    "show_agents": False,
    "show_todos": False,
}
USAGE = {
    "five_hour": {"used_percentage": 25, "resets_at": NOW + 5400},
    "seven_day": {"used_percentage": 85, "resets_at": NOW + 3 * 86400},
}
WINDOW = {
    "context_window_size": 200000,
    "used_percentage": 43,
    "current_usage": {"input_tokens": 1000, "cache_read_input_tokens": 83000},
}


def records() -> str:
    """A session with calls, failures, agents and tasks in every state."""
    lines: list[dict[str, Any]] = []

    def add(role: str, at: int, content: Any) -> None:
        message = {"role": role, "content": content, "id": f"msg_{len(lines)}", "model": "claude-opus-4-6"}
        if role == "assistant":
            message["usage"] = {"input_tokens": 10, "output_tokens": 500, "cache_creation_input_tokens": 9}
        moment = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(NOW + at))
        lines.append({"type": role, "uuid": str(len(lines)), "timestamp": moment, "message": message})

    def call(ident: str, name: str, **given: Any) -> dict[str, Any]:
        return {"type": "tool_use", "id": ident, "name": name, "input": given}

    def result(ident: str, failed: bool = False) -> dict[str, Any]:
        return {"type": "tool_result", "tool_use_id": ident, "content": "exit code 1", "is_error": failed}

    todos = [
        {"content": "Read it", "status": "completed"},
        {"content": "Fix\nit", "status": "in_progress"},
        {"content": "Try it", "status": "pending"},
    ]
    add("user", -400, "go")
    add("assistant", -390, [call("r1", "Read", file_path="/a/b.py"), call("r2", "Read", file_path="/a/c.py")])
    add("user", -380, [result("r1"), result("r2")])
    add("assistant", -370, [call("b", "Bash", command="false"), call("w", "TodoWrite", todos=todos)])
    add("user", -360, [result("b", failed=True), result("w")])
    add(
        "assistant",
        -200,
        [call("x1", "Task", subagent_type="explore", description="Look"), call("x2", "Agent", description="y")],
    )
    add("user", -190, [result("x1"), result("x2")])
    running = [
        call("e1", "Edit", file_path="/x/auth.ts"),
        call("e2", "Edit", file_path="/x/b.ts"),
        call("g", "Grep", pattern="f"),
    ]
    add(
        "assistant",
        -108,
        [
            *running,
            call("a", "Agent", description="Find code", model="haiku"),
            call("b2", "Task", subagent_type="plan"),
        ],
    )
    return "".join(json.dumps(line) + "\n" for line in lines)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A user whose session has a transcript and a project with rules."""
    session = Session(tmp_path)
    (session.home / "s.jsonl").write_text(records())
    project = session.home / "work"
    (project / ".claude").mkdir(parents=True)
    (session.home / ".claude").mkdir()
    (session.home / "CLAUDE.md").touch()
    (project / "CLAUDE.md").touch()
    (project / ".claude" / "rules.md").write_text("# rules\n- one\n* two\n-three\n")
    servers = {"mcpServers": {"a": {}, "b": {}, "c": {}}, "hooks": {"Stop": [1], "PreToolUse": [2]}}
    (session.home / ".claude" / "settings.json").write_text(json.dumps(servers))
    return session


def drawn(session: Session, options: str, **changes: Any) -> list[str]:
    """The lines of a payload with nothing but a model and a directory, and what is given."""
    session.configure(f"[options]\n{options}\n")
    payload = {"model": {"display_name": "Opus 4.6"}, "workspace": {"current_dir": f"{session.home}/work"}, **changes}
    return session.line(payload, NO_COLOR="1", COLUMNS="200", OHUD_NOW=str(NOW)).splitlines()


LINES: list[tuple[str, dict[str, Any], str]] = [
    ("", {"effort": "max"}, "[Opus 4.6] │ work │ effort:max"),
    ("show_model = false", {"effort": {"level": "max"}}, "work │ effort:max"),
    ("show_effort = false", {"effort": "max"}, "[Opus 4.6] │ work"),
    ("", {"model": None}, "[model] │ work"),
    ("", {"context_window": WINDOW}, "Context ████░░░░░░ 43%"),
    ('context_value = "tokens"', {"context_window": WINDOW}, "Context ████░░░░░░ 84k/200k"),
    ('context_value = "remaining"', {"context_window": WINDOW}, "Context ████░░░░░░ 57%"),
    ('context_value = "both"', {"context_window": WINDOW}, "Context ████░░░░░░ 43% (84k/200k)"),
    ("", {"rate_limits": USAGE}, "Usage ██░░░░░░░░ 25% (5h) resets in ~1h30m │ ████████░░ 85% (7d) resets in ~3d"),
    ("seven_day_threshold = 86", {"rate_limits": USAGE}, "Usage ██░░░░░░░░ 25% (5h) resets in ~1h30m"),
    ("show_reset_label = false", {"rate_limits": USAGE}, "Usage ██░░░░░░░░ 25% (5h) │ ████████░░ 85% (7d)"),
    ("usage_compact = true", {"rate_limits": USAGE}, "5h: 25% resets in ~1h30m │ 7d: 85% resets in ~3d"),
    ("usage_bar = false", {"rate_limits": USAGE}, "5h: 25% resets in ~1h30m │ 7d: 85% resets in ~3d"),
    (
        'usage_compact = true\ntime_format = "absolute"',
        {"rate_limits": USAGE},
        "5h: 25% resets at 01:30 │ 7d: 85% resets at Wed 00:00",
    ),
    (
        'usage_compact = true\ntime_format = "both"',
        {"rate_limits": USAGE},
        "5h: 25% resets in ~1h30m (01:30) │ 7d: 85% resets in ~3d (Wed 00:00)",
    ),
    (
        "",
        {"context_window": WINDOW, "rate_limits": {"five_hour": {"used_percentage": 5}}},
        "Context ████░░░░░░ 43% │ Usage ░░░░░░░░░░ 5% (5h)",
    ),
    (
        "",
        {"rate_limits": {"five_hour": {"used_percentage": 5, "resets_at": NOW + 30}}},
        "Usage ░░░░░░░░░░ 5% (5h) resets in <1m",
    ),
    ("", {"cost": {"total_cost_usd": 0.42}}, "Cost $0.42"),
    ("show_cost = true", {"cost": {"total_cost_usd": 0}}, "Cost $0.00"),
    ("show_cost = true", {"transcript_path": "~/s.jsonl"}, "Cost $0.05 (est)"),
    ("show_prompt_cache = true", {"transcript_path": "~/s.jsonl"}, "cache 3m 12s"),
    ("show_environment = true", {}, "2 CLAUDE.md | 2 rules | 3 MCPs | 2 hooks"),
    ("show_duration = true", {"cost": {"total_duration_ms": 320000}}, "⏱ 5m"),
    ("show_duration = true", {"cost": {"total_duration_ms": 42000}}, "⏱ 42s"),
    ("show_duration = true", {"cost": {"total_duration_ms": 125 * 60000}}, "⏱ 2h5m"),
    ("show_speed = true", {"transcript_path": "~/s.jsonl"}, "out: 6.1 tok/s"),
    ("show_tools = true", {"transcript_path": "~/s.jsonl"}, "◐ Edit ×2 | ◐ Grep: f | ✓ Read ×2 | ✓ Bash ×1"),
    ("show_todos = true", {"transcript_path": "~/s.jsonl"}, "▸ Fix it (1/3)"),
]


@pytest.mark.parametrize(("options", "changes", "line"), LINES)
def test_each_line_is_as_the_original_had_it(
    options: str, changes: dict[str, Any], line: str, session: Session
) -> None:
    """Next to the project's line there is this one, or it is that line."""
    changes = json.loads(json.dumps(changes).replace("~/", f"{session.home}/"))
    lines = drawn(session, options, **changes)
    assert line in lines and len(lines) <= 2


def test_agents_have_a_line_each_and_the_finished_one_together(session: Session) -> None:
    """An agent of no named type is an `agent`."""
    lines = drawn(session, "show_agents = true", transcript_path=f"{session.home}/s.jsonl")
    assert lines[1:] == ["◐ agent [haiku]: Find code (1m)", "◐ plan (1m)", "✓ explore | ✓ agent"]


def test_no_task_in_progress_is_said(session: Session) -> None:
    """The tally stays when nothing is being worked on."""
    path = session.home / "s.jsonl"
    path.write_text(path.read_text().replace("in_progress", "pending"))
    assert drawn(session, "show_todos = true", transcript_path=str(path))[1:] == ["▹ no active todo (1/3)"]


def test_expired_cache_is_said(session: Session) -> None:
    """Long after the last reply."""
    session.configure("[options]\nshow_prompt_cache = true\n")
    payload = {"transcript_path": f"{session.home}/s.jsonl"}
    assert "cache expired" in session.line(payload, NO_COLOR="1", OHUD_NOW=str(NOW + 900)).splitlines()


def test_nothing_but_the_first_line_is_on_by_default(session: Session) -> None:
    """A transcript full of facts and a duration show nothing of themselves."""
    lines = drawn(
        session, "", transcript_path=f"{session.home}/s.jsonl", cost={"total_duration_ms": 320000, "total_cost_usd": 0}
    )
    assert lines == ["[Opus 4.6] │ work"]


def test_the_defaults_are_the_originals() -> None:
    """But for the one that starts a process."""
    options = tomllib.loads((REPOSITORY / "themes" / "classic.toml").read_text("utf-8"))["options"]
    assert {name: options[name] for name in DEFAULTS} == DEFAULTS
    assert set(options) - set(DEFAULTS) == {"show_finished_tasks"}
