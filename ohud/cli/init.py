"""`ohud init`: a config for this terminal and taste, asked for step by step, or told by options."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from typing import Any

from ohud.cli import DONE, NO, complain, config, install, parser
from ohud.cli.drawing import absolute, named
from ohud.cli.install import diff
from ohud.cli.menu import Left, Question, ask, confirmed
from ohud.cli.output import PATH, told
from ohud.cli.preview import (
    COLORS,
    Moment,
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
from ohud.host import configuration, installation, settings, terminal
from ohud.host.configuration import Worse
from ohud.host.splice import Refused
from ohud.run.program import config_path
from ohud.run.status import COLORS as DEPTHS
from ohud.run.world import World, depth
from ohud.theme import lower, shape, source
from ohud.theme.edit import line, with_value
from ohud.theme.icons import FORMS, ICONS

BACKGROUNDS = ("dark", "light")
_KEYS = ("theme", "icons", "color", "background")
_SCENARIO = "working"
_SAMPLE = ("branch", "folder", "model", "clock", "warning", "check")
_ABOUT = {
    "nerd": "for terminals with a Nerd Font",
    "emoji": "for terminals with emoji, as nearly all have",
    "ascii": "plain letters",
}


def run(words: list[str]) -> int:
    """Writes the config that was chosen; 1 when nothing is written."""
    asked = _arguments(words)
    world = World()
    path = config_path(world)
    if path is None:
        print("ohud init: there is no place for a config", file=sys.stderr)
        print("help: set HOME, or OHUD_CONFIG to the path of a file", file=sys.stderr)
        return NO
    given = {name: value for name in _KEYS if (value := getattr(asked, name)) is not None}
    asking = sys.stdin.isatty() and sys.stdout.isatty() and not asked.yes
    if not asking and not given and not asked.yes:
        hint = "--theme, --icons, --color and --background say what to write; --yes takes what can be told"
        return complain("init", "there is no terminal to ask in", hint)
    if "theme" in given and (wrong := _wrong_theme(given, world)) is not None:
        return wrong
    try:
        has = config.contents(path)
        if has is None:
            return NO
        chosen = _asked(given, has, world) if asking else _told(given, has, world, asked.yes)
        return _write(path, chosen, asked, asking, world)
    except Left:
        print("nothing was written")
        return NO
    except KeyboardInterrupt:
        print("\nnothing was written")
        return 130
    except Refused as fault:
        print(f"ohud init: {told(path, PATH)} is left as it is: {fault.reason}", file=sys.stderr)
        return NO


def _arguments(words: list[str]) -> Namespace:
    reader = parser("init")
    add = reader.add_argument
    add("--theme", metavar="NAME|FILE", type=named, help="the theme")
    add("--icons", choices=FORMS, help="the kind of icons that the terminal's font has")
    add("--color", choices=COLORS, help="how many colours (auto: as each terminal says)")
    add("--background", choices=BACKGROUNDS, help="the terminal's background")
    add("--yes", action="store_true", help="ask nothing: what the options do not say is told from the terminal")
    add("--dry-run", action="store_true", help="show the changes, make none")
    add("--install", action="store_true", help="put the status line into Claude Code's settings as well")
    return reader.parse_args(words)


def _wrong_theme(given: dict[str, Any], world: World) -> int | None:
    """The exit status when there is no such theme; a file gets its whole path."""
    name = given["theme"]
    if os.sep in name or name.endswith(".toml"):
        given["theme"] = absolute(name)
        if not os.path.isfile(given["theme"]):
            return complain("init", f"there is no file {quote(name, 200)}")
        return None
    known = [known for known, _ in all_themes(world)]
    if name in known:
        return None
    close = nearest(name, known)
    return complain(
        "init", f"there is no theme {quote(name)}", f"did you mean `{close}`?" if close else "ohud themes lists them"
    )


def _told(given: dict[str, Any], has: dict[str, Any], world: World, complete: bool) -> dict[str, Any]:
    """The keys that the options give; `complete`: and what the config lacks, as far as it can be told."""
    if not complete:
        return given
    found = dict(given)
    for name in ("theme", "icons"):
        if name not in has:
            found.setdefault(name, shape.default(shape.CONFIG, name))
    if "background" not in given and "background" not in has and (told := _background(world)):
        print(f"background: {told[0]}, as {told[1]} says")
        found["background"] = told[0]
    return {name: found[name] for name in _KEYS if name in found}


def _asked(given: dict[str, Any], has: dict[str, Any], world: World) -> dict[str, Any]:
    """
    The keys that the user has chosen, one question after the other.

    Errors: Left
    """
    found = dict(given)
    coloured = paints(given.get("color", "auto"), world)
    if "color" not in given and "color" not in has:
        print(f"colours: {_depth_words(world)}")
    if "background" not in found:
        found["background"] = _ask_background(has, world, coloured)
    if "icons" not in found:
        found["icons"] = _ask_icons(has, world, coloured)
    if "theme" not in found:
        found["theme"] = _ask_theme(found, has, world, coloured)
    return {name: found[name] for name in _KEYS if name in found}


def _depth_words(world: World) -> str:
    shown = DEPTHS[depth("auto", world.env)]
    if shown == "never":
        return "none, as NO_COLOR or TERM says"
    return f"{shown}, as TERM and COLORTERM say; --color says otherwise"


def _background(world: World) -> tuple[str, str] | None:
    """The background and who says so; None when nobody does."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        return terminal.background(sys.stdin.fileno(), sys.stdout.fileno(), world)
    told = terminal.by_variable(world)
    return (told, "COLORFGBG") if told else None


def _ask_background(has: dict[str, Any], world: World, coloured: bool) -> str:
    told = _background(world)
    if told is not None:
        print(f"background: {told[0]}, as {told[1]} says; --background says otherwise")
        return told[0]
    answers = ["dark: light text on a dark background", "light: dark text on a light background"]
    start = 1 if has.get("background") == "light" else 0
    number = ask(Question("What is the terminal's background?", answers, start), world, coloured)
    print(f"background: {BACKGROUNDS[number]}")
    return BACKGROUNDS[number]


def _ask_icons(has: dict[str, Any], world: World, coloured: bool) -> str:
    answers = [f"{_sample(number)}   {form}: {_ABOUT[form]}" for number, form in enumerate(FORMS)]
    start = FORMS.index(has["icons"]) if has.get("icons") in FORMS else 1
    text = "Which is the first row without boxes, question marks or gaps?"
    form = FORMS[ask(Question(text, answers, start), world, coloured)]
    print(f"icons: {form}")
    return form


def _sample(form: int) -> str:
    """A few icons of one kind, as wide as the rows beside it."""
    from ohud.run.cells import pad

    return pad("  ".join(ICONS[name][form] for name in _SAMPLE if name in ICONS), 36)


def _ask_theme(found: dict[str, Any], has: dict[str, Any], world: World, coloured: bool) -> str:
    """The theme, each drawn on a working session while it is marked."""
    themes = all_themes(world)
    names = [name for name, _ in themes]
    width = max(map(len, names))
    answers = [f"{name:{width}}  {_description(path)}" for name, path in themes]
    now = has.get("theme", shape.default(shape.CONFIG, "theme"))
    drawn: dict[int, list[str]] = {}
    with staged_moments([_SCENARIO], world.now) as moments:

        def drawing(number: int) -> list[str]:
            if number not in drawn:
                drawn[number] = _drawn(names[number], found, moments[0], world)
            return drawn[number]

        start = names.index(now) if now in names else 0
        number = ask(Question("Which theme?", answers, start, drawing), world, coloured)
    print(f"theme: {names[number]}")
    for row in drawn.get(number, ()):
        print(row)
    return names[number]


def _description(path: str) -> str:
    """What a theme says of itself; a file with anything hidden in it says nothing."""
    try:
        said = source.parse(source.fetch(path, []), path).data.get("description")
    except source.Unreadable:
        return ""
    return " ".join(said.split()) if isinstance(said, str) else ""


def _drawn(name: str, found: dict[str, Any], moment: Moment, world: World) -> list[str]:
    """A theme's lines with the answers so far."""
    built = lower.build(load_theme(name, world, icons=found["icons"], background=found["background"]))
    if built.failed:
        return [f"this theme cannot be used, run: ohud check {name}"]
    color = color_for(found.get("color", "auto"), built.program, world)
    return draw(built.program, moment, terminal_columns(world), color, world.now).split("\n")


def _write(path: str, chosen: dict[str, Any], asked: Namespace, asking: bool, world: World) -> int:
    """Writes the keys, after a look at them where somebody can be asked; and installs when that is wanted."""

    def change(text: str) -> str:
        for name, value in chosen.items():
            text = with_value(text, (name,), value)
        return text

    names = [(name,) for name in chosen]
    try:
        planned, warned = configuration.change(path, change, world, names, dry=True)
        config.report(warned)
        if asking and planned.changed and not asked.dry_run:
            print(f"\n{tinted(told(path, PATH), '1', paints('auto', world))}")
            print(diff(planned).split("\n", 2)[2], end="")
            if not confirmed("Write it?"):
                raise Left
        done = planned if asked.dry_run else configuration.change(path, change, world, names)[0]
    except Worse as fault:
        config.report(fault.judged)
        print(f"ohud init: nothing was written, {told(path, PATH)} is as it was", file=sys.stderr)
        return NO
    config.tell(done, path, asked.dry_run, [line(name, value) for name, value in chosen.items()])
    return _install(asked, asking, world)


def _install(asked: Namespace, asking: bool, world: World) -> int:
    """Puts the status line into the host's settings, when that is wanted, or says how."""
    if asked.install:
        return install.run(["--dry-run"] if asked.dry_run else [])
    here = absolute(".")
    found = settings.effective(settings.locate(world, here if os.path.isabs(here) else None))
    if installation.is_ours(found.status_line):
        print("Claude Code has ohud for its status line already.")
    elif asking and not asked.dry_run and confirmed("Put the status line into Claude Code's settings?"):
        return install.run([])
    else:
        print("next: ohud install")
    return DONE
