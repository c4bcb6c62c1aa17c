"""What is done to a home from time to time: old things are removed, held letters released."""

from datetime import datetime
from functools import partial
from itertools import islice

from pbm_oust.store.causes import forget_old_causes
from pbm_oust.store.database import Transaction
from pbm_oust.store.home import Home
from pbm_oust.store.limits import forget_old_counts
from pbm_oust.store.message_keys import forget_old_keys
from pbm_oust.store.ratings import count_marked
from pbm_oust.store.sending import (
    addresses_waiting,
    has_waiting,
    release_held,
    task_of,
    turn_into_files,
)
from pbm_oust.store.sheets import forget_old_sheets
from pbm_oust.store.verifications import forget_old_verifications

MOST_TOGETHER = 1000
"""To how many addresses letters become files at a time."""


def forget_expired(home: Home, now: datetime) -> None:
    """Forget what is too old to matter, in the database and among the letters that were taken.

    Ratings that no longer fit are counted anew. From then on, no file of the database holds what
    was removed. May raise OSError.
    """

    def forget(transaction: Transaction) -> None:
        forget_old_verifications(transaction, now)
        forget_old_keys(transaction, now)
        forget_old_counts(transaction, now)
        forget_old_sheets(transaction, now)
        forget_old_causes(transaction, now)

    home.do(forget)
    home.maildir.forget_taken()
    count_marked(home.database)
    home.database.empty_log()


def release_letters(home: Home, now: datetime) -> int:
    """Release the letters that are held back, and return their number. May raise OSError."""
    released = home.database.write(partial(release_held, state=home.posted_state, now=now))
    home.write_out()
    return released


def turn_letters_into_files(home: Home) -> None:
    """Let the letters that wait for a relay go into the Maildir, as there is none any more.

    Somebody who still hands letters over is let alone. May raise OSError.
    """
    if not home.ask(has_waiting):
        return
    with home.relaying(waits=False) as is_locked, home.database.holding() as hold:
        if not is_locked:
            return
        waiting = iter(home.ask(addresses_waiting))
        while some := list(islice(waiting, MOST_TOGETHER)):
            taken = hold.take(map(task_of, some))
            home.do(turn_into_files, [each for each in some if task_of(each) in taken])
        home.write_out()
