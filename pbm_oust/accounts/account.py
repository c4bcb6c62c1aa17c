"""An account: all that is kept of a player, as it stands in one document (`document.py`). Pure.

What an account keeps is a field of `Account`, with items in it (`items.py`). What is more than a
few items has a module of its own, such as `queue.py`. What becomes of it when players are renamed
or merged stands at the end.
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
from msgspec import Meta, Struct, field
from msgspec.structs import replace

from pbm_oust.accounts.address import exact_address, normal_address
from pbm_oust.accounts.items import (
    Item,
    Key,
    OnBoard,
    Seek,
    Submission,
    Time,
    Userid,
    board_of,
    to_the_second,
)
from pbm_oust.accounts.queue import Plan
from pbm_oust.accounts.vacations import DAY, Absence, shortened, together
from pbm_oust.board.notation import USERID

T = TypeVar("T")

HOUSE = ("house", "house1", "house2", "house3")
"""The userids of the house players; the first plays as the second does."""
_HOUSE_SINCE = datetime(2026, 11, 23, tzinfo=UTC)
NO_PASSWORD = "none"  # what is stored where no password is right # nosec B105
HIGHEST_LIMIT = 999
MOST_WATCHED = 50
LONGEST_NOTE = 2000
"""How many characters a note may have."""
MOST_BROADCASTS = 3
"""How often a player may write to everybody within a day."""
_ONE = Meta(max_length=1)


class BadAccount(ValueError):
    """What was to be an account and cannot be read; the message says why."""


class Setting(Item, frozen=True):
    """A setting that is not as usual (`settings.py`)."""

    word: ClassVar[str] = "Setting"
    name: str
    value: str


class Note(OnBoard, frozen=True, kw_only=True):
    """What a player has noted about a board."""

    word: ClassVar[str] = "Note"
    note: Annotated[str, Meta(min_length=1)]

    def __str__(self) -> str:
        """Return it in one line of ASCII."""
        return f"{self.name} {json.dumps(self.note)}"


class WatchedBoard(OnBoard, frozen=True, kw_only=True):
    """A board that a player watches."""

    word: ClassVar[str] = "Watch"


class BoardLimit(Item, frozen=True):
    """On how many active boards a player wants to be at once."""

    word: ClassVar[str] = "Limit"
    boards: int

    def __post_init__(self) -> None:
        if not 1 <= self.boards <= HIGHEST_LIMIT:
            raise ValueError(f"{self.boards} is no number from 1 to {HIGHEST_LIMIT}")


class Rejection(Item, frozen=True):
    """Somebody by whom a player is not to be challenged."""

    word: ClassVar[str] = "Reject"
    rejected: Userid


class BroadcastAt(Item, frozen=True):
    """When a player wrote to everybody."""

    word: ClassVar[str] = "Broadcast"
    at: Time


class Digested(Item, frozen=True):
    """When a player's boards were last looked at, and when the player was last mailed of them."""

    word: ClassVar[str] = "Digest"
    looked: Time
    sent: Time


class SignedOffSince(Item, frozen=True):
    """Since when a player has signed off."""

    word: ClassVar[str] = "SignedOff"
    since: Time


class DisabledSince(Item, frozen=True):
    """Since when the operator has disabled an account."""

    word: ClassVar[str] = "Disabled"
    since: Time


class Proof(Item, frozen=True):
    """A code that came back for an account."""

    word: ClassVar[str] = "Proved"
    name: Key = msgspec.field(name="code")
    """The name of the code."""
    message_key: Key
    """The message key of the mail that asked for the code."""


class Account(Struct, frozen=True):
    """A player: userid, the hash of the password, the addresses that mail goes to, and the rest.

    The fields up to `verified` are the document, in its order.
    """

    userid: str
    password: str
    addresses: tuple[str, ...]
    joined: Time
    message_key: str = ""
    """The message key of the signup, if a mail made the account."""
    settings: tuple[Setting, ...] = ()
    notes: tuple[Note, ...] = ()
    watched: tuple[WatchedBoard, ...] = ()
    board_limits: Annotated[tuple[BoardLimit, ...], _ONE] = ()
    rejections: tuple[Rejection, ...] = ()
    queue: tuple[Plan, ...] = ()
    """What the player has queued, also what has had its time."""
    submissions: tuple[Submission, ...] = ()
    """What the player has submitted, a board each."""
    seeks: tuple[Seek, ...] = ()
    """The open challenges of the player, also those whose time is over."""
    vacations: tuple[Absence, ...] = ()
    """All vacations of the player, past ones too, in order (`vacations.in_order`)."""
    broadcasts: tuple[BroadcastAt, ...] = ()
    digests: Annotated[tuple[Digested, ...], _ONE] = ()
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


def changed_at(account: Account, now: datetime) -> Account:
    """Return an account as a command changes it now: in a later second than the change before."""
    earliest = account.changed + timedelta(seconds=1) if account.changed else now
    return replace(account, changed=max(now, earliest))


def is_house(account: Account) -> bool:
    """Return whether an account is that of a house player, and not of a person with the userid."""
    return account.userid in HOUSE and not account.addresses


# What it keeps


def notes_of(account: Account) -> Mapping[str, str]:
    """Return the notes of a player by the names of their boards."""
    return {each.name: each.note for each in account.notes}


def note_about(account: Account, board: str) -> str:
    """Return the note about a board of this name; empty where there is none."""
    for each in account.notes:
        if each.name == board:
            return each.note
    return ""


def with_note(account: Account, board: str, text: str) -> Account:
    """Return an account with this note about a board; an empty one takes it away."""
    notes = {**notes_of(account), board: text}
    return with_notes(account, {name: note for name, note in notes.items() if note})


def with_notes(account: Account, notes: Mapping[str, str]) -> Account:
    """Return an account with these notes and no others."""
    names = {name: board_of(name) for name in notes}
    kept = (Note(kind=names[name][0], board=names[name][1], note=notes[name]) for name in notes)
    return replace(account, notes=tuple(kept))


def watched_by(account: Account) -> tuple[str, ...]:
    """Return the names of the boards that a player watches."""
    return tuple(each.name for each in account.watched)


def with_watched(account: Account, names: Iterable[str]) -> Account:
    """Return an account that watches the boards of these names and no others."""
    boards = dict.fromkeys(map(board_of, names))
    return replace(
        account, watched=tuple(WatchedBoard(kind=kind, board=board) for kind, board in boards)
    )


def limit_of(account: Account) -> int:
    """Return on how many active boards a player wants to be at once; 0 for any number."""
    return account.board_limits[0].boards if account.board_limits else 0


def with_limit(account: Account, limit: int) -> Account:
    """Return an account with this limit; 0 takes it away."""
    return replace(account, board_limits=(BoardLimit(limit),) if limit else ())


def rejected_by(account: Account) -> tuple[str, ...]:
    """Return the userids of those by whom a player is not to be challenged."""
    return tuple(each.rejected for each in account.rejections)


def with_rejected(account: Account, userids: Iterable[str]) -> Account:
    """Return an account that rejects these players and no others."""
    return replace(account, rejections=tuple(map(Rejection, dict.fromkeys(userids))))


def with_broadcast(account: Account, at: datetime) -> Account | None:
    """Return an account that writes to everybody at a time; None where that is too often.

    Times that lie far ahead are those of a wrong clock.
    """
    latest = [each for each in account.broadcasts if abs(each.at - at) < DAY]
    if len(latest) >= MOST_BROADCASTS:
        return None
    return replace(account, broadcasts=(*latest, BroadcastAt(at)))


# Renaming and merging


def with_renamed(account: Account, old: str, new: str | None) -> Account:
    """Return an account in which another player has a new userid; None: that player is gone.

    It is the same account where it does not speak of the player.
    """
    if old not in (each.rejected for each in account.rejections):
        return account
    known = (Rejection(new),) if new and new != account.userid else ()
    rejections = (
        each
        for rejection in account.rejections
        for each in (known if rejection.rejected == old else (rejection,))
    )
    return replace(account, rejections=tuple(dict.fromkeys(rejections)))


def merged(account: Account, other: Account) -> Account:
    """Return an account that has the addresses of another and what that one kept, too.

    What both have settled is as the account had it.
    """
    added = (address for address in other.addresses if not account.has_address(address))
    both = replace(
        account,
        addresses=(*account.addresses, *added),
        notes=_merged_notes(account.notes, other.notes),
        watched=_each_once(account.watched, other.watched),
        rejections=_each_once(account.rejections, other.rejections),
        queue=_each_once(account.queue, other.queue),
        submissions=_each_once(account.submissions, other.submissions),
        seeks=(*account.seeks, *other.seeks),
        vacations=tuple(map(shortened, together((*account.vacations, *other.vacations)))),
    )
    return with_renamed(with_renamed(both, other.userid, None), account.userid, None)


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


def disabled_since(account: Account) -> datetime | None:
    """Return when the operator has disabled an account, or None."""
    return account.disabled[0].since if account.disabled else None


def with_disabled(account: Account, at: datetime | None) -> Account:
    """Return an account that is disabled since a time, or not any more."""
    return replace(account, disabled=(DisabledSince(to_the_second(at)),) if at else ())


def signed_off_since(account: Account) -> datetime | None:
    """Return when a player has signed off, or None."""
    return account.signed_off[0].since if account.signed_off else None


def with_signed_off(account: Account, at: datetime | None) -> Account:
    """Return an account whose player has signed off at a time, or is there."""
    return replace(account, signed_off=(SignedOffSince(to_the_second(at)),) if at else ())


@cache
def reserved_userids() -> frozenset[str]:
    """Return the userids that no new account can have: those of `reserved.toml` and the house."""
    groups = tomllib.loads((get_data(__package__, "reserved.toml") or b"").decode()).values()
    return frozenset((*chain(*groups), *HOUSE))


_LOOK_ALIKE = str.maketrans(
    {
        **dict(zip("0134578i", "oleastbl", strict=True)),
        "m": "rn",
        "w": "vv",
        "-": "",
        "_": "",
    }
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
