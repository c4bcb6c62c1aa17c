"""The remark that says who won, above the result."""

import pytest

from pbm_oust.board.game import Game
from pbm_oust.board.history import BadHistory, format_records, read_history, with_other_userid
from pbm_oust.board.notation import format_header
from pbm_oust.board.record import Ruling, Verb
from pbm_oust.rules.position import Side
from tests.support.games import STARTED, history_of, new_game, play


def ruled(verb: Verb, side: Side | None = None) -> Game:
    game = play(new_game(), "x D4", "o E6")
    return game.rule(Ruling(verb, side), STARTED.replace(day=22), "f" * 16)


ENDINGS = [
    (play(new_game("square 2x2"), "x A1", "o swap", "o B2", "x A2"), "marksteere won"),
    (play(new_game(), "x D4", "o swap", "x resign"), "rrognlie won"),
    (play(new_game(), "x D4", "o decline"), "marksteere declined"),
    (play(new_game(), "x D4", "o propose", "x accept"), "a draw"),
    (ruled(Verb.AWARD, Side.O), "marksteere won by the operator's award"),
    (ruled(Verb.AWARD), "a draw by the operator's award"),
    (ruled(Verb.VOID), "never begun"),
]


def written(game: Game) -> str:
    return format_header(game.header) + format_records(game, 0)


@pytest.mark.parametrize(("game", "words"), ENDINGS)
def test_a_history_says_who_won_whatever_side_that_is(game: Game, words: str) -> None:
    *_, remark, result = written(game).splitlines()
    assert remark == f"# over: {words}"
    assert result.startswith("= ")
    assert read_history(written(game).encode()).game == game


@pytest.mark.parametrize(("game", "words"), ENDINGS)
def test_a_history_without_the_remark_is_read_as_before(game: Game, words: str) -> None:
    assert read_history(history_of(game)).game == game


def test_a_remark_that_names_the_wrong_winner_is_damage() -> None:
    game, _ = ENDINGS[0]
    false = written(game).replace("marksteere won", "rrognlie won")
    with pytest.raises(BadHistory, match="'# over: marksteere won'") as caught:
        read_history(false.encode())
    assert caught.value.line == false.splitlines().index("# over: rrognlie won") + 1


def test_a_remark_about_the_end_of_a_game_that_goes_on_is_damage() -> None:
    game = play(new_game(), "x D4")
    with pytest.raises(BadHistory):
        read_history(f"{written(game)}# over: rrognlie won\n".encode())


def test_who_is_forgotten_is_not_named_in_the_remark_either() -> None:
    game, _ = ENDINGS[0]
    renamed = with_other_userid(written(game).encode(), "marksteere", "gone-1")
    assert b"\n# over: gone-1 won\n" in renamed
    assert b"marksteere" not in renamed
    assert read_history(renamed).game.o == "rrognlie"
