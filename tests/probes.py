"""What two versions of the real host drew for awkward outputs, and the inputs that were given to them."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "data" / "probes"
VERSIONS = ("2.1.215", "2.1.332")
COLUMNS, LINES = 80, 36
# Where the recorder looked when no rule was in sight: the last lines of the screen, of which two were the host's.
_LAST = 12
# The host's own words that share the screen with the line.
_NOTICE = re.compile(r" +[●◐] (high|medium) · /effort$")
_MODE = "⏵⏵"
_SGR = re.compile(r"\x1b\[([0-9;]*)m")


@dataclass(frozen=True)
class Probe:
    """One input: the bytes that a command prints, or the command; and how long the recorder waited [s]."""

    name: str
    wait: float
    output: bytes | None
    shell: str | None


@dataclass(frozen=True)
class Recorded:
    """The rows of a probe without the host's own, plain and with colours; whether they are only the screen's end."""

    rows: list[str]
    ansi: list[str]
    end_only: bool


def probes() -> list[Probe]:
    """Every probe, in the order in which the host was given them."""
    return [_probe(entry) for entry in json.loads((FOLDER / "inputs.json").read_text("utf-8"))]


def _probe(entry: dict[str, object]) -> Probe:
    output = str(entry["output"]).encode() if "output" in entry else None
    if "hex" in entry:
        output = bytes.fromhex(str(entry["hex"]))
    shell = str(entry["shell"]) if "shell" in entry else None
    return Probe(str(entry["name"]), float(str(entry["wait"])), output, shell)


def recorded(version: str) -> dict[str, Recorded]:
    """What a version drew, by the probe's name."""
    data = json.loads((FOLDER / f"{version}.json").read_text("utf-8"))
    return {name: _recorded(entry["screen"], entry["ansi"]) for name, entry in data.items()}


def _recorded(screen: list[str], ansi: list[str]) -> Recorded:
    assert _MODE in screen[-1]
    rows = [_NOTICE.sub("", row) for row in screen[:-1]]
    return Recorded(rows, ansi[: len(rows)], len(rows) == _LAST - 3)


def looks(row: str, length: int) -> list[tuple[str, frozenset[str]]]:
    """Each character of a recorded row with the SGR codes in force, as far as a row of so many characters goes."""
    found: list[tuple[str, frozenset[str]]] = []
    state: dict[str, str] = {}
    at = 0
    for escape in [*_SGR.finditer(row), None]:
        found += [(character, frozenset(state.values())) for character in row[at : escape.start() if escape else None]]
        if escape is not None:
            at = escape.end()
            _apply(escape[1], state)
    return found[:length]


def _apply(codes: str, state: dict[str, str]) -> None:
    first = codes.split(";")[0].lstrip("0")
    if first == "":
        state.clear()
    elif first in ("39", "49"):
        state.pop("3" if first == "39" else "4", None)
    elif first[:1] in "349" and len(first) > 1:
        state["4" if first[0] == "4" else "3"] = codes
    else:
        state["a" + first] = first
