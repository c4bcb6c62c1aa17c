"""Message keys: a command that comes again is known, and what became of it stays so."""

from datetime import datetime, timedelta

from pbm_oust.store.database import Database
from pbm_oust.store.message_keys import MEMORY, KeyOutcome, forget_old_keys, note_key, outcome_of

KEY, OTHER = "4f0c1d2e9a8b7c6d", "0b53a2c4d1e6f788"


def note(database: Database, outcome: KeyOutcome, at: datetime, key: str = KEY) -> bool:
    return database.write(lambda each: note_key(each, key, outcome, at))


def known(database: Database, key: str = KEY) -> KeyOutcome | None:
    with database.read() as snapshot:
        return outcome_of(snapshot, key)


def test_a_key_is_not_known_before_it_is_noted(database: Database, now: datetime) -> None:
    assert known(database) is None
    assert note(database, KeyOutcome.DONE, now)
    assert known(database) == KeyOutcome.DONE
    assert known(database, OTHER) is None


def test_a_key_is_forgotten_after_thirty_days(database: Database, now: datetime) -> None:
    note(database, KeyOutcome.DONE, now)
    note(database, KeyOutcome.DONE, now + timedelta(days=1), key=OTHER)
    assert database.write(lambda each: forget_old_keys(each, now + MEMORY)) == 0
    late = now + MEMORY + timedelta(seconds=1)
    assert database.write(lambda each: forget_old_keys(each, late)) == 1
    assert known(database) is None
    assert known(database, OTHER)
    with database.read() as snapshot:
        assert snapshot.rows("SELECT count(*) FROM message_keys") == [(1,)]
