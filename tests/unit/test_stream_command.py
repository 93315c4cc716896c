"""`ohud stream`: the line on a terminal, the copy, the report, the exit status; a command, its signals and its end."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from launch import COMMAND_LINE, Input, Outcome, launch
from pseudo_terminal import PseudoTerminal
from run_lines import MODEL, RUN, SESSION, answer, call, init, line, result, returned
from screen import plain
from session import Session

STREAM = [*COMMAND_LINE, "stream"]
HOSTILE = "\x1b]0;owned\x07\x1b[2J\x1b[999A\u202eevil\x9b31m\x07\x00\r\n"
SLEEPER = "import time, sys; sys.stdout.write({0!r}); sys.stdout.flush(); time.sleep(60)"


@pytest.fixture
def user(tmp_path: Path) -> Session:
    """A user whose theme has a line for the model and one for what runs."""
    session = Session(tmp_path)
    session.configure(
        'template = "{{ model }} {{ context }}\\nnow {{ tool }}"\n'
        "[segments]\n"
        'model = "computed.model.name"\n'
        'tool = { value = "computed.activity.tools.running[0].target", default = "idle" }\n'
        'context = { value = "context_window.used_percentage", format = "{{ value | percent }}" }\n'
    )
    return session


def stream(user: Session, data: bytes, *options: str) -> Outcome:
    """One run of the command over a stream, away from any terminal."""
    return launch([*STREAM, *options], Input(data), user.env(), user.home, limit_s=20.0)


def terminal(user: Session, *words: str, columns: int = 40, shared: tuple[int, ...] = (1, 2)) -> PseudoTerminal:
    """The command in a terminal, fed by the test."""
    return PseudoTerminal([*STREAM, *words], user.env(), user.home, columns, 30, shared)


def child(user: Session, program: str, *options: str) -> PseudoTerminal:
    """The command in a terminal, starting a Python program."""
    words = [*options, "--", sys.executable, "-c", program]
    return PseudoTerminal([*STREAM, *words], user.env(), user.home, 60, shared=(0, 1, 2))


# The exit status


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (RUN, 0),
        (init() + result(is_error=True, result="API Error"), 1),
        (init() + result(subtype="error_max_turns", is_error=True), 1),
        (b"", 3),
        (b"no stream\n", 3),
        (init() + answer(), 3),
        (RUN + init(), 3),
        (RUN + b'{"type":"assis', 3),
        (RUN + b"Done in 3 s.", 0),
        (b"[" + RUN.strip().replace(b"\n", b",") + b"]", 0),
        (b"[" + RUN.strip().replace(b"\n", b","), 3),
        (init() + b"garbage\n" + result(), 0),
        (RUN + line("system", subtype="task_notification"), 0),
    ],
    ids=[
        *("run", "failed", "turns", "empty", "words", "no-result", "second", "cut-off", "said"),
        *("array", "open", "bad", "later"),
    ],
)
def test_status(user: Session, data: bytes, code: int) -> None:
    """The status tells of the result, or that there is none."""
    assert stream(user, data, "--quiet").code == code


@pytest.mark.parametrize("words", [["--theme", "nope"], ["--eval", "foo("], ["--columns", "0"], ["--"], ["more"]])
def test_wrong_use(user: Session, words: list[str]) -> None:
    """What cannot be meant is said at once, with status 2."""
    outcome = stream(user, RUN, *words)
    assert (outcome.code, outcome.out) == (2, b"") and outcome.err


def test_copy_and_value_exclude_each_other(user: Session) -> None:
    """Both are for standard output."""
    assert stream(user, RUN, "--passthrough", "--eval", "model").code == 2


# What is printed


def test_a_plain_line_a_change(user: Session) -> None:
    """Away from a terminal the theme's lines are one, without a control character."""
    outcome = stream(user, RUN)
    assert outcome.text.splitlines()[-1] == "Sonnet 4.6 20%  now idle"
    assert outcome.text == plain(outcome.text) and not outcome.err


def test_quiet(user: Session) -> None:
    """Nothing is printed."""
    assert stream(user, RUN, "--quiet").out == b""


def test_copy_is_the_same_bytes(user: Session) -> None:
    """Whatever comes is handed on unchanged, the line goes to standard error."""
    data = init() + b"\xff\xfe no json \x1b[31m\n" + answer() + b"\0" * 5000 + b"\n" + result()
    outcome = stream(user, data, "--passthrough")
    assert outcome.out == data and "Sonnet 4.6" in outcome.errors and b"\x1b" not in outcome.err


def test_copy_comes_at_once(user: Session) -> None:
    """A line is handed on before the next has come, even if it is not whole."""
    words = [*STREAM, "--passthrough", "--quiet"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=user.env()) as process:
        assert process.stdin and process.stdout
        for piece in (init(), b'{"type":', b'"later"}\n', result()):
            process.stdin.write(piece)
            process.stdin.flush()
            assert os.read(process.stdout.fileno(), 65536) == piece
        process.stdin.close()
        assert process.wait(20) == 0


def test_a_reader_that_has_gone(user: Session) -> None:
    """The copy ends quietly when nobody reads it any more."""
    script = '"$@" <"$FILE" | head -c 10; exit 0'
    file = user.root / "run"
    file.write_bytes(init() + answer(text="x" * 1000) * 2000 + result())
    words = ["sh", "-c", script, "sh", *STREAM, "--passthrough", "--quiet"]
    outcome = launch(words, Input(), {**user.env(), "FILE": str(file)}, user.home, limit_s=20.0)
    assert (outcome.out, outcome.err) == (init()[:10], b"")


def test_a_reader_that_waits(user: Session) -> None:
    """A slow reader gets all of it, and more is not read meanwhile than fits into memory."""
    data = init() + answer(text="x" * 1000) * 3000 + result()
    words = [*STREAM, "--passthrough", "--quiet"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=user.env()) as process:
        assert process.stdin and process.stdout
        sent = []

        def write() -> None:
            assert process.stdin
            for at in range(0, len(data), 4096):
                process.stdin.write(data[at : at + 4096])
                sent.append(at)
            process.stdin.close()

        writer = threading.Thread(target=write)
        writer.start()
        time.sleep(1.0)
        assert sent[-1] < len(data) // 2
        assert process.stdout.read() == data and process.wait(20) == 0
        writer.join()


def test_summary(user: Session) -> None:
    """The report has turns, times, tokens by kind, the cost by model, tools, denials and the result's words."""
    lines = stream(user, RUN, "--quiet", "--summary").text.splitlines()
    facts = {row[:8].strip(): row[8:].strip() for row in lines[: lines.index("")]}
    assert facts["run"] == "done"
    assert (facts["session"], facts["model"], facts["turns"]) == (SESSION, MODEL, "2")
    assert facts["time"] == "1 min 05 s, API 4.0 s"
    assert facts["tokens"].startswith("30: input 10, output 20")
    assert (facts["cost"], facts[""]) == ("$0.2500", f"{MODEL}: $0.2500, 30 tokens")
    assert (facts["tools"], facts["denied"]) == ("Bash 1", "Write 1")
    assert lines[-1] == "All done."


def test_summary_of_a_failure(user: Session) -> None:
    """A run that failed says so, with its errors; one without a result too."""
    failed = stream(user, init() + result(subtype="error_max_turns", is_error=True, errors=["too many"]), "--summary")
    assert "failed (error_max_turns)" in failed.text and "too many" in failed.text
    assert "no result" in stream(user, init() + answer(), "--summary").text


def test_value(user: Session) -> None:
    """The expression's value over the final document is all that is on standard output."""
    outcome = stream(user, RUN, "--eval", "[computed.model.id, cost.total_cost_usd, computed.cost.source, session_id]")
    assert json.loads(outcome.out) == [MODEL, 0.25, "native", SESSION]


def test_value_of_a_failed_run(user: Session) -> None:
    """It is printed all the same, and the status is that of the run."""
    outcome = stream(user, init(), "--quiet", "--eval", "computed.model.id")
    assert (outcome.code, outcome.out) == (3, b'"%s"\n' % MODEL.encode())


# Lines that are none


def test_bad_lines_are_named(user: Session) -> None:
    """Each with its number and what stands there, up to ten; what follows is read."""
    outcome = stream(user, init() + b"\n" + b"{bad}\n" * 30 + result(), "--quiet")
    named = [row for row in outcome.errors.splitlines() if row.startswith("ohud stream: line ")]
    assert named[0].startswith("ohud stream: line 3, column 2: ") and "`{bad}`" in named[0]
    assert len(named) == 10 and "30 lines could not be read" in outcome.errors
    assert outcome.code == 0


def test_a_line_without_bounds(user: Session) -> None:
    """A line too long to be read is told of, and what follows is read."""
    outcome = stream(user, init() + b'{"x":"' + b"a" * 70_000_000 + b'"}\n' + result(), "--quiet")
    assert outcome.code == 0 and "line 2: too long to be read (70,000,008 bytes)" in outcome.errors


def test_hostile_text(user: Session) -> None:
    """Nothing of the stream reaches the output as a command, wherever it stands."""
    data = init(cwd=f"/srv/{HOSTILE}", model=HOSTILE) + call(command=HOSTILE, tool=HOSTILE) + HOSTILE.encode() + b"\n"
    data += result(subtype=HOSTILE, result=HOSTILE, errors=[HOSTILE], permission_denials=[{"tool_name": HOSTILE}])
    outcome = stream(user, data, "--summary", "--eval", "@")
    said = outcome.text + outcome.errors
    assert not [c for c in said if c < " " and c != "\n"] and not set(said) & set("\x7f\x9b\u202e")
    assert "evil" in said


# On a terminal


def test_in_place(user: Session) -> None:
    """The lines stay where they are while they change; afterwards the cursor is below them, as it was."""
    with terminal(user) as window:
        window.give(init())
        window.wait(lambda rows: rows[:2] == ["Sonnet 4.6", "now idle"])
        assert not window.screen.cursor
        window.give(answer() + call(command="make test"))
        assert window.wait(lambda rows: rows[1] == "now make test")[:3] == ["Sonnet 4.6 20%", "now make test", ""]
        window.give(returned())
        window.wait(lambda rows: rows[1] == "now idle")
        window.give(result())
        window.close_input()
        assert window.ended() == 0
        assert window.screen.text()[:3] == ["Sonnet 4.6 20%", "now idle", ""]
        assert window.restored() and window.screen.row == 2


def test_time_goes_on(user: Session) -> None:
    """While nothing comes it is drawn again each second, and no oftener."""
    user.configure('template = "{{ t }}"\n[segments]\nt = "cost.total_duration_ms"')
    with terminal(user) as window:
        window.give(init() + call())
        window.wait(lambda rows: rows[0] != "")
        seen = set()
        end = time.monotonic() + 2.6
        while time.monotonic() < end:
            seen.add(window.look()[0])
        assert 3 <= len(seen) <= 5


def test_bounded_rate(user: Session) -> None:
    """However fast lines come, some ten drawings a second are made of them."""
    user.configure('template = "{{ n }}"\n[segments]\nn = "computed.transcript.messages"')
    with terminal(user) as window:
        began = time.monotonic()
        for number in range(3000):
            window.give(answer(number))
            if not number % 100:
                window.look(0.01)
        window.give(result())
        window.close_input()
        assert window.ended() == 0
        drawings = window.raw.count(b"\x1b[?2026h")
        assert drawings <= (time.monotonic() - began) * 10 + 3
        assert window.screen.text()[0] == "3000"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_signals(user: Session, number: signal.Signals) -> None:
    """A signal ends it with the terminal as it was, the last lines whole, a report where one was asked for."""
    with terminal(user, "--summary") as window:
        window.give(init() + answer())
        window.wait(lambda rows: rows[1] == "now idle")
        window.process.send_signal(number)
        assert window.ended() == 128 + number
        assert window.screen.text()[:3] == ["Sonnet 4.6 20%", "now idle", "run      no result"]
        assert window.restored()


def test_ctrl_c(user: Session) -> None:
    """What the key leaves on the screen is gone from the lines."""
    with terminal(user) as window:
        window.give(init() + answer())
        window.wait(lambda rows: rows[1] == "now idle")
        window.press(b"\x03")
        assert window.ended() == 130
        assert window.screen.text()[:3] == ["Sonnet 4.6 20%", "now idle", ""] and window.restored()


def test_stop_and_go_on(user: Session) -> None:
    """Ctrl-Z gives the terminal back for as long as it lasts."""
    with terminal(user) as window:
        window.give(init() + answer())
        window.wait(lambda rows: rows[1] == "now idle")
        window.process.send_signal(signal.SIGTSTP)
        # A group without a shell is not stopped by the system; the lines go and come back all the same.
        window.wait(lambda rows: b"\x1b[?25h" in window.raw and rows[1] == "now idle")
        window.give(result())
        window.close_input()
        assert window.ended() == 0 and window.restored()


def test_resize(user: Session) -> None:
    """A narrower terminal is drawn for as soon as it is one."""
    user.configure("template = \"{{ a }}\"\n[segments]\na = \"join('-', ['aaaaaaaaaa', 'bbbbbbbbbb', cwd])\"")
    with terminal(user) as window:
        window.give(init())
        window.wait(lambda rows: rows[0].endswith("/srv/widgets"))
        window.resize(20, 30)
        window.process.send_signal(signal.SIGWINCH)
        rows = window.wait(lambda rows: rows[0].endswith("…"))
        assert len(rows[0]) <= 20
        window.close_input()
        assert window.ended() == 3 and window.restored()


def test_messages_go_above_the_lines(user: Session) -> None:
    """A line that cannot be read is told of above the drawing, which stays whole."""
    with terminal(user) as window:
        window.give(init() + answer())
        window.wait(lambda rows: rows[1] == "now idle")
        window.give(b"oops\n")
        rows = window.wait(lambda rows: "oops" in "".join(rows))
        lines = [row for row in rows if row]
        assert lines[0].startswith("ohud stream: line 3, column 1: ") and lines[-2:] == ["Sonnet 4.6 20%", "now idle"]
        window.give(result())
        window.close_input()
        assert window.ended() == 0 and window.restored()


def test_hostile_text_on_a_terminal(user: Session) -> None:
    """The terminal does nothing but what the drawing needs."""
    with terminal(user, "--summary") as window:
        window.give(init(cwd=HOSTILE, model=HOSTILE) + call(command=HOSTILE) + HOSTILE.encode())
        window.give(result(result=HOSTILE, subtype=HOSTILE, errors=[HOSTILE]))
        window.close_input()
        assert window.ended() == 0
        assert window.restored() and not {"\x9b", "\u202e", "\x00"} & set(window.raw.decode())
        assert not [bad for bad in (b"\x1b]0;", b"\x1b[2J", b"\x1b[999A", b"\x07") if bad in window.raw]


def test_copy_leaves_the_terminal_to_the_line(user: Session) -> None:
    """With the copy in a pipe the line is drawn on standard error."""
    with terminal(user, "--passthrough", shared=(2,)) as window:
        window.give(init() + answer())
        window.wait(lambda rows: rows[1] == "now idle")
        window.give(result())
        window.close_input()
        assert window.process.stdout
        assert window.process.stdout.read() == init() + answer() + result()
        assert window.ended() == 0 and window.restored()


def test_no_copy_onto_a_terminal(user: Session) -> None:
    """The bytes of a stranger are not for a terminal."""
    with terminal(user, "--passthrough") as window:
        assert window.ended() == 2 and "this terminal" in "".join(window.screen.text())


def test_dumb_terminal(user: Session) -> None:
    """A terminal that cannot move its cursor gets plain lines."""
    env = {**user.env(), "TERM": "dumb"}
    with PseudoTerminal(STREAM, env, user.home, 40) as window:
        window.give(RUN)
        window.close_input()
        assert window.ended() == 0 and b"\x1b" not in window.raw


def test_an_error_of_ours(user: Session) -> None:
    """Even when the program itself fails, the terminal is as it was."""
    script = (
        "import sys; from ohud.stream import Fold; from ohud.main import main\n"
        "add = Fold.add_all; seen = []\n"
        "def fail(self, items, at=None):\n"
        "    seen.append(1)\n"
        "    if len(seen) > 1: raise RuntimeError('broken')\n"
        "    add(self, items, at)\n"
        "Fold.add_all = fail; sys.argv = ['ohud', 'stream']; sys.exit(main())"
    )
    with PseudoTerminal([sys.executable, "-c", script], user.env(), user.home, 100) as window:
        window.give(init())
        window.wait(lambda rows: rows[1] == "now idle")
        window.give(answer())
        assert window.ended() == 1
        assert window.restored() and "RuntimeError: broken" in "".join(window.screen.text())


# Sessions, turns, stalls


def test_another_session_starts_over(user: Session) -> None:
    """Of a stream with two sessions the last one counts."""
    data = RUN + init("other") + answer(5, session="other") + result("other", total_cost_usd=0.05, num_turns=1)
    outcome = stream(user, data, "--quiet", "--eval", "[session_id, cost.total_cost_usd]")
    assert json.loads(outcome.out) == ["other", 0.05]


def test_a_second_prompt(user: Session) -> None:
    """A repeated init is a new turn: costs are the last sum told, durations add up."""
    data = RUN + init() + answer(2) + result(total_cost_usd=0.4, duration_ms=1000)
    outcome = stream(user, data, "--quiet", "--eval", "[cost.total_cost_usd, cost.total_duration_ms]")
    assert json.loads(outcome.out) == [0.4, 66000]


def test_what_was_recorded_long_ago(user: Session) -> None:
    """A run without a result lasted as long as its lines say, not until today."""
    first = init() + line("user", message={"role": "user", "content": "hi"}, timestamp="2026-01-05T10:00:00.000Z")
    data = first + line("assistant", message={"content": []}, timestamp="2026-01-05T10:00:30.000Z")
    file = user.root / "run"
    file.write_bytes(data)
    wanted = ["--quiet", "--eval", "cost.total_duration_ms"]
    piped = stream(user, data, *wanted)
    with file.open("rb") as given:
        source = Input(kind="handle", handle=given.fileno())
        read = launch([*STREAM, *wanted], source, user.env(), user.home, limit_s=20.0)
    assert int(read.out) == int(piped.out) == 30000


# A command of its own


def test_command(user: Session) -> None:
    """The command's output is the stream, what it says on standard error goes by above the lines."""
    program = f"import sys, time; sys.stdout.write({RUN.decode()!r}); sys.stdout.flush(); time.sleep(0.3)\n"
    program += "print('a note', file=sys.stderr); time.sleep(0.3)"
    with child(user, program) as window:
        assert window.ended() == 0
        assert [row for row in window.screen.text() if row] == ["a note", "Sonnet 4.6 20%", "now idle"]
        assert window.restored()


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("print({run!r}, end=''); sys.exit(5)", 5),
        ("print({run!r}, end=''); sys.stdout.flush(); os.kill(os.getpid(), 9)", 137),
        ("print({failed!r}, end='')", 1),
        ("print('nothing')", 3),
        ("print({run!r}, end='')", 0),
        ("print({failed!r}, end=''); sys.exit(1)", 1),
    ],
    ids=["status", "killed", "error", "none", "good", "host"],
)
def test_status_of_a_command(user: Session, program: str, code: int) -> None:
    """Its own status, 128 and the signal's number, or what the stream says where it is 0."""
    failed = init() + result(is_error=True)
    text = "import os, sys; " + program.format(run=RUN.decode(), failed=failed.decode())
    assert stream(user, b"", "--quiet", "--", sys.executable, "-c", text).code == code


def test_a_command_that_is_not_there(user: Session) -> None:
    """As in a shell: 127, and 126 for what cannot be run."""
    missing = stream(user, b"", "--", "no-such-command-here")
    assert missing.code == 127 and "no-such-command-here" in missing.errors
    assert stream(user, b"", "--", str(user.root)).code == 126


def test_standard_input_is_the_commands(user: Session) -> None:
    """What comes there is for the command."""
    program = "import sys; data = sys.stdin.read(); print(data, end='')"
    outcome = stream(user, RUN, "--quiet", "--eval", "session_id", "--", sys.executable, "-c", program)
    assert (outcome.code, outcome.out) == (0, b'"%s"\n' % SESSION.encode())


COUNTING = (
    "import signal, sys, time\n"
    "def note(number, frame): print('got', number, file=sys.stderr, flush=True)\n"
    "for number in (1, 2, 15, 28): signal.signal(number, note)\n"
    "sys.stdout.write({0!r}); sys.stdout.flush()\n"
    "end = time.monotonic() + {1}\n"
    "while time.monotonic() < end: time.sleep(0.05)\n"
)


def test_ctrl_c_reaches_a_command_once(user: Session) -> None:
    """The key has been felt by the command already; a signal sent to us alone is handed on."""
    with child(user, COUNTING.format(RUN.decode(), 2.5)) as window:
        window.wait(lambda rows: rows[1] == "now idle")
        window.press(b"\x03")
        window.wait(lambda rows: "got 2" in "".join(rows))
        time.sleep(0.4)
        window.look()
        assert window.raw.count(b"got 2") == 1
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGWINCH):
            window.process.send_signal(number)
            window.wait(lambda rows, number=number: f"got {int(number)}" in "".join(rows))  # type: ignore[misc]
            time.sleep(0.2)
        window.look()
        assert window.raw.count(b"got 2\r") == 2 and window.raw.count(b"got 15\r") == 1
        assert window.ended() == 0 and window.restored()


def test_a_signal_that_ends_a_command(user: Session) -> None:
    """It ends, and so does its line."""
    with child(user, SLEEPER.format(RUN.decode())) as window:
        window.wait(lambda rows: rows[1] == "now idle")
        window.process.send_signal(signal.SIGTERM)
        assert window.ended() == 143 and window.restored()


def test_what_a_command_leaves_running(user: Session) -> None:
    """A process that holds the stream does not keep us once the command itself has ended."""
    program = f"import subprocess, sys; sys.stdout.write({RUN.decode()!r}); subprocess.Popen(['sleep', '5'], stderr=-3)"
    began = time.monotonic()
    assert stream(user, b"", "--quiet", "--", sys.executable, "-c", program).code == 0
    assert time.monotonic() - began < 4.5


def test_what_a_claude_lacks(user: Session) -> None:
    """The options that would make a stream are named; none is added."""
    fake = user.root / "claude"
    fake.write_text('#!/bin/sh\necho "$@"\n')
    fake.chmod(0o755)
    outcome = stream(user, b"", "--passthrough", "--quiet", "--", str(fake), "-p", "hello")
    assert "add --output-format stream-json --verbose" in outcome.errors and outcome.out == b"-p hello\n"
    fine = ("-p", "hello", "--output-format=stream-json", "--verbose")
    assert "add --output-format" not in stream(user, b"", "--quiet", "--", str(fake), *fine).errors


# Memory


def long_run(size: int) -> Iterator[bytes]:
    """A run of so many bytes, in pieces."""
    yield init()
    piece = b"".join(
        call(number, "x" * 200) + returned(number, "y" * 3000) + answer(number, "z" * 500) for number in range(50)
    )
    for _ in range(size // len(piece)):
        yield piece
    yield result()


def peak_mb(user: Session, size: int) -> float:
    """The peak of memory over a run of so many bytes."""
    file = user.root / "run"
    with file.open("wb") as out:
        out.writelines(long_run(size))
    with file.open("rb") as given:
        outcome = launch(
            [*STREAM, "--columns", "80"],
            Input(kind="handle", handle=given.fileno()),
            user.env(),
            user.home,
            limit_s=size / 1e6,
            measured=True,
        )
    file.unlink()
    assert outcome.code == 0 and outcome.peak_mb is not None, outcome.errors[-300:]
    return outcome.peak_mb


def test_memory(user: Session) -> None:
    """50 MB take no more memory than 1 MB, and under 60 MB."""
    assert peak_mb(user, 50_000_000) < min(60.0, peak_mb(user, 1_000_000) + 8)


@pytest.mark.slow
def test_memory_of_a_long_run(user: Session) -> None:
    """500 MB take under 60 MB."""
    assert peak_mb(user, 500_000_000) < 60.0


# In a real terminal program


@pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux")
@pytest.mark.parametrize("columns", [80, 120])
def test_in_tmux(user: Session, columns: int) -> None:
    """What stands above stays, a change of width leaves nothing behind, the cursor is shown again."""
    tmux = ["tmux", "-S", str(user.root / "t"), "-f", "/dev/null"]
    file = user.root / "run"
    file.write_bytes(init() + answer() + call(command="make " + "test " * 20))
    end = user.root / "end"
    end.write_bytes(result())
    script = f"echo above; (cat {file}; sleep 3; cat {end}) | {' '.join(STREAM)}; echo below; sleep 60"

    def rows(*options: str) -> list[str]:
        capture = [*tmux, "capture-pane", "-p", *options]
        return subprocess.run(capture, capture_output=True, text=True, check=True).stdout.rstrip("\n").split("\n")

    def wait(text: str) -> list[str]:
        end = time.monotonic() + 15
        while not any(text in row for row in rows()):
            assert time.monotonic() < end, rows()
            time.sleep(0.1)
        return rows()

    size = ["-x", str(columns), "-y", "10"]
    subprocess.run([*tmux, "new-session", "-d", *size, "sh", "-c", script], env=user.env(), check=True)
    try:
        assert wait("now make")[0] == "above"
        subprocess.run([*tmux, "resize-window", "-x", "30"], check=True)
        time.sleep(0.7)
        # tmux itself moves rows off its screen when it breaks longer ones.
        kept = rows("-S", "-")
        assert rows()[-2] == "Sonnet 4.6 20%" and rows()[-1].endswith("…") and kept[0] == "above"
        assert sum(row.startswith(("Sonnet", "now")) for row in rows()) == 2
        subprocess.run([*tmux, "resize-window", "-x", str(columns)], check=True)
        assert [row[:8] for row in wait("below")][-3:] == ["Sonnet 4", "now idle", "below"]
        assert rows("-S", "-")[0] == "above"
        flags = ["display", "-p", "#{cursor_flag} #{cursor_x}"]
        cursor = subprocess.run([*tmux, *flags], capture_output=True, text=True, check=True).stdout
        assert cursor == "1 0\n"
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)
