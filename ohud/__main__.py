"""`python -m ohud`."""

import sys

from ohud.main import main

sys.exit(main())
