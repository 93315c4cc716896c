"""
What ohud puts into the host's settings, what stood there before, and the way back.

A record of its own, beside ohud's config, keeps for each settings file the piece that was replaced and a digest of the
result. While the file is still that result, uninstalling gives back every byte; after other changes it takes out
ohud's values alone and puts back the status line that was there.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ohud.host import command
from ohud.host.files import read, remove, remove_folders
from ohud.host.replace import Rewriting, keep, rewrite
from ohud.host.settings import STATUS_LINE, SUBAGENTS
from ohud.host.splice import Refused, blank, decode, drop, put, raw_value, top

if TYPE_CHECKING:
    from ohud.host.replace import Change, Rewritten
    from ohud.run.world import World

KEYS = (STATUS_LINE, SUBAGENTS)
_FORMAT = 1
_SHOWN = 80


class Foreign(Refused):
    """The status line of another program is there, and nobody has said that it may go."""

    settled = True


@dataclass(frozen=True, slots=True)
class Wanted:
    """
    What is to be installed; None leaves a value as it is, in a new entry it is left out.

    Takes:  command: the status line's; subagents: the command for the rows of subagents, "" takes ohud's out;
            refresh: seconds between refreshes, 0 takes the key out; padding: cells; hide_vim: whether the host's own
            mode indicator goes; replace: the status line of another program may be replaced
    """

    command: str
    subagents: str | None = None
    refresh: int | float | None = None
    padding: int | None = None
    hide_vim: bool | None = None
    replace: bool = False


@dataclass(frozen=True, slots=True)
class Undo:
    """
    The way back from a text to an earlier one.

    Takes:  start: offset in characters; removed: what stood there; added: how many characters stand there now;
            digest: of the text that it leads back from; absent: there was no file
    """

    start: int
    removed: str
    added: int
    digest: str
    absent: bool = False

    @staticmethod
    def between(old: str | None, new: bytes) -> Undo:
        """The way back from new bytes to an old text, None: to no file."""
        digest = hashlib.sha256(new).hexdigest()
        if old is None:
            return Undo(0, "", 0, digest, True)
        text = decode(new)
        start = _alike(old, text)
        tail = _alike(old[start:][::-1], text[start:][::-1])
        return Undo(start, old[start : len(old) - tail], len(text) - tail - start, digest)

    def fits(self, raw: bytes | None) -> bool:
        """Whether a file is the one that this leads back from."""
        return raw is not None and hashlib.sha256(raw).hexdigest() == self.digest

    def apply(self, raw: bytes) -> bytes | None:
        """The earlier bytes, None: no file."""
        if self.absent:
            return None
        text = decode(raw)
        return (text[: self.start] + self.removed + text[self.start + self.added :]).encode()


@dataclass(frozen=True, slots=True)
class Entry:
    """
    What is remembered of one file.

    Takes:  previous: key -> the text of the value that ohud has replaced, None where there was none; undo: the way
            back to the file before ohud, None when others have changed it since; folders: made for the file;
            backups: copies of it that ohud has made
    """

    previous: dict[str, str | None] = field(default_factory=dict)
    undo: Undo | None = None
    folders: tuple[str, ...] = ()
    backups: tuple[str, ...] = ()


class Record:
    """What is remembered of all files: `installed.json` beside ohud's config. Whoever changes it holds the lock."""

    def __init__(self, folder: str | None) -> None:
        self.path = os.path.join(folder, "installed.json") if folder else None

    def entry(self, path: str) -> Entry | None:
        """What is remembered of a file; None when there is nothing, or what there is makes no sense."""
        found = self._files().get(path)
        try:
            return _entry(found) if isinstance(found, dict) else None
        except (TypeError, ValueError, Refused):
            return None

    def set(self, path: str, entry: Entry | None) -> None:
        """
        Remembers something of a file, None: forgets it.

        Errors: Refused when the record cannot be written
        """
        files = self._files()
        before = dict(files)
        files.pop(path, None)
        if entry is not None:
            files[path] = json.loads(json.dumps(asdict(entry)))
        if files == before or self.path is None:
            return
        if not files:
            remove(self.path)
            return
        try:
            keep(self.path, json.dumps({"format": _FORMAT, "files": files}, indent=1, sort_keys=True).encode())
        except Refused as fault:
            raise Refused(f"`{self.path}` cannot be written: {fault.reason}") from None

    def paths(self) -> list[str]:
        """The files of which something is remembered."""
        return list(self._files())

    def _files(self) -> dict[str, Any]:
        try:
            raw = read(self.path) if self.path else None
            data = json.loads(raw) if raw else {}
        except (Refused, ValueError, RecursionError):
            return {}
        files = data.get("files") if isinstance(data, dict) and data.get("format") == _FORMAT else None
        return dict(files) if isinstance(files, dict) else {}


def record_folder(world: World) -> str | None:
    """Where the record is kept: the folder of ohud's own config, also when OHUD_CONFIG names another file."""
    if os.name == "nt":
        base = world.env("APPDATA")
        return os.path.join(base, "ohud") if base and os.path.isabs(base) else None
    base = world.env("XDG_CONFIG_HOME")
    if base and os.path.isabs(base):
        return os.path.join(base, "ohud")
    return os.path.join(world.home, ".config", "ohud") if world.home else None


def install(path: str, wanted: Wanted, record: Record, how: Rewriting) -> Rewritten:
    """
    ohud's commands put into a settings file.

    Errors: Refused, the file is then as it was; Foreign when another program's status line is there
    """

    def change(raw: bytes | None) -> bytes | None:
        text = decode(raw or b"")
        new = with_commands(text, wanted)
        return raw if new == text else new.encode()

    return _remembered(path, change, record, how)


def uninstall(path: str, record: Record, how: Rewriting) -> Rewritten:
    """
    A settings file without ohud's commands: as it was before, where nobody has changed it since.

    Errors: Refused, the file is then as it was
    """
    entry = record.entry(path) or Entry()

    def change(raw: bytes | None) -> bytes | None:
        if raw is None:
            return None
        if entry.undo is not None and entry.undo.fits(raw):
            return entry.undo.apply(raw)
        text = decode(raw)
        new = without_commands(text, entry.previous)
        return raw if new == text else new.encode()

    done = rewrite(path, change, replace(how, before=None))
    done = _without_needless_copy(done, entry)
    if not how.dry:
        clean_up(path, entry, record, done)
    return done


def clean_up(path: str, entry: Entry, record: Record, done: Rewritten) -> None:
    """After the way back: the record forgets the file, copies of what the file is again go, as do empty folders."""
    record.set(path, None)
    for backup in (*entry.backups, *([done.backup] if done.backup else [])):
        try:
            if done.new is not None and not os.path.islink(backup) and read(backup) == done.new:
                remove(backup)
        except Refused:
            continue
    if done.new is None:
        remove_folders(list(entry.folders))


def edit(path: str, text_change: Callable[[str], str], record: Record, how: Rewriting) -> Rewritten:
    """
    Another file of the user's changed in a way that `undo` takes back.

    Takes:   text_change: gives the new text for the old one
    Errors:  Refused, the file is then as it was
    """

    def change(raw: bytes | None) -> bytes | None:
        text = decode(raw or b"")
        new = text_change(text)
        return raw if new == text else new.encode()

    return _remembered(path, change, record, how)


def undo(path: str, record: Record, how: Rewriting) -> Rewritten | None:
    """
    An edited file as it was before; None when others have changed it since, and it is left alone.

    Errors: Refused
    """
    entry = record.entry(path)
    if entry is None:
        return None
    way = entry.undo

    def change(raw: bytes | None) -> bytes | None:
        return way.apply(raw) if raw is not None and way is not None and way.fits(raw) else raw

    done = rewrite(path, change, replace(how, before=None))
    if not how.dry:
        clean_up(path, entry, record, done)
    return done if done.changed else None


def with_commands(text: str, wanted: Wanted) -> str:
    """
    The text of settings with ohud's commands in it.

    Errors: Refused for what cannot be changed safely; Foreign
    """
    options: dict[str, Any] = {
        "refreshInterval": wanted.refresh,
        "padding": wanted.padding,
        "hideVimModeIndicator": wanted.hide_vim,
    }
    text = _with_command(text, STATUS_LINE, wanted.command, options, wanted.replace)
    if wanted.subagents:
        text = _with_command(text, SUBAGENTS, wanted.subagents, {}, wanted.replace)
    elif wanted.subagents is not None and is_ours(_data(text).get(SUBAGENTS)):
        text = drop(text, (SUBAGENTS,))
    else:
        _data(text)
    return text


def without_commands(text: str, previous: Mapping[str, str | None]) -> str:
    """
    The text of settings without ohud's commands.

    Takes:   previous: key -> the text of the value to put in their place, None for none
    Errors:  Refused
    """
    for key in KEYS:
        if not is_ours(_data(text).get(key)):
            continue
        before = previous.get(key)
        text = drop(text, (key,)) if before is None else put(text, (key,), None, raw=before)
    return text


def is_ours(value: object) -> bool:
    """Whether a value of settings is a command of ohud's."""
    return isinstance(value, dict) and command.ours(value.get("command"))


def _with_command(text: str, key: str, line: str, options: dict[str, Any], replaced: bool) -> str:
    """The text with one command in it; of an older entry of ohud's what is not named stays."""
    data = _data(text)
    value = data.get(key)
    if isinstance(value, dict) and is_ours(value):
        for name, wanted in {"type": "command", "command": line, **options}.items():
            if wanted is None or (name in value and type(wanted) is type(value[name]) and wanted == value[name]):
                continue
            if wanted == 0 and name == "refreshInterval":
                text = drop(text, (key, name))
            else:
                text = put(text, (key, name), wanted)
        return text
    if value is not None and not replaced:
        other = value.get("command") if isinstance(value, dict) else None
        shown = other if isinstance(other, str) else json.dumps(value, ensure_ascii=False)
        shown = "".join(character if character.isprintable() else " " for character in shown)
        shown = shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"
        raise Foreign(f"`{key}` belongs to another program: {shown}")
    kept = {name: wanted for name, wanted in options.items() if wanted is not None}
    if kept.get("refreshInterval") == 0:
        del kept["refreshInterval"]
    return put(text, (key,), {"type": "command", "command": line, **kept})


def _remembered(path: str, change: Change, record: Record, how: Rewriting) -> Rewritten:
    """A change after which the record knows the way back to the file as it was before the first one."""
    entry = record.entry(path)

    def before(old: bytes | None, new: bytes | None) -> None:
        if new is not None:
            record.set(path, _next(entry, old, new))
        if how.before:
            how.before(old, new)

    try:
        done = rewrite(path, change, replace(how, before=before))
    except BaseException:
        if not how.dry:
            record.set(path, entry)
        raise
    done = _without_needless_copy(done, entry or Entry())
    if done.changed and not how.dry:
        now = record.entry(path) or Entry()
        backups = now.backups + ((done.backup,) if done.backup else ())
        record.set(path, replace(now, folders=now.folders or done.folders, backups=backups))
    return done


def _without_needless_copy(done: Rewritten, entry: Entry) -> Rewritten:
    """A change whose backup has gone again when nobody's work but ours was in the old file."""
    if done.backup is None or entry.undo is None or not entry.undo.fits(done.old):
        return done
    remove(done.backup)
    return replace(done, backup=None)


def _alike(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    least, most = 0, min(len(one), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if one[:middle] == other[:middle] else (least, middle - 1)
    return least


def _next(entry: Entry | None, old: bytes | None, new: bytes) -> Entry:
    """What is remembered once old bytes have become new ones."""
    text = decode(old) if old is not None else None
    values = {} if text is None or blank(text) else _known(text)
    mine = {key for key, (value, _) in values.items() if is_ours(value)}
    # What stood there before ohud came is known from the first time, as long as ohud is still there.
    previous = {key: entry.previous.get(key) for key in mine} if entry else {}
    previous.update({key: values[key][1] if key in values else None for key in KEYS if key not in mine})
    way: Undo | None
    if entry is not None and entry.undo is not None and entry.undo.fits(old):
        earlier = entry.undo.apply(old or b"")
        way = Undo.between(None if earlier is None else decode(earlier), new)
    else:
        # An entry of ohud's that the record does not know, an older one say, is the state to come back to.
        way = None if mine and entry is not None else Undo.between(text, new)
    kept = entry or Entry()
    return Entry(previous, way, kept.folders if text is not None else (), kept.backups)


def _known(text: str) -> dict[str, tuple[Any, str]]:
    """The values of ohud's keys with their texts, of a text that may be no JSON at all."""
    try:
        data = _data(text)
        return {key: (data[key], raw_value(text, key) or "") for key in KEYS if key in data}
    except Refused:
        return {}


def _data(text: str) -> dict[str, Any]:
    if blank(text):
        return {}
    found = top(text)
    for key in KEYS:
        found.member(key)
    data: dict[str, Any] = json.loads(text.removeprefix("\ufeff"))
    return data


def _entry(found: dict[str, Any]) -> Entry:
    """An entry of the record; whatever is in it that makes no sense is an error."""
    way = found.get("undo")
    previous = found.get("previous")
    if not isinstance(previous, dict) or not all(isinstance(one, str | None) for one in previous.values()):
        raise TypeError
    for one in previous.values():
        if one is not None and len(top('{"":' + one + "}").members) != 1:
            raise TypeError
    return Entry(
        dict(previous),
        _undo(way) if way is not None else None,
        tuple(str(one) for one in found.get("folders", ())),
        tuple(str(one) for one in found.get("backups", ())),
    )


def _undo(way: Any) -> Undo:
    known = Undo(**way)
    numbers = isinstance(known.start, int) and isinstance(known.added, int) and known.start >= 0 <= known.added
    if not numbers or not isinstance(known.removed, str) or not isinstance(known.digest, str):
        raise TypeError
    return known
