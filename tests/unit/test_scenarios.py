"""The built-in scenarios in memory: their files, times and answers, and nothing of this machine."""

import json
from typing import Any

import pytest

from ohud.host import scenarios
from ohud.run import status
from ohud.run.world import World

SCENARIOS = scenarios.scenarios()


def scene(name: str) -> scenarios.Scene:
    """A scenario by its name."""
    return scenarios.scene(next(one for one in SCENARIOS if one.name == name))


def computed(name: str, needs: dict[str, Any]) -> dict[str, Any]:
    """Computed fields in a scene."""
    found = scene(name)
    world = found.world()
    world.configure({"ollama": {"host": "http://127.0.0.1:11434"}}, "never", None)
    document = status.begin(json.loads(found.raw), world)
    faults: list[str] = []
    status.compute(document, needs, world, faults)
    assert faults == []
    fields: dict[str, Any] = document["computed"]
    return fields


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_places_and_times_are_filled(scenario: scenarios.Scenario) -> None:
    """Nothing that stands for a place or a time is left, and all places are below one home."""
    made = scenarios.scene(scenario)
    texts = [made.raw, made.subagents or b"", *(text or b"" for text in made.files.values())]
    assert not any(mark in text for text in texts for mark in (b"@home@", b"$now"))
    assert all(path.startswith(scenarios.HOME) or path in ("/", "/home", "/proc/meminfo") for path in made.files)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_scene_is_the_same_twice(scenario: scenarios.Scenario) -> None:
    """Two scenes of one scenario have the same bytes."""
    assert scenarios.scene(scenario) == scenarios.scene(scenario)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_scene_and_a_stage_tell_the_same(scenario: scenarios.Scenario) -> None:
    """The payload of a real folder differs from that in memory in the folder alone."""
    with scenarios.staged(scenario, scenarios.NOW) as stage:
        assert stage.raw.replace(stage.home.encode(), scenarios.HOME.encode()) == scenarios.scene(scenario).raw


def test_a_scene_asks_nothing_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """With every look at the system refused, the fields of a scene are there."""
    needs = {"git": ["branch", "dirty", "ahead"], "memory": ["percent"], "activity": ["tools"]}
    # Modules are files too.
    computed("working", needs)
    for name in ("stat", "lstat", "open", "fork"):
        monkeypatch.setattr(f"ohud.run.world.system.{name}", None)
    found = computed("working", needs)
    monkeypatch.undo()
    assert found["git"] == {"branch": "feature/status", "dirty": True, "ahead": 2}
    assert found["memory"] == {"percent": 36.3}
    assert found["activity"]["tools"]["counts"] == {"Read": 2, "Grep": 1, "Edit": 3, "Bash": 2}


@pytest.mark.parametrize(
    ("name", "needs", "wanted"),
    [
        ("merge", {"git": ["operation", "stashes", "conflicts"]}, {"operation": "merge", "stashes": 2, "conflicts": 2}),
        ("worktree", {"git": ["worktree", "commit"]}, {"worktree": "fix-parser", "commit": "4f3c2b1"}),
        ("detached", {"git": ["detached", "branch"]}, {"detached": True, "branch": None}),
        ("ollama", {"ollama": ["up", "parameter_size"]}, {"up": True, "parameter_size": "480B"}),
        ("cold-cache", {"cache": ["expires_in_s", "warm"]}, {"expires_in_s": 42, "warm": True}),
        ("after-compaction", {"transcript": ["compactions"]}, {"compactions": 1}),
        ("working", {"commands": ["battery"]}, {"battery": "87%"}),
        ("everything-null", {"today": ["cost_usd"]}, {"cost_usd": None}),
        ("working", {"environment": ["mcp_servers", "hooks", "rules"]}, {"mcp_servers": 2, "hooks": 3, "rules": 3}),
    ],
)
def test_what_scenes_show(name: str, needs: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Each scenario shows what it is for."""
    assert computed(name, needs) == {next(iter(needs)): wanted}


def test_activity_in_scenes() -> None:
    """There are scenes with running tools and failed ones, with agents of each kind, and with a task list."""
    tools = computed("tools", {"activity": ["tools"]})["activity"]["tools"]
    assert len(tools["running"]) == 3 and tools["errors"] == 2
    agents = computed("agents", {"activity": ["agents"]})["activity"]["agents"]
    assert [(agent["status"], agent["background"]) for agent in agents] == [
        ("completed", False),
        ("running", False),
        ("running", True),
    ]
    todos = computed("todos", {"activity": ["todos"]})["activity"]["todos"]
    assert (todos["done"], todos["total"], todos["current"]) == (3, 6, "Converting the sample files")


def test_tasks_of_subagents() -> None:
    """The scene with agents has an input for their rows, with times as the host sends them."""
    payload = json.loads(scene("agents").subagents or b"{}")
    assert payload["session_id"] and len(payload["tasks"]) == 4
    assert payload["tasks"][0]["startTime"] == (scenarios.NOW - 288) * 1000


def test_a_mount_is_a_file_of_this_machine(tmp_path: Any) -> None:
    """A path of a scene can stand for a real file."""
    (tmp_path / "t").write_bytes(b"0123456789")
    made = scene("working")
    made.mounts["/home/you/t"] = str(tmp_path / "t")
    world: World = made.world()
    facts = world.stat("/home/you/t")
    assert facts is not None and facts.st_size == 10
    assert world.read("/home/you/t", 4, tail=True) == b"6789"


def test_reads_of_a_scene() -> None:
    """Reads keep to their limit, their offset and to files."""
    made = scene("working")
    world = made.world()
    head = scenarios.HOME + "/widgets/.git/HEAD"
    assert world.read(head, 4) == b"ref:"
    assert world.read(head, 4, tail=True) == b"tus\n"
    assert world.read_from(head, 5, 4) == b"refs"
    assert world.read(scenarios.HOME, 4) is None and world.read("/etc/hostname", 4) is None
    assert world.stat(scenarios.HOME + "/") is not None and world.listing("/") == []
    assert world.cache_dir() is None and not world.write_private("x", b"")
