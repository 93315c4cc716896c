"""Lines that fit: dropping, filling, cutting, arrows."""

import pytest

from ohud.run.cells import width
from ohud.run.fault import Fault
from ohud.run.fit import fit, within
from ohud.run.style import Sheet, paint

URL = "https://example.org/x"


def shown(text: str, sheet: Sheet, columns: int | None = None, lines: int = 10) -> list[str]:
    """The painted lines."""
    return [paint([line], sheet) for line in fit(text, sheet, columns, lines)]


def test_lines() -> None:
    """Blank lines are dropped, also those of markers alone; the first ones win."""
    sheet = Sheet(24, {})
    text = f"a\n\n  \n{sheet.wrap(' ', 'red')}\n\xa0\u3000\n{sheet.fill()}\nb\nc\nd"
    assert shown(text, sheet, 20, 3) == ["a", "b", "c"]
    assert shown("", sheet) == []
    assert shown("a", sheet, 20, 0) == []


def test_cut() -> None:
    """A line that is too wide ends in an ellipsis, one of the exact width stays."""
    sheet = Sheet(24, {})
    assert shown("abcdef", sheet, 6) == ["abcdef"]
    assert shown("abcdefg", sheet, 6) == ["abcde…"]
    assert shown("界界界", sheet, 5) == ["界界…"]
    assert shown("abc", sheet, 1) == shown("abc", sheet, 0) == shown("abc", sheet, -4) == ["…"]
    assert shown("x" * 2000, sheet) == ["x" * 999 + "…"]
    assert shown("x" * 2000, sheet, 10**20) == ["x" * 999 + "…"]
    text = sheet.wrap("abc" + sheet.link("def", URL), "red")
    assert shown(text, sheet, 5) == [f"\x1b[31mabc\x1b]8;;{URL}\x1b\\d…\x1b[0m\x1b]8;;\x1b\\"]


def test_styles_over_lines() -> None:
    """A style or link that spans a line break is closed and opened again."""
    sheet = Sheet(24, {})
    text = sheet.wrap(sheet.link("one\n\ntwo", URL) + "\nthree", "green") + "\nfour"
    assert shown(text, sheet) == [
        f"\x1b[32m\x1b]8;;{URL}\x1b\\one\x1b[0m\x1b]8;;\x1b\\",
        f"\x1b[32m\x1b]8;;{URL}\x1b\\two\x1b[0m\x1b]8;;\x1b\\",
        "\x1b[32mthree\x1b[0m",
        "four",
    ]


def test_row_drops_by_priority() -> None:
    """The lowest priority goes first, of equal ones the later; separators go with their items; one always stays."""
    sheet = Sheet(0, {})
    row = sheet.row([("aaaa", 50), ("bbbb", 10), ("", 99), ("cccc", 50), ("dd", 90)], " | ")
    assert shown(row, sheet) == ["aaaa | bbbb | cccc | dd"]
    assert shown(row, sheet, 23) == ["aaaa | bbbb | cccc | dd"]
    assert shown(row, sheet, 22) == ["aaaa | cccc | dd"]
    assert shown(row, sheet, 15) == ["aaaa | dd"]
    assert shown(row, sheet, 8) == ["dd"]
    assert shown(row, sheet, 1) == ["…"]
    assert shown(sheet.row([("aaaa", 1), ("bbbb", 1)]), sheet, 3) == ["aa…"]


def test_a_row_of_which_nothing_is_left_takes_no_room() -> None:
    """The separator of an empty row is not taken from the width of the others."""
    sheet = Sheet(0, {})
    text = sheet.row([("aaaa", 1)], "    ") + sheet.fill() + sheet.row([("bb", 5), ("cc", 4)], "  ")
    assert shown(text, sheet, 11) == ["aaaa bb  cc"]
    assert shown(text, sheet, 10) == ["    bb  cc"]
    assert shown(text, sheet, 6) == ["bb"] or shown(text, sheet, 6) == ["    bb"]


def test_row_wraps() -> None:
    """A row that may take more lines goes on on the next one before anything is dropped."""
    sheet = Sheet(0, {})
    row = sheet.row([("aaaa", 50), ("bbbb", 10), ("cccc", 50), ("dd", 90)], " | ", "2")
    assert shown(row, sheet, 23) == ["aaaa | bbbb | cccc | dd"]
    assert shown(row, sheet, 22) == ["aaaa | bbbb | cccc", "dd"]
    assert shown(row, sheet, 12) == ["aaaa | bbbb", "cccc | dd"]
    assert shown(row, sheet, 10) == ["aaaa", "cccc | dd"]
    assert shown(row, sheet, 4) == ["aaaa", "dd"]
    assert shown(row, sheet, 1) == ["…", "…"]
    assert shown(row + "\nx", sheet, 12, 1) == ["aaaa | dd"]
    assert shown(row + "\nx", sheet, 12, 3) == ["aaaa | bbbb", "cccc | dd", "x"]
    for number in ("0", "11", "two", "", "-1", "²"):
        with pytest.raises(Fault, match="from 1 to 10"):
            sheet.row([("a", 1)], " ", number)


def test_wrapped_row_keeps_what_is_beside_it() -> None:
    """Text beside a wrapped row stays on its first line, and a style around it goes on on the others."""
    sheet = Sheet(24, {})
    items = [("aaaa", 50), ("bbbb", 50), ("cccc", 50)]
    row = "> " + sheet.wrap(sheet.row(items, " ", "3"), "red") + sheet.fill() + "!"
    assert shown(row, sheet, 18) == ["> \x1b[31maaaa bbbb cccc\x1b[0m !"]
    assert shown(row, sheet, 14) == ["> \x1b[31maaaa bbbb\x1b[0m  !", "\x1b[31mcccc\x1b[0m"]
    assert shown(row, sheet, 8) == ["> \x1b[31maaaa\x1b[0m !", "\x1b[31mbbbb\x1b[0m", "\x1b[31mcccc\x1b[0m"]


def test_powerline_wraps() -> None:
    """Each line of wrapped blocks has its own caps."""
    sheet = Sheet(24, {})
    blocks = [("aa", "black bg:red", 50), ("bb", "black bg:green", 50), ("cc", "black bg:blue", 50)]
    arrow = "\ue0b0"
    wide = shown(sheet.powerline(blocks, arrow, wrap="2"), sheet, 15)
    narrow = shown(sheet.powerline(blocks, arrow, wrap="2"), sheet, 14)
    assert [line.count(arrow) for line in wide] == [3]
    assert [line.count(arrow) for line in narrow] == [2, 1]
    assert all("cc" in line for line in (wide[0], narrow[1]))


def test_further_lines_may_begin_further_in() -> None:
    """The lines after the first of a wrapped row begin with blanks that the host does not trim."""
    sheet = Sheet(24, {})
    row = "on: " + sheet.row([("aaaa", 50), ("bbbb", 50), ("cccc", 50)], " ", "2", "4")
    assert shown(row, sheet, 14) == ["on: aaaa bbbb", "\x1b[0m    cccc"]
    assert [width(line) for line in fit(row, sheet, 13, 9)] == [13, 8]
    for cells in ("-1", "x", "100", "²"):
        with pytest.raises(Fault, match="from 0 to 99"):
            sheet.row([("a", 1)], " ", "2", cells)


def test_blocks_apart() -> None:
    """Each block has its own caps, in the block's colour, and what is dropped takes them along."""
    sheet = Sheet(4, {})
    blocks = [("aa", "black bg:red", 50), ("bb", "black bg:green", 10), ("cc", None, 90)]
    pills = sheet.powerline(blocks, " ", "(", ")", "", apart="true")
    assert [width(line) for line in fit(pills, sheet, None, 1)] == [14]
    assert shown(pills, sheet, 14)[0].count("(") == 3
    assert shown(pills, sheet, 13)[0].count("(") == 2
    soft = shown(sheet.powerline(blocks[:1], " ", "▐", "▌", "", apart="true"), sheet)
    assert soft == ["\x1b[31m▐\x1b[30;41maa\x1b[31;49m▌\x1b[0m"]
    plain = Sheet(0, {})
    assert shown(plain.powerline(blocks, " ", "▐", "▌", "", apart="true"), plain) == ["aa bb cc"]


def test_rows_of_one_line_share() -> None:
    """Several rows on a line drop as one; what stands around them stays."""
    sheet = Sheet(0, {})
    text = "<" + sheet.row([("aaa", 30), ("bbb", 10)]) + sheet.fill() + sheet.row([("ccc", 20), ("ddd", 40)]) + ">"
    assert shown(text, sheet, 30) == ["<aaa  bbb" + " " * 12 + "ccc  ddd>"]
    assert shown(text, sheet, 19) == ["<aaa  bbb ccc  ddd>"]
    assert shown(text, sheet, 18) == ["<aaa     ccc  ddd>"]
    assert shown(text, sheet, 13) == ["<aaa     ddd>"]
    assert shown(text, sheet, 8) == ["<   ddd>"]
    assert shown(text, sheet) == ["<aaa  bbb ccc  ddd>"]


def test_blank_items_vanish() -> None:
    """Empty and blank items leave no lone separator; a row of nothing is nothing."""
    sheet = Sheet(24, {})
    assert sheet.row([("", 1), ("  ", 2), (sheet.wrap(" ", "red"), 3)], "|") == ""
    assert shown(sheet.row([(" ", 1), ("x", 2), ("", 3)], "|"), sheet) == ["x"]
    assert sheet.powerline([("", "bg:red", 1)]) == ""
    assert shown(sheet.row([("a", 1), (sheet.fill(), 2), ("b", 3)], "|"), sheet, 9) == ["a|     |b"]


def test_rows_in_rows() -> None:
    """A row may be an item, in a style too; its place can be used twice."""
    sheet = Sheet(24, {})
    inner = sheet.row([("a", 1), ("b", 2)], "-")
    outer = sheet.row([(sheet.wrap(inner, "bold"), 5), ("c\nd", 1)], " | ")
    assert shown(outer, sheet) == ["\x1b[1ma-b\x1b[0m | c d"]
    assert shown(outer + outer, sheet, 6) == ["\x1b[1ma-ba-b\x1b[0m"]


def test_a_row_in_a_row_counts_as_its_most_important_item() -> None:
    """Where it has no priority of its own, it is not dropped before what is less important than something in it."""
    sheet = Sheet(0, {})
    inner = sheet.row([("model", 90), ("effort", 10)], "/")
    row = sheet.row([(inner, None), ("folder", 60), ("text", None)], " ")
    assert shown(row, sheet, 24) == ["model/effort folder text"]
    assert shown(row, sheet, 23) == ["model/effort folder"]
    assert shown(row, sheet, 18) == ["model/effort"]


def test_fill() -> None:
    """Flexible space takes what is left, shared when there is more of it."""
    sheet = Sheet(24, {})
    assert shown("a" + sheet.fill() + "b", sheet, 6) == ["a    b"]
    assert shown("a" + sheet.fill() + "b" + sheet.fill() + "c", sheet, 8) == ["a   b  c"]
    assert shown("a" + sheet.fill() + "b", sheet) == ["a b"]
    assert shown("aaaa" + sheet.fill() + "b", sheet, 4) == ["aaa…"]
    assert shown(sheet.fill() + "x", sheet, 4) == ["\x1b[0m   x"]
    assert shown("界" + sheet.wrap(sheet.fill(), "bg:red") + "⏱\ufe0f", sheet, 8) == ["界\x1b[41m    \x1b[0m⏱\ufe0f"]


def test_fill_needs_a_width_of_the_terminal() -> None:
    """A limit that is none of the terminal's is not filled up."""
    sheet = Sheet(0, {})
    assert fit("a" + sheet.fill() + "b", sheet, 1000, 1, fills=False) == ["a b"]
    assert fit("a" + sheet.fill() + "b", sheet, 9, 1) == ["a       b"]


def test_powerline() -> None:
    """Arrows take the colours of the blocks that stay, whatever was dropped between them."""
    sheet = Sheet(24, {})
    blocks = [("one", "white bg:blue", 3), ("two", "bg:red", 1), ("three", "bg:green", 2)]
    line = sheet.powerline(blocks)
    assert shown(line, sheet) == [
        "\x1b[37;44m one \x1b[34;41m\ue0b0\x1b[39m two \x1b[31;42m\ue0b0\x1b[39m three \x1b[32;49m\ue0b0\x1b[0m"
    ]
    assert shown(line, sheet, 14) == ["\x1b[37;44m one \x1b[34;42m\ue0b0\x1b[39m three \x1b[32;49m\ue0b0\x1b[0m"]
    assert width(fit(line, sheet, None, 1)[0]) == 20
    assert shown(line, sheet, 20) == shown(line, sheet)
    assert shown(line, sheet, 6) == ["\x1b[37;44m one \x1b[34;49m\ue0b0\x1b[0m"]


def test_powerline_shapes() -> None:
    """Arrows to the left, blocks of one colour, no colour of its own, pills."""
    sheet = Sheet(24, {})
    assert shown(sheet.powerline([("a", "bg:blue", 1), ("b", "bg:red", 1)], "\ue0b2"), sheet) == [
        "\x1b[34m\ue0b2\x1b[39;44m a \x1b[31m\ue0b2\x1b[39;41m b \x1b[0m"
    ]
    assert shown(sheet.powerline([("a", "red bg:blue", 1), ("b", "bg:blue", 1)]), sheet) == [
        "\x1b[31;44m a \ue0b1\x1b[39m b \x1b[34;49m\ue0b0\x1b[0m"
    ]
    assert shown(sheet.powerline([("a", None, 1), ("b", "bg:blue", 1)]), sheet) == [
        "\x1b[0m a \x1b[7;34m\ue0b0\x1b[27;39;44m b \x1b[34;49m\ue0b0\x1b[0m"
    ]
    assert shown(sheet.powerline([("a", "bg:blue", 1)], start="\ue0b6", end="\ue0b4", pad=""), sheet) == [
        "\x1b[34m\ue0b6\x1b[39;44ma\x1b[34;49m\ue0b4\x1b[0m"
    ]
    assert shown(sheet.powerline([("a", "bg:blue", 1), ("b", "bg:red", 1)], ">"), sheet) == [
        "\x1b[44m a >\x1b[41m b \x1b[0m"
    ]


@pytest.mark.parametrize(("sep", "text"), [("\ue0b0", " a \ue0b1 b "), ("\ue0b2", " a \ue0b3 b "), (">", " a > b ")])
def test_powerline_without_colour(sep: str, text: str) -> None:
    """Without colour the blocks are parted by outlines."""
    sheet = Sheet(0, {})
    assert shown(sheet.powerline([("a", "bg:blue", 1), ("b", "bg:red", 1)], sep), sheet) == [text]


def test_within() -> None:
    """Last lines go until the bytes fit; one line that is too long is cut."""
    sheet = Sheet(24, {})
    lines = fit("aaaa\nbbbb\ncccc", sheet, None, 10)
    assert within(lines, sheet, 14) == "aaaa\nbbbb\ncccc"
    assert within(lines, sheet, 13) == "aaaa\nbbbb"
    assert within(lines, sheet, 4) == "aaaa"
    assert within(lines, sheet, 3) == "…"
    assert within(["界" * 10], sheet, 20) == "界" * 4 + "…"
    assert within([], sheet, 5) == within(["界"], sheet, 1) == ""
    flood = sheet.link("x", "https://e.x/" + "a" * 2000) * 500
    assert len(within(fit(flood, sheet, None, 10), sheet, 16384).encode()) <= 16384


def test_hostile_markers() -> None:
    """Markers that a theme wrote itself name at most its own styles and rows, and never loop."""
    sheet = Sheet(24, {})
    row = sheet.row([("a\ude00\ude01\ude05", 1), ("b", 1)], "\udf00\ude00")
    assert shown(row * 3 + "\ude63\ud8ff\udc44\udfff", sheet, 40)
    assert all(width(line) <= 40 for line in fit(row * 3000, sheet, 40, 10))
