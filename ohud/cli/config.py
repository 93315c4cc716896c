"""`ohud config`: values of config.toml read and changed, one at a time or in an editor, never into something broken."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from typing import Any

import tomli_w

from ohud.cli import DONE, NO, complain, parser
from ohud.cli.install import diff
from ohud.cli.output import PATH, as_json, told
from ohud.cli.preview import paints
from ohud.errors import count, render
from ohud.host import configuration, editor
from ohud.host.configuration import Judged, Worse
from ohud.host.replace import Rewritten
from ohud.host.splice import Refused
from ohud.run.program import config_path
from ohud.run.world import World
from ohud.theme import keys, read, shape
from ohud.theme.edit import ABSENT, Path, data_of, dotted, look, with_value, without, written
from ohud.theme.keys import Declared, Misnamed
from ohud.theme.source import parse

_ACTIONS = ("get", "set", "unset", "list", "path", "edit")


def run(words: list[str]) -> int:
    """Does what the first word says; 1 when the answer is "no" and the config is as it was."""
    asked = _arguments(words)
    world = World()
    path = config_path(world)
    if path is None:
        print("ohud config: there is no place for a config", file=sys.stderr)
        print("help: set HOME, or OHUD_CONFIG to the path of a file", file=sys.stderr)
        return NO
    try:
        answer: int = _DO[asked.action](asked, path, world)
    except Misnamed as fault:
        return complain("config", fault.reason, fault.help)
    except Refused as fault:
        print(f"ohud config: {told(path, PATH)} is left as it is: {fault.reason}", file=sys.stderr)
        return NO
    return answer


def _arguments(words: list[str]) -> Namespace:
    reader = parser("config", usage="ohud config get KEY | set KEY VALUE | unset KEY | list | path | edit")
    reader.epilog = (
        "A KEY is written with dots: theme, options.show_cost, segments.model.style. "
        'A VALUE is TOML (true, 12, "text", [1, 2], { a = 1 }), or bare text where the key takes text.'
    )
    actions = reader.add_subparsers(dest="action", metavar="ACTION", required=True, prog="ohud config")
    help = {
        "get": "print a value: the config's, else the theme's, else the default",
        "set": "set a value, when nothing breaks by it",
        "unset": "take a key out",
        "list": "print every key that is set",
        "path": "print where the config is, or would be",
        "edit": "open the config in $VISUAL or $EDITOR, and check it before it takes effect",
    }
    one = {name: actions.add_parser(name, help=help[name], allow_abbrev=False) for name in _ACTIONS}
    for name in ("get", "set", "unset"):
        one[name].add_argument("key", metavar="KEY")
    one["set"].add_argument("value", metavar="VALUE")
    one["set"].add_argument("--string", action="store_true", help="VALUE is text, whatever it looks like")
    for name in ("set", "unset"):
        one[name].add_argument("--dry-run", action="store_true", help="show the change, make none")
    for name in ("get", "list"):
        one[name].add_argument("--json", action="store_true", help="as JSON, for programs")
    one["list"].add_argument("--all", action="store_true", help="every key there is: type, default and what it is for")
    return reader.parse_args(words)


def _get(asked: Namespace, path: str, world: World) -> int:
    """Prints a value; 1 when there is none."""
    data = contents(path)
    if data is None:
        return NO
    name = _present(asked.key, data)
    loaded = read.load(path, home=world.home)
    value = look(data, name) if name else ABSENT
    if value is ABSENT:
        declared = _find(asked.key, loaded)
        name, value = declared.path, look(data, declared.path)
        if value is ABSENT:
            value = _otherwise(declared, loaded)
    if value is None:
        print(f"ohud config: `{dotted(name or ())}` is not set, and has no default", file=sys.stderr)
        return NO
    print(_json(value) if asked.json else _toml(value))
    return DONE


def _set(asked: Namespace, path: str, world: World) -> int:
    """Sets a value and says so; 1 when something would break."""
    loaded = read.load(path, home=world.home)
    declared = _find(asked.key, loaded)
    value = keys.typed(declared.kind, asked.value, asked.string)
    data = contents(path)
    if data is None:
        return NO
    _short_form(data, declared)
    return changed(
        path,
        lambda text: with_value(text, declared.path, value),
        world,
        [declared.path],
        asked.dry_run,
        [f"{declared.name} = {written(value)}"],
    )


def _unset(asked: Namespace, path: str, world: World) -> int:
    """Takes a key out; 1 when it is not there."""
    data = contents(path)
    if data is None:
        return NO
    name = _present(asked.key, data) or _find(asked.key, read.load(path, home=world.home)).path
    if look(data, name) is ABSENT:
        print(f"ohud config: `{dotted(name)}` is not set in {told(path, PATH)}", file=sys.stderr)
        return NO
    return changed(path, lambda text: without(text, name), world, [name], asked.dry_run, [f"without {dotted(name)}"])


def _list(asked: Namespace, path: str, world: World) -> int:
    """Prints the keys that are set, or all there are."""
    data = contents(path)
    if data is None:
        return NO
    if asked.all:
        _list_all(data, asked.json)
    elif asked.json:
        print(_json({dotted(name): value for name, value in _leaves(data)}))
    else:
        for name, value in _leaves(data):
            print(f"{dotted(name)} = {written(value)}")
    return DONE


def _path(asked: Namespace, path: str, world: World) -> int:
    print(told(path, PATH))
    return DONE


def _edit(asked: Namespace, path: str, world: World) -> int:
    """Has the config edited until it is whole, or the user has had enough of it."""
    words = editor.chosen(world)
    if words is None:
        print("ohud config: neither VISUAL nor EDITOR names an editor", file=sys.stderr)
        print(f"help: EDITOR=nano ohud config edit; the file is {told(path, PATH)}", file=sys.stderr)
        return NO
    seen = configuration.bytes_of(path)
    before = configuration.judge(seen or b"", path, world)
    desk = editor.Desk(os.path.basename(path), seen if seen is not None else configuration.schema_line().encode())
    try:
        while True:
            raw = desk.edit(words)
            if raw == (seen if seen is not None else configuration.schema_line().encode()):
                print("nothing was changed")
                return DONE
            found = configuration.added(before, configuration.judge(raw, path, world))
            if found:
                report(Judged(found))
                answer = _what_now(len(found))
                if answer == "e":
                    continue
                if answer == "d":
                    print(f"{told(path, PATH)} is as it was", file=sys.stderr)
                    return NO
            try:
                done = configuration.put(path, raw, seen)
            except Refused:
                desk.keep()
                print(f"ohud config: what you have written is in {told(str(desk.path), PATH)}", file=sys.stderr)
                raise
            print(f"{'changed' if seen is not None else 'made'} {told(done.path, PATH)}")
            return NO if found else DONE
    finally:
        desk.clear()


_DO = {"get": _get, "set": _set, "unset": _unset, "list": _list, "path": _path, "edit": _edit}


def changed(path: str, text_change: Any, world: World, names: list[Path], dry: bool, said: list[str]) -> int:
    """
    Makes a change of the config and says what became of it.

    Takes:   text_change: as `configuration.change`; names: the keys it sets; said: the lines that tell it
    Returns: the exit status
    Errors:  Refused
    """
    try:
        done, warned = configuration.change(path, text_change, world, names, dry)
    except Worse as fault:
        report(fault.judged)
        print(f"ohud config: nothing was written, {told(path, PATH)} is as it was", file=sys.stderr)
        return NO
    report(warned)
    tell(done, path, dry, said)
    return DONE


def tell(done: Rewritten, path: str, dry: bool, said: list[str]) -> None:
    """Says what was changed, or would be."""
    if not done.changed:
        print(f"{told(path, PATH)} has it already" if not dry else "nothing would change")
    elif dry:
        print(diff(done), end="")
    else:
        print(f"{'changed' if done.old is not None else 'made'} {told(path, PATH)}")
        for line in said:
            print("  " + line.replace("\n", "\n  "))


def report(judged: Judged) -> None:
    """Prints problems with their places."""
    color = paints("auto", World(), sys.stderr)
    for problem, text in judged.problems:
        print(render(problem, text, color=color) + "\n", file=sys.stderr)


def _what_now(problems: int) -> str:
    """What to do about a config with problems: "e" edit it again, "d" drop the change, "s" save it anyway."""
    if not sys.stdin.isatty():
        return "d"
    while True:
        print(f"{count(problems, 'problem')}: (e)dit again, (d)iscard the change, (s)ave it anyway? [e] ", end="")
        sys.stdout.flush()
        line = sys.stdin.readline()
        answer = line.strip().lower()[:1] or "e"
        if not line:
            return "d"
        if answer in ("e", "d", "s"):
            return answer


def contents(path: str) -> dict[str, Any] | None:
    """What the config says; None when it is no TOML, which is reported."""
    raw = configuration.bytes_of(path)
    if raw is None:
        return {}
    source = parse(raw, path)
    if any(problem.weight == "fatal" for problem in source.problems):
        report(Judged([(problem, source.text) for problem in source.problems]))
        print("help: ohud config edit", file=sys.stderr)
        return None
    return data_of(source.text)


def _find(text: str, loaded: read.Loaded) -> Declared:
    """
    A key's declaration.

    Errors: Misnamed, with the nearest key, of this machine's theme too
    """
    theme = loaded.theme
    here = [f"options.{name}" for name in theme.options]
    here += [f"palette.{name}" for name in theme.palette]
    here += [f"segments.{name}" for name in theme.segments]
    return keys.find(text, also=here)


def _present(text: str, data: dict[str, Any]) -> Path | None:
    """The path of a key as it is typed, when it is set, declared or not."""
    return next((path for path in keys.readings(text) if look(data, path) is not ABSENT), None)


def _short_form(data: dict[str, Any], declared: Declared) -> None:
    """
    Says how to go on where a segment is written in its short form.

    Errors: Misnamed
    """
    for length in range(1, len(declared.path)):
        above = declared.path[:length]
        value = look(data, above)
        if isinstance(value, str):
            table = {"value": value, **{declared.path[length]: "..."}}
            raise Misnamed(
                f"`{dotted(above)}` is a text here, and has no keys in it",
                f"make it a table first: ohud config set {dotted(above)} '{written(table)}'",
            )


def _otherwise(declared: Declared, loaded: read.Loaded) -> object:
    """What holds when the config does not set a key: the theme's value, else the default; None when there is none."""
    theme, path = loaded.theme, declared.path
    found = theme.places.get(path)
    if path[0] == "segments" and len(path) > 1 and path[1] in theme.segments:
        found = theme.segments[path[1]].places.get(path[2] if len(path) == 3 else "")
    if found is not None:
        value: object = look(found.source.data, tuple(map(str, found.path)))
        if value is not ABSENT:
            return value
    if path in (("palette",), ("options",), ("limits",), ("fallback",)):
        return getattr(theme, path[0]) or None
    if declared.default is None and isinstance(declared.kind, shape.Table):
        return shape.defaults(declared.kind) or None
    return declared.default


def _leaves(data: dict[str, Any], above: Path = ()) -> list[tuple[Path, Any]]:
    """Every value that is no table with its path, in the order of the file; an empty table too."""
    found: list[tuple[Path, Any]] = []
    for name, value in data.items():
        if isinstance(value, dict) and value:
            found += _leaves(value, (*above, name))
        else:
            found.append(((*above, name), value))
    return found


def _list_all(data: dict[str, Any], as_json: bool) -> None:
    rows = keys.known()
    if as_json:
        print(
            _json(
                [
                    {
                        "key": name,
                        "type": shape.describe(key.type).replace("`", ""),
                        "default": key.default,
                        "unit": key.unit,
                        "value": None if (value := look(data, tuple(name.split(".")))) is ABSENT else value,
                        "sentence": key.sentence,
                    }
                    for name, key in rows
                ]
            )
        )
        return
    for name, key in rows:
        value = look(data, tuple(name.split(".")))
        default = "" if key.default is None else f", by default {written(key.default)}"
        here = "" if value is ABSENT or isinstance(value, dict) else f"; here {written(value)}"
        unit = f" [{key.unit}]" if key.unit else ""
        print(f"{name}: {shape.describe(key.type)}{unit}{default}{here}")
        print(f"    {key.sentence}")


def _toml(value: object) -> str:
    """A value as TOML; a table as lines."""
    return tomli_w.dumps(value).rstrip("\n") if isinstance(value, dict) else written(value)


def _json(value: object) -> str:
    return as_json(value)
