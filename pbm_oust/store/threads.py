"""What the threads of a process do with a database alike, whichever engine keeps it."""

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Generic, TypeVar

from pbm_oust.store.connections import Connection, Snapshot, Transaction, Work
from pbm_oust.store.snapshots import Moment, Pool, Snapshots
from pbm_oust.store.writing import Task, Writing

C = TypeVar("C", bound=Connection)
T = TypeVar("T")


class ThreadsDatabase(Generic[C]):
    """The part of a `Database` that lets threads read moments, and write in turn.

    `pool` has the connections that read; `connect` opens one that writes. Faults name `path`.
    """

    def __init__(self, path: Path, pool: Pool[C], connect: Callable[[], Connection]) -> None:
        self.after: Callable[[Sequence[Transaction]], None] = lambda _transactions: None
        """Is given what was committed, by whoever has waited for that."""
        self._process = os.getpid()
        self._snapshots = Snapshots(pool)
        self._writing = Writing(path, connect)

    def read(self) -> AbstractContextManager[Snapshot]:
        """Give what the database holds at one moment; nested calls give the same.

        Within a work, that is its transaction.
        """
        self._check_process()
        transaction = self._writing.transaction
        return nullcontext(transaction) if transaction else self._snapshots.read()

    @property
    def transaction(self) -> Transaction | None:
        """The transaction of the work that this thread does, if it does one."""
        return self._writing.transaction

    def read_latest(self) -> AbstractContextManager[Snapshot]:
        """Give what the database holds now, even within another `read`."""
        self._check_process()
        transaction = self._writing.transaction
        return nullcontext(transaction) if transaction else self._snapshots.latest()

    def sharing(self) -> AbstractContextManager[None]:
        """Let all that this thread reads in the body be of one moment, until it writes.

        Within another body, what follows that is of a later moment.
        """
        self._check_process()
        return nullcontext() if self._writing.transaction else self._snapshots.sharing()

    def moment(self) -> Moment:
        """Return what is another value after each commit, whoever has committed."""
        self._check_process()
        return self._snapshots.moment()

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Do some work within a transaction; on return, it is durable.

        Within another work it is a part of that.
        """
        if transaction := self._writing.transaction:
            with transaction.part():
                return work(transaction)
        (task,) = self.write_all([work])
        result: T = task.result()
        return result

    def write_all(self, works: Iterable[Work]) -> list[Task[Any]]:
        """Do pieces of work as `write` does each, and return them once they are over."""
        self._about_to_write()
        tasks = self._writing.all(works)
        self._follow(tasks)
        return tasks

    def close(self) -> None:
        """Close all connections, none of which may be in use. They are opened again when needed."""
        self._snapshots.close()
        self._writing.close()

    def _about_to_write(self) -> None:
        """Let what this thread reads from now on be of a later moment."""
        self._check_process()
        self._snapshots.renew()

    def _follow(self, tasks: Iterable[Task[Any]]) -> None:
        """Leave what transactions hold, and do what follows from those that were committed."""
        for task in tasks:
            task.release()
        done = [task.transaction for task in tasks if task.transaction and task.is_done]
        if done:
            self.after(done)

    def _check_process(self) -> None:
        if os.getpid() != self._process:
            raise RuntimeError("this process was forked from one that uses the database")
