"""The tally: counted in memory, written now and then, and bounded."""

from datetime import datetime

from pbm_oust.store.home import Home
from pbm_oust.store.limits import MOST_SUBJECTS, Counted, Tally, number_counted

WRONG = Counted.WRONG_PASSWORDS_FOR_ONE


def test_what_is_counted_is_written_once(home: Home, now: datetime) -> None:
    for _ in range(3):
        home.tally.add(WRONG, "alice")
    home.tally.add(WRONG, "bob")
    assert home.tally.number(WRONG, "alice") == 3
    assert home.ask(number_counted, WRONG, "alice", now) == 0
    home.write_tally(now)
    home.write_tally(now)
    assert home.tally.number(WRONG, "alice") == 0
    assert home.ask(number_counted, WRONG, "alice", now) == 3
    assert home.ask(number_counted, WRONG, "bob", now) == 1


def test_no_more_subjects_are_counted_than_memory_is_meant_for() -> None:
    tally = Tally()
    for nth in range(MOST_SUBJECTS + 10):
        tally.add(WRONG, str(nth))
    assert len(tally.take()) == MOST_SUBJECTS
