"""The commands that a person types; each is a module here, imported only when it is the one asked for."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser

# Name -> (module, what it does). A module has `run(words) -> int`.
COMMANDS = {
    "preview": ("preview", "show a theme on built-in or given payloads"),
    "themes": ("themes", "draw the themes; show, add or begin one"),
    "check": ("check", "find every fault of a theme or config"),
    "eval": ("evaluate", "print the value of a JMESPath expression over the payload on stdin"),
    "explain": ("explain", "say of each segment of a theme what it reads, shows and costs, or why it is hidden"),
    "fields": ("fields", "list the fields that themes can show, each with its value in a payload"),
    "init": ("init", "set ohud up: theme, icons, colours and background from what the terminal shows"),
    "config": ("config", "read and change config.toml: get, set, unset, list, path, edit"),
    "import": ("convert", "turn the settings of another status line or prompt into a theme"),
    "stream": ("stream", "draw the status line for `claude -p`, live, while the run goes on"),
    "replay": ("replay", "play a recorded stream or transcript, as a live line"),
    "record": ("record", "keep payloads for a bug report, with names, paths and texts replaced"),
    "host": ("host", "play a status line command as Claude Code runs and draws it"),
    "install": ("install", "put the status line into Claude Code's settings"),
    "uninstall": ("uninstall", "take it out again, and bring back what was there before"),
    "doctor": ("doctor", "say why the status line is not there, or not whole, and what to do"),
    "schema": ("schema", "compare or write the generated schema files (for work on ohud itself)"),
}

DONE, NO, WRONG_USE = 0, 1, 2


def run(words: list[str]) -> int:
    """
    Runs the command that the words name, its output guarded.

    Returns:  the exit status: 0 done, 1 the answer is "no", 2 wrong use
    """
    from ohud.cli.output import in_order

    return in_order(_run, words)


def _run(words: list[str]) -> int:
    name, rest = (words[0], words[1:]) if words else ("help", [])
    if name in ("--help", "-h", "help"):
        return _help(rest)
    if name in ("--version", "-V"):
        from ohud import __version__

        print("ohud " + __version__)
        return DONE
    if name not in COMMANDS:
        return _unknown(name)
    return _call(name, rest)


def _call(name: str, words: list[str]) -> int:
    """Runs one command."""
    from importlib import import_module

    code: int = import_module("ohud.cli." + COMMANDS[name][0]).run(words)
    return code


def parser(name: str, usage: str | None = None) -> ArgumentParser:
    """An argument parser for one command, whose complaints are one line and a hint."""
    import argparse

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> object:  # type: ignore[override]
            from ohud.cli.output import told

            print(f"ohud {name}: {told(message)}", file=sys.stderr)
            print(f"help: ohud {name} --help", file=sys.stderr)
            raise SystemExit(WRONG_USE)

    return Parser(prog="ohud " + name, usage=usage, description=_sentence(COMMANDS[name][1]), allow_abbrev=False)


def complain(name: str, message: str, hint: str | None = None) -> int:
    """Says on stderr why a command could not do what was asked; gives the exit status for wrong use."""
    from ohud.cli.output import PATH, told

    print(f"ohud {name}: {told(message, PATH)}", file=sys.stderr)
    if hint:
        print("help: " + told(hint, PATH), file=sys.stderr)
    return WRONG_USE


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


def _help(words: list[str]) -> int:
    if words and words[0] in COMMANDS:
        return _call(words[0], ["--help"])
    if words and not words[0].startswith("-"):
        return _unknown(words[0])
    width = max(map(len, COMMANDS))
    print("usage: ohud                    the status line: Claude Code's payload on stdin, text on stdout")
    print("       ohud COMMAND [...]      one of the commands below; `ohud COMMAND --help` says more")
    print("       ohud --version")
    print()
    for name, (_, what) in COMMANDS.items():
        print(f"  {name:{width}}  {what}")
    return DONE


def _unknown(name: str) -> int:
    from ohud.errors import nearest, quote

    print(f"ohud: unknown command {quote(name)}", file=sys.stderr)
    close = nearest(name, COMMANDS)
    print("help: " + (f"did you mean `{close}`?" if close else "ohud help"), file=sys.stderr)
    return WRONG_USE
