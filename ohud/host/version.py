"""What differs between the measured versions of the host."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Version:
    """
    How one version of the host treats a status line, where versions differ.

    Source:  Claude Code 2.1.215 and 2.1.332 on Linux, measured 2026-11-30
    """

    name: str
    # Characters (UTF-16 units) of output beyond which there is no line at all.
    output_limit: int | None
    # A full-screen session with fewer rows than this has no status line.
    fullscreen_rows: int
    # Tab stops count from the left edge of the screen, or from where the text begins.
    tabs_from_edge: bool
    # A run ends when nobody holds its output any more, or when the shell ends.
    waits_for_close: bool
    # A rename and a new terminal size are triggers.
    rename_and_resize: bool
    # The host wakes when a usage window resets and when the prompt cache expires.
    wakes: bool
    # Cells that U+2028 and U+2029 take.
    separator_cells: int
    # Columns that `columns` of the subagent payload leaves out.
    subagent_margin: int
    # The command is told of a socket to the session, and that somebody looks.
    messaging: bool
    # The subagent command finds one more variable, for telemetry.
    otel: bool
    # Whether web addresses stay links where the terminal is not known to support them (as in tmux).
    keeps_web_links: bool
    # What drawing costs while nothing else goes on: seconds a million characters, seconds a million rows.
    # 10 MB froze the old version for some 10 to 15 s as one line, for more than 30 s as short ones.
    freeze_s: tuple[float, float]


OLD = Version(
    name="2.1.215",
    output_limit=None,
    fullscreen_rows=15,
    tabs_from_edge=True,
    waits_for_close=True,
    rename_and_resize=False,
    wakes=False,
    separator_cells=0,
    subagent_margin=4,
    messaging=False,
    otel=True,
    keeps_web_links=False,
    freeze_s=(1.5, 60.0),
)
NEW = Version(
    name="2.1.332",
    output_limit=1_000_000,
    fullscreen_rows=0,
    tabs_from_edge=False,
    waits_for_close=False,
    rename_and_resize=True,
    wakes=True,
    separator_cells=1,
    subagent_margin=6,
    messaging=True,
    otel=False,
    keeps_web_links=True,
    freeze_s=(0.0, 0.0),
)
VERSIONS = {version.name: version for version in (OLD, NEW)}


def like(name: str) -> Version:
    """The measured version that a host is most like: the older one for all that came before the newer."""
    numbers = [int(part) if part.isascii() and part.isdecimal() else 0 for part in name.split(".")]
    newest = [int(part) for part in NEW.name.split(".")]
    return NEW if numbers >= newest else OLD
