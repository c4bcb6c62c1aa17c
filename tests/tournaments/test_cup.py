"""A cup: sections, their games and their tables, against what was worked out by hand."""

from collections import Counter
from datetime import UTC, datetime
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.board import Summary
from pbm_oust.rules import KINDS, How, Result, Side, parse_grid
from pbm_oust.tournaments.cup import (
    Every,
    Pairing,
    draw,
    following,
    pairings,
    table,
    times_lost,
    to_begin,
    winners,
)
from tests.support import tables

tabled = tables.tabled(__file__)
AT = datetime(2027, 3, 1, tzinfo=UTC)
HOW = {">": How.RESIGN, ">>": How.FORFEIT, "=": How.AGREED, "!": How.VOID, "?": None}
"""How a game ended, as these tests write it: `alice > bob`; the latter lost on time with `>>`."""


def board(text: str) -> Summary:
    """Return a board of two players: `alice>bob`."""
    sign = next(sign for sign in (">>", *HOW) if sign in text)
    x, o = text.split(sign)
    how, winner = HOW[sign], Side.X if ">" in sign else None
    result = Result(winner, how) if how else None
    to_move = None if result else x
    return Summary(
        KINDS["oust"], 1, parse_grid("square 5x5"), x, o, to_move, result, True, AT, AT, 9
    )


def boards(text: str) -> list[Summary]:
    """Return the boards of a list."""
    return [board(word) for word in text.split()]


@tabled("players", "size", "fewer_than", "wanted", size=int, fewer_than=int)
def test_sections_are_of_equal_strength(
    players: str, size: int, fewer_than: int, wanted: str
) -> None:
    found = draw(players, size, fewer_than)
    assert " ".join("".join(section) for section in found) == wanted


@given(st.integers(1, 200), st.integers(2, 16))
def test_a_draw_takes_everybody_once_and_no_section_is_much_larger(number: int, size: int) -> None:
    players = [f"p{each}" for each in range(number)]
    found = draw(players, size)
    assert Counter(each for section in found for each in section) == Counter(players)
    sizes = {len(section) for section in found}
    assert max(sizes) <= max(size, 3)
    assert min(sizes) > 1 or number == 1
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("games", [1, 2, 3, 4])
@pytest.mark.parametrize("size", range(2, 17))
def test_each_pair_plays_and_sides_are_shared_fairly(size: int, games: int) -> None:
    section = [f"p{each}" for each in range(size)]
    found = pairings(section, games)
    assert Counter(each.players for each in found) == {
        frozenset(pair): games for pair in combinations(section, 2)
    }
    ahead = Counter(each.x for each in found)
    ahead.subtract(each.o for each in found)
    assert all(abs(each) <= games % 2 for each in ahead.values())


@pytest.mark.parametrize("size", range(2, 17))
def test_games_come_in_rounds_in_which_everybody_plays_once(size: int) -> None:
    found, together = pairings([f"p{each}" for each in range(size)], 1), size // 2
    for first in range(0, len(found), together):
        playing = [each for pairing in found[first : first + together] for each in pairing.players]
        assert len(set(playing)) == 2 * together


@tabled("begun", "out", "limits", "wanted")
def test_games_begin_as_there_is_room(begun: str, out: str, limits: str, wanted: str) -> None:
    room = {userid: int(most) for userid, _, most in (w.partition(":") for w in limits.split())}
    found = to_begin(pairings("abcd", 1), boards(begun), out.split(), room.get)
    assert " ".join(f"{each.x}-{each.o}" for each in found) == wanted


def test_a_pair_whose_sides_were_swapped_does_not_play_again() -> None:
    wanted = pairings("ab", 2)
    assert to_begin(wanted, boards("a?b b=a"), [], lambda _: None) == []
    assert to_begin(wanted, boards("a?b"), [], lambda _: None) == [Pairing("b", "a")]


@tabled("section", "played", "wanted")
def test_points_and_what_decides_between_equals(section: str, played: str, wanted: str) -> None:
    found = table(section, boards(played))
    told = [
        f"{each.place}.{each.userid}:{each.points}/{each.beaten_points}/{each.points_among}"
        for each in found
    ]
    assert " ".join(told) == wanted


@tabled("section", "played", "out", "wanted")
def test_who_wins_a_section(section: str, played: str, out: str, wanted: str) -> None:
    assert " ".join(winners(table(section, boards(played)), out.split())) == wanted


def test_games_lost_on_time_are_counted() -> None:
    assert times_lost(boards("a>>b c>>b a>b b>>c a?b")) == {"b": 2, "c": 1}


@given(st.lists(st.tuples(st.permutations("abcde"), st.sampled_from(sorted(HOW))), max_size=30))
def test_a_table_is_in_order_and_its_points_are_those_of_its_games(
    games: list[tuple[list[str], str]],
) -> None:
    played = [board(f"{two[0]}{sign}{two[1]}") for two, sign in games]
    found = table("abcde", played)
    counted = [each for each in played if each.result and each.result.how is not How.VOID]
    assert sum(each.points for each in found) == 2 * len(counted)
    assert sum(each.games for each in found) == 2 * len(counted)
    merits = [(each.points, each.beaten_points, each.points_among) for each in found]
    assert merits == sorted(merits, reverse=True)
    assert [each.place for each in found] == [1 + merits.index(each) for each in merits]


@pytest.mark.parametrize(
    ("starts", "every", "then"),
    [
        ("2027-11-30", Every.QUARTER, "2028-02-29"),
        ("2028-02-29", Every.YEAR, "2029-02-28"),
        ("2026-12-31", Every.MONTH, "2027-01-31"),
        ("2027-01-31", Every.MONTH, "2027-02-28"),
    ],
)
def test_a_cup_that_comes_again_does_so_on_the_last_day_of_a_short_month(
    starts: str, every: Every, then: str
) -> None:
    assert following(datetime.fromisoformat(starts), every) == datetime.fromisoformat(then)
