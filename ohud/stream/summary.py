"""The final report of a run, as values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens by kind; what was cached for a time that is not said counts as five minutes."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.input + self.output + self.cache_read + self.cache_write_5m + self.cache_write_1h

    @classmethod
    def of(cls, rows: Iterable[list[int]]) -> Tokens:
        """The sum of rows as `ohud.run.fold` keeps them."""
        sums = [0, 0, 0, 0, 0]
        for row in rows:
            sums = [a + b for a, b in zip(sums, row, strict=False)]
        return cls(*sums)


@dataclass(frozen=True, slots=True)
class Summary:
    """
    What a run came to: the last session of the stream. Texts are as they were sent, not cleaned for a terminal.

    Takes:  finished: whether the last turn has its result; is_error: what that says, None while there is none;
            subtype, result: of the last result; results: turns of the conversation that have ended; turns: exchanges
            with the model in them; duration_ms, duration_api_ms [ms] and cost_usd [USD]: None while not told;
            tokens: of the whole run, agents included, models: the same by model; tools: calls by name, those of agents
            too; tool_errors: calls of the main conversation that failed; agents: how many were launched; denials: the
            tools of calls that were not allowed; errors: what went wrong, in words, the last 20; sessions: how many
            the stream held; messages, bad_lines, long_lines: lines by what they were, of the whole stream
    """

    session_id: str | None
    model: str | None
    finished: bool
    is_error: bool | None
    subtype: str | None
    result: str | None
    results: int
    turns: int
    duration_ms: int | None
    duration_api_ms: int | None
    cost_usd: float | None
    cost_by_model: dict[str, float]
    tokens: Tokens
    models: dict[str, Tokens]
    tools: dict[str, int]
    tool_errors: int
    agents: int
    denials: tuple[str, ...]
    errors: tuple[str, ...]
    sessions: int
    messages: int
    bad_lines: int
    long_lines: int
