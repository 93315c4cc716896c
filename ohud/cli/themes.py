"""`ohud themes`: every theme that can be named, each with one drawn line; `ohud themes show NAME` prints one."""

from __future__ import annotations

import sys
from pathlib import Path

from ohud.cli import DONE, complain, parser
from ohud.cli.preview import (
    COLORS,
    all_themes,
    color_for,
    draw,
    load_theme,
    paints,
    staged_moments,
    terminal_columns,
    tinted,
)
from ohud.errors import nearest, quote
from ohud.run.world import World
from ohud.theme import lower

_SCENARIO = "working"


def run(words: list[str]) -> int:
    """Lists the themes, or prints the source of one."""
    reader = parser("themes", usage="ohud themes [--color WHEN] [--columns N] | ohud themes show NAME")
    reader.add_argument("action", nargs="?", choices=("list", "show"), default="list", help="(default: list)")
    reader.add_argument("name", nargs="?", metavar="NAME", help="the theme to show")
    reader.add_argument("--columns", metavar="N", type=int, help="terminal width (default: this terminal's)")
    reader.add_argument("--color", choices=COLORS, default="auto", help="how many colours (default: auto)")
    asked = reader.parse_args(words)
    world = World()
    if asked.action == "show":
        return _show(asked.name, world) if asked.name else complain("themes", "show needs the name of a theme")
    if asked.name:
        return complain("themes", f"unexpected {quote(asked.name)}", f"ohud themes show {asked.name}")
    return _list(asked.color, asked.columns or terminal_columns(world), world)


def _show(name: str, world: World) -> int:
    """Prints the source of a theme."""
    known = dict(all_themes(world))
    if name not in known:
        close = nearest(name, known)
        hint = f"did you mean `{close}`?" if close else "ohud themes"
        return complain("themes", f"there is no theme {quote(name)}", hint)
    try:
        text = Path(known[name]).read_text("utf-8", errors="replace")
    except OSError as fault:
        return complain("themes", f"{known[name]} cannot be read: {fault.strerror}")
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    return DONE


def _list(asked: str, columns: int, world: World) -> int:
    """One heading and one drawn line a theme; a star marks the configured one."""
    configured = load_theme(None, world).theme.name
    coloured = paints(asked, world)
    with staged_moments([_SCENARIO], world.now) as moments:
        for number, (name, path) in enumerate(all_themes(world)):
            loaded = load_theme(name, world)
            built = lower.build(loaded)
            star = "*" if name == configured else " "
            said = loaded.theme.description if not built.failed else f"cannot be used, run: ohud check {path}"
            print("\n" * bool(number) + f"{star} {tinted(name, '1', coloured)}  {tinted(said, '2', coloured)}")
            lines = draw(built.program, moments[0], columns, color_for(asked, built.program, world), world.now)
            if not built.failed:
                print(lines.partition("\n")[0])
    return DONE
