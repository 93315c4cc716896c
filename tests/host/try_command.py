"""
Shows a status line command in the real host, offline: `python tests/host/try_command.py 2.1.332 'date; echo $COLUMNS'`.

Prints the screen, and what each run saw and how it ended.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from host import real
from host.program import VERSIONS, alone


def main() -> None:
    """Reads the words of the command line, plays one short session."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("version", help=f"of the host ({', '.join(VERSIONS)}, ...)")
    reader.add_argument("command")
    reader.add_argument("--columns", type=int, default=80)
    reader.add_argument("--padding", type=int, default=0)
    reader.add_argument("--say", default="hello", help="the prompt; `agents` has some started")
    reader.add_argument("--wait", type=float, default=3.0, metavar="SECONDS", help="after the prompt")
    asked = reader.parse_args()
    with tempfile.TemporaryDirectory() as folder, alone(), real.host(asked.version, Path(folder)) as host:
        host.write_settings(statusLine={**host.recorded(asked.command, "runs"), "padding": asked.padding})
        with host.session(asked.columns) as session:
            session.terminal.say(asked.say)
            time.sleep(asked.wait)
            print(session.screen())
        for number, run in enumerate(host.runs("runs"), 1):
            print(f"\nrun {number}, ended {run.end}; stdin:\n{run.stdin.decode()}stdout:\n{run.stdout}")


if __name__ == "__main__":
    main()
