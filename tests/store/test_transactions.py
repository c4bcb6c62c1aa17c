"""A transaction: what it writes, and the letters about that, stand or fall together."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from pbm_oust.accounts.account import Account
from pbm_oust.store.accounts import find_account, write_account
from pbm_oust.store.database import Task, Transaction
from pbm_oust.store.disk import locked_folder
from pbm_oust.store.home import Home
from pbm_oust.store.letters import (
    Draft,
    Letter,
    LetterState,
    add_letters,
    all_letters,
    remove_letters,
)
from pbm_oust.store.message_keys import KeyOutcome, note_key, outcome_of
from tests.store.kept import write_all
from tests.store.posting import head
from tests.support.accounts import account_of, make_account
from tests.support.outbox import add, letters
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


class Taken(Exception):
    """A mail program has taken a letter that was to be withheld."""


def withhold(transaction: Transaction, home: Home, *withheld: Letter) -> None:
    """Keep letters from being opened. Raises Taken."""
    if not home.withhold(transaction, [each.file for each in withheld]):
        raise Taken


def settle(transaction: Transaction, key: str = KEY) -> None:
    assert note_key(transaction, key, KeyOutcome.DONE, NOON)


def is_settled(home: Home, key: str = KEY) -> bool:
    return home.ask(outcome_of, key) is not None


def with_address(account: Account, address: str) -> Account:
    return replace(account, addresses=(*account.addresses, address))


def post(home: Home, *texts: str, key: str = "") -> None:
    """Post letters together with the settling of a key."""

    def deed(transaction: Transaction) -> None:
        add(transaction, home, *map(draft, texts))
        if key:
            settle(transaction, key)

    home.database.write(deed)


def settle_and_fail(transaction: Transaction, home: Home, error: BaseException) -> None:
    add(transaction, home, draft("one"))
    settle(transaction)
    raise error


def remove(home: Home, *removed: Letter) -> None:
    def deed(transaction: Transaction) -> None:
        withhold(transaction, home, *removed)
        remove_letters(transaction, [each.id for each in removed])
        settle(transaction)

    home.database.write(deed)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_nothing_is_there_when_the_body_fails(error: type[BaseException], home: Home) -> None:
    with pytest.raises(error):
        home.database.write(lambda transaction: settle_and_fail(transaction, home, error()))
    assert not is_settled(home)
    assert texts(home) == []
    home.database.write(settle)
    assert is_settled(home)


def test_what_was_undone_of_an_account_is_not_remembered(home: Home) -> None:
    alice = with_address(account_of(home, "alice"), "one@example.org")

    def deed(transaction: Transaction) -> None:
        write_account(transaction, alice)
        assert find_account(transaction, "alice") == alice
        raise ValueError("undone")

    with pytest.raises(ValueError, match="undone"):
        home.database.write(deed)
    assert len(account_of(home, "alice").addresses) == 1
    home.do(write_account, with_address(account_of(home, "alice"), "two@example.org"))
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
            withhold(transaction, home, letter)
            remove_letters(transaction, [letter.id])

        return work

    first, second = home.ask(all_letters, LetterState.FILE)
    one, other = write_all(home.database, removing(first), removing(second))
    one.result()
    with pytest.raises(Taken):
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
        withhold(transaction, home, first)
        remove_letters(transaction, [first.id])

    def is_held() -> bool:
        with locked_folder(home.outbox.path / "tmp", waits=False) as is_free:
            return not is_free

    two = Draft(head(), b"two\n", NOON)
    home.database.write(lambda each: add_letters(each, [two], LetterState.FILE))
    home.do(lambda each: each.run("UPDATE letters SET file = NULL WHERE id <> ?", first.id))
    with ThreadPoolExecutor(2) as pool:
        taking_back = pool.submit(home.database.write, removing)
        assert has_turn.wait(PATIENCE)
        writing_out = pool.submit(home.outbox.write_out)
        with pytest.raises(Taken):
            taking_back.result(PATIENCE)
        assert writing_out.result(PATIENCE) == 1


def test_who_writes_letters_out_does_not_wait_for_who_leads_and_has_letters_too(
    home: Home,
) -> None:
    """Whoever leads waits for the Maildir, and whoever has that for what it writes."""
    post(home, "one")
    home.do(lambda each: each.run("UPDATE letters SET file = NULL"))
    is_leading = threading.Event()

    def lead(transaction: Transaction) -> None:
        is_leading.set()
        wait_until(lambda: home.database._waiting, "somebody who writes letters out")
        add(transaction, home, draft("two"))

    with ThreadPoolExecutor(2) as pool:
        leading = pool.submit(home.database.write, lead)
        assert is_leading.wait(PATIENCE)
        writing_out = pool.submit(home.outbox.write_out)
        leading.result(PATIENCE)
        assert writing_out.result(PATIENCE) == 1
    assert texts(home) == ["one", "two"]
    assert len(list((home.outbox.path / "new").iterdir())) == 2


def test_who_writes_letters_out_leaves_to_others_what_follows_from_their_works(
    home: Home,
) -> None:
    """Whoever leads them has the Maildir, which they need."""
    post(home, "one")
    home.do(lambda each: each.run("UPDATE letters SET file = NULL"))
    tasks = [Task(lambda transaction: add(transaction, home, draft("two")))]
    home.database.enqueue(tasks)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(home.outbox.write_out).result(PATIENCE) == 1
    assert not tasks[0].done()
    home.database.finish(tasks)
    assert texts(home) == ["one", "two"]
    assert len(list((home.outbox.path / "new").iterdir())) == 2


def test_a_letter_is_put_back_if_removing_it_is_broken_off(home: Home) -> None:
    post(home, "one")
    (letter,) = home.ask(all_letters, LetterState.FILE)

    def removing(transaction: Transaction) -> None:
        withhold(transaction, home, letter)
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
    with pytest.raises(Taken):
        remove(home, first, second)
    assert not is_settled(home)
    assert (home.outbox.path / "new" / first.file).exists()
