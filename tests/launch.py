"""Starts a command as a host would, in a session of its own, and says how it ended."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

SHELL = shutil.which("sh") or "/bin/sh"  # found here, as a case may replace PATH
REPOSITORY = Path(__file__).resolve().parent.parent
STATUS_LINE = [sys.executable, "-I", "-S", str(REPOSITORY / "ohud" / "hot.py")]
COMMAND_LINE = [sys.executable, "-m", "ohud"]

# A process counts the peak of whoever forked it, and a test runner is large: this small one stands between.
_WATCH = """
import os, sys
command = sys.argv[2:]
status, used = os.wait4(os.posix_spawnp(command[0], command, os.environ), 0)[1:]
with open(sys.argv[1], "w") as report:
    report.write(str(used.ru_maxrss))
code = os.waitstatus_to_exitcode(status)
os.kill(os.getpid(), -code) if code < 0 else os._exit(code)
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one run ended; `peak_mb` only where it was measured."""

    code: int
    out: bytes
    err: bytes
    took_s: float
    left_behind: bool = False
    peak_mb: float | None = None

    @property
    def text(self) -> str:
        """Standard output; bytes that are no UTF-8 replaced."""
        return self.out.decode("utf-8", "replace")

    @property
    def errors(self) -> str:
        """Standard error; bytes that are no UTF-8 replaced."""
        return self.err.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Input:
    """What stands on standard input: bytes and end of file, unless a kind says otherwise."""

    data: bytes = b""
    kind: str = "bytes"  # "bytes", "closed", "directory", "feed" (a script's output) or "handle" (an open file)
    feed: Path | None = None
    handle: int = -1


def launch(
    command: Sequence[str],
    given: Input,
    env: Mapping[str, str],
    cwd: Path,
    *,
    limit_s: float = 5.0,
    stdout_closed: bool = False,
    measured: bool = False,
) -> Outcome:
    """
    The outcome of one run, ended with its whole group 3 s after `limit_s`.

    Takes:    measured: whether to find the peak of memory, at some 10 ms more
    """
    if given.kind == "closed":
        command = [SHELL, "-c", 'exec "$@" <&-', "sh", *command]
    with _report(measured) as report, _source(given, cwd) as source:
        if report:
            command = [sys.executable, "-I", "-S", "-c", _WATCH, str(report), *command]
        started = time.monotonic()
        process = subprocess.Popen(
            command,
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(env),
            cwd=cwd,
            start_new_session=True,
        )
        if stdout_closed and process.stdout:
            process.stdout.close()
        out, err = _finish(process, given.data if source == subprocess.PIPE else None, limit_s + 3)
        took_s = time.monotonic() - started
        left = end_group(process)
        return Outcome(process.returncode, out, err, took_s, left, _peak_mb(report))


def _finish(process: "subprocess.Popen[bytes]", data: bytes | None, limit_s: float) -> tuple[bytes, bytes]:
    try:
        out, err = process.communicate(data, timeout=limit_s)
    except subprocess.TimeoutExpired:
        return b"", b"timeout"
    return out or b"", err or b""


def end_group(process: "subprocess.Popen[bytes]") -> bool:
    """Whether the process's group still had members 0.3 s after its end; they are ended."""
    left = False
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, 0)
        time.sleep(0.3)
        os.killpg(process.pid, signal.SIGKILL)
        left = True
    process.wait()
    return left


@contextmanager
def _source(given: Input, cwd: Path) -> Iterator[int]:
    """The file descriptor (or `PIPE`) to start a command with."""
    if given.kind == "directory":
        handle = os.open("/", os.O_RDONLY)
        try:
            yield handle
        finally:
            os.close(handle)
    elif given.kind == "handle":
        yield given.handle
    elif given.kind == "feed":
        with feeder(given.feed, cwd) as handle:
            yield handle
    else:
        yield subprocess.PIPE if given.kind == "bytes" else subprocess.DEVNULL


@contextmanager
def feeder(script: Path | None, cwd: Path) -> Iterator[int]:
    """The reading end of what a shell script writes."""
    process = subprocess.Popen(
        [SHELL, str(script)], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    )
    assert process.stdout
    try:
        yield process.stdout.fileno()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


@contextmanager
def _report(measured: bool) -> Iterator[Path | None]:
    if not measured:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "peak"


def _peak_mb(report: Path | None) -> float | None:
    if report is None or not report.exists():
        return None
    return int(report.read_text()) / (1024 * 1024 if sys.platform == "darwin" else 1024)
