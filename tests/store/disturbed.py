"""Commands by mail that something disturbs, and all that a home holds before and after them."""

import errno
import os
import shutil
import signal
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from functools import cache, partial
from pathlib import Path

from pbm_oust.letters.letters import Letters, LetterWriter
from pbm_oust.mail.inbound import Envelope, Inbound, KeptBySender
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.store.database import Snapshot
from pbm_oust.store.disk import Disk
from pbm_oust.store.home import Home
from pbm_oust.store.publishing import MARK, REACHED
from tests.support.accounts import codes, make_account
from tests.support.home_by_mail import PASSWORDS
from tests.support.mails import mail
from tests.support.processes import files
from tests.support.rings import is_fast_ring
from tests.support.trouble import Fault, FaultyDisk, FaultyVfs, Trouble, faulty_statements

NOW = datetime(2026, 11, 20, 15, 36, tzinfo=UTC)
ADDRESS = "pbmserv@example.com"
ALICE, BOB, CAROL = "alice@example.org", "bob@example.org", "carol@example.org"
LETTERS = Letters(ADDRESS, lambda: NOW, lambda: b"key")


class Where(Enum):
    """What fails."""

    FILES = "an operation on a file, of SQLite's or of ours"
    STATEMENTS = "a statement"


Begun = Callable[["Lines"], Path]
"""Makes homes in which some commands have been carried out."""
Everything = dict[str, list[object]]
Deed = Callable[[Home], None]
Lines = tuple[tuple[str, str], ...]
"""Commands, each with the address that it comes from."""

PARTS = 5
"""Deeds have most of their operations in common, so each of them fails at a fifth of its own."""
_PASSING = {"version", "latest", "mtime", "inode", "is_named"}
"""Columns in which homes differ that hold the same."""


def everything(path: Path) -> Everything:
    """Return all that a home holds: every row of the database, every history, every letter.

    Versions of rows are moments, in which homes differ that hold the same.
    """
    home = Home(path)
    found = home.ask(_rows)
    names = [name for name in files(path) if not name.startswith(("pbm_oust.db", MARK, REACHED))]
    found |= {name: [(path / name).read_bytes()] for name in names}
    home.database.close()
    return found


def _rows(snapshot: Snapshot) -> Everything:
    found: Everything = {}
    for (table,) in snapshot.rows("SELECT name FROM sqlite_master WHERE type = 'table'"):
        columns = [
            name for (name,) in snapshot.rows("SELECT name FROM pragma_table_info(?)", table)
        ]
        kept = ", ".join(name for name in columns if name not in _PASSING)
        rows = snapshot.rows(f"SELECT {kept} FROM {table}")  # noqa: S608 - names of our tables
        found[table] = [*sorted(map(repr, rows))]
    return found


def home_at(path: Path, disk: Disk | None = None) -> Home:
    """Return the home at a path, which writes its letters."""
    home = Home(path, disk)
    home.outbox.writer = LetterWriter(home, LETTERS).write
    return home


def work_at(home: Home) -> UnitOfWork:
    """Return where commands for a home are carried out."""
    return UnitOfWork(home, LETTERS.write, lambda: NOW)


def sent(line: str, sender: str) -> Deed:
    """Return what hands in a mail; handed in again, it is the same mail."""
    number = zlib.crc32(f"{sender} {line}".encode())
    headers = (f"From: {sender}", f"Subject: {line}", f"Message-ID: <{number}@example.org>")
    data = mail(*headers, text="Hello\r\n")
    return lambda home: _take(home, data, sender)


def _take(home: Home, data: bytes, sender: str) -> None:
    Inbound(work_at(home), ADDRESS).take(data, Envelope(sender))


@contextmanager
def begun_homes() -> Iterator[Begun]:
    """Give what makes homes, to be copied, in which some commands have been carried out."""
    memory = Path("/dev/shm")  # noqa: S108 - the test has a folder of its own there
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:

        @cache
        def home_after(lines: Lines) -> Path:
            path = Path(folder) / f"{zlib.crc32(repr(lines).encode())}"
            home = home_at(path)
            home.prepare()
            for userid, address in (("alice", ALICE), ("bob", BOB), ("carol", CAROL)):
                make_account(home, userid, PASSWORDS[userid], address)
            for line, sender in lines:
                sent(line, sender)(home)
            home.database.close()
            return path

        yield home_after


def with_code(line: str, path: Path) -> str:
    """Return a line with the code that has been mailed, where it says CODE."""
    if "CODE" not in line:
        return line
    home = home_at(path)
    ((_, code),) = codes(home)
    home.database.close()
    return line.replace("CODE", code)


def done(before: Path, folder: Path, *deeds: Deed) -> Everything:
    """Return what a copy of a home holds after some deeds that nothing disturbs."""
    path = shutil.copytree(before, folder / "undisturbed")
    home = home_at(path)
    for deed in deeds:
        deed(home)
    home.recover()
    home.database.close()
    found = everything(path)
    shutil.rmtree(path)
    return found


@dataclass(frozen=True, slots=True)
class Disturbed:
    """A home in which a deed was disturbed at operation number `at`."""

    at: int
    is_kept: bool
    """Whether the deed failed, so that it has to be repeated."""
    _home: Home
    _deed: Deed

    @property
    def path(self) -> Path:
        """Where the home is."""
        return self._home.path

    def found(self) -> Everything:
        """Return what the home holds, as soon as the next process has looked after it."""
        home = home_at(self._home.path)
        home.recover()
        home.remove_drafts()
        home.database.close()
        return everything(home.path)

    def repeat(self) -> None:
        """Do the deed again, in the same process."""
        self._deed(self._home)


def disturbed(
    before: Path,
    folder: Path,
    deed: Deed,
    how: tuple[Where, Fault, int],
    nth: int | None,
) -> Iterator[Disturbed]:
    """Do a deed in copies of a home, let another operation fail each time, and yield the copies.

    `how` says what fails, in which way and with which `errno`; `nth` says which operations do, as
    for `_moments`. In the last copy none does.
    """
    where, fault, number = how
    most = _operations(before, folder, deed, where, number)
    for at in (*_moments(most, nth), most + 1):
        trouble = Trouble(at, fault, number)
        path = shutil.copytree(before, folder / f"{at}")
        with _in_trouble(path, trouble, where) as home:
            is_kept = False
            try:
                deed(home)
            except (KeptBySender, OSError):
                is_kept = True
            trouble.end()
            yield Disturbed(at, is_kept, home, deed)
        shutil.rmtree(path)


def assert_kept_until_it_is_done(kept: Sequence[bool]) -> None:
    """Check whether deeds were kept by the moments at which they were disturbed, in their order.

    Those are that were disturbed before their commit, however many operations that takes, but for a
    few at which something is only asked again. The last was not disturbed.
    """
    until_commit = kept[: len(kept) - kept[::-1].index(True)]
    assert kept[0]
    assert not kept[-1]
    assert 5 * until_commit.count(False) <= len(until_commit)


def killed(
    before: Path, folder: Path, deed: Deed, where: Where, nth: int | None
) -> Iterator[Disturbed]:
    """Do a deed in copies of a home, each in a process that is killed at another operation.

    `nth` says at which, as for `_moments`. Yield the copies; the last process is not killed.
    """
    most = _operations(before, folder, deed, where, errno.EIO)
    for at in (*_moments(most, nth), most + 1):
        path = shutil.copytree(before, folder / f"{at}")
        status = status_of_child(partial(_do_and_die, path, deed, where, at))
        assert status in (0, -signal.SIGKILL), status
        home = home_at(path)
        yield Disturbed(at, status != 0, home, deed)
        home.database.close()
        shutil.rmtree(path)


def _do_and_die(path: Path, deed: Deed, where: Where, at: int) -> None:
    with _in_trouble(path, Trouble(at, Fault.DIES), where) as home:
        deed(home)
        # The process does not live to close the database.
        os._exit(0)


def status_of_child(do: Callable[[], None]) -> int:
    """Do something in a process of its own; return its status, or the signal that ended it."""
    process = os.fork()
    if process == 0:
        try:
            do()
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def _moments(most: int, nth: int | None) -> Sequence[int]:
    """Return some of so many operations: the `nth` fifth and the last, or a few if it is None."""
    if nth is None:
        few = min(12 if is_fast_ring() else 15, most)
        return [1 + turn * most // few for turn in range(few)]
    return sorted({*range(1 + nth % PARTS, most + 1, PARTS), most})


def _operations(before: Path, folder: Path, deed: Deed, where: Where, number: int) -> int:
    """Return how many operations a deed takes that could fail."""
    trouble = Trouble(0, number=number)
    path = shutil.copytree(before, folder / "counted")
    with _in_trouble(path, trouble, where) as home:
        deed(home)
        most = trouble.steps
    shutil.rmtree(path)
    return most


@contextmanager
def _in_trouble(path: Path, trouble: Trouble, where: Where) -> Iterator[Home]:
    """Give a home on which operations may fail."""
    with ExitStack() as stack:
        if where is Where.FILES:
            stack.enter_context(FaultyVfs(trouble).in_use())
        else:
            stack.enter_context(faulty_statements(trouble))
        home = home_at(path, FaultyDisk(trouble) if where is Where.FILES else None)
        stack.callback(home.database.close)
        yield home
