"""Slow jobs: what a detached refresher does, outside the refresh that the host waits for."""

import gc

# A refresh switches collecting off, as it lives for 5 ms; the refresher is forked from it and may work for seconds.
gc.enable()
