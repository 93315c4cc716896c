"""A daemon of Ollama: whether it answers, and what it serves."""

from ohud.fields._num import is_claude, model_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ohud.run.world import World


def up(payload: "dict[str, Any]", world: "World") -> "bool | None":
    """
    Whether the daemon answers.

    Reads:    GET /api/version of the config's `ollama.host`
    Returns:  bool; None while nothing is known
    Errors:   none
    Cost:     slow
    """
    from ohud.fields._ollama import daemon

    found = daemon(world).get("up")
    return found if isinstance(found, bool) else None


def version(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    The daemon's version.

    Reads:    as up
    Returns:  str; None when it does not answer or does not say
    Errors:   none
    Cost:     slow
    """
    from ohud.fields._ollama import daemon

    found = daemon(world).get("version")
    return found if isinstance(found, str) else None


def models(payload: "dict[str, Any]", world: "World") -> "list[dict[str, Any]] | None":
    """
    The models that the daemon has: {name, model, parameter_size, quantization, size_bytes, remote}, at most 200.

    Reads:    GET /api/tags of the config's `ollama.host`
    Returns:  list; `remote` is true for a model of the cloud; None when the daemon does not answer
    Errors:   none
    Cost:     slow
    """
    from ohud.fields._ollama import models as known

    return known(world)


def parameter_size(payload: "dict[str, Any]", world: "World") -> "str | None":
    """
    The size of the cloud model that the session runs, such as "1T".

    Reads:    model.id, model.display_name; as models
    Returns:  str; None for any other model
    Errors:   none
    Cost:     slow
    """
    names = model_names(payload)
    if not names or is_claude(names):
        return None
    from ohud.fields._ollama import served

    found = served(names, world)
    size = found.get("parameter_size") if found else None
    return size if isinstance(size, str) and size else None
