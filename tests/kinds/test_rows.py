"""Boards of a kind as the database knows them, and what their results do to ratings."""

from pathlib import Path

import pytest

from pbm_oust.board.ratings import START, finish_of, rate
from pbm_oust.rules.position import How, Kind, Result, Side
from pbm_oust.store import index as queries
from pbm_oust.store.home import Home
from pbm_oust.store.index import (
    BoardName,
    Part,
    State,
    believe,
    boards_in,
    entry_of,
    format_outcome,
    parse_outcome,
    reading_with,
)
from pbm_oust.store.ratings import finished_games
from tests.support.games import history_of
from tests.support.kinds import short_games


def test_every_result_is_read_from_the_index_as_it_was_written(kind: Kind) -> None:
    for ending in (*kind.endings, *How):
        for winner in (*Side, None):
            result = Result(winner, ending)
            assert parse_outcome(kind, format_outcome(result)) == result


def test_an_ending_of_no_game_is_not_read(kind: Kind) -> None:
    with pytest.raises(ValueError, match="nonsense"):
        parse_outcome(kind, "x nonsense")


def test_a_history_that_ends_with_its_result_is_believed_to_be_what_it_replays_to(
    kind: Kind,
) -> None:
    for chance in short_games(kind).values():
        game = chance.game()
        replayed = reading_with(entry_of(game), history_of(game))
        believed = believe(BoardName(kind.name, 17), history_of(game))
        assert believed
        assert believed == replayed


def test_the_database_knows_the_results_of_all_boards(kind: Kind, tmp_path: Path) -> None:
    results = {
        number: (result, chance)
        for number, (result, chance) in enumerate(short_games(kind).items(), 1)
    }
    folder = tmp_path / kind.name
    folder.mkdir()
    for number, (_, chance) in results.items():
        (folder / f"{number}.txt").write_bytes(history_of(chance.game(board=number)))
    home = Home(tmp_path)
    home.prepare()
    with home.database.read() as snapshot:
        assert queries.damaged_boards(snapshot, kind.name) == []
        found = boards_in(snapshot, kind.name, [State.OVER], Part(len(results))).entries
        assert {entry.name.board: entry.result for entry in found} == {
            number: result for number, (result, _) in results.items()
        }
        assert len(finished_games(snapshot, kind)) == len(results)
    home.close()


def test_a_win_is_worth_more_than_a_draw_and_that_more_than_a_loss(kind: Kind) -> None:
    for result, chance in short_games(kind).items():
        finish = finish_of(chance.game())
        assert finish
        (table,) = rate([finish])
        assert table.kind is kind
        x, o = (table.standings[userid].rating for userid in ("alice", "bob"))
        if result.winner is None:
            assert x == o == START
        else:
            assert (x > START > o) is (result.winner is Side.X)
