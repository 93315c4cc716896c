"""The real host draws the rows that `ohud subagents` prints, whole and in their colours."""

import json
import shlex
import time

import pytest
from host import looks
from host.real import COLUMNS, Host, Session
from launch import STATUS_LINE
from screen import plain

pytestmark = pytest.mark.host
COMMAND = shlex.join([*STATUS_LINE, "subagents"])


@pytest.mark.parametrize("columns", COLUMNS)
def test_rows(real_host: Host, columns: int) -> None:
    """While agents run, each has the row that was printed for it, in the order of the tasks."""
    real_host.config.unlink(missing_ok=True)
    name = f"subagents-{columns}"
    real_host.write_settings(
        statusLine={"type": "command", "command": "echo above"}, subagentStatusLine=real_host.recorded(COMMAND, name)
    )
    with real_host.session(columns) as session:
        session.terminal.say("agents")
        contents = drawn(session, name)
        run = real_host.runs(name)[-1]
        tasks = json.loads(run.stdin)["tasks"]
        assert len(contents) == len(tasks) == 2, run
        assert "COLUMNS" not in run.env
        for row, content in zip(session.view().agents, contents, strict=True):
            (line,) = looks.lines(content)
            assert looks.seen(row) == looks.seen(line, looks.GREY)


def drawn(session: Session, name: str, limit_s: float = 15.0) -> list[str]:
    """What the last run printed for each task, once that is what the screen shows."""
    end = time.monotonic() + limit_s
    while True:
        runs = session.host.runs(name)
        contents = [json.loads(line)["content"] for line in runs[-1].stdout.splitlines()] if runs else []
        rows = session.view().agent_rows
        if contents and rows == [plain(content).rstrip() for content in contents]:
            return contents
        assert time.monotonic() < end, f"{runs[-1:]}\n{session.screen()}"
        time.sleep(0.1)
