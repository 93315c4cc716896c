"""
Writes `ohud/fields/_prices.py` from the installed genai-prices: run it after a new release of that package.

    python tests/tools/make_prices.py --date 2026-11-10     # write; the date is that of the package's release
    python tests/tools/make_prices.py --check               # exit 1 when the file is out of date
"""

import datetime
import importlib.metadata
import re
import sys
from pathlib import Path
from typing import Any

from genai_prices.data import providers
from genai_prices.types import ConditionalPrice, StartDateConstraint

TARGET = Path(__file__).resolve().parents[2] / "ohud" / "fields" / "_prices.py"
MAKER = "anthropic"

HEAD = '''"""
List prices of {maker}'s models. Generated, do not edit.

From genai-prices {version}, released {date}, by `python tests/tools/make_prices.py`: what was in force that day.
Each row: input, output, cache read, 5-minute write, 1-hour write [USD per million tokens], USD per million web searches
(None: none are sold). FAST: replies with `speed: fast`. LONG: whole requests with a longer prompt than 100,000 ("1") or
200,000 ("2") tokens.
"""

# fmt: off
TABLE = "genai-prices {version}, {date}"
'''
FIELDS = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok")
# Where the data set gives no price of its own for these: the maker's documented multiples of the input price.
MULTIPLES = {"cache_read_mtok": 0.1, "cache_write_mtok": 1.25, "cache_write_1h_mtok": 2.0}
SIZES = {100000: "1", 200000: "2"}
DATE = re.compile(r"released (\d{4}-\d\d-\d\d)")


def current(prices: Any, day: datetime.date) -> Any:
    """The price in force on a day; the last condition that holds decides."""
    if not isinstance(prices, list):
        return prices
    found = None
    for choice in prices:
        if choice.constraint is None:
            found = choice.prices
        elif isinstance(choice.constraint, StartDateConstraint):
            if day >= choice.constraint.start_date:
                found = choice.prices
        else:
            raise SystemExit(f"a price depends on {choice.constraint}, which nothing here knows")
    return found


def row(price: Any, base: Any, tier: int | None = None) -> tuple[float | None, ...]:
    """One line of the table."""

    def figure(name: str) -> float | None:
        value = getattr(price, name, None)
        if value is None:
            return None
        if hasattr(value, "base"):
            steps = {step.start: step.price for step in value.tiers}
            value = value.base if tier is None else steps[tier]
        return float(value)

    rates: list[float | None] = []
    for name in FIELDS:
        value = figure(name)
        if value is None:
            assert name in MULTIPLES and rates[0] is not None, name
            value = round(rates[0] * MULTIPLES[name], 9)
        rates.append(value)
    searches = getattr(base, "web_searches_kcount", None)
    return (*rates, None if searches is None else float(searches) * 1000)


def tiers(price: Any) -> set[int]:
    """The prompt sizes from which a model costs something else."""
    return {step.start for name in FIELDS for step in getattr(getattr(price, name, None), "tiers", [])}


def names(model: Any) -> list[str]:
    """The plain ids of a model: those that its rules name in full, and where a rule names a beginning, that."""
    found = {model.id}
    for clause in getattr(model.match, "or_", [model.match]):
        text = getattr(clause, "equals", None) or getattr(clause, "starts_with", None)
        if text:
            found.add(text)
    plain = {re.sub(r"(-latest|-\d{8}|-2025|@)$", "", name).replace(".", "-") for name in found}
    return sorted(name for name in plain if re.fullmatch(r"claude-[a-z0-9-]*[a-z0-9]", name) and name != "claude-v1")


def generate(date: str) -> str:
    """The text of the generated file."""
    day = datetime.date.fromisoformat(date)
    provider = next(provider for provider in providers if provider.id == MAKER)
    tables: dict[str, list[str]] = {"PRICES": [], "FAST": [], "LONG": []}
    for model in provider.models:
        price = current(model.prices, day)
        fast = [
            variant.prices
            for variant in model.price_variants or []
            if variant.when == {"speed": "fast"}
            and current([ConditionalPrice(variant.constraint, prices=variant.prices)], day)
        ]
        sizes = tiers(price)
        assert len(sizes) <= 1 and sizes <= set(SIZES), f"{model.id}: prices from {sizes} tokens on"
        for name in names(model):
            tables["PRICES"].append(f'    "{name}": {row(price, price)},')
            tables["FAST"].extend(f'    "{name}": {row(one, price)},' for one in fast)
            tables["LONG"].extend(f'    "{name}": ("{SIZES[size]}", {row(price, price, size)}),' for size in sizes)
    head = HEAD.format(maker=provider.name, version=importlib.metadata.version("genai-prices"), date=date)
    kinds = {
        "PRICES": "dict[str, tuple[float | None, ...]]",
        "FAST": "dict[str, tuple[float | None, ...]]",
        "LONG": "dict[str, tuple[str, tuple[float | None, ...]]]",
    }
    return head + "".join(
        f'{name}: "{kinds[name]}" = {{\n' + "\n".join(sorted(rows)) + "\n}\n" for name, rows in tables.items()
    )


def main() -> int:
    """Writes or compares the file."""
    text = TARGET.read_text(encoding="utf-8") if TARGET.exists() else ""
    known = DATE.search(text)
    date = sys.argv[sys.argv.index("--date") + 1] if "--date" in sys.argv else known[1] if known else ""
    if not date:
        print("say --date, the day of the package's release", file=sys.stderr)
        return 2
    if "--check" in sys.argv:
        return 0 if text == generate(date) else 1
    TARGET.write_text(generate(date), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
