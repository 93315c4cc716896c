"""What is known about the host, Claude Code."""
