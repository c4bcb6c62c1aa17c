"""Oust (Mark Steere, 2007), on square and hexagonal grids.

A stone that touches no friend may go on any free cell and ends the turn. A stone that touches
friends joins them to one group, which must touch at least one enemy group and be larger than every
enemy group it touches. Those come off the board, and the same side places again.
"""

from dataclasses import dataclass
from enum import Enum

from pbm_oust.rules import position
from pbm_oust.rules.grid import Shape, hexagon, square


class OustEnding(Enum):
    """The ways in which the rules of Oust end a game."""

    CAPTURE = "capture"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class TakesNothing(position.Fault):
    """It touches a friend, and the group it forms touches no enemy."""

    word = "takes_nothing"
    group: int
    """The number of stones that the group would have."""


@dataclass(frozen=True, slots=True)
class EnemyAsLarge(position.Fault):
    """It touches a friend, and an enemy group it would touch is not smaller than its own."""

    word = "enemy_as_large"
    group: int
    """The number of stones that its own group would have."""
    enemy: int
    """The number in the largest enemy group that it would touch."""
    at: str
    """The name of a cell of that group."""


@dataclass(frozen=True, slots=True)
class Oust(position.Position):
    """A position of Oust."""

    def placements(self) -> int:
        """Return the cells where the side to move may place; none once there is a result."""
        if self.result:
            return 0
        apart, easy, hard = self._candidates()
        return apart | easy | self._passing(hard)

    def capturing(self) -> int:
        """Return those placements that take enemy stones: all that touch a friend."""
        if self.result:
            return 0
        _, easy, hard = self._candidates()
        return easy | self._passing(hard)

    def taken_by(self, cell: int) -> int:
        """Return the enemy stones that a placement on `cell` takes."""
        own, _ = self._own_and_enemy()
        return self._joined(cell)[1] if self.grid.around[cell] & own else 0

    def has_placement(self) -> bool:
        """Return whether the side to move may place anywhere."""
        if self.result:
            return False
        own, enemy = self._own_and_enemy()
        if self.grid.cells & ~(own | enemy | self.grid.neighbours(own)):
            return True
        _, easy, hard = self._candidates()
        return bool(easy) or any(self._may_join(cell) for cell in self.grid.each(hard))

    def place(self, cell: int) -> "Oust":
        """Return the position after the side to move has placed a stone on `cell`.

        Raises IllegalPlacement if the rules refuse it.
        """
        own, enemy = self._own_and_enemy()
        if cell & (own | enemy):
            raise position.IllegalPlacement(position.Occupied())
        if not self.grid.around[cell] & own:
            return self._handed_on(own | cell, enemy)
        group, touched = self._joined(cell)
        size = group.bit_count()
        if not touched:
            raise position.IllegalPlacement(TakesNothing(size))
        if touched.bit_count() >= size:
            largest = max(self.grid.groups(touched), key=int.bit_count)
            if largest.bit_count() >= size:
                at = self.grid.format_cell(largest & -largest)
                raise position.IllegalPlacement(EnemyAsLarge(size, largest.bit_count(), at))
        return self._after_capture(own | cell, enemy & ~touched)

    def pass_turn(self) -> "Oust":
        """Return the position after the side to move, which has no placement, has passed.

        Raises IllegalPass if it has one, or if the game is over.
        """
        if self.result or self.has_placement():
            raise position.IllegalPass
        return Oust(self.grid, self.x, self.o, self.to_move.other)

    def tally(self, side: position.Side) -> tuple[int, ...]:
        """Return the size of the side's largest group and the number of its stones."""
        stones = self.stones(side)
        largest = int(stones > 0)
        for group in self.grid.groups(stones & self.grid.neighbours(stones)):
            largest = max(largest, group.bit_count())
        return largest, stones.bit_count()

    def _own_and_enemy(self) -> tuple[int, int]:
        return (self.x, self.o) if self.to_move is position.Side.X else (self.o, self.x)

    def _candidates(self) -> tuple[int, int, int]:
        """Return three sets of free cells: touching no friend, surely capturing, perhaps capturing.

        A stone that touches a friend forms a group of at least two. It surely captures if that
        group touches an enemy and every enemy group it touches is a single stone; operations on
        whole sets find these cells. If the group touches an enemy group of two or more, it must
        have at least three stones itself. Only those cells have to be examined one by one.
        """
        grid = self.grid
        own, enemy = self._own_and_enemy()
        empty = grid.cells & ~(own | enemy)
        beside_own = grid.neighbours(own)
        apart = empty & ~beside_own
        joining = empty & beside_own
        beside_enemy = grid.neighbours(enemy)
        in_contact = grid.flood(own & beside_enemy, own)
        meeting = joining & (beside_enemy | grid.neighbours(in_contact))
        large_enemies = enemy & beside_enemy
        if not large_enemies:
            return apart, meeting, 0
        beside_large = grid.neighbours(large_enemies)
        in_large_contact = grid.flood(own & beside_large, own)
        opposed = meeting & (beside_large | grid.neighbours(in_large_contact))
        return apart, meeting & ~opposed, opposed & self._joins_two(own & beside_own)

    def _joins_two(self, grouped: int) -> int:
        """Return the cells that touch two own stones, or one of the stones in `grouped`."""
        own, _ = self._own_and_enemy()
        _, twice = self.grid.beside(own)
        return twice | self.grid.neighbours(grouped)

    def _passing(self, cells: int) -> int:
        """Return those cells on which a joining placement captures."""
        return sum(filter(self._may_join, self.grid.each(cells)))

    def _may_join(self, cell: int) -> bool:
        """Return whether a placement that touches a friend captures."""
        group, touched = self._joined(cell)
        size = group.bit_count()
        if touched.bit_count() < size:
            return bool(touched)
        return all(enemies.bit_count() < size for enemies in self.grid.groups(touched))

    def _joined(self, cell: int) -> tuple[int, int]:
        """Return the group a stone on `cell` would form, and the enemy groups it would touch."""
        own, enemy = self._own_and_enemy()
        group = self.grid.flood(cell, own | cell)
        return group, self.grid.flood(self.grid.neighbours(group), enemy)

    def _after_capture(self, own: int, enemy: int) -> "Oust":
        """Return the position with these stones, in which the side places again if it can."""
        mover = self.to_move
        x, o = (own, enemy) if mover is position.Side.X else (enemy, own)
        if not enemy:
            return Oust(self.grid, x, o, mover, result=position.Result(mover, OustEnding.CAPTURE))
        chained = Oust(self.grid, x, o, mover, is_mid_turn=True)
        return chained if chained.has_placement() else self._handed_on(own, enemy)

    def _handed_on(self, own: int, enemy: int) -> "Oust":
        """Return the position with these stones, in which the other side is to move."""
        is_x = self.to_move is position.Side.X
        other, x, o = (position.Side.O, own, enemy) if is_x else (position.Side.X, enemy, own)
        following = Oust(self.grid, x, o, other)
        if following.has_placement() or Oust(self.grid, x, o, self.to_move).has_placement():
            return following
        return Oust(self.grid, x, o, other, result=position.Result(None, OustEnding.BLOCKED))


KIND = position.Kind(
    name="oust",
    title="Oust",
    author="Mark Steere",
    year=2007,
    start=Oust,
    endings=OustEnding,
    defaults={Shape.SQUARE: square(11), Shape.HEX: hexagon(7)},
    first_grids=(square(7), hexagon(5)),
    common_grids=(square(9), square(13)),
    has_chains=True,
)
