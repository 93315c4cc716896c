"""
The rows of subagents: tasks in, a JSON line a task out.

A line replaces the host's own row for that task, one with an empty content hides it. What cannot be drawn gets no line.
"""

from ohud.run import payload as stdin
from ohud.run.clean import clean_tree
from ohud.run.fit import fit, within
from ohud.run.status import BACKSTOP, Late, Segments, begin, set_backstop
from ohud.run.template import render as render_template
from ohud.run.world import World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

# Tasks that are drawn, as many as the time allows (0.4 ms each); rows without a line are the host's own.
_MOST = 500
_FAULTS = 20
_BIGGEST = 2**63
_TEXTS = ("type", "status", "description", "label", "name", "model", "agentType", "cwd")
_COUNTS = ("tokenCount", "contextWindowSize")
# Before this many milliseconds (1973) lies no start: such a number is of seconds.
_SECONDS = 10**11


def subagents(world: World, theme: "str | None" = None) -> str:
    """What one run prints, whatever goes wrong; nothing leaves all rows to the host."""
    rows: list[str] = []
    try:
        from ohud.run.program import for_session, load

        program = load(world, theme, part="subagents")
        raw = stdin.read()
        if theme is None and program.get("projects"):
            program = for_session(program, raw, world)
        for said in program["faults"]:
            world.say(said)
        set_backstop(BACKSTOP)
        try:
            for row in render(raw, program, world):
                rows.append(row)
        finally:
            set_backstop(0)
    except (Exception, Late) as fault:
        world.log("the rows of subagents failed: %s: %s" % (type(fault).__name__, fault))
    return "".join(rows)


def render(raw: "bytes | None", program: "dict[str, Any]", world: World) -> "Iterator[str]":
    """
    What a program makes of the tasks in one input.

    Takes:    raw: the bytes of standard input, None when there were none
    Returns:  a JSON line with its LF for each task that has an id and can be drawn, in the order of the tasks
    """
    payload = stdin.parse(raw)
    given = payload.get("tasks") if payload else None
    if payload is None or not isinstance(given, list) or not given:
        return
    quote = _quote()
    world.configure(program["settings"], program["color"], program["columns"])
    world.columns = _columns(payload.get("columns"), program, world)
    width = _width(program, world)
    root = begin({**payload, "tasks": None}, world)
    # One by one, so that a task with thousands of values uses up no budget but its own.
    root["tasks"] = tasks = [_described(clean_tree(task), world.now) for task in given[:_MOST]]
    faults: list[str] = []
    for task, source in zip(tasks, given, strict=False):
        # As it was sent, not as it is cleaned: the host looks for its own.
        name = source.get("id") if isinstance(source, dict) else None
        if not isinstance(name, str) or not name:
            continue
        root["task"] = task
        content = _content(program, root, width, world, faults)
        if content is not None:
            yield '{"id":' + quote(name) + ',"content":' + quote(content) + "}\n"
    if faults:
        world.log("rows of subagents: " + "; ".join(list(dict.fromkeys(faults))[:_FAULTS]))


def _quote() -> "Callable[[str], str]":
    """What writes a text as JSON in ASCII, so that no id or content can break its line."""
    try:
        from _json import encode_basestring_ascii as quote
    except ImportError:
        from json.encoder import encode_basestring_ascii as quote
    return quote


def _columns(columns: object, program: "dict[str, Any]", world: World) -> "int | None":
    """The room of a row [cells]: as the host gives it, else as the config does, None when neither does."""
    if type(columns) is int and columns > 0:
        return columns
    return None if world.columns is None else max(1, world.columns - program["margin"])


def _width(program: "dict[str, Any]", world: World) -> "int | None":
    """The width that a row may have [cells], None for no limit."""
    most: int | None = program["limits"].get("cells")
    return most if most and (world.columns is None or most < world.columns) else world.columns


def _described(task: "Any", now: float) -> "Any":
    """
    The task with what ohud works out from it; what is no object stays as it is.

    A field of the host's that is of another type than the host sends is None.

    Keys:     elapsed_s: number from 0 [s]; None without a numeric startTime above 0 [ms]
              context_percent: number 0..100 [%]; None while tokenCount or contextWindowSize are not known
              label_or_name: the first that says something of label, name and description
    Source:   subagentStatusLine of host 2.1.332, seen 2026-11-30; its name is absent, label equals description
    """
    if not isinstance(task, dict):
        return task
    for key in _TEXTS:
        if key in task and not isinstance(task[key], str):
            task[key] = None
    start, tokens, size = (_number(task.get(key)) for key in ("startTime", *_COUNTS))
    for key, count in zip(_COUNTS, (tokens, size), strict=False):
        if key in task:
            task[key] = count
    if start is not None and 0 < start < _SECONDS:
        start *= 1000
    task["elapsed_s"] = _tidy(max(0.0, now - start / 1000), 3) if start is not None and start > 0 else None
    known = tokens is not None and size is not None and size > 0
    task["context_percent"] = _tidy(min(100.0, tokens / size * 100), 1) if known else None  # type: ignore[operator]
    texts = [text.strip() for text in map(task.get, ("label", "name", "description")) if isinstance(text, str)]
    task["label_or_name"] = next(filter(None, texts), None)
    return task


def _number(value: object) -> "int | float | None":
    """A number from 0 within 64 bits; a boolean or a numeric text is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value if 0 <= value < _BIGGEST else None


def _tidy(value: float, digits: int) -> "int | float":
    """A number without binary noise, an integer where it is whole."""
    value = round(value, digits)
    return int(value) if value == int(value) else value


class _Row(Segments):
    """The segments of one row; their templates see its task as well."""

    def scope(self) -> "dict[str, Any]":
        """The names that a template starts with."""
        scope = super().scope()
        scope["task"] = self.document["task"]
        return scope


def _content(
    program: "dict[str, Any]", root: "dict[str, Any]", width: "int | None", world: World, faults: "list[str]"
) -> "str | None":
    """
    What the row of the document's task shows.

    Takes:    faults: what goes wrong is added
    Returns:  one line; "" where the template prints nothing, which hides the row; None where that may be a mistake, and
              where the template cannot be drawn
    """
    try:
        row = _Row(program, root, world)
        marked = render_template(program["template"], row.scope(), row.context)
        lines = fit(marked, row.sheet, width, 1, world.columns is not None)
        text = within(lines, row.sheet, program["limits"]["bytes"])
    except Exception as fault:
        faults.append("%s: %s" % (type(fault).__name__, fault))
        return None
    found = row.faults + row.context.faults
    faults += found
    return text if text or not (lines or found or program["flawed"]) else None
