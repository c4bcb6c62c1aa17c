"""SMTP conversations, and what is on the disk when they have been answered."""

import asyncio
import socket
import stat
import time

import pytest

from pbm_oust.mail.clients import S250_DONE, S451_LATER, ConnectionLimits, Patience
from pbm_oust.mail.handler import Handler
from pbm_oust.mail.inbound import open_inbound
from pbm_oust.mail.listener import CannotListen, bound_endpoint, listen
from pbm_oust.mail.session import Protocol, Session
from pbm_oust.mail.tls import Tls
from pbm_oust.mail.workers import Workers
from pbm_oust.store.configuration import Endpoint
from pbm_oust.store.home import Home
from tests.support.accounts import all_codes, damage_account, make_account
from tests.support.histories import lay_histories
from tests.support.listening import (
    ADDRESS,
    ALICE,
    NOW,
    ask,
    begin,
    client_of,
    command,
    deliver,
    listening,
    send,
)
from tests.support.mails import mail
from tests.support.waiting import PATIENCE

SIGNUP = command("signup alice wonderland", "Message-ID: <1@example.org>")


def test_a_client_that_has_said_all_still_hears_the_replies(home: Home, port: int) -> None:
    lines = f"HELO x\r\nMAIL FROM:<{ALICE}>\r\nRCPT TO:<{ADDRESS}>\r\nDATA\r\n".encode()
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
        client.sendall(lines + SIGNUP + b"\r\n.\r\n")
        client.shutdown(socket.SHUT_WR)
        with client.makefile() as replies:
            assert [each[:3] for each in replies] == ["220", "250", "250", "250", "354", "250"]
    assert len(home.ask(all_codes)) == 1


# Failures of ours


@pytest.mark.parametrize(
    ("protocol", "greeting"), [(Protocol.SMTP, "EHLO"), (Protocol.LMTP, "LHLO")]
)
def test_what_the_home_refuses_is_put_off_and_done_when_it_comes_again(
    protocol: Protocol, greeting: str, home: Home
) -> None:
    with listening(home, protocol) as port, client_of(port, greeting) as client:
        away = home.key_path.rename(home.path / "elsewhere")
        begin(client)
        assert send(client, SIGNUP) == S451_LATER
        assert home.ask(all_codes) == []
        away.rename(home.key_path)
        begin(client)
        assert send(client, SIGNUP) == S250_DONE
    assert len(home.ask(all_codes)) == len(home.outbox.letters()) == 1


@pytest.mark.parametrize(
    ("subject", "answer"),
    [("oust show 1", S250_DONE), ("oust move 1 alice wonderland D4", S451_LATER)],
)
def test_only_what_a_player_writes_on_a_damaged_board_is_put_off(
    home: Home, port: int, subject: str, answer: str
) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    lay_histories(home, {1: "pbm_oust history 1\nKind: chess\n"})
    assert deliver(port, command(subject)) == answer


def test_a_command_with_a_damaged_account_is_put_off(home: Home, port: int) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    damage_account(home, "alice")
    assert deliver(port, command("oust move 1 alice wonderland A1")) == S451_LATER


def test_a_database_that_cannot_be_opened_puts_mail_off_until_it_can(home: Home, port: int) -> None:
    assert deliver(port, command("help")) == S250_DONE
    path = home.database_path
    away = path.rename(home.path / "elsewhere")
    path.mkdir()
    assert deliver(port, SIGNUP) == S451_LATER
    path.rmdir()
    away.rename(path)
    assert deliver(port, SIGNUP) == S250_DONE
    assert len(home.outbox.letters()) == 2


def test_letters_wait_for_an_outbox_that_cannot_be_written(home: Home, port: int) -> None:
    (home.outbox.path / "tmp").rmdir()
    assert deliver(port, SIGNUP) == S250_DONE
    assert [*(home.outbox.path / "new").iterdir()] == []
    (home.outbox.path / "tmp").mkdir()
    assert deliver(port, command("help")) == S250_DONE
    assert len([*(home.outbox.path / "new").iterdir()]) == 2


def test_a_client_that_goes_away_does_not_interrupt_its_command(home: Home, port: int) -> None:
    with client_of(port) as client:
        begin(client)
        ask(client, "DATA")
        client.send(SIGNUP + b"\r\n.\r\n")
        assert isinstance(client.sock, socket.socket)
        client.sock.shutdown(socket.SHUT_RDWR)
        client.close()
    deadline = time.monotonic() + PATIENCE
    while not home.outbox.letters() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(home.ask(all_codes)) == 1


@pytest.mark.parametrize("address", ["=?utf-8?q?a=0Ab?=@example.net", "=?utf-8?q?=0D?=@b.c"])
def test_a_mail_that_cannot_be_answered_is_not_put_off_for_ever(port: int, address: str) -> None:
    assert deliver(port, mail(f"From: {address}", "Subject: help")) != S451_LATER


# Where it listens


def session_of(handler: Handler) -> Session:
    return Session(handler, Protocol.SMTP, ConnectionLimits(), Patience(), Tls())


def listen_at(endpoint: Endpoint, home: Home) -> None:
    async def start() -> None:
        with Workers() as workers:
            handler = Handler(open_inbound(home, ADDRESS, lambda: NOW), workers, lambda: None)
            (await listen(endpoint, session_of(handler))).close()

    asyncio.run(start())


def test_servers_on_a_database_share_a_port(home: Home) -> None:
    async def both() -> None:
        with Workers() as workers:
            handler = Handler(open_inbound(home, ADDRESS, lambda: NOW), workers, lambda: None)
            session = session_of(handler)
            first = await listen(Endpoint("127.0.0.1", 0), session, is_shared=True)
            place = bound_endpoint(first, Endpoint("127.0.0.1", 0))
            second = await listen(place, session, is_shared=True)
            with pytest.raises(CannotListen):
                await listen(place, session)
            first.close()
            second.close()

    asyncio.run(both())


def test_a_path_can_be_listened_at_again(home: Home) -> None:
    path = home.path / "lmtp"
    for _ in range(2):
        listen_at(Endpoint(path=str(path)), home)
        assert stat.S_IMODE(path.stat().st_mode) == 0o660


def test_a_path_at_which_somebody_listens_is_left_to_them(home: Home) -> None:
    path = str(home.path / "lmtp")
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(path)
        other.listen()
        with pytest.raises(CannotListen, match=f"cannot listen at unix:{path}: Address already"):
            listen_at(Endpoint(path=path), home)
        with socket.socket(socket.AF_UNIX) as asking:
            asking.connect(path)
    listen_at(Endpoint(path=path), home)
