"""Letters that came back: counted for each address, and kept in files that can always be read."""

import stat
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import make_msgid
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pbm_oust.store.bounced import MOST_KEPT, BadBounces, Bounces

from pbm_oust.accounts.returned import (
    LONGEST,
    MOST_BOUNCES,
    Bounce,
    Returned,
    format_returned,
    parse_returned,
)
from pbm_oust.store.bounces import all_bounces, bounces_of
from pbm_oust.store.home import Home
from tests.support.processes import files, run_at_once

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
ALICE, BOB = "alice@example.org", "bob@example.net"
LETTER = "<oust.17.5.0123456789abcdef@example.com>"


@pytest.fixture
def bounces(home: Home) -> Bounces:
    return home.bounces


def bounce(letter: str = LETTER, subject: str = "oust 17 #6: your turn, alice") -> Bounce:
    return Bounce.of(NOON, "5.1.1", letter, subject)


def note(bounces: Bounces, address: str, number: int) -> Returned:
    """Note so many letters, all different, and return what is known afterwards."""
    found = bounces.of(address)
    for _ in range(number):
        found = bounces.note(address, bounce(make_msgid(domain="example.com")))
    return found


def only_file(bounces: Bounces) -> Path:
    (path,) = bounces.path.iterdir()
    return path


# What is counted


def test_nothing_came_back_from_an_address_that_is_not_known(bounces: Bounces) -> None:
    assert bounces.of(ALICE) == Returned(ALICE, ())
    assert bounces.all() == []


def test_what_came_back_is_known_in_its_order(bounces: Bounces) -> None:
    first = bounce("<1@example.com>", "oust 17 #6: your turn, alice")
    second = Bounce.of(NOON + timedelta(hours=1), "5.2.2", "<2@example.com>", "help")
    assert bounces.note(ALICE, first) == Returned(ALICE, (first,))
    assert bounces.note(ALICE, second) == Returned(ALICE, (first, second))
    assert bounces.of(ALICE) == Returned(ALICE, (first, second))
    assert bounces.all() == [Returned(ALICE, (first, second))]


def test_what_came_back_is_known_to_a_process_that_starts_later(home: Home) -> None:
    home.note_bounce(ALICE, bounce())
    assert Home(home.path).bounces.of(ALICE) == Returned(ALICE, (bounce(),))


@pytest.mark.parametrize(
    "written", ["ALICE@Example.ORG", "alice+games@example.org", "Alice+@EXAMPLE.org"]
)
def test_an_address_is_the_same_however_it_is_written(bounces: Bounces, written: str) -> None:
    bounces.note(ALICE, bounce("<1@example.com>"))
    bounces.note(written, bounce("<2@example.com>"))
    assert len(bounces.of(ALICE).bounces) == len(bounces.of(written).bounces) == 2
    assert len(files(bounces.path)) == 1


@pytest.mark.parametrize(
    "other", [BOB, "alice@example.net", "xalice@example.org", "+alice@example.org"]
)
def test_addresses_are_counted_apart(bounces: Bounces, other: str) -> None:
    note(bounces, ALICE, 2)
    note(bounces, other, 1)
    assert len(bounces.of(ALICE).bounces) == 2
    assert len(bounces.of(other).bounces) == 1
    assert sorted(each.address for each in bounces.all()) == sorted([ALICE, other])


def test_a_letter_that_comes_back_twice_counts_once(bounces: Bounces) -> None:
    bounces.note(ALICE, bounce(subject="the first time"))
    late = replace(bounce(subject="the second time"), at=NOON + timedelta(days=1), status="5.7.1")
    assert bounces.note(ALICE, late) == bounces.of(ALICE)
    assert bounces.of(ALICE) == Returned(ALICE, (bounce(subject="the first time"),))


def test_an_address_is_suspended_by_the_third_letter_and_not_before(bounces: Bounces) -> None:
    suspended = [note(bounces, ALICE, 1).is_suspended for _ in range(MOST_BOUNCES + 1)]
    assert suspended == [False, False, True, True]
    assert bounces.of(ALICE).is_suspended


def test_what_came_back_can_be_forgotten(bounces: Bounces) -> None:
    note(bounces, ALICE, 3)
    note(bounces, BOB, 1)
    bounces.forget("Alice+x@example.org")
    assert bounces.of(ALICE) == Returned(ALICE, ())
    assert len(bounces.of(BOB).bounces) == 1
    assert not note(bounces, ALICE, 1).is_suspended


def test_forgetting_an_address_that_is_not_known_does_nothing(bounces: Bounces) -> None:
    note(bounces, BOB, 1)
    bounces.forget(ALICE)
    assert [each.address for each in bounces.all()] == [BOB]


# The file


def test_the_file_is_as_a_person_reads_it(bounces: Bounces) -> None:
    bounces.note(ALICE, bounce())
    bounces.note(ALICE, bounce("<welcome@example.com>", ""))
    assert only_file(bounces).read_text() == (
        "pbm_oust bounces 1\n"
        "Address: alice@example.org\n"
        "Bounced: 2026-11-20T12:00:00Z 5.1.1 <oust.17.5.0123456789abcdef@example.com> "
        "oust 17 #6: your turn, alice\n"
        "Bounced: 2026-11-20T12:00:00Z 5.1.1 <welcome@example.com>\n"
    )


def test_bounces_are_private(bounces: Bounces) -> None:
    bounces.note(ALICE, bounce())
    assert stat.S_IMODE(only_file(bounces).stat().st_mode) == 0o600
    assert stat.S_IMODE(bounces.path.stat().st_mode) == 0o700


headers = st.text(max_size=40) | st.text("\r\n\t\x0b\x1c\x85\u2028 a<>:", max_size=40)


@settings(deadline=None)
@given(letter=headers, subject=headers, count=st.integers(1, 3))
@example(letter="", subject="", count=1)
@example(letter="-", subject="Address: bob@example.net", count=1)
@example(letter="<a\r\nBounced: b>", subject="one\r\n two\nBounced: three", count=1)
@example(letter="<\u00e9@example.com>", subject="Al\u00efce \U0001f600", count=1)
@example(letter="\udcff", subject="\udcff \0", count=1)
@example(letter="x" * 1000, subject="x" * 1000, count=3)
@example(letter="x" * 1000, subject=f"{'x' * (LONGEST - 1)} y", count=3)
def test_whatever_a_letter_was_called_its_file_can_be_read(
    letter: str, subject: str, count: int
) -> None:
    noted = Bounce.of(NOON, "5.1.1", letter, subject)
    text = format_returned(Returned(ALICE, (noted,) * count))
    assert text.isascii()
    assert len(text.splitlines()) == 2 + count
    as_read = replace(noted, subject=noted.subject.rstrip())
    assert parse_returned(text) == Returned(ALICE, (as_read,) * count)


@settings(deadline=None)
@given(letter=headers, subject=headers)
def test_what_is_kept_of_a_letter_stands_in_one_line_of_a_bounded_length(
    letter: str, subject: str
) -> None:
    noted = Bounce.of(NOON, "5.1.1", letter * 50, subject * 50)
    assert 1 <= len(noted.letter) <= LONGEST
    assert len(noted.subject) <= LONGEST


def test_a_code_that_may_still_come_back_is_not_kept() -> None:
    assert bounce(subject="verify\n abcdefghijklmn27").subject == "verify"


def test_a_folded_subject_is_one_line_with_single_spaces() -> None:
    assert bounce(subject=" oust 17 #6:\r\n\tyour  turn ").subject == "oust 17 #6: your turn"


@settings(deadline=None)
@given(st.text("abc \n:<>@.0123456789TZ-", max_size=80))
@example("")
@example("\n\n")
def test_a_file_that_is_something_else_is_never_read_as_bounces(text: str) -> None:
    with pytest.raises(ValueError, match=r"^line 1: "):
        parse_returned(text)


# Damage

DAMAGE = {
    b"": "line 1",
    b"pbm_oust bounces 2\nAddress: alice@example.org\n": "line 1",
    b"pbm_oust bounces 1\n": "no line 'Address'",
    b"pbm_oust bounces 1\nAddress: alice\n": "line 2",
    b"pbm_oust bounces 1\nAddress: alice@example.org\nBounced: 5.1.1 <1@example.com>\n": "line 3",
    b"pbm_oust bounces 1\nAddress: alice@example.org\nBounced: 2026-11-20T12:00:00Z\n": "line 3",
    b"pbm_oust bounces 1\nAddress: alice@example.org\nRemark: none\n": "line 3",
    b"pbm_oust bounces 1\nAddress: alice@example.org\n\n": "line 3",
    b"pbm_oust bounces 1\nAddress: \xff\xfe@example.org\n": "utf-8",
}


@pytest.mark.parametrize("data", DAMAGE)
def test_a_damaged_file_tells_nothing_of_its_address(bounces: Bounces, data: bytes) -> None:
    note(bounces, ALICE, 3)
    only_file(bounces).write_bytes(data)
    assert bounces.of(ALICE) == Returned(ALICE, ())


@pytest.mark.parametrize(("data", "reason"), DAMAGE.items())
def test_a_damaged_file_is_named_with_what_is_wrong(
    bounces: Bounces, data: bytes, reason: str
) -> None:
    note(bounces, ALICE, 1)
    path = only_file(bounces)
    note(bounces, BOB, 1)
    path.write_bytes(data)
    with pytest.raises(BadBounces, match=reason) as raised:
        bounces.all()
    assert str(raised.value).startswith(f"{path}: ")


def test_a_damaged_file_does_not_hinder_the_next_letter_that_comes_back(bounces: Bounces) -> None:
    note(bounces, ALICE, 2)
    only_file(bounces).write_bytes(b"damaged")
    assert bounces.note(ALICE, bounce()) == Returned(ALICE, (bounce(),))
    assert bounces.all() == [Returned(ALICE, (bounce(),))]


def test_a_damaged_file_can_be_forgotten(bounces: Bounces) -> None:
    note(bounces, ALICE, 1)
    only_file(bounces).write_bytes(b"damaged")
    bounces.forget(ALICE)
    assert files(bounces.path) == []


def test_a_bounce_that_does_not_fit_on_the_disk_leaves_those_before(home: Home) -> None:
    home.note_bounce(ALICE, bounce())
    script = """
import resource
from dataclasses import replace
resource.setrlimit(resource.RLIMIT_FSIZE, (150, 150))
(known,) = home.ask(bounces_of, "alice@example.org").bounces
try:
    home.note_bounce("alice@example.org", replace(known, letter="<other@example.com>"))
except OSError as error:
    print(error.strerror)
"""
    assert run_at_once(home, script) == ["File too large\n"]
    assert home.ask(all_bounces) == [Returned(ALICE, (bounce(),))]
    assert len(files(home.bounces.path)) == 1


# Several at once


def test_processes_that_note_at_once_lose_nothing(home: Home) -> None:
    script = """
import os
from datetime import UTC, datetime
from pbm_oust.accounts.returned import Bounce
at = datetime(2026, 11, 20, 12, tzinfo=UTC)
for number in range(2):
    for letter in (f"<{number}@example.com>", f"<{number}.{os.getpid()}@example.com>"):
        home.note_bounce("alice@example.org", Bounce.of(at, "5.1.1", letter, "help"))
"""
    run_at_once(home, *[script] * 4)
    letters = [each.letter for each in home.ask(bounces_of, ALICE).bounces]
    assert len(letters) == len(set(letters)) == 2 + 4 * 2 == MOST_KEPT
