"""A ladder: who wins against somebody above takes their place. Pure.

Its state is a fold over what happened, in the order of time: who joined and left, which games began
and how they ended. Whoever plays no game for some time sinks to the bottom.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from enum import Enum

from msgspec import Struct, structs

LEAST_REACH = 3
"""How many places above one may challenge at least; on a large ladder it is a tenth of it."""
PAUSE = timedelta(days=14)
"""How long nobody may be challenged by the same player again."""
MOST_DEFENCES = 3
"""How many challenges a player defends at a time."""
IDLE = timedelta(days=60)
"""How long a player stays in a place without playing."""


class Step(Enum):
    """What can happen to a player on a ladder."""

    JOIN = "join"
    LEAVE = "leave"
    BEGIN = "begin"
    """A challenge begins a board."""
    WIN = "win"
    """The challenger wins it."""
    HOLD = "hold"
    """It ends in any other way."""


class Event(Struct, frozen=True, order=True):
    """Something that happened. Events at the same moment are in the order of their boards."""

    at: datetime
    board: int
    """The number of the board; 0 where there is none."""
    step: str
    """The value of a `Step`."""
    userid: str
    """Who joined, left, or challenged."""
    defender: str = ""


class Rung(Struct, frozen=True):
    """A player on a ladder."""

    userid: str
    since: datetime
    """When the player last began to be idle: as they joined, ended a game, or sank."""
    challenging: tuple[str, ...] = ()
    """The players above whom the player has challenged on boards in play."""
    defending: int = 0
    """On how many boards in play others have challenged the player."""

    @property
    def sinks_at(self) -> datetime | None:
        """When the player sinks; None while they play."""
        return None if self.challenging or self.defending else self.since + IDLE


class Hindrance(Enum):
    """Why somebody cannot be challenged."""

    NOT_ON_LADDER = "not_on_ladder"
    """The challenger is not on the ladder."""
    OTHER_NOT_ON_LADDER = "other_not_on_ladder"
    BELOW = "below"
    """The other player stands below, or it is the challenger."""
    TOO_FAR = "too_far"
    ABSENT = "absent"
    TOO_SOON = "too_soon"
    """The same player has challenged the other one within the pause, or still plays them."""
    BUSY = "busy"
    """The other player defends as many challenges as they have to."""


class Ladder(Struct, frozen=True):
    """The state of a ladder, from the top."""

    rungs: tuple[Rung, ...] = ()
    challenged: tuple[tuple[str, str, datetime], ...] = ()
    """Who has challenged whom within the pause, and when."""

    def __iter__(self) -> Iterator[str]:
        return (each.userid for each in self.rungs)

    def place(self, userid: str) -> int | None:
        """Return the place of a player, from 1, or None."""
        places = (place for place, each in enumerate(self, 1) if each == userid)
        return next(places, None)

    def at(self, moment: datetime) -> "Ladder":
        """Return the ladder when idle players have sunk until a moment, one after the other."""
        ladder = self
        while due := [each for each in ladder.rungs if (each.sinks_at or moment) < moment]:
            first = min(due, key=lambda each: each.since)
            sunk = structs.replace(first, since=first.since + IDLE)
            others = tuple(each for each in ladder.rungs if each is not first)
            ladder = structs.replace(ladder, rungs=(*others, sunk))
        fresh = tuple(each for each in ladder.challenged if moment < each[2] + PAUSE)
        return structs.replace(ladder, challenged=fresh)

    def after(self, event: Event) -> "Ladder":
        """Return the ladder after something happened."""
        ladder, userid = self.at(event.at), event.userid
        known = ladder.place(userid) is not None
        match Step(event.step):
            case Step.JOIN:
                new = () if known else (Rung(userid, event.at),)
                return structs.replace(ladder, rungs=(*ladder.rungs, *new))
            case Step.LEAVE:
                rungs = tuple(each for each in ladder.rungs if each.userid != userid)
                return structs.replace(ladder, rungs=rungs)
            case Step.BEGIN:
                challenge = (userid, event.defender, event.at)
                ladder = structs.replace(ladder, challenged=(*ladder.challenged, challenge))
                return ladder._with(event, begins=True)
        ladder = ladder._with(event, begins=False)
        return ladder._climbed(event) if event.step == Step.WIN.value else ladder

    def hindrance(
        self, challenger: str, other: str, is_absent: Callable[[str], bool]
    ) -> Hindrance | None:
        """Return why a player cannot challenge another one now, or None.

        Absent players are passed over: they count for nothing in between.
        """
        places = {userid: place for place, userid in enumerate(self)}
        if challenger not in places:
            return Hindrance.NOT_ON_LADDER
        if other not in places:
            return Hindrance.OTHER_NOT_ON_LADDER
        if places[other] >= places[challenger]:
            return Hindrance.BELOW
        if is_absent(other):
            return Hindrance.ABSENT
        above = [each for each in self if places[other] <= places[each] < places[challenger]]
        if sum(not is_absent(each) for each in above) > self.reach:
            return Hindrance.TOO_FAR
        rung = self.rungs[places[challenger]]
        recent = any((challenger, other) == (one, two) for one, two, _ in self.challenged)
        if recent or other in rung.challenging:
            return Hindrance.TOO_SOON
        return Hindrance.BUSY if self.rungs[places[other]].defending >= MOST_DEFENCES else None

    @property
    def reach(self) -> int:
        """How many places above one may challenge."""
        return max(LEAST_REACH, len(self.rungs) // 10)

    def _with(self, event: Event, *, begins: bool) -> "Ladder":
        """Return the same with a board more or less in play."""

        def changed(rung: Rung) -> Rung:
            if rung.userid == event.userid:
                others = list(rung.challenging)
                if begins:
                    others.append(event.defender)
                elif event.defender in others:
                    others.remove(event.defender)
                return structs.replace(rung, challenging=tuple(others), since=event.at)
            if rung.userid == event.defender:
                number = rung.defending + (1 if begins else -1)
                return structs.replace(rung, defending=max(0, number), since=event.at)
            return rung

        return structs.replace(self, rungs=tuple(map(changed, self.rungs)))

    def _climbed(self, event: Event) -> "Ladder":
        """Return the same when the challenger has taken the place of the defender above."""
        here, there = self.place(event.userid), self.place(event.defender)
        if here is None or there is None or here < there:
            return self
        rungs = list(self.rungs)
        rungs.insert(there - 1, rungs.pop(here - 1))
        return structs.replace(self, rungs=tuple(rungs))


def fold(events: Iterable[Event]) -> Ladder:
    """Return the ladder after all that happened."""
    ladder = Ladder()
    for event in sorted(events):
        ladder = ladder.after(event)
    return ladder
