"""The README tells the truth: its commands exist and its themes have no fault."""

import re
from pathlib import Path

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
