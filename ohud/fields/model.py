"""The model that answers, and the one that was asked for."""

from ohud.fields._answered import answered
from ohud.fields._num import count, table, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ohud.run.world import World


def id(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    The model's full id: of the one that answered last, else of the one that was asked for.

    Reads:    transcript_path and the file's last 256 KiB, model.id
    Returns:  str; None when there is no model at all
    Errors:   none
    """
    return resolved(payload, world) or _requested_id(payload)


def name(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    A short name of the model for people, such as "Opus 4.6".

    Reads:    as id, and model.display_name
    Returns:  str; an id that is not understood as it is; None when there is no model at all
    Errors:   none
    """
    answered = resolved(payload, world)
    asked = _requested_id(payload)
    label = _label(payload)
    if label and (not answered or _plain(answered) == _plain(asked or label)):
        return _named(_without_window(label))
    found = answered or asked
    return _named(found) if found else None


def family(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    The model's family, such as "opus", "sonnet" or "haiku".

    Reads:    as id
    Returns:  str in lower case; None for a model of another maker
    Errors:   none
    """
    found = id(payload, world)
    words = _words(found) if found else None
    return next((word for word in words if word.isalpha()), None) if words else None


def requested(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    The label of the model that was asked for.

    Reads:    model.display_name, else model.id, or model as a bare text
    Returns:  str; None when the host names no model
    Errors:   none
    Source:   host payloads 2.1.332; the payload can lag behind a switch or an automatic fallback
    """
    return _label(payload) or _requested_id(payload)


def resolved(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    The id of the model that gave the last answer.

    Reads:    transcript_path and the file's last 256 KiB, unless the config's `transcript.enabled` is off; of a stream
              its messages
    Returns:  str; None when no answer of the main conversation lies in them
    Errors:   none
    Source:   transcripts of 1.0.17 to 2.1.332: message.model, in old records the model at top level
    """
    return answered(payload, world)[0]


def source(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    Where the model's id comes from.

    Reads:    as id
    Returns:  str "transcript" or "payload"; None when there is no model at all
    Errors:   none
    """
    if resolved(payload, world) is not None:
        return "transcript"
    return None if requested(payload, world) is None else "payload"


def window(payload: "dict[str, Any]", world: "World") -> "int | None":
    """
    Size of the model's context window.

    Reads:    context_window.context_window_size [tokens], else the suffix `[1m]` of the model's id
    Returns:  int above 0 [tokens]; None when nobody says
    Errors:   none
    """
    given = count(table(payload, "context_window").get("context_window_size"))
    if given:
        return given
    return 1000000 if (_requested_id(payload) or "").lower().endswith("[1m]") else None


def _requested_id(payload: "dict[str, Any]") -> "str | None":
    value = payload.get("model")
    return text(value.get("id") if isinstance(value, dict) else value)


def _label(payload: "dict[str, Any]") -> "str | None":
    return text(table(payload, "model").get("display_name"))


def _words(model: str) -> "list[str] | None":
    """
    The words of a Claude model's id without maker, date and version of the offer; None for any other model.

    Takes:  `claude-opus-4-6[1m]`, `us.anthropic.claude-sonnet-4-5-20250929-v1:0`, `claude-opus-4-1@20250805`, ...
    """
    plain = model.rpartition("/")[2].partition("[")[0].partition("@")[0].strip().lower()
    before, found, rest = plain.rpartition("claude-")
    if not found or (before and not before.endswith(".")):
        return None
    return [word for word in rest.partition(":")[0].split("-") if word and not _is_edition(word)]


def _is_edition(word: str) -> bool:
    """Whether a word of an id tells editions of one model apart: `20250929`, `v1`, `latest`."""
    return word == "latest" or (word.isdecimal() and len(word) > 4) or (word[0] == "v" and word[1:].isdecimal())


def _plain(model: str) -> str:
    """A form of the id in which two spellings of one model are equal."""
    words = _words(model)
    return "-".join(words) if words else model


def _named(model: str) -> str:
    """The short name of a model by its id."""
    words = _words(model)
    if not words:
        # An inference profile says nothing but its own id.
        return model.rpartition("/")[2] or model if model.startswith("arn:") else model
    version = ".".join(word for word in words if word[0].isdecimal())
    names = [word.capitalize() for word in words if not word[0].isdecimal()]
    if not names:
        return "Claude " + version
    return " ".join([names[0], version, *names[1:]] if version else names)


def _without_window(label: str) -> str:
    """A display name without the remark on its window: "Opus 4.6 (1M context)" is "Opus 4.6"."""
    if label.endswith("context)"):
        return label.rpartition("(")[0].rstrip() or label
    return label
