"""A cup: round robins in sections, whose winners play on until one section is left. Pure.

Everything follows from the players of a section and its boards.
"""

from calendar import monthrange
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from itertools import combinations
from typing import Annotated, Any

from msgspec import Meta, Struct, field, structs

from pbm_oust.accounts.items import Kind, Number, Time, Userid
from pbm_oust.board import Summary, Terms, has_counted, notation
from pbm_oust.rules import Grid, parse_grid
from pbm_oust.rules.position import How

SMALLEST, LARGEST = 2, 16
"""How many players a section may be meant for."""
USUAL_SIZE = 5
"""How many players a section is usually meant for."""
MOST_GAMES = 4
"""The most games of a pair in a section."""
WIN, DRAW = 2, 1
"""The points for a game."""
MOST_TIMES_LOST = 3
"""The number of games lost on time that puts a player out of the cup."""


SOURCE = "tournament"
"""The first word in the source of a tournament's board, in its history."""


class State(Enum):
    """The state of a tournament."""

    OPEN = "open"
    """Players may enter it."""
    RUNNING = "running"
    OVER = "over"
    CANCELLED = "cancelled"


GOING_ON, ENDED = (State.OPEN, State.RUNNING), (State.OVER, State.CANCELLED)


class Every(Enum):
    """The interval of a recurring tournament."""

    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"

    @property
    def months(self) -> int:
        """The number of months."""
        return {Every.MONTH: 1, Every.QUARTER: 3, Every.YEAR: 12}[self]


class CupNews(Enum):
    """News about a cup to its players."""

    ANNOUNCED = "announced"
    SHOWN = "shown"
    CANCELLED = "cancelled"
    BEGUN = "begun"
    """The games of the reader's section begin."""
    SECTION_OVER = "section_over"
    OVER = "over"


class Cup(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A cup: its settings, and its progress."""

    kind: Kind
    number: Number
    title: str
    grid_name: str = field(name="grid")
    terms_words: str = field(name="terms")
    size: Annotated[int, Meta(ge=SMALLEST, le=LARGEST)] = field(name="section")
    """The intended number of players in a section."""
    games: Annotated[int, Meta(ge=1, le=MOST_GAMES)] = 1
    """The number of games of each pair."""
    starts: Time
    every: Every | None = None
    house: tuple[Userid, ...] = ()
    """House players who fill the last section."""
    organiser: Userid | None = None
    """The player who has announced it; None if the operator has."""
    state: State = State.OPEN
    round: Annotated[int, Meta(ge=0)] = 0
    """The number of the latest round that has begun."""
    winners: tuple[Userid, ...] = ()
    telling: CupNews | None = None
    """The news that players are being told, some at a time."""
    told: str = ""
    """The last userid, in order, that has been told."""

    def __post_init__(self) -> None:
        parse_grid(self.grid_name)
        notation.parse_terms(self.terms_words)

    @property
    def name(self) -> str:
        """The name for people: `oust tournament 3`."""
        return f"{self.kind} {SOURCE} {self.number}"

    @property
    def grid(self) -> Grid:
        """The grid of all boards."""
        return parse_grid(self.grid_name)

    @property
    def terms(self) -> Terms:
        """The terms of all boards."""
        return notation.parse_terms(self.terms_words)


def cup_fields(cup: Cup, entered: int) -> dict[str, Any]:
    """Return a cup with its number of players as JSON has it."""
    return {
        "kind": cup.kind,
        "number": cup.number,
        "title": cup.title,
        "grid": cup.grid_name,
        "terms": cup.terms_words,
        "section": cup.size,
        "games": cup.games,
        "starts": notation.format_time(cup.starts),
        "every": cup.every.value if cup.every else None,
        "fill": list(cup.house),
        "organiser": cup.organiser,
        "state": cup.state.value,
        "round": cup.round,
        "players": entered,
        "winners": list(cup.winners),
    }


def following(starts: datetime, every: Every) -> datetime:
    """Return the start of the next cup; in a short month, on its last day."""
    years, month = divmod(starts.month - 1 + every.months, 12)
    year = starts.year + years
    return starts.replace(
        year=year, month=month + 1, day=min(starts.day, monthrange(year, month + 1)[1])
    )


class Out(Enum):
    """The reason for which a player is out of a cup."""

    WITHDRAWN = "withdrawn"
    REMOVED = "removed"
    """The operator removed the player."""
    EXCUSED = "excused"
    """The operator removed the player, and their games in progress count as never begun."""
    GONE = "gone"
    """The account is disabled, or has signed off."""
    TIME = "time"
    """The player has lost games on time."""


class Entry(Struct, frozen=True):
    """A participant of a cup."""

    userid: str
    at: datetime
    most: int | None = None
    """The most boards at once; None for any number."""
    out: datetime | None = None
    why: Out | None = None

    def fields(self) -> dict[str, Any]:
        """Return the entry as JSON has it."""
        return {
            "userid": self.userid,
            "at": notation.format_time(self.at),
            "most": self.most,
            "out": notation.format_time(self.out) if self.out else None,
            "why": self.why.value if self.why else None,
        }


class Pairing(Struct, frozen=True):
    """A game to be played, by the owners of its sides at the start."""

    x: str
    o: str

    @property
    def players(self) -> frozenset[str]:
        """The two players, on either side."""
        return frozenset((self.x, self.o))


def draw(players: Sequence[str], size: int, fewer_than: int = 0) -> list[tuple[str, ...]]:
    """Return sections of equal strength; `players` come strongest first.

    A section has `size` players at most, and all have the same number or one more; nobody is alone,
    so for an odd number of players one of pairs has three. They are dealt out in a snake: the best
    of each section first, then the second best in the opposite order. With `fewer_than` there are
    fewer sections than that, however large they become.
    """
    number = min(-(-len(players) // size), max(1, len(players) // SMALLEST))
    if fewer_than:
        number = min(number, fewer_than - 1)
    sections: list[list[str]] = [[] for _ in range(number)]
    for place, player in enumerate(players):
        row, column = divmod(place, number)
        sections[column if row % 2 == 0 else number - 1 - column].append(player)
    return [tuple(section) for section in sections]


def pairings(section: Sequence[str], games: int) -> list[Pairing]:
    """Return the games of a section in the order of their beginning, if not all begin at once.

    That is the order of the rounds in which everybody plays once (the circle method). Everybody
    owns x as often as o, or once more or less; where each pair plays twice, exactly as often.
    """
    players = len(section)
    turning = players - 1 + players % 2

    def round_of(pair: tuple[int, int]) -> int:
        one, other = pair
        return (2 * one if other == turning else one + other) % turning

    ordered = sorted(combinations(range(players), 2), key=round_of)
    once = [
        Pairing(section[one], section[other])
        if (one + other) % 2
        else Pairing(section[other], section[one])
        for one, other in ordered
    ]
    exchanged = [Pairing(each.o, each.x) for each in once]
    return [each for time in range(games) for each in (exchanged if time % 2 else once)]


def to_begin(
    wanted: Iterable[Pairing],
    begun: Iterable[Summary],
    out: Iterable[str],
    room: Callable[[str], int | None],
) -> list[Pairing]:
    """Return the games of a section that can begin now.

    `begun` are its boards, whose sides may have been swapped since; `out` are the players who are
    out of the cup. `room` returns the number of further boards for a player, or None for any
    number.
    """
    known = times_played(begun)
    gone, taken, found = frozenset(out), Counter[str](), list[Pairing]()
    for pairing in wanted:
        if known[pairing.players]:
            known[pairing.players] -= 1
        elif not pairing.players & gone:
            rooms = [(userid, room(userid)) for userid in pairing.players]
            if all(most is None or taken[userid] < most for userid, most in rooms):
                taken.update(pairing.players)
                found.append(pairing)
    return found


def times_played(boards: Iterable[Summary]) -> Counter[frozenset[str]]:
    """Return the number of boards that each pair has begun, on either side."""
    return Counter(frozenset((each.x, each.o)) for each in boards)


class Score(Struct, frozen=True):
    """The result of a player in a section, by points and tie-breaks."""

    userid: str
    place: int = 1
    """The place from 1; players with equal results share one."""
    won: tuple[str, ...] = ()
    """The beaten opponents, once for each game."""
    drawn: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    beaten_points: int = 0
    """The points of all opponents in `won`: the first tie-break."""
    points_among: int = 0
    """The points from games among players still equal: the second tie-break."""

    @property
    def points(self) -> int:
        """Two for each win and one for each draw."""
        return WIN * len(self.won) + DRAW * len(self.drawn)

    @property
    def games(self) -> int:
        """The number of games that count."""
        return len(self.won) + len(self.drawn) + len(self.lost)

    def fields(self) -> dict[str, Any]:
        """Return the score as JSON has it."""
        return {
            "place": self.place,
            "userid": self.userid,
            "points": self.points,
            "won": list(self.won),
            "drawn": list(self.drawn),
            "lost": list(self.lost),
            "points_of_beaten": self.beaten_points,
            "points_among_equals": self.points_among,
        }


def table(section: Sequence[str], boards: Iterable[Summary]) -> list[Score]:
    """Return the standings of a section, best first.

    Points decide; then the points of beaten opponents; then the points from games among those who
    are still equal. Players equal in all that share the place.
    """
    ours = frozenset(section)
    over = [each for each in boards if has_counted(each) and {each.x, each.o} <= ours]
    scores = {userid: _score(userid, over) for userid in section}
    for userid, score in scores.items():
        points = sum(scores[other].points for other in score.won)
        scores[userid] = structs.replace(score, beaten_points=points)
    for equals in _groups(scores.values(), lambda each: (each.points, each.beaten_points)).values():
        among = frozenset(each.userid for each in equals)
        for score in equals if len(equals) > 1 else ():
            points = sum(WIN for each in score.won if each in among)
            points += sum(DRAW for each in score.drawn if each in among)
            scores[score.userid] = structs.replace(score, points_among=points)
    ordered = sorted(scores.values(), key=_merit, reverse=True)
    ahead = {merit: place for place, merit in reversed([*enumerate(map(_merit, ordered), 1)])}
    return [structs.replace(each, place=ahead[_merit(each)]) for each in ordered]


def winners(scores: Iterable[Score], out: Iterable[str]) -> list[str]:
    """Return the winners of a section: the first who is not out, or all who share that place."""
    gone = frozenset(out)
    left = [each for each in scores if each.userid not in gone]
    return [each.userid for each in left if each.place == left[0].place]


def times_lost(boards: Iterable[Summary]) -> Mapping[str, int]:
    """Return the number of games that each player has lost on time."""
    late = Counter[str]()
    for each in boards:
        if each.result and each.result.how is How.FORFEIT:
            late[each.o if each.winner == each.x else each.x] += 1
    return late


def _score(userid: str, over: Iterable[Summary]) -> Score:
    won, drawn, lost = list[str](), list[str](), list[str]()
    for game in over:
        if userid in (game.x, game.o):
            other = game.o if userid == game.x else game.x
            found = drawn if game.winner is None else won if game.winner == userid else lost
            found.append(other)
    return Score(userid, won=tuple(won), drawn=tuple(drawn), lost=tuple(lost))


def _merit(score: Score) -> tuple[int, int, int]:
    return score.points, score.beaten_points, score.points_among


def _groups(
    scores: Iterable[Score], key: Callable[[Score], tuple[int, int]]
) -> dict[tuple[int, int], list[Score]]:
    found: dict[tuple[int, int], list[Score]] = {}
    for score in scores:
        found.setdefault(key(score), []).append(score)
    return found
