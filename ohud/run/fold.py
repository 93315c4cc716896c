"""
What one line of a transcript adds to the state of its session: tokens, tools, agents, tasks, titles.

Imported only where something was appended. None of the format is promised by its maker: whatever is of another shape
than expected is passed over.

Source:  transcripts of hosts 1.0.17 to 2.1.332
"""

from _imp import source_hash

from ohud.run.clean import clean
from ohud.run.payload import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_REPLIES = 512
_OPEN = 32
_CALLED = 128
_RECENT = 20
_NAMES = 200
_MODELS = 50
_AGENTS = 40
_TODOS = 200

_KINDS = (b"assistant", b"user", b"system", b"queue-operation", b"custom-title", b"ai-title", b"summary")
_SIGNS = (
    b'"assistant"',
    b'"user"',
    b'"compact_boundary"',
    b'"turn_duration"',
    b"<task-notification>",
    b'"custom-title"',
    b'"ai-title"',
    b'"summary"',
)
_RESUMED = b'"SessionStart:resume"'
# The list of tasks is kept by these; they are no work.
_BOOKKEEPING = (
    "TodoWrite",
    "TodoRead",
    "TaskCreate",
    "TaskUpdate",
    "TaskList",
    "TaskGet",
    "TaskStop",
    "TaskOutput",
)
# The inputs that say best what a call is about; hosts 2.1.215 and 2.1.332.
_TARGETS = ("file_path", "path", "command", "pattern", "url", "query", "notebook_path", "skill", "description")
# What the host itself writes as a user's words; a prompt of a person begins otherwise.
_NOT_TYPED = (
    "<command-name",
    "<command-args",
    "<local-command",
    "<task-notification",
    "<system-reminder",
    "<bash-",
    "<user-memory",
    "<teammate-message",
    "<user-prompt-submit-hook",
    "Caveat: The messages below",
)
_INTERRUPT = "[Request interrupted by user"
# Hosts before the field `toolDenialKind` say it in the result only.
_REFUSED = "The user doesn't want to "


def fold_all(state: "dict[str, Any]", data: bytes) -> int:
    """
    Folds every whole line in the bytes.

    Returns: how many bytes those lines have; what is behind the last LF stays for the next time
    """
    end = data.rfind(b"\n") + 1
    if not end:
        return 0
    start = 0
    if state["skip"]:
        # The rest of a line that was too long.
        start = data.find(b"\n") + 1
        state["skip"] = False
    lines = (data[start:] if start else data).split(b"\n")
    lines.pop()
    for line in lines:
        if _matters(line) or state["started_at"] is None:
            fold(state, line)
    return end


def _matters(line: bytes) -> bool:
    """Whether a line can say something; decides without decoding, as most of a transcript's bytes say nothing here."""
    if line.startswith(b'{"type":"'):
        return line[9 : line.find(b'"', 9)] in _KINDS or _RESUMED in line[:2000]
    head = line[:600]
    if b'"assistant"' in head or b'"user"' in head:
        return b'"type":"progress","data":{' not in head
    if b'"attachment":{' in head:
        return _RESUMED in line[:2000]
    for sign in _SIGNS:
        if sign in line:
            return True
    return _RESUMED in line[:2000]


def fold(state: "dict[str, Any]", line: bytes) -> None:
    """
    Adds what one line of a transcript says to the state.

    Errors:  none, whatever the line; TypeError, KeyError and such when the state itself is damaged
    """
    record = _record(state, line)
    if record is not None:
        add(state, record, line)


def add(state: "dict[str, Any]", record: "dict[str, Any]", line: bytes = b"") -> None:
    """
    Adds what one decoded record says to the state; a stream of messages hands in records of the same shape.

    Takes:   line: the record as it was written, where it was
    Errors:  as `fold`
    """
    if state["started_at"] is None:
        state["started_at"] = moment(record.get("timestamp"))
    kind = record.get("type")
    if kind == "assistant":
        _assistant(state, record)
    elif kind == "user":
        _user(state, record)
    elif kind == "system":
        if record.get("isSidechain") is not True:
            _system(state, record)
    elif kind == "queue-operation":
        if record.get("operation") == "enqueue" and isinstance(record.get("content"), str):
            _notified(state, record["content"], moment(record.get("timestamp")))
    elif kind == "custom-title" or kind == "ai-title" or kind == "summary":
        title = record.get({"custom-title": "customTitle", "ai-title": "aiTitle", "summary": "summary"}[kind])
        if isinstance(title, str):
            state["titles"][kind] = clean(title, 200).strip()
    elif _RESUMED in line[:2000]:
        _settle(state, moment(record.get("timestamp")), True)


def _record(state: "dict[str, Any]", line: bytes) -> "dict[str, Any] | None":
    """A line's record; of the result of a plain call without the copy of it that the host keeps for itself."""
    if len(line) > 4000:
        end = line.find(b',"toolUseResult":')
        if end > 0:
            start = line.find(b'"tool_use_id":"') + 15
            ident = line[start : line.find(b'"', start)].decode("ascii", "replace")
            # What is decoded is the greatest cost of a long transcript, and for these calls nothing else is read.
            if start > 14 and ident in state["open"]:
                record = parse(line[:end] + b"}")
                if record is not None and "timestamp" in record and b'"is_error":true' not in line[:end]:
                    return record
    # A crash leaves NUL bytes where the file had grown already.
    return parse(line.strip(b"\0 \t\r"))


def _system(state: "dict[str, Any]", record: "dict[str, Any]") -> None:
    kind = record.get("subtype")
    if kind == "compact_boundary":
        state["compactions"] += 1
        # What was in the window before says nothing about it now.
        state["last_usage"] = None
    elif kind == "turn_duration":
        # Written when a turn has ended: nothing that it started in the foreground runs on.
        _settle(state, moment(record.get("timestamp")))


def _assistant(state: "dict[str, Any]", record: "dict[str, Any]") -> None:
    message = record.get("message")
    if not isinstance(message, dict):
        return
    at = moment(record.get("timestamp"))
    side = record.get("isSidechain") is True
    model = _first_text(message.get("model"), record.get("model"))
    content = message.get("content")
    if model is not None and model.startswith("<"):
        # The host's own words: an error, a limit, or that a broken turn was taken up by a later process.
        if not side:
            _settle(state, at, "No response requested." in _texts(content))
        return
    counted = _counted(message.get("usage"))
    ident = _first_text(message.get("id"), record.get("uuid"))
    known = ident in state["replies"]
    _reply(state, ident, side, model or "", counted)
    if side:
        return
    last = state["last_reply_at"]
    # A copy of an older record, behind newer ones, is not the last.
    if not known or at is None or last is None or at >= last:
        _latest(state, ident, counted, at)
    if isinstance(content, list):
        for block in content:
            if isinstance(block, dict) and block.get("type") == "tool_use":
                _called(state, block, ident, at)


def _latest(state: "dict[str, Any]", ident: "str | None", counted: "list[Any]", at: "float | None") -> None:
    """What is known of the last reply."""
    if at is not None:
        state["last_at"] = state["last_reply_at"] = at
        if ident is not None:
            reply = state["reply"]
            if reply is None or reply[0] != ident:
                reply = state["reply"] = [ident, state["asked_at"], 0, None]
            reply[2] = max(reply[2], counted[1])
            if reply[1] is not None:
                reply[3] = round(at - reply[1], 3)
    state["last_usage"] = counted[:5]
    if counted[3] or counted[4]:
        state["ttl_s"] = 3600 if counted[4] else 300
    elif counted[2] and state["ttl_s"] is None:
        state["ttl_s"] = 300


def _counted(usage: "Any") -> "list[Any]":
    """A usage record as [input, output, cache reads, 5 m writes, 1 h writes, web searches, fast]."""
    if not isinstance(usage, dict):
        return [0, 0, 0, 0, 0, 0, False]
    flat = _number(usage.get("cache_creation_input_tokens"))
    split = usage.get("cache_creation")
    hour = short = 0
    if isinstance(split, dict):
        hour = _number(split.get("ephemeral_1h_input_tokens"))
        short = _number(split.get("ephemeral_5m_input_tokens"))
    served = usage.get("server_tool_use")
    return [
        _number(usage.get("input_tokens")),
        _number(usage.get("output_tokens")),
        _number(usage.get("cache_read_input_tokens")),
        # Some gateways split less than they wrote; what is left over is of the short kind.
        max(short, flat - hour),
        hour,
        _number(served.get("web_search_requests")) if isinstance(served, dict) else 0,
        usage.get("speed") == "fast",
    ]


def _number(value: "Any") -> int:
    if type(value) is float and value.is_integer():
        # Gateways in other languages write 12.0.
        value = int(value)
    return value if type(value) is int and 0 <= value < 1 << 48 else 0


def _reply(state: "dict[str, Any]", ident: "str | None", side: bool, model: str, counted: "list[Any]") -> None:
    """
    Counts a reply once: of several records of one message the largest.

    Source:  hosts write a record a content block, each with the usage of the whole message or of a part of it
    """
    # Prices may depend on how long the prompt was: "", "1" and "2" up to 100,000, up to 200,000 and over.
    prompt = counted[0] + counted[2] + counted[3] + counted[4]
    bucket = ("f" if counted[6] else "") + ("" if prompt <= 100000 else "1" if prompt <= 200000 else "2")
    figures = counted[:6]
    replies = state["replies"]
    if ident is not None:
        before = replies.get(ident)
        entry = [side, model, bucket, *figures]
        if before is not None:
            # One record of a reply may say less than another.
            entry[1] = model = model or before[1]
            if entry == before or sum(figures[:5]) < sum(before[3:8]):
                return
            _add(state, before[0], before[1], before[2], [-figure for figure in before[3:]])
        elif not side:
            state["messages"] += 1
        replies[ident] = entry
        if len(replies) > _REPLIES + 128:
            for key in list(replies)[:-_REPLIES]:
                del replies[key]
    elif not side:
        state["messages"] += 1
    _add(state, side, model, bucket, figures)


def _add(state: "dict[str, Any]", side: bool, model: str, bucket: str, figures: "list[int]") -> None:
    tokens = state["side" if side else "tokens"]
    if model not in tokens and len(tokens) >= _MODELS:
        model = ""
    buckets = tokens.setdefault(model, {})
    known = buckets.get(bucket)
    buckets[bucket] = figures if known is None else [a + b for a, b in zip(known, figures, strict=True)]


def _called(state: "dict[str, Any]", block: "dict[str, Any]", message: "str | None", at: "float | None") -> None:
    """A call of a tool: work, an agent, or a change of the task list."""
    ident, name, given = block.get("id"), block.get("name"), block.get("input")
    if not isinstance(ident, str) or not isinstance(name, str):
        return
    ident, name = clean(ident, 100), clean(name, 80).strip()
    if message is not None and _is_copy(state, message + " " + ident):
        return
    if name.startswith("proxy_"):
        name = name[6:]
    if not name:
        return
    if name == "Task" or name == "Agent":
        _agent(state, ident, given, at)
    elif name not in _BOOKKEEPING:
        target = _target(given)
        calls = state["open"]
        calls[ident] = {"name": name, "target": target, "at": at, "dead": False}
        if len(calls) > _OPEN:
            del calls[next((key for key, call in calls.items() if call["dead"]), next(iter(calls)))]
    elif not isinstance(given, dict):
        return
    elif name == "TodoWrite":
        todos = given.get("todos")
        if isinstance(todos, list):
            items = [_todo(item.get("content"), item) for item in todos if isinstance(item, dict)]
            state["todos"] = dict(zip(map(str, range(_TODOS)), [item for item in items if item], strict=False))
            state["listed"] = True
    elif name == "TaskCreate":
        task = _todo(given.get("subject"), given)
        if task is not None:
            creating = state["creating"]
            creating[ident] = task
            if len(creating) > _OPEN:
                del creating[next(iter(creating))]
    elif name == "TaskUpdate":
        _changed(state, given)


def _is_copy(state: "dict[str, Any]", call: str) -> bool:
    """
    Whether a call of a message was read before; what a record repeats has begun already, and may be over.

    Source:  a session that is handed over has records twice; some gateways number the calls of each message anew
    """
    mark = source_hash(3, call.encode("utf-8", "replace")).hex()
    called = state["called"]
    if mark in called:
        return True
    called.append(mark)
    del called[:-_CALLED]
    return False


def _target(given: "Any") -> "str | None":
    """What a call is about, in a few words."""
    if isinstance(given, dict):
        for key in _TARGETS:
            value = given.get(key)
            if isinstance(value, str):
                value = clean(value, 120).strip()
                if value:
                    return value
    return None


def _todo(content: "Any", given: "dict[str, Any]") -> "list[Any] | None":
    """A task as [content, status, its wording while it is worked on]."""
    if not isinstance(content, str):
        return None
    status, active = given.get("status"), given.get("activeForm")
    content = clean(content, 120).strip()
    if status != "in_progress" and status != "completed":
        status = "pending"
    return [content, status, clean(active, 120).strip() if isinstance(active, str) else None] if content else None


def _changed(state: "dict[str, Any]", given: "dict[str, Any]") -> None:
    """A change of one task; of one that is not known, none."""
    ident = given.get("taskId")
    ident = str(ident) if isinstance(ident, (str, int)) else ""
    task = None if state["listed"] else state["todos"].get(ident)
    if task is None:
        return
    status = given.get("status")
    if status == "deleted":
        del state["todos"][ident]
        return
    if status in ("pending", "in_progress", "completed"):
        task[1] = status
    newer = _todo(given.get("subject"), given)
    if newer is not None:
        task[0] = newer[0]
    active = given.get("activeForm")
    if isinstance(active, str):
        task[2] = clean(active, 120).strip()


def _created(state: "dict[str, Any]", task: "list[Any]", result: "Any", words: str) -> None:
    """A task that now has its id."""
    made = result.get("task") if isinstance(result, dict) else None
    ident = made.get("id") if isinstance(made, dict) else None
    if not isinstance(ident, (str, int)):
        ident = words.partition("Task #")[2].partition(" ")[0]
    ident = clean(str(ident), 20)
    if not ident:
        return
    # An id that comes again belongs to a new list: the old one is finished and gone.
    if state["listed"] or ident in state["todos"]:
        state["todos"], state["listed"] = {}, False
    if len(state["todos"]) < _TODOS:
        state["todos"][ident] = task


def _agent(state: "dict[str, Any]", ident: str, given: "Any", at: "float | None") -> None:
    """The launch of an agent."""
    if not isinstance(given, dict):
        return
    kind, about, model = given.get("subagent_type"), given.get("description"), given.get("model")
    agent = {
        "type": clean(kind, 60).strip() or None if isinstance(kind, str) else None,
        "description": clean(about, 120).strip() or None if isinstance(about, str) else None,
        "model": clean(model, 60).strip() or None if isinstance(model, str) else None,
        "at": at,
        "ended": None,
        "background": given.get("run_in_background") is True,
        "agent": None,
    }
    if agent["type"] is None and agent["description"] is None:
        return
    agents = state["agents"]
    agents[ident] = agent
    if len(agents) > _AGENTS:
        del agents[next((key for key, one in agents.items() if one["ended"] is not None), next(iter(agents)))]


def _user(state: "dict[str, Any]", record: "dict[str, Any]") -> None:
    message = record.get("message")
    if record.get("isSidechain") is True or not isinstance(message, dict):
        return
    at = moment(record.get("timestamp"))
    if at is not None:
        state["last_at"] = state["asked_at"] = at
    content = message.get("content")
    answers = False
    if isinstance(content, list):
        for block in content:
            if isinstance(block, dict) and block.get("type") == "tool_result":
                answers = True
                _answered(state, record, block, at)
    if record.get("isCompactSummary") is True or record.get("isVisibleInTranscriptOnly") is True:
        return
    said = _texts(content)
    if said.startswith(_INTERRUPT):
        _settle(state, at)
    elif said.lstrip().startswith("<task-notification>"):
        _notified(state, said, at)
    elif record.get("isMeta") is True:
        # What a resume says to the model in the user's place.
        if said.startswith("Continue from where you left off"):
            _settle(state, at, True)
    elif not answers and _is_typed(record, said, content):
        state["prompts"] += 1
        # The model answers prompts only when every call has its result: what has none was cut off.
        _settle(state, at)


def _is_typed(record: "dict[str, Any]", said: str, content: "Any") -> bool:
    """Whether a user record holds the words of a person."""
    origin = record.get("origin")
    if isinstance(origin, dict) and isinstance(origin.get("kind"), str):
        return bool(origin["kind"] == "human")
    if not said.strip():
        return isinstance(content, list) and any(
            isinstance(one, dict) and one.get("type") == "image" for one in content
        )
    # A command that is a prompt of its own begins with its message; one that a call of a tool has loaded does too.
    return (
        "toolUseResult" not in record and "sourceToolUseID" not in record and not said.lstrip().startswith(_NOT_TYPED)
    )


def _answered(state: "dict[str, Any]", record: "dict[str, Any]", block: "dict[str, Any]", at: "float | None") -> None:
    """The result of a call."""
    ident = block.get("tool_use_id")
    if not isinstance(ident, str):
        return
    ident = clean(ident, 100)
    failed = block.get("is_error") is True
    result = record.get("toolUseResult")
    call = state["open"].pop(ident, None)
    if call is not None:
        words = _texts(block.get("content")) if failed else ""
        stopped = words.startswith(_INTERRUPT)
        recent = state["recent"]
        recent.append({"name": call["name"], "target": call["target"], "ok": not failed, "ended_at": at})
        del recent[:-_RECENT]
        counts = state["counts"]
        if call["name"] in counts or len(counts) < _NAMES:
            counts[call["name"]] = counts.get(call["name"], 0) + 1
        # What the user stopped or did not allow has not failed.
        if failed and not stopped and not record.get("toolDenialKind") and not words.startswith(_REFUSED):
            state["errors"] += 1
        if stopped:
            _settle(state, at)
        if isinstance(result, dict) and isinstance(result.get("resumedAgentId"), str):
            # `SendMessage` to an agent that had ended.
            again = _agent_of(state, clean(result["resumedAgentId"], 60).strip())
            if again is not None:
                again.update(at=at, ended=None, background=True)
        return
    agent = state["agents"].get(ident)
    if agent is not None:
        if _texts(block.get("content")).startswith("Async agent launched"):
            agent["background"] = True
        _reported(agent, result, failed, at)
        return
    task = state["creating"].pop(ident, None)
    if failed:
        return
    if task is not None:
        _created(state, task, result, _texts(block.get("content")))
    elif isinstance(result, dict) and isinstance(result.get("task_id"), str):
        # `TaskStop`: what it ends is not notified of.
        ended = _agent_of(state, clean(result["task_id"], 60).strip())
        if ended is not None and str(result.get("message")).startswith("Successfully stopped"):
            end(ended, at)


def _reported(agent: "dict[str, Any]", result: "Any", failed: bool, at: "float | None") -> None:
    """The result of an agent's launch: its end, or of one in the background its beginning."""
    if isinstance(result, dict):
        names = ("agentId", "agent"), ("taskId", "agent"), ("agentType", "type"), ("resolvedModel", "model")
        for key, field in names:
            value = result.get(key)
            if isinstance(value, str) and agent[field] is None:
                agent[field] = clean(value, 60).strip() or None
        status = result.get("status")
        if result.get("isAsync") is True or status == "async_launched" or status == "remote_launched":
            agent["background"] = True
        elif isinstance(status, str):
            agent["background"] = False
    if failed or not agent["background"]:
        end(agent, at)


def _notified(state: "dict[str, Any]", text: str, at: "float | None") -> None:
    """Notes about background tasks: the end of agents."""
    if not text.lstrip().startswith("<task-notification>"):
        return
    for note in text.split("<task-notification>")[1:]:
        call, task, status = (
            note.partition("<" + tag + ">")[2].partition("</" + tag + ">")[0].strip()
            for tag in ("tool-use-id", "task-id", "status")
        )
        if status in ("running", "pending"):
            continue
        agent = state["agents"].get(clean(call, 100)) if call else None
        if agent is None and task:
            agent = _agent_of(state, task)
        if agent is not None:
            end(agent, at)


def _agent_of(state: "dict[str, Any]", task: str) -> "dict[str, Any] | None":
    """The agent that the host runs under an id; of several that went on under one, the last."""
    return next((one for one in reversed(state["agents"].values()) if one["agent"] == task), None)


def end(agent: "dict[str, Any]", at: "float | None") -> None:
    """Notes that an agent has ended, and when; what has ended already stays as it is."""
    if agent["ended"] is None:
        # Without a time of its own it has ended when it began.
        agent["ended"] = at if at is not None else agent["at"] or 0


def _settle(state: "dict[str, Any]", at: "float | None", background: bool = False) -> None:
    """What is still without a result will get none: its turn is over, or with `background` its process."""
    for call in state["open"].values():
        call["dead"] = True
    for agent in state["agents"].values():
        if background or not agent["background"]:
            end(agent, at)


def _texts(content: "Any") -> str:
    """The first text of a message's content."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        for block in content:
            if isinstance(block, dict) and isinstance(block.get("text"), str):
                return block["text"]  # type: ignore[no-any-return]
    return ""


def _first_text(*values: "Any") -> "str | None":
    for value in values:
        if isinstance(value, str):
            value = clean(value, 120).strip()
            if value:
                return value
    return None


_days: "dict[str, int]" = {}


def moment(text: "Any") -> "float | None":
    """
    Seconds since 1970 of a time such as `2026-11-30T11:09:20.401Z`, None for anything else.

    Takes:   UTC, or an offset such as `+02:00`, `+0200` or `+02`
    """
    if not isinstance(text, str) or not 20 <= len(text) <= 40 or text[10] not in "Tt " or not text.isascii():
        return None
    try:
        day = _days.get(text[:10])
        if day is None:
            if len(_days) > 400:
                _days.clear()
            day = _days[text[:10]] = _day(int(text[:4]), int(text[5:7]), int(text[8:10]))
        hours, minutes, rest = text[11:13], text[14:16], text[17:]
        ahead = 0
        if rest[-1] in "Zz":
            rest = rest[:-1]
        else:
            rest, ahead = _zoned(rest)
        # `int` and `float` alone would take blanks, signs, `nan` and `1e99`.
        if not (hours + minutes + rest.replace(".", "", 1)).isdigit():
            return None
        hour, minute, second = int(hours), int(minutes), float(rest)
        if hour > 23 or minute > 59 or second >= 61:
            return None
        return round(day + hour * 3600 + minute * 60 + second - ahead, 3)
    except (ValueError, IndexError):
        return None


def _zoned(rest: str) -> "tuple[str, int]":
    """The seconds before an offset from UTC, and the offset [s]."""
    at = max(rest.rfind("+"), rest.rfind("-"))
    digits = rest[at + 1 :].replace(":", "")
    if at < 2 or not digits.isdigit() or len(digits) not in (2, 4):
        raise ValueError(rest)
    ahead = int(digits[:2]) * 3600 + int(digits[2:] or 0) * 60
    return rest[:at].rstrip(), ahead if rest[at] == "+" else -ahead


def _day(year: int, month: int, day: int) -> int:
    """Seconds from 1970 to a day of the Gregorian calendar."""
    if not (1 <= month <= 12 and 1 <= day <= 31 and year >= 1970):
        raise ValueError(year)
    # Years that begin in March: the odd day of a leap year comes last.
    year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)
    return (365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day - 719469) * 86400
