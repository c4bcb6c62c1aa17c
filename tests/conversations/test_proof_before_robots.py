"""Mail with headers that lists and offices share with robots: commands count, robots do not."""

from pathlib import Path

import pytest

from pbm_oust.store.home import Home
from tests.support.home_by_mail import ALICE, BOB, Talk, copy_of, home_of
from tests.support.mails import mail, parts

REACTION = "Content-Type: text/vnd.google.email-reaction+json\r\n\r\n{}"


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Home:
    start = (ALICE, "oust challenge alice bob wonderland -size=5")
    return home_of(tmp_path_factory.mktemp("begun"), ALICE, BOB, mails=[start])


@pytest.fixture
def talk(begun: Home, tmp_path: Path) -> Talk:
    return Talk(copy_of(begun, tmp_path / "home"))


def tag_for_alice(talk: Talk) -> str:
    """Let Alice move and Bob answer; return the address at which she answers."""
    talk.send(ALICE, "oust move 1 alice wonderland A1")
    talk.send(BOB, "oust move 1 bob lookingglass E5")
    return (talk.letter_to(ALICE)["Reply-To"] or "").rpartition("<")[2].strip("> ")


@pytest.mark.parametrize("kind", ["alternative", "mixed"])
def test_an_emoji_of_gmail_plays_nothing_and_gets_no_answer(kind: str, talk: Talk) -> None:
    tag = tag_for_alice(talk)
    text = (
        "Content-Type: text/plain; charset=utf-8\r\n\r\n\U0001f44d\r\n\r\nAlice reacted via Gmail"
    )
    header, body = parts(text, REACTION, kind=kind)
    data = mail(f"From: {ALICE}", f"To: {tag}", "Subject: Re: oust 1 #3", header, text=body)
    assert talk.hand_in(data, ALICE, tag) == []
    assert talk.outcome == "silent: reaction"


def test_a_mail_server_is_not_answered_whatever_its_from_says(talk: Talk) -> None:
    data = mail(f"From: {ALICE}", "Subject: help")
    for sender in ("MAILER-DAEMON@example.net", "MAILER-DAEMON", talk.own):
        assert talk.hand_in(data, sender, talk.own) == []
