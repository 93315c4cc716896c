"""Files of other programs as themes: each input under tests/convert has its theme and its list beside it."""

import copy
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from launch import REPOSITORY

import ohud.convert
from ohud.cli.drawing import in_utc, scene_moments
from ohud.convert import FORMATS, Conversion, Unusable, convert, default_name, detect
from ohud.convert.intake import Document, parse
from ohud.convert.intake import Path as Place
from ohud.errors import invisible
from ohud.run import status
from ohud.run.cells import width
from ohud.theme import lower, read
from ohud.theme.reference import render_theme

FOLDER = REPOSITORY / "tests" / "convert"
INPUTS = sorted(path for path in FOLDER.iterdir() if path.suffix in (".json", ".toml") and ".theme." not in path.name)
UPDATE = "pytest tests/unit/test_convert.py --update-golden"
LINK = re.compile("\x1b]8;;[^\x1b]*\x1b\\\\")
COMMANDS = ("weather --short", "curl", "rm -rf", "uptime", "wttr.in")


def converted(path: Path) -> Conversion:
    """The input as a theme, its format told from its content."""
    return convert(path.read_bytes(), path.name, schema="../../schema/theme.schema.json")


def problems(text: str) -> list[str]:
    """What `ohud check` says of a theme."""
    loaded = read.read_theme_file("theme.toml", home=None, kind="theme", text=text)
    return [problem.message for problem in lower.build(loaded).problems]


def listed(made: Conversion) -> str:
    """What was not carried over, and what is a matter of the config, as text."""
    lines = [f"{loss.line}: {loss.place}: {loss.reason}\n    {loss.instead or '-'}" for loss in made.losses]
    lines += [f"config: {key} = {json.dumps(value)}" for key, value in made.settings.items()]
    return "\n".join(lines) + "\n"


def leaves(value: Any, path: Place = ()) -> Iterator[Place]:
    """The paths of all values that hold no others."""
    inner = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    if not inner:
        yield path
    for key, one in inner:
        yield from leaves(one, (*path, key))


def beginnings(path: Place) -> set[Place]:
    """A path and all that it lies in."""
    return {path[:end] for end in range(len(path) + 1)}


def test_each_format_has_three_inputs_and_a_nasty_one() -> None:
    """Every format is tried on at least three files, one of them hostile."""
    for name in FORMATS:
        stems = [path.stem for path in INPUTS if path.stem.startswith(name + "-")]
        assert len(stems) >= 3 and f"{name}-nasty" in stems, name


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_golden(path: Path, update_golden: bool) -> None:
    """The theme and the list are those beside the input, to the letter."""
    made = converted(path)
    for golden, text in (
        (path.with_name(path.stem + ".theme.toml"), made.text),
        (path.with_name(path.stem + ".list.txt"), listed(made)),
    ):
        if update_golden:
            golden.write_text(text, encoding="utf-8", newline="\n")
        expected = golden.read_text(encoding="utf-8") if golden.exists() else ""
        assert text == expected, f"rewrite with: {UPDATE}"


def test_every_golden_file_has_an_input() -> None:
    """No expectation is left over from an input that is gone."""
    stems = {path.name.removesuffix(".theme.toml").removesuffix(".list.txt") for path in FOLDER.iterdir()}
    assert {path.stem for path in INPUTS} == {stem for stem in stems if "." not in stem}


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_format_is_told_from_the_content(path: Path) -> None:
    """Without --from each input is taken for what it is."""
    assert path.stem.startswith(converted(path).format + "-")


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_result_checks_clean(path: Path) -> None:
    """`ohud check` has nothing to say about a converted theme."""
    assert problems(converted(path).text) == []


def drawn_with(path: Path, icons: str) -> read.Loaded:
    """The converted theme as a user with that kind of glyphs has it."""
    theme = str(path.with_name(path.stem + ".theme.toml"))
    return read.load("/nowhere/config.toml", home=None, theme=theme, text=f'icons = "{icons}"')


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
@pytest.mark.parametrize("icons", ["nerd", "emoji", "ascii"])
def test_result_draws_every_scenario(path: Path, icons: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On every scenario and width something that fits is drawn, and no segment has a fault."""
    program = {**lower.build(drawn_with(path, icons)).program, "color": "never"}
    for moment in scene_moments():
        for columns in (20, 80, 200):
            faults: list[str] = []
            world = moment.world(columns)
            monkeypatch.setattr(world, "log", faults.append)
            with in_utc(moment):
                drawn = status.render(moment.raw, program, world)
            assert faults == [], moment.name
            assert drawn.strip()
            assert all(width(line) <= columns - 4 for line in LINK.sub("", drawn).split("\n"))


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_result_means_what_the_libraries_make_of_it(path: Path) -> None:
    """The program of a converted theme prints what jinja2 and jmespath make of the theme."""
    loaded = drawn_with(path, "emoji")
    program = lower.build(loaded).program
    for moment in scene_moments():
        with in_utc(moment):
            ours = status.render(moment.raw, program, moment.world(100))
            assert ours == render_theme(loaded.theme, program, moment.raw or b"", moment.world(100)), moment.name


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_every_key_is_carried_over_or_listed(path: Path) -> None:
    """No value of an input is passed over in silence."""
    made = converted(path)
    lost = {loss.path for loss in made.losses}
    data = parse(path.read_bytes(), path.name).data
    missed = [
        place
        for place in leaves(data)
        if place not in made.ledger.taken and not beginnings(place) & (lost | made.ledger.idle)
    ]
    assert missed == []


def outcome(data: Any) -> tuple[str, str]:
    """The theme and the settings for the config; and the list. The reason alone when there is no theme."""
    try:
        made = convert(json.dumps(data).encode(), "input.json")
    except Unusable as fault:
        return fault.reason, ""
    return made.text + json.dumps(made.settings), listed(made)


def changed(data: Any, place: Place, value: Any) -> Any:
    """The data with another value at a place; `...` takes the place out."""
    made = copy.deepcopy(data)
    holder = made
    for part in place[:-1]:
        holder = holder[part]
    if value is ... and isinstance(holder, dict):
        del holder[place[-1]]
    elif value is not ...:
        holder[place[-1]] = value
    return made


WORDS = (
    ..., "blue", "#123456", "other words", "none", "minimal", "text", "nord", "{{ .Version }}", "false", "rprompt",
    "right", "powerline", "ansi256", "tokens", "separator",
)  # fmt: skip


def refused(said: str) -> set[str]:
    """The lines of a list about values that nobody would write, and what follows each."""
    lines = said.split("\n")
    found = {
        at for at, line in enumerate(lines) if re.search("is expected here|is not one of|has no|is not known", line)
    }
    return {line for at, line in enumerate(lines) if at in found or at - 1 in found}


def others(value: Any) -> tuple[Any, ...]:
    """Values of the same type, and `...` for none."""
    if isinstance(value, bool):
        return (..., not value)
    return (..., 2, 7, 61, 4000) if isinstance(value, (int, float)) else WORDS if isinstance(value, str) else (...,)


@pytest.mark.parametrize("path", [path for path in INPUTS if "nasty" not in path.stem], ids=lambda path: path.stem)
def test_what_counts_as_carried_over_makes_a_difference(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that is not listed decides something: another one in its place gives another theme, or is listed."""
    monkeypatch.setattr(ohud.convert, "_problems", lambda text: [])  # only texts are compared, so nothing is compiled
    made = converted(path)
    lost = {loss.path for loss in made.losses}
    data = parse(path.read_bytes(), path.name).data
    theme, said = outcome(data)
    known = set(said.split("\n"))
    idle = []
    for place in leaves(data):
        if beginnings(place) & (lost | made.ledger.idle):
            continue
        value: Any = data
        for part in place:
            value = value[part]
        found = (outcome(changed(data, place, other)) for other in others(value))
        if all(one[0] == theme and set(one[1].split("\n")) <= known | refused(one[1]) for one in found):
            idle.append(place)
    assert not idle, idle


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_nothing_that_runs_is_carried_over(path: Path) -> None:
    """No command of an input gets into a theme, and the list says how to have it."""
    made = converted(path)
    text = path.read_text(encoding="utf-8")
    assert not any(command in made.text for command in COMMANDS)
    if any(command in text for command in COMMANDS):
        assert any("[commands." in (loss.instead or "") for loss in made.losses)
    assert set(tomllib.loads(made.text)) <= {
        "name", "description", "extends", "template", "options", "limits", "palette", "palette_light", "segments",
    }  # fmt: skip


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_result_is_harmless_text(path: Path) -> None:
    """Neither the theme nor the list holds what a terminal would obey."""
    made = converted(path)
    said = made.text + listed(made)
    assert not [one for one in said if invisible(one) and one not in "\n\u200d\ufe0f"]
    assert all(loss.reason[0].islower() or not loss.reason[0].isalpha() for loss in made.losses)
    assert not any(loss.reason.endswith(".") for loss in made.losses)


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_places_in_the_list_are_there(path: Path) -> None:
    """Every place that the list names is in the file, on the line it says."""
    made = converted(path)
    document = parse(path.read_bytes(), path.name)
    for loss in made.losses:
        value: Any = document.data
        for part in loss.path:
            value = value[part]
        assert loss.line is None or 1 <= loss.line <= path.read_text(encoding="utf-8").count("\n") + 1


TRICKY = [
    "{{",
    "{% x %}",
    "'''",
    '"""',
    "\x1b[31m",
    "\u202e",
    "hex:ff00ff",
    "p:x",
    "$all",
    "[x](y)",
    "{{ .Model }}",
    "\\",
]
PLAIN = st.none() | st.booleans() | st.integers(-3, 300) | st.floats() | st.text(max_size=12) | st.sampled_from(TRICKY)
JUNK = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=6,
)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
@pytest.mark.parametrize("name", list(FORMATS))
def test_damaged_inputs_give_a_clean_theme_or_a_reason(name: str, data: st.DataObject) -> None:
    """Whatever stands in place of a value, the answer is a theme that checks clean, or a reason in words."""
    path = data.draw(st.sampled_from([path for path in INPUTS if path.stem.startswith(name + "-")]))
    content = parse(path.read_bytes(), path.name).data
    for _ in range(data.draw(st.integers(1, 4))):
        places = [place[:end] for place in leaves(content) for end in range(1, len(place) + 1)]
        if places:
            content = changed(content, data.draw(st.sampled_from(places)), data.draw(JUNK))
    raw = json.dumps(content).encode()
    try:
        made = convert(raw, "input.json", format=name)
    except Unusable as fault:
        assert fault.reason
        return
    assert problems(made.text) == []
    assert not any(one in made.text for one in "\x1b\u202e")


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(content=st.dictionaries(st.text(max_size=8), JUNK, max_size=5))
@pytest.mark.parametrize("name", list(FORMATS))
def test_anything_gives_a_clean_theme_or_a_reason(name: str, content: dict[str, Any]) -> None:
    """Any JSON object at all, taken for any of the formats, ends in a theme or in words."""
    try:
        made = convert(json.dumps(content).encode(), "input.json", format=name)
    except Unusable as fault:
        assert fault.reason
        return
    assert problems(made.text) == []


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "it holds no table"),
        (b"[]", "it is not TOML|it holds no table"),
        (b'{"lines": [', "it is not JSON \\(line 1, column 12\\)"),
        (b'{"a": 1}\n {"b": 2}', "more behind the end"),
        (b'{"a": "x\x01"}', "control character"),
        (b"\xff\xfe{\x00}", "it is not UTF-8|it holds"),
        (b'{"a": "\x80"}', "it is not UTF-8 text"),
        (b"{" + b'"a":{' * 60 + b"}" * 61, "nested deeper"),
        (b'{"a": ' + b"[" * 5000 + b"]" * 5000 + b"}", "nested deeper"),
        (b'{"a": [' + b"1," * 30000 + b"1]}", "more than 20000 values"),
        (b'{"a": "' + b"x" * 300_000 + b'"}', "larger than 256 KiB"),
        (b'{"a": ' + b"9" * 5000 + b"}", "it is not JSON"),
        (b'{"title": "some other program"}', "it looks like none of"),
        (b"a = [[[[", "it is not TOML"),
        (b"\x00\x01\x02", "it is not a text file"),
    ],
    ids=range(15),
)
def test_what_cannot_be_used_is_refused_in_words(raw: bytes, reason: str) -> None:
    """Bytes that are no settings of anybody are refused with a reason, at once."""
    with pytest.raises(Unusable, match=reason):
        convert(raw, "x.toml" if raw.startswith(b"a = ") else "file")


def test_json_with_comments_is_read_with_its_lines() -> None:
    """Comments, a comma before the end and a byte order mark do no harm, and lines are counted."""
    raw = '\ufeff{\n  // said\n  "display": { /* more */\n    "style": "minimal",\n  },\n}\n'.encode()
    document = parse(raw, "x.json")
    assert document.data == {"display": {"style": "minimal"}}
    assert document.lines["display", "style"] == 4


def test_yaml_means_what_json_means() -> None:
    """With the library a YAML theme gives the same as its JSON form, and aliases are refused."""
    yaml = pytest.importorskip("yaml")
    data = json.loads((FOLDER / "oh-my-posh-arrows.json").read_text(encoding="utf-8"))
    made = convert(yaml.safe_dump(data, allow_unicode=True, sort_keys=False).encode(), "x.yaml")
    assert made.text.split("\n")[1:] == convert(json.dumps(data).encode(), "x.json").text.split("\n")[1:]
    with pytest.raises(Unusable, match="aliases"):
        convert(b"a: &x [1]\nblocks: [*x, *x]\n", "x.yaml")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/home/you/.config/ccstatusline/settings.json", "my-ccstatusline"),
        ("/home/you/.claude-powerline.json", "my-ccstatusline"),
        ("C:\\themes\\paradox.omp.json", "paradox"),
        ("Über mich!.toml", "ber-mich"),
        ("...json", "my-ccstatusline"),
    ],
)
def test_default_name(path: str, name: str) -> None:
    """A theme is called as its file, unless all files of the kind are called that."""
    assert default_name(path, "ccstatusline") == name


def test_segments_beyond_what_a_theme_can_hold_are_listed() -> None:
    """A file with more widgets than a theme can have loses the rest, by name."""
    line = [{"id": str(number), "type": "model"} for number in range(200)]
    made = convert(json.dumps({"version": 3, "lines": [line]}).encode(), "x.json")
    assert problems(made.text) == []
    assert any("too many segments" in loss.reason for loss in made.losses)
    assert made.text.count("[segments.") == 120


def test_a_faulty_segment_is_left_out_and_listed() -> None:
    """What ohud's own check objects to costs that segment only."""
    text = {"type": "text", "template": '{{ printf "%d" .Folder }}ok{{ round .Folder "x" }}'}
    blocks = [{"type": "prompt", "segments": [{"type": "claude", "template": "{{ .Model.ID }}"}, text]}]
    made = convert(json.dumps({"blocks": blocks}).encode(), "x.json")
    assert problems(made.text) == []
    assert "computed.model.id" in made.text


def test_detection_names_the_keys_it_saw() -> None:
    """A file of nobody is refused with its first keys, so that a mix-up is seen."""
    with pytest.raises(Unusable, match=re.escape("`colour`")) as caught:
        detect(Document("json", {"colour": 1}, {}))
    assert "--from" in str(caught.value.help)
