"""The file that the installed command line names: `<python> -I -S <this file> [subagents]`."""

# A main script is compiled at every start, so it is short; `quick` lies in a small folder, so finding it is cheap.
import sys

sys.path.insert(0, __file__[:-6] + "run")
import quick  # type: ignore[import-not-found]

# Last: what the standard library has is found without a look at this folder, which may be a large one.
sys.path[0:1] = []
sys.path.append(quick.ROOT)
quick.start()

from ohud.run.status import run  # noqa: E402

run(sys.argv)
