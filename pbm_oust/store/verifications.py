"""Verifications: requests that wait for the code that was mailed.

They are found by a hash of their code; the code itself is not stored.
"""

from datetime import datetime

from pbm_oust.accounts.address import normal_address
from pbm_oust.accounts.verification import LIFETIME, Pending, Purpose
from pbm_oust.languages import ENGLISH, LANGUAGES
from pbm_oust.store.columns import moment_of, seconds
from pbm_oust.store.connections import Row, Snapshot, Transaction


def find_verification(snapshot: Snapshot, code: str, now: datetime) -> Pending | None:
    """Return the request that waits for the code with this hash; None if there is none any more."""
    row = snapshot.row(
        "SELECT purpose, userid, address, asked, message_key, password, language"
        " FROM verifications WHERE code = ? AND asked > ?",
        code,
        seconds(now - LIFETIME),
    )
    return _pending(row) if row else None


def keep_verification(transaction: Transaction, code: str, pending: Pending) -> None:
    """Let a request wait for the code with this hash, in place of any earlier one."""
    transaction.run(
        "INSERT OR REPLACE INTO verifications"
        " (code, purpose, userid, address, asked, message_key, password, language)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        code,
        pending.purpose.value,
        pending.userid,
        pending.address,
        seconds(pending.asked),
        pending.message_key,
        pending.password,
        pending.language.code,
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
        Purpose.SIGNUP.value,
        signup_key,
    )


def all_codes(snapshot: Snapshot) -> list[str]:
    """Return the hashes of all codes that requests wait for, in order."""
    return [code for (code,) in snapshot.rows("SELECT code FROM verifications ORDER BY code")]


def addresses_asked(snapshot: Snapshot) -> frozenset[str]:
    """Return the normal forms of all addresses with codes that still count."""
    rows = snapshot.rows("SELECT address FROM verifications")
    return frozenset(normal_address(address) for (address,) in rows)


def forget_old_verifications(transaction: Transaction, now: datetime) -> int:
    """Forget the requests whose codes have expired; return their number."""
    return transaction.run("DELETE FROM verifications WHERE asked <= ?", seconds(now - LIFETIME))


def _pending(row: Row) -> Pending:
    purpose, userid, address, asked, key, password, language = row
    return Pending(
        Purpose(purpose),
        userid,
        address,
        moment_of(asked),
        key,
        password,
        LANGUAGES.get(language, ENGLISH),
    )
