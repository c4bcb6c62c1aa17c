"""What was mailed and may come back: codes of verifications, bounces, and sheets of positions.

They are found by a hash of their code; the code itself is not stored.
"""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter

from msgspec import structs

from pbm_oust.accounts import tags
from pbm_oust.accounts.address import normal_address
from pbm_oust.accounts.asks import Ask, is_kept
from pbm_oust.accounts.bounces import MOST_DAYS, Bounce, Returned, is_hard
from pbm_oust.board.game import AHEAD
from pbm_oust.languages import ENGLISH, LANGUAGES
from pbm_oust.store.database import Row, Snapshot, Transaction, moment_of, seconds, words_list
from pbm_oust.store.faults import ValueDamaged

_PENDING = (
    "SELECT purpose, userid, address, asked, message_key, password, language, line, other"
    " FROM verifications"
)
"""The statement that reads requests, without its condition."""


def find_verification(snapshot: Snapshot, code: str, now: datetime) -> tags.Pending | None:
    """Return the request that waits for the code with this hash; None if there is none any more."""
    row = snapshot.row(f"{_PENDING} WHERE code = ?", code)
    found = _whole([row]) if row else []
    return next((pending for pending in found if pending.ends > now), None)


def requests_of(
    snapshot: Snapshot, userid: str, signup_key: str, now: datetime
) -> list[tags.Pending]:
    """Return what a player has asked for and not confirmed, oldest first.

    A signup is theirs if it has the message key of their own one.
    """
    rows = snapshot.rows(
        f"{_PENDING} WHERE userid = ? AND (purpose <> ? OR message_key = ?) ORDER BY asked",
        userid,
        tags.Purpose.SIGNUP.value,
        signup_key,
    )
    return [pending for pending in _whole(rows) if pending.ends > now]


def damaged_requests(snapshot: Snapshot) -> list[str]:
    """Return the userids of the requests that cannot be read, in order."""
    rows = snapshot.rows(f"{_PENDING} ORDER BY userid")
    return [row[1] for row in rows if not [*_whole([row])]]


def keep_verification(transaction: Transaction, code: str, pending: tags.Pending) -> None:
    """Let a request wait for the code with this hash, in place of any earlier one."""
    forget_verification(transaction, code)
    purpose, userid, address, asked, key, password, language, *rest = structs.astuple(pending)
    transaction.run(
        "INSERT INTO verifications (purpose, userid, address, asked, message_key, password,"
        " language, line, other, code) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        *(purpose.value, userid, address, seconds(asked), key, password, language.code, *rest),
        code,
    )


def forget_verification(transaction: Transaction, code: str) -> None:
    """Remove the request that waits for the code with this hash."""
    transaction.run("DELETE FROM verifications WHERE code = ?", code)


def forget_verifications_of(transaction: Transaction, userid: str, signup_key: str) -> None:
    """Forget the requests about an account, but not the signups of others for its userid.

    `signup_key` is the message key of the signup that made the account.
    """
    transaction.run(
        "DELETE FROM verifications WHERE userid = ? AND (purpose <> ? OR message_key = ?)",
        userid,
        tags.Purpose.SIGNUP.value,
        signup_key,
    )


def forget_player(transaction: Transaction, userid: str, signup_key: str) -> None:
    """Forget the requests about an account that is no longer there under its userid.

    Challenges to its player are among them. `signup_key` is the message key of the signup that
    made the account.
    """
    forget_verifications_of(transaction, userid, signup_key)
    transaction.run("DELETE FROM verifications WHERE other = ?", userid)


def _name_of_words(userid: str, board: str) -> str:
    """Return what the words of a player for a board are found by, which no code leads to."""
    return hashlib.sha256(f"words\0{userid}\0{board}".encode()).hexdigest()[:16]


def keep_words(
    transaction: Transaction, userid: str, board: str, words: tuple[str, str], now: datetime
) -> None:
    """Keep what a player wrote about a board, and from where, in place of any earlier words."""
    text, address = words
    pending = tags.Pending(tags.Purpose.WORDS, userid, address, now, "", line=text)
    keep_verification(transaction, _name_of_words(userid, board), pending)


def words_of(snapshot: Snapshot, userid: str, board: str, now: datetime) -> str:
    """Return the latest words of a player about a board that were kept, if any."""
    pending = find_verification(snapshot, _name_of_words(userid, board), now)
    return pending.line if pending else ""


def forget_words(transaction: Transaction, userid: str, board: str) -> None:
    """Forget the words of a player about a board."""
    forget_verification(transaction, _name_of_words(userid, board))


def addresses_asked(snapshot: Snapshot) -> frozenset[str]:
    """Return the normal forms of all addresses with codes that still count."""
    rows = snapshot.rows("SELECT address FROM verifications")
    return frozenset(normal_address(address) for (address,) in rows)


def forget_old_verifications(transaction: Transaction, now: datetime) -> int:
    """Forget the requests whose codes have expired; return their number.

    Those that were made far ahead count from now: a clock was ahead when they were.
    """
    transaction.run(
        "UPDATE verifications SET asked = ? WHERE asked > ?", seconds(now), seconds(now + AHEAD)
    )
    return transaction.run(
        "DELETE FROM verifications WHERE asked <= ? OR (purpose = ? AND asked <= ?)",
        seconds(now - tags.CODE_LIFETIME),
        tags.Purpose.SIGN_IN.value,
        seconds(now - tags.SIGN_IN_LIFETIME),
    )


def _whole(rows: Iterable[Row]) -> Iterator[tags.Pending]:
    """Yield the requests in some rows, without those that cannot be read."""
    for row in rows:
        with suppress(ValueError, ValueDamaged):
            yield _pending(row)


def _pending(row: Row) -> tags.Pending:
    purpose, userid, address, asked, key, password, code, *rest = row
    at, language = moment_of(asked), LANGUAGES.get(code, ENGLISH)
    return tags.Pending(tags.Purpose(purpose), userid, address, at, key, password, language, *rest)


MOST_KEPT = 10
"""How many bounces are kept for an address, the latest ones, besides one of a few days before."""
_DAY = 24 * 3600


def bounces_of(snapshot: Snapshot, address: str) -> Returned:
    """Return the bounces of an address."""
    return bounces_of_each(snapshot, [address])[address]


def bounces_of_each(snapshot: Snapshot, addresses: Iterable[str]) -> dict[str, Returned]:
    """Return the bounces of each of some addresses, by address."""
    normal = {address: normal_address(address) for address in addresses}
    rows = snapshot.rows(
        "SELECT normal, id, address, at, status, letter, subject FROM bounces"
        " WHERE normal IN (SELECT value FROM json_each(?))",
        words_list(normal.values()),
    )
    # Where there is hardly ever a row, SQLite takes long to prepare for sorting them.
    groups = groupby(sorted(rows), key=itemgetter(0)) if rows else ()
    found = {each: _returned([row[2:] for row in group]) for each, group in groups}
    return {address: found.get(each) or Returned(address, ()) for address, each in normal.items()}


def note_bounce(transaction: Transaction, address: str, bounce: Bounce) -> Returned:
    """Record a bounce, unless it is known, and return all bounces of the address."""
    normal = normal_address(address)
    transaction.run(
        "INSERT INTO bounces (normal, address, at, status, letter, subject)"
        " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (normal, letter) DO NOTHING",
        normal,
        address,
        seconds(bounce.at),
        bounce.status,
        bounce.letter,
        bounce.subject,
    )
    rows = transaction.rows("SELECT id, at, status FROM bounces WHERE normal = ?", normal)
    # Of the days before the latest bounces, the ones count on which the mailbox refused letters.
    older = sorted(rows, reverse=True)[MOST_KEPT:]
    days = {at // _DAY: id_ for id_, at, status in older if is_hard(status)}
    kept = sorted(days.values(), reverse=True)[:MOST_DAYS]
    for id_ in (row[0] for row in older if row[0] not in kept):
        transaction.run("DELETE FROM bounces WHERE id = ?", id_)
    return bounces_of(transaction, address)


def forget_bounces(transaction: Transaction, address: str) -> bool:
    """Forget the bounces of an address; return whether there were any."""
    return transaction.run("DELETE FROM bounces WHERE normal = ?", normal_address(address)) > 0


def all_bounces(snapshot: Snapshot) -> list[Returned]:
    """Return the bounces of every address that has any."""
    rows = snapshot.rows(
        "SELECT address, at, status, letter, subject, normal FROM bounces ORDER BY normal, id"
    )
    return [_returned(group) for _, group in groupby(rows, key=lambda row: row[5])]


def _returned(rows: Iterable[Row]) -> Returned:
    found = list(rows)
    bounces = (Bounce(moment_of(at), *words) for _, at, *words in (row[:5] for row in found))
    return Returned(found[0][0], tuple(bounces))


SHEET_LIFETIME = timedelta(days=60)
"""How long a sheet is kept."""


def keep_sheet(transaction: Transaction, sheet: Ask, written: datetime) -> None:
    """Keep a sheet of a letter that is written now, unless its player's account is gone."""
    transaction.run(
        "INSERT INTO sheets (userid, id, written, positions)"
        " SELECT userid, ?, ?, ? FROM accounts WHERE userid = ? ON CONFLICT (userid, id)"
        " DO UPDATE SET written = excluded.written, positions = excluded.positions",
        *sheet.about,
        seconds(written),
        sheet.kept,
        sheet.userid,
    )


def find_sheet(snapshot: Snapshot, userid: str, sheet: str) -> str:
    """Return the positions of a player's sheet; none if it is gone or damaged."""
    search = "SELECT positions FROM sheets WHERE userid = ? AND id = ?"
    row = snapshot.row(search, userid, sheet)
    return row[0] if row and is_kept(row[0]) else ""


def damaged_sheets(snapshot: Snapshot) -> list[str]:
    """Return the players with a sheet that cannot be read, in order."""
    rows = snapshot.rows("SELECT userid, positions FROM sheets")
    return sorted({userid for userid, positions in rows if not is_kept(positions)})
