"""Updating the index from the histories, which anybody may edit, add and remove."""

import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

from pbm_oust.rules.kinds import KINDS
from pbm_oust.store import index
from pbm_oust.store.boards import Boards
from pbm_oust.store.connections import Database, Row, Snapshot, Transaction
from pbm_oust.store.entries import Entry, Reading
from pbm_oust.store.histories import Histories, Stamp
from pbm_oust.store.ratings import count_marked, mark
from pbm_oust.store.waiting import BoardName, Waiting, boards_with_waiting

_TOGETHER = 100
"""How many files are looked at before the index is told what they say."""
MOST_LOOKED_AT = 200
"""How many files a step of a walk looks at."""
MOST_STEPS = 10
"""How many steps of a walk a sweep takes."""
_MOST_REPLAYED = 5
"""How many believed histories a step of a walk replays."""

_Found = Mapping[BoardName, tuple[Reading, Stamp] | None]
"""What the index should say about some boards, and the stamps of their files."""
Progress = Callable[[int, int], None]
"""Is told how many boards are done, and of how many."""


def refresh(
    transaction: Transaction, boards: Boards, name: BoardName, *, believes: bool = True
) -> None:
    """Write into the index what the history of a board says, if there is one."""
    found = boards.look(transaction, name, believes=believes)
    if found:
        index.put(transaction, *found)
    else:
        index.remove(transaction, name)


def refresh_all(database: Database, boards: Boards, names: Sequence[BoardName]) -> None:
    """Write into the index what the histories of some boards say. Raises DatabaseFault.

    They are replayed first, so that no writer has to wait for that.
    """
    _refresh(database, boards, names, believes=True)


def reindex(database: Database, boards: Boards, progress: Progress | None = None) -> int:
    """Make the whole index anew, and return the number of boards. Raises DatabaseFault.

    It can be used meanwhile. Histories that end with their result are believed; `replay_believed`
    replays them.
    """
    for found in _look_at_all(database, boards, progress):
        if news := _news(database, found):
            database.write(partial(_put_many, boards, news))
    count_marked(database)
    with database.read() as snapshot:
        return sum(len(index.numbers_in(snapshot, kind)) for kind in KINDS)


def read_again(
    database: Database, boards: Boards, progress: Progress | None = None
) -> Iterator[Entry]:
    """Yield what the index should say about the boards that are not damaged, from the histories.

    It is neither asked nor changed. Raises DatabaseFault.
    """
    with database.read() as snapshot:
        waiting = {name: boards.look(snapshot, name) for name in boards_with_waiting(snapshot)}
    for found in _look_at_all(database, boards, progress):
        for reading, _ in filter(None, (waiting.get(name) or found[name] for name in found)):
            if isinstance(reading.entry, Entry):
                yield reading.entry


def replay_believed(database: Database, boards: Boards, most: int) -> int:
    """Replay some of the believed histories; return how many, or 0 if none are left.

    Raises DatabaseFault.
    """
    with database.read() as snapshot:
        names = index.believed(snapshot, most)
    _refresh(database, boards, names, believes=False)
    return len(names)


def unfit(snapshot: Snapshot, boards: Boards) -> Iterator[BoardName]:
    """Yield the boards whose index entries differ from their histories, in order.

    All are replayed, except those whose results are believed.
    """
    for name in _all_names(snapshot, boards):
        said = index.get(snapshot, name)
        believes = said is not None and not said[0].is_replayed
        if said != boards.look(snapshot, name, believes=believes):
            yield name


class Walk:
    """Looks at all histories in turn, some at each step, again and again."""

    def __init__(self, database: Database, boards: Boards) -> None:
        self._database = database
        self._boards = boards
        self._ahead = deque[BoardName]()
        self._lock = threading.Lock()

    def step(self, most: int = MOST_LOOKED_AT) -> list[BoardName]:
        """Look at the next histories; return those that the index did not fit until now.

        Boards that did not fit when somebody read them come first. Raises DatabaseFault, and
        OSError if a folder cannot be read.
        """
        names = set(self._boards.take_doubtful())
        with self._lock, self._database.read() as snapshot:
            if not self._ahead:
                self._ahead.extend(_all_names(snapshot, self._boards))
            names |= {self._ahead.popleft() for _ in range(min(most, len(self._ahead)))}
            changed = sorted(_unfitting(snapshot, self._boards, names))
        refresh_all(self._database, self._boards, changed)
        replay_believed(self._database, self._boards, _MOST_REPLAYED)
        return changed

    def stretch(self, steps: int = MOST_STEPS, most: int = MOST_LOOKED_AT) -> Iterator[BoardName]:
        """Take some steps, at most to the last history; yield as `step` returns.

        So a sweep costs the same however many histories there are.
        """
        for _ in range(steps):
            yield from self.step(most)
            if self.is_round:
                return

    @property
    def is_round(self) -> bool:
        """Whether the next step begins anew with the first history."""
        return not self._ahead


def look_at_histories(database: Database, boards: Boards) -> list[BoardName]:
    """Look at all histories once; return those that the index did not fit until now.

    Raises DatabaseFault, and OSError if a folder cannot be read.
    """
    walk = Walk(database, boards)
    changed = walk.step()
    while not walk.is_round:
        changed += walk.step()
    count_marked(database)
    return changed


def _refresh(
    database: Database, boards: Boards, names: Sequence[BoardName], *, believes: bool
) -> None:
    for first in range(0, len(names), _TOGETHER):
        found = _look(boards, names[first : first + _TOGETHER], believes=believes)
        database.write(partial(_put_all, boards, found, believes=believes))


def _look(boards: Boards, names: Sequence[BoardName], *, believes: bool) -> _Found:
    """Return what the files of some boards say, whatever waits for them."""
    return {name: boards.look_with(name, Waiting(), believes=believes) for name in names}


def _look_at_all(database: Database, boards: Boards, progress: Progress | None) -> Iterator[_Found]:
    """Yield what the files of all boards say; they are read on all cores."""
    from pbm_oust.store.cores import on_all_cores

    with database.read() as snapshot:
        names = _all_names(snapshot, boards)
    prepare = partial(_boards_of, boards.histories.opener)
    done, tell = 0, progress or _tell_nobody
    tell(done, len(names))
    for found in on_all_cores(partial(_look, believes=True), names, boards, prepare):
        yield found
        done += len(found)
        tell(done, len(names))


def _boards_of(histories: Callable[[], Histories]) -> Boards:
    return Boards(histories())


def _tell_nobody(_done: int, _of: int) -> None:
    """Let nobody know how far something is."""


def _news(database: Database, found: _Found) -> _Found:
    """Return what the index does not say already of what the files of some boards say."""
    with database.read() as snapshot:
        waiting, said = set(boards_with_waiting(snapshot)), dict[BoardName, Row]()
        for kind in KINDS:
            if numbers := [name.board for name in found if name.kind == kind]:
                said |= index.said_as(snapshot, kind, min(numbers), max(numbers))
    return {
        name: each
        for name, each in found.items()
        if name in waiting or each is None or index.row_of(*each) != said.get(name, ())
    }


def _put_many(boards: Boards, found: _Found, transaction: Transaction) -> None:
    """Do what `_put_all` does for some of very many boards, whose ratings are counted later."""
    for kind in {name.kind for name in found}:
        mark(transaction, KINDS[kind])
    _put_all(boards, found, transaction, believes=True, changes_ratings=False)


def _put_all(
    boards: Boards,
    found: _Found,
    transaction: Transaction,
    *,
    believes: bool,
    changes_ratings: bool = True,
) -> None:
    """Write into the index what files say, unless something waits or they have changed since."""
    waiting = set(boards_with_waiting(transaction))
    stamps = _stamps(transaction, boards, found)
    for name, each in found.items():
        if each and name not in waiting and stamps.get(name) == each[1]:
            index.put(transaction, *each, changes_ratings=changes_ratings)
        else:
            refresh(transaction, boards, name, believes=believes)


def _all_names(snapshot: Snapshot, boards: Boards) -> list[BoardName]:
    """Return the boards that have a history, wait for one, or are in the index, in order."""
    waiting, names = boards_with_waiting(snapshot), list[BoardName]()
    for kind in KINDS:
        numbers = {name.board for name in waiting if name.kind == kind}
        numbers.update(boards.histories.numbers(kind), index.numbers_in(snapshot, kind))
        names += [BoardName(kind, number) for number in sorted(numbers)]
    return names


def _unfitting(
    snapshot: Snapshot, boards: Boards, names: Collection[BoardName]
) -> Iterator[BoardName]:
    """Yield those histories that are not as the index knows them."""
    found = _stamps(snapshot, boards, names)
    for kind in KINDS:
        known = index.stamps_in(snapshot, kind, _numbers(names, kind))
        for name in names:
            if name.kind == kind and known.get(name) != found.get(name):
                yield name


def _stamps(
    snapshot: Snapshot, boards: Boards, names: Collection[BoardName]
) -> dict[BoardName, Stamp]:
    """Return the stamps of histories, as far as they can be read."""
    found = dict[BoardName, Stamp]()
    for kind in KINDS:
        found |= boards.histories.stamps(kind, _numbers(names, kind), snapshot)
    return found


def _numbers(names: Collection[BoardName], kind: str) -> list[int]:
    return [name.board for name in names if name.kind == kind]
