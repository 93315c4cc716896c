"""
`ohud record`: payloads, streams and transcripts for a bug report, with names, paths and texts replaced.

As a wrapper of a status line command it starts that first of all; what is kept is kept by a process of its own.
"""

from __future__ import annotations

import os
import sys
import time

from ohud.cli import DONE, NO, complain, parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence
    from typing import Any, BinaryIO

    from ohud.stream.disguise import Disguise

# What is kept at most: files, bytes of all, bytes of one.
_FILES, _BYTES, _LARGEST = 200, 10 << 20, 262144
_KEY, _OFF = "key", "off"
_PIECE = 65536
_SIGPIPE = 13
# How often it is looked whether the command has ended, while the host holds its end of the pipe open [s].
_LOOK_S = 0.01
_USAGE = "ohud record [--to DIR] [--stream FILE | --transcript FILE | --on | --off | --status] [-- COMMAND ...]"
_EPILOG = """\
  ohud record < payload.json > report.json
  ohud record --stream run.ndjson > report.ndjson
  ohud record --transcript SESSION.jsonl > report.jsonl

  "statusLine": {"type": "command", "command": "ohud record -- COMMAND"}

With COMMAND it is started with the payload, and what it prints and ends with
is left alone; beside it a copy of the payload is kept in DIR, at most 200
files and 10 MB, for nobody else to read. A command with pipes: sh -c '...'.

Kept as they are: structure, numbers, times, versions, models, tools and the
host's own words. Replaced: every other text, the same one by the same
placeholder. Paths of a home begin with /home/user.
"""


def run(words: list[str]) -> int:
    """Replaces or keeps; as a wrapper it ends with the command's status."""
    if "--" in words:
        at = words.index("--")
        return _wrapped(words[at + 1 :], words[:at])
    asked = _arguments(words)
    folder = _folder(asked.to)
    if asked.status:
        return _status(folder)
    if asked.on or asked.off:
        return _switch(folder, asked.on)
    path = asked.stream or asked.transcript
    if path is None:
        if os.isatty(0):
            return complain("record", "a payload is read from standard input", "ohud record < payload.json")
        return _replaced(sys.stdin.buffer, folder, asked)
    try:
        with open(path, "rb") as source:
            return _replace_lines(source, _disguise(folder))
    except BrokenPipeError:
        raise
    except OSError as fault:
        from ohud.errors import quote

        return complain("record", f"{quote(path, 200)} cannot be read: {fault.strerror}")


def _arguments(words: Sequence[str]) -> Namespace:
    from argparse import RawDescriptionHelpFormatter

    reader = parser("record", _USAGE)
    reader.formatter_class = RawDescriptionHelpFormatter
    reader.epilog = _EPILOG
    reader.add_argument("--to", metavar="DIR", help="where payloads are kept (default: a private folder)")
    one = reader.add_mutually_exclusive_group()
    one.add_argument("--stream", metavar="FILE", help="replace in a recorded stream, onto standard output")
    one.add_argument("--transcript", metavar="FILE", help="the same for a transcript")
    one.add_argument("--off", action="store_true", help="keep nothing more, though the settings name `ohud record`")
    one.add_argument("--on", action="store_true", help="keep again")
    one.add_argument("--status", action="store_true", help="say what is kept, and where")
    return reader.parse_args(words)


def _folder(to: str | None) -> str | None:
    """Where payloads are kept; None where there is no home."""
    if to:
        return os.path.abspath(os.path.expanduser(to))
    base = os.environ.get("XDG_STATE_HOME", "")
    home = os.environ.get("HOME") or os.environ.get("USERPROFILE")
    if base.startswith("/"):
        return base + "/ohud/payloads"
    return home + "/.local/state/ohud/payloads" if home else None


def _wrapped(command: list[str], options: list[str]) -> int:
    """Runs a status line command as if nothing stood between it and the host, and keeps its payload."""
    # The usual words take no reader: it costs as much as the start of the interpreter.
    to = options[1] if len(options) == 2 and options[0] == "--to" else None
    if options and to is None:
        to = _arguments(options).to
    if not command:
        return complain("record", "there is no command behind `--`", "ohud record -- COMMAND")
    ours, theirs = os.pipe()
    try:
        actions = [(os.POSIX_SPAWN_DUP2, ours, 0)]
        # The interpreter ignores it; the command shall not. (`signal` would be half of all that is imported here.)
        pid = os.posix_spawnp(command[0], command, os.environ, file_actions=actions, setsigdef=[_SIGPIPE])
    except OSError as fault:
        complain("record", f"`{command[0]!a}` cannot be started: {fault.strerror}")
        return 127 if isinstance(fault, FileNotFoundError) else 126
    finally:
        os.close(ours)
    payload, status = _pumped(theirs, pid)
    if payload:
        _keep_apart(payload, _folder(to))
    if status is None:
        status = os.waitpid(pid, 0)[1]
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _keep_apart(payload: bytes, folder: str | None) -> None:
    """Keeps a payload in a process of its own: the host waits neither for that nor for what it imports."""
    if os.fork():
        return
    try:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        _keep(payload, folder)
    finally:
        os._exit(0)


def _pumped(end: int, pid: int) -> tuple[bytes, int | None]:
    """
    Copies standard input to the command.

    Returns:  what was copied, and the command's status if it has ended meanwhile: a host may hold its end open
    """
    import select

    parts: list[bytes] = []
    size = 0
    status = None
    try:
        while status is None:
            if not select.select([0], [], [], _LOOK_S)[0]:
                gone, code = os.waitpid(pid, os.WNOHANG)
                status = code if gone else None
                continue
            data = os.read(0, _PIECE)
            if not data:
                break
            if size <= _LARGEST:
                parts.append(data)
            size += len(data)
            _send(end, data)
    except OSError:
        # The command reads no more, or there is nothing to read from.
        pass
    finally:
        os.close(end)
    return (b"".join(parts) if size <= _LARGEST else b""), status


def _send(end: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(end, rest) :]


def _keep(raw: bytes, folder: str | None) -> str | None:
    """Puts a payload into the folder, replaced; the file's path, None where nothing is kept."""
    from ohud.run.keep import write
    from ohud.run.payload import parse

    if folder is None or os.path.exists(os.path.join(folder, _OFF)):
        return None
    payload = parse(raw)
    if payload is None:
        return None
    data = _dumped(_disguise(folder).value(payload)).encode() + b"\n"
    name = "payload-%d-%d.json" % (time.time_ns() // 1_000_000, os.getpid())
    if not write(folder, name, data):
        return None
    _prune(folder)
    return os.path.join(folder, name)


def _disguise(folder: str | None) -> Disguise:
    """What replaces, with the folder's own key: what is kept there belongs together."""
    from ohud.run.keep import write
    from ohud.stream.disguise import Disguise, own_home

    key = b""
    if folder is not None:
        path = os.path.join(folder, _KEY)
        try:
            with open(path, "rb") as file:
                key = file.read(64)
        except OSError:
            pass
        if len(key) < 32:
            key = os.urandom(32)
            write(folder, _KEY, key)
    return Disguise(key or os.urandom(32), own_home())


def _prune(folder: str) -> None:
    """Takes the oldest away, until there are no more than may be."""
    kept = _kept(folder)
    total = sum(size for _, size in kept)
    while len(kept) > _FILES or total > _BYTES:
        path, size = kept.pop(0)
        total -= size
        try:
            os.unlink(path)
        except OSError:
            pass


def _kept(folder: str) -> list[tuple[str, int]]:
    """The kept payloads with their sizes, oldest first."""
    found = []
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return []
    for entry in entries:
        if entry.name.startswith("payload-") and entry.name.endswith(".json") and entry.is_file(follow_symlinks=False):
            found.append((entry.path, entry.stat(follow_symlinks=False).st_size))
    return found


def _status(folder: str | None) -> int:
    """Says what is kept; 1 when nothing will be."""
    if folder is None:
        return complain("record", "there is no home to keep payloads in", "--to DIR")
    from ohud.errors import count, quote

    off = os.path.exists(os.path.join(folder, _OFF))
    kept = _kept(folder)
    print(f"{'off' if off else 'on'}: `ohud record -- COMMAND` keeps {'nothing' if off else 'payloads'}")
    print(f"{count(len(kept), 'payload')}, {sum(size for _, size in kept):,} bytes in {quote(folder, 300)}")
    return NO if off else DONE


def _switch(folder: str | None, on: bool) -> int:
    """Keeps again, or no more."""
    from ohud.run.keep import write

    if folder is None:
        return complain("record", "there is no home to keep payloads in", "--to DIR")
    path = os.path.join(folder, _OFF)
    if not on:
        if not write(folder, _OFF, b""):
            return complain("record", "it cannot be noted: the folder is not ours alone, or cannot be written to")
    elif os.path.lexists(path):
        os.unlink(path)
    return _status(folder) and DONE


def _replaced(source: BinaryIO, folder: str | None, asked: Namespace) -> int:
    """Replaces in a payload, onto standard output or into a folder; 1 when it is none."""
    raw = source.read(_LARGEST + 1)
    if asked.to:
        path = _keep(raw, folder)
        if path is None:
            return _no("nothing was kept: no payload, or a folder that is off or not ours alone")
        print(path)
        return DONE
    value = _loaded(raw)
    if len(raw) > _LARGEST or value is None:
        print(_as_line(_disguise(folder).line(raw[:_LARGEST].decode("utf-8", "replace"))))
        return _no("the input is no JSON object of at most 256 KiB: it was replaced as a whole")
    print(_dumped(_disguise(folder).value(value[0])))
    return DONE


def _no(message: str) -> int:
    complain("record", message)
    return NO


def _as_line(text: str) -> str:
    """What was no JSON, and shall be none, in one line that cannot act on a terminal."""
    return _dumped(text)[1:-1]


def _replace_lines(source: BinaryIO, disguise: Disguise) -> int:
    for line in _lines(source):
        value = _loaded(line)
        if value is not None:
            print(_dumped(disguise.value(value[0])))
        else:
            text = line.decode("utf-8", "replace").rstrip("\n")
            print(_as_line(disguise.line(text)) if text.strip() else "")
    return DONE


def _lines(source: BinaryIO) -> Iterator[bytes]:
    """Lines; one array is one, over as many lines as it may go."""
    first = source.readline()
    if first.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        yield first + source.read()
        return
    if first:
        yield first
    yield from source


def _loaded(raw: bytes) -> tuple[Any] | None:
    """The JSON value in the bytes; None when they are none."""
    import json

    try:
        value = json.loads(raw.decode("utf-8-sig", "replace"), strict=False)
    except (ValueError, RecursionError):
        return None
    return (value,) if isinstance(value, (dict, list)) else None


def _dumped(value: Any) -> str:
    """A value as JSON in one line; ASCII, so that nothing in it can act on a terminal."""
    import json

    return json.dumps(value, separators=(",", ":"))
