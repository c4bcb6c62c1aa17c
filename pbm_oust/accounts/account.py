"""An account: all that is kept of a player, as it stands in one document (`document.py`). Pure.

What an account keeps is a field of `Account`, with items in it (`items.py`). What is more than a
few items has a module of its own, such as `queue.py`.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import chain
from pkgutil import get_data
from typing import Annotated, ClassVar, TypeVar

import msgspec
from msgspec import Meta, Struct, field, structs

from pbm_oust.accounts import items
from pbm_oust.accounts.address import exact_address, normal_address
from pbm_oust.accounts.queue import Plan
from pbm_oust.accounts.settings import MailWhen, Setting, Settings, read_settings
from pbm_oust.accounts.vacations import DAY, Absence, away_at, together
from pbm_oust.board.notation import USERID, format_time
from pbm_oust.robot.levels import HOUSE

T = TypeVar("T")

_HOUSE_SINCE = datetime(2026, 11, 23, tzinfo=UTC)
NO_PASSWORD = "none"  # what is stored where no password is right # nosec B105
HIGHEST_LIMIT = 999
MOST_WATCHED = 50
LONGEST_NOTE = 2000
"""How many characters a note may have."""
MOST_SAID = 50
"""How many texts to other players an account keeps, the latest ones."""
LONGEST_SAID = 600
"""How many characters of such a text it keeps."""
MOST_BROADCASTS = 3
"""How often a player may write to everybody within a day."""
MOST_KEPT = 20
"""How many proofs an account keeps in mind, the latest ones."""
_ONE = Meta(max_length=1)


class BadAccount(ValueError):
    """What was to be an account and cannot be read; the message says why."""


class Note(items.OnBoard, frozen=True, kw_only=True):
    """What a player has noted about a board."""

    word: ClassVar[str] = "Note"
    note: Annotated[str, Meta(min_length=1)]

    def __str__(self) -> str:
        """Return it in one line of ASCII."""
        return f"{self.name} {json.dumps(self.note)}"


class Said(items.OnBoard, frozen=True, kw_only=True):
    """What a player has written to the other one of a board."""

    word: ClassVar[str] = "Said"
    at: items.Time
    to: items.Userid
    text: Annotated[str, Meta(min_length=1)]

    def __str__(self) -> str:
        """Return it in one line of ASCII."""
        return f"{self.name} {format_time(self.at)} {self.to} {json.dumps(self.text)}"


class WatchedBoard(items.OnBoard, frozen=True, kw_only=True):
    """A board that a player watches."""

    word: ClassVar[str] = "Watch"


class BoardLimit(items.Item, frozen=True):
    """On how many active boards a player wants to be at once."""

    word: ClassVar[str] = "Limit"
    boards: int

    def __post_init__(self) -> None:
        if not 1 <= self.boards <= HIGHEST_LIMIT:
            raise ValueError(f"{self.boards} is no number from 1 to {HIGHEST_LIMIT}")


class Rejection(items.Item, frozen=True):
    """Somebody by whom a player is not to be challenged."""

    word: ClassVar[str] = "Reject"
    rejected: items.Userid


class BroadcastAt(items.Item, frozen=True):
    """When a player wrote to everybody."""

    word: ClassVar[str] = "Broadcast"
    at: items.Time


class Digested(items.Item, frozen=True):
    """When a player's boards were last looked at, and when the player was last mailed of them."""

    word: ClassVar[str] = "Digest"
    looked: items.Time
    sent: items.Time


class SignedOffSince(items.Item, frozen=True):
    """Since when a player has signed off."""

    word: ClassVar[str] = "SignedOff"
    since: items.Time


class DisabledSince(items.Item, frozen=True):
    """Since when the operator has disabled an account."""

    word: ClassVar[str] = "Disabled"
    since: items.Time


class Solved(items.Item, frozen=True):
    """A puzzle that a player has solved."""

    word: ClassVar[str] = "Solved"
    kind: items.Kind
    number: items.Number


class Proof(items.Item, frozen=True):
    """A code that came back for an account."""

    word: ClassVar[str] = "Proved"
    name: items.Key = msgspec.field(name="code")
    """The name of the code."""
    message_key: items.Key
    """The message key of the mail that asked for the code."""


class Account(Struct, frozen=True):
    """A player: userid, the hash of the password, the addresses that mail goes to, and the rest.

    The fields up to `verified` are the document, in its order.
    """

    userid: str
    password: str
    addresses: tuple[str, ...]
    joined: items.Time
    message_key: str = ""
    """The message key of the signup, if a mail made the account."""
    settings: tuple[Setting, ...] = ()
    notes: tuple[Note, ...] = ()
    said: tuple[Said, ...] = ()
    """What the player has written on boards, the latest last."""
    watched: tuple[WatchedBoard, ...] = ()
    board_limits: Annotated[tuple[BoardLimit, ...], _ONE] = ()
    rejections: tuple[Rejection, ...] = ()
    queue: tuple[Plan, ...] = ()
    """What the player has queued, also what has had its time."""
    submissions: tuple[items.Submission, ...] = ()
    """What the player has submitted, a board each."""
    seeks: tuple[items.Seek, ...] = ()
    """The open challenges of the player, also those whose time is over."""
    vacations: tuple[Absence, ...] = ()
    """All vacations of the player, past ones too, in order (`vacations.in_order`)."""
    broadcasts: tuple[BroadcastAt, ...] = ()
    digests: Annotated[tuple[Digested, ...], _ONE] = ()
    solved: tuple[Solved, ...] = ()
    signed_off: Annotated[tuple[SignedOffSince, ...], _ONE] = ()
    disabled: Annotated[tuple[DisabledSince, ...], _ONE] = ()
    verified: tuple[Proof, ...] = ()
    """What was proved for the account, the latest last."""
    changed: datetime | None = None
    """When a command changed it last, if one has; no two changes have the same second."""
    damaged: Mapping[str, str] = field(default_factory=dict)
    """Why fields cannot be read that are stored, by their names: they seem to hold nothing.

    That is enough for what others do; the player acts once it is mended.
    """
    unread: Mapping[str, msgspec.Raw] = field(default_factory=dict)
    """What is stored in fields that are damaged or not known, and stays as it is."""

    @property
    def first_address(self) -> str:
        """The first of the player's addresses; empty if they have none."""
        return next(iter(self.addresses), "")

    def has_address(self, address: str) -> bool:
        """Return whether this is one of the player's addresses, however it is written."""
        return normal_address(address) in map(normal_address, self.addresses)

    def has_exactly(self, address: str) -> bool:
        """Return whether this is one of the player's addresses, letter by letter of either case.

        A domain beyond ASCII is the same in both of its forms.
        """
        return exact_address(address) in map(exact_address, self.addresses)

    @property
    def is_house(self) -> bool:
        """Whether this is a house player, and not a person with the userid of one."""
        return self.userid in HOUSE and not self.addresses

    def changed_at(self, now: datetime) -> "Account":
        """Return the account as a command changes it now: in a later second than the last one."""
        earliest = self.changed + timedelta(seconds=1) if self.changed else now
        return structs.replace(self, changed=max(now, earliest))

    @property
    def all_settings(self) -> Settings:
        """All settings of the player, those that are as usual too."""
        return read_settings(self.settings)

    def with_settings(self, settings: Settings) -> "Account":
        """Return the account with these settings."""
        return structs.replace(self, settings=tuple(settings.stored()))

    def setting_lines(self) -> list[str]:
        """Return the settings as a person reads them."""
        settings = self.all_settings
        known = [f"{name} {value}" for name, value in settings.unusual()]
        unknown = [f"{each.name} {each.value} (not known here)" for each in settings.unknown]
        return [f"{Setting.word}: {line}" for line in (*known, *unknown)]

    @property
    def notes_by_board(self) -> Mapping[str, str]:
        """The notes of the player by the names of their boards."""
        return {each.name: each.note for each in self.notes}

    def note_about(self, board: str) -> str:
        """Return the note about a board of this name; empty where there is none."""
        for each in self.notes:
            if each.name == board:
                return each.note
        return ""

    def with_note(self, board: str, text: str) -> "Account":
        """Return the account with this note about a board; an empty one takes it away."""
        notes = {**self.notes_by_board, board: text}
        return self.with_notes({name: note for name, note in notes.items() if note})

    def with_notes(self, notes: Mapping[str, str]) -> "Account":
        """Return the account with these notes and no others."""
        names = {name: items.board_of(name) for name in notes}
        kept = (Note(kind=names[name][0], board=names[name][1], note=notes[name]) for name in notes)
        return structs.replace(self, notes=tuple(kept))

    def with_said(self, board: str, to: str, text: str, at: datetime) -> "Account":
        """Return the account with one more text to the other player of a board, if it says much.

        A long one is cut, and old ones make room.
        """
        kind, number = items.board_of(board)
        kept = text.strip()
        kept = kept if len(kept) <= LONGEST_SAID else f"{kept[: LONGEST_SAID - 1]}\u2026"
        if not kept:
            return self
        said = Said(kind=kind, board=number, at=items.to_the_second(at), to=to, text=kept)
        return structs.replace(self, said=(*self.said, said)[-MOST_SAID:])

    def mentioned(self) -> frozenset[str]:
        """Return the userids of others that the account speaks of."""
        return frozenset((*self.rejected, *(each.to for each in self.said)))

    @property
    def watched_boards(self) -> tuple[str, ...]:
        """The names of the boards that the player watches."""
        return tuple(each.name for each in self.watched)

    def with_watched(self, names: Iterable[str]) -> "Account":
        """Return the account so that it watches the boards of these names and no others."""
        boards = dict.fromkeys(map(items.board_of, names))
        return structs.replace(
            self, watched=tuple(WatchedBoard(kind=kind, board=board) for kind, board in boards)
        )

    @property
    def board_limit(self) -> int:
        """On how many active boards the player wants to be at once; 0 for any number."""
        return self.board_limits[0].boards if self.board_limits else 0

    def with_limit(self, limit: int) -> "Account":
        """Return the account with this limit; 0 takes it away."""
        return structs.replace(self, board_limits=(BoardLimit(limit),) if limit else ())

    @property
    def rejected(self) -> tuple[str, ...]:
        """The userids of those by whom the player is not to be challenged."""
        return tuple(each.rejected for each in self.rejections)

    def with_rejected(self, userids: Iterable[str]) -> "Account":
        """Return the account so that it rejects these players and no others."""
        return structs.replace(self, rejections=tuple(map(Rejection, dict.fromkeys(userids))))

    def with_broadcast(self, at: datetime) -> "Account | None":
        """Return the account as it writes to everybody at a time; None where that is too often.

        Times that lie far ahead are those of a wrong clock.
        """
        latest = [each for each in self.broadcasts if abs(each.at - at) < DAY]
        if len(latest) >= MOST_BROADCASTS:
            return None
        return structs.replace(self, broadcasts=(*latest, BroadcastAt(at)))

    @property
    def digested(self) -> Digested:
        """When the boards were last looked at; for the first digest, when the player joined."""
        return self.digests[-1] if self.digests else Digested(self.joined, self.joined)

    def with_digested(self, last: Digested) -> "Account":
        """Return the account so that it says so."""
        return structs.replace(self, digests=(last,))

    def next_digest(self) -> datetime | None:
        """Return when the player's boards are to be looked at; None for players without digests."""
        settings = self.all_settings
        if settings.mail is not MailWhen.DIGEST:
            return None
        slot = settings.next_slot(self.digested.looked)
        while away := away_at(self.vacations, slot):
            slot = settings.next_slot(away.end)
        return slot

    @property
    def disabled_since(self) -> datetime | None:
        """When the operator has disabled the account, or None."""
        return self.disabled[0].since if self.disabled else None

    def with_disabled(self, at: datetime | None) -> "Account":
        """Return the account disabled since a time, or not any more."""
        return structs.replace(
            self, disabled=(DisabledSince(items.to_the_second(at)),) if at else ()
        )

    @property
    def signed_off_since(self) -> datetime | None:
        """When the player has signed off, or None."""
        return self.signed_off[0].since if self.signed_off else None

    def with_signed_off(self, at: datetime | None) -> "Account":
        """Return the account of a player who has signed off at a time, or is there."""
        return structs.replace(
            self, signed_off=(SignedOffSince(items.to_the_second(at)),) if at else ()
        )

    def solved_of(self, kind: str) -> frozenset[int]:
        """Return the numbers of the puzzles of a game that the player has solved."""
        return frozenset(each.number for each in self.solved if each.kind == kind)

    def with_solved(self, puzzle: Solved) -> "Account":
        """Return the account of a player who has solved a puzzle, perhaps once more."""
        return structs.replace(self, solved=_each_once(self.solved, (puzzle,)))

    def with_proof(self, proof: Proof) -> "Account":
        """Return the account with one more proof kept in mind."""
        return structs.replace(self, verified=(*self.verified, proof)[-MOST_KEPT:])

    def with_renamed(self, old: str, new: str | None) -> "Account":
        """Return the account once another player has a new userid; None: that player is gone.

        It is the same account where it does not speak of the player. What was said to a player who
        is gone goes, too.
        """
        if old not in self.mentioned():
            return self
        known = (new,) if new and new != self.userid else ()
        parts = (known if each == old else (each,) for each in self.rejected)
        said = (structs.replace(each, to=new) if each.to == old else each for each in self.said)
        kept = tuple(each for each in said if each.to and each.to != self.userid)
        return structs.replace(self.with_rejected(chain.from_iterable(parts)), said=kept)

    def merged(self, other: "Account") -> "Account":
        """Return the account with the addresses of another, and with what that one kept, too.

        What both have settled is as this account had it.
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
            solved=_each_once(self.solved, other.solved),
            vacations=tuple(map(Absence.shortened, together((*self.vacations, *other.vacations)))),
        )
        return both.with_renamed(other.userid, None).with_renamed(self.userid, None)


def parse_userid(text: str) -> str:
    """Return a userid in its one form, lower case.

    Raises ValueError for what `notation.USERID` does not allow.
    """
    userid = text.lower()
    if not USERID.fullmatch(userid):
        raise ValueError(f"{text!r} is no userid")
    return userid


def house_account(userid: str) -> Account | None:
    """Return the account of a house player, which every home has; None for any other userid.

    It has no address and no password, so that nobody can be a house player.
    """
    return Account(userid, NO_PASSWORD, (), _HOUSE_SINCE) if userid in HOUSE else None


def _each_once(some: Iterable[T], others: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys((*some, *others)))


def _merged_notes(notes: Iterable[Note], others: Iterable[Note]) -> tuple[Note, ...]:
    """Return the notes of both; two about one board, one behind the other."""
    found = {each.name: each for each in others}
    for each in notes:
        other = found.get(each.name, each).note
        text = each.note if each.note == other else f"{each.note}\n\n{other}"
        found[each.name] = Note(kind=each.kind, board=each.board, note=text)
    return tuple(found.values())


_PLACEHOLDER = re.compile(r"gone-[1-9][0-9]*")


def placeholder(number: int) -> str:
    """Return a userid that stands for somebody who has been forgotten."""
    return f"gone-{number}"


def is_placeholder(userid: str) -> bool:
    """Return whether a userid stands, or may once stand, for somebody who has been forgotten."""
    return bool(_PLACEHOLDER.fullmatch(userid))


@cache
def reserved_userids() -> frozenset[str]:
    """Return the userids that no new account can have: those of `reserved.toml` and the house."""
    groups = tomllib.loads((get_data(__package__, "reserved.toml") or b"").decode()).values()
    return frozenset((*chain(*groups), *HOUSE))


_LOOK_ALIKE = str.maketrans(
    {**dict(zip("0134578i", "oleastbl", strict=True)), "m": "rn", "w": "vv", "-": "", "_": ""}
)
"""What a character is taken for: the simplest that looks like it."""


def is_reserved(userid: str) -> bool:
    """Return whether a new account cannot have a userid; an account that has it keeps it.

    It looks like a reserved one if only hyphens, a number at the end, or characters that look alike
    tell them apart: house4, house-1, housel, r00t.
    """
    return not _looks_of(userid.lower()).isdisjoint(_reserved_looks())


def _looks_of(userid: str) -> frozenset[str]:
    """Return how a userid looks with and without the number at its end."""
    whole = userid.translate(_LOOK_ALIKE)
    return frozenset((whole, userid.rstrip("0123456789-_").translate(_LOOK_ALIKE)))


@cache
def _reserved_looks() -> frozenset[str]:
    return frozenset[str]().union(*map(_looks_of, reserved_userids()))
