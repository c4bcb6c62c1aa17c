"""One mail is followed by its short id: from its sender's mail server to those of its readers."""

import json
import re
import smtplib
from pathlib import Path

import pytest

from pbm_oust.accounts.asks import mail_id, mail_told
from pbm_oust.mail.clients import S451_LATER, S500_LONG_LINE, S550_BARE, S552_LARGE
from pbm_oust.mail.handler import LONGEST_LINE
from pbm_oust.store.home import Home
from tests.support import listening
from tests.support.command_line import done
from tests.support.home_by_mail import ALICE, BOB, Talk
from tests.support.mails import mail
from tests.support.server import ADDRESS, running
from tests.support.sink import listening_sink

MESSAGE_ID = "<a.move@example.org>"


def answer_to(port: int, *headers: str, text: str = "", to: str = ADDRESS) -> str:
    """Return what the server answers to a mail of Alice with these headers."""
    with smtplib.SMTP("127.0.0.1", port, local_hostname="localhost") as smtp:
        smtp.ehlo()
        smtp.mail(ALICE)
        smtp.rcpt(to)
        code, said = smtp.data(mail(f"From: {ALICE}", *headers, text=text))
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


def test_a_mail_that_is_put_off_is_followed_as_well(
    home: Home, port: int, caplog: pytest.LogCaptureFixture
) -> None:
    home.key_path.rename(home.path / "elsewhere")
    with caplog.at_level("INFO", logger="pbm_oust"):
        said = answer_to(port, "Subject: help", f"Message-ID: {MESSAGE_ID}", to=listening.ADDRESS)
    assert said == f"{S451_LATER} id={mail_id(MESSAGE_ID)}"
    assert f" id={mail_id(MESSAGE_ID)} outcome=" in caplog.text


@pytest.mark.parametrize(
    ("header", "text", "reply"),
    [
        ("Subject: help", "\r", S550_BARE),
        ("Subject: help", "x" * LONGEST_LINE, S500_LONG_LINE),
        ("Subject: help", "a line\r\n" * 50_000, S552_LARGE),
        (
            "Subject: help",
            "\r\n" * 10_001,
            "550 5.6.0 not readable: there are more than 10000 lines",
        ),
        (
            f"Subject: {'x ' * 3000}",
            "",
            "550 5.6.0 not readable: a header is larger than 4096 bytes",
        ),
    ],
    ids=["bare", "long line", "large", "lines", "header"],
)
@pytest.mark.parametrize(
    "named", [f"Message-ID: {MESSAGE_ID}", f"Message-ID:\r\n {MESSAGE_ID}", ""]
)
def test_a_mail_that_is_refused_is_followed_as_well(
    header: str,
    text: str,
    reply: str,
    named: str,
    port: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level("INFO", logger="pbm_oust"):
        said = answer_to(port, header, *filter(None, [named]), text=text, to=listening.ADDRESS)
    told, name = said.split(" id=")
    assert told == reply
    assert f" id={name}" in caplog.text
    if named:
        assert name == mail_id(MESSAGE_ID)


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
