"""A scratch user with a session of the host: home, cache and config of their own, nothing of this machine's."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from launch import COMMAND_LINE, REPOSITORY, STATUS_LINE, Input, Outcome, launch

CAPTURES = Path(__file__).parent / "payloads" / "captures"
THEMES = sorted(path.stem for path in (REPOSITORY / "themes").glob("*.toml"))
# Those that ask for no slow facts and read no more of a transcript than its end.
PLAIN_THEMES = ("classic", "minimal", "oneline")
LIMIT_S = 5.0  # no refresh hangs, however busy the machine
Environment = Mapping[str, str | None]
HOST_HOME = "/home/user"  # where the recordings were made


class Session:
    """Runs ohud as one user would, in a directory of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home, self.cache, self.conf = root / "home", root / "cache", root / "conf"
        for folder in (self.home, self.cache, self.conf):
            folder.mkdir(exist_ok=True)

    def env(self, **extra: str | None) -> dict[str, str]:
        """The whole environment; a None takes a variable away."""
        env: dict[str, str | None] = {
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.cache),
            "XDG_CONFIG_HOME": str(self.conf),
            "PATH": os.environ.get("PATH", os.defpath),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            **extra,
        }
        return {name: value for name, value in env.items() if value is not None}

    def configure(self, text: str) -> Path:
        """Writes the user's config.toml."""
        path = self.conf / "ohud" / "config.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def run(self, given: Input, options: Sequence[str] = (), env: Environment | None = None) -> Outcome:
        """One run of the status line, whatever comes of it; the options go to the interpreter."""
        python, *rest = STATUS_LINE
        return launch([python, *options, *rest], given, self.env(**(env or {})), self.home)

    def line(self, payload: "dict[str, Any] | bytes | Input", **env: str | None) -> str:
        """What one refresh prints; it must end in time, with status 0, without a traceback."""
        if isinstance(payload, dict):
            payload = json.dumps(payload).encode() + b"\n"
        given = payload if isinstance(payload, Input) else Input(payload)
        outcome = self.run(given, env=env)
        assert outcome.code == 0, outcome
        assert b"Traceback" not in outcome.out + outcome.err, outcome
        assert outcome.took_s <= LIMIT_S and not outcome.left_behind, outcome
        return outcome.out.decode("utf-8")

    def command(self, *words: str, data: bytes = b"") -> Outcome:
        """One run of `ohud WORDS`."""
        return launch([*COMMAND_LINE, *words], Input(data), self.env(), self.home, limit_s=20.0)


def captured() -> dict[str, bytes]:
    """Every recorded payload by name: host version and moment, or `run` and its number in the scripted conversation."""
    found = {}
    for folder in sorted(path for path in CAPTURES.iterdir() if path.is_dir()):
        for path in sorted(folder.glob("payload-*.json")):
            found[f"{folder.name}-{path.stem.removeprefix('payload-')}"] = path.read_bytes()
        for number, line in enumerate((folder / "main-all.ndjson").read_bytes().splitlines(), 1):
            found[f"{folder.name}-run-{number:02}"] = line + b"\n"
        found[f"{folder.name}-raw"] = (folder / "raw-stdin-with-trailing-newline.bin").read_bytes()
    return found


def at_home(payload: bytes, home: Path) -> bytes:
    """A recorded payload as it would be with another home directory."""
    return payload.replace(HOST_HOME.encode(), str(home).encode())


def repository(folder: Path, branch: str = "main") -> Path:
    """A git repository as far as its own files tell: no git is needed to make it."""
    git = folder / ".git"
    for part in ("objects", "refs/heads"):
        (git / part).mkdir(parents=True)
    (git / "HEAD").write_text(f"ref: refs/heads/{branch}\n")
    (git / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
    (git / "refs" / "heads" / branch).write_text("0123456789abcdef0123456789abcdef01234567\n")
    return folder


def transcript(path: Path, size: int, model: str) -> Path:
    """A session's transcript of at least `size` bytes that ends with some replies of `model` and their results."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        written = 0
        while written < size:
            for record in _turn(written, "claude-haiku-4-5-20251001"):
                written += file.write(record)
        for record in _turn(written, model):
            file.write(record)
    return path


def _turn(number: int, model: str) -> Iterator[str]:
    """A prompt, a tool call, its result and the answer, as JSON lines."""
    usage = {"input_tokens": 15, "output_tokens": 240, "cache_read_input_tokens": 20065}
    call = {"type": "tool_use", "id": f"toolu_{number}", "name": "Read", "input": {"file_path": "src/main.c"}}
    result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": "int main(void) { return 0; }\n" * 40}
    answer = {"type": "text", "text": "The function returns nothing but a status. " * 12}
    for role, content in (("user", "why?"), ("assistant", [call]), ("user", [result]), ("assistant", [answer])):
        message: dict[str, Any] = {"role": role, "content": content}
        if role == "assistant":
            message |= {"model": model, "id": f"msg_{number}", "usage": usage}
        yield json.dumps({"type": role, "isSidechain": False, "message": message, "uuid": str(number)}) + "\n"
