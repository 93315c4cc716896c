"""
The settings of another program, read key by key so that nothing is lost in silence.

Whoever reads a key says so by reading it. What nobody read when the conversion is done was not understood, and is
listed with its place. So a converter cannot forget a key: it carries it over, or it is in the list.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ohud.convert.intake import Path, described
from ohud.errors import invisible, nearest, quote
from ohud.run.clean import clean

LOSSES = 300
TEXT_LIMIT = 500
_KEPT = "\u200d\ufe0e\ufe0f"  # joiners and presentation marks: emoji need them


@dataclass(frozen=True, slots=True)
class Loss:
    """
    Something that could not be carried over.

    Takes:  path: where it stands in the other program's file; line: the same, from 1, None when unknown;
            reason: why not; instead: what to do about it
    """

    path: Path
    line: int | None
    reason: str
    instead: str | None = None

    @property
    def place(self) -> str:
        """The path as people write it."""
        return described(self.path)


@dataclass
class Ledger:
    """What became of each value: carried over (`taken`), of no consequence for a line (`idle`), or lost."""

    lines: dict[Path, int]
    taken: set[Path] = field(default_factory=set)
    idle: set[Path] = field(default_factory=set)
    losses: list[Loss] = field(default_factory=list)
    unlisted: int = 0

    def lose(self, path: Path, reason: str, instead: str | None = None) -> None:
        """Lists a value."""
        if any(loss.path == path and loss.reason == reason for loss in self.losses[-20:]):
            return
        if len(self.losses) >= LOSSES:
            self.unlisted += 1
            return
        self.losses.append(Loss(path, self.line(path), reason, instead))

    def line(self, path: Path) -> int | None:
        """The line of a value, or of the nearest one around it that has one."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)


class Node:
    """One table of the file; reading a key of a wrong type lists it and gives the default."""

    def __init__(self, data: dict[str, Any], path: Path, ledger: Ledger) -> None:
        self.data = data
        self.path = path
        self.ledger = ledger
        self.asked: set[str] = set()
        self.inner: list[Node] = []

    def __contains__(self, key: str) -> bool:
        """Whether the key is there with a value; does not count as reading it."""
        return self.data.get(key) is not None

    def text(self, key: str, default: str = "", limit: int = TEXT_LIMIT) -> str:
        """A text without what a terminal would obey, cut where it is too long for a line; numbers count as text."""
        value = self._value(key)
        large = isinstance(value, (int, float)) and not abs(value) < 1e15
        if isinstance(value, bool) or large or not isinstance(value, (str, int, float, type(None))):
            self._wrong(key, "a text")
            return default
        return default if value is None else self.cleaned(key, str(value), limit)

    def cleaned(self, key: str, value: str, limit: int = TEXT_LIMIT) -> str:
        """The text of a key without anything that a terminal would obey; what is left out is listed."""
        rows = value[: limit + 1].replace("\t", " ").split("\n")
        kept = "\n".join(
            "".join(one for one in clean(row, limit) if one in _KEPT or not invisible(one)) for row in rows
        )
        if kept != "\n".join(rows)[: len(kept)] or len(kept) < min(len(value), limit):
            self.lose(key, "control sequences and invisible characters are left out")
        if len(value) > limit:
            self.lose(key, f"the text is cut after {limit} characters")
        return kept[:limit]

    def flag(self, key: str, default: bool = False) -> bool:
        """True or false."""
        value = self._value(key)
        if not isinstance(value, (bool, type(None))):
            self._wrong(key, "true or false")
        return value if isinstance(value, bool) else default

    def number(self, key: str, least: float, most: float) -> float | None:
        """A number within bounds; None when there is none."""
        value = self._value(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
            self._wrong(key, f"a number from {least:g} to {most:g}")
            return None
        return value

    def whole(self, key: str, least: int, most: int) -> int | None:
        """A whole number within bounds; None when there is none."""
        found = self.number(key, least, most)
        return None if found is None else round(found)

    def choice(self, key: str, known: tuple[str, ...], default: str) -> str:
        """One of several words."""
        value = self.text(key, default)
        if value not in known:
            near = nearest(value, known)
            hint = f"did you mean `{near}`?" if near else None
            self.lose(key, f"{quote(value)} is not one of " + ", ".join(f"`{one}`" for one in known if one), hint)
            return default
        return value

    def child(self, key: str) -> Node:
        """The table of a key; an empty one when there is none."""
        value = self._value(key)
        if value is not None and not isinstance(value, dict):
            self._wrong(key, "a table")
        return self.made(value if isinstance(value, dict) else {}, (*self.path, key))

    def children(self, key: str, most: int = 200) -> list[Node]:
        """The tables in a list; what is no table is listed, and what is beyond `most`."""
        return [self.made(item, path) for path, item in self.items(key, most) if self._table(path, item)]

    def items(self, key: str, most: int = 200) -> list[tuple[Path, Any]]:
        """The values in a list with their paths."""
        value = self._value(key)
        if value is None:
            return []
        path: Path = (*self.path, key)
        if not isinstance(value, list):
            self._wrong(key, "a list")
            return []
        for number in range(most, len(value)):
            self.ledger.lose((*path, number), f"a line has room for {most} at most")
        return [((*path, number), item) for number, item in enumerate(value[:most])]

    def rows(self, key: str, most: int) -> list[list[Node]]:
        """The tables in a list of lists."""
        found = []
        for path, row in self.items(key, most):
            if isinstance(row, list):
                found.append(
                    [self.made(item, (*path, at)) for at, item in enumerate(row) if self._table((*path, at), item)]
                )
                if not row:
                    self.ledger.idle.add(path)
            else:
                self.ledger.lose(path, "a list is expected here")
        return found

    def texts(self, key: str, most: int = 50) -> list[str]:
        """The texts in a list."""
        found = []
        for path, item in self.items(key, most):
            if isinstance(item, str):
                self.ledger.taken.add(path)
                found.append(self.cleaned(key, item))
            else:
                self.ledger.lose(path, "a text is expected here")
        return found

    def tables(self) -> Iterator[tuple[str, Node]]:
        """Every key that was not read yet and holds a table."""
        for key, value in self.data.items():
            if key not in self.asked and isinstance(value, dict):
                yield key, self.child(key)

    def lose(self, key: str, reason: str, instead: str | None = None) -> None:
        """Lists one key, which then counts as read."""
        self.asked.add(key)
        if key in self.data:
            self.ledger.lose((*self.path, key), reason, instead)

    def gone(self, reason: str, instead: str | None = None) -> None:
        """Lists the whole table; none of its keys counts any more."""
        self.ledger.lose(self.path, reason, instead)
        self.asked |= set(self.data)

    def idle(self, *keys: str) -> None:
        """Says that these keys change nothing about a line."""
        for key in keys:
            self.asked.add(key)
            if key in self.data:
                self.ledger.idle.add((*self.path, key))

    def finish(self) -> None:
        """Lists every key, here and below, that nobody has read."""
        for key in self.data:
            if key not in self.asked:
                near = nearest(key, self.asked)
                hint = f"did you mean `{near}`?" if near else None
                self.ledger.lose((*self.path, key), "this key is not known", hint)
        for node in self.inner:
            node.finish()

    def _value(self, key: str) -> Any:
        self.asked.add(key)
        value = self.data.get(key)
        if key in self.data and not isinstance(value, (dict, list)):
            self.ledger.taken.add((*self.path, key))
        if isinstance(value, (dict, list)) and not value:
            self.ledger.idle.add((*self.path, key))
        return value

    def _wrong(self, key: str, expected: str) -> None:
        self.ledger.taken.discard((*self.path, key))
        self.ledger.lose((*self.path, key), f"{expected} is expected here")

    def _table(self, path: Path, item: Any) -> bool:
        if not isinstance(item, dict):
            self.ledger.lose(path, "a table is expected here")
        elif not item:
            self.ledger.idle.add(path)
        return isinstance(item, dict)

    def made(self, data: dict[str, Any], path: Path) -> Node:
        """A table further in, which `finish` looks at too."""
        node = Node(data, path, self.ledger)
        self.inner.append(node)
        return node


def _visible(text: str) -> str:
    return "".join(one for one in text if one in _KEPT or not invisible(one))
