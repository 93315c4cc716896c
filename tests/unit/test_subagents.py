"""`ohud.run.subagents`: tasks to rows, what a task is given, and what becomes of the odd ones."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import screen
from hypothesis import given, settings
from hypothesis import strategies as st
from launch import REPOSITORY
from session import PLAIN_THEMES, THEMES

from ohud.run import subagents as module
from ohud.run.status import Late
from ohud.run.subagents import render, subagents
from ohud.run.world import World
from ohud.theme import lower, read

NOW = 1796037600.0
RECORDED = [
    (path.stem, json.loads(line))
    for path in sorted((REPOSITORY / "tests" / "payloads" / "subagents").glob("*.ndjson"))
    for line in path.read_text("utf-8").splitlines()
]
ATTACKS = [
    (item["id"], item.get("text") or "".join(text * min(count, 20000) for text, count in item["parts"]))
    for item in json.loads((REPOSITORY / "tests" / "attacks" / "terminal.json").read_text("utf-8"))
    if item.get("text") or "parts" in item
]
TASK = {
    "id": "a1",
    "type": "local_agent",
    "status": "running",
    "label": "Find call sites",
    "startTime": (NOW - 65) * 1000,
    "model": "claude-opus-5-5",
    "contextWindowSize": 200000,
    "tokenCount": 50000,
}
COUNTS = ("tokenCount", "contextWindowSize")
Json = dict[str, Any]


def built(text: str = "", theme: str | None = None) -> lower.Built:
    """A config compiled."""
    return lower.build(read.load(None, home=None, text=text, theme=theme))


def world(color: str = "truecolor", now: float = NOW, **variables: str) -> World:
    """A world with a terminal and nothing else."""
    return World({"TERM": "xterm-256color", "COLORTERM": color, **variables}, now=now)


def lines(program: Json, payload: Json, made: World | None = None) -> list[str]:
    """The lines that a program prints for an input."""
    return list(render(json.dumps(payload).encode(), program, made or world()))


def rows(program: Json, payload: Json, made: World | None = None) -> dict[str, str]:
    """Content by id; each line is one JSON object with two texts and ends with the only LF in it."""
    found = {}
    for line in lines(program, payload, made):
        assert line.endswith("\n") and line.count("\n") == 1 and line.isascii()
        row = json.loads(line)
        assert set(row) == {"id", "content"} and all(isinstance(text, str) for text in row.values())
        found[row["id"]] = row["content"]
    return found


def one(config: str, changes: Json | None = None, **more: Any) -> str | None:
    """The plain content of one task's row, None when there is no line for it."""
    found = rows(built(config).rows, {"columns": 100, **more, "tasks": [{**TASK, **(changes or {})}]})
    return screen.plain(found["a1"]) if found else None


def shown(expression: str, task: Json | None = None) -> str | None:
    """What a template of one expression prints for a task."""
    config = f"[subagents]\ntemplate = '<{{{{ it }}}}>'\n[subagents.segments]\nit = {json.dumps(expression)}\n"
    text = one(config, task)
    return None if text is None else text[1:-1]


# What a task is given


@pytest.mark.parametrize(
    "start, elapsed",
    [
        ((NOW - 65) * 1000, "65"),
        (NOW * 1000 - 1500, "1.5"),
        (NOW * 1000, "0"),
        ((NOW + 30) * 1000, "0"),
        (NOW - 65, "65"),
        (0, ""),
        (-1, ""),
        (None, ""),
        ("1796037535000", ""),
        (True, ""),
        ([1], ""),
        (2**70, ""),
    ],
)
def test_elapsed_s(start: Any, elapsed: str) -> None:
    """Seconds since `startTime` [ms], never below 0; a number too small for that is of seconds; else unknown."""
    assert shown("task.elapsed_s", {"startTime": start}) == elapsed


@pytest.mark.parametrize(
    "tokens, size, percent",
    [
        (50000, 200000, "25"),
        (21626, 200000, "10.8"),
        (0, 200000, "0"),
        (300000, 200000, "100"),
        (1, 1e-320, "100"),
        (None, 200000, ""),
        (50000, None, ""),
        (50000, 0, ""),
        (50000, -1, ""),
        (-5, 200000, ""),
        ("50000", 200000, ""),
        (50000, True, ""),
    ],
)
def test_context_percent(tokens: Any, size: Any, percent: str) -> None:
    """Share of the task's own window, between 0 and 100; unknown when a part is missing or the window is empty."""
    assert shown("task.context_percent", {"tokenCount": tokens, "contextWindowSize": size}) == percent


@pytest.mark.parametrize(
    "task, label",
    [
        ({"label": "one", "name": "two"}, "one"),
        ({"label": " ", "name": "two"}, "two"),
        ({"label": None, "name": "two"}, "two"),
        ({"label": "\x07", "name": 7, "description": "three"}, "three"),
        ({"label": 5}, ""),
    ],
)
def test_label_or_name(task: Json, label: str) -> None:
    """The first text that says something."""
    assert shown("task.label_or_name", task) == label


def test_a_field_of_another_type_is_null() -> None:
    """Texts that are none and counts that are none print nothing and are no fault; of an effort both are known."""
    for key in ("type", "status", "description", "label", "name", "model", "agentType"):
        for value in (5, True, ["x"], {"a": "x"}):
            assert shown(f"task.{key} || 'none'", {key: value}) == "none"
    for value in ("50000", True, [1], -5, {}):
        assert (
            shown("[task.tokenCount, task.contextWindowSize] == [null, null]", dict.fromkeys(COUNTS, value)) == "true"
        )
    for effort in ("low", 8000):
        assert shown("task.effort", {"effort": effort}) == str(effort)
    config = "[subagents]\ntemplate = '{{ task.label }}{{ it }}'\n[subagents.segments.it]\nvalue = 'task.tokenCount'\n"
    assert one(config + "format = ' {{ value | tokens }} tok'\n", {"tokenCount": "50000"}) == "Find call sites"


def test_the_document_lies_beside_the_task() -> None:
    """Expressions see the input, the other tasks and the computed fields."""
    config = """
[subagents]
template = "{{ count }} {{ project }} {{ now }} {{ task.id }} {{ terminal.columns }} {{ inner }}"
[subagents.segments]
count = "length(tasks[?status=='running' && elapsed_s > `1`])"
project = "computed.project.name"
now = "computed.now"
inner = { value = "cwd", format = "{{ value }}:{{ task.status }}" }
"""
    assert one(config, cwd="/home/dev/demo") == f"1 demo {NOW:.0f} a1 100 /home/dev/demo:running"


def test_the_hosts_own_words_lose_to_ours() -> None:
    """A payload's own `task` or `computed`, or a task's own `elapsed_s`, is not ours."""
    config = "[subagents]\ntemplate = '{{ task.elapsed_s }} {{ it }}'\n[subagents.segments]\nit = 'computed.x'\n"
    assert one(config, {"elapsed_s": -7}, task="forged", computed={"x": "forged"}) == "65 "


# Rows


@pytest.mark.parametrize("theme", THEMES)
def test_recorded_inputs_fit_at_all_widths(theme: str) -> None:
    """A row for every recorded task at 20 to 200 columns, in so many cells, every style closed."""
    program = built(theme=theme).rows
    # All widths with the plain themes, a sample of them with each other.
    for columns in range(20, 201, 1 if theme in PLAIN_THEMES else 9):
        for version, payload in RECORDED[columns % 3 :: 3]:
            found = rows(program, {**payload, "columns": columns})
            assert list(found) == [task["id"] for task in payload["tasks"]], version
            for content in found.values():
                assert content and screen.faults(content) == []
                assert screen.cells(screen.plain(content)) <= columns


def test_classic_row() -> None:
    """Status, agent, label, model, elapsed, tokens and context, the facts at the right edge."""
    payload = {"columns": 80, "tasks": [{**TASK, "agentType": "Explore", "effort": "low"}]}
    text = screen.plain(rows(built().rows, payload)["a1"])
    assert " ".join(text.split()) == "◐ Explore Find call sites opus-5-5 · low · 1m 5s · 50k tok · 25%"
    assert screen.cells(text) == 80
    narrow = screen.plain(rows(built().rows, {**payload, "columns": 30})["a1"])
    assert narrow == "◐ Find call sites  1m 5s · 25%"


def test_without_a_width_there_is_no_limit() -> None:
    """No `columns`, or a strange one: what the config says, else a row as long as it is."""
    config = "[subagents]\ntemplate = '{{ task.label }}'\n"
    task = {"label": "x" * 300}
    for columns in (None, 0, -5, "80", True, 1.5, [80]):
        assert one(config, task, columns=columns) == "x" * 300
    assert one("columns = 50\n" + config, task, columns=None) == "x" * 45 + "…"
    assert one("columns = 50\n" + config, task, columns=80) == "x" * 79 + "…"
    assert one(config + "[limits]\ncells = 20\n", task, columns=80) == "x" * 19 + "…"
    assert one(config + "[limits]\ncells = 20\n", task, columns=None) == "x" * 19 + "…"
    assert one(config, task, columns=1) == "…"
    assert one(config, task, columns=10**30) == "x" * 300
    spread = "[subagents]\ntemplate = '{{ task.label }}{{ fill() }}{{ task.status }}|{{ terminal.columns }}'\n"
    assert one(spread, columns=None) == "Find call sites running|"
    assert one("columns = 50\n" + spread, columns=None) == "Find call sites" + " " * 21 + "running|46"
    assert one(spread, columns=40) == "Find call sites" + " " * 15 + "running|40"


def test_space_that_grows_has_nowhere_to_grow_without_a_width() -> None:
    """One cell of it is left, and the template is told of no width."""
    config = "[subagents]\ntemplate = \"a{{ fill() }}b{{ terminal.columns or '?' }}\"\n"
    assert (one(config, columns=None), one(config, columns=10)) == ("a b?", "a      b10")


def test_the_environment_says_nothing_about_the_width() -> None:
    """A COLUMNS of the terminal is not the row's."""
    payload = {"columns": 40, "tasks": [{**TASK, "label": "x" * 300}]}
    program = built("[subagents]\ntemplate = '{{ task.label }}'\n").rows
    assert rows(program, payload, world(COLUMNS="200", LINES="1"))["a1"] == "x" * 39 + "…"


def test_a_row_is_one_line() -> None:
    """The host would draw a line feed as a second row: the first line that is not blank is the row."""
    assert one("[subagents]\ntemplate = '\\n \\n{{ task.label }}\\nmore'\n".replace("'", '"')) == "Find call sites"


def test_colour_follows_the_environment() -> None:
    """NO_COLOR and the config's `color` hold for rows too."""
    payload = {"columns": 80, "tasks": [TASK]}
    assert "\x1b[" in rows(built().rows, payload)["a1"]
    assert "\x1b" not in rows(built().rows, payload, world(NO_COLOR="1"))["a1"]
    assert "\x1b" not in rows(built('color = "never"\n').rows, payload)["a1"]


# Odd tasks


def test_odd_tasks_cost_only_themselves() -> None:
    """What is no object or has no id gets no line; an id goes back as it came."""
    ids = ["ok", "with \x1b[31m and \n", "\ud800", "日本", "x" * 2000, '"}\\', "\u202eabc"]
    tasks = [None, "x", 7, [], {}, {"id": 7}, {"id": ""}, {"id": None}, *({"id": name} for name in ids)]
    found = rows(built().rows, {"columns": 80, "tasks": tasks})
    assert list(found) == ids
    assert {screen.plain(content).strip() for content in found.values()} == {"task"}


@pytest.mark.parametrize("tasks", [[], None, {}, "x", 7, {"a": TASK}])
def test_no_tasks_no_rows(tasks: Any) -> None:
    """Nothing to draw is no line at all."""
    assert lines(built().rows, {"columns": 80, "tasks": tasks}) == []
    assert lines(built().rows, {"columns": 80}) == []


@pytest.mark.parametrize("raw", [None, b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"tasks": [{"id": "a"}'])
def test_no_input_no_rows(raw: bytes | None) -> None:
    """What is no whole object is no line at all."""
    assert list(render(raw, built().rows, world())) == []


def test_one_huge_task_does_not_starve_the_others() -> None:
    """Each task is cleaned within a budget of its own, and drawn with fuel of its own."""
    huge = {"id": "huge", "label": "huge", "tokenSamples": list(range(3000)), "x": [0] * 60000}
    loops = "{% for a in x %}{% for b in x %}{{ b }}{% endfor %}{% endfor %}{{ task.id }}"
    config = f"[subagents]\ntemplate = '{loops}'\n[subagents.segments]\nx = 'task.tokenSamples[:900]'\n"
    tasks = [{**TASK, "id": "before"}, huge, {**TASK, "id": "after"}]
    assert set(rows(built().rows, {"columns": 80, "tasks": tasks})) == {"before", "huge", "after"}
    assert rows(built(config).rows, {"columns": 80, "tasks": tasks}) == {"before": "before", "after": "after"}


def test_only_so_many_tasks_are_drawn() -> None:
    """Hundreds of tasks have their rows; thousands end in time."""
    begun = time.monotonic()
    tasks = [{"id": str(number)} for number in range(5000)]
    assert len(rows(built().rows, {"columns": 80, "tasks": tasks})) == 500
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize("theme", THEMES)
def test_hostile_text_is_only_text(theme: str) -> None:
    """Nothing that a terminal obeys gets from a task into a row."""
    program = built(theme=theme).rows
    for start in range(0, len(ATTACKS), 60):
        tasks = [
            {**TASK, "id": str(at), **dict.fromkeys(("label", "model", "status", "agentType"), text)}
            for at, (_, text) in enumerate(ATTACKS[start : start + 60])
        ]
        for at, content in rows(program, {"columns": 120, "tasks": tasks}).items():
            name, _ = ATTACKS[start + int(at)]
            assert screen.faults(content) == [], name
            assert screen.cells(screen.plain(content)) <= 120, name
            assert not set(screen.plain(content)) & set("\u200b\u202e\u2066\u2028\x1b\n\r"), name


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
_TASKS = st.lists(_JSON | st.fixed_dictionaries({}, optional=dict.fromkeys([*TASK, "name", "agentType"], _JSON)))
_PROGRAMS = {theme: built(theme=theme).rows for theme in THEMES}


@settings(max_examples=150, deadline=None)
@given(tasks=_TASKS, columns=_JSON | st.integers(1, 40), theme=st.sampled_from(THEMES))
def test_any_tasks(tasks: Any, columns: Any, theme: str) -> None:
    """A row with content for every task with an id, whatever else is in the input."""
    found = rows(_PROGRAMS[theme], {"columns": columns, "tasks": tasks})
    assert set(found) == {t["id"] for t in tasks if isinstance(t, dict) and isinstance(t.get("id"), str) and t["id"]}
    for content in found.values():
        assert content and screen.faults(content) == [] and "\n" not in content


# Hidden rows and mistakes


def test_a_template_that_prints_nothing_hides_the_row() -> None:
    """An empty content is how the host is told."""
    config = "[subagents]\ntemplate = \" {% if task.status != 'completed' %}{{ task.label }}{% endif %}\"\n"
    tasks = [TASK, {**TASK, "id": "b", "status": "completed"}]
    found = rows(built(config).rows, {"columns": 80, "tasks": tasks})
    assert found["b"] == "" and "Find call sites" in found["a1"]


def test_classic_hides_finished_tasks_by_option() -> None:
    """`show_finished_tasks = false` leaves only what still runs."""
    tasks = [TASK, {**TASK, "id": "b", "status": "completed"}, {**TASK, "id": "c", "status": "failed"}]
    found = rows(built("[options]\nshow_finished_tasks = false\n").rows, {"columns": 80, "tasks": tasks})
    assert found["b"] == "" and found["a1"] and "failed" in found["c"]
    assert rows(built().rows, {"columns": 80, "tasks": tasks})["b"]


@pytest.mark.parametrize(
    "config",
    [
        "[subagents]\ntemplate = '{{ task.label + 1 }}'\n",
        "[subagents]\ntemplate = '{{ it }}'\n[subagents.segments]\nit = 'abs(task.label)'\n",
        "[subagents]\ntemplate = '{{ it }}'\n[subagents.segments]\nit = 'task.'\n",
        "[subagents]\ntemplate = '{{ it }}'\n[subagents.segments]\nit = 3\n",
        "[subagents]\ntemplate = '{{ lable }}'\n[subagents.segments]\nlabel = 'task.label'\n",
        "[subagents]\ntemplate = '{{ task.label }}'\n[limits]\nbytes = 1\n",
    ],
)
def test_a_mistake_does_not_hide_the_row(config: str) -> None:
    """What is empty through a fault is left to the host."""
    assert one(config) is None


def test_the_rest_of_a_row_with_a_fault_is_drawn() -> None:
    """One bad segment is left out, alone."""
    config = "[subagents]\ntemplate = '{{ bad }}{{ task.label }}'\n[subagents.segments]\nbad = 'abs(task.label)'\n"
    assert one(config) == "Find call sites"


# The theme's side


def test_a_theme_without_rows_has_classics() -> None:
    """The classic's rows in the theme's colours, with its segments over the classic's."""
    theme = "template = 'x'\nextends = 'minimal'\n"
    assert built(theme).problems == []
    bare = read.load(None, home=None, text="")
    own = lower.replace(bare.draft, subagents=read.Subagents(), palette={"model": "red"}, options={})
    loaded = read.Loaded(own, own, [], False, [], {}, lambda: bare.theme)
    program = lower.build(loaded).rows
    assert program["template"] == built().rows["template"]
    assert program["palette"]["model"] == "red" and program["palette"]["label"] == "bright_black"
    text = screen.plain(rows(program, {"columns": 80, "tasks": [TASK]})["a1"])
    assert text.startswith("◐ Find call sites") and text.endswith("25%")


def test_rows_cost_the_line_nothing() -> None:
    """The line's program has nothing of the rows', nor the rows' of the line's."""
    made = built()
    line, row = lower.encode(made.program).decode(), lower.encode(made.rows).decode()
    assert "row_label" in row and "row_label" not in line
    assert "model_block" in line and "model_block" not in row


def test_a_broken_row_template_is_said_and_classics_is_drawn() -> None:
    """The line is drawn as ever, with the notice; `check` has the place."""
    made = built("[subagents]\ntemplate = '{{ task.label'\n")
    assert not made.failed
    (problem,) = made.problems
    assert problem.weight == "part" and problem.span and problem.span.line == 2
    assert made.program["notice"]
    text = screen.plain(rows(made.rows, {"columns": 80, "tasks": [TASK]})["a1"])
    assert text.startswith("◐ Find call sites")


def test_mistakes_in_row_segments_are_said_with_their_place() -> None:
    """Expressions, formats and styles of rows are checked like those of the line."""
    config = """[subagents]
template = "{{ a }}{{ b }}{{ c }}"
[subagents.segments]
a = "task.name ||"
b = { value = "task.id", format = "{{ task.id | uper }}" }
c = { value = "computed.nothing.x", style = "fg:nowhere" }
"""
    found = {problem.span.line for problem in built(config).problems if problem.span}
    assert found == {4, 5, 6}


def test_a_theme_that_cannot_be_used_has_classics_rows() -> None:
    """A fault in the line's template costs the theme whole, rows too."""
    made = built("template = '{{'\n[subagents]\ntemplate = 'mine'\n")
    assert made.failed
    assert "mine" not in rows(made.rows, {"columns": 80, "tasks": [TASK]})["a1"]


def test_task_is_no_name_in_the_line() -> None:
    """Outside the rows `task` means nothing."""
    (problem,) = built("template = '{{ task.label }}'\n").problems
    assert "task" in problem.message


# The whole run


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Json], str]:
    """Runs the command on an input in this process."""

    def run(payload: Json) -> str:
        monkeypatch.setattr(module.stdin, "read", lambda: json.dumps(payload).encode())
        return subagents(World({"HOME": str(tmp_path)}, now=NOW))

    return run


def test_what_is_drawn_before_the_backstop_is_printed(
    begun: Callable[[Json], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that takes too long prints the rows it has."""
    content = module._content

    def slow(*arguments: Any) -> Any:
        if arguments[1]["task"]["id"] == "b":
            raise Late("too late")
        return content(*arguments)

    monkeypatch.setattr(module, "_content", slow)
    printed = begun({"columns": 80, "tasks": [TASK, {**TASK, "id": "b"}, {**TASK, "id": "c"}]})
    assert [json.loads(line)["id"] for line in printed.splitlines()] == ["a1"]


def test_a_forged_program_is_just_a_bad_theme(begun: Callable[[Json], str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nonsense in the cache gives some rows or none, never an error or a text of another sort."""
    program = built().rows
    wrong: list[Any] = [None, True, 7, "text", [], [[]], {}, {"a": {"b": []}}, ["out", ["name", "x"]]]
    for key in program:
        for value in wrong:
            monkeypatch.setattr("ohud.run.program.load", lambda *_, changed={**program, key: value}, **__: changed)
            for line in begun({"columns": 80, "tasks": [TASK, {"id": "b"}]}).splitlines():
                assert screen.faults(json.loads(line)["content"]) == []


def test_a_compiler_that_cannot_run_leaves_the_rows_to_the_host(
    begun: Callable[[Json], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No text in place of rows, and no error."""

    def fail(*_: Any) -> None:
        raise ImportError("no jinja2")

    monkeypatch.setattr("ohud.run.program.compile_now", fail)
    assert begun({"columns": 80, "tasks": [TASK]}) == ""
