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
from ohud.theme import fieldset
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
        print(f"{count(len(GENERATED), 'schema file')} and the README up to date")
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
    # Beside the package only in a checkout.
    path = os.path.join(os.path.dirname(folder), "README.md")
    written = _content(path)
    if written is not None:
        text = with_tables(written)
        if text != written:
            yield path, text


def with_tables(readme: str) -> str:
    """The README with its generated tables as the declarations have them."""
    start, end = "<!-- fields: generated, `ohud schema --write` -->\n", "<!-- /fields -->"
    before, found, rest = readme.partition(start)
    _, closed, after = rest.partition(end)
    return before + start + fields_table() + end + after if found and closed else readme


def fields_table() -> str:
    """The catalogue of computed fields as Markdown, a table a family."""
    lines = ["| field | what it is | type |", "| --- | --- | --- |"]
    for family, fields in fieldset.catalogue().items():
        for name, doc in fields.items():
            path = family if fieldset.is_value(family) else f"{family}.{name}"
            lines.append(_row(path, doc))
            lines += [_row(f"{path}.{key}", of) for key, of in doc.keys.items()]
    return "\n".join(lines) + "\n"


def _row(path: str, doc: fieldset.FieldDoc) -> str:
    unit = f", {doc.unit}" if doc.unit else ""
    slow = " (slow)" if doc.cost == "slow" else ""
    summary = doc.summary.rstrip(".").replace("|", "\\|")
    return f"| `{path}` | {summary}{slow} | {doc.type}{unit} |"


def _content(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
