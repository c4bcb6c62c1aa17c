"""What refusals suggest can be done: it has been tried on the board."""

from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.accounts.password import Secret
from pbm_oust.board import Game, Place, Wish
from pbm_oust.board.record import WISHED
from pbm_oust.service.corrections import tried
from tests.support.commands import command
from tests.support.games import act, new_game

GRIDS = (("oust", "square 4x4"), ("oust", "hex 3"), ("churn", "hex 2"))


@st.composite
def games(draw: st.DrawFn) -> Game:
    kind, grid = draw(st.sampled_from(GRIDS))
    game = new_game(grid, kind=kind)
    for nth in draw(st.lists(st.integers(0, 99), max_size=12)):
        names = game.header.grid.names(game.position.placements())
        if names and not game.result:
            game = act(game, f"{game.to_move.value} {names[nth % len(names)]}")
    return game


def wishes() -> st.SearchStrategy[Wish]:
    cells = st.tuples(st.sampled_from("ABCDEI"), st.integers(1, 6)).map(
        lambda at: f"{at[0]}{at[1]}"
    )
    return st.lists(cells, min_size=1, max_size=3).map(lambda some: Place(tuple(some))) | (
        st.sampled_from(WISHED)
    )


@given(
    games(), wishes(), st.none() | st.integers(1, 14), st.sampled_from(["rrognlie", "marksteere"])
)
def test_whatever_is_suggested_in_place_of_a_move_can_be_done(
    game: Game, wish: Wish, guard: int | None, userid: str
) -> None:
    header = game.header
    at = {"kind": header.kind, "board": header.board}
    who = {"userid": userid, "password": Secret("wonderland")}
    meant = command("move", **at, **who, wish=wish, guard=guard)
    instead = tried(meant, game)
    assert instead
    assert instead.is_whole
    assert instead.form.name in ("move", "queue", "show")
    instead.form.try_on(instead, game)
