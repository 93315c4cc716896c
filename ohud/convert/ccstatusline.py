"""ccstatusline's settings.json: lines of widgets, with separators between them or in powerline form."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ohud.convert.draft import Arrows, Draft, Fill, Gap, Piece, Token, icon, literal, piece, quoted, words
from ohud.convert.facts import COMMANDS, hint
from ohud.convert.node import Ledger, Node
from ohud.errors import quote

NAME = "ccstatusline"
_MOST_LINES = 10


def fits(data: dict[str, object]) -> bool:
    """Whether the data looks like ccstatusline's: lists of widgets."""
    lines = data.get("lines")
    if not isinstance(lines, list):
        return False
    widgets = [item for line in lines if isinstance(line, list) for item in line if isinstance(item, dict)]
    return any("type" in item for item in widgets) or "flexMode" in data


@dataclass(frozen=True, slots=True)
class _Widget:
    """
    How a widget reads in ohud.

    Takes:  kind: the fact; label: the word before it, which `rawValue` leaves off; glyph: the sign before it;
            colour: its own, where the settings name none; unknown: what stands there while the fact is not known
    """

    kind: str
    label: str = ""
    colour: str = "default"
    glyph: str = ""
    body: str | None = None
    unknown: str | None = None


_NO_GIT = "no git"
_BAR = "icon('full'), icon('track')"
_WIDGETS: dict[str, _Widget] = {
    "model": _Widget("model", "Model: ", "cyan"),
    "output-style": _Widget("style", "Style: ", "cyan"),
    "version": _Widget("version", "Version: ", "green"),
    "git-branch": _Widget("branch", "", "magenta", "⎇", unknown=_NO_GIT),
    "git-changes": _Widget("git_lines", "", "yellow"),
    "git-insertions": _Widget("git_added", "", "green"),
    "git-deletions": _Widget("git_removed", "", "red"),
    "git-root-dir": _Widget("git_root", "", "cyan", unknown=_NO_GIT),
    "git-pr": _Widget("pull_request", "", "cyan", body="PR #{{ value }}"),
    "git-review": _Widget("pull_request", "", "cyan", body="PR #{{ value }}"),
    "git-worktree": _Widget("worktree", "", "blue", "𖠰"),
    "git-status": _Widget(
        "working_tree",
        "",
        "yellow",
        body="{{ '+' if value.staged }}{{ '*' if value.modified }}{{ '?' if value.untracked }}"
        "{{ '!' if value.conflicts }}",
    ),
    "git-staged": _Widget("staged", "", "green", body="{{ '+' if value }}"),
    "git-unstaged": _Widget("modified", "", "yellow", body="{{ '*' if value }}"),
    "git-untracked": _Widget("untracked", "", "red", body="{{ '?' if value }}"),
    "git-staged-files": _Widget("staged", "Staged: ", "green"),
    "git-unstaged-files": _Widget("modified", "Unstaged: ", "yellow"),
    "git-untracked-files": _Widget("untracked", "Untracked: ", "red"),
    "git-clean-status": _Widget("dirty", "", "green", body="{{ '✗' if value else icon('done') }}"),
    "git-ahead-behind": _Widget("divergence", "", "cyan"),
    "git-conflicts": _Widget("conflicts", "", "red", "⚠", body="{{ value if value }}"),
    "git-sha": _Widget("commit", "", "bright_black", unknown=_NO_GIT),
    "git-origin-owner": _Widget("repository_owner", "", "cyan"),
    "git-origin-repo": _Widget("repository", "", "cyan"),
    "git-origin-owner-repo": _Widget("repository_full", "", "cyan"),
    "current-working-dir": _Widget("whole_path", "cwd: ", "blue"),
    "tokens-input": _Widget("tokens_in", "In: ", "blue"),
    "tokens-output": _Widget("tokens_out", "Out: ", "white"),
    "tokens-cached": _Widget("tokens_cached", "Cached: ", "cyan"),
    "tokens-total": _Widget("tokens", "Total: ", "cyan"),
    "output-speed": _Widget("speed", "Out: ", "cyan"),
    "context-length": _Widget("context_tokens", "Ctx: ", "bright_black"),
    "context-window": _Widget("context_size", "Window: ", "bright_black"),
    "context-percentage": _Widget("context", "Ctx: ", "blue", body="{{ value | percent(1) }}"),
    "context-percentage-usable": _Widget("context", "Ctx(u): ", "green"),
    "context-bar": _Widget("context_bar", "Context: ", "blue"),
    "session-clock": _Widget("duration", "Session: ", "yellow"),
    "session-cost": _Widget("cost", "Cost: ", "green"),
    "block-timer": _Widget("block_time", "Block: ", "yellow"),
    "reset-timer": _Widget("five_hour_reset", "Reset: ", "bright_blue"),
    "weekly-reset-timer": _Widget("seven_day_reset", "Weekly Reset: ", "bright_blue"),
    "session-usage": _Widget("five_hour", "Session: ", "bright_blue", body="{{ value | percent(1) }}"),
    "weekly-usage": _Widget("seven_day", "Weekly: ", "bright_blue", body="{{ value | percent(1) }}"),
    "extra-usage-utilization": _Widget("spend", "Extra: ", "bright_blue"),
    "cache-hit-rate": _Widget("cache_rate", "Cache: ", "cyan"),
    "cache-read": _Widget("cache_read", "Cache read: ", "cyan"),
    "cache-write": _Widget("cache_write", "Cache write: ", "cyan"),
    "cache-timer": _Widget("cache_left", "Cache: ", "cyan"),
    "compaction-counter": _Widget("compactions", "", "yellow", "↻"),
    "terminal-width": _Widget("columns", "Term: ", "bright_black"),
    "claude-session-id": _Widget("session_id", "Session ID: ", "cyan"),
    "session-name": _Widget("session_name", "", "cyan"),
    "free-memory": _Widget("memory", "Mem: ", "cyan"),
    "thinking-effort": _Widget("effort", "Thinking: ", "magenta"),
    "vim-mode": _Widget("vim", "", "green"),
    "worktree-mode": _Widget("worktree", "", "blue", "⎇"),
    "worktree-name": _Widget("worktree", "Worktree: ", "blue"),
    "worktree-branch": _Widget("worktree_branch", "Branch: ", "blue"),
    "worktree-original-branch": _Widget("original_branch", "From: ", "blue"),
    "tool-count": _Widget("tool_count", "Tools: ", "cyan"),
    "agent-activity": _Widget("agents", "Agents: ", "cyan"),
    "todo-progress": _Widget("todos", "Todos: ", "cyan"),
}

# Colours of the powerline themes, first to last; then from the start again: (foreground, background).
_THEMES: dict[str, tuple[tuple[str, str], ...]] = {
    "catppuccin": (
        ("#1e1e2e", "#cba6f7"),
        ("#cdd6f4", "#45475a"),
        ("#1e1e2e", "#a6e3a1"),
        ("#1e1e2e", "#f38ba8"),
        ("#cdd6f4", "#585b70"),
    ),
    "dracula": (
        ("#282a36", "#bd93f9"),
        ("#282a36", "#f8f8f2"),
        ("#282a36", "#ff5555"),
        ("#282a36", "#8be9fd"),
        ("#f8f8f2", "#44475a"),
    ),
    "gruvbox": (
        ("#ebdbb2", "#cc241d"),
        ("#282828", "#fabd2f"),
        ("#282828", "#a89984"),
        ("#fdf6e3", "#458588"),
        ("#282828", "#98971a"),
    ),
    "minimal": (
        ("#ffffff", "#585858"),
        ("#1c1c1c", "#d0d0d0"),
        ("#ffffff", "#1a1a1a"),
        ("#1c1c1c", "#a8a8a8"),
        ("#e4e4e4", "#303030"),
    ),
    "monokai": (
        ("#272822", "#a6e22e"),
        ("#f8f8f2", "#49483e"),
        ("#272822", "#e6db74"),
        ("#272822", "#ae81ff"),
        ("#272822", "#66d9ef"),
    ),
    "nord": (
        ("#2e3440", "#88c0d0"),
        ("#d8dee9", "#4c566a"),
        ("#fdf6e3", "#5e81ac"),
        ("#2e3440", "#b48ead"),
        ("#2e3440", "#a3be8c"),
    ),
    "nord-aurora": (
        ("#eceff4", "#bf616a"),
        ("#2e3440", "#ebcb8b"),
        ("#fdf6e3", "#5e81ac"),
        ("#2e3440", "#a3be8c"),
        ("#2e3440", "#b48ead"),
    ),
    "onedark": (
        ("#282c34", "#61afef"),
        ("#abb2bf", "#3e4452"),
        ("#282c34", "#98c379"),
        ("#282c34", "#e06c75"),
        ("#282c34", "#e5c07b"),
    ),
    "solarized": (
        ("#073642", "#268bd2"),
        ("#073642", "#b58900"),
        ("#fdf6e3", "#586e75"),
        ("#073642", "#2aa198"),
        ("#073642", "#eee8d5"),
    ),
    "tokyonight": (
        ("#1a1b26", "#7aa2f7"),
        ("#1a1b26", "#d5d6db"),
        ("#1a1b26", "#bb9af7"),
        ("#1a1b26", "#e0af68"),
        ("#1a1b26", "#7dcfff"),
    ),
}

_HIDE_FLAGS = {
    "hideNoGit": "no-git",
    "hideNoJj": "no-jj",
    "hideNoRemote": "no-remote",
    "hideZero": "zero",
    "hideWhenEmpty": "empty",
    "hideIfDisabled": "disabled",
    "hideStatus": "status",
    "hideTitle": "title",
    "hideWhenNotFork": "not-fork",
}
# What ohud hides by itself, as unknown is never shown.
_HIDDEN_ANYWAY = {"no-remote", "no-upstream", "no-data", "empty", "disabled", "no-git", "merge-target-hidden"}


def convert(data: dict[str, object], origin: str, ledger: Ledger) -> Draft:
    """The theme that the settings describe."""
    draft = Draft(NAME, "Converted from the settings of ccstatusline", origin)
    top = Node(data, (), ledger)
    top.idle("$schema", "version", "updatemessage", "installation", "ccstatuslineVersion", "exportedAt")
    work = _Work(draft, top)
    for number, nodes in enumerate(top.rows("lines", _MOST_LINES)):
        work.line(number, nodes)
    work.settings()
    top.finish()
    return draft


class _Work:
    """The settings that hold for every widget, and what was made so far."""

    def __init__(self, draft: Draft, top: Node) -> None:
        self.draft = draft
        self.top = top
        self.raw = top.flag("minimalistMode")
        self.bold = top.flag("globalBold")
        self.separator = top.text("defaultSeparator")
        self.padding = top.text("defaultPadding")
        self.side = top.choice("defaultPaddingSide", ("both", "left", "right"), "both")
        self.front = self._colour(top, "overrideForegroundColor", "text")
        self.back = self._colour(top, "overrideBackgroundColor", "ground")
        self.powerline = top.child("powerline")
        self.arrows = self.powerline.flag("enabled")
        self.separators = self.powerline.texts("separators")
        self.starts = self.powerline.texts("startCaps")
        self.ends = self.powerline.texts("endCaps")
        self.theme = self._theme(self.powerline.text("theme", "custom"))
        self.onward = self.powerline.flag("continueThemeAcrossLines")
        self.shown = 0

    def settings(self) -> None:
        """The keys that are matters of the config, and those that ohud has no use for."""
        level = self.top.whole("colorLevel", 0, 3)
        if level is not None:
            self.draft.settings["color"] = ("never", "16", "256", "truecolor")[level]
        if self.arrows:
            self.draft.settings["icons"] = "nerd"
        else:
            self.powerline.idle(*[key for key in self.powerline.data if key != "enabled"])
        width = "the width is known from the host, and what does not fit is dropped by priority"
        self.top.lose("flexMode", width, "`margin` in config.toml is how many columns stay free")
        self.top.lose("compactThreshold", width)
        if self.top.flag("inheritSeparatorColors"):
            self.top.lose("inheritSeparatorColors", "all separators of a row have one style", "give `sep` a style")
        for number, (path, item) in enumerate(self.powerline.items("separatorInvertBackground")):
            if item:
                self.top.ledger.lose(path, "a separator takes its colours from the blocks beside it")
            elif number >= 0:
                self.top.ledger.idle.add(path)
        if len(set(self.separators)) > 1:
            self.powerline.lose("separators", "a row of blocks has one separator; the first is used")
        if self.powerline.flag("autoAlign"):
            self.powerline.lose("autoAlign", "lines are not aligned in columns", "`pad(cells)` in a segment's format")
        self.top.lose("gitCacheTtlSeconds", "ohud asks git in the background", "`[git]` `refresh_s` in config.toml")
        self.top.lose("refreshInterval", "this is a setting of Claude Code", "ohud install --refresh SECONDS")

    def line(self, number: int, nodes: list[Node]) -> None:
        """One line of widgets."""
        tokens: list[Token] = []
        if not self.onward:
            self.shown = 0
        merge: Node | None = None
        for node in nodes:
            token = self._token(node)
            if isinstance(token, str) and tokens and isinstance(tokens[-1], str):
                if merge is not None and self._folded(tokens[-1], token, self._between(merge).text):
                    tokens[-1] = token if token in self.names else tokens[-1]
                    merge = node if node.data.get("merge") else None
                    continue
                tokens.append(self._between(merge))
            merge = node if isinstance(token, str) and node.data.get("merge") else None
            tokens += [token] if token is not None else []
        self.draft.lines.append(self._blocks(tokens, number) if self.arrows else tokens)

    @property
    def names(self) -> set[str]:
        """The names of all segments."""
        return {piece.name for piece in self.draft.pieces}

    def _folded(self, first: str, second: str, gap: str) -> bool:
        """Whether a bare text became part of the segment it is merged with, to come and go with it."""
        one, other = self.draft.piece(first), self.draft.piece(second)
        if not one.said and not other.said:
            return False
        said, kept = (one, other) if one.said else (other, one)
        plain = self.arrows or said.style in ("", kept.style)
        text = said.body if plain else f"{{{{ {quoted(said.said)} | style({quoted(said.style)}) }}}}"
        if said is one and isinstance(kept.icon, dict):
            kept.icon = {form: (said.said + gap + sign)[:16] for form, sign in kept.icon.items()}
        elif said is one:
            kept.body, kept.before = text + gap + literal(kept.before) + kept.body, ""
        else:
            kept.body, kept.after = kept.body + literal(kept.after) + gap + text, ""
        self.draft.remove(said.name)
        return True

    def _between(self, merge: Node | None) -> Gap:
        """What stands between two widgets that have no separator of their own."""
        if merge is not None:
            return Gap("" if merge.data.get("merge") == "no-padding" else self._pads(""))
        return Gap(self._pads(self.separator))

    def _pads(self, text: str) -> str:
        after = self.padding if self.side in ("both", "right") else ""
        before = self.padding if self.side in ("both", "left") else ""
        return after + text + before

    def _blocks(self, tokens: list[Token], number: int) -> list[Token]:
        """The line as blocks with arrows; separators of their own have no place there."""
        made: list[Token] = []
        names: list[str] = []
        for token in [*tokens, Fill()]:
            if isinstance(token, str):
                names.append(token)
            elif isinstance(token, Fill):
                if names:
                    made.append(self._arrow(tuple(names), number))
                made.append(token)
                names = []
        return made[:-1]

    def _arrow(self, names: tuple[str, ...], number: int) -> Arrows:
        separator = self.separators[0] if self.separators else "\ue0b0"
        start = self.starts[number % len(self.starts)] if self.starts else ""
        end = self.ends[number % len(self.ends)] if self.ends else ""
        return Arrows(names, separator, start, end, min(len(self.padding), 4) if self.padding else 1)

    def _token(self, node: Node) -> Token | None:
        """A widget as a segment, a gap or flexible space; None for what cannot be shown."""
        kind = node.text("type")
        node.idle("id")
        if kind in ("separator", "flex-separator"):
            return self._space(node, kind)
        if self.draft.full:
            node.gone("the theme has too many segments already")
            return None
        merge = node.data.get("merge")
        node.asked.add("merge")
        if merge is not None:
            self.top.ledger.taken.add((*node.path, "merge"))
        if kind == "custom-command":
            self._command(node)
            return None
        if kind in ("custom-text", "custom-symbol", "link"):
            made = self._words(node, kind)
        else:
            made = self._fact(node, kind)
        if made is None:
            return None
        self._dress(node, made)
        return self.draft.add(made)

    def _space(self, node: Node, kind: str) -> Token | None:
        if kind == "flex-separator":
            node.idle("color", "backgroundColor", "bold", "character")
            return Fill()
        if self.arrows:
            node.idle("type", "color", "backgroundColor", "bold", "character", "metadata")
            return None
        style = self._style(node, "separator", "")
        character = node.text("character", "|")
        return Gap(_separator(character), style)

    def _command(self, node: Node) -> None:
        command = node.text("commandPath")
        name = re.sub(r"[^a-z0-9]+", "_", command.lower().rpartition("/")[2].split(" ")[0])[:20].strip("_") or "mine"
        node.gone("it runs a program", COMMANDS.format(name=name if name[0].isalpha() else "mine"))

    def _words(self, node: Node, kind: str) -> Piece | None:
        if kind == "link":
            settings = node.child("metadata")
            url = settings.text("url")
            text = settings.text("text") or url
            if not url.startswith(("https://", "http://")):
                node.gone("the link has no address that begins with https:// or http://")
                return None
            made = words("link", "")
            made.body = "{{ " + f"{quoted(text)} | link({quoted(url)})" + " }}"
            return made
        text = node.text("customText") or node.text("customSymbol")
        self._hiding(node, node.child("metadata"), None)
        if not text:
            node.gone("there is no text to show")
            return None
        return words("text" if kind == "custom-text" else "symbol", text)

    def _fact(self, node: Node, kind: str) -> Piece | None:
        widget = _WIDGETS.get(kind)
        if widget is None:
            node.gone(f"ohud has no {quote(kind, 40)}" if kind else "a widget without a type", hint(kind or "x"))
            return None
        raw = node.flag("rawValue") or self.raw
        made = piece(widget.kind, kind)
        if widget.body is not None:
            made.body = widget.body
        made.before = "" if raw else widget.label
        self._details(node, made, kind, widget, raw)
        return made

    def _details(self, node: Node, made: Piece, kind: str, widget: _Widget, raw: bool) -> None:
        """What a widget's metadata changes."""
        settings = node.child("metadata")
        sign = settings.text("symbol", settings.text("glyph", widget.glyph))
        if sign and not raw:
            made.icon = icon(sign, widget.kind)
        hidden = self._hiding(node, settings, made)
        if widget.unknown and "no-git" not in hidden:
            made.default = widget.unknown
        _measure(settings, made, kind)
        if kind == "current-working-dir":
            _directory(settings, made)
        if kind in ("git-pr", "git-review"):
            made.value = "pr"
            made.when = "pr.number"
            link = "PR #{{ value.number }}" if raw else "{{ ('PR #' ~ value.number) | link(value.url or '') }}"
            made.body = link + ("" if "status" in hidden else "{{ (' ' ~ value.review_state) if value.review_state }}")
            if "title" not in hidden:
                node.ledger.lose(node.path, "the payload has no title of the pull request")
        if kind.startswith("cache-") and settings.text("scope", "turn") == "session":
            self._session_cache(made, kind)
        if kind == "vim-mode" and settings.text("format") == "letter":
            made.body = "{{ value[:1] }}"

    def _session_cache(self, made: Piece, kind: str) -> None:
        other = {"cache-hit-rate": "cache_session_rate", "cache-read": "session_cache_read"}
        twin = piece(other.get(kind, "session_cache_write"))
        made.value, made.body, made.when = twin.value, twin.body, twin.when

    def _hiding(self, node: Node, settings: Node, made: Piece | None) -> set[str]:
        """The states in which the widget hides."""
        states = {one.strip() for one in settings.text("hide").split(",") if one.strip()}
        states |= {state for key, state in _HIDE_FLAGS.items() if settings.text(key) == "true"}
        if "zero" in states and made is not None and made.when is None:
            made.when = f"{made.value} != `0`" if re.fullmatch(r"[\w.]+", made.value) else made.when
        unknown = states - _HIDDEN_ANYWAY - {"zero", "status", "title"}
        for state in sorted(unknown):
            settings.lose("hide", f"the state {quote(state, 40)} does not hide a segment", "give it a `when`")
        return states

    def _dress(self, node: Node, made: Piece) -> None:
        """Colours, width and the like."""
        widget = _WIDGETS.get(str(node.data.get("type")))
        made.style = self._style(node, made.name, widget.colour if widget else "default")
        width = node.whole("maxWidth", 1, 1000)
        if width:
            made.max_width = width
        node.idle("preserveColors", "timeout", "commandPath", "character", "excludeFromAutoAlign")
        if "rawValue" in node:
            node.flag("rawValue")

    def _style(self, node: Node, role: str, default: str) -> str:
        own = node.text("color")
        if self.front:
            node.idle("color")
        front = self.front or self._named(node, "color", own, role) or ("" if default == "default" else default)
        back = self.back or self._named(node, "backgroundColor", node.text("backgroundColor"), f"{role}_back")
        if self.arrows and self.theme:
            front, back = self.theme[self.shown % len(self.theme)]
            front, back = self.draft.colour(front, "ink"), self.draft.colour(back, f"block_{self.shown + 1}")
        if role != "separator":
            self.shown += 1
        bold = node.flag("bold") or self.bold
        dim = node.data.get("dim")
        node.asked.add("dim")
        if dim is not None:
            self.top.ledger.taken.add((*node.path, "dim"))
        parts = ["bold" if bold else "", "dim" if dim in (True, "all", "whole") else ""]
        parts += [f"fg:{front}" if front else "", f"bg:{back}" if back else ""]
        return " ".join(part for part in parts if part)

    def _colour(self, node: Node, key: str, role: str) -> str:
        return self._named(node, key, node.text(key), role)

    def _named(self, node: Node, key: str, colour: str, role: str) -> str:
        """A colour in ohud's words, exact ones by a name of the palette."""
        found = _colour(colour)
        if colour.startswith("gradient:"):
            node.lose(key, "a gradient over the text is not carried over; its first colour is used", "`| gradient`")
        elif colour and not found:
            node.lose(key, f"the colour {quote(colour, 40)} is not known")
        return self.draft.colour(found, role) if found else ""

    def _theme(self, name: str) -> tuple[tuple[str, str], ...]:
        if name == "custom" or name in _THEMES:
            return _THEMES.get(name, ())
        self.powerline.lose("theme", f"the theme {quote(name, 40)} is not known", "one of " + ", ".join(_THEMES))
        return ()


def _colour(name: str) -> str:
    """A colour of ccstatusline in ohud's words; empty when there is none."""
    if found := re.fullmatch(r"hex:([0-9A-Fa-f]{6})", name):
        return "#" + found[1].lower()
    if found := re.fullmatch(r"ansi256:(\d{1,3})", name):
        return found[1] if int(found[1]) < 256 else ""
    if found := re.match(r"gradient:(?:hex:|#)?([0-9A-Fa-f]{6})\b", name):
        return "#" + found[1].lower()
    plain = name[2:3].lower() + name[3:] if re.match(r"bg[A-Z]", name) else name
    plain = re.sub(r"^bright(?=[A-Z])", "bright_", plain).lower()
    base = plain.removeprefix("bright_")
    known = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
    if base in ("gray", "grey") and plain == base:
        return "bright_black"
    return plain if base in known else ""


def _separator(text: str) -> str:
    """A separator as ccstatusline writes it: with blanks around it."""
    if not text.strip():
        return text or " "
    return text + " " if text == "," else f" {text.strip()} "


def _measure(settings: Node, made: Piece, kind: str) -> None:
    """Bars, compact forms and remaining in place of used."""
    display = settings.text("display", settings.text("displayMode", ""))
    compact = settings.text("compact") == "true"
    if kind == "context-percentage-usable":
        made.value, made.when = "computed.context", "computed.context.percent != `null`"
        made.body = "{{ ([value.percent * 100 / (value.compacts_at or 80), 100] | min) | percent(1) }}"
    elif kind == "context-bar":
        made.value, made.when = "computed.context", "computed.context.percent != `null`"
        width = {"progress": 32, "full": 32, "progress-short": 8, "short": 8}.get(display, 16)
        made.body = "[{{ value.percent | bar(" + f"{width}, {_BAR}" + ") }}]"
        if "only" not in display:
            made.body += " {{ value.tokens | tokens }}/{{ value.size | tokens }} ({{ value.percent | percent }})"
    elif display.startswith(("progress", "slider", "bar")) and "{{ value | percent" in made.body:
        width = {"progress": 32, "progress-medium": 16}.get(display, 10)
        bar = "{{ value | bar(" + f"{width}, {_BAR}" + ") }}"
        made.body = bar if "only" in display else bar + " " + made.body
    elif display.startswith("progress"):
        settings.lose("display", "this segment has no bar", "{{ value | bar(10) }}")
    if settings.text("inverse") == "true" or settings.text("inverted") == "true":
        _inverse(settings, made, kind)
    if compact and kind in ("reset-timer", "weekly-reset-timer", "block-timer", "session-clock"):
        made.before = made.before.replace(": ", " ")
    if settings.text("absolute") == "true" and kind in ("reset-timer", "weekly-reset-timer"):
        twin = piece("five_hour_clock" if kind == "reset-timer" else "seven_day_clock")
        made.value, made.body = twin.value, twin.body


def _inverse(settings: Node, made: Piece, kind: str) -> None:
    if kind == "context-percentage":
        made.value = "computed.context.left"
    elif "value | percent" in made.body or "value | bar" in made.body:
        made.body = made.body.replace("{{ value |", "{{ (100 - value) |")
    else:
        settings.lose("inverse" if "inverse" in settings else "inverted", "this segment cannot be turned round")


def _directory(settings: Node, made: Piece) -> None:
    """The forms of the working directory."""
    segments = settings.whole("segments", 1, 99) if not isinstance(settings.data.get("segments"), str) else None
    if segments is None and (text := settings.text("segments")).isdecimal():
        segments = int(text[:3])
    if segments == 1:
        made.body = "{{ value | basename }}"
    elif segments:
        made.body = "{{ value | short_path(" + str(min(10 + 12 * segments, 200)) + ") }}"
    if settings.text("fishStyle") == "true":
        made.body = "{{ value | short_path(60, letters=true) }}"
    settings.text("abbreviateHome")
