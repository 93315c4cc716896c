"""A command whose standard output is a stream: started, sent signals, waited for."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise

# The interpreter ignores these; a command that is started begins with what everyone expects.
_IGNORED = [getattr(signal, name) for name in ("SIGPIPE", "SIGXFSZ") if hasattr(signal, name)]
_WANTED = "stream-json"


class Command:
    """
    A running command, in our own process group: the terminal's keys reach it by themselves.

    Takes:    words: program and arguments; stderr: whether its standard error comes to us too
    Returns:  `stdout` and `stderr`: descriptors to read from, None for one that is ours no more or not at all
    Errors:   OSError: when it cannot be started
    """

    def __init__(self, words: Sequence[str], stderr: bool = False) -> None:
        pipes = [os.pipe() for _ in range(1 + stderr)]
        actions = [(os.POSIX_SPAWN_DUP2, end, number) for number, (_, end) in enumerate(pipes, 1)]
        try:
            self.pid = os.posix_spawnp(
                words[0], list(words), os.environ, file_actions=actions, setsigmask=[], setsigdef=_IGNORED
            )
        except (OSError, ValueError):
            for ours, _ in pipes:
                os.close(ours)
            raise
        finally:
            for _, theirs in pipes:
                os.close(theirs)
        self.stdout: int | None = pipes[0][0]
        self.stderr: int | None = pipes[1][0] if stderr else None
        self.code: int | None = None

    def send(self, number: int) -> None:
        """Sends a signal, if it still runs."""
        if self.code is None:
            with suppress(OSError):
                os.kill(self.pid, number)

    def ended(self) -> bool:
        """Whether it has ended; `code` is then its exit status, 128 and the signal's number for one that was killed."""
        if self.code is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:
                self.code = 1
                return True
            if pid:
                code = os.waitstatus_to_exitcode(status)
                self.code = code if code >= 0 else 128 - code
        return self.code is not None

    def close_stdout(self) -> None:
        """Gives its standard output up; what it still writes there has no reader."""
        if self.stdout is not None:
            os.close(self.stdout)
            self.stdout = None

    def close_stderr(self) -> None:
        """The same for its standard error."""
        if self.stderr is not None:
            os.close(self.stderr)
            self.stderr = None

    def close(self) -> None:
        """Both."""
        self.close_stdout()
        self.close_stderr()


def lacks(words: Sequence[str]) -> str | None:
    """The options that the words of a `claude` need for its output to be a stream; None when they have them."""
    name = os.path.basename(words[0]).lower().removesuffix(".exe")
    if name != "claude":
        # A script of one's own may add them itself.
        return None
    missing = []
    if not {"-p", "--print"} & set(words):
        missing.append("-p")
    if not any(_WANTED in pair for pair in _values(words, "--output-format")):
        missing.append("--output-format " + _WANTED)
    if "--verbose" not in words:
        missing.append("--verbose")
    return " ".join(missing) or None


def _values(words: Sequence[str], option: str) -> list[str]:
    """What an option is set to, in either spelling."""
    after = [value for word, value in pairwise(words) if word == option]
    return after + [word.partition("=")[2] for word in words if word.startswith(option + "=")]
