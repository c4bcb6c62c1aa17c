"""How the house shares its time: every deadline is kept, and nobody waits for the slow ones."""

import time
from operator import attrgetter

from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.service.house import LEAST_SECONDS, SLOWEST, Allowed, Timer, Wanted, time_for

DAY = 24 * 3600.0
PLACE = attrgetter("place")
THINKING = st.sampled_from([1.0, 10.0, 60.0])


def overtaken(boards: list[Wanted]) -> list[Wanted]:
    """Return the boards whose turn ends after their deadline if all take as long as they may."""
    now, late = 0.0, list[Wanted]()
    while boards:
        present = [Wanted(each.seconds, each.left - now) for each in boards]
        first = present.index(min(present, key=PLACE))
        now += time_for(present[first], present).wall
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
    assert time_for(board, [board]) == Allowed(60, 60 * SLOWEST)


def test_the_more_boards_wait_the_less_time_each_has() -> None:
    board = Wanted(60, DAY)
    assert time_for(board, [board] * 40).seconds == 1.5
    assert time_for(board, [board] * 10_000).seconds == LEAST_SECONDS


def test_a_board_in_a_hurry_has_its_time_altogether_however_busy_the_machine_is() -> None:
    board = Wanted(60, 40)
    assert time_for(board, [board]) == Allowed(20, 20)


def test_those_who_think_least_come_first_unless_a_deadline_is_near() -> None:
    slow, fast, hurried = Wanted(60, DAY), Wanted(1, DAY), Wanted(60, 60)
    assert min([slow, fast, slow], key=PLACE) is fast
    assert min([fast, slow, hurried], key=PLACE) is hurried


def spend(seconds: float) -> None:
    """Use the processor for so long."""
    begun = time.thread_time()
    while time.thread_time() < begun + seconds:
        pass


def test_processor_time_counts_and_of_other_time_only_a_share() -> None:
    begun, used = time.perf_counter(), time.thread_time()
    timer = Timer(Allowed(60, 300))
    time.sleep(0.1)
    least = max(time.thread_time() - used, 0.1 / 5)
    told = timer.seconds
    assert least * 0.99 <= told <= max(time.thread_time() - used, (time.perf_counter() - begun) / 5)
    spend(0.05)
    assert timer.seconds >= 0.05


def test_a_clock_that_is_paused_stands_still() -> None:
    begun, used = time.perf_counter(), time.thread_time()
    timer = Timer(Allowed(1, 1))
    with timer.paused():
        paused, spent = time.perf_counter(), time.thread_time()
        spend(0.05)
        paused, spent = time.perf_counter() - paused, time.thread_time() - spent
    told = timer.seconds
    most = time.perf_counter() - begun - paused, time.thread_time() - used - spent
    assert told <= max(most)
