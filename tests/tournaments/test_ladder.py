"""A ladder: what happens on it, told in words, and how it stands after that."""

import random
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.tournaments.ladder import IDLE, Event, Ladder, Step, fold
from tests.support import tables

tabled = tables.tabled(__file__)
DAY_0 = datetime(2027, 1, 1, tzinfo=UTC)


def events(story: str) -> list[Event]:
    """Return what a story tells: `0 a+ b+ 3 b>a 7 b!a` begins with the day.

    `a+` joins and `a-` leaves; `b?a` is a challenge of b to a, which ends by `b>a`, a win, or
    by `b<a`, any other end.
    """
    found, day, boards = list[Event](), 0, dict[str, int]()
    steps = {"+": Step.JOIN, "-": Step.LEAVE, "?": Step.BEGIN, ">": Step.WIN, "<": Step.HOLD}
    for word in story.split():
        if word.isdecimal():
            day = int(word)
            continue
        sign = next(sign for sign in steps if sign in word)
        userid, defender = word.split(sign)
        number = boards.setdefault(userid + defender, len(boards) + 1) if defender else 0
        at = DAY_0 + timedelta(days=day, seconds=0 if number else len(found))
        found.append(Event(at, number, steps[sign].value, userid, defender))
    return found


def shown(ladder: Ladder) -> str:
    return " ".join(ladder)


@tabled("story", "day", "wanted", day=int)
def test_how_a_ladder_stands(story: str, day: int, wanted: str) -> None:
    assert shown(fold(events(story)).at(DAY_0 + timedelta(days=day))) == wanted


@tabled("story", "day", "challenge", "absent", "wanted", day=int)
def test_who_may_challenge_whom(
    story: str, day: int, challenge: str, absent: str, wanted: str
) -> None:
    ladder = fold(events(story)).at(DAY_0 + timedelta(days=day))
    challenger, other = challenge.split("?")
    found = ladder.hindrance(challenger, other, absent.split().__contains__)
    assert (found.value if found else "") == wanted


def test_the_order_in_which_events_are_found_does_not_matter() -> None:
    told = events("0 a+ b+ c+ d+ 2 d?b 3 c?a 9 d>b 10 c>a 80 d-")
    mixed = random.Random(1).sample(told, len(told))
    assert fold(mixed) == fold(told)


STEPS = st.tuples(st.sampled_from(list(Step)), st.permutations("abcde"), st.integers(0, 40))


@given(st.lists(STEPS, max_size=40))
def test_nobody_is_lost_or_doubled(steps: list[tuple[Step, list[str], int]]) -> None:
    there, at, ladder = set[str](), DAY_0, Ladder()
    for board, (step, (userid, other, *_), days) in enumerate(steps, 1):
        at += timedelta(days=days)
        event = Event(at, board, step.value, userid, other if step not in NO_BOARD else "")
        ladder = ladder.after(event)
        there |= {userid} if step is Step.JOIN else set()
        there -= {userid} if step is Step.LEAVE else set()
        assert sorted(ladder) == sorted(there)
        assert all(each.sinks_at is None or each.sinks_at >= at for each in ladder.rungs)
    assert sorted(ladder.at(at + 5 * IDLE)) == sorted(there)


NO_BOARD = {Step.JOIN, Step.LEAVE}
