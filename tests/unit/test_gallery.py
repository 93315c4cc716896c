"""The generated gallery: a picture of every theme, and the page that shows them."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    """The tool that draws them."""
    spec = importlib.util.spec_from_file_location("make_pictures", ROOT / "tests" / "tools" / "make_pictures.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_gallery_is_current(maker: ModuleType) -> None:
    """Pictures and page are what the tool draws today (else: python tests/tools/make_pictures.py)."""
    assert maker.outdated() == []


def test_pictures_are_small(maker: ModuleType) -> None:
    """A page of them is loaded at once, so none is large."""
    sizes = {path.name: path.stat().st_size for path in (ROOT / "themes" / "pictures").iterdir()}
    assert sizes and {name for name, size in sizes.items() if size > maker.LARGEST} == set()


def test_shown_themes_exist(maker: ModuleType) -> None:
    """What is said of the way a theme is shown is of a theme and scenarios that exist."""
    themes = {path.stem for path in (ROOT / "themes").glob("*.toml")}
    assert {*maker.SHOWN, *maker.OVERVIEW} <= themes
    known = set(maker.scenarios.names())
    assert {name for shown in maker.SHOWN.values() for name in shown.scenarios} <= known


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("bar = true # wide ones", ("bar", "wide ones")),
        ('mark = "#" # between parts', ("mark", "between parts")),
        ('mark = "#"', ("mark", "")),
        ("# only words", ("", "only words")),
        ("broken =", ("", "")),
    ],
)
def test_comments_of_options(line: str, wanted: tuple[str, str], maker: ModuleType) -> None:
    """What an author writes beside an option is told from what is in its value."""
    assert maker.option_of(line) == wanted


def test_comments_above_options(maker: ModuleType) -> None:
    """Lines of comment above an option are said of it, and of nothing below it."""
    text = "[options]\n# What is\n# shown.\na = 1\nb = 2\n\n[palette]\n# no option\nc = 3\n"
    assert maker.remarks(text) == {"a": "What is shown.", "b": ""}
