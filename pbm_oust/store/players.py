"""Players by the days on which they last played: who owns a side of any board.

The table follows the boards, which write it in their own transactions. It has days and no times, so
that a move seldom changes it. Whoever stands for a player who is forgotten is not in it.
"""

from collections.abc import Iterable
from datetime import date, timedelta

from msgspec import Struct

from pbm_oust.accounts.account import is_placeholder
from pbm_oust.board import Summary
from pbm_oust.store.database import Snapshot, Transaction, words_list

_FIRST_DAY = date(1970, 1, 1)
_ADD = (
    "INSERT INTO players (userid, day) VALUES (?, ?) ON CONFLICT (userid) "
    "DO UPDATE SET day = excluded.day WHERE players.day < excluded.day"
)
_DROP = (
    "DELETE FROM players WHERE userid = ? AND NOT EXISTS "
    "(SELECT 1 FROM board_userids u WHERE u.userid = players.userid AND u.is_owner = 1)"
)


class Player(Struct, frozen=True):
    """A player with the day of the latest record on a board of theirs, in UTC."""

    userid: str
    day: date


def playing(board: Summary) -> frozenset[Player]:
    """Return the owners of a board with the day of the latest record there."""
    day = board.latest.date()
    return frozenset((Player(board.x, day), Player(board.o, day)))


def note_players(transaction: Transaction, players: Iterable[Player]) -> None:
    """Note players with the days of the latest records on some of their boards."""
    days = sorted((each.userid, _number(each.day)) for each in players)
    transaction.run_all(_ADD, [each for each in days if not is_placeholder(each[0])])


def drop_players(transaction: Transaction, userids: Iterable[str]) -> None:
    """Drop those of some players who own no side of any board any more."""
    transaction.run_all(_DROP, [(userid,) for userid in sorted(userids)])


def latest_players(
    snapshot: Snapshot, since: date, most: int, after: Player | None = None
) -> list[Player]:
    """Return players who have played since a day, the latest first; of one day, by their names.

    They are at most `most`, those behind another one.
    """
    first = snapshot.rows(
        "SELECT userid, day FROM players WHERE day = ? AND userid > ? ORDER BY userid LIMIT ?",
        *(_number(after.day), after.userid, most) if after else (-1, "", most),
    )
    rest = snapshot.rows(
        "SELECT userid, day FROM players WHERE day >= ? AND day < ? "
        "ORDER BY day DESC, userid LIMIT ?",
        *(_number(since), _number(after.day if after else date.max), most),
    )
    found = (*first, *rest)[:most]
    return [Player(userid, _FIRST_DAY + timedelta(days=day)) for userid, day in found]


def days_of(snapshot: Snapshot, userids: Iterable[str]) -> dict[str, date]:
    """Return the days on which some players last played, by their userids."""
    search = "SELECT userid, day FROM players WHERE userid IN (SELECT value FROM json_each(?))"
    rows = snapshot.rows(search, words_list(userids))
    return {userid: _FIRST_DAY + timedelta(days=day) for userid, day in rows}


def _number(day: date) -> int:
    return (day - _FIRST_DAY).days
