"""A theme in the making: segments, the lines they stand on, colours, and the TOML text of it all."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import tomli_w

from ohud.convert.facts import FACTS
from ohud.errors import invisible
from ohud.theme.icons import ICONS
from ohud.theme.shape import RESERVED
from ohud.theme.styles import ATTRIBUTES, COLOURS

MOST_PIECES = 120
_NERD = {forms[0]: name for name, forms in ICONS.items() if "\ue000" <= forms[0][:1] <= "\uf8ff"}
_LONGEST_VALUE = 480  # characters; an expression has 512 at most
_PRIORITY = {fact.value: fact.priority for fact in reversed(FACTS.values())}


@dataclass
class Piece:
    """
    A segment: what it shows, and the words around it.

    Takes:  before, after: plain text; said: the text of a segment that always says the same
    """

    name: str
    value: str
    body: str = "{{ value }}"
    before: str = ""
    after: str = ""
    when: str | None = None
    default: str | None = None
    style: str = ""
    levels: list[tuple[float, str]] = field(default_factory=list)
    icon: dict[str, str] | str | None = None
    priority: int = 50
    max_width: int | None = None
    said: str = ""

    @property
    def format(self) -> str | None:
        """The template of the segment; None when it prints the bare value."""
        if self.body == "{{ value }}" and not self.before and not self.after:
            return None
        return literal(self.before) + self.body + literal(self.after)


@dataclass(frozen=True, slots=True)
class Gap:
    """Text between two segments, which goes when one of them does."""

    text: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class Fill:
    """Flexible space."""


@dataclass(frozen=True, slots=True)
class Arrows:
    """
    Segments as blocks of colour.

    Takes:  separator, start, end: glyphs; None for start and end: as the separator asks; pad: blanks inside a block;
            apart: each block has its own start and end
    """

    names: tuple[str, ...]
    separator: str = "\ue0b0"
    start: str | None = None
    end: str | None = None
    pad: int = 1
    wrap: int = 1
    apart: bool = False


Token = str | Gap | Fill | Arrows


@dataclass
class Draft:
    """
    A theme in the making.

    Takes:  settings: config keys that the other program's file stands for, with their values; hidden: segments of the
            extended theme that do not show; made: colours that the palette has for the segments' sake
    """

    title: str
    description: str
    origin: str
    pieces: list[Piece] = field(default_factory=list)
    lines: list[list[Token]] = field(default_factory=list)
    palette: dict[str, str] = field(default_factory=dict)
    palette_light: dict[str, str] = field(default_factory=dict)
    palette_dark: dict[str, str] = field(default_factory=dict)
    options: dict[str, str | int | float | bool] = field(default_factory=dict)
    limits: dict[str, int] = field(default_factory=dict)
    settings: dict[str, object] = field(default_factory=dict)
    extends: str | None = None
    hidden: list[str] = field(default_factory=list)
    template: str | None = None
    made: set[str] = field(default_factory=set)

    def add(self, piece: Piece) -> str:
        """The name under which the theme has the piece."""
        piece.name = self._free(piece.name)
        self.pieces.append(piece)
        return piece.name

    def piece(self, name: str) -> Piece:
        """The piece of a name."""
        return next(one for one in self.pieces if one.name == name)

    def remove(self, name: str) -> None:
        """Takes a segment out, wherever it stands."""
        self.pieces = [one for one in self.pieces if one.name != name]
        for number, line in enumerate(self.lines):
            kept = [token for token in line if token != name]
            self.lines[number] = [
                replace(token, names=tuple(one for one in token.names if one != name))
                if isinstance(token, Arrows)
                else token
                for token in kept
            ]

    @property
    def says_something(self) -> bool:
        """Whether there is anything on a line."""
        return self.extends is not None or any(self._drawn(line) for line in self.lines)

    @property
    def full(self) -> bool:
        """Whether the theme has as many segments as it may have."""
        return len(self.pieces) >= MOST_PIECES

    def _free(self, wanted: str) -> str:
        taken = {piece.name for piece in self.pieces} | RESERVED
        name = base = segment_name(wanted)
        number = 2
        while name in taken:
            name = f"{base}_{number}"
            number += 1
        return name

    def colour(self, colour: str, role: str) -> str:
        """The name under which the palette has an exact colour; ANSI names stay as they are."""
        if colour in COLOURS or not colour:
            return colour
        name = base = palette_name(role)
        number = 2
        while self.palette.get(name, colour) != colour:
            name = f"{base}_{number}"
            number += 1
        self.palette[name] = colour
        self.made.add(name)
        return name

    def toml(self, schema: str | None) -> str:
        """The theme's text. Takes: schema: the place of the schema for the first line (None: no such line)."""
        head = [f"#:schema {schema}"] if schema else []
        head += [f"# Converted by `ohud import` from {one_line(self.origin)}."]
        parts = ["\n".join([*head, *self._top()])]
        self._tidy()
        parts += [_table(name, values) for name, values in self._tables() if values]
        parts += [_table(f"segments.{name}", {"show": False}) for name in self.hidden]
        short = {piece.name: piece.value for piece in self.pieces if not _long(piece)}
        parts += [_table("segments", short)] if short else []
        parts += [_table(f"segments.{piece.name}", _keys(piece)) for piece in self.pieces if _long(piece)]
        return "\n\n".join(parts) + "\n"

    def _tidy(self) -> None:
        """Takes colours out of the palette that were made for nothing."""
        said = [word for one in self.pieces for word in (one.style, *(style for _, style in one.levels), one.body)]
        said += [token.style for line in self.lines for token in line if isinstance(token, Gap)]
        used = set(re.findall(r"\w+", " ".join(said)))
        self.palette = {name: colour for name, colour in self.palette.items() if name in used or name not in self.made}

    def _tables(self) -> list[tuple[str, dict[str, object]]]:
        return [
            ("options", {**self.options}),
            ("limits", {**self.limits}),
            ("palette", {**self.palette}),
            ("palette_light", {**self.palette_light}),
            ("palette_dark", {**self.palette_dark}),
        ]

    def _top(self) -> list[str]:
        rows = [_line("name", self.title), _line("description", self.description)]
        if self.extends:
            rows.append(_line("extends", self.extends))
        template = self.template if self.template is not None else self._template()
        return [*rows, "", _line("template", template)] if template else rows

    def _template(self) -> str:
        """One template line a line of the status line."""
        drawn = [text for line in self.lines if (text := self._drawn(line))]
        return drawn[0] if len(drawn) == 1 and "\n" not in drawn[0] else "\n" + "\n".join(drawn) if drawn else ""

    def _drawn(self, line: list[Token]) -> str:
        parts: list[list[Token]] = [[]]
        for token in line:
            if isinstance(token, Fill):
                parts.append([])
            else:
                parts[-1].append(token)
        while len(parts) > 1 and not parts[-1]:
            parts.pop()
        drawn = [_part(part) for part in parts]
        return "{{ fill() }}".join(drawn) if any(drawn) else ""


def piece(kind: str, name: str | None = None, **changes: object) -> Piece:
    """A piece that shows a fact of ohud's; its icon is not set."""
    fact = FACTS[kind]
    made = Piece(name or kind, fact.value, fact.body, when=fact.when, priority=fact.priority)
    return replace(made, **changes)  # type: ignore[arg-type]


def bind(draft: Draft, made: Piece, text: str, fields: Mapping[str, str], level: str | None = None) -> None:
    """
    Gives a piece its value and its body.

    Takes:  text: a template with `@name@` for fields; fields: JMESPath by name; level: the field by whose value the
            piece's levels go: it is the value then, and the others get segments of their own
    """
    used = {name: value for name, value in fields.items() if f"@{name}@" in text or name == level}
    whole = "{" + ", ".join(f"{name}: {value}" for name, value in used.items()) + "}"
    if level is None and len(used) == 1:
        level = next(iter(used))
    if level is not None or len(whole) > _LONGEST_VALUE:
        made.value = used[level] if level is not None else ""
        rest = {name: value for name, value in used.items() if name != level}
        places = {name: draft.add(Piece(f"{made.name}_{name}", value)) + ".value" for name, value in rest.items()}
        places |= {level: "value"} if level is not None else {}
    else:
        made.value = whole if used else ""
        places = {name: f"value.{name}" for name in used}
        plain = [value for value in used.values() if "[" not in value and "{" not in value]
        if (
            plain
            and not text.startswith("{%")
            and sum(map(len, plain)) < 400
            and not re.search(r"\{% else %\}| or '", text)
        ):
            made.when = made.when or " || ".join(plain)
    for name, said in places.items():
        text = text.replace(f"@{name}@", said)
    made.body = text
    made.priority = max([_PRIORITY.get(value, 0) for value in used.values()], default=0) or made.priority


def words(name: str, text: str, style: str = "") -> Piece:
    """A piece that always says the same."""
    return Piece(name, "", literal(text), style=style, priority=20, said=text)


def icon(glyph: str, kind: str | None = None) -> dict[str, str] | str | None:
    """A glyph of another program as an icon; what other kinds of terminals get is ohud's icon for the same thing."""
    glyph = one_line(glyph).strip()
    if not glyph:
        return None
    if glyph.isascii():
        return glyph[:16]
    known = FACTS[kind].icon if kind in FACTS else None
    _, emoji, plain = ICONS.get(_NERD.get(glyph) or known or "", ("", "", ""))
    if any("\ue000" <= one <= "\uf8ff" or one >= "\U000f0000" for one in glyph):
        return {"nerd": glyph[:16], "emoji": emoji, "ascii": plain}
    return {"nerd": glyph[:16], "emoji": glyph[:16], "ascii": plain}


def glyph(text: str) -> str:
    """A template expression for a glyph: one of ohud's icons where it is one, so that every terminal can show it."""
    name = _NERD.get(text)
    return f"icon('{name}')" if name else quoted(text)


def literal(text: str) -> str:
    """Text for a template that means itself."""
    return "{{ " + quoted(text) + " }}" if "{" in text or "\n" in text else text


def quoted(text: str) -> str:
    """Text as a literal of the template language."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


def one_line(text: str) -> str:
    """Text without controls and line ends."""
    return "".join(" " if one in "\n\t" else one for one in text if one in "\n\t\u200d\ufe0f" or not invisible(one))


def segment_name(text: str) -> str:
    """A name that a segment may have."""
    name = re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text[:80]).lower()).strip("_")[:32]
    name = name.strip("_")
    return name if name[:1].isalpha() and name[:1].isascii() else f"part_{name}".strip("_")


def palette_name(text: str) -> str:
    """A name that a colour of the palette may have."""
    name = re.sub(r"[^A-Za-z0-9_]+", "_", text[:80]).strip("_")[:32]
    name = name if name[:1].isalpha() else f"colour_{name}".strip("_")
    return f"{name}_colour" if name in (*COLOURS, *ATTRIBUTES, "fg", "bg") else name


def _part(tokens: list[Token]) -> str:
    """
    What draws the tokens between two flexible spaces.

    Rows side by side, not one in another: those on one line drop their segments together, by priority.
    """
    runs: list[list[Token]] = [[]]
    for token in tokens:
        if isinstance(token, Arrows):
            runs += [[token], []]
        else:
            runs[-1].append(token)
    drawn = [_arrows(run[0]) if run and isinstance(run[0], Arrows) else _row(run) for run in runs]
    return " ".join(f"{{{{ {text} }}}}" for text in drawn if text)


def _arrows(token: Arrows) -> str:
    named = f", sep={glyph(token.separator)}"
    named += f", start={glyph(token.start)}" if token.start is not None else ""
    named += f", end={glyph(token.end)}" if token.end is not None else ""
    named += f", pad={quoted(' ' * token.pad)}" if token.pad != 1 else ""
    named += f", wrap={token.wrap}" if token.wrap > 1 else ""
    named += ", apart=true" if token.apart else ""
    return f"powerline({', '.join(token.names)}{named})" if token.names else ""


def _row(tokens: list[Token]) -> str:
    """`row` calls, one inside the other where the gaps differ: the most visible gap is the outer one."""
    names, gaps = _alternating(tokens)
    if not names:
        return ""
    if len(names) == 1:
        return f"row({names[0]})"
    if len(set(gaps)) == 1:
        return _call(names, _separator(gaps[0]))
    counts = Counter(gaps)
    outer = max(counts, key=lambda gap: (bool(gap.text.strip()), len(gap.text) > 0, counts[gap], gap.text))
    groups: list[list[Token]] = [[names[0]]]
    for gap, name in zip(gaps, names[1:], strict=True):
        if gap == outer:
            groups.append([name])
        else:
            groups[-1] += [gap, name]
    items = [str(group[0]) if len(group) == 1 else _row(group) for group in groups]
    return _call(items, _separator(outer))


def _alternating(tokens: list[Token]) -> tuple[list[str], list[Gap]]:
    """Names, and the gap behind each but the last; gaps at the ends are dropped, several in a row become one."""
    names: list[str] = []
    gaps: list[Gap] = []
    between: list[Gap] = []
    for token in tokens:
        if isinstance(token, Gap):
            between.append(token)
        elif isinstance(token, str):
            if names:
                style = next((gap.style for gap in between if gap.style), "")
                gaps.append(Gap("".join(gap.text for gap in between), style))
            names.append(token)
            between = []
    return names, gaps


def _separator(gap: Gap) -> str:
    said = quoted(gap.text)
    name = _NERD.get(gap.text.strip())
    if name:
        before, _, after = gap.text.partition(gap.text.strip())
        said = " ~ ".join(
            [*([quoted(before)] if before else []), f"icon('{name}')", *([quoted(after)] if after else [])]
        )
        said = f"({said})" if "~" in said else said
    return f"{said} | style({quoted(gap.style)})" if gap.style and gap.text.strip() else said


def _call(items: list[str], separator: str) -> str:
    named = [f"sep={separator}"] if separator != "'  '" else []
    return f"row({', '.join([*items, *named])})"


def _long(one: Piece) -> bool:
    return list(_keys(one)) != ["value"]


def _keys(one: Piece) -> dict[str, object]:
    """The keys of a segment's table, those without effect left out."""
    keys: dict[str, object] = {
        "value": one.value or None,
        "when": one.when,
        "default": one.default,
        "format": one.format,
        "style": one.style or None,
        "levels": [{"at": at, "style": style} for at, style in one.levels] or None,
        "icon": one.icon,
        "priority": one.priority if one.priority != 50 else None,
        "max_width": one.max_width,
    }
    return {key: value for key, value in keys.items() if value is not None}


def _table(name: str, values: Mapping[str, object]) -> str:
    return "\n".join([f"[{name}]", *(_line(key, value) for key, value in values.items())])


def _line(key: str, value: object) -> str:
    """A key and its value; a text that reads better without escapes stands between single quotes."""
    if isinstance(value, str) and value.startswith("\n") and "'''" not in value and not value.endswith("'"):
        return f"{key} = '''{value}'''"
    if isinstance(value, (dict, list)):
        return f"{key} = {_inline(value)}"
    text = tomli_w.dumps({key: value}).strip()
    return re.sub(r"[\ue000-\uf8ff\U000f0000-\U0010ffff]", lambda found: _escape(found[0]), text)


def _inline(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_inline(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_inline(inner) for inner in value) + "]"
    return _line("x", value).partition(" = ")[2]


def _escape(character: str) -> str:
    return f"\\u{ord(character):04X}" if ord(character) < 0x10000 else f"\\U{ord(character):08X}"
