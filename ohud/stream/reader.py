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
from ohud.stream.parse import BadLine, fault_of, parse_line, scan

# The longest line that is read [bytes]; with it decoded, memory stays below 60 MB.
LIMIT = 4 * 1024 * 1024
_PIECE = 65536
# What may be tried over and over without a cost to speak of [characters].
_SHORT = 4096
_BOM = b"\xef\xbb\xbf"
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
              goes on), for one over the limit a TooLong. A stream that begins with `[` is read as one array.
    Errors:   none
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self.limit = limit
        self.number = 0
        self._rest: list[bytes] = []
        self._size = 0
        self._skipping = False
        self._begun = False
        self._array: _Array | None = None

    def feed(self, data: bytes) -> list[Item]:
        """The messages that are whole with these bytes."""
        if not self._begun:
            data = self._begin(data)
        if self._array is not None:
            return self._array.feed(data)
        end = data.rfind(b"\n")
        if end < 0:
            return self._keep(data, [])
        lines = data[:end].split(b"\n")
        found: list[Item] = []
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
            if found and isinstance(found[-1], BadLine) and line.lstrip(_BLANK).startswith(b"{"):
                fault = found[-1]
                found[-1] = BadLine(fault.reason, fault.number, fault.column, fault.excerpt, cut_off=True)
        return found

    def _begin(self, data: bytes) -> bytes:
        """The first bytes that say something: without a byte order mark, and whether they begin an array."""
        data = b"".join(self._rest) + data
        self._rest, self._size = [], 0
        if len(data) < 3 and _BOM.startswith(data):
            # Not enough to tell.
            self._rest, self._size = [data], len(data)
            return b""
        if data.startswith(_BOM):
            data = data[3:]
        self._begun = True
        start = data.lstrip(_BLANK)
        if not start:
            # Blank lines before the first message: still nothing to tell by.
            self.number += data.count(b"\n")
            self._begun = False
            return b""
        if start.startswith(b"["):
            self._array = _Array(self.limit)
        return data

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
            # Blank, with CRLF or blanks around it, of broken bytes, or none: the careful way finds out.
            try:
                one = parse_line(line, number)
                if one is not None:
                    found.append(one)
            except BadLine as fault:
                found.append(fault)
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
