"""What a command looks at: a payload from a file or from standard input, or a built-in moment of a session."""

from __future__ import annotations

import os
import stat
import sys
import time
from argparse import ArgumentParser, Namespace

from ohud.cli import complain
from ohud.cli.drawing import Moment, named, scene_moments
from ohud.cli.output import told
from ohud.errors import nearest, quote
from ohud.host import scenarios
from ohud.run.world import WINDOWS, World

DEFAULT_SCENARIO = "working"
LIMIT = 262144  # bytes of a payload
# How long standard input that nobody has spoken of is waited for [s].
_FIRST_BYTE_S = 0.25
# How long a person waits for the slow facts of a payload of their own [s].
_PATIENCE_S = 5.0
# How long what a pipe is to give is waited for, as nobody may ever write into it [s].
_PIPE_S = 5.0


class Unread(Exception):
    """A payload's file that cannot be read, with the reason in words."""


def add_subject(reader: ArgumentParser) -> None:
    """Adds the arguments that say what to look at."""
    one = reader.add_mutually_exclusive_group()
    one.add_argument("--payload", metavar="FILE", type=named, help="a payload of your own, `-` for standard input")
    one.add_argument("--scenario", metavar="NAME", type=named, help=f"a built-in moment (default: {DEFAULT_SCENARIO})")


def subject(asked: Namespace, name: str) -> Moment:
    """
    The moment asked for.

    Takes:   name: of the command, for complaints
    Returns: standard input counts when it is no terminal and something comes; else the scenario is the default one
    Errors:  SystemExit for wrong use, once it has been said
    """
    raw = _given(asked, name)
    if raw is not None:
        label = told(os.path.basename(asked.payload), 80) if asked.payload and asked.payload != "-" else "stdin"
        return Moment(label, "a payload of your own", raw if len(raw) <= LIMIT else None, dict(os.environ))
    chosen = asked.scenario or DEFAULT_SCENARIO
    known = scenarios.names()
    if chosen not in known:
        close = nearest(chosen, known)
        hint = f"did you mean `{close}`?" if close else "ohud preview --list"
        raise SystemExit(complain(name, f"there is no scenario {quote(chosen)}", hint))
    return scene_moments([chosen])[0]


def world_of(moment: Moment, columns: int) -> World:
    """What is known at a moment; the slow facts of the user's own are waited for. 0 columns: no width."""
    world = moment.world(columns)
    if moment.scene is None:
        world.patience = _PATIENCE_S
    return world


def _given(asked: Namespace, name: str) -> bytes | None:
    """The bytes of the payload, at most one more than it may have; None when a scenario is looked at."""
    if asked.payload == "-":
        if sys.stdin is None or sys.stdin.isatty():
            raise SystemExit(complain(name, "standard input is a terminal", f"ohud {name} --payload FILE"))
        return _standard_input()
    if asked.payload:
        try:
            return contents(asked.payload)
        except Unread as fault:
            raise SystemExit(complain(name, f"{quote(asked.payload, 200)} cannot be read: {fault}")) from None
    if asked.scenario or not _speaks():
        return None
    return _standard_input() or None


def contents(path: str) -> bytes:
    """
    What is in a payload's file or comes out of a pipe, at most one byte more than a payload may have.

    Errors:  Unread, also for a pipe into which nobody writes
    """
    try:
        handle = os.open(path, os.O_RDONLY | _OPEN)
    except (OSError, ValueError) as fault:
        raise Unread(_reason(fault)) from None
    try:
        return _all_of(handle)
    except OSError as fault:
        raise Unread(_reason(fault)) from None
    finally:
        os.close(handle)


_OPEN = (
    getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
)


def _all_of(handle: int) -> bytes:
    kind = os.fstat(handle).st_mode
    if stat.S_ISDIR(kind):
        raise Unread("it is a directory")
    if os.isatty(handle):
        raise Unread("it is a terminal")
    waits = not stat.S_ISREG(kind) and not WINDOWS
    until = time.monotonic() + _PIPE_S
    raw = b""
    while len(raw) <= LIMIT:
        if waits and not _ready(handle, until - time.monotonic()):
            raise Unread(f"nothing has come out of it for {_PIPE_S:g} s" if not raw else "its end does not come")
        part = os.read(handle, LIMIT + 1 - len(raw))
        if not part:
            break
        raw += part
    return raw


def _ready(handle: int, seconds: float) -> bool:
    import select

    return bool(select.select([handle], [], [], max(0.0, seconds))[0])


def _reason(fault: Exception) -> str:
    return (getattr(fault, "strerror", None) or "it is not a path").lower()


def _speaks() -> bool:
    """Whether somebody has redirected standard input and says something, or has nothing more to say."""
    if sys.stdin is None or sys.stdin.closed or sys.stdin.isatty():
        return False
    if WINDOWS:
        return True
    import select

    try:
        return bool(select.select([sys.stdin.fileno()], [], [], _FIRST_BYTE_S)[0])
    except (OSError, ValueError):
        return False


def _standard_input() -> bytes:
    from ohud.run.payload import parse

    handle = sys.stdin.fileno()
    raw = b""
    while len(raw) <= LIMIT:
        try:
            part = os.read(handle, LIMIT + 1 - len(raw))
        except OSError:
            # A directory, say: as good as nothing.
            break
        if not part:
            break
        raw += part
        # A host may hold its end open: what is whole is enough.
        if raw.rstrip().endswith(b"}") and parse(raw) is not None:
            break
    return raw
