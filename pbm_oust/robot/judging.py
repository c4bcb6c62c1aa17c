"""Evaluation of a game's positions by search: the chance of side x, and the best turns."""

import random
import time
from collections.abc import Iterator

from msgspec import structs

from pbm_oust.board import Deed, Game, Place, Wish
from pbm_oust.experiments.solve import solved
from pbm_oust.robot.analysis import Evaluation
from pbm_oust.robot.levels import LEVELS
from pbm_oust.robot.player import Stopwatch, Thinking, fairest, line_of
from pbm_oust.robot.search import Searched, after_cell, can_search, worth
from pbm_oust.rules import Grid, Position, Side, parse_grid

LONGEST = 6
"""The most turns of a best line."""

LEAST_LOOKS = 20
"""The fewest visits of a position whose best turn is reported."""

GLANCE = structs.replace(LEVELS[-1], seconds=1, looks=4000)
"""The search of a turn of a lost game: its strength is the same on every machine."""


def judged(game: Game, seconds: float, clock: Stopwatch) -> Iterator[Evaluation]:
    """Yield the evaluation of the start of a game, and of the position after each record.

    Each position is searched for so many seconds by the clock, and once, however often it comes.
    """
    known: dict[tuple[Position, bool], Evaluation] = {}
    for past in game.each_after(0):
        standing = structs.replace(past, result=past.position.result)
        asked = standing.position, standing.can_swap
        if asked not in known:
            known[asked] = evaluation_of(standing, seconds, clock)
        yield known[asked]


def evaluation_of(game: Game, seconds: float, clock: Stopwatch) -> Evaluation:
    """Return the evaluation of a game's position."""
    if game.position.result:
        return Evaluation(worth(game.position.result, Side.X), is_certain=True)
    find = _on_pass if game.must_pass else _on_turn
    found = find(game, seconds, clock)
    return _with_swap(found) if game.can_swap else found


def another_way(kind: str, grid: str, cells: str, side: str) -> str:
    """Return where a side that lost had its last chance, and the better turn: `12 D4,E5`.

    The number is that of the placements before it; empty if no such turn is found. However long the
    game is, a few of its positions are searched. All values are text, because another process asks.
    """
    line, rng = line_of(kind, grid, cells), random.Random(cells)  # a game # noqa: S311 # nosec B311
    whole = [at for at, each in enumerate(line.games) if not each.position.is_mid_turn]
    own = [at for at in whole if line.games[at].to_move.value == side and at < len(line.cells)]
    found, low, high = "", 0, len(own) if can_search(kind, parse_grid(grid)) else 0
    while low < high:
        middle = (low + high) // 2
        at, game = own[middle], line.games[own[middle]]
        thinking = Thinking(game, GLANCE.seconds, rng, time.thread_time, GLANCE)
        root = thinking.root(game.position)
        better = [game.header.grid.format_cell(cell) for cell in thinking.turn(root, 1)]
        if root.value < 0.5:
            high = middle
            continue
        low = middle + 1
        played = line.cells[at : next((end for end in whole if end > at), None)]
        found = "" if {*played} == {*better} else f"{at} {','.join(better)}"
    return found


def _on_pass(game: Game, seconds: float, clock: Stopwatch) -> Evaluation:
    """Return the evaluation of a position with a forced pass."""
    passed = game.position.pass_turn()
    found = evaluation_of(
        structs.replace(game, position=passed, result=passed.result), seconds, clock
    )
    return structs.replace(found, line=(Deed.PASS, *found.line)[:LONGEST])


def _on_turn(game: Game, seconds: float, clock: Stopwatch) -> Evaluation:
    """Return the evaluation of a position with a placement."""
    rng = random.Random(f"{game.name} {len(game.records)}")  # a game # noqa: S311 # nosec B311
    thinking = Thinking(game, seconds, rng, clock)
    if game.is_first_stone:
        return _on_first_stone(game.position, thinking)
    return _solved(game, clock) or _searched(game.position, thinking)


def _on_first_stone(position: Position, thinking: Thinking) -> Evaluation:
    """Return the evaluation of an empty board with the pie rule."""
    nodes = list[Searched]()

    def search(position: Position, share: float) -> Searched:
        nodes.append(thinking.search(position, share))
        return nodes[-1]

    cell, _ = fairest(position, search)
    node = next(node for node in nodes if node.position == position.place(cell))
    is_certain = all(each.proved is not None for each in nodes)
    after = _with_swap(Evaluation(_of_x(node.value, node.side), is_certain, tuple(_told_by(node))))
    return structs.replace(after, line=(_turn(position.grid, [cell]), *after.line)[:LONGEST])


def _with_swap(found: Evaluation) -> Evaluation:
    """Return the evaluation with the choice to swap, for side o to move."""
    is_better = found.x_wins > 0.5
    return structs.replace(found, line=(Deed.SWAP, *found.line)[:LONGEST]) if is_better else found


def _solved(game: Game, clock: Stopwatch) -> Evaluation | None:
    """Return the evaluation of a small board, if it can be solved in time."""
    kind, position = game.header.kind.name, game.position
    found = solved(kind, position, clock)
    if found is None:
        return None
    x_wins, line = _of_x(found[0], position.to_move), list[Wish]()
    while found and len(line) < LONGEST:
        line.append(_turn(position.grid, found[1]))
        for cell in found[1]:
            position = position.place(cell)
        while not position.result and not position.has_placement():
            line.append(Deed.PASS)
            position = position.pass_turn()
        found = None if position.result else solved(kind, position, clock)
    return Evaluation(x_wins, is_certain=True, line=tuple(line[:LONGEST]))


def _searched(position: Position, thinking: Thinking) -> Evaluation:
    """Return the evaluation of a position by its tree."""
    node = root = thinking.root(position)
    cells = thinking.turn(root, 1)
    for cell in cells:
        node = _after(node, cell, thinking)
    line = (_turn(position.grid, cells), *_told_by(node))
    return Evaluation(_of_x(root.value, root.side), root.proved is not None, line[:LONGEST])


def _told_by(node: Searched) -> Iterator[Wish]:
    """Yield the best turns from a position of a tree, as far as it was searched well."""
    cells = list[int]()
    while node.branches and (node.proved is not None or node.visits >= LEAST_LOOKS):
        best = node.best()
        cells.append(best.cell)
        node = best.node
        if node.position.result or not node.position.is_mid_turn:
            yield _turn(node.position.grid, cells)
            cells.clear()


def _after(node: Searched, cell: int, thinking: Thinking) -> Searched:
    """Return the node after a placement, from the tree if it is there."""
    tried = (each.node for each in node.branches if each.cell == cell)
    return next(tried, None) or thinking.root(after_cell(node.position, cell))


def _turn(grid: Grid, cells: list[int]) -> Wish:
    """Return the turn with these placements; the single cell 0 is a pass."""
    return Place(tuple(map(grid.format_cell, cells))) if any(cells) else Deed.PASS


def _of_x(value: float, side: Side) -> float:
    """Return the chance of side x, given the chance of `side`."""
    return value if side is Side.X else 1 - value
