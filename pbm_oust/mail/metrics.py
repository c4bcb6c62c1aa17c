"""Metrics in the format of Prometheus, for the operator alone.

Source: https://prometheus.io/docs/instrumenting/exposition_formats/.
"""

import platform
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import accumulate
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import CollectorRegistry, ProcessCollector, core, make_wsgi_app
from prometheus_client.registry import Collector

from pbm_oust import __version__
from pbm_oust.mail.handler import BOUNDS, Counts
from pbm_oust.mail.listener import CannotListen
from pbm_oust.play.request import Ending
from pbm_oust.robot.search import has_core
from pbm_oust.service.table import FORMS
from pbm_oust.store.configuration import Endpoint
from pbm_oust.store.database import LATEST
from pbm_oust.store.home import Home
from pbm_oust.store.tallies import Tallied, Tallies
from pbm_oust.store.upkeep import LETTERS_STAY, Gauges, find_trouble, read_gauges

MOST_CONNECTIONS = 8
"""The most connections; one more closes the oldest."""
IDLE_SECONDS = 5
"""The time after which a silent connection is closed."""


class Metrics(Collector):
    """Figures of a server and its home."""

    def __init__(self, home: Home, counts: Counts, clock: Callable[[], datetime]) -> None:
        self._home = home
        self._counts = counts
        self._clock = clock

    def collect(self) -> Iterator[core.Metric]:
        """Yield all metrics; if the store cannot be read, those of the home are left out."""
        yield core.InfoMetricFamily("pbm_oust_build", "The program", _BUILD)
        yield from _of_mails(self._counts)
        yield from _of_tallies(self._counts.tallies)
        trouble = find_trouble(self._home)
        yield core.GaugeMetricFamily(
            "pbm_oust_takes_mail",
            "Whether mail can be taken",
            float(trouble in (None, LETTERS_STAY)),
        )
        yield core.GaugeMetricFamily(
            "pbm_oust_connections_lent",
            "Connections to a database server that are in use to read",
            self._home.database.lent,
        )
        try:
            gauges = self._home.ask(read_gauges, self._clock())
        except OSError:
            gauges = None
        yield core.GaugeMetricFamily(
            "pbm_oust_store_up", "Whether the store can be read", float(gauges is not None)
        )
        if gauges:
            yield from _of_home(gauges, self._clock())


@contextmanager
def served(metrics: Metrics, endpoint: Endpoint) -> Iterator[int]:
    """Serve metrics at HOST:PORT while the body runs, and yield the port. Raises CannotListen."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(metrics)
    ProcessCollector(registry=registry)
    place, app = (endpoint.host, endpoint.port), make_wsgi_app(registry)
    try:
        _Server.address_family = socket.getaddrinfo(*place, proto=socket.IPPROTO_TCP)[0][0]
        server = make_server(*place, app, _Server, _Handler)
    except OSError as error:
        raise CannotListen(f"cannot listen at {endpoint}: {error.strerror}") from None
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(WSGIRequestHandler):
    """A connection with a time limit and without a log."""

    timeout = IDLE_SECONDS

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the library has it
        """Do nothing."""


class _Server(ThreadingMixIn, WSGIServer):
    """A server with a thread for each connection, and few of them."""

    daemon_threads = True

    def __init__(self, *given: Any) -> None:
        self._open = deque[socket.socket]()
        super().__init__(*given)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection; if there are too many, the oldest makes room."""
        self._open.append(request)
        if len(self._open) > MOST_CONNECTIONS:
            with suppress(OSError):
                self._open.popleft().shutdown(socket.SHUT_RDWR)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection."""
        with suppress(ValueError):  # it has made room
            self._open.remove(request)
        super().shutdown_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """Do nothing about a client that has left or was too slow."""


_BUILD = {
    "version": __version__,
    "tables": str(LATEST),
    "python": platform.python_version(),
    "core": "compiled" if has_core() else "none",
}


def _of_tallies(tallies: Tallies) -> Iterator[core.Metric]:
    """Yield what all processes of the server have counted."""
    for name, about, label, counted in (
        (
            "pbm_oust_relayed_letters",
            "Letters by what the relay said",
            "outcome",
            {"sent": Tallied.SENT, "put_off": Tallied.PUT_OFF, "failed": Tallied.FAILED},
        ),
        (
            "pbm_oust_page_requests",
            "Requests of pages by class of their status",
            "class",
            {f"{number}xx": Tallied.of_status(100 * number) for number in (2, 3, 4, 5)},
        ),
        (
            "pbm_oust_house_deeds",
            "What the house has done",
            "deed",
            {"turn": Tallied.TURNS, "analysis": Tallied.ANALYSES},
        ),
    ):
        metric = core.CounterMetricFamily(name, about, labels=[label])
        for word, tally in counted.items():
            metric.add_metric([word], tallies[tally])
        yield metric


def _of_mails(counts: Counts) -> Iterator[core.Metric]:
    mails = core.CounterMetricFamily(
        "pbm_oust_mails", "Mails by what became of them", labels=["outcome"]
    )
    for outcome in Ending:
        mails.add_metric([outcome.name.lower()], counts.outcomes[outcome])
    yield mails
    bounds = [*map(str, BOUNDS), "+Inf"]
    yield core.HistogramMetricFamily(
        "pbm_oust_mail_seconds",
        "How long senders waited for the answer to a mail",
        buckets=list(zip(bounds, accumulate(counts.waits), strict=True)),
        sum_value=counts.seconds,
    )
    commands = core.CounterMetricFamily("pbm_oust_commands", "Mails by command", labels=["command"])
    for name in sorted({form.name for form in FORMS}):
        commands.add_metric([name], counts.commands[name])
    yield commands
    yield core.GaugeMetricFamily(
        "pbm_oust_sweep_lag_seconds",
        "Seconds since a sweep of this server has ended, or since its start",
        max(0.0, time.time() - counts.swept),
    )


def _of_home(gauges: Gauges, now: datetime) -> Iterator[core.Metric]:
    letters = core.GaugeMetricFamily(
        "pbm_oust_letters", "Letters by where they are", labels=["state"]
    )
    for where, count in gauges.letters.items():
        letters.add_metric([where.value], count)
    yield letters
    age = max(0.0, (now - gauges.oldest).total_seconds()) if gauges.oldest else 0.0
    yield core.GaugeMetricFamily(
        "pbm_oust_oldest_letter_seconds", "The age of the oldest letter that waits", age
    )
    older = core.GaugeMetricFamily(
        "pbm_oust_letters_waiting",
        "Letters that have waited for the relay longer than so many seconds",
        labels=["older_than"],
    )
    for seconds, count in gauges.older.items():
        older.add_metric([str(seconds)], count)
    yield older
    if gauges.backed_up:
        since = max(0.0, (now - gauges.backed_up).total_seconds())
        yield core.GaugeMetricFamily(
            "pbm_oust_backup_age_seconds", "The age of the latest backup", since
        )
    boards = core.GaugeMetricFamily(
        "pbm_oust_boards", "Boards by game and state", labels=["game", "state"]
    )
    for labels, number in gauges.boards.items():
        boards.add_metric(labels, number)
    yield boards
