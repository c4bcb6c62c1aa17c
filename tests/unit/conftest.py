"""What several unit tests start from: a home, a listener on it, and no hurry."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.home import Home
from tests.unit.listening import listening

# A busy machine takes longer for an example than hypothesis usually lets it.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.prepare(tuple(KINDS))
    return home


@pytest.fixture
def port(home: Home) -> Iterator[int]:
    with listening(home) as port:
        yield port
