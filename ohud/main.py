"""The console entry: hot words go to `run`, all others to `cli`."""

import sys


def main() -> int:
    """
    Runs one command.

    Returns:  the exit status: 0 done, 1 the answer is "no", 2 wrong use
    """
    words = sys.argv[1:]
    if not words or words == ["subagents"]:
        from ohud.run.status import run

        run(sys.argv)
    from ohud.cli import run as command

    return command(words)
