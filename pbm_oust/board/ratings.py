"""Ratings, computed from finished games and nothing else. Pure.

A player's first games are provisional: the rating is the mean of what each of them was worth. After
that it moves like Arpad Elo's. Each kind of game has its own ratings for each class of sizes.
"""

from collections.abc import Iterable
from enum import Enum
from typing import Any

from msgspec import Struct, field, structs

from pbm_oust.board.game import Summary
from pbm_oust.rules import Grid, Kind

START = 1600
"""The rating of a player without games."""
PROVISIONAL = 20
"""The number of games after which a rating is no longer provisional."""
STEP = 400
"""The worth of a provisional win, above an established opponent's rating."""
HALF_STEP = 200
"""The worth of a provisional win above the mean of both ratings, if the opponent is provisional."""
K = 32
"""The most points that an established player can win or lose in a game."""
SCALE = 400
"""The points for odds ten times better, in Elo's formula."""


SortKey = tuple[int, int]
"""The order of a game: the second in which it ended, since 1970 in UTC, and its number."""


class SizeClass(Enum):
    """A class of sizes, by the number of cells of a grid."""

    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"


LARGEST = {SizeClass.SMALL: 80, SizeClass.MEDIUM: 150}
"""The most cells that a grid of each class may have; the last class has no limit."""


class Standing(Struct, frozen=True):
    """The rating and the games of a player in one class of one game."""

    userid: str
    rating: float = START
    wins: int = 0
    losses: int = 0
    draws: int = 0
    worth: float = 0.0
    """The sum of the worths of the provisional games."""

    @property
    def games(self) -> int:
        """The number of rated games."""
        return self.wins + self.losses + self.draws

    @property
    def is_provisional(self) -> bool:
        """Whether the rating is the mean of the first games."""
        return self.games < PROVISIONAL

    def fields(self) -> dict[str, Any]:
        """Return the standing as JSON has it."""
        names = ("userid", "rating", "is_provisional", "games", "wins", "losses", "draws")
        return {name.removeprefix("is_"): getattr(self, name) for name in names}


class RatingChange(Struct, frozen=True):
    """The change of a player's rating by one game."""

    before: Standing
    opponent: Standing
    outcome: int
    """1 for a win, 0 for a draw, -1 for a loss."""
    after: Standing

    @property
    def worth(self) -> float:
        """The worth of the game, if the player was provisional."""
        if self.opponent.is_provisional:
            mean = (self.before.rating + self.opponent.rating) / 2
            return mean + HALF_STEP * self.outcome
        return self.opponent.rating + STEP * self.outcome

    @property
    def factor(self) -> float:
        """K, or less of it against a provisional opponent."""
        games = self.opponent.games
        return K * games / PROVISIONAL if self.opponent.is_provisional else K

    @property
    def expected(self) -> float:
        """The score that the ratings promised, between 0 and 1."""
        ahead = self.opponent.rating - self.before.rating
        return float(1 / (1 + 10 ** (ahead / SCALE)))

    @property
    def score(self) -> float:
        """The score of the game: 1, 0.5 or 0."""
        return (self.outcome + 1) / 2


class RatedGame(Struct, frozen=True):
    """A game and the changes of both ratings."""

    game: Summary
    x: RatingChange
    o: RatingChange


class Table(Struct, frozen=True):
    """The ratings of one class of one game."""

    kind: Kind
    size: SizeClass
    standings: dict[str, Standing] = field(default_factory=dict)
    games: list[RatedGame] = field(default_factory=list)

    def ordered(self) -> list[Standing]:
        """Return the standings, the highest rating first."""
        return sorted(self.standings.values(), key=lambda each: (-each.rating, each.userid))


def size_class(grid: Grid) -> SizeClass:
    """Return the class of a grid."""
    cells = grid.cells.bit_count()
    return next((size for size, most in LARGEST.items() if cells <= most), SizeClass.LARGE)


def place_of(game: Summary) -> SortKey:
    """Return the place of a finished game in the order in which games are counted."""
    return int(game.latest.timestamp()), game.board


def rate(games: Iterable[Summary]) -> list[Table]:
    """Return the ratings after these games, which all count, taken in their order."""
    tables: dict[tuple[str, SizeClass], Table] = {}
    for game in sorted(games, key=place_of):
        size = size_class(game.grid)
        table = tables.setdefault((game.kind.name, size), Table(game.kind, size))
        table.games.append(count_game(game, table.standings))
    order = list(SizeClass)
    return sorted(tables.values(), key=lambda each: (each.kind.name, order.index(each.size)))


def count_game(game: Summary, standings: dict[str, Standing]) -> RatedGame:
    """Return the effect of a game on both ratings, and update the standings of its class."""
    x, o = (standings.get(userid, Standing(userid)) for userid in (game.x, game.o))
    outcome = 0 if game.winner is None else 1 if game.winner == game.x else -1
    rated = RatedGame(game, change_by(x, o, outcome), change_by(o, x, -outcome))
    for change in (rated.x, rated.o):
        standings[change.after.userid] = change.after
    return rated


def change_by(before: Standing, opponent: Standing, outcome: int) -> RatingChange:
    """Return the effect of a game on one rating; `outcome` is 1, 0 for a draw, or -1 for a loss."""
    counted = structs.replace(
        before,
        wins=before.wins + (outcome == 1),
        losses=before.losses + (outcome == -1),
        draws=before.draws + (outcome == 0),
    )
    change = RatingChange(before, opponent, outcome, counted)
    if before.is_provisional:
        worth = before.worth + change.worth
        after = structs.replace(counted, worth=worth, rating=worth / counted.games)
    else:
        points = change.factor * (change.score - change.expected)
        after = structs.replace(counted, rating=before.rating + points)
    return structs.replace(change, after=after)
