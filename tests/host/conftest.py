"""The real host for the tests of this folder, one session a version and width."""

import os
from collections.abc import Iterator

import pytest
from host import enclosure, model, real
from host.program import VERSIONS, Missing, alone
from host.real import COLUMNS, Host, Session


@pytest.fixture(scope="session")
def _machine() -> Iterator[None]:
    """This machine, if it can have a host, and has no other one."""
    reason = enclosure.refusal()
    if reason:
        _without(reason)
    with alone():
        yield


@pytest.fixture(scope="session", params=VERSIONS)
def real_host(
    _machine: None, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Host]:
    """A version of the host."""
    try:
        with real.host(request.param, tmp_path_factory.mktemp("host")) as found:
            yield found
    except Missing as reason:
        _without(str(reason))


@pytest.fixture(scope="session", params=COLUMNS)
def session(real_host: Host, request: pytest.FixtureRequest) -> Iterator[Session]:
    """A session in which the model has answered once."""
    with real_host.session(request.param) as found:
        found.terminal.say("hello")
        assert found.terminal.wait(lambda rows: any(model.REPLY in row for row in rows)), found.screen()
        found.without_hint()  # else it goes in the middle of a test
        # The first status line of a session is run once more for the answer above.
        assert found.show("echo ready", 0).whole(), found.screen()
        yield found


def _without(reason: str) -> None:
    """Leaves the tests out, unless the host is required."""
    if os.environ.get("OHUD_REQUIRE_HOST"):
        pytest.fail(reason)
    pytest.skip(reason)
