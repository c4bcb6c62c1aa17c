"""Boards of a kind as people look at them."""

from pbm_oust.render.html import Marks, Taps, board_html
from pbm_oust.render.text import board_text, players_text
from pbm_oust.rules import Kind, Side
from tests.support.kinds import games_of, short_games, steps_of
from tests.support.pages import Page, rows_of_text, stones_in


def test_every_stone_stands_on_its_cell(kind: Kind) -> None:
    for _, _, after in steps_of(kind, 2):
        rows = [line.split() for line in board_text(after).split("\n")]
        shown = {int(row[0]): row[1:] for row in rows if row[0].isdecimal()}
        for number, cells in enumerate(after.grid.rows, 1):
            marks = shown[number][: len(cells)]
            for cell, mark in zip(cells, marks, strict=True):
                stones = {side for side in Side if cell & after.stones(side)}
                assert {side for side in Side if mark == side.value} == stones


def test_a_page_shows_the_same_board_as_the_text(kind: Kind) -> None:
    for _, cell, after in steps_of(kind, 2):
        taps = Taps("mailto:", after.capturing())
        page = Page(board_html(after, Marks(latest=cell), taps))
        text = rows_of_text(board_text(after, cell), after.grid)
        assert stones_in(page.board) == stones_in(text)
        names = after.grid.names(after.placements())
        assert sorted(page.hrefs) == sorted(f"mailto:{name}" for name in names)


def test_a_board_is_headed_by_both_players_with_their_figures(kind: Kind) -> None:
    for chance in short_games(kind).values():
        game = chance.game()
        heading = players_text(game)
        for side in Side:
            stones = game.position.stones(side).bit_count()
            assert f"{side.value}: {game.owner(side)} " in heading
            assert str(stones) in heading


def test_the_default_board_fits_into_a_letter(kind: Kind) -> None:
    for grid in kind.defaults.values():
        assert max(map(len, board_text(kind.start(grid)).split("\n"))) <= 75
    assert games_of(kind)
