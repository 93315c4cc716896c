"""Templates: what compiles and what is said of the rest, what a program gives, and what stops it."""

import json
from typing import Any

import pytest

from ohud.errors import Flaw
from ohud.run.fault import Fault, Spent
from ohud.run.fit import fit
from ohud.run.style import Sheet
from ohud.run.template import Context, render
from ohud.run.value import Segment, printed
from ohud.theme.icons import FORMS, ICONS, glyph
from ohud.theme.reference import render_template, search
from ohud.theme.templates import compile_template

PALETTE = {"accent": "#87d7ff"}
VALUES: dict[str, Any] = {
    "model": "Opus 4.6",
    "pct": 42,
    "cost": 1.5,
    "items": ["a", "b"],
    "d": {"k": 1, "name": "n"},
    "yes": True,
    "no": False,
    "gone": None,
}


def segment(name: str) -> Segment:
    value = VALUES[name]
    text = printed(value)
    return Segment(value, value is not None, text, text)


def context(sheet: Sheet | None = None, fuel: int = 20_000) -> Context:
    return Context(sheet or Sheet(0, PALETTE), 1.79e9, "/home/dev", {"columns": 80}, PALETTE, segment, fuel=fuel)


def flaws(text: str, **options: Any) -> tuple[Flaw, ...]:
    return compile_template(text, VALUES, palette=PALETTE, **options).flaws


def rendered(text: str, mine: Context | None = None, **values: Any) -> str:
    template = compile_template(text, VALUES, palette=PALETTE, values=values)
    assert template.ir is not None, template.flaws
    mine = mine or context()
    scope = {"palette": mine.palette, "terminal": mine.terminal, **values}
    return render(json.loads(json.dumps(template.ir)), scope, mine)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ model }} {{ pct }}", "Opus 4.6 42"),
        ("{{ yes }}{{ no }}{{ none }}{{ items }}{{ d }}{{ 1.0 }}", "truefalse1.0"),
        ("{{ true ~ none ~ 1.5 ~ items ~ no }}", "true1.5false"),
        ("{{ d.k + 1 }}{{ d['name'] }}{{ items[1] }}{{ model[:4] }}", "2nbOpus"),
        ("{{ d.items }}{{ model.upper }}{{ pct.real }}", ""),
        ("{{ pct.value * 2 }}{{ pct.visible }}{{ pct.text }}{{ gone.visible }}", "84true42false"),
        ("{% if no %}a{% elif gone %}b{% else %}c{% endif %}", "c"),
        ("{% if pct > 40 and 'p' in model %}x{% endif %}", "x"),
        ("{% for x in items %}{{ loop.index }}{{ x }}{{ ',' if not loop.last }}{% endfor %}", "1a,2b"),
        ("{% for x in items if x != 'a' %}{{ loop.length }}{{ x }}{% endfor %}", "1b"),
        ("{% for x in gone %}{{ x }}{% else %}none{% endfor %}", "none"),
        ("{% for k, v in d | dictsort %}{{ k }}={{ v }};{% endfor %}", "k=1;name=n;"),
        ("{% set x = 1 %}{% for y in items %}{% set x = 2 %}{% endfor %}{{ x }}", "1"),
        ("{% set x %}[{{ model }}]{% endset %}{{ x | upper }}", "[OPUS 4.6]"),
        ("{% set x | upper %}{{ model }}{% endset %}{{ x }}", "OPUS 4.6"),
        ("{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}", "3"),
        ("{% macro m(a, b='-') %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }}{{ m(1, 2) }}{{ m(b=3, a=4) }}", "1-1243"),
        ("{{ 1 < 2 <= 2 }}{{ 1 < 2 > 5 }}{{ 7 // 2 }}{{ 7 / 2 }}{{ -7 % 3 }}", "truefalse33.52"),
        ("{{ 'a' if yes }}{{ 'b' if no }}", "a"),
        ("{# note #}{% raw %}{{ x }}{% endraw %}", "{{ x }}"),
        ("a  {%- if yes -%}  b  {%- endif -%}  c", "abc"),
        ("{{ gone | default('-') }}{{ d.none | default('+') }}{{ pct | default('x') }}", "-+42"),
        ("{{ gone | upper }}{{ gone.value | round }}{{ d.x.y | bar(10) }}{{ none | length }}", ""),
        ("{{ items | reverse | join }}{{ model | reverse }}", "baOpus 4.6"),
        ("{{ pct is even }}{{ pct is divisibleby 5 }}{{ gone.value is none }}", "truefalsetrue"),
        ("{{ nope is defined }}{{ nope.x is undefined }}", "falsetrue"),
        ("{{ 'it is %d of %s' | format(pct, model) }}", "it is 42 of Opus 4.6"),
        ("{{ palette.accent }} {{ terminal.columns }}", "#87d7ff 80"),
        ("one\ttab\r\ntwo", "one tab\ntwo"),
    ],
)  # fmt: skip
def test_templates_mean_what_jinja2_means(text: str, expected: str) -> None:
    """The text, and the same text from the reference renderer."""
    mine = context()
    template = compile_template(text, VALUES, palette=PALETTE)
    assert template.ir is not None
    assert render(template.ir, {"palette": PALETTE, "terminal": mine.terminal}, mine) == expected
    assert mine.faults == []
    assert render_template(text, {name: segment(name) for name in VALUES}, context()) == expected


@pytest.mark.parametrize(
    ("text", "found", "message", "help"),
    [
        ("{{ model.upper() }}", "upper", "methods of values are not in the template language", "use `model | upper`"),
        ("{{ d.items() }}", "items", "methods", "use `d | dictsort` or `d | items`"),
        ("{{ pct ** 2 }}", "**", "`**` is not in the template language", "multiply"),
        ("{{ pct | percnt }}", "percnt", "unknown filter `percnt`", "did you mean `percent`?"),
        ("{{ pct is evn }}", "evn", "unknown test `evn`", "did you mean `even`?"),
        ("{{ model | e }}", "e", "filter `e` is not in the template language", "leave it out, nothing here is HTML"),
        ("{{ model | red }}", "red", "unknown filter `red`", 'use `fg("red")`'),
        ("{% include 'x' %}", "include", "`include` is not in the template language", None),
        ("{% set x = 1 %}{% do x %}", "do", "`do` is not in the template language", "use {% set %}"),
        ("{% for x in items recursive %}{% endfor %}", "recursive", "`recursive` is not", None),
        ("{% for x in items %}{{ loop.cycle(1, 2) }}{% endfor %}", "cycle", "`loop.cycle()`", "use `loop.index0 % 2`"),
        ("{% for x in items %}{{ loop.idx }}{% endfor %}", "idx", "a loop has no `idx`", "did you mean `index`?"),
        ("{{ range(3) }}", "range", "there is no function or macro `range`", "loop over a list: `[1, 2, 3]`"),
        ("{{ model() }}", "model", "there is no function or macro", "`model` is a segment: write it without `()`"),
        ("{{ model._x }}", "_x", "names that begin with `_` are not", None),
        ("{{ '%r' | format(1) }}", "format", "`format`: after `%` one of", None),
        ("{{ model | format(1) }}", "format", "`format`: the format must be a literal text", None),
        ("{{ '%d' % 3 }}", "%", "`%` takes numbers", "use the filter: `'...' | format(...)`"),
        ("{{ items | sum(attribute='x') }}", "attribute", "the argument `attribute` is not", None),
        ("{{ 'abc }}", "'", "a text is not closed", None),
        ("{% for x in items %}", "for", "`for` is not closed", "write {% endfor %}"),
        ("{% fro x in items %}", "fro", "unknown tag `fro`", "did you mean `for`?"),
        ("{% endfor %}", "endfor", "`endfor` has nothing that it belongs to here", None),
        ("a\u202eb", "\u202e", "the invisible character U+202E is not allowed in a template", None),
        ("{% set d.k = 1 %}", "d.", "only a name can be set", None),
    ],
)
def test_what_is_refused_is_said_with_its_place(text: str, found: str, message: str, help: str | None) -> None:
    """Each flaw is fatal, marks the word at fault, and names the filter that does the job where there is one."""
    flaw = flaws(text)[0]
    assert flaw.weight == "fatal"
    assert message in flaw.message
    assert text[flaw.start : flaw.start + flaw.length] == found
    if help is not None:
        assert flaw.help == help
    assert compile_template(text, VALUES).ir is None


@pytest.mark.parametrize(
    ("text", "found", "message", "shown"),
    [
        ("a{{ modle }}b", "modle", "unknown name `modle`", "ab"),
        ("a{{ pct | bar(1, 2, 3, 4) }}b", "bar", "filter `bar`: too many positional arguments", "ab"),
        ("a{{ pct | percent(digit=1) }}b", "percent", "unexpected keyword argument `digit`", "ab"),
        ("a{{ model | fg('nope') }}b", "fg", "unknown colour `nope`", "aOpus 4.6b"),
        ("a{{ model | style('bold fg:nope') }}b", "style", "unknown colour `nope`", "aOpus 4.6b"),
        ("a{{ pct | gradient('red', 'nope') }}b", "gradient", "unknown colour `nope`", "a42b"),
        ("a{{ icon('brnch') }}b", "brnch", "unknown icon `brnch`", "ab"),
        ("a{{ row(model, spe='') }}b", "spe", "`row` takes no `spe`", "ab"),
        ("a{% macro m(x) %}{{ x }}{% endmacro %}{{ m(1, 2) }}b", "m", "macro `m` takes at most 1 argument", "ab"),
    ],
)
def test_a_flaw_in_one_place_leaves_the_rest(text: str, found: str, message: str, shown: str) -> None:
    """What is wrong in one statement is reported and prints nothing, or prints plain."""
    (flaw,) = flaws(text)
    assert flaw.weight == "part"
    assert message in flaw.message
    assert text[flaw.start : flaw.start + flaw.length] == found
    assert rendered(text) == shown


def test_all_flaws_are_found_at_once() -> None:
    """In the order of the text, each at its own place even where the same word is wrong twice."""
    text = "{{ x.y }}\n{{ x }}{{ x }} {{ pct | foo }}"
    found = [(flaw.line, flaw.start) for flaw in flaws(text)]
    assert found == [(1, 3), (2, 13), (2, 20), (2, text.index("foo"))]


def test_a_name_that_may_be_missing_is_no_flaw() -> None:
    """`default` and `is defined` are how a template speaks of what the theme may not have."""
    assert flaws("{{ nope | default('-') }}{{ nope.x | d }}{% if nope is defined %}{% endif %}") == ()
    assert len(flaws("{{ nope }}{{ nope | default('-') }}{{ nope | upper | d }}")) == 2


def test_a_line_alone_is_given_where_the_place_is_not_known() -> None:
    """jinja2's parser gives a line only; no column is made up."""
    (flaw,) = flaws("a\n{{ 1 + }}")
    assert (flaw.line, flaw.start) == (2, -1)
    (flaw,) = flaws("{% if yes %}{% if no %}")
    assert flaw.start == -1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x" * 32_769, "longer than 32768 characters"),
        ("{{ model }}" * 2001, "more than 2000 parts"),
        ("{{ " + "-" * 50 + "1 }}", "nested more than 40 deep"),
        ("{{ " + "(" * 900 + "1" + ")" * 900 + " }}", "too deep"),
        ("{{ 10000000000000000 }}", "beyond 10^15"),
        ("{{ 1e999 }}", "not finite"),
        ("{{ " + "9" * 5000 + " }}", "cannot be read"),
        ("{{ [" + "1," * 257 + "] }}", "more than 256 items"),
        ("{% for a in items %}" * 4 + "{% endfor %}" * 4, "loops are nested more than 3 deep"),
        ("{{ '\\x1b' }}", "invisible character U+001B"),
        ("{{ ﬁle }}", "is not ASCII"),
    ],
)
def test_limits_are_held_when_compiling(text: str, message: str) -> None:
    """What is too large or too deep is refused with its reason."""
    assert any(message in flaw.message and flaw.weight == "fatal" for flaw in flaws(text)), flaws(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a{{ 1 + 'x' }}b", "ab"),
        ("a{{ 1 / 0 }}b", "ab"),
        ("a{% if 1 + 'x' %}x{% else %}y{% endif %}b", "ayb"),
        ("a{% for x in 5 %}x{% endfor %}b", "ab"),
        ("a{% set x = 1 / 0 %}{{ x }}b", "ab"),
        ("a{% with x = 1 / 0 %}{{ x }}c{% endwith %}b", "acb"),
        ("a{{ 'x' * 9000 }}b", "ab"),
        ("a{{ [0] * 100000 }}b", "ab"),
        ("a{{ 1000000000000000 * 1000000000000000 }}b", "ab"),
        ("a{{ 'x' | center(5000) }}b", "ab"),
        ("{% macro m(n) %}{{ n }}{{ m(n + 1) }}{% endmacro %}a{{ m(1) }}b", "a12345678910111213141516b"),
        ("a{{ m() }}b{% macro m() %}{% endmacro %}", "ab"),
    ],
)
def test_a_fault_leaves_out_its_statement_alone(text: str, expected: str) -> None:
    """The reason is kept, the rest is drawn."""
    mine = context()
    assert rendered(text, mine) == expected
    assert len(mine.faults) == 1


def test_what_burns_fuel_or_writes_too_much_ends_the_render() -> None:
    """Spent, not a fault: there is no use in going on."""
    loops = "{% for a in L %}{% for b in L %}{% for c in L %}{% endfor %}{% endfor %}{% endfor %}"
    with pytest.raises(Spent):
        rendered(loops.replace("L", "[" + "1," * 50 + "]"))
    with pytest.raises(Spent):
        rendered("{% set x = 'x' * 8000 %}{{ x }}{{ x }}{{ x }}")
    with pytest.raises(Spent):
        rendered("{{ pct }}{{ pct }}", context(fuel=1))


def test_the_program_names_the_segments_that_it_can_read() -> None:
    """And no others: those alone are computed."""
    template = compile_template("{% if no %}{{ model }}{% endif %}{% set pct = 1 %}{{ pct }}", VALUES)
    assert template.used == {"no", "model"}
    assert compile_template("{{ value }}", ["value", "a"], values=["value"]).used == set()


def test_a_segment_that_raises_is_a_fault_of_its_statement() -> None:
    """Segments are made when they are first asked for."""

    def failing(name: str) -> Segment:
        raise Fault("no luck")

    mine = context()
    mine.segment = failing
    assert rendered("a{{ model }}b", mine) == "ab"
    assert mine.faults == ["no luck"]


def test_rows_take_segments_with_their_priority_and_texts() -> None:
    """Hidden segments vanish with their separator."""
    sheet = Sheet(0, PALETTE)
    marked = rendered("{{ row(model, gone, 'text', pct, sep=' | ') }}{{ fill() }}x", context(sheet))
    assert fit(marked, sheet, 40, 1) == ["Opus 4.6 | text | 42" + " " * 19 + "x"]


def test_powerline_takes_the_plain_text_and_the_style_of_segments() -> None:
    """The block carries the style, not the text in it."""
    sheet = Sheet(24, PALETTE)
    marked = rendered("{{ powerline(model, pct, sep='>') }}", context(sheet))
    assert sheet.rows and marked


SHAPES = {"arrow", "arrow_left", "pill_left", "pill_right", "slant", "slant_left"}


def test_icons_are_folded_in_the_form_that_the_config_picks() -> None:
    """Each has all three forms, and the plain one is ASCII."""
    for form in FORMS:
        template = compile_template("{{ icon('branch') }}", [], icons=form)
        assert template.ir == [0, [], [glyph("branch", form)]]
    for name, forms in ICONS.items():
        assert len(forms) == 3 and forms[0] and forms[2] and forms[2].isascii()
        # an arrow has no emoji: the blocks touch
        assert forms[1] or name in SHAPES
    assert glyph("nope", "emoji") is None


def test_a_program_that_is_no_program_is_spent() -> None:
    """What a damaged cache may hold."""
    for ir in ([], None, [1], {"a": 1}, ["x", [], []], [0, [], 5]):
        with pytest.raises(Spent):
            render(ir, {}, context())


def test_the_reference_searches_with_jmespath_itself() -> None:
    """The other half of what a theme means."""
    assert search("a.b[0]", {"a": {"b": [7]}}) == 7


def test_what_options_decide_is_not_compiled() -> None:
    """Comparisons, `and`, `or` and `not` of options are settled by the compiler."""
    options = {"age": "c", "on": True, "off": False}
    text = (
        "{% if options.age == 'd' %}{{ a }}{% elif options.age != 'c' or options.off %}{{ b }}{% else %}c{% endif %}"
        "{{ d if options.on and not options.off }}{{ e if options.off and f }}{% if options.on or g %}h{% endif %}"
    )
    found = compile_template(text, list("abdefg"), options=options)
    assert found.flaws == ()
    assert found.used == {"d"}


def test_plain_glyphs_stand_in_where_the_config_wants_ascii() -> None:
    """Filters that draw do it in ASCII unless the template says how, here and in the reference."""
    text = "{{ pct | bar(4) }} {{ pct | bar(4, '=') }} {{ pct | blocks }} {{ [1, 5, 9] | spark }}"
    text += " {{ model | ellipsis(5) }} {{ '/srv/a/b/c/d/e' | short_path(8) }} {{ pct | blocks('ab') }}"
    text += " {{ model | ellipsis(width=5, mark='>') }}"
    segments = {name: segment(name) for name in VALUES}
    plain = "#... =... = .+@ Opus~ /../d/e a Opus>"
    for icons, expected in (("ascii", plain), ("nerd", "█▋░░ =░░░ ▄ ▂▅█ Opus… /…/c/d/e a Opus>")):
        template = compile_template(text, VALUES, icons=icons)
        assert template.flaws == () and template.ir is not None
        assert render(template.ir, {}, context()) == expected
        assert render_template(text, segments, context(), {}, icons) == expected


def test_paths_as_fish_shortens_them() -> None:
    """Folders above the last are their first letters, after a dot two, whatever the room."""
    assert rendered("{{ '/home/dev/code/.cache/fix-it' | short_path(40, letters=true) }}") == "~/c/.c/fix-it"
    assert rendered("{{ '/srv//data/x' | short_path(letters=true) }}") == "/s/d/x"
    assert rendered("{{ 'x' | short_path(letters=true) }}") == "x"


def test_ascii() -> None:
    """What is not ASCII is a question mark, styles around it stay."""
    assert rendered("{{ 'h\u00e9 \u754c' | ascii }}|{{ 'plain' | ascii }}") == "h? ?|plain"
    mine = context(Sheet(24, PALETTE))
    assert rendered("{{ 'é' | bold | ascii }}", mine) == rendered("{{ '?' | bold }}", mine)


@pytest.mark.parametrize("call", ["blocks('x')", "blocks('')", "ellipsis(3, '..')", "ellipsis(3, '')"])
def test_wrong_glyphs_are_faults(call: str) -> None:
    """Too few glyphs, or a mark that is not one character, leave the output out."""
    assert rendered("a{{ pct | " + call + " }}b") == "ab"


@pytest.mark.parametrize("wrap", ["0", "11", "'many'", "none"])
def test_wrap_is_checked_when_compiled(wrap: str) -> None:
    """A number of lines that no row can have is named, at its place."""
    (flaw,) = compile_template("{{ row('a', wrap=" + wrap + ") }}", []).flaws
    assert flaw.message == "`wrap` is a number of lines from 1 to 10" and flaw.weight == "part"


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("{{ a && b }}", "write `and`"),
        ("{{ a || b }}", "write `or`"),
        ("{{ a ? 1 : 2 }}", "write `a if condition else b`"),
        ("{{ $a }}", "a name stands alone"),
        ("{{ !a }}", "write `not`, or `!=` to compare"),
        ("{% if a = 1 %}{% endif %}", "values are compared with `==`"),
        ("{% if a %}{% else if b %}{% endif %}", "write `elif`"),
        ("{% if a %}{% elseif b %}{% endif %}", "did you mean `elif`?"),
        ("{{ a | fg(red) }}", "a colour is a text: `'red'`"),
        ("{{ null }}", "write `none`"),
        ("{{ computed.model.name }}", "make a segment of it and write the segment's name"),
        ("{{ loop.index }}", "it is known inside `for` only"),
    ],
)
def test_what_other_languages_write_leads_to_what_is_written_here(text: str, help: str) -> None:
    """The hint names the way this language has for it."""
    assert [flaw.help for flaw in compile_template(text, ["a", "b"]).flaws][:1] == [help]


def test_segments_in_lists_are_ordered_by_their_values_from_either_side() -> None:
    """A text before a segment compares as the segment before a text does."""
    low, high = [Segment("a", True, "a", "a")], [Segment("b", True, "b", "b")]
    texts: list[list[Any]] = [["a"], ["b"]]
    assert [[text >= other, text <= other] for text in texts for other in (low, high)] == [
        [True, True],
        [False, True],
        [True, False],
        [True, True],
    ]


def test_after_many_mistakes_the_rest_is_not_looked_at() -> None:
    """The first thirty are named, and the end says that there are more."""
    flaws = compile_template("{{ q }}" * 100, []).flaws
    assert len(flaws) == 31 and {flaw.message for flaw in flaws[:30]} == {"unknown name `q`"}
    assert [flaw.start for flaw in flaws[:3]] == [3, 10, 17]
    assert flaws[-1].message == "there are more mistakes than are looked at" and flaws[-1].weight == "fatal"
