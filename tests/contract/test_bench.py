"""The bench that the README names runs and reports on every theme."""

import json
import os
import subprocess
import sys

import pytest
from launch import REPOSITORY
from session import PLAIN_THEMES

BENCH = REPOSITORY / "tests" / "bench" / "bench.py"


@pytest.mark.skipif(not hasattr(os, "posix_spawn"), reason="starts its commands by posix_spawn")
def test_the_bench_reports() -> None:
    """A row for the bare interpreter, each theme asked for and the first run after an edit, each with its ratio."""
    command = [sys.executable, str(BENCH), "--runs", "1", "--json", "--themes", *PLAIN_THEMES]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    rows = {row["name"]: row for row in json.loads(run.stdout)}
    assert {"bare interpreter", "first run after an edit", *PLAIN_THEMES} <= set(rows)
    assert rows["bare interpreter"]["median_ratio"] == 1
    assert all(row["runs"] == 1 and row["least_ms"] > 0 for row in rows.values())
