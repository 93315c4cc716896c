"""
Repositories made to run a stranger's program, to hang a reader or to show what is not theirs to show.

Each script of the folder makes one; `OHUD_ATTACKS` may name another folder with a `git/` of the same form. The real
command of the status line runs in it, with the default theme and with the fields that ask git left out and named, until
git has answered.
"""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from launch import STATUS_LINE, Input, launch
from session import Session, repository

FOLDER = Path(os.environ.get("OHUD_ATTACKS") or Path(__file__).parent) / "git"
SCRIPTS = sorted(FOLDER.glob("[0-9]*.sh"))
# Those in which a plain `git status` runs the program (git 2.39).
FIRE = {"01", "02", "03", "04", "05", "06", "08", "09", "10", "11", "12", "13", "14", "15", "16", "34", "37"}
LIMIT_S = 1.0
FIELDS = "dirty staged modified untracked conflicts ahead behind lines_added lines_removed stashes operation root"
NAMED = "template = '[{{ branch }}] %s'\n[segments]\nbranch = 'computed.git.branch'\n%s" % (
    " ".join("{{ %s }}" % name for name in FIELDS.split()),
    "".join(f"{name} = 'computed.git.{name}'\n" for name in FIELDS.split()),
)
LEFT_OUT = "template = '[{{ branch }}]'\nsegments.branch = 'computed.git.branch'\n"
MODES = {"default": "", "left out": LEFT_OUT, "named": NAMED}

pytestmark = [
    pytest.mark.skipif(shutil.which("git") is None, reason="there is no git on this machine"),
    pytest.mark.skipif(os.name != "posix", reason="the scripts are for a POSIX shell"),
]


@dataclass(frozen=True)
class Trap:
    """A hostile repository: the folders to look from, what to look with, and what must never come into existence."""

    root: Path
    canary: Path

    def folders(self) -> list[Path]:
        """Each folder that a session is to stand in."""
        listed = self._text(".test-cwd").split("\n")
        return [self.root / name for name in listed if name] or [self.root]

    def environments(self, env: dict[str, str]) -> Iterator[dict[str, str]]:
        """The environment as the trap wants it; a planted program is looked for from either end of PATH."""
        env = dict(env)
        for line in self._text(".test-env").splitlines():
            name, _, value = line.partition("=")
            env[name] = value
        prefix = self._text(".test-path-prefix").strip()
        paths = [prefix + env["PATH"], ":" + env["PATH"], env["PATH"] + ":"] if prefix else [env["PATH"]]
        for path in paths:
            yield {**env, "PATH": path}

    def branch(self) -> str | None:
        """What must be shown, where the trap says so."""
        for name in (".expect-branch", ".expect-branch-visible"):
            if (self.root / name).exists():
                return self._text(name).rstrip("\n")
        return None

    def _text(self, name: str) -> str:
        try:
            return (self.root / name).read_text()
        except OSError:
            return ""


@pytest.fixture
def trap(request: pytest.FixtureRequest, tmp_path: Path) -> Trap:
    """The repository that a script makes; making it must not set it off."""
    made = Trap(tmp_path / "trap", tmp_path / "CANARY")
    command = ["sh", str(request.param), str(made.root), str(made.canary)]
    subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=True)
    assert not made.canary.exists()
    return made


@pytest.fixture(scope="module", params=MODES)
def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Session:
    """A user whose theme is compiled already."""
    made = Session(tmp_path_factory.mktemp("user"))
    made.configure(MODES[request.param])
    made.line({"model": {"display_name": "Opus"}})
    return made


def asks(session: Session) -> int | None:
    """How many things the theme asks git; None for the default theme, whose affair that is."""
    return {"": None, LEFT_OUT: 0, NAMED: 2}[(session.conf / "ohud" / "config.toml").read_text()]


def answers(session: Session) -> list[dict[str, Any]]:
    """What git has answered, or its failures."""
    return [json.loads(path.read_text()) for path in (session.cache / "ohud").glob("slow-git_*.json")]


traps = pytest.mark.parametrize("trap", SCRIPTS, ids=lambda path: path.stem, indirect=True)


def running(session: Session) -> bool:
    """Whether a refresher or a git of its own is still at work, where that can be told."""
    mark = f"HOME={session.home}\0".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (folder / "environ").read_bytes():
                return True
    return False


def settle(session: Session) -> None:
    """Waits until nothing of it runs any more; that must come soon after the time that git has."""
    end = time.monotonic() + 5
    while running(session):
        assert time.monotonic() < end, "a refresher does not end"
        time.sleep(0.05)


def refresh(session: Session, folder: Path, env: dict[str, str]) -> str:
    """One refresh as the host starts it: the session's folder is its own as well."""
    payload = {"cwd": str(folder), "workspace": {"current_dir": str(folder)}, "model": {"display_name": "Opus"}}
    outcome = launch(STATUS_LINE, Input(json.dumps(payload).encode()), env, folder)
    assert outcome.code == 0 and not outcome.left_behind, outcome
    assert outcome.took_s <= LIMIT_S, outcome
    assert "SECRET" not in outcome.text + outcome.errors
    assert "Traceback" not in outcome.text + outcome.errors
    return outcome.text


@traps
def test_nothing_runs_and_nothing_hangs(trap: Trap, session: Session) -> None:
    """The program never runs, no refresh takes over a second, and the branch is the one that git would show."""
    expected = trap.branch()
    for folder in trap.folders():
        for env in trap.environments(session.env(COLORTERM=None, TERM="dumb")):
            for path in (session.cache / "ohud").glob("slow-*"):
                path.unlink()
            last = False
            while True:
                line = refresh(session, folder, env)
                if expected is not None:
                    assert ("git:(" if asks(session) is None else "[") + expected in line
                assert ".invalid" not in line
                if last:
                    break
                # Once more when git has answered.
                last = not running(session)
                time.sleep(0 if last else 0.1)
            if expected is not None:
                assert asks(session) in (None, len(answers(session)))
    settle(session)
    time.sleep(0.2)
    assert not trap.canary.exists()


@traps
def test_control(trap: Trap, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """A plain `git status` does set the trap off; without that the test above proves nothing."""
    (tmp_path / "user").mkdir()
    user = Session(tmp_path / "user")
    number = request.node.callspec.id.partition("-")[0]
    if number not in FIRE:
        pytest.skip("not made to run a program in `git status`")
    for folder in trap.folders():
        for env in trap.environments(user.env()):
            with suppress(subprocess.TimeoutExpired):
                command = ["git", "status", "--porcelain"]
                subprocess.run(command, cwd=folder, env=env, capture_output=True, timeout=5, check=False)
    if not trap.canary.exists():
        version = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.strip()
        pytest.skip(f"{version} does not run the program of {number} either")


@pytest.mark.parametrize(
    "script",
    [
        None,
        "exec sleep 300",
        "sleep 300 & sleep 300",
        "trap '' TERM INT HUP; sleep 300; sleep 300",
        "exec yes",
        "exec cat /dev/zero",
        "exit 128",
    ],
)
def test_git_that_is_missing_or_misbehaves(script: str | None, session: Session, tmp_path: Path) -> None:
    """The line comes at once all the same, git is not tried again and again, and nothing of it is left running."""
    repository(tmp_path / "tree")
    (tmp_path / "bin").mkdir()
    tried = tmp_path / "tried"
    if script is not None:
        program = tmp_path / "bin" / "git"
        program.write_text(f"#!/bin/sh\necho >> {tried}\n{script}\n")
        program.chmod(0o755)
    rest = "" if script is None else ":/usr/bin:/bin"
    env = session.env(PATH=f"{tmp_path / 'bin'}{rest}", TERM="dumb", COLORTERM=None)
    for path in (session.cache / "ohud").glob("slow-*"):
        path.unlink()
    for _ in range(3):
        line = refresh(session, tmp_path / "tree", env)
        assert "main" in line and "rror" not in line
    settle(session)
    before = tried.read_text() if tried.exists() else ""
    for _ in range(3):
        assert "main" in refresh(session, tmp_path / "tree", env)
    settle(session)
    assert (tried.read_text() if tried.exists() else "") == before
    assert all(answer["value"] is None and answer["failed"] >= 1 for answer in answers(session))
    assert asks(session) in (None, len(answers(session)))


def test_the_folder_has_traps() -> None:
    """A folder that is named but empty is a mistake."""
    assert SCRIPTS, f"no scripts in {FOLDER}"
