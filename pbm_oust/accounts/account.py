"""An account: everything about a player, kept in one document (`document.py`). Pure.

Each thing that an account keeps is a field of `Account`, with items in it (`items.py`). A field
with rules of its own has a module, such as `queue.py`.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cache
from itertools import chain
from pkgutil import get_data
from typing import Annotated, ClassVar, TypeVar

import msgspec
from msgspec import Meta, Struct, field, structs

from pbm_oust.accounts import items
from pbm_oust.accounts.address import exact_address, normal_address
from pbm_oust.accounts.password import is_nobodys
from pbm_oust.accounts.queue import Plan
from pbm_oust.accounts.settings import (
    DigestAt,
    MailWhen,
    Setting,
    Settings,
    Switch,
    read_settings,
)
from pbm_oust.accounts.vacations import DAY, Absence, away_at, together
from pbm_oust.board.notation import USERID, format_time
from pbm_oust.robot.levels import HOUSE

T = TypeVar("T")

_HOUSE_SINCE = datetime(2026, 11, 23, tzinfo=UTC)
NO_PASSWORD = "none"  # what is stored where no password is right # nosec B105
HIGHEST_LIMIT = 999
MOST_WATCHED = 50
LONGEST_NOTE = 2000
"""The most characters of a note."""
MOST_SAID = 50
"""The number of texts to other players that an account keeps, the latest ones."""
LONGEST_SAID = 600
"""The most characters kept of such a text."""
MOST_BROADCASTS = 3
"""The most broadcasts of a player within a day."""
MOST_KEPT = 20
"""The number of proofs that an account keeps, the latest ones."""
_ONE = Meta(max_length=1)
FORMER_LIFETIME = timedelta(days=60)
"""How long letters and sessions are proved by the hash that a password had before."""


class BadAccount(ValueError):
    """An account that cannot be read; the message says why."""


class Note(items.OnBoard, frozen=True, kw_only=True):
    """A player's note about a board."""

    word: ClassVar[str] = "Note"
    note: Annotated[str, Meta(min_length=1)]

    def __str__(self) -> str:
        """Return the note in one line of ASCII."""
        return f"{self.name} {json.dumps(self.note)}"


class Said(items.OnBoard, frozen=True, kw_only=True):
    """A player's text to the opponent on a board."""

    word: ClassVar[str] = "Said"
    at: items.Time
    to: items.Userid
    text: Annotated[str, Meta(min_length=1)]

    def __str__(self) -> str:
        """Return the text in one line of ASCII."""
        return f"{self.name} {format_time(self.at)} {self.to} {json.dumps(self.text)}"


class WatchedBoard(items.OnBoard, frozen=True, kw_only=True):
    """A board that a player watches."""

    word: ClassVar[str] = "Watch"


class BoardLimit(items.Item, frozen=True):
    """The most active boards that a player wants at once."""

    word: ClassVar[str] = "Limit"
    boards: int

    def __post_init__(self) -> None:
        if not 1 <= self.boards <= HIGHEST_LIMIT:
            raise ValueError(f"{self.boards} is no number from 1 to {HIGHEST_LIMIT}")


class Rejection(items.Item, frozen=True):
    """A player whose challenges are rejected."""

    word: ClassVar[str] = "Reject"
    rejected: items.Userid


class BroadcastAt(items.Item, frozen=True):
    """The time of a broadcast."""

    word: ClassVar[str] = "Broadcast"
    at: items.Time


class Digested(items.Item, frozen=True):
    """The times of the last look at a player's boards, and of the last digest mailed."""

    word: ClassVar[str] = "Digest"
    looked: items.Time
    sent: items.Time


class SignedOffSince(items.Item, frozen=True):
    """The time at which a player signed off."""

    word: ClassVar[str] = "SignedOff"
    since: items.Time


class DisabledSince(items.Item, frozen=True):
    """The time at which the operator disabled an account."""

    word: ClassVar[str] = "Disabled"
    since: items.Time


class Solved(items.Item, frozen=True):
    """A puzzle that a player has solved."""

    word: ClassVar[str] = "Solved"
    kind: items.Kind
    number: items.Number


class Missed(items.Item, frozen=True):
    """A puzzle that a player has first tried in vain, and has not solved since."""

    word: ClassVar[str] = "Missed"
    kind: items.Kind
    number: items.Number


class Streak(items.Item, frozen=True):
    """The days in a row on which a player has solved puzzles, in their time zone."""

    word: ClassVar[str] = "Streak"
    days: items.Number
    last: date


class PuzzleMailed(items.Item, frozen=True):
    """The time of the latest puzzle of the day that was mailed, or as the player asked for them."""

    word: ClassVar[str] = "PuzzleMailed"
    at: items.Time


class GivenUserid(items.Item, frozen=True):
    """The userid that the server has given a player who named none."""

    word: ClassVar[str] = "Given"
    given: items.Userid


class Proof(items.Item, frozen=True):
    """A code that came back for an account."""

    word: ClassVar[str] = "Proved"
    name: items.Key = msgspec.field(name="code")
    """The name of the code."""
    message_key: items.Key
    """The message key of the mail that asked for the code."""


class Account(Struct, frozen=True):
    """A player: userid, hash of the password, mail addresses, and the rest.

    The fields up to `given` are the document, in its order.
    """

    userid: str
    password: str
    addresses: tuple[str, ...]
    joined: items.Time
    message_key: str = ""
    """The message key of the signup, if a mail made the account."""
    former: str = ""
    """The hash before the password was hashed anew, behind the day until which letters that are out
    are proved by it; see `password.checked_former`."""
    settings: tuple[Setting, ...] = ()
    notes: tuple[Note, ...] = ()
    said: tuple[Said, ...] = ()
    """The player's texts on boards, the latest last."""
    watched: tuple[WatchedBoard, ...] = ()
    board_limits: Annotated[tuple[BoardLimit, ...], _ONE] = ()
    rejections: tuple[Rejection, ...] = ()
    queue: tuple[Plan, ...] = ()
    """The player's plans, including expired ones."""
    submissions: tuple[items.Submission, ...] = ()
    """The player's submitted moves, at most one for each board."""
    seeks: tuple[items.Seek, ...] = ()
    """The player's open challenges, including expired ones."""
    invitations: tuple[items.Invitation, ...] = ()
    """The player's invitations of others, including expired ones."""
    vacations: tuple[Absence, ...] = ()
    """The player's vacations, including past ones, in order (`vacations.in_order`)."""
    broadcasts: tuple[BroadcastAt, ...] = ()
    digests: Annotated[tuple[Digested, ...], _ONE] = ()
    solved: tuple[Solved, ...] = ()
    """The solved puzzles, the one solved last at the end."""
    missed: tuple[Missed, ...] = ()
    streaks: Annotated[tuple[Streak, ...], _ONE] = ()
    puzzles_mailed: Annotated[tuple[PuzzleMailed, ...], _ONE] = ()
    signed_off: Annotated[tuple[SignedOffSince, ...], _ONE] = ()
    disabled: Annotated[tuple[DisabledSince, ...], _ONE] = ()
    verified: tuple[Proof, ...] = ()
    """Proofs of the account's codes, the latest last."""
    given: Annotated[tuple[GivenUserid, ...], _ONE] = ()
    """The userid that the server has given, even if the player has changed it since."""
    changed: datetime | None = None
    """The time of the last change by a command, if any; no two changes have the same second."""
    damaged: Mapping[str, str] = field(default_factory=dict)
    """The errors of unreadable fields, by name; such a field seems empty.

    Other players are served all the same; this one can act once the account is mended.
    """
    unread: Mapping[str, msgspec.Raw] = field(default_factory=dict)
    """The stored content of damaged or unknown fields, which stays as it is."""

    @property
    def first_address(self) -> str:
        """The player's first address; empty if there is none."""
        return next(iter(self.addresses), "")

    def has_address(self, address: str) -> bool:
        """Return whether an address is the player's, in any spelling."""
        return normal_address(address) in map(normal_address, self.addresses)

    def has_exactly(self, address: str) -> bool:
        """Return whether an address is the player's, letter by letter of either case.

        A domain beyond ASCII is the same in both of its forms.
        """
        return exact_address(address) in map(exact_address, self.addresses)

    @property
    def is_house(self) -> bool:
        """Whether this is a house player, and not a person with such a userid."""
        return self.userid in HOUSE and not self.addresses

    @property
    def has_proved_address(self) -> bool:
        """Whether a mail from an address of the player's has made the account, or proved one."""
        return bool(self.message_key or self.verified)

    @property
    def has_given_userid(self) -> bool:
        """Whether the server has given the player their userid, and they have not changed it."""
        return any(each.given == self.userid for each in self.given)

    @property
    def has_password(self) -> bool:
        """Whether some password is right."""
        return self.password != NO_PASSWORD and not is_nobodys(self.password)

    def as_named_before(self, userid: str) -> "Account | None":
        """Return the account with the userid that the server gave it, if that is this userid."""
        was = any(each.given == userid for each in self.given)
        return structs.replace(self, userid=userid) if was else None

    def changed_at(self, now: datetime) -> "Account":
        """Return the account as changed by a command now, in a later second than the last one."""
        earliest = self.changed + timedelta(seconds=1) if self.changed else now
        former = self.former if self.former > str(now.date()) else ""
        return structs.replace(self, changed=max(now, earliest), former=former)

    def with_password(self, stored: str) -> "Account":
        """Return the account with another password: nothing proves any more what the one did."""
        return structs.replace(self, password=stored, former="")

    def hashed_anew(self, stored: str, today: date) -> "Account":
        """Return the account with another hash of its password; what is out is proved all the same.

        That is so for some time; then the hash before is forgotten when the account is changed.
        """
        former = f"{today + FORMER_LIFETIME} {self.password}"
        return structs.replace(self, password=stored, former=former)

    @property
    def proving(self) -> tuple["Account", ...]:
        """The account, and as it was before its password was hashed anew, if that still proves."""
        _, _, former = self.former.partition(" ")
        return (self, structs.replace(self, password=former)) if former else (self,)

    @property
    def all_settings(self) -> Settings:
        """The settings of the player, defaults included."""
        return read_settings(self.settings)

    def with_settings(self, settings: Settings) -> "Account":
        """Return the account with these settings."""
        return structs.replace(self, settings=tuple(settings.stored()))

    def setting_lines(self) -> list[str]:
        """Return the settings as lines for people."""
        settings = self.all_settings
        known = [f"{name} {value}" for name, value in settings.unusual()]
        unknown = [f"{each.name} {each.value} (not known here)" for each in settings.unknown]
        return [f"{Setting.word}: {line}" for line in (*known, *unknown)]

    @property
    def notes_by_board(self) -> Mapping[str, str]:
        """The player's notes by board."""
        return {each.name: each.note for each in self.notes}

    def note_about(self, board: str) -> str:
        """Return the note about a board; empty if there is none."""
        for each in self.notes:
            if each.name == board:
                return each.note
        return ""

    def with_note(self, board: str, text: str) -> "Account":
        """Return the account with a note about a board; an empty text removes the note."""
        notes = {**self.notes_by_board, board: text}
        return self.with_notes({name: note for name, note in notes.items() if note})

    def with_notes(self, notes: Mapping[str, str]) -> "Account":
        """Return the account with these notes and no others."""
        names = {name: items.board_of(name) for name in notes}
        kept = (Note(kind=names[name][0], board=names[name][1], note=notes[name]) for name in notes)
        return structs.replace(self, notes=tuple(kept))

    def with_said(self, board: str, to: str, text: str, at: datetime) -> "Account":
        """Return the account with one more text to the opponent on a board, if it says much.

        A long text is cut, and old ones make room.
        """
        kind, number = items.board_of(board)
        kept = text.strip()
        kept = kept if len(kept) <= LONGEST_SAID else f"{kept[: LONGEST_SAID - 1]}\u2026"
        if not kept:
            return self
        said = Said(kind=kind, board=number, at=items.to_the_second(at), to=to, text=kept)
        return structs.replace(self, said=(*self.said, said)[-MOST_SAID:])

    def mentioned(self) -> frozenset[str]:
        """Return the userids of others in the account."""
        return frozenset((*self.rejected, *[each.to for each in self.said]))

    @property
    def watched_boards(self) -> tuple[str, ...]:
        """The names of the watched boards."""
        return tuple(each.name for each in self.watched)

    def with_watched(self, names: Iterable[str]) -> "Account":
        """Return the account with these watched boards and no others."""
        boards = dict.fromkeys(map(items.board_of, names))
        return structs.replace(
            self, watched=tuple(WatchedBoard(kind=kind, board=board) for kind, board in boards)
        )

    @property
    def board_limit(self) -> int:
        """The most active boards that the player wants at once; 0 for any number."""
        return self.board_limits[0].boards if self.board_limits else 0

    def with_limit(self, limit: int) -> "Account":
        """Return the account with a board limit; 0 removes it."""
        return structs.replace(self, board_limits=(BoardLimit(limit),) if limit else ())

    @property
    def rejected(self) -> tuple[str, ...]:
        """The userids of players whose challenges are rejected."""
        return tuple([each.rejected for each in self.rejections])

    def with_rejected(self, userids: Iterable[str]) -> "Account":
        """Return the account with these rejected players and no others."""
        return structs.replace(self, rejections=tuple(map(Rejection, dict.fromkeys(userids))))

    def with_broadcast(self, at: datetime) -> "Account | None":
        """Return the account with one more broadcast; None if there are too many.

        Times far in the future come from a wrong clock, and do not count.
        """
        latest = [each for each in self.broadcasts if abs(each.at - at) < DAY]
        if len(latest) >= MOST_BROADCASTS:
            return None
        return structs.replace(self, broadcasts=(*latest, BroadcastAt(at)))

    @property
    def digested(self) -> Digested:
        """The last look at the boards; before the first digest, the time of joining."""
        return self.digests[-1] if self.digests else Digested(self.joined, self.joined)

    def with_digested(self, last: Digested) -> "Account":
        """Return the account with this last look."""
        return structs.replace(self, digests=(last,))

    def next_digest(self) -> datetime | None:
        """Return the time of the next look at the boards; None for players without digests."""
        settings = self.all_settings
        if settings.mail is not MailWhen.DIGEST:
            return None
        return self._slot_after(self.digested.looked, settings.digest)

    def next_puzzle(self) -> datetime | None:
        """Return the time of the next puzzle of the day by mail; None for who gets none."""
        is_there = not (self.signed_off or self.disabled)
        if self.all_settings.puzzles is Switch.OFF or not is_there:
            return None
        latest = self.puzzles_mailed[-1].at if self.puzzles_mailed else self.joined
        return self._slot_after(latest, DigestAt.MORNING)

    def with_puzzle_mailed(self, at: datetime) -> "Account":
        """Return the account with the time of the latest puzzle of the day."""
        return structs.replace(self, puzzles_mailed=(PuzzleMailed(items.to_the_second(at)),))

    def _slot_after(self, moment: datetime, at: DigestAt) -> datetime:
        """Return the first time of a daily letter after a moment, when the player is not away."""
        slot = self.all_settings.next_slot(moment, at)
        while away := away_at(self.vacations, slot):
            slot = self.all_settings.next_slot(away.end, at)
        return slot

    @property
    def disabled_since(self) -> datetime | None:
        """The time at which the operator disabled the account, or None."""
        return self.disabled[0].since if self.disabled else None

    def with_disabled(self, at: datetime | None) -> "Account":
        """Return the account disabled since a time, or enabled if that is None."""
        return structs.replace(
            self, disabled=(DisabledSince(items.to_the_second(at)),) if at else ()
        )

    @property
    def signed_off_since(self) -> datetime | None:
        """The time at which the player signed off, or None."""
        return self.signed_off[0].since if self.signed_off else None

    def with_signed_off(self, at: datetime | None) -> "Account":
        """Return the account signed off since a time, or signed on if that is None."""
        return structs.replace(
            self, signed_off=(SignedOffSince(items.to_the_second(at)),) if at else ()
        )

    def solved_of(self, kind: str) -> Sequence[int]:
        """Return the numbers of the solved puzzles of a game, the one solved last at the end."""
        return [each.number for each in self.solved if each.kind == kind]

    def has_tried(self, kind: str, number: int) -> bool:
        """Return whether the player has ever given an answer to a puzzle, right or wrong."""
        return Solved(kind, number) in self.solved or Missed(kind, number) in self.missed

    def with_solved(self, kind: str, number: int, day: date) -> "Account":
        """Return the account with a puzzle solved on a day, perhaps not for the first time."""
        others = tuple(each for each in self.solved if each != Solved(kind, number))
        missed = tuple(each for each in self.missed if each != Missed(kind, number))
        before = self.streak_on(day)
        is_new = not (self.streaks and self.streaks[0].last >= day)
        streak = (Streak(before + 1, day),) if is_new else self.streaks
        solved = (*others, Solved(kind, number))
        return structs.replace(self, solved=solved, missed=missed, streaks=streak)

    def with_missed(self, kind: str, number: int) -> "Account":
        """Return the account with a puzzle that was first tried in vain."""
        return structs.replace(self, missed=(*self.missed, Missed(kind, number)))

    def streak_on(self, day: date) -> int:
        """Return on how many days in a row up to a day, or the one before, puzzles were solved."""
        is_going_on = self.streaks and self.streaks[0].last >= day - DAY
        return self.streaks[0].days if is_going_on else 0

    def with_proof(self, proof: Proof) -> "Account":
        """Return the account with one more proof."""
        return structs.replace(self, verified=(*self.verified, proof)[-MOST_KEPT:])

    def with_renamed(self, old: str, new: str | None) -> "Account":
        """Return the account after another player's change of userid; None if that player is gone.

        It is the same object if it does not mention that player. Texts to a player who is gone are
        removed.
        """
        if old not in self.mentioned():
            return self
        known = (new,) if new and new != self.userid else ()
        parts = (known if each == old else (each,) for each in self.rejected)
        said = (structs.replace(each, to=new) if each.to == old else each for each in self.said)
        kept = tuple(each for each in said if each.to and each.to != self.userid)
        return structs.replace(self.with_rejected(chain.from_iterable(parts)), said=kept)

    def merged(self, other: "Account") -> "Account":
        """Return the account with the addresses and items of another added.

        If both have a setting or the like, this account's counts.
        """
        added = (address for address in other.addresses if not self.has_address(address))
        both = structs.replace(
            self,
            addresses=(*self.addresses, *added),
            notes=_merged_notes(self.notes, other.notes),
            said=tuple(sorted((*self.said, *other.said), key=lambda each: each.at))[-MOST_SAID:],
            watched=_each_once(self.watched, other.watched),
            rejections=_each_once(self.rejections, other.rejections),
            queue=_each_once(self.queue, other.queue),
            submissions=_each_once(self.submissions, other.submissions),
            seeks=(*self.seeks, *other.seeks),
            solved=_each_once(other.solved, self.solved),
            missed=tuple(
                each
                for each in _each_once(self.missed, other.missed)
                if Solved(each.kind, each.number) not in (*self.solved, *other.solved)
            ),
            streaks=self.streaks or other.streaks,
            vacations=tuple(map(Absence.shortened, together((*self.vacations, *other.vacations)))),
        )
        return both.with_renamed(other.userid, None).with_renamed(self.userid, None)


def parse_userid(text: str) -> str:
    """Return a userid in lower case.

    Raises ValueError for a text other than `notation.USERID`.
    """
    userid = text.lower()
    if not USERID.fullmatch(userid):
        raise ValueError(f"{text!r} is no userid")
    return userid


def bare_userid(word: str) -> str:
    """Return a word in lower case without signs that people write around a userid: `@Alice,`."""
    return word.lower().removeprefix("@").rstrip(",;:")


def house_account(userid: str) -> Account | None:
    """Return the account of a house player, which every home has; None for any other userid.

    It has no address and no password, so that nobody can be a house player.
    """
    return Account(userid, NO_PASSWORD, (), _HOUSE_SINCE) if userid in HOUSE else None


def _each_once(some: Iterable[T], others: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys((*some, *others)))


def _merged_notes(notes: Iterable[Note], others: Iterable[Note]) -> tuple[Note, ...]:
    """Return the notes of both; two notes about one board become one."""
    found = {each.name: each for each in others}
    for each in notes:
        other = found.get(each.name, each).note
        text = each.note if each.note == other else f"{each.note}\n\n{other}"
        found[each.name] = Note(kind=each.kind, board=each.board, note=text)
    return tuple(found.values())


_PLACEHOLDER = re.compile(r"gone-[1-9][0-9]*")


def placeholder(number: int) -> str:
    """Return a userid that replaces a forgotten player."""
    return f"gone-{number}"


def is_placeholder(userid: str) -> bool:
    """Return whether a userid replaces, or may once replace, a forgotten player."""
    return bool(_PLACEHOLDER.fullmatch(userid))


@cache
def reserved_userids() -> frozenset[str]:
    """Return the userids closed to new accounts: those of `reserved.toml` and the house."""
    groups = tomllib.loads((get_data(__package__, "reserved.toml") or b"").decode()).values()
    return frozenset((*chain(*groups), *HOUSE))


_LOOK_ALIKE = str.maketrans(
    {**dict(zip("0134578i", "oleastbl", strict=True)), "m": "rn", "w": "vv", "-": "", "_": ""}
)
"""Characters by look: each is mapped to the simplest that looks like it."""


def is_reserved(userid: str) -> bool:
    """Return whether a new account cannot have a userid; an existing account keeps it.

    A userid is too like a reserved one if only hyphens, a number at the end, or characters that
    look alike tell them apart: house4, house-1, housel, r00t.
    """
    return not _looks_of(userid.lower()).isdisjoint(_reserved_looks())


def _looks_of(userid: str) -> frozenset[str]:
    """Return the looks of a userid, with and without the number at its end."""
    whole = userid.translate(_LOOK_ALIKE)
    return frozenset((whole, userid.rstrip("0123456789-_").translate(_LOOK_ALIKE)))


@cache
def _reserved_looks() -> frozenset[str]:
    return frozenset[str]().union(*map(_looks_of, reserved_userids()))
