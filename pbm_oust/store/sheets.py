"""Sheets: which positions a letter shows whose answer may play on several boards.

A sheet is kept as long as the reader may want to answer. It proves nothing by itself: that takes
the token in the letter.
"""

from datetime import datetime, timedelta

from pbm_oust.accounts.answered import Purpose, Reply, Sheet
from pbm_oust.store.columns import seconds
from pbm_oust.store.database import Snapshot, Transaction

LIFETIME = timedelta(days=60)
"""How long a sheet is kept."""


def keep_sheet(transaction: Transaction, sheet: Sheet, written: datetime) -> None:
    """Keep a sheet of a letter that is written now, unless its player's account is gone."""
    transaction.send(
        "INSERT INTO sheets (userid, id, written, positions)"
        " SELECT userid, ?, ?, ? FROM accounts WHERE userid = ? ON CONFLICT (userid, id)"
        " DO UPDATE SET written = excluded.written, positions = excluded.positions",
        sheet.id,
        seconds(written),
        sheet.text,
        sheet.userid,
    )


def find_sheet(snapshot: Snapshot, userid: str, sheet: str) -> Sheet | None:
    """Return the sheet of a player with an id, or None if there is none any more."""
    search = "SELECT positions FROM sheets WHERE userid = ? AND id = ?"
    row = snapshot.row(search, userid, sheet)
    return _sheet(userid, row[0]) if row else None


def forget_old_sheets(transaction: Transaction, now: datetime) -> int:
    """Forget the sheets that nobody is to answer any more; return their number."""
    return transaction.run("DELETE FROM sheets WHERE written <= ?", seconds(now - LIFETIME))


def _sheet(userid: str, positions: str) -> Sheet:
    parted = (position.split(".") for position in positions.split())
    replies = (
        Reply(Purpose.PLAY, kind, int(board), int(number), userid) for kind, board, number in parted
    )
    return Sheet(userid, tuple(replies))
