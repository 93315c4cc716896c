"""Width equals wcwidth's; cutting keeps graphemes and styles whole."""

import importlib.util
import random
import subprocess
import sys
from pathlib import Path

import pytest
from wcwidth import iter_graphemes, wcswidth, wcwidth

from ohud.run import _wide, cells
from ohud.run.clean import clean
from ohud.run.fault import Fault

ROOT = Path(__file__).resolve().parents[2]
FAMILY = "👨\u200d👩\u200d👧\u200d👦"


def test_every_code_point() -> None:
    """Each code point alone is as wide as wcwidth says; controls and markers take no cell."""
    ends = [ord(c) for c in _wide.STARTS[1:]] + [0x110000]
    wrong = []
    for start, end, kind in zip(map(ord, _wide.STARTS), ends, _wide.KINDS, strict=True):
        wrong += [hex(code) for code in range(start, end) if max(0, wcwidth(chr(code))) != kind & 3]
    # beyond the first two planes the runs are long: their ends will do
    codes = {*range(0x20000), *(end - 1 for end in ends), *(end for end in ends if end < 0x110000)}
    for code in codes:
        expected = 0 if 0xD800 <= code < 0xE000 else max(0, wcwidth(chr(code)))
        if cells.width(chr(code)) != expected:
            wrong.append(hex(code))
    assert not wrong


def test_fast_set_is_one_cell_wide() -> None:
    """Each character of the fast path takes one cell and can be widened only by what is not in it."""
    assert all(wcwidth(c) == 1 for c in cells._ONE)
    assert not cells._ONE & {"\u200d", "\ufe0e", "\ufe0f"}


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("", 0),
        ("Opus 4.6", 8),
        ("⎇ main │ █████░░░░░ … ✓ ●", 25),
        ("❤\ufe0f", 2),
        ("⏱\ufe0f", 2),
        ("☁\ufe0f⚙\ufe0f", 4),
        ("⌚\ufe0e", 1),
        ("⌚", 2),
        (FAMILY, 2),
        ("👩\u200d💻", 2),
        ("🏳\ufe0f\u200d🌈", 2),
        ("🇩🇪🇯🇵", 4),
        ("🇩🇪🇯", 4),
        ("👍🏽", 2),
        ("🏽", 2),
        ("1\ufe0f\u20e3", 2),
        ("e\u0301", 1),
        ("界語", 4),
        ("สวัสดี", 4),
        ("\u1112\u1161\u11ab", 2),
        ("\u0915\u094d\u0937", 2),
        ("\ue0b0\uf418\U000f0001", 3),
        ("a\x1bb\x7fc\x9b", 3),
        ("\ud800red\udc00 \udc01界\udc00\ude00\udf00", 6),
        ("👨\ud800\u200d👩\udc00", 2),
    ],
)
def test_width(text: str, width: int) -> None:
    """Emoji sequences, marks, scripts, private-use glyphs, controls and markers."""
    assert cells.width(text) == width
    bare = cells.plain(text)
    if all(wcwidth(c) >= 0 for c in bare):
        assert wcswidth(bare) == width


POOL = f"a1#é·│🚀❤⏱☁⚙🏳🌈🇩🇪🇯🇵👍🏽🏻⌚界\ue0b0{FAMILY}"
MARKS = "\u200d\ufe0f\ufe0e\u0301\u20e3"
INDIC = "क\u094d\u0937\u093eஷ\u0bcdกำ\u0e31한\u1112\u1161\u11ab"


def mixed(pool: str, count: int) -> list[str]:
    """Random strings of a pool, the same in each run."""
    choice = random.Random(7)
    return ["".join(choice.choices(pool, k=choice.randint(1, 12))) for _ in range(count)]


@pytest.mark.parametrize("pool", [POOL + MARKS, POOL + INDIC, INDIC + MARKS, "🇩🇪🇯a👍🏽\u200d"])
def test_random_sequences(pool: str) -> None:
    """Any mixture of them is as wide as wcswidth says."""
    for text in mixed(pool, 3000):
        assert cells.width(text) == wcswidth(text), ascii(text)


def test_cut_at_graphemes() -> None:
    """A cut never splits a grapheme, and what is cut is the longest that fits."""
    for text in [*mixed(POOL + MARKS, 1500), *mixed("กำ\u0e31한é界 \u1112\u1161\u11ab", 500)]:
        text = clean(text)
        ends, at = [0], 0
        for grapheme in iter_graphemes(text):
            at += len(grapheme)
            ends.append(at)
        for limit in range(6):
            head = cells.cut(text, limit)
            assert text.startswith(head)
            assert cells.width(head) <= limit
            assert len(head) in ends, (ascii(text), limit)
            if head != text and limit and "\u1161" not in text and "\u11ab" not in text:
                longer = text[: min(end for end in ends if end > len(head))]
                assert cells.width(longer) > limit, (ascii(text), limit)


def test_cut_closes_styles() -> None:
    """Markers take no cell; what the rest would have closed is closed."""
    text = "a\ud800bc\udc01de\udc00\udc00f"
    assert cells.cut(text, 6) == text
    assert cells.cut(text, 4) == "a\ud800bc\udc01d\udc00\udc00"
    assert cells.cut(text, 0) == ""
    assert cells.ellipsis(text, 4) == "a\ud800bc…\udc00"
    assert cells.ellipsis(text, 6) == text
    assert cells.ellipsis("界界", 3) == "界…"
    assert cells.ellipsis("界界", 2) == "…"
    assert cells.ellipsis("ab", 1) == "…"
    assert cells.ellipsis("ab", 0) == ""


def test_pad() -> None:
    """Blanks are counted in cells."""
    assert cells.pad("界", 5) == "界   "
    assert cells.pad("界", 5, "right") == "   界"
    assert cells.pad("界", 5, "center") == " 界  "
    assert cells.pad("界界界", 5) == "界界界"
    with pytest.raises(Fault):
        cells.pad("x", 3, "middle")


def test_table_is_fresh() -> None:
    """`_wide.py` is what the generator makes of the installed wcwidth."""
    spec = importlib.util.spec_from_file_location("make_wide", ROOT / "tests" / "tools" / "make_wide.py")
    assert spec and spec.loader
    make_wide = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_wide)
    text = make_wide.TARGET.read_text(encoding="utf-8")
    if f"from wcwidth {make_wide.wcwidth.__version__}," not in text:
        pytest.skip("another wcwidth than the table was made from")
    assert text == make_wide.generate(), "out of date: run `python tests/tools/make_wide.py`"


def test_ordinary_lines_leave_the_table_unread() -> None:
    """The glyphs of an ordinary line are measured, cut and cleaned out of Latin text without loading `_wide`."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from ohud.run import cells, clean, fit, style\n"
        "line = '\\ud800Opus 4.6 é\\udc00 │ █████░░▌ … ● ✓ ⎇ main \\ue0b0 → ~/x'\n"
        "assert cells.width(line) == 42 and cells.width(cells.cut(line, 9)) == 9, cells.width(line)\n"
        "sheet = style.Sheet(24, {})\n"
        "assert style.paint(fit.fit(sheet.wrap(line, 'bold') + sheet.fill(), sheet, 20, 3), sheet)\n"
        "assert clean.clean('Zürich')\n"
        "print([name for name in sys.modules if '_wide' in name or name in ('os', 're', 'typing', 'enum')])\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(ROOT)], capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stdout.strip() == "[]"
