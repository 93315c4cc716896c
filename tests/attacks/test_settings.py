"""The host's settings in every shape and state that installing meets: written with care, or left alone."""

import errno
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from desk import COMMAND, Desk, desk_at
from launch import REPOSITORY

from ohud.host import files, replace
from ohud.host import settings as host_settings
from ohud.host.command import command_line, ours, quote
from ohud.host.installation import Record, Wanted, install, is_ours
from ohud.host.replace import Rewriting
from ohud.host.splice import Refused
from ohud.run.world import World

FOLDER = Path(__file__).parent / "settings"
FILES = json.loads((FOLDER / "manifest.json").read_bytes())
PATHS = json.loads((FOLDER / "quoting.json").read_bytes())
# Where the manifest leaves a choice, this is ours.
CHOICE = {"written or refused": "written", "refused or kept": "refused", "written with a warning": "written"}
KEYS = ("statusLine", "subagentStatusLine")
POSIX = sys.platform != "win32"
ROOT = POSIX and os.geteuid() == 0


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A user's machine."""
    return desk_at(tmp_path, monkeypatch)


def content(entry: dict[str, str]) -> bytes:
    """A file of the manifest."""
    return (FOLDER / entry["file"]).read_bytes()


def expected(entry: dict[str, str]) -> str:
    """What is to become of a file: "written", "refused" or "asks"."""
    return CHOICE.get(entry["expect"], entry["expect"])


def of_kind(*kinds: str) -> list[Any]:
    """The manifest's files of some expectations, as parameters."""
    return [pytest.param(entry, id=entry["file"]) for entry in FILES if expected(entry) in kinds]


def data(raw: bytes) -> dict[str, Any]:
    """Settings as Python reads them."""
    found: dict[str, Any] = json.loads(raw.decode("utf-8-sig") or "{}") if raw.strip() else {}
    return found


def test_the_manifest_is_whole() -> None:
    """32 files, 36 paths, and each file is there."""
    assert (len(FILES), len(PATHS)) == (32, 36)
    assert all((FOLDER / entry["file"]).exists() for entry in FILES)
    assert {expected(entry) for entry in FILES} == {"written", "refused", "asks"}


@pytest.mark.parametrize("entry", of_kind("written"))
def test_written(entry: dict[str, str], desk: Desk) -> None:
    """The command is in, every other key is what it was, and uninstalling gives back every byte."""
    raw = content(entry)
    path = desk.write(raw)
    answer = desk.install()
    assert answer.code == 0, answer
    new = path.read_bytes()
    before, after = data(raw), data(new)
    line = after.pop("statusLine")
    old = before.pop("statusLine", None)
    assert line == ({**old, "command": COMMAND} if old else {"type": "command", "command": COMMAND})
    assert list(after.items()) == list(before.items())
    if old is None and before:
        # The old text is all there, in two pieces around the new one.
        end = next(at for at in range(len(raw), -1, -1) if new.startswith(raw[:at]))
        assert new.endswith(raw[end:])
    if entry["expect"].endswith("warning"):
        assert "disableAllHooks" in answer.out
    again = desk.install()
    assert again.code == 0 and path.read_bytes() == new and "has it already" in again.out
    assert desk.uninstall().code == 0
    assert path.read_bytes() == raw
    assert [name for name in desk.files() if name != ".claude"] == [".claude/settings.json"]


@pytest.mark.parametrize("entry", of_kind("written", "asks"))
def test_uninstalled_after_another_write(entry: dict[str, str], desk: Desk) -> None:
    """When the host has written the file anew meanwhile, ohud's value alone goes, and what stood there comes back."""
    raw = content(entry)
    path = desk.write(raw)
    assert desk.install("--replace", "--subagents").code == 0
    settings = {**data(path.read_bytes()), "added": [1]}
    path.write_text(json.dumps(settings, indent=2) + "\n", "utf-8", errors="surrogatepass")
    assert desk.uninstall().code == 0
    before, after = data(raw), data(path.read_bytes())
    assert after.pop("added") == [1]
    for key in KEYS:
        old = before.pop(key, None)
        assert after.pop(key, None) == (None if is_ours(old) else old)
    assert after == before


@pytest.mark.parametrize("entry", of_kind("refused"))
def test_refused(entry: dict[str, str], desk: Desk) -> None:
    """The file is left alone, with one line that says why and the lines to put in by hand."""
    raw = content(entry)
    path = desk.write(raw)
    before = os.stat(path)
    for words in ((), ("--replace", "--force")):
        answer = desk.install(*words)
        assert answer.code == 1
        assert path.read_bytes() == raw and os.stat(path).st_mtime_ns == before.st_mtime_ns
        first, *rest = answer.err.splitlines()
        assert first.startswith(f"ohud install: {path} is left as it is: ") and len(first) < 300 + len(str(path))
        assert rest[0] == "help: to put it in by hand:"
        assert json.loads("{" + "".join(rest[1:]) + "}")["statusLine"]["command"] == COMMAND
    # Of what is not ohud's anyway it does not matter how often it is there.
    assert desk.uninstall().code == (0 if entry["file"] == "dup.json" else 1)
    assert path.read_bytes() == raw
    assert list(desk.files()) == [".claude", ".claude/settings.json"]


@pytest.mark.parametrize("entry", of_kind("asks"))
def test_another_programs_line(entry: dict[str, str], desk: Desk) -> None:
    """It is replaced with consent only, and uninstalling brings it back byte for byte."""
    raw = content(entry)
    path = desk.write(raw)
    answer = desk.install()
    assert answer.code == 1 and path.read_bytes() == raw
    assert "belongs to another program" in answer.err and "--replace" in answer.err
    assert desk.install("--replace").code == 0
    new = data(path.read_bytes())
    assert new["statusLine"] == {"type": "command", "command": COMMAND}
    assert new.get("subagentStatusLine") == data(raw).get("subagentStatusLine")
    assert desk.uninstall().code == 0
    assert path.read_bytes() == raw


# The states: what a file's content cannot say.


def test_no_folder(desk: Desk) -> None:
    """A missing folder is made for the user alone, and goes again."""
    assert desk.install().code == 0
    assert stat.S_IMODE(desk.settings.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(desk.settings.stat().st_mode) == 0o600
    assert data(desk.settings.read_bytes()) == {"statusLine": {"type": "command", "command": COMMAND}}
    assert desk.uninstall().code == 0
    assert desk.files() == {}


def test_link(desk: Desk) -> None:
    """A link stays one; its target is replaced in its own folder."""
    target = desk.home / "dotfiles" / "claude.json"
    target.parent.mkdir()
    target.write_text('{"a": 1}')
    desk.settings.parent.mkdir()
    desk.settings.symlink_to("../dotfiles/claude.json")
    inode = target.stat().st_ino
    answer = desk.install()
    assert answer.code == 0 and f"a link to {target}" in answer.out
    assert desk.settings.is_symlink() and target.stat().st_ino != inode
    assert is_ours(data(target.read_bytes())["statusLine"])
    assert [path.name for path in desk.settings.parent.iterdir()] == ["settings.json"]
    assert desk.uninstall().code == 0
    assert target.read_text() == '{"a": 1}' and [path.name for path in target.parent.iterdir()] == ["claude.json"]


@pytest.mark.parametrize("folder", [True, False])
def test_dangling_link(folder: bool, desk: Desk) -> None:
    """The target is made where it can be; the link stays in any case."""
    desk.settings.parent.mkdir()
    desk.settings.symlink_to("nowhere" if folder else "gone/nowhere")
    answer = desk.install()
    assert answer.code == (0 if folder else 1)
    assert desk.settings.is_symlink() and desk.settings.exists() is folder
    assert desk.uninstall().code == (0 if folder else 1)
    assert list(desk.files()) == [".claude", ".claude/settings.json"] and desk.settings.is_symlink()


def test_link_to_itself(desk: Desk) -> None:
    """A loop is refused."""
    desk.settings.parent.mkdir()
    desk.settings.symlink_to("settings.json")
    answer = desk.install()
    assert answer.code == 1 and "leads back to itself" in answer.err


@pytest.mark.parametrize("kind", ["device", "fifo", "folder"])
def test_no_file_at_all(kind: str, desk: Desk) -> None:
    """A device, a FIFO, a folder: refused at once."""
    desk.settings.parent.mkdir()
    if kind == "device":
        desk.settings.symlink_to("/dev/null")
    elif kind == "fifo":
        os.mkfifo(desk.settings)
    else:
        desk.settings.mkdir()
    started = time.monotonic()
    assert desk.install().code == 1
    assert desk.uninstall().code == 1
    assert time.monotonic() - started < 5
    assert [path.name for path in desk.settings.parent.iterdir()] == ["settings.json"]


def test_hard_link(desk: Desk) -> None:
    """The content is right, and that the other name keeps the old one is said."""
    path = desk.write('{"a": 1}')
    os.link(path, desk.home / "other")
    answer = desk.install()
    assert answer.code == 0 and "1 other name (hard links)" in answer.out
    assert is_ours(data(path.read_bytes())["statusLine"])
    assert (desk.home / "other").read_text() == '{"a": 1}'


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_mode(mode: int, desk: Desk) -> None:
    """The mode stays."""
    desk.write("{}").chmod(mode)
    assert desk.install().code == 0
    assert stat.S_IMODE(desk.settings.stat().st_mode) == mode
    assert desk.uninstall().code == 0
    assert stat.S_IMODE(desk.settings.stat().st_mode) == mode


def test_read_only_file(desk: Desk) -> None:
    """A file marked read-only is written with consent only."""
    desk.write("{}").chmod(0o400)
    answer = desk.install()
    assert answer.code == 1 and "--force" in answer.err and desk.settings.read_text() == "{}"
    assert desk.install("--force").code == 0
    assert stat.S_IMODE(desk.settings.stat().st_mode) == 0o400
    assert desk.uninstall().code == 1
    assert desk.uninstall("--force").code == 0
    assert desk.settings.read_text() == "{}"


@pytest.mark.skipif(not ROOT, reason="only root can give a file away")
def test_other_owner(desk: Desk) -> None:
    """Another user's file is refused."""
    os.chown(desk.write("{}"), 65534, 65534)
    answer = desk.install()
    assert answer.code == 1 and "another user" in answer.err and desk.settings.read_text() == "{}"


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_read_only_folder(number: int, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that cannot be written: one line, the file intact."""
    path = desk.write('{"a": 1}')
    real = os.open

    def refuse(name: str, flags: int, *rest: int, **more: Any) -> int:
        if flags & os.O_CREAT and str(name).startswith(str(path.parent)):
            raise OSError(number, os.strerror(number), name)
        return real(name, flags, *rest, **more)

    monkeypatch.setattr(files.os, "open", refuse)
    answer = desk.install()
    assert answer.code == 1 and os.strerror(number).lower() in answer.err.splitlines()[0].lower()
    assert desk.files() == {".claude": None, ".claude/settings.json": b'{"a": 1}'}


@pytest.mark.skipif(ROOT or not POSIX, reason="root may write everywhere")
def test_really_read_only_folder(desk: Desk) -> None:
    """The same, with the system's own refusal."""
    path = desk.write('{"a": 1}')
    path.parent.chmod(0o555)
    try:
        assert desk.install().code == 1
    finally:
        path.parent.chmod(0o755)
    assert desk.files() == {".claude": None, ".claude/settings.json": b'{"a": 1}'}


def in_child(work: Callable[[], None]) -> int:
    """How a fork of this process that does some work ended: its status, or minus the signal."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except Refused:
            code = 3
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.skipif(not POSIX, reason="limits of POSIX")
@pytest.mark.parametrize("limit", [0, 5, 40, 200])
def test_full_disk(limit: int, tmp_path: Path) -> None:
    """No room: the old file intact, no temporary file left."""
    path = tmp_path / "settings.json"
    path.write_text('{"a": "' + "x" * 300 + '"}')
    before = path.read_bytes()

    def work() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        install(str(path), Wanted(COMMAND), Record(str(tmp_path / "record")), Rewriting(backup=True))

    assert in_child(work) == 3
    assert path.read_bytes() == before
    assert [left.name for left in tmp_path.rglob("*") if left.is_file()] == ["settings.json"]


STEPS = ("open", "write", "fsync", "close", "replace", "rename", "link", "unlink", "mkdir", "fchmod", "fchown")


@pytest.mark.skipif(not POSIX, reason="signals of POSIX")
@pytest.mark.parametrize("exchanged", [True, False])
@pytest.mark.parametrize("way", ["install", "uninstall"])
def test_killed_at_any_moment(exchanged: bool, way: str, tmp_path: Path) -> None:
    """Killed before each of its calls in turn: the file is the old one or the new one, and the next try succeeds."""
    from ohud.host.installation import uninstall

    path, record = tmp_path / "settings.json", Record(str(tmp_path / "record"))
    old = b'{"statusLine": {"type": "command", "command": "other"}, "a": 1}'
    path.write_bytes(old)
    wanted = Wanted(COMMAND, replace=True)
    install(str(path), wanted, record, Rewriting())
    new = path.read_bytes()
    number, ended = 0, -signal.SIGKILL
    while ended == -signal.SIGKILL:
        number += 1
        assert number < 300
        shutil.rmtree(tmp_path / "record", ignore_errors=True)
        path.write_bytes(old)
        if way == "uninstall":
            install(str(path), wanted, record, Rewriting())

        def work(left: int = number) -> None:
            count = left

            def counted(real: Callable[..., Any]) -> Callable[..., Any]:
                def call(*words: Any, **named: Any) -> Any:
                    nonlocal count
                    count -= 1
                    if count == 0:
                        os.kill(os.getpid(), signal.SIGKILL)
                    return real(*words, **named)

                return call

            for step in STEPS:
                setattr(os, step, counted(getattr(os, step)))
            files._exchange = counted(files._exchange if exchanged else lambda one, other: False)
            if way == "install":
                install(str(path), wanted, record, Rewriting(backup=True))
            else:
                uninstall(str(path), record, Rewriting(backup=True))

        ended = in_child(work)
        assert path.read_bytes() in (old, new), number
    assert ended == 0 and number > 20
    # What was left behind is taken away once it is old.
    for left in tmp_path.glob(".*.tmp"):
        os.utime(left, (0, 0))
    install(str(path), Wanted(COMMAND, padding=1, replace=True), record, Rewriting())
    assert not list(tmp_path.glob(".*.tmp"))


def test_changed_between_look_and_replacement(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes into the file in the last moment is seen, and is the ground for the next try."""
    path = desk.write('{"a": 1}')
    real, left = files.unchanged, [2]

    def meanwhile(name: str, seen: files.Seen) -> bool:
        if left[0] and name == str(path):
            left[0] -= 1
            path.write_text(json.dumps({"a": 2 + left[0]}))
        return real(name, seen)

    monkeypatch.setattr(replace, "unchanged", meanwhile)
    assert desk.install().code == 0
    assert data(path.read_bytes())["a"] == 2 and is_ours(data(path.read_bytes())["statusLine"])


def test_changed_without_end(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that changes each time is left to the other one after four tries."""
    path = desk.write('{"a": 0}')
    real, tries = files.unchanged, [0]

    def meanwhile(name: str, seen: files.Seen) -> bool:
        if name == str(path):
            tries[0] += 1
            path.write_text(json.dumps({"a": tries[0]}))
        return real(name, seen)

    monkeypatch.setattr(replace, "unchanged", meanwhile)
    answer = desk.install()
    assert answer.code == 1 and "keeps changing" in answer.err
    assert tries == [4] and path.read_text() == '{"a": 4}'
    assert list(desk.files()) == [".claude", ".claude/settings.json"]


@pytest.mark.parametrize("exchanged", [True, False])
@pytest.mark.parametrize("way", ["into the old file", "a new file"])
def test_changed_after_the_last_look(exchanged: bool, way: str, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that begins before the replacement and ends after it is brought in."""
    if way == "a new file" and (not exchanged or not sys.platform.startswith(("linux", "darwin"))):
        pytest.skip("only where files can be exchanged")
    path = desk.write('{"a": 1}')
    real, done = replace.place, [False]
    if not exchanged:
        monkeypatch.setattr(files, "_exchange", lambda one, other: False)

    def overtaken(temporary: str, name: str, seen: files.Seen, left: files.Leftovers) -> bool:
        if done[0] or name != str(path):
            return real(temporary, name, seen, left)
        done[0] = True
        if way == "a new file":
            other = path.with_name("other")
            other.write_text('{"a": 2}')
            other.rename(path)
            return real(temporary, name, seen, left)
        with path.open("w") as late:
            late.write('{"a"')
            late.flush()
            placed = real(temporary, name, seen, left)
            late.write(": 2}")
        return placed

    monkeypatch.setattr(replace, "place", overtaken)
    assert desk.install().code == 0
    found = data(path.read_bytes())
    assert found["a"] == 2 and is_ours(found["statusLine"])
    assert desk.uninstall().code == 0
    assert path.read_text() == '{"a": 2}'


def test_torn_for_a_moment(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file caught half-written, or just emptied, is read again."""
    path = desk.write('{"a": 1, "b')
    pieces = [b"", b'{"a": 1, "b": 2}']
    monkeypatch.setattr(replace.time, "sleep", lambda _: path.write_bytes(pieces.pop(0)) if pieces else None)
    assert desk.install().code == 0
    assert data(path.read_bytes())["b"] == 2


@pytest.mark.skipif(not POSIX, reason="forks")
def test_twenty_at_once(tmp_path: Path) -> None:
    """Twenty installers at the same time: one entry, valid JSON, no foreign key lost."""
    path = tmp_path / "settings.json"
    path.write_text('{"a": 1}')
    children = []
    for number in range(20):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                record = Record(str(tmp_path / "record"))
                with replace.locked(str(tmp_path / "record")):
                    wanted = Wanted(COMMAND, refresh=number + 1)
                    install(str(path), wanted, record, Rewriting(backup=True))
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * 20
    assert path.read_text().count("statusLine") == 1
    assert data(path.read_bytes())["a"] == 1
    from ohud.host.installation import uninstall

    uninstall(str(path), Record(str(tmp_path / "record")), Rewriting(backup=True))
    assert path.read_text() == '{"a": 1}'


def test_uninstall_without_install(desk: Desk) -> None:
    """Nothing there, or nothing of ohud's: nothing changes, twice."""
    for _ in range(2):
        assert desk.uninstall().code == 0
        assert desk.files() == {}
    raw = content(next(entry for entry in FILES if entry["file"] == "statusline-other.json"))
    desk.write(raw)
    for _ in range(2):
        assert desk.uninstall().code == 0
        assert desk.files()[".claude/settings.json"] == raw


def test_backup_there_already(desk: Desk) -> None:
    """No backup is ever written over, or through a link."""
    victim = desk.home / "victim"
    victim.write_text("precious")
    path = desk.write('{"a": 1}')
    folder = path.parent
    (folder / "settings.json.bak").write_text("somebody's")
    (folder / "settings.json.ohud-1.bak").symlink_to(victim)
    (folder / "settings.json.ohud-2.bak").symlink_to(folder / "not-there")
    (folder / "settings.json.ohud-3.bak").write_text("an older one")
    answer = desk.install()
    assert answer.code == 0 and "settings.json.ohud-4.bak" in answer.out
    kept = folder / "settings.json.ohud-4.bak"
    assert kept.read_text() == '{"a": 1}' and stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert victim.read_text() == "precious" and not (folder / "not-there").exists()
    assert (folder / "settings.json.ohud-3.bak").read_text() == "an older one"
    assert desk.uninstall().code == 0
    assert not kept.exists() and (folder / "settings.json.ohud-3.bak").read_text() == "an older one"


def test_other_config_folder(desk: Desk) -> None:
    """CLAUDE_CONFIG_DIR is used in place of ~/.claude."""
    other = desk.root / "elsewhere"
    desk.env["CLAUDE_CONFIG_DIR"] = str(other)
    assert desk.install().code == 0
    assert is_ours(data((other / "settings.json").read_bytes())["statusLine"])
    assert desk.files() == {}
    assert desk.uninstall().code == 0
    assert not other.exists()


@pytest.mark.parametrize("home", ["", "relative", "/", "/not/there"])
def test_odd_home(home: str, desk: Desk) -> None:
    """A home that is none is refused; nothing is written anywhere."""
    answer = desk.install(env={"HOME": home})
    assert answer.code == 1 and "HOME" in answer.err
    assert list(desk.project.iterdir()) == [] and desk.files() == {}
    assert desk.install(env={"HOME": home, "CLAUDE_CONFIG_DIR": "relative"}).code == 1
    assert list(desk.project.iterdir()) == []


@pytest.mark.skipif(not POSIX, reason="the user database of POSIX")
def test_home_not_set(desk: Desk) -> None:
    """Without HOME the user database says where home is, as it does for the host."""
    import pwd

    world = World({})
    assert host_settings.config_dir(world) == os.path.join(pwd.getpwuid(os.geteuid()).pw_dir, ".claude")


def test_project_settings(desk: Desk) -> None:
    """A project's line is not touched by a user's install, and that it wins is said."""
    path = desk.project / ".claude" / "settings.json"
    path.parent.mkdir()
    raw = b'{"statusLine": {"type": "command", "command": "theirs"}}'
    path.write_bytes(raw)
    answer = desk.install()
    assert answer.code == 0 and f"the status line of {path} wins" in answer.out
    assert path.read_bytes() == raw


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ({"statusLine": {"type": "command", "command": "theirs"}}, "wins"),
        ({"disableAllHooks": True}, "turns every status line off"),
        ({"allowManagedHooksOnly": True}, "lets only the administrator's status line run"),
    ],
)
def test_managed_settings(policy: dict[str, Any], said: str, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The administrator's settings are never written; what they rule is said."""
    folder = desk.root / "managed"
    folder.mkdir()
    path = folder / "managed-settings.json"
    path.write_text(json.dumps(policy))
    before = path.read_bytes()
    monkeypatch.setattr(host_settings, "managed_folder", lambda: str(folder))
    answer = desk.install()
    assert answer.code == 0 and said in answer.out and str(path) in answer.out
    assert path.read_bytes() == before


# The paths.


def rows(shell: str) -> list[Any]:
    """Paths for a shell, as parameters."""
    return [
        pytest.param(row["path"], id=str(number)) for number, row in enumerate(PATHS) if row["shell"].startswith(shell)
    ]


@pytest.mark.skipif(not POSIX, reason="a POSIX shell")
@pytest.mark.parametrize("path", rows("sh -c"))
@pytest.mark.parametrize("shell", ["sh", "bash", "dash"])
def test_posix_path(path: str, shell: str, tmp_path: Path) -> None:
    """A real shell starts exactly that file, with exactly these words, and nothing else."""
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"there is no {shell}")
    program = Path(str(tmp_path / "root") + path)
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\nprintf "%s\\0" "$0" "$@"\n')
    program.chmod(0o755)
    cwd = tmp_path / "cwd"
    cwd.mkdir()
    line = json.loads(json.dumps(quote([str(program), "-I", "-S", str(program)], "posix")))
    ran = subprocess.run([found, "-c", line], cwd=cwd, capture_output=True, check=False, timeout=20)
    assert ran.stdout.decode().split("\0")[:-1] == [str(program), "-I", "-S", str(program)]
    assert ran.returncode == 0 and ran.stderr == b"" and list(cwd.iterdir()) == []


@pytest.mark.parametrize("path", rows("Git Bash"))
def test_git_bash_path(path: str) -> None:
    """Forward slashes in single quotes, which a real bash takes as one word."""
    line = quote([path, "-I", path], "git-bash")
    word = path.replace("\\", "/")
    assert "\\" not in line.replace("'\\''", "") and line.startswith("'")
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    ran = subprocess.run([bash, "-c", "printf '%s\\0' " + line], capture_output=True, check=True, timeout=20)
    assert ran.stdout.decode().split("\0")[:-1] == [word, "-I", word]


@pytest.mark.parametrize("path", rows("powershell"))
def test_powershell_path(path: str) -> None:
    """A path without spaces and signs goes as it is; of another one the short name; else it is refused."""
    plain = all(character.isalnum() or character in "\\:._-" for character in path)
    if plain:
        assert quote([path, "-I"], "powershell") == path.replace("\\", "/") + " -I"
        return
    with pytest.raises(Refused, match="PowerShell"):
        quote([path], "powershell")
    world = World({"CLAUDE_CODE_GIT_BASH_PATH": "C:\\not\\there"})
    short = command_line([path, "-I"], world, "win32", lambda _: "C:\\SHORT~1\\ohud.exe")
    assert short == "C:/SHORT~1/ohud.exe -I"
    with pytest.raises(Refused, match="PowerShell"):
        command_line([path], world, "win32", lambda name: name)


@pytest.mark.parametrize("row", [pytest.param(row, id=str(number)) for number, row in enumerate(PATHS)])
def test_path_is_known_again(row: dict[str, str]) -> None:
    """A command line that ohud has written is known as its own, whatever the path."""
    script = row["path"].rpartition("/" if row["os"] == "posix" else "\\")[0] + "/site-packages/ohud/hot.py"
    python = row["path"].replace("ohud.exe", "python.exe").replace("/ohud", "/python3")
    if "powershell" not in row["shell"]:
        assert ours(quote([python, "-I", "-S", script], "git-bash" if row["os"] == "windows" else "posix"))


def test_hostile_path_cannot_be_written() -> None:
    """A path that is not Unicode is refused: no settings file could hold it."""
    with pytest.raises(Refused):
        quote(["/home/\udcff/ohud"], "posix")


def test_the_projects_own_files_are_not_named() -> None:
    """The command line names absolute paths only."""
    assert COMMAND.endswith(str(REPOSITORY / "ohud" / "hot.py"))
