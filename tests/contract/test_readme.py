"""The README tells the truth: its commands exist and its themes have no fault."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from launch import REPOSITORY
from session import Session

README = REPOSITORY / "README.md"
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
WORD = re.compile(r"(?:^|[`(&|;\s/])ohud ([a-z][a-z-]*)(?![\w./])", re.MULTILINE)


def blocks(language: str) -> list[str]:
    """The fenced blocks of the README in one language, in order."""
    return [text for name, text in FENCE.findall(README.read_text("utf-8")) if name == language]


def spoken() -> str:
    """What the README says in code: fenced shell blocks and inline code."""
    text = README.read_text("utf-8")
    inline = re.findall(r"`[^`\n]+`", FENCE.sub("", text))
    return "\n".join([*blocks("sh"), *inline])


def test_the_first_two_blocks_are_one_command_each() -> None:
    """Set-up is one line to see the status line and one line to run the tests."""
    first, second = blocks("sh")[:2]
    for block in (first, second):
        assert len(block.strip().splitlines()) == 1, block
    assert "ohud preview" in first
    assert "pytest" in second


def test_the_commands_exist() -> None:
    """Every `ohud WORD` of the README is a command."""
    from ohud.cli import COMMANDS

    named = set(WORD.findall(spoken()))
    assert named, "the README names no command"
    assert named - set(COMMANDS) - {"subagents"} == set()


@pytest.mark.parametrize("number", range(len(blocks("toml"))) if README.exists() else [])
def test_a_theme_or_config_has_no_fault(number: int, tmp_path: Path) -> None:
    """Each TOML example passes `ohud check`."""
    path = tmp_path / "example.toml"
    path.write_text(blocks("toml")[number], "utf-8")
    outcome = Session(tmp_path).command("check", str(path))
    assert outcome.code == 0, outcome.text + outcome.errors


def test_files_that_it_links_exist() -> None:
    """Every relative link and picture leads somewhere."""
    links = re.findall(r"\]\(([^)#\s]+)", README.read_text("utf-8"))
    local = [link for link in links if not re.match(r"[a-z]+:", link)]
    assert [link for link in local if not (REPOSITORY / link).exists()] == []


def test_every_key_of_a_config_is_named() -> None:
    """What a theme or a config may hold stands in the README, in code."""
    schema = json.loads((REPOSITORY / "schema" / "config.schema.json").read_text("utf-8"))
    words = set(re.findall(r"[a-z_0-9]+", "\n".join([spoken(), *blocks("toml")])))
    assert set(keys(schema)) | set(keys(schema["$defs"]["segment"])) <= words


def keys(schema: dict[str, Any]) -> Iterator[str]:
    """The names of all keys that a schema describes."""
    for name, inner in schema.get("properties", {}).items():
        yield name
        yield from keys(inner)
        if isinstance(inner.get("additionalProperties"), dict):
            yield from keys(inner["additionalProperties"])


def test_every_filter_function_and_icon_is_named() -> None:
    """A list in the README is the list in the code."""
    from ohud.theme.templates import FILTERS, FUNCTIONS, ICONS, ROW_OPTIONS, SCALES, STYLE_FILTERS

    words = set(re.findall(r"[a-z_0-9]+", spoken()))
    assert {
        *FILTERS,
        *FUNCTIONS,
        *STYLE_FILTERS,
        *SCALES,
        *(name for names in ROW_OPTIONS.values() for name in names),
    } <= words
    text = README.read_text("utf-8")
    assert re.findall(r"`(\w+)`", text[text.index("The built-in icons:") :].split(".\n", 1)[0]) == list(ICONS)


def test_every_option_of_classic_stands_with_its_default() -> None:
    """The table of options is the one of the theme, in names and values."""
    options = tomllib.loads((REPOSITORY / "themes" / "classic.toml").read_text("utf-8"))["options"]
    table = README.read_text("utf-8").partition("| option | default |")[2].partition("\n\n")[0]
    told: dict[str, object] = {}
    for row in table.splitlines()[2:]:
        names, values = (re.findall("`([^`]+)`", cell) for cell in row.split("|")[1:3])
        told |= {name: json.loads(values[at if len(values) > 1 else 0]) for at, name in enumerate(names)}
    assert told == options


def test_every_command_has_a_row() -> None:
    """Each command but the one for work on ohud itself is in the table of commands."""
    from ohud.cli import COMMANDS

    table = README.read_text("utf-8").partition("| command | does |")[2].partition("\n\n")[0]
    assert {"subagents", *COMMANDS} - {"schema"} == {*re.findall("`ohud ([a-z]+)", table)}
    assert f"{len(list((REPOSITORY / 'themes').glob('*.toml')))} themes come with it" in README.read_text("utf-8")
