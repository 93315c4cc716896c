"""
Git run so that nothing a repository holds can start a program, reach the network or wait for ever.

What a setting can name is set in the environment, which outranks every file; filter drivers have names of the
repository's own choice, so these are asked for first. Without this, `git status` runs a stranger's program in 17 of 40
hostile repositories (git 2.39.5, 2026-11-30).
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

from ohud.run.world import World

# What one command may print, and how long one entry of it may be [bytes]; how many entries.
_OUTPUT_LIMIT = 64 << 20
_ENTRY_LIMIT = 64 << 10
_MOST_ENTRIES = 1_000_000
_PIECE = 64 << 10
# What a git may hold: a link to /dev/zero in place of one of its files is read at a gigabyte a second [bytes].
_MEMORY = 1 << 30

# Settings that a repository's own config can turn into a command, a connection, a write, a failure or a great deal of
# work.
_OFF = {
    "core.alternateRefsCommand": "false",
    "core.askPass": "",
    "core.bigFileThreshold": "16m",
    "core.fsmonitor": "false",
    "core.gitProxy": "",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.sshCommand": "false",
    "credential.helper": "",
    # `git diff` would write the index, whatever is said of locks.
    "diff.autoRefreshIndex": "false",
    "diff.external": "",
    # Any file of the machine, read to its end.
    "diff.orderFile": os.devnull,
    "diff.renameLimit": "200",
    "interactive.diffFilter": "",
    "protocol.allow": "never",
    "safe.bareRepository": "explicit",
    "status.submoduleSummary": "false",
    "submodule.recurse": "false",
}


class GitError(Exception):
    """Git gave no answer that can be used."""


def entries(world: World, place: dict[str, str], *command: str) -> Iterator[bytes]:
    """
    What a git command prints in a repository with `-z`, entry by entry.

    Takes:   place: root, the top folder of the working tree, and git, the repository's own, both absolute; command:
             words and options
    Errors:  GitError without a git to trust, for a failure and for a flood of output
    """
    folders, program = _ready(world, place)
    settings = dict(_OFF)
    for driver in _drivers(world, program, folders, place):
        settings |= {f"filter.{driver}.{key}": "" for key in ("clean", "smudge", "process")}
        settings[f"filter.{driver}.required"] = "false"
    environment = _environment(world, folders, place["root"], settings)
    yield from _printed([program, "--no-pager", "--no-optional-locks", *command], place["root"], environment)


def lines(world: World, place: dict[str, str], *command: str) -> list[str]:
    """
    What a git command prints that looks at no file of the working tree; no lines where it says no.

    Takes, Errors: as `entries`
    """
    folders, program = _ready(world, place)
    environment = _environment(world, folders, place["root"], _OFF)
    found = _printed([program, "--no-pager", *command], place["root"], environment, (0, 1), b"\n")
    return [line.decode("utf-8", "replace") for line in found]


def _ready(world: World, place: dict[str, str]) -> tuple[list[str], str]:
    """
    The folders of PATH and the git in them.

    Errors:  GitError without a git to trust, and when it finds another repository than was found
    """
    folders = _folders(world, place["root"])
    program = _program(folders)
    if os.pathsep in os.path.realpath(place["root"]):
        # A list of paths cannot hold such a one: no ceiling keeps git from looking further up.
        command = [program, "rev-parse", "--absolute-git-dir"]
        environment = _environment(world, folders, place["root"], _OFF)
        found = [os.fsdecode(line) for line in _printed(command, place["root"], environment, end=b"\n")]
        if [os.path.realpath(path) for path in found] != [os.path.realpath(place["git"])]:
            raise GitError("git finds another repository")
    return folders, program


def _folders(world: World, root: str) -> list[str]:
    """The folders of PATH that are absolute and outside of the working tree: whoever fills it cannot plant a git."""
    inside = os.path.realpath(root).rstrip(os.sep) + os.sep
    return [
        folder
        for folder in (world.env("PATH") or os.defpath).split(os.pathsep)
        if os.path.isabs(folder) and not (os.path.realpath(folder) + os.sep).startswith(inside)
    ]


def _program(folders: list[str]) -> str:
    for folder in folders:
        path = os.path.join(folder, "git")
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise GitError("there is no git on PATH")


def _environment(world: World, folders: list[str], root: str, settings: dict[str, str]) -> dict[str, str]:
    """An environment made from nothing: no GIT_* of the caller's, our settings above every config file."""
    kept = {name: value for name in ("HOME", "XDG_CONFIG_HOME") if (value := world.env(name))}
    kept |= {
        "PATH": os.pathsep.join(folders),
        "LC_ALL": "C",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_ASKPASS": "",
        # The repository that was found, or none: never one further up.
        "GIT_CEILING_DIRECTORIES": os.path.dirname(os.path.realpath(root)),
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CONFIG_COUNT": str(len(settings)),
    }
    for number, (key, value) in enumerate(settings.items()):
        kept[f"GIT_CONFIG_KEY_{number}"] = key
        kept[f"GIT_CONFIG_VALUE_{number}"] = value
    return kept


def _drivers(world: World, program: str, folders: list[str], place: dict[str, str]) -> set[str]:
    """
    The names of the filter drivers that any config file in force here defines.

    Errors:  GitError when they cannot be told, or when the repository's working tree is somewhere else
    """
    command = [program, "config", "-z", "--get-regexp", r"^(filter\..*|core\.worktree)$"]
    environment = _environment(world, folders, place["root"], _OFF)
    drivers = set()
    elsewhere = False
    for entry in _printed(command, place["root"], environment, (0, 1)):
        key = os.fsdecode(entry).partition("\n")[0]
        if key == "core.worktree":
            elsewhere = True
        else:
            # The empty name is one too (`[filter ""]`, `* filter=`); without any name it is no driver.
            driver, named, _ = key.partition(".")[2].rpartition(".")
            if named:
                drivers.add(driver)
    if elsewhere and _top(program, place["root"], environment) != os.path.realpath(place["root"]):
        raise GitError("the working tree is somewhere else")
    return drivers


def _top(program: str, root: str, environment: dict[str, str]) -> str | None:
    """The top of the working tree as git sees it (a linked worktree may ignore the setting); None without any."""
    try:
        found = [*_printed([program, "rev-parse", "--show-toplevel"], root, environment, end=b"\n")]
    except GitError:
        return None
    return os.path.realpath(os.fsdecode(found[0])) if len(found) == 1 else None


def _printed(
    command: list[str],
    folder: str,
    environment: dict[str, str],
    allowed: tuple[int, ...] = (0,),
    end: bytes = b"\0",
) -> Iterator[bytes]:
    """The entries of a command's output, as they come; GitError unless command and last entry end as they should."""
    import resource

    def limit() -> None:
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        soft = _MEMORY if hard == resource.RLIM_INFINITY else min(_MEMORY, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))

    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            preexec_fn=limit,
        )
    except (OSError, ValueError, subprocess.SubprocessError) as fault:
        raise GitError(f"git cannot be started: {fault}") from fault
    with process:
        assert process.stdout is not None
        try:
            rest = b""
            size = number = 0
            while piece := process.stdout.read(_PIECE):
                size += len(piece)
                *whole, rest = (rest + piece).split(end)
                number += len(whole)
                if size > _OUTPUT_LIMIT or number > _MOST_ENTRIES or len(rest) > _ENTRY_LIMIT:
                    raise GitError("git prints without end")
                yield from whole
        except BaseException:
            process.kill()
            raise
    if rest or process.returncode not in allowed:
        raise GitError(f"git ended with status {process.returncode}")
