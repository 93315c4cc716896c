"""The real host's program, from the npm registry by its package's name, kept in a cache outside the project."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

VERSIONS = ("2.1.215", "2.1.332")
PACKAGE = "@anthropic-ai/claude-code"
INSTALL_LIMIT_S = 600


class Missing(Exception):
    """The host cannot be had, and why."""


def cache() -> Path:
    """Where the hosts are kept, a folder a version."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "ohud-host"


@contextmanager
def alone() -> Iterator[None]:
    """One host at a time on this machine: it is large, and its timing is looked at."""
    cache().mkdir(parents=True, exist_ok=True)
    with (cache() / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def program(version: str) -> Path:
    """
    The program of one version, installed on first use; no script of the package is run.

    Errors:  Missing
    """
    folder = cache() / version
    if not folder.exists():
        _install(version, folder)
    # The program lies in a package for the platform, on which the named one depends.
    found = sorted(folder.glob(f"node_modules/{PACKAGE}-*/claude"))
    if not found:
        raise Missing(f"{PACKAGE}@{version} has no program for this platform")
    return found[0]


def _install(version: str, folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise Missing("there is no npm to install the host with")
    part = folder.with_name(version + ".part")
    shutil.rmtree(part, ignore_errors=True)
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(part)]
    command = [npm, "install", *options, f"{PACKAGE}@{version}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        raise Missing(f"npm did not install {PACKAGE}@{version} in time") from None
    if done.returncode:
        raise Missing(f"npm cannot install {PACKAGE}@{version}: {done.stderr.strip()[:300]}")
    part.rename(folder)
