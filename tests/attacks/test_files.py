"""Hostile files where a transcript should be: the answer is a model or none, soon, and never a hang."""

import itertools
import json
import os
import shutil
import socket
import stat
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pace import bound

from ohud.fields import model
from ohud.run.world import World

OK = json.dumps({"type": "assistant", "message": {"model": "claude-opus-4-6", "usage": {"input_tokens": 1}}}).encode()
LINE = OK + b"\n"
WINDOW_LIMIT = 300 * 1024


def resolved(path: Path | str) -> tuple[str | None, float, int]:
    """The model, the processor time it took [s], the bytes it took."""
    world = World({})
    start, work = time.monotonic(), time.thread_time()
    found = model.resolved({"transcript_path": str(path)}, world)
    work = time.thread_time() - work
    assert time.monotonic() - start < 2
    return found, work, world.bytes_read


def _socket(path: Path) -> None:
    server = socket.socket(socket.AF_UNIX)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        # By way of the descriptor: the path may be longer than a socket's name can be.
        server.bind(f"/proc/self/fd/{folder}/{path.name}")
    except OSError:
        pytest.skip("no socket can be made here")
    finally:
        os.close(folder)
        server.close()


def _sparse(path: Path) -> None:
    path.touch()
    try:
        os.truncate(path, 10 * 2**30)
    except OSError:
        pytest.skip("the file system takes no large sparse file")


def _link_to_fifo(path: Path) -> None:
    os.mkfifo(str(path) + ".fifo")
    os.symlink(str(path) + ".fifo", path)


def _link_outside(path: Path) -> None:
    (path.parent / "secret").write_text("SECRET-CANARY-VALUE\n")
    os.symlink(path.parent / "secret", path)


def _link(target: str) -> Callable[[Path], object]:
    return lambda path: os.symlink(target, path)


DEVICES = ("/dev/zero", "/dev/full", "/dev/tty", "/dev/stdin", "/dev/random", "/proc/self/environ", "/proc/self/mem")
MAKERS: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: None,
    "fifo": os.mkfifo,
    "link-to-fifo": _link_to_fifo,
    "link-outside": _link_outside,
    "directory": os.mkdir,
    "socket": _socket,
    "loop": lambda path: os.symlink(path, path),
    "dangling": lambda path: os.symlink("nowhere", path),
    "sparse-10g": _sparse,
    "empty": lambda path: path.touch(),
    **{"link-to" + device.replace("/", "-"): _link(device) for device in DEVICES},
}


@pytest.mark.parametrize("name", MAKERS)
def test_what_is_no_transcript_is_absent(name: str, tmp_path: Path) -> None:
    """In a few milliseconds, and without a word of what is in it."""
    MAKERS[name](tmp_path / "t.jsonl")
    found, seconds, taken = resolved(tmp_path / "t.jsonl")
    assert found is None
    assert seconds < bound(0.1)
    assert taken <= WINDOW_LIMIT + 65536


@pytest.mark.parametrize(
    "path",
    [
        "/dev/zero",
        "/dev/tty",
        "/dev/stdin",
        "/proc/self/mem",
        "/proc/self/environ",
        "/etc/passwd",
        "/",
        "",
        "x.jsonl",
        "../../x.jsonl",
        "~/x.jsonl",
        "http://127.0.0.1/x",
        "//127.0.0.1/share/x",
        "\\\\127.0.0.1\\share\\x",
        "/a\0b",
        "/\ud800",
        "/" + "a" * 300,
        "/a" * 3000,
        "/dev/fd/0",
    ],
)
def test_path_that_names_no_transcript_is_absent(path: str) -> None:
    """Refused before the system hears of it, or by the system."""
    found, seconds, _ = resolved(path)
    assert found is None
    assert seconds < bound(0.05)


def test_fifo_that_a_writer_holds_open_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "t.jsonl")
    holder = os.open(tmp_path / "t.jsonl", os.O_RDWR)
    found, seconds, _ = resolved(tmp_path / "t.jsonl")
    os.close(holder)
    assert found is None
    assert seconds < bound(0.05)


CONTENTS: dict[str, tuple[bytes, str | None]] = {
    "one-line-3m": (b"a" * 3_000_000, None),
    "no-newline-1m": (b'{"a":"' + b"x" * 1_000_000, None),
    "torn-tail": (LINE * 50 + OK[:37], "claude-opus-4-6"),
    "torn-utf8": (LINE * 3 + '{"a":"é'.encode()[:-1], "claude-opus-4-6"),
    "bad-utf8": (b'{"a":"\xff\xfe\xc0\x80"}\n' + LINE, "claude-opus-4-6"),
    "nul-padded": (LINE + b"\0" * 100000 + LINE, "claude-opus-4-6"),
    "crlf": (OK + b"\r\n" + OK + b"\r\n", "claude-opus-4-6"),
    "bom": (b"\xef\xbb\xbf" + LINE, "claude-opus-4-6"),
    "deep": (b"[" * 200000 + b"]" * 200000 + b"\n" + LINE, "claude-opus-4-6"),
    "deep-last": (LINE + b'{"type":"assistant","x":' + b"[" * 50000 + b"]" * 50000 + b"}\n", "claude-opus-4-6"),
    "bigint": (LINE + b'{"type":"assistant","x":' + b"9" * 5000 + b"}\n", "claude-opus-4-6"),
    "floats": (LINE + b'{"type":"assistant","x":[1e999,NaN,-Infinity]}\n', "claude-opus-4-6"),
    "surrogate": (b'{"type":"assistant","message":{"model":"\\ud800x\\udfff"}}\n', "\ud800x\udfff"),
    "types": (LINE + b'[]\n"assistant"\n1\nnull\n{"type":"assistant","message":[]}\n', "claude-opus-4-6"),
    "dupkeys": (b'{"type":"user","type":"assistant","message":{"model":"a","model":"b"}}\n', "b"),
    "manykeys": (LINE + b"{" + b",".join(b'"k%d":1' % i for i in range(200000)) + b"}\n", None),
    "50k-lines": (LINE * 50000, "claude-opus-4-6"),
    "50k-answers-without-model": (b'{"type":"assistant"}\n' * 50000, None),
    "synthetic-flood": (b'{"type":"assistant","message":{"model":"<synthetic>"}}\n' * 20000, None),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_content_gives_its_last_whole_record_or_none(name: str, tmp_path: Path) -> None:
    """Within the window and the time that a refresh has."""
    data, expected = CONTENTS[name]
    (tmp_path / "t.jsonl").write_bytes(data)
    found, seconds, taken = resolved(tmp_path / "t.jsonl")
    assert found == expected
    assert taken <= WINDOW_LIMIT
    assert seconds < bound(0.1)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file_is_absent(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_bytes(LINE)
    os.chmod(tmp_path / "t.jsonl", 0)
    assert resolved(tmp_path / "t.jsonl")[0] is None


def test_file_that_is_replaced_while_it_is_read_gives_an_answer_each_time(tmp_path: Path) -> None:
    """A thread keeps growing, cutting, renaming, and swapping it for a FIFO, a link, a directory or nothing."""
    path = tmp_path / "t.jsonl"
    end = time.monotonic() + 1.0

    def remove() -> None:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def swap() -> None:
        for state in itertools.cycle(("grow", "cut", "rename", "fifo", "link", "dir", "gone")):
            if time.monotonic() > end:
                return
            try:
                if state == "cut":
                    os.truncate(path, 37)
                elif state == "rename":
                    (tmp_path / "new").write_bytes(LINE * 10)
                    os.replace(tmp_path / "new", path)
                else:
                    remove()
                    if state == "grow":
                        path.write_bytes(LINE * 1000)
                    elif state == "fifo":
                        os.mkfifo(path)
                    elif state == "link":
                        os.symlink("/dev/zero", path)
                    elif state == "dir":
                        path.mkdir()
            except OSError:
                pass
            time.sleep(0.0005)

    swapper = threading.Thread(target=swap)
    swapper.start()
    seen = set()
    slowest = 0.0
    while time.monotonic() < end:
        found, seconds, _ = resolved(path)
        seen.add(found)
        slowest = max(slowest, seconds)
    swapper.join()
    assert seen <= {None, "claude-opus-4-6"}
    assert slowest < 0.3


def test_every_path_of_another_corpus_ends_in_an_answer(tmp_path: Path) -> None:
    """OHUD_ATTACKS may bring a `files/make.sh` of its own."""
    script = Path(os.environ.get("OHUD_ATTACKS", "")) / "files" / "make.sh"
    if not os.environ.get("OHUD_ATTACKS") or not script.exists():
        pytest.skip("no other corpus is named")
    subprocess.run(["sh", str(script), str(tmp_path)], check=False, capture_output=True, timeout=60)
    for path in sorted(tmp_path.iterdir()):
        found, seconds, taken = resolved(path)
        assert found is None or "SECRET" not in found, path.name
        assert seconds < bound(0.2), path.name
        assert taken <= WINDOW_LIMIT + 65536, path.name


def test_control_that_an_ordinary_open_would_hang_on_a_fifo(tmp_path: Path) -> None:
    """The traps bite: a plain blocking open of the same FIFO does not come back."""
    os.mkfifo(tmp_path / "t.jsonl")
    assert stat.S_ISFIFO(os.stat(tmp_path / "t.jsonl").st_mode)
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run(["cat", str(tmp_path / "t.jsonl")], timeout=0.3, capture_output=True, check=False)
