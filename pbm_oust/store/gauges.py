"""What a home holds at present, in numbers that are cheap to find."""

from datetime import datetime

from dataclasses import dataclass
from pbm_oust.store.columns import moment_of
from pbm_oust.store.database import Snapshot
from pbm_oust.store.letters import State, count_letters


@dataclass(frozen=True, slots=True)
class Gauges:
    """What a home holds."""

    letters: dict[State, int]
    oldest: datetime | None
    """When the oldest of the letters was written that wait for the relay; None if none waits."""
    boards: dict[tuple[str, str], int]
    """How many boards there are of each game, in each state."""


def read_gauges(snapshot: Snapshot) -> Gauges:
    """Return what a home holds."""
    ((oldest,),) = snapshot.rows("SELECT min(posted) FROM letters WHERE state = 'waiting'")
    counts = snapshot.rows("SELECT kind, state, number FROM board_counts")
    return Gauges(
        count_letters(snapshot),
        None if oldest is None else moment_of(oldest),
        {(kind, state): number for kind, state, number in counts},
    )
