"""
Draws the gallery: a picture of every theme on moments that show what it is for, and the page with all of them.

    python tests/tools/make_pictures.py           writes themes/pictures/*.svg and themes/README.md
    python tests/tools/make_pictures.py --check   exit status 1 when one of them is out of date
"""

from __future__ import annotations

import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from ohud.cli import picture
from ohud.cli.drawing import Artist, Way, scene_moments
from ohud.host import scenarios
from ohud.host.version import NEW
from ohud.run.world import World
from ohud.theme.read import Theme, theme_names

THEMES = Path(__file__).resolve().parents[2] / "themes"
PICTURES = THEMES / "pictures"
# A page of them is loaded at once [bytes].
LARGEST = 30000


@dataclass(frozen=True, slots=True)
class Shown:
    """What a theme is shown on; `rows`: whether its rows of subagents are."""

    scenarios: tuple[str, ...] = ("working", "limits-near")
    columns: int = 84
    icons: str = "nerd"
    rows: bool = True


# Themes that are for something of their own; the others are shown as `Shown()` has it.
SHOWN = {
    "activity": Shown(("tools", "agents", "todos")),
    "ascii": Shown(icons="ascii"),
    "cache": Shown(("working", "cold-cache")),
    "classic": Shown(icons="emoji"),
    "cockpit": Shown(("working", "todos")),
    "costs": Shown(("api-cost", "spend-limit")),
    "hush": Shown(("working", "tools")),
    "limits": Shown(("working", "limits-near", "spend-limit")),
    "mood": Shown(("before-first-reply", "working", "limits-near", "tools"), icons="emoji"),
    "narrow": Shown(("working", "limits-near"), columns=40),
    "ollama": Shown(("ollama", "working")),
    "quiet": Shown(("working", "limits-near", "merge")),
    "review": Shown(("merge", "pull-request")),
    "system": Shown(("working",)),
}
OVERVIEW = ("tokyo-night", "catppuccin", "dracula", "cockpit", "limits", "minimal")


def gallery() -> dict[Path, str]:
    """Every generated file and what it should hold."""
    found = {}
    themes = sorted(name for name, _ in theme_names(None))
    for name in themes:
        for background in backgrounds(name):
            found[PICTURES / file_name(name, background)] = drawn(name, background)
    found[PICTURES / "overview.svg"] = overview([name for name in OVERVIEW if name in themes])
    found[THEMES / "README.md"] = page(themes)
    return found


def backgrounds(name: str) -> tuple[str, ...]:
    """The backgrounds that a theme has colours for."""
    table = tomllib.loads(source(name))
    both = "palette_light" in table or "palette_dark" in table
    return ("dark", "light") if both else ("dark",)


def file_name(name: str, background: str) -> str:
    """The picture of a theme on a background."""
    return f"{name}.svg" if background == "dark" else f"{name}-{background}.svg"


def source(name: str) -> str:
    """The text of a bundled theme."""
    return (THEMES / f"{name}.toml").read_text("utf-8")


def panels(name: str, shown: Shown, background: str, caption: str = "") -> list[picture.Panel]:
    """The theme on its moments, as the host draws them, its rows of subagents last."""
    way = Way("truecolor", shown.icons, background, NEW)
    artist = Artist(name, way, World({}, now=scenarios.NOW))
    found = []
    for moment in scene_moments(list(shown.scenarios)):
        rows = artist.draw(moment, shown.columns).rows or []
        found.append(picture.Panel(caption or moment.description, rows))
    if shown.rows:
        for moment in scene_moments(["agents"]):
            found.append(picture.Panel("rows of subagents", artist.rows(moment, shown.columns).rows or []))
    return found


def drawn(name: str, background: str) -> str:
    """The picture of one theme."""
    shown = SHOWN.get(name, Shown())
    return picture.svg(name, panels(name, shown, background), shown.columns, background, host=True)


def overview(names: list[str]) -> str:
    """A few themes in one picture."""
    columns = Shown().columns
    parts = []
    for name in names:
        wanted = SHOWN.get(name, Shown())
        one = Shown(wanted.scenarios[:1], columns, wanted.icons, rows=False)
        parts += panels(name, one, "dark", name)
    return picture.svg("ohud", parts, columns, "dark", host=True)


HEAD = """# Themes

<!-- Generated: python tests/tools/make_pictures.py -->

{count} themes come with ohud. `ohud themes` draws them in your terminal, `ohud preview --theme NAME` draws one on
more moments of a session, `ohud themes show NAME` prints its source. To use one, put its name into `config.toml`:

```toml
theme = "tokyo-night"
icons = "nerd"        # with a Nerd Font; "emoji" (the default) and "ascii" work in all themes
background = "dark"   # or "light"
```

The pictures are made as `ohud preview --host --svg FILE` makes them, of built-in scenarios, as Claude Code {version}
draws them. A reader with a light background sees the light variant of a theme that has one.

{contents}
"""


def page(themes: list[str]) -> str:
    """The page with all themes."""
    contents = " · ".join(f"[{name}](#{name})" for name in themes)
    head = HEAD.format(count=len(themes), version=NEW.name, contents=contents)
    return head + "".join(section(name) for name in themes)


def section(name: str) -> str:
    """One theme: what it is, its picture, how to choose it, its options."""
    theme = Artist(name, Way("never"), World({}, now=scenarios.NOW)).loaded.theme
    shown = SHOWN.get(name, Shown())
    parts = [
        f"## {name}",
        theme.description.rstrip(".") + ".",
        image(name),
        f'`theme = "{name}"`, icons: {shown.icons}.',
    ]
    if theme.options:
        parts.append(options(name, theme))
    return "\n" + "\n\n".join(parts) + "\n"


def image(name: str) -> str:
    """The picture, in the reader's own background where there are two."""
    plain = f'<img alt="The theme {name}" src="pictures/{name}.svg">'
    if len(backgrounds(name)) == 1:
        return plain
    light = f'<source media="(prefers-color-scheme: light)" srcset="pictures/{file_name(name, "light")}">'
    return f"<picture>{light}{plain}</picture>"


def options(name: str, theme: Theme) -> str:
    """The options of a theme with their defaults and what its author says of them."""
    said = remarks(source(name))
    rows = ["| option | default | |", "| --- | --- | --- |"]
    for option, value in theme.options.items():
        shown = str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else value
        rows.append(f"| `{option}` | `{shown}` | {said.get(option, '').replace('|', chr(92) + '|')} |")
    return "\n".join(rows)


def remarks(text: str) -> dict[str, str]:
    """The comments in a theme's `[options]`: beside an option, or on the lines above it."""
    found: dict[str, str] = {}
    above: list[str] = []
    block = re.search(r"^\[options\]\n(.*?)(?=^\[|\Z)", text, re.DOTALL | re.MULTILINE)
    for line in block[1].splitlines() if block else ():
        if line.startswith("#"):
            above.append(line.lstrip("# "))
            continue
        name, remark = option_of(line)
        if name:
            found[name] = remark or " ".join(above)
        above = []
    return found


def option_of(line: str) -> tuple[str, str]:
    """Name and comment of a line such as `bar = true # wide ones`."""
    for cut in [found.start() for found in re.finditer("#", line)] + [len(line)]:
        try:
            keys = tomllib.loads(line[:cut])
        except tomllib.TOMLDecodeError:
            continue
        return next(iter(keys), ""), line[cut:].lstrip("# ").strip()
    return "", ""


def outdated() -> list[str]:
    """What is not as it should be, a sentence a file."""
    wanted = gallery()
    faults = [
        f"out of date: {path.relative_to(THEMES)}"
        for path, text in wanted.items()
        if not path.exists() or path.read_text("utf-8") != text
    ]
    faults += [f"of no theme: {path.name}" for path in sorted(PICTURES.glob("*")) if path not in wanted]
    return faults


def main() -> int:
    """Writes or compares."""
    if "--check" in sys.argv:
        faults = outdated()
        print("\n".join([*faults, "run: python tests/tools/make_pictures.py"]) if faults else "up to date")
        return 1 if faults else 0
    PICTURES.mkdir(exist_ok=True)
    wanted = gallery()
    for path in PICTURES.glob("*"):
        if path not in wanted:
            path.unlink()
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
