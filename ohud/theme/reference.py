"""
The slow meaning of a theme's two languages: what programs must equal.

Templates are rendered by jinja2's own sandbox, with jinja2's own filters and tests where it has them. It is bent
in these places, which are the language's own rules (a field of a value is a key, never an attribute of Python):

- what is printed, also by `~`, `join` and text filters: nothing for null, lists and objects; true and false
- a filter of a missing or null value gives "", a filter that jinja2 makes lazy gives a list
- `default` takes null for missing; a hidden segment is missing to all filters
- a loop over null has no turns
- `x.name` and `x["name"]` look into objects only; a segment knows value, visible and text
- `reverse` of a text is the style, `%` takes numbers only
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from inspect import signature
from typing import Any, cast

import jmespath
from jinja2 import ChainableUndefined, Template, Undefined, nodes
from jinja2.filters import FILTERS as JINJA_FILTERS
from jinja2.runtime import Context as JinjaContext
from jinja2.runtime import LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.tests import TESTS as JINJA_TESTS
from jinja2.utils import pass_context
from jinja2.visitor import NodeTransformer
from jmespath.exceptions import JMESPathError

from ohud.run.clean import clean
from ohud.run.fault import Fault
from ohud.run.filters import FILTERS
from ohud.run.payload import parse
from ohud.run.status import Segments, begin, finish
from ohud.run.style import STYLE_FILTERS
from ohud.run.template import SCALES, Context
from ohud.run.value import TESTS, UNDEFINED, Segment, opened, printed
from ohud.run.world import World
from ohud.theme.icons import PLAIN, glyph
from ohud.theme.lower import template_text
from ohud.theme.read import Theme
from ohud.theme.templates import OPERATORS, compile_template, normal


def render_template(
    text: str,
    segments: Mapping[str, Segment],
    context: Context,
    values: Mapping[str, Any] | None = None,
    icons: str = "emoji",
) -> str:
    """
    The marked text that jinja2 makes of a template.

    Takes:    segments by name; context: its sheet, clock, home, palette and terminal are used, its budgets are not;
              values: further plain names
    Errors:   whatever jinja2 raises: one fault ends the whole render here
    """
    names: dict[str, Any] = {name: _Segment.of(segment) for name, segment in segments.items()}
    names.update(palette=context.palette, terminal=context.terminal)
    names.update(values or {})
    environment = _environment(icons)
    environment.drawing = context
    return _compiled(normal(text), icons).render(names)


@lru_cache(maxsize=3)
def _environment(icons: str) -> _Environment:
    return _Environment(icons)


@lru_cache(maxsize=1024)
def _compiled(text: str, icons: str) -> Template:
    """The template as jinja2 compiles it; nothing in it belongs to one render."""
    return _environment(icons).from_string(text)


def search(expression: str, document: Any) -> Any:
    """The value of a JMESPath expression."""
    return jmespath.search(expression, document)


class _Segment(Segment):
    """A segment that Python's operators work on as the interpreter's do: by its value."""

    __slots__ = ()

    @classmethod
    def of(cls, segment: Segment) -> _Segment:
        s = segment
        return cls(s.value, s.visible, s.plain, s.text, s.style, s.priority)

    def __str__(self) -> str:
        return printed(self)

    def __bool__(self) -> bool:
        return self.visible and self.value is not False

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value if isinstance(self.value, (list, dict, tuple)) else printed(self))

    def __contains__(self, item: object) -> bool:
        return opened(item) in self.value

    def __getitem__(self, key: Any) -> Any:
        return self.value[key]

    def __neg__(self) -> Any:
        return -self.value

    def __pos__(self) -> Any:
        return +self.value

    def __eq__(self, other: object) -> bool:
        return bool(self.value == opened(other))

    def __hash__(self) -> int:
        return hash(self.value)


def _forward(operate: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: operate(self.value, opened(other))


def _backward(operate: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: operate(opened(other), self.value)


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod"):
    setattr(_Segment, f"__{_name}__", _forward(getattr(operator, _name)))
    setattr(_Segment, f"__r{_name}__", _backward(getattr(operator, _name)))
for _name in ("ne", "lt", "le", "gt", "ge"):
    setattr(_Segment, f"__{_name}__", _forward(getattr(operator, _name)))


class _Printing(NodeTransformer):
    """Makes `~` join what its operands print, and a loop over null one without turns."""

    def visit_For(self, node: nodes.For) -> nodes.Node:
        self.generic_visit(node)
        node.iter = nodes.Filter(node.iter, "~each", [], [], None, None, lineno=node.lineno)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        return nodes.Filter(nodes.List(node.nodes), "~", [], [], None, None, lineno=node.lineno)


class _Environment(ImmutableSandboxedEnvironment):
    """jinja2's sandbox with the language's own rules."""

    intercepted_binops = frozenset(["%"])

    drawing: Context  # of the render that goes on

    def __init__(self, icons: str) -> None:
        super().__init__(undefined=ChainableUndefined, finalize=printed, autoescape=False, cache_size=0)
        self.filters.clear()
        self.filters["~"] = lambda values: "".join(map(printed, values))
        self.filters["~each"] = lambda value: () if opened(value) is None else value
        for name, (kind, function) in FILTERS.items():
            drawn = _drawn(function, PLAIN[name]) if icons == "ascii" and name in PLAIN else function
            self.filters[name] = _filter(name, kind, drawn, self)
        for name, style in {**STYLE_FILTERS, **SCALES}.items():
            self.filters[name] = _style(name, style, self)
        self.tests = {name: _test(name) for name in TESTS} | {
            name: JINJA_TESTS[name] if name != "in" else _contained for name in OPERATORS
        }
        self.globals.clear()
        self.globals.update(
            row=_row(self),
            powerline=_powerline(self),
            fill=lambda: self.drawing.sheet.fill(),
            icon=lambda name: glyph(name, icons) or "",
        )

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        return cast(nodes.Template, _Printing().visit(super()._parse(source, name, filename)))

    def call_binop(self, context: JinjaContext, operator: str, left: Any, right: Any) -> Any:
        if isinstance(opened(left), str):
            raise TypeError("`%` takes numbers")
        return super().call_binop(context, operator, left, right)

    def getattr(self, obj: Any, attribute: str) -> Any:
        if isinstance(obj, LoopContext):
            return super().getattr(obj, attribute)
        if isinstance(obj, Segment) and attribute in ("value", "visible", "text"):
            return printed(obj) if attribute == "text" else getattr(obj, attribute)
        return self.getitem(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        obj, argument = opened(obj), opened(argument)
        if isinstance(obj, (str, list, tuple, dict)):
            try:
                return obj[argument]
            except (TypeError, LookupError):
                pass
        return self.undefined(obj=obj, name=argument)


def _absent(value: Any) -> bool:
    """Whether a filter gives "" without looking at the value."""
    return value is None or isinstance(value, Undefined) or (isinstance(value, Segment) and not value.visible)


def _operand(kind: str, value: Any) -> Any:
    raw = opened(value)
    if kind.endswith("text") or kind == "cells":
        return printed(value)
    if kind in ("list", "order") and isinstance(value, Segment) and not isinstance(raw, (list, dict, tuple)):
        return printed(value)
    return raw


def _drawn(function: Callable[..., Any], glyphs: dict[str, str]) -> Callable[..., Any]:
    """The function with other glyphs where it is not given any."""
    names = list(signature(function).parameters)

    def drawing(*arguments: Any, **named: Any) -> Any:
        given = names[: len(arguments)]
        return function(*arguments, **{**{key: text for key, text in glyphs.items() if key not in given}, **named})

    return drawing


def _filter(name: str, kind: str, function: Callable[..., Any], environment: _Environment) -> Callable[..., Any]:
    own = JINJA_FILTERS.get(name) if name not in ("default", "d", "string", "reverse") else None

    @pass_context
    def apply(names: JinjaContext, value: Any, *arguments: Any, **named: Any) -> Any:
        if kind == "any":
            known = UNDEFINED if isinstance(value, Undefined) else value
            found = function(known, *arguments, **named)
            return value if found is UNDEFINED else found
        value = value if not _absent(value) else None
        if value is None or (_operand(kind, value) is None):
            return ""
        value = _operand(kind, value)
        arguments, named = tuple(map(opened, arguments)), {key: opened(item) for key, item in named.items()}
        if own is None:
            found = (
                function(environment.drawing, value, *arguments, **named)
                if kind.startswith("context")
                else function(value, *arguments, **named)
            )
        else:
            found = _jinja(own, names, *_printing(name, value, arguments), **named)
        return list(found) if isinstance(found, Iterator) else found

    return apply


def _printing(name: str, value: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Operand and arguments, those made text that the filter prints."""
    if name == "join":
        return ([printed(item) for item in value], *map(printed, arguments))
    if name == "replace":
        return (value, *map(printed, arguments[:2]), *arguments[2:])
    if name == "format":
        return (value, *(a if type(a) in (int, float) else printed(a) for a in arguments))
    return (value, *arguments)


def _jinja(function: Callable[..., Any], names: JinjaContext, *arguments: Any, **named: Any) -> Any:
    """Calls one of jinja2's own filters with what it wants handed over first."""
    passed = getattr(function, "jinja_pass_arg", None)
    if passed is None:
        return function(*arguments, **named)
    first = {"context": names, "eval_context": names.eval_ctx, "environment": names.environment}[passed.name]
    return function(first, *arguments, **named)


def _style(name: str, function: Callable[..., str], environment: _Environment) -> Callable[..., Any]:
    def apply(value: Any, *arguments: Any, **named: Any) -> Any:
        raw = opened(value)
        if name in FILTERS and isinstance(raw, (list, dict, tuple)):
            return FILTERS[name][1](raw)
        text = printed(value)
        if not text:
            return ""
        arguments, named = tuple(map(opened, arguments)), {key: opened(item) for key, item in named.items()}
        if name in SCALES:
            return function(environment.drawing.sheet, text, raw, *arguments, **named)
        return function(environment.drawing.sheet, text, *arguments, **named)

    # never folded while compiling: the sheet numbers its styles in the order of use
    return pass_context(lambda names, *arguments, **named: apply(*arguments, **named))


def _test(name: str) -> Callable[..., Any]:
    function = cast(Callable[..., Any], TESTS[name] if name == "sameas" else JINJA_TESTS[name])

    def apply(value: Any, *arguments: Any) -> Any:
        if name not in ("defined", "undefined"):
            value = opened(value)
        if name in ("lower", "upper"):
            value = printed(value)
        return function(value, *map(opened, arguments))

    return apply


def _contained(value: Any, sequence: Any) -> bool:
    return opened(value) in opened(sequence)


def _items(values: tuple[Any, ...]) -> Iterator[tuple[Any, int | None]]:
    for value in values:
        yield value, value.priority if isinstance(value, Segment) else None


def _row(environment: _Environment) -> Callable[..., str]:
    def row(*values: Any, **named: Any) -> str:
        named = {name: printed(value) for name, value in named.items()}
        return environment.drawing.sheet.row(
            [(printed(value), priority) for value, priority in _items(values)], **named
        )

    return row


def _powerline(environment: _Environment) -> Callable[..., str]:
    def powerline(*values: Any, **named: Any) -> str:
        items: list[tuple[str, str | None, int | None]] = []
        for value, priority in _items(values):
            if isinstance(value, Segment):
                items.append((value.plain if value.visible else "", value.style, priority))
            else:
                items.append((printed(value), None, priority))
        return environment.drawing.sheet.powerline(items, **{name: printed(value) for name, value in named.items()})

    return powerline


class Meaning(Segments):
    """The segments of a theme as its two languages' own libraries compute them; the rest is the status line's."""

    def __init__(self, theme: Theme, program: dict[str, Any], root: dict[str, Any], world: World):
        super().__init__(program, root, world)
        self.theme = theme

    def evaluate(self, name: str, key: str) -> Any:
        """The value of a segment's expression by jmespath. Errors: Fault."""
        try:
            value = search(getattr(self.theme.segments[name], key), self.document)
        except (JMESPathError, ValueError, TypeError, OverflowError) as error:
            raise Fault(str(error)) from error
        return clean(value, 8192) if isinstance(value, str) else value

    def format(self, name: str, value: Any) -> str:
        """The text of a segment's format by jinja2. Errors: Fault."""
        text = self.theme.segments[name].format
        assert text is not None
        return self.rendered(text, {"value": value})

    def rendered(self, text: str, values: dict[str, Any] | None = None) -> str:
        """A template of the theme by jinja2, with the segments that it can read."""
        theme = self.theme
        options = frozenset(theme.options.items())
        read = _used(text, frozenset(theme.segments), theme.icons, tuple(values or ()), options)
        segments = {name: self.segment(name) for name in read}
        try:
            return render_template(
                text, segments, self.context, {"options": theme.options, **(values or {})}, theme.icons
            )
        except Exception as error:
            raise Fault(f"{type(error).__name__}: {error}") from error


@lru_cache(maxsize=1024)
def _used(
    text: str, names: frozenset[str], icons: str, values: tuple[str, ...], options: frozenset[tuple[str, Any]]
) -> list[str]:
    """The segments that a template can read."""
    return sorted(compile_template(text, names, icons=icons, values=values, options=dict(options)).used)


def render_theme(theme: Theme, program: dict[str, Any], raw: bytes, world: World) -> str:
    """
    What a theme prints for a payload, by the languages' own libraries.

    Takes:   theme: as it was read; program: what it was lowered to, for all that is not in one of the languages
    Errors:  Fault where jinja2 gives up on the theme's template as a whole
    """
    world.configure(program["settings"], program["color"], program["columns"])
    payload = parse(raw)
    assert payload is not None
    segments = Meaning(theme, program, begin(payload, world), world)
    return finish(segments.rendered(template_text(theme)), segments, program, world)
