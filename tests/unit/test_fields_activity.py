"""Tools, agents and the task list, each rule on its own."""

from pathlib import Path
from typing import Any

import pytest
from records import DATA, START_S, at, call, prompt, reply, result, user, world, world_of

from ohud.fields import activity

INTERRUPT = "[Request interrupted by user for tool use]"


def tools(home: Path, *records: Any, now: float = START_S + 600) -> dict[str, Any]:
    found = activity.tools({}, world_of(home, *records, now=now))
    assert found is not None
    return found


def agents(home: Path, *records: Any, now: float = START_S + 600) -> list[dict[str, Any]]:
    found = activity.agents({}, world_of(home, *records, now=now))
    assert found is not None
    return found


def running(home: Path, *records: Any) -> list[str]:
    return [one["name"] for one in tools(home, *records)["running"]]


def launch(seconds: float, ident: str = "a1", **given: Any) -> dict[str, Any]:
    return call(seconds, ident, "Agent", {"subagent_type": "Explore", "description": "find", "prompt": "p", **given})


def notice(ident: str, status: str = "completed", task: str = "t9") -> str:
    return (
        f"<task-notification>\n<task-id>{task}</task-id>\n<tool-use-id>{ident}</tool-use-id>\n"
        f"<status>{status}</status>\n<result><status>running</status></result>\n</task-notification>"
    )


def queued(seconds: float, content: str) -> dict[str, Any]:
    return {"type": "queue-operation", "operation": "enqueue", "timestamp": at(seconds), "content": content}


def launched(seconds: float, ident: str = "a1", agent: str = "t9") -> dict[str, Any]:
    return result(
        seconds, ident, "launched", toolUseResult={"isAsync": True, "status": "async_launched", "agentId": agent}
    )


def test_without_a_transcript_nothing_is_known(tmp_path: Path) -> None:
    for field in (activity.tools, activity.agents, activity.todos, activity.last_at):
        assert field({}, world(tmp_path)) is None


def test_a_transcript_without_activity_has_none(tmp_path: Path) -> None:
    assert tools(tmp_path, prompt(1)) == {"running": [], "recent": [], "counts": {}, "errors": 0}
    assert agents(tmp_path, prompt(1)) == []
    assert activity.todos({}, world_of(tmp_path, prompt(1))) is None


# --- tools -----------------------------------------------------------------------------------------------------------


def test_a_call_without_a_result_is_running(tmp_path: Path) -> None:
    found = tools(tmp_path, prompt(1), call(10, "t1", "Edit", {"file_path": "/a.py"}), now=START_S + 12.5)
    assert found["running"] == [{"name": "Edit", "target": "/a.py", "elapsed_s": 2.5}]


def test_results_are_finished_calls_the_newest_first(tmp_path: Path) -> None:
    found = tools(
        tmp_path, call(1, "t1", "Read"), result(2, "t1"), call(3, "t2", "Bash"), result(4, "t2", "Exit code 1", True)
    )
    assert found["running"] == []
    assert [(one["name"], one["ok"], one["ended_at"] - START_S) for one in found["recent"]] == [
        ("Bash", False, 4),
        ("Read", True, 2),
    ]
    assert (found["counts"], found["errors"]) == ({"Read": 1, "Bash": 1}, 1)


def test_the_last_twenty_results_are_kept_and_all_are_counted(tmp_path: Path) -> None:
    records = [record for i in range(30) for record in (call(i, f"t{i}", "Read"), result(i + 0.5, f"t{i}"))]
    found = tools(tmp_path, *records)
    assert (len(found["recent"]), found["counts"]) == (20, {"Read": 30})


def test_one_record_may_answer_several_parallel_calls(tmp_path: Path) -> None:
    answers = [{"type": "tool_result", "tool_use_id": ident, "content": "x"} for ident in ("t0", "t1")]
    found = tools(
        tmp_path,
        *(call(i, f"t{i}", name, message="msg_1") for i, name in enumerate(("Read", "Glob", "Grep"))),
        user(5, answers),
    )
    assert [one["name"] for one in found["running"]] == ["Grep"]
    assert found["counts"] == {"Read": 1, "Glob": 1}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"file_path": "/a", "command": "b"}, "/a"),
        ({"path": "src", "pattern": "x"}, "src"),
        ({"command": "make\n\x1b[31mtest"}, "make test"),
        ({"url": "https://example.com"}, "https://example.com"),
        ({"query": "weather"}, "weather"),
        ({"skill": "review"}, "review"),
        ({"file_path": 7, "pattern": "x"}, "x"),
        ({"file_path": "  "}, None),
        ({"prompt": "p"}, None),
        ("text", None),
        (None, None),
        ({"command": "y" * 900}, "y" * 120),
    ],
)
def test_target_says_what_a_call_is_about(tmp_path: Path, given: Any, expected: str | None) -> None:
    record = reply(1, "m", [{"type": "tool_use", "id": "t1", "name": "X", "input": given}])
    assert tools(tmp_path, record)["running"][0]["target"] == expected


@pytest.mark.parametrize(
    "end",
    [
        prompt(5),
        user(5, "next"),
        user(5, "<command-message>review</command-message>\n<command-name>/review</command-name>"),
        user(5, [{"type": "text", "text": "[Request interrupted by user]"}]),
        user(5, "[Request interrupted by user for tool use]"),
        user(5, "Continue from where you left off.", isMeta=True),
        reply(5, "x", model="<synthetic>", isApiErrorMessage=True),
        reply(5, "x", [{"type": "text", "text": "No response requested."}], model="<synthetic>"),
        {"type": "system", "subtype": "turn_duration", "durationMs": 5, "timestamp": at(5)},
        {
            "type": "attachment",
            "attachment": {"type": "hook_success", "hookName": "SessionStart:resume"},
            "timestamp": at(5),
        },
    ],
    ids=[
        "prompt",
        "old prompt",
        "slash command",
        "interrupt",
        "interrupt text",
        "resume",
        "error",
        "resumed",
        "turn end",
        "resume hook",
    ],
)
def test_an_orphan_is_not_running(tmp_path: Path, end: dict[str, Any]) -> None:
    found = tools(tmp_path, call(1, "t1", "Bash"), launch(2), end)
    assert (found["running"], found["recent"], found["errors"]) == ([], [], 0)
    one = agents(tmp_path, call(1, "t1", "Bash"), launch(2), end)[0]
    assert (one["status"], one["elapsed_s"]) == ("completed", 3)


@pytest.mark.parametrize(
    "between",
    [
        user(5, "<local-command-stdout>x</local-command-stdout>"),
        user(5, "<command-name>/cost</command-name>"),
        user(5, "<system-reminder>x</system-reminder>", isMeta=True),
        user(5, "another", isSidechain=True),
        user(5, "summary", isCompactSummary=True, isVisibleInTranscriptOnly=True),
        user(5, "from a peer", origin={"kind": "peer"}),
        {"type": "system", "subtype": "local_command", "content": "x", "timestamp": at(5)},
        {"type": "system", "subtype": "turn_duration", "isSidechain": True, "timestamp": at(5)},
        reply(5, "msg_2", isSidechain=True, model="<synthetic>"),
    ],
)
def test_what_is_no_prompt_leaves_calls_running(tmp_path: Path, between: dict[str, Any]) -> None:
    assert running(tmp_path, call(1, "t1", "Bash"), between) == ["Bash"]


def test_a_late_result_still_finishes_an_orphan(tmp_path: Path) -> None:
    found = tools(tmp_path, call(1, "t1", "Bash"), prompt(2), result(3, "t1"))
    assert (found["running"], found["counts"]) == ([], {"Bash": 1})


def test_an_interrupted_call_is_over_and_no_error(tmp_path: Path) -> None:
    end = result(3, "t1", INTERRUPT, True, toolUseResult=INTERRUPT, toolDenialKind="interrupted")
    found = tools(tmp_path, call(1, "t1", "Bash"), call(2, "t2", "Read"), end)
    assert (found["running"], found["errors"]) == ([], 0)
    assert [(one["name"], one["ok"]) for one in found["recent"]] == [("Bash", False)]


def test_a_refused_call_is_no_error(tmp_path: Path) -> None:
    end = result(3, "t1", "The user doesn't want to proceed", True, toolDenialKind="user-rejected")
    found = tools(tmp_path, call(1, "t1", "Bash"), end)
    assert (found["errors"], found["recent"][0]["ok"]) == (0, False)


@pytest.mark.parametrize(
    "words",
    [
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was an edit",
        "The user doesn't want to take this action right now. STOP what you are doing",
    ],
)
def test_a_call_refused_under_an_older_host_is_no_error(tmp_path: Path, words: str) -> None:
    found = tools(tmp_path, call(1, "t1", "Edit"), result(3, "t1", words, True, toolUseResult="User rejected tool use"))
    assert (found["errors"], found["recent"][0]["ok"]) == (0, False)


def test_records_that_stand_in_the_file_twice_count_once(tmp_path: Path) -> None:
    """Reported of sessions that were handed over: copies keep the ids of messages and calls."""
    work, plan = [call(1, "t1", "Read"), result(2, "t1", "no", True)], [launch(3), result(4, "a1")]
    task = [call(5, "t2", "TaskCreate", {"subject": "a"}), result(6, "t2", "Task #1 created successfully: a")]
    other = [call(7, "t3", "TaskCreate", {"subject": "b"}), result(8, "t3", "Task #2 created successfully: b")]
    records = [*work, *plan, *task, *other]
    for copies in (records, work[:1], plan[:1], other, task):
        found = tools(tmp_path, *records, *copies)
        assert (found["running"], found["counts"], found["errors"]) == ([], {"Read": 1}, 1)
        assert [one["status"] for one in agents(tmp_path, *records, *copies)] == ["completed"]
        todos = activity.todos({}, world_of(tmp_path, *records, *copies))
        assert todos is not None and [one["content"] for one in todos["items"]] == ["a", "b"]


def test_a_gateway_may_number_the_calls_of_each_reply_anew(tmp_path: Path) -> None:
    first = [call(1, "call_0", "Read", message="m1"), result(2, "call_0")]
    found = tools(tmp_path, *first, call(3, "call_0", "Bash", message="m2"))
    assert ([one["name"] for one in found["running"]], found["counts"]) == (["Bash"], {"Read": 1})


def test_a_repeated_record_does_not_begin_its_call_anew(tmp_path: Path) -> None:
    later = {**call(1, "t1", "Bash"), "timestamp": at(9)}
    assert tools(tmp_path, call(1, "t1", "Bash"), later, now=START_S + 10)["running"][0]["elapsed_s"] == 9
    assert running(tmp_path, call(1, "t1", "Bash"), prompt(2), later) == []


def test_side_chains_in_the_main_file_are_not_the_main_activity(tmp_path: Path) -> None:
    side = {**call(2, "s1", "Grep"), "isSidechain": True}
    assert running(tmp_path, call(1, "t1", "Bash"), side) == ["Bash"]
    found = tools(tmp_path, call(1, "t1", "Bash"), side, {**result(3, "s1"), "isSidechain": True})
    assert found["counts"] == {}


def test_upkeep_of_the_task_list_is_no_work(tmp_path: Path) -> None:
    names = (
        "TodoWrite",
        "TaskCreate",
        "TaskUpdate",
        "TaskList",
        "TaskGet",
        "TaskStop",
        "TaskOutput",
        "proxy_TodoWrite",
    )
    records = [call(i, f"t{i}", name) for i, name in enumerate(names)]
    records += [result(20, f"t{i}") for i in range(len(names))]
    assert tools(tmp_path, *records) == {"running": [], "recent": [], "counts": {}, "errors": 0}


def test_odd_calls_are_skipped(tmp_path: Path) -> None:
    blocks: list[Any] = [
        {"type": "tool_use", "id": None, "name": None, "input": {}},
        {"type": "tool_use", "id": "t1", "name": "", "input": {}},
        {"type": "tool_use", "id": 4, "name": "Bash"},
        {"type": "tool_use"},
        "text",
        None,
    ]
    assert running(tmp_path, reply(1, "m", blocks), reply(2, "m2", "plain text"), result(3, "unknown")) == []


def test_a_call_without_a_time_has_no_elapsed(tmp_path: Path) -> None:
    record = {**call(1, "t1", "Bash"), "timestamp": None}
    assert tools(tmp_path, record)["running"][0]["elapsed_s"] is None


def test_elapsed_is_never_negative(tmp_path: Path) -> None:
    assert tools(tmp_path, call(9, "t1", "Bash"), now=START_S)["running"][0]["elapsed_s"] == 0


# --- agents ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Task", "Agent", "proxy_Task", "proxy_Agent"])
def test_agents_by_any_name(tmp_path: Path, name: str) -> None:
    given = {"subagent_type": "Plan", "description": "plan it", "prompt": "p", "model": "haiku"}
    assert agents(tmp_path, call(1, "a1", name, given), now=START_S + 11) == [
        {
            "type": "Plan",
            "description": "plan it",
            "model": "haiku",
            "status": "running",
            "elapsed_s": 10,
            "background": False,
            "ended_at": None,
        }
    ]
    assert running(tmp_path, call(1, "a1", name, given)) == []


def test_an_agent_in_the_foreground_ends_with_its_result(tmp_path: Path) -> None:
    more = {"status": "completed", "agentId": "a7", "resolvedModel": "claude-haiku-4-5", "totalDurationMs": 39000}
    found = agents(tmp_path, launch(1), result(40, "a1", toolUseResult=more))[0]
    assert (found["status"], found["elapsed_s"], found["model"]) == ("completed", 39, "claude-haiku-4-5")


def test_an_agent_that_failed_has_ended(tmp_path: Path) -> None:
    found = agents(tmp_path, launch(1, run_in_background=True), result(2, "a1", "no such agent", True))
    assert found[0]["status"] == "completed"


def test_an_agent_in_the_background_runs_on_after_its_launch(tmp_path: Path) -> None:
    for records in (
        [launch(1), launched(2)],
        [launch(1), launched(2), reply(3, "m"), prompt(4)],
        [launch(1), launched(2), user(4, "[Request interrupted by user]")],
        [launch(1, run_in_background=True), result(2, "a1", "launched")],
        [launch(1), launched(2), queued(3, notice("a1", "running"))],
        [launch(1), launched(2), queued(3, notice("other", task="other"))],
        [launch(1), launched(2), prompt(3, "what does " + notice("a1") + " mean?")],
    ):
        found = agents(tmp_path, *records)
        assert (found[0]["status"], found[0]["background"]) == ("running", True)


@pytest.mark.parametrize("status", ["completed", "failed", "killed", "stopped"])
@pytest.mark.parametrize("by", ["call", "task"])
def test_an_agent_in_the_background_ends_at_its_notification(tmp_path: Path, status: str, by: str) -> None:
    said = notice("a1", status) if by == "call" else notice("", status)
    for end in (queued(62, said), user(62, said, origin={"kind": "task-notification"})):
        found = agents(tmp_path, launch(1), launched(2), end, queued(99, said))
        assert (found[0]["status"], found[0]["elapsed_s"]) == ("completed", 61)


def test_an_agent_in_the_background_ends_when_it_is_stopped(tmp_path: Path) -> None:
    stop = call(5, "t1", "TaskStop", {"task_id": "t9"})
    done = {"message": "Successfully stopped task: t9 (find)", "task_id": "t9", "task_type": "local_agent"}
    begun = [launch(1, run_in_background=True), launched(2), stop]
    assert agents(tmp_path, *begun, result(6, "t1", "x", toolUseResult=done))[0]["ended_at"] == START_S + 6
    for other in (
        result(6, "t1", "No task found", True, toolUseResult="Error: No task found with ID: t9"),
        result(6, "t1", "x", toolUseResult={**done, "task_id": "t8"}),
        result(6, "t1", "x", toolUseResult={"retrieval_status": "timeout", "task_id": "t9"}),
    ):
        assert agents(tmp_path, *begun, other)[0]["status"] == "running"


def test_a_launch_in_the_background_that_says_so_in_words_only(tmp_path: Path) -> None:
    words = [{"type": "text", "text": "Async agent launched successfully.\nagentId: t9"}]
    assert agents(tmp_path, launch(1), result(2, "a1", words))[0]["status"] == "running"
    end = user(5, [{"type": "text", "text": "\n" + notice("a1")}])
    assert agents(tmp_path, launch(1), result(2, "a1", words), end)[0]["status"] == "completed"


def test_an_agent_that_is_written_to_after_its_end_runs_again(tmp_path: Path) -> None:
    again = {"success": True, "message": "resumed it in the background", "resumedAgentId": "t9"}
    records = [launch(1), launched(2), queued(5, notice("a1")), call(7, "t1", "SendMessage", {"to": "t9"})]
    records.append(result(8, "t1", "x", toolUseResult=again))
    found = agents(tmp_path, *records, now=START_S + 18)[0]
    assert (found["status"], found["background"], found["elapsed_s"], found["ended_at"]) == ("running", True, 10, None)
    assert agents(tmp_path, *records, queued(9, notice("t1")))[0]["status"] == "completed"


def test_an_agent_launched_on_another_machine_ends_at_its_notification(tmp_path: Path) -> None:
    away = result(2, "a1", "x", toolUseResult={"status": "remote_launched", "taskId": "r1"})
    assert agents(tmp_path, launch(1), away)[0]["status"] == "running"
    assert agents(tmp_path, launch(1), away, queued(5, notice("", task="r1")))[0]["status"] == "completed"


def test_an_agent_in_the_background_does_not_outlive_its_process(tmp_path: Path) -> None:
    resume = user(9, "Continue from where you left off.", isMeta=True)
    assert agents(tmp_path, launch(1), launched(2), resume)[0]["status"] == "completed"


def test_a_background_wish_that_was_not_granted(tmp_path: Path) -> None:
    done = result(9, "a1", toolUseResult={"status": "completed", "agentId": "x"})
    found = agents(tmp_path, launch(1, run_in_background=True), done)[0]
    assert (found["status"], found["background"]) == ("completed", False)


def test_odd_agents_are_skipped(tmp_path: Path) -> None:
    records = [call(1, "a1", "Agent", "go"), call(2, "a2", "Agent", {"description": 7, "subagent_type": None})]
    assert agents(tmp_path, *records) == []


def test_at_most_forty_agents_the_running_ones_stay(tmp_path: Path) -> None:
    records = [record for i in range(60) for record in (launch(i, f"a{i}"), result(i, f"a{i}"))]
    found = agents(tmp_path, launch(0, "long"), launched(1, "long"), *records)
    assert len(found) == 40
    assert found[0]["status"] == "running"


def test_texts_are_harmless(tmp_path: Path) -> None:
    found = agents(tmp_path, launch(1, description="scan \ud83d\x1b]0;pwn\x07\u202e\nnow", subagent_type="a\x9bb"))[0]
    assert found["description"] == "scan  now"
    assert "\x9b" not in found["type"]


# --- todos -----------------------------------------------------------------------------------------------------------


def todo(content: str, status: str = "pending", active: str | None = None) -> dict[str, Any]:
    return {"content": content, "status": status, "activeForm": active}


def test_the_last_list_wins(tmp_path: Path) -> None:
    first = call(1, "t1", "TodoWrite", {"todos": [todo("x")] * 5})
    second = call(
        2, "t2", "TodoWrite", {"todos": [todo("Code", "completed"), todo("Docs", "in_progress", "Writing docs")]}
    )
    assert activity.todos({}, world_of(tmp_path, first, second)) == {
        "done": 1,
        "total": 2,
        "current": "Writing docs",
        "items": [{"content": "Code", "status": "completed"}, {"content": "Docs", "status": "in_progress"}],
    }


def test_a_long_list_is_counted_whole(tmp_path: Path) -> None:
    tasks = [{"content": f"task {i}", "status": "completed" if i < 110 else "in_progress"} for i in range(111)]
    found = activity.todos({}, world_of(tmp_path, call(1, "t1", "TodoWrite", {"todos": tasks})))
    assert found is not None
    assert (found["done"], found["total"], found["current"]) == (110, 111, "task 110")


def test_an_emptied_list_is_none(tmp_path: Path) -> None:
    records = [call(1, "t1", "TodoWrite", {"todos": [todo("x")]}), call(2, "t2", "TodoWrite", {"todos": []})]
    assert activity.todos({}, world_of(tmp_path, *records)) is None


def create(seconds: float, number: int, subject: str, structured: bool = True) -> list[dict[str, Any]]:
    more: Any = {"toolUseResult": {"task": {"id": str(number), "subject": subject}}} if structured else {}
    return [
        call(
            seconds,
            f"c{seconds}",
            "TaskCreate",
            {"subject": subject, "description": "d", "activeForm": subject + "ing"},
        ),
        result(seconds + 0.5, f"c{seconds}", f"Task #{number} created successfully: {subject}", **more),
    ]


def change(seconds: float, number: int, **more: Any) -> dict[str, Any]:
    return call(seconds, f"u{seconds}", "TaskUpdate", {"taskId": str(number), **more})


@pytest.mark.parametrize("structured", [True, False])
def test_tasks_by_the_ids_in_the_results(tmp_path: Path, structured: bool) -> None:
    records = [*create(1, 1, "fix", structured), *create(2, 2, "test", structured), *create(3, 3, "drop", structured)]
    records += [
        change(4, 1, status="completed"),
        change(5, 3, status="deleted"),
        change(6, 2, status="in_progress", addBlockedBy=["1"]),
        change(7, 77, status="completed"),
        change(8, 2, status="strange"),
    ]
    assert activity.todos({}, world_of(tmp_path, *records)) == {
        "done": 1,
        "total": 2,
        "current": "testing",
        "items": [{"content": "fix", "status": "completed"}, {"content": "test", "status": "in_progress"}],
    }


def test_a_task_without_its_result_is_not_there_yet(tmp_path: Path) -> None:
    assert activity.todos({}, world_of(tmp_path, create(1, 1, "fix")[0])) is None
    failed = [create(1, 1, "fix")[0], result(2, "c1", "no", True)]
    assert activity.todos({}, world_of(tmp_path, *failed)) is None


def test_an_id_that_comes_again_begins_a_new_list(tmp_path: Path) -> None:
    records = [*create(1, 1, "old"), *create(2, 2, "older"), change(3, 1, status="completed"), *create(9, 1, "new")]
    found = activity.todos({}, world_of(tmp_path, *records))
    assert found is not None and [item["content"] for item in found["items"]] == ["new"]


def test_a_task_can_be_renamed(tmp_path: Path) -> None:
    found = activity.todos({}, world_of(tmp_path, *create(1, 1, "old"), change(2, 1, subject="new")))
    assert found is not None and found["items"] == [{"content": "new", "status": "pending"}]


@pytest.mark.parametrize("given", [None, "x", {"todos": "[]"}, {"todos": [7, None, {"content": 5}]}, {"todos": {}}])
def test_odd_lists_are_skipped(tmp_path: Path, given: Any) -> None:
    record = reply(1, "m", [{"type": "tool_use", "id": "t1", "name": "TodoWrite", "input": given}])
    assert activity.todos({}, world_of(tmp_path, record)) is None


# --- recorded --------------------------------------------------------------------------------------------------------


def test_recorded_session_2_1_332(tmp_path: Path) -> None:
    opened = world(tmp_path, DATA / "main-2.1.332.jsonl", now=1796037700)
    opened.patience = 5.0
    found = activity.agents({}, opened)
    assert found is not None
    assert [(one["status"], one["background"]) for one in found] == [("completed", True)] * 3
    assert [one["description"] for one in found] == ["Find call sites", "Find call sites", "Review the 日本語 docs"]
    todos = activity.todos({}, opened)
    assert todos is not None and (todos["done"], todos["total"], todos["current"]) == (1, 3, "Fixing the parser")
    seen = activity.tools({}, opened)
    assert seen is not None and (seen["running"], seen["errors"]) == ([], 1)


def test_recorded_session_at_every_moment(tmp_path: Path) -> None:
    """Cut after each line, the recording never shows more than is going on: at most the last reply's calls."""
    lines = (DATA / "main-2.1.215.jsonl").read_bytes().split(b"\n")
    path = tmp_path / "cut.jsonl"
    most = 0
    for end in range(1, len(lines)):
        path.write_bytes(b"\n".join(lines[:end]) + b"\n")
        found = activity.tools({}, world(tmp_path, path))
        assert found is not None
        most = max(most, len(found["running"]))
        assert len(found["running"]) <= 3
    assert most >= 1


def test_last_at_is_the_time_of_the_last_main_record(tmp_path: Path) -> None:
    records = [prompt(1), reply(7.25, "m"), reply(9, "s", isSidechain=True), {"type": "mode", "mode": "x"}]
    assert activity.last_at({}, world_of(tmp_path, *records)) == START_S + 7.25
