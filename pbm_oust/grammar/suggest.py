"""What could be done on a board: examples, and what to do in place of what is refused. Pure."""

from functools import lru_cache

from pbm_oust.board.game import Game
from pbm_oust.board.reasons import AfterTurn, AgainstRules
from pbm_oust.board.record import Deed, Place, Wish
from pbm_oust.refusal import Refusal
from pbm_oust.rules.grid import Grid, NoSuchCell
from pbm_oust.rules.position import Position, choices


@lru_cache(maxsize=64)
def example(position: Position) -> str | None:
    """Return the name of the first placement of the side to move; what it is worth does not count.

    The latest ones are remembered, because a letter names its example in several places.
    """
    placements, _ = choices(position)
    names = position.grid.names_of.items()
    return next((name for cell, name in names if cell & placements), None)


def next_wish(game: Game) -> Wish | None:
    """Return something that the player to move could do now; None if the game is over."""
    if game.result:
        return None
    cell = example(game.position)
    return Place((cell,)) if cell else Deed.PASS


def nearest(grid: Grid, cells: int, name: str) -> list[str]:
    """Return the names of a few of `cells`, those nearest to the cell `name` first."""
    try:
        reached = grid.parse_cell(name)
    except NoSuchCell:
        return grid.names(cells)[:4]
    found: list[str] = []
    while len(found) < 4 and reached != grid.cells:
        ring = grid.neighbours(reached) & ~reached
        found += grid.names(ring & cells)
        reached |= ring
    return found[:4]


def legal_near(reason: AgainstRules, cell: str) -> list[str]:
    """Return a few legal placements to replace an illegal one, nearest first."""
    return nearest(reason.before.grid, reason.before.placements(), cell)


def possible_wish(game: Game, wish: Wish) -> Wish | None:
    """Return the wish of the player to move, or a possible one if it is not."""
    try:
        game.act(game.to_move, wish, game.latest, key="")
    except Refusal as refusal:
        return wish_instead(game, refusal)
    return wish


def wish_instead(game: Game, refusal: Refusal) -> Wish | None:
    """Return what the player to move could do in place of what the rules refuse."""
    match refusal.reason:
        case AfterTurn(played=played):
            return Place(played)
        case AgainstRules(played=played) as reason:
            near = legal_near(reason, refusal.culprit)
            return Place((*played, *near[:1]))
    return next_wish(game)
