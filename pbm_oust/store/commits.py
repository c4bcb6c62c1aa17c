"""Committing units of work: at once, or those of several mails together.

    with commits.deferring() as units:
        ..  # one mail
    make_durable = commits.begin(units)
    errors = make_durable()  # waits for the disk, in any thread

What follows from a commit is done with it: histories are settled, letters written out.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from pbm_oust.store.connections import Database
from pbm_oust.store.faults import Stale
from pbm_oust.store.maildir import Maildir
from pbm_oust.store.settler import Settler
from pbm_oust.store.unit import Unit
from pbm_oust.store.writing import Task

MakeDurable = Callable[[], list[Exception | None]]
"""Returns for each unit why it could not be committed, or None."""


class Changed(OSError):
    """Something is no longer as it was read: the command has to be carried out again."""


class CannotDefer(Exception):
    """What a mail does must be committed while it is done; so far nothing has been done."""


class _Here(threading.local):
    deferred: list[Unit] | None = None
    """The units of this thread that are committed later."""


class Commits:
    """Commits units to the database of a home, and has done what follows from them."""

    def __init__(
        self,
        database: Database,
        maildir: Maildir,
        settler: Settler,
        write_out: Callable[[], None],
    ) -> None:
        """`write_out` writes letters into the Maildir, if that is where they belong."""
        self._database = database
        self._maildir = maildir
        self._settler = settler
        self._write_out = write_out
        self._here = _Here()

    def commit(self, unit: Unit, *, is_nested: bool) -> None:
        """Commit a unit, later if this thread defers that. Raises Changed and CannotDefer.

        `is_nested`: whether another unit goes on meanwhile.
        """
        if not unit.works:
            return
        deferred = self._here.deferred
        if deferred is not None:
            if deferred or is_nested or unit.files:
                raise CannotDefer
            deferred.append(unit)
            return
        try:
            with self._maildir.withheld(unit.files) as is_withheld:
                if not is_withheld:
                    raise Stale("a letter in the Maildir")
                self._database.write(unit.carry_out)
        except Stale as stale:
            raise Changed(str(stale)) from None
        self._follow_up([unit])

    @contextmanager
    def deferring(self) -> Iterator[list[Unit]]:
        """Give the list to which the unit of the body is added in the place of being committed.

        There is one at most. The body raises CannotDefer if it needs more.
        """
        units: list[Unit] = []
        self._here.deferred = units
        try:
            yield units
        finally:
            self._here.deferred = None

    def begin(self, units: Sequence[Unit]) -> MakeDurable:
        """Write some units, and return what commits them together, in any thread.

        Others may write just now; then that waits for them.
        """
        works = [unit.carry_out for unit in units]
        begun = self._database.begin_to_write(works)

        def make_durable() -> list[Exception | None]:
            tasks = begun() if begun else self._database.write_all(works)
            errors = list(map(_error_of, tasks))
            pairs = zip(units, errors, strict=True)
            self._follow_up([unit for unit, error in pairs if error is None])
            return errors

        return make_durable

    def _follow_up(self, units: Sequence[Unit]) -> None:
        boards = {name for unit in units for name in unit.boards}
        if boards:
            self._settler.take(boards)
        if any(unit.has_letters for unit in units):
            self._write_out()


def _error_of(task: Task[object]) -> Exception | None:
    try:
        task.result()
    except Stale as stale:
        return Changed(str(stale))
    except Exception as error:  # noqa: BLE001 - it is raised where the mail is handled
        return error
    return None
