"""`ohud schema`: the generated files under schema/, compared with the declarations or written anew."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

from ohud.cli import DONE, NO, parser
from ohud.errors import count
from ohud.host.facts import payload_schema
from ohud.theme.read import bundled_dir
from ohud.theme.schema import config_schema, theme_schema

GENERATED: tuple[tuple[str, Callable[[], dict[str, Any]]], ...] = (
    ("theme.schema.json", theme_schema),
    ("config.schema.json", config_schema),
    ("payload.schema.json", payload_schema),
)

COMMAND = "ohud schema --write"


def run(words: list[str]) -> int:
    """Compares the files with the declarations (exit 1 when one is out of date), or writes them."""
    reader = parser("schema")
    way = reader.add_mutually_exclusive_group()
    way.add_argument("--check", action="store_true", help="compare (this is what happens by default)")
    way.add_argument("--write", action="store_true", help="write the files that are out of date")
    asked = reader.parse_args(words)
    stale = list(out_of_date(bundled_dir("schema")))
    for path, text in stale:
        if asked.write:
            with open(path, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
        print(("written: " if asked.write else "out of date: ") + path)
    if not stale:
        print(f"{count(len(GENERATED), 'schema file')} up to date")
    elif not asked.write:
        print(f"help: {COMMAND}", file=sys.stderr)
    return DONE if asked.write or not stale else NO


def out_of_date(folder: str) -> Iterator[tuple[str, str]]:
    """(path, right content) of each schema file in the folder that is missing or differs."""
    for name, schema in GENERATED:
        path = os.path.join(folder, name)
        text = json.dumps(schema(), ensure_ascii=False, indent=2) + "\n"
        if _content(path) != text:
            yield path, text


def _content(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
