"""What is left in the files of a home of a player who was forgotten."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pbm_oust.mail.relay import Relaying
from pbm_oust.store.home import Home
from pbm_oust.store.upkeep import forget_expired
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, home_of
from tests.support.outbox import letters
from tests.support.sink import listening_sink

FORGET = (BOB, "forget bob lookingglass really")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home in which Bob has played, kept notes, and asked for a code."""
    mails = [
        (ALICE, "oust challenge alice bob wonderland -size=5"),
        (ALICE, "oust move 1 alice wonderland C3"),
        (BOB, 'oust note 1 bob lookingglass "Bob writes this"'),
        (BOB, "oust seek bob lookingglass"),
        (BOB, "add address bob lookingglass bob@example.com"),
        FORGET,
    ]
    home = home_of(tmp_path / "home", ALICE, BOB, mails=mails)
    home.recover()
    return home


def files_that_name_bob(home: Home) -> list[str]:
    found = [path for path in home.path.rglob("*") if path.is_file()]
    return [str(path) for path in found if b"bob" in path.read_bytes().lower()]


@contextmanager
def relayed(home: Home) -> Iterator[None]:
    """Have all letters of a home sent."""
    with listening_sink() as (_, endpoint):
        home.has_relay = True
        Relaying(home, endpoint, ADDRESS, NOON.timestamp).flush(all_letters=True)
        yield


def test_nothing_of_a_forgotten_player_stays_when_the_letters_have_left(home: Home) -> None:
    with relayed(home):
        forget_expired(home, NOON)
        assert files_that_name_bob(home) == []


def test_nothing_stays_when_a_mail_program_has_taken_the_letters(home: Home) -> None:
    for letter in letters(home):
        (home.outbox.path / "new" / letter.name).unlink()
    forget_expired(home, NOON)
    assert files_that_name_bob(home) == []
