"""A server of PostgreSQL for tests: an own one, in a folder of its own, on a socket in there."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from grp import getgrnam
from itertools import count
from pathlib import Path
from pwd import getpwnam

import psycopg
import pytest

from pbm_oust.store.database import Database
from pbm_oust.store.home import open_server
from pbm_oust.store.postgresql import PostgresqlDatabase
from tests.support.processes import children_of
from tests.support.waiting import PATIENCE, wait_until

PEERS = Path(__file__).parents[2] / ".peers"
FOLDERS = (
    PEERS / "postgresql-15/usr/lib/postgresql/15/bin",
    Path("/usr/lib/postgresql/15/bin"),
)
"""Where the programs of Debian's package are: as scripts/peers unpacks it, or installed."""
ACCOUNT, GROUP = "nobody", "nogroup"
"""Who runs the server in place of root, as whom it does not run."""
TEMPLATE = "tables"
"""The database that others are copied from."""
EMPTYING = """
DO $$
DECLARE name text;
BEGIN
  SET LOCAL session_replication_role = replica;
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public'
    AND tablename <> 'pbm_oust_version'
  LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
  FOR name IN SELECT sequencename FROM pg_sequences
  LOOP EXECUTE format('ALTER SEQUENCE %I RESTART', name); END LOOP;
END $$
"""
"""The statement that removes what a home has put into its tables, without any triggers."""
MISSING = "PostgreSQL 15 is missing: scripts/peers"

_numbers = count()


@dataclass
class DatabaseServer:
    """A server whose data are in a folder.

    `is_durable`: whether what is committed survives a loss of power.
    """

    programs: Path
    folder: Path
    is_durable: bool
    port: int = 5432
    """What the name of its socket in the folder ends with, and its port where it listens."""
    settings: dict[str, str] = field(default_factory=dict)
    """Settings besides ours, by their names."""
    inside: tuple[str, ...] = ()
    """The command that starts the server inside of something, as its account."""
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    _has_template: bool = field(default=False, repr=False)
    _shared: str = field(default="", repr=False)

    def make(self) -> None:
        """Make the data of the server."""
        trusted = ("--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C")
        self._run("initdb", *trusted, "--no-sync", "--pgdata", str(self.folder / "data"))

    def let_in(self, network: str) -> None:
        """Let everybody in who comes from a network."""
        with (self.folder / "data" / "pg_hba.conf").open("a") as rules:
            rules.write(f"host all all {network} trust\n")

    def follow(self, url: str) -> None:
        """Make the data of the server those of the one at a URL, which it follows from then on."""
        data = self.folder / "data"
        if data.exists():
            shutil.rmtree(data)
        copying = ("--write-recovery-conf", "--checkpoint=fast", "--no-sync")
        self._run("pg_basebackup", *copying, "--pgdata", str(data), "--dbname", url)

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        self._begin()
        wait_until(self._is_up, f"{self.folder} answers")

    def stop(self) -> None:
        """End the server, and the connections of its clients."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """Let the server end as it does when its host fails."""
        self._end(signal.SIGQUIT)

    def kill_first_process(self) -> None:
        """Kill the process that has started all others; they end once they notice."""
        self._end(signal.SIGKILL)

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Let the server say nothing, though its host takes what is sent to it."""
        processes = [self.pid, *children_of(self.pid)]
        _tell(processes, signal.SIGSTOP)
        try:
            yield
        finally:
            _tell(processes, signal.SIGCONT)

    def url(self, name: str) -> str:
        """Return how a database is named in a configuration."""
        port = f"&port={self.port}" if self.port != 5432 else ""
        return f"postgresql://postgres@/{name}?host={self.folder}{port}"

    @property
    def pid(self) -> int:
        """The process that has started all others of the server."""
        assert self._process
        return self._process.pid

    def make_database(self, template: str = "template0") -> str:
        """Make a database, and return its URL."""
        name = f"home{next(_numbers)}"
        self.do(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.url(name)

    def make_tables(self) -> str:
        """Make a database that has the tables of a home already, and return its URL."""
        if not self._has_template:
            self.do(f"CREATE DATABASE {TEMPLATE} TEMPLATE template0")
            with closing(PostgresqlDatabase(self.url(TEMPLATE))) as database:
                database.write(lambda _: None)
            self._has_template = True
        return self.make_database(TEMPLATE)

    def empty_tables(self) -> str:
        """Return the URL of a database with empty tables; who had it before is done with it."""
        self._shared = self._shared or self.make_tables()
        with psycopg.connect(self._shared, autocommit=True) as connection:
            connection.execute(EMPTYING)
        return self._shared

    def do(self, statement: str, name: str = "postgres") -> None:
        """Carry out a statement of those who look after the server, in a database."""
        with psycopg.connect(self.url(name), autocommit=True) as connection:
            connection.execute(statement.encode())

    def _begin(self) -> None:
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.folder),
            "fsync": "on" if self.is_durable else "off",
            "max_connections": "60",
            "port": str(self.port),
            **self.settings,
        }
        options = [f"--{name}={value}" for name, value in settings.items()]
        program = [f"{self.programs}/postgres", "-D", f"{self.folder}/data", *options]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*self.inside, *program],
                stdout=log,
                stderr=log,
                user=None if self.inside else _account(),
                group=None if self.inside else _group(),
            )

    def _is_up(self) -> bool:
        """Return whether the server answers. It is begun again if it has ended.

        It ends while a process is left of what ran before.
        """
        if self._process and self._process.poll() is not None:
            self._begin()
        try:
            psycopg.connect(self.url("postgres")).close()
        except psycopg.OperationalError:
            return False
        return True

    def _end(self, number: signal.Signals) -> None:
        if self._process:
            self._process.send_signal(number)
            self._process.wait(PATIENCE)
            self._process = None

    def _run(self, program: str, *words: str) -> None:
        done = subprocess.run(
            [self.programs / program, *words],
            capture_output=True,
            text=True,
            user=_account(),
            group=_group(),
        )
        assert done.returncode == 0, done.stderr


def _tell(processes: Iterable[int], sign: signal.Signals) -> None:
    """Send a signal to processes, those of which may have ended that served a client."""
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, sign)


@contextmanager
def database_server(*, is_durable: bool = False) -> Iterator[DatabaseServer]:
    """Give a server that runs while the body does. Without PostgreSQL the test is left out."""
    with server_programs() as programs, server_folder() as folder:
        server = DatabaseServer(programs, folder, is_durable)
        try:
            server.make()
            server.start()
            yield server
        finally:
            server.stop()


@contextmanager
def server_programs() -> Iterator[Path]:
    """Give the folder of the programs. Without PostgreSQL the test is left out."""
    found = next((each for each in FOLDERS if (each / "postgres").exists()), None)
    if found is None:
        if os.environ.get("CI"):
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    if not found.is_relative_to(PEERS):
        yield found
        return
    with server_folder() as folder:  # where they are, perhaps only root gets to
        shutil.copytree(PEERS / "postgresql-15/usr", folder / "usr", symlinks=True)
        yield folder / found.relative_to(PEERS / "postgresql-15")


@contextmanager
def server_folder() -> Iterator[Path]:
    """Give a folder for the data of a server, which belongs to its account."""
    folder = Path(tempfile.mkdtemp(prefix="pbm_oust-"))
    folder.chmod(0o755)
    if os.geteuid() == 0:
        shutil.chown(folder, ACCOUNT)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def database_on(server: DatabaseServer, home: Path) -> Iterator[Database]:
    """Give a database of its own for a home in a folder."""
    database = open_server(home, server.make_tables())
    try:
        yield database
    finally:
        database.close()


def account_ids() -> tuple[int, int]:
    """Return the numbers of the account and the group that root runs the server as."""
    return getpwnam(ACCOUNT).pw_uid, getgrnam(GROUP).gr_gid


def _account() -> str | None:
    """Return as whom the server runs; None for as whom the tests do."""
    return None if os.geteuid() else ACCOUNT


def _group() -> str | None:
    """Return the group of that account."""
    return None if os.geteuid() else GROUP
