"""
Standard input to a plain dict: a bounded, timed read and a decode that never fail.

The host hands over a socket, writes one object and may keep its end open. Nothing here waits for the end of file
once the object is whole. `json` would cost 8 ms; the interpreter's own scanner in `_json` costs nothing.
"""

import sys
from time import monotonic, sleep

try:
    from _json import make_scanner
except ImportError:
    make_scanner = None  # type: ignore[assignment,misc]

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What is read at most [bytes]; longer input counts as none.
LIMIT = 262144
# Until the first byte, and until the last one, both from the start [s].
FIRST_BYTE_S = 0.25
TOTAL_S = 1.0
# Deeper input is refused, as the interpreter's own limit is another in every version.
DEEPEST = 512

_CHUNK = 65536
_BLANK = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_NO_BRACKETS = bytes(range(256)).translate(None, b"{}[]")


class _Late(Exception):
    """The first byte did not come in time."""


def read(fd: int = 0) -> "bytes | None":
    """
    The bytes of one JSON object from a descriptor, and what came with them in the same piece.

    Returns:  None for a terminal, a directory, a closed descriptor, no byte within 250 ms, no whole object within
              1 s or 256 KiB, and for what does not begin like an object
    Errors:   none
    Takes:    the process's SIGALRM and real timer, in the main thread, and leaves them as they were and off,
              the signal unblocked
    """
    if system.isatty(fd):
        return None
    if sys.platform == "win32":
        return _read_windows(fd)
    end = monotonic() + TOTAL_S
    raw = _first(fd)
    if not raw or _hopeless(raw):
        return None
    return raw if _whole(raw) else _rest(fd, raw, end)


def _first(fd: int) -> "bytes | None":
    """The first piece. One guarded read: importing `select` would cost 0.4 ms, and the host writes at once."""
    import _signal  # type: ignore[import-not-found]

    try:
        before = _signal.signal(_signal.SIGALRM, _ring)
    except ValueError:
        # Not the main thread: no signals here.
        return _awaited(fd, FIRST_BYTE_S)
    # A process starts with the signals blocked that its parent had blocked; the alarm must come.
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, (_signal.SIGALRM,))
    try:
        try:
            _signal.setitimer(_signal.ITIMER_REAL, FIRST_BYTE_S)
            return system.read(fd, _CHUNK)
        finally:
            _signal.setitimer(_signal.ITIMER_REAL, 0)
    except BlockingIOError:
        return _awaited(fd, FIRST_BYTE_S)
    except (OSError, _Late):
        return None
    finally:
        _signal.signal(_signal.SIGALRM, before if before is not None else _signal.SIG_DFL)


def _ring(number: int, frame: object) -> None:
    raise _Late


def _rest(fd: int, raw: bytes, end: float) -> "bytes | None":
    """The first piece with all that still belongs to its object, None when that does not come in time."""
    while len(raw) <= LIMIT:
        piece = _awaited(fd, end - monotonic(), LIMIT + 1 - len(raw))
        if not piece:
            return None
        raw += piece
        if _ends(piece, raw) and _whole(raw):
            return raw if len(raw) <= LIMIT or _whole(raw[:LIMIT]) else None
        if _hopeless(raw):
            return None
    return None


def _awaited(fd: int, seconds: float, limit: int = _CHUNK) -> "bytes | None":
    """One piece as soon as there is one; empty at the end of file, None when it is late or cannot be read."""
    import select

    if seconds <= 0:
        return None
    try:
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        if not poll.poll(seconds * 1000):
            return None
        return system.read(fd, min(limit, _CHUNK))
    except (OSError, ValueError):
        return None


if sys.platform == "win32":

    def _read_windows(fd: int) -> "bytes | None":
        """The same contract on Windows: no timer signals and no poll for pipes there, so the pipe is looked into."""
        import _winapi
        import msvcrt

        start = monotonic()
        raw = b""
        try:
            handle = msvcrt.get_osfhandle(fd)
        except OSError:
            return None
        while len(raw) <= LIMIT:
            try:
                waiting = int(_winapi.PeekNamedPipe(handle, 0)[0])
            except BrokenPipeError:
                return None
            except OSError:
                # A file: its reads do not block.
                waiting = _CHUNK
            if not waiting:
                if monotonic() - start > (TOTAL_S if raw else FIRST_BYTE_S):
                    return None
                sleep(0.002)
                continue
            try:
                piece = system.read(fd, min(waiting, _CHUNK, LIMIT + 1 - len(raw)))
            except OSError:
                return None
            raw += piece
            if not piece or _hopeless(raw):
                return None
            if _ends(piece, raw) and _whole(raw):
                return raw if len(raw) <= LIMIT or _whole(raw[:LIMIT]) else None
        return None


def _hopeless(raw: bytes) -> bool:
    """Whether no JSON object can begin like this."""
    head = raw.lstrip(_BLANK)
    if head.startswith(_BOM):
        head = head[3:].lstrip(_BLANK)
    # The other three begin a byte order mark.
    return bool(head) and head[0] not in b"{\xef\xff\xfe"


def _ends(piece: bytes, raw: bytes) -> bool:
    """Whether the object may have its end in the last piece; two bytes of UTF-16 may come in two of them."""
    return b"}" in piece or raw[:2] in _UTF_16


def _whole(raw: bytes) -> bool:
    """Whether the first object in the bytes has its end in them too."""
    depth = 0
    for bracket in _brackets(raw):
        depth += 1 if bracket in b"{[" else -1
        if depth <= 0:
            return True
    return False


def _brackets(raw: bytes) -> bytes:
    """The brackets and braces that stand outside of texts."""
    if raw[:2] in _UTF_16:
        raw = _text(raw).encode("utf-8", "surrogatepass")
    outside = raw.replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')[::2]
    return b"".join(outside).translate(None, _NO_BRACKETS)


def _text(raw: bytes) -> str:
    """The characters of the bytes, what cannot be read replaced."""
    if raw[:2] in _UTF_16:
        # Not through `decode`: it would import the codec's module.
        import _codecs

        return _codecs.utf_16_decode(raw, "replace", True)[0]
    return raw.decode("utf-8", "replace")


def _nothing(name: str) -> None:
    """What NaN and the infinities stand for."""


class _Rules:
    """What the scanner asks its decoder for; the class itself serves, no instance is made."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = _nothing
    memo: "dict[str, str]" = {}  # noqa: RUF012


def _slow_scan(text: str, at: int) -> "tuple[Any, int]":
    """The same answer where the interpreter has no scanner of its own."""
    from json import JSONDecoder

    return JSONDecoder(strict=False, parse_constant=_nothing).raw_decode(text, at)


_scan: "Any" = make_scanner(_Rules) if make_scanner is not None else _slow_scan  # type: ignore[arg-type]


def parse(raw: "bytes | None") -> "dict[str, Any] | None":
    """
    The JSON object that the bytes begin with; text behind it does not count.

    Takes:    UTF-8, or UTF-16 with its byte order mark; bytes that are neither are replaced
    Returns:  None when there is no whole object; values are as sent, not cleaned; NaN and infinities named as such
              are None; of two equal keys the last
    Errors:   none
    """
    if not raw:
        return None
    text = _text(raw)
    if text.count("{") + text.count("[") > DEEPEST and _depth(text) > DEEPEST:
        return None
    return decode(text)


def decode(text: str) -> "dict[str, Any] | None":
    """The JSON object that a text begins with, nested as deep as this interpreter can go; None, never an error."""
    if text[:1] != "{":
        text = text.lstrip(" \t\r\n\ufeff")
        if text[:1] != "{":
            return None
    try:
        value = _scan(text, 0)[0]
    except (ValueError, RecursionError, StopIteration, SystemError):
        # SystemError: up to 3.11 the scanner has no error to raise while `json` is not loaded.
        return None
    return value if isinstance(value, dict) else None


def _depth(text: str) -> int:
    """How deep the brackets and braces nest."""
    depth = deepest = 0
    for bracket in _brackets(text.encode("utf-8", "surrogatepass")):
        depth += 1 if bracket in b"{[" else -1
        deepest = max(deepest, depth)
    return deepest
