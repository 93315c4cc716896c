"""`ohud install` in the real host: the line is there while the session runs, and `ohud uninstall` leaves no trace."""

import json
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from host import real
from host.real import Host, Session
from launch import REPOSITORY

pytestmark = pytest.mark.host
POWERLINE = Path(__file__).with_name("powerline.toml")
OHUD = f"PYTHONPATH={shlex.quote(str(REPOSITORY))} {shlex.quote(sys.executable)} -m ohud"


def test_first_install(real_host: Host) -> None:
    """A user without a status line installs ohud, starts a session and sees the line and the rows of agents."""
    real_host.config.unlink(missing_ok=True)
    real_host.write_settings()
    before = real_host.settings.read_bytes()
    code, said = real_host.run(f"{OHUD} install --subagents")
    assert code == 0, said
    with real_host.session(80) as session:
        session.terminal.say("agents")
        # Until the first run the host's own rows stand there.
        assert session.terminal.wait(lambda rows: running(session) == 2), session.screen()
        view = session.view()
        assert view.rows[0].startswith("  [") and "git:(feature/status)" in view.rows[0], session.screen()
        assert not any("…" in row for row in view.rows + view.agent_rows), session.screen()
    code, said = real_host.run(f"{OHUD} uninstall")
    assert code == 0, said
    assert real_host.settings.read_bytes() == before


def running(session: Session) -> int:
    """How many agents have a row of the classic theme that says that they run."""
    return sum(row.startswith("◐ ") for row in session.view().agent_rows)


@pytest.mark.parametrize(("theme", "padding"), [("classic", 0), ("oneline", -2), ("powerline", 2)])
def test_install(session: Session, theme: str, padding: int) -> None:
    """The installed command draws its theme whole in the place of another program's; that one comes back as it was."""
    host = session.host
    host.config.unlink(missing_ok=True)
    shutil.copy(POWERLINE, host.config.parent / "themes")
    other = session.show(f"echo somebody else, before {theme}", 1)
    assert other.whole(), session.screen()
    before = host.settings.read_bytes()

    code, said = host.run(f"{OHUD} install --replace --subagents --theme {theme} --padding {padding}")
    assert code == 0, said
    size = {"COLUMNS": str(session.columns), "LINES": str(real.LINES)}
    installed = json.loads(host.settings.read_bytes())["statusLine"]
    assert installed["padding"] == padding
    _, printed = host.run(installed["command"], other.runs[-1].stdin, **size)
    assert "ohud:" not in printed and session.comes(printed, padding).whole(), f"{printed}\n{session.screen()}"

    code, said = host.run(f"{OHUD} uninstall")
    assert code == 0, said
    assert host.settings.read_bytes() == before
    assert not host.config.exists()
    assert session.comes(other.printed, 1).whole(), session.screen()
