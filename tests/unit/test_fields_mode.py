"""Mode and Ollama: every row of the rules, with answers put in their place and with a real daemon."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from daemon import fine, hangs, server

from ohud.fields import ollama
from ohud.fields.mode import mode
from ohud.run.world import World

UP = {"up": True, "version": "0.13.1"}
CLOUD = {"name": "glm-5:cloud", "model": "glm-5-model", "parameter_size": "1T", "remote": True}
LOCAL = {"name": "llama3.2:latest", "model": "llama3.2:latest", "parameter_size": "3.2B", "remote": False}


class Told(World):
    """A world in which the slow facts are given."""

    def __init__(self, **answers: object) -> None:
        super().__init__({})
        self.answers = answers
        self.asked: list[str] = []
        self.settings = {"ollama": {"host": "http://127.0.0.1:1", "refresh_s": 5, "models_refresh_s": 120}}

    def slow(self, job: str, arguments: Any, ttl: float, wait: float = 0, deadline: float = 5) -> Any:
        """The given answer; what was asked, and for how long it is good, is written down."""
        assert job == "ollama" and wait <= 0.1
        self.asked.append(f"{arguments['ask']} {ttl:g}")
        value = self.answers.get(arguments["ask"])
        return None if value is None else {"value": value, "at": 0, "tried": 0, "failed": 0}


def payload(ident: object = None, label: object = None) -> dict[str, Any]:
    return {"model": {"id": ident, "display_name": label}}


@pytest.mark.parametrize(
    ("daemon", "tags", "ident", "label", "expected"),
    [
        # 1: the daemon is down, or nothing is known of it
        (None, None, "glm-5:cloud", None, "anthropic"),
        ({"up": False, "version": None}, [CLOUD], "glm-5:cloud", "glm-5:cloud", "anthropic"),
        # 2: no name
        (UP, [CLOUD], None, None, "anthropic"),
        (UP, [CLOUD], "", "  ", "anthropic"),
        (UP, [CLOUD], 7, [], "anthropic"),
        # 3: the ending, of either name
        (UP, None, "glm-5:cloud", None, "ollama"),
        (UP, [], "something", "kimi:cloud", "ollama"),
        (UP, [], "claude-opus-4-6", "glm-5:cloud", "ollama"),
        (UP, [], "glm-5:cloud-x", "cloud", "anthropic"),
        # 4: no cloud models known
        (UP, None, "glm-5", None, "anthropic"),
        (UP, [LOCAL], "llama3.2:latest", None, "anthropic"),
        # 5: the exact name of a cloud model, of either name
        (UP, [LOCAL, CLOUD], "glm-5-model", None, "ollama"),
        (UP, [LOCAL, {**CLOUD, "name": "qwen3-coder"}], "x", "qwen3-coder", "ollama"),
        # 6: everything else
        (UP, [LOCAL, CLOUD], "glm-5", "GLM 5", "anthropic"),
        (UP, [CLOUD], "GLM-5-model", None, "anthropic"),
    ],
)
def test_rules_in_their_order(daemon: Any, tags: Any, ident: object, label: object, expected: str) -> None:
    assert mode(payload(ident, label), Told(version=daemon, tags=tags)) == expected


@pytest.mark.parametrize(
    "ident",
    [
        "claude-opus-4-6",
        "Claude-Opus-4-6[1m]",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "arn:aws:bedrock:us-east-1:1:inference-profile/global.anthropic.claude-opus-4-6-v1",
        "claude-opus-4-1@20250805",
        "anthropic/claude-opus-4.6",
    ],
)
def test_model_of_anthropic_asks_nobody(ident: str) -> None:
    """Nearly every session: no process, no connection."""
    world = Told(version=UP, tags=[CLOUD])
    assert mode(payload(ident, "Opus 4.6"), world) == "anthropic"
    assert ollama.parameter_size(payload(ident, "Opus 4.6"), world) is None
    assert mode({}, world) == "anthropic"
    assert mode({"model": ident}, world) == "anthropic"
    assert world.asked == []


def test_daemon_and_tags_are_asked_once_a_render_each_with_its_own_age() -> None:
    world = Told(version=UP, tags=[LOCAL, CLOUD])
    for _ in range(2):
        assert mode(payload("glm-5-model"), world) == "ollama"
        assert ollama.parameter_size(payload("glm-5-model"), world) == "1T"
        assert ollama.up({}, world) is True
        assert ollama.version({}, world) == "0.13.1"
        assert ollama.models({}, world) == [LOCAL, CLOUD]
    assert world.asked == ["version 5", "tags 120"]


def test_tags_are_not_asked_of_a_daemon_that_is_down() -> None:
    world = Told(version={"up": False, "version": None})
    assert mode(payload("glm-5"), world) == "anthropic"
    assert (ollama.up({}, world), ollama.version({}, world), ollama.models({}, world)) == (False, None, None)
    assert world.asked == ["version 5"]


def test_nothing_known_is_null() -> None:
    world = Told()
    assert [field({}, world) for field in (ollama.up, ollama.version, ollama.models, ollama.parameter_size)] == [
        None
    ] * 4


@pytest.mark.parametrize("host", [None, 7, "", "localhost:11434", "ftp://localhost", "/etc/passwd"])
def test_host_that_is_no_address_is_not_asked(host: object) -> None:
    world = Told(version=UP)
    world.settings = {"ollama": {"host": host}}
    assert mode(payload("glm-5:cloud"), world) == "anthropic"
    assert world.asked == []


@pytest.mark.parametrize("value", [[], "x", 7, {"up": "yes"}, {"up": 1}])
def test_answer_of_a_wrong_shape_is_none(value: object) -> None:
    """The cache is not trusted."""
    world = Told(version=value, tags=[None, 7, {"remote": True}])
    assert mode(payload("glm-5"), world) == "anthropic"
    assert ollama.up({}, world) is None
    world = Told(version=UP, tags=[None, 7, {"remote": True, "name": ["glm-5"]}, {"name": "glm-5"}])
    assert mode(payload("glm-5"), world) == "anthropic"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / ".cache").mkdir()
    yield tmp_path


def real(home: Path, host: str, patience: float = 5.0) -> World:
    world = World({"HOME": str(home)})
    world.settings = {"ollama": {"host": host, "refresh_s": 60, "models_refresh_s": 120, "timeout_ms": 300}}
    world.patience = patience
    return world


def test_real_daemon_is_asked_once_for_many_refreshes(home: Path) -> None:
    with server(fine) as (host, asked):
        assert mode(payload("glm-5"), real(home, host)) == "anthropic"
        for _ in range(5):
            assert mode(payload("glm-5:cloud"), real(home, host, 0)) == "ollama"
            assert ollama.parameter_size(payload("glm-5:cloud"), real(home, host, 0)) == "1T"
    assert sorted(one.split(" ")[1] for one in asked) == ["/api/tags", "/api/version"]


def test_no_answer_is_remembered_as_well(home: Path) -> None:
    """The original tried a connection on every tick."""
    with server(hangs) as (host, asked):
        for patience in (5.0, 0, 0, 0):
            world = real(home, host, patience)
            assert mode(payload("glm-5:cloud"), world) == "anthropic"
            assert ollama.up({}, world) is False
        assert len(asked) == 1
