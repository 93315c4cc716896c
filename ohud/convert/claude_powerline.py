"""claude-powerline's configuration: segments on lines, six colour themes, and a grid of cells."""

from __future__ import annotations

import re

from ohud.convert.draft import Arrows, Draft, Fill, Gap, Piece, Token, icon, piece, quoted
from ohud.convert.facts import hint
from ohud.convert.node import Ledger, Node
from ohud.errors import quote

NAME = "claude-powerline"
_STYLES = ("minimal", "powerline", "capsule", "tui")
_SEGMENTS = (
    "directory", "git", "model", "session", "today", "block", "weekly", "context", "metrics", "version", "tmux",
    "sessionId", "env", "agent", "thinking", "cacheTimer", "session-summary",
)  # fmt: skip
_DEFAULT = ("directory", "git", "model", "session", "today", "context")

# (background, foreground) by theme and segment, as claude-powerline has them in true colour.
_THEMES: dict[str, dict[str, tuple[str, str]]] = {
    "dark": {
        "directory": ("#8b4513", "#ffffff"),
        "git": ("#404040", "#ffffff"),
        "model": ("#2d2d2d", "#ffffff"),
        "session": ("#202020", "#00ffff"),
        "block": ("#2a2a2a", "#87ceeb"),
        "today": ("#1a1a1a", "#98fb98"),
        "context": ("#4a5568", "#cbd5e0"),
        "metrics": ("#374151", "#d1d5db"),
        "version": ("#3a3a4a", "#b8b8d0"),
    },
    "light": {
        "directory": ("#ff6b47", "#ffffff"),
        "git": ("#4fb3d9", "#ffffff"),
        "model": ("#87ceeb", "#000000"),
        "session": ("#da70d6", "#ffffff"),
        "block": ("#6366f1", "#ffffff"),
        "today": ("#10b981", "#ffffff"),
        "context": ("#718096", "#ffffff"),
        "metrics": ("#6b7280", "#ffffff"),
        "version": ("#8b7dd8", "#ffffff"),
    },
    "nord": {
        "directory": ("#434c5e", "#d8dee9"),
        "git": ("#3b4252", "#a3be8c"),
        "model": ("#4c566a", "#81a1c1"),
        "session": ("#2e3440", "#88c0d0"),
        "block": ("#3b4252", "#81a1c1"),
        "today": ("#2e3440", "#8fbcbb"),
        "context": ("#5e81ac", "#eceff4"),
        "metrics": ("#b48ead", "#2e3440"),
        "version": ("#434c5e", "#88c0d0"),
    },
    "tokyo-night": {
        "directory": ("#2f334d", "#82aaff"),
        "git": ("#1e2030", "#c3e88d"),
        "model": ("#191b29", "#fca7ea"),
        "session": ("#222436", "#86e1fc"),
        "block": ("#2d3748", "#7aa2f7"),
        "today": ("#1a202c", "#4fd6be"),
        "context": ("#414868", "#c0caf5"),
        "metrics": ("#3d59a1", "#c0caf5"),
        "version": ("#292e42", "#bb9af7"),
    },
    "rose-pine": {
        "directory": ("#26233a", "#c4a7e7"),
        "git": ("#1f1d2e", "#9ccfd8"),
        "model": ("#191724", "#ebbcba"),
        "session": ("#26233a", "#f6c177"),
        "block": ("#2a273f", "#eb6f92"),
        "today": ("#232136", "#9ccfd8"),
        "context": ("#393552", "#e0def4"),
        "metrics": ("#524f67", "#e0def4"),
        "version": ("#2a273f", "#c4a7e7"),
    },
    "gruvbox": {
        "directory": ("#504945", "#ebdbb2"),
        "git": ("#3c3836", "#b8bb26"),
        "model": ("#665c54", "#83a598"),
        "session": ("#282828", "#8ec07c"),
        "block": ("#3c3836", "#83a598"),
        "today": ("#282828", "#fabd2f"),
        "context": ("#458588", "#ebdbb2"),
        "metrics": ("#d3869b", "#282828"),
        "version": ("#504945", "#8ec07c"),
    },
}
# Segments that came later, and whose colours they have here where the settings give none.
_LIKE = {
    "weekly": "block", "sessionId": "version", "env": "version", "agent": "model", "thinking": "model",
    "cacheTimer": "today", "session-summary": "directory", "tmux": "version",
}  # fmt: skip

# Signs of the two character sets: what stands before a value.
_SIGNS: dict[str, tuple[str, str, str]] = {
    "git": ("⎇", "~", "branch"),
    "model": ("✱", "M", "model"),
    "session": ("§", "S", "cost"),
    "today": ("☉", "D", "today_cost"),
    "block": ("◱", "B", "five_hour"),
    "weekly": ("◑", "W", "seven_day"),
    "context": ("◔", "C", "context"),
    "version": ("◈", "V", "version"),
    "session-summary": ("💬", "N", "session_name"),
    "agent": ("◎", "A", "agent"),
    "thinking": ("✦", "T", "effort"),
    "cacheTimer": ("◷", "@", "cache_left"),
    "sessionId": ("⌗", "#", "session_id"),
}
_BARS = {
    "bar": "▪▫",
    "blocks": "█░",
    "blocks-line": "█┄",
    "squares": "◼◻",
    "dots": "●○",
    "line": "━┄",
    "capped": "━┄",
    "ball": "──",
    "filled": "■□",
    "geometric": "▰▱",
}
_CELLS = {
    "context": "context", "context.bar": "context_bar", "context.pct": "context", "context.tokens": "context_tokens",
    "block": "five_hour", "block.value": "five_hour", "block.bar": "five_hour_bar", "block.time": "five_hour_reset",
    "weekly": "seven_day", "weekly.pct": "seven_day", "weekly.time": "seven_day_reset", "weekly.bar": "seven_day_bar",
    "git": "branch", "git.head": "branch", "git.branch": "branch", "git.info": "branch", "git.working": "working_tree",
    "git.ahead": "divergence", "dir": "folder", "dir.value": "folder", "directory": "folder", "model": "model",
    "model.value": "model", "session": "cost", "session.cost": "cost", "session.tokens": "tokens",
    "today": "today_cost", "today.cost": "today_cost", "version": "version", "version.value": "version",
    "metrics.duration": "duration", "metrics.response": "api_time", "metrics.added": "lines_added",
    "metrics.removed": "lines_removed", "metrics.messages": "prompts", "agent": "agent", "thinking": "effort",
    "cacheTimer": "cache_left", "sessionId": "session_id",
}  # fmt: skip


def fits(data: dict[str, object]) -> bool:
    """Whether the data looks like claude-powerline's."""
    display = data.get("display")
    if (
        isinstance(display, dict)
        and ({"lines", "style", "tui", "charset"} & set(display))
        and "elementOrder" not in data
    ):
        return "layout" not in display and "contextValue" not in display
    return "modelContextLimits" in data or (data.get("theme") in _THEMES and "budget" in data)


def convert(data: dict[str, object], origin: str, ledger: Ledger) -> Draft:
    """The theme that the configuration describes."""
    top = Node(data, (), ledger)
    work = _Work(Draft(NAME, "Converted from the configuration of claude-powerline", origin), top)
    work.settings()
    if work.style == "tui":
        work.grid(work.display.child("tui"))
    else:
        work.lines()
    top.finish()
    return work.draft


class _Work:
    """The settings that hold for every segment, and the theme in the making."""

    def __init__(self, draft: Draft, top: Node) -> None:
        self.draft = draft
        self.top = top
        self.display = top.child("display")
        self.style = self.display.choice("style", _STYLES, "minimal")
        self.ascii = self.display.choice("charset", ("unicode", "text"), "unicode") == "text"
        padding = self.display.whole("padding", 0, 4)
        self.pad = 1 if padding is None else padding
        self.wrap = 3 if self.display.flag("autoWrap", True) else 1
        self.theme = top.choice("theme", (*_THEMES, "custom"), "dark")
        self.custom = top.child("colors").child("custom")
        self.budget = top.child("budget")

    def settings(self) -> None:
        """The keys that are matters of the config, and those that ohud has no use for."""
        depth = self.display.choice("colorCompatibility", ("auto", "ansi", "ansi256", "truecolor"), "auto")
        if depth != "auto":
            self.draft.settings["color"] = {"ansi": "16", "ansi256": "256"}.get(depth, depth)
        if self.ascii:
            self.draft.settings["icons"] = "ascii"
        elif self.style in ("powerline", "capsule"):
            self.draft.settings["icons"] = "nerd"
        self.top.lose("modelContextLimits", "the size of the context window is the one that the host reports")
        self.top.idle("$schema")

    def lines(self) -> None:
        """Every line with its segments."""
        nodes = self.display.children("lines", 10)
        own: list[tuple[list[tuple[str, Node]], Node]] = []
        for node in nodes:
            segments = node.child("segments")
            own.append((list(segments.tables()), segments))
        if not own:
            empty = self.top.made({}, ())
            own = [([(name, self.top.made({}, ())) for name in _DEFAULT], empty)]
        for tables, holder in own:
            self._line(tables)
            for key in holder.data:
                if key not in holder.asked:
                    holder.lose(key, "a table of the segment's settings is expected here")

    def _line(self, segments: list[tuple[str, Node]]) -> None:
        apart: list[str] = []
        names: list[str] = []
        for key, node in segments:
            made = self._segment(key, node)
            if made is None:
                continue
            name = self.draft.add(made)
            (apart if node.data.get("separateLine") is True else names).append(name)
        for line in (names, *([name] for name in apart)):
            if line:
                self.draft.lines.append(self._drawn(line))

    def _drawn(self, names: list[str]) -> list[Token]:
        if self.style == "powerline":
            return [Arrows(tuple(names), pad=self.pad, wrap=self.wrap)]
        if self.style == "capsule":
            return [Arrows(tuple(names), " ", "\ue0b6", "\ue0b4", self.pad, self.wrap, apart=True)]
        return [Arrows(tuple(names), "", "", "", self.pad, self.wrap)]

    def _segment(self, key: str, node: Node) -> Piece | None:
        """One segment; None when it is off or has nothing to show here."""
        if not node.flag("enabled", not node.data):
            for inner in node.data:
                node.idle(inner)
            return None
        if self.draft.full:
            node.gone("the theme has too many segments already")
            return None
        make = _MAKERS.get(key)
        made = make(self, node) if make else None
        if made is None:
            reason = f"ohud has no segment {quote(key, 40)}" if key not in _NOT_HERE else _NOT_HERE[key]
            node.gone(reason, hint(key))
            return None
        made.name = key
        self._dress(key, made)
        return made

    def _dress(self, key: str, made: Piece) -> None:
        back, front = _THEMES.get(self.theme, _THEMES["dark"]).get(_LIKE.get(key, key), ("", ""))
        own = self.custom.child(key)
        back = _colour(own, "bg", back)
        front = _colour(own, "fg", front)
        role = made.name.replace("-", "_")
        parts = ["bold" if own.flag("bold") else ""]
        parts += [f"fg:{self.draft.colour(front, role)}" if front else ""]
        parts += [f"bg:{self.draft.colour(back, role + '_back')}" if back else ""]
        made.style = " ".join(part for part in parts if part)
        if key == "context":
            self._levels(made)

    def _levels(self, made: Piece) -> None:
        """Colours from 60 and 80 percent on, where the settings have some."""
        for name, at in (("contextWarning", 60), ("contextCritical", 80)):
            if name in self.custom:
                node = self.custom.child(name)
                back, front = _colour(node, "bg", ""), _colour(node, "fg", "")
                parts = [f"fg:{self.draft.colour(front, name)}" if front else ""]
                parts += [f"bg:{self.draft.colour(back, name + '_back')}" if back else ""]
                if made.value == "computed.context.percent":
                    made.levels.append((at, " ".join(part for part in parts if part)))

    def sign(self, made: Piece, key: str) -> Piece:
        """The piece with the sign that its segment has in the character set."""
        wide, plain, kind = _SIGNS[key]
        made.icon = plain if self.ascii else icon(wide, kind)
        if isinstance(made.icon, dict):
            made.icon["ascii"] = plain
        return made

    def directory(self, node: Node) -> Piece:
        """The folder or the path."""
        default = "basename" if node.flag("showBasename") else "full"
        style = node.choice("style", ("full", "fish", "basename"), default)
        if style == "fish":
            return piece("path", body="{{ value | short_path(60, letters=true) }}")
        return piece("folder" if style == "basename" else "whole_path")

    def git(self, node: Node) -> Piece:
        """The branch, and what the settings want beside it."""
        signs = "^v" if self.ascii else "↑↓"
        fields = {"branch": "branch", "commit": "commit"}
        parts = ["(value.branch or value.commit)"]
        if node.flag("showRepoName"):
            fields["root"] = "root"
            parts.insert(0, "(value.root | basename)")
        if node.flag("showOperation"):
            fields["operation"] = "operation"
            parts.insert(0, "('[' ~ value.operation ~ ']') if value.operation")
        if node.flag("showSha"):
            parts.append(f"('{'#' if self.ascii else '♯'} ' ~ value.commit) if value.commit and value.branch")
        if node.flag("showAheadBehind", True):
            fields |= {"ahead": "ahead", "behind": "behind"}
            ahead = f"(({quoted(signs[0])} ~ value.ahead) if value.ahead else '')"
            parts.append(f"{ahead} ~ (({quoted(signs[1])} ~ value.behind) if value.behind else '')")
        if node.flag("showWorkingTree"):
            counts = {"staged": "+", "modified": "~", "untracked": "?", "conflicts": "!"}
            fields |= {name: name for name in counts}
            said = ", ".join(f"('{sign}' ~ value.{name}) if value.{name}" for name, sign in counts.items())
            parts.append(f"row({said}, sep=' ')")
        if node.flag("showStashCount"):
            fields["stashes"] = "stashes"
            parts.append(f"('{'S' if self.ascii else '⧇'} ' ~ value.stashes) if value.stashes")
        fields["dirty"] = "dirty"
        marks = ("*", "=") if self.ascii else ("●", "✓")
        parts.append(f"({quoted(marks[0])} if value.dirty else {quoted(marks[1])}) if value.dirty is not none")
        for key in ("showTag", "showTimeSinceCommit", "showUpstream"):
            if node.flag(key):
                node.lose(key, "ohud does not ask git for this", "the nearest is `computed.git.commit`")
        value = "computed.git.{" + ", ".join(f"{name}: {path}" for name, path in fields.items()) + "}"
        made = piece("head", value=value, body=_joined(parts), when="computed.git.branch || computed.git.commit")
        return self.sign(made, "git")

    def model(self, node: Node) -> Piece:
        """The model."""
        return self.sign(piece("model"), "model")

    def session(self, node: Node) -> Piece:
        """What the session cost, or how many tokens it took."""
        kind = node.choice("type", ("cost", "tokens", "both", "breakdown"), "cost")
        source = node.choice("costSource", ("calculated", "official"), "official")
        if source == "calculated" and kind in ("cost", "both"):
            node.lose("costSource", "the host's own figure is shown where there is one, else the estimate")
        made = self._spent(node, kind, "cost", "tokens", self.budget.child("session"))
        return self.sign(made, "session")

    def _spent(self, node: Node, kind: str, money: str, tokens: str, budget: Node) -> Piece:
        if kind == "tokens":
            made = piece(tokens, after=" tokens")
        elif kind == "breakdown":
            made = piece(tokens, value="computed.transcript.tokens")
            names = {"input": "in", "output": "out", "cache_read": "cached"}
            made.body = " + ".join("{{ value." + name + " | tokens }} " + said for name, said in names.items())
        else:
            made = piece(money)
            if kind == "both":
                inner = self.draft.add(piece(tokens, f"{money.removeprefix('host_')}_tokens"))
                made.body += "{% if " + inner + ".visible %} ({{ " + inner + " }}){% endif %}"
        self._limit(made, budget, kind)
        return made

    def _limit(self, made: Piece, budget: Node, kind: str) -> None:
        """The share of a budget behind the amount."""
        amount = budget.number("amount", 0, 1e12)
        warning = budget.number("warningThreshold", 0, 100)
        counted = budget.choice("type", ("cost", "tokens"), "cost")
        if not amount or (counted == "tokens") != (kind == "tokens") or kind == "breakdown":
            return
        share = f"{{% set share = value * 100 / {amount:g} %}}"
        mark = f"{{{{ '!' if share >= {80 if warning is None else warning:g} else '+' if share >= 50 }}}}"
        made.body += f"{share} {mark}{{{{ share | percent }}}}"

    def today(self, node: Node) -> Piece:
        """What all sessions of the day cost."""
        kind = node.choice("type", ("cost", "tokens", "both", "breakdown"), "cost")
        if kind != "cost":
            node.lose("type", "of the day only the cost is known", "the nearest is `computed.today.cost_usd`")
        made = piece("today_cost")
        self._limit(made, self.budget.child("today"), "cost")
        return self.sign(made, "today")

    def block(self, node: Node) -> Piece:
        """The five-hour limit."""
        kind = node.choice("type", ("cost", "tokens", "both", "time", "weighted"), "cost")
        if kind == "time":
            return self.sign(piece("five_hour_reset"), "block")
        node.lose("type", "what a five-hour block cost is not known; the share of the limit is shown")
        burn = node.text("burnType", "none")
        if burn != "none":
            node.lose("burnType", "the pace is that of the session", "the nearest is `computed.cost.per_hour`")
        node.idle("displayStyle")
        if "block" in self.budget:
            self.budget.lose("block", "what a five-hour block cost is not known")
        made = piece("five_hour")
        left = self.draft.add(piece("five_hour_reset", "block_reset"))
        made.body += "{% if " + left + ".visible %} ({{ " + left + " }}){% endif %}"
        return self.sign(made, "block")

    def weekly(self, node: Node) -> Piece:
        """The weekly limit."""
        node.idle("displayStyle")
        made = piece("seven_day")
        left = self.draft.add(piece("seven_day_reset", "weekly_reset"))
        made.body += "{% if " + left + ".visible %} ({{ " + left + " }}){% endif %}"
        return self.sign(made, "weekly")

    def context(self, node: Node) -> Piece:
        """How full the context window is."""
        form = node.text("displayStyle", "text")
        only = node.flag("showPercentageOnly")
        bar = _BARS.get(form)
        default = "used" if bar else "remaining"
        mode = node.choice("percentageMode", ("used", "remaining"), default)
        if node.number("autocompactBuffer", 0, 1e6):
            node.lose("autocompactBuffer", "the host's percentage is shown", "`computed.context.compacts_at`")
        if form != "text" and bar is None:
            node.lose("displayStyle", f"the style {quote(form, 20)} is not known", "text, " + ", ".join(_BARS))
        if form in ("capped", "ball"):
            node.lose("displayStyle", "a bar is drawn with two characters; the mark at its end is left out")
        share = "value" if mode == "used" else "(100 - value)"
        percent = "{{ " + share + " | percent }}"
        made = piece("context", body=percent if only else "")
        if not only:
            inner = self.draft.add(piece("context_tokens"))
            made.body = (
                "{% if "
                + inner
                + ".visible %}{{ "
                + inner
                + " }} ("
                + percent
                + "){% else %}"
                + percent
                + "{% endif %}"
            )
        if bar is None:
            return self.sign(made, "context")
        glyphs = ("#", ".") if self.ascii else (bar[0], bar[1])
        signs = ("icon('full')", "icon('track')") if bar == "█░" else (quoted(glyphs[0]), quoted(glyphs[1]))
        made.body = "{{ value | bar(10, " + ", ".join(signs) + ") }} " + made.body
        return made

    def metrics(self, node: Node) -> Piece:
        """Times, messages and lines."""
        signs = "RT#" if self.ascii else "⧖⧗⟐"
        shown = {
            "showResponseTime": ("api: computed.session.api_s", f"'{signs[0]} ' ~ (value.api | duration)"),
            "showDuration": ("wall: computed.session.duration_s", f"'{signs[1]} ' ~ (value.wall | duration)"),
            "showMessageCount": ("messages: computed.transcript.prompts", f"'{signs[2]} ' ~ value.messages"),
            "showLinesAdded": ("added: computed.session.lines_added", "'+ ' ~ value.added"),
            "showLinesRemoved": ("removed: computed.session.lines_removed", "'- ' ~ value.removed"),
        }
        if node.flag("showLastResponseTime"):
            node.lose("showLastResponseTime", "how long a reply took is not known", "`computed.speed.output_per_s`")
        chosen = [pair for key, pair in shown.items() if node.flag(key, True)] or [shown["showDuration"]]
        value = "{" + ", ".join(field for field, _ in chosen) + "}"
        parts = [f"({part}) if value.{field.partition(':')[0]}" for field, part in chosen]
        return piece("duration", value=value, body=_joined(parts), priority=25)

    def version(self, node: Node) -> Piece:
        """The host's version."""
        return self.sign(piece("version", before="v"), "version")

    def session_id(self, node: Node) -> Piece:
        """The session's id."""
        length = node.whole("length", 1, 64)
        made = piece("session_id", max_width=length)
        return self.sign(made, "sessionId") if node.flag("showIdLabel", True) else made

    def agent(self, node: Node) -> Piece:
        """The agent that the session runs as."""
        return self.sign(piece("agent"), "agent")

    def thinking(self, node: Node) -> Piece:
        """The effort, or whether the model thinks."""
        effort = node.flag("showEffort", True)
        node.flag("showEnabled", True)
        return self.sign(piece("effort" if effort else "thinking"), "thinking")

    def cache(self, node: Node) -> Piece:
        """Time until the prompt cache is cold."""
        if "ttlSeconds" in node:
            node.lose("ttlSeconds", "how long the cache is kept is read from the session", "`computed.cache.ttl_s`")
        return self.sign(piece("cache_left"), "cacheTimer")

    def summary(self, node: Node) -> Piece:
        """The session's name."""
        made = piece("session_name", max_width=node.whole("maxLength", 1, 1000))
        node.flag("separateLine")
        return self.sign(made, "session-summary") if node.flag("showIcon", True) else made

    def grid(self, node: Node) -> None:
        """The cells of the widest grid, a line a row; frame, columns and narrower grids are listed."""
        self.display.lose("lines", "the grid says what is shown; settings of segments do not reach its cells")
        title = node.child("title")
        sides = [title.text("left"), title.text("right")]
        if any(sides):
            self.draft.lines.append(self._cells(re.findall(r"\{([\w.]+)\}", sides[0]), title, "left"))
            self.draft.lines[-1] += [Fill(), *self._cells(re.findall(r"\{([\w.]+)\}", sides[1]), title, "right")]
        grids = node.children("breakpoints", 10)
        if grids:
            widest = max(grids, key=lambda grid: _least(grid))
            self._areas(widest)
            for grid in grids:
                if grid is not widest:
                    grid.gone(
                        "one grid is carried over, the widest; in a narrow terminal parts are dropped by priority"
                    )
        elif not any(sides):
            self.lines()
        frame = "there is no frame and no grid of columns"
        for key in (
            "box",
            "fitContent",
            "minWidth",
            "maxWidth",
            "widthReserve",
            "padding",
            "separator",
            "segments",
            "footer",
        ):
            node.lose(key, frame)

    def _areas(self, grid: Node) -> None:
        grid.number("minWidth", 0, 1e6)
        for key in ("columns", "align"):
            grid.lose(
                key, "there is no grid of columns", "`pad(cells)` in a segment's format, `fill()` in the template"
            )
        for area in grid.texts("areas", 10):
            if area.strip("- "):
                self.draft.lines.append(self._cells(list(dict.fromkeys(area.split())), grid, "areas"))
            else:
                grid.lose("areas", "there are no lines across (`---`)")

    def _cells(self, names: list[str], node: Node, key: str) -> list[Token]:
        tokens: list[Token] = []
        for name in names:
            kind = _CELLS.get(name)
            if name == ".":
                tokens.append(Fill())
            elif kind is None:
                if not name.endswith(".icon"):
                    node.lose(key, f"the cell {quote(name, 30)} has no counterpart", hint(name.partition(".")[0]))
            elif not self.draft.full:
                tokens += [Gap(" ")] if tokens and isinstance(tokens[-1], str) else []
                tokens.append(self.draft.add(self._cell(name, kind)))
        return tokens

    def _cell(self, name: str, kind: str) -> Piece:
        base = name.partition(".")[0]
        bar = kind.endswith("_bar") and kind != "context_bar"
        made = piece(kind.removesuffix("_bar") if bar else kind, name.replace(".", "_"))
        if bar:
            made.body = "{{ value | bar(10, icon('full'), icon('track')) }}"
        segment = {"dir": "directory"}.get(base, base)
        self._dress(segment, made)
        made.style = re.sub(r" ?bg:\S+", "", made.style)
        self.draft.palette = {key: colour for key, colour in self.draft.palette.items() if not key.endswith("_back")}
        return self.sign(made, base) if base in _SIGNS and name in (base, f"{base}.value", f"{base}.head") else made


_FRAME = (
    "box", "fitContent", "minWidth", "maxWidth", "widthReserve", "padding", "separator", "segments", "footer",
)  # fmt: skip


def _least(grid: Node) -> float:
    value = grid.data.get("minWidth")
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else 0


def _joined(parts: list[str]) -> str:
    """A template that prints the parts that have something to say, a blank apart."""
    return "{{ " + (f"row({', '.join(parts)}, sep=' ')" if len(parts) > 1 else parts[0]) + " }}"


def _colour(node: Node, key: str, default: str) -> str:
    """A colour of the settings; empty for none."""
    if key not in node:
        return default
    colour = node.text(key).lower()
    if colour in ("transparent", "none", ""):
        return ""
    if re.fullmatch(r"#[0-9a-f]{3}", colour):
        colour = "#" + "".join(2 * digit for digit in colour[1:])
    if re.fullmatch(r"#[0-9a-f]{6}", colour):
        return colour
    node.lose(key, f"the colour {quote(colour, 40)} is not known", "`#rrggbb`")
    return default


_NOT_HERE = {
    "tmux": "nothing in the payload names the tmux session",
    "env": "a theme reads no environment",
}
_MAKERS = {
    "directory": _Work.directory,
    "git": _Work.git,
    "model": _Work.model,
    "session": _Work.session,
    "today": _Work.today,
    "block": _Work.block,
    "weekly": _Work.weekly,
    "context": _Work.context,
    "metrics": _Work.metrics,
    "version": _Work.version,
    "sessionId": _Work.session_id,
    "agent": _Work.agent,
    "thinking": _Work.thinking,
    "cacheTimer": _Work.cache,
    "session-summary": _Work.summary,
    "sessionSummary": _Work.summary,
}
