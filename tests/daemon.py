"""Stands in for an Ollama daemon: a real server on the loopback that answers as a test wants it to."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress

TAGS = {
    "models": [
        {
            "name": "glm-5:cloud",
            "model": "glm-5:cloud",
            "remote_model": "glm-5",
            "remote_host": "https://ollama.com:443",
            "size": 384,
            "details": {"family": "glm", "parameter_size": "1T", "quantization_level": "FP8"},
        },
        {"name": "llama3.2:latest", "size": 2019393189, "details": {"parameter_size": "3.2B"}},
    ]
}
Answer = Callable[[socket.socket, str], None]


@contextmanager
def server(answer: Answer) -> Iterator[tuple[str, list[str]]]:
    """A daemon's address, and the requests that it has had: one thread, one connection after the other."""
    asked: list[str] = []
    with closing(socket.create_server(("127.0.0.1", 0))) as door:

        def serve() -> None:
            while True:
                try:
                    connection, _ = door.accept()
                except OSError:
                    return
                with closing(connection), suppress(OSError):
                    asked.append(connection.recv(65536).decode("latin-1"))
                    answer(connection, asked[-1].split(" ")[1])

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{door.getsockname()[1]}", asked
        with suppress(OSError):
            door.shutdown(socket.SHUT_RDWR)
    thread.join(5)


def reply(body: bytes, status: str = "200 OK", *fields: str, length: int | None = None) -> bytes:
    """A whole answer of HTTP/1.1."""
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}", *fields]
    return "\r\n".join([*head, "", ""]).encode() + body


def fine(connection: socket.socket, path: str) -> None:
    """Answers as Ollama does."""
    body: object = {"version": "0.13.1"} if path == "/api/version" else TAGS
    connection.sendall(reply(json.dumps(body).encode()))


def saying(raw: bytes) -> Answer:
    """Answers everything with the same bytes."""
    return lambda connection, path: connection.sendall(raw)


def hangs(connection: socket.socket, path: str) -> None:
    """Says nothing for 0.8 s, then closes."""
    time.sleep(0.8)
