"""Several hosts on trial that share databases, while servers, databases and wires fail."""

import secrets
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random
from smtplib import SMTP
from typing import Any

import psycopg

from tests.chaos.databases import PORTS, Databases
from tests.chaos.hosts import Host
from tests.chaos.ledger import Broken, Failure, Ledger
from tests.chaos.network import Namespaces
from tests.chaos.trial import PROGRAM, ROOT, SECONDS_OF_DELIVER
from tests.support.limits import UNLIMITED_TABLE
from tests.support.postgresql import server_folder, server_programs
from tests.support.waiting import PATIENCE, wait_until

SECONDS_CUT_OFF = (0.5, 2.0, 5.0, 20.0)
"""How long a wire may be cut; both ends give the longest one up. The first time is short."""
_HISTORY = "SELECT string_agg(lines, '' ORDER BY number) FROM records"
_BOARD_WITH = "SELECT board FROM records WHERE kind = %s AND position(%s in lines) > 0"

_HELD = (
    "SELECT count(*) FROM letters WHERE state = 'waiting' AND EXISTS (SELECT FROM pg_locks"
    " WHERE locktype = 'advisory' AND (classid::bigint << 32 | objid::bigint)"
    " = hashtextextended('letters to ' || normal, 0))"
)
"""The statement that counts the letters that wait until a dead host has lost its locks."""


class Cluster:
    """Hosts in a folder. What fails comes back within the same step, or soon after."""

    histories_take = letters_take = float(PATIENCE)

    def __init__(self, folder: Path, ledger: Ledger, hosts: int) -> None:
        self.home = folder / "home"
        self.log = folder / "log"
        self.hosts = hosts
        self.host = f"chaos-{secrets.token_hex(4)}.example.com"
        self.address = f"pbmserv@{self.host}"
        self._ledger = ledger
        self._folder = folder
        self._letters = folder / "letters"
        self._due = list[Failure]()
        self._turn = threading.Lock()
        self._delivered = 0
        self._asking = threading.Lock()
        self._reading: psycopg.Connection | None = None
        for each in ("tmp", "new"):
            (self._letters / each).mkdir(parents=True)
        self._left = ExitStack()
        """What is to be taken away at the end."""
        log = self._left.enter_context(self.log.open("ab"))
        programs = self._left.enter_context(server_programs())
        self._databases = Databases(self._left.enter_context(server_folder()), programs)
        self._network = Namespaces(hosts, PORTS)
        self._left.callback(self._network.close)
        self._hosts = [
            Host(folder / f"host{each}", self._network.inside(each), self._letters, log)
            for each in range(hosts)
        ]

    def start(self) -> None:
        """Start the databases and all servers."""
        inside = self._network.beside_databases()
        self._databases.start(self._network.listen_addresses, inside)
        for number, host in enumerate(self._hosts):
            places = ",".join(f"{name}:{port}" for name, port in self._network.places(number))
            wanted = "target_session_attrs=read-write"
            host.configure(self.address, f"postgresql://postgres@{places}/home?{wanted}")
            host.start()

    def wait_until_ready(self) -> None:
        """Wait until all hosts take mail. Raises Broken."""
        deadline = time.monotonic() + PATIENCE
        while not all(host.is_ready(self.host) for host in self._hosts):
            self.check_alive()
            if time.monotonic() > deadline:
                raise Broken("a server does not start")
            time.sleep(0.05)

    def check_alive(self) -> None:
        """Raise Broken if a server has ended by itself."""
        for host in self._hosts:
            host.check_alive()

    def kill(self, random: Random, _cut: float | None) -> bool:
        """Let something fail; everything has failed once before something fails again."""
        if not self._due:
            self._due = random.sample(list(Failure), len(Failure))
        failure = self._due.pop()
        host = random.randrange(self.hosts)
        match failure:
            case Failure.KILLED:
                self._hosts[host].kill()
                self._hosts[host].start()
            case Failure.RESTARTED:
                self._databases.restart()
            case Failure.CRASHED:
                self._databases.kill()
            case Failure.FIRST_KILLED:
                self._databases.kill_first_process()
            case Failure.FAILED_OVER:
                self._databases.fail_over()
            case Failure.CUT_OFF:
                self._network.cut(host)
                self._wait(failure, random)
                self._network.mend(host)
            case Failure.STANDBY_SILENT:
                with self._databases.standby.silent():
                    self._wait(failure, random)
        self._ledger.count(failure.value)
        return False

    def _wait(self, failure: Failure, random: Random) -> None:
        """Wait as long as a wire is to be cut."""
        is_first = not self._ledger.counts[failure.value]
        time.sleep(SECONDS_CUT_OFF[0] if is_first else random.choice(SECONDS_CUT_OFF))

    def connect(self, host: int, seconds: float) -> SMTP:
        """Return a connection to a host. Raises OSError."""
        return self._hosts[host].connect(self.host, seconds)

    def deliver(self, sender: str, data: bytes, fuse: float | None = None) -> int:
        """Hand a mail to a process of `pbm-oust deliver` on each host in turn."""
        with self._turn:
            self._delivered += 1
            host = self._hosts[self._delivered % self.hosts]
        process = host.begin("deliver", "--sender", sender, given=subprocess.PIPE)
        assert process.stdin
        with suppress(BrokenPipeError), process.stdin as pipe:
            pipe.write(data)
        with suppress(subprocess.TimeoutExpired):
            return process.wait(SECONDS_OF_DELIVER * fuse if fuse else PATIENCE)
        process.kill()
        self._ledger.count("kills of deliver")
        return process.wait(PATIENCE)

    def history(self, kind: str, board: int) -> bytes | None:
        """Return the history of a board; None if there is none."""
        search = f"{_HISTORY} WHERE kind = %s AND board = %s"
        row = self._ask(search, kind, board)
        return bytes(row[0]) if row and row[0] else None

    def board_with(self, kind: str, text: str) -> int | None:
        """Return a board of a kind in whose history a text stands."""
        row = self._ask(_BOARD_WITH, kind, text.encode())
        return int(row[0]) if row else None

    def letters(self) -> Iterator[str]:
        """Yield the letters that have left."""
        for path in (self._letters / "new").iterdir():
            yield path.read_text()

    def stop(self) -> int:
        """Tell the servers to stop, and return the highest of their exit statuses."""
        status = max(host.stop() for host in self._hosts)
        wait_until(lambda: self._ask(_HELD) == (0,), "no dead host holds letters")
        self._hosts[0].flush()
        self._collect()
        return status

    def close(self) -> None:
        """Kill what still runs."""
        for host in self._hosts:
            host.close()
        self._end_reading()
        self._databases.stop()
        self._left.close()

    def _collect(self) -> None:
        """Copy all into a home of files: what the database holds, and the letters that left."""
        self.home.mkdir()
        settings = f'address = "{self.address}"\n{UNLIMITED_TABLE}'
        (self.home / "pbm_oust.toml").write_text(settings)
        words = ["home", "copy", str(self._hosts[0].home), str(self.home)]
        done = subprocess.run(
            [*self._network.inside(0), PROGRAM, *words], capture_output=True, text=True, cwd=ROOT
        )
        if done.returncode:
            raise Broken(f"home copy ended with status {done.returncode}: {done.stderr}")
        for letter in (self._letters / "new").iterdir():
            shutil.move(letter, self.home / "outbox" / "new")

    def _ask(self, search: str, *values: object) -> tuple[Any, ...] | None:
        """Return the first row that a search finds, once a database answers."""
        with self._asking:
            (found,) = wait_until(lambda: self._answer(search, values), "a database answers")
        return found[0] if found else None

    def _answer(self, search: str, values: tuple[object, ...]) -> list[list[tuple[Any, ...]]]:
        """Return the rows that a search finds; nothing if no database answers."""
        try:
            if not self._reading:
                self._reading = psycopg.connect(self._databases.url, autocommit=True)
            return [self._reading.execute(search.encode(), values).fetchall()]
        except psycopg.errors.UndefinedTable:
            return []
        except psycopg.OperationalError:
            self._end_reading()
            return []

    def _end_reading(self) -> None:
        if self._reading:
            self._reading.close()
            self._reading = None
