"""Slow facts: one detached refresher a key, whatever state the cache is in and however processes end."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from launch import REPOSITORY

from ohud.run import slow
from ohud.run.slow import fact
from ohud.run.world import World

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="refreshers are forks"),
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="what is left running is looked up in /proc"),
]

# Stands in for a refresh: looks facts up as its arguments say, with jobs that are modules of no file.
DRIVER = """
import json, sys
sys.path.insert(0, %r)
from ohud.run.world import World, system
from types import ModuleType

def work(arguments, world):
    import subprocess, time
    with open(arguments["log"], "a") as file:
        file.write("%%d\\n" %% system.getpid())
    kind = arguments.get("kind")
    if kind == "fails":
        raise OSError("no luck")
    if kind == "exits":
        raise SystemExit(3)
    if kind == "dies":
        system.kill(system.getpid(), 9)
    if kind == "odd":
        return object()
    if kind == "child":
        subprocess.run(["sleep", "300"])
    if kind == "stubborn child":
        subprocess.run(["sh", "-c", "trap '' TERM; sleep 300; sleep 300"])
    if kind == "child that fails":
        subprocess.run(["false"], check=True)
    if kind == "leaves a child":
        subprocess.Popen(["sleep", "300"])
    if kind == "swallows":
        while True:
            try:
                time.sleep(300)
            except Exception:
                pass
    if kind == "stubborn":
        while True:
            try:
                time.sleep(300)
            except BaseException:
                pass
    time.sleep(arguments.get("seconds", 0))
    return arguments.get("value", "x" * arguments.get("size", 0))

job = sys.modules["ohud.refresh.probe"] = ModuleType("probe")
job.work = work
world = World()
settings = json.loads(sys.argv[1])
world.patience = settings.pop("patience", 0.0)
times = settings.pop("times", 1)
pause = settings.pop("pause", 0.0)
after = settings.pop("after", "")
import time
for _ in range(times):
    began = time.monotonic()
    answer = world.slow("probe", **settings)
    took = time.monotonic() - began
    system.write(1, (json.dumps([answer, took]) + "\\n").encode())
    time.sleep(pause)
exec(after)
system._exit(0)
"""


class Place:
    """A cache of its own, and a log of the refreshers that went to work."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.cache = root / "cache" / "ohud"
        self.log = root / "log"
        self.driver = root / "driver.py"
        self.driver.write_text(DRIVER % str(REPOSITORY))
        self.env = {"XDG_CACHE_HOME": str(root / "cache"), "HOME": str(root), "PATH": os.environ["PATH"]}

    def command(self, ttl: float = 60.0, wait: float = 0.0, deadline: float = 5.0, **rest: Any) -> list[str]:
        """The command of one refresh; what is left over goes to the job."""
        keys = {name: rest.pop(name) for name in ("patience", "times", "pause", "after") if name in rest}
        arguments = {"log": str(self.log), **rest}
        keys |= {"arguments": arguments, "ttl": ttl, "wait": wait, "deadline": deadline}
        return [sys.executable, "-I", "-S", str(self.driver), json.dumps(keys)]

    def start(self, **rest: Any) -> "subprocess.Popen[bytes]":
        """A refresh in a process group of its own, as the host starts one."""
        return subprocess.Popen(self.command(**rest), env=self.env, stdout=subprocess.PIPE, start_new_session=True)

    def look(self, **rest: Any) -> dict[str, Any] | None:
        """What one refresh is told."""
        found: list[dict[str, Any] | None] = self.looks(**rest)
        return found[-1]

    def looks(self, **rest: Any) -> list[Any]:
        """What each look-up of one refresh is told."""
        done = subprocess.run(self.command(**rest), env=self.env, stdout=subprocess.PIPE, timeout=20, check=True)
        return [json.loads(line)[0] for line in done.stdout.splitlines()]

    def took(self, **rest: Any) -> float:
        """How long one look-up kept its refresh [s]."""
        done = subprocess.run(self.command(**rest), env=self.env, stdout=subprocess.PIPE, timeout=20, check=True)
        seconds: float = json.loads(done.stdout)[1]
        return seconds

    def runs(self) -> list[int]:
        """The processes of all refreshers that went to work."""
        return [int(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def answer(self) -> Path:
        """The file of the only answer."""
        (path,) = self.cache.glob("slow-*.json")
        return path

    def kept(self) -> dict[str, Any]:
        """The only answer as it is on the disk."""
        found: dict[str, Any] = json.loads(self.answer().read_text())
        return found

    def processes(self) -> list[int]:
        """Everything that still runs for this place, known by its environment."""
        mark = f"XDG_CACHE_HOME={self.root / 'cache'}".encode()
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if mark in (folder / "environ").read_bytes() and b"State:\tZ" not in (folder / "status").read_bytes():
                    found.append(int(folder.name))
        return found

    def end(self) -> None:
        """Ends what still runs."""
        for process in self.processes():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def settle(self, seconds: float = 5.0) -> None:
        """Waits until nothing runs any more; that must come."""
        eventually(lambda: not self.processes(), seconds)


def eventually(holds: Callable[[], bool], seconds: float = 5.0) -> None:
    """Waits until something holds; it must in time."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A place of which nothing may be left when the test ends."""
    made = Place(tmp_path)
    yield made
    made.settle()


def test_first_answer_is_waited_for(place: Place) -> None:
    """Who waits a moment gets a quick job's first answer, and the next one does not ask again."""
    before = time.time()
    answer = place.look(wait=0.15, patience=5.0, value={"a": [1, None]})
    assert answer is not None
    assert answer["value"] == {"a": [1, None]}
    assert answer["failed"] == 0
    assert before <= answer["at"] <= time.time()
    assert place.look(wait=0.15, value={"a": [1, None]}) == answer
    assert len(place.runs()) == 1
    assert place.answer().stat().st_mode & 0o777 == 0o600


def test_without_waiting_the_answer_comes_later(place: Place) -> None:
    """A refresh that may not wait shows nothing, the one after the job is done shows the answer."""
    assert place.look(value=1, seconds=0.2) is None
    place.settle()
    answer = place.look(value=1, seconds=0.2)
    assert answer and answer["value"] == 1
    assert len(place.runs()) == 1


def test_wait_ends_in_time(place: Place) -> None:
    """The first wait is as long as asked and never over 0.15 s, however long the job takes."""
    assert 0.03 <= place.took(wait=0.03, seconds=5) < 0.14
    assert 0.15 <= place.took(wait=30.0, seconds=5) < 1
    place.end()


def test_waits_of_one_refresh_are_counted_together(place: Place) -> None:
    """Looking up ten facts does not take ten times as long."""
    began = time.monotonic()
    assert place.looks(wait=0.15, seconds=9, times=20) == [None] * 20
    assert time.monotonic() - began < 1.5
    place.end()


def test_old_answer_is_shown_while_a_new_one_is_made(place: Place) -> None:
    """Stale while revalidate: at once, and without a wait."""
    first = place.look(patience=5.0, value=1, seconds=0.5, ttl=0.1)
    assert first
    time.sleep(0.15)
    assert place.look(wait=0.15, ttl=0.1, value=1, seconds=0.5) == first
    assert place.took(wait=0.15, ttl=0.1, value=1, seconds=0.5) < 0.14
    place.settle()
    second = place.look(ttl=60, value=1, seconds=0.5)
    assert second and second["at"] > first["at"]
    assert len(place.runs()) == 2


def test_patience_waits_for_a_fresh_answer(place: Place) -> None:
    """A command that a person started gets the new answer, not the old one, and no longer than it has patience."""
    first = place.look(patience=5.0, value=1, ttl=0)
    second = place.look(patience=5.0, value=1, ttl=0)
    assert first and second and second["at"] > first["at"]
    assert place.look(patience=0.3, value=2, seconds=1.5) is None
    # One that is at work already is waited for as well.
    answer = place.look(patience=5.0, value=2, seconds=1.5)
    assert answer and answer["value"] == 2
    assert len(place.runs()) == 3


def test_twenty_at_once_start_one(place: Place) -> None:
    """However many refreshes find an answer missing, one of them has it made."""
    running = [place.start(value=1, seconds=0.3) for _ in range(20)]
    for process in running:
        process.communicate(timeout=10)
    place.settle()
    assert len(place.runs()) == 1
    assert place.look(value=1, seconds=0.3)


def test_refresher_that_comes_late_does_nothing(place: Place) -> None:
    """One that gets the lock only after another has finished finds its work done."""
    text = place.driver.read_text()
    place.driver.write_text(
        text.replace(
            "world = World()",
            """
from ohud.run import slow
import time
lock = slow._lock
def late(world, name, command):
    time.sleep(0.3 if command == system.F_TLOCK else 0)
    return lock(world, name, command)
slow._lock = late
world = World()
""",
        )
    )
    assert place.look(value=1) is None
    place.driver.write_text(text)
    assert place.look(value=1, patience=5.0)
    place.settle()
    assert len(place.runs()) == 1


def test_keys_do_not_wait_for_each_other(place: Place) -> None:
    """Other arguments are another key."""
    for number in range(3):
        assert place.look(value=number, seconds=9) is None
    eventually(lambda: len(place.runs()) == 3)
    place.end()


def test_killed_refresher_holds_nothing(place: Place) -> None:
    """A refresher that was killed is replaced by the next refresh, long before its deadline."""
    assert place.look(seconds=30, deadline=60, value=1) is None
    eventually(lambda: len(place.runs()) == 1)
    os.kill(place.runs()[0], signal.SIGKILL)
    place.settle()
    assert place.look(seconds=30, deadline=60, value=1) is None
    eventually(lambda: len(place.runs()) == 2)
    os.kill(place.runs()[1], signal.SIGKILL)


@pytest.mark.parametrize("kind", ["child", "stubborn child", "swallows"])
def test_deadline_ends_all(kind: str, place: Place) -> None:
    """What hangs is ended with all it has started, and that counts as a failure."""
    assert place.look(kind=kind, deadline=0.3) is None
    eventually(lambda: len(place.runs()) == 1)
    place.settle(2.0)
    assert place.kept()["failed"] == 1
    assert place.look(kind=kind, deadline=0.3) == place.kept()
    assert len(place.runs()) == 1
    assert "no answer within 0.3 s" in (place.cache / "errors.log").read_text()


@pytest.mark.parametrize("kind", ["child", "child that fails"])
def test_signals_of_whoever_starts_the_refresh(kind: str, place: Place) -> None:
    """Deadline and failure are told also where the starter had signals blocked and the ends of children ignored."""
    lines = (
        "import os, signal, sys",
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
        "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())",
        "os.execv(sys.argv[1], sys.argv[1:])",
    )
    command = [sys.executable, "-c", "\n".join(lines), *place.command(kind=kind, deadline=0.5)]
    subprocess.run(command, env=place.env, stdout=subprocess.DEVNULL, timeout=20, check=True)
    eventually(lambda: len(place.runs()) == 1)
    place.settle(3.0)
    assert place.kept()["failed"] == 1


def test_job_that_cannot_be_interrupted(place: Place) -> None:
    """A grace after the deadline everything ends at any price, on record as a failure."""
    assert place.look(kind="stubborn", deadline=0.2) is None
    place.settle(2.0)
    assert place.kept()["failed"] == 1


def test_what_a_job_leaves_running_goes_with_it(place: Place) -> None:
    """A job that has answered leaves no process behind."""
    answer = place.look(kind="leaves a child", patience=5.0, value=1)
    assert answer and answer["value"] == 1
    place.settle(1.0)


@pytest.mark.parametrize("kind", ["fails", "odd"])
def test_failure_keeps_the_old_value(kind: str, place: Place) -> None:
    """After a failure the last known value stays, with its time, and the failures are counted."""
    answer = place.look(kind=kind, patience=5.0)
    assert answer and answer["value"] is None and answer["failed"] == 1
    place.answer().write_text(json.dumps({"value": 7, "at": 1000, "tried": 1000, "failed": 1}))
    answer = place.look(kind=kind, patience=5.0)
    assert answer and answer["value"] == 7 and answer["at"] == 1000 and answer["failed"] == 2
    assert answer["tried"] > 1000
    assert "probe: " in (place.cache / "errors.log").read_text()


@pytest.mark.parametrize("kind", ["dies", "exits"])
def test_job_that_takes_its_process_along(kind: str, place: Place) -> None:
    """Nothing is known then, nothing is left, and the one who waits is not kept."""
    assert place.took(kind=kind, patience=5.0) < 2.0


def test_answer_that_is_too_large_is_a_failure(place: Place) -> None:
    """What could not be read again is not written."""
    answer = place.look(size=300_000, patience=5.0)
    assert answer and answer["value"] is None and answer["failed"] == 1
    answer = place.look(size=200_000, patience=5.0)
    assert answer and len(answer["value"]) == 200_000


def test_pauses_grow_with_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    """ttl, then 2, 4, 8 ttl, at most an hour; a ttl of 0 does not mean a try at every refresh."""
    monkeypatch.setattr(time, "time", lambda: 10_000.0)

    def fresh(age: float, ttl: float, failed: float) -> bool:
        return slow._fresh({"tried": 10_000.0 - age, "failed": failed}, ttl)

    assert fresh(4.9, 5, 0) and not fresh(5.1, 5, 0)
    assert fresh(9.9, 5, 1) and not fresh(10.1, 5, 1)
    assert fresh(39.9, 5, 3) and not fresh(40.1, 5, 3)
    assert fresh(3599, 5, 1000) and not fresh(3601, 5, 1000)
    assert fresh(7199, 7200, 3) and not fresh(7201, 7200, 3)
    assert not fresh(0, 0, 0) and fresh(1.9, 0, 1) and not fresh(2.1, 0, 1)
    # The clock was set back.
    assert not fresh(-1, 5, 0)


def test_clock_set_back(place: Place) -> None:
    """An answer of the future does not stay for ever."""
    place.look(value=1, patience=5.0)
    ahead = time.time() + 86400
    place.answer().write_text(json.dumps({"value": 0, "at": ahead, "tried": ahead, "failed": 0}))
    answer = place.look(value=1, patience=5.0)
    assert answer and answer["value"] == 1 and answer["at"] < ahead


DAMAGE: dict[str, bytes] = {
    "empty": b"",
    "cut": b'{"value": 1, "at": 1796040',
    "noise": bytes(range(256)),
    "list": b"[1]",
    "null": b"null",
    "no value": b'{"at": 1, "tried": 1, "failed": 0}',
    "no time": b'{"value": 1}',
    "times as text": b'{"value": 1, "at": "1", "tried": "1", "failed": "0"}',
    "booleans": b'{"value": 1, "at": true, "tried": true, "failed": true}',
    "no numbers": b'{"value": 1, "at": NaN, "tried": NaN, "failed": NaN}',
    "endless": b'{"value": 1, "at": 1e999, "tried": 1e999, "failed": 1e999}',
    "negative": b'{"value": 1, "at": -1, "tried": -1, "failed": -1e308}',
    "huge": b'{"value": 1, "at": 1' + b"0" * 400 + b', "tried": 1' + b"0" * 400 + b', "failed": 0}',
    "deep": b"[" * 100_000,
    "long": b'{"value": "' + b"x" * 300_000 + b'", "at": 1, "tried": 1, "failed": 0}',
    "failed often": b'{"value": 1, "at": 1, "tried": 1, "failed": 99999999999}',
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_answer_is_made_anew(name: str, place: Place) -> None:
    """Whatever an answer's file holds, the next answer is right."""
    place.look(value=5, patience=5.0)
    place.answer().write_bytes(DAMAGE[name])
    answer = place.look(value=5, patience=5.0)
    assert answer and answer["value"] == 5 and answer["failed"] == 0
    assert place.kept() == answer


def to_link(path: Path, victim: Path) -> None:
    path.symlink_to(victim)


def to_hard_link(path: Path, victim: Path) -> None:
    path.hardlink_to(victim)


def to_pipe(path: Path, victim: Path) -> None:
    os.mkfifo(path)


def to_folder(path: Path, victim: Path) -> None:
    path.mkdir()


def to_foreign(path: Path, victim: Path) -> None:
    path.write_text('{"value": 6, "at": 1e11, "tried": 1e11, "failed": 0}')
    path.chmod(0o666)


@pytest.mark.parametrize("which", ["answer", "lock"])
@pytest.mark.parametrize("make", [to_link, to_hard_link, to_pipe, to_folder, to_foreign])
def test_something_else_stands_in_the_cache(which: str, make: Callable[[Path, Path], None], place: Place) -> None:
    """Links, pipes, folders and files open to others are neither read nor followed, and do not stay in the way."""
    place.look(value=5, patience=5.0)
    victim = place.root / "victim"
    victim.write_text('{"value": 6, "at": 1e11, "tried": 1e11, "failed": 0}')
    before = victim.read_text()
    path = place.answer() if which == "answer" else place.cache / "slow.lock"
    path.unlink()
    make(path, victim)
    if which == "lock":
        place.answer().unlink()
    answers = [place.look(value=5, patience=5.0) for _ in range(2)]
    # A lock that cannot be had costs one refresh.
    assert answers[-1] and answers[-1]["value"] == 5
    assert victim.read_text() == before
    assert path.is_file() and not path.is_symlink()


def folder_is_file(place: Place) -> None:
    place.cache.parent.mkdir()
    place.cache.write_text("x")


def folder_is_pipe(place: Place) -> None:
    place.cache.parent.mkdir()
    os.mkfifo(place.cache)


def folder_is_link(place: Place) -> None:
    place.cache.parent.mkdir()
    (place.root / "outside").mkdir()
    place.cache.symlink_to(place.root / "outside")


def no_place(place: Place) -> None:
    place.env.pop("XDG_CACHE_HOME")
    place.env.pop("HOME")


@pytest.mark.parametrize("spoil", [folder_is_file, folder_is_pipe, folder_is_link, no_place])
def test_no_cache_no_fact(spoil: Callable[[Place], None], place: Place) -> None:
    """Without a private folder nothing is started, waited for or written elsewhere."""
    spoil(place)
    assert place.took(value=1, wait=0.15, patience=5.0) < 2.0
    assert place.runs() == []
    assert not list(place.root.glob("outside/*"))


def test_full_disk(place: Place) -> None:
    """An answer that cannot be written is lost, and nothing unfinished stays."""
    command = place.command(value=1, patience=2.0)
    limited = ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *command]
    done = subprocess.run(limited, env=place.env, stdout=subprocess.PIPE, timeout=20, check=True)
    assert json.loads(done.stdout)[0] is None
    place.settle()
    assert [path.name for path in place.cache.iterdir() if path.name.endswith(".json") or path.name[0] == "."] == []


def test_nobody_waits_for_the_refresher(place: Place) -> None:
    """The host reads to the end of stdout, and of every other descriptor, while the refresher is still at work."""
    reader, writer = os.pipe()
    process = subprocess.Popen(
        place.command(value=1, seconds=4.0),
        env=place.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=[writer],
        start_new_session=True,
    )
    os.close(writer)
    began = time.monotonic()
    out, err = process.communicate(timeout=5)
    with os.fdopen(reader, "rb") as other:
        assert other.read() == b""
    assert time.monotonic() - began < 2.0
    assert json.loads(out)[0] is None and err == b""
    assert place.processes() != []
    place.end()


def test_host_ends_the_group(place: Place) -> None:
    """The signal that a newer refresh sends to the group of the older one does not reach the refresher."""
    process = place.start(value=1, seconds=0.4, pause=5.0)
    assert process.stdout is not None
    process.stdout.readline()
    eventually(lambda: len(place.runs()) == 1)
    os.killpg(process.pid, signal.SIGTERM)
    process.communicate(timeout=5)
    place.settle()
    assert place.kept()["value"] == 1


def test_long_lived_process_keeps_no_zombies(place: Place) -> None:
    """A process that looks facts up again and again takes leave of each refresher."""
    after = """
import subprocess
found = subprocess.run(["ps", "-o", "stat=", "--ppid", str(system.getpid())], stdout=subprocess.PIPE).stdout
system.write(1, json.dumps([found.decode().count("Z"), 0]).encode())
"""
    answers = place.looks(value=1, ttl=0, times=6, pause=0.1, after=after)
    assert len(place.runs()) >= 3
    # The last one may have ended since.
    assert answers[-1] <= 1


def test_timer_of_the_refresh_goes_on(place: Place) -> None:
    """The backstop of the refresh rings when it should, though a refresher was forked meanwhile."""
    after = """
import _signal
left = _signal.getitimer(_signal.ITIMER_REAL)[0]
system.write(1, json.dumps([left, 0]).encode())
"""
    text = place.driver.read_text().replace(
        "world = World()", "import _signal; _signal.setitimer(_signal.ITIMER_REAL, 9.0); world = World()"
    )
    place.driver.write_text(text)
    left = place.looks(value=1, wait=0.1, seconds=0.3, after=after)[-1]
    assert 7.0 < left < 9.0


def test_without_fork_nothing_is_renewed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where processes cannot be forked (Windows), the last answer is shown, or nothing."""

    class Forkless:
        """The system's calls without this one."""

        def __getattr__(self, name: str) -> Any:
            if name == "fork":
                raise AttributeError(name)
            return getattr(os, name)

    monkeypatch.setattr(slow, "system", Forkless())
    world = World({"XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)})
    world.patience = 5.0
    began = time.monotonic()
    assert fact(world, "probe", {"a": 1}, 5.0, wait=1.0) is None
    kept = {"value": 3, "at": 1.0, "tried": 1.0, "failed": 0}
    assert world.write_private(f"slow-{slow._name('probe', {'a': 1})}.json", json.dumps(kept).encode())
    assert fact(world, "probe", {"a": 1}, 5.0, wait=1.0) == kept
    assert time.monotonic() - began < 0.9


def test_fork_that_fails_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user with too many processes sees the line all the same."""

    def full() -> int:
        raise BlockingIOError(errno.EAGAIN, "no more processes")

    monkeypatch.setattr(slow.system, "fork", full)
    world = World({"XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)})
    assert fact(world, "probe", {}, 5.0, wait=1.0) is None


def test_file_system_without_locks(place: Place) -> None:
    """There nobody is kept out, and facts still come."""
    text = place.driver.read_text().replace(
        "world = World()", "def none(*_): raise OSError(37, 'no locks')\nsystem.lockf = none\nworld = World()"
    )
    place.driver.write_text(text)
    answer = place.look(value=1, patience=5.0)
    assert answer and answer["value"] == 1


def test_file_names_are_digests() -> None:
    """Nothing that a payload says gets into a path, and equal arguments are one key."""
    name = slow._name("probe", {"path": "/../../etc/\ud800\0"})
    assert name.startswith("probe-") and name[6:].isalnum() and len(name) == 22
    assert name == slow._name("probe", {"path": "/../../etc/\ud800\0"})
    assert name != slow._name("probe", {"path": "/../../etc/"})


def test_old_files_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Now and then files that nobody has renewed for a month are taken away, and unfinished ones after an hour."""
    world = World({"XDG_CACHE_HOME": str(tmp_path)})
    assert world.make_cache()
    day = 86400
    ages = {
        "slow-a-1.json": 31 * day,
        "slow-b-1.json": 29 * day,
        "journal-1.json": 31 * day,
        "program-1.json": 31 * day,
        ".slow-a-1.json.7.8": 2 * 3600,
        ".slow-b-1.json.7.8": 600,
        "slow.lock": 99 * day,
        "errors.log": 99 * day,
    }
    for name, age in ages.items():
        path = tmp_path / "ohud" / name
        path.touch()
        os.utime(path, (time.time() - age, time.time() - age))
    monkeypatch.setattr(time, "time_ns", lambda: 1000)
    slow._prune(world)
    assert len(list((tmp_path / "ohud").iterdir())) == len(ages)
    monkeypatch.setattr(time, "time_ns", lambda: 100_000)
    slow._prune(world)
    left = {path.name for path in (tmp_path / "ohud").iterdir()}
    assert left == {"slow-b-1.json", ".slow-b-1.json.7.8", "slow.lock", "errors.log"}
