"""Accounts as others get them: as lines that a person reads, and as JSON to take elsewhere. Pure.

    {"userid": "alice", "password": "scrypt ..", "addresses": ["alice@example.org"],
     "joined": "2026-11-20T15:36:00Z", "message_key": "4f0c1d2e9a8b7c6d",
     "notes": [{"kind": "oust", "board": 17, "note": "Watch the corner"}]}

In JSON a noun is a list of its rows; one of which the account keeps nothing is left out.
"""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from pbm_oust.accounts.account import Account, BadAccount, parse_userid
from pbm_oust.accounts.address import MOST_ADDRESSES, parse_address
from pbm_oust.accounts.digest import next_digest
from pbm_oust.accounts.kept import Column, Holds, Kept, Row
from pbm_oust.accounts.password import checked_hash
from pbm_oust.accounts.registry import KEPT, Nouns
from pbm_oust.accounts.seeks import SEEKS
from pbm_oust.accounts.vacations import ALLOWANCE, DAY, FARTHEST, VACATIONS, absences_of
from pbm_oust.board.notation import MESSAGE_KEY, MOST_GIVEN, check_time, format_time, parse_time
from pbm_oust.regex import regex

T = TypeVar("T")

_OWN = ("userid", "password", "addresses", "joined", "message_key")
_NO_TEXT = regex(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""A character that steers programs; no text that came by mail has one."""


def account_lines(account: Account, nouns: Nouns = KEPT) -> list[str]:
    """Return an account as a person reads it, without the hash of the password."""
    return [
        f"Userid: {account.userid}",
        *(f"Address: {address}" for address in account.addresses),
        f"Joined: {format_time(account.joined)}",
        *([f"Signup: {account.message_key}"] if account.message_key else []),
        *(line for noun in nouns for line in noun.lines_of(account)),
    ]


def format_json(account: Account, nouns: Nouns = KEPT) -> str:
    """Return an account as one line of JSON, with the hash of the password."""
    found: dict[str, object] = {
        "userid": account.userid,
        "password": account.password,
        "addresses": account.addresses,
        "joined": format_time(account.joined),
    }
    if account.message_key:
        found["message_key"] = account.message_key
    return json.dumps({**found, **kept_objects(account, nouns)})


def kept_objects(account: Account, nouns: Nouns = KEPT) -> dict[str, list[dict[str, object]]]:
    """Return what an account keeps as JSON has it, by the names of the nouns."""
    rows = {noun: noun.rows_of(account) for noun in nouns}
    return {
        noun.name: [_object_of(noun, row) for row in found] for noun, found in rows.items() if found
    }


def parse_json(text: str, nouns: Nouns = KEPT) -> Account:
    """Return the account that a line of JSON describes. Raises BadAccount."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise BadAccount("this is no JSON") from None
    if not isinstance(found, dict):
        raise BadAccount("an account is an object")
    known = {*_OWN, *(noun.name for noun in nouns)}
    if unknown := sorted(found.keys() - known):
        raise BadAccount(f"accounts have no {', '.join(map(repr, unknown))}")
    addresses = found.get("addresses", [])
    if not isinstance(addresses, list):
        raise BadAccount("addresses: it is no list")
    account = Account(
        _read(found, "userid", parse_userid),
        _read(found, "password", checked_hash),
        tuple(_read({"addresses": each}, "addresses", parse_address) for each in addresses),
        _read(found, "joined", parse_time),
        _read(found, "message_key", _message_key) if "message_key" in found else "",
    )
    for noun in nouns:
        try:
            rows = [_row_of(noun, each) for each in _list_of(found.get(noun.name, []))]
            account = noun.put(account, noun.read(rows))
        except ValueError as error:
            raise BadAccount(f"{noun.name}: {error}") from None
    try:
        next_digest(account)
    except OverflowError:
        raise BadAccount("no year has the time of the next digest") from None
    return account


def check_believable(account: Account, now: datetime, own: str) -> None:
    """Raise BadAccount for an account that no commands can have made until now, at any server.

    `own` is the address that takes commands. Two accounts that were merged have twice as much.
    """
    most = 2 * MOST_ADDRESSES
    if len(account.addresses) > most:
        raise BadAccount(f"addresses: a player has at most {most}")
    if own and account.has_address(own):
        raise BadAccount(f"addresses: {own} is the address of this server")
    away = absences_of(account)
    if any(each.start > now + (FARTHEST + 1) * DAY for each in away):
        raise BadAccount(f"{VACATIONS.name}: one begins more than {FARTHEST} days ahead")
    for year in {each.start.year for each in away}:
        if sum(max(each.days(UTC), 1) for each in away if each.start.year == year) > 2 * ALLOWANCE:
            raise BadAccount(f"{VACATIONS.name}: a player has {ALLOWANCE} days in a year")
    if any(seek.number > MOST_GIVEN for seek in SEEKS.of(account)):
        raise BadAccount(f"{SEEKS.name}: a number is higher than {MOST_GIVEN}")
    times = [account.joined, *(min(each.start, now) for each in away)]
    others = (noun for noun in KEPT if noun is not VACATIONS)
    cells = [cell for noun in others for row in noun.rows_of(account) for cell in row]
    for at in (*times, *(cell for cell in cells if isinstance(cell, datetime))):
        try:
            check_time(at, now)
        except ValueError as error:
            raise BadAccount(str(error)) from None


def _read(found: Mapping[str, object], name: str, read: Callable[[str], T]) -> T:
    """Return a part of an account, read from its text."""
    if name not in found:
        raise BadAccount(f"there is no {name!r}")
    text = found[name]
    if not isinstance(text, str):
        raise BadAccount(f"{name}: {text!r} is no text")
    try:
        return read(text)
    except ValueError as error:
        raise BadAccount(f"{name}: {error}") from None


def _message_key(text: str) -> str:
    if not MESSAGE_KEY.fullmatch(text):
        raise ValueError(f"{text!r} is no message key")
    return text


def _list_of(rows: object) -> list[object]:
    if not isinstance(rows, list):
        raise ValueError("it is no list")
    return rows


def _object_of(noun: Kept[Any], row: Row) -> dict[str, object]:
    """Return a row as an object; what is None is left out."""
    cells = zip(noun.columns, row, strict=True)
    return {
        column.name: format_time(cell) if column.holds is Holds.TIME else cell
        for column, cell in cells
        if cell is not None
    }


def _row_of(noun: Kept[Any], found: object) -> Row:
    """Return the row of an object. Raises ValueError."""
    names = {column.name for column in noun.columns}
    if not isinstance(found, dict) or not found.keys() <= names:
        raise ValueError(f"{found!r} is no object with {', '.join(sorted(names))}")
    return tuple(_cell_of(column, found.get(column.name)) for column in noun.columns)


def _cell_of(column: Column, found: object) -> object:
    if isinstance(found, str) and _NO_TEXT.search(found):
        raise ValueError(f"{found!r} has a control character")
    is_time = column.holds is Holds.TIME and isinstance(found, str)
    return parse_time(str(found)) if is_time else found
