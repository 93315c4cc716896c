"""The real host draws every row that ohud prints, whole, at every width and padding, in its colours, with its links."""

import json
import shlex
import shutil
from pathlib import Path

import pytest
from host import looks, real
from host.real import Host, Session, Shown
from launch import STATUS_LINE

from ohud.host.screen import draw, normalise
from ohud.host.version import VERSIONS

pytestmark = pytest.mark.host
COMMAND = shlex.join(STATUS_LINE)
POWERLINE = Path(__file__).with_name("powerline.toml")
ROWS = {"classic": 3, "oneline": 1, "powerline": 2}
LINKS = {"https://git.example.com/acme/widgets": "widgets", "https://www.example.com/claude-code": "v{version}"}


def show(session: Session, theme: str, padding: int, margin: int) -> Shown:
    """What the host shows of a theme."""
    shutil.copy(POWERLINE, session.host.config.parent / "themes")
    session.host.write_config(theme=theme, margin=margin, options={"seven_day_threshold": 50})
    return session.show(COMMAND, padding)


@pytest.mark.parametrize("padding", [-2, 0, 2])
@pytest.mark.parametrize("theme", ROWS)
def test_whole(session: Session, theme: str, padding: int) -> None:
    """Each line stands on a row of its own, nothing cut from it, every character as it was printed; one run did it."""
    shown = show(session, theme, padding, 4 + 2 * padding)
    assert shown.whole(), report(session, shown)
    assert [run.end for run in shown.runs] == ["0"], report(session, shown)
    assert len(shown.view.rows) == ROWS[theme], report(session, shown)
    for row, line in zip(shown.view.status, looks.lines(shown.printed.rstrip("\n")), strict=True):
        assert looks.seen(row[shown.indent :]) == looks.seen(line, looks.GREY)
    assert_emulated(session, shown, padding)


def assert_emulated(session: Session, shown: Shown, padding: int) -> None:
    """The emulator draws the same rows, cell by cell."""
    version = VERSIONS[session.host.version]
    rows = draw(normalise(shown.printed, version), session.columns, padding, version)
    emulated = looks.lines("\n".join(row.ansi() for row in rows))
    assert [looks.seen(row) for row in shown.view.status] == [looks.seen(row) for row in emulated]


@pytest.mark.parametrize("padding", [0, 2])
def test_smallest_margin(session: Session, padding: int) -> None:
    """With a margin one cell smaller the host cuts a row."""
    shown = show(session, "powerline", padding, 3 + 2 * padding)
    assert shown.there() and shown.view.rows[-1].endswith("…"), report(session, shown)
    assert_emulated(session, shown, padding)


def test_links(session: Session) -> None:
    """Hyperlinks reach the terminal, each around its own text."""
    assert show(session, "powerline", 0, 4).whole()
    sent = session.links()
    for address, text in LINKS.items():
        assert text.format(version=session.host.version) in sent.get(address, set()), sent


def test_what_the_command_sees(session: Session) -> None:
    """One JSON object and a line feed come on standard input, the terminal's size in the environment."""
    run = session.show("cat >/dev/null; echo seen", 0).runs[-1]
    payload = json.loads(run.stdin)
    assert run.stdin == json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
    assert (payload["version"], payload["cwd"]) == (session.host.version, real.PROJECT)
    assert (run.env["COLUMNS"], run.env["LINES"]) == (str(session.columns), str(real.LINES))
    assert run.env["CLAUDE_PROJECT_DIR"] == real.PROJECT


@pytest.mark.parametrize("padding", [-2, 0])
def test_drawn_again(real_host: Host, padding: int) -> None:
    """
    A row stays whole when only its surroundings are drawn again; not so in 2.1.215 with a negative padding.

    There the cells that it adds go blank, here those on the left, when the host's own hint goes (2026-11-30).
    """
    name = f"again{padding}"
    real_host.write_config(theme="oneline", margin=4 + 2 * padding)
    real_host.write_settings(statusLine={**real_host.recorded(COMMAND, name), "padding": padding})
    with real_host.session(80) as session:
        shown = session.settled(name, padding)
        assert shown.whole(), report(session, shown)
        assert session.terminal.wait(lambda rows: any(real.HINT in row for row in rows)), session.screen()
        session.without_hint()
        (row,), (whole,) = session.view().rows, shown.expected
        lost = -padding if real_host.version == "2.1.215" else 0
        assert row == " " * lost + whole[lost:]


def report(session: Session, shown: Shown) -> str:
    """What was printed and what is to be seen."""
    return "\n".join([f"{len(shown.runs)} runs; the last one printed:", shown.printed, "the screen:", session.screen()])
