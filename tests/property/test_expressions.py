"""Random expressions over random documents mean what jmespath says; any text at all gives an answer."""

import json
import re
from typing import Any

import jmespath
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jmespath.exceptions import JMESPathTypeError
from jmespath.functions import Functions, signature

from ohud.errors import invisible
from ohud.run.expression import _STEPS, evaluate
from ohud.run.fault import Fault
from ohud.run.functions import FUNCTIONS
from ohud.theme.expressions import compile_expression


class Documented(Functions):  # type: ignore[misc]
    """jmespath's functions with the differences that ohud documents."""

    @signature({"types": []})
    def _func_to_number(self, arg: Any) -> Any:
        if isinstance(arg, str) and not re.fullmatch(r"(?a:\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*)", arg, re.I):
            return None
        return super()._func_to_number(arg)

    @signature({"types": ["object"], "variadic": True})
    def _func_merge(self, *arguments: Any) -> Any:
        for argument in arguments:
            if not isinstance(argument, dict):
                raise JMESPathTypeError("merge", argument, "?", ["object"])
        return super()._func_merge(*arguments)


OPTIONS = jmespath.Options(custom_functions=Documented())

NAMES = st.sampled_from(["a", "b", "c", "items", '"d e"', "computed", "git", "branch", "cost", "usd"])
KEYS = NAMES.map(lambda name: name.strip('"'))
WORDS = st.sampled_from(["", "a", "b", "ab", "12", "-1.5", "1e2", "1_0", "inf", "nan", "é", "漢字", "\"'\\", "x" * 20])
NUMBERS = st.integers(-3, 12) | st.sampled_from([0.0, 0.5, -1.5, 2.0, 1e20, 1e-7])
SCALARS = st.none() | st.booleans() | NUMBERS | WORDS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)
RECORDS = st.lists(st.fixed_dictionaries({"a": NUMBERS, "b": WORDS, "c": VALUES}), max_size=5)
FAMILIES = st.dictionaries(KEYS, st.dictionaries(KEYS, VALUES, max_size=4), max_size=4)
DOCUMENTS = st.fixed_dictionaries(
    {
        "a": VALUES,
        "b": st.lists(NUMBERS, max_size=5) | st.lists(WORDS, max_size=5),
        "items": RECORDS,
        "computed": FAMILIES,
    }
)


def raw(text: str) -> str:
    return "'" + text.replace("'", "\\'") + "'"


LITERALS = VALUES.map(lambda value: "`" + json.dumps(value).replace("`", "\\`") + "`") | WORDS.map(raw)
LEAVES = (
    NAMES | NAMES | st.sampled_from(["@", "*", "[0]", "[*]", "[]", "items", "b", "items[*].a", "computed"]) | LITERALS
)


def call(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def arguments(name: str) -> st.SearchStrategy[str]:
        takes = FUNCTIONS[name][1]
        parts = [inner.map(lambda text: "&" + text) if kind == "&" else inner for kind in takes]
        return st.tuples(*parts).map(lambda given: f"{name}({', '.join(given)})")

    return st.sampled_from(sorted(FUNCTIONS)).flatmap(arguments)


def wider(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    bracket = st.sampled_from(["[0]", "[-1]", "[1:]", "[::-1]", "[:2]", "[*]", "[]", ".*", "[5]", "[-2:9:2]"])
    operator = st.sampled_from(["|", "||", "&&", "==", "!=", "<", "<=", ">", ">="])
    return st.one_of(
        st.tuples(inner, NAMES).map(".".join),
        st.tuples(inner, bracket).map("".join),
        st.tuples(inner, bracket, NAMES).map(lambda parts: f"{parts[0]}{parts[1]}.{parts[2]}"),
        st.tuples(inner, operator, inner).map(" ".join),
        st.tuples(inner, inner).map(lambda pair: f"{pair[0]}[?{pair[1]}]"),
        st.tuples(inner, inner).map(lambda pair: f"[{pair[0]}, {pair[1]}]"),
        st.tuples(inner, NAMES, inner).map(lambda parts: f"{{x: {parts[0]}, {parts[1]}: {parts[2]}}}"),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"!{text}"),
        st.tuples(inner, call(inner)).map(" | ".join),
        call(inner),
    )


EXPRESSIONS = st.recursive(LEAVES, wider, max_leaves=8)


def outcome(ir: Any, document: Any) -> Any:
    try:
        return evaluate(ir, document, 50000)
    except Fault:
        return Fault


@given(EXPRESSIONS, DOCUMENTS)
@settings(max_examples=250, deadline=None)
def test_an_expression_means_what_jmespath_says(text: str, document: Any) -> None:
    """Where the parser takes it, so do we; where the search gives a value, ours is the same to the byte."""
    try:
        stock = jmespath.compile(text)
    except ValueError:
        assert compile_expression(text).flaws
        return
    expression = compile_expression(text)
    assume(not any("limit" in flaw.message or "more than" in flaw.message for flaw in expression.flaws))
    assert expression.flaws == [] and expression.ir is not None
    try:
        wanted = stock.search(document, options=OPTIONS)
    except (ValueError, TypeError):
        assert outcome(expression.ir, document) is Fault
        return
    assert json.dumps(outcome(json.loads(json.dumps(expression.ir)), document)) == json.dumps(wanted)


def kept(computed: dict[str, dict[str, Any]], reach: frozenset[tuple[str, str | None]]) -> dict[str, Any]:
    if ("*", None) in reach:
        return computed
    return {
        family: {name: value for name, value in fields.items() if (family, None) in reach or (family, name) in reach}
        for family, fields in computed.items()
        if any(family == reached for reached, _ in reach)
    }


@given(EXPRESSIONS | EXPRESSIONS.map(lambda text: f"computed | {text}"), DOCUMENTS)
@settings(max_examples=250, deadline=None)
def test_what_is_not_reached_cannot_change_the_value(text: str, document: Any) -> None:
    """The value is the same over a document that holds only the families and fields that the compiler reports."""
    expression = compile_expression(text)
    assume(expression.ir is not None)
    less = document | {"computed": kept(document["computed"], expression.reach)}
    assert outcome(expression.ir, less) == outcome(expression.ir, document)


PIECES = st.sampled_from([*"abc.,:|&!=<>@*?()[]{}'\"`\\ -019\x1b\u202e\ud800é", "length", "\\u001b", "[?", "::", "&a"])


@given(st.text(max_size=60) | st.lists(PIECES, max_size=30).map("".join) | EXPRESSIONS, st.booleans())
@settings(max_examples=250, deadline=None)
def test_any_text_gives_nodes_or_flaws(text: str, limited: bool) -> None:
    """Never an exception; each flaw is one clean line and lies inside the text."""
    expression = compile_expression(text, limited=limited)
    assert (expression.ir is None) == bool(expression.flaws)
    for flaw in expression.flaws:
        assert 0 <= flaw.start <= flaw.start + flaw.length <= len(text)
        for line in (flaw.message, flaw.help or ""):
            assert len(line) <= 300 and not any(invisible(character) for character in line)
    if expression.ir is not None:
        json.dumps(expression.ir, allow_nan=False).encode()
        outcome(expression.ir, {"a": [1, {"b": "c"}], "computed": {}})


OPCODES = st.sampled_from([*_STEPS, "get", "ref", "abs", "map", "sort_by", "to_string"])
DAMAGED = st.recursive(
    SCALARS | OPCODES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.tuples(OPCODES, inner, inner).map(list) | st.dictionaries(KEYS, inner)
    ),
    max_leaves=12,
)


@given(DAMAGED, VALUES)
@settings(max_examples=250, deadline=None)
def test_damaged_nodes_give_a_value_or_a_fault(ir: Any, document: Any) -> None:
    """Whatever a cache file holds, nothing but a Fault is raised."""
    outcome(ir, document)
