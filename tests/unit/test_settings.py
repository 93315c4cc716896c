"""Where the host's settings are, what they say together, and what switches them off."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ohud.host import settings
from ohud.host.settings import Effective, Settings, Sources, effective, locate, scope_path, trusted
from ohud.host.splice import Refused
from ohud.run.world import World

ONE = {"type": "command", "command": "one"}
TWO = {"type": "command", "command": "two", "padding": 1}
ROWS = {"type": "command", "command": "rows"}


class Machine:
    """A machine with settings of all kinds."""

    def __init__(self, root: Path) -> None:
        self.home, self.project, self.managed = root / "home", root / "project", root / "managed"
        for folder in (self.home, self.project, self.managed):
            folder.mkdir()
        self.world = World({"HOME": str(self.home)})
        self.paths = {
            "managed": self.managed / "managed-settings.json",
            "flags": root / "flags.json",
            "local": self.project / ".claude" / "settings.local.json",
            "project": self.project / ".claude" / "settings.json",
            "user": self.home / ".claude" / "settings.json",
        }

    def write(self, **kinds: Any) -> "Machine":
        """Settings by kind, as data or as bytes."""
        for kind, data in kinds.items():
            self.paths[kind].parent.mkdir(exist_ok=True)
            self.paths[kind].write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
        return self

    def sources(self) -> Sources:
        """All places, read."""
        flags = self.paths["flags"]
        return locate(
            self.world,
            str(self.project),
            flags=str(flags) if flags.exists() else None,
            managed_dir=str(self.managed),
        )

    def found(self, safe_mode: bool = False) -> Effective:
        """What the host makes of it."""
        return effective(self.sources(), safe_mode=safe_mode)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine without settings."""
    return Machine(tmp_path)


def test_order_of_places(machine: Machine) -> None:
    """The place that wins comes first; what is not there is named all the same."""
    machine.write(flags={})
    found = [(one.kind, one.path, one.exists) for one in machine.sources().files]
    assert found == [(kind, str(path), kind == "flags") for kind, path in machine.paths.items()]
    assert machine.found() == Effective()


@pytest.mark.parametrize("number", range(5))
def test_each_place_wins_over_those_below(number: int, machine: Machine) -> None:
    """managed > flags > local > project > user."""
    kinds = list(machine.paths)[number:]
    for kind in kinds:
        machine.write(**{kind: {"statusLine": {**ONE, "command": kind}}})
    found = machine.found()
    assert found.status_line == {**ONE, "command": kinds[0]}
    assert found.source is not None and found.source.kind == kinds[0]


def test_merged_key_by_key(machine: Machine) -> None:
    """The command comes from one place, the padding from another."""
    found = machine.write(user={"statusLine": TWO}, project={"statusLine": ONE, "subagentStatusLine": ROWS}).found()
    assert found.status_line == {"type": "command", "command": "one", "padding": 1}
    assert found.subagent_status_line == ROWS
    assert found.source and found.source.kind == "project"


@pytest.mark.parametrize("value", ["ohud", None, 1, [], {"type": "command"}, {"type": "text", "command": "x"}, {}])
def test_not_a_command(value: Any, machine: Machine) -> None:
    """Anything but a command with a text is no status line."""
    assert machine.write(user={"statusLine": value}).found().status_line is None


@pytest.mark.parametrize(
    "raw", [b"[]", b"{", b"// x\n{}", b'{"a":1,}', b'{"a":NaN}', b"\xff\xfe{\0}\0", b'{"a":"\xe9"}', b"{}" * 2]
)
def test_unreadable_place_is_left_out(raw: bytes, machine: Machine) -> None:
    """A file that is not JSON is ignored whole, with the reason; the others count."""
    machine.write(user={"statusLine": ONE}, project=raw)
    project = machine.sources().of("project")
    assert project is not None and project.exists and project.data is None and project.problem
    assert machine.found().status_line == ONE


def test_empty_file(machine: Machine) -> None:
    """An empty file is one without settings."""
    user = machine.write(user=b" \n").sources().of("user")
    assert user is not None and user.data == {} and user.problem is None


@pytest.mark.parametrize(
    ("managed", "other", "disabled", "command"),
    [
        ({}, {"disableAllHooks": True}, "hooks-disabled-by-user", None),
        ({"statusLine": TWO}, {"disableAllHooks": True}, None, "two"),
        ({"disableAllHooks": False}, {"disableAllHooks": True}, None, "one"),
        ({"disableAllHooks": True}, {}, "hooks-disabled", None),
        ({"disableAllHooks": True, "statusLine": TWO}, {}, "hooks-disabled", None),
        ({"allowManagedHooksOnly": True}, {}, "managed-only", None),
        ({"allowManagedHooksOnly": True, "statusLine": TWO}, {}, None, "two"),
        ({"allowManagedHooksOnly": False}, {}, None, "one"),
        ({}, {"allowManagedHooksOnly": True}, None, "one"),
        ({}, {"disableAllHooks": False}, None, "one"),
    ],
)
def test_policy_table(
    managed: dict[str, Any], other: dict[str, Any], disabled: str | None, command: str | None, machine: Machine
) -> None:
    """What administrator and user can switch off, and what the administrator's own line survives."""
    found = machine.write(managed=managed, user={"statusLine": ONE, **other}).found()
    assert found.disabled == disabled
    assert (found.status_line or {}).get("command") == command
    assert found.source is not None
    if disabled:
        assert found.switch is not None
        assert found.switch.kind == ("user" if disabled == "hooks-disabled-by-user" else "managed")


def test_user_switch_by_precedence(machine: Machine) -> None:
    """A project may switch on again what the user has switched off."""
    machine.write(user={"statusLine": ONE, "disableAllHooks": True}, local={"disableAllHooks": False})
    assert machine.found().status_line == ONE


def test_safe_mode(machine: Machine) -> None:
    """Safe mode runs the administrator's line only."""
    machine.write(user={"statusLine": ONE})
    assert machine.found(safe_mode=True).disabled == "safe-mode"
    machine.write(managed={"statusLine": TWO})
    assert machine.found(safe_mode=True).status_line == TWO


def test_managed_drop_ins(machine: Machine) -> None:
    """Files of managed-settings.d go over the main one, later names over earlier ones."""
    folder = machine.managed / "managed-settings.d"
    folder.mkdir()
    machine.write(managed={"statusLine": ONE})
    (folder / "10-a.json").write_text(json.dumps({"statusLine": {"command": "a"}}))
    (folder / "20-b.json").write_text(json.dumps({"statusLine": {"command": "b"}}))
    (folder / ".hidden.json").write_text(json.dumps({"statusLine": {"command": "c"}}))
    (folder / "notes.txt").write_text("no settings")
    found = machine.found()
    assert found.status_line == {**ONE, "command": "b"}
    assert found.source is not None and found.source.path == str(folder / "20-b.json")


@pytest.mark.parametrize("kind", ["folder", "fifo"])
def test_no_file(kind: str, machine: Machine) -> None:
    """What is no file is said to be none, at once."""
    path = machine.paths["user"]
    path.parent.mkdir()
    if kind == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    user = machine.sources().of("user")
    assert user is not None and user.exists and user.problem == "it is no regular file"


def test_other_config_folder(machine: Machine, tmp_path: Path) -> None:
    """CLAUDE_CONFIG_DIR is the folder itself; a relative one is refused."""
    world = World({"HOME": str(machine.home), "CLAUDE_CONFIG_DIR": str(tmp_path / "other") + "/"})
    assert scope_path("user", world, None) == str(tmp_path / "other" / "settings.json")
    assert settings.state_path(world) == str(tmp_path / "other" / ".claude.json")
    with pytest.raises(Refused, match="CLAUDE_CONFIG_DIR"):
        scope_path("user", World({"CLAUDE_CONFIG_DIR": "other"}), None)


@pytest.mark.parametrize("home", ["", "here", "/", "/not/there"])
def test_odd_home(home: str) -> None:
    """Without a real home there is no place for the user's settings, and the reason names the variable."""
    with pytest.raises(Refused, match="HOME"):
        scope_path("user", World({"HOME": home}), "/project")
    user = locate(World({"HOME": home}), None).of("user")
    assert user is not None and user.path is None and user.problem


def test_scopes_of_a_project(machine: Machine) -> None:
    """A project has two files."""
    project = str(machine.project)
    assert scope_path("project", machine.world, project) == str(machine.paths["project"])
    assert scope_path("local", machine.world, project) == str(machine.paths["local"])
    with pytest.raises(Refused):
        scope_path("local", machine.world, None)


@pytest.mark.parametrize(
    ("state", "answer"),
    [
        ({"{}": True}, True),
        ({"{above}": True}, True),
        ({"{}": False}, False),
        ({"{}-other": True}, False),
        ({}, False),
        (None, None),
    ],
)
def test_trust(state: dict[str, bool] | None, answer: bool | None, machine: Machine) -> None:
    """A directory is trusted when it or one above it is."""
    if state is not None:
        project = str(machine.project)
        projects = {
            name.format(project, above=os.path.dirname(project)): {"hasTrustDialogAccepted": accepted}
            for name, accepted in state.items()
        }
        (machine.home / ".claude.json").write_text(json.dumps({"projects": projects}))
    assert trusted(machine.world, str(machine.project)) is answer


def test_of_prefers_what_is_there() -> None:
    """The first place of a kind that has settings."""
    files = (Settings("managed", "/a"), Settings("managed", "/b", True, {"x": 1}), Settings("user", "/c"))
    found = Sources(files)
    assert found.of("managed") == files[1] and found.of("user") == files[2] and found.of("flags") is None
