"""`ohud preview` and the built-in scenarios."""

import json
import re
from pathlib import Path

import pytest
from command_line import call

from ohud.cli.picture import PAPERS
from ohud.host import scenarios

THEMES = ["classic", "minimal", "oneline"]
ONE = 'name = "one"\ntemplate = "{{ name }}|{{ branch }}|{{ left }}"\n[segments]\n'
ONE += 'name = "computed.model.name"\nbranch = "computed.git.branch"\nleft = "computed.usage.five_hour.resets_in_s"\n'


def theme(folder: Path, text: str = ONE, name: str = "one.toml") -> str:
    """A theme file, by its path."""
    path = folder / name
    path.write_text(text)
    return str(path)


def test_a_fresh_machine_shows_every_scenario(tmp_path: Path) -> None:
    """With no config and no words there is a heading and a line for each built-in scenario."""
    answer = call(tmp_path, "preview")
    assert (answer.code, answer.err) == (0, "")
    for scenario in scenarios.scenarios():
        assert f"{scenario.name}: {scenario.description} · 80 columns\n" in answer.out
    assert "\x1b" not in answer.out
    assert "None" not in answer.out and "null," not in answer.out


@pytest.mark.parametrize("name", THEMES)
def test_bundled_themes_have_no_faults(name: str, tmp_path: Path) -> None:
    """Each bundled theme is drawn without a notice or a report."""
    answer = call(tmp_path, "preview", "--theme", name, "--columns", "40,120")
    assert (answer.code, answer.err) == (0, "")
    assert "ohud:" not in answer.out
    assert "40 columns" in answer.out and "120 columns" in answer.out


def test_all_themes(tmp_path: Path) -> None:
    """`--all` draws every theme, the user's own among them."""
    own = tmp_path / "home" / ".config" / "ohud" / "themes"
    own.mkdir(parents=True)
    theme(own, name="mine.toml")
    answer = call(tmp_path, "preview", "--all", "--scenario", "working")
    assert answer.code == 0
    for name in [*THEMES, "mine"]:
        assert f"── {name} ──\n" in answer.out


def test_scenario_files_are_there(tmp_path: Path) -> None:
    """A scenario brings its branch, its transcript and its times, and takes them away again."""
    answer = call(tmp_path, "preview", "--theme", theme(tmp_path), "--scenario", "working", "worktree")
    lines = answer.out.splitlines()
    assert lines[1] == "Opus 5.5|feature/status|8040"
    assert lines[4] == "Opus 5.5|worktree-fix-parser|"


def test_switched_model_is_the_transcripts(tmp_path: Path) -> None:
    """The scenario of a switched model shows the one that replied."""
    answer = call(tmp_path, "preview", "--theme", theme(tmp_path), "--scenario", "switched-model")
    assert answer.out.splitlines()[1].startswith("Sonnet 5.5|")


@pytest.mark.parametrize("scenario", scenarios.scenarios(), ids=lambda scenario: scenario.name)
def test_stage_is_cleared(scenario: scenarios.Scenario) -> None:
    """The folder of a scenario is gone after the block, and every place in its payload lay in it."""
    with scenarios.staged(scenario, 1796040000.0) as stage:
        home = Path(stage.home)
        assert home.is_dir()
        payload = json.loads(stage.raw)
        assert "@home@" not in stage.raw.decode() and "$now" not in stage.raw.decode()
        for path in (payload["cwd"], payload["transcript_path"]):
            assert path is None or path.startswith(stage.home)
        assert payload["cwd"] is None or Path(payload["cwd"]).is_dir()
    assert not home.exists()


def test_scenarios_are_told_in_order() -> None:
    """A preview begins with the beginning of a session."""
    names = scenarios.names()
    assert names[0] == "before-first-reply" and "everything-null" in names
    assert len(names) == len(set(names)) >= 20
    lives = "working tools agents todos long-context limits-near after-compaction worktree detached ollama old-host"
    assert set(lives.split()) <= set(names)


def test_no_room_for_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a folder for temporary files the payload is still drawn."""
    monkeypatch.setattr("tempfile.tempdir", "/nowhere/at/all")
    with scenarios.staged(scenarios.scenarios()[0], 1796040000.0) as stage:
        assert json.loads(stage.raw)["cwd"] == "/home/you/widgets"


def test_own_payload(tmp_path: Path) -> None:
    """A payload from a file or from standard input takes the scenarios' place."""
    payload = b'{"model": {"display_name": "Mine"}}'
    (tmp_path / "p.json").write_bytes(payload)
    from_file = call(tmp_path, "preview", "--theme", theme(tmp_path), "--payload", str(tmp_path / "p.json"))
    assert from_file.out == "p.json: a payload of your own · 80 columns\nMine||\n"
    from_stdin = call(tmp_path, "preview", "--theme", theme(tmp_path), "--payload", "-", stdin=payload)
    assert from_stdin.out.splitlines()[1] == "Mine||"


def test_own_transcript(tmp_path: Path) -> None:
    """`--transcript` stands in for the one that the payload names."""
    record = {"type": "assistant", "isSidechain": False, "message": {"model": "claude-haiku-4-5", "content": []}}
    (tmp_path / "t.jsonl").write_text(json.dumps(record) + "\n")
    words = ["--theme", theme(tmp_path), "--scenario", "working", "--transcript", str(tmp_path / "t.jsonl")]
    assert call(tmp_path, "preview", *words).out.splitlines()[1].startswith("Haiku 4.5|")


@pytest.mark.parametrize(
    ("words", "env", "coloured"),
    [
        ([], {}, False),
        (["--color", "16"], {}, True),
        (["--color", "truecolor"], {"NO_COLOR": "1"}, True),
        (["--color", "never"], {"FORCE_COLOR": "3"}, False),
        ([], {"FORCE_COLOR": "3"}, True),
        ([], {"FORCE_COLOR": "3", "NO_COLOR": "1"}, False),
    ],
)
def test_colour(words: list[str], env: dict[str, str], coloured: bool, tmp_path: Path) -> None:
    """Colours come when asked for, by a switch before a variable, and not into a pipe by themselves."""
    answer = call(tmp_path, "preview", "--scenario", "working", *words, env=env)
    drawn = answer.out.partition("\n")[2]
    assert ("\x1b[" in answer.out) is ("\x1b[" in drawn) is coloured


def test_colour_depth(tmp_path: Path) -> None:
    """The depth asked for is the depth drawn."""
    path = theme(tmp_path, "template = \"{{ 'x' | fg('#ff8800') }}\"\n")
    for color, code in (("truecolor", "38;2;255;136;0"), ("256", r"38;5;\d+"), ("16", r"[39]\d")):
        answer = call(tmp_path, "preview", "--theme", path, "--scenario", "working", "--color", color)
        assert re.search(rf"\x1b\[{code}m", answer.out.partition("\n")[2])


def test_width(tmp_path: Path) -> None:
    """The line fits the columns asked for less the margin; 0 is no limit; COLUMNS is the default."""
    path = theme(tmp_path, "template = \"{{ 'x' * 0 }}" + "x" * 200 + '"\n')
    path = theme(tmp_path, 'template = "' + "x" * 200 + '"\n')

    def widths(*words: str, env: dict[str, str] | None = None) -> list[int]:
        answer = call(tmp_path, "preview", "--theme", path, "--scenario", "working", *words, env=env)
        return [len(line) for line in answer.out.splitlines() if line.startswith("x")]

    assert widths("--columns", "40,60,0") == [36, 56, 200]
    assert widths(env={"COLUMNS": "50"}) == [46]
    assert widths() == [76]


def test_broken_theme(tmp_path: Path) -> None:
    """A theme that cannot be used: the whole report, then the line that the host would show; exit 1."""
    path = theme(tmp_path, 'template = "{% if %}"\nsegments = 3\n', "bad.toml")
    answer = call(tmp_path, "preview", "--theme", path, "--scenario", "working")
    assert answer.code == 1
    assert "error[" in answer.err and "bad.toml:" in answer.err and "^" in answer.err
    assert "ohud: bad.toml:" in answer.out and "Opus 5.5" in answer.out


def test_theme_with_one_bad_segment(tmp_path: Path) -> None:
    """One bad segment is reported and left out; the theme is used, exit 0."""
    path = theme(tmp_path, ONE.replace("computed.git.branch", "lenght(x)"))
    answer = call(tmp_path, "preview", "--theme", path, "--scenario", "working")
    assert answer.code == 0
    assert "unknown function `lenght`" in answer.err and "did you mean `length`?" in answer.err
    assert answer.out.splitlines()[1] == "Opus 5.5||8040"


def test_missing_theme(tmp_path: Path) -> None:
    """A theme that is nowhere is said, and the classic stands in."""
    answer = call(tmp_path, "preview", "--theme", "clasic", "--scenario", "working")
    assert answer.code == 1
    assert "clasic" in answer.err
    assert "Opus 5.5" in answer.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--scenario", "workin"], "did you mean `working`?"),
        (["--columns", "wide"], "numbers from 0 to 1000"),
        (["--columns", "-3"], "--columns"),
        (["--payload", "nowhere.json"], "no file `nowhere.json`"),
        (["--all", "--theme", "classic"], "exclude each other"),
        (["--payload", "-", "--scenario", "working"], "exclude each other"),
        (["--host", "--columns", "80,0"], "every screen has a width"),
        (["--host", "1.0"], "2.1.215"),
        (["--transcript", "nowhere.jsonl"], "no file `nowhere.jsonl`"),
        (["--subagents", "--scenario", "working"], "no subagent is in `working`"),
        (["--icons", "nice"], "nerd"),
    ],
)
def test_wrong_use(words: list[str], said: str, tmp_path: Path) -> None:
    """What cannot be meant is wrong use, with the reason."""
    answer = call(tmp_path, "preview", *words)
    assert answer.code == 2
    assert said in answer.err
    assert answer.out == ""


def test_list(tmp_path: Path) -> None:
    """`--list` names each scenario with what it shows."""
    answer = call(tmp_path, "preview", "--list")
    assert [line.split()[0] for line in answer.out.splitlines()] == scenarios.names()


def test_a_preview_leaves_nothing_behind(tmp_path: Path) -> None:
    """Neither cache nor log of the real status line is touched."""
    call(tmp_path, "preview", "--theme", theme(tmp_path, ONE.replace("computed.model.name", "abs(name)")))
    assert list((tmp_path / "home").iterdir()) == []


def test_slow_facts_are_the_scenarios(tmp_path: Path) -> None:
    """What git, Ollama, the day and the user's programs say comes from the scenario, on every machine the same."""
    text = 'template = "{{ dirty }}|{{ size }}|{{ day }}|{{ memory }}|{{ battery }}"\n[segments]\n'
    text += (
        'dirty = "computed.git.modified"\nsize = "computed.ollama.parameter_size"\nday = "computed.today.cost_usd"\n'
    )
    text += 'memory = "computed.memory.percent"\nbattery = "computed.commands.battery"\n'
    answer = call(tmp_path, "preview", "--theme", theme(tmp_path, text), "--scenario", "working", "ollama", "old-host")
    assert answer.out.splitlines()[1::3] == ["2||4.82|36.3|87%", "4|480B||54.4|", "1|||48.1|"]


def test_scenes_are_the_same_everywhere(tmp_path: Path) -> None:
    """Neither the clock, nor the zone, nor the home directory of a machine shows in a scenario."""
    text = 'template = "{{ at | clock }} {{ place | short_path }} {{ raw }} {{ now }}"\n[segments]\n'
    text += 'at = "computed.usage.five_hour.resets_at"\nplace = "cwd"\nraw = "cwd"\nnow = "computed.now"\n'
    words = ["preview", "--theme", theme(tmp_path, text), "--scenario", "working"]
    here = call(tmp_path, *words)
    there = call(tmp_path, *words, env={"TZ": "Asia/Tokyo", "OHUD_NOW": "1700000000", "USER": "else"})
    assert here.out.splitlines()[1] == "14:14 ~/widgets /home/you/widgets 1796040000"
    assert there.out == here.out


def test_widths_stand_beside_each_other(tmp_path: Path) -> None:
    """Where the terminal has room for all widths, they are columns of one table; else each has its own heading."""
    words = ["preview", "--theme", theme(tmp_path), "--scenario", "working", "--columns", "34,40"]
    wide = call(tmp_path, *words, env={"COLUMNS": "77"}).out.splitlines()
    assert wide[0] == "working: an hour into the work"
    assert wide[1] == "34 columns" + " " * 27 + "40 columns"
    assert wide[2] == "Opus 5.5|feature/status|8040" + " " * 9 + "Opus 5.5|feature/status|8040"
    narrow = call(tmp_path, *words, env={"COLUMNS": "76"}).out
    assert "· 34 columns\n" in narrow and "· 40 columns\n" in narrow


def test_as_the_host_draws_it(tmp_path: Path) -> None:
    """`--host` leaves blank lines out, moves the line in, cuts at the edge, and greys what has no colour."""
    path = theme(tmp_path, "template = \"a\\n\\n{{ 'b' | fg('red') }}\"\n")
    drawn = call(tmp_path, "preview", "--theme", path, "--scenario", "working", "--host", "--color", "16")
    assert drawn.out.splitlines()[1:] == ["  \x1b[38;2;153;153;153ma\x1b[0m", "  \x1b[31mb\x1b[0m"]
    plain = call(tmp_path, "preview", "--theme", path, "--scenario", "working", "--host")
    assert plain.out.splitlines()[1:] == ["  a", "  b"]


def test_host_versions_differ(tmp_path: Path) -> None:
    """The version behind `--host` is the one whose rules count: the newer keeps two cells more free beside a row."""
    path = theme(tmp_path, "template = 'x'\n[subagents]\ntemplate = \"{{ task.label_or_name }}{{ fill() }}!\"\n")
    words = ["preview", "--theme", path, "--subagents", "--columns", "60"]
    old = call(tmp_path, *words, "--host", "2.1.215").out.splitlines()[1]
    new = call(tmp_path, *words, "--host").out.splitlines()[1]
    assert old.startswith("  ◯ Map the call sites") and len(old) - len(new) == 2


def test_rows_of_subagents(tmp_path: Path) -> None:
    """`--subagents` draws a row for each task of the scenario; a template that prints nothing hides its row."""
    rows = "{{ task.label_or_name if task.status == 'running' }}"
    path = theme(tmp_path, f'template = "x"\n[subagents]\ntemplate = "{rows}"\n')
    answer = call(tmp_path, "preview", "--theme", path, "--subagents")
    assert answer.out.splitlines()[1:] == ["Review tests and docs", "Measure the start-up time"]


def test_background_and_icons(tmp_path: Path) -> None:
    """`--background` and `--icons` count more than what the config says, and change nothing else of it."""
    folder = tmp_path / "home" / ".config" / "ohud"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('icons = "nerd"\nmargin = 6\n')
    text = "template = \"{{ icon('tool') }} {{ terminal.background }}\"\n"
    words = ["preview", "--theme", theme(tmp_path, text), "--scenario", "working"]
    assert call(tmp_path, *words).out.splitlines()[1] == "\uf0ad dark"
    asked = call(tmp_path, *words, "--icons", "ascii", "--background", "light")
    assert asked.out.splitlines()[1] == "tool light"
    long = theme(tmp_path, 'template = "' + "x" * 200 + '"\n')
    cut = call(tmp_path, "preview", "--theme", long, "--scenario", "working", "--icons", "emoji")
    assert len(cut.out.splitlines()[1]) == 74


def test_payload_from_a_transcript(tmp_path: Path) -> None:
    """A transcript alone is drawn as the session that it is of, at the time of its last record."""
    used = {
        "input_tokens": 10,
        "cache_creation_input_tokens": 990,
        "cache_read_input_tokens": 49000,
        "output_tokens": 7,
    }
    reply = {"id": "m", "model": "claude-haiku-4-5", "content": [], "usage": used}
    shared = {"cwd": "/srv/thing", "sessionId": "s", "version": "2.1.332"}
    records = [
        {"type": "user", "timestamp": "2026-11-30T10:00:00.000Z", "message": {"content": "hello"}, **shared},
        {"type": "assistant", "timestamp": "2026-11-30T10:01:00.000Z", "message": reply, **shared},
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, records)) + "\n")
    text = 'template = "{{ m }}|{{ p }}|{{ c }}|{{ d }}|{{ v }}|{{ n }}"\n[segments]\n'
    text += 'm = "computed.model.name"\np = "computed.project.name"\nc = "computed.context.percent"\n'
    text += 'd = "computed.session.duration_s"\nv = "version"\nn = "computed.now"\n'
    answer = call(tmp_path, "preview", "--theme", theme(tmp_path, text), "--transcript", str(tmp_path / "t.jsonl"))
    assert answer.out.splitlines()[1] == "Haiku 4.5|thing|25|60|2.1.332|1796032860"


def test_a_transcript_without_records(tmp_path: Path) -> None:
    """A file that is no transcript is said to be none."""
    (tmp_path / "t.jsonl").write_text("not json\n")
    answer = call(tmp_path, "preview", "--transcript", str(tmp_path / "t.jsonl"))
    assert answer.code == 2 and "is no transcript" in answer.err


def test_svg(tmp_path: Path) -> None:
    """`--svg` writes one picture of all that would have been drawn, and prints nothing."""
    words = ["preview", "--theme", theme(tmp_path), "--scenario", "working", "worktree", "--background", "light"]
    answer = call(tmp_path, *words, "--svg", str(tmp_path / "x.svg"))
    assert (answer.code, answer.out, answer.err) == (0, "", "")
    picture = (tmp_path / "x.svg").read_text()
    assert picture.startswith("<svg ") and "an hour into the work" in picture and "worktree-fix-parser" in picture
    assert PAPERS["light"].back in picture


def test_svg_that_cannot_be_written(tmp_path: Path) -> None:
    """A place that takes no file is wrong use, with its reason."""
    answer = call(tmp_path, "preview", "--scenario", "working", "--svg", str(tmp_path / "no" / "x.svg"))
    assert answer.code == 2 and "cannot be written: no such file" in answer.err


def test_png_without_a_converter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing makes PNG, the answer is no and says what to install."""
    monkeypatch.setattr("ohud.cli.picture.import_module", _no_module)
    answer = call(tmp_path, "preview", "--scenario", "working", "--png", str(tmp_path / "x.png"), env={"PATH": ""})
    assert answer.code == 1 and "pip install cairosvg" in answer.err
    assert not (tmp_path / "x.png").exists()


def _no_module(name: str) -> None:
    raise ImportError(name)
