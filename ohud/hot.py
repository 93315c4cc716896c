"""The file that the installed command line names: `<python> -I -S <this file> [subagents]`."""

import sys

# A main script is never cached as bytecode, so it only puts the package on the path and leaves.
sys.path.insert(0, __file__.replace("\\", "/").rpartition("/ohud/")[0])

from ohud.run.status import run  # noqa: E402

run(sys.argv)
