"""
Every shipped theme on every scenario: at each width, colour depth and form of icons it fits, says something, writes no
control but our own, and is what the reference renderer makes of it.

One width and depth is kept as text under tests/golden/gallery/, all others as one digest a theme and scenario;
`pytest --update-golden tests/contract/test_gallery.py` writes both.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import pytest
import screen
from jinja2 import nodes
from launch import COMMAND_LINE, REPOSITORY, Input, launch
from session import THEMES, Session

from ohud.host.scenarios import NOW, Scene, scenarios, scene
from ohud.run import status, subagents
from ohud.run.measures import MEASURES
from ohud.run.style import STYLE_FILTERS
from ohud.run.template import SCALES
from ohud.run.world import World
from ohud.theme import fieldset, read
from ohud.theme.expressions import compile_expression
from ohud.theme.lower import build
from ohud.theme.reference import render_theme
from ohud.theme.templates import FUNCTIONS, environment, normal

GALLERY = REPOSITORY / "tests" / "golden" / "gallery"
UPDATE = "to accept it: pytest --update-golden tests/contract/test_gallery.py"
COLUMNS = (20, 40, 60, 80, 120, 200)
DEPTHS = {"never": 0, "16": 4, "256": 8, "truecolor": 24}
ICONS = ("nerd", "emoji", "ascii")
KEPT = (80, "truecolor", "emoji")
MARGIN = 4
SCENES: dict[str, Scene] = {scenario.name: scene(scenario) for scenario in scenarios()}
Program = dict[str, Any]


@pytest.fixture(scope="module", autouse=True)
def zone() -> Iterator[None]:
    """Clock times are those of one zone."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    yield
    os.environ.pop("TZ")
    if before is not None:
        os.environ["TZ"] = before
    time.tzset()


@cache
def compiled(theme: str, icons: str, background: str = "dark") -> tuple[read.Theme, Program, Program]:
    """A shipped theme, its program and that of its rows, for one form of icons and one background."""
    text = f'icons = "{icons}"\nbackground = "{background}"\n'
    loaded = read.load("/home/you/.config/ohud/config.toml", home="/home/you", theme=theme, text=text)
    built = build(loaded)
    assert built.problems == []
    return loaded.theme, built.program, built.rows


def drawn(program: Program, moment: Scene, columns: int | None, color: str) -> str:
    """What the status line prints in a scene."""
    variables = {} if columns is None else {"COLUMNS": str(columns)}
    return status.render(moment.raw, {**program, "color": color}, moment.world(variables))


def faults(text: str, columns: int, program: Program, ascii_only: bool) -> list[str]:
    """What is wrong with printed text; a theme may say itself that nothing is its answer to nothing."""
    found = screen.faults(text)
    shown = screen.plain(text).rstrip("\n").split("\n")
    lines = program["limits"]["lines"]
    if not any(line.strip() for line in shown) and program["fallback"]["empty"]:
        found.append("blank")
    if len(shown) > lines:
        found.append(f"{len(shown)} lines")
    found += [f"too wide: {line}" for line in shown if screen.cells(line) > max(1, columns - MARGIN)]
    found += [f"unknown shown as a value: {line}" for line in shown if {"None", "undefined", "nan"} & set(line.split())]
    if ascii_only and not screen.plain(text).isascii():
        found.append("not ASCII: " + "".join(sorted({c for c in screen.plain(text) if not c.isascii()})))
    return found


def test_there_is_something_to_draw() -> None:
    """Two dozen themes and a session's whole life."""
    assert len(THEMES) >= 24
    assert len(SCENES) >= 20


@pytest.mark.parametrize("theme", THEMES)
def test_a_sliver_of_a_terminal_is_no_fault(theme: str) -> None:
    """In a window of a few cells no width that a theme reckons with is a mistake, and what is left fits."""
    program = compiled(theme, "emoji")[1]
    nothing = replace(next(iter(SCENES.values())), raw=b"{}")
    for moment in (*SCENES.values(), nothing):
        for columns in (5, 12):
            world = moment.world({"COLUMNS": str(columns)})
            said: list[str] = []
            world.log = said.append  # type: ignore[method-assign]
            text = status.render(moment.raw, program, world)
            assert said == []
            assert faults(text, columns, program, False) == [], f"{theme} at {columns}"


@pytest.mark.parametrize("theme", THEMES)
def test_every_scene_fits_and_is_the_reference(theme: str) -> None:
    """At every width, depth and form of icons: no fault, and byte for byte what the libraries make of it."""
    for icons, (name, moment) in product(ICONS, SCENES.items()):
        source, program, _ = compiled(theme, icons)
        plain = moment.raw.isascii() and icons == "ascii" and name not in NOT_ASCII
        for columns, color in product(COLUMNS, DEPTHS):
            variables = {"COLUMNS": str(columns)}
            chosen = {**program, "color": color}
            ours = status.render(moment.raw, chosen, moment.world(variables))
            where = f"{theme} on {name} at {columns}, {color}, {icons}"
            assert faults(ours, columns, program, plain) == [], where
            assert color != "never" or "\x1b[3" not in ours, where
            assert ours == render_theme(source, chosen, moment.raw, moment.world(variables)), where


# Their payloads are ASCII, their transcripts and answers are not.
NOT_ASCII: frozenset[str] = frozenset()


@pytest.mark.parametrize("theme", THEMES)
def test_values_of_the_wrong_type_are_no_fault_of_a_theme(theme: str) -> None:
    """A host that sends every number as a text brings up no notice on a theme in which `ohud check` finds nothing."""
    program = compiled(theme, "emoji")[1]
    payload: dict[str, object] = {}
    for moment in SCENES.values():
        payload.update(json.loads(moment.raw))
    payload.update(json.loads(SCENES["working"].raw))
    payload["prompt_cache"] = {"warm": True, "expires_at": NOW + 60}
    for key, form in product(payload, (str, lambda value: 7, lambda value: [value], lambda value: True)):
        wrong = {key: turned(payload[key], form)}
        for given in ({**payload, **wrong}, wrong):
            text = status.render(json.dumps(given).encode(), program, World({"COLUMNS": "160"}, now=NOW))
            assert "ohud check" not in text, given


def test_a_miss_without_causes_names_none() -> None:
    """The host knows of a miss before it knows why."""
    program = compiled("cache", "emoji")[1]
    miss = {"warm": True, "caching_observed": True, "misses": 1, "requests": 3, "last_miss_at": NOW - 9}
    for causes, said in ((["ttl_expired"], True), ([], False), (None, False)):
        payload = {"prompt_cache": {**miss, "last_miss_cause": {"causes": causes}}}
        text = status.render(json.dumps(payload).encode(), program, World({"COLUMNS": "160"}, now=NOW))
        assert "1 miss" in text
        assert ("last:" in text) is said


def turned(value: object, form: Callable[[object], object]) -> object:
    """The value with another in place of each that is no object."""
    return {key: turned(item, form) for key, item in value.items()} if isinstance(value, dict) else form(value)


@pytest.mark.parametrize("theme", THEMES)
def test_light_backgrounds_draw_the_same_text(theme: str) -> None:
    """The colours for a light background change nothing but colours."""
    for moment in SCENES.values():
        dark, light = (compiled(theme, "emoji", background)[1] for background in ("dark", "light"))
        ours = [screen.plain(drawn(program, moment, 120, "truecolor")) for program in (dark, light)]
        assert ours[0] == ours[1]


@pytest.mark.parametrize("theme", THEMES)
def test_golden(theme: str, update_golden: bool) -> None:
    """One width and depth gives the text that is kept."""
    columns, color, icons = KEPT
    _, program, _ = compiled(theme, icons)
    parts = []
    for name, moment in SCENES.items():
        text = drawn(program, moment, columns, color).replace("\x1b", "<ESC>")
        parts.append(f"--- {name}\n{text}")
    said = "".join(part if part.endswith("\n") else part + "\n" for part in parts)
    path = GALLERY / f"{theme}.txt"
    if update_golden:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(said, "utf-8")
    kept = path.read_text("utf-8") if path.exists() else ""
    at = next((i for i, (a, b) in enumerate(zip(said, kept, strict=False)) if a != b), min(len(said), len(kept)))
    assert said == kept, f"{path.name} differs at character {at}: {said[at : at + 60]!r}; {UPDATE}"


@pytest.mark.parametrize("theme", THEMES)
def test_digests(theme: str, update_golden: bool) -> None:
    """All other widths, depths and icons give the text whose digest is kept."""
    found = {}
    for name, moment in SCENES.items():
        texts = [
            drawn(compiled(theme, icons)[1], moment, columns, color)
            for columns, color, icons in product(COLUMNS, DEPTHS, ICONS)
            if (columns, color, icons) != KEPT
        ]
        found[name] = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
    path = GALLERY / f"{theme}.digests"
    if update_golden:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{name} {digest}\n" for name, digest in found.items()), "utf-8")
    kept = dict(line.rsplit(" ", 1) for line in path.read_text("utf-8").splitlines()) if path.exists() else {}
    differing = [name for name in found.keys() | kept.keys() if found.get(name) != kept.get(name)]
    assert not differing, f"{theme} differs on {', '.join(sorted(differing))}; {UPDATE}"


def test_no_golden_file_is_left_over() -> None:
    """Every kept file belongs to a shipped theme."""
    assert {path.name for path in GALLERY.iterdir()} == {f"{t}.{end}" for t in THEMES for end in ("txt", "digests")}


@pytest.mark.parametrize("theme", THEMES)
def test_rows_of_subagents_fit(theme: str) -> None:
    """Each task of each scene has a row that fits, at every width, in ASCII where that is asked for."""
    seen = 0
    for icons, moment in product(ICONS, SCENES.values()):
        if moment.subagents is None:
            continue
        program = compiled(theme, icons)[2]
        for columns in (30, 60, 110):
            raw = json.dumps({**json.loads(moment.subagents), "columns": columns}).encode()
            answers = [json.loads(line) for line in subagents.render(raw, program, moment.world({}))]
            assert answers
            for answer in answers:
                line = screen.plain(answer["content"])
                assert line.strip() and screen.cells(line) <= columns, (columns, line)
                assert screen.faults(answer["content"]) == []
                assert icons != "ascii" or line.isascii() or not moment.subagents.isascii(), line
                seen += 1
    assert seen


@pytest.mark.parametrize("theme", THEMES)
def test_the_real_command_ends_well(theme: str, tmp_path: Any) -> None:
    """`ohud preview` of the theme ends with status 0 and no complaint."""
    session = Session(tmp_path)
    outcome = launch(
        [*COMMAND_LINE, "preview", "--theme", theme, "--columns", "80"], Input(b""), session.env(), session.home
    )
    assert (outcome.code, outcome.errors) == (0, ""), outcome


def test_only_one_theme_may_be_blank() -> None:
    """`oneline` shows nothing where nothing is known, all others say at least who they are."""
    assert [theme for theme in THEMES if not compiled(theme, "emoji")[1]["fallback"]["empty"]] == ["oneline"]


def test_now_is_fixed() -> None:
    """Scenes take place at one moment, so that what is kept stays."""
    assert {moment.now for moment in SCENES.values()} == {NOW}


def sources() -> Iterator[tuple[str, str]]:
    """(what it is, its text) of every expression and template of the shipped themes."""
    for theme in THEMES:
        source = compiled(theme, "emoji")[0]
        if source.template is not None:
            yield "template", source.template
        if source.subagents.template is not None:
            yield "template", source.subagents.template
        for segment in (*source.segments.values(), *source.subagents.segments.values()):
            yield from (("expression", text) for text in (segment.value, segment.when) if text)
            yield from (("template", text) for text in (segment.format,) if text)


def used() -> set[tuple[str, str]]:
    """(kind, name) of what the themes' templates use: filters, tests, functions and statements."""
    found = set()
    for kind, text in sources():
        if kind == "template":
            tree = environment().parse(normal(text))
            found |= {("filter", node.name) for node in tree.find_all(nodes.Filter)}
            found |= {("test", node.name) for node in tree.find_all(nodes.Test)}
            calls = [node.node for node in tree.find_all(nodes.Call)]
            found |= {("function", called.name) for called in calls if isinstance(called, nodes.Name)}
            found |= {("statement", type(node).__name__) for node in tree.find_all(nodes.Stmt)}
    return found


def test_together_the_themes_use_every_family() -> None:
    """No family of computed fields is without a theme that shows it."""
    reach = {family for kind, text in sources() if kind == "expression" for family, _ in compile_expression(text).reach}
    assert set(fieldset.catalogue()) - reach == set()


def test_together_the_themes_use_the_whole_language() -> None:
    """Every function, every filter that is ohud's own, and every statement stands in some theme."""
    own = {*MEASURES, *STYLE_FILTERS, *SCALES, "spark", "short_path", "basename", "ellipsis", "pad", "cells", "ascii"}
    wanted = {("filter", name) for name in own} | {("function", name) for name in FUNCTIONS}
    wanted |= {("statement", name) for name in ("If", "For", "Assign", "AssignBlock", "With", "Macro")}
    assert wanted - used() == set()
