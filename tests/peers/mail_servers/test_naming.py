"""Programs that name the client whose mail they hand on: Postfix with XFORWARD, and swaks."""

import smtplib

from pbm_oust.mail.inbound import Envelope
from pbm_oust.mail.session import Protocol
from pbm_oust.store.home import Home
from tests.peers.mail_servers.host import COMMANDS, Host
from tests.peers.mail_servers.postfix import running_postfix
from tests.support.document import block
from tests.support.listening import ALICE, listening
from tests.support.waiting import PATIENCE, wait_until

MAIL = "From: alice@example.org\r\nSubject: help\r\n\r\n"
ELSEWHERE = "127.0.0.9"


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
