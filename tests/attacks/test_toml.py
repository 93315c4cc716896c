"""Every hostile theme file is refused with one clean line or read within the limits; OHUD_ATTACKS names more."""

import json
import os
import resource
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pace import bound

from ohud.errors import LINE_LIMIT, invisible, notice, render
from ohud.theme.read import Loaded, read_theme_file

FOLDER = Path(os.environ.get("OHUD_ATTACKS") or Path(__file__).parent) / "toml"
ITEMS: list[dict[str, Any]] = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
SECRET = "SECRET-CANARY-VALUE"
MILLISECONDS = 100
MEGABYTES = 32
_LINES = {
    "KEYS": lambda n: f"k{n} = {n}\n",
    "TABLES": lambda n: f"[t{n}]\nx = 1\n",
    "DOTTED": lambda n: "a." * 100 + f"k{n} = 1\n",
}


def pieces(item: dict[str, Any]) -> Iterator[str]:
    """The text of a generated item in pieces, so that a test of memory does not hold it whole."""
    for text, times in item["parts"]:
        if text in _LINES:
            yield from (_LINES[text](number) for number in range(times))
            continue
        at_once = max(1, 65536 // len(text))
        yield from (text * min(at_once, times - done) for done in range(0, times, at_once))


@pytest.fixture
def theme_file(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """The file of one item."""
    item = request.param
    if "parts" not in item:
        yield FOLDER / item["file"]
        return
    path = tmp_path / item["file"]
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(pieces(item))
    yield path
    path.unlink()


def read(path: Path) -> Loaded:
    return read_theme_file(str(path), home="/nowhere", config_dir=str(path.parent / "none"), kind="theme")


def peak_megabytes() -> float:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def spoken(loaded: Loaded) -> list[str]:
    """Every line that a person would get to read."""
    lines = []
    for problem in loaded.problems:
        lines += [notice(problem), *render(problem, loaded.text(problem)).split("\n")]
    return lines


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    """The cold start is not part of what is measured."""
    read(FOLDER / "type-confusion.toml")


@pytest.mark.parametrize(
    ("item", "theme_file"),
    [(item, item) for item in ITEMS],
    ids=[item["file"] for item in ITEMS],
    indirect=["theme_file"],
)
def test_hostile_file(item: dict[str, Any], theme_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The outcome is the expected one, in time and memory, and what is said about it is clean."""
    monkeypatch.setenv("OHUD_CANARY", SECRET)
    begin, before = time.thread_time(), peak_megabytes()
    loaded = read(theme_file)
    lines = spoken(loaded)
    assert (time.thread_time() - begin) * 1000 < bound(MILLISECONDS)
    assert peak_megabytes() - before < MEGABYTES
    allowed = {
        "rejected": {True},
        "harmless": {False},
        "bounded": {True, False},
        "harmless or rejected": {True, False},
    }[item["expect"]]
    assert loaded.failed in allowed, lines
    assert (loaded.theme.template or loaded.theme.layout) is not None
    assert loaded.failed == any(problem.weight == "fatal" for problem in loaded.problems)
    for line in lines:
        assert len(line) <= LINE_LIMIT
        assert not any(invisible(character) for character in line), line
        assert SECRET not in line
        for banned in item.get("must_not_contain", []):
            assert banned not in line


def test_the_folder_has_items() -> None:
    """The corpus is there, so that the tests above ran."""
    assert len(ITEMS) >= 60 or "OHUD_ATTACKS" in os.environ


def test_control_nesting_overthrows_the_parser() -> None:
    """The plain parser answers deep nesting with an error that is no TOML error."""
    with pytest.raises(RecursionError):
        tomllib.loads("x = " + "[" * 5000 + "]" * 5000)


def test_control_long_number_is_no_toml_error() -> None:
    """The plain parser answers a number of 5,000 digits with a plain ValueError."""
    with pytest.raises(ValueError, match="digits") as raised:
        tomllib.loads("x = " + "9" * 5000)
    assert not isinstance(raised.value, tomllib.TOMLDecodeError)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="newer parsers are not quadratic any more")
def test_control_dotted_key_is_quadratic() -> None:
    """The plain parser needs far more than four times as long for a key of four times as many parts."""

    def seconds(parts: int) -> float:
        best = 9.0
        for _ in range(2):
            begin = time.thread_time()
            tomllib.loads("a" + ".a" * parts + " = 1")
            best = min(best, time.thread_time() - begin)
        return best

    assert seconds(1600) > 6 * seconds(400)


def test_control_plain_parser_lets_hidden_text_through() -> None:
    """The plain parser takes an escape sequence and a bidirectional mark as ordinary text."""
    assert tomllib.loads('name = "\\u001b[2J"')["name"] == "\x1b[2J"
    assert tomllib.loads('name = "\u202eexe"')["name"] == "\u202eexe"
