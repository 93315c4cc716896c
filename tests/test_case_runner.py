"""The case runner lets a synthetic case pass, and finds a fault for every word of its vocabulary."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import case_runner
import pytest
import screen

# A stand-in for ohud: what it does is told by its environment, or by its standard input for the `cli` commands.
STAND_IN = r"""
import json, os, sys, time
say = os.environ.get("SAY", "").encode().decode("unicode_escape").encode("latin-1")
if "STDIN" in os.environ:
    try:
        data = os.read(0, 99999)
    except OSError as fault:
        data = type(fault).__name__.encode()
    say += data
if "CONFIG" in os.environ:
    say += open(os.environ["OHUD_CONFIG"], "rb").read()
if "COUNT" in os.environ:
    path = os.environ["HOME"] + "/count"
    open(path, "a").write("x")
    say += open(path, "rb").read()
    if os.environ["COUNT"] == str(os.path.getsize(path)):
        os._exit(7)
if "CLOCK" in os.environ:
    say += os.environ.get("OHUD_NOW", "none").encode()
if "EAT" in os.environ:
    eaten = b"x" * (int(os.environ["EAT"]) << 20)
if "CHILD" in os.environ and os.fork() == 0:
    os.close(1); os.close(2)
    time.sleep(5)
if "TOUCH" in os.environ:
    open(os.environ["TOUCH"], "w").write("touched")
time.sleep(float(os.environ.get("WAIT", 0)))
if sys.argv[1:2] == ["eval"]:
    say = (sys.argv[2] + "\n").encode() if "VALUE" not in os.environ else os.environ["VALUE"].encode()
if sys.argv[1:2] == ["stream"] and "--eval" in sys.argv:
    say = b"42"
if sys.argv[1:2] == ["check"]:
    say = open(sys.argv[2], "rb").read()
sys.stderr.write(os.environ.get("COMPLAIN", ""))
sys.stderr.flush()
try:
    os.write(1, say)
except OSError:
    pass
os._exit(int(os.environ.get("EXIT", 0)))
"""


class Bench:
    """Makes synthetic cases and runs them against the stand-in."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.made = 0
        program = root / "stand_in.py"
        program.write_text(STAND_IN)
        command = (sys.executable, "-I", "-S", str(program))
        self.commands = case_runner.Commands(command, command)

    def faults(self, asked: dict[str, Any], files: dict[str, str] | None = None, **more: Any) -> list[str]:
        """The faults of a case with this `assert` part."""
        self.made += 1
        folder, scratch = self.root / f"case-{self.made}", self.root / f"scratch-{self.made}"
        folder.mkdir()
        scratch.mkdir()
        case = {"id": "synthetic", "kind": "payload", "summary": "", "assert": asked, **more}
        (folder / "case.json").write_text(json.dumps(case))
        for name, text in {"payload.json": '{"a": "@CASE@"}', **(files or {})}.items():
            (folder / name).write_text(text)
        return case_runner.check(folder, scratch, self.commands)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A place for synthetic cases."""
    return Bench(tmp_path)


def render(**asked: Any) -> dict[str, Any]:
    """An `assert` part with one render; capital words are environment."""
    env = {name: value for name, value in asked.items() if name.isupper()}
    rest = {name: value for name, value in asked.items() if not name.isupper()}
    return {"render": [{"env": env, **rest}]}


RED, LINKED = r"\x1b[31mred\x1b[39m", r"\x1b]8;;https://a.example\x1b\\here\x1b]8;;\x1b\\"
# name: an `assert` part that holds, one that does not, and a word of the fault
PAIRS: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "exit 0": (render(SAY="x"), render(SAY="x", EXIT=3), "exit 3"),
    "exit": (render(SAY="x", EXIT=3, exit=3), render(SAY="x", exit=3), "exit 0"),
    "something": (render(SAY="x"), render(SAY=r" \n"), "nothing printed"),
    "empty": (render(SAY=r" \n", empty=True), render(SAY="x", empty=True), "empty"),
    "empty, false": (render(SAY="", empty=False), render(SAY="x", empty=False, has=["y"]), "has"),
    "has": (render(SAY=RED, has=["red"]), render(SAY=RED, has=["blue"]), "has 'blue'"),
    "has, token": (
        render(SAY="x", STDIN=1, has=["@CASE@"]),
        render(SAY="x", STDIN=1, has=["@REPO@"]),
        "has '@REPO@'",
    ),
    "lacks": (render(SAY="x", lacks=["y"]), render(SAY="x", lacks=["x"]), "lacks 'x'"),
    "raw_has": (render(SAY=RED, raw_has=["\x1b[31m"]), render(SAY="x", raw_has=["\x1b[31m"]), "raw_has"),
    "raw_lacks": (render(SAY="x", raw_lacks=["\x1b[31m"]), render(SAY=RED, raw_lacks=["\x1b[31m"]), "raw_lacks"),
    "regex": (render(SAY="abc", regex=["^a.c$"]), render(SAY="abc", regex=["^a.d$"]), "regex"),
    "lines": (render(SAY=r"a\nb\n", lines=2), render(SAY=r"a\nb\n", lines=1), "lines: 2"),
    "max_lines": (render(SAY=r"a\nb", max_lines=2), render(SAY=r"a\nb\nc", max_lines=2), "max_lines: 3"),
    "max_cells": (
        render(SAY=r"\xe8\xaa\x9e", max_cells=2),
        render(SAY=r"\xe8\xaa\x9e\xe8\xaa\x9e", max_cells=2),
        "max_cells: 4",
    ),
    "within_s": (render(SAY="x", WAIT=0.1, within_s=2), render(SAY="x", WAIT=0.4, within_s=0.2), "took"),
    "max_rss_mb": (
        render(SAY="x", max_rss_mb=60),
        render(SAY="x", EAT=80, max_rss_mb=60),
        "max_rss_mb",
    ),
    "stdout_closed": (
        render(SAY="x", stdout_closed=True),
        render(SAY="x", stdout_closed=True, EXIT=1),
        "exit 1",
    ),
    "stdin, closed": (
        render(STDIN=1, stdin="closed", has=["OSError"]),
        render(STDIN=1, has=["OSError"]),
        "has 'OSError'",
    ),
    "stdin, directory": (
        render(exit=1, empty=False, stdin="directory"),
        render(exit=1, empty=False),
        "exit 0",
    ),
    "payload": (
        render(STDIN=1, payload="case.json", has=["synthetic"]),
        render(STDIN=1, payload="none.json", has=["synthetic"]),
        "has 'synthetic'",
    ),
    "env": (render(SAY="x"), render(EXIT=0), "nothing printed"),
    "color": (render(SAY=RED, color=True), render(SAY="x", color=True), "color True"),
    "no color": (render(SAY="x", color=False), render(SAY=RED, color=False), "color False"),
    "stderr_has": (
        render(SAY="x", COMPLAIN="dear", stderr_has=["dear"]),
        render(SAY="x", stderr_has=["dear"]),
        "stderr_has",
    ),
    "config": (
        render(CONFIG=1, config="theme='@CASE@'", has=["theme='@CASE@'"]),
        render(CONFIG=1, config="a=1", has=["b=1"]),
        "has 'b=1'",
    ),
    "times": (
        render(COUNT=9, times=3, regex=["^xxx$"]),
        render(COUNT=2, times=3),
        "run 2: exit 7",
    ),
    "traceback": (render(SAY="x"), render(SAY="x", COMPLAIN="Traceback"), "traceback"),
    "UTF-8": (render(SAY=r"\xc3\xa4"), render(SAY=r"\xc3"), "not UTF-8"),
    "control": (render(SAY=r"a\nb"), render(SAY=r"a\tb"), "control byte"),
    "C1": (render(SAY=r"a"), render(SAY=r"a\xc2\x9bb"), "control byte"),
    "foreign escape": (render(SAY=RED), render(SAY=r"a\x1b[2Jb"), "control byte"),
    "style": (render(SAY=RED), render(SAY=r"\x1b[1;31mred\x1b[22m\nx\x1b[0m"), "style left open"),
    "link": (render(SAY=LINKED), render(SAY=LINKED + r"\x1b]8;;https://a.example\x1b\\x"), "link left open"),
    "child": (render(SAY="x"), render(SAY="x", CHILD=1), "left in its group"),
    "same_as": (
        {"render": [{"env": {"SAY": "x"}}, {"env": {"SAY": "x"}, "same_as": 0}]},
        {"render": [{"env": {"SAY": "x"}}, {"env": {"SAY": "y"}, "same_as": 0}]},
        "same_as 0",
    ),
    "eval": ({"eval": {"[1, 2]": [1, 2.0000001]}}, {"eval": {"[1, 2]": [1, 3]}}, "is [1, 2], not [1, 3]"),
    "eval, several": (
        {"eval": {"a.json": {"1": 1}, "b.json": {"2": 2}}},
        {"eval": {"a.json": {"1": 1}, "b.json": {"2": 3}}},
        "eval b.json",
    ),
    "eval, JSON": ({"eval": {"null": None}}, {"eval": {"nil": None}}, "not JSON"),
    "unchanged": (
        {"files": {"f": "x"}, "unchanged": ["f"]},
        {"files": {"f": "x"}, "unchanged": ["f"], **render(SAY="x", TOUCH="@CASE@/f")},
        "unchanged: f",
    ),
    "absent": (
        {"absent": ["@HOME@/f"], **render(SAY="x")},
        {"absent": ["@HOME@/f"], **render(SAY="x", TOUCH="@HOME@/f")},
        "absent: @HOME@/f",
    ),
    "check": (
        {"check": {"config": "flaw", "exit": 0, "has": ["flaw"]}},
        {"check": {"config": "flaw", "exit": 0, "has": ["none"]}},
        "has 'none'",
    ),
    "check, exit": ({"check": [{"config": "", "exit": 0}]}, {"check": [{"config": ""}]}, "exit 0, not 1"),
    "stream": (
        {"stream": {"input": "payload.json", "eval": {"a": 42}}},
        {"stream": {"input": "payload.json", "eval": {"a": 43}}},
        "is 42, not 43",
    ),
    "stream, exit": (
        {"stream": {"input": "payload.json", "exit": 0}},
        {"stream": {"input": "payload.json", "exit": 1}},
        "exit 0, not 1",
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_each_assertion_bites(name: str, bench: Bench) -> None:
    """The first case of a pair holds; the second falls short, for the reason that its assertion names."""
    holding, failing, words = PAIRS[name]
    assert bench.faults(holding) == []
    found = bench.faults(failing)
    assert any(words in fault for fault in found), found


def test_every_word_has_a_pair() -> None:
    """No assertion of a render is untried."""
    assert case_runner.KEYS["render"] - {name.split(",")[0] for name in PAIRS} == set()


def rows(*pairs: tuple[str, str]) -> str:
    """What the stand-in has to say for these subagent rows, in its own notation."""
    lines = "\n".join(json.dumps({"id": name, "content": content}) for name, content in pairs)
    return lines.replace("\\", "\\\\").replace("\n", "\\n")


SUBAGENTS: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "ids": ({"ids": ["a", "b"]}, rows(("a", "1"), ("b", "2")), rows(("a", "1")), "ids"),
    "has": ({"has": {"a": ["one"]}}, rows(("a", "one")), rows(("a", "two")), "has 'one'"),
    "lacks": ({"lacks": {"a": ["one"]}}, rows(("a", "two")), rows(("a", "one")), "lacks 'one'"),
    "max_cells": ({"max_cells": 3}, rows(("a", "one")), rows(("a", "four")), "max_cells: 4"),
    "empty": ({"empty": True}, "", rows(("a", "x")), "empty"),
    "row": ({}, rows(("a", "x")), "[1]", "not a row"),
    "control": ({}, rows(("a", "\x1b[1mx\x1b[0m")), rows(("a", "x\ty")), "control byte"),
}


@pytest.mark.parametrize("name", SUBAGENTS)
def test_each_assertion_on_subagents_bites(name: str, bench: Bench) -> None:
    """The wanted rows hold, the others are a fault."""
    asked, good, bad, words = SUBAGENTS[name]
    assert bench.faults({"subagents": {"env": {"SAY": good}, **asked}}) == []
    found = bench.faults({"subagents": [{"env": {"SAY": bad}, **asked}]})
    assert any(words in fault for fault in found), found


def test_subagents_exit_and_config(bench: Bench) -> None:
    """A status other than 0 is a fault, and the config is handed over."""
    assert "exit 4" in bench.faults({"subagents": {"env": {"EXIT": 4}}})[0]
    row = '{"id": "a", "content": "x"}'
    assert bench.faults({"subagents": {"env": {"CONFIG": 1}, "config": row, "ids": ["a"]}}) == []


MEASURES = [
    ({"about": 5, "within": 1}, 5.9, 6.1),
    ({"about": 1, "within": 1}, 1, True),
    ({"one_of": [None, "x"]}, None, "y"),
    ({"regex": "^a"}, "abc", "bca"),
    ({"regex": "1"}, "1", 1),
    ({"at_most": 3}, 3, 4),
    ({"at_least": 3}, 3, 2),
    ({"at_least": 3, "at_most": 4}, 4, "3"),
    ({"lacks": "key"}, ["a"], {"key": 1}),
    (None, None, 0),
    (0, 0.0, False),
    (True, True, 1),
    ("1", "1", 1),
    ([1, None], [1, None], [1]),
    ({"a": {"at_most": 1}}, {"a": 1}, {"a": 2}),
    ({"a": 1}, {"a": 1}, {"a": 1, "b": 2}),
]


@pytest.mark.parametrize("want, good, bad", MEASURES)
def test_agreement_of_values(want: Any, good: Any, bad: Any) -> None:
    """Each measure lets one value through and holds another back."""
    assert case_runner.agrees(good, want)
    assert not case_runner.agrees(bad, want)


UNKNOWN = [
    {"evals": {}},
    {"render": [{"env": {"SAY": "x"}, "hass": ["x"]}]},
    {"render": [{"env": {"SAY": "x"}, "stdin": "tty"}]},
    {"subagents": {"lines": 1}},
    {"stream": {"input": "payload.json", "within_s": 1}},
    {"check": [{"config": "", "lacks": []}]},
    {"files": {"f": {"parts": [], "owner": "root"}}},
    {"eval": {"1": {"about": 1, "within": 1, "or": 2}}},
    {"eval": {"1": {"at_most": 1, "regex": "x"}}},
]


@pytest.mark.parametrize("asked", UNKNOWN, ids=str)
def test_unknown_words_are_faults(asked: dict[str, Any], bench: Bench) -> None:
    """An assertion that the runner does not know fails the case."""
    found = bench.faults(asked)
    assert len(found) == 1 and "unknown" in found[0], found


def test_files_are_there_before_the_runs(bench: Bench) -> None:
    """Files are written with repeated parts, tokens and mode."""
    content = {"parts": [["@HOME@ ", 1], ["ab", 3]], "mode": "600"}
    script = '[ "$(cat f)" = "$HOME ababab" ] && [ "$(stat -c %a f)" = 600 ] && exec "$@"'
    asked = {"files": {"f": content}, **render(SAY="x")}
    assert bench.faults(asked, {"run.sh": script}) == []
    assert bench.faults({**asked, "files": {"f": "other"}}, {"run.sh": script}) != []


def test_setup_makes_the_tokens_true(bench: Bench) -> None:
    """setup.sh gets the repository's directory when a payload names it, else the set-up path, and may fail."""
    seen = {"setup.sh": 'echo hello > "$1/file"', "payload.json": "@REPO@/file"}
    assert bench.faults(render(STDIN=1, has=["@REPO@/file"]), seen) == []
    seen = {"setup.sh": 'echo hello > "$1"', "payload.json": "@SETUP@"}
    asked = {"eval": {"1": 1}, "absent": ["@SETUP@"]}
    assert bench.faults(asked, seen) == ["absent: @SETUP@ exists"]
    assert "setup.sh: exit 3" in bench.faults(render(SAY="x"), {"setup.sh": "exit 3"})[0]


def test_feed_and_run_scripts(bench: Bench) -> None:
    """feed.sh stands on standard input, run.sh starts the command, and a feeder that never ends is ended."""
    assert bench.faults(render(STDIN=1, regex=["^fed$"]), {"feed.sh": "printf fed; exec sleep 60"}) == []
    assert bench.faults(render(has=["shown"]), {"run.sh": 'SAY=shown exec "$@"'}) == []


def test_environment_and_clock(bench: Bench) -> None:
    """The case's clock and environment reach the command; null takes a variable away."""
    assert bench.faults(render(CLOCK=1, has=["1234"]), now=1234) == []
    assert bench.faults(render(has=["case"]), env={"SAY": "case"}) == []
    assert bench.faults(render(SAY=None, empty=True), env={"SAY": "case"}) == []


def test_a_hanging_command_is_ended(bench: Bench, tmp_path: Path) -> None:
    """A run that never ends is a fault, not a hang."""
    found = bench.faults(render(SAY="x", WAIT=60, within_s=-2.5))
    assert any("took" in fault for fault in found)


def test_parts_of_a_case() -> None:
    """Each expression, render and command is a part of its own, and a render mentions what it is compared with."""
    asked = {
        "eval": {"a.json": {"x": 1, "y": 2}},
        "render": [{"config": "one"}, {"same_as": 0}],
        "check": {"config": "two"},
    }
    found = case_runner.parts({"assert": asked})
    assert [part.label for part in found] == ["eval a.json `x`", "eval a.json `y`", "render 0", "render 1", "check 0"]
    assert "one" in found[3].mentions
    assert case_runner.parts({}) == []


def test_only_wanted_parts_run(bench: Bench, tmp_path: Path) -> None:
    """A part that is not wanted is not run."""
    folder, scratch = tmp_path / "case", tmp_path / "scratch"
    folder.mkdir()
    scratch.mkdir()
    asked = {"eval": {"1": 2}, **render(SAY="x")}
    (folder / "case.json").write_text(json.dumps({"id": "a", "kind": "payload", "assert": asked}))
    assert case_runner.check(folder, scratch, bench.commands, lambda part: part.label == "render 0") == []


@pytest.mark.parametrize(
    "line, left",
    [
        ("\x1b[31mx\x1b[39m", set()),
        ("\x1b[31mx\x1b[m", set()),
        ("\x1b[31mx", {39}),
        ("\x1b[48;2;1;31;4mx", {49}),
        ("\x1b[38;5;1;4mx", {39, 24}),
        ("\x1b[38:2::1:2:3;1mx\x1b[22m", {39}),
        ("\x1b[1;2mx\x1b[22m", set()),
    ],
)
def test_styles_left_open(line: str, left: set[int]) -> None:
    """What would still have to be closed is told by the code that closes it."""
    assert screen.unclosed_styles(line) == left


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
def test_no_feeder_is_left(bench: Bench) -> None:
    """After the case its feeder is gone."""
    bench.faults(render(STDIN=1), {"feed.sh": "printf x; exec sleep 4321"})
    lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if os.access(path, os.R_OK)]
    assert b"sleep\x004321\x00" not in lines
