"""The eye for Oust: who could take what, and which placements give least away.

It looks at positions that know their groups and all that either side could take. What a placement
changes is near it, so the next position knows as much at little cost.
"""

from collections.abc import Iterator
from math import exp
from typing import NamedTuple

from pbm_oust.robot.eye import Choose, Eye, Glance, ranked
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import IllegalPass, Position, Result, Side

_CAPTURE, _BLOCKED = map(KINDS["oust"].endings, ("capture", "blocked"))


class Group(NamedTuple):
    """A group of a side."""

    stones: int
    size: int
    around: int
    """The cells that touch it, and its own if it has several."""


class Capture(NamedTuple):
    """A placement that takes enemy stones."""

    number: int
    """How many stones it takes."""
    taken: int
    group: int
    """The group that it forms."""


class Camp(NamedTuple):
    """The stones of a side, and what it could take if it were to move."""

    stones: int
    beside: int
    """The cells that touch its stones."""
    groups: tuple[Group, ...]
    captures: dict[int, Capture]
    """By their cells."""

    @property
    def largest(self) -> int:
        """The number of stones in its largest group."""
        return max([group.size for group in self.groups], default=0)

    @property
    def most(self) -> int:
        """The most stones that it can take with one placement."""
        return max([capture.number for capture in self.captures.values()], default=0)


class Sight:
    """A position of Oust, as a value, with the camps of both sides."""

    __slots__ = ("enemy", "grid", "is_mid_turn", "own", "result", "to_move")

    def __init__(
        self,
        grid: Grid,
        own: Camp,
        enemy: Camp,
        to_move: Side,
        *,
        is_mid_turn: bool = False,
        result: Result | None = None,
    ) -> None:
        self.grid = grid
        self.own = own
        """The camp of the side to move."""
        self.enemy = enemy
        self.to_move = to_move
        self.is_mid_turn = is_mid_turn
        self.result = result

    @classmethod
    def of(cls, position: Position) -> "Sight":
        """Return a position of Oust as one that knows more, if it does not yet."""
        if isinstance(position, Sight):
            return position
        grid, mover = position.grid, position.to_move
        stones, others = position.stones(mover), position.stones(mover.other)
        groups, foes = (tuple(_groups(grid, each)) for each in (stones, others))
        own = _camp(grid, stones, groups, {}, grid.cells & ~(stones | others), foes, others)
        enemy = _camp(grid, others, foes, {}, grid.cells & ~(stones | others), groups, stones)
        return cls(
            grid, own, enemy, mover, is_mid_turn=position.is_mid_turn, result=position.result
        )

    def __hash__(self) -> int:
        """Return the hash of the stones."""
        return hash((self.own.stones, self.enemy.stones))

    def __eq__(self, other: object) -> bool:
        """Return whether the other position is the same, on the same grid."""
        return (
            isinstance(other, Sight)
            and self.own.stones == other.own.stones
            and self.enemy.stones == other.enemy.stones
            and self.to_move is other.to_move
            and self.is_mid_turn is other.is_mid_turn
        )

    @property
    def occupied(self) -> int:
        """The stones of both sides."""
        return self.own.stones | self.enemy.stones

    def stones(self, side: Side) -> int:
        """Return the stones of a side."""
        return (self.own if side is self.to_move else self.enemy).stones

    @property
    def apart(self) -> int:
        """The cells where the side to move may place without touching a stone of its own."""
        own = self.own
        return self.grid.cells & ~(own.stones | self.enemy.stones | own.beside)

    def placements(self) -> int:
        """Return the cells where the side to move may place; none once there is a result."""
        return 0 if self.result else self.apart | self.capturing()

    def capturing(self) -> int:
        """Return the placements that take enemy stones."""
        return 0 if self.result else sum(self.own.captures)

    def has_placement(self) -> bool:
        """Return whether the side to move may place anywhere."""
        return self.result is None and bool(self.own.captures or self.apart)

    def place(self, cell: int) -> "Sight":
        """Return the position after the side to move has placed a stone on `cell`.

        Raises ValueError if it is none of the placements.
        """
        capture = self.own.captures.get(cell)
        if capture:
            return self._after_capture(cell, capture)
        if not cell & self.apart:
            raise ValueError(f"the rules of Oust refuse {self.grid.format_cell(cell)}")
        return self._after_stone(cell)

    def pass_turn(self) -> "Sight":
        """Return the position after the side to move, which has no placement, has passed.

        Raises IllegalPass if it has one, or if the game is over.
        """
        if self.result or self.has_placement():
            raise IllegalPass
        return Sight(self.grid, self.enemy, self.own, self.to_move.other)

    def tally(self, side: Side) -> tuple[int, ...]:
        """Return the size of the side's largest group and the number of its stones."""
        camp = self.own if side is self.to_move else self.enemy
        return camp.largest, camp.stones.bit_count()

    def _after_stone(self, cell: int) -> "Sight":
        """Return the position after a stone that touches no friend."""
        grid, own, enemy = self.grid, self.own, self.enemy
        around = grid.around[cell]
        stones = own.stones | cell
        empty = grid.cells & ~(stones | enemy.stones)
        groups = (*own.groups, Group(cell, 1, around))
        ours = Camp(
            stones,
            own.beside | around,
            groups,
            _captures(grid, own.captures, around & empty, groups, enemy.groups, enemy.stones),
        )
        near = around & enemy.beside
        if around & enemy.stones:
            for foe in enemy.groups:
                if foe.around & cell:
                    near |= foe.around
        captures = _captures(grid, enemy.captures, near & empty, enemy.groups, groups, stones)
        captures.pop(cell, None)
        theirs = Camp(enemy.stones, enemy.beside, enemy.groups, captures)
        return self._handed_on(ours, theirs)

    def _after_capture(self, cell: int, capture: Capture) -> "Sight":
        """Return the position after a stone that takes enemy stones."""
        grid, own, enemy = self.grid, self.own, self.enemy
        _, taken, formed = capture
        stones, others = own.stones | cell, enemy.stones & ~taken
        empty = grid.cells & ~(stones | others)
        around, beside_taken = grid.neighbours(formed), grid.neighbours(taken)
        near = around | taken | beside_taken
        foes = tuple([group for group in enemy.groups if not group.stones & taken])
        groups = [Group(formed, formed.bit_count(), around)]
        for group in own.groups:
            if not group.stones & formed:
                groups.append(group)
                if group.stones & beside_taken:
                    near |= group.around
        ours = _camp(grid, stones, tuple(groups), own.captures, near & empty, foes, others)
        ours.captures.pop(cell, None)
        near = around | beside_taken
        theirs = _camp(grid, others, foes, enemy.captures, near & empty, ours.groups, stones)
        theirs.captures.pop(cell, None)
        if not others:
            result = Result(self.to_move, _CAPTURE)
            return Sight(grid, ours, theirs, self.to_move, result=result)
        chained = Sight(grid, ours, theirs, self.to_move, is_mid_turn=True)
        return chained if chained.has_placement() else self._handed_on(ours, theirs)

    def _handed_on(self, ours: Camp, theirs: Camp) -> "Sight":
        """Return the position after the end of the turn."""
        grid, mover = self.grid, self.to_move
        after = Sight(grid, theirs, ours, mover.other)
        if not after.has_placement() and not Sight(grid, ours, theirs, mover).has_placement():
            after.result = Result(None, _BLOCKED)
        return after


def _groups(grid: Grid, stones: int) -> Iterator[Group]:
    for group in grid.groups(stones):
        yield Group(group, group.bit_count(), grid.neighbours(group))


def _camp(
    grid: Grid,
    stones: int,
    groups: tuple[Group, ...],
    captures: dict[int, Capture],
    near: int,
    foes: tuple[Group, ...],
    others: int,
) -> Camp:
    found = _captures(grid, captures, near, groups, foes, others)
    return Camp(stones, grid.neighbours(stones), groups, found)


def _captures(
    grid: Grid,
    before: dict[int, Capture],
    near: int,
    groups: tuple[Group, ...],
    foes: tuple[Group, ...],
    others: int,
) -> dict[int, Capture]:
    """Return the captures of a side as they were before, but for those `near`, which may differ."""
    captures = before.copy()
    while near:
        cell = near & -near
        near ^= cell
        capture = _capture(grid, cell, groups, foes, others)
        if capture:
            captures[cell] = capture
        elif cell in captures:
            del captures[cell]
    return captures


def _capture(
    grid: Grid, cell: int, groups: tuple[Group, ...], foes: tuple[Group, ...], others: int
) -> Capture | None:
    """Return what a side takes on an empty cell, if it may place there and takes anything."""
    formed, around = cell, 0
    for stones, _, beside in groups:
        if beside & cell:
            formed |= stones
            around |= beside
    if formed == cell:
        return None
    around |= grid.around[cell]
    if not around & others:
        return None
    most = formed.bit_count()
    number = taken = 0
    for stones, size, _ in foes:
        if stones & around:
            if size >= most:
                return None
            taken |= stones
            number += size
    return Capture(number, taken, formed)


def oust_eye(_grid: Grid, choose: Choose) -> Eye:
    """Return an eye for Oust on a grid."""
    return Eye(_look, choose)


def _look(position: Position) -> Glance:
    sight = Sight.of(position)
    value = 1 / (1 + exp(-_score(sight.own, sight.enemy)))
    return Glance(sight, value, ranked(_weighed(sight)))


def _weighed(sight: Sight) -> list[tuple[float, int]]:
    """Return the placements with weights: the safer and the greedier, the larger."""
    by_number: dict[int, int] = {}
    for cell, capture in sight.own.captures.items():
        by_number[capture.number] = by_number.get(capture.number, 0) | cell
    weighed = [(3.0 + 3.0 * number, cells) for number, cells in by_number.items()]
    apart = sight.apart
    for cells, risk in risks(sight):
        weighed.append((exp(-risk), apart & cells))
        apart &= ~cells
    return weighed


def risks(sight: Sight) -> list[tuple[int, int]]:
    """Return pairs of cells and the largest capture by the enemy after a single stone on them.

    The cells of a pair are those in no pair before it.
    """
    grid, captures, most = sight.grid, sight.enemy.captures, sight.enemy.most
    if not captures:
        return [(_inviting(sight), 1), (grid.cells, 0)]
    top = [cell for cell, capture in captures.items() if capture.number == most]
    one_more = 0
    for cell in top:
        one_more |= grid.neighbours(captures[cell].group) & ~cell
    found = [(one_more, most + 1), (grid.cells, most)]
    if len(top) == 1:
        # A stone on the one cell of the largest capture leaves the others.
        (first,) = top
        others = [
            capture.number + bool(grid.neighbours(capture.group) & first)
            for cell, capture in captures.items()
            if cell != first
        ]
        found.insert(0, (first, max(others) if others else int(bool(_inviting(sight) & first))))
    return found


def _inviting(sight: Sight) -> int:
    """Return the cells where a stone can be taken by a stone that could not be placed before."""
    grid, own, enemy = sight.grid, sight.own, sight.enemy
    free = [group for group in enemy.groups if not group.around & own.stones]
    clear = grid.cells & ~(own.stones | own.beside | enemy.stones)
    clear &= ~grid.neighbours(enemy.stones & ~sum([group.stones for group in free]))
    found = 0
    for group in free:
        # The enemy stone would join this group, and touch ours.
        if joins := group.around & clear:
            found |= grid.neighbours(joins)
            found |= group.around if joins & (joins - 1) else group.around & ~joins
    return found


def _score(own: Camp, enemy: Camp) -> float:
    stones, others = own.stones.bit_count(), enemy.stones.bit_count()
    score = 4.0 * (stones - others) / (stones + others + 4)
    score += 0.2 * (own.largest - enemy.largest)
    return score + 0.25 * own.most - 0.10 * enemy.most
