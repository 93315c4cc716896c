"""`ohud.theme.read`: which files make a theme, how they merge, and what stands in for a broken one."""

import os
import socket
import time
from pathlib import Path

import pytest
from pace import bound

from ohud.theme import read
from ohud.theme.read import Loaded, Place, load, place, read_theme_file
from ohud.theme.source import DOTS_IN_A_FILE, SIZE_LIMIT, parse

CLASSIC = "name = 'classic'\ntemplate = '{{ model }}'\nsegments.model = 'model.display_name'\n"


class Home:
    """A home with a config folder, user themes and a folder of bundled ones."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.config = root / "conf" / "config.toml"
        self.user = root / "conf" / "themes"
        self.bundled = root / "bundled"
        self.user.mkdir(parents=True)
        self.bundled.mkdir()
        self.write("bundled/classic.toml", CLASSIC)

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def load(self, config: str | bytes | None = None, theme: str | None = None, **how: object) -> Loaded:
        if config is not None:
            self.write("conf/config.toml", config)
        directory = how.get("directory")
        return load(
            str(self.config),
            home=str(self.root),
            theme=theme,
            directory=str(directory) if directory else None,
            required=bool(how.get("required")),
            bundled=str(self.bundled),
        )


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def messages(loaded: Loaded) -> list[str]:
    return [problem.message for problem in loaded.problems]


def test_without_any_config_the_default_theme_is_drawn(home: Home) -> None:
    """No file: classic and the defaults; the missing config is among the paths that were looked at."""
    loaded = home.load()
    assert (loaded.theme.name, loaded.problems, loaded.failed) == ("classic", [], False)
    assert (loaded.theme.icons, loaded.theme.color, loaded.theme.margin) == ("emoji", "auto", 4)
    assert loaded.theme.limits == {"lines": 10, "bytes": 16384, "cells": 1000}
    assert loaded.theme.fallback["no_input"] == "ohud: no stdin (setup verification)"
    assert loaded.theme.fallback["empty"] == "ohud"
    assert "ohud doctor" in loaded.theme.fallback["error"]
    assert loaded.theme.columns is None and loaded.theme.notices and loaded.theme.links == ()
    assert loaded.sources == [str(home.config), str(home.bundled / "classic.toml")]
    assert loaded.stamps[0] == (str(home.config), None, None, None, None)


def test_a_place_without_config_folder_works() -> None:
    """With neither home nor config path the shipped classic is drawn."""
    loaded = load(None, home=None)
    assert (loaded.theme.name, loaded.problems) == ("classic", [])
    assert loaded.classic.segments


def test_required_config_must_be_there(home: Home) -> None:
    """A config that was asked for by name and is missing is a mistake; by default it is not."""
    assert home.load().problems == []
    loaded = home.load(required=True)
    assert loaded.failed and "does not exist" in messages(loaded)[0]


def test_stamps_are_those_of_what_was_read(home: Home) -> None:
    """Each file found has its times, size and inode."""
    loaded = home.load("margin = 2\n")
    for path, *facts in loaded.stamps:
        seen = os.stat(path)
        assert facts == [seen.st_mtime_ns, seen.st_ctime_ns, seen.st_size, seen.st_ino]


def test_theme_by_name_comes_from_the_shipped_then_the_users_folder(home: Home) -> None:
    """A name is looked up in both folders, the shipped one first; both places are remembered."""
    home.write("conf/themes/mine.toml", "name = 'M'\ntemplate = 'm'\n")
    home.write("conf/themes/classic.toml", "name = 'other'\ntemplate = 'm'\n")
    loaded = home.load("theme = 'mine'\n")
    assert loaded.theme.name == "M"
    assert loaded.sources[1:] == [str(home.bundled / "mine.toml"), str(home.user / "mine.toml")]
    assert home.load("theme = 'classic'\n").theme.name == "classic"
    found = dict(read.theme_names(str(home.root / "conf"), str(home.bundled)))
    assert found == {"classic": str(home.bundled / "classic.toml"), "mine": str(home.user / "mine.toml")}


@pytest.mark.parametrize("written", ["{root}/own/t.toml", "~/own/t.toml", "../own/t.toml"])
def test_theme_by_path(home: Home, written: str) -> None:
    """Absolute, below home, and relative to the config's folder."""
    home.write("own/t.toml", "name = 'T'\ntemplate = 't'\n")
    loaded = home.load(f"theme = '{written.format(root=home.root)}'\n")
    assert (loaded.theme.name, loaded.problems) == ("T", [])


@pytest.mark.parametrize("name", ["../x", "a/b", "a b", "", "x" * 65, "CON", "nul", "a:b", "--help", "\\\\host\\x"])
def test_extends_takes_names_only(home: Home, name: str) -> None:
    """What is not a plain name of an existing theme is refused, and no file but the theme's own is looked at."""
    home.write("conf/themes/t.toml", f"extends = '{name}'\ntemplate = 't'\n")
    loaded = home.load("theme = 't'\n")
    assert loaded.failed and loaded.theme.name == "classic"
    allowed = {home.config, home.bundled / "t.toml", home.user / "t.toml", home.bundled / "classic.toml"}
    allowed |= {home.bundled / "--help.toml", home.user / "--help.toml"}
    assert set(map(Path, loaded.sources)) <= allowed


def test_unknown_theme_gets_a_hint(home: Home) -> None:
    """The place in the config, and the name that was probably meant."""
    loaded = home.load("\ntheme = 'clasic'\n")
    (problem,) = loaded.problems
    assert problem.message == "there is no theme `clasic`" and problem.help == "did you mean `classic`?"
    assert problem.span is not None and (problem.span.line, problem.span.column) == (2, 9)
    assert loaded.failed and loaded.theme.name == "classic"


def test_extends_merges_key_by_key(home: Home) -> None:
    """The theme's keys stand over those of what it extends: tables and segments key by key, the rest whole."""
    home.write(
        "bundled/base.toml",
        "template = 'b'\nseparator = '-'\n[palette]\na = 'red'\nb = 'blue'\n[segments]\nshort = 'x'\nkept = 'k'\n"
        "[segments.long]\nvalue = 'v'\nstyle = 'bold'\nlevels = [{ at = 9, style = 'dim' }]\n",
    )
    home.write(
        "bundled/top.toml",
        "extends = 'base'\nname = 'top'\n[palette]\nb = 4\n[limits]\nlines = 2\n[segments]\nlong = 'w'\n"
        "[segments.short]\nstyle = 'underline'\n",
    )
    loaded = home.load("theme = 'top'\n[palette]\nc = 'green'\n[segments.long]\npriority = 7\n")
    theme = loaded.theme
    assert loaded.problems == []
    assert (theme.name, theme.template, theme.separator, theme.layout) == ("top", "b", "-", None)
    assert theme.palette == {"a": "red", "b": "4", "c": "green"}
    assert theme.limits["lines"] == 2 and theme.limits["bytes"] == 16384
    long = theme.segments["long"]
    assert (long.value, long.style, long.priority, long.levels) == ("w", "bold", 7, ((9, "dim", None),))
    assert (theme.segments["short"].value, theme.segments["short"].style) == ("x", "underline")
    assert list(theme.segments) == ["short", "kept", "long"]
    files = {key: Path(found.source.path).name for key, found in long.places.items()}
    assert files == {
        "": "config.toml", "value": "top.toml", "style": "base.toml", "levels": "base.toml", "levels.0": "base.toml",
        "priority": "config.toml",
    }  # fmt: skip
    assert theme.places[("palette", "b")].span().line == 4


@pytest.mark.parametrize(("lower", "upper"), [("template", "layout"), ("layout", "template")])
def test_the_upper_file_chooses_template_or_layout(home: Home, lower: str, upper: str) -> None:
    """A layout over a template is drawn as a layout, and the other way round."""
    lines = {"template": "template = 't'\n", "layout": "layout = [['model']]\n"}
    home.write("bundled/t.toml", lines[lower] + "segments.model = 'm'\n")
    theme = home.load("theme = 't'\n" + lines[upper]).theme
    assert (theme.template is None) == (upper == "layout")
    assert (theme.layout is None) == (upper == "template")


def test_loops_and_depth_of_extends(home: Home) -> None:
    """Themes that extend each other are reported, and so is a fifth theme below the first."""
    home.write("bundled/a.toml", "extends = 'b'\ntemplate = 'a'\n")
    home.write("bundled/b.toml", "extends = 'a'\n")
    assert messages(home.load("theme = 'a'\n")) == ["themes extend each other in a loop"]
    home.write("bundled/self.toml", "extends = 'self'\ntemplate = 'a'\n")
    assert messages(home.load("theme = 'self'\n")) == ["themes extend each other in a loop"]
    home.write("bundled/d0.toml", "template = 'a'\n")
    for depth in range(1, 6):
        home.write(f"bundled/d{depth}.toml", f"extends = 'd{depth - 1}'\n")
    assert messages(home.load("theme = 'd4'\n")) == []
    assert messages(home.load("theme = 'd5'\n")) == ["themes extend each other more than 4 deep"]


def test_config_may_extend(home: Home) -> None:
    """A config that is itself a theme names what it changes by `extends` or by `theme`; `theme` wins."""
    home.write("bundled/base.toml", "template = 'base'\n")
    assert home.load("extends = 'base'\n").theme.template == "base"
    both = home.load("extends = 'base'\ntheme = 'classic'\n")
    assert both.theme.name == "classic" and [p.weight for p in both.problems] == ["ignored"]


def test_broken_config_means_classic_and_its_settings_where_they_can_be_read(home: Home) -> None:
    """A config that is no TOML counts as none; one with a wrong template still sets colours, margin and notices."""
    loaded = home.load("margin = 2\ntemplate =\n")
    assert (loaded.failed, loaded.theme.name, loaded.theme.margin) == (True, "classic", 4)
    loaded = home.load("margin = 2\nnotices = false\ntemplate = 5\nsegments.x = 'x'\n")
    assert (loaded.failed, loaded.theme.margin, loaded.theme.notices) == (True, 2, False)
    assert list(loaded.theme.segments) == ["model"]
    assert list(loaded.draft.segments) == ["model", "x"]


def test_broken_theme_means_classic_without_the_configs_changes(home: Home) -> None:
    """The config's segments were written for another theme; its machine settings stay."""
    home.write("conf/themes/t.toml", "template = \n")
    loaded = home.load("theme = 't'\ncolumns = 90\nseparator = '!'\nsegments.x = 'x'\n")
    assert loaded.failed and loaded.theme.columns == 90
    assert (loaded.theme.name, loaded.theme.separator, list(loaded.theme.segments)) == ("classic", " | ", ["model"])
    assert loaded.classic is loaded.theme


def test_classic_stands_by(home: Home) -> None:
    """For a theme that fails later, classic is at hand, and its file is stamped."""
    home.write("bundled/t.toml", "template = '{{'\n")
    loaded = home.load("theme = 't'\nmargin = 1\n")
    assert not loaded.failed
    assert (loaded.classic.name, loaded.classic.margin) == ("classic", 1)
    assert loaded.sources[-1] == str(home.bundled / "classic.toml")


@pytest.mark.parametrize("content", [None, "template = 5\n", "", "nonsense"])
def test_there_is_a_theme_even_without_classic(home: Home, content: str | None) -> None:
    """An installation without a usable classic still draws the model."""
    (home.bundled / "classic.toml").unlink()
    if content is not None:
        home.write("bundled/classic.toml", content)
    loaded = home.load("")
    assert loaded.failed and loaded.theme.layout == (("model",),)
    assert loaded.theme.segments["model"].value


def test_theme_given_by_hand_is_drawn_without_the_configs_changes(home: Home) -> None:
    """A preview shows the theme itself on this machine, whatever is wrong with the config."""
    home.write("bundled/t.toml", "name = 'T'\ntemplate = 't'\n")
    loaded = home.load("template = 'mine'\nmargin = 3\nicons = 'nerd'\n", theme="t")
    assert (loaded.theme.template, loaded.theme.margin, loaded.theme.icons) == ("t", 3, "nerd")
    loaded = home.load("oops\n", theme="t")
    assert (loaded.theme.name, loaded.failed, len(loaded.problems)) == ("T", False, 1)
    assert home.load("", theme=str(home.bundled / "t.toml")).theme.name == "T"
    assert home.load("", theme="no").failed


def test_projects_choose_by_directory(home: Home) -> None:
    """The longest path above the session's directory wins; `~` is home; names are not prefixes."""
    for name in ("one", "two"):
        home.write(f"bundled/{name}.toml", f"name = '{name}'\ntemplate = 't'\n")
    config = f"[projects.'~/work']\ntheme = 'one'\n[projects.'{home.root}/work/deep/']\ntheme = 'two'\n"
    at = {
        "": "classic",
        "work": "one",
        "work/x": "one",
        "work/deep": "two",
        "work/deep/er": "two",
        "workshop": "classic",
    }
    for below, name in at.items():
        assert home.load(config, directory=home.root / below).theme.name == name
    assert home.load(config).theme.name == "classic"


def test_settings_have_their_defaults(home: Home) -> None:
    """Family tables are whole, entries by name are filled in, incomplete ones are left out."""
    loaded = home.load(
        "links = ['file']\n[git]\nrefresh_s = 9\n[prices.'m-1']\ninput = 5\noutput = 2.5\n"
        "[commands.load]\nrun = ['/bin/uptime']\n[commands.none]\ntimeout_ms = 5\n"
    )
    settings = loaded.theme.settings
    assert settings["git"] == {"refresh_s": 9, "wait_ms": 100, "timeout_ms": 1000}
    assert settings["prices"] == {"m-1": {"input": 5, "output": 2.5}}
    assert settings["commands"] == {"load": {"run": ["/bin/uptime"], "refresh_s": 10, "timeout_ms": 1000}}
    assert settings["ollama"]["host"].startswith("http://") and settings["projects"] == {}
    assert loaded.theme.links == ("file",)
    assert messages(loaded) == ["`run` is missing in `commands.none`"]


def test_icons_pick_a_form(home: Home) -> None:
    """The config's `icons` picks the form; a missing one is replaced by one that is drawn everywhere."""
    theme = (
        "template = 't'\n[segments]\na = { value = 'x', icon = '*' }\n"
        "b = { value = 'x', icon = { nerd = 'N', emoji = 'E', ascii = 'A' } }\n"
        "c = { value = 'x', icon = { emoji = 'E' } }\nd = { value = 'x', icon = { nerd = 'N' } }\n"
    )
    home.write("bundled/t.toml", theme)
    for icons, picked in {"nerd": "*NEN", "emoji": "*EE-", "ascii": "*A--"}.items():
        segments = home.load(f"theme = 't'\nicons = '{icons}'\n").theme.segments
        assert "".join(segment.icon or "-" for segment in segments.values()) == picked


def test_palettes_follow_the_background(home: Home) -> None:
    """A theme's colours for a background lie over its others, and what a config says itself over both."""
    theme = (
        'template = "{{ 1 }}"\n[palette]\na = "red"\nb = "red"\nc = "red"\n[palette_light]\nb = "blue"\nc = "blue"\n'
    )
    home.write("bundled/own.toml", theme + '[palette_dark]\na = "green"\n')
    dark = home.load('theme = "own"\n').theme
    light = home.load('theme = "own"\nbackground = "light"\n[palette]\nc = "cyan"\n').theme
    assert (dark.background, dark.palette) == ("dark", {"a": "green", "b": "red", "c": "red"})
    assert (light.background, light.palette) == ("light", {"a": "red", "b": "blue", "c": "cyan"})


def test_levels_rise(home: Home) -> None:
    """Levels are in rising order, each with the place of its style."""
    home.write(
        "bundled/t.toml", "template = 't'\n[segments.a]\nvalue = 'x'\nlevels = [{at=9,style='b'},{at=-1.5,style='a'}]\n"
    )
    segment = home.load("theme = 't'\n").theme.segments["a"]
    assert segment.levels == ((-1.5, "a", None), (9, "b", None))
    assert [segment.places[f"levels.{n}"].path[-2] for n in (0, 1)] == [1, 0]


def test_levels_follow_options(home: Home) -> None:
    """A level may begin at an option and have a priority of its own; an option that is no number is named."""
    levels = "levels = [{ at = 'bad_at', style = 'red', priority = 9 }, { at = 'bad', style = 'blue' }]"
    options = "[options]\nbad_at = 80\nbad = true\n"
    home.write("bundled/t.toml", f"template = 't'\n{options}[segments.a]\nvalue = 'x'\n{levels}\n")
    loaded = home.load("theme = 't'\n[options]\nbad_at = 70\n")
    segment = loaded.theme.segments["a"]
    assert segment.levels == ((70, "red", 9),) and segment.broken
    (problem,) = loaded.problems
    assert problem.message == "there is no option `bad` with a number"
    assert problem.help == "did you mean `bad_at`?"
    assert problem.span is not None and problem.span.line == 7


def test_one_bad_segment_is_left_out_alone(home: Home) -> None:
    """A wrong key of a segment breaks that segment, whose name stays known; all mistakes are reported at once."""
    loaded = home.load(
        "[segments]\nbad = { value = 'x', priority = 'high', style = 3 }\ngood = 'y'\nempty = {}\n"
        "[limits]\nlines = 99\n"
    )
    assert not loaded.failed
    broken = {name: segment.broken for name, segment in loaded.theme.segments.items()}
    assert broken == {"model": False, "bad": True, "good": False, "empty": True}
    assert loaded.theme.limits["lines"] == 10
    assert [problem.weight for problem in loaded.problems] == ["part"] * 4


def test_default_alone_makes_a_segment(home: Home) -> None:
    """A segment without a value but with a default is constant text."""
    segment = home.load("segments.a.default = 'x'\n").theme.segments["a"]
    assert (segment.default, segment.broken) == ("x", False)


def test_subagents_have_their_own_segments(home: Home) -> None:
    """Short and long forms; `task` may not be a segment's name there."""
    loaded = home.load(
        "[subagents]\ntemplate = '{{ a }}'\n[subagents.segments]\na = 'task.id'\nb = { value = 'task.x' }\n"
    )
    assert loaded.theme.subagents.template == "{{ a }}"
    assert {name: segment.value for name, segment in loaded.theme.subagents.segments.items()} == {
        "a": "task.id",
        "b": "task.x",
    }
    assert home.load("segments.task = 'x'\n").failed is False
    assert home.load("subagents.segments.task = 'x'\n").failed is True


def test_layout_keeps_known_names(home: Home) -> None:
    """A name that is no segment is reported in its place and left out of the row."""
    loaded = home.load("layout = [['model', 'gti'], ['git']]\n[segments]\ngit = 'x'\n")
    assert loaded.theme.layout == (("model",), ("git",))
    (problem,) = loaded.problems
    assert problem.span is not None and (problem.span.column, problem.help) == (21, "did you mean `git`?")


@pytest.mark.parametrize("kind", ["directory", "fifo", "device", "socket", "memory", "loop", "dangling", "long", "nul"])
@pytest.mark.parametrize("role", ["config", "theme"])
def test_odd_files_end_at_once(home: Home, kind: str, role: str) -> None:
    """Whatever the path is, there is an answer without waiting: classic and one fatal problem."""
    path = home.root / "odd"
    if kind == "directory":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "socket":
        sock = socket.socket(socket.AF_UNIX)
        here = os.getcwd()
        os.chdir(home.root)  # a socket's path is short
        sock.bind("odd")
        os.chdir(here)
        sock.close()
    elif kind in ("device", "memory", "loop", "dangling"):
        target = {"device": "/dev/zero", "memory": "/proc/self/mem", "loop": "odd", "dangling": "gone"}[kind]
        path.symlink_to(target)
    written = {"long": "/" + "x" * 9000, "nul": "/a\0b"}.get(kind, str(path))
    begin = time.monotonic()
    if role == "config":
        loaded = load(written, home=None, required=True, bundled=str(home.bundled))
    else:
        loaded = home.load("notices = false\n", theme=written)
    assert time.monotonic() - begin < 1
    assert loaded.failed and loaded.theme.name == "classic"
    assert len(loaded.problems) == 1


def test_links_are_followed(home: Home) -> None:
    """Dotfile managers link configs and themes into place."""
    real = home.write("store/t.toml", "name = 'T'\ntemplate = 't'\n")
    (home.user / "t.toml").symlink_to(real)
    assert home.load("theme = 't'\n").theme.name == "T"


def test_size_limit_is_exact(home: Home) -> None:
    """32 KiB are read, one byte more is not; multi-byte text is measured in bytes."""
    filler = "#" * (SIZE_LIMIT - len("margin = 3\n"))
    assert home.load("margin = 3\n" + filler).theme.margin == 3
    loaded = home.load("margin = 3\n" + filler + "#")
    assert loaded.failed and messages(loaded) == ["the file is larger than 32 KiB"]
    assert home.load("margin = 3\n# " + "é" * (SIZE_LIMIT // 2)).failed


def test_text_may_be_handed_in(home: Home) -> None:
    """The content can come from elsewhere than the file."""
    for text in ("margin = 9\n", b"\xef\xbb\xbfmargin = 9\r\n"):
        loaded = load(str(home.config), home=None, text=text, bundled=str(home.bundled))
        assert (loaded.theme.margin, loaded.problems) == (9, [])


@pytest.mark.parametrize(
    "text", ["a.b = 1\n" * 1, "x = '" + "." * 201 + "'\n", "# .\n" * (DOTS_IN_A_FILE + 1)], ids=["few", "line", "file"]
)
def test_dots_are_counted_before_parsing(text: str) -> None:
    """Lines and files full of dots, which can cost the parser seconds, are refused unparsed."""
    refused = [problem.message for problem in parse(text, "t").problems if "dots" in problem.message]
    assert bool(refused) == (text != "a.b = 1\n")


@pytest.mark.parametrize(
    "text", ["👩‍👩‍👧‍👦", "❤️", "👍🏽‍❄️", "\ue0b0\U000f0001", "مرحبا", "שלום", "日本", "\u2800x", "e\u0301", "x\u00a0y"]
)
def test_visible_text_of_all_scripts_is_fine(text: str) -> None:
    """Emoji sequences, private-use glyphs, right-to-left scripts, marks and blanks may stand in a theme."""
    assert parse(f"separator = '{text}'\n", "t").problems == []


@pytest.mark.parametrize(
    "hidden",
    [
        "\u202e",
        "\u2066",
        "\u200b",
        "a\u200db",
        "\u200f",
        "\ufeff",
        "\u00ad",
        "\U000e0041",
        "\u2028",
        "\x85",
        "\x1b",
        "\x00",
        "\r",
    ],
)
@pytest.mark.parametrize("where", ["value", "key", "comment", "escaped value", "escaped key"])
def test_hidden_characters_are_refused_everywhere(hidden: str, where: str) -> None:
    """In a value, a key or a comment, as they are or by an escape."""
    escaped = "".join(f"\\U{ord(character):08x}" for character in hidden)
    text = {
        "value": f'name = "{hidden}"',
        "key": f'"{hidden}" = 1',
        "comment": f"# {hidden} x",
        "escaped value": f'name = "{escaped}"',
        "escaped key": f'unknown = [{{"{escaped}" = 1}}]',
    }[where]
    problems = parse(text + "\n", "t").problems
    assert [problem.weight for problem in problems] == ["fatal"]
    assert "U+" in problems[0].message or hidden == "\r"
    span = problems[0].span
    assert span is not None and span.line == 1 and span.column is not None


def test_pieces_of_texts_are_placed() -> None:
    """An offset or a line inside a text becomes a place in the file, escapes and trimmed line ends included."""
    source = parse("a = 'one two'\nb = \"tab\\tend\"\nc = '''\nx\n  yy'''\nd = { e = 'f' }\nn = 5\n", "t")

    def at(path: tuple[str, ...], start: int = -1, length: int = 0, line: int | None = None) -> tuple[object, ...]:
        span = place(source, path, start, length, line)
        return span.line, span.column, span.length

    assert at(("a",), 4, 3) == (1, 10, 3)
    assert at(("a",)) == (1, 5, 9)
    assert at(("b",), 4, 3) == (2, 11, 3)
    assert at(("b",), 3, 1) == (2, 9, 2)
    assert at(("c",), 4, 2) == (5, 3, 2)
    assert at(("c",), line=2) == (5, None, 0)
    assert at(("c",), line=99) == (5, None, 0)
    assert at(("c",), 999, 2) == (3, 5, 13)
    assert at(("d", "e"), 0, 1) == (6, 12, 1)
    assert at(("d", "e", "missing")) == (6, 11, 3)
    assert at(("n",), 0, 1) == (7, 5, 1)
    assert at(("gone",)) == (None, None, 0)
    assert Place(source, ("a",)).span(4, 3) == place(source, ("a",), 4, 3)


def test_a_file_is_told_a_config_by_what_is_in_it(home: Home) -> None:
    """By its name, by a key that only configs have; in a folder `themes` it is a theme in any case."""
    where = {"config_dir": str(home.root / "conf"), "bundled": str(home.bundled)}

    def failed(name: str, text: str, kind: str | None = None) -> bool:
        return read_theme_file(str(home.write(name, text)), home=None, kind=kind, **where).failed

    assert failed("config.toml", "") is False
    assert failed("other.toml", "") is True
    assert failed("other.toml", "margin = 1\n") is False
    assert failed("themes/other.toml", "margin = 1\n") is True
    assert failed("other.toml", "margin = 1\n", "theme") is True
    assert failed("other.toml", "", "config") is False


def test_config_keys_in_a_theme_do_nothing(home: Home) -> None:
    """A theme cannot set what concerns the machine, nor name programs: said by check, ignored when drawn."""
    home.write(
        "bundled/t.toml", "template = 't'\nmargin = 0\n[commands.c]\nrun = ['/bin/true']\n[prices.x]\ninput = 1\n"
    )
    theme = home.load("theme = 't'\n")
    assert (theme.failed, theme.theme.margin, theme.theme.settings["commands"]) == (False, 4, {})
    assert [problem.weight for problem in theme.problems] == ["ignored"] * 3


def test_shipped_folders_are_found() -> None:
    """Themes and schemas are where they ship, in a checkout as well."""
    assert os.path.isfile(os.path.join(read.bundled_dir(), "classic.toml"))
    assert os.path.isfile(os.path.join(read.bundled_dir("schema"), "theme.schema.json"))


def test_many_mistakes_cost_little(home: Home) -> None:
    """A file full of mistakes is answered at once: the first ones are said, the rest are counted."""
    home.write("bundled/t.toml", "template = 't'\n" + "".join(f"templat{n} = 1\n" for n in range(1800)))
    begin = time.thread_time()
    loaded = home.load("theme = 't'\n")
    assert time.thread_time() - begin < bound(0.4)
    assert not loaded.failed
    assert messages(loaded)[0] == "1740 mistakes more in this file"
    assert len(loaded.problems) == 61
    home.write("bundled/t.toml", "template = 't'\n[segments]\n" + "".join(f"A{n} = ''\n" for n in range(200)))
    assert home.load("theme = 't'\n").failed
    home.write("bundled/t.toml", "template = 't'\n[segments]\n" + "".join(f"a{n} = ''\n" for n in range(257)))
    assert messages(home.load("theme = 't'\n")) == ["`segments` has 257 entries, 256 are allowed"]


@pytest.mark.parametrize("filler", ["\u202e", "\u200d", "\x1b", "👩\u200d", "é", "\\u202e", "a=1\n", "[a]\n", "''"])
def test_worst_files_within_the_limits_cost_little(filler: str) -> None:
    """Files of the allowed size, full of one thing, are answered in time."""
    text = "template = '''\n" + filler * ((SIZE_LIMIT - 30) // len(filler.encode())) + "'''\n"
    begin = time.thread_time()
    parse(text.encode(), "t")
    assert time.thread_time() - begin < bound(0.3)
