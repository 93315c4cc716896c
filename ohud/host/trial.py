"""What comes of a status line command when it is run as the host runs it, and why nothing, or not all, is drawn."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import stat
import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ohud.errors import count, quote
from ohud.host import scenarios
from ohud.host.case import Case, from_the_user, fullscreen, may_run, number, redact
from ohud.host.command import ours
from ohud.host.diagnosis import NOTE, OK, PROBLEM, Finding
from ohud.host.process import dumped
from ohud.host.runtime import Row, Run, decorations, draw, normalise, run_command
from ohud.host.screen import room, usable

# The host waits ten minutes, nobody else does.
PATIENCE_S = 10.0
# A trigger that comes sooner than the command ends has it killed; they come this close [s].
_QUICK_S = 0.3
# Rows that the prompt, what is around it, and a line of the conversation take.
_PROMPT_ROWS = 6
_EXCERPT = 3  # lines of what a command said
_ROUNDS = 3  # runs of a quick command
_REPAIR = "correct the path in the command, or run `ohud install`"
_INTERPRETERS = re.compile(r"(?:python|pypy|node|bun|deno|ruby|perl|php|lua|bash|dash|zsh|fish|sh)[\d.]*(?:\.exe)?$")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")


@dataclass(frozen=True, slots=True)
class Trial:
    """
    The command run as the host runs it: the last run, how long each took, what the host would draw.

    Takes:  shown: the rows for the eye, secrets left out
    """

    run: Run
    times: tuple[float, ...]
    rows: tuple[Row, ...] = ()
    shown: tuple[Row, ...] = ()

    @property
    def took_s(self) -> float:
        """How long a run takes; the first one may have had more to do."""
        return statistics.median(self.times[1:] or self.times)


def try_out(case: Case) -> Trial | None:
    """The command run as the host runs it, on a built-in moment of a session; None when it may not be run."""
    command = case.command
    if command is None or not command.strip() or not may_run(case):
        return None
    with _moment(case) as payload:
        times: list[float] = []
        while True:
            run = run_command(
                command,
                payload,
                case.env,
                case.directory,
                case.columns,
                case.lines,
                version=case.version,
                limit_s=PATIENCE_S,
            )
            times.append(run.took_s)
            if run.code != 0 or run.took_s > 1.0 or len(times) == _ROUNDS:
                break
    if run.code != 0:
        return Trial(run, tuple(times))
    lines = normalise(run.stdout, case.version)
    rows, shown = (
        tuple(draw(text, case.columns, case.padding, case.version))
        for text in (lines, redact("\n".join(lines), case).split("\n"))
    )
    return Trial(run, tuple(times), rows, shown)


def payload_bytes(case: Case) -> bytes:
    """The payload of a built-in moment as bytes; the files that it speaks of are gone."""
    with _moment(case) as payload:
        return dumped(payload)


@contextmanager
def _moment(case: Case) -> Iterator[dict[str, Any]]:
    """The payload of a built-in moment in the case's directory, its transcript in place until the end of the block."""
    moment = next(one for one in scenarios.scenarios() if one.name == "working")
    with scenarios.staged(moment, case.world.now) as stage:
        payload: dict[str, Any] = json.loads(stage.raw)
        payload["cwd"] = case.directory
        payload["workspace"] |= {"current_dir": case.directory, "project_dir": case.directory}
        payload["version"] = case.host or case.version.name
        yield payload


def failure(case: Case, trial: Trial) -> Finding | None:
    """Why the host would draw nothing after this run; None when it would draw something."""
    run, command = trial.run, case.command or ""
    if run.error is not None:
        return Finding("command", PROBLEM, f"the command cannot be started: {run.error}", "correct the command")
    if run.timed_out:
        message = f"the command has not ended after {PATIENCE_S:g} s"
        remedy = "it must end by itself, and whatever it leaves running must let go of its output (`>/dev/null 2>&1`)"
        return Finding("time", PROBLEM, message, remedy, _said(case, run))
    if run.code != 0:
        return _not_there(case, command, run) or _ended_badly(case, run)
    return None if any(row.text.strip() for row in trial.rows) else _nothing_to_draw(case, run)


def _not_there(case: Case, command: str, run: Run) -> Finding | None:
    """A program or script that is missing or may not be executed; None when that is not what went wrong."""
    words = plain_words(command)
    if not words:
        return None
    program, path = words[0], resolve(words[0], case)
    named = quote(program, 200)
    if path is None and run.code == 127:
        looked = "is not there" if _has_folder(program) else "is not on the PATH that Claude Code has"
        if "\\" in command:
            looked += ": the shell takes the backslashes away"
        return Finding("command", PROBLEM, f"{named} {looked}", _REPAIR)
    if path is None:
        return None
    if run.code == 126 and not os.access(path, os.X_OK):
        return Finding("command", PROBLEM, f"{named} may not be executed", f"chmod +x {shlex.quote(path)}")
    interpreter = _lacking(path, case)
    if run.code in (126, 127) and interpreter:
        odd = " (the line ends with a carriage return)" if interpreter.endswith("\r") else ""
        message = f"the interpreter that {named} names is not there: {quote(interpreter, 200)}{odd}"
        return Finding("interpreter", PROBLEM, message, "correct the first line of the script")
    script = next((word for word in words[1:] if not word.startswith("-")), None)
    if script and _has_folder(script) and _INTERPRETERS.match(os.path.basename(program)) and not resolve(script, case):
        return Finding("command", PROBLEM, f"{quote(script, 200)} is not there", _REPAIR)
    for word in (program, script):
        # A path that the shell would have to complete, kept from it.
        kept = [mark for mark in {"~": "'\"", "$": "'"}.get((word or "-")[0], "") if f"{mark}{word}" in command]
        full = resolve(word, case) if word and kept else None
        if word and full:
            message = f"the shell does not find {quote(word, 200)}: between quotes it leaves `{word[0]}` as it is"
            return Finding("command", PROBLEM, message, f"write {shlex.quote(full)} in its place")
    return None


def _ended_badly(case: Case, run: Run) -> Finding:
    """An exit status other than 0, which makes the host throw the output away."""
    code = run.code
    if code is None or code < 0 or code > 128:
        how = "did not end by itself" if code is None else f"was ended by signal {-code if code < 0 else code - 128}"
        remedy = "find out what ends it: memory, a limit, a crash"
        return Finding("exit-status", PROBLEM, f"the command {how}", remedy, _said(case, run))
    message = f"the command ends with status {code}; Claude Code draws nothing then"
    if code in (126, 127):
        message += ". Something that it calls is missing" if code == 127 else ". Something that it calls may not be run"
    remedy = "it must end with status 0, also when it has nothing to say"
    return Finding("exit-status", PROBLEM, message, remedy, _said(case, run))


def _nothing_to_draw(case: Case, run: Run) -> Finding:
    """Why output that came with status 0 makes no row."""
    limit = case.version.output_limit
    if not run.stdout:
        message, remedy = "the command prints nothing", "have it print the line to standard output"
        return Finding("output", PROBLEM, message, remedy, _said(case, run))
    if limit is not None and len(run.stdout.decode("utf-8", "replace")) > limit // 2 and not normalise(run.stdout):
        message = f"the command prints more than {limit} characters; Claude Code draws nothing then"
        return Finding("output", PROBLEM, message, "have it print a line or two")
    message = "the command prints nothing that can be seen: blanks and escape sequences only"
    return Finding("output", PROBLEM, message, "have it print some text", _said(case, run))


def drawing(case: Case, trial: Trial) -> Iterator[Finding]:
    """What the host makes of the output: too wide, too high, too late."""
    yield from _width(case, trial)
    yield from _rows(case, trial)
    yield from _time(case, trial)


def _width(case: Case, trial: Trial) -> Iterator[Finding]:
    cells = usable(case.columns, case.padding)
    cut = [number for number, row in enumerate(trial.rows, 1) if row.cut]
    where = f"{case.columns} columns" + (f" with padding {case.padding}" if case.padding else "")
    if not cut:
        yield Finding("width", OK, f"every row fits {count(cells, 'cell')} ({where})")
        return
    which = ("row " if len(cut) == 1 else "rows ") + ", ".join(map(str, cut))
    message = f"{which} too wide: Claude Code draws {count(cells, 'cell')} at {where} and cuts the rest"
    remedy = f"keep each line to COLUMNS - {4 + 2 * case.padding} cells"
    if ours(case.command):
        margin = max(0, 4 + 2 * case.padding)
        remedy = f"set `margin = {margin}` in config.toml, as `ohud install --padding {case.padding}` does"
    yield Finding("width", PROBLEM, message, remedy)


def _rows(case: Case, trial: Trial) -> Iterator[Finding]:
    number, full = len(trial.rows), fullscreen(case)
    if full and case.lines < case.version.fullscreen_rows:
        message = f"version {case.version.name} draws no status line on a full screen of {count(case.lines, 'row')}"
        yield Finding("rows", PROBLEM, message, f"make the terminal {case.version.fullscreen_rows} rows high")
        return
    most = room(case.lines, case.version) if full else max(0, case.lines - _PROMPT_ROWS)
    if number <= most:
        yield Finding("rows", OK, f"{count(number, 'row')} in a terminal of {case.lines}")
        return
    happens = f"shows the first {most}" if full else "has no room left for the prompt"
    many = f"{count(number, 'row')} {'is' if number == 1 else 'are'} too many"
    message = f"{many}: a terminal of {count(case.lines, 'row')} {happens}"
    yield Finding("rows", PROBLEM, message, "show fewer lines, or make the terminal higher")


def _time(case: Case, trial: Trial) -> Iterator[Finding]:
    took, interval = trial.took_s, number(case.wanted.status_line, "refreshInterval")
    said = f"a run takes {_spoken(took)}"
    if interval is not None and took >= max(1.0, interval):
        interval = max(1.0, interval)
        message = f"{said}, longer than the refresh interval of {interval:g} s: every run is ended by the next one"
        remedy = "make the command faster, or raise `refreshInterval`"
        if ours(case.command):
            remedy = f"see below what makes it slow, or run `ohud install --refresh {int(took) + 1}`"
        yield Finding("time", PROBLEM, message, remedy)
    elif took > _QUICK_S:
        message = f"{said}; while Claude Code is busy, each change ends the run before it"
        yield Finding("time", NOTE, message, "make the command faster")
    else:
        yield Finding("time", OK, said)


def subagents(case: Case) -> Iterator[Finding]:
    """The command of the subagents' rows, when there is one: what comes of it on two built-in tasks."""
    line, source = case.wanted.subagent_status_line, case.wanted.subagent_source
    if line is None or not from_the_user(source, case):
        return
    tasks = [
        {
            "id": name,
            "type": "local_agent",
            "status": "running",
            "description": "find the cause",
            "label": "find the cause",
            "startTime": int((case.world.now - 42) * 1000),
            "model": "claude-opus-5-5",
            "contextWindowSize": 200000,
            "tokenCount": 8400,
            "tokenSamples": [4200, 8400],
            "cwd": case.directory,
        }
        for name in ("a1", "a2")
    ]
    payload = {
        "session_id": "00000000-0000-4000-8000-000000000000",
        "transcript_path": os.path.join(case.directory, "none.jsonl"),
        "cwd": case.directory,
        "columns": case.columns - case.version.subagent_margin,
        "tasks": tasks,
    }
    run = run_command(line["command"], payload, case.env, case.directory, None, None, version=case.version, limit_s=5.0)
    remedy = "run it by hand with `ohud host`, or take `subagentStatusLine` out of the settings"
    if run.error or run.timed_out or run.code != 0:
        how = run.error or ("takes longer than 5 s" if run.timed_out else f"ends with status {run.code}")
        yield Finding("subagents", PROBLEM, f"the command for subagent rows {how}", remedy, _said(case, run))
        return
    found = decorations(run.stdout)
    drawn = [task["id"] for task in tasks if task["id"] in found]
    if drawn:
        yield Finding("subagents", OK, f"{len(drawn)} of {count(len(tasks), 'subagent row')} drawn")
        return
    message = 'the command for subagent rows prints no line of the form {"id": ..., "content": ...} for a task'
    yield Finding("subagents", PROBLEM, message, remedy, _said(case, run))


def plain_words(command: str) -> list[str]:
    """The words of the first program in a command line, without assignments before it; none when that is not plain."""
    try:
        lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        lexer.commenters = ""
        words = list(lexer)
    except ValueError:
        return []
    end = next((at for at, word in enumerate(words) if word and not set(word) - set("();<>|&")), len(words))
    words = words[:end]
    while words and (_ASSIGNMENT.match(words[0]) or words[0] in ("exec", "env", "command", "nohup")):
        words.pop(0)
    return words


def resolve(word: str, case: Case) -> str | None:
    """The file that a word of the command line names; None when there is none, or it takes a shell to know."""
    if word.startswith("~/") and case.world.home:
        word = case.world.home + word[1:]
    word = re.sub(r"\$(\w+)|\$\{(\w+)\}", lambda found: case.env.get(found[1] or found[2], ""), word)
    if _has_folder(word):
        path = os.path.join(case.directory, word)
        return path if os.path.isfile(path) else None
    return shutil.which(word, path=case.env.get("PATH"))


def _has_folder(word: str) -> bool:
    return "/" in word or (os.sep in word)


def _lacking(path: str, case: Case) -> str | None:
    """The interpreter that a script's first line names and that is not there, a carriage return at its end kept."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        with open(path, "rb") as file:
            line = file.readline(256)
    except OSError:
        return None
    if not line.startswith(b"#!"):
        return None
    words = re.findall(r"[^ \t\n]+", line[2:].decode("utf-8", "replace"))
    if not words or not os.path.exists(words[0]):
        return words[0] if words else None
    if os.path.basename(words[0]) != "env":
        return None
    named = next((word for word in words[1:] if not word.startswith("-") and "=" not in word), None)
    return named if named and resolve(named, case) is None else None


def _spoken(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def _said(case: Case, run: Run) -> tuple[str, ...]:
    """The first lines of what a command said, on standard error or else on standard output."""
    for name, data in (("stderr", run.stderr), ("stdout", run.stdout)):
        text = redact(data[:65536].decode("utf-8", "replace"), case)
        lines = [line for line in text.splitlines() if line.strip()]
        if lines:
            return tuple(f"{name}: {quote(line, 160)}" for line in lines[:_EXCERPT])
    return ()
