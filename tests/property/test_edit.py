"""Changes of TOML texts of every make: one key is another afterwards, and nothing else."""

import re
from copy import deepcopy
from random import Random
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ohud.theme.edit import ABSENT, MARK, Path, Unchangeable, data_of, dotted, look, same, with_value, without, written
from ohud.theme.statements import Statements

NAMES = ("a", "b", "c", "d-1", "~/x y", "é", "1", 'q"')
TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
SCALARS = st.one_of(st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(), TEXTS, st.just("x\n#[y]\n"))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
    max_leaves=6,
)
TABLES = st.recursive(
    st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4),
    lambda inner: st.dictionaries(st.sampled_from(NAMES), inner | VALUES, max_size=4),
    max_leaves=8,
)
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map(tuple)


class Writer:
    """A document for given data, each table and line in a way that dice decide."""

    def __init__(self, dice: Random) -> None:
        self.dice = dice
        self.lines: list[str] = []

    def document(self, data: dict[str, Any]) -> str:
        """The text, with lines of either end, with or without a mark and a last line end."""
        self.section((), data)
        self.noise()
        newline = self.dice.choice(["\n", "\r\n"])
        text = "".join(line + (newline if self.dice.random() < 0.95 else "\n") for line in self.lines)
        if self.dice.random() < 0.2 and text.endswith("\n"):
            text = text.removesuffix("\n").removesuffix("\r")
        return (MARK if self.dice.random() < 0.2 else "") + text

    def section(self, path: Path, data: dict[str, Any]) -> None:
        """A table with its header; tables and lists of tables in it in one of the ways there are."""
        below: list[tuple[str, Any]] = []
        for name, value in data.items():
            if value and isinstance(value, dict) and self.dice.random() < 0.3:
                self.dotted((name,), value)
            elif self.apart(value):
                below.append((name, value))
            else:
                self.pair((name,), value)
        for name, value in below:
            if isinstance(value, dict):
                headed = not value or any(not isinstance(item, dict) for item in value.values())
                self.noise()
                if headed or self.dice.random() < 0.5:
                    self.lines.append(f"[{dotted((*path, name))}]" + self.dice.choice(["", " # [x]"]))
                    self.section((*path, name), value)
                else:
                    self.headless((*path, name), value)
            else:
                for item in value:
                    self.lines.append(f"[[ {dotted((*path, name))} ]]")
                    for key, inner in item.items():
                        self.pair((key,), inner)

    def apart(self, value: Any) -> bool:
        """Whether a value gets headers of its own."""
        if isinstance(value, dict):
            return self.dice.random() < 0.7
        return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)

    def headless(self, path: Path, data: dict[str, Any]) -> None:
        """A table of tables of which only these have headers."""
        for name, value in data.items():
            self.lines.append(f"[{dotted((*path, name))}]")
            self.section((*path, name), value)

    def dotted(self, path: Path, data: dict[str, Any]) -> None:
        """A table as dotted keys."""
        for name, value in data.items():
            if value and isinstance(value, dict) and self.dice.random() < 0.5:
                self.dotted((*path, name), value)
            else:
                self.pair((*path, name), value)

    def pair(self, path: Path, value: Any) -> None:
        """One statement."""
        self.noise()
        indent = self.dice.choice(["", "", "  "])
        self.lines.append(f"{indent}{dotted(path)}{self.dice.choice(['=', ' = ', '  =  '])}{written(value)}")
        if self.dice.random() < 0.3:
            self.lines[-1] += "  # x = 1"

    def noise(self) -> None:
        """Comments and blank lines."""
        while self.dice.random() < 0.3:
            self.lines.append(self.dice.choice(["", "# y = 2", "  # [z]", ""]))


@st.composite
def documents(draw: st.DrawFn) -> str:
    """TOML texts."""
    text = Writer(Random(draw(st.integers(0, 2**16)))).document(draw(TABLES))
    try:
        data_of(text)
    except Unchangeable:
        assume(False)
    return text


def kept(old: str, new: str) -> bool:
    """Whether all comments of a text are in the other one, in their order."""
    comments = [re.findall(r"# (?:x = 1|y = 2|\[z\]|\[x\])(?=\r?$)", text, re.MULTILINE) for text in (old, new)]
    rest = iter(comments[1])
    return all(comment in rest for comment in comments[0])


@settings(max_examples=150, deadline=None)
@given(documents(), PATHS, VALUES)
def test_set(text: str, path: Path, value: Any) -> None:
    """The value is there, all other data is as it was, and what is refused has no table to hold it."""
    before = data_of(text)
    holders = [look(before, path[:length]) for length in range(1, len(path))]
    try:
        new = with_value(text, path, value)
    except Unchangeable:
        assert any(holder is not ABSENT and not isinstance(holder, dict) for holder in holders)
        return
    after = data_of(new)
    assert same(look(after, path), value)
    wanted = deepcopy(before)
    inner = wanted
    for name in path[:-1]:
        inner = inner.setdefault(name, {})
    inner[path[-1]] = value
    assert same(after, wanted)
    old = look(before, path)
    if not isinstance(old, dict | list):  # a table or list takes the comments between its parts along
        assert kept(text, new)
    assert new.startswith(MARK) == text.startswith(MARK)


@settings(max_examples=150, deadline=None)
@given(documents(), PATHS, VALUES)
def test_unset_after_set(text: str, path: Path, value: Any) -> None:
    """Every byte is back where the key was new, unless its table was there, and there was nothing in it."""
    before = data_of(text)
    assume(look(before, path) is ABSENT)
    try:
        new = with_value(text, path, value)
    except Unchangeable:
        return
    assume(not any(look(before, path[:length]) == {} for length in range(1, len(path))))
    statements = Statements(text.removeprefix(MARK).replace("\r\n", "\n"))
    assume(all(statements.lines_of(one) for one in statements.sections if one.path and one.path == path[:-1]))
    assert without(new, path) == text


@settings(max_examples=150, deadline=None)
@given(documents(), st.data())
def test_unset(text: str, choice: st.DataObject) -> None:
    """A key that is there is gone, all other data is as it was."""
    before = data_of(text)
    path: Path = ()
    inner: Any = before
    while isinstance(inner, dict) and inner and (not path or choice.draw(st.booleans())):
        path = (*path, choice.draw(st.sampled_from(sorted(inner))))
        inner = inner[path[-1]]
    assume(path)
    new = without(text, path)
    assert look(data_of(new), path) is ABSENT
    if not isinstance(inner, dict | list):
        assert kept(text, new) or len(re.findall("# ", text)) == len(re.findall("# ", new)) + 1
    again = with_value(new, path, inner)
    assert same(data_of(again), before)
