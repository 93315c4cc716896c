"""
A place where a program sees nothing of this machine's users: no network but the loopback, a home of its own, an empty
/tmp. Inside, a terminal (tmux) and the model's stand-in wait for it; all ends with the enclosure.

The lower half runs inside, as the first process of the enclosure.
"""

import ctypes
import fcntl
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from host import model

HOME = "/home/user"
TESTS = Path(__file__).parent.parent
SYSTEM_POLICY = "/etc/claude-code"
TOOLS = ("tmux", "unshare", "git")
TMUX_OPTIONS = """
set -s exit-empty off
set -s escape-time 0
set -g status off
set -g default-terminal tmux-256color
set -g history-limit 2000
"""


def refusal() -> str | None:
    """Why this machine cannot have an enclosure; None when it can."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if sys.platform != "linux" or missing:
        return f"the host needs Linux and {', '.join(missing or TOOLS)}"
    tried = subprocess.run([*_unshare(), "true"], capture_output=True, text=True, check=False)
    return f"no namespaces here: {tried.stderr.strip()}" if tried.returncode else None


def _unshare() -> list[str]:
    words = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    return words if os.geteuid() == 0 else [*words, "--map-root-user"]


@contextmanager
def enclosure(root: Path, visible: Sequence[Path]) -> Iterator[Path]:
    """
    The socket of a tmux server whose programs live in the enclosure, and which answers outside too.

    Takes:  root: a folder for its files, the later home among them; visible: what else may be seen of users' folders
    """
    (root / "home").mkdir(parents=True, exist_ok=True)
    (root / "tmux.conf").write_text(TMUX_OPTIONS)
    plan = {
        "root": str(root),
        "visible": sorted({str(path) for path in [*visible, root]}),
        "covered": sorted({"/tmp", "/home", str(Path.home()), SYSTEM_POLICY}),
    }
    command = [*_unshare(), sys.executable, "-m", "host.enclosure", json.dumps(plan)]
    environment = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd=TESTS, env=environment, start_new_session=True
    ) as process:
        try:
            assert process.stdout
            if process.stdout.readline() != b"ready\n":
                raise OSError("the enclosure did not start")
            yield root / "tmux.socket"
        finally:
            process.kill()  # its first process is killed with it, and with that one all the others


def _enter(plan: dict[str, Any]) -> None:
    """Inside: covers users' folders, but for what is to be seen, and starts what waits for the host."""
    handles = {path: os.open(path, os.O_PATH) for path in plan["visible"]}
    handles[HOME] = os.open(plan["root"] + "/home", os.O_PATH)
    for folder in filter(os.path.isdir, plan["covered"]):
        _mount("tmpfs", folder, "tmpfs")
    os.chmod("/tmp", 0o1777)
    for path, handle in handles.items():
        os.makedirs(path, exist_ok=True)
        _mount(f"/proc/self/fd/{handle}", path, bind=True)
        os.close(handle)
    _raise_loopback()
    tmux = ["tmux", "-u", "-S", plan["root"] + "/tmux.socket", "-f", plan["root"] + "/tmux.conf"]
    environment = {"PATH": os.defpath, "HOME": HOME, "LANG": "C.UTF-8", "SHELL": "/bin/sh"}
    subprocess.run([*tmux, "start-server"], env=environment, cwd="/", check=True)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the first process inherits orphans: they leave no zombies


def _mount(source: str, target: str, kind: str = "", *, bind: bool = False) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.mount(source.encode(), target.encode(), kind.encode(), 0x1000 if bind else 0, None):
        raise OSError(ctypes.get_errno(), f"cannot mount {source} on {target}")


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh", b"lo", 0x41))  # SIOCSIFFLAGS: IFF_UP, IFF_RUNNING


if __name__ == "__main__":
    _enter(json.loads(sys.argv[1]))
    model.serve(lambda: os.write(1, b"ready\n"))
