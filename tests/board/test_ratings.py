"""Ratings, against figures worked out by hand."""

import random
from collections.abc import Sequence
from datetime import timedelta

import pytest
from msgspec.structs import replace

from pbm_oust.board import Game, Ruling, Verb
from pbm_oust.board.header import Terms
from pbm_oust.board.ratings import PROVISIONAL, SizeClass, Table, rate, size_class
from pbm_oust.rules import Side, parse_grid
from tests.support import tables
from tests.support.games import new_game, play

tabled = tables.tabled(__file__)

Played = tuple[str, str, str]
"""The userids of x and o, and who won: x, o or draw."""


def finished(x: str, o: str, winner: str, number: int = 1, grid: str = "square 5x5") -> Game:
    start = new_game(grid)
    header = replace(
        start.header, x=x, o=o, board=number, started=start.header.started + timedelta(days=number)
    )
    game = Game.start(header)
    if winner == "draw":
        return play(game, "x propose", "o accept")
    return play(game, "o resign" if winner == "x" else "x resign")


def rated(*games: Game) -> list[Table]:
    """Return the ratings after those of some games that count."""
    return rate(game.summary for game in games if game.summary.counts)


def table_of(games: Sequence[Played]) -> Table:
    (table,) = rated(*(finished(*game, number=number) for number, game in enumerate(games, 1)))
    return table


def rating(games: Sequence[Played], userid: str) -> float:
    return table_of(games).standings[userid].rating


@pytest.mark.parametrize(("winner", "x", "o"), [("x", 1800, 1400), ("draw", 1600, 1600)])
def test_a_first_game_between_two_newcomers(winner: str, x: float, o: float) -> None:
    games = [("alice", "bob", winner)]
    assert (rating(games, "alice"), rating(games, "bob")) == (x, o)


def test_a_game_lost_by_time_counts_and_one_that_was_never_begun_does_not() -> None:
    begun = play(new_game("square 5x5"), "x C3", "o A1")
    void = begun.rule(Ruling(Verb.VOID), begun.latest, "f" * 16)
    forfeit = begun.rule(Ruling(Verb.FORFEIT, Side.X), begun.latest, "f" * 16)
    unmoved = new_game("square 5x5")
    expired = unmoved.rule(Ruling(Verb.FORFEIT, Side.X), unmoved.latest, "f" * 16)
    assert rated(void, expired) == []
    (table,) = rated(forfeit)
    assert table.standings["rrognlie"].rating == 1400
    assert table.standings["marksteere"].rating == 1800


def test_a_provisional_rating_is_the_mean_of_what_the_games_were_worth() -> None:
    games = [("alice", "bob", "x"), ("carol", "alice", "draw")]
    # alice: 1800 for the first; (1800 + 1600) / 2 for the second.
    assert rating(games, "alice") == (1800 + 1700) / 2
    assert rating(games, "carol") == 1700


def test_the_rating_before_a_game_counts_for_both() -> None:
    games = [("alice", "bob", "x"), ("alice", "bob", "x")]
    # The second game is worth (1800 + 1400) / 2 + 200 for alice, and 400 less for bob.
    assert rating(games, "alice") == (1800 + 1800) / 2
    assert rating(games, "bob") == (1400 + 1400) / 2


def established(userid: str, opponents: str) -> list[Played]:
    """Return games that make a rating established: draws with newcomers."""
    return [(userid, f"{opponents}{number}", "draw") for number in range(PROVISIONAL)]


def test_a_newcomer_against_an_established_player() -> None:
    games = established("alice", "guest")
    assert rating(games, "alice") == 1600
    assert not table_of(games).standings["alice"].is_provisional
    beaten = [*games, ("bob", "alice", "x")]
    assert rating(beaten, "bob") == 1600 + 400
    # An established player loses nothing to somebody without games: K is 32 * 0 / 20.
    assert rating(beaten, "alice") == 1600


def test_an_established_player_against_one_with_five_games() -> None:
    games = [*established("alice", "guest"), *(("bob", f"b{n}", "draw") for n in range(5))]
    assert rating([*games, ("bob", "alice", "x")], "alice") == 1600 - 32 * 5 / 20 * 0.5


def test_two_established_players_as_elo_says() -> None:
    games = [*established("alice", "guest"), *established("bob", "other")]
    won = [*games, ("alice", "bob", "x")]
    assert rating(won, "alice") == 1616
    assert rating(won, "bob") == 1584
    again = [*won, ("alice", "bob", "o")]
    # alice is ahead by 32: 1 / (1 + 10 ** (-32 / 400)) = 0.545922... was expected of her.
    assert rating(again, "alice") == pytest.approx(1616 - 32 * 0.5459227, abs=1e-4)
    assert rating(again, "bob") == pytest.approx(1584 + 32 * 0.5459227, abs=1e-4)


def test_games_count_in_the_order_in_which_they_ended_whatever_the_order_of_their_files() -> None:
    chance = random.Random(1)
    players = ["alice", "bob", "carol", "dave"]
    played = [(*chance.sample(players, 2), chance.choice(["x", "o", "draw"])) for _ in range(120)]
    games = [finished(x, o, winner, number) for number, (x, o, winner) in enumerate(played, 1)]
    shuffled = chance.sample(games, len(games))
    assert rated(*shuffled)[0].standings == rated(*games)[0].standings


def test_wins_losses_and_draws_are_counted() -> None:
    table = table_of([("alice", "bob", "x"), ("alice", "bob", "o"), ("bob", "alice", "draw")])
    alice = table.standings["alice"]
    assert (alice.games, alice.wins, alice.losses, alice.draws) == (3, 1, 1, 1)
    assert [standing.userid for standing in table.ordered()] == ["alice", "bob"]


def test_who_took_over_a_side_by_swap_is_who_won() -> None:
    game = play(new_game("square 5x5"), "x C3", "o swap", "o resign")
    assert rated(game)[0].standings["marksteere"].wins == 1


@pytest.mark.parametrize(
    "game",
    [
        play(new_game("square 5x5", Terms(rated=False)), "x resign"),
        play(new_game("square 5x5"), "x decline"),
        play(new_game("square 5x5"), "x C3"),
    ],
)
def test_unrated_void_and_unfinished_games_do_not_count(game: Game) -> None:
    assert rated(game) == []


@tabled("grid", "size", size=SizeClass)
def test_sizes_have_ratings_of_their_own(grid: str, size: SizeClass) -> None:
    assert size_class(parse_grid(grid)) is size
    tables = rated(finished("alice", "bob", "x"), finished("alice", "bob", "x", 2, grid))
    assert len(tables) == (1 if size is SizeClass.SMALL else 2)


def test_the_change_of_a_game_is_told_for_each_player() -> None:
    told = table_of([("alice", "bob", "o")]).games[0]
    assert (told.x.before.userid, told.o.before.userid) == ("alice", "bob")
    assert (told.x.outcome, told.o.outcome) == (-1, 1)
    assert (told.game.name, told.game.winner) == ("oust 1", "bob")
