"""What the commands draw themes with: moments of a session, and an artist for each theme."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from ohud.errors import render
from ohud.host import scenarios
from ohud.host.loop import Loop
from ohud.host.runtime import Session, Subagents, decorations
from ohud.host.screen import Row, normalise
from ohud.host.screen import draw as drawn_by_host
from ohud.host.version import NEW, Version
from ohud.run import status, subagents
from ohud.run.fault import Spent
from ohud.run.program import config_path
from ohud.run.world import World, depth
from ohud.theme import edit, lower, read, source

COLORS = ("auto", "never", "16", "256", "truecolor")
_WIDEST = 1000
# For the slow facts of a session of one's own [s].
_PATIENCE_S = 1.0


@dataclass(frozen=True, slots=True)
class Moment:
    """
    Something to draw a theme on.

    Takes:  raw: the bytes for standard input; variables: around them; scene: the built-in scenario that it is, whose
            world knows nothing of this machine; now: in place of the clock; tasks: the bytes for the rows of subagents
    """

    name: str
    description: str
    raw: bytes | None
    variables: dict[str, str]
    scene: scenarios.Scene | None = None
    now: float | None = None
    tasks: bytes | None = None

    def world(self, columns: int) -> World:
        """What a refresh at this moment may know of its surroundings; 0 columns: no width."""
        variables = {**self.variables, "COLUMNS": str(columns)}
        variables.pop("LINES", None)
        if self.scene is not None:
            return self.scene.world(variables)
        world = _Quiet(variables, self.now)
        world.patience = _PATIENCE_S
        return world


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a theme makes of one moment at one width; `rows` are those of the host, where it was asked for."""

    columns: int
    text: str
    rows: list[Row] | None

    def lines(self, coloured: bool) -> list[str]:
        """As printed on a terminal."""
        if self.rows is None:
            return self.text.split("\n") if self.text else [tinted("(nothing)", "2", coloured)]
        if not self.rows:
            return [tinted("(nothing)", "2", coloured)]
        return [row.ansi() if coloured else row.line for row in self.rows]


class _Quiet(World):
    """A world that keeps to itself what a refresh would log: the lines drawn say it."""

    def log(self, text: str) -> None:
        """Nothing: a preview leaves no trace in the log of the real status line."""


@dataclass(frozen=True, slots=True)
class Way:
    """
    How to draw.

    Takes:  color: of `COLORS`; icons, background: in place of what the config says; host: as that version draws it;
            subagents: their rows in place of the line
    """

    color: str = "auto"
    icons: str | None = None
    background: str | None = None
    host: Version | None = None
    subagents: bool = False


class Artist:
    """Draws one theme in one way."""

    def __init__(self, theme: str | None, way: Way, world: World) -> None:
        self.loaded = load_theme(theme, world, way.icons, way.background)
        self.built = lower.build(self.loaded)
        self.color = color_for(way.color, self.built.program, world)
        self._way = way

    def problems(self, coloured: bool) -> list[str]:
        """The reports of what is wrong with the theme."""
        shown = [problem for problem in self.built.problems if problem.weight != "ignored"]
        return [render(problem, self.loaded.text(problem), color=coloured) for problem in shown]

    def draw(self, moment: Moment, columns: int) -> Drawing:
        """The theme at one moment and width."""
        version = self._way.host
        if self._way.subagents:
            return self.rows(moment, columns)
        text = draw(self.built.program, moment, columns, self.color)
        if version is None:
            return Drawing(columns, text, None)
        padding = max(0, self.loaded.theme.margin - 4) // 2
        return Drawing(columns, text, drawn_by_host(normalise(text, version), columns, padding, version))

    def rows(self, moment: Moment, columns: int) -> Drawing:
        """The rows of the moment's subagents; those that the theme leaves to the host are only drawn as by it."""
        version = self._way.host or NEW
        payload = json.loads(moment.tasks or b"{}")
        if columns:
            payload["columns"] = columns - version.subagent_margin
        raw, world = json.dumps(payload).encode(), moment.world(columns)
        program = {**self.built.rows, "color": self.color}
        with in_utc(moment):
            printed = "".join(subagents.render(raw, program, world))
        contents = [json.loads(line)["content"] for line in printed.splitlines()]
        session = Session({}, "/", "/", version=version, columns=columns or _WIDEST, epoch=world.now)
        session.tasks = payload.get("tasks", [])
        drawn = Subagents(Loop(virtual=True), session)
        drawn.content = decorations(printed.encode())
        return Drawing(columns, "\n".join(filter(None, contents)), drawn.drawn() if self._way.host else None)


def all_themes(world: World) -> list[tuple[str, str]]:
    """(name, path) of every theme: the bundled ones, then those beside the config."""
    config = config_path(world)
    return list(read.theme_names(os.path.dirname(config) if config else None))


def named(text: str) -> str:
    """
    The name or the file that an option takes, which an empty text is not.

    Errors:  ArgumentTypeError
    """
    from argparse import ArgumentTypeError

    if not text:
        raise ArgumentTypeError("expected a name or a file, not an empty text")
    return text


def absolute(path: str) -> str:
    """A path that the user has typed, from the root; as it is where the working directory is no more."""
    path = os.path.expanduser(path)
    try:
        return os.path.abspath(path)
    except OSError:
        return path


def load_theme(
    theme: str | None,
    world: World,
    icons: str | None = None,
    background: str | None = None,
    directory: str | None = None,
) -> read.Loaded:
    """
    A theme with the config of this machine.

    Takes:  theme: a name or a file; None: the configured one; icons, background: in place of what the config says;
            directory: the session's, for `[projects]`
    """
    if theme is not None and (os.sep in theme or theme.endswith(".toml") or os.path.isfile(theme)):
        theme = absolute(theme)
    config = config_path(world)
    changes = {name: value for name, value in (("icons", icons), ("background", background)) if value}
    text = _changed(config, changes) if changes else None
    required = bool(world.env("OHUD_CONFIG"))
    return read.load(config, home=world.home, theme=theme, directory=directory, required=required, text=text)


def _changed(config: str | None, changes: dict[str, str]) -> str | None:
    """The config with other values; None where it cannot be read, which its own reader says better."""
    text = ""
    try:
        if config is not None and os.path.lexists(config):
            text = source.parse(source.fetch(config, []), config).text
        for name, value in changes.items():
            text = edit.with_value(text, (name,), value)
    except (source.Unreadable, edit.Unchangeable):
        return None
    return text


def scene_moments(names: list[str] | None = None, now: float = scenarios.NOW) -> list[Moment]:
    """The named scenarios as moments, in that order; None: all, as they tell a story."""
    found = {}
    for scenario in scenarios.scenarios():
        if names is None or scenario.name in names:
            scene = scenarios.scene(scenario, now)
            home = {"HOME": scene.home}
            found[scenario.name] = Moment(
                scenario.name, scenario.description, scene.raw, home, scene, now, scene.subagents
            )
    return [found[name] for name in names if name in found] if names is not None else list(found.values())


@contextmanager
def staged_moments(names: list[str] | None, now: float = scenarios.NOW) -> Iterator[list[Moment]]:
    """As `scene_moments`."""
    yield scene_moments(names, now)


def draw(program: dict[str, Any], moment: Moment, columns: int, color: str, now: float | None = None) -> str:
    """
    What the status line command prints for a moment, without the end of the last line.

    Takes:  columns: 0 for no width; now: in place of the clock, for a moment that has no time of its own
    """
    if now is not None and moment.now is None:
        moment = replace(moment, now=now)
    chosen = {**program, "color": color}
    if columns == 0:
        chosen["columns"] = None
    with in_utc(moment):
        try:
            return status.render(moment.raw, chosen, moment.world(columns)).removesuffix("\n")
        except Spent:
            return str(program["fallback"]["error"])


@contextmanager
def in_utc(moment: Moment) -> Iterator[None]:
    """Times of day in UTC while a scene is drawn, so that it is the same picture everywhere."""
    if moment.scene is None or not hasattr(time, "tzset"):
        yield
        return
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    try:
        yield
    finally:
        if before is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = before
        time.tzset()


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
