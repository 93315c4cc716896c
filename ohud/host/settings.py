"""
The host's settings: which files count, what each says, and which status line is in effect.

The host merges its files key by key, so that a command may come from one file and its padding from another. What is
said here of its rules was read and seen in versions 2.1.215 and 2.1.332 (2026-11-30).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ohud.host.files import SIZE_LIMIT, read
from ohud.host.splice import Refused, data_of

if TYPE_CHECKING:
    from ohud.run.world import World

STATUS_LINE, SUBAGENTS = "statusLine", "subagentStatusLine"
SCOPES = ("user", "project", "local")


@dataclass(frozen=True, slots=True)
class Settings:
    """
    One place where the host looks for settings.

    Takes:  kind: "managed" (the administrator's), "flags" (`--settings`), "local", "project" or "user";
            path: absolute, None when no place for it is known; exists: something is there, readable or not;
            data: the settings, None when there are none or they cannot be used; problem: why they cannot be used
            (the host then ignores the whole file)
    """

    kind: str
    path: str | None
    exists: bool = False
    data: dict[str, Any] | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Sources:
    """All places, the one that wins first; several "managed" ones when there are drop-ins."""

    files: tuple[Settings, ...]

    def of(self, kind: str) -> Settings | None:
        """The first place of a kind that has settings, else the first of that kind."""
        found = [one for one in self.files if one.kind == kind]
        return next((one for one in found if one.data is not None), found[0] if found else None)


@dataclass(frozen=True, slots=True)
class Effective:
    """
    What the host makes of its settings.

    Takes:  status_line, subagent_status_line: merged, as the host would run them; None: nothing runs. A value of
            another type than "command" without a text for a command is None too;
            source, subagent_source: the place that the command comes from, given also when a switch keeps it from
            running (None: no place has one);
            disabled: why nothing runs though a command is there: "hooks-disabled" (disableAllHooks in the
            administrator's settings), "hooks-disabled-by-user" (in another place: only managed lines run),
            "managed-only" (allowManagedHooksOnly), "safe-mode"; None otherwise;
            switch: the place that says so
    """

    status_line: dict[str, Any] | None = None
    subagent_status_line: dict[str, Any] | None = None
    source: Settings | None = None
    subagent_source: Settings | None = None
    disabled: str | None = None
    switch: Settings | None = None


def locate(
    world: World, project_dir: str | None, *, flags: str | None = None, managed_dir: str | None = None
) -> Sources:
    """
    Every place of settings for a session that was started in a directory, read.

    Takes:  project_dir: absolute, None leaves the project's places out; flags: path of a `--settings` file;
            managed_dir: in place of the system's folder for the administrator's settings
    Errors: none, what cannot be read has its reason in `problem`. Policies from a server, a registry or a device
            manager are not seen.
    """
    places = [("managed", path) for path in _managed(managed_dir or managed_folder())]
    if flags is not None:
        places.append(("flags", os.path.abspath(flags)))
    if project_dir is not None:
        places.append(("local", scope_path("local", world, project_dir)))
        places.append(("project", scope_path("project", world, project_dir)))
    files = [_read(kind, path) for kind, path in places]
    try:
        files.append(_read("user", scope_path("user", world, project_dir)))
    except Refused as fault:
        files.append(Settings("user", None, problem=fault.reason))
    return Sources(tuple(files))


def effective(sources: Sources, *, safe_mode: bool = False) -> Effective:
    """The status lines that the host runs, by its merging and by the switches of user and administrator."""
    managed = [one for one in sources.files if one.kind == "managed"]
    others = [one for one in sources.files if one.kind != "managed"]
    source, subagent_source = _giver(sources.files, STATUS_LINE), _giver(sources.files, SUBAGENTS)
    switch, off = _first(managed, "disableAllHooks")
    if off is True:
        return Effective(None, None, source, subagent_source, "hooks-disabled", switch)
    only, reason = None, None
    if off is None:
        only, by_user = _first(others, "disableAllHooks")
        reason = "hooks-disabled-by-user" if by_user is True else None
    where, managed_only = _first(managed, "allowManagedHooksOnly")
    if managed_only is True:
        only, reason = where, "managed-only"
    elif safe_mode:
        only, reason = None, "safe-mode"
    counted = tuple(managed) if reason else sources.files
    line, rows = (_command(_merged(counted, name)) for name in (STATUS_LINE, SUBAGENTS))
    if reason is None or (line is not None and (rows is not None or subagent_source is None)):
        giver, other = _giver(counted, STATUS_LINE), _giver(counted, SUBAGENTS)
        return Effective(line, rows, giver or source, other or subagent_source)
    return Effective(line, rows, source, subagent_source, reason, only)


def trusted(world: World, project_dir: str) -> bool | None:
    """
    Whether the user has answered yes to the host's question about a directory or one above it.

    Returns: None when the host's state file cannot be read
    Source:  `projects[DIRECTORY].hasTrustDialogAccepted` in `.claude.json`, seen 2026-11-30
    """
    path = state_path(world)
    state = _read("user", path, limit=64 * SIZE_LIMIT).data if path else None
    projects = state.get("projects") if state else None
    if not isinstance(projects, Mapping):
        return None
    here = os.path.abspath(project_dir)
    while True:
        entry = projects.get(here.replace("\\", "/") if os.name == "nt" else here)
        if isinstance(entry, Mapping) and entry.get("hasTrustDialogAccepted") is True:
            return True
        above = os.path.dirname(here)
        if above == here:
            return False
        here = above


def config_dir(world: World) -> str:
    """
    The host's own folder, absolute.

    Errors: Refused when neither CLAUDE_CONFIG_DIR nor a home directory names one
    """
    given = world.env("CLAUDE_CONFIG_DIR")
    if given:
        if not os.path.isabs(given):
            raise Refused("CLAUDE_CONFIG_DIR is `%s`, not an absolute path" % given)
        return os.path.normpath(given)
    return os.path.join(_home(world), ".claude")


def state_path(world: World) -> str | None:
    """The host's state file (trust, projects); None when no place for it is known."""
    try:
        return os.path.join(config_dir(world) if world.env("CLAUDE_CONFIG_DIR") else _home(world), ".claude.json")
    except Refused:
        return None


def scope_path(scope: str, world: World, project_dir: str | None) -> str:
    """
    The settings file of a scope: "user", "project" or "local".

    Errors: Refused when no place for it is known
    """
    if scope == "user":
        return os.path.join(config_dir(world), "settings.json")
    if project_dir is None or not os.path.isabs(project_dir):
        raise Refused("the project's directory is not known")
    name = "settings.local.json" if scope == "local" else "settings.json"
    return os.path.join(project_dir, ".claude", name)


def managed_folder() -> str:
    """Where an administrator puts `managed-settings.json` and `managed-settings.d/`."""
    if sys.platform == "darwin":
        return "/Library/Application Support/ClaudeCode"
    return "C:\\Program Files\\ClaudeCode" if sys.platform == "win32" else "/etc/claude-code"


def _home(world: World) -> str:
    """
    The home directory, which exists.

    Errors: Refused: a relative, missing or root home would have settings written where nobody looks for them
    """
    name = "USERPROFILE" if sys.platform == "win32" else "HOME"
    home = world.env(name)
    if home is None and sys.platform != "win32":
        import pwd

        try:
            home = pwd.getpwuid(os.geteuid()).pw_dir
        except KeyError:
            home = None
    if not home:
        raise Refused("%s is %s" % (name, "not set" if home is None else "empty"))
    if not os.path.isabs(home):
        raise Refused("%s is `%s`, not an absolute path" % (name, home))
    home = os.path.normpath(home)
    if home == os.path.dirname(home):
        raise Refused("%s is `%s`" % (name, home))
    if not os.path.isdir(home):
        raise Refused("%s is `%s`, which is no directory" % (name, home))
    return home


def _managed(folder: str) -> list[str]:
    """The administrator's files, the one that wins first: drop-ins over the main one, later names over earlier."""
    main = os.path.join(folder, "managed-settings.json")
    drop = os.path.join(folder, "managed-settings.d")
    try:
        names = sorted(name for name in os.listdir(drop) if name.endswith(".json") and not name.startswith("."))
    except OSError:
        names = []
    return [*(os.path.join(drop, name) for name in reversed(names)), main]


def _read(kind: str, path: str, limit: int = SIZE_LIMIT) -> Settings:
    try:
        raw = read_file(path, limit)
    except Refused as fault:
        return Settings(kind, path, True, None, fault.reason)
    if raw is None:
        return Settings(kind, path)
    try:
        data = data_of(raw)
    except Refused as fault:
        return Settings(kind, path, True, None, fault.reason)
    return Settings(kind, path, True, data)


def read_file(path: str, limit: int = SIZE_LIMIT) -> bytes | None:
    """
    The bytes of a regular file, links followed; None when nothing is there.

    Errors: Refused for a device, a folder, a file that cannot be opened or is larger than the limit
    """
    return read(path, limit)


def _first(files: list[Settings], name: str) -> tuple[Settings | None, Any]:
    """The first place that sets a key, and the value."""
    return next(((one, one.data[name]) for one in files if one.data is not None and name in one.data), (None, None))


def _merged(files: tuple[Settings, ...], name: str) -> Any:
    """A key's value over all places: objects merge key by key, anything else is replaced."""
    merged: Any = None
    for one in reversed(files):
        if one.data is None or name not in one.data:
            continue
        value = one.data[name]
        merged = {**merged, **value} if isinstance(merged, dict) and isinstance(value, dict) else value
    return merged


def _giver(files: tuple[Settings, ...], name: str) -> Settings | None:
    """The place that a key's command comes from."""
    for one in files:
        value = one.data.get(name) if one.data is not None else None
        if isinstance(value, dict) and isinstance(value.get("command"), str):
            return one
    return None


def _command(value: Any) -> dict[str, Any] | None:
    if isinstance(value, dict) and value.get("type") == "command" and isinstance(value.get("command"), str):
        return value
    return None
