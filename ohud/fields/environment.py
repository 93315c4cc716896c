"""What the session is furnished with: instruction files, rules, servers and hooks, counted."""

import sys

from ohud.fields._num import table, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ohud.run.world import World

_KIND = 0o170000
_REGULAR = 0o100000
_LEVELS = 64
# Of a file that is counted in; what is larger is not counted at all [bytes].
_LARGEST = 131072


def claude_md(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    CLAUDE.md files in the session's directory and, below and in the home directory, in those above it.

    Reads:    workspace.current_dir, cwd; the presence of the files
    Returns:  int from 0; None without a directory
    Errors:   none
    Source:   the original ohud; outside the home directory only the session's own directory counts
    """
    folder = _folder(payload, world)
    if folder is None:
        return None
    home = _slashed(world.home) if world.home else None
    found = 0
    for _ in range(_LEVELS):
        facts = world.stat(folder + "/CLAUDE.md")
        found += facts is not None and facts.st_mode & _KIND == _REGULAR
        if home is None or not folder.startswith(home + "/"):
            break
        folder = folder.rpartition("/")[0]
    return found


def rules(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    Rules of the project: list items at the beginning of lines.

    Reads:    workspace.current_dir, cwd; .claude/rules.md there
    Returns:  int from 0; None without a directory and for a file over 128 KiB
    Errors:   none
    """
    folder = _folder(payload, world)
    if folder is None:
        return None
    path = folder + "/.claude/rules.md"
    if world.lstat(path) is None:
        return 0
    raw = world.read_plain(path, _LARGEST + 1)
    if raw is None or len(raw) > _LARGEST:
        return None
    return sum(line[:2] in (b"- ", b"* ") and bool(line[2:].strip()) for line in raw.split(b"\n"))


def mcp_servers(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    MCP servers in the user's settings.

    Reads:    settings.json in $CLAUDE_CONFIG_DIR or ~/.claude: mcpServers
    Returns:  int from 0; None when the settings cannot be read
    Errors:   none
    """
    settings = _settings(world)
    return None if settings is None else len(table(settings, "mcpServers"))


def hooks(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    Hooks in the user's settings, over all events.

    Reads:    settings.json in $CLAUDE_CONFIG_DIR or ~/.claude: hooks
    Returns:  int from 0; None when the settings cannot be read
    Errors:   none
    """
    settings = _settings(world)
    if settings is None:
        return None
    return sum(len(entries) for entries in table(settings, "hooks").values() if isinstance(entries, list))


def _folder(payload: "dict[str, Any]", world: "World") -> "str | None":
    """The session's directory as the host wrote it, without a slash at its end."""
    raw = world.raw or payload
    found = text(table(raw, "workspace").get("current_dir")) or text(raw.get("cwd"))
    return _slashed(found) if found and world.stat(found) is not None else None


def _slashed(path: str) -> str:
    return (path.replace("\\", "/") if sys.platform == "win32" else path).rstrip("/")


def _settings(world: "World") -> "dict[str, Any] | None":
    """The user's settings of the host, read once a render; empty when there are none."""
    if "host settings" not in world.memo:
        place = world.env("CLAUDE_CONFIG_DIR") or (world.home + "/.claude" if world.home else None)
        found: dict[str, Any] | None = None
        if place:
            path = place + "/settings.json"
            raw = world.read(path, _LARGEST + 1)
            if raw is not None and len(raw) <= _LARGEST:
                found = world.decode(raw)
            elif raw is None and world.stat(path) is None:
                found = {}
        world.memo["host settings"] = found
    known: dict[str, Any] | None = world.memo["host settings"]
    return known
