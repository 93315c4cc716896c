"""Git run so that nothing a repository holds can start a program, reach the network or wait for ever."""

from __future__ import annotations

import os
import subprocess

from ohud.run.world import World

_OUTPUT_LIMIT = 4 << 20

# Settings that a repository's own config can turn into a command, a connection or a write; the last word is ours.
_OFF = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.sshCommand": "false",
    "core.gitProxy": "",
    "core.askPass": "",
    "core.untrackedCache": "false",
    "credential.helper": "",
    "diff.external": "",
    "interactive.diffFilter": "",
    "protocol.allow": "never",
    "status.submoduleSummary": "false",
    "submodule.recurse": "false",
}


def run_git(world: World, root: str, *arguments: str) -> bytes:
    """
    What a git command prints in a repository.

    Takes:   root: the working tree's top folder, absolute; arguments: the command and its options
    Errors:  FileNotFoundError without a git to trust, OSError, RuntimeError for a failure or a flood of output
    """
    program = _program(world, root)
    settings = dict(_OFF)
    for driver in _filters(world, program, root):
        for key, value in (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")):
            settings[f"filter.{driver}.{key}"] = value
    return _output([program, "--no-optional-locks", "-C", root, *arguments], _environment(world, settings))


def _program(world: World, root: str) -> str:
    """The absolute path of git, from folders of PATH that are absolute and outside the repository."""
    inside = os.path.realpath(root) + os.sep
    for folder in (world.env("PATH") or os.defpath).split(os.pathsep):
        if not os.path.isabs(folder):
            continue
        candidate = os.path.join(folder, "git.exe" if os.name == "nt" else "git")
        if os.access(candidate, os.X_OK) and not (os.path.realpath(candidate) + os.sep).startswith(inside):
            return candidate
    raise FileNotFoundError("there is no git on PATH")


def _environment(world: World, settings: dict[str, str]) -> dict[str, str]:
    """An environment made from nothing: no GIT_* of the caller's, our settings above every config file."""
    kept = {name: value for name in ("HOME", "XDG_CONFIG_HOME", "PATH", "SYSTEMROOT") if (value := world.env(name))}
    kept |= {
        "LC_ALL": "C",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_ASKPASS": "",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CONFIG_COUNT": str(len(settings)),
    }
    for number, (key, value) in enumerate(settings.items()):
        kept[f"GIT_CONFIG_KEY_{number}"] = key
        kept[f"GIT_CONFIG_VALUE_{number}"] = value
    return kept


def _filters(world: World, program: str, root: str) -> list[str]:
    """The names of the filter drivers that any config file in force here defines."""
    command = [program, "-C", root, "config", "-z", "--name-only", "--get-regexp", r"^filter\."]
    try:
        raw = _output(command, _environment(world, _OFF), allowed=(0, 1))
    except RuntimeError:
        return []
    names = set()
    for key in raw.decode("utf-8", "surrogateescape").split("\0"):
        first, _, rest = key.partition(".")
        if first == "filter" and "." in rest:
            names.add(rest.rpartition(".")[0])
    return sorted(names)


def _output(command: list[str], environment: dict[str, str], allowed: tuple[int, ...] = (0,)) -> bytes:
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        try:
            raw = process.stdout.read(_OUTPUT_LIMIT + 1)
            if len(raw) > _OUTPUT_LIMIT:
                raise RuntimeError(f"git printed more than {_OUTPUT_LIMIT >> 20} MiB")
        except BaseException:
            process.kill()
            raise
        if process.wait() not in allowed:
            raise RuntimeError(f"git ended with status {process.returncode}")
        return raw
