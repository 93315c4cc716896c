"""Calls a command of `ohud` inside this process, with surroundings of its own."""

import io
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from ohud.cli import run
from ohud.run.world import system  # type: ignore[attr-defined,unused-ignore]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command said, and its exit status."""

    code: int
    out: str
    err: str


def call(folder: Path, *words: str, env: Mapping[str, str] | None = None, stdin: bytes = b"") -> Answer:
    """
    The answer of one command, as on a fresh machine whose home is `folder`/home.

    Takes:  env: variables over the plain ones; the clock stands at 2026-11-30 12:00:00 UTC
    """
    home = folder / "home"
    home.mkdir(exist_ok=True)
    variables = {
        "HOME": str(home),
        "PATH": "/usr/bin:/bin",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "OHUD_NOW": "1796040000",
        **(env or {}),
    }
    out, err = _stream(), _stream()
    with _variables(variables), _stdin(folder, stdin), redirect_stdout(out), redirect_stderr(err):
        code = run(list(words))
    return Answer(code, _text(out), _text(err))


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


@contextmanager
def _variables(variables: Mapping[str, str]) -> Iterator[None]:
    """The environment replaced: for `os`, and for the world, which reads the system's own table."""
    raw = {name.encode(): value.encode() for name, value in variables.items()}
    with mock.patch.dict("os.environ", variables, clear=True), mock.patch.dict(system.environ, raw, clear=True):
        yield


@contextmanager
def _stdin(folder: Path, data: bytes) -> Iterator[None]:
    path = folder / "stdin"
    path.write_bytes(data)
    with path.open("r", encoding="utf-8", errors="replace") as file, mock.patch.object(sys, "stdin", file):
        yield
