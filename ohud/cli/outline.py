"""
Outlines of icons on a grid of 16 x 16, drawn for this project: pictures need no font for them.

A glyph of the private use area has the colour of its text, one of the emoji a colour of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ohud.theme.icons import ICONS

LINE_WIDTH = 1.6


@dataclass(frozen=True, slots=True)
class Outline:
    """
    One icon.

    Takes:  filled, drawn: SVG path data, either may be empty; colour: "" is the text's
    """

    filled: str = ""
    drawn: str = ""
    colour: str = ""


def _disc(x: float, y: float, r: float) -> str:
    return f"M{x - r:g} {y:g}a{r:g} {r:g} 0 1 0 {2 * r:g} 0a{r:g} {r:g} 0 1 0 {-2 * r:g} 0z"


def _face(mouth: str, eyes: str = "") -> str:
    """A round face with holes for eyes and mouth."""
    return _disc(8, 8, 7) + (eyes or _disc(5.5, 6.3, 1.1) + _disc(10.5, 6.3, 1.1)) + mouth


_ROUND = _disc(8, 8, 6)
_SMILE, _FROWN = "M4.5 9.5q3.5 4 7 0q-3.5 2-7 0z", "M4.5 12.2q3.5-4 7 0q-3.5-2-7 0z"
_LINE = "M5 10.3h6v1.2H5z"
# name: (filled, drawn)
_OUTLINES = {
    "asterisk": ("", "M8 2v12M2.8 5l10.4 6M13.2 5L2.8 11"),
    "face_calm": (_face(_LINE), ""),
    "face_cool": (_face(_SMILE, "M3 5h10v1l-1 2H9L8 6.2 7 8H4L3 6z"), ""),
    "face_frown": (_face(_FROWN), ""),
    "face_grin": (_face("M4 9h8q-.5 4-4 4t-4-4z"), ""),
    "face_panic": (_face(_disc(8, 11, 2)), ""),
    "face_party": (_face("M5 9h6q-.5 3-3 3t-3-3z"), "M12 3l2.5-2M13.5 5.5l2-.5M10 2l.5-1.5"),
    "face_sick": (_face(_LINE, _disc(5.5, 6.8, 1) + _disc(10.5, 6.8, 1) + "M3 3.8h10V5H3z"), ""),
    "face_sleep": (_face(_disc(8, 11.2, 1.3), "M4 6h3v1.1H4zM9 6h3v1.1H9z"), ""),
    "face_smile": (_face(_SMILE), ""),
    "face_sweat": (
        _face("M4.5 9h7q-.5 3.5-3.5 3.5t-3.5-3.5z", "M4 7l1.5-1.5L7 7H6l-.5-.5L5 7zM9 7l1.5-1.5L12 7h-1l-.5-.5L10 7z"),
        "",
    ),
    "face_think": (_face("M5 11.5l6-1.5v1.1l-6 1.5z"), ""),
    "laptop": ("M0.5 12h15l-1 2h-13z", "M3 3h10v8H3z"),
    "llama": ("M5 1l1.5 2.5h2L9 1.5l1 3v3.5h4v6.5h-1.5V11H7v3.5H5.5V8L3 7V5l2-1.5z", ""),
    "server": ("M2 2.5h12v3H2zM4 3.5v1h1.5v-1zM2 6.5h12v3H2zM4 7.5v1h1.5v-1zM2 10.5h12v3H2zM4 11.5v1h1.5v-1z", ""),
    "skull": (
        "M8 1a6 5.5 0 0 1 6 5.5c0 2-1 3.5-2.5 4.2V14h-7v-3.3C3 10 2 8.5 2 6.5A6 5.5 0 0 1 8 1z"
        + _disc(5.5, 7, 1.5)
        + _disc(10.5, 7, 1.5)
        + "M7.5 9.5h1l.5 1.5h-2zM6.7 12v2h.6v-2zM8.7 12v2h.6v-2z",
        "",
    ),
    "slider": (_disc(6, 4, 1.8) + _disc(10, 8, 1.8) + _disc(5, 12, 1.8), "M2 4h12M2 8h12M2 12h12"),
    "agent": ("M2.5 6h11v8h-11zM5 8.5v2.2h2V8.5zM9 8.5v2.2h2V8.5z" + _disc(8, 2.4, 1.2), "M8 3v3M1 9v2M15 9v2"),
    "archive": ("M1.5 2.5h13v3.5h-13zM2.5 7h11v7h-11zM6 8.5v1.5h4V8.5z", ""),
    "bag": ("M6 2h4l-1 2.5c3 1 5 4 5 6.5 0 2.5-2 3.5-6 3.5s-6-1-6-3.5c0-2.5 2-5.5 5-6.5z", ""),
    "battery": ("M3.5 6.5h6v3.5h-6z", "M2 5h10v6.5H2zM14 7v2.5"),
    "bell": ("M8 2c3 0 4.5 2 4.5 5v3l1.5 2H2l1.5-2V7c0-3 1.5-5 4.5-5z" + _disc(8, 13.6, 1.3), ""),
    "bolt": ("M9.5 1L3 9h4l-1 6 7-8.5H8.5z", ""),
    "box": ("", "M2 4.5L8 2l6 2.5v7L8 14l-6-2.5zM2 4.5L8 7l6-2.5M8 7v7"),
    "brain": (
        "M7.5 2C5 1.5 4 3 4 4 2 4.5 1.5 6.5 2.5 8 1.5 10 2.5 12 4.5 12c.5 2 2.5 2.5 3 1.5z"
        "M8.5 2c2.5-.5 3.5 1 3.5 2 2 .5 2.5 2.5 1.5 4 1 2 0 4-2 4-.5 2-2.5 2.5-3 1.5z",
        "",
    ),
    "branch": (_disc(4.5, 3.2, 2) + _disc(4.5, 12.8, 2) + _disc(11.5, 5, 2), "M4.5 5v6M11.5 7c0 3-7 1.5-7 4.5"),
    "bulb": ("M8 1.5a5 5 0 0 1 3 9v1.5H5V10.5a5 5 0 0 1 3-9zM6 13h4v1.5H6z", ""),
    "calendar": ("M2 3h12v3.5H2z", "M2.5 3.5h11v10h-11zM5.5 1.5v3M10.5 1.5v3M5.5 9.5h5"),
    "car": ("M1 9l2-1 2-3h6l2.5 3L15 9v3H1z" + _disc(4.5, 12, 1.8) + _disc(11.5, 12, 1.8), ""),
    "chart": ("M1.5 9h3.5v5H1.5zM6.3 5h3.5v9H6.3zM11 2h3.5v12H11z", ""),
    "check": ("", "M2.5 8.5l4 4 7-9"),
    "chip": ("M6 6h4v4H6z", "M3.5 3.5h9v9h-9zM6 1v2M10 1v2M6 13v2M10 13v2M1 6h2M1 10h2M13 6h2M13 10h2"),
    "clamp": ("", "M8 1v4.5M5.5 3.5L8 6l2.5-2.5M8 15v-4.5M5.5 12.5L8 10l2.5 2.5M2 8h12"),
    "clock": ("", _ROUND + "M8 4.5V8l2.5 2"),
    "cloud": ("M4.5 13a3.3 3.3 0 0 1-.5-6.5A4.2 4.2 0 0 1 12 6a3.5 3.5 0 0 1 0 7z", ""),
    "code": ("", "M4.5 4L1 8l3.5 4M11.5 4L15 8l-3.5 4M9.5 2.5l-3 11"),
    "coin": (_ROUND + "M8 4.5L11 8l-3 3.5L5 8z", ""),
    "commit": ("", _disc(8, 8, 3.2) + "M1 8h3.5M11.5 8H15"),
    "compact": ("", "M6 1.5V6H1.5M10 1.5V6h4.5M6 14.5V10H1.5M10 14.5V10h4.5"),
    "cross": ("", "M3.5 3.5l9 9M12.5 3.5l-9 9"),
    "dashboard": ("M2 2h5v7H2zM9 2h5v4H9zM9 7.5h5V14H9zM2 10.5h5V14H2z", ""),
    "database": ("", "M2.5 4c0-3 11-3 11 0s-11 3-11 0v8c0 3 11 3 11 0V4M2.5 8c0 3 11 3 11 0"),
    "disc": (_disc(8, 8, 4.5), ""),
    "disk": ("M2 2h10l2 2v10H2zM5 2.5v4h5.5v-4zM4.5 9.5v4h7v-4z", ""),
    "dollar": ("", "M11.5 4.5C10.5 2.5 5 2.5 5 5.3 5 8.5 11.5 7 11.5 10.7c0 2.8-5.7 2.8-7 .5M8.2 1v14"),
    "door": ("M3 1.5h10v13H3zM10 8v1.5h1.2V8z", ""),
    "down": ("", "M8 2v12M3 9l5 5 5-5"),
    "error": ("", _ROUND + "M5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4"),
    "exclamation": ("M6.5 1.5h3L9 10H7z" + _disc(8, 13, 1.6), ""),
    "eye": (_disc(8, 8, 2.2), "M1 8c4-6 10-6 14 0-4 6-10 6-14 0z"),
    "file": ("M3 1h6l4 4v10H3zM9 1.5V5.5h4z", ""),
    "fire": (
        "M8.5 1c.5 3 4 4.5 4 8.5a4.5 5 0 0 1-9 0C3.5 7.5 4.5 6.5 5 5c1 .8 1.5 1.5 1.5 2.5C8.5 6 9 3.5 8.5 1z",
        "",
    ),
    "flag": ("M4 2h9l-2 3 2 3H4z", "M3.5 1.5v13"),
    "folder": ("M1 3h5.5L8 5h7v8.5H1z", ""),
    "gauge": ("", "M2.5 12.5a6.5 6.5 0 1 1 11 0M8 10l3-4"),
    "gear": (
        _disc(8, 8, 4.5) + _disc(8, 8, 1.8),
        "M8 1v2M8 13v2M1 8h2M13 8h2M3 3l1.5 1.5M11.5 11.5L13 13M13 3l-1.5 1.5M3 13l1.5-1.5",
    ),
    "globe": ("", _ROUND + "M2 8h12M8 2c-4 3-4 9 0 12M8 2c4 3 4 9 0 12"),
    "heart": ("M8 14C2 9.5 1.5 7 1.5 5.5A3.3 3.3 0 0 1 8 4.5a3.3 3.3 0 0 1 6.5 1C14.5 7 14 9.5 8 14z", ""),
    "home": ("M8 1l7.5 7H13v6.5H9.5v-4h-3v4H3V8H.5z", ""),
    "hook": (_disc(10.5, 2.8, 1.6), "M10.5 4.5V10a3.5 3.5 0 0 1-7 0V8l2.2 1.8"),
    "hourglass": ("M5 2.5h6c0 3-3 4-3 5.5 0 1.5 3 2.5 3 5.5H5c0-3 3-4 3-5.5 0-1.5-3-2.5-3-5.5z", "M3.5 2h9M3.5 14h9"),
    "info": ("M7.2 7h1.6v4.5H7.2zM7.2 4.2h1.6v1.6H7.2z", _ROUND),
    "leaf": ("M14 2C6 2 2 5 3 12c7 1 11-3 11-10z", "M2 14.5L9 7.5"),
    "left": ("", "M14 8H2M7 3L2 8l5 5"),
    "link": (
        "",
        "M6.3 9.7l3.4-3.4M7 4.8l1.5-1.5a3 3 0 0 1 4.2 4.2L11.2 9M9 11.2l-1.5 1.5a3 3 0 0 1-4.2-4.2L4.8 7",
    ),
    "list": ("M1.5 3h2v2h-2zM1.5 7h2v2h-2zM1.5 11h2v2h-2z", "M6.5 4H14M6.5 8H14M6.5 12H14"),
    "lock": ("M3 7h10v7.5H3zM7.3 9.5V12h1.4V9.5z", "M5 7V5a3 3 0 0 1 6 0v2"),
    "message": ("M1 2h14v9.5H8.5L5 14.5v-3H1z", ""),
    "minus": ("", "M3 8h10"),
    "monitor": ("M7 11h2v2.5h2.5v1h-7v-1H7z", "M1.5 2.5h13v8.5h-13z"),
    "moon": ("M10 1.5A6.8 6.8 0 1 0 14.5 10.5 6 6 0 0 1 10 1.5z", ""),
    "number": ("", "M5.5 2v12M10.5 2v12M2 5.5h12M2 10.5h12"),
    "open": ("M1 3h5l1.5 2H13v2H4.5L2 13H1zM5.5 8H15.5L13 13.5H3.3z", ""),
    "package": ("M1.5 4L8 1l6.5 3v8L8 15l-6.5-3zM7.4 7.5v6l1.2-.5v-5.5z", ""),
    "pause": ("M4 3h3v10H4zM9 3h3v10H9z", ""),
    "pencil": ("M1.5 14.5l1-4.5L10.5 2l3.5 3.5L6 13.5z", ""),
    "people": (
        _disc(5.5, 5, 2.5) + _disc(11.5, 5.8, 2) + "M1 13.5a4.5 4.5 0 0 1 9 0zM11 13.5h4a3.5 3.5 0 0 0-5-3.5z",
        "",
    ),
    "play": ("M4.5 2.5l8 5.5-8 5.5z", ""),
    "plug": ("M4 6h8v3a4 4 0 0 1-8 0zM7.2 12h1.6v3H7.2z", "M5.8 2v3.5M10.2 2v3.5"),
    "plus": ("", "M8 3v10M3 8h10"),
    "pull": (
        _disc(4, 3.5, 1.9) + _disc(4, 12.5, 1.9) + _disc(12, 12.5, 1.9),
        "M4 5.5v5M12 10.5V6.5a2 2 0 0 0-2-2H8M10 2.2L7.7 4.5 10 6.8",
    ),
    "question": (_disc(8, 13, 1.3), "M5 5.5c0-4 6-4 6-.5C11 7.5 8 7.5 8 10"),
    "reset": ("", "M3.2 8a5 5 0 1 0 1.8-4M5.2 1.2V4.5H2"),
    "right": ("", "M2 8h12M9 3l5 5-5 5"),
    "ring": ("", _disc(8, 8, 4.8)),
    "rocket": (
        "M14.5 1.5c-5 0-8 3-9.5 6L8.5 11c3-1.5 6-4.5 6-9.5z"
        "M4 7.5L1.5 9 4 9.5zM8.5 12L7 14.5 6.5 12zM4 12l-2.5 2.5L4.5 14z",
        "",
    ),
    "shuffle": ("", "M1.5 4.5H4l6 7h4M1.5 11.5H4L6 9M8.5 6.5l1.5-2h4M12 2.5l2 2-2 2M12 9.5l2 2-2 2"),
    "shield": ("M8 1l6 2v5c0 3.5-3 6-6 7-3-1-6-3.5-6-7V3z", ""),
    "snow": ("", "M8 1.5v13M2.3 4.8l11.4 6.4M13.7 4.8L2.3 11.2"),
    "sparkle": ("M8 1l1.9 5.1L15 8l-5.1 1.9L8 15l-1.9-5.1L1 8l5.1-1.9z", ""),
    "spinner": (
        "".join(
            _disc(x, y, 1.3)
            for x, y in ((8, 2.5), (11.9, 4.1), (13.5, 8), (11.9, 11.9), (8, 13.5), (4.1, 11.9), (2.5, 8), (4.1, 4.1))
        ),
        "",
    ),
    "star": ("M8 1l2.2 4.7 5.1.6-3.8 3.5 1 5.1L8 12.4l-4.5 2.5 1-5.1L.7 6.3l5.1-.6z", ""),
    "stop": ("M3.5 3.5h9v9h-9z", ""),
    "stopwatch": ("M6.5.5h3V2h-3z", _disc(8, 9, 5.3) + "M8 9V6M12.5 3.5l1 1"),
    "sun": (_disc(8, 8, 3.5), "M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M3 13l1-1"),
    "swords": ("", "M2 2l10 10M14 2L4 12M9.5 14l4-4M6.5 14l-4-4"),
    "tag": ("M1.5 1.5H8l6.5 6.5-6.5 6.5-6.5-6.5zM4 4v1.6h1.6V4z", ""),
    "target": (_disc(8, 8, 2), _ROUND),
    "terminal": ("", "M1.5 2.5h13v11h-13zM4 6l2.5 2L4 10M8 10.5h3.5"),
    "tree": ("M8 1l5 6h-2l3 4.5H9.2V15H6.8v-3.5H2L5 7H3z", ""),
    "treelist": ("M7 3.5h7.5v4H7zM7 10h7.5v4H7z", "M3 1.5V12h3.5M3 5.5h3.5"),
    "trend": ("", "M1.5 12.5l4.5-5 3 3 5-6.5M10 3.5h4.5V8"),
    "up": ("", "M8 14V2M3 7l5-5 5 5"),
    "user": (_disc(8, 4.8, 3.2) + "M1.8 14.5a6.2 5.5 0 0 1 12.4 0z", ""),
    "warning": ("M8 1L15.5 14.5H.5zM7.2 5.5v4.5h1.6V5.5zM7.2 11.3v1.6h1.6v-1.6z", ""),
    "wrench": (
        "M14.3 4.3a4 4 0 0 1-5.3 4.3L4 14.3 1.7 12 7.4 7A4 4 0 0 1 11.7 1.7L9.3 4.2l.4 2.1 2.1.4z",
        "",
    ),
}
_YELLOW = "#f2bd3c"
# name of an icon: (outline of its private-use glyph, outline of its emoji, colour of that)
_DRAWN = {
    "anthropic": ("asterisk", "", ""),
    "bell": ("bell", "bell", "#e3b04b"),
    "calm": ("face_calm", "face_calm", _YELLOW),
    "cool": ("face_smile", "face_cool", _YELLOW),
    "freeze": ("snow", "face_panic", "#79b8e8"),
    "frown": ("face_frown", "face_frown", _YELLOW),
    "gauge": ("gauge", "slider", "#8d99a6"),
    "grin": ("face_grin", "face_grin", _YELLOW),
    "llama": ("chip", "llama", "#c9a27a"),
    "panic": ("face_frown", "face_panic", _YELLOW),
    "party": ("face_smile", "face_party", _YELLOW),
    "server": ("server", "monitor", "#6f87a0"),
    "sick": ("face_frown", "face_sick", _YELLOW),
    "skull": ("skull", "skull", "#c3c8cf"),
    "sleep": ("moon", "face_sleep", _YELLOW),
    "smile": ("face_smile", "face_smile", _YELLOW),
    "snow": ("snow", "snow", "#6aaee6"),
    "sweat": ("face_calm", "face_sweat", _YELLOW),
    "terminal": ("terminal", "laptop", "#6f87a0"),
    "think": ("face_calm", "face_think", _YELLOW),
    "active": ("play", "play", "#e0b13c"),
    "agent": ("agent", "agent", "#8fa3b5"),
    "bolt": ("bolt", "bolt", "#f5b82e"),
    "branch": ("branch", "leaf", "#4fa65b"),
    "cache": ("database", "archive", "#8d99a6"),
    "calendar": ("calendar", "calendar", "#d9534f"),
    "chart": ("chart", "chart", "#4a90d9"),
    "check": ("check", "check", "#3fa64a"),
    "clean": ("check", "sparkle", "#f2bd3c"),
    "clock": ("clock", "clock", "#7f8fa0"),
    "cloud": ("cloud", "cloud", "#8fb3d9"),
    "code": ("code", "pencil", "#d99a4e"),
    "commit": ("commit", "tag", "#d9834e"),
    "compact": ("compact", "clamp", "#8d99a6"),
    "conflict": ("warning", "swords", "#a0a8b3"),
    "context": ("chip", "brain", "#e28aa8"),
    "cost": ("dollar", "bag", "#c9973a"),
    "cross": ("cross", "cross", "#d9403a"),
    "dirty": ("disc", "pencil", "#d99a4e"),
    "done": ("check", "", ""),
    "down": ("down", "down", "#4a90d9"),
    "effort": ("bolt", "bolt", "#f5b82e"),
    "error": ("error", "exclamation", "#d9403a"),
    "fire": ("fire", "fire", "#ee7a2b"),
    "folder": ("folder", "folder", "#e3b04b"),
    "heart": ("heart", "heart", "#d9403a"),
    "home": ("home", "home", "#c98a5a"),
    "hook": ("hook", "hook", "#8d99a6"),
    "host": ("monitor", "monitor", "#6f87a0"),
    "hourglass": ("hourglass", "hourglass", "#d9a441"),
    "info": ("info", "bulb", "#f2bd3c"),
    "left": ("left", "left", "#4a90d9"),
    "link": ("link", "link", "#8d99a6"),
    "lock": ("lock", "lock", "#d9a441"),
    "memory": ("chip", "disk", "#6f87a0"),
    "message": ("message", "message", "#8fb3d9"),
    "model": ("agent", "agent", "#8fa3b5"),
    "pending": ("ring", "ring", "#a0a8b3"),
    "play": ("play", "play", "#4a90d9"),
    "project": ("open", "open", "#e3b04b"),
    "pull_request": ("pull", "shuffle", "#4a90d9"),
    "reset": ("reset", "reset", "#4a90d9"),
    "right": ("right", "right", "#4a90d9"),
    "rocket": ("rocket", "rocket", "#d9605a"),
    "running": ("spinner", "", ""),
    "session": ("user", "user", "#6f87a0"),
    "speed": ("gauge", "car", "#d9403a"),
    "star": ("star", "star", "#f2bd3c"),
    "stash": ("archive", "package", "#c98a5a"),
    "time": ("stopwatch", "stopwatch", "#7f8fa0"),
    "timer": ("clock", "stopwatch", ""),
    "todo": ("list", "list", "#c98a5a"),
    "token": ("coin", "coin", "#d9a441"),
    "tool": ("wrench", "wrench", "#8d99a6"),
    "up": ("up", "up", "#4a90d9"),
    "usage": ("gauge", "trend", "#d9605a"),
    "warning": ("warning", "warning", "#f2b134"),
    "worktree": ("treelist", "tree", "#3f9150"),
}
# Glyphs that themes write themselves.
_OTHERS = {"⌗": "number"}


def _table() -> dict[str, Outline]:
    """Glyph -> outline: the private-use forms of the icons, then their emoji."""
    found: dict[str, Outline] = {}
    for name, (nerd, emoji, colour) in _DRAWN.items():
        if name not in ICONS:
            continue
        glyph, picture, _ = ICONS[name]
        for text, outline, tint in ((glyph, nerd, ""), (picture, emoji, colour)):
            if text and outline:
                found.setdefault(text, replace(Outline(*_OUTLINES[outline]), colour=tint))
    for text, outline in _OTHERS.items():
        found.setdefault(text, Outline(*_OUTLINES[outline]))
    return found


_GLYPHS = _table()


def outline_of(glyph: str, width: int) -> Outline | None:
    """The outline of a glyph that takes that many cells, None where a font is to draw it."""
    found = _GLYPHS.get(glyph)
    return found if found is not None and (width > 1 or not found.colour) else None
