"""`ohud themes`: the gallery of all themes; `show` prints one, `add` takes in a stranger's, `new` begins one."""

from __future__ import annotations

import re
import sys
from argparse import Namespace
from typing import Any

from ohud.cli import DONE, complain, parser
from ohud.cli.drawing import (
    COLORS,
    Moment,
    all_themes,
    color_for,
    draw,
    load_theme,
    named,
    paints,
    scene_moments,
    terminal_columns,
    tinted,
)
from ohud.cli.output import PATH, spelt, told
from ohud.cli.sharing import add, bundled_names, new
from ohud.cli.subject import DEFAULT_SCENARIO
from ohud.errors import nearest, quote
from ohud.host import scenarios
from ohud.run.cells import ellipsis, plain, width
from ohud.run.world import World
from ohud.theme import lower, source

# Moments at which a theme may have more to say than at the ordinary one, and how much more it takes to show it there.
_TELLING = ("limits-near", "agents", "tools", "pull-request")
_MUCH_MORE = 1.4

_USAGE = """ohud themes [list] [--names] [--scenario NAME] [--columns N] [--color WHEN]
       ohud themes show NAME
       ohud themes add FILE [--name NAME] [--yes] [--force]
       ohud themes new NAME [--from THEME] [--force]"""


def run(words: list[str]) -> int:
    """Lists, prints, adds or begins themes."""
    asked = _arguments(words)
    world = World()
    if asked.action != "list" and not asked.what:
        wanted = "a file" if asked.action == "add" else "the name of a theme"
        return complain("themes", f"{asked.action} needs {wanted}", "ohud themes --help")
    if asked.action == "show":
        return _show(asked.what, world)
    if asked.action == "add":
        return add(asked, world)
    if asked.action == "new":
        return new(asked, world)
    if asked.what:
        return complain("themes", f"unexpected {quote(asked.what)}", f"ohud themes show {told(asked.what)}")
    if asked.names:
        print("\n".join(name for name, _ in all_themes(world)))
        return DONE
    return _list(asked, world)


def _arguments(words: list[str]) -> Namespace:
    reader = parser("themes", usage=_USAGE)
    word = reader.add_argument
    word("action", nargs="?", choices=("list", "show", "add", "new"), default="list", help="(default: list)")
    word("what", nargs="?", metavar="NAME|FILE", help="the theme")
    word("--names", action="store_true", help="list: only the names, one a line")
    word(
        "--scenario",
        metavar="NAME",
        type=named,
        help="list, add: the built-in moment to draw on (default: one that fits)",
    )
    word("--columns", "--width", metavar="N", type=int, help="terminal width (default: this terminal's)")
    word("--color", choices=COLORS, default="auto", help="how many colours (default: auto)")
    word("--name", metavar="NAME", type=named, help="add: what to call it (default: as its file)")
    word("--from", dest="base", metavar="THEME", type=named, help="new: a theme to begin with, by name or file")
    word("--yes", action="store_true", help="add: without a question")
    word("--force", action="store_true", help="add, new: in the place of a theme of yours")
    asked = reader.parse_args(words)
    _check(reader.error, asked)
    return asked


def _check(error: Any, asked: Namespace) -> None:
    """Refuses what belongs to another action."""
    takes = {
        "--names": ("list",),
        "--scenario": ("list", "add"),
        "--name": ("add",),
        "--from": ("new",),
        "--yes": ("add",),
        "--force": ("add", "new"),
    }
    for option, actions in takes.items():
        given = getattr(asked, "base" if option == "--from" else option[2:])
        if given and asked.action not in actions:
            error(f"{option} belongs to `{'` and `'.join(actions)}`")
    if asked.columns is not None and not 0 <= asked.columns <= 1000:
        error(f"--columns is a number from 0 to 1000, not {asked.columns}")
    if asked.scenario and asked.scenario not in scenarios.names():
        close = nearest(asked.scenario, scenarios.names())
        error(f"there is no scenario {quote(asked.scenario)}" + (f", did you mean `{close}`?" if close else ""))


def _show(name: str, world: World) -> int:
    """Prints the source of a theme."""
    known = dict(all_themes(world))
    if name not in known:
        close = nearest(name, known)
        hint = f"did you mean `{close}`?" if close else "ohud themes --names"
        return complain("themes", f"there is no theme {quote(name)}", hint)
    try:
        text = source.fetch(known[name], []).decode("utf-8", "replace").replace("\r\n", "\n")
    except source.Unreadable as fault:
        return complain("themes", f"{quote(known[name], 200)} {fault.reason}")
    sys.stdout.write(spelt(text if text.endswith("\n") else text + "\n"))
    return DONE


def _list(asked: Namespace, world: World) -> int:
    """A heading and the drawn lines of each theme; a star marks the configured one."""
    columns = terminal_columns(world) if asked.columns is None else asked.columns
    known = all_themes(world)
    configured = load_theme(None, world).theme.name
    bundled = bundled_names()
    names = [asked.scenario] if asked.scenario else None
    moments = scene_moments(names)
    for number, (name, path) in enumerate(known):
        print("\n" * bool(number), end="")
        _draw(name, path, name == configured, name in bundled, moments, columns, asked.color, world)
        sys.stdout.flush()
    return DONE


def _draw(
    name: str,
    path: str,
    configured: bool,
    bundled: bool,
    moments: list[Moment],
    columns: int,
    asked: str,
    world: World,
) -> None:
    """One theme of the gallery."""
    coloured = paints(asked, world)
    loaded = load_theme(name, world)
    built = lower.build(loaded)
    said = loaded.theme.description
    moment = moments[0] if len(moments) == 1 else fitting(name, built.program, moments)
    notes = [] if bundled else ["yours"]
    if built.failed:
        said = f"cannot be used, run: ohud check {told(path, PATH)}"
    elif len(moments) > 1 and moment.name != DEFAULT_SCENARIO:
        notes.append("on " + moment.name)
    tail = f" ({', '.join(notes)})" if notes else ""
    room = max(20, (columns or 1000) - len(name) - len(tail) - 4)
    star = "*" if configured else " "
    said = said if built.failed else ellipsis(said, room)
    print(f"{star} {tinted(name, '1', coloured)}  {tinted(said + tail, '2', coloured)}")
    if not built.failed:
        color = color_for(asked, built.program, world)
        print(draw(built.program, moment, columns, color) or tinted("(nothing)", "2", coloured))


def fitting(name: str, program: dict[str, Any], moments: list[Moment]) -> Moment:
    """
    The moment to show a theme on: one of its own name, one at which it says much more, else the ordinary one.

    Takes:  moments: the ordinary one among them
    """
    by_name = {moment.name: moment for moment in moments}
    word = re.sub(r"s$", "", name)
    for moment in moments:
        if word in (re.sub(r"s$", "", part) for part in moment.name.split("-")):
            return moment
    ordinary = by_name[DEFAULT_SCENARIO]
    most, best = _ink(program, ordinary) * _MUCH_MORE, ordinary
    for telling in _TELLING:
        if telling in by_name and (ink := _ink(program, by_name[telling])) > most:
            most, best = ink, by_name[telling]
    return best


def _ink(program: dict[str, Any], moment: Moment) -> float:
    """How many cells of a moment's lines are not blank."""
    return width("".join(plain(draw(program, moment, 100, "never")).split()))
