"""A tree of positions that grows where it looks promising, as the eye sees them.

Each step down the tree takes the placement with the best sum of three figures: what came of it so
far, and as long as it was tried little, how promising it looks and what came of placements of the
same side on the same cell elsewhere in the tree (this is called progressive history). What the eye
sees in a position at the end of the way counts for all positions on the way. Results are facts: a
position that has one is proved, and so is a position from which the mover can reach a proved win,
or nothing better.

A position that several ways of the same length lead to is in the tree once.
"""

import os
from collections.abc import Callable, Sequence
from math import inf, sqrt
from typing import Protocol

from pbm_oust.robot.eye import Eye, Glance, Prover, worth
from pbm_oust.rules.position import Position, Side

MOST_BYTES = min(256 * 2**20, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 16)
"""How much memory a tree takes at most: a sixteenth of the machine's, but not more than 256 MB."""


class Searched(Protocol):
    """A position of a tree. Values are those of the side to move in it."""

    proved: float | None
    """What it is worth for certain; None if that is not known."""

    @property
    def position(self) -> Position:
        """The position."""

    @property
    def side(self) -> Side:
        """The side to move."""

    @property
    def visits(self) -> int:
        """How often the tree grew from here."""

    @property
    def value(self) -> float:
        """How likely the side to move is to win, as far as it was searched."""

    @property
    def branches(self) -> Sequence["Way"]:
        """The placements that were tried."""

    def best(self) -> "Way":
        """Return the branch to play. Raises ValueError if nothing was tried."""

    def after_best(self) -> "Searched":
        """Return where the branch to play leads."""

    def keep(self, most_bytes: int) -> int:
        """Make the position the root of its tree, which lets go of all that is not below it.

        If that takes more than so many bytes, a compiled tree forgets what was visited least. All
        other positions of the tree are to be asked for again afterwards. Returns how many bytes the
        tree takes then. Raises MemoryError.
        """


class Way(Protocol):
    """A placement in a position of a tree, or a pass, and where it leads."""

    @property
    def cell(self) -> int:
        """The cell; 0 for a pass."""

    @property
    def prior(self) -> float:
        """How promising it looked at a glance."""

    @property
    def visits(self) -> int:
        """How often it was tried."""

    @property
    def node(self) -> Searched:
        """Where it leads."""


class Searcher(Protocol):
    """Grows trees of one game on one grid."""

    def root(self, position: Position) -> Searched:
        """Return a tree that has not grown."""

    def grow(self, node: Searched, may_go_on: Callable[[], bool]) -> int:
        """Let a tree of this searcher grow from a position, as long as it may.

        It stops when that position is proved. If it is not, it has a branch afterwards. Returns how
        often it grew.
        """

    def is_lost(self, position: Position) -> bool:
        """Return whether the side to move is known to lose, though the tree still searches it."""


def worth_before(way: Way, node: Searched) -> float:
    """Return what a branch is worth to the side to move before it, as far as it was searched."""
    value = way.node.value
    return value if way.node.side is node.side else 1 - value


def merit(way: Way, node: Searched) -> tuple[float, float]:
    """Return how good a branch is to play: a proved win, else what was tried most, else a loss."""
    value = worth_before(way, node)
    if way.node.proved is None or 0.0 < value < 1.0:
        return float(way.visits), value
    return (inf, 1.0) if value else (-1.0, way.prior)


CURIOSITY = 1.0
"""How much the promise of a placement counts against what came of it."""

CAUTION = 0.1
"""How much worse than its parent a position is taken to be before it is seen."""

HISTORY = 0.5
"""How much it counts for a placement that was tried little what came of it elsewhere."""

BYTES = 2000
"""About how much memory a position of a tree takes."""

MOST_POSITIONS = MOST_BYTES // BYTES
"""How many positions a tree has at most; then it grows no more."""

OFTEN, MANY = 16, 1000
"""Whenever a tree has grown so often, so many positions are used to prove who wins its root."""


class History:
    """What came of the placements of a side, wherever in a tree they were."""

    __slots__ = ("_times", "_totals")

    def __init__(self) -> None:
        self._times: dict[int, int] = {}
        self._totals: dict[int, float] = {}

    def note(self, cell: int, value: float) -> None:
        """Let what came of a placement on a cell count."""
        self._times[cell] = self._times.get(cell, 0) + 1
        self._totals[cell] = self._totals.get(cell, 0.0) + value

    def worth(self, cell: int) -> float:
        """Return what comes of placements on a cell, as far as is known."""
        return (self._totals.get(cell, 0.0) + 0.5) / (self._times.get(cell, 0) + 1)


class Whole:
    """What all positions of a tree share."""

    __slots__ = ("histories", "positions")

    def __init__(self) -> None:
        self.histories = {side: History() for side in Side}
        self.positions = 1
        """How many positions the tree has."""


class Generation:
    """The positions of a tree that are equally many steps from its root."""

    __slots__ = ("_following", "nodes", "whole")

    def __init__(self, whole: Whole) -> None:
        self.nodes: dict[Position, Node] = {}
        self.whole = whole
        self._following: Generation | None = None

    @property
    def following(self) -> "Generation":
        """The positions one step further."""
        if self._following is None:
            self._following = Generation(self.whole)
        return self._following


class Node:
    """A position of the tree. Values are those of the side to move in it."""

    __slots__ = (
        "_boosts",
        "_generation",
        "_means",
        "_seen",
        "_untried",
        "branches",
        "is_seen",
        "position",
        "proved",
        "side",
        "total",
        "visits",
    )

    def __init__(self, position: Position, generation: Generation | None = None) -> None:
        self.position = position
        self.side = position.to_move
        self.visits = 0
        self.total = 0.0
        self.proved: float | None = None
        self.branches: list[Branch] = []
        """Those that were tried."""
        self.is_seen = False
        """Whether the eye has looked at it."""
        self._seen = position
        """The position, with what the eye has it carry along."""
        self._generation = generation or Generation(Whole())
        self._untried: list[tuple[float, int]] = []
        """The priors of the other placements, the most promising last."""
        self._means: list[float] = []
        """What came of each branch, for the side to move here, and of the same cell elsewhere."""
        self._boosts: list[float] = []
        """How promising each branch still looks."""
        if position.result:
            self.proved = worth(position.result, self.side)

    @property
    def value(self) -> float:
        """How likely the side to move is to win, as far as it was searched."""
        if self.proved is not None:
            return self.proved
        return self.total / self.visits if self.visits else 0.5

    def best(self) -> "Branch":
        """Return the branch to play: a proved win, else the one tried most that is not lost."""
        return max(self.branches, key=lambda branch: merit(branch, self))

    def after_best(self) -> "Node":
        """Return where the branch to play leads."""
        return self.best().node

    def keep(self, most_bytes: int) -> int:
        """Make the position the root of its tree; return about how many bytes that takes then.

        Positions that several ways lead to are in the tree once: those that are not below this one
        have to be let go of by hand. Nothing below it is forgotten, however much it takes.
        """
        whole = self._generation.whole
        generation, nodes, number = Generation(whole), [self], 0
        while nodes:
            number += len(nodes)
            generation.nodes = {node.position: node for node in nodes}
            for node in nodes:
                node._generation = generation
            generation = generation.following
            nodes = list({id(each.node): each.node for n in nodes for each in n.branches}.values())
        whole.positions = number
        return number * BYTES

    @property
    def is_full(self) -> bool:
        """Whether its tree takes as much memory as it may."""
        return self._generation.whole.positions >= MOST_POSITIONS

    def see(self, eye: Eye) -> float:
        """Look at the position; return how likely the side to move is to win."""
        glance = _look(self.position, eye)
        self._seen = glance.position
        self._untried = glance.priors[::-1]
        self.is_seen = True
        return glance.value

    def most_promising(self, eye: Eye) -> int:
        """Return the number of the branch to try next."""
        spread = CURIOSITY * sqrt(self.visits)
        merits = [
            mean + spread * boost for mean, boost in zip(self._means, self._boosts, strict=True)
        ]
        most = max(merits, default=-inf)
        if self._untried:
            prior, _ = self._untried[-1]
            if self.total / self.visits - CAUTION + spread * prior > most:
                return self._try(eye)
        return merits.index(most)

    def _try(self, eye: Eye) -> int:
        """Add the most promising of the branches that were not tried; return its number."""
        prior, cells = self._untried.pop()
        cell = eye.choose(cells) if cells else 0
        if cells != cell:
            self._untried.append((prior, cells ^ cell))
        return self._add(cell, prior)

    def _add(self, cell: int, prior: float) -> int:
        """Add the branch of a placement; return its number."""
        position, generation = follow(self._seen, cell), self._generation.following
        node = generation.nodes.get(position)
        if node is None:
            node = generation.nodes[position] = Node(position, generation)
            generation.whole.positions += 1
        self.branches.append(Branch(cell, prior, node))
        self._means.append(0.0)
        self._boosts.append(prior)
        return len(self.branches) - 1

    def count(self, value: float) -> None:
        """Let a value of the position count."""
        self.visits += 1
        self.total += value

    def learn(self, number: int) -> None:
        """Let what came of a branch count once more."""
        branch = self.branches[number]
        branch.visits += 1
        value = worth_before(branch, self)
        if branch.node.proved is None:
            usual = self._generation.whole.histories[self.side].worth(branch.cell)
            self._means[number] = value + HISTORY * usual / (1 + branch.visits)
        else:
            self._means[number] = value or -inf
            self._prove(value)
        self._boosts[number] = branch.prior / (1 + branch.visits)

    def note(self, number: int, value: float) -> None:
        """Let what came of a branch count for all placements of the side on the same cell."""
        if cell := self.branches[number].cell:
            self._generation.whole.histories[self.side].note(cell, value)

    def hear(self, prover: Prover) -> None:
        """Learn what a prover knows of the placements, unless it knows that all of them lose.

        In a lost position it still matters what the other side may overlook.
        """
        wins = prover.wins(self.position)
        if wins and self.proved is None:
            cells = self.position.grid.each(self.position.placements())
            cell = next(each for each in cells if prover.wins(follow(self.position, each)) is False)
            tried = [each.cell for each in self.branches]
            number = tried.index(cell) if cell in tried else self._add(cell, 0.0)
            self.branches[number].node.proved = 0.0
            self.proved = 1.0
        elif wins is None:
            for number, branch in enumerate(self.branches):
                if prover.wins(branch.node.position):
                    branch.node.proved, self._means[number] = 1.0, -inf

    def _prove(self, value: float) -> None:
        """Prove the position if a branch that is proved to have some value is enough for that."""
        if value == 1.0:
            self.proved = 1.0
        elif not self._untried and all(each.node.proved is not None for each in self.branches):
            self.proved = max(worth_before(each, self) for each in self.branches)


class Branch:
    """A placement in a position of the tree, or a pass (0), and where it leads."""

    __slots__ = ("cell", "node", "prior", "visits")

    def __init__(self, cell: int, prior: float, node: Node) -> None:
        self.cell = cell
        self.prior = prior
        self.node = node
        self.visits = 0


def grow(root: Node, eye: Eye, may_go_on: Callable[[], bool]) -> int:
    """Let a tree grow as long as it may, until its root is proved or it is full.

    Returns the times it grew.
    """
    times, prover = 0, eye.prover
    if prover:
        root.hear(prover)
    while root.proved is None and (may_go_on() or not root.branches):
        if root.is_full and root.branches:
            break
        _descend(root, eye)
        times += 1
        if prover and times % OFTEN == 1 and prover.wins(root.position) is None:
            prover.prove(root.position, MANY)
            root.hear(prover)
    return times


def _descend(root: Node, eye: Eye) -> None:
    """Go down to a position that was not seen, and let what is seen there count."""
    node, path = root, list[tuple[Node, int]]()
    while node.proved is None and node.is_seen:
        number = node.most_promising(eye)
        path.append((node, number))
        node = node.branches[number].node
    value, side = node.see(eye) if node.proved is None else node.proved, node.side
    node.count(value)
    for parent, number in reversed(path):
        parent.learn(number)
        if parent.side is not side:
            value, side = 1 - value, parent.side
        parent.note(number, value)
        if parent.proved is not None:
            value = parent.proved
        parent.count(value)


def follow(position: Position, cell: int) -> Position:
    """Return the position after a placement, or after a pass (0)."""
    return position.place(cell) if cell else position.pass_turn()


def _look(position: Position, eye: Eye) -> Glance:
    """Return how a position looks, with a pass if nothing else is left."""
    if position.has_placement():
        return eye.look(position)
    after = position.pass_turn()
    value = worth(after.result, after.to_move) if after.result else _look(after, eye).value
    return Glance(position, value if after.to_move is position.to_move else 1 - value, [(1.0, 0)])
