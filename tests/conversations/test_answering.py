"""Answers by mail: what proves whose they are, who is told, and what never gets out."""

import logging
import re
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from pbm_oust.mail.inbound import Envelope
from pbm_oust.rules import KINDS
from pbm_oust.store.index import names_of
from tests.support import tables
from tests.support.accounts import account_of, change_account
from tests.support.histories import moves_of
from tests.support.home_by_mail import (
    ADDRESS,
    ALICE,
    AUTHSERV_ID,
    BOB,
    CAROL,
    Talk,
    new_id,
    taken,
)
from tests.support.mails import mail
from tests.support.outbox import letters
from tests.support.rings import examples
from tests.support.rows import everything_but_letters

tabled = tables.tabled(__file__)

MALLORY = "mallory@example.net"
TAGGED = "alice+tag@example.org"
TOKEN = re.compile(r"\.(?![0-9a-f]{16}@)[a-z2-7]{16}(?![a-z2-7])", re.IGNORECASE)
"""A token; sixteen hex digits at the end of a Message-ID are none."""
YOURS = "Re: oust 1 #1: your turn, alice"


def reply_to(address: str, talk: Talk) -> str:
    return str(talk.letter_to(address)["Reply-To"])


def moves(talk: Talk, board: int = 1) -> list[str]:
    return moves_of(talk.home, board)


# Whose it is


@tabled("part", "instead")
def test_a_wrong_token_is_none(part: str, instead: str, talk: Talk) -> None:
    right = reply_to(ALICE, talk)
    wrong = re.sub(part, instead, right, count=1)
    assert wrong != right
    talk.send(BOB, YOURS, "D4", to=wrong)
    assert talk.outcome == "refused: answer_to_board"
    assert len(talk.letters) == 1
    assert moves(talk) == []


@pytest.mark.parametrize(("found", "moved"), [("pass", ["x C3"]), ("fail", [])])
def test_an_answer_that_its_headers_alone_prove_counts_unless_its_from_is_forged(
    found: str, moved: list[str], talk: Talk
) -> None:
    results = f"Authentication-Results: {AUTHSERV_ID}; dmarc={found} header.from=example.org"
    answered = f"In-Reply-To: {talk.letter_to(ALICE)['Message-ID']}"
    data = mail(results, f"From: {ALICE}", f"Subject: {YOURS}", answered, new_id(), text="C3")
    talk.hand_in(data, ALICE, ADDRESS, is_ours=True)
    assert moves(talk) == moved


def test_a_program_that_may_end_letters_does_nothing_else_with_an_address_beside_that(
    talk: Talk,
) -> None:
    to = reply_to(ALICE, talk)
    talk.send(BOB, "broadcast bob lookingglass", "Hello all")
    ends = str(talk.letter_to(ALICE)["List-Unsubscribe"]).partition(":")[2].partition("?")[0]
    wrong = TOKEN.sub(".aaaaaaaaaaaaaaaa", ends)
    assert wrong != ends
    data = mail(f"From: {ALICE}", "Subject: C3", "Auto-Submitted: auto-replied", new_id())
    outcome, told = taken(talk.home, data, Envelope(ALICE, (wrong, to)))
    assert (outcome, told, moves(talk)) == ("silent: Auto-Submitted", [], [])


# An old letter


# Which letters can be answered


def test_watchers_and_strangers_get_nobodys_token(talk: Talk) -> None:
    talk.send(CAROL, "oust watch 1 carol rabbithole")
    talk.send(ALICE, "oust move 1 alice wonderland C3")
    watched = talk.letter_to(CAROL)
    assert reply_to(CAROL, talk).startswith("pbmserv+do.any.carol.")
    for sender in (CAROL, MALLORY, TAGGED):
        talk.send(sender, "oust show 1")
        assert reply_to(sender, talk).startswith("pbmserv+begin.oust.")
        talk.answer(talk.letter_to(sender), "D4", sender)
    assert moves(talk) == ["x C3"]
    assert "Answer this mail" not in watched.as_text


def test_a_strange_address_gets_no_token_with_a_password_either(talk: Talk) -> None:
    talk.send(MALLORY, "oust move 1 alice wonderland C3")
    talk.answer(talk.letter_to(MALLORY), "settings", MALLORY)
    assert talk.outcome == "refused: missing_word"
    talk.send(MALLORY, "oust show 1 alice wonderland")
    talk.send(ALICE, "oust show 1")
    assert reply_to(ALICE, talk).startswith("pbmserv+oust.1.2.alice.")


def test_each_address_of_a_player_gets_a_letter_of_its_own(talk: Talk) -> None:
    both = (BOB, "bob@example.com")
    change_account(talk.home, "bob", lambda account: replace(account, addresses=both))
    talk.send(ALICE, "oust move 1 alice wonderland C3")
    ids = {letter["Message-ID"] for letter in talk.letters}
    addresses = {letter["Reply-To"] for letter in talk.letters if letter.to != ALICE}
    assert (len(ids), len(addresses)) == (3, 1)


@pytest.mark.parametrize("line", ["oust show 1", "help", "list", "whatever", "oust preview 1 C3"])
def test_each_letter_has_a_message_id_of_its_own(line: str, talk: Talk) -> None:
    ids = set()
    for _ in range(3):
        talk.send(ALICE, line, number=1)
        ids.add(talk.letter_to(ALICE)["Message-ID"])
        talk.now += timedelta(seconds=1)
    assert len(ids) == 3


# Where the tag is lost


def test_the_last_of_the_references_serves_as_well(talk: Talk) -> None:
    board = talk.letter_to(ALICE)
    references = f"References: <oust.1@example.com>\r\n {str(board['Message-ID']).upper()}"
    talk.send(ALICE, f"{YOURS}\r\n{references}", "D4")
    assert moves(talk) == ["x D4"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("In-Reply-To", "{}"),
        ("References", "1@example.net {} 2@example.net"),
        ("In-Reply-To", "=?utf-8?q?=3C{}=3E?="),
    ],
)
def test_the_letter_is_known_though_its_brackets_are_lost(
    name: str, value: str, talk: Talk
) -> None:
    bare = str(talk.letter_to(ALICE)["Message-ID"]).strip("<>")
    talk.send(ALICE, f"{YOURS}\r\n{name}: {value.format(bare)}", "D4")
    assert moves(talk) == ["x D4"]


def test_a_message_id_made_up_from_what_everybody_knows_is_none(talk: Talk) -> None:
    known = str(talk.letter_to(ALICE)["Message-ID"])
    made_up = TOKEN.sub(".aaaaaaaaaaaaaaaa", known)
    for message_id in (made_up, "<oust.1@example.com>", known.replace("alice", "bob")):
        talk.send(BOB, f"{YOURS}\r\nIn-Reply-To: {message_id}", "D4")
        talk.send(ALICE, f"{YOURS}\r\nIn-Reply-To: {message_id}", "D4")
        assert moves(talk) == []


def test_with_too_long_an_address_the_letter_serves_too(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path, ALICE, BOB)
    own = f"{'p' * 40}@example.com"
    talk.own = own
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    board = talk.letter_to(ALICE)
    assert board["Reply-To"] is None
    assert "Answer this mail" in talk.text_to(ALICE)
    talk.answer(board, "D4", ALICE, to=own)
    assert moves(talk) == ["x D4"]


# Robots


def test_two_robots_do_not_talk_for_ever(talk: Talk) -> None:
    talk.send(BOB, "oust chat 1 bob lookingglass", "How are you?")
    sender, other = ALICE, BOB
    for _ in range(60):
        if not talk.answer(talk.letter_to(sender), "I am away.", sender):
            break
        sender = other if any(letter.to == other for letter in talk.letters) else sender
        other = ALICE if sender == BOB else BOB
    assert talk.outcome.startswith("silent: ")
    assert len(letters(talk.home)) < 60


# What never gets out


def test_a_token_is_nowhere_but_in_the_letters_to_its_player(
    talk: Talk, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    board = talk.letter_to(ALICE)
    secret, message_id = str(board["Reply-To"]), str(board["Message-ID"])
    quoted = f"{secret} and {message_id} are what I got"
    talk.answer(board, f"C3\nLook: {quoted}", ALICE)
    assert not TOKEN.search(talk.text_to(BOB))
    for line in (f"chat {quoted}", f"note {quoted}", quoted, f"show {secret}"):
        talk.answer(talk.letter_to(ALICE), line, ALICE)
        for letter in talk.letters:
            assert not TOKEN.search(letter.text)
    talk.send(BOB, "message bob lookingglass alice", quoted)
    assert not TOKEN.search(talk.text_to(ALICE))
    talk.send(BOB, quoted, quoted, to=secret.replace("@", "x@"))
    for kind in KINDS:
        for name in talk.home.ask(names_of, kind):
            assert not TOKEN.search(talk.home.ask(talk.home.boards.history, name).decode())
    assert not TOKEN.search(everything_but_letters(talk.home))
    assert not TOKEN.search(caplog.text)


QUOTES = (
    "> {}",
    ">> {}",
    "On Friday, bob wrote:\n> {}",
    "-----Original Message-----\n{}",
    "-- \n{}",
)


@settings(
    examples(12), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    st.lists(st.tuples(st.sampled_from(QUOTES), st.sampled_from(("C3", "resign", "pass", "swap")))),
    st.sampled_from(("", "Thank you, but no.\n\n", "Hello\n")),
)
def test_what_is_quoted_is_never_done(
    tmp_path_factory: pytest.TempPathFactory, quotes: list[tuple[str, str]], own: str
) -> None:
    talk = Talk.begin(tmp_path_factory.mktemp("home"), ALICE, BOB)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    text = own + "\n".join(quote.format(command) for quote, command in quotes)
    talk.answer(talk.letter_to(ALICE), text, ALICE)
    assert moves(talk) == []
    assert talk.outcome.startswith("refused: ")


def test_a_tap_whose_tag_the_envelope_has_lost_is_a_move_from_ones_own_address(talk: Talk) -> None:
    tagged = reply_to(ALICE, talk)
    for sender in (MALLORY, BOB):
        talk.send(sender, f"D4\r\nTo: {tagged}", to=ADDRESS)
        assert talk.outcome.startswith("refused")
        assert moves(talk) == []
    talk.send(ALICE, f"D4\r\nTo: {tagged}", to=ADDRESS)
    assert moves(talk) == ["x D4"]


def test_an_address_that_is_guessed_ends_no_letters(talk: Talk) -> None:
    talk.send(ALICE, "broadcast alice wonderland", "Hello all")
    ending = talk.letter_to(BOB)["List-Unsubscribe"] or ""
    wrong = ending.removeprefix("<mailto:").partition("?")[0].replace("bob", "carol")
    robotic = ["Auto-Submitted: auto-generated"]
    assert talk.send("robot@mail.example", "unsubscribe", to=wrong, headers=robotic) == []
    assert account_of(talk.home, "carol").settings == ()


def test_a_text_that_is_too_long_is_told_where_it_was_cut(talk: Talk) -> None:
    talk.send(ALICE, "oust chat 1 alice wonderland", "word " * 2_500 + "\n")
    assert "Part of your mail was left out" in talk.text_to(ALICE)
