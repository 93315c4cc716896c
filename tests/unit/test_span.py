"""`ohud.theme.span`: every key and value of a TOML text in its place."""

import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from launch import REPOSITORY

from ohud.theme.span import KeyPath, Scan, inside, locate, position

EXAMPLE = '''# comment with [brackets] = "x"
"a\\u0041" . b = 'x'
list = [1, [2, {q = "z", r.s = true}], """
many\\"\\"\\" """, # comment ]
]
when = 1979-05-27 07:32:00
[t.u]
quoted = """
x"""""
[[t.v]]
n = -1.5e3
[[t.v]]
n = 2
[t.v.w]
empty = {}
none = []
[ "sp aced" . 'li"t' ]
"" = \'\'\'
raw\'\'\'\'
'''


def paths(value: Any, above: KeyPath = ()) -> set[KeyPath]:
    """Every key path of parsed TOML."""
    found: set[KeyPath] = set()
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, entry in entries:
        found |= {(*above, name)} | paths(entry, (*above, name))
    return found


def value_at(data: Any, path: KeyPath) -> Any:
    for part in path:
        data = data[part]
    return data


def check(text: str) -> None:
    """Each path is located, and the text at a scalar's place means the value."""
    data = tomllib.loads(text)
    spans = locate(text)
    assert set(spans) == paths(data)
    for path, span in spans.items():
        assert 0 <= span.key_start < span.key_end <= len(text)
        assert 0 <= span.value_start < span.value_end <= len(text)
        value = value_at(data, path)
        if not isinstance(value, dict | list):
            raw = text[span.value_start : span.value_end]
            assert tomllib.loads("x = " + raw)["x"] == value
        if isinstance(path[-1], str) and not isinstance(value, list):
            assert list(tomllib.loads(text[span.key_start : span.key_end] + " = 1")) == [path[-1]]


def test_every_form_of_key_and_value_is_placed() -> None:
    """Dotted and quoted keys, escapes, inline tables, arrays, arrays of tables, multi-line strings, dates."""
    check(EXAMPLE)


@pytest.mark.parametrize("file", sorted((REPOSITORY / "themes").glob("*.toml")), ids=lambda file: file.stem)
def test_shipped_themes_are_placed(file: Any) -> None:
    """Every key of every shipped theme has its place."""
    check(file.read_text(encoding="utf-8"))


KEYS = st.one_of(st.from_regex(r"[A-Za-z0-9_-]{1,6}", fullmatch=True), st.text(max_size=6))
SCALARS = st.one_of(st.integers(-(2**63), 2**63 - 1), st.booleans(), st.floats(allow_nan=False), st.text(), st.dates())
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(KEYS, VALUES, max_size=6), st.booleans())
def test_written_documents_are_placed(data: dict[str, Any], multiline: bool) -> None:
    """Whatever a writer of TOML writes has all its places."""
    import tomli_w

    text = tomli_w.dumps(data, multiline_strings=multiline).replace("\r\n", "\n")
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    check(text)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab.=[]{}\"'\\#,\n 1-", max_size=60))
def test_any_text_gives_an_answer(text: str) -> None:
    """No text makes the walk fail; places lie inside it; what is TOML is placed whole."""
    scan = Scan(text)
    assert all(0 <= edge <= len(text) for span in scan.spans.values() for edge in span)
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    assert set(scan.spans) == paths(data)
    assert scan.repeats == []


def test_deep_nesting_does_not_overthrow_the_walk() -> None:
    """Text that tomllib refuses for its depth is walked as far as tomllib could go at most."""
    assert len(locate("x = " + "[" * 400 + "]" * 400)) == 400
    assert len(locate("x = " + "[" * 5000 + "]" * 5000)) == 1001
    locate("x = " + "{a=" * 5000)


def test_repeated_keys_are_named() -> None:
    """A key written twice gives both places."""
    text = "a = 1\nb = 2\na = 3\n"
    (repeat,) = Scan(text).repeats
    assert (repeat.path, text[repeat.start :], repeat.earlier) == (("a",), "a = 3\n", 0)


def test_open_values_are_known() -> None:
    """Where a text ends inside a value, the start of the value is known."""
    assert Scan('a = 1\nb = "open').value_start == 10
    assert Scan("a = [1, 2").value_start >= 4
    assert Scan("a = 1\n").value_start == -1


@pytest.mark.parametrize(
    "raw",
    [
        '"plain"',
        "'lit\\eral'",
        '"esc \\"q\\" \\\\ \\u00e4 \\U0001F600 \\t end"',
        '"""\nfirst\n\\\n   joined \\"\\"\\" x"""',
        "'''\nraw\n\\n'''",
        '""""two quotes""""',
        '"" ',
    ],
)
def test_offsets_inside_strings(raw: str) -> None:
    """Each character of a string value is found again in what was written."""
    raw = raw.strip()
    value = tomllib.loads("x = " + raw)["x"]
    for offset, character in enumerate(value):
        at = inside(raw, offset)
        assert at is not None
        rest = raw[at:]
        assert rest.startswith(character) or tomllib.loads(f'x = "{written(rest)}"')["x"] == character
    assert inside(raw, len(value) + 1) is None
    assert inside("42", 0) is None


def written(rest: str) -> str:
    """The escape that a text begins with."""
    return rest[: {"u": 6, "U": 10}.get(rest[1], 2)]


def test_position_counts_lines_and_columns_from_one() -> None:
    """Offsets become lines and columns; beyond the end means the end."""
    assert position("ab\ncd", 0) == (1, 1)
    assert position("ab\ncd", 2) == (1, 3)
    assert position("ab\ncd", 3) == (2, 1)
    assert position("ab\ncd", 99) == (2, 3)
