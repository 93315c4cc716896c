"""Broken themes and configs under tests/broken: each has the exact report beside it."""

from pathlib import Path

import pytest
from launch import REPOSITORY

from ohud.errors import LINE_LIMIT, Problem, invisible, notice, render
from ohud.theme.lower import build
from ohud.theme.read import Loaded, read_theme_file

FOLDER = REPOSITORY / "tests" / "broken"
CASES = sorted(FOLDER.glob("*.toml"))
UPDATE = "pytest tests/unit/test_broken.py --update-golden"


def read(path: Path) -> Loaded:
    """The case as a theme, or as a config when its name says so; the themes it can name are in the folder `themes`."""
    kind = "config" if path.name.startswith("config-") else "theme"
    themes = FOLDER / "themes"
    return read_theme_file(str(path), home=None, config_dir=str(FOLDER), kind=kind, bundled=str(themes))


def report(loaded: Loaded) -> str:
    """Everything that is said about a file, and the notice that a status line would show below it."""
    built = build(loaded)
    blocks = [render(problem, loaded.text(problem)) for problem in built.problems]
    announced = next((p for weight in ("fatal", "part") for p in built.problems if p.weight == weight), None)
    blocks.append("drawn: " + ("classic" if built.failed else "the theme"))
    blocks += ["notice: " + notice(announced)] if announced else []
    return "\n\n".join(blocks).replace(str(FOLDER) + "/", "") + "\n"


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_report(path: Path, update_golden: bool) -> None:
    """The report is the one beside the file, to the letter."""
    golden = path.with_suffix(".txt")
    said = report(read(path))
    if update_golden:
        golden.write_text(said, encoding="utf-8", newline="\n")
    expected = golden.read_text(encoding="utf-8") if golden.exists() else ""
    assert said == expected, f"rewrite with: {UPDATE}"


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_problems_are_placed_and_clean(path: Path) -> None:
    """Each problem names a file, lies inside it, and says nothing that a terminal would obey."""
    loaded = read(path)
    problems: list[Problem] = build(loaded).problems
    assert problems
    for problem in problems:
        assert problem.span is not None
        text = loaded.text(problem)
        if problem.span.line is not None:
            assert text is not None
            line = text.split("\n")[problem.span.line - 1]
            assert problem.span.column is None or 1 <= problem.span.column <= len(line) + 1
        message = problem.message + (problem.help or "")
        assert not any(invisible(character) for character in message)
        assert message[0].islower() or not message[0].isalpha()
        assert not problem.message.endswith(".")
        for drawn in render(problem, text).split("\n"):
            assert len(drawn) <= LINE_LIMIT
        assert len(notice(problem)) <= 120


def test_every_report_belongs_to_a_case() -> None:
    """No report is left over from a case that is gone."""
    assert {path.stem for path in FOLDER.glob("*.txt")} == {path.stem for path in CASES}
    assert len(CASES) >= 60
