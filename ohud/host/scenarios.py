"""
Moments of a session to show a theme on: payloads made from recordings, with the files and answers that they speak of.

`staged` puts the files into a folder, for commands that are really run; `Scene` keeps them in memory, for what draws
in this process: its world knows nothing of this machine, so that a moment looks the same on all of them.
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from posixpath import normpath
from typing import Any

from ohud.run.world import World

# When the scenes take place: 2026-11-30 12:00:00 UTC.
NOW = 1796040000.0
HOME = "/home/you"
_FOLDER = Path(__file__).with_name("scenarios")
# In a scenario's texts this stands for the home directory.
_HOME = "@home@"
# {"$now": S} is S seconds from now, as a number of seconds, of milliseconds or as the text of a transcript.
_TIMES = ("$now", "$now_ms", "$now_text")
_COMMIT = "4f3c2b1a9d8e7f60514233241506f7e8d9cab0b1"


@dataclass(frozen=True, slots=True)
class Scenario:
    """
    One moment of a session.

    Takes:  preview: what the files around the payload hold: `branch` or `detached` (a commit) of the repository,
            `worktree` (the branch of the linked one), `transcript` (records, oldest first), `files` (path -> text);
            facts: what the slow jobs have answered: `git_status`, `git_diff`, `memory`, `today`, `ollama` (by what is
            asked), `commands` (by name); tasks: of the rows of subagents
    """

    name: str
    description: str
    payload: dict[str, Any]
    preview: dict[str, Any] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    tasks: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Stage:
    """A scenario set up: the bytes for standard input, and the home directory that they speak of."""

    raw: bytes
    home: str


@dataclass(frozen=True, slots=True)
class Scene:
    """
    A scenario in memory.

    Takes:  files: path -> content, None for a folder; mounts: path -> a file of this machine that stands there;
            subagents: the bytes for `ohud subagents`, None without tasks
    """

    raw: bytes
    home: str
    files: dict[str, bytes | None]
    facts: dict[str, Any]
    now: float = NOW
    mounts: dict[str, str] = field(default_factory=dict)
    subagents: bytes | None = None

    def world(self, variables: dict[str, str] | None = None) -> World:
        """What a refresh may know of its surroundings in this scene, and nothing of this machine."""
        return _SceneWorld(self, {**(variables or {}), "HOME": self.home})


class _SceneWorld(World):
    """A world whose files and answers are those of a scene."""

    def __init__(self, scene: Scene, variables: dict[str, str]) -> None:
        super().__init__(variables, scene.now)
        self.home = scene.home
        self._scene = scene
        self._numbers = {path: number for number, path in enumerate(scene.files, 1)}

    def configure(self, settings: dict[str, object], color: object, columns: object) -> None:
        """As the config says, and the commands that the scene has answers of are there."""
        named = settings.get("commands")
        answered = {name: {"run": [name]} for name in self._scene.facts.get("commands", ())}
        commands = {**answered, **(named if isinstance(named, dict) else {})}
        super().configure({**settings, "commands": commands}, color, columns)

    def slow(
        self, job: str, arguments: Any, ttl: float, wait: float = 0.0, deadline: float = 5.0
    ) -> dict[str, object] | None:
        """The scene's answer, None where it has none."""
        found = self._scene.facts.get("commands" if job == "command" else job)
        if job in ("command", "ollama"):
            found = (found or {}).get(arguments["name" if job == "command" else "ask"])
        if found is None:
            return None
        return {"value": found, "at": self.now, "tried": self.now, "failed": 0}

    def stat(self, path: str) -> os.stat_result | None:
        """Facts of one of the scene's files."""
        if path in self._scene.mounts:
            return super().stat(self._scene.mounts[path])
        path = normpath(path)
        if path not in self._numbers:
            return None
        content = self._scene.files[path]
        kind, size = (stat.S_IFDIR | 0o755, 0) if content is None else (stat.S_IFREG | 0o644, len(content))
        now = int(self.now)
        plain = (kind, self._numbers[path], 1, 1, 0, 0, size, now, now, now)
        return os.stat_result(plain, {"st_mtime_ns": now * 10**9})

    def lstat(self, path: str) -> os.stat_result | None:
        """As `stat`: no scene has links."""
        return self.stat(path)

    def listing(self, path: str) -> list[str]:
        """Nothing: a scene has no cache."""
        return []

    def cache_dir(self) -> str | None:
        """None: what a scene shows is kept nowhere."""
        return None

    def log(self, text: str) -> None:
        """Nothing: what goes wrong in a scene is not the real status line's."""

    def _read(
        self, path: str, limit: int, tail: bool, flags: int, private: bool = False, start: int = 0
    ) -> bytes | None:
        if path in self._scene.mounts:
            return super()._read(self._scene.mounts[path], limit, tail, flags, private, start)
        content = self._scene.files.get(normpath(path))
        if content is None:
            return None
        start = max(start, len(content) - limit) if tail else start
        found = content[start : start + limit]
        self.bytes_read += len(found)
        return found


def names() -> list[str]:
    """The names of all scenarios, in the order in which they tell a story."""
    return [scenario.name for scenario in scenarios()]


def scenarios() -> list[Scenario]:
    """All scenarios, in the order in which they tell a story."""
    found = [(json.loads(path.read_text("utf-8")), path.stem) for path in _FOLDER.glob("*.json")]
    found.sort(key=lambda pair: (pair[0]["order"], pair[1]))
    parts = ("preview", "facts", "tasks")
    return [
        Scenario(name, data["description"], data["payload"], **{part: data[part] for part in parts if part in data})
        for data, name in found
    ]


def scene(scenario: Scenario, now: float = NOW) -> Scene:
    """
    A scenario in memory.

    Takes:  now: epoch seconds that its times are counted from
    """
    payload, files = _filled(scenario.payload, HOME, now), _files(scenario, HOME, now)
    for path in list(files):
        while path != "/":
            path = path.rpartition("/")[0] or "/"
            files.setdefault(path, None)
    content = {path: None if text is None else text.encode() for path, text in files.items()}
    facts = _filled(scenario.facts, HOME, now)
    content["/proc/meminfo"] = _meminfo(facts["memory"]) if "memory" in facts else b""
    tasks = None
    if scenario.tasks:
        shared = {key: payload[key] for key in ("session_id", "transcript_path", "cwd") if key in payload}
        tasks = _bytes({**shared, "tasks": _filled(scenario.tasks, HOME, now)})
    return Scene(_bytes(payload), HOME, content, facts, now, {}, tasks)


def _bytes(payload: dict[str, Any]) -> bytes:
    return json.dumps(payload, ensure_ascii=False).encode()


def _meminfo(memory: dict[str, int]) -> bytes:
    """What Linux says of that much memory, which is looked up without a job there."""
    total, free = memory["total_bytes"] // 1024, (memory["total_bytes"] - memory["used_bytes"]) // 1024
    return f"MemTotal: {total} kB\nMemAvailable: {free} kB\n".encode()


@contextmanager
def staged(scenario: Scenario, now: float) -> Iterator[Stage]:
    """
    A scenario with its files in a folder that is gone afterwards.

    Takes:   now: epoch seconds that the times of the payload are counted from
    Returns: without files where there is no room for them
    """
    folder: tempfile.TemporaryDirectory[str] | None = None
    home = HOME
    try:
        folder = tempfile.TemporaryDirectory(prefix="ohud-", ignore_cleanup_errors=True)
        # The folder's own name may hold a link (macOS), and places are compared with it.
        made = str(Path(folder.name).resolve() / "home")
        for path, text in _files(scenario, made, now).items():
            _write(Path(path), text)
        home = made
    except (OSError, ValueError):
        pass
    try:
        yield Stage(_bytes(_filled(scenario.payload, home, now)), home)
    finally:
        if folder is not None:
            folder.cleanup()


def _filled(value: Any, home: str, now: float) -> Any:
    """A value with its places and times put in."""
    if isinstance(value, str):
        return value.replace(_HOME, home)
    if isinstance(value, list):
        return [_filled(item, home, now) for item in value]
    if isinstance(value, dict):
        form = next(iter(value), None)
        if len(value) == 1 and form in _TIMES:
            return _moment(form, now, value[form])
        return {_filled(key, home, now): _filled(item, home, now) for key, item in value.items()}
    return value


def _moment(form: str, now: float, seconds: float) -> int | str:
    if form == "$now":
        return ceil(now + seconds)
    if form == "$now_ms":
        return ceil((now + seconds) * 1000)
    at = round(now + seconds, 3)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(int(at))) + f".{int(at % 1 * 1000):03d}Z"


def _files(scenario: Scenario, home: str, now: float) -> dict[str, str | None]:
    """The files that a scenario speaks of, all below its home directory: path -> text, None for a folder."""
    payload, preview = (_filled(part, home, now) for part in (scenario.payload, scenario.preview))
    files: dict[str, str | None] = {home: None}
    directory = payload.get("cwd")
    if isinstance(directory, str):
        files[directory] = None
        worktree = payload.get("worktree")
        root = worktree["original_cwd"] if worktree else directory
        if "detached" in preview:
            files |= _repository(root + "/.git", preview["detached"])
        elif "branch" in preview:
            files |= _repository(root + "/.git", "ref: refs/heads/" + preview["branch"])
        if "worktree" in preview and worktree:
            linked = root + "/.git/worktrees/" + worktree["name"]
            files[linked + "/HEAD"] = "ref: refs/heads/" + preview["worktree"]
            files[root + "/.git/refs/heads/" + preview["worktree"]] = _COMMIT
            files[linked + "/commondir"] = "../.."
            files[linked + "/gitdir"] = directory + "/.git"
            files[directory + "/.git"] = "gitdir: " + linked
    transcript = payload.get("transcript_path")
    if "transcript" in preview and isinstance(transcript, str):
        files[transcript] = "\n".join(json.dumps(record) for record in preview["transcript"])
    files |= preview.get("files", {})
    return {path: None if text is None else text + "\n" for path, text in files.items()}


def _repository(folder: str, head: str) -> dict[str, str | None]:
    """The least that git takes for a repository."""
    files: dict[str, str | None] = {folder + "/HEAD": head, folder + "/objects": None, folder + "/refs": None}
    if head.startswith("ref: "):
        files[folder + "/" + head.removeprefix("ref: ")] = _COMMIT
    return files


def _write(path: Path, text: str | None) -> None:
    if text is None:
        path.mkdir(parents=True, exist_ok=True)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
