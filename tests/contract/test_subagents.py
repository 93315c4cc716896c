"""`hot.py subagents` as the host runs it: recorded input, bad input, and the cache."""

import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import screen
from launch import COMMAND_LINE, REPOSITORY, STATUS_LINE, Input, Outcome, launch
from session import LIMIT_S, PLAIN_THEMES, Session, at_home, captured, repository

RECORDED = {
    path.stem: [line.encode() for line in path.read_text("utf-8").splitlines()]
    for path in sorted((REPOSITORY / "tests" / "payloads" / "subagents").glob("*.ndjson"))
}
INPUT = RECORDED["2.1.332"][2]
NO_WIDTH: dict[str, str | None] = {"COLUMNS": None, "LINES": None}


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A user in a git repository."""
    made = Session(tmp_path)
    repository(made.home / "project")
    return made


def run(session: Session, given: "bytes | Input", *options: str, **env: str | None) -> Outcome:
    """One run; it ends in time with status 0 and without a traceback, and prints nothing but rows."""
    python, *rest = STATUS_LINE
    given = given if isinstance(given, Input) else Input(given)
    outcome = launch(
        [python, *options, *rest, "subagents"], given, session.env(**{**NO_WIDTH, **env}), session.home, limit_s=LIMIT_S
    )
    assert outcome.code == 0 and outcome.took_s <= LIMIT_S and not outcome.left_behind, outcome
    assert b"Traceback" not in outcome.out + outcome.err, outcome
    return outcome


def rows(session: Session, given: "bytes | Input", **env: str | None) -> dict[str, str]:
    """Content by id of one run."""
    found = {}
    for line in run(session, given, **env).text.splitlines():
        row = json.loads(line)
        assert list(row) == ["id", "content"]
        found[row["id"]] = row["content"]
    return found


@pytest.mark.parametrize("theme", [None, *PLAIN_THEMES])
@pytest.mark.parametrize("version", RECORDED)
def test_every_recorded_task_has_its_row(version: str, theme: str | None, session: Session) -> None:
    """What the real host has sent is drawn in the width that it gave, also when nothing is configured."""
    if theme:
        session.configure(f'theme = "{theme}"\n')
    for raw in RECORDED[version][::3]:
        payload = json.loads(raw)
        found = rows(session, at_home(raw, session.home))
        assert list(found) == [task["id"] for task in payload["tasks"]]
        for task in payload["tasks"]:
            text = screen.plain(found[task["id"]])
            assert task["label"] in text and screen.cells(text) <= payload["columns"]
            assert screen.faults(found[task["id"]]) == []


KINDS = {
    "empty": Input(b""),
    "closed": Input(kind="closed"),
    "no JSON": Input(b"hello"),
    "half an object": Input(INPUT[:200]),
    "a list": Input(b"[1]"),
    "no tasks": Input(b'{"columns":80,"tasks":[]}'),
    "tasks of another type": Input(b'{"columns":80,"tasks":{"id":"a"}}'),
    "the status line's payload": Input(captured()["2.1.332-main-04-after-tools"]),
    "too large": Input(b'{"tasks":[{"id":"a","label":"' + b"x" * 300_000 + b'"}]}'),
}


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_to_draw_prints_nothing(kind: str, session: Session) -> None:
    """No plain text and no fallback: the host would take it for a faulty row."""
    assert run(session, KINDS[kind]).out == b""


@contextmanager
def held(data: bytes) -> Iterator[Input]:
    """Standard input as a socket that is never closed."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(data)
        yield Input(kind="handle", handle=theirs.fileno())


@pytest.mark.skipif(sys.platform == "win32", reason="hands a socket over")
def test_it_does_not_wait_for_the_end_of_the_input(session: Session) -> None:
    """The whole object is enough, and no object is not waited for."""
    run(session, INPUT)
    with held(INPUT) as given:
        assert len(rows(session, given)) == 3
    with held(b"") as given:
        assert run(session, given).out == b""


def test_line_and_rows_are_compiled_apart(session: Session) -> None:
    """Each has a cached program of its own, written once; a change of the theme reaches both."""
    line = json.dumps({"model": {"display_name": "Opus"}}).encode()
    config = 'template = "line %s"\n[subagents]\ntemplate = "row %s"\n'
    for number in (1, 2):
        session.configure(config % (number, number) + "# " + "x" * number)
        assert set(rows(session, INPUT).values()) == {f"row {number}"}
        assert len(list((session.cache / "ohud").glob("*.json"))) == number
        assert session.line(line) == f"line {number}\n"
        files = {path: path.stat().st_mtime_ns for path in (session.cache / "ohud").glob("*.json")}
        assert len(files) == 2
        run(session, INPUT)
        session.line(line)
        assert {path: path.stat().st_mtime_ns for path in files} == files


def test_the_cache_is_no_source_of_truth(session: Session) -> None:
    """A damaged program is compiled anew."""
    whole = rows(session, INPUT)
    (path,) = (session.cache / "ohud").glob("*.json")
    program = path.read_bytes()
    for damage in (b"", program[:100], b"{}", b"[]", b"\0" * 1000):
        path.write_bytes(damage)
        assert set(rows(session, INPUT)) == set(whole)
        assert path.read_bytes() == program


def test_no_cache_no_difference(session: Session) -> None:
    """Rows are drawn where nothing can be kept."""
    (session.root / "file").write_text("")
    assert len(rows(session, INPUT, XDG_CACHE_HOME=str(session.root / "file"))) == 3


def test_the_theme_of_the_directory(session: Session) -> None:
    """`[projects]` holds for rows as for the line."""
    (session.conf / "ohud" / "themes").mkdir(parents=True)
    theme = session.conf / "ohud" / "themes" / "mine.toml"
    theme.write_text('template = "x"\n[subagents]\ntemplate = "mine {{ task.label }}"\n')
    session.configure(f'[projects."{session.home}/project"]\ntheme = "mine"\n')
    assert all(text.startswith("mine ") for text in rows(session, at_home(INPUT, session.home)).values())
    assert not any(text.startswith("mine ") for text in rows(session, INPUT).values())


def test_a_broken_theme_has_classics_rows(session: Session) -> None:
    """Whatever is wrong with the config, there is a row for each task; the line's notice and `check` say what."""
    ours = rows(session, INPUT, OHUD_NOW="1796037600")
    for text in ("[subagents\n", "template = '{{'\n", "[subagents]\ntemplate = '{% if %}'\n", 'theme = "nowhere"\n'):
        session.configure(text)
        assert rows(session, INPUT, OHUD_NOW="1796037600") == ours
        outcome = session.command("check", str(session.configure(text)))
        assert outcome.code == 1 and outcome.out


def test_faults_are_logged_and_not_printed(session: Session) -> None:
    """A fault in a row costs its part of it; the reason is in the log, once for all tasks."""
    session.configure("[subagents]\ntemplate = '{{ task.label }}{{ task.label + 1 }}'\n")
    outcome = run(session, INPUT)
    assert json.loads(outcome.text.splitlines()[0])["content"] == "Find call sites"
    assert outcome.errors.count("rows of subagents") == 1
    assert "rows of subagents" in (session.cache / "ohud" / "errors.log").read_text()


def test_a_reader_that_has_gone_is_no_error(session: Session) -> None:
    """The host may have given up already."""
    command = [*STATUS_LINE, "subagents"]
    assert launch(command, Input(INPUT), session.env(), session.home, stdout_closed=True).code == 0


def test_the_console_script_draws_the_same(session: Session) -> None:
    """`ohud subagents` is the slow way to the same rows."""
    fast = rows(session, INPUT, OHUD_NOW="1796037600")
    slow = launch([*COMMAND_LINE, "subagents"], Input(INPUT), session.env(OHUD_NOW="1796037600"), REPOSITORY)
    assert slow.code == 0 and {row["id"]: row["content"] for row in map(json.loads, slow.text.splitlines())} == fast


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
def test_a_terminal_is_no_input(session: Session) -> None:
    """Typed by a person, it does not hang."""
    ours, theirs = os.openpty()
    try:
        assert run(session, Input(kind="handle", handle=theirs)).out == b""
    finally:
        os.close(ours)
        os.close(theirs)
