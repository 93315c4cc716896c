"""Started by the host again and again: small, and importing next to nothing."""
