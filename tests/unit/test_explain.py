"""`ohud explain`: what became of each segment, and that looking on changes nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Answer, call

from ohud.cli.drawing import draw, load_theme, scene_moments
from ohud.cli.explanation import Explained, Report, explain
from ohud.run.world import World
from ohud.theme import lower, read

BUNDLED = [name for name, _ in read.theme_names(None)]
THEME = r"""
name = "every"
template = '''
{{ row(model, folder, branch, low, who, wrong) }}
{% if state.value == 'x' %}{{ never }}{% endif %}{{ nothing }}{{ gone }}{{ empty }}{{ off }}{{ hot }}
{{ long }}'''
[options]
cost = false
[palette]
accent = "cyan"
[segments]
folder = "computed.project.name"
state = "model.id"
never = "cwd"
nothing = "computed.git.operation"
spare = "version"
who = "lenght(model)"
wrong = "abs(model.id)"
[segments.model]
value = "computed.model.name"
style = "bold fg:accent"
priority = 90
[segments.branch]
value = "computed.git.branch"
priority = 60
[segments.low]
value = "'a part of the line that is the first to go'"
priority = 10
[segments.gone]
value = "version"
when = "model.nope"
[segments.empty]
value = "version"
format = "{{ '' }}"
[segments.off]
value = "cost.total_cost_usd"
show = "cost"
[segments.hidden]
value = "version"
show = false
[segments.hot]
value = "computed.context.percent"
format = "{{ value | percent }}"
levels = [{ at = 20, style = "fg:yellow" }, { at = 80, style = "fg:red" }]
[segments.long]
value = "'a text that is much longer than any line of sixty columns can ever be'"
"""


def explained(path: str, scenario: str = "working", columns: int = 60) -> Explained:
    """A theme on a built-in moment."""
    world = World({"HOME": "/nowhere"}, 1796040000.0)
    loaded = load_theme(path, world)
    return explain(loaded, lower.build(loaded), scene_moments([scenario])[0], columns, "truecolor")


@pytest.fixture
def reports(tmp_path: Path) -> dict[str, Report]:
    """What became of each segment of the theme above."""
    path = tmp_path / "every.toml"
    path.write_text(THEME)
    return {report.name: report for report in explained(str(path)).reports}


def test_segments_come_in_the_order_of_the_theme(reports: dict[str, Report]) -> None:
    """Every segment of the theme is there, in the order in which the theme has them."""
    short = ["folder", "state", "never", "nothing", "spare", "who", "wrong"]
    assert list(reports) == [*short, "model", "branch", "low", "gone", "empty", "off", "hidden", "hot", "long"]


@pytest.mark.parametrize(
    ("name", "state", "reason"),
    [
        ("model", "shown", None),
        ("hot", "shown", None),
        ("folder", "shown", None),
        ("low", "dropped", "no room in 56 cells for priority 10"),
        ("long", "cut", "the line has room for 56 of its 69 cells"),
        ("state", "read", "only asked about"),
        ("never", "skipped", "the template did not come to it"),
        ("spare", "unused", "the template does not name it"),
        ("nothing", "hidden", "its value is null"),
        ("gone", "hidden", "`when` gives null: model.nope"),
        ("empty", "hidden", "its format prints nothing"),
        ("off", "hidden", "the option `cost` is off"),
        ("hidden", "hidden", "`show` is false"),
        ("who", "fault", "unknown function `lenght`"),
        ("wrong", "fault", "`abs` takes number, not text"),
    ],
)
def test_state(name: str, state: str, reason: str | None, reports: dict[str, Report]) -> None:
    """Each way in which a segment can end is told from the others, with its reason."""
    assert (reports[name].state, reports[name].reason) == (state, reason)


def test_what_a_shown_segment_is_made_of(reports: dict[str, Report]) -> None:
    """Value, text, cells, style, level, and the fields that it needed."""
    model, hot = reports["model"], reports["hot"]
    assert (model.value, model.text, model.cells) == ("Opus 5.5", "Opus 5.5", 8)
    assert (model.style, model.level, model.priority) == ("bold fg:accent", None, 90)
    assert model.needs == ["computed.model.name"]
    assert [(each.path, each.value) for each in model.watch.computed] == [("computed.model.name", "Opus 5.5")]
    assert (hot.value, hot.text, hot.style, hot.level) == (26, "26%", "fg:yellow", (20, "fg:yellow"))


def test_a_cut_segment_has_the_text_on_the_screen(reports: dict[str, Report]) -> None:
    """Text and cells are of what is left of it."""
    assert reports["long"].text.endswith("…") and reports["long"].cells == 56


def test_a_row_that_wraps_drops_less(tmp_path: Path) -> None:
    """What a row takes to its second line is shown."""
    path = tmp_path / "wrapping.toml"
    path.write_text(THEME.replace("low, who", "low, sep=' ', wrap=2, who").replace("wrap=2, who, wrong", "wrap=2"))
    found = {report.name: report.state for report in explained(str(path)).reports}
    assert found["low"] == "shown"


def test_a_field_is_computed_once(tmp_path: Path) -> None:
    """Two segments that need the same field pay for it once, and the sums say so."""
    path = tmp_path / "twice.toml"
    path.write_text('template = "{{ a }}{{ b }}"\n[segments]\na = "computed.model.name"\nb = "computed.model.name"\n')
    found = explained(str(path))
    assert [[each.path for each in report.watch.computed] for report in found.reports] == [["computed.model.name"], []]
    assert len(found.computed) == 1


@pytest.mark.parametrize("theme", BUNDLED)
def test_looking_on_changes_nothing(theme: str) -> None:
    """The lines are those that the status line prints, at any width, and nobody's text is lost."""
    world = World({"HOME": "/nowhere"}, 1796040000.0)
    loaded = load_theme(theme, world)
    built = lower.build(loaded)
    for moment in scene_moments(["working", "limits-near"]):
        for columns in (30, 100):
            found = explain(loaded, built, moment, columns, "256")
            assert found.output == draw(built.program, moment, columns, "256")
            assert len(found.reports) == len(loaded.theme.segments)
            shown = [report for report in found.reports if report.state in ("shown", "cut")]
            assert not found.lines or any(report.text.strip() in "\n".join(found.lines) for report in shown)


def test_times_are_a_sum() -> None:
    """No stage takes less than nothing, and there is one for each."""
    stages = explained("classic").stages
    assert list(stages) == ["payload", "fields", "expressions", "formats", "template", "fit", "paint"]
    assert all(seconds >= 0 for seconds in stages.values())


# -- the command -------------------------------------------------------------------------------------------------------

RAW = json.dumps({"model": {"id": "claude-opus-4-6", "display_name": "Opus 4.6"}, "cwd": "/nowhere/here"}).encode()


def as_json(answer: Answer) -> dict[str, Any]:
    """What `--json` prints."""
    assert (answer.code, answer.err) == (0, "")
    found: dict[str, Any] = json.loads(answer.out)
    return found


def test_table(tmp_path: Path) -> None:
    """Without words: the configured theme on a built-in moment, its lines, a table that fits, the sums."""
    answer = call(tmp_path, "explain", env={"COLUMNS": "80"})
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert lines[0] == "classic on working: an hour into the work · 80 columns"
    assert "[Opus 5.5]" in lines[1]
    assert any(line.startswith("● model_block") and line.split()[2:5] == ["[Opus", "5.5]", "10"] for line in lines)
    assert '    computed.model.name = "Opus 5.5"' in answer.out
    assert "hidden: the option `show_dirty` is off" in answer.out
    assert "fields of" in answer.out and "all modules loaded" in answer.out
    assert max(map(len, lines)) <= 80


def test_wide_table(tmp_path: Path) -> None:
    """The table takes the terminal's width; the line is drawn for the one that is asked for."""
    answer = call(tmp_path, "explain", "--theme", "oneline", "--columns", "30", env={"COLUMNS": "120"})
    assert "· 30 columns" in answer.out and "dropped: no room in 26 cells for priority 70" in answer.out


def test_only_some_segments(tmp_path: Path) -> None:
    """Segments that are named are the only ones in the table."""
    answer = call(tmp_path, "explain", "model_block", "git_block")
    assert [line.split()[1] for line in answer.out.splitlines() if line and line[0] in "●○◌"] == [
        "model_block",
        "git_block",
    ]


def test_own_payload(tmp_path: Path) -> None:
    """A payload comes from a file, from `-`, or from standard input that somebody has redirected."""
    (tmp_path / "p.json").write_bytes(RAW)
    for words, name, stdin in (
        (["--payload", str(tmp_path / "p.json")], "p.json", b""),
        (["--payload", "-"], "stdin", RAW),
        ([], "stdin", RAW),
    ):
        found = as_json(call(tmp_path, "explain", "--theme", "oneline", "--json", *words, stdin=stdin))
        assert (found["payload"], found["segments"][0]["value"]) == (name, "Opus 4.6")


def test_slow_facts_of_an_own_payload_are_waited_for(tmp_path: Path) -> None:
    """What a refresh would show a little later is explained at once."""
    config = tmp_path / "home" / ".config" / "ohud"
    config.mkdir(parents=True)
    (config / "config.toml").write_text('[commands.greet]\nrun = ["/bin/echo", "hello"]\n')
    path = tmp_path / "t.toml"
    path.write_text('template = "{{ a }}"\nsegments.a = "computed.commands.greet"\n')
    found = as_json(call(tmp_path, "explain", "--theme", str(path), "--json", stdin=RAW))
    assert found["output"] == "hello"
    assert found["segments"][0]["computed"][0]["slow"] is True


def test_json(tmp_path: Path) -> None:
    """`--json` has every fact of the table, in milliseconds and bytes."""
    found = as_json(call(tmp_path, "explain", "--theme", "oneline", "--json", "--columns", "60"))
    assert list(found) == ["theme", "payload", "columns", "color", "output", "segments", "totals"]
    first = found["segments"][0]
    assert (first["name"], first["state"], first["expression"], first["text"], first["cells"]) == (
        "model",
        "shown",
        "computed.model.name",
        "Opus 5.5",
        8,
    )
    assert first["computed"][0]["path"] == "computed.model.name" and first["compute_ms"] >= 0
    totals = found["totals"]
    assert (totals["lines"], totals["room"]) == (1, 56) and totals["fields"] == 4
    assert set(totals["stages_ms"]) >= {"payload", "fields", "template", "fit"}


def test_faults_are_reported_too(tmp_path: Path) -> None:
    """The reports of a theme with faults go to stderr, and its segments are explained all the same."""
    (tmp_path / "every.toml").write_text(THEME)
    answer = call(tmp_path, "explain", "--theme", str(tmp_path / "every.toml"), "--columns", "60")
    assert answer.code == 0
    assert "did you mean `length`?" in answer.err
    assert "fault: unknown function `lenght`" in answer.out


def test_no(tmp_path: Path) -> None:
    """A theme that cannot be used, or an input that is no payload: exit 1, and the reason."""
    (tmp_path / "bad.toml").write_text('template = "{% if %}"\n')
    broken = call(tmp_path, "explain", "--theme", str(tmp_path / "bad.toml"))
    assert (broken.code, broken.out) == (1, "") and "error[template-text]" in broken.err
    empty = call(tmp_path, "explain", stdin=b"[1]")
    assert (empty.code, empty.out) == (1, "")
    assert "stdin is no JSON object" in empty.err and "ohud: no stdin (setup verification)" in empty.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["modle_block"], "did you mean `model_block`?"),
        (["--scenario", "workin"], "did you mean `working`?"),
        (["--scenario", "working", "--payload", "x"], "not allowed with"),
        (["--payload", "nowhere.json"], "`nowhere.json` cannot be read: no such file"),
        (["--columns", "wide"], "expected a number from 0 to 1000, not `wide`"),
        (["--columns", "-4"], "--columns"),
    ],
)
def test_wrong_use(words: list[str], said: str, tmp_path: Path) -> None:
    """What cannot be meant is wrong use, with the reason."""
    answer = call(tmp_path, "explain", *words)
    assert answer.code == 2
    assert said in answer.err and answer.out == ""


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """A built-in moment leaves nothing in the user's home."""
    assert call(tmp_path, "explain").code == 0
    assert list((tmp_path / "home").iterdir()) == []
