"""The environment's counts: files at their places, and what stands there in place of files."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ohud.fields import environment
from ohud.run.world import World

SETTINGS = {
    "mcpServers": {"a": {}, "b": {}, "c": {}},
    "hooks": {"PreToolUse": [{"matcher": "*"}, {"matcher": "Bash"}], "Stop": [{}], "Odd": {"x": []}, "Odder": 7},
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A directory two levels below a home directory."""
    folder = tmp_path / "home" / "work" / "project"
    (folder / ".claude").mkdir(parents=True)
    (tmp_path / "home" / ".claude").mkdir()
    return folder


def world(project: Path, **variables: str) -> World:
    return World({"HOME": str(project.parent.parent)} | variables)


def counts(project: Path, **variables: str) -> dict[str, Any]:
    payload = {"cwd": "/nowhere", "workspace": {"current_dir": str(project)}}
    around = world(project, **variables)
    names = ("claude_md", "rules", "mcp_servers", "hooks")
    return {name: getattr(environment, name)(payload, around) for name in names}


def test_bare_directory_has_none_of_all() -> None:
    assert environment.claude_md({}, World({})) is None
    assert environment.rules({}, World({})) is None
    assert environment.hooks({}, World({})) is None


def test_nothing_there_is_0(project: Path) -> None:
    """Looked at and not found: that is a count."""
    assert counts(project) == {"claude_md": 0, "rules": 0, "mcp_servers": 0, "hooks": 0}


def test_counts(project: Path) -> None:
    home = project.parent.parent
    for folder in (project, project.parent, home, home.parent):
        (folder / "CLAUDE.md").write_text("x")
    (project / ".claude" / "rules.md").write_text("# Rules\n- one\n* two\n -no\n-no\n- \n  - no\n*\n- drei\r\n")
    (home / ".claude" / "settings.json").write_text(json.dumps(SETTINGS))
    # The one above home is not looked at.
    assert counts(project) == {"claude_md": 3, "rules": 3, "mcp_servers": 3, "hooks": 3}
    assert counts(project.parent, HOME=str(home))["claude_md"] == 2
    assert counts(home, HOME=str(home))["claude_md"] == 1
    # Outside of home its own directory alone counts.
    assert counts(home.parent, HOME=str(home))["claude_md"] == 1


def test_host_folder_of_the_environment(project: Path, tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text(json.dumps(SETTINGS))
    assert counts(project, CLAUDE_CONFIG_DIR=str(tmp_path))["mcp_servers"] == 3


@pytest.mark.parametrize("text", ["", "[]", "{", "null", "7"])
def test_settings_that_are_none_are_unknown(project: Path, text: str) -> None:
    (project.parent.parent / ".claude" / "settings.json").write_text(text)
    found = counts(project)
    assert (found["mcp_servers"], found["hooks"]) == (None, None)


@pytest.mark.parametrize("value", [None, 7, [], "x"])
def test_settings_of_a_wrong_type_count_nothing(project: Path, value: object) -> None:
    (project.parent.parent / ".claude" / "settings.json").write_text(json.dumps({"mcpServers": value, "hooks": value}))
    found = counts(project)
    assert (found["mcp_servers"], found["hooks"]) == (0, 0)


def test_hostile_files_are_not_read(project: Path) -> None:
    """A pipe, a device and a folder in the place of files; a large one; a link to somebody's secrets."""
    rules = project / ".claude" / "rules.md"
    os.mkfifo(rules)
    (project / "CLAUDE.md").mkdir()
    assert counts(project)["rules"] is None
    assert counts(project)["claude_md"] == 0
    rules.unlink()
    rules.symlink_to("/dev/zero")
    assert counts(project)["rules"] is None
    rules.unlink()
    rules.write_bytes(b"- x\n" * 50000)
    assert counts(project)["rules"] is None
    rules.unlink()
    (project / "secret").write_text("- a\n")
    rules.symlink_to(project / "secret")
    assert counts(project)["rules"] is None


def test_reads_are_bounded_and_shared(project: Path) -> None:
    (project.parent.parent / ".claude" / "settings.json").write_text(json.dumps(SETTINGS))
    around = world(project)
    environment.hooks({}, around)
    size = around.bytes_read
    environment.mcp_servers({}, around)
    assert 0 < size == around.bytes_read


def test_deep_directory_ends(tmp_path: Path) -> None:
    folder = tmp_path
    for _ in range(80):
        folder = folder / "d"
    folder.mkdir(parents=True)
    (tmp_path / "CLAUDE.md").write_text("x")
    around = World({"HOME": str(tmp_path)})
    assert environment.claude_md({"cwd": str(folder)}, around) == 0
    assert environment.claude_md({"cwd": str(tmp_path / "gone")}, around) is None
