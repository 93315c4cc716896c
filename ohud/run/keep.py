"""What is written on a refresh: files of the private cache, and the log; loaded when there is something to write."""

import time

from ohud.run.world import WINDOWS, system

_LOG_LIMIT = 65536
_MOST_FOLDERS = 64
_NO_FOLLOW = getattr(system, "O_NOFOLLOW", 0)
_KIND = 0o170000
_REGULAR = 0o100000
_FOLDER = 0o040000


def write(folder: str, name: str, data: bytes) -> bool:
    """
    Puts a file into a private folder, whole or not at all.

    Returns:  whether it is there now
    Errors:   none of the disk's
    """
    if not make_private(folder):
        return False
    temporary = folder + "/." + name + "." + str(system.getpid()) + "." + str(time.time_ns() % 10**9)
    flags = system.O_WRONLY | system.O_CREAT | system.O_EXCL | _NO_FOLLOW | getattr(system, "O_CLOEXEC", 0)
    try:
        handle = system.open(temporary, flags | getattr(system, "O_BINARY", 0), 0o600)
    except (OSError, ValueError):
        return False
    try:
        try:
            view = memoryview(data)
            while view:
                view = view[system.write(handle, view) :]
        finally:
            system.close(handle)
        try:
            system.replace(temporary, folder + "/" + name)
        except OSError:
            clear(folder, name)
            system.replace(temporary, folder + "/" + name)
    except BaseException as fault:
        try:
            system.unlink(temporary)
        except OSError:
            pass
        if isinstance(fault, OSError):
            return False
        raise
    return True


def clear(folder: str, name: str) -> None:
    """Takes away what stands in a private folder where a file of ours belongs and is none: a folder, a link, a pipe."""
    path = folder + "/" + name
    try:
        kind = system.lstat(path).st_mode & _KIND
        if kind == _REGULAR:
            return
        if kind != _FOLDER:
            system.unlink(path)
            return
        try:
            system.rmdir(path)
        except OSError:
            # What is in it is not ours to delete.
            system.rename(path, folder + "/." + name + "." + str(time.time_ns()))
    except (OSError, ValueError):
        pass


def say(text: str) -> None:
    """One line on stderr."""
    try:
        system.write(2, ("ohud: " + _line(text) + "\n").encode("utf-8", "replace"))
    except OSError:
        pass


def _line(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)[:500]


def note(folder: "str | None", text: str, now: float) -> None:
    """One line in the folder's `errors.log`; two files of 64 KiB at most."""
    if folder is None or not make_private(folder):
        return
    path = folder + "/errors.log"
    flags = system.O_WRONLY | system.O_CREAT | system.O_APPEND | _NO_FOLLOW | getattr(system, "O_NONBLOCK", 0)
    try:
        try:
            handle = system.open(path, flags, 0o600)
        except OSError:
            clear(folder, "errors.log")
            handle = system.open(path, flags, 0o600)
        try:
            facts = system.fstat(handle)
            if facts.st_mode & _KIND == _REGULAR:
                stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(now))
                system.write(handle, (stamp + " " + _line(text) + "\n").encode("utf-8", "replace"))
        finally:
            system.close(handle)
        if facts.st_size > _LOG_LIMIT:
            system.replace(path, path + ".1")
    except (OSError, ValueError):
        pass


def make_private(folder: str) -> bool:
    """Whether the folder is there and ours alone, made with all above it when it is missing."""
    try:
        facts = system.lstat(folder)
    except FileNotFoundError:
        try:
            _make(folder)
        except (OSError, ValueError):
            return False
        try:
            facts = system.lstat(folder)
        except (OSError, ValueError):
            return False
    except (OSError, ValueError):
        return False
    if WINDOWS:
        return True
    if facts.st_mode & _KIND != _FOLDER or facts.st_uid != system.geteuid():
        return False
    if facts.st_mode & 0o077:
        try:
            system.chmod(folder, 0o700)
        except OSError:
            return False
    return True


def _make(folder: str) -> None:
    """Makes a folder, and before it those above it that are missing."""
    missing = [folder]
    for _ in range(_MOST_FOLDERS):
        try:
            system.mkdir(missing[-1], 0o700)
        except FileNotFoundError:
            if missing[-1].endswith("/.cache"):
                # A home that is not there is not ours to make.
                raise
            missing.append(missing[-1].replace("\\", "/").rpartition("/")[0])
            continue
        except FileExistsError:
            # Another refresh was quicker.
            pass
        missing.pop()
        if not missing:
            return
    raise OSError("too many folders are missing")
