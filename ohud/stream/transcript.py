"""
The journal of a stream: the state that `ohud.run.fold` makes of a transcript, made of messages.

What most lines say (an answer's tokens, a call, its result) is kept here as it was sent and made fit for the eye only
when it is looked at: a stream is read at the pace of `json.loads`, and most of what is kept is gone again before anyone
looks. All else, agents, the task list, what cuts a turn off, goes through `ohud.run.fold` itself.

Streams differ from transcripts: lines say little about time, an answer's line has its output tokens only as at its
start, events have them at its end, agents speak in the same stream, and a result tells the sums of all.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from ohud.fields._estimate import plain
from ohud.run.clean import clean
from ohud.run.fold import add, moment
from ohud.run.fold import end as end_agent
from ohud.run.journal import fresh
from ohud.stream.messages import JsonObject

Rows = dict[str, dict[str, list[int]]]

_BIGGEST = 1 << 48
_LIVE = 64
_OPEN = 32
_RECENT = 20
_REPLIES = 512
_SEEN = 1024
_NAMES = 200
_MODELS = 50
_AGENTS = ("Task", "Agent")
# These are for `ohud.run.fold`: agents, and the upkeep of the task list, which is no work.
_OTHERS = frozenset(
    (*_AGENTS, "TodoWrite", "TodoRead", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "TaskStop", "TaskOutput")
)
_TARGETS = ("file_path", "path", "command", "pattern", "url", "query", "notebook_path", "skill", "description")
_FIELDS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
_TOTALS = (
    "inputTokens",
    "outputTokens",
    "cacheReadInputTokens",
    "cacheCreationInputTokens",
    "cacheCreationEphemeral1hInputTokens",
    "webSearchRequests",
)
_TARGET = 120
_INTERRUPT = "[Request interrupted by user"
# A call that no stream can name; it is dead once `ohud.run.fold` has settled the turn.
_SENTINEL = "\n"


class _Tool:
    """A tool: its name fit for the eye, how often it was called, how many of the main calls have ended."""

    __slots__ = ("calls", "ended", "label", "other")

    def __init__(self, label: str) -> None:
        self.label = label
        self.calls = 0
        self.ended = 0
        # One that `ohud.run.fold` looks after.
        self.other = label in _OTHERS


class _Call:
    """A call: its tool, what it is about, when it was made as it was sent, whether it will get no result any more."""

    __slots__ = ("at", "dead", "target", "tool")

    def __init__(self, tool: _Tool, target: str | None, at: object) -> None:
        self.tool = tool
        self.target = target
        self.at = at
        self.dead = False

    def view(self) -> JsonObject:
        """What is seen of it, fit for the eye."""
        return {"name": self.tool.label, "target": self.target or None}


class Journal:
    """
    The state of a session by its stream, and what only a stream says.

    Takes:  of its methods: raw: a message's object; stamp: ISO 8601 text of when it came, for lines that do not say
    """

    def __init__(self) -> None:
        self.answered: str | None = None
        # The last answer's tokens: input, output, cache reads, 5 m writes, 1 h writes, searches.
        self.window: list[int] | None = None
        self.messages = 0
        self.errors = 0
        self.lines_added = 0
        self.lines_removed = 0
        self.tokens: Rows = {}
        # Agents, tasks, prompts and compactions; its other parts stand here.
        self._state: JsonObject = fresh()
        self._state["open"][_SENTINEL] = {"dead": False}
        self._base: Rows = {}
        # By id: after how many results it was counted, model, price bracket, tokens.
        self._replies: dict[str, tuple[int, str, str, list[int]]] = {}
        self._results = 0
        self._ident: object = None
        self._usage: object = None
        self._window_id: object = None
        self._final_id: object = None
        self._ttl_s: int | None = None
        # Moments as they were sent.
        self._started: str | None = None
        self._last: str | None = None
        self._replied: str | None = None
        self._asked: str | None = None
        self._reply_asked: str | None = None
        self._tools: dict[str, _Tool] = {}
        self._open: dict[str, _Call] = {}
        self._recent: deque[tuple[_Call, bool, object]] = deque(maxlen=_RECENT)
        self._calls: dict[str, None] = {}
        self._failed: dict[str, None] = {}
        self._live: dict[object, JsonObject] = {}

    def ask(self, stamp: str | None) -> None:
        """A turn begins: the model is asked."""
        if stamp is not None:
            self._asked = stamp
            self._started = self._started or stamp

    def ask_model(self, model: str | None) -> None:
        """A setup names the model: another one that has answered before says nothing of the answers to come."""
        if model and self.answered and plain(model) != plain(self.answered):
            self.answered = None

    def assistant(self, raw: JsonObject, stamp: str | None) -> None:
        """One block of an answer."""
        message = raw.get("message")
        if type(message) is not dict:
            return
        when = raw.get("timestamp") or stamp
        if self._started is None and type(when) is str:
            self._started = when
        parent = raw.get("parent_tool_use_id")
        model: Any = message.get("model")
        if model is None or model != self.answered:
            if type(model) is not str:
                model = ""
            elif model[:1] == "<":
                # The host's own words.
                if parent is None:
                    self._through({"type": "assistant", "timestamp": when, "message": message})
                return
        self._reply(message, model, when, parent is not None, raw)
        content = message.get("content")
        if type(content) is list:
            for block in content:
                if type(block) is dict and block.get("type") == "tool_use":
                    self._called(block, when, parent is not None)
        if parent is not None and type(parent) is str:
            agent = self._state["agents"].get(parent)
            if agent is not None and agent["model"] is None:
                agent["model"] = clean(model, 60).strip() or None

    def _reply(self, message: JsonObject, model: str, when: object, side: bool, raw: JsonObject) -> None:
        """A message's time, and its tokens unless another block of it has told them."""
        if not side:
            if type(when) is str:
                self._last = self._replied = when
            if model:
                self.answered = model
        # Without an id each line is a message of its own, as in a transcript.
        ident, usage = message.get("id") or raw.get("uuid"), message.get("usage")
        if ident != self._ident or usage != self._usage:
            self._ident, self._usage = ident, usage
            self._count(ident if type(ident) is str else None, side, model, _row(usage), usage)

    def _count(self, ident: str | None, side: bool, model: str, row: list[int], usage: object) -> None:
        """Counts a message once: of its snapshots the largest, as the first ones are of its start."""
        if not side:
            self._fill(ident, row)
        prompt = row[0] + row[2] + row[3] + row[4]
        bucket = "" if prompt <= 100_000 else "1" if prompt <= 200_000 else "2"
        if type(usage) is dict and usage.get("speed") == "fast":
            bucket = "f" + bucket
        before = self._replies.get(ident) if ident is not None else None
        if before is not None:
            results, old_model, old_bucket, old = before
            # What a result's sums hold already must not be added again.
            if results != self._results or row == old or sum(row[:5]) < sum(old[:5]):
                return
            self._add(old_model, old_bucket, [-figure for figure in old])
        elif not side:
            self.messages += 1
        self._add(model, bucket, row)
        if ident is not None:
            replies = self._replies
            replies[ident] = (self._results, model, bucket, row)
            if len(replies) > 2 * _REPLIES:
                _forget(replies, _REPLIES)

    def _fill(self, ident: str | None, row: list[int]) -> None:
        """The window after an answer; one without tokens, as of an error, leaves it."""
        if row[3] or row[4]:
            self._ttl_s = 3600 if row[4] else 300
        elif row[2] and self._ttl_s is None:
            self._ttl_s = 300
        if ident != self._window_id or ident is None:
            self._reply_asked = self._asked
        elif self.window is not None and row[1] < self.window[1]:
            return
        if any(row):
            self.window, self._window_id = row, ident

    def _add(self, model: str, bucket: str, row: list[int]) -> None:
        rows = self.tokens.get(model)
        if rows is None:
            rows = self.tokens.setdefault(model if len(self.tokens) < _MODELS else "", {})
        known = rows.get(bucket)
        if known is None:
            rows[bucket] = row.copy()
        else:
            known[0] += row[0]
            known[1] += row[1]
            known[2] += row[2]
            known[3] += row[3]
            known[4] += row[4]
            known[5] += row[5]

    def _called(self, block: JsonObject, when: object, side: bool) -> None:
        """A call of a tool, each counted once."""
        ident, name = block.get("id"), block.get("name")
        if type(ident) is not str or type(name) is not str or ident in self._calls:
            return
        self._calls[ident] = None
        if len(self._calls) > 2 * _SEEN:
            _forget(self._calls, _SEEN)
        tool = self._tools.get(name)
        if tool is None:
            tool = self._tool(name)
        tool.calls += 1
        if side:
            return
        if tool.other:
            # Without an id and tokens: those are counted. The task list asks for no time.
            said = when if tool.label in _AGENTS else None
            self._through({"type": "assistant", "timestamp": said, "message": {"content": [block]}})
            return
        target = None
        given = block.get("input")
        if type(given) is dict:
            for key in _TARGETS:
                value = given.get(key)
                if type(value) is str:
                    head = value[:_TARGET]
                    if not (head.isascii() and head.isprintable()):
                        head = clean(value, _TARGET)
                    target = head.strip()
                    if target:
                        break
        calls = self._open
        calls[ident] = _Call(tool, target, when)
        if len(calls) > _OPEN:
            del calls[next((key for key, call in calls.items() if call.dead), next(iter(calls)))]

    def _tool(self, name: str) -> _Tool:
        """A tool by its name as it was sent; those that come after many others are counted as one."""
        if len(self._tools) >= _NAMES:
            name = "?"
        if name not in self._tools:
            label = clean(name, 80).strip().removeprefix("proxy_") or "?"
            self._tools[name] = _Tool(label)
        return self._tools[name]

    def event(self, raw: JsonObject, event: JsonObject, stamp: str | None) -> None:
        """An event of a message while it is made; those that only add words are not handed in."""
        kind = event.get("type")
        parent = raw.get("parent_tool_use_id")
        key = parent if type(parent) is str else None
        if kind == "message_start":
            message = event.get("message")
            if type(message) is dict:
                self._live[key] = message
                if len(self._live) > _LIVE:
                    _forget(self._live, 1)
                self._reply(message, _model(message), stamp, key is not None, message)
        elif kind == "message_delta":
            message = self._live.get(key)
            usage = event.get("usage")
            if message is not None and type(usage) is dict:
                self._ended(key, message, usage, stamp)
        elif kind == "message_stop":
            self._live.pop(key, None)

    def _ended(self, key: str | None, message: JsonObject, usage: JsonObject, stamp: str | None) -> None:
        """A message's tokens at its end; what they do not tell is as at its start."""
        start = message.get("usage")
        told = {name: value for name, value in usage.items() if value is not None}
        whole = {**start, **told} if type(start) is dict else told
        ident, model = message.get("id"), _model(message)
        ended = self._live[key] = {"id": ident, "model": model, "usage": whole}
        self._reply(ended, model, stamp, key is not None, ended)
        if key is None:
            self._final_id = ident

    def user(self, raw: JsonObject, stamp: str | None) -> None:
        """Results of tools, and words in the user's place."""
        result = raw.get("tool_use_result")
        if type(result) is dict:
            patch = result.get("structuredPatch")
            if type(patch) is list:
                self._changed(patch, result)
        when = raw.get("timestamp") or stamp
        if self._started is None and type(when) is str:
            self._started = when
        message = raw.get("message")
        if raw.get("parent_tool_use_id") is not None or type(message) is not dict:
            return
        if type(when) is str:
            self._last = self._asked = when
        content = message.get("content")
        known = 0
        if type(content) is list:
            for block in content:
                if type(block) is dict and block.get("type") == "tool_result":
                    ident = block.get("tool_use_id")
                    call = self._open.pop(ident, None) if type(ident) is str else None
                    if call is not None:
                        known += 1
                        failed = block.get("is_error") is True
                        call.tool.ended += 1
                        self._recent.append((call, not failed, when))
                        if failed:
                            self._fail(raw, str(ident), block, when)
                    elif self._is_idle(ident):
                        known += 1
            if known == len(content):
                return
        record = {"type": "user", "timestamp": when, "message": message, "origin": raw.get("origin")}
        # What is no prompt sent back was written by the host itself.
        record["isMeta"] = raw.get("isReplay") is not True
        if result is not None:
            record["toolUseResult"] = result
        self._through(record)

    def _is_idle(self, ident: Any) -> bool:
        """Whether a result says nothing: that of a change of the task list, say. Odd ids are for `ohud.run.fold`."""
        if type(ident) is not str or len(ident) > 100 or not (ident.isascii() and ident.isprintable()):
            return False
        return ident not in self._state["agents"] and ident not in self._state["creating"]

    def _fail(self, raw: JsonObject, ident: str, block: JsonObject, when: object) -> None:
        """A call that ended in an error; what was stopped or not allowed has not failed."""
        if _words(block.get("content")).startswith(_INTERRUPT):
            self.settle(when)
        elif not _refused(raw):
            # Older hosts tell only in the result that it was not allowed.
            self.errors += 1
            self._failed[ident] = None
            if len(self._failed) > 2 * _SEEN:
                _forget(self._failed, _SEEN)

    def _changed(self, patch: list[Any], result: JsonObject) -> None:
        """
        Lines that an edit has added and taken away.

        Source:   hosts 2.1.215, 2.1.332: a new file counts what its ends of lines part, so one more when it ends in one
        """
        content = result.get("content")
        if not patch and result.get("type") == "create" and type(content) is str:
            self.lines_added += content.count("\n") + 1
        for hunk in patch:
            lines = hunk.get("lines") if type(hunk) is dict else None
            if type(lines) is list:
                for line in lines:
                    if type(line) is str:
                        self.lines_added += line[:1] == "+"
                        self.lines_removed += line[:1] == "-"

    def _through(self, record: JsonObject) -> None:
        """Has `ohud.run.fold` take a record in; where that settles the turn, the calls kept here are dead too."""
        sentinel = self._state["open"][_SENTINEL]
        add(self._state, record)
        if sentinel["dead"]:
            sentinel["dead"] = False
            for call in self._open.values():
                call.dead = True

    def settle(self, when: object) -> None:
        """The turn is over: nothing that it started in the foreground runs on."""
        self._through({"type": "system", "subtype": "turn_duration", "timestamp": when or self._last})

    def system(self, raw: JsonObject, stamp: str | None) -> None:
        """A compaction, and the life of agents."""
        kind = raw.get("subtype")
        if kind == "compact_boundary":
            self._through({"type": "system", "subtype": kind})
            self.window = self._window_id = None
        elif kind == "task_started" or kind == "task_notification":
            call = raw.get("tool_use_id")
            agent = self._state["agents"].get(call) if type(call) is str else None
            if agent is None:
                return
            if kind == "task_started":
                task = raw.get("task_id")
                agent["agent"] = clean(task, 60) if type(task) is str else None
                agent["background"] = agent["background"] or raw.get("is_backgrounded") is True
            elif raw.get("status") not in ("running", "pending"):
                end_agent(agent, moment(raw.get("timestamp") or stamp or self._last))

    def result(self, raw: JsonObject, stamp: str | None) -> None:
        """The end of a turn: its sums count from now on, in place of what was added up."""
        self.settle(stamp)
        self._live.clear()
        totals = self._totals(raw.get("modelUsage")) or self._with_turn(raw.get("usage"))
        if totals:
            self.tokens = totals
            self._results += 1
        self._base = _copied(self.tokens)

    def denied(self, call: str) -> None:
        """A call that was not allowed has not failed."""
        if call in self._failed:
            del self._failed[call]
            self.errors -= 1

    def _totals(self, models: object) -> Rows:
        """The tokens of all models as a result tells them; empty when it does not."""
        found: Rows = {}
        if type(models) is not dict:
            return found
        for name, used in models.items():
            if type(used) is not dict or len(found) == _MODELS:
                continue
            whole = [_figure(used.get(key)) for key in _TOTALS]
            hour = min(whole[3], whole[4] if _TOTALS[4] in used else self._hour(name))
            whole[3], whole[4] = whole[3] - hour, hour
            if any(whole):
                found[clean(name, 120)] = {"": whole}
        return found

    def _hour(self, model: str) -> int:
        """What was added up of a model's writes for an hour: older hosts do not tell the two apart in their sums."""
        plain = model.partition("[")[0]
        counted = [rows for name, rows in self.tokens.items() if name.partition("[")[0] == plain]
        return sum(row[4] for rows in counted for row in rows.values())

    def _with_turn(self, usage: object) -> Rows:
        """The tokens with those that a result tells of its turn; empty when more was added up than it tells."""
        told = _row(usage)
        if not any(told[:5]) or sum(told[:5]) < _total(self.tokens) - _total(self._base):
            return {}
        found = _copied(self._base)
        rows = found.setdefault(self.answered or "", {})
        rows[""] = [a + b for a, b in zip(rows.get("", [0] * 6), told, strict=True)]
        return found

    def tools(self) -> dict[str, int]:
        """Calls by tool, those of agents too."""
        return _tally((tool.label, tool.calls) for tool in self._tools.values())

    @property
    def agents(self) -> int:
        """How many agents were launched."""
        return sum(tool.calls for tool in self._tools.values() if tool.label in _AGENTS)

    def moments(self) -> tuple[float | None, float | None]:
        """When the conversation began, and when something was last said in it [s since 1970]."""
        return moment(self._started), moment(self._last)

    def view(self, prompts: int) -> JsonObject:
        """The state as the families read it, with at least so many prompts."""
        names = {model: clean(model, 120).strip() for model in self.tokens}
        tokens: Rows = {}
        for model, rows in self.tokens.items():
            mine = tokens.setdefault(names[model], {})
            for bucket, row in rows.items():
                mine[bucket] = [a + b for a, b in zip(mine.get(bucket, [0] * 6), row, strict=True)]
        last = moment(self._last)
        return {
            **self._state,
            "tokens": tokens,
            "side": {},
            "messages": self.messages,
            "prompts": max(prompts, self._state["prompts"]),
            "started_at": moment(self._started),
            "last_at": last,
            "last_reply_at": moment(self._replied),
            "asked_at": moment(self._asked),
            "last_usage": self.window[:5] if self.window else None,
            "ttl_s": self._ttl_s,
            "reply": self._speed(),
            "open": {
                clean(ident, 100): {**call.view(), "at": moment(call.at), "dead": call.dead}
                for ident, call in self._open.items()
            },
            "recent": [{**call.view(), "ok": ok, "ended_at": moment(when)} for call, ok, when in self._recent],
            "counts": _tally((tool.label, tool.ended) for tool in self._tools.values()),
            "errors": self.errors,
            "replies": {},
            "complete": True,
        }

    def _speed(self) -> list[Any] | None:
        """The last answer as [id, asked at, output tokens, seconds]; None where only its start is known."""
        if self.window is None or self._window_id is None or self._final_id != self._window_id:
            return None
        asked, last = moment(self._reply_asked), moment(self._replied)
        return [self._window_id, asked, self.window[1], None if asked is None or last is None else last - asked]


def _row(usage: Any) -> list[int]:
    """Tokens as `ohud.run.fold` keeps them: input, output, cache reads, 5 m writes, 1 h writes, searches."""
    try:
        # As the maker sends it; what lacks a part or has an odd one goes the careful way.
        split = usage["cache_creation"]
        sent, answered, read = usage["input_tokens"], usage["output_tokens"], usage["cache_read_input_tokens"]
        written, hour = usage["cache_creation_input_tokens"], split["ephemeral_1h_input_tokens"]
        total = sent + answered + read + written
        if type(total) is int and total < _BIGGEST and written == split["ephemeral_5m_input_tokens"] + hour:
            row = [sent, answered, read, written - hour, hour, 0]
            if min(row) >= 0 and "server_tool_use" not in usage:
                return row
    except (TypeError, KeyError):
        pass
    return _careful_row(usage if type(usage) is dict else {})


def _careful_row(usage: JsonObject) -> list[int]:
    split, served = usage.get("cache_creation"), usage.get("server_tool_use")
    split, served = (table if type(table) is dict else {} for table in (split, served))
    sent, answered, read, written = (_figure(usage.get(key)) for key in _FIELDS)
    hour, short = (_figure(split.get("ephemeral_%s_input_tokens" % time)) for time in ("1h", "5m"))
    # Some gateways split less than they wrote; what is left over is of the short kind.
    return [sent, answered, read, max(short, written - hour), hour, _figure(served.get("web_search_requests"))]


def _figure(value: object) -> int:
    return value if type(value) is int and 0 <= value < _BIGGEST else 0


def _model(message: JsonObject) -> str:
    model = message.get("model")
    return model if type(model) is str else ""


def _total(tokens: Rows) -> int:
    return sum(sum(row[:5]) for rows in tokens.values() for row in rows.values())


def _tally(counted: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Counts by name; several tools may have come to one."""
    found: dict[str, int] = {}
    for name, count in counted:
        if count:
            found[name] = found.get(name, 0) + count
    return found


def _copied(tokens: Rows) -> Rows:
    return {model: {bucket: row.copy() for bucket, row in rows.items()} for model, rows in tokens.items()}


def _forget(kept: dict[Any, Any], count: int) -> None:
    """Drops what is oldest."""
    for key in list(kept)[:count]:
        del kept[key]


def _words(content: object) -> str:
    """The first text of a result."""
    if type(content) is list:
        content = next((one.get("text") for one in content if type(one) is dict and type(one.get("text")) is str), "")
    return content if type(content) is str else ""


def _refused(raw: JsonObject) -> bool:
    """Whether a line says that its call was not allowed; hosts from about 2.1.3xx on do."""
    notes = raw.get("tool_result_meta")
    if type(notes) is list:
        for note in notes:
            decision: Any = note.get("permission_decision") if type(note) is dict else None
            said = decision.get("decision") if type(decision) is dict else None
            if type(said) is str and said not in ("accept", "allow"):
                return True
    return False
