"""Styles as markers, and the painting of them."""

from typing import Any

import pytest

from ohud.run import world
from ohud.run.fault import Fault
from ohud.run.style import STYLE_FILTERS, Sheet, balanced, gradient, heat, paint
from ohud.theme.styles import wrong_colour, wrong_style

PALETTE = {"accent": "#8be9fd", "warn": "yellow", "alias": "accent", "far": "alias", "red": "red", "loop": "loop2"}
URL = "https://example.org/x"
OPEN, CLOSE = f"\x1b]8;;{URL}\x1b\\", "\x1b]8;;\x1b\\"


def sheet(depth: int = 24, **more: Any) -> Sheet:
    """A sheet with the palette of these tests."""
    return Sheet(depth, PALETTE, **more)


@pytest.mark.parametrize(
    ("spec", "depth", "code"),
    [
        ("red", 24, "31"),
        ("fg:bright_blue", 24, "94"),
        ("fg:brightBlue", 4, "94"),
        ("fg:gray", 24, "90"),
        ("fg:default bg:default", 24, "39;49"),
        ("bg:red", 24, "41"),
        ("bg:9", 24, "101"),
        ("fg:208", 24, "38;5;208"),
        ("bg:208", 8, "48;5;208"),
        ("fg:208", 4, "93"),
        ("#010203", 24, "38;2;1;2;3"),
        ("bg:#ff8700", 8, "48;5;208"),
        ("#808080", 8, "38;5;244"),
        ("#000000", 4, "30"),
        ("#555555", 4, "90"),
        ("#c0c0c0", 4, "37"),
        ("#ffffff", 4, "97"),
        ("#ff5555", 4, "91"),
        ("#50fa7b", 4, "92"),
        ("#8be9fd", 4, "96"),
        ("#bd93f9", 4, "95"),
        ("#0000aa", 4, "34"),
        ("accent", 24, "38;2;139;233;253"),
        ("fg:alias", 24, "38;2;139;233;253"),
        ("warn bold", 24, "1;33"),
        ("bold dim italic underline reverse strike", 24, "1;2;3;4;7;9"),
    ],
)
def test_spec(spec: str, depth: int, code: str) -> None:
    """A spec gives these SGR parameters at this depth, and is over at the line's end."""
    page = sheet(depth)
    assert paint([page.wrap("x", spec)], page) == f"\x1b[{code}mx\x1b[0m"


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("blink", "unknown colour `blink`"),
        ("fg:nope", "unknown colour `nope`"),
        ("fg:", "unknown colour ``"),
        ("bg:#12345", "unknown colour `#12345`"),
        ("bg:#12345g", "unknown colour `#12345g`"),
        ("256", "unknown colour `256`"),
        ("-1", "unknown colour `-1`"),
        ("²", "unknown colour `²`"),
        ("brightdefault", "unknown colour `brightdefault`"),
        ("far", "unknown colour `far`"),
        ("loop", "unknown colour `loop`"),
    ],
)
def test_wrong_spec(spec: str, reason: str) -> None:
    """An unknown word or colour is a fault at every depth; the checks give the reason."""
    for depth in (24, 0):
        with pytest.raises(Fault):
            sheet(depth).wrap("x", spec)
    flaw = wrong_style(spec, PALETTE)
    assert flaw is not None and flaw.message == reason


def test_checks() -> None:
    """What is right has no reason; a colour may be a number."""
    assert wrong_style("bold fg:accent bg:#303030", PALETTE) is None
    assert wrong_colour(240, {}) is None
    unknown, near = wrong_colour(256, {}), wrong_colour("acent", {"accent": "red"})
    assert unknown is not None and unknown.message == "unknown colour `256`"
    assert near is not None and near.help == "did you mean `accent`?"


def test_a_wrong_style_is_marked_at_its_word() -> None:
    """The place and length are those of the one word that is wrong."""
    flaw = wrong_style("bold fg:red  bg:acent", {"accent": "red"})
    assert flaw is not None and (flaw.start, flaw.length, flaw.help) == (16, 5, "did you mean `accent`?")


@pytest.mark.parametrize("colour", [None, True, 1.5, [], {}, "red bold", -1, 256])
def test_wrong_colour_argument(colour: object) -> None:
    """Anything that is no colour is a fault."""
    with pytest.raises(Fault):
        STYLE_FILTERS["fg"](sheet(), "x", colour)


def test_nesting() -> None:
    """After the inner style ends, the outer returns."""
    page = sheet()
    inner = page.wrap("in", "fg:red bold")
    assert paint([page.wrap(f"a{inner}b", "fg:green bg:blue")], page) == ("\x1b[32;44ma\x1b[1;31min\x1b[22;32mb\x1b[0m")
    assert paint([page.wrap("d" + page.wrap("b", "bold") + "d", "dim")], page) == ("\x1b[2md\x1b[1mb\x1b[22;2md\x1b[0m")
    assert paint([page.wrap("a", "red") + page.wrap("b", "red") + "c"], page) == "\x1b[31mab\x1b[0mc"


def test_filters_keep_text_in_their_style() -> None:
    """A filter's style covers its text, whatever markers a cut left in it."""
    page = sheet()
    half = page.wrap("green", "green")[:-1]
    tail = page.wrap("green", "green")[1:]
    assert paint([page.wrap(half, "bold") + "x"], page) == "\x1b[1;32mgreen\x1b[0mx"
    assert paint([page.wrap(f"a{tail}b", "bold") + "x"], page) == "\x1b[1magreenb\x1b[0mx"
    assert balanced("a\udc00b\ud800c") == "ab\ud800c\udc00"
    assert balanced("plain") == "plain"


def test_style_filters() -> None:
    """Each filter by name."""
    page = sheet()
    text = "".join(
        [STYLE_FILTERS[name](page, "x") for name in ("bold", "dim", "italic", "underline", "strike", "reverse")]
    )
    text += STYLE_FILTERS["fg"](page, "x", "red") + STYLE_FILTERS["bg"](page, "x", 240)
    text += STYLE_FILTERS["style"](page, "x", "warn") + STYLE_FILTERS["link"](page, "x", URL)
    assert paint([text], page) == (
        "\x1b[1mx\x1b[22;2mx\x1b[22;3mx\x1b[23;4mx\x1b[24;9mx\x1b[29;7mx\x1b[27;31mx\x1b[39;48;5;240mx\x1b[33;49mx"
        f"\x1b[0m{OPEN}x{CLOSE}"
    )


@pytest.mark.parametrize(
    ("variables", "bits"),
    [
        ({}, 4),
        ({"TERM": "linux"}, 4),
        ({"TERM": "screen"}, 4),
        ({"TERM": "tmux-256color"}, 8),
        ({"TERM": "xterm-direct"}, 24),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, 24),
        ({"TERM": "xterm", "COLORTERM": "yes"}, 4),
        ({"TERM": "dumb", "COLORTERM": "truecolor"}, 0),
        ({"TERM": "dumb", "FORCE_COLOR": ""}, 0),
        ({"TERM": "dumb", "FORCE_COLOR": "true"}, 4),
        ({"TERM": "dumb", "FORCE_COLOR": "3"}, 24),
        ({"TERM": "xterm-256color", "FORCE_COLOR": "true"}, 8),
        ({"TERM": "xterm-256color", "FORCE_COLOR": "0"}, 0),
        ({"TERM": "xterm-256color", "FORCE_COLOR": "1"}, 4),
        ({"TERM": "xterm-256color", "NO_COLOR": "0"}, 0),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, 8),
        ({"TERM": "xterm-256color", "NO_COLOR": "1", "FORCE_COLOR": "3"}, 0),
    ],
)
def test_depth_of_a_terminal(variables: dict[str, str], bits: int) -> None:
    """What the variables say; those of no-color.org and force-color.org come first."""
    assert world.depth("auto", variables.get) == bits


def test_no_colour() -> None:
    """Without colour there is no SGR, but links stay; where they are unwanted there are none."""
    page = sheet(0)
    text = page.wrap("a", "bold red") + page.link("b", URL) + gradient(page, "c", 50, "red", "green")
    assert paint(["  " + text], page) == f"  a{OPEN}b{CLOSE}c"
    page = sheet(0, links_allowed=False)
    assert page.link("b", URL) == "b"
    assert page.wrap("", "red") == ""


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "ssh://-oProxyCommand=x",
        "https://e.x/ b",
        "https://e.x/\x07",
        "https://e.x/\x1b\\",
        "https://é.x/",
        "https://e.x/" + "a" * 2048,
        "https://e.x/" + "a" * 500,  # as many characters as a value may have: its end was cut off
        "//e.x",
        "",
        None,
        7,
    ],
)
def test_refused_links(url: object) -> None:
    """An address of another scheme or with any odd character is no link; the text stays."""
    assert STYLE_FILTERS["link"](sheet(), "x", url) == "x"


def test_links() -> None:
    """Links are closed, nest by returning to the outer, and may be files where the user allowed that."""
    page = sheet()
    other = "HTTP://example.org/y"
    assert paint([page.link("a" + page.link("b", other) + "c", URL) + "d"], page) == (
        f"{OPEN}a{CLOSE}\x1b]8;;{other}\x1b\\b{CLOSE}{OPEN}c{CLOSE}d"
    )
    page = sheet(file_links=True)
    assert paint([page.link("a", "file:///x")], page) == f"\x1b]8;;file:///x\x1b\\a{CLOSE}"
    page = sheet()
    assert [page.link("x", f"https://e.x/{n}") for n in range(600)].count("x") == 600 - 511


def test_paint_is_the_gate() -> None:
    """Controls, stray markers and unknown ones are deleted; open styles end with their line."""
    page = sheet()
    page.wrap("x", "red")
    assert paint(["a\x1b[31mb\x07\x7f\x9b", "\udc00\ud800c", "d\ude07\udf00\udfffe\ud9ff\udc01"], page) == (
        "a[31mb\n\x1b[31mc\x1b[0m\nde"
    )


def test_leading_blanks() -> None:
    """The host trims a line's start; an SGR before the blanks protects them."""
    page = sheet()
    assert paint(["  x", "\xa0é", page.wrap("  x", "red"), "x"], page) == (
        "\x1b[0m  x\n\x1b[0m\xa0é\n\x1b[31m  x\x1b[0m\nx"
    )


def test_gradient() -> None:
    """The colour stands where the number does; it is clamped, and unknown is plain."""
    page = sheet()

    def code(value: object, *colours: str | int, **more: object) -> str:
        return paint([gradient(page, "x", value, *colours, **more)], page)

    assert code(0, "#000000", "#ff0000") == "\x1b[38;2;0;0;0mx\x1b[0m"
    assert code(50, "#000000", "#640000", "#c80000") == "\x1b[38;2;100;0;0mx\x1b[0m"
    assert code(75, "#000000", "#640000", "#c80000") == "\x1b[38;2;150;0;0mx\x1b[0m"
    assert code(500, "#000000", "#640000") == code(100, "#000000", "#640000")
    assert code(-5, "#000000", "#640000") == code(0, "#000000", "#640000")
    assert code(3, "#010101") == "\x1b[38;2;1;1;1mx\x1b[0m"
    assert code(0, "#000000", "#ff0000", at=100.0) == "\x1b[38;2;255;0;0mx\x1b[0m"
    assert code(None, "red", "green") == code("7", "red") == code(True, "red") == "x"
    assert code(0, 232, "white") == "\x1b[38;2;8;8;8mx\x1b[0m"
    with pytest.raises(Fault):
        gradient(page, "x", 1)
    with pytest.raises(Fault):
        gradient(page, "x", 1, "nope")


def test_heat() -> None:
    """Green, yellow, red, at each depth."""
    for depth, codes in ((24, ("38;2;76;175;80", "38;2;255;193;7", "38;2;244;67;54")), (4, ("32", "93", "91"))):
        page = sheet(depth)
        assert [paint([heat(page, "x", value)], page) for value in (0, 50, 100)] == [
            f"\x1b[{code}mx\x1b[0m" for code in codes
        ]


def test_too_many_styles() -> None:
    """Past 1024 styles text stays plain instead of failing."""
    page = sheet()
    texts = [page.wrap("x", f"#{n:06x}") for n in range(1100)]
    assert texts.count("x") == 1100 - 1024
    assert paint([texts[1023]], page) == "\x1b[38;2;0;3;255mx\x1b[0m"


def test_rows_are_bounded() -> None:
    """Rows in rows cannot grow without end, and there are at most 256 of them."""
    page = sheet()
    row = page.row([("x" * 60, 1)])
    with pytest.raises(Fault):
        for _ in range(40):
            row = page.row([(row, 1), (row, 1)])
    page = sheet()
    with pytest.raises(Fault):
        for _ in range(300):
            page.row([("x", 1)])
