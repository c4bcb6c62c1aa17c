"""Decisions of a house player: whole turns, and answers to a draw."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import reduce
from math import inf

from pbm_oust.board import Deed, Game, Header, Place, Terms, Variation, Wish, variation_of
from pbm_oust.experiments.counting import orbits
from pbm_oust.experiments.pie import fairest_stone, first_stone
from pbm_oust.experiments.solve import solved
from pbm_oust.robot.greedy import outlook, simple_turn
from pbm_oust.robot.levels import LEVELS, Level, Sight, level_of
from pbm_oust.robot.search import Searched, Searcher, Trees, after_cell, can_search
from pbm_oust.rules import KINDS, Position, parse_grid


def fairest(position: Position, search: Callable[[Position, float], Searched]) -> tuple[int, float]:
    """Return the fairest first stone, and the chance of its owner.

    `search` searches a position until a share of the time is spent, and returns its tree.
    """
    cells = position.placements()
    first_stones = [min(orbit) for orbit in orbits(position.grid) if min(orbit) & cells]
    found = []
    for nth, cell in enumerate(first_stones, 1):
        node = search(position.place(cell), nth / len(first_stones))
        found.append((max(node.value, 1 - node.value), cell))
    worst, cell = min(found)
    return cell, 1 - worst


LONG = 4
"""The number of moves for each cell in a long game."""

EVEN = 0.05
"""The largest difference between the chance and one half in an even game."""


def offers_draw(game: Game, value: float, *, is_drawn: bool) -> bool:
    """Return whether the side to move, with a chance of `value`, offers a draw after its turn.

    It does if the game is known to be drawn with best play, or is long and even; and then not again
    for as many records as the board has cells.
    """
    cells = game.header.grid.cells.bit_count()
    is_even = len(game.line) >= LONG * cells and abs(value - 0.5) < EVEN
    lately = game.records[-cells:]
    has_offered = any(
        record.action is Deed.PROPOSE and record.side is game.to_move for record in lately
    )
    return (is_drawn or is_even) and not has_offered


HOPELESS = 0.02
"""The chance below which, in two turns of its own, a player resigns."""

SMALL = 30
"""The most cells of a board on which games are short and played to the end."""

PONDERED = 0.9
"""The share of the time for the turn; the rest serves the decision to resign."""

CONTENT = 0.45
"""The chance below which a player takes a draw."""

Stopwatch = Callable[[], float]
"""Returns the seconds of thinking since some moment."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The action of a player, with the evaluation behind it."""

    wish: Wish
    value: float
    """The chance of the side to move before the action, 0..1."""
    looks: int
    """The number of positions searched."""
    offers_draw: bool = False
    """Whether it proposes a draw after the action."""
    root: Searched | None = field(default=None, compare=False, repr=False)
    """The tree behind the decision, if later turns may use it."""
    cells: tuple[int, ...] = ()
    """The placements of the turn."""


class Thinking:
    """A player's search of one game, within its time."""

    def __init__(
        self,
        game: Game,
        seconds: float,
        rng: random.Random,
        clock: Stopwatch,
        level: Level = LEVELS[-1],
    ) -> None:
        self._searcher = Searcher(
            game.header.kind.name,
            game.header.grid,
            rng,
            seconds=seconds,
            is_proving=level.looks is None,
        )
        self._seconds = seconds
        self._most = level.looks_on(game.header.grid) or inf
        self._clock = clock
        self._begun = clock()
        self.looks = 0
        """How many positions were looked at."""

    def root(self, position: Position) -> Searched:
        """Return a new tree of a position."""
        return self._searcher.root(position)

    def search(self, position: Position, share: float) -> Searched:
        """Return a tree of a position, searched until a share of the time is spent."""
        root = self.root(position)
        self.grow(root, share)
        return root

    def grow(self, node: Searched, share: float) -> None:
        """Grow a tree from a position until a share of the time is spent."""
        most = share * self._most - self.looks
        self.looks += self._searcher.grow(node, self._until(share), most)

    def _until(self, share: float) -> Callable[[], bool]:
        end, clock = self._begun + share * self._seconds, self._clock
        return lambda: clock() < end

    def turn(self, root: Searched, share: float) -> list[int]:
        """Return the placements of a whole turn, searched until this share of the time is spent."""
        cells: list[int] = []
        node, spent = root, 0.0
        while not cells or node.position.is_mid_turn:
            # What the first placement is worth depends on those that follow: they have half.
            spent = (spent + share) / 2
            self.grow(node, spent)
            if not node.best().node.position.is_mid_turn:
                self.grow(node, share)
            best = node.best()
            cells.append(best.cell)
            node = best.node
            if node.position.result:
                break
        if self._searcher.is_lost(root.position):
            root.settle(0.0)
        return cells


def searches(level: Level, game: Game) -> bool:
    """Return whether a player searches a game; if not, it plays in a simple way."""
    counts_stones = level.sight is not None and not game.header.kind.fast_game
    return not counts_stones and can_search(game.header.kind.name, game.header.grid)


def decide(
    game: Game,
    seconds: float,
    rng: random.Random,
    clock: Stopwatch,
    trees: Trees | None = None,
    level: Level = LEVELS[-1],
) -> Decision:
    """Return the decision of the side to move at a level, in a game that goes on.

    `clock` tells seconds; what it counts from does not matter. A tree is taken from `trees` if the
    board has one there.
    """
    if game.must_pass:
        return Decision(Deed.PASS, 0.5, 0)
    if not searches(level, game):
        return _simply_decided(game, seconds, rng, clock, level)
    thinking = Thinking(game, seconds, rng, clock, level)
    has_time = level.looks is None
    if has_time and (decision := _of_pie(game)):
        return decision
    if game.is_first_stone and not level.sight:
        cell, value = fairest(game.position, thinking.search)
        return Decision(_placing(game, cell), value, thinking.looks)
    if has_time and (decision := _solved(game, clock)):
        return decision
    kept = trees.take(game) if trees is not None and has_time else None
    root = kept or thinking.root(game.position)
    if game.can_swap and not (level.sight or (has_time and _is_weak(game))):
        thinking.grow(root, PONDERED / 2)
        if root.value < 0.5:
            return Decision(Deed.SWAP, root.value, thinking.looks, root=root)
    cells = thinking.turn(root, PONDERED)
    if root.value < HOPELESS and not level.sight and _was_hopeless(game, thinking):
        return Decision(Deed.RESIGN, root.value, thinking.looks)
    decision = _turn(game, cells, root.value, thinking.looks, is_drawn=root.proved == 0.5)
    return replace(decision, root=root if has_time else None, cells=tuple(cells))


def takes_draw(
    game: Game, seconds: float, rng: random.Random, clock: Stopwatch, level: Level = LEVELS[-1]
) -> bool:
    """Return whether the player to move accepts a draw."""
    if not level.sight and searches(level, game):
        value = Thinking(game, seconds, rng, clock, level).search(game.position, 1).value
    else:
        value = outlook(game.position)
    is_asked = game.offer is not None and game.offer.side is not game.to_move
    return (value if is_asked else 1 - value) < CONTENT


def _simply_decided(
    game: Game, seconds: float, rng: random.Random, clock: Stopwatch, level: Level
) -> Decision:
    """Return the decision of the side to move without a search.

    It never resigns. Whoever has no sight takes over any first stone, as they have none themselves.
    """
    begun, value = clock(), outlook(game.position)
    is_perfect = level.looks is None and not game.is_first_stone
    if is_perfect and (decision := _solved(game, clock)):
        return decision
    if game.can_swap and value < 0.5 and not level.sight:
        return Decision(Deed.SWAP, value, 0)
    cells = simple_turn(game, level.sight or Sight(), rng, lambda: clock() < begun + seconds)
    return _turn(game, cells, value, len(cells), is_drawn=False)


def _solved(game: Game, clock: Stopwatch) -> Decision | None:
    """Return the decision of perfect play on a small board, or None.

    A lost position is left to others, since the other player may overlook something.
    """
    found = solved(game.header.kind.name, game.position, clock)
    if found is None:
        return None
    value, cells = found
    if game.can_swap and value < 0.5:
        return Decision(Deed.SWAP, value, 0)
    return _turn(game, cells, value, 0, is_drawn=value == 0.5) if value else None


def _of_pie(game: Game) -> Decision | None:
    """Return the decision about the first stone by matches from it; None if they decide nothing.

    What a search takes to be even may be far from it. Of what to take over, a search knows as much
    as matches do, but where a stone stands out.
    """
    kind, grid = game.header.kind, game.header.grid
    if game.is_first_stone and (stone := fairest_stone(kind, grid)):
        cell = grid.parse_cell(stone.cells[0])
        return Decision(_placing(game, cell), min(stone.share.part, 1 - stone.share.part), 0)
    if game.can_swap and (stone := first_stone(kind, game.position)) and stone.is_strong:
        return Decision(Deed.SWAP, 1 - stone.share.part, 0)
    return None


def _is_weak(game: Game) -> bool:
    """Return whether the first stone of a game is not to be taken over, by matches from it."""
    stone = first_stone(game.header.kind, game.position) if game.can_swap else None
    return stone is not None and stone.is_weak


def _turn(game: Game, cells: list[int], value: float, looks: int, *, is_drawn: bool) -> Decision:
    """Return the decision for these placements, with an offer of a draw if the game goes on."""
    after = reduce(after_cell, cells, game.position)
    offers = not after.result and offers_draw(game, value, is_drawn=is_drawn)
    return Decision(_placing(game, *cells), value, looks, offers)


def _placing(game: Game, *cells: int) -> Place:
    return Place(tuple(map(game.header.grid.format_cell, cells)))


def _was_hopeless(game: Game, thinking: Thinking) -> bool:
    """Return whether the side to move had no hope before its latest turn either."""
    turns = (nth for nth, move in enumerate(game.line) if move.side is game.to_move)
    latest = max(turns, default=None)
    if latest is None or game.header.grid.cells.bit_count() <= SMALL:
        return False
    node = thinking.search(game.with_moves(latest).position, 1)
    return node.side is game.to_move and node.value < HOPELESS


def line_of(kind: str, grid: str, cells: str) -> Variation:
    """Return the line of these placements, `D4,E5`, on an empty board."""
    terms, began = Terms(swap=False), datetime(2026, 11, 20, tzinfo=UTC)
    header = Header(KINDS[kind], 1, parse_grid(grid), "x", "o", terms, began)
    return variation_of(Game.start(header), filter(None, cells.split(",")))


def answer(kind: str, grid: str, cells: str, userid: str) -> str:
    """Return the turn of a house player after placements on an empty board, `D4,E5`.

    All values are text, because another process asks. A player never resigns here.
    """
    level, game = level_of(userid), line_of(kind, grid, cells).games[-1]
    rng = random.Random(f"{grid} {cells}")  # a game # noqa: S311 # nosec B311
    wish = decide(game, level.seconds, rng, time.thread_time, level=level).wish
    if not isinstance(wish, Place):
        wish = _placing(game, *simple_turn(game, level.sight or Sight(), rng))
    return ",".join(wish.cells)
