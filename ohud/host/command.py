"""The command line that the host is given: written so that its shell hands over each word as it is, and known again."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ohud.host.splice import Refused

if TYPE_CHECKING:
    from ohud.run.world import World

SHELLS = ("posix", "git-bash", "powershell")
_NAMES = {"ohud", "ohud.exe"}
_RUNNERS = {"uvx", "uv", "pipx", "uvx.exe", "uv.exe", "pipx.exe"}
# Shells keep these as they are, in PowerShell too: letters of any script, digits and a little more.
_PLAIN = re.compile(r"[\w.:/\\~+-]+")
# What makes more than one command of a line, or takes its output elsewhere.
_OPERATORS = "|;&<>`()"


def quote(words: Sequence[str], shell: str) -> str:
    """
    One command line for a shell.

    Takes:   words: absolute paths and plain words; shell: one of SHELLS
    Errors:  Refused for words that the shell cannot be given: PowerShell gets its line without the quotes
             (anthropics/claude-code #88256), and no settings file holds a path that is not Unicode
    """
    for word in words:
        if "\0" in word or any("\ud800" <= character <= "\udfff" for character in word):
            raise Refused(f"the path {word!r} cannot be written into a settings file")
    if shell == "posix":
        return shlex.join(words)
    # Git Bash would take each backslash for an escape (anthropics/claude-code #79236), PowerShell takes either slash.
    words = [word.replace("\\", "/") for word in words]
    if shell == "git-bash":
        return " ".join(word if _option(word) else "'" + word.replace("'", "'\\''") + "'" for word in words)
    for word in words:
        if not _PLAIN.fullmatch(word):
            raise Refused(f"PowerShell would not take the path `{word}` as one word: it has a space or a sign in it")
    return " ".join(words)


def command_line(
    words: Sequence[str], world: World, platform: str = sys.platform, short: Callable[[str], str] | None = None
) -> str:
    """
    The command line for the shell that the host uses on this machine.

    Takes:   short: gives a path without spaces that leads to the same file (Windows' own short names by default)
    Errors:  Refused as for `quote`
    """
    if platform != "win32":
        return quote(words, "posix")
    try:
        return quote(words, "powershell")  # a line that every shell takes
    except Refused:
        if git_bash(world):
            return quote(words, "git-bash")
    return quote([(short or _short)(word) if ":" in word else word for word in words], "powershell")


def git_bash(world: World) -> str | None:
    """
    The Git Bash that the host runs commands with under Windows, None when it finds none.

    Source: the host's documentation (CLAUDE_CODE_GIT_BASH_PATH; else bash beside git), not run here
    """
    given = world.env("CLAUDE_CODE_GIT_BASH_PATH")
    if given:
        return given if os.path.isfile(given) else None
    git = shutil.which("git")
    roots = [os.path.dirname(os.path.dirname(git))] if git else []
    roots.append("C:\\Program Files\\Git")
    found = (os.path.join(root, "bin", "bash.exe") for root in roots)
    return next((path for path in found if os.path.isfile(path)), None)


def ours(command: object) -> bool:
    """Whether a command line runs ohud and nothing else, however it was installed."""
    if not isinstance(command, str):
        return False
    words = _words(command)
    while words and re.fullmatch(r"[A-Za-z_]\w*=.*", words[0], re.DOTALL):
        del words[0]
    if not words:
        return False
    names = [re.split(r"[/\\]", word)[-1].lower() for word in words]
    if names[0] in _NAMES:
        return True
    if names[0] in _RUNNERS:
        return "ohud" in words[1:4]
    entry = any(re.search(r"(?:^|[/\\])ohud[/\\]hot\.py$", word) for word in words[1:])
    module = any(pair == ("-m", "ohud") for pair in pairwise(words))
    return (entry or module) and names[0].startswith(("py", "pypy"))


def _words(command: str) -> list[str]:
    """The words of a command line; none when it does more than run one program."""
    try:
        lexer = shlex.shlex(command, posix=True, punctuation_chars=_OPERATORS)
        lexer.whitespace_split = True
        lexer.commenters = ""
        if re.search(r"(?:^|[\s'\"])[A-Za-z]:\\", command):
            lexer.escape = ""
        words = list(lexer)
    except ValueError:
        return []
    return [] if any(word and not word.strip(_OPERATORS) for word in words) else words


def _option(word: str) -> bool:
    return re.fullmatch(r"-{0,2}[A-Za-z]+", word) is not None


def _short(path: str) -> str:
    """Windows' short name of a path, the path itself where it has none."""
    import ctypes

    room = ctypes.create_unicode_buffer(1024)
    library: Any = ctypes  # it has `windll` under Windows alone
    length = library.windll.kernel32.GetShortPathNameW(path, room, len(room))
    return room.value if 0 < length < len(room) else path
