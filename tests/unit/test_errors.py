"""`ohud.errors`: how a problem is drawn, and the wording helpers."""

import pytest

from ohud.errors import LINE_LIMIT, Problem, Span, count, either, invisible, nearest, notice, quote, render

LENGHT = Problem(
    "segment-path", "unknown function `lenght`", Span("plain.toml", 7, 10, 6), "did you mean `length`?", "part"
)
TEXT = "\n" * 6 + 'turns = "lenght(messages)"\n'


def test_report_has_head_place_excerpt_and_help() -> None:
    """The whole report, as people see it."""
    assert render(LENGHT, TEXT) == (
        "error[segment-path]: unknown function `lenght`\n"
        " --> plain.toml:7:10\n"
        "  |\n"
        '7 | turns = "lenght(messages)"\n'
        "  |          ^^^^^^\n"
        "help: did you mean `length`?"
    )


def test_ignored_problems_are_warnings() -> None:
    """What loses nothing when drawing is called a warning."""
    problem = Problem("theme-shape", "unknown key `x`", None, None, "ignored")
    assert render(problem) == "warning[theme-shape]: unknown key `x`"


def test_colour_only_adds_sequences() -> None:
    """With the sequences taken out, the coloured report is the plain one."""
    import re

    coloured = render(LENGHT, TEXT, color=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == render(LENGHT, TEXT)


def excerpt(line: str, column: int | None, length: int = 1) -> tuple[str, str]:
    """The excerpt's line and its carets."""
    drawn = render(Problem("theme-shape", "x", Span("f", 1, column, length)), line).split("\n")
    return drawn[3].removeprefix("1 | "), drawn[4].removeprefix("  | ")


@pytest.mark.parametrize(
    ("line", "column", "length", "shown", "carets"),
    [
        ("abc", 2, 1, "abc", " ^"),
        ("a\tbc", 3, 1, "a   bc", "    ^"),
        ("日本x", 3, 1, "日本x", "    ^"),
        ("日本x", 2, 1, "日本x", "  ^^"),
        ("e\u0301x", 3, 1, "e\u0301x", " ^"),
        ("a\u202eb", 3, 1, "a<U+202E>b", "         ^"),
        ("a\u202eb", 2, 1, "a<U+202E>b", " ^^^^^^^^"),
        ("  abc  ", None, 0, "  abc", "  ^^^"),
        ("abc", 4, 1, "abc", "   ^"),
        ("abc", 2, 50, "abc", " ^^"),
        ("abc", 90, 1, "abc", "   ^"),
    ],
)
def test_caret_stands_under_the_place(line: str, column: int | None, length: int, shown: str, carets: str) -> None:
    """Tabs, wide, combining and hidden characters are accounted for."""
    drawn_line, drawn_carets = excerpt(line, column, length)
    assert (drawn_line, drawn_carets) == (shown, carets)


def test_long_lines_are_cut_around_the_place() -> None:
    """A place far to the right is shown with what stands around it, and the caret is under it."""
    shown, carets = excerpt("a" * 5000 + "!" + "b" * 5000, 5001)
    assert shown.startswith("…a") and shown.endswith("b…")
    assert shown[len(carets) - 1] == "!"
    assert len(shown) <= 130


def test_no_excerpt_without_text_or_line() -> None:
    """A span outside the text, or a file that could not be read, shows its place only."""
    place = [" --> f:9:1"]
    assert render(Problem("theme-shape", "x", Span("f", 9, 1, 1)), "one line").split("\n")[1:] == place
    assert render(Problem("theme-shape", "x", Span("f", 9, 1, 1)), None).split("\n")[1:] == place
    assert render(Problem("theme-shape", "x", Span("f")), "one line").split("\n")[1:] == [" --> f"]


def test_lines_hold_no_controls_and_are_bounded() -> None:
    """Whatever is in message, path, help or file: no control character comes out, no line passes the limit."""
    evil = "\x1b]0;pwn\x07\u202e\n\r\x9b" * 200
    problem = Problem("theme-shape", evil, Span(evil, 1, 5, 9000), evil)
    for line in [*render(problem, evil.replace("\n", " ")).split("\n"), notice(problem)]:
        assert len(line) <= LINE_LIMIT
        assert not any(invisible(character) for character in line)


def test_notice_is_one_short_line() -> None:
    """File without its folder, place, message, and the command that says more."""
    assert notice(LENGHT) == "ohud: plain.toml:7:10 unknown function `lenght`, run: ohud check"
    far = Problem("toml-text", "m" * 500, Span("/a/long/way/" + "f" * 300 + ".toml", 3))
    assert len(notice(far)) <= 120
    assert notice(far).startswith("ohud: ffff") and notice(far).endswith("…, run: ohud check")
    assert notice(Problem("host-settings", "no file")) == "ohud: no file, run: ohud check"


def test_wording() -> None:
    """Counts, choices, near words and quotes."""
    assert [count(number, "problem") for number in (0, 1, 2)] == ["0 problems", "1 problem", "2 problems"]
    assert either(["a"]) == "`a`"
    assert either(["a", "b", "c"]) == "`a`, `b` or `c`"
    assert nearest("prioritty", ["priority", "palette"]) == "priority"
    assert nearest("Priority", ["priority"]) == "priority"
    assert nearest("shimmer", ["priority", "palette"]) is None
    assert quote("a\x1bb\tc") == "`a<U+001B>b c`"
    assert quote("x" * 100, 10) == "`" + "x" * 9 + "…`"
