"""One line, or the whole output of a finished process, to typed messages; what is wrong with it is a typed error."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from json import JSONDecoder
from typing import Any

from ohud.errors import quote
from ohud.stream.messages import Message, Result, message

_EXCERPT = 40
_BOM = "\ufeff"
# What a terminal was told, and what stands between two objects: no part of either.
_BETWEEN = re.compile("(?:\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[\x00-\x20\x7f\ufeff])*")

# The C scanner behind `json.loads`: without its steps around a call, which for a short line cost as much as the call.
scan: Callable[[str, int], tuple[Any, int]] = JSONDecoder(strict=False).scan_once  # type: ignore[attr-defined]


class StreamError(Exception):
    """Whatever is wrong with a stream or a run; the base of all errors of this package."""


class BadLine(StreamError):
    """
    A line that is no message.

    Takes:  number: the line, from 1, None when it is not known; column: where reading failed, from 1 [characters];
            excerpt: the text around that; reason: what was found or expected; cut_off: whether the line is the last
            one and has no end, as of a process that was killed
    """

    def __init__(
        self, reason: str, number: int | None = None, column: int = 1, excerpt: str = "", cut_off: bool = False
    ) -> None:
        super().__init__(reason, number, column, excerpt, cut_off)
        self.reason = reason
        self.number = number
        self.column = column
        self.excerpt = excerpt
        self.cut_off = cut_off

    def __str__(self) -> str:
        place = "column %d" % self.column if self.number is None else "line %d, column %d" % (self.number, self.column)
        return "%s: %s near %s" % (place, self.reason, quote(self.excerpt, _EXCERPT))


class ProcessFailed(StreamError):
    """The process ended with a status other than 0; `stderr` is what it said."""

    def __init__(self, status: int, stderr: str = "") -> None:
        super().__init__(status, stderr)
        self.status = status
        self.stderr = stderr

    def __str__(self) -> str:
        said = self.stderr.strip().rpartition("\n")[2]
        return "the process ended with status %d%s" % (self.status, ": " + quote(said, 200) if said else "")


class NoMessages(StreamError):
    """The output holds no message at all."""

    def __str__(self) -> str:
        return "the output holds no message"


class LastNotResult(StreamError):
    """The last message is not a result: the run did not come to its end; `messages` are those it has."""

    def __init__(self, messages: tuple[Message, ...]) -> None:
        super().__init__(messages)
        self.messages = messages

    def __str__(self) -> str:
        return "the last message is no result but of type %s" % quote(self.messages[-1].type or "none")


class ResultIsError(StreamError):
    """The result is an error; `messages` are all of the run, `result` is the last of them."""

    def __init__(self, messages: tuple[Message, ...], result: Result) -> None:
        super().__init__(messages, result)
        self.messages = messages
        self.result = result

    def __str__(self) -> str:
        said = self.result.result or "; ".join(self.result.errors) or self.result.subtype or "unknown"
        return "the run failed: " + quote(said, 200)


@dataclass(frozen=True, slots=True)
class Output:
    """The messages of a run that came to a good end, and its result."""

    messages: tuple[Message, ...]
    result: Result


def parse_line(line: str | bytes, number: int | None = None) -> Message | None:
    """
    The message in one line of a stream.

    Takes:    line: with or without its end; bytes as UTF-8, what is not is replaced; number: from 1, for errors
    Returns:  None for a blank line
    Errors:   BadLine
    """
    text = line.decode("utf-8", "replace") if isinstance(line, (bytes, bytearray)) else line
    text = text.strip(" \t\r\n")
    if text[:1] == _BOM:
        text = text[1:].lstrip(" \t\r\n")
    if not text:
        return None
    try:
        value, end = scan(text, 0)
    except (ValueError, RecursionError, StopIteration) as fault:
        raise fault_of(fault, text, number) from None
    if end != len(text):
        raise BadLine("more text behind the object", number, end + 1, _around(text, end))
    if type(value) is not dict:
        raise BadLine("expected an object, found %s" % _kind(value), number, 1, _around(text, 0))
    return message(value)


def parse_items(line: bytes, number: int) -> list[Message | BadLine]:
    """
    All that one line of a stream holds: what a program prints into it costs no message.

    Takes:    line: with or without its end; number: from 1, for errors
    Returns:  the messages of the objects in it, one behind the other or in an array; a BadLine for what is none
    Errors:   none
    """
    text = line.decode("utf-8", "replace").strip(" \t\r\n")
    found: list[Message | BadLine] = []
    at = _skipped(text, 0)
    while at < len(text):
        if found and text[at] not in "{[":
            found.append(BadLine("more text behind the object", number, at + 1, _around(text, at)))
            break
        try:
            value, end = scan(text, at)
        except (ValueError, RecursionError, StopIteration) as fault:
            found.append(fault_of(fault, text, number))
            break
        objects = [item for item in value if type(item) is dict] if type(value) is list else [value]
        if not objects or type(objects[0]) is not dict:
            found.append(BadLine("expected an object, found %s" % _kind(value), number, at + 1, _around(text, at)))
            break
        found += map(message, objects)
        at = _skipped(text, end)
    return found


def _skipped(text: str, at: int) -> int:
    """Where the next thing in a line begins."""
    between = _BETWEEN.match(text, at)
    return between.end() if between else at


def parse_output(stdout: str | bytes, stderr: str | bytes = b"", status: int = 0) -> Output:
    """
    The messages of a process that has ended.

    Takes:    stdout: lines of `--output-format stream-json`, the one array of `--output-format json --verbose`, or the
              one object of `--output-format json`; stderr: for ProcessFailed; status: 0 for success
    Errors:   ProcessFailed, BadLine, NoMessages, LastNotResult, ResultIsError: the first in this order that holds
    """
    if status:
        said = stderr if isinstance(stderr, str) else stderr.decode("utf-8", "replace")
        raise ProcessFailed(status, said)
    text = stdout if isinstance(stdout, str) else stdout.decode("utf-8", "replace")
    messages = tuple(_messages(text))
    if not messages:
        raise NoMessages
    last = messages[-1]
    if not isinstance(last, Result):
        raise LastNotResult(messages)
    if last.failed:
        raise ResultIsError(messages, last)
    return Output(messages, last)


def _messages(text: str) -> list[Message]:
    """The messages of a whole output in any of its three forms."""
    text = text.lstrip(_BOM + " \t\r\n")
    if text[:1] == "[":
        return parse_array(text)
    found = []
    # Only at LF: texts may hold other characters that Python takes for ends of lines.
    for number, line in enumerate(text.split("\n"), 1):
        one = parse_line(line, number)
        if one is not None:
            found.append(one)
    return found


def parse_array(text: str) -> list[Message]:
    """
    The messages of one array, as `--output-format json --verbose` prints it.

    Errors:   BadLine: also when something in the array is no object
    """
    text = text.strip(_BOM + " \t\r\n")
    try:
        value, end = scan(text, 0)
    except (ValueError, RecursionError, StopIteration) as fault:
        raise _placed(fault_of(fault, text, None), text) from None
    if end != len(text):
        raise _placed(BadLine("more text behind the array", None, end + 1, _around(text, end)), text)
    if type(value) is not list:
        raise BadLine("expected an array, found %s" % _kind(value), 1, 1, _around(text, 0))
    for at, item in enumerate(value):
        if type(item) is not dict:
            raise BadLine("expected objects in the array, item %d is %s" % (at, _kind(item)), 1, 1, _around(text, 0))
    return [message(item) for item in value]


def fault_of(fault: BaseException, text: str, number: int | None, cut_off: bool = False) -> BadLine:
    """What the scanner's complaint about a text is as an error with its place."""
    if isinstance(fault, StopIteration):
        at, reason = fault.value if type(fault.value) is int else 0, "expected a JSON value"
    elif isinstance(fault, RecursionError):
        at, reason = 0, "it nests too deep"
    else:
        # JSONDecodeError; a plain ValueError comes from a number with thousands of digits.
        at = getattr(fault, "pos", 0)
        reason = str(getattr(fault, "msg", "a number with too many digits"))
        reason = reason[:1].lower() + reason[1:]
    at = min(at, len(text))
    return BadLine(reason, number, at + 1, _around(text, at), cut_off)


def _placed(fault: BadLine, text: str) -> BadLine:
    """The fault in a text of several lines, with its line and the column in that."""
    at = fault.column - 1
    start = text.rfind("\n", 0, at) + 1
    return BadLine(fault.reason, text.count("\n", 0, at) + 1, at - start + 1, fault.excerpt, fault.cut_off)


def _around(text: str, at: int) -> str:
    start = max(0, at - _EXCERPT // 2)
    return text[start : start + _EXCERPT]


def _kind(value: object) -> str:
    """A JSON value's type in words."""
    if value is None or isinstance(value, bool):
        return "`null`" if value is None else "`true`" if value else "`false`"
    if isinstance(value, str):
        return "a text"
    return "an array" if isinstance(value, list) else "an object" if isinstance(value, dict) else "a number"
