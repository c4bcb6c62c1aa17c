"""Who may do what on a board, and what it does."""

from contextlib import suppress
from datetime import timedelta

import pytest

from pbm_oust.board import Game
from pbm_oust.board.game import replay
from pbm_oust.board.header import Terms
from pbm_oust.board.history import BadHistory, read_history
from pbm_oust.board.notation import format_result, parse_ruling
from pbm_oust.board.reasons import AfterTurn, AgainstRules, MustPass, OffGrid, game_in
from pbm_oust.refusal import Illegal, NotAllowed, NotAllowedReason
from pbm_oust.rules.oust import Oust, TakesNothing
from pbm_oust.rules.position import Occupied, Side
from tests.support import tables
from tests.support.boards import O, board, drawn, names, rows
from tests.support.games import act, actions, history_of, new_game, standing_at, wish
from tests.support.recorded import recorded_game

tabled = tables.tabled(__file__)

NO_SWAP = Terms(swap=False)


def barred(game: Game, command: str) -> NotAllowedReason:
    """Return the reason why a command is not allowed."""
    with pytest.raises(NotAllowed) as refused:
        act(game, command)
    assert game_in(refused.value.reason) is game
    return refused.value.reason


def after(grid: str, moves: str) -> Game:
    """Return a game after moves like `x C3` and rulings like `* void`."""
    shape, size, *words = grid.split()
    terms = Terms(swap="noswap" not in words, binding="binding" in words)
    game = new_game(f"{shape} {size}", terms)
    for move in filter(None, moves.split("; ")):
        game = rule(game, move[2:]) if move[0] == "*" else act(game, move)
    return game


def rule(game: Game, words: str) -> Game:
    at = game.header.started + timedelta(hours=game.next_number)
    return game.rule(parse_ruling(words), at, f"{game.next_number:016x}")


def said(game: Game) -> set[str]:
    """Return all that is so of a game."""
    numbers = range(game.next_number + 2)

    found = {
        f"{game.to_move.value} to move" if not game.result else format_result(game.result),
        f"x: {game.x}",
        f"o: {game.o}",
        f"by {game.actor}".strip(),
        "can swap" if game.can_swap else "no swap",
        f"offer {game.offer.number}" if game.offer else "no offer",
        f"latest {names(game.header.grid, game.latest_stones())}".strip(),
        f"turn {names(game.header.grid, game.latest_stones(is_of_turn=True))}".strip(),
        *(f"guard {number}" for number in numbers if game.meets_guard(number)),
        *(f"as after {n}" for n in numbers[:-2] if game.after(n).position == game.position),
    }
    with suppress(NotAllowed):
        found.add(f"latest turn behind {game.before_latest_turn()}")
    return found


@tabled("grid", "moves", "expected")
def test_what_is_so_after_some_moves(grid: str, moves: str, expected: str) -> None:
    game, found = after(grid, moves), said(after(grid, moves))
    assert read_history(history_of(game)).game == game
    for each in expected.split(", "):
        assert (each.removeprefix("not ") in found) is not each.startswith("not "), found


@tabled("grid", "moves", "command", "reason")
def test_what_is_not_allowed_after_some_moves(
    grid: str, moves: str, command: str, reason: str
) -> None:
    game = after(grid, moves)
    if command[0] == "*":
        with pytest.raises(NotAllowed, match=reason):
            rule(game, command[2:])
    else:
        assert barred(game, command).word() == reason


@tabled("words")
def test_other_words_are_no_ruling(words: str) -> None:
    with pytest.raises(ValueError, match="no action"):
        parse_ruling(words)


@pytest.mark.parametrize("line", ["   1 x void", "   1 * resign", "   1 * C3"])
def test_a_side_does_not_rule_and_the_server_does_not_play(line: str) -> None:
    record = f"{line:<34} 2026-11-20T15:36:00Z 0000000000000001\n"
    with pytest.raises(BadHistory, match=r"cannot do|is no"):
        read_history(history_of(new_game("square 5x5")) + record.encode())


def test_a_clock_that_was_ahead_changes_no_order_within_a_day_and_no_time_after_that() -> None:
    game, ahead = new_game("square 5x5"), timedelta(days=1)
    now = game.header.started
    assert game.time_of_next(now) == now
    moved = game.act(Side.X, wish("C3"), now + ahead, "0" * 16)
    assert moved.time_of_next(now) == now + ahead
    assert moved.time_of_next(now - timedelta(seconds=1)) == now - timedelta(seconds=1)


def must_pass() -> Game:
    """Return a game in which x has no placement and o has some."""
    return standing_at(
        new_game("square 4x2", NO_SWAP),
        board(
            """
            o . x o
            x o . o
            """
        ),
    )


def test_a_side_without_placements_passes() -> None:
    game = must_pass()

    assert game.must_pass
    game = act(game, "x pass")
    assert (actions(game), game.to_move, game.must_pass) == (["x pass"], O, False)


@pytest.mark.parametrize("command", ["x B2", "x A1", "x Z9"])
def test_a_side_without_placements_is_told_to_pass_whatever_it_places(command: str) -> None:
    assert isinstance(barred(must_pass(), command), MustPass)


def test_a_game_can_be_seen_as_it_was_after_each_record() -> None:
    moves = recorded_game("oust-hex-3-007").turns()
    games = [new_game("hex 3")]
    for move in moves:
        games.append(act(games[-1], move))

    assert [games[-1].after(number) for number in range(len(games))] == games
    assert replay(games[-1].header, games[-1].records) == games[-1]


# Placements that the board does not allow: what is said of them, and that nothing is done


OPEN_TURN = """
    . . . . o
    . . . . .
    x ? o . .
    . . . . .
    . . o o .
    """


def game() -> Game:
    """Return a game in which x can take C3 with B3 and must then place again."""
    return standing_at(new_game("square 5x5", Terms(swap=False)), board(OPEN_TURN))


def illegal(command: str) -> Illegal:
    """Return the refusal of a command."""
    with pytest.raises(Illegal) as refused:
        act(game(), command)
    return refused.value


def against_rules(refusal: Illegal) -> AgainstRules:
    """Return what was said of a placement that the rules refuse."""
    assert isinstance(refusal.reason, AgainstRules)
    return refusal.reason


@pytest.mark.parametrize("cell", ["F1", "A6", "I3", "A0", "Z25"])
def test_a_cell_that_the_grid_does_not_have_is_off_the_grid(cell: str) -> None:
    refusal = illegal(f"x {cell}")

    assert (refusal.reason, refusal.culprit) == (OffGrid(game(), nth=1), cell)


def test_a_cell_off_the_grid_later_in_the_turn_is_counted() -> None:
    refusal = illegal("x B3 F1")

    assert (refusal.reason, refusal.culprit) == (OffGrid(game(), nth=2), "F1")


def test_an_occupied_cell_is_against_the_rules() -> None:
    refusal = illegal("x C3")
    reason = against_rules(refusal)

    assert (reason.fault, refusal.culprit) == (Occupied(), "C3")
    assert (reason.nth, reason.played) == (1, ())


def test_a_later_placement_is_judged_on_the_board_that_the_earlier_ones_made() -> None:
    refusal = illegal("x B3 C3")
    reason = against_rules(refusal)

    assert (reason.fault, refusal.culprit) == (TakesNothing(3), "C3")
    assert (reason.nth, reason.played) == (2, ("B3",))
    assert isinstance(reason.before, Oust)
    assert drawn(reason.before) == rows(
        """
        . . . . o
        . . . . .
        x x . . .
        . . . . .
        . . o o .
        """
    )


def test_a_placement_after_the_end_of_the_turn_is_illegal() -> None:
    refusal = illegal("x B3 E3 A5")

    reason = AfterTurn(game(), nth=3, played=("B3", "E3"), over=False)
    assert (refusal.reason, refusal.culprit) == (reason, "A5")


def test_a_second_placement_after_one_that_takes_nothing_is_illegal() -> None:
    refusal = illegal("x E3 B3")

    reason = AfterTurn(game(), nth=2, played=("E3",), over=False)
    assert (refusal.reason, refusal.culprit) == (reason, "B3")


def test_a_placement_after_the_winning_one_is_illegal() -> None:
    nearly_won = standing_at(new_game("square 3x3"), board("x ? o / . . . / . . ."))
    with pytest.raises(Illegal) as refused:
        act(nearly_won, "x B3 A1")

    reason = AfterTurn(nearly_won, nth=2, played=("B3",), over=True)
    assert (refused.value.reason, refused.value.culprit) == (reason, "A1")


def test_the_first_placement_at_fault_is_the_one_named() -> None:
    refusal = illegal("x b3 e5 z9")

    assert (refusal.culprit, against_rules(refusal).nth) == ("e5", 2)
