"""
Stands in for the model: answers the host's requests to the Messages API, by the first word of the newest prompt.

  agents   two agents in the background, each at its errand for some seconds
  slow     a shell command of some seconds
  else     one sentence

Source: platform.claude.com/docs/en/api/messages and .../streaming, and what the hosts ask for, seen 2026-11-30
"""

import json
import re
import time
import uuid
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PORT = 8765
ADDRESS = f"http://127.0.0.1:{PORT}"
ERRAND = "ERRAND"  # what an agent's prompt begins with
ERRAND_S = 12
REPLY = "At your service."
FIVE_HOURS_USED, WEEK_USED = "0.42", "0.58"  # from 0.75 on the host says so in a row of its own
USAGE = {
    "input_tokens": 7,
    "cache_creation_input_tokens": 1800,
    "cache_read_input_tokens": 121000,
    "cache_creation": {"ephemeral_5m_input_tokens": 1800, "ephemeral_1h_input_tokens": 0},
    "output_tokens": 250,
    "service_tier": "standard",
}
Block = dict[str, Any]
_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)


def blocks(request: dict[str, Any]) -> list[Block]:
    """The content of the answer to one request."""
    tools = {tool.get("name") for tool in request.get("tools") or []}
    if not tools:
        return [_text(json.dumps({"title": "A short session"}))]
    prompts, answers = _conversation(request)
    if prompts and prompts[0].startswith(ERRAND):
        return [_text("Three places found.")] if answers else [_shell(ERRAND_S)]
    word = prompts[-1].split()[0].lower() if prompts else ""
    if word == "agents" and not answers:
        name = "Agent" if "Agent" in tools else "Task"
        return [_agent(name, "Find the callers"), _agent(name, "Review the 日本語 docs")]
    if word == "slow" and not answers:
        return [_shell(3)]
    return [_text(REPLY)]


def _conversation(request: dict[str, Any]) -> tuple[list[str], int]:
    """What the user has said, oldest first, and how many answers the newest prompt has had."""
    prompts: list[str] = []
    answers = 0
    for message in request.get("messages") or []:
        if message.get("role") == "assistant":
            answers += 1
        elif message.get("role") == "user" and (said := _REMINDER.sub("", _said(message.get("content"))).strip()):
            prompts.append(said)
            answers = 0
    return prompts, answers


def _said(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or [] if part.get("type") == "text")


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _call(name: str, **arguments: Any) -> Block:
    return {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex[:24]}", "name": name, "input": arguments}


def _shell(seconds: int) -> Block:
    return _call("Bash", command=f"sleep {seconds}; echo done", description="Wait")


def _agent(tool: str, description: str) -> Block:
    prompt = f"{ERRAND}: {description}"
    kind = "general-purpose"
    return _call(tool, description=description, prompt=prompt, subagent_type=kind, run_in_background=True)


def message(request: dict[str, Any]) -> dict[str, Any]:
    """The whole answer as one object."""
    content = blocks(request)
    return {
        "id": f"msg_{uuid.uuid4().hex[:24]}",
        "type": "message",
        "role": "assistant",
        "model": request.get("model"),
        "content": content,
        "stop_reason": "tool_use" if content[-1]["type"] == "tool_use" else "end_turn",
        "stop_sequence": None,
        "usage": USAGE,
    }


def events(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The same answer as the events of a stream."""
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    for index, block in enumerate(whole["content"]):
        if block["type"] == "text":
            start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": start}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": USAGE}
    yield {"type": "message_stop"}


def limits() -> dict[str, str]:
    """The header fields that tell a subscription's limits."""
    now = int(time.time())
    prefix = "anthropic-ratelimit-unified-"
    five_hours, week = str(now + 2 * 3600 + 630), str(now + 3 * 86400 + 5400)
    return {
        prefix + "status": "allowed",
        prefix + "representative-claim": "five_hour",
        prefix + "reset": five_hours,
        prefix + "5h-status": "allowed",
        prefix + "5h-utilization": FIVE_HOURS_USED,
        prefix + "5h-reset": five_hours,
        prefix + "7d-status": "allowed",
        prefix + "7d-utilization": WEEK_USED,
        prefix + "7d-reset": week,
    }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *words: Any) -> None:
        """Keeps the terminal quiet."""

    def do_GET(self) -> None:
        """Whatever else a host asks for: there is nothing of it."""
        self._answer(b"{}", "application/json")

    do_HEAD = do_GET

    def do_POST(self) -> None:
        """The Messages API; everything else is accepted and forgotten."""
        request = json.loads(self._body() or b"{}")
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            self._answer(b'{"input_tokens": 1000}', "application/json")
        elif not path.endswith("/v1/messages"):
            self.do_GET()
        elif request.get("stream"):
            parts = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events(message(request))]
            self._answer("".join(parts).encode(), "text/event-stream")
        else:
            self._answer(json.dumps(message(request)).encode(), "application/json")

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("content-length") or 0))

    def _answer(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        fields = {"content-type": kind, "content-length": str(len(body)), "request-id": f"req_{uuid.uuid4().hex[:24]}"}
        for name, value in {**fields, **limits()}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def serve(ready: Callable[[], object]) -> None:
    """Answers until the process ends; `ready` is called as soon as it can."""
    ThreadingHTTPServer.daemon_threads = True
    server = ThreadingHTTPServer(("127.0.0.1", PORT), _Handler)
    ready()
    server.serve_forever()
