"""What every test shares: the helper modules of this folder, and `--update-golden`."""

import signal
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Tests are imported by file (`--import-mode=importlib`), so the folder of the helpers has to be named.
sys.path.insert(0, str(Path(__file__).parent))

# A shell starts what runs in its background with interrupts ignored, and every program that a test starts would too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGQUIT"):
        signal.signal(signal.SIGQUIT, signal.SIG_DFL)

# The suite says the same on every machine, however slow: `--hypothesis-profile=search` looks for what is new.
settings.register_profile("suite", deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
settings.register_profile("search", deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile("suite")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the switch that rewrites the golden files instead of comparing them."""
    parser.addoption("--update-golden", action="store_true", help="rewrite the files under tests/golden/")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be rewritten."""
    return bool(request.config.getoption("--update-golden"))
