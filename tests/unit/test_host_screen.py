"""What the host makes of a command's output, held against recordings of the real one."""

import probes
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ohud.host.screen import INACTIVE, PLAIN, Row, Style, draw, normalise, paint, room, styled, usable, visible
from ohud.host.version import NEW, OLD, VERSIONS, Version, like
from ohud.run import cells

PROBES = {probe.name: probe for probe in probes.probes() if probe.output is not None}
RECORDED = {version: probes.recorded(version) for version in VERSIONS}
FAMILY = "👩\u200d👩\u200d👧\u200d👦"
# Rows on which emulator and recording differ, what the emulator draws, and why.
DIFFERENT = {
    "emoji-zwj-edge": (
        "tmux holds at most 21 bytes in a cell, and took the last person of the family away",
        ["  " + "z" * 73 + FAMILY + "…"],
    ),
    "emoji-zwj": (
        "tmux cut the family as above and gave signs with U+FE0F and keycaps one cell where the host counts two, so "
        "that a blank follows and one neighbour or the skin tone was overdrawn",
        [f"  fam:{FAMILY}|flag:🇯🇵|vs16:⚠️|vs15:⚠︎|skin:👍🏽|keycap:1️⃣|end"],
    ),
}
# In the old version the recorder looked while the host was still drawing the 10 MB before; see test_host_play.
LATE = {("2.1.215", "base6")}
CASES = [(version, name) for version in VERSIONS for name in PROBES if (version, name) not in LATE]


def drawn(name: str, version: Version) -> list[Row]:
    """What the emulator draws for a probe."""
    output = PROBES[name].output
    assert output is not None
    return visible(draw(normalise(output, version), probes.COLUMNS, 0, version), probes.LINES, version)


@pytest.mark.parametrize(("version", "name"), CASES)
def test_rows_are_those_of_the_real_host(version: str, name: str) -> None:
    """Each output gives the rows that the recorded host drew, character for character."""
    expected = RECORDED[version][name]
    rows = [row.line for row in drawn(name, VERSIONS[version])]
    if name in DIFFERENT:
        assert rows == DIFFERENT[name][1]
        assert rows != expected.rows
    elif expected.end_only:
        assert rows[-len(expected.rows) :] == expected.rows
    else:
        assert rows == expected.rows


@pytest.mark.parametrize(("version", "name"), [case for case in CASES if case[1] not in DIFFERENT])
def test_colours_are_those_of_the_real_host(version: str, name: str) -> None:
    """Every character that can be seen has the recorded colours and attributes."""
    expected = RECORDED[version][name]
    rows = drawn(name, VERSIONS[version])[-len(expected.ansi) :] if expected.ansi else []
    for row, ansi in zip(rows, expected.ansi, strict=True):
        ours = [
            (character, frozenset(filter(None, [style.foreground or INACTIVE, style.background, *style.attributes])))
            for text, style in ((" " * row.indent, PLAIN), *row.spans)
            for character in text
        ]
        theirs = probes.looks(ansi, len(ours))
        assert [look for look in ours if look[0] != " "] == [look for look in theirs if look[0] != " "]


def test_versions() -> None:
    """A host that was not measured is like the newest measured one that is not newer, or like the oldest."""
    assert like("2.1.332") is like("3.0.0") is like("2.2") is NEW
    assert like("2.1.331") is like("2.0.9") is like("nonsense") is OLD


@pytest.mark.parametrize(
    ("columns", "padding", "cells_"), [(80, 0, 76), (80, 2, 72), (80, -2, 80), (24, 0, 20), (3, 0, 0)]
)
def test_usable_width(columns: int, padding: int, cells_: int) -> None:
    """Two columns on each side and the padding are not the line's."""
    assert usable(columns, padding) == cells_
    (row,) = draw(["x" * 200], columns, padding) or [Row(())]
    assert cells.width(row.text) == cells_
    assert row.cut
    assert not draw(["x" * cells_], columns, padding)[0].cut if cells_ else True


def test_wide_characters_are_cut_whole() -> None:
    """38 wide characters fill 76 cells; of 39 there is room for 37 and the sign of the cut."""
    assert draw(["語" * 38], 80)[0].text == "語" * 38
    assert draw(["語" * 39], 80)[0].text == "語" * 37 + "…"


def test_padding_moves_the_line() -> None:
    """The padding stands before the line too; a negative one brings it to the edge."""
    assert [draw(["x"], 80, padding)[0].line for padding in (0, 3, -2)] == ["  x", "     x", "x"]


@pytest.mark.parametrize(("size", "shown"), [(999_993, 1), (1_000_000, 1), (1_000_001, 0)])
def test_newer_hosts_limit_output(size: int, shown: int) -> None:
    """Beyond a million characters there is no line; the older version has no limit."""
    assert len(normalise(b"x" * size, NEW)) == shown
    assert len(normalise(b"x" * size, OLD)) == 1


def test_limit_counts_characters() -> None:
    """1.2 MB of CJK are 400,000 characters, and an emoji counts as JavaScript counts it."""
    assert normalise("語" * 400_000, NEW)
    assert not normalise("🚀" * 500_001, NEW)


@pytest.mark.parametrize(
    ("lines", "old", "new"),
    [(40, 16, 16), (30, 11, 11), (24, 8, 8), (18, 5, 5), (16, 4, 4), (15, 3, 3), (14, 0, 3), (12, 0, 2), (10, 0, 1)],
)
def test_full_screen_height(lines: int, old: int, new: int) -> None:
    """A full-screen session shows half of the rows less four, the first ones; the old version none on a low screen."""
    rows = draw([f"row {number}" for number in range(60)], 80)
    for version, count in ((OLD, old), (NEW, new)):
        assert room(lines, version) == count
        assert visible(rows, lines, version, fullscreen=True) == rows[:count]


def test_inline_height() -> None:
    """Elsewhere every row is drawn; what is higher than the screen scrolls off its top."""
    rows = draw([f"row {number}" for number in range(60)], 80)
    assert visible(rows[:20], 36) == rows[:20]
    assert visible(rows, 36) == rows[-34:]


def test_links() -> None:
    """Where links are supported every scheme passes; where that is not known the new version sends web links alone."""
    lines = ["\x1b]8;;https://a.example\x07web\x1b]8;;\x07 \x1b]8;;javascript:alert(1)\x1b\\js", "on"]

    def links(version: Version, supported: bool | None) -> list[str]:
        rows = draw(lines, 80, 0, version, supported)
        return [style.link for row in rows for _, style in row.spans if style.link]

    assert links(NEW, True) == links(OLD, True) == ["https://a.example", "javascript:alert(1)", "javascript:alert(1)"]
    assert links(NEW, None) == ["https://a.example"]
    assert links(OLD, None) == links(NEW, False) == []


def test_ansi_closes_what_it_opens() -> None:
    """A row with colours can be printed by itself: nothing of it is left open."""
    (row,) = draw(["\x1b[1;31mred\x1b[39m \x1b]8;;https://a.example\x07go"], 80)
    assert row.ansi() == (
        "  \x1b[1;31mred\x1b[0m\x1b[1;38;2;153;153;153m \x1b[0m"
        "\x1b]8;;https://a.example\x1b\\\x1b[1;38;2;153;153;153mgo\x1b[0m\x1b]8;;\x1b\\"
    )


@pytest.mark.parametrize(
    ("parameters", "style"),
    [
        ("", PLAIN),
        ("1;3;4;7;9", Style(attributes=frozenset("13479"))),
        ("21", Style(attributes=frozenset("4"))),
        ("1;2;22", PLAIN),
        ("4;4:0", PLAIN),
        ("38;5;208;48;2;1;2;3", Style("38;5;208", "48;2;1;2;3")),
        ("38:5:208;48:2::1:2:3", Style("38;5;208", "48;2;1;2;3")),
        ("58;5;9;31", Style("31")),
        ("97;107", Style("97", "107")),
        ("38;5", PLAIN),
        ("38", PLAIN),
        ("38;9;31", Style("31")),
        ("999;31", Style("31")),
        ("31;0", PLAIN),
    ],
)
def test_styles(parameters: str, style: Style) -> None:
    """SGR sequences in all their spellings; what is not known changes nothing."""
    assert styled(PLAIN, parameters) == style


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(st.sampled_from("ab é語👍🏽\u200d\u200b\t\x1b[]8;m31\x07\\P_\u202e\u2028\x9b\r")), max_size=4))
def test_rows_never_pass_the_edge(lines: list[str]) -> None:
    """Whatever is printed, no row is wider than the room it has or holds a control character."""
    for version in VERSIONS.values():
        for row in paint(normalise("\n".join(lines), version), 12, 2, version):
            assert cells.width(row.text) <= 12
            assert row.text
            assert not any(character < " " or "\x7f" <= character < "\xa0" for character in row.text)
