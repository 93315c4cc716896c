"""The model: read from the transcript's end, else from the payload."""

import json
from pathlib import Path
from typing import Any

import pytest

from ohud.fields import model
from ohud.run.world import World

WINDOW = 262144


def record(name: str | None, **more: object) -> bytes:
    """One transcript record of an answer, as the host writes it."""
    message: dict[str, object] = {"role": "assistant", "content": [{"type": "text", "text": "x"}]}
    if name is not None:
        message["model"] = name
    return json.dumps({"isSidechain": False, "type": "assistant", "message": message, **more}).encode()


def resolved(folder: Path, data: bytes) -> str | None:
    path = folder / "transcript.jsonl"
    path.write_bytes(data)
    return model.resolved({"transcript_path": str(path)}, World({}))


OPUS, HAIKU = record("claude-opus-4-6"), record("claude-haiku-4-5-20251001")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (OPUS + b"\n" + HAIKU + b"\n", "claude-haiku-4-5-20251001"),
        (HAIKU + b"\n" + OPUS, "claude-opus-4-6"),
        (HAIKU + b"\r\n\r\n" + OPUS + b"\r\n\r\n", "claude-opus-4-6"),
        (b"\xef\xbb\xbf" + OPUS + b"\n", "claude-opus-4-6"),
        (OPUS + b"\n" + record("<synthetic>") + b"\n", "claude-opus-4-6"),
        (record("<synthetic>") + b"\n", None),
        (OPUS + b"\n" + record("claude-haiku-4-5", isSidechain=True) + b"\n", "claude-opus-4-6"),
        (OPUS + b"\n" + record(None) + b"\n", "claude-opus-4-6"),
        (OPUS + b"\n" + record("") + b"\n" + record("  ") + b"\n", "claude-opus-4-6"),
        (record(None, model="claude-sonnet-4-20250514") + b"\n", "claude-sonnet-4-20250514"),
        (record("<synthetic>", model="claude-opus-4-6") + b"\n", "claude-opus-4-6"),
        (OPUS + b"\n" + b'{"type":"mode","mode":"normal"}\n' * 2000, "claude-opus-4-6"),
        (OPUS + b'\n[]\n"assistant"\n{}\nnull\n1\nassistant\n{"type":["assistant"]}\n', "claude-opus-4-6"),
        (OPUS + b'\n{"type":"assistant","message":null}\n{"type":"assistant","message":"x"}\n', "claude-opus-4-6"),
        (OPUS + b"\n" + HAIKU[:60], "claude-opus-4-6"),
        (OPUS + b"\n" + HAIKU[:60] + b"\n", "claude-opus-4-6"),
        (OPUS + b"\n" + b"\0" * 5000 + HAIKU + b"\n", "claude-haiku-4-5-20251001"),
        (OPUS + b"\n" + HAIKU + b"\n" + b"\0" * 5000, "claude-haiku-4-5-20251001"),
        (OPUS.replace(b'"x"', b'"\xe9\xff"') + b"\n\xe6\x97", "claude-opus-4-6"),
        (
            HAIKU + b"\n" + OPUS.replace(b'"x"', '"a\u2028b\u2029c\x85d"'.encode()) + b"\n",
            "claude-opus-4-6",
        ),
        (
            OPUS + b"\n" + json.dumps({"type": "progress", "data": {"message": json.loads(HAIKU)}}).encode() + b"\n",
            "claude-opus-4-6",
        ),
        (HAIKU + OPUS + b"\n", "claude-haiku-4-5-20251001"),
        (b"", None),
        (b"\n\n\n", None),
        (b"{}", None),
    ],
)
def test_last_answer_of_the_main_conversation_names_the_model(
    tmp_path: Path, data: bytes, expected: str | None
) -> None:
    """Each row is a transcript that a host, a crash or a race has left."""
    assert resolved(tmp_path, data) == expected


def test_huge_line_before_the_last_costs_no_more_than_the_window(tmp_path: Path) -> None:
    big = b'{"type":"user","message":{"content":"' + b"x" * 3_000_000 + b'"}}\n'
    path = tmp_path / "t.jsonl"
    path.write_bytes(HAIKU + b"\n" + big + OPUS + b"\n")
    world = World({})
    assert model.resolved({"transcript_path": str(path)}, world) == "claude-opus-4-6"
    assert world.bytes_read <= 20000


def test_answer_behind_the_window_is_not_looked_for(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(OPUS + b"\n" + b'{"type":"user"}\n' * 40000)
    world = World({})
    payload = {"transcript_path": str(path), "model": {"id": "claude-haiku-4-5", "display_name": "Haiku 4.5"}}
    assert model.resolved(payload, world) is None
    assert model.source(payload, world) == "payload"
    assert model.name(payload, world) == "Haiku 4.5"
    assert world.bytes_read <= 300 * 1024


@pytest.mark.parametrize("size", [16384, WINDOW])
def test_first_line_of_the_window_counts_only_when_it_is_whole(tmp_path: Path, size: int) -> None:
    """A line that the window cuts can end in what looks like a record."""
    rest = b'{"type":"user"}\n'
    exact = OPUS + b"\n" + rest * ((size - len(OPUS) - 1) // len(rest))
    exact += b" " * (size - len(exact) - 1) + b"\n"
    assert len(exact) == size
    assert resolved(tmp_path, b"\n" * WINDOW + exact) == "claude-opus-4-6"
    assert resolved(tmp_path, exact[:size]) == "claude-opus-4-6"
    assert resolved(tmp_path, b"\n" * WINDOW + b'{"a":"' + exact) is None


def test_answer_before_thousands_of_short_placeholders_is_found(tmp_path: Path) -> None:
    short = b'{"type":"assistant","message":{"model":"<synthetic>"}}\n'
    many = short * ((WINDOW - len(OPUS) - 1) // len(short))
    assert len(many) > 4000 * len(short)
    assert resolved(tmp_path, b"\n" * WINDOW + OPUS + b"\n" + many) == "claude-opus-4-6"


@pytest.mark.parametrize("size", [16384, WINDOW])
def test_window_inside_one_line_holds_no_record(tmp_path: Path, size: int) -> None:
    """What is cut can begin and end like a record."""
    inner = b'{"type":"assistant","message":{"model":"claude-fake-1"},"text":"'
    inner += b"x" * (size + 1 - len(inner) - 2) + b'"}'
    assert resolved(tmp_path, b'{"type":"user","n":' + b"[" * WINDOW + inner) is None


def test_transcript_is_read_once_a_refresh(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(OPUS + b"\n")
    world = World({})
    payload = {"transcript_path": str(path)}
    for field in (model.id, model.name, model.family, model.resolved, model.source, model.window):
        field(payload, world)
    assert world.bytes_read == len(OPUS) + 1


def test_transcript_that_the_config_switches_off_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(OPUS + b"\n")
    world = World({})
    world.configure({"transcript": {"enabled": False}}, "never", None)
    assert model.resolved({"transcript_path": str(path)}, world) is None
    assert world.bytes_read == 0


@pytest.mark.parametrize(
    "path",
    ["", "  ", None, 7, {"x": 1}, "x.jsonl", "../x", "~/t.jsonl", "//host/share/t", "\\\\host\\share\\t", "/a\0b"],
)
def test_path_that_is_no_absolute_local_one_is_not_opened(path: object) -> None:
    world = World({})
    assert model.resolved({"transcript_path": path}, world) is None
    assert world.bytes_read == 0


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("claude-opus-4-6", "Opus 4.6"),
        ("claude-opus-4-6[1m]", "Opus 4.6"),
        ("claude-haiku-4-5-20251001", "Haiku 4.5"),
        ("claude-sonnet-4-20250514", "Sonnet 4"),
        ("claude-sonnet-4-20250514[1m]", "Sonnet 4"),
        ("claude-3-5-sonnet-20241022", "Sonnet 3.5"),
        ("claude-3-5-haiku-latest", "Haiku 3.5"),
        ("claude-fable-5", "Fable 5"),
        ("claude-opus", "Opus"),
        ("claude-2.1", "Claude 2.1"),
        ("claude-opus-4-1@20250805", "Opus 4.1"),
        ("global.anthropic.claude-opus-4-6-v1[1m]", "Opus 4.6"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "Sonnet 4.5"),
        ("anthropic.claude-3-5-haiku-20241022-v1:0", "Haiku 3.5"),
        ("arn:aws:bedrock:us-east-1:0:inference-profile/us.anthropic.claude-opus-4-1-20250805-v1:0", "Opus 4.1"),
        ("arn:aws:bedrock:eu-west-1:000000000000:application-inference-profile/abc123def456", "abc123def456"),
        ("openrouter/anthropic/claude-opus-4.6", "Opus 4.6"),
        ("claude-opus-4-6-thinking", "Opus 4.6 Thinking"),
        ("glm-5", "glm-5"),
        ("glm-5:cloud", "glm-5:cloud"),
        ("vendor/model", "vendor/model"),
        ("octopus-7b", "octopus-7b"),
        ("vendor/not-a-haiku", "vendor/not-a-haiku"),
        ("not-claude-opus-4-6", "not-claude-opus-4-6"),
        ("claude-opus-4-6 [1m]", "Opus 4.6"),
        ("claude-", "claude-"),
        ("arn:", "arn:"),
    ],
)
def test_name_is_made_from_an_id(asked: str, name: str) -> None:
    """Prefixes of makers and gateways, dates and windows say nothing to people; foreign ids stay as they are."""
    for display in (None, "", asked):
        assert model.name({"model": {"id": asked, "display_name": display}}, World({})) == name
    assert model.name({"model": asked}, World({})) == name
    assert model.name({"model": {"display_name": asked}}, World({})) == name


@pytest.mark.parametrize(
    ("asked", "display", "name"),
    [
        ("claude-opus-4-6[1m]", "claude-opus-4-6", "Opus 4.6"),
        ("us.anthropic.claude-opus-4-6-v1[1m]", "us.anthropic.claude-opus-4-6-v1", "Opus 4.6"),
        ("claude-opus-4-6", "anthropic.claude-opus-4-6-v1:0 (1M context)", "Opus 4.6"),
        ("opus", "arn:aws:bedrock:eu-west-1:000000000000:application-inference-profile/abc123def456", "abc123def456"),
        ("opus", "Opus 4.6", "Opus 4.6"),
        ("opus", "vendor/model", "vendor/model"),
    ],
)
def test_display_name_that_is_an_id_is_shortened_like_one(asked: str, display: str, name: str) -> None:
    """Bedrock and gateways label a model by an id, not always in the spelling of the id beside it."""
    assert model.name({"model": {"id": asked, "display_name": display}}, World({})) == name


def transcript(folder: Path, name: str) -> str:
    path = folder / "t.jsonl"
    path.write_bytes(record(name) + b"\n")
    return str(path)


@pytest.mark.parametrize(
    ("answered", "asked", "display", "name"),
    [
        ("claude-opus-4-6", "claude-sonnet-4-5-20250929", "Sonnet 4.5", "Opus 4.6"),
        ("claude-opus-4-6", "claude-opus-4-6", "Opus Prime", "Opus Prime"),
        ("claude-opus-4-8", "claude-opus-4-8[1m]", "Opus 4.8 (1M context)", "Opus 4.8"),
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5", "Our Haiku", "Our Haiku"),
        ("glm-5", "claude-opus-4-6", "Opus 4.6", "glm-5"),
        ("claude-opus-4-6", None, "Opus 4.6", "Opus 4.6"),
        ("vendor/model", "vendor/model", "The Model", "The Model"),
    ],
)
def test_display_name_holds_only_for_the_model_that_answered(
    tmp_path: Path, answered: str, asked: str | None, display: str, name: str
) -> None:
    """A payload can lag behind a switch of the model."""
    payload = {"transcript_path": transcript(tmp_path, answered), "model": {"id": asked, "display_name": display}}
    assert model.name(payload, World({})) == name
    assert model.id(payload, World({})) == answered
    assert model.requested(payload, World({})) == display
    assert model.source(payload, World({})) == "transcript"


def test_label_is_what_was_asked_for() -> None:
    world = World({})
    assert model.requested({"model": {"id": "a", "display_name": "A"}}, world) == "A"
    assert model.requested({"model": {"id": "a", "display_name": ""}}, world) == "a"
    assert model.requested({"model": "a"}, world) == "a"
    assert model.name({"model": {"display_name": "Opus 4.6 (1M context)"}}, world) == "Opus 4.6"


def test_family_is_known_for_the_maker_only() -> None:
    for asked, family in (("claude-opus-4-6", "opus"), ("claude-3-5-sonnet-20241022", "sonnet"), ("glm-5", None)):
        assert model.family({"model": {"id": asked}}, World({})) == family


def test_window_is_the_hosts_else_the_suffixes() -> None:
    world = World({})
    big: dict[str, Any] = {"model": {"id": "claude-opus-4-6[1m]"}}
    assert model.window(big, world) == 1000000
    assert model.window({**big, "context_window": {"context_window_size": 200000}}, world) == 200000
    assert model.window({"model": {"id": "claude-opus-4-6"}}, world) is None


@pytest.mark.parametrize("value", [None, "", "  ", 7, ["opus"], {}, {"id": "", "display_name": ""}, {"id": 3}, True])
def test_no_model_at_all_is_unknown(value: object) -> None:
    """Nothing is made up where the host names no model."""
    for field in (model.id, model.name, model.family, model.requested, model.resolved, model.source, model.window):
        assert field({"model": value}, World({})) is None
        assert field({}, World({})) is None
