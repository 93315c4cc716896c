"""Segments as a render makes them: what hides them, what styles them, and what a fault in one costs."""

import json
from typing import Any

import screen

from ohud.run import status
from ohud.run.world import World
from ohud.theme import read
from ohud.theme.lower import build


def drawn(theme: str, payload: dict[str, Any], **variables: str) -> str:
    """What a theme prints for a payload; its text is that of a config, and everything in it must compile."""
    loaded = read.load("/nowhere/config.toml", home=None, text=theme)
    built = build(loaded)
    assert built.problems == []
    world = World({"TERM": "xterm", "COLORTERM": "truecolor", **variables}, now=1796040000.0)
    return status.render(json.dumps(payload).encode(), built.program, world).rstrip("\n")


def test_what_when_hides_need_not_have_a_value() -> None:
    """A value that fails is no fault where `when` hides the segment, and one where it does not."""
    theme = """
template = "{{ row(a, b) }}"
[segments]
b = "model.id"
[segments.a]
value = "join('', [x.y])"
when = "x.y"
"""
    assert drawn(theme, {"model": {"id": "m"}}) == "m"
    assert drawn(theme, {"model": {"id": "m"}, "x": {"y": "z"}}) == "z  m"
    assert "run: ohud check" in drawn(theme.replace('when = "x.y"', 'when = "model"'), {"model": {"id": "m"}})


def test_an_empty_text_is_no_value() -> None:
    """A format is not drawn around it; 0 and false are values."""
    theme = """
template = "{{ row(a, b, c) }}{% if a.visible %} there{% endif %}"
[segments]
a = { value = "name", format = "-- {{ value }} --" }
b = { value = "count", format = "<{{ value }}>" }
c = { value = "flag", format = "({{ value }})" }
"""
    for empty in ("", "  ", "\n", "\x1b[31m"):
        assert drawn(theme, {"name": empty, "count": 0, "flag": False}) == "<0>  (false)"
    assert drawn(theme, {"name": " x ", "count": "", "flag": None}) == "--  x  -- there"


def test_a_palette_s_wrong_colour_costs_the_colour_alone() -> None:
    """What is drawn in it stands there plain, in templates, formats and styles."""
    theme = """
template = "{{ row(a, b) }} {{ 'c' | bg('hot') }}"
palette = { hot = "rd", cold = "blue" }
[segments]
a = { value = "model.id", style = "bold fg:hot" }
b = { value = "model.id", format = "{{ value | fg('hot') }}{{ value | fg('cold') }}" }
"""
    built = build(read.load("/nowhere/config.toml", home=None, text=theme))
    assert [problem.message for problem in built.problems] == ["unknown colour `rd`"]
    world = World({"COLORTERM": "truecolor"}, now=1796040000.0)
    text = status.render(b'{"model": {"id": "m"}}', {**built.program, "notice": None}, world)
    assert screen.plain(text) == "m  mm c\n"
    assert "\x1b[34mm" in text


def test_a_level_may_raise_the_priority() -> None:
    """What has become urgent is no longer what a narrow row drops first."""
    theme = """
template = "{{ row(name, limit) }}"
[segments]
name = { value = "model.id", priority = 50 }
limit = { value = "n", priority = 10, levels = [{ at = 0, style = "dim" }, { at = 80, style = "red", priority = 90 }] }
"""
    payload = {"model": {"id": "x" * 20}}
    assert screen.plain(drawn(theme, {**payload, "n": 10}, COLUMNS="26")) == "x" * 20
    assert screen.plain(drawn(theme, {**payload, "n": 80}, COLUMNS="26")) == "80"


def test_fill_is_one_blank_where_the_width_is_unknown() -> None:
    """Without COLUMNS nothing says how far right the right is."""
    theme = 'template = "a{{ fill() }}b"\n'
    assert drawn(theme, {}) == "a b"
    assert drawn(theme, {}, COLUMNS="14") == "a        b"


def test_templates_know_background_and_icons() -> None:
    """Both as the config says."""
    theme = 'template = "{{ terminal.background }} {{ terminal.icons }}"\n'
    assert drawn(theme, {}) == "dark emoji"
    assert drawn('background = "light"\nicons = "ascii"\n' + theme, {}) == "light ascii"


def test_heat_is_readable_on_both_backgrounds() -> None:
    """The same value has a darker colour on a light background."""
    theme = 'template = "{{ 50 | heat }}"\n'
    assert drawn(theme, {}) == "\x1b[38;2;255;193;7m50\x1b[0m"
    assert drawn('background = "light"\n' + theme, {}) == "\x1b[38;2;166;106;0m50\x1b[0m"


def test_every_cut_has_the_themes_mark() -> None:
    """Of max_width and of a line that is too wide."""
    theme = 'template = "{{ a }} {{ b }}"\n[segments]\na = { value = "x", max_width = 4 }\nb = "x"\n'
    payload = {"x": "abcdefghijkl"}
    assert drawn(theme, payload, COLUMNS="14") == "abc… abcd…"
    assert drawn('icons = "ascii"\n' + theme, payload, COLUMNS="14") == "abc~ abcd~"
    assert drawn('cut = ">"\n' + theme, payload, COLUMNS="14") == "abc> abcd>"


def test_all_expressions_of_a_render_share_their_fuel() -> None:
    """What one expression may cost is not there anew for each of a hundred: the later ones are left out."""
    costly = "@ | [@,@,@,@,@,@,@,@] | [@,@,@,@,@,@,@,@][] | map(&[a,a,a,a,a,a,a,a], @) | length(@)"
    names = [f"s{number}" for number in range(150)]
    segments = "".join(f'{name} = "{costly}"\n' for name in names)
    theme = "template = '{{ " + " ~ ".join(f"{name}.visible" for name in names) + " }}'\n[segments]\n" + segments
    line = drawn(theme, {"a": 1}).split("\n")[0]
    assert line.startswith("truetrue") and line.endswith("falsefalse")


def test_a_format_that_is_never_done_is_left_out_alone() -> None:
    """Steps and characters that one segment wastes are not those of the others, nor of the layout."""
    endless = "{% for i in value | list %}" * 3 + "{% endfor %}" * 3
    flood = "{% for i in value | list %}" * 2 + "{{ value }}" + "{% endfor %}" * 2
    for waste in (endless, flood):
        theme = f"""
template = "{{{{ row(a, b, c, d) }}}}"
[segments]
a = {{ value = "name", format = "{waste}" }}
b = {{ value = "name", format = "{waste}" }}
c = {{ value = "name", format = "<{{{{ value }}}}>" }}
d = "model.id"
"""
        assert "<xxxxxxxxx" in (text := screen.plain(drawn(theme, {"name": "x" * 99, "model": {"id": "m"}})))
        assert text.splitlines()[0].endswith(">  m") and "run: ohud check" in text.splitlines()[1]
