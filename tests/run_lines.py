"""Lines of `claude -p --output-format stream-json`, made up: a run with a tool, as long as a test wants it."""

import json
from typing import Any

SESSION = "6b0d9c1e-0000-4000-8000-000000000001"
MODEL = "claude-sonnet-4-6"
USAGE = {"input_tokens": 10, "output_tokens": 20, "cache_read_input_tokens": 39970, "cache_creation_input_tokens": 20}


def line(kind: str, session: str = SESSION, **fields: Any) -> bytes:
    """One message as a line."""
    return json.dumps({"type": kind, **fields, "session_id": session, "parent_tool_use_id": None}).encode() + b"\n"


def init(session: str = SESSION, model: str = MODEL, cwd: str = "/srv/widgets") -> bytes:
    """The line at the beginning of a turn."""
    version = "2.1.215"
    return line("system", session, subtype="init", cwd=cwd, model=model, claude_code_version=version, tools=["Bash"])


def answer(number: int = 1, text: str = "Working.", session: str = SESSION) -> bytes:
    """A line with words of the model."""
    content = [{"type": "text", "text": text}]
    message = {"id": f"msg_{number}", "role": "assistant", "model": MODEL, "content": content, "usage": USAGE}
    return line("assistant", session, message=message)


def call(number: int = 1, command: str = "make test", tool: str = "Bash") -> bytes:
    """A line that starts a tool."""
    content = [{"type": "tool_use", "id": f"toolu_{number}", "name": tool, "input": {"command": command}}]
    message = {"id": f"msg_call_{number}", "role": "assistant", "model": MODEL, "content": content, "usage": USAGE}
    return line("assistant", message=message)


def returned(number: int = 1, words: str = "ok") -> bytes:
    """A line with the result of a tool."""
    content = [{"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": words}]
    return line("user", message={"role": "user", "content": content})


def result(session: str = SESSION, **fields: Any) -> bytes:
    """The last line of a turn."""
    told: dict[str, Any] = {
        "subtype": "success",
        "is_error": False,
        "duration_ms": 65000,
        "duration_api_ms": 4000,
        "num_turns": 2,
        "result": "All done.",
        "total_cost_usd": 0.25,
        "usage": USAGE,
        "modelUsage": {MODEL: {"inputTokens": 10, "outputTokens": 20, "costUSD": 0.25, "contextWindow": 200000}},
        "permission_denials": [{"tool_name": "Write", "tool_use_id": "toolu_9", "tool_input": {}}],
    }
    return line("result", session, **{**told, **fields})


RUN = init() + answer() + call() + returned() + result()
