"""
The only road to outside facts: clock, environment, terminal, bounded file reads, the private cache.

A test hands in a `World` of its own. `posix` stands for `os` here: importing `os` costs 1.5 ms of the 5 ms
that a refresh may take over a bare interpreter (measured 2026-11-30, CPython 3.11, `-I -S`).
"""

import sys
import time

if sys.platform == "win32":
    import nt

    system = nt
else:
    import posix

    system = posix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from os import stat_result
    from typing import Any

WINDOWS = sys.platform == "win32"
_REGULAR = 0o100000
_KIND = 0o170000
_OPEN = (
    system.O_RDONLY
    | getattr(system, "O_NONBLOCK", 0)
    | getattr(system, "O_CLOEXEC", 0)
    | getattr(system, "O_NOCTTY", 0)
    | getattr(system, "O_BINARY", 0)
)
_NO_FOLLOW = getattr(system, "O_NOFOLLOW", 0)
_MAX_COLUMNS = 1000
PRIVATE_LIMIT = 262144


def usable(path: object) -> bool:
    """Whether a path may be handed to the system: absolute text, no NUL or surrogate, no network share."""
    if not isinstance(path, str) or not path or "\0" in path or len(path) > 4096:
        return False
    if path.startswith(("//", "\\\\")):
        return False
    if not path.isascii():
        try:
            path.encode()
        except UnicodeEncodeError:
            return False
    if WINDOWS:
        return len(path) > 2 and path[1] == ":" and path[2] in "/\\" and ":" not in path[2:]
    return path[0] == "/"


class World:
    """
    What one refresh may know of its surroundings.

    Takes:  variables: in place of the process's environment; now: in place of the clock [s since 1970], else
            OHUD_NOW, else the clock
    """

    def __init__(self, variables: "dict[str, str] | None" = None, now: "float | None" = None) -> None:
        self._variables = variables
        fixed = self.env("OHUD_NOW") if now is None else None
        self.now = time.time() if now is None else now
        if fixed:
            try:
                moment = float(fixed)
                if 0 <= moment < 1e11:
                    self.now = moment
            except ValueError:
                pass
        home = self.env("USERPROFILE" if WINDOWS else "HOME")
        self.home = home if home and usable(home) else None
        self.columns = _count(self.env("COLUMNS"))
        self.lines = _count(self.env("LINES"))
        self.color = 0
        self.settings: dict[str, object] = {}
        self.memo: dict[str, Any] = {}
        self.bytes_read = 0
        # How long a slow fact may be waited for: only commands that a person started have any [s].
        self.patience = 0.0
        # Refreshers to be started once the line is out; None: they are started at once.
        self.later: list[Any] | None = None
        # The payload as the host wrote it, for paths: the document's text is cut and cleaned for the eye.
        self.raw: dict[str, object] = {}
        self.transcript: str | None = None

    def configure(self, settings: "dict[str, object]", color: object, columns: object) -> None:
        """
        What the config says about this machine, once the program is loaded.

        Takes:  settings: its tables for the families; color: its `color`; columns: its width when COLUMNS says
                nothing [cells]
        """
        self.settings = settings
        self.color = depth(color, self.env)
        if self.columns is None and isinstance(columns, int) and 0 < columns <= _MAX_COLUMNS:
            self.columns = columns

    def env(self, name: str) -> "str | None":
        """One environment variable, None when it is not set."""
        if self._variables is not None:
            return self._variables.get(name)
        if WINDOWS:
            value = system.environ.get(name.upper())  # type: ignore[call-overload,unused-ignore]
            return value if isinstance(value, str) else None
        raw = system.environ.get(name.encode())
        return raw.decode("utf-8", "surrogateescape") if isinstance(raw, bytes) else None

    def given(self, keys: "tuple[str, ...]", limit: int) -> "str | None":
        """A text of the payload, cleaned, up to a limit [characters] of its own; None for anything else."""
        from ohud.run.clean import clean

        found: object = self.raw
        for key in keys:
            found = found.get(key) if isinstance(found, dict) else None
        return clean(found, limit) if isinstance(found, str) else None

    def stat(self, path: str) -> "stat_result | None":
        """Facts of a path, links followed; None when there is nothing to see."""
        if not usable(path):
            return None
        try:
            return system.stat(path)
        except (OSError, ValueError):
            return None

    def lstat(self, path: str) -> "stat_result | None":
        """Facts of a path itself, links not followed; None when there is nothing to see."""
        if not usable(path):
            return None
        try:
            return system.lstat(path)
        except (OSError, ValueError):
            return None

    def link(self, path: str) -> "str | None":
        """Where a symbolic link points; None for anything else."""
        if not usable(path):
            return None
        try:
            return system.readlink(path)
        except (OSError, ValueError):
            return None

    def listing(self, path: str) -> "list[str]":
        """Names in a folder of our own (the cache); empty when it cannot be read."""
        try:
            return system.listdir(path) if usable(path) else []
        except (OSError, ValueError):
            return []

    def read(self, path: str, limit: int, tail: bool = False) -> "bytes | None":
        """
        At most `limit` bytes of a regular file, from its start or its end.

        Errors:  none; None for anything that is no readable regular file
        """
        return self._read(path, limit, tail, 0)

    def read_from(self, path: str, offset: int, limit: int) -> "bytes | None":
        """At most `limit` bytes of a regular file from an offset on; None as for `read`."""
        return self._read(path, limit, False, 0, start=offset)

    def read_plain(self, path: str, limit: int) -> "bytes | None":
        """As `read`, and a final symbolic link is refused."""
        return self._read(path, limit, False, _NO_FOLLOW)

    def _read(
        self, path: str, limit: int, tail: bool, flags: int, private: bool = False, start: int = 0
    ) -> "bytes | None":
        if not usable(path):
            return None
        try:
            # Looked at before it is opened: opening a device can act on it.
            if system.stat(path).st_mode & _KIND != _REGULAR:
                return None
            handle = system.open(path, _OPEN | flags)
        except (OSError, ValueError):
            return None
        try:
            facts = system.fstat(handle)
            if facts.st_mode & _KIND != _REGULAR:
                return None
            if private and not WINDOWS and (facts.st_uid != system.geteuid() or facts.st_mode & 0o022):
                return None
            if start:
                system.lseek(handle, start, 0)
            elif tail and facts.st_size > limit:
                system.lseek(handle, facts.st_size - limit, 0)
            parts: list[bytes] = []
            left = limit
            # A buffer of the file's size: a larger one would be mapped and cleared for nothing. Of some files the
            # system does not know the size (/proc).
            piece = max(facts.st_size - start, 0) + 1 if facts.st_size else 16384
            while left > 0:
                part = system.read(handle, min(left, piece))
                if not part:
                    break
                parts.append(part)
                left -= len(part)
            self.bytes_read += limit - left
            return parts[0] if len(parts) == 1 else b"".join(parts)
        except (OSError, ValueError):
            return None
        finally:
            system.close(handle)

    def decode(self, raw: bytes) -> "dict[str, object] | None":
        """The JSON object that the bytes begin with, None when they do not; never raises."""
        from ohud.run.payload import decode

        return decode(raw.decode("utf-8", "replace"))

    def cache_dir(self) -> "str | None":
        """The private cache folder's path (it need not exist), None when no place for it is known."""
        if WINDOWS:
            base = self.env("LOCALAPPDATA")
            return base + "\\ohud\\cache" if base and usable(base) else None
        base = self.env("XDG_CACHE_HOME")
        if base and usable(base):
            return base + "/ohud"
        return self.home + "/.cache/ohud" if self.home else None

    def read_private(self, name: str) -> "bytes | None":
        """
        A file of the private cache, None unless it is ours alone.

        Errors:  none; a link, another owner, or a file or folder that others may write reads as absent
        """
        folder = self.cache_dir()
        if folder is None:
            return None
        try:
            facts = system.lstat(folder)
        except (OSError, ValueError):
            return None
        if not WINDOWS and (
            facts.st_mode & _KIND != 0o040000 or facts.st_uid != system.geteuid() or facts.st_mode & 0o022
        ):
            return None
        return self._read(folder + "/" + name, PRIVATE_LIMIT, False, _NO_FOLLOW, True)

    def write_private(self, name: str, data: bytes) -> bool:
        """
        Puts a file into the private cache, whole or not at all.

        Returns:  whether it is there now; a full, read-only or missing disk costs time, never the line
        """
        folder = self.cache_dir()
        if folder is None:
            return False
        from ohud.run.keep import write

        return write(folder, name, data)

    def make_cache(self) -> bool:
        """Whether the private cache is there and ours alone, made when it is missing."""
        folder = self.cache_dir()
        if folder is None:
            return False
        from ohud.run.keep import make_private

        return make_private(folder)

    def slow(
        self, job: str, arguments: object, ttl: float, wait: float = 0.0, deadline: float = 5.0
    ) -> "dict[str, object] | None":
        """The last known answer of a slow job (`ohud.run.slow.fact`), renewed in a process of its own."""
        from ohud.run.slow import fact

        return fact(self, job, arguments, ttl, wait, deadline)

    def journal(self) -> "dict[str, Any]":
        """What the session's transcript says so far (`ohud.run.journal`), empty when there is none."""
        found: dict[str, Any] | None = self.memo.get("journal")
        if found is None:
            from ohud.run.journal import journal

            found = self.memo["journal"] = journal(self)
        return found

    def log(self, text: str) -> None:
        """One line for `ohud doctor`, on stderr and in the cache's `errors.log`."""
        self.say(text)
        self.note(text)

    def say(self, text: str) -> None:
        """One line on stderr."""
        from ohud.run.keep import say

        say(text)

    def note(self, text: str) -> None:
        """One line in the cache's `errors.log` (two files of 64 KiB at most)."""
        from ohud.run.keep import note

        note(self.cache_dir(), text, self.now)


def depth(setting: object, get: "Callable[[str], str | None]") -> int:
    """
    Colour depth in bits: 0 (none), 4, 8 or 24.

    Takes:  setting: the config's `color`; get: looks one variable up
    Source: no-color.org, force-color.org; the output is always a pipe, so nothing is asked of the terminal
    """
    fixed = {"never": 0, "16": 4, "256": 8, "truecolor": 24, 16: 4, 256: 8}.get(setting)
    if fixed is not None:
        return int(fixed)
    if get("NO_COLOR"):
        return 0
    force = get("FORCE_COLOR")
    if force is not None:
        forced = {"0": 0, "false": 0, "1": 4, "2": 8, "3": 24}.get(force)
        if forced is not None:
            return forced
    term = get("TERM") or ""
    if term == "dumb":
        # Colours that are asked for in words: the fewest.
        return 4 if force else 0
    if get("COLORTERM") in ("truecolor", "24bit") or term.endswith("-direct"):
        return 24
    if get("WT_SESSION") or get("TERM_PROGRAM") in ("iTerm.app", "WezTerm", "vscode", "ghostty"):
        return 24
    if term in ("xterm-kitty", "xterm-ghostty", "alacritty", "wezterm"):
        return 24
    if "256" in term or get("TERM_PROGRAM") == "Apple_Terminal":
        return 8
    return 4


def _count(text: "str | None") -> "int | None":
    """A terminal size from the environment; None for anything but an ordinary positive number."""
    text = (text or "").strip()
    if not text.isascii() or not text.isdecimal() or len(text) > 6:
        return None
    number = int(text)
    return number if 0 < number <= _MAX_COLUMNS else None
