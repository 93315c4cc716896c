"""`ohud fields`: every field of the payload and every computed one, with its value."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import call

from ohud.host.facts import FACTS
from ohud.theme import fieldset

PAYLOAD: dict[str, Any] = {
    "model": {"id": "claude-opus-4-6", "display_name": "Opus 4.6", "speed": 3},
    "cwd": "/nowhere/here",
    "effort": None,
    "nova": {"list": [{"deep": 1}]},
    "prompt_cache": {"miss_causes": {"any_word": 2}},
    "workspace": {"added_dirs": ["/a", "/b"]},
    "computed": {"model": {"name": "forged"}},
}
RAW = json.dumps(PAYLOAD).encode()


def fields(folder: Path, *words: str, stdin: bytes = b"") -> dict[str, dict[str, Any]]:
    """What `--json` lists, by path."""
    answer = call(folder, "fields", "--json", *words, stdin=stdin)
    assert (answer.code, answer.err) == (0, "")
    found = json.loads(answer.out)
    assert len({field["path"] for field in found}) == len(found)
    return {field["path"]: field for field in found}


def test_every_field_is_there(tmp_path: Path) -> None:
    """All fields that hosts have sent, in the order of the table, then all computed ones with their keys."""
    found = fields(tmp_path)
    payload = [path for path, field in found.items() if field["kind"] == "payload"]
    assert payload == [fact.path for fact in FACTS]
    for family, docs in fieldset.catalogue().items():
        for name, doc in docs.items():
            path = f"computed.{family}" if fieldset.is_value(family) else f"computed.{family}.{name}"
            assert {path, *(f"{path}.{key}" for key in doc.keys)} <= set(found)


def test_what_is_said_of_a_field(tmp_path: Path) -> None:
    """Type, unit, first version, sentence, and the value at the built-in moment."""
    found = fields(tmp_path)
    used = found["context_window.used_percentage"]
    assert (used["type"], used["unit"], used["since"], used["value"]) == ("number", "%", "2.1.6", 26)
    assert used["sentence"].startswith("How full the window is")
    name = found["computed.model.name"]
    assert (name["kind"], name["type"], name["value"], name["slow"]) == ("computed", "string", "Opus 5.5", False)
    assert "transcript" in found["computed.model.id"]["reads"]
    assert found["computed.git.dirty"]["slow"] is True
    assert found["computed.usage.five_hour.percent"]["value"] == 29
    assert {field["type"] for field in found.values() if field["kind"] == "computed"} <= {
        "string",
        "integer",
        "number",
        "boolean",
        "object",
        "array",
    }


def test_values_of_an_own_payload(tmp_path: Path) -> None:
    """Values come from the payload given, of a list the first; what is null is told from what is absent."""
    found = fields(tmp_path, "--payload-only", stdin=RAW)
    assert found["model.id"]["value"] == "claude-opus-4-6"
    assert found["workspace.added_dirs[]"]["value"] == "/a"
    assert (found["effort"]["present"], found["effort"]["value"]) == (True, None)
    assert found["version"]["present"] is False
    computed = fields(tmp_path, "computed.model", stdin=RAW)
    assert computed["computed.model.name"]["value"] == "Opus 4.6"


def test_new_fields(tmp_path: Path) -> None:
    """What the payload has and no table knows is listed as new, the words of an open table and `computed` are not."""
    found = fields(tmp_path, "--payload-only", stdin=RAW)
    new = {path: field["type"] for path, field in found.items() if field["kind"] == "new"}
    assert new == {"model.speed": "integer", "nova": "object", "nova.list": "array", "nova.list[].deep": "integer"}
    assert found["nova.list[].deep"]["value"] == 1


def test_the_built_in_moments_hold_nothing_new(tmp_path: Path) -> None:
    """Every field of the recorded payloads is in the tables."""
    for scenario in ("working", "worktree", "old-host", "limits-near"):
        found = fields(tmp_path, "--payload-only", "--scenario", scenario)
        assert [path for path, field in found.items() if field["kind"] == "new"] == []


@pytest.mark.parametrize(
    ("pattern", "some", "all_have"),
    [
        ("five_hour", "computed.usage.five_hour", "five_hour"),
        ("*.resets_at", "rate_limits.five_hour.resets_at", ".resets_at"),
        ("COMPUTED.GIT", "computed.git.branch", "computed.git"),
        ("added_dirs[]", "workspace.added_dirs[]", "added_dirs[]"),
        ("*dirs[]", "workspace.added_dirs[]", "dirs[]"),
    ],
)
def test_pattern(pattern: str, some: str, all_have: str, tmp_path: Path) -> None:
    """A pattern is a part of the path in any case, or with `*` and `?` the whole of it."""
    found = fields(tmp_path, pattern)
    assert some in found
    assert all(all_have in path for path in found)


def test_one_kind_only(tmp_path: Path) -> None:
    """Each kind can be asked for alone."""
    assert {field["kind"] for field in fields(tmp_path, "--computed-only").values()} == {"computed"}
    assert {field["kind"] for field in fields(tmp_path, "--payload-only").values()} == {"payload"}


def test_table(tmp_path: Path) -> None:
    """For people: path and value on a line, then type, unit, version and sentence; it fits the terminal."""
    answer = call(tmp_path, "fields", env={"COLUMNS": "80"})
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("computed.context.percent "))
    assert lines[at].endswith(" 26") and len(lines[at]) == 80
    assert lines[at + 1] == "    number [%]: Share of the context window in use"
    assert "    string, since 1.0.71: Names the conversation" in answer.out
    assert "since 2.1.98 or before" in answer.out and "since about 1.0.80" in answer.out
    assert max(map(len, lines)) <= 80
    assert lines[-1].endswith("fields, the values are those of working")


def test_new_fields_in_the_table(tmp_path: Path) -> None:
    """New fields stand under a heading of their own."""
    answer = call(tmp_path, "fields", "--payload-only", stdin=RAW)
    assert "\nnew: in this payload, and in no table of this version (4)\nmodel.speed" in answer.out


def test_no_payload(tmp_path: Path) -> None:
    """An input that is no payload is said, and the fields are listed without values."""
    answer = call(tmp_path, "fields", "model.id", stdin=b"[1]")
    assert answer.code == 0
    assert "stdin is no JSON object" in answer.err and answer.out.startswith("from Claude Code")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["contxt"], 1, "did you mean `context`?"),
        (["--payload-only", "--computed-only"], 2, "not allowed with"),
        (["--scenario", "workin"], 2, "did you mean `working`?"),
        (["--payload", "nowhere.json"], 2, "cannot be read"),
    ],
)
def test_wrong_use(words: list[str], code: int, said: str, tmp_path: Path) -> None:
    """A pattern that nothing matches is exit 1, what cannot be meant 2, both with a hint."""
    answer = call(tmp_path, "fields", *words)
    assert answer.code == code
    assert said in answer.err and answer.out == ""
