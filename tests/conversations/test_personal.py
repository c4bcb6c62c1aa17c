"""Commands of players for themselves, sent by mail."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from pbm_oust.accounts.account import MOST_BROADCASTS, Account
from pbm_oust.accounts.document import account_lines
from pbm_oust.accounts.queue import Clause, Plan
from pbm_oust.board import Deed, Place
from pbm_oust.commands.leave import LARGEST_PART
from pbm_oust.commands.play import Move
from pbm_oust.commands.settings import Reject
from pbm_oust.mail.inbound import KeptBySender
from pbm_oust.service.table import parse_line
from pbm_oust.store.verifications import find_verification
from tests.speed.long import long_history
from tests.support import tables
from tests.support.accounts import (
    account_of,
    all_codes,
    change_account,
    damage_account,
    make_account,
)
from tests.support.histories import board_numbers, history_text, lay_histories
from tests.support.home_by_mail import ALICE, BOB, CAROL, Talk
from tests.support.outbox import letters

tabled = tables.tabled(__file__)


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk.begin(tmp_path / "home", ALICE, BOB, CAROL)


def account(talk: Talk, userid: str) -> Account:
    return account_of(talk.home, userid)


def disable(talk: Talk, userid: str) -> None:
    change_account(talk.home, userid, lambda account: account.with_disabled(talk.now))


# The grammar


def test_reject_is_a_deed_on_a_board_and_a_command_of_its_own() -> None:
    _, deed = parse_line("oust move 17 alice wonderland reject")
    assert isinstance(deed, Move)
    assert deed.wish is Deed.REJECT
    _, general = parse_line("reject alice wonderland bob")
    assert isinstance(general, Reject)
    assert general.userids == ("bob",)


@tabled("line", "correction")
def test_what_is_misspelt_is_answered_with_a_line_that_is_right(
    line: str, correction: str, talk: Talk
) -> None:
    talk.send(ALICE, line)
    assert f"\n  {correction}\n" in talk.text_to(ALICE)
    assert talk.outcome.startswith("refused")


@pytest.mark.parametrize("zone", ["europe/paris", "EUROPE/PARIS", "Europe/Paris"])
def test_a_zone_is_found_whatever_its_capitals(zone: str, talk: Talk) -> None:
    talk.send(ALICE, f"settings alice wonderland zone {zone}")
    assert str(account(talk, "alice").all_settings.zone) == "Europe/Paris"


# Limits, rejected players, closed accounts


def test_a_closed_account_takes_no_command_and_tells_so_only_with_the_password(talk: Talk) -> None:
    disable(talk, "bob")
    talk.send(BOB, "settings bob lookingglass")
    assert "closed the account of bob" in talk.text_to(BOB)
    talk.send(BOB, "settings bob wrongpassword")
    assert "closed" not in talk.text_to(BOB)


@pytest.mark.parametrize("sender", [ALICE, BOB])
def test_a_closed_account_is_on_no_new_board(sender: str, talk: Talk) -> None:
    disable(talk, "bob")
    assert talk.send(sender, "oust challenge alice bob") == [f"{sender}: not done"]
    assert board_numbers(talk.home) == []


def test_a_closed_account_gets_no_mail_and_the_other_player_is_told(talk: Talk) -> None:
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    disable(talk, "bob")
    assert len(talk.send(ALICE, "oust move 1 alice wonderland C3")) == 1
    text = talk.text_to(ALICE)
    assert "The account of bob is closed" in text
    assert "coming back" not in text
    assert talk.send(ALICE, "message alice wonderland bob", "Hello") == [f"{ALICE}: not sent"]


# Broadcasts


def test_a_broadcast_goes_to_all_who_want_it_and_can_be_reached(talk: Talk) -> None:
    talk.send(BOB, "settings bob lookingglass broadcasts off")
    sent = talk.send(ALICE, "broadcast alice wonderland", "Hello")
    assert sent == [f"{ALICE}: sent to everybody", f"{CAROL}: alice writes to everybody"]
    disable(talk, "carol")
    talk.send(ALICE, "broadcast alice wonderland", "Hello again")
    assert [letter.to for letter in talk.letters] == [ALICE]


def test_nobody_reads_the_answers_to_broadcasts_alone(talk: Talk) -> None:
    talk.send(ALICE, "oust challenge alice bob wonderland")
    addresses = [str(letter["Reply-To"]) for letter in talk.letters]
    assert [address.rpartition(".")[0] for address in addresses] == [
        f"pbmserv+oust.1.1.alice.{addresses[0].rpartition('@')[0][-16:]}@example",
        f"pbmserv+oust.1.1.bob.{addresses[1].rpartition('@')[0][-16:]}@example",
    ]


def test_a_broadcast_that_comes_again_goes_out_once_and_counts_once(talk: Talk) -> None:
    for number in range(1, MOST_BROADCASTS + 1):
        assert len(talk.send(ALICE, "broadcast alice wonderland", "Hello", number=number)) == 3
        again = talk.send(ALICE, "broadcast alice wonderland", "Hello", number=number)
        assert again == [f"{ALICE}: already sent to everybody"]
    assert talk.send(ALICE, "broadcast alice wonderland", "Hello") == [f"{ALICE}: not done"]


def test_a_damaged_account_holds_up_no_broadcast(talk: Talk) -> None:
    damage_account(talk.home, "bob")
    assert len(talk.send(ALICE, "broadcast alice wonderland", "Hello")) == 2


# Export and forget


def test_an_export_has_every_line_of_the_account_but_the_password(talk: Talk) -> None:
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    talk.send(ALICE, "limit alice wonderland 7")
    talk.send(ALICE, "oust note 1 alice wonderland", "Corners, always corners")
    kept = account_lines(account(talk, "alice"))
    talk.send(BOB, "help")
    talk.send(ALICE, "export alice wonderland")
    text, later = (each.text for each in talk.letters if "part " in each.subject)
    for line in kept:
        assert (f"  {line}\n" in text) is not line.startswith("Note: ")
    assert "scrypt" not in text
    assert "Your note about board oust 1:\n\n  Corners, always corners\n" in later


def test_an_export_has_what_waits_for_a_confirmation(talk: Talk) -> None:
    talk.send(CAROL, f"signup alice rabbithole {CAROL}")
    talk.send(ALICE, "add alice wonderland alice@work.example")
    talk.send(ALICE, "oust challenge alice bob -size=5")
    talk.send(ALICE, "export alice wonderland")
    text = next(each.text for each in talk.letters if each.subject == "export of alice")
    assert "You have asked for this and not confirmed it." in text
    assert " add alice@work.example\n" in text
    assert f" challenge {ALICE} oust challenge alice bob\n  -size=5\n" in text
    assert CAROL not in text


def test_a_large_export_comes_in_several_letters_that_are_told_apart(talk: Talk) -> None:
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    remarks = f"# {'x' * 70}\n" * (LARGEST_PART // 100)
    long = history_text(talk.home) + remarks
    lay_histories(
        talk.home, {board: long.replace("Board: 1", f"Board: {board}") for board in (2, 3)}
    )
    talk.send(ALICE, "export alice wonderland")
    parts = talk.letters[1:]
    assert len({str(each["Message-ID"]) for each in parts}) == len(parts) == 3
    text = "".join(each.text for each in parts)
    for board in (1, 2, 3):
        assert f"The history of board oust {board}:" in text


def test_a_history_that_fits_in_no_letter_goes_on_in_the_next_one(talk: Talk) -> None:
    lay_histories(talk.home, {1: long_history(2_000)}, "churn")
    talk.send(ALICE, "export alice wonderland")
    parts = talk.letters[1:]
    assert len(parts) == 4
    assert all(len(each.data) < 90 * 1024 for each in parts)
    assert "The history of board churn 1:" in parts[1].text
    assert all("More of the history of board churn 1:" in each.text for each in parts[2:])
    lines = "".join(each.text for each in parts).splitlines()
    history = [line for line in history_text(talk.home, kind="churn").splitlines() if line]
    assert [line for line in lines if line.removeprefix("  ") in history] == [
        f"  {line}" for line in history
    ]


def test_every_line_of_an_export_fits_into_a_mail(talk: Talk) -> None:
    long = Plan.of("oust", 1, 1, "0" * 16, Clause(Place(("A1",) * 2000)))
    change_account(talk.home, "alice", lambda account: replace(account, queue=(long,)))
    talk.send(ALICE, "export alice wonderland")
    lines = (line for letter in letters(talk.home) for line in letter.data.split(b"\n"))
    assert max(map(len, lines)) < 990


def test_a_mail_to_forget_somebody_who_is_back_does_not_send_him_away_again(talk: Talk) -> None:
    talk.send(ALICE, "forget alice wonderland really", number=2)
    make_account(talk.home, "alice", "wonderland", ALICE)
    assert talk.send(ALICE, "forget alice wonderland really", number=2) == [
        f"{ALICE}: goodbye, alice"
    ]
    assert talk.home.account("alice")


def test_codes_of_somebody_who_is_forgotten_are_forgotten_with_him(talk: Talk) -> None:
    talk.send(ALICE, "add alice wonderland alice@home.example")
    talk.send(BOB, "add bob lookingglass bob@home.example")
    talk.send(ALICE, "forget alice wonderland really")
    assert not talk.home.account("alice")
    codes = talk.home.ask(all_codes)
    pending = [talk.home.ask(find_verification, code, talk.now) for code in codes]
    assert [each.userid for each in pending if each] == ["bob"]


def test_nobody_is_forgotten_by_halves_where_a_board_is_damaged(talk: Talk) -> None:
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    talk.send(ALICE, "churn challenge alice bob wonderland")
    sound = history_text(talk.home, 1, "churn")
    lay_histories(talk.home, {1: sound.replace("hex 3", "round")}, "churn")
    before = account(talk, "alice"), history_text(talk.home)
    with pytest.raises(KeptBySender):
        talk.send(ALICE, "forget alice wonderland really", number=3)
    assert (account(talk, "alice"), history_text(talk.home)) == before
    lay_histories(talk.home, {1: sound}, "churn")
    talk.send(ALICE, "forget alice wonderland really", number=3)
    assert not talk.home.account("alice")


def test_an_address_that_somebody_else_has_too_keeps_its_letters(talk: Talk) -> None:
    make_account(talk.home, "alicia", "wonderland2", ALICE)
    before = {letter.name for letter in letters(talk.home)}
    talk.send(ALICE, "forget alice wonderland really")
    assert before <= {letter.name for letter in letters(talk.home)}
