"""The records of a game, compared with tuples."""

from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.board import Deed, Record
from pbm_oust.board.record import Records
from tests.support.boards import X
from tests.support.games import STARTED
from tests.support.steps import work_of

MANY = 3_000


def record(number: int) -> Record:
    return Record(number, X, Deed.PROPOSE, STARTED, f"{number:016x}")


def counted(total: int, each: Record) -> int:
    return total + each.number


RECORDS = [record(number) for number in range(12)]


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10), st.integers(0, 3))))
def test_each_value_stays_as_it_was_whatever_is_made_of_it(
    steps: list[tuple[int, int, int]],
) -> None:
    made: list[tuple[Records, tuple[Record, ...]]] = [(Records(), ())]
    for choice, number, count in steps:
        records, plain = made[choice % len(made)]
        more = RECORDS[number : number + count]
        if more:
            made.append((records.and_then(*more), (*plain, *more)))
        else:
            made.append((records.first(number), plain[:number]))
    for records, plain in made:
        assert (len(records), *records) == (len(plain), *plain)
        assert (*reversed(records),) == plain[::-1]
        assert (records[-3:], records[1:-1]) == (plain[-3:], plain[1:-1])
        assert records == Records(plain)
        assert hash(records) == hash(Records(plain))
        assert records.folded(0, counted) == sum(each.number for each in plain)
        for each in RECORDS:
            assert records.has_message_key(each.message_key) == (each in plain)


def test_records_that_differ_are_not_equal() -> None:
    records = Records([record(1), record(2)])
    assert records != Records([record(1), record(3)])
    assert records != records.first(1)
    assert records != Records([record(1), record(2), record(3)])


def test_a_fold_looks_only_at_records_that_came_since_the_last_time() -> None:
    many = Records(map(record, range(MANY)))
    many.folded(0, counted)
    grown = many.and_then(record(MANY))
    assert work_of(lambda: grown.folded(0, counted)).steps < 10


def test_one_more_record_is_as_much_work_after_many_as_after_none() -> None:
    records = Records()
    few = work_of(lambda: records.and_then(record(0))).steps
    many = Records(map(record, range(MANY)))
    assert work_of(lambda: many.and_then(record(MANY))).steps <= few


def test_a_message_key_is_looked_for_without_looking_at_all_records() -> None:
    many = Records(map(record, range(MANY)))
    many.has_message_key("")
    grown = many.and_then(record(MANY))
    assert work_of(lambda: grown.has_message_key("none")).steps < 10
