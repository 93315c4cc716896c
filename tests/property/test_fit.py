"""What holds for any text: bounded lines, our control bytes only, all closed, cutting twice is cutting once."""

import re
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from wcwidth import wcswidth, wcwidth

from ohud.run.cells import cut, ellipsis, plain, width
from ohud.run.clean import clean, clean_tree
from ohud.run.fit import fit, within
from ohud.run.style import Sheet, paint

SGR = re.compile("\x1b\\[([0-9;]+)m")
LINK = re.compile("\x1b\\]8;;([!-~]*)\x1b\\\\")
ENDS = {"1": "22", "2": "22", "3": "23", "4": "24", "7": "27", "9": "29"}

# anything at all, with more than its share of what is dangerous or joins
ODD = (
    "\x1b\x9b\x9d\x90\x07\\[]m;0a é\t\r\n"
    "\u200d\ufe0f\ufe0e\u0301\u0e33\u094dक🚀👩👍🏽🇩🇪1\u20e3界⌚❤\u202e\u2066\ud800\udc00\udfff\ue0b0"
)
WILD = st.text(st.one_of(st.sampled_from(ODD), st.characters(codec=None)), max_size=40)
SPECS = st.sampled_from(["red", "bold", "dim", "fg:208 bg:#102030", "underline reverse", "strike", "bg:blue italic"])
URLS = st.sampled_from(["https://example.org/a", "http://b.example", "javascript:x", "https://e.x/\x1b\\"])
WRAPS = st.sampled_from(["1", "2", "3"])
# a page is a small tree: how to build a marked text
LEAF = st.tuples(st.just("text"), WILD)
PAGE = st.recursive(
    st.one_of(LEAF, st.tuples(st.just("fill")), st.tuples(st.just("raw"), WILD), st.tuples(st.just("break"))),
    lambda inner: st.one_of(
        st.tuples(st.just("wrap"), inner, SPECS),
        st.tuples(st.just("link"), inner, URLS),
        st.tuples(st.just("join"), st.lists(inner, max_size=4)),
        st.tuples(st.just("row"), st.lists(st.tuples(inner, st.integers(0, 9)), max_size=4), WILD, WRAPS),
        st.tuples(st.just("power"), st.lists(st.tuples(inner, SPECS, st.integers(0, 9)), max_size=4), WRAPS),
        st.tuples(st.just("slice"), inner, st.integers(0, 9), st.integers(0, 30)),
    ),
    max_leaves=12,
)


def build(page: tuple, sheet: Sheet) -> str:  # type: ignore[type-arg]
    """The marked text of a page; `raw` text is what a theme might write, `slice` what a filter might leave."""
    kind = page[0]
    if kind == "text":
        return clean(page[1])
    if kind == "raw":
        return str(page[1])
    if kind in ("fill", "break"):
        return sheet.fill() if kind == "fill" else "\n"
    if kind == "wrap":
        return sheet.wrap(build(page[1], sheet), page[2])
    if kind == "link":
        return sheet.link(build(page[1], sheet), page[2])
    if kind == "join":
        return "".join(build(item, sheet) for item in page[1])
    if kind == "row":
        return sheet.row([(build(item, sheet), priority) for item, priority in page[1]], page[2], page[3])
    if kind == "power":
        blocks = [(build(item, sheet), spec, priority) for item, spec, priority in page[1]]
        return sheet.powerline(blocks, wrap=page[2])
    return build(page[1], sheet)[page[2] : page[3]]


def left_open(line: str) -> set[str]:
    """The SGR ends and the link that are still due at a line's end."""
    left: set[str] = set()
    for codes in SGR.findall(line):
        parts = codes.split(";")
        while parts:
            code = parts.pop(0)
            if code in ("38", "48"):
                del parts[: 2 if parts[0] == "5" else 4]
                left.add("39" if code == "38" else "49")
            elif code == "0":
                left.clear()
            elif code in ENDS:
                left.add(ENDS[code])
            elif code in ("22", "23", "24", "27", "29", "39", "49"):
                left.discard(code)
            else:
                left.add("39" if code[0] in "39" else "49")
    links = LINK.findall(line)
    if links and links[-1]:
        left.add("link")
    if any(first and second for first, second in pairwise(links)):
        left.add("link in link")
    return left


@settings(max_examples=400, deadline=None)
@given(PAGE, st.sampled_from([0, 4, 8, 24]), st.one_of(st.none(), st.integers(-3, 40)), st.integers(0, 5))
def test_any_page(page: tuple, depth: int, columns: int | None, lines: int) -> None:  # type: ignore[type-arg]
    """Lines and cells are bounded, nothing but our sequences is written, each line closes what it opens."""
    sheet = Sheet(depth, {})
    fitted = fit(build(page, sheet), sheet, columns, lines)
    assert len(fitted) <= lines
    limit = 1000 if columns is None else max(1, columns)
    output = paint(fitted, sheet)
    if not fitted:
        assert output == ""
        return
    painted = output.split("\n")
    assert len(painted) == len(fitted)
    for line, marked in zip(painted, fitted, strict=True):
        bare = LINK.sub("", SGR.sub("", line))
        assert not re.search("[\x00-\x1f\x7f-\x9f\ud800-\udfff]", bare)
        assert bare.strip()
        assert width(bare) == width(marked) == wcswidth(bare) <= limit
        assert not left_open(line)
        assert depth or not SGR.search(line)
    assert fit("\n".join(fitted), sheet, columns, lines) == fitted
    output.encode()
    for limit in (5, 40):
        assert len(within(fitted, sheet, limit).encode()) <= limit


@settings(max_examples=400, deadline=None)
@given(WILD, st.integers(0, 12))
def test_cutting(text: str, cells: int) -> None:
    """Cutting twice is cutting once, and never too wide."""
    head = cut(text, cells)
    assert width(head) <= cells
    assert cut(head, cells) == head
    assert plain(text).startswith(plain(head))
    short = ellipsis(text, cells)
    assert width(short) <= cells
    assert ellipsis(short, cells) == short


@settings(max_examples=600, deadline=None)
@given(st.one_of(WILD, st.text(ODD, max_size=60)))
def test_clean(text: str) -> None:
    """Cleaning is idempotent, encodable and leaves no control; the width of what is left is wcwidth's."""
    found = clean(text)
    assert clean(found) == found
    assert not re.search("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028-\u202e\u2066-\u2069]", found)
    found.encode()
    assert width(found) == wcswidth(found)
    assert clean(text, 5) == clean(clean(text, 5), 5)


@settings(max_examples=400, deadline=None)
@given(st.text(st.characters(blacklist_categories=["Cs"]), max_size=30))
def test_width_of_anything(text: str) -> None:
    """Width is wcswidth of what is no control."""
    assert width(text) == wcswidth("".join(c for c in text if wcwidth(c) >= 0))


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), WILD),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(WILD, inner, max_size=5)),
)


@settings(max_examples=150, deadline=None)
@given(JSON)
def test_tree(value: object) -> None:
    """A cleaned tree stays as it is when cleaned again."""
    found = clean_tree(value)
    assert clean_tree(found) == found
