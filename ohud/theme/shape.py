"""The declaration of every theme and config key: name, type, default, unit, sentence, example."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """
    Text of at most `longest` characters.

    Takes:  lines: may hold LF; choices: the only texts allowed; pattern: a regular expression for the whole text,
            in words `rule`
    """

    longest: int = 512
    lines: bool = False
    choices: tuple[str, ...] = ()
    pattern: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Integer:
    """A whole number from `least` to `most`."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Number:
    """A finite number from `least` to `most`, whole or not."""

    least: float | None = None
    most: float | None = None


@dataclass(frozen=True, slots=True)
class Boolean:
    """`true` or `false`."""


@dataclass(frozen=True, slots=True)
class Array:
    """A list of `least` (0 or 1) to `longest` items of one type."""

    item: Type
    longest: int
    least: int = 0


@dataclass(frozen=True, slots=True)
class Union:
    """One of several types."""

    options: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """
    A table.

    Takes:  keys: the keys it may hold; names: the type of further keys' names, entry: of their values;
            longest: how many of these
    """

    keys: tuple[Key, ...] = ()
    names: Text | None = None
    entry: Type | None = None
    longest: int = 256

    def key(self, name: str) -> Key | None:
        """The declaration of one key."""
        return next((key for key in self.keys if key.name == name), None)


Type = Text | Integer | Number | Boolean | Array | Union | Table


@dataclass(frozen=True, slots=True)
class Key:
    """
    One key.

    Takes:  sentence: what it is for, for tables and editors; default: what holds when it is not given (None: nothing);
            unit: as in docstrings; weight: what a wrong value costs ("fatal": the whole theme; "part": this value, or
            the segment that it belongs to); needed: its table is worth nothing without it
    """

    name: str
    type: Type
    sentence: str
    default: object = None
    unit: str | None = None
    examples: tuple[object, ...] = ()
    weight: str = "part"
    needed: bool = False


SEGMENT_NAME = Text(
    longest=40,
    pattern=r"(?!.*__)[a-z][a-z0-9_]{0,39}",
    rule="lower-case letters, digits and single `_`, a letter first, at most 40",
)
THEME_NAME = Text(longest=64, pattern=r"[A-Za-z0-9_-]{1,64}", rule="letters, digits, `_` and `-`, at most 64")
PALETTE_NAME = Text(
    longest=40, pattern=r"[A-Za-z][A-Za-z0-9_-]{0,39}", rule="letters, digits, `_` and `-`, a letter first, at most 40"
)
ANY_NAME = Text(longest=256)

# Names that templates already use; a segment of the same name would hide them or could never be read.
_RESERVED = """
palette terminal options value loop row fill powerline icon self caller varargs kwargs super
range dict namespace lipsum cycler joiner
and or not in is if else true false none
"""
RESERVED = frozenset(_RESERVED.split())
RESERVED_IN_SUBAGENTS = RESERVED | {"task"}

EXPRESSION = Text(longest=512, lines=True)
TEMPLATE = Text(longest=32768, lines=True)
STYLE = Text(longest=200)
COLOUR = Union((Text(longest=40), Integer(0, 255)))
PALETTE = Table(names=PALETTE_NAME, entry=COLOUR)

_ICON_FORM = Text(longest=16)
ICON = Union(
    (
        _ICON_FORM,
        Table(
            (
                Key("nerd", _ICON_FORM, "The icon in a terminal with a Nerd Font.", examples=("\ue725",)),
                Key("emoji", _ICON_FORM, "The icon as an emoji.", examples=("🌿",)),
                Key("ascii", _ICON_FORM, "The icon in plain letters.", examples=("git",)),
            )
        ),
    )
)

OPTION_WITH_NUMBER = Text(SEGMENT_NAME.longest, pattern=SEGMENT_NAME.pattern, rule="a number, or the name of an option")
LEVEL = Table(
    (
        Key(
            "at",
            Union((Number(), OPTION_WITH_NUMBER)),
            "The level is reached when the value is this or more: a number, or the name of an option that holds one.",
            examples=(70, "warning_at"),
            needed=True,
        ),
        Key("style", STYLE, "The style from this level on.", examples=("fg:warn",), needed=True),
        Key("priority", Integer(-1000, 1000), "The segment's priority from this level on.", examples=(95,)),
    )
)

SEGMENT = Table(
    (
        Key("value", EXPRESSION, "JMESPath expression over the document.", examples=("computed.context.percent",)),
        Key("when", EXPRESSION, "JMESPath; a falsy result hides the segment.", examples=("computed.git.branch",)),
        Key(
            "show",
            Union((Boolean(), SEGMENT_NAME)),
            "False, or the name of an option that is off: the segment is not even computed.",
            default=True,
            examples=(False, "show_cost"),
        ),
        Key(
            "default",
            Union((Text(), Number(), Boolean())),
            "What is shown when the value is null; without it the segment is hidden, and with a blank text.",
            examples=("-",),
        ),
        Key(
            "format",
            TEMPLATE,
            "A small template that prints the segment; `value` is its value, other segments are visible by name.",
            examples=("{{ value | percent }}",),
        ),
        Key("style", STYLE, "Style of the whole segment.", examples=("bold fg:accent",)),
        Key(
            "levels",
            Array(LEVEL, 16),
            "Styles by value: the last level that a numeric value reaches wins over `style`.",
            examples=([{"at": 70, "style": "fg:warn"}, {"at": 90, "style": "fg:bad"}],),
        ),
        Key(
            "icon",
            ICON,
            "Text before the segment, or one for each kind of glyphs; the config's `icons` picks.",
            examples=({"nerd": "\ue725", "emoji": "🌿", "ascii": "git"},),
        ),
        Key(
            "priority",
            Integer(-1000, 1000),
            "Where a row is too wide, segments of the lowest priority go first.",
            default=50,
            examples=(80,),
        ),
        Key("max_width", Integer(1, 1000), "The segment is cut to this width.", unit="cells", examples=(24,)),
    )
)

SEGMENTS = Table(names=SEGMENT_NAME, entry=Union((EXPRESSION, SEGMENT)))

SUBAGENTS = Table(
    (
        Key(
            "template",
            TEMPLATE,
            "Template of one task row; `task` is the task.",
            examples=("{{ label }} {{ tokens | tokens }}",),
        ),
        Key(
            "segments",
            SEGMENTS,
            "Segments of a task row: JMESPath expressions over the document with `task` added.",
            examples=({"label": "task.label_or_name"},),
        ),
    )
)

LIMITS = Table(
    (
        Key("lines", Integer(1, 10), "Lines drawn at most; the first ones win.", default=10, unit="lines"),
        Key("bytes", Integer(1, 16384), "Bytes written at most, styles included.", default=16384, unit="bytes"),
        Key("cells", Integer(1, 1000), "Width of a line at most, whatever the terminal.", default=1000, unit="cells"),
    )
)

FALLBACK = Table(
    (
        Key(
            "no_input",
            Text(longest=200),
            "Printed when standard input gave no payload.",
            default="ohud: no stdin (setup verification)",
            examples=("",),
        ),
        Key("empty", Text(longest=200), "Printed when every segment is hidden.", default="ohud", examples=("",)),
        Key(
            "error",
            Text(longest=200),
            "Printed when the render as a whole failed.",
            default="ohud: this line could not be drawn, run: ohud doctor",
            examples=("",),
        ),
    )
)

THEME_KEYS = (
    Key("name", Text(longest=64), "What the theme calls itself.", default="", examples=("Harbour",)),
    Key("description", Text(lines=True), "One sentence about the theme.", default="", examples=("Two calm lines.",)),
    Key("author", Text(longest=200), "Who wrote the theme.", default="", examples=("ohud",)),
    Key("license", Text(longest=64), "Terms for copying the theme.", default="", examples=("MIT",)),
    Key(
        "extends",
        THEME_NAME,
        "Name of the theme that this one changes: shipped with ohud, or in the folder `themes` beside the config.",
        examples=("classic",),
        weight="fatal",
    ),
    Key(
        "separator",
        Text(longest=40),
        "Text between the segments of a `layout` row.",
        default=" | ",
        examples=(" · ",),
    ),
    Key(
        "cut",
        Text(longest=1, pattern=r"[^\s]", rule="one visible character"),
        "What ends a text that is cut; without it `…`, or `~` where the config's `icons` is `ascii`.",
        examples=("~",),
    ),
    Key("newline", Boolean(), "Whether the output ends with a line feed.", default=True, examples=(False,)),
    Key(
        "template",
        TEMPLATE,
        "Jinja2 template of the status line; segments are visible by name.",
        examples=("{{ model }} {{ context | percent }}",),
        weight="fatal",
    ),
    Key(
        "layout",
        Array(Array(Text(longest=40), 64), 10),
        "Rows of segment names, in place of a template; visible segments are joined by `separator`.",
        examples=([["model", "branch"], ["context", "cost"]],),
        weight="fatal",
    ),
    Key(
        "palette",
        PALETTE,
        "Colours by name: `#rrggbb`, 0 to 255, an ANSI name, or another name of the palette.",
        examples=({"accent": "#7aa2f7", "warn": "yellow"},),
    ),
    Key(
        "palette_light",
        PALETTE,
        'Colours that lie over `palette` where the config says `background = "light"`.',
        examples=({"accent": "#2e7de9"},),
    ),
    Key(
        "palette_dark",
        PALETTE,
        "Colours that lie over `palette` where the background is dark, for a theme made for light ones.",
        examples=({"accent": "#7aa2f7"},),
    ),
    Key(
        "options",
        Table(names=SEGMENT_NAME, entry=Union((Boolean(), Number(), Text(longest=64)))),
        "What a user may choose, with the theme's defaults; templates read `options.name`, the config overrides.",
        examples=({"show_cost": False, "warning_at": 60},),
    ),
    Key("limits", LIMITS, "How much is drawn at most.", examples=({"lines": 2},)),
    Key("fallback", FALLBACK, "What is printed when there is nothing to render.", examples=({"empty": "ohud"},)),
    Key(
        "segments",
        SEGMENTS,
        "Named pieces of the line: a JMESPath expression, or a table of keys.",
        examples=({"model": "computed.model.name", "cost": {"value": "computed.cost.usd", "default": "-"}},),
        weight="fatal",
    ),
    Key("subagents", SUBAGENTS, "The rows of running subagents.", examples=({"template": "{{ label }}"},)),
)

_WAIT = "How long one refresh may wait for a first answer."
_AGE = "How old an answer may be before it is looked up again in the background."

GIT = Table(
    (
        Key("refresh_s", Number(0, 86400), _AGE, default=5, unit="s"),
        Key("wait_ms", Integer(0, 1000), _WAIT, default=100, unit="ms"),
        Key("timeout_ms", Integer(1, 60000), "How long `git` may run.", default=1000, unit="ms"),
    )
)

OLLAMA = Table(
    (
        Key(
            "host",
            Text(
                longest=256,
                pattern=r"https?://[^\s/@?#]+(/[^\s?#]*)?",
                rule="an address that begins with `http://` or `https://`, without user, query or fragment",
            ),
            "Address of the Ollama server.",
            default="http://localhost:11434",
            examples=("http://127.0.0.1:11434",),
        ),
        Key("refresh_s", Number(0, 86400), _AGE, default=5, unit="s"),
        Key("models_refresh_s", Number(0, 86400), "The same for the list of models.", default=120, unit="s"),
        Key("timeout_ms", Integer(1, 60000), "How long one request may take.", default=500, unit="ms"),
    )
)

TRANSCRIPT = Table((Key("enabled", Boolean(), "Whether the session's transcript is read at all.", default=True),))

USAGE = Table(
    (
        Key(
            "snapshot",
            Text(longest=1024),
            "A JSON file with usage windows, read when the payload has none.",
            examples=("~/.cache/usage.json",),
        ),
        Key("snapshot_age_s", Number(0, 864000), "How old that file may be.", default=300, unit="s"),
    )
)

_PRICE = Number(0, 1_000_000)
_PER = "USD per million tokens"
PRICE = Table(
    (
        Key("input", _PRICE, "Input tokens.", unit=_PER, examples=(5,)),
        Key("output", _PRICE, "Output tokens.", unit=_PER, examples=(25,)),
        Key("cache_write_5m", _PRICE, "Cache writes kept for 5 minutes.", unit=_PER, examples=(6.25,)),
        Key("cache_write_1h", _PRICE, "Cache writes kept for an hour.", unit=_PER, examples=(10,)),
        Key("cache_read", _PRICE, "Cache reads.", unit=_PER, examples=(0.5,)),
    )
)

COMMAND = Table(
    (
        Key(
            "run",
            Array(Text(longest=4096), 64, least=1),
            "Program and arguments, no shell; the program by its absolute path, or by a name to look up in PATH.",
            examples=(["/usr/bin/uptime", "-p"],),
            needed=True,
        ),
        Key("refresh_s", Number(1, 86400), _AGE, default=10, unit="s"),
        Key("timeout_ms", Integer(1, 60000), "How long the program may run.", default=1000, unit="ms"),
    )
)

PROJECT = Table(
    (Key("theme", Text(longest=1024), "Theme for sessions below this directory.", examples=("minimal",), needed=True),)
)

COMMAND_NAME = SEGMENT_NAME

CONFIG_KEYS = (
    Key(
        "theme",
        Text(longest=1024),
        "The theme: a name, or the path of a file (`~` is home, relative paths start at the config's folder).",
        default="classic",
        examples=("oneline", "~/themes/mine.toml"),
        weight="fatal",
    ),
    Key(
        "icons",
        Text(choices=("nerd", "emoji", "ascii")),
        "Which form of icons the terminal's font has.",
        default="emoji",
        examples=("nerd",),
    ),
    Key(
        "color",
        Text(choices=("auto", "never", "16", "256", "truecolor")),
        "Colours: `auto` follows NO_COLOR, FORCE_COLOR, COLORTERM and TERM.",
        default="auto",
        examples=("256",),
    ),
    Key(
        "background",
        Text(choices=("dark", "light")),
        "The terminal's background; themes have colours for both.",
        default="dark",
        examples=("light",),
    ),
    Key(
        "margin",
        Integer(0, 1000),
        "Columns of the terminal that the host keeps for itself: 4, and twice its padding.",
        default=4,
        unit="cells",
        examples=(6,),
    ),
    Key(
        "columns",
        Integer(1, 10000),
        "Width of the terminal when COLUMNS does not tell; without both there is no limit.",
        unit="cells",
        examples=(120,),
    ),
    Key(
        "notices",
        Boolean(),
        "Whether a mistake in theme or config is announced below the line.",
        default=True,
        examples=(False,),
    ),
    Key(
        "links",
        Array(Text(choices=("file",)), 4),
        "Schemes that links may have besides http and https.",
        default=[],
        examples=(["file"],),
    ),
    Key("git", GIT, "The costly facts about a repository.", examples=({"refresh_s": 10},)),
    Key("ollama", OLLAMA, "Where an Ollama server answers.", examples=({"host": "http://127.0.0.1:11434"},)),
    Key("transcript", TRANSCRIPT, "The session's transcript.", examples=({"enabled": False},)),
    Key("usage", USAGE, "Limit windows from elsewhere.", examples=({"snapshot": "~/.cache/usage.json"},)),
    Key(
        "prices",
        Table(names=ANY_NAME, entry=PRICE),
        "Prices by plain model id; an entry wins over the shipped table.",
        examples=({"claude-opus-4-6": {"input": 5, "output": 25}},),
    ),
    Key(
        "commands",
        Table(names=COMMAND_NAME, entry=COMMAND),
        "Programs whose output segments can show as `computed.commands.NAME`.",
        examples=({"load": {"run": ["/usr/bin/uptime"]}},),
    ),
    Key(
        "projects",
        Table(names=Text(longest=1024), entry=PROJECT),
        "Themes by directory: the longest path above the session's directory wins.",
        examples=({"~/work": {"theme": "minimal"}},),
    ),
)

THEME = Table(THEME_KEYS)
CONFIG = Table(THEME_KEYS + CONFIG_KEYS)
CONFIG_ONLY = frozenset(key.name for key in CONFIG_KEYS)

# What strangers' files try to name, and what people look for from other tools: never a key of a theme.
_NEVER = "command commands exec shell run script include import source file files path url host env environment"
NEVER_IN_THEMES = frozenset(_NEVER.split())


def default(table: Table, name: str) -> object:
    """The declared default of one key of a table."""
    key = table.key(name)
    assert key is not None, name
    return key.default


def defaults(table: Table) -> dict[str, object]:
    """Every key of a table that has a default, with it."""
    return {key.name: key.default for key in table.keys if key.default is not None}


def rows(table: Table, above: str = "") -> Iterator[tuple[str, Key]]:
    """
    Every key below a table with its dotted name, tables first and then what they hold.

    Returns: pairs such as ("limits.lines", Key); names that the user chooses are written NAME
    """
    for key in table.keys:
        name = f"{above}{key.name}"
        yield name, key
        inner, depth = _inner(key.type), name + "."
        if inner is not None and inner.names is not None and inner.entry is not None:
            inner, depth = _inner(inner.entry), name + ".NAME."
        if inner is not None:
            yield from rows(inner, depth)


def fits(kind: Type, value: object) -> bool:
    """Whether a value is of a declared type, choices and bounds aside."""
    match kind:
        case Text():
            return type(value) is str
        case Boolean():
            return type(value) is bool
        case Integer():
            return type(value) is int
        case Number():
            return type(value) in (int, float)
        case Array():
            return type(value) is list
        case Table():
            return type(value) is dict
        case Union(options=options):
            return any(fits(option, value) for option in options)


def describe(kind: Type) -> str:
    """The type in words, as messages and tables say it: "an integer from 1 to 10"."""
    match kind:
        case Text(choices=choices) if choices:
            return "one of " + ", ".join(f"`{choice}`" for choice in choices)
        case Text():
            return "a text"
        case Integer(least=least, most=most):
            return f"an integer from {least} to {most}"
        case Number(least=None):
            return "a number"
        case Number(least=least, most=most):
            return f"a number from {least}" + (f" to {most}" if most is not None else "")
        case Boolean():
            return "`true` or `false`"
        case Array(item=item):
            return "a list of " + _plural(item)
        case Table():
            return "a table"
        case Union(options=options):
            return " or ".join(describe(option) for option in options)


def _plural(kind: Type) -> str:
    match kind:
        case Text(choices=()):
            return "texts"
        case Table():
            return "tables"
        case Array(item=item):
            return "lists of " + _plural(item)
        case _:
            return "items, each " + describe(kind)


def _inner(kind: Type) -> Table | None:
    """The table inside a type, for the keys it holds."""
    match kind:
        case Table():
            return kind
        case Array(item=item):
            return _inner(item)
        case Union(options=options):
            return next((table for option in options if (table := _inner(option)) is not None), None)
        case _:
            return None
