"""`ohud eval`: the value of a JMESPath expression over the document of a payload, as JSON."""

from __future__ import annotations

import os
import sys
from typing import Any

from ohud.cli import DONE, NO, WRONG_USE, complain, parser
from ohud.cli.drawing import named
from ohud.cli.output import as_json, told
from ohud.cli.preview import paints
from ohud.cli.subject import LIMIT, Unread, contents
from ohud.errors import Flaw, Problem, Span, quote, render
from ohud.run import status
from ohud.run.expression import evaluate
from ohud.run.fault import Fault
from ohud.run.payload import parse
from ohud.run.program import load
from ohud.run.world import World
from ohud.theme.expressions import compile_expression
from ohud.theme.lower import families_of

_PATIENCE_S = 5.0


def run(words: list[str]) -> int:
    """Prints the value; 1 when the expression fails on this payload, 2 when it is no expression."""
    reader = parser("eval")
    reader.add_argument("expression", metavar="EXPR", help="a JMESPath expression, such as 'computed.model.name'")
    reader.add_argument("--payload", metavar="FILE", type=named, help="the payload's file (default: standard input)")
    asked = reader.parse_args(words)
    world = World()
    expression = compile_expression(asked.expression)
    if expression.ir is None:
        for flaw in expression.flaws:
            print(
                render(problem_of(flaw, asked.expression), asked.expression, paints("auto", world, sys.stderr)),
                file=sys.stderr,
            )
        return WRONG_USE
    try:
        raw = _read(asked.payload)
    except Unread as fault:
        return complain("eval", f"{quote(asked.payload or 'stdin', 200)} cannot be read: {fault}")
    if raw is None:
        return complain("eval", "the payload is read from standard input", "ohud eval EXPR < payload.json")
    document = _document(raw, families_of(expression.reach), world)
    try:
        value = evaluate(expression.ir, document)
    except Fault as fault:
        print("null")
        print(f"ohud eval: {told(str(fault))}", file=sys.stderr)
        return NO
    print(as_json(value, 2 if sys.stdout.isatty() else None))
    return DONE


def problem_of(flaw: Flaw, text: str) -> Problem:
    """A flaw with its place in what was typed."""
    line, column = flaw.line, None
    if flaw.start >= 0:
        before = text[: flaw.start]
        line, column = before.count("\n") + 1, flaw.start - before.rfind("\n")
    return Problem("segment-path", flaw.message, Span("expression", line, column, flaw.length), flaw.help)


def _read(path: str | None) -> bytes | None:
    """
    The payload's bytes, at most one more than a payload may have.

    Returns:  None when nobody has redirected standard input
    Errors:   Unread
    """
    if path is not None and path != "-":
        return contents(path)
    if sys.stdin is None or sys.stdin.isatty():
        return None
    handle = sys.stdin.fileno()
    raw = b""
    while len(raw) <= LIMIT:
        try:
            part = os.read(handle, LIMIT + 1 - len(raw))
        except OSError as fault:
            raise Unread((fault.strerror or "").lower()) from None
        if not part:
            break
        raw += part
        # A host may hold its end open: what is whole is enough.
        if raw.rstrip().endswith(b"}") and parse(raw) is not None:
            break
    return raw


def _document(raw: bytes, families: dict[str, Any], world: World) -> dict[str, Any]:
    """
    The document that themes see; without a payload, what is known without one.

    Takes:  families: {family: fields, or true for a family that is one value}
    """
    program = load(world)
    if program["notice"]:
        print(program["notice"], file=sys.stderr)
    world.configure(program["settings"], program["color"], program["columns"])
    payload = parse(raw) if len(raw) <= LIMIT else None
    if payload is None:
        said = "more than 256 KiB" if len(raw) > LIMIT else "no JSON object"
        print(f"ohud eval: the input is {said}, as good as no payload", file=sys.stderr)
        payload = {}
    # A person waits for the slow facts; a refresh shows what it has.
    world.patience = _PATIENCE_S
    document = status.begin(payload, world)
    faults: list[str] = []
    status.compute(document, families, world, faults)
    for fault in faults:
        print(f"ohud eval: {told(fault)}", file=sys.stderr)
    return document
