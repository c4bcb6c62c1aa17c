"""What was used last is kept, within a bound."""

from pbm_oust.store.boards import Latest


def test_what_was_used_longest_ago_is_forgotten_first() -> None:
    latest = Latest[str, int](2)
    latest.put("one", 1)
    latest.put("two", 2)
    latest.get("one")
    latest.put("three", 3)
    assert [latest.get(each) for each in ("one", "two", "three")] == [1, None, 3]


def test_values_are_forgotten_by_what_they_weigh() -> None:
    latest = Latest[str, bytes](10, len)
    latest.put("one", b"1234")
    latest.put("two", b"1234")
    latest.put("one", b"12345")
    assert [latest.get("one"), latest.get("two")] == [b"12345", b"1234"]
    latest.put("two", b"123456")
    assert [latest.get("one"), latest.get("two")] == [None, b"123456"]


def test_a_value_that_weighs_more_than_all_may_is_kept_alone() -> None:
    latest = Latest[str, bytes](10, len)
    latest.put("one", b"1234")
    latest.put("two", b"12345678901")
    assert [latest.get("one"), latest.get("two")] == [None, b"12345678901"]
