"""Slow jobs: what a detached refresher does, outside the refresh that the host waits for."""
