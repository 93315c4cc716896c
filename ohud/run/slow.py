"""
Slow facts: the last known answer at once, and one detached refresher a key to renew it.

A refresher is a fork of the refresh that found the answer too old. It leaves the host's process group, so that the
signal for a run that a newer one replaces does not cut it off, lets go of every stream (the host waits for all
holders of stdout), works under a deadline of its own, and writes its answer whole or not at all.
"""

import time

from ohud.run.world import World, system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_POLL_S = 0.002
# After failures the next try waits ttl, 2 ttl, 4 ttl ... [s]
_LONGEST_BACK_OFF_S = 3600.0
# From the deadline to the end at any price; the lock counts as dead after that [s]
_GRACE_S = 0.5
_PRUNE_ONE_IN = 100
_PRUNE_AGE_S = 30 * 86400


def fact(
    world: World, job: str, arguments: "Any", ttl: float, wait: float = 0.0, deadline: float = 5.0
) -> "dict[str, Any] | None":
    """
    The last known answer of a job, of whatever age; a refresher is started when it is out of date.

    Takes:    job: a module of ohud/refresh/; arguments: plain JSON that it is handed; ttl: how long an answer counts
              as new [s]; wait: how long to wait for the first answer [s]; deadline: of the refresher [s]
    Returns:  {"value", "at" [s since 1970], "failed": failures since}; None while there is no answer
    Errors:   none
    """
    name = _name(job, arguments)
    answer = _answer(world, name)
    now = time.time()
    if answer is not None and _fresh(answer, ttl, now):
        return answer
    patience = world.patience
    if not _start(world, name, job, arguments, deadline):
        # Another refresher is at it; only who has nothing to show waits for that one.
        if not (patience or (answer is None and wait)):
            return answer
    limit = time.monotonic() + max(patience, wait if answer is None else 0.0)
    while time.monotonic() < limit:
        time.sleep(_POLL_S)
        newer = _answer(world, name)
        if newer is not None and (answer is None or newer["at"] > answer["at"] or newer["failed"] > answer["failed"]):
            return newer
        if not _running(world, name):
            break
    return _answer(world, name) or answer


def _fresh(answer: "dict[str, Any]", ttl: float, now: float) -> bool:
    """Whether no new try is due: within the ttl of the last one, longer after each failure."""
    pause = min(ttl * 2.0 ** min(answer["failed"], 20), _LONGEST_BACK_OFF_S)
    tried: float = answer["tried"]
    # A clock that was set back must not keep an answer for ever.
    return 0 <= now - tried < pause


def _name(job: str, arguments: "Any") -> str:
    """The file name of a key: a digest, as nothing of a payload may reach a path."""
    from _imp import source_hash

    return job + "-" + source_hash(2, repr((job, arguments)).encode("utf-8", "surrogatepass")).hex()


def _answer(world: World, name: str) -> "dict[str, Any] | None":
    raw = world.read_private("slow-" + name + ".json")
    found = world.decode(raw) if raw else None
    if found is None:
        return None
    at, tried, failed = found.get("at"), found.get("tried"), found.get("failed")
    for number in (at, tried, failed):
        if not isinstance(number, (int, float)) or isinstance(number, bool):
            return None
    return found if "value" in found else None


def _lock_path(world: World, name: str) -> "str | None":
    folder = world.cache_dir()
    return None if folder is None else folder + "/slow-" + name + ".lock"


def _running(world: World, name: str) -> bool:
    path = _lock_path(world, name)
    return path is not None and world.lstat(path) is not None


def _start(world: World, name: str, job: str, arguments: "Any", deadline: float) -> bool:
    """Starts the refresher unless one is at work; whether this process started it."""
    path = _lock_path(world, name)
    if path is None or not hasattr(system, "fork") or not world.make_cache():
        return False
    if not _lock(path, deadline):
        return False
    try:
        child = system.fork()
    except OSError:
        _remove(path)
        return False
    if child:
        return True
    _refresher(world, path, name, job, arguments, deadline)
    return False  # never reached: the refresher ends its process


def _lock(path: str, deadline: float) -> bool:
    """Takes the lock, from a refresher that must be dead as well; whether it is ours now."""
    flags = system.O_WRONLY | system.O_CREAT | system.O_EXCL | system.O_CLOEXEC | system.O_NOFOLLOW
    for _ in range(2):
        try:
            system.close(system.open(path, flags, 0o600))
            return True
        except FileExistsError:
            pass
        except OSError:
            return False
        try:
            age = time.time() - system.lstat(path).st_mtime
        except OSError:
            continue
        if -deadline <= age <= deadline + 2 * _GRACE_S:
            return False
        # Renamed away, not removed: of two that see the old lock one alone gets it.
        aside = path + "." + str(system.getpid())
        try:
            system.rename(path, aside)
        except OSError:
            return False
        _remove(aside)
    return False


def _remove(path: str) -> None:
    try:
        system.unlink(path)
    except OSError:
        pass


def _refresher(world: World, lock: str, name: str, job: str, arguments: "Any", deadline: float) -> None:
    """The detached process: does the job, writes the answer, ends."""
    try:
        system.setsid()
        _let_go()
        _end_after(deadline)
        before = _answer(world, name)
        world.patience = 0.0
        value, failed = None, 0
        try:
            value = __import__("ohud.refresh." + job, None, None, ("*",)).work(arguments, world)
        except Exception as fault:
            failed = (before["failed"] if before else 0) + 1
            world.log("%s: %s: %s" % (job, type(fault).__name__, fault))
        now = time.time()
        if failed and before is not None:
            value, at = before["value"], before["at"]
        else:
            at = now
        answer = {"value": value, "at": at, "tried": now, "failed": failed}
        import json

        world.write_private("slow-" + name + ".json", json.dumps(answer).encode())
        _prune(world)
    finally:
        _remove(lock)
        system._exit(0)


def _let_go() -> None:
    """Every stream on the null device and every other descriptor closed: nobody waits for this process."""
    null = system.open("/dev/null", system.O_RDWR)
    for stream in (0, 1, 2):
        system.dup2(null, stream)
    system.closerange(3, 256)


def _end_after(deadline: float) -> None:
    """Ends what this process does when the deadline passes, with all that it started; soon after, itself."""
    import _signal

    rings = []

    def ring(number: int, frame: object) -> None:
        rings.append(number)
        if len(rings) > 1:
            system._exit(1)
        # The whole session's group, so that a program which hangs goes with it.
        _signal.signal(_signal.SIGTERM, _signal.SIG_IGN)
        system.killpg(0, _signal.SIGTERM)
        raise TimeoutError("no answer within %g s" % deadline)

    _signal.signal(_signal.SIGTERM, _signal.SIG_DFL)
    _signal.signal(_signal.SIGALRM, ring)
    _signal.setitimer(_signal.ITIMER_REAL, deadline, _GRACE_S)


def _prune(world: World) -> None:
    """Now and then: cache files that nobody has renewed for a month go."""
    if time.time_ns() // 1000 % _PRUNE_ONE_IN:
        return
    folder = world.cache_dir()
    if folder is None:
        return
    limit = time.time() - _PRUNE_AGE_S
    for name in world.listing(folder):
        if name.startswith(("slow-", "journal-", "program-", ".")) and name not in (".", ".."):
            facts = world.lstat(folder + "/" + name)
            if facts is not None and facts.st_mtime < limit:
                _remove(folder + "/" + name)
