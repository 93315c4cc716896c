"""`ohud preview`: a theme as the host would show it, on built-in moments of a session or on a payload of one's own."""

from __future__ import annotations

import os
import shutil
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ohud.cli import DONE, NO, complain, parser
from ohud.errors import nearest, quote, render
from ohud.host import scenarios
from ohud.run import status
from ohud.run.fault import Spent
from ohud.run.program import config_path
from ohud.run.world import World, depth
from ohud.theme import lower, read

COLORS = ("auto", "never", "16", "256", "truecolor")
_WIDEST = 1000
_PAYLOAD_LIMIT = 262144


@dataclass(frozen=True, slots=True)
class Moment:
    """Something to draw a theme on: a heading, the bytes for standard input, and the variables around them."""

    name: str
    description: str
    raw: bytes | None
    variables: dict[str, str]


class _Quiet(World):
    """A world that keeps to itself what a refresh would log: the lines drawn say it."""

    def log(self, text: str) -> None:
        """Nothing: a preview leaves no trace in the log of the real status line."""


def run(words: list[str]) -> int:
    """Draws the themes asked for; 1 when one of them cannot be used."""
    asked = _arguments(words)
    if asked.list:
        return _list()
    known = scenarios.names()
    for name in asked.scenario or ():
        if name not in known:
            close = nearest(name, known)
            hint = f"did you mean `{close}`?" if close else "ohud preview --list"
            return complain("preview", f"there is no scenario {quote(name)}", hint)
    if asked.payload and asked.payload != "-" and not os.path.isfile(asked.payload):
        return complain("preview", f"there is no file {quote(asked.payload, 200)}")
    world = World()
    themes = [name for name, _ in all_themes(world)] if asked.all else [asked.theme]
    code = DONE
    with _moments(asked, world) as moments:
        for number, theme in enumerate(themes):
            if asked.all:
                print("\n" * bool(number) + tinted(f"── {theme} ──", "1", paints(asked.color, world)))
            code = max(code, _show(theme, moments, asked, world))
    return code


def _arguments(words: list[str]) -> Namespace:
    reader = parser("preview")
    add = reader.add_argument
    add("--theme", metavar="NAME|FILE", help="a theme by name or file (default: the configured one)")
    add("--all", action="store_true", help="every theme, bundled and your own")
    add("--scenario", metavar="NAME", nargs="+", action="extend", help="only these built-in scenarios")
    add("--payload", metavar="FILE", help="a payload of your own, `-` for standard input")
    add("--transcript", metavar="FILE", help="the transcript that the payload names")
    add("--columns", metavar="N[,N...]", type=_widths, help="terminal widths, 0 for none (default: this terminal's)")
    add("--color", choices=COLORS, default="auto", help="how many colours (default: auto)")
    add("--list", action="store_true", help="list the scenarios")
    asked = reader.parse_args(words)
    if asked.all and asked.theme:
        reader.error("--all and --theme exclude each other")
    if asked.payload and asked.scenario:
        reader.error("--payload and --scenario exclude each other")
    return asked


def _widths(text: str) -> list[int]:
    """The numbers of `--columns`."""
    from argparse import ArgumentTypeError

    widths = [int(part) if part.isascii() and part.isdecimal() and len(part) < 5 else -1 for part in text.split(",")]
    if not all(0 <= width <= _WIDEST for width in widths):
        raise ArgumentTypeError(f"expected numbers from 0 to {_WIDEST}, separated by commas, not {quote(text)}")
    return widths


def _list() -> int:
    known = scenarios.scenarios()
    width = max(len(scenario.name) for scenario in known)
    for scenario in known:
        print(f"{scenario.name:{width}}  {scenario.description}")
    return DONE


def all_themes(world: World) -> list[tuple[str, str]]:
    """(name, path) of every theme: the bundled ones, then those beside the config."""
    config = config_path(world)
    return list(read.theme_names(os.path.dirname(config) if config else None))


def load_theme(theme: str | None, world: World) -> read.Loaded:
    """
    A theme with the config of this machine.

    Takes:  theme: a name or a file; None: the configured one
    """
    if theme is not None and (os.sep in theme or theme.endswith(".toml") or os.path.isfile(theme)):
        theme = os.path.abspath(os.path.expanduser(theme))
    config = config_path(world)
    return read.load(config, home=world.home, theme=theme, required=world.env("OHUD_CONFIG") is not None)


def _show(theme: str | None, moments: list[Moment], asked: Namespace, world: World) -> int:
    """Draws one theme on all moments and widths, its problems first."""
    loaded = load_theme(theme, world)
    built = lower.build(loaded)
    shown = [problem for problem in built.problems if problem.weight != "ignored"]
    for problem in shown:
        print(render(problem, loaded.text(problem), color=paints("auto", world, sys.stderr)) + "\n", file=sys.stderr)
    sys.stderr.flush()
    coloured = paints(asked.color, world)
    color = color_for(asked.color, built.program, world)
    for number, moment in enumerate(moments):
        for columns in asked.columns or [terminal_columns(world)]:
            width = f"{columns} columns" if columns else "no width"
            print("\n" * bool(number) + tinted(f"{moment.name}: {moment.description} · {width}", "2", coloured))
            print(draw(built.program, moment, columns, color, world.now) or tinted("(nothing)", "2", coloured))
    sys.stdout.flush()
    return NO if built.failed else DONE


@contextmanager
def _moments(asked: Namespace, world: World) -> Iterator[list[Moment]]:
    """What to draw on: the given payload, or the scenarios with their files set up."""
    if asked.payload:
        raw = sys.stdin.buffer.read(_PAYLOAD_LIMIT + 1) if asked.payload == "-" else _contents(asked.payload)
        name = "stdin" if asked.payload == "-" else os.path.basename(asked.payload)
        raw = _with_transcript(raw, asked.transcript)
        yield [Moment(name, "a payload of your own", raw if len(raw) <= _PAYLOAD_LIMIT else None, dict(os.environ))]
        return
    with staged_moments(asked.scenario, world.now) as moments:
        yield [
            Moment(m.name, m.description, _with_transcript(m.raw or b"", asked.transcript), m.variables)
            for m in moments
        ]


@contextmanager
def staged_moments(names: list[str] | None, now: float) -> Iterator[list[Moment]]:
    """The named scenarios (None: all) as moments, their files in place until the end of the block."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        moments = []
        for scenario in scenarios.scenarios():
            if names is None or scenario.name in names:
                stage = stack.enter_context(scenarios.staged(scenario, now))
                variables = {"USERPROFILE" if os.name == "nt" else "HOME": stage.home}
                moments.append(Moment(scenario.name, scenario.description, stage.raw, variables))
        if names:
            moments.sort(key=lambda moment: names.index(moment.name))
        yield moments


def _contents(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(_PAYLOAD_LIMIT + 1)


def _with_transcript(raw: bytes, transcript: str | None) -> bytes:
    """The payload with another transcript named in it."""
    if transcript is None:
        return raw
    import json

    from ohud.run.payload import parse

    payload = parse(raw)
    if payload is None:
        return raw
    return json.dumps({**payload, "transcript_path": os.path.abspath(transcript)}).encode()


def draw(program: dict[str, Any], moment: Moment, columns: int, color: str, now: float) -> str:
    """What the status line command prints for a moment, without the end of the last line."""
    variables = {**moment.variables, "COLUMNS": str(columns)}
    variables.pop("LINES", None)
    world = _Quiet(variables, now)
    chosen = {**program, "color": color}
    if columns == 0:
        chosen["columns"] = None
    try:
        return status.render(moment.raw, chosen, world).removesuffix("\n")
    except Spent:
        return str(program["fallback"]["error"])


def terminal_columns(world: World) -> int:
    """The width to draw for: COLUMNS, else the terminal's own, else 80."""
    return world.columns or shutil.get_terminal_size((80, 24)).columns


def paints(asked: str, world: World, stream: Any = None) -> bool:
    """Whether headings and reports are coloured: as asked, else on a terminal that does not say NO_COLOR."""
    if asked != "auto":
        return asked != "never"
    if world.env("NO_COLOR"):
        return False
    if world.env("FORCE_COLOR"):
        return depth("auto", world.env) > 0
    return bool((stream or sys.stdout).isatty()) and depth("auto", world.env) > 0


def color_for(asked: str, program: dict[str, Any], world: World) -> str:
    """The colour setting to draw with: what was asked for, else what the config says, where it can be seen."""
    if asked != "auto":
        return asked
    return status.COLORS[depth(program["color"], world.env)] if paints(asked, world) else "never"


def tinted(text: str, code: str, coloured: bool) -> str:
    """Text in a style of the terminal."""
    return f"\x1b[{code}m{text}\x1b[0m" if coloured else text
