"""The final report of a run, as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from ohud.errors import count, quote
from ohud.run.clean import clean
from ohud.stream.summary import Summary, Tokens

_NAME, _VALUE, _LINE = 80, 400, 2000
_LINES = 400


def report(summary: Summary) -> str:
    """What the run came to: a line a fact, then the result's own words; no control character from outside."""
    rows = [(name, text) for name, text in _rows(summary) if text]
    width = max(len(name) for name, _ in rows)
    lines = [f"{name:{width}}  {text}".rstrip() for name, text in rows]
    words = _words(summary.result)
    return "\n".join([*lines, *([""] if words else []), *words])


def _rows(summary: Summary) -> Iterator[tuple[str, str]]:
    yield "run", _ending(summary)
    yield "session", _name(summary.session_id) if summary.session_id else ""
    yield "model", _name(summary.model) if summary.model else ""
    turns = f"{summary.turns}" if summary.turns else ""
    yield "turns", turns + (f" in {count(summary.results, 'prompt')}" if summary.results > 1 else "")
    yield "time", _time(summary)
    yield "tokens", _tokens(summary.tokens)
    yield "cost", _money(summary.cost_usd) if summary.cost_usd is not None else "unknown"
    for model in dict.fromkeys([*summary.cost_by_model, *summary.models]):
        yield "", _of_model(summary, model)
    yield "tools", _counted(summary.tools)
    yield "failed", count(summary.tool_errors, "call") if summary.tool_errors else ""
    yield "agents", str(summary.agents) if summary.agents else ""
    yield "denied", _counted({tool: summary.denials.count(tool) for tool in dict.fromkeys(summary.denials)})
    for error in summary.errors:
        yield "error", clean(error, _VALUE)
    yield "lines", _unread(summary)


def _ending(summary: Summary) -> str:
    """How the run ended."""
    if not summary.finished:
        return "no result" if not summary.messages or summary.results == 0 else "no result of the last prompt"
    kind = clean(summary.subtype or "", _NAME).strip()
    if summary.is_error:
        return "failed" + (f" ({kind})" if kind not in ("", "success") else "")
    return "done" + (f" ({kind})" if kind not in ("", "success") else "")


def _time(summary: Summary) -> str:
    parts = []
    if summary.duration_ms is not None:
        parts.append(_seconds(summary.duration_ms))
    if summary.duration_api_ms is not None:
        parts.append("API " + _seconds(summary.duration_api_ms))
    return ", ".join(parts)


def _seconds(milliseconds: int) -> str:
    seconds = milliseconds / 1000
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def _tokens(tokens: Tokens) -> str:
    kinds = (
        ("input", tokens.input),
        ("output", tokens.output),
        ("cache read", tokens.cache_read),
        ("cache write", tokens.cache_write_5m),
        ("cache write 1 h", tokens.cache_write_1h),
    )
    said = ", ".join(f"{name} {number:,}" for name, number in kinds if number)
    return f"{tokens.total:,}: {said}" if said else ""


def _money(usd: float) -> str:
    return f"${usd:,.2f}" if usd >= 10 else f"${usd:.4f}"


def _of_model(summary: Summary, model: str) -> str:
    cost, tokens = summary.cost_by_model.get(model), summary.models.get(model)
    parts = [_money(cost)] if cost is not None else []
    if tokens is not None and tokens.total:
        parts.append(f"{tokens.total:,} tokens")
    return f"{_name(model)}: {', '.join(parts)}" if parts else ""


def _counted(counts: dict[str, int]) -> str:
    """Names with how often, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{_name(name)} {number}" for name, number in ordered if number)


def _unread(summary: Summary) -> str:
    parts = []
    if summary.sessions > 1:
        parts.append(f"{summary.sessions} sessions, of which this is the last")
    if summary.bad_lines:
        parts.append(f"{count(summary.bad_lines, 'line')} could not be read")
    if summary.long_lines:
        parts.append(f"{count(summary.long_lines, 'line')} too long")
    return ", ".join(parts)


def _name(text: str) -> str:
    return quote(text, _NAME)[1:-1]


def _words(result: str | None) -> list[str]:
    """The result's words, line by line."""
    lines = [clean(line, _LINE).rstrip() for line in (result or "").strip("\n").split("\n", _LINES)]
    if len(lines) > _LINES:
        lines[_LINES:] = ["…"]
    return lines if any(lines) else []
