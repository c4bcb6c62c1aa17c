import json
import re
import socket
from collections.abc import Iterator

import pytest
from aiosmtpd.lmtp import LMTP

from tests.peers.mail_servers.games import (
    begin_a_game,
    finish_the_game,
    put_off_and_done_once,
    records_of,
    wait_for_bounce,
)
from tests.peers.mail_servers.host import COMMANDS, TAGGED, Host
from tests.peers.mail_servers.postfix import Postfix, running_postfix
from tests.support.document import block
from tests.support.player import Player
from tests.support.sink import listening_sink
from tests.support.waiting import wait_until


def _settings(lmtp_port: int) -> str:
    lmtp = block("postfix-lmtp/main.cf", {"127.0.0.1:8024": f"127.0.0.1:{lmtp_port}"})
    return lmtp + block("postfix-relay/main.cf", {})


@pytest.fixture
def postfix(host: Host) -> Iterator[Postfix]:
    host.configure()
    with running_postfix(host, _settings(host.lmtp_port)) as postfix:
        yield postfix


def test_a_whole_game_goes_through_postfix_and_lmtp(host: Host, postfix: Postfix) -> None:
    with host.serving():
        finish_the_game(host, *begin_a_game(host))
    wait_until(lambda: postfix.queue() == [], "an empty queue")


def test_mail_waits_in_postfix_while_the_server_is_down(host: Host, postfix: Postfix) -> None:
    with host.serving():
        (alice, bob), latest = begin_a_game(host)
    alice.follow_example(latest["alice"])
    postfix.wait_until_put_off("Connection refused")
    assert records_of(host) == 0
    with host.serving():
        postfix.flush_until_empty()
        (mail,) = bob.wait_for_mail()
    assert mail["Subject"] == "oust 1 #2: your turn, bob"
    assert records_of(host) == 1


def test_what_cannot_be_written_stays_in_postfix_and_is_done_once(
    host: Host, postfix: Postfix
) -> None:
    with host.serving():
        put_off_and_done_once(host, postfix, "451 4.3.0")


def test_postfix_refuses_mail_to_other_names_at_once(host: Host, postfix: Postfix) -> None:
    with host.client() as smtp:
        smtp.ehlo()
        smtp.mail("alice@example.org")
        answers = {
            name: smtp.rcpt(f"{name}@games.example.org")[0]
            for name in ("pbmserv", "pbmserv+tag", "pbmserver", "nobody.here")
        }
    assert answers == {
        "pbmserv": 250,
        "pbmserv+tag": 250,
        "pbmserver": 550,
        "nobody.here": 550,
    }


def test_the_tag_of_an_address_comes_through_postfix(host: Host) -> None:
    with (
        listening_sink(LMTP) as (sink, endpoint),
        running_postfix(host, _settings(endpoint.port)),
        host.client() as smtp,
    ):
        smtp.sendmail("", TAGGED, "From: alice@example.org\r\n\r\n")
        (envelope,) = sink.wait_for(1)
    assert (envelope.mail_from, envelope.rcpt_tos) == ("<>", [TAGGED])


def test_a_mail_to_two_forms_of_the_address_is_handed_over_at_once(
    host: Host, postfix: Postfix
) -> None:
    forms = [COMMANDS, COMMANDS.replace("@", "+games@")]
    mail = "From: alice@example.org\r\nSubject: signup alice wonderland\r\n\r\n"
    with host.serving(), host.client() as smtp:
        smtp.sendmail("alice@example.org", forms, mail)
        Player("alice", "wonderland", host).wait_for_mail()
        wait_until(lambda: postfix.queue() == [], "an empty queue")
    assert "status=bounced" not in postfix.log


def test_a_letter_to_somebody_postfix_does_not_know_is_set_aside(
    host: Host, postfix: Postfix
) -> None:
    with host.serving():
        Player("carl", "wonderland", host).send("signup carl wonderland")
        listed = wait_until(lambda: _failed(host), "a letter that is set aside")
    assert listed == [("carl@example.org", "failed")]
    wait_until(lambda: postfix.queue() == [], "an empty queue")


def _failed(host: Host) -> list[tuple[str, str]]:
    letters = json.loads(host.run("outbox", "list", "--json").stdout)
    told = [(letter["to"], letter["state"]) for letter in letters]
    return told if "failed" in dict(told).values() else []


def test_a_bounce_of_postfix_is_understood_and_nobody_answers_it(host: Host) -> None:
    host.configure()
    with (
        listening_sink() as (_, elsewhere),
        running_postfix(host, _settings(host.lmtp_port), outside=elsewhere.port) as postfix,
        host.serving(),
    ):
        alice = Player("alice", "wonderland", host)
        alice.send("signup alice wonderland alice@example.org unknown@elsewhere.example")
        assert wait_for_bounce(host) == ("unknown@elsewhere.example", "5.1.1")
        wait_until(lambda: postfix.queue() == [], "an empty queue")
        assert len(re.findall(r"from=<pbmserv\+bounces", postfix.log)) == 2


def test_a_command_hidden_behind_a_bare_line_end_is_not_carried_out(
    host: Host, postfix: Postfix
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
        wait_until(lambda: postfix.queue() == [], "an empty queue")
    assert host.run("players", "list").stdout == ""
