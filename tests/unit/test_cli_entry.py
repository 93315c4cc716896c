"""`ohud.cli`: which command is called, and what wrong use is told."""

import subprocess
import sys
from pathlib import Path

import pytest
from command_line import call
from launch import COMMAND_LINE, REPOSITORY

from ohud import __version__
from ohud.cli import COMMANDS


@pytest.mark.parametrize("words", [["help"], ["--help"], ["-h"], []])
def test_help_names_every_command(words: list[str], tmp_path: Path) -> None:
    """The help has a line for each command and ends well."""
    answer = call(tmp_path, *words)
    assert (answer.code, answer.err) == (0, "")
    for name, (_, what) in COMMANDS.items():
        assert any(line.split()[:1] == [name] and line.endswith(what) for line in answer.out.splitlines())


@pytest.mark.parametrize("word", ["--version", "-V"])
def test_version(word: str, tmp_path: Path) -> None:
    """The version is printed with the program's name."""
    assert call(tmp_path, word).out == f"ohud {__version__}\n"


@pytest.mark.parametrize(
    ("words", "hint"),
    [(["previw"], "`preview`"), (["chekc", "x.toml"], "`check`"), (["zzz"], "ohud help"), (["help", "evl"], "`eval`")],
)
def test_unknown_command(words: list[str], hint: str, tmp_path: Path) -> None:
    """A word that is no command is wrong use, with the nearest one named."""
    answer = call(tmp_path, *words)
    assert answer.code == 2
    assert answer.out == ""
    assert "unknown command `" in answer.err and hint in answer.err


def test_unknown_command_cannot_speak_to_the_terminal(tmp_path: Path) -> None:
    """What is echoed back carries no control character."""
    assert "\x1b" not in call(tmp_path, "\x1b]0;x\x07").err


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_one_command(name: str, tmp_path: Path) -> None:
    """`ohud help X` and `ohud X --help` are the same, and exit 0."""
    first, second = call(tmp_path, "help", name), call(tmp_path, name, "--help")
    assert first == second
    assert first.code == 0
    assert f"ohud {name}" in first.out


@pytest.mark.parametrize(("name", "word"), [("preview", "--all"), ("themes", "list"), ("check", "x"), ("eval", "x")])
def test_wrong_use(name: str, word: str, tmp_path: Path) -> None:
    """An unknown switch is wrong use: one line that names it, one that says where to look."""
    answer = call(tmp_path, name, word, "--shimmer")
    assert answer.code == 2
    assert answer.out == ""
    assert answer.err.splitlines()[0].startswith(f"ohud {name}: ") and "--shimmer" in answer.err
    assert answer.err.splitlines()[1] == f"help: ohud {name} --help"


def test_help_imports_no_library() -> None:
    """The list of commands costs neither a parser nor the compiler."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from ohud.cli import run; run(['help']);"
        "sys.exit(' '.join({'argparse', 'jinja2', 'jmespath', 'tomllib', 'json'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(REPOSITORY)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX pipe")
def test_reader_that_goes_away(tmp_path: Path) -> None:
    """A reader that stops early (`ohud preview | head`) gets no traceback."""
    with subprocess.Popen(
        [*COMMAND_LINE, "preview", "--list"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=REPOSITORY
    ) as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0
