"""Which room may import which, and who may write, start or print: read from the syntax trees, so nothing has to run."""

import ast
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from launch import REPOSITORY

PACKAGE = REPOSITORY / "ohud"
HOT = ("run", "fields")
SYSTEM = {"posix", "nt"}
HOT_LIBRARY = {"sys", "time", "select", "_json", "_signal", "_bisect", "_imp", "_codecs", "_winapi", "msvcrt"} | SYSTEM
# What puts the hot modules on the path works with what every interpreter has already loaded.
LOADED = {"_frozen_importlib", "_frozen_importlib_external", "marshal"}
LOADERS = {"hot.py": {"quick"} | LOADED, "run/quick.py": LOADED}
# file: modules it may import in a function though its room may not, and why
DOORS = {
    "run/program.py": {"ohud.theme.lower": "the compiler, on a miss", "site": "brings site-packages back under -S"},
    "run/payload.py": {"json": "where the C scanner is missing"},
    "run/functions.py": {"json": "where the C encoder is missing"},
    "run/journal.py": {"json": "where the C encoder is missing"},
    "run/slow.py": {"json": "in the detached refresher, for which nobody waits"},
    "run/status.py": {"gc": "a C module; collecting is switched off"},
    "run/subagents.py": {"json": "where the C encoder is missing"},
}
# Who may write files, and what.
WRITERS = {
    "run/keep.py": "the private cache and the log, on behalf of the world",
    "run/slow.py": "answers of detached refreshers, and their locks",
    "theme/lower.py": "compiled programs",
    "host/scenarios.py": "a scratch folder for the built-in scenarios, taken away again",
    "host/files.py": "the host's settings, ohud's config, and a record of both for the way back",
    "host/replace.py": "the same, step by step",
    "cli/schema.py": "schemas and README tables",
    "cli/picture.py": "pictures, into the files that the user names",
    "cli/record.py": "takes away kept payloads beyond the bound, and the mark that recording is off",
    "host/editor.py": "a private copy of the config for the user's editor, taken away again",
}
# Who may start a process.
STARTING = {"run/slow.py": "one detached refresher a slow fact"}
STARTERS = {
    "system",
    "fork",
    "forkpty",
    "posix_spawn",
    "posix_spawnp",
    "execv",
    "execve",
    "execvp",
    "popen",
    "startfile",
}
CHANGES = {"unlink", "remove", "rename", "replace", "mkdir", "rmdir", "chmod", "link", "symlink", "truncate"}
LOOKS = {"get_terminal_size", "which", "gettempdir"}
PATH_CHANGES = {"write_text", "write_bytes", "touch", "mkdir", "unlink", "rmdir", "chmod", "symlink_to", "rename"}


@dataclass(frozen=True)
class Import:
    """One imported name as written: `from a.b import c` is `a.b.c`."""

    module: str
    line: int
    deferred: bool
    for_types: bool


@dataclass(frozen=True)
class Tree:
    """One file of the package, parsed."""

    name: str
    body: ast.Module

    @property
    def room(self) -> str:
        """The folder below the package, or the file itself at its top."""
        return self.name.split("/")[0]


def trees(root: Path = PACKAGE) -> list[Tree]:
    """Every source file of the package."""
    files = sorted(path for path in root.rglob("*.py"))
    return [Tree(path.relative_to(root).as_posix(), ast.parse(path.read_text("utf-8"))) for path in files]


def imports(tree: Tree) -> Iterator[Import]:
    """All imports of a file: which stand in a function, and which are for annotations only."""
    yield from _imports(tree.body, False, False)


def _imports(node: ast.AST, deferred: bool, for_types: bool) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        yield from (Import(alias.name, node.lineno, deferred, for_types) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        assert not node.level, "imports name the whole package"
        for alias in node.names:
            yield Import(f"{node.module}.{alias.name}", node.lineno, deferred, for_types)
    elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
        for guarded in node.body:
            yield from _imports(guarded, deferred, True)
        for other in node.orelse:
            yield from _imports(other, deferred, for_types)
    else:
        inside = deferred or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for child in ast.iter_child_nodes(node):
            yield from _imports(child, inside, for_types)


def below(module: str, *packages: str) -> bool:
    """Whether a module is one of the packages or inside one."""
    return any(module == package or module.startswith(package + ".") for package in packages)


def door(tree: Tree, found: Import) -> bool:
    """Whether an import is one of the few exceptions: by name, and inside a function."""
    return found.deferred and below(found.module, *DOORS.get(tree.name, ()))


def calls(tree: Tree) -> Iterator[tuple[ast.Call, str, str]]:
    """Every call as (node, receiver, name); the receiver of a bare name is empty."""
    for node in ast.walk(tree.body):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node, "", node.func.id
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node, ast.unparse(node.func.value), node.func.attr


def place(tree: Tree, line: int, text: str) -> str:
    """One fault as it is reported."""
    return f"ohud/{tree.name}:{line}: {text}"


def cold_imports(files: list[Tree]) -> list[str]:
    """1: the hot rooms import nothing of the cold ones, nor a library."""
    cold = (
        "ohud.theme",
        "ohud.host",
        "ohud.cli",
        "ohud.stream",
        "ohud.errors",
        "jinja2",
        "jmespath",
        "tomli_w",
        "yaml",
        "rich",
    )
    return [
        place(tree, found.line, found.module)
        for tree in files
        if tree.room in HOT
        for found in imports(tree)
        if below(found.module, *cold) and not found.for_types and not door(tree, found)
    ]


def library_imports(files: list[Tree]) -> list[str]:
    """2: hot code imports from the standard library only a few C modules."""
    return [
        place(tree, found.line, found.module)
        for tree in files
        if tree.room in HOT or tree.name == "hot.py"
        for found in imports(tree)
        if not below(found.module, "ohud", *HOT_LIBRARY, *LOADERS.get(tree.name, ()))
        and not found.for_types
        and not door(tree, found)
    ]


def field_imports(files: list[Tree]) -> list[str]:
    """3: a family imports neither another nor the runtime, and neither prints, starts nor writes."""
    faults = []
    for tree in files:
        if tree.room != "fields":
            continue
        for found in imports(tree):
            shared = found.module.startswith("ohud.fields._")
            if below(found.module, "ohud") and not shared and not found.for_types:
                faults.append(place(tree, found.line, found.module))
            if below(found.module, "os", *SYSTEM) and not found.for_types:
                faults.append(place(tree, found.line, f"{found.module}: outside facts come from the world"))
        for node, receiver, name in calls(tree):
            if not receiver and name in {"print", "open", "eval", "exec", "compile", "__import__", "input"}:
                faults.append(place(tree, node.lineno, f"calls {name}"))
    return faults


def named_families(files: list[Tree]) -> list[str]:
    """4: the runtime names no family; only a program does."""
    families = {tree.name[7:-3] for tree in files if tree.room == "fields" and not tree.name.startswith("fields/_")}
    faults = []
    for tree in files:
        if tree.room != "run":
            continue
        faults += [place(tree, one.line, one.module) for one in imports(tree) if below(one.module, "ohud.fields")]
        for node in ast.walk(tree.body):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            text = node.value
            tail = text.rpartition("computed.")[2] if "computed." in text else text.removeprefix("ohud.fields.")
            if tail != text and tail.split(".")[0] in families:
                faults.append(place(tree, node.lineno, repr(text[:60])))
    return faults


def upward_imports(files: list[Tree]) -> list[str]:
    """5: the compiler imports neither the commands nor the host."""
    return [
        place(tree, found.line, found.module)
        for tree in files
        if tree.room == "theme"
        for found in imports(tree)
        if below(found.module, "ohud.cli", "ohud.host", "ohud.main")
    ]


def command_renders(files: list[Tree]) -> list[str]:
    """6: commands render through run.status alone."""
    stages = [f"ohud.run.{name}" for name in ("template", "filters", "style", "fit")]
    return [
        place(tree, found.line, found.module)
        for tree in files
        if tree.room == "cli"
        for found in imports(tree)
        if below(found.module, *stages)
    ]


def command_imports(files: list[Tree]) -> list[str]:
    """7: nothing imports a command but main.py, and errors.py imports nothing of ours."""
    faults = []
    for tree in files:
        for found in imports(tree):
            if below(found.module, "ohud.cli") and tree.room not in ("cli", "main.py"):
                faults.append(place(tree, found.line, found.module))
            if tree.name == "errors.py" and below(found.module, "ohud"):
                faults.append(place(tree, found.line, found.module))
    return faults


def writes(files: list[Tree]) -> list[str]:
    """8: few files write or start anything."""
    faults = []
    for tree in files:
        constants = _constants(tree)
        for node, receiver, name in calls(tree):
            if tree.name not in WRITERS and _writes(node, receiver, name, constants):
                faults.append(place(tree, node.lineno, ast.unparse(node)[:80]))
            starts = receiver in {"os", "system", *SYSTEM} and name in STARTERS
            if tree.room in HOT and tree.name not in STARTING and starts:
                faults.append(place(tree, node.lineno, ast.unparse(node)[:80]))
    return faults


def _constants(tree: Tree) -> dict[str, str]:
    """What the file's own constants are made of, as text."""
    found = {}
    for node in tree.body.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = ast.unparse(node.value)
    return found


def _writes(node: ast.Call, receiver: str, name: str, constants: dict[str, str]) -> bool:
    """Whether a call changes the file system; what is written to a descriptor shows where that was opened."""
    system = receiver in {"os", "system", *SYSTEM}
    if name == "open" and system:
        names = [one.id for one in ast.walk(node) if isinstance(one, ast.Name)]
        text = " ".join([ast.unparse(node), *(constants.get(one, "") for one in names)])
        return "devnull" not in text and ("O_RDONLY" not in text or "O_CREAT" in text)
    if name == "open":
        place_of_mode = 1 if receiver in ("", "io") else 0
        mode = node.args[place_of_mode : place_of_mode + 1]
        mode += [word.value for word in node.keywords if word.arg == "mode"]
        return any(not isinstance(one, ast.Constant) or set(str(one.value)) & set("wax+") for one in mode)
    if system:
        return name in CHANGES
    return name in PATH_CHANGES or (receiver in ("tempfile", "shutil") and name not in LOOKS)


Arrow = Callable[[list[Tree]], list[str]]
ARROWS: list[Arrow] = [
    cold_imports,
    library_imports,
    field_imports,
    named_families,
    upward_imports,
    command_renders,
    command_imports,
    writes,
]


@pytest.mark.parametrize("arrow", ARROWS, ids=lambda arrow: arrow.__name__)
def test_arrow(arrow: Arrow) -> None:
    """No file of the package breaks the rule."""
    faults = arrow(trees())
    assert not faults, "\n".join([str(arrow.__doc__), *faults])


# arrow: files that break it, each in one way
BROKEN = {
    "cold_imports": {
        "run/a.py": "from ohud.theme.lower import build",
        "fields/a.py": "def f():\n    import jinja2",
        "run/program.py": "from ohud.theme.lower import build",
    },
    "library_imports": {
        "run/a.py": "import json",
        "fields/a.py": "from datetime import datetime",
        "hot.py": "import re",
        "run/payload.py": "import json",
        "run/b.py": "from __future__ import annotations",
    },
    "field_imports": {
        "fields/a.py": "from ohud.fields import b",
        "fields/b.py": "from ohud.run.world import World",
        "fields/c.py": "def c(payload, world):\n    print(1)",
        "fields/d.py": "import posix",
        "fields/e.py": "def e(payload, world):\n    return open('/etc/passwd')",
    },
    "named_families": {
        "fields/git.py": "",
        "run/a.py": "from ohud.fields import git",
        "run/b.py": "x = 'computed.git.branch'",
        "run/c.py": "x = 'ohud.fields.git'",
    },
    "upward_imports": {"theme/a.py": "import ohud.cli", "theme/b.py": "from ohud.host import facts"},
    "command_renders": {"cli/a.py": "from ohud.run.template import render", "cli/b.py": "from ohud.run import fit"},
    "command_imports": {"theme/a.py": "from ohud.cli import check", "errors.py": "from ohud.theme import span"},
    "writes": {
        "cli/a.py": "open('x', 'w')",
        "run/a.py": "system.unlink('x')",
        "theme/a.py": "Path('x').write_text('')",
        "run/b.py": "system.posix_spawn('git', [], {})",
        "cli/b.py": "Path('x').open(mode)",
        "cli/c.py": "tempfile.mkdtemp()",
        "cli/d.py": "os.open('x', os.O_WRONLY)",
        "cli/e.py": "os.open('x', flags)",
    },
}
HARMLESS = {
    "run/program.py": "def f():\n    from ohud.theme.lower import build\n    import site",
    "run/a.py": "import sys\nif TYPE_CHECKING:\n    from typing import Any\nsystem.write(1, b'')",
    "fields/b.py": "from ohud.fields._num import number\n'a'.replace('a', 'b')",
    "run/c.py": "READ = system.O_RDONLY\nsystem.open('x', READ | flags)",
    "cli/a.py": "from ohud.run.status import render\nopen('x')\nopen('x', 'rb')",
}


@pytest.mark.parametrize("arrow", ARROWS, ids=lambda arrow: arrow.__name__)
def test_arrow_bites(arrow: Arrow, tmp_path: Path) -> None:
    """Each broken file is found, and what is allowed is let through."""
    broken = {name: text for name, text in BROKEN[arrow.__name__].items() if text}
    faults = arrow(_written(tmp_path / "broken", BROKEN[arrow.__name__]))
    assert {fault.split(":")[0] for fault in faults} == {f"ohud/{name}" for name in broken}
    assert arrow(_written(tmp_path / "harmless", HARMLESS)) == []


def _written(root: Path, files: dict[str, str]) -> list[Tree]:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return trees(root)


def test_every_import_is_of_a_known_top_level() -> None:
    """The package imports the standard library, itself and its declared dependencies."""
    known = (
        {"ohud", "quick", "jinja2", "jmespath", "tomli_w", "yaml", "markupsafe"} | set(sys.stdlib_module_names) | SYSTEM
    )
    strays = [place(tree, one.line, one.module) for tree in trees() for one in imports(tree)]
    assert [stray for stray in strays if stray.split(": ")[1].split(".")[0] not in known] == []
