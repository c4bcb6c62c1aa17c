"""The boards in the help: what is said of them holds by the rules."""

import re
from pathlib import Path

import pytest

from pbm_oust.board.puzzle import drawn_position, steps_of
from pbm_oust.experiments.advice import TRIED, next_haul, with_mover
from pbm_oust.languages import ENGLISH
from pbm_oust.letters.pictures import PICTURES, Picture
from pbm_oust.letters.words import words_in
from pbm_oust.render.html import draw_html
from pbm_oust.rules import KINDS, Position, Side, parse_grid
from tests.support.home_by_mail import ALICE, Talk
from tests.support.pages import Page
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
    assert PICTURES["placements"].text.count("?") == len(PICTURES["placements"].marks)
    assert PICTURES["game"].text.count("X") == 1


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


def test_each_advice_has_a_board_and_says_what_it_won() -> None:
    for kind, tried in TRIED.items():
        text = words_in(ENGLISH, "pbmserv@example.com").help_page(f"{kind} play")
        assert text
        joined = " ".join(text.split())
        for name, told in tried.items():
            assert PICTURES[f"{kind} {name}"].text.splitlines()[1].strip() in text
            assert f"won {told.won:g} of {told.games} games" in joined
            assert f"which is {100 * told.won / told.games:.0f}%." in joined
        assert joined.count("games on ") == len(tried)


def test_only_one_placement_leaves_o_nothing_to_take() -> None:
    position, found = drawn("oust next haul")
    hauls = {
        cell: next_haul(position.place(cell), Side.X)
        for cell in position.grid.each(position.placements())
    }
    assert len(hauls) == 13
    assert [cell for cell, haul in hauls.items() if haul == 0] == [found.marked]
    assert min(hauls.values()) == -3
    most = sum(cell for cell, haul in hauls.items() if haul == -3)
    assert position.grid.names(most) == ["B3", "C4", "D3"]


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


def test_one_placement_leaves_two_free_cells_apart_from_x_and_another_eight() -> None:
    position, found = drawn("churn few cells")
    left = {
        name: apart(position.place(position.grid.parse_cell(name)), Side.X).bit_count()
        for name in position.grid.names(position.placements())
    }
    assert apart(position, Side.X).bit_count() == 9
    assert (left["C2"], left["C5"], min(left.values()), max(left.values())) == (2, 8, 2, 8)
    assert position.grid.names(found.marked) == ["C2"]


def test_the_help_shows_its_boards_as_html_to_whoever_wants_that(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path, ALICE)
    for line, boards in (("help figures", 7), ("help lessons", len(steps_of(KINDS["oust"])))):
        talk.send(ALICE, line)
        assert talk.page_to(ALICE).count("<table") == boards
    assert Page(talk.page_to(ALICE)).taps() == []
    talk.send(ALICE, "help figures")
    pointed = len(PICTURES["placements"].marks)
    assert talk.page_to(ALICE).partition("</table>")[0].count(">?<") == pointed
    talk.send(ALICE, "help")
    assert not talk.page_to(ALICE)
    talk.send(ALICE, "settings alice wonderland board text")
    talk.send(ALICE, "help figures")
    assert not talk.page_to(ALICE)


def test_a_board_of_the_help_is_the_same_in_html_as_in_text() -> None:
    for each in PICTURES.values():
        x, o, latest = each.stones
        html = "".join(draw_html(each.cells, x, o, latest, 0, pointed=each.marked))
        shown = re.findall(r">([xoXO?])<", html)
        drawn = [sign for line in each.text.splitlines() for sign in re.findall("[xoXO?]", line)]
        assert shown == drawn
