"""
Whether a refresh stays as quick when its session has grown: `python tests/bench/growth.py`.

`classic` with every line on, once on a transcript of one recorded session and once on the same session many times over
(700 MB), in turn; then after 20,000 lines have been appended between two refreshes. Prints milliseconds and ratios.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from bench import EVERY_LINE, PAYLOAD, run
from launch import REPOSITORY, STATUS_LINE
from session import Session, at_home, captured, repository

RECORDED = REPOSITORY / "tests" / "data" / "transcripts"
APPENDED = 20_000


def block() -> bytes:
    """The largest recorded transcript."""
    return max(RECORDED.rglob("*.jsonl"), key=lambda path: path.stat().st_size).read_bytes()


def main() -> None:
    """Measures and prints."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    options.add_argument("--megabytes", type=int, default=700, help="size of the large transcript (default 700)")
    options.add_argument("--runs", type=int, default=40, help="turns of each refresh (default 40)")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        home = Session(root)
        config = root / "every.toml"
        config.write_text(EVERY_LINE)
        env = home.env(OHUD_CONFIG=str(config), COLUMNS="140", LINES="40")
        data = json.loads(at_home(captured()[PAYLOAD], home.home))
        repository(Path(data["cwd"]))
        small, large = root / "small.jsonl", root / "large.jsonl"
        unit = block()
        small.write_bytes(unit)
        with large.open("wb") as file:
            for _ in range(given.megabytes * 1_000_000 // len(unit) + 1):
                file.write(unit)

        def refresh(transcript: Path) -> float:
            payload = json.dumps({**data, "transcript_path": str(transcript)}).encode() + b"\n"
            took, code = run(STATUS_LINE, env, payload)
            assert code == 0, code
            return took

        for _ in range(6):
            refresh(small)
            time.sleep(0.2)
        first = refresh(large)
        began = time.monotonic()
        looks = 1
        while not complete(home, large) and looks < 200:
            time.sleep(0.3)
            refresh(large)
            looks += 1
        print(f"first look at {given.megabytes} MB: {first:.1f} ms; complete after {looks} refreshes", end="")
        print(f" and {time.monotonic() - began:.1f} s")
        pairs = [(refresh(small), refresh(large)) for _ in range(given.runs)]
        report("large to small", [pair[1] for pair in pairs], [pair[0] for pair in pairs])
        grown, still = [], []
        for _ in range(max(given.runs // 8, 3)):
            still.append(refresh(small))
            with large.open("ab") as file:
                lines = 0
                while lines < APPENDED:
                    file.write(unit)
                    lines += unit.count(b"\n")
            grown.append(refresh(large))
            time.sleep(3)
        report(f"{APPENDED:,} lines appended to none", grown, still)


def complete(home: Session, transcript: Path) -> bool:
    """Whether the kept state has come to the end of the transcript."""
    kept = [path.read_bytes() for path in (home.cache / "ohud").glob("journal-*.json")]
    return any(f'"offset":{transcript.stat().st_size}'.encode() in state.replace(b": ", b":") for state in kept)


def report(what: str, one: list[float], other: list[float]) -> None:
    """Median and least of two series, and their ratios."""
    medians = statistics.median(one), statistics.median(other)
    print(f"{what}: median {medians[0]:.1f} / {medians[1]:.1f} ms = {medians[0] / medians[1]:.2f}", end="")
    print(f", least {min(one):.1f} / {min(other):.1f} ms = {min(one) / min(other):.2f}")


if __name__ == "__main__":
    main()
