"""
The stream-json protocol of `claude -p`, as a library.

    from ohud.stream import Fold, read

    fold = Fold()
    for item in read(0):        # a file, a descriptor or a path; Reader is the core that never waits
        fold.add(item)
    fold.payload()                  # what a status line would get
    fold.summary()                  # turns, time, tokens, cost by model, tools, denials

`parse_line` and `parse_output` read a line and the output of a process that has ended; `InputMessage` makes what
`--input-format stream-json` reads.
"""

from ohud.stream.document import Fold
from ohud.stream.input import InputMessage, image_block, text_block
from ohud.stream.messages import (
    ApiMessage,
    Assistant,
    Block,
    CacheCreation,
    Init,
    JsonObject,
    LimitWindow,
    McpServer,
    Message,
    ModelUsage,
    PermissionDenial,
    RateLimitEvent,
    Result,
    ServerToolUse,
    StreamEvent,
    System,
    Usage,
    User,
    View,
    message,
)
from ohud.stream.parse import (
    BadLine,
    LastNotResult,
    NoMessages,
    Output,
    ProcessFailed,
    ResultIsError,
    StreamError,
    parse_array,
    parse_line,
    parse_output,
)
from ohud.stream.reader import LIMIT, Item, Reader, TooLong, follow, read
from ohud.stream.summary import Summary, Tokens

__all__ = [
    "LIMIT",
    "ApiMessage",
    "Assistant",
    "BadLine",
    "Block",
    "CacheCreation",
    "Fold",
    "Init",
    "InputMessage",
    "Item",
    "JsonObject",
    "LastNotResult",
    "LimitWindow",
    "McpServer",
    "Message",
    "ModelUsage",
    "NoMessages",
    "Output",
    "PermissionDenial",
    "ProcessFailed",
    "RateLimitEvent",
    "Reader",
    "Result",
    "ResultIsError",
    "ServerToolUse",
    "StreamError",
    "StreamEvent",
    "Summary",
    "System",
    "Tokens",
    "TooLong",
    "Usage",
    "User",
    "View",
    "follow",
    "image_block",
    "message",
    "parse_array",
    "parse_line",
    "parse_output",
    "read",
    "text_block",
]
