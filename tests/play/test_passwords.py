"""Passwords that were looked at lately are known without scrypt, and for a while."""

import pytest

from pbm_oust.accounts.password import Match, Secret, hash_password
from pbm_oust.play.passwords import OTHER_SECONDS, RIGHT_SECONDS, NotDerived, Passwords
from tests.support.passwords import match
from tests.support.steps import work_of

STORED = hash_password(Secret("wonderland"), bytes(16))
NEXT = hash_password(Secret("looking-glass"), bytes(range(16)))


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def scrypts(known: Passwords, password: str, stored: str = STORED) -> int:
    return work_of(lambda: match(password, stored, known)).scrypts


@pytest.mark.parametrize("password", ["wonderland", "Wonderland", "guess"])
def test_a_password_is_hashed_once(password: str) -> None:
    known = Passwords()
    assert [scrypts(known, password) for _ in range(3)] == [1, 0, 0]


def test_what_was_found_stays_the_same() -> None:
    known = Passwords()
    for _ in range(2):
        assert match("wonderland", STORED, known) is Match.RIGHT
        assert match("Wonderland", STORED, known) is Match.OTHER_CASE
        assert match("guess", STORED, known) is Match.WRONG


def test_the_next_password_ends_the_one_before() -> None:
    known = Passwords()
    match("wonderland", STORED, known)
    assert match("wonderland", NEXT, known) is Match.WRONG
    assert match("looking-glass", NEXT, known) is Match.RIGHT


def test_a_right_password_is_known_for_a_while_after_its_last_use() -> None:
    clock = Clock()
    known = Passwords(clock=clock)
    match("wonderland", STORED, known)
    for _ in range(3):
        clock.now += RIGHT_SECONDS - 1
        assert scrypts(known, "wonderland") == 0
    clock.now += RIGHT_SECONDS + 1
    assert scrypts(known, "wonderland") == 1


def test_a_wrong_password_is_known_for_a_moment() -> None:
    clock = Clock()
    known = Passwords(clock=clock)
    match("guess", STORED, known)
    clock.now += OTHER_SECONDS + 1
    assert scrypts(known, "guess") == 1


def test_guesses_drive_no_right_password_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbm_oust.play.passwords.MOST_OTHERS", 2)
    known = Passwords()
    match("wonderland", STORED, known)
    for guess in range(4):
        match(f"guess{guess}", STORED, known)
    assert scrypts(known, "wonderland") == 0
    assert scrypts(known, "guess0") == 1


def test_the_number_of_right_passwords_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbm_oust.play.passwords.MOST_RIGHT", 1)
    monkeypatch.setattr("pbm_oust.play.passwords.MOST_OTHERS", 1)
    known = Passwords()
    match("wonderland", STORED, known)
    match("looking-glass", NEXT, known)
    assert scrypts(known, "looking-glass", NEXT) == 0
    assert scrypts(known, "wonderland") == 1


def test_whoever_asks_is_told_what_to_derive() -> None:
    known = Passwords()
    with pytest.raises(NotDerived) as needed:
        known.match(Secret("wonderland"), STORED)
    known.derive(needed.value.needed)
    assert known.match(Secret("wonderland"), STORED) is Match.RIGHT


def test_a_new_password_is_hashed_as_anywhere() -> None:
    known = Passwords()
    with pytest.raises(NotDerived) as needed:
        known.hash(Secret("Wonderland"), bytes(16))
    known.derive(needed.value.needed)
    stored = known.hash(Secret("Wonderland"), bytes(16))
    assert stored == hash_password(Secret("Wonderland"), bytes(16))


def test_nothing_that_is_printed_shows_a_password() -> None:
    known = Passwords()
    with pytest.raises(NotDerived) as needed:
        known.match(Secret("wonderland"), STORED)
    shown = f"{needed.value!r} {needed.value} {needed.value.needed!r} {known!r} {vars(known)!r}"
    assert "wonderland" not in shown
