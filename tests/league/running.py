"""One league from its beginning to its verdict."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from pbm_oust.board import Record
from pbm_oust.board.notation import format_action
from pbm_oust.store.home import Home
from tests.league.clock import SetClock
from tests.league.errands import by_day
from tests.league.players import World
from tests.league.post import serving
from tests.league.season import Plan, Season
from tests.league.verdict import faults


@dataclass(frozen=True, slots=True)
class Ending:
    """What came of a league."""

    mails: int
    letters: int
    boards: int
    commands: Counter[str]
    deeds: Counter[str]
    """How often each word stands in the histories, placements left out."""
    endings: Counter[str]
    faults: tuple[str, ...]

    def report(self) -> str:
        """Return the outcome in words."""
        lines = [
            f"{self.mails} mails, {self.letters} letters, {self.boards} boards",
            f"commands: {_counted(self.commands)}",
            f"records: {_counted(self.deeds)}",
            f"endings: {_counted(self.endings)}",
            *(self.faults or ["nothing is wrong"]),
        ]
        return "\n".join(lines)


def conduct(plan: Plan, place: Path, show: Callable[[str], None]) -> Ending:
    """Play a league in a folder. The clock ends today, so that no history is from the future."""
    start = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    clock = SetClock(place / "clock")
    clock.set(start - timedelta(days=plan.days + 1))
    home, log = Home(place / "home"), place / "log"
    home.has_relay = True
    home.prepare()
    with serving(home, clock.path, log) as post:
        world = World(home, post, clock, Random(plan.seed))
        season = Season(plan, world, clock.now())
        season.play(by_day(plan), show)
    games = world.games()
    return Ending(
        mails=post.sent,
        letters=sum(map(len, post.boxes.values())),
        boards=len(games),
        commands=world.used,
        deeds=Counter(_word(record) for game in games for record in game.records),
        endings=Counter(game.result.how.value for game in games if game.result),
        faults=tuple(faults(world, log.read_text(), place / "copy", uses_all=plan.has_everybody)),
    )


def _word(record: Record) -> str:
    placed = isinstance(record.action, tuple)
    return "placements" if placed else format_action(record.action).split(" ")[0]


def _counted(counter: Counter[str]) -> str:
    return ", ".join(f"{word} {number}" for word, number in counter.most_common())
