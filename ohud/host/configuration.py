"""ohud's config as a file: read with what is wrong in it, and changed as a whole into nothing that is worse."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ohud.errors import Problem
from ohud.host.files import read
from ohud.host.replace import Rewriting, Rewritten, locked, rewrite
from ohud.host.splice import Refused, decode
from ohud.run.world import World
from ohud.theme import lower
from ohud.theme import read as themes
from ohud.theme.edit import Path as KeyPath
from ohud.theme.edit import Unchangeable
from ohud.theme.source import key_span, parse, place


@dataclass(frozen=True, slots=True)
class Judged:
    """What is wrong with a config and the theme that it names; each problem with its file's text, for excerpts."""

    problems: list[tuple[Problem, str | None]] = field(default_factory=list)

    @property
    def unreadable(self) -> bool:
        """Whether the file is not even TOML."""
        return any(problem.kind == "toml-text" and problem.weight == "fatal" for problem, _ in self.problems)


class Worse(Refused):
    """A change that would add problems: these."""

    settled = True

    def __init__(self, judged: Judged) -> None:
        super().__init__("the change would add a problem")
        self.judged = judged


class Settled(Refused):
    """A file that is not changed, which another look would not alter."""

    settled = True


def judge(raw: bytes, path: str, world: World, directory: str | None = None) -> Judged:
    """What is wrong with the bytes of a config, if they were the file at `path`; for a directory of `[projects]`."""
    loaded = themes.load(path, home=world.home, text=raw, directory=directory)
    return Judged([(problem, loaded.text(problem)) for problem in lower.build(loaded).problems])


def bytes_of(path: str) -> bytes | None:
    """
    The config's bytes; None when there is none.

    Errors: Refused
    """
    return read(path)


def change(
    path: str, text_change: Callable[[str], str], world: World, keys: Sequence[KeyPath], dry: bool = False
) -> tuple[Rewritten, Judged]:
    """
    The config changed, or made with the line for editors on top; and what the change has made worth a warning.

    Takes:   text_change: gives the new text, may raise Unchangeable; keys: what it sets; dry: nothing is written
    Errors:  Worse when it adds a problem: any in these keys, elsewhere one that costs something; Refused
    """
    answers: dict[bytes | None, bytes] = {}
    warned = Judged()

    def step(raw: bytes | None) -> bytes:
        nonlocal warned
        if raw not in answers:
            text = decode(raw) if raw is not None else schema_line()
            try:
                new = text_change(text)
                answers[raw] = raw if raw is not None and new == text else new.encode()
            except Unchangeable as fault:
                raise Settled(fault.reason) from None
            except UnicodeEncodeError:
                raise Settled("the new value holds bytes that are no UTF-8, which no config can") from None
            warned = _compared(raw or b"", answers[raw], path, world, keys)
        return answers[raw]

    with locked(_folder(path, dry)):
        return rewrite(path, step, Rewriting(private=True, dry=dry)), warned


def put(path: str, raw: bytes, seen: bytes | None) -> Rewritten:
    """
    The config replaced by other bytes, as long as it still is what was seen.

    Errors: Refused
    """

    def step(now: bytes | None) -> bytes:
        if now != seen and now != raw:
            raise Settled("something else has changed it meanwhile")
        return raw

    with locked(_folder(path, False)):
        return rewrite(path, step, Rewriting(private=True))


def schema_line() -> str:
    """The line by which editors find what a config may hold."""
    file = Path(themes.bundled_dir("schema"), "config.schema.json")
    return f"#:schema {file.as_uri()}\n"


def added(before: Judged, after: Judged) -> list[tuple[Problem, str | None]]:
    """The problems that were not there before, wherever in the files they stood."""
    old = Counter(map(_essence, before.problems))
    new = []
    for found in after.problems:
        if old[_essence(found)] > 0:
            old[_essence(found)] -= 1
        else:
            new.append(found)
    return new


def _compared(old: bytes, new: bytes, path: str, world: World, keys: Sequence[KeyPath]) -> Judged:
    """
    What a change adds that is worth no more than a warning.

    Errors: Worse
    """
    if old == new:
        return Judged()
    found = added(judge(old, path, world), judge(new, path, world))
    for name in {key[1] for key in keys if key[0] == "projects" and len(key) > 1}:
        folder = os.path.normpath(world.home + name[1:] if world.home and name.startswith("~") else name)
        found += [one for one in added(judge(old, path, world), judge(new, path, world, folder)) if one not in found]
    mine = _lines(new, path, keys)
    grave = [
        (problem, text)
        for problem, text in found
        if problem.weight != "ignored" or (problem.span and problem.span.file == path and problem.span.line in mine)
    ]
    if grave:
        raise Worse(Judged(grave))
    return Judged(found)


def _lines(raw: bytes, path: str, keys: Sequence[KeyPath]) -> set[int]:
    """The lines of a file where keys and their values stand."""
    source = parse(raw, path)
    lines: set[int] = set()
    for key in keys:
        if key in source.spans:
            end = source.text.count("\n", 0, source.spans[key].value_end) + 1
            first, last = key_span(source, key).line or 0, place(source, key).line or 0
            lines.update(range(first, max(last, end) + 1))
    return lines


def _essence(found: tuple[Problem, str | None]) -> tuple[str, str, str | None, str]:
    problem = found[0]
    return problem.kind, problem.message, problem.span.file if problem.span else None, problem.weight


def _folder(path: str, dry: bool) -> str | None:
    """Where the lock is that writers of configs share; None when nothing is there yet to be written together."""
    folder = os.path.dirname(path)
    return folder if not dry and os.path.isdir(folder) else None
