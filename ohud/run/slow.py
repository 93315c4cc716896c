"""
Slow facts: the last known answer at once, and one detached refresher a key to renew it.

A refresher is a fork of the refresh that found the answer too old. It leaves the host's process group, so that the
signal for a run that a newer one replaces does not cut it off, lets go of every stream (the host waits for all
holders of stdout), works under a deadline of its own, writes its answer whole or not at all, and ends together with
all that it has started.

A key is held by a record lock, one byte of `slow.lock` each. The kernel takes a lock away when its holder ends,
however it ends: there is no dead lock to recognise, and no clock to trust for it.
"""

import time

from ohud.run.world import PRIVATE_LIMIT, World, system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_POLL_S = 0.002
# All waits of one refresh together, as the backstop ends it as a whole after 0.25 s.
_LONGEST_WAIT_S = 0.15
# After failures the next try comes 2, 4, 8 ... ttl later, and never later than this [s].
_LONGEST_BACK_OFF_S = 3600.0
_SHORTEST_BACK_OFF_S = 1.0
# From the deadline's polite signal to the one that ends all [s].
_GRACE_S = 0.5
_LOCKS = "slow.lock"
_PRUNE_ONE_IN = 100
_PRUNE_AGE_S = 30 * 86400
# What a process that was killed while it wrote has left [s].
_PRUNE_TEMPORARY_S = 3600
_SIGKILL = 9

# Refreshers that this process has started and not yet taken leave of; a refresh ends before they do.
_children: "list[int]" = []


class _Late(BaseException):
    """The deadline has passed; a job that catches its ordinary errors may not catch this one."""


def fact(
    world: World, job: str, arguments: "Any", ttl: float, wait: float = 0.0, deadline: float = 5.0
) -> "dict[str, Any] | None":
    """
    The last known answer of a job, of whatever age; a refresher is started when it is out of date.

    Takes:    job: a module of ohud/refresh/; arguments: plain JSON that it is handed; ttl: how long an answer counts
              as new [s]; wait: how long to wait for the first answer [s], all facts of one refresh 0.15 s at most;
              deadline: of the refresher [s]
    Returns:  {"value", "at": when the value was found [s since 1970], "failed": failures since, "tried": when the last
              try ended}; None while there is no answer
    Errors:   none
    """
    name = _name(job, arguments)
    answer = _answer(world, name)
    if answer is not None and _fresh(answer, ttl):
        return answer
    longest = world.patience or (min(wait, _LONGEST_WAIT_S) if answer is None else 0.0)
    longest -= _waited(world)
    if longest <= 0 and world.later is not None:
        world.later.append((name, job, arguments, deadline, answer))
        return answer
    child = start(world, name, job, arguments, deadline, answer)
    if child is None or longest <= 0:
        return answer
    began = time.monotonic()
    try:
        while time.monotonic() - began < longest:
            time.sleep(_POLL_S)
            newer = _answer(world, name)
            if _changed(newer, answer):
                return newer
            # Its own refresher may have found another at work.
            if not _alive(child) and not _held(world, name):
                break
    finally:
        world.memo["slow waited"] = _waited(world) + time.monotonic() - began
    return _answer(world, name) or answer


def _waited(world: World) -> float:
    """How long this refresh has waited for slow facts [s]."""
    waited: float = world.memo.get("slow waited", 0.0)
    return waited


def _fresh(answer: "dict[str, Any]", ttl: float) -> bool:
    """Whether no new try is due: within the ttl of the last one, longer after each failure."""
    pause, failed = ttl, answer["failed"]
    if failed:
        pause = min(max(ttl, _SHORTEST_BACK_OFF_S) * 2.0 ** min(failed, 20), max(ttl, _LONGEST_BACK_OFF_S))
    # A clock that was set back must not keep an answer for ever.
    tried: float = answer["tried"]
    return 0 <= time.time() - tried < pause


def _changed(newer: "dict[str, Any] | None", seen: "dict[str, Any] | None") -> bool:
    """Whether an answer comes of a later try than the one seen before."""
    return newer is not None and (seen is None or newer["tried"] != seen["tried"])


def _name(job: str, arguments: "Any") -> str:
    """The name of a key: a digest, as nothing of a payload may reach a path."""
    from _imp import source_hash

    return job + "-" + source_hash(2, repr((job, arguments)).encode("utf-8", "surrogatepass")).hex()


def _answer(world: World, name: str) -> "dict[str, Any] | None":
    """What the cache holds for a key; None unless it has the shape of an answer."""
    raw = world.read_private("slow-" + name + ".json")
    found = world.decode(raw) if raw else None
    if found is None or "value" not in found:
        return None
    for key in ("at", "tried", "failed"):
        number = found.get(key)
        if not isinstance(number, (int, float)) or isinstance(number, bool) or not 0 <= number < 1e12:
            return None
    return found


def _lock(world: World, name: str, command: int) -> "int | None":
    """
    Asks for the lock of a key, or takes it.

    Takes:    command: F_TEST or F_TLOCK
    Returns:  the descriptor that holds it, -1 when another process does, None when the cache can hold no locks
    """
    flags = system.O_RDWR | system.O_CREAT | system.O_CLOEXEC | system.O_NOFOLLOW | system.O_NONBLOCK
    try:
        handle = system.open(str(world.cache_dir()) + "/" + _LOCKS, flags, 0o600)
    except (OSError, ValueError):
        return None
    try:
        # File systems differ in how far out they let one look; two keys that shared a byte would only take turns.
        system.lseek(handle, int(name[-16:], 16) & 0x7FFFFFFF, 0)
    except OSError:
        system.close(handle)
        return None
    try:
        system.lockf(handle, command, 1)
    except (BlockingIOError, PermissionError):
        system.close(handle)
        return -1
    except OSError:
        # A file system without locks: then nobody is kept out, and the deadlines alone bound what runs.
        pass
    return handle


def _held(world: World, name: str) -> bool:
    """Whether a refresher has the key."""
    handle = _lock(world, name, system.F_TEST)
    if handle is not None and handle >= 0:
        system.close(handle)
    return handle == -1


def start(
    world: World, name: str, job: str, arguments: "Any", deadline: float, seen: "dict[str, Any] | None"
) -> "int | None":
    """
    Starts the refresher unless one is at work.

    Returns:  its process, 0 when another one is at work, None when none can be
    """
    if not hasattr(system, "fork") or not world.make_cache():
        return None
    _children[:] = [child for child in _children if _alive(child)]
    handle = _lock(world, name, system.F_TEST)
    if handle == -1:
        return 0
    if handle is None:
        from ohud.run.keep import clear

        clear(str(world.cache_dir()), _LOCKS)
        return None
    system.close(handle)
    try:
        child = system.fork()
    except OSError:
        return None
    if child:
        _children.append(child)
        return child
    _refresher(world, name, job, arguments, deadline, seen)
    return None  # never reached: the refresher ends its process


def _alive(child: int) -> bool:
    """Whether a refresher of this process still runs; one that has ended leaves no zombie behind."""
    if child <= 0:
        return False
    try:
        return system.waitpid(child, system.WNOHANG)[0] == 0
    except OSError:
        return False


def _refresher(
    world: World, name: str, job: str, arguments: "Any", deadline: float, seen: "dict[str, Any] | None"
) -> None:
    """The detached process: takes the key, does the job, writes the answer, ends."""
    try:
        system.setsid()
        _let_go()
        lock = _lock(world, name, system.F_TLOCK)
        before = _answer(world, name)
        # Another one may have been quicker, and may even have ended.
        if lock is not None and lock >= 0 and not _changed(before, seen):
            _work(world, name, job, arguments, deadline, before)
    finally:
        try:
            # Whatever the job has left running goes with it, and this process too.
            if system.getpgrp() == system.getpid():
                system.kill(0, _SIGKILL)
        finally:
            system._exit(0)


def _work(
    world: World, name: str, job: str, arguments: "Any", deadline: float, before: "dict[str, Any] | None"
) -> None:
    world.patience = 0.0
    world.memo = {}
    _end_after(deadline, world, name, before)
    try:
        value = __import__("ohud.refresh." + job, None, None, ("*",)).work(arguments, world)
        now = time.time()
        _write(world, name, {"value": value, "at": now, "tried": now, "failed": 0})
    except (Exception, _Late) as fault:
        _failed(world, name, before)
        world.log("%s: %s: %s" % (job, type(fault).__name__.lstrip("_"), fault))
    _prune(world)


def _write(world: World, name: str, answer: "dict[str, Any]") -> None:
    """Puts an answer into the cache; ValueError for one that could not be read again."""
    import json

    data = json.dumps(answer).encode()
    if len(data) > PRIVATE_LIMIT:
        raise ValueError("an answer of %d bytes" % len(data))
    world.write_private("slow-" + name + ".json", data)


def _failed(world: World, name: str, before: "dict[str, Any] | None") -> None:
    """Puts a failure on record: the last known value stays, and the next try comes later."""
    now = time.time()
    value, at, failed = (before["value"], before["at"], before["failed"]) if before else (None, now, 0)
    _write(world, name, {"value": value, "at": at, "tried": now, "failed": min(int(failed) + 1, 1000)})


def _let_go() -> None:
    """Every stream on the null device and every other descriptor closed: nobody waits for this process."""
    null = system.open("/dev/null", system.O_RDWR)
    for stream in (0, 1, 2):
        system.dup2(null, stream)
    highest = 255
    try:
        highest = max([highest, *map(int, system.listdir("/dev/fd"))])
    except (OSError, ValueError):
        pass
    system.closerange(3, highest + 1)


def _end_after(deadline: float, world: World, name: str, before: "dict[str, Any] | None") -> None:
    """Ends what this process does when the deadline passes, with all that it started; soon after, itself."""
    import _signal  # type: ignore[import-not-found]

    rings = []

    def ring(number: int, frame: object) -> None:
        rings.append(number)
        if len(rings) > 1:
            # A program that no signal reaches (a dead network disk): on record, or every refresh would add one.
            _failed(world, name, before)
            system.kill(0, _SIGKILL)
        _signal.signal(_signal.SIGTERM, _signal.SIG_IGN)
        system.kill(0, _signal.SIGTERM)
        raise _Late("no answer within %g s" % deadline)

    # As its starter may have set them: without its children's ends a failure would pass for an answer.
    _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
    _signal.signal(_signal.SIGTERM, _signal.SIG_DFL)
    _signal.signal(_signal.SIGALRM, ring)
    _signal.pthread_sigmask(_signal.SIG_SETMASK, ())
    _signal.setitimer(_signal.ITIMER_REAL, deadline, _GRACE_S)


def _prune(world: World) -> None:
    """Now and then: cache files that nobody has renewed for a month go, and unfinished ones after an hour."""
    if time.time_ns() // 1000 % _PRUNE_ONE_IN:
        return
    folder = world.cache_dir()
    if folder is None:
        return
    now = time.time()
    for name in world.listing(folder):
        if name.startswith(("slow-", "journal-", "program-", ".")) and name not in (".", ".."):
            facts = world.lstat(folder + "/" + name)
            oldest = _PRUNE_TEMPORARY_S if name[0] == "." else _PRUNE_AGE_S
            if facts is not None and facts.st_mtime < now - oldest:
                try:
                    system.unlink(folder + "/" + name)
                except OSError:
                    pass
