"""A ladder: who wins against somebody above takes their place. Pure.

Its state is a fold over what happened, in the order of time: who joined and left, which challenges
began and how they ended. Whoever plays no game for some time sinks to the bottom.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Set
from datetime import datetime, timedelta
from enum import Enum
from heapq import heapify, heappop, heappush
from itertools import count, islice, zip_longest

from msgspec import Struct, structs

SOURCE = "ladder"
"""The word by which the history of a board says that a challenge on the ladder began it."""
LEAST_REACH, MOST_REACH = 3, 100
"""How many places above one may challenge; between these it is a tenth of the ladder."""
_LOOKED_AT = 3 * MOST_REACH
"""How many players above are looked at, with those who are passed over."""
PAUSE = timedelta(days=14)
"""How long nobody may be challenged by the same player again."""
MOST_DEFENCES = 3
"""How many challenges a player defends at a time."""
IDLE = timedelta(days=60)
"""How long a player stays in a place without playing."""
BEGINS, ENDS = 0, 1_000_000
"""The numbers of the events of a board, between and behind which others of that second stand."""


class LadderStep(Enum):
    """The changes that can happen to a player on a ladder."""

    JOIN = "join"
    LEAVE = "leave"
    BEGIN = "begin"
    """A challenge begins a board."""
    WIN = "win"
    """The challenger wins it."""
    HOLD = "hold"
    """It ends in any other way."""
    VOID = "void"
    """It counts as never begun, so nobody has played."""


class Event(Struct, frozen=True, order=True):
    """Something that happened. Events of one second are in the order of their boards."""

    at: datetime
    board: int
    """The number of the board; for who joins or leaves, that of a board behind which they stand."""
    number: int
    """What tells it from others of that second and board."""
    step: str
    """The value of a `LadderStep`."""
    userid: str
    """Who joined, left, or challenged."""
    defender: str = ""


class Challenge(Struct, frozen=True, omit_defaults=True):
    """A challenge that began a board, and what has come of it."""

    board: int
    challenger: str
    defender: str
    began: datetime
    ended: datetime | None = None
    how: LadderStep | None = None
    """How it ended, if it has: WIN, HOLD or VOID."""

    @property
    def players(self) -> tuple[str, str]:
        """The userids of both players."""
        return self.challenger, self.defender

    def events(self) -> list[Event]:
        """Return what has happened so far."""
        found = [Event(self.began, self.board, BEGINS, LadderStep.BEGIN.value, *self.players)]
        if self.ended and self.how:
            found.append(Event(self.ended, self.board, ENDS, self.how.value, *self.players))
        return found


class Rung(Struct, frozen=True, array_like=True, gc=False):
    """A player on a ladder."""

    userid: str
    since: datetime
    """When the player last began to be idle: as they joined, ended a game, or sank."""
    placed: datetime
    """Since when the player is in this place."""


class Ladder(Struct, frozen=True):
    """The state of a ladder, from the top."""

    rungs: tuple[Rung, ...] = ()
    open: tuple[Challenge, ...] = ()
    """The challenges in play, in the order in which they began."""

    def __iter__(self) -> Iterator[str]:
        return (each.userid for each in self.rungs)

    @property
    def playing(self) -> Counter[str]:
        """On how many boards players play, who do not sink meanwhile."""
        return Counter(userid for each in self.open for userid in each.players)

    def place_of(self, userid: str) -> int | None:
        """Return the place of a player, from 1; None for who is not on the ladder."""
        places = (place for place, each in enumerate(self.rungs, 1) if each.userid == userid)
        return next(places, None)

    def at(self, moment: datetime) -> "Ladder":
        """Return the ladder when idle players have sunk until a moment, one after the other."""
        idle_before = moment - IDLE
        if not any(each.since < idle_before for each in self.rungs):
            return self
        playing, names = self.playing, [*self]
        idle_since = {each.userid: each.since for each in self.rungs}
        placed = [each.placed for each in self.rungs]
        idle = [
            (each.since, nth, each.userid)
            for nth, each in enumerate(self.rungs)
            if each.userid not in playing
        ]
        heapify(idle)
        behind = count(len(names))
        while idle and idle[0][0] < idle_before:
            since, _, userid = heappop(idle)
            sunk, place = since + IDLE, names.index(userid)
            if below := names[place + 1 :]:
                names[place:] = [*below, userid]
                placed[place:] = [sunk] * (len(below) + 1)
            idle_since[userid] = sunk
            heappush(idle, (sunk, next(behind), userid))
        since_of = map(idle_since.__getitem__, names)
        return structs.replace(self, rungs=tuple(map(Rung, names, since_of, placed)))

    def after(self, event: Event) -> "Ladder":
        """Return the ladder after something happened.

        Whoever plays on it is on it, even if nobody knows any more when they joined.
        """
        ladder, two = self.at(event.at), (event.userid, event.defender)
        step, begun = LadderStep(event.step), ladder.open
        match step:
            case LadderStep.JOIN:
                return ladder._with([event.userid], event.at)
            case LadderStep.LEAVE:
                left = (each for each in ladder.rungs if each.userid != event.userid)
                return Ladder(ladder._placed(left, event.at), begun)
            case LadderStep.BEGIN:
                rungs = ladder._with(reversed(two), event.at).rungs
                return Ladder(rungs, (*begun, Challenge(event.board, *two, event.at)))
        here, there = map(ladder.place_of, two)
        order = list(ladder.rungs)
        for place in (here, there):
            if place and step is not LadderStep.VOID:
                order[place - 1] = structs.replace(order[place - 1], since=event.at)
        if step is LadderStep.WIN and here and there and there < here:
            order.insert(there - 1, order.pop(here - 1))
        rungs = ladder._placed(order, event.at)
        return Ladder(rungs, tuple(each for each in begun if each.board != event.board))

    def renamed(self, old: str, new: str) -> "Ladder":
        """Return the same with another userid of a player."""

        def name(userid: str) -> str:
            return new if userid == old else userid

        rungs = (structs.replace(each, userid=name(each.userid)) for each in self.rungs)
        begun = (
            structs.replace(each, challenger=name(each.challenger), defender=name(each.defender))
            for each in self.open
        )
        return Ladder(tuple(rungs), tuple(begun))

    def _with(self, userids: Iterable[str], at: datetime) -> "Ladder":
        """Return the same with these players at the bottom, as far as they are not on it."""
        known = {each.userid for each in self.rungs}
        new = (Rung(each, at, at) for each in userids if each not in known)
        return structs.replace(self, rungs=(*self.rungs, *new))

    def _placed(self, rungs: Iterable[Rung], at: datetime) -> tuple[Rung, ...]:
        """Return rungs in a new order, those with the time who are in another place than before."""
        return tuple(
            new if old == new.userid else structs.replace(new, placed=at)
            for old, new in zip_longest(self, rungs)
            if new
        )


def fold(events: Iterable[Event]) -> Ladder:
    """Return the ladder after all that happened."""
    ladder = Ladder()
    for event in sorted(events):
        ladder = ladder.after(event)
    return ladder


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


def reach(size: int) -> int:
    """Return how many places above one may challenge on a ladder with so many players."""
    return min(MOST_REACH, max(LEAST_REACH, size // 10))


class Outlook(Struct, frozen=True):
    """The facts that decide whom a player may challenge."""

    userid: str
    ladder: Ladder
    recent: Set[str]
    """Whom the player has challenged within the pause."""

    @property
    def place(self) -> int | None:
        """The place of the player, from 1; None if they are not on the ladder."""
        return self.ladder.place_of(self.userid)

    @property
    def size(self) -> int:
        """The number of players on the ladder."""
        return len(self.ladder.rungs)

    def within_reach(self, is_absent: Callable[[str], bool]) -> Iterator[str]:
        """Yield those above who are near enough, the nearest first; absent ones are passed over."""
        first = (self.place or 1) - 1
        above = self.ladder.rungs[max(0, first - _LOOKED_AT) : first]
        there = (each.userid for each in reversed(above) if not is_absent(each.userid))
        return islice(there, reach(self.size))

    def free(self, is_absent: Callable[[str], bool]) -> Iterator[str]:
        """Yield whom the player may challenge now, the nearest first."""
        return (each for each in self.within_reach(is_absent) if not self.kept_from(each))

    def hindrance(self, other: str, is_absent: Callable[[str], bool]) -> Hindrance | None:
        """Return why another player cannot be challenged now, or None."""
        here, there = self.place, self.ladder.place_of(other)
        if here is None:
            return Hindrance.NOT_ON_LADDER
        if there is None:
            return Hindrance.OTHER_NOT_ON_LADDER
        if there >= here:
            return Hindrance.BELOW
        if is_absent(other):
            return Hindrance.ABSENT
        is_near = here - there <= reach(self.size)
        if not is_near and other not in self.within_reach(is_absent):
            return Hindrance.TOO_FAR
        return self.kept_from(other)

    def kept_from(self, other: str) -> Hindrance | None:
        """Return why somebody within reach cannot be challenged now, or None."""
        against = [each.challenger for each in self.ladder.open if each.defender == other]
        if other in self.recent or self.userid in against:
            return Hindrance.TOO_SOON
        return Hindrance.BUSY if len(against) >= MOST_DEFENCES else None
