"""A TOML text as lines that can be put in and taken out: where each `key = value` and each `[table]` stands."""

from __future__ import annotations

import re
from typing import NamedTuple

from ohud.theme.span import KeyPath, Scan


class Pair(NamedTuple):
    """
    One `key = value`.

    Takes:  above: the table that it is written in, path: its own; start, end: offsets of the whole, comment left out
    """

    above: KeyPath
    path: KeyPath
    start: int
    end: int


class Section(NamedTuple):
    """
    A header and what stands below it, the first one without a header.

    Takes:  path: the table's; start: of the header's line; closed: behind its brackets; head_end: behind that line;
            end: start of the next header
    """

    path: KeyPath
    start: int
    closed: int
    head_end: int
    end: int


class Statements(Scan):
    """
    The statements of a text that is TOML.

    Takes:   text with LF line ends
    Returns: sections: in the order of the text, the one without a header first; pairs: all, those within inline tables
             too, an outer one before what it holds
    """

    def __init__(self, text: str) -> None:
        self._begun: list[tuple[KeyPath, KeyPath, int]] = []
        self._heads: list[tuple[KeyPath, int, int, int]] = []
        super().__init__(text)
        self.pairs = [Pair(above, path, start, self.spans[path].value_end) for above, path, start in self._begun]
        starts = [head[1] for head in self._heads]
        ends = [*starts[1:], len(text)]
        self.sections = [Section((), 0, 0, self._top(), starts[0] if starts else len(text))]
        self.sections += [Section(*head, end) for head, end in zip(self._heads, ends[: len(self._heads)], strict=True)]

    def inline(self, path: KeyPath) -> bool:
        """Whether a table is written as `{ ... }`."""
        return path in self.spans and self.text.startswith("{", self.spans[path].value_start)

    def written(self, path: KeyPath) -> bool:
        """Whether a value stands in one place, behind an equals sign."""
        return any(pair.path == path for pair in self.pairs)

    def lines_of(self, section: Section) -> list[Pair]:
        """The statements of a section, each on lines of its own."""
        return [
            pair for pair in self.pairs if section.head_end <= pair.start < section.end and not self.inline(pair.above)
        ]

    def floor(self, section: Section) -> int:
        """Behind the last statement of a section, or its header."""
        pairs = self.lines_of(section)
        return self.line_end(pairs[-1].end) if pairs else section.head_end

    def content_end(self, section: Section) -> int:
        """Behind the last line of a section that is not blank; comments right above the next header are that one's."""
        floor, end = self.floor(section), section.end
        if end < len(self.text):
            while end > floor and self._line_before(end).lstrip().startswith("#"):
                end -= len(self._line_before(end))
        while end > floor and not self._line_before(end).strip():
            end -= len(self._line_before(end))
        return end

    def line_start(self, at: int) -> int:
        """Where the line of an offset begins."""
        return self.text.rfind("\n", 0, at) + 1

    def line_end(self, at: int) -> int:
        """Where the line after an offset's begins, or the text ends."""
        found = self.text.find("\n", at)
        return len(self.text) if found < 0 else found + 1

    def _line_before(self, end: int) -> str:
        """The line, its end included, in front of the start of another."""
        return self.text[self.text.rfind("\n", 0, max(0, end - 1)) + 1 : end]

    def _top(self) -> int:
        """Behind the lines for editors at the start of a text (`#:schema ...`), which have to stay there."""
        found = _DIRECTIVES.match(self.text)
        return found.end() if found else 0

    def _header(self) -> None:
        start = self.line_start(self.at)
        super()._header()
        self._heads.append((self._table, start, self.at, self.line_end(self.at)))

    def _pair(self, table: KeyPath) -> KeyPath:
        start = self.at
        path = super()._pair(table)
        self._begun.append((table, path, start))
        return path


_DIRECTIVES = re.compile(r"(?:#:[^\n]*(?:\n|\Z))*")
