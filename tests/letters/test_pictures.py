"""The boards in the help: what is said of them holds by the rules."""

from dataclasses import replace
from typing import Any

import pytest

from pbm_oust.board.puzzle import drawn_position
from pbm_oust.experiments.features import LEARNED, with_mover
from pbm_oust.languages import ENGLISH
from pbm_oust.letters.words import PICTURES, Picture, picture, words_in
from pbm_oust.rules import KINDS, Position, Side, parse_grid
from pbm_oust.rules.grid import rings
from tests.support.recorded import figures, grid_name

NAMES = ("placements", "singletons", "joining", "group", "pass", "win", "game")
"""Of the pictures, in the order of the figures."""


@pytest.mark.parametrize(("nth", "name"), list(enumerate(NAMES, 1)))
def test_a_picture_of_the_help_is_the_position_of_the_figure(nth: int, name: str) -> None:
    figure, drawn = figures()[nth], PICTURES[name]
    assert drawn.grid == grid_name(figure["grid"], figure["size"])
    assert drawn.rows.lower().split() == figure["board"].split("/")
    assert sorted(drawn.marks) == sorted(figure["marked"])


def test_marks_are_drawn_and_the_latest_stone_is_a_capital() -> None:
    assert picture("placements").count("?") == len(PICTURES["placements"].marks)
    assert picture("game").count("X") == 1


def test_the_stones_of_the_hexagon_are_where_the_help_says() -> None:
    drawn = PICTURES["hexagon"]
    grid = parse_grid(drawn.grid)
    cells = [cell for row in reversed(grid.rows) for cell in row]
    stones = dict(zip(cells, drawn.rows.replace(" ", ""), strict=True))
    o, x, other = (grid.parse_cell(name) for name in ("C5", "D5", "C4"))
    assert (stones[o], stones[x], stones[other]) == ("o", "x", "x")
    assert grid.neighbours(x) & other
    text = words_in(ENGLISH, "pbmserv@example.com").help_page("board")
    assert text
    assert "Here o has C5, and x has D5 and C4, which touch" in " ".join(text.split())


def drawn(name: str) -> tuple[Position, Picture]:
    """Return the board of an advice, with x to move, and its picture."""
    found = PICTURES[name]
    rows = "\n".join(found.rows.lower().split())
    return drawn_position(KINDS[name.split()[0]], found.cells, rows), found


def turned(position: Position) -> Position:
    """Return the same stones with o to move."""
    return with_mover(position, Side.O)


def apart(position: Position, side: Side) -> int:
    """Return the free cells none of whose neighbours has a stone of a side."""
    grid, stones = position.grid, position.stones(side)
    free = grid.each(grid.cells & ~position.occupied)
    return sum(cell for cell in free if not grid.around[cell] & stones)


def loses_to_next(position: Position, cell: int) -> bool:
    """Return whether a stone of the side to move on a cell can be taken by the next stone."""
    after = position.place(cell)
    answers = (after.place(each) for each in after.grid.each(after.placements()))
    return after.is_mid_turn or any(not answer.occupied & cell for answer in answers)


def test_each_advice_has_a_board_and_says_how_often_it_held() -> None:
    for kind in KINDS.values():
        text = words_in(ENGLISH, "pbmserv@example.com").help_page(f"{kind.name} play")
        assert text
        joined = " ".join(text.split())
        for name, told in LEARNED[kind.name].items():
            assert picture(f"{kind.name} {name}").splitlines()[1].strip() in text
            said = f"in this in {told.games} games. It won {told.won} of them"
            assert said in joined
            assert f"which is {100 * told.won / told.games:.0f}%." in joined
        assert joined.count("one side was ahead") == len(LEARNED[kind.name])


def test_own_cells_are_those_where_a_stone_stays() -> None:
    position, found = drawn("oust own cells")
    own, others = (
        sum(
            cell
            for cell in each.grid.each(apart(each, each.to_move))
            if not loses_to_next(each, cell)
        )
        for each in (position, turned(position))
    )
    assert (own, others.bit_count()) == (found.marked, 2)
    assert own.bit_count() == 6


def test_beside_the_large_group_only_o_can_take() -> None:
    position, found = drawn("oust largest group")
    assert turned(position).capturing() == found.marked
    assert found.marked.bit_count() == 9
    assert not position.capturing()


def test_the_dead_stone_is_taken_from_seven_points_and_cannot_be_saved() -> None:
    position, found = drawn("oust dead enemies")
    dead = position.grid.parse_cell("C4")
    takes = [
        cell
        for cell in position.grid.each(position.placements())
        if not position.place(cell).occupied & dead
    ]
    assert sum(takes) == found.marked
    assert len(takes) == 7
    for reply in position.grid.each(turned(position).placements()):
        after = with_mover(turned(position).place(reply), Side.X)
        answers = (after.place(cell) for cell in after.grid.each(after.placements()))
        assert any(not answer.occupied & dead for answer in answers)


def test_a_group_of_four_is_not_taken_by_four_and_one_of_three_would_be() -> None:
    position, found = drawn("oust two larger")
    assert not turned(position).placements() & found.marked
    whole: Any = position
    smaller = replace(whole, x=position.stones(Side.X) & ~position.grid.parse_cell("D4"))
    after = turned(smaller).place(found.marked)
    assert not after.stones(Side.X)


def test_one_placement_takes_all_three_single_stones() -> None:
    position, found = drawn("oust average group")
    assert position.stones(Side.O).bit_count() == 3
    assert not position.place(found.marked).stones(Side.O)


def test_the_stone_that_is_given_up_is_taken_from_three_points() -> None:
    position, found = drawn("oust stones lost")
    assert turned(position).capturing() == found.marked
    assert found.marked.bit_count() == 3


def test_at_the_rim_more_cells_are_left() -> None:
    position, found = drawn("churn on the rim")
    assert position.stones(Side.X).bit_count() == position.stones(Side.O).bit_count() == 3
    assert not position.stones(Side.X) & ~rings(position.grid)[0]
    assert apart(position, Side.X) == found.marked
    assert (found.marked.bit_count(), apart(position, Side.O).bit_count()) == (5, 3)
    grid = position.grid
    assert {grid.around[cell].bit_count() for cell in grid.each(rings(grid)[0])} == {3, 4}


def test_x_has_one_placement_and_o_four() -> None:
    position, found = drawn("churn placements")
    assert position.placements() == found.marked
    assert turned(position).placements().bit_count() == 4


def test_a_pair_takes_the_other_single_stones_off() -> None:
    position, found = drawn("churn smaller groups")
    after = position.place(found.marked)
    assert after.stones(Side.X).bit_count() == 2
    assert position.stones(Side.X).bit_count() > 2


def test_the_last_stone_wins_with_eleven() -> None:
    position, found = drawn("churn largest group")
    after = position.place(found.marked)
    assert after.result
    assert after.result.winner is Side.X
    assert after.stones(Side.X).bit_count() == 11
    assert max(map(int.bit_count, position.grid.groups(after.stones(Side.X)))) == 11
