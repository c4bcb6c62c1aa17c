"""A unit of work: what it writes, and the letters about that, stand or fall together."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbm_oust.accounts.account import Account
from pbm_oust.store.commits import Changed
from pbm_oust.store.home import Home
from pbm_oust.store.letters import Draft, Letter, State, all_letters, remove_letter
from pbm_oust.store.message_keys import KeyOutcome, outcome_of, settle_key
from tests.store.posting import head
from tests.support.accounts import account_of, make_account
from tests.support.outbox import letters

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
KEY, OTHER = "0123456789abcdef", "fedcba9876543210"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path)
    home.prepare()
    make_account(home, "alice", "wonderland", "alice@example.org")
    yield home
    home.database.close()


def draft(text: str) -> Draft:
    return Draft(head(), f"To: alice@example.org\n\n{text}\n".encode(), NOON)


def texts(home: Home) -> list[str]:
    return [letter.text.strip() for letter in letters(home)]


def settle(home: Home, key: str = KEY) -> None:
    home.do(settle_key, key, KeyOutcome.DONE, NOON)


def is_settled(home: Home, key: str = KEY) -> bool:
    return home.ask(outcome_of, key) is not None


def with_address(account: Account, address: str) -> Account:
    return replace(account, addresses=(*account.addresses, address))


def settle_and_fail(home: Home, error: BaseException) -> None:
    with home.posting([draft("one")]):
        settle(home)
        raise error


def remove_both(home: Home, *removed: Letter) -> None:
    with home.unit():
        home.withhold(each.file for each in removed)
        for each in removed:
            home.do(remove_letter, each.id)
        settle(home)


def test_letters_are_there_when_the_body_has_succeeded(home: Home) -> None:
    with home.posting([draft("one"), draft("two")]):
        settle(home)
        assert not is_settled(home)
        assert texts(home) == []
    assert is_settled(home)
    assert texts(home) == ["one", "two"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_nothing_is_there_when_the_body_fails(error: type[BaseException], home: Home) -> None:
    with pytest.raises(error):
        settle_and_fail(home, error())
    assert not is_settled(home)
    assert texts(home) == []
    settle(home)
    assert is_settled(home)


def test_what_a_part_writes_waits_for_the_whole(home: Home) -> None:
    with home.unit():
        with home.posting([draft("one")]):
            settle(home)
        with home.posting([draft("two")]):
            settle(home, OTHER)
        assert not is_settled(home)
    assert is_settled(home)
    assert is_settled(home, OTHER)
    assert texts(home) == ["one", "two"]


def test_a_part_that_fails_leaves_out_what_it_has_written(home: Home) -> None:
    with home.unit():
        settle(home, OTHER)
        with pytest.raises(ValueError, match="part"):
            settle_and_fail(home, ValueError("part"))
    assert is_settled(home, OTHER)
    assert not is_settled(home)
    assert texts(home) == []


def test_a_unit_within_another_is_committed_by_itself(home: Home) -> None:
    def fail_after_another() -> None:
        with home.unit():
            settle(home)
            with home.unit():
                settle(home, OTHER)
            raise ValueError("outer")

    with pytest.raises(ValueError, match="outer"):
        fail_after_another()
    assert is_settled(home, OTHER)
    assert not is_settled(home)


def test_an_account_that_is_written_twice_keeps_both_changes(home: Home) -> None:
    with home.unit():
        once = with_address(account_of(home, "alice"), "one@example.org")
        home.save(once)
        home.save(with_address(once, "two@example.org"))
    assert account_of(home, "alice").addresses[1:] == ("one@example.org", "two@example.org")


def test_a_unit_may_write_the_account_that_it_holds(home: Home) -> None:
    account = account_of(home, "alice")
    with home.unit():
        home.save(with_address(account, "one@example.org"))
        home.hold(account)
    assert len(account_of(home, "alice").addresses) == 2


@pytest.mark.parametrize("deed", [Home.hold, Home.save])
def test_an_account_that_others_have_changed_stops_the_unit(
    deed: Callable[[Home, Account], None], home: Home
) -> None:
    account = account_of(home, "alice")
    home.save(with_address(account, "one@example.org"))

    def settle_with_account() -> None:
        with home.posting([draft("one")]):
            settle(home)
            deed(home, account)

    with pytest.raises(Changed):
        settle_with_account()
    assert not is_settled(home)
    assert texts(home) == []


def test_letters_wait_where_there_is_a_relay_and_are_files_where_there_is_none(home: Home) -> None:
    with home.posting([draft("one")]):
        pass
    home.has_relay = True
    with home.posting([draft("two")]):
        pass
    assert len(home.ask(all_letters, State.FILE)) == 1
    assert len(home.ask(all_letters, State.WAITING)) == 1
    assert len(list((home.outbox.path / "new").iterdir())) == 1


def test_a_letter_that_is_removed_goes_with_its_file(home: Home) -> None:
    with home.posting([draft("one"), draft("two")]):
        pass
    first, second = home.ask(all_letters, State.FILE)
    with home.unit():
        home.withhold([first.file])
        home.do(remove_letter, first.id)
    assert [path.name for path in (home.outbox.path / "new").iterdir()] == [second.file]
    assert list((home.outbox.path / "tmp").iterdir()) == []


def test_a_letter_that_somebody_has_opened_stops_the_unit(home: Home) -> None:
    with home.posting([draft("one"), draft("two")]):
        pass
    first, second = home.ask(all_letters, State.FILE)
    (home.outbox.path / "new" / second.file).rename(home.outbox.path / "cur" / second.file)
    with pytest.raises(Changed):
        remove_both(home, first, second)
    assert not is_settled(home)
    assert (home.outbox.path / "new" / first.file).exists()
