"""
Tokens to money: list prices of the model that gave each reply, never those of a model with a similar name.

Imported only where the host gives no cost of its own.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_KEYS = ("input", "output", "cache_read", "cache_write_5m", "cache_write_1h")
# Where a price of the config leaves these out: the maker's multiples of the input price.
_MULTIPLES = {"cache_read": 0.1, "cache_write_5m": 1.25, "cache_write_1h": 2.0}


def estimate(state: "dict[str, Any]", config: object) -> "tuple[float | None, float | None, str | None]":
    """
    What a transcript's tokens come to.

    Takes:    state: of `ohud.run.journal`; config: the config's `prices`, each entry before the shipped table's
    Returns:  (USD of all, USD of what has a price when that is not all, name and date of the prices)
    Errors:   none
    """
    known = 0.0
    whole = state.get("complete") is True
    used: list[str] = []
    for chain in (state.get("tokens"), state.get("side")):
        for model, buckets in (chain or {}).items():
            for bucket, figures in buckets.items():
                if not any(figures):
                    continue
                price, origin = _price(model, bucket, config)
                if price is None or (figures[5] and price[5] is None):
                    whole = False
                if price is not None:
                    if origin not in used:
                        used.append(origin)
                    known += sum(figure * (rate or 0.0) for figure, rate in zip(figures, price, strict=True)) / 1e6
    if not used:
        return None, None, None
    known = round(known, 9)
    basis = " and ".join(sorted(used))
    return (known, None, basis) if whole else (None, known, basis)


def plain(model: str) -> str:
    """
    A model id without maker, gateway, region, date and window.

    Takes:  `us.anthropic.claude-sonnet-4-5-20250929-v1:0`, `claude-opus-4-1@20250805`, `anthropic/claude-opus-4.6`,
            `claude-opus-4-8[1m]`, ...
    """
    name = model.lower().rpartition("/")[2].partition("[")[0].partition("@")[0].partition(":")[0]
    before, found, rest = name.rpartition("anthropic.")
    # Regions of Bedrock.
    if found and (before in ("", "apac.", "global.", "us-gov.") or (len(before) == 3 and before[:2].isalpha())):
        name = rest
    for _ in range(3):
        head, _, last = name.rpartition("-")
        if not head or not _is_edition(last):
            break
        name = head
    # Gateways write versions with a dot.
    return name.replace(".", "-") if name.startswith("claude-") else name


def _is_edition(word: str) -> bool:
    """Whether the last word of an id tells editions of one model apart: `20250929`, `v1`, `latest`."""
    return word == "latest" or (word.isdecimal() and len(word) == 8) or (word[:1] == "v" and word[1:].isdecimal())


def _price(model: str, bucket: str, config: object) -> "tuple[list[float | None] | None, str]":
    """USD per million of each kind of token and search, and where they are from; None for a model without a price."""
    from ohud.fields._prices import FAST, LONG, PRICES, TABLE

    name = plain(model)
    shipped = PRICES.get(name)
    fast = bucket[:1] == "f"
    entry = _entry(config, model, name)
    if isinstance(entry, dict):
        own = _own(entry, shipped)
        if own is not None:
            # The config has one price a model: a fast reply is dearer by as much as in the table.
            if fast and name not in FAST:
                return None, ""
            factor = _times(FAST[name], PRICES[name]) if fast else 1.0
            return [rate * factor for rate in own] + [shipped[5] if shipped else None], "config"
    if fast:
        shipped = FAST.get(name)
    elif name in LONG and bucket and bucket >= LONG[name][0]:
        shipped = LONG[name][1]
    return (None, "") if shipped is None else (list(shipped), TABLE)


def _entry(config: object, model: str, name: str) -> object:
    """The config's prices of a model: under the id as it stands, its plain form, else another way of writing that."""
    if not isinstance(config, dict):
        return None
    return config.get(model) or config.get(name) or next((config[key] for key in config if plain(key) == name), None)


def _times(dear: "tuple[Any, ...]", plain: "tuple[Any, ...]") -> float:
    """How many times the input price of one row is that of the other."""
    return float(dear[0] / plain[0])


def _own(entry: "dict[str, Any]", shipped: "tuple[Any, ...] | None") -> "list[float] | None":
    """The prices of a config's entry; what it leaves out follows from its input price, else from the table."""
    prices: list[float] = []
    for at, key in enumerate(_KEYS):
        value = entry.get(key)
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            if key in _MULTIPLES and prices and "input" in entry:
                value = prices[0] * _MULTIPLES[key]
            elif shipped is not None:
                value = shipped[at]
            else:
                return None
        prices.append(float(value))
    return prices
