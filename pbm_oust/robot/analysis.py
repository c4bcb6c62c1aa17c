"""What a search says about a game: how likely side x was to win after each record, and why.

It speaks of the sides, whoever owns them: a swap moves no stone and changes no evaluation. How the
players ended a game changes none either: what counts is what the rules still made of it.

In writing, an analysis is JSON, to be kept and read back, or notes in SGF:

{"game": "4f0c1d2e9a8b7c6d..",
 "seconds": 1.0,
 "verdicts": [{"x_wins": 0.52, "certain": false, "line": ["D4", "E5,F6"]}, ..]}
"""

import json
import random
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import takewhile
from types import MappingProxyType
from typing import Any, Self

from msgspec import Struct, structs

from pbm_oust.board import Deed, Game, Place, Ruling, Wish
from pbm_oust.board.notation import format_action, format_origin, format_wish, parse_wish
from pbm_oust.board.sgf import Notes
from pbm_oust.experiments.solve import solved
from pbm_oust.robot.player import Clock, Thinking, fairest, is_first_stone
from pbm_oust.robot.search import Searched, follow, worth
from pbm_oust.rules import Grid, Position, Side

SECONDS = 1.0
"""How long a position is searched unless somebody says otherwise."""

LONGEST = 6
"""How many turns a best line has at most."""

LEAST_LOOKS = 20
"""How often a position was looked at, at least, whose best turn is worth telling."""


class Evaluation(Struct, frozen=True):
    """What a search says about a position."""

    x_wins: float
    """0..1: how likely side x is to win; a draw counts as a half."""
    is_certain: bool
    """Whether this is proved, and no estimate."""
    line: tuple[Wish, ...] = ()
    """The best turns from there on, of both sides."""


class Analysis(Struct, frozen=True):
    """What a search says about a game."""

    identity: str
    """What tells the game apart from others: see `identity_of`."""
    seconds: float
    """How long each position was searched."""
    evaluations: tuple[Evaluation, ...]
    """The first one is about the start; one follows for each record."""

    @classmethod
    def of(cls, game: Game, seconds: float, evaluations: Iterable[Evaluation]) -> Self:
        """Return what evaluations on all positions of a game say about it."""
        return cls(identity_of(game), seconds, tuple(evaluations))


def identity_of(game: Game) -> str:
    """Return what tells a game apart from others, as far as an analysis depends on it.

    It stays the same when a player gets another userid.
    """
    header, kind = game.header, game.header.kind.name
    origin = format_origin(header.origin, kind) if header.origin else ""
    lines = [f"{kind} {header.grid} {header.terms.swap} {origin}"]
    for record in game.records:
        action = record.action
        nameless = structs.replace(action, userid="") if isinstance(action, Ruling) else action
        lines.append(f"{record.by} {format_action(nameless)}")
    return sha256("\n".join(lines).encode()).hexdigest()[:32]


def judged(game: Game, seconds: float, clock: Clock) -> Iterator[Evaluation]:
    """Yield the evaluation about the start of a game, and about what each record led to.

    Each position is searched for so many seconds by the clock, and once, however often it comes.
    """
    known: dict[tuple[Position, bool], Evaluation] = {}
    for past in game.each_after(0):
        standing = structs.replace(past, result=past.position.result)
        asked = standing.position, standing.can_swap
        if asked not in known:
            known[asked] = evaluation_of(standing, seconds, clock)
        yield known[asked]


def evaluation_of(game: Game, seconds: float, clock: Clock) -> Evaluation:
    """Return what a search says about a game as it stands."""
    if game.position.result:
        return Evaluation(worth(game.position.result, Side.X), is_certain=True)
    find = _on_pass if game.must_pass else _on_turn
    found = find(game, seconds, clock)
    return _with_swap(found) if game.can_swap else found


def _on_pass(game: Game, seconds: float, clock: Clock) -> Evaluation:
    """Return the evaluation on a game whose mover can but pass."""
    passed = game.position.pass_turn()
    found = evaluation_of(
        structs.replace(game, position=passed, result=passed.result), seconds, clock
    )
    return structs.replace(found, line=(Deed.PASS, *found.line)[:LONGEST])


def _on_turn(game: Game, seconds: float, clock: Clock) -> Evaluation:
    """Return the evaluation on a game whose mover has a placement."""
    rng = random.Random(f"{game.name} {len(game.records)}")  # a game # noqa: S311 # nosec B311
    thinking = Thinking(game, seconds, rng, clock)
    if is_first_stone(game):
        return _on_first_stone(game.position, thinking)
    return _solved(game, clock) or _searched(game.position, thinking)


def _on_first_stone(position: Position, thinking: Thinking) -> Evaluation:
    """Return the evaluation on an empty board whose first stone the other player may take over."""
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
    """Return an evaluation on a position whose mover, side o, may take over the other side."""
    is_better = found.x_wins > 0.5
    return structs.replace(found, line=(Deed.SWAP, *found.line)[:LONGEST]) if is_better else found


def _solved(game: Game, clock: Clock) -> Evaluation | None:
    """Return the evaluation on a position of a small board, if it can be solved in time."""
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
    """Return the evaluation of a tree on a position with a placement."""
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
    """Return the position after a placement, in the tree if it was tried there."""
    tried = (each.node for each in node.branches if each.cell == cell)
    return next(tried, None) or thinking.root(follow(node.position, cell))


def _turn(grid: Grid, cells: list[int]) -> Wish:
    """Return the turn with these placements; a pass is the one cell 0."""
    return Place(tuple(map(grid.format_cell, cells))) if any(cells) else Deed.PASS


def _of_x(value: float, side: Side) -> float:
    """Return how likely side x is to win, given how likely a side is."""
    return value if side is Side.X else 1 - value


_CERTAIN = {0.0: "x loses for certain", 0.5: "a draw for certain", 1.0: "x wins for certain"}


class BadAnalysis(ValueError):
    """A text is not an analysis."""


def format_analysis(analysis: Analysis) -> str:
    """Return an analysis as JSON."""
    return json.dumps(
        {
            "game": analysis.identity,
            "seconds": analysis.seconds,
            "verdicts": [evaluation_fields(evaluation) for evaluation in analysis.evaluations],
        }
    )


def parse_analysis(text: str) -> Analysis:
    """Return the analysis that JSON says. Raises BadAnalysis."""
    try:
        whole = json.loads(text)
        evaluations = tuple(
            Evaluation(
                float(each["x_wins"]), bool(each["certain"]), tuple(map(parse_wish, each["line"]))
            )
            for each in whole["verdicts"]
        )
        return Analysis(str(whole["game"]), float(whole["seconds"]), evaluations)
    except (KeyError, TypeError, ValueError) as error:
        raise BadAnalysis(repr(error)) from None


def evaluation_fields(evaluation: Evaluation) -> dict[str, Any]:
    """Return an evaluation as JSON writes it."""
    return {
        "x_wins": round(evaluation.x_wins, 4),
        "certain": evaluation.is_certain,
        "line": [format_wish(wish) for wish in evaluation.line],
    }


def line_text(evaluation: Evaluation) -> str:
    """Return the best turns from a position on: `D4 E5,F6 pass`."""
    return " ".join(format_wish(wish) for wish in evaluation.line)


def placed_in(line: Iterable[Wish]) -> list[str]:
    """Return the cells that are placed on in a line until sides are swapped."""
    kept = takewhile(lambda wish: wish is not Deed.SWAP, line)
    return [cell for wish in kept if isinstance(wish, Place) for cell in wish.cells]


def notes_of(analysis: Analysis, said: Mapping[int, str] = MappingProxyType({})) -> Notes:
    """Return what an analysis says of each position, as SGF has it, with words about some moves.

    `SBKV` is how likely Black, who is x, is to win, in percent: Sabaki draws a curve of it.
    """
    return {
        number: {
            "C": [*said.get(number, "").splitlines(), _comment(evaluation)],
            "SBKV": [f"{100 * evaluation.x_wins:.2f}"],
        }
        for number, evaluation in enumerate(analysis.evaluations)
    }


def _comment(evaluation: Evaluation) -> str:
    rate = f"x wins with {evaluation.x_wins:.1%}"
    said = _CERTAIN[evaluation.x_wins] if evaluation.is_certain else rate
    return f"{said}; best: {line_text(evaluation)}" if evaluation.line else said
