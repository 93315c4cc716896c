"""What became of each segment of a theme on one payload: watched while the runtime draws it, and judged afterwards."""

from __future__ import annotations

import gc
import re
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, TypeVar

from ohud.cli.drawing import Moment, in_utc
from ohud.cli.output import as_json
from ohud.cli.subject import world_of
from ohud.errors import Problem
from ohud.run import status
from ohud.run.cells import ellipsis, plain, width
from ohud.run.fault import Spent
from ohud.run.value import Segment
from ohud.run.world import World
from ohud.theme import fieldset, lower, read

# A mark for each segment needs a style of its own, and a render has 1,024 of these.
_MARKS = 900
# Renders of which the fastest counts: the machine has other things to do as well.
_TURNS = 3


@dataclass(slots=True)
class Computed:
    """One computed field of one render."""

    path: str
    value: Any
    seconds: float
    bytes_read: int
    slow: bool
    fault: str | None = None


@dataclass(slots=True)
class Watch:
    """What was seen of one segment while it was made; values: of its expressions, by `value` and `when`."""

    values: dict[str, Any] = field(default_factory=dict)
    computed: list[Computed] = field(default_factory=list)
    expression_s: float = 0.0
    format_s: float = 0.0
    fault: str | None = None

    @property
    def compute_s(self) -> float:
        """The time that its computed fields took, as far as they were not there yet."""
        return sum(each.seconds for each in self.computed)


@dataclass(slots=True)
class Report:
    """
    One segment as it came out.

    Takes:  state: shown, cut, dropped, read (by the template, which does not print it), hidden, fault, skipped (the
            template did not come to it), unused (nothing names it); reason: of any but shown; text: what is on the
            screen, else what would be
    """

    name: str
    state: str
    reason: str | None
    source: read.SegmentSource
    watch: Watch
    value: Any
    text: str
    cells: int
    style: str | None
    level: tuple[float, str] | None
    priority: int
    needs: list[str]


@dataclass(slots=True)
class Explained:
    """A theme on one moment: what it prints, its segments, and what the stages took [s]."""

    output: str
    lines: list[str]
    room: int | None
    reports: list[Report]
    stages: dict[str, float]
    bytes_read: int

    @property
    def computed(self) -> list[Computed]:
        """Every field that was computed, once."""
        return [each for report in self.reports for each in report.watch.computed]


def explain(loaded: read.Loaded, built: lower.Built, moment: Moment, columns: int, color: str) -> Explained:
    """
    A theme on one moment, as `ohud.run.status.render` draws it.

    Takes:   columns: 0 for no limit
    Errors:  Spent when the theme's fuel is used up
    """
    program = {**built.program, "color": color}
    if columns == 0:
        program["columns"] = None
    with in_utc(moment):
        # The first render loads what the others time, and waits for the slow facts.
        _timed(moment, program, columns)
        output, seen, started, ended = min((_timed(moment, program, columns) for _ in range(_TURNS)), key=_length)
        marked = _again(moment, program, seen, world_of(moment, columns))
    theme = loaded.theme
    reports = [_report(name, loaded, built, seen, marked) for name in theme.segments]
    parts = {
        "payload": seen.began - started,
        "fields": sum(watch.compute_s for watch in seen.watches.values()),
        "expressions": sum(watch.expression_s for watch in seen.watches.values()),
        "formats": sum(watch.format_s for watch in seen.watches.values()),
    }
    parts["template"] = max(0.0, seen.laid_at - seen.began - sum(parts.values()) + parts["payload"])
    parts["fit"] = seen.laid_until - seen.laid_at
    parts["paint"] = ended - seen.laid_until
    lines = [plain(line) for line in seen.lines]
    return Explained(output, lines, seen.room, reports, parts, seen.world.bytes_read)


def _timed(moment: Moment, program: dict[str, Any], columns: int) -> tuple[str, _Watched, float, float]:
    """What a render prints, its segments, and when it began and ended."""
    world = world_of(moment, columns)
    # As in a refresh, which is over before there is anything to collect.
    gc.disable()
    try:
        started = perf_counter()
        output, seen = _render(moment, program, world, _Watched)
        return output, seen, started, perf_counter()
    finally:
        gc.enable()


def _length(turn: tuple[str, _Watched, float, float]) -> float:
    return turn[3] - turn[2]


# -- looking on --------------------------------------------------------------------------------------------------------


class _Watched(status.Segments):
    """The segments of one render, each with the time it takes, by the runtime's own hands."""

    def __init__(self, program: dict[str, Any], root: dict[str, Any], world: World) -> None:
        super().__init__(program, root, world)
        self.watches: dict[str, Watch] = {}
        self.nested_s = 0.0
        self.began = perf_counter()
        self.laid_at = self.laid_until = 0.0
        self.marked = ""
        self.lines: list[str] = []
        self.room: int | None = None

    def segment(self, name: str) -> Segment:
        """As the runtime makes it, and watched while it does."""
        made = self.made.get(name)
        if made is not None or name not in self.program["segments"]:
            return made or super().segment(name)
        spec = self.program["segments"][name]
        watch = self.watches[name] = Watch()
        outside, self.nested_s = self.nested_s, 0.0
        started = perf_counter()
        if "hidden" not in spec:
            for family, fields in spec.get("needs", {}).items():
                self._compute(watch, family, fields)
        faults = len(self.faults)
        made = super().segment(name)
        whole = perf_counter() - started
        watch.format_s = max(0.0, whole - self.nested_s - watch.compute_s - watch.expression_s)
        self.nested_s = outside + whole
        own = f"segment {name}: "
        watch.fault = next((said[len(own) :] for said in self.faults[faults:] if said.startswith(own)), None)
        return self.keep(name, made)

    def keep(self, name: str, made: Segment) -> Segment:
        """What the templates get to see."""
        return made

    def evaluate(self, name: str, key: str) -> Any:
        """As the runtime does it; the value is kept."""
        started = perf_counter()
        try:
            value = super().evaluate(name, key)
        finally:
            self.watches[name].expression_s += perf_counter() - started
        self.watches[name].values[key] = value
        return value

    def laid(self, marked: str, width: int | None, lines: int) -> list[str]:
        """As the runtime does it; what goes in and comes out is kept."""
        self.laid_at = perf_counter()
        self.lines = super().laid(marked, width, lines)
        self.laid_until = perf_counter()
        self.marked, self.room = marked, width
        return self.lines

    def _compute(self, watch: Watch, family: str, fields: list[str] | bool) -> None:
        """Computes the fields that are not there yet, one by one; the runtime then finds them done."""
        computed = self.document["computed"]
        for name in [family] if isinstance(fields, bool) else fields:
            inside = computed if fields is True else computed.get(family, {})
            if name in inside:
                continue
            faults, already = len(self.faults), self.world.bytes_read
            started = perf_counter()
            status.compute(self.document, {family: True if fields is True else [name]}, self.world, self.faults)
            seconds = perf_counter() - started
            value = computed[name] if fields is True else computed[family][name]
            read_now = self.world.bytes_read - already
            fault = self.faults[faults].partition(": ")[2] if len(self.faults) > faults else None
            path = f"computed.{family}" if fields is True else f"computed.{family}.{name}"
            watch.computed.append(Computed(path, value, seconds, read_now, _is_slow(family, name), fault))


class _Marked(_Watched):
    """The same render once more, with a mark around what each segment prints, to be found on the lines again."""

    def __init__(self, program: dict[str, Any], root: dict[str, Any], world: World) -> None:
        super().__init__(program, root, world)
        self.marks: dict[str, str] = {}

    def keep(self, name: str, made: Segment) -> Segment:
        """The segment with its mark: a style that changes nothing."""
        if not made.visible or not plain(made.text) or len(self.sheet.styles) >= _MARKS:
            return made
        mark = self.marks[name] = chr(0xD800 + len(self.sheet.styles))
        self.sheet.styles.append((None, None, 0))
        text, bare = mark + made.text + "\udc00", mark + made.plain + "\udc00"
        self.made[name] = Segment(made.value, True, bare, text, made.style, made.priority)
        return self.made[name]


_Seen = TypeVar("_Seen", bound=_Watched)


def _is_slow(family: str, name: str) -> bool:
    docs = fieldset.catalogue().get(family, {})
    # Of an open family the config names the fields.
    doc = docs.get(name) or docs.get(family)
    return doc is not None and doc.cost == "slow"


def _render(
    moment: Moment, program: dict[str, Any], world: World, kind: type[_Seen], known: dict[str, Any] | None = None
) -> tuple[str, _Seen]:
    """
    What a render prints, and its segments.

    Takes:  known: computed fields that need not be computed again
    """
    made: list[_Seen] = []

    def make(program: dict[str, Any], root: dict[str, Any], world: World) -> status.Segments:
        if known is not None:
            root["computed"] = known
        made.append(kind(program, root, world))
        return made[0]

    return status.render(moment.raw, program, world, make).removesuffix("\n"), made[0]


def _again(moment: Moment, program: dict[str, Any], seen: _Watched, world: World) -> _Marked | None:
    """The render with marks over the same computed fields; None when the marks make a difference to it."""
    try:
        _, marked = _render(moment, program, world, _Marked, seen.document["computed"])
    except Spent:
        return None
    return marked if list(map(plain, marked.lines)) == list(map(plain, seen.lines)) else None


# -- judging -----------------------------------------------------------------------------------------------------------


def _report(name: str, loaded: read.Loaded, built: lower.Built, seen: _Watched, marked: _Marked | None) -> Report:
    """One segment as it came out."""
    source = loaded.theme.segments[name]
    spec = built.program["segments"].get(name)
    watch = seen.watches.get(name) or Watch()
    made = seen.made.get(name) if name in seen.watches else None
    state, reason = _unmade(source, spec, loaded, built) if made is None or "hidden" in (spec or {}) else ("", None)
    if made is not None and not state:
        state, reason = _made(name, source, spec or {}, watch, made, seen, marked)
    text = plain(made.text) if made else ""
    if state in ("shown", "cut") and marked:
        text = _drawn(name, marked) or text
    return Report(
        name=name,
        state=state,
        reason=reason,
        source=source,
        watch=watch,
        value=made.value if made and state != "fault" else watch.values.get("value"),
        text=text,
        cells=width(text) if state in ("shown", "cut") else 0,
        style=made.style if made and made.visible else None,
        level=_level(source, made.value if made and made.visible else None),
        priority=made.priority if made and made.visible else source.priority,
        needs=[
            f"computed.{family}" if fields is True else f"computed.{family}.{each}"
            for family, fields in (spec or {}).get("needs", {}).items()
            for each in ([family] if fields is True else fields)
        ],
    )


def _unmade(
    source: read.SegmentSource, spec: dict[str, Any] | None, loaded: read.Loaded, built: lower.Built
) -> tuple[str, str]:
    """Why a segment was never made: switched off, broken, not named, or not come to."""
    if source.show is False:
        return "hidden", "`show` is false"
    if isinstance(source.show, str) and source.show in loaded.theme.options and not loaded.theme.options[source.show]:
        return "hidden", f"the option `{source.show}` is off"
    if source.broken or (spec is not None and "hidden" in spec):
        return "fault", _wrong(source, loaded, built.problems) or "it cannot be used, run: ohud check"
    if spec is None:
        if _is_written(source.name, loaded.theme):
            return "unused", "an option rules out what names it"
        return "unused", "the template does not name it"
    return "skipped", "the template did not come to it"


def _wrong(source: read.SegmentSource, loaded: read.Loaded, problems: list[Problem]) -> str | None:
    """The problem of this segment that keeps it from being used."""
    places = [(place.source.path, place.path) for place in source.places.values()]
    for problem in problems:
        if problem.weight == "ignored" or problem.span is None or problem.span.line is None:
            continue
        file = loaded.files.get(problem.span.file)
        if file is None:
            continue
        spans = [source.places[key].span() for key in source.places]
        first = min((span.line for span in spans if span.file == problem.span.file and span.line), default=None)
        last = max(
            (_last_line(path, at, loaded) for path, at in places if path == problem.span.file),
            default=0,
        )
        if first is not None and first <= problem.span.line <= last:
            return problem.message
    return None


def _last_line(path: str, at: tuple[str | int, ...], loaded: read.Loaded) -> int:
    """The line on which a value of a file ends."""
    file = loaded.files.get(path)
    span = file.spans.get(at) if file else None
    return file.text.count("\n", 0, span.value_end) + 1 if file and span else 0


def _is_written(name: str, theme: read.Theme) -> bool:
    """Whether any template of the theme's has the name in it."""
    texts = [lower.template_text(theme), *(segment.format for segment in theme.segments.values())]
    return any(re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text) for text in texts if text)


def _made(
    name: str,
    source: read.SegmentSource,
    spec: dict[str, Any],
    watch: Watch,
    made: Segment,
    seen: _Watched,
    marked: _Marked | None,
) -> tuple[str, str | None]:
    """What became of a segment that was made, and why it is not to be seen."""
    if watch.fault is not None:
        return "fault", watch.fault
    if not made.visible:
        return "hidden", _hidden(source, watch, made)
    if marked is None or not plain(made.text):
        return ("shown", None) if plain(made.text) else ("read", "a list to walk through")
    if name not in marked.marks:
        return "shown", None
    mark = marked.marks[name]
    if any(mark in line for line in marked.lines):
        drawn = _drawn(name, marked)
        if width(drawn) < width(plain(made.text)) and drawn.endswith(marked.sheet.mark):
            return "cut", f"the line has room for {width(drawn)} of its {width(plain(made.text))} cells"
        return "shown", None
    if any(mark in item[0] for row in marked.sheet.rows for item in row[0]):
        room = f"in {marked.room} cells" if marked.room is not None else "for it"
        return "dropped", f"no room {room} for priority {made.priority}"
    if mark in marked.marked:
        return "dropped", "its line is beyond the last one, or it stands behind the end of its line"
    return "read", "only asked about"


def _hidden(source: read.SegmentSource, watch: Watch, made: Segment) -> str:
    """Why a segment that was made is not visible."""
    if made.value is None and source.value is not None:
        return "its value is null" + ("" if source.default is None else ", and so is its default")
    if "when" in watch.values and _is_falsy(watch.values["when"]):
        return f"`when` gives {shortened(watch.values['when'], 20)}: {source.when}"
    if source.format is not None and not (isinstance(made.value, str) and not made.value.strip()):
        return "its format prints nothing"
    return "its value is empty"


def _is_falsy(value: object) -> bool:
    """What JMESPath takes for false."""
    return value is None or value is False or value in ("", [], {})


def _drawn(name: str, marked: _Marked) -> str:
    """The text of a segment on the lines that were laid out, as far as it is there; the first time that it is."""
    mark = marked.marks[name]
    for line in marked.lines:
        at = line.find(mark)
        if at < 0:
            continue
        depth = 0
        for end, character in enumerate(line[at:], at + 1):
            if character == "\udc00":
                depth -= 1
            elif "\ud800" <= character < "\ude00":
                depth += 1
            if not depth:
                return plain(line[at:end])
    return ""


def _level(source: read.SegmentSource, value: Any) -> tuple[float, str] | None:
    """The last level that a numeric value has reached."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    return next(((at, style) for at, style, *_ in reversed(source.levels) if value >= at), None)


def shortened(value: Any, limit: int) -> str:
    """A value as JSON on one line, its end left out where it is wider than so many cells."""
    return ellipsis(as_json(value, None), limit)
