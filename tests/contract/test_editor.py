"""A theme in an editor that knows the schema: taplo, which editors run for TOML, reads it by its first line."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from launch import REPOSITORY

TAPLO = shutil.which("taplo", path=str(Path(sys.executable).parent)) or shutil.which("taplo")
SCHEMA = REPOSITORY / "schema" / "theme.schema.json"
THEMES = sorted((REPOSITORY / "themes").glob("*.toml"))
pytestmark = pytest.mark.skipif(TAPLO is None, reason="taplo has no build for this machine")


def lint(*files: Path) -> subprocess.CompletedProcess[str]:
    """What taplo says of files, each with the schema that its first line names."""
    command = [str(TAPLO), "lint", "--colors", "never", *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY, timeout=60)


def written(tmp_path: Path, text: str) -> Path:
    """A theme in a folder of its own, its first line naming the schema."""
    path = tmp_path / "mine.toml"
    path.write_text(f"#:schema {SCHEMA.as_uri()}\n{text}", "utf-8")
    return path


def test_every_shipped_theme_is_valid() -> None:
    """By the schema that its own first line points at."""
    assert all(path.read_text("utf-8").startswith("#:schema ../schema/theme.schema.json\n") for path in THEMES)
    outcome = lint(*THEMES)
    assert outcome.returncode == 0, outcome.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("newline = 3\n", "boolean"),
        ("[segments.a]\nvalue = 'x'\npriority = 'high'\n", "priority"),
        ("[segments.a]\nvalue = 'x'\nformt = '{{ value }}'\n", "formt"),
        ("nmae = 'x'\n", "nmae"),
        ("[limits]\nlines = 99\n", "99"),
        ("[palette]\naccent = [1]\n", "accent"),
    ],
)
def test_mistakes_are_flagged(tmp_path: Path, text: str, said: str) -> None:
    """A wrong type, a number out of range and a key that there is not."""
    outcome = lint(written(tmp_path, "template = 't'\n" + text))
    assert outcome.returncode != 0
    assert said in outcome.stderr
