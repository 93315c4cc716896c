"""`ohud install`: the status line's command put into Claude Code's settings, every other byte left as it is."""

from __future__ import annotations

import argparse
import difflib
import json
import os
import shutil
import sys
from dataclasses import dataclass, replace
from typing import Any

from ohud.cli import DONE, NO, parser
from ohud.cli.preview import load_theme
from ohud.errors import count, quote, render
from ohud.host import installation, interpreter, settings
from ohud.host.command import command_line
from ohud.host.installation import Foreign, Record, Wanted
from ohud.host.interpreter import Interpreter
from ohud.host.process import working_directory
from ohud.host.replace import Rewriting, Rewritten, locked
from ohud.host.settings import Effective, Settings, Sources
from ohud.host.splice import Refused, data_of
from ohud.run.program import config_path
from ohud.run.world import World
from ohud.theme import lower
from ohud.theme.edit import Unchangeable, line, with_keys

_HOST_COLUMNS = 4  # that the host keeps beside what `padding` adds on either side
_REASONS = {
    "hooks-disabled": "`disableAllHooks` in the administrator's %s turns every status line off",
    "hooks-disabled-by-user": "`disableAllHooks` in %s turns the status line off",
    "managed-only": "`allowManagedHooksOnly` in %s lets only the administrator's status line run",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """
    What is to be done.

    Takes:  path: the settings file; wanted: what goes in; keys: what goes into ohud's config, at `config`
    """

    path: str
    wanted: Wanted
    config: str | None
    keys: dict[str, str | int]


def run(words: list[str]) -> int:
    """Installs the status line; 1 when the settings are left as they were."""
    asked = _arguments(words)
    world = World()
    here = working_directory()
    path = None
    try:
        path = settings.scope_path(asked.scope, world, here)
        if asked.theme is not None and not _usable(asked.theme, world):
            return NO
        chosen = _chosen(asked.python)
        plan = _plan(path, asked, chosen, world)
    except Refused as fault:
        return refuse("install", path, fault)
    return _carry_out(plan, asked, chosen, world, here)


def _arguments(words: list[str]) -> argparse.Namespace:
    reader = parser("install")
    add = reader.add_argument
    switch = argparse.BooleanOptionalAction
    add("--scope", choices=settings.SCOPES, default="user", help="whose settings (default: user)")
    add("--refresh", metavar="N", type=_seconds, help="run every N seconds too, `off` to stop that")
    add("--padding", metavar="N", type=int, help="the host's padding; ohud's config gets the margin that goes with it")
    add("--hide-vim", action=switch, help="have the host hide its own -- INSERT --")
    add("--subagents", action=switch, help="draw the rows of subagents too")
    add("--theme", metavar="NAME|FILE", help="the theme, put into ohud's config")
    add("--python", metavar="auto|PATH", default="auto", help="what runs it (default: the fastest that will stay)")
    add("--replace", action="store_true", help="put it in the place of another program's status line")
    add("--force", action="store_true", help="write a settings file that is marked read-only")
    add("--dry-run", action="store_true", help="show the changes, make none")
    asked = reader.parse_args(words)
    if asked.padding is not None and not -1000 < asked.padding < 500:
        reader.error("argument --padding: expected a number from -999 to 499")
    return asked


def _seconds(text: str) -> int | float:
    """The number of `--refresh`."""
    if text == "off":
        return 0
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 1 <= number <= 86400:
        raise argparse.ArgumentTypeError(f"expected seconds from 1 to 86400, or off, not {quote(text)}")
    return int(number) if number == int(number) else number


def _usable(theme: str, world: World) -> bool:
    """Whether a theme can be drawn; what keeps it from that is printed."""
    loaded = load_theme(theme, world)
    built = lower.build(loaded)
    if built.failed:
        for problem in built.problems:
            if problem.weight == "fatal":
                print(render(problem, loaded.text(problem)), file=sys.stderr)
    return not built.failed


def _chosen(asked: str) -> Interpreter:
    """
    The interpreter for the command line, measured.

    Errors: Refused
    """
    if asked == "auto":
        return interpreter.fastest(_measured([interpreter.examine(path) for path in interpreter.candidates()]))
    path = os.path.expanduser(asked)
    found = os.path.abspath(path) if os.path.dirname(path) else shutil.which(path)
    known = interpreter.examine(found) if found else None
    if known is None or known.reason is not None:
        raise Refused(f"{quote(asked, 200)} cannot be used: {known.reason if known else 'it is not on the PATH'}")
    return interpreter.fastest(_measured([known]))


def _measured(known: list[Interpreter]) -> list[Interpreter]:
    measured = interpreter.measure(known)
    for one in measured:
        if one.least_ms is not None:
            said = f"{one.least_ms:.1f} ms a refresh" + ("" if one.stays else ", but it may not stay")
        else:
            said = str(one.reason)
        print(f"python: {one.path}: {said}")
    return measured


def _plan(path: str, asked: argparse.Namespace, chosen: Interpreter, world: World) -> Plan:
    """
    What the words on the command line come to.

    Errors: Refused
    """
    words = [chosen.path, "-I", "-S", interpreter.entry()]
    rows = {True: command_line([*words, "subagents"], world), False: "", None: None}[asked.subagents]
    wanted = Wanted(
        command=command_line(words, world),
        subagents=rows,
        refresh=asked.refresh,
        padding=asked.padding,
        hide_vim=asked.hide_vim,
        replace=asked.replace,
    )
    keys: dict[str, str | int] = {}
    if asked.theme is not None:
        named = os.sep in asked.theme or asked.theme.endswith(".toml") or os.path.isfile(asked.theme)
        keys["theme"] = os.path.abspath(os.path.expanduser(asked.theme)) if named else asked.theme
    if asked.padding is not None:
        keys["margin"] = max(0, _HOST_COLUMNS + 2 * asked.padding)
    return Plan(path, wanted, config_path(world), keys)


def _carry_out(plan: Plan, asked: argparse.Namespace, chosen: Interpreter, world: World, here: str) -> int:
    """Both files changed, or shown as they would be."""
    how = Rewriting(backup=True, private=asked.scope == "user", force=asked.force, dry=asked.dry_run)
    folder = installation.record_folder(world)
    record = Record(folder)
    edited: Rewritten | None = None
    try:
        # Looked at before anything is written: else half of it could be done when the other half is refused.
        _edit(plan, record, replace(how, dry=True))
        with locked(None if asked.dry_run else folder):
            if record.path is None and not asked.dry_run:
                print("note: without a home directory `ohud uninstall` will not know what was there before")
            done = installation.install(plan.path, plan.wanted, record, how)
            edited = _edit(plan, record, how)
    except Refused as fault:
        return refuse("install", plan.path, fault, plan.wanted)
    if asked.dry_run:
        for one in (done, edited):
            if one is not None:
                print(diff(one), end="")
        if not done.changed and not (edited and edited.changed):
            print("nothing would change")
    else:
        _report(plan, done, edited, asked)
    for note in _notes(plan, done, chosen, asked.scope, world, here):
        print("note: " + note)
    return DONE


def _edit(plan: Plan, record: Record, how: Rewriting) -> Rewritten | None:
    """
    ohud's config with the keys in it.

    Errors: Refused, with the lines to write by hand
    """
    if not plan.keys:
        return None
    lines = " and ".join(f"`{line(key, value)}`" for key, value in plan.keys.items())
    if plan.config is None:
        raise Refused(f"there is no place for ohud's config, which would get {lines}")

    def change(text: str) -> str:
        keys = {key: value for key, value in plan.keys.items() if (key, value) != ("margin", _HOST_COLUMNS)}
        if "margin" in plan.keys and "margin" in _keys(text):
            keys["margin"] = plan.keys["margin"]
        return with_keys(text, keys)

    try:
        return installation.edit(plan.config, change, record, replace(how, backup=False, private=True, force=False))
    except (Refused, Unchangeable) as fault:
        raise Refused(f"{plan.config} cannot be given {lines}: {fault.reason}") from None


def _keys(text: str) -> set[str]:
    import tomllib

    try:
        return set(tomllib.loads(text.removeprefix("\ufeff")))
    except (ValueError, RecursionError):
        return set()


def _report(plan: Plan, done: Rewritten, edited: Rewritten | None, asked: argparse.Namespace) -> None:
    """Says what was done and how to undo it."""
    if done.changed:
        print(f"{'changed' if done.old is not None else 'made'} {plan.path}" + _led(plan.path, done))
        print(f"  {settings.STATUS_LINE}: {plan.wanted.command}")
        if plan.wanted.subagents:
            print(f"  {settings.SUBAGENTS}: {plan.wanted.subagents}")
        if done.backup:
            print(f"  as it was: {done.backup}")
    else:
        print(f"{plan.path} has it already")
    if edited is not None and edited.changed:
        print(f"{'changed' if edited.old is not None else 'made'} {plan.config}")
        for key, value in plan.keys.items():
            print(f"  {line(key, value)}")
    scope = "" if asked.scope == "user" else f" --scope {asked.scope}"
    print(f"undo: ohud uninstall{scope}")


def _led(path: str, done: Rewritten) -> str:
    return f" (a link to {done.path})" if os.path.islink(path) else ""


def _notes(plan: Plan, done: Rewritten, chosen: Interpreter, scope: str, world: World, here: str) -> list[str]:
    """What keeps the line from being seen, or from being seen for long."""
    notes = []
    if done.changed and done.linked:
        notes.append(f"the file had {count(done.linked, 'other name')} (hard links), with the old content now")
    if scope == "project":
        notes.append("the command holds paths of this machine; `--scope local` stays out of the repository")
    for what, path in (("the interpreter", chosen.path), ("ohud", interpreter.entry())):
        if not interpreter.stays(path):
            notes.append(f"{what} lies in a place for passing things: {path}")
    data = data_of(done.new or b"")
    sources = settings.locate(world, here)
    files = tuple(replace(one, exists=True, data=data) if _same(one.path, plan.path) else one for one in sources.files)
    notes += reasons(settings.effective(Sources(files)), plan.path)
    own = data.get(settings.STATUS_LINE)
    seconds = own.get("refreshInterval") if isinstance(own, dict) else None
    if isinstance(seconds, int | float) and chosen.usual_ms is not None and chosen.usual_ms > seconds * 1000:
        notes.append(
            f"a refresh takes {chosen.usual_ms:.0f} ms here, longer than the {seconds:g} s between two: "
            "the host would end every run and show nothing"
        )
    padding = own.get("padding") if isinstance(own, dict) else None
    if isinstance(padding, int | float) and padding < 0:
        notes.append(
            "with a padding below 0 the host (2.1.215) blanks cells at the ends of the line when only its surroundings "
            "are drawn again, and its hints may stand over the end of the first row"
        )
    if settings.SUBAGENTS in data:
        notes.append("hosts from 2.1.332 on say that they will drop `subagentStatusLine` in a release to come")
    return notes


def reasons(found: Effective, path: str) -> list[str]:
    """Why the host would not run the status line of a settings file."""
    if found.disabled is not None:
        where = found.switch.path if found.switch else None
        return [_REASONS[found.disabled] % where]
    winner: Settings | None = found.source
    if winner is not None and not _same(winner.path, path):
        return [f"in this directory the status line of {winner.path} wins"]
    return []


def _same(one: str | None, other: str) -> bool:
    """Whether two paths are of one file: in the home directory the project's settings are the user's."""
    return one is not None and os.path.realpath(one) == os.path.realpath(other)


def refuse(name: str, path: str | None, fault: Refused, wanted: Wanted | None = None) -> int:
    """Says why settings are left as they are, and what can be done by hand."""
    where = f"{path} is left as it is: " if path else ""
    print(f"ohud {name}: {where}{fault.reason}", file=sys.stderr)
    if isinstance(fault, Foreign):
        print("help: --replace puts ohud in its place; ohud uninstall brings it back", file=sys.stderr)
    elif wanted is not None:
        print("help: to put it in by hand:", file=sys.stderr)
        print(json.dumps(_by_hand(wanted), ensure_ascii=False, indent=2)[2:-2], file=sys.stderr)
    return NO


def _by_hand(wanted: Wanted) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(installation.with_commands("", wanted))
    return found


def diff(done: Rewritten) -> str:
    """The change of a file as a unified diff."""
    old, new = ((raw or b"").decode("utf-8", "replace").splitlines(keepends=True) for raw in (done.old, done.new))
    names = [path if raw is not None else os.devnull for path, raw in ((done.path, done.old), (done.path, done.new))]
    text = ""
    for one in difflib.unified_diff(old, new, names[0], names[1]):
        text += one if one.endswith("\n") else one + "\n\\ No newline at end of file\n"
    return text.replace("\r\n", "\n").replace("\ufeff", "")
