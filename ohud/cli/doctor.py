"""`ohud doctor`: why the status line is not there, or not whole, and what to do about it."""

from __future__ import annotations

import json
import os
import shutil
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ohud import __version__
from ohud.cli import DONE, NO, complain, parser
from ohud.cli.preview import paints, tinted
from ohud.errors import count, invisible, quote
from ohud.host import checkup, diagnosis
from ohud.host.case import SHOWN, Case, may_run, open_case, redact
from ohud.host.diagnosis import NOTE, OK, PROBLEM, Finding
from ohud.host.process import working_directory
from ohud.host.trial import Trial, drawing, failure, payload_bytes, subagents, try_out
from ohud.run.world import World

_SIZE = (80, 24)
_MOST = 1000
_LABELS = {OK: ("ok", "32"), NOTE: ("note", "33"), PROBLEM: ("problem", "1;31")}


@dataclass(slots=True)
class Report:
    """
    All that was found, in the order in which the host comes to it.

    Takes:  failed: nothing came of the run
    """

    case: Case
    trial: Trial | None = None
    failed: bool = False
    timing: checkup.Timing | None = None
    findings: list[Finding] = field(default_factory=list)

    @property
    def causes(self) -> list[Finding]:
        """The findings that are reasons for a missing line."""
        return [finding for finding in self.findings if finding.state == PROBLEM]

    @property
    def named(self) -> set[str]:
        """The names of the causes."""
        return {finding.name for finding in self.causes}


def run(words: list[str]) -> int:
    """Prints what was found; 0 when nothing keeps the line from being drawn."""
    asked = _arguments(words)
    directory = os.path.abspath(asked.directory or os.environ.get("CLAUDE_PROJECT_DIR") or working_directory())
    if not os.path.isdir(directory):
        return complain("doctor", f"there is no directory {quote(directory, 200)}")
    world = World()
    size = shutil.get_terminal_size(_SIZE)
    case = open_case(
        world, os.environ, directory, columns=asked.columns or size.columns, lines=asked.lines or size.lines
    )
    report = examine(case, asked.run)
    if asked.json:
        print(json.dumps(plain(report), ensure_ascii=False, indent=2))
    else:
        _print(report, paints("auto", world))
    return NO if report.causes else DONE


def _arguments(words: list[str]) -> Namespace:
    reader = parser("doctor")
    add = reader.add_argument
    add("--directory", metavar="DIR", help="where Claude Code is started (default: here)")
    add("--columns", metavar="N", type=_size, help="width of the terminal (default: this one's)")
    add("--lines", metavar="N", type=_size, help="its height")
    add("--no-run", dest="run", action="store_false", help="look at settings and files only, run no command")
    add("--json", action="store_true", help="as JSON, for programs")
    return reader.parse_args(words)


def _size(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:5]) <= _MOST):
        raise ArgumentTypeError(f"expected a number from 1 to {_MOST}, not {quote(text)}")
    return int(text)


def examine(case: Case, run: bool = True) -> Report:
    """
    Every check, one after the other.

    Takes:  run: whether the configured command may be run
    """
    report = Report(case)

    def add(findings: Iterable[Finding]) -> None:
        # One by one: later checks look at what earlier ones have found.
        for finding in findings:
            report.findings.append(finding)

    add(diagnosis.host(case))
    for look in (diagnosis.settings_files, diagnosis.configured, diagnosis.precedence):
        add(look(case))
    add(diagnosis.switches(case))
    add(diagnosis.trust(case))
    log = checkup.read_log(case)
    # What a project brings along is not even asked for its version where nobody trusts the project.
    mine = checkup.own(case) if case.command is None or may_run(case) else None
    if run:
        add(_command(report, mine))
    if mine is not None:
        add(_own(report, mine, log, run))
    return report


def _command(report: Report, mine: checkup.Own | None) -> Iterator[Finding]:
    """What comes of running the commands."""
    case = report.case
    report.trial = trial = try_out(case)
    if trial is not None:
        cause = failure(case, trial)
        if cause is not None:
            report.failed = True
            found = checkup.check_interpreter(mine) if mine is not None else None
            # A wrong interpreter explains every way in which a command of ours can fail.
            yield cause if found is None or found.state != PROBLEM else found
        else:
            yield Finding("command", OK, "the command ends with status 0")
            yield from drawing(case, trial)
    elif case.command and case.command.strip():
        message = "the command was not run: it comes from a project that is not trusted"
        yield Finding("command", NOTE, message)
    yield from subagents(case)


def _own(report: Report, mine: checkup.Own, log: list[str], run: bool) -> Iterator[Finding]:
    """What ohud itself says of its health."""
    case = report.case
    if run and "interpreter" not in report.named:
        yield checkup.check_interpreter(mine)
    if run and not report.failed:
        yield from checkup.check_bytecode(mine)
    yield checkup.check_cache(case)
    theme = checkup.read_theme(case)
    yield checkup.check_theme(theme)
    faults = None
    if "theme" not in report.named:
        faults = checkup.check_faults(case, report.trial)
    if faults is not None:
        yield faults
    yield checkup.check_log(case, log, theme.changed, bool(report.causes))
    # Each of the many runs would log its faults.
    if report.trial is not None and not report.failed and faults is None:
        words = checkup.command_words(mine, case)
        report.timing = checkup.measure(case, mine, words, payload_bytes(case)) if words else None
        yield from checkup.check_speed(case, mine, report.timing)


def plain(report: Report) -> dict[str, Any]:
    """The report as plain data, with the same keys always."""
    case, trial, timing = report.case, report.trial, report.timing
    source = case.wanted.source

    def told(text: str) -> str:
        text = redact(text, case)
        return "".join(_spelt(character) for character in text) if not text.isprintable() else text

    return {
        "ohud": __version__,
        "ok": not report.causes,
        "host": case.host,
        "directory": case.directory,
        "command": redact(case.command, case) if case.command is not None else None,
        "source": {"kind": source.kind, "path": source.path} if source is not None else None,
        "settings": [
            {"kind": one.kind, "path": one.path, "exists": one.exists, "problem": one.problem}
            for one in case.sources.files
        ],
        "trusted": case.trusted,
        "disabled": case.effective.disabled,
        "terminal": {"columns": case.columns, "lines": case.lines},
        "environment": {name: case.env.get(name) for name in SHOWN},
        "run": None
        if trial is None
        else {
            "status": trial.run.code,
            "took_ms": round(trial.took_s * 1000, 1),
            "rows": [row.line for row in trial.shown],
            "cut": [number for number, row in enumerate(trial.rows) if row.cut],
        },
        "timing": None
        if timing is None
        else {
            "least_ms": round(timing.least_ms, 2),
            "usual_ms": round(timing.usual_ms, 2),
            "bare_ms": round(timing.bare_ms, 2),
            "stages_ms": {name: round(spent, 3) for name, spent in timing.stages_ms.items()},
        },
        "findings": [
            {
                "name": finding.name,
                "state": finding.state,
                "message": told(finding.message),
                "remedy": told(finding.remedy) if finding.remedy is not None else None,
                "details": [told(detail) for detail in finding.details],
            }
            for finding in report.findings
        ],
    }


def _spelt(character: str) -> str:
    """A character as it may be printed; joiners and the emoji selector hold an emoji together."""
    if character in "\n\u200d\ufe0f" or not invisible(character):
        return character
    return f"<U+{ord(character):04X}>"


def _print(report: Report, coloured: bool) -> None:
    case = report.case
    told = plain(report)
    if told["command"] is not None:
        print("command: " + quote(told["command"], 300))
    if report.trial is not None:
        print(tinted(f"drawn at {case.columns} columns:", "2", coloured))
        for row in report.trial.shown:
            print("  " + (row.ansi() if coloured else row.line))
        if not report.trial.shown:
            print("  " + tinted("(nothing)", "2", coloured))
    if told["command"] is not None:
        print()
    width = max(len(label) for label, _ in _LABELS.values())
    for finding in told["findings"]:
        label, tone = _LABELS[finding["state"]]
        head = tinted(f"{label:{width}}", tone, coloured)
        print(f"{head}  {finding['name']}: {finding['message']}")
        margin = " " * (width + 2)
        if finding["state"] != OK or finding["name"] == "speed":
            for detail in finding["details"]:
                print("\n".join(margin + line for line in detail.split("\n")))
        if finding["remedy"] and finding["state"] != OK:
            print(margin + tinted("help", "1;36", coloured) + ": " + finding["remedy"])
    causes = len(report.causes)
    print()
    print("all is well" if not causes else f"{count(causes, 'cause')} found")
    sys.stdout.flush()
