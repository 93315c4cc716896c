"""Hostile standard input: every item of the corpus ends in a document or in nothing, and no field trips over it."""

import base64
import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from pace import bound

from ohud.run import payload, status
from ohud.run.world import World
from ohud.theme import fieldset

HERE = Path(__file__).parent
# Another folder of the same form may stand in for the corpus: payload/payload.json, or payload.json itself.
FOLDER = Path(os.environ.get("OHUD_ATTACKS") or HERE)
CORPUS = next((path for path in (FOLDER / "payload" / "payload.json", FOLDER / "payload.json") if path.exists()), None)
ITEMS: list[dict[str, Any]] = json.loads(CORPUS.read_text(encoding="utf-8")) if CORPUS else []


def text_of(item: dict[str, Any]) -> bytes:
    if "b64" in item:
        return base64.b64decode(item["b64"])
    if "parts" in item:
        return "".join(text * count for text, count in item["parts"]).encode("utf-8", "surrogatepass")
    text: str = item["text"]
    return text.encode("utf-8", "surrogatepass")


def read(raw: bytes) -> bytes | None:
    """The bytes through a pipe whose writer goes away after the first that nobody takes."""
    reader, writer = os.pipe()

    def work() -> None:
        view = memoryview(raw)
        try:
            while view:
                view = view[os.write(writer, view[:65536]) :]
        except OSError:
            pass
        os.close(writer)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        return payload.read(reader)
    finally:
        os.close(reader)
        thread.join()


def document(raw: bytes | None) -> dict[str, Any] | None:
    """What a theme that names every field would see."""
    found = payload.parse(raw)
    if found is None:
        return None
    families = {
        family: True if fieldset.is_value(family) else list(fields) for family, fields in fieldset.catalogue().items()
    }
    world = World({"HOME": "/home/dev"}, now=1790000000)
    root = status.begin(found, world)
    faults: list[str] = []
    status.compute(root, families, world, faults)
    assert faults == []
    json.dumps(root, allow_nan=False)
    return root


def test_corpus_is_there() -> None:
    """A folder that holds no payloads must not pass as a corpus without items."""
    assert ITEMS or FOLDER != HERE


@pytest.mark.parametrize("item", ITEMS, ids=[item["id"] for item in ITEMS])
def test_item_meets_the_contract(item: dict[str, Any], tmp_path: Path) -> None:
    """
    `renders` is a document, `fallback` is none; neither is an exception, or takes more than 100 ms of work.

    Over 256 KiB there is none whatever the corpus says: the contract of standard input has the last word.
    """
    os.mkfifo(tmp_path / "fifo")
    raw = text_of(item).replace(b"$FILES", str(tmp_path).encode())
    start, work = time.monotonic(), time.thread_time()
    taken = read(raw)
    found = document(taken)
    seconds = time.thread_time() - work
    assert time.monotonic() - start < 2
    if len(raw) > payload.LIMIT:
        assert found is None
    elif item["expect"] == "renders":
        assert found is not None
    elif item["expect"] == "fallback":
        assert found is None
    assert seconds < bound(0.1 if len(raw) < 1_000_000 else 0.5)
    for secret in ("SECRET-CANARY-VALUE", "root:"):
        assert secret not in json.dumps(found and found["computed"])
    assert document(raw[: payload.LIMIT]) is None or item["expect"] != "fallback"


def test_control_that_the_parser_of_the_library_fails_where_ours_does_not() -> None:
    """The corpus bites: plain `json.loads` raises on these, in four ways."""
    caught = set()
    for item in ITEMS:
        try:
            json.loads(text_of(item)[:300000])
        except (ValueError, RecursionError) as fault:
            caught.add(type(fault).__name__)
    if FOLDER == HERE:
        assert caught == {"JSONDecodeError", "RecursionError", "UnicodeDecodeError", "ValueError"}


@pytest.mark.parametrize(
    "value", [None, True, -1, 1.5, 10**30, "x", "/etc/passwd", "\x1b[2J", [], [{}], {}, {"level": {}}]
)
def test_every_field_takes_every_type_everywhere(value: object) -> None:
    """Each place that a family reads holds each wrong thing once."""
    keys = (
        "model",
        "workspace",
        "context_window",
        "cost",
        "rate_limits",
        "effort",
        "worktree",
        "transcript_path",
        "cwd",
    )
    whole = json.dumps(dict.fromkeys((*keys, "session_name"), value)).encode()
    assert document(whole) is not None
    names = "id display_name current_dir project_dir git_worktree used_percentage context_window_size current_usage"
    names += " total_cost_usd total_duration_ms five_hour seven_day spend_limit name path level"
    inner = dict.fromkeys(names.split(), value)
    assert document(json.dumps(dict.fromkeys(keys, inner)).encode()) is not None
    limits = {"five_hour": {"used_percentage": value, "resets_at": value}}
    assert document(json.dumps({"rate_limits": limits}).encode()) is not None


def test_nothing_written_to_an_open_pipe_ends_in_time() -> None:
    reader, writer = os.pipe()
    start = time.monotonic()
    assert payload.read(reader) is None
    assert 0.2 < time.monotonic() - start < 0.9
    os.close(reader)
    os.close(writer)
