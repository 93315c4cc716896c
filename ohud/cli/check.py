"""`ohud check`: every fault of a theme or config, all at once, each with its place and what to do."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ohud.cli import DONE, NO, parser
from ohud.cli.drawing import absolute
from ohud.cli.output import as_json, told
from ohud.cli.preview import load_theme, paints
from ohud.errors import Problem, count, render
from ohud.run.program import config_path
from ohud.run.world import World
from ohud.theme import lower, read


@dataclass(frozen=True, slots=True)
class Report:
    """What was found in one file; text: the file, for excerpts."""

    file: str
    problems: list[tuple[Problem, str | None]]


def run(words: list[str]) -> int:
    """Prints what is wrong; 0 when nothing is."""
    reader = parser("check")
    reader.add_argument("file", nargs="*", metavar="FILE", help="themes or configs (default: what is configured)")
    reader.add_argument(
        "--as", dest="kind", choices=("theme", "config"), help="what the files are (default: by content)"
    )
    reader.add_argument("--json", action="store_true", help="as JSON, for programs")
    asked = reader.parse_args(words)
    world = World()
    reports = [_file(path, asked.kind, world) for path in asked.file] if asked.file else _configured(world)
    if asked.json:
        print(as_json([_plain(report) for report in reports]))
    else:
        _print(reports, paints("auto", world))
    return NO if any(report.problems for report in reports) else DONE


def _file(path: str, kind: str | None, world: World) -> Report:
    """What is wrong with one file and what it builds on."""
    config = config_path(world)
    full = absolute(path)
    if kind is None and config is not None and full == absolute(config):
        kind = "config"
    folder = os.path.dirname(config) if config else None

    def look(directory: str | None) -> read.Loaded:
        return read.read_theme_file(full, home=world.home, config_dir=folder, kind=kind, directory=directory)

    problems = [found for loaded in _everywhere(look, world) for found in _found(loaded)]
    return Report(path, [(_named(problem, full, path), text) for problem, text in dict.fromkeys(problems)])


def _configured(world: World) -> list[Report]:
    """What is wrong with the config, its themes and what those extend, by file."""
    reports: dict[str, Report] = {}
    for loaded in _everywhere(lambda directory: load_theme(None, world, directory=directory), world):
        for path in loaded.files:
            reports.setdefault(path, Report(path, []))
        for found in _found(loaded):
            span = found[0].span
            file = span.file if span else config_path(world) or "config.toml"
            report = reports.setdefault(file, Report(file, []))
            if found not in report.problems:
                report.problems.append(found)
    return list(reports.values())


def _everywhere(look: Callable[[str | None], read.Loaded], world: World) -> list[read.Loaded]:
    """What is drawn by the config at large, and what in each directory of its `[projects]`."""
    loaded = look(None)
    folders = read.project_folders(loaded.theme.settings["projects"], world.home)
    return [loaded, *(look(folder) for folder in sorted(folders))]


def _found(loaded: read.Loaded) -> list[tuple[Problem, str | None]]:
    """Every problem with its file's text, in the order of files and lines."""
    order = list(loaded.files)

    def place(problem: Problem) -> tuple[int, int, int]:
        span = problem.span
        if span is None:
            return -1, 0, 0
        return order.index(span.file) if span.file in order else len(order), span.line or 0, span.column or 0

    return [(problem, loaded.text(problem)) for problem in sorted(lower.build(loaded).problems, key=place)]


def _named(problem: Problem, full: str, given: str) -> Problem:
    """The problem with its file called as the user called it."""
    if problem.span is None or problem.span.file != full:
        return problem
    return replace(problem, span=replace(problem.span, file=given))


def _print(reports: list[Report], color: bool) -> None:
    blocks = []
    for report in reports:
        blocks += [render(problem, text, color=color) for problem, text in report.problems]
    if blocks:
        print("\n\n".join(blocks) + "\n")
    for report in reports:
        print(f"{told(report.file)}: " + (count(len(report.problems), "problem") if report.problems else "ok"))


def _plain(report: Report) -> dict[str, Any]:
    """A report as plain data."""
    return {
        "file": report.file,
        "ok": not report.problems,
        "problems": [
            {
                "kind": problem.kind,
                "weight": problem.weight,
                "message": problem.message,
                "help": problem.help,
                "file": problem.span.file if problem.span else report.file,
                "line": problem.span.line if problem.span else None,
                "column": problem.span.column if problem.span else None,
                "length": problem.span.length if problem.span else None,
            }
            for problem, _ in report.problems
        ],
    }
