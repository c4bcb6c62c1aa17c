"""Churn, as plain and slow as its rules in words."""

from dataclasses import dataclass, field, replace

from tests.support.naive import Naive, Point

OCCUPIED, TOUCHES_FRIEND, NOT_SMALLEST = "occupied", "touches_friend", "not_smallest"


@dataclass(frozen=True)
class Verdict:
    """What the rules say about a stone on a point: the rule it breaks, if any, and what goes."""

    fault: str | None
    group: int = 1
    """The size of the group that the stone would form."""
    smallest: int = 1
    """The size of the smallest group that any placement forms."""
    taken: set[Point] = field(default_factory=set)


@dataclass(frozen=True)
class NaiveChurn(Naive):
    """A position of Churn."""

    def formed_at(self, point: Point) -> set[Point]:
        """Return the group that a stone of the side to move would form on a free point."""
        return self.group_at(point, {**self.stones, point: self.to_move})

    def free(self) -> set[Point]:
        """Return the points without a stone."""
        return {point for point in self.points if point not in self.stones}

    def own_groups(self) -> list[set[Point]]:
        """Return the groups of the side to move."""
        groups: list[set[Point]] = []
        for point, side in self.stones.items():
            if side == self.to_move and not any(point in group for group in groups):
                groups.append(self.group_at(point, self.stones))
        return groups

    def judge(self, point: Point) -> Verdict:
        """Return what the rules say about a placement by the side to move."""
        if point in self.stones:
            return Verdict(OCCUPIED)
        formed = self.formed_at(point)
        touches_friend = any(self.stones.get(near) == self.to_move for near in self.beside(point))
        smallest = min(len(self.formed_at(free)) for free in self.free())
        if touches_friend and smallest == 1:
            return Verdict(TOUCHES_FRIEND, len(formed), smallest)
        if len(formed) > smallest:
            return Verdict(NOT_SMALLEST, len(formed), smallest)
        others = [group for group in self.own_groups() if not group & formed]
        gone = [group for group in others if len(group) < len(formed)]
        return Verdict(None, len(formed), smallest, set().union(*gone))

    def placements(self) -> set[Point]:
        """Return the points where the side to move may place."""
        sizes = {point: len(self.formed_at(point)) for point in self.free()}
        smallest = min(sizes.values(), default=0)
        return {point for point, size in sizes.items() if size == smallest}

    def taken_at(self, point: Point) -> set[Point]:
        """Return the points that a placement empties."""
        return self.judge(point).taken

    def place(self, point: Point) -> "NaiveChurn":
        """Return the position after a placement that the rules allow."""
        verdict = self.judge(point)
        assert verdict.fault is None
        stones = {at: side for at, side in self.stones.items() if at not in verdict.taken}
        stones[point] = self.to_move
        after = replace(self, stones=stones, to_move=self.enemy)
        if after.free():
            return after
        number = {side: list(stones.values()).count(side) for side in "xo"}
        return replace(after, ended="x" if number["x"] > number["o"] else "o")


RULES = NaiveChurn
