"""`ohud stream`: the status line for `claude -p`, live on the terminal while the run goes on."""

from __future__ import annotations

import json
import os
import signal
import stat
import sys
import time
from argparse import Namespace, RawDescriptionHelpFormatter
from typing import Any

from ohud.cli import DONE, NO, WRONG_USE, complain, parser
from ohud.cli.drawing import paints
from ohud.cli.report import report
from ohud.cli.stage import NoTheme, Painter, Quiet, Stage, add_options, display_for, now, ready, unknown_theme
from ohud.errors import count, quote, render
from ohud.run import status
from ohud.run.expression import evaluate
from ohud.run.fault import Fault
from ohud.run.fold import moment
from ohud.run.program import load
from ohud.stream import BadLine, Fold, Item, Message, Reader, TooLong
from ohud.stream.command import Command, lacks
from ohud.stream.signals import ENDING, Signals
from ohud.theme.expressions import Expression, compile_expression
from ohud.theme.lower import families_of

BROKEN = 3
_PIECE = 1 << 17
# A pipe that can be written to takes so much without waiting (POSIX, PIPE_BUF).
_SURE = 4096
# Bad lines that are told of one by one.
_TOLD = 10
# What a command's standard error has no line end for is let go by after this [s].
_HELD_S = 0.3
# How long the streams of a command that has ended are read on: what it has left running may hold them [s].
_AFTER_S = 1.0
_PATIENCE_S = 5.0
# A stream that begins so long ago is a recorded one [s].
_OLD_S = 600.0

_USAGE = "ohud stream [options] [-- COMMAND ...]"
_EPILOG = """\
  claude -p --output-format stream-json --verbose 'PROMPT' | ohud stream
  ohud stream -- claude -p --output-format stream-json --verbose 'PROMPT'

Without COMMAND the stream is read from standard input. The line is drawn on
standard output; with --passthrough or --eval, which need that themselves, on
standard error. Where that is no terminal, it is a plain line for each change.

exit status:
  0    the run came to a good end
  1    its result is an error (`is_error`)
  2    wrong use
  3    there is no result, the last prompt has none, or the stream breaks off;
       a line in the midst that cannot be read is told of, and no more
  N    what COMMAND ended with, where that is not 0; 128 and the signal's
       number when a signal ended it, or ended `ohud stream` itself
"""


def run(words: list[str]) -> int:
    """Shows a run; gives the status of its result, or of the command that was started."""
    asked = _arguments(words)
    expression = compile_expression(asked.eval) if asked.eval is not None else None
    if expression is not None and expression.ir is None:
        return _flawed(expression, asked.eval)
    if not asked.command and (os.isatty(0) or not _open(0)):
        return complain("stream", "a stream is read from standard input", _EPILOG.splitlines()[0].strip())
    if asked.passthrough and os.isatty(1):
        said = "--passthrough copies the stream to standard output, and that is this terminal"
        return complain("stream", said, "leave it out, or add `> FILE` or `| COMMAND`")
    try:
        painter = Painter(asked.theme, asked.color)
    except NoTheme as fault:
        return unknown_theme("stream", fault, asked.theme)
    show = Show(asked, painter)
    code = show.run()
    if show.refused is not None:
        return _not_started(asked.command, show.refused)
    if asked.summary:
        _print(report(show.fold.summary()), sys.stderr if asked.passthrough else sys.stdout)
    if expression is not None:
        failed = _evaluate(expression, show)
        code = code or failed
    return code


def _arguments(words: list[str]) -> Namespace:
    reader = parser("stream", _USAGE)
    reader.formatter_class = RawDescriptionHelpFormatter
    reader.epilog = _EPILOG
    add_options(reader)
    add = reader.add_argument
    add("--passthrough", action="store_true", help="copy the stream to standard output, byte for byte")
    add("--summary", action="store_true", help="print a report at the end: turns, time, tokens, cost, tools, denials")
    add("--eval", metavar="EXPR", help="print the JSON value of a JMESPath expression over the final document")
    at = words.index("--") if "--" in words else len(words)
    asked = reader.parse_args(words[:at])
    asked.command = words[at + 1 :]
    if "--" in words and not asked.command:
        reader.error("there is no command behind `--`")
    if asked.passthrough and asked.eval is not None:
        reader.error("--passthrough and --eval exclude each other: both are for standard output")
    return asked


def _open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def _flawed(expression: Expression, text: str) -> int:
    """The reports of what is wrong with an expression."""
    from ohud.cli.evaluate import problem_of

    for flaw in expression.flaws:
        print(render(problem_of(flaw, text), text, paints("auto", Quiet(), sys.stderr)), file=sys.stderr)
    return WRONG_USE


def _not_started(command: list[str], fault: OSError) -> int:
    """As a shell says it: 127 for what is not there, 126 for what cannot be run."""
    complain("stream", f"{quote(command[0], 200)} cannot be started: {fault.strerror or fault}")
    return 127 if isinstance(fault, FileNotFoundError) else 126


class Show:
    """
    One stream, read to its end and shown meanwhile.

    Takes:  asked: the command's options
    """

    def __init__(self, asked: Namespace, painter: Painter) -> None:
        self.fold = Fold()
        self.refused: OSError | None = None
        self._asked, self._painter = asked, painter
        self._reader = Reader()
        self._source: int | None = 0
        self._command: Command | None = None
        self._copy = b""
        self._copied = 0
        self._unread = False
        self._said = bytearray()
        self._said_at = 0.0
        self._quiet_since = time.monotonic()
        self._cut_off = False
        self._told = 0
        self._signal: int | None = None
        # A file tells of a time that has passed, and what is old when it comes does too.
        self._dated: float | None = None
        self._recorded = not asked.command and stat.S_ISREG(os.fstat(0).st_mode)

    def run(self) -> int:
        """
        Reads, copies and draws until the stream has ended.

        Returns:  the exit status; `refused` is why the command could not be started, None when it was
        """
        with Signals(telling=bool(self._asked.command)) as signals:
            display = display_for(self._asked, self._asked.passthrough or self._asked.eval is not None)
            if display is not None and self._asked.eval is not None and not os.isatty(2):
                # Only a person at a terminal wants both.
                display = None
            self._stage = Stage(self._painter, display, lambda: self.fold, signals, self._asked.columns, self._clock)
            self._signals = signals
            try:
                self._begin()
            except OSError as fault:
                self.refused = fault
                return WRONG_USE
            try:
                while not self._over():
                    self._turn()
            finally:
                self._stage.leave()
                if self._command is not None:
                    self._command.close()
            if self._told > _TOLD:
                self._stage.say(f"ohud stream: {count(self.fold.bad_lines, 'line')} could not be read in all")
            return self._status()

    def _begin(self) -> None:
        command = self._asked.command
        if self._painter.notice:
            self._stage.say(self._painter.notice)
        if not command:
            return
        missing = lacks(command)
        if missing:
            self._stage.say(f"ohud stream: what {quote(command[0])} prints will be no stream\nhelp: add {missing}")
        live = self._stage.live is not None and os.isatty(2)
        self._command = Command(command, stderr=live)
        self._source = self._command.stdout

    def _clock(self) -> tuple[float, float | None]:
        """The time, and the one up to which a running turn has lasted."""
        if not self._recorded or "OHUD_NOW" in os.environ:
            return now(), None if self._recorded else now()
        last = self.fold.journal()["last_at"]
        return (last if last is not None else now()), None

    def _over(self) -> bool:
        """Whether there is nothing more to come."""
        command = self._command
        if command is None:
            return self._signal is not None or (self._source is None and not self._copy)
        if not command.ended():
            self._quiet_since = time.monotonic()
            return False
        drained = self._source is None and command.stderr is None
        return not self._copy and (drained or time.monotonic() - self._quiet_since > _AFTER_S)

    def _turn(self) -> None:
        """Waits for whatever comes next, and answers it."""
        self._stage.draw_if_due()
        reads = [self._signals.fd]
        if self._source is not None and not self._copy:
            # No further than the copy: what is read is never more than what fits into memory.
            reads.append(self._source)
        errors = self._command.stderr if self._command else None
        if errors is not None:
            reads.append(errors)
        readable, writable = ready(reads, [1] if self._copy else [], self._wait_s())
        self._answer_signals()
        if writable:
            self._write_copy()
        if self._source is not None and self._source in readable:
            self._read(self._source)
        if errors is not None:
            self._read_errors(errors, errors in readable)

    def _wait_s(self) -> float | None:
        waits = [self._stage.wait_s()]
        if self._said:
            waits.append(_HELD_S)
        if self._command is not None and (self._source is None or self._command.code is not None):
            waits.append(_AFTER_S / 10)
        known = [wait for wait in waits if wait is not None]
        return min(known) if known else None

    def _answer_signals(self) -> None:
        for arrived in self._signals.taken():
            number = self._stage.handle(arrived)
            if self._command is not None:
                # What a key sends reaches the command without us, and twice is another wish than once.
                if arrived.number in (*ENDING, getattr(signal, "SIGWINCH", None)) and not arrived.typed:
                    self._command.send(arrived.number)
            elif number in ENDING:
                self._signal = number

    def _read(self, source: int) -> None:
        """Takes in what the stream has."""
        try:
            data = os.read(source, _PIECE)
        except BlockingIOError:
            return
        except OSError as fault:
            self._stage.say(f"ohud stream: the stream cannot be read on: {fault.strerror}")
            data, self._cut_off = b"", True
        if not data:
            self._end_source()
            self._take(self._reader.close())
            return
        self._quiet_since = time.monotonic()
        if self._asked.passthrough:
            self._copy, self._copied = data, 0
            self._write_copy()
        self._take(self._reader.feed(data))

    def _end_source(self) -> None:
        self._source = None
        if self._command is not None:
            self._command.close_stdout()

    def _write_copy(self) -> None:
        """Hands on as much of the copy as its reader takes without making us wait."""
        piece = len(self._copy) if stat.S_ISREG(os.fstat(1).st_mode) else _SURE
        try:
            while self._copied < len(self._copy) and ready([], [1], 0)[1]:
                self._copied += os.write(1, self._copy[self._copied : self._copied + piece])
        except BlockingIOError:
            return
        except OSError:
            # As when the command itself writes to a reader that has gone.
            self._unread, self._copied = True, len(self._copy)
            self._end_source()
        if self._copied == len(self._copy):
            self._copy = b""

    def _take(self, items: list[Item]) -> None:
        """Folds items in, and tells of those that are none."""
        if not items:
            return
        if self._dated is None:
            self._date(items)
        self.fold.add_all(items, None if self._recorded else now())
        self._stage.changed()
        for item in items:
            if isinstance(item, BadLine):
                self._cut_off = self._cut_off or item.cut_off
                self._told += 1
                if self._told <= _TOLD:
                    self._stage.say(f"ohud stream: {item}")
            elif isinstance(item, TooLong):
                self._stage.say(f"ohud stream: line {item.number}: too long to be read ({item.size:,} bytes)")

    def _date(self, items: list[Item]) -> None:
        """Finds out from the first time that is told whether this happens now."""
        times = (moment(item.timestamp) for item in items if isinstance(item, Message))
        self._dated = next((at for at in times if at is not None), None)
        if self._dated is not None and self._command is None and self._dated < now() - _OLD_S:
            self._recorded = True

    def _read_errors(self, source: int, readable: bool) -> None:
        """Lets what the command says on standard error go by, line by line."""
        data = os.read(source, _PIECE) if readable else b""
        if readable and not data and self._command is not None:
            self._command.close_stderr()
        self._said += data
        if data:
            self._said_at = time.monotonic()
        end = self._said.rfind(b"\n") + 1
        if self._said and (time.monotonic() - self._said_at > _HELD_S or (readable and not data)):
            end = len(self._said)
        if end:
            self._stage.pass_by(bytes(self._said[:end]))
            del self._said[:end]

    def _status(self) -> int:
        """The exit status, as told in the help."""
        if self._signal is not None:
            return 128 + self._signal
        if self._command is not None and self._command.code:
            return self._command.code
        if self._unread:
            return DONE
        summary = self.fold.summary()
        if not summary.messages:
            command = self._asked.command
            hint = "it is what claude prints with -p --output-format stream-json --verbose"
            complain("stream", f"there is no message in {'what the command printed' if command else 'it'}", hint)
        if not summary.finished or self._cut_off:
            return BROKEN
        return NO if summary.is_error else DONE

    def document(self, families: dict[str, Any]) -> dict[str, Any]:
        """The final document, with those families computed."""
        moment, for_payload = self._clock()
        program = load(Quiet())
        world = Quiet(None, moment)
        world.configure(program["settings"], program["color"], program["columns"])
        world.memo.update(self.fold.memo())
        world.patience = _PATIENCE_S
        document = status.begin(self.fold.payload(for_payload), world)
        faults: list[str] = []
        status.compute(document, families, world, faults)
        for fault in faults:
            print(f"ohud stream: {fault}", file=sys.stderr)
        return document


def _evaluate(expression: Expression, show: Show) -> int:
    """Prints the value of an expression; 1 when it fails."""
    try:
        value = evaluate(expression.ir or [], show.document(families_of(expression.reach)))
    except Fault as fault:
        _print("null", sys.stdout)
        print(f"ohud stream: {fault}", file=sys.stderr)
        return NO
    _print(json.dumps(value, ensure_ascii=not _utf8(), indent=2 if sys.stdout.isatty() else None), sys.stdout)
    return DONE


def _utf8() -> bool:
    return (getattr(sys.stdout, "encoding", "") or "").lower().replace("-", "") == "utf8"


def _print(text: str, stream: Any) -> None:
    print(text, file=stream)
    stream.flush()
