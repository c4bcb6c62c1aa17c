"""The line to send instead of one that was refused."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pbm_oust.board.game import Game
from pbm_oust.board.header import Header, Terms
from pbm_oust.board.reasons import AgainstRules, NoSuchRecord, SamePlayer
from pbm_oust.board.record import Deed, Place
from pbm_oust.commands.account import UseridTaken
from pbm_oust.commands.play import Move, YourOwnTurn, suggested
from pbm_oust.grammar.notation import Command
from pbm_oust.grammar.wish import example, legal_near, nearest, next_wish
from pbm_oust.play.moving import OtherRecord
from pbm_oust.play.unit_of_work import NoSuchPlayer
from pbm_oust.refusal import NotAllowed, Refusal, Unreadable
from pbm_oust.rules.grid import hexagon, square
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.oust import Oust
from pbm_oust.rules.position import How, Result, Side
from pbm_oust.service import reading
from pbm_oust.service.table import format_command, parse_line
from pbm_oust.store.boards import NoSuchBoard
from tests.support.boards import board

OUST = KINDS["oust"]
AT = datetime(2026, 11, 20, 15, 36, tzinfo=UTC)


def game_of(position: Oust, terms: Terms | None = None) -> Game:
    header = Header(OUST, 17, position.grid, "alice", "bob", terms or Terms(), AT)
    return Game(header, position, "alice", "bob")


def command(text: str) -> Command:
    _, read = parse_line(text)
    assert not isinstance(read, Unreadable)
    return read


def move(userid: str, words: str) -> Move:
    read = command(f"oust move 17 {userid} wonderland {words}")
    assert isinstance(read, Move)
    return read


def refusal_of(game: Game, wanted: Move) -> Refusal:
    side = game.side_of(wanted.userid)
    assert side
    with pytest.raises(Refusal) as caught:
        game.act(side, wanted.wish, AT, "0" * 16)
    return caught.value


def advise(refused: Command, refusal: Refusal) -> str | None:
    instead = reading.advise(refused, refusal)
    return format_command(instead) if instead else None


def advice(game: Game, userid: str, words: str) -> str | None:
    wanted = move(userid, words)
    return advise(wanted, refusal_of(game, wanted))


# Examples


def test_the_example_is_no_hint_of_a_capture() -> None:
    position = board(
        """
        . . . .
        . . . o
        . . x x
        . . . .
        """
    )
    assert position.grid.names(position.capturing()) == ["B2", "C1", "C3", "D1"]
    assert example(position) == "A1"


def test_the_example_is_the_first_placement_where_none_captures() -> None:
    assert example(board("x . . / . . . / . . o")) == "A1"


def test_there_is_no_example_where_there_is_no_placement() -> None:
    assert example(board("x o / o x")) is None


def test_the_player_to_move_could_place_the_example() -> None:
    assert next_wish(game_of(Oust(square(3)))) == Place(("A1",))


def test_the_player_to_move_could_pass_where_there_is_no_placement() -> None:
    assert next_wish(game_of(board("x o / o x"))) is Deed.PASS


def test_nobody_could_do_anything_when_the_game_is_over() -> None:
    game = replace(game_of(Oust(square(3))), result=Result(Side.X, How.RESIGN))
    assert next_wish(game) is None


def test_the_line_of_a_move_is_guarded_by_the_number_of_the_next_record() -> None:
    game = game_of(Oust(square(3))).act(Side.X, Place(("B2",)), AT, "0" * 16)
    assert format_command(suggested(game, "bob", Deed.SWAP)) == "oust move 17 bob PASSWORD swap#2"


# Nearest placements


def test_the_nearest_cells_come_first_then_by_name() -> None:
    grid = square(5)
    cells = sum(grid.parse_cell(name) for name in ("A1", "C4", "B3", "E5", "D3", "C1"))
    assert nearest(grid, cells, "C3") == ["B3", "C4", "D3", "C1"]


def test_nearness_on_a_hexagonal_grid_counts_six_neighbours() -> None:
    grid = hexagon(3)
    cells = sum(grid.parse_cell(name) for name in ("A1", "D4", "C5"))
    assert nearest(grid, cells, "C3") == ["D4", "A1", "C5"]


def test_the_cell_itself_is_not_near_itself() -> None:
    grid = square(3)
    assert nearest(grid, grid.parse_cell("B2"), "B2") == []


def test_near_a_cell_that_the_grid_does_not_have_are_the_first_by_name() -> None:
    grid = square(3)
    assert nearest(grid, grid.cells, "D9") == ["A1", "A2", "A3", "B1"]


def test_legal_placements_are_sought_near_the_illegal_one() -> None:
    game = game_of(board(". . . . / . . . . / . . . . / x . . o"))
    refusal = refusal_of(game, move("alice", "A1"))
    assert isinstance(refusal.reason, AgainstRules)
    assert legal_near(refusal.reason, refusal.culprit) == ["A3", "B2", "C1", "A4"]


# Advice


@pytest.mark.parametrize(
    ("text", "refusal", "line"),
    [
        (
            "verify abcdefghijklmnop",
            NotAllowed(UseridTaken("alice", free="alice2"), "alice"),
            "signup alice2 PASSWORD",
        ),
        (
            "oust challenge alice carol",
            NotAllowed(NoSuchPlayer(), "carol"),
            None,
        ),
        (
            "oust move 99 alice wonderland D4",
            NotAllowed(NoSuchBoard(OUST, 99), "99"),
            "oust games alice",
        ),
        *(
            (
                f"oust {text}",
                NotAllowed(NoSuchBoard(OUST, 99), "99"),
                "oust games alice",
            )
            for text in (
                "queue 99 alice wonderland D4",
                "submit 99 alice wonderland D4",
                "confirm 99 alice wonderland",
                "chat 99 alice wonderland",
            )
        ),
        (
            "oust preview 99 D4",
            NotAllowed(NoSuchBoard(OUST, 99), "99"),
            "oust games",
        ),
        (
            "oust show 99",
            NotAllowed(NoSuchBoard(OUST, 99), "99"),
            "oust games",
        ),
        ("oust challenge alice alice", NotAllowed(SamePlayer(), "alice"), None),
    ],
)
def test_advice_where_there_is_no_game(text: str, refusal: Refusal, line: str | None) -> None:
    assert advise(command(text), refusal) == line


@pytest.mark.parametrize(("words", "instead"), [("A1", "A1"), ("pass", "A1"), ("swap", "A1")])
def test_who_queues_in_his_own_turn_is_told_a_move_that_he_can_make(
    words: str, instead: str
) -> None:
    refusal = NotAllowed(YourOwnTurn(game_of(Oust(square(3)))))
    line = advise(command(f"oust queue 17 alice wonderland {words}"), refusal)
    assert line == f"oust move 17 alice PASSWORD {instead}#1"


def test_a_board_shown_after_a_record_it_does_not_have_is_shown_as_it_is() -> None:
    refusal = NotAllowed(NoSuchRecord(game_of(Oust(square(3))), 9), "#9")
    assert advise(command("oust show 17#9"), refusal) == "oust show 17"


def test_a_player_whose_turn_it_is_not_is_told_how_to_queue_the_move() -> None:
    assert advice(game_of(Oust(square(3))), "bob", "A1") == "oust queue 17 bob PASSWORD A1"


@pytest.mark.parametrize("wish", ["Z9", "accept", "undo"])
def test_what_cannot_wait_for_the_turn_is_answered_with_the_board(wish: str) -> None:
    assert advice(game_of(Oust(square(3))), "bob", wish) == "oust show 17"


def test_a_player_of_a_finished_game_is_shown_the_board() -> None:
    game = replace(game_of(Oust(square(3))), result=Result(Side.X, How.RESIGN))
    assert advice(game, "alice", "A1") == "oust show 17"


def test_a_guard_for_another_record_is_replaced() -> None:
    game = game_of(Oust(square(3)))
    refusal = NotAllowed(OtherRecord(game, 9), "#9")
    assert advise(move("alice", "B2#9"), refusal) == "oust move 17 alice PASSWORD B2#1"


def test_a_cell_off_the_grid_is_replaced_by_the_example() -> None:
    line = advice(game_of(Oust(square(3))), "alice", "D9")
    assert line == "oust move 17 alice PASSWORD A1#1"


def test_an_illegal_placement_is_replaced_by_the_nearest_legal_one() -> None:
    line = advice(game_of(board(". . . . / . . . . / . . . . / x . . o")), "alice", "A2")
    assert line == "oust move 17 alice PASSWORD A3#1"


def test_the_placements_before_an_illegal_one_are_kept() -> None:
    game = game_of(board("o . . . / . . . . / . . . . / x . o ."))
    line = advice(game, "alice", "B1,B1")
    assert line is not None
    assert line.startswith("oust move 17 alice PASSWORD B1,")
    assert game.act(Side.X, move("alice", line.split()[-1]).wish, AT, "0" * 16)


def test_placements_after_the_end_of_a_turn_are_left_out() -> None:
    line = advice(game_of(Oust(square(5))), "alice", "A1,C3,E5")
    assert line == "oust move 17 alice PASSWORD A1#1"


def test_a_pass_is_replaced_by_the_example() -> None:
    assert advice(game_of(Oust(square(3))), "alice", "pass") == "oust move 17 alice PASSWORD A1#1"


def test_a_placement_where_there_is_none_is_replaced_by_a_pass() -> None:
    assert (
        advice(game_of(board("x o / o x")), "alice", "A1") == "oust move 17 alice PASSWORD pass#1"
    )


@pytest.mark.parametrize("terms", [Terms(), Terms(swap=False)])
def test_a_swap_that_is_not_allowed_is_replaced_by_the_example(terms: Terms) -> None:
    line = advice(game_of(Oust(square(3)), terms), "alice", "swap")
    assert line == "oust move 17 alice PASSWORD A1#1"
