"""Metrics of a real server, as the parser of Prometheus' own library reads them."""

import re
import smtplib
import socket
import threading
import urllib.request
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest
from prometheus_client.parser import text_string_to_metric_families

from pbm_oust import __version__
from pbm_oust.mail import metrics
from pbm_oust.mail.handler import BOUNDS, Counts
from pbm_oust.play.request import Ending, Handled
from pbm_oust.store.configuration import Endpoint
from pbm_oust.store.home import Home
from pbm_oust.store.letters import Draft, Head
from pbm_oust.store.message_keys import Occasion, note_occasion
from pbm_oust.store.upkeep import read_gauges
from tests.support.command_line import done
from tests.support.document import example
from tests.support.home_by_mail import ALICE, BOB, home_of
from tests.support.mails import mail
from tests.support.outbox import post
from tests.support.ports import free_port
from tests.support.server import ADDRESS, Server, running
from tests.support.sink import listening_sink
from tests.support.waiting import PATIENCE, wait_until
from tests.support.website import Site

Found = dict[tuple[str, ...], float]
"""Samples by the name of their metric, and the values of their labels."""

LINES = (
    ("challenge", ALICE, "oust challenge alice bob wonderland -size=5"),
    ("move", ALICE, "oust move 1 alice wonderland C3"),
    ("move", BOB, "oust move 1 bob wrong E5"),
    ("help", ALICE, "help"),
)
OUTCOMES = {"done": 2, "refused": 1, "answered": 1}


@pytest.fixture
def endpoint() -> str:
    """Where metrics are to be served: a place that is free."""
    return f"127.0.0.1:{free_port()}"


def home_with(path: Path, endpoint: str) -> Path:
    """Make a home with alice and bob, and metrics at an endpoint."""
    home_of(path, ALICE, BOB).close()
    (path / "pbm_oust.toml").write_text(f'metrics = "{endpoint}"\n')
    return path


def metrics_at(endpoint: str) -> Found:
    """Return the samples at an endpoint."""
    with urllib.request.urlopen(f"http://{endpoint}/metrics", timeout=PATIENCE) as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=")
        text = answer.read().decode()
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def send(server: Server, number: int, sender: str, line: str) -> None:
    """Send a mail over a connection of its own; any process may take it."""
    message = mail(f"From: {sender}", f"Subject: {line}", f"Message-ID: <{number}@example.org>")
    with smtplib.SMTP("127.0.0.1", server.port, "localhost", PATIENCE) as smtp:
        smtp.sendmail(sender, ADDRESS, message)


def labelled(found: Found, name: str) -> Found:
    """Return the samples of a metric that are not 0, by the values of their labels."""
    return {key[1:]: value for key, value in found.items() if key[0] == name and value}


def test_a_server_tells_what_became_of_mails_and_what_the_home_holds(
    tmp_path: Path, endpoint: str
) -> None:
    home = home_with(tmp_path / "home", endpoint)
    done(home, "backup", str(tmp_path / "copy"))
    with running(home) as server:
        for number, (_, sender, line) in enumerate(LINES):
            send(server, number, sender, line)
        found = metrics_at(endpoint)
        assert server.stop() == 0
    assert found["pbm_oust_takes_mail",] == 1
    assert 0 <= found["pbm_oust_backup_age_seconds",] < PATIENCE
    (build,) = (key for key in found if key[0] == "pbm_oust_build_info")
    assert __version__ in build
    assert found["process_resident_memory_bytes",] > 10**7
    outcomes = {(outcome,): number for outcome, number in OUTCOMES.items()}
    assert labelled(found, "pbm_oust_mails_total") == outcomes
    assert labelled(found, "pbm_oust_commands_total") == {
        ("challenge",): 1,
        ("move",): 2,
        ("help",): 1,
    }
    assert (
        found["pbm_oust_mail_seconds_count",] == found["pbm_oust_mail_seconds_bucket", "+Inf"] == 4
    )
    assert 0 < found["pbm_oust_mail_seconds_sum",] < 4 * PATIENCE
    assert found["pbm_oust_boards", "oust", "active"] == 1
    assert found["pbm_oust_letters", "file"] >= 4
    assert found["pbm_oust_oldest_letter_seconds",] == 0
    assert 0 <= found["pbm_oust_sweep_lag_seconds",] < PATIENCE
    assert found["pbm_oust_store_up",] == 1


@pytest.mark.slow
def test_metrics_go_on_without_the_store(tmp_path: Path, endpoint: str) -> None:
    home = home_with(tmp_path / "home", endpoint)
    with running(home) as server:
        connection = apsw.Connection(str(home / "pbm_oust.db"))
        connection.execute("PRAGMA user_version = 1000")
        connection.close()
        with pytest.raises(smtplib.SMTPDataError, match="451"):
            send(server, 1, ALICE, "help")
        found = metrics_at(endpoint)
    assert found["pbm_oust_store_up",] == found["pbm_oust_takes_mail",] == 0
    assert found["pbm_oust_mails_total", "kept"] == 1
    assert ("pbm_oust_boards", "oust", "active") not in found


def test_the_processes_beside_a_server_are_counted_too(tmp_path: Path, endpoint: str) -> None:
    home, port = home_with(tmp_path / "home", endpoint), free_port()
    with listening_sink() as (_, relay):
        options = ("--relay", f"smtp://{relay}", "--web", f"127.0.0.1:{port}")
        with running(home, *options) as server:
            pages = Site(port)
            wait_until(lambda: _answers(pages), "the pages to answer")
            assert pages.get("/nosuch").status == 404
            send(server, 1, "slow@example.org", "help")
            send(server, 2, "unknown@example.org", "help")
            send(server, 3, ALICE, "oust challenge alice house1 wonderland -size=4")
            send(server, 4, ALICE, "oust move 1 alice wonderland B2")
            wanted = {
                ("pbm_oust_house_deeds_total", "turn"): 1,
                ("pbm_oust_relayed_letters_total", "sent"): 3,
                ("pbm_oust_relayed_letters_total", "put_off"): 1,
                ("pbm_oust_relayed_letters_total", "failed"): 1,
                ("pbm_oust_page_requests_total", "4xx"): 1,
                ("pbm_oust_page_requests_total", "2xx"): 1,
            }
            wait_until(
                lambda: all(metrics_at(endpoint)[key] >= wanted[key] for key in wanted),
                "all of that to be counted",
            )
            found = metrics_at(endpoint)
            server.stop()
    assert found["pbm_oust_relayed_letters_total", "failed"] == 1
    assert found["pbm_oust_page_requests_total", "4xx"] == 1
    assert found["pbm_oust_letters_waiting", "60"] == 0


def _answers(pages: Site) -> bool:
    with suppress(OSError):
        return pages.get("/healthz").status == 200
    return False


def test_letters_that_wait_are_counted_by_their_age(home: Home) -> None:
    home.has_relay = True
    now = datetime.now(UTC).replace(microsecond=0)
    for age in (30, 90, 4000):
        posted = now - timedelta(seconds=age)
        post(home, Draft(Head(ALICE, f"<{age}@example.com>", "-"), b"", posted))
    assert home.ask(read_gauges, now).older == {60: 2, 300: 1, 1800: 1, 3600: 1, 21600: 0, 86400: 0}


def test_rules_and_dashboard_ask_for_metrics_that_there_are(tmp_path: Path) -> None:
    home = home_of(tmp_path, ALICE, BOB, mails=[(ALICE, "oust challenge alice bob wonderland")])
    home.do(note_occasion, Occasion.BACKUP, datetime.now(UTC))
    collected = metrics.Metrics(home, Counts(), lambda: datetime.now(UTC))
    with metrics.served(collected, Endpoint("127.0.0.1", 0)) as port:
        there = {key[0] for key in metrics_at(f"127.0.0.1:{port}")}
    for name, least in (("pbm_oust.rules.yml", 8), ("pbm_oust.dashboard.json", 10)):
        text = example(f"prometheus/{name}", {})
        asked = set(re.findall(r"\b((?:pbm_oust|process)_[a-z_]+)(?=\{|\[|,| [<>=]|\))", text))
        assert len(asked) >= least
        assert asked <= there


def test_mails_are_counted_by_how_long_their_senders_have_waited() -> None:
    counts = Counts()
    for seconds in (0.001, BOUNDS[0], BOUNDS[-1], BOUNDS[-1] + 1):
        counts.note(Handled(Ending.KEPT), seconds)
    assert (counts.waits[0], *counts.waits[-2:]) == (2, 1, 1)
    assert counts.outcomes == {Ending.KEPT: 4}
    assert not counts.commands


def test_connections_that_say_nothing_are_closed_and_take_few_threads(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics._Handler, "timeout", PATIENCE)
    collected = metrics.Metrics(home, Counts(), lambda: datetime.now(UTC))
    with metrics.served(collected, Endpoint("127.0.0.1", 0)) as port, ExitStack() as clients:
        place = ("127.0.0.1", port)
        most = threading.active_count() + metrics.MOST_CONNECTIONS
        silent = [
            clients.enter_context(socket.create_connection(place, PATIENCE)) for _ in range(40)
        ]
        assert metrics_at(f"127.0.0.1:{port}")
        wait_until(lambda: threading.active_count() <= most, "the others to have ended")
        assert {client.recv(1) for client in silent[: -metrics.MOST_CONNECTIONS]} == {b""}
        monkeypatch.setattr(metrics._Handler, "timeout", 0.1)
        assert clients.enter_context(socket.create_connection(place, PATIENCE)).recv(1) == b""
