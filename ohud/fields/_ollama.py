"""What a daemon of Ollama has answered: asked for in the background, once a render."""

from ohud.fields._num import number, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ohud.run.world import World

# For a first answer; a daemon on this machine gives it in a tenth of that [s].
_WAIT_S = 0.1


def daemon(world: "World") -> "dict[str, Any]":
    """{"up", "version"} as of the last look, empty while nothing is known."""
    found = _answer(world, "version", "refresh_s", 5)
    return found if isinstance(found, dict) else {}


def is_up(world: "World") -> bool:
    """Whether the daemon is known to answer."""
    return daemon(world).get("up") is True


def models(world: "World") -> "list[dict[str, Any]] | None":
    """The daemon's models as the job has read them; None while it is down or nothing is known."""
    found = _answer(world, "tags", "models_refresh_s", 120) if is_up(world) else None
    return found if isinstance(found, list) else None


def served(names: "list[str]", world: "World") -> "dict[str, Any] | None":
    """The cloud model that bears one of the names exactly."""
    for model in models(world) or ():
        cloud = isinstance(model, dict) and model.get("remote") is True
        if cloud and (model.get("name") in names or model.get("model") in names):
            return model
    return None


def _answer(world: "World", asked: str, age: str, default: int) -> "Any":
    key = "ollama " + asked
    if key not in world.memo:
        settings = table(world.settings, "ollama")
        host, age_s, limit_ms = settings.get("host"), number(settings.get(age)), number(settings.get("timeout_ms"))
        found = None
        if isinstance(host, str) and host.startswith(("http://", "https://")):
            limit_ms = 500 if limit_ms is None else limit_ms
            found = world.slow(
                "ollama",
                {"host": host, "ask": asked, "timeout_ms": limit_ms},
                ttl=default if age_s is None else age_s,
                wait=_WAIT_S,
                deadline=limit_ms / 1000 + 2,
            )
        world.memo[key] = found["value"] if found else None
    return world.memo[key]
