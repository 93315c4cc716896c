"""What can be wrong with ohud itself: interpreter, bytecode, cache, theme, what the log says; and how fast it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from ohud.errors import Problem, count, quote, render
from ohud.host import interpreter
from ohud.host.case import Case, redact
from ohud.host.command import ours
from ohud.host.diagnosis import NOTE, OK, PROBLEM, Finding
from ohud.host.trial import Trial, plain_words, resolve

if TYPE_CHECKING:
    from ohud.theme.read import Loaded

LOG = "errors.log"
_LOG_LINES = 5
_LOG_LIMIT = 65536
# A line of the log that is younger than this speaks of what is wrong now [s].
_RECENT_S = 3600.0
_ROUNDS = 9
_FAULTS = 4  # faults of a theme that are shown whole
_LIMIT_S = 10.0
# Above this many times the bare interpreter something is in the way.
_DEAR = 2.5


@dataclass(frozen=True, slots=True)
class Own:
    """
    The ohud that a command runs.

    Takes:  python: the interpreter's path; hot: the file of the fast form, None: the console script or `-m ohud`;
            package: the folder of the package, None when it is not known
    """

    python: str
    hot: str | None
    package: str | None


@dataclass(frozen=True, slots=True)
class Theme:
    """The theme of a directory as it is read, and what is wrong with it."""

    loaded: Loaded
    problems: list[Problem]

    @property
    def changed(self) -> float:
        """When the user's own files were last changed, in seconds since 1970; 0 where there are none."""
        from ohud.theme.read import bundled_dir

        shipped = os.path.join(bundled_dir(), "")
        own = [path for path in self.loaded.files if not path.startswith(shipped) and os.path.isfile(path)]
        return max((os.stat(path).st_mtime for path in own), default=0.0)


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds: least and median of a whole refresh, least of the bare interpreter, least of each stage."""

    least_ms: float
    usual_ms: float
    bare_ms: float
    stages_ms: Mapping[str, float]


def own(case: Case) -> Own | None:
    """The ohud of the configured command; this one where nothing is configured; None for another program's command."""
    command = case.command
    if command is None:
        return Own(sys.executable, interpreter.entry(), os.path.dirname(interpreter.entry()))
    if not ours(command):
        return None
    words = plain_words(command)
    path = resolve(words[0], case) if words else None
    if path is None:
        return None
    hot = next((word for word in words[1:] if word.replace("\\", "/").endswith("/ohud/hot.py")), None)
    if hot is not None:
        full = resolve(hot, case)
        return Own(path, full, os.path.dirname(full)) if full else None
    if "-m" in words:
        return Own(path, None, _package(path))
    python = _script_interpreter(case, path)
    return Own(python, None, _package(python)) if python else None


def read_theme(case: Case) -> Theme:
    """The theme that a session in the directory draws."""
    from ohud.run.program import config_path
    from ohud.theme import lower, read

    world, config = case.world, config_path(case.world)
    required = bool(world.env("OHUD_CONFIG"))
    loaded = read.load(config, home=world.home, required=required)
    folders = read.project_folders(loaded.theme.settings["projects"], world.home)
    here = os.path.join(os.path.abspath(case.directory), "")
    project = next((folder for folder in folders if here.startswith(os.path.join(folder, ""))), None)
    if project is not None:
        loaded = read.load(config, home=world.home, directory=project, required=required)
    return Theme(loaded, lower.build(loaded).problems)


# --- findings ---------------------------------------------------------------------------------------------------------


def check_interpreter(mine: Own) -> Finding:
    """Whether the interpreter can run ohud and compile its themes."""
    found = interpreter.examine(mine.python, mine.hot or (mine.package and os.path.join(mine.package, "hot.py")))
    named = quote(mine.python, 200)
    if found.reason is not None:
        remedy = "run `ohud install` from an environment that has ohud, or `ohud install --python auto`"
        return Finding("interpreter", PROBLEM, f"{named} cannot run ohud: {found.reason}", remedy)
    version = "Python %d.%d" % (found.version or interpreter.OLDEST)
    here = os.path.dirname(interpreter.entry())
    if mine.package is not None and os.path.realpath(mine.package) != os.path.realpath(here):
        message = (
            f"{named} is {version}; the command runs the ohud of {quote(mine.package, 200)}, another one than this"
        )
        return Finding("interpreter", NOTE, message, "run `ohud install` to use this one")
    if not found.stays:
        message = f"{named} is {version}; it lies in a folder for passing things and may be gone soon"
        return Finding("interpreter", NOTE, message, "install ohud in an environment that is kept")
    return Finding("interpreter", OK, f"{named} is {version}")


def check_bytecode(mine: Own) -> Iterator[Finding]:
    """Whether the modules of a refresh have bytecode: without it each refresh compiles them anew."""
    if mine.package is None:
        return
    facts = _asked(mine.python, _MAGIC)
    if len(facts) != 2:
        return
    tag, magic = facts[0], bytes.fromhex(facts[1])
    modules = _modules(mine.package)
    stale = [source for source in modules if not _compiled(source, tag, magic)]
    if not stale:
        yield Finding("bytecode", OK, f"{count(len(modules), 'module')} have bytecode for {tag}")
        return
    folder = os.path.join(os.path.dirname(stale[0]), "__pycache__")
    why = "it cannot be written to " + quote(folder, 200) if not _writable(folder) else "it has not been written"
    message = f"{len(stale)} of {count(len(modules), 'module')} have no bytecode for {tag}, and {why}"
    remedy = f"python -m compileall -q {mine.package}"
    if not _writable(folder):
        remedy = f"as who may write there: {remedy}"
    yield Finding("bytecode", PROBLEM, f"{message}: each refresh compiles them anew", remedy)


def check_cache(case: Case) -> Finding:
    """Whether the private cache takes files: without it the theme is compiled at every refresh."""
    folder = case.world.cache_dir()
    if folder is None:
        message = "there is no place for the cache: neither HOME nor XDG_CACHE_HOME is an absolute path"
        return Finding("cache", PROBLEM, f"{message}; every refresh compiles the theme anew", "set HOME")
    named = quote(folder, 200)
    if case.world.write_private("doctor", b"ohud doctor can write here\n"):
        return Finding("cache", OK, f"{named} can be written")
    message = f"the cache {named} cannot be written: {_why_not(folder)}"
    remedy = "make it a folder of yours that nobody else may write, or set XDG_CACHE_HOME to one"
    return Finding("cache", PROBLEM, f"{message}. Every refresh compiles the theme anew", remedy)


def check_theme(theme: Theme) -> Finding:
    """What `ohud check` would say of the config and the theme of this directory."""
    loaded, problems = theme.loaded, theme.problems
    name = quote(loaded.theme.name or "unnamed")
    if not problems:
        return Finding("theme", OK, f"theme {name}", None, tuple(loaded.files))
    faults = [problem for problem in problems if problem.weight != "ignored"]
    shown = faults or problems
    details = [render(problem, loaded.text(problem)) for problem in shown[:_FAULTS]]
    if len(shown) > _FAULTS:
        details.append(f"and {len(shown) - _FAULTS} more")
    state, message = PROBLEM, "parts of the theme are left out"
    if not faults:
        state, message = NOTE, "keys that mean nothing"
    elif any(problem.weight == "fatal" for problem in faults):
        message = "the theme or config cannot be used whole"
    return Finding("theme", state, f"{message}: {count(len(shown), 'fault')}", "run `ohud check`", tuple(details))


def check_faults(case: Case, trial: Trial | None) -> Finding | None:
    """What ohud reported during the runs."""
    text = redact(trial.run.stderr[:_LOG_LIMIT].decode("utf-8", "replace"), case) if trial else ""
    lines = [line for line in text.splitlines() if line.startswith("ohud: ")]
    if not lines:
        return None
    details = tuple(quote(line.removeprefix("ohud: "), 300) for line in lines[:_LOG_LINES])
    return Finding("faults", PROBLEM, "parts of the line could not be computed", "run `ohud check`", details)


def read_log(case: Case) -> list[str]:
    """The last lines of the log, oldest first."""
    folder = case.world.cache_dir()
    raw = case.world.read(folder + "/" + LOG, 2 * _LOG_LIMIT, tail=True) if folder else None
    text = redact(raw.decode("utf-8", "replace"), case) if raw else ""
    return [line for line in text.splitlines() if line.strip()][-_LOG_LINES:]


def check_log(case: Case, lines: Sequence[str], since: float, explained: bool) -> Finding:
    """
    What went wrong in refreshes before.

    Takes:  since: when the theme was last changed, as what was logged before is of another one [s since 1970];
            explained: whether other findings say why already
    """
    if not lines:
        return Finding("log", OK, "no errors are logged")
    age = case.world.now - _stamp(lines[-1])
    recent = 0 <= age < _RECENT_S and _stamp(lines[-1]) > since and not explained
    when = f"{int(age // 60)} minutes ago" if 0 <= age < _RECENT_S else lines[-1].partition(" ")[0]
    details = tuple(quote(line, 300) for line in lines)
    message = f"the last error that ohud logged was {when}" if 0 <= age < _RECENT_S else f"the last error is of {when}"
    folder = case.world.cache_dir() or ""
    remedy = f"all of them: {os.path.join(folder, LOG)}"
    return Finding("log", PROBLEM if recent else NOTE, message, remedy, details)


def check_speed(case: Case, mine: Own, timing: Timing | None) -> Iterator[Finding]:
    """How long a refresh takes, against the bare interpreter."""
    if timing is None:
        return
    ratio = timing.least_ms / timing.bare_ms
    stages = ", ".join(f"{name} {spent:.2f}" for name, spent in timing.stages_ms.items())
    message = (
        f"a refresh takes {timing.least_ms:.1f} ms (median {timing.usual_ms:.1f}), "
        f"{ratio:.2f} times the bare interpreter's {timing.bare_ms:.1f}"
    )
    details = (f"stages in ms: {stages}",) if stages else ()
    if mine.hot is None:
        remedy = "run `ohud install`: it writes the fast form of the command"
        yield Finding("speed", NOTE, f"{message}; the command is not the fast form", remedy, details)
    else:
        yield Finding("speed", OK if ratio < _DEAR else NOTE, message, None, details)


# --- timing -----------------------------------------------------------------------------------------------------------


def measure(case: Case, mine: Own, command: Sequence[str], payload: bytes) -> Timing | None:
    """
    Times of the command and of the bare interpreter, taken in turns, and of each stage; None when it does not run.

    Takes:  command: the words that start ohud
    """
    bare = [mine.python, "-I", "-S", "-c", "pass"]
    variables = {**case.env, "COLUMNS": str(case.columns), "LINES": str(case.lines)}
    times: tuple[list[float], list[float]] = ([], [])
    try:
        for number in range(_ROUNDS + 1):
            for words, taken in zip((bare, command), times, strict=True):
                started = time.perf_counter()
                ran = _run(words, payload, variables, case.directory)
                if ran.returncode != 0:
                    return None
                if number:
                    taken.append((time.perf_counter() - started) * 1000)
    except (OSError, subprocess.SubprocessError):
        return None
    return Timing(min(times[1]), median(times[1]), min(times[0]), _stages(case, mine, payload, variables))


def command_words(mine: Own, case: Case) -> list[str]:
    """The words that start ohud as the configured command does, without a shell."""
    if mine.hot is not None:
        return [mine.python, "-I", "-S", mine.hot]
    words = plain_words(case.command or "")
    path = resolve(words[0], case) if words else None
    return [path, *words[1:]] if path else []


def _stages(case: Case, mine: Own, payload: bytes, variables: Mapping[str, str]) -> dict[str, float]:
    """The least time of each stage of a refresh, in milliseconds; empty when they cannot be measured."""
    if mine.package is None:
        return {}
    rounds = []
    for _ in range(3):
        try:
            words = [mine.python, "-I", "-S", "-c", _STAGES, mine.package]
            ran = _run(words, payload, variables, case.directory)
            found = json.loads(ran.stdout) if ran.returncode == 0 else None
        except (OSError, ValueError, subprocess.SubprocessError):
            return {}
        if not isinstance(found, dict) or not all(isinstance(spent, float) for spent in found.values()):
            return {}
        rounds.append(found)
    return {name: min(one[name] for one in rounds) for name in rounds[0]}


# The stages of `ohud.run.status`, timed in a process of its own; what they print goes nowhere.
_STAGES = """
from time import perf_counter
marks = [perf_counter()]
import sys
sys.path.insert(0, sys.argv[1] + "/run")
import quick
sys.path[0:1] = []
sys.path.append(quick.ROOT)
quick.start()
from ohud.run import payload as stdin
from ohud.run import status
from ohud.run.program import for_session, load
marks.append(perf_counter())
world = status.World()
world.later = []
program = load(world)
marks.append(perf_counter())
raw = stdin.read()
if program.get("projects"):
    program = for_session(program, raw, world)
world.configure(program["settings"], program["color"], program["columns"])
root = status.begin(stdin.parse(raw) or {}, world)
marks.append(perf_counter())
segments = status.Segments(program, root, world)
marked = status.render_template(program["template"], segments.scope(), segments.context)
marks.append(perf_counter())
text = status.finish(marked, segments, program, world)
marks.append(perf_counter())
names = ["modules", "program", "payload", "segments", "fit"]
spent = [(after - before) * 1000 for before, after in zip(marks, marks[1:])]
from json import dumps
print(dumps(dict(zip(names, spent))))
"""

# --- small things -----------------------------------------------------------------------------------------------------

_MAGIC = """
import sys
from _frozen_importlib_external import MAGIC_NUMBER
print(sys.implementation.cache_tag, MAGIC_NUMBER.hex())
"""
_WHERE = """
import os, ohud
print(os.path.dirname(os.path.abspath(ohud.__file__)))
"""


def _run(
    words: Sequence[str], given: bytes = b"", env: Mapping[str, str] | None = None, cwd: str | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        words,
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=_LIMIT_S,
        check=False,
        env=None if env is None else dict(env),
        cwd=cwd,
        close_fds=False,
    )


def _asked(python: str, code: str) -> list[str]:
    """The words that an interpreter prints for a piece of code, none when it fails."""
    try:
        ran = _run([python, "-I", "-c", code])
    except (OSError, subprocess.SubprocessError):
        return []
    return ran.stdout.decode("utf-8", "replace").split() if ran.returncode == 0 else []


def _package(python: str) -> str | None:
    """The folder of the package that an interpreter finds."""
    try:
        ran = _run([python, "-I", "-c", _WHERE])
    except (OSError, subprocess.SubprocessError):
        return None
    folder = ran.stdout.decode("utf-8", "replace").strip()
    return folder if ran.returncode == 0 and os.path.isdir(folder) else None


def _script_interpreter(case: Case, path: str) -> str | None:
    """The interpreter that a console script starts, also where its path is too long for a first line."""
    head = (case.world.read(path, 1024) or b"").decode("utf-8", "replace")
    first, _, rest = head.partition("\n")
    if not first.startswith("#!"):
        return None
    found = first[2:].strip().strip('"')
    if found == "/bin/sh":
        words = rest.partition("\n")[0].removeprefix("'''exec' ").split('"')
        found = words[1] if len(words) > 1 else words[0].split(" ")[0]
    return found if os.path.isabs(found) and os.path.isfile(found) else None


def _modules(package: str) -> list[str]:
    """The source files that every refresh loads."""
    from ohud.run.quick import CORE

    root = os.path.dirname(package)
    files = [os.path.join(package, "run", "quick.py")]
    for name in CORE:
        path = os.path.join(root, *name.split("."))
        files.append(os.path.join(path, "__init__.py") if os.path.isdir(path) else path + ".py")
    return [path for path in files if os.path.isfile(path)]


def _compiled(source: str, tag: str, magic: bytes) -> bool:
    """Whether a source file has bytecode that is up to date, by the interpreter's own test."""
    folder, name = os.path.split(source)
    try:
        facts = os.stat(source)
        with open(os.path.join(folder, "__pycache__", f"{name.removesuffix('.py')}.{tag}.pyc"), "rb") as file:
            head = file.read(16)
    except OSError:
        return False
    stamp = int(facts.st_mtime) & 0xFFFFFFFF, facts.st_size & 0xFFFFFFFF
    return head[:8] == magic + bytes(4) and head[8:] == b"".join(part.to_bytes(4, "little") for part in stamp)


def _writable(folder: str) -> bool:
    """Whether files can be made in a folder, or the folder itself can."""
    place = folder if os.path.lexists(folder) else os.path.dirname(folder)
    return os.path.isdir(place) and os.access(place, os.W_OK | os.X_OK)


def _why_not(folder: str) -> str:
    """Why a private folder cannot be used, in words."""
    place = Path(folder)
    if place.is_symlink():
        return "it is a symbolic link"
    if not place.exists():
        above = next(one for one in place.parents if os.path.lexists(one))
        if not above.is_dir():
            return f"{quote(above, 200)} is no folder"
        return f"{quote(above, 200)} lets nothing be made in it"
    if not place.is_dir():
        return "it is no folder"
    if sys.platform != "win32" and place.stat().st_uid != os.geteuid():
        return "it belongs to somebody else"
    return "the disk is full or read-only" if os.access(place, os.W_OK) else "its permissions forbid it"


def _stamp(line: str) -> float:
    """When a line of the log was written, 0 when it does not say."""
    try:
        return time.mktime(time.strptime(line.partition(" ")[0], "%Y-%m-%dT%H:%M:%S"))
    except ValueError:
        return 0.0
