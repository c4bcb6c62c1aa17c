"""What refusals suggest can be done: it has been tried on the board."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.accounts.password import Secret
from pbm_oust.board import Game, Place, Wish
from pbm_oust.board.record import WISHED
from pbm_oust.commands.play import Move, Queue
from pbm_oust.commands.show import Show
from pbm_oust.service.reading import tried
from pbm_oust.service.table import form_of
from tests.support.games import act, new_game
from tests.support.home_by_mail import ALICE, BOB, Talk

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
    meant = Move(header.kind, header.board, userid, Secret("wonderland"), wish, guard)
    instead = tried(meant, game)
    assert instead
    done = form_of(instead).whole(instead)
    if isinstance(done, Move | Queue):
        done.try_on(game)
    else:
        assert isinstance(done, Show)


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Talk:
    talk = Talk.begin(tmp_path_factory.mktemp("home"), ALICE, BOB)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=3")
    talk.send(ALICE, "oust move 1 alice wonderland A1")
    return talk


def suggested(talk: Talk, sender: str, answer: str) -> str:
    """Return what is suggested to somebody who answers the letter about Alice's first move."""
    talk.send(sender, "oust show 1")
    talk.answer(talk.letter_to(sender), answer, sender)
    _, lead, behind = talk.text_to(sender).partition("Answer this mail with:\n\n  ")
    return behind.partition("\n")[0] if lead else ""


@pytest.mark.parametrize("answer", ["A1 xyzzy", "xyzzy A1", "1A"])
def test_an_answer_with_a_taken_cell_is_not_suggested_again(answer: str, talk: Talk) -> None:
    assert suggested(talk, BOB, answer) == "A2"


def test_who_answers_moves_is_told_a_move_and_not_the_word_move(talk: Talk) -> None:
    assert suggested(talk, BOB, "moves?") == "A2"


def test_who_misspells_preview_is_told_a_preview_that_can_be_shown(talk: Talk) -> None:
    assert suggested(talk, BOB, "previw") == "preview A2"


def test_who_is_not_to_move_is_told_how_to_queue_the_move(talk: Talk) -> None:
    assert suggested(talk, ALICE, "B2 xyzzy") == "queue B2"


def test_a_line_without_its_password_is_suggested_with_a_move_that_can_be_made(
    talk: Talk,
) -> None:
    talk.send(BOB, "oust mvoe 1 bob lookingglass A1")
    assert "\n  oust move 1 bob PASSWORD A2#2\n" in talk.text_to(BOB)


def test_a_command_that_needs_more_words_is_no_answer_to_send(talk: Talk) -> None:
    assert suggested(talk, BOB, "challege") == ""
    assert "in place of those in capitals:\n\n  oust challenge USERID1 USERID2\n" in (
        talk.text_to(BOB)
    )
