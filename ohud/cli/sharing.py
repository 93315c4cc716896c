"""Themes from elsewhere, looked at before they are taken in; and new ones of one's own."""

from __future__ import annotations

import os
import re
import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

from ohud.cli import DONE, NO, complain
from ohud.cli.drawing import (
    absolute,
    all_themes,
    color_for,
    draw,
    load_theme,
    paints,
    scene_moments,
    terminal_columns,
    tinted,
)
from ohud.cli.output import PATH, told
from ohud.cli.subject import DEFAULT_SCENARIO
from ohud.errors import Problem, count, nearest, quote, render
from ohud.host import files
from ohud.host.splice import Refused
from ohud.run.cells import width
from ohud.run.program import config_path
from ohud.run.world import World
from ohud.theme import edit, lower, read, shape, source
from ohud.theme.reads import Reads, reads

# What a stranger's theme is shown on: an ordinary moment, and one at which it may have to warn.
_MOMENTS = (DEFAULT_SCENARIO, "limits-near")
# What is done in the background for the slow facts of a family.
_BEHIND = {
    "git": "git is run, with all that a repository could make it run switched off",
    "ollama": "Ollama's daemon is asked, at the address in your config",
    "mode": "for a model that is not Anthropic's, Ollama's daemon is asked, at the address in your config",
    "today": "this machine's transcripts of the day are read",
    "commands": "commands of your own config are run",
}


# -- taking in ---------------------------------------------------------------------------------------------------------


def add(asked: Namespace, world: World) -> int:
    """
    Checks a theme's file, shows it and what it reads, and copies it to the user's themes.

    Returns: 1 when the theme cannot be used, or nobody has agreed
    """
    given = absolute(asked.what)
    try:
        data = source.fetch(given, [])
    except source.Unreadable as fault:
        return complain("themes", f"{quote(asked.what, 200)} {fault.reason}")
    loaded = _read(given, data, world)
    built = lower.build(loaded)
    for problem in built.problems:
        print(_told(problem, loaded, asked.what, world) + "\n")
    if built.failed:
        print("refused: it cannot be used as it is")
        return NO
    name = asked.name or _name_of(given, loaded.theme.name)
    path = place_of(name, asked.force, world)
    if isinstance(path, int):
        return path
    _show(given, loaded.theme, asked, world)
    if not _is_still(given, data):
        return complain("themes", f"{quote(asked.what, 200)} has changed while it was looked at", "the same once more")
    if path != given and not _agreed(asked, name, path):
        return NO
    return put(path, data, asked.force) or _done(name, "added", path, world)


def _is_still(path: str, data: bytes) -> bool:
    """Whether a file holds what was read of it before: what was drawn is what is copied."""
    try:
        return source.fetch(path, []) == data
    except source.Unreadable:
        return False


def _read(path: str, data: bytes, world: World) -> read.Loaded:
    """A theme of that content as it would be read at that path."""
    config = config_path(world)
    folder = os.path.dirname(config) if config else None
    return read.read_theme_file(path, home=world.home, config_dir=folder, kind="theme", text=data)


def _told(problem: Problem, loaded: read.Loaded, given: str, world: World) -> str:
    return render(problem, loaded.text(problem), color=paints("auto", world))


def _name_of(path: str, inside: str) -> str:
    """What to call a theme: as its file, else as it calls itself."""
    stem = os.path.basename(path).removesuffix(".toml")
    pattern = shape.THEME_NAME.pattern
    return stem if re.fullmatch(pattern, stem) or not re.fullmatch(pattern, inside) else inside


def bundled_names() -> set[str]:
    """The names that the bundled themes have."""
    return {name for name, _ in read.theme_names(None)}


def place_of(name: str, force: bool, world: World, command: str = "themes") -> str | int:
    """The path of a user's theme of that name, or the exit status once `command` has said why there is none."""
    # One that begins like an option could not be chosen by any command.
    if not re.fullmatch(shape.THEME_NAME.pattern, name) or name.upper() in read.DEVICES or name.startswith("-"):
        said = f"{quote(name)} cannot be the name of a theme"
        return complain(command, said, f"allowed: {shape.THEME_NAME.rule}, no `-` first; choose one with --name")
    if name in bundled_names():
        return complain(command, f"a bundled theme is called {quote(name)} already", "choose another name")
    config = config_path(world)
    if config is None:
        return complain(command, "there is no place for your themes: no home directory is known", "set OHUD_CONFIG")
    path = os.path.join(os.path.dirname(config), "themes", name + ".toml")
    if os.path.lexists(path) and not force:
        said = f"you have a theme {quote(name)} already: {told(path, PATH)}"
        return complain(command, said, "another name, or --force to put this one in its place")
    return path


def _show(path: str, theme: read.Theme, asked: Namespace, world: World) -> None:
    """The theme drawn twice, and what it reads."""
    coloured = paints(asked.color, world)
    columns = terminal_columns(world) if asked.columns is None else asked.columns
    program = lower.build(load_theme(path, world)).program
    color = color_for(asked.color, program, world)
    by = f", by {theme.author}" if theme.author else ""
    terms = f" ({theme.license})" if theme.license else ""
    print(tinted(theme.name or told(os.path.basename(path)), "1", coloured) + f"  {theme.description}{by}{terms}")
    for moment in scene_moments([asked.scenario] if asked.scenario else list(_MOMENTS)):
        print("\n" + tinted(f"{moment.name}: {moment.description}", "2", coloured))
        print(draw(program, moment, columns, color) or tinted("(nothing)", "2", coloured))
    print()
    for head, text in _reading(reads(theme)):
        for number, line in enumerate(_filled(text, max(40, min(columns or 100, 120)) - 13)):
            print(tinted(f"{head if not number else '':11}", "1", coloured) + "  " + line)
    print()


def _reading(found: Reads) -> Iterator[tuple[str, str]]:
    """What a theme reads and does, a head and a sentence each."""
    families: dict[str, list[str]] = {}
    for path in found.computed:
        parts = [*path.split("."), "", ""]
        families.setdefault(parts[1] or "all that costs little", []).append(parts[2])
    told = [family + (f" ({', '.join(names)})" if all(names) else "") for family, names in families.items()]
    yield "families", ", ".join(told) or "none"
    yield "payload", ", ".join("all of it" if path == "@" else path for path in found.payload) or "none of it directly"
    if found.task:
        yield "task rows", ", ".join(path.removeprefix("task.") for path in found.task)
    if found.transcript:
        yield "transcript", "reads the session's own, for the families above"
    slow = dict.fromkeys(path.split(".")[1] for path in found.slow)
    behind = dict.fromkeys(_BEHIND.get(family, f"{family} is found out") for family in slow)
    yield "background", "; ".join(behind) or "nothing: no git, no Ollama, no command"
    yield "links", "makes hyperlinks (https and http)" if found.links else "none"
    yield "never", "a file, an address or a command of its own choice: themes cannot name any"


def _agreed(asked: Namespace, name: str, path: str) -> bool:
    """Whether the user wants it: told so on the command line, or asked on a terminal."""
    if asked.yes:
        return True
    if not _on_a_terminal():
        print(f"nothing is copied yet; to add it as `{name}`: the same with --yes")
        return False
    print(f"Add it as `{name}` to {told(os.path.dirname(path), PATH)}? [y/N] ", end="")
    sys.stdout.flush()
    answer = sys.stdin.readline()
    if not answer:
        print()
    if answer.strip().lower() in ("y", "yes"):
        return True
    print("nothing is copied")
    return False


def _on_a_terminal() -> bool:
    return bool(sys.stdin and sys.stdin.isatty() and sys.stdout.isatty())


def put(path: str, data: bytes, force: bool, command: str = "themes") -> int:
    """Writes a theme, whole or not at all, for its owner alone; the exit status, with the reason said."""
    left = files.Leftovers()
    seen = files.Seen(None)
    try:
        if force:
            path = files.target(path)
            seen = files.look(path, files.SIZE_LIMIT)
        files.make_folders(path, private=True)
        temporary = files.write_beside(path, data, None, True, left)
        if not files.place(temporary, path, seen, left):
            raise Refused("something of this name has come meanwhile")
        files.sync_folder(path)
    except (Refused, OSError) as fault:
        return complain(command, f"{quote(path, 200)} cannot be written: {files.reason_of(fault)}")
    finally:
        seen.close()
        left.clear()
    return DONE


def _done(name: str, what: str, path: str, world: World) -> int:
    """Says where the theme is and what can be done with it."""
    print(f"{what}: {told(path, PATH)}")
    print(f"choose it:  ohud config set theme {name}")
    if what == "made":
        print(f"edit it:    ohud preview --theme {name} --watch   draws it anew whenever it is saved")
        print(f"check it:   ohud check {told(path, PATH)}")
    return DONE


def _filled(text: str, room: int) -> Iterator[str]:
    """The words of a text in lines of so many cells."""
    line = ""
    for word in text.split():
        if line and width(f"{line} {word}") > room:
            yield line
            line = word
        else:
            line += (" " if line else "") + word
    yield line


# -- beginning ---------------------------------------------------------------------------------------------------------


def new(asked: Namespace, world: World) -> int:
    """Writes the beginning of a theme, or a copy of another under a new name."""
    path = place_of(asked.what, asked.force, world)
    if isinstance(path, int):
        return path
    if asked.base is None:
        text = _START.replace("NAME", asked.what)
    else:
        copied = _copied(asked.base, asked.what, world)
        if isinstance(copied, int):
            return copied
        text = copied
    text = schema_line() + text
    built = lower.build(_read(path, text.encode(), world))
    if built.failed:
        return complain(
            "themes", f"{quote(asked.base, 200)} cannot be used as it is", f"ohud check {told(asked.base, PATH)}"
        )
    return put(path, text.encode(), asked.force) or _done(asked.what, "made", path, world)


def schema_line() -> str:
    """The first line by which editors find the schema, wherever the theme is."""
    return "#:schema " + Path(read.bundled_dir("schema"), "theme.schema.json").resolve().as_uri() + "\n"


def _copied(base: str, name: str, world: World) -> str | int:
    """The text of a theme with another name in it and without its schema line, or the exit status."""
    known = dict(all_themes(world))
    path = known.get(base) or absolute(base)
    try:
        data = source.fetch(path, [])
    except source.Unreadable as fault:
        if fault.absent and os.sep not in base:
            close = nearest(base, known)
            hint = f"did you mean `{close}`?" if close else "ohud themes --names"
            return complain("themes", f"there is no theme {quote(base)}", hint)
        return complain("themes", f"{quote(base, 200)} {fault.reason}")
    found = source.parse(data, path)
    fatal = [problem for problem in found.problems if problem.weight == "fatal"]
    try:
        if fatal:
            raise edit.Unchangeable(count(len(fatal), "fault") + " in it")
        text = edit.with_value(found.text, ("name",), name)
    except edit.Unchangeable as fault:
        return complain(
            "themes", f"{quote(base, 200)} cannot be copied: {fault.reason}", f"ohud check {told(path, PATH)}"
        )
    first, _, rest = text.partition("\n")
    return rest if first.startswith("#:schema") else text


_START = """\
# A theme of your own. It is drawn anew whenever you save it by:  ohud preview --theme NAME --watch
# What it can show: ohud fields. Why a part does not show: ohud explain --theme NAME. What is wrong: ohud check.
name = "NAME"
description = "My own"

# How the segments below are laid out: a line of this text is a line on the screen. A row joins the segments that have
# something to show; where it is too wide, those of the lowest priority are left out. fill() sends what follows to the
# right.
template = '''
{{ row(model, folder, branch, sep=' · ' | fg('quiet')) }}{{ fill() }}{{ context }}
{{ row(cost, limit, sep=' · ' | fg('quiet')) }}'''

# Colours by name, for styles such as "bold fg:accent bg:panel": an ANSI name, a number from 0 to 255, or #rrggbb.
[palette]
accent = "#7aa2f7"
quiet = "bright_black"
warning = "yellow"
alarm = "red"

# What lies over these where the config says that the terminal is light.
[palette_light]
accent = "#2e5aac"

# What users of the theme may choose in their own config: templates read options.show_cost, a segment's `show` names it.
[options]
show_cost = true

# A segment is an expression (JMESPath) over what Claude Code sends and, under `computed`, what ohud works out.
[segments]
folder = "computed.project.name"

# The long form says how it looks.
[segments.model]
value = "computed.model.name"
default = "Claude" # shown when the value is null
style = "bold fg:accent"
priority = 90

[segments.branch]
value = "computed.git.branch"
icon = { nerd = "\ue0a0", emoji = "🌿", ascii = "git" } # the config's `icons` picks
style = "fg:quiet"
max_width = 30

[segments.context]
value = "computed.context.percent"
format = "{{ value | bar(10) }} {{ value | percent }}" # a template of its own; `value` is the raw value
levels = [{ at = 60, style = "fg:warning" }, { at = 80, style = "bold fg:alarm" }] # the last one reached
priority = 80

[segments.cost]
value = "computed.cost.usd"
show = "show_cost"
format = "{{ value | money }}"

[segments.limit]
value = "computed.usage.five_hour"
when = "computed.usage.five_hour.percent >= `50`" # shown only then
format = "5h {{ value.percent | percent }}, {{ value.resets_in_s | countdown }} left"
style = "fg:warning"

# One running subagent, drawn by `ohud subagents`; here `task` is what Claude Code says of it.
[subagents]
template = "{{ row(label, state, context, sep=' · ' | fg('quiet')) }}"

[subagents.segments.label]
value = "task.label_or_name"
default = "task"
priority = 80

[subagents.segments.state]
value = "task.status"
style = "fg:quiet"

[subagents.segments.context]
value = "task.context_percent"
format = "{{ value | percent }}"
"""
