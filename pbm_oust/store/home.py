"""The home: the directory that holds everything the server knows.

    HOME/oust/17.txt         histories, appended to; written whole only to replace a userid
    HOME/pbm_oust.db         everything but the games (`database.py`)
    HOME/outbox/             letters where no relay is set, a Maildir (`maildir.py`)
    HOME/key                 a secret of this home, from which its tokens are made
    HOME/pbm_oust.toml       configuration, written by the operator only

Any number of processes may share a home. What a unit of work writes is committed in one
transaction, and the histories and the Maildir get their part of it afterwards.
"""

import logging
import re
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.clock import earliest_ruling
from pbm_oust.accounts.returned import Bounce, Returned
from pbm_oust.board.notation import USERID
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store import account_queries, bounces, message_keys, rate_limits, verifications
from pbm_oust.store.accounts import ACCOUNTS
from pbm_oust.store.boards import Boards
from pbm_oust.store.configuration import BadConfiguration, parse_configuration
from pbm_oust.store.connections import Snapshot, Transaction
from pbm_oust.store.database import FILE_NAME, Database
from pbm_oust.store.disk import Disk, NoSuchFile, locked_folder, read_file
from pbm_oust.store.faults import DatabaseFault, Stale
from pbm_oust.store.histories import Histories
from pbm_oust.store.letters import Draft, State, add_letter, all_letters
from pbm_oust.store.maildir import Maildir, recall_letter
from pbm_oust.store.outbox import Outbox
from pbm_oust.store.refreshing import reindex
from pbm_oust.store.sending import release_letters
from pbm_oust.store.settling import settle
from pbm_oust.store.waiting import BoardName, boards_with_waiting

log = logging.getLogger("pbm_oust")

_KEY = re.compile(rb"[0-9a-f]{64}\n")

P = ParamSpec("P")
T = TypeVar("T")
Work = Callable[[Transaction], object]


class Changed(OSError):
    """Something is no longer as it was read: the command is to be carried out again."""


class Home:
    """A home directory at `path`. Methods that write may raise OSError.

    `has_relay` tells whether letters wait for a relay; where it is None, the configuration of the
    home says so.
    """

    def __init__(self, path: Path, disk: Disk | None = None, has_relay: bool | None = None) -> None:
        self.path = path
        self.disk = disk or Disk()
        self.configuration = path / "pbm_oust.toml"
        self.key_path = path / "key"
        self.database = Database(path / FILE_NAME, self.disk)
        self.boards = Boards(Histories(path, self.disk), earliest_ruling)
        self.maildir = Maildir(path / "outbox", self.database, self.disk)
        self.outbox = Outbox(self.database, self.maildir)
        self._has_relay = has_relay
        self._here = threading.local()

    def prepare(self) -> None:
        """Make the folders and the key that are missing, and the index of boards."""
        self.path.mkdir(parents=True, exist_ok=True)
        for kind in KINDS:
            self.disk.make_folder(self.path / kind, mode=0o755)
        self.maildir.prepare()
        with locked_folder(self.path):
            if not self.key_path.exists():
                key = f"{secrets.token_hex(32)}\n"
                self.disk.create(self.key_path, key.encode(), mode=0o600)
            self.disk.sync_folder(self.path)
        if not self.database.path.exists():
            reindex(self.database, self.boards)

    def recover(self) -> None:
        """Finish what processes that died have left: lines for histories, letters for files.

        What cannot be finished is left for another time.
        """
        self.remove_drafts()
        self._settle(None)
        self._write_out()

    def remove_drafts(self) -> None:
        """Remove the files that processes which died were about to write."""
        for folder in (*(self.path / kind for kind in KINDS), self.path):
            with locked_folder(folder):
                self.disk.remove_drafts(folder)

    def key(self) -> bytes:
        """Return the secret of this home, 32 bytes. Raises OSError where it cannot be read."""
        data = self.key_path.read_bytes()
        if not _KEY.fullmatch(data):
            raise OSError(f"{self.key_path}: a key is 64 hexadecimal digits in one line")
        return bytes.fromhex(data.decode())

    def read_configuration(self) -> str:
        """Return the text of the configuration, empty where there is none. Raises OSError."""
        try:
            return read_file(self.configuration).decode()
        except NoSuchFile:
            return ""
        except UnicodeDecodeError as error:
            raise OSError(f"the text is not UTF-8 from byte {error.start} on") from None

    @property
    def has_relay(self) -> bool:
        """Whether letters wait for a relay, and do not go into the Maildir."""
        if self._has_relay is None:
            self._has_relay = False
            with suppress(BadConfiguration, OSError):
                self._has_relay = parse_configuration(self.read_configuration()).relay is not None
        return self._has_relay

    @has_relay.setter
    def has_relay(self, has_relay: bool) -> None:
        self._has_relay = has_relay

    # Reading and writing

    def ask(
        self, question: Callable[Concatenate[Snapshot, P], T], *args: P.args, **named: P.kwargs
    ) -> T:
        """Return what a question about the database is answered with."""
        with self.database.read() as snapshot:
            return question(snapshot, *args, **named)

    def do(
        self, deed: Callable[Concatenate[Transaction, P], object], *args: P.args, **named: P.kwargs
    ) -> None:
        """Write to the database, as a part of the unit that is under way or as one of its own."""
        self.write(lambda transaction: deed(transaction, *args, **named))

    @contextmanager
    def unit(self, drafts: Sequence[Draft] = ()) -> Iterator[None]:
        """Commit what the body writes, with letters, in one transaction; nothing if it fails.

        Raises Changed where something is no longer as the body has read it.
        """
        if getattr(self._here, "works", None) is not None:
            raise RuntimeError("units of work are not done within one another")
        self._here.works = works = list[tuple[Work, tuple[BoardName, ...]]]()
        try:
            yield
        finally:
            self._here.works = None
        self._commit(works, drafts)

    def write(self, work: Work, *names: BoardName) -> None:
        """Do some work as a part of the unit that is under way, or else as a unit of its own.

        `names` are the boards whose histories get something.
        """
        works = getattr(self._here, "works", None)
        if works is None:
            self._commit([(work, names)], ())
        else:
            works.append((work, names))

    @contextmanager
    def withheld(self, files: Sequence[str]) -> Iterator[bool]:
        """Keep letters in the Maildir from being opened while the body removes them.

        Gives whether no mail program has taken any of them.
        """
        if not files:
            yield True
            return
        self._here.is_withholding = True
        try:
            with self.maildir.withheld(files) as is_withheld:
                yield is_withheld
        finally:
            self._here.is_withholding = False
        self._write_out()

    def board_names(self, kind: str) -> list[BoardName]:
        """Return all boards of a kind, damaged or not, in order."""
        with self.database.read() as snapshot:
            waiting = {name for name in boards_with_waiting(snapshot) if name.kind == kind}
        there = {BoardName(kind, number) for number in self.boards.histories.numbers(kind)}
        return sorted(there | waiting)

    def history_path(self, name: BoardName) -> Path:
        """Return where the history of a board is kept."""
        return self.boards.histories.path(name)

    def history(self, name: BoardName) -> bytes:
        """Return the history of a board as it stands. Raises NoSuchFile."""
        return self.ask(self.boards.history, name)

    # Accounts

    def account(self, userid: str) -> Account | None:
        """Return an account, or None if there is none."""
        return self.ask(ACCOUNTS.read, userid) if USERID.fullmatch(userid) else None

    def accounts_at(self, address: str) -> list[Account]:
        """Return the accounts that have an address, however it is written."""
        return self.ask(account_queries.at_address, address)

    def userids(self) -> list[str]:
        """Return the userids of all accounts, in order."""
        return self.ask(account_queries.all_userids)

    def watchers_of(self, kind: str, board: int) -> list[Account]:
        """Return the accounts of those who watch a board."""
        return self.ask(account_queries.watchers, kind, board)

    def save(self, account: Account) -> None:
        """Write an account, a new one or one that was read, with the unit of work."""
        self.do(ACCOUNTS.write, account)

    def hold(self, account: Account) -> None:
        """Let the unit that is under way be committed only if an account is as it was read."""
        self.do(ACCOUNTS.check, [account])

    def recall_files(self) -> None:
        """Let the letters that lie unread in the Maildir wait for the relay."""
        for letter in self.ask(all_letters, State.FILE):
            with self.withheld([letter.file] if letter.file else []) as is_withheld:
                if is_withheld:
                    self.do(recall_letter, letter.id)

    def release_letters(self, now: datetime) -> int:
        """Let the letters go that are held back, and return how many."""
        state = State.WAITING if self.has_relay else State.FILE
        released = self.database.write(partial(release_letters, state=state, now=now))
        self._write_out()
        return released

    def note_bounce(self, address: str, bounce: Bounce) -> Returned:
        """Write down that a letter came back, unless that is known, and return all that did."""
        return self.database.write(
            lambda transaction: bounces.note_bounce(transaction, address, bounce)
        )

    def forget_expired(self, now: datetime) -> None:
        """Forget codes, message keys and counts that are too old to matter."""

        def work(transaction: Transaction) -> None:
            verifications.forget_old_verifications(transaction, now)
            message_keys.forget_old_keys(transaction, now)
            rate_limits.forget_old_counts(transaction, now)

        self.write(work)

    def _commit(
        self, works: Sequence[tuple[Work, tuple[BoardName, ...]]], drafts: Sequence[Draft]
    ) -> None:
        if not (works or drafts):
            return
        state = State.WAITING if self.has_relay else State.FILE

        def work(transaction: Transaction) -> None:
            for each, _ in works:
                each(transaction)
            for draft in drafts:
                add_letter(transaction, draft.head, draft.content, draft.written, state)

        try:
            self.database.write(work)
        except Stale as stale:
            raise Changed(str(stale)) from None
        names = {name for _, some in works for name in some}
        if names:
            self._settle(names)
        if drafts and state is State.FILE:
            self._write_out()

    def _settle(self, names: set[BoardName] | None) -> None:
        """Bring what waits into the histories; what cannot be written goes on waiting."""
        try:
            for unsettled in settle(self.database, self.boards, names):
                log.warning("lines wait for the history of %s: %s", unsettled.name, unsettled.error)
        except DatabaseFault as fault:
            log.warning("lines wait for their histories: %s", fault)

    def _write_out(self) -> None:
        """Write letters into the Maildir where no relay takes them."""
        if self.has_relay or getattr(self._here, "is_withholding", False):
            return
        try:
            self.maildir.write_out()
        except OSError as error:
            log.warning("letters wait for the Maildir: %s", error)
