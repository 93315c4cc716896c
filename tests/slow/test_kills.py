"""Refreshes that the host starts in heaps and ends half-way: nothing damaged, nothing left running, nothing wrong."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

import pytest
from launch import STATUS_LINE
from session import Session

from ohud.theme import fieldset

pytestmark = [
    pytest.mark.skipif(shutil.which("git") is None, reason="there is no git on this machine"),
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="what is left running is looked up in /proc"),
]
AT_ONCE = 20
REPLIES = "computed.transcript.messages"
CONFIG = """
template = "[{{ branch }}] {{ untracked }} {{ added }} {{ replies }} end"
[segments]
branch = "computed.git.branch"
untracked = { value = "computed.git.untracked", default = "-" }
added = { value = "computed.git.lines_added", default = "-" }
replies = { value = "%s", default = "-" }
[git]
refresh_s = 0.1
timeout_ms = 10000
"""
LINE = re.compile(r"\[main\] (-|\d+) (-|\d+) (-|\d+) end\n")


class Storm:
    """A session in a repository that changes all the time, and its refreshes."""

    def __init__(self, root: Path) -> None:
        self.session = Session(root)
        replies = REPLIES if "messages" in fieldset.catalogue().get("transcript", {}) else "`0`"
        self.counted = replies == REPLIES
        self.session.configure(CONFIG % replies)
        self.tree = root / "tree"
        self.tree.mkdir()
        for words in ("init -q -b main", "commit -q --allow-empty -m first"):
            self._git(*words.split())
        (self.tree / "counted").write_text("")
        self._git("add", "counted")
        self._git("commit", "-q", "-m", "counted")
        self.transcript = root / "transcript.jsonl"
        self.payload = root / "payload.json"
        self.payload.write_text(json.dumps({"cwd": str(self.tree), "transcript_path": str(self.transcript)}))
        self.number = self.ended = 0
        # Compiled first: else the first rounds only kill the compiler.
        read(self.refresh().stdout)

    def _git(self, *words: str) -> None:
        identity = ["-c", "user.name=Dev", "-c", "user.email=d@e.invalid"]
        subprocess.run(["git", *identity, *words], cwd=self.tree, env=self.session.env(), check=True)

    def change(self) -> None:
        """One more untracked file, added line and reply."""
        self.number += 1
        (self.tree / f"new {self.number}").write_text("")
        with (self.tree / "counted").open("a") as file:
            file.write("line\n")
        message = {"id": f"msg_{self.number}", "role": "assistant", "model": "claude-opus-4-6", "content": []}
        message["usage"] = {"input_tokens": 1, "output_tokens": 1}
        with self.transcript.open("a") as file:
            file.write(json.dumps({"type": "assistant", "uuid": str(self.number), "message": message}) + "\n")

    def refresh(self) -> "subprocess.Popen[bytes]":
        """One refresh in a group of its own, still running."""
        with self.payload.open("rb") as given:
            return subprocess.Popen(
                STATUS_LINE,
                stdin=given,
                stdout=subprocess.PIPE,
                env=self.session.env(TERM="dumb", COLORTERM=None),
                start_new_session=True,
            )

    def round(self, chance: random.Random) -> None:
        """Many refreshes at once; each is ended at some moment, and what has come of it is no lie."""
        running = []
        ends: list[tuple[float, int]] = []
        while len(running) < AT_ONCE or ends:
            if len(running) < AT_ONCE:
                running.append(self.refresh())
                ends.append((time.monotonic() + chance.uniform(0, 0.2), running[-1].pid))
            else:
                time.sleep(0.001)
            for end in [end for end in ends if end[0] <= time.monotonic()]:
                ends.remove(end)
                # Nobody has waited for it yet, so the number is still its own.
                os.killpg(end[1], signal.SIGTERM)
        for process in running:
            out = read(process.stdout)
            process.wait(5)
            assert process.returncode in (0, -signal.SIGTERM)
            self.ended += process.returncode != 0
            if out:
                self.check(out)

    def check(self, out: str) -> None:
        """Figures of the past or the present, never others."""
        found = LINE.fullmatch(out)
        assert found, out
        assert all(figure == "-" or int(figure) <= self.number for figure in found.groups()), out

    def processes(self) -> list[int]:
        """Everything that still runs for this session, known by its environment; git's holds the home alone."""
        mark = f"HOME={self.session.home}\0".encode()
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if mark in (folder / "environ").read_bytes():
                    found.append(int(folder.name))
        return found

    def settle(self) -> None:
        """Nothing runs any more, and all that is in the cache is whole."""
        end = time.monotonic() + 10
        while self.processes():
            assert time.monotonic() < end, self.processes()
            time.sleep(0.02)
        for path in (self.session.cache / "ohud").iterdir():
            # What a refresh was writing when it was ended may be left unfinished, never what a refresher was.
            assert not path.name.startswith(".slow-"), path
            if path.name.startswith("slow-") and path.suffix == ".json":
                assert set(json.loads(path.read_bytes())) == {"value", "at", "tried", "failed"}


def read(stream: "IO[bytes] | None") -> str:
    """All of a stream, then closed."""
    assert stream is not None
    with stream:
        return stream.read().decode()


@pytest.mark.parametrize("rounds", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_twenty_at_once_each_killed(rounds: int, tmp_path: Path) -> None:
    """After however many such rounds the state is whole, no process is left, and the next figures are right."""
    storm = Storm(tmp_path)
    chance = random.Random(rounds)
    for number in range(rounds):
        storm.change()
        storm.round(chance)
        if number % 10 == 9:
            storm.settle()
    expected = f"[main] {storm.number} {storm.number} {storm.number if storm.counted else 0} end\n"
    lines = []
    for _ in range(40):
        lines.append(read(storm.refresh().stdout))
        if lines[-1] == expected:
            break
        time.sleep(0.05)
    assert lines[-1] == expected
    assert {read(storm.refresh().stdout) for _ in range(5)} == {expected}
    storm.settle()
    # Some ended by themselves, some half-way: else nothing is proved.
    print(f"{storm.ended} of {rounds * AT_ONCE} refreshes were ended half-way")
    assert 0 < storm.ended < rounds * AT_ONCE
