"""What becomes of accounts when players get other userids, or two accounts are made one. Pure."""

from collections.abc import Iterable
from typing import TypeVar

from pbm_oust.accounts.account import Account, Note, Rejection
from pbm_oust.accounts.vacations import together
from pbm_oust.frozen import replace

T = TypeVar("T")


def with_renamed(account: Account, old: str, new: str | None) -> Account:
    """Return an account in which another player has a new userid; None: that player is gone.

    It is the same account where it does not speak of the player.
    """
    if old not in (each.rejected for each in account.rejections):
        return account
    known = (Rejection(new),) if new and new != account.userid else ()
    rejections = (
        each
        for rejection in account.rejections
        for each in (known if rejection.rejected == old else (rejection,))
    )
    return replace(account, rejections=tuple(dict.fromkeys(rejections)))


def merged(account: Account, other: Account) -> Account:
    """Return an account that has the addresses of another and what that one kept, too.

    What both have settled is as the account had it.
    """
    added = (address for address in other.addresses if not account.has_address(address))
    both = replace(
        account,
        addresses=(*account.addresses, *added),
        notes=_merged_notes(account.notes, other.notes),
        watched=_each_once(account.watched, other.watched),
        rejections=_each_once(account.rejections, other.rejections),
        queue=_each_once(account.queue, other.queue),
        submissions=_each_once(account.submissions, other.submissions),
        seeks=(*account.seeks, *other.seeks),
        vacations=together((*account.vacations, *other.vacations)),
    )
    return with_renamed(with_renamed(both, other.userid, None), account.userid, None)


def _each_once(some: Iterable[T], others: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys((*some, *others)))


def _merged_notes(notes: Iterable[Note], others: Iterable[Note]) -> tuple[Note, ...]:
    """Return the notes of both; two about one board, one behind the other."""
    found = {each.name: each for each in others}
    for each in notes:
        other = found.get(each.name, each).note
        text = each.note if each.note == other else f"{each.note}\n\n{other}"
        found[each.name] = Note(kind=each.kind, board=each.board, note=text)
    return tuple(found.values())
