"""When the real host runs a status line, and when it ends a run: what `ohud install` and `ohud doctor` warn of."""

import time

import pytest
from host.real import Host

pytestmark = pytest.mark.host


def test_changes_in_quick_succession_are_one_run(real_host: Host) -> None:
    """Six changes of the permission mode within a second: one run, 0.3 s after the last."""
    real_host.write_settings(statusLine=real_host.recorded("echo at rest", "modes"))
    with real_host.session(80) as session:
        assert session.comes("at rest", 0).whole(), session.screen()
        time.sleep(1)
        before = real_host.runs("modes")
        session.terminal.press(*["BTab"] * 6)
        time.sleep(1.5)
        assert len(real_host.runs("modes")) == len(before) + 1


def test_a_run_longer_than_the_interval_is_never_shown(real_host: Host) -> None:
    """With a refresh each second a command that takes two is ended each time."""
    slow = {**real_host.recorded("sleep 2; echo slow", "slow"), "refreshInterval": 1}
    real_host.write_settings(statusLine=slow)
    with real_host.session(80) as session:
        time.sleep(6)
        ends = {run.end for run in real_host.runs("slow")}
        assert ends == {"killed"} and session.view().rows == [], session.screen()
