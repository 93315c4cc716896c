"""`ohud themes`."""

from pathlib import Path

from command_line import call

CLASSIC = "#:schema"


def own_theme(folder: Path, name: str, text: str) -> None:
    """A theme of the user's own."""
    themes = folder / "home" / ".config" / "ohud" / "themes"
    themes.mkdir(parents=True, exist_ok=True)
    (themes / f"{name}.toml").write_text(text)


def test_list(tmp_path: Path) -> None:
    """Each theme has a heading and one drawn line; a star marks the configured one."""
    answer = call(tmp_path, "themes")
    assert (answer.code, answer.err) == (0, "")
    blocks = answer.out.strip("\n").split("\n\n")
    assert [block[:2] + block[2:].split()[0] for block in blocks] == ["* classic", "  minimal", "  oneline"]
    for block in blocks:
        heading, line = block.split("\n")
        assert len(heading.split()) > 2
        assert "Opus 5.5" in line


def test_own_themes(tmp_path: Path) -> None:
    """The user's themes are listed too, and the star goes to the one that the config names."""
    own_theme(tmp_path, "mine", 'name = "mine"\ndescription = "My own"\ntemplate = "so"\n')
    (tmp_path / "home" / ".config" / "ohud" / "config.toml").write_text('theme = "mine"\n')
    answer = call(tmp_path, "themes")
    assert "* mine  My own\nso\n" in answer.out
    assert "  classic  " in answer.out


def test_theme_that_cannot_be_used(tmp_path: Path) -> None:
    """A broken theme does not hide the others, and the list says what to do."""
    own_theme(tmp_path, "bad", "template = ")
    answer = call(tmp_path, "themes")
    assert answer.code == 0
    assert "bad  cannot be used, run: ohud check " in answer.out
    assert "oneline" in answer.out


def test_show(tmp_path: Path) -> None:
    """`show` prints the theme's own text."""
    answer = call(tmp_path, "themes", "show", "classic")
    assert answer.code == 0
    assert answer.out.startswith(CLASSIC) and 'name = "classic"' in answer.out


def test_wrong_use(tmp_path: Path) -> None:
    """A name that is unknown or missing is wrong use."""
    for words, said in (
        (["show"], "needs the name"),
        (["show", "clasic"], "did you mean `classic`?"),
        (["show", "../../etc/passwd"], "there is no theme"),
        (["classic"], "invalid choice"),
        (["list", "classic"], "ohud themes show classic"),
    ):
        answer = call(tmp_path, "themes", *words)
        assert answer.code == 2
        assert said in answer.err
