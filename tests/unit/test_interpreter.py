"""Which Python is taken, and what is said of the others."""

import os
import shutil
import stat
import sys
import sysconfig
from pathlib import Path

import pytest

from ohud.host import interpreter
from ohud.host.interpreter import Interpreter, candidates, entry, examine, fastest, measure, stays
from ohud.host.splice import Refused


def known(path: str, least: float | None, stays: bool = True, reason: str | None = None) -> Interpreter:
    """A measured interpreter."""
    return Interpreter(path, (3, 12), stays, reason, least, least)


def test_fastest() -> None:
    """The fastest of those that stay."""
    own, base, system = known("/own", 20.0), known("/base", 15.0), known("/system", 17.0)
    assert fastest([own, base, system]) == base
    assert fastest([own, known("/base", 15.0, stays=False), system]) == system


def test_own_is_kept_for_a_hair() -> None:
    """A difference that two runs show as well is none."""
    assert fastest([known("/own", 15.0), known("/base", 14.9)]).path == "/own"


def test_one_that_passes_when_there_is_no_other() -> None:
    """Better one that may vanish than none."""
    broken = known("/system", None, reason="it is Python 3.9, older than 3.11")
    assert fastest([known("/tmp/own", 15.0, stays=False), broken]).path == "/tmp/own"


def test_none() -> None:
    """With none the reasons are named."""
    with pytest.raises(Refused, match=r"/system: it is Python 3\.9"):
        fastest([known("/system", None, reason="it is Python 3.9, older than 3.11")])
    with pytest.raises(Refused):
        fastest([])


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("/usr/bin/python3", True),
        ("/home/u/.venv/bin/python", True),
        ("/home/u/.local/share/uv/tools/ohud/bin/python", True),
        ("/tmp/x/bin/python", False),
        ("/var/tmp/x/python", False),
        ("/home/u/.cache/uv/archive-v0/x/bin/python", False),
        ("/var/folders/aa/T/pip-build-env-x/bin/python", False),
        ("/home/u/p/.tox/py/bin/python", False),
        ("/home/u/tmp/venv/bin/python", True),
    ],
)
def test_stays(path: str, answer: bool) -> None:
    """Folders for passing things."""
    assert stays(path) is answer


def test_the_running_one_can_be_used() -> None:
    """It is a candidate, has a version, finds the packages, and a refresh of it takes some time."""
    assert sys.executable in candidates()
    assert os.path.isabs(entry()) and os.path.isfile(entry())
    one = examine(sys.executable)
    assert one.version == sys.version_info[:2]
    if one.reason is not None:
        pytest.skip(f"this environment's packages are elsewhere: {one.reason}")
    measured = measure([one], rounds=2)
    assert measured[0].least_ms is not None and measured[0].usual_ms is not None
    assert 0 < measured[0].least_ms <= measured[0].usual_ms < 10_000


@pytest.mark.skipif(sys.platform == "win32", reason="scripts of POSIX")
@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo 3 9 cpython; exit 1", "it is Python 3.9, older than 3.11"),
        ("echo 3 12 cpython; exit 1", "it does not find jinja2 and jmespath"),
        ("echo hello", "it is no Python"),
        ("exit 3", "it is no Python"),
    ],
)
def test_reasons(script: str, reason: str, tmp_path: Path) -> None:
    """Why an interpreter is not taken."""
    path = tmp_path / "python3"
    path.write_text("#!/bin/sh\n" + script + "\n")
    path.chmod(0o755)
    found = examine(str(path)).reason
    assert found is not None and found.startswith(reason)


def test_not_there(tmp_path: Path) -> None:
    """A path with nothing at it."""
    found = examine(str(tmp_path / "python3")).reason
    assert found is not None and found.startswith("it does not run")


@pytest.mark.skipif(sys.platform == "win32", reason="scripts of POSIX")
def test_a_start_that_fails(tmp_path: Path) -> None:
    """One that cannot start ohud is not measured further."""
    path = tmp_path / "python3"
    path.write_text("#!/bin/sh\ncat > /dev/null\nexit 7\n")
    path.chmod(0o755)
    assert measure([Interpreter(str(path), (3, 12))])[0].reason == "a start of ohud ended with status 7"


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
def test_candidates_are_different_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two links to one interpreter are one candidate; one inside a virtual environment is its own."""
    real = shutil.which("sh") or "/bin/sh"
    for name in ("venv", "base", "other"):
        (tmp_path / name / "bin").mkdir(parents=True)
        (tmp_path / name / "bin" / "python3").symlink_to(real)
    (tmp_path / "venv" / "pyvenv.cfg").write_text("")
    paths = [str(tmp_path / name / "bin" / "python3") for name in ("venv", "base", "other")]
    monkeypatch.setattr(sys, "executable", paths[0])
    monkeypatch.setattr(sys, "_base_executable", paths[1], raising=False)
    monkeypatch.setattr(interpreter, "_SYSTEM", (paths[2], str(tmp_path / "not-there")))
    assert candidates() == paths[:2]
    assert stat.S_ISLNK(os.lstat(paths[0]).st_mode) and sysconfig.get_platform()
