"""A challenge without a password waits until the player whose address it came from says yes."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from pbm_oust.accounts.password import Secret, hash_password
from pbm_oust.accounts.tags import salt_for
from tests.support.accounts import change_account, make_account
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, CAROL, Talk, mailed
from tests.support.outbox import Letter
from tests.support.steps import work_of

LINE = "oust challenge alice bob -size=5"
ASKS = f"{ALICE}: did you write this?"


@pytest.fixture
def talk(place: Path) -> Iterator[Talk]:
    talk = Talk.begin(place, ALICE, BOB, CAROL)
    yield talk
    talk.home.close()


def answer_address(letter: Letter) -> str:
    return letter["Reply-To"] or ""


def test_a_password_is_tried_for_two_players_at_most(talk: Talk) -> None:
    def tried(line: str) -> int:
        return work_of(lambda: talk.send(ALICE, line)).scrypts

    for userid, password in (("alice", "wonderland"), ("bob", "lookingglass")):
        stored = hash_password(Secret(password), salt_for(bytes(32), userid))
        change_account(talk.home, userid, partial(replace, password=stored))
    assert tried("oust challenge bob alice wonderland") == 1
    assert tried("oust challenge alice bob lookingglass") == 2
    assert tried("oust challenge alice bob rabbithole") == 2
    assert tried("oust challenge nobody noone rabbithole") == 2


def test_one_address_of_two_players_asks_one_of_them(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path / "home", ALICE)
    make_account(talk.home, "bob", "lookingglass", ALICE)
    assert talk.send(ALICE, LINE) == [ASKS]
    assert ADDRESS.partition("@")[2] in answer_address(talk.letters[0])
    assert len(mailed(talk.home, ALICE, LINE)) == 1
