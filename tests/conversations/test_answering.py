"""Answers by mail: what proves whose they are, who is told, and what never gets out."""

import logging
import re
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from pbm_oust.rules import KINDS
from pbm_oust.store.limits import Counted, Limits
from tests.support.accounts import change_account
from tests.support.histories import moves_of
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, CAROL, Talk
from tests.support.outbox import letters
from tests.support.pages import Page
from tests.support.rings import examples
from tests.support.rows import everything_but_letters

MALLORY = "mallory@example.net"
TOKEN = re.compile(r"\.(?![0-9a-f]{16}@)[a-z2-7]{16}(?![a-z2-7])", re.IGNORECASE)
"""A token; sixteen hex digits at the end of a Message-ID are none."""
YOURS = "Re: oust 1 #1: your turn, alice"


def reply_to(address: str, talk: Talk) -> str:
    return str(talk.letter_to(address)["Reply-To"])


def moves(talk: Talk, board: int = 1) -> list[str]:
    return moves_of(talk.home, board)


# Whose it is


@pytest.mark.parametrize(
    ("part", "instead"),
    [
        (r".*", ADDRESS),
        (r"alice\.(.*)@", r"alice.b\1a@"),
        (r"alice", "bob"),
        (r"oust\.1", "oust.2"),
    ],
)
def test_a_wrong_token_is_none(part: str, instead: str, talk: Talk) -> None:
    right = reply_to(ALICE, talk)
    wrong = re.sub(part, instead, right, count=1)
    assert wrong != right
    talk.send(BOB, YOURS, "D4", to=wrong)
    assert talk.outcome == "refused: answer_to_board"
    assert len(talk.letters) == 1
    assert moves(talk) == []


# An old letter


# Which letters can be answered


def test_watchers_and_strangers_get_nobodys_token(talk: Talk) -> None:
    talk.send(CAROL, "oust watch 1 carol rabbithole")
    talk.send(ALICE, "oust move 1 alice wonderland C3")
    watched = talk.letter_to(CAROL)
    for sender in (CAROL, MALLORY, "alice+tag@example.org"):
        talk.send(sender, "oust show 1")
        assert talk.letter_to(sender)["Reply-To"] is None
        assert not TOKEN.search(talk.letter_to(sender).as_text)
    own = TOKEN.findall(watched.as_text)
    assert own == TOKEN.findall(str(watched["List-Unsubscribe"]))  # it ends her mails, and no more
    assert "Answer this mail" not in watched.as_text


def test_a_strange_address_gets_no_token_with_a_password_either(talk: Talk) -> None:
    talk.send(MALLORY, "oust move 1 alice wonderland C3")
    assert talk.letter_to(MALLORY)["Reply-To"] is None
    assert not TOKEN.search(talk.letter_to(MALLORY).as_text)
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


def test_a_robot_that_answers_everything_is_left_alone_after_a_while(talk: Talk) -> None:
    letter, told = talk.letter_to(ALICE), list[bool]()
    for nth in range(10):
        assert talk.answer(letter, f"I am away {nth}.", ALICE)
        letter = talk.letter_to(ALICE)
        told.append("others like it stay unanswered" in letter.words)
    assert told == [False] * 9 + [True]
    assert talk.answer(letter, "I am away.", ALICE) == [f"{ALICE}: not done"]
    assert "More than 10 answers that could not be read have come" in talk.text_to(ALICE)
    assert talk.answer(letter, "I am still away.", ALICE) == []
    assert talk.outcome == "silent: the limit unreadable_answers_an_hour"
    assert talk.answer(letter, "D4", ALICE)
    talk.now = talk.now.replace(hour=14)
    assert talk.answer(letter, "I am away.", ALICE)


def test_a_robot_that_strips_everything_is_left_alone_too(talk: Talk) -> None:
    for nth in range(3):
        assert talk.send(ALICE, "I am away")
        is_said = "several times within an hour" in talk.text_to(ALICE)
        assert is_said == (nth == 2)
    assert talk.send(ALICE, "I am away") == []
    assert talk.outcome == "silent: the same refusal again and again"
    talk.limits = Limits({Counted.ANSWERS_TO_PLAYERS: 20})
    while talk.send(ALICE, f"I am away {len(letters(talk.home))}"):
        assert len(letters(talk.home)) < 40
    assert talk.outcome == "silent: the limit answers_to_a_player_an_hour"
    assert talk.send(ALICE, "oust move 1 alice wonderland D4")


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
        for name in talk.home.board_names(kind):
            assert not TOKEN.search(talk.home.history(name).decode())
    assert not TOKEN.search(everything_but_letters(talk.home))
    assert not TOKEN.search(caplog.text)


QUOTES = (
    "> {}",
    ">> {}",
    "On Friday, bob wrote:\n> {}",
    "-----Original Message-----\n{}",
    "-- \n{}",
)


@settings(examples(12), suppress_health_check=[HealthCheck.function_scoped_fixture])
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
        assert (talk.outcome, moves(talk)) == ("refused: answer_to_board", [])
    talk.send(ALICE, f"D4\r\nTo: {tagged}", to=ADDRESS)
    assert moves(talk) == ["x D4"]


def test_the_link_of_an_open_challenge_joins_it_as_this_player_and_nothing_else(talk: Talk) -> None:
    talk.send(BOB, "oust seek bob lookingglass -size=5")
    talk.send(CAROL, "list")
    (oust,) = Page(talk.page_to(CAROL)).taps()
    for part, other in ((".1.", ".2."), (".oust.", ".churn."), (".carol.", ".alice.")):
        talk.send(CAROL, oust.subject, to=oust.address.replace(part, other))
        assert not talk.outcome.startswith("done")
    for subject in ("churn join 1", "oust join 2", "Re: list: 0 boards", "oust unseek 1"):
        talk.send(CAROL, subject, to=oust.address)
        assert not talk.outcome.startswith("done")
    talk.send(CAROL, oust.subject, to=oust.address)
    assert talk.outcome == "done: join"
