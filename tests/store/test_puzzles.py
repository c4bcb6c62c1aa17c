"""How players have fared with puzzles at their first try."""

from functools import partial

from pbm_oust.store.database import Database
from pbm_oust.store.puzzles import Tries, note_try, tries_of


def test_first_tries_are_counted(database: Database) -> None:
    for number, is_failed in ((1, True), (1, False), (2, False), (1, True)):
        database.write(partial(note_try, kind="oust", number=number, is_failed=is_failed))
    with database.read() as snapshot:
        assert tries_of(snapshot, "oust") == {1: Tries(3, 2), 2: Tries(1, 0)}
        assert tries_of(snapshot, "churn") == {}
