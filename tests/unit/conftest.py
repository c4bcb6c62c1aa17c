"""What several unit tests start from: a home, and a listener on it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbm_oust.home import Home
from pbm_oust.rules.kinds import KINDS
from tests.unit.listening import listening


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.prepare(tuple(KINDS))
    return home


@pytest.fixture
def port(home: Home) -> Iterator[int]:
    with listening(home) as port:
        yield port
