"""Turns that were queued: how accounts keep them, when they fit, and what follows a move."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pbm_oust.accounts.queue import (
    Clause,
    Orders,
    Plan,
    carry_out_orders,
    derived_key,
    explored,
    is_passed_for,
    standing,
    tree,
    waiting,
    with_clauses,
    without_clause,
)
from pbm_oust.board import Deed, Game, Place, Wish, variation_of
from pbm_oust.board.history import read_history
from pbm_oust.board.notation import format_action, parse_wish
from pbm_oust.refusal import Refusal
from tests.support import tables
from tests.support.games import STARTED, act, actions, history_of, new_game, play
from tests.support.strategies import relaxed

tabled = tables.tabled(__file__)

X, O = "rrognlie", "marksteere"
MESSAGE_KEY = "feedfeedfeedfeed"


def clause_of(text: str) -> Clause:
    """Return a clause like `if D4 then E5,F6` or `E5`."""
    words = (word for word in text.split() if word not in ("if", "then"))
    return Clause(tuple(map(parse_wish, words)))


def clauses_of(text: str) -> tuple[Clause, ...]:
    """Return clauses with semicolons between them."""
    return tuple(map(clause_of, filter(None, text.split("; "))))


def plan(text: str, number: int, key: str = MESSAGE_KEY) -> Plan:
    """Return a plan like `if D4 then E5,F6` or `E5` on board 17."""
    made = Plan.of("oust", 17, number, key, clause_of(text))
    assert str(made) == f"oust 17 {number} {key} {text}"
    return made


@pytest.fixture
def game() -> Game:
    return new_game("square 5x5")


@tabled("moves", "number", "text", "expected")
def test_a_plan_fits_the_turn_that_it_names(
    moves: str, number: str, text: str, expected: str, game: Game
) -> None:
    """It is of the player who is to answer that turn, if none is named."""
    words, _, userid = text.partition(" by ")
    after = play(game, *filter(None, moves.split("; ")))
    userid = userid or (O, X)[(int(number) + 1) % 2]
    found = standing([plan(words, int(number))], userid, after)
    what = "is due: " if after.player_to_move == userid else "waits: "
    assert "".join(f"{what}{rest}" for rest in found) == expected.removeprefix("gone")


def test_a_plan_is_of_no_use_on_another_board(game: Game) -> None:
    for other in (replace(plan("D4", 1), board=18), replace(plan("D4", 1), kind="churn")):
        assert not standing([other], O, game)


@tabled("queued", "added", "expected")
def test_a_clause_replaces_other_answers_to_the_same_turns_and_no_others(
    queued: str, added: str, expected: str
) -> None:
    assert with_clauses(clauses_of(queued), clauses_of(added)) == clauses_of(expected)


@tabled("queued", "dropped", "expected")
def test_a_clause_is_dropped_with_what_follows_it_and_its_beginning_stays(
    queued: str, dropped: str, expected: str
) -> None:
    assert without_clause(clauses_of(queued), clause_of(dropped)) == clauses_of(expected)


@tabled("queued", "expected")
def test_a_tree_has_each_answer_once_and_those_below_it_behind_it(
    queued: str, expected: str
) -> None:
    found = tree(clauses_of(queued))
    assert ", ".join("." * each.depth + each.step for each in found) == expected


@tabled("size", "moves", "cells", "userid", "expected")
def test_a_line_that_is_explored_is_queued_up_to_the_last_whole_turn_of_its_player(
    size: str, moves: str, cells: str, userid: str, expected: str
) -> None:
    before = play(new_game(f"square {size}"), *filter(None, moves.split("; ")))
    line = variation_of(before, cells.split(",") if cells else ())
    assert str(explored(before, line.games[-1], userid) or "nothing") == expected


# What follows


def followed(game: Game, **orders: Orders) -> Game:
    return carry_out_orders(game, orders, STARTED.replace(year=2027))


def test_what_is_due_is_played_with_an_id_of_its_own(game: Game) -> None:
    orders = Orders((plan("if A1 then B1", 1), plan("if C3 then D1", 1)))
    after = followed(act(game, "x C3"), marksteere=orders)
    assert actions(after) == ["x C3", "o D1"]
    assert after.records[-1].message_key == derived_key(MESSAGE_KEY, 2)
    assert followed(after, marksteere=orders) is after


def test_what_is_not_legal_then_is_not_played(game: Game) -> None:
    moved = act(game, "x C3")
    assert followed(moved, marksteere=Orders((plan("C3", 1),))) is moved


def test_of_a_player_to_whom_nothing_is_due_nothing_is_played(game: Game) -> None:
    orders = Orders((plan("D1", 1),))
    assert followed(game, marksteere=orders) is game
    moved = act(game, "x C3")
    assert followed(moved, rrognlie=orders) is moved


MUST_PASS = ["x A2", "o C3", "x B1", "o A3", "x A1 B3", "o C2 A3", "x B3"]


def test_the_server_passes_only_for_who_wants_it_and_only_where_nothing_else_is_possible() -> None:
    game = play(new_game("square 3x3"), *MUST_PASS)
    assert game.must_pass
    owner = game.player_to_move
    assert followed(game) is game
    passed = followed(game, **{owner: Orders(autopass=True)})
    assert passed.records[-1].action is Deed.PASS
    assert is_passed_for(passed, passed.records[-1])
    by_hand = game.act(game.to_move, Deed.PASS, game.latest, MESSAGE_KEY)
    assert not is_passed_for(by_hand, by_hand.records[-1])
    placing = new_game("square 3x3")
    assert followed(placing, rrognlie=Orders(autopass=True)) is placing


def test_what_waits_on_a_board_is_what_fits_its_position() -> None:
    assert waiting([plan("D4", 1), plan("D4", 2)], O, new_game("square 5x5")) == (clause_of("D4"),)


@relaxed
@given(
    st.integers(0, 2**32),
    st.sampled_from([("oust", "square 4x4"), ("oust", "square 3x3"), ("churn", "hex 2")]),
)
def test_plans_play_nothing_illegal_nothing_twice_and_only_the_answer_to_what_they_name(
    seed: int, on: tuple[str, str]
) -> None:
    chance = random.Random(seed)
    kind, grid = on
    game = new_game(grid, kind=kind)
    kept: dict[str, list[Plan]] = {game.x: [], game.o: []}
    queued = 0
    for nth in range(80):
        if game.result:
            break
        waits_for, side = game.owner(game.to_move.other), game.to_move
        names = game.header.grid.names(game.header.grid.cells)
        if chance.random() < 0.5:
            condition = Place((chance.choice(names),)) if chance.random() < 0.7 else None
            answer = Place((chance.choice(names),))
            clause = Clause((condition, answer) if condition else (answer,))
            queued += 1
            made = Plan.of(kind, 17, game.next_number, f"{queued:016x}", clause)
            kept[waits_for] = [*kept[waits_for][-3:], made]
        legal = game.header.grid.names(game.position.placements())
        wished: Wish = Place((chance.choice(legal),)) if legal else Deed.PASS
        if chance.random() < 0.1:
            wished = chance.choice([Deed.RETRACT, Deed.PROPOSE, Deed.UNDO, Deed.SWAP])
        try:
            acted = game.act(side, wished, game.latest, f"{nth:016d}"[::-1])
        except Refusal:
            continue
        orders = {
            userid: Orders(tuple(some), chance.random() < 0.5) for userid, some in kept.items()
        }
        game = carry_out_orders(acted, orders, acted.latest)
        for record in game.records[len(acted.records) :]:
            _check_follows(game.after(record.number - 1), game.after(record.number), kept)
    assert read_history(history_of(game)).game == game
    assert max(Counter(record.message_key for record in game.records).values(), default=1) == 1


def _check_follows(before: Game, after: Game, kept: dict[str, list[Plan]]) -> None:
    """Check that a record is a pass by the server, or what a plan says to the turn before it."""
    record = after.records[-1]
    if is_passed_for(after, record):
        assert before.must_pass
        return
    keys = {each.key_at(record.number): each for each in kept[before.player_to_move]}
    done = keys[record.message_key]
    *condition, answer = done.clause.turns
    assert record.wish == answer
    turn = [each for each in before.records[done.number - 1 :] if each.is_playing]
    for each in condition:
        assert isinstance(each, Place)
        assert f"{each.cells[0]}" == format_action(turn[-1].action).split("*")[0]


@relaxed
@given(
    st.integers(0, 2**32),
    st.sampled_from([("oust", "square 4x4"), ("oust", "hex 3"), ("churn", "hex 2")]),
)
def test_a_tree_plays_what_a_person_plays_who_follows_it_by_hand(
    seed: int, on: tuple[str, str]
) -> None:
    chance, (kind, grid) = random.Random(seed), on
    game = new_game(grid, kind=kind)
    for _ in range(chance.randrange(8)):
        game = game if game.result else _in_parts(game, _any_turn(game, chance), chance)
    planner = game.owner(game.to_move.other)
    some = (_any_line(game, chance) for _ in range(6))
    lines = with_clauses((), [line for line in some if line.turns])
    key, number = MESSAGE_KEY, game.next_number
    orders = Orders(tuple(Plan.of(kind, 17, number, key, line) for line in lines))
    paper = [list(line.turns) for line in lines]
    while paper and not game.result:
        turn = chance.choice(paper)[0] if chance.random() < 0.9 else _any_turn(game, chance)
        by_hand = game = _in_parts(game, turn, chance)
        paper = [following for first, *following in paper if first == turn]
        if paper and not game.result:
            (answer,) = {following[0] for following in paper}
            by_hand = game.act(game.to_move, answer, game.latest, key)
            paper = [following for _, *following in paper if following]
        game = followed(game, **{planner: orders})
        assert actions(game) == actions(by_hand)
    assert followed(game, **{planner: orders}) is game


def _any_line(game: Game, chance: random.Random) -> Clause:
    """Return up to four turns and answers that can be made one after the other."""
    turns = list[Wish]()
    for _ in range(2 * chance.randint(1, 4)):
        if not game.result:
            turns.append(_any_turn(game, chance))
            game = game.act(game.to_move, turns[-1], game.latest, MESSAGE_KEY)
    return Clause(tuple(turns[: len(turns) // 2 * 2]))


def _any_turn(game: Game, chance: random.Random) -> Wish:
    """Return a whole turn of the player to move."""
    cells, position = list[str](), game.position
    while not position.result and position.to_move is game.to_move and position.has_placement():
        cells.append(chance.choice(game.header.grid.names(position.placements())))
        position = position.place(game.header.grid.parse_cell(cells[-1]))
    return Place(tuple(cells)) if cells else Deed.PASS


def _in_parts(game: Game, turn: Wish, chance: random.Random) -> Game:
    """Return a game after a turn that is made in one mail or in several, and after some talk."""
    cells = turn.cells if isinstance(turn, Place) and chance.random() < 0.5 else ()
    parts: list[Wish] = [Place((cell,)) for cell in cells]
    for part in parts or [turn]:
        game = game.act(game.to_move, part, game.latest, f"{game.next_number:016x}")
    if not game.result and chance.random() < 0.2:
        game = game.act(game.to_move, Deed.PROPOSE, game.latest, f"{game.next_number:016x}")
    return game
