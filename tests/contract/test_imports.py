"""A refresh with a warm cache imports only what the hot lane may; unlike a stopwatch, this is the same everywhere."""

import subprocess
import sys
from pathlib import Path

import pytest
from launch import STATUS_LINE, Input, launch
from session import PLAIN_THEMES, THEMES, Environment, Session, at_home, captured, repository, transcript

PACKAGE_ROOMS = ("ohud.run", "ohud.fields")
LIBRARY = {"sys", "time", "_json", "select", "_signal", "_bisect"} | set(sys.builtin_module_names)
PAYLOAD_FOLDER = Path(__file__).parents[1] / "payloads"
PAYLOADS = ("2.1.332-main-10-near-200k", "2.1.332-unicode-dir-b-after", "2.1.332-ratelimit-float", "2.1.215-raw")


# Runs a script as the interpreter would and says at its end which modules there are: not all of them come through the
# import system, which `-X importtime` watches.
WATCH = """
import sys
system = __import__("posix" if "posix" in sys.builtin_module_names else "nt")
leave = system._exit
def say(code):
    system.write(2, ("\\nmodules " + " ".join(sys.modules)).encode())
    leave(code)
system._exit = say
if len(sys.argv) > 1:
    sys.argv = sys.argv[1:]
    source = open(sys.argv[0]).read()
    exec(compile(source, sys.argv[0], "exec"), {"__name__": "__main__", "__file__": sys.argv[0]})
say(0)
"""


def modules(said: str) -> set[str]:
    """The module names that a watched run ends with."""
    return set(said.rpartition("\nmodules ")[2].split())


def bare() -> set[str]:
    """What the interpreter has for nothing at all."""
    command = [STATUS_LINE[0], "-I", "-S", "-c", WATCH]
    return modules(subprocess.run(command, capture_output=True, text=True, check=True).stderr)


def allowed(module: str) -> bool:
    """Whether a refresh may import the module."""
    return module in LIBRARY or module in ("ohud", "quick") or module.startswith(PACKAGE_ROOMS)


def refresh(session: Session, payload: bytes, env: Environment | None = None, *words: str) -> set[str]:
    """What one refresh imports over the bare interpreter; words: those of the command line."""
    python, isolated, siteless, hot = STATUS_LINE
    command = [python, isolated, siteless, "-c", WATCH, hot, *words]
    outcome = launch(command, Input(payload), session.env(**(env or {})), session.home)
    assert outcome.code == 0 and outcome.out.strip(), outcome
    return modules(outcome.errors) - bare()


# Each plain theme on all of the payloads, each other one on the richest.
WARM = [(theme, name) for theme in THEMES for name in PAYLOADS[: None if theme in PLAIN_THEMES else 1]]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A user in a git repository."""
    made = Session(tmp_path)
    repository(made.home / "project")
    return made


def mapped(session: Session, name: str) -> bytes:
    """A recorded payload in the session's home, with its transcript."""
    payload = at_home(captured()[name], session.home)
    start = payload.index(b'"transcript_path":"') + len(b'"transcript_path":"')
    transcript(Path(payload[start : payload.index(b'"', start)].decode()), 600_000, "claude-sonnet-4-5-20250929")
    return payload


@pytest.mark.parametrize(("theme", "name"), WARM)
def test_a_warm_refresh_stays_in_the_hot_lane(theme: str, name: str, session: Session) -> None:
    """Each shipped theme runs on the allowed modules alone; strays are named."""
    session.configure(f'theme = "{theme}"\n')
    payload = mapped(session, name)
    session.line(payload)
    for columns in (None, {"COLUMNS": "30"}):
        strays = sorted(module for module in refresh(session, payload, columns) if not allowed(module))
        assert not strays, f"{theme} imports {', '.join(strays)}"


@pytest.mark.parametrize("theme", THEMES)
def test_warm_rows_of_subagents_stay_in_the_hot_lane(theme: str, session: Session) -> None:
    """The rows of each shipped theme, wide and narrow, are drawn on the allowed modules alone."""
    session.configure(f'theme = "{theme}"\n')
    wide = (PAYLOAD_FOLDER / "subagents" / "2.1.332.ndjson").read_bytes().splitlines()[2]
    refresh(session, wide, None, "subagents")
    for raw in (wide, wide.replace(b'"columns":114', b'"columns":20')):
        strays = sorted(module for module in refresh(session, raw, None, "subagents") if not allowed(module))
        assert not strays, f"{theme} imports {', '.join(strays)}"


def test_the_gate_bites(session: Session) -> None:
    """The first run of a theme compiles it, and the same look sees the libraries of the cold lane."""
    seen = refresh(session, mapped(session, PAYLOADS[0]))
    assert {"jinja2", "jmespath", "ohud.theme.lower"} <= {module for module in seen if not allowed(module)}


def test_no_module_is_loaded_that_the_theme_does_not_name(session: Session) -> None:
    """A family that no expression reaches is not imported."""
    session.configure('template = "{{ model }}"\n[segments]\nmodel = "computed.model.name"\n')
    payload = mapped(session, PAYLOADS[0])
    session.line(payload)
    families = {module.split(".")[2] for module in refresh(session, payload) if module.startswith("ohud.fields.")}
    assert {name for name in families if not name.startswith("_")} == {"model"}
