"""`ohud.theme.schema` and `ohud schema`: the committed schemas are the declared shape."""

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from launch import REPOSITORY

from ohud.cli import schema as command
from ohud.theme.schema import config_schema, theme_schema

THEMES = sorted((REPOSITORY / "themes").glob("*.toml"))
GOOD = """
theme = "minimal"
[segments]
short = "computed.model.name"
[segments.long]
value = "computed.cost.usd"
default = 0
levels = [{ at = 1, style = "bold" }]
icon = { nerd = "n", ascii = "a" }
[palette]
accent = 208
[prices."claude-opus-4-6"]
input = 5
[commands.load]
run = ["/usr/bin/uptime"]
"""


def errors(schema: dict[str, Any], text: str) -> list[str]:
    """What a validator finds in a TOML text."""
    validator = jsonschema.Draft202012Validator(schema)
    return [error.message for error in validator.iter_errors(tomllib.loads(text))]


def test_committed_files_are_generated() -> None:
    """Generated equals committed."""
    stale = [Path(path).name for path, _ in command.out_of_date(str(REPOSITORY / "schema"))]
    assert stale == [], f"out of date, regenerate with: {command.COMMAND}"


@pytest.mark.parametrize("make", [theme_schema, config_schema])
def test_schemas_follow_their_draft(make: Any) -> None:
    """The generated schemas are schemas."""
    jsonschema.Draft202012Validator.check_schema(make())


@pytest.mark.parametrize("file", THEMES, ids=lambda file: file.stem)
def test_shipped_themes_validate(file: Path) -> None:
    """Every shipped theme validates and names its schema in its first line, so that editors check it."""
    text = file.read_text(encoding="utf-8")
    assert errors(theme_schema(), text) == []
    first = text.split("\n")[0]
    assert first == "#:schema ../schema/theme.schema.json"
    assert (file.parent / first.removeprefix("#:schema ")).resolve().is_file()


def test_there_are_themes() -> None:
    """The test above has something to look at."""
    assert THEMES


def test_config_schema_takes_both() -> None:
    """A config may hold a theme's keys and its own; a theme may not hold the config's."""
    assert errors(config_schema(), GOOD) == []
    assert errors(theme_schema(), GOOD) != []


@pytest.mark.parametrize(
    "text",
    [
        "tempalte = 'x'",
        "template = 3",
        "[segments.a]\nvalue = 'x'\nprioritty = 3",
        "[segments]\nAbc = 'x'",
        "[segments]\nloop = 'x'",
        "[segments]\na__b = 'x'",
        "[limits]\nlines = 11",
        "[segments.a]\nlevels = [{ at = 1 }]",
        "extends = '../x'",
        "[palette]\naccent = 300",
        "commands.x.run = ['/bin/true']",
        "include = 'x'",
    ],
)
def test_theme_schema_finds(text: str) -> None:
    """Typos, wrong types, bad names and what themes may not hold are flagged."""
    assert errors(theme_schema(), text) != []


def test_command_compares_and_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--check` is 1 while a file is missing or differs, `--write` mends it, and then `--check` is 0."""
    monkeypatch.setattr(command, "bundled_dir", lambda folder: str(tmp_path))
    assert command.run(["--check"]) == 1
    assert "--write" in capsys.readouterr().err
    assert command.run(["--write"]) == 0
    assert command.run([]) == 0
    (tmp_path / "theme.schema.json").write_text("{}")
    assert command.run([]) == 1
    assert {path.name for path in tmp_path.iterdir()} == {name for name, _ in command.GENERATED}
    assert json.loads((tmp_path / "config.schema.json").read_text(encoding="utf-8")) == config_schema()
