"""Whatever strangers write who know no commands, one answer to our letter leads them to a board."""

from pathlib import Path

import pytest

from pbm_oust.mail.inbound import Envelope
from pbm_oust.store.home import Home
from tests.support.histories import moves_of
from tests.support.home_by_mail import ADDRESS, new_id, taken
from tests.support.mails import mail

RITA = "rita@example.org"
FILES = ("first_mails.txt", "first_mails_by_others.txt")


def first_mails() -> dict[str, str]:
    """Return what stands below From in each first mail, by its title."""
    found = dict[str, str]()
    for name in FILES:
        text = (Path(__file__).parent / name).read_text()
        for block in text.removeprefix("== ").split("\n== "):
            title, _, below = block.partition("\n")
            assert title not in found, title
            found[title] = below
    return found


MAILS = first_mails()


def test_there_are_eighty_of_them() -> None:
    assert len(MAILS) >= 80


@pytest.mark.parametrize("title", MAILS)
def test_one_answer_leads_from_a_first_mail_to_a_board(title: str, home: Home) -> None:
    headers, _, text = MAILS[title].strip("\n").partition("\n\n")
    given = mail(f"From: Rita <{RITA}>", *headers.split("\n"), new_id(), text=text)
    outcome, (letter,) = taken(home, given, Envelope(RITA, (ADDRESS,)))
    assert outcome == "answered"
    answers = str(letter["Reply-To"])
    assert f"<{answers}>".startswith("<pbmserv+begin.oust.")
    subject = f"Re: {letter['Subject']}"
    answer = mail(f"From: Rita <{RITA}>", f"Subject: {subject}", new_id(), text="D4\n")
    outcome, letters = taken(home, answer, Envelope(RITA, (answers,)))
    assert (outcome, letters) == ("done: begin", [])
    assert moves_of(home) == ["x D4"]
