"""
Runs one case directory against ohud and tells every way in which its `assert` part does not hold.

A case directory holds case.json, payloads and perhaps setup.sh, feed.sh, run.sh. The parts of `assert` are `eval`,
`render`, `subagents`, `stream`, `check` (what is run), `config`, `files` (what is there before) and `absent`,
`unchanged` (what is looked at after). A key that is not known here is a fault: an assertion that nobody checks
would look like one that holds.
"""

import json
import math
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import launch
import screen

KEYS = {
    "assert": {"eval", "render", "subagents", "stream", "check", "config", "files", "absent", "unchanged"},
    "render": {"payload", "config", "env", "times", "exit", "empty", "stdin", "stdout_closed", "within_s", "max_rss_mb"}
    | {"has", "lacks", "raw_has", "raw_lacks", "stderr_has", "regex", "color", "same_as"}
    | {"lines", "max_lines", "max_cells"},
    "subagents": {"payload", "config", "env", "ids", "has", "lacks", "max_cells", "empty"},
    "stream": {"input", "exit", "eval"},
    "check": {"config", "exit", "has"},
    "files": {"parts", "mode"},
}
MEASURES = {"about", "within", "one_of", "regex", "at_most", "at_least", "lacks"}
INPUT_KINDS = {"closed", "directory", "feed"}
EVAL_LIMIT_S, COLD_LIMIT_S = 5.0, 10.0
ROW_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class Unknown(Exception):
    """A word of the assertions that this runner does not know."""


@dataclass(frozen=True, slots=True)
class Commands:
    """The two commands under test: the status line, and the one with `eval`, `check`, `subagents`, `stream`."""

    status: Sequence[str] = tuple(launch.STATUS_LINE)
    cli: Sequence[str] = tuple(launch.COMMAND_LINE)


@dataclass(frozen=True, slots=True)
class Part:
    """One thing a case runs: its name in messages, and the JSON text of all it asks for."""

    label: str
    mentions: str


# Reading a case


def read(folder: Path) -> dict[str, Any]:
    """The description of the case in a directory."""
    data: dict[str, Any] = json.loads((folder / "case.json").read_text("utf-8"))
    return data


def parts(case: Mapping[str, Any]) -> list[Part]:
    """All that a case runs, in order."""
    asked = case.get("assert") or {}
    found = [
        Part(f"eval {file} `{expression}`", json.dumps([expression, want], ensure_ascii=False))
        for file, pairs in _evals(asked).items()
        for expression, want in pairs.items()
    ]
    renders = [json.dumps(one, ensure_ascii=False) for one in asked.get("render", [])]
    for index, one in enumerate(asked.get("render", [])):
        twin = renders[one["same_as"]] if isinstance(one.get("same_as"), int) else ""
        found.append(Part(f"render {index}", renders[index] + twin))
    for name in ("subagents", "stream", "check"):
        for index, one in enumerate(_listed(asked.get(name))):
            found.append(Part(f"{name} {index}", json.dumps(one, ensure_ascii=False)))
    return found


def _evals(asked: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Expressions and values by payload file."""
    evals: dict[str, Any] = asked.get("eval") or {}
    return evals if evals and all(key.endswith(".json") for key in evals) else {"payload.json": evals}


def _listed(value: Any) -> list[Any]:
    """The value as a list: several, one or none."""
    return value if isinstance(value, list) else [] if value is None else [value]


def unknown_keys(case: Mapping[str, Any]) -> list[str]:
    """A fault for each word of the assertions outside the vocabulary."""
    asked = case.get("assert") or {}
    groups = [("assert", asked)]
    for name in ("render", "subagents", "stream", "check"):
        groups += [(name, one) for one in _listed(asked.get(name))]
    groups += [("files", one) for one in (asked.get("files") or {}).values() if isinstance(one, dict)]
    faults = [f"{name}: unknown key `{key}`" for name, one in groups for key in one if key not in KEYS[name]]
    kinds = {one.get("stdin") for one in _listed(asked.get("render"))} - INPUT_KINDS - {None}
    return faults + [f"render: unknown stdin `{kind}`" for kind in kinds]


# Comparing values


def agrees(got: Any, want: Any) -> bool:
    """
    Whether a value is the wanted one, or within the wanted measure.

    Errors:   `Unknown` for a measure outside the vocabulary
    """
    if isinstance(want, dict) and want.keys() & MEASURES:
        return _measured(got, want)
    if isinstance(want, bool) or isinstance(got, bool) or want is None:
        return got is want
    if _is_number(want) and _is_number(got):
        return math.isclose(got, want, rel_tol=1e-6, abs_tol=1e-6)
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and all(map(agrees, got, want))
    if isinstance(want, dict):
        return isinstance(got, dict) and got.keys() == want.keys() and all(agrees(got[k], want[k]) for k in want)
    return bool(got == want)


def _measured(got: Any, want: Mapping[str, Any]) -> bool:
    keys = want.keys()
    if keys == {"about", "within"}:
        return _is_number(got) and abs(got - want["about"]) <= want["within"]
    if keys == {"one_of"}:
        return any(agrees(got, one) for one in want["one_of"])
    if keys == {"regex"}:
        return isinstance(got, str) and re.search(want["regex"], got) is not None
    if keys == {"lacks"}:
        return _quoted(want["lacks"])[1:-1] not in _quoted(got)
    if keys <= {"at_most", "at_least"}:
        return _is_number(got) and want.get("at_least", -math.inf) <= got <= want.get("at_most", math.inf)
    raise Unknown(f"unknown measure {_quoted(want)}")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


# The place of a case: its own copy, home, cache, and what the tokens stand for


@dataclass(slots=True)
class Place:
    """A scratch directory with one case in it."""

    case: Mapping[str, Any]
    root: Path
    configs: int = 0
    tokens: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        names = {"@CASE@": "case", "@REPO@": "repo", "@SETUP@": "setup", "@HOME@": "home"}
        self.tokens = {token: str(self.root / name) for token, name in names.items()}

    @property
    def copy(self) -> Path:
        """The copied case directory."""
        return self.root / "case"

    @property
    def cwd(self) -> Path:
        """Where commands are started."""
        repo = self.root / "repo"
        return repo if self.case["kind"] == "git" and repo.is_dir() else self.copy

    def fill(self, folder: Path) -> None:
        """Copies the case, writes its files and runs its setup.sh."""
        shutil.copytree(folder, self.copy, symlinks=True)
        for name in ("home", "cache", "conf"):
            (self.root / name).mkdir()
        for path, content in ((self.case.get("assert") or {}).get("files") or {}).items():
            self._write(self.path(path), {"parts": [[content, 1]]} if isinstance(content, str) else content)
        if (self.copy / "setup.sh").exists():
            self._set_up()

    def _write(self, target: Path, content: Mapping[str, Any]) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(self.replaced("".join(text * count for text, count in content["parts"])), "utf-8")
        if "mode" in content:
            target.chmod(int(content["mode"], 8))

    def _set_up(self) -> None:
        target = self.root / ("repo" if self._has_repository() else "setup")
        if target.name == "repo":
            target.mkdir()
        home = {"HOME": str(self.root / "home"), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run(
            [launch.SHELL, str(self.copy / "setup.sh"), str(target)],
            cwd=self.copy,
            env={**os.environ, **home},
            capture_output=True,
            check=True,
            timeout=120,
        )

    def _has_repository(self) -> bool:
        payloads = (path.read_bytes() for path in self.copy.glob("payload*.json"))
        named = "@REPO@" in json.dumps(self.case) or any(b"@REPO@" in raw for raw in payloads)
        return self.case["kind"] == "git" or named

    def replaced(self, text: str) -> str:
        """The text with its tokens replaced."""
        for token, path in self.tokens.items():
            text = text.replace(token, path)
        return text

    def replaced_in(self, value: Any) -> Any:
        """The JSON value with the tokens in all its texts replaced, keys excepted."""
        if isinstance(value, str):
            return self.replaced(value)
        if isinstance(value, list):
            return [self.replaced_in(one) for one in value]
        return {key: self.replaced_in(one) for key, one in value.items()} if isinstance(value, dict) else value

    def path(self, name: str) -> Path:
        """The file that a name in `files`, `absent` or `unchanged` means."""
        return Path(self.replaced(name)) if name.startswith("@") else self.copy / name

    def payload(self, name: str) -> bytes:
        """A payload with its tokens replaced; nothing when there is no such file."""
        path = self.copy / name
        raw = path.read_bytes() if path.exists() else b""
        for token, target in self.tokens.items():
            raw = raw.replace(token.encode(), os.fsencode(target))
        return raw

    def env(self, extra: Mapping[str, Any] | None = None, config: str | None = None) -> dict[str, str]:
        """The whole environment of a run; clock, zone, home and colour depth are the case's, not this machine's."""
        env = {
            "HOME": str(self.root / "home"),
            "XDG_CACHE_HOME": str(self.root / "cache"),
            "XDG_CONFIG_HOME": str(self.root / "conf"),
            "PATH": os.environ.get("PATH", os.defpath),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
        }
        if "now" in self.case:
            env["OHUD_NOW"] = str(self.case["now"])
        for name, value in {**(self.case.get("env") or {}), **(extra or {})}.items():
            env.pop(name, None)
            if value is not None:
                env[name] = self.replaced(str(value))
        if config is not None:
            env["OHUD_CONFIG"] = str(self.config(config))
        return env

    def config(self, text: str) -> Path:
        """A new config file with this text; lone surrogates stand for bytes that are not UTF-8."""
        self.configs += 1
        path = self.root / "conf" / f"config-{self.configs}.toml"
        path.write_bytes(self.replaced(text).encode("utf-8", "surrogateescape"))
        return path

    def launch(
        self,
        command: Sequence[str],
        data: bytes,
        env: Mapping[str, str],
        limit_s: float,
        *,
        kind: str | None = None,
        stdout_closed: bool = False,
        measured: bool = False,
    ) -> launch.Outcome:
        """One run of a command where the case says: through run.sh and fed by feed.sh if it has them."""
        feed, starter = self.copy / "feed.sh", self.copy / "run.sh"
        given = launch.Input(data, kind or ("feed" if feed.exists() else "bytes"), feed)
        command = [launch.SHELL, str(starter), *command] if starter.exists() else list(command)
        return launch.launch(
            command, given, env, self.cwd, limit_s=limit_s, stdout_closed=stdout_closed, measured=measured
        )


# Checking a case


def check(
    folder: Path, scratch: Path, commands: Commands, wanted: Callable[[Part], bool] = lambda part: True
) -> list[str]:
    """
    Every way in which the case in `folder` does not hold; empty when it does.

    Takes:    scratch: an empty directory; wanted: which parts of the case to run
    """
    case = read(folder)
    faults = unknown_keys(case)
    if faults:
        return faults
    place = Place(case, scratch)
    try:
        place.fill(folder)
    except subprocess.CalledProcessError as fault:
        return [f"setup.sh: exit {fault.returncode}: {fault.stderr.decode('utf-8', 'replace')[-200:]}"]
    labels = {part.label for part in parts(case) if wanted(part)}
    try:
        return list(_Checker(place, commands, labels).faults())
    except Unknown as fault:
        return [str(fault)]


@dataclass(slots=True)
class _Checker:
    """The checks of one case in its place; every method gives the faults it finds."""

    place: Place
    commands: Commands
    labels: Collection[str]
    texts: dict[int, str] = field(default_factory=dict)

    def faults(self) -> Iterator[str]:
        asked = self.place.case.get("assert") or {}
        before = {name: _content(self.place.path(name)) for name in asked.get("unchanged", [])}
        for index, one in enumerate(asked.get("render", [])):
            if f"render {index}" in self.labels:
                yield from _named(f"render {index}", self.render(index, one))
        env = self.place.env(config=asked.get("config"))
        for file, pairs in _evals(asked).items():
            chosen = {text: want for text, want in pairs.items() if f"eval {file} `{text}`" in self.labels}
            command = [*self.commands.cli, "eval"]
            yield from _named(f"eval {file}", self.values(chosen, command, self.place.payload(file), env))
        checks = {"subagents": self.subagents, "stream": self.stream, "check": self.problems}
        for name, method in checks.items():
            for index, one in enumerate(_listed(asked.get(name))):
                if f"{name} {index}" in self.labels:
                    yield from _named(f"{name} {index}", method(one))
        for name in asked.get("absent", []):
            if os.path.lexists(self.place.path(name)):
                yield f"absent: {name} exists"
        for name, content in before.items():
            if _content(self.place.path(name)) != content:
                yield f"unchanged: {name} changed"

    def render(self, index: int, asked: Mapping[str, Any]) -> Iterator[str]:
        env = self.place.env(asked.get("env"), asked.get("config"))
        limit_s = asked.get("within_s", 2.0)
        for turn in range(asked.get("times", 1)):
            outcome = self.place.launch(
                self.commands.status,
                self.place.payload(asked.get("payload", "payload.json")),
                env,
                limit_s,
                kind=asked.get("stdin"),
                stdout_closed=asked.get("stdout_closed", False),
                measured="max_rss_mb" in asked,
            )
            yield from _named(f"run {turn + 1}", _invariants(outcome, asked, limit_s))
        self.texts[index] = screen.plain(outcome.text)
        yield from _printed(outcome, asked)
        yield from _text_faults(outcome.text, asked, self.place.replaced)
        yield from _line_faults(self.texts[index], asked)
        if "same_as" in asked and self.texts.get(asked["same_as"]) != self.texts[index]:
            yield f"same_as {asked['same_as']}: differs: {self.texts[index][:100]!r}"

    def values(
        self,
        pairs: Mapping[str, Any],
        command: Sequence[str],
        data: bytes,
        env: Mapping[str, str],
        codes: Collection[int] = (0,),
    ) -> Iterator[str]:
        """Faults of expressions, each printed as JSON by one run of the command."""
        for expression, want in pairs.items():
            outcome = self.place.launch([*command, expression], data, env, EVAL_LIMIT_S)
            if outcome.code not in codes:
                yield f"`{expression}`: exit {outcome.code}: {outcome.errors[-160:].strip()}"
                continue
            try:
                got = json.loads(outcome.out)
            except ValueError:
                yield f"`{expression}`: not JSON: {outcome.out[:80]!r}"
                continue
            if not agrees(got, self.place.replaced_in(want)):
                yield f"`{expression}`: is {_quoted(got)[:160]}, not {_quoted(want)[:160]}"

    def subagents(self, asked: Mapping[str, Any]) -> Iterator[str]:
        env = self.place.env(asked.get("env"), asked.get("config"))
        data = self.place.payload(asked.get("payload", "payload.json"))
        outcome = self.place.launch([*self.commands.cli, "subagents"], data, env, EVAL_LIMIT_S)
        if outcome.code:
            yield f"exit {outcome.code}: {outcome.errors[-160:].strip()}"
        if outcome.took_s > EVAL_LIMIT_S:
            yield f"took {outcome.took_s:.2f} s"
        if asked.get("empty") and outcome.text.strip():
            yield f"empty: got {outcome.text[:80]!r}"
        rows: dict[str, str] = {}
        for line in outcome.text.removesuffix("\n").split("\n") if outcome.text.strip() else ():
            row = _row(line)
            if row is None:
                yield f"not a row: {line[:100]!r}"
            else:
                rows[row[0]] = row[1]
        yield from _row_faults(rows, asked)

    def stream(self, asked: Mapping[str, Any]) -> Iterator[str]:
        data = (self.place.copy / asked["input"]).read_bytes()
        command, code = [*self.commands.cli, "stream", "--quiet"], asked.get("exit", 0)
        outcome = self.place.launch(command, data, self.place.env(), COLD_LIMIT_S)
        if outcome.code != code:
            yield f"exit {outcome.code}, not {code}: {outcome.errors[-160:].strip()}"
        if b"Traceback" in outcome.out + outcome.err:
            yield "traceback"
        yield from self.values(asked.get("eval", {}), [*command, "--eval"], data, self.place.env(), {0, code})

    def problems(self, asked: Mapping[str, Any]) -> Iterator[str]:
        command = [*self.commands.cli, "check", str(self.place.config(asked["config"]))]
        outcome = self.place.launch(command, b"", self.place.env(), COLD_LIMIT_S)
        if outcome.code != asked.get("exit", 1):
            yield f"exit {outcome.code}, not {asked.get('exit', 1)}"
        said = screen.plain(outcome.text + outcome.errors)
        for text in asked.get("has", []):
            if text not in said:
                yield f"has {text!r}: got {said[:200]!r}"


def _named(name: str, faults: Iterator[str]) -> Iterator[str]:
    return (f"{name}: {fault}" for fault in faults)


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _invariants(outcome: launch.Outcome, asked: Mapping[str, Any], limit_s: float) -> Iterator[str]:
    """What holds for every run of the status line."""
    if outcome.code != asked.get("exit", 0):
        yield f"exit {outcome.code}"
    if outcome.took_s > limit_s:
        yield f"took {outcome.took_s:.2f} s, over {limit_s}"
    elif outcome.left_behind:
        yield "a process was left in its group"
    limit_mb = asked.get("max_rss_mb")
    if limit_mb is not None and not (outcome.peak_mb is not None and outcome.peak_mb <= limit_mb):
        yield f"max_rss_mb {limit_mb}: took {outcome.peak_mb}"
    try:
        outcome.out.decode("utf-8")
    except UnicodeDecodeError as fault:
        yield f"not UTF-8: {fault}"
    if "Traceback" in outcome.text + outcome.errors:
        yield f"traceback: {(outcome.text + outcome.errors)[-200:]}"
    yield from screen.faults(outcome.text)


def _printed(outcome: launch.Outcome, asked: Mapping[str, Any]) -> Iterator[str]:
    """Faults of what is there at all: nothing, something, words on standard error."""
    something = screen.plain(outcome.text).strip()
    if asked.get("empty") and something:
        yield f"empty: got {something[:80]!r}"
    if not something and "empty" not in asked and not asked.get("stdout_closed"):
        yield "nothing printed"
    for text in asked.get("stderr_has", []):
        if text not in outcome.errors:
            yield f"stderr_has {text!r}: got {outcome.errors[-160:]!r}"


def _text_faults(text: str, asked: Mapping[str, Any], replaced: Callable[[str], str]) -> Iterator[str]:
    """Faults of single texts and patterns, with and without escapes."""
    bare = screen.plain(text)
    for prefix, source in (("", bare), ("raw_", text)):
        for wanted in asked.get(prefix + "has", []):
            if replaced(wanted) not in source:
                yield f"{prefix}has {wanted!r}: got {source[:160]!r}"
        for unwanted in asked.get(prefix + "lacks", []):
            if replaced(unwanted) in source:
                yield f"{prefix}lacks {unwanted!r}: got {source[:160]!r}"
    for pattern in asked.get("regex", []):
        if not re.search(pattern, bare):
            yield f"regex {pattern!r}: got {bare[:160]!r}"
    if "color" in asked and bool(screen.SGR.search(text)) != asked["color"]:
        yield f"color {asked['color']}: got {text[:160]!r}"


def _line_faults(bare: str, asked: Mapping[str, Any]) -> Iterator[str]:
    """Faults of the number of lines and their width."""
    lines = bare.rstrip("\n").split("\n") if bare.strip() else []
    if len(lines) != asked.get("lines", len(lines)):
        yield f"lines: {len(lines)}, not {asked['lines']}"
    if len(lines) > asked.get("max_lines", len(lines)):
        yield f"max_lines: {len(lines)}, over {asked['max_lines']}"
    for line in lines:
        if screen.cells(line) > asked.get("max_cells", math.inf):
            yield f"max_cells: {screen.cells(line)}, over {asked['max_cells']}: {line[:100]!r}"


def _row(line: str) -> tuple[str, str] | None:
    """Id and content of one subagent row; None when the line is no row."""
    try:
        row = json.loads(line)
        name, content = row["id"], row["content"]
    except (ValueError, KeyError, TypeError):
        return None
    return (name, content) if isinstance(name, str) and isinstance(content, str) else None


def _row_faults(rows: Mapping[str, str], asked: Mapping[str, Any]) -> Iterator[str]:
    if "ids" in asked and sorted(rows) != sorted(asked["ids"]):
        yield f"ids {sorted(rows)[:6]}, not {sorted(asked['ids'])[:6]}"
    bare = {name: screen.plain(content) for name, content in rows.items()}
    for key, unwanted in (("has", False), ("lacks", True)):
        for name, texts in asked.get(key, {}).items():
            for text in texts:
                if (text in bare.get(name, "")) is unwanted:
                    yield f"{key} {text!r}: {name} is {rows.get(name)!r}"
    for name, text in bare.items():
        if ROW_CONTROL.search(text) or ROW_CONTROL.search(rows[name].replace("\x1b", "")):
            yield f"control byte in {rows[name][:80]!r}"
        if screen.cells(text) > asked.get("max_cells", math.inf):
            yield f"max_cells: {screen.cells(text)}, over {asked['max_cells']}: {text[:80]!r}"
