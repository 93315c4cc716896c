"""config.json of the original ohud, a program in TypeScript: its two layouts are `classic` and `hush` here."""

from __future__ import annotations

import re

from ohud.convert.draft import Draft
from ohud.convert.node import Ledger, Node
from ohud.errors import quote

NAME = "ohud"
_KEYS = {"lineLayout", "elementOrder", "gitStatus", "pathLevels", "ollama"}
_DISPLAY = {
    "contextValue",
    "usageBarEnabled",
    "showContextBar",
    "hush",
    "sevenDayThreshold",
    "showConfigCounts",
    "glyphs",
}

# Key of `display` -> option of `classic`; flags first, then words and numbers.
_FLAGS = {
    "showModel": "show_model",
    "showEffortLevel": "show_effort",
    "showContextBar": "show_context_bar",
    "showApiTime": "show_api_time",
    "showUsage": "show_usage",
    "usageBarEnabled": "usage_bar",
    "usageCompact": "usage_compact",
    "showResetLabel": "show_reset_label",
    "showCost": "show_cost",
    "showPromptCache": "show_prompt_cache",
    "showMemoryUsage": "show_memory",
    "showConfigCounts": "show_environment",
    "showDuration": "show_duration",
    "showSpeed": "show_speed",
    "showTools": "show_tools",
    "showAgents": "show_agents",
    "showTodos": "show_todos",
}
_WORDS = {
    "contextValue": ("context_value", ("percent", "tokens", "remaining", "both")),
    "timeFormat": ("time_format", ("relative", "absolute", "both")),
}
_NUMBERS = {
    "sevenDayThreshold": "seven_day_threshold",
    "warningThreshold": "warning_threshold",
    "criticalThreshold": "critical_threshold",
}
_COLOURS = {
    "context": "context", "apiTime": "usage", "usage": "usage", "warning": "warning", "usageWarning": "busy",
    "critical": "critical", "model": "model", "project": "project", "git": "git", "gitBranch": "branch",
    "label": "label",
}  # fmt: skip
_QUIET = {
    "warning": "warning", "critical": "danger", "model": "model", "project": "project", "gitBranch": "branch",
    "label": "muted",
}  # fmt: skip
_NAMES = {
    "dim": "bright_black", "red": "red", "green": "green", "yellow": "yellow", "magenta": "magenta", "cyan": "cyan",
    "brightBlue": "bright_blue", "brightMagenta": "bright_magenta",
}  # fmt: skip

# Lines of `classic` by the names of the original's widgets; the first two lines are always there.
_ORDER = (
    "project", "context", "apiTime", "usage", "cost", "promptCache", "memory", "environment", "tools", "agents",
    "todos",
)  # fmt: skip
_LINES = {
    "cost": "{{ row(cost_block) if mode.value != 'ollama' }}",
    "promptCache": "{{ row(cache_block) if mode.value != 'ollama' }}",
    "memory": "{{ row(memory_block) }}",
    "environment": "{{ row(environment_block) }}",
    "duration": "{{ row(duration_block, speed_block, sep=' | ') }}",
    "tools": "{{ row(tools_block) }}",
    "agents": "{% if options.show_agents %}{{ agents_block }}\n{{ row(done_agents_block) }}{% endif %}",
    "todos": "{{ row(todos_block) }}",
}
_HEAD = """
{%- set gap = (' ' ~ icon('line') ~ ' ') | fg('label') -%}
{{ row(model_block, path_block, git_block, commit_block, effort_block, sep=gap) }}
{% if mode.value == 'ollama' %}{{ row(context_block, api_block, sep=gap) }}
{%- else %}{{ row(context_block, usage_block, week_block, sep=gap) }}{% endif %}"""


def fits(data: dict[str, object]) -> bool:
    """Whether the data looks like the original's."""
    display = data.get("display")
    return bool(_KEYS & set(data)) or (isinstance(display, dict) and bool(_DISPLAY & set(display)))


def convert(data: dict[str, object], origin: str, ledger: Ledger) -> Draft:
    """The theme that the configuration describes: one of ours with other options and colours."""
    top = Node(data, (), ledger)
    draft = Draft("mine", "Converted from the configuration of the original ohud", origin)
    display = top.child("display")
    if display.choice("layout", ("row", "hush"), "row") == "hush":
        _hush(draft, display)
    else:
        _classic(draft, top, display)
    _shared(draft, top, display)
    top.finish()
    return draft


def _classic(draft: Draft, top: Node, display: Node) -> None:
    draft.extends = "classic"
    _options(draft, display, _FLAGS)
    for key, (option, known) in _WORDS.items():
        if key in display:
            draft.options[option] = display.choice(key, known, known[0])
    for key, option in _NUMBERS.items():
        if (number := display.number(key, 0, 100)) is not None:
            draft.options[option] = number
    if top.choice("lineLayout", ("expanded", "compact"), "expanded") == "compact":
        draft.options["show_memory"] = False
    _git(draft, top.child("gitStatus"))
    _palette(draft, top.child("colors"), _COLOURS)
    _order(draft, top)
    display.lose("hush", "these are settings of the other layout", "`layout` = `hush`, and convert again")


def _options(draft: Draft, node: Node, flags: dict[str, str]) -> None:
    """Flags as options, as far as the file has them."""
    for key, option in flags.items():
        value = node.flag(key)
        if isinstance(node.data.get(key), bool):
            draft.options[option] = value


def _git(draft: Draft, node: Node) -> None:
    draft.options["show_dirty"] = node.flag("showDirty", True)
    draft.options["show_ahead_behind"] = node.flag("showAheadBehind")
    if not node.flag("enabled", True):
        draft.hidden += ["git_block", "commit_block"]
    for key in ("pushWarningThreshold", "pushCriticalThreshold"):
        if node.number(key, 0, 1e9):
            node.lose(
                key, "commits ahead have one colour", "`levels` of a segment of its own over `computed.git.ahead`"
            )


def _palette(draft: Draft, node: Node, names: dict[str, str]) -> None:
    for key in _COLOURS:
        if key not in names:
            node.lose(key, "the quiet layout has no such colour", ", ".join(names))
    for key, name in names.items():
        if key not in node:
            continue
        colour = node.text(key)
        plain = _NAMES.get(colour, colour.lower())
        number = plain.isascii() and plain.isdecimal() and len(plain) < 4 and int(plain) < 256
        if number or plain in _NAMES.values() or re.fullmatch(r"#[0-9a-f]{6}", plain):
            if name in draft.palette and draft.palette[name] != plain:
                node.lose(key, f"it shares the colour `{name}` with another key")
            draft.palette.setdefault(name, plain)
        else:
            node.lose(key, "this colour is not known", "a name, 0 to 255, or `#rrggbb`")


def _order(draft: Draft, top: Node) -> None:
    """Another order of the lines as a template of its own; a line that is not in the list never shows."""
    order = list(dict.fromkeys(top.texts("elementOrder", 40)))
    if not order or tuple(order) == _ORDER:
        return
    lines = []
    for name in order:
        if name in _LINES:
            lines.append(_LINES[name])
        elif name not in _ORDER:
            top.lose("elementOrder", f"there is no line {quote(name, 30)}", ", ".join(_ORDER))
    draft.template = "\n".join([_HEAD, *lines])


def _hush(draft: Draft, display: Node) -> None:
    draft.extends = "hush"
    hush = display.child("hush")
    if "density" in hush:
        draft.options["density"] = hush.choice("density", ("compact", "comfortable", "airy"), "compact")
    if "icon" in hush:
        draft.options["icon"] = hush.choice("icon", ("auto", "anthropic", "ollama", "none"), "auto")
    if "motion" in hush:
        draft.options["motion"] = {"subtle": "turn"}.get(hush.choice("motion", ("subtle", "still"), "subtle"), "still")
    _options(draft, hush, {"animate": "animate", "identityColors": "identity_colors"})
    levels = hush.child("thresholds")
    for key, shared, option in (
        ("warning", "warningThreshold", "warning_from"),
        ("danger", "criticalThreshold", "danger_from"),
    ):
        number = display.number(shared, 0, 100)
        own = levels.number(key, 0, 100)
        number = number if own is None else own
        if number is not None:
            draft.options[option] = number
    if (number := display.number("sevenDayThreshold", 0, 100)) is not None:
        draft.options["seven_day_from"] = number
    hush.idle("compactWhenIdle")
    if hush.flag("hyperlinks", True) and "hyperlinks" in hush:
        hush.lose("hyperlinks", "no file is written for a session, so there is none to link to", "ohud explain")
    for key in list(display.data):
        if key in _FLAGS or key in _WORDS:
            display.lose(key, "the quiet layout decides by itself when this shows")


def _shared(draft: Draft, top: Node, display: Node) -> None:
    """What holds for both layouts, most of it a matter of the config."""
    glyphs = display.choice("glyphs", ("auto", "unicode", "ascii", "nerd"), "auto")
    if glyphs != "auto":
        draft.settings["icons"] = {"unicode": "emoji"}.get(glyphs, glyphs)
    if width := top.whole("maxWidth", 1, 1000):
        draft.limits["cells"] = width
    if (top.whole("pathLevels", 1, 3) or 1) > 1:
        top.lose("pathLevels", "the project is shown by its name", "`{{ value | short_path(30) }}` in a segment")
    _snapshot(draft, display)
    _ollama(draft, top.child("ollama"))
    display.lose(
        "promptCacheTtlSeconds", "how long the cache is kept is read from the session", "`computed.cache.ttl_s`"
    )
    display.lose("mergeGroups", "the original never used it")
    if draft.extends == "hush":
        git = top.child("gitStatus")
        draft.options["show_dirty"] = git.flag("showDirty", True)
        for key in ("enabled", "showAheadBehind", "pushWarningThreshold", "pushCriticalThreshold"):
            git.lose(key, "the quiet layout shows the branch and whether it is dirty")
        top.lose("elementOrder", "the quiet layout has an order of its own")
        _palette(draft, top.child("colors"), _QUIET)
        top.idle("lineLayout")
    top.idle("$schema")


def _snapshot(draft: Draft, display: Node) -> None:
    usage: dict[str, object] = {}
    if path := display.text("externalUsagePath"):
        usage["snapshot"] = path
    if (age := display.number("externalUsageFreshnessMs", 0, 864_000_000)) is not None:
        usage["snapshot_age_s"] = age / 1000
    if usage.get("snapshot"):
        draft.settings["usage"] = usage


def _ollama(draft: Draft, node: Node) -> None:
    """The daemon's address and how often it is asked: never a theme's business."""
    found: dict[str, object] = {}
    host = node.text("host")
    if host and not re.fullmatch(r"https?://[^\s/@?#]+(/[^\s?#]*)?", host):
        node.lose("host", "an address begins with http:// or https://")
    elif host:
        found["host"] = host
    for key, name in (("daemonTtlSeconds", "refresh_s"), ("cloudModelsTtlSeconds", "models_refresh_s")):
        if (number := node.number(key, 0, 86400)) is not None:
            found[name] = number
    if (limit := node.whole("probeTimeoutMs", 1, 60000)) is not None:
        found["timeout_ms"] = limit
    node.lose("probeCacheTtlSeconds", "the daemon and its list of models are asked at different times", "`[ollama]`")
    if found:
        draft.settings["ollama"] = found
