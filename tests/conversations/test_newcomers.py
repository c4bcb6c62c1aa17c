"""What people write who have never seen the server, and what leads them on."""

from datetime import timedelta
from pathlib import Path

import pytest

from pbm_oust.store.limits import USUAL_LIMITS, Counted
from tests.support import tables
from tests.support.accounts import codes
from tests.support.home_by_mail import ALICE, BOB, Talk

tabled = tables.tabled(__file__)

STRANGER = "eve@example.net"


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk.begin(tmp_path, ALICE, BOB)


@tabled("line")
def test_one_or_two_letters_are_no_command(line: str, talk: Talk) -> None:
    sent = talk.send(STRANGER, line)
    assert [each.partition(":")[0] for each in sent] == [STRANGER]
    assert not list(codes(talk.home))


SIGN_UP, BEGIN = "signup USERID PASSWORD", "oust challenge alice house1 PASSWORD"


@tabled("line")
def test_whoever_would_like_to_play_is_told_how_to_begin(line: str, talk: Talk) -> None:
    talk.send(STRANGER, line)
    assert talk.outcome == "answered"
    assert SIGN_UP in talk.text_to(STRANGER)
    assert "  list\n" in talk.text_to(STRANGER)
    talk.send(ALICE, line)
    assert BEGIN in talk.text_to(ALICE)
    assert "oust seek alice PASSWORD" in talk.text_to(ALICE)
    assert SIGN_UP not in talk.text_to(ALICE)


@tabled("line")
def test_whoever_would_like_to_play_in_french_is_told_how_in_french(line: str, talk: Talk) -> None:
    talk.send(STRANGER, line)
    assert talk.letter_to(STRANGER)["Content-Language"] == "fr"
    assert "inscription PSEUDO MOTDEPASSE" in talk.text_to(STRANGER)
    talk.send(ALICE, line)
    assert "oust defi alice house1 MOTDEPASSE" in talk.text_to(ALICE)


@tabled("line", "subject")
def test_whoever_asks_for_help_or_an_opponent_gets_it(line: str, subject: str, talk: Talk) -> None:
    assert talk.send(STRANGER, line) == [f"{STRANGER}: {subject}"]


@tabled("subject")
def test_a_subject_that_says_that_there_is_none_is_none(subject: str, talk: Talk) -> None:
    talk.send(STRANGER, subject, "help")
    assert talk.letter_to(STRANGER).subject == "the help"
    talk.send(STRANGER, "(pas d\u2019objet)", "aide")
    assert talk.letter_to(STRANGER).subject == "l'aide"


def test_the_list_tells_strangers_how_to_sign_up(talk: Talk) -> None:
    talk.send(STRANGER, "list")
    assert SIGN_UP in talk.text_to(STRANGER)
    talk.send(ALICE, "list")
    assert SIGN_UP not in talk.text_to(ALICE)


def test_what_is_like_no_command_leads_to_the_first_steps(talk: Talk) -> None:
    talk.send(STRANGER, "xyzzy")
    assert "To see how to begin here, send:  help tutorial" in talk.text_to(STRANGER)


def test_the_help_is_read_beyond_the_answers_of_an_hour_and_its_own_end_is_told(
    talk: Talk,
) -> None:
    for _ in range(USUAL_LIMITS.most(Counted.ANSWERS)):
        talk.send(STRANGER, "list")
    for line in ("rules", "info", "?", "help move", "hi"):
        talk.send(STRANGER, line)
        assert talk.outcome == "answered"
    for _ in range(USUAL_LIMITS.most(Counted.HELP)):
        last, heard = talk.send(STRANGER, "help"), talk.letters
        if talk.outcome != "answered":
            break
    assert last == [f"{STRANGER}: not done"]
    assert "mails with the help an hour go to one address" in " ".join(heard[0].text.split())
    assert talk.send(STRANGER, "help") == []
    talk.now += timedelta(hours=1)
    assert talk.send(STRANGER, "help") == [f"{STRANGER}: the help"]


def begun(talk: Talk) -> str:
    """Ask for an account, and return the address that its code is sent back to."""
    talk.send(STRANGER, "signup eve jabberwocky")
    return str(talk.letter_to(STRANGER)["Reply-To"])


@tabled("text")
def test_an_answer_that_says_yes_as_people_do_confirms(text: str, talk: Talk) -> None:
    to = begun(talk)
    assert talk.send(STRANGER, "Re: please confirm your account eve", text, to=to) == [
        f"{STRANGER}: welcome, eve"
    ]


@tabled("text")
def test_an_answer_that_says_no_ends_what_it_was_asked_for(text: str, talk: Talk) -> None:
    to = begun(talk)
    sent = talk.send(STRANGER, "Re: please confirm your account eve", text, to=to)
    assert sent == [f"{STRANGER}: nothing was done"]
    assert "the code in our mail no longer works" in " ".join(talk.text_to(STRANGER).split())
    talk.send(STRANGER, "Re: please confirm your account eve", "yes", to=to)
    assert talk.outcome == "refused: no_such_code"


@tabled("text")
def test_an_answer_that_says_neither_leaves_it_open(text: str, talk: Talk) -> None:
    to = begun(talk)
    talk.send(STRANGER, "Re: please confirm your account eve", text, to=to)
    assert talk.outcome == "refused: not_confirmed"
    talk.send(STRANGER, "Re: please confirm your account eve", "yes", to=to)
    assert talk.outcome == "done: verify"


@tabled("line", "right")
def test_what_cannot_be_done_is_answered_with_the_line_to_send(
    line: str, right: str, talk: Talk
) -> None:
    talk.send(ALICE, line)
    assert talk.outcome.startswith("refused")
    assert f"  {right}" in talk.text_to(ALICE)


def test_letters_of_the_house_promise_to_pass_nothing_on(talk: Talk) -> None:
    talk.send(ALICE, "oust challenge alice house1 wonderland -size=5")
    started = talk.text_to(ALICE)
    assert "does not count for ratings.\n\nx: alice 0/0" in started.replace("\nnot", " not")
    letters = [started]
    for line in ("oust move 1 alice wonderland A1", "oust resign 1 alice wonderland"):
        talk.send(ALICE, line, "Good luck!")
        letters.append(talk.text_to(ALICE))
    letter = talk.letter_to(ALICE)
    talk.send(ALICE, f"Re: {letter['Subject']}", "Thanks!", to=str(letter["Reply-To"]))
    letters.append(talk.text_to(ALICE))
    assert "is a program and reads no text" in letters[-1]
    assert "answer this mail with:  rematch" in letters[-2]
    assert not any("goes to" in text for text in letters)
