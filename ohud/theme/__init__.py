"""Themes: from TOML text to a program of plain data."""
