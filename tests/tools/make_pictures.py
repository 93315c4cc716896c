"""
Draws the pictures of the README: themes on recorded sessions, as SVG.

    python tests/tools/make_pictures.py           writes themes/pictures/overview.svg
    python tests/tools/make_pictures.py --check   exit status 1 when it is out of date
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from ohud.cli.preview import draw, load_theme, staged_moments
from ohud.run.world import World
from ohud.theme.lower import build

PICTURES = Path(__file__).resolve().parents[2] / "themes" / "pictures"
NOW = 1796040000.0
SHOWN = (("classic", "working"), ("classic", "limits-near"), ("oneline", "working"), ("minimal", "long-context"))
COLUMNS = 92


def overview() -> str:
    """The SVG of a few themes, each on a session that shows what it is for."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    world = World({}, now=NOW)
    for theme, scenario in SHOWN:
        program = build(load_theme(theme, world)).program
        with staged_moments([scenario], NOW) as moments:
            for moment in moments:
                drawn = draw(program, moment, COLUMNS, "truecolor", NOW)
                console.print(Text(f"{theme} · {scenario}", style="dim"))
                console.print(Text.from_ansi(drawn))
    svg = console.export_svg(title="ohud preview", theme=MONOKAI, unique_id="ohud")
    # No font from a foreign host: whoever looks at the picture has one of these.
    return re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)


def main() -> int:
    path = PICTURES / "overview.svg"
    picture = overview()
    if "--check" in sys.argv:
        fresh = path.exists() and path.read_text() == picture
        print("up to date" if fresh else f"out of date: {path.name}, run: python tests/tools/make_pictures.py")
        return 0 if fresh else 1
    path.parent.mkdir(exist_ok=True)
    path.write_text(picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
