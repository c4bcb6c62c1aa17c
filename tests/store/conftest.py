"""What several tests of the store start from."""

from pathlib import Path

import pytest
from hypothesis import settings

from tests.store.kept import Kept

# A busy machine takes longer for an example than hypothesis usually lets it.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path / "home")
