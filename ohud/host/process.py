"""
One run of a command as the host starts it: shell, directory, variables, sockets, limit.

Source:  Claude Code 2.1.215 and 2.1.332 on Linux, measured 2026-11-30
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from ohud.host.loop import Loop, Timer, stopped
from ohud.host.version import NEW, Version

LIMIT_S = 600.0
OPEN_FILES = 20000
_BLOCK = 262144
# What is printed beyond so many bytes is read, as the host reads it, but no longer kept.
_KEPT = 64 << 20
# Taken out of what the command inherits: the session's own identity and log-in.
_INTERNAL = frozenset(
    [
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR",
        "CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR",
        "CLAUDE_CODE_MESSAGING_SOCKET",
        "CLAUDE_CODE_MESSAGING_TOKEN",
        "CLAUDE_CODE_SESSION_ATTENDED",
        "CLAUDE_EFFORT",
        "COLUMNS",
        "LINES",
    ]
)
# What goes too where the user asks for a scrubbed environment.
_SECRET = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "AWS_", "AZURE_", "GOOGLE_", "OPENAI_", "VERTEX_")


@dataclass(frozen=True, slots=True)
class Run:
    """
    How one run of a command ended.

    Takes:    code: exit status, the number of a signal below 0, None when it did not start or did not end by itself;
              killed: ended by a newer run or by the end of the session; timed_out: by the limit;
              error: why it did not start
    """

    stdout: bytes = b""
    stderr: bytes = b""
    code: int | None = None
    took_s: float = 0.0
    killed: bool = False
    timed_out: bool = False
    error: str | None = None


def run_command(
    command: str,
    payload: Mapping[str, Any] | bytes,
    env: Mapping[str, str],
    cwd: str,
    columns: int | None = 80,
    lines: int | None = 24,
    *,
    project_dir: str | None = None,
    version: Version = NEW,
    limit_s: float = LIMIT_S,
    effort: str | None = None,
    session_id: str | None = None,
) -> Run:
    """
    One run of a status line command, started as the host starts it, waited for to its end.

    Takes:    payload: an object, or the bytes of one (the host's line end is added);
              env: what the host itself was started with; columns, lines: None for a subagent command
    Errors:   none, a command that cannot be started gives a Run with an `error`
    """
    raw = payload if isinstance(payload, bytes) else dumped(payload)
    if isinstance(payload, bytes) and not raw.endswith(b"\n"):
        raw += b"\n"
    known = payload if isinstance(payload, Mapping) else _loaded(payload)
    variables = environment(
        env,
        project_dir or cwd,
        columns,
        lines,
        version=version,
        effort=effort or effort_of(known),
        session_id=session_id or _text(known, "session_id"),
    )
    directory = safe_directory(cwd, project_dir)
    if sys.platform == "win32":
        return _run_plainly(command, raw, variables, directory, limit_s)
    loop = Loop()
    child = Child(loop, command, raw, variables, directory, limit_s, version.waits_for_close)
    try:
        while child.result is None:
            loop.run_until(loop.now + 1.0, lambda: child.result is not None)
    finally:
        loop.close()
    return child.result


def environment(
    base: Mapping[str, str],
    project_dir: str,
    columns: int | None,
    lines: int | None,
    *,
    version: Version = NEW,
    effort: str | None = None,
    session_id: str | None = None,
    subagent: bool = False,
) -> dict[str, str]:
    """The variables of a command: those of the host, without the session's own secrets, and what the host adds."""
    scrub = base.get("CLAUDE_CODE_SUBPROCESS_ENV_SCRUB", "") not in ("", "0")
    found = {
        name: value
        for name, value in base.items()
        if name not in _INTERNAL and not (scrub and name.startswith(_SECRET))
    }
    found |= {
        "AI_AGENT": "claude-code_%s_harness" % version.name.replace(".", "-"),
        "CLAUDECODE": "1",
        "CLAUDE_CODE_CHILD_SESSION": "1",
        "CLAUDE_CODE_ENTRYPOINT": "cli",
        "CLAUDE_CODE_SESSION_ID": session_id or "00000000-0000-4000-8000-000000000000",
        "CLAUDE_PID": str(os.getpid()),
        "CLAUDE_PROJECT_DIR": project_dir,
        "COREPACK_ENABLE_AUTO_PIN": "0",
        "NoDefaultCurrentDirectoryInExePath": "1",
    }
    if subagent and version.otel:
        found["OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"] = "delta"
    if version.messaging:
        found["CLAUDE_CODE_SESSION_ATTENDED"] = "1"
        found["CLAUDE_CODE_MESSAGING_SOCKET"] = os.path.join(tempfile.gettempdir(), "cc-socks", "%d.sock" % os.getpid())
        found["CLAUDE_CODE_MESSAGING_TOKEN"] = "0" * 32
    if not subagent:
        if effort:
            found["CLAUDE_EFFORT"] = effort
        if columns is not None:
            found["COLUMNS"] = str(columns)
        if lines is not None:
            found["LINES"] = str(lines)
    return found


def shell_words(command: str, platform: str = sys.platform, env: Mapping[str, str] | None = None) -> list[str]:
    """
    The words with which the host runs a command line: `/bin/sh -c`; on Windows Git Bash, else PowerShell.

    Takes:  env: where Git Bash is looked for, on Windows
    """
    if platform != "win32":
        return ["/bin/sh", "-c", command]
    bash = _git_bash(os.environ if env is None else env)
    if bash is not None:
        return [bash, "-c", command]
    return [shutil.which("pwsh") or "powershell", "-NoProfile", "-NonInteractive", "-Command", command]


def _git_bash(env: Mapping[str, str]) -> str | None:
    """Git for Windows' bash, as the host finds it; the one of the system's folder is another thing (WSL)."""
    named = env.get("CLAUDE_CODE_GIT_BASH_PATH")
    if named:
        return named
    folders = [env[name] for name in ("ProgramFiles", "LOCALAPPDATA") if name in env]
    places = [os.path.join(folder, "Git", "bin", "bash.exe") for folder in folders]
    git = shutil.which("git", path=env.get("PATH"))
    if git:
        places.append(os.path.join(os.path.dirname(os.path.dirname(git)), "bin", "bash.exe"))
    return next((place for place in places if os.path.isfile(place)), None)


def safe_directory(cwd: str, fallback: str | None = None) -> str:
    """The directory that a command starts in: the session's, while it exists, else the one it was launched in."""
    for place in (cwd, fallback):
        if place and os.path.isdir(place):
            return place
    return working_directory()


def working_directory() -> str:
    """The directory that this process was started in; the home directory where it is no more."""
    try:
        return os.getcwd()
    except OSError:
        return os.path.expanduser("~")


def dumped(payload: Mapping[str, Any]) -> bytes:
    """The payload as the host writes it: one line without blanks, and a line end."""
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"


def _loaded(raw: Mapping[str, Any] | bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(raw) if isinstance(raw, bytes) else raw
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _text(payload: Mapping[str, Any], name: str) -> str | None:
    value = payload.get(name)
    return value if isinstance(value, str) else None


def effort_of(payload: Mapping[str, Any]) -> str | None:
    effort = payload.get("effort")
    return _text(effort, "level") if isinstance(effort, dict) else _text(payload, "effort")


def _run_plainly(command: str, raw: bytes, env: Mapping[str, str], cwd: str, limit_s: float) -> Run:
    """A run with pipes, for systems whose processes take no sockets."""
    started = time.monotonic()
    try:
        done = subprocess.run(
            shell_words(command, env=env), input=raw, capture_output=True, env=dict(env), cwd=cwd, timeout=limit_s
        )
    except subprocess.TimeoutExpired as late:
        return Run(late.stdout or b"", late.stderr or b"", None, limit_s, timed_out=True)
    except (OSError, ValueError) as fault:
        return Run(error=str(fault), took_s=time.monotonic() - started)
    return Run(done.stdout, done.stderr, done.returncode, time.monotonic() - started)


class Child:
    """
    One command in flight: a shell in a session of its own, a socket for each of its streams.

    Takes:  done: called once with the result, not after `abort`
    """

    def __init__(
        self,
        loop: Loop,
        command: str,
        stdin: bytes,
        env: Mapping[str, str],
        cwd: str,
        limit_s: float = LIMIT_S,
        waits_for_close: bool = True,
        done: Callable[[Run], None] | None = None,
    ) -> None:
        self.result: Run | None = None
        self._loop, self._stdin, self._done = loop, memoryview(stdin), done
        self._waits_for_close = waits_for_close
        self._began = loop.now
        self._out: dict[socket.socket, bytearray] = {}
        self._streams = (bytearray(), bytearray())
        self._in: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False
        self._watched: int | None = None
        self._timer: Timer | None = None
        loop.flights.add(self)
        try:
            self._spawn(command, env, cwd)
        except (OSError, ValueError) as fault:
            text = (fault.strerror if isinstance(fault, OSError) else None) or str(fault)
            # What went wrong is told on the next turn, as everything else.
            self._timer = loop.after(0.0, lambda: self._finish(Run(took_s=self._took(), error=text)))
            return
        self._timer = loop.after(limit_s, self._late)

    def abort(self) -> None:
        """Ends the run and its process group; what it printed is not used."""
        if self.result is None:
            self._end(Run(took_s=self._took(), killed=True))

    def _spawn(self, command: str, env: Mapping[str, str], cwd: str) -> None:
        # Both ends are sockets: a command that asks whether its stream is a pipe is told no.
        pairs = [socket.socketpair() for _ in range(3)]
        ours, theirs = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        try:
            with _open_files(OPEN_FILES):
                self._process = subprocess.Popen(
                    shell_words(command),
                    stdin=theirs[0].fileno(),
                    stdout=theirs[1].fileno(),
                    stderr=theirs[2].fileno(),
                    env=dict(env),
                    cwd=cwd,
                    start_new_session=True,
                )
        except BaseException:
            for end in ours:
                end.close()
            raise
        finally:
            for end in theirs:
                end.close()
        for end in ours:
            end.setblocking(False)
        self._in = ours[0]
        for end, stream in zip(ours[1:], self._streams, strict=True):
            self._out[end] = stream
            self._loop.watch(end, selectors.EVENT_READ, partial(self._take, end))
        self._loop.watch(ours[0], selectors.EVENT_WRITE, self._write)
        self._watch_end()

    def _watch_end(self) -> None:
        """Has the end of the shell noticed: by a handle of it where there is one, else by looking often."""
        process = self._process
        assert process is not None
        if sys.platform == "linux":
            with contextlib.suppress(OSError):
                self._watched = os.pidfd_open(process.pid)
                self._loop.watch(self._watched, selectors.EVENT_READ, self._look)
                return
        self._loop.after(0.01 * self._loop.speed, self._look)

    def _look(self) -> None:
        if self._process is None or self.result is not None or self._ended:
            return
        if self._process.poll() is None:
            if self._watched is None:
                self._loop.after(0.01 * self._loop.speed, self._look)
            return
        self._ended = True
        self._unwatch()
        if not self._waits_for_close:
            for end in list(self._out):
                while end in self._out and self._read(end):
                    pass
        self._perhaps_done()

    def _write(self) -> None:
        if self._in is None:
            return
        try:
            sent = self._in.send(self._stdin[:_BLOCK])
            self._stdin = self._stdin[sent:]
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self._stdin = self._stdin[:0]
        if not self._stdin:
            self._loop.forget(self._in)
            self._in.close()
            self._in = None

    def _take(self, end: socket.socket) -> None:
        # The shell's end may have been seen in the same turn, and the stream closed with it.
        if end in self._out:
            self._read(end)

    def _read(self, end: socket.socket) -> bool:
        """Takes what a stream has; whether there was anything."""
        try:
            block = end.recv(_BLOCK)
        except (BlockingIOError, InterruptedError):
            return False
        except OSError:
            block = b""
        if len(self._out[end]) < _KEPT:
            self._out[end] += block
        if not block:
            self._loop.forget(end)
            end.close()
            del self._out[end]
            self._perhaps_done()
        return bool(block)

    def _perhaps_done(self) -> None:
        if self._ended and self.result is None and not (self._waits_for_close and self._out) and self._process:
            code = self._process.returncode
            self._finish(Run(bytes(self._streams[0]), bytes(self._streams[1]), code, self._took()))

    def _late(self) -> None:
        self._end(Run(bytes(self._streams[0]), bytes(self._streams[1]), None, self._took(), timed_out=True))

    def _end(self, run: Run) -> None:
        files = self._release()
        if self._process is not None:
            self._loop.bury(self._process, files)
        self._finish(run)

    def _finish(self, run: Run) -> None:
        if self.result is not None:
            return
        self.result = run
        self._loop.flights.discard(self)
        stopped(self._timer)
        self._unwatch()
        for end in self._release():
            end.close()
        if self._done is not None and not run.killed:
            self._done(run)

    def _release(self) -> list[socket.socket]:
        """Our ends of the streams, no longer watched; they are somebody else's now."""
        files = [*self._out, *([self._in] if self._in is not None else [])]
        for end in files:
            self._loop.forget(end)
        self._out.clear()
        self._in = None
        return files

    def _unwatch(self) -> None:
        if self._watched is not None:
            self._loop.forget(self._watched)
            os.close(self._watched)
            self._watched = None

    def _took(self) -> float:
        return self._loop.now - self._began


@contextlib.contextmanager
def _open_files(number: int) -> Iterator[None]:
    """So many open files for what is started meanwhile, as far as the system allows it."""
    if sys.platform == "win32":
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = number if hard == resource.RLIM_INFINITY else min(number, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
