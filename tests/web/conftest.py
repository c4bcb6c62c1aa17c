from collections.abc import Iterator
from pathlib import Path

import pytest

from pbm_oust.store.home import Home
from tests.support.home_by_mail import home_of
from tests.support.website import Website, website
from tests.web.signed_in import Place, place


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Website]:
    """Pages of an empty home."""
    path = tmp_path_factory.mktemp("web") / "home"
    home_of(path).database.close()
    with website(path) as found:
        yield found


@pytest.fixture
def pages(home: Home) -> Iterator[Website]:
    """Pages of the home of a module."""
    with website(home.path) as found:
        yield found


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Place]:
    """A new home with its pages, and what comes by mail."""
    with place(tmp_path / "home") as found:
        yield found
