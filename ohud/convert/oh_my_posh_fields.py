"""What the fields of oh-my-posh's segments are here."""

from __future__ import annotations

import re

from ohud.convert.draft import quoted
from ohud.convert.facts import FACTS
from ohud.convert.go import Reading


def _fact(kind: str, number: bool = False) -> Reading:
    """A fact as a field: its expression, and its body as a form."""
    fact = FACTS[kind]
    body = re.fullmatch(r"\{\{ (.*) \}\}", fact.body)
    form = body[1] if body else "value"
    return Reading(fact.value, re.sub(r"\bvalue\b", "@", form) if not number else "@", number)


def _raw(value: str, number: bool = False) -> Reading:
    return Reading(value, "@", number)


def gauge(value: str, full: str = "▰", track: str = "▱") -> Reading:
    """A bar of five over a percentage."""
    return Reading(value, f"@ | bar(5, {quoted(full)}, {quoted(track)})")


def _percentage(value: str) -> Reading:
    return Reading(value, "@ | round | int", True)


CLAUDE: dict[str, Reading] = {
    "CWD": _raw("workspace.current_dir || cwd"),
    "SessionID": _raw("session_id"),
    "SessionName": _raw("computed.session.name"),
    "PromptID": _raw("prompt_id"),
    "TranscriptPath": _raw("transcript_path"),
    "Model": _raw("computed.model.name"),
    "Model.ID": _raw("computed.model.id"),
    "Model.DisplayName": _raw("computed.model.name"),
    "Workspace.CurrentDir": _raw("workspace.current_dir || cwd"),
    "Workspace.ProjectDir": _raw("workspace.project_dir"),
    "Workspace.GitWorktree": _raw("workspace.git_worktree"),
    "Workspace.Repo.Host": _raw("workspace.repo.host"),
    "Workspace.Repo.Owner": _raw("workspace.repo.owner"),
    "Workspace.Repo.Name": _raw("workspace.repo.name"),
    "Version": _raw("version"),
    "OutputStyle.Name": _raw("output_style.name"),
    "Effort.Level": _raw("computed.effort"),
    "Effort": _raw("computed.effort"),
    "Thinking.Enabled": _raw("thinking.enabled"),
    "FastMode": _raw("fast_mode"),
    "Vim.Mode": _raw("vim.mode"),
    "Vim": _raw("vim.mode"),
    "Agent.Name": _raw("agent.name"),
    "Agent": _raw("agent.name"),
    "PR": _raw("pr.number"),
    "PR.Number": _raw("pr.number"),
    "PR.URL": _raw("pr.url"),
    "PR.ReviewState": _raw("pr.review_state"),
    "Worktree": _raw("worktree.name"),
    "Worktree.Name": _raw("worktree.name"),
    "Worktree.Path": _raw("worktree.path"),
    "Worktree.Branch": _raw("worktree.branch"),
    "Worktree.OriginalCWD": _raw("worktree.original_cwd"),
    "Worktree.OriginalBranch": _raw("worktree.original_branch"),
    "Exceeds200KTokens": _raw("exceeds_200k_tokens"),
    "Cost.TotalCostUSD": _raw("computed.cost.usd", True),
    "Cost.TotalDurationMS": _fact("duration"),
    "Cost.TotalAPIDurationMS": _fact("api_time"),
    "Cost.TotalLinesAdded": _raw("computed.session.lines_added", True),
    "Cost.TotalLinesRemoved": _raw("computed.session.lines_removed", True),
    "ContextWindow.TotalInputTokens": _raw("context_window.total_input_tokens", True),
    "ContextWindow.TotalOutputTokens": _raw("context_window.total_output_tokens", True),
    "ContextWindow.ContextWindowSize": _raw("computed.context.size", True),
    "ContextWindow.CurrentUsage.InputTokens": _raw("context_window.current_usage.input_tokens", True),
    "ContextWindow.CurrentUsage.OutputTokens": _raw("context_window.current_usage.output_tokens", True),
    "TokenUsagePercent": _percentage("computed.context.percent"),
    "TokenUsagePercent.Gauge": gauge("computed.context.left"),
    "TokenUsagePercent.GaugeUsed": gauge("computed.context.percent"),
    "TokenUsagePercent.String": _percentage("computed.context.percent"),
    "FiveHourUsage": _percentage("computed.usage.five_hour.percent"),
    "FiveHourUsage.String": _percentage("computed.usage.five_hour.percent"),
    "FiveHourUsage.Gauge": Reading("computed.usage.five_hour.percent", "(100 - @) | bar(5, '▰', '▱')"),
    "FiveHourUsage.GaugeUsed": gauge("computed.usage.five_hour.percent"),
    "SevenDayUsage": _percentage("computed.usage.seven_day.percent"),
    "SevenDayUsage.String": _percentage("computed.usage.seven_day.percent"),
    "SevenDayUsage.Gauge": Reading("computed.usage.seven_day.percent", "(100 - @) | bar(5, '▰', '▱')"),
    "SevenDayUsage.GaugeUsed": gauge("computed.usage.seven_day.percent"),
    "FiveHourResetsAt": _fact("five_hour_clock"),
    "SevenDayResetsAt": _fact("seven_day_clock"),
    "FiveHourResetsIn": _fact("five_hour_reset"),
    "SevenDayResetsIn": _fact("seven_day_reset"),
    "RateLimits": _raw("rate_limits"),
    "RateLimits.FiveHour": _raw("computed.usage.five_hour"),
    "RateLimits.SevenDay": _raw("computed.usage.seven_day"),
    "RateLimits.FiveHour.UsedPercentage": _raw("computed.usage.five_hour.percent", True),
    "RateLimits.SevenDay.UsedPercentage": _raw("computed.usage.seven_day.percent", True),
    "RateLimits.FiveHour.ResetsAt": _raw("computed.usage.five_hour.resets_at", True),
    "RateLimits.SevenDay.ResetsAt": _raw("computed.usage.seven_day.resets_at", True),
    "FormattedCost": _fact("cost"),
    "FormattedTokens": _fact("context_tokens"),
    "FormattedDuration": _fact("duration"),
    "FormattedAPIDuration": _fact("api_time"),
}
GIT: dict[str, Reading] = {
    "Ref": _raw("computed.git.branch"),
    "Behind": _raw("computed.git.behind", True),
    "Ahead": _raw("computed.git.ahead", True),
    "Working.Changed": Reading("computed.git.[modified, untracked, conflicts]", "@[0] or @[1] or @[2]"),
    "Working.Modified": _raw("computed.git.modified", True),
    "Working.Untracked": _raw("computed.git.untracked", True),
    "Working.Unmerged": _raw("computed.git.conflicts", True),
    "Working.String": Reading(
        "computed.git.[modified, untracked, conflicts]",
        "row(('?' ~ @[1]) if @[1], ('~' ~ @[0]) if @[0], ('x' ~ @[2]) if @[2], sep=' ')",
    ),
    "Staging.Changed": _raw("computed.git.staged", True),
    "Staging.String": Reading("computed.git.staged", "('+' ~ @) if @ else ''"),
    "Staging.Added": _raw("computed.git.staged", True),
    "StashCount": _raw("computed.git.stashes", True),
    "Detached": _raw("computed.git.detached"),
    "RepoName": Reading("computed.git.root", "@ | basename"),
    "Dir": _raw("computed.git.root"),
    "IsWorkTree": _raw("computed.git.worktree"),
    "Merge": Reading("computed.git.operation", "@ == 'merge'"),
    "Rebase": Reading("computed.git.operation", "@ == 'rebase'"),
    "CherryPick": Reading("computed.git.operation", "@ == 'cherry-pick'"),
    "Revert": Reading("computed.git.operation", "@ == 'revert'"),
    "Commit.Sha": _raw("computed.git.commit"),
}
PATH: dict[str, Reading] = {
    "Location": _raw("workspace.current_dir || cwd"),
    "RootDir": Reading("workspace.current_dir || cwd", "@ == '/'"),
    "Folder": _fact("folder"),
}
OTHER: dict[str, dict[str, Reading]] = {
    "time": {"CurrentDate": _fact("clock"), "Format": Reading("", "''")},
    "sysinfo": {
        "PhysicalPercentUsed": _raw("computed.memory.percent", True),
        "PhysicalTotalMemory": _raw("computed.memory.total_bytes", True),
        "PhysicalAvailableMemory": Reading(
            "computed.memory.{used: used_bytes, total: total_bytes}", "((@.total or 0) - (@.used or 0))", True
        ),
    },
    "text": {},
}
GLOBAL: dict[str, Reading] = {
    "PWD": _fact("whole_path"),
    "AbsolutePWD": _raw("workspace.current_dir || cwd"),
    "Folder": _fact("folder"),
}
DEFAULTS = {
    "claude": "{{ .Model.DisplayName }} {{ .TokenGauge }}",
    "path": "{{ .Path }}",
    "git": "{{ .HEAD }}"
    "{{if .BranchStatus }} {{ .BranchStatus }}{{ end }}{{ if .Working.Changed }} \uf044 {{ .Working.String }}"
    "{{ end }}{{ if .Staging.Changed }} \uf046 {{ .Staging.String }}{{ end }}",
    "time": "{{ .CurrentDate }}",
    "sysinfo": "{{ round .PhysicalPercentUsed 0 }}",
    "text": "",
}
PRIORITIES = {"claude": 90, "path": 75, "git": 70, "time": 20, "text": 30, "sysinfo": 20}
PATHS = {
    "folder": "basename",
    "agnoster_short": "short_path(20)",
    "letter": "short_path(60, letters=true)",
    "unique": "short_path(60, letters=true)",
    "powerlevel": "short_path(60, letters=true)",
    "full": "short_path(200)",
    "agnoster_full": "short_path(200)",
}
