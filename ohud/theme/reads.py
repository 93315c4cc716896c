"""What a theme looks at: the fields of the payload and the computed ones that its expressions name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ohud.theme import fieldset
from ohud.theme.expressions import compile_expression
from ohud.theme.lower import families_of
from ohud.theme.read import SegmentSource, Theme

# A path into the payload, and how many lists the expression has put around what stands there.
Place = tuple[tuple[str, ...], int]
Places = frozenset[Place]

_NOTHING: Places = frozenset()
_AS = re.compile(r"\bas (\w+)")
_LINK = re.compile(r"\|\s*link\b")
_ELEMENT = "[]"


@dataclass(frozen=True, slots=True)
class Reads:
    """
    What a theme reads, whatever its options say.

    Takes:  payload: paths into the payload, `[]` behind a list, `@` for all of it; task: the same of a subagent's task;
            computed: paths below `computed`, `computed` itself for everything that is cheap; slow: those of the
            computed ones that start a program or ask another process; transcript: whether a field comes from the
            session's transcript; links: whether text is made into hyperlinks
    """

    payload: tuple[str, ...]
    task: tuple[str, ...]
    computed: tuple[str, ...]
    slow: tuple[str, ...]
    transcript: bool
    links: bool

    @property
    def families(self) -> tuple[str, ...]:
        """The families of the computed fields."""
        return tuple(dict.fromkeys(path.split(".")[1] for path in self.computed if path != "computed"))


def reads(theme: Theme) -> Reads:
    """What a theme's expressions and templates look at, those of its subagent rows among them."""
    segments = [*theme.segments.values(), *theme.subagents.segments.values()]
    reach: set[tuple[str, str | None]] = set()
    paths: set[str] = set()
    for text in _expressions(segments):
        expression = compile_expression(text)
        if expression.ir is not None:
            reach |= expression.reach
            paths |= payload_paths(expression.ir)
    catalogue = fieldset.catalogue()
    fields = [(family, name) for family, names in families_of(reach).items() for name in _names(family, names)]
    docs = {_path(family, name): catalogue[family][name] for family, name in fields}
    texts = [theme.template, theme.subagents.template, *(segment.format for segment in segments)]
    of_task = {path for path in paths if path == "task" or path.startswith("task.")}
    return Reads(
        payload=tuple(sorted(paths - of_task)),
        task=tuple(sorted(of_task)),
        computed=tuple(sorted(computed_path(*pair) for pair in reach)),
        slow=tuple(path for path, doc in docs.items() if doc.cost == "slow"),
        transcript=any(_of_transcript(family, name) for family, name in fields),
        links=any(_LINK.search(text) for text in texts if text),
    )


def computed_path(family: str, name: str | None) -> str:
    """The path of what an expression reaches: a field, a whole family, or `computed` for everything."""
    if family == "*":
        return "computed"
    return f"computed.{family}" if name is None or fieldset.is_value(family) else f"computed.{family}.{name}"


def _of_transcript(family: str, name: str) -> bool:
    """Whether a field comes from the session's transcript, itself or by way of another of its family."""
    docs = fieldset.catalogue()[family]
    waiting, seen = [name], set()
    while waiting:
        name = waiting.pop()
        said = docs[name].reads if name in docs and name not in seen else None
        seen.add(name)
        if said and "transcript" in said:
            return True
        waiting += _AS.findall(said or "")
    return False


def _expressions(segments: Iterable[SegmentSource]) -> Iterator[str]:
    for segment in segments:
        yield from (text for text in (segment.value, segment.when) if text is not None)


def _names(family: str, names: list[str] | bool) -> list[str]:
    return [family] if isinstance(names, bool) else names


def _path(family: str, name: str) -> str:
    return computed_path(family, name)


# -- the payload's part ------------------------------------------------------------------------------------------------
#
# The lowered tree is run over places instead of values, as in theme/expressions.py, but over those of the payload. A
# place is kept when the expression uses what stands there: as its result, an operand, an argument.


def payload_paths(ir: list[Any]) -> set[str]:
    """
    The paths into the payload that an expression can look at.

    Takes:   ir: a lowered expression
    Returns: names joined by dots, `[]` behind a list, `*` for every value of an object, `@` for the whole payload
    """
    found: set[str] = set()
    _keep(_places(ir, frozenset([((), 0)]), found), found)
    return found


def _keep(places: Places, found: set[str]) -> None:
    found.update(".".join(path).replace("." + _ELEMENT, _ELEMENT) or "@" for path, _ in places)


def _places(node: list[Any], here: Places, found: set[str]) -> Places:
    word = node[0]
    if word == "get":
        for key in node[1]:
            here = _part(here, key)
        return here
    if word in ("at", "slice"):
        return here
    if word == "then":
        for step in node[1]:
            here = _places(step, here, found)
        return here
    if word in ("or", "and"):
        left = _places(node[1], here, found)
        _keep(left, found)
        return left | _places(node[2], here, found)
    if word in ("each", "where", "values", "flat"):
        return _projected(node, here, found)
    if word == "call":
        return _called(node[2], here, found)
    for operand in _operands(node):
        _keep(_places(operand, here, found), found)
    return _NOTHING


def _operands(node: list[Any]) -> list[list[Any]]:
    """What is used as a whole: all that is compared, negated or put into a new list or object."""
    if node[0] in ("lit", "ref"):
        return []
    if node[0] == "list":
        return list(node[1])
    return [item for _, item in node[1]] if node[0] == "dict" else node[1:]


def _part(here: Places, key: str | int) -> Places:
    """What stands under a name or an index; `computed` is no part of the payload."""
    if isinstance(key, int):
        return _elements(here)
    return frozenset(((*path, key), 0) for path, lists in here if not lists and (path or key != "computed"))


def _elements(here: Places) -> Places:
    return frozenset((path, lists - 1) if lists else ((*path, _ELEMENT), 0) for path, lists in here)


def _projected(node: list[Any], here: Places, found: set[str]) -> Places:
    word = node[0]
    base = _places(node[1], here, found)
    if word == "flat":
        # A list made by the expression is flattened for the lists in it.
        return frozenset(((*path, _ELEMENT), 1) if lists else (path, 0) for path, lists in base)
    items = frozenset(((*path, "*"), 0) for path, _ in base) if word == "values" else _elements(base)
    if word == "where":
        _keep(_places(node[3], items, found), found)
    return frozenset((path, lists + 1) for path, lists in _places(node[2], items, found))


def _called(arguments: list[list[Any]], here: Places, found: set[str]) -> Places:
    given = _NOTHING.union(*[_places(one, here, found) for one in arguments if one[0] != "ref"])
    _keep(given, found)
    for one in arguments:
        if one[0] == "ref":
            _keep(_places(one[1], _elements(given), found), found)
    return _NOTHING
