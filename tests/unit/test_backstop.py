"""The end of a render that goes on and on."""

import signal
import time
from collections.abc import Iterator

import pytest

from ohud.run import status

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no such timer")


@pytest.fixture(autouse=True)
def afterwards() -> Iterator[None]:
    """No alarm is left behind."""
    before = signal.getsignal(signal.SIGALRM)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def work(seconds: float) -> None:
    """Uses the processor for so long."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_a_render_that_works_is_ended() -> None:
    """After its own time, whoever else is at work."""
    before = time.process_time()
    with pytest.raises(status.Late):
        status.set_backstop(0.1)
        work(2.0)
    assert 0.09 < time.process_time() - before < 0.3


def test_time_that_others_take_does_not_count() -> None:
    """A render that has waited for its turn gets the rest of its time."""
    status.set_backstop(0.1)
    time.sleep(0.2)
    work(0.02)
    with pytest.raises(status.Late):
        work(2.0)


def test_a_render_that_waits_for_ever_is_ended_too() -> None:
    """After three times as long."""
    began = time.monotonic()
    with pytest.raises(status.Late):
        status.set_backstop(0.1)
        time.sleep(5.0)
    assert 0.25 < time.monotonic() - began < 2.0


def test_a_backstop_that_was_called_off_does_not_ring() -> None:
    """Nothing is ended any more."""
    status.set_backstop(0.05)
    status.set_backstop(0)
    work(0.1)
