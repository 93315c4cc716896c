"""`ohud preview --watch`: drawn again on every change, the terminal as it was afterwards."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

GOOD = 'template = "first"\n'
LIMIT_S = 30


class Watched:
    """A preview that watches a theme, and what it has written so far."""

    def __init__(self, process: subprocess.Popen[bytes], descriptor: int) -> None:
        self.process = process
        self._descriptor = descriptor
        self.seen = ""

    def until(self, text: str) -> str:
        """What has come from the last time on until the text is there."""
        end = time.monotonic() + LIMIT_S
        start = len(self.seen)
        while text not in self.seen[start:]:
            assert time.monotonic() < end, f"no {text!r} in {self.seen[start:]!r}"
            self._read(0.1)
        return self.seen[start:]

    def ended(self, number: int) -> int:
        """Its exit status after a signal."""
        self.process.send_signal(number)
        code = self.process.wait(LIMIT_S)
        while self._read(0.2):
            pass
        return code

    def _read(self, wait: float) -> bool:
        ready, _, _ = select.select([self._descriptor], [], [], wait)
        try:
            data = os.read(self._descriptor, 65536) if ready else b""
        except OSError:
            # The other end of a terminal is gone.
            data = b""
        self.seen += data.decode("utf-8", "replace")
        return bool(data)


@contextmanager
def watching(folder: Path, terminal: bool) -> Iterator[Watched]:
    """A watch of `folder`/t.toml on one scenario."""
    (folder / "t.toml").write_text(GOOD)
    ours, theirs = pty.openpty() if terminal else os.pipe()
    words = ["preview", "--watch", "--theme", str(folder / "t.toml"), "--scenario", "working"]
    env = {"HOME": str(folder), "TERM": "xterm-256color", "PATH": os.environ["PATH"]}
    command = [sys.executable, "-m", "ohud", *words]
    process = subprocess.Popen(command, stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL, env=env)
    os.close(theirs)
    try:
        yield Watched(process, ours)
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def replaced(path: Path, text: str) -> None:
    """Saves as editors do: a new file in the place of the old one."""
    (path.parent / "new").write_text(text)
    os.replace(path.parent / "new", path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_watch_on_a_terminal(number: int, tmp_path: Path) -> None:
    """Each save is drawn on a cleared screen of its own; Ctrl-C and SIGTERM bring the one before back, status 0."""
    with watching(tmp_path, True) as watched:
        assert watched.until("first").startswith("\x1b[?1049h\x1b[?25l\x1b[H\x1b[2J")
        replaced(tmp_path / "t.toml", GOOD.replace("first", "second"))
        assert "\x1b[H\x1b[2J" in watched.until("second")
        assert watched.ended(number) == 0
        assert watched.seen.endswith("\x1b[?25h\x1b[?1049l")


def test_a_watch_into_a_pipe(tmp_path: Path) -> None:
    """Without a terminal each drawing follows the one before, and no escape is written."""
    with watching(tmp_path, False) as watched:
        watched.until("first\n")
        replaced(tmp_path / "t.toml", GOOD.replace("first", "second"))
        watched.until("second\n")
        assert watched.ended(signal.SIGINT) == 0
        assert "\x1b" not in watched.seen and watched.seen.count("an hour into the work") == 2


def test_a_mistake_is_shown_in_place_of_the_drawing(tmp_path: Path) -> None:
    """A theme that cannot be drawn any more is answered with its report; the next good save is drawn again."""
    with watching(tmp_path, False) as watched:
        watched.until("first\n")
        replaced(tmp_path / "t.toml", "template = \"{{ icon('tol') }}\"\n")
        said = watched.until("did you mean `tool`?")
        assert "error[template-text]: unknown icon `tol`" in said and "Opus" not in said
        replaced(tmp_path / "t.toml", GOOD)
        watched.until("first\n")
        assert watched.ended(signal.SIGTERM) == 0
