"""How hard puzzles are, and which one a day has."""

from datetime import date, timedelta

from pbm_oust.board.puzzle import Difficulty, puzzle_of_day, puzzles_of
from pbm_oust.rules import KINDS

OUST = puzzles_of(KINDS["oust"])


def test_a_puzzle_that_nobody_has_tried_is_as_hard_as_its_place_says() -> None:
    found = [Difficulty.of(each, 0, 0) for each in OUST]
    assert found == sorted(found, key=list(Difficulty).index)
    assert set(found) == set(Difficulty)


def test_many_tries_count_for_more_than_the_place() -> None:
    assert Difficulty.of(OUST[0], 100, 90) is Difficulty.HARD
    assert Difficulty.of(OUST[-1], 100, 5) is Difficulty.EASY
    assert Difficulty.of(OUST[0], 1, 1) is Difficulty.EASY
    assert Difficulty.of(OUST[-1], 1_000_000, 1_000_000) is Difficulty.HARD


def test_each_puzzle_has_its_day_before_one_comes_again() -> None:
    total = sum(len(puzzles_of(kind)) for kind in KINDS.values())
    days = [puzzle_of_day(date(2026, 11, 20) + timedelta(days=nth)) for nth in range(total + 1)]
    names = [(each.kind.name, each.number) for each in days if each]
    assert len(set(names)) == total
    assert names[0] == names[total]
