"""JMESPath text to a lowered tree: parsed by jmespath itself, held to limits, with the families that it can read."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, cast

from jmespath import exceptions, lexer, parser

from ohud.errors import Flaw, count, invisible, nearest, quote
from ohud.run.functions import FUNCTIONS

LENGTH = 512
NODES = 200
DEPTH = 32
INDEX = 10**6

Node = dict[str, Any]
Token = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Expression:
    """
    What became of an expression.

    Takes:  ir: nodes for run/expression, None when there are flaws;
            reach: (family, field) pairs under `computed`; field None is the whole family, ("*", None) everything
    """

    ir: list[Any] | None
    reach: frozenset[tuple[str, str | None]]
    flaws: list[Flaw]


def compile_expression(text: str, *, limited: bool = True) -> Expression:
    """
    The lowered form of a JMESPath expression, or every flaw that can be told without a document.

    Takes:  limited: False lifts the limits on length, nodes, depth and index (for the compliance benchmarks only)
    Errors: none; any text gives an answer
    """
    try:
        flaws = _long(text) if limited else []
        tree, tokens = (None, []) if flaws else _parse(text, flaws)
        if tree is not None:
            flaws += _check(text, tree, tokens, limited)
        if tree is None or flaws:
            return Expression(None, frozenset(), flaws)
        ir = _lower(tree)
        return Expression(ir, _reach(ir), [])
    except RecursionError:
        return Expression(None, frozenset(), [Flaw("the expression is nested too deeply", 0, len(text))])


def _long(text: str) -> list[Flaw]:
    # Before anything looks at the text: jmespath's lexer takes quadratic time over a long token.
    if len(text) <= LENGTH:
        return []
    return [Flaw(f"the expression has {len(text)} characters, the limit is {LENGTH}", LENGTH, 0)]


# -- reading -----------------------------------------------------------------------------------------------------------


def _parse(text: str, flaws: list[Flaw]) -> tuple[Node | None, list[Token]]:
    if not text.strip(" \t\n\r"):
        flaws.append(Flaw("the expression is empty", 0, len(text), "name a value, such as `model.display_name`"))
        return None, []
    tokens: list[Token] = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `foo` for `"foo"` is old, but accepted
            tokens.extend(dict(token) for token in lexer.Lexer().tokenize(text))
            return cast(Node, parser.Parser().parse(text).parsed), tokens
    except exceptions.LexerError as error:
        flaws.append(_lexical(text, error))
    except exceptions.ParseError as error:
        flaws.append(_grammatical(text, tokens, error))
    except (ValueError, LookupError, OverflowError):
        flaws.append(Flaw("this cannot be read as an expression", 0, len(text)))
    return None, tokens


def _lexical(text: str, error: exceptions.LexerError) -> Flaw:
    start = min(max(error.lexer_position, 0), len(text) - 1)
    character = text[start]
    rest = len(text) - start
    if error.message.startswith("Unclosed"):
        return Flaw(f"{quote(character, 40)} is not closed", start, rest)
    if character == "`":
        return Flaw("between backticks stands one JSON value", start, rest, 'such as `5`, `true` or `"text"`')
    if character == '"':
        return Flaw("this quoted name has a wrong escape", start, rest)
    if character not in "=+-/%":
        return Flaw(f"unexpected character {quote(character, 40)}", start, 1)
    helps = "values are compared with `==`" if character == "=" else 'a name with such a character is quoted: `"a-b"`'
    return Flaw(f"unexpected `{character}`", start, 1, helps)


def _grammatical(text: str, tokens: list[Token], error: exceptions.ParseError) -> Flaw:
    if error.token_type in (None, "EOF"):
        return _early_end(text, tokens)
    place = next((i for i, token in enumerate(tokens) if token["start"] == error.lex_position), 0)
    if "Quoted identifier" in error.msg:
        kinds = [(one["type"], two["type"]) for one, two in pairwise(tokens)]
        place = kinds.index(("quoted_identifier", "lparen"))
        return Flaw("a quoted name cannot be called", *_extent(text, tokens, place))
    start, length = _extent(text, tokens, place)
    helps = None
    if tokens[place]["type"] == "number":
        helps = f"a number is written between backticks: `` `{tokens[place]['value']}` ``"
    elif tokens[place]["value"] in ("and", "or"):
        helps = "write `&&`" if tokens[place]["value"] == "and" else "write `||`"
    return Flaw(f"unexpected {quote(text[start : start + length], 40)}", start, length, helps)


def _early_end(text: str, tokens: list[Token]) -> Flaw:
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if token["type"] in ("lparen", "lbrace", "lbracket", "filter"):
            opened.append(place)
        elif token["type"] in ("rparen", "rbrace", "rbracket") and opened:
            opened.pop()
    if opened:
        start, length = _extent(text, tokens, opened[-1])
        return Flaw(f"{quote(text[start : start + length], 40)} is not closed", start, length)
    return Flaw("the expression ends too early", len(text), 0)


def _extent(text: str, tokens: list[Token], place: int) -> tuple[int, int]:
    # The lexer's own `end` is a length for some kinds of token.
    start: int = tokens[place]["start"]
    following: int = tokens[place + 1]["start"] if place + 1 < len(tokens) else len(text)
    return start, len(text[start:following].rstrip(" \t\n\r"))


def _unwanted(character: str) -> bool:
    # The joiner and the selectors of emoji are part of what an icon is.
    return invisible(character) and character not in "\u200d\ufe0e\ufe0f"


# -- checking ----------------------------------------------------------------------------------------------------------


def _check(text: str, tree: Node, tokens: list[Token], limited: bool) -> list[Flaw]:
    if limited:
        excess = _excess(tree)
        if excess:
            return [Flaw(excess, 0, len(text))]
    flaws = _numbers(text, tokens, limited) + _names(text, tokens)
    # The tree has no positions; but it is walked in the order of the text, so the nth node of a kind is the nth token.
    calls = iter(_called(tokens))
    literals = (place for place, token in enumerate(tokens) if token["type"] == "literal")
    references = (place for place, token in enumerate(tokens) if token["type"] == "expref")
    wanted: set[int] = set()
    for node, _ in _walk(tree):
        kind = node["type"]
        if kind == "function_expression":
            flaws += _call(node, wanted, *_extent(text, tokens, next(calls, 0)))
        elif kind == "literal":
            extent = _extent(text, tokens, next(literals, 0))
            flaws += [Flaw(reason, *extent) for reason in _unfit(node["value"])]
        elif kind == "expref":
            extent = _extent(text, tokens, next(references, 0))
            if id(node) not in wanted:
                takers = "`map`, `max_by`, `min_by` and `sort_by`"
                flaws.append(Flaw("`&` stands where no function takes it", *extent, f"arguments of {takers} do"))
    return sorted(flaws, key=lambda flaw: flaw.start)


def _walk(tree: Node) -> Iterator[tuple[Node, int]]:
    waiting = [(tree, 1)]
    while waiting:
        node, depth = waiting.pop()
        yield node, depth
        children = [child for child in node["children"] if isinstance(child, dict)]
        if node["type"] == "filter_projection":
            children = [children[0], children[2], children[1]]
        waiting += [(child, depth + 1) for child in reversed(children)]


def _inside(value: Any) -> Iterator[tuple[Any, int]]:
    waiting = [(value, 0)]
    while waiting:
        item, depth = waiting.pop()
        yield item, depth
        if isinstance(item, dict):
            waiting += [(key, depth) for key in item]
        if isinstance(item, dict | list):
            waiting += [(child, depth + 1) for child in (item.values() if isinstance(item, dict) else item)]


def _excess(tree: Node) -> str | None:
    nodes = 0
    for node, depth in _walk(tree):
        inner = [below for _, below in _inside(node["value"])] if node["type"] == "literal" else [0]
        nodes += len(inner)
        if depth + max(inner) > DEPTH:
            return f"the expression is nested more than {DEPTH} deep"
        if nodes > NODES:
            return f"the expression has more than {NODES} parts"
    return None


def _numbers(text: str, tokens: list[Token], limited: bool) -> list[Flaw]:
    flaws = []
    for place, token in enumerate(tokens):
        if token["type"] != "number":
            continue
        before = place
        while tokens[before]["type"] in ("number", "colon"):
            before -= 1
        colons = [inner["type"] for inner in tokens[before:place]].count("colon")
        if colons == 2 and token["value"] == 0:
            flaws.append(Flaw("the step of a slice cannot be 0", *_extent(text, tokens, place)))
        if limited and abs(token["value"]) > INDEX:
            flaws.append(Flaw(f"an index is at most {INDEX}", *_extent(text, tokens, place)))
    return flaws


def _names(text: str, tokens: list[Token]) -> list[Flaw]:
    flaws = []
    for place, token in enumerate(tokens):
        if token["type"] != "quoted_identifier":
            continue
        key = tokens[place + 1]["type"] == "colon"
        reasons = _unfit(token["value"]) if key else _unpaired(token["value"])
        flaws += [Flaw(reason, *_extent(text, tokens, place)) for reason in reasons]
    return flaws


def _unpaired(text: str) -> list[str]:
    return [f"U+{ord(character):04X} is no character" for character in text if 0xD800 <= ord(character) <= 0xDFFF][:1]


def _unfit(value: Any) -> list[str]:
    """Why a value may not stand in an expression, at most one reason."""
    for item, _ in _inside(value):
        if isinstance(item, str):
            for character in item:
                # White space is left to the cleaning of results, as that of the payload is.
                if character not in "\t\n\r" and _unwanted(character):
                    return [f"U+{ord(character):04X} is not allowed in a text"]
        elif isinstance(item, float) and item - item != 0:
            return ["a number must be finite"]
        elif isinstance(item, int) and not -(2**63) <= item < 2**63:
            return ["a whole number must fit into 64 bits"]
    return []


def _called(tokens: list[Token]) -> list[int]:
    places = []
    for place, token in enumerate(tokens):
        if token["type"] == "lparen" and place:
            name = place - 1
            while tokens[name]["type"] == "rparen":  # `(name)(argument)` is a call too
                name -= 1
            if name < place - 1 or tokens[name]["type"] == "unquoted_identifier":
                places.append(name)
    return places


def _call(node: Node, wanted: set[int], start: int, length: int) -> list[Flaw]:
    name = node["value"]
    given = node["children"]
    if name not in FUNCTIONS:
        wanted.update(id(child) for child in given)
        return [Flaw(f"unknown function {quote(name, 40)}", start, length, _guess(name))]
    takes = FUNCTIONS[name][1]
    flaws = []
    fixed = [kind for kind in takes if kind != "..."]
    if len(given) < len(fixed) or (len(given) > len(fixed) and "..." not in takes):
        least = "at least " if "..." in takes else ""
        usage = f"{name}({', '.join(takes).replace('&', '&expression')})"
        message = f"`{name}` takes {least}{count(len(fixed), 'argument')}, not {len(given)}"
        flaws.append(Flaw(message, start, length, f"write `{usage}`"))
    for child, kind in zip(given, takes, strict=False):
        if kind == "&":
            wanted.add(id(child))
            if child["type"] != "expref":
                flaws.append(Flaw(f"`{name}` takes an expression marked with `&`", start, length, "such as `&name`"))
    return flaws


def _guess(name: str) -> str:
    near = nearest(name, list(FUNCTIONS))
    return f"did you mean `{near}`?" if near else f"the functions are {', '.join(FUNCTIONS)}"


# -- lowering ----------------------------------------------------------------------------------------------------------

_SEQUENCES = ("subexpression", "pipe", "index_expression")
_PAIRS = {"or_expression": "or", "and_expression": "and", "value_projection": "values", "projection": "each"}


def _lower(node: Node) -> list[Any]:
    steps = _steps(node)
    if not steps:
        return ["at"]
    return steps[0] if len(steps) == 1 else ["then", steps]


def _steps(node: Node) -> list[list[Any]]:
    kind = node["type"]
    if kind in ("identity", "current"):
        return []
    if kind in ("field", "index"):
        return [["get", [node["value"]]]]
    if kind not in _SEQUENCES:
        return [_single(node)]
    steps: list[list[Any]] = []
    for child in node["children"]:
        for step in _steps(child):
            if steps and steps[-1][0] == step[0] == "get":
                steps[-1] = ["get", steps[-1][1] + step[1]]
            else:
                steps.append(step)
    return steps


def _single(node: Node) -> list[Any]:
    kind = node["type"]
    children = node["children"]
    if kind == "literal":
        return ["lit", node["value"]]
    if kind == "slice":
        return ["slice", *children]
    if kind == "multi_select_dict":
        return ["dict", [[pair["value"], _lower(pair["children"][0])] for pair in children]]
    lowered = [_lower(child) for child in children]
    if kind in _PAIRS:
        return [_PAIRS[kind], *lowered]
    if kind == "comparator":
        return [node["value"], *lowered]
    if kind == "filter_projection":
        return ["where", *lowered]
    if kind == "multi_select_list":
        return ["list", lowered]
    if kind == "function_expression":
        return ["call", node["value"], lowered]
    return [{"flatten": "flat", "not_expression": "not", "expref": "ref"}[kind], *lowered]


# -- reach -------------------------------------------------------------------------------------------------------------
#
# The tree is run over places instead of values: the root, `computed`, a family, or a container built by the expression.
# A place is *read* when its whole value matters: as the result, an operand, an argument. Everything else (the payload,
# fields of families once they are noted, literals) is of no interest and has no place.


@dataclass(slots=True, eq=False)
class _Built:
    ordered: bool
    parts: dict[str | int, frozenset[Any]] = field(default_factory=dict)
    rest: frozenset[Any] = frozenset()
    was_read: bool = False

    def every(self) -> frozenset[Any]:
        return self.rest.union(*self.parts.values())


_ROOT = ("root", "")
_COMPUTED = ("computed", "")
_NOTHING: frozenset[Any] = frozenset()


def _reach(ir: list[Any]) -> frozenset[tuple[str, str | None]]:
    found: set[tuple[str, str | None]] = set()
    _read(_places(ir, frozenset([_ROOT]), found), found)
    return frozenset(found)


def _read(places: frozenset[Any], found: set[tuple[str, str | None]]) -> None:
    for place in places:
        if not isinstance(place, _Built):
            found.add((place[1], None) if place[0] == "family" else ("*", None))
        elif not place.was_read:
            place.was_read = True
            _read(place.every(), found)


def _places(node: list[Any], here: frozenset[Any], found: set[tuple[str, str | None]]) -> frozenset[Any]:
    word = node[0]
    if word == "get":
        for key in node[1]:
            here = _NOTHING.union(*[_part(place, key, found) for place in here])
        return here
    if word == "at":
        return here
    if word == "then":
        for step in node[1]:
            here = _places(step, here, found)
        return here
    if word in ("list", "dict"):
        pairs = enumerate(node[1]) if word == "list" else node[1]
        return frozenset([_Built(word == "list", {key: _places(item, here, found) for key, item in pairs})])
    if word in ("each", "where", "values", "flat", "slice"):
        return _projected(node, here, found)
    if word in ("or", "and"):
        left = _places(node[1], here, found)
        _read(left, found)
        return left | _places(node[2], here, found)
    for operand in _operands(node):
        _read(_places(operand, here if operand[0] != "ref" else _NOTHING, found), found)
    return _NOTHING


def _operands(node: list[Any]) -> list[list[Any]]:
    if node[0] in ("lit", "ref"):
        return node[1:] if node[0] == "ref" else []
    return node[2] if node[0] == "call" else node[1:]


def _projected(node: list[Any], here: frozenset[Any], found: set[tuple[str, str | None]]) -> frozenset[Any]:
    word = node[0]
    base = here if word == "slice" else _places(node[1], here, found)
    items = _elements(base, word == "values", found)
    if word == "where":
        _read(_places(node[3], items, found), found)
    if word in ("each", "where", "values"):
        items = _places(node[2], items, found)
    if word == "flat":
        lists = frozenset(item for item in items if (item.ordered if isinstance(item, _Built) else item[0] == "family"))
        items = (items - lists) | _elements(lists, False, found)
    return frozenset([_Built(True, rest=items)])


def _elements(base: frozenset[Any], values: bool, found: set[tuple[str, str | None]]) -> frozenset[Any]:
    items = _NOTHING
    for place in base:
        if isinstance(place, _Built):
            items |= place.every() if place.ordered != values else _NOTHING
        elif values or place[0] == "family":  # a family is an object, or a plain value: its elements are its own
            _read(frozenset([place]), found)
    return items


def _part(place: Any, key: str | int, found: set[tuple[str, str | None]]) -> frozenset[Any]:
    if isinstance(place, _Built):
        if place.ordered != isinstance(key, int):
            return _NOTHING
        if isinstance(key, int) and key < 0 and place.parts:
            key += len(place.parts)
        return place.parts.get(key, place.rest)
    if place == _ROOT:
        return frozenset([_COMPUTED]) if key == "computed" else _NOTHING
    if isinstance(key, int):
        _read(frozenset([place]) if place != _COMPUTED else _NOTHING, found)
        return _NOTHING
    if place == _COMPUTED:
        return frozenset([("family", key)])
    found.add((place[1], key))
    return _NOTHING
