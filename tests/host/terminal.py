"""A terminal of a given size with one program in it, looked at and typed into through tmux."""

import shlex
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path


class Tmux:
    """
    A tmux server's commands.

    Takes:  socket: of the server
    """

    def __init__(self, socket: Path) -> None:
        self._socket = socket

    def __call__(self, *words: str, check: bool = True) -> str:
        """The output of one command."""
        return self._run(words, check).stdout

    def run_shell(self, command: str) -> int:
        """The exit status of a shell command that is run where the server is."""
        return self._run(["run-shell", command], False).returncode

    def _run(self, words: Sequence[str], check: bool) -> "subprocess.CompletedProcess[str]":
        command = ["tmux", "-u", "-S", str(self._socket), *words]
        return subprocess.run(command, capture_output=True, text=True, check=check, timeout=60)


class Terminal:
    """
    One window.

    Takes:  command: what runs in it; raw: a file for every byte that it writes
    """

    def __init__(self, tmux: Tmux, columns: int, lines: int, command: Sequence[str], raw: Path) -> None:
        self._tmux, self._name = tmux, f"terminal-{time.monotonic_ns()}"
        size = ["-x", str(columns), "-y", str(lines)]
        # Nothing runs before its bytes are kept.
        tmux("new-session", "-d", "-s", self._name, *size, "sh", "-c", 'read -r go; exec "$@"', "sh", *command)
        tmux("pipe-pane", "-O", "-t", self._name, f"cat >{shlex.quote(str(raw))}")
        self.press("Enter")

    def rows(self) -> list[str]:
        """The screen as text, blanks at the ends of rows left out."""
        return self._tmux("capture-pane", "-p", "-t", self._name).split("\n")[:-1]

    def styled(self) -> str:
        """The screen with its colours; what a row leaves on stays on in the next."""
        return self._tmux("capture-pane", "-p", "-e", "-t", self._name)

    def press(self, *keys: str) -> None:
        """Presses keys by tmux's names for them (`Enter`, `BTab`, `C-c`)."""
        for key in keys:
            self._tmux("send-keys", "-t", self._name, key)
            time.sleep(0.1)

    def say(self, text: str) -> None:
        """Types a line and sends it."""
        self._tmux("send-keys", "-t", self._name, "-l", text)
        time.sleep(0.3)  # all of it and Enter in one go would be a paste
        self.press("Enter")

    def wait(self, holds: Callable[[list[str]], bool], limit_s: float = 20.0) -> bool:
        """Whether something became true of the screen within the time."""
        end = time.monotonic() + limit_s
        while not holds(self.rows()):
            if time.monotonic() > end:
                return False
            time.sleep(0.1)
        return True

    def close(self) -> None:
        """Ends the program and its window, if they are still there."""
        self._tmux("kill-session", "-t", self._name, check=False)
