"""What templates mean: the interpreter writes what jinja2 writes, on templates made up from the language's grammar."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ohud.run.fault import Spent
from ohud.run.style import Sheet
from ohud.run.template import Context, render
from ohud.run.value import Segment, printed
from ohud.theme.reference import render_template
from ohud.theme.templates import compile_template

PALETTE = {"accent": "#87d7ff", "warn": "yellow"}
TEMPLATES = 2000
FIXED = 200
Pick = Callable[[int], int]

TEXTS = (
    "",
    "a",
    "Opus 4.6",
    "feature/x y",
    "ÄÖ straße",
    "  two  words ",
    "a-b (c) [d] <e>",
    "日本語",
    "👍🏽 ok",
    "x" * 30,
    "42",
    "3.7",
)
NUMBERS = ("0", "1", "2", "3", "7", "42", "100", "1.5", "0.1", "2.25", "51234", "1e3", "99.95")
DATA = ("", "x", " ", "\n", " a b ", "\n  ", "│", "{ ", "}}", "%}", "#", "\n\n", "  end\n")


class Grammar:
    """Templates from a source of choices; `pick(n)` gives 0..n-1 and small means simple."""

    def __init__(self, pick: Pick) -> None:
        self.pick = pick
        self.loops = 0
        self.depth = 0
        self.budget = 60
        self.names: dict[str, list[str]] = {
            "text": ["model", "model.value", "d.name", "value", "palette.accent"],
            "number": ["pct", "cost", "pct.value", "d.k", "d['n'].x", "terminal.columns"],
            "list": ["items", "items.value", "nums", "nums.value", "rows[0]"],
            "bool": ["flag", "flag.value", "no", "pct.visible", "gone.visible", "off.visible"],
            "any": ["gone", "gone.value", "off", "off.value", "d.nothing", "d.k.z.y", "unset", "d", "rows", "none"],
        }
        self.macros: dict[str, int] = {}

    def one(self, *choices: Any) -> Any:
        return choices[self.pick(len(choices))]

    def template(self) -> str:
        return self.body(4)

    # Statements

    def body(self, most: int) -> str:
        return "".join(self.statement() for _ in range(1 + self.pick(most)))

    def statement(self) -> str:
        self.budget -= 1
        if self.depth > 3 or self.budget < 0:
            return self.output()
        self.depth += 1
        try:
            return self.one(
                self.data, self.output, self.output, self.set, self.if_, self.for_, self.output, self.for_,
                self.block_set, self.with_, self.macro, self.call, self.set, self.comment, self.set_pair,
            )()  # fmt: skip
        finally:
            self.depth -= 1

    def tag(self, text: str) -> str:
        return self.one("{%", "{%-", "{%+") + " " + text + " " + self.one("%}", "-%}")

    def data(self) -> str:
        return self.one(*DATA)

    def comment(self) -> str:
        return self.one(
            "{# note {{ x }} #}",
            "{#- note -#}",
            "{% raw %}{{ x }} {% if %}{% endraw %}",
            "{%- raw -%} x {%- endraw -%}",
        )

    def output(self) -> str:
        return self.one("{{", "{{-") + " " + self.value() + " " + self.one("}}", "-}}")

    def variable(self, kind: str) -> str:
        if self.pick(6) == 5:
            # over a segment's name
            return {"text": "model", "number": "pct", "list": "nums", "bool": "flag", "any": "gone"}[kind]
        name = {"text": "t", "number": "n", "list": "l", "bool": "b", "any": "u"}[kind] + self.one("1", "2")
        return str(name)

    def known(self, kind: str, name: str) -> None:
        if name not in self.names[kind]:
            self.names[kind].append(name)

    def set(self) -> str:
        kind = self.one("number", "text", "list", "bool", "any")
        name = self.variable(kind)
        text = self.tag(f"set {name} = {self.of(kind)}")
        self.known(kind, name)
        return text

    def set_pair(self) -> str:
        text = self.tag(f"set n1, t1 = {self.number()}, {self.text()}")
        self.known("number", "n1")
        self.known("text", "t1")
        return text

    def block_set(self) -> str:
        name = self.variable("text")
        chain = self.one("", " | upper", " | trim | title", " | replace('a', 'b')", " | length")
        text = self.tag(f"set {name}{chain}") + self.body(2) + self.tag("endset")
        self.known("text", name)
        return text

    def with_(self) -> str:
        kind = self.one("number", "text", "list", "any")
        name = self.variable(kind)
        other = self.variable("number")
        head = self.tag(
            f"with {name} = {self.of(kind)}, {other} = {self.number()}"
            if self.pick(2)
            else f"with {name} = {self.of(kind)}"
        )
        before = {key: list(names) for key, names in self.names.items()}
        self.known(kind, name)
        text = head + self.body(3) + self.tag("endwith")
        if self.pick(2):
            self.names = before
        return text

    def if_(self) -> str:
        text = self.tag(f"if {self.test()}") + self.body(2)
        for _ in range(self.pick(3)):
            text += self.tag(f"elif {self.test()}") + self.body(1)
        if self.pick(2):
            text += self.tag("else") + self.body(2)
        return text + self.tag("endif")

    def for_(self) -> str:
        if self.loops >= 2:
            return self.output()
        before = {key: list(names) for key, names in self.names.items()}
        form = self.pick(6)
        if form < 3:
            target, source, kind = self.variable("number"), self.numbers(), "number"
        elif form < 5:
            target, source, kind = self.variable("text"), self.texts(), "text"
        else:
            target, source, kind = "t1, u1", "d | dictsort", "text"
        self.loops += 1
        self.known(kind, target.split(",")[0])
        if self.pick(3) == 0:
            source += " if " + self.test(looping=False)
        self.names["number"] += ["loop.index", "loop.revindex0", "loop.length", "loop.index0", "loop.revindex"]
        self.names["bool"] += ["loop.first", "loop.last"]
        self.names["any"] += ["loop.previtem", "loop.nextitem"]
        text = self.tag(f"for {target} in {source}") + self.body(3)
        self.loops -= 1
        if self.pick(2):
            self.names = before
            for kind in self.names:
                self.names[kind] = [name for name in self.names[kind] if not name.startswith("loop")]
        else:
            for kind in self.names:
                self.names[kind] = [name for name in self.names[kind] if self.loops or not name.startswith("loop")]
        if self.pick(3) == 0:
            text += self.tag("else") + self.body(1)
        return text + self.tag("endfor")

    def macro(self) -> str:
        name = self.one("m1", "m2", "m3")
        form = self.pick(4)
        before = {key: list(names) for key, names in self.names.items()}
        loops, self.loops = self.loops, 0
        head = ("n1", "n1, t1=" + self.text(), "n1=1, n2=n1", "n1, n2=n1 + 1, t2='z' ~ n2")[form]
        self.known("number", "n1")
        text = self.tag(f"macro {name}({head})") + self.body(3) + self.tag("endmacro")
        self.names, self.loops = before, loops
        self.macros[name] = form
        return text

    def call(self) -> str:
        return "{{ " + self.calling() + " }}"

    def calling(self) -> str:
        if not self.macros:
            return self.value()
        name = self.one(*sorted(self.macros))
        first = self.number()
        more = {
            0: ("",),
            1: ("", ", " + self.text(), ", t1=" + self.text()),
            2: ("", ", " + self.number(), ", n2=" + self.number()),
            3: ("", ", " + self.number(), ", t2=" + self.text()),
        }[self.macros[name]]
        return f"{name}({first}{self.one(*more)})"

    # Expressions

    def of(self, kind: str) -> str:
        if kind == "any":
            return self.any()
        return {"number": self.number, "text": self.text, "list": self.list, "bool": self.test}[kind]()  # type: ignore[no-any-return]

    def value(self) -> str:
        return self.of(self.one("text", "number", "text", "any", "bool", "list"))

    def any(self) -> str:
        text = self.one(*self.names["any"])
        more = self.one(
            "", "", " | default('-')", " | default(" + self.number() + ", true)", " | d", ".x", "['y']", " | length", " | upper",
            " | percent", " | round", " | bar(5)", " | truncate(3)", " | first", " | string", " ~ ''",
        )  # fmt: skip
        if self.pick(5) == 0:
            return f"({self.of(self.one('text', 'number'))} if {self.test()})"
        return f"({text}{more})" if more else str(text)

    def deeper(self, simple: Callable[[], str], *others: Callable[[], str]) -> str:
        self.budget -= 1
        if self.depth > 5 or self.budget < 0:
            return simple()
        self.depth += 1
        try:
            return str(self.one(simple, *others)())
        finally:
            self.depth -= 1

    def atom(self, kind: str) -> str:
        return str(self.one(*self.names[kind]))

    def number(self) -> str:
        number = self.number
        return self.deeper(
            lambda: self.one(*NUMBERS),
            lambda: self.atom("number"),
            lambda: f"({number()} {self.one('+', '-', '*')} {number()})",
            lambda: f"({number()} {self.one('/', '//', '%')} {self.one('2', '7', '1.5', '0', 'pct')})",
            lambda: f"-{self.atom('number')}",
            lambda: f"+{self.one(*NUMBERS)}",
            lambda: f"({number()} | round{self.one('', '(1)', '(0)', '(-1)', '(1, `ceil`)', '(2, method=`floor`)')})".replace("`", "'"),
            lambda: f"({number()} | {self.one('abs', 'int', 'float')})",
            lambda: f"({self.text()} | {self.one('length', 'wordcount', 'count', 'int', 'float', 'int(7)', 'int(1, 16)', 'float(2.5)', 'cells')})",
            lambda: f"({self.list()} | {self.one('length', 'count')})",
            lambda: f"({self.numbers()} | {self.one('sum', 'max', 'min', 'sum(start=5)', 'first', 'last')})",
            lambda: f"{self.numbers()}[{self.one('0', '1', '-1', '5')}]",
            lambda: f"({number()} if {self.test()} else {number()})",
            lambda: f"({self.one('true', 'false')} + {number()})",
        )  # fmt: skip

    def quoted(self) -> str:
        return "'" + self.one(*TEXTS) + "'"

    def text(self) -> str:
        text, number = self.text, self.number
        return self.deeper(
            self.quoted,
            lambda: self.atom("text"),
            lambda: f"({text()} ~ {self.value()})",
            lambda: f"({text()} ~ {number()} ~ {self.test()} ~ {self.list()})",
            lambda: f"({self.quoted()} + {self.quoted()})",
            lambda: f"({self.quoted()} * {self.one('0', '2', '3', '-1')})",
            lambda: f"({text()} | {self.one('upper', 'lower', 'title', 'capitalize', 'trim', 'string', 'wordcount', 'reverse')})",
            lambda: f"({text()} | trim({self.one(chr(39) + 'ax ' + chr(39), 'none')}))",
            lambda: f"({text()} | replace({self.quoted()}, {self.quoted()}{self.one('', ', 1', ', 0', ', count=2')}))",
            lambda: f"({text()} | truncate({self.one('5', '9, true', '12, end=`…`', '4, true, `..`, 0', '7, leeway=1', 'length=20', '2')}))".replace("`", "'"),
            lambda: f"({text()} | center({self.one('5', '12', '0')}))",
            lambda: f"({text()} | default({self.quoted()}{self.one('', ', true')}))",
            lambda: f"({self.list()} | join({self.one('', ', ', '1')!r}))",
            lambda: f"({self.texts()} | join{self.one('', '(d=`+`)', '(pct)')})".replace("`", "'"),
            lambda: f"('{self.one('%d', '%.1f', '%5s|', '%-4d', '%05.2f', '%e', '%s%%', '%+i', '% g')}' | format({number()}))",
            lambda: f"('%s is %s' | format({self.value()}, {self.value()}))",
            lambda: f"({text()})[{self.one('0', '-1', '3', ':2', '1:', '::-1', '::2', '-3:-1', '5')}]",
            lambda: f"({text()} if {self.test()} else {text()})",
            lambda: f"({text()} {self.one('and', 'or')} {text()})",
            lambda: f"({number()} | {self.one('string', 'upper', 'money', 'tokens', 'percent', 'percent(1)', 'bytes', 'duration', 'countdown', 'bar(6)', 'bar(4, `#`, `-`)', 'blocks', 'clock', 'ago')})".replace("`", "'"),
            lambda: f"({text()} | {self.one('bold', 'fg(`red`)', 'fg(`accent`)', 'bg(240)', 'style(`bold fg:warn`)', 'dim', 'link(`https://x.y/z`)')})".replace("`", "'"),
            lambda: f"({number()} | {self.one('heat', 'gradient(`red`, `blue`)', 'heat(at=50)', 'gradient(`green`, 200, at=n1)')})".replace("`", "'"),
            lambda: f"({text()} | {self.one('pad(8)', 'pad(9, `right`)', 'pad(7, align=`center`)', 'ellipsis(4)', 'basename', 'short_path')})".replace("`", "'"),
            lambda: f"({self.numbers()} | spark)",
            lambda: f"row({self.one('model', 'pct', 'off')}, {self.one('gone', 'cost', text())}, sep={self.quoted()})",
            lambda: f"icon('{self.one('branch', 'model')}')",
            lambda: self.calling(),
        )  # fmt: skip

    def numbers(self) -> str:
        return str(
            self.one(
                lambda: "[" + ", ".join(self.number() for _ in range(self.pick(4))) + "]",
                lambda: self.one("nums", "nums.value", "[3, 1, 2]", "(1, 2)", "[]", "[pct, cost]", "l1"),
                lambda: (
                    f"({self.numbers()} | {self.one('sort', 'reverse', 'unique', 'list', 'sort(reverse=true)', 'sort(true)')})"
                ),
                lambda: f"({self.one('nums.value', '[4, 5]')} + [{self.number()}])",
                lambda: f"({self.numbers()})[{self.one(':2', '1:', '::-1')}]",
            )()
        )

    def texts(self) -> str:
        return str(
            self.one(
                lambda: "[" + ", ".join(self.text() for _ in range(self.pick(4))) + "]",
                lambda: self.one("items", "items.value", "['b', 'B', 'a']", "d", "'abc'", "model", "[model, pct]"),
                lambda: (
                    f"({self.one('items', quoted_list())} | {self.one('sort', 'reverse', 'unique', 'list', 'sort(case_sensitive=true)', 'unique(true)')})"
                ),
            )()
        )

    def list(self) -> str:
        return self.deeper(
            lambda: self.atom("list"),
            self.numbers,
            self.texts,
            lambda: (
                f"(d | {self.one('dictsort', 'items', 'list', 'dictsort(false, `value`)', 'dictsort(reverse=true)')})".replace(
                    "`", "'"
                )
            ),
            lambda: f"({self.numbers()} | {self.one('batch(2)', 'batch(3, 0)', 'slice(2)', 'slice(3, `-`)')})".replace(
                "`", "'"
            ),
            lambda: f"[{self.list()}, {self.value()}]",
            lambda: "{'a': " + self.value() + ", 'b': " + self.value() + "}",
            lambda: f"({self.number()}, {self.text()})",
        )

    def test(self, looping: bool = True) -> str:
        return f"({self._test(looping)})"

    def _test(self, looping: bool) -> str:
        number, text, test = self.number, self.text, self.test
        return self.deeper(
            lambda: self.atom("bool") if looping else self.one("flag", "pct.visible", "true"),
            lambda: self.one("true", "false", "none", "1", "0", "''", "[]"),
            lambda: f"{number()} {self.one('<', '>', '<=', '>=', '==', '!=')} {number()}",
            lambda: f"{number()} {self.one('<', '<=')} {number()} {self.one('<', '==', '!=')} {number()}",
            lambda: f"{text()} {self.one('==', '!=', '<', 'in', 'not in')} {text()}",
            lambda: f"{text()} {self.one('in', 'not in')} {self.texts()}",
            lambda: f"{number()} {self.one('in', 'not in')} {self.numbers()}",
            lambda: f"{self.list()} {self.one('==', '!=')} {self.list()}",
            lambda: f"not {test()}",
            lambda: f"({test()} {self.one('and', 'or')} {test()})",
            lambda: f"{self.value()} is {self.one('', 'not ')}{self.one('defined', 'undefined', 'none', 'number', 'string', 'mapping', 'sequence', 'iterable', 'integer', 'float', 'boolean', 'true', 'false', 'lower', 'upper')}",
            lambda: f"{self.any()} is {self.one('defined', 'none', 'undefined', 'string', 'sameas(none)', 'mapping', 'sequence')}",
            lambda: f"{number()} is {self.one('even', 'odd', 'divisibleby(3)', 'divisibleby 2', 'eq 42', 'gt(5)', 'lessthan(50)', 'in([1, 42])', 'ne(1)')}",
            lambda: f"{self.value()}",
        )  # fmt: skip


def quoted_list() -> str:
    return "['x', 'X', 'y', 'x']"


def world(pick: Pick) -> dict[str, Segment]:
    """Segments of every kind, some of them hidden, null or formatted."""

    def segment(value: Any, text: str | None = None, visible: bool = True, style: str | None = None) -> Segment:
        text = printed(value) if text is None else text
        return Segment(value, visible and value is not None, text, text, style, 50)

    def one(*choices: Any) -> Any:
        return choices[pick(len(choices))]

    pct = one(42, 0, 100, 99.5, 7)
    return {
        "model": segment(one("Opus 4.6", "日本", "a b-c", "Ünï")),
        "pct": segment(pct, one(None, f"{pct}%")),
        "cost": segment(one(1.2345, 0.0, 12, 0.004)),
        "items": segment(one(["b", "a", "B"], [], ["x"]), ""),
        "nums": segment(one([3, 1.5, 2, 1], [], [7], [1, 1, 2]), one("", "n")),
        "rows": segment([[2, 1], [3], []], ""),
        "d": segment({"k": one(1, 5), "name": one("n", "Zoë"), "n": {"x": 2}, "nothing": None, "B": 0}, ""),
        "flag": segment(True),
        "no": segment(False),
        "gone": segment(None),
        "off": segment(one(3, "hidden"), "", visible=False),
    }


def context(segments: dict[str, Segment]) -> Context:
    return Context(
        sheet=Sheet(24, PALETTE),
        now=1_790_000_000.0,
        home="/home/dev",
        terminal={"columns": 80, "lines": 24, "color": "truecolor"},
        palette=PALETTE,
        segment=segments.__getitem__,
    )


def spelt(text: str, sheet: Sheet) -> str:
    """The text with each marker written out: a loop's filter and its body may number their styles in another order."""

    def name(character: str) -> str:
        at = ord(character)
        if not 0xD800 <= at < 0xDF00 or at == 0xDC00:
            return character
        if at < 0xDC00:
            return f"<{sheet.styles[at - 0xD800]}>"
        if at < 0xDE00:
            return f"<{sheet.links[at - 0xDC01]}>"
        items, separator, caps = sheet.rows[at - 0xDE00]
        return f"<row {[(spelt(item, sheet), rest) for item, *rest in items]} {spelt(separator, sheet)!r} {caps}>"

    return "".join(map(name, text))


def compared(source: str, segments: dict[str, Segment]) -> bool:
    """Renders both ways and compares; whether the reference gave a text at all."""
    template = compile_template(source, segments, palette=PALETTE, values=("value",))
    assert template.ir is not None, (source, template.flaws)
    mine = context(segments)
    values = {"value": "val"}
    scope = {"palette": mine.palette, "terminal": mine.terminal, **values}
    try:
        found = render(json.loads(json.dumps(template.ir)), scope, mine)
    except Spent as spent:
        found = str(spent)
    theirs = context(segments)
    try:
        expected = render_template(source, segments, theirs, values)
    except Exception:
        return False
    found, expected = spelt(found, mine.sheet), spelt(expected, theirs.sheet)
    assert found == expected, f"{found!r} is not {expected!r} for {source!r} ({mine.faults})"
    assert mine.faults == [], f"{mine.faults} for {source!r}"
    return True


def from_bytes(choices: bytes) -> Pick:
    left = iter(choices)
    return lambda size: next(left, 0) % size


@settings(max_examples=TEMPLATES, deadline=None, derandomize=True, database=None)
@given(st.binary(min_size=100, max_size=400), st.binary(max_size=12))
def test_any_template_of_the_grammar_renders_as_jinja2_renders_it(choices: bytes, values: bytes) -> None:
    """Equal text where jinja2 gives one; where it raises, the interpreter still gives a text."""
    compared(Grammar(from_bytes(choices)).template(), world(from_bytes(values)))


def test_most_of_the_grammar_is_comparable() -> None:
    """The comparison would prove little if jinja2 raised on most templates: it gives a text for over half of them."""
    good = 0
    for seed in range(FIXED):
        source = random.Random(seed)
        good += compared(Grammar(source.randrange).template(), world(source.randrange))
    assert good > FIXED / 2, good


@pytest.mark.parametrize("seed", [1])
def test_the_comparison_bites(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one filter changed in the interpreter alone, the comparison fails."""
    from ohud.run import filters

    monkeypatch.setitem(filters.FILTERS, "upper", ("text", lambda text: text.lower()))
    with pytest.raises(AssertionError):
        compared("{{ model | upper }}", world(lambda size: 0))
