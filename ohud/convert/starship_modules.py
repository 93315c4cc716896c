"""The modules of starship that ohud knows, and their formats as templates."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from ohud.convert.draft import literal, one_line, quoted
from ohud.convert.facts import FACTS, hint
from ohud.convert.format_string import Group, Malformed, Maybe, Said, Variable, read
from ohud.convert.node import Node
from ohud.errors import quote

# A style string, the module's own styles by name, the table and the key it stands in; gives ohud's words.
Styles = Callable[[str, dict[str, str], Node, str], str]


@dataclass(frozen=True, slots=True)
class Module:
    """
    A module as ohud knows it.

    Takes:  format, style: its own, where the file has none; variables: expression and form of each variable;
            texts: keys whose text is a variable of the same name, with their defaults; off: whether it is by default
    """

    kind: str
    format: str
    style: str
    variables: dict[str, tuple[str, str]]
    texts: dict[str, str] = field(default_factory=dict)
    off: bool = False


def _fact(kind: str) -> tuple[str, str]:
    fact = FACTS[kind]
    body = re.fullmatch(r"\{\{ (.*) \}\}", fact.body)
    return fact.value, re.sub(r"\bvalue\b", "@", body[1] if body else "value")


def _raw(value: str) -> tuple[str, str]:
    return value, "@"


_TOKEN_FIELDS = {
    "curr_input_tokens": "input_tokens",
    "curr_output_tokens": "output_tokens",
    "curr_cache_creation_tokens": "cache_creation_input_tokens",
    "curr_cache_read_tokens": "cache_read_input_tokens",
}
MODULES: dict[str, Module] = {
    "claude_model": Module(
        "model",
        "[$symbol$model]($style) ",
        "bold blue",
        {
            "model": _raw("computed.model.name"),
            "model_id": _raw("computed.model.id"),
            "effort": _raw("computed.effort"),
        },
        {"symbol": "🤖 "},
    ),
    "claude_context": Module(
        "context",
        "[$gauge $percentage]($style) ",
        "",
        {
            "gauge": _raw("computed.context.percent"),
            "percentage": _fact("context"),
            "input_tokens": ("context_window.total_input_tokens", "@ | tokens"),
            "output_tokens": ("context_window.total_output_tokens", "@ | tokens"),
            "total_tokens": _fact("context_size"),
            **{
                name: (f"context_window.current_usage.{key}", "@ | tokens") for name, key in _TOKEN_FIELDS.items()
            },
        },
        {"symbol": ""},
    ),
    "claude_cost": Module(
        "cost",
        r"[$symbol(\$$cost)]($style) ",
        "",
        {
            "cost": ("computed.cost.usd", "'%.2f' | format(@)"),
            "duration": _fact("duration"),
            "api_duration": _fact("api_time"),
            "lines_added": _raw("computed.session.lines_added"),
            "lines_removed": _raw("computed.session.lines_removed"),
        },
        {"symbol": "💰 "},
    ),
    "directory": Module(
        "path",
        "[$path]($style)[$read_only]($read_only_style) ",
        "cyan bold",
        {"path": _fact("path"), "read_only": ("", "")},
    ),
    "git_branch": Module(
        "branch",
        "on [$symbol$branch(:$remote_branch)]($style) ",
        "bold purple",
        {"branch": _raw("computed.git.branch"), "remote_branch": ("", ""), "remote_name": ("", "")},
        {"symbol": "\ue0a0 "},
    ),
    "git_commit": Module(
        "commit",
        r"[\($hash$tag\)]($style) ",
        "green bold",
        {"hash": _raw("computed.git.commit"), "tag": ("", "")},
    ),
    "git_state": Module(
        "operation",
        r"\([$state( $progress_current/$progress_total)]($style)\) ",
        "bold yellow",
        {"state": ("computed.git.operation", "@ | upper"), "progress_current": ("", ""), "progress_total": ("", "")},
    ),
    "git_metrics": Module(
        "git_added",
        "([+$added]($added_style) )([-$deleted]($deleted_style) )",
        "",
        {"added": _raw("computed.git.lines_added"), "deleted": _raw("computed.git.lines_removed")},
        off=True,
    ),
    "git_status": Module(
        "working_tree",
        r"([\[$all_status$ahead_behind\]]($style) )",
        "red bold",
        {},
        {
            "conflicted": "=", "stashed": r"\$", "modified": "!", "staged": "+", "untracked": "?", "ahead": "⇡",
            "behind": "⇣", "diverged": "⇕", "up_to_date": "", "deleted": "", "renamed": "", "typechanged": "",
        },
    ),
    "time": Module("clock", "at [$time]($style) ", "bold yellow", {"time": _fact("clock")}, off=True),
    "memory_usage": Module(
        "memory",
        "via $symbol[$ram( | $swap)]($style) ",
        "white bold dimmed",
        {
            "ram": ("computed.memory", "(@.used_bytes | bytes) ~ '/' ~ (@.total_bytes | bytes)"),
            "ram_pct": _fact("memory_percent"),
            "swap": ("", ""),
            "swap_pct": ("", ""),
        },
        {"symbol": "🐏 "},
        off=True,
    ),
}  # fmt: skip
_STATES = {
    "conflicted": "conflicts", "stashed": "stashes", "modified": "modified", "staged": "staged",
    "untracked": "untracked", "ahead": "ahead", "behind": "behind",
}  # fmt: skip
_ORDER = ("conflicted", "stashed", "modified", "staged", "untracked")


class Render:
    """A module's format as a template: `@name@` for fields, as `bind` takes it."""

    def __init__(self, styles: Styles, node: Node, module: Module, name: str) -> None:
        self.styles = styles
        self.node = node
        self.module = module
        self.name = name
        self.fields: dict[str, str] = {}
        self.whole = ""
        self.sets = 0
        self.own: dict[str, str] = {}
        self.aliases: list[tuple[str, str]] = []
        aliases = node.child("model_aliases")
        for alias in list(aliases.data)[:20]:
            if said := aliases.text(alias):
                self.aliases.append((one_line(alias), said))

    def all(self, parts: tuple[object, ...], style: str) -> str:
        """The whole format; where one style holds for all of it, `whole` is that style."""
        defaults = {"added_style": "bold green", "deleted_style": "bold red", "read_only_style": ""}
        named = {"style": style}
        for key, default in defaults.items():
            if self.name in ("git_metrics", "directory"):
                named[key] = self.styles(self.node.text(key, default), {}, self.node, key)
        self.own = named
        kept = [part for part in parts if not (isinstance(part, Said) and not part.text.strip()) and self._says(part)]
        if len(kept) == 1 and isinstance(kept[0], Maybe):
            kept = [part for part in kept[0].parts if not (isinstance(part, Said) and not part.text.strip())]
            if len(kept) != 1:
                return self._text(parts)
        if len(kept) == 1 and isinstance(kept[0], Group):
            self.whole = self.styles(kept[0].style, named, self.node, "format")
            inner = kept[0].parts
            body = self._text(inner) if isinstance(parts[0], Group) else self._text((Maybe(inner),))
            return body + (" " if isinstance(parts[-1], (Said, Maybe)) else "")
        return self._text(parts)

    def _says(self, part: object) -> bool:
        """Whether a part can ever print anything."""
        if isinstance(part, Said):
            return True
        if isinstance(part, Variable):
            return bool(self._value(part.name)[0] or self._value(part.name)[1])
        return (
            isinstance(part, (Group, Maybe)) and any(self._says(one) for one in part.parts if not isinstance(one, Said))
        ) or (isinstance(part, Group) and all(isinstance(one, Said) for one in part.parts))

    def _text(self, parts: tuple[object, ...]) -> str:
        said = ""
        for part in parts:
            if isinstance(part, Said):
                said += literal(one_line(part.text))
            elif isinstance(part, Variable):
                said += self._value(part.name)[1]
            elif isinstance(part, Group):
                said += self._styled(self._text(part.parts), self.styles(part.style, self.own, self.node, "format"))
            elif isinstance(part, Maybe):
                said += self._maybe(part)
        return said

    def _maybe(self, part: Maybe) -> str:
        inner = self._text(part.parts)
        tests = self._tests(part.parts)
        if not tests or not inner:
            return ""
        if "" in tests:
            return inner
        return "{% if " + " or ".join(dict.fromkeys(tests)) + " %}" + inner + "{% endif %}"

    def _tests(self, parts: tuple[object, ...]) -> list[str]:
        """Conditions of which one must hold; "" for what always says something."""
        found: list[str] = []
        for part in parts:
            if isinstance(part, Variable):
                test, text = self._value(part.name)
                found += [test] if test else [""] if text else []
            elif isinstance(part, (Group, Maybe)):
                found += self._tests(part.parts)
        return found

    def _styled(self, text: str, style: str) -> str:
        if not style or not text:
            return text
        if "{" not in text:
            return "{{ " + f"{quoted(text)} | style({quoted(style)})" + " }}"
        if re.fullmatch(r"\{\{ [^{}]* \}\}", text):
            return "{{ (" + text[3:-3] + f") | style({quoted(style)})" + " }}"
        self.sets += 1
        name = f"part{self.sets}"
        return f"{{% set {name} %}}{text}{{% endset %}}{{{{ {name} | style({quoted(style)}) }}}}"

    def field(self, value: str) -> str:
        """The name of a field in `@name@`."""
        for name, known in self.fields.items():
            if known == value:
                return name
        name = re.sub(r"_{2,}", "_", re.sub(r"\W+", "_", value.rpartition(".")[2] or value)).strip("_")[:30] or "field"
        base, number = name, 2
        while name in self.fields:
            name, number = f"{base}_{number}", number + 1
        self.fields[name] = value
        return name

    def _value(self, name: str) -> tuple[str, str]:
        """A variable as (condition, template); both empty when there is nothing to show."""
        if self.name == "git_status":
            return self._state(name)
        if name in self.module.texts:
            text = self.node.text(name, self.module.texts[name])
            return "", literal(one_line(text))
        if name not in self.module.variables:
            if name != "style":
                self.node.ledger.lose(
                    (*self.node.path, "format"), f"{quote('$' + name, 30)} has no counterpart", hint(name)
                )
            return "", ""
        value, form = self.module.variables[name]
        if not value:
            return "", ""
        if self.name == "directory" and name == "path":
            depth = self.node.whole("truncation_length", 0, 100)
            if self.node.whole("fish_style_pwd_dir_length", 0, 100):
                depth, form = 100, "@ | short_path(60, letters=true)"
            form = (
                form
                if depth == 100
                else "@ | basename"
                if depth == 1
                else f"@ | short_path({min(12 + 12 * (depth or 3), 200)})"
            )
        if name == "gauge":
            form = self._gauge()
        for alias, said in self.aliases if name == "model" else ():
            form += f" | replace({quoted(alias)}, {quoted(said)})"
        place = "@" + self.field(value) + "@"
        test = f"{place} is not none"
        if self.name == "git_metrics" and self.node.flag("only_nonzero_diffs", True):
            test = place
        return test, "{{ " + form.replace("@", place) + " }}"

    def _gauge(self) -> str:
        width = self.node.whole("gauge_width", 1, 50) or 5
        full = self.node.text("gauge_full_symbol", "█")[:1] or "█"
        track = self.node.text("gauge_empty_symbol", "░")[:1] or "░"
        if "gauge_partial_symbol" in self.node:
            self.node.lose("gauge_partial_symbol", "a bar is drawn with two characters")
        signs = "icon('full'), icon('track')" if full + track == "█░" else f"{quoted(full)}, {quoted(track)}"
        return f"@ | bar({width}, {signs})"

    def _state(self, name: str) -> tuple[str, str]:
        """The variables of `git_status`: each state with a format of its own."""
        if name == "all_status":
            found = [self._state(one) for one in _ORDER]
            return " or ".join(test for test, _ in found), "".join(text for _, text in found)
        if name == "ahead_behind":
            found = [self._state(one) for one in ("ahead", "behind")]
            for key in ("diverged", "up_to_date"):
                if self.node.text(key, "").strip("$ "):
                    self.node.lose(
                        key, "a branch that is ahead and behind has both signs, one that is neither has none"
                    )
            return " or ".join(test for test, _ in found), "".join(text for _, text in found)
        if name not in _STATES:
            if name in ("deleted", "renamed", "typechanged") and name in self.node:
                self.node.lose(name, "these files count as modified or staged")
            return "", ""
        place = "@" + self.field("computed.git." + _STATES[name]) + "@"
        text = self.node.text(name, self.module.texts[name])
        try:
            parts = read(text)
        except Malformed as fault:
            self.node.lose(name, str(fault))
            return "", ""
        said = self._counted(parts, place)
        return (place, "{% if " + place + " %}" + said + "{% endif %}") if said else ("", "")

    def _counted(self, parts: tuple[object, ...], place: str) -> str:
        said = ""
        for part in parts:
            if isinstance(part, Said):
                said += literal(one_line(part.text))
            elif isinstance(part, Variable):
                said += "{{ " + place + " }}" if part.name.endswith("count") else ""
            elif isinstance(part, Group):
                said += self._styled(self._counted(part.parts, place), self.styles(part.style, {}, self.node, "format"))
            elif isinstance(part, Maybe):
                said += self._counted(part.parts, place)
        return said
