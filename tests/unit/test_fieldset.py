"""The catalogue of computed fields: complete, and true to what the fields give."""

import importlib
import inspect
import json
from pathlib import Path
from typing import Any

import pytest

from ohud.run.world import World
from ohud.theme import fieldset

TESTS = Path(__file__).parent.parent
PAYLOADS = sorted((TESTS / "payloads").glob("*.json"))
FIELDS = [(family, name) for family, fields in fieldset.catalogue().items() for name in fields]
PYTHON = {"str": (str,), "int": (int,), "number": (int, float), "bool": (bool,), "object": (dict,), "list": (list,)}


def holds(value: object, doc: fieldset.FieldDoc) -> bool:
    if value is None:
        return doc.nullable
    if isinstance(value, bool) != (doc.type == "bool") or not isinstance(value, PYTHON[doc.type]):
        return False
    if isinstance(value, dict):
        return list(value) == list(doc.keys) and all(holds(value[key], doc.keys[key]) for key in value)
    return True


def test_every_public_function_is_a_field_with_its_heads() -> None:
    for path in (Path(importlib.import_module("ohud.fields").__file__ or "").parent).glob("*.py"):
        if path.stem.startswith("_"):
            continue
        module = importlib.import_module(f"ohud.fields.{path.stem}")
        own = [
            name
            for name, value in vars(module).items()
            if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_")
        ]
        assert sorted(own) == sorted(fieldset.catalogue()[path.stem])
        for name in own:
            assert list(inspect.signature(getattr(module, name)).parameters) == ["payload", "world"]


def test_catalogue_has_the_families_of_the_first_release() -> None:
    for family in ("context", "cost", "effort", "git", "model", "now", "project", "session", "terminal", "usage"):
        assert family in fieldset.families()
    assert [family for family in ("effort", "now", "git", "nothing") if fieldset.is_value(family)] == ["effort", "now"]


def test_keys_of_an_object_are_described() -> None:
    doc = fieldset.catalogue()["usage"]["five_hour"]
    assert doc.type == "object"
    assert list(doc.keys) == ["percent", "resets_at", "resets_in_s", "pace"]
    assert (doc.keys["percent"].type, doc.keys["percent"].unit) == ("number", "%")


def test_heads_are_parsed() -> None:
    doc = fieldset.catalogue()["context"]["tokens"]
    assert (doc.type, doc.unit, doc.nullable, doc.cost) == ("int", "tokens", True, "cheap")
    assert doc.reads == "context_window.current_usage, the transcript's end"
    assert doc.summary.startswith("Tokens in the context window")
    assert fieldset.catalogue()["now"]["now"].nullable is False


@pytest.mark.parametrize(
    ("docstring", "reason"),
    [
        ("", "no first line"),
        ("What it gives.", "no head `Returns:`"),
        ("What it gives.\n\nReturns:  str; None at times", "no head `Errors:`"),
        ("What it gives.\n\nReturns:  text\nErrors:   none", "the type `text` is none of"),
        ("What it gives.\n\nReturns:  object\nErrors:   none", "has a head `Keys:`"),
        ("What it gives.\n\nReturns:  object\nKeys:     a\nErrors:   none", "`a` is no key"),
        ("What it gives.\n\nReturns:  object\nKeys:     a: int\nErrors:   none", "says nothing behind its type"),
        ("What it gives.\n\nReturns:  str\nErrors:   none\nCost:     some", "`Cost:` is `cheap` or `slow`"),
    ],
)
def test_docstring_that_describes_nothing_is_refused(docstring: str, reason: str) -> None:
    """The message names family and field."""
    source = f'def field(payload, world):\n    """{docstring}"""\n'
    with pytest.raises(ValueError, match=r"family\.field") as caught:
        fieldset.described(source, "family")
    assert reason in str(caught.value)


@pytest.mark.parametrize("path", PAYLOADS, ids=lambda path: path.stem)
@pytest.mark.parametrize(("family", "name"), FIELDS, ids=lambda name: str(name))
def test_value_has_the_type_that_is_declared(tmp_path: Path, path: Path, family: str, name: str) -> None:
    """On one recorded payload a session state, with a transcript, in a repository, and near a limit."""
    payload: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    transcript = tmp_path / "t.jsonl"
    transcript.write_text('{"type":"assistant","message":{"model":"claude-haiku-4-5"}}\n')
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    full = dict(payload, transcript_path=str(transcript), workspace={"current_dir": str(tmp_path)})
    limits = {"used_percentage": 5.5, "resets_at": 1796040060.5}
    full["rate_limits"] = dict.fromkeys(("five_hour", "seven_day", "spend_limit"), limits)
    doc = fieldset.catalogue()[family][name]
    field = getattr(importlib.import_module(f"ohud.fields.{family}"), name)
    for each in (payload, full, {}):
        value = field(each, World({"COLUMNS": "80", "HOME": "/home/user"}, now=1796040000.25))
        assert holds(value, doc), (value, doc)
