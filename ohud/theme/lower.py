"""A theme to its program: every expression and template compiled, the families named, all as plain JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from ohud import __version__
from ohud.errors import Flaw, Problem, nearest, notice, quote, told
from ohud.run.program import FORMAT
from ohud.run.world import World
from ohud.theme import fieldset, read
from ohud.theme.expressions import LENGTH, compile_expression
from ohud.theme.icons import CUT
from ohud.theme.styles import wrong_entry, wrong_style
from ohud.theme.templates import FLAW_LIMIT, Template, compile_template

# Processor seconds that reading and compiling a theme may take; files within the limits need a tenth.
_DEADLINE_S = 2.0
# Faults of a theme that a refresh tells on stderr.
_TOLD = 20


@dataclass(frozen=True, slots=True)
class Built:
    """
    A theme compiled.

    Takes:  program: ready to run; problems: what is wrong, in the order of the theme; failed: the program is that of
            the built-in classic, as the theme cannot be used whole; rows: the program of a subagent's row
    """

    program: dict[str, Any]
    problems: list[Problem]
    failed: bool
    rows: dict[str, Any]


def compile_program(
    config: str | None, theme: str | None, world: World, project: str | None = None, part: str = ""
) -> dict[str, Any]:
    """
    The program for a refresh: config, theme and what it extends.

    Takes:   config: the config file's absolute path, None when there is no place for one; theme: wins over the
             config's; project: a directory of `[projects]`, whose theme is drawn; part: "subagents" for the rows
    Returns: always a program; where the theme cannot be used, the classic with a notice below it
    """
    with _deadline():
        required = bool(world.env("OHUD_CONFIG"))
        loaded = read.load(config, home=world.home, theme=theme, directory=project, required=required)
        built = build(loaded)
        program = built.rows if part == "subagents" else built.program
        program["projects"] = read.project_folders(loaded.theme.settings["projects"], world.home)
        return program


def encode(program: dict[str, Any]) -> bytes:
    """A program as the bytes that are kept in the cache."""
    return json.dumps(program, ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode()


def build(loaded: read.Loaded) -> Built:
    """
    What was read, compiled; the classic in its place where it cannot be used.

    Errors:  none, the problems are in the result: those of reading first
    """
    problems = list(loaded.problems)
    # What is wrong in a theme that cannot be drawn is said all the same.
    program, failed = _lower(loaded.draft, problems, partial=loaded.failed)
    failed = failed or loaded.failed
    if failed:
        program, _ = _lower(loaded.classic, [])
    rows = _rows(loaded, problems, failed)
    costly = [p for weight in ("fatal", "part") for p in problems if p.weight == weight]
    spoken = costly[0] if costly else None
    for made in (program, rows):
        made["sources"] = [list(stamp) for stamp in loaded.stamps]
        made["notices"] = loaded.theme.notices
        made["faults"] = [told(problem) for problem in costly[:_TOLD]]
        made["notice"] = notice(spoken) if spoken and loaded.theme.notices else None
    return Built(program, problems, failed, rows)


def families_of(reach: Iterable[tuple[str, str | None]]) -> dict[str, list[str] | bool]:
    """
    What must be computed for what expressions reach.

    Takes:   reach: (family, field or None for the whole family), ("*", None) for everything
    Returns: {family: fields, or True for a family that is one value}; a whole family means its cheap fields, where
             none is cheap all of them
    """
    catalogue = fieldset.catalogue()
    wanted: dict[str, set[str]] = {}
    for family, name in reach:
        for each in catalogue if family == "*" else (family,):
            fields = catalogue.get(each, {})
            if name is None:
                names = {f for f in fields if fields[f].cost == "cheap"}
                # Who names a family of slow facts asks for these; who looks at everything does not.
                names = names or set(fields if family != "*" else ())
            else:
                names = {name} if fieldset.is_open(each) else {name} & set(fields)
            wanted.setdefault(each, set()).update(names)
    return {
        family: True if fieldset.is_value(family) and family in names else sorted(names)
        for family, names in sorted(wanted.items())
        if names
    }


def _rows(loaded: read.Loaded, problems: list[Problem], failed: bool) -> dict[str, Any]:
    """
    The program of a subagent's row: the theme's own, else the classic's.

    Takes:   problems: what is wrong is added, none of it costs the line; failed: the classic is drawn
    Returns: `flawed`: a row that comes out empty may do so by mistake
    """
    found: list[Problem] = []
    theme = _row_theme(loaded.draft, loaded)
    program, broken = _lower(theme, found, "subagents", loaded.failed)
    problems += found
    flawed = any(problem.weight != "ignored" for problem in found) or any(s.broken for s in theme.segments.values())
    if broken or failed:
        program, flawed = _lower(_row_theme(loaded.classic, loaded), [], "subagents")
    return {**program, "flawed": flawed}


def _row_theme(theme: read.Theme, loaded: read.Loaded) -> read.Theme:
    """The theme of a row as if it were that of a line; without a template of its own the classic's lies below it."""
    own = theme.subagents
    places = {path: place for path, place in theme.places.items() if path != ("template",)}
    if own.template is not None:
        places["template",] = places["subagents", "template"]
        return replace(theme, template=own.template, layout=None, segments=own.segments, places=places)
    below = loaded.classic
    return replace(
        theme,
        template=below.subagents.template or "{{ task.label_or_name }}",
        layout=None,
        segments={**below.subagents.segments, **own.segments},
        palette={**below.palette, **theme.palette},
        options={**below.options, **theme.options},
        places=places,
    )


def _lower(
    theme: read.Theme, problems: list[Problem], part: str = "", partial: bool = False
) -> tuple[dict[str, Any], bool]:
    """
    The program of a theme, and whether it failed as a whole; what is wrong is added to the problems.

    Takes:  partial: not all of the theme could be read, so that it may have names that are not known here
    """
    theme = _coloured(theme, problems if not part else [])
    work = _Work(theme, problems, part, partial)
    template = work.template()
    return {
        "format": FORMAT,
        "ohud": __version__,
        "part": part,
        "sources": [],
        "notice": None,
        "faults": [],
        "notices": theme.notices,
        "segments": work.segments,
        "template": template.ir if template.ir is not None else [],
        "palette": theme.palette,
        "limits": theme.limits,
        "fallback": theme.fallback,
        "newline": theme.newline,
        "margin": theme.margin,
        "background": theme.background,
        "icons": theme.icons,
        "mark": theme.cut or CUT[theme.icons],
        "color": theme.color,
        "columns": theme.columns,
        "links": list(theme.links),
        "settings": theme.settings,
    }, template.ir is None


def _coloured(theme: read.Theme, problems: list[Problem]) -> read.Theme:
    """The theme with no colour in place of each in its palette that is none; what is wrong is added to the problems."""
    palette = dict(theme.palette)
    for name, colour in theme.palette.items():
        wrong = wrong_entry(name, theme.palette)
        if wrong is None:
            continue
        palette[name] = "default"
        if theme.palette.get(colour, name) not in theme.palette:
            # The name that it stands for is at fault, and reported.
            continue
        written = [theme.places.get((table, name)) for table in ("palette_" + theme.background, "palette")]
        # A file's colours for the background lie over its others, and the files over each other.
        at = next((p for p in written if p and str(p.source.data[str(p.path[0])][name]) == colour), None)
        span = at.span(wrong.start, wrong.length) if at else None
        problems.append(Problem("theme-shape", wrong.message, span, wrong.help, "part"))
    return replace(theme, palette=palette) if palette != theme.palette else theme


class _Work:
    """One theme under compilation: its segments by name as far as the template uses them."""

    def __init__(self, theme: read.Theme, problems: list[Problem], part: str = "", partial: bool = False) -> None:
        self.theme = theme
        self.problems = problems
        self.partial = partial
        # A row's templates see its task, and a fault in them costs the row alone.
        self.values = ("task",) if part else ()
        self.whole = not part
        self.segments: dict[str, dict[str, Any]] = {}

    def template(self) -> Template:
        """The theme's template compiled, and with it every segment that it can read."""
        theme = self.theme
        if theme.template is not None:
            found = self._template(theme.template, theme.places.get(("template",)), whole=self.whole)
        else:
            found = compile_template(
                template_text(theme), theme.segments, palette=theme.palette, icons=theme.icons, options=theme.options
            )
        compiled = {name: self._segment(source) for name, source in theme.segments.items()}
        for name in _reachable(found.used, compiled):
            self.segments[name] = compiled[name][0]
        return found

    def _template(self, text: str, at: read.Place | None, values: tuple[str, ...] = (), whole: bool = True) -> Template:
        theme = self.theme
        found = compile_template(
            text,
            theme.segments,
            palette=theme.palette,
            icons=theme.icons,
            values=(*values, *self.values),
            options=theme.options,
            flaws=max(1, FLAW_LIMIT - len(self.problems)),
        )
        for flaw in found.flaws:
            # What a missing part of the theme would have named is no mistake of its own.
            if not (self.partial and flaw.message.startswith("unknown name ")):
                self._add("template-text", flaw, at, flaw.weight if whole else "part")
        return found

    def _segment(self, source: read.SegmentSource) -> tuple[dict[str, Any], set[str]]:
        """One segment compiled: its spec, and the segments that its format reads."""
        spec: dict[str, Any] = {"priority": source.priority}
        used: set[str] = set()
        reach: set[tuple[str, str | None]] = set()
        broken = source.broken
        for key in ("value", "when"):
            text = getattr(source, key)
            if text is None or (source.broken and len(text) > LENGTH):
                continue
            expression = compile_expression(text)
            for flaw in expression.flaws:
                self._add("segment-path", flaw, self._at(source, key), "part")
            for flaw in _unknown_fields(text, expression.reach):
                self._add("segment-path", flaw, self._at(source, key), "ignored")
            spec[key] = expression.ir
            broken = broken or expression.ir is None
            reach |= expression.reach
        if source.format is not None:
            template = self._template(source.format, self._at(source, "format"), ("value",), whole=False)
            spec["format"] = template.ir
            broken = broken or template.ir is None
            used |= template.used
        styles = [("style", source.style)] if source.style else []
        styles += [(f"levels.{number}", style) for number, (_, style, _) in enumerate(source.levels)]
        for key, style in styles:
            wrong = wrong_style(style, self.theme.palette)
            if wrong:
                self._add("theme-shape", wrong, self._at(source, key), "part")
                broken = True
        if broken or not self._shown(source):
            # Known by name, so that the template may speak of it, and never seen.
            return {"priority": source.priority, "hidden": True}, set()
        spec.update({k: v for k in ("default", "style", "icon", "max_width") if (v := getattr(source, k)) is not None})
        if source.levels:
            spec["levels"] = [[at, style] + ([] if own is None else [own]) for at, style, own in source.levels]
        needs = families_of(reach)
        if needs:
            spec["needs"] = needs
        return spec, used

    def _shown(self, source: read.SegmentSource) -> bool:
        """Whether the options let the segment be."""
        if isinstance(source.show, bool):
            return source.show
        if source.show not in self.theme.options:
            near = nearest(source.show, list(self.theme.options))
            flaw = Flaw(f"there is no option {quote(source.show)}", help=f"did you mean `{near}`?" if near else None)
            self._add("theme-shape", flaw, self._at(source, "show"), "part")
            return True
        return bool(self.theme.options[source.show])

    @staticmethod
    def _at(source: read.SegmentSource, key: str) -> read.Place | None:
        return source.places.get(key) or source.places.get(key.partition(".")[0]) or source.places.get("")

    def _add(self, kind: str, flaw: Flaw, at: read.Place | None, weight: str) -> None:
        span = at.span(flaw.start, flaw.length, flaw.line) if at else None
        self.problems.append(Problem(kind, flaw.message, span, flaw.help, weight))


def template_text(theme: read.Theme) -> str:
    """The theme's template; of a layout the one that it stands for: a row a line, joined by the separator."""
    if theme.template is not None:
        return theme.template
    separator = _literal(theme.separator)
    rows = [[name for name in row if name in theme.segments] for row in theme.layout or ()]
    return "\n".join("{{ row(" + ", ".join(row) + f", sep={separator})" + " }}" for row in rows if row)


def _reachable(names: Iterable[str], compiled: dict[str, Any]) -> list[str]:
    """The names given and all that the formats of these read in turn."""
    found: dict[str, None] = {}
    waiting = sorted(names)
    while waiting:
        name = waiting.pop()
        if name not in found and name in compiled:
            found[name] = None
            waiting.extend(compiled[name][1])
    return list(found)


def _unknown_fields(text: str, reach: Iterable[tuple[str, str | None]]) -> Iterator[Flaw]:
    """A computed field that this version does not know reads as null, and is said."""
    catalogue = fieldset.catalogue()
    for family, name in sorted(reach, key=str):
        if family == "*":
            continue
        if family not in catalogue:
            wrong, known, what = family, list(catalogue), "computed family"
        elif name is not None and list(catalogue[family]) != [family] and name not in catalogue[family]:
            wrong, known, what = name, list(catalogue[family]), f"field of `computed.{family}`"
        else:
            continue
        close = nearest(wrong, known)
        help_text = f"did you mean `{close}`?" if close else "known: " + ", ".join(f"`{k}`" for k in known[:12])
        yield Flaw(f"unknown {what} `{wrong}`", max(text.find(wrong), 0), len(wrong), help_text)


def _literal(text: str) -> str:
    """Text as a string literal of the template language."""
    return "'" + text.encode("unicode_escape").decode("ascii").replace("'", "\\'") + "'"


class _deadline:
    """Ends a compilation that takes too much processor time, where the system has timers."""

    def __enter__(self) -> None:
        import signal

        self._timer = hasattr(signal, "setitimer")
        if self._timer:
            signal.signal(signal.SIGVTALRM, self._ring)
            signal.setitimer(signal.ITIMER_VIRTUAL, _DEADLINE_S)

    def __exit__(self, *_: object) -> None:
        import signal

        if self._timer:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    @staticmethod
    def _ring(number: int, frame: object) -> None:
        raise TimeoutError(f"the theme took more than {_DEADLINE_S:g} s to compile")
