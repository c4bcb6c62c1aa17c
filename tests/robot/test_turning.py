"""Why a game turned: each reason on a drawn board, and all that is said, in games of chance."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from msgspec import structs

from pbm_oust.board import Deed, Game, Wish
from pbm_oust.board.header import Terms
from pbm_oust.robot import turning
from pbm_oust.robot.analysis import Analysis, Evaluation
from pbm_oust.robot.judging import judged
from pbm_oust.robot.turning import TurningPoint, TurningReason, explained
from pbm_oust.rules import Position, Side
from tests.support.boards import board, churn_board
from tests.support.core import needs_core
from tests.support.games import act, new_game, play, wish
from tests.support.strategies import games
from tests.support.thinking import counting_clock, done

NO_SWAP = Terms(swap=False)
Told = tuple[float, str]
"""How likely x is to win, and the best turns from there on: `D4 E5, A1`."""


def line(text: str) -> tuple[Wish, ...]:
    """Return the turns of a line: `D4 E5, swap, A1`."""
    return tuple(wish(turn.strip()) for turn in text.split(",")) if text else ()


def evaluation(told: Told) -> Evaluation:
    """Return an evaluation, which is certain if it is 0 or 1."""
    return Evaluation(told[0], told[0] in (0, 1), line(told[1]))


def drawn(position: Position) -> Game:
    """Return a game that begins with a position."""
    kind = "oust" if hasattr(position, "_joined") else "churn"
    game = new_game(str(position.grid), NO_SWAP, kind=kind)
    start = replace(game.header.kind, start=lambda _grid: position)
    return Game.start(structs.replace(game.header, kind=start))


def points(game: Game, *told: Told) -> list[TurningPoint]:
    """Return the turning points of a game of which this is told."""
    return explained(game, Analysis("", 1, tuple(map(evaluation, told))))


def reasons(position: Position, move: str, before: Told, after: Told) -> tuple[TurningReason, ...]:
    """Return why a game turned in which x made one move from a position."""
    (point,) = points(act(drawn(position), f"x {move}"), before, after)
    assert (point.number, point.side, point.player, point.other) == (
        *(1, Side.X),
        *("rrognlie", "marksteere"),
    )
    return point.reasons


def turn(text: str) -> Wish:
    return wish(text)


PAIR = board("""
    . . . . .
    . o o . .
    . . . . .
    . . x . .
    . . . . .
""")
WINNING = board("""
    . . . . .
    . x . o .
    . x . . .
    . . . . .
    . . . . .
""")


def test_a_stone_beside_a_larger_group_lets_it_take_what_it_touches_then() -> None:
    found = reasons(PAIR, "D4", (0.6, "A1, E1"), (0.3, "C3 E1"))
    assert found[0] == turning.LetsTake(turn("C3 E1"), number=2, instead=0)


def test_what_the_best_answer_to_the_better_turn_takes_is_told_beside_it() -> None:
    found = reasons(PAIR, "D4", (0.6, "A1, C3 E1"), (0.3, "C3 E1"))
    assert found[0] == turning.LetsTake(turn("C3 E1"), number=2, instead=1)


def test_an_answer_that_takes_no_more_than_after_the_better_turn_is_told_as_an_answer() -> None:
    found = reasons(PAIR, "E1", (0.4, "A1, C3 D5"), (0.2, "C3 D5"))
    assert found == (turning.Answered(turn("C3 D5")),)


def test_of_a_better_line_that_ends_with_its_first_turn_nothing_more_is_said() -> None:
    found = reasons(PAIR, "D4", (0.6, "A1"), (0.3, "C3 E1"))
    assert found[0] == turning.LetsTake(turn("C3 E1"), number=2, instead=None)


def test_a_win_that_was_missed_comes_first() -> None:
    found = reasons(WINNING, "A1", (0.9, "C4"), (0.4, "D1"))
    assert found == (turning.MissedWin(turn("C4")), turning.LastChance())
    certain = reasons(WINNING, "A1", (1, "C4"), (0.4, "D1"))
    assert certain == (turning.MissedWin(turn("C4")), turning.WonBefore())


def test_the_other_player_can_win_at_once() -> None:
    alone = board("""
        . . . . .
        . o . . .
        . o . . .
        . . . . .
        . . . . .
    """)
    found = reasons(alone, "D4", (0.4, "E1, A1"), (0, "C4"))
    assert found == (turning.Loses(turn("C4")), turning.LostAfter())


def test_a_capture_was_missed() -> None:
    position = board("""
        . . . . .
        . x . o .
        . x . . .
        . . . . .
        o . . . .
    """)
    found = reasons(position, "D1", (0.4, "C4 E1, A3"), (0.2, "E3"))
    assert found == (turning.MissedCapture(turn("C4 E1"), number=1, took=0),)


def test_a_smaller_capture_is_told_beside_the_larger_one() -> None:
    position = board("""
        . . . . o
        . x . o .
        . x . o .
        . x . . .
        . . o . o
    """)
    found = reasons(position, "C2 A5", (0.4, "C4 A1, A5"), (0.2, "A1"))
    assert found == (turning.MissedCapture(turn("C4 A1"), number=2, took=1),)


def test_no_free_cell_is_left_apart_from_the_own_stones() -> None:
    empty = churn_board(". . / . . . / . .", "hex 2")
    assert reasons(empty, "B2", (0.4, "A1, B2"), (0.2, "A1")) == (turning.NoRoom(),)
    (answered,) = reasons(empty, "A1", (0.4, "C3, B2"), (0.2, "B2"))
    assert answered == turning.Answered(turn("B2"))


def test_the_largest_groups_compare_worse_after_the_best_answer() -> None:
    position = board("""
        . . . . x
        . . . . .
        . o . . .
        . o . o .
        . . . . .
    """)
    found = reasons(position, "C3", (0.4, "C4, C3 A5"), (0.2, "C2 A5"))
    assert found[-1] == turning.Groups(turn("C2 A5"), after=(1, 4), better=(1, 3))


def test_cells_on_which_a_stone_is_safe_are_compared() -> None:
    found = reasons(PAIR, "C5", (0.4, "E4, E1"), (0.2, "E5"))
    assert found == (turning.OwnCells(None, after=(8, 8), better=(6, 4)),)


def test_safe_cells_may_tell_turns_apart_only_after_the_answers() -> None:
    found = reasons(PAIR, "A1", (0.4, "B1, A3"), (0.2, "E1"))
    assert found == (turning.OwnCells(turn("E1"), after=(1, 5), better=(5, 6)),)


def test_the_other_player_could_take_more_next() -> None:
    found = reasons(PAIR, "C5", (0.4, "D1, A1"), (0.2, "D5"))
    assert found == (turning.Threatens(turn("D5"), number=2, instead=1),)


def test_the_player_could_have_taken_more_next() -> None:
    found = reasons(PAIR, "A1", (0.4, "D1, B1"), (0.2, "B2"))
    assert found == (turning.MissedThreat(number=3, has=1),)


def test_groups_were_joined_that_could_have_stayed_apart() -> None:
    position = board("""
        . . . . o
        x . x . .
        . o . . .
        . . . . .
        . . . . .
    """)
    found = reasons(position, "B4 D1", (0.4, "A3 D1, E3"), (0.2, "E3"))
    assert found[0] == turning.JoinsGroups(number=2, size=3, instead=0)


def test_free_cells_are_counted_in_churn() -> None:
    empty = churn_board(". . . / . . . . / . . . . . / . . . . / . . .", "hex 3")
    found = reasons(empty, "A1", (0.4, "C3, A1"), (0.2, "C3"))
    assert found == (turning.FreeCells(after=15, better=12),)


def test_only_the_last_time_that_a_win_was_likely_is_called_so() -> None:
    game = play(new_game("square 5x5", NO_SWAP), "x A1", "o E5", "x C3", "o E1")
    told = [(0.5, "B2"), (0.6, "D4"), (0.55, "D1"), (0.4, "B4"), (0.45, "A5")]
    (last,) = points(game, *told)
    assert (last.number, last.reasons[-1]) == (3, turning.LastChance())
    (again,) = points(game, *told[:-1], (0.5, "A5"))
    assert (again.number, again.reasons) == (3, last.reasons[:-1])


def test_where_there_was_nothing_else_to_do_nothing_is_called_better() -> None:
    full = churn_board("x o / o . o / x x", "hex 2")
    (point,) = points(act(drawn(full), "x B2"), (0.7, "B2"), (0.2, "A1"))
    assert (point.reasons, point.better) == ((turning.Forced(),), ())


@pytest.mark.parametrize(
    ("move", "after", "expected"),
    [
        ("C4", (1, ""), (turning.Wins(),)),
        ("A1", (0.9, "D1"), (turning.Unforeseen(turn("C4")),)),
    ],
)
def test_a_move_that_surprised_the_search_is_no_mistake(
    move: str, after: Told, expected: tuple[TurningReason, ...]
) -> None:
    assert reasons(WINNING, move, (0.5, "C4"), after) == expected


def test_what_a_good_move_took_is_told() -> None:
    position = board("""
        . . . . .
        . x . o .
        . x . . .
        . . . . .
        o . . . .
    """)
    found = reasons(position, "C4 E1", (0.4, "D1, A3"), (0.7, "E3"))
    assert found == (turning.Takes(1), turning.Unforeseen(turn("D1")))


def test_a_good_move_leaves_the_other_side_no_cell_apart() -> None:
    position = board("""
        . o
        . .
    """)
    found = reasons(position, "A1", (0.4, "A1"), (0.7, "A2"))
    assert found == (turning.TakesRoom(),)


def test_a_turn_that_was_begun_as_the_best_one_is_no_mistake() -> None:
    position = board("""
        . . . . .
        . x . o .
        . x . . .
        . . . . .
        o . . . .
    """)
    (point,) = points(act(drawn(position), "x C4"), (0.6, "C4 E1, A3"), (0.4, "E1, A3"))
    assert (point.reasons, point.better) == ((), ())


@pytest.mark.parametrize(
    ("rates", "second", "expected"),
    [
        ((0.5, 0.9, 0.9), "o swap", {1: turning.Unfair(is_strong=True)}),
        ((0.5, 0.1, 0.1), "o E5", {1: turning.Unfair(is_strong=False)}),
        ((0.5, 0.55, 0.9), "o E5", {}),
        ((0.9, 0.9, 0.9), "o E5", {2: turning.LeftStone()}),
        ((0.1, 0.1, 0.1), "o swap", {2: turning.TookStone()}),
    ],
)
def test_a_first_stone_is_judged_by_who_may_have_it(
    rates: tuple[float, ...], second: str, expected: dict[int, TurningReason]
) -> None:
    game = play(new_game("square 5x5"), "x C3", second)
    best = "swap, A1" if rates[1] > 0.5 else "A1, E5"
    told = [(rates[0], "D5, A1"), (rates[1], best), (rates[2], "B1, E2")]
    found = {point.number: point.reasons for point in points(game, *told)}
    told_of = {number: why[:1] for number, why in found.items() if why}
    assert {number: why for number, (why,) in told_of.items()} | expected == {
        number: why for number, (why,) in told_of.items()
    }
    assert set(expected) <= set(found)


def test_the_moves_that_turn_a_game_most_are_its_turning_points() -> None:
    game = play(new_game("square 5x5"), "x C3", "o swap", "o A1", "o propose", "x E5", "o B2")
    game = play(game, "x A5", "o resign")
    best = ["B1", "swap, A1", "A1", "E5", "E5", "B2", "A5", "E1", "E1"]
    rates = [0.5, 0.95, 0.95, 0.4, 0.4, 0.9, 0.3, 0.6, 0.0]
    found = points(game, *zip(rates, best, strict=True))
    assert [point.number for point in found] == [3, 5, 6]
    assert [point.player for point in found] == ["rrognlie", "marksteere", "rrognlie"]
    assert points(game, *((0.5, each) for each in best)) == []


@needs_core
@given(games())
def test_all_that_is_said_of_a_game_is_so_on_its_boards(game: Game) -> None:
    evaluations = tuple(judged(game, 10, counting_clock()))
    pasts = list(game.each_after(0))
    for point in explained(game, Analysis("", 10, evaluations)):
        before, after = (
            structs.replace(past, result=past.position.result)
            for past in pasts[point.number - 1 : point.number + 1]
        )
        assert game.records[point.number - 1].wish == point.wish
        assert point.player == before.owner(before.to_move)
        assert {point.player, point.other} == {game.x, game.o}
        assert abs(point.chances[0] - point.chances[1]) >= turning.LEAST_TURNED
        follow(before, point.better)
        best = evaluations[point.number].line
        if point.is_worse and point.better and best and not after.position.is_mid_turn:
            assert point.reasons
        for why in point.reasons:
            check(why, point, before, follow(before, point.better), after, follow(after, best))
            if isinstance(why, turning.LastChance):
                own = [each.x_wins for each in evaluations[point.number :]]
                own = [x_wins if point.side is Side.X else 1 - x_wins for x_wins in own]
                assert max(own) < 0.5 <= point.chances[0]


def follow(game: Game, turns: tuple[Wish, ...]) -> list[Game]:
    """Return a game after each turn of a line; all must be allowed."""
    games = []
    for each in turns:
        games.append(game := done(game, each))
    return games


def took(game: Game, side: Side) -> int:
    """Return how many stones the latest record took, if a side made it in Oust."""
    record = game.records[-1]
    action = record.action if isinstance(record.action, tuple) else ()
    is_enemy = record.side is side and game.header.kind.name == "oust"
    return sum(placement.took for placement in action) if is_enemy else 0


def has_won(game: Game, side: Side) -> bool:
    return game.result is not None and game.result.winner is side


def apart(position: Position, side: Side) -> list[str]:
    """Return the free cells none of whose neighbours has a stone of a side."""
    grid = position.grid
    return [
        grid.format_cell(cell)
        for cell in grid.each(grid.cells & ~position.occupied)
        if not grid.around[cell] & position.stones(side)
    ]


def sizes(position: Position, point: TurningPoint) -> tuple[int, ...]:
    """Return the sizes of the largest groups of the player and of the other one."""
    groups = [
        [group.bit_count() for group in position.grid.groups(position.stones(side))]
        for side in (point.side, point.side.other)
    ]
    return tuple(max(each, default=0) for each in groups)


def as_if(position: Position, side: Side) -> Any:
    """Return a position in which a side begins a turn, whose turn it may not be."""
    whole: Any = position
    return replace(whole, to_move=side)


def most_taken(position: Position, side: Side) -> int:
    """Return the most stones that a side can take with a turn, whose turn it may not be."""

    def most(at: Any) -> int:
        found = 0
        for cell in at.grid.each(0 if at.result or at.to_move is not side else at.capturing()):
            after = at.place(cell)
            gone = (at.stones(side.other) & ~after.stones(side.other)).bit_count()
            found = max(found, gone + most(after))
        return found

    return most(as_if(position, side))


def safe(position: Position, side: Side) -> tuple[int, ...]:
    """Return how many cells are safe for a side, and for the other one.

    A stone there takes nothing, and no answer takes it.
    """
    numbers = []
    for each in (side, side.other):
        at, number = as_if(position, each), 0
        for cell in at.grid.each(at.placements()):
            after = at.place(cell)
            is_quiet = after.occupied == at.occupied | cell and after.to_move is not each
            answers = (after.place(answer) for answer in at.grid.each(after.placements()))
            number += is_quiet and all(cell & answer.stones(each) for answer in answers)
        numbers.append(number)
    return tuple(numbers)


def turned_into_one(game: Game, turn: Any) -> int:
    """Return how many groups of the side to move a turn joins to others."""
    position, number = game.position, 0
    side, grid = position.to_move, position.grid
    for cell in map(grid.parse_cell, turn.cells):
        after = position.place(cell)
        groups = list(grid.groups(position.stones(side)))
        (joined,) = (each for each in grid.groups(after.stones(side)) if each & cell)
        inside = sum(group & joined == group for group in groups)
        number += inside if inside > 1 else 0
        position = after
    return number


def check(
    why: Any,
    point: TurningPoint,
    before: Game,
    better: list[Game],
    after: Game,
    answers: list[Game],
) -> None:
    """Check a reason against the better line, the game after the move, and the best answers."""
    side, other = point.side, point.side.other
    match why:
        case turning.Forced():
            assert not point.better
        case turning.MissedWin(turn=instead):
            assert instead == point.better[0]
            assert has_won(better[0], side)
            assert not has_won(after, side)
        case turning.Loses(turn=answer):
            assert answers[0].records[-1].wish == answer
            assert has_won(answers[0], other)
        case turning.LetsTake(turn=answer, number=number, instead=instead):
            assert answers[0].records[-1].wish == answer
            assert took(answers[0], other) == number > (instead or 0)
            assert instead == (took(better[1], other) if len(better) > 1 else None)
        case turning.MissedCapture(turn=instead, number=number, took=taken):
            assert instead == point.better[0]
            assert took(better[0], side) == number > taken == took(after, side)
        case turning.NoRoom():
            assert not apart(after.position, side)
            assert apart(better[0].position, side)
        case turning.Groups(turn=answer, after=after_it, better=instead):
            assert answers[0].records[-1].wish == answer
            assert sizes(answers[0].position, point) == after_it
            assert sizes(better[1].position, point) == instead
        case turning.JoinsGroups(number=number, size=size, instead=instead):
            assert number > instead
            assert sizes(after.position, point)[0] == size
            assert turned_into_one(before, point.wish) == number
            assert turned_into_one(before, point.better[0]) == instead
        case turning.Threatens(turn=answer, number=number, instead=instead):
            assert answers[0].records[-1].wish == answer
            assert most_taken(answers[0].position, other) >= number > instead
            assert most_taken(better[1].position, other) >= instead
        case turning.MissedThreat(number=number, has=has):
            assert most_taken(better[1].position, side) >= number > has
            assert most_taken(answers[0].position, side) >= has
        case turning.OwnCells(turn=answer, after=after_it, better=instead):
            nth = answer is not None
            assert safe([after, *answers][nth].position, side) == after_it
            assert safe(better[nth].position, side) == instead
            assert after_it[0] - after_it[1] < instead[0] - instead[1]
        case turning.FreeCells(after=number, better=instead):
            assert len(apart(after.position, side)) == number > instead
            assert len(apart(better[0].position, side)) == instead
        case turning.Answered(turn=answer):
            assert answers[0].records[-1].wish == answer
        case turning.Wins():
            assert has_won(after, side)
        case turning.Takes(number=number):
            assert took(after, side) == number > 0
        case turning.TakesRoom():
            assert not apart(after.position, other)
        case turning.Unforeseen(turn=instead):
            assert instead != point.wish
        case turning.WonBefore():
            assert point.chances[0] == 1
        case turning.LostAfter():
            assert point.chances[1] == 0
        case turning.Unfair():
            assert after.can_swap
        case turning.LeftStone():
            assert point.better[0] is Deed.SWAP is not point.wish
        case turning.TookStone():
            assert point.wish is Deed.SWAP
        case turning.LastChance():
            assert not has_won(after, side)
        case _:
            raise AssertionError(why)
