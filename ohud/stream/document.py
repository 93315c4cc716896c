"""A stream folded, message by message, into what a status line would get: the payload, the journal, a final report."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from ohud.fields._estimate import plain
from ohud.fields.model import name as model_name
from ohud.run.fold import moment
from ohud.run.world import World
from ohud.stream.messages import (
    Assistant,
    Init,
    JsonObject,
    PermissionDenial,
    RateLimitEvent,
    Result,
    StreamEvent,
    System,
    User,
)
from ohud.stream.parse import BadLine
from ohud.stream.reader import Item, TooLong
from ohud.stream.summary import Summary, Tokens
from ohud.stream.transcript import Journal

_TEXT = 4096
_ERRORS = 20
_LIMITS = 16
_DENIALS = 200
_MILLION = 1_000_000
_PLAIN = 200_000


class Fold:
    """
    Messages in, the state of the run out; nothing is kept of a message but what the state needs.

    Of a stream with several sessions the last one counts: their figures are never added up.
    """

    def __init__(self) -> None:
        self.messages = 0
        self.bad_lines = 0
        self.long_lines = 0
        self.sessions = 0
        self._at: float | None = None
        self._stamp: str | None = None
        self._limits: JsonObject = {}
        self._windows: dict[str, int] = {}
        self._init: JsonObject = {}
        self._start(None)

    def _start(self, session: str | None) -> None:
        """
        Nothing is known of this session yet; limits, the sizes of windows and the last setup hold for the next one too.

        A host that begins a conversation anew (`/clear`) is still the same process, and may send no setup before the
        next prompt.
        """
        self.session_id = session
        self._journal = Journal()
        self._running = False
        self._begun_at: float | None = None
        self._last: Result | None = None
        self._results = 0
        self._turns = 0
        self._turn_messages = 0
        self._duration_ms = 0
        self._duration_api_ms: int | None = None
        self._cost: float | None = None
        self._costs: dict[str, float] = {}
        self._denials: dict[object, str] = {}
        self._errors: list[str] = []

    @property
    def result(self) -> Result | None:
        """The last result, None before the first one."""
        return self._last

    @property
    def running(self) -> bool:
        """Whether a turn has begun that has no result yet."""
        return self._running

    def add(self, item: Item, at: float | None = None) -> None:
        """
        Takes one message in.

        Takes:    item: of a Reader; at: when it came, for lines that do not say [s since 1970]
        Errors:   none
        """
        self.add_all((item,), at)

    def add_all(self, items: Iterable[Item], at: float | None = None) -> None:
        """Takes messages in that came at one time; see `add`."""
        if at is not None and at != self._at:
            self._at, self._stamp = at, _stamp(at)
        one: Any
        for one in items:
            kind = type(one)
            handle = _HANDLERS.get(kind)
            if handle is not None:
                self.messages += 1
                handle(self, one.raw)
            elif kind is BadLine:
                self.bad_lines += 1
            elif kind is TooLong:
                self.long_lines += 1
            else:
                self.messages += 1

    def _enter(self, raw: JsonObject) -> None:
        """A message of a turn, when it is of another session or begins the turn."""
        session = raw.get("session_id")
        if session != self.session_id and type(session) is str and raw.get("parent_tool_use_id") is None:
            if self.session_id is None:
                self.session_id = session
            else:
                self._start(session)
            self.sessions += 1
        if not self._running:
            self._running = True
            self._turn_messages = self._journal.messages
            self._begun_at = moment(raw.get("timestamp") or self._stamp)

    def _add_init(self, raw: JsonObject) -> None:
        self._enter(raw)
        self._journal.ask(self._stamp)
        kept = {key: raw[key][:_TEXT] for key in _INIT if isinstance(raw.get(key), str)}
        folders = raw.get("additional_directories")
        if isinstance(folders, list):
            kept["added_dirs"] = [path[:_TEXT] for path in folders[:50] if isinstance(path, str)]
        self._init = kept
        self._journal.ask_model(kept.get("model"))

    def _add_system(self, raw: JsonObject) -> None:
        self._journal.system(raw, self._stamp)

    def _add_event(self, raw: JsonObject) -> None:
        event = raw.get("event")
        # Most lines of a stream are of this kind, and words say nothing here.
        if type(event) is dict and type(kind := event.get("type")) is str and kind in _EVENTS:
            if not self._running or raw.get("session_id") != self.session_id:
                self._enter(raw)
            self._journal.event(raw, event, self._stamp)

    def _add_assistant(self, raw: JsonObject) -> None:
        if not self._running or raw.get("session_id") != self.session_id:
            self._enter(raw)
        self._journal.assistant(raw, self._stamp)
        error = raw.get("error")
        if error is not None and type(error) is str:
            self._note(error)

    def _add_user(self, raw: JsonObject) -> None:
        if not self._running or raw.get("session_id") != self.session_id:
            self._enter(raw)
        self._journal.user(raw, self._stamp)

    def _add_result(self, raw: JsonObject) -> None:
        self._enter(raw)
        result = Result(raw)
        self._running = False
        self._results += 1
        self._turns += result.num_turns or 0
        self._duration_ms += result.duration_ms or 0
        # Of the process so far, unlike the other one.
        self._duration_api_ms = result.duration_api_ms or self._duration_api_ms
        self._add_costs(result)
        self._journal.result(raw, self._stamp)
        self._complete_window(result)
        for denial in result.permission_denials:
            self._add_denial(denial)
        for error in result.errors:
            self._note(error)
        # Without what may be long and is not asked for again.
        self._last = Result({key: value for key, value in raw.items() if key in _RESULT})

    def _add_costs(self, result: Result) -> None:
        """The cost so far, of all and by model; both are of the process, not of the turn."""
        used = list(result.model_usage.items())[:50]
        costs = {name: model.cost_usd for name, model in used}
        known = {name: cost for name, cost in costs.items() if cost is not None}
        if known:
            self._costs = known
        total = result.total_cost_usd
        if total is None and known and len(known) == len(costs):
            total = sum(known.values())
        if total is not None:
            self._cost = total
        for name, model in used:
            if model.context_window and (name in self._windows or len(self._windows) < 50):
                self._windows[name] = model.context_window

    def _complete_window(self, result: Result) -> None:
        """Where the turn was a single answer, its output is the turn's: the answer's own line does not tell it."""
        window, told = self._journal.window, result.usage.output_tokens
        if window and told is not None and self._journal.messages - self._turn_messages == 1:
            self._journal.window = [window[0], max(window[1], told), *window[2:]]

    def _add_denial(self, denial: PermissionDenial) -> None:
        call, tool = denial.tool_use_id, denial.tool_name or "?"
        key = len(self._denials) if call is None else call
        if key not in self._denials and len(self._denials) < _DENIALS:
            self._denials[key] = tool[:80]
            if call is not None:
                self._journal.denied(call)

    def _note(self, error: str) -> None:
        self._errors.append(error[:500])
        del self._errors[:-_ERRORS]

    def _add_limit(self, raw: JsonObject) -> None:
        for name, window in RateLimitEvent(raw).windows.items():
            told: JsonObject = {}
            used, until = window.utilization, window.resets_at
            if used is not None:
                told["used_percentage"] = round(used * 100, 1)
            if until is not None:
                told["resets_at"] = until
            if told and (name in self._limits or len(self._limits) < _LIMITS):
                self._limits[name[:80]] = told

    def payload(self, now: float | None = None) -> JsonObject:
        """
        What the host would hand to a status line now; parts that are not known are left out.

        Takes:    now: to let the time of a running turn go on [s since 1970]
        Returns:  the shape of a payload; `cost.total_cost_usd` only once a result has told it
        """
        init = self._init
        model = self._model()
        found: JsonObject = {}
        if self.session_id is not None:
            found["session_id"] = self.session_id[:_TEXT]
        if "cwd" in init:
            found["cwd"] = init["cwd"]
            found["workspace"] = {
                "current_dir": init["cwd"],
                "project_dir": init.get("original_cwd", init["cwd"]),
                "added_dirs": init.get("added_dirs", []),
            }
        if model is not None:
            label = model_name({"model": {"id": model}}, _NOWHERE)
            found["model"] = {"id": model, "display_name": label or model}
        if "claude_code_version" in init:
            found["version"] = init["claude_code_version"]
        if "output_style" in init:
            found["output_style"] = {"name": init["output_style"]}
        found["cost"] = self._costs_of_payload(now)
        found["context_window"] = self._context(model)
        if self._journal.window:
            found["exceeds_200k_tokens"] = sum(self._journal.window[:5]) > _PLAIN
        if "fast_mode_state" in init:
            found["fast_mode"] = init["fast_mode_state"] == "on"
        if self._limits:
            found["rate_limits"] = dict(self._limits)
        return found

    def _model(self) -> str | None:
        """The id of the model: the one that was asked for, or another that has answered in its place."""
        asked, answered = self._init.get("model"), self._journal.answered
        if asked is not None and (answered is None or plain(asked) == plain(answered)):
            return str(asked)
        return answered[:_TEXT] if answered else None

    def _costs_of_payload(self, now: float | None) -> JsonObject:
        found: JsonObject = {}
        if self._cost is not None:
            found["total_cost_usd"] = self._cost
        passed = self._duration(now)
        if passed is not None:
            found["total_duration_ms"] = passed
        if self._duration_api_ms is not None:
            found["total_api_duration_ms"] = self._duration_api_ms
        found["total_lines_added"] = self._journal.lines_added
        found["total_lines_removed"] = self._journal.lines_removed
        return found

    def _duration(self, now: float | None) -> int | None:
        """Time of the turns that have ended, and of the running one so far [ms]."""
        started, last = self._journal.moments()
        begun = self._begun_at if self._begun_at is not None or self._results else started
        until = now if now is not None else last if last is not None else self._at
        if self._running and begun is not None and until is not None:
            return self._duration_ms + max(0, round((until - begun) * 1000))
        return self._duration_ms if self._results else None

    def _context(self, model: str | None) -> JsonObject:
        window, size = self._journal.window, self._size(model)
        found: JsonObject = {"total_input_tokens": 0, "total_output_tokens": 0}
        if size is not None:
            found["context_window_size"] = size
        if window is None:
            return {**found, "current_usage": None, "used_percentage": None, "remaining_percentage": None}
        sent, written = window[0], window[3] + window[4]
        used = sent + window[2] + written
        found["total_input_tokens"], found["total_output_tokens"] = used, window[1]
        found["current_usage"] = {
            "input_tokens": sent,
            "output_tokens": window[1],
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": window[2],
        }
        if size is not None:
            percent = min(100, int(used * 100 / size + 0.5))
            found["used_percentage"], found["remaining_percentage"] = percent, 100 - percent
        return found

    def _size(self, model: str | None) -> int | None:
        """
        Size of the context window: what a result has told of the model, else what is known of host and model.

        Source:   hosts 2.1.215 (200,000 but with `[1m]`) and 2.1.332 (1,000,000 with every model), captured 2026-11-30;
                  between them it is only known for models up to 4.x
        """
        if model is None:
            return None
        told = self._windows.get(model)
        if told is None:
            told = next((size for name, size in self._windows.items() if plain(name) == plain(model)), None)
        if told is not None:
            return told
        version = _version(self._init.get("claude_code_version"))
        if model.lower().endswith("[1m]") or (version is not None and version >= (2, 1, 332)):
            return _MILLION
        old = version is not None and version <= (2, 1, 215)
        return _PLAIN if old or plain(model).startswith(_FOURS) else None

    def journal(self) -> JsonObject:
        """
        The state that `computed.activity`, `computed.transcript` and the estimate of cost read (`ohud.run.fold`).

        Returns:  its tokens are of the whole run, agents included; its prompts at least as many as turns have begun
        """
        return self._journal.view(self._results + self._running)

    def memo(self) -> dict[str, Any]:
        """What belongs into a world's `memo`, so that the families follow: the journal, and the model that answered."""
        return {"journal": self.journal(), "model answered": self._journal.answered}

    def summary(self) -> Summary:
        """What the run came to so far."""
        last, journal = self._last, self._journal
        tokens = journal.tokens
        return Summary(
            session_id=self.session_id,
            model=self._model(),
            finished=last is not None and not self._running,
            is_error=last.failed if last is not None else None,
            subtype=last.subtype if last is not None else None,
            result=last.result if last is not None else None,
            results=self._results,
            turns=self._turns,
            duration_ms=self._duration(None),
            duration_api_ms=self._duration_api_ms,
            cost_usd=self._cost,
            cost_by_model=dict(self._costs),
            tokens=Tokens.of(row for rows in tokens.values() for row in rows.values()),
            models={name: Tokens.of(rows.values()) for name, rows in tokens.items()},
            tools=journal.tools(),
            tool_errors=journal.errors,
            agents=journal.agents,
            denials=tuple(self._denials.values()),
            errors=tuple(self._errors),
            sessions=self.sessions,
            messages=self.messages,
            bad_lines=self.bad_lines,
            long_lines=self.long_lines,
        )


_HANDLERS: dict[type[object], Any] = {
    Init: Fold._add_init,
    System: Fold._add_system,
    StreamEvent: Fold._add_event,
    Assistant: Fold._add_assistant,
    User: Fold._add_user,
    Result: Fold._add_result,
    RateLimitEvent: Fold._add_limit,
}
_EVENTS = frozenset(("message_start", "message_delta", "message_stop"))
_INIT = ("cwd", "original_cwd", "model", "claude_code_version", "output_style", "fast_mode_state")
_RESULT = ("type", "subtype", "is_error", "result", "errors", "stop_reason", "terminal_reason", "session_id", "uuid")
_FOURS = ("claude-3-", "claude-opus-4", "claude-sonnet-4", "claude-haiku-4")
# Names of models need no surroundings.
_NOWHERE = World({}, 0.0)


def _stamp(at: float) -> str | None:
    """A moment as the text that the host writes; None for one that no calendar knows."""
    try:
        return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return None


def _version(text: str | None) -> tuple[int, ...] | None:
    """A host's version as numbers; None when it is none."""
    numbers = (text or "").partition(" ")[0].partition("-")[0].split(".")
    return tuple(map(int, numbers)) if all(one.isascii() and one.isdecimal() for one in numbers) else None
