"""Which command lines are ohud's own."""

import pytest

from ohud.host.command import command_line, ours, quote
from ohud.run.world import World


@pytest.mark.parametrize(
    "command",
    [
        "ohud",
        "/old/path/ohud",
        "'/home/a b/bin/ohud' subagents",
        "C:\\Users\\u\\ohud.exe",
        "'C:/Users/A B/ohud.exe'",
        "/usr/bin/python3 -I -S /x/site-packages/ohud/hot.py",
        "/usr/bin/python3.12 -I -S '/x y/ohud/hot.py' subagents",
        "C:/Python/python.exe -I -S C:/x/ohud/hot.py",
        "python -m ohud",
        "OHUD_THEME=x ohud",
        "uvx ohud",
        "uv tool run ohud",
        "pipx run ohud",
    ],
)
def test_ours(command: str) -> None:
    """ohud, however it was installed."""
    assert ours(command)


@pytest.mark.parametrize(
    "command",
    [
        "",
        "npx -y ccstatusline@latest",
        "echo ohud",
        "cat /x/ohud/hot.py",
        "ohud | sed s/a/b/",
        "cd /x && ohud",
        "ohud; other",
        "ohud > /dev/null",
        "$(ohud)",
        "ohud-like",
        "/x/ohud/other",
        "python other.py",
        "'unclosed",
        "A=1",
        None,
        {"command": "ohud"},
        1,
    ],
)
def test_not_ours(command: object) -> None:
    """Another program, or a line that somebody has built around ohud: theirs."""
    assert not ours(command)


def test_windows_prefers_a_line_for_every_shell() -> None:
    """Where no quotes are needed there are none: Git Bash and PowerShell take the same line."""
    words = ["C:\\Python\\python.exe", "-I", "-S", "C:\\x\\ohud\\hot.py"]
    world = World({"CLAUDE_CODE_GIT_BASH_PATH": "C:\\not\\there"})
    assert command_line(words, world, "win32") == "C:/Python/python.exe -I -S C:/x/ohud/hot.py"


def test_windows_with_git_bash(tmp_path: object) -> None:
    """With a space in the path and Git Bash on the machine, quotes for that."""
    world = World({"CLAUDE_CODE_GIT_BASH_PATH": __file__})
    line = command_line(["C:\\A B\\python.exe", "-I", "subagents"], world, "win32")
    assert line == "'C:/A B/python.exe' -I subagents"


def test_posix_is_plain_where_it_can_be() -> None:
    """People read it."""
    assert quote(["/usr/bin/python3", "-I", "/x/hot.py"], "posix") == "/usr/bin/python3 -I /x/hot.py"
