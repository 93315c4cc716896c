"""The real host with a made-up user: what its screen shows of a status line, and what the command saw."""

import json
import re
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w
from host import looks, model
from host.enclosure import HOME, enclosure
from host.looks import Drawn
from host.program import program
from host.terminal import Terminal, Tmux
from launch import REPOSITORY
from screen import plain

RECORD = Path(__file__).with_name("record.sh")
PROJECT = HOME + "/widgets"
COLUMNS = (60, 80, 120)
LINES = 40
MARGIN = 2  # cells that the host leaves on either side of a row, before `padding`
# A changed command is on the screen after some 1.2 s.
SETTLED_S = 5.0
# 2.1.215 looks at its settings again only some seconds after its start (2026-11-30).
TRIES = 3
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": HOME,
    "USER": "user",
    "SHELL": "/bin/sh",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "TERM": "tmux-256color",
    "COLORTERM": "truecolor",
}
# tmux says of itself that it shows no hyperlinks; the host is told that it does.
HOST_ENVIRONMENT = {
    **ENVIRONMENT,
    "FORCE_HYPERLINK": "1",
    "IS_SANDBOX": "1",
    "ANTHROPIC_BASE_URL": model.ADDRESS,
    "CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-made-up-0000000000000000",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
}
PERMISSIONS = {"defaultMode": "acceptEdits", "allow": ["Bash", "Read", "Agent", "Task"]}
# What newer hosts would ask at the start, answered beforehand.
ANSWERED = {
    "theme": "dark",
    "numStartups": 20,
    "installMethod": "npm",
    "hasCompletedOnboarding": True,
    "hasSeenAutoDefaultNudge": True,
    "hasSeenAutoModeOutsideReadPrompt": True,
    "hasResetAutoModeOptInForDefaultOffer": True,
    "fullscreenUpsellSeenCount": 9,
    "officialMarketplaceAutoInstallAttempted": True,
}
TRUSTED = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True, "projectOnboardingSeenCount": 9}
_RULE = re.compile("─+")
_MODE_LINE = re.compile(r"\s*(⏵⏵|⏸) ")
# The host's own hints share the first row while there is room for them.
_HINT = re.compile(r"\s+([●◐○◉] \w+ · /effort|You've used \d+% of your .*|subagentStatusLine is deprecated .*)$")
_LINK = re.compile(r"\x1b\]8;[^;]*;([^\x07\x1b]+)(?:\x07|\x1b\\)(.*?)\x1b\]8;;(?:\x07|\x1b\\)", re.DOTALL)
HINT = "· /effort"
_MAIN_AGENT = re.compile(r"\s*\S main")
_MARK = 4  # cells before each agent's row


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a recorded command."""

    started_ns: int
    stdin: bytes
    env: dict[str, str]
    stdout: str
    end: str  # the exit status, or `killed`


@dataclass(frozen=True, slots=True)
class View:
    """What a screen shows of ours, character by character; the host's own hints and marks are left out."""

    status: list[list[Drawn]]
    agents: list[list[Drawn]]

    @property
    def rows(self) -> list[str]:
        """The rows of the status line as text, with the blanks before it."""
        return [looks.text(row) for row in self.status]

    @property
    def agent_rows(self) -> list[str]:
        """The rows of agents as text."""
        return [looks.text(row) for row in self.agents]


@dataclass(frozen=True, slots=True)
class Shown:
    """
    What came of a status line: what it printed, and the screen.

    Takes:  runs: of its command, as far as they were recorded; indent: the column in which rows begin
    """

    printed: str
    view: View
    indent: int
    runs: tuple[Run, ...] = ()

    @property
    def expected(self) -> list[str]:
        """The rows that should be there."""
        return [" " * self.indent + plain(line).rstrip() for line in self.printed.splitlines()]

    def there(self) -> bool:
        """Whether the rows are the lines that were printed, cut or not."""
        rows, expected = self.view.rows, self.expected
        same = [wanted.startswith(row.removesuffix("…")) for row, wanted in zip(rows, expected, strict=False)]
        return len(rows) == len(expected) > 0 and all(same)

    def whole(self) -> bool:
        """Whether the rows are the lines that were printed, nothing cut, nothing missing."""
        return bool(self.expected) and self.view.rows == self.expected


class Host:
    """One version of the host, in an enclosure with the home of a made-up user."""

    def __init__(self, version: str, root: Path, claude: Path, tmux: Tmux) -> None:
        self.version, self._root, self._claude, self._tmux = version, root, claude, tmux
        self.home, self._records = root / "home", root / "records"
        self.settings = self.home / ".claude" / "settings.json"
        self.config = self.home / ".config" / "ohud" / "config.toml"
        self._furnish()

    def _furnish(self) -> None:
        """A home that has seen the host before, with a small repository in it."""
        git = self.home / "widgets" / ".git"
        for folder in (git / "objects", git / "refs/heads", self.settings.parent, self.config.parent / "themes"):
            folder.mkdir(parents=True)
        (git / "HEAD").write_text("ref: refs/heads/feature/status\n")
        (git / "config").write_text('[remote "origin"]\n\turl = https://git.example.com/acme/widgets.git\n')
        answered = {**ANSWERED, "lastOnboardingVersion": self.version, "lastReleaseNotesSeen": self.version}
        answered["projects"] = {PROJECT: TRUSTED}
        (self.home / ".claude.json").write_text(json.dumps(answered))
        self.write_settings()

    def write_settings(self, **settings: Any) -> None:
        """The user's settings; a running session looks at them again by itself."""
        own = {"permissions": PERMISSIONS, "skipAutoPermissionPrompt": True}
        self.settings.write_text(json.dumps({**own, **settings}, indent=4))

    def write_config(self, **settings: Any) -> None:
        """The user's config of ohud."""
        self.config.write_text(tomli_w.dumps(settings))

    def recorded(self, command: str, name: str) -> dict[str, Any]:
        """The setting for a command that does the same and keeps a record of each run under a name."""
        return {"type": "command", "command": shlex.join([str(RECORD), str(self._records / name), command])}

    def runs(self, name: str) -> tuple[Run, ...]:
        """The runs under a name that have ended, in the order of their starts."""
        return tuple(_run(path) for path in sorted((self._records / name).glob("*.end")))

    def run(self, command: str, stdin: bytes = b"", **env: str) -> tuple[int, str]:
        """Exit status and output of a shell command that the user runs in the project."""
        given, said = self._root / "given", self._root / "said"
        given.write_bytes(stdin)
        variables = shlex.join(["env", "-i", "-C", PROJECT, *_pairs({**ENVIRONMENT, **env}), "sh", "-c", command])
        code = self._tmux.run_shell(f"{variables} <{shlex.quote(str(given))} >{shlex.quote(str(said))} 2>&1")
        return code, said.read_text("utf-8")

    @contextmanager
    def session(self, columns: int, lines: int = LINES) -> Iterator["Session"]:
        """A session of the host that is ready for a prompt."""
        raw = self._root / f"raw-{time.monotonic_ns()}"
        command = ["env", "-i", "-C", PROJECT, *_pairs(HOST_ENVIRONMENT), str(self._claude)]
        session = Session(self, Terminal(self._tmux, columns, lines, command, raw), columns, raw)
        try:
            session.begin()
            yield session
        finally:
            session.terminal.close()


class Session:
    """A running session; `terminal` for what a person does and sees."""

    def __init__(self, host: Host, terminal: Terminal, columns: int, raw: Path) -> None:
        self.host, self.terminal, self.columns, self._raw = host, terminal, columns, raw

    def begin(self) -> None:
        """Waits for the prompt."""
        ready = self.terminal.wait(lambda rows: any(map(_MODE_LINE.match, rows)), 60)
        assert ready, "the host is not ready:\n" + self.screen()

    def without_hint(self) -> None:
        """Waits until the host takes its first hint away, some 9 s after the start."""
        assert self.terminal.wait(lambda rows: not any(HINT in row for row in rows)), self.screen()

    def screen(self) -> str:
        """The whole screen as text."""
        return "\n".join(self.terminal.rows()).rstrip()

    def view(self) -> View:
        """What the screen shows of ours now."""
        rows = looks.lines(self.terminal.styled())
        texts = [looks.text(row) for row in rows]
        # The status line stands between the prompt's lower rule and the line that tells the mode, agents below that.
        rules = [number for number, text in enumerate(texts) if _RULE.fullmatch(text.strip())]
        modes = [number for number, text in enumerate(texts) if _MODE_LINE.match(text)]
        if not rules or not modes:
            return View([], [])
        main = [number for number, text in enumerate(texts) if number > modes[-1] and _MAIN_AGENT.fullmatch(text)]
        agents = [row[_MARK:] for row in rows[main[0] + 1 :] if row] if main else []
        status = rows[rules[-1] + 1 : modes[-1]]
        return View([row[: len(_HINT.sub("", looks.text(row)))] for row in status], agents)

    def show(self, command: str, padding: int) -> Shown:
        """
        Makes a command the user's status line and waits until what it prints is on the screen.

        Takes:  padding: of the settings [cells]
        """
        name = f"show-{time.monotonic_ns()}"
        for _ in range(TRIES):
            self.host.write_settings(statusLine={**self.host.recorded(command, name), "padding": padding})
            shown = self.settled(name, padding)
            if shown.runs:
                break
        return shown

    def settled(self, name: str, padding: int) -> Shown:
        """Waits until what the last run under a name has printed is on the screen."""
        end = time.monotonic() + SETTLED_S
        while True:
            runs = self.host.runs(name)
            shown = Shown(runs[-1].stdout if runs else "", self.view(), MARGIN + padding, runs)
            if shown.there() or time.monotonic() > end:
                return shown
            time.sleep(0.1)

    def comes(self, printed: str, padding: int) -> Shown:
        """Waits until lines are on the screen, of a status line that is not recorded."""
        end = time.monotonic() + TRIES * SETTLED_S
        while True:
            shown = Shown(printed, self.view(), MARGIN + padding)
            if shown.there() or time.monotonic() > end:
                return shown
            time.sleep(0.1)

    def links(self) -> dict[str, set[str]]:
        """Every address that was ever sent to the terminal as a hyperlink, with the texts it was given."""
        found: dict[str, set[str]] = {}
        for link in _LINK.finditer(self._raw.read_text("utf-8", "replace")):
            found.setdefault(link[1], set()).add(plain(link[2]))
        return found


def _pairs(env: dict[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in env.items()]


def _run(end: Path) -> Run:
    pairs = (line.partition("=") for line in end.with_suffix(".env").read_text("utf-8", "replace").splitlines())
    return Run(
        int(end.stem),
        end.with_suffix(".stdin").read_bytes(),
        {name: value for name, _, value in pairs},
        end.with_suffix(".stdout").read_text("utf-8"),
        end.read_text().strip(),
    )


@contextmanager
def host(version: str, root: Path) -> Iterator[Host]:
    """
    A host that is ready for sessions.

    Errors:  program.Missing
    """
    claude = program(version)
    seen = [Path(sys.prefix), Path(sys.base_prefix), REPOSITORY, claude.parent]
    root.mkdir(parents=True, exist_ok=True)
    with enclosure(root, seen) as socket:
        yield Host(version, root, claude, Tmux(socket))
