"""Oust, as plain and slow as its rules in words."""

from dataclasses import dataclass, field, replace

from tests.support.naive import Naive, Point

OCCUPIED, TAKES_NOTHING, ENEMY_AS_LARGE = "occupied", "takes_nothing", "enemy_as_large"


@dataclass(frozen=True)
class Verdict:
    """What the rules say of a stone on a point: the rule it breaks, if any, and what it takes."""

    fault: str | None
    group: int = 1
    """The size of the group that the stone would form."""
    largest_enemies: list[set[Point]] = field(default_factory=list)
    """The largest of the enemy groups that this group would touch; several if they are equal."""
    taken: set[Point] = field(default_factory=set)


@dataclass(frozen=True)
class NaiveOust(Naive):
    """A position of Oust."""

    is_mid_turn: bool = False

    def judge(self, point: Point) -> Verdict:
        """Return what the rules say about a placement by the side to move."""
        if point in self.stones:
            return Verdict(OCCUPIED)
        if all(self.stones.get(near) != self.to_move for near in self.beside(point)):
            return Verdict(None)
        stones = {**self.stones, point: self.to_move}
        group = self.group_at(point, stones)
        touched: list[set[Point]] = []
        for own in group:
            for neighbour in self.beside(own):
                if stones.get(neighbour) == self.enemy and not any(neighbour in g for g in touched):
                    touched.append(self.group_at(neighbour, stones))
        if not touched:
            return Verdict(TAKES_NOTHING, len(group))
        size = max(len(enemies) for enemies in touched)
        if size >= len(group):
            largest = [enemies for enemies in touched if len(enemies) == size]
            return Verdict(ENEMY_AS_LARGE, len(group), largest)
        return Verdict(None, len(group), taken=set().union(*touched))

    def placements(self) -> set[Point]:
        """Return the points where the side to move may place."""
        if self.ended:
            return set()
        return {point for point in self.points if self.judge(point).fault is None}

    def has_placement(self) -> bool:
        """Return whether the side to move may place anywhere."""
        return not self.ended and any(self.judge(point).fault is None for point in self.points)

    def capturing(self) -> set[Point]:
        """Return the points where the side to move takes enemy stones."""
        return {point for point in self.placements() if self.judge(point).taken}

    def taken_at(self, point: Point) -> set[Point]:
        """Return the points that a placement empties."""
        return self.judge(point).taken

    def place(self, point: Point) -> "NaiveOust":
        """Return the position after a placement that the rules allow."""
        verdict = self.judge(point)
        assert verdict.fault is None
        stones = {at: side for at, side in self.stones.items() if at not in verdict.taken}
        stones[point] = self.to_move
        after = replace(self, stones=stones, is_mid_turn=bool(verdict.taken))
        if after.is_mid_turn:
            if self.enemy not in stones.values():
                return replace(after, is_mid_turn=False, ended=self.to_move)
            if after.has_placement():
                return after
        mover = replace(after, is_mid_turn=False)
        other = replace(mover, to_move=self.enemy)
        if not other.has_placement() and not mover.has_placement():
            return replace(other, ended="draw")
        return other


RULES = NaiveOust
