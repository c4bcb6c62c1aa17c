"""What mails may cause is bounded; a right password, answer or code never goes unanswered."""

import smtplib
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pbm_oust.doctor import Examiner
from pbm_oust.doctor.home import check_limits
from pbm_oust.mail.clients import Patience
from pbm_oust.mail.inbound import Envelope, open_inbound
from pbm_oust.store.home import Home
from pbm_oust.store.limits import USUAL_LIMITS, Counted, Limits
from tests.support.accounts import codes
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, CAROL, NOON, Talk, new_id
from tests.support.listening import ADDRESS as LISTENER
from tests.support.listening import listening
from tests.support.mails import mail
from tests.support.outbox import letters
from tests.support.rings import first_is_fast
from tests.support.server import ADDRESS as SERVER
from tests.support.server import running
from tests.support.waiting import PATIENCE, has_news, wait_until

MALLORY = "mallory@example.com"
RIGHT = "oust showas alice wonderland all"


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk.begin(tmp_path / "home", ALICE, BOB, CAROL)


@pytest.mark.slow
def test_so_do_those_of_many_forged_senders_from_one_host(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path / "home")
    with listening(talk.home) as port, smtplib.SMTP("127.0.0.1", port) as client:
        for nth in range(20):
            sender = f"mallory{nth}@example.com"
            line = f"Subject: signup zoe{nth} rabbithole friend{nth}@example.net"
            client.sendmail(sender, [LISTENER], mail(f"From: {sender}", line, new_id()))
    most = USUAL_LIMITS.most(Counted.SIGNUPS_OF_SOURCE)
    written_to = {letter.to for letter in letters(talk.home)}
    assert len(list(codes(talk.home))) == most
    # One refusal says until when, and then all is silent.
    assert len([address for address in written_to if address.startswith("mallory")]) == most + 1


def test_nothing_that_strangers_cause_keeps_a_player_from_a_code(talk: Talk) -> None:
    most = 30
    inbound = open_inbound(talk.home, ADDRESS, lambda: NOON, Limits({Counted.ALL_CODES: most}))
    few = {Counted.ANSWERS_TO_PLAYERS: 3, Counted.ALL_ANSWERS: 10, Counted.ALL_CODES: most}
    talk.limits = Limits(few)
    for nth in range(12):
        friends = " ".join(f"friend{nth}.{each}@example.net" for each in range(5))
        data = mail(f"From: m{nth}@x.example", f"Subject: signup zoe{nth} rabbit {friends}")
        inbound.take(data, Envelope(f"m{nth}@x.example", (ADDRESS,), f"192.0.{nth}.1"))
    assert len(list(codes(talk.home))) == most
    for nth in range(12):
        talk.send(ALICE, f"help {nth}")
        talk.send(f"mallory{nth}@example.com", "help")
    assert talk.send("zoe@example.net", "signup zoe rabbithole") == []
    assert talk.send(ALICE, "forgot alice") == [f"{ALICE}: please confirm a new password for alice"]
    talk.send(
        ALICE, "Re: code", "password lookingglass", to=talk.letter_to(ALICE)["Reply-To"] or ""
    )
    assert talk.outcome == "done: verify"


@pytest.mark.slow
def test_mails_in_flight_draw_no_more_equal_refusals_than_one_after_the_other(
    tmp_path: Path,
) -> None:
    talk = Talk.begin(tmp_path / "home")
    with listening(talk.home) as port, ThreadPoolExecutor(24) as clients:

        def send(nth: int) -> None:
            data = mail(f"From: {MALLORY}", "Subject: oust move x", new_id(), text=str(nth))
            with smtplib.SMTP("127.0.0.1", port, "x", 60, (f"127.0.1.{nth}", 0)) as client:
                client.sendmail(MALLORY, [LISTENER], data)

        list(clients.map(send, range(1, 25)))
    refusals = [each for each in letters(talk.home) if each.subject == "not understood"]
    assert len(refusals) == USUAL_LIMITS.most(Counted.EQUAL_REFUSALS)


def test_what_is_refused_without_an_answer_is_counted_for_the_operator(talk: Talk) -> None:
    talk.limits = Limits({Counted.ANSWERS: 0})
    for _ in range(5):
        talk.send(MALLORY, "list")
    assert talk.home.tally.number(Counted.SILENCES, "answers_an_hour") == 4


def test_a_source_gets_so_many_answers_whatever_addresses_it_forges(talk: Talk) -> None:
    inbound = open_inbound(talk.home, ADDRESS, lambda: NOON, Limits({Counted.ANSWERS_TO_SOURCE: 5}))
    for source, expected in (("192.0.2.1", 6), ("192.0.2.2", 6), ("", 8)):
        before = len(letters(talk.home))
        for nth in range(8):
            sender = f"mallory{nth}@{source or 'none'}.example"
            data = mail(f"From: {sender}", "Subject: help", new_id())
            inbound.take(data, Envelope(sender, (ADDRESS,), source))
        assert len(letters(talk.home)) - before == expected


@pytest.mark.parametrize(("mail_servers", "waits"), [("", True), ("127.0.0.1", False)])
@pytest.mark.parametrize("line", first_is_fast(["oust showas alice rabbithole all", "multiple"]))
def test_a_stranger_waits_for_the_reply_to_a_wrong_password(
    talk: Talk, mail_servers: str, waits: bool, line: str
) -> None:
    patience = Patience(wrong_password=60)
    text = "oust show bob\r\noust showas alice rabbithole all"
    data = mail(f"From: {MALLORY}", f"Subject: {line}", new_id(), text=text)
    with (
        listening(talk.home, patience=patience, mail_servers=mail_servers) as port,
        smtplib.SMTP("127.0.0.1", port, timeout=PATIENCE) as client,
    ):
        client.ehlo()
        client.mail(MALLORY)
        client.rcpt(LISTENER)
        assert client.docmd("DATA")[0] == 354
        client.send(data.replace(b"\r\n.", b"\r\n..") + b"\r\n.\r\n")
        wait_until(lambda: letters(talk.home), "the letter")
        assert isinstance(client.sock, socket.socket)
        if waits:
            assert not has_news(client.sock.fileno(), 0.2)
        else:
            assert client.getreply()[0] == 250
        client.close()


@pytest.mark.slow
def test_the_server_tells_the_operator_how_many_mails_got_no_answer(tmp_path: Path) -> None:
    with running(tmp_path) as server, smtplib.SMTP("127.0.0.1", server.port) as client:
        for nth in range(USUAL_LIMITS.most(Counted.HELP) + 3):
            data = mail(f"From: {MALLORY}", f"Subject: help {nth}", new_id())
            client.sendmail(MALLORY, [SERVER], data)
        home = Home(tmp_path)
        on = Examiner(home, "limits", home.configured, home.now())
        told = wait_until(lambda: list(check_limits(on)), "a note")
    assert [finding.text for finding in told] == [
        "2 mails within a day got no answer: help_answers_an_hour"
    ]


def test_whether_a_mail_proves_something_is_known_of_several_commands_too(talk: Talk) -> None:
    inbound = open_inbound(talk.home, ADDRESS, lambda: NOON)

    def is_proved(line: str, text: str = "") -> bool:
        data = mail(f"From: {MALLORY}", f"Subject: {line}", new_id(), text=text)
        return inbound.take(data, Envelope(MALLORY, (ADDRESS,))).is_proved

    assert is_proved(RIGHT)
    assert is_proved("multiple", f"help\r\n{RIGHT}")
    assert not is_proved("multiple", "help\r\noust show alice")
    assert not is_proved("help")
    assert not is_proved("oust showas alice rabbithole all")
