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
    import _signal  # type: ignore[import-not-found]

    try:
        from ohud.cli import run as command

        return command(words)
    except KeyboardInterrupt:
        return 130
    finally:
        # While the interpreter ends, Ctrl-C is no exception any more.
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
