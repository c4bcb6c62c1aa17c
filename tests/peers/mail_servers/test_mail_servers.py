"""Mail servers between players and the program: Postfix with LMTP and with a pipe, and Exim."""

import json
import re
import socket
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from aiosmtpd.lmtp import LMTP

from pbm_oust.mail.flush import Flushed, Relaying
from pbm_oust.store.configuration import Endpoint
from pbm_oust.store.home import Home
from pbm_oust.store.letters import Draft, Head
from tests.peers.mail_servers.exim import Exim, exim_files, running_exim
from tests.peers.mail_servers.games import (
    begin_a_game,
    finish_the_game,
    put_off_and_done_once,
    records_of,
    wait_for_bounce,
)
from tests.peers.mail_servers.host import COMMANDS, OWNER, TAGGED, Host
from tests.peers.mail_servers.postfix import Postfix, running_postfix
from tests.support.document import block
from tests.support.outbox import post
from tests.support.player import Player
from tests.support.sink import listening_sink
from tests.support.waiting import wait_until

SIGNUP = "From: alice@example.org\r\nSubject: signup alice wonderland\r\n\r\n"


@contextmanager
def running(way: str, host: Host) -> Iterator[Postfix | Exim]:
    """Run a mail server that hands mail over in some way, with the settings of the document."""
    if way == "exim":
        with running_exim(host, exim_files(host.lmtp_port)) as exim:
            yield exim
        return
    with listening_sink() as (_, outside):
        settings, services = host.postfix_settings, ""
        if way == "pipe":
            settings = block("postfix-pipe/main.cf", {}) + block("postfix-relay/main.cf", {})
            services = block("postfix-pipe/master.cf", host.places)
        with running_postfix(host, settings, services, outside=outside.port) as postfix:
            yield postfix


@pytest.fixture
def way(request: pytest.FixtureRequest) -> str:
    return str(getattr(request, "param", "lmtp"))


@pytest.fixture
def server(way: str, host: Host) -> Iterator[Postfix | Exim]:
    host.configure("postfix-pipe/pbm_oust.toml" if way == "pipe" else "pbm_oust.toml")
    with running(way, host) as found:
        yield found


@pytest.fixture
def serving(way: str, host: Host) -> AbstractContextManager[object]:
    """What takes mail meanwhile: the server of the program, which a pipe does not need."""
    return nullcontext() if way == "pipe" else host.serving()


def ways(*names: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("way", names, indirect=True)


@ways("lmtp", "pipe", "exim")
def test_a_whole_game_is_played(
    host: Host, server: Postfix | Exim, serving: AbstractContextManager[object]
) -> None:
    with serving:
        finish_the_game(host, *begin_a_game(host))
        wait_until(lambda: server.queue() == [], "an empty queue")
    assert (host.home / "oust" / "1.txt").owner() == OWNER


@pytest.mark.parametrize("name", ["lmtp", "exim"])
def test_the_tag_of_an_address_comes_through(name: str, host: Host) -> None:
    with (
        listening_sink(LMTP) as (sink, endpoint),
        running(name, replace(host, lmtp_port=endpoint.port)),
        host.client() as smtp,
    ):
        smtp.sendmail("", TAGGED, "From: alice@example.org\r\n\r\n")
        (envelope,) = sink.wait_for(1)
    assert (envelope.mail_from, envelope.rcpt_tos) == ("<>", [TAGGED])


@ways("lmtp", "pipe", "exim")
def test_a_mail_to_two_forms_of_the_address_is_handed_over_at_once(
    host: Host, server: Postfix | Exim, serving: AbstractContextManager[object]
) -> None:
    forms = [COMMANDS, COMMANDS.replace("@", "+games@")]
    with serving, host.client() as smtp:
        smtp.sendmail("alice@example.org", forms, SIGNUP)
        Player("alice", "wonderland", host).wait_for_mail()
        wait_until(lambda: server.queue() == [], "an empty queue")
    assert not re.search(r"status=bounced| \*\* ", server.log)


@ways("lmtp", "pipe", "exim")
def test_a_bounce_is_understood_and_nobody_answers_it(
    host: Host, server: Postfix | Exim, serving: AbstractContextManager[object]
) -> None:
    with serving:
        alice = Player("alice", "wonderland", host)
        alice.send("signup alice wonderland alice@example.org unknown@elsewhere.example")
        address, status = wait_for_bounce(host)
        wait_until(lambda: server.queue() == [], "an empty queue")
    assert address == "unknown@elsewhere.example"
    assert status[0] == "5" if isinstance(server, Exim) else status == "5.1.1"
    assert isinstance(server, Exim) or len(re.findall(r"from=<pbmserv\+bounces", server.log)) == 2


@ways("lmtp", "exim")
def test_mail_waits_while_the_program_is_down(host: Host, server: Postfix | Exim) -> None:
    with host.serving():
        (alice, bob), latest = begin_a_game(host)
    alice.follow_example(latest["alice"])
    server.wait_until_put_off("Connection refused")
    assert records_of(host) == 0
    with host.serving():
        server.flush_until_empty()
        (mail,) = bob.wait_for_mail()
    assert mail["Subject"] == "oust 1 #2: your turn, bob"
    assert records_of(host) == 1


@pytest.mark.parametrize(
    ("way", "reason"), [("lmtp", "451 4.3.0"), ("pipe", "temporary failure")], indirect=["way"]
)
def test_what_cannot_be_written_stays_in_the_queue_and_is_done_once(
    host: Host, server: Postfix, serving: AbstractContextManager[object], reason: str
) -> None:
    with serving:
        put_off_and_done_once(host, server, reason)


@ways("lmtp", "pipe")
def test_a_letter_to_somebody_the_mail_server_does_not_know_is_set_aside(
    host: Host, server: Postfix, serving: AbstractContextManager[object]
) -> None:
    def failed() -> list[str]:
        letters = json.loads(host.run("outbox", "list", "--json").stdout)
        return [letter["to"] for letter in letters if letter["state"] == "failed"]

    with serving:
        Player("carl", "wonderland", host).send("signup carl wonderland")
        assert wait_until(failed, "a letter that is set aside") == ["carl@example.org"]
    wait_until(lambda: server.queue() == [], "an empty queue")


def test_postfix_refuses_mail_to_other_names_at_once(host: Host, server: Postfix) -> None:
    with host.client() as smtp:
        smtp.ehlo()
        smtp.mail("alice@example.org")
        names = ("pbmserv", "pbmserv+tag", "pbmserver", "nobody.here")
        answers = [smtp.rcpt(f"{name}@games.example.org")[0] for name in names]
    assert answers == [250, 250, 550, 550]


def test_a_command_hidden_behind_a_bare_line_end_is_not_carried_out(
    host: Host, server: Postfix
) -> None:
    hidden = (
        b"From: alice@example.org\r\nSubject: help\r\n\r\nHello.\n.\r\n"
        b"MAIL FROM:<bob@example.org>\r\nRCPT TO:<" + COMMANDS.encode() + b">\r\nDATA\r\n"
        b"From: bob@example.org\r\nSubject: signup bob lookingglass\r\n\r\n.\r\n"
    )
    with host.serving(), host.client() as smtp:
        smtp.ehlo()
        smtp.mail("alice@example.org")
        smtp.rcpt(COMMANDS)
        smtp.docmd("DATA")
        assert isinstance(smtp.sock, socket.socket)
        smtp.sock.sendall(hidden)
        assert smtp.getreply()[0] == 250
        assert Player("alice", "wonderland", host).wait_for_mail()[0]["Subject"] == "the help"
        wait_until(lambda: server.queue() == [], "an empty queue")
    assert host.run("players", "list").stdout == ""


@ways("pipe")
def test_a_mail_with_the_null_sender_is_not_answered(host: Host, server: Postfix) -> None:
    with host.client() as smtp:
        smtp.sendmail("", COMMANDS, "From: alice@example.org\r\nSubject: oust games\r\n\r\n")
    line = server.wait_for_log("to=<pbmserv@.*status=sent")
    assert "delivered via pbm_oust service" in line
    alice = Player("alice", "wonderland", host)
    alice.send("help")
    assert [mail["Subject"] for mail in alice.wait_for_mail()] == ["the help"]


@ways("exim")
def test_exim_delivers_all_letters_at_once(host: Host, server: Exim, home: Home) -> None:
    to, at = "alice@example.org", datetime.now(UTC)
    content = f"From: {COMMANDS}\nTo: {to}\nSubject: hello\n\n".encode()
    post(home, *[Draft(Head(to, "<1@example.com>", "hello"), content, at)] * 25)
    relaying = Relaying(home, Endpoint("127.0.0.1", host.smtp_port), COMMANDS, time.time)
    assert relaying.flush() == Flushed(sent=25)
    wait_until(lambda: server.log.count(" Completed") == 25, "all letters in the mailbox")
    assert "no immediate delivery" not in server.log
