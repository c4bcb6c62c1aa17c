"""A transaction: what it writes, and the letters about that, stand or fall together."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from pbm_oust.accounts.account import Account
from pbm_oust.store.database import Transaction
from pbm_oust.store.disk import locked_folder
from pbm_oust.store.faults import Stale
from pbm_oust.store.home import Home
from pbm_oust.store.letters import (
    Draft,
    Letter,
    LetterState,
    add_letter,
    all_letters,
    remove_letters,
)
from pbm_oust.store.message_keys import KeyOutcome, outcome_of, settle_key
from tests.store.posting import head
from tests.support.accounts import account_of, make_account
from tests.support.outbox import letters
from tests.support.waiting import PATIENCE, wait_until

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


def within(home: Home, deed: Callable[[], None]) -> None:
    """Do something within a transaction."""
    home.database.write(lambda _: deed())


def post(home: Home, *texts: str, key: str = "") -> None:
    """Post letters together with the settling of a key."""

    def deed() -> None:
        with home.posting(draft(text) for text in texts):
            if key:
                settle(home, key)

    within(home, deed)


def settle_and_fail(home: Home, error: BaseException) -> None:
    with home.posting([draft("one")]):
        settle(home)
        raise error


def remove(home: Home, *removed: Letter) -> None:
    def deed() -> None:
        home.withhold(each.file for each in removed)
        home.do(remove_letters, [each.id for each in removed])
        settle(home)

    within(home, deed)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_nothing_is_there_when_the_body_fails(error: type[BaseException], home: Home) -> None:
    with pytest.raises(error):
        within(home, lambda: settle_and_fail(home, error()))
    assert not is_settled(home)
    assert texts(home) == []
    settle(home)
    assert is_settled(home)


def test_what_was_undone_of_an_account_is_not_remembered(home: Home) -> None:
    def deed() -> None:
        home.save(with_address(account_of(home, "alice"), "one@example.org"))
        assert len(account_of(home, "alice").addresses) == 2
        raise ValueError("undone")

    with pytest.raises(ValueError, match="undone"):
        within(home, deed)
    assert len(account_of(home, "alice").addresses) == 1
    home.save(with_address(account_of(home, "alice"), "two@example.org"))
    assert account_of(home, "alice").addresses[1:] == ("two@example.org",)


def test_a_letter_that_is_removed_goes_with_its_file(home: Home) -> None:
    post(home, "one", "two")
    first, second = home.ask(all_letters, LetterState.FILE)
    remove(home, first)
    assert [path.name for path in (home.outbox.path / "new").iterdir()] == [second.file]
    assert list((home.outbox.path / "tmp").iterdir()) == []


def test_of_two_that_remove_letters_in_one_transaction_one_comes_later(home: Home) -> None:
    post(home, "one", "two")

    def removing(letter: Letter) -> Callable[[Transaction], None]:
        def work(transaction: Transaction) -> None:
            home.withhold([letter.file])
            remove_letters(transaction, [letter.id])

        return work

    first, second = home.ask(all_letters, LetterState.FILE)
    one, other = home.database.write_all([removing(first), removing(second)])
    one.result()
    with pytest.raises(Stale):
        other.result()
    home.database.write(removing(second))
    assert texts(home) == []


def test_who_takes_a_letter_back_does_not_wait_for_who_waits_for_its_turn(home: Home) -> None:
    """Whoever writes letters out has the Maildir, and waits until the command has written."""
    post(home, "one")
    (first,) = home.ask(all_letters, LetterState.FILE)
    has_turn = threading.Event()

    def removing(transaction: Transaction) -> None:
        has_turn.set()
        wait_until(is_held, "somebody who writes letters out")
        home.withhold([first.file])
        remove_letters(transaction, [first.id])

    def is_held() -> bool:
        with locked_folder(home.outbox.path / "tmp", waits=False) as is_free:
            return not is_free

    home.database.write(lambda each: add_letter(each, head(), b"two\n", NOON, LetterState.FILE))
    home.do(lambda each: each.run("UPDATE letters SET file = NULL WHERE id <> ?", first.id))
    with ThreadPoolExecutor(2) as pool:
        taking_back = pool.submit(home.database.write, removing)
        assert has_turn.wait(PATIENCE)
        writing_out = pool.submit(home.outbox.write_out)
        with pytest.raises(Stale):
            taking_back.result(PATIENCE)
        assert writing_out.result(PATIENCE) == 1


def test_a_letter_is_put_back_if_removing_it_is_broken_off(home: Home) -> None:
    post(home, "one")
    (letter,) = home.ask(all_letters, LetterState.FILE)

    def removing(transaction: Transaction) -> None:
        home.withhold([letter.file])
        remove_letters(transaction, [letter.id])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        home.database.write(removing)
    assert texts(home) == ["one"]
    assert (home.outbox.path / "new" / letter.file).exists()


def test_a_letter_that_somebody_has_opened_is_not_removed(home: Home) -> None:
    post(home, "one", "two")
    first, second = home.ask(all_letters, LetterState.FILE)
    (home.outbox.path / "new" / second.file).rename(home.outbox.path / "cur" / second.file)
    with pytest.raises(Stale):
        remove(home, first, second)
    assert not is_settled(home)
    assert (home.outbox.path / "new" / first.file).exists()
