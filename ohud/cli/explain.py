"""`ohud explain`: each segment of a theme on one payload: what it reads, shows and costs, or why it is hidden."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import Any

from ohud.cli import DONE, NO, complain, parser
from ohud.cli.drawing import COLORS, Moment, color_for, load_theme, named, paints, terminal_columns, tinted
from ohud.cli.explanation import Computed, Explained, Report, explain, shortened
from ohud.cli.output import as_json, told
from ohud.cli.subject import add_subject, subject
from ohud.errors import Problem, count, nearest, quote, render
from ohud.run.cells import ellipsis, pad, width
from ohud.run.fault import Spent
from ohud.run.payload import parse
from ohud.run.world import World
from ohud.theme import lower, read

_WIDEST = 1000
_NARROWEST, _WIDEST_TABLE = 60, 140  # cells of the table


def run(words: list[str]) -> int:
    """Explains a theme; 1 when it cannot be used or there is no payload."""
    asked = _arguments(words)
    world = World()
    loaded = load_theme(asked.theme, world)
    built = lower.build(loaded)
    _complain(built.problems, loaded, world)
    if built.failed:
        return NO
    for name in asked.segment:
        if name not in loaded.theme.segments:
            close = nearest(name, loaded.theme.segments)
            hint = f"did you mean `{close}`?" if close else "ohud explain"
            return complain("explain", f"the theme has no segment {quote(name)}", hint)
    columns = terminal_columns(world) if asked.columns is None else asked.columns
    color = color_for(asked.color, built.program, world)
    moment = subject(asked, "explain")
    if moment.raw is None or parse(moment.raw) is None:
        said = quote(loaded.theme.fallback["no_input"])
        print(f"ohud explain: {moment.name} is no JSON object of at most 256 KiB, and gets {said}", file=sys.stderr)
        return NO
    try:
        found = explain(loaded, built, moment, columns, color)
    except Spent as fault:
        print(f"ohud explain: the render as a whole fails: {told(str(fault))}", file=sys.stderr)
        return NO
    if asked.json:
        print(as_json(_plain(found, loaded, moment, columns, color)))
    else:
        _print(found, loaded, moment, columns, terminal_columns(world), paints(asked.color, world), asked.segment)
    return DONE


def _arguments(words: list[str]) -> Namespace:
    reader = parser("explain")
    add = reader.add_argument
    add("segment", nargs="*", metavar="SEGMENT", help="only these segments")
    add("--theme", metavar="NAME|FILE", type=named, help="a theme by name or file (default: the configured one)")
    add_subject(reader)
    add("--columns", metavar="N", type=_columns, help="terminal width, 0 for none (default: this terminal's)")
    add("--color", choices=COLORS, default="auto", help="how many colours (default: auto)")
    add("--json", action="store_true", help="as JSON, for programs")
    return reader.parse_args(words)


def _columns(text: str) -> int:
    from argparse import ArgumentTypeError

    if not (text.isascii() and text.isdecimal() and len(text) < 5 and int(text) <= _WIDEST):
        raise ArgumentTypeError(f"expected a number from 0 to {_WIDEST}, not {quote(text)}")
    return int(text)


def _complain(problems: list[Problem], loaded: read.Loaded, world: World) -> None:
    for problem in problems:
        if problem.weight != "ignored":
            said = render(problem, loaded.text(problem), color=paints("auto", world, sys.stderr))
            print(said + "\n", file=sys.stderr)
    sys.stderr.flush()


_MARK = {"shown": "●", "cut": "◐", "dropped": "✗", "read": "◌", "fault": "✗"}
_TONE = {"shown": "32", "cut": "33", "dropped": "33", "read": "36", "fault": "31"}


def _print(
    found: Explained,
    loaded: read.Loaded,
    moment: Moment,
    columns: int,
    terminal: int,
    coloured: bool,
    only: list[str],
) -> None:
    """The lines as they are drawn, a table of the segments, and the sums."""
    room = max(_NARROWEST, min(terminal, _WIDEST_TABLE))
    where = f"{columns} columns" if columns else "no width"
    print(tinted(f"{loaded.theme.name or 'theme'} on {moment.name}: {moment.description} · {where}", "2", coloured))
    print(found.output or tinted("(nothing)", "2", coloured))
    names = max([len(report.name) for report in found.reports] + [7])
    names = min(names, 24)
    left = room - names - 26
    print()
    head = f"  {'segment':{names}}  {'text, or why there is none':{left}} {'cells':>5} {'fields':>7} {'format':>7}"
    print(tinted(head.rstrip(), "1", coloured))
    for report in found.reports:
        if not only or report.name in only:
            _print_report(report, names, left, room, coloured)
    print()
    for line in _sums(found, room):
        print(tinted(line, "2", coloured))


def _print_report(report: Report, names: int, left: int, room: int, coloured: bool) -> None:
    mark = tinted(_MARK.get(report.state, "○"), _TONE.get(report.state, "2"), coloured)
    name = tinted(pad(ellipsis(report.name, names), names), "1", coloured)
    said = report.text if report.state in ("shown", "cut") else _told(report)
    details = _details(report)
    if report.watch.values or report.watch.computed or report.text:
        if width(said) > left and report.reason and report.state != "cut":
            said = _WORD.get(report.state, report.state)
            details.insert(0, report.reason)
        cells = str(report.cells) if report.cells else "-"
        spent = _ms(report.watch.compute_s), _ms(report.watch.format_s + report.watch.expression_s)
        said = pad(ellipsis(said, left), left)
        said = said if report.state == "shown" else tinted(said, "2", coloured)
        print(f"{mark} {name}  {said} {cells:>5} {spent[0]:>7} {spent[1]:>7}")
    else:
        print(f"{mark} {name}  {tinted(ellipsis(said, room - names - 4), '2', coloured)}")
    for line in _packed(details, room - 4, " · "):
        print(tinted("    " + line, "2", coloured))


_WORD = {"read": "not printed", "unused": "not used", "skipped": "not reached"}


def _told(report: Report) -> str:
    """What stands in the text's place."""
    return _one_line(f"{_WORD.get(report.state, report.state)}: {report.reason}")


def _details(report: Report) -> list[str]:
    """The expression with its value, then what makes up its look and what had to be read for it."""
    parts = []
    if report.source.value is not None:
        known = "value" in report.watch.values
        value = " = " + shortened(report.watch.values["value"], _VALUE) if known else ""
        parts.append(_one_line(report.source.value) + value)
    if report.state == "cut" and report.reason:
        parts.append(report.reason)
    return parts + _traits(report)


_VALUE = 48  # cells of a value


def _packed(parts: list[str], room: int, joint: str) -> list[str]:
    """The parts in as few lines as they take, in their order."""
    lines: list[str] = []
    for part in parts:
        part = ellipsis(part, room)
        if lines and width(lines[-1] + joint + part) <= room:
            lines[-1] += joint + part
        else:
            lines.append(part)
    return lines


def _traits(report: Report) -> list[str]:
    source = report.source
    parts = []
    if source.default is not None and report.watch.values.get("value", source) is None:
        parts.append(f"default {shortened(source.default, 30)}")
    if source.when is not None and report.state != "hidden":
        parts.append("when " + _one_line(source.when))
    if report.style:
        level = f" (from {report.level[0]:g} on)" if report.level else ""
        parts.append(report.style + level)
    if report.priority != 50:
        parts.append(f"priority {report.priority}")
    if report.watch.computed:
        parts += [_computed(each) for each in report.watch.computed]
    elif report.needs and report.watch.values:
        parts.append("fields already there")
    return parts


def _computed(each: Computed) -> str:
    size = f", {_bytes(each.bytes_read)} read" if each.bytes_read else ""
    fault = f", fault: {told(each.fault, 120)}" if each.fault else ""
    slow = ", slow" if each.slow else ""
    return f"{each.path.removeprefix('computed.')} {_ms(each.seconds)} ms{size}{slow}{fault}"


def _sums(found: Explained, room: int) -> list[str]:
    computed = found.computed
    families = {each.path.split(".")[1] for each in computed}
    widest = max([width(line) for line in found.lines], default=0)
    of = f" of {found.room}" if found.room is not None else ""
    among = f" of {len(families)} {'family' if len(families) == 1 else 'families'}" if families else ""
    lines = [
        f"{count(len(found.lines), 'line')}, the widest {widest}{of} cells",
        f"{count(len(computed), 'field')}{among} computed",
        f"{_bytes(found.bytes_read)} read",
    ]
    times = [f"{_ms(sum(found.stages.values()))} ms, all modules loaded"]
    times += [f"{stage} {_ms(seconds)}" for stage, seconds in found.stages.items()]
    told = _packed(lines, room, ", ") + _packed(times, room, ", ")
    if any(each.slow for each in computed):
        told += _packed(["slow: a refresh shows the last answer", "it is renewed in the background"], room, ", ")
    return told


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f}"


def _bytes(number: int) -> str:
    return f"{number} bytes" if number < 1024 else f"{number / 1024:.1f} KiB"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _plain(found: Explained, loaded: read.Loaded, moment: Moment, columns: int, color: str) -> dict[str, Any]:
    """All of it as plain data, times in milliseconds."""
    return {
        "theme": loaded.theme.name,
        "payload": moment.name,
        "columns": columns or None,
        "color": color,
        "output": found.output,
        "segments": [_plain_report(report) for report in found.reports],
        "totals": {
            "lines": len(found.lines),
            "cells": [width(line) for line in found.lines],
            "room": found.room,
            "fields": len(found.computed),
            "bytes_read": found.bytes_read,
            "ms": round(sum(found.stages.values()) * 1000, 3),
            "stages_ms": {stage: round(seconds * 1000, 3) for stage, seconds in found.stages.items()},
        },
    }


def _plain_report(report: Report) -> dict[str, Any]:
    source, watch = report.source, report.watch
    return {
        "name": report.name,
        "state": report.state,
        "reason": report.reason,
        "expression": source.value,
        "when": source.when,
        "value": report.value,
        "text": report.text,
        "cells": report.cells,
        "style": report.style,
        "level": {"at": report.level[0], "style": report.level[1]} if report.level else None,
        "priority": report.priority,
        "needs": report.needs,
        "computed": [
            {
                "path": each.path,
                "value": each.value,
                "ms": round(each.seconds * 1000, 3),
                "bytes_read": each.bytes_read,
                "slow": each.slow,
                "fault": each.fault,
            }
            for each in watch.computed
        ],
        "compute_ms": round(watch.compute_s * 1000, 3),
        "expression_ms": round(watch.expression_s * 1000, 3),
        "format_ms": round(watch.format_s * 1000, 3),
        "bytes_read": sum(each.bytes_read for each in watch.computed),
    }
