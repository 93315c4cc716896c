"""
What reading a long stream costs: `python tests/bench/stream.py`.

A process writes a stream of the given size into a pipe: turns with calls of tools, results of some kilobytes, agents,
and with `--partial` every word as an event. Another reads it (`Reader` and `Fold`, a payload a second), a third only
calls `json.loads` on every line. Prints the processor time of both, their ratio, and the reader's peak memory.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator

_WORDS = ["alpha", "beta", "the parser", "reads", "a line", "and gives", "what it says", "naïve", "漢字", "🙂", "\n"]


def lines(size: int, partial: bool) -> Iterator[bytes]:
    """Lines of a stream, together at least `size` bytes."""
    chance = random.Random(7)
    made = count = 0
    head = json.dumps(
        {"type": "system", "subtype": "init", "cwd": "/home/user/project", "tools": ["Bash"] * 30,
         "model": "claude-opus-5-5", "claude_code_version": "2.1.332"}
    )  # fmt: skip
    yield head.encode() + b"\n"
    while made < size:
        count += 1
        for value in _exchange(count, chance, partial):
            line = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            made += len(line)
            yield line


def _exchange(count: int, chance: random.Random, partial: bool) -> Iterator[dict[str, object]]:
    """One exchange with the model: what it says, a call, its result; every fortieth ends the turn."""
    parent = "toolu_agent" if count % 5 == 0 else None
    seal: dict[str, object] = {"session_id": "2f0d1d5c-9a43-4f6e-8a35-baafb58cc1f5", "parent_tool_use_id": parent}
    usage = {"input_tokens": 7, "cache_creation_input_tokens": 1283, "cache_read_input_tokens": 19366,
             "cache_creation": {"ephemeral_5m_input_tokens": 1283, "ephemeral_1h_input_tokens": 0},
             "output_tokens": 1, "service_tier": "standard"}  # fmt: skip
    message: dict[str, object] = {
        "id": "msg_%024d" % count, "type": "message", "role": "assistant", "model": "claude-opus-5-5",
        "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    at = "2026-11-30T%02d:%02d:%02d.%03dZ" % (count // 3600 % 24, count // 60 % 60, count % 60, count % 1000)
    call = "toolu_%024d" % count
    words = [chance.choice(_WORDS) for _ in range(chance.randrange(10, 60))]

    def event(body: dict[str, object]) -> dict[str, object]:
        return {"type": "stream_event", "event": body, **seal, "uuid": "%036d" % count, "api_message_id": message["id"]}

    if partial:
        yield event({"type": "message_start", "message": {**message, "content": []}})
        yield event({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
        for at_word in range(0, len(words), 3):
            added = {"type": "text_delta", "text": " ".join(words[at_word : at_word + 3])}
            yield event({"type": "content_block_delta", "index": 0, "delta": added})
    blocks: list[dict[str, object]] = [
        {"type": "text", "text": " ".join(words)},
        {"type": "tool_use", "id": call, "name": chance.choice(["Bash", "Read", "Edit"]),
         "input": {"file_path": "/home/user/project/%d.py" % (count % 99), "command": " ".join(words[:9])}},
    ]  # fmt: skip
    for block in blocks:
        yield {"type": "assistant", "message": {**message, "content": [block], "context_management": None}, **seal,
               "uuid": "%036d" % count, "timestamp": at, "request_id": "req_%024d" % count}  # fmt: skip
        if partial:
            yield event({"type": "content_block_stop", "index": 0})
    if partial:
        delta = {"stop_reason": "tool_use", "stop_sequence": None}
        yield event({"type": "message_delta", "delta": delta, "usage": {**usage, "output_tokens": 70}})
        yield event({"type": "message_stop"})
    said = "\n".join("%d\t%s" % (row, " ".join(words)) for row in range(chance.randrange(1, 60)))
    result = {"tool_use_id": call, "type": "tool_result", "content": said, "is_error": False}
    yield {"type": "user", "message": {"role": "user", "content": [result]}, **seal, "uuid": "%036d" % count,
           "timestamp": at, "tool_use_result": {"stdout": said, "stderr": "", "interrupted": False}}  # fmt: skip
    if count % 40 == 0:
        used = {"inputTokens": 7 * count, "outputTokens": 70 * count, "cacheReadInputTokens": 19366 * count,
                "cacheCreationInputTokens": 1283 * count, "webSearchRequests": 0, "costUSD": 0.01 * count,
                "contextWindow": 1000000, "maxOutputTokens": 128000}  # fmt: skip
        yield {"type": "result", "subtype": "success", "is_error": False, "duration_ms": 9000, "duration_api_ms": 70,
               "num_turns": 40, "result": "done", "total_cost_usd": 0.01 * count, "usage": usage,
               "modelUsage": {"claude-opus-5-5": used}, "permission_denials": [], **seal}  # fmt: skip


def write(size: int, partial: bool) -> None:
    """Writes the stream to standard output."""
    out = sys.stdout.buffer
    waiting: list[bytes] = []
    for line in lines(size, partial):
        waiting.append(line)
        if len(waiting) == 200:
            out.write(b"".join(waiting))
            waiting.clear()
    out.write(b"".join(waiting))


def fold() -> None:
    """Reads the stream from standard input as `ohud stream` would."""
    from ohud.stream import Fold, Reader

    kept, drawn = Fold(), time.monotonic()
    reader = Reader()
    while data := os.read(0, 65536):
        now = time.monotonic()
        kept.add_all(reader.feed(data), now)
        if now - drawn > 1:
            drawn = now
            kept.payload(now)
            kept.journal()
    kept.add_all(reader.close())
    report(kept.messages, repr(kept.summary()))


def loads() -> None:
    """Calls `json.loads` on every line of standard input."""
    count = 0
    for line in sys.stdin.buffer:
        json.loads(line)
        count += 1
    report(count, "")


def report(count: int, text: str) -> None:
    """Hands figures of this process to the one that compares."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"lines": count, "cpu_s": time.thread_time(), "peak_kb": peak, "text": text}))


def measured(what: str, size: int, partial: bool) -> dict[str, float]:
    """One reader at work on the stream."""
    mode = ["--partial"] if partial else []
    writer = subprocess.Popen(
        [sys.executable, __file__, "--do", "write", "--bytes", str(size), *mode], stdout=subprocess.PIPE
    )
    done = subprocess.run([sys.executable, __file__, "--do", what], stdin=writer.stdout, stdout=subprocess.PIPE)
    assert writer.stdout is not None
    writer.stdout.close()
    assert writer.wait() == 0 and done.returncode == 0
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    """Measures and prints."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[1])
    options.add_argument("--megabytes", type=int, default=500, help="size of the stream (default 500)")
    options.add_argument("--partial", action="store_true", help="with an event for every few words")
    options.add_argument("--bytes", type=int, default=0, help=argparse.SUPPRESS)
    options.add_argument("--do", choices=["write", "fold", "loads"], help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.do == "write":
        write(given.bytes, given.partial)
    elif given.do:
        {"fold": fold, "loads": loads}[given.do]()
    else:
        size = given.megabytes * 1_000_000
        plain, ours = (measured(what, size, given.partial) for what in ("loads", "fold"))
        assert plain["lines"] == ours["lines"]
        print("%d MB, %d lines" % (given.megabytes, ours["lines"]))
        print("json.loads  %6.2f s" % plain["cpu_s"])
        print("reader      %6.2f s, peak %.1f MB" % (ours["cpu_s"], ours["peak_kb"] / 1024))
        print("ratio       %6.2f" % (ours["cpu_s"] / plain["cpu_s"]))


if __name__ == "__main__":
    main()
