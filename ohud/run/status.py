"""The status line: standard input to payload to document to segments to template to standard output."""

import sys
from time import monotonic, process_time

from ohud.run import payload as stdin
from ohud.run.clean import clean, clean_tree
from ohud.run.fault import Fault, Spent
from ohud.run.fit import fit, within
from ohud.run.style import Sheet
from ohud.run.template import Context, Segment, printed
from ohud.run.template import render as render_template
from ohud.run.world import World, system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# A render that has worked for so long ends in the fallback line [s of the processor].
BACKSTOP = 0.25
# How long a reader may leave a full pipe as it is [s].
STUCK = 1.0
# How much of other processes' time may come on top: so many times the same at most.
_PATIENCE = 3
_DEFAULT_PRIORITY = 50
_MARGIN = 4  # cells that the host keeps for itself, where no config says
_TEXT_LIMIT = 8192
_POOL = 20_000  # fuel of all expressions together


# When the render has to end: by the processor's clock, and by the one on the wall [s].
_ends = [0.0, 0.0]


class Late(BaseException):
    """The backstop went off; no handler for ordinary errors may swallow it."""


def run(argv: "list[str]") -> None:
    """The whole of one refresh, from the host's start to the end of the process; always exits 0."""
    import gc

    # A refresh lives 5 ms and its input is bounded: collecting costs more than it frees.
    gc.disable()
    try:
        world = World()
        world.later = []
        if argv[1:2] == ["subagents"]:
            from ohud.run.subagents import subagents

            write(subagents(world))
        else:
            write(status(world))
        if world.later:
            # Once the line is out: a fork makes all that this process still writes to dearer.
            from ohud.run.slow import start

            for work in world.later:
                start(world, *work)
    finally:
        # Tearing the interpreter down costs 1 ms and there is nothing left to flush.
        system._exit(0)


def write(text: str) -> None:
    """Text to standard output as bytes, in one go; a reader that has gone is no error, a full pipe is waited for."""
    data = memoryview(text.encode("utf-8", "replace"))
    try:
        while data:
            try:
                data = data[system.write(1, data) :]
            except BlockingIOError:
                # Somebody has made the pipe one that does not wait. Half a line would leave its colours on.
                from select import select

                if not select((), (1,), (), STUCK)[1]:
                    return
    except OSError:
        pass


def status(world: World, theme: "str | None" = None) -> str:
    """What one refresh prints, whatever goes wrong."""
    try:
        from ohud.run.program import for_session, load

        program = load(world, theme)
    except Exception as fault:
        world.log("the theme compiler cannot run: %s: %s" % (type(fault).__name__, fault))
        width = None if world.columns is None else max(1, world.columns - _MARGIN)
        return fit("ohud: the theme cannot be compiled, run: ohud doctor", Sheet(0, {}), width, 1)[0] + "\n"
    try:
        raw = stdin.read()
        if theme is None and program.get("projects"):
            program = for_session(program, raw, world)
        for said in program["faults"]:
            world.say(said)
        set_backstop(BACKSTOP)
        try:
            return render(raw, program, world)
        finally:
            set_backstop(0)
    except (Exception, Late) as fault:
        world.log("the render failed: %s: %s" % (type(fault).__name__, fault))
        return _failed(program, world)


def set_backstop(seconds: float) -> None:
    """
    Lets `Late` be raised after so long [s]; 0 calls it off.

    It is this process's own time that counts, as long as all of it comes to no more than three times that: on a busy
    machine (twenty refreshes at once) a render that does no harm may wait longer for its turn than it runs.
    """
    import _signal  # type: ignore[import-not-found]

    if hasattr(_signal, "setitimer"):
        if seconds:
            _ends[:] = process_time() + seconds, monotonic() + _PATIENCE * seconds
            _signal.signal(_signal.SIGALRM, _ring)
        _signal.setitimer(_signal.ITIMER_REAL, seconds)


def _ring(number: int, frame: object) -> None:
    left = min(_ends[0] - process_time(), _ends[1] - monotonic())
    if left <= 0:
        raise Late("it took longer than %d ms" % (BACKSTOP * 1000))
    import _signal

    _signal.setitimer(_signal.ITIMER_REAL, max(left, 0.005))


def render(
    raw: "bytes | None",
    program: "dict[str, Any]",
    world: World,
    make: "Callable[[dict[str, Any], dict[str, Any], World], Segments] | None" = None,
) -> str:
    """
    What a program makes of one payload.

    Takes:    raw: the bytes of standard input, None when there were none; make: gives segments that look on
              (`ohud explain`)
    Returns:  the text to print, lines joined by LF; empty where the theme's fallback is
    Errors:   Spent when the theme's fuel is used up
    """
    world.configure(program["settings"], program["color"], program["columns"])
    payload = stdin.parse(raw)
    if payload is None:
        return _instead("no_input", program, world)
    segments = (make or Segments)(program, begin(payload, world), world)
    marked = render_template(program["template"], segments.scope(), segments.context)
    return finish(marked, segments, program, world)


class Segments:
    """The segments of one render, each computed when it is first asked for."""

    def __init__(self, program: "dict[str, Any]", root: "dict[str, Any]", world: World) -> None:
        self.program = program
        self.world = world
        self.document = root
        self.faults: list[str] = []
        self.sheet = Sheet(world.color, program["palette"], world.env("TERM") != "dumb", "file" in program["links"])
        self.sheet.mark = program["mark"]
        self.sheet.light = program["background"] == "light"
        self.made: dict[str, Segment] = {}
        self.pool = [_POOL]
        self.context = Context(
            sheet=self.sheet,
            now=world.now,
            home=world.home,
            terminal={
                "columns": world.columns,
                "lines": world.lines,
                "color": COLORS[world.color],
                "background": program["background"],
                "icons": program["icons"],
            },
            palette=program["palette"],
            segment=self.segment,
        )

    def scope(self) -> "dict[str, Any]":
        """The names a template starts with; segments are looked up through the context."""
        return {"palette": self.program["palette"], "terminal": self.context.terminal}

    def segment(self, name: str) -> Segment:
        """One segment by name; a fault in it leaves it out, alone."""
        made = self.made.get(name)
        if made is None:
            # In the table before it is made: a format that reaches itself meets a hidden segment.
            self.made[name] = Segment(None, False, "", "", None, _DEFAULT_PRIORITY)
            try:
                made = self._make(name, self.program["segments"][name])
            except Fault as fault:
                self.faults.append("segment %s: %s" % (name, fault))
                made = self.made[name]
            self.made[name] = made
        return made

    def evaluate(self, name: str, key: str) -> "Any":
        """The value of a segment's expression; key is "value" or "when". Errors: Fault."""
        ir = self.program["segments"][name][key]
        if ir[0] == "get":
            # A plain path, as most are, needs no interpreter.
            value: Any = self.document
            for part in ir[1]:
                if type(value) is dict:
                    value = value.get(part)
                elif type(value) is list and type(part) is int and -len(value) <= part < len(value):
                    value = value[part]
                else:
                    return None
            return value
        from ohud.run.expression import evaluate

        value = evaluate(ir, self.document, pool=self.pool)
        # A literal may hold line feeds, and text that was put together has not been seen by `clean`.
        return clean(value, _TEXT_LIMIT) if type(value) is str else value

    def format(self, name: str, value: "Any") -> str:
        """The text that a segment's format makes of its value. Errors: Fault."""
        context = self.context
        scope = self.scope()
        scope["value"] = value
        before = len(context.faults)
        # Half of what is left is kept back: one that is never done leaves the others and the layout theirs.
        fuel, budget = context.fuel >> 1, context.budget >> 1
        context.fuel -= fuel
        context.budget -= budget
        try:
            text = render_template(self.program["segments"][name]["format"], scope, context)
        except Spent as fault:
            raise Fault(str(fault)) from None
        finally:
            context.fuel = fuel + max(0, context.fuel)
            context.budget = budget + max(0, context.budget)
        if len(context.faults) > before:
            reason = context.faults[before]
            del context.faults[before:]
            raise Fault(reason)
        return text

    def laid(self, marked: str, width: "int | None", lines: int) -> "list[str]":
        """The template's text as lines that fit; whoever looks on overrides it."""
        return fit(marked, self.sheet, width, lines, self.world.columns is not None)

    def _make(self, name: str, spec: "dict[str, Any]") -> Segment:
        # Here and not sooner: what a template does not come to is not computed.
        if "hidden" in spec:
            return Segment(None, False, "", "", None, _DEFAULT_PRIORITY)
        if "needs" in spec:
            compute(self.document, spec["needs"], self.world, self.faults)
        priority = spec.get("priority", _DEFAULT_PRIORITY)
        try:
            value = self.evaluate(name, "value") if "value" in spec else None
        except Fault:
            # What `when` hides need not have a value.
            if "when" not in spec or not _falsy(self.evaluate(name, "when")):
                raise
            return Segment(None, False, "", "", None, priority)
        if value is None:
            value = spec.get("default")
        # An empty text says as little as none: what a format puts around it would stand alone.
        hidden = (value is None or (type(value) is str and not value.strip())) and "value" in spec
        if not hidden and "when" in spec:
            hidden = _falsy(self.evaluate(name, "when"))
        if hidden:
            return Segment(value, False, "", "", None, priority)
        text = self.format(name, value) if "format" in spec else printed(value)
        if not text.strip():
            # A list prints nothing, yet a template may walk it.
            return Segment(value, bool(value) and "format" not in spec, "", "", None, priority)
        icon = spec.get("icon")
        if icon:
            text = icon + " " + text
        if "max_width" in spec:
            from ohud.run.cells import ellipsis

            text = ellipsis(text, spec["max_width"], self.sheet.mark)
        reached = _level(spec, value)
        style = spec.get("style")
        if reached:
            style = style + " " + reached[1] if style else reached[1]
            priority = reached[2] if len(reached) > 2 else priority
        return Segment(value, True, text, self.sheet.wrap(text, style) if style else text, style, priority)


def _falsy(value: object) -> bool:
    """JMESPath's idea of false: null, false and what is empty, but not 0."""
    return value is None or value is False or value == "" or value == [] or value == {}


def _level(spec: "dict[str, Any]", value: object) -> "list[Any] | None":
    """The last level that a numeric value has reached: where it begins, its style, and its priority if it has one."""
    reached = None
    if "levels" in spec and isinstance(value, (int, float)) and not isinstance(value, bool):
        for level in spec["levels"]:
            if value >= level[0]:
                reached = level
    return reached


COLORS = {0: "never", 4: "16", 8: "256", 24: "truecolor"}


def begin(payload: "dict[str, Any]", world: World) -> "dict[str, Any]":
    """The root of all expressions: the payload cleaned, and `computed` with nothing in it yet."""
    world.raw = payload
    path = payload.get("transcript_path")
    world.transcript = path if isinstance(path, str) else None
    root: dict[str, Any] = clean_tree(payload)
    root["computed"] = {}
    return root


def compute(root: "dict[str, Any]", needs: "dict[str, Any]", world: World, faults: "list[str]") -> None:
    """
    Puts computed fields into the document, those that are not there yet.

    Takes:  needs: {family: list of fields, or true for a family that is one value}; faults: what goes wrong is added
    """
    computed = root["computed"]
    for family, names in needs.items():
        if names is True:
            fields, names = computed, (family,)
        else:
            fields = computed.get(family)
            if fields is None:
                fields = computed[family] = {}
        for name in names:
            if name in fields:
                continue
            fields[name] = None
            try:
                module = _family(family)
                # Text out of transcripts and repositories is as foreign as the payload's.
                fields[name] = clean_tree(getattr(module, name)(root, world))
            except Exception as fault:
                faults.append("computed.%s.%s: %s: %s" % (family, name, type(fault).__name__, fault))


def _family(name: str) -> "Any":
    """The module of a family, by hot.py's loader where that is at work."""
    full = "ohud.fields." + name
    quick = sys.modules.get("quick")
    module = sys.modules.get(full) or (quick.load(full) if quick else None)
    return module or __import__(full, None, None, ("*",))


def finish(marked: str, segments: Segments, program: "dict[str, Any]", world: World) -> str:
    """Marked text made fit for the terminal, with the notice below it, or the fallback for an empty line."""
    width, rows = room(program, world)
    lines = segments.laid(marked, width, rows)
    notice = program["notice"]
    faults = segments.faults + segments.context.faults
    if faults:
        world.log("; ".join(faults))
        if notice is None and program["notices"]:
            notice = "ohud: %s, run: ohud check" % faults[0]
    if not lines and not notice:
        return _instead("empty", program, world)
    if notice and (rows > 1 or not lines):
        said = _short(notice, width, program["mark"])
        lines = lines[: rows - 1] + fit(segments.sheet.wrap(said, "yellow"), segments.sheet, width, 1)
    text = within(lines, segments.sheet, program["limits"]["bytes"])
    return _ended(text, program)


def room(program: "dict[str, Any]", world: World) -> "tuple[int | None, int]":
    """The width that lines may have [cells], None for no limit, and how many there may be."""
    limits = program["limits"]
    rows = limits["lines"]
    if world.lines is not None:
        rows = min(rows, max(1, world.lines - 1))
    width = None if world.columns is None else max(1, world.columns - program["margin"])
    cells = limits.get("cells")
    return (cells if cells and (width is None or cells < width) else width), rows


def _short(notice: str, width: "int | None", mark: str) -> str:
    """The notice for a width [cells]: what is wrong gives way to what to do about it."""
    head, told, rest = notice[:200].rpartition(", run: ")
    if width is None or not told or width < len(told + rest) + 16:
        return notice[:200]
    from ohud.run.cells import ellipsis

    return ellipsis(head, width - len(told + rest), mark) + told + rest


def _ended(text: str, program: "dict[str, Any]") -> str:
    """Text with the LF that ends it, where the theme wants one."""
    return text + "\n" if text and program["newline"] else text


def _failed(program: "dict[str, Any]", world: World) -> str:
    """The line for a render that failed as a whole."""
    return _instead("error", program, world, "red")


def _instead(name: str, program: "dict[str, Any]", world: World, style: str = "") -> str:
    """A text of the theme's that stands for the line, as narrow and low as any."""
    width, rows = room(program, world)
    sheet = Sheet(world.color, {})
    sheet.mark = program["mark"]
    lines = fit(sheet.wrap(program["fallback"][name], style), sheet, width, rows)
    return _ended(within(lines, sheet, program["limits"]["bytes"]), program)


def main() -> None:
    """The console script's way to the same line."""
    run(sys.argv)
