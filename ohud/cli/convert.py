"""`ohud import`: the settings of another status line or prompt as a theme, with a list of what was left behind."""

from __future__ import annotations

import json
import os
import shlex
import sys
from argparse import Namespace
from typing import Any

from ohud.cli import DONE, NO, complain, parser, sharing
from ohud.cli.drawing import color_for, draw, paints, scene_moments, terminal_columns, tinted
from ohud.cli.subject import DEFAULT_SCENARIO
from ohud.convert import FORMATS, SIZE_LIMIT, Conversion, Loss, Unusable, convert
from ohud.errors import count, quote
from ohud.run.world import World
from ohud.theme import lower, read, source

_PLACES = 8  # named in a row where several things are lost for the same reason


def run(words: list[str]) -> int:
    """Converts a file; 1 when no theme could be made of it."""
    asked = _arguments(words)
    world = World()
    given = os.path.abspath(os.path.expanduser(asked.file))
    try:
        raw = source.fetch(given, [], SIZE_LIMIT)
        made = convert(raw, given, format=asked.format, name=asked.name or None, schema=_schema())
    except source.Unreadable as fault:
        return complain("import", f"{quote(asked.file, 200)} {fault.reason}")
    except Unusable as fault:
        complain("import", f"{quote(asked.file, 200)} cannot be converted: {fault.reason}", fault.help)
        return NO
    path = _target(asked, made.name, world)
    if isinstance(path, int):
        return path
    if path is not None and (failed := sharing.put(path, made.text.encode(), asked.force, "import")):
        return failed
    if asked.json:
        print(json.dumps(_plain(made, path), ensure_ascii=False, indent=2))
    else:
        _report(asked, made, path, world)
    return DONE


def _arguments(words: list[str]) -> Namespace:
    reader = parser("import")
    add = reader.add_argument
    add(
        "file",
        metavar="FILE",
        help="settings or theme of the other program: JSON, TOML, or YAML where a library is there",
    )
    add("--from", dest="format", metavar="FORMAT", choices=tuple(FORMATS), help=", ".join(FORMATS) + " (default: seen)")
    add("--name", metavar="NAME", help="name of the theme (default: of the file, or of the format)")
    add("--output", metavar="FILE", help="where to, `-` for standard output (default: your themes folder)")
    add("--force", action="store_true", help="replace a theme or file that is there already")
    add("--json", action="store_true", help="say what was made and what was not carried over as JSON")
    return reader.parse_args(words)


def _schema() -> str:
    return sharing.schema_line().removeprefix("#:schema ").strip()


def _target(asked: Namespace, name: str, world: World) -> str | int | None:
    """Where the theme goes, None for standard output; the exit status once it is said why it cannot go there."""
    if asked.output == "-":
        return None
    if asked.output is None:
        return sharing.place_of(name, asked.force, world, "import")
    path: str = os.path.abspath(os.path.expanduser(asked.output))
    if os.path.lexists(path) and not asked.force:
        return complain(
            "import", f"{quote(asked.output, 200)} is there already", "another name, or --force to replace it"
        )
    if not os.path.isdir(os.path.dirname(path)):
        return complain("import", f"there is no folder {quote(os.path.dirname(path), 200)}")
    return path


def _report(asked: Namespace, made: Conversion, path: str | None, world: World) -> None:
    """What was made, drawn; what was left behind; what to do next. The theme itself where it goes to the output."""
    out = sys.stdout
    if path is None:
        sys.stdout.write(made.text)
        out = sys.stderr
    coloured = paints("auto", world, out)
    if path is not None:
        print(f"made from {made.format}: {path}\n", file=out)
        print(_drawn(made.text, path, world) + "\n", file=out)
    for line in _losses(asked.file, made, coloured):
        print(line, file=out)
    for line in _settings(made.settings, coloured):
        print(line, file=out)
    if path is not None:
        shown = made.name if asked.output is None else path
        print(f"see it:     ohud preview --theme {shlex.quote(shown)}", file=out)
        print(f"choose it:  ohud config set theme {shlex.quote(shown)}", file=out)


def _drawn(text: str, path: str, world: World) -> str:
    """The theme on an ordinary moment."""
    program = lower.build(read.read_theme_file(path, home=world.home, kind="theme", text=text)).program
    moment = scene_moments([DEFAULT_SCENARIO])[0]
    return draw(program, moment, terminal_columns(world), color_for("auto", program, world))


def _losses(given: str, made: Conversion, coloured: bool) -> list[str]:
    """The list of what could not be carried over: place, reason, what to do; places of one kind together."""
    if not made.losses:
        return ["everything was carried over", ""]
    kinds: dict[tuple[str, str | None], list[Loss]] = {}
    for loss in made.losses:
        kinds.setdefault((loss.reason, loss.instead), []).append(loss)
    lines = [tinted(f"not carried over: {count(len(made.losses) + made.unlisted, 'thing')}", "1", coloured)]
    file = os.path.basename(given)
    for (reason, instead), losses in kinds.items():
        where = [f"{loss.place} (line {loss.line})" if loss.line else loss.place for loss in losses]
        if len(losses) == 1 and losses[0].line:
            lines.append(f"  {tinted(f'{file}:{losses[0].line}', '2', coloured)} {losses[0].place}: {reason}")
        else:
            more = f" and {len(where) - _PLACES} more" if len(where) > _PLACES else ""
            lines.append(f"  {', '.join(where[:_PLACES])}{more}: {reason}")
        lines += [f"      instead: {instead}"] if instead else []
    if made.unlisted:
        lines.append(f"  and {made.unlisted} more")
    return [*lines, ""]


def _settings(settings: dict[str, object], coloured: bool) -> list[str]:
    """Commands that set what is a matter of the config, not of a theme."""
    if not settings:
        return []
    lines = [tinted("what a theme cannot say, if you want it:", "1", coloured)]
    for key, value in settings.items():
        pairs = {f"{key}.{inner}": one for inner, one in value.items()} if isinstance(value, dict) else {key: value}
        lines += [f"  ohud config set {place} {shlex.quote(_word(one))}" for place, one in pairs.items()]
    return [*lines, ""]


def _word(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _plain(made: Conversion, path: str | None) -> dict[str, Any]:
    """The result as plain data."""
    return {
        "format": made.format,
        "name": made.name,
        "file": path,
        "theme": made.text,
        "settings": made.settings,
        "losses": [
            {
                "path": list(loss.path),
                "place": loss.place,
                "line": loss.line,
                "reason": loss.reason,
                "instead": loss.instead,
            }
            for loss in made.losses
        ],
        "unlisted": made.unlisted,
    }
