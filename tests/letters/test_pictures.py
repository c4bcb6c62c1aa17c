"""The boards in the help: what is said of them holds by the rules."""

import pytest

from pbm_oust.languages import ENGLISH
from pbm_oust.letters.words import PICTURES, picture, words_in
from pbm_oust.rules import parse_grid
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
