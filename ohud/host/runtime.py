"""
The host's side of a status line: when it runs the commands, and what it makes of their answers.

Source:  Claude Code 2.1.215 and 2.1.332 on Linux, measured 2026-11-30
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ohud.host.loop import Loop, Timer, stopped
from ohud.host.process import LIMIT_S, Child, Run, dumped, effort_of, environment, run_command, safe_directory
from ohud.host.screen import MARGIN, PLAIN, Row, draw, normalise, paint, units, visible
from ohud.host.settings import Effective, Settings, Sources, effective
from ohud.host.version import NEW, VERSIONS, Version, like
from ohud.run import cells

__all__ = [
    "VERSIONS",
    "Loop",
    "Record",
    "Row",
    "Run",
    "Session",
    "StatusLine",
    "Subagents",
    "Version",
    "draw",
    "environment",
    "failure",
    "like",
    "normalise",
    "run_command",
    "safe_directory",
    "visible",
]

DEBOUNCE_S = 0.3
# After a usage window resets, and after the prompt cache expires.
WAKE_S = 1.0
SUBAGENT_DELAY_S = 0.3
SUBAGENT_PERIOD_S = 5.0
SUBAGENT_LIMIT_S = 5.0
SAMPLES = 16
_HUGE = 1e12
# What stands before the text of a subagent row.
MARK = "◯ "


@dataclass(slots=True)
class Session:
    """
    What the host knows when it runs a command; changed as the session goes on.

    Takes:  env: what the host itself was started with; epoch: clock time at the beginning [s];
            links: whether the terminal is known to support hyperlinks (None: not known)
    """

    env: Mapping[str, str]
    project_dir: str
    cwd: str
    payload: dict[str, Any] = field(default_factory=dict)
    sources: Sources = field(default_factory=lambda: Sources(()))
    safe_mode: bool = False
    trusted: bool = True
    version: Version = NEW
    columns: int = 80
    lines: int = 24
    fullscreen: bool = False
    links: bool | None = None
    epoch: float = 0.0
    tasks: list[dict[str, Any]] = field(default_factory=list)

    def settings(self) -> Effective:
        """Which commands are in effect; none while nobody has said that the directory is trusted."""
        return effective(self.sources, safe_mode=self.safe_mode) if self.trusted else Effective()

    def envelope(self) -> dict[str, Any]:
        """What both payloads begin with."""
        names = ("session_id", "session_name", "prompt_id", "transcript_path", "cwd", "agent_type")
        return {name: self.payload[name] for name in names if name in self.payload} | {"cwd": self.cwd}

    def document(self) -> dict[str, Any]:
        """The payload of the next run."""
        made = copy.deepcopy(self.payload)
        made["cwd"] = self.cwd
        workspace = made.setdefault("workspace", {})
        if isinstance(workspace, dict):
            workspace["current_dir"] = self.cwd
            workspace.setdefault("project_dir", self.project_dir)
        made.setdefault("version", self.version.name)
        return made

    def variables(self, subagent: bool = False) -> dict[str, str]:
        """The environment of the next run."""
        session_id = self.payload.get("session_id")
        return environment(
            self.env,
            self.project_dir,
            self.columns,
            self.lines,
            version=self.version,
            effort=effort_of(self.payload),
            session_id=session_id if isinstance(session_id, str) else None,
            subagent=subagent,
        )


def settings_of(**kinds: dict[str, Any]) -> Sources:
    """Settings by the kind of their place (managed, flags, local, project, user), as if they had been read."""
    order = ("managed", "flags", "local", "project", "user")
    return Sources(tuple(Settings(kind, None, True, kinds[kind]) for kind in order if kind in kinds))


@dataclass(slots=True)
class Record:
    """One run of a command: when it began and ended on the session's clock, and how."""

    began: float
    ended: float | None = None
    run: Run | None = None

    @property
    def killed(self) -> bool:
        """Whether a newer run, or the end of the session, ended it."""
        return self.run is not None and self.run.killed


class StatusLine:
    """
    The main status line of a session.

    `rows` are the lines it has; `shown` those that have been drawn, which is later where drawing takes long.
    """

    def __init__(self, loop: Loop, session: Session) -> None:
        self.rows: list[str] = []
        self.shown: list[str] = []
        self.records: list[Record] = []
        self._loop, self._session = loop, session
        self._mounted = False
        self._command: str | None = None
        self._child: Child | None = None
        self._debounce: Timer | None = None
        self._tick: Timer | None = None
        self._alarms: list[Timer] = []

    @property
    def busy(self) -> bool:
        """Whether a run is under way or due."""
        return self._child is not None or self._debounce is not None

    def mount(self) -> None:
        """The line takes its place below the prompt: it runs at once. Not so on a screen too low for it."""
        session = self._session
        if session.fullscreen and session.lines < session.version.fullscreen_rows:
            return
        self._mounted = True
        self._configure()
        self.set_alarms()
        self.refresh()

    def unmount(self) -> None:
        """The line's place is taken: what runs is ended."""
        self._mounted = False
        self._abort()
        self._debounce = stopped(self._debounce)
        self._tick = stopped(self._tick)
        for alarm in self._alarms:
            alarm.off = True

    def trigger(self) -> None:
        """Something has changed that the line shows: it runs when nothing more has changed for a moment."""
        if self._mounted:
            stopped(self._debounce)
            self._debounce = self._loop.after(DEBOUNCE_S, self.refresh)

    def reconfigure(self) -> None:
        """The settings have changed: another command runs at once."""
        if self._mounted and self._configure():
            self.refresh()

    def resize(self) -> None:
        """The terminal has another size, which may be too low for the line or high enough again."""
        session = self._session
        if session.fullscreen and session.lines < session.version.fullscreen_rows:
            self.unmount()
        elif not self._mounted:
            self.mount()
        elif session.version.rename_and_resize:
            self.trigger()

    def refresh(self) -> None:
        """Ends what still runs and runs the command anew."""
        self._debounce = stopped(self._debounce)
        self._abort()
        if not self._mounted:
            return
        line = self._session.settings().status_line
        if line is None:
            self._set([])
            return
        record = Record(self._loop.now)
        self.records.append(record)
        session = self._session
        self._child = Child(
            self._loop,
            line["command"],
            dumped(session.document()),
            session.variables(),
            safe_directory(session.cwd, session.project_dir),
            LIMIT_S,
            session.version.waits_for_close,
            lambda run: self._done(record, run),
        )

    def why(self) -> str:
        """Why there is no line, in words; empty when there is one, or when nothing can be said yet."""
        session = self._session
        if self.on_screen():
            return ""
        if not session.trusted:
            return "the workspace is not trusted, nothing runs"
        found = session.settings()
        if found.status_line is None:
            return f"switched off: {found.disabled}" if found.disabled else "no settings name a status line command"
        if not self._mounted:
            return "there is no place for it on this screen"
        run = next((record.run for record in reversed(self.records) if record.run and not record.killed), None)
        if run is None:
            return "every run was ended by the next one" if any(record.killed for record in self.records) else ""
        return failure(run, session.version) or "there is no room for it on this screen"

    def drawn(self) -> list[Row]:
        """The rows as the host draws them, all of them."""
        session = self._session
        line = session.settings().status_line or {}
        padding = _number(line, "padding") or 0.0
        return draw(self.shown, session.columns, int(padding), session.version, session.links)

    def on_screen(self) -> list[Row]:
        """The rows that are on the screen."""
        session = self._session
        return visible(self.drawn(), session.lines, session.version, session.fullscreen) if self._mounted else []

    def set_alarms(self) -> None:
        """Has the line run when a usage window resets or the prompt cache expires, where the version does so."""
        for alarm in self._alarms:
            alarm.off = True
        self._alarms = []
        if not self._session.version.wakes or not self._mounted:
            return
        now = self._session.epoch + self._loop.now
        for when in _expiries(self._session.payload):
            if when > now:
                self._alarms.append(self._loop.after(when - now + WAKE_S, self._wake))

    def _wake(self) -> None:
        limits = self._session.payload.get("rate_limits")
        now = self._session.epoch + self._loop.now
        if isinstance(limits, dict):
            for name in [name for name, window in limits.items() if (_number(window, "resets_at") or now) < now]:
                del limits[name]
            if not limits:
                del self._session.payload["rate_limits"]
        cache = self._session.payload.get("prompt_cache")
        if isinstance(cache, dict) and (_number(cache, "expires_at") or now) < now:
            cache["warm"] = False
        self.refresh()

    def _configure(self) -> bool:
        """Takes over the settings in effect; whether the command is another one."""
        line = self._session.settings().status_line
        self._tick = stopped(self._tick)
        interval = _number(line, "refreshInterval")
        if interval is not None:
            self._period = max(1.0, interval)
            self._tick = self._loop.after(self._period, self._ticked)
        command = line["command"] if line else None
        changed = command != self._command
        self._command = command
        return changed

    def _ticked(self) -> None:
        self._tick = self._loop.after(self._period, self._ticked)
        self.trigger()

    def _abort(self) -> None:
        if self._child is not None:
            self._child.abort()
            self.records[-1].ended, self.records[-1].run = self._loop.now, self._child.result
            self._child = None

    def _done(self, record: Record, run: Run) -> None:
        record.ended, record.run = self._loop.now, run
        self._child = None
        self._set(normalise(run.stdout, self._session.version) if run.code == 0 else [])

    def _set(self, rows: list[str]) -> None:
        a_character, a_row = self._session.version.freeze_s
        seconds = (a_character * sum(map(units, rows)) + a_row * len(rows)) / 1e6 if a_character else 0.0
        self.rows = rows
        if seconds < 0.1:
            self.shown = rows
        else:
            self._loop.freeze(seconds)
            self._loop.after(seconds, self._show)

    def _show(self) -> None:
        self.shown = self.rows


class Subagents:
    """The subagent command of a session: what each task's row shows in place of the host's own text."""

    def __init__(self, loop: Loop, session: Session) -> None:
        self.content: dict[str, str] = {}
        self.records: list[Record] = []
        self._loop, self._session = loop, session
        self._child: Child | None = None
        self._tick: Timer | None = None
        self._samples: dict[str, list[int]] = {}

    @property
    def busy(self) -> bool:
        """Whether a run is under way."""
        return self._child is not None

    def changed(self) -> None:
        """There are other tasks: the first run comes a moment after one appears, the next ones in a fixed rhythm."""
        if self._session.tasks and self._tick is None:
            self._tick = self._loop.after(SUBAGENT_DELAY_S, self._ticked)
        elif not self._session.tasks:
            self.end()

    def end(self) -> None:
        """There are no tasks left, or the session is over."""
        self._tick = stopped(self._tick)
        self.content = {}
        if self._child is not None:
            self._child.abort()
            self.records[-1].ended, self.records[-1].run = self._loop.now, self._child.result
            self._child = None

    def payload(self) -> dict[str, Any]:
        """The payload of the next run; each run adds a sample of each task's tokens."""
        session = self._session
        tasks = []
        for task in session.tasks:
            made = dict(task)
            count = task.get("tokenCount")
            if isinstance(count, int):
                samples = self._samples.setdefault(str(task.get("id")), [])
                samples.append(count)
                del samples[:-SAMPLES]
                made["tokenSamples"] = list(samples)
            made.setdefault("cwd", session.cwd)
            tasks.append(made)
        columns = session.columns - session.version.subagent_margin
        return session.envelope() | {"columns": columns, "tasks": tasks}

    def drawn(self) -> list[Row]:
        """The rows of the tasks, a sign before each; those that the command hides are left out."""
        session = self._session
        width = max(0, session.columns - session.version.subagent_margin)
        names = [_label(task) for task in session.tasks]
        column = max(map(cells.width, names), default=0)
        rows: list[Row] = []
        for task, name in zip(session.tasks, names, strict=True):
            content = self.content.get(str(task.get("id")))
            if content == "":
                continue
            if content is None:
                content = _own_row(task, cells.pad(name, column), width, session.epoch + self._loop.now)
            first, *more = paint(content.split("\n"), width, len(MARK) + MARGIN, session.version, session.links) or [
                Row(())
            ]
            rows += [replace(first, spans=((MARK, PLAIN), *first.spans), indent=MARGIN), *more]
        return rows

    def _ticked(self) -> None:
        self._tick = self._loop.after(SUBAGENT_PERIOD_S, self._ticked)
        if self._child is not None:
            return
        session = self._session
        line = session.settings().subagent_status_line
        if line is None:
            self.content = {}
            return
        record = Record(self._loop.now)
        self.records.append(record)
        self._child = Child(
            self._loop,
            line["command"],
            dumped(self.payload()),
            session.variables(subagent=True),
            safe_directory(session.cwd, session.project_dir),
            SUBAGENT_LIMIT_S,
            session.version.waits_for_close,
            lambda run: self._done(record, run),
        )

    def _done(self, record: Record, run: Run) -> None:
        record.ended, record.run = self._loop.now, run
        self._child = None
        known = {str(task.get("id")) for task in self._session.tasks}
        found = decorations(run.stdout) if run.code == 0 else {}
        self.content = {name: content for name, content in found.items() if name in known}


def failure(run: Run, version: Version = NEW) -> str:
    """Why the host shows nothing of a run, in words; empty when it shows something."""
    if run.error is not None:
        return f"the command cannot be started: {run.error}"
    if run.timed_out:
        return f"the command was ended after {run.took_s:.0f} s"
    if run.killed or run.code is None:
        return "the command was ended"
    if run.code:
        return f"exit status {run.code}" if run.code > 0 else f"ended by signal {-run.code}"
    if normalise(run.stdout, version):
        return ""
    limit = version.output_limit
    if limit is not None and len(run.stdout) > limit:
        return f"more than {limit:,} characters of output"
    return "no output" if not run.stdout else "only blanks in the output"


def decorations(stdout: bytes) -> dict[str, str]:
    """What a subagent command says of each task id: lines that are no such object are passed over, later ones win."""
    found: dict[str, str] = {}
    for line in stdout.decode("utf-8", "replace").split("\n"):
        try:
            value = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and isinstance(value.get("id"), str) and isinstance(value.get("content"), str):
            found[value["id"]] = value["content"]
    return found


def _label(task: Mapping[str, Any]) -> str:
    for name in ("name", "agentType", "type"):
        if isinstance(task.get(name), str):
            return str(task[name])
    return ""


def _own_row(task: Mapping[str, Any], name: str, width: int, now: float) -> str:
    """The host's own text for a task: its kind, what it is about, and at the right its age and tokens."""
    start, count = task.get("startTime"), task.get("tokenCount")
    age = max(0, int(now - start / 1000)) if isinstance(start, (int, float)) and abs(start) < 1000 * _HUGE else 0
    facts = [f"{age // 60}m {age % 60}s" if age >= 60 else f"{age}s"]
    if isinstance(count, int):
        facts.append(f"↓ {count / 1000:.1f}k tokens" if count >= 1000 else f"↓ {count} tokens")
    left, right = f"{name}  {task.get('description') or task.get('label') or ''}", " · ".join(facts)
    room = max(1, width - cells.width(right) - 1)
    return cells.pad(cells.ellipsis(left, room), room) + " " + right


def _number(holder: Any, name: str) -> float | None:
    """A number that an object has under a name."""
    value = holder.get(name) if isinstance(holder, dict) else None
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not abs(value) < _HUGE:
        return None
    return float(value)


def _expiries(payload: Mapping[str, Any]) -> list[float]:
    """The times at which something in the payload will be out of date."""
    limits = payload.get("rate_limits")
    found = [_number(window, "resets_at") for window in limits.values()] if isinstance(limits, dict) else []
    found.append(_number(payload.get("prompt_cache"), "expires_at"))
    return [when for when in found if when is not None]
