"""
Template text to a lowered tree, by jinja2's parser alone; nothing of a template is ever compiled or run here.

The lowered form is [slots, enter, body]. A body is a list of texts and nodes; a node is a list that begins with its
name, anything else stands for itself. `enter` sets the variables of a scope: [slot] undefined, [slot, node] a value.

    statements   ["if", [[test, body], ...], body]      ["set", target, expression]      ["with", enter, pairs, body]
                 ["for", target, iter, null or [enter, test], loop slot or null, enter, body, enter of else, else]
                 ["block", target, enter, body, null or filter]   ["macro", slot, parameter slots, names, defaults,
                 slots, enter, body]                    any other node prints its value
    expressions  ["get", slot] ["outer", slot, functions up] ["segment", name] ["name", name] ["undefined"]
                 ["fault", reason] ["captured"] [".", value, name] ["[]", value, key] ["[:]", value, start, stop, step]
                 ["loop", value, name] ["list", items] ["tuple", items] ["dict", pairs] ["+", a, b] - * / // %
                 ["negative", a] ["positive", a] ["~", parts] ["and", a, b] ["or", a, b] ["not", a]
                 ["either", test, a, b] ["compare", a, [[operator, b], ...]] ["|", filter, value, arguments, named]
                 ["is", test, value, arguments, named] ["call", macro, arguments, named]
                 ["row", "", items, [], named] ["powerline", "", items, [], named] ["fill"]

A target is a slot or a list of targets. Variables are slots because that is how jinja2 sees them: its own analysis
(`jinja2.idtracking`) says which scope a name belongs to, so the scoping rules are its rules.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from jinja2 import Environment, TemplateSyntaxError, nodes
from jinja2.compiler import find_undeclared
from jinja2.idtracking import VAR_LOAD_ALIAS, VAR_LOAD_PARAMETER, VAR_LOAD_RESOLVE, Symbols
from jinja2.visitor import NodeTransformer

from ohud.errors import Flaw, count, either, invisible, nearest, quote
from ohud.run.filters import FILTERS, check_format
from ohud.run.style import LINES, STYLE_FILTERS
from ohud.run.template import SCALES
from ohud.run.value import TESTS, printed
from ohud.theme.icons import ICONS, PLAIN, glyph
from ohud.theme.styles import wrong_colour, wrong_style

SOURCE_LIMIT = 32_768
NODE_LIMIT = 2000
WORD_LIMIT = 5 * NODE_LIMIT
DEPTH_LIMIT = 40
LOOP_LIMIT = 3
INTEGER_LIMIT = 10**15
ITEM_LIMIT = 256
TEXT_LIMIT = 8192
NAME_LIMIT = 256  # names that a template sets: jinja2's analysis copies them for every branch
FLAW_LIMIT = 30  # flaws of one template that are looked into

Node = Any

LOOP_NAMES = (
    "index", "index0", "revindex", "revindex0", "first", "last", "length", "previtem", "nextitem",
)  # fmt: skip
ROW_OPTIONS = {
    "row": ("sep", "wrap", "indent"),
    "powerline": ("sep", "start", "end", "pad", "wrap", "indent", "apart"),
}
FUNCTIONS = ("fill", "icon", "powerline", "row")
_ALWAYS = ("palette", "terminal")

# tests that are operators
OPERATORS = {
    "==": "eq", "eq": "eq", "equalto": "eq", "!=": "ne", "ne": "ne", ">": "gt", "gt": "gt", "greaterthan": "gt",
    ">=": "gteq", "ge": "gteq", "<": "lt", "lt": "lt", "lessthan": "lt", "<=": "lteq", "le": "lteq", "in": "in",
}  # fmt: skip

_BINARY: dict[type[nodes.Node], str] = {
    nodes.Add: "+", nodes.Sub: "-", nodes.Mul: "*", nodes.Div: "/", nodes.FloorDiv: "//", nodes.Mod: "%",
}  # fmt: skip

_REFUSED: dict[type[nodes.Node], str] = {
    nodes.Include: "include", nodes.Import: "import", nodes.FromImport: "from", nodes.Extends: "extends",
    nodes.Block: "block", nodes.CallBlock: "call", nodes.FilterBlock: "filter",
    nodes.ScopedEvalContextModifier: "autoescape", nodes.Scope: "autoescape",
}  # fmt: skip
_REFUSED_TAGS = ("break", "continue", "do", "trans", "pluralize", "debug", "print")
_TAGS = ("if", "elif", "else", "endif", "for", "endfor", "set", "endset", "with", "endwith", "macro", "endmacro", "raw")

_INSTEAD_OF_TAG = {
    "filter": "put the text into a block: {% set x | upper %}...{% endset %}",
    "call": "hand the text to the macro as an argument",
    "do": "use {% set %}",
    "include": "a theme is one file; use a macro for what repeats",
    "import": "a theme is one file; define the macro in it",
    "from": "a theme is one file; define the macro in it",
    "extends": "a theme extends another by its key `extends`",
    "break": "use a filter: {% for x in list if condition %}",
    "continue": "use a filter: {% for x in list if condition %}",
}

# methods of values, and the filter that does the job
_INSTEAD_OF_METHOD = {
    "upper": "upper", "lower": "lower", "title": "title", "capitalize": "capitalize", "strip": "trim",
    "lstrip": "trim", "rstrip": "trim", "replace": "replace", "format": "format", "join": "join", "center": "center",
    "ljust": "pad", "rjust": "pad", "zfill": "format", "items": "items", "keys": "list", "get": "default",
    "count": "count", "sort": "sort", "reverse": "reverse", "split": "replace", "format_map": "format",
    "casefold": "lower",
}  # fmt: skip
_HELP_FOR_METHOD = {
    "items": "use `{x} | dictsort` or `{x} | items`",
    "get": "use `{x}.name | default(...)`",
    "keys": "a loop over an object goes over its keys; or use `{x} | list`",
    "values": "use `{x} | items` and take the second of each pair",
    "startswith": "compare a slice: `{x}[:2] == 'ab'`",
    "endswith": "compare a slice: `{x}[-2:] == 'ab'`",
    "isdigit": "use `{x} is number`",
    "append": "use `{x} + [value]`",
}

_INSTEAD_OF_FILTER = {
    "filesizeformat": "use `bytes`", "wordwrap": "use `ellipsis(cells)`", "ljust": "use `pad(cells)`",
    "rjust": 'use `pad(cells, "right")`', "indent": "write the blanks before it", "map": "use a {% for %} loop",
    "select": "use {% for x in list if condition %}", "reject": "use {% for x in list if not condition %}",
    "selectattr": "use {% for x in list if x.key %}", "rejectattr": "use {% for x in list if not x.key %}",
    "groupby": "use a {% for %} loop", "attr": "write `value.key`", "urlize": "use `link(url)`",
    "escape": "leave it out, nothing here is HTML", "e": "leave it out, nothing here is HTML",
    "safe": "leave it out, nothing here is HTML", "forceescape": "leave it out, nothing here is HTML",
    "tojson": "print the fields one by one", "pprint": "print the fields one by one",
    "random": "a status line says the same for the same input", "striptags": "use `replace`",
    "color": 'use `fg("...")`', "colour": 'use `fg("...")`',
}  # fmt: skip
_INSTEAD_OF_CALL = {
    "range": "loop over a list: `[1, 2, 3]`",
    "len": "use the filter `length`",
    "dict": "write an object: `{'key': value}`",
    "namespace": "a value set in a loop ends with its turn; use a filter such as `sum` or `join`",
    "cycler": "use `loop.index0 % 2`",
    "joiner": "use `loop.last`",
    "lipsum": "write the text",
    "_": "write the text",
    "gettext": "write the text",
    "super": "a theme is one file",
    "caller": "hand the text to the macro as an argument",
    "now": "make a segment of `computed.now`",
}
# what other languages write, and what stands for it here
_INSTEAD_OF_CHARACTER = {
    "&": "write `and`", "?": "write `a if condition else b`", "!": "write `not`, or `!=` to compare",
    "$": "a name stands alone", "@": "a name stands alone",
}  # fmt: skip
_INSTEAD_OF_NAME = {
    "null": "write `none`", "nil": "write `none`",
    "computed": "make a segment of it and write the segment's name",
    "loop": "it is known inside `for` only",
}  # fmt: skip
_INSTEAD_OF_TOKEN = (
    ("end of statement block`, got `=`", "values are compared with `==`"),
    ("got `|`", "write `or`"),
    ("end of statement block`, got `if`", "write `elif`"),
)
_ANSI = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white", "gray", "grey")


@dataclass(frozen=True)
class Template:
    """
    A template as far as it could be lowered.

    Returns:  ir: the lowered tree, None when a flaw is fatal; used: names of the segments that it can read
    """

    ir: Node | None
    used: frozenset[str] = frozenset()
    flaws: tuple[Flaw, ...] = ()


def compile_template(
    text: str,
    names: Collection[str],
    *,
    palette: Mapping[str, str] | None = None,
    icons: str = "emoji",
    values: Collection[str] = (),
    options: Mapping[str, str | int | float | bool] | None = None,
    flaws: int = FLAW_LIMIT,
) -> Template:
    """
    The lowered tree of a template text, or what is wrong with it.

    Takes:    names: the segments' names; palette: colour names; icons: nerd, emoji or ascii; values: further plain
              names, such as `value`; options: the theme's, constants to its templates: what they rule out is not
              compiled, so it costs nothing; flaws: after so many the rest is not looked at
    Errors:   none; every flaw is in the result
    """
    work = _Lowering(text, frozenset(names), dict(palette or {}), icons, frozenset(values), flaws)
    ir: Node | None = None
    end: Flaw | None = None
    try:
        tree = work.parse()
        if tree is not None:
            _Choosing(work, options or {}).visit(tree)
            ir = work.template(tree)
    except _Enough:
        # said last
        last = work.text.count("\n") + 1
        end = Flaw("there are more mistakes than are looked at", -1, 0, "mend those first", "fatal", last)
    except Exception as fault:
        # nesting beyond the interpreter's stack, digits beyond its limit: none is a template error
        work.flaws.append(Flaw(f"the template cannot be read ({type(fault).__name__}), it is too deep or too large"))
    found = tuple(sorted(dict.fromkeys(work.flaws), key=lambda flaw: (flaw.line or 0, flaw.start)))
    found += (end,) if end else ()
    fatal = any(flaw.weight == "fatal" for flaw in found)
    return Template(None if fatal else ir, frozenset() if fatal else frozenset(work.used), found)


def normal(text: str) -> str:
    """The text as templates take it: line ends as LF, tabs as one blank."""
    return text.replace("\r\n", "\n").replace("\t", " ")


def environment() -> Environment:
    """The environment whose parser defines the syntax; only `parse` of it is used."""
    return Environment(extensions=[], autoescape=False, cache_size=0)


class _Enough(Exception):
    """There are so many flaws that the rest of the template is not looked at."""


@dataclass
class _Function:
    """The template or a macro: its variables as slots."""

    outer: _Function | None = None
    slots: dict[str, int] = field(default_factory=dict)

    def slot(self, ident: str) -> int:
        return self.slots.setdefault(ident, len(self.slots))


@dataclass
class _Scope:
    """A scope as jinja2's analysis sees it, and the function whose slots hold its variables."""

    symbols: Symbols
    function: _Function
    outer: _Scope | None = None
    loops: int = 0

    def inner(self, function: _Function | None = None) -> _Scope:
        return _Scope(Symbols(parent=self.symbols), function or self.function, self, self.loops)


class _Choosing(NodeTransformer):
    """Puts the values of the options in, and leaves out the branches that they rule out."""

    def __init__(self, work: _Lowering, options: Mapping[str, str | int | float | bool]) -> None:
        self.work = work
        self.options = options

    def visit_Getattr(self, node: nodes.Getattr) -> nodes.Node:
        """`options.name` as its value."""
        self.generic_visit(node)
        if not isinstance(node.node, nodes.Name) or node.node.name != "options" or node.node.ctx != "load":
            return node
        if node.attr not in self.options:
            help = _did_you_mean(node.attr, self.options)
            pattern = r"\boptions\s*\.\s*(" + re.escape(node.attr) + r")\b"
            self.work._flaw(f"there is no option {quote(node.attr)}", node, pattern, help, weight="part")
        return nodes.Const(self.options.get(node.attr), lineno=node.lineno)

    def visit_Not(self, node: nodes.Not) -> nodes.Node:
        """The opposite of an option."""
        self.generic_visit(node)
        inner = node.node
        return nodes.Const(not inner.value, lineno=node.lineno) if isinstance(inner, nodes.Const) else node

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:
        """Whether an option is this or that."""
        self.generic_visit(node)
        sides = (node.expr, node.ops[0].expr)
        if len(node.ops) == 1 and node.ops[0].op in ("eq", "ne") and all(isinstance(s, nodes.Const) for s in sides):
            same = sides[0].value == sides[1].value  # type: ignore[attr-defined]
            return nodes.Const(same is (node.ops[0].op == "eq"), lineno=node.lineno)
        return node

    def visit_And(self, node: nodes.And) -> nodes.Node:
        """What is left of `and` when an option decides it."""
        self.generic_visit(node)
        if isinstance(node.left, nodes.Const):
            return node.right if node.left.value else node.left
        return node

    def visit_Or(self, node: nodes.Or) -> nodes.Node:
        """What is left of `or` when an option decides it."""
        self.generic_visit(node)
        if isinstance(node.left, nodes.Const):
            return node.left if node.left.value else node.right
        return node

    def visit_If(self, node: nodes.If) -> nodes.Node | list[nodes.Node]:
        """The branch that an option decides on, in place of the whole."""
        branches = []
        for branch in (node, *node.elif_):
            test = self.visit(branch.test)
            if isinstance(test, nodes.Const) and not test.value:
                continue
            branches.append(nodes.If(test, self._statements(branch.body), [], [], lineno=branch.lineno))
            if isinstance(test, nodes.Const):
                break
        last = branches[-1] if branches else None
        if last is not None and isinstance(last.test, nodes.Const):
            other = branches.pop().body
        else:
            other = self._statements(node.else_)
        if not branches:
            return other
        branches[0].elif_, branches[0].else_ = branches[1:], other
        return branches[0]

    def _statements(self, body: list[nodes.Node]) -> list[nodes.Node]:
        """Statements one after the other."""
        found: list[nodes.Node] = []
        for node in body:
            made = self.visit(node)
            found += made if isinstance(made, list) else [made]
        return found

    def visit_CondExpr(self, node: nodes.CondExpr) -> nodes.Node:
        """The side that an option decides on, in place of the whole."""
        self.generic_visit(node)
        if not isinstance(node.test, nodes.Const):
            return node
        return node.expr1 if node.test.value else node.expr2 or nodes.Const("", lineno=node.lineno)


class _Lowering:
    """One template on its way to the lowered form, with the flaws found so far."""

    def __init__(
        self,
        text: str,
        names: frozenset[str],
        palette: dict[str, str],
        icons: str,
        values: frozenset[str],
        most: int,
    ) -> None:
        self.text = normal(text)
        self.names = names
        self.palette = palette
        self.icons = icons
        self.values = values | set(_ALWAYS)
        self.flaws: list[Flaw] = []
        self.used: set[str] = set()
        self.macros: dict[str, list[nodes.Macro]] = {}
        self.seen: dict[tuple[int, str], int] = {}
        self.optional: set[int] = set()
        self.most = most
        self.tags: list[tuple[int, int]] | None = None
        self.lines: list[int] = []
        self.found: dict[tuple[int, str], list[tuple[int, int]]] = {}

    # Reading

    def parse(self) -> nodes.Template | None:
        """The syntax tree, None when there is none or it is beyond the limits."""
        text = self.text
        if len(text) > SOURCE_LIMIT:
            self._stop(f"the template is longer than {SOURCE_LIMIT} characters")
            return None
        if sum(1 for _ in re.finditer(r"\w+|[^\w\s]", text)) > WORD_LIMIT or text.count("{%") > NODE_LIMIT:
            # the parser takes 10 us a word
            self._stop(f"the template has more than {NODE_LIMIT} parts")
            return None
        for at, character in enumerate(text):
            if not _harmless(character):
                name = f"U+{ord(character):04X}"
                self.flaws.append(Flaw(f"the invisible character {name} is not allowed in a template", at, 1))
                return None
        try:
            tree = environment().parse(text)
        except TemplateSyntaxError as fault:
            self._syntax(fault)
            return None
        return tree if self._measure(tree) else None

    def _stop(self, message: str) -> None:
        self.flaws.append(Flaw(message))

    def _measure(self, tree: nodes.Template) -> bool:
        """Whether the tree is within the limits on nodes and depth."""
        size = 0
        stored: set[str] = set()
        waiting: list[tuple[nodes.Node, int]] = [(tree, 0)]
        while waiting:
            node, depth = waiting.pop()
            size += 1
            if size > NODE_LIMIT:
                self._stop(f"the template has more than {NODE_LIMIT} parts")
                return False
            if depth > DEPTH_LIMIT:
                self._flaw(f"nested more than {DEPTH_LIMIT} deep", node)
                return False
            if isinstance(node, nodes.Name) and node.ctx != "load":
                stored.add(node.name)
                if len(stored) > NAME_LIMIT:
                    self._flaw(f"more than {NAME_LIMIT} names are set", node)
                    return False
            if isinstance(node, nodes.Macro):
                self.macros.setdefault(node.name, []).append(node)
            waiting.extend((child, depth + 1) for child in node.iter_child_nodes())
        return True

    def _syntax(self, fault: TemplateSyntaxError) -> None:
        """Notes what jinja2's parser says, in our words."""
        said = (fault.message or "syntax error").split("\n")[0]
        if found := re.match(r"unexpected char (.+) at (\d+)$", said):
            start = int(found[2])
            character = self.text[start : start + 1]
            what = "a text is not closed" if character in ("'", '"') else f"unexpected character {quote(character)}"
            help = _INSTEAD_OF_CHARACTER.get(character)
            self.flaws.append(Flaw(what, start, 1, help, line=fault.lineno))
        elif found := re.match(r"Encountered unknown tag '(.*?)'", said):
            self._unknown_tag(found[1], fault.lineno)
        elif found := re.search(r"innermost block that needs to be closed is '(\w+)'", said):
            pattern = r"\{%[-+]?\s*(" + found[1] + r")\b"
            if said.startswith("Unexpected end of template"):
                places = list(re.finditer(pattern, self.text))
                # with several of them it is not known which one is meant
                line = self.text.count("\n", 0, places[0].start(1)) + 1 if len(places) == 1 else fault.lineno
                pattern = pattern if len(places) == 1 else ""
                self._flaw(f"`{found[1]}` is not closed", line, pattern, f"write {{% end{found[1]} %}}")
            else:
                self._unknown_tag(said.split("'")[1], fault.lineno)
        else:
            said = re.split(r"\. (?:Jinja|You|The|Did)\b", said)[0].rstrip(".").replace("'", "`")
            said = "".join("?" if invisible(c) else c for c in said[:1].lower() + said[1:])
            help = next((help for part, help in _INSTEAD_OF_TOKEN if part in said), None)
            self._flaw(said[:200], fault.lineno, help=help)

    def _unknown_tag(self, tag: str, line: int) -> None:
        pattern = r"\{%[-+]?\s*(" + re.escape(tag) + r")\b"
        if tag in _REFUSED_TAGS:
            self._refused_tag(tag, line)
        elif tag in _TAGS:
            self._flaw(f"`{tag}` has nothing that it belongs to here", line, pattern)
        else:
            help = "did you mean `elif`?" if tag in ("elseif", "elsif") else _did_you_mean(tag, _TAGS)
            self._flaw(f"unknown tag {quote(tag)}", line, pattern, help)

    # Flaws

    def _flaw(
        self, message: str, at: nodes.Node | int, pattern: str = "", help: str | None = None, weight: str = "fatal"
    ) -> None:
        """
        Notes a flaw at a line; where a pattern is given, at its first group inside a tag on that line.

        Each time the same pattern is asked for on a line, the next place that matches is meant: what is wrong once
        is wrong at all its places.
        """
        if len(self.flaws) >= self.most:
            raise _Enough
        line = at if isinstance(at, int) else _line(at)
        start, length = -1, 0
        if pattern:
            places = self.found.get((line, pattern))
            if places is None:
                places = self.found[line, pattern] = list(self._places(line, pattern))
            turn = self.seen[line, pattern] = self.seen.get((line, pattern), -1) + 1
            if turn < len(places):
                start, length = places[turn]
        self.flaws.append(Flaw(message, start, length, help, weight, line))

    def _places(self, line: int, pattern: str) -> Iterator[tuple[int, int]]:
        if not self.lines:
            self.lines = [0, *(match.end() for match in re.finditer("\n", self.text)), len(self.text) + 1]
        if not 0 < line < len(self.lines):
            return
        begin, end = self.lines[line - 1], self.lines[line] - 1
        tags = iter([(first, last) for first, last in self._tags() if first < end and last > begin])
        first, last = next(tags, (end, end))
        base = first
        for match in re.finditer(pattern, self.text[base:end]):
            start = base + match.start(1)
            while start >= last < end:
                first, last = next(tags, (end, end))
            if max(first, begin) <= start:
                yield start, match.end(1) - match.start(1)

    def _tags(self) -> list[tuple[int, int]]:
        """Where each `{{ }}` and `{% %}` begins and ends."""
        if self.tags is None:
            self.tags = []
            start = -1
            for mark in re.finditer(r"\{[{%]|[}%]\}", self.text):
                if start < 0 and mark[0][0] == "{":
                    start = mark.start()
                elif start >= 0 and mark[0][1] == "}":
                    self.tags.append((start, mark.end()))
                    start = -1
        return self.tags

    def _refused_tag(self, tag: str, at: nodes.Node | int) -> None:
        pattern = r"\{%[-+]?\s*(" + tag + r")\b"
        self._flaw(f"`{tag}` is not in the template language", at, pattern, help=_INSTEAD_OF_TAG.get(tag))

    # Scopes and names

    def template(self, tree: nodes.Template) -> Node:
        """The lowered form of the whole tree."""
        scope = _Scope(Symbols(), _Function())
        scope.symbols.analyze_node(tree)
        enter = self._enter(scope)
        body = self._body(tree.body, scope)
        return [len(scope.function.slots), enter, body]

    def _enter(self, scope: _Scope) -> list[Node]:
        """What to set when the scope is entered."""
        enter: list[Node] = []
        for ident, (load, _) in scope.symbols.loads.items():
            name = ident.split("_", 2)[2]
            if load == VAR_LOAD_PARAMETER:
                continue
            if load == VAR_LOAD_RESOLVE:
                if name in scope.symbols.stores:
                    known = self._outside(name)
                    slot = scope.function.slot(ident)
                    enter.append([slot] if known is None else [slot, known])
                continue
            slot = scope.function.slot(ident)
            if load == VAR_LOAD_ALIAS and scope.outer is not None:
                enter.append([slot, self._read(name, scope.outer, scope.function)])
            else:
                enter.append([slot])
        return enter

    def _outside(self, name: str) -> Node | None:
        """The node of a name that the theme gives, None for an unknown one."""
        if name in self.values:
            return ["name", name]
        if name in self.names:
            self.used.add(name)
            return ["segment", name]
        return None

    def _read(self, name: str, scope: _Scope, function: _Function, at: nodes.Node | None = None) -> Node:
        """The node that reads a name from inside a function."""
        owner: _Scope | None = scope
        while owner is not None and name not in owner.symbols.refs:
            owner = owner.outer
        if owner is not None:
            ident = owner.symbols.refs[name]
            load = owner.symbols.loads.get(ident, (None, None))[0]
            if load != VAR_LOAD_RESOLVE or name in owner.symbols.stores:
                slot = owner.function.slot(ident)
                hops = 0
                while function is not owner.function:
                    assert function.outer is not None
                    function = function.outer
                    hops += 1
                return ["outer", slot, hops] if hops else ["get", slot]
        known = self._outside(name)
        if known is None:
            if at is not None:
                close = _INSTEAD_OF_NAME.get(name) or _did_you_mean(name, self.names | self.values)
                if close is None and (name in _ANSI or name in self.palette):
                    close = f"a colour is a text: `'{name}'`"
                if name in FUNCTIONS:
                    close = f"`{name}` is a function: `{name}()`"
                self._flaw(f"unknown name {quote(name)}", at, _word(name), help=close, weight="part")
            return ["undefined"]
        return known

    def _optional(self, node: nodes.Node, scope: _Scope) -> Node:
        """The operand of `default` and `is defined`, which may be a name that the theme does not have."""
        found = node
        while isinstance(found, (nodes.Getattr, nodes.Getitem)):
            found = found.node
        if isinstance(found, nodes.Name):
            self.optional.add(id(found))
        return self._expression(node, scope)

    def _name(self, node: nodes.Name, scope: _Scope) -> Node:
        if node.name in ("varargs", "kwargs", "caller"):
            self._flaw(f"`{node.name}` is not in the template language", node, _word(node.name))
        elif node.name == "loop" and self._is_loop(scope):
            self._flaw("a loop can only be asked for its fields", node, _word("loop"), help="for example `loop.index`")
        elif not node.name.isascii():
            self._flaw(f"the name {quote(node.name)} is not ASCII", node)
        elif node.name.startswith("_"):
            self._flaw("names that begin with `_` are not in the template language", node, _word(node.name))
        else:
            at = None if id(node) in self.optional else node
            return self._read(node.name, scope, scope.function, at)
        return ["undefined"]

    def _is_loop(self, scope: _Scope) -> bool:
        found = scope.symbols.find_ref("loop")
        load = scope.symbols.find_load(found) if found else None
        return load is not None and bool(load[0] == VAR_LOAD_PARAMETER)

    def _target(self, node: nodes.Node, scope: _Scope) -> Node:
        if isinstance(node, nodes.Tuple):
            return [self._target(item, scope) for item in node.items]
        if isinstance(node, nodes.NSRef):
            self._flaw(
                "only a name can be set, not a field of a value", node, r"\b(" + re.escape(node.name) + r"\s*\.)"
            )
            return 0
        assert isinstance(node, nodes.Name)
        return self._store(node.name, node, scope)

    def _store(self, name: str, node: nodes.Node, scope: _Scope) -> int:
        if name.startswith("_"):
            self._flaw("names that begin with `_` are not in the template language", node, _word(name))
        elif name in ("loop", "caller", "varargs", "kwargs", "self"):
            self._flaw(f"`{name}` cannot be set", node, _word(name))
        elif not name.isascii():
            self._flaw(f"the name {quote(name)} is not ASCII", node)
        return scope.function.slot(scope.symbols.ref(name))

    # Statements

    def _body(self, body: Iterable[nodes.Node], scope: _Scope) -> list[Node]:
        found: list[Node] = []
        for statement in body:
            if isinstance(statement, nodes.Output):
                lowered = [self._output(part, scope) for part in statement.nodes]
            else:
                lowered = [self._statement(statement, scope)]
            for node in lowered:
                if isinstance(node, str) and found and isinstance(found[-1], str):
                    found[-1] += node
                elif node != "" and node is not None:
                    found.append(node)
        return found

    def _output(self, node: nodes.Node, scope: _Scope) -> Node:
        if isinstance(node, nodes.TemplateData):
            return node.data
        lowered = self._expression(node, scope)
        return lowered if isinstance(lowered, list) else printed(lowered)

    def _statement(self, node: nodes.Node, scope: _Scope) -> Node:
        lower = _STATEMENTS.get(type(node))
        if lower is not None:
            return lower(self, node, scope)
        tag = _REFUSED.get(type(node), "do" if isinstance(node, nodes.ExprStmt) else type(node).__name__.lower())
        self._refused_tag(tag, node)
        return None

    def _if(self, node: nodes.If, scope: _Scope) -> Node:
        branches = [[self._expression(n.test, scope), self._body(n.body, scope)] for n in (node, *node.elif_)]
        return ["if", branches, self._body(node.else_, scope)]

    def _for(self, node: nodes.For, scope: _Scope) -> Node:
        if node.recursive:
            self._flaw("`recursive` is not in the template language", node, r"\b(recursive)\b")
        inner, tested, otherwise = scope.inner(), scope.inner(), scope.inner()
        inner.loops += 1
        if inner.loops > LOOP_LIMIT:
            self._flaw(f"loops are nested more than {LOOP_LIMIT} deep", node, r"\{%[-+]?\s*(for)\b")
            inner.loops = 1
        slot = None
        if "loop" in find_undeclared(node.iter_child_nodes(only=("body",)), ("loop",)):
            slot = inner.function.slot(inner.symbols.declare_parameter("loop"))
        inner.symbols.analyze_node(node, for_branch="body")
        otherwise.symbols.analyze_node(node, for_branch="else")
        target = self._target(node.target, inner)
        test: Node = None
        if node.test is not None:
            tested.symbols.analyze_node(node, for_branch="test")
            test = [self._enter(tested), self._expression(node.test, tested)]
        source = self._expression(node.iter, scope)
        enter = self._enter(inner)
        body = self._body(node.body, inner)
        return [
            "for",
            target,
            source,
            test,
            slot,
            enter,
            body,
            self._enter(otherwise),
            self._body(node.else_, otherwise),
        ]

    def _set(self, node: nodes.Assign, scope: _Scope) -> Node:
        return ["set", self._target(node.target, scope), self._expression(node.node, scope)]

    def _block_set(self, node: nodes.AssignBlock, scope: _Scope) -> Node:
        inner = scope.inner()
        inner.symbols.analyze_node(node)
        enter = self._enter(inner)
        body = self._body(node.body, inner)
        result = None if node.filter is None else self._expression(node.filter, inner)
        return ["block", self._target(node.target, scope), enter, body, result]

    def _with(self, node: nodes.With, scope: _Scope) -> Node:
        inner = scope.inner()
        inner.symbols.analyze_node(node)
        pairs = [
            [self._target(target, inner), self._expression(value, scope)]
            for target, value in zip(node.targets, node.values, strict=True)
        ]
        return ["with", self._enter(inner), pairs, self._body(node.body, inner)]

    def _macro(self, node: nodes.Macro, scope: _Scope) -> Node:
        if node.name in FUNCTIONS:
            self._flaw(f"`{node.name}` is a function of ohud", node, r"\bmacro\s+(" + node.name + r")\b")
        inner = scope.inner(_Function(scope.function))
        inner.loops = 0
        inner.symbols.analyze_node(node)
        slots = [self._store(argument.name, argument, inner) for argument in node.args]
        defaults = [self._expression(default, inner) for default in node.defaults]
        enter = self._enter(inner)
        body = self._body(node.body, inner)
        slot = self._store(node.name, node, scope)
        names = [argument.name for argument in node.args]
        return ["macro", slot, slots, names, defaults, len(inner.function.slots), enter, body]

    # Expressions

    def _expression(self, node: nodes.Node | None, scope: _Scope) -> Node:
        if node is None:
            # the text that a block set has gathered, which its filter works on
            return ["captured"]
        lower = _EXPRESSIONS.get(type(node))
        if lower is not None:
            return lower(self, node, scope)
        if isinstance(node, nodes.Pow):
            self._flaw("`**` is not in the template language", node, r"(\*\*)", help="multiply")
        else:
            self._flaw(f"`{type(node).__name__.lower()}` is not in the template language", node)
        return ["undefined"]

    def _all(self, found: Iterable[nodes.Node], scope: _Scope) -> list[Node]:
        return [self._expression(node, scope) for node in found]

    def _constant(self, node: nodes.Const, scope: _Scope) -> Node:
        value = node.value
        if isinstance(value, str):
            wrong = next((c for c in value if not _harmless(c)), None)
            if wrong is not None:
                self._flaw(f"a text literal holds the invisible character U+{ord(wrong):04X}", node)
            if len(value) > TEXT_LIMIT:
                self._flaw(f"a text literal is longer than {TEXT_LIMIT} characters", node)
        elif isinstance(value, int) and abs(value) > INTEGER_LIMIT:
            self._flaw("a whole number is beyond 10^15", node)
        elif isinstance(value, float) and not abs(value) < float("inf"):
            self._flaw("a number is not finite", node)
        return value

    def _data(self, node: nodes.TemplateData, scope: _Scope) -> Node:
        return node.data

    def _items(self, node: nodes.List | nodes.Tuple, scope: _Scope) -> Node:
        if len(node.items) > ITEM_LIMIT:
            self._flaw(f"a list has more than {ITEM_LIMIT} items", node)
        return ["list" if isinstance(node, nodes.List) else "tuple", self._all(node.items, scope)]

    def _object(self, node: nodes.Dict, scope: _Scope) -> Node:
        if len(node.items) > ITEM_LIMIT:
            self._flaw(f"an object has more than {ITEM_LIMIT} keys", node)
        return ["dict", [self._all((pair.key, pair.value), scope) for pair in node.items]]

    def _binary(self, node: nodes.BinExpr, scope: _Scope) -> Node:
        operator = _BINARY[type(node)]
        if operator == "%" and isinstance(node.left, nodes.Const) and isinstance(node.left.value, str):
            self._flaw("`%` takes numbers", node, r"(%)(?![\w}])", help="use the filter: `'...' | format(...)`")
        return [operator, self._expression(node.left, scope), self._expression(node.right, scope)]

    def _logic(self, node: nodes.And | nodes.Or, scope: _Scope) -> Node:
        name = "and" if isinstance(node, nodes.And) else "or"
        return [name, self._expression(node.left, scope), self._expression(node.right, scope)]

    def _not(self, node: nodes.Not, scope: _Scope) -> Node:
        return ["not", self._expression(node.node, scope)]

    def _signed(self, node: nodes.Neg | nodes.Pos, scope: _Scope) -> Node:
        value = self._expression(node.node, scope)
        if type(value) in (int, float):
            return -value if isinstance(node, nodes.Neg) else value
        return ["negative" if isinstance(node, nodes.Neg) else "positive", value]

    def _concat(self, node: nodes.Concat, scope: _Scope) -> Node:
        return ["~", self._all(node.nodes, scope)]

    def _compare(self, node: nodes.Compare, scope: _Scope) -> Node:
        rest = [[operand.op, self._expression(operand.expr, scope)] for operand in node.ops]
        return ["compare", self._expression(node.expr, scope), rest]

    def _either(self, node: nodes.CondExpr, scope: _Scope) -> Node:
        otherwise = ["undefined"] if node.expr2 is None else self._expression(node.expr2, scope)
        return ["either", self._expression(node.test, scope), self._expression(node.expr1, scope), otherwise]

    def _attribute(self, node: nodes.Getattr, scope: _Scope) -> Node:
        if node.attr.startswith("_"):
            self._flaw("names that begin with `_` are not in the template language", node, _field(node.attr))
            return ["undefined"]
        if isinstance(node.node, nodes.Name):
            name = node.node.name
            if name == "loop" and self._is_loop(scope):
                if node.attr not in LOOP_NAMES:
                    help = _did_you_mean(node.attr, LOOP_NAMES)
                    self._flaw(f"a loop has no {quote(node.attr)}", node, _field(node.attr), help=help)
                return ["loop", self._read(name, scope, scope.function), node.attr]
            if name in self.macros:
                self._flaw(f"`{name}` is a macro, it can only be called", node, rf"\b({re.escape(name)})\s*\.")
        return [".", self._expression(node.node, scope), node.attr]

    def _subscript(self, node: nodes.Getitem, scope: _Scope) -> Node:
        value = self._expression(node.node, scope)
        if not isinstance(node.arg, nodes.Slice):
            return ["[]", value, self._expression(node.arg, scope)]
        bounds = [node.arg.start, node.arg.stop, node.arg.step]
        return ["[:]", value, *[None if bound is None else self._expression(bound, scope) for bound in bounds]]

    def _arguments(self, node: nodes.Filter | nodes.Test | nodes.Call, scope: _Scope) -> tuple[list[Node], list[Node]]:
        if node.dyn_args is not None or node.dyn_kwargs is not None:
            self._flaw("`*` and `**` before an argument are not in the template language", node)
        named: list[Node] = []
        for pair in node.kwargs:
            key = str(pair.key)
            if key in [name for name, _ in named]:
                self._flaw(f"the argument {quote(key)} is given twice", node, rf"\b({key})\s*=")
            named.append([key, self._expression(pair.value, scope)])
        return self._all(node.args, scope), named

    def _filter(self, node: nodes.Filter, scope: _Scope) -> Node:
        name = node.name
        if node.node is not None and name in ("default", "d"):
            value = self._optional(node.node, scope)
        else:
            value = self._expression(node.node, scope)
        arguments, named = self._arguments(node, scope)
        pattern = r"\|\s*(" + re.escape(name) + r")\b"
        function, skipped = _filter_function(name)
        if function is None:
            help = _INSTEAD_OF_FILTER.get(name)
            if help is None and name in _ANSI:
                help = f'use `fg("{name}")`'
            if help is None:
                help = _did_you_mean(name, [*FILTERS, *STYLE_FILTERS, *SCALES])
            known = f"filter `{name}` is not in the template language" if name in _INSTEAD_OF_FILTER else None
            self._flaw(known or f"unknown filter {quote(name)}", node, pattern, help=help)
            return ["undefined"]
        lowered = ["|", name, value, arguments, named]
        if name == "reverse" and not arguments and not named:
            return lowered
        if not self._fits("filter", name, function, skipped, arguments, named, node, pattern):
            return ["fault", f"filter `{name}` is given the wrong arguments"]
        if self.icons == "ascii" and name in PLAIN:
            own = list(inspect.signature(function).parameters)[skipped:]
            given = [*own[: len(arguments)], *(key for key, _ in named)]
            named += [[key, glyphs] for key, glyphs in PLAIN[name].items() if key not in given]
        if name == "format":
            text = node.node.value if isinstance(node.node, nodes.Const) else None
            fault = check_format(text) if isinstance(text, str) else "the format must be a literal text"
            if fault:
                self._flaw(f"`format`: {fault}", node, pattern)
        wrong = self._colours(name, arguments)
        if wrong:
            self._flaw(wrong.message, node, pattern, wrong.help, weight="part")
            return ["|", "string", value, [], []]
        return lowered

    def _colours(self, name: str, arguments: list[Node]) -> Flaw | None:
        """What is wrong with a literal colour or style."""
        if name in ("fg", "bg", "gradient"):
            wrong = (wrong_colour(a, self.palette) for a in arguments if isinstance(a, (str, int)))
            return next((flaw for flaw in wrong if flaw), None)
        if name == "style" and isinstance(arguments[0] if arguments else None, str):
            return wrong_style(arguments[0], self.palette)
        return None

    def _fits(
        self,
        kind: str,
        name: str,
        function: Callable[..., Any],
        skipped: int,
        arguments: list[Node],
        named: list[Node],
        node: nodes.Node,
        pattern: str,
    ) -> bool:
        """Whether a function takes these arguments."""
        if any(key == "attribute" for key, _ in named):
            self._flaw("the argument `attribute` is not in the template language", node, r"\b(attribute)\s*=")
            return False
        try:
            inspect.signature(function).bind(*[None] * (skipped + len(arguments)), **dict(named))
        except TypeError as fault:
            self._flaw(
                f"{kind} `{name}`: {str(fault).replace(chr(39), '`')}",
                node,
                pattern,
                help=f"it is used as `{_usage(name, function, skipped)}`",
                weight="part",
            )
            return False
        return True

    def _test(self, node: nodes.Test, scope: _Scope) -> Node:
        name = node.name
        optional = name in ("defined", "undefined")
        value = self._optional(node.node, scope) if optional else self._expression(node.node, scope)
        arguments, named = self._arguments(node, scope)
        pattern = r"\bis\s+(?:not\s+)?(" + re.escape(name) + r")(?!\w)"
        if name in OPERATORS:
            if len(arguments) != 1 or named:
                self._flaw(f"test `{name}` takes one argument", node, pattern, weight="part")
                return ["fault", f"test `{name}` takes one argument"]
            return ["compare", value, [[OPERATORS[name], arguments[0]]]]
        if name not in TESTS:
            self._flaw(f"unknown test {quote(name)}", node, pattern, help=_did_you_mean(name, [*TESTS, *OPERATORS]))
            return ["undefined"]
        if not self._fits("test", name, TESTS[name], 1, arguments, named, node, pattern):
            return ["fault", f"test `{name}` is given the wrong arguments"]
        return ["is", name, value, arguments, named]

    def _call(self, node: nodes.Call, scope: _Scope) -> Node:
        called = node.node
        if isinstance(called, nodes.Name) and called.name in self.macros:
            return self._macro_call(called, node, scope)
        if isinstance(called, nodes.Name) and called.name in FUNCTIONS:
            return self._function(called.name, node, scope)
        if isinstance(called, nodes.Getattr):
            self._method(called, scope)
        elif isinstance(called, nodes.Name):
            name = called.name
            pattern = r"\b(" + re.escape(name) + r")\s*\("
            help = _INSTEAD_OF_CALL.get(name)
            if help is None and (name in FILTERS or name in STYLE_FILTERS):
                help = f"`{name}` is a filter: `value | {name}`"
            if help is None and name in self.names:
                help = f"`{name}` is a segment: write it without `()`"
            help = help or _did_you_mean(name, [*self.macros, *FUNCTIONS])
            self._flaw(f"there is no function or macro {quote(name)}", node, pattern, help=help)
        else:
            self._flaw("only macros of the template and `row`, `powerline`, `fill`, `icon` can be called", node)
        return ["undefined"]

    def _method(self, node: nodes.Getattr, scope: _Scope) -> None:
        name = node.attr
        written = node.node.name if isinstance(node.node, nodes.Name) else "x"
        if name.startswith("_"):
            self._flaw("names that begin with `_` are not in the template language", node, _field(name))
            return
        if written == "loop":
            help: str | None = "use `loop.index0 % 2`" if name == "cycle" else None
            self._flaw(f"`loop.{name}()` is not in the template language", node, _field(name), help=help)
            return
        help = _HELP_FOR_METHOD.get(name)
        if help is None:
            instead = _INSTEAD_OF_METHOD.get(name, name if name in FILTERS else None)
            help = f"use `{{x}} | {instead}`" if instead else None
        help = help.replace("{x}", written) if help else None
        self._flaw("methods of values are not in the template language", node, _field(name), help=help)

    def _macro_call(self, called: nodes.Name, node: nodes.Call, scope: _Scope) -> Node:
        name = called.name
        arguments, named = self._arguments(node, scope)
        source = self._read(name, scope, scope.function)
        pattern = r"(?<!macro )\b(" + re.escape(name) + r")\s*\("
        if len(self.macros[name]) == 1:
            known = [argument.name for argument in self.macros[name][0].args]
            wrong = None
            if len(arguments) > len(known):
                wrong = f"macro `{name}` takes at most {count(len(known), 'argument')}, not {len(arguments)}"
            for key, _ in named:
                if key not in known[len(arguments) :]:
                    wrong = f"macro `{name}` does not take {quote(key)} here"
            if wrong:
                self._flaw(wrong, node, pattern, weight="part")
                return ["fault", wrong]
        return ["call", source, arguments, named]

    def _function(self, name: str, node: nodes.Call, scope: _Scope) -> Node:
        pattern = r"\b(" + name + r")\s*\("
        if name == "icon":
            return self._icon(node, pattern)
        arguments, named = self._arguments(node, scope)
        if name == "fill":
            if arguments or named:
                self._flaw("`fill` takes no arguments", node, pattern, weight="part")
            return ["fill"]
        for key, _ in named:
            if key not in ROW_OPTIONS[name]:
                help = _did_you_mean(key, ROW_OPTIONS[name]) or f"it takes {either(ROW_OPTIONS[name])}"
                self._flaw(f"`{name}` takes no {quote(key)}", node, r"\b(" + key + r")\s*=", help=help, weight="part")
                return ["fault", f"`{name}` takes no `{key}`"]
        for pair in node.kwargs:
            if pair.key == "wrap" and isinstance(pair.value, nodes.Const) and printed(pair.value.value) not in LINES:
                wrong = "`wrap` is a number of lines from 1 to 10"
                self._flaw(wrong, node, r"\bwrap\s*=\s*([^\s,)]+)", weight="part")
                return ["fault", wrong]
        if len(arguments) > ITEM_LIMIT:
            self._flaw(f"`{name}` takes at most {ITEM_LIMIT} items", node, pattern)
        return [name, "", arguments, [], named]

    def _icon(self, node: nodes.Call, pattern: str) -> Node:
        name = node.args[0].value if len(node.args) == 1 and isinstance(node.args[0], nodes.Const) else None
        if not isinstance(name, str) or node.kwargs or node.dyn_args or node.dyn_kwargs:
            self._flaw('`icon` takes one literal name: `icon("branch")`', node, pattern)
            return ""
        found = glyph(name, self.icons)
        if found is None:
            self._flaw(
                f"unknown icon {quote(name)}",
                node,
                r"\bicon\(\s*['\"](" + re.escape(name) + r")['\"]",
                help=_did_you_mean(name, ICONS),
                weight="part",
            )
        return found or ""


_STATEMENTS: dict[type[nodes.Node], Callable[..., Node]] = {
    nodes.If: _Lowering._if,
    nodes.For: _Lowering._for,
    nodes.Assign: _Lowering._set,
    nodes.AssignBlock: _Lowering._block_set,
    nodes.With: _Lowering._with,
    nodes.Macro: _Lowering._macro,
}

_EXPRESSIONS: dict[type[nodes.Node], Callable[..., Node]] = {
    nodes.Name: _Lowering._name,
    nodes.Const: _Lowering._constant,
    nodes.TemplateData: _Lowering._data,
    nodes.List: _Lowering._items,
    nodes.Tuple: _Lowering._items,
    nodes.Dict: _Lowering._object,
    **dict.fromkeys(_BINARY, _Lowering._binary),
    nodes.And: _Lowering._logic,
    nodes.Or: _Lowering._logic,
    nodes.Not: _Lowering._not,
    nodes.Neg: _Lowering._signed,
    nodes.Pos: _Lowering._signed,
    nodes.Concat: _Lowering._concat,
    nodes.Compare: _Lowering._compare,
    nodes.CondExpr: _Lowering._either,
    nodes.Getattr: _Lowering._attribute,
    nodes.Getitem: _Lowering._subscript,
    nodes.Filter: _Lowering._filter,
    nodes.Test: _Lowering._test,
    nodes.Call: _Lowering._call,
}


def _harmless(character: str) -> bool:
    """Whether a character may stand in a template: no controls but LF, nothing invisible but emoji joiners."""
    return character == "\n" or character in "\u200d\ufe0e\ufe0f" or not invisible(character)


def _did_you_mean(word: str, known: Iterable[str]) -> str | None:
    close = nearest(word, known)
    return f"did you mean `{close}`?" if close else None


def _line(node: nodes.Node) -> int:
    """The line of a node; some have none of their own."""
    return node.lineno or next((child.lineno for child in node.iter_child_nodes() if child.lineno), 1)


def _word(name: str) -> str:
    return r"(?<![\w.'\"])(" + re.escape(name) + r")(?!\w)"


def _field(name: str) -> str:
    return r"\.\s*(" + re.escape(name) + r")(?!\w)"


def _filter_function(name: str) -> tuple[Callable[..., Any] | None, int]:
    """The function behind a filter, and how many of its parameters are not arguments."""
    if name in STYLE_FILTERS:
        return STYLE_FILTERS[name], 2
    if name in SCALES:
        return SCALES[name], 3
    kind, function = FILTERS.get(name, ("", None))
    return function, 2 if kind.startswith("context") else 1


def _usage(name: str, function: Callable[..., Any], skipped: int) -> str:
    """How a filter or test is written: `truncate(length=255, killwords=false, ...)`."""
    parts = []
    for parameter in list(inspect.signature(function).parameters.values())[skipped:]:
        text = parameter.name
        if parameter.kind is parameter.VAR_POSITIONAL:
            text += ", ..."
        elif parameter.default is not parameter.empty:
            default = parameter.default
            text += "=" + (repr(default) if isinstance(default, str) else printed(default) or "none")
        parts.append(text)
    return f"{name}({', '.join(parts)})" if parts else name
