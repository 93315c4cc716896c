"""
A file of somebody else's changed as a whole or not at all, with a backup, and without losing what they write meanwhile.

The host rewrites its settings in place, without a lock or a rename (anthropics/claude-code #91520). So the file is read
again just before it is replaced; it is exchanged with the new one where the system can do that, which leaves the old
file to be looked at afterwards; and what has come into it in between is the ground for another try.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from ohud.host.files import (
    SIZE_LIMIT,
    Leftovers,
    Seen,
    back_up,
    content,
    look,
    make_folders,
    name_beside,
    place,
    read,
    reason_of,
    remove_folders,
    sweep,
    sync_folder,
    target,
    unchanged,
    write_beside,
)
from ohud.host.splice import Refused
from ohud.run.world import WINDOWS

_RETRIES = 3
_TORN_WAIT_S = 0.05
_LATE_WAIT_S = 1.0  # for a writer that was overtaken to end
_LATE_LOOK_S = 0.01
_LOCK_WAIT_S = 20.0

Change = Callable[[bytes | None], bytes | None]


@dataclass(frozen=True, slots=True)
class Rewriting:
    """
    How a file is to be changed.

    Takes:  backup: keep the old bytes beside it, under a number of their own; private: a new file and its folder are
            for the user alone; force: write a file that is marked read-only; before: called with old and new bytes
            once the rest is ready, whatever it raises leaves the file alone; sync: have the new file on the disk before
            it takes the place of the old one; dry: change nothing
    """

    backup: bool = False
    private: bool = True
    force: bool = False
    before: Callable[[bytes | None, bytes | None], None] | None = None
    sync: bool = True
    dry: bool = False


@dataclass(frozen=True, slots=True)
class Rewritten:
    """
    What became of a file.

    Takes:  path: the file itself, links followed; old, new: its bytes before and after, None: no file; folders: those
            that were made for it, the outer one first; backup: path of the copy that was made; linked: other names of
            the old file, which keep the old content
    """

    path: str
    old: bytes | None
    new: bytes | None
    folders: tuple[str, ...] = ()
    backup: str | None = None
    linked: int = 0

    @property
    def changed(self) -> bool:
        """Whether the file is another one now."""
        return self.old != self.new


def rewrite(path: str, change: Change, how: Rewriting | None = None) -> Rewritten:
    """
    The file with a change made to it.

    Takes:   path: absolute; change: gives the new bytes for the old ones (None: there is no file, in the answer: it is
             to be removed), and raises Refused for what it cannot change
    Errors:  Refused, with the reason; the file is then as it was
    """
    how = how or Rewriting()
    try:
        return _rewrite(target(path), change, how)
    except OSError as fault:
        raise Refused(reason_of(fault)) from None


@contextmanager
def locked(folder: str | None) -> Iterator[None]:
    """
    Alone among the programs of ours that change files, where the system has locks for folders.

    Errors: Refused when another one does not come to its end
    """
    if folder is None or WINDOWS:
        yield
        return
    import fcntl

    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
    except OSError as fault:
        raise Refused(f"`{folder}`: {reason_of(fault)}") from None
    try:
        until = time.monotonic() + _LOCK_WAIT_S
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise Refused(f"another ohud has been changing it for {_LOCK_WAIT_S:.0f} s") from None
                time.sleep(0.01)
            except OSError:
                break  # a file system without locks
        yield
    finally:
        os.close(handle)


def keep(path: str, data: bytes) -> None:
    """
    Writes a private file of our own, whole or not at all; nobody waits for the disk.

    Errors: Refused
    """
    rewrite(path, lambda _: data, Rewriting(private=True, sync=False))


def _rewrite(path: str, change: Change, how: Rewriting) -> Rewritten:
    seen = _whole(path, change)
    try:
        new = _checked(seen, change, how)
        done = Rewritten(path, seen.raw, new, linked=seen.facts.st_nlink - 1 if seen.facts else 0)
        if new == seen.raw or how.dry:
            return done
    finally:
        seen.close()
    folders = make_folders(path, how.private)
    left = Leftovers()
    try:
        sweep(path)
        for _ in range(_RETRIES + 1):
            step = _attempt(path, change, how, left)
            if step is not None and _stays(path, change, step):
                return replace(step, linked=done.linked, folders=tuple(folders))
        raise Refused("it keeps changing, something else is writing it")
    except BaseException:
        left.clear()
        remove_folders(folders)
        raise
    finally:
        left.clear()


def _stays(path: str, change: Change, step: Rewritten) -> bool:
    """Whether the change is still there: who had read the file before may have written the old state back."""
    if step.new is None:
        return True
    try:
        now = read(path)
        return now == step.new or change(now) == now
    except Refused:
        return True


def _attempt(path: str, change: Change, how: Rewriting, left: Leftovers) -> Rewritten | None:
    """One try to read, change and replace the file; None when somebody else has written it meanwhile."""
    seen = _whole(path, change)
    try:
        new = _checked(seen, change, how)
        if new == seen.raw:
            return Rewritten(path, seen.raw, new)
        backup = back_up(path, seen.raw, left) if how.backup and seen.raw is not None else None
        if new is None:
            return _take_away(path, seen, how, left, backup)
        temporary = write_beside(path, new, seen.facts, how.private, left, how.sync)
        if how.before:
            how.before(seen.raw, new)
        if not unchanged(path, seen) or not place(temporary, path, seen, left):
            left.clear()
            return None
        left.paths = [one for one in left.paths if one != backup]
        late = _late(temporary, seen, change)
        if late is not None:
            _settle(path, change, new, late, how, left)
        if how.sync:
            sync_folder(path)
        return Rewritten(path, seen.raw, new, backup=backup)
    finally:
        seen.close()


def _settle(path: str, change: Change, placed: bytes, late: bytes, how: Rewriting, left: Leftovers) -> None:
    """
    Brings in what somebody wrote into the old file while it was being replaced.

    What has been written to the new file since is newer than that, and stays.
    """
    for _ in range(_RETRIES + 1):
        left.clear()
        seen = look(path, SIZE_LIMIT)
        try:
            if seen.raw != placed:
                return
            new = change(late)
            if new is None or new == placed:
                return
            temporary = write_beside(path, new, seen.facts, how.private, left, how.sync)
            if how.before:
                how.before(late, new)
            if not unchanged(path, seen) or not place(temporary, path, seen, left):
                return
            again = _late(temporary, seen, change)
            if again is None:
                return
            placed, late = new, again
        except Refused:
            return
        finally:
            seen.close()


def _take_away(path: str, seen: Seen, how: Rewriting, left: Leftovers, backup: str | None) -> Rewritten | None:
    """The file removed, if it is still the one that was seen."""
    if how.before:
        how.before(seen.raw, None)
    aside = name_beside(path)
    if not unchanged(path, seen):
        left.clear()
        return None
    os.rename(path, aside)
    moved = look(aside, SIZE_LIMIT)
    moved.close()
    if moved.raw != seen.raw:
        # Somebody wrote it between the look and the rename: it goes back, unless there is a new one already.
        with suppress(OSError):
            os.link(aside, path)
        os.unlink(aside)
        left.clear()
        return None
    os.unlink(aside)
    sync_folder(path)
    left.paths = [one for one in left.paths if one != backup]
    return Rewritten(path, seen.raw, None, backup=backup)


def _whole(path: str, change: Change) -> Seen:
    """
    A look at a file that can be changed; one that is torn or empty is given some time: the host may be writing it.

    Errors: Refused by the change
    """
    for number in range(_RETRIES):
        seen = look(path, SIZE_LIMIT)
        last = number == _RETRIES - 1
        try:
            change(seen.raw)
            if seen.raw != b"" or last:
                return seen
        except Refused as fault:
            if last or fault.settled:
                seen.close()
                raise
        seen.close()
        time.sleep(_TORN_WAIT_S)
    raise AssertionError


def _checked(seen: Seen, change: Change, how: Rewriting) -> bytes | None:
    """
    The new bytes for a file that may be written.

    Errors: Refused for the file of another user, or one that is marked read-only
    """
    new = change(seen.raw)
    if seen.facts is None or new == seen.raw:
        return new
    if not WINDOWS and seen.facts.st_uid != os.geteuid():
        raise Refused(f"it belongs to another user (number {seen.facts.st_uid})")
    if not seen.facts.st_mode & stat.S_IWUSR and not how.force:
        raise Refused("it is marked read-only; --force writes it all the same")
    return new


def _late(temporary: str, seen: Seen, change: Change) -> bytes | None:
    """
    What somebody has made of the old file since it was seen, once it is whole; None when it is as it was.

    The old file is under the temporary name where it was exchanged, else at the descriptor that is still open.
    """
    if seen.raw is None or seen.facts is None:
        return None
    try:
        there = os.stat(temporary)
    except OSError:
        there = None
    if there is not None and there.st_ino != seen.facts.st_ino:
        # A file that was renamed over the one that had been seen, in the last moment.
        with suppress(Refused):
            return read(temporary)
        return None
    if seen.handle < 0:
        return None
    until = time.monotonic() + _LATE_WAIT_S
    last: bytes | None = None
    while True:
        # Asked first: who has it open, or was about to when its name was taken away, may write it after the look.
        alone = _alone(seen.handle)
        facts, raw = os.fstat(seen.handle), content(seen.handle, SIZE_LIMIT)
        if raw == seen.raw and facts.st_mtime_ns == seen.facts.st_mtime_ns and alone is not False:
            return None
        ended = alone or (raw == last and raw != b"" and _changeable(raw, change))
        if ended or time.monotonic() > until:
            return raw if raw != seen.raw else None
        last = raw
        time.sleep(_LATE_LOOK_S)


def _alone(handle: int) -> bool | None:
    """Whether nobody else has the file open, as a lease on it tells; None where the system has no leases."""
    if WINDOWS:
        return None
    import fcntl

    if not hasattr(fcntl, "F_SETLEASE"):
        return None
    try:
        fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _changeable(raw: bytes, change: Change) -> bool:
    """Whether a file's bytes are whole."""
    try:
        change(raw)
    except Refused:
        return False
    return True
