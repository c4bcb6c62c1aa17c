"""One mail is followed by its short id: from its sender's mail server to those of its readers."""

import json
import re
import smtplib
from pathlib import Path

import pytest

from pbm_oust.accounts.asks import mail_id, mail_told
from tests.support.command_line import done
from tests.support.home_by_mail import ALICE, BOB, Talk
from tests.support.mails import mail
from tests.support.server import ADDRESS, running
from tests.support.sink import listening_sink

MESSAGE_ID = "<a.move@example.org>"


def answer_to(port: int, *headers: str) -> str:
    """Return what the server answers to a mail of Alice with these headers."""
    with smtplib.SMTP("127.0.0.1", port, local_hostname="localhost") as smtp:
        smtp.ehlo()
        smtp.mail(ALICE)
        smtp.rcpt(ADDRESS)
        code, said = smtp.data(mail(f"From: {ALICE}", *headers))
    return f"{code} {said.decode()}"


def test_a_move_is_followed_to_the_relay_and_from_its_record(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path, ALICE, BOB)
    talk.send(ALICE, "oust challenge alice bob wonderland")
    talk.home.database.close()
    move = "oust move 1 alice wonderland D4"
    with (
        listening_sink() as (sink, relay),
        running(tmp_path, "--relay", f"smtp://{relay}") as server,
    ):
        before = len(sink.wait_for(2))
        said = answer_to(server.port, f"Subject: {move}", f"Message-ID: {MESSAGE_ID}")
        letters = sink.wait_for(before + 2)[before:]
        server.stop()
    name = mail_id(MESSAGE_ID)
    assert said == f"250 2.0.0 done id={name}"
    (line,) = re.findall(rf"INFO received=\S+ (id={name} .*)", server.log)
    assert re.fullmatch(
        rf'id={name} outcome=done command=move player=alice board="oust 1" record=1 bytes=\d+'
        rf" ms=\d+ message_id={MESSAGE_ID}",
        line,
    )
    sent = rf'INFO letter=\S+ id={name} outcome=sent player=(\w+) board="oust 1" record=1'
    queued = re.findall(rf'{sent} relay="2\.0\.0 Ok: queued as (Q\d)"', server.log)
    assert sorted(player for player, _ in queued) == ["alice", "bob"]
    assert sorted(queue for _, queue in queued) == ["Q3", "Q4"]
    for letter in letters:
        found = re.search(rb"^Message-ID: (.*)\r$", letter.original_content or b"", re.M)
        assert found
        assert mail_told(found[1].decode()) == name
    assert re.search(rf"^id +{name}$", done(talk.home, "games", "why", "oust", "1"), re.MULTILINE)
    why = json.loads(done(talk.home, "games", "why", "oust", "1", "--json"))
    assert (why["mail"]["message_id"], why["mail"]["id"]) == (MESSAGE_ID, name)


def test_a_mail_without_a_message_id_is_followed_as_well(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    talk = Talk.begin(tmp_path, ALICE, BOB)
    talk.send(ALICE, "oust challenge alice bob wonderland")
    with caplog.at_level("INFO", logger="pbm_oust"):
        talk.send(ALICE, "oust move 1 alice wonderland D4", headers=())
    (name,) = re.findall(r" id=([0-9a-f]{8}) .* message_id=-", caplog.text)
    why = json.loads(done(talk.home, "games", "why", "oust", "1", "--json"))
    assert (why["mail"]["message_id"], why["mail"]["id"]) == (None, name)


@pytest.mark.parametrize(
    "told",
    [
        f"<1.{ALICE}>",
        f"<{ALICE.upper()}>",
        "<oust.1.2.alice.0123456789ab.abcdefghijklmnop@example.com>",
    ],
)
def test_the_log_tells_no_message_id_that_has_an_address_or_a_token(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, told: str
) -> None:
    talk = Talk.begin(tmp_path, ALICE)
    with caplog.at_level("INFO", logger="pbm_oust"):
        talk.send(ALICE, "help", headers=[f"Message-ID: {told}"])
    assert f" id={mail_id(told)} " in caplog.text
    assert caplog.messages[-1].endswith(" message_id=-")
