"""`ohud preview`: a theme as the host would show it, on built-in moments of a session or on a session of one's own."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from dataclasses import replace

from ohud.cli import DONE, NO, complain, parser
from ohud.cli.drawing import COLORS as COLORS
from ohud.cli.drawing import Artist, Drawing, Way
from ohud.cli.drawing import Moment as Moment
from ohud.cli.drawing import absolute as absolute
from ohud.cli.drawing import all_themes as all_themes
from ohud.cli.drawing import color_for as color_for
from ohud.cli.drawing import draw as draw
from ohud.cli.drawing import load_theme as load_theme
from ohud.cli.drawing import named as named
from ohud.cli.drawing import paints as paints
from ohud.cli.drawing import scene_moments as scene_moments
from ohud.cli.drawing import staged_moments as staged_moments
from ohud.cli.drawing import terminal_columns as terminal_columns
from ohud.cli.drawing import tinted as tinted
from ohud.cli.output import told
from ohud.cli.subject import LIMIT, Unread, contents
from ohud.errors import nearest, quote
from ohud.host import scenarios
from ohud.host.files import reason_of
from ohud.host.version import NEW, VERSIONS
from ohud.run import cells
from ohud.run.world import World

ICONS = ("nerd", "emoji", "ascii")
BACKGROUNDS = ("dark", "light")
_WIDEST = 1000
# Cells between drawings that stand beside each other.
_GAP = 3


def run(words: list[str]) -> int:
    """Draws the themes asked for; 1 when one of them cannot be used."""
    asked = _arguments(words)
    if asked.list:
        return _list()
    wrong = _wrong(asked)
    if wrong:
        return wrong
    world = World()
    themes = [name for name, _ in all_themes(world)] if asked.all else [asked.theme]
    if asked.payload == "-":
        try:
            asked.payload_read = sys.stdin.buffer.read(LIMIT + 1)
        except OSError as fault:
            return complain("preview", f"standard input cannot be read: {(fault.strerror or '').lower()}")
    if asked.watch:
        from ohud.cli.watch import watch

        return watch(lambda: _once(themes, asked, World()), lambda: _sources(themes, asked, World()))
    return _once(themes, asked, world)


def _arguments(words: list[str]) -> Namespace:
    reader = parser("preview")
    add = reader.add_argument
    add("--theme", metavar="NAME|FILE", type=named, help="a theme by name or file (default: the configured one)")
    add("--all", action="store_true", help="every theme, bundled and your own")
    add("--scenario", metavar="NAME", nargs="+", action="extend", help="only these built-in scenarios")
    add("--payload", metavar="FILE", type=named, help="a payload of your own, `-` for standard input")
    add("--transcript", metavar="FILE", type=named, help="a session's transcript; alone, the payload is made from it")
    add("--columns", metavar="N[,N...]", type=_widths, help="terminal widths, 0 for none (default: this terminal's)")
    add("--color", choices=COLORS, default="auto", help="how many colours (default: auto)")
    add("--icons", choices=ICONS, help="which icons (default: as configured)")
    add("--background", choices=BACKGROUNDS, help="the terminal's background (default: as configured)")
    said = f"as Claude Code draws it: {' or '.join(VERSIONS)} (default: {NEW.name})"
    add("--host", nargs="?", const=NEW.name, choices=tuple(VERSIONS), metavar="VERSION", help=said)
    add("--subagents", action="store_true", help="the rows of subagents")
    add("--svg", metavar="FILE", type=named, help="as a picture, into a file")
    add("--png", metavar="FILE", type=named, help="the same as PNG")
    add("--watch", action="store_true", help="draw again when the theme or the config is saved, until Ctrl-C")
    add("--list", action="store_true", help="list the scenarios")
    asked = reader.parse_args(words)
    asked.payload_read = None
    excluded = (("all", "theme"), ("payload", "scenario"), ("payload", "subagents"), ("transcript", "subagents"))
    for one, other in excluded:
        if getattr(asked, one) and getattr(asked, other):
            reader.error(f"--{one} and --{other} exclude each other")
    if asked.host and 0 in (asked.columns or ()):
        reader.error("--host draws on a screen, and every screen has a width: no --columns 0 with it")
    return asked


def _widths(text: str) -> list[int]:
    """The numbers of `--columns`."""
    from argparse import ArgumentTypeError

    widths = [int(part) if part.isascii() and part.isdecimal() and len(part) < 5 else -1 for part in text.split(",")]
    if not all(0 <= width <= _WIDEST for width in widths):
        raise ArgumentTypeError(f"expected numbers from 0 to {_WIDEST}, separated by commas, not {quote(text)}")
    return widths


def _wrong(asked: Namespace) -> int:
    """Complains of names and files that are not there; 0 when all are."""
    known = {scenario.name: scenario for scenario in scenarios.scenarios()}
    for name in asked.scenario or ():
        if name not in known:
            close = nearest(name, known)
            hint = f"did you mean `{close}`?" if close else "ohud preview --list"
            return complain("preview", f"there is no scenario {quote(name)}", hint)
    if asked.payload == "-" and sys.stdin.isatty():
        return complain("preview", "standard input is a terminal", "ohud preview --payload FILE")
    if asked.payload and asked.payload != "-" and not os.path.exists(asked.payload):
        return complain("preview", f"there is no file {quote(asked.payload, 200)}")
    if asked.transcript and not os.path.isfile(asked.transcript):
        return complain("preview", f"there is no file {quote(asked.transcript, 200)}")
    with_tasks = [name for name, scenario in known.items() if scenario.tasks]
    if asked.subagents and asked.scenario and not set(asked.scenario) & set(with_tasks):
        return complain("preview", f"no subagent is in {quote(asked.scenario[0])}", f"--scenario {with_tasks[0]}")
    return DONE


def _list() -> int:
    known = scenarios.scenarios()
    width = max(len(scenario.name) for scenario in known)
    for scenario in known:
        print(f"{scenario.name:{width}}  {scenario.description}")
    return DONE


def _way(asked: Namespace, color: str | None = None) -> Way:
    version = VERSIONS[asked.host] if asked.host else None
    return Way(color or asked.color, asked.icons, asked.background, version, asked.subagents)


def _once(themes: list[str | None] | list[str], asked: Namespace, world: World) -> int:
    """Draws everything once, on the terminal or into files."""
    moments = _moments(asked, world)
    if isinstance(moments, str):
        return complain("preview", moments)
    if asked.svg or asked.png:
        return _picture(themes, moments, asked, world)
    code = DONE
    for number, theme in enumerate(themes):
        if asked.all:
            print("\n" * bool(number) + tinted(f"── {told(str(theme))} ──", "1", paints(asked.color, world)))
        code = max(code, _show(theme, moments, asked, world))
    return code


def _show(theme: str | None, moments: list[Moment], asked: Namespace, world: World) -> int:
    """Draws one theme on all moments and widths, its problems first."""
    artist = Artist(theme, _way(asked), world)
    _report(artist, world)
    coloured = paints(asked.color, world)
    room = terminal_columns(world)
    for number, moment in enumerate(moments):
        heading = f"{moment.name}: {moment.description}"
        drawings = [artist.draw(moment, columns) for columns in asked.columns or [room]]
        print("\n" * bool(number), end="")
        if len(drawings) > 1 and _beside(drawings, room):
            print(tinted(heading, "2", coloured))
            _print_beside(drawings, coloured)
            continue
        for again, drawing in enumerate(drawings):
            print("\n" * bool(again) + tinted(f"{heading} · {_said(drawing.columns)}", "2", coloured))
            print("\n".join(drawing.lines(coloured)))
    sys.stdout.flush()
    return NO if artist.built.failed else DONE


def _report(artist: Artist, world: World) -> None:
    for problem in artist.problems(paints("auto", world, sys.stderr)):
        print(problem + "\n", file=sys.stderr)
    sys.stderr.flush()


def _said(columns: int) -> str:
    return f"{columns} columns" if columns else "no width"


def _beside(drawings: list[Drawing], room: int) -> bool:
    """Whether there is room to stand beside each other."""
    widths = [drawing.columns for drawing in drawings]
    return 0 not in widths and sum(widths) + _GAP * (len(widths) - 1) <= room


def _print_beside(drawings: list[Drawing], coloured: bool) -> None:
    """Drawings beside each other, each under its width."""
    blocks = [[tinted(_said(drawing.columns), "2", coloured), *drawing.lines(coloured)] for drawing in drawings]
    for number in range(max(map(len, blocks))):
        parts = []
        for drawing, block in zip(drawings, blocks, strict=True):
            line = block[number] if number < len(block) else ""
            parts.append(line + " " * (drawing.columns - cells.width(bare(line))))
        print((" " * _GAP).join(parts).rstrip(" "))


def bare(text: str) -> str:
    """A printed line without its colours and links."""
    from ohud.cli.picture import rows_of

    return "\n".join(row.text for row in rows_of(text))


def _picture(themes: list[str | None] | list[str], moments: list[Moment], asked: Namespace, world: World) -> int:
    """The same as SVG or PNG, into the files that were asked for."""
    from ohud.cli import picture

    code = DONE
    panels = []
    color = "truecolor" if asked.color == "auto" else asked.color
    widths = asked.columns or [terminal_columns(world)]
    background = asked.background
    for theme in themes:
        artist = Artist(theme, _way(asked, color), world)
        _report(artist, world)
        background = background or artist.loaded.theme.background
        code = max(code, NO if artist.built.failed else DONE)
        for moment in moments:
            for columns in widths:
                drawing = artist.draw(moment, columns)
                rows = picture.rows_of(drawing.text) if drawing.rows is None else drawing.rows
                caption = [str(theme)] * asked.all + [f"{moment.name}: {moment.description}", _said(columns)]
                panels.append(picture.Panel(" · ".join(caption), rows))
    title = "ohud preview" + (f" --theme {told(asked.theme, 80)}" if asked.theme else " --all" * asked.all)
    made = picture.svg(title, panels, max(widths), background or "dark", bool(asked.host))
    for path, write in ((asked.svg, picture.write_svg), (asked.png, picture.write_png)):
        try:
            if path:
                write(path, made)
        except picture.NoConverter as fault:
            complain("preview", str(fault), picture.CONVERTERS)
            return NO
        except (OSError, ValueError) as fault:
            return complain("preview", f"{quote(path, 200)} cannot be written: {reason_of(fault)}")
    return code


def _moments(asked: Namespace, world: World) -> list[Moment] | str:
    """What to draw on: a session of one's own, or the scenarios; a sentence where there is nothing to draw on."""
    if asked.payload:
        try:
            raw = asked.payload_read if asked.payload_read is not None else contents(asked.payload)
        except Unread as fault:
            return f"{quote(asked.payload, 200)} cannot be read: {fault}"
        name = "stdin" if asked.payload == "-" else told(os.path.basename(asked.payload), 80)
        raw = _with_transcript(raw, asked.transcript)
        known = raw if len(raw) <= LIMIT else None
        return [Moment(name, "a payload of your own", known, dict(os.environ))]
    if asked.transcript and not asked.scenario:
        from ohud.host.derive import derived

        found = derived(absolute(asked.transcript))
        if found is None:
            return f"{quote(asked.transcript, 200)} is no transcript: there is no record in it"
        payload, at = found
        name = told(os.path.basename(asked.transcript), 80)
        size = payload.get("context_window", {}).get("context_window_size")
        said = "as its last record left it" + (f", in a window of {size // 1000}k if that is its size" if size else "")
        return [Moment(name, said, json.dumps(payload).encode(), dict(os.environ), now=at)]
    moments = scene_moments(asked.scenario)
    if asked.transcript:
        moments = [_mounted(moment, absolute(asked.transcript)) for moment in moments]
    return [moment for moment in moments if moment.tasks or not asked.subagents]


def _mounted(moment: Moment, transcript: str) -> Moment:
    """A moment whose transcript is a file of this machine."""
    path = json.loads(moment.raw or b"{}").get("transcript_path")
    if moment.scene is None or not isinstance(path, str):
        return moment
    return replace(moment, scene=replace(moment.scene, mounts={path: transcript}))


def _with_transcript(raw: bytes, transcript: str | None) -> bytes:
    """The payload with another transcript named in it."""
    if transcript is None:
        return raw
    from ohud.run.payload import parse

    payload = parse(raw)
    if payload is None:
        return raw
    return json.dumps({**payload, "transcript_path": absolute(transcript)}).encode()


def _sources(themes: list[str | None] | list[str], asked: Namespace, world: World) -> list[str]:
    """Every file behind a drawing: of the themes, the config, the payload and the transcript."""
    paths = [path for path in (asked.payload, asked.transcript) if path and path != "-"]
    return paths + [path for theme in themes for path in load_theme(theme, world).sources]
