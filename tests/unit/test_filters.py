"""The filters for people, and how text, number and list filters treat what they are not made for."""

import os
import time
from collections.abc import Iterator
from typing import Any

import pytest

from ohud.run.fault import Fault
from ohud.run.filters import FILTERS, check_format
from ohud.run.style import Sheet
from ohud.run.template import Context
from ohud.run.value import TESTS, UNDEFINED, Segment, printed, weigh

NOW = 1_790_000_000.0  # Mon 2026-09-21 14:13:20 UTC


@pytest.fixture(autouse=True)
def zone() -> Iterator[None]:
    """Clock times are in the user's zone; pinned, so that the expected texts hold everywhere."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


def context(home: str | None = "/home/dev") -> Context:
    def nothing(name: str) -> Segment:
        return Segment(None, False, "", "")

    return Context(Sheet(0, {}), NOW, home, {}, {}, nothing)


def apply(name: str, value: Any, *arguments: Any, home: str | None = "/home/dev", **named: Any) -> Any:
    kind, function = FILTERS[name]
    if kind.startswith("context"):
        return function(context(home), value, *arguments, **named)
    return function(value, *arguments, **named)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("tokens", 0, "0"),
        ("tokens", 950, "950"),
        ("tokens", 1200, "1.2k"),
        ("tokens", 9949, "9.9k"),
        ("tokens", 9950, "10k"),
        ("tokens", 84_000, "84k"),
        ("tokens", 999_499, "999k"),
        ("tokens", 999_500, "1M"),
        ("tokens", 1_234_567, "1.2M"),
        ("tokens", 3_000_000_000, "3B"),
        ("tokens", -1200, "-1.2k"),
        ("money", 0, "$0.00"),
        ("money", 0.42, "$0.42"),
        ("money", 0.0123, "$0.01"),
        ("money", 0.0042, "$0.0042"),
        ("money", 541, "$541.00"),
        ("money", 1.005, "$1.01"),
        ("money", -0.5, "-$0.50"),
        ("percent", 28.0, "28%"),
        ("percent", 42.3, "42%"),
        ("percent", 42.5, "43%"),
        ("percent", 118, "118%"),
        ("percent", -0.2, "0%"),
        ("bytes", 0, "0 B"),
        ("bytes", 999, "999 B"),
        ("bytes", 1500, "1.5 kB"),
        ("bytes", 12_345_678_901, "12.3 GB"),
        ("bytes", 32e9, "32.0 GB"),
        ("bytes", 5e16, "50000.0 TB"),
        ("duration", 42, "42s"),
        ("duration", 59.9, "59s"),
        ("duration", 300, "5m"),
        ("duration", 11_520, "3h12m"),
        ("duration", 345_600, "96h"),
        ("duration", -30, "0s"),
        ("countdown", 7980, "2h13m"),
        ("countdown", 277_200, "3d5h"),
        ("countdown", 259_200, "3d"),
        ("countdown", 7200, "2h"),
        ("countdown", 300, "5m"),
        ("countdown", 30, "<1m"),
        ("countdown", -5, "<1m"),
        ("clock", NOW + 3600, "15:13"),
        ("clock", NOW + 3 * 86_400, "Thu 14:13"),
        ("ago", NOW - 20, "now"),
        ("ago", NOW - 300, "5m ago"),
        ("ago", NOW - 7300, "2h ago"),
        ("ago", NOW - 200_000, "2d ago"),
        ("ago", NOW + 99, "now"),
        ("blocks", 0, "▁"),
        ("blocks", 100, "█"),
        ("blocks", 140, "█"),
        ("spark", [0, 5, 10], "▁▅█"),
        ("spark", [7], "█"),
        ("spark", [0, 0], "▁▁"),
        ("spark", [], ""),
        ("spark", [1, None, 1], "█ █"),
        ("bar", 43, "████▎░░░░░"),
        ("bar", 0, "░" * 10),
        ("bar", 100, "█" * 10),
        ("bar", 118, "█" * 10),
        ("bar", -3, "░" * 10),
        ("bar", 99.9, "█" * 9 + "▉"),
        ("basename", "/a/b/c.ts", "c.ts"),
        ("basename", "C:\\Users\\dev\\x", "x"),
        ("basename", "/a/b/", "b"),
        ("basename", "/", "/"),
        ("basename", "plain", "plain"),
        ("short_path", "/home/dev", "~"),
        ("short_path", "/home/dev/demo", "~/demo"),
        ("short_path", "/home/developer/demo", "/home/developer/demo"),
        ("short_path", "~/demo", "~/demo"),
        ("short_path", "C:/Users/Dev/demo", "C:/Users/Dev/demo"),
        ("short_path", "C:\\Users\\Dev\\demo", "C:\\Users\\Dev\\demo"),
        ("short_path", "/home/dev/one/two-long-name/three-long-name/four/five", "~/…/three-long-name/four/five"),
        ("short_path", "", ""),
    ],
)
def test_numbers_and_paths_read_well(name: str, value: Any, text: str) -> None:
    """Each filter for people gives exactly this text."""
    assert apply(name, value) == text


def test_options_of_the_filters_for_people() -> None:
    """Digits, widths and glyphs are the theme's choice."""
    assert apply("money", 0.4242, 3) == "$0.424"
    assert apply("percent", 42.36, 1) == "42.4%"
    assert apply("percent", 42.0, digits=2) == "42%"
    assert apply("bar", 43, 10, "#", "-") == "####------"
    assert apply("bar", 50, 4, empty=" ") == "██  "
    assert apply("short_path", "C:\\Users\\Dev\\demo", home="C:\\Users\\Dev") == "~\\demo"
    assert apply("short_path", "/x/demo", home="/") == "/x/demo"
    assert apply("short_path", "/x/demo", home=None) == "/x/demo"
    assert apply("pad", "日本", 6, "right") == "  日本"
    assert apply("ellipsis", "日本語", 4) == "日…"
    assert apply("cells", "日本") == 4


def test_a_width_below_zero_is_none() -> None:
    """What a theme takes from the terminal's width may be more than there is."""
    assert apply("ellipsis", "x", -4) == ""
    assert apply("pad", "x", -4) == "x"
    assert apply("bar", 43, -4) == apply("bar", 43, 0) == ""


@pytest.mark.parametrize("share", [n / 7 for n in range(701)])
def test_a_bar_is_as_wide_as_asked(share: float) -> None:
    """Ten cells whatever the share."""
    assert len(apply("bar", share, 10)) == 10


@pytest.mark.parametrize(
    "name",
    ["tokens", "money", "percent", "bytes", "duration", "countdown", "clock", "ago", "bar", "blocks", "round", "abs"],
)
def test_a_numeric_text_is_not_a_number(name: str) -> None:
    """A number filter given a text, boolean or list is a fault, not a guess."""
    for value in ("42", [42], {"a": 1}):
        with pytest.raises(Fault):
            apply(name, value)


@pytest.mark.parametrize(
    ("name", "value", "arguments"),
    [
        ("center", "x", (10**9,)),
        ("center", "x", ("9",)),
        ("replace", "", ("", "y" * 9000)),
        ("replace", "x" * 5000, ("x", "yy")),
        ("truncate", "x", (10**9,)),
        ("truncate", "x", (2,)),
        ("join", ["a"] * 9, ("z" * 2000,)),
        ("round", 1.5, (10**9,)),
        ("round", 1.5, (2, "up")),
        ("int", "9" * 50, ()),
        ("pad", "x", (10**9,)),
        ("ellipsis", "x", (-(10**9),)),
        ("batch", [1], (10**9,)),
        ("slice", [1], (0,)),
        ("bar", 5, (10**9,)),
        ("bar", 5, (5, "ab")),
        ("clock", 1e18, ()),
        ("sum", ["a"], ()),
        ("dictsort", {"a": 1}, (False, "x")),
        ("format", "%500d", (1,)),
    ],
)
def test_what_is_too_large_is_refused_before_it_is_made(name: str, value: Any, arguments: tuple[Any, ...]) -> None:
    """Widths, counts and lengths out of bounds are faults."""
    with pytest.raises(Fault):
        apply(name, value, *arguments)


def test_formats_are_checked() -> None:
    """Only conversions that cannot leak or grow."""
    assert check_format("%d %i %5.1f %F %-9e %g %s %% %+d %05d") is None
    for wrong in ("%r", "%a", "%x", "%c", "%", "%100d", "%.21f", "%*d", "%(a)s", "a % b", "%.", "%999999999999d", "%5"):
        assert check_format(wrong), wrong


def test_conversions_that_fail_give_the_default() -> None:
    """`int` and `float` are jinja2's, and never give what is not finite."""
    assert apply("int", "42.9") == 42
    assert apply("int", "x", 7) == 7
    assert apply("int", "1" * 500, 3) == 3
    assert apply("float", "1e999", 1.5) == 1.5
    assert apply("float", "nan") == 0.0


def test_printing() -> None:
    """Nothing for what has no text of its own."""
    assert [printed(v) for v in (None, UNDEFINED, [1], {"a": 1}, (1,))] == [""] * 5
    assert [printed(v) for v in (True, False, 1, 1.0, "x")] == ["true", "false", "1", "1.0", "x"]
    assert printed(Segment(5, True, "5%", "5%")) == "5%"
    assert printed(Segment(5, False, "5%", "5%")) == ""


def test_shared_lists_are_weighed_each_time_they_appear() -> None:
    """What would make == or a sort take for ever is found before it is begun."""
    value: Any = [1, 2]
    for _ in range(60):
        value = [value, value]
    with pytest.raises(Fault):
        weigh(value)
    assert weigh([[1], {"a": [2, 3]}]) == 6


def test_tests_of_a_segment_in_a_list_go_by_its_value() -> None:
    """in, sort, min and unique work on lists of segments."""
    three, one = Segment(3, True, "3%", "3%"), Segment(1, True, "1%", "1%")
    assert 3 in [three, one]
    assert sorted([three, one])[0] is one
    assert len({three, Segment(3, True, "", "")}) == 1
    assert apply("join", [three, one], "+") == "3%+1%"


def test_every_name_of_a_test_answers_for_any_value() -> None:
    """A test of one operand gives a boolean or a fault."""
    for name, test in TESTS.items():
        if name in ("divisibleby", "sameas"):
            continue
        for value in (None, UNDEFINED, 1, 1.5, "a", [], {}, True):
            try:
                assert isinstance(test(value), bool)
            except Fault:
                assert name in ("even", "odd")
