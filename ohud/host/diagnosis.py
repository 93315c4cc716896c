"""
Why a status line is not there: what a finding is, and every cause that lies in the host's settings and switches.

A check looks at a `Case` and gives findings; it prints nothing and changes nothing. Causes that lie in the command and
its output are in `ohud.host.trial`, those in ohud itself in `ohud.host.checkup`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ohud.errors import count, quote
from ohud.host.case import Case, host_state
from ohud.host.command import ours
from ohud.host.settings import STATUS_LINE, Settings, state_path

OK, NOTE, PROBLEM = "ok", "note", "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    """
    One thing that was looked at.

    Takes:  name: of the check, the same in every version; state: "ok", "note" (good to know) or "problem" (a reason
            why the line is missing or not whole); remedy: what to do about it
    """

    name: str
    state: str
    message: str
    remedy: str | None = None
    details: tuple[str, ...] = ()


def host(case: Case) -> Iterator[Finding]:
    """Which version of the host the other checks go by."""
    if case.host is None:
        said = f"no `claude` was found on the PATH; what follows goes by version {case.version.name}"
        yield Finding("host", NOTE, said)
        return
    details = () if case.host == case.version.name else (f"treated like {case.version.name}, the nearest one measured",)
    yield Finding("host", OK, f"Claude Code {case.host}", None, details)


def settings_files(case: Case) -> Iterator[Finding]:
    """Settings files that the host cannot use; it ignores the whole of each."""
    bad = [one for one in case.sources.files if one.problem is not None]
    for one in bad:
        where = quote(one.path, 200) if one.path else f"the {one.kind} settings"
        remedy = "correct the file; Claude Code skips all of it until then"
        if one.path is None:
            remedy = "set HOME, or CLAUDE_CONFIG_DIR, to an absolute path"
        yield Finding("settings-file", PROBLEM, f"{where} cannot be used: {one.problem}", remedy)
    if not bad:
        read = [f"{one.kind}: {one.path}" for one in case.sources.files if one.exists]
        yield Finding("settings-file", OK, f"{count(len(read), 'settings file')} read", None, tuple(read))


def configured(case: Case) -> Iterator[Finding]:
    """Whether any settings name a status line, in a form that the host takes."""
    if case.command is not None:
        if not case.command.strip():
            yield Finding("configured", PROBLEM, "the command of the status line is empty", "run `ohud install`")
        return
    if any(one.problem for one in case.sources.files):
        return  # the unusable file is the cause, and is named
    if STATUS_LINE in host_state(case.world):
        message = (
            f"`{STATUS_LINE}` stands in {quote(state_path(case.world), 200)}, where Claude Code does not look for it"
        )
        yield Finding("configured", PROBLEM, message, "take it out there and run `ohud install`")
        return
    missing = [f"{one.kind}: {one.path}" for one in case.sources.files if one.path]
    message = f"no settings file has a `{STATUS_LINE}`"
    yield Finding("configured", PROBLEM, message, "run `ohud install`, then start Claude Code anew", tuple(missing))


def precedence(case: Case) -> Iterator[Finding]:
    """Which file wins; another program's line over ohud's own is a cause, over a third one's it is not."""
    givers = [(one, command) for one in case.sources.files if (command := _command_in(one)) is not None]
    if not givers or case.wanted.status_line is None:
        return
    winner, command = givers[0]
    hidden = [(one, other) for one, other in givers[1:] if other != command]
    said = f"the {winner.kind} settings win: {quote(winner.path, 200)}"
    details = tuple(f"not used: {one.kind}: {one.path}" for one, _ in hidden)
    if not ours(command) and any(ours(other) for _, other in hidden):
        remedy = {
            "managed": "only the administrator can change it",
            "project": "run `ohud install --scope local`, which wins over the project's file",
            "local": "run `ohud install --scope local --replace`",
        }.get(winner.kind, "take the `statusLine` out of that file")
        yield Finding("precedence", PROBLEM, f"another status line is used in place of ohud: {said}", remedy, details)
        return
    yield Finding("precedence", NOTE if hidden else OK, said, None, details)


def switches(case: Case) -> Iterator[Finding]:
    """Settings and modes that turn status lines off."""
    reason, switch = case.effective.disabled, case.effective.switch
    where = f" in {quote(switch.path, 200)}" if switch is not None and switch.path else ""
    by_reason = {
        "hooks-disabled": (
            f"the administrator has turned hooks and status lines off: `disableAllHooks`{where}",
            "only the administrator can change it",
        ),
        "hooks-disabled-by-user": (
            f"`disableAllHooks` is on{where}; it turns the status line off too",
            f"take `disableAllHooks` out{' of that file' if where else ''}",
        ),
        "managed-only": (
            f"only the administrator's status line may run: `allowManagedHooksOnly`{where}",
            "only the administrator can change it",
        ),
        "safe-mode": (
            f"Claude Code is in safe mode ({case.safe_mode}); it ignores status lines that are not the administrator's",
            "start it without `--safe-mode` and without CLAUDE_CODE_SAFE_MODE",
        ),
    }
    if reason in by_reason:
        message, remedy = by_reason[reason]
        if case.effective.status_line is not None:
            message = f"subagent rows only: {message}"
        yield Finding("switches", PROBLEM if case.effective.status_line is None else NOTE, message, remedy)
    elif case.command is not None:
        yield Finding("switches", OK, "nothing turns status lines off")


def trust(case: Case) -> Iterator[Finding]:
    """Whether the host may run anything in this directory."""
    where = quote(case.directory, 200)
    if case.trusted:
        yield Finding("trust", OK, f"{where} is trusted")
    elif case.trusted is None:
        message = f"whether {where} is trusted is not known: Claude Code keeps no record of it"
        yield Finding("trust", NOTE, message, "start `claude` there; if it asks whether you trust the folder, say yes")
    else:
        message = f"{where} is not trusted, so Claude Code runs no status line there"
        yield Finding("trust", PROBLEM, message, "start `claude` there and say yes when it asks about the folder")


def _command_in(one: Settings) -> str | None:
    value = one.data.get(STATUS_LINE) if one.data is not None else None
    command = value.get("command") if isinstance(value, dict) else None
    return command if isinstance(command, str) else None
