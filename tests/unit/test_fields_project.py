"""The project: its name, path and worktree, from whatever the host says of directories."""

import json
from pathlib import Path
from typing import Any

import pytest

from ohud.fields import project
from ohud.run import status
from ohud.run.world import World

PAYLOADS = Path(__file__).parent.parent / "payloads"


def at(project_dir: object = None, current_dir: object = None, cwd: object = None) -> dict[str, Any]:
    return {"workspace": {"project_dir": project_dir, "current_dir": current_dir}, "cwd": cwd}


@pytest.mark.parametrize(
    ("payload", "name"),
    [
        (at("/home/dev/demo", "/home/dev/demo/src"), "demo"),
        (at("/home/dev/demo/", "/x"), "demo"),
        (at("", "/home/dev/demo"), "demo"),
        (at("/", "/home/dev/demo"), "demo"),
        (at("  ", None, "/home/dev/demo"), "demo"),
        (at("/", "/", "/"), "/"),
        (at(7, ["x"], "/home/dev/demo"), "demo"),
        (at("~/demo"), "demo"),
        (at("C:/Users/Dev/demo"), "demo"),
        (at("C:\\Users\\Dev\\demo"), "demo"),
        (at("\\\\server\\share\\demo"), "demo"),
        (at("C:\\"), "C:"),
        (at("/home/dev/odd\\name"), "odd\\name"),
        (at("/home/dev/プロジェクト 🚀"), "プロジェクト 🚀"),
        ({"workspace": "demo", "cwd": "/home/dev/demo"}, "demo"),
        ({"cwd": 12}, None),
        ({}, None),
    ],
)
def test_name_is_the_last_part_of_the_launch_directory(payload: dict[str, Any], name: str | None) -> None:
    """The current directory serves where the launch directory says nothing."""
    assert project.name(payload, World({})) == name


def test_a_long_path_is_known_by_its_end() -> None:
    """The document keeps 512 characters of a text; name, worktree and short form come from the whole path."""
    long = "/home/dev/" + "directory/" * 80 + "the\x1b[31m end"
    payload = {"workspace": {"project_dir": long, "git_worktree": long}, "worktree": {"path": long}}
    world = World({"HOME": "/home/dev"})
    document = status.begin(payload, world)
    assert project.name(document, world) == "the end"
    assert project.worktree(document, world) == "the end"
    assert project.short(document, world) == "~/…/directory/directory/the end"
    assert project.name(status.begin({"cwd": "/" + "x" * 9000}, world), world) == "x" * 4095


@pytest.mark.parametrize(
    ("home", "path", "short"),
    [
        ("/home/dev", "/home/dev", "~"),
        ("/home/dev/", "/home/dev/demo", "~/demo"),
        ("/home/dev", "/home/developer/demo", "/home/developer/demo"),
        ("/home/dev", "/home/dev/a/b/c/d/demo", "~/a/b/c/d/demo"),
        ("/home/dev", "/home/dev/clients/north/services/billing/public/api", "~/…/north/services/billing/public/api"),
        ("/home/dev", "/srv/clients/north-by-northwest/services/demo", "/…/north-by-northwest/services/demo"),
        ("/home/dev", "/srv/" + "x" * 60 + "/demo", "/…/demo"),
        ("/home/dev", "/home/dev/" + "x" * 60, "~/" + "x" * 60),
        ("/home/dev", "/srv/a/b/demo", "/srv/a/b/demo"),
        ("/home/dev", "~/demo", "~/demo"),
        ("/Users/Dev", "C:/Users/Dev/demo", "C:/Users/Dev/demo"),
        (
            "/home/dev",
            "C:\\clients\\north\\services\\billing\\long\\demo",
            "C:\\…\\north\\services\\billing\\long\\demo",
        ),
        ("/", "/", "/"),
        ("/", "/demo", "/demo"),
        (None, "/home/dev/demo", "/home/dev/demo"),
        ("/home/dev", "home/dev/demo", "home/dev/demo"),
    ],
)
def test_short_path_has_home_only_as_a_whole_part(home: str | None, path: str, short: str) -> None:
    """A path that is long loses its middle."""
    world = World({"HOME": home} if home else {})
    assert project.short(at(path), world) == short


def test_worktree_is_a_name_or_the_last_part_of_a_path() -> None:
    world = World({})
    recorded = json.loads((PAYLOADS / "worktree.json").read_text(encoding="utf-8"))
    assert project.worktree(recorded, world) == "fix-parser"
    assert project.worktree({"workspace": {"git_worktree": "/home/dev/wt/feature-x"}}, world) == "feature-x"
    assert project.worktree({"worktree": {"name": "feature-x"}}, world) == "feature-x"
    assert project.worktree({"worktree": {"path": "/home/dev/wt/feature-x/"}}, world) == "feature-x"
    for nothing in ({}, {"workspace": {"git_worktree": ""}}, {"worktree": 3}, {"workspace": {"git_worktree": "/"}}):
        assert project.worktree(nothing, world) is None
