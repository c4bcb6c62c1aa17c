"""Accounts as JSON documents, for the database and for others. Pure.

    {"userid": "alice", "password": "scrypt ..", "addresses": ["alice@example.org"],
     "joined": "2026-11-20T15:36:00Z", "message_key": "4f0c1d2e9a8b7c6d",
     "notes": [{"kind": "oust", "board": 17, "note": "Watch the corner"}]}

What the account keeps nothing of is left out. A field of a stored document that cannot be read
troubles nobody but its owner; what comes from elsewhere is read whole or not at all.
"""

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, get_type_hints

import msgspec
from msgspec import structs

from pbm_oust.accounts.account import NO_PASSWORD, Account, BadAccount, parse_userid
from pbm_oust.accounts.address import MOST_ADDRESSES, parse_address
from pbm_oust.accounts.items import Item, to_the_second
from pbm_oust.accounts.password import checked_former, checked_hash
from pbm_oust.accounts.vacations import ALLOWANCE, DAY, FARTHEST, Absence, in_order
from pbm_oust.board.notation import MESSAGE_KEY, MOST_GIVEN, check_time, format_time

_BESIDE = ("changed", "damaged", "unread")
"""Fields of an account that are not in its document."""
_ALWAYS = ("userid", "password", "addresses", "joined")
_OWN = (*_ALWAYS, "message_key", "former")
"""Fields that identify an account; all others hold its items."""
_FIELDS = tuple(name for name in Account.__struct_fields__ if name not in _BESIDE)
KEPT = tuple(name for name in _FIELDS if name not in _OWN)
"""The names of fields with items, in the order for people."""
_WHOLE = "document"
"""The name for the whole document, if it is no JSON object."""
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)
_MISSING: Mapping[str, Any] = {"password": NO_PASSWORD, "addresses": (), "joined": _NEVER}
"""Values for required fields that cannot be read."""

_PARTS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_DECODERS = {
    name: msgspec.json.Decoder(hint)
    for name, hint in get_type_hints(Account, include_extras=True).items()
    if name in _FIELDS
}
_NO_TEXT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Control characters; no text that came by mail has one."""


def read_document(userid: str, text: str) -> Account:
    """Return the account in a document from the database, as far as it can be read."""
    try:
        values, damaged, unread = _read(text)
    except BadAccount as error:
        raw = msgspec.Raw(text.encode())
        return Account(userid, **_MISSING, damaged={_WHOLE: str(error)}, unread={_WHOLE: raw})
    for name in _MISSING:
        if name not in values:
            damaged.setdefault(name, "it is missing")
    return Account(**{**_MISSING, **values, "userid": userid}, damaged=damaged, unread=unread)


def format_document(account: Account) -> str:
    """Return the document of an account for the database; unreadable parts stay as they were."""
    if _WHOLE in account.unread:
        return bytes(account.unread[_WHOLE]).decode()
    return msgspec.json.encode({**_values(account), **account.unread}).decode()


def format_json(account: Account) -> str:
    """Return an account as one line of JSON, with the hash of the password."""
    return json.dumps(msgspec.to_builtins(_values(account)))


def kept_objects(account: Account) -> dict[str, list[dict[str, object]]]:
    """Return the items of an account as JSON has them, by field."""
    values = _values(account)
    return {name: msgspec.to_builtins(values[name]) for name in KEPT if name in values}


def account_lines(account: Account) -> list[str]:
    """Return an account as lines for people, without the hash of the password."""
    return [
        f"Userid: {account.userid}",
        *(f"Address: {address}" for address in account.addresses),
        f"Joined: {format_time(account.joined)}",
        *([f"Signup: {account.message_key}"] if account.message_key else []),
        *account.setting_lines(),
        *(f"{item.word}: {item}" for item in items_of(structs.replace(account, settings=()))),
    ]


def items_of(account: Account) -> list[Item]:
    """Return all items of an account, in the order for people."""
    return [item for name in KEPT for item in getattr(account, name)]


def parse_json(text: str) -> Account:
    """Return the account in a line of JSON from elsewhere. Raises BadAccount."""
    values, damaged, unread = _read(text)
    if unknown := sorted(unread.keys() - damaged.keys()):
        raise BadAccount(f"accounts have no {', '.join(map(repr, unknown))}")
    for name, reason in damaged.items():
        raise BadAccount(f"{name}: {reason}")
    for name in _ALWAYS:
        if name not in values and name != "addresses":
            raise BadAccount(f"there is no {name!r}")
    found = Account(**{"addresses": (), **values})
    account = structs.replace(
        found,
        userid=_checked("userid", parse_userid, found.userid),
        password=_checked("password", checked_hash, found.password),
        addresses=tuple(_checked("addresses", parse_address, each) for each in found.addresses),
        message_key=_checked("message_key", _message_key, found.message_key),
        former=_checked("former", checked_former, found.former),
        vacations=_checked("vacations", in_order, found.vacations),
    )
    for at in _times_of(account):
        if at.utcoffset() or at.microsecond:
            raise BadAccount(f"{at.isoformat()} is no time like 2026-11-20T15:36:00Z")
    texts = (*(each.note for each in account.notes), *(each.text for each in account.said))
    for written in (*texts, *map(str, account.settings)):
        if _NO_TEXT.search(written):
            raise BadAccount(f"{written!r} has a control character")
    account = account.with_settings(account.all_settings).with_notes(account.notes_by_board)
    try:
        account.next_digest()
        account.next_puzzle()
    except OverflowError:
        raise BadAccount("no year has the time of the next daily letter") from None
    return account


def check_believable(account: Account, now: datetime, own: str) -> None:
    """Raise BadAccount for an account that no commands can have made, at any server.

    `own` is the address that takes commands. Two accounts that were merged have twice as much.
    """
    most = 2 * MOST_ADDRESSES
    if len(account.addresses) > most:
        raise BadAccount(f"addresses: a player has at most {most}")
    if own and account.has_address(own):
        raise BadAccount(f"addresses: {own} is the address of this server")
    away = account.vacations
    if any(each.start > now + (FARTHEST + 1) * DAY for each in away):
        raise BadAccount(f"vacations: one begins more than {FARTHEST} days ahead")
    for year in {each.start.year for each in away}:
        if sum(max(each.days(UTC), 1) for each in away if each.start.year == year) > 2 * ALLOWANCE:
            raise BadAccount(f"vacations: a player has {ALLOWANCE} days in a year")
    if any(seek.number > MOST_GIVEN for seek in account.seeks):
        raise BadAccount(f"seeks: a number is higher than {MOST_GIVEN}")
    others = _times_of(structs.replace(account, vacations=()))
    for at in (*others, *(min(each.start, now) for each in away)):
        try:
            check_time(at, now)
        except ValueError as error:
            raise BadAccount(str(error)) from None


_Read = tuple[dict[str, Any], dict[str, str], dict[str, msgspec.Raw]]


def _read(text: str) -> _Read:
    """Return the readable fields of a document, the errors of others, and the content of those.

    Unknown fields are in the last alone. Raises BadAccount if there are no fields.
    """
    try:
        parts = _PARTS.decode(text)
    except msgspec.ValidationError:
        raise BadAccount("an account is an object") from None
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        raise BadAccount("this is no JSON") from None
    values, damaged, unread = dict[str, Any](), dict[str, str](), dict[str, msgspec.Raw]()
    for name, part in parts.items():
        if name not in _DECODERS:
            unread[name] = part.copy()
            continue
        try:
            values[name] = _DECODERS[name].decode(part)
        except (msgspec.DecodeError, RecursionError, OverflowError) as error:
            damaged[name] = str(error.__cause__ or error)
            unread[name] = part.copy()
    if "vacations" in values:
        values["vacations"] = tuple(map(Absence.shortened, values["vacations"]))
    return values, damaged, unread


def _values(account: Account) -> dict[str, Any]:
    """Return the fields of an account's document without empty ones."""
    found = {name: getattr(account, name) for name in _FIELDS}
    found["joined"] = to_the_second(account.joined)
    return {name: value for name, value in found.items() if value or name in _ALWAYS}


def _times_of(account: Account) -> list[datetime]:
    """Return all times in an account."""
    parts = (part for item in items_of(account) for part in msgspec.structs.astuple(item))
    return [account.joined, *(part for part in parts if isinstance(part, datetime))]


def _checked(name: str, check: Callable[[Any], Any], value: Any) -> Any:
    """Return the result of `check` for a field. Raises BadAccount."""
    try:
        return check(value)
    except ValueError as error:
        raise BadAccount(f"{name}: {error}") from None


def _message_key(text: str) -> str:
    if text and not MESSAGE_KEY.fullmatch(text):
        raise ValueError(f"{text!r} is no message key")
    return text
