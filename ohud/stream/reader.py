"""
A stream as it comes: bytes in, messages out, with no more kept than the line that is not yet whole.

`Reader` is the core and never waits; `read` and `follow` go over a file, a pipe, or a file that grows.
"""

from __future__ import annotations

import os
import time
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from ohud.stream.messages import Message, message
from ohud.stream.parse import BadLine, fault_of, parse_items, scan

# The longest line that is read [bytes]; with it decoded, memory stays below 60 MB.
LIMIT = 4 * 1024 * 1024
_PIECE = 65536
# What may be tried over and over without a cost to speak of [characters].
_SHORT = 4096
_BOM = b"\xef\xbb\xbf"
# Windows PowerShell writes what it redirects to a file as UTF-16.
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")
_BLANK = b" \t\r\n"


@dataclass(frozen=True, slots=True)
class TooLong:
    """
    A note in place of a line that was too long to be read.

    Takes:  number: the line, from 1; size: its length, its end not counted [bytes]
    """

    number: int
    size: int


Item = Message | BadLine | TooLong


class Reader:
    """
    Bytes to messages, however they are cut.

    Takes:    limit: the longest line that is read [bytes]
    Returns:  of `feed` and `close`: messages in their order; for a line that is none a BadLine (as a value: the stream
              goes on), for one over the limit a TooLong. A stream whose first message begins with `[` is read as one
              array, whatever words stand above it.
    Errors:   none
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self.limit = limit
        self.number = 0
        self._rest: list[bytes] = []
        self._size = 0
        self._skipping = False
        self._begun = False
        self._marked = False
        self._wide: Callable[[bytes], str] | None = None
        self._array: _Array | None = None

    def feed(self, data: bytes) -> list[Item]:
        """The messages that are whole with these bytes."""
        found: list[Item] = []
        if self._wide is not None:
            data = self._wide(data).encode("utf-8", "replace")
        if not self._begun:
            data = self._begin(data, found)
        if self._array is not None:
            return found + self._array.feed(data)
        end = data.rfind(b"\n")
        if end < 0:
            return self._keep(data, found)
        lines = data[:end].split(b"\n")
        if self._size:
            lines[0] = self._joined(lines[0], found)
        self._read(lines, found)
        return self._keep(data[end + 1 :], found) if end + 1 < len(data) else found

    def close(self) -> list[Item]:
        """What the end of the stream leaves: a last line without an end, whole or cut off."""
        if self._array is not None:
            return self._array.close()
        found: list[Item] = []
        if self._size:
            line = self._joined(b"", found)
            self._read([line], found)
            # Words that another program has printed last are no half message.
            half = line.lstrip(_BLANK).startswith(b"{") or line.strip(_BLANK) == b"["
            if found and isinstance(found[-1], BadLine) and half:
                fault = found[-1]
                found[-1] = BadLine(fault.reason, fault.number, fault.column, fault.excerpt, cut_off=True)
        return found

    def _begin(self, data: bytes, found: list[Item]) -> bytes:
        """The bytes from the first message on, when they have come, and whether it begins an array."""
        if self._skipping:
            line, end, data = data.partition(b"\n")
            if not end:
                return self._later(line, found)
            self._joined(line, found)
            self.number += 1
        data = b"".join(self._rest) + data
        self._rest, self._size = [], 0
        if not self._marked:
            if len(data) < 3 and any(mark.startswith(data) for mark in (_BOM, *_WIDE_BOMS)):
                return self._later(data, found)
            self._marked = True
            if data.startswith(_WIDE_BOMS):
                self._wide = getincrementaldecoder("utf-16")("replace").decode
                data = self._wide(data).encode("utf-8", "replace")
            data = data.removeprefix(_BOM)
        lines = data.split(b"\n")
        for at, line in enumerate(lines):
            start = line.lstrip(_BLANK)
            inner = start
            if start.startswith(b"["):
                below = (more for other in lines[at + 1 :] if (more := other.lstrip(_BLANK)))
                inner = start[1:].lstrip(_BLANK) or next(below, b"")
                if inner.startswith((b"{", b"]")):
                    self._array = _Array(self.limit)
            if self._array is not None or start.startswith(b"{"):
                self._begun = True
                return b"\n".join(lines[at:])
            if at + 1 == len(lines) or (start and not inner):
                return self._later(b"\n".join(lines[at:]).lstrip(_BLANK), found)
            if start:
                # Words of another program, or an object behind such; `[` may begin them too.
                before = len(found)
                self._read([line], found)
                if any(isinstance(item, Message) for item in found[before:]):
                    self._begun = True
                    return b"\n".join(lines[at + 1 :])
            else:
                self.number += 1
        return b""

    def _later(self, data: bytes, found: list[Item]) -> bytes:
        """Keeps bytes that are not enough to tell anything by."""
        self._keep(data, found)
        return b""

    def _joined(self, line: bytes, found: list[Item]) -> bytes:
        """The line whose beginning was kept; of one that is too long only the note, and an empty line in its place."""
        size = self._size + len(line)
        kept, self._rest, self._size = self._rest, [], 0
        if self._skipping or size > self.limit:
            self._skipping = False
            found.append(TooLong(self.number + 1, size))
            return b""
        kept.append(line)
        return b"".join(kept)

    def _keep(self, data: bytes, found: list[Item]) -> list[Item]:
        """Keeps the beginning of a line, or only its length once it is too long."""
        if not data:
            return found
        self._size += len(data)
        if self._size > self.limit:
            self._skipping = True
            self._rest.clear()
        else:
            self._rest.append(data)
        return found

    def _read(self, lines: list[bytes], found: list[Item]) -> None:
        """The messages of whole lines."""
        number, limit, view_of = self.number, self.limit, message
        for line in lines:
            number += 1
            if len(line) > limit:
                found.append(TooLong(number, len(line)))
                continue
            try:
                text = line.decode()
                value, end = scan(text, 0)
                if end == len(text) and type(value) is dict:
                    found.append(view_of(value))
                    continue
            except (ValueError, RecursionError, StopIteration):
                pass
            # Blank, with CRLF or blanks around it, of broken bytes, more than one, or none: the careful way finds out.
            found += parse_items(line, number)
        self.number = number


class _Array:
    """The one-array form, an item at a time."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        self._text = ""
        self._retry = 0
        self._inside = False
        self._over = False

    def feed(self, data: bytes, final: bool = False) -> list[Item]:
        """The messages that are whole with these bytes."""
        found: list[Item] = []
        if self._over:
            return found
        self._text += self._decode(data, final)
        if len(self._text) >= self._retry or final:
            self._take(found, final)
        return found

    def close(self) -> list[Item]:
        """What the end of the stream leaves."""
        found = self.feed(b"", True)
        if not self._over:
            found.append(BadLine("the array has no end", 1, 1, self._text[-40:], cut_off=True))
            self._over = True
        return found

    def _take(self, found: list[Item], final: bool) -> None:
        text, at = self._text, 0
        while not self._over:
            at = _next(text, at, self._inside)
            if at >= len(text):
                break
            if not self._inside:
                self._inside, at = True, at + 1
                continue
            if text[at] == "]":
                self._end(found, text, at + 1)
                break
            try:
                value, end = scan(text, at)
                whole = type(value) is dict or end < len(text)
            except (ValueError, RecursionError, StopIteration) as fault:
                whole, error = False, fault
                if final or not _may_grow(error, text):
                    self._lose(found, fault_of(error, text, 1, cut_off=final))
                    return
            if not whole:
                break
            if type(value) is dict:
                found.append(message(value))
            else:
                found.append(BadLine("expected objects in the array", 1, 1, text[at : at + 40]))
            at = end
        self._text = text[at:]
        # An item that is not whole is tried again when there is twice as much of it: the work stays linear.
        self._retry = 2 * len(self._text) if len(self._text) > _SHORT else 0
        if len(self._text) > self.limit:
            found.append(TooLong(1, len(self._text)))
            self._over, self._text = True, ""

    def _end(self, found: list[Item], text: str, at: int) -> None:
        self._over, self._text = True, ""
        if text[at:].strip():
            found.append(BadLine("more text behind the array", 1, at + 1, text[at : at + 40]))

    def _lose(self, found: list[Item], fault: BadLine) -> None:
        """Gives up: behind broken text nothing tells where the next item begins."""
        found.append(fault)
        self._over, self._text = True, ""


def _next(text: str, at: int, inside: bool) -> int:
    """Where the next thing of an array begins."""
    skipped = " \t\r\n," if inside else " \t\r\n"
    while at < len(text) and text[at] in skipped:
        at += 1
    return at


def _may_grow(fault: BaseException, text: str) -> bool:
    """Whether what the scanner complains about may only be that the rest has not come yet."""
    if isinstance(fault, RecursionError):
        return False
    if isinstance(fault, StopIteration):
        place = fault.value if type(fault.value) is int else 0
    else:
        place = getattr(fault, "pos", 0)
        if str(getattr(fault, "msg", "")).startswith(("Unterminated string", "Invalid \\")):
            return True
    # The longest word of JSON is `-Infinity`.
    return place + 9 >= len(text)


def read(source: BinaryIO | int | str | os.PathLike[str], limit: int = LIMIT) -> Iterator[Item]:
    """
    The messages of a stream up to its end, each as soon as it is there.

    Takes:    source: a file opened for bytes, a descriptor, or a path; limit: as of Reader
    Errors:   OSError: when it cannot be opened or read
    """
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb", buffering=0) as file:
            yield from read(file.fileno(), limit)
        return
    reader = Reader(limit)
    while True:
        data = _piece(source)
        if not data:
            break
        yield from reader.feed(data)
    yield from reader.close()


def _piece(source: BinaryIO | int) -> bytes:
    """The next bytes, as many as are there; empty at the end."""
    if isinstance(source, int):
        while True:
            try:
                return os.read(source, _PIECE)
            except BlockingIOError:
                import select

                select.select([source], [], [])
    # `read` would wait until the piece is full.
    at_once = getattr(source, "read1", None)
    data: bytes = at_once(_PIECE) if at_once is not None else source.read(_PIECE)
    return data


def follow(
    path: str | os.PathLike[str],
    until: Callable[[], bool],
    pause_s: float = 0.2,
    sleep: Callable[[float], None] = time.sleep,
    limit: int = LIMIT,
) -> Iterator[Item]:
    """
    The messages of a file that grows, those to come included.

    Takes:    until: asked whenever nothing new is there; true ends it; pause_s: between two looks [s]
    Returns:  messages; from the start again when the file became shorter
    Errors:   OSError: when it cannot be opened or read
    """
    with open(path, "rb", buffering=0) as file:
        reader, offset = Reader(limit), 0
        while True:
            data = file.read(_PIECE)
            if data:
                offset += len(data)
                yield from reader.feed(data)
                continue
            if os.fstat(file.fileno()).st_size < offset:
                file.seek(0)
                reader, offset = Reader(limit), 0
                continue
            if until():
                break
            sleep(pause_s)
        yield from reader.close()
