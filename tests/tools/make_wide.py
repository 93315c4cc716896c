"""
Writes `ohud/run/_wide.py` from the installed wcwidth: run it after a new Unicode version.

    python tests/tools/make_wide.py            # write
    python tests/tools/make_wide.py --check    # exit 1 when the file is out of date
"""

import sys
from pathlib import Path

import wcwidth
from wcwidth.table_grapheme import (
    EXTENDED_PICTOGRAPHIC,
    GRAPHEME_EXTEND,
    GRAPHEME_SPACINGMARK,
    ISC_INVISIBLE_STACKER,
    ISC_VIRAMA,
)
from wcwidth.table_mc import CATEGORY_MC
from wcwidth.table_vs15 import VS15_WIDE_TO_NARROW
from wcwidth.table_vs16 import VS16_NARROW_TO_WIDE

TARGET = Path(__file__).resolve().parents[2] / "ohud" / "run" / "_wide.py"

HEAD = '''"""
Cells of every character: one table, searched by bisection. Generated, do not edit.

Unicode {unicode}, from wcwidth {version}, by `python tests/tools/make_wide.py`.
STARTS holds the first character of each run of equal characters, KINDS what they are:
bits 0-1 cells,
{names}.
"""

# fmt: off
WIDENS, NARROWS, SPACING, VIRAMA, EMOJI, JOINS = {bits}
STARTS = (
{starts}
)
KINDS = (
{kinds}
)
'''
NAMES = (
    (4, "U+FE0F makes it wide"),
    (8, "U+FE0E makes it narrow"),
    (16, "spacing mark"),
    (32, "virama"),
    (64, "emoji"),
    (128, "never parted from what precedes it"),
)


def _members(*tables: tuple[tuple[int, int], ...]) -> set[int]:
    return {code for table in tables for low, high in table for code in range(low, high + 1)}


def kinds() -> list[int]:
    """What each code point is, as the bits of the generated file."""
    newest = wcwidth.list_versions()[-1]
    widens = _members(*VS16_NARROW_TO_WIDE.values())
    narrows = _members(*VS15_WIDE_TO_NARROW.values())
    spacing = _members(CATEGORY_MC[newest])
    virama = _members(ISC_VIRAMA, ISC_INVISIBLE_STACKER)
    emoji = _members(EXTENDED_PICTOGRAPHIC)
    joins = _members(GRAPHEME_EXTEND, GRAPHEME_SPACINGMARK)
    found = []
    for code in range(0x110000):
        cells = max(0, wcwidth.wcwidth(chr(code)))
        bits = (4, code in widens), (8, code in narrows), (32, code in virama), (64, code in emoji)
        kind = cells + sum(bit for bit, holds in bits if holds)
        kind += 16 * (code in spacing and not cells) + 128 * (code in joins and cells > 0)
        found.append(kind)
    return found


def _escaped(pieces: list[str], mark: str) -> str:
    lines, line = [], ""
    for piece in pieces:
        if len(line) + len(piece) > 110:
            lines.append(line)
            line = ""
        line += piece
    return "\n".join(f'    {mark}"{line}"' for line in [*lines, line])


def generate() -> str:
    """The text of `_wide.py`."""
    starts, values, last = [], [], -1
    for code, kind in enumerate(kinds()):
        if kind != last:
            starts.append(code)
            values.append(kind)
            last = kind
    return HEAD.format(
        unicode=wcwidth.list_versions()[-1],
        version=wcwidth.__version__,
        names=",\n".join(f"{bit} {name}" for bit, name in NAMES),
        bits=", ".join(str(bit) for bit, _ in NAMES),
        starts=_escaped([f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}" for code in starts], ""),
        kinds=_escaped([f"\\x{kind:02x}" for kind in values], "b"),
    )


def main() -> int:
    """0, or 1 when `--check` finds another text."""
    text = generate()
    if "--check" in sys.argv[1:]:
        return int(not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text)
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
