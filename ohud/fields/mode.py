"""Who serves the model."""

from ohud.fields._num import is_claude, model_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ohud.run.world import World


def mode(payload: "dict[str, Any]", world: "World") -> str:
    """
    Who serves the model: Anthropic (or whoever else), or Ollama's cloud through a daemon that answers.

    Reads:    model.id, model.display_name; GET /api/version and /api/tags of the config's `ollama.host`
    Returns:  str "anthropic" or "ollama"; "ollama" when the daemon is up and a name ends with `:cloud` or is that of
              one of its cloud models
    Errors:   none; without an answer it is "anthropic"
    Cost:     slow
    Source:   the original ohud of 2026-05-09; here nothing is asked when the id is one of Anthropic's own (it begins
              with `claude-` or has `anthropic` in it), so a cloud model of such a name is not noticed
    """
    names = model_names(payload)
    if not names or is_claude(names):
        return "anthropic"
    from ohud.fields._ollama import is_up, served

    if not is_up(world):
        return "anthropic"
    if any(name.endswith(":cloud") for name in names) or served(names, world):
        return "ollama"
    return "anthropic"
