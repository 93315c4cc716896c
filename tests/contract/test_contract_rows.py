"""What goes out in the bad cases, a test for each: `classic` says what is wrong, `oneline` keeps silent."""

import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import screen
from launch import STATUS_LINE, Input
from session import Session, at_home, captured

THEMES = ("classic", "oneline")
NO_INPUT = {"classic": "ohud: no stdin (setup verification)\n", "oneline": ""}
EMPTY = {"classic": "ohud\n", "oneline": ""}
PAYLOAD = "2.1.332-main-04-after-tools"

posix_only = pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal, sockets or a FIFO")


@pytest.fixture(params=THEMES)
def theme(request: pytest.FixtureRequest) -> str:
    """Each of the two contracts."""
    return str(request.param)


@pytest.fixture
def session(tmp_path: Path, theme: str) -> Session:
    """A user of the theme whose first run is behind them, so that no test waits for the compiler."""
    made = Session(tmp_path)
    made.configure(f'theme = "{theme}"\n')
    made.line(payload(made))
    return made


def payload(session: Session, **changes: Any) -> dict[str, Any]:
    """A recorded payload in the session's home, some of its top-level keys changed."""
    data: dict[str, Any] = json.loads(at_home(captured()[PAYLOAD], session.home))
    return {**data, **changes}


@contextmanager
def held(*steps: tuple[float, bytes]) -> Iterator[Input]:
    """Standard input as the host gives it, a socket: after each pause [s] some bytes, and it is never closed."""
    ours, theirs = socket.socketpair()
    stop = threading.Event()

    def write() -> None:
        for pause_s, data in steps:
            stop.wait(pause_s)
            with suppress(OSError):
                ours.sendall(data)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield Input(kind="handle", handle=theirs.fileno())
    finally:
        stop.set()
        theirs.close()
        ours.close()
        writer.join()


# No input


@posix_only
def test_a_terminal(session: Session, theme: str) -> None:
    """Nobody pipes anything in: the set-up notice, or nothing."""
    ours, theirs = os.openpty()
    try:
        assert session.line(Input(kind="handle", handle=theirs)) == NO_INPUT[theme]
    finally:
        os.close(ours)
        os.close(theirs)


NOT_AN_OBJECT = {
    "empty": b"",
    "a line feed": b"\n",
    "blanks": b" \t\r\n" * 100,
    "an array": b'[{"model": {"id": "x"}}]',
    "a string": b'"{}"',
    "a number": b"12",
    "null": b"null",
    "true": b"true",
    "text": b"hello",
    "half an object": b'{"model": {"id": "x"',
    "an object with a fault": b'{"model": }',
    "single quotes": b"{'model': 1}",
    "UTF-16 without a mark": '{"model": 1}'.encode("utf-16-le"),
    "zeros": bytes(64),
    "noise": bytes(range(256)) * 4,
    "deep": b'{"a":' * 100_000,
}


@pytest.mark.parametrize("name", NOT_AN_OBJECT)
def test_not_a_json_object(name: str, session: Session, theme: str) -> None:
    """Whatever is no JSON object counts as no input."""
    assert session.line(NOT_AN_OBJECT[name]) == NO_INPUT[theme]


@posix_only
def test_standard_input_closed(session: Session, theme: str) -> None:
    """No standard input at all is no input."""
    assert session.line(Input(kind="closed")) == NO_INPUT[theme]


@pytest.mark.parametrize(
    ("lines", "rows"), [("1", 1), ("2", 1), ("5", 4), ("50", 10), ("0", 10), ("-1", 10), ("x", 10)]
)
def test_height_of_the_terminal(session: Session, lines: str, rows: int) -> None:
    """One row is left to the host, and one to the line whatever the height; what is no height is no limit."""
    session.configure('template = "{% for n in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] %}{{ n }}\\n{% endfor %}"\n')
    assert session.line({}, LINES=lines).split() == [str(number) for number in range(1, rows + 1)]


@pytest.mark.parametrize(("columns", "text"), [("12", "nothing…\n"), ("5", "…\n"), (None, "nothing came\n")])
@pytest.mark.parametrize("name", ["no_input", "empty"])
def test_what_stands_for_the_line_fits(session: Session, name: str, columns: str | None, text: str) -> None:
    """A fallback is as narrow as any line."""
    session.configure(f'template = "{{{{ x }}}}"\nfallback.{name} = "nothing came"\nsegments.x = "gone"\n')
    assert session.line(b"" if name == "no_input" else b"{}", COLUMNS=columns) == text


@posix_only
def test_full_pipe_is_waited_for(session: Session) -> None:
    """A line longer than the room in a pipe that does not wait is written whole once its reader reads."""
    session.configure('template = "{{ (name.value * 2) | fg(1) }}"\nsegments.name = "session_name"\n')
    data = json.dumps({"session_name": "wide " * 100}).encode()
    whole = session.line(data, COLUMNS="1000")
    reader, writer = socket.socketpair()
    with reader, writer:
        writer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
        writer.setblocking(False)
        with suppress(BlockingIOError):
            while True:
                writer.send(b"." * 512)
        run = subprocess.Popen(STATUS_LINE, stdin=subprocess.PIPE, stdout=writer, env=session.env(COLUMNS="1000"))
        writer.close()
        assert run.stdin
        run.stdin.write(data)
        run.stdin.close()
        time.sleep(0.2)
        came = b""
        while piece := reader.recv(65536):
            came += piece
        assert run.wait(5) == 0
    assert came.lstrip(b".").decode() == whole


@posix_only
def test_parent_that_blocks_the_alarm(session: Session, theme: str) -> None:
    """Signals that the parent has blocked stay so over its exec; the wait for a first byte ends all the same."""
    reader, writer = os.pipe()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    try:
        run = subprocess.Popen(STATUS_LINE, stdin=reader, stdout=subprocess.PIPE, env=session.env())
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    try:
        out, _ = run.communicate(timeout=5)
    finally:
        run.kill()
        os.close(reader)
        os.close(writer)
    assert (out.decode(), run.returncode) == (NO_INPUT[theme], 0)


@posix_only
def test_nothing_ever_comes(session: Session, theme: str) -> None:
    """An open socket without a byte is given up after 250 ms."""
    with held() as given:
        started = time.monotonic()
        assert session.line(given) == NO_INPUT[theme]
        assert 0.25 <= time.monotonic() - started < 2


@posix_only
def test_the_first_byte_comes_late(session: Session, theme: str) -> None:
    """What comes after 250 ms is not waited for."""
    with held((0.8, json.dumps(payload(session)).encode())) as given:
        assert session.line(given) == NO_INPUT[theme]


def test_over_256_kib(session: Session, theme: str) -> None:
    """An object that does not end within 256 KiB is no input; one that does is, filled up to the edge."""
    data = payload(session, filler="")
    room = 262144 - len(json.dumps(data))
    assert "Opus 5.5" in session.line(json.dumps({**data, "filler": "x" * room}).encode())
    assert session.line(json.dumps({**data, "filler": "x" * (room + 1)}).encode()) == NO_INPUT[theme]


# Input that stalls


@posix_only
def test_a_whole_object_is_not_waited_on(session: Session) -> None:
    """Once the object is whole nothing more is awaited, though the host never closes; the best of three tries."""
    took_s = []
    for _ in range(3):
        with held((0, json.dumps(payload(session)).encode())) as given:
            started = time.monotonic()
            assert "Opus 5.5" in session.line(given)
            took_s.append(time.monotonic() - started)
    assert min(took_s) < 0.25


@posix_only
def test_half_an_object_stalls(session: Session, theme: str) -> None:
    """An object that stays half is given up after a second in all."""
    with held((0, json.dumps(payload(session)).encode()[:200])) as given:
        started = time.monotonic()
        assert session.line(given) == NO_INPUT[theme]
        assert time.monotonic() - started < 2


@posix_only
def test_a_slow_writer_is_read_whole(session: Session) -> None:
    """Gaps of 60 ms do not cut the object."""
    data = json.dumps(payload(session)).encode()
    steps = [(0.06, data[at : at + 200]) for at in range(0, len(data), 200)]
    with held(*steps) as given:
        assert "Opus 5.5" in session.line(given)


@posix_only
def test_a_character_is_cut_by_the_stall(session: Session) -> None:
    """A gap within one character's bytes does no harm."""
    data = json.dumps(payload(session, cwd="/x/ä語"), ensure_ascii=False).encode()
    at = data.index("語".encode()) + 1
    with held((0, data[:at]), (0.1, data[at:])) as given:
        assert "Opus 5.5" in session.line(given)


# Nothing to show, a segment fails, the render fails


def test_nothing_to_show(session: Session, theme: str) -> None:
    """Every segment hidden: the theme's name for itself, or nothing."""
    session.configure(f'theme = "{theme}"\ntemplate = "{{{{ gone }}}}"\n[segments]\ngone = "absent.key"\n')
    assert session.line(payload(session)) == EMPTY[theme]


def test_an_empty_object(session: Session, theme: str) -> None:
    """A payload without a single fact is input all the same."""
    text = screen.plain(session.line({}))
    assert text.startswith("[model]") if theme == "classic" else text == ""


FAILING = {
    "at run time": "abs(model.display_name)",
    "unknown function": "lenght(model.display_name)",
    "not an expression": "model[",
    "too much work": "[" + ",".join(["*"] * 60) + "] | [].[*,*,*,*,*,*,*,*][].[*,*,*,*,*,*,*,*][]",
}


@pytest.mark.parametrize("name", FAILING)
def test_a_segment_fails(name: str, session: Session, theme: str) -> None:
    """The segment that fails is left out; the others stand."""
    segment = {"classic": "context_block", "oneline": "context"}[theme]
    whole = screen.plain(session.line(payload(session)))
    assert "2%" in whole
    session.configure(f'theme = "{theme}"\n[segments.{segment}]\nvalue = "{FAILING[name]}"\n')
    text = screen.plain(session.line(payload(session)))
    assert "Opus 5.5" in text and "2%" not in text


def test_a_family_of_the_wrong_type_is_left_out(session: Session) -> None:
    """A value of the wrong type is unknown, and hides what shows it."""
    text = screen.plain(session.line(payload(session, context_window="much")))
    assert "Opus 5.5" in text and "%" not in text


LOOPS = "".join(f"{{% for {name} in list.value %}}" for name in "abc") + "zz" + "{% endfor %}" * 3


def test_the_render_fails(session: Session, theme: str) -> None:
    """A render without end: one red line that names `ohud doctor`, the reason in the log; or nothing."""
    session.configure(f'theme = "{theme}"\ntemplate = "{LOOPS}"\n[segments]\nlist = "many"\n')
    text = session.line(payload(session, many=list(range(500))))
    if theme == "oneline":
        assert text == ""
    else:
        assert text.startswith("\x1b[31m") and text.endswith("\x1b[0m\n") and text.count("\n") == 1
        assert "ohud doctor" in text
    assert "the render failed" in (session.cache / "ohud" / "errors.log").read_text()


# The transcript


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _unreadable(path: Path) -> None:
    path.write_text(ASSISTANT)
    path.chmod(0)


TRANSCRIPTS: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: None,
    "a directory": lambda path: path.mkdir(),
    "a FIFO": _fifo,
    "empty": lambda path: path.write_bytes(b""),
    "unreadable": _unreadable,
    "no assistant": lambda path: path.write_text('{"type": "user", "message": {"role": "user", "content": "x"}}\n'),
    "a placeholder only": lambda path: path.write_text(ASSISTANT.replace("claude-haiku-4-5", "<synthetic>")),
    "no JSON": lambda path: path.write_bytes(bytes(range(256)) * 2000),
}
ASSISTANT = '{"type": "assistant", "message": {"role": "assistant", "model": "claude-haiku-4-5", "content": []}}\n'


@posix_only
@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_the_transcript_tells_no_model(name: str, session: Session, tmp_path: Path) -> None:
    """A transcript that is missing, unreadable or silent: the label that was asked for."""
    if name == "unreadable" and os.geteuid() == 0:
        pytest.skip("root may read any file")
    path = tmp_path / "transcript.jsonl"
    TRANSCRIPTS[name](path)
    assert "Opus 5.5" in session.line(payload(session, transcript_path=str(path)))


def test_the_transcript_tells_the_model(session: Session, tmp_path: Path) -> None:
    """The control: where it does tell, its model is shown."""
    path = tmp_path / "transcript.jsonl"
    path.write_text(ASSISTANT)
    text = session.line(payload(session, transcript_path=str(path)))
    assert "Haiku 4.5" in text and "Opus" not in text


@pytest.mark.parametrize("model", [None, "", {}, [], {"id": None}, {"id": "", "display_name": ""}], ids=str)
def test_no_model_at_all(model: object, session: Session, theme: str) -> None:
    """No model anywhere: the word `model`, or nothing in its place; the rest stands."""
    text = screen.plain(session.line(payload(session, model=model, transcript_path=None)))
    assert text.startswith("[model] │ ") if theme == "classic" else text.startswith("2%")
    assert "2%" in text


def test_a_hostile_environment(session: Session) -> None:
    """No home, odd numbers and an unknown zone: a line, status 0, nothing on stderr that looks like a crash."""
    odd = {"HOME": None, "XDG_CACHE_HOME": None, "XDG_CONFIG_HOME": None, "COLUMNS": "-3", "LINES": "0", "TZ": ":none"}
    assert "Opus 5.5" in session.line(payload(session), **{**odd, "OHUD_NOW": "soon", "PATH": None})


def test_a_notice_keeps_its_remedy_in_a_narrow_terminal(tmp_path: Path) -> None:
    """What is wrong is shortened, what to do about it is not."""
    session = Session(tmp_path)
    session.configure("margin = -1\n")
    for columns in ("60", "80"):
        notice = session.line({"model": {"id": "claude-opus-4-6"}}, COLUMNS=columns, NO_COLOR="1").splitlines()[-1]
        assert notice.startswith("ohud: ") and notice.endswith("…, run: ohud check"), notice
        assert len(notice) <= int(columns) - 4


@pytest.mark.parametrize("notices", ["true", "false"])
def test_what_is_wrong_with_a_theme_is_told_on_stderr_and_in_the_log(notices: str, tmp_path: Path) -> None:
    """Each refresh tells every fault with its place on stderr; the log has it once for each change of the theme."""
    session = Session(tmp_path)
    config = f"notices = {notices}\nlayout = [['a', 'b']]\n[segments]\na = \"lenght(model)\"\nb = \"model.'\"\n"
    path = session.configure(config)
    for _ in range(2):
        errors = session.run(Input(json.dumps(payload(session)).encode())).errors.splitlines()
        assert [line.partition(" ")[2].rpartition(":")[0] for line in errors] == [f"{path}:4", f"{path}:5"]
        assert "unknown function `lenght`" in errors[0]
    log = (session.cache / "ohud" / "errors.log").read_text().splitlines()
    assert [line.partition(" ")[2] for line in log] == [line.partition(" ")[2] for line in errors]


@pytest.mark.parametrize(
    ("rows", "drawn"),
    [("6", 5), ("3", 2), ("2", 1), ("1", 1), ("50", 9), (None, 9), ("0", 9), ("-4", 9), ("x", 9), ("", 9), (" 4 ", 3)],
)
def test_the_first_lines_win_in_a_low_terminal(rows: str | None, drawn: int, tmp_path: Path) -> None:
    """All but one row, and never none; what is no number of rows is no limit."""
    session = Session(tmp_path)
    session.configure('template = "1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9"\n')
    assert session.line({}, LINES=rows).split() == list("123456789")[:drawn]
