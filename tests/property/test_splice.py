"""Splicing on any JSON: what was there stays, and goes back to what it was."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ohud.host.installation import Undo, Wanted, with_commands, without_commands
from ohud.host.splice import Refused, drop, put, top

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)
OBJECTS = st.dictionaries(st.text() | st.sampled_from(["model", "env"]), VALUES, max_size=6)
STYLES = st.sampled_from(
    [
        {"indent": 2},
        {"indent": 4},
        {"indent": "\t"},
        {"separators": (",", ":")},
        {},
        {"ensure_ascii": False},
        {"indent": 2, "separators": (" ,", " : ")},
        {"indent": 0},
    ]
)
WANTED = Wanted(command="/usr/bin/python3 -I -S /opt/ohud/hot.py", subagents="ohud subagents", padding=2, replace=True)


def written(data: Any, style: dict[str, Any], newline: str, mark: str, end: str) -> str:
    """A text that holds the data."""
    return mark + json.dumps(data, **style).replace("\n", newline) + end


TEXTS = st.builds(
    written,
    OBJECTS,
    STYLES,
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\ufeff"]),
    st.sampled_from(["", "\n"]),
)


def read(text: str) -> dict[str, Any]:
    """The data of a text."""
    found: dict[str, Any] = json.loads(text.removeprefix("\ufeff"))
    return found


@given(TEXTS, st.text(), VALUES)
def test_put_and_drop(text: str, key: str, value: Any) -> None:
    """The key has its value, all other keys keep theirs and their order, and dropping it leaves only these."""
    before = read(text)
    new = put(text, (key,), value)
    after = read(new)
    assert after == {**before, key: value} and list(after) == list({**before, key: value})
    again = drop(new, (key,))
    assert read(again) == {name: known for name, known in before.items() if name != key}
    if key not in before and before:
        assert again == text


@given(TEXTS)
def test_install_and_back(text: str) -> None:
    """After installing, the way back gives every byte, and so does taking ohud's values out one by one."""
    try:
        new = with_commands(text, WANTED)
    except UnicodeEncodeError:
        return
    raw = new.encode("utf-8", "surrogatepass")
    assert with_commands(new, WANTED) == new
    if raw.decode("utf-8", "ignore") == new:
        way = Undo.between(text, raw)
        assert way.fits(raw) and way.apply(raw) == text.encode()
    out = without_commands(new, {})
    known = {key: value for key, value in read(text).items() if key not in ("statusLine", "subagentStatusLine")}
    assert read(out) == known
    if known and len(known) == len(read(text)):
        assert out == text


@given(st.text(alphabet='{}[]",:\\u0 \n\t1-.eEtruefalsn/x', max_size=30))
@settings(max_examples=500)
def test_strict(text: str) -> None:
    """What is taken for an object is one for a strict reader too, and the other way round."""

    def never(word: str) -> None:
        raise ValueError(word)

    try:
        expected = isinstance(json.loads(text, parse_constant=never), dict)
    except ValueError:
        expected = False
    try:
        top(text)
        found = True
    except Refused:
        found = False
    assert found == expected
