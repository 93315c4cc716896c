"""The questions to an Ollama daemon, put to real servers on the loopback: fine ones, and all kinds of bad ones."""

import json
import socket
import time
from contextlib import closing
from typing import Any

import pytest
from daemon import Answer, fine, hangs, reply, saying, server

from ohud.refresh import ollama
from ohud.run.world import World


def ask(host: str, what: str, timeout_ms: int = 300) -> Any:
    return ollama.work({"host": host, "ask": what, "timeout_ms": timeout_ms}, World({}))


DOWN = {"up": False, "version": None}


def test_daemon_that_is_fine() -> None:
    with server(fine) as (host, asked):
        assert ask(host, "version") == {"up": True, "version": "0.13.1"}
        assert ask(host + "/", "tags") == [
            {
                "name": "glm-5:cloud",
                "model": "glm-5:cloud",
                "parameter_size": "1T",
                "quantization": "FP8",
                "size_bytes": 384,
                "remote": True,
            },
            {
                "name": "llama3.2:latest",
                "model": None,
                "parameter_size": "3.2B",
                "quantization": None,
                "size_bytes": 2019393189,
                "remote": False,
            },
        ]
    assert asked[0].startswith("GET /api/version HTTP/1.0\r\nHost: 127.0.0.1:")
    assert asked[1].startswith("GET /api/tags HTTP/1.0\r\n")


def test_daemon_behind_a_path() -> None:
    with server(fine) as (host, asked):
        ask(host + "/ollama/", "version")
    assert asked[0].startswith("GET /ollama/api/version ")


def test_nobody_answers() -> None:
    """A refused connection is an answer at once."""
    with closing(socket.create_server(("127.0.0.1", 0))) as door:
        port = door.getsockname()[1]
    begin = time.monotonic()
    assert ask(f"http://127.0.0.1:{port}", "version", 5000) == DOWN
    assert time.monotonic() - begin < 1
    with pytest.raises(OSError):
        ask(f"http://127.0.0.1:{port}", "tags")


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"\x00\xff" * 50,
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        b"HTTP/1.1\r\n\r\n",
        reply(b"{}", "404 Not Found"),
        reply(b"{}", "500 Internal Server Error"),
        reply(b'{"version": "1"}', "302 Found", "Location: http://127.0.0.1:1/"),
        reply(b'{"version": "1"}', "301 Moved Permanently", "Location: /api/tags"),
        reply(b'{"version": "1"', "204 No Content"),
        reply(b'{"version":', length=400),
        b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n{"version":',
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n{}\r\n0\r\n\r\n",
    ],
)
def test_what_closes_early_or_is_no_answer_is_none(raw: bytes) -> None:
    with server(saying(raw)) as (host, asked):
        assert ask(host, "version") == DOWN
        with pytest.raises((OSError, ValueError)):
            ask(host, "tags")
    assert len(asked) == 2  # no redirect was followed, nothing was tried twice


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'"0.13"', b"null", b"7", b"[" * 100000, b"{", b"\xff"])
def test_what_is_no_json_object_is_no_daemon(body: bytes) -> None:
    with server(saying(reply(body))) as (host, _):
        assert ask(host, "version") == DOWN
        assert ask(host, "tags") == []


@pytest.mark.parametrize("version", [None, 7, [], {"a": 1}, "", "  "])
def test_version_of_a_wrong_type_is_unknown(version: object) -> None:
    with server(saying(reply(json.dumps({"version": version}).encode()))) as (host, _):
        assert ask(host, "version") == {"up": True, "version": None}


@pytest.mark.parametrize(
    ("tags", "names"),
    [
        ({"models": None}, []),
        ({"models": {"name": "x"}}, []),
        ({"models": [None, 7, "x", [], {}, {"name": None}, {"name": 5}, {"name": " "}, {"name": "a"}]}, ["a"]),
        ({"models": [{"name": "a", "details": 7, "remote_host": {}, "size": "1", "model": []}]}, ["a"]),
        ({"models": [{"name": f"m{n}"} for n in range(500)]}, [f"m{n}" for n in range(200)]),
    ],
)
def test_tags_that_lie_cost_what_they_lie_about(tags: object, names: list[str]) -> None:
    with server(saying(reply(json.dumps(tags).encode()))) as (host, _):
        found = ask(host, "tags")
    assert [model["name"] for model in found] == names
    assert all(model["remote"] is False and model["size_bytes"] is None for model in found)


def test_text_is_cleaned_before_it_is_kept() -> None:
    hostile = {"version": "0.1\x1b]52;c;AAAA\x07\x1b[2J\u202e9" + "9" * 100}
    with server(saying(reply(json.dumps(hostile).encode()))) as (host, _):
        version = ask(host, "version")["version"]
    assert version == ("0.19" + "9" * 100)[:40]
    tags = {"models": [{"name": "a\x1b[31mb\n", "remote_host": "\x00", "details": {"parameter_size": "\x9b1T"}}]}
    with server(saying(reply(json.dumps(tags).encode()))) as (host, _):
        (model,) = ask(host, "tags")
    assert (model["name"], model["remote"]) == ("ab", False)
    assert model["parameter_size"] is None or model["parameter_size"].isprintable()


def test_chunks_are_put_together() -> None:
    body = b'b\r\n{"version":\r\n6;x=1\r\n "0.9"\r\n1\r\n}\r\n0\r\n\r\n'
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    def slowly(connection: socket.socket, path: str) -> None:
        connection.sendall(head + body)
        time.sleep(0.5)  # its end stays open

    with server(slowly) as (host, _):
        assert ask(host, "version", 400) == {"up": True, "version": "0.9"}


def test_end_that_stays_open_is_not_waited_for() -> None:
    def lingering(connection: socket.socket, path: str) -> None:
        connection.sendall(reply(b'{"version": "1"}'))
        time.sleep(1.5)

    with server(lingering) as (host, _):
        begin = time.monotonic()
        assert ask(host, "version", 5000)["up"] is True
        assert time.monotonic() - begin < 1.0


def drips(connection: socket.socket, path: str) -> None:
    for byte in reply(b'{"version": "1"}'):
        connection.sendall(bytes([byte]))
        time.sleep(0.05)


def drips_in_its_header(connection: socket.socket, path: str) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    for number in range(20):
        connection.sendall(b"X-%d: y\r\n" % number)
        time.sleep(0.05)


@pytest.mark.parametrize("answer", [hangs, drips, drips_in_its_header])
def test_slow_answer_ends_in_time(answer: Answer) -> None:
    """The limit is one for all of the answer, whatever comes in between."""
    with server(answer) as (host, _):
        begin = time.monotonic()
        assert ask(host, "version", 300) == DOWN
        assert time.monotonic() - begin < 0.9


def floods_its_body(connection: socket.socket, path: str) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        connection.sendall(b" " * 65536)


def floods_its_header(connection: socket.socket, path: str) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"X: " + b"y" * 65000 + b"\r\n")


def promises_much(connection: socket.socket, path: str) -> None:
    connection.sendall(reply(b"", length=10**11))
    while True:
        connection.sendall(b" " * 65536)


@pytest.mark.parametrize("answer", [floods_its_body, floods_its_header, promises_much])
def test_flood_is_cut_off(answer: Answer) -> None:
    with server(answer) as (host, _):
        begin = time.monotonic()
        assert ask(host, "version", 5000) == DOWN
        with pytest.raises(ValueError):
            ask(host, "tags", 5000)
        assert time.monotonic() - begin < 2


@pytest.mark.parametrize(
    "host",
    [
        "",
        "localhost:11434",
        "file:///etc/passwd",
        "ftp://localhost/",
        "gopher://localhost/_x",
        "http://",
        "http:///x",
        "http://user:secret@localhost",
        "http://localhost/?a=b",
        "http://localhost/#a",
        "http://localhost:99999",
        "http://localhost:port",
        "http://local host",
        "http://localhost\r\nX-Injected: 1",
        "http://localhost/\x00",
        "http://exämple.org",
        "http://[::1",
    ],
)
def test_address_that_is_none_asks_nobody(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket, "create_connection", refuse)
    assert ask(host, "version") == DOWN


def test_proxy_of_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9/")
    with server(fine) as (host, _):
        assert ask(host, "version")["up"] is True


def test_tls_is_not_taken_on_trust() -> None:
    """A server that speaks no TLS, behind an https address."""
    with server(fine) as (host, _):
        assert ask(host.replace("http:", "https:"), "version", 300) == DOWN
