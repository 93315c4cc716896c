"""Config, theme and what it extends to one `Theme`: files found by the rules, layers merged, every mistake gathered."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ohud.errors import Problem, Span, nearest, quote
from ohud.fields._estimate import plain
from ohud.fields._prices import PRICES
from ohud.theme import shape
from ohud.theme.layer import Layer, check, owner
from ohud.theme.source import Place as Place
from ohud.theme.source import Source as Source
from ohud.theme.source import Stamp as Stamp
from ohud.theme.source import Unreadable, fetch, key_span, parse
from ohud.theme.source import place as place
from ohud.theme.span import KeyPath

DEFAULT_THEME = "classic"
EXTENDS_LIMIT = 4  # themes below the one that is named
SETTINGS = ("git", "ollama", "transcript", "usage", "prices", "commands", "projects")


@dataclass(frozen=True, slots=True)
class SegmentSource:
    """
    One segment, its keys merged over all layers; None where a key was not given.

    Takes:  levels: (at, style, priority) in rising order of `at`; icon: the form that `icons` picks, a missing form
            replaced; broken: a key has a wrong type, or there is no value, default or format: the segment is left out,
            its name stays known; places: key name -> where it was written ("" the segment itself,
            "levels.0" the style of the first level)
    """

    name: str
    value: str | None = None
    when: str | None = None
    show: bool | str = True
    default: str | int | float | bool | None = None
    format: str | None = None
    style: str | None = None
    levels: tuple[tuple[float, str, int | None], ...] = ()
    icon: str | None = None
    priority: int = 50
    max_width: int | None = None
    broken: bool = False
    places: dict[str, Place] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Subagents:
    """The `[subagents]` part of a theme: one template for a task row and its own segments."""

    template: str | None = None
    segments: dict[str, SegmentSource] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Theme:
    """
    What to draw and how on this machine: theme and config merged, every value of the declared type.

    Takes:  template or layout is not None, never both (the file on top decides, in one file the template);
            layout: names of existing segments only; palette: of this background, texts, numbers included;
            limits: lines, bytes, cells; fallback: no_input, empty, error (texts);
            settings: the config's tables of the families by name, their defaults filled in;
            places: ("template",), ("layout",), ("palette", name), ("separator",), ("subagents", "template"), ...
            -> where it was written; what is a default has no place
    """

    name: str
    description: str
    author: str
    license: str
    separator: str
    cut: str | None
    newline: bool
    template: str | None
    layout: tuple[tuple[str, ...], ...] | None
    palette: dict[str, str]
    options: dict[str, str | int | float | bool]
    limits: dict[str, int]
    fallback: dict[str, str]
    segments: dict[str, SegmentSource]
    subagents: Subagents
    icons: str
    background: str
    color: str
    margin: int
    columns: int | None
    notices: bool
    links: tuple[str, ...]
    settings: dict[str, Any]
    places: dict[KeyPath, Place]


@dataclass(eq=False)
class Loaded:
    """
    The outcome of reading: always a theme that can be drawn.

    Takes:  theme: the merged theme, or `classic` when something was fatal; draft: the theme as far as it was
            understood, for `check` to find more in it (theme itself when nothing was fatal; it may have neither
            template nor layout); problems: in the order of the files and of their places; failed: one is fatal;
            stamps: (path, mtime_ns, ctime_ns, size, inode) of each path looked at, four None where nothing is there;
            files: path -> Source, for excerpts
    """

    theme: Theme
    draft: Theme
    problems: list[Problem]
    failed: bool
    stamps: list[Stamp]
    files: dict[str, Source]
    make_classic: Callable[[], Theme]

    @cached_property
    def classic(self) -> Theme:
        """
        The bundled `classic` with this machine's settings and nothing else of the config.

        To draw when the theme turns out fatal later (a template that does not parse). Adds to `stamps`.
        """
        return self.theme if self.failed else self.make_classic()

    @property
    def sources(self) -> list[str]:
        """Every path looked at, found or not."""
        return [stamp[0] for stamp in self.stamps]

    def text(self, problem: Problem) -> str | None:
        """The text of the file that the problem is in, for `errors.render`."""
        source = self.files.get(problem.span.file) if problem.span else None
        return source.text if source else None


def load(
    config_path: str | None,
    *,
    home: str | None,
    theme: str | None = None,
    directory: str | None = None,
    text: str | bytes | None = None,
    required: bool = False,
    bundled: str | None = None,
) -> Loaded:
    """
    Config, theme and what it extends, merged.

    Takes:  config_path: the file, absolute (None: there is none); it may be absent unless `required`;
            home: what `~` means; theme: name or absolute path that is drawn in place of the config's choice, without
            the config's own segments, template and so on, whatever is wrong with the config (preview);
            directory: the session's, for `[projects]`; text: the config's content when it does not come from the
            file; bundled: another folder of bundled themes
    Errors: none
    """
    reader = _Reader(home, os.path.dirname(config_path) if config_path else None, bundled)
    config = reader.config(config_path, text, required)
    if theme is not None:
        reader.forgiven = reader.problems()
        chain = reader.chain(theme, None)
        return reader.loaded([*reversed(chain)], config)
    chain = reader.chain(*_choice(config, home, directory))
    return reader.loaded([*reversed(chain)] + ([config] if config else []), config)


def read_theme_file(
    path: str,
    *,
    home: str | None,
    config_dir: str | None = None,
    kind: str | None = None,
    directory: str | None = None,
    bundled: str | None = None,
    text: str | bytes | None = None,
) -> Loaded:
    """
    One theme or config file on its own, for `ohud check FILE`.

    Takes:  text: the file's content, when it does not come from the file; directory: the session's, for `[projects]`;
            kind: "theme" or "config"; None: a config when it is named config.toml or holds a key that only a config
            has, and lies in no folder `themes`; config_dir: where the user's themes are, for `extends`
    Errors: none
    """
    reader = _Reader(home, config_dir or os.path.dirname(os.path.abspath(path)), bundled)
    source = reader.read(path, None) if text is None else parse(text, path)
    if source is None:
        return reader.loaded([], None)
    reader.files[path] = source
    if (kind or _kind(source)) == "config":
        config = _layer(source, shape.CONFIG)
        chain = reader.chain(*_choice(config, home, directory))
        return reader.loaded([*reversed(chain), config], config)
    return reader.loaded([*reversed(reader.extended(_layer(source, shape.THEME), path))], None)


def project_folders(projects: dict[str, Any], home: str | None) -> list[str]:
    """The directories of `[projects]` as a session's is compared with them, the longest first."""
    folders = {folder for path in projects for folder in _folders(path, home)}
    return sorted(folders, key=lambda path: (-len(path), path))


def bundled_dir(folder: str = "themes") -> str:
    """The folder of the shipped `themes` or `schema` files: inside the package, else beside it (a checkout)."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    inside = os.path.join(package, folder)
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(package), folder)


def theme_names(config_dir: str | None, bundled: str | None = None) -> Iterator[tuple[str, str]]:
    """(name, path) of every theme that can be named: the bundled ones, then the user's, each by name."""
    seen: set[str] = set()
    for folder in _theme_dirs(config_dir, bundled):
        try:
            files = sorted(os.listdir(folder))
        except OSError:
            continue
        for file in files:
            name = file.removesuffix(".toml")
            if name != file and name not in seen and re.fullmatch(shape.THEME_NAME.pattern, name):
                seen.add(name)
                yield name, os.path.join(folder, file)


def _theme_dirs(config_dir: str | None, bundled: str | None) -> list[str]:
    return [bundled or bundled_dir(), *([os.path.join(config_dir, "themes")] if config_dir else [])]


def _kind(source: Source) -> str:
    folder, file = os.path.split(os.path.abspath(source.path))
    if os.path.basename(folder) == "themes":
        return "theme"
    return "config" if file == "config.toml" or shape.CONFIG_ONLY & source.data.keys() else "theme"


def _layer(source: Source, table: shape.Table) -> Layer:
    layer = check(source, table)
    if ("template",) in layer.values and ("layout",) in layer.values:
        _note(source, ("layout",), "`layout` has no effect beside `template`", "ignored", at_key=True)
        del layer.values["layout",]
    if ("theme",) in layer.values and ("extends",) in layer.values:
        _note(source, ("extends",), "`extends` has no effect beside `theme`", "ignored", at_key=True)
    prices = source.data.get("prices")
    if table is shape.CONFIG and isinstance(prices, dict):
        for model, price in prices.items():
            missing = [key for key in ("input", "output") if isinstance(price, dict) and key not in price]
            if missing and plain(model) not in PRICES:
                needed = " and ".join(f"`{key}`" for key in missing)
                message = f"`prices.{model}` needs {needed}: no shipped price completes it"
                _note(source, ("prices", model), message, "ignored", at_key=True)
    return layer


def _choice(config: Layer | None, home: str | None, directory: str | None) -> tuple[str, Place | None]:
    """The theme to draw and where it is named: for the directory, else for the config, else the default."""
    if config is None:
        return DEFAULT_THEME, None
    path = _project(config, home, directory) if directory else None
    for named in (path, ("theme",), ("extends",)):
        if named is not None and named in config.values:
            return config.values[named], Place(config.source, named)
    return DEFAULT_THEME, None


def _project(config: Layer, home: str | None, directory: str) -> KeyPath | None:
    """The key path of the `[projects]` theme whose directory is the longest above the session's."""
    here = _normal(directory, None)
    best: tuple[int, KeyPath | None] = (0, None)
    for path in config.values:
        if path[0] == "projects" and path[-1] == "theme":
            for above in _folders(str(path[1]), home):
                if (here == above or here.startswith(above.rstrip(os.sep) + os.sep)) and len(above) > best[0]:
                    best = (len(above), path)
    return best[1]


def _folders(path: str, home: str | None) -> list[str]:
    """A directory of `[projects]` as it is written and, where a link is in it, as the host names it."""
    given = _normal(path, home)
    real = os.path.normcase(os.path.realpath(given))
    return [given] if real == given or not os.path.isabs(given) else [given, real]


def _normal(path: str, home: str | None) -> str:
    return os.path.normcase(os.path.normpath(_expanded(path, home) or path))


def _expanded(path: str, home: str | None) -> str | None:
    """The path with `~` replaced; None when there is no home."""
    if path == "~" or path.startswith(("~/", "~\\")):
        return home + path[1:] if home else None
    return path


def _note(
    source: Source, path: KeyPath, message: str, weight: str, help: str | None = None, *, at_key: bool = False
) -> None:
    span = key_span(source, path) if at_key else place(source, path)
    source.problems.append(Problem("theme-shape", message, span, help, weight))


class _Reader:
    """Reads files by name and path, and remembers every path that it looked at."""

    def __init__(self, home: str | None, config_dir: str | None, bundled: str | None) -> None:
        self.home = home
        self.config_dir = config_dir
        self.bundled = bundled
        self.stamps: list[Stamp] = []
        self.files: dict[str, Source] = {}
        self.loose: list[Problem] = []  # of files that could not be read
        self.forgiven: list[Problem] = []  # do not keep the theme from being drawn

    def config(self, path: str | None, text: str | bytes | None, required: bool) -> Layer | None:
        """The config's layer; None when there is none or it cannot be read."""
        if text is not None:
            source = parse(text, path or "config.toml")
            self.files[source.path] = source
            return _layer(source, shape.CONFIG)
        read = self.read(path, None, required) if path is not None else None
        return _layer(read, shape.CONFIG) if read else None

    def read(self, path: str, named: Place | None, required: bool = True) -> Source | None:
        """One file; None and a problem, where the file is named or on the file itself, when it cannot be read."""
        try:
            source = parse(fetch(path, self.stamps), path)
        except Unreadable as error:
            if required or not error.absent:
                self._lost(f"{self._shown(path) if named else 'the file'} {error.reason}", named, Span(path))
            return None
        self.files[path] = source
        return source

    def _shown(self, path: str) -> str:
        """A path as people know it, its end first of all: below the config's folder, else below home as `~`."""
        for folder, mark in ((self.config_dir, ""), (self.home, "~" + os.sep)):
            if folder and path.startswith(folder.rstrip(os.sep) + os.sep):
                path = mark + path[len(folder.rstrip(os.sep)) + 1 :]
                break
        return quote(path if len(path) <= 60 else "…" + path[-59:])

    def chain(self, choice: str, named: Place | None) -> list[Layer]:
        """The layers of a theme and of what it extends, the named one first; none when it cannot be read."""
        path = self._path(choice, named)
        source = self.read(path, named) if path else None
        return self.extended(_layer(source, shape.THEME), source.path) if source else []

    def extended(self, layer: Layer, path: str) -> list[Layer]:
        """The layer and those that it extends, one after the other."""
        layers, paths = [layer], [os.path.realpath(path)]
        while ("extends",) in layers[-1].values:
            below = layers[-1]
            named = Place(below.source, ("extends",))
            found = self._path(below.values["extends",], named)
            if found is None:
                break
            if os.path.realpath(found) in paths:
                _note(below.source, ("extends",), "themes extend each other in a loop", "fatal")
                break
            if len(layers) > EXTENDS_LIMIT:
                _note(below.source, ("extends",), f"themes extend each other more than {EXTENDS_LIMIT} deep", "fatal")
                break
            source = self.read(found, named)
            if source is None:
                break
            paths.append(os.path.realpath(found))
            layers.append(_layer(source, shape.THEME))
        return layers

    def loaded(self, layers: list[Layer], config: Layer | None) -> Loaded:
        """The outcome for these layers, the lowest first."""
        theme_layers = [layer for layer in layers if layer is not config]
        fatal = self._fatal()
        if theme_layers and not fatal and not _merged(theme_layers).keys() & {("template",), ("layout",)}:
            message = "a theme needs a `template` or a `layout`"
            theme_layers[-1].source.problems.append(Problem("theme-shape", message, Span(theme_layers[-1].source.path)))
            fatal = True
        draft = _theme(layers, config, report=not fatal)
        theme = self._classic(config) if self._fatal() else draft
        return Loaded(
            theme,
            draft,
            self.problems(),
            self._fatal(),
            self.stamps,
            self.files,
            lambda: self._classic(config),
        )

    def _classic(self, config: Layer | None) -> Theme:
        reader = _Reader(self.home, None, self.bundled)
        chain = reader.chain(DEFAULT_THEME, None)
        known = {stamp[0] for stamp in self.stamps}
        self.stamps += [stamp for stamp in reader.stamps if stamp[0] not in known]
        layers = [] if reader._fatal() else chain
        if not _merged(layers).keys() & {("template",), ("layout",)}:
            layers = [_bare()]
        return _theme([*reversed(layers)], config)

    def _fatal(self) -> bool:
        return any(problem.weight == "fatal" and problem not in self.forgiven for problem in self.problems())

    def problems(self) -> list[Problem]:
        """Everything found so far, in the order of the files and of their places."""
        ordered = list(self.loose)
        for source in self.files.values():
            ordered += sorted(source.problems, key=lambda problem: _order(problem.span))
        return ordered

    def _path(self, choice: str, named: Place | None) -> str | None:
        """The file that a name or path means; None and a problem when there is none."""
        by_name = re.fullmatch(shape.THEME_NAME.pattern, choice)
        if by_name and choice.upper() not in DEVICES:
            return self._found(choice, named)
        if by_name or not re.search(r"[/\\]|^~|\.toml$", choice):
            rule = f"allowed: {shape.THEME_NAME.rule}"
            self._lost(f"{quote(choice)} cannot be the name of a theme", named, None, rule)
            return None
        path = _expanded(choice, self.home)
        if path is None:
            self._lost(f"{quote(choice)} cannot be found: there is no home directory", named, None)
        elif not os.path.isabs(path):
            if self.config_dir is None:
                self._lost(f"{quote(choice)} is not an absolute path", named, None)
                return None
            path = os.path.join(self.config_dir, path)
        return path

    def _found(self, name: str, named: Place | None) -> str | None:
        for folder in _theme_dirs(self.config_dir, self.bundled):
            path = os.path.join(folder, name + ".toml")
            if os.path.exists(path):
                return path
            self.stamps.append((path, None, None, None, None))
        near = nearest(name, [known for known, _ in theme_names(self.config_dir, self.bundled)])
        help = f"did you mean `{near}`?" if near else "`ohud themes` lists them"
        self._lost(f"there is no theme {quote(name)}", named, None, help)
        return None

    def _lost(self, message: str, named: Place | None, span: Span | None, help: str | None = None) -> None:
        if named is not None:
            _note(named.source, named.path, message, "fatal", help)
        else:
            self.loose.append(Problem("toml-text" if span else "theme-shape", message, span, help))


DEVICES = frozenset(["CON", "PRN", "AUX", "NUL", *(f"{port}{n}" for port in ("COM", "LPT") for n in range(10))])


def _order(span: Span | None) -> tuple[int, int]:
    return (span.line or 0, span.column or 0) if span else (0, 0)


def _bare() -> Layer:
    """A theme for when not even `classic` can be read."""
    text = 'layout = [["model"]]\n[segments.model]\nvalue = "computed.model.name"\ndefault = "model"\n'
    return check(parse(text, "classic.toml"), shape.THEME)


def _merged(layers: list[Layer]) -> dict[KeyPath, tuple[Any, Place]]:
    """Values of all layers by key path with their places; later layers win, and choose template or layout."""
    merged: dict[KeyPath, tuple[Any, Place]] = {}
    for layer in layers:
        for one, other in (("template", "layout"), ("layout", "template")):
            if (one,) in layer.values:
                merged.pop((other,), None)
        for path, value in layer.values.items():
            written = path[:-1] if path[-1] == "" else path
            merged[path] = (value, Place(layer.source, written))
    return merged


def _theme(layers: list[Layer], config: Layer | None, report: bool = False) -> Theme:
    """The theme of these layers, the lowest first; `report`: mistakes that show after merging become problems."""
    merged = _merged(layers)
    machine = _merged([config] if config else [])
    broken = {path for layer in layers for path in layer.broken}

    def value(name: str, values: dict[KeyPath, tuple[Any, Place]] = merged) -> Any:
        return values[name,][0] if (name,) in values else shape.default(shape.CONFIG, name)

    icons = value("icons", machine)
    options = _options(merged, layers, config, report)
    segments = _segments(merged, ("segments",), broken, icons, options, report)
    layout = _layout(merged, segments, report) if ("layout",) in merged else None
    return Theme(
        name=value("name"),
        description=value("description"),
        author=value("author"),
        license=value("license"),
        separator=value("separator"),
        cut=value("cut"),
        newline=value("newline"),
        template=value("template"),
        layout=layout,
        palette=_palette(layers, value("background", machine)),
        options=options,
        limits=_filled(shape.LIMITS, _under(merged, "limits")),
        fallback=_filled(shape.FALLBACK, _under(merged, "fallback")),
        segments=segments,
        subagents=Subagents(
            merged[_SUBAGENTS_TEMPLATE][0] if _SUBAGENTS_TEMPLATE in merged else None,
            _segments(merged, ("subagents", "segments"), broken, icons, options, report),
        ),
        icons=icons,
        background=value("background", machine),
        color=value("color", machine),
        margin=value("margin", machine),
        columns=value("columns", machine),
        notices=value("notices", machine),
        links=tuple(value("links", machine)),
        settings={name: _settings(machine, name) for name in SETTINGS},
        places={path: written for path, (_, written) in merged.items() if path[-1] != ""},
    )


_SUBAGENTS_TEMPLATE: KeyPath = ("subagents", "template")


def _under(merged: dict[KeyPath, tuple[Any, Place]], name: str) -> dict[str, Any]:
    return {str(path[1]): value for path, (value, _) in merged.items() if path[0] == name and len(path) == 2}


def _palette(layers: list[Layer], background: str) -> dict[str, str]:
    """The colours by name: in each file those for the background over the others, and the files over each other."""
    found: dict[str, str] = {}
    for layer in layers:
        for table in ("palette", "palette_" + background):
            values = layer.values.items()
            found.update({str(path[1]): str(colour) for path, colour in values if path[0] == table and len(path) == 2})
    return found


def _options(
    merged: dict[KeyPath, tuple[Any, Place]], layers: list[Layer], config: Layer | None, report: bool
) -> dict[str, Any]:
    """The options by name: the theme's defaults, and over them what the config has chosen from these."""
    offered = _under(_merged([layer for layer in layers if layer is not config]), "options")
    found = _under(merged, "options")
    for name, value in list(found.items()):
        written = merged["options", name][1]
        if not offered or config is None or written.source is not config.source:
            continue
        if name not in offered:
            near = nearest(name, list(offered))
            help = f"did you mean `{near}`?" if near else "known: " + ", ".join(f"`{known}`" for known in offered)
            if report:
                _note(written.source, written.path, f"the theme has no option {quote(name)}", "ignored", help)
        elif _sort_of(value) != _sort_of(offered[name]):
            found[name] = offered[name]
            if report:
                message = f"the option {quote(name)} must be {_sort_of(offered[name])}, not {_sort_of(value)}"
                _note(written.source, written.path, message, "part")
    return found


def _sort_of(value: object) -> str:
    return "true or false" if isinstance(value, bool) else "a text" if isinstance(value, str) else "a number"


def _filled(table: shape.Table, values: dict[str, Any]) -> dict[str, Any]:
    return {**shape.defaults(table), **values}


def _settings(machine: dict[KeyPath, tuple[Any, Place]], name: str) -> dict[str, Any]:
    """One family's table with its defaults; tables by free names are filled in entry by entry."""
    key = shape.CONFIG.key(name)
    assert key is not None and isinstance(key.type, shape.Table)
    if key.type.entry is None:
        return _filled(key.type, _under(machine, name))
    assert isinstance(key.type.entry, shape.Table)
    entries: dict[str, Any] = {}
    for path, (value, _) in machine.items():
        if path[0] == name and len(path) == 3:
            entries.setdefault(str(path[1]), shape.defaults(key.type.entry))[str(path[2])] = value
    needed = [inner.name for inner in key.type.entry.keys if inner.needed]
    return {entry: keys for entry, keys in entries.items() if all(inner in keys for inner in needed)}


def _segments(
    merged: dict[KeyPath, tuple[Any, Place]],
    above: KeyPath,
    broken: set[KeyPath],
    icons: str,
    options: dict[str, Any],
    report: bool,
) -> dict[str, SegmentSource]:
    found: dict[str, dict[str, tuple[Any, Place]]] = {}
    for path, entry in merged.items():
        if path[: len(above)] == above and owner(path) is not None:
            found.setdefault(str(path[len(above)]), {})[str(path[-1])] = entry
    segments = {}
    for name, keys in found.items():
        worth = not keys.keys().isdisjoint(("value", "default", "format"))
        if not worth and report and (*above, name) not in broken:
            _, written = keys[""]
            near = nearest(name, [other for other, entry in found.items() if "value" in entry])
            hint = f"did you mean `{near}`?" if near else None
            message = f"segment {quote(name)} has no `value`, `default` or `format`"
            _note(written.source, written.path, message, "part", hint, at_key=True)
        worth = _numbered(keys, options, report) and worth
        segments[name] = _segment(name, keys, icons, not worth or (*above, name) in broken)
    return segments


def _numbered(keys: dict[str, tuple[Any, Place]], options: dict[str, Any], report: bool) -> bool:
    """Puts the values of the options into the levels that name some; False where there is no such number."""
    if "levels" not in keys:
        return True
    levels, written = keys["levels"]
    fine, found = True, []
    for number, level in enumerate(levels):
        at = level["at"]
        if isinstance(at, str):
            at = options.get(at)
            if isinstance(at, bool) or not isinstance(at, (int, float)):
                numbers = [name for name, value in options.items() if _sort_of(value) == "a number"]
                near = nearest(level["at"], numbers)
                if report:
                    message = f"there is no option {quote(level['at'])} with a number"
                    path = (*written.path, number, "at")
                    _note(written.source, path, message, "part", f"did you mean `{near}`?" if near else None)
                fine = False
                continue
        found.append({**level, "at": at, "number": number})
    keys["levels"] = (found, written)
    return fine


def _segment(name: str, keys: dict[str, tuple[Any, Place]], icons: str, broken: bool) -> SegmentSource:
    places = {key: written for key, (_, written) in keys.items()}
    values = {key: value for key, (value, _) in keys.items() if key != ""}
    if "icon" in values:
        values["icon"] = _icon(values["icon"], icons)
    if "levels" in values:
        written = places["levels"]
        order = sorted(values["levels"], key=lambda level: float(level["at"]))
        for place_number, level in enumerate(order):
            places[f"levels.{place_number}"] = Place(written.source, (*written.path, level["number"], "style"))
        values["levels"] = tuple((level["at"], level["style"], level.get("priority")) for level in order)
    return SegmentSource(name=name, broken=broken, places=places, **values)


_FORMS = {"nerd": ("nerd", "emoji", "ascii"), "emoji": ("emoji", "ascii"), "ascii": ("ascii",)}


def _icon(icon: str | dict[str, str], icons: str) -> str | None:
    """The form of an icon for a kind of glyphs, or one that every terminal of that kind can show as well."""
    if isinstance(icon, str):
        return icon
    return next((icon[form] for form in _FORMS[icons] if form in icon), None)


def _layout(
    merged: dict[KeyPath, tuple[Any, Place]], segments: dict[str, SegmentSource], report: bool
) -> tuple[tuple[str, ...], ...]:
    rows, written = merged["layout",]
    for row_number, row in enumerate(rows):
        for number, name in enumerate(row):
            if name not in segments and report:
                near = nearest(name, segments)
                hint = f"did you mean `{near}`?" if near else None
                at = (*written.path, row_number, number)
                _note(written.source, at, f"there is no segment {quote(name)}", "part", hint)
    return tuple(tuple(name for name in row if name in segments) for row in rows)
