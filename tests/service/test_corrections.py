"""The line to send instead of one that was refused."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from pbm_oust.board import Deed, Game, Header, Place
from pbm_oust.board.header import Terms
from pbm_oust.board.reasons import AgainstRules, NoSuchRecord, SamePlayer
from pbm_oust.commands.account import UseridTaken
from pbm_oust.commands.play import YourOwnTurn, suggested
from pbm_oust.grammar.form import Command
from pbm_oust.grammar.wish import example, legal_near, nearest, next_wish
from pbm_oust.play.context import NoSuchPlayer
from pbm_oust.play.moving import OtherRecord
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal, Unreadable
from pbm_oust.rules import KINDS, How, Result, Side
from pbm_oust.rules.grid import hexagon, square
from pbm_oust.rules.oust import Oust
from pbm_oust.service import corrections
from pbm_oust.service.table import parse_line
from pbm_oust.store.boards import NoSuchBoard
from tests.support import tables
from tests.support.boards import board
from tests.support.commands import sure

tabled = tables.tabled(__file__)
OUST = KINDS["oust"]
AT = datetime(2026, 11, 20, 15, 36, tzinfo=UTC)


def game_of(position: Oust, terms: Terms | None = None) -> Game:
    header = Header(OUST, 17, position.grid, "alice", "bob", terms or Terms(), AT)
    return Game(header, position, "alice", "bob")


def command(text: str) -> Command:
    _, read = parse_line(text)
    assert not isinstance(read, Unreadable)
    return read


def move(userid: str, words: str) -> Command:
    return sure("move", command(f"oust move 17 {userid} wonderland {words}"))


def refusal_of(game: Game, wanted: Command) -> Refusal:
    side = game.side_of(wanted["userid"])
    assert side
    with pytest.raises(Refusal) as caught:
        game.act(side, wanted["wish"], AT, "0" * 16)
    return caught.value


def advise(refused: Command, refusal: Refusal) -> str | None:
    instead = corrections.advise(refused, refusal)
    return instead.line() if instead else None


def advice(game: Game, userid: str, words: str) -> str | None:
    wanted = move(userid, words)
    return advise(wanted, refusal_of(game, wanted))


# Examples


def test_the_example_takes_most() -> None:
    position = board(
        """
        . o o .
        . . . o
        . x x x
        . x . .
        """
    )
    assert position.grid.names(position.capturing()) == ["A1", "A2", "B3", "C1", "C3", "D1"]
    assert example(position) == "B3"


def test_nobody_could_do_anything_when_the_game_is_over() -> None:
    game = replace(game_of(Oust(square(3))), result=Result(Side.X, How.RESIGN))
    assert next_wish(game) is None


def test_the_line_of_a_move_is_guarded_by_the_number_of_the_next_record() -> None:
    game = game_of(Oust(square(3))).act(Side.X, Place(("B2",)), AT, "0" * 16)
    assert suggested(game, "bob", Deed.SWAP).line() == "oust move 17 bob PASSWORD swap#2"


# Nearest placements


def test_the_nearest_cells_come_first_then_by_name() -> None:
    grid = square(5)
    cells = sum(grid.parse_cell(name) for name in ("A1", "C4", "B3", "E5", "D3", "C1"))
    assert nearest(grid, cells, "C3") == ["B3", "C4", "D3", "C1"]


def test_nearness_on_a_hexagonal_grid_counts_six_neighbours() -> None:
    grid = hexagon(3)
    cells = sum(grid.parse_cell(name) for name in ("A1", "D4", "C5"))
    assert nearest(grid, cells, "C3") == ["D4", "A1", "C5"]


def test_near_a_cell_that_the_grid_does_not_have_are_the_first_by_name() -> None:
    grid = square(3)
    assert nearest(grid, grid.cells, "D9") == ["A1", "A2", "A3", "B1"]


def test_legal_placements_are_sought_near_the_illegal_one() -> None:
    game = game_of(board(". . . . / . . . . / . . . . / x . . o"))
    refusal = refusal_of(game, move("alice", "A1"))
    assert isinstance(refusal.reason, AgainstRules)
    assert legal_near(refusal.reason, refusal.culprit) == ["A3", "B2", "C1", "A4"]


def test_the_line_to_send_has_the_best_of_the_legal_placements_near_the_illegal_one() -> None:
    game = game_of(board(". . . . o / . . . . . / . x . . . / . x . o . / x . . . ."))
    refusal = refusal_of(game, move("alice", "C3"))
    assert isinstance(refusal.reason, AgainstRules)
    assert legal_near(refusal.reason, refusal.culprit) == ["C2", "C4", "D3", "C1"]
    assert advise(move("alice", "C3"), refusal) == "oust move 17 alice PASSWORD C2#1"


# Advice


@tabled("text", "line")
def test_where_there_is_no_board_those_that_there_are_are_offered(text: str, line: str) -> None:
    assert advise(command(text), NotAllowed(NoSuchBoard(OUST, 99), "99")) == line


def test_who_asked_for_a_taken_userid_is_offered_another() -> None:
    refusal = NotAllowed(UseridTaken("alice", free="alice2"), "alice")
    assert advise(command("verify abcdefghijklmnop"), refusal) == "signup alice2 PASSWORD"


@pytest.mark.parametrize(
    ("opponent", "reason"), [("carol", NoSuchPlayer()), ("alice", SamePlayer())]
)
def test_there_is_no_line_for_who_challenges_nobody(
    opponent: str, reason: NotAllowedReason
) -> None:
    line = f"oust challenge alice {opponent}"
    assert advise(command(line), NotAllowed(reason, opponent)) is None


@pytest.mark.parametrize(("words", "instead"), [("A1", "A1"), ("pass", "B2"), ("swap", "B2")])
def test_who_queues_in_his_own_turn_is_told_a_move_that_he_can_make(
    words: str, instead: str
) -> None:
    refusal = NotAllowed(YourOwnTurn(game_of(Oust(square(3)))))
    line = advise(command(f"oust queue 17 alice wonderland {words}"), refusal)
    assert line == f"oust move 17 alice PASSWORD {instead}#1"


def test_a_board_shown_after_a_record_it_does_not_have_is_shown_as_it_is() -> None:
    refusal = NotAllowed(NoSuchRecord(game_of(Oust(square(3))), 9), "#9")
    assert advise(command("oust show 17#9"), refusal) == "oust show 17"


def test_a_guard_for_another_record_is_replaced() -> None:
    refusal = NotAllowed(OtherRecord(game_of(Oust(square(3))), 9), "#9")
    assert advise(move("alice", "B2#9"), refusal) == "oust move 17 alice PASSWORD B2#1"


def test_a_player_of_a_finished_game_is_shown_the_board() -> None:
    game = replace(game_of(Oust(square(3))), result=Result(Side.X, How.RESIGN))
    assert advice(game, "alice", "A1") == "oust show 17"


@tabled("drawing", "userid", "words", "line")
def test_what_was_not_done_is_replaced_by_what_can_be_done_near_it(
    drawing: str, userid: str, words: str, line: str
) -> None:
    assert advice(game_of(board(drawing)), userid, words) == line
