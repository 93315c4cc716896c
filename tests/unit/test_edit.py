"""Keys put into a config's text and taken out of it, with everything else left as it was."""

import tomllib

import pytest

from ohud.theme.edit import Path, Unchangeable, dotted, with_keys, with_value, without, written


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("", 'theme = "x"\nmargin = 8\n'),
        ('icons = "nerd"\n', 'icons = "nerd"\ntheme = "x"\nmargin = 8\n'),
        ("[palette]\na = 1\n", 'theme = "x"\nmargin = 8\n\n[palette]\na = 1\n'),
        ("# mine\n#:schema s\n\n[git]\n", '# mine\n#:schema s\ntheme = "x"\nmargin = 8\n\n[git]\n'),
        ("#:schema s\n[git]\n", '#:schema s\ntheme = "x"\nmargin = 8\n\n[git]\n'),
        ("# of git\n[git]\n", 'theme = "x"\nmargin = 8\n\n# of git\n[git]\n'),
        ("# mine", '# mine\ntheme = "x"\nmargin = 8'),
        ("theme='y' # old\n[margin_of]\n", 'theme="x" # old\nmargin = 8\n[margin_of]\n'),
        ("margin = 4\r\ntheme = 'y'\r\n", 'margin = 8\r\ntheme = "x"\r\n'),
        ("\ufeffmargin = 0x08\ntheme = 'x'\n", "\ufeffmargin = 0x08\ntheme = 'x'\n"),
        ("margin = 8.0\ntheme = '''\nx'''\n", "margin = 8\ntheme = '''\nx'''\n"),
        ("a = 1\r\nb = '''\n2'''\n\n\n[c]", "a = 1\r\nb = '''\n2'''\ntheme = \"x\"\r\nmargin = 8\r\n\n\n[c]"),
    ],
)
def test_keys(text: str, new: str) -> None:
    """In their places, else below the others; what has the value already keeps its spelling."""
    assert with_keys(text, {"theme": "x", "margin": 8}) == new
    tomllib.loads(new.removeprefix("\ufeff"))


@pytest.mark.parametrize("text", ["theme = ", "[theme]\na = 1\n", "a = 1\rb = 2\n", 'a = "\0"', "a = 1\na = 2\n"])
def test_keys_refused(text: str) -> None:
    """Not TOML, a table of that name."""
    with pytest.raises(Unchangeable):
        with_keys(text, {"theme": "x"})


def test_odd_values() -> None:
    """A path with quotes and backslashes is written so that it reads the same."""
    for value in ('a"b', "C:\\x\\y.toml", "é\t\u2028", "'''", "\x7f", "a\r\nb", 'a\n"""\n\\'):
        assert tomllib.loads(with_keys("a = 1\n", {"theme": value})) == {"theme": value, "a": 1}


# path, value, before, after: taking the key out of the latter gives the former back
PUT: list[tuple[Path, object, str, str]] = [
    (("git", "refresh_s"), 5, "", "[git]\nrefresh_s = 5\n"),
    (("git", "refresh_s"), 5, "#:schema s\n", "#:schema s\n\n[git]\nrefresh_s = 5\n"),
    (("git", "refresh_s"), 5, "a = 1", "a = 1\n\n[git]\nrefresh_s = 5"),
    (("git", "refresh_s"), 5, "a = 1\n\n\n", "a = 1\n\n[git]\nrefresh_s = 5\n\n\n"),
    (("git", "refresh_s"), 5, "a = 1\n# end\n", "a = 1\n# end\n\n[git]\nrefresh_s = 5\n"),
    (("git", "a"), 5, "[git]\nb = 1 # x\n\n# of c\n[c]\n", "[git]\nb = 1 # x\na = 5\n\n# of c\n[c]\n"),
    (("git", "a"), 5, "[git]\n  b = 1\n", "[git]\n  b = 1\n  a = 5\n"),
    (("git", "a"), 5, "[git]\r\nb = 1\r\n", "[git]\r\nb = 1\r\na = 5\r\n"),
    (("git", "a"), 5, "[git]\n# b = 1\n", "[git]\na = 5\n# b = 1\n"),
    (("git", "a"), 5, "git = { b = 1 } # x\n", "git = { b = 1, a = 5 } # x\n"),
    (("git", "a"), 5, "git = {}\n", "git = { a = 5 }\n"),
    (("git", "a"), 5, "git = {b.c = 1}\n", "git = {b.c = 1, a = 5}\n"),
    (("git", "b", "a"), 5, "git = {b.c = 1}\n", "git = {b.c = 1, b.a = 5}\n"),
    (("x", "git", "b", "a"), 5, "x = {git = {b = {}, c = []}}\n", "x = {git = {b = { a = 5 }, c = []}}\n"),
    (("git", "a"), 5, "git.b = 1\ntheme = 'x'\n", "git.b = 1\ngit.a = 5\ntheme = 'x'\n"),
    (("git", "x", "a"), 5, "git.b = 1\n", "git.b = 1\ngit.x.a = 5\n"),
    (("s", "m", "a"), 5, "[s]\nm.b = 1\nn = 2\n", "[s]\nm.b = 1\nm.a = 5\nn = 2\n"),
    (("s", "n"), 5, "[s.m]\nb = 1\n\n[t]\n", "[s]\nn = 5\n\n[s.m]\nb = 1\n\n[t]\n"),
    (("s", "n"), 5, "t = 1\n\n# m\n[s.m]\n", "t = 1\n\n[s]\nn = 5\n\n# m\n[s.m]\n"),
    (("s", "n"), 5, "t = 1\n[s.m]\n", "t = 1\n[s]\nn = 5\n[s.m]\n"),
    (("s", "n", "a"), 5, "[s.m]\nb = 1\n\n[t]\n", "[s.m]\nb = 1\n\n[s.n]\na = 5\n\n[t]\n"),
    (("s", "n", "a"), 5, "[s]\nm = 1\n\n[t]\n", "[s]\nm = 1\n\n[s.n]\na = 5\n\n[t]\n"),
    (("s", "m", "a"), 5, "[[s.m.l]]\nx = 1\n[[s.m.l]]\n", "[s.m]\na = 5\n\n[[s.m.l]]\nx = 1\n[[s.m.l]]\n"),
    (("p", "~/a b", "t"), "x", "", '[p."~/a b"]\nt = "x"\n'),
    (("p", "~/a b", "t"), "x", "[p.'~/a b']\nu = 1\n", "[p.'~/a b']\nu = 1\nt = \"x\"\n"),
    (("theme",), "x", "\n\n[a]\n", 'theme = "x"\n\n\n\n[a]\n'),
    (("t",), "a\nb\n", "[a]\n", 't = """\na\nb\n"""\n\n[a]\n'),
    (("t",), {"a": [1, {"b c": True}], "d": {}}, "", 't = { a = [1, { "b c" = true }], d = {} }\n'),
]


@pytest.mark.parametrize(("path", "value", "old", "new"), PUT)
def test_put_and_taken(path: Path, value: object, old: str, new: str) -> None:
    """A new key goes where its table is written; taking it out gives every byte back."""
    assert with_value(old, path, value) == new
    assert without(new, path) == old


# path, value, before, after
CHANGED: list[tuple[Path, object, str, str]] = [
    (("a", "b"), 2, "a = { b = 1, c = 3 } # x\n", "a = { b = 2, c = 3 } # x\n"),
    (("a", "b"), "y", "[a]\n# of b\nb = '''\nx''' # x\n", '[a]\n# of b\nb = "y" # x\n'),
    (("a", "b"), [1], "[a]\nb = [\n  1, # one\n  2,\n] # x\n", "[a]\nb = [1] # x\n"),
    (("a",), {"b": 2, "d": 4}, "[a]\nb = 1 # b\nc = 3\n", "[a]\nb = 2 # b\nd = 4\n"),
    (("a",), {"b": {"c": 1}}, "[a]\nb.c = 1\nb.d = 1\ne = 1\n", "[a]\nb.c = 1\n"),
    (("a",), 1, "x = 1\n\n[a]\nb = 1\n\n[a.c]\n\n[d]\n", "x = 1\na = 1\n\n[d]\n"),
    (("a", "l"), [], "[[a.l]]\nx = 1\n\n[[a.l]]\nx = 2\n\n[c]\n", "[c]\n\n[a]\nl = []\n"),
    (("a",), {}, "[a]\nb = 1\n", "a = {}\n"),
    (("a",), True, "a = 1\n", "a = true\n"),
]


@pytest.mark.parametrize(("path", "value", "old", "new"), CHANGED)
def test_changed(path: Path, value: object, old: str, new: str) -> None:
    """A value is replaced where it stands; a table that is written in parts key by key, what is gone with its lines."""
    assert with_value(old, path, value) == new


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (("a", "b"), "a = { b = 1, c = 3 }\n", "a = { c = 3 }\n"),
        (("a", "b"), "a = { x = 0, b.d = 1, b.c = 3 , e = 2 }\n", "a = { x = 0 , e = 2 }\n"),
        (("a",), "[a]\nb = 1\n# end of a\n\n[c]\nd = 1\n\n[a.b_]\n", "# end of a\n\n[c]\nd = 1\n"),
        (("a", "b"), "[a]\n# of b\nb = 1\n", "[a]\n# of b\n"),
        (("a", "b"), "[a]\nb = 1\n[a.c]\nd = 1\n", "[a.c]\nd = 1\n"),
        (("x",), "a = 1\n", "a = 1\n"),
    ],
)
def test_taken(path: Path, old: str, new: str) -> None:
    """Comments stay, of an emptied table the header goes unless there is a comment below it."""
    assert without(old, path) == new


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        (("a", "b"), "a = 1\n", "`a` is a value, not a table"),
        (("a", "b", "c"), "[a]\nb = 'x'\n", "`a.b` is a text, not a table"),
        (("a", "b"), "[[a]]\n", "`a` is a list, not a table"),
        (("a",), "a = 1\na = 2\n", "it is not TOML: Cannot overwrite a value (at line 2, column 6)"),
    ],
)
def test_refused(path: Path, text: str, reason: str) -> None:
    """What is no table has no keys, and what is not TOML is left alone."""
    with pytest.raises(Unchangeable) as caught:
        with_value(text, path, 5)
    assert caught.value.reason == reason


def test_spelling() -> None:
    """Keys and values as TOML writes them."""
    assert dotted(("a-b", "c d", "é", "")) == 'a-b."c d"."é".""'
    assert written([1.5, -0.0, float("inf"), 1e20, "\x7f"]) == '[1.5, -0.0, inf, 1e+20, "\\u007f"]'
