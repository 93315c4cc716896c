"""`ohud.host.facts`: what is known of the payload, and the schema made from it."""

import json
from pathlib import Path

import jsonschema
import pytest
from launch import REPOSITORY

from ohud.host import scenarios
from ohud.host.facts import FACTS, SOURCES, payload_schema

PAYLOADS = sorted((REPOSITORY / "tests" / "payloads").rglob("*.json"))


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    """The schema, ready to be asked."""
    return jsonschema.Draft202012Validator(payload_schema())


def test_the_schema_is_a_schema() -> None:
    """The generated schema follows its own draft."""
    jsonschema.Draft202012Validator.check_schema(payload_schema())


def test_there_are_recordings() -> None:
    """The tests below have something to look at."""
    assert len(PAYLOADS) > 5


@pytest.mark.parametrize("path", PAYLOADS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_recorded_payloads_are_valid(path: Path, validator: jsonschema.Draft202012Validator) -> None:
    """What the real host has sent fits the schema."""
    assert [error.message for error in validator.iter_errors(json.loads(path.read_bytes()))] == []


@pytest.mark.parametrize("path", PAYLOADS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_recorded_fields_are_known(path: Path) -> None:
    """No recording holds a field that the facts do not name."""
    assert _paths(json.loads(path.read_bytes())) - {fact.path for fact in FACTS} == set()


def _paths(value: object, at: str = "") -> set[str]:
    """The paths of all fields; the keys of `miss_causes` are data."""
    if at == "prompt_cache.miss_causes":
        return {at}
    found = {at} if at else set()
    if isinstance(value, dict):
        for key, item in value.items():
            found |= _paths(item, f"{at}.{key}" if at else key)
    if isinstance(value, list):
        for item in value:
            found |= _paths(item, at + "[]")
    return found


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {fact.path: None for fact in FACTS if "." not in fact.path},
        {"model": "claude-opus-4-6", "effort": "high"},
        {"rate_limits": {"five_hour": {"used_percentage": 118.0, "resets_at": "2026-11-30T12:00:00Z"}}},
        {"new_in_a_later_host": {"deep": [1, {"a": None}]}, "model": {"id": "x", "colour": "red"}},
    ],
)
def test_the_schema_is_tolerant(payload: object, validator: jsonschema.Draft202012Validator) -> None:
    """Missing, null and unknown fields are fine, and so are the unions that hosts have sent."""
    assert list(validator.iter_errors(payload)) == []


@pytest.mark.parametrize("payload", [[], {"version": 2}, {"cost": {"total_cost_usd": "0.1"}}, {"model": ["x"]}])
def test_the_schema_bites(payload: object, validator: jsonschema.Draft202012Validator) -> None:
    """A value of a type that no host has sent is found."""
    assert list(validator.iter_errors(payload))


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.path)
def test_facts_are_whole(fact: object) -> None:
    """Each fact has types of JSON, a known source with its date, and a parent that comes before it."""
    index = FACTS.index(fact)  # type: ignore[arg-type]
    fact = FACTS[index]
    assert fact.types and set(fact.types) <= {"string", "integer", "number", "boolean", "object", "array"}
    assert "20" in SOURCES[fact.source]
    assert not fact.note.endswith(".")
    parent = fact.path.removesuffix("[]") if fact.path.endswith("[]") else fact.path.rpartition(".")[0]
    assert not parent or parent in {earlier.path for earlier in FACTS[:index]}
    assert [other.path for other in FACTS].count(fact.path) == 1


def test_every_source_is_used() -> None:
    """No source stands there for nothing."""
    assert set(SOURCES) == {fact.source for fact in FACTS}


def test_the_committed_schema_is_current() -> None:
    """`schema/payload.schema.json` is what the facts say (else: ohud schema --write)."""
    committed = json.loads((REPOSITORY / "schema" / "payload.schema.json").read_text("utf-8"))
    assert committed == payload_schema()


@pytest.mark.parametrize("scenario", scenarios.scenarios(), ids=lambda scenario: scenario.name)
def test_scenarios_are_valid(scenario: scenarios.Scenario, validator: jsonschema.Draft202012Validator) -> None:
    """The payloads of the built-in scenarios fit the schema once they are set up."""
    with scenarios.staged(scenario, 1796000000.0) as stage:
        assert list(validator.iter_errors(json.loads(stage.raw))) == []
