"""What `claude --input-format stream-json` reads: user messages, one a line."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from dataclasses import dataclass

from ohud.stream.messages import JsonObject


@dataclass(frozen=True, slots=True)
class InputMessage:
    """One message of a user; `line` is what to write to the host's standard input."""

    content: tuple[JsonObject, ...]

    @classmethod
    def text(cls, words: str) -> InputMessage:
        """A message of plain words."""
        return cls((text_block(words),))

    @classmethod
    def blocks(cls, blocks: Iterable[JsonObject]) -> InputMessage:
        """A message of content blocks, such as `text_block` and `image_block` make."""
        return cls(tuple(blocks))

    def as_json(self) -> JsonObject:
        """The message as an object."""
        return {"type": "user", "message": {"role": "user", "content": list(self.content)}}

    def line(self) -> bytes:
        """
        The message as one line, its end included.

        Errors:   ValueError, TypeError: when a block is no JSON
        """
        # Escaped to ASCII: no half of a surrogate pair and no odd end of a line can spoil it.
        return json.dumps(self.as_json(), allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"


def text_block(words: str) -> JsonObject:
    """A block of plain words."""
    return {"type": "text", "text": words}


def image_block(data: bytes, media_type: str) -> JsonObject:
    """A picture; media_type is such as `image/png`."""
    encoded = base64.b64encode(data).decode("ascii")
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": encoded}}
