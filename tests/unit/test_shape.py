"""`ohud.theme.shape`: the declaration is complete and agrees with itself."""

from typing import Any

import pytest
import tomli_w

from ohud.theme import shape
from ohud.theme.layer import check
from ohud.theme.source import parse

KEYS = dict(shape.rows(shape.CONFIG))


def problems(data: dict[str, Any]) -> list[str]:
    """What is said about a config with this content."""
    source = parse(tomli_w.dumps(data), "config.toml")
    check(source, shape.CONFIG)
    return [problem.message for problem in source.problems]


def config_with(name: str, value: object) -> dict[str, Any]:
    """A config in which one key has this value and all that it needs."""
    data: dict[str, Any] = {}
    table = data
    *above, last = name.split(".")
    for part in above:
        part = "name" if part == "NAME" else part
        entry: dict[str, Any] = {}
        table[part] = [entry] if part == "levels" else entry
        table = entry
    table.update({"run": ["/bin/true"]} if above[:1] == ["commands"] else {})
    table.update({"at": 1, "style": "bold"} if above[-1:] == ["levels"] else {})
    table[last] = value
    return data


@pytest.mark.parametrize("name", KEYS)
def test_key_is_described(name: str) -> None:
    """Each key has a sentence, and a default or an example."""
    key = KEYS[name]
    assert (key.sentence.endswith(".") and key.sentence[0].isupper()) or key.sentence[0] == "`"
    assert key.default is not None or key.examples
    assert key.weight in ("part", "fatal")
    assert shape.describe(key.type)


@pytest.mark.parametrize("name", KEYS)
def test_defaults_and_examples_are_allowed(name: str) -> None:
    """Defaults and examples pass the check that they document."""
    key = KEYS[name]
    for value in [*key.examples, *([] if key.default is None else [key.default])]:
        assert problems(config_with(name, value)) == []


@pytest.mark.parametrize("name", KEYS)
def test_a_date_is_never_allowed(name: str) -> None:
    """A value of a type that no key has is reported once, with the name of the key."""
    import datetime

    said = problems(config_with(name, datetime.date(2026, 11, 30)))
    assert any(name.replace("NAME", "name").replace("levels.", "levels[0].") in message for message in said), said


def test_themes_name_nothing_outside() -> None:
    """No key of a theme is one that could name a file, command, URL, host or environment variable."""
    names = {name.rpartition(".")[2] for name, _ in shape.rows(shape.THEME)}
    assert not names & shape.NEVER_IN_THEMES
    assert not names & {"theme", "snapshot", "projects", "ollama"}


def test_config_holds_all_of_a_theme() -> None:
    """Every theme key is a config key."""
    assert {name for name, _ in shape.rows(shape.THEME)} < set(KEYS)


def test_reserved_words_are_names() -> None:
    """Every reserved word could otherwise be the name of a segment: nothing is reserved in vain."""
    import re

    for word in shape.RESERVED_IN_SUBAGENTS:
        assert re.fullmatch(shape.SEGMENT_NAME.pattern, word)


def test_types_in_words() -> None:
    """Types are said as a person would."""
    assert shape.describe(shape.Integer(1, 10)) == "an integer from 1 to 10"
    assert shape.describe(shape.Number(0, 1_000_000)) == "a number from 0 to 1000000"
    assert shape.describe(shape.Number()) == "a number"
    assert shape.describe(shape.Array(shape.Array(shape.Text(), 2), 2)) == "a list of lists of texts"
    assert shape.describe(shape.Union((shape.Text(), shape.Boolean()))) == "a text or `true` or `false`"
    assert shape.describe(shape.Text(choices=("a", "b"))) == "one of `a`, `b`"
