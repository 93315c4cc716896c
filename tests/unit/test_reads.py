"""What a theme reads: the payload's paths behind an expression, and all of a theme's together."""

import pytest

from ohud.theme import read
from ohud.theme.expressions import compile_expression
from ohud.theme.reads import payload_paths, reads


@pytest.mark.parametrize(
    ("expression", "paths"),
    [
        ("model.id", {"model.id"}),
        ("computed.model.name", set()),
        ("model.computed.id", {"model.computed.id"}),
        ("@", {"@"}),
        ("[model.id, cwd]", {"model.id", "cwd"}),
        ("cost.{usd: total_cost_usd, ms: total_duration_ms}", {"cost.total_cost_usd", "cost.total_duration_ms"}),
        ("computed.git.[ahead, behind]", set()),
        ("session_name || model.id", {"session_name", "model.id"}),
        ("cost.total_cost_usd > `1` && model.id", {"cost.total_cost_usd", "model.id"}),
        ("workspace.added_dirs[0]", {"workspace.added_dirs[]"}),
        ("workspace.added_dirs[]", {"workspace.added_dirs[]"}),
        ("workspace.added_dirs[:2]", {"workspace.added_dirs[]"}),
        ("servers[?up].name", {"servers[].up", "servers[].name"}),
        ("servers[].ports[].number", {"servers[].ports[].number"}),
        ("servers[*].name | [0]", {"servers[].name"}),
        ("servers[*].name | [0].first", {"servers[].name.first"}),
        ("prompt_cache.miss_causes.*", {"prompt_cache.miss_causes.*"}),
        ("length(workspace.added_dirs)", {"workspace.added_dirs"}),
        ("sort_by(servers, &size)[0].name", {"servers", "servers[].size"}),
        ("map(&name, servers)", {"servers", "servers[].name"}),
        ("not_null(effort.level, effort)", {"effort.level", "effort"}),
        ("!vim", {"vim"}),
        ("`3`", set()),
        ("model.id | length(@)", {"model.id"}),
    ],
)
def test_payload_paths(expression: str, paths: set[str]) -> None:
    """The paths that an expression can look at, nothing of what ohud computes, and no more than it must."""
    ir = compile_expression(expression).ir
    assert ir is not None
    assert payload_paths(ir) == paths


def theme(text: str) -> read.Theme:
    """A theme of that text."""
    return read.read_theme_file("/nowhere/t.toml", home=None, kind="theme", text=text).theme


def test_reads_of_a_theme() -> None:
    """Segments, conditions and subagent rows count, whatever the options say; a task is told from the payload."""
    found = reads(
        theme(
            """
            template = "{{ a }}{{ b }}"
            options.more = false
            segments.a = "computed.git.dirty"
            segments.b = {value = "computed.effort", when = "model.id"}
            segments.c = {value = "computed.activity.tools", show = "more"}
            [subagents]
            template = "{{ d | link(u) }}"
            segments.d = "task.model"
            segments.u = "pr.url"
            """
        )
    )
    assert found.payload == ("model.id", "pr.url")
    assert found.task == ("task.model",)
    assert found.computed == ("computed.activity.tools", "computed.effort", "computed.git.dirty")
    assert found.families == ("activity", "effort", "git")
    assert found.slow == ("computed.git.dirty",)
    assert found.transcript and found.links


@pytest.mark.parametrize(("field", "does"), [("model.name", True), ("activity.tools", True), ("project.name", False)])
def test_transcript(field: str, does: bool) -> None:
    """A field that comes from another one which reads the transcript does so too."""
    assert reads(theme(f'template = "{{{{ a }}}}"\nsegments.a = "computed.{field}"\n')).transcript is does


def test_reads_of_everything() -> None:
    """A theme that looks at all that is computed is told so, and starts nothing by that."""
    found = reads(theme('template = "{{ a }}"\nsegments.a = "computed"\n'))
    assert (found.computed, found.families, found.slow) == (("computed",), (), ())
    assert not found.links


def test_reads_of_nothing() -> None:
    """A theme of plain text reads nothing."""
    found = reads(theme('template = "so"\n'))
    assert (found.payload, found.task, found.computed, found.slow) == ((), (), (), ())
    assert not found.transcript and not found.links


@pytest.mark.parametrize("name", [name for name, _ in read.theme_names(None)])
def test_reads_of_a_bundled_theme(name: str) -> None:
    """Each bundled theme reads something, and nothing that is unknown."""
    found = reads(read.load(None, home=None, theme=name).theme)
    assert found.computed or found.payload
    assert all(path.startswith("computed.") for path in found.computed)
