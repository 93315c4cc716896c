"""Moments of a session to show a theme on: payloads made from recordings, with the files that they speak of."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).with_name("scenarios")
# In a scenario's texts this stands for the home directory, and an object {"$now": S} for S seconds from now.
_HOME = "@home@"
_NOW = "$now"
_COMMIT = "4f3c2b1a9d8e7f60514233241506f7e8d9cab0b1"


@dataclass(frozen=True, slots=True)
class Scenario:
    """
    One moment of a session.

    Takes:  preview: what the files around the payload hold: `branch` or `detached` (a commit) of the repository,
            `worktree` (the branch of the linked one), `transcript` (records, oldest first)
    """

    name: str
    description: str
    payload: dict[str, Any]
    preview: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stage:
    """A scenario set up: the bytes for standard input, and the home directory that they speak of."""

    raw: bytes
    home: str


def names() -> list[str]:
    """The names of all scenarios, in the order in which they tell a story."""
    return [scenario.name for scenario in scenarios()]


def scenarios() -> list[Scenario]:
    """All scenarios, in the order in which they tell a story."""
    found = [(json.loads(path.read_text("utf-8")), path.stem) for path in _FOLDER.glob("*.json")]
    found.sort(key=lambda pair: (pair[0]["order"], pair[1]))
    return [Scenario(name, data["description"], data["payload"], data.get("preview", {})) for data, name in found]


@contextmanager
def staged(scenario: Scenario, now: float) -> Iterator[Stage]:
    """
    A scenario with its files in a folder that is gone afterwards.

    Takes:   now: epoch seconds that the times of the payload are counted from
    Returns: without files where there is no room for them
    """
    folder: tempfile.TemporaryDirectory[str] | None = None
    home = Path("/home/you")
    payload = _filled(scenario.payload, str(home), now)
    try:
        folder = tempfile.TemporaryDirectory(prefix="ohud-", ignore_cleanup_errors=True)
        # The folder's own name may hold a link (macOS), and places are compared with it.
        made = Path(folder.name).resolve() / "home"
        filled = _filled(scenario.payload, str(made), now)
        _set_up(scenario, filled, made)
        home, payload = made, filled
    except (OSError, ValueError):
        pass
    try:
        yield Stage(json.dumps(payload, ensure_ascii=False).encode(), str(home))
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
        if set(value) == {_NOW}:
            return ceil(now) + value[_NOW]
        return {key: _filled(item, home, now) for key, item in value.items()}
    return value


def _set_up(scenario: Scenario, payload: dict[str, Any], home: Path) -> None:
    """Writes the files that a scenario speaks of, all below its home directory."""
    home.mkdir()
    preview = scenario.preview
    directory = payload.get("cwd")
    if isinstance(directory, str):
        Path(directory).mkdir(parents=True, exist_ok=True)
        worktree = payload.get("worktree")
        root = Path(worktree["original_cwd"]) if worktree else Path(directory)
        if "detached" in preview:
            _make_repository(root / ".git", preview["detached"])
        elif "branch" in preview:
            _make_repository(root / ".git", "ref: refs/heads/" + preview["branch"])
        if "worktree" in preview and worktree:
            linked = root / ".git" / "worktrees" / worktree["name"]
            _write(linked / "HEAD", "ref: refs/heads/" + preview["worktree"])
            _write(linked / "commondir", "../..")
            _write(linked / "gitdir", str(Path(directory) / ".git"))
            _write(Path(directory) / ".git", "gitdir: " + str(linked))
    transcript = payload.get("transcript_path")
    if "transcript" in preview and isinstance(transcript, str):
        _write(Path(transcript), "\n".join(json.dumps(record) for record in preview["transcript"]))


def _make_repository(folder: Path, head: str) -> None:
    """The least that git takes for a repository."""
    _write(folder / "HEAD", head)
    (folder / "objects").mkdir()
    if head.startswith("ref: "):
        _write(folder / head.removeprefix("ref: "), _COMMIT)
    else:
        (folder / "refs").mkdir()


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")
