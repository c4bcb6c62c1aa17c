"""How the house shares its time: every deadline is kept, and nobody waits for the slow ones."""

from operator import attrgetter

from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.service.house import LEAST_SECONDS, Wanted, seconds_for

DAY = 24 * 3600.0
PLACE = attrgetter("place")
THINKING = st.sampled_from([1.0, 10.0, 60.0])


def overtaken(boards: list[Wanted]) -> list[Wanted]:
    """Return the boards whose turn ends after their deadline if all are thought about."""
    now, late = 0.0, list[Wanted]()
    while boards:
        present = [Wanted(each.seconds, each.left - now) for each in boards]
        first = present.index(min(present, key=PLACE))
        now += seconds_for(present[first], present)
        if boards[first].left < now:
            late.append(boards[first])
        boards = boards[:first] + boards[first + 1 :]
    return late


def test_forty_boards_of_the_slowest_player_whose_deadlines_are_near_are_all_in_time() -> None:
    assert not overtaken([Wanted(60, 30 + number) for number in range(40)])


@given(st.lists(st.builds(Wanted, THINKING, st.floats(0.01, 10 * DAY)), min_size=1, max_size=300))
def test_every_deadline_is_kept(boards: list[Wanted]) -> None:
    assert not overtaken(boards)


def test_a_board_that_waits_alone_has_all_the_time_of_its_player() -> None:
    board = Wanted(60, DAY)
    assert seconds_for(board, [board]) == 60


def test_the_more_boards_wait_the_less_time_each_has() -> None:
    board = Wanted(60, DAY)
    assert seconds_for(board, [board] * 40) == 1.5
    assert seconds_for(board, [board] * 10_000) == LEAST_SECONDS


def test_those_who_think_least_come_first_unless_a_deadline_is_near() -> None:
    slow, fast, hurried = Wanted(60, DAY), Wanted(1, DAY), Wanted(60, 60)
    assert min([slow, fast, slow], key=PLACE) is fast
    assert min([fast, slow, hurried], key=PLACE) is hurried
