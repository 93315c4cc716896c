"""A program of the user's own, run outside of every refresh."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
import tomllib
from typing import Any

from ohud.run.clean import clean
from ohud.run.program import config_path
from ohud.run.world import World

# Of the output that can matter, and of what a program may print beside it [bytes].
_KEPT = 4096
_FLOOD = 1 << 20
_CONFIG = 32768


def work(arguments: dict[str, Any], world: World) -> str | None:
    """
    The first line of what a program prints.

    Takes:   arguments: name and run as in the config, folder to run it in; world.raw: the payload, for its standard
             input
    Returns: cleaned text; None when there is none, and for a program that ends with any status but 0
    Errors:  PermissionError when the config does not say so, OSError, TimeoutError
    """
    name = arguments["name"]
    limit_ms = _allowed(name, arguments["run"], world)
    folder = arguments["folder"]
    inside = folder if isinstance(folder, str) and os.path.isabs(folder) and os.path.isdir(folder) else None
    words = arguments["run"]
    command = [_program(words[0], inside, world), *words[1:]]
    status, output = _run(command, json.dumps(world.raw).encode(), inside, limit_ms / 1000, name)
    if status != 0:
        return None
    lines = output.decode("utf-8", "replace").split("\n")
    return next((line for text in lines if (line := clean(text).strip())), None)


def _allowed(name: str, run: list[str], world: World) -> float:
    """
    How long the program may take [ms], by the config as it is now.

    Errors:  PermissionError when it does not name this very program: compiled programs and answers lie in a cache,
             and nothing there may start anything
    """
    path = config_path(world)
    raw = world.read(path, _CONFIG + 1) if path else None
    try:
        entry = tomllib.loads((raw or b"").decode("utf-8-sig"))["commands"][name]
        if entry["run"] == run and run and all(isinstance(word, str) for word in run):
            limit_ms = entry.get("timeout_ms", 1000)
            return min(max(limit_ms, 1), 60000) if type(limit_ms) is int else 1000
    except (ValueError, TypeError, KeyError, AttributeError):
        pass
    raise PermissionError(f"the config has no [commands.{name}] that runs this")


def _program(word: str, inside: str | None, world: World) -> str:
    """
    The absolute path of a program: as given, or looked up in the absolute folders of PATH outside of the session's.

    Errors:  FileNotFoundError
    """
    if word.startswith("~/") and world.home:
        word = world.home + word[1:]
    if os.path.isabs(word):
        return word
    if os.path.basename(word) == word:
        planted = os.path.join(os.path.realpath(inside), "") if inside else None
        for folder in (world.env("PATH") or os.defpath).split(os.pathsep):
            found = os.path.join(folder, word)
            if not os.path.isabs(folder) or not os.path.isfile(found) or not os.access(found, os.X_OK):
                continue
            if planted is None or not os.path.realpath(found).startswith(planted):
                return found
    raise FileNotFoundError(f"there is no program {clean(word, 80)!r}")


def _run(command: list[str], given: bytes, folder: str | None, limit_s: float, name: str) -> tuple[int, bytes]:
    """
    Status and the beginning of the output of a program in a process group of its own, of which nothing is left.

    Errors:  TimeoutError, also for a flood of output; OSError when it cannot be started
    """
    with subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        process_group=0,
    ) as process:
        try:
            return _talk(process, given, time.monotonic() + limit_s, name)
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except OSError:
                pass


def _talk(process: subprocess.Popen[bytes], given: bytes, end: float, name: str) -> tuple[int, bytes]:
    """Feeds a program and listens to it until it ends, whoever else still holds its output."""
    assert process.stdin is not None and process.stdout is not None
    feed, listen = process.stdin.fileno(), process.stdout.fileno()
    os.set_blocking(feed, False)
    os.set_blocking(listen, False)
    rest, output, printed = memoryview(given), b"", 0
    feeding, listening, ended = True, True, False
    while True:
        left = end - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"[commands.{name}] did not end in time")
        heard, fed, _ = select.select([listen] * listening, [feed] * feeding, [], min(0.02, left))
        if fed:
            rest = _fed(feed, rest)
            if not rest:
                process.stdin.close()
                feeding = False
        part = _heard(listen) if heard else None
        if part:
            printed += len(part)
            output = (output + part)[:_KEPT]
            if printed > _FLOOD:
                raise TimeoutError(f"[commands.{name}] prints without end")
        elif part == b"":
            listening = False
        if ended and not part:
            return process.returncode, output
        # What it printed last may still be in the pipe: one more look.
        ended = ended or process.poll() is not None


def _fed(handle: int, rest: memoryview) -> memoryview:
    """What is still to be fed; nothing to a program that has closed its input, which is its right."""
    try:
        return rest[os.write(handle, rest[:65536]) :]
    except BlockingIOError:
        return rest
    except OSError:
        return rest[:0]


def _heard(handle: int) -> bytes | None:
    """What a program has printed, empty at the end, None when there is nothing yet."""
    try:
        return os.read(handle, 65536)
    except BlockingIOError:
        return None
