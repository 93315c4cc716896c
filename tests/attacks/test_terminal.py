"""Hostile text never reaches the terminal: each item of terminal.json, cleaned, styled, fitted and painted."""

import json
import os
import re
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from pace import bound

from ohud.run.cells import width
from ohud.run.clean import clean
from ohud.run.fit import fit, within
from ohud.run.style import Sheet

# OHUD_ATTACKS names another folder of the same form
FOLDER = Path(os.environ.get("OHUD_ATTACKS") or Path(__file__).parent)
if not (FOLDER / "terminal.json").exists():
    FOLDER = Path(__file__).parent
ITEMS = json.loads((FOLDER / "terminal.json").read_text(encoding="utf-8"))

OURS = re.compile("\x1b\\[[0-9;:]*m|\x1b\\]8;;(?:https?://[!-~]*)?\x1b\\\\")
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0"
# format characters that are drawn: Arabic and Kaithi number signs
DRAWN = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"


def whole(item: dict[str, Any], key: str) -> str | None:
    """The text of an item, short or in parts."""
    parts = item.get("parts" if key == "text" else key + "_parts")
    if parts is not None:
        return "".join(text * count for text, count in parts)
    found = item.get(key)
    return found if isinstance(found, str) else None


def hidden(text: str) -> list[str]:
    """What must not be in a text: controls, direction changes, invisible characters, floods of marks."""
    found, marks = [], 0
    for at, c in enumerate(text):
        kind = unicodedata.category(c)
        selector = "\ufe00" <= c <= "\ufe0f" or "\U000e0100" <= c <= "\U000e01ef"
        bad = (
            kind in ("Cc", "Cs", "Zl", "Zp") or c in BIDI or c in FILLERS,
            "\ufdd0" <= c <= "\ufdef" or ord(c) & 0xFFFE == 0xFFFE,
            selector and (c not in "\ufe0e\ufe0f" or not at),
            kind == "Cf" and c not in DRAWN and (c != "\u200d" or not 0 < at < len(text) - 1),
        )
        if any(bad):
            found.append(f"U+{ord(c):04X}")
        marks = marks + 1 if unicodedata.combining(c) or kind == "Me" else 0
        if marks > 4:
            found.append("marks")
    return found


def faults(output: str) -> list[str]:
    """The byte rules broken by what is printed: escapes are ours, and closed at each line's end."""
    found = hidden(OURS.sub("", output).replace("\n", ""))
    for line in output.split("\n"):
        codes = OURS.findall(line)
        styles = [code for code in codes if code[1] == "["]
        links = [code for code in codes if code[1] == "]"]
        if styles and styles[-1] != "\x1b[0m":
            found.append("style left open")
        if links and links[-1] != "\x1b]8;;\x1b\\":
            found.append("link left open")
    return found


@pytest.mark.parametrize("item", ITEMS, ids=[item["id"] for item in ITEMS])
def test_item(item: dict[str, Any]) -> None:
    """A cleaned value is what the corpus expects, and what is printed with it keeps the byte rules."""
    text = whole(item, "text")
    assert text is not None
    started = time.thread_time()
    value = clean(text)
    assert time.thread_time() - started < bound(0.1)
    expected = whole(item, "expect_visible")
    if expected is not None:
        assert value == expected
    assert not hidden(value)
    assert len(value) <= 512
    assert clean(value) == value

    sheet = Sheet(24, {})
    line = "before " + sheet.link(sheet.wrap(value, "bold red"), "https://example.org/" + value) + " after"
    for columns in (None, 20):
        lines = fit(line + "\n" + sheet.row([(value, 1), (value, 2)]), sheet, columns, 10)
        output = within(lines, sheet, 16384)
        assert not faults(output)
        assert len(output.encode("utf-8", "replace")) <= 16384
        assert all(width(OURS.sub("", printed)) <= (columns or 1000) for printed in output.split("\n"))


CHANGED = [item for item in ITEMS if whole(item, "expect_visible") not in (None, whole(item, "text"))]


@pytest.mark.parametrize("item", CHANGED, ids=[item["id"] for item in CHANGED])
def test_control(item: dict[str, Any]) -> None:
    """The check bites: an item that cleaning must change breaks the rules, or the length, when printed as it came."""
    text = whole(item, "text")
    assert text is not None
    assert hidden(text) or len(text) > 512


def test_assembled_from_pieces() -> None:
    """Two harmless pieces joined by a theme stay text: only paint writes an escape."""
    sheet = Sheet(24, {})
    text = clean("\x1b") + "[2J" + sheet.wrap("x", "red") + clean("\x9b") + "31m"
    output = within(fit(text, sheet, None, 10), sheet, 99)
    assert output == "[2J\x1b[31mx\x1b[0m31m"


def test_control_written_by_a_theme() -> None:
    """A control that a theme's own text names by an escape is deleted, too."""
    sheet = Sheet(24, {})
    output = within(fit("a\x1b[8mb\x9b8m\x07\u202e\nc\rd\ud800\n\x07", sheet, None, 10), sheet, 99)
    assert output == "a[8mb8m\ncd"
