"""`ohud eval`."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import call
from launch import COMMAND_LINE, REPOSITORY

PAYLOAD = {
    "session_name": "a\x1b[31mb\nc",
    "model": {"id": "claude-opus-4-6", "display_name": "Opus 4.6"},
    "cost": {"total_cost_usd": 0.25},
    "fast_mode": False,
    "computed": {"model": {"name": "forged"}},
    "names": ["ä", "日本"],
}
RAW = json.dumps(PAYLOAD).encode()


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("model.display_name", "Opus 4.6"),
        ("computed.model.name", "Opus 4.6"),
        ("[computed.cost.usd, fast_mode, nope, names]", [0.25, False, None, ["ä", "日本"]]),
        ("computed.{m: model.id, n: now}", {"m": "claude-opus-4-6", "n": 1796040000}),
        ("length(names)", 2),
        ("nope.nope", None),
    ],
)
def test_value(expression: str, value: object, tmp_path: Path) -> None:
    """The value is printed as JSON, null for what is not there."""
    answer = call(tmp_path, "eval", expression, stdin=RAW)
    assert (answer.code, answer.err) == (0, "")
    assert json.loads(answer.out) == value


def test_text_is_as_themes_see_it(tmp_path: Path) -> None:
    """Values are cleaned, and letters are not escaped."""
    assert json.loads(call(tmp_path, "eval", "session_name", stdin=RAW).out) == "ab c"
    assert call(tmp_path, "eval", "names", stdin=RAW).out == '["ä", "日本"]\n'


def test_payload_from_a_file(tmp_path: Path) -> None:
    """`--payload` reads a file in place of standard input."""
    (tmp_path / "p.json").write_bytes(RAW)
    assert call(tmp_path, "eval", "model.id", "--payload", str(tmp_path / "p.json")).out == '"claude-opus-4-6"\n'
    answer = call(tmp_path, "eval", "model.id", "--payload", str(tmp_path / "none.json"))
    assert answer.code == 2 and "none.json" in answer.err


@pytest.mark.parametrize(
    ("expression", "place", "caret"),
    [
        ("lenght(names)", "expression:1:1", "^^^^^^"),
        ("model.\n  id.[", "expression:2:", "^"),
        ("a ==", "expression", ""),
    ],
)
def test_bad_expression(expression: str, place: str, caret: str, tmp_path: Path) -> None:
    """A bad expression is wrong use: the place, the excerpt and the hint."""
    answer = call(tmp_path, "eval", expression, stdin=RAW)
    assert (answer.code, answer.out) == (2, "")
    assert "error[segment-path]" in answer.err and place in answer.err and caret in answer.err


def test_too_long_expression(tmp_path: Path) -> None:
    """The limits of themes hold here too: what works here works there."""
    answer = call(tmp_path, "eval", "a" * 600, stdin=RAW)
    assert answer.code == 2 and "512" in answer.err


def test_failing_expression(tmp_path: Path) -> None:
    """An expression that fails on this payload: null, the reason on stderr, exit 1."""
    answer = call(tmp_path, "eval", "abs(model.id)", stdin=RAW)
    assert (answer.code, answer.out) == (1, "null\n")
    assert "abs" in answer.err


@pytest.mark.parametrize("raw", [b"", b"[1, 2]", b"{", b"x" * 300000])
def test_no_payload(raw: bytes, tmp_path: Path) -> None:
    """Without a payload the rest of the document is still there, and stderr says what was missing."""
    answer = call(tmp_path, "eval", "[computed.now, model]", stdin=raw)
    assert (answer.code, answer.out) == (0, "[1796040000, null]\n")
    assert "as good as no payload" in answer.err


def test_the_config_counts(tmp_path: Path) -> None:
    """Settings of the config reach the document; a config with faults is said and does no harm."""
    path = tmp_path / "config.toml"
    path.write_text("columns = 77\n")
    answer = call(tmp_path, "eval", "computed.terminal.columns", stdin=RAW, env={"OHUD_CONFIG": str(path)})
    assert (answer.out, answer.err) == ("77\n", "")
    path.write_text("columns = \n")
    answer = call(tmp_path, "eval", "model.id", stdin=RAW, env={"OHUD_CONFIG": str(path)})
    assert (answer.code, answer.out) == (0, '"claude-opus-4-6"\n')
    assert "config.toml" in answer.err


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX pipe")
def test_a_writer_that_stays_open(tmp_path: Path) -> None:
    """A whole object is enough: nobody has to close the pipe, and a slow writer is waited for."""
    with subprocess.Popen(
        [*COMMAND_LINE, "eval", "model.id"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=REPOSITORY
    ) as process:
        assert process.stdin and process.stdout
        process.stdin.write(RAW[:40])
        process.stdin.flush()
        time.sleep(0.4)
        process.stdin.write(RAW[40:])
        process.stdin.flush()
        assert process.stdout.read() == b'"claude-opus-4-6"\n'
