"""Churn (Mark Steere, 2024), on hexagonal grids with an odd number of cells.

As long as there is a free cell that touches no friend, a stone must go on such a cell. Otherwise it
must form the smallest group that any placement can form, and all smaller groups of its own side
come off the board. When the board is full at the end of a turn, the side with more stones wins.
"""

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from enum import Enum

from pbm_oust.rules import position
from pbm_oust.rules.grid import Grid, Shape, hexagon


class ChurnEnding(Enum):
    """The ways in which the rules of Churn end a game."""

    MAJORITY = "majority"


@dataclass(frozen=True, slots=True)
class TouchesFriend(position.Fault):
    """It touches a friend, although some cells touch none."""

    word = "touches_friend"


@dataclass(frozen=True, slots=True)
class NotSmallest(position.Fault):
    """It forms a larger group than another placement would."""

    word = "not_smallest"
    group: int
    """The number of stones that the group would have."""
    smallest: int
    """The number after another placement."""


@dataclass(frozen=True, slots=True)
class Churn(position.Position):
    """A position of Churn."""

    @property
    def must_join(self) -> bool:
        """Whether every free cell touches a friend, so that smaller friendly groups come off."""
        free = self.grid.cells & ~self.occupied
        return self.result is None and not free & ~self.grid.neighbours(self.stones(self.to_move))

    def placements(self) -> int:
        """Return the cells where the side to move may place; none once there is a result."""
        return placements(self.grid, self.stones(self.to_move), self.occupied)

    def place(self, cell: int) -> "Churn":
        """Return the position after the side to move has placed a stone on `cell`.

        Raises IllegalPlacement if the rules refuse it.
        """
        grid, x, o, is_x = self.grid, self.x, self.o, self.to_move is position.Side.X
        own = x if is_x else o
        if cell & (x | o):
            raise position.IllegalPlacement(position.Occupied())
        if grid.around[cell] & own:
            own = self._after_joining(own, cell)
        else:
            own |= cell  # what touches no friend is always allowed, and takes nothing off
        x, o, other = (own, o, position.Side.O) if is_x else (x, own, position.Side.X)
        result = _majority(x, grid.cells) if x | o == grid.cells else None
        return Churn(grid, x, o, other, result=result)

    def _after_joining(self, own: int, cell: int) -> int:
        """Return the stones of the side to move after a placement that touches a friend.

        Raises IllegalPlacement if the rules refuse it.
        """
        grid, empty = self.grid, self.grid.cells & ~self.occupied
        groups: tuple[int, ...] = ()
        allowed = empty & ~grid.neighbours(own) or pairing(grid, own, empty)
        if not allowed:
            groups = tuple(grid.groups(own))
            allowed = smallest_joins(grid, groups, empty)
        if not cell & allowed:
            raise position.IllegalPlacement(self._fault(cell, allowed))
        return after_placing(grid, groups, cell) if groups else after_pairing(grid, own, cell)

    def _fault(self, cell: int, allowed: int) -> position.Fault:
        grid, own = self.grid, self.stones(self.to_move)
        if not grid.neighbours(allowed) & own:
            return TouchesFriend()
        group, smallest = (
            grid.flood(each, own | each).bit_count() for each in (cell, allowed & -allowed)
        )
        return NotSmallest(group, smallest)


def placements(grid: Grid, own: int, occupied: int) -> int:
    """Return the cells where a side with the stones `own` may place."""
    empty = grid.cells & ~occupied
    apart = empty & ~grid.neighbours(own)
    return apart or pairing(grid, own, empty) or smallest_joins(grid, grid.groups(own), empty)


def pairing(grid: Grid, own: int, empty: int) -> int:
    """Return the cells of `empty` that touch one stone of `own`, which touches no other."""
    single = own & ~grid.neighbours(own)
    once, twice = grid.beside(single)
    return empty & once & ~(twice | grid.neighbours(own ^ single))


def smallest_joins(grid: Grid, groups: Iterable[int], empty: int) -> int:
    """Return the cells of `empty`, each beside one of the groups, on which the smallest is formed.

    The sizes of the groups beside each cell are added up for all cells at once: `planes[n]` holds
    the cells whose sum has the binary digit 2**n. Reading the digits from the highest down leaves
    the cells with the smallest sum.
    """
    planes: list[int] = []
    for group in groups:
        size, beside = group.bit_count(), grid.neighbours(group) & empty
        carry = 0
        digit = 0
        while size or carry:
            if digit == len(planes):
                planes.append(0)
            plane, added = planes[digit], beside if size & 1 else 0
            planes[digit] = plane ^ added ^ carry
            carry = plane & added | carry & (plane | added)
            size >>= 1
            digit += 1
    smallest = empty
    for plane in reversed(planes):
        smallest = smallest & ~plane or smallest
    return smallest


def after_pairing(grid: Grid, own: int, cell: int) -> int:
    """Return a side's stones after a placement on one of the cells that `pairing` returns."""
    single = own & ~grid.neighbours(own)
    return own ^ single | grid.around[cell] & own | cell


def after_placing(grid: Grid, groups: Iterable[int], cell: int) -> int:
    """Return the stones of a side with these groups after a placement on `cell`.

    Its groups that are smaller than the one that is formed have gone.
    """
    around, formed, others = grid.around[cell], cell, list[int]()
    for group in groups:
        if group & around:
            formed |= group
        else:
            others.append(group)
    size, stones = formed.bit_count(), formed
    for group in others:
        if group.bit_count() >= size:
            stones |= group
    return stones


def fast_game(
    grid: Grid, choose: Callable[[int], int], x: int = 0, o: int = 0
) -> tuple[int, position.Result]:
    """Play a game from these stones, x to move, and return its turns and its result.

    At least one cell must be empty. `choose` picks one cell of a set. The rules are the same, but
    no position is made for each turn: each side keeps what stays true of its own stones from turn
    to turn.
    """
    side_x, side_o = _side(grid, choose, x), _side(grid, choose, o)
    place_x, place_o = side_x.send, side_o.send
    next(side_x), next(side_o)
    empty, turns = grid.cells & ~(x | o), 0
    while True:
        turns += 1
        if not (empty := place_x(empty)):
            break
        turns += 1
        if not (empty := place_o(empty)):
            break
    # The side that filled the board yields its stones when no cell is empty.
    return turns, _majority(place_x(0), grid.cells)


def _side(grid: Grid, choose: Callable[[int], int], own: int) -> Generator[int, int, None]:
    """Place stones for one side: takes the empty cells and yields those that are empty afterwards.

    If no cell is empty, it yields its stones. `beside` holds the cells that touch a stone of the
    side, and `grouped` those that touch a stone of a larger group. `twice` and `grouped` together
    hold all cells that touch two stones or more.
    """
    around_of = grid.around
    single = own & ~grid.neighbours(own)
    beside, grouped = grid.neighbours(own), grid.neighbours(own ^ single)
    _, twice = grid.beside(single)
    empty = yield 0
    while True:
        apart = empty & ~beside
        if apart:
            cell = choose(apart)
            own |= cell
            single |= cell
            empty ^= cell
            around = around_of[cell]
            twice |= beside & around
            beside |= around
        elif not empty:
            yield own
        else:
            if pairing := empty & ~(twice | grouped):
                # The cell touches one single stone: they form a pair, and all other singles go.
                cell = choose(pairing)
                friend = around_of[cell] & own
                changed = single ^ friend | cell
                own ^= changed
                empty ^= changed
                joined: tuple[int, ...] = (cell, friend)
            else:
                groups = tuple(grid.groups(own))
                cell = choose(smallest_joins(grid, groups, empty))
                before, own = own, after_placing(grid, groups, cell)
                empty ^= before ^ own
                joined = tuple(grid.each(own))
                grouped = 0
            for stone in joined:
                grouped |= around_of[stone]
            beside, twice, single = grouped, 0, 0
        empty = yield empty


def _majority(x: int, cells: int) -> position.Result:
    """Return the result of a full board on which x has these stones."""
    return position.Result(
        position.Side.X if 2 * x.bit_count() > cells.bit_count() else position.Side.O,
        ChurnEnding.MAJORITY,
    )


def _has_odd_number_of_cells(grid: Grid) -> bool:
    return grid.cells.bit_count() % 2 == 1


KIND = position.Kind(
    name="churn",
    title="Churn",
    author="Mark Steere",
    year=2024,
    endings=ChurnEnding,
    start=Churn,
    defaults={Shape.HEX: hexagon(3)},
    first_grids=(hexagon(3),),
    common_grids=(hexagon(4), hexagon(5)),
    can_use=_has_odd_number_of_cells,
    fast_game=fast_game,
)
