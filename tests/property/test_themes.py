"""Every shipped theme prints what its languages' own libraries make of it, on every recorded payload."""

from pathlib import Path
from typing import Any

import pytest

from ohud.run import status
from ohud.run.world import World
from ohud.theme import read
from ohud.theme.lower import build
from ohud.theme.reference import render_theme

TESTS = Path(__file__).resolve().parents[1]
PAYLOADS = sorted((TESTS / "payloads").rglob("*.json"))
THEMES = [name for name, _ in read.theme_names(None)]


def compiled(name: str) -> tuple[read.Theme, dict[str, Any]]:
    loaded = read.load(None, home=None, theme=name)
    built = build(loaded)
    assert built.problems == []
    return loaded.theme, built.program


def world(columns: int | None, color: str) -> World:
    variables = {"HOME": "/home/user", "COLORTERM": color, "TERM": "xterm-256color"}
    if columns is not None:
        variables["COLUMNS"] = str(columns)
    made = World(variables, now=1796037700.0)
    # The machine's memory is in use by others between two looks.
    made.memo["memory"] = (5_000_000_000, 16_000_000_000)
    return made


def test_there_is_something_to_compare() -> None:
    """A folder that was moved must not make this file pass."""
    assert len(PAYLOADS) > 100 and {"classic", "oneline", "minimal"} <= set(THEMES)


@pytest.mark.parametrize("name", THEMES)
def test_program_equals_reference(name: str) -> None:
    """The program and the reference renderer agree byte for byte, in colour, without, wide and narrow."""
    theme, program = compiled(name)
    for path in PAYLOADS:
        raw = path.read_bytes()
        for columns, color in ((None, "truecolor"), (120, "truecolor"), (40, "")):
            ours = status.render(raw, program, world(columns, color))
            assert ours == render_theme(theme, program, raw, world(columns, color)), path.name
