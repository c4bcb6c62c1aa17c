"""Upkeep of a home: removal of old data, release of held letters, and its health."""

from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import NamedTuple

from msgspec import Struct

from pbm_oust.store import ladders, letters, openings
from pbm_oust.store.analyses import WANTED_LIFETIME
from pbm_oust.store.database import Snapshot, Transaction, moment_of, seconds, words_list
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.home import Home
from pbm_oust.store.letters import LetterState
from pbm_oust.store.limits import KEPT_LONGER, USUALLY_KEPT
from pbm_oust.store.message_keys import LIFETIME, MEMORY, KeyOutcome, Occasion, note_key, time_of
from pbm_oust.store.ratings import count_marked
from pbm_oust.store.verifications import SHEET_LIFETIME, forget_old_verifications

MOST_TOGETHER = 1000
"""The number of addresses whose letters become files in one transaction."""


_FORGETTING = {
    "DELETE FROM message_keys WHERE at < ?": MEMORY,
    "DELETE FROM sheets WHERE written <= ?": SHEET_LIFETIME,
    "DELETE FROM analyses_wanted WHERE asked <= ?": WANTED_LIFETIME,
    "DELETE FROM causes WHERE came <= ? AND userid IS NOT NULL": LIFETIME,
}
"""The statements that remove old rows, with the age for each."""


def forget_expired(home: Home, now: datetime) -> None:
    """Remove expired data from the database, and taken letters.

    Games that wait for ratings are counted, ladders updated and openings counted. Then the log is
    emptied, so that no file of the database holds removed data. May raise OSError.
    """
    home.do(forget_old, now)
    home.outbox.forget_taken()
    count_marked(home.database)
    ladders.count_waiting(home.database, now)
    openings.count_ended(home.database, home.boards)
    home.database.empty_log()


def forget_old(transaction: Transaction, now: datetime) -> None:
    """Remove expired rows from the database."""
    forget_old_verifications(transaction, now)
    for statement, lifetime in _FORGETTING.items():
        transaction.run(statement, seconds(now - lifetime))
    usual = "DELETE FROM rate_limits WHERE at <= ?"
    listed = words_list(KEPT_LONGER)
    unless = " AND word NOT IN (SELECT value FROM json_each(?))"
    transaction.run(usual + unless, seconds(now - USUALLY_KEPT), listed)
    for word, lifetime in KEPT_LONGER.items():
        transaction.run(f"{usual} AND word = ?", seconds(now - lifetime), word)


def release_letters(home: Home, now: datetime) -> int:
    """Release held letters, and return their number. May raise OSError."""
    release = partial(letters.let_leave, held=LetterState.HELD, state=home.posted_state, now=now)
    released = home.database.write(release)
    home.write_out()
    return released


def turn_letters_into_files(home: Home) -> None:
    """Move letters that wait for a relay into the Maildir, as there is none any more.

    Letters that another process or host still hands over are left alone. May raise OSError.
    """
    if home.ask(letters.first_due) is None:
        return
    with home.relaying(waits=False) as is_locked:
        if not is_locked:
            return
        waiting = iter(home.ask(letters.addresses_waiting))
        while some := list(islice(waiting, MOST_TOGETHER)):
            with home.database.leased(map(letters.task_of, some)) as ours:
                taken = [each for each in some if letters.task_of(each) in ours]
                home.do(letters.turn_into_files, taken)
        home.write_out()


LONGEST_DUE = timedelta(minutes=30)
"""The time for which a letter may be due before this is a trouble."""

_TRIAL = "trial"
"""The message key of a trial write, removed again; no mail has one like it."""


class Trouble(NamedTuple):
    """A reason to send no mail here at present."""

    word: str
    """The name, the same in all versions."""
    text: str
    """A sentence without details."""


UNREACHABLE = Trouble(DatabaseFault.word, DatabaseFault.told)
"""The home does not answer, or refuses us."""
SILENT = Trouble("silent", "The home does not answer in time.")
LETTERS_STAY = Trouble("letters_stay", "Letters have been due for more than half an hour.")
"""Mail is accepted, but letters do not leave."""


class _TriedOut(Exception):
    """Ends a successful trial, so that it is undone."""


def find_trouble(home: Home, *, lasts: bool = True) -> Trouble | None:
    """Return the present trouble; None if nothing is wrong.

    With `lasts=False` the trial leaves out the commit, and so does not wait for the disk. A home
    that is not made yet is in order: the server makes it.
    """
    now = home.now()

    def attempt(transaction: Transaction) -> None:
        note_key(transaction, _TRIAL, KeyOutcome.DONE, now)
        transaction.run("DELETE FROM message_keys WHERE message_key = ?", _TRIAL)
        if not lasts:
            raise _TriedOut

    if home.is_unfinished:
        return UNREACHABLE
    try:
        if lasts or home.database.has_key:
            home.key()
        if lasts or home.database.is_made:
            with suppress(_TriedOut):
                home.database.write(attempt)
        due = home.ask(letters.first_due)
        return LETTERS_STAY if due and due < now - LONGEST_DUE else None
    except OSError as error:
        return trouble_of(error)


HEALTH_PATH = "/healthz"
"""The path of the page about the health."""


def described(trouble: Trouble | None) -> dict[str, object]:
    """Return whether mail is accepted, and any trouble, as JSON has it."""
    word, text = trouble or (None, None)
    return {"takes_mail": trouble is None, "trouble": word, "text": text}


def trouble_of(error: OSError) -> Trouble:
    """Return the trouble for an error."""
    return Trouble(error.word, error.told) if isinstance(error, DatabaseFault) else UNREACHABLE


class Gauges(Struct, frozen=True):
    """The contents of a home in numbers."""

    letters: dict[LetterState, int]
    oldest: datetime | None
    """The time of the oldest letter that waits for the relay, or None."""
    older: dict[int, int]
    """The number of letters that have waited for the relay longer than so many seconds."""
    boards: dict[tuple[str, str], int]
    """The number of boards, by game and state."""
    backed_up: datetime | None
    """When the latest backup was made; None if that is not known."""


AGES = (60, 300, 1800, 3600, 6 * 3600, 24 * 3600)
"""The ages, in seconds, by which letters that wait are counted."""
_OLDER = ", ".join(["count(CASE WHEN posted < ? THEN 1 END)"] * len(AGES))


def read_gauges(snapshot: Snapshot, now: datetime) -> Gauges:
    """Return the gauges of a home."""
    ((oldest, *older),) = snapshot.rows(
        f"SELECT min(posted), {_OLDER} FROM letters WHERE state = 'waiting'",  # noqa: S608 - the columns are ours # nosec B608
        *[seconds(now) - age for age in AGES],
    )
    counts = snapshot.rows("SELECT kind, state, number FROM board_counts")
    return Gauges(
        letters.count_letters(snapshot),
        None if oldest is None else moment_of(oldest),
        dict(zip(AGES, older, strict=True)),
        {(kind, state): number for kind, state, number in counts},
        time_of(snapshot, Occasion.BACKUP),
    )
