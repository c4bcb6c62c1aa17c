"""Limits: counted events, how often they may happen, and how often they did of late.

The database holds a hash of the subject of an event (an address, a userid, a host) and its time.
Expired events are removed. Refusals without an answer are counted in memory and written now and
then, so that refusing costs no writing.

A limit for everybody together has shares: each network, domain or player may take a part of the
rest, so that less is left for whoever has asked for much, and something for whoever has not asked
yet.
"""

import hashlib
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from enum import Enum

from msgspec import Struct, field

from pbm_oust.accounts.address import normal_address
from pbm_oust.store.database import Snapshot, Transaction, moment_of, seconds, words_list

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
_EVER = timedelta(days=36500)
HIGHEST = 10**9
"""The highest limit that an operator can set."""
_EXACT = 120
"""The most events that are counted by the second; of more, so many rows at most are kept."""
_COUNT = (
    "INSERT INTO rate_limits (word, subject, at, number) SELECT ?, value, ?, ? FROM json_each(?)"
)
_ADD_UP = (
    "ON CONFLICT (word, subject, at) DO UPDATE SET number = rate_limits.number + excluded.number"
)
"""The beginning and the end of a statement that counts an event."""
_THAT_COUNT = "FROM rate_limits WHERE word = ? AND subject = ? AND at > ? AND at <= ?"
_SUMS = (
    "SELECT subject, sum(number) FROM rate_limits WHERE word = ?"
    " AND subject IN (SELECT value FROM json_each(?)) AND at > ? AND at <= ? GROUP BY subject"
)
MOST_SUBJECTS = 10_000
"""The most subjects in a tally before it is written."""


class Counted(Enum):
    """A counted event, and its usual limit.

    The word is its name in the database and, if it can be set, in the configuration.
    """

    def __init__(self, word: str, most: int, within: timedelta, is_set: bool = True) -> None:
        self.word = word
        self.most = most
        self.within = within
        self.is_set = is_set

    MOVES = ("moves_an_hour", 600, _HOUR)
    """Commands of one player with a proof."""
    CHALLENGES = ("challenges_a_day", 20, _DAY)
    """Boards that one player starts."""
    CHALLENGES_TO_ONE = ("challenges_to_one_player_a_day", 10, _DAY)
    """Challenges of one player to one other, each with a letter."""
    BOARDS = ("boards_a_day", 2000, _DAY)
    """Boards that all players together start."""
    MESSAGES = ("messages_a_day", 30, _DAY)
    """Texts that one player has passed on to others."""
    MESSAGES_TO_ONE = ("messages_to_one_reader_a_day", 10, _DAY)
    """Texts that one player has passed on to one other."""
    INVITATIONS = ("invitations_a_day", 5, _DAY)
    """Invitations of one player to people by their addresses."""
    ANSWERS = ("answers_an_hour", 10, _HOUR)
    """Answers to mails without proof, to an address without account."""
    HELP = ("help_answers_an_hour", 25, _HOUR)
    """Mails with the help for one address, without proof."""
    ANSWERS_TO_PLAYERS = ("answers_to_a_player_an_hour", 100, _HOUR)
    """Answers to mails without proof, to an address of an account."""
    ANSWERS_TO_SOURCE = ("answers_to_a_source_an_hour", 200, _HOUR)
    """Answers to mails without proof, from one host or network."""
    ALL_ANSWERS = ("all_answers_an_hour", 2000, _HOUR)
    """Answers to mails without proof."""
    BYTES = ("bytes_to_an_address_a_day", 500_000, _DAY)
    """Bytes of answers to one address, to mails without proof."""
    CODES = ("codes_to_an_address_a_day", 3, _DAY)
    """Mails with a code to one unproved address, at the request of others."""
    OWN_CODES = ("codes_to_own_address_a_day", 20, _DAY)
    """Mails with a code to one unproved address, at its own request, perhaps forged."""
    CODES_OF_ASKER = ("codes_for_one_asker_a_day", 10, _DAY)
    """Mails with a code at the request of one player or one address."""
    CODES_OF_SOURCE = ("codes_for_a_source_a_day", 15, _DAY)
    """Mails with a code at the request of strangers of one host or network."""
    ALL_CODES = ("all_codes_a_day", 200, _DAY)
    """Mails with a code at the request of strangers."""
    OWNER_CODES = ("codes_to_a_player_an_hour", 20, _HOUR)
    """Mails with a code to the addresses of one account, for one purpose: those that these
    addresses ask for, and those that others do."""
    OWNER_CODES_OF_ASKER = ("codes_to_a_player_for_one_asker_a_day", 5, _DAY)
    """Mails with a code to one account, at the request of one host or network, or one address."""
    SIGNUPS_OF_SOURCE = ("signups_from_a_source_a_day", 10, _DAY)
    """Requests for accounts from one host or network."""
    ALL_SIGNUPS = ("all_signups_a_day", 200, _DAY)
    """Requests for accounts."""
    WRONG_PASSWORDS = ("wrong_passwords_an_hour", 20, _HOUR)
    """Wrong passwords from one host or network or, through our own mail servers, one address."""
    WRONG_PASSWORDS_OF_ACCOUNT = ("wrong_passwords_for_a_player_an_hour", 30, _HOUR)
    """Wrong passwords for one account, until passwords are refused for a while."""
    WRONG_PASSWORDS_FOR_ONE = ("wrong_passwords_before_a_warning", 10, _DAY)
    """Wrong passwords for one userid, until its player is warned."""
    WRONG_LINKS = ("wrong_links_an_hour", 30, _HOUR)
    """Invalid links of pages, from one host or network."""
    UNREADABLE_ANSWERS = ("unreadable_answers_an_hour", 10, _HOUR)
    """Unreadable answers to the letters of one userid."""
    EQUAL_REFUSALS = ("equal_refusals_an_hour", 3, _HOUR)
    """Mails without proof from one address, with the same line and the same refusal."""
    ANSWERED_GUESSES = ("answers_to_wrong_passwords_an_hour", 5, _HOUR)
    """Answers to one address about a wrong password, whatever else the mails said."""
    FIRST_LETTERS = ("first letters", 2, _DAY, False)
    """First steps for one address that has written no command."""
    INVITED = ("invited", 1, timedelta(days=30), False)
    """Invitations to one address, which has a name in place of itself."""
    CUPS = ("cups announced", 1, timedelta(days=7), False)
    """Tournaments that one player announces."""
    UNINVITED = ("uninvited", 1, _EVER, False)
    """Addresses, by such names, that want no invitations for good."""
    REFUSED_MAILS = ("refused mails", 1, _HOUR, False)
    """Refusals of the same mail."""
    TOLD = ("told of a limit", 1, _DAY, False)
    """Refusals because of a limit."""
    UNCONFIRMED = ("unconfirmed challenges refused", 1, _DAY, False)
    """Refusals of unproved challenges, because too many wait for one userid."""
    WARNINGS = ("warnings", 1, _DAY, False)
    """Warnings to one player about wrong passwords."""
    SILENCES = ("silences", HIGHEST, _DAY, False)
    """Mails without an answer because of a limit."""


KEPT_LONGER = {counted.word: counted.within for counted in Counted if counted.within > _DAY}
"""For how long events are kept that are not forgotten after `USUALLY_KEPT`, by their words."""
USUALLY_KEPT = _DAY
SETTABLE = {counted.word: counted for counted in Counted if counted.is_set}
"""Events with a limit that an operator can set, by key in the configuration."""


class Limits(Struct, frozen=True):
    """The limits of a server."""

    chosen: Mapping[Counted, int] = field(default_factory=dict)
    """Limits that differ from the usual ones."""

    def most(self, counted: Counted) -> int:
        """Return the limit of an event."""
        return self.chosen.get(counted, counted.most)


USUAL_LIMITS = Limits()


def nearest_of(key: str, known: Iterable[str]) -> str:
    """Return a hint about an unknown key: the nearest known one, or where all are."""
    from difflib import get_close_matches

    near = get_close_matches(key.lower(), known, n=1)
    return (
        f"; perhaps {near[0]} is meant" if near else "; docs/configuration.md lists all there are"
    )


def parse_limits(table: object) -> Limits:
    """Return the limits in a table of the configuration. Raises ValueError."""
    if not isinstance(table, dict):
        raise ValueError("a table of numbers is wanted, which begins with [limits]")
    for key, value in table.items():
        if key not in SETTABLE:
            raise ValueError(f"there is no limit {key}{nearest_of(key, SETTABLE)}")
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= HIGHEST:
            raise ValueError(f"{key}: a number from 0 to {HIGHEST} is wanted, as in {key} = 100")
    return Limits({SETTABLE[key]: value for key, value in table.items()})


LEAST_BYTES = 4000
"""The bytes that a shorter answer counts as, so that an address gets few letters, too."""
PARTS, FEW_PARTS = 10, 6
"""Into how many parts what is left is divided, of which a share is one: of a large limit, and of a
small one."""


class Share(Struct, frozen=True):
    """The network, domain or player that takes part of a limit."""

    holder: str
    parts: int = PARTS


class Charge(Struct, frozen=True):
    """An event, some times, for a subject: an address, a userid, a host."""

    counted: Counted
    subject: str
    number: int = 1
    shares: tuple[Share, ...] = ()
    """The takers, if several have the subject together."""

    def of(self, share: Share) -> str:
        """Return the subject of a share."""
        return f"{self.subject}\0{share.holder}"

    @property
    def subjects(self) -> list[str]:
        """The subject, and those of its shares."""
        return [self.subject, *map(self.of, self.shares)]


def number_counted(snapshot: Snapshot, counted: Counted, subject: str, now: datetime) -> int:
    """Return the number of counted events for a subject."""
    total = f"SELECT sum(number) {_THAT_COUNT}"
    return snapshot.number(total, *_that_count(counted, subject, now))


def end_of_limit(
    snapshot: Snapshot, charge: Charge, limits: Limits, now: datetime
) -> datetime | None:
    """Return the time at which a charge is within its limit again, or None if it is now.

    A charge that is over the limit by itself is within it when nothing else counts. Nobody has more
    than one part of what is left, but everybody may do one thing as long as something is.
    """
    most = limits.most(charge.counted)
    if not most:
        return now + charge.counted.within
    done = _numbers_counted(snapshot, charge, now)
    left = max(0, most - done[charge.subject])
    bounds = {charge.subject: most}
    bounds |= {charge.of(share): -(-left // share.parts) for share in charge.shares}
    over = {
        subject: done[subject] + charge.number - max(bound, charge.number)
        for subject, bound in bounds.items()
    }
    ends = (_end_of(snapshot, charge, *each, now) for each in over.items())
    return max(filter(None, ends), default=None)


def _numbers_counted(snapshot: Snapshot, charge: Charge, now: datetime) -> dict[str, int]:
    """Return the number of events for each subject of a charge."""
    subjects = {_hash_of(subject): subject for subject in charge.subjects}
    word, _, *lately = _that_count(charge.counted, charge.subject, now)
    rows = snapshot.rows(_SUMS, word, words_list(subjects), *lately)
    return dict.fromkeys(charge.subjects, 0) | {subjects[each]: int(done) for each, done in rows}


def _end_of(
    snapshot: Snapshot, charge: Charge, subject: str, over: int, now: datetime
) -> datetime | None:
    """Return the time at which a subject is within its bound again, or None if it is now."""
    if over <= 0:
        return None
    search = f"SELECT at, number {_THAT_COUNT} ORDER BY at"
    for at, number in snapshot.rows(search, *_that_count(charge.counted, subject, now)):
        over -= number
        if over <= 0:
            return moment_of(at) + charge.counted.within
    raise AssertionError("a charge is within its limit when nothing else counts")


def count(transaction: Transaction, charge: Charge, now: datetime) -> None:
    """Record an event."""
    transaction.run(f"{_COUNT} WHERE 1 = 1 {_ADD_UP}", *_counted_at(charge, now))


def count_within(transaction: Transaction, charge: Charge, limits: Limits, now: datetime) -> bool:
    """Record an event that nobody shares if it is within its limit, and return whether it is.

    What is over the limit by itself is not: see `end_of_limit`.
    """
    left = limits.most(charge.counted) - charge.number
    return (
        left >= 0
        and transaction.run(
            f"{_COUNT} WHERE (SELECT coalesce(sum(number), 0) {_THAT_COUNT}) <= ? {_ADD_UP}",
            *_counted_at(charge, now),
            *_that_count(charge.counted, charge.subject, now),
            left,
        )
        > 0
    )


def _counted_at(charge: Charge, now: datetime) -> tuple[str, int, int, str]:
    """Return the word, second, number and subjects of the rows that count an event."""
    counted = charge.counted
    step = 1 if counted.most <= _EXACT else counted.within // timedelta(seconds=_EXACT)
    second = seconds(now) // step * step
    return counted.word, second, charge.number, words_list(map(_hash_of, charge.subjects))


def _that_count(counted: Counted, subject: str, now: datetime) -> tuple[str, str, int, int]:
    """Return the word, the subject and the seconds of counted rows: from and to.

    Rows further ahead than the limit's period come from a wrong clock.
    """
    lately = seconds(now - counted.within), seconds(now + counted.within)
    return counted.word, _hash_of(subject), *lately


def _hash_of(subject: str) -> str:
    """Return the hash of a subject, the same for an address in any spelling.

    A subject of several parts has a NUL between them.
    """
    parts = [normal_address(part) if "@" in part else part for part in subject.split("\0")]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


class Tally:
    """Counts in memory, for several threads. A process that dies loses unwritten counts."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts = Counter[tuple[Counted, str]]()

    def add(self, counted: Counted, subjects: Iterable[str]) -> None:
        """Count an event for each of some subjects, unless the memory is full."""
        with self._lock:
            for subject in subjects:
                if len(self._counts) < MOST_SUBJECTS:
                    self._counts[counted, subject] += 1

    def number(self, counted: Counted, subject: str) -> int:
        """Return the unwritten count of a subject."""
        with self._lock:
            return self._counts[counted, subject]

    def take(self) -> Counter[tuple[Counted, str]]:
        """Return all counts, and begin again with none."""
        with self._lock:
            taken, self._counts = self._counts, Counter()
        return taken


def write_tally(
    transaction: Transaction, taken: Counter[tuple[Counted, str]], now: datetime
) -> None:
    """Record the counts of a tally."""
    for (counted, subject), number in taken.items():
        count(transaction, Charge(counted, subject, number), now)
