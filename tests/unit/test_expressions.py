"""JMESPath through ohud's compiler and interpreter: the public compliance cases, flaws with places, reach, bounds."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jmespath.functions import REVERSE_TYPES_MAP, Functions

from ohud.run import expression as hot
from ohud.run.expression import LONGEST, evaluate
from ohud.run.fault import Fault
from ohud.run.functions import FUNCTIONS
from ohud.theme.expressions import compile_expression

SUITE = Path(__file__).parents[1] / "data" / "jmespath"
CASES = [
    (f"{path.stem}-{number}-{place}", group["given"], case)
    for path in sorted(SUITE.glob("*.json"))
    for number, group in enumerate(json.loads(path.read_text(encoding="utf-8")))
    for place, case in enumerate(group["cases"])
]
# The three benchmarks that pass the limits, and the reason that is given.
BEYOND = {
    "deep projection 104": "the expression has 519 characters, the limit is 512",
    "lots of function application": "the expression is nested more than 32 deep",
    "pipe 50": "the expression is nested more than 32 deep",
}


def ir_of(text: str, limited: bool = True) -> list[Any]:
    expression = compile_expression(text, limited=limited)
    assert expression.ir is not None, expression.flaws
    # As the program file gives it back.
    ir: list[Any] = json.loads(json.dumps(expression.ir))
    return ir


def search(text: str, document: Any, fuel: int = 5000) -> Any:
    return evaluate(ir_of(text), document, fuel)


def flaw_of(text: str) -> tuple[str, str, str | None]:
    flaw = compile_expression(text).flaws[0]
    return flaw.message, text[flaw.start : flaw.start + flaw.length], flaw.help


def test_the_whole_suite_is_here() -> None:
    """908 cases, of which 150 are errors."""
    assert len(CASES) == 908
    assert sum("error" in case for _, _, case in CASES) == 150


@pytest.mark.parametrize(("given", "case"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_compliance(given: Any, case: dict[str, Any]) -> None:
    """A compliance case gives its result; an error is a flaw or a fault."""
    limited = case.get("comment") not in BEYOND or "bench" not in case
    expression = compile_expression(case["expression"], limited=limited)
    if "error" in case:
        if not expression.flaws:
            with pytest.raises(Fault):
                evaluate(expression.ir or [], given)
        return
    assert expression.flaws == []
    result = evaluate(ir_of(case["expression"], limited), given)
    if "result" in case:
        assert json.dumps(result, sort_keys=True) == json.dumps(case["result"], sort_keys=True)


def test_three_benchmarks_pass_the_limits() -> None:
    """They are refused for that reason with the limits on, and run with the limits lifted."""
    refused = {}
    for _, given, case in CASES:
        expression = compile_expression(case["expression"])
        if "error" not in case and expression.flaws:
            refused[case["comment"]] = expression.flaws[0].message
            lifted = compile_expression(case["expression"], limited=False)
            assert lifted.ir is not None
            evaluate(lifted.ir, given)
    assert refused == BEYOND


@pytest.mark.parametrize(
    ("text", "message", "place", "help"),
    [
        ("lenght(messages)", "unknown function `lenght`", "lenght", "did you mean `length`?"),
        ("a[?b == lenght(c)].floor(d)", "unknown function `lenght`", "lenght", "did you mean `length`?"),
        ("join('a')", "`join` takes 2 arguments, not 1", "join", "write `join(text, array of texts)`"),
        ("abs(a, b)", "`abs` takes 1 argument, not 2", "abs", "write `abs(number)`"),
        ("not_null()", "`not_null` takes at least 1 argument, not 0", "not_null", "write `not_null(any, ...)`"),
        ("sort_by(a, b)", "`sort_by` takes an expression marked with `&`", "sort_by", "such as `&name`"),
        ("cost > 5", "unexpected `5`", "5", "a number is written between backticks: `` `5` ``"),
        ("a and b", "unexpected `and`", "and", "write `&&`"),
        ("a or b", "unexpected `or`", "or", "write `||`"),
        ("a = b", "unexpected `=`", "=", "values are compared with `==`"),
        ("rate-limit", "unexpected `-`", "-", 'a name with such a character is quoted: `"a-b"`'),
        ("a..b", "unexpected `.`", ".", None),
        ("a]", "unexpected `]`", "]", None),
        ("length(a", "`(` is not closed", "(", None),
        ("a[?b", "`[?` is not closed", "[?", None),
        ("a.", "the expression ends too early", "", None),
        ("'abc", "`'` is not closed", "'abc", None),
        ('a == `"x`', "between backticks stands one JSON value", '`"x`', 'such as `5`, `true` or `"text"`'),
        ('"length"(a)', "a quoted name cannot be called", '"length"', None),
        ("a[::0]", "the step of a slice cannot be 0", "0", None),
        ("a[2000000]", "an index is at most 1000000", "2000000", None),
        ("\x1b[2J", "unexpected character `<U+001B>`", "\x1b", None),
        ("a == '\u202e'", "U+202E is not allowed in a text", "'\u202e'", None),
        ('{"\\u0007": a}', "U+0007 is not allowed in a text", '"\\u0007"', None),
        ('a."\\ud800"', "U+D800 is no character", '"\\ud800"', None),
        ("`1e999`", "a number must be finite", "`1e999`", None),
        ("`9223372036854775808`", "a whole number must fit into 64 bits", "`9223372036854775808`", None),
    ],
)
def test_a_flaw_names_its_place(text: str, message: str, place: str, help: str | None) -> None:
    """The message is one line of ours, the place a part of the expression, the help something to do."""
    assert flaw_of(text) == (message, place, help)


def test_every_flaw_is_found_at_once() -> None:
    """Two unknown functions and a misplaced reference, in the order of the text."""
    flaws = compile_expression("[lenght(a), upper(b), &c]").flaws
    assert [flaw.start for flaw in flaws] == [1, 12, 22]
    assert all(flaw.weight == "fatal" for flaw in flaws)


@pytest.mark.parametrize("text", ["", " \t\n "])
def test_an_empty_expression_is_a_flaw(text: str) -> None:
    """Nothing but white space names no value."""
    assert compile_expression(text).flaws[0].message == "the expression is empty"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x" * 513, "the expression has 513 characters, the limit is 512"),
        ("!" * 40 + "a", "the expression is nested more than 32 deep"),
        ("`" + "[" * 40 + "]" * 40 + "`", "the expression is nested more than 32 deep"),
        ("[" + "a," * 210 + "a]", "the expression has more than 200 parts"),
        ("`[" + "1," * 210 + "1]`", "the expression has more than 200 parts"),
    ],
)
def test_limits(text: str, message: str) -> None:
    """Length, depth and nodes are limited, literals included, and lifted on request."""
    assert [flaw.message for flaw in compile_expression(text).flaws] == [message]
    assert compile_expression(text, limited=False).flaws == []


@pytest.mark.parametrize("text", ["(" * 3000 + "a" + ")" * 3000, "`" + "[" * 100_000 + "]" * 100_000 + "`"])
def test_without_limits_the_stack_is_the_limit(text: str) -> None:
    """What the parser cannot hold is still a flaw, not an exception."""
    assert compile_expression(text, limited=False).flaws[0].message == "the expression is nested too deeply"


@pytest.mark.parametrize(
    ("text", "ir"),
    [
        ("a.b.c", ["get", ["a", "b", "c"]]),
        ("a.b[0].c | d", ["get", ["a", "b", 0, "c", "d"]]),
        ("@", ["at"]),
        ("a[*].b", ["each", ["get", ["a"]], ["get", ["b"]]]),
        ("a || `0`", ["or", ["get", ["a"]], ["lit", 0]]),
        ("length(a)", ["call", "length", [["get", ["a"]]]]),
    ],
)
def test_lowering(text: str, ir: list[Any]) -> None:
    """Chains of names and indexes become one node."""
    assert compile_expression(text).ir == ir


ALL = {("*", None)}


@pytest.mark.parametrize(
    ("text", "reach"),
    [
        ("model.display_name", set()),
        ("model.computed.git", set()),
        ("computed.git.branch", {("git", "branch")}),
        ("computed.git.branch.length(@)", {("git", "branch")}),
        ("computed.git", {("git", None)}),
        ("computed", ALL),
        ("@", ALL),
        ("*", ALL),
        ("computed.*", ALL),
        ("computed.*.branch", ALL),
        ("computed.git.*", {("git", None)}),
        ("keys(computed)", ALL),
        ("keys(@)", ALL),
        ("to_string(@)", ALL),
        ("computed | git.branch", {("git", "branch")}),
        ("@.computed.git | @.branch", {("git", "branch")}),
        ("[computed.model.name, cost]", {("model", "name")}),
        ("{a: computed.git}.a.branch", {("git", "branch")}),
        ("{a: computed.git}", {("git", None)}),
        ("{a: computed.git, b: computed.cost}.b.usd", {("cost", "usd")}),
        ("{a: @}.a.computed.git.branch", {("git", "branch")}),
        ("[computed.git, computed.cost][1].usd", {("cost", "usd")}),
        ("[computed.git, computed.cost][-2].dirty", {("git", "dirty")}),
        ("[computed.git, computed.cost][*].usd", {("git", "usd"), ("cost", "usd")}),
        ("[computed.git, computed.cost][:1] | [0].branch", {("git", "branch"), ("cost", "branch")}),
        ("[@][*].computed.git.branch", {("git", "branch")}),
        ("[[@]][].computed.git.branch", {("git", "branch")}),
        ("[computed][?git.branch].cost.usd", {("git", "branch"), ("cost", "usd")}),
        ("[computed.git][]", {("git", None)}),
        ("{a: computed.git}.*.branch", {("git", "branch")}),
        ("computed.git.branch || computed.project.name", {("git", "branch"), ("project", "name")}),
        ("(computed.git || computed.cost).usd", {("git", None), ("cost", "usd"), ("git", "usd")}),
        ("!(computed.git)", {("git", None)}),
        ("computed.cost.usd > `5` && computed.model.name", {("cost", "usd"), ("model", "name")}),
        ("map(&git.branch, [computed])", ALL),
        ("sort_by(computed.activity.agents, &elapsed_s)[0].type", {("activity", "agents")}),
        ("computed.activity.tools.running[?elapsed_s > `3`].name", {("activity", "tools")}),
        ("computed.effort", {("effort", None)}),
        ("computed.effort[0]", {("effort", None)}),
        ("computed[0]", set()),
        ("'computed'", set()),
        ('"computed"."git"."branch"', {("git", "branch")}),
    ],
)
def test_reach(text: str, reach: set[tuple[str, str | None]]) -> None:
    """What an expression can read of the computed families, never too little."""
    assert compile_expression(text).reach == reach


def test_reach_of_shared_containers_takes_no_time() -> None:
    """A container that is built into itself ten times is looked at once."""
    text = "[computed.git,@]" + " | [@,@,@,@,@,@,@,@]" * 10
    assert compile_expression(text).reach == ALL | {("git", None)}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("to_number('1e999')", None),
        ("to_number('nan')", None),
        ("to_number('1_000')", None),
        ("to_number('١٢٣')", None),
        ("to_number('9223372036854775808')", None),
        ("to_number(' 12 ')", 12),
        ("to_number('1.5e3')", 1500.0),
        ("sum(`[1e308, 1e308]`)", None),
        ("sum(`[9223372036854775807, 1]`)", None),
        ("abs(`-9223372036854775808`)", None),
        ("ceil(`1e300`)", None),
        ("ceil(`-0.5`)", 0),
        ("ceil(`1.2`)", 2),
        ("floor(`-1.2`)", -2),
        ("avg(`[]`)", None),
        ("sum(`[]`)", 0),
        ('to_string(`{"a": [1, 1.0, true, false, null, {}, []], "é": "\\""}`)', None),
    ],
)
def test_values(text: str, value: Any) -> None:
    """Numbers are finite and fit into 64 bits; all else is as in jmespath."""
    if value is None and "to_string" in text:
        value = '{"a":[1,1.0,true,false,null,{},[]],"\\u00e9":"\\""}'
    result = search(text, {})
    assert (type(result), result) == (type(value), value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("abs('x')", "`abs` takes number, not text"),
        ("sum(`[1, true]`)", "`sum` takes array of numbers, not an array with boolean"),
        ('max(`[1, "a"]`)', "`max` takes array of numbers or of texts, not an array with text"),
        ("sort_by(`[{}]`, &a)", "`sort_by` orders by numbers or by texts, not by null"),
        ("merge(`{}`, `[]`)", "`merge` takes object, not array"),
        ("contains('a', `1`)", "`contains` looks for a text in a text, not for number"),
        ("`1` < 'a'", "a number cannot be compared with a text"),
    ],
)
def test_faults(text: str, message: str) -> None:
    """A wrong operand is a fault that names kinds and no values."""
    with pytest.raises(Fault) as caught:
        search(text, {})
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "text",
    [
        "map(&map(&map(&@, big), big), big)",
        "big[*].[to_string(@), to_string(@), to_string(@)]",
        "[big,big,big,big,big,big] | [] | length(@)",
        "[big] | [[@,@,@,@],[@,@,@,@]] | [[@,@],[@,@]] | [] | []",
        "[big,big,big,big,big,big,big,big,big,big,big]",
        "([big,big,big] | [@,@,@]) == ([big,big,big] | [@,@,@])",
        "contains([[big,big,big],[big,big,big],[big,big,big]], [big,big,big,big,big])",
        "to_string([big,big,big,big])",
        "join('', map(&to_string(@), big)) | join(@, [@,@,@,@])",
        "reverse(sort(big)) | [@,@,@,@,@] | [] | reverse(@)",
    ],
)
def test_work_is_bounded(text: str) -> None:
    """A small expression over a thousand numbers ends in a fault before it grows."""
    with pytest.raises(Fault):
        search(text, {"big": list(range(1000))})


def test_a_text_is_at_most_as_long_as_the_limit() -> None:
    """`join` takes exactly 8,192 characters."""
    half = "x" * (LONGEST // 2)
    assert len(search("join('', [@, @])", half)) == LONGEST
    with pytest.raises(Fault, match="too long"):
        search("join('-', [@, @])", half)
    with pytest.raises(Fault, match="too long"):
        search("to_string([@, @])", half)


def test_a_large_part_of_the_document_passes() -> None:
    """A plain path is not walked, and a slice pays for what it takes."""
    document = {"a": list(range(50000))}
    assert search("a", document) is document["a"]
    assert search("a[-3:]", document) == [49997, 49998, 49999]
    assert search("length(a)", document, fuel=5) == 50000


@pytest.mark.parametrize(
    "ir", [[], ["x"], ["get"], ["get", [[]]], ["call", "abs", []], ["then", 5], {"a": 1}, None, "get"]
)
def test_damaged_nodes_are_a_fault(ir: Any) -> None:
    """A node from a damaged cache never raises anything else."""
    with pytest.raises(Fault):
        evaluate(ir, {"a": 1})


def test_endless_nodes_are_a_fault() -> None:
    """A cache file nested beyond the stack is a fault too."""
    ir: list[Any] = ["at"]
    for _ in range(3000):
        ir = ["not", ir]
    with pytest.raises(Fault):
        evaluate(ir, {})


def test_the_functions_are_those_of_jmespath() -> None:
    """Same names, same number of arguments, references in the same places, the same types."""
    words = {"any": [], "&": ["expref"], "number": ["number"], "text": ["string"], "object": ["object"]}
    words |= {"array": ["array"], "array or text": ["array", "string"], "array of numbers": ["array-number"]}
    words |= {"array, object or text": ["array", "object", "string"], "array of texts": ["array-string"]}
    words |= {"array of numbers or of texts": ["array-number", "array-string"]}
    assert "expref" in REVERSE_TYPES_MAP
    stock = {
        name: ([sorted(takes["types"]) for takes in entry["signature"]], "variadic" in entry["signature"][-1])
        for name, entry in Functions.FUNCTION_TABLE.items()
    }
    ours = {
        name: ([words[kind] for kind in takes if kind != "..."], "..." in takes)
        for name, (_, takes) in FUNCTIONS.items()
    }
    assert ours == stock


def test_the_interpreter_imports_next_to_nothing() -> None:
    """Evaluating takes only `run.fault`; the functions come with a call, `_json` with `to_string`."""
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); before = set(sys.modules)\n"
        "from ohud.run.expression import evaluate\n"
        "assert evaluate(['get', ['a', 'b']], {'a': {'b': 1}}) == 1\n"
        "print(*sorted(set(sys.modules) - before))\n"
        "assert evaluate(['call', 'to_string', [['at']]], ['é']) == '[\"\\\\u00e9\"]'\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    root = str(Path(hot.__file__).parents[2])
    run = subprocess.run([sys.executable, "-I", "-S", "-c", script, root], capture_output=True, text=True, check=True)
    plain, text = run.stdout.splitlines()
    assert plain.split() == ["ohud", "ohud.run", "ohud.run.expression", "ohud.run.fault"]
    assert sorted(text.split()) == sorted(["_json", "ohud.run.functions", *plain.split()])
