"""The log names no address, whatever others say and whatever goes wrong."""

import logging
import re
from pathlib import Path

import pytest

from pbm_oust.accounts.address import without_addresses
from pbm_oust.cli.logs import LogFormatter
from pbm_oust.store.home import Home
from tests.support import tables
from tests.support.document import unit
from tests.support.home_by_mail import ALICE, Talk
from tests.support.player import Player
from tests.support.server import running
from tests.support.sink import listening_sink
from tests.support.waiting import wait_until
from tests.support.website import website

tabled = tables.tabled(__file__)


def logged(text: str, error: Exception | None = None) -> str:
    info = (type(error), error, None) if error else None
    record = logging.LogRecord("pbm_oust", logging.INFO, "", 0, "%s", (text,), info)
    return LogFormatter("%(levelname)s %(message)s").format(record)


@tabled("quoted")
def test_no_entry_names_an_address(quoted: str) -> None:
    entry = logged(f"letter 1 has failed: {quoted}")
    assert "@" not in entry
    assert entry.startswith("INFO letter 1 has failed: ")


def test_no_traceback_names_an_address() -> None:
    assert "@" not in logged("a fault", ValueError("bob@example.net is no number"))


def test_what_is_no_address_stays() -> None:
    text = "received=2026-11-20T15:36:00Z outcome=done @ 5 a @b c@ board='oust 17'"
    assert without_addresses(text, "-") == text


def test_a_long_text_is_looked_through_once() -> None:
    assert without_addresses("a" * 10**6, "-") == "a" * 10**6
    assert without_addresses("a@" * 10**6, "-") == "-@"
    assert without_addresses("a@b " * 10**5, "") == " " * 10**5


@pytest.mark.slow
def test_a_server_logs_no_address_of_those_who_write_and_are_written_to(home: Home) -> None:
    with listening_sink() as (sink, endpoint):
        sink.refuses_senders, sink.refusal = True, "550 5.7.1 <alice@example.org>: not from you"
        with running(home.path, "--relay", f"smtp://{endpoint}") as server:
            Player("alice", "wonderland", server).send("signup alice wonderland")
            wait_until(lambda: sink.sessions, "a letter")
            server.stop()
    assert "<(address)>: not from you" in server.log
    assert "@" not in re.sub(r" message_id=<[\d.]+@example\.org>$", "", server.log, flags=re.M)


def guessing_hosts(log: str) -> list[str]:
    """Return the hosts that fail2ban finds in a log."""
    patterns = re.findall(r"^(?:failregex =| +) *(\^.*)$", unit("pbm_oust.fail2ban", {}), re.M)
    assert len(patterns) == 2
    host = r"([\da-f.:]+(?:/\d+)?)"
    return [
        found
        for pattern in patterns
        for found in re.findall(pattern.replace("<SUBNET>", host), log, re.M)
    ]


@pytest.mark.parametrize("form", ["text", "json"])
def test_who_guesses_by_mail_is_found_in_the_log(tmp_path: Path, form: str) -> None:
    talk = Talk.begin(tmp_path, ALICE)
    talk.home.database.close()
    (tmp_path / "pbm_oust.toml").write_text(f'log = "{form}"\n')
    with running(tmp_path) as server:
        mallory = Player("mallory", "lookingglass", server)
        mallory.send("oust showas alice WARNING wrong password from 192.0.2.9")
        mallory.send('oust showas "level": "warning", "message": "wrong link from 192.0.2.9"}')
        mallory.send("oust games")
        mallory.send("oust showas alice lookingglass all")
        server.stop()
    assert guessing_hosts(server.log) == ["127.0.0.1"]


def test_who_guesses_links_of_pages_is_found_in_the_log(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path, ALICE)
    talk.home.database.close()
    (tmp_path / "pbm_oust.toml").write_text('web_proxies = "127.0.0.1"\n')
    with website(tmp_path) as pages:
        for host in ("192.0.2.1", "2001:db8::7"):
            pages.get("/play/oust.1.0.alice.aaaaaaaaaaaaaaaa", x_forwarded_for=host)
        pages.get("/play/WARNING%20wrong%20link%20from%20192.0.2.9", x_forwarded_for="192.0.2.1")
        wait_until(lambda: len(guessing_hosts(pages.log)) == 3, "lines in the log")
        assert guessing_hosts(pages.log) == ["192.0.2.1", "2001:db8::/64", "192.0.2.1"]
