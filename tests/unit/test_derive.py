"""The payload that is made from a transcript."""

import json
from pathlib import Path
from typing import Any

from ohud.host.derive import derived


def record(kind: str, minute: int, **more: Any) -> dict[str, Any]:
    """A record of a transcript, with its time."""
    return {"type": kind, "timestamp": f"2026-11-30T10:{minute:02d}:00.000Z", "cwd": "/srv/a", "sessionId": "s", **more}


def reply(minute: int, sent: int, model: str = "claude-opus-5-5", **more: Any) -> dict[str, Any]:
    """A reply that so many tokens were sent for."""
    usage = {"input_tokens": sent, "output_tokens": 3}
    return record(
        "assistant", minute, message={"id": f"m{minute}", "model": model, "content": [], "usage": usage}, **more
    )


def payload(folder: Path, *records: Any) -> dict[str, Any]:
    """What is derived from the records."""
    path = folder / "1.jsonl"
    path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in records))
    found = derived(str(path))
    assert found is not None
    return found[0]


def test_what_a_session_tells(tmp_path: Path) -> None:
    """Model, places, version, effort, time and context are those of the last records."""
    made = payload(
        tmp_path,
        record("user", 0, version="2.1.300"),
        reply(1, 5000),
        reply(3, 50000, "claude-sonnet-5-5", cwd="/srv/a/b", version="2.1.332", effort="high"),
        {"type": "pr-link", "prNumber": 7, "prUrl": "https://github.com/acme/widgets/pull/7"},
    )
    assert made["model"] == {"id": "claude-sonnet-5-5", "display_name": "Sonnet 5.5"}
    assert made["workspace"] == {"current_dir": "/srv/a/b", "project_dir": "/srv/a"}
    assert (made["session_id"], made["version"], made["effort"]) == ("s", "2.1.332", {"level": "high"})
    assert made["cost"] == {"total_cost_usd": None, "total_duration_ms": 180000}
    assert made["context_window"]["used_percentage"] == 25
    assert made["pr"]["number"] == 7


def test_a_large_window_shows(tmp_path: Path) -> None:
    """More than fits into the usual window was sent to a larger one."""
    window = payload(tmp_path, reply(1, 262289))["context_window"]
    assert (window["context_window_size"], window["used_percentage"]) == (1000000, 26)


def test_nothing_is_known_after_a_compaction(tmp_path: Path) -> None:
    """What was in the window before a compaction is not there any more."""
    boundary = record("system", 2, subtype="compact_boundary")
    assert "context_window" not in payload(tmp_path, reply(1, 5000), boundary)
    assert payload(tmp_path, reply(1, 5000), boundary, reply(3, 900))["context_window"]["total_input_tokens"] == 900


def test_what_is_no_reply(tmp_path: Path) -> None:
    """Side chains, the host's own words and damaged lines count for nothing."""
    made = payload(
        tmp_path, reply(1, 4000), reply(2, 9, isSidechain=True), reply(3, 0, "<synthetic>"), "{broken", '["list"]'
    )
    assert made["model"]["id"] == "claude-opus-5-5"
    assert made["context_window"]["total_input_tokens"] == 4000


def test_before_the_first_reply(tmp_path: Path) -> None:
    """Without a reply there is a session in a directory, and no model."""
    made = payload(tmp_path, record("user", 0))
    assert made["cwd"] == "/srv/a" and "model" not in made and "context_window" not in made


def test_a_long_transcript(tmp_path: Path, monkeypatch: Any) -> None:
    """Of a long file the beginning and the end are read, whole lines only."""
    monkeypatch.setattr("ohud.host.derive._HEAD", 1000)
    monkeypatch.setattr("ohud.host.derive._TAIL", 1000)
    middle = [record("user", 1, message={"content": "x" * 300}) for _ in range(20)]
    made = payload(tmp_path, record("user", 0, cwd="/first"), *middle, reply(5, 800))
    assert made["workspace"]["project_dir"] == "/first" and made["model"]["id"] == "claude-opus-5-5"


def test_no_transcript(tmp_path: Path) -> None:
    """A file without a record, and none at all, give nothing."""
    (tmp_path / "x").write_text("hello\n{}\n")
    assert derived(str(tmp_path / "x")) is None
    assert derived(str(tmp_path / "y")) is None
