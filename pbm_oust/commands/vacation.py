"""The command that announces, ends and lists vacations. The opponents are told."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from enum import Enum
from functools import cache
from pkgutil import get_data
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct, structs

from pbm_oust.accounts import vacations
from pbm_oust.accounts.asks import Ask, Topic
from pbm_oust.board import Summary
from pbm_oust.grammar.form import AnsweredBy, Command, Form, MissingWord, SurplusWord
from pbm_oust.grammar.notation import Heading
from pbm_oust.grammar.parts import Rest
from pbm_oust.grammar.values import OWN
from pbm_oust.grammar.vocabulary import APOSTROPHES, fold, in_english, plain_word
from pbm_oust.languages import LANGUAGES
from pbm_oust.play.context import Context, Look, Outcome, answered, done
from pbm_oust.play.finding import active_games
from pbm_oust.play.notices import Notice, words_behind
from pbm_oust.play.unit_of_work import ForPlayer
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal, Unreadable, UnreadableReason

HEADING = Heading.SETTINGS

_DAYS = re.compile(r"[0-9]{1,4}")


class LeaveWord(Enum):
    """The words in place of a vacation."""

    LIST = "list"
    CANCEL = "cancel"


class BadDate(UnreadableReason, frozen=True):
    """A word is not a day."""


class BadDays(UnreadableReason, frozen=True):
    """A word is not a number of days."""


class SaidLoosely(NotAllowedReason, frozen=True):
    """A vacation is asked for in other words than its first day and its number of days."""

    meant: "Leave"


class VacationPast(NotAllowedReason, frozen=True):
    """The vacation would begin before today."""

    today: date
    zone: ZoneInfo
    """The time zone of the player."""


class VacationFar(NotAllowedReason, frozen=True):
    """The vacation would begin too far ahead."""

    most: int
    """The most days ahead that it may begin."""


class VacationOverlaps(NotAllowedReason, frozen=True):
    """The player is away at that time already."""

    other: vacations.Absence
    zone: ZoneInfo
    """The time zone of the player."""


class VacationTooLong(NotAllowedReason, frozen=True):
    """The vacation is longer than the days that are left for the year."""

    allowance: int
    """The days of vacation in a year."""
    year: int
    left: int
    """The number of them that are left."""


class NoVacation(NotAllowedReason, frozen=True):
    """There is no vacation to cancel."""


class Leave(Struct, frozen=True):
    """A vacation that is asked for: its first day and its number of days."""

    first: date
    days: int


class Loosely(Struct, frozen=True):
    """Words such as `5` or `until monday`. Which vacation they mean depends on today."""

    words: tuple[str, ...]


def _instead(command: Command, refusal: Refusal) -> Command | None:
    """Return the longest vacation that is still possible, or the end of the announced ones."""
    match refusal.reason, command["asked"]:
        case SaidLoosely(meant=meant), _:
            return command.with_values(asked=meant)
        case VacationOverlaps(), _:
            return command.with_values(asked=LeaveWord.CANCEL)
        case VacationTooLong(left=left), Leave() as asked if left:
            return command.with_values(asked=structs.replace(asked, days=left))
    return None


class AwayNotice(Notice, frozen=True):
    """The vacations of a player who plays with the reader."""

    userid: str
    absences: tuple[vacations.Absence, ...]
    """Those that have not ended."""
    now: datetime
    was_away: bool
    boards: tuple[Summary, ...]
    """The boards on which the two play."""

    def ask(self) -> Ask | None:
        """Return that an answer goes to the player who is away."""
        userid = self.reader.userid
        return Ask(Topic.TO, (self.userid,), userid) if userid else None


class VacationNotice(Notice, frozen=True):
    """The reader's vacations, and who was told of them."""

    absences: tuple[vacations.Absence, ...]
    """Those that have not ended."""
    now: datetime
    left: tuple[tuple[int, int], ...]
    """Years, and the days of vacation that are left for each."""
    told: tuple[str, ...]
    """The userids of those who were told of it."""
    was_away: bool
    """Whether a vacation had begun before this."""
    is_listed: bool
    """Whether nothing was changed."""

    def ask(self) -> Ask | None:
        """Return that an answer may be the days of a vacation alone, or `cancel`."""
        return words_behind("vacation", self.reader)


def _read_asked(words: Sequence[str]) -> Leave | Loosely | LeaveWord:
    """Return what is asked for. Raises Unreadable."""
    try:
        return _read_strictly(words)
    except Unreadable as error:
        meant, is_all = _said(words, date.min)
        if meant is None or not is_all or isinstance(error.reason, SurplusWord):
            raise
        return Loosely(tuple(words))


def _read_strictly(words: Sequence[str]) -> Leave | LeaveWord:
    if not words:
        return LeaveWord.LIST
    if in_english(words[0], [LeaveWord.CANCEL.value]) in (LeaveWord.CANCEL.value, "0"):
        if len(words) > 1:
            raise Unreadable(SurplusWord(), words[1])
        return LeaveWord.CANCEL
    first = _read_date(words[0])
    if len(words) < 2:
        raise Unreadable(MissingWord(("DAYS",)))
    if not _DAYS.fullmatch(words[1]):
        raise Unreadable(BadDays(), words[1])
    if len(words) > 2:
        raise Unreadable(SurplusWord(), words[2])
    days = int(words[1])
    return Leave(first, days) if days else LeaveWord.CANCEL


def _write_asked(asked: Leave | Loosely | LeaveWord) -> list[str]:
    """Return the words for what is asked for."""
    match asked:
        case Leave():
            return [asked.first.isoformat(), str(asked.days)]
        case Loosely():
            return list(asked.words)
        case LeaveWord.LIST:
            return []
        case LeaveWord.CANCEL:
            return [LeaveWord.CANCEL.value]


def _read_date(word: str) -> date:
    try:
        read = date.fromisoformat(fold(word))
    except ValueError:
        read = None
    if read is None or read.isoformat() != fold(word):
        raise Unreadable(BadDate(), word)
    return read


USUAL_DAYS = 7
"""How many days are offered if nothing says how long a vacation is."""


@cache
def _words() -> Mapping[str, Any]:
    """Return the words of sentences about vacations."""
    return tomllib.loads((get_data(__package__, "vacation.toml") or b"").decode())


@cache
def _weekdays() -> dict[str, int]:
    """Return the weekdays by their names in our languages; Monday is 0."""
    from babel.dates import get_day_names

    named = (get_day_names("wide", locale=code) for code in LANGUAGES)
    return {_plain(name): number for names in named for number, name in names.items()}


@cache
def _months() -> dict[str, int]:
    """Return the months by their names in our languages, whole or short."""
    from babel.dates import get_month_names

    whole = [get_month_names("wide", locale=code) for code in LANGUAGES]
    short = [get_month_names("abbreviated", locale=code) for code in LANGUAGES]
    return {_plain(name): number for names in whole + short for number, name in names.items()}


@cache
def _days_of_months() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds days of months.

    The first pattern finds a span, as `1 to 5 december`; the second a day of a month that is named,
    or as three numbers, of which the day comes first.
    """
    nth = r"([0-9]{1,2})(?:st|nd|rd|th|er)?"
    named = "|".join(sorted(_months(), key=len, reverse=True))
    span = re.compile(rf"\b{nth}( (?:to|till|until|through|au) ){nth} ({named})\b")
    return span, re.compile(
        rf"\b(?:{nth} (?:of )?({named})|({named}) {nth})\b(?: ([0-9]{{4}})\b)?"
        r"|\b([0-9]{1,2})[./-]([0-9]{1,2})[./-]([0-9]{4})\b"
    )


def _plain(word: str) -> str:
    """Return a word of a sentence in small and plain letters, without signs around it."""
    return plain_word(word.translate(APOSTROPHES)).strip(".,!;")


def leave_said(text: str, today: date) -> Leave:
    """Return the vacation that a sentence may speak of; from today on, if it names no day."""
    meant, _ = _said(text.split(), today)
    return meant or Leave(today, USUAL_DAYS)


def _said(words: Sequence[str], today: date) -> tuple[Leave | None, bool]:
    """Return the vacation that some words may speak of, and whether all of them belong to it.

    Its last day is away as well. None if no day and no number of days is named.
    """
    known = _words()
    first, last, days, is_end, is_all = None, None, 0, False, True
    plain = _with_days(" ".join(map(_plain, words)), today).split()
    for nth, word in enumerate(plain):
        day = _day_said(word, today)
        unit = known["units"].get(plain[nth + 1], 0) if nth + 1 < len(plain) else 0
        if word in known["until"]:
            is_end = True
        elif day and (is_end or first):
            last = day
        elif day:
            first = day
        elif word in known["next"] and {*known["week"]} & {*plain[max(0, nth - 1) : nth + 2]}:
            first = first or today + timedelta(days=7 - today.weekday())
        elif _DAYS.fullmatch(word) or (word in known["numbers"] and unit):
            days = known["numbers"].get(word, 0) or int(word)
            days *= unit or 1
        elif word not in known["between"] and not (nth and word in known["units"]):
            is_all = False
    begin = max(first or today, today)
    if last:
        days = (last - begin).days + 1
    if days < 0 or not (first or last or days):
        return None, is_all
    return Leave(begin, days or USUAL_DAYS), is_all


def _with_days(text: str, today: date) -> str:
    """Return a text with the days of months that it names as `2026-12-20`.

    Each is the next one of its name, from today or from the day named before it on.
    """
    span, day = _days_of_months()
    text, after = span.sub(r"\1 \4\2\3 \4", text), today

    def iso(found: re.Match[str]) -> str:
        nonlocal after
        read = _day_of_month(found, after)
        after = read or after
        return read.isoformat() if read else found[0]

    return day.sub(iso, text)


def _day_of_month(found: re.Match[str], after: date) -> date | None:
    """Return the day that was found, the next one if it has no year; None if there is none."""
    before, name, other_name, behind, year, day, month, whole_year = found.groups()
    if whole_year:
        day, month = (month, day) if int(month) > 12 else (day, month)
        numbers = int(whole_year), int(month), int(day)
    else:
        numbers = int(year or after.year), _months()[name or other_name], int(before or behind)
    try:
        read = date(*numbers)
        is_over = not (year or whole_year) and read < after
        return read.replace(year=read.year + 1) if is_over else read
    except ValueError:
        return None


def _day_said(word: str, today: date) -> date | None:
    """Return the day that a word names, the next of that name from today on, or None."""
    if (ahead := _words()["in_days"].get(word)) is not None:
        return today + timedelta(days=ahead)
    if word in _weekdays():
        return today + timedelta(days=(_weekdays()[word] - today.weekday()) % 7)
    with suppress(Unreadable):
        return _read_date(word)
    return None


def vacation(on: Context, asked: Leave | Loosely | LeaveWord) -> Outcome:
    """Announce a vacation or end the announced ones, and tell the opponents; or list them."""
    account, now = on.own, on.now
    zone = account.all_settings.zone
    if isinstance(asked, Loosely):
        today = now.astimezone(zone).date()
        raise NotAllowed(SaidLoosely(leave_said(" ".join(asked.words), today)))
    absences = account.vacations
    was_away = vacations.away_at(absences, now) is not None
    shared = {
        userid: boards
        for userid, boards in _shared_boards(on, account.userid).items()
        if on.has_account(userid)
    }
    if asked is not LeaveWord.LIST:
        changed: Iterable[vacations.Absence]
        if isinstance(asked, Leave):
            changed = (*absences, _announced(asked, absences, zone, now))
        elif (changed := vacations.without_later(absences, now)) == absences:
            raise NotAllowed(NoVacation())
        account = on.save(structs.replace(account, vacations=vacations.in_order(changed)))
    to_come = tuple(each for each in account.vacations if each.end > now)
    year = now.astimezone(zone).year
    own = VacationNotice(
        on.reader_at(account),
        to_come,
        now,
        left=tuple(
            (each, vacations.days_left(account.vacations, each, zone)) for each in (year, year + 1)
        ),
        told=tuple(shared),
        was_away=was_away,
        is_listed=asked is LeaveWord.LIST,
    )
    if asked is LeaveWord.LIST:
        return answered(own)
    others = [
        AwayNotice(
            on.reader(on.account(userid)), account.userid, to_come, now, was_away, tuple(boards)
        )
        for userid, boards in shared.items()
    ]
    return done([own, *others])


def _announced(
    asked: Leave, absences: tuple[vacations.Absence, ...], zone: ZoneInfo, now: datetime
) -> vacations.Absence:
    """Return the vacation that is asked for. Raises NotAllowed.

    It begins with its first day in the player's time zone, or at once where that is today.
    """
    today, day = now.astimezone(zone).date(), asked.first.isoformat()
    if asked.first < today:
        raise NotAllowed(VacationPast(today, zone), day)
    if asked.first > today + timedelta(days=vacations.FARTHEST):
        raise NotAllowed(VacationFar(vacations.FARTHEST), day)
    midnight = datetime.combine(asked.first, time(), zone)
    begins = now.astimezone(zone) if midnight.astimezone(UTC) < now else midnight
    left = vacations.days_left(absences, begins.year, zone)
    # Days are added to the clock on the wall, so that one with 23 hours is a day.
    ends = begins + min(asked.days, left) * vacations.DAY
    absence = vacations.Absence(begins.astimezone(UTC), ends.astimezone(UTC))
    for other in absences:
        if other.start < absence.end and absence.start < other.end:
            raise NotAllowed(VacationOverlaps(other, zone), day)
    if asked.days > left:
        raise NotAllowed(VacationTooLong(vacations.ALLOWANCE, begins.year, left), str(asked.days))
    return absence


def _shared_boards(on: Look, userid: str) -> dict[str, list[Summary]]:
    """Return the active boards of a player, by opponent."""
    shared: dict[str, list[Summary]] = {}
    for game in active_games(on, userid):
        shared.setdefault(game.opponent_of(userid), []).append(game.summary)
    return shared


VACATION = Form(
    "vacation",
    OWN,
    Rest(
        ("asked",),
        ("DATE DAYS", LeaveWord.CANCEL.value, ""),
        _read_asked,
        _write_asked,
        least=0,
        fixed=frozenset([LeaveWord.CANCEL.value]),
    ),
    is_of_kind=False,
    answers={Topic.DO: AnsweredBy.WORDS},
    in_sentence=lambda text, today: {"asked": leave_said(text, today)},
    instead=_instead,
    run=ForPlayer(vacation),
)
FORMS = (VACATION,)
