"""The one legal placement is offered as a button."""

from hypothesis import given

from pbm_oust.rules import KINDS, parse_grid
from pbm_oust.web.play import sole_placement
from tests.support.rings import examples
from tests.support.strategies import Play, plays
from tests.support.website import Website


@examples(50)
@given(plays)
def test_it_is_the_one_that_is_legal_or_none(play: Play) -> None:
    for position in play.positions():
        legal = [
            position.grid.format_cell(each) for each in position.grid.each(position.placements())
        ]
        assert sole_placement(position) == (legal[0] if len(legal) == 1 else "")


def test_the_page_offers_it_and_nothing_where_there_are_more(empty: Website) -> None:
    position, cells = KINDS["oust"].start(parse_grid("square 3x3")), list[str]()
    while not (sole := sole_placement(position)):
        page = empty.get(f"/explore/oust/3/{','.join(cells)}".rstrip("/")).text
        assert "the only legal point" not in page
        cell = position.placements()
        cells.append(position.grid.format_cell(cell & -cell))
        position = position.place(cell & -cell)
    page = empty.get(f"/explore/oust/3/{','.join(cells)}").text
    assert f'<a class="button" href="?moves={sole}">Place {sole}, the only legal point</a>' in page
