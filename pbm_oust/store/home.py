"""The home: the directory that holds everything the server knows.

    HOME/pbm_oust.db         everything the server knows (`sqlite.py`)
    HOME/oust/17.txt         histories for people to read, published from it (`publishing.py`)
    HOME/outbox/             letters if no relay is set, a Maildir (`outbox.py`)
    HOME/key                 a secret of this home, from which its tokens are made
    HOME/pbm_oust.toml       configuration, written by the operator only
    HOME/.pbm_oust.db.draft  while the home is not fully restored or copied yet (`backup.py`)
    HOME/.rebuilding         while a database is made from the files of histories
    HOME/.published          which histories are known to be published
    HOME/.reached            how far boards have come, by which a database that went back is noticed
    HOME/socket              where a server takes mail from its owner (`mail/own_socket.py`),
    HOME/deliver             and from `deliver`

Any number of processes may share a home. What a command reads and writes is one transaction;
the files of histories and the Maildir get their part of it afterwards.
"""

import errno
import logging
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from secrets import token_bytes
from typing import Concatenate, ParamSpec, TypeVar

from pbm_oust.board.notation import format_time
from pbm_oust.rules import KINDS
from pbm_oust.store import configuration as configurations
from pbm_oust.store.boards import MICROSECONDS, Board, Boards
from pbm_oust.store.database import After, Connection, Database, Snapshot, Transaction, moment_of
from pbm_oust.store.disk import CLOSED, Disk, bytes_of, guard, locked_file, locked_folder
from pbm_oust.store.faults import DatabaseGoneBack, command_line
from pbm_oust.store.index import BoardName
from pbm_oust.store.letters import LetterState, hold_letters
from pbm_oust.store.limits import Counted, Tally, write_tally
from pbm_oust.store.message_keys import was_upgraded
from pbm_oust.store.outbox import Outbox, left_for_later
from pbm_oust.store.publishing import Progress, Publisher, keeping_up, untold
from pbm_oust.store.rebuilding import Rebuilt, rebuild
from pbm_oust.store.sqlite import FILE_NAME, KEY, UNFINISHED, SqliteDatabase

log = logging.getLogger("pbm_oust")

P = ParamSpec("P")
T = TypeVar("T")


CONFIGURATION = "pbm_oust.toml"
OF_PACKAGE = {"/var/lib/pbm_oust": Path("/etc/pbm_oust.toml")}
"""Where the configuration of the home of Debian's package is, unless it has one of its own."""
REBUILDING = ".rebuilding"
"""The name of a file that is there until a new database has all boards that are in files."""
OVERLAP = 60.0
"""How many seconds a transaction may take on a server, at most, until it is committed."""


class Home:
    """A home directory at `path`. Methods that write may raise OSError."""

    def __init__(self, path: Path, disk: Disk | None = None) -> None:
        self.path = path
        self.disk = disk or Disk()
        self.key_path = path / KEY
        self.database_path = path / FILE_NAME
        self._rebuilding = path / REBUILDING
        self.database = open_database(path, self.disk, self._follow_up)
        self.is_on_server = self.database.is_shared
        """Whether a database server keeps the home, which others may share."""
        self.boards = Boards(path, self.database.time)
        self.publisher = self.publisher_in(path)
        self.outbox = Outbox(path / "outbox", self.database, self.disk)
        self.tally = Tally()
        self.has_sender = False
        """Whether a process beside this one writes and sends the letters that this one adds."""
        self.database.opened = self._refuse_older
        self._was_upgraded: bool | None = None
        self.rebuilt: Rebuilt | None = None
        """What became of the database here when the files of histories were taken, if they were."""

    def prepare(self, progress: Progress = untold) -> None:
        """Keep others out, and make what is missing: folders, the key, the database.

        A database is made from the files of histories; `progress` is told how far that is.
        Raises OSError, also for a folder that is no home or that is only partly restored.
        """
        self._make_folders()
        if not self.database.is_made or self._rebuilding.exists():
            self._rebuild(self.publisher, progress)
            for fault in self.rebuilt.left if self.rebuilt else ():
                log.warning("no history: %s", fault)

    def rebuild(self, folder: Path, progress: Progress = untold) -> Rebuilt:
        """Let the files of histories below a folder be the boards, where they can.

        If the database had gone back, its letters are held back before: some have left since. Until
        that is over, nobody else begins to use the home. Raises OSError as `prepare` does.
        """
        self._make_folders()
        publisher = self.publisher if folder == self.path else self.publisher_in(folder)
        try:
            self.ask(lambda _: None)
        except DatabaseGoneBack as fault:
            log.warning("%s", fault)
            self.database.opened = lambda _connection: None
            with suppress(FileExistsError):
                self.disk.create(self._rebuilding, b"", mode=0o600)
            self.do(hold_letters)
        if not self.database.is_made or self._rebuilding.exists():
            self._rebuild(publisher, progress)
        if not self.rebuilt:
            self.rebuilt = rebuild(self.database, self.boards, publisher, progress)
        return self.rebuilt

    def _make_folders(self) -> None:
        """Keep others out, and make missing folders and the key. Raises OSError."""
        if self.is_unfinished:
            reason = "restoring it, or copying it, was broken off; empty it, and begin again"
            raise OSError(errno.ENOTRECOVERABLE, reason, str(self.path))
        self.path.mkdir(CLOSED, parents=True, exist_ok=True)
        guard(self.path, KINDS, has_readers=self.configured.readers)
        if not self.is_on_server:
            self.publisher.prepare()
        self.outbox.prepare()
        self.database.put_key(token_bytes(32))

    def publisher_in(self, folder: Path) -> Publisher:
        """Return what publishes the histories in a folder."""
        overlap = OVERLAP if self.is_on_server else 0.0
        return Publisher(folder, self.database, self.boards, self.disk, overlap)

    def _rebuild(self, publisher: Publisher, progress: Progress) -> None:
        """Make the database from the files, or wait until others have: nobody works with a part."""
        if not self.database.is_made:
            with suppress(FileExistsError):
                self.disk.create(self._rebuilding, b"", mode=0o600)
        checked, self.database.opened = self.database.opened, lambda _connection: None
        with ExitStack() as held:
            try:
                held.enter_context(locked_file(self._rebuilding))
            except FileNotFoundError:
                self.database.opened = checked
                return  # others have made it meanwhile
            self.rebuilt = rebuild(self.database, self.boards, publisher, progress)
            self.disk.remove(self._rebuilding)
        self.database.opened = checked

    def _refuse_older(self, connection: Connection) -> None:
        """Raise DatabaseGoneBack if boards are known to have been at a later version."""
        reached = self.publisher.reached()  # before others can go on
        if not reached or connection.identity is None:
            return
        connection.begin(writes=False)
        try:
            version = Snapshot(connection).number("SELECT max(version) FROM boards")
        finally:
            connection.roll_back()
        if version < reached:
            moments = (moment_of(each // MICROSECONDS) for each in (version, reached))
            then, known = map(format_time, moments)
            do = command_line(self.path, "home", "rebuild")
            raise DatabaseGoneBack(
                f"{self.database.where} has gone back: its boards end at {then}, and had come to "
                f"{known}. Stop the server, and put the latest database back, with the files "
                "beside it. Without it, take what the files of histories have more, with:  " + do
            )

    @property
    def configuration(self) -> Path:
        """The path of the configuration, if there is one."""
        return configuration_of(self.path)

    @property
    def is_unfinished(self) -> bool:
        """Whether a backup was only partly restored, or a home only partly copied."""
        return (self.path / UNFINISHED).exists()

    def recover(self) -> None:
        """Finish what dead processes have left: files of histories, and of letters.

        What cannot be finished is left for another time.
        """
        if not self.is_on_server:
            try:
                self.publisher.catch_up()
            except OSError as error:
                log.warning("files of histories are not published: %s", error)
        self.write_out()

    def keeping_up(self) -> AbstractContextManager[None]:
        """Sync the files of histories from time to time, while the body runs and at its end."""
        return nullcontext() if self.is_on_server else keeping_up(self.publisher)

    def remove_drafts(self) -> None:
        """Remove the files that dead processes were writing, which takes a look at all names."""
        if not self.is_on_server:
            self.publisher.remove_drafts()
        self.disk.remove_drafts(self.path)

    def close(self) -> None:
        """Close what is open; it is opened again when needed."""
        self.database.close()

    def now(self) -> datetime:
        """Return the time, by the clock of all who share the home."""
        return datetime.fromtimestamp(self.database.time(), UTC)

    def key(self) -> bytes:
        """Return the secret of this home, 32 bytes. Raises OSError if it cannot be read."""
        return self._key

    @cached_property
    def _key(self) -> bytes:
        """The secret, which never changes."""
        return self.database.read_key()

    def read_configuration(self) -> str:
        """Return the text of the configuration, empty if there is none. Raises OSError."""
        try:
            return bytes_of(self.configuration).decode()
        except FileNotFoundError:
            return ""
        except UnicodeDecodeError as error:
            raise OSError(f"the text is not UTF-8 from byte {error.start} on") from None

    @cached_property
    def has_relay(self) -> bool:
        """Whether letters wait for a relay instead of going into the Maildir.

        Whoever uses another relay than the configuration says so here.
        """
        return self.configured.relay is not None

    @property
    def configured(self) -> configurations.Configuration:
        """The configuration, or the usual one if it cannot be read."""
        with suppress(configurations.BadConfiguration, OSError):
            return configurations.parse_configuration(self.read_configuration())
        return configurations.Configuration()

    def was_upgraded(self, snapshot: Snapshot) -> bool:
        """Return whether an earlier version of the program may have carried out mails lately."""
        if self._was_upgraded is None:
            self._was_upgraded = was_upgraded(snapshot)
        return self._was_upgraded

    @property
    def posted_state(self) -> LetterState:
        """The state of a letter that leaves: for the relay, or for a file in the Maildir."""
        return LetterState.WAITING if self.has_relay else LetterState.FILE

    # Reading and writing

    def ask(
        self, question: Callable[Concatenate[Snapshot, P], T], *args: P.args, **named: P.kwargs
    ) -> T:
        """Return the answer to one question about the database, asked from outside.

        Whoever has a snapshot or a transaction asks that; RuntimeError is raised otherwise.
        """
        with self.database.read() as snapshot:
            return question(snapshot, *args, **named)

    def do(
        self, deed: Callable[Concatenate[Transaction, P], object], *args: P.args, **named: P.kwargs
    ) -> None:
        """Write to the database in a transaction of its own. Raises RuntimeError as `ask` does."""
        self.database.write(lambda transaction: deed(transaction, *args, **named))

    def withhold(self, transaction: Transaction, files: Iterable[str]) -> bool:
        """Keep letters in the Maildir from being opened until a transaction is over.

        Return False, and keep none, if a mail program has taken one of them.
        """
        return transaction.held.enter_context(self.outbox.withheld([*files], transaction))

    def relaying(self, *, waits: bool) -> AbstractContextManager[bool]:
        """Keep others on this host from the letters, and give whether nobody else is at them."""
        return locked_folder(self.outbox.path, waits=waits)

    def write_out(self) -> None:
        """Write all letters that are to be files into the Maildir, unless a process beside does."""
        if not (self.has_relay or self.has_sender):
            with left_for_later():
                self.outbox.write_out()

    def write_tally(self, now: datetime) -> None:
        """Record what was refused without an answer."""
        if taken := self.tally.take():
            self.do(write_tally, taken, now)

    def history_path(self, name: BoardName) -> Path:
        """Return the path of the file in which a board's history is published."""
        return self.boards.path(name)

    def _follow_up(self, transactions: Sequence[Transaction]) -> None:
        """Do what follows from transactions that were committed."""
        changed, has_files = dict[BoardName, Board](), False
        for transaction in transactions:
            for about, value in transaction.follows.items():
                match about:
                    case BoardName():
                        changed[about] = value
                        self.boards.remember(transaction.identity, value)
                    case Counted():
                        self.tally.add(about, value)
                    case LetterState.FILE:
                        has_files = True
        if changed:
            self.publisher.note_reached(max(board.version for board in changed.values()))
        if not self.is_on_server:
            self.publisher.publish(changed)
        if has_files:
            self.write_out()


def configuration_of(home: Path) -> Path:
    """Return where the configuration of a home is: in it, or where that of Debian's package is."""
    own = home / CONFIGURATION
    other = OF_PACKAGE.get(os.path.abspath(home))
    return other if other and other.exists() and not os.path.lexists(own) else own


def open_database(home: Path, disk: Disk, after: After = lambda _: None) -> Database:
    """Return the database of a home, where its configuration says; nothing is opened yet.

    Raises OSError for a configuration that may name a server and cannot be used.
    """
    configuration = configuration_of(home)
    try:
        text = bytes_of(configuration).decode(errors="replace")
        url = configurations.server_in(text)
    except FileNotFoundError:
        url = ""
    except ValueError as error:
        raise OSError(f"{configuration}: {error}") from None
    if not url:
        return SqliteDatabase(home / FILE_NAME, disk, after)
    try:
        return open_server(home, url, after)
    except OSError as error:
        raise OSError(f"{configuration}: store: {error}") from None


def open_server(home: Path, url: str, after: After = lambda _: None) -> Database:
    """Return the database of the home with this folder on the server that a URL names.

    Nothing is connected yet. Raises OSError without the library that connects, and for a URL that
    cannot be used; that does not quote it, as a password may stand there.
    """
    try:
        from pbm_oust.store.postgresql import PostgresqlDatabase
    except ImportError as error:
        reason = "install pbm_oust[postgresql], or take the line with store out of pbm_oust.toml"
        raise OSError(f"{error}; {reason}") from None
    return PostgresqlDatabase(url, home, after)
