import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from aiosmtpd.lmtp import LMTP

from pbm_oust.mail.relay import Flushed, Relaying
from pbm_oust.store.configuration import Endpoint
from pbm_oust.store.home import Home
from pbm_oust.store.letters import Draft, Head
from tests.peers.mail_servers.exim import Exim, exim_files, running_exim
from tests.peers.mail_servers.games import (
    begin_a_game,
    finish_the_game,
    records_of,
    wait_for_bounce,
)
from tests.peers.mail_servers.host import COMMANDS, TAGGED, Host
from tests.support.outbox import post
from tests.support.player import Player
from tests.support.sink import listening_sink
from tests.support.waiting import wait_until


@pytest.fixture
def exim(host: Host) -> Iterator[Exim]:
    host.configure()
    with running_exim(host, exim_files(host.lmtp_port)) as exim:
        yield exim


def test_a_whole_game_goes_through_exim(host: Host, exim: Exim) -> None:
    with host.serving():
        finish_the_game(host, *begin_a_game(host))
        wait_until(lambda: exim.queue() == "", "an empty queue")


def test_the_tag_of_an_address_comes_through_exim(host: Host) -> None:
    with listening_sink(LMTP) as (sink, endpoint), running_exim(host, exim_files(endpoint.port)):
        with host.client() as smtp:
            smtp.sendmail("", TAGGED, "From: alice@example.org\r\n\r\n")
        (envelope,) = sink.wait_for(1)
    assert (envelope.mail_from, envelope.rcpt_tos) == ("<>", [TAGGED])


def test_a_mail_to_two_forms_of_the_address_is_handed_over_at_once(host: Host, exim: Exim) -> None:
    forms = [COMMANDS, COMMANDS.replace("@", "+games@")]
    mail = "From: alice@example.org\r\nSubject: signup alice wonderland\r\n\r\n"
    with host.serving(), host.client() as smtp:
        smtp.sendmail("alice@example.org", forms, mail)
        Player("alice", "wonderland", host).wait_for_mail()
        wait_until(lambda: exim.queue() == "", "an empty queue")
    assert " ** " not in exim.log


def test_exim_delivers_all_letters_at_once(host: Host, exim: Exim, home: Home) -> None:
    to, at = "alice@example.org", datetime.now(UTC)
    content = f"From: {COMMANDS}\nTo: {to}\nSubject: hello\n\n".encode()
    post(home, *[Draft(Head(to, "<1@example.com>", "hello"), content, at)] * 25)
    relaying = Relaying(home, Endpoint("127.0.0.1", host.smtp_port), COMMANDS, time.time)
    assert relaying.flush() == Flushed(sent=25)
    wait_until(lambda: exim.log.count(" Completed") == 25, "all letters in the mailbox")
    assert "no immediate delivery" not in exim.log


def test_a_bounce_of_exim_is_understood(host: Host, exim: Exim) -> None:
    with host.serving():
        alice = Player("alice", "wonderland", host)
        alice.send("signup alice wonderland alice@example.org unknown@elsewhere.example")
        address, status = wait_for_bounce(host)
    assert (address, status[0]) == ("unknown@elsewhere.example", "5")


def test_mail_waits_in_exim_while_the_server_is_down(host: Host, exim: Exim) -> None:
    with host.serving():
        (alice, bob), latest = begin_a_game(host)
    alice.follow_example(latest["alice"])
    exim.wait_for_log(r"== pbmserv@.*Connection refused")
    assert records_of(host) == 0
    with host.serving():
        exim.flush()
        (mail,) = bob.wait_for_mail()
    assert mail["Subject"] == "oust 1 #2: your turn, bob"
    assert records_of(host) == 1
