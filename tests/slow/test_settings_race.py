"""Settings that the host writes while ohud installs itself: nothing of the host's is lost, nothing is torn."""

import json
from collections import Counter
from pathlib import Path

import pytest
from rewriter import Rewriter

from ohud.host import files
from ohud.host.installation import Record, Wanted, install, is_ours, uninstall
from ohud.host.replace import Rewriting
from ohud.host.splice import Refused

WANTED = Wanted(command="/usr/bin/python3 -I -S /opt/ohud/hot.py", refresh=5)
pytestmark = pytest.mark.skipif(not hasattr(files.os, "fork"), reason="a writer that needs select on its input")


def rounds(folder: Path, way: str, number: int) -> Counter[str]:
    """How rounds of installing and uninstalling against a busy writer ended."""
    path = folder / "settings.json"
    record = Record(str(folder / "record"))
    writer = Rewriter(path, way, seed=number)
    ended: Counter[str] = Counter()
    try:
        for turn in range(number):
            try:
                if turn % 2:
                    uninstall(str(path), record, Rewriting(backup=True))
                else:
                    install(str(path), WANTED, record, Rewriting(backup=True))
                ended["done"] += 1
            except Refused as fault:
                ended[fault.reason] += 1
            mine = writer.paused()
            known = json.loads(path.read_bytes())
            ended["there" if is_ours(known.pop("statusLine", None)) else "not there"] += 1
            assert known == mine, (turn, way)
            writer.resume()
    finally:
        writer.close()
    assert not [left.name for left in folder.iterdir() if left.suffix == ".tmp"]
    return ended


@pytest.mark.slow
@pytest.mark.parametrize("way", ["in place", "by rename"])
@pytest.mark.parametrize("swap", [True, False], ids=["exchanged", "renamed"])
def test_two_hundred_rounds(way: str, swap: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 200 rounds none loses a byte of the writer's, and nearly all come to their end."""
    if not swap:
        if way == "by rename":
            pytest.skip("a rename that falls between look and rename is only seen where files can be exchanged")
        monkeypatch.setattr(files, "_exchange", lambda one, other: False)
    ended = rounds(tmp_path, way, 200)
    assert ended["done"] >= 100, ended


@pytest.mark.parametrize("way", ["in place", "by rename"])
def test_a_few_rounds(way: str, tmp_path: Path) -> None:
    """The same, short."""
    ended = rounds(tmp_path, way, 12)
    assert ended["done"] >= 6, ended
