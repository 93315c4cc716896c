"""Which Python starts the status line: the fastest of those at hand that can run it and will stay."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from ohud.host.splice import Refused

OLDEST = (3, 11)
ROUNDS = 10
_LIMIT_S = 10.0
# The environment's own is kept unless another one is faster by more than what two runs differ.
_WORTH = 0.97
_SYSTEM = ("/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3")
_PASSING = (
    "/pip-build-env-",
    "/pip-ephem-",
    "/.cache/uv/",
    "/uv/cache/",
    "/pipx/.cache/",
    "/_npx/",
    "/.tox/",
    "/.nox/",
)
_PAYLOAD = (
    b'{"model":{"id":"claude-opus-4-6","display_name":"Opus 4.6"},"workspace":{"current_dir":"/","project_dir":"/"}}'
)
# Says the version, and fails where the compiler's packages cannot be found from the package's own folder.
_PROBE = """
import sys, site
sys.path.append(sys.argv[1])
site.main()
print(*sys.version_info[:2], sys.implementation.name)
import jinja2, jmespath, tomllib
print("packages")
"""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """
    One Python.

    Takes:  path: absolute, as it is started; version; stays: it lies where things are kept; reason: why it cannot be
            used, None when it can; least_ms, usual_ms: least and median time of a whole refresh, None: not measured
    """

    path: str
    version: tuple[int, int] | None = None
    stays: bool = True
    reason: str | None = None
    least_ms: float | None = None
    usual_ms: float | None = None


def entry() -> str:
    """The file that the command line names: absolute."""
    import ohud

    return os.path.join(os.path.abspath(os.path.dirname(ohud.__file__)), "hot.py")


def stays(path: str) -> bool:
    """Whether a path is not one of a folder for passing things: a temporary one, an installer's cache."""
    plain = os.path.abspath(path).replace("\\", "/")
    folders = {tempfile.gettempdir(), "/tmp", "/var/tmp", "/private/tmp", "/private/var/folders", "/var/folders"}
    spots = [folder.replace("\\", "/").rstrip("/") + "/" for folder in folders]
    return not plain.startswith(tuple(spots)) and not any(spot in plain for spot in _PASSING)


def candidates() -> list[str]:
    """The interpreters at hand: the one that runs, the one its environment was made from, the system's."""
    found = [sys.executable, getattr(sys, "_base_executable", "")]
    found += _SYSTEM if sys.platform != "win32" else ()
    paths: list[str] = []
    seen: set[tuple[str, str]] = set()
    for path in found:
        # Homebrew's versioned folder goes with the next upgrade: its link among the system's is kept up to date.
        if not path or not os.path.isabs(path) or not os.path.isfile(path) or "/Cellar/" in path:
            continue
        # Two links to one file differ when a virtual environment's settings lie beside one of them.
        folder = os.path.dirname(os.path.dirname(path))
        own = folder if os.path.exists(os.path.join(folder, "pyvenv.cfg")) else ""
        key = (os.path.realpath(path), own)
        if key not in seen:
            seen.add(key)
            paths.append(path)
    return paths


def examine(path: str, script: str | None = None) -> Interpreter:
    """
    What can be said of an interpreter without measuring it.

    Takes:  script: the hot file, whose folder's packages it must find
    """
    root = os.path.dirname(os.path.dirname(script or entry()))
    kept = stays(path)
    try:
        ran = _run([path, "-I", "-S", "-c", _PROBE, root])
    except (OSError, subprocess.SubprocessError) as fault:
        return Interpreter(path, None, kept, f"it does not run ({fault})")
    words = ran.stdout.decode("utf-8", "replace").split()
    if len(words) < 3 or not words[0].isdecimal() or not words[1].isdecimal():
        return Interpreter(path, None, kept, "it is no Python")
    version = (int(words[0]), int(words[1]))
    if version < OLDEST:
        return Interpreter(path, version, kept, "it is Python %d.%d, older than %d.%d" % (*version, *OLDEST))
    if words[-1] != "packages":
        return Interpreter(path, version, kept, "it does not find jinja2 and jmespath, which compile a changed theme")
    return Interpreter(path, version, kept)


def measure(known: Sequence[Interpreter], script: str | None = None, rounds: int = ROUNDS) -> list[Interpreter]:
    """
    The interpreters with the time that a refresh takes, the starts of all taking turns.

    A start that fails is a reason not to use one.
    """
    script = script or entry()
    times: dict[str, list[float]] = {one.path: [] for one in known if one.reason is None}
    faults: dict[str, str] = {}
    for number in range(rounds + 1):
        for path in list(times):
            started = time.perf_counter()
            try:
                ran = _run([path, "-I", "-S", script], _PAYLOAD)
                fault = None if ran.returncode == 0 else f"a start of ohud ended with status {ran.returncode}"
            except (OSError, subprocess.SubprocessError) as error:
                fault = f"ohud does not start ({error})"
            took = time.perf_counter() - started
            if fault:
                faults[path] = fault
                del times[path]
            elif number:  # the first one compiles the theme and writes bytecode
                times[path].append(took * 1000)
    return [_timed(one, times.get(one.path), faults.get(one.path)) for one in known]


def fastest(measured: Sequence[Interpreter]) -> Interpreter:
    """
    The one to use: the fastest that will stay, of those that will not when there is no other.

    Takes:   measured: the environment's own first
    Errors:  Refused when none can be used
    """
    usable = [one for one in measured if one.reason is None and one.least_ms is not None]
    usable = [one for one in usable if one.stays] or usable
    if not usable:
        said = "; ".join(f"{one.path}: {one.reason}" for one in measured)
        raise Refused(f"no Python at hand can run ohud ({said})" if said else "no Python was found")
    best = usable[0]
    for one in usable[1:]:
        if (one.least_ms or 0.0) < (best.least_ms or 0.0) * _WORTH:
            best = one
    return best


def _timed(one: Interpreter, times: list[float] | None, fault: str | None) -> Interpreter:
    if not times:
        return Interpreter(one.path, one.version, one.stays, one.reason or fault)
    return Interpreter(one.path, one.version, one.stays, None, min(times), median(times))


def _run(command: Sequence[str], given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command,
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=_LIMIT_S,
        check=False,
    )
