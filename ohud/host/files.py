"""Looks at files and the steps of replacing one, each either done or not done."""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field

from ohud.host.splice import Refused
from ohud.run.world import WINDOWS

SIZE_LIMIT = 4 * 1024 * 1024  # bytes
_LEFT_OVER_S = 60.0  # age from which a temporary file has no owner
_BACKUPS = 1000
_HERE = -100  # AT_FDCWD of Linux
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@dataclass(slots=True)
class Seen:
    """One look at a file: its bytes, the facts that tell a change, and a descriptor that outlives a rename."""

    raw: bytes | None
    facts: os.stat_result | None = None
    handle: int = -1

    def close(self) -> None:
        """Lets go of the file."""
        if self.handle >= 0:
            os.close(self.handle)
            self.handle = -1


@dataclass(slots=True)
class Leftovers:
    """Files that must not stay behind when a change ends early."""

    paths: list[str] = field(default_factory=list)

    def clear(self) -> None:
        """Takes them away."""
        for path in self.paths:
            with suppress(OSError):
                os.unlink(path)
        self.paths.clear()


def target(path: str) -> str:
    """
    The file that a path leads to, which is regular or not there yet.

    Errors: Refused for a loop of links, a device, a folder, a link into a folder that does not exist
    """
    try:
        facts = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        real = os.path.realpath(path)
        if os.path.islink(path) and not os.path.isdir(os.path.dirname(real)):
            raise Refused(f"it is a link to `{real}`, which does not exist") from None
        return real
    except (OSError, ValueError) as fault:
        looped = isinstance(fault, OSError) and fault.errno == errno.ELOOP
        raise Refused("it is a link that leads back to itself" if looped else reason_of(fault)) from None
    if not stat.S_ISREG(facts.st_mode):
        raise Refused("it is a folder" if stat.S_ISDIR(facts.st_mode) else "it is no regular file")
    return os.path.realpath(path)


def read(path: str, limit: int = SIZE_LIMIT) -> bytes | None:
    """
    The bytes of a regular file, links followed; None when nothing is there.

    Errors: Refused for a device, a folder, a file that cannot be opened or is larger than the limit
    """
    seen = look(path, limit)
    seen.close()
    return seen.raw


def look(path: str, limit: int) -> Seen:
    """
    The file's bytes and facts, its descriptor left open.

    Errors: Refused for what is no readable regular file of at most `limit` bytes
    """
    try:
        # Looked at before it is opened: a FIFO would wait, a device can act.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise Refused("it is no regular file")
        flags = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        handle = os.open(path, os.O_RDONLY | flags)
    except (FileNotFoundError, NotADirectoryError):
        return Seen(None)
    except (OSError, ValueError) as fault:
        raise Refused(reason_of(fault)) from None
    try:
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode):
            raise Refused("it is no regular file")
        raw = content(handle, limit)
    except BaseException:
        os.close(handle)
        raise
    if WINDOWS:
        os.close(handle)  # an open file cannot be replaced there
        handle = -1
    return Seen(raw, facts, handle)


def content(handle: int, limit: int) -> bytes:
    """All bytes of an open file, from its start."""
    os.lseek(handle, 0, os.SEEK_SET)
    parts: list[bytes] = []
    size = 0
    while part := os.read(handle, 1 << 16):
        parts.append(part)
        size += len(part)
        if size > limit:
            raise Refused(f"it is larger than {limit >> 20} MiB")
    return b"".join(parts)


def unchanged(path: str, seen: Seen) -> bool:
    """Whether the file is still the one that was seen, byte for byte."""
    try:
        now = look(path, SIZE_LIMIT)
    except Refused:
        return False
    now.close()
    if now.facts is None or seen.facts is None:
        return now.facts is seen.facts
    return now.raw == seen.raw and _stamp(now.facts) == _stamp(seen.facts)


def _stamp(facts: os.stat_result) -> tuple[int, int, int]:
    return facts.st_mtime_ns, facts.st_size, facts.st_ino


def write_beside(
    path: str, data: bytes, like: os.stat_result | None, private: bool, left: Leftovers, sync: bool = True
) -> str:
    """A temporary file beside the real one, with its mode and group; `sync`: on the disk before anything else."""
    temporary = name_beside(path)
    handle = os.open(temporary, _NEW, 0o600 if private or like is not None else 0o666)
    left.paths.append(temporary)
    try:
        _write_all(handle, data)
        if like is not None and not WINDOWS:
            with suppress(OSError):
                os.fchown(handle, -1, like.st_gid)
            os.fchmod(handle, stat.S_IMODE(like.st_mode))
        if sync:
            os.fsync(handle)
    finally:
        os.close(handle)
    return temporary


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def name_beside(path: str) -> str:
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}.ohud-{os.getpid()}-{time.time_ns() % 10**12}.tmp")


def place(temporary: str, path: str, seen: Seen, left: Leftovers) -> bool:
    """
    Whether the temporary file has become the real one.

    Where the system can exchange two files, the old one is then found under the temporary name.
    """
    if seen.raw is None:
        try:
            os.link(temporary, path)  # unlike a rename this never replaces a file that has come meanwhile
        except FileExistsError:
            return False
        except OSError:
            os.replace(temporary, path)
            left.paths.remove(temporary)
        return True
    if not _exchange(temporary, path):
        _replace(temporary, path)
        left.paths.remove(temporary)
    return True


def _replace(temporary: str, path: str) -> None:
    """Puts a file in the place of another, which under Windows has to wait until nobody holds it open."""
    for wait in (0.01, 0.03, 0.1, 0.3):
        try:
            os.replace(temporary, path)
            return
        except PermissionError:
            if not WINDOWS:
                raise
            time.sleep(wait)
    os.replace(temporary, path)


def _exchange(one: str, other: str) -> bool:
    """Whether two files have changed places, at a stroke; not every system and file system can do that."""
    if not sys.platform.startswith(("linux", "darwin")):
        return False
    import ctypes

    try:
        library = ctypes.CDLL(None, use_errno=True)
        names = os.fsencode(one), os.fsencode(other)
        if sys.platform == "darwin":
            done = library.renamex_np(*names, _EXCHANGE)
        else:
            done = library.renameat2(_HERE, names[0], _HERE, names[1], _EXCHANGE)
    except (OSError, AttributeError):
        return False
    return bool(done == 0)


def back_up(path: str, raw: bytes, left: Leftovers) -> str | None:
    """
    A copy of the old bytes under the first free number; None when the last copy holds the same.

    Errors: Refused, OSError; no copy is ever written over, or through a link
    """
    last: str | None = None
    for number in range(1, _BACKUPS):
        name = f"{path}.ohud-{number}.bak"
        if os.path.lexists(name):
            last = name
            continue
        if last is not None and not os.path.islink(last) and _same(last, raw):
            return None
        try:
            handle = os.open(name, _NEW, 0o600)
        except FileExistsError:
            continue
        left.paths.append(name)
        try:
            _write_all(handle, raw)
        finally:
            os.close(handle)
        return name
    raise Refused(f"there are {_BACKUPS - 1} backups of it already")


def _same(path: str, raw: bytes) -> bool:
    try:
        return read(path) == raw
    except Refused:
        return False


def make_folders(path: str, private: bool) -> list[str]:
    """Makes the folders that a file needs; gives those that were missing, the outer one first."""
    missing: list[str] = []
    folder = os.path.dirname(path)
    while not os.path.isdir(folder):
        missing.insert(0, folder)
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    made: list[str] = []
    for folder in missing:
        try:
            os.mkdir(folder, 0o700 if private else 0o777)
        except FileExistsError:
            continue
        except OSError:
            remove_folders(made)
            raise
        made.append(folder)
    return made


def remove(path: str) -> None:
    """Takes a file of our own away, when it is there."""
    with suppress(OSError):
        os.unlink(path)


def remove_folders(folders: list[str]) -> None:
    """Takes away folders that were made for a file, the inner one first, as far as they are empty."""
    for folder in reversed(folders):
        try:
            os.rmdir(folder)
        except OSError:
            return


def sweep(path: str) -> None:
    """Takes away temporary files that a process which was killed has left."""
    folder, name = os.path.split(path)
    with suppress(OSError):
        for other in os.listdir(folder):
            if other.startswith(f".{name}.ohud-") and other.endswith(".tmp"):
                left = os.path.join(folder, other)
                if time.time() - os.lstat(left).st_mtime > _LEFT_OVER_S:
                    os.unlink(left)


def sync_folder(path: str) -> None:
    """Has the system write down the folder's new entry, where it can."""
    if WINDOWS:
        return
    with suppress(OSError):
        handle = os.open(os.path.dirname(path), os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def reason_of(fault: Exception) -> str:
    """What the system says, in lower case."""
    said = (fault.strerror if isinstance(fault, OSError) else None) or str(fault) or type(fault).__name__
    return said[0].lower() + said[1:]
