"""Histories as text: what is written, and that it reads back."""

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.board import Game, Header, Place, Ruling, Verb
from pbm_oust.board.header import Terms
from pbm_oust.board.history import (
    BadHistory,
    format_records,
    read_header,
    read_history,
    userids_in,
    with_other_userid,
)
from pbm_oust.board.notation import (
    format_header,
    format_record,
    format_terms,
    format_time,
    parse_record,
    parse_terms,
    parse_time,
)
from pbm_oust.rules import KINDS, How, Result, Side
from pbm_oust.rules.grid import square
from tests.support import tables
from tests.support.boards import O, X
from tests.support.games import EXAMPLE, STARTED, act, history_of, new_game, play
from tests.support.strategies import games, relaxed, terms

tabled = tables.tabled(__file__)

zones = st.integers(-23, 23).map(lambda hours: timezone(timedelta(hours=hours)))


def without_last_line(text: str) -> str:
    """Return a history without its last line."""
    return text[: text.rstrip("\n").rfind("\n") + 1]


def test_a_history_says_what_the_board_is() -> None:
    header = read_history(EXAMPLE.encode()).game.header

    assert header == Header(
        kind=KINDS["oust"],
        board=17,
        grid=square(13),
        x="rrognlie",
        o="marksteere",
        terms=Terms(swap=True, rated=True, nagtime=7, forfeittime=21, totaltime=0),
        started=datetime(2026, 11, 20, 15, 36, tzinfo=UTC),
    )
    assert read_header(EXAMPLE.encode()) == header


def test_a_history_says_what_was_done() -> None:
    game = read_history(EXAMPLE.encode()).game

    assert [record.number for record in game.records] == [1, 2, 3, 4, 5, 6, 7]
    assert [record.side for record in game.records] == [X, O, O, X, O, X, O]
    assert game.records[5].at == datetime(2026, 11, 22, 6, 0, 19, tzinfo=UTC)
    assert game.records[5].message_key == "77aa01c2d3e4f506"
    assert (game.x, game.o) == ("marksteere", "rrognlie")
    assert game.result == Result(X, How.RESIGN)


def test_a_history_grows_by_what_each_record_adds() -> None:
    game = read_history(EXAMPLE.encode()).game

    text = format_header(game.header)
    for number, _ in enumerate(game.records, 1):
        text += format_records(game.after(number), since=number - 1)

    assert text == EXAMPLE.replace("= x", "# over: marksteere won\n= x")


def test_a_result_line_that_is_missing_at_the_end_follows_from_the_records() -> None:
    history = read_history(without_last_line(EXAMPLE).encode())

    assert history.game.result == Result(X, How.RESIGN)
    assert not history.has_result_line


@pytest.mark.parametrize("torn", ["   8 x D4", "= x resi", "#", "= o resign", "= x resign"])
def test_a_last_line_without_its_newline_is_left_aside(torn: str) -> None:
    whole = without_last_line(EXAMPLE)

    history = read_history((whole + torn).encode())

    assert history.game == read_history(whole.encode()).game
    assert history.whole_length == len(whole)


def test_a_last_line_torn_within_a_character_is_left_aside() -> None:
    history = read_history(EXAMPLE.encode() + b"# \xe2\x80")

    assert history.whole_length == len(EXAMPLE)


@pytest.mark.parametrize("line", range(18))
def test_remarks_are_allowed_between_any_two_lines(line: int) -> None:
    lines = EXAMPLE.splitlines(keepends=True)
    remarks = ["# checked by the operator: \N{SNOWMAN}\n", "#\n"]

    history = read_history("".join([*lines[:line], *remarks, *lines[line:]]).encode())

    assert history.game == read_history(EXAMPLE.encode()).game
    assert history.has_result_line


def test_two_records_may_have_the_same_time() -> None:
    text = EXAMPLE.replace("2026-11-21T20:00:00Z", "2026-11-21T21:00:00Z")

    assert history_of(read_history(text.encode()).game).decode() == text


def test_a_board_without_records_has_a_history_already() -> None:
    history = read_history(format_header(new_game().header).encode())

    assert history.game == new_game()
    assert not history.has_result_line


def test_a_long_turn_moves_the_time_to_the_right_and_reads_back() -> None:
    game = new_game("square 2x2")
    wide = format_record(act(game, "x A1").records[0]).replace(f"{'A1':<25}", "A1*1 " * 9 + "A1")

    assert wide.startswith("   1 x A1*1 A1*1 ")
    assert format_record(parse_record(wide)) == wide


@tabled("options", "text", options=json.loads)
def test_terms_are_written_as_options(options: dict[str, Any], text: str) -> None:
    assert format_terms(Terms(**options)) == text
    assert parse_terms(text) == Terms(**options)


@relaxed
@given(terms)
def test_any_terms_read_back(values: Terms) -> None:
    assert parse_terms(format_terms(values)) == values


@relaxed
@given(st.datetimes(datetime(1970, 1, 1), datetime(9999, 12, 30), timezones=zones))
def test_any_time_reads_back_to_the_second(at: datetime) -> None:
    assert parse_time(format_time(at)) == at.replace(microsecond=0).astimezone(UTC)


@relaxed
@given(games())
def test_any_game_reads_back_from_its_history_which_is_written_in_one_way_only(game: Game) -> None:
    history = read_history(history_of(game))
    assert history.game == game
    assert history.has_result_line is bool(game.result)
    assert history_of(history.game) == history_of(game)


@relaxed
@given(games(), st.data())
def test_a_history_torn_anywhere_is_an_earlier_moment_of_the_game(
    game: Game, data: st.DataObject
) -> None:
    text = history_of(game)
    start = len(format_header(game.header))
    length = data.draw(st.integers(start, len(text)))

    history = read_history(text[:length])

    assert history.game == game.after(len(history.game.records))
    assert text.startswith(history_of(game)[: history.whole_length])
    assert history.whole_length <= length


def test_thousands_of_remarks_in_a_row_are_kept_out_of_the_way() -> None:
    assert read_history((EXAMPLE + "#\n" * 5000).encode()).has_result_line


# The remark that says who won, above the result


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


# Histories in which a player gets another userid


def test_a_record_of_a_clock_that_was_far_ahead_holds_up_none_that_follow() -> None:
    first = "2026-11-20T15:40:02Z"
    read_history(EXAMPLE.replace(first, "2026-11-22T08:02:12Z").encode())
    with pytest.raises(BadHistory, match="the time lies before 2026-11-22T08:02:11Z"):
        read_history(EXAMPLE.replace(first, "2026-11-22T08:02:11Z").encode())


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
