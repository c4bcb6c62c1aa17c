"""Metrics in the format of Prometheus, for the operator alone.

Source: https://prometheus.io/docs/instrumenting/exposition_formats/.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from pbm_oust.mail.counts import BOUNDS, Counts, Totals
from pbm_oust.mail.listener import CannotListen
from pbm_oust.store.configuration import Endpoint
from pbm_oust.store.gauges import Gauges, read_gauges
from pbm_oust.store.home import Home


class Metrics(Collector):
    """What the processes of a server have counted, and what the home holds."""

    def __init__(self, home: Home, counts: Counts, clock: Callable[[], datetime]) -> None:
        self._home = home
        self._counts = counts
        self._clock = clock

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics; if the store cannot be read, those of the home are left out."""
        yield from _of_mails(self._counts.totals())
        try:
            gauges = self._home.ask(read_gauges)
        except OSError:
            gauges = None
        yield GaugeMetricFamily(
            "pbm_oust_store_up", "Whether the store can be read", float(gauges is not None)
        )
        if gauges:
            yield from _of_home(gauges, self._clock())


@contextmanager
def served(metrics: Metrics, endpoint: Endpoint) -> Iterator[int]:
    """Serve metrics at HOST:PORT while the body runs, and give the port. Raises CannotListen."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(metrics)
    try:
        server, thread = start_http_server(endpoint.port, endpoint.host, registry)
    except OSError as error:
        raise CannotListen(f"cannot listen at {endpoint}: {error.strerror}") from None
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _of_mails(totals: Totals) -> Iterator[Metric]:
    mails = CounterMetricFamily(
        "pbm_oust_mails", "Mails by what became of them", labels=["outcome"]
    )
    for outcome, number in totals.outcomes.items():
        mails.add_metric([outcome.name.lower()], number)
    yield mails
    bounds = [*map(str, BOUNDS), "+Inf"]
    yield HistogramMetricFamily(
        "pbm_oust_mail_seconds",
        "How long senders waited for the answer to a mail",
        buckets=list(zip(bounds, totals.until, strict=True)),
        sum_value=totals.seconds,
    )
    commands = CounterMetricFamily("pbm_oust_commands", "Mails by command", labels=["command"])
    for name, number in totals.commands.items():
        commands.add_metric([name], number)
    yield commands
    yield GaugeMetricFamily(
        "pbm_oust_sweep_lag_seconds",
        "Seconds since a sweep of this server has ended, or since its start",
        max(0.0, time.time() - totals.swept),
    )
    yield GaugeMetricFamily(
        "pbm_oust_connections_lent",
        "Connections to a database server that are in use to read",
        totals.lent,
    )


def _of_home(gauges: Gauges, now: datetime) -> Iterator[Metric]:
    letters = GaugeMetricFamily("pbm_oust_letters", "Letters by where they are", labels=["state"])
    for where, count in gauges.letters.items():
        letters.add_metric([where.value], count)
    yield letters
    age = max(0.0, (now - gauges.oldest).total_seconds()) if gauges.oldest else 0.0
    yield GaugeMetricFamily(
        "pbm_oust_oldest_letter_seconds", "The age of the oldest letter that waits", age
    )
    boards = GaugeMetricFamily(
        "pbm_oust_boards", "Boards by game and state", labels=["game", "state"]
    )
    for labels, number in gauges.boards.items():
        boards.add_metric(labels, number)
    yield boards
