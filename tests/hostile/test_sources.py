"""Where a mail comes from: its client, or whom a hop of ours names, and nobody else."""

import smtplib
import socket
from contextlib import ExitStack
from ipaddress import ip_address

import pytest

from pbm_oust.mail.clients import (
    KEPT_FOR_MAIL_SERVERS,
    MOST_CONNECTIONS,
    MOST_CONNECTIONS_OF_ONE,
    S250_DONE,
    S421_BUSY_SOURCE,
    ConnectionLimits,
    TurnedAway,
    source_at,
)
from pbm_oust.mail.inbound import Envelope
from pbm_oust.store.configuration import parse_networks
from pbm_oust.store.home import Home
from tests.support import tables
from tests.support.listening import ask, begin, client_of, command, listening, send
from tests.support.waiting import PATIENCE

tabled = tables.tabled(__file__)


def mail_help(client: smtplib.SMTP, number: int = 1) -> None:
    begin(client)
    assert send(client, command("help", f"Message-ID: <{number}@example.org>")) == S250_DONE


def sources_after(home: Home, *commands: str, mail_servers: str = "127.0.0.1") -> list[str]:
    """Return the source of a mail that comes after some commands, and of another one."""
    taken: list[Envelope] = []
    with (
        listening(home, mail_servers=mail_servers, taken=taken) as port,
        client_of(port) as client,
    ):
        for each in commands:
            ask(client, each)
        client.ehlo() if "XCLIENT" in "".join(commands) else None
        mail_help(client, 1)
        mail_help(client, 2)
    return [envelope.source for envelope in taken]


@tabled("commands", "first", "second")
def test_our_mail_servers_name_the_source_of_a_session_or_of_one_mail(
    home: Home, commands: str, first: str, second: str
) -> None:
    assert sources_after(home, *filter(None, commands.split("; "))) == [first, second]


@pytest.mark.parametrize("commands", [[], ["XCLIENT ADDR=192.0.2.7"], ["XFORWARD ADDR=192.0.2.7"]])
def test_a_stranger_is_the_source_of_its_mail_and_names_nobody(
    home: Home, commands: list[str]
) -> None:
    assert sources_after(home, *commands, mail_servers="") == ["127.0.0.1"] * 2


def test_whom_a_proxy_names_is_the_source(home: Home) -> None:
    taken: list[Envelope] = []
    line = b"PROXY TCP4 192.0.2.7 127.0.0.1 40000 25\r\n"
    with (
        listening(home, proxies="127.0.0.1", taken=taken) as port,
        socket.create_connection(("127.0.0.1", port), PATIENCE) as plain,
        smtplib.SMTP(timeout=PATIENCE) as client,
    ):
        plain.sendall(line)
        client.sock = plain
        assert client.getreply()[0] == 220
        client.ehlo()
        mail_help(client)
    assert [envelope.source for envelope in taken] == ["192.0.2.7"]


def opened(port: int, first: str) -> socket.socket:
    """Return a connection that begins with a line."""
    client = socket.create_connection(("127.0.0.1", port), PATIENCE)
    client.sendall(f"{first}\r\n".encode())
    return client


def said_by(client: socket.socket) -> str:
    """Return the last line that has come."""
    with client.makefile() as lines:
        return lines.readline().rstrip()


def test_clients_behind_a_proxy_count_one_by_one(home: Home) -> None:
    line = "PROXY TCP4 192.0.2.{} 127.0.0.1 40000 25"
    with listening(home, proxies="127.0.0.1") as port, ExitStack() as held:
        for _ in range(MOST_CONNECTIONS_OF_ONE):
            client = held.enter_context(opened(port, line.format(7)))
            assert said_by(client).startswith("220")
        assert said_by(held.enter_context(opened(port, line.format(7)))) == S421_BUSY_SOURCE
        assert said_by(held.enter_context(opened(port, line.format(8)))).startswith("220")


def test_clients_of_a_mail_server_count_one_by_one(home: Home) -> None:
    with listening(home, mail_servers="127.0.0.1") as port, ExitStack() as held:
        for _ in range(MOST_CONNECTIONS_OF_ONE):
            client = held.enter_context(client_of(port))
            assert ask(client, "XCLIENT ADDR=192.0.2.7").startswith("220")
        client = held.enter_context(client_of(port))
        assert ask(client, "XCLIENT ADDR=192.0.2.7") == S421_BUSY_SOURCE
        with pytest.raises(smtplib.SMTPServerDisconnected):
            client.getreply()


def test_strangers_behind_a_proxy_leave_room_for_mail_servers() -> None:
    proxy, ours = source_at(ip_address("10.0.0.1")), source_at(ip_address("10.0.0.2"))
    limits = ConnectionLimits(parse_networks("10.0.0.2"), parse_networks("10.0.0.1"))
    for number in range(MOST_CONNECTIONS - KEPT_FOR_MAIL_SERVERS):
        limits.take_client(limits.admit(proxy), source_at(ip_address(f"192.0.2.{number}")))
    with pytest.raises(TurnedAway):
        limits.admit(proxy)
    limits.admit(ours)
