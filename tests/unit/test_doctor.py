"""What `ohud doctor` looks at: each cause that a status line can be missing for is made, and is the only one found."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from launch import REPOSITORY, STATUS_LINE

from ohud.cli.doctor import Report, examine, plain
from ohud.host import case, checkup, diagnosis, trial
from ohud.host.command import quote
from ohud.host.version import NEW, OLD
from ohud.run.world import World

OWN = quote(STATUS_LINE, "posix")
NOW = 1796040000.0
SECRET = "sk-made-up-0123456789"


@dataclass
class Machine:
    """A user's machine on which all is well: ohud in the user's settings, the project trusted."""

    root: Path
    command: str = OWN
    line: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    trusted: bool = True
    columns: int = 80
    lines: int = 24

    def __post_init__(self) -> None:
        for folder in (self.home / ".claude", self.project / ".claude", self.managed, self.root / "bin"):
            folder.mkdir(parents=True)

    @property
    def home(self) -> Path:
        """The home directory."""
        return self.root / "home"

    @property
    def project(self) -> Path:
        """Where the host is started."""
        return self.home / "project"

    @property
    def managed(self) -> Path:
        """The administrator's folder."""
        return self.root / "managed"

    @property
    def env(self) -> dict[str, str]:
        """What the host is started with."""
        return {
            "HOME": str(self.home),
            "PATH": f"{self.root / 'bin'}:/usr/bin:/bin",
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "MADE_UP_API_KEY": SECRET,
            **self.variables,
        }

    def settings(self, place: Path | None = None, **keys: Any) -> Path:
        """Writes a settings file, the user's by default."""
        path = place or self.home / ".claude" / "settings.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(keys))
        return path

    def in_project(self, name: str = "settings.json") -> Path:
        """A settings file of the project."""
        return self.project / ".claude" / name

    def script(self, text: str, name: str = "line.sh", mode: int = 0o755) -> str:
        """Writes a program and gives its path."""
        path = self.root / "bin" / name
        path.write_text(text)
        path.chmod(mode)
        return str(path)

    def config(self, text: str) -> Path:
        """Writes ohud's config."""
        path = self.home / ".config" / "ohud" / "config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def log(self, *ages: float) -> None:
        """Writes lines of so many seconds ago to ohud's log."""
        folder = self.home / ".cache" / "ohud"
        folder.mkdir(parents=True, mode=0o700, exist_ok=True)
        stamps = [time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(NOW - age)) for age in ages]
        (folder / "errors.log").write_text("".join(f"{stamp} ohud: segment cost: it was odd\n" for stamp in stamps))

    def examine(self, run: bool = True) -> Report:
        """What doctor finds; the settings are written unless a test has done so."""
        user = self.home / ".claude" / "settings.json"
        if not user.exists():
            self.settings(statusLine={"type": "command", "command": self.command, **self.line})
        state = self.home / ".claude.json"
        if not state.exists():
            state.write_text(json.dumps({"projects": {str(self.project): {"hasTrustDialogAccepted": self.trusted}}}))
        opened = case.open_case(
            World(self.env, NOW),
            self.env,
            str(self.project),
            columns=self.columns,
            lines=self.lines,
            managed_dir=str(self.managed),
        )
        return examine(opened, run)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine on which all is well; the speed is not measured, as nothing here depends on it."""
    monkeypatch.setattr(checkup, "measure", lambda *_: None)
    return Machine(tmp_path / "m")


def found(report: Report, name: str) -> diagnosis.Finding:
    """The finding of a check."""
    return next(finding for finding in report.findings if finding.name == name)


def test_all_is_well(machine: Machine) -> None:
    """With ohud in the user's settings and the project trusted there is no cause, and the line is drawn."""
    report = machine.examine()
    assert report.causes == []
    assert report.trial is not None and "Opus" in report.trial.shown[0].text
    names = [finding.name for finding in report.findings]
    assert names == [
        *("host", "settings-file", "precedence", "switches", "trust", "command", "width", "rows", "time"),
        *("interpreter", "bytecode", "cache", "theme", "log"),
    ]


# --- causes -----------------------------------------------------------------------------------------------------------

Arrange = Callable[[Machine], None]
CAUSES: dict[str, tuple[Arrange, str, str]] = {}


def cause(name: str, said: str) -> Callable[[Arrange], Arrange]:
    """Registers a cause: the finding that names it, and what that says."""

    def register(arrange: Arrange) -> Arrange:
        CAUSES[arrange.__name__] = (arrange, name, said)
        return arrange

    return register


@cause("configured", "no settings file has a `statusLine`")
def no_settings(machine: Machine) -> None:
    machine.settings(model="opus")


@cause("settings-file", "`statusLine.type` is not")
def no_type(machine: Machine) -> None:
    machine.settings(statusLine={"command": OWN})


@cause("settings-file", "`statusLine` is no object")
def a_text(machine: Machine) -> None:
    machine.settings(statusLine=OWN)


@cause("settings-file", "`statusLine.command` is no text")
def no_command(machine: Machine) -> None:
    machine.settings(statusLine={"type": "command"})


@cause("settings-file", "`statusLine.padding` is no number")
def padding_as_text(machine: Machine) -> None:
    machine.line = {"padding": "2"}


@cause("settings-file", "`disableAllHooks` is neither true nor false")
def switch_as_text(machine: Machine) -> None:
    machine.settings(machine.in_project(), disableAllHooks="no")


@cause("settings-file", "`subagentStatusLine.command` is no text")
def subagents_in_an_old_version(machine: Machine) -> None:
    machine.variables["AI_AGENT"] = "claude-code_2-1-215_harness"
    line = {"type": "command", "command": OWN}
    machine.settings(machine.in_project(), subagentStatusLine={"type": "command"}, statusLine=line)


@cause("configured", "command of the status line is empty")
def empty_command(machine: Machine) -> None:
    machine.command = "  "


@cause("settings-file", "settings.local.json` cannot be used: `statusLine` is no object")
def null_in_front(machine: Machine) -> None:
    machine.settings(machine.in_project("settings.local.json"), statusLine=None)


@cause("configured", ".claude.json`, where Claude Code does not look")
def in_the_state_file(machine: Machine) -> None:
    machine.settings(model="opus")
    projects = {str(machine.project): {"hasTrustDialogAccepted": True}}
    machine.settings(machine.home / ".claude.json", statusLine={"type": "command", "command": OWN}, projects=projects)


@cause("settings-file", "settings.json` cannot be used: ")
def invalid_json(machine: Machine) -> None:
    (machine.home / ".claude" / "settings.json").write_text('{"statusLine": {"type": "command",}}')


@cause("settings-file", "settings.local.json` cannot be used: ")
def invalid_json_beside(machine: Machine) -> None:
    machine.in_project("settings.local.json").write_text("{")


@cause("precedence", "another status line is used in place of ohud: the project settings win")
def project_wins(machine: Machine) -> None:
    machine.settings(machine.in_project(), statusLine={"type": "command", "command": "echo theirs"})


@cause("precedence", "the managed settings win")
def administrator_wins(machine: Machine) -> None:
    place = machine.managed / "managed-settings.json"
    machine.settings(place, statusLine={"type": "command", "command": "echo theirs"})


@cause("switches", "`disableAllHooks` is on in `")
def hooks_off(machine: Machine) -> None:
    machine.settings(disableAllHooks=True, statusLine={"type": "command", "command": OWN})


@cause("switches", "`disableAllHooks` is on in `")
def hooks_off_in_project(machine: Machine) -> None:
    machine.settings(machine.in_project(), disableAllHooks=True)


@cause("switches", "the administrator has turned hooks and status lines off")
def hooks_off_by_administrator(machine: Machine) -> None:
    machine.settings(machine.managed / "managed-settings.json", disableAllHooks=True)


@cause("switches", "only the administrator's status line may run: `allowManagedHooksOnly`")
def managed_only(machine: Machine) -> None:
    machine.settings(machine.managed / "managed-settings.d" / "10.json", allowManagedHooksOnly=True)


@cause("switches", "safe mode (CLAUDE_CODE_SAFE_MODE is set)")
def safe_mode(machine: Machine) -> None:
    machine.variables["CLAUDE_CODE_SAFE_MODE"] = "1"


@cause("switches", "safe mode (CLAUDE_CODE_SAFE_MODE is set in the settings)")
def safe_mode_in_settings(machine: Machine) -> None:
    env = {"CLAUDE_CODE_SAFE_MODE": "true"}
    machine.settings(env=env, statusLine={"type": "command", "command": OWN})


@cause("trust", "is not trusted")
def not_trusted(machine: Machine) -> None:
    machine.trusted = False


@cause("command", "`/no/such/line` is not there")
def no_such_file(machine: Machine) -> None:
    machine.command = "/no/such/line --short"


@cause("command", "`ccline` is not on the PATH")
def no_such_program(machine: Machine) -> None:
    machine.command = "LC_ALL=C ccline"


@cause("command", "hot.py` is not there")
def no_such_script(machine: Machine) -> None:
    machine.command = f"{sys.executable} -I -S {machine.root}/gone/ohud/hot.py"


@cause("command", "the shell takes the backslashes away")
def backslashes(machine: Machine) -> None:
    machine.command = r"C:\Users\someone\line.exe"


@cause("command", "line.sh` may not be executed")
def not_executable(machine: Machine) -> None:
    machine.command = machine.script("#!/bin/sh\necho line\n", mode=0o644)


@cause("interpreter", "names is not there: `/no/such/python`")
def no_such_interpreter(machine: Machine) -> None:
    machine.command = machine.script("#!/no/such/python -I\nprint('line')\n")


@cause("interpreter", "the line ends with a carriage return")
def carriage_return(machine: Machine) -> None:
    machine.command = machine.script("#!/bin/sh\r\necho line\r\n")


@cause("interpreter", "names is not there: `nosuchnode`")
def no_such_interpreter_on_the_path(machine: Machine) -> None:
    machine.command = machine.script("#!/usr/bin/env -S nosuchnode --quiet\nprint('line')\n")


@cause("interpreter", "the line ends with a carriage return")
def carriage_return_behind_env(machine: Machine) -> None:
    machine.command = machine.script("#!/usr/bin/env sh\r\necho line\r\n")


@cause("command", "between quotes it leaves `~` as it is")
def home_between_quotes(machine: Machine) -> None:
    (machine.home / "line.sh").write_text("#!/bin/sh\necho line\n")
    (machine.home / "line.sh").chmod(0o755)
    machine.command = "'~/line.sh' --short"


@cause("command", "between quotes it leaves `$` as it is")
def variable_between_quotes(machine: Machine) -> None:
    (machine.home / "line.sh").write_text("echo line\n")
    machine.command = "sh '$HOME/line.sh'"


@cause("interpreter", "cannot run ohud: it is Python 3.8")
def old_interpreter(machine: Machine) -> None:
    python = machine.script("#!/bin/sh\necho 3 8 cpython\nexit 1\n", "python3.8")
    machine.command = quote([python, *STATUS_LINE[1:]], "posix")


@cause("interpreter", "does not find jinja2 and jmespath")
def interpreter_without_packages(machine: Machine) -> None:
    lines = ["#!/bin/sh", 'case "$3" in -c) echo 3 11 cpython; exit 1;; esac', f'exec {sys.executable} "$@"']
    machine.command = quote([machine.script("\n".join(lines), "python3"), *STATUS_LINE[1:]], "posix")


@cause("exit-status", "ends with status 3")
def exit_status(machine: Machine) -> None:
    machine.command = "echo line; echo 'it broke' >&2; exit 3"


@cause("exit-status", "Something that it calls is missing")
def missing_within(machine: Machine) -> None:
    machine.command = machine.script("#!/bin/sh\necho line | jqx -r .\n")


@cause("exit-status", "was ended by signal 9")
def killed(machine: Machine) -> None:
    machine.command = "echo line; kill -9 $$"


@cause("output", "prints nothing")
def no_output(machine: Machine) -> None:
    machine.command = "cat >/dev/null"


@cause("output", "nothing that can be seen")
def blank_output(machine: Machine) -> None:
    machine.command = r"printf '  \n\033[31m \033[0m\n\t'"


@cause("output", "more than 1000000 characters")
def too_much_output(machine: Machine) -> None:
    machine.command = "head -c 1000100 /dev/zero | tr '\\0' x"


@cause("time", "longer than the refresh interval of 1 s")
def slower_than_the_interval(machine: Machine) -> None:
    machine.command, machine.line = "sleep 1.1; echo line", {"refreshInterval": 1}


@cause("time", "has not ended after 0.5 s")
def endless(machine: Machine) -> None:
    machine.command = "echo line; sleep 30"


@cause("width", "row 2 too wide: Claude Code draws 76 cells at 80 columns")
def too_wide(machine: Machine) -> None:
    machine.command = "echo short; head -c 77 /dev/zero | tr '\\0' x"


@cause("width", "72 cells at 80 columns with padding 2")
def too_wide_for_the_padding(machine: Machine) -> None:
    machine.line = {"padding": 2}
    machine.config('template = "{{ fill() }}{{ name }}"\n[segments]\nname = "model.display_name"\n')


@cause("rows", "30 rows are too many: a terminal of 24 rows has no room left for the prompt")
def too_many_rows(machine: Machine) -> None:
    machine.command = "seq 30"


@cause("rows", "a terminal of 24 rows shows the first 8")
def too_many_rows_for_a_full_screen(machine: Machine) -> None:
    machine.settings(tui="fullscreen", statusLine={"type": "command", "command": "seq 9"})


@cause("rows", "version 2.1.215 draws no status line on a full screen of 14 rows")
def too_low_for_an_old_version(machine: Machine) -> None:
    machine.variables |= {"AI_AGENT": "claude-code_2-1-215_harness", "CLAUDE_CODE_NO_FLICKER": "1"}
    machine.lines = 14


@cause("bytecode", "have no bytecode for")
def no_bytecode(machine: Machine) -> None:
    installed = machine.root / "site"
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "ohud", installed / "ohud", ignore=skip)
    shutil.copytree(REPOSITORY / "themes", installed / "themes", ignore=skip)
    # Who runs the tests may be allowed everything: a file in its place keeps any folder from being written.
    (installed / "ohud" / "run" / "__pycache__").write_text("")
    machine.command = quote([*STATUS_LINE[:-1], str(installed / "ohud" / "hot.py")], "posix")


@cause("cache", "it is no folder")
def cache_is_a_file(machine: Machine) -> None:
    (machine.home / ".cache").mkdir()
    (machine.home / ".cache" / "ohud").write_text("")


@cause("cache", "/file` is no folder")
def cache_below_a_file(machine: Machine) -> None:
    (machine.root / "file").write_text("")
    machine.variables["XDG_CACHE_HOME"] = str(machine.root / "file" / "below")


@cause("cache", "it is a symbolic link")
def cache_is_a_link(machine: Machine) -> None:
    (machine.home / ".cache").mkdir()
    (machine.home / ".cache" / "ohud").symlink_to(machine.root)


@cause("theme", "cannot be used whole: 1 fault")
def broken_config(machine: Machine) -> None:
    machine.config("theme = ")


@cause("theme", "parts of the theme are left out: 1 fault")
def broken_segment(machine: Machine) -> None:
    machine.config('[segments]\nmodel = "lenght(model)"\n')


@cause("theme", "cannot be used whole: 1 fault")
def missing_theme(machine: Machine) -> None:
    machine.config('theme = "nowhere"\n')


@cause("faults", "parts of the line could not be computed")
def fault_while_drawing(machine: Machine) -> None:
    machine.config('template = "{{ x }}ok"\n[segments]\nx = "abs(model.display_name)"\n')


@cause("log", "the last error that ohud logged was 5 minutes ago")
def logged_errors(machine: Machine) -> None:
    machine.log(90000, 300)


@cause("subagents", "ends with status 4")
def subagents_fail(machine: Machine) -> None:
    rows = {"type": "command", "command": "exit 4"}
    machine.settings(statusLine={"type": "command", "command": OWN}, subagentStatusLine=rows)


@cause("subagents", "prints no line of the form")
def subagents_print_text(machine: Machine) -> None:
    rows = {"type": "command", "command": "echo a row"}
    machine.settings(statusLine={"type": "command", "command": OWN}, subagentStatusLine=rows)


@pytest.mark.parametrize("name", CAUSES)
def test_the_cause_is_named_alone(name: str, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a machine with one fault doctor names this one, says what to do, and finds no other."""
    if name == "endless":
        monkeypatch.setattr(trial, "PATIENCE_S", 0.5)
    arrange, finding, said = CAUSES[name]
    arrange(machine)
    report = machine.examine()
    assert [one.name for one in report.causes] == [finding], report.causes
    assert said in report.causes[0].message, report.causes[0]
    assert report.causes[0].remedy


def test_a_path_in_a_remedy_is_whole(machine: Machine) -> None:
    """What is to be typed is a path that a shell between quotes takes as it is."""
    path = machine.home / "my line.sh"
    path.write_text("#!/bin/sh\necho line\n")
    machine.command = "~/my\\ line.sh"
    [cause] = machine.examine().causes
    assert cause.remedy == f"chmod +x '{path}'"


# --- what is no cause -------------------------------------------------------------------------------------------------


def test_an_old_log_is_a_note(machine: Machine) -> None:
    """Errors of yesterday are told and are no cause."""
    machine.log(90000)
    report = machine.examine()
    assert report.causes == []
    assert found(report, "log").state == "note" and "it was odd" in found(report, "log").details[0]


def test_what_was_logged_before_the_last_change_is_a_note(machine: Machine) -> None:
    """Who has mended the theme is not told of its faults any more."""
    path = machine.config("margin = 4\n")
    machine.log(300)
    os.utime(path, (NOW - 100, NOW - 100))
    assert machine.examine().causes == []
    os.utime(path, (NOW - 400, NOW - 400))
    assert [one.name for one in machine.examine().causes] == ["log"]


def test_unknown_keys_are_a_note(machine: Machine) -> None:
    """What drawing ignores is no cause."""
    machine.config("marginn = 3\n")
    report = machine.examine()
    assert report.causes == []
    assert found(report, "theme").state == "note"


def test_another_programs_line_is_no_fault_of_ohud(machine: Machine) -> None:
    """With another program's command ohud's own health is not asked for."""
    machine.command = "echo theirs"
    machine.config("theme = ")
    report = machine.examine()
    assert report.causes == []
    assert not {"theme", "cache", "bytecode"} & {finding.name for finding in report.findings}


def test_a_command_of_an_untrusted_project_is_not_run(machine: Machine) -> None:
    """What a project brings along is not run before its user trusts it, not even its interpreter."""
    mark = machine.root / "ran"
    python = machine.script(f"#!/bin/sh\ntouch {mark}\necho 3 11 cpython packages\n", "python3")
    line = {"type": "command", "command": quote([python, *STATUS_LINE[1:]], "posix")}
    machine.settings(machine.in_project(), statusLine=line, subagentStatusLine=line)
    machine.trusted = False
    report = machine.examine()
    assert [one.name for one in report.causes] == ["trust"] and not mark.exists()
    machine.home.joinpath(".claude.json").unlink()
    machine.trusted = True
    machine.examine()
    assert mark.exists()


def test_nothing_is_run_when_told_so(machine: Machine) -> None:
    """`--no-run` looks at files only."""
    mark = machine.root / "ran"
    machine.command = f"touch {mark}; echo line"
    assert machine.examine(run=False).causes == []
    assert not mark.exists()


def test_safe_mode_of_the_session_around(machine: Machine) -> None:
    """Inside a session its own command line says whether it is in safe mode."""
    with subprocess.Popen(["/bin/sh", "-c", "read x", "sh", "--safe-mode"], stdin=subprocess.PIPE) as session:
        machine.variables["CLAUDE_PID"] = str(session.pid)
        while b"--safe-mode" not in Path(f"/proc/{session.pid}/cmdline").read_bytes():
            time.sleep(0.01)
        report = machine.examine(run=False)
    assert [one.name for one in report.causes] == ["switches"]
    assert "started with `--safe-mode`" in report.causes[0].message


# --- trust ------------------------------------------------------------------------------------------------------------


def trusted(folder: Path, *places: Path, version: Any = NEW, home: Path | None = None, **env: str) -> bool | None:
    """Whether a folder is trusted where the host has a yes for these places."""
    home = home or folder.parent
    home.mkdir(exist_ok=True)
    records = {str(place): {"hasTrustDialogAccepted": True} for place in places}
    (home / ".claude.json").write_text(json.dumps({"projects": records}))
    return case.trusted(World({"HOME": str(home), **env}, NOW), str(folder), version)


def test_trust_comes_from_above(tmp_path: Path) -> None:
    """A yes for a directory holds for those in it; in the newer version not for a repository in it."""
    work = tmp_path / "work" / "deep"
    work.mkdir(parents=True)
    home = tmp_path / "home"
    assert trusted(work, tmp_path, home=home) is True
    assert trusted(work, tmp_path / "other", home=home) is False
    (work / ".git").mkdir()
    assert trusted(work, tmp_path, home=home) is False
    assert trusted(work, tmp_path, home=home, version=OLD) is True
    assert trusted(work / "below", work, home=home) is True
    assert trusted(work, home=home, CLAUDE_CODE_SANDBOXED="1") is True


def test_a_linked_worktree_has_the_trust_of_its_repository(tmp_path: Path) -> None:
    """A yes for the main working tree holds in a linked one."""
    main, linked = tmp_path / "main", tmp_path / "linked"
    (main / ".git" / "worktrees" / "linked").mkdir(parents=True)
    linked.mkdir()
    (linked / ".git").write_text(f"gitdir: {main}/.git/worktrees/linked\n")
    home = tmp_path / "home"
    assert trusted(linked, main, home=home) is True
    assert trusted(linked, tmp_path / "other", home=home) is False


def test_trust_that_is_not_known(tmp_path: Path) -> None:
    """Without a record of the host's, and in the home directory, nobody can say."""
    assert case.trusted(World({"HOME": str(tmp_path)}, NOW), str(tmp_path)) is None
    assert trusted(tmp_path, tmp_path / "other", home=tmp_path) is None


# --- versions, command lines, secrets ---------------------------------------------------------------------------------


def test_version_of_the_host(tmp_path: Path) -> None:
    """It is known of a session around, of an installed program and of a package, and nothing is started."""
    world = World({"HOME": str(tmp_path)}, NOW)
    assert case.host_version(world, {"AI_AGENT": "claude-code_2-1-332_harness"}) == "2.1.332"
    assert case.host_version(world, {"PATH": str(tmp_path)}) is None
    program = tmp_path / "versions" / "2.1.300"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    link = tmp_path / "bin" / "claude"
    link.parent.mkdir()
    link.symlink_to(program)
    assert case.host_version(world, {"PATH": str(link.parent)}) == "2.1.300"
    package = tmp_path / "lib" / "claude-code" / "bin" / "claude.exe"
    package.parent.mkdir(parents=True)
    shutil.copy(program, package)
    (package.parent.parent / "package.json").write_text('{"name": "@anthropic-ai/claude-code", "version": "2.1.250"}')
    link.unlink()
    link.symlink_to(package)
    assert case.host_version(world, {"PATH": str(link.parent)}) == "2.1.250"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("A=1 B='x y' exec /opt/my\\ line --short", ["/opt/my line", "--short"]),
        ("line | head -1", ["line"]),
        ("line&&other", ["line"]),
        ("x=$(cat); echo $x", []),
        ("(line)", []),
        ("'unended", []),
        ("", []),
    ],
)
def test_words_of_a_command(command: str, words: list[str]) -> None:
    """The first program of a command line with its own words, where that is plain."""
    assert trial.plain_words(command) == words


@pytest.mark.parametrize(
    "command",
    [
        "env",
        "env >&2; exit 1",
        "printf '%s' \"$MADE_UP_API_KEY\"; env",
        f"echo {SECRET}",
        f"MADE_UP_API_KEY={SECRET} /no/such/line",
        "printf '\\033[31m%s' \"$MADE_UP_API_KEY\"",
        "env >&2; cat",
        "printf '%070d%s' 1 \"$MADE_UP_API_KEY\"",
        "printf '%.18s' \"$MADE_UP_API_KEY\"",
        "printf '%s' \"${MADE_UP_API_KEY#sk-made}\" >&2; exit 1",
    ],
)
def test_secrets_are_never_told(command: str, machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    """Values of the environment and of the settings' own variables do not come through, whatever a command prints."""
    from ohud.cli.doctor import _print

    token = "made-up-token-9876"
    machine.settings(env={"PROXY_TOKEN": token}, statusLine={"type": "command", "command": command})
    machine.variables |= {"PASSWORD": "abcd-pass", "LONG": "first-line-of-a-key\nsecond-line-of-a-key"}
    report = machine.examine()
    _print(report, True)
    text = json.dumps(plain(report)) + capsys.readouterr().out
    hidden = (SECRET, token, "abcd-pass", "first-line-of-a-key", "second-line-of-a-key", "01234567", "made-up-0")
    assert [secret for secret in hidden if secret in text] == []
    if command.startswith(("printf", "echo", "MADE")):
        assert "[hidden]" in text or "…" in text


# --- ohud's own -------------------------------------------------------------------------------------------------------


def test_other_forms_of_the_own_command(machine: Machine) -> None:
    """The console script and `-m ohud` are known; the fast form is recommended for them."""
    script = Path(sys.executable).with_name("ohud")
    machine.command = f"{sys.executable} -m ohud"
    report = machine.examine()
    mine = checkup.own(report.case)
    assert mine is not None and mine.hot is None and mine.python == sys.executable
    long = machine.script(f"#!/bin/sh\n'''exec' \"{sys.executable}\" \"$0\" \"$@\"\n' '''\nimport ohud\n", "ohud")
    machine.settings(statusLine={"type": "command", "command": "ohud"})
    mine = checkup.own(machine.examine(run=False).case)
    assert mine is not None and mine.python == sys.executable, (long, script)
    timing = checkup.Timing(12.0, 13.0, 8.0, {})
    [finding] = checkup.check_speed(report.case, mine, timing)
    assert finding.state == "note" and "ohud install" in str(finding.remedy)


def test_times_and_stages(tmp_path: Path) -> None:
    """A refresh is measured against the bare interpreter, and each stage of it."""
    report = Machine(tmp_path / "m").examine()
    timing = report.timing
    assert timing is not None and timing.least_ms >= timing.bare_ms > 0
    assert list(timing.stages_ms) == ["modules", "program", "payload", "segments", "fit"]
    assert 0 < sum(timing.stages_ms.values()) < timing.least_ms + 100
    assert "times the bare interpreter" in found(report, "speed").message


def test_the_line_of_a_project_directory(machine: Machine) -> None:
    """A theme that the config names for the directory is the one that is checked."""
    machine.config(f'[projects."{machine.project}"]\ntheme = "nowhere"\n')
    assert [one.name for one in machine.examine().causes] == ["theme"]


def test_causes_that_do_not_hide_each_other(machine: Machine) -> None:
    """Several faults are all told, in the order in which the host comes to them."""
    machine.trusted = False
    machine.settings(disableAllHooks=True, statusLine={"type": "command", "command": OWN})
    machine.config("theme = ")
    assert [one.name for one in machine.examine().causes] == ["switches", "trust", "theme"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_files_that_would_hang(machine: Machine) -> None:
    """Pipes in place of files are no reason to wait."""
    os.mkfifo(machine.home / ".claude.json")
    os.mkfifo(machine.project / ".git")
    os.mkfifo(machine.root / "bin" / "line")
    machine.command = str(machine.root / "bin" / "line")
    started = time.monotonic()
    report = machine.examine()
    assert time.monotonic() - started < 5
    assert [one.name for one in report.causes] == ["exit-status"]
