"""The program cache is a help and no source of truth: whatever is in it, the line is right and the status 0."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import screen
from launch import STATUS_LINE, Input
from session import Session

from ohud.run.program import digest

THEME = """
name = "mine"
template = "{{ model }} %s {{ percent }}"
[segments]
model = "model.display_name"
percent = "context_window.used_percentage"
"""
PAYLOAD = {"model": {"display_name": "Opus"}, "context_window": {"used_percentage": 42}}
LINE = "Opus one 42\n"
TWO = "Opus two 42\n"


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A user of a theme of their own, compiled once."""
    made = Session(tmp_path)
    theme_file(made).write_text(THEME % "one")
    made.configure(f"theme = {json.dumps(str(theme_file(made)))}\n")
    assert made.line(PAYLOAD) == LINE
    return made


def theme_file(session: Session) -> Path:
    """Where the user keeps the theme."""
    return session.home / "mine.toml"


def cached(session: Session) -> Path:
    """The one compiled program."""
    (path,) = (session.cache / "ohud").glob("*.json")
    return path


def stamp(session: Session) -> tuple[int, int]:
    """Tells whether the cached program was written anew."""
    facts = cached(session).stat()
    return facts.st_ino, facts.st_mtime_ns


def test_the_program_is_kept_and_used(session: Session) -> None:
    """A second refresh takes what the first has kept: private, and not written again."""
    before = stamp(session)
    assert session.line(PAYLOAD) == LINE
    assert stamp(session) == before
    if os.name == "posix":
        assert cached(session).stat().st_mode & 0o777 == 0o600
        assert cached(session).parent.stat().st_mode & 0o777 == 0o700


def test_the_cached_program_is_what_runs(session: Session) -> None:
    """The control for all below: a program changed in the cache does change the line."""
    program = program_of(cached(session).read_bytes())
    assert "one" in json.dumps(program["template"])
    program["template"] = json.loads(json.dumps(program["template"]).replace("one", "changed"))
    cached(session).write_bytes(sealed(program))
    assert session.line(PAYLOAD) == "Opus changed 42\n"


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda raw: b"",
    "half": lambda raw: raw[: len(raw) // 2],
    "all but one byte": lambda raw: raw[:-1],
    "zeros": lambda raw: bytes(len(raw)),
    "noise": lambda raw: bytes(range(256)) * 20,
    "not an object": lambda raw: b"[1, 2]",
    "null": lambda raw: b"null",
    "an empty object": lambda raw: b"{}",
    "another program's": lambda raw: b'{"version": 3, "entries": []}',
    "another format": lambda raw: changed(raw, format=999),
    "format as text": lambda raw: changed(raw, format="1"),
    "another version of ohud": lambda raw: changed(raw, ohud="0.0.0"),
    "no version": lambda raw: changed(raw, ohud=None),
    "no sources": lambda raw: changed(raw, sources=[]),
    "sources of another kind": lambda raw: changed(raw, sources={"a": 1}),
    "a source cut short": lambda raw: changed(raw, sources=[["/x"]]),
    "a source that is a number": lambda raw: changed(raw, sources=[7]),
    "another source": lambda raw: changed(raw, sources=[["/nowhere/theme.toml", 1, 2, 3]]),
    "marshalled code": lambda raw: b"\xa7\r\r\n" + bytes(12) + b"\xe3" * 100,
    "too large": lambda raw: raw + b" " * 400_000,
    "deep": lambda raw: b"[" * 100_000,
    "other letters": lambda raw: raw.replace(b"one", b"two"),
    "a key gone": lambda raw: raw.replace(b'"newline"', b'"newlime"'),
    "another program with this digest": lambda raw: json.dumps({**program_of(raw), "margin": 7}).encode() + raw[-16:],
    "no digest": lambda raw: raw[:-16],
}


def program_of(raw: bytes) -> dict[str, Any]:
    """The program that a file of the cache holds."""
    found: dict[str, Any] = json.JSONDecoder().raw_decode(raw.decode())[0]
    return found


def sealed(program: dict[str, Any]) -> bytes:
    """A program as the cache has it, with the digest that belongs to it."""
    data = json.dumps(program).encode()
    return data + digest(data)


def changed(raw: bytes, **keys: Any) -> bytes:
    """A program with some of its keys changed."""
    return sealed({**program_of(raw), **keys})


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_file_costs_a_compilation(name: str, session: Session) -> None:
    """A cache file that is damaged, cut, foreign or of another version is written anew."""
    path = cached(session)
    whole = path.read_bytes()
    path.write_bytes(DAMAGE[name](whole))
    assert session.line(PAYLOAD) == LINE
    if name != "too large":
        assert path.read_bytes() == whole


WRONG: list[Any] = [None, True, 7, -1.5, "text", [], [[]], [1, [2, [3]]], {}, {"a": {"b": []}}, ["out", ["name", "x"]]]
KEYS = ["segments", "template", "palette", "limits", "fallback", "margin", "color", "columns", "notice"]


@pytest.mark.parametrize("key", [*KEYS, "newline", "settings", "links", "notices", "faults"])
def test_a_forged_program_is_just_a_bad_theme(key: str, session: Session) -> None:
    """A program whose stamps are right and whose content is nonsense: any line, status 0, no crash."""
    path = cached(session)
    whole = path.read_bytes()
    assert key in program_of(whole)
    for value in WRONG:
        path.write_bytes(changed(whole, **{key: value}))
        assert screen.faults(session.line(PAYLOAD)) == []


@pytest.mark.skipif(os.name != "posix", reason="links and modes as on POSIX")
def test_a_file_that_others_may_write_is_not_read(session: Session) -> None:
    """Neither a link nor a file or folder open to others is trusted."""
    path = cached(session)
    forged = sealed(json.loads(json.dumps(program_of(path.read_bytes())).replace("one", "two")))
    path.write_bytes(forged)
    path.chmod(0o666)
    assert session.line(PAYLOAD) == LINE
    elsewhere = session.root / "elsewhere.json"
    elsewhere.write_bytes(forged)
    path.unlink()
    path.symlink_to(elsewhere)
    assert session.line(PAYLOAD) == LINE
    assert elsewhere.read_bytes() == forged


def blocked_by_a_file(session: Session) -> dict[str, str | None]:
    (session.root / "file").write_text("")
    return {"XDG_CACHE_HOME": str(session.root / "file")}


def blocked_by_another_file(session: Session) -> dict[str, str | None]:
    (session.root / "taken").mkdir()
    (session.root / "taken" / "ohud").write_text("")
    return {"XDG_CACHE_HOME": str(session.root / "taken")}


def read_only(session: Session) -> dict[str, str | None]:
    if os.name != "posix" or os.geteuid() == 0:
        pytest.skip("modes do not bind this user")
    (session.root / "shut").mkdir(mode=0o500)
    return {"XDG_CACHE_HOME": str(session.root / "shut")}


def in_the_kernel(session: Session) -> dict[str, str | None]:
    if not Path("/proc/self").is_dir():
        pytest.skip("no /proc")
    return {"XDG_CACHE_HOME": "/proc/self/nowhere"}


def missing(session: Session) -> dict[str, str | None]:
    return {"XDG_CACHE_HOME": str(session.root / "not" / "yet" / "there")}


def no_home(session: Session) -> dict[str, str | None]:
    config = session.conf / "ohud" / "config.toml"
    return {"XDG_CACHE_HOME": None, "HOME": None, "OHUD_CONFIG": str(config)}


NOWHERE = [blocked_by_a_file, blocked_by_another_file, read_only, in_the_kernel, missing, no_home]


@pytest.mark.parametrize("place", NOWHERE, ids=lambda place: place.__name__)
def test_no_place_for_the_cache(place: Callable[[Session], dict[str, str | None]], session: Session) -> None:
    """Without a cache folder each refresh compiles, and the line is the same."""
    env = place(session)
    for _ in range(2):
        assert session.line(PAYLOAD, **env) == LINE


def started(session: Session) -> "subprocess.Popen[bytes]":
    """A refresh that waits for its input."""
    pipe = subprocess.PIPE
    return subprocess.Popen(STATUS_LINE, env=session.env(), cwd=session.home, stdin=pipe, stdout=pipe, stderr=pipe)


def test_many_compile_at_once(session: Session) -> None:
    """Processes that meet an empty cache together all print the line, and leave one program and nothing else."""
    cached(session).unlink()
    many = [started(session) for _ in range(4)]
    data = json.dumps(PAYLOAD).encode()
    for process in many:
        assert process.stdin
        process.stdin.write(data)
        process.stdin.close()
        process.stdin = None
    for process in many:
        out, err = process.communicate(timeout=20)
        assert (process.returncode, out.decode(), err) == (0, LINE, b"")
    assert len(list((session.cache / "ohud").iterdir())) == 1
    before = stamp(session)
    assert session.line(PAYLOAD) == LINE
    assert stamp(session) == before


# A change is seen at the next refresh


def test_the_theme_is_edited(session: Session) -> None:
    """New text of the same length in the same file."""
    facts = theme_file(session).stat()
    theme_file(session).write_text(THEME % "two")
    os.utime(theme_file(session), ns=(facts.st_atime_ns, facts.st_mtime_ns + 1_000_000))
    assert session.line(PAYLOAD) == TWO


def test_the_theme_is_copied_over(session: Session) -> None:
    """New text of the same length in the same file, with the old time: a copy that keeps its times."""
    facts = theme_file(session).stat()
    # The next tick of the disk's clock.
    time.sleep(0.05)
    theme_file(session).write_text(THEME % "two")
    os.utime(theme_file(session), ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert session.line(PAYLOAD) == TWO


def test_the_theme_is_replaced(session: Session) -> None:
    """Another file under the same name, as editors save, even with the old time and size."""
    facts = theme_file(session).stat()
    fresh = theme_file(session).with_suffix(".new")
    fresh.write_text(THEME % "two")
    os.utime(fresh, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    fresh.replace(theme_file(session))
    assert session.line(PAYLOAD) == TWO


def test_the_theme_goes_and_comes_back(session: Session) -> None:
    """A theme that is gone is said so; once it is back it is drawn."""
    kept = theme_file(session).rename(theme_file(session).with_suffix(".kept"))
    assert "ohud check" in session.line(PAYLOAD)
    kept.rename(theme_file(session))
    assert session.line(PAYLOAD) == LINE


def test_a_config_appears_and_changes(tmp_path: Path) -> None:
    """A user without a config gets the default theme, and their config as soon as there is one."""
    session = Session(tmp_path)
    assert "[Opus]" in screen.plain(session.line(PAYLOAD))
    path = session.configure('theme = "oneline"\n')
    assert screen.plain(session.line(PAYLOAD)) == "Opus  42%"
    session.configure('theme = "oneline"\nseparator = " | "\n')
    assert screen.plain(session.line(PAYLOAD)) == "Opus | 42%"
    path.unlink()
    assert "[Opus]" in screen.plain(session.line(PAYLOAD))


def test_the_extended_theme_changes(session: Session) -> None:
    """A change of the theme that another extends is a change of both."""
    folder = session.conf / "ohud" / "themes"
    folder.mkdir(parents=True)
    base = folder / "base.toml"
    base.write_text(THEME % "one")
    (folder / "mine.toml").write_text('extends = "base"\nname = "mine"\n')
    session.configure('theme = "mine"\n')
    assert session.line(PAYLOAD) == LINE
    base.write_text((THEME % "two") + "\n")
    assert session.line(PAYLOAD) == TWO


def test_two_configs_do_not_share_a_program(session: Session) -> None:
    """Each config has a cache file of its own."""
    other = session.root / "other.toml"
    other.write_text('template = "{{ m }}"\n[segments]\nm = "model.display_name"\n')
    assert session.line(PAYLOAD, OHUD_CONFIG=str(other)) == "Opus\n"
    before = sorted((session.cache / "ohud").glob("*.json"))
    assert session.line(PAYLOAD) == LINE
    assert session.line(PAYLOAD, OHUD_CONFIG=str(other)) == "Opus\n"
    assert len(before) == 2 and sorted((session.cache / "ohud").glob("*.json")) == before


@pytest.mark.skipif(sys.platform == "win32", reason="pipes as on POSIX")
def test_a_first_run_without_input_keeps_the_program_too(tmp_path: Path) -> None:
    """The theme is compiled whether or not input comes, so that the next refresh is quick."""
    session = Session(tmp_path)
    assert "no stdin" in session.line(Input(b""))
    before = stamp(session)
    assert "Opus" in session.line(PAYLOAD)
    assert stamp(session) == before
