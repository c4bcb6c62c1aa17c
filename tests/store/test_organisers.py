"""Who has announced a cup, as cups are kept."""

from datetime import datetime

import msgspec

from pbm_oust.store import tournaments
from pbm_oust.store.database import Database
from pbm_oust.tournaments.cup import Cup, State

CUP = Cup(
    kind="oust",
    number=1,
    title="Oust cup 1",
    grid_name="square 5x5",
    terms_words="swap rated nagtime=7 forfeittime=21",
    size=5,
    starts=datetime.fromisoformat("2027-01-01T00:00:00Z"),
    organiser="alice",
)


def organised(database: Database, userid: str) -> bool:
    with database.read() as snapshot:
        return tournaments.going_on_of(snapshot, userid) is not None


def test_a_cup_that_goes_on_is_found_by_its_organiser(database: Database) -> None:
    database.write(lambda transaction: tournaments.keep(transaction, CUP))
    assert organised(database, "alice")
    over = msgspec.structs.replace(CUP, state=State.OVER)
    database.write(lambda transaction: tournaments.keep(transaction, over))
    assert not organised(database, "alice")


def test_an_organiser_who_is_renamed_or_forgotten_is_no_more_in_it(database: Database) -> None:
    database.write(lambda transaction: tournaments.keep(transaction, CUP))
    database.write(lambda transaction: tournaments.rename(transaction, "alice", "carol"))
    assert organised(database, "carol")
    assert not organised(database, "alice")
    database.write(lambda transaction: tournaments.forget(transaction, "carol"))
    with database.read() as snapshot:
        cup = tournaments.find(snapshot, "oust", 1)
    assert cup
    assert cup.organiser is None
