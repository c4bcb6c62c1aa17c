"""Servers on one database, or one on files, to which mails of many boards come at once."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from shutil import copytree, rmtree

import psycopg

from tests.speed.filled import copy_of, fill, make_even_smaller, make_small
from tests.speed.homes import BOARDS, WARMING, Form, configure
from tests.speed.running import NOWHERE, SHAPES, Run, mails_of, processor_time, send
from tests.support.postgresql import DatabaseServer
from tests.support.server import PROGRAM, logging_into

MADE, TRIED = "made", "tried"
"""The database that is filled, and the copy of it on which a run is made."""
SETTINGS = {"shared_preload_libraries": "pg_stat_statements", "shared_buffers": "512MB"}
"""What the database server counts its statements with."""
_COUNTERS = (
    "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0'), xact_commit,"
    " (SELECT sum(calls) FROM pg_stat_statements s WHERE s.dbid = d.datid)"
    " FROM pg_stat_database d WHERE datname = current_database()"
)


@dataclass(frozen=True, slots=True)
class Used:
    """What mails have cost the database, each: all is 0 where there is none."""

    log: float = 0.0
    """Bytes of its write-ahead log."""
    commits: float = 0.0
    statements: float = 0.0
    processor: float = 0.0
    """Seconds of processor time."""


class Several:
    """A home of files, and the same home with more boards in a database of a server."""

    def __init__(self, folder: Path, server: DatabaseServer, copies: int) -> None:
        self._server = server
        self._folder = folder
        self._numbers = count()
        self._home = make_small(folder, NOWHERE)
        for name in ("postgres", "template1"):
            server.do("CREATE EXTENSION pg_stat_statements", name)
        server.do(f"CREATE DATABASE {MADE} TEMPLATE template1")
        copy_of(self._home, folder / MADE, server.url(MADE), NOWHERE)
        if copies:
            fill(server, MADE, copies)

    @property
    def url(self) -> str:
        """The database that is filled."""
        return self._server.url(MADE)

    def on_files(self, mails: int) -> Run:
        """Return how a server on files makes so many moves."""
        path = self._folder / f"home{next(self._numbers)}"
        copytree(self._home, path)
        run, _ = self._moves([path], mails)
        rmtree(path)
        return run

    def on_database(self, hosts: int, mails: int) -> tuple[Run, Used]:
        """Return how so many servers on one database make so many moves together."""
        self._server.do(f"CREATE DATABASE {TRIED} TEMPLATE {MADE} STRATEGY file_copy")
        paths = [self._folder / f"host{next(self._numbers)}" for _ in range(hosts)]
        for path in paths:
            path.mkdir(mode=0o700)
            configure(path, NOWHERE, self._server.url(TRIED))
        found = self._moves(paths, mails)
        self._server.do(f"DROP DATABASE {TRIED} WITH (FORCE)")
        return found

    def of_both_sizes(self, copies: int) -> list[Path]:
        """Return the folders of homes with few boards in a database, and with many."""
        few, paths = make_even_smaller(self._folder), list[Path]()
        for name in ("fewer", "more"):
            self._server.do(f"CREATE DATABASE {name} TEMPLATE template1")
            paths.append(self._folder / name)
            copy_of(few, paths[-1], self._server.url(name), NOWHERE)
        fill(self._server, "more", copies)
        return paths

    def _moves(self, homes: list[Path], mails: int) -> tuple[Run, Used]:
        with ExitStack() as stack:
            servers = [stack.enter_context(self._serving(home)) for home in homes]
            self._sent(servers, WARMING * BOARDS, skipped=0)
            is_shared = homes[0].name.startswith("host")
            before = self._counters() if is_shared else (0.0,) * 4
            run = self._sent(servers, mails, skipped=WARMING)
            after = self._counters() if is_shared else before
        each = [(late - early) / run.mails for early, late in zip(before, after, strict=True)]
        return run, Used(*each)

    @contextmanager
    def _serving(self, home: Path) -> Iterator[tuple[int, int]]:
        """Run a server; give its process and its port."""
        command = [PROGRAM, "--home", str(home), "serve", "--smtp", "127.0.0.1:0"]
        with logging_into(self._folder / f"{home.name}.log", command) as (process, port):
            yield process.pid, port

    def _sent(self, servers: list[tuple[int, int]], mails: int, skipped: int) -> Run:
        """Send mails of all boards; those of one board go to one server."""
        boards = mails_of(Form.PASSWORD, mails, skipped)
        shape = SHAPES[-1]
        with ThreadPoolExecutor(len(servers)) as pool:
            sending = [
                pool.submit(
                    send,
                    process,
                    port,
                    shape.shared(len(servers)),
                    boards[nth :: len(servers)],
                    self._folder / f"mails{nth}.json",
                )
                for nth, (process, port) in enumerate(servers)
            ]
            runs = [each.result() for each in sending]
        return Run(
            sum(run.mails for run in runs),
            max(run.seconds for run in runs),
            tuple(wait for run in runs for wait in run.waits),
            sum(run.processor for run in runs),
        )

    def _counters(self) -> tuple[float, ...]:
        """Return what the database has used until now."""
        with psycopg.connect(self._server.url(TRIED)) as connection:
            log, commits, statements = connection.execute(_COUNTERS).fetchone() or (0, 0, 0)
        spent = processor_time(self._server.pid)
        return float(log), float(commits), float(statements), spent
