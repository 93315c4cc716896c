"""
What one refresh costs, in milliseconds and in units of the bare interpreter: `python tests/bench/bench.py`.

All commands take turns, so that a busy moment of the machine hits them alike; the median and the least of their
runs are compared with those of `python -I -S -c pass` beside them. Instructions (valgrind) are the same every time.
"""

import argparse
import compileall
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from launch import REPOSITORY
from session import THEMES, Session, at_home, captured, repository, transcript

from ohud.theme.lower import build
from ohud.theme.read import load

PAYLOAD = "2.1.332-main-10-near-200k"
SIZE = 5_000_000
BARE = "bare interpreter"
_SWITCHES = "dirty ahead_behind cost prompt_cache memory environment duration speed tools agents todos"
EVERY_LINE = "[options]\n" + "".join(f"show_{what} = true\n" for what in _SWITCHES.split())


@dataclass
class Contender:
    """One command that is measured, with what happens before each run, and its times so far [ms]."""

    name: str
    command: list[str]
    env: dict[str, str]
    before: Callable[[], object] = lambda: None
    limit: float | None = None
    times_ms: list[float] = field(default_factory=list)

    def row(self, bare: "Contender") -> dict[str, Any]:
        """What is reported of it."""
        median, least = statistics.median(self.times_ms), min(self.times_ms)
        return {
            "name": self.name,
            "runs": len(self.times_ms),
            "median_ms": round(median, 2),
            "least_ms": round(least, 2),
            "median_ratio": round(median / statistics.median(bare.times_ms), 2),
            "least_ratio": round(least / min(bare.times_ms), 2),
            "limit": self.limit,
        }


# Families that read the whole transcript, and the share of the bare interpreter that a theme may cost with or without.
FROM_TRANSCRIPT = {"activity", "transcript", "speed"}
LIMIT, LIMIT_WITH_TRANSCRIPT = 1.5, 1.8


def limit_of(theme: str) -> float:
    """What a shipped theme may cost, in units of the bare interpreter."""
    program = build(load(None, home=None, theme=theme)).program
    families = {family for spec in program["segments"].values() for family in spec.get("needs", ())}
    return LIMIT_WITH_TRANSCRIPT if families & FROM_TRANSCRIPT else LIMIT


def run(command: list[str], env: dict[str, str], payload: bytes) -> tuple[float, int]:
    """Milliseconds and exit status of one run, its input a socket that is closed behind the payload, as by the host."""
    ours, theirs = socket.socketpair()
    ours.sendall(payload)
    ours.close()
    actions = [
        (os.POSIX_SPAWN_DUP2, theirs.fileno(), 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    started = time.perf_counter_ns()
    child = os.posix_spawn(command[0], command, env, file_actions=actions)
    _, status = os.waitpid(child, 0)
    took_ms = (time.perf_counter_ns() - started) / 1e6
    theirs.close()
    return took_ms, os.waitstatus_to_exitcode(status)


def contenders(python: str, root: Path, themes: list[str]) -> tuple[list[Contender], bytes]:
    """The commands to compare, each with a user of its own and a warm cache, and their common payload."""
    home = Session(root)
    host = {"COLUMNS": "120", "LINES": "40"}  # as the host sets them
    data = json.loads(at_home(captured()[PAYLOAD], home.home))
    transcript(Path(data["transcript_path"]), SIZE, data["model"]["id"])
    repository(Path(data["cwd"]))
    hot = [python, "-I", "-S", str(REPOSITORY / "ohud" / "hot.py")]
    found = [Contender(BARE, [python, "-I", "-S", "-c", "pass"], home.env())]
    for theme in themes:
        config = root / f"{theme}.toml"
        config.write_text(f'theme = "{theme}"\n')
        found.append(Contender(theme, hot, home.env(OHUD_CONFIG=str(config), **host), limit=limit_of(theme)))
    every = root / "every.toml"
    every.write_text(EVERY_LINE)
    wide = home.env(OHUD_CONFIG=str(every), **host)
    found.append(Contender("classic, every line", hot, wide, limit=LIMIT_WITH_TRANSCRIPT))
    script = Path(python).parent / "ohud"
    if script.exists():
        found.append(Contender("console script, classic", [str(script)], home.env(**host)))
    edited = root / "edited.toml"
    shutil.copy(REPOSITORY / "themes" / "classic.toml", edited)
    (root / "own.toml").write_text(f"theme = {json.dumps(str(edited))}\n")
    first = Contender("first run after an edit", hot, home.env(OHUD_CONFIG=str(root / "own.toml"), **host))
    first.before = lambda: os.utime(edited, ns=(time.time_ns(), time.time_ns()))
    return [*found, first], json.dumps(data).encode() + b"\n"


def measure(found: list[Contender], payload: bytes, runs: int) -> None:
    """Lets all run in turn; what compiles at each run has a fourth of the turns."""
    for one in found:
        for _ in range(4):
            _, code = run(one.command, one.env, payload)
            if code:
                raise SystemExit(f"{one.name}: exit {code}: {' '.join(one.command)}")
            # Slow facts come in the background.
            time.sleep(0.1)
    for turn in range(runs):
        for one in found:
            if one.name.startswith("first") and turn % 4:
                continue
            one.before()
            one.times_ms.append(run(one.command, one.env, payload)[0])


def instructions(one: Contender, payload: bytes) -> float | None:
    """Millions of instructions of one run, None without valgrind."""
    valgrind = shutil.which("valgrind")
    if not valgrind:
        return None
    # Under valgrind all takes 40 times as long: in a copy of the package the backstop waits for it.
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "ohud"
        shutil.copytree(REPOSITORY / "ohud", package)
        shutil.copytree(REPOSITORY / "themes", Path(folder) / "themes")
        source = package / "run" / "status.py"
        text = source.read_text("utf-8")
        assert "BACKSTOP = 0.25\n" in text
        source.write_text(text.replace("BACKSTOP = 0.25\n", "BACKSTOP = 60.0\n"), "utf-8")
        compileall.compile_dir(package, quiet=2)
        words = [word.replace(str(REPOSITORY), folder) for word in one.command]
        subprocess.run(words, input=payload, env=one.env, capture_output=True)
        one.before()
        return counted(valgrind, words, one.env, payload)


def counted(valgrind: str, words: list[str], env: dict[str, str], payload: bytes) -> float | None:
    """Millions of instructions of one run of a command."""
    command = [valgrind, "--tool=callgrind", f"--callgrind-out-file={os.devnull}", *words]
    said = subprocess.run(command, input=payload, env=env, capture_output=True).stderr.decode("utf-8", "replace")
    found = re.search(r"Collected : (\d+)", said)
    return round(int(found[1]) / 1e6, 1) if found else None


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as text, a column each."""
    heads = {"name": "", "median_ms": "median ms", "least_ms": "least ms", "median_ratio": "x bare", "least_ratio": "x"}
    heads["limit"] = "limit"
    if "instructions_m" in rows[0]:
        heads["instructions_m"] = "M instr."
    widths = {key: max(len(str(line[key])) for line in [heads, *rows]) for key in heads}

    def drawn(line: dict[str, Any]) -> str:
        numbers = (str("" if line[key] is None else line[key]).rjust(widths[key]) for key in heads if key != "name")
        return "  ".join([line["name"].ljust(widths["name"]), *numbers])

    return "\n".join(map(drawn, [heads, *rows]))


def main() -> None:
    """Measures and prints."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    options.add_argument("--runs", type=int, default=60, help="turns of each command (default 60)")
    options.add_argument("--themes", nargs="+", choices=THEMES, default=THEMES, help="only these (default: all)")
    options.add_argument("--python", default=sys.executable, help="the interpreter to measure with")
    options.add_argument("--check", action="store_true", help="exit status 1 when a theme costs more than it may")
    options.add_argument("--json", action="store_true", help="print the rows as JSON")
    options.add_argument("--instructions", action="store_true", help="count instructions too (valgrind)")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found, payload = contenders(os.path.abspath(given.python), Path(folder), given.themes)
        measure(found, payload, given.runs)
        rows = [one.row(found[0]) for one in found]
        if given.instructions:
            for one, row in zip(found, rows, strict=True):
                row["instructions_m"] = instructions(one, payload)
    print(json.dumps(rows, indent=1) if given.json else table(rows))
    over = [row["name"] for row in rows if row["limit"] and row["median_ratio"] > row["limit"]]
    if given.check and over:
        raise SystemExit(f"over the limit: {', '.join(over)}")


if __name__ == "__main__":
    main()
