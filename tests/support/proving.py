"""What turns reach the goal of a puzzle, as the rules alone say: each turn is tried."""

from collections.abc import Mapping, Sequence
from itertools import islice

from pbm_oust.board.puzzle import Goal, turns, winning_turn
from pbm_oust.experiments.counting import OutOfRoom, RoomForPositions
from pbm_oust.experiments.solve import Search, Worth
from pbm_oust.rules import Position, Side

MOST_TURNS = 3000
"""How many positions a turn may lead to, so that a proof takes little time."""
MOST_POSITIONS = 4000
"""How many positions may follow it until the game is over, if a win is to be forced."""

Turn = tuple[tuple[str, ...], Position]
"""The placements of x, and the position that they lead to."""


def right_turns(position: Position, goal: Goal) -> tuple[Sequence[Turn], Mapping[str, str]]:
    """Return the turns that reach a goal; if there are several, two of them may be all.

    And the replies to the others, if a win is to be forced. There are none at all where the goal
    makes no sense: x can win and is to do something less, or it does not matter what x does.
    """
    after = list(islice(turns(position), MOST_TURNS))
    if not 3 <= len(after) < MOST_TURNS:
        return (), {}
    if goal is Goal.WIN:
        return [each for each in after if has_won(each[1])], {}
    if any(each.result for _, each in after):
        return (), {}
    if goal is Goal.HOLD:
        return _holding(after), {}
    if goal is Goal.FORCE:
        return _forcing(position, after)
    return _most(position, after), {}


def has_won(position: Position) -> bool:
    """Return whether x has won."""
    return bool(position.result and position.result.winner is Side.X)


def _most(position: Position, after: Sequence[Turn]) -> Sequence[Turn]:
    """Return the turns that take most stones of o, up to the last placement that is needed."""
    taken = [(position.stones(Side.O) & ~each.stones(Side.O)).bit_count() for _, each in after]
    most = max(taken)
    right = [each for each, count in zip(after, taken, strict=True) if count == most]
    needed = (each for each in right if not any({*cells} < {*each[0]} for cells, _ in right))
    return list(needed) if most else []


def _holding(after: Sequence[Turn]) -> list[Turn]:
    """Return turns after which o cannot win at once."""
    ended = (each for each in after if not each[1].is_mid_turn)
    return list(islice((each for each in ended if not winning_turn(each[1])), 2))


def _forcing(position: Position, after: Sequence[Turn]) -> tuple[Sequence[Turn], Mapping[str, str]]:
    """Return the whole turns after which x wins for certain, and what o answers to the others.

    An answer is a whole turn, too: halfway through it, o is still to move. All games that can
    follow are played. There are none if they are too many.
    """
    search = Search(position.grid, RoomForPositions(MOST_POSITIONS))
    right, replies = list[Turn](), dict[str, str]()
    try:
        for cells, each in after:
            if each.is_mid_turn:
                continue
            if search.worth(each) is Worth.LOSS:
                right.append((cells, each))
                continue
            saving = (
                reply
                for reply, then in turns(each)
                if not then.is_mid_turn
                and (not has_won(then) if then.result else search.worth(then) is not Worth.WIN)
            )
            reply = next(saving, None)
            if reply is None:
                return (), {}
            replies[",".join(cells)] = ",".join(reply)
    except OutOfRoom:
        return (), {}
    return right, replies
