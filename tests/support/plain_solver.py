"""Who wins a position, found by trying every turn: as plain and slow as the rules in words.

A yardstick for what faster searches prove. It knows the naive games alone, and compares positions
only where a turn is over, so that it is always the other side that goes on.
"""

from collections.abc import Iterator

from tests.support.naive import Naive, Point

Turn = tuple[Point, ...]
"""The placements of a turn, in their order; none for a pass."""

_Key = tuple[frozenset[tuple[Point, str]], str]


def whole_turns(position: Naive) -> Iterator[tuple[Turn, Naive]]:
    """Yield each position after a whole turn of the side to move, with one way there.

    It does not matter in which order stones are placed.
    """
    if not position.has_placement():
        yield (), position.pass_turn()
        return
    met: set[_Key] = set()
    waiting: list[tuple[Turn, Naive]] = [((), position)]
    while waiting:
        points, before = waiting.pop()
        for point in sorted(before.placements()):
            after = before.place(point)
            if (key := _key(after)) in met:
                continue
            met.add(key)
            is_over = after.ended is not None or after.to_move != position.to_move
            if is_over:
                yield (*points, point), after
            else:
                waiting.append(((*points, point), after))


def _key(position: Naive) -> _Key:
    # A side that a pass has brought to move is not in the middle of a turn, so this is all.
    return frozenset(position.stones.items()), position.to_move


def _stones(position: Naive, side: str) -> int:
    return list(position.stones.values()).count(side)


class PlainSolver:
    """What positions of one grid are worth, each searched once, until the games are over."""

    def __init__(self) -> None:
        self._known: dict[_Key, int] = {}

    @property
    def positions(self) -> int:
        """How many positions were searched."""
        return len(self._known)

    def worth(self, position: Naive, side: str) -> int:
        """Return what a position at the start of a turn is worth to a side.

        That is 1 if it can force a win, 0 if it can force a draw, and else -1.
        """
        if position.ended is not None:
            return 0 if position.ended == "draw" else 1 if position.ended == side else -1
        key, mover = _key(position), position.to_move
        if key not in self._known:
            best, following = -1, [after for _, after in whole_turns(position)]
            # Whoever takes most wins soonest, if at all.
            for after in sorted(following, key=lambda each: _stones(each, position.enemy)):
                best = max(best, self.worth(after, mover))
                if best == 1:
                    break
            self._known[key] = best
        return self._known[key] if side == mover else -self._known[key]
