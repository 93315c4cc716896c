"""The user's own editor on a private copy of a file."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from ohud.errors import quote
from ohud.host.files import reason_of
from ohud.host.splice import Refused
from ohud.run.world import WINDOWS, World


class Desk:
    """
    A copy of a file for the editor, under the file's own name in a folder that only its owner can enter.

    Takes:   name: the file's; raw: its bytes
    Errors:  Refused when there is no room for it
    """

    def __init__(self, name: str, raw: bytes) -> None:
        self._folder = ""
        try:
            self._folder = tempfile.mkdtemp(prefix="ohud-")
            self.path = Path(self._folder, name)
            self.path.write_bytes(raw)
        except OSError as fault:
            self.clear()
            raise Refused(f"there is no room for a copy of it: {reason_of(fault)}") from None

    def edit(self, words: list[str]) -> bytes:
        """
        What the copy holds once the editor has ended.

        Errors:  Refused when it cannot be started, or ends with an error
        """
        try:
            code = subprocess.run([*words, str(self.path)], check=False).returncode
        except (OSError, ValueError) as fault:
            reason = reason_of(fault)
            raise Refused(f"the editor {quote(shlex.join(words), 200)} cannot be started: {reason}") from None
        if code != 0:
            raise Refused(f"the editor {quote(shlex.join(words), 200)} ended with {code}")
        try:
            return self.path.read_bytes()
        except OSError as fault:
            raise Refused(f"the edited copy cannot be read: {reason_of(fault)}") from None

    def keep(self) -> None:
        """Lets the copy stay where it is, for the user to find."""
        self._folder = ""

    def clear(self) -> None:
        """Takes the copy away, unless it is to be kept."""
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)


def chosen(world: World) -> list[str] | None:
    """The words of the command in VISUAL, else EDITOR; None when neither is set."""
    for name in ("VISUAL", "EDITOR"):
        text = (world.env(name) or "").strip()
        if text:
            return _words(text)
    return None


def _words(text: str) -> list[str]:
    if os.path.isfile(text):
        return [text]
    try:
        return [word.strip('"') for word in shlex.split(text, posix=False)] if WINDOWS else shlex.split(text)
    except ValueError:
        return text.split()
