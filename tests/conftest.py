"""What every test shares: the helper modules of this folder, and `--update-golden`."""

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Tests are imported by file (`--import-mode=importlib`), so the folder of the helpers has to be named.
sys.path.insert(0, str(Path(__file__).parent))

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
