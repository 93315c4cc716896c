"""Pictures of terminal text."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from ohud.cli import picture
from ohud.cli.outline import outline_of
from ohud.cli.picture import NoConverter, Panel, rows_of, svg
from ohud.cli.shapes import CURVES, HEIGHT, WIDTH, block_of
from ohud.theme.icons import ICONS

NAMES = {"svg": "http://www.w3.org/2000/svg"}
THEMES = Path(__file__).resolve().parents[2] / "themes"


def drawn(text: str, background: str = "dark", host: bool = False) -> ElementTree.Element:
    """The group of a picture that holds the terminal's own content."""
    root = ElementTree.fromstring(svg("t", [Panel("", rows_of(text))], 20, background, host))
    group = root.find("svg:g[@transform]", NAMES)
    assert group is not None
    return group


def texts(text: str) -> list[tuple[str, float]]:
    """Every text of the picture with the cell that it begins in."""
    found = drawn(text).iterfind(".//svg:text", NAMES)
    return [(one.text or "", float(one.get("x", "0")) / WIDTH) for one in found]


def rectangles(text: str) -> list[tuple[float, float, float, float, str]]:
    """Every rectangle as (left, top, width, height) in cells, and its colour."""
    return [
        (
            float(one.get("x", "")) / WIDTH,
            float(one.get("y", "")) / HEIGHT,
            float(one.get("width", "")) / WIDTH,
            float(one.get("height", "")) / HEIGHT,
            one.get("fill", ""),
        )
        for one in drawn(text).iterfind(".//svg:rect", NAMES)
    ]


def test_text_stands_in_its_cells() -> None:
    """Each run begins at its cell and is pulled to its length; wide characters take two, each placed by itself."""
    assert texts("ab \x1b[31mcd\x1b[0m") == [("ab", 0), ("cd", 3)]
    assert texts("日本x") == [("日", 1), ("本", 3), ("x", 4)]
    found = drawn("abc").find(".//svg:text", NAMES)
    assert found is not None and found.get("textLength") == str(3 * WIDTH)


def test_marks_stay_with_their_base() -> None:
    """What combines with a character is drawn with it."""
    assert texts("e\u0301x") == [("e\u0301", 0.5), ("x", 1)]
    assert [text for text, _ in texts("👩\u200d💻")] == ["👩\u200d💻"]


@pytest.mark.parametrize(
    ("codes", "attribute", "value"),
    [
        ("31", "fill", picture.PAPERS["dark"].ansi[1]),
        ("92", "fill", picture.PAPERS["dark"].ansi[10]),
        ("38;5;196", "fill", "#ff0000"),
        ("38;5;244", "fill", "#808080"),
        ("38;5;3", "fill", picture.PAPERS["dark"].ansi[3]),
        ("38;2;1;2;255", "fill", "#0102ff"),
        ("1", "font-weight", "bold"),
        ("3", "font-style", "italic"),
        ("7", "fill", picture.PAPERS["dark"].back),
    ],
)
def test_styles(codes: str, attribute: str, value: str) -> None:
    """Colours of every depth and the attributes show as they do on a terminal."""
    found = drawn(f"\x1b[{codes}mx\x1b[0m").find(".//svg:text", NAMES)
    assert found is not None and found.get(attribute) == value


def test_dim_is_between_text_and_paper() -> None:
    """Dim text is nearer to what is behind it."""
    found = drawn("\x1b[2;38;2;255;255;255;48;2;0;0;0mx").find(".//svg:text", NAMES)
    assert found is not None and found.get("fill") == "#999999"


def test_backgrounds_and_lines() -> None:
    """A background fills its cells, blanks too; underline and strike are lines as long as the text."""
    assert rectangles("\x1b[44ma b\x1b[0m") == [(0, 0, 3, 1, picture.PAPERS["dark"].ansi[4])]
    under, through = rectangles("x\x1b[4mab\x1b[24;9mcd")
    assert under[0] == 1 and under[2] == 2 and under[1] > through[1] and through[0] == 3


def test_bars_have_no_seams() -> None:
    """Cells of one bar are one rectangle; parts of a cell are parts of it."""
    assert [found[:4] for found in rectangles("███▌")] == [(0, 0, 3, 1), (3, 0, 0.5, 1)]
    assert [found[:4] for found in rectangles("▂")] == [(0, 0.75, 1, 0.25)]
    assert [found[:4] for found in rectangles("▞")] == [(0.5, 0, 0.5, 0.5), (0, 0.5, 0.5, 0.5)]
    assert len(rectangles("────")) == 1


@pytest.mark.parametrize("code", range(0x2500, 0x25A0))
def test_every_line_and_block_is_a_shape(code: int) -> None:
    """No font draws box drawing or block elements."""
    shape = block_of(chr(code)) or CURVES.get(chr(code))
    assert shape is not None and re.match("<(rect|path) ", shape.drawn(0, 0, "#fff"))


def test_lines_reach_the_sides_that_they_are_named_for() -> None:
    """The arms of a corner end at the edges of its cell."""
    found = [found[:4] for found in rectangles("┌")]
    assert max(left + width for left, _, width, _ in found) == 1
    assert max(top + height for _, top, _, height in found) == 1
    assert min(left for left, _, _, _ in found) > 0.3


def test_arrows_are_paths() -> None:
    """The arrows of powerline fonts fill their cell from edge to edge."""
    path = drawn("\x1b[31m\ue0b0").find(".//svg:path", NAMES)
    assert path is not None and path.get("d") == "M0 0L9 10L0 20Z"
    assert {chr(code) for code in range(0xE0B0, 0xE0C0)} <= set(CURVES)


def private(text: str) -> set[str]:
    """The characters of a text that only fonts with icons have."""
    return {character for character in text if "\ue000" <= character <= "\uf8ff" or character >= "\U000f0000"}


def test_every_icon_has_an_outline() -> None:
    """Glyphs of the icon table and of themes that only some fonts have are drawn, and the table's wide emoji."""
    themes = "".join(path.read_text("utf-8") for path in THEMES.glob("*.toml"))
    glyphs = private(themes + "".join(forms[0] for forms in ICONS.values()))
    assert len(glyphs) > 40
    assert {glyph for glyph in glyphs if outline_of(glyph, 1) is None and glyph not in CURVES} == set()
    emoji = {piece for forms in ICONS.values() for piece, width in picture.pieces(forms[1]) if width == 2}
    assert {piece for piece in emoji if outline_of(piece, 2) is None} == set()


def test_an_icon_leans_into_a_blank_only() -> None:
    """An icon is larger than its cell where a blank follows, and keeps to it where text does."""

    def scale(text: str) -> float:
        group = drawn(text).find("svg:g[@transform]", NAMES)
        assert group is not None
        return float(str(group.get("transform")).rpartition("scale(")[2].rstrip(")"))

    assert scale("\uf0ad x") > scale("\uf0adx") == scale("\uf0ad\x1b[31mx")
    twins = drawn("\uf0ad\uf0ad ").findall("svg:g[@transform]", NAMES)
    assert len({str(twin.get("transform")).partition("scale")[2] for twin in twins}) == 1


def test_what_is_behind_text_cannot_break_the_picture() -> None:
    """Signs of XML and controls in text and title leave a sound picture."""
    made = svg("<&>", [Panel("a<b", rows_of('x<y>&"z\x01\x7f'))], 10)
    root = ElementTree.fromstring(made)
    assert root.findtext("svg:title", "", NAMES) == "<&>"
    assert 'x&lt;y&gt;&amp;"z' in made


def test_paper() -> None:
    """Light and dark have their own colours, and text without one is in the host's grey where the host draws."""
    for background in ("dark", "light"):
        paper = picture.PAPERS[background]
        assert paper.back in svg("t", [], 10, background)
        for host, colour in ((False, paper.front), (True, paper.inactive)):
            found = drawn("x", background, host).find(".//svg:text", NAMES)
            assert found is not None and found.get("fill") == colour


def test_size() -> None:
    """The window is as wide as asked for, wider for a longer row, and as high as its lines, empty ones counted."""

    def size(text: str, columns: int) -> tuple[int, int]:
        root = ElementTree.fromstring(svg("t", [Panel("", rows_of(text))], columns))
        return int(root.get("width", "")), int(root.get("height", ""))

    assert size("x", 30)[0] - size("x", 20)[0] == 10 * WIDTH
    assert size("x" * 30, 20) == size("x", 30)
    assert size("x\n\nx", 20)[1] - size("x", 20)[1] == 2 * HEIGHT


def test_no_font_from_elsewhere() -> None:
    """A picture asks for nothing from another host."""
    made = svg("t", [Panel("c", rows_of("\x1b]8;;https://example.com\x1b\\x\x1b]8;;\x1b\\"))], 10)
    assert set(re.findall(r"https?://[^\s\"]+", made)) == {"http://www.w3.org/2000/svg"}


def program(folder: Path, name: str, script: str) -> None:
    """A converter of that name."""
    path = folder / name
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)


def _no_module(name: str) -> None:
    raise ImportError(name)


@pytest.mark.parametrize("name", ["rsvg-convert", "resvg", "inkscape", "magick"])
def test_png_by_a_program(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first converter that is there gets the picture on its standard input."""
    monkeypatch.setattr("ohud.cli.picture.import_module", _no_module)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    program(tmp_path, name, r"printf '\211PNG'; cat" + "\n")
    monkeypatch.setattr("shutil.which", lambda one: str(tmp_path / one) if (tmp_path / one).exists() else None)
    picture.write_png(str(tmp_path / "x.png"), "<svg/>")
    assert (tmp_path / "x.png").read_bytes() == b"\x89PNG<svg/>"


def test_a_program_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a converter complains of is passed on, and nothing is written."""
    monkeypatch.setattr("ohud.cli.picture.import_module", _no_module)
    program(tmp_path, "resvg", "echo no such option >&2; exit 1\n")
    monkeypatch.setattr("shutil.which", lambda one: str(tmp_path / one) if one == "resvg" else None)
    with pytest.raises(NoConverter, match="no such option"):
        picture.write_png(str(tmp_path / "x.png"), "<svg/>")
    assert not (tmp_path / "x.png").exists()
