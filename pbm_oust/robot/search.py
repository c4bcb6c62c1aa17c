"""A tree of positions that grows where it looks promising, as the eye sees them.

Each step down the tree takes the placement with the best sum of two figures: what came of it so
far, and how promising it looks as long as it was tried little. What the eye sees in a position at
the end of the way counts for all positions on the way. Results are facts: a position that has one
is proved, and so is a position from which the mover can reach a proved win, or nothing better.
"""

from collections.abc import Callable
from math import inf, sqrt

from pbm_oust.robot.eye import Eye, worth
from pbm_oust.rules.position import Position

CURIOSITY = 1.0
"""How much the promise of a placement counts against what came of it."""

CAUTION = 0.1
"""How much worse than its parent a position is taken to be before it is seen."""


class Node:
    """A position of the tree. Values are those of the side to move in it."""

    __slots__ = ("branches", "position", "proved", "side", "total", "visits")

    def __init__(self, position: Position) -> None:
        self.position = position
        self.side = position.to_move
        self.visits = 0
        self.total = 0.0
        self.proved: float | None = None
        self.branches: list[Branch] = []
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
        return max(self.branches, key=lambda branch: _merit(branch, self))

    def after_best(self) -> "Node":
        """Return where the branch to play leads."""
        branch = self.best()
        return branch.node or Node(follow(self.position, branch.cell))


class Branch:
    """A placement in a position of the tree, or a pass (0), and where it leads if it was tried."""

    __slots__ = ("cell", "node", "prior")

    def __init__(self, cell: int, prior: float) -> None:
        self.cell = cell
        self.prior = prior
        self.node: Node | None = None


def grow(root: Node, eye: Eye, may_go_on: Callable[[], bool]) -> int:
    """Let a tree grow as long as it may and its root is not proved. Returns the times it grew."""
    times = 0
    while root.proved is None and (may_go_on() or not root.branches):
        _descend(root, eye)
        times += 1
    return times


def _descend(root: Node, eye: Eye) -> None:
    """Go down to a position that was not seen, and let what is seen there count."""
    node, path = root, [root]
    while node.branches and node.proved is None:
        branch = _most_promising(node)
        if branch.node is None:
            branch.node = Node(follow(node.position, branch.cell))
        node = branch.node
        path.append(node)
    if node.proved is None:
        value = _see(node, eye)
    else:
        value = node.proved
        for parent in reversed(path[:-1]):
            if not _prove(parent):
                break
    for each in path:
        each.visits += 1
        each.total += value if each.side is node.side else 1 - value


def follow(position: Position, cell: int) -> Position:
    """Return the position after a placement, or after a pass (0)."""
    return position.place(cell) if cell else position.pass_turn()


def _see(node: Node, eye: Eye) -> float:
    if not node.position.has_placement():
        node.branches = [Branch(0, 1.0)]
        return 0.5
    glance = eye(node.position)
    node.branches = [Branch(cell, prior) for prior, cell in glance.priors]
    return glance.value


def _most_promising(node: Node) -> Branch:
    """Return the branch to try next."""
    spread = CURIOSITY * sqrt(node.visits)
    unseen = node.total / node.visits - CAUTION
    side = node.side
    best, most = node.branches[0], -1.0
    for branch in node.branches:
        child = branch.node
        if child is None:
            merit = unseen + spread * branch.prior
            if merit > most:
                best, most = branch, merit
            break  # Those that follow look less promising and were not tried either.
        value = child.total / child.visits if child.proved is None else child.proved
        if child.side is not side:
            value = 1 - value
        if value == 0.0 and child.proved is not None:
            continue
        merit = value + spread * branch.prior / (1 + child.visits)
        if merit > most:
            best, most = branch, merit
    return best


def _prove(node: Node) -> bool:
    """Prove a position if what follows it is proved far enough. Returns whether it is."""
    worths = [_proved_worth(branch, node) for branch in node.branches]
    if 1.0 in worths:
        node.proved = 1.0
    elif None not in worths:
        node.proved = max(each for each in worths if each is not None)
    return node.proved is not None


def _proved_worth(branch: Branch, node: Node) -> float | None:
    """Return what a branch is proved to be worth to the side to move before it, if it is."""
    child = branch.node
    if child is None or child.proved is None:
        return None
    return child.proved if child.side is node.side else 1 - child.proved


def _merit(branch: Branch, node: Node) -> tuple[float, float]:
    """Return how good a branch is to play: a proved win, else what was tried most, else a loss."""
    proved = _proved_worth(branch, node)
    if proved == 1.0:
        return inf, 1.0
    if branch.node is None or proved == 0.0:
        return -1.0, branch.prior
    return float(branch.node.visits), branch.node.value
