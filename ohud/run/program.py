"""
The program of the theme: read from the private cache, compiled anew when a source has changed.

A program is plain JSON, so a foreign or hostile cache file is at worst another theme; the digest behind it tells one
that was damaged, however well its JSON still reads.
"""

import sys

from ohud import __version__
from ohud.run.world import WINDOWS, World, system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Raised whenever the meaning of a program changes: an older file is compiled anew.
FORMAT = 7
_DIGITS = 16
_SLASH = "\\" if WINDOWS else "/"


def config_path(world: World) -> "str | None":
    """The path of the user's config.toml, whether it exists or not; None when no home is known."""
    given = world.env("OHUD_CONFIG")
    if given:
        try:
            return given if given[0] == "/" or WINDOWS else system.getcwd() + "/" + given
        except OSError:
            return None
    if WINDOWS:
        base = world.env("APPDATA")
        return base + "\\ohud\\config.toml" if base else None
    base = world.env("XDG_CONFIG_HOME")
    if base and base[0] == "/":
        return base + "/ohud/config.toml"
    return world.home + "/.config/ohud/config.toml" if world.home else None


def load(world: World, theme: "str | None" = None, project: "str | None" = None, part: str = "") -> "dict[str, Any]":
    """
    The program to run.

    Takes:   theme: a name or path that wins over the config's; project: a directory of the config's `[projects]`,
             whose theme is drawn; part: "" the status line, "subagents" a task's row, in files of their own so that
             neither pays for the other
    Errors:  whatever the compiler raises when it cannot run at all (a package is missing, say)
    """
    config = config_path(world)
    name = file_name(config, theme, world.home, project, part)
    raw = world.read_private(name)
    if raw and raw[-_DIGITS:] == digest(raw[:-_DIGITS]):
        # What stands behind the object is not read.
        program = world.decode(raw)
        if program is not None and _current(program, world):
            return program
    return compile_now(world, config, theme, name, project, part)


def for_session(program: "dict[str, Any]", raw: "bytes | None", world: World) -> "dict[str, Any]":
    """
    The program of a session's directory, where the config's `[projects]` has it or one above it; else the same.

    Takes:   program: without a project; raw: the payload
    """
    projects = program.get("projects") or ()
    payload = world.decode(raw) if projects and raw else None
    if payload is None:
        return program
    place = payload.get("workspace")
    here = place.get("current_dir") if isinstance(place, dict) else None
    if not isinstance(here, str) or not here:
        here = payload.get("cwd")
    if not isinstance(here, str):
        return program
    here = _normal(here)
    for project in projects:
        # The longest comes first.
        if isinstance(project, str) and (here == project or here.startswith(project.rstrip(_SLASH) + _SLASH)):
            return load(world, project=project, part=program["part"])
    return program


def _normal(path: str) -> str:
    """A directory as the compiler writes those of the projects: no `.`, `..` or doubled slash."""
    if WINDOWS:
        path = path.replace("/", "\\").lower()
    kept: list[str] = []
    for part in path.split(_SLASH):
        if part == "..":
            del kept[-1:]
        elif part and part != ".":
            kept.append(part)
    return _SLASH.join(kept) if WINDOWS else _SLASH + _SLASH.join(kept)


def file_name(
    config: "str | None", theme: "str | None", home: "str | None", project: "str | None" = None, part: str = ""
) -> str:
    """The cache file of one config and theme: a digest, as no path or name may reach a file name."""
    from _imp import source_hash

    key = "\0".join((__file__, config or "", theme or "", home or "", project or "", part))
    return "program-" + __version__ + "-" + source_hash(FORMAT, key.encode("utf-8", "surrogatepass")).hex() + ".json"


def digest(data: bytes) -> bytes:
    """Some digits that are others as soon as a bit of the data is: against damage, not against anyone."""
    from _imp import source_hash

    return source_hash(FORMAT, data).hex().encode()


def _current(program: "dict[str, Any]", world: World) -> bool:
    """Whether a cached program belongs to this version and its sources are as they were."""
    if program.get("format") != FORMAT or program.get("ohud") != __version__:
        return False
    sources = program.get("sources")
    if not isinstance(sources, list) or not sources or not isinstance(program.get("segments"), dict):
        return False
    return all(
        isinstance(source, list)
        and len(source) == 5
        and isinstance(source[0], str)
        and stamp(world, source[0]) == source
        for source in sources
    )


def stamp(world: World, path: str) -> "list[Any]":
    """
    What tells whether a source has changed: [path, mtime and ctime in ns, size, inode], four nulls when it is absent.

    The ctime because a copy into a file may keep the times of what was copied; it cannot set that one.
    """
    facts = world.stat(path)
    if facts is None:
        return [path, None, None, None, None]
    return [path, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size, facts.st_ino]


def compile_now(
    world: World,
    config: "str | None",
    theme: "str | None",
    name: str,
    project: "str | None" = None,
    part: str = "",
) -> "dict[str, Any]":
    """Compiles the theme (the one door to the cold lane), keeps the program in the cache, and logs its faults."""
    reach_packages()
    from ohud.theme.lower import compile_program, encode

    program = compile_program(config, theme, world, project, part)
    data = encode(program)
    world.write_private(name, data + digest(data))
    for fault in program["faults"]:
        world.note(fault)
    return program


def reach_packages() -> None:
    """Brings site-packages back where `-S` left them out."""
    if sys.flags.no_site and "site" not in sys.modules:
        import site

        site.main()
