"""Keys put into a config's text, with everything else left as it was."""

import tomllib

import pytest

from ohud.theme.edit import Unchangeable, with_keys


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("", 'theme = "x"\nmargin = 8\n'),
        ('icons = "nerd"\n', 'theme = "x"\nmargin = 8\nicons = "nerd"\n'),
        ("[palette]\na = 1\n", 'theme = "x"\nmargin = 8\n\n[palette]\na = 1\n'),
        ("# mine\n#:schema s\n\n[git]\n", '# mine\n#:schema s\ntheme = "x"\nmargin = 8\n\n[git]\n'),
        ("# mine", '# mine\ntheme = "x"\nmargin = 8\n'),
        ("theme='y' # old\n[margin_of]\n", 'margin = 8\ntheme="x" # old\n[margin_of]\n'),
        ("margin = 4\r\ntheme = 'y'\r\n", 'margin = 8\r\ntheme = "x"\r\n'),
        ("\ufeffmargin = 0x08\ntheme = 'x'\n", "\ufeffmargin = 0x08\ntheme = 'x'\n"),
        ("margin = 8.0\ntheme = '''\nx'''\n", "margin = 8\ntheme = '''\nx'''\n"),
    ],
)
def test_put(text: str, new: str) -> None:
    """In their places, else above the rest; what has the value already keeps its spelling."""
    assert with_keys(text, {"theme": "x", "margin": 8}) == new
    tomllib.loads(new.removeprefix("\ufeff"))


@pytest.mark.parametrize("text", ["theme = ", "[theme]\na = 1\n", "a = 1\r\nb = 2\n", 'a = "\0"', "a = 1\na = 2\n"])
def test_refused(text: str) -> None:
    """Not TOML, a table of that name, line ends of two kinds."""
    with pytest.raises(Unchangeable):
        with_keys(text, {"theme": "x"})


def test_odd_values() -> None:
    """A path with quotes and backslashes is written so that it reads the same."""
    for value in ('a"b', "C:\\x\\y.toml", "é\t\u2028", "'''"):
        assert tomllib.loads(with_keys("a = 1\n", {"theme": value})) == {"theme": value, "a": 1}
