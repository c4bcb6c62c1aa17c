"""Players whose mail goes through a host's mail server, and a whole game between them."""

import json
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager

import apsw

from pbm_oust.store.home import Home
from pbm_oust.store.verifications import all_bounces
from tests.peers.mail_servers.host import Host
from tests.peers.mail_servers.postfix import Postfix
from tests.support.player import Letters, Player, latest_mail, play_to_the_end
from tests.support.waiting import wait_until

PASSWORDS = {"alice": "wonderland", "bob": "lookingglass"}
Players = tuple[Player, Player]


def begin_a_game(host: Host) -> tuple[Players, Letters]:
    """Sign two players up and start a board; return them and the first board mails."""
    players = Player("alice", "wonderland", host), Player("bob", "lookingglass", host)
    for player in players:
        player.sign_up()
    players[0].send("oust challenge alice bob wonderland -size=5")
    return players, latest_mail(players)


def make_players(host: Host) -> None:
    """Make the players' accounts, and their mailboxes before any mail has come."""
    for userid, password in PASSWORDS.items():
        address = f"{userid}@example.org"
        made = host.run("players", "add", userid, address, "--password", password)
        assert made.returncode == 0, made.stderr
        for folder in ("", "cur", "new", "tmp"):
            path = host.mail / userid / folder
            path.mkdir(mode=0o700)
            shutil.chown(path, host.home.owner(), host.home.group())


def finish_the_game(host: Host, players: Players, latest: Letters) -> None:
    """Play until somebody wins, all letters coming as they should."""
    latest = play_to_the_end(players, latest)
    assert sorted(str(mail["Subject"]) for mail in latest.values()) in (
        ["oust 1: over, alice wins", "oust 1: over, you win"],
        ["oust 1: over, bob wins", "oust 1: over, you win"],
    )
    for mail in latest.values():
        assert mail["From"] == f"pbm_oust <{host.commands}>"
        assert mail["Return-Path"].startswith("<pbmserv+bounces")
    wait_until(lambda: host.run("outbox", "list").stdout == "", "an empty outbox")
    verified = host.run("games", "verify")
    assert verified.returncode == 0
    assert verified.stdout.startswith("oust 1: ok, ")


def wait_for_bounce(host: Host) -> tuple[str, str]:
    """Wait until a letter is known to have come back; return its recipient and why it did."""
    (returned,) = wait_until(lambda: Home(host.home).ask(all_bounces), "a bounce")
    (bounce,) = returned.bounces
    return returned.address, bounce.status


def records_of(host: Host) -> int:
    """Return how many records the first board has."""
    told = json.loads(host.run("games", "history", "oust", "1", "--json").stdout)
    return len(told["records"])


def put_off_and_done_once(host: Host, postfix: Postfix, reason: str) -> None:
    """Keep a move from being written; it stays in Postfix, and later it is done once."""
    (alice, bob), latest = begin_a_game(host)
    with unwritable(host):
        alice.follow_example(latest["alice"])
        postfix.wait_until_put_off(reason)
        assert records_of(host) == 0
    postfix.flush_until_empty()
    (mail,) = bob.wait_for_mail()
    assert mail["Subject"] == "oust 1 #2: your turn, bob"
    alice.wait_for_mail()
    postfix.flush()
    bob.send("help")
    (mail,) = bob.wait_for_mail()
    assert mail["Subject"] == "the help"
    assert alice.new_mail() == []
    assert records_of(host) == 1


@contextmanager
def unwritable(host: Host) -> Iterator[None]:
    """Keep everybody else from writing to the database of a home, for the body of the `with`."""
    with closing(apsw.Connection(str(host.home / "pbm_oust.db"))) as held:
        held.execute("BEGIN IMMEDIATE")
        yield
        held.execute("ROLLBACK")
