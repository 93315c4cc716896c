"""`[projects]`: the theme of the longest directory above the session's, and of no other."""

import json
import os
from pathlib import Path

import pytest
from launch import STATUS_LINE, Input, launch

from ohud.theme import read

CONFIG = """
separator = "+"
[segments]
own = { value = "'own'" }
[projects]
"~/work" = { theme = "one" }
"/~H/work/deep/" = { theme = "two" }
"~/work/./odd/../odd" = { theme = "three" }
"~/broken" = { theme = "missing" }
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / ".config" / "ohud"
    (folder / "themes").mkdir(parents=True)
    for name in ("base", "one", "two", "three"):
        text = 'layout = [["name", "own"]]\n[segments]\nname = { value = "\'NAME\'" }\nown = { value = "\'theirs\'" }\n'
        text = text.replace("NAME", name)
        (folder / "themes" / f"{name}.toml").write_text(text)
    text = 'theme = "base"\n' + CONFIG.replace("/~H", str(tmp_path))
    (folder / "config.toml").write_text(text)
    return tmp_path


DIRECTORIES = [
    ("work", "one"),
    ("work/", "one"),
    ("work/a/b", "one"),
    ("work/deep", "two"),
    ("work/deep/er", "two"),
    ("work/deeper", "one"),
    ("work/odd/x", "three"),
    ("work/../other", "base"),
    ("other/../work//a/./b", "one"),
    ("workshop", "base"),
    ("", "base"),
]


@pytest.mark.parametrize(("directory", "theme"), DIRECTORIES)
def test_reading_and_drawing_agree(home: Path, directory: str, theme: str) -> None:
    """Twice: the second refresh takes both programs from the cache."""
    path = f"{home}/{directory}"
    loaded = read.load(str(home / ".config/ohud/config.toml"), home=str(home), directory=path)
    assert loaded.theme.segments["name"].value == f"'{theme}'"
    named = [{"cwd": "/", "workspace": {"current_dir": path}}, {"cwd": path, "workspace": {"current_dir": 7}}]
    for payload in (*named, {"cwd": path}):
        done = launch(STATUS_LINE, Input(json.dumps(payload).encode()), {"HOME": str(home)}, home)
        assert (done.text, done.errors) == (f"{theme}+own\n", "")
    programs = list((home / ".cache" / "ohud").glob("program-*"))
    assert len(programs) == (1 if theme == "base" else 2)


def test_change_of_the_config_is_seen(home: Path) -> None:
    payload = Input(json.dumps({"cwd": f"{home}/work"}).encode())
    assert launch(STATUS_LINE, payload, {"HOME": str(home)}, home).text == "one+own\n"
    config = home / ".config" / "ohud" / "config.toml"
    config.write_text(config.read_text().replace('"one"', '"three"'))
    assert launch(STATUS_LINE, payload, {"HOME": str(home)}, home).text == "three+own\n"
    config.write_text('theme = "base"\n')
    assert launch(STATUS_LINE, payload, {"HOME": str(home)}, home).text.startswith("base")


@pytest.mark.parametrize(
    "payload", [b"", b"{}", b"[]", b'{"cwd": 7, "workspace": []}', b'{"workspace": {"current_dir": null}}']
)
def test_session_without_a_directory_has_the_theme_of_the_config(home: Path, payload: bytes) -> None:
    done = launch(STATUS_LINE, Input(payload), {"HOME": str(home)}, home)
    assert done.code == 0 and "one" not in done.text


def test_project_theme_that_is_missing_is_said(home: Path) -> None:
    done = launch(STATUS_LINE, Input(json.dumps({"cwd": f"{home}/broken"}).encode()), {"HOME": str(home)}, home)
    assert "ohud check" in done.text and "missing" in done.text


@pytest.mark.skipif(os.name != "posix", reason="links need rights there")
def test_a_link_to_a_project_is_the_project(home: Path) -> None:
    """The host names directories without links, whichever way the session has come there."""
    (home / "elsewhere" / "inner").mkdir(parents=True)
    (home / "work").symlink_to(home / "elsewhere")
    for directory in (f"{home}/work", f"{home}/elsewhere/inner"):
        payload = {"workspace": {"current_dir": directory}}
        done = launch(STATUS_LINE, Input(json.dumps(payload).encode()), {"HOME": str(home)}, home)
        assert (done.text, done.errors) == ("one+own\n", "")
