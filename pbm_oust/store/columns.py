"""How values are written in columns of the database. Pure."""

from pbm_oust.rules.position import How, Kind, Result, Side

DRAW = "draw"
_BY_PLAYERS = frozenset(how.value for how in How)


def format_outcome(result: Result) -> str:
    """Return how a result is written: `x resign`, as in histories."""
    return f"{result.winner.value if result.winner else DRAW} {result.how.value}"


def parse_outcome(kind: Kind, text: str) -> Result:
    """Return the result of a game that is written so. Raises ValueError."""
    winner, _, how = text.partition(" ")
    ending = How(how) if how in _BY_PLAYERS else kind.endings(how)
    return Result(None if winner == DRAW else Side(winner), ending)
