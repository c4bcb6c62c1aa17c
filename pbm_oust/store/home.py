"""The home: the directory that holds everything the server knows.

    HOME/pbm_oust.db         everything the server knows (`sqlite.py`)
    HOME/oust/17.txt         histories for people to read, published from it (`publishing.py`)
    HOME/outbox/             letters if no relay is set, a Maildir (`outbox.py`)
    HOME/key                 a secret of this home, from which its tokens are made
    HOME/pbm_oust.toml       configuration, written by the operator only
    HOME/.pbm_oust.db.draft  while the home is not fully restored or copied yet (`backup.py`)
    HOME/.rebuilding         while a new database is made from the files of histories
    HOME/.published          which histories are known to be published
    HOME/socket              where a server takes mail from its owner (`mail/own_socket.py`),
    HOME/deliver             and from `deliver`

Any number of processes may share a home. What a command reads and writes is one transaction;
the files of histories and the Maildir get their part of it afterwards.
"""

import errno
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from secrets import token_bytes
from typing import Concatenate, ParamSpec, TypeVar

from pbm_oust.accounts.account import Account, house_account
from pbm_oust.board.notation import USERID
from pbm_oust.rules import KINDS
from pbm_oust.store import configuration as configurations
from pbm_oust.store.accounts import accounts_at, all_userids, find_account, whole, write_account
from pbm_oust.store.boards import Boards
from pbm_oust.store.database import Database, Snapshot, Transaction
from pbm_oust.store.disk import CLOSED, Disk, bytes_of, guard, locked_file, locked_folder
from pbm_oust.store.faults import Stale
from pbm_oust.store.index import BoardName, names_of
from pbm_oust.store.letters import Draft, LetterState, add_letter
from pbm_oust.store.limits import Tally, write_tally
from pbm_oust.store.outbox import Outbox, left_for_later
from pbm_oust.store.publishing import Progress, Publisher, keeping_up, untold
from pbm_oust.store.rebuilding import rebuild
from pbm_oust.store.sqlite import FILE_NAME, KEY, UNFINISHED, SqliteDatabase
from pbm_oust.store.verifications import keep_sheet

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
        self.database = open_database(path, self.disk)
        self.is_on_server = self.database.is_shared
        """Whether a database server keeps the home, which others may share."""
        self.boards = Boards(path, self.database.time)
        self.publisher = self.publisher_in(path)
        self.outbox = Outbox(path / "outbox", self.database, self.disk)
        self.tally = Tally()
        self.database.committing = self.outbox.receiving
        self.database.after = self._follow_up

    def prepare(self, progress: Progress = untold) -> None:
        """Keep others out, and make what is missing: folders, the key, the database.

        A database is made from the files of histories; `progress` is told how far that is.
        Raises OSError, also for a folder that is no home or that is only partly restored.
        """
        if self.is_unfinished:
            reason = "restoring it, or copying it, was broken off; empty it, and begin again"
            raise OSError(errno.ENOTRECOVERABLE, reason, str(self.path))
        self.path.mkdir(CLOSED, parents=True, exist_ok=True)
        guard(self.path, KINDS, has_readers=self.configured.readers)
        if not self.is_on_server:
            self.publisher.prepare()
        self.outbox.prepare()
        self.database.put_key(token_bytes(32))
        if not self.database.is_made or self._rebuilding.exists():
            self._rebuild(progress)

    def publisher_in(self, folder: Path) -> Publisher:
        """Return what publishes the histories in a folder."""
        overlap = OVERLAP if self.is_on_server else 0.0
        return Publisher(folder, self.database, self.boards, self.disk, overlap)

    def _rebuild(self, progress: Progress) -> None:
        """Make the database from the files, or wait until others have: nobody works with a part."""
        if not self.database.is_made:
            with suppress(FileExistsError):
                self.disk.create(self._rebuilding, b"", mode=0o600)
        with ExitStack() as held:
            try:
                held.enter_context(locked_file(self._rebuilding))
            except FileNotFoundError:
                return  # others have made it meanwhile
            rebuild(self.database, self.boards, self.publisher, progress)
            self.disk.remove(self._rebuilding)

    @property
    def configuration(self) -> Path:
        """Where the configuration is, if there is one."""
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
        with locked_folder(self.path):
            self.disk.remove_drafts(self.path)

    def close(self) -> None:
        """Close what is open; it is opened again when needed."""
        self.database.close()

    def now(self) -> datetime:
        """Return the time, by the clock of all who share the home."""
        return datetime.fromtimestamp(self.database.time(), UTC)

    def key(self) -> bytes:
        """Return the secret of this home, 32 bytes. Raises OSError if it cannot be read."""
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

    @property
    def posted_state(self) -> LetterState:
        """What letters do that leave us: wait for the relay, or become files in the Maildir."""
        return LetterState.WAITING if self.has_relay else LetterState.FILE

    # Reading and writing

    def ask(
        self, question: Callable[Concatenate[Snapshot, P], T], *args: P.args, **named: P.kwargs
    ) -> T:
        """Return the answer to a question about the database."""
        with self.database.read() as snapshot:
            return question(snapshot, *args, **named)

    def do(
        self, deed: Callable[Concatenate[Transaction, P], object], *args: P.args, **named: P.kwargs
    ) -> None:
        """Write to the database, within the current transaction or else in one of its own."""
        if transaction := self.database.transaction:
            deed(transaction, *args, **named)
        else:
            self.database.write(lambda transaction: deed(transaction, *args, **named))

    @contextmanager
    def posting(self, drafts: Iterable[Draft]) -> Iterator[None]:
        """Add letters to the transaction with what the body writes, or nothing if it fails."""
        transaction = self._transaction
        with transaction.part():
            yield
            for draft in drafts:
                add_letter(transaction, draft.head, draft.content, draft.written, self.posted_state)
                if draft.sheet:
                    keep_sheet(transaction, draft.sheet, draft.written)

    def withhold(self, files: Iterable[str]) -> None:
        """Keep letters in the Maildir from being opened while the transaction removes them.

        Raises Stale if a mail program has taken one of them.
        """
        if not self._transaction.held.enter_context(self.outbox.withheld(list(files))):
            raise Stale("a letter in the Maildir")

    def relaying(self, *, waits: bool) -> AbstractContextManager[bool]:
        """Keep others on this host from the letters, and give whether nobody else is at them."""
        return locked_folder(self.outbox.path, waits=waits)

    def write_out(self) -> None:
        """Write all letters that are to be files into the Maildir."""
        if not self.has_relay:
            with left_for_later():
                self.outbox.write_out()

    def write_tally(self, now: datetime) -> None:
        """Record what was refused without an answer."""
        if taken := self.tally.take():
            self.do(write_tally, taken, now)

    def board_names(self, kind: str) -> list[BoardName]:
        """Return all boards of a kind, damaged or not, in order."""
        return self.ask(names_of, kind)

    def history_path(self, name: BoardName) -> Path:
        """Return the path of the file in which a board's history is published."""
        return self.boards.path(name)

    def history(self, name: BoardName) -> bytes:
        """Return the history of a board. Raises NoSuchFile."""
        return self.ask(self.boards.history, name)

    # Accounts

    def account(self, userid: str) -> Account | None:
        """Return an account, or None if there is none. Raises AccountDamaged."""
        account = self.readable_account(userid)
        return account and whole(account)

    def readable_account(self, userid: str) -> Account | None:
        """Return an account as far as it can be read, or None if there is none.

        House players have one without a row.
        """
        if not USERID.fullmatch(userid):
            return None
        return self.ask(find_account, userid) or house_account(userid)

    def accounts_at(self, address: str) -> list[Account]:
        """Return the accounts that have an address, however it is written."""
        return self.ask(accounts_at, address)

    def userids(self) -> list[str]:
        """Return the userids of all accounts, in order."""
        return self.ask(all_userids)

    def save(self, account: Account) -> None:
        """Write an account, new or read before."""
        self.do(write_account, account)

    @property
    def _transaction(self) -> Transaction:
        """The transaction of the command that this thread carries out."""
        transaction = self.database.transaction
        if transaction is None:
            raise RuntimeError("this is a part of a transaction")
        return transaction

    def _follow_up(self, transactions: Sequence[Transaction]) -> None:
        """Do what follows from transactions that were committed."""
        self.boards.remember(transactions)
        if not self.is_on_server:
            for transaction in transactions:
                self.publisher.publish(transaction.boards)
        if any(transaction.letters for transaction in transactions):
            self.write_out()


def configuration_of(home: Path) -> Path:
    """Return where the configuration of a home is: in it, or where that of Debian's package is."""
    own = home / CONFIGURATION
    other = OF_PACKAGE.get(os.path.abspath(home))
    return other if other and other.exists() and not os.path.lexists(own) else own


def open_database(home: Path, disk: Disk) -> Database:
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
        return SqliteDatabase(home / FILE_NAME, disk)
    try:
        return open_server(home, url)
    except OSError as error:
        raise OSError(f"{configuration}: store: {error}") from None


def open_server(home: Path, url: str) -> Database:
    """Return the database of the home with this folder on the server that a URL names.

    Nothing is connected yet. Raises OSError without the library that connects, and for a URL that
    cannot be used; that does not quote it, as a password may stand there.
    """
    try:
        from pbm_oust.store.postgresql import PostgresqlDatabase
    except ImportError as error:
        reason = "install pbm_oust[postgresql], or take the line with store out of pbm_oust.toml"
        raise OSError(f"{error}; {reason}") from None
    return PostgresqlDatabase(url, home)
