"""Moves that are taken back without asking, as long as no mail about them has left."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from pbm_oust.accounts.bounces import Bounce
from pbm_oust.mail.flush import Relaying
from pbm_oust.mail.inbound import open_inbound
from pbm_oust.store.home import Home
from pbm_oust.store.letters import Draft, Head
from pbm_oust.store.verifications import note_bounce
from tests.support.accounts import change_account
from tests.support.disturbed import FAULTS, disturbed
from tests.support.histories import moves_of
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, copy_of, home_of, mailed
from tests.support.outbox import clear_outbox, letters, post
from tests.support.rings import first_is_fast
from tests.support.sink import listening_sink
from tests.support.trouble import Fault
from tests.support.waiting import PATIENCE

BOBS_DESK = "work@example.org"
UNDO = "oust move 1 alice wonderland undo"


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Return a home with a board on which bob is to move; all letters have left."""
    home = home_of(tmp_path_factory.mktemp("begun"), ALICE, BOB)
    at_both = (BOB, BOBS_DESK)
    change_account(home, "bob", lambda account: replace(account, addresses=at_both))
    mailed(home, ALICE, "oust challenge bob alice wonderland -size=5 -noswap")
    mailed(home, BOB, "oust move 1 bob lookingglass A1")
    clear_outbox(home)
    mailed(home, ALICE, "oust move 1 alice wonderland C3")
    return home


@pytest.fixture
def home(begun: Home, tmp_path: Path) -> Home:
    return copy_of(begun, tmp_path / "home")


def letters_to(home: Home, *addresses: str) -> list[str]:
    """Return the Subjects of the letters in the outbox to some addresses."""
    return [letter.subject for letter in letters(home) if letter.to in addresses]


@pytest.mark.parametrize("nth", [0, 1])
def test_who_was_mailed_at_one_of_his_addresses_is_asked(nth: int, home: Home) -> None:
    bobs = [each for each in letters(home) if each.to in (BOB, BOBS_DESK)]
    home.outbox.remove(bobs[nth].name)
    mailed(home, ALICE, UNDO)
    assert moves_of(home)[-1] == "o undo"
    assert "oust 1 #4: alice asks to take a move back" in letters_to(home, BOB)


def test_who_opened_the_letter_in_the_outbox_is_asked(home: Home) -> None:
    bobs = next(each for each in letters(home) if each.to == BOB)
    path = home.outbox.path
    (path / "new" / bobs.name).rename(path / "cur" / f"{bobs.name}:2,S")
    mailed(home, ALICE, UNDO)
    assert moves_of(home)[-1] == "o undo"


@pytest.mark.parametrize(("kind", "expected"), [("digest", "o undo"), ("talk", "o retract")])
def test_another_letter_since_is_a_doubt_unless_it_shows_no_board(
    kind: str, expected: str, home: Home
) -> None:
    head = Head(BOB, "<1@example.com>", "Your boards", may_show_any_board=kind == "digest")
    post(home, Draft(head, f"To: {BOB}\n\nYour boards\n".encode(), NOON))
    mailed(home, ALICE, UNDO)
    assert moves_of(home)[-1] == expected


@pytest.mark.parametrize(("bounced", "expected"), [(-1, "o retract"), (1, "o undo")])
def test_who_was_out_of_reach_since_before_the_move_need_not_be_asked(
    bounced: int, expected: str, begun: Home, tmp_path: Path
) -> None:
    home = copy_of(begun, tmp_path / "home")
    clear_outbox(home)
    at = NOON + timedelta(hours=bounced)
    for address in (BOB, BOBS_DESK):
        for days in (2, 1, 0):
            lost = Bounce(at - timedelta(days=days), "5.1.1", f"<{days}@example.com>", "-")
            home.do(note_bounce, address, lost)
    mailed(home, ALICE, UNDO, at=NOON + timedelta(hours=2))
    assert moves_of(home)[-1] == expected


# The relay


@contextmanager
def slow_relay(home: Home) -> Iterator[None]:
    """Run a relay that has been given bob's letter and says nothing, for the body of the `with`."""
    with listening_sink() as (sink, endpoint):
        relaying = Relaying(home, endpoint, ADDRESS, lambda: NOON.timestamp())

        def flush() -> None:
            with suppress(OSError):
                relaying.flush()

        thread = threading.Thread(target=flush)
        thread.start()
        assert sink.hanging.wait(PATIENCE)
        yield
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_while_the_relay_has_the_letters_the_other_player_is_asked(
    begun: Home, tmp_path: Path
) -> None:
    home = copy_of(begun, tmp_path / "home")
    hanging = ("hang@example.org", BOBS_DESK)
    change_account(home, "bob", lambda account: replace(account, addresses=hanging))
    clear_outbox(home)
    mailed(home, BOBS_DESK, "oust move 1 bob lookingglass E5")
    clear_outbox(home)
    mailed(home, ALICE, "oust move 1 alice wonderland A3")
    with slow_relay(home):
        mailed(home, ALICE, UNDO)
        assert moves_of(home)[-1] == "o undo"


def test_a_relay_that_is_down_leaves_the_move_to_be_taken_back(home: Home) -> None:
    with listening_sink() as (_, endpoint):
        pass
    with pytest.raises(ConnectionRefusedError):
        Relaying(home, endpoint, ADDRESS, lambda: NOON.timestamp()).flush()
    mailed(home, ALICE, UNDO)
    assert moves_of(home)[-1] == "o retract"


# Disks that fail


@pytest.mark.parametrize("fault", first_is_fast(FAULTS))
def test_whatever_the_disk_does_the_letters_fit_what_is_written(
    fault: Fault, begun: Home, tmp_path: Path
) -> None:
    endings = set()

    def take_back(tried: Home) -> None:
        mailed(tried, ALICE, UNDO, number=5)

    begun.database.close()
    for at, path in disturbed(begun.path, tmp_path, fault, take_back):
        home = Home(path)
        open_inbound(home, ADDRESS, lambda: NOON)  # it writes the letters
        home.recover()
        is_done = moves_of(home)[-1] == "o retract"
        found = set(letters_to(home, BOB, BOBS_DESK))
        move, retract = "oust 1 #3: your turn, bob", "oust 1 #4: alice to move"
        fitting: list[set[str]] = [set(), {retract}, {move, retract}] if is_done else [{move}]
        assert found in fitting, (at, found)
        endings.add(is_done)
        mailed(home, ALICE, UNDO, number=5)
        assert moves_of(home).count("o retract") == 1
    assert endings == {True, False}
    assert at > 5


def test_a_letter_that_says_how_many_there_are_says_it_rightly(home: Home) -> None:
    letter = next(letter for letter in letters(home) if letter.to == BOB)
    assert letter["X-Pbm-Oust-Copies"] == "2"
