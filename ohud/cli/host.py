"""`ohud host`: what Claude Code would show of a status line command, once or in the course of a scripted session."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ohud.cli import DONE, NO, complain, parser
from ohud.cli.preview import paints, tinted
from ohud.errors import count, nearest, quote
from ohud.host import scenarios, settings
from ohud.host.play import Frame, Player, Script, Unplayable, log, read, script
from ohud.host.process import working_directory
from ohud.host.runtime import Session
from ohud.host.version import NEW, VERSIONS
from ohud.run.payload import parse
from ohud.run.world import World

_SCENARIO = "working"
_LIMIT = 1 << 20  # bytes of a script or payload


def run(words: list[str]) -> int:
    """Plays a session; 1 when a single run gives no line."""
    asked = _arguments(words)
    if os.name == "nt":
        return complain("host", "processes are given sockets, which Windows cannot do", "run it in WSL")
    world = World()
    try:
        played = _script(asked)
        with _session(asked, world, played) as session:
            return _play(Player(played, session, not asked.real_time, asked.speed), asked, world)
    except Unplayable as fault:
        return complain("host", str(fault), "ohud host --help")


def _arguments(words: list[str]) -> Namespace:
    reader = parser("host")
    add = reader.add_argument
    add(
        "script",
        nargs="?",
        metavar="SCRIPT",
        help="a session in TOML or JSON, `-` for standard input (default: one run)",
    )
    add("--command", metavar="TEXT", help="the status line command (default: the one of the settings in effect)")
    add("--subagents", metavar="TEXT", help="the subagent status line command")
    add("--padding", metavar="N", type=int, help="its padding")
    add("--refresh", metavar="S", type=float, help="its refresh interval in seconds")
    add("--payload", metavar="FILE", help="the payload that the session begins with, `-` for standard input")
    add(
        "--scenario",
        metavar="NAME",
        help=f"a built-in payload, with the files that it speaks of (default: {_SCENARIO})",
    )
    add("--columns", metavar="N", type=_size, help="width of the terminal (default: this one's)")
    add("--lines", metavar="N", type=_size, help="its height")
    add("--version", choices=sorted(VERSIONS), help=f"the measured host to follow (default: {NEW.name})")
    add("--fullscreen", action="store_true", help="as in full-screen mode")
    add("--links", choices=("auto", "yes", "no"), default="auto", help="whether the terminal supports links")
    add("--settings", metavar="FILE", help="a settings file, as for the host's `--settings`")
    add("--safe-mode", action="store_true", help="as in safe mode: an administrator's settings alone count")
    add("--real-time", action="store_true", help="wait between events instead of skipping idle time")
    add("--speed", metavar="N", type=float, default=1.0, help="let the clock go faster while a command runs")
    add("--color", choices=("auto", "always", "never"), default="auto", help="colours of the line (default: auto)")
    add("--log", action="store_true", help="list the runs too: when, how long, how they ended")
    add("--json", action="store_true", help="everything as one JSON object")
    asked = reader.parse_args(words)
    if asked.payload and asked.scenario:
        reader.error("--payload and --scenario exclude each other")
    if asked.payload == asked.script == "-":
        reader.error("only one of script and payload can be standard input")
    if not asked.speed > 0:
        reader.error("--speed is above 0")
    return asked


def _size(text: str) -> int:
    """A number of columns or rows."""
    from argparse import ArgumentTypeError

    if not (text.isascii() and text.isdecimal() and 0 < int(text) <= 1000):
        raise ArgumentTypeError(f"expected a number from 1 to 1000, not {quote(text)}")
    return int(text)


def _script(asked: Namespace) -> Script:
    """The script, with what the options say put into its settings."""
    if asked.script is None:
        made = script({"events": [{"do": "mount"}]})
    else:
        made = read(_contents(asked.script).decode("utf-8", "replace"), asked.script)
    options = {"statusLine": {"command": asked.command, "padding": asked.padding, "refreshInterval": asked.refresh}}
    options["subagentStatusLine"] = {"command": asked.subagents}
    for table, keys in options.items():
        given = {name: value for name, value in keys.items() if value is not None}
        if not given:
            continue
        if "command" not in given and not made.settings:
            raise Unplayable("--padding and --refresh go with --command or with a script that has settings")
        user = made.settings.setdefault("user", {})
        user[table] = {"type": "command", **user.get(table, {}), **given}
    return made


def _contents(path: str) -> bytes:
    """
    The bytes of a file, or of standard input.

    Errors: Unplayable
    """
    if path == "-":
        return sys.stdin.buffer.read(_LIMIT)
    try:
        with open(path, "rb") as file:
            return file.read(_LIMIT)
    except OSError as fault:
        raise Unplayable(f"{quote(path, 200)} cannot be read: {fault.strerror}") from None


@contextmanager
def _session(asked: Namespace, world: World, played: Script) -> Iterator[Session]:
    """A session that was started here, with the payload asked for and the settings of this machine."""
    here = working_directory()
    size = shutil.get_terminal_size((80, 24))
    session = Session(dict(os.environ), here, here, columns=size.columns, lines=size.lines, epoch=time.time())
    session.version = VERSIONS[asked.version or NEW.name]
    session.safe_mode, session.fullscreen = asked.safe_mode, asked.fullscreen
    session.links = {"auto": None, "yes": True, "no": False}[asked.links]
    if not played.settings:
        session.sources = settings.locate(world, here, flags=asked.settings)
        session.trusted = settings.trusted(world, here) is not False
    _override(asked, played)
    if asked.payload:
        payload = parse(_contents(asked.payload))
        if payload is None:
            raise Unplayable(f"{quote(asked.payload, 200)} holds no JSON object")
        session.payload = payload
        yield session
        return
    known = {one.name: one for one in scenarios.scenarios()}
    name = asked.scenario or _SCENARIO
    if name not in known:
        close = nearest(name, known)
        raise Unplayable(f"there is no scenario {quote(name)}" + (f", did you mean `{close}`?" if close else ""))
    with scenarios.staged(known[name], session.epoch) as stage:
        session.payload = json.loads(stage.raw)
        place = session.payload.get("cwd")
        if asked.scenario and isinstance(place, str):
            session.cwd = session.project_dir = place
        elif isinstance(session.payload.get("workspace"), dict):
            session.payload["workspace"]["project_dir"] = here
        yield session


def _override(asked: Namespace, played: Script) -> None:
    """What the options say of the session counts more than what the script says."""
    for name in ("columns", "lines", "version"):
        if getattr(asked, name) is not None:
            played.session[name] = getattr(asked, name)
    if asked.fullscreen:
        played.session["fullscreen"] = True


def _play(player: Player, asked: Namespace, world: World) -> int:
    frames = []
    color = "auto" if asked.color == "auto" else "truecolor" if asked.color == "always" else "never"
    coloured = paints(color, world)
    why = ""
    for frame in player.frames():
        why = player.line.why()
        frames.append(frame.as_json() | {"why": why or None})
        if not asked.json:
            _show(frame, why, coloured, first=len(frames) == 1)
    if asked.json:
        runs = {"runs": log(player.line.records), "subagent_runs": log(player.subagents.records)}
        print(json.dumps({"version": player.session.version.name, "frames": frames, **runs}, ensure_ascii=False))
    elif asked.log:
        _list(log(player.line.records), coloured)
    return NO if asked.script is None and why else DONE


def _show(frame: Frame, why: str, coloured: bool, first: bool) -> None:
    """One frame: when, what had happened, and the screen's rows."""
    facts = [f"{frame.event.at:.2f} s", frame.event.kind, count(frame.runs, "run")]
    if frame.killed:
        facts.append(f"{frame.killed} killed")
    print("\n" * (not first) + tinted(" · ".join(facts), "2", coloured))
    for row in [*frame.rows, *frame.tasks]:
        print(row.ansi() if coloured else row.line)
    if not frame.rows:
        print(tinted("(no line)" if not why else f"(no line: {why})", "2", coloured))
    sys.stdout.flush()


def _list(runs: list[dict[str, Any]], coloured: bool) -> None:
    print("\n" + tinted("began    took     ended", "2", coloured))
    for one in runs:
        took = "" if one["ended"] is None else f"{one['ended'] - one['began']:.3f}"
        end = "killed" if one["killed"] else "time out" if one["timed_out"] else one["error"] or one["code"]
        print(f"{one['began']:<8.3f} {took:<8} {end}")
