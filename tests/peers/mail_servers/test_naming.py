"""Programs that name the client whose mail they hand on: Postfix with XFORWARD, and swaks."""

import smtplib
import subprocess

import pytest

from pbm_oust.mail.inbound import Envelope
from pbm_oust.mail.session import Protocol
from pbm_oust.store.home import Home
from tests.peers.mail_servers.host import COMMANDS, PEERS, Host
from tests.peers.mail_servers.postfix import running_postfix
from tests.support.document import block
from tests.support.listening import ALICE, listening
from tests.support.waiting import PATIENCE, wait_until

MAIL = "From: alice@example.org\r\nSubject: help\r\n\r\n"
ELSEWHERE = "127.0.0.9"
PROXY = (
    "--proxy-source 192.0.2.7 --proxy-source-port 40000 --proxy-dest 127.0.0.1 --proxy-dest-port 25"
)
SECOND = "--proxy-version 2 --proxy-family AF_INET --proxy-protocol STREAM --proxy-command PROXY"


def test_postfix_names_the_client_of_each_mail(host: Host, home: Home) -> None:
    taken: list[Envelope] = []
    with listening(
        home, Protocol.LMTP, mail_servers="127.0.0.1", taken=taken, address=COMMANDS
    ) as port:
        settings = block("postfix-lmtp/main.cf", {"127.0.0.1:8024": f"127.0.0.1:{port}"})
        with running_postfix(host, settings):
            for client in (ELSEWHERE, "127.0.0.1"):
                with smtplib.SMTP(source_address=(client, 0), timeout=PATIENCE) as smtp:
                    smtp.connect("127.0.0.1", host.smtp_port)
                    smtp.sendmail(ALICE, COMMANDS, f"Message-ID: <{client}@example.org>\r\n{MAIL}")
            wait_until(lambda: len(taken) == 2, "two mails")
    assert {envelope.source for envelope in taken} == {ELSEWHERE, ""}


@pytest.mark.parametrize(
    ("options", "mail_servers", "proxies"),
    [
        ("--xclient ADDR=192.0.2.7", "127.0.0.1", ""),
        (f"--proxy-version 1 --proxy-family TCP4 {PROXY}", "", "127.0.0.1"),
        (f"{SECOND} {PROXY}", "", "127.0.0.1"),
    ],
    ids=["XCLIENT", "PROXY 1", "PROXY 2"],
)
def test_swaks_names_a_client(home: Home, options: str, mail_servers: str, proxies: str) -> None:
    taken: list[Envelope] = []
    with listening(
        home, mail_servers=mail_servers, proxies=proxies, taken=taken, address=COMMANDS
    ) as port:
        server = ("--server", "127.0.0.1", "--port", str(port), "--helo", "client.example.org")
        addresses = ("--from", ALICE, "--to", COMMANDS, "--header", "Subject: help")
        program = ("perl", PEERS / "swaks/usr/bin/swaks")
        done = subprocess.run(
            [*program, *server, *addresses, *options.split()], capture_output=True
        )
    assert done.returncode == 0, done.stdout
    assert [envelope.source for envelope in taken] == ["192.0.2.7"]
