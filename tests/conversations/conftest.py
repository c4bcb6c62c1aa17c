"""What many conversations start from."""

from pathlib import Path

import pytest

from pbm_oust.store.home import Home
from tests.support.home_by_mail import ALICE, BOB, CAROL, Talk, copy_of, home_of
from tests.support.outbox import letters


@pytest.fixture(scope="session")
def with_a_board(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home in which Alice has challenged Bob, to be copied."""
    challenge = (ALICE, "oust challenge alice bob wonderland -size=5")
    return home_of(tmp_path_factory.mktemp("begun"), ALICE, BOB, CAROL, mails=[challenge])


@pytest.fixture
def talk(with_a_board: Home, tmp_path: Path) -> Talk:
    """A talk in a home in which Alice has just challenged Bob; Carol has an account, too."""
    home = copy_of(with_a_board, tmp_path / "home")
    return Talk(home, letters=letters(home), outcome="done: challenge")
