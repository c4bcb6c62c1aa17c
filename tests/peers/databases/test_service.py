"""A server whose database is in trouble: the log says what it is, and mail is taken again after it.

One server runs all the time. What cannot be done is answered 451, and the same mail is taken when
the trouble is over.
"""

import json
import os
import re
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from smtplib import LMTP, SMTPDataError

import pytest

from pbm_oust.store.database import LATEST
from tests.peers.databases.conftest import mailed
from tests.support.home_by_mail import ADDRESS, ALICE, PASSWORDS
from tests.support.postgresql import DatabaseServer, account_ids, database_server
from tests.support.server import PROGRAM
from tests.support.waiting import PATIENCE, has_news, wait_until
from tests.support.website import website

NAME = "games"
"""The database, and the role that owns it and nothing else."""
DISK = 'mount -t tmpfs -o "size=24m,mode=700,uid=$1,gid=$2" pbm_oust "$0" && echo ready && exec cat'
"""A script that makes a small disk in a folder, and keeps it until its input ends."""


class Served:
    """A server of the program on a database, which `disk` has if it is there."""

    def __init__(self, folder: Path, database: DatabaseServer, disk: Path | None) -> None:
        self.folder = folder
        self.database = database
        self.disk = disk
        self._socket = folder / "lmtp"
        self._log = folder / "log"
        self._mails = 0
        store = database.url(NAME).replace("postgres@", f"{NAME}@")
        (folder / "pbm_oust.toml").write_text(
            f'address = "{ADDRESS}"\nstore = "{store}"\nrelay = "smtp://127.0.0.1:1"\n'
            f'smtp = ""\nlmtp = "unix:{self._socket}"\n'
        )
        self.start()
        wait_until(self.listens, "the server listens")

    def start(self) -> None:
        """Start the server."""
        command = [PROGRAM, "--home", str(self.folder), "serve"]
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log)

    def stop(self) -> None:
        """Stop the server."""
        self.process.terminate()
        self.process.wait(PATIENCE)

    @property
    def log(self) -> str:
        """What the server has written into its log."""
        return self._log.read_text()

    def refused(self) -> bytes:
        """Hand over one more mail, which leads to a letter; return it if it is answered 451."""
        self._mails += 1
        mail = mailed(ALICE, "help", self._mails)
        return b"" if self.takes(mail) else mail

    def takes(self, mail: bytes) -> bool:
        """Hand over a mail; return whether it is taken, and not answered 451."""
        with self.session() as lmtp:
            try:
                lmtp.sendmail(ALICE, [ADDRESS], mail)
            except SMTPDataError as error:
                code = error.smtp_code
            else:
                return True
        assert code == 451
        return False

    def session(self) -> LMTP:
        """Return a session with the server."""
        return LMTP(str(self._socket), local_hostname="localhost", timeout=PATIENCE)

    def listens(self) -> bool:
        assert self.process.poll() is None, self.log
        try:
            self.session().close()
        except OSError:
            return False
        return True


@contextmanager
def small_disk(database: DatabaseServer) -> Iterator[Path]:
    """Let a database server put new tables on a small disk, which is given. Only root may."""
    folder = database.folder / "disk"
    folder.mkdir()
    user, group = map(str, account_ids())
    holder = subprocess.Popen(
        ["unshare", "--mount", "sh", "-c", DISK, str(folder), user, group],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout
    try:
        assert holder.stdout.readline() == b"ready\n"
        database.stop()
        entering = ("nsenter", f"--mount=/proc/{holder.pid}/ns/mnt")
        database.inside = (*entering, f"--setuid={user}", f"--setgid={group}")
        database.start()
        database.do(f"CREATE TABLESPACE small LOCATION '{folder}'")
        database.do(f"GRANT CREATE ON TABLESPACE small TO {NAME}")
        database.do(f"ALTER DATABASE {NAME} SET default_tablespace = 'small'")
        yield Path(f"/proc/{holder.pid}/root{folder}")
        database.stop()
    finally:
        holder.communicate()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server whose tables are on a small disk if this is root."""
    with database_server(is_durable=True) as database:
        database.do(f"CREATE ROLE {NAME} LOGIN")
        database.do(f"CREATE DATABASE {NAME} OWNER {NAME} TEMPLATE template0")
        place = nullcontext() if os.geteuid() else small_disk(database)
        with place as disk:
            served = Served(tmp_path_factory.mktemp("home"), database, disk)
            try:
                yield served
            finally:
                served.stop()


@contextmanager
def away(served: Served) -> Iterator[None]:
    served.database.stop()
    yield
    served.database.start()


@contextmanager
def read_only(served: Served) -> Iterator[None]:
    served.database.do("ALTER SYSTEM SET default_transaction_read_only = on")
    served.database.do("SELECT pg_reload_conf()")
    yield
    served.database.do("ALTER SYSTEM RESET default_transaction_read_only")
    served.database.do("SELECT pg_reload_conf()")


@contextmanager
def of_later_version(served: Served) -> Iterator[None]:
    served.database.do("UPDATE pbm_oust_version SET version = version + 1", NAME)
    yield
    served.database.do("UPDATE pbm_oust_version SET version = version - 1", NAME)


@contextmanager
def without_connections(served: Served) -> Iterator[None]:
    """No more connections to the database are allowed, and there are none."""
    served.database.do(f"ALTER DATABASE {NAME} CONNECTION LIMIT 0")
    ending = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'games'"
    served.database.do(ending)
    yield
    served.database.do(f"ALTER DATABASE {NAME} CONNECTION LIMIT -1")


@contextmanager
def without_rights(served: Served) -> Iterator[None]:
    served.database.do("ALTER TABLE letters OWNER TO postgres", NAME)
    yield
    served.database.do(f"ALTER TABLE letters OWNER TO {NAME}", NAME)


@contextmanager
def full(served: Served) -> Iterator[None]:
    if served.disk is None:
        pytest.skip("only root makes a small disk")
    filler = served.disk / "filler"
    with filler.open("wb") as file, suppress(OSError):
        while True:
            os.write(file.fileno(), bytes(4096))
    yield
    filler.unlink()


@pytest.mark.parametrize(
    ("trouble", "code", "reason"),
    [
        (away, "unreachable", "the database games at .* cannot be used: connection"),
        (read_only, "read_only", "the database games at .* is read-only; it may be a standby"),
        (
            of_later_version,
            "",
            f"its tables are of version {LATEST + 1}, .* Install the newer program",
        ),
        (without_connections, "", 'cannot be used: .* too many connections for database "games"'),
        (without_rights, "", "cannot be used: permission denied for table letters"),
        (full, "", "the database games at .*: its disk is full"),
    ],
)
def test_mail_is_taken_again_when_the_trouble_is_over(
    served: Served,
    trouble: Callable[[Served], AbstractContextManager[None]],
    code: str,
    reason: str,
) -> None:
    before = len(served.log)
    with trouble(served):
        mail = wait_until(served.refused, "a mail is refused")
        wait_until(lambda: re.search(reason, served.log[before:]), f"the log says: {reason}")
        assert not code or trouble_of(served) == code
    wait_until(lambda: served.takes(mail), "the mail is taken")
    assert trouble_of(served) == ""
    assert "a fault in the program" not in served.log
    assert "Traceback" not in served.log


def trouble_of(served: Served) -> str:
    """Return what the doctor says keeps mail away; empty if it may come."""
    words = ["--home", str(served.folder), "doctor", "--json"]
    done = subprocess.run([PROGRAM, *words], capture_output=True)
    trouble = str(json.loads(done.stdout)["trouble"] or "")
    assert bool(trouble) <= bool(done.returncode)
    return trouble


def test_the_pages_say_whether_mail_is_taken_as_the_database_comes_and_goes(
    served: Served,
) -> None:
    def trouble() -> str:
        got = pages.get("/healthz")
        found = str(json.loads(got.content)["trouble"] or "")
        assert got.status == (503 if found else 200)
        return found

    with website(served.folder) as pages:
        wait_until(lambda: trouble() == "", "nothing keeps mail away")
        with away(served):
            wait_until(lambda: trouble() == "unreachable", "the server is missed")
        wait_until(lambda: trouble() == "", "the server is there again")


def test_others_are_answered_while_the_database_says_nothing(served: Served) -> None:
    """Even if the mail that waits is of somebody who has proved who they are."""
    adding = ["players", "add", "alice", ALICE, "--password", PASSWORDS["alice"]]
    subprocess.run([PROGRAM, "--home", str(served.folder), *adding], check=True)
    asking = f"settings alice {PASSWORDS['alice']}"
    assert served.takes(mailed(ALICE, asking, 1000))
    with served.session() as waiting:
        with served.database.silent():
            begin_a_mail(waiting)
            assert waiting.docmd("DATA")[0] == 354
            waiting.send(mailed(ALICE, asking, 1001) + b".\r\n")
            with served.session() as other:
                begin_a_mail(other)
            assert isinstance(waiting.sock, socket.socket)
            assert not has_news(waiting.sock.fileno(), 0)
        assert waiting.getreply()[0] == 250


def begin_a_mail(lmtp: LMTP) -> None:
    """Say whom a mail is from and for."""
    lmtp.ehlo_or_helo_if_needed()
    assert lmtp.mail(ALICE)[0] == 250
    assert lmtp.rcpt(ADDRESS)[0] == 250


def test_a_server_that_finds_no_database_waits_for_it(served: Served) -> None:
    served.stop()
    before = len(served.log)
    with away(served):
        served.start()
        said = "no mail is taken yet: the database games at .* cannot be used: connection"
        wait_until(lambda: re.search(said, served.log[before:]), "the log says why")
    wait_until(served.listens, "the server listens")
    assert served.takes(mailed(ALICE, "help", 1002))
