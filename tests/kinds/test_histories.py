"""A game is nothing but its history, and every record of that is checked against the rules."""

from collections.abc import Iterator
from random import Random

import pytest

from pbm_oust.board.game import Game
from pbm_oust.board.history import BadHistory, read_history
from pbm_oust.board.notation import format_record, format_result
from pbm_oust.rules.position import Kind
from tests.support.games import history_of
from tests.support.happenings import anything_goes
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
