"""oh-my-posh's themes: blocks of segments, each with a template of Go."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ohud.convert.draft import Arrows, Draft, Fill, Gap, Piece, Token, bind, glyph, palette_name, quoted, segment_name
from ohud.convert.facts import COMMANDS, hint
from ohud.convert.go import Reading, Translation, Translator, Untranslatable
from ohud.convert.node import Ledger, Node
from ohud.convert.oh_my_posh_fields import CLAUDE, DEFAULTS, GIT, GLOBAL, OTHER, PATH, PATHS, PRIORITIES, gauge
from ohud.errors import quote

NAME = "oh-my-posh"
_TEMPLATE_LIMIT = 4000
_NAMES = {
    "darkGray": "bright_black", "lightRed": "bright_red", "lightGreen": "bright_green",
    "lightYellow": "bright_yellow", "lightBlue": "bright_blue", "lightMagenta": "bright_magenta",
    "lightCyan": "bright_cyan", "lightWhite": "bright_white", "default": "default",
}  # fmt: skip
_ANSI = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_KEYWORDS = ("transparent", "foreground", "background", "parentForeground", "parentBackground", "accent")
_ATTRIBUTES = {"b": "bold", "i": "italic", "u": "underline", "s": "strike", "d": "dim", "r": "reverse"}

# Segments that mean nothing to a status line, or that ohud has in another form: why.
_SHELL = {
    "shell": "there is no shell below a status line",
    "status": "there is no command whose exit status could be shown",
    "exit": "there is no command whose exit status could be shown",
    "executiontime": "there is no command whose duration could be shown",
    "root": "the payload does not say who runs the session",
    "os": "the payload does not name the system",
    "session": "the payload names neither user nor host",
    "battery": "the payload knows nothing of the battery",
}


def fits(data: dict[str, object]) -> bool:
    """Whether the data looks like oh-my-posh's: blocks with segments."""
    blocks = data.get("blocks")
    return (
        isinstance(blocks, list) and any(isinstance(block, dict) and "segments" in block for block in blocks)
    ) or "oh-my-posh" in str(data.get("$schema", ""))


def convert(data: dict[str, object], origin: str, ledger: Ledger) -> Draft:
    """The theme that the blocks describe."""
    top = Node(data, (), ledger)
    work = _Work(Draft(NAME, "Converted from a theme of oh-my-posh", origin), top)
    work.blocks()
    work.rest()
    top.finish()
    return work.draft


_Rule = tuple[str, str]  # a condition and the colour that it means


@dataclass
class _Part:
    """A segment that was made, and how it is drawn."""

    name: str
    style: str
    symbol: str
    start: str
    end: str
    pad: int


class _Work:
    """The theme in the making, and what its templates may name."""

    def __init__(self, draft: Draft, top: Node) -> None:
        self.draft = draft
        self.top = top
        self.names: dict[str, str] = {}
        self.variables = self._variables(top.child("var"))
        self._palette(top.child("palette"), draft.palette)
        self._palettes(top.child("palettes"))

    def _variables(self, node: Node) -> Mapping[str, str]:
        return {key: node.text(key) for key in list(node.data) if not isinstance(node.data[key], (dict, list))}

    def _palette(self, node: Node, into: dict[str, str]) -> None:
        for key in list(node.data)[:200]:
            colour = node.text(key)
            self.names.setdefault(key, palette_name(key))
            plain = self._plain(colour, node, key)
            if colour.startswith("p:") and colour[2:] in node.data and colour[2:] != key:
                plain = palette_name(colour[2:])
            if plain:
                into[self.names[key]] = plain
            elif colour not in _KEYWORDS:
                node.lose(key, f"the colour {quote(colour, 40)} is not known", "`#rrggbb`")

    def _palettes(self, node: Node) -> None:
        """Palettes that a template chooses from: the one called light, and the first of the others."""
        if not node.data:
            return
        node.lose(
            "template", "a theme cannot choose its palette by a template", '`background = "light"` in config.toml'
        )
        shades = list(node.child("list").tables())
        light = next((one for name, one in shades if re.search("light|latte|day|dawn", name, re.IGNORECASE)), None)
        dark = next((one for name, one in shades if one is not light), None)
        for one in (light, dark):
            if one is not None:
                into = self.draft.palette_light if one is light and dark is not None else self.draft.palette
                self._palette(one, into)
        for name, one in shades:
            if one is not light and one is not dark:
                one.gone(
                    "a theme has one palette for dark and one for light backgrounds",
                    f"make a theme of {quote(name, 30)}",
                )

    def blocks(self) -> None:
        """Every block: on the line of the one before it, or on a line of its own."""
        line: list[Token] = []
        for number, block in enumerate(self.top.children("blocks", 20)):
            kind = block.choice("type", ("prompt", "rprompt", "newline"), "prompt")
            right = block.choice("alignment", ("left", "right"), "left") == "right" or kind == "rprompt"
            if (block.flag("newline") or kind == "newline") and number and line:
                self.draft.lines.append(line)
                line = []
            if block.text("filler"):
                block.lose("filler", "flexible space is blank")
            block.lose("overflow", "what does not fit is dropped by priority")
            tokens = self._tokens(
                [part for node in block.children("segments", 60) if (part := self._segment(node))], block
            )
            if tokens:
                line += [Fill(), *tokens] if right else [*([Gap(" ")] if line else []), *tokens]
        self.draft.lines.append(line)

    def _tokens(self, parts: list[_Part], block: Node) -> list[Token]:
        """Segments as rows, chains of arrows and pills."""
        tokens: list[Token] = []
        first, last = _cap(block.text("leading_diamond")), _cap(block.text("trailing_diamond"))
        for part in parts:
            before = tokens[-1] if tokens else None
            if part.style in ("powerline", "accordion"):
                if isinstance(before, Arrows) and before.separator == part.symbol and before.end is None:
                    names, start = (*before.names, part.name), before.start
                    tokens[-1] = Arrows(names, part.symbol, start, None, min(before.pad, part.pad))
                elif isinstance(before, Arrows) and before.apart and not before.end and part.symbol:
                    # a chain that begins with a diamond and goes on with arrows
                    names = (*before.names, part.name)
                    tokens[-1] = Arrows(names, part.symbol, before.start, None, min(before.pad, part.pad))
                else:
                    tokens.append(Arrows((part.name,), part.symbol, None, None, part.pad))
            elif part.style == "diamond":
                if isinstance(before, Arrows) and not part.start and before.end is None and before.separator:
                    tokens[-1] = Arrows((*before.names, part.name), before.separator, before.start, part.end, part.pad)
                elif (
                    isinstance(before, Arrows) and before.apart and (before.start, before.end) == (part.start, part.end)
                ):
                    tokens[-1] = replace(before, names=(*before.names, part.name))
                else:
                    tokens.append(Arrows((part.name,), " ", part.start, part.end, part.pad, apart=True))
            else:
                tokens += [Gap(" ")] if tokens and isinstance(before, str) else []
                tokens.append(part.name)
        if tokens and isinstance(tokens[0], Arrows) and first:
            tokens[0] = replace(tokens[0], start=first)
        if tokens and isinstance(tokens[-1], Arrows) and last:
            tokens[-1] = replace(tokens[-1], end=last)
        if any(isinstance(token, Arrows) for token in tokens):
            self.draft.settings["icons"] = "nerd"
        return tokens

    def _segment(self, node: Node) -> _Part | None:
        kind = node.text("type")
        if self.draft.full:
            node.gone("the theme has too many segments already")
            return None
        if kind not in DEFAULTS:
            self._unknown(node, kind)
            return None
        options = node.child("options" if "options" in node else "properties")
        style = node.choice("style", ("plain", "powerline", "diamond", "accordion"), "plain")
        text = self._template(node, kind, options)
        made = Piece(segment_name(node.text("alias") or kind), "", priority=PRIORITIES[kind])
        translation = self._translated(node, kind, text.strip(), options)
        if translation is None or not translation.text.strip():
            node.gone("nothing of its template could be carried over" if text.strip() else "there is nothing to show")
            return None
        self._widths(node, translation)
        self._colours(node, kind, made, translation, options)
        self._options(options, kind)
        self._leave(node)
        pad = 1 if text.startswith(" ") or text.endswith(" ") else 0
        symbol, lead = node.text("powerline_symbol", "\ue0b0"), node.text("leading_powerline_symbol")
        if len(symbol) > 1:
            node.lose("powerline_symbol", "an arrow is one character")
            symbol = "\ue0b0"
        start, end = _cap(node.text("leading_diamond")), _cap(node.text("trailing_diamond"))
        if lead:
            node.lose("leading_powerline_symbol", "an arrow's body takes the colours of the blocks beside it")
        return _Part(self.draft.add(made), style, symbol, start, end, pad)

    def _unknown(self, node: Node, kind: str) -> None:
        if kind == "command":
            node.gone("it runs a program", COMMANDS.format(name="mine"))
        elif kind in _SHELL:
            node.gone(_SHELL[kind], hint("battery"))
        else:
            node.gone(f"ohud has no segment {quote(kind, 40)}", hint(kind or "x"))

    def _template(self, node: Node, kind: str, options: Node) -> str:
        """The template of a segment; in old themes it is among the options."""
        several = node.texts("templates")
        if node.choice("templates_logic", ("join", "first_match"), "join") == "first_match" and len(several) > 1:
            node.lose("templates_logic", "the templates are joined; only the first that says something was meant")
        old = options.text("template", "", _TEMPLATE_LIMIT)
        return node.text("template", old, _TEMPLATE_LIMIT) or "".join(several) or f" {DEFAULTS[kind]} "

    def _widths(self, node: Node, translation: Translation) -> None:
        """The terminal's widths that a segment is meant for."""
        tests = []
        for key, sign, unknown in (("min_width", ">=", 1000), ("max_width", "<=", 0)):
            if width := node.whole(key, 0, 10000):
                tests.append(f"(terminal.columns or {unknown}) {sign} {width}")
        if tests:
            translation.text = "{% if " + " and ".join(tests) + " %}" + translation.text + "{% endif %}"

    def _translated(self, node: Node, kind: str, text: str, options: Node) -> Translation | None:
        translator = Translator(lambda path: self._look(kind, path, options), lambda tag: self._tag(tag, node))
        try:
            translation = translator.translate(text)
        except (Untranslatable, RecursionError) as fault:
            node.lose("template", getattr(fault, "reason", "it is nested too deep"))
            return None
        key = "template" if "template" in node else "templates"
        for said in translation.lost:
            node.ledger.lose((*node.path, key) if key in node else node.path, said, self._advice(said))
        return translation

    def _advice(self, said: str) -> str | None:
        found = re.search(r"\.(Env|UserName|HostName|Upstream\w*|LatestTag|User)\b", said)
        words = {"Env": "env", "UserName": "user", "HostName": "host", "LatestTag": "tag", "User": "user"}
        return hint(words.get(found[1], "upstream")) if found else None

    def _look(self, kind: str, path: tuple[str, ...], options: Node) -> Reading | None:
        """What a field of a segment, a global, a variable or another segment's field means."""
        if path[0] == "Var" and len(path) == 2:
            return Reading("", quoted(self.variables[path[1]])) if path[1] in self.variables else None
        if path[0] == "Segments" and len(path) > 2:
            return self._look(path[1].lower(), path[2:], self.top.made({}, ()))
        name = ".".join(path)
        if kind == "claude":
            return self._claude(name, options) or GLOBAL.get(name)
        if kind == "git":
            return self._git(name, options) or GLOBAL.get(name)
        if kind == "path" and name == "Path":
            style = options.text("style", "agnoster")
            return Reading("workspace.current_dir || cwd", f"@ | {PATHS.get(style, 'short_path(30)')}")
        if kind == "path" and name in PATH:
            return PATH[name]
        return OTHER.get(kind, {}).get(name) or GLOBAL.get(name)

    def _claude(self, name: str, options: Node) -> Reading | None:
        full, track = options.text("gauge_marked_char", "▰")[:1], options.text("gauge_unmarked_char", "▱")[:1]
        gauges = {
            "TokenGauge": "computed.context.left",
            "TokenGaugeUsed": "computed.context.percent",
            "FiveHourGauge": "computed.usage.five_hour.percent",
            "SevenDayGauge": "computed.usage.seven_day.percent",
        }
        return gauge(gauges[name], full or "▰", track or "▱") if name in gauges else CLAUDE.get(name)

    def _git(self, name: str, options: Node) -> Reading | None:
        if name == "HEAD":
            sign = options.text("branch_icon", "\ue0a0 ")
            mark = f"({glyph(sign.strip())} ~ ' ' ~ @)" if sign.strip() else "@"
            return Reading("computed.git.branch || computed.git.commit", f"{mark} if @ else ''")
        if name == "BranchStatus":
            up, down = options.text("branch_ahead_icon", "↑"), options.text("branch_behind_icon", "↓")
            ahead = f"(({glyph(up)} ~ @[0]) if @[0] else '')"
            form = f"{ahead} ~ (({glyph(down)} ~ @[1]) if @[1] else '')"
            return Reading("computed.git.[ahead, behind]", form, test="@[0] or @[1]")
        return GIT.get(name)

    # Colours

    def _colours(self, node: Node, kind: str, made: Piece, translation: Translation, options: Node) -> None:
        front = self._colour(node, "foreground", made.name)
        back = self._colour(node, "background", f"{made.name}_back")
        made.style = " ".join(part for part in (f"fg:{front}" if front else "", f"bg:{back}" if back else "") if part)
        rules = {
            "fg": self._rules(node, "foreground_templates", kind, translation, options),
            "bg": self._rules(node, "background_templates", kind, translation, options),
        }
        level = self._levels(rules, made)
        if level is None:
            self._conditions(node, rules, translation)
        bind(self.draft, made, translation.text, translation.fields, level)

    def _rules(self, node: Node, key: str, kind: str, translation: Translation, options: Node) -> list[_Rule]:
        """Conditions with their colours."""
        rules: list[_Rule] = []
        for text in node.texts(key, 10):
            translator = Translator(lambda path: self._look(kind, path, options), lambda tag: None)
            translator.made.fields = translation.fields
            try:
                found = translator.condition(text)
            except (Untranslatable, RecursionError):
                found = None
            colour = self._named(found[1], node, key, key.partition("_")[0]) if found else ""
            if found is None or not colour or translator.made.lost:
                node.lose(
                    key,
                    f"the rule {quote(text.strip(), 60)} is not one condition with a colour",
                    "`levels` of a segment",
                )
            else:
                rules.append((found[0], colour))
        return rules

    def _levels(self, rules: dict[str, list[_Rule]], made: Piece) -> str | None:
        """The field by whose value the colours change, when all rules compare one with a number."""
        read: dict[float, dict[str, str]] = {}
        fields: set[str] = set()
        for side, found in rules.items():
            for test, colour in found:
                match = re.fullmatch(r"\(?@(\w+)@(?: \| round \| int)? or 0\) (>=?) (-?[\d.]+)", test)
                if match is None:
                    return None
                fields.add(match[1])
                read.setdefault(float(match[3]), {}).setdefault(side, colour)
        if len(fields) != 1:
            return None
        for at in sorted(read):
            made.levels.append(
                (int(at) if at == int(at) else at, " ".join(f"{side}:{colour}" for side, colour in read[at].items()))
            )
        return fields.pop()

    def _conditions(self, node: Node, rules: dict[str, list[_Rule]], translation: Translation) -> None:
        """Foreground colours that depend on something else: around the text."""
        if rules["bg"]:
            node.lose(
                "background_templates", "a background can change by a number only", "two segments, each with a `when`"
            )
        if rules["fg"]:
            tint = "''"
            for test, colour in reversed(rules["fg"]):
                tint = f"{quoted('fg:' + colour)} if {test} else {tint}"
            translation.text = f"{{% set said %}}{translation.text}{{% endset %}}{{{{ said | style({tint}) }}}}"

    def _colour(self, node: Node, key: str, role: str) -> str:
        colour = node.text(key)
        return self._named(colour, node, key, role) if colour else ""

    def _named(self, colour: str, node: Node, key: str, role: str) -> str:
        """A colour in ohud's words; empty for none."""
        if colour.startswith("p:"):
            name = self.names.get(colour[2:], "")
            if name in self.draft.palette or name in self.draft.palette_light:
                return name
            node.lose(key, f"the palette has no colour {quote(colour[2:], 40)}")
            return ""
        plain = self._plain(colour, node, key)
        if plain:
            return self.draft.colour(plain, role)
        if colour not in ("transparent", ""):
            reason = "depends on the segment beside it" if colour in _KEYWORDS else "is not known"
            node.lose(key, f"the colour {quote(colour, 40)} {reason}", "`#rrggbb`, or an ANSI name")
        return ""

    def _plain(self, colour: str, node: Node, key: str) -> str:
        if found := re.match(r"linear-gradient\(\s*([^,)]+)", colour):
            node.lose(key, "a gradient over the text is not carried over; its first colour is used", "`| gradient`")
            colour = found[1].strip()
        if re.fullmatch(r"#[0-9a-fA-F]{3}", colour):
            return "#" + "".join(2 * digit for digit in colour[1:].lower())
        if re.fullmatch(r"#[0-9a-fA-F]{6}", colour):
            return colour.lower()
        if colour.isascii() and colour.isdecimal() and len(colour) < 4 and int(colour) < 256:
            return colour
        return colour if colour in _ANSI else _NAMES.get(colour, "")

    def _tag(self, tag: str, node: Node) -> str | None:
        """The style of `<...>` in a template; None for text that only looks like one."""
        if tag in _ATTRIBUTES:
            return _ATTRIBUTES[tag]
        if tag in ("f", "o"):
            return ""
        front, _, back = tag.partition(",")
        names = [one for one in (front, back) if one]
        known = (*_ANSI, *_NAMES, *_KEYWORDS)
        if not names or not all(one.startswith(("#", "p:")) or one in known or one.isdecimal() for one in names):
            return None
        sides = [("fg", front), ("bg", back)]
        found = [
            (side, self._named(one, node, "template", "tint")) for side, one in sides if one and one not in _KEYWORDS
        ]
        return " ".join(f"{side}:{colour}" for side, colour in found if colour)

    # What has no counterpart

    def _options(self, options: Node, kind: str) -> None:
        """Options that nobody asked for: they fetch what ohud fetches anyway, or cannot be had."""
        if kind == "path":
            style = options.text("style", "agnoster")
            if style not in ("folder", "full", "agnoster", "agnoster_full", "letter"):
                options.lose("style", f"the style {quote(style, 30)} is drawn as a shortened path")
            options.lose("mapped_locations", "folders are not replaced by signs", "`| replace('a', 'b')` in the format")
            for key in ("folder_separator_icon", "folder_icon", "home_icon", "max_depth", "mixed_threshold"):
                options.lose(key, "a path is written with `/`, `~` and `…`")
        if kind == "time":
            form = options.text("time_format", "15:04")
            if form not in ("15:04", "15:04:05"):
                options.lose("time_format", "a clock shows hours and minutes, on another day the weekday before them")
        options.idle("fetch_status", "fetch_stash_count", "fetch_upstream_icon", "fetch_worktree_count", "template")
        options.idle("fetch_bare_info", "source", "native_fallback", "cache_timeout")

    def _leave(self, node: Node) -> None:
        if "properties" in node:
            node.asked.add("properties")
        node.idle("interactive", "timeout", "force", "placeholder", "index", "powerline_symbol", "tips")
        node.lose("cache", "ohud caches slow facts by itself", "`[git]` `refresh_s` in config.toml")
        folders = "a theme cannot ask for the folder"
        node.lose("include_folders", folders, '`[projects."PATH"]` in config.toml')
        node.lose("exclude_folders", folders, '`[projects."PATH"]` in config.toml')
        if node.flag("invert_powerline"):
            node.lose("invert_powerline", "an arrow's body takes the colours of the blocks beside it")

    def rest(self) -> None:
        """Keys of the theme that are about a shell's prompt."""
        prompt = "this is about a shell's prompt"
        for key in _PROMPT:
            self.top.lose(key, prompt)
        if "cycle" in self.top:
            self.top.lose("cycle", "colours belong to segments", "`style` of each segment")
        self.top.idle("$schema", "version", "final_space", "auto_upgrade", "disable_notice", "upgrade", "async")
        self.top.idle("shell_integration", "enable_cursor_positioning", "patch_pwsh_bleed", "terminal_background")


_PROMPT = (
    "console_title_template", "transient_prompt", "secondary_prompt", "debug_prompt", "valid_line", "error_line",
    "tooltips", "tooltips_action", "pwd", "iterm_features", "maps", "accent_color", "osc99", "extends", "streaming",
)  # fmt: skip


def _cap(text: str) -> str:
    """The sign in a diamond, without colours of its own."""
    return re.sub(r"<[^<>]*>", "", text).strip()[:1]
