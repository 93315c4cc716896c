"""The commands in hostile hands and clumsy ones: nothing acts on the terminal, no traceback, the promised status."""

import ctypes
import itertools
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as Tree
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from command_line import Answer, call
from launch import COMMAND_LINE
from screen import faults, plain
from session import Session
from typist import Typist

from ohud.cli import output, sharing, subject

HOSTILE = "\x1b[2J\x1b]0;own\x07\x1b[8m\u202egnp\x9b31m\x7f\ufeff\u200b\r\t\U000e0041"
UNSEEN = re.compile("[\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]")
BASE = 'template = "{{ a }}"\n[segments]\na = "model.display_name"\n'
NO_UTF_8 = os.fsdecode(b"\xff\xfe")


def harmless(answer: Answer) -> Answer:
    """The same answer: it is what a terminal may get, and a documented end."""
    assert answer.code in (0, 1, 2), answer
    for text in (answer.out, answer.err):
        assert "Traceback" not in text and not faults(text), (faults(text), text)
        assert not UNSEEN.search(plain(text)) and "\x1b[8m" not in text, text
    assert not answer.code or answer.out or answer.err, "no word about what is wrong"
    return answer


def tree(folder: Path) -> set[str]:
    """Every file and folder below one."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


# -- payloads ----------------------------------------------------------------------------------------------------------

PAYLOAD = {
    "session_id": HOSTILE,
    "model": {"id": "m" + HOSTILE, "display_name": "m" + HOSTILE},
    "cwd": "/a" + HOSTILE,
    "workspace": {"current_dir": "/a" + HOSTILE, "project_dir": "/" + HOSTILE},
    "transcript_path": "/none" + HOSTILE,
    "odd" + HOSTILE: {"k" + HOSTILE: [{"z" + HOSTILE: HOSTILE}]},
    "cost": {"total_cost_usd": 1e308},
    "context_window": {"used_percentage": 5.0, "context_window_size": 2**70},
}
LOOKS = (
    ("explain",),
    ("explain", "--json"),
    ("fields",),
    ("fields", "--json"),
    ("eval", "@"),
    ("preview",),
    ("preview", "--host"),
    ("preview", "--columns", "1,2,3"),
)


@pytest.mark.parametrize("ascii_only", [True, False], ids=["escaped", "raw"])
@pytest.mark.parametrize("words", LOOKS, ids=" ".join)
def test_hostile_payload(words: tuple[str, ...], ascii_only: bool, tmp_path: Path) -> None:
    """Neither keys nor values of a payload act on the terminal."""
    path = tmp_path / "payload.json"
    path.write_text(json.dumps(PAYLOAD, ensure_ascii=ascii_only), "utf-8")
    assert harmless(call(tmp_path, *words, "--payload", str(path))).code == 0


def test_json_keeps_what_is_hidden(tmp_path: Path) -> None:
    """What is hidden in a key is spelt in JSON as JSON spells it: a program gets the key itself."""
    path = tmp_path / "payload.json"
    path.write_text(json.dumps(PAYLOAD), "utf-8")
    found = json.loads(call(tmp_path, "fields", "--json", "--payload", str(path)).out)
    assert "odd" + HOSTILE in [field["path"] for field in found]


ODD_PAYLOADS: dict[str, bytes] = {
    "empty": b"",
    "binary": bytes(range(256)) * 100,
    "deep": b'{"a":' * 500 + b"1" + b"}" * 500,
    "too-deep": b'{"a":' * 100000 + b"1" + b"}" * 100000,
    "lists": b'{"a":' + b"[" * 490 + b"1" + b"]" * 490 + b"}",
    "large": b'{"a":"' + b"x" * 5_000_000 + b'"}',
    "wide": json.dumps({f"k{number}": number for number in range(15000)}).encode(),
    "numbers": b'{"a":NaN,"b":1e999,"c":' + b"9" * 4000 + b',"\\udc00":1,"":{"":1},"x.y":{"a[]":[[],[[1]]]}}',
}


@pytest.mark.parametrize("words", [words for words in LOOKS if len(words) == 1 or words[0] == "eval"], ids=" ".join)
@pytest.mark.parametrize("name", ODD_PAYLOADS)
def test_odd_payload(name: str, words: tuple[str, ...], tmp_path: Path) -> None:
    """Whatever a payload is, the answer is one of the documented ones, and comes soon."""
    path = tmp_path / name
    path.write_bytes(ODD_PAYLOADS[name])
    started = time.monotonic()
    harmless(call(tmp_path, *words, "--payload", str(path)))
    assert time.monotonic() - started < 5


def no_files(folder: Path) -> dict[str, str]:
    """Names of what is no file with a payload in it."""
    os.mkfifo(folder / "fifo")
    (folder / "folder").mkdir()
    os.symlink(folder / "loop", folder / "loop")
    found = {name: str(folder / name) for name in ("fifo", "folder", "loop", "missing", "x" * 5000)}
    return {**found, "empty": "", "hostile": "/none" + HOSTILE, "raw": "/none/" + NO_UTF_8, "memory": "/proc/self/mem"}


@pytest.mark.parametrize("words", [("explain",), ("fields",), ("eval", "@"), ("preview",)], ids=" ".join)
def test_no_payload(words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is no file with a payload in it is wrong use, and said; no pipe is waited for without an end."""
    monkeypatch.setattr(subject, "_PIPE_S", 0.05)
    for name, path in no_files(tmp_path).items():
        answer = harmless(call(tmp_path, *words, "--payload", path))
        assert answer.code == 2 and answer.err.startswith(f"ohud {words[0]}: "), (name, answer)


@pytest.mark.parametrize("words", [("explain",), ("fields",), ("eval", "@"), ("preview",)], ids=" ".join)
def test_payload_from_a_pipe(words: tuple[str, ...], tmp_path: Path) -> None:
    """A pipe is as good as a file: `--payload <(command)` works."""
    reader, writer = os.pipe()
    os.write(writer, b'{"model": {"display_name": "Piped"}}')
    os.close(writer)
    answer = harmless(call(tmp_path, *words, "--payload", f"/dev/fd/{reader}"))
    os.close(reader)
    assert answer.code == 0 and "Piped" in answer.out


@pytest.mark.parametrize("name", ["odd" + HOSTILE + "\n.json", NO_UTF_8 + ".json"], ids=["hostile", "no-utf-8"])
def test_hostile_name_of_a_payload(name: str, tmp_path: Path) -> None:
    """The name of a file is shown, and does not act."""
    path = tmp_path / name
    path.write_text("{}")
    for words in (*LOOKS, ("preview", "--svg", str(tmp_path / "x.svg"))):
        assert harmless(call(tmp_path, *words, "--payload", str(path))).code == 0
    Tree.parse(tmp_path / "x.svg")


# -- pictures ----------------------------------------------------------------------------------------------------------

MARKUP = "<script>alert(1)</script>]]><!--&amp;\"' onload='x"


@pytest.mark.parametrize("host", [(), ("--host",)], ids=["plain", "host"])
def test_picture_of_markup(host: tuple[str, ...], tmp_path: Path) -> None:
    """Whatever theme, payload and names say, a picture is XML that runs and loads nothing."""
    theme = tmp_path / "<script>&x.toml"
    theme.write_text(
        f"name = '''<b>'''\ndescription = '''{MARKUP}'''\ntemplate = '''{{{{ a | fg('red') }}}} "
        f"{{{{ a | link('https://x/\"onload=1') }}}}'''\n[segments]\na = 'model.display_name'\n"
    )
    payload = tmp_path / "<image href='x'>.json"
    payload.write_text(json.dumps({"model": {"display_name": MARKUP + HOSTILE + "\ufffe\x0b"}}))
    picture = tmp_path / "x.svg"
    words = ("preview", "--theme", str(theme), "--payload", str(payload), "--svg", str(picture), *host)
    assert harmless(call(tmp_path, *words)).code == 0
    found = list(Tree.parse(picture).iter())
    assert {element.tag.partition("}")[2] for element in found} <= {
        "svg",
        "title",
        "rect",
        "path",
        "g",
        "circle",
        "text",
    }
    named = [name.lower() for element in found for name in element.attrib]
    assert not [name for name in named if name.startswith("on") or "href" in name or name == "style"]


@pytest.mark.parametrize("place", ["/", "", "/dev/full", "folder", "fifo", "loop", "no/x.svg", "x" * 300])
def test_picture_into_no_file(place: str, tmp_path: Path) -> None:
    """A picture that cannot be written is said in words, whatever stands in its place."""
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    os.symlink(tmp_path / "loop", tmp_path / "loop")
    there = place if place.startswith("/") or not place else str(tmp_path / place)
    before = tree(tmp_path)
    for option in ("--svg", "--png"):
        answer = harmless(call(tmp_path, "preview", "--scenario", "working", option, there))
        assert answer.code == 2 or (option == "--png" and answer.code == 1)
    assert tree(tmp_path) - {"home", "stdin"} == before


def test_picture_whole_or_not_at_all(tmp_path: Path) -> None:
    """On a full disk the picture from before is what is there."""
    session = Session(tmp_path)
    (session.home / "x.svg").write_text("before")
    outcome = started(session, "preview", "--scenario", "working", "--svg", "x.svg", prepare=_small_files)
    assert outcome.code == 2 and "cannot be written: file too large" in outcome.err
    assert (session.home / "x.svg").read_text() == "before" and tree(session.home) == {"x.svg"}


# -- transcripts -------------------------------------------------------------------------------------------------------


def lines(*records: object) -> str:
    """Records as those of a transcript."""
    return "\n".join(json.dumps(record) for record in records)


def reply(usage: object, **more: object) -> dict[str, object]:
    """A reply with such a usage."""
    return {"type": "assistant", "message": {"model": "claude-opus-4-6", "usage": usage}, **more}


_TIMES = ("9999-12-31T23:59:59Z", "0000-00-00T00:00:00Z", "1e400", 5, None, "2026-02-30T00:00:00Z", "\u0662026-11-30")
_ODD_VALUES: tuple[object, ...] = (5, [], {}, True, "")
TRANSCRIPTS = {
    "hostile": lines(
        {"type": "user", "cwd": "/a" + HOSTILE, "sessionId": "../" + HOSTILE, "version": HOSTILE},
        {"type": "assistant", "timestamp": HOSTILE, "message": {"model": "claude" + HOSTILE, "usage": {}}},
        {"type": "pr-link", "prNumber": 10**50, "prUrl": "javascript:alert(1)" + HOSTILE},
    ),
    "usage": lines(*map(reply, ([], 5, {"input_tokens": 1e300}, {"input_tokens": True}, {"input_tokens": 10**30}))),
    "times": lines(*({"type": "user", "timestamp": at} for at in _TIMES)),
    "types": lines(
        *(reply({}, cwd=odd, version=odd, sessionId=odd, effort=odd, prNumber=odd) for odd in _ODD_VALUES),
        {"type": "pr-link", "prNumber": True, "prUrl": {}},
    ),
    "deep": '{"type":"x","a":' + "[" * 100000,
    "surrogates": '{"type":"assistant","cwd":"/\\ud800","message":{"model":"m\\ud800","usage":{"input_tokens":5}}}',
    "nul": "\0" * 100000,
    "empty": "",
}


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_hostile_transcript(name: str, tmp_path: Path) -> None:
    """A payload can be made of any transcript, or none is, which is said."""
    path = tmp_path / ("transcript\x1b[2J" + name)
    path.write_text(TRANSCRIPTS[name], "utf-8")
    picture = tmp_path / "x.svg"
    for words in ((), ("--host",), ("--scenario", "working"), ("--svg", str(picture))):
        harmless(call(tmp_path, "preview", "--theme", "activity", "--transcript", str(path), *words))
    assert not picture.exists() or Tree.parse(picture)


# -- themes ------------------------------------------------------------------------------------------------------------

_SPELT = "".join(f"\\u{ord(character):04x}" for character in HOSTILE if ord(character) < 0x10000)
FATAL = {
    "raw": f'name = "x{HOSTILE}"\n{BASE}'.encode(),
    "escaped": f'name = "x{_SPELT}"\ndescription = "{_SPELT}"\nauthor = "{_SPELT}"\n{BASE}'.encode(),
    "names": f'template = "x"\n[segments]\n"s{_SPELT}" = "a"\n[palette]\n"p{_SPELT}" = "{_SPELT}"\n'
    f'[options]\n"o{_SPELT}" = "v{_SPELT}"\n'.encode(),
    "nested": b"template = " + b"[" * 3000 + b"]" * 3000,
    "dotted": b"a." * 9000 + b"b = 1\n",
    "large": b"#" * 100000,
    "empty": b"",
    "binary": bytes(range(256)),
    "utf-16": BASE.encode("utf-16"),
    "latin-1": b'name = "\xe9"\n',
    "digits": b"name = " + b"9" * 5000,
}
ODD = {
    "texts": 'name = "x"\ndescription = "' + "x" * 20000 + '\\n\\n\\n"\nauthor = "\\n"\n' + BASE,
    "types": 'name = ["x"]\ndescription = { a = 1 }\n' + BASE,
    "loop": 'extends = "loop"\n' + BASE,
    "fuel": 'template = "{% for i in a %}{% for j in a %}{% for k in a %}{{ i }}{% endfor %}{% endfor %}{% endfor %}"\n'
    "[segments]\na = '`[" + ",".join("1" * 200) + "]`'\n",
}


def theme_words(path: str) -> list[list[str]]:
    """Every command that takes a theme's file."""
    return [
        ["themes", "add", path, "--yes"],
        ["themes", "new", "begun", "--from", path],
        ["check", path],
        ["preview", "--scenario", "working", "--theme", path],
        ["explain", "--theme", path],
    ]


@pytest.mark.parametrize("name", FATAL)
def test_hostile_theme(name: str, tmp_path: Path) -> None:
    """A theme that cannot be used is refused by every command, in words, and goes nowhere."""
    path = tmp_path / (name + ".toml")
    path.write_bytes(FATAL[name])
    for words in theme_words(str(path)):
        assert harmless(call(tmp_path, *words)).code in (1, 2), words
    assert not (tmp_path / "home" / ".config").exists()


@pytest.mark.parametrize("name", ODD)
def test_odd_theme(name: str, tmp_path: Path) -> None:
    """A theme that can be used in part, or asks for more than it gets, does no harm."""
    path = tmp_path / (name + ".toml")
    path.write_text(ODD[name])
    for words in theme_words(str(path)):
        harmless(call(tmp_path, *words))


def test_theme_that_is_no_file(tmp_path: Path) -> None:
    """Devices, pipes, folders, loops and what is not there are refused in words, and none is waited for."""
    os.mkfifo(tmp_path / "fifo.toml")
    (tmp_path / "folder.toml").mkdir()
    os.symlink(tmp_path / "loop.toml", tmp_path / "loop.toml")
    os.symlink("/dev/zero", tmp_path / "zero.toml")
    names = ("fifo", "folder", "loop", "zero", "missing", "x" * 300, "a\n" + HOSTILE, NO_UTF_8)
    for path in ("/dev/zero", "//host/x.toml", *(str(tmp_path / f"{name}.toml") for name in names)):
        for words in theme_words(path):
            assert harmless(call(tmp_path, *words)).code in (1, 2), words
    assert not (tmp_path / "home" / ".config").exists()


NAMES = ("../x", "-x", "CON", "nul", "a/b", "a\nb", HOSTILE, "x" * 65, "", ".", "classic", "\u00e9", NO_UTF_8)


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_name_of_a_theme(name: str, tmp_path: Path) -> None:
    """What can be no name of a theme is refused in words, and no file comes of it."""
    (tmp_path / "good.toml").write_text(BASE)
    for words in (["new", "--", name], ["add", str(tmp_path / "good.toml"), "--yes", f"--name={name}"]):
        answer = harmless(call(tmp_path, "themes", *words))
        assert answer.code == 2 and "help: " in answer.err, answer
    for words in (["themes", "show", name], ["preview", "--theme", name], ["init", "--dry-run", "--theme", name]):
        harmless(call(tmp_path, *words))
    assert not (tmp_path / "home" / ".config").exists()


def test_name_of_a_file_is_no_way_out(tmp_path: Path) -> None:
    """A theme is named after its file only where that is a name, else as it calls itself, else not at all."""
    for number, (file, inside, named) in enumerate(
        (("a b\n\x1b[2J.toml", "inside", "inside"), ("$(id).toml", "../../x", None), ("-x.toml", "x", None))
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / file).write_text(f'name = "{inside}"\n{BASE}')
        assert harmless(call(folder, "themes", "add", str(folder / file), "--yes")).code == (0 if named else 2)
        assert [path.stem for path in (folder / "home").rglob("*.toml")] == ([named] if named else [])


def test_folder_of_hostile_themes(tmp_path: Path) -> None:
    """What lies in the user's themes folder can spoil no list, and `show` shows what is hidden in a theme."""
    folder = tmp_path / "home" / ".config" / "ohud" / "themes"
    folder.mkdir(parents=True)
    for name, data in FATAL.items():
        (folder / (name + ".toml")).write_bytes(data)
    for name in ("\x1b[2J", "a\nb", "\u202ex", NO_UTF_8, "-"):
        (folder / (name + ".toml")).write_text(BASE)
    os.mkfifo(folder / "fifo.toml")
    (folder / "folder.toml").mkdir()
    os.symlink("/dev/zero", folder / "zero.toml")
    listed = harmless(call(tmp_path, "themes", "--scenario", "working"))
    assert listed.code == 0 and listed.out.count("cannot be used, run: ohud check") == len(FATAL) + 3
    assert harmless(call(tmp_path, "themes", "--names")).code == 0
    for name in (*FATAL, "fifo", "folder", "zero"):
        shown = call(tmp_path, "themes", "show", name)
        harmless(Answer(shown.code, shown.out.replace("\t", ""), shown.err))
    assert "<U+001B>[2J" in call(tmp_path, "themes", "show", "raw").out


def test_theme_that_changes_while_it_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was drawn is what is copied: a file that has changed meanwhile is refused."""
    path = tmp_path / "good.toml"
    path.write_text(BASE)
    show = sharing._show

    def changing(*given: object) -> None:
        show(*given)  # type: ignore[arg-type]
        path.write_text(BASE.replace("{{ a }}", "another"))

    monkeypatch.setattr(sharing, "_show", changing)
    answer = harmless(call(tmp_path, "themes", "add", str(path), "--yes"))
    assert answer.code == 2 and "has changed while it was looked at" in answer.err
    assert not (tmp_path / "home" / ".config").exists()


# -- configs -----------------------------------------------------------------------------------------------------------

CONFIGS = {
    "raw": f'icons = "{HOSTILE}"\n',
    "escaped": f'theme = "{_SPELT}"\n',
    "key": f'"a{_SPELT}" = 1\n',
    "no-toml": "a =\n",
    "large": "#" * 40000,
    "types": 'theme = 5\nicons = [1]\ncolor = { a = 1 }\nmargin = "x"\nsegments = 1\npalette = 2\noptions = 3\n'
    'projects = 4\nprices = [1]\ncommands = "x"\ngit = 1\nlinks = {}\n',
    "odd": "theme = 2020-01-01\nmargin = nan\n[options]\na = 1979-05-27T07:32:00Z\n[unknown]\nz = [{ a = 1 }]\n",
    "project": '[projects."/a\\nb"]\ntheme = "x"\n',
    "nested": "x = " + "[" * 900 + "]" * 900,
    "command": '[commands."x y"]\nrun = ["/bin/sh", "-c", "touch HERE"]\n',
}
READS = (
    ("config", "list"),
    ("config", "list", "--all"),
    ("config", "set", "options.show_cost", "true"),
    ("init", "--yes", "--dry-run"),
    ("check", "--json"),
    ("preview", "--scenario", "working", "--icons", "ascii"),
    ("explain", "--scenario", "working"),
    ("fields", "model"),
)


@pytest.mark.parametrize("name", CONFIGS)
def test_hostile_config(name: str, tmp_path: Path) -> None:
    """Whatever a config says, every command answers, none acts by it, and a broken one stays as it is."""
    path = tmp_path / "home" / ".config" / "ohud" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(CONFIGS[name].replace("HERE", str(tmp_path / "here")), "utf-8")
    before = path.read_bytes()
    for words in READS:
        answer = harmless(call(tmp_path, *words))
        assert path.read_bytes() == before or (words[:2] == ("config", "set") and answer.code == 0), words
        before = path.read_bytes()
    assert not (tmp_path / "here").exists()


WORDS = (
    "",
    "\x1b[8m",
    "a..b",
    '"',
    "--",
    "a\nb",
    HOSTILE,
    NO_UTF_8,
    "x" * 5000,
    "a." * 300 + "b",
    "[" * 2000,
)


@pytest.mark.parametrize("word", WORDS, ids=lambda word: ascii(word)[:20])
def test_odd_words(word: str, tmp_path: Path) -> None:
    """Whatever is typed in the place of a key, a value, a name or an expression is answered in words."""
    for words in (
        ["config", "get", word],
        ["config", "set", word, "1"],
        ["config", "set", "template", word],
        ["eval", word],
        ["fields", word],
        ["explain", word],
        ["themes", "--scenario", word],
        [word],
    ):
        harmless(call(tmp_path, *words, stdin=b"{}"))
    for path in (tmp_path / "home").rglob("config.toml"):
        assert path.read_bytes().decode(), "what is written is UTF-8"


@pytest.mark.parametrize(
    "place", ["/dev/zero", "/none\x1b[2J\n\x9b/config.toml", "/" + NO_UTF_8 + "/x.toml", "x" * 5000], ids=ascii
)
def test_odd_place_of_the_config(place: str, tmp_path: Path) -> None:
    """A config in an odd place is told of, and its name does not act."""
    session = Session(tmp_path)
    place = place.replace("/none", f"{tmp_path}/none").replace("/" + NO_UTF_8, f"{tmp_path}/{NO_UTF_8}")
    for words in (["config", "set", "icons", "ascii"], ["check"]):
        harmless(started(session, *words, env={"OHUD_CONFIG": place}))


def test_no_place_for_anything(tmp_path: Path) -> None:
    """Without a home directory what can be done is done, and what cannot is said."""
    nowhere = {"HOME": "", "XDG_CONFIG_HOME": "", "XDG_CACHE_HOME": ""}
    for words in (["config", "set", "icons", "ascii"], ["init", "--yes"], ["themes", "new", "x"]):
        answer = harmless(call(tmp_path, *words, env=nowhere))
        assert answer.code in (1, 2) and "help: set " in answer.err
    for words in (["themes", "--names"], ["check"], ["explain", "--scenario", "working"], ["fields", "model"]):
        assert harmless(call(tmp_path, *words, env=nowhere)).code == 0


# -- surroundings ------------------------------------------------------------------------------------------------------


def started(
    session: Session,
    *words: str,
    data: bytes = b"{}",
    env: Mapping[str, str | None] | None = None,
    cwd: Path | None = None,
    prepare: Callable[[], None] | None = None,
    stdout: int = subprocess.PIPE,
) -> Answer:
    """The answer of a command in a process of its own, prepared just before it starts."""
    process = subprocess.Popen(
        [*COMMAND_LINE, *words],
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=subprocess.PIPE,
        # A small file limit would cut the bytecode short, which the interpreter does not notice.
        env=session.env(PYTHONDONTWRITEBYTECODE="1", **(env or {})),
        cwd=cwd or session.home,
        preexec_fn=prepare,
    )
    out, err = process.communicate(data, timeout=20)
    return Answer(process.returncode, (out or b"").decode(), err.decode())


def _small_files() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


def _closed(*numbers: int) -> Callable[[], None]:
    def close() -> None:
        for number in numbers:
            os.close(number)

    return close


SPEAKING = (
    ("themes", "--names"),
    ("eval", "@"),
    ("config", "set", "icons", "ascii"),
    ("init", "--yes"),
    ("--version",),
    ("preview", "--help"),
)


@pytest.mark.parametrize("words", SPEAKING, ids=" ".join)
def test_streams_that_are_closed(words: tuple[str, ...], tmp_path: Path) -> None:
    """A standard stream that is closed is no fault, and no file that is opened later takes its place."""
    session = Session(tmp_path)
    for numbers in ((0,), (0, 1, 2)):
        answer = started(session, *words, prepare=_closed(*numbers))
        assert answer.code == 0 and (not answer.err or words[0] == "eval"), (numbers, answer)
        assert answer.out or numbers != (0,)
    assert all(b"{" not in path.read_bytes() for path in session.conf.rglob("config.toml"))


@pytest.mark.parametrize("words", [*SPEAKING[1:], ("fields", "--json")], ids=" ".join)
def test_output_that_takes_nothing(words: tuple[str, ...], tmp_path: Path) -> None:
    """A full disk is said in one line; a reader that has left, as of `| head -1`, is no fault."""
    session = Session(tmp_path)
    with open("/dev/full", "w") as full:
        answer = harmless(started(session, *words, stdout=full.fileno()))
    assert answer.code == 1 and answer.err == "ohud: the output cannot be written: no space left on device\n"
    reader, writer = os.pipe()
    os.close(reader)
    answer = started(session, *words, stdout=writer)
    os.close(writer)
    assert answer.code == 0 and not answer.err


def test_full_disk(tmp_path: Path) -> None:
    """On a full disk nothing is half written: the file from before stays, no other is left."""
    session = Session(tmp_path)
    config = session.configure('theme = "classic" # mine\n' + "# more\n" * 20)
    (tmp_path / "good.toml").write_text(BASE + "# more\n" * 20)
    before, held = config.read_bytes(), tree(session.conf)
    for words in (
        ["config", "set", "icons", "ascii"],
        ["init", "--yes", "--theme", "nord"],
        ["themes", "new", "begun"],
        ["themes", "add", str(tmp_path / "good.toml"), "--yes"],
    ):
        answer = harmless(started(session, *words, prepare=_small_files))
        assert answer.code in (1, 2) and "file too large" in answer.err, answer
    assert config.read_bytes() == before and tree(session.conf) - {"ohud/themes"} == held


def _read_only() -> None:
    """Takes away what lets root write everywhere: CAP_CHOWN, DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER."""
    library = ctypes.CDLL(None)
    for capability in range(4):
        library.prctl(24, capability, 0, 0, 0)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="takes rights away as Linux does")
def test_read_only_folder(tmp_path: Path) -> None:
    """Where nothing may be written that is said, and nothing is left behind."""
    session = Session(tmp_path)
    config = session.configure('theme = "classic"\n')
    (config.parent / "themes").mkdir()
    folders = (config.parent / "themes", config.parent)
    for folder in folders:
        folder.chmod(0o555)
    for words in (["config", "set", "icons", "ascii"], ["config", "unset", "theme"], ["init", "--yes"]):
        answer = harmless(started(session, *words, prepare=_read_only))
        assert answer.code == 1 and "is left as it is: permission denied" in answer.err
    answer = harmless(started(session, "themes", "new", "begun", prepare=_read_only))
    assert answer.code == 2 and "cannot be written: permission denied" in answer.err
    for folder in folders:
        folder.chmod(0o755)
    assert tree(session.conf) == {"ohud", "ohud/config.toml", "ohud/themes"}


SURROUNDINGS: dict[str, dict[str, str | None]] = {
    "posix": {"LANG": None, "LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "utf-16": {"PYTHONIOENCODING": "utf-16"},
    "junk": {"COLUMNS": "junk", "LINES": "\x1b", "FORCE_COLOR": "\x1b", "OHUD_NOW": "nan", "COLORFGBG": "\x1b"},
    "narrow": {"COLUMNS": "1", "LINES": "9" * 5000},
    "dumb": {"TERM": "dumb", "NO_COLOR": "1"},
    "bare": {"TERM": None, "LANG": None, "TZ": ":/etc/passwd"},
    "hostile": {"HOME": "/none/a\nb\x1b[2J", "XDG_CACHE_HOME": "/none/\x9b", "TZ": "junk\x1b[2J"},
}


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_surroundings(name: str, tmp_path: Path) -> None:
    """Locale, terminal and variables may be anything: what is drawn is UTF-8, and is drawn."""
    session = Session(tmp_path)
    answer = harmless(started(session, "preview", "--scenario", "working", env=SURROUNDINGS[name]))
    assert answer.code == 0 and answer.out and not answer.err


def test_directory_that_is_gone(tmp_path: Path) -> None:
    """From a directory that was removed, what needs none works, and there is no file in it."""
    session = Session(tmp_path)
    gone = tmp_path / "gone"
    wanted = [(["init", "--yes"], 0), (["preview", "--scenario", "working"], 0), (["check"], 0)]
    wanted += [(["install", "--dry-run"], 0), (["doctor"], 1), (["host"], 1)]
    wanted += [(words, 2) for words in (["themes", "add", "x.toml"], ["preview", "--transcript", "x"])]
    wanted += [(words, 1) for words in (["check", "x.toml"], ["preview", "--theme", "x.toml"])]
    for words, code in wanted:
        gone.mkdir()
        assert harmless(started(session, *words, cwd=gone, prepare=lambda: os.rmdir(gone))).code == code, words


# -- interrupted -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [("themes",), ("preview",), ("preview", "--watch")], ids=" ".join)
def test_interrupt(words: tuple[str, ...], tmp_path: Path) -> None:
    """Ctrl-C ends a command in silence, whatever it is at; a watch it ends as it should."""
    session = Session(tmp_path)
    process = subprocess.Popen(
        [*COMMAND_LINE, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=session.env(PYTHONUNBUFFERED="1"),
        cwd=session.home,
    )
    assert process.stdout and process.stdout.read(1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == (0 if "--watch" in words else 130) and not err


def test_interrupt_at_every_step() -> None:
    """Wherever in a command Ctrl-C comes, it ends with 130, and the streams are as before."""
    before = sys.stdin, sys.stdout, sys.stderr

    def interrupted(words: list[str]) -> int:
        try:
            print("begun")
            raise KeyboardInterrupt
        finally:
            print("in order")

    assert output.in_order(interrupted, []) == 130
    assert (sys.stdin, sys.stdout, sys.stderr) == before


# -- terminals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(1, 1), (5, 20)], ids=str)
@pytest.mark.parametrize(
    ("words", "keys"),
    [
        (("init", "--background", "dark"), "j9\x1b[A\x1b]11;rgb:ffff/ffff/ffff\x07\x1b[999~\x1b"),
        (("preview", "--scenario", "working", "--watch"), "\x03"),
        (("fields", "model"), ""),
    ],
    ids=("init", "watch", "fields"),
)
def test_small_terminal(words: tuple[str, ...], keys: str, size: tuple[int, int], tmp_path: Path) -> None:
    """In a terminal of any size, whatever is typed, a command ends, and leaves the terminal as it was."""
    session = Session(tmp_path)
    with Typist([*COMMAND_LINE, *words], session.env(), session.home, size) as somebody:
        if keys:
            while b"\x1b[1;36m>" not in somebody.seen and b"\x1b[?7h" not in somebody.seen:
                somebody.seen += os.read(somebody.ours, 65536)
            somebody.attentive() if words[0] == "init" else None
            somebody.types(keys)
        assert somebody.ends() in (0, 1)
        assert somebody.now() == somebody.modes
        assert b"Traceback" not in somebody.seen


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT], ids=lambda number: number.name)
def test_watch_gives_the_screen_back(number: int, tmp_path: Path) -> None:
    """However a watch is ended, the screen and the cursor from before are there again."""
    session = Session(tmp_path)
    words = [*COMMAND_LINE, "preview", "--scenario", "working", "--watch"]
    with Typist(words, session.env(), session.home) as somebody:
        somebody.sees("Context")
        somebody.sees("\x1b[?7h")
        somebody.signals(number)
        assert somebody.ends() == 0
        assert somebody.seen.endswith(b"\x1b[?25h\x1b[?1049l")


# -- where is written --------------------------------------------------------------------------------------------------


def test_nothing_is_written_elsewhere(tmp_path: Path) -> None:
    """What the commands write lies in the user's config folder, the cache, and the file that was named."""
    session = Session(tmp_path)
    (tmp_path / "good.toml").write_text(BASE)
    before = tree(tmp_path)
    for words in (
        ["themes", "add", str(tmp_path / "good.toml"), "--yes"],
        ["themes", "new", "begun"],
        ["config", "set", "icons", "ascii"],
        ["preview", "--scenario", "working", "--svg", str(tmp_path / "x.svg")],
        ["eval", "@"],
    ):
        assert harmless(started(session, *words)).code == 0, words
    made = {path for path in tree(tmp_path) - before if not path.startswith("cache/ohud")}
    config = {"", "/config.toml", "/themes", "/themes/good.toml", "/themes/begun.toml"}
    assert made == {"x.svg", *("conf/ohud" + path for path in config)}


# -- the last step -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("\x1b[1;31mred\x1b[0m", "\x1b[1;31mred\x1b[0m"),
        ("\x1b]8;;https://x/\x1b\\x\x1b]8;;\x1b\\", "\x1b]8;;https://x/\x1b\\x\x1b]8;;\x1b\\"),
        ("\x1b]8;;javascript:x\x1b\\x", "<U+001B>]8;;javascript:x<U+001B>\\x"),
        ("\x1b]52;c;AA\x07\x1b[2J\x1b[6n", "<U+001B>]52;c;AA<U+0007><U+001B>[2J<U+001B>[6n"),
        ("a\u202eb\x9bc\ud800\r", "a<U+202E>b<U+009B>c<U+D800><U+000D>"),
        ("\U0001f468\u200d\U0001f469 \u2601\ufe0f \ue0a0", "\U0001f468\u200d\U0001f469 \u2601\ufe0f \ue0a0"),
    ],
    ids=ascii,
)
def test_last_step(printed: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Styles and links pass, emoji stay whole, everything else that could act is spelt out, on both streams."""

    def command(words: list[str]) -> int:
        print(printed)
        print(printed, file=sys.stderr)
        return 0

    assert output.in_order(command, []) == 0
    seen = capsys.readouterr()
    assert seen.out == seen.err == shown + "\n"


def test_every_character(capsys: pytest.CaptureFixture[str]) -> None:
    """No character that shows nothing reaches the terminal, whichever it is."""
    from ohud.errors import invisible

    joining, signs = (
        "\u200d\ufe0e\ufe0f",
        "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd",
    )
    texts = [chr(number) for number in itertools.chain(range(0x20000), range(0xE0000, 0xE1000))]

    def command(words: list[str]) -> int:
        print("".join(texts))
        return 0

    assert output.in_order(command, []) == 0
    kept = capsys.readouterr().out
    assert not [c for c in set(kept) if output._SPELT.match(c)]
    left = {c for c in set(kept) - set(joining + signs + "\n\t") if invisible(c)}
    assert not left, sorted(map(ascii, left))[:20]
