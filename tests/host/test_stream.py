"""`ohud stream` with the real host's print mode: the line while it runs, the right report at its end."""

import json
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from host.real import HOST_ENVIRONMENT, PROJECT, Host
from host.terminal import Terminal
from launch import REPOSITORY

pytestmark = pytest.mark.host
OHUD = f"PYTHONPATH={shlex.quote(str(REPOSITORY))} {shlex.quote(sys.executable)} -m ohud"
THEME = {
    "template": "{{ row(model, version, tool) }}\n{{ row(folder, context) }}",
    "segments": {
        "model": "model.id",
        "version": "version",
        "tool": {"value": "computed.activity.tools.running[0].target", "default": "no tool"},
        "folder": "computed.project.name",
        "context": {"value": "context_window.used_percentage", "format": "{{ value | percent }}"},
    },
}
WAYS: dict[str, Callable[[str, str], str]] = {
    "pipe": lambda claude, copy: f"{claude} | tee {copy} | {OHUD} stream --summary",
    "copy": lambda claude, copy: f"{claude} | {OHUD} stream --summary --passthrough >{copy}",
    "command": lambda claude, copy: f"{OHUD} stream --summary --passthrough -- {claude} >{copy}",
}


@pytest.mark.parametrize("partial", [False, True], ids=["whole", "partial"])
@pytest.mark.parametrize("way", WAYS)
def test_print_mode(real_host: Host, tmp_path: Path, way: str, partial: bool) -> None:
    """The line tells what runs while it runs; the report at the end has what the result says."""
    real_host.write_config(**THEME)
    copy = real_host.home / f"stream-{way}-{partial}.ndjson"
    words = [str(real_host._claude), "-p", "slow please", "--output-format", "stream-json", "--verbose"]
    claude = shlex.join(words + ["--include-partial-messages"] * partial) + " </dev/null"
    script = f"{WAYS[way](claude, shlex.quote(str(copy)))}; echo ended with $?; sleep 60"
    pairs = [f"{name}={value}" for name, value in HOST_ENVIRONMENT.items()]
    command = ["env", "-i", "-C", PROJECT, *pairs, "sh", "-c", script]
    raw = real_host.home.parent / f"raw-{time.monotonic_ns()}"
    window = Terminal(real_host._tmux, 120, 30, command, raw)
    try:
        running = window.wait(lambda rows: any("sleep 3" in row for row in rows), 60)
        assert running, "\n".join(window.rows())
        lines = [row for row in window.rows() if row][-2:]
        assert real_host.version in lines[0] and lines[1].startswith("widgets"), window.rows()
        assert window.wait(lambda rows: any("ended with" in row for row in rows), 60), "\n".join(window.rows())
        report(window.rows(), copy, real_host.version)
    finally:
        window.close()


def report(rows: list[str], copy: Path, version: str) -> None:
    """Compares the report with what the stream's last line says."""
    told: dict[str, Any] = json.loads(copy.read_bytes().splitlines()[-1])
    assert told["type"] == "result" and told["is_error"] is False
    start = next(number for number, row in enumerate(rows) if row.startswith("run "))
    assert "no tool" in rows[start - 2] and version in rows[start - 2], rows
    facts = {row[:8].strip(): row[8:].strip() for row in rows[start : rows.index("", start)]}
    assert facts["run"] == "done" and facts["session"] == told["session_id"]
    assert (facts["turns"], facts["cost"]) == (str(told["num_turns"]), f"${told['total_cost_usd']:.4f}")
    (model, used), *_ = told["modelUsage"].items()
    assert facts["model"] == model and facts["tools"] == "Bash 1"
    for name, key in (("input", "inputTokens"), ("output", "outputTokens"), ("cache read", "cacheReadInputTokens")):
        assert f"{name} {used[key]:,}" in facts["tokens"], facts
    assert told["result"] in rows and "ended with 0" in rows
