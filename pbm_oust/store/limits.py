"""Limits: what is counted, how often it may happen, and how often it did of late.

The database holds a hash of what something is counted for (an address, a userid, a host) and when.
What no longer counts is forgotten. What was refused without an answer is counted in memory and
written now and then, so that refusing costs no writing.
"""

import hashlib
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from enum import Enum

from msgspec import Struct, field

from pbm_oust.accounts.address import normal_address
from pbm_oust.store.database import Snapshot, Transaction, moment_of, seconds

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
HIGHEST = 10**9
"""The highest limit that an operator can set."""
_EXACT = 120
"""Up to so many are counted by the second; of more, that many rows at most are kept."""
_COUNT = (
    "INSERT INTO rate_limits (word, subject, at, number) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (word, subject, at) DO UPDATE"
    " SET number = rate_limits.number + excluded.number"
)
_THAT_COUNT = "FROM rate_limits WHERE word = ? AND subject = ? AND at > ? AND at <= ?"
MOST_SUBJECTS = 10_000
"""For how many subjects a tally counts before it is written."""


class Counted(Enum):
    """What is counted, and how often it may happen unless an operator sets something else.

    The word is what it is called in the database and, if it can be set, in the configuration.
    """

    def __init__(self, word: str, most: int, within: timedelta, is_set: bool = True) -> None:
        self.word = word
        self.most = most
        self.within = within
        self.is_set = is_set

    MOVES = ("moves_an_hour", 600, _HOUR)
    """Commands of one player that prove whose they are."""
    CHALLENGES = ("challenges_a_day", 20, _DAY)
    """Boards that one player starts."""
    CHALLENGES_TO_ONE = ("challenges_to_one_player_a_day", 10, _DAY)
    """Challenges of one player to one other, to whom each of them sends a letter."""
    BOARDS = ("boards_a_day", 2000, _DAY)
    """Boards that all players together start."""
    MESSAGES = ("messages_a_day", 30, _DAY)
    """Texts that one player has passed on to others."""
    MESSAGES_TO_ONE = ("messages_to_one_reader_a_day", 10, _DAY)
    """Texts that one player has passed on to one other."""
    ANSWERS = ("answers_an_hour", 10, _HOUR)
    """Answers to mails that prove nothing, to an address that no account has."""
    HELP = ("help_answers_an_hour", 50, _HOUR)
    """Mails with the help that one address asked for, and nothing proves who that was."""
    ANSWERS_TO_PLAYERS = ("answers_to_a_player_an_hour", 100, _HOUR)
    """Answers to mails that prove nothing, to an address of an account."""
    ANSWERS_TO_SOURCE = ("answers_to_a_source_an_hour", 200, _HOUR)
    """Answers to mails that prove nothing, from one host or network."""
    ALL_ANSWERS = ("all_answers_an_hour", 2000, _HOUR)
    """Answers to mails that prove nothing."""
    CODES = ("codes_to_an_address_a_day", 3, _DAY)
    """Mails with a code to one address that nobody has proved, which others asked for."""
    OWN_CODES = ("codes_to_own_address_a_day", 3, _DAY)
    """Mails with a code to such an address that asked for them."""
    CODES_OF_ASKER = ("codes_for_one_asker_a_day", 10, _DAY)
    """Mails with a code that one player or one address asked for."""
    CODES_OF_SOURCE = ("codes_for_a_source_a_day", 15, _DAY)
    """Mails with a code that strangers of one host or network asked for."""
    ALL_CODES = ("all_codes_a_day", 200, _DAY)
    """Mails with a code that strangers asked for."""
    OWNER_CODES = ("codes_to_a_player_an_hour", 10, _HOUR)
    """Mails with a code to the addresses of one account, for one purpose, whoever asked for it."""
    OWNER_CODES_OF_ASKER = ("codes_to_a_player_for_one_asker_a_day", 5, _DAY)
    """Those that one host or network or, through our own mail servers, one address asked for."""
    SIGNUPS_OF_SOURCE = ("signups_from_a_source_a_day", 10, _DAY)
    """Accounts that one host or network asked for."""
    ALL_SIGNUPS = ("all_signups_a_day", 100, _DAY)
    """Accounts that were asked for."""
    WRONG_PASSWORDS = ("wrong_passwords_an_hour", 20, _HOUR)
    """Wrong passwords from one host or network or, through our own mail servers, one address."""
    WRONG_PASSWORDS_OF_ACCOUNT = ("wrong_passwords_for_a_player_an_hour", 30, _HOUR)
    """Wrong passwords for one account, before none is taken for it for a while."""
    WRONG_PASSWORDS_FOR_ONE = ("wrong_passwords_before_a_warning", 10, _DAY)
    """Wrong passwords for one userid, before its player is warned."""
    WRONG_LINKS = ("wrong_links_an_hour", 30, _HOUR)
    """Links of pages that prove nothing, from one host or network."""
    UNREADABLE_ANSWERS = ("unreadable_answers_an_hour", 10, _HOUR)
    """Answers to the letters of one userid that could not be read."""
    EQUAL_REFUSALS = ("equal_refusals_an_hour", 3, _HOUR)
    """Mails that prove nothing, from one address, with one line, refused for one reason."""
    ANSWERED_GUESSES = ("answers_to_wrong_passwords_an_hour", 5, _HOUR)
    """Answers to one address that say that a password was wrong, whatever else the mails said."""
    REFUSED_MAILS = ("refused mails", 1, _HOUR, False)
    """The same one of these mails."""
    TOLD = ("told of a limit", 1, _DAY, False)
    """Refusals that say that a limit is reached."""
    UNCONFIRMED = ("unconfirmed challenges refused", 1, _DAY, False)
    """Refusals of challenges that nothing proves, because too many wait for one userid."""
    WARNINGS = ("warnings", 1, _DAY, False)
    """Warnings to one player about wrong passwords."""
    SILENCES = ("silences", HIGHEST, _DAY, False)
    """Mails that got no answer because a limit was reached."""


LONGEST = max(counted.within for counted in Counted)
SETTABLE = {counted.word: counted for counted in Counted if counted.is_set}
"""What an operator can set, by its key in the configuration."""


class Limits(Struct, frozen=True):
    """The limits of a server."""

    chosen: Mapping[Counted, int] = field(default_factory=dict)
    """Those that differ from the usual ones."""

    def most(self, counted: Counted) -> int:
        """Return how often something may be done."""
        return self.chosen.get(counted, counted.most)


USUAL_LIMITS = Limits()


def nearest_of(key: str, known: Iterable[str]) -> str:
    """Return what to say of an unknown key: the known one that is nearest, or where all are."""
    from difflib import get_close_matches

    near = get_close_matches(key.lower(), known, n=1)
    return (
        f"; perhaps {near[0]} is meant" if near else "; docs/configuration.md lists all there are"
    )


def parse_limits(table: object) -> Limits:
    """Return the limits that a table of the configuration gives. Raises ValueError."""
    if not isinstance(table, dict):
        raise ValueError("a table of numbers is wanted, which begins with [limits]")
    for key, value in table.items():
        if key not in SETTABLE:
            raise ValueError(f"there is no limit {key}{nearest_of(key, SETTABLE)}")
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= HIGHEST:
            raise ValueError(f"{key}: a number from 0 to {HIGHEST} is wanted, as in {key} = 100")
    return Limits({SETTABLE[key]: value for key, value in table.items()})


class Charge(Struct, frozen=True):
    """That something is done, some times, for a subject: an address, a userid, a host."""

    counted: Counted
    subject: str
    number: int = 1


def number_counted(snapshot: Snapshot, counted: Counted, subject: str, now: datetime) -> int:
    """Return how often something that counts was done for a subject."""
    total = f"SELECT sum(number) {_THAT_COUNT}"
    return snapshot.number(total, *_that_count(counted, subject, now))


def end_of_limit(
    snapshot: Snapshot, charge: Charge, limits: Limits, now: datetime
) -> datetime | None:
    """Return when a charge is within its limit again, or None if it is now.

    A charge that is over the limit by itself is within it when nothing else counts.
    """
    most = limits.most(charge.counted)
    if not most:
        return now + charge.counted.within
    done = number_counted(snapshot, charge.counted, charge.subject, now)
    over = done + charge.number - max(most, charge.number)
    if over <= 0:
        return None
    search = f"SELECT at, number {_THAT_COUNT} ORDER BY at"
    for at, number in snapshot.rows(search, *_that_count(charge.counted, charge.subject, now)):
        over -= number
        if over <= 0:
            return moment_of(at) + charge.counted.within
    raise AssertionError("a charge is within its limit when nothing else counts")


def count(transaction: Transaction, charge: Charge, now: datetime) -> None:
    """Record that something was done."""
    counted = charge.counted
    step = 1 if counted.most <= _EXACT else counted.within // timedelta(seconds=_EXACT)
    second = seconds(now) // step * step
    transaction.run(_COUNT, counted.word, _hash_of(charge.subject), second, charge.number)


def _that_count(counted: Counted, subject: str, now: datetime) -> tuple[str, str, int, int]:
    """Return the word and the subject of rows that count, and between which seconds they do.

    What lies further ahead than a limit lasts was counted while a clock was ahead.
    """
    lately = seconds(now - counted.within), seconds(now + counted.within)
    return counted.word, _hash_of(subject), *lately


def _hash_of(subject: str) -> str:
    """Return the hash of a subject: the same for an address however it is written.

    A subject that is several things has a NUL between them.
    """
    parts = [normal_address(part) if "@" in part else part for part in subject.split("\0")]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


class Tally:
    """Counts in memory, for several threads. What a process that dies has not written is lost."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts = Counter[tuple[Counted, str]]()

    def add(self, counted: Counted, subject: str) -> None:
        """Count something once; what is too much for the memory is not counted."""
        with self._lock:
            if len(self._counts) < MOST_SUBJECTS:
                self._counts[counted, subject] += 1

    def number(self, counted: Counted, subject: str) -> int:
        """Return what is counted for a subject, and not written."""
        with self._lock:
            return self._counts[counted, subject]

    def take(self) -> Counter[tuple[Counted, str]]:
        """Return what is counted, and count from nothing."""
        with self._lock:
            taken, self._counts = self._counts, Counter()
        return taken


def write_tally(
    transaction: Transaction, taken: Counter[tuple[Counted, str]], now: datetime
) -> None:
    """Record what a tally has counted."""
    for (counted, subject), number in taken.items():
        count(transaction, Charge(counted, subject, number), now)
