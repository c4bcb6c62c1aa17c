"""Postfix with the settings of the example with containers; one server stands for three."""

from collections.abc import Iterator

import pytest

from tests.docs.test_examples import FOLDER
from tests.peers.mail_servers.games import begin_a_game, finish_the_game
from tests.peers.mail_servers.host import Host
from tests.peers.mail_servers.postfix import Postfix, running_postfix
from tests.support.waiting import wait_until

OWN = "maillog_file = /dev/stdout\n"
"""Where Postfix writes its log in a container."""


@pytest.fixture
def postfix(host: Host) -> Iterator[Postfix]:
    host.configure()
    settings = (FOLDER / "main.cf").read_text()
    assert OWN in settings
    here = settings.replace(OWN, "").replace("servers:8024", f"127.0.0.1:{host.lmtp_port}")
    with running_postfix(host, here) as postfix:
        yield postfix


def test_a_whole_game_goes_through_the_postfix_of_the_example(host: Host, postfix: Postfix) -> None:
    with host.serving():
        finish_the_game(host, *begin_a_game(host))
    wait_until(lambda: postfix.queue() == [], "an empty queue")
