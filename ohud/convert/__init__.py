"""Settings and themes of other programs turned into themes of ohud: one module a format."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from types import ModuleType

from ohud.convert import ccstatusline, claude_powerline, oh_my_posh, original, starship
from ohud.convert.draft import Draft
from ohud.convert.intake import SIZE_LIMIT, Document, Unusable, parse
from ohud.convert.node import Ledger, Loss
from ohud.errors import Problem, either, quote
from ohud.theme import lower, read
from ohud.theme.source import SIZE_LIMIT as THEME_LIMIT

# File names that say nothing about the theme in them.
_PLAIN = re.compile(r"\.?(settings|config|starship|ohud|claude-powerline|ccstatusline(-config)?|theme)", re.IGNORECASE)

__all__ = ["FORMATS", "SIZE_LIMIT", "Conversion", "Loss", "Unusable", "convert"]

# In the order in which they are asked whether a file is theirs: the last one takes nearly everything.
_MODULES: tuple[ModuleType, ...] = (
    ccstatusline,
    oh_my_posh,
    original,
    claude_powerline,
    starship,
)
FORMATS: dict[str, ModuleType] = {
    module.NAME: module for module in (ccstatusline, claude_powerline, oh_my_posh, starship, original)
}


@dataclass(frozen=True)
class Conversion:
    """
    What became of a file.

    Takes:  text: the theme as TOML; losses: what could not be carried over, in the order of the file;
            unlisted: how many more there were; settings: keys for config.toml, as they are matters of the machine;
            ledger: what became of each value of the file
    """

    format: str
    name: str
    text: str
    losses: list[Loss]
    unlisted: int
    settings: dict[str, object]
    ledger: Ledger = field(repr=False)


def convert(
    raw: bytes, path: str, *, format: str | None = None, name: str | None = None, schema: str | None = None
) -> Conversion:
    """
    The theme that a file of another program describes.

    Takes:  path: for its ending and for messages; format: one of FORMATS, None: told from the content; name: of the
            theme, None: made from the path; schema: place of the schema for the theme's first line
    Errors: Unusable with the reason in words
    """
    document = parse(raw, path)
    format = format or detect(document)
    module = FORMATS[format]
    ledger = Ledger(document.lines)
    draft: Draft = module.convert(document.data, path.replace("\\", "/").rpartition("/")[2], ledger)
    draft.title = name or default_name(path, format)
    text = _settled(draft, ledger, schema)
    ledger.losses.sort(key=lambda loss: loss.line or 0)
    return Conversion(format, draft.title, text, ledger.losses, ledger.unlisted, draft.settings, ledger)


def default_name(path: str, format: str) -> str:
    """What to call a theme: as its file, unless that is called what all of its kind are."""
    stem = re.sub(r"(\.omp)?\.(json|jsonc|toml|ya?ml)$", "", path.replace("\\", "/").rpartition("/")[2])
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", stem).strip("-")[:64]
    return name if name and not _PLAIN.fullmatch(stem) else f"my-{format}"


def detect(document: Document) -> str:
    """
    The format of a document, from its content.

    Errors: Unusable when it is none of those known
    """
    found: list[str] = [module.NAME for module in _MODULES if module.fits(document.data)]
    if not found:
        keys = ", ".join(quote(key, 30) for key in list(document.data)[:5]) or "nothing"
        reason = f"it looks like none of {either(FORMATS)}: at its top there is {keys}"
        raise Unusable(reason, "--from FORMAT says what it is")
    return found[0]


def _settled(draft: Draft, ledger: Ledger, schema: str | None) -> str:
    """The text of the theme; what ohud's own check would object to is taken out and listed."""
    while draft.says_something:
        text = draft.toml(schema)
        if len(text.encode()) > THEME_LIMIT:
            raise Unusable(f"the theme would be larger than {THEME_LIMIT // 1024} KiB")
        problems = _problems(text)
        if not problems:
            return text
        if not _repaired(draft, problems, ledger):
            raise Unusable("no theme could be made of it: " + problems[0].message, problems[0].help)
    raise Unusable("nothing in it can be shown by ohud", "ohud fields lists what can")


def _problems(text: str) -> list[Problem]:
    """What `ohud check` says of a theme."""
    return lower.build(read.read_theme_file("theme.toml", home=None, kind="theme", text=text)).problems


def _repaired(draft: Draft, problems: list[Problem], ledger: Ledger) -> bool:
    """Whether a segment that is at fault could be taken out."""
    lines = draft.toml(None).split("\n")
    for problem in problems:
        line = problem.span.line if problem.span else None
        heads = [text for text in lines[: line or 0] if text.startswith("[segments.")]
        name = heads[-1][len("[segments.") : -1] if heads else ""
        if any(piece.name == name for piece in draft.pieces):
            ledger.lose((), f"the segment `{name}` is left out: {problem.message}", problem.help)
            draft.remove(name)
            return True
    return False
