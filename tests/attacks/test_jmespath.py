"""Every hostile expression is refused with one clean line or evaluated within the limits; OHUD_ATTACKS names more."""

import json
import os
import time
import tracemalloc
from pathlib import Path
from typing import Any

import jmespath
import pytest
from pace import bound

from ohud.errors import invisible
from ohud.run.expression import LARGEST, LONGEST, evaluate
from ohud.run.fault import Fault
from ohud.theme.expressions import compile_expression

FOLDER = Path(os.environ.get("OHUD_ATTACKS") or Path(__file__).parent)
ITEMS = json.loads((FOLDER / "jmespath.json").read_text(encoding="utf-8"))
DOCUMENT = json.loads((FOLDER / "jmespath-data.json").read_text(encoding="utf-8"))
SECRET = "SECRET-CANARY-VALUE"

jmespath.search("a", {})  # the cold start is not part of what is measured


def text_of(item: dict[str, Any]) -> str:
    if "parts" in item:
        return "".join(text * count for text, count in item["parts"])
    return str(item["expression"])


def outcome(text: str) -> tuple[str, Any]:
    expression = compile_expression(text)
    if expression.ir is None:
        return "rejected", [part for flaw in expression.flaws for part in (flaw.message, flaw.help or "")]
    try:
        return "value", evaluate(json.loads(json.dumps(expression.ir)), DOCUMENT)
    except Fault as fault:
        return "fault", [str(fault)]


def clean(text: str) -> bool:
    return not any(invisible(character) for character in text)


def strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in value for text in strings(item)]
    if isinstance(value, dict):
        return [text for key, item in value.items() for text in [key, *strings(item)]]
    assert value is None or isinstance(value, int | float)
    return []


def seconds(text: str) -> float:
    begin = time.thread_time()
    outcome(text)
    return time.thread_time() - begin


@pytest.mark.parametrize("item", ITEMS, ids=[item["id"] for item in ITEMS])
def test_a_hostile_expression_meets_the_contract(item: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused with one clean line, or a bounded value without control characters, as the item expects."""
    monkeypatch.setenv("OHUD_CANARY", SECRET)
    text = text_of(item)
    kind, result = outcome(text)
    if item["expect"] == "rejected":
        assert kind == "rejected"
    if item["expect"] == "harmless":
        assert (kind, result) == ("value", jmespath.search(text, DOCUMENT))
    if kind != "value":
        assert all(len(line) <= 300 and clean(line) for line in result)
        assert result[0]
    shown = json.dumps(result, allow_nan=False)
    assert len(strings(result)) <= LARGEST
    assert all(len(part) <= LONGEST and clean(part.translate({9: " ", 10: " ", 13: " "})) for part in strings(result))
    assert not any(word in shown for word in [SECRET, *item.get("must_not_contain", [])])


@pytest.mark.parametrize("item", ITEMS, ids=[item["id"] for item in ITEMS])
def test_a_hostile_expression_costs_little(item: dict[str, Any]) -> None:
    """Under 100 ms of processor time and 32 MB, compiling included."""
    text = text_of(item)
    assert min(seconds(text) for _ in range(3)) < bound(0.1)
    tracemalloc.start()
    try:
        outcome(text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 32 * 2**20


GROWING = "join(s, [s,s,s,s,s,s,s,s])" + " | join(@, [@,@,@,@,@,@,@,@])" * 4


def test_the_controls_bite() -> None:
    """Stock jmespath does go wrong where these tests ask ohud not to: else they would prove nothing."""
    assert type(jmespath.search("&a", DOCUMENT)).__name__ == "_Expression"
    assert not clean(jmespath.search("'\x1b]0;pwn\x07'", DOCUMENT))
    assert jmespath.search("to_number('1e999')", DOCUMENT) == float("inf")
    assert jmespath.compile("system('id')").parsed["type"] == "function_expression"
    assert len(jmespath.search(GROWING, DOCUMENT)) > 1_000_000
    with pytest.raises(RecursionError):
        jmespath.compile("(" * 1000 + "a" + ")" * 1000)
    with pytest.raises(ValueError, match="limit"):
        jmespath.compile("a[" + "9" * 5000 + "]")


def test_what_the_controls_do_is_refused_here() -> None:
    """The same inputs end as a flaw, a fault or null in ohud."""
    assert outcome("&a")[0] == outcome("'\x1b]0;pwn\x07'")[0] == outcome("system('id')")[0] == "rejected"
    assert outcome("to_number('1e999')") == ("value", None)
    assert outcome(GROWING)[0] == "fault"


def test_many_expressions_in_one_process_keep_the_memory_bounded() -> None:
    """jmespath's own cache stays at its bound."""
    from jmespath.parser import Parser

    for number in range(1000):
        compile_expression(f"a{number}")
    assert len(Parser._CACHE) <= 512
