"""Histories in which a player gets another userid."""

import pytest

from pbm_oust.board.game import Game
from pbm_oust.board.history import format_records, read_history, userids_in, with_other_userid
from pbm_oust.board.notation import format_header
from pbm_oust.board.record import Place, Ruling, Verb
from pbm_oust.rules.position import Side
from tests.support.games import EXAMPLE, STARTED, new_game


def adopted() -> Game:
    """Return a game that carol has taken over from x, and handed back."""
    game = new_game()
    game = game.act(Side.X, Place(("G7",)), STARTED, "1" * 16)
    game = game.rule(Ruling(Verb.ADOPT, Side.X, "carol"), STARTED, "2" * 16)
    return game.rule(Ruling(Verb.ADOPT, Side.X, "rrognlie"), STARTED, "3" * 16)


def text_of(game: Game) -> bytes:
    return (format_header(game.header) + "# a remark\n" + format_records(game, 0)).encode()


def test_userids_stand_in_the_header_and_in_records_that_hand_a_side_over() -> None:
    assert userids_in(text_of(adopted())) == {"rrognlie", "marksteere", "carol"}


@pytest.mark.parametrize(
    ("old", "new"), [("carol", "gone-1"), ("rrognlie", "a"), ("marksteere", "x" * 20)]
)
def test_a_history_with_another_userid_replays_to_the_same_game_of_that_player(
    old: str, new: str
) -> None:
    before = read_history(text_of(adopted())).game
    after = read_history(with_other_userid(text_of(adopted()), old, new)).game
    named = {old: new}
    assert (after.x, after.o) == (named.get(before.x, before.x), named.get(before.o, before.o))
    assert after.position == before.position
    assert [record.message_key for record in after.records] == [
        record.message_key for record in before.records
    ]


@pytest.mark.parametrize("data", [EXAMPLE.encode(), text_of(adopted())])
def test_two_renamings_that_undo_each_other_leave_every_byte(data: bytes) -> None:
    there = with_other_userid(data, "rrognlie", "gone-12")
    assert there != data
    assert with_other_userid(there, "gone-12", "rrognlie") == data


def test_only_lines_of_the_player_change() -> None:
    renamed = with_other_userid(EXAMPLE.encode(), "rrognlie", "gone-1").decode()
    assert renamed == EXAMPLE.replace("X: rrognlie", "X: gone-1")


def test_a_userid_that_stands_nowhere_changes_nothing() -> None:
    assert with_other_userid(EXAMPLE.encode(), "oust", "gone-1") == EXAMPLE.encode()


@pytest.mark.parametrize("data", [b"", b"X: alice", b"\xff\xfe\nX: rrognlie", b"\n\nX: rrognlie\n"])
def test_what_is_no_history_is_left_as_it_is_but_for_an_owner(data: bytes) -> None:
    assert with_other_userid(data, "nobody", "gone-1") == data


def test_a_last_line_without_its_newline_stays_as_it_is() -> None:
    cut = EXAMPLE.encode()[:-30]
    assert with_other_userid(cut, "rrognlie", "gone-1").endswith(cut[-20:])
