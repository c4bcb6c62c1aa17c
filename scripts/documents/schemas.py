"""What programs may rely on in our JSON, as JSON Schema.

Each class is an object with these names; those that may be missing are `UNSET`.
"""

import inspect
import json
from typing import Annotated, Any, Literal, get_type_hints

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.document import KEPT
from pbm_oust.board.ratings import SizeClass
from pbm_oust.doctor import Severity
from pbm_oust.play.moving import Channel
from pbm_oust.rules import KINDS
from pbm_oust.store.letters import LetterState
from pbm_oust.tournaments.cup import Every, Out, State

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Time = Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$")]
Kind = Annotated[str, Meta(pattern=f"^({'|'.join(KINDS)})$")]
Positive = Annotated[int, Meta(ge=1)]
Count = Annotated[int, Meta(ge=0)]
Chance = Annotated[float, Meta(ge=0, le=1)]
Side = Literal["x", "o"]


class Result(Struct):
    """How a game ended; the winner of a draw is null."""

    winner: Side | None
    how: str


class Board(Struct):
    """A board, as lists have it. `to_move` and `result` are null in turn."""

    kind: Kind
    board: Positive
    grid: str
    x: str
    o: str
    started: Time
    records: Count
    to_move: Side | None
    result: Result | None
    won_by: str | None


class ListedBoard(Board):
    """A board with the time until which the player to move has."""

    deadline: Time | None


class Sides(Struct):
    """The cells with the stones of each side."""

    x: list[str]
    o: list[str]


class Tally(Struct):
    """The size of the largest group of each side, and its number of stones."""

    x: list[Count]
    o: list[Count]


class ShownBoard(ListedBoard):
    """A board with its stones, and with the cells on which the player to move may place."""

    stones: Sides
    tally: Tally
    placements: list[str]
    must_pass: bool


class Placement(Struct):
    """A stone that was put down, and how many it took."""

    cell: str
    took: Count


class Record(Struct):
    """A record: placements, or the words of a history; `*` is the server or its operator."""

    number: Positive
    side: Literal["x", "o", "*"]
    action: list[Placement] | str
    at: Time
    id: Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]


class Owners(Struct):
    """Who owned the sides at the start."""

    X: str
    O: str


class HistoryOfBoard(Board):
    """A board with its records; `x` and `o` are the owners as the game stands."""

    at_start: Owners
    records: list[Record]  # type: ignore[assignment]  # it has them in the place of their number


class Remark(Struct):
    """A remark, and its line in the history."""

    line: Positive
    text: str


class Game(Struct):
    """A whole game, as exports have it and imports take it."""

    format: Literal["pbm_oust game 1"]
    header: dict[str, str]
    records: list[Record]
    result: Result | None
    remarks: list[Remark]


class Mail(Struct):
    """The mail that led to a record, and what became of the answer to it."""

    userid: str
    from_: str = msgspec.field(name="from")
    message_id: str | None
    id: str | None
    answer: str | None


class Origin(Struct):
    """How a record came about."""

    kind: Kind
    board: Positive
    record: Record
    way: Channel
    came: Time | None
    records: list[Positive] | None
    mail: Mail | None


class Verified(Struct):
    """What was found when a history was replayed; `line` and `reason` are there if it is wrong."""

    ok: bool
    kind: Kind
    board: Positive
    path: str
    text: str
    line: Count | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class Evaluation(Struct):
    """What the house thinks after a record; `line` is how to go on best from there."""

    after: Count
    x_wins: Chance
    certain: bool
    line: list[str]


class TurningPoint(Struct):
    """A record with which a game turned, and the chances of its player before and after it."""

    number: Positive
    player: str
    chances: list[Chance]
    reasons: list[dict[str, Any]]
    better: list[str]
    words: str


class AnalysedBoard(Board):
    """A game that is over with its analysis."""

    turning_points: list[TurningPoint]
    seconds: float
    positions: list[Evaluation]


class Letter(Struct):
    """A letter that has not left."""

    name: str
    to: str
    subject: str
    date: str
    message_id: str
    state: LetterState


class Player(Struct):
    """An account; `disabled` is since when."""

    userid: str
    addresses: list[str]
    joined: Time
    disabled: Time | None


Kept = msgspec.defstruct(
    "Kept",
    [
        (name, hint, UNSET)
        for name, hint in get_type_hints(Account, include_extras=True).items()
        if name in KEPT
    ],
)
Kept.__doc__ = (
    "What an account keeps, by the names of its parts; those without anything are missing."
)


class ShownPlayer(Player):
    """An account with all that it keeps."""

    kept: Kept  # type: ignore[valid-type]  # it is made from the account


class Standing(Struct):
    """A player in a table of ratings."""

    userid: str
    rating: float
    provisional: bool
    games: Count
    wins: Count
    losses: Count
    draws: Count


class Standings(Struct):
    """The ratings of a game for a class of sizes, the best first."""

    kind: Kind
    size: SizeClass
    standings: list[Standing]


class Rating(Struct):
    """A player and their rating."""

    userid: str
    rating: float


class RatedGame(Struct):
    """What both players had after a game."""

    board: Positive
    x: Rating
    o: Rating


class Ratings(Standings):
    """Ratings with the games that led to them."""

    games: list[RatedGame]


class Done(Struct):
    """What a sweep did."""

    about: str
    what: str


class Trouble(Struct):
    """What a sweep could not look at."""

    about: str
    reason: str


class Swept(Struct):
    """What a sweep led to."""

    done: list[Done]
    troubles: list[Trouble]


class Health(Struct):
    """Whether mail can be taken, and if not, why; the words of `trouble` stay."""

    takes_mail: bool
    trouble: str | None
    text: str | None


class Finding(Struct):
    """What the doctor says about one thing; the words of `about` stay."""

    verdict: Severity
    about: str
    text: str


class Diagnosis(Health):
    """All that the doctor finds; `verdict` is the most serious one."""

    verdict: Severity
    findings: list[Finding]


class Cup(Struct):
    """A tournament."""

    kind: Kind
    number: Positive
    title: str
    grid: str
    terms: str
    section: Positive
    games: Positive
    starts: Time
    every: Every | None
    fill: list[str]
    organiser: str | None
    state: State
    round: Count
    players: Count
    winners: list[str]


class Entry(Struct):
    """A player who has entered a tournament; `out` is since when they are out of it."""

    userid: str
    at: Time
    most: Positive | None
    out: Time | None
    why: Out | None


class Score(Struct):
    """How a player stands in a section."""

    place: Positive
    userid: str
    points: float
    won: list[str]
    drawn: list[str]
    lost: list[str]
    points_of_beaten: float
    points_among_equals: float


class Section(Struct):
    """A section of a round."""

    round: Positive
    section: Positive
    is_over: bool
    table: list[Score]
    boards: list[str]


class ShownCup(Cup):
    """A tournament with those who have entered, and the tables of its latest round."""

    entries: list[Entry]
    sections: list[Section]


class CupPage(ShownCup):
    """A page of a tournament; `further` is the address of the next one."""

    further: str | None


class Cups(Struct):
    """Tournaments."""

    tournaments: list[Cup]


class Disagreement(Struct):
    """In what a tournament or a ladder differs from its boards."""

    tournament: str
    wrong: str


class Rung(Struct):
    """A player on a ladder, on how many of its boards they play, and since when they are there."""

    userid: str
    place: Positive
    playing: Count
    since: Time


class Ladder(Struct):
    """A ladder from the top."""

    grid: str
    terms: str
    players: list[Rung]


class LadderBoard(Struct):
    """A challenge in play."""

    board: Positive
    challenger: str
    defender: str


class LadderPage(Ladder):
    """A page of a ladder, and the challenges of those who are on it."""

    kind: Kind
    boards: list[LadderBoard]
    further: str | None


class Found(Struct):
    """What a search finds; `further` is the address where it goes on."""

    boards: list[Board]
    looked_at: Count
    further: str | None


class LatelyPlayed(Struct):
    """A player with the day of their latest game, and their ratings by the names of games."""

    userid: str
    day: Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
    ratings: dict[str, Standing]


class PlayersPage(Struct):
    """Who has played of late; `further` is the address of the next page."""

    players: list[LatelyPlayed]
    further: str | None


class Sequences(Struct):
    """How many sequences of placements there are, perhaps by the first placement."""

    kind: Kind
    grid: str
    depth: Positive
    sequences: Count
    by_first: dict[str, Count] | UnsetType = UNSET


class Figures(Struct):
    """The mean, the median and the standard error of the mean."""

    mean: float
    median: float
    stderr: float


class Simulated(Struct):
    """What random games had in common; where turns are single placements, these are counted."""

    kind: Kind
    grid: str
    games: Positive
    results: dict[str, Count]
    passes: Count
    longest_chain: Count
    placements: Figures | UnsetType = UNSET
    placements_per_second: Count | UnsetType = UNSET
    turns: Figures | UnsetType = UNSET
    turns_per_second: Count | UnsetType = UNSET


class Solved(Struct):
    """Who wins a small board; `reachable` and `table` count positions, if they were asked for."""

    kind: Kind
    grid: str
    without_swap: str
    with_swap: str
    winning_first_stones: list[str]
    draw_forced_by: list[Side]
    positions: Count
    seconds: float
    reachable: Count | UnsetType = UNSET
    table: Count | UnsetType = UNSET


OF_COMMANDS: dict[str, Any] = {
    "doctor": Diagnosis,
    "games analyse": AnalysedBoard,
    "games export": Game,
    "games history": HistoryOfBoard,
    "games list": list[ListedBoard],
    "games show": ShownBoard,
    "games verify": list[Verified],
    "games why": Origin,
    "outbox list": list[Letter],
    "players list": list[Player],
    "players show": ShownPlayer,
    "ratings": list[Ratings],
    "rules perft": Sequences,
    "rules simulate": Simulated,
    "rules solve": Solved,
    "standings": list[Standings],
    "sweep": Swept,
    "tournaments cancel": Cup,
    "tournaments create": Cup,
    "tournaments extend": Cup,
    "tournaments ladder": Ladder,
    "tournaments list": list[Cup],
    "tournaments remove": Cup,
    "tournaments show": ShownCup,
    "tournaments start": Cup,
    "tournaments verify": list[Disagreement],
}
"""What each command of `pbm-oust` prints with --json."""


class ResultCount(Struct):
    """Games with a placement, by what they were worth to the side that placed."""

    won: Count
    drawn: Count
    lost: Count


class NextPlacement(Struct):
    """What came of a placement, on this server and in games of the house against itself.

    Only symmetry tells its cells apart.
    """

    cells: list[str]
    here: ResultCount
    house: ResultCount


class OpeningPage(Struct):
    """What was played after placements on an empty board; `to_move` is null after the game."""

    kind: Kind
    grid: str
    line: list[str]
    to_move: Side | None
    placements: list[NextPlacement]


OF_PAGES: dict[str, Any] = {
    "page of a board": Game,
    "page of a ladder": LadderPage,
    "page of a search": Found,
    "page of a tournament": CupPage,
    "page of an opening": OpeningPage,
    "page of health": Health,
    "page of players": PlayersPage,
    "page of tournaments": Cups,
}
"""What pages answer with."""


def schemas() -> str:
    """Return docs/schemas.json: the shapes of all outputs, by their names, among those of parts."""
    outputs = OF_COMMANDS | OF_PAGES
    shapes, parts = msgspec.json.schema_components(outputs.values(), ref_template="#/$defs/{name}")
    shown = dict(zip(outputs, shapes, strict=True)) | parts
    for shape in shown.values():
        if "description" in shape:  # some versions of msgspec leave the docstring indented
            shape["description"] = inspect.cleandoc(shape["description"])
    whole = {"$schema": DIALECT, "title": "JSON of pbm_oust", "$defs": shown}
    return f"{json.dumps(whole, indent=1)}\n"
