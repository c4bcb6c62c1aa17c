"""How long a player has for a turn: boards told day by day, and what their clocks say.

Days are counted from the start of the board, and hours are parts of them.
"""

import re
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
NAMES = {"alice": ALICE, "bob": BOB}
"""Alice owns x when the board starts."""
USUAL = "nagtime=7 forfeittime=21"


def day(number: float) -> datetime:
    return STARTED + timedelta(days=number)


def days(at: datetime) -> float:
    return (at - STARTED) / DAY


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


def clock(game: Game, away: str, now: float) -> Clock:
    """Return the clock of a board on a day, or after its last record; `away` is `alice 3-13`."""
    absences = dict[str, list[Absence]]({ALICE: [], BOB: []})
    for each in filter(None, away.split("; ")):
        found = re.fullmatch(r"(\w+) (-?[\d.]+)-(-?[\d.]+)", each)
        assert found
        absences[NAMES[found[1]]].append(Absence(day(float(found[2])), day(float(found[3]))))
    return read_clock(game, absences, max(day(now), game.latest))


def said(game: Game, away: str, now: float) -> set[str]:
    """Return all that a clock says: whose turn it is, since when, and when something comes."""
    found = clock(game, away, now)
    player = {userid: name for name, userid in NAMES.items()}.get(found.player, found.player)
    ruling, earliest = found.ruling_due(day(now)), earliest_ruling(game)
    assert earliest
    return {
        f"{player} since {days(found.began):g}",
        "no reminder" if found.next_reminder is None else f"reminder {days(found.next_reminder):g}",
        f"until {days(found.deadline):g}",
        f"limit {found.limit.name}",
        f"used {found.used / DAY:g}",
        f"total {found.total / DAY:g}",
        format_ruling(ruling) if ruling else "nothing due",
        f"earliest {days(earliest):g}",
    }


@tabled("lines", "terms", "away", "now", "expected")
def test_a_clock_says_when_something_comes(
    lines: str, terms: str, away: str, now: str, expected: str
) -> None:
    game = told(*filter(None, lines.split("; ")), terms=parse_terms(f"swap rated {terms or USUAL}"))
    found = said(game, away, float(now or 0))
    assert set(expected.split(", ")) <= found, found


def test_a_board_that_is_over_has_no_clock() -> None:
    with pytest.raises(ValueError, match="oust 17 is over"):
        clock(told("1 x resign"), "", 2)


# The earliest moment at which a board may need the server, whatever vacations its players have


HOUR = timedelta(hours=1)


def reminded(game: Game, at: datetime) -> Game:
    """Return a game whose player to move was reminded."""
    return game.rule(Ruling(Verb.REMIND, game.to_move), at, f"{game.next_number:016x}")


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
