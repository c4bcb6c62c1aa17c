"""Trio, as plain and slow as its rules in words."""

from dataclasses import dataclass, replace

from tests.support.naive import Naive, Point

WAYS = ((1, 0), (0, 1), (1, 1), (1, -1))


@dataclass(frozen=True)
class NaiveTrio(Naive):
    """A position of Trio."""

    def middle(self) -> set[Point]:
        """Return the point in the middle, if there is one."""
        columns, rows = max(self.points)
        return {at for at in self.points if at == (columns + 1 - at[0], rows + 1 - at[1])}

    def placements(self) -> set[Point]:
        """Return the points where the side to move may place."""
        if self.ended:
            return set()
        return set(self.points) - (set(self.stones) or self.middle())

    def taken_at(self, point: Point) -> set[Point]:
        """Return the points that a placement empties: none."""
        return set()

    def is_in_row(self, stones: dict[Point, str], point: Point) -> bool:
        """Return whether a row of three stones of a side begins on a point."""
        return any(
            all(
                stones.get((point[0] + nth * right, point[1] + nth * up)) == self.to_move
                for nth in range(3)
            )
            for right, up in WAYS
        )

    def place(self, point: Point) -> "NaiveTrio":
        """Return the position after a placement that the rules allow."""
        assert point in self.placements()
        stones = {**self.stones, point: self.to_move}
        ended = None
        if any(self.is_in_row(stones, each) for each in stones):
            ended = self.enemy
        elif set(stones) == self.points:
            ended = "draw"
        return replace(self, stones=stones, to_move=self.enemy, ended=ended)


RULES = NaiveTrio
