"""What is written on a refresh, and what stands in its way."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ohud.run import keep

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links and pipes need no privilege here")


def to_link(path: Path, victim: Path) -> None:
    path.symlink_to(victim)


def to_pipe(path: Path, victim: Path) -> None:
    os.mkfifo(path)


def to_folder(path: Path, victim: Path) -> None:
    path.mkdir()


def to_full_folder(path: Path, victim: Path) -> None:
    path.mkdir()
    (path / "kept").write_text("kept")


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A file outside of the cache that nothing may happen to."""
    made = tmp_path / "victim"
    made.write_text("as it was")
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A private cache."""
    made = tmp_path / "cache"
    made.mkdir(mode=0o700)
    return made


makes = pytest.mark.parametrize("make", [to_link, to_pipe, to_folder, to_full_folder])


@makes
def test_nothing_stands_in_the_way_of_a_file(make: Callable[[Path, Path], None], folder: Path, victim: Path) -> None:
    """Or every refresh would do the work again whose outcome it cannot keep; what a folder holds is not deleted."""
    make(folder / "program-x.json", victim)
    assert keep.write(str(folder), "program-x.json", b"{}")
    assert (folder / "program-x.json").read_bytes() == b"{}"
    assert not (folder / "program-x.json").is_symlink()
    assert victim.read_text() == "as it was"
    assert len(list(folder.rglob("kept"))) == (make is to_full_folder)
    assert len(list(folder.iterdir())) == 1 + (make is to_full_folder)


@makes
def test_nothing_stands_in_the_way_of_the_log(make: Callable[[Path, Path], None], folder: Path, victim: Path) -> None:
    """It is what `ohud doctor` has to go by."""
    make(folder / "errors.log", victim)
    keep.note(str(folder), "said", 0.0)
    assert (folder / "errors.log").read_text().endswith(" said\n")
    assert victim.read_text() == "as it was"


def test_folder_is_made_with_all_above_it(tmp_path: Path) -> None:
    """However deep XDG_CACHE_HOME is; nobody else may look into any of them."""
    folder = tmp_path / "a" / "b" / "c" / "d" / "ohud"
    assert keep.write(str(folder), "x", b"kept")
    assert (folder / "x").read_bytes() == b"kept"
    for made in (folder, *folder.parents[:4]):
        assert made.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("above", ["/dev/null/a/b", "/proc/1/a/b", "/proc/none/a", "/proc/none" + "/a" * 2000])
def test_folder_that_cannot_be_made(above: str) -> None:
    """That costs what would be kept, and nothing else."""
    assert not keep.write(above + "/ohud", "x", b"kept")


def test_a_home_that_is_missing_is_not_made(tmp_path: Path) -> None:
    """Accounts of services have one that must not come into being."""
    assert not keep.write(str(tmp_path / "nobody" / ".cache" / "ohud"), "x", b"kept")
    assert not (tmp_path / "nobody").exists()
    (tmp_path / "nobody").mkdir()
    assert keep.write(str(tmp_path / "nobody" / ".cache" / "ohud"), "x", b"kept")
