"""The rings of the tests, and what tests of several rooms start from."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.home import Home
from tests.support.listening import listening

SLOW = {"peers", "chaos", "league", "fuzz"}
"""The folders of the slow rings, which only `scripts/test all` runs."""

HERE = Path(__file__).parent

# A busy machine takes longer for an example than hypothesis usually lets it.
settings.register_profile("all", deadline=None)
settings.register_profile("fast", deadline=None, max_examples=30)
settings.load_profile("all")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests of the slow rings."""
    if item.path.relative_to(HERE).parts[0] in SLOW:
        item.add_marker("slow")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.prepare(tuple(KINDS))
    return home


@pytest.fixture
def port(home: Home) -> Iterator[int]:
    with listening(home) as port:
        yield port
