"""`ohud record`: nothing personal is left, everything else is; a wrapper that the host does not notice."""

import json
import os
import re
import shutil
import stat
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from launch import COMMAND_LINE, Input, Outcome, launch
from run_lines import RUN, call, init, result
from session import Session, captured

from ohud.stream import kept as kept_words
from ohud.stream.disguise import Disguise

RECORD = [*COMMAND_LINE, "record"]
KEY = b"0" * 32
PAYLOAD: dict[str, Any] = {
    "session_id": "2b197a31-d30d-4a59-97a5-7db97ffa6b12",
    "session_name": "Rescue the Hidden Project",
    "transcript_path": "/home/miriam/.claude/projects/-home-miriam-hidden/2b197a31-d30d-4a59-97a5-7db97ffa6b12.jsonl",
    "cwd": "/home/miriam/hidden",
    "model": {"id": "claude-opus-5-5", "display_name": "Opus 5.5"},
    "workspace": {
        "current_dir": "/home/miriam/hidden",
        "project_dir": "/home/miriam/hidden",
        "added_dirs": ["/srv/vault/notes"],
        "repo": {"host": "github.com", "owner": "miriam", "name": "hidden"},
    },
    "version": "2.1.332",
    "output_style": {"name": "default"},
    "vim": {"mode": "NORMAL"},
    "effort": {"level": "high"},
    "agent": {"name": "auditor"},
    "cost": {"total_cost_usd": 1.25, "total_duration_ms": 60000},
    "context_window": {"used_percentage": 8, "current_usage": None},
    "rate_limits": {"five_hour": {"used_percentage": 12.5, "resets_at": 1796047200}},
    "worktree": {"name": "hidden", "branch": "feature/unspoken", "path": "/home/miriam/trees/hidden"},
    "pr": {"number": 17, "url": "https://github.com/miriam/hidden/pull/17"},
    "contact": "miriam.okafor@corp.example.org",
    "later": {
        "address": "https://wiki.corp.example.org/page?id=unspoken",
        "remote": "git@git.corp.example.org:a/b.git",
    },
}
SECRETS = re.compile("miriam|hidden|rescue|project(?!s|_)|vault|notes|auditor|unspoken|okafor|corp|wiki", re.IGNORECASE)


@pytest.fixture
def user(tmp_path: Path) -> Session:
    """A user who has kept nothing yet."""
    return Session(tmp_path)


def record(user: Session, data: bytes, *options: str) -> Outcome:
    """One run of the command."""
    return launch([*RECORD, *options], Input(data), user.env(XDG_STATE_HOME=str(user.root / "state")), user.home)


def kept(user: Session, count: int) -> list[Path]:
    """The payloads that are kept, once there are so many; they are written after the command has ended."""
    folder = user.root / "state" / "ohud" / "payloads"
    end = time.monotonic() + 10
    while len(found := sorted(folder.glob("payload-*.json"))) < count and time.monotonic() < end:
        time.sleep(0.05)
    return found


def shape(value: Any) -> Any:
    """A value with every text replaced by one."""
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    return [shape(item) for item in value] if isinstance(value, list) else "" if isinstance(value, str) else value


# What is replaced


def test_payload(user: Session) -> None:
    """Names, paths, addresses and texts are gone; structure, numbers, models, versions and modes are as they were."""
    outcome = record(user, json.dumps(PAYLOAD).encode())
    assert (outcome.code, outcome.err) == (0, b"")
    found = json.loads(outcome.out)
    assert not SECRETS.search(outcome.text)
    assert shape(found) == shape(PAYLOAD)
    for key in ("model", "version", "output_style", "vim", "effort", "cost", "context_window", "rate_limits"):
        assert found[key] == PAYLOAD[key]


def test_the_same_becomes_the_same() -> None:
    """A name is the same placeholder wherever it stands, so that paths and ids still fit together."""
    found = Disguise(KEY).value(PAYLOAD)
    assert found["cwd"] == found["workspace"]["current_dir"] == "/home/user/" + found["worktree"]["name"]
    assert found["workspace"]["repo"]["name"] == found["worktree"]["name"]
    assert found["transcript_path"].endswith(f"/{found['session_id']}.jsonl")
    assert found["transcript_path"].startswith("/home/user/.claude/projects/")
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}", found["session_id"])
    assert re.fullmatch(r"https://github\.com/\w+/\w+/pull/17", found["pr"]["url"])
    assert re.fullmatch(r"\w+@example\.com", found["contact"])
    assert re.fullmatch(r"https://example\.com/\w+\?\w+", found["later"]["address"])
    assert re.fullmatch(r"\w+/\w+", found["worktree"]["branch"])


def test_another_key_gives_others() -> None:
    """Who has not the key cannot try names out."""
    one, other = (Disguise(key).value(PAYLOAD) for key in (KEY, b"1" * 32))
    assert one["worktree"]["name"] != other["worktree"]["name"]


@pytest.mark.parametrize(
    ("text", "least", "most"), [("abc", 4, 4), ("abcdefgh", 8, 8), ("a" * 30, 32, 32), ("日本語テキスト", 15, 16)]
)
def test_lengths(text: str, least: int, most: int) -> None:
    """A placeholder is about as wide as the text, so that a line that is too long stays so."""
    from screen import cells

    assert least <= cells(Disguise(KEY).word(text)) <= most


@pytest.mark.parametrize(
    ("text", "sign"), [("日本", "[例字]"), ("a\x1b[31m", "\x1b"), ("🚀 up", "[🙂🎈]"), ("e\u0301", "[\u0301\u0308]")]
)
def test_what_makes_terminals_stumble(text: str, sign: str) -> None:
    """Of each sort of character that is not plain one is left, another one."""
    assert re.search(sign, Disguise(KEY).value({"session_name": text})["session_name"])


@pytest.mark.parametrize(
    ("name", "kept_as"),
    [
        ("claude-sonnet-4-5-20250929[1m]", None),
        ("us.anthropic.claude-opus-4-1-20250805-v1:0", None),
        ("qwen3-coder:480b-cloud", None),
        ("glm-5:cloud", None),
        ("Opus 4.8 (1M context)", None),
        ("<synthetic>", None),
        ("acme-internal-llama", "model-"),
        (
            "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/q7secret",
            "arn:aws:bedrock:us-east-1:0000",
        ),
    ],
)
def test_models(name: str, kept_as: str | None) -> None:
    """A maker's model stays; one of somebody's own does not, nor does an account's number."""
    found = Disguise(KEY).value({"model": name})["model"]
    assert found == name if kept_as is None else found.startswith(kept_as) and name not in found
    assert "secret" not in found and "acme" not in found and "1234" not in found


@pytest.mark.parametrize("home", ["/home/alice", "/Users/alice", "C:\\Users\\alice", "/root", "/data/homes/alice"])
def test_homes(home: str) -> None:
    """A home is the same one for everybody."""
    found = Disguise(KEY, "/data/homes/alice").path(home + "/x")
    assert found.replace("C:\\Users\\user", "/home/user").startswith("/home/user/") and "alice" not in found


WORDS = st.text("abcdefghijklmnopqrstuvwxyzäöüßéλ日本", min_size=5, max_size=12).filter(
    lambda word: set(word) & set("aeiou")
)
TEXTS = st.one_of(
    WORDS,
    st.lists(WORDS, min_size=2, max_size=6).map(" ".join),
    st.lists(WORDS, min_size=1, max_size=4).map("/".join).map("/home/".__add__),
    st.builds("{}@{}.org".format, WORDS, WORDS),
    st.builds("https://{}.net/{}?q={}".format, WORDS, WORDS, WORDS),
    st.builds("{}\n{}\t{}".format, WORDS, WORDS, WORDS),
    st.builds("<task-notification><summary>{}</summary></task-notification>".format, WORDS),
)
FIELDS = "description prompt content command file_path path name text title label stdout subject file"
ANYTHING = st.recursive(
    st.one_of(TEXTS, st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(FIELDS.split()), inner, max_size=5)
    ),
    max_leaves=20,
)
# Words that say nothing of a person: the host's own folders, tools, kinds and the like.
VOCABULARY = (
    kept_words.FOLDERS | kept_words.WORDS | kept_words.NAMES | kept_words.OWN | kept_words.KNOWN | kept_words.TAGS
)
OWN = {"home", "users", "example", "notification", "summary", "https", "model"} | {w.lower() for w in VOCABULARY}


def words_of(value: Any) -> Iterator[str]:
    """The words of every text in a value, keys left out."""
    if isinstance(value, dict):
        for item in value.values():
            yield from words_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from words_of(item)
    elif isinstance(value, str):
        yield from (word.lower() for word in re.findall(r"\w{5,}", value))


@given(value=ANYTHING, inside=st.sampled_from(["", "tool_use_result", "input", "message"]))
def test_nothing_is_left(value: Any, inside: str) -> None:
    """No word of any text is in what comes out, and structure and numbers are the same."""
    given_value = {inside: value} if inside else {"value": value}
    found = Disguise(KEY).value(given_value)
    assert shape(found) == shape(given_value)
    text = json.dumps(list(words_of(found)), ensure_ascii=False)
    assert [word for word in words_of(given_value) if word not in OWN and word in text] == []
    assert Disguise(KEY).value(given_value) == found


@given(name=WORDS.filter(lambda word: word not in kept_words.FREE_KEYS))
def test_names_as_keys(name: str) -> None:
    """Where keys are somebody's names, they are replaced as well."""
    found = Disguise(KEY).value({"input": {name: 1}, "mcpServers": {name: {}}, "trackedFileBackups": {f"/x/{name}": 1}})
    assert name not in json.dumps(found, ensure_ascii=False)


@pytest.mark.parametrize("name", sorted(captured()))
def test_recorded_payloads(name: str) -> None:
    """What hosts have really sent keeps its shape, and looks the same to all that counts."""
    payload = json.loads(captured()[name])
    found = Disguise(KEY).value(payload)
    assert shape(found) == shape(payload)
    for key in ("model", "version", "cost", "context_window", "rate_limits", "effort"):
        assert found.get(key) == payload.get(key) or "custom" in json.dumps(payload.get(key))


# Streams and transcripts


def test_stream(user: Session) -> None:
    """A stream comes to the same report but for its texts, and stays a stream."""
    file = user.root / "run"
    file.write_bytes(init(cwd="/home/miriam/hidden") + call(command="rm hidden") + b"hidden {\n" + RUN)
    outcome = record(user, b"", "--stream", str(file))
    lines = outcome.text.splitlines()
    assert outcome.code == 0 and len(lines) == file.read_bytes().count(b"\n")
    assert not SECRETS.search(outcome.text)
    played = [user.command("stream", "--quiet", "--eval", WANTED, data=data) for data in (outcome.out, RUN)]
    assert played[0].out == played[1].out and played[0].code == 0


WANTED = "[computed.model.id, cost, context_window, computed.activity.tools.counts]"


def test_transcript(user: Session) -> None:
    """What the families read of a transcript is the same, but for its texts."""
    note = "<task-notification><tool-use-id>toolu_1</tool-use-id><status>completed</status>hidden</task-notification>"
    lines: list[dict[str, Any]] = [
        {
            "type": "user",
            "sessionId": "s",
            "cwd": "/home/miriam/x",
            "message": {"role": "user", "content": "hidden now"},
        },
        {"type": "queue-operation", "operation": "enqueue", "content": note},
        {"type": "ai-title", "aiTitle": "the hidden one"},
    ]
    file = user.root / "t.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in lines))
    outcome = record(user, b"", "--transcript", str(file))
    found = [json.loads(one) for one in outcome.text.splitlines()]
    assert not SECRETS.search(outcome.text)
    assert [one["type"] for one in found] == [str(one["type"]) for one in lines]
    assert "<status>completed</status>" in found[1]["content"] and found[1]["content"].startswith("<task-notification>")


def test_array(user: Session) -> None:
    """The one-array form stays one."""
    file = user.root / "run"
    file.write_bytes(b"[\n" + init(cwd="/home/miriam/x").strip() + b",\n" + result().strip() + b"\n]\n")
    found = json.loads(record(user, b"", "--stream", str(file)).out)
    assert [one["type"] for one in found] == ["system", "result"]


@pytest.mark.parametrize(
    "data", [b"hidden words", b"[1", b"\x1b[31mhidden\xff", b'{"a": "' + b"x" * 300000 + b'"}', b""]
)
def test_no_payload(user: Session, data: bytes) -> None:
    """What is none is replaced as a whole, and said to be none."""
    outcome = record(user, data)
    assert outcome.code == 1 and "no JSON object" in outcome.errors
    assert "hidden" not in outcome.text and "\x1b" not in outcome.text


# As a wrapper


def test_wrapper(user: Session) -> None:
    """The command has the payload, its output and status are its own, and a private copy is kept."""
    raw = json.dumps(PAYLOAD).encode() + b"\n"
    program = 'cat; printf "\\033[31mtail" ; echo complaint >&2; exit 7'
    outcome = record(user, raw, "--", "sh", "-c", program)
    assert (outcome.code, outcome.out, outcome.err) == (7, raw + b"\x1b[31mtail", b"complaint\n")
    (file,) = kept(user, 1)
    assert shape(json.loads(file.read_bytes())) == shape(PAYLOAD) and not SECRETS.search(file.read_text())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_wrapper_of_what_kills_itself(user: Session) -> None:
    """A signal is told as a shell tells it."""
    assert record(user, b"{}", "--", "sh", "-c", "kill -9 $$").code == 137


def test_wrapper_of_nothing(user: Session) -> None:
    """A command that is not there is named."""
    outcome = record(user, b"{}", "--", "no-such-command-here")
    assert outcome.code == 127 and "no-such-command-here" in outcome.errors
    assert record(user, b"{}", "--").code == 2


@pytest.mark.parametrize("data", [b"", b"no json", b"x" * 1_000_000])
def test_wrapper_of_no_payload(user: Session, data: bytes) -> None:
    """Whatever comes goes through, nothing is kept."""
    assert record(user, data, "--", "cat").out == data
    assert not kept(user, 0)


def test_wrapper_of_a_host_that_holds_on(user: Session) -> None:
    """The end of the command is enough; the host need not close its end."""
    words = [*RECORD, "--", "head", "-c", "2"]
    env = user.env(XDG_STATE_HOME=str(user.root / "state"))
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as process:
        assert process.stdin and process.stdout
        process.stdin.write(b'{"a": 1}\n')
        process.stdin.flush()
        assert process.wait(10) == 0 and process.stdout.read() == b'{"'


def test_a_folder_that_is_not_ours(user: Session) -> None:
    """Where nothing can be kept, the line is drawn all the same."""
    (user.root / "state").write_text("a file in the way")
    assert record(user, b"{}", "--", "echo", "line").out == b"line\n"


def test_bounded(user: Session) -> None:
    """The oldest go when there are two hundred."""
    folder = user.root / "state" / "ohud" / "payloads"
    folder.mkdir(parents=True, mode=0o700)
    for number in range(220):
        (folder / f"payload-{1000 + number}-1.json").write_text("{}")
    outcome = record(user, json.dumps(PAYLOAD).encode(), "--to", str(folder))
    names = [path.name for path in kept(user, 200)]
    assert len(names) == 200 and names[-1] == Path(outcome.text.strip()).name and names[0] == "payload-1021-1.json"


def test_off_and_on(user: Session) -> None:
    """Nothing is kept while it is off, though the settings still name it."""
    assert record(user, b"", "--off").code == 0
    assert record(user, b"{}", "--", "echo", "line").out == b"line\n"
    assert record(user, b"{}", "--to", str(user.root / "state" / "ohud" / "payloads")).code == 1
    status = record(user, b"", "--status")
    assert status.code == 1 and status.text.startswith("off: ") and "0 payloads" in status.text
    assert record(user, b"", "--on").code == 0
    record(user, b"{}", "--", "true")
    assert len(kept(user, 1)) == 1 and record(user, b"", "--status").text.startswith("on: ")


def test_the_copies_belong_together(user: Session) -> None:
    """The key is kept beside them: what is the same in two payloads is so in their copies."""
    raw = json.dumps(PAYLOAD).encode()
    first = record(user, raw).out
    record(user, raw, "--", "true")
    assert json.loads(kept(user, 1)[0].read_bytes()) == json.loads(first)


@pytest.mark.skipif(shutil.which("head") is None or not os.path.exists("/dev/stdin"), reason="a plain system is needed")
def test_a_reader_that_has_gone(user: Session) -> None:
    """The output ends quietly."""
    file = user.root / "run"
    file.write_bytes(RUN * 2000)
    words = ["sh", "-c", '"$@" | head -c 5', "sh", *RECORD, "--stream", str(file)]
    outcome = launch(words, Input(), user.env(XDG_STATE_HOME=str(user.root / "state")), user.home, limit_s=20.0)
    assert (outcome.out, outcome.err) == (b'{"typ', b"")
