"""A board as its page shows it: a position among those that its records led to. Pure."""

from collections.abc import Callable
from dataclasses import dataclass

from pbm_oust.board.game import Game, taken_in_turn
from pbm_oust.board.record import Record
from pbm_oust.letters.translator import Translator
from pbm_oust.render.html import Marks
from pbm_oust.render.svg import Labels, board_svg
from pbm_oust.render.text import cells_text
from pbm_oust.rules.position import Position, Side
from pbm_oust.web import addresses

MOST_LISTED = 400
"""How many records a page lists; of a longer game, those around the position."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A side with its player and its figures."""

    side: str
    player: str
    figures: str
    """As letters have them: `41/46`."""


@dataclass(frozen=True, slots=True)
class View:
    """A board after one of its records."""

    latest: Game
    """The game as it is."""
    game: Game
    """As it was after the record."""
    is_by_number: bool
    """Whether the record was named; otherwise it is the latest, whichever that is."""

    @property
    def name(self) -> str:
        """The board's name."""
        return self.game.name

    @property
    def number(self) -> int:
        """The number of the record; 0 before the first."""
        return len(self.game.records)

    @property
    def count(self) -> int:
        """How many records the game has."""
        return len(self.latest.records)

    @property
    def is_now(self) -> bool:
        """Whether this is the board as it is."""
        return self.number == self.count

    @property
    def path(self) -> str:
        """Where the page is."""
        return addresses.of_board(self.name, self.number if self.is_by_number else None)

    def path_after(self, number: int) -> str:
        """Return where the page of the board after another record is."""
        return addresses.of_board(self.name, None if number == self.count else number)

    @property
    def marks(self) -> Marks:
        """The stones and points that are marked."""
        return Marks(self.game.latest_stones(), taken_in_turn(self.game))

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Both sides."""
        game = self.game
        return tuple(
            Seat(
                side.value,
                game.owner(side),
                "/".join(map(str, game.position.tally(side))),
            )
            for side in Side
        )

    @property
    def listed(self) -> tuple[Record, ...]:
        """The records that the page lists."""
        start = max(0, min(self.number - MOST_LISTED // 2, self.count - MOST_LISTED))
        return self.latest.records[start : start + MOST_LISTED]


def view_of(game: Game, number: int | None) -> View:
    """Return a board after a record, or as it is."""
    return View(game, game if number is None else game.after(number), number is not None)


def picture(view: View, translator: Translator, title: str = "", prefix: str = "b") -> str:
    """Return a board as SVG, with a title of its own unless one is given.

    The prefix tells it from other boards on the same page.
    """
    words = translator.gettext
    title = title or words("%(board)s after #%(number)s", board=view.name, number=view.number)
    return drawn(view.game.position, view.marks, title, translator, prefix=prefix)


def drawn(
    position: Position,
    marks: Marks,
    title: str,
    translator: Translator,
    *,
    taps: Callable[[str], str] | None = None,
    prefix: str = "b",
) -> str:
    """Return a position as SVG that also says in words what it shows.

    `taps` and `prefix` are those of `board_svg`.
    """
    grid, words = position.grid, translator.gettext
    stones = ((side.value, cells_text(grid, position.stones(side))) for side in Side)
    said = [f"{side}: {cells or words('no stones')}" for side, cells in stones]
    if marks.latest:
        said.append(words("Latest, ringed: %(cells)s", cells=cells_text(grid, marks.latest)))
    if marks.taken:
        cells = cells_text(grid, marks.taken)
        said.append(words("Off the board in this turn, dashed: %(cells)s", cells=cells))
    labels = Labels(title, ". ".join(said), words(", captures"))
    return board_svg(position, marks, labels, taps=taps, prefix=prefix)
