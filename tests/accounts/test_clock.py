"""How long a player has for a turn: boards told day by day, and what their clocks say.

Days are counted from the start of the board, and hours are parts of them.
"""

from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.accounts.clock import Clock, _plain_turn, _replayed_turn, earliest_ruling, read_clock
from pbm_oust.accounts.vacations import DAY, Absence
from pbm_oust.board import Deed, Game, Place, Ruling, Verb
from pbm_oust.board.header import Terms
from pbm_oust.board.notation import format_ruling, parse_ruling, parse_terms
from pbm_oust.rules import Side
from tests.support import tables
from tests.support.games import STARTED, act, new_game, wish
from tests.support.rings import examples

tabled = tables.tabled(__file__)

ALICE, BOB = "rrognlie", "marksteere"
"""Alice owns x when the board starts."""


def day(number: float) -> datetime:
    return STARTED + timedelta(days=number)


def days(at: datetime | None) -> float | None:
    return None if at is None else (at - STARTED) / timedelta(days=1)


def told(*lines: str, terms: Terms | None = None) -> Game:
    """Return a board after lines like `2.5 x C3` or `7 * remind o`."""
    game = new_game("square 5x5", terms)
    for line in lines:
        at, by, words = line.split(" ", 2)
        key = f"{game.next_number:016x}"
        if by == "*":
            game = game.rule(parse_ruling(words), day(float(at)), key)
        else:
            game = game.act(Side(by), wish(words), day(float(at)), key)
    return game


def clock(game: Game, now: float, **away: list[tuple[float, float]]) -> Clock:
    """Return the clock of a board on a day, or after its last record; `away` are vacations."""
    absences = {
        userid: [Absence(day(start), day(end)) for start, end in some]
        for userid, some in away.items()
    }
    return read_clock(game, absences, max(day(now), game.latest))


def ruling(game: Game, now: float, **away: list[tuple[float, float]]) -> str:
    found = clock(game, now, **away).ruling_due(day(now))
    return format_ruling(found) if found else ""


def turn(game: Game, now: float = 0, **away: list[tuple[float, float]]) -> tuple[object, ...]:
    """Return whose turn it is, since when, and when the reminder and the end come."""
    found = clock(game, now, **away)
    return found.player, days(found.began), days(found.next_reminder), days(found.deadline)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], (ALICE, 0, 7, 28)),
        (["1 x C3"], (BOB, 1, 8, 29)),
        (["1 x C3", "4 o D1"], (ALICE, 4, 11, 32)),
        (["1 x C3", "3 o swap"], (ALICE, 3, 10, 31)),
        (["1 x C3", "3 o swap", "5 o D1"], (BOB, 5, 12, 33)),
    ],
)
def test_a_turn_begins_with_the_record_that_gives_it(
    lines: list[str], expected: tuple[object, ...]
) -> None:
    assert turn(told(*lines)) == expected


@pytest.mark.parametrize("talk", ["x propose", "o propose", "x undo"])
def test_talk_does_not_begin_a_turn_again(talk: str) -> None:
    game = told("1 x C3", f"5 {talk}")
    assert turn(game) == turn(told("1 x C3"))
    answer = {"x": "o", "o": "x"}[talk[0]]
    assert turn(told("1 x C3", f"5 {talk}", f"6 {answer} reject")) == turn(game)


def test_a_part_of_a_turn_begins_its_time_again() -> None:
    begun = ["1 x C3", "2 o C2", "3 x E5", "4 o A1"]
    capturing = told(*begun, "9 x B3")
    assert capturing.position.is_mid_turn
    assert turn(capturing) == (ALICE, 9, 16, 37)
    terms = Terms(totaltime=30)
    assert clock(told(*begun, "9 x B3", terms=terms), 11).used == timedelta(days=1 + 1 + 5 + 2)


def test_what_a_player_takes_back_leaves_his_turn_as_it_was() -> None:
    assert turn(told("1 x C3", "2 x retract")) == turn(told())
    assert turn(told("1 x C3", "4 o D1", "4.5 o retract")) == turn(told("1 x C3"))


def test_a_reminder_before_a_move_that_is_taken_back_still_counts() -> None:
    game = told("1 x C3", "8 * remind o", "9 o D1", "9.5 o retract")
    assert turn(game) == (BOB, 1, 23.75, 29)


def test_a_move_taken_back_by_consent_begins_a_turn() -> None:
    assert turn(told("1 x C3", "4 o D1", "5 o undo", "6 x accept")) == (BOB, 6, 13, 34)


def test_who_takes_over_a_side_begins_a_turn() -> None:
    reminded = told("1 x C3", "8 * remind o")
    assert turn(told("1 x C3", "8 * remind o", "20 * adopt o carol")) == ("carol", 20, 27, 48)
    waiting = told("1 x C3", "8 * remind o", "20 * adopt x carol")
    assert turn(waiting) == turn(reminded)


@tabled("terms", "reminder", "deadline", "limit")
def test_the_first_limit_sets_the_deadline(
    terms: str, reminder: str, deadline: str, limit: str
) -> None:
    found = clock(told(terms=parse_terms(f"swap rated {terms}")), 0)
    assert (days(found.next_reminder), days(found.deadline)) == (float(reminder), float(deadline))
    assert found.limit.name == limit or found.deadline == day(28)


@pytest.mark.parametrize(
    ("lines", "reminder", "deadline"),
    [
        (["1 x C3"], 8, 11),
        (["1 x C3", "5 o D1"], 11.75, 14),
        (["1 x C3", "5 o D1", "9 x E5"], 13.5, 15),
        (["1 x C3", "5 o D1", "9 x E5", "16 o A1"], 19.75, 21),
        (["1 x C3", "5 o D1", "14 x E5"], 18.5, 20),
        (["1 x C3", "5 o D1", "15 x E5", "16 o A1"], 16, 17),
    ],
)
def test_total_time_adds_up_over_the_turns_of_a_player(
    lines: list[str], reminder: float, deadline: float
) -> None:
    found = clock(told(*lines, terms=Terms(totaltime=10)), 0)
    assert (days(found.next_reminder), days(found.deadline)) == (reminder, deadline)


def test_a_player_takes_the_time_he_used_along_when_sides_are_swapped() -> None:
    terms = Terms(totaltime=10)
    swapped = told("4 x C3", "5 o swap", terms=terms)
    assert (swapped.owner(Side.O), swapped.player_to_move) == (ALICE, ALICE)
    assert clock(swapped, 5).used == timedelta(days=4)
    assert days(clock(swapped, 5).deadline) == 11
    assert clock(told("4 x C3", "5 o swap", "6 o D1", terms=terms), 6).used == timedelta(days=1)


def test_time_spent_before_a_side_was_taken_over_is_not_the_new_owners() -> None:
    terms = Terms(totaltime=10)
    game = told("4 x C3", "5 o D1", "6 * adopt x carol", terms=terms)
    assert clock(game, 6).used == timedelta()
    back = told("4 x C3", "5 o D1", "6 * adopt x carol", "7 * adopt x rrognlie", terms=terms)
    assert clock(back, 7).used == timedelta()


def test_who_has_used_up_the_total_time_has_a_day_behind_the_reminder() -> None:
    game = told("1 x C3", "2 o D1", "14 x E5", "15 o A1", terms=Terms(totaltime=10))
    assert turn(game, 15) == (ALICE, 15, 15, 16)
    assert ruling(game, 15) == "remind x"
    late = told("1 x C3", "2 o D1", "14 x E5", "15 o A1", "20 * remind x", terms=game.header.terms)
    assert ruling(late, 20.9) == ""
    assert ruling(late, 21) == "forfeit x"


@pytest.mark.parametrize(
    ("away", "expected"),
    [
        ([(3, 13)], (ALICE, 0, 17, 38)),
        ([(-5, 3)], (ALICE, 0, 10, 31)),
        ([(9, 10)], (ALICE, 0, 7, 29)),
        ([(7, 9)], (ALICE, 0, 7, 30)),
        ([(3, 4), (10, 14)], (ALICE, 0, 8, 33)),
        ([(28, 40)], (ALICE, 0, 7, 28)),
        ([(30, 40)], (ALICE, 0, 7, 28)),
        ([(-9, -2)], (ALICE, 0, 7, 28)),
    ],
)
def test_the_clock_stands_while_the_player_to_move_is_away(
    away: list[tuple[float, float]], expected: tuple[object, ...]
) -> None:
    assert turn(told(), rrognlie=away) == expected
    assert turn(told(), marksteere=away) == (ALICE, 0, 7, 28)


def test_a_player_who_is_away_uses_no_total_time() -> None:
    game = told("8 x C3", "9 o D1", terms=Terms(totaltime=10))
    assert clock(game, 9, rrognlie=[(2, 7)]).used == timedelta(days=3)


def test_nothing_is_ruled_while_the_player_is_away() -> None:
    game = told("1 x C3", "8 * remind o")
    assert ruling(game, 29) == "forfeit o"
    assert ruling(game, 29, marksteere=[(29, 31)]) == ""
    assert ruling(told("1 x C3"), 8, marksteere=[(7.9, 9)]) == ""


@tabled("lines", "now", "expected")
def test_a_player_is_reminded_and_then_loses(lines: str, now: str, expected: str) -> None:
    assert ruling(told(*lines.split("; ")), float(now)) == expected


def test_the_reminder_of_a_player_who_swaps_is_not_that_of_the_other() -> None:
    game = told("1 x C3", "8 * remind o", "9 o swap")
    assert turn(game) == (ALICE, 9, 16, 37)
    assert ruling(game, 36) == "remind o"


def test_a_reminder_that_is_late_moves_the_deadline_that_is_told() -> None:
    game = told("1 x C3")
    assert days(clock(game, 8).deadline) == 29
    assert days(clock(game, 12).deadline) == 33


def test_a_board_that_is_over_has_no_clock() -> None:
    with pytest.raises(ValueError, match="oust 17 is over"):
        clock(told("1 x resign"), 2)


@pytest.mark.parametrize(
    ("terms", "lines", "before"),
    [
        (Terms(), ["1 x C3"], (8, 29)),
        (Terms(), ["1 x C3", "8 * remind o"], (23.75, 29)),
        (Terms(maxtime=8), ["1 x C3"], (7, 9)),
        (Terms(maxtime=8), ["1 x C3", "7 * remind o"], (None, 9)),
        (Terms(totaltime=10), ["1 x C3", "4 o D1", "5 x E5"], (10.25, 12)),
        (Terms(nagtime=2, forfeittime=1), ["1 x C3"], (3, 4)),
    ],
)
def test_more_time_makes_every_limit_later(
    terms: Terms, lines: list[str], before: tuple[float, float]
) -> None:
    game = told(*lines, terms=terms)
    now = (game.latest - STARTED) / timedelta(days=1)
    assert turn(game, now)[2:] == before
    extended = told(*lines, f"{now} * extend o 4d", terms=terms)
    assert turn(extended, now)[3] == before[1] + 4
    again = told(*lines, f"{now} * extend o 4d", f"{now} * extend o 1d", terms=terms)
    assert turn(again, now)[3] == before[1] + 5
    assert turn(extended, now)[:2] == turn(game, now)[:2]


def test_a_reminder_that_has_not_come_is_later_with_more_time() -> None:
    extended = told("1 x C3", "2 * extend o 4d")
    assert turn(extended) == (BOB, 1, 12, 33)
    assert ruling(extended, 11.9) == ""
    assert ruling(extended, 12) == "remind o"


def test_who_gets_more_time_after_the_last_reminder_is_reminded_once_more() -> None:
    lines = ["1 x C3", "8 * remind o", "24 * remind o"]
    assert turn(told(*lines), 25) == (BOB, 1, None, 29)
    extended = told(*lines, "25 * extend o 4d")
    assert turn(extended, 25) == (BOB, 1, 31, 33)
    assert ruling(extended, 31) == "remind o"
    reminded = told(*lines, "25 * extend o 4d", "31 * remind o")
    assert turn(reminded, 31) == (BOB, 1, None, 33)
    assert ruling(reminded, 32.9) == ""
    assert ruling(reminded, 33) == "forfeit o"


def test_more_time_is_for_one_turn() -> None:
    played = told("1 x C3", "2 * extend o 4d", "3 o D1", "4 x E5")
    assert turn(played) == (BOB, 4, 11, 32)


def test_more_total_time_is_for_the_whole_game_and_stays_with_its_player() -> None:
    terms = Terms(totaltime=10)
    lines = ["1 * extend x 4d", "2 x C3", "3 o swap", "4 o D1"]
    alice = clock(told(*lines, "5 x E5", terms=terms), 5)
    assert (alice.player, alice.total, alice.used) == (ALICE, 14 * DAY, 3 * DAY)
    bob = clock(told(*lines, terms=terms), 4)
    assert (bob.player, bob.total, bob.used) == (BOB, 10 * DAY, 1 * DAY)
    adopted = told(*lines, "5 x E5", "6 * adopt o carol", terms=terms)
    assert clock(adopted, 6).total == 10 * DAY
    undone = told(*lines, "5 x E5", "6 * undo 4", "6.5 x A5", terms=terms)
    assert clock(undone, 6.5).total == 14 * DAY


def test_a_turn_begins_when_the_operator_takes_moves_back() -> None:
    lines = ["1 x C3", "4 o D1", "5 x E5"]
    assert turn(told(*lines, "6 * undo 2")) == (ALICE, 6, 13, 34)
    assert turn(told(*lines, "6 * undo 1")) == (BOB, 6, 13, 34)
    assert turn(told(*lines, "6 * undo 0")) == (ALICE, 6, 13, 34)


# The earliest moment at which a board may need the server, whatever vacations its players have


HOUR = timedelta(hours=1)
SHORT = Terms(nagtime=7, forfeittime=21)


def reminded(game: Game, at: datetime) -> Game:
    """Return a game whose player to move was reminded."""
    return game.rule(Ruling(Verb.REMIND, game.to_move), at, f"{game.next_number:016x}")


@pytest.mark.parametrize(
    ("lines", "due"),
    [
        ([], 7),
        (["7 * remind x"], 10),
        (["7 * remind x", "22 * remind x"], 28),
        (["7 * remind x", "22 * remind x", "23 * extend x 5d"], 26),
    ],
)
def test_a_board_is_due_for_its_next_reminder_or_at_its_deadline(
    lines: list[str], due: float
) -> None:
    assert days(earliest_ruling(told(*lines, terms=SHORT))) == due


def test_a_board_that_is_over_is_never_due() -> None:
    assert earliest_ruling(act(new_game("square 5x5"), "x resign")) is None


limits = st.integers(0, 12)
terms = st.builds(Terms, nagtime=limits, forfeittime=limits, totaltime=limits, maxtime=limits)
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
        assert read_clock(game, absences, moment).ruling_due(moment) is None
        moment += 6 * HOUR


@given(terms, steps, vacations, vacations)
def test_what_records_tell_of_a_turn_without_the_rules_is_what_they_tell_with_them(
    terms: Terms, steps: list[tuple[int, str]], of_x: list[Absence], of_o: list[Absence]
) -> None:
    game = stepped_through(terms, steps)
    absences = {"rrognlie": of_x, "marksteere": of_o}
    if not game.result:
        assert _plain_turn(game, absences) == _replayed_turn(game, absences)
