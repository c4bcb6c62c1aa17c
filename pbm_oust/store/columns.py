"""Writing values in columns of the database. Pure."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime

from pbm_oust.rules.position import How, Kind, Result, Side
from pbm_oust.store.faults import ValueDamaged

DRAW = "draw"
_BY_PLAYERS = frozenset(how.value for how in How)


def seconds(moment: datetime) -> int:
    """Return a moment as seconds since 1970."""
    return int(moment.timestamp())


def moment_of(count: int) -> datetime:
    """Return the moment so many seconds after 1970. Raises ValueDamaged if no year has it."""
    try:
        return datetime.fromtimestamp(count, UTC)
    except (OverflowError, OSError, ValueError):
        raise ValueDamaged(
            f"the database has a time that no year has, {count} seconds after 1970"
        ) from None


ALL_ROWS = 2**63 - 1
"""More rows than a table can have: a limit that is none."""


def words_list(words: Iterable[str]) -> str:
    """Return words as one value, which `json_each` takes apart in a statement."""
    return json.dumps(list(words))


def format_outcome(result: Result) -> str:
    """Return how a result is written: `x resign`, as in histories."""
    return f"{result.winner.value if result.winner else DRAW} {result.how.value}"


def parse_outcome(kind: Kind, text: str) -> Result:
    """Return the result that a text says. Raises ValueError."""
    winner, _, how = text.partition(" ")
    ending = How(how) if how in _BY_PLAYERS else kind.endings(how)
    return Result(None if winner == DRAW else Side(winner), ending)
