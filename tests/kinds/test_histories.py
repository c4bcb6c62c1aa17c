"""A game is nothing but its history, and every record of that is checked against the rules."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from pbm_oust.board import Game
from pbm_oust.board.history import BadHistory, read_further, read_history
from pbm_oust.board.notation import format_outcome, format_record, format_result, parse_outcome
from pbm_oust.board.ratings import START, rate
from pbm_oust.rules import How, Kind, Result, Side
from pbm_oust.store import index as queries
from pbm_oust.store.home import Home
from pbm_oust.store.index import (
    BoardName,
    BoardState,
    Window,
    believe,
    boards_in,
    entry_of,
)
from pbm_oust.store.ratings import finished_games
from tests.support.command_line import done
from tests.support.games import history_of
from tests.support.happenings import FORMATS, anything_goes, taken_back, with_remarks, written
from tests.support.kinds import games_of, grids_of, short_games, small_grids

SEEDS = range(4)


def anything(kind: Kind) -> Iterator[Game]:
    """Yield games in which everything happened: swaps, passes, turns in parts and taken back."""
    for grid in grids_of(kind)[-3:]:
        for seed in SEEDS:
            yield anything_goes(kind.name, str(grid), seed)


def report(history: str) -> BadHistory:
    with pytest.raises(BadHistory) as bad:
        read_history(history.encode())
    return bad.value


def with_line(history: str, old: str, new: str) -> tuple[str, int]:
    """Return a history with one line changed, and the number of that line."""
    lines = history.split("\n")
    number = lines.index(old)
    lines[number] = new
    return "\n".join(lines), number + 1


def test_every_game_replays_from_its_history(kind: Kind) -> None:
    for game in (*anything(kind), *(each.game() for each in games_of(kind, 2))):
        assert read_history(history_of(game)).game == game


def test_every_beginning_of_a_history_is_the_game_up_to_there(kind: Kind) -> None:
    for chance in short_games(kind).values():
        game = chance.game()
        for number in range(len(game.records)):
            assert read_history(history_of(game.after(number))).game == chance.game(number)


def test_a_history_is_the_same_game_read_whole_or_further_from_any_record(kind: Kind) -> None:
    for game in anything(kind):
        data = history_of(game)
        for number in range(len(game.records)):
            past = game.after(number)
            further = read_further(past, data.removeprefix(history_of(past)))
            assert further.game == game
            assert further.has_result_line == bool(game.result)
            assert further.whole_length + len(history_of(past)) == len(data)


def test_a_record_of_another_placement_is_reported_where_the_rules_refuse_it(kind: Kind) -> None:
    for game, turns, cell in changed_placements(kind):
        record = format_record(game.records[turns])
        _, _, first, *_ = record.split()
        other = record.replace(f" {first} ", f" {game.header.grid.format_cell(cell)} ", 1)
        history, number = with_line(history_of(game).decode(), record, other)
        assert report(history).line == number


def changed_placements(kind: Kind) -> Iterator[tuple[Game, int, int]]:
    """Yield games with the number of a record, and a cell that is illegal in its place."""
    for chance in short_games(kind).values():
        game = chance.game()
        for number, record in enumerate(game.records):
            before = game.after(number).position
            illegal = list(before.grid.each(before.grid.cells & ~before.placements()))
            if illegal and isinstance(record.action, tuple):
                yield game, number, Random(number).choice(illegal)


def test_a_record_that_took_another_number_of_stones_is_reported(kind: Kind) -> None:
    for chance in short_games(kind).values():
        game = chance.game()
        for record in game.records:
            line = format_record(record)
            word = line.split()[2]
            cell, _, took = word.partition("*")
            other = line.replace(f" {word} ", f" {cell}*{int(took or 0) + 1} ", 1)
            history, number = with_line(history_of(game).decode(), line, other)
            assert report(history).line == number


def test_a_result_that_does_not_follow_from_the_records_is_reported(kind: Kind) -> None:
    results = [*short_games(kind)]
    for result, chance in short_games(kind).items():
        told = format_result(result)
        wrong = {format_result(other) for other in results} | {"= x resign", "= draw void"}
        for other in wrong - {told}:
            history, number = with_line(history_of(chance.game()).decode(), told, other)
            assert report(history).line == number


def test_a_grid_that_the_game_is_not_played_on_is_reported(kind: Kind) -> None:
    chance = next(iter(short_games(kind).values()))
    for grid in small_grids():
        if not kind.plays_on(grid):
            line = f"Grid: {chance.grid}"
            history, number = with_line(history_of(chance.game()).decode(), line, f"Grid: {grid}")
            assert report(history).line == number


# Boards of a kind as the database knows them, and what their results do to ratings


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
        replayed = entry_of(game)
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
        found = boards_in(snapshot, [kind.name], [BoardState.OVER], Window(len(results)))[0]
        assert {entry.board: entry.result for entry in found} == {
            number: result for number, (result, _) in results.items()
        }
        assert len(finished_games(snapshot, kind)) == len(results)
    home.close()


def test_a_win_is_worth_more_than_a_draw_and_that_more_than_a_loss(kind: Kind) -> None:
    for result, chance in short_games(kind).items():
        (table,) = rate([chance.game().summary])
        assert table.kind is kind
        x, o = (table.standings[userid].rating for userid in ("alice", "bob"))
        if result.winner is None:
            assert x == o == START
        else:
            assert (x > START > o) is (result.winner is Side.X)


# Games of a kind in the forms of other programs, and back in the same bytes


@pytest.mark.parametrize("form", FORMATS)
def test_a_history_comes_back_in_the_same_bytes(kind: Kind, form: str) -> None:
    grids = grids_of(kind)
    for seed in range(8):
        game = anything_goes(kind.name, str(grids[-1 - seed % len(grids)]), seed)
        history = with_remarks(history_of(game), Random(seed))
        assert taken_back(written(form, history)) == history


@pytest.mark.parametrize("form", FORMATS)
def test_games_of_every_ending_come_back_in_the_same_bytes(kind: Kind, form: str) -> None:
    for chance in short_games(kind).values():
        history = history_of(chance.game()).decode()
        assert taken_back(written(form, history)) == history


@pytest.mark.parametrize("form", FORMATS)
def test_the_operator_exports_a_game_and_imports_it_elsewhere(
    kind: Kind, form: str, tmp_path: Path
) -> None:
    chance = next(iter(short_games(kind).values()))
    here, there = Home(tmp_path / "here"), Home(tmp_path / "there")
    path = here.history_path(BoardName(kind.name, 17))
    path.parent.mkdir(parents=True)
    path.write_bytes(history_of(chance.game()))
    told = done(here, "games", "export", kind.name, "17", f"--{form}")
    done(there, "games", "import", "-", "--as", "17", stdin=told)
    assert there.history_path(BoardName(kind.name, 17)).read_bytes() == path.read_bytes()
    assert done(there, "games", "verify").startswith(f"{kind.name} 17: ok, ")
