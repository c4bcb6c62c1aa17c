"""Two hosts with one database play one game, whichever of them a mail comes to."""

from collections import Counter
from contextlib import ExitStack
from email import message_from_bytes
from smtplib import SMTP

from tests.peers.databases.conftest import Host, mailed
from tests.support import tables
from tests.support.home_by_mail import ADDRESS
from tests.support.server import running
from tests.support.sink import Sink

GAME = tables.of(__file__)["game"]
RECORDS = ["x D4", "o E6", "x H8", "o resign"]
TOLD = dict.fromkeys(tables.words(__file__, "told"), 1)
"""The Subjects of all letters about the game, each of which leaves once."""


def subjects(relay: Sink) -> Counter[str]:
    """Return the Subjects of all letters that have left."""
    letters = [each.content for each in relay.taken if isinstance(each.content, bytes)]
    return Counter(
        message_from_bytes(each)["Subject"] for each in letters if isinstance(each, bytes)
    )


def history_at(host: Host) -> bytes:
    """Return the history of the board, as a host prints it."""
    printed = host.run("games", "history", "oust", "1")
    assert printed.returncode == 0, printed.stderr
    return printed.stdout


def records(history: bytes) -> list[str]:
    """Return what the records of a history say."""
    lines = history.decode().partition("\n\n")[2].splitlines()
    return [" ".join(line.split()[1:-2]) for line in lines if line.startswith(" ")]


def test_a_mail_that_comes_to_both_hosts_at_once_is_done_once(
    hosts: tuple[Host, Host], relay: Sink
) -> None:
    for number, (sender, line) in enumerate(GAME):
        begun = [
            host.begin("deliver", "--sender", sender, given=mailed(sender, line, number))
            for host in hosts
        ]
        for done in [end() for end in begun]:
            assert done.returncode == 0, done.stderr
    assert records(history_at(hosts[0])) == RECORDS
    told = subjects(relay)
    assert {subject: told[subject] for subject in TOLD} == TOLD


def test_two_servers_take_the_same_mails_at_once(hosts: tuple[Host, Host], relay: Sink) -> None:
    with ExitStack() as stack:
        servers = [stack.enter_context(running(host.folder)) for host in hosts]
        for number, (sender, line) in enumerate(GAME):
            clients = [stack.enter_context(SMTP("127.0.0.1", each.port)) for each in servers]
            for client in clients:
                client.sendmail(sender, [ADDRESS], mailed(sender, line, number))
        relay.wait_for(sum(TOLD.values()) + len(GAME))  # each mail is also answered as done before
        assert [server.stop() for server in servers] == [0, 0]
    assert records(history_at(hosts[0])) == RECORDS
    told = subjects(relay)
    assert {subject: told[subject] for subject in TOLD} == TOLD


def test_hosts_share_one_key(hosts: tuple[Host, Host]) -> None:
    homes = [host.home() for host in hosts]
    keys = {home.key() for home in homes}
    for home in homes:
        home.close()
    assert [len(key) for key in keys] == [32]
