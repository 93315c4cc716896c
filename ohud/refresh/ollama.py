"""What a daemon of Ollama answers, and no more of it than it takes."""

from __future__ import annotations

import json
import socket
import time
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

from ohud.run.clean import clean
from ohud.run.world import World

# Of one answer, its head included [bytes].
_LARGEST = 1 << 20
_HEAD = 65536
_MODELS = 200


def work(arguments: dict[str, Any], world: World) -> dict[str, Any] | list[dict[str, Any]]:
    """
    One question to the daemon.

    Takes:   arguments: host (an http or https address of the config), ask ("version" or "tags"), timeout_ms
    Returns: for "version" {"up", "version"}, also when there is no answer; for "tags" the models
    Errors:  for "tags" OSError and ValueError when there is no answer: the models known before stay
    """
    host, limit = arguments["host"], arguments["timeout_ms"] / 1000
    if arguments["ask"] == "tags":
        return _models(get(host, "/api/tags", limit))
    try:
        answer = _decoded(get(host, "/api/version", limit))
    except (OSError, ValueError):
        # An answer too: without it every refresh would ask again.
        return {"up": False, "version": None}
    # Whatever else may answer there, it is no Ollama.
    if not isinstance(answer, dict):
        return {"up": False, "version": None}
    return {"up": True, "version": _text(answer.get("version"), 40)}


def _models(body: bytes) -> list[dict[str, Any]]:
    """The models of an answer to /api/tags; none when it is not what it should be."""
    answer = _decoded(body)
    entries = answer.get("models") if isinstance(answer, dict) else None
    models = []
    for entry in entries[:_MODELS] if isinstance(entries, list) else []:
        name = _text(entry.get("name"), 120) if isinstance(entry, dict) else None
        if name is None:
            continue
        details = entry.get("details")
        details = details if isinstance(details, dict) else {}
        size = entry.get("size")
        models.append(
            {
                "name": name,
                "model": _text(entry.get("model"), 120),
                "parameter_size": _text(details.get("parameter_size"), 20),
                "quantization": _text(details.get("quantization_level"), 20),
                "size_bytes": size if type(size) is int and 0 <= size < 1 << 63 else None,
                "remote": _text(entry.get("remote_host"), 200) is not None,
            }
        )
    return models


def _decoded(body: bytes) -> Any:
    """The JSON value of an answer's body, None when it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _text(value: object, limit: int) -> str | None:
    return clean(value, limit).strip() or None if isinstance(value, str) else None


def get(host: str, path: str, limit_s: float) -> bytes:
    """
    The body of one answer with status 200; no redirect is followed, no proxy asked.

    Takes:   host: an http or https address, with a path where the daemon is behind one; limit_s: for all of it [s]
    Errors:  OSError (TimeoutError among them), ValueError for an address or answer that cannot be used
    """
    secure, name, port, place, base = _address(host)
    end = time.monotonic() + limit_s
    request = f"GET {base}{path} HTTP/1.0\r\nHost: {place}\r\nAccept: application/json\r\nConnection: close\r\n\r\n"
    with closing(_connection(name, port, secure, limit_s)) as connection:
        connection.settimeout(_left(end))
        connection.sendall(request.encode("ascii"))
        raw = bytearray()
        while not _whole(raw):
            connection.settimeout(_left(end))
            part = connection.recv(65536)
            if not part:
                break
            raw += part
            if len(raw) > _LARGEST:
                raise ValueError(f"the answer is larger than {_LARGEST >> 20} MiB")
    return _body(bytes(raw))


def _address(host: str) -> tuple[bool, str, int, str, str]:
    """Whether by TLS, name and port to connect to, what the header `Host` says, and the path before every other."""
    if not host.isascii() or not host.isprintable() or " " in host:
        raise ValueError("the address has characters that none has")
    parts = urlsplit(host)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("the address does not begin with http:// or https:// and a name")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("the address has more than a name, a port and a path")
    secure = parts.scheme == "https"
    return secure, parts.hostname, parts.port or (443 if secure else 80), parts.netloc, parts.path.rstrip("/")


def _connection(name: str, port: int, secure: bool, limit_s: float) -> socket.socket:
    plain = socket.create_connection((name, port), limit_s)
    if not secure:
        return plain
    import ssl

    try:
        return ssl.create_default_context().wrap_socket(plain, server_hostname=name)
    except BaseException:
        plain.close()
        raise


def _left(end: float) -> float:
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError("the daemon takes too long")
    return left


def _split(raw: bytes | bytearray) -> tuple[bytes, dict[bytes, bytes], bytes] | None:
    """Status line, header and body as far as it is there; None while the header is not whole."""
    end = raw.find(b"\r\n\r\n")
    if end < 0 or end > _HEAD:
        if len(raw) > _HEAD:
            raise ValueError("the answer's header has no end")
        return None
    status, *lines = bytes(raw[:end]).split(b"\r\n")
    fields = {}
    for line in lines:
        key, _, value = line.partition(b":")
        fields[key.strip().lower()] = value.strip()
    return status, fields, bytes(raw[end + 4 :])


def _length(fields: dict[bytes, bytes]) -> int | None:
    said = fields.get(b"content-length", b"")
    return int(said) if said.isdigit() and len(said) < 12 else None


def _whole(raw: bytearray) -> bool:
    """Whether nothing more is to come, also from a server that keeps its end open."""
    found = _split(raw)
    if found is None:
        return False
    _, fields, body = found
    if b"chunked" in fields.get(b"transfer-encoding", b"").lower():
        return body.endswith(b"0\r\n\r\n")
    length = _length(fields)
    return length is not None and len(body) >= length


def _body(raw: bytes) -> bytes:
    found = _split(raw)
    if found is None:
        raise ValueError("the answer ends in its header")
    status, fields, body = found
    words = status.split()
    if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or words[1] != b"200":
        raise ValueError(f"the answer is {clean(status.decode('latin-1'), 60)!r}")
    if b"chunked" in fields.get(b"transfer-encoding", b"").lower():
        return _joined(body)
    length = _length(fields)
    if length is not None and len(body) < length:
        raise ValueError("the answer ends early")
    return body if length is None else body[:length]


def _joined(body: bytes) -> bytes:
    """A body in chunks, put together."""
    parts: list[bytes] = []
    while True:
        size, found, body = body.partition(b"\r\n")
        length = int(size.partition(b";")[0].strip() or b"x", 16)
        if not found or length < 0 or len(body) < length:
            raise ValueError("the answer ends early")
        if not length:
            return b"".join(parts)
        parts.append(body[:length])
        body = body[length + 2 :]
