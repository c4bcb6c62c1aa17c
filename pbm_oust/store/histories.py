"""The histories of a home, whichever engine keeps them: what they are asked, and what they tell.

A history is appended to; it is written anew only to replace a userid. What returns is durable.
"""

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from pbm_oust.board.history import BadHistory
from pbm_oust.frozen import frozen
from pbm_oust.refusal import NotAllowed, NotAllowedReason
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from pbm_oust.store.connections import Snapshot, Transaction
from pbm_oust.store.waiting import BoardName


@frozen
class NoSuchBoard(NotAllowedReason):
    """There is no board of this number."""

    kind: Kind
    board: int


@frozen
class DamagedBoard(NotAllowedReason):
    """The history of a board is damaged, and the operator has to repair it."""

    kind: Kind
    board: int


class DamagedHistory(Exception):
    """A history cannot be read or does not replay.

    The operator has to repair it; nothing is written to it, and other boards go on. `line` is 0 if
    the file as a whole cannot be read.
    """

    def __init__(self, path: Path, error: BadHistory | OSError) -> None:
        super().__init__(f"{path}: {error}" if isinstance(error, BadHistory) else str(error))
        self.path = path
        self.line = error.line if isinstance(error, BadHistory) else 0
        self.reason = error.reason if isinstance(error, BadHistory) else str(error.strerror)

    @property
    def name(self) -> BoardName:
        """The name of the board."""
        return BoardName(self.path.parent.name, int(self.path.stem))

    def refusal(self) -> NotAllowed:
        """Return what to tell somebody who only wants to look at the board."""
        return NotAllowed(DamagedBoard(KINDS[self.name.kind], self.name.board))


@frozen
class Stamp:
    """What shows whether a history has changed: the size, time in nanoseconds and inode of a file.

    Where there is no file, its size, and a number that no other state of a history has.
    """

    size: int = 0
    mtime: int = 0
    inode: int = 0


NO_STAMP = Stamp()
"""The stamp of a missing history."""


@frozen
class Found:
    """The content of a history, and a stamp that no longer fits if it changes later."""

    data: bytes
    stamp: Stamp
    changed: int
    """The time in nanoseconds of the latest change to anything about a file."""
    is_old: bool
    """Whether that was long enough before the reading, so that any later change has another."""


class HeldHistory(Protocol):
    """A locked history, and its content when the lock was taken. The methods may raise OSError."""

    found: Found

    def append(self, data: bytes, at: int) -> None:
        """Write after the first `at` bytes, over what was there."""

    def sync(self, *, with_folder: bool) -> None:
        """Make the history durable, whoever wrote it, and if asked its name."""

    def replace(self, data: bytes) -> None:
        """Write the history anew. Its lock may then stop nobody, so this must come last."""

    def is_in_place(self) -> bool:
        """Return whether what is locked is still the history of the board."""

    def stamp(self) -> Stamp:
        """Return the stamp of the history as it is now."""


class Histories(Protocol):
    """The histories of a home. The methods may raise OSError."""

    @property
    def opener(self) -> "Callable[[], Histories]":
        """What gives these histories to another process."""

    def prepare(self) -> None:
        """Make what is missing for histories to be kept."""

    def remove_drafts(self) -> None:
        """Remove what dead processes were writing, which takes a look at all names."""

    def path(self, name: BoardName) -> Path:
        """Return the path of a board's history, or what it would be if there were files."""

    def numbers(self, kind: str) -> list[int]:
        """Return the numbers of all boards of a kind that have a history, in order."""

    @property
    def is_within_database(self) -> bool:
        """Whether a history is written with the transaction of its unit of work."""

    def stamp(self, name: BoardName, within: Snapshot | None = None) -> Stamp:
        """Return the stamp of a history; NO_STAMP if there is none.

        If it is in the database, it is that of the moment of `within`.
        """

    def stamps(
        self, kind: str, numbers: Collection[int], within: Snapshot
    ) -> dict[BoardName, Stamp]:
        """Return the stamps of histories, as far as they can be read, as `stamp` does each."""

    def read(
        self, name: BoardName, known: Found | None = None, within: Snapshot | None = None
    ) -> Found:
        """Return the content of a history: `known`, if that is still it. Raises NoSuchFile.

        If it is in the database, it is that of the moment of `within`.
        """

    def extend(
        self,
        transaction: Transaction,
        name: BoardName,
        found: Found | None,
        data: bytes,
        otherwise: Exception,
    ) -> Callable[[], Found]:
        """Let a history that was `found` be `data`, which goes on from it, with a transaction.

        Only for histories within the database. The work raises `otherwise` if the history is
        another one by now, or if anything waits for it. Returns what tells how it is found then,
        once all that was sent has been carried out.
        """

    def create(self, name: BoardName, data: bytes) -> None:
        """Write a new history; `held_folder` must be held. Raises FileExistsError."""

    def create_all(self, contents: Mapping[BoardName, bytes]) -> None:
        """Write new histories, in whatever order. Raises FileExistsError.

        What has been written then stays, in whole histories. After it all histories are durable
        that are there, also those of a process that died while it wrote them.
        """

    def held(
        self, name: BoardName, known: Found | None = None
    ) -> AbstractContextManager[HeldHistory]:
        """Lock a history, so that nobody else writes to it. Raises NoSuchFile.

        `known` is what was found before, if anything is known. What was written is durable after
        the body.
        """

    def held_folder(self, kind: str) -> AbstractContextManager[None]:
        """Let nobody else make a history of a kind."""

    def close(self) -> None:
        """Close what is open; it is opened again when needed."""
