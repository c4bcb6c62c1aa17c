"""The record of a board by mail, as a file."""

from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

import pytest

from pbm_oust.board.sgf import parse_sgf
from tests.support.home_by_mail import ALICE, BOB, Talk

MALLORY = "mallory@example.net"


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    talk = Talk.begin(tmp_path, ALICE, BOB)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    talk.send(ALICE, "oust move 1 alice wonderland C3")
    return talk


def text_and_file(talk: Talk, address: str) -> tuple[str, EmailMessage]:
    letter = message_from_bytes(talk.letter_to(address).data, policy=SMTP)
    assert isinstance(letter, EmailMessage)
    text = letter.get_body(("plain",))
    (file,) = letter.iter_attachments()
    assert isinstance(text, EmailMessage)
    assert isinstance(file, EmailMessage)
    return " ".join(text.get_content().split()), file


@pytest.mark.parametrize("line", ["oust sgf 1", "sgf oust 1"])
@pytest.mark.parametrize("sender", [ALICE, MALLORY])
def test_anybody_gets_the_record_as_a_file_that_can_be_read(
    line: str, sender: str, talk: Talk
) -> None:
    talk.send(sender, line)
    text, file = text_and_file(talk, sender)
    assert "oust-1.sgf is an SGF file" in text
    assert file.get_filename() == "oust-1.sgf"
    assert file.get_content_type() == "application/x-go-sgf"
    content = file.get_payload(decode=True)
    assert isinstance(content, bytes)
    read = parse_sgf(content.decode()).check()
    assert (read.game.x, read.game.o, len(read.game.records)) == ("alice", "bob", 1)
