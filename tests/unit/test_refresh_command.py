"""The user's own programs: what is run, with what, for how long, and what is left of it."""

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ohud.fields import commands
from ohud.refresh import command
from ohud.run.world import World
from ohud.theme.lower import families_of

PAYLOAD = {"session_id": "s1", "cwd": "/", "model": {"display_name": "Opus \ud83d ü\n"}}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".config" / "ohud").mkdir(parents=True)
    return tmp_path


def configured(home: Path, *run: str, timeout_ms: int = 2000, **variables: str) -> World:
    """A world whose config names one program, `it`."""
    text = f"[commands.it]\nrun = {json.dumps(list(run))}\ntimeout_ms = {timeout_ms}\n"
    (home / ".config" / "ohud" / "config.toml").write_text(text)
    world = World({"HOME": str(home), "PATH": os.environ["PATH"], **variables})
    world.settings = {"commands": {"it": {"run": list(run), "timeout_ms": timeout_ms, "refresh_s": 60}}}
    world.raw = dict(PAYLOAD)
    return world


def ran(world: World, folder: object = None) -> Any:
    run = world.settings["commands"]["it"]["run"]  # type: ignore[index]
    return command.work({"name": "it", "run": run, "session": None, "folder": folder}, world)


def shell(home: Path, script: str, **options: Any) -> Any:
    return ran(configured(home, "/bin/sh", "-c", script, **options))


def python(home: Path, script: str, **options: Any) -> Any:
    return ran(configured(home, sys.executable, "-I", "-S", "-c", script, **options))


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("echo one; echo two", "one"),
        ("printf 'no line feed'", "no line feed"),
        ("printf '\\n  \\n  third  \\n'", "third"),
        ("echo said >&2", None),
        ("true", None),
        ("echo no; exit 3", None),
        ("echo no; kill -9 $$", None),
        ("printf '\\033]0;title\\007\\033[31mred\\033[0m \\342\\200\\256x\\r\\n'", "red x"),
        ("printf '\\377\\376 bytes'", "�� bytes"),
        ("printf 'a\\000b'", "ab"),
        ("head -c 3000 /dev/zero | tr '\\0' x", "x" * 512),
        ("echo first; head -c 500000 /dev/zero", "first"),
        ("exec 1>&-; sleep 0.1", None),
        ("exec 0<&-; echo deaf", "deaf"),
    ],
)
def test_first_line_that_says_something_cleaned(home: Path, script: str, line: str | None) -> None:
    assert shell(home, script) == line


def test_no_shell_takes_part(home: Path) -> None:
    assert ran(configured(home, "/bin/echo", "$HOME; `id` $(id) > x | y\n*")) == "$HOME; `id` $(id) > x | y"


def test_payload_is_on_standard_input(home: Path) -> None:
    """As JSON that every parser takes, also a large one that nobody reads to its end."""
    assert json.loads(shell(home, "cat")) == {**PAYLOAD}
    world = configured(home, "/bin/sh", "-c", "wc -c")
    world.raw = {"x": "y" * 200000}
    assert ran(world) == str(200000 + len('{"x": ""}'))
    world = configured(home, "/bin/sh", "-c", "echo done")
    world.raw = {"x": "y" * 200000}
    assert ran(world) == "done"


def test_runs_in_the_session_directory(home: Path) -> None:
    world = configured(home, "/bin/pwd", "-P")
    assert ran(world, str(home)) == os.path.realpath(home)
    for folder in (None, "", "relative", str(home / "gone"), 7):
        assert ran(world, folder) == os.getcwd()


def test_program_is_looked_up_in_absolute_folders_outside_of_the_session(home: Path) -> None:
    """A folder of PATH that lies in a repository is a stranger's."""
    project = home / "project"
    for folder in (project / "bin", home / "bin"):
        folder.mkdir(parents=True)
        program = folder / "greet"
        program.write_text(f"#!/bin/sh\necho {folder.parent.name}\n")
        program.chmod(0o755)
    (home / "bin" / "data").write_text("x")
    path = f"bin:.::{project}/bin:{home}/bin"
    assert ran(configured(home, "greet", PATH=path), str(project)) == home.name
    assert ran(configured(home, "greet", PATH=path), str(home / "gone")) == "project"
    assert ran(configured(home, "~/bin/greet", PATH=path)) == home.name
    (home / "link").symlink_to(project / "bin")
    for name, where in (
        ("greet", f"bin:.:{project}/bin:{home}/link"),
        ("bin/greet", path),
        ("data", path),
        ("..", path),
    ):
        with pytest.raises(FileNotFoundError, match="there is no program"):
            ran(configured(home, name, PATH=where), str(project))


def test_program_that_cannot_be_started_is_a_failure(home: Path) -> None:
    (home / "data").write_text("x")
    for word in ("/nowhere/program", str(home), str(home / "data")):
        with pytest.raises(OSError):
            ran(configured(home, word))


def test_timeout_ends_the_whole_group(home: Path) -> None:
    mark = home / "mark"
    script = f"trap '' TERM; (sleep 1; touch {mark}) & echo early; sleep 5"
    begin = time.monotonic()
    with pytest.raises(TimeoutError, match=r"\[commands.it\] did not end in time"):
        shell(home, script, timeout_ms=150)
    assert time.monotonic() - begin < 1
    time.sleep(1.1)
    assert not mark.exists()


def test_nothing_is_left_running(home: Path) -> None:
    """A helper that holds the output is not waited for, and does not outlive the program."""
    begin = time.monotonic()
    assert shell(home, f"sleep 30 & echo $! > {home}/pid; echo done") == "done"
    assert time.monotonic() - begin < 1
    pid = int((home / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        for _ in range(100):
            os.kill(pid, 0)
            # A zombie that nobody has taken leave of yet counts as gone.
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                raise ProcessLookupError
            time.sleep(0.01)


def test_flood_is_ended(home: Path) -> None:
    begin = time.monotonic()
    with pytest.raises(TimeoutError, match="prints without end"):
        shell(home, "yes", timeout_ms=20000)
    assert time.monotonic() - begin < 5


def test_group_of_its_own(home: Path) -> None:
    assert python(home, "import os; print(os.getpgrp() == os.getpid())") == "True"


@pytest.mark.parametrize(
    "config",
    [
        None,
        "",
        "not toml",
        "commands = 7",
        "[commands]\nit = 7",
        "[commands.other]\nrun = ['/bin/echo', 'x']",
        "[commands.it]\nrun = ['/bin/echo', 'y']",
        "[commands.it]\nrun = ['/bin/echo']",
        "[commands.it]\ntimeout_ms = 5",
        "x = 'y'\n" + "#" * 40000 + "\n[commands.it]\nrun = ['/bin/echo', 'x']",
    ],
)
def test_only_what_the_config_says_is_run(home: Path, config: str | None) -> None:
    """Whatever the cache holds: a compiled program that was tampered with starts nothing."""
    world = configured(home, "/bin/echo", "x")
    path = home / ".config" / "ohud" / "config.toml"
    assert ran(world) == "x"
    path.unlink()
    if config is not None:
        path.write_text(config)
    with pytest.raises(PermissionError, match=r"the config has no \[commands.it\]"):
        ran(world)


# The fields


def test_field_shows_the_last_answer_and_never_waits(home: Path) -> None:
    world = configured(home, "/bin/sh", "-c", f"sleep 0.7; echo ran >> {home}/log; echo hello")
    begin = time.monotonic()
    assert commands.it(PAYLOAD, world) is None
    assert time.monotonic() - begin < 0.5
    world.patience = 5.0
    assert commands.it(PAYLOAD, world) == "hello"
    world.patience = 0.0
    for _ in range(5):
        assert commands.it(PAYLOAD, world) == "hello"
        assert commands.commands(PAYLOAD, world) == {"it": "hello"}
    assert (home / "log").read_text() == "ran\n"


def test_sessions_do_not_share_an_answer(home: Path) -> None:
    world = configured(home, "/bin/sh", "-c", 'read -r x; echo "$x"')
    world.patience = 5.0
    for session in ("a", "b"):
        world.raw = {"session_id": session}
        assert commands.it({}, world) == f'{{"session_id": "{session}"}}'


def test_failure_is_null(home: Path) -> None:
    world = configured(home, "/nowhere/program")
    world.patience = 5.0
    assert commands.it(PAYLOAD, world) is None
    log = home / ".cache" / "ohud" / "errors.log"
    end = time.monotonic() + 2
    # Written after the answer.
    while not log.exists() and time.monotonic() < end:
        time.sleep(0.01)
    assert "command: FileNotFoundError: " in log.read_text()


def test_names_that_the_config_has_not(home: Path) -> None:
    world = configured(home, "/bin/echo", "x")
    world.patience = 5.0
    for name in ("other", "table", "text", "run"):
        assert getattr(commands, name)(PAYLOAD, world) is None
    assert not hasattr(commands, "_private") and not hasattr(commands, "__path__")
    world.settings = {"commands": {"it": {"run": "text"}, "odd": 7}}
    assert commands.commands(PAYLOAD, world) == {"it": None, "odd": None}
    world.settings = {}
    assert commands.commands(PAYLOAD, world) is None


def test_module_has_no_name_that_a_command_could_have() -> None:
    taken = {name for name in vars(commands) if not name.startswith("_")} - {"commands", "TYPE_CHECKING"}
    assert not taken


def test_theme_that_names_one_runs_one() -> None:
    assert families_of([("commands", "load")]) == {"commands": ["load"]}
    assert families_of([("commands", "load"), ("commands", "disk")]) == {"commands": ["disk", "load"]}
    assert families_of([("commands", None), ("commands", "load")]) == {"commands": True}
    assert "commands" not in families_of([("*", None)])


def test_sigpipe_of_the_reader_is_no_fault(home: Path) -> None:
    """A program that closes its input while it is being fed."""
    world = configured(home, sys.executable, "-I", "-S", "-c", "import os; os.close(0); print('ok')")
    world.raw = {"x": "y" * 250000}
    before = signal.getsignal(signal.SIGPIPE)
    assert ran(world) == "ok"
    assert signal.getsignal(signal.SIGPIPE) == before
