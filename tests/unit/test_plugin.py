"""The Claude Code plugin: manifests of the right shape, and commands that say only what `ohud` can do."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from command_line import call
from jsonschema import Draft202012Validator
from launch import REPOSITORY

import ohud
from ohud.cli import COMMANDS

PLUGIN = REPOSITORY / ".claude-plugin"
PAGES = sorted((PLUGIN / "commands").glob("*.md"))

NAME = {"type": "string", "pattern": "^[a-z][a-z0-9]*(-[a-z0-9]+)*$"}
TEXT = {"type": "string", "minLength": 1}
PERSON = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": TEXT, "email": TEXT, "url": TEXT},
    "additionalProperties": False,
}
# What the host's own check asks for (`claude plugin validate --strict`, 2.1.215 and 2.1.332, 2026-11-30).
SHARED: dict[str, Any] = {
    "name": NAME,
    "version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"},
    "description": TEXT,
    "author": PERSON,
    "license": TEXT,
    "keywords": {"type": "array", "items": TEXT},
    "homepage": TEXT,
    "repository": TEXT,
}
MANIFEST = {
    "type": "object",
    "required": ["name", "version", "description", "author"],
    "properties": {**SHARED, "commands": {"type": "string", "pattern": r"^\./(?!.*\.\.)"}},
    "additionalProperties": False,
}
MARKETPLACE = {
    "type": "object",
    "required": ["name", "owner", "plugins"],
    "properties": {
        "name": NAME,
        "owner": PERSON,
        "metadata": {"type": "object", "properties": {"description": TEXT}, "additionalProperties": False},
        "plugins": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["name", "source"],
                "properties": {**SHARED, "source": {"type": "string", "pattern": r"^\./(?!.*\.\.)"}, "category": TEXT},
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
}


def load(name: str) -> dict[str, Any]:
    """A manifest; a key that is there twice is a fault."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len({key for key, _ in pairs}) == len(pairs)
        return dict(pairs)

    found: dict[str, Any] = json.loads((PLUGIN / name).read_text("utf-8"), object_pairs_hook=unique)
    return found


def head(page: Path) -> dict[str, str]:
    """The front matter of a command page."""
    first, block, _ = re.split(r"^---\n", page.read_text("utf-8"), maxsplit=2, flags=re.MULTILINE)
    assert first == ""
    return dict(line.split(": ", 1) for line in block.splitlines())


def test_manifest() -> None:
    """The plugin's manifest has the keys that the host knows, and the version of the package."""
    manifest = load("plugin.json")
    Draft202012Validator(MANIFEST).validate(manifest)
    assert manifest["version"] == ohud.__version__
    assert (REPOSITORY / manifest["commands"]).resolve() == PLUGIN / "commands"


def test_marketplace() -> None:
    """The marketplace offers the plugin, which is this repository as a whole."""
    marketplace = load("marketplace.json")
    Draft202012Validator(MARKETPLACE).validate(marketplace)
    [entry] = marketplace["plugins"]
    manifest = load("plugin.json")
    assert (REPOSITORY / entry["source"] / ".claude-plugin" / "plugin.json").is_file()
    assert "version" not in entry, "the manifest's own version counts"
    assert {key: entry[key] for key in ("name", "description", "license")} == {
        key: manifest[key] for key in ("name", "description", "license")
    }


def test_pages() -> None:
    """There is a page for setup, theme and doctor."""
    assert [page.stem for page in PAGES] == ["doctor", "setup", "theme"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page: Path, tmp_path: Path) -> None:
    """A page is for people to call, allows no more than it needs, and names commands and options that there are."""
    keys = head(page)
    assert list(keys) == ["description", "argument-hint", "allowed-tools", "disable-model-invocation"]
    assert keys["disable-model-invocation"] == "true"
    for tool in keys["allowed-tools"].split(", "):
        assert re.fullmatch(r"Bash\((command -v:\*|ohud --version|ohud [a-z][a-z -]*:\*)\)", tool), tool
        assert tool == "Bash(ohud install --dry-run:*)" or "install" not in tool, "changes are asked for"
    text = page.read_text("utf-8")
    assert "$ARGUMENTS" in text
    for command in re.findall(r"`ohud ([a-z]+[^`]*)`", text):
        name, *words = command.split()
        assert name in COMMANDS
        said = call(tmp_path, name, "--help").out
        assert [word for word in words if word.startswith("--") and word not in said] == []
