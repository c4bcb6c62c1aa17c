"""The file of an account, which the home keeps. Pure.

pbm_oust player 1
Userid: alice
Password: scrypt 16384 8 1 SALT HASH
Address: alice@example.org
Joined: 2026-11-20T15:36:00Z
Signup: 4f0c1d2e9a8b7c6d
Note: oust 17 "Watch the corner"

Behind the lines of the account itself come those of what it keeps.
"""

import json
import re
from collections.abc import Callable

from pbm_oust.accounts.account import Account, BadAccount, parse_userid
from pbm_oust.accounts.address import parse_address
from pbm_oust.accounts.broadcasts import BROADCASTS
from pbm_oust.accounts.digest import DIGEST
from pbm_oust.accounts.exported import account_lines
from pbm_oust.accounts.invitations import HIGHEST_LIMIT, LIMIT, REJECTED
from pbm_oust.accounts.kept import Column, Kept, Row
from pbm_oust.accounts.notes import NOTES
from pbm_oust.accounts.password import checked_hash
from pbm_oust.accounts.queue import QUEUE
from pbm_oust.accounts.registry import KEPT, Nouns
from pbm_oust.accounts.seeks import SEEKS, SOUGHT
from pbm_oust.accounts.settings import SETTINGS
from pbm_oust.accounts.status import BECOMES, DISABLED, SIGNED_OFF, TOLD
from pbm_oust.accounts.submissions import SUBMISSIONS
from pbm_oust.accounts.vacations import VACATIONS
from pbm_oust.accounts.verification import VERIFIED
from pbm_oust.accounts.watched import WATCHED
from pbm_oust.board.notation import CAUSE, NUMBER, USERID, parse_time

FIRST_LINE = "pbm_oust player 1"

CHANGED: Kept[str] = Kept(
    name="changed",
    key="Changed",
    columns=(Column("message_key"),),
    empty="",
    to_rows=lambda key: [(key,)] if key else [],
    of_rows=lambda rows: str(rows[0][0]),
    to_lines=lambda key: [key] if key else [],
)
"""The message key of the mail that last changed an account."""

FILED: Nouns = (*KEPT, SOUGHT, CHANGED)
"""Everything that the file of an account has lines for."""


class BadLines(BadAccount):
    """Some lines of an account cannot be read; `reasons` has one for each noun of them."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons


def format_account(account: Account) -> str:
    """Return the text of an account's file."""
    first, *lines = account_lines(account, FILED)
    text = "\n".join([FIRST_LINE, first, f"Password: {account.password}", *lines])
    return f"{text}\n"


def parse_account(text: str) -> Account:
    """Return the account that a file describes. Raises BadAccount."""
    first, *lines = text.splitlines() or [""]
    if first != FIRST_LINE:
        raise BadAccount(f"line 1: the first line is {FIRST_LINE!r}")
    found: dict[str, list[str]] = {}
    for number, line in enumerate(lines, 2):
        key, colon, value = line.partition(": ")
        if not colon:
            raise BadAccount(f"line {number}: a line is written 'Key: value'")
        found.setdefault(key, []).append(value)
    try:
        account = Account(
            userid=parse_userid(found.pop("Userid")[0]),
            password=checked_hash(found.pop("Password")[0]),
            addresses=tuple(map(parse_address, found.pop("Address", ()))),
            joined=parse_time(found.pop("Joined")[0]),
            message_key=_checked_key(found.pop("Signup", [""])[0]),
        )
    except KeyError as error:
        raise BadAccount(f"there is no line {error.args[0]!r}") from None
    except ValueError as error:
        raise BadAccount(str(error)) from None
    return _with_lines(account, found)


def may_watch(text: str, name: str) -> bool:
    """Return whether the text of an account has the line of a watched board of this name."""
    return f"\n{WATCHED.key}: {name}\n" in text


def _with_lines(account: Account, found: dict[str, list[str]]) -> Account:
    """Return an account that keeps what lines say, by their keys. Raises BadLines."""
    reasons = []
    for noun in FILED:
        try:
            lines = found.pop(noun.key, [])
            account = noun.put(account, noun.read([_READERS[noun.key](line) for line in lines]))
        except ValueError as error:
            reasons.append(str(error))
    reasons += [f"the key {key!r} is not known" for key in found]
    if reasons:
        raise BadLines(reasons)
    return account


def _checked_key(text: str) -> str:
    if text and not CAUSE.fullmatch(text):
        raise ValueError(f"{text!r} is no message key")
    return text


# The rows of lines. Each reader raises ValueError.


def _setting(line: str) -> Row:
    name, _, value = line.partition(" ")
    return name, value


_NOTE = re.compile(rf'([a-z]+) ({NUMBER.pattern}) (".*")')


def _note(line: str) -> Row:
    match = _NOTE.fullmatch(line)
    try:
        text = json.loads(match[3]) if match else None
    except ValueError:
        text = None
    if not match or not isinstance(text, str):
        raise ValueError(f"the note {line[:40]!r} is not written 'oust 17 \"text\"'")
    return match[1], int(match[2]), text


def _watched(line: str) -> Row:
    kind, _, board = line.partition(" ")
    if not (re.fullmatch("[a-z]+", kind) and NUMBER.fullmatch(board)):
        raise ValueError(f"the watched board {line!r} is not written 'oust 17'")
    return kind, int(board)


def _limit(line: str) -> Row:
    if not re.fullmatch(r"[1-9][0-9]{0,2}", line):
        raise ValueError(f"the limit {line!r} is no number from 1 to {HIGHEST_LIMIT}")
    return (int(line),)


def _rejected(line: str) -> Row:
    if not USERID.fullmatch(line):
        raise ValueError(f"the rejected {line!r} is no userid")
    return (line,)


def _plan(line: str) -> Row:
    clause: Row
    match line.split(" "):
        case [kind, board, record, key, "if", condition, "then", answer]:
            clause = condition, answer
        case [kind, board, record, key, answer]:
            clause = None, answer
        case _:
            form = "it is not written 'GAME BOARD NUMBER ID [if TURN then] TURN'"
            raise ValueError(f"the plan {line!r}: {form}")
    return kind, *_numbers("the plan", line, board, record), key, *clause


def _submission(line: str) -> Row:
    words = line.split(" ")
    if len(words) != 4:
        form = "it is not written 'GAME BOARD NUMBER MOVE'"
        raise ValueError(f"the submitted move {line!r}: {form}")
    kind, board, record, move = words
    return kind, *_numbers("the submitted move", line, board, record), move


def _seek(line: str) -> Row:
    words = line.split(" ", 6)
    if len(words) != 7:
        form = "it is not written 'NUMBER GAME TIME SIDE GRID OPTIONS'"
        raise ValueError(f"the open challenge {line!r}: {form}")
    number, kind, at, side, shape, size, terms = words
    given = _numbers("the open challenge", line, number)
    wanted = None if side == "any" else side
    return kind, *given, parse_time(at), wanted, f"{shape} {size}", terms


def _sought(line: str) -> Row:
    kind, _, number = line.partition(" ")
    if not NUMBER.fullmatch(number):
        raise ValueError(f"the line 'Sought' with {line!r} is not written 'GAME NUMBER'")
    return kind, int(number)


def _numbers(what: str, line: str, *words: str) -> list[int]:
    for word in words:
        if not NUMBER.fullmatch(word):
            raise ValueError(f"{what} {line!r}: {word!r} is no number")
    return list(map(int, words))


def _times(what: str, count: int) -> Callable[[str], Row]:
    """Return what reads a line of some times."""

    def read(line: str) -> Row:
        words = line.split(" ")
        try:
            times = tuple(map(parse_time, words))
            if len(times) != count:
                raise ValueError(f"{line!r} is not written with {count} times")
        except ValueError as error:
            raise ValueError(f"{what}: {error}") from None
        return times

    return read


def _proof(line: str) -> Row:
    name, _, key = line.partition(" ")
    if not (CAUSE.fullmatch(name) and CAUSE.fullmatch(key)):
        raise ValueError(f"Proved: {line!r} is not written NAME CAUSE")
    return name, key


def _word(line: str) -> Row:
    return (line,)


_READERS: dict[str, Callable[[str], Row]] = {
    SETTINGS.key: _setting,
    NOTES.key: _note,
    WATCHED.key: _watched,
    LIMIT.key: _limit,
    REJECTED.key: _rejected,
    QUEUE.key: _plan,
    SUBMISSIONS.key: _submission,
    SEEKS.key: _seek,
    SOUGHT.key: _sought,
    VACATIONS.key: _times("the vacation", 2),
    BROADCASTS.key: _times("broadcast", 1),
    DIGEST.key: _times("the digest", 2),
    SIGNED_OFF.key: _times(SIGNED_OFF.key, 1),
    DISABLED.key: _times(DISABLED.key, 1),
    BECOMES.key: _word,
    TOLD.key: _word,
    VERIFIED.key: _proof,
    CHANGED.key: _word,
}
