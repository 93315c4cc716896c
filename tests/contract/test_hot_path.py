"""What a refresh costs, counted and not timed: bytes read of the transcript, processes started, files written."""

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from launch import STATUS_LINE, Input, launch
from session import PLAIN_THEMES, Session, at_home, captured, repository, transcript

MODEL = "claude-sonnet-4-5-20250929"
LIMIT = 300 * 1024
SIZE = 5_000_000

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="counts through the posix module")

# Runs the file that the installed command names, with the system calls of its module counted. It knows of no other
# way to read: a file opened past it is an "open" event without a count, which the test refuses.
WATCH = """
import sys, posix
report, sys.argv = sys.argv[1], sys.argv[2:]
paths, counts, events = {}, {}, []
real = {name: getattr(posix, name) for name in ("open", "read", "pread", "_exit", "write", "close")}
def hook(name, arguments):
    if name == "open":
        events.append([name, str(arguments[0]), arguments[2] if isinstance(arguments[2], int) else 0])
    elif name in ("os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.system", "subprocess.Popen", "pty.spawn"):
        events.append([name, str(arguments[:1]), 0])
def watched_open(path, *rest, **more):
    handle = real["open"](path, *rest, **more)
    paths[handle] = path
    return handle
def watched_read(handle, size):
    data = real["read"](handle, size)
    counts.setdefault(str(paths.get(handle, handle)), []).append(len(data))
    return data
def watched_pread(handle, size, offset):
    data = real["pread"](handle, size, offset)
    counts.setdefault(str(paths.get(handle, handle)), []).append(len(data))
    return data
def watched_close(handle):
    paths.pop(handle, None)
    real["close"](handle)
def leave(code):
    done = repr((counts, events)).encode()
    handle = real["open"](report, posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC)
    real["write"](handle, done)
    real["_exit"](code)
posix.open, posix.read, posix.pread, posix.close = watched_open, watched_read, watched_pread, watched_close
with open(sys.argv[0], "rb") as file:
    code = compile(file.read(), sys.argv[0], "exec")
sys.addaudithook(hook)
posix._exit = leave
exec(code, {"__name__": "__main__", "__file__": sys.argv[0], "__builtins__": __builtins__})
leave(0)
"""


@dataclass(frozen=True)
class Seen:
    """What a watched refresh printed, read by path, and did."""

    text: str
    reads: dict[str, list[int]]
    events: list[tuple[str, str, int]]


class Scene:
    """A user with a 5 MB transcript, in a repository, between two refreshes."""

    def __init__(self, root: Path, theme: str) -> None:
        self.session = Session(root)
        self.session.configure(f'theme = "{theme}"\n')
        payload: dict[str, Any] = json.loads(at_home(captured()["2.1.332-main-10-near-200k"], self.session.home))
        self.transcript = transcript(Path(payload["transcript_path"]), SIZE, MODEL)
        repository(Path(payload["cwd"]), "topic")
        self.payload = json.dumps(payload).encode()

    def watched(self) -> Seen:
        """One refresh under the counting wrapper."""
        report = self.session.root / "report"
        python, isolated, bare, hot = STATUS_LINE
        command = [python, isolated, bare, "-c", WATCH, str(report), hot]
        outcome = launch(command, Input(self.payload), self.session.env(), self.session.home)
        assert outcome.code == 0 and report.exists(), outcome
        reads, events = eval(report.read_text())  # our own repr, as the wrapper imports no json
        return Seen(outcome.text, reads, [tuple(event) for event in events])


@pytest.fixture(params=PLAIN_THEMES)
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Scene:
    """The scene for each shipped theme, its program compiled."""
    made = Scene(tmp_path, request.param)
    made.session.line(made.payload)
    return made


def test_a_bounded_part_of_the_transcript_is_read(scene: Scene) -> None:
    """At most 300 KiB of 5 MB, and yet the model of its last reply is shown."""
    assert scene.transcript.stat().st_size >= SIZE
    seen = scene.watched()
    assert "Sonnet 4.5" in seen.text
    assert 0 < sum(seen.reads[str(scene.transcript)]) <= LIMIT


def test_every_open_file_is_counted(scene: Scene) -> None:
    """No file is read past the counter: what was opened is a counted file or a module of ohud."""
    seen = scene.watched()
    opened = {path for name, path, _ in seen.events if name == "open"}
    assert {path for path in opened - set(seen.reads) if not path.endswith((".py", ".pyc"))} == set()


def test_no_process_is_started_and_nothing_is_written(scene: Scene) -> None:
    """A warm refresh starts no program and opens no file for writing."""
    writing = 0o3  # O_WRONLY | O_RDWR
    for name, path, flags in scene.watched().events:
        assert name == "open" and not flags & writing, (name, path)


def test_the_watch_bites(tmp_path: Path) -> None:
    """The same wrapper sees the first run write the compiled program."""
    cold = Scene(tmp_path, "classic").watched()
    assert any(name == "open" and flags & 0o3 for name, _, flags in cold.events)
    assert "Sonnet 4.5" in cold.text


def straced(scene: Scene) -> str | None:
    """The system calls of one refresh of the real command, None where strace is missing or may not trace."""
    strace = shutil.which("strace")
    trace = scene.session.root / "trace"
    calls = "trace=openat,open,read,pread64,close,clone,clone3,fork,vfork,execve"
    command = [str(strace), "-f", "-qq", "-e", calls, "-o", str(trace), *STATUS_LINE]
    if not strace:
        return None
    run = subprocess.run(command, input=scene.payload, env=scene.session.env(), capture_output=True, timeout=30)
    return trace.read_text() if run.returncode == 0 and trace.exists() else None


def test_the_kernel_agrees(scene: Scene) -> None:
    """strace on the real command: the same bound, one execve (its own), no clone and no fork."""
    trace = straced(scene)
    if trace is None:
        pytest.skip("strace is not installed, or tracing is not allowed here")
    handles: set[str] = set()
    read = 0
    for line in trace.splitlines():
        call, _, rest = line.partition(" ")[2].strip().partition("(")
        result = rest.rpartition(" = ")[2].split(" ")[0]
        handle = rest.partition(",")[0].rstrip(") ")
        if call in ("open", "openat") and f'"{scene.transcript}"' in rest:
            handles.add(result)
        elif call == "close":
            handles.discard(rest.partition(")")[0])
        elif call in ("read", "pread64") and handle in handles:
            read += int(result)
        assert call not in ("clone", "clone3", "fork", "vfork"), line
    assert 0 < read <= LIMIT
    assert trace.count("execve(") == 1
