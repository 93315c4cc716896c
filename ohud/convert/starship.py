"""starship's configuration: format strings, modules and palettes."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from ohud.convert.draft import (
    Arrows,
    Draft,
    Fill,
    Gap,
    Piece,
    Token,
    bind,
    one_line,
    palette_name,
    segment_name,
    words,
)
from ohud.convert.facts import COMMANDS, FACTS, hint
from ohud.convert.format_string import Group, Malformed, Maybe, Said, Variable, read
from ohud.convert.node import Ledger, Node
from ohud.convert.starship_modules import MODULES, Render
from ohud.errors import quote

NAME = "starship"
_CLAUDE = "$claude_model$git_branch$claude_context$claude_cost"
_ALL = "$directory$git_branch$git_commit$git_state$git_metrics$git_status$memory_usage$line_break$time"
_FORMAT_LIMIT = 4000
_ATTRIBUTES = {
    "bold": "bold", "italic": "italic", "underline": "underline", "dimmed": "dim", "inverted": "reverse",
    "strikethrough": "strike",
}  # fmt: skip
_ANSI = {
    "black": "black", "red": "red", "green": "green", "blue": "blue", "yellow": "yellow", "purple": "magenta",
    "cyan": "cyan", "white": "white",
}  # fmt: skip
_SHELL = ("character", "cmd_duration", "jobs", "status", "shell", "shlvl", "sudo")
_MACHINE = ("battery", "os", "username", "hostname", "localip", "container", "netns")


def fits(data: dict[str, object]) -> bool:
    """Whether the data looks like starship's: modules as tables, or a format that names some."""
    named = {"right_format", "continuation_prompt", "add_newline", "palettes", "scan_timeout", "command_timeout"}
    modules = {*MODULES, *_SHELL, *_MACHINE, "fill", "custom", "line_break"}
    tables = [key for key, value in data.items() if isinstance(value, dict)]
    formatted = isinstance(data.get("format"), str) and "$" in str(data.get("format"))
    known = "starship" in str(data.get("$schema", "")) or any(key in modules for key in tables) or formatted
    return "blocks" not in data and "segments" not in data and (known or bool(named & set(data)))


def convert(data: dict[str, object], origin: str, ledger: Ledger) -> Draft:
    """The theme that the format describes."""
    top = Node(data, (), ledger)
    work = _Work(Draft(NAME, "Converted from a configuration of starship", origin), top)
    work.format()
    work.rest()
    top.finish()
    return work.draft


class _Work:
    """The theme in the making."""

    def __init__(self, draft: Draft, top: Node) -> None:
        self.draft = draft
        self.top = top
        self.names: dict[str, str] = {}
        self.custom = top.child("custom")
        self.variables = top.child("env_var")
        self._palettes()

    def _palettes(self) -> None:
        chosen = self.top.text("palette")
        for name, node in self.top.child("palettes").tables():
            light = name != chosen and re.search("light|latte|day|dawn", name, re.IGNORECASE)
            if name != chosen and not light:
                node.gone(
                    "a theme has one palette for dark and one for light backgrounds", "convert once for each `palette`"
                )
                continue
            for key in list(node.data)[:200]:
                colour = _colour(node.text(key), {})
                if not colour:
                    node.lose(key, "this colour is not known", "`#rrggbb`")
                    continue
                self.names[key] = palette_name(key)
                (self.draft.palette_light if light else self.draft.palette)[self.names[key]] = colour

    def format(self) -> None:
        """The line: the profile for Claude Code, else starship's own, else what the prompt is made of."""
        profiles = self.top.child("profiles")
        claude = any(key.startswith("claude_") for key in self.top.data)
        prompt = self.top.text("format", "", _FORMAT_LIMIT)
        node, key, text = self.top, "format", prompt or _CLAUDE
        if "claude-code" in profiles:
            node, key = profiles, "claude-code"
            text = profiles.text(key, "", _FORMAT_LIMIT)
        elif claude and "claude_" not in prompt:
            text = _CLAUDE
        if prompt and text != prompt:
            self.top.lose("format", "this is the shell's prompt; the line for Claude Code is another one")
        for name in profiles.data:
            if name != "claude-code":
                profiles.lose(name, "this profile is not the one for Claude Code")
        self._lines(node, key, text)
        right = self.top.text("right_format", "", _FORMAT_LIMIT)
        if right and text == prompt:
            before = list(self.draft.lines)
            self._lines(self.top, "right_format", right)
            added = self.draft.lines[len(before) :]
            self.draft.lines = before
            first = self.draft.lines[0] if self.draft.lines else []
            self.draft.lines[:1] = [[*first, Fill(), *(added[0] if added else [])]]
        elif right:
            self.top.lose("right_format", "this is the shell's prompt; the line for Claude Code is another one")

    def _lines(self, node: Node, key: str, text: str) -> None:
        try:
            parts = read(text.replace("$all", _ALL))
        except Malformed as fault:
            node.lose(key, str(fault))
            return
        if "$all" in text:
            node.ledger.lose((*node.path, key), "of `$all`, the modules that ohud knows are shown: " + _ALL)
        tokens: list[_Token] = []
        self._flat(parts, "", tokens, node, key)
        line: list[_Token] = []
        for token in [*tokens, _Token("break")]:
            if token.kind == "break":
                if line:
                    self.draft.lines.append(self._line(line))
                line = []
            else:
                line.append(token)

    def _flat(self, parts: tuple[object, ...], style: str, tokens: list[_Token], node: Node, key: str) -> None:
        """The format as one row of modules, texts and breaks."""
        for part in parts:
            if isinstance(part, Said):
                for number, said in enumerate(part.text.split("\n")):
                    tokens += [_Token("break")] if number else []
                    tokens += [_Token("text", one_line(said), style)] if said else []
            elif isinstance(part, Variable):
                self._module(part.name, tokens, node, key)
            elif isinstance(part, Group):
                self._flat(part.parts, self._style(part.style, {}, node, key), tokens, node, key)
            elif isinstance(part, Maybe):
                self._flat(part.parts, style, tokens, node, key)

    def _module(self, name: str, tokens: list[_Token], node: Node, key: str) -> None:
        if name == "fill":
            filler = self.top.child("fill")
            if filler.text("symbol", " ").strip() and "symbol" in filler:
                filler.lose("symbol", "flexible space is blank")
            filler.idle("style", "disabled")
            tokens.append(_Token("fill"))
        elif name == "line_break":
            self.top.child("line_break").idle("disabled")
            tokens.append(_Token("break"))
        elif name in MODULES and not self.draft.full:
            made = self._made(name)
            tokens += made
        elif name not in ("all", "custom", "env_var") and name.partition(".")[0] not in ("custom", "env_var"):
            if name not in self.top.data:
                reason, instead = self._why(name)
                node.ledger.lose((*node.path, key), f"{quote('$' + name, 40)}: {reason}", instead)
        elif name in ("custom", "env_var"):
            node.ledger.lose((*node.path, key), "these modules run programs or read the environment", hint("env"))

    def _why(self, name: str) -> tuple[str, str | None]:
        if name in _SHELL:
            return "this is about a shell's prompt", None
        if name in _MACHINE:
            return "the payload does not say this of the machine", hint("host")
        return "ohud has no such module", hint(name)

    def _made(self, name: str) -> list[_Token]:
        """A module as a segment, with the blanks that stood at its ends as gaps."""
        module = MODULES[name]
        node = self.top.child(name)
        if node.flag("disabled", module.off):
            for key in node.data:
                node.idle(key)
            return []
        made = Piece(segment_name(name), module.kind, priority=FACTS[module.kind].priority)
        text = node.text("format", module.format, _FORMAT_LIMIT)
        try:
            parts = read(text)
        except Malformed as fault:
            node.lose("format", str(fault))
            parts = read(module.format)
        render = Render(self._style, node, module, name)
        level = self._display(node, name, made, render)
        own = node.text("style", module.style)
        body = render.all(parts, self._style(own, {}, node, "style"))
        blank = (body != body.lstrip(), body != body.rstrip())
        body = body.strip()
        if render.whole and not made.levels:
            made.style = render.whole
        self._settings(node, name, made, render)
        bind(self.draft, made, body, render.fields, level)
        if not body:
            node.gone("its format has nothing that ohud knows")
            return []
        gap = [_Token("text", " ", "")]
        return [*(gap if blank[0] else []), _Token("piece", self.draft.add(made)), *(gap if blank[1] else [])]

    def _display(self, node: Node, name: str, made: Piece, render: Render) -> str | None:
        """Styles by value: levels; and from which value on a module shows."""
        if name not in ("claude_context", "claude_cost"):
            return None
        rows = node.children("display", 16)
        found = []
        for row in rows:
            at = row.number("threshold", -1e9, 1e9) or 0
            style = self._style(row.text("style", "bold green"), {}, row, "style")
            found.append((at, style, row.flag("hidden")))
        if not rows:
            shown = ((30, "bold green"), (60, "bold yellow"), (80, "bold red"))
            spent = ((1, "bold yellow"), (5, "bold red"))
            found = [
                (at, self._style(s, {}, node, "style"), False)
                for at, s in (shown if name == "claude_context" else spent)
            ]
        found.sort(key=lambda row: row[0])
        shown_from = {int(at) if at == int(at) else at: style for at, style, hidden in found if not hidden and style}
        made.levels = list(shown_from.items())
        least = min((at for at, _, hidden in found if not hidden), default=None)
        for row in rows:
            start = row.data.get("threshold")
            if row.data.get("hidden") is True:
                row.idle("style")
                if least is not None and isinstance(start, (int, float)) and start > least:
                    row.lose("hidden", "a segment that shows from a value on is not hidden again", "`when`")
        value = "computed.context.percent" if name == "claude_context" else "computed.cost.usd"
        if least is not None and least > 0:
            made.when = f"{value} >= `{least:g}`"
        return render.field(value)

    def _settings(self, node: Node, name: str, made: Piece, render: Render) -> None:
        """The keys of a module that are no part of its format."""
        if name == "directory":
            for key in (
                "substitutions",
                "fish_style_pwd_dir_length",
                "repo_root_style",
                "repo_root_format",
                "before_repo_root_style",
            ):
                node.lose(
                    key, "a path is shown as it is, with a `…` in the middle of a long one", "`| replace('a', 'b')`"
                )
            node.idle("truncate_to_repo", "truncation_symbol", "home_symbol", "read_only", "read_only_style")
            node.idle("use_logical_path", "use_os_path_sep")
        if name == "git_branch":
            width = node.number("truncation_length", 1, 2**63)
            if width and width <= 1000:
                made.max_width = int(width) + len(node.text("symbol", "  "))
            node.lose(
                "ignore_branches", "a segment is not hidden by a list", "`when = \"computed.git.branch != 'main'\"`"
            )
            node.idle("truncation_symbol", "only_attached", "always_show_remote", "ignore_bare_repo")
        if name == "git_commit":
            if node.flag("only_detached", True):
                made.when = "computed.git.detached"
            length = node.whole("commit_hash_length", 1, 40)
            if length and length != 7:
                node.lose("commit_hash_length", "a commit has its first seven digits")
            node.idle("tag_disabled", "tag_symbol", "tag_max_candidates")
        if name == "git_state":
            for key in ("rebase", "merge", "revert", "cherry_pick", "bisect", "am", "am_or_rebase"):
                node.lose(key, "what is under way has its own name", "`{{ 'MERGING' if value == 'merge' else value }}`")
        if name == "time":
            form = node.text("time_format", "%R")
            if form not in ("%R", "%T", "%H:%M", "%H:%M:%S"):
                node.lose("time_format", "a clock shows hours and minutes, on another day the weekday before them")
            node.lose("time_range", "a segment is not hidden by the time of day")
            node.idle("use_12hr", "utc_time_offset")
        if name == "claude_model":
            node.asked.add("model_aliases")
        if name == "memory_usage":
            threshold = node.whole("threshold", -1, 100)
            made.when = "computed.memory.used_bytes"
            if threshold is None or threshold > 0:
                made.when = f"computed.memory.percent >= `{75 if threshold is None else threshold}`"
        node.idle(*MODULES[name].texts)
        node.idle("ignore_submodules", "use_git_executable")
        for key in ("gauge_width", "gauge_full_symbol", "gauge_empty_symbol", "gauge_partial_symbol"):
            node.asked.add(key)

    def _line(self, line: list[_Token]) -> list[Token]:
        """One line: blocks with arrows where it has some, else rows."""
        arrows = [token.text.strip() for token in line if token.kind == "text" and _arrow(token.text)]
        if arrows:
            self.draft.settings["icons"] = "nerd"
            return self._blocks(line, arrows)
        made: list[Token] = []
        for number, token in enumerate(line):
            if token.kind == "piece":
                made.append(token.text)
            elif token.kind == "fill":
                made.append(Fill())
            elif token.text.strip() and self._alone(line, number):
                made += [self.draft.add(words("text", token.text.strip(), token.style))]
            else:
                made.append(Gap(token.text, token.style))
        return [Gap(" ") if isinstance(one, Gap) and not one.text.strip() else one for one in made]

    def _alone(self, line: list[_Token], number: int) -> bool:
        """Whether a text stands at an end, or beside flexible space: it is no separator then."""
        before = [token for token in line[:number] if token.kind != "text"]
        after = [token for token in line[number + 1 :] if token.kind != "text"]
        return not before or not after or before[-1].kind == "fill" or after[0].kind == "fill"

    def _blocks(self, line: list[_Token], arrows: list[str]) -> list[Token]:
        made: list[Token] = []
        names: list[str] = []
        start = end = ""
        for token in [*line, _Token("fill")]:
            if token.kind == "piece":
                names.append(token.text)
                end = ""
            elif token.kind == "text" and _arrow(token.text):
                start = start or ("" if names else token.text.strip())
                end = token.text.strip()
            elif token.kind == "text" and token.text.strip():
                names.append(self.draft.add(words("text", token.text.strip(), token.style)))
                end = ""
            elif token.kind == "fill":
                inner = Counter(arrows[1:-1] or arrows).most_common(1)[0][0]
                made += [Arrows(tuple(names), inner, start, end)] if names else []
                made.append(Fill())
                names, start, end = [], "", ""
        return made[:-1]

    def _style(self, text: str, own: dict[str, str], node: Node, key: str) -> str:
        """A style string in ohud's words; `$name` in it is one of the module's own styles."""
        found: list[str] = []
        for word in text.split():
            if word.startswith("$"):
                found.append(own.get(word[1:], ""))
                continue
            plain = word.lower()
            side = "bg" if plain.startswith("bg:") else "fg"
            name = word.partition(":")[2] if plain[:3] in ("fg:", "bg:") else word
            if plain == "none":
                return ""
            if plain in _ATTRIBUTES:
                found.append(_ATTRIBUTES[plain])
            elif colour := _colour(name, self.names):
                role = (
                    (node.path[0] if node.path else "tint")
                    if side == "fg"
                    else f"{node.path[0] if node.path else 'tint'}_back"
                )
                found.append(
                    f"{side}:{colour if colour in self.draft.palette else self.draft.colour(colour, str(role))}"
                )
            elif plain not in ("bg:none", "fg:none", ""):
                node.ledger.lose((*node.path, key), f"the style {quote(word, 30)} has no counterpart", "ohud check")
        return " ".join(one for one in found if one)

    def rest(self) -> None:
        """Tables of modules that are not in the format, and keys about the prompt."""
        for name, node in self.custom.tables():
            command = segment_name(name)[:20]
            node.gone("it runs a program", COMMANDS.format(name=command if command[0].isalpha() else "mine"))
        for _, node in self.variables.tables():
            node.gone("a theme reads no environment", hint("env"))
        prompt = "this is about a shell's prompt"
        for key in ("continuation_prompt", "add_newline"):
            self.top.lose(key, prompt)
        self.top.idle("$schema", "scan_timeout", "command_timeout", "follow_symlinks")
        for name, node in self.top.tables():
            if name in MODULES or name in ("fill", "line_break"):
                node.gone("the module is not in the format")
            else:
                reason, instead = self._why(name)
                node.gone(reason, instead)


@dataclass(frozen=True, slots=True)
class _Token:
    """A piece by name, a text with its style, flexible space, or a line break."""

    kind: str
    text: str = ""
    style: str = ""


def _arrow(text: str) -> bool:
    one = text.strip()
    return len(one) == 1 and "\ue0b0" <= one <= "\ue0d4"


def _colour(name: str, names: dict[str, str]) -> str:
    """A colour of starship in ohud's words; empty when it is none."""
    if name in names:
        return names[name]
    plain = name.lower()
    if re.fullmatch(r"#[0-9a-f]{6}", plain):
        return plain
    if plain.isascii() and plain.isdecimal() and len(plain) < 4 and int(plain) < 256:
        return plain
    base = plain.removeprefix("bright-")
    return ("bright_" if base != plain else "") + _ANSI[base] if base in _ANSI else ""
