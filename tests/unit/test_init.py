"""`ohud init`, told by options, and asked by somebody at a terminal."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from command_line import Answer, call
from desk import Desk, desk_at
from launch import COMMAND_LINE, REPOSITORY
from typist import Typist

from ohud.cli import menu
from ohud.host import terminal
from ohud.host.configuration import schema_line
from ohud.run.world import World

posix_only = pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
ALL = ("--theme", "oneline", "--icons", "ascii", "--color", "256", "--background", "light")
BACKGROUND = "\x1b]11;?\x1b\\"
WHO = "\x1b[?62;22c"


def config(folder: Path) -> Path:
    """Where the config is."""
    return folder / "home" / ".config" / "ohud" / "config.toml"


def init(folder: Path, *words: str, **env: str) -> Answer:
    """The answer of `ohud init` where there is no terminal."""
    return call(folder, "init", *words, env=env)


def test_told(tmp_path: Path) -> None:
    """What the options say is written, below the line for editors, and the next step named."""
    answer = init(tmp_path, *ALL)
    assert (answer.code, answer.err) == (0, "")
    written = 'theme = "oneline"\nicons = "ascii"\ncolor = "256"\nbackground = "light"\n'
    assert config(tmp_path).read_text() == schema_line() + written
    said = "".join(f"  {line}\n" for line in written.splitlines())
    assert answer.out == f"made {config(tmp_path)}\n{said}next: ohud install\n"


def test_told_again(tmp_path: Path) -> None:
    """Other keys and comments of a config stay; what is as it is to be is not written."""
    config(tmp_path).parent.mkdir(parents=True)
    config(tmp_path).write_bytes(b"# mine\r\nmargin = 6\r\ntheme = 'classic' # old\r\n\r\n[git]\r\nrefresh_s = 9\r\n")
    assert init(tmp_path, "--theme", "minimal", "--icons", "nerd").code == 0
    text = b'# mine\r\nmargin = 6\r\ntheme = "minimal" # old\r\nicons = "nerd"\r\n\r\n[git]\r\nrefresh_s = 9\r\n'
    assert config(tmp_path).read_bytes() == text
    assert f"{config(tmp_path)} has it already" in init(tmp_path, "--theme", "minimal").out
    assert config(tmp_path).read_bytes() == text


def test_yes(tmp_path: Path) -> None:
    """With --yes, what the config lacks is told from the surroundings, and what it has stays."""
    answer = init(tmp_path, "--yes", COLORFGBG="0;15")
    assert "background: light, as COLORFGBG says" in answer.out
    written = 'theme = "classic"\nicons = "emoji"\nbackground = "light"\n'
    assert config(tmp_path).read_text() == schema_line() + written
    assert init(tmp_path, "--yes", "--icons", "nerd", COLORFGBG="15;0").code == 0
    assert config(tmp_path).read_text() == schema_line() + written.replace("emoji", "nerd")


def test_dry_run(tmp_path: Path) -> None:
    """A dry run shows the change and makes none."""
    answer = init(tmp_path, "--dry-run", *ALL)
    assert answer.code == 0 and '+theme = "oneline"\n' in answer.out
    assert not config(tmp_path).exists()


def test_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --install the host's settings get the status line; the next time that is known."""
    desk: Desk = desk_at(tmp_path, monkeypatch)
    assert call(tmp_path, "init", "--theme", "minimal", "--install").code == 0
    assert "statusLine" in json.loads(desk.settings.read_text())
    again = call(tmp_path, "init", "--theme", "classic")
    assert again.code == 0 and again.out.endswith("Claude Code has ohud for its status line already.\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "there is no terminal to ask in\nhelp: --theme, --icons, --color and --background say what to write"),
        (("--dry-run",), "there is no terminal to ask in\n"),
        (("--theme", "clasic"), "there is no theme `clasic`\nhelp: did you mean `classic`?\n"),
        (("--theme", "./no.toml"), "there is no file `"),
        (("--icons", "nrd"), "argument --icons: invalid choice: 'nrd'"),
    ],
)
def test_wrong_use(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    """What is not there or not said is answered with status 2, and nothing is written."""
    answer = init(tmp_path, *words)
    assert answer.code == 2 and said in answer.err and not config(tmp_path).exists()


def test_broken_config(tmp_path: Path) -> None:
    """A config that is no TOML is left alone, with the report."""
    config(tmp_path).parent.mkdir(parents=True)
    config(tmp_path).write_text("theme = \n")
    answer = init(tmp_path, *ALL)
    assert answer.code == 1 and f"--> {config(tmp_path)}:1:9" in answer.err
    assert config(tmp_path).read_text() == "theme = \n"


def test_broken_theme(tmp_path: Path) -> None:
    """A theme that cannot be used is refused with the report."""
    theme = config(tmp_path).parent / "themes" / "odd.toml"
    theme.parent.mkdir(parents=True)
    theme.write_text('template = "{{ x"\n')
    answer = init(tmp_path, "--theme", "odd")
    assert answer.code == 1 and "error[template-text]" in answer.err and "nothing was written" in answer.err
    assert not config(tmp_path).exists()


@pytest.mark.parametrize(
    ("said", "told"),
    [("15;0", "dark"), ("0;15", "light"), ("0;default;7", "light"), ("15;8", "dark"), ("x", None), ("1;99", None)],
)
def test_background_by_variable(said: str, told: str | None) -> None:
    """COLORFGBG names the background by the number of an ANSI colour."""
    assert terminal.by_variable(World({"COLORFGBG": said})) == told


@contextmanager
def typist(folder: Path, *words: str, **env: str) -> Iterator[Typist]:
    """Somebody at a terminal who starts `ohud init`."""
    (folder / "home").mkdir(exist_ok=True)
    variables = {
        "HOME": str(folder / "home"),
        "PATH": "/usr/bin:/bin",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "PYTHONPATH": str(REPOSITORY),
        "LANG": "C.UTF-8",
        **env,
    }
    with Typist([*COMMAND_LINE, "init", *words], variables, folder) as one:
        yield one
        one.ends()
        assert one.now() == one.modes, "the terminal is as it was"


@posix_only
def test_asked(tmp_path: Path) -> None:
    """Background by the terminal's answer, icons and theme by keys; shown, confirmed, written."""
    with typist(tmp_path) as user:
        user.sees("colours: truecolor")
        user.sees(BACKGROUND)
        user.attentive()
        user.types("\x1b]11;rgb:fafa/fafa/f0f0\x1b\\" + WHO)
        user.sees("background: light, as the terminal says")
        assert "🌿" in user.sees("Esc leaves")
        user.types("\x1b[B\r")
        user.sees("icons: ascii")
        assert "widgets" in user.sees("Esc leaves")
        user.types("1\r")
        user.sees("theme: activity")
        user.sees("Write it? [Y/n] ")
        user.types("\r")
        user.sees(f"made {config(tmp_path)}")
        user.sees("Claude Code's settings? [Y/n] ")
        user.types("n\n")
        assert user.ends() == 0
        assert "next: ohud install" in user.rest
    text = config(tmp_path).read_text()
    assert text == schema_line() + 'theme = "activity"\nicons = "ascii"\nbackground = "light"\n'


@posix_only
def test_asked_for_the_rest(tmp_path: Path) -> None:
    """A terminal that says nothing is not waited for long; what the options say is not asked; "no" writes nothing."""
    with typist(tmp_path, "--icons", "nerd", "--theme", "minimal") as user:
        user.sees(BACKGROUND)
        user.sees("What is the terminal's background?")
        user.sees("Esc leaves")
        user.types("2\r")
        user.sees("background: light")
        user.sees("Write it? [Y/n] ")
        user.types("n\n")
        assert user.ends() == 1
    assert not config(tmp_path).exists()


@posix_only
@pytest.mark.parametrize(
    ("keys", "code"), [("\x03", 130), ("\x1b", 1), ("q", 1), ("\x04", 1), (signal.SIGTERM, 143), (signal.SIGINT, 130)]
)
def test_left(tmp_path: Path, keys: "str | signal.Signals", code: int) -> None:
    """Whoever leaves a question, by a key or a signal, has the terminal as before, and no config."""
    with typist(tmp_path, "--background", "dark") as user:
        user.sees("Esc leaves")
        user.attentive()
        if isinstance(keys, str):
            user.types(keys)
        else:
            user.signals(keys)
        assert user.ends() == code
    assert not config(tmp_path).exists()


@posix_only
@pytest.mark.parametrize("keys", ["\x03", signal.SIGTERM])
def test_left_while_the_terminal_is_asked(tmp_path: Path, keys: "str | signal.Signals") -> None:
    """The same while the terminal is asked for its background."""
    with typist(tmp_path) as user:
        user.sees(BACKGROUND)
        user.attentive()
        if isinstance(keys, str):
            user.types(keys)
        else:
            user.signals(keys)
        assert user.ends() != 0
    assert not config(tmp_path).exists()


@posix_only
def test_plain_terminal(tmp_path: Path) -> None:
    """In a terminal that can only print lines, answers are numbers; nothing is asked of it, and no style sent."""
    with typist(tmp_path, "--theme", "minimal", TERM="dumb") as user:
        user.sees("number, or q to leave: [1] ")
        user.types("3\n2\n")
        user.sees("background: light")
        user.sees("number, or q to leave: [2] ")
        user.types("\n")
        user.sees("icons: emoji")
        user.sees("Write it? [Y/n] ")
        user.types("y\n")
        user.sees("settings? [Y/n] ")
        user.types("n\n")
        assert user.ends() == 0
        assert b"\x1b" not in user.seen
    assert 'background = "light"' in config(tmp_path).read_text()


@posix_only
def test_small_terminal(tmp_path: Path) -> None:
    """A terminal of ten rows and thirty columns scrolls the answers, and nothing is drawn higher than it."""
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "TERM": "xterm", "PYTHONPATH": str(REPOSITORY)}
    words = [*COMMAND_LINE, "init", "--background", "dark", "--icons", "ascii"]
    with Typist(words, env, tmp_path, size=(10, 30)) as user:
        drawn = user.sees("number, Ent")
        user.types("\x1b[F")
        again = user.sees("number, Ent")
        assert max(drawn.count("\n"), again.count("\n")) < 10
        user.types("q")
        assert user.ends() == 1
        assert user.now() == user.modes


@pytest.mark.parametrize(
    ("chosen", "pressed", "typed", "count", "then"),
    [
        (0, terminal.UP, "", 5, (4, "")),
        (4, terminal.DOWN, "", 5, (0, "")),
        (2, "k", "", 5, (1, "")),
        (2, terminal.END, "", 5, (4, "")),
        (2, terminal.HOME, "", 5, (0, "")),
        (2, terminal.OTHER, "", 5, (2, "")),
        (2, "4", "4", 5, (3, "4")),
        (0, "2", "12", 28, (11, "12")),
        (0, "9", "29", 28, (8, "9")),
        (3, "0", "0", 5, (3, "")),
    ],
)
def test_marked(chosen: int, pressed: str, typed: str, count: int, then: Any) -> None:
    """Arrows go round, digits name an answer as far as there is one of that number."""
    assert menu._moved(chosen, pressed, typed, count) == then
