"""Scripted sessions: a list of events with times, and what would be on the screen after each."""

from __future__ import annotations

import json
import os
import time
import tomllib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from ohud.errors import either, nearest, quote
from ohud.host.loop import Loop
from ohud.host.runtime import Record, Session, StatusLine, Subagents, settings_of
from ohud.host.screen import Row
from ohud.host.settings import Sources
from ohud.host.version import NEW, VERSIONS

KINDS = ("managed", "flags", "local", "project", "user")
# What has the line run, each through the debounce.
TRIGGERS = ("reply", "mode", "vim", "model", "fast", "effort", "thinking", "pr", "clear", "compact")
# Other events, with the key that each needs, if any.
OTHERS = {
    "mount": None,
    "rename": None,
    "resize": None,
    "payload": "payload",
    "cd": "path",
    "settings": "settings",
    "command": "command",
    "trust": None,
    "hide": None,
    "show": None,
    "tasks": "tasks",
    "wait": None,
    "end": None,
}
EVENTS = (*TRIGGERS, *OTHERS)
# How long after the last event a session goes on at most before its screen is taken.
SETTLE_S = 10.0
_LONGEST_S = 1e9
_WIDEST = 1000  # columns and rows of a terminal
_MOST = 10000  # events of a script, repetitions counted


class Unplayable(Exception):
    """A script that cannot be played, with the reason in words."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens in a session, at a time from its beginning [s]."""

    at: float
    kind: str
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Frame:
    """What is on the screen when an event has had its effect, and how many runs there were by then."""

    event: Event
    rows: list[Row]
    tasks: list[Row]
    runs: int
    killed: int
    subagent_runs: int

    def as_json(self) -> dict[str, Any]:
        """The frame as plain values; rows with the blanks before them."""
        return {
            "at": self.event.at,
            "event": self.event.kind,
            "rows": [row.line for row in self.rows],
            "cut": [number for number, row in enumerate(self.rows) if row.cut],
            "tasks": [row.line for row in self.tasks],
            "runs": self.runs,
            "killed": self.killed,
            "subagent_runs": self.subagent_runs,
        }


@dataclass(slots=True)
class Script:
    """
    A session to be played.

    Takes:  settings: by the kind of their place; None: the session's own are used
    """

    events: list[Event]
    settings: dict[str, dict[str, Any]] = field(default_factory=dict)
    session: dict[str, Any] = field(default_factory=dict)


# Keys of a script and what they are; those of the session are handed on to it.
_SESSION = {
    "columns": int,
    "lines": int,
    "fullscreen": bool,
    "links": bool,
    "trusted": bool,
    "safe_mode": bool,
    "cwd": str,
    "project_dir": str,
    "epoch": (int, float),
    "payload": dict,
    "env": dict,
    "tasks": list,
    "version": str,
}
_SHORT = {
    "command": (str, "statusLine", "command"),
    "padding": ((int, float), "statusLine", "padding"),
    "refresh_interval": ((int, float), "statusLine", "refreshInterval"),
    "subagent_command": (str, "subagentStatusLine", "command"),
}


def read(text: str, name: str = "script") -> Script:
    """
    A script from TOML or JSON text; JSON may be just the list of events.

    Errors:  Unplayable, with the place of what is wrong
    """
    text = text.removeprefix("\ufeff")
    try:
        data = json.loads(text) if _is_json(text) else tomllib.loads(text)
    except (ValueError, RecursionError) as fault:
        raise Unplayable(f"{name} is neither TOML nor JSON: {fault}") from None
    return script(data)


def _is_json(text: str) -> bool:
    """Whether the text means to be JSON; a TOML file may begin with a bracket too."""
    start = text.lstrip()
    return start.startswith("{") or (start.startswith("[") and start[1:].lstrip()[:1] in ("{", '"', "]"))


def script(data: Any) -> Script:
    """
    A script from plain values: an object, or a list of events.

    Errors:  Unplayable
    """
    if isinstance(data, list):
        data = {"events": data}
    if not isinstance(data, dict):
        raise Unplayable("a script is an object or a list of events")
    settings = _settings(data.get("settings", {}), "settings")
    session: dict[str, Any] = {}
    for key, value in data.items():
        if key in _SESSION:
            session[key] = _typed(value, _SESSION[key], key)
            _within(key, value, key)
        elif key in _SHORT:
            wanted, table, name = _SHORT[key]
            line = settings.setdefault("user", {}).setdefault(table, {"type": "command"})
            line[name] = _typed(value, wanted, key)
        elif key not in ("settings", "events"):
            raise Unplayable(_unknown("key", key, [*_SESSION, *_SHORT, "settings", "events"]))
    if session.get("version", NEW.name) not in VERSIONS:
        raise Unplayable(f"`version` is {either(VERSIONS)}, not {quote(session['version'])}")
    events = list(_events(_typed(data.get("events", []), list, "events")))
    if not any(event.kind == "mount" for event in events):
        events.insert(0, Event(0.0, "mount"))
    events.sort(key=lambda event: event.at)
    return Script(events, settings, session)


def _settings(value: Any, place: str) -> dict[str, dict[str, Any]]:
    """Settings by kind; without a kind they are the user's."""
    found = _typed(value, dict, place)
    if found and not set(found) & set(KINDS):
        found = {"user": found}
    for kind, table in found.items():
        if kind not in KINDS:
            raise Unplayable(_unknown("place of settings", kind, KINDS))
        _typed(table, dict, f"{place}.{kind}")
    return {kind: dict(table) for kind, table in found.items()}


def _events(values: list[Any]) -> Iterator[Event]:
    at, count = 0.0, 0
    for number, value in enumerate(values, 1):
        place = f"event {number}"
        value = {"do": value} if isinstance(value, str) else _typed(value, dict, place)
        if "do" not in value:
            raise Unplayable(f"{place}: it has no `do`, which says what happens")
        kind = _typed(value["do"], str, f"{place}: `do`")
        if kind not in EVENTS:
            raise Unplayable(f"{place}: {_unknown('event', kind, EVENTS)}")
        needed = OTHERS.get(kind)
        if needed and needed not in value:
            raise Unplayable(f"{place}: `{kind}` needs `{needed}`")
        _check(value, place)
        at = value["at"] if "at" in value else at + value.get("after", 0.0)
        every, repeat = value.get("every", 0.0), value.get("repeat", 1)
        count += max(0, repeat)
        if count > _MOST:
            raise Unplayable(f"more than {_MOST} events")
        for turn in range(repeat):
            yield Event(round(at + turn * every, 6), kind, value)
        at += max(0, repeat - 1) * every


def _check(value: dict[str, Any], place: str) -> None:
    types: dict[str, Any] = {
        "do": str,
        "at": (int, float),
        "after": (int, float),
        "every": (int, float),
        "repeat": int,
        "payload": dict,
        "path": str,
        "settings": dict,
        "command": str,
        "tasks": list,
        "columns": int,
        "lines": int,
        "note": str,
    }
    for key, one in value.items():
        if key not in types:
            raise Unplayable(f"{place}: {_unknown('key', key, types)}")
        _typed(one, types[key], f"{place}: `{key}`")
        _within(key, one, f"{place}: `{key}`")
        if key in ("at", "after", "every") and not 0 <= one <= _LONGEST_S:
            raise Unplayable(f"{place}: `{key}` is not a time")
    if "settings" in value:
        _settings(value["settings"], f"{place}: `settings`")


def _within(key: str, value: Any, place: str) -> None:
    """Checks what a list or an object of a script holds."""
    if key == "tasks":
        for number, task in enumerate(value, 1):
            if not isinstance(task, dict) or not isinstance(task.get("id"), str):
                raise Unplayable(f"{place}: task {number} is not an object with a text for `id`")
    elif key == "env":
        for name, one in value.items():
            if not isinstance(one, (str, int, float)) or "\0" in f"{name}{one}" or "=" in name or not name:
                raise Unplayable(f"{place}: {quote(name)} is no variable with a text or a number")
    elif key in ("columns", "lines") and not 0 < value <= _WIDEST:
        raise Unplayable(f"{place} is not a number from 1 to {_WIDEST}")


def _typed(value: Any, wanted: Any, place: str) -> Any:
    if isinstance(value, wanted) and (not isinstance(value, bool) or wanted is bool):
        return value
    names = {dict: "an object", list: "a list", str: "a text", int: "a whole number", bool: "true or false"}
    raise Unplayable(f"{place} is not {names.get(wanted, 'a number')}")


def _unknown(what: str, name: str, known: Any) -> str:
    close = nearest(name, known)
    return f"there is no {what} {quote(name)}" + (f", did you mean `{close}`?" if close else "")


class Player:
    """
    Plays a script: `frames` gives what is on the screen after each event.

    Takes:  session: what the script says nothing of; virtual, speed: see Loop
    """

    def __init__(self, script: Script, session: Session, virtual: bool = True, speed: float = 1.0) -> None:
        self.script, self.session = script, session
        self.loop = Loop(virtual, speed)
        self._settings = deepcopy(script.settings)
        _apply(script, session)
        if self._settings:
            session.sources = settings_of(**self._settings)
        self.line = StatusLine(self.loop, session)
        self.subagents = Subagents(self.loop, session)

    def frames(self) -> Iterator[Frame]:
        """Plays the session to its end, a frame for each event; then nothing of it runs any more."""
        events = self.script.events
        try:
            for event, following in zip(events, [*events[1:], None], strict=True):
                self.loop.run_until(event.at)
                self._do(event)
                if following is not None:
                    self.loop.run_until(following.at)
                elif event.kind != "end":
                    self.loop.run_until(self.loop.now + SETTLE_S, self._settled)
                yield self._frame(event)
        finally:
            self.line.unmount()
            self.subagents.end()
            self.loop.close()

    def _settled(self) -> bool:
        return not self.line.busy and not self.subagents.busy and self.loop.idle(0.31)

    def _frame(self, event: Event) -> Frame:
        records = self.line.records
        return Frame(
            event,
            self.line.on_screen(),
            self.subagents.drawn(),
            len(records),
            sum(record.killed for record in records),
            len(self.subagents.records),
        )

    def _do(self, event: Event) -> None:
        session, line, data = self.session, self.line, event.data
        if isinstance(data.get("payload"), dict):
            _merge(session.payload, data["payload"])
            line.set_alarms()
        if event.kind in TRIGGERS:
            line.trigger()
        elif event.kind in ("mount", "show"):
            line.mount()
            self.subagents.changed()
        elif event.kind in ("hide", "end"):
            line.unmount()
            if event.kind == "end":
                session.tasks = []
                self.subagents.changed()
        elif event.kind == "rename":
            if session.version.rename_and_resize:
                line.trigger()
        elif event.kind == "resize":
            session.columns, session.lines = data.get("columns", session.columns), data.get("lines", session.lines)
            line.resize()
        elif event.kind == "cd":
            session.cwd = os.path.normpath(os.path.join(session.cwd, data["path"]))
        elif event.kind == "tasks":
            session.tasks = data["tasks"]
            self.subagents.changed()
        elif event.kind == "trust":
            session.trusted = True
            line.reconfigure()
        elif event.kind in ("settings", "command"):
            self._change_settings(data)
            line.reconfigure()

    def _change_settings(self, data: Mapping[str, Any]) -> None:
        if "settings" in data:
            self._settings |= _settings(data["settings"], "settings")
        if "command" in data:
            user = self._settings.setdefault("user", {})
            user["statusLine"] = {"type": "command", **user.get("statusLine", {}), "command": data["command"]}
        self.session.sources = settings_of(**self._settings)


def _apply(script: Script, session: Session) -> None:
    """Puts what the script says of the session into it."""
    given = script.session
    for name in ("columns", "lines", "fullscreen", "links", "trusted", "safe_mode", "project_dir", "epoch"):
        if name in given:
            setattr(session, name, given[name])
    if "version" in given:
        session.version = VERSIONS[given["version"]]
    if "project_dir" in given and "cwd" not in given:
        session.cwd = given["project_dir"]
    if "cwd" in given:
        session.cwd = given["cwd"]
    if "env" in given:
        session.env = dict(session.env) | {name: str(value) for name, value in given["env"].items()}
    if "payload" in given:
        _merge(session.payload, given["payload"])
    session.tasks = given.get("tasks", session.tasks)


def _merge(into: dict[str, Any], given: Mapping[str, Any]) -> None:
    """Puts values into an object, key by key."""
    for key, value in given.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = deepcopy(value)


def session_here(env: Mapping[str, str], directory: str, columns: int = 80, lines: int = 24) -> Session:
    """A session that was started in a directory of this machine, without settings or a payload of its own."""
    return Session(env, directory, directory, sources=Sources(()), columns=columns, lines=lines, epoch=time.time())


def log(records: list[Record]) -> list[dict[str, Any]]:
    """Runs as plain values: times on the session's clock, exit status, how they were ended."""
    return [
        {
            "began": round(record.began, 3),
            "ended": None if record.ended is None else round(record.ended, 3),
            "code": record.run.code if record.run else None,
            "killed": record.killed,
            "timed_out": bool(record.run and record.run.timed_out),
            "error": record.run.error if record.run else None,
        }
        for record in records
    ]
