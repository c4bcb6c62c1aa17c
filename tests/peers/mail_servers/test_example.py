"""Postfix with the settings of the example with containers; one server stands for three."""

from collections.abc import Iterator
from ipaddress import ip_network

import pytest

from tests.docs.test_examples import FOLDER, GATEWAY, NETWORK
from tests.peers.mail_servers.games import begin_a_game, finish_the_game
from tests.peers.mail_servers.host import Host
from tests.peers.mail_servers.postfix import Postfix, running_postfix
from tests.support.waiting import wait_until

OWN = "maillog_file = /dev/stdout\n"
"""Where Postfix writes its log in a container."""
NAMED = "smtpd_authorized_xclient_hosts = 127.0.0.1\n"
"""Lets a test say which address it has."""
SERVER = str(ip_network(NETWORK["ip_range"])[1])
STRANGER = "203.0.113.9"
TAKEN, REFUSED = 250, 554


@pytest.fixture
def postfix(host: Host) -> Iterator[Postfix]:
    host.configure()
    settings = (FOLDER / "main.cf").read_text()
    assert OWN in settings
    here = settings.replace(OWN, "").replace("servers:8024", f"127.0.0.1:{host.lmtp_port}")
    with running_postfix(host, f"{here}{NAMED}") as postfix:
        yield postfix


def test_a_whole_game_goes_through_the_postfix_of_the_example(host: Host, postfix: Postfix) -> None:
    with host.serving():
        finish_the_game(host, *begin_a_game(host))
    wait_until(lambda: postfix.queue() == [], "an empty queue")


@pytest.mark.parametrize(
    ("client", "elsewhere"), [(SERVER, TAKEN), (GATEWAY, REFUSED), (STRANGER, REFUSED)]
)
def test_mail_to_everywhere_is_taken_from_the_servers_alone(
    host: Host, postfix: Postfix, client: str, elsewhere: int
) -> None:
    with host.client() as smtp:
        smtp.ehlo()
        assert smtp.docmd("XCLIENT", f"ADDR={client} NAME=[UNAVAILABLE]")[0] == 220
        smtp.ehlo()
        smtp.mail("alice@example.org")
        assert smtp.rcpt("carol@example.net")[0] == elsewhere
        assert smtp.rcpt(host.commands)[0] == TAKEN
    assert postfix.queue() == []
