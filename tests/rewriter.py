"""A program that keeps rewriting a settings file as the host does, and knows what it wrote last."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

# Keeps what others have put into the file, never waits for anybody; WAY: in place (as the host does) or by a rename.
_WRITE = """
import json, os, random, select, sys, time
path, way, seed, longest = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
chance = random.Random(seed)
mine = {"model": "opus", "count": 0, "words": []}
def write():
    try:
        with open(path) as file:
            known = json.load(file)
    except (OSError, ValueError):
        known = {}
    mine["count"] += 1
    mine["words"] = [chance.random() for _ in range(chance.randrange(40))]
    raw = json.dumps({**known, **mine}, indent=2).encode() + b"\\n"
    where = path if way == "in place" else path + ".new"
    handle = os.open(where, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    half = chance.randrange(len(raw))
    os.write(handle, raw[:half])
    if chance.random() < 0.3:
        time.sleep(chance.random() * 0.004)
    os.write(handle, raw[half:])
    os.close(handle)
    if where != path:
        os.rename(where, path)
write()
print(json.dumps(mine), flush=True)
while True:
    if select.select([0], [], [], chance.random() * longest)[0]:
        if not os.read(0, 1):
            break
        print(json.dumps(mine), flush=True)
        if not os.read(0, 1):
            break
    write()
"""


class Rewriter:
    """The running program; what it wrote is its own, whoever changes the file at the same time."""

    def __init__(self, path: Path, way: str, seed: int, longest_s: float = 0.02) -> None:
        words = [sys.executable, "-I", "-S", "-c", _WRITE, str(path), way, str(seed), str(longest_s)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._answer()

    def paused(self) -> dict[str, Any]:
        """What it has written last; it writes nothing more until `resume`."""
        self._say()
        return self._answer()

    def resume(self) -> None:
        """Has it go on."""
        self._say()

    def close(self) -> None:
        """Ends it."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()

    def _say(self) -> None:
        assert self._process.stdin
        self._process.stdin.write(b"\n")
        self._process.stdin.flush()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        return found
