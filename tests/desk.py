"""A user with settings of the host, at whose machine `ohud install` finds one interpreter and need not measure it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from command_line import Answer, call

from ohud.host import interpreter
from ohud.host.interpreter import Interpreter

PYTHON = "/usr/bin/python3"
COMMAND = f"{PYTHON} -I -S {interpreter.entry()}"


@dataclass
class Desk:
    """The user's machine: a home below `root`, the current directory is `root`/project."""

    root: Path
    env: dict[str, str]
    usual_ms: float = 12.0

    @property
    def home(self) -> Path:
        """The home directory."""
        return self.root / "home"

    @property
    def project(self) -> Path:
        """The current directory."""
        return self.root / "project"

    @property
    def settings(self) -> Path:
        """The user's settings."""
        return self.home / ".claude" / "settings.json"

    @property
    def config(self) -> Path:
        """ohud's config."""
        return self.home / ".config" / "ohud" / "config.toml"

    def write(self, raw: bytes | str) -> Path:
        """Settings of the user."""
        self.settings.parent.mkdir(parents=True, exist_ok=True)
        self.settings.write_bytes(raw if isinstance(raw, bytes) else raw.encode())
        return self.settings

    def install(self, *words: str, env: Mapping[str, str] | None = None) -> Answer:
        """The answer of `ohud install`."""
        return call(self.root, "install", *words, env={**self.env, **(env or {})})

    def uninstall(self, *words: str, env: Mapping[str, str] | None = None) -> Answer:
        """The answer of `ohud uninstall`."""
        return call(self.root, "uninstall", *words, env={**self.env, **(env or {})})

    def files(self) -> dict[str, Any]:
        """Every file and link of the home but ohud's own, with its content."""
        found: dict[str, Any] = {}
        for path in sorted(self.home.rglob("*")):
            name = str(path.relative_to(self.home))
            if name.startswith((".config", ".cache")):
                continue
            if path.is_symlink():
                found[name] = "-> " + str(path.readlink())
            else:
                found[name] = path.read_bytes() if path.is_file() else None
        return found


def desk_at(root: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A desk whose one interpreter is PYTHON, measured in no time."""
    desk = Desk(root, {})
    for folder in (desk.home, desk.project):
        folder.mkdir()
    monkeypatch.chdir(desk.project)
    monkeypatch.setattr(interpreter, "candidates", lambda: [PYTHON])
    monkeypatch.setattr(interpreter, "examine", lambda path: Interpreter(path, (3, 11)))
    monkeypatch.setattr(
        interpreter,
        "measure",
        lambda known: [Interpreter(one.path, (3, 11), True, None, 11.0, desk.usual_ms) for one in known],
    )
    monkeypatch.setattr(interpreter, "stays", lambda path: True)
    return desk
