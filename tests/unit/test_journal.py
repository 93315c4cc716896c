"""The incremental reader: what it keeps and reads, when it starts over, and what each line of a transcript says."""

import json
import os
import threading
import time
from _imp import source_hash
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from records import DATA, START_S, at, call, folded, prompt, read, reply, result, text, usage, user, world

from ohud.refresh.journal import catch_up, work
from ohud.run import journal as module
from ohud.run.fold import fold, fold_all, moment
from ohud.run.journal import file_name, fresh, journal, load

FIGURES = [key for key in fresh() if key not in ("stamp", "head", "tail", "replies", "offset")]
LONG = "x" * 3000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def figures(state: dict[str, Any]) -> dict[str, Any]:
    return {key: state[key] for key in FIGURES}


def output(state: dict[str, Any]) -> int:
    return sum(bucket[1] for buckets in state["tokens"].values() for bucket in buckets.values())


def conversation(first: int, count: int) -> bytes:
    """Replies of 3 KB with 20 output tokens each."""
    return text(*(reply(i % 3000, f"msg_{i}", [{"type": "text", "text": LONG}]) for i in range(first, first + count)))


# --- the file -------------------------------------------------------------------------------------------------------


def test_no_transcript_is_an_empty_state(tmp_path: Path, path: Path) -> None:
    assert journal(world(tmp_path)) == {}
    assert read(tmp_path, path) == {}
    assert read(tmp_path, tmp_path) == {}


def test_a_device_or_pipe_is_not_opened(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert read(tmp_path, pipe) == {}
    assert read(tmp_path, Path("/dev/zero")) == {}


def test_config_can_keep_the_transcript_closed(tmp_path: Path, path: Path) -> None:
    path.write_bytes(conversation(0, 1))
    assert journal(world(tmp_path, path, transcript={"enabled": False})) == {}
    assert journal(world(tmp_path, path, transcript={"enabled": True}))["messages"] == 1


def test_an_unreadable_file_is_an_empty_state(tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(conversation(0, 1))
    opened = world(tmp_path, path)
    monkeypatch.setattr(opened, "read_from", lambda *_: None)
    assert journal(opened) == {}


def test_only_what_was_appended_is_read(tmp_path: Path, path: Path) -> None:
    path.write_bytes(conversation(0, 30))
    read(tmp_path, path)
    kept = (tmp_path / ".cache" / "ohud" / file_name(str(path))).stat().st_size
    more = conversation(30, 5)
    with path.open("ab") as file:
        file.write(more)
    opened = world(tmp_path, path)
    assert journal(opened)["messages"] == 35
    # The file's first bytes, those before our place, and before the new one.
    assert opened.bytes_read == kept + 3 * 256 + len(more)


def test_an_unchanged_file_is_not_opened_nor_the_state_written(tmp_path: Path, path: Path) -> None:
    path.write_bytes(conversation(0, 30))
    read(tmp_path, path)
    file = tmp_path / ".cache" / "ohud" / file_name(str(path))
    before = file.stat()
    opened = world(tmp_path, path)
    state = journal(opened)
    assert (state["messages"], state["complete"]) == (30, True)
    assert opened.bytes_read == before.st_size
    assert file.stat().st_mtime_ns == before.st_mtime_ns and file.stat().st_ino == before.st_ino


def test_small_additions_are_read_again_rather_than_kept(tmp_path: Path, path: Path) -> None:
    path.write_bytes(conversation(0, 30))
    read(tmp_path, path)
    file = tmp_path / ".cache" / "ohud" / file_name(str(path))
    before = file.stat().st_ino
    with path.open("ab") as opened:
        opened.write(conversation(30, 1))
    recent = world(tmp_path, path, now=path.stat().st_mtime + 1)
    assert journal(recent)["messages"] == 31
    assert file.stat().st_ino == before
    idle = world(tmp_path, path, now=path.stat().st_mtime + 10)
    assert journal(idle)["messages"] == 31
    assert file.stat().st_ino != before


def test_a_partial_last_line_is_left_for_the_next_time(tmp_path: Path, path: Path) -> None:
    data = conversation(0, 4)
    path.write_bytes(data[:-40])
    state = read(tmp_path, path)
    assert (state["messages"], state["complete"]) == (3, True)
    with path.open("ab") as file:
        file.write(data[-40:])
    assert read(tmp_path, path)["messages"] == 4


def test_a_whole_last_line_without_its_end_counts_once(tmp_path: Path, path: Path) -> None:
    data = conversation(0, 4)
    path.write_bytes(data[:-1])
    for _ in range(3):
        state = read(tmp_path, path)
        assert (state["messages"], output(state)) == (4, 80)
    with path.open("ab") as file:
        file.write(b"\n")
    assert output(read(tmp_path, path)) == 80


@pytest.mark.parametrize("change", ["shorter", "rewritten", "replaced", "other head", "regrown"])
def test_a_file_that_is_another_one_starts_over(tmp_path: Path, path: Path, change: str) -> None:
    path.write_bytes(conversation(0, 30))
    assert read(tmp_path, path)["messages"] == 30
    if change == "shorter":
        path.write_bytes(conversation(0, 3))
        expected = 3
    elif change == "rewritten":
        path.write_bytes(conversation(0, 1) + b"{}\n" + conversation(100, 34))
        expected = 35
    elif change == "replaced":
        path.rename(tmp_path / "old")
        path.write_bytes(conversation(0, 31))
        expected = 31
    elif change == "other head":
        path.write_bytes(conversation(500, 36))
        expected = 36
    else:
        path.write_bytes(b"")
        assert read(tmp_path, path)["messages"] == 0
        path.write_bytes(conversation(0, 32))
        expected = 32
    state = read(tmp_path, path)
    assert (state["messages"], output(state)) == (expected, 20 * expected)


def test_a_short_file_written_anew_in_place_with_the_same_length_starts_over(tmp_path: Path, path: Path) -> None:
    path.write_bytes(conversation(0, 30).replace(b'"output_tokens":20', b'"output_tokens":31', 1))
    assert output(read(tmp_path, path)) == 20 * 30 + 11
    inode, size = path.stat().st_ino, path.stat().st_size
    path.write_bytes(conversation(0, 30).replace(b'"output_tokens":20', b'"output_tokens":55', 1))
    os.utime(path, ns=(0, 10**18))
    assert (path.stat().st_ino, path.stat().st_size) == (inode, size)
    assert output(read(tmp_path, path)) == 20 * 30 + 35


def test_a_file_written_anew_and_longer_with_the_same_beginning_starts_over(tmp_path: Path, path: Path) -> None:
    """Up to our place it has as many bytes as before; the last record there is another."""
    path.write_bytes(conversation(0, 29) + conversation(29, 1).replace(b'"output_tokens":20', b'"output_tokens":77'))
    assert output(read(tmp_path, path)) == 20 * 29 + 77
    path.write_bytes(conversation(0, 33))
    assert output(read(tmp_path, path)) == 20 * 33


def test_a_relocated_transcript_is_read_anew(tmp_path: Path, path: Path) -> None:
    path.write_bytes(conversation(0, 30))
    read(tmp_path, path)
    moved = tmp_path / "worktree.jsonl"
    path.rename(moved)
    assert read(tmp_path, path) == {}
    assert read(tmp_path, moved)["messages"] == 30


def damages(raw: bytes) -> Iterator[bytes]:
    yield b""
    yield b"\xff" * 40
    yield raw[:-1]
    yield raw[: len(raw) // 2]
    yield raw[:100] + b"7" + raw[101:]
    yield raw.replace(b'"messages":30', b'"messages":31')
    yield b"{}"


def test_a_damaged_state_is_dropped(tmp_path: Path, path: Path) -> None:
    path.write_bytes(conversation(0, 30))
    read(tmp_path, path)
    file = tmp_path / ".cache" / "ohud" / file_name(str(path))
    raw = file.read_bytes()
    for damaged in damages(raw):
        file.write_bytes(damaged)
        assert read(tmp_path, path)["messages"] == 30
        file.unlink(missing_ok=True)


def forged(raw: bytes, **parts: Any) -> bytes:
    """A state with other contents and the right digest."""
    first, _, second = raw[16:].partition(b"\n")
    body = json.dumps({**json.loads(first), **parts}).encode() + b"\n" + second
    return source_hash(module.FORMAT, body).hex().encode() + body


@pytest.mark.parametrize(
    "parts",
    [
        {"tokens": {"claude-opus-4-6": 7}},
        {"tokens": []},
        {"open": {"t": None}},
        {"recent": [1, 2], "counts": {"Read": "many"}},
        {"agents": {"a": []}},
        {"offset": -5},
        {"head": [9999, ""]},
        {"head": ["x", "y"]},
        {"tail": [9999, ""]},
        {"tail": ["x", "y"]},
        {"called": [7, None, {}]},
        {"stamp": []},
        {"format": 0},
    ],
)
def test_a_forged_state_never_raises_and_is_gone_afterwards(tmp_path: Path, path: Path, parts: dict[str, Any]) -> None:
    path.write_bytes(conversation(0, 30))
    read(tmp_path, path)
    file = tmp_path / ".cache" / "ohud" / file_name(str(path))
    file.write_bytes(forged(file.read_bytes(), **parts))
    with path.open("ab") as opened:
        opened.write(text(call(5, "t", "Read"), result(6, "t"), prompt(7)) + conversation(30, 5))
    read(tmp_path, path)
    assert read(tmp_path, path)["messages"] == 36


def test_without_a_cache_folder_small_files_are_read_each_time(path: Path) -> None:
    path.write_bytes(conversation(0, 5))
    opened = module_world_without_cache(path)
    assert journal(opened)["messages"] == 5


def module_world_without_cache(path: Path) -> Any:
    from ohud.run.world import World

    made = World({}, now=START_S)
    made.transcript = str(path)
    return made


def test_state_is_private(tmp_path: Path, path: Path) -> None:
    path.write_bytes(conversation(0, 30))
    read(tmp_path, path)
    file = tmp_path / ".cache" / "ohud" / file_name(str(path))
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert str(path).encode() not in file.read_bytes()


# --- more than a refresh may read ------------------------------------------------------------------------------------


class Started:
    """The jobs that a refresh asked for; none runs."""

    def __init__(self, opened: Any) -> None:
        self.jobs: list[tuple[Any, ...]] = []
        opened.slow = lambda *arguments: self.jobs.append(arguments)


def test_a_long_gap_is_left_to_the_job_and_read_in_bounds(tmp_path: Path, path: Path) -> None:
    path.write_bytes(conversation(0, 200) + text(prompt(3000), call(3001, "t1", "Bash", {"command": "make"})))
    opened = world(tmp_path, path)
    started = Started(opened)
    state = journal(opened)
    assert state["complete"] is False
    assert started.jobs == [("journal", {"path": str(path)}, 0.25, 0.06, 30.0)]
    assert opened.bytes_read <= module.INLINE
    # Its sums are not known yet, what is going on now is.
    assert state["messages"] == 0
    assert [one["name"] for one in state["open"].values()] == ["Bash"]
    work({"path": str(path)}, world(tmp_path, path))
    later = world(tmp_path, path)
    started = Started(later)
    state = journal(later)
    assert (state["messages"], state["complete"], started.jobs) == (201, True, [])


def test_a_known_session_does_not_wait_for_the_job(tmp_path: Path, path: Path) -> None:
    path.write_bytes(conversation(0, 30))
    read(tmp_path, path)
    with path.open("ab") as file:
        file.write(conversation(30, 200))
    opened = world(tmp_path, path)
    started = Started(opened)
    state = journal(opened)
    assert started.jobs[0][3] == 0.0
    assert (state["messages"], state["complete"]) == (30, False)


def test_a_command_of_a_person_reads_all_at_once(tmp_path: Path, path: Path) -> None:
    path.write_bytes(conversation(0, 400))
    opened = world(tmp_path, path)
    opened.patience = 5.0
    state = journal(opened)
    assert (state["messages"], state["complete"]) == (400, True)
    homeless = module_world_without_cache(path)
    homeless.patience = 5.0
    assert journal(homeless)["messages"] == 400


def test_catching_up_in_pieces_gives_the_same(tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = (DATA / "main-2.1.332.jsonl").read_bytes()
    path.write_bytes(data)
    whole = fresh()
    fold_all(whole, data)
    monkeypatch.setattr("ohud.refresh.journal._PIECE", 7000)
    opened = world(tmp_path, path)
    assert figures(catch_up(opened, str(path), 5.0)) == figures(whole)
    assert figures(load(opened, file_name(str(path)))[0] or {}) == figures(whole)


def test_catching_up_stops_when_its_time_is_over_and_goes_on_later(tmp_path: Path, path: Path) -> None:
    path.write_bytes(conversation(0, 3000))
    state = catch_up(world(tmp_path, path), str(path), 1e-9)
    assert 0 < state["offset"] < path.stat().st_size
    assert output(catch_up(world(tmp_path, path), str(path), 30.0)) == 3000 * 20


def test_a_line_without_end_is_passed_over(tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ohud.refresh.journal._PIECE", 1 << 14)
    monkeypatch.setattr("ohud.refresh.journal._LONGEST", 1 << 16)
    path.write_bytes(conversation(0, 2) + b'{"type":"assistant","x":"' + b"y" * 400000)
    state = catch_up(world(tmp_path, path), str(path), 5.0)
    assert state["skip"] and state["offset"] == path.stat().st_size
    assert journal(world(tmp_path, path))["messages"] == 2
    with path.open("ab") as file:
        file.write(b'"}\n' + conversation(2, 1))
    state = journal(world(tmp_path, path))
    assert (state["messages"], state["skip"]) == (3, False)


def test_a_9_mb_line_is_read(tmp_path: Path, path: Path) -> None:
    path.write_bytes(
        conversation(0, 1) + text(reply(1, "big", [{"type": "text", "text": "z" * 9_000_000}])) + conversation(1, 1)
    )
    assert catch_up(world(tmp_path, path), str(path), 20.0)["messages"] == 3


def test_a_file_replaced_while_it_is_read_leaves_no_mixed_state(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_bytes(conversation(0, 50))
    opened = world(tmp_path, path)
    original = opened.read_from

    def swap(name: str, offset: int, limit: int) -> bytes | None:
        data = original(name, offset, limit)
        os.replace(other, path) if other.exists() else None
        return data

    other = tmp_path / "other"
    other.write_bytes(conversation(100, 10))
    monkeypatch.setattr(opened, "read_from", swap)
    catch_up(opened, str(path), 5.0)
    assert read(tmp_path, path)["messages"] == 10


def test_refreshes_side_by_side_end_in_the_right_figures(tmp_path: Path, path: Path) -> None:
    path.write_bytes(b"")
    faults: list[BaseException] = []

    def refresh() -> None:
        try:
            for _ in range(40):
                state = read(tmp_path, path)
                assert not state or output(state) == 20 * state["messages"]
                time.sleep(0.001)
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=refresh) for _ in range(4)]
    for thread in threads:
        thread.start()
    for i in range(40):
        with path.open("ab") as file:
            data = conversation(i, 1)
            file.write(data[:1000])
            file.flush()
            file.write(data[1000:])
    for thread in threads:
        thread.join()
    assert not faults
    assert read(tmp_path, path)["messages"] == 40
    assert not [name for name in os.listdir(tmp_path / ".cache" / "ohud") if name.startswith(".")]


def test_state_is_bounded(tmp_path: Path, path: Path) -> None:
    """However long names and texts are, and however many calls stay open, the kept file stays small."""
    wide = "漢" * 600
    lines = []
    for i in range(700):
        blocks = [
            {"type": "tool_use", "id": f"t{i}{wide}", "name": f"n{i}{wide}", "input": {"command": wide}},
            {"type": "tool_use", "id": f"a{i}", "name": "Agent", "input": {"description": wide, "subagent_type": wide}},
            {"type": "tool_use", "id": f"c{i}", "name": "TaskCreate", "input": {"subject": wide, "activeForm": wide}},
        ]
        lines.append(reply(i, f"m{i}{wide}", blocks, model=f"model-{i}{wide}"))
        if i % 2:
            lines.append(result(i, f"t{i}{wide}"))
        lines.append(result(i, f"c{i}", f"Task #{i} created", toolUseResult={"task": {"id": str(i)}}))
    path.write_bytes(text(*lines))
    catch_up(world(tmp_path, path), str(path), 30.0)
    file = tmp_path / ".cache" / "ohud" / file_name(str(path))
    assert file.stat().st_size < 200_000
    state, _ = load(world(tmp_path, path), file_name(str(path)))
    assert state is not None and state["messages"] == 700
    assert len(state["tokens"]) <= 51 and len(state["recent"]) <= 20 and len(state["todos"]) == 200


def test_a_state_that_grows_too_large_forgets_replies_first(tmp_path: Path, path: Path) -> None:
    """With long ids of models the replies alone are too many to keep."""
    model = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abcdefghijkl"
    todos = [{"content": f"task {i}", "status": "completed" if i < 70 else "pending"} for i in range(90)]
    records = [call(1, "t0", "TodoWrite", {"todos": todos})]
    records += [reply(2 + i, f"msg_0123456789abcdefghij_{i}", model=model) for i in range(600)]
    for i in range(20):
        records += [call(700 + i, f"t{i}", "Read", message=f"c{i}"), result(700 + i, f"t{i}")]
    path.write_bytes(text(*records))
    catch_up(world(tmp_path, path), str(path), 30.0)
    state, replies = load(world(tmp_path, path), file_name(str(path)))
    assert state is not None and (len(state["todos"]), len(state["recent"]), state["messages"]) == (90, 20, 621)
    assert replies.count(b"msg_") < 500


# --- lines -----------------------------------------------------------------------------------------------------------


def test_lines_end_at_lf_only() -> None:
    state = folded(reply(1, content=[{"type": "text", "text": "a\u2028b\u2029c\x85d\x0be\x0cf"}]))
    assert state["messages"] == 1


def test_crlf_and_blank_lines_bom_and_nul_bytes() -> None:
    state = fresh()
    line = text(reply(1))[:-1]
    fold_all(state, b"\xef\xbb\xbf" + line + b"\r\n\r\n\n\0\0\0" + text(reply(2, "msg_2"))[:-1] + b"\r\n")
    assert state["messages"] == 2


def test_lines_that_are_no_records_are_skipped() -> None:
    state = fresh()
    fold_all(state, b'nonsense\nnull\n7\n[]\n{}\n{"type":"assistant"}\n{"type":"assistant","message":3}\n"\xff\n')
    fold_all(state, b'{"type":"user","message":[]}\n{"type":["user"]}\n{"type":"system"}\n' + text(reply(1)))
    assert state["messages"] == 1


def test_invalid_utf_8_spoils_its_own_text_only() -> None:
    state = fresh()
    fold_all(state, text(call(1, "t1", "Read", {"file_path": "caf@"})).replace(b"caf@", b"caf\xe9"))
    assert [one["name"] for one in state["open"].values()] == ["Read"]


def test_text_that_quotes_records_is_not_taken_for_one() -> None:
    quoted = text(reply(1, "fake", model="claude-fake-1")).decode()
    state = folded(reply(1, "msg_1", [{"type": "text", "text": quoted + '"assistant" <task-notification>'}]))
    assert list(state["tokens"]) == ["claude-opus-4-6"]


def test_embedded_agent_progress_does_not_count() -> None:
    inner = reply(1, "msg_inner")
    state = fresh()
    fold_all(
        state, text({"type": "progress", "data": {"type": "agent_progress", "message": inner}, "timestamp": at(1)})
    )
    fold_all(state, text({"parentUuid": None, "type": "progress", "data": {"message": inner}, "timestamp": at(1)}))
    assert state["messages"] == 0


def test_key_order_and_spacing_do_not_matter() -> None:
    records = [prompt(1), call(2, "t1", "Read", {"file_path": "/a"}), result(3, "t1"), reply(4, "msg_2")]
    plain = folded(*records)
    state = fresh()
    for record in records:
        turned = dict(reversed(record.items()))
        fold_all(state, (json.dumps(turned, indent=None) + "\n").encode())
    assert figures(state) == figures(plain)


def test_the_prefilter_loses_nothing() -> None:
    for path in sorted(DATA.glob("*.jsonl")):
        data = path.read_bytes()
        filtered, whole = fresh(), fresh()
        fold_all(filtered, data)
        for line in data.split(b"\n"):
            fold(whole, line)
        assert figures(filtered) == figures(whole), path.name


def test_a_long_result_is_read_without_its_copy() -> None:
    long = {"stdout": "y\n" * 5000, "content": [{"tool_use_id": "t2", "type": "tool_result"}]}
    state = folded(
        call(1, "t1", "Bash"), result(2, "t1", "x\n" * 5000, toolUseResult=long, sourceToolAssistantUUID="u")
    )
    assert state["recent"] == [{"name": "Bash", "target": None, "ok": True, "ended_at": START_S + 2}]
    failed = folded(
        call(1, "t1", "Bash"),
        result(2, "t1", "x" * 5000, True, toolUseResult=long, toolDenialKind="user-rejected"),
    )
    assert (failed["recent"][0]["ok"], failed["errors"]) == (False, 0)
    long_agent = {"status": "completed", "agentId": "a1", "content": "z" * 5000}
    agent = folded(call(1, "t1", "Agent", {"description": "d"}), result(9, "t1", "x" * 5000, toolUseResult=long_agent))
    assert agent["agents"]["t1"]["ended"] == START_S + 9


# --- times -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("1970-01-01T00:00:00.000Z", 0.0),
        ("2026-11-30T11:09:20.401Z", 1796036960.401),
        ("2024-02-29T23:59:59Z", 1709251199.0),
        ("2024-03-01T00:00:00Z", 1709251200.0),
        ("2100-03-01T00:00:00Z", 4107542400.0),
        ("2026-11-30T13:09:20.401+02:00", 1796036960.401),
        ("2026-11-30T05:39:20.401-05:30", 1796036960.401),
        ("2026-11-30T13:09:20.401+0200", 1796036960.401),
        ("2026-11-30T13:09:20+02", 1796036960.0),
        ("2026-11-30 11:09:20.401000123 +00:00", 1796036960.401),
        ("2026-11-30T11:09:20.123456789", None),
        ("2026-11-30T11:09:20.401+02:00:00", None),
        ("2026-11-30T11:09:nanZ", None),
        ("2026-11-30T11:09:1e99Z", None),
        ("2026-11-30T11:09:-1.5Z", None),
        ("2026-11-30T24:09:20.4Z", None),
        ("2026-11-30T11:60:20.4Z", None),
        ("2026-11-30", None),
        ("2026-13-30T11:09:20.401Z", None),
        ("2026-11-30T11:09:20.401", None),
        ("yesterday, a while ago", None),
        ("2026-11-30T11:0x:20.401Z", None),
        (1796036960, None),
        (None, None),
    ],
)
def test_timestamps(given: object, expected: float | None) -> None:
    assert moment(given) == expected


def test_the_session_starts_with_the_first_time_of_any_record() -> None:
    state = fresh()
    fold_all(state, text({"type": "mode", "mode": "normal"}, {"type": "attachment", "timestamp": at(3)}, prompt(9)))
    assert state["started_at"] == START_S + 3


def test_titles_are_kept_by_kind_and_the_last_wins() -> None:
    state = folded(
        {"type": "summary", "summary": "old"},
        {"type": "ai-title", "aiTitle": "first"},
        {"type": "ai-title", "aiTitle": "second\x1b[31m"},
        {"type": "custom-title", "customTitle": "mine"},
        {"type": "custom-title", "customTitle": 7},
    )
    assert state["titles"] == {"summary": "old", "ai-title": "second", "custom-title": "mine"}


# --- the real ones ---------------------------------------------------------------------------------------------------


def naive(path: Path) -> dict[str, Any]:
    """The same figures, worked out with a plain reading of the whole file."""
    best: dict[str, dict[str, Any]] = {}
    calls: dict[str, str] = {}
    done: list[str] = []
    errors = compactions = prompts = 0
    for line in path.read_text(encoding="utf-8").split("\n"):
        if not line:
            continue
        record = json.loads(line)
        if record["type"] == "assistant" and not record["message"]["model"].startswith("<"):
            best[record["message"]["id"]] = record["message"]["usage"]
            for block in record["message"]["content"]:
                if block["type"] == "tool_use":
                    calls[block["id"]] = block["name"]
        if record["type"] == "user" and isinstance(record["message"]["content"], list):
            for block in record["message"]["content"]:
                if block["type"] == "tool_result" and calls[block["tool_use_id"]] not in (
                    "Agent",
                    "TaskCreate",
                    "TaskUpdate",
                ):
                    done.append(calls[block["tool_use_id"]])
                    errors += bool(block.get("is_error"))
        compactions += record.get("subtype") == "compact_boundary"
        prompts += record.get("origin", {}).get("kind") == "human"
    return {
        "input": sum(one["input_tokens"] for one in best.values()),
        "output": sum(one["output_tokens"] for one in best.values()),
        "reads": sum(one["cache_read_input_tokens"] for one in best.values()),
        "writes": sum(one["cache_creation_input_tokens"] for one in best.values()),
        "messages": len(best),
        "counts": {name: done.count(name) for name in done},
        "errors": errors,
        "compactions": compactions,
        "prompts": prompts,
    }


@pytest.mark.parametrize("name", sorted(path.name for path in DATA.glob("*.jsonl")))
def test_recorded_transcripts_give_what_an_independent_reader_counts(name: str, tmp_path: Path) -> None:
    expected = naive(DATA / name)
    opened = world(tmp_path, DATA / name)
    opened.patience = 5.0
    state = journal(opened)
    sums = [0] * 6
    for buckets in state["tokens"].values():
        for bucket in buckets.values():
            sums = [a + b for a, b in zip(sums, bucket, strict=True)]
    assert sums[:3] == [expected["input"], expected["output"], expected["reads"]]
    assert sums[3] + sums[4] == expected["writes"]
    for key in ("messages", "counts", "errors", "compactions"):
        assert state[key] == expected[key]
    # `/compact` itself is recorded without an origin.
    assert state["prompts"] == expected["prompts"] + expected["compactions"]
    assert not [one for one in state["open"].values() if not one["dead"]]


def test_usage_records_of_odd_shapes_count_what_they_hold() -> None:
    odd = usage(sent=-1, output=True, reads=2.5, writes="9", split=[1], server_tool_use={"web_search_requests": 3})  # type: ignore[arg-type]
    state = folded(reply(1, tokens=odd), reply(2, "msg_2", tokens=7), reply(3, "msg_3", tokens=None))
    assert state["tokens"]["claude-opus-4-6"][""] == [10, 20, 0, 0, 0, 3]
    assert state["messages"] == 3


def test_whole_numbers_with_a_decimal_point_count() -> None:
    state = folded(reply(1, tokens=usage(sent=12.0, output=1e3, reads=float("inf"))))  # type: ignore[arg-type]
    assert state["tokens"]["claude-opus-4-6"][""] == [12, 1000, 0, 0, 0, 0]


def test_a_slash_command_that_is_a_prompt_is_one_and_what_a_tool_loads_is_none() -> None:
    words = "<command-message>review</command-message>\n<command-name>/review</command-name>"
    assert folded(user(1, words), user(2, [{"type": "text", "text": words}]))["prompts"] == 2
    assert folded(user(1, words, sourceToolUseID="t1"), user(2, words, isMeta=True))["prompts"] == 0
    local = "<command-name>/cost</command-name>\n<command-message>cost</command-message>"
    assert folded(user(1, local))["prompts"] == 0


def test_user_records_of_odd_shapes_are_no_prompts() -> None:
    assert folded(user(1, None), user(2, []), user(3, ""), user(4, {"a": 1}), user(5, [7]))["prompts"] == 0
    assert folded(user(1, [{"type": "image"}]), user(2, "why?"))["prompts"] == 2
