"""Commands of players for themselves, sent by mail."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.queue import Clause, Plan
from pbm_oust.board import Place
from pbm_oust.commands.leave import LARGEST_PART
from pbm_oust.mail.inbound import KeptBySender
from pbm_oust.store.accounts import whole_account
from tests.speed.long import long_history
from tests.support.accounts import account_of, change_account, make_account
from tests.support.histories import history_text, lay_histories
from tests.support.home_by_mail import ALICE, BOB, CAROL, Talk
from tests.support.outbox import letters


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk.begin(tmp_path / "home", ALICE, BOB, CAROL)


def account(talk: Talk, userid: str) -> Account:
    return account_of(talk.home, userid)


# The grammar


# Broadcasts


# Export and forget


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
    long = Plan.of("oust", 1, 1, "0" * 16, Clause((Place(("A1",) * 2000),)))
    change_account(talk.home, "alice", lambda account: replace(account, queue=(long,)))
    talk.send(ALICE, "export alice wonderland")
    lines = (line for letter in letters(talk.home) for line in letter.data.split(b"\n"))
    assert max(map(len, lines)) < 990


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
    assert not talk.home.ask(whole_account, "alice")


def test_an_address_that_somebody_else_has_too_keeps_its_letters(talk: Talk) -> None:
    make_account(talk.home, "alicia", "wonderland2", ALICE)
    before = {letter.name for letter in letters(talk.home)}
    talk.send(ALICE, "forget alice wonderland really")
    assert before <= {letter.name for letter in letters(talk.home)}
