"""A unit of work as it grows: what will be committed, once all of it is known.

It is committed in the order in which it was added. An account that is saved twice is written once,
in its last state.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from pbm_oust.accounts.account import Account
from pbm_oust.store.accounts import ACCOUNTS
from pbm_oust.store.connections import Transaction
from pbm_oust.store.letters import Draft, State, add_letter
from pbm_oust.store.sheets import keep_sheet
from pbm_oust.store.waiting import BoardName

Work = Callable[[Transaction], object]


@dataclass(slots=True)
class Unit:
    """What a unit of work will commit."""

    works: list[Work] = field(default_factory=list)
    boards: set[BoardName] = field(default_factory=set)
    """The boards whose histories change."""
    files: set[str] = field(default_factory=set)
    """Letters in the Maildir that go with the unit: nobody may open them meanwhile."""
    has_letters: bool = False
    _saved: dict[str, Account] = field(default_factory=dict)

    def add(self, work: Work, boards: Iterable[BoardName] = ()) -> None:
        """Add some work, and the boards whose histories change."""
        self.works.append(work)
        self.boards.update(boards)

    def save(self, account: Account) -> None:
        """Write an account, new or read before."""
        if account.userid not in self._saved:
            self.works.append(partial(self._write, account.userid))
        self._saved[account.userid] = account

    def hold(self, account: Account) -> None:
        """Let the unit be committed only if an account is still as it was read."""
        self.works.append(partial(self._check, account))

    def post(self, drafts: Iterable[Draft], state: State) -> None:
        """Add letters to the outbox."""
        for draft in drafts:
            self.works.append(partial(_add, draft, state))
            self.has_letters = True

    @contextmanager
    def part(self) -> Iterator[None]:
        """Drop what the body has added, if it fails."""
        saved, written = dict(self._saved), len(self.works)
        try:
            yield
        except BaseException:
            self._saved = saved
            del self.works[written:]
            raise

    def carry_out(self, transaction: Transaction) -> None:
        """Write everything."""
        for work in self.works:
            work(transaction)

    def _write(self, userid: str, transaction: Transaction) -> None:
        ACCOUNTS.write(transaction, self._saved[userid])

    def _check(self, account: Account, transaction: Transaction) -> None:
        # Writing an account checks that as well, and makes another version of it.
        if account.userid not in self._saved:
            ACCOUNTS.check(transaction, [account])


def _add(draft: Draft, state: State, transaction: Transaction) -> None:
    add_letter(transaction, draft.head, draft.content, draft.written, state)
    if draft.sheet:
        keep_sheet(transaction, draft.sheet, draft.written)
