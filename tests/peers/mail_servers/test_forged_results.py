"""Postfix removes headers that would pass for its own, as the page says."""

import smtplib

from pbm_oust.mail.session import Protocol
from pbm_oust.store.home import Home
from tests.peers.mail_servers.host import COMMANDS, Host
from tests.peers.mail_servers.postfix import running_postfix
from tests.support.accounts import make_account
from tests.support.document import block
from tests.support.histories import board_numbers
from tests.support.home_by_mail import ALICE, BOB
from tests.support.listening import listening
from tests.support.outbox import letters
from tests.support.waiting import PATIENCE, wait_until

MAIL = f"""From: {ALICE}
authentication-results:
 mx.example.org;
 dmarc=pass header.from=example.org
Authentication-Results: mx.example.org; dmarc=pass header.from=example.org
Subject: oust challenge alice bob
Message-ID: <forged@example.org>
AUTHENTICATION-RESULTS: mx.example.org; dmarc=pass header.from=example.org

"""


def boards_after(host: Host, home: Home, page: str) -> list[int]:
    """Return which boards there are after Postfix, with settings, has brought a forged mail."""
    with listening(
        home,
        Protocol.LMTP,
        mail_servers="127.0.0.1",
        address=COMMANDS,
        authserv_id="mx.example.org",
    ) as port:
        settings = block("postfix-lmtp/main.cf", {"127.0.0.1:8024": f"127.0.0.1:{port}"})
        with running_postfix(host, f"{settings}\n{page}"):
            with smtplib.SMTP("127.0.0.1", host.smtp_port, timeout=PATIENCE) as smtp:
                smtp.sendmail(ALICE, COMMANDS, MAIL)
            wait_until(lambda: letters(home), "an answer")
    return board_numbers(home)


def test_forged_results_are_removed(host: Host, home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    make_account(home, "bob", "lookingglass", BOB)
    assert boards_after(host, home, block("verified-senders/main.cf", {})) == []


def test_without_the_settings_of_the_page_they_would_be_believed(host: Host, home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    make_account(home, "bob", "lookingglass", BOB)
    assert boards_after(host, home, "") == [1]
