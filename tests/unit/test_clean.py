"""Text and JSON trees from outside, cleaned."""

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ohud.run.clean import clean, clean_tree

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("plain text", "plain text"),
        ("Zürich", "Zürich"),
        ("a\tb\nc\vd\fe\rf\x85g\u2028h\u2029i", "a b c d e f g h i"),
        ("a\r\nb\n\rc", "a b  c"),
        ("a\0b\x7fc\x80d", "abcd"),
        ("a\x1b[31mb\x1b[0m", "ab"),
        ("a\x9b31mb", "ab"),
        ("a\x1b[31", "a"),
        ("a\x1b[3\n1mb", "a 1mb"),
        ("a\x1b[31\x1b[1mb", "ab"),
        ("a\x1b", "a"),
        ("a\x1b\x1b[1mb", "ab"),
        ("a\x1bé", "aé"),
        ("a\x1b(", "a"),
        ("a\x1b(é", "aé"),
        ("a\x1b]0;title\x07b", "ab"),
        ("a\x1b]0;title\x1b\\b", "ab"),
        ("a\x1b]0;title\x9cb", "ab"),
        ("a\x1b]0;title\x18b", "ab"),
        ("a\x1b]0;x\x1b]52;c;AA==\x07\x07b", "ab"),
        ("a\x1bP\x07q\x1b\\b", "ab"),
        ("a\x1b]never", "a"),
        ("a\u202eb\u2066c\u200ed\u061ce", "abcde"),
        ("a\u200bb\u200cc\u2060d\ufeffe\xadf\u034fg\u3164h\U000e0041i\ufffej\U0001ffffk", "abcdefghijk"),
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
        ("🏳\ufe0f\u200d🌈 ❤\ufe0f\u200d🔥 👩🏽\u200d💻", "🏳\ufe0f\u200d🌈 ❤\ufe0f\u200d🔥 👩🏽\u200d💻"),
        ("a\u200db 👨\u200db 👨\u200d", "ab 👨b 👨"),
        ("👨\u200d\u200d\u200b👩", "👨\u200d👩"),
        ("a\ufe0f❤\ufe0f\ufe0f⌚\ufe0e界\ufe0f", "a❤\ufe0f⌚\ufe0e界"),
        ("1\ufe0f\u20e3", "1\ufe0f\u20e3"),
        ("🇩🇪", "🇩🇪"),
        ("👍🏽🏽🏽🏽🏽🏽", "👍🏽🏽🏽🏽"),
        ("a" + "\u0301" * 9 + "b", "a" + "\u0301" * 4 + "b"),
        ("\ud83d\ude80", "🚀"),
        ("a\ud83db\ude80", "ab"),
        ("שָׁלוֹם مَرْحَبًا สวัสดี", "שָׁלוֹם مَرْحَبًا สวัสดี"),
        ("\ue0b0\uf418\U000f0001\U00100001", "\ue0b0\uf418\U000f0001\U00100001"),
        ("a\xa0b\u3000c\u2800d", "a\xa0b\u3000c\u2800d"),
        ("x" * 600, "x" * 512),
        ("界" * 600, "界" * 512),
        ("x" * 5000 + "\x1b[31m", "x" * 512),
        ("x" * 511 + "👨\u200d👩", "x" * 511 + "👨"),
        ("x" * 510 + "👨\u200d👩", "x" * 510 + "👨"),
    ],
)
def test_clean(text: str, expected: str) -> None:
    """Each rule, and that cleaning again changes nothing."""
    assert clean(text) == expected
    assert clean(expected) == expected


def test_limit() -> None:
    """The limit is the caller's to set; what lies beyond eight times of it is never looked at."""
    assert clean("abcdef", 3) == "abc"
    assert clean("é" * 9, 4) == "éééé"
    assert clean("\x1b[" * 12 + "abc", 3) == ""


def test_tree() -> None:
    """Keys and texts are cleaned, what is no JSON number becomes None, the rest stays as it is."""
    value = {
        "a\x1b[1m": "b\tc",
        "list": [1, 1.5, True, None, "é\u200b", math.nan, math.inf, -math.inf, 2**63, -(2**63), 2**63 - 1],
        "bytes": b"x",
        "k" * 600: "v" * 600,
    }
    assert clean_tree(value) == {
        "a": "b c",
        "list": [1, 1.5, True, None, "é", None, None, None, None, -(2**63), 2**63 - 1],
        "bytes": None,
        "k" * 512: "v" * 512,
    }
    assert clean_tree([True])[0] is True
    assert clean_tree("x\x07") == "x"


def test_tree_depth() -> None:
    """What lies deeper than 64 is None, however deep it goes."""
    deep: Any = "x"
    for _ in range(300):
        deep = [deep]
    found, levels = clean_tree(deep), 0
    while isinstance(found, list):
        found, levels = found[0], levels + 1
    assert (found, levels) == (None, 64)


def test_tree_size() -> None:
    """At most 20,000 values come through."""

    def count(value: Any) -> int:
        items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return sum(1 + count(item) for item in items)

    assert count(clean_tree([0] * 30000)) == 20000
    assert count(clean_tree({str(n): [n] * 100 for n in range(1000)})) <= 20000
    assert clean_tree([0] * 20000) == [0] * 20000


def test_no_module_beyond_builtins() -> None:
    """Even the slow branch, unpaired surrogates included, imports nothing of the standard library."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); before = set(sys.modules)\n"
        "from ohud.run.clean import clean\n"
        "assert clean('\\ud83d\\ude80 \\ud800\\u754c\\x1b[1m') == '\\U0001f680 \\u754c'\n"
        "print(sorted(set(sys.modules) - before))\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(ROOT)], capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stdout.strip() == "['_bisect', 'ohud', 'ohud.run', 'ohud.run._wide', 'ohud.run.clean']"
