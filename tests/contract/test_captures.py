"""
Every recorded payload gives a line in the plain themes at every width; test_gallery.py looks at all the others.

A dozen are kept as text under tests/golden/, the rest as digests beside them; `pytest --update-golden` writes both.
"""

import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import screen
from launch import Input
from session import HOST_HOME, PLAIN_THEMES, Session, at_home, captured, repository

from ohud.run import program, status
from ohud.run.world import World

GOLDEN = Path(__file__).parent.parent / "golden"
DIGESTS = "digests.txt"
UPDATE = "to accept it: pytest --update-golden tests/contract/test_captures.py"
WIDTHS = (20, 40, 80, 120, 200, None)
MARGIN = 4
# One moment of the recorded sessions, so that countdowns stand still.
NOW = 1796037700.0
CHOSEN = (
    "2.1.215-main-01-before-first",
    "2.1.215-main-05-during-subagent",
    "2.1.215-main-11-over-200k",
    "2.1.215-rl-oauth-b-after",
    "2.1.332-cache-expired",
    "2.1.332-compact-c-compact",
    "2.1.332-main-02-after-first",
    "2.1.332-main-10-near-200k",
    "2.1.332-ratelimit-expiry-b",
    "2.1.332-ratelimit-float",
    "2.1.332-unicode-dir-b-after",
    "2.1.332-worktree-session-b-after",
)
CHOSEN_WIDTHS = (40, 120)
SAMPLE = ("2.1.215-main-11-over-200k", "2.1.332-ratelimit-float", "2.1.332-unicode-dir-b-after")
PAYLOADS = captured()


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A user with a repository where the recordings have theirs; the zone is pinned for clock times."""
    made = Session(tmp_path_factory.mktemp("captures"))
    repository(made.home / "project")
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    yield made
    os.environ.pop("TZ")
    if before is not None:
        os.environ["TZ"] = before
    time.tzset()


@pytest.fixture(scope="module", params=PLAIN_THEMES)
def theme(request: pytest.FixtureRequest) -> str:
    """Each shipped theme."""
    return str(request.param)


@pytest.fixture(scope="module")
def texts(session: Session, theme: str) -> dict[tuple[str, int | None], str]:
    """What the theme makes of every payload at every width, rendered in this process."""
    compiled = program.load(World(session.env()), theme)
    return {
        (name, width): render(session, compiled, payload, width)
        for name, payload in PAYLOADS.items()
        for width in WIDTHS
    }


def render(session: Session, compiled: dict[str, Any], payload: bytes, width: int | None) -> str:
    """One payload at one width, with clock, home, colour and columns pinned."""
    columns = {} if width is None else {"COLUMNS": str(width)}
    world = World(session.env(**columns), NOW)
    return status.render(at_home(payload, session.home), compiled, world)


def readable(text: str, session: Session) -> str:
    """Printed text as it is kept: escapes spelled, the scratch home under its recorded name."""
    return text.replace(str(session.home), HOST_HOME).replace("\x1b", "<ESC>")


def test_the_recordings_are_there() -> None:
    """Both host versions, and every chosen payload."""
    assert len(PAYLOADS) > 150
    assert set(CHOSEN) | set(SAMPLE) <= set(PAYLOADS)


def test_something_fits_at_every_width(texts: dict[tuple[str, int | None], str]) -> None:
    """Something is printed, nothing but our own escapes, and no line is wider than the usable width."""
    for (name, width), text in texts.items():
        assert screen.plain(text).strip(), f"{name} at {width}: nothing printed"
        assert screen.faults(text) == [], f"{name} at {width}"
        for line in screen.plain(text).split("\n"):
            assert screen.cells(line) <= (1000 if width is None else width - MARGIN), f"{name} at {width}: {line}"


@pytest.mark.parametrize("name", CHOSEN)
@pytest.mark.parametrize("width", CHOSEN_WIDTHS)
def test_golden(
    name: str,
    width: int,
    theme: str,
    texts: dict[tuple[str, int | None], str],
    session: Session,
    update_golden: bool,
) -> None:
    """The chosen payloads give the text that is kept."""
    path = GOLDEN / theme / f"{name}-{width}.txt"
    text = readable(texts[name, width], session)
    if update_golden:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    kept = path.read_text("utf-8") if path.exists() else ""
    at = next((i for i, (a, b) in enumerate(zip(text, kept, strict=False)) if a != b), min(len(text), len(kept)))
    assert text == kept, f"{path.name} differs at character {at}: {text[at : at + 40]!r}; {UPDATE}"


def test_digests(theme: str, texts: dict[tuple[str, int | None], str], session: Session, update_golden: bool) -> None:
    """All others give the text whose digest is kept."""
    found = {
        f"{name} {width or 'none'}": hashlib.sha256(readable(text, session).encode()).hexdigest()[:16]
        for (name, width), text in texts.items()
        if not (name in CHOSEN and width in CHOSEN_WIDTHS)
    }
    path = GOLDEN / theme / DIGESTS
    if update_golden:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{key} {found[key]}\n" for key in sorted(found)), "utf-8")
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    kept = dict(line.rsplit(" ", 1) for line in lines)
    differing = sorted(key for key in found.keys() | kept.keys() if found.get(key) != kept.get(key))
    assert not differing, f"{theme}: {len(differing)} differ, first: {differing[0]}; {UPDATE}"


def test_no_golden_file_is_left_over() -> None:
    """Every kept file belongs to a theme and a chosen payload."""
    wanted = {DIGESTS} | {f"{name}-{width}.txt" for name in CHOSEN for width in CHOSEN_WIDTHS}
    assert {path.name for path in GOLDEN.iterdir()} == {*PLAIN_THEMES, "gallery"}
    for theme in PLAIN_THEMES:
        assert {path.name for path in (GOLDEN / theme).iterdir()} == wanted, theme


@pytest.mark.parametrize("name", SAMPLE)
def test_the_real_command_prints_the_same(
    name: str, theme: str, texts: dict[tuple[str, int | None], str], session: Session
) -> None:
    """A fresh process gives what the render in this process gave."""
    session.configure(f'theme = "{theme}"\n')
    payload = at_home(PAYLOADS[name], session.home)
    for width in (80, None):
        columns = {} if width is None else {"COLUMNS": str(width)}
        assert session.line(Input(payload), OHUD_NOW=str(NOW), **columns) == texts[name, width]


def test_recordings_hold_no_real_names() -> None:
    """No home but the recorded one, no mail address but the examples'."""
    import re

    for name, payload in PAYLOADS.items():
        text = payload.decode()
        assert set(re.findall(r"/(?:home|Users)/(\w+)", text)) <= {"user"}, name
        assert re.findall(r"[\w.]+@(?!example\.)[\w.-]+\.\w+", text) == [], name
