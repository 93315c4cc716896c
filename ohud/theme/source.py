"""One TOML file: bounded bytes, text, data, and the place of every key; mistakes of the text itself are found here."""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ohud.errors import Problem, Span, invisible, quote
from ohud.theme.span import KeyPath, KeySpan, Scan, inside, locate, position

SIZE_LIMIT = 32 * 1024  # bytes of a theme or config
DOTS_ON_A_LINE = 200  # tomllib's time and memory grow with the square of a dotted key's parts
DOTS_IN_A_FILE = 4000
_REPORTED = 10  # hidden characters reported for one file

Stamp = tuple[str, int | None, int | None, int | None, int | None]


class Unreadable(Exception):
    """A file that cannot be used, with the reason in words; `absent`: nothing is there."""

    def __init__(self, reason: str, absent: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.absent = absent


@dataclass(eq=False)
class Source:
    """
    One file that was read.

    Takes:  path as opened; text without byte order mark and with LF line ends; data: what tomllib gives
            ({} when it is not TOML); problems: all that this file alone shows
    """

    path: str
    text: str
    data: dict[str, Any]
    problems: list[Problem]

    @cached_property
    def spans(self) -> dict[KeyPath, KeySpan]:
        """Offsets of every key and value; made at the first use, since only mistakes need them."""
        return locate(self.text)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value of the merged theme was written: the file and the key path in it."""

    source: Source
    path: KeyPath

    def span(self, start: int = -1, length: int = 0, line: int | None = None) -> Span:
        """The span of the value, or of a piece of its text (`Flaw`'s start, length and line)."""
        return place(self.source, self.path, start, length, line)


def fetch(path: str, stamps: list[Stamp], limit: int = SIZE_LIMIT) -> bytes:
    """
    The bytes of a regular file; its stamp is added to `stamps`.

    Errors: Unreadable for everything that is not a readable regular file of at most `limit` bytes
    """
    if path.startswith(("\\\\", "//")):
        raise Unreadable("network paths are not read")
    try:
        seen = os.stat(path)  # before opening: opening a device can have effects
        stamps.append(_stamp(path, seen))
        if not stat.S_ISREG(seen.st_mode):
            raise Unreadable("is a directory" if stat.S_ISDIR(seen.st_mode) else "is not a regular file")
        handle = os.open(path, os.O_RDONLY | _OPEN_FLAGS)
    except ValueError:
        raise Unreadable("is not a path") from None
    except OSError as error:
        if not stamps or stamps[-1][0] != path:
            stamps.append((path, None, None, None, None))
        absent = isinstance(error, (FileNotFoundError, NotADirectoryError))
        raise Unreadable("does not exist" if absent else _reason(error), absent) from None
    try:
        seen = os.fstat(handle)
        stamps[-1] = _stamp(path, seen)
        if not stat.S_ISREG(seen.st_mode):
            raise Unreadable("is not a regular file")
        data = b""
        while len(data) <= limit and (more := os.read(handle, limit + 1 - len(data))):
            data += more
    except OSError as error:
        raise Unreadable(_reason(error)) from None
    finally:
        os.close(handle)
    if len(data) > limit:
        raise Unreadable(f"is larger than {limit // 1024} KiB")
    return data


_OPEN_FLAGS = (
    getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
)


def _stamp(path: str, seen: os.stat_result) -> Stamp:
    return path, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_size, seen.st_ino


def _reason(error: OSError) -> str:
    return "cannot be read: " + (error.strerror or type(error).__name__).lower()


def parse(raw: bytes | str, path: str) -> Source:
    """
    The Source of a file's content: text, data, and every problem that the text itself has.

    Returns: data {} when there is a fatal problem with the TOML
    Errors: none
    """
    problems: list[Problem] = []
    text = raw if isinstance(raw, str) else _decode(raw, path, problems)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    source = Source(path, text, {}, problems)
    if problems or _size(source):
        return source
    hidden = _hidden(source)
    if not all(map(_is_text, hidden)) or _dots(source):
        return source
    _toml(source)
    if not hidden and "\\" in text:
        _escaped(source)
    return source


def place(source: Source, path: KeyPath, start: int = -1, length: int = 0, line: int | None = None) -> Span:
    """
    The span of a value, or of a piece of a text value.

    Takes:  start, length: offset and length in characters inside the decoded text (-1: the whole value);
            line: 1-based line inside the text when only that is known
    Returns: the piece where the offset can be mapped, else the whole value; the nearest table above when the path
            is not in the file
    """
    span = _nearest_span(source, path)
    if span is None:
        return Span(source.path)
    raw = source.text[span.value_start : span.value_end]
    if start < 0 and line is not None:
        return _line_span(source, span, raw, path, line)
    if start >= 0 and (offset := inside(raw, start)) is not None:
        end = inside(raw, start + length)
        size = end - offset if end is not None else length
        return _span(source, span.value_start + offset, span.value_start + offset + size)
    return _span(source, span.value_start, span.value_end)


def key_span(source: Source, path: KeyPath) -> Span:
    """The span of a key itself, or of the nearest table above."""
    span = _nearest_span(source, path)
    return Span(source.path) if span is None else _span(source, span.key_start, span.key_end)


def _nearest_span(source: Source, path: KeyPath) -> KeySpan | None:
    while path:
        if path in source.spans:
            return source.spans[path]
        path = path[:-1]
    return None


def _line_span(source: Source, span: KeySpan, raw: str, path: KeyPath, line: int) -> Span:
    value: Any = source.data
    for part in path:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            break
    offset: int | None = None
    if isinstance(value, str):
        before = "".join(value.splitlines(keepends=True)[: line - 1]) if line > 1 else ""
        offset = inside(raw, len(before))
    row, _ = position(source.text, span.value_start + (offset or 0))
    return Span(source.path, row)


def _span(source: Source, start: int, end: int) -> Span:
    line, column = position(source.text, start)
    return Span(source.path, line, column, max(1, end - start))


def _report(source: Source, message: str, span: Span, help: str | None = None) -> bool:
    source.problems.append(Problem("toml-text", message, span, help, "fatal"))
    return True


def _at(source: Source, start: int, end: int) -> Span:
    return _span(source, start, end)


def _decode(raw: bytes, path: str, problems: list[Problem]) -> str:
    if wide := _wide(raw):
        message = f"the file is {wide}, UTF-8 is expected"
        problems.append(Problem("toml-text", message, Span(path), "save the file as UTF-8"))
        return ""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8").removeprefix("\ufeff").replace("\r\n", "\n")
        message = f"the file is not UTF-8: byte 0x{raw[error.start]:02x}"
        span = Span(path, *position(before, len(before)), 1)
        problems.append(Problem("toml-text", message, span, "save the file as UTF-8"))
        return raw.decode("utf-8", "replace")


def _wide(raw: bytes) -> str | None:
    """The name of a wide encoding, by its mark or by zeros in every other byte."""
    for mark, name in _WIDE_MARKS:
        if raw.startswith(mark):
            return name
    even, odd = raw[0:64:2], raw[1:64:2]
    for zeros, others in ((even, odd), (odd, even)):
        if len(raw) >= 4 and not any(zeros) and 0 not in others:
            return "UTF-16"
    return None


_WIDE_MARKS = (
    (b"\xff\xfe\0\0", "UTF-32"),
    (b"\0\0\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


def _size(source: Source) -> bool:
    if len(source.text) > SIZE_LIMIT:  # text that was not read by `fetch`
        return _report(source, f"the text is larger than {SIZE_LIMIT // 1024} KiB", Span(source.path))
    return False


def _dots(source: Source) -> bool:
    offset = total = 0
    for line in source.text.split("\n"):
        dots = line.count(".")
        total += dots
        if dots > DOTS_ON_A_LINE:
            span = _at(source, offset, offset + 1)
            return _report(source, f"more than {DOTS_ON_A_LINE} dots on one line", span, "spread it over several lines")
        offset += len(line) + 1
    if total > DOTS_IN_A_FILE:
        return _report(source, f"more than {DOTS_IN_A_FILE:,} dots in the file", Span(source.path))
    return False


def _is_text(character: str) -> bool:
    """Whether TOML lets the character stand in a string: only then the rest of the file is worth reading."""
    return character >= " " and character != "\x7f"


def _hidden(source: Source) -> list[str]:
    """Refused characters of the text as it is written; the first of each line is reported."""
    text = source.text
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return []
    found: list[str] = []
    reported = 0
    for number, line in enumerate(text.split("\n"), 1):
        bad = [n for n, character in enumerate(line) if character != "\t" and refused(line, n)]
        found += (line[n] for n in bad)
        if bad and reported < _REPORTED:
            reported += 1
            span = Span(source.path, number, bad[0] + 1, 1)
            if line[bad[0]] == "\r":
                _report(source, "a carriage return without a line feed", span, "save it with LF or CR LF line ends")
            else:
                _report(source, _name(line[bad[0]]) + " in the file", span, _HIDDEN_HELP)
    return found


_HIDDEN_HELP = "controls, bidirectional marks and invisible characters are refused anywhere in a theme"


def _escaped(source: Source) -> None:
    """Refuses what stands in no place of the text but comes out of an escape, in keys and values, known or not."""
    found = 0
    for path, text in _strings(source.data):
        bad = next((n for n, character in enumerate(text) if character not in "\n\t" and refused(text, n)), None)
        if bad is None:
            continue
        in_key = bool(path) and text is path[-1]
        span = key_span(source, path) if in_key else place(source, path, bad, 1)
        _report(source, _name(text[bad]) + (" in a key" if in_key else " in a text"), span, _HIDDEN_HELP)
        found += 1
        if found == _REPORTED:
            return


def _strings(data: dict[str, Any]) -> Iterator[tuple[KeyPath, str]]:
    """Every key and every text with its path, without recursion."""
    stack: list[tuple[KeyPath, Any]] = [((), data)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict):
            for key in value:
                yield (*path, key), key
            stack.extend(((*path, key), value[key]) for key in reversed(value))
        elif isinstance(value, list):
            stack.extend(((*path, n), value[n]) for n in reversed(range(len(value))))
        elif isinstance(value, str):
            yield path, value


def refused(text: str, offset: int) -> bool:
    """Whether the character at `offset` is hidden and does not belong to an emoji or a visible number sign."""
    character = text[offset]
    if character == "\u200d":  # joins two emoji and nothing else
        before = text[max(0, offset - 4) : offset].rstrip("\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")[
            -1:
        ]
        return not (_is_emoji(before) and _is_emoji(text[offset + 1 : offset + 2]))
    return character not in _VISIBLE_FORMATS and invisible(character)


_VISIBLE_FORMATS = frozenset("\ufe0e\ufe0f\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u08e2")


def _is_emoji(character: str) -> bool:
    return bool(character) and ("\u2190" <= character <= "\u2bff" or "\U0001f000" <= character <= "\U0001faff")


def _name(character: str) -> str:
    kind = "control character" if character < "\xa0" else "hidden character"
    return f"{kind} U+{ord(character):04X}"


def _toml(source: Source) -> None:
    try:
        source.data = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        _syntax(source, error)
    except RecursionError:
        _report(source, "lists or tables are nested too deeply", Span(source.path))
    except ValueError as error:  # a number of more than 4,300 digits, an impossible time zone
        digits = re.search(r"\d{1000,}", source.text) if "digits" in str(error) else None
        span = _at(source, *digits.span()) if digits else Span(source.path)
        _report(source, "a number has too many digits" if digits else "a number or date is out of range", span)


def _syntax(source: Source, error: tomllib.TOMLDecodeError) -> None:
    """Reports tomllib's finding in our words, in the place where a person would look for it."""
    message, offset = _finding(error, source.text)
    scan = Scan(source.text[: offset + 1] if offset < len(source.text) else source.text)
    text = source.text
    word_end = _WORD.match(text, offset)
    end = max(offset + 1, word_end.end() if word_end else 0)
    opened = scan.value_start
    if message.startswith(("Cannot", "Duplicate inline")):
        _twice(source, scan, offset)
    elif message.startswith(_UNCLOSED) and opened >= 0:
        span = _at(source, opened, _line_end(text, opened))
        _report(source, "this text is not closed", span, _quote_help(text, opened))
    elif offset >= len(text) and 0 <= opened < len(text) and text[opened] in "[{\"'":
        what = {"[": "list", "{": "table"}.get(text[opened], "text")
        _report(source, f"this {what} is not closed", _at(source, opened, _line_end(text, opened)))
    elif message.startswith("Invalid initial") and text[max(0, offset - 1) : offset + 1] == "{{":
        _report(source, "a template is a text", _at(source, offset - 1, _line_end(text, offset)), "put it in quotes")
    elif message.startswith("Invalid value"):
        word = text[offset:end].strip()
        if not word:
            _report(source, "a value is missing", _at(source, offset, offset + 1))
        else:
            hint = f'texts stand in quotes: "{word}"' if re.fullmatch(r"[\w.{}|-]{1,40}", word) else None
            _report(source, f"{quote(word)} is not a value", _at(source, offset, end), hint)
    elif message.startswith("Invalid statement"):
        hint = "a theme is TOML, this looks like JSON" if text.lstrip().startswith("{") else None
        hint = "this looks like a web page" if text.lstrip().startswith("<") else hint
        _report(source, "`key = value` or `[table]` is expected", _at(source, offset, _line_end(text, offset)), hint)
    elif message.startswith(("Unescaped", "Invalid hex", "Escaped character")):
        start = text.rfind("\\", 0, offset)
        span = _at(source, start, max(offset, start + 2))
        if message.startswith("Unescaped"):
            what = f"{quote(text[start : start + 2])} is no escape"
            _report(source, what, span, "write a backslash as `\\\\`, or put the text in single quotes")
        else:
            _report(source, _WORDS[message], span)
    else:
        _report(source, _WORDS.get(message, _lower(message)), _at(source, offset, end))


_UNCLOSED = (
    "Unterminated",
    "Illegal character '\\n'",
    "Found invalid character '\\n'",
    "Expected \"'",
    "Expected '\\'",
)

_WORD = re.compile(r"[^\s,\]}#]*")

_WORDS = {
    "Expected '=' after a key in a key/value pair": "`=` is expected after a key",
    "Expected newline or end of document after a statement": "nothing more is expected on this line",
    "Expected ']' at the end of a table declaration": "`]` is expected at the end of a table's name",
    "Expected ']]' at the end of an array declaration": "`]]` is expected at the end of a table's name",
    "Invalid initial character for a key part": "a key is expected",
    "Unclosed array": "`,` or `]` is expected in a list",
    "Unclosed inline table": "`,` or `}` is expected in a table",
    "Invalid hex value": "an escape with a code needs hexadecimal digits: `\\u` four, `\\U` eight",
    "Escaped character is not a Unicode scalar value": "this escape is no character",
    "Invalid date or datetime": "this date does not exist",
}


def _finding(error: tomllib.TOMLDecodeError, text: str) -> tuple[str, int]:
    """What tomllib says and the offset: attributes from Python 3.14, the message's tail before."""
    if hasattr(error, "pos") and hasattr(error, "msg"):
        return str(error.msg), int(error.pos)
    found = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", str(error), re.DOTALL)
    if not found:
        return str(error), len(text)
    if found[2] is None:
        return found[1], len(text)
    line_start = 0
    for _ in range(int(found[2]) - 1):
        line_start = text.index("\n", line_start) + 1
    return found[1], line_start + int(found[3]) - 1


def _twice(source: Source, scan: Scan, offset: int) -> None:
    if scan.repeats:
        path, start, end, earlier = scan.repeats[0]
        line, _ = position(source.text, earlier)
        name = quote(".".join(str(part) for part in path))
        _report(source, f"{name} is set twice", _at(source, start, end), f"the first one is on line {line}")
        return
    start, end = scan.last_key
    path = scan.last_path
    line_start = source.text.rfind("\n", 0, start) + 1
    while path and not (path in scan.spans and scan.spans[path].key_start < line_start):
        path = path[:-1]
    hint = None
    if path:
        line, _ = position(source.text, scan.spans[path].key_start)
        hint = f"line {line} says what {quote('.'.join(str(part) for part in path))} is"
    _report(source, f"{quote(source.text[start:end])} contradicts an earlier line", _at(source, start, end), hint)


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text.rstrip("\n")) if end < 0 else max(end, start + 1)


def _quote_help(text: str, start: int) -> str | None:
    quotes = text[start : start + 3] if text[start : start + 3] in ('"""', "'''") else text[start : start + 1]
    return f"it ends with {quotes}" if quotes[:1] in ("'", '"') else None


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]
