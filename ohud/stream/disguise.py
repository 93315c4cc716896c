"""
JSON of the host with everything personal replaced: a bug report that shows what happened, not to whom.

What is kept is listed here; every other text is replaced, so a field that nobody has thought of is safe. The same text
becomes the same placeholder of about the same length, whatever field it stands in, under one key: two payloads of one
session still belong together, and nobody without the key can try names out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from hashlib import blake2b
from typing import Any
from unicodedata import combining, east_asian_width

from ohud.stream import kept

# No vowels: no placeholder is ever a word of somebody's.
_LETTERS = "bcdfghjkmnpqrstvwxz"
_ALPHABET = _LETTERS + "23456789"
# Lengths of placeholders [cells]; longer ones are rounded up to whole 256.
_CLASSES = (4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
_DEEPEST = 200

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?")
_VERSION = re.compile(r"v?\d{1,4}(\.\d{1,4}){1,3}(-(alpha|beta|rc|dev|preview)[.\d]{0,8})?")
_NUMBER = re.compile(r"[-+]?\d{1,4}(\.\d{1,4})?%?")
_CALL = re.compile(r"(toolu|srvtoolu|mcptoolu|msg|req|chatcmpl)_([\w-]{4,})")
_HEX = re.compile(r"[0-9a-f]{16,}")
_MAIL = re.compile(r"([^@\s/:]+)@[^@\s/:]+\.[^@\s/:]+")
_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]{1,11})://([^/\s?#]*)([^\s]*)", re.IGNORECASE)
_SCP = re.compile(r"[\w.-]+@([\w.-]+):([^\s:]+)")
_ROOTED = re.compile(r"(?:[/~\\]|\.{1,2}[/\\]|[A-Za-z]:[\\/])[^\n]*")
_SEGMENTS = re.compile(r"([/\\]+)")
_HOME = re.compile(r"(?:/home/|/Users/|[A-Za-z]:[\\/]Users[\\/])[^/\\]+|/root(?=/|$)|/var/root(?=/|$)")
_KEY = re.compile(r"[A-Za-z_$][\w$-]{0,63}")
_CODE = re.compile(r"[a-z][A-Za-z0-9_]{0,39}")
_TYPE = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_ARN = re.compile(r"(arn:aws[\w-]*:bedrock:[a-z0-9-]*:)\d*(:[a-z-]+/)(.+)")
_TOOL = re.compile(r"mcp__(.+?)__(.+)")

_MODEL_WORD = re.compile(
    r"(v?\d{1,8}|\d+x?\d*[bkm]|claude|anthropic|opus|sonnet|haiku|fable|instant|gpt|oss|o|chatgpt|codex|gemini|gemma|llama|qwen"
    r"|qwq|glm|deepseek|mistral|mixtral|codestral|devstral|ministral|magistral|kimi|minimax|phi|grok|nemotron|command"
    r"|cohere|openai|google|meta|moonshot|moonshotai|xai|zai|nvidia|microsoft|us|eu|apac|global|au|jp|instruct|latest"
    r"|preview|mini|nano|pro|flash|lite|turbo|coder|code|chat|think|thinking|cloud|exp|fast|fp8|q4|q8|it|air|plus|max"
    r"|vl|r1|k2|distill|next|scout|maverick|large|small|medium|ultra|context|1m|200k|synthetic|with|a|m2|r)",
    re.IGNORECASE,
)
# What the host itself puts at the beginning of a text, and reads there again.
_HEADS = ("[Request interrupted by user", "Caveat: The messages below", "Launching skill: ")
_TAG = re.compile(r"(</?[a-z][a-z_-]{1,30}>)")


class Disguise:
    """
    Replaces what is personal in values of JSON.

    Takes:  key: any bytes; who has other ones gets other placeholders; home: this user's own home
    """

    def __init__(self, key: bytes, home: str | None = None) -> None:
        self._key = blake2b(key, digest_size=32).digest()
        self._home = home.rstrip("/\\") if home and len(home) > 3 else None

    def value(self, value: Any, key: str = "", owner: str = "", free: bool = False, depth: int = 0) -> Any:
        """
        The value with its structure, numbers and the host's own words, every other text replaced.

        Takes:  key: that it stands under; owner: the key of the object that has it; free: whether it belongs to a
                conversation, in which no name is the host's
        """
        if isinstance(value, str):
            return self._text(value, key, owner, free)
        if depth > _DEEPEST:
            return None
        if isinstance(value, list):
            if key == "lines" and all(isinstance(line, str) for line in value):
                # Of a patch: whether a line is added or taken away is no secret.
                return [line[:1] + self._words(line[1:]) if line[:1] in "+- " else self._words(line) for line in value]
            return [self.value(item, key, owner, free, depth + 1) for item in value]
        if not isinstance(value, dict):
            return value
        inside = free or key in kept.FREE
        found: dict[str, Any] = {}
        for name, item in value.items():
            found[self._name(name, key, inside)] = self.value(item, name, key, inside, depth + 1)
        return found

    def line(self, text: str) -> str:
        """A line that is no JSON, as another of about the same length."""
        return self._words(text)

    def _name(self, name: str, owner: str, free: bool) -> str:
        """The name of a field."""
        if owner in ("modelUsage", "by_model", "model_usage_since_last_result"):
            return self._model(name)
        if owner not in kept.NAMED and (name in kept.FREE_KEYS if free else _KEY.fullmatch(name)):
            return name
        return self._text(name, "", owner, True)

    def _text(self, text: str, key: str, owner: str, free: bool) -> str:
        if not text.strip() and text.isascii() and len(text) < 4096:
            return text
        if key in kept.WORDS and (text in kept.KNOWN or (not free and _CODE.fullmatch(text))):
            return text
        if key == "type" and not free and _TYPE.fullmatch(text):
            return text
        if (key in kept.NAMES and text in kept.OWN) or text in kept.FORGES:
            return text
        if key in kept.MODELS and (key not in ("id", "display_name") or owner == "model"):
            return self._model(text)
        if key in ("version", "claude_code_version") and _VERSION.fullmatch(text):
            return text
        if _MOMENT.fullmatch(text) or _NUMBER.fullmatch(text):
            return text
        if text.startswith("<") and (tag := _TAG.match(text)) and tag[0].strip("</>") in kept.TAGS:
            return "".join(map(self._tagged, _TAG.split(text)))
        called = _TOOL.fullmatch(text)
        if called and key in kept.NAMES:
            return f"mcp__{self.word(called[1])}__{self.word(called[2])}"
        return self._shaped(text)

    def _shaped(self, text: str) -> str:
        """A text that shows what it is by its shape, else words."""
        if _UUID.fullmatch(text) or _CALL.fullmatch(text):
            return self.word(text)
        mail = _MAIL.fullmatch(text)
        if mail:
            return self.word(mail[1]) + "@example.com"
        address = _ADDRESS.fullmatch(text)
        if address:
            return self._address(*address.groups())
        remote = _SCP.fullmatch(text)
        if remote:
            return f"git@{self._host(remote[1])}:{self.path(remote[2])}"
        if _ROOTED.fullmatch(text) or (re.search(r"[/\\]", text) and not re.search(r"\s", text)):
            return self.path(text)
        return self._words(text)

    def _address(self, scheme: str, host: str, rest: str) -> str:
        scheme = scheme if scheme in kept.SCHEMES else self.word(scheme)
        path, mark, query = re.match(r"([^?#]*)([?#]?)(.*)", rest, re.DOTALL).groups()  # type: ignore[union-attr]
        found = f"{scheme}://{self._host(host)}" if scheme != "file" else "file://"
        return found + (self.path(path) if path else "") + mark + (self.word(query) if query else "")

    def _host(self, host: str) -> str:
        plain = host.rpartition("@")[2].lower()
        return plain if plain in kept.FORGES else "example.com"

    def path(self, text: str) -> str:
        """A path, each part replaced by itself; a home is `/home/user`."""
        if self._home and (text == self._home or text.startswith((self._home + "/", self._home + "\\"))):
            return "/home/user" + self._parts(text[len(self._home) :])
        home = _HOME.match(text)
        if home:
            windows = home[0][1:2] == ":"
            return ("C:\\Users\\user" if windows else "/home/user") + self._parts(text[home.end() :])
        return self._parts(text)

    def _parts(self, text: str) -> str:
        return "".join(
            self._part(part) if number % 2 == 0 else part for number, part in enumerate(_SEGMENTS.split(text))
        )

    def _part(self, part: str) -> str:
        if not part or part in kept.FOLDERS or _NUMBER.fullmatch(part) or re.fullmatch(r"[A-Za-z]:", part):
            return part
        base, dot, extension = part.rpartition(".")
        if base and extension in kept.EXTENSIONS:
            return self.word(base) + dot + extension
        return self.word(part)

    def _model(self, text: str) -> str:
        """A model's id or label; parts that no maker's model has are replaced."""
        arn = _ARN.fullmatch(text)
        if arn:
            name = arn[3] if self._is_model(arn[3]) else self.word(arn[3])
            return f"{arn[1]}000000000000{arn[2]}{name}"
        return text if self._is_model(text) else "model-" + self.word(text)

    def _is_model(self, text: str) -> bool:
        parts = [part for part in re.split(r"[^A-Za-z0-9]+", text) if part]
        return len(text) <= 120 and text.isascii() and bool(parts) and all(_looks_made(part) for part in parts)

    def word(self, text: str) -> str:
        """The placeholder of a name or an id: of the same shape where it has one, else without blanks."""
        call = _CALL.fullmatch(text)
        if call:
            return call[1] + "_" + self._drawn(text, len(call[2]))
        if _UUID.fullmatch(text):
            digits = blake2b(text.lower().encode(), key=self._key, digest_size=16).hexdigest()
            return "-".join((digits[:8], digits[8:12], "4" + digits[13:16], "8" + digits[17:20], digits[20:]))
        if not text.strip():
            return text
        marks = _marks(text)
        return marks + self._drawn(text, max(1, _class(_cells(text)) - _cells(marks)))

    def _words(self, text: str) -> str:
        """The placeholder of words: with a blank now and then, and as many lines."""
        if not re.search(r"\s", text.strip()):
            return self._shaped_word(text)
        head = next((head for head in _HEADS if text.startswith(head)), "")
        body = text[len(head) :]
        marks = _marks(body)
        drawn = self._drawn(text, max(1, _class(_cells(body)) - _cells(marks)))
        drawn = " ".join(drawn[at : at + 7] for at in range(0, len(drawn), 8))
        lines = body.count("\n")
        if lines:
            # As many as there were: what an edit adds is counted by them.
            share = max(1, len(drawn) // (lines + 1))
            pieces = [drawn[at * share : (at + 1) * share] for at in range(lines)] + [drawn[lines * share :]]
            drawn = "\n".join(pieces)
        return head + marks + drawn

    def _tagged(self, piece: str) -> str:
        """A piece of a text between tags, or a tag."""
        if not piece.strip() or (_TAG.fullmatch(piece) and piece.strip("</>") in kept.TAGS):
            return piece
        return self._text(piece.replace("<", "("), "status", "", True)

    def _shaped_word(self, text: str) -> str:
        return self.word(text.strip()) if _HEX.fullmatch(text) is None else self._drawn(text, len(text))

    def _drawn(self, text: str, length: int) -> str:
        """So many characters that only the text and the key decide, none of them the text itself."""
        raw = text.encode("utf-8", "surrogatepass")
        for turn in range(8):
            stream = b"".join(
                blake2b(raw, key=self._key, salt=bytes([turn, part]), digest_size=64).digest()
                for part in range(min(4, length // 64 + 1))
            )
            first = _LETTERS[stream[0] % len(_LETTERS)]
            drawn = first + "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in stream[1:])
            drawn = (drawn * (length // len(drawn) + 1))[:length]
            if text not in drawn:
                break
        return drawn


def _looks_made(part: str) -> bool:
    """Whether a part of a model's name is one that makers use."""
    return _MODEL_WORD.fullmatch(part) is not None or (
        re.fullmatch(r"[A-Za-z]{2,10}\d{1,3}", part) is not None
        and _MODEL_WORD.fullmatch(part.rstrip("0123456789")) is not None
    )


def _class(cells: int) -> int:
    return next((size for size in _CLASSES if cells <= size), -(-cells // 256) * 256)


def _cells(text: str) -> int:
    """About how wide a text is."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


# What a text may hold that makes a terminal stumble, and what stands for it; of two the one that the text has not.
_MARKS: tuple[tuple[Callable[[str], bool], str], ...] = (
    (lambda c: c == "\x1b", "\x1b"),
    (lambda c: c < " " and c not in "\n\x1b", "\t"),
    (lambda c: ord(c) > 0x1F000, "🙂🎈"),
    (lambda c: east_asian_width(c) in "WF" and ord(c) <= 0x1F000, "例字"),
    (lambda c: bool(combining(c)), "\u0301\u0308"),
    (lambda c: "\u0590" <= c <= "\u08ff", "אب"),
    (lambda c: "\x80" <= c < "\u0590" and not combining(c), "éß"),
    (lambda c: "\u2000" <= c < "\u2e80" or "\ue000" <= c < "\uf8ff", "†‡"),
)


def _marks(text: str) -> str:
    """A character for each sort that a text has beside plain ones: what makes a terminal stumble is not lost."""
    if text.isascii() and text.isprintable():
        return ""
    characters = set(text)
    found = []
    for holds, choices in _MARKS:
        if any(map(holds, characters)):
            found.append(next((choice for choice in choices if choice not in characters), choices[0]))
    return "".join(found)


def own_home() -> str | None:
    """This user's home."""
    return os.environ.get("HOME") or os.environ.get("USERPROFILE")
