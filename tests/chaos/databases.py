"""The databases of a trial with several hosts: one that is written to, and one that follows it."""

from pathlib import Path

import psycopg

from tests.support.postgresql import DatabaseServer
from tests.support.waiting import wait_until

NAME = "home"
SILENT_SECONDS = 5
"""After how long one server gives up another one that says nothing."""
PORTS = (5432, 5433)
_FOLLOWS = "SELECT flush_lsn >= pg_current_wal_lsn() FROM pg_stat_replication"


class Databases:
    """Two servers of PostgreSQL in a folder, of which one follows the other.

    Whatever is committed is on the disks of both.
    """

    def __init__(self, folder: Path, programs: Path) -> None:
        """The folder belongs to the account of the servers."""
        self.primary, self.standby = (
            DatabaseServer(programs, folder / str(port), is_durable=True, port=port)
            for port in PORTS
        )

    @property
    def url(self) -> str:
        """How the database is named for those on this machine, at its socket."""
        return self.primary.url(NAME)

    def start(self, listen_addresses: str, inside: tuple[str, ...]) -> None:
        """Make the data of both servers and start them, by a command if one is given.

        At these addresses everybody may come in.
        """
        for server in (self.primary, self.standby):
            server.settings = {
                "listen_addresses": listen_addresses,
                "max_connections": "150",
                "wal_keep_size": "128MB",
                "wal_retrieve_retry_interval": "100ms",
                "wal_sender_timeout": f"{SILENT_SECONDS}s",
                "wal_receiver_timeout": f"{SILENT_SECONDS}s",
            }
            server.inside = inside
        self.primary.make()
        self.primary.let_in("10.77.0.0/24")
        self.primary.start()
        self.primary.do(f"CREATE DATABASE {NAME} TEMPLATE template0")
        self._follow()

    def restart(self) -> None:
        """End the server, as its operator does, and start it."""
        self.primary.stop()
        self.primary.start()

    def kill(self) -> None:
        """Let the server end as it does when its host fails, and start it."""
        self.primary.kill()
        self.primary.start()

    def kill_first_process(self) -> None:
        """Kill the process that has started all others of the server, and start it again."""
        self.primary.kill_first_process()
        self.primary.start()

    def fail_over(self) -> None:
        """Let the server end so, and the other one take its place; it follows that one later."""
        wait_until(self._is_followed, "the standby has everything")
        self.primary.kill()
        self.standby.do("SELECT pg_promote()")
        self.primary, self.standby = self.standby, self.primary
        self._follow()

    def stop(self) -> None:
        """End both servers."""
        self.standby.stop()
        self.primary.kill()

    def _follow(self) -> None:
        """Let the second server follow the first one, which commits nothing without it."""
        self.standby.follow(self.primary.url("postgres"))
        self.standby.start()
        self.primary.do("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.primary.do("SELECT pg_reload_conf()")
        wait_until(self._is_followed, "the standby follows")

    def _is_followed(self) -> bool:
        """Return whether the second server has everything, and is waited for."""
        search = f"{_FOLLOWS} WHERE sync_state = 'sync'"
        with psycopg.connect(self.primary.url("postgres")) as connection:
            return connection.execute(search.encode()).fetchone() == (True,)
