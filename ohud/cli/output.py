"""
What a command says, on its way out: nothing from outside acts on the terminal, and an output that fails is no crash.

The last step before the terminal, whoever prints: what is hidden is spelt out, only styles and links pass. What draws
on the whole screen (`control`) has to say so.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

DONE, NO, INTERRUPTED = 0, 1, 130
PATH = 4096  # characters of a path that is told

# Characters that show nothing of their own, or move, reorder or hide others; joiners and emoji selectors are none.
_HIDDEN = (
    "\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000))
)
_STYLE = r"\x1b\[[0-9;:]*m"
_LINK = r"\x1b\]8;[^;\x00-\x1f\x7f-\x9f]*;(?:(?:https?|file)://[!-~]*)?(?:\x1b\\|\x07)"
_SPELT = re.compile(f"[{_HIDDEN}]")
_GUARDED = re.compile(f"({_STYLE}|{_LINK})|[{_HIDDEN}]")
# Of an older text these may be part of an emoji; alone in a JSON text they would not be seen.
_JSON_HIDDEN = re.compile(f"[{_HIDDEN}\u200d]")


def told(text: str, limit: int = 300) -> str:
    """Text from outside on one line: what is hidden spelt out, line ends and tabs as one space each, cut with `…`."""
    shown = spelt(re.sub(r"[\t\n\r]", " ", text[: limit + 1]))
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def spelt(text: str) -> str:
    """Text from outside, its lines and tabs as they are: what is hidden spelt out, styles and links too."""
    return _SPELT.sub(_spelt, text)


def as_json(value: object, indent: int | None = 2) -> str:
    """A value as JSON that can be looked at: what is hidden stands as `\\uXXXX`, which means the same."""
    import json  # the list of commands needs none

    text = json.dumps(value, ensure_ascii=False, indent=indent, default=str)
    return text if text.isascii() and "\x7f" not in text else _JSON_HIDDEN.sub(_escaped, text)


def control(text: str) -> None:
    """Writes sequences of our own that act on the screen: cursor, clearing, modes."""
    stream = sys.stdout
    (stream.act if isinstance(stream, _Guard) else stream.write)(text)


class Unheard(Exception):
    """Standard output takes nothing more: why, in words; `gone`: its reader has left."""

    def __init__(self, reason: str, gone: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.gone = gone


def in_order(command: Callable[[list[str]], int], words: list[str]) -> int:
    """
    The exit status of a command, its output guarded; a reader that has left, a full disk and Ctrl-C end it in an
    orderly way.
    """
    with _streams():
        try:
            try:
                code = command(words)
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else DONE
            sys.stdout.flush()
            return code
        except Unheard as fault:
            if fault.gone:
                return DONE
            print(f"ohud: the output cannot be written: {fault.reason}", file=sys.stderr)
            return NO
        except BrokenPipeError:
            # Of who writes to the descriptor by itself.
            return DONE
        except KeyboardInterrupt:
            return INTERRUPTED


@contextmanager
def _streams() -> Iterator[None]:
    """The standard streams while a command runs: all there, UTF-8 whatever the locale says, and guarded."""
    before = sys.stdin, sys.stdout, sys.stderr
    _opened()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    sys.stdout = cast(TextIO, _Guard(sys.stdout, heard=True))
    sys.stderr = cast(TextIO, _Guard(sys.stderr, heard=False))
    try:
        yield
    finally:
        if before[1] is not None and before[2] is not None:
            sys.stdin, sys.stdout, sys.stderr = before


def _opened() -> None:
    """Puts the null device where a stream is closed: a file that is opened later must not come in its place."""
    missing = [
        (number, name) for number, name in enumerate(("stdin", "stdout", "stderr")) if getattr(sys, name) is None
    ]
    for number, _ in missing:
        handle = os.open(os.devnull, os.O_RDWR)
        if handle != number:
            os.dup2(handle, number)
            os.close(handle)
    for number, name in missing:
        mode = "w" if number else "r"
        setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", errors="replace", closefd=False))


class _Guard:
    """A stream that spells out what is hidden; `heard`: whether it matters that nothing can be written any more."""

    def __init__(self, stream: Any, heard: bool) -> None:
        self._stream = stream
        self._heard = heard
        self._tabs = stream.isatty()

    def write(self, text: str) -> int:
        """Writes text with styles and links, and nothing else that acts."""
        if not (text.isascii() and text.isprintable()):
            text = _GUARDED.sub(_kept, text.expandtabs() if self._tabs else text)
        self.act(text)
        return len(text)

    def act(self, text: str) -> None:
        """Writes text as it is."""
        self._done(lambda: self._stream.write(text))

    def flush(self) -> None:
        """Hands on what is still held back."""
        self._done(self._stream.flush)

    def _done(self, step: Callable[[], object]) -> None:
        try:
            step()
        except (OSError, ValueError) as fault:
            if isinstance(fault, ValueError) and not self._stream.closed:
                raise
            self._drop()
            if self._heard:
                reason = (getattr(fault, "strerror", None) or "it is closed").lower()
                raise Unheard(reason, isinstance(fault, BrokenPipeError)) from None

    def _drop(self) -> None:
        """Lets the rest go nowhere, which the interpreter would try to write at its end."""
        with suppress(OSError, ValueError):
            handle = os.open(os.devnull, os.O_WRONLY)
            os.dup2(handle, self._stream.fileno())
            os.close(handle)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _kept(found: re.Match[str]) -> str:
    return found[1] or _spelt(found)


def _spelt(found: re.Match[str]) -> str:
    return f"<U+{ord(found[0]):04X}>"


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
