"""A ladder: what happens on it, told in words, and how it stands after that."""

import random
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.tournaments.ladder import (
    IDLE,
    PAUSE,
    Challenge,
    Event,
    Ladder,
    LadderStep,
    Outlook,
    fold,
    reach,
)
from tests.support import tables

tabled = tables.tabled(__file__)
DAY_0 = datetime(2027, 1, 1, tzinfo=UTC)
ENDS = {">": LadderStep.WIN, "<": LadderStep.HOLD, "!": LadderStep.VOID}


def story(text: str) -> tuple[list[Event], list[Challenge]]:
    """Return what a story tells: `0 a+ b+ 3 b?a 7 b>a` begins with the day.

    `a+` joins and `a-` leaves; `b?a` is a challenge of b to a, which ends by `b>a`, a win, by
    `b<a`, any other end, or by `b!a`, as never begun.
    """
    day, steps, challenges = 0, list[Event](), list[Challenge]()
    for word in text.split():
        at = DAY_0 + timedelta(days=day)
        sign = next((sign for sign in "+-?<>!" if sign in word), "")
        userid, _, other = word.partition(sign) if sign else ("", "", "")
        if not sign:
            day = int(word)
        elif sign in "+-":
            step = LadderStep.JOIN if sign == "+" else LadderStep.LEAVE
            steps.append(Event(at, 0, len(steps) + 1, step.value, userid))
        elif sign == "?":
            challenges.append(Challenge(len(challenges) + 1, userid, other, at))
        else:
            (begun,) = (
                each
                for each in challenges
                if (each.challenger, each.defender, each.ended) == (userid, other, None)
            )
            challenges[begun.board - 1] = Challenge(
                begun.board, userid, other, begun.began, at, ENDS[sign]
            )
    return [*steps, *(event for each in challenges for event in each.events())], challenges


def shown(of: Ladder) -> str:
    return " ".join(of)


@tabled("told", "day", "wanted", day=int)
def test_how_a_ladder_stands(told: str, day: int, wanted: str) -> None:
    assert shown(fold(story(told)[0]).at(DAY_0 + timedelta(days=day))) == wanted


@tabled("told", "day", "wanted", day=int)
def test_since_when_players_are_in_their_places(told: str, day: int, wanted: str) -> None:
    ladder = fold(story(told)[0]).at(DAY_0 + timedelta(days=day))
    stand = (f"{each.userid}{(each.placed - DAY_0).days}" for each in ladder.rungs)
    assert " ".join(stand) == wanted


@tabled("told", "day", "challenge", "absent", "wanted", day=int)
def test_who_may_challenge_whom(
    told: str, day: int, challenge: str, absent: str, wanted: str
) -> None:
    events, challenges = story(told)
    now = DAY_0 + timedelta(days=day)
    challenger, other = challenge.split("?")
    recent = {
        each.defender
        for each in challenges
        if each.challenger == challenger and now - PAUSE < each.began
    }
    outlook = Outlook(challenger, fold(events).at(now), recent)
    found = outlook.hindrance(other, absent.split().__contains__)
    assert (found.value if found else "") == wanted


def test_the_order_in_which_events_are_found_does_not_matter() -> None:
    events, _ = story("0 a+ b+ c+ d+ 2 d?b 3 c?a 9 d>b 10 c>a 80 d-")
    mixed = random.Random(1).sample(events, len(events))
    assert fold(mixed) == fold(events)


CHALLENGES = st.builds(
    lambda board, two, began, days, how: Challenge(
        board,
        two[0],
        two[1],
        DAY_0 + timedelta(days=began),
        DAY_0 + timedelta(days=began + days) if how else None,
        how,
    ),
    st.integers(1, 99),
    st.permutations("abcde"),
    st.integers(0, 400),
    st.integers(0, 90),
    st.sampled_from([None, *ENDS.values()]),
)
STEPS = st.builds(
    lambda day, step, userid: (DAY_0 + timedelta(days=day), step, userid),
    st.integers(0, 400),
    st.sampled_from(["join", "leave"]),
    st.sampled_from("abcde"),
)


@given(st.lists(CHALLENGES, max_size=15, unique_by=lambda each: each.board), st.lists(STEPS))
def test_nobody_is_lost_or_doubled(
    challenges: list[Challenge], steps: list[tuple[datetime, str, str]]
) -> None:
    events = [event for each in challenges for event in each.events()]
    events += [Event(at, 0, nth, step, userid) for nth, (at, step, userid) in enumerate(steps, 1)]
    there, of = set[str](), Ladder()
    for event in sorted(events):
        of = of.after(event)
        there |= {event.userid} if event.step == "join" else set()
        there |= {event.userid, event.defender} if event.step == "begin" else set()
        there -= {event.userid} if event.step == "leave" else set()
        assert sorted(of) == sorted(there)
    assert sorted(of.at(DAY_0 + 20 * IDLE)) == sorted(there)
    halfway = of.at(DAY_0 + 9 * IDLE)
    assert halfway.at(DAY_0 + 20 * IDLE) == of.at(DAY_0 + 20 * IDLE)


def test_one_may_challenge_a_tenth_of_the_ladder_but_three_at_least_and_a_hundred_at_most() -> None:
    assert [reach(size) for size in (2, 39, 40, 999, 1000, 5000)] == [3, 3, 4, 99, 100, 100]
