"""The earliest moment at which a board may need the server, whatever vacations its players have."""

from datetime import datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.accounts.clock import (
    _plain_turn,
    _replayed_turn,
    earliest_ruling,
    read_clock,
    ruling_due,
)
from pbm_oust.accounts.vacations import Absence
from pbm_oust.board.game import Game
from pbm_oust.board.header import Terms
from pbm_oust.board.record import Deed, Place, Ruling, Verb
from tests.support.games import STARTED, act, new_game
from tests.support.rings import examples

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
SHORT = Terms(nagtime=7, forfeittime=21)


def reminded(game: Game, at: datetime) -> Game:
    """Return a game whose player to move was reminded."""
    return game.rule(Ruling(Verb.REMIND, game.to_move), at, f"{game.next_number:016x}")


def test_a_board_without_a_reminder_is_due_for_one() -> None:
    assert earliest_ruling(new_game("square 5x5", SHORT)) == STARTED + 7 * DAY


def test_a_board_with_one_reminder_may_be_due_for_another() -> None:
    game = reminded(new_game("square 5x5", SHORT), STARTED + 7 * DAY)
    assert earliest_ruling(game) == STARTED + 10 * DAY


def test_a_board_with_two_reminders_is_due_at_its_deadline() -> None:
    game = reminded(new_game("square 5x5", SHORT), STARTED + 7 * DAY)
    assert earliest_ruling(reminded(game, STARTED + 22 * DAY)) == STARTED + 28 * DAY


def test_a_board_whose_time_is_extended_after_both_reminders_may_be_due_for_another() -> None:
    game = reminded(new_game("square 5x5", SHORT), STARTED + 7 * DAY)
    twice = reminded(game, STARTED + 22 * DAY)
    more = Ruling(Verb.EXTEND, twice.to_move, days=5)
    extended = twice.rule(more, STARTED + 23 * DAY, "00000000000000ff")
    assert earliest_ruling(extended) == STARTED + 26 * DAY


def test_a_board_that_is_over_is_never_due() -> None:
    assert earliest_ruling(act(new_game("square 5x5"), "x resign")) is None


days = st.integers(0, 12)
terms = st.builds(Terms, nagtime=days, forfeittime=days, totaltime=days, maxtime=days)
hours = st.integers(0, 24 * 12)
steps = st.lists(
    st.tuples(hours, st.sampled_from(["place", "remind", "swap", "propose", "extend"]))
)
vacations = st.lists(st.integers(0, 24 * 60), max_size=6, unique=True).map(
    lambda moments: [
        Absence(STARTED + start * HOUR, STARTED + end * HOUR)
        for start, end in list(pairwise(sorted(moments)))[::2]
    ]
)


def stepped(game: Game, step: str, at: datetime) -> Game:
    """Return a game after a step that may be done there; the same otherwise."""
    side, key = game.to_move, f"{game.next_number:016x}"
    if step == "remind":
        return reminded(game, at)
    if step == "extend":
        return game.rule(Ruling(Verb.EXTEND, side, days=3), at, key)
    if step == "propose" and not game.offer:
        return game.act(side, Deed.PROPOSE, at, key)
    if step == "swap" and game.can_swap:
        return game.act(side, Deed.SWAP, at, key)
    if step == "place":
        return game.act(
            side, Place((game.header.grid.names(game.position.placements())[0],)), at, key
        )
    return game


def stepped_through(terms: Terms, steps: list[tuple[int, str]]) -> Game:
    """Return a game after these steps, as many hours from each to the next."""
    game = new_game("square 5x5", terms)
    for gap, step in steps:
        if not game.result and game.position.has_placement():
            game = stepped(game, step, game.latest + gap * HOUR)
    return game


@examples(300)
@given(terms, steps, vacations, vacations)
def test_before_that_moment_nothing_is_due_whoever_is_away(
    terms: Terms,
    steps: list[tuple[int, str]],
    of_x: list[Absence],
    of_o: list[Absence],
) -> None:
    game = stepped_through(terms, steps)
    earliest = earliest_ruling(game)
    if earliest is None:
        return
    absences = {"rrognlie": of_x, "marksteere": of_o}
    moment = game.latest
    while moment < earliest:
        assert ruling_due(read_clock(game, absences, moment), moment) is None
        moment += 6 * HOUR


@given(terms, steps, vacations, vacations)
def test_what_records_tell_of_a_turn_without_the_rules_is_what_they_tell_with_them(
    terms: Terms, steps: list[tuple[int, str]], of_x: list[Absence], of_o: list[Absence]
) -> None:
    game = stepped_through(terms, steps)
    absences = {"rrognlie": of_x, "marksteere": of_o}
    if not game.result:
        assert _plain_turn(game, absences) == _replayed_turn(game, absences)
