"""
What doctor looks at: a user's machine as the host would find it in a directory.

Settings, switches, trust and version are read once, nothing is started, and what is secret is known from then on.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ohud.host.settings import (
    STATUS_LINE,
    SUBAGENTS,
    Effective,
    Settings,
    Sources,
    effective,
    locate,
    state_path,
)
from ohud.host.splice import Refused, data_of
from ohud.host.version import NEW, OLD, Version, like
from ohud.run.world import World

# What may be told of the environment; of all other variables not even that they are set.
SHOWN = ("COLUMNS", "LINES", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "TERM_PROGRAM", "LANG")
_STATE_LIMIT = 256 * 1024 * 1024  # bytes; the host keeps a good deal there


@dataclass(frozen=True, slots=True)
class Case:
    """
    What is looked at: a user's settings as the host would find them in a directory.

    Takes:  env: what the host hands on to its commands, world: the same as ohud sees it; directory: where the host
            would be started; effective: with all switches; wanted: what would be in effect without them;
            safe_mode: what has put the host into safe mode; secrets: texts that are not to be told, the longest first;
            pieces: of those that a name gives away, all parts of so many characters
    """

    world: World
    env: Mapping[str, str]
    directory: str
    sources: Sources
    effective: Effective
    wanted: Effective
    safe_mode: str | None
    trusted: bool | None
    host: str | None
    version: Version
    columns: int
    lines: int
    secrets: tuple[str, ...] = ()
    pieces: frozenset[str] = frozenset()

    @property
    def command(self) -> str | None:
        """The command line of the status line, whatever keeps it from running."""
        return self.wanted.status_line["command"] if self.wanted.status_line else None

    @property
    def padding(self) -> int:
        """The padding beside the line."""
        value = number(self.wanted.status_line, "padding")
        return int(value) if value is not None else 0


def open_case(
    world: World,
    env: Mapping[str, str],
    directory: str,
    *,
    columns: int = 80,
    lines: int = 24,
    managed_dir: str | None = None,
) -> Case:
    """Everything the checks need, read once."""
    host = host_version(world, env)
    version = like(host) if host else NEW
    sources = _as_the_host(locate(world, directory, managed_dir=managed_dir), version)
    safe = _safe_mode(world, env, sources)
    variables = {**env, **settings_env(sources)}
    return Case(
        World(variables, world.now),
        variables,
        directory,
        sources,
        effective(sources, safe_mode=safe is not None),
        effective(_unswitched(sources)),
        safe,
        trusted(world, directory, version),
        host,
        version,
        columns,
        lines,
        tuple(_secrets(variables)),
        frozenset(_pieces(variables)),
    )


def redact(text: str, case: Case) -> str:
    """A text from outside without the values of variables that are nobody's business."""
    for secret in case.secrets:
        text = text.replace(secret, _HIDDEN)
    start = 0
    while case.pieces and start + _PIECE <= len(text):
        end = start
        # A key that a command has cut short is still most of it.
        while text[end : end + _PIECE] in case.pieces:
            end += 1
        if end == start:
            start += 1
            continue
        text = text[:start] + _HIDDEN + text[end + _PIECE - 1 :]
        start += len(_HIDDEN)
    return text


def settings_env(sources: Sources) -> dict[str, str]:
    """The variables that the host's settings set for all that it starts."""
    found: dict[str, str] = {}
    for one in reversed(sources.files):
        table = one.data.get("env") if one.data is not None else None
        if isinstance(table, dict):
            found |= {name: value for name, value in table.items() if isinstance(value, str)}
    return found


def trusted(world: World, directory: str, version: Version = NEW) -> bool | None:
    """
    Whether the user has said that a directory is trusted; the host asks once, and runs nothing before.

    Returns: None when it cannot be known: the host has no record yet, or the place is the home directory, for which
             it keeps none
    Source:  `projects[DIRECTORY].hasTrustDialogAccepted` in `.claude.json`, 2.1.215 and 2.1.332, 2026-11-30: of the
             repository's top directory (in a linked worktree the main one's), of the directory, or of one above it;
             the newer version does not look above the repository
    """
    if world.env("CLAUDE_CODE_SANDBOXED"):
        return True
    projects = host_state(world).get("projects")
    if not isinstance(projects, dict):
        return None
    top, main = _repository(world, directory)
    places = [main] if main else []
    here = os.path.abspath(directory)
    while True:
        places.append(here)
        above = os.path.dirname(here)
        if above == here or (here == top and version is NEW):
            break
        here = above
    for place in places:
        entry = projects.get(place.replace("\\", "/") if os.name == "nt" else place)
        if isinstance(entry, dict) and entry.get("hasTrustDialogAccepted") is True:
            return True
    return None if world.home and os.path.realpath(directory) == os.path.realpath(world.home) else False


def host_version(world: World, env: Mapping[str, str]) -> str | None:
    """The host's version, found without starting it: of the session around us, else of the `claude` on the PATH."""
    session = re.match(r"claude-code_(\d+)-(\d+)-(\d+)(?!\d)", env.get("AI_AGENT", ""))
    if session:
        return ".".join(session.groups())
    found = shutil.which("claude", path=env.get("PATH"))
    if found is None:
        return None
    path = os.path.realpath(found)
    if re.fullmatch(r"\d+\.\d+\.\d+", os.path.basename(path)):
        return os.path.basename(path)
    for _ in range(3):
        path = os.path.dirname(path)
        raw = world.read(os.path.join(path, "package.json"), 65536)
        try:
            facts = data_of(raw) if raw is not None else {}
        except Refused:
            continue
        if str(facts.get("name")).startswith("@anthropic-ai/claude-code"):
            return str(facts.get("version"))
    return None


def may_run(case: Case) -> bool:
    """Whether the command may be run here: one that a project brings along only where the user trusts the project."""
    return case.command is not None and from_the_user(case.wanted.source, case)


def from_the_user(source: Settings | None, case: Case) -> bool:
    """Whether a place of settings is the user's or the administrator's, or of a project that the user trusts."""
    return source is None or source.kind not in ("project", "local") or bool(case.trusted)


def fullscreen(case: Case) -> bool:
    """Whether the host draws a full screen, as far as settings and environment say."""
    given = case.env.get("CLAUDE_CODE_NO_FLICKER")
    if given is not None and given.strip():
        return _on(given)
    for one in case.sources.files:
        if one.data is not None and "tui" in one.data:
            return bool(one.data["tui"] == "fullscreen")
    return False


def host_state(world: World) -> dict[str, Any]:
    """What the host keeps of its projects and of itself; empty when that cannot be read."""
    path = state_path(world)
    raw = world.read(path, _STATE_LIMIT) if path else None
    try:
        return data_of(raw) if raw is not None else {}
    except Refused:
        return {}


def number(line: Mapping[str, Any] | None, key: str) -> float | None:
    """A number of a status line's settings, None when there is none."""
    value = line.get(key) if line else None
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _as_the_host(sources: Sources, version: Version) -> Sources:
    """The settings as far as the host takes them: one wrong value, and it skips the whole file."""
    return Sources(
        tuple(
            replace(one, data=None, problem=fault)
            if one.data is not None and (fault := _wrong_value(one.data, version))
            else one
            for one in sources.files
        )
    )


def _wrong_value(data: Mapping[str, Any], version: Version) -> str | None:
    """
    What makes the host refuse a file, as far as it concerns status lines.

    Source:  settings tried in 2.1.215 and 2.1.332, 2026-11-30; null is a wrong value too, an interval of 0 is none
    """
    if not isinstance(data.get("disableAllHooks", False), bool):
        return "`disableAllHooks` is neither true nor false"
    for key in (STATUS_LINE, SUBAGENTS) if version.name == OLD.name else (STATUS_LINE,):
        if key not in data:
            continue
        line = data[key]
        if not isinstance(line, dict):
            return f"`{key}` is no object"
        if line.get("type") != "command":
            return f'`{key}.type` is not "command"'
        if not isinstance(line.get("command"), str):
            return f"`{key}.command` is no text"
        if "padding" in line and number(line, "padding") is None:
            return f"`{key}.padding` is no number"
        if not isinstance(line.get("hideVimModeIndicator", False), bool):
            return f"`{key}.hideVimModeIndicator` is neither true nor false"
    return None


def _unswitched(sources: Sources) -> Sources:
    """The settings without what turns status lines off."""
    off = ("disableAllHooks", "allowManagedHooksOnly")
    return Sources(
        tuple(
            replace(one, data={key: value for key, value in one.data.items() if key not in off})
            if one.data is not None
            else one
            for one in sources.files
        )
    )


def _safe_mode(world: World, env: Mapping[str, str], sources: Sources) -> str | None:
    """What puts the host into safe mode, None when nothing seen does."""
    if _on(env.get("CLAUDE_CODE_SAFE_MODE")):
        return "CLAUDE_CODE_SAFE_MODE is set"
    if _on(settings_env(sources).get("CLAUDE_CODE_SAFE_MODE")):
        return "CLAUDE_CODE_SAFE_MODE is set in the settings"
    session = env.get("CLAUDE_PID", "")
    if session.isascii() and session.isdecimal():
        # Inside a session: how it was started.
        words = (world.read(f"/proc/{session}/cmdline", 65536) or b"").split(b"\0")
        if b"--safe-mode" in words:
            return "this session was started with `--safe-mode`"
    return None


def _on(value: str | None) -> bool:
    """Whether the host takes a variable as set."""
    return value is not None and value.strip().lower() in ("1", "true", "yes", "on")


def _repository(world: World, directory: str) -> tuple[str | None, str | None]:
    """The top directory of the working tree, and of the main one when this is a linked worktree."""
    here = os.path.abspath(directory)
    while True:
        git = os.path.join(here, ".git")
        if os.path.isdir(git):
            return here, here
        if os.path.isfile(git):
            raw = world.read(git, 4096) or b""
            folder = os.path.join(here, raw.decode("utf-8", "replace").removeprefix("gitdir:").strip())
            parts = os.path.normpath(folder).replace("\\", "/").split("/")
            if parts[-3:-1] == [".git", "worktrees"]:
                return here, "/".join(parts[:-3]) or "/"
            return here, here
        above = os.path.dirname(here)
        if above == here:
            return None, None
        here = above


# What paths and languages say is no secret, and lines are full of it.
_HARMLESS = re.compile(
    r"(?:COLUMNS|LINES|TERM|TERM_PROGRAM(?:_VERSION)?|COLORTERM|NO_COLOR|FORCE_COLOR|LANG|LANGUAGE|LC_\w+|TZ|HOME|USERPROFILE"
    r"|USER|USERNAME|LOGNAME|HOSTNAME|SHELL|SHLVL|PATH|PWD|OLDPWD|EDITOR|VISUAL|PAGER|TMPDIR|TEMP|TMP|_|XDG_\w+|APPDATA"
    r"|LOCALAPPDATA|VIRTUAL_ENV|CONDA_PREFIX|OHUD_\w+|AI_AGENT|CLAUDE_(?:CONFIG_DIR|PROJECT_DIR|EFFORT|PID)"
    r"|CLAUDE_CODE_(?:ENTRYPOINT|SESSION_ID|CHILD_SESSION|SAFE_MODE|NO_FLICKER|SANDBOXED))"
)
_HIDDEN = "[hidden]"
_PIECE = 8  # characters
# One word of many signs, as keys are: neither a path nor anything that people read.
_OPAQUE = re.compile(r"(?=.*\d)[\w.~+=-]+", re.ASCII)
_TELLING = re.compile(r"key|token|secret|pass|auth|cred|cookie|session|private", re.IGNORECASE)


def _pieces(variables: Mapping[str, str]) -> Iterator[str]:
    """The parts of values that are long, of one word, and secret by their names."""
    for name, value in variables.items():
        told = _HARMLESS.fullmatch(name) or not _TELLING.search(name)
        if not told and len(value) >= 2 * _PIECE and _OPAQUE.fullmatch(value):
            yield from (value[at : at + _PIECE] for at in range(len(value) - _PIECE + 1))


def _secrets(variables: Mapping[str, str]) -> list[str]:
    """The values that nothing printed here may hold, and each line of them, the longest first."""
    found: set[str] = set()
    for name, value in variables.items():
        if _HARMLESS.fullmatch(name):
            continue
        least = 4 if _TELLING.search(name) else 8
        for part in (value, *value.splitlines()):
            part = part.strip()
            if len(part) >= least and not (os.path.isabs(part) and os.path.lexists(part)):
                found.add(part)
    return sorted(found, key=len, reverse=True)
