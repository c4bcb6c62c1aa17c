"""Ladders in the database: what is kept is what all that happened gives, whatever happens."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.board import Deed, Game, Header, Ruling, Verb
from pbm_oust.board.header import Terms
from pbm_oust.rules import KINDS, Side, parse_grid
from pbm_oust.store import ladders
from pbm_oust.store.boards import Boards, by_records, challenge_remark
from pbm_oust.store.database import Database
from pbm_oust.store.index import (
    BoardName,
    Source,
    Window,
    boards_between,
    damaged_boards,
    entry_of,
)
from pbm_oust.store.ladders import Climb
from pbm_oust.store.sqlite import SqliteDatabase
from pbm_oust.tournaments.ladder import SOURCE, Challenge, Ladder, LadderStep, Rung, fold
from tests.support.games import STARTED
from tests.support.rings import examples

OUST = KINDS["oust"]
PLAYERS = ("ann", "ben", "cat", "dan", "eve")


class Played:
    """A ladder on which things happen one after the other, at times that are given in hours."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.boards = Boards(Path(), database.time)
        self.now = STARTED
        self.number = 0

    def ask(self, question: Callable[..., Any], *values: object) -> Any:
        with self.database.read() as snapshot:
            return question(snapshot, "oust", *values)

    def do(self, deed: Callable[..., Any], *values: object) -> Any:
        return self.database.write(lambda each: deed(each, *values))

    def join(self, *userids: str) -> None:
        for userid in userids:
            self.do(ladders.join, "oust", userid, self.now)

    def challenge(self, challenger: str, defender: str) -> int:
        """Begin a board; return its number."""
        self.number += 1
        header = Header(
            OUST, self.number, parse_grid("square 5x5"), challenger, defender, Terms(), self.now
        )
        remarks = challenge_remark(f"{self.number:016d}") + Source(SOURCE, 1).remark
        self.do(self.boards.start, Game.start(header), remarks)
        return self.number

    def game(self, number: int) -> Game:
        with self.database.read() as snapshot:
            return self.boards.read(snapshot, OUST, number).game

    def ended(self, number: int, how: str) -> Game:
        """Return the game of a board after it has ended: `x` or `o` resigns, or it is void."""
        game = self.game(number)
        key = f"{number:08d}{game.next_number:08d}"
        if how == "void":
            return game.rule(Ruling(Verb.VOID), self.now, key)
        return game.act(Side(how), Deed.RESIGN, self.now, key)

    def put(self, game: Game) -> None:
        """Write what comes of a game."""
        with self.database.read() as snapshot:
            board = self.boards.read(snapshot, OUST, game.header.board)
        self.do(self.boards.append, board, game)

    def end(self, number: int, how: str) -> None:
        self.put(self.ended(number, how))

    def reopen(self, number: int) -> None:
        """Let a board have a history that has not begun, as an edited file that was accepted."""
        game = Game.start(self.game(number).header)
        with self.database.read() as snapshot:
            head, *_ = by_records(self.boards.history(snapshot, BoardName.of(game.header)))
        self.do(self.boards.put, BoardName.of(game.header), entry_of(game), head)

    def damage(self, number: int) -> None:
        self.do(self.boards.put, BoardName("oust", number), None, b"")

    def rename(self, old: str, new: str) -> None:
        self.do(self.boards.rename_player, old, new)
        self.do(ladders.rename, old, new)

    def sound(self) -> list[int]:
        """Return the boards that can be read."""
        with self.database.read() as snapshot:
            damaged = {each.board for each in damaged_boards(snapshot, "oust")}
        return [each for each in range(1, self.number + 1) if each not in damaged]

    def order(self) -> list[str]:
        return [each.userid for each in self.ask(ladders.places, Window(99))]

    def go_on(self) -> None:
        """Let the ladder follow all that happened until now."""
        ladders.count_waiting(self.database, self.now)

    def check(self) -> None:
        """Compare what is kept with what all events give."""
        assert self.ask(ladders.wrong, self.now) == []
        self.go_on()
        given = fold(self.ask(ladders.all_events)).at(self.now)
        assert self.order() == list(given)


@pytest.fixture
def played(database: Database) -> Played:
    """Four players on a ladder, ann at the top."""
    played = Played(database)
    played.join("ann", "ben", "cat", "dan")
    return played


def test_who_wins_takes_the_place_of_the_beaten(played: Played) -> None:
    number = played.challenge("dan", "ben")
    won = played.ended(number, "o")
    assert played.ask(lambda each, _: ladders.climb_by(each, won)) == Climb(
        "dan", "ben", LadderStep.WIN, before=4, place=2
    )
    played.put(won)
    assert played.order() == ["ann", "dan", "ben", "cat"]
    played.check()


@pytest.mark.parametrize("how", ["x", "void"])
def test_any_other_end_leaves_all_in_their_places(played: Played, how: str) -> None:
    played.end(played.challenge("dan", "ben"), how)
    assert played.order() == ["ann", "ben", "cat", "dan"]
    played.check()


def test_an_end_that_a_history_no_longer_has_is_undone_on_the_ladder(played: Played) -> None:
    first, second = played.challenge("dan", "ben"), played.challenge("cat", "ann")
    for number in (first, second):
        played.now += timedelta(hours=1)
        played.end(number, "o")
    assert played.order() == ["cat", "ann", "dan", "ben"]
    played.reopen(first)
    assert played.order() == ["cat", "ann", "ben", "dan"]
    played.check()


def test_games_that_end_in_one_second_count_in_the_order_of_their_numbers(played: Played) -> None:
    first, second = played.challenge("cat", "ann"), played.challenge("dan", "ann")
    played.end(second, "o")
    played.end(first, "o")
    assert played.order() == ["cat", "dan", "ann", "ben"]
    played.check()


def test_who_is_idle_sinks_and_who_plays_stays(played: Played) -> None:
    played.now += timedelta(days=1)
    played.challenge("cat", "ben")
    played.now += timedelta(days=60)
    played.go_on()
    assert played.order() == ["ben", "cat", "ann", "dan"]
    played.check()


@pytest.mark.parametrize(("how", "order"), [("void", "ben cat ann dan"), ("x", "ben cat dan ann")])
def test_a_game_that_counts_as_never_begun_keeps_nobody_from_sinking(
    played: Played, how: str, order: str
) -> None:
    played.now += timedelta(days=10)
    played.end(played.challenge("cat", "ben"), "x")
    number = played.challenge("dan", "ben")
    played.now += timedelta(days=10)
    played.end(number, how)
    played.now += timedelta(days=50)
    played.go_on()
    assert played.order() == order.split()
    played.check()


def test_a_ladder_that_is_far_behind_follows_in_parts(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ladders, "MOST_AT_ONCE", 2)
    played.end(played.challenge("dan", "ben"), "o")
    before = played.order()
    played.now += timedelta(hours=1)
    played.end(played.challenge("cat", "ann"), "o")
    played.damage(2)
    assert played.ask(ladders.is_behind)
    assert played.ask(ladders.wrong, played.now) == []
    played.go_on()
    assert played.order() == before
    played.check()


def test_there_is_always_room_between_two_rungs(played: Played) -> None:
    """Whoever climbs comes to stand between the first and the second, again and again."""
    for _ in range(60):
        *_, last = played.order()
        played.end(played.challenge(last, played.order()[1]), "o")
        assert played.order()[1] == last
    played.check()


def test_a_player_keeps_their_place_under_another_userid(played: Played) -> None:
    played.end(played.challenge("dan", "ben"), "o")
    played.rename("dan", "nad")
    assert played.order() == ["ann", "nad", "ben", "cat"]
    played.check()


def test_who_has_become_one_with_another_stands_where_both_have_played_to(played: Played) -> None:
    played.end(played.challenge("dan", "ben"), "o")
    played.rename("dan", "cat")
    played.check()
    assert played.order() == ["ann", "cat", "ben"]


@pytest.mark.parametrize("has_played", [True, False])
def test_nothing_is_kept_of_who_leaves_without_having_played(
    played: Played, has_played: bool
) -> None:
    if has_played:
        played.end(played.challenge("dan", "ben"), "x")
    played.do(ladders.depart, "dan", played.now)
    assert played.order() == ["ann", "ben", "cat"]
    steps = [event for event in played.ask(ladders.all_events) if event.userid == "dan"]
    assert bool(steps) is has_played
    played.check()


LATER = STARTED + timedelta(hours=1)
WRONG: tuple[Callable[[Ladder], Ladder], ...] = (
    lambda kept: Ladder(kept.rungs[::-1]),
    lambda kept: Ladder(tuple(Rung(each.userid, LATER, LATER) for each in kept.rungs)),
    lambda kept: Ladder(kept.rungs, (Challenge(1, "ben", "ann", STARTED),)),
    lambda kept: Ladder(tuple(each for each in kept.rungs if each.userid != "ben")),
)


@pytest.mark.parametrize("damage", WRONG)
def test_what_is_kept_wrongly_is_found(played: Played, damage: Callable[[Ladder], Ladder]) -> None:
    document = msgspec.json.encode(damage(played.ask(ladders.read_ladder))).decode()
    played.do(lambda each: each.run("UPDATE ladders SET document = ?", document))
    assert "ben" in played.ask(ladders.wrong, played.now)


def test_a_damaged_ladder_is_gone_through_anew(played: Played) -> None:
    played.end(played.challenge("dan", "ben"), "o")
    played.do(lambda each: each.run("UPDATE ladders SET document = 'ben'"))
    assert played.ask(ladders.is_behind)
    played.end(played.challenge("cat", "dan"), "x")
    assert played.order() == ["ann", "dan", "ben", "cat"]
    played.check()


PLAYER = st.sampled_from(PLAYERS)
DEEDS = st.one_of(
    st.tuples(st.sampled_from(["join", "leave"]), PLAYER),
    st.tuples(st.just("challenge"), st.permutations(PLAYERS)),
    st.tuples(st.just("end"), st.integers(1, 9), st.sampled_from(["x", "o", "o", "o", "void"])),
    st.tuples(st.sampled_from(["reopen", "damage"]), st.integers(1, 9)),
    st.tuples(st.just("rename"), PLAYER, st.sampled_from(["fay", *PLAYERS])),
    st.tuples(st.just("later"), st.sampled_from([1, 1, 24, 24 * 59, 24 * 70])),
    st.tuples(st.just("go on")),
)


@examples(100)
@given(st.lists(DEEDS, max_size=25), st.sampled_from([1, 2, 100]))
def test_whatever_happens_what_is_kept_is_what_all_of_it_gives(
    tmp_path_factory: pytest.TempPathFactory, deeds: list[tuple[Any, ...]], most: int
) -> None:
    path = tmp_path_factory.mktemp("ladder") / "pbm_oust.db"
    played = Played(SqliteDatabase(path))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ladders, "MOST_AT_ONCE", most)
        for deed in deeds:
            happen(played, *deed)
            assert played.ask(ladders.wrong, played.now) == []
        played.check()
    played.database.close()


def happen(played: Played, what: str, *given: Any) -> None:
    """Let something happen, if it can: a board is as it is, and nobody plays against themselves."""
    if what == "join":
        played.join(*given)
    elif what == "leave":
        played.do(ladders.leave, "oust", *given, played.now)
    elif what == "later":
        played.now += timedelta(hours=given[0])
    elif what == "go on":
        played.go_on()
    elif what == "challenge":
        played.challenge(*given[0][:2])
    elif what == "rename":
        old, new = given
        with played.database.read() as snapshot:
            both = boards_between(snapshot, old, new)
        if old != new and not both:
            played.rename(old, new)
    elif given[0] in played.sound():
        is_over = played.game(given[0]).result is not None
        if what == "damage":
            played.damage(*given)
        elif is_over is (what == "reopen"):
            getattr(played, what)(*given)
