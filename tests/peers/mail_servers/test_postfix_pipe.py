from collections.abc import Iterator

import pytest

from pbm_oust.store.configuration import Endpoint
from tests.peers.mail_servers.games import (
    begin_a_game,
    finish_the_game,
    put_off_and_done_once,
    wait_for_bounce,
)
from tests.peers.mail_servers.host import COMMANDS, OWNER, Host
from tests.peers.mail_servers.postfix import Postfix, running_postfix
from tests.support.document import block
from tests.support.player import Player
from tests.support.sink import listening_sink
from tests.support.waiting import wait_until


@pytest.fixture
def sink() -> Iterator[Endpoint]:
    with listening_sink() as (_, endpoint):
        yield endpoint


@pytest.fixture
def postfix(host: Host, sink: Endpoint) -> Iterator[Postfix]:
    host.configure("postfix-pipe/pbm_oust.toml")
    settings = block("postfix-pipe/main.cf", {}) + block("postfix-relay/main.cf", {})
    service = block("postfix-pipe/master.cf", host.places)
    with running_postfix(host, settings, service, outside=sink.port) as postfix:
        yield postfix


def test_a_whole_game_goes_through_postfix_and_a_pipe(host: Host, postfix: Postfix) -> None:
    finish_the_game(host, *begin_a_game(host))
    wait_until(lambda: postfix.queue() == [], "an empty queue")
    assert (host.home / "oust" / "1.txt").owner() == OWNER


def test_what_deliver_cannot_write_stays_in_postfix_and_is_done_once(
    host: Host, postfix: Postfix
) -> None:
    put_off_and_done_once(host, postfix, "temporary failure")


def test_a_bounce_is_understood_by_deliver(host: Host, postfix: Postfix) -> None:
    alice = Player("alice", "wonderland", host)
    alice.send("signup alice wonderland alice@example.org unknown@elsewhere.example")
    assert wait_for_bounce(host) == ("unknown@elsewhere.example", "5.1.1")


def test_a_mail_with_the_null_sender_is_not_answered(host: Host, postfix: Postfix) -> None:
    with host.client() as smtp:
        smtp.sendmail("", COMMANDS, "From: alice@example.org\r\nSubject: oust games\r\n\r\n")
    line = postfix.wait_for_log("to=<pbmserv@.*status=sent")
    assert "delivered via pbm_oust service" in line
    alice = Player("alice", "wonderland", host)
    alice.send("help")
    assert [mail["Subject"] for mail in alice.wait_for_mail()] == ["the help"]


def test_a_mail_to_two_forms_of_the_address_is_handed_over_at_once(
    host: Host, postfix: Postfix
) -> None:
    forms = [COMMANDS, COMMANDS.replace("@", "+games@")]
    mail = "From: alice@example.org\r\nSubject: signup alice wonderland\r\n\r\n"
    with host.client() as smtp:
        smtp.sendmail("alice@example.org", forms, mail)
        Player("alice", "wonderland", host).wait_for_mail()
        wait_until(lambda: postfix.queue() == [], "an empty queue")
    assert "status=bounced" not in postfix.log


def test_a_letter_to_somebody_postfix_does_not_know_is_set_aside_by_deliver(
    host: Host, postfix: Postfix
) -> None:
    Player("carl", "wonderland", host).send("signup carl wonderland")
    postfix.wait_for_log("to=<pbmserv@.*status=sent")
    assert "  failed  carl@example.org  " in host.run("outbox", "list").stdout
