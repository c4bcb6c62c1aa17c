"""What the index believes of a history that has ended is what its replay says."""

from datetime import timedelta

import pytest
from hypothesis import given

from pbm_oust.board import Game, Ruling, Summary, Verb
from pbm_oust.board.history import format_records, read_history
from pbm_oust.board.notation import format_header
from pbm_oust.rules import Side
from pbm_oust.store.boards import read_rows, rows_of
from pbm_oust.store.index import BoardName, believe, entry_of
from tests.support import tables
from tests.support.games import EXAMPLE, act, history_of, new_game, play
from tests.support.rings import examples
from tests.support.strategies import games

tabled = tables.tabled(__file__)

NAME = BoardName("oust", 17)


def replayed(data: bytes) -> Summary:
    """Return what the index says of a history that was replayed."""
    return entry_of(read_history(data).game)


def ruled(game: Game, ruling: Ruling) -> Game:
    return game.rule(ruling, game.latest + timedelta(hours=1), f"{game.next_number:016x}")


def test_a_finished_history_is_believed() -> None:
    data = EXAMPLE.replace("\n\n", "\n\n# challenge 0123456789abcdef\n# seek 5\n# more\n").encode()
    believed = believe(NAME, data)
    assert believed == replayed(data)
    rows = read_rows(NAME, data)
    assert rows == rows_of(NAME, believed, data)
    assert rows.columns[:3] == ("0123456789abcdef", "seek", 5)


@examples(100)
@given(games())
def test_what_is_believed_of_a_game_is_what_its_replay_says(game: Game) -> None:
    data = history_of(game)
    believed = believe(NAME, data)
    assert believed == (replayed(data) if game.result else None)


@pytest.mark.parametrize(
    "ruling",
    [
        Ruling(Verb.VOID),
        Ruling(Verb.AWARD),
        Ruling(Verb.AWARD, Side.O),
        Ruling(Verb.FORFEIT, Side.X),
    ],
)
def test_owners_follow_from_swaps_and_from_sides_that_were_handed_over(ruling: Ruling) -> None:
    game = play(new_game("square 5x5"), "x C3", "o swap")
    for side, userid in ((Side.X, "carol"), (Side.O, "dave"), (Side.X, "erin")):
        game = ruled(game, Ruling(Verb.ADOPT, side, userid))
    data = history_of(ruled(act(game, "o C4"), ruling))
    believed = believe(NAME, data)
    assert believed == replayed(data)
    userids = [(userid, owns) for userid, *_, owns in read_rows(NAME, data).userids]
    assert userids == [("carol", 0), ("dave", 1), ("erin", 1), ("marksteere", 0), ("rrognlie", 0)]


def test_a_game_in_which_a_turn_was_taken_back_has_to_be_replayed() -> None:
    game = play(new_game("square 5x5"), "x C3", "o swap", "o undo", "x accept", "o resign")
    assert believe(NAME, history_of(game)) is None


def test_a_game_that_goes_on_or_lacks_its_result_has_to_be_replayed() -> None:
    game = play(new_game("square 5x5"), "x C3", "o resign")
    records = format_records(game, 0).removesuffix("= x resign\n")
    assert believe(NAME, (format_header(game.header) + records).encode()) is None
    assert believe(NAME, history_of(new_game())) is None
    assert believe(NAME, b"") is None


@tabled("old", "new")
def test_what_is_not_plain_has_to_be_replayed(old: str, new: str) -> None:
    assert EXAMPLE.replace(old, new) != EXAMPLE
    assert believe(NAME, EXAMPLE.replace(old, new).encode()) is None
