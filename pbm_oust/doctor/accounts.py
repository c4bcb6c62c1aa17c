"""The accounts: that each can be read and reached."""

from collections.abc import Callable, Iterator
from contextlib import suppress

from pbm_oust.accounts.account import Account, BadAccount, parse_account
from pbm_oust.accounts.broadcasts import broadcasts_of
from pbm_oust.accounts.digest import digested
from pbm_oust.accounts.invitations import limit_of, rejected_by
from pbm_oust.accounts.notes import notes_of
from pbm_oust.accounts.queue import plans_of
from pbm_oust.accounts.seeks import last_numbers, seeks_of
from pbm_oust.accounts.settings import settings_of
from pbm_oust.accounts.status import becomes, disabled_since, signed_off_since
from pbm_oust.accounts.submissions import submissions_of
from pbm_oust.accounts.vacations import absences_of
from pbm_oust.accounts.verification import proofs_of
from pbm_oust.accounts.watched import watched_by
from pbm_oust.board.notation import format_time
from pbm_oust.doctor.finding import Examiner, Finding, counted, within
from pbm_oust.store.bounced import BadBounces
from pbm_oust.store.home import Home

_on = Examiner("accounts")
_on_bounces = Examiner("bounces")

_READERS: tuple[Callable[[Account], object], ...] = (
    settings_of,
    notes_of,
    watched_by,
    limit_of,
    rejected_by,
    broadcasts_of,
    disabled_since,
    becomes,
    absences_of,
    digested,
    signed_off_since,
    proofs_of,
    plans_of,
    submissions_of,
    seeks_of,
    last_numbers,
)
"""Readers of everything that is kept in lines of an account."""


def check(home: Home) -> Iterator[Finding]:
    """Yield findings about accounts, and about addresses from which letters came back."""
    accounts = counted(len(home.userids()), "account")
    yield from _on.all_or(f"{accounts} can be read", _accounts(home))
    yield from _on_bounces.all_or("all files can be read", _bounces(home))


def _accounts(home: Home) -> Iterator[Finding]:
    for userid in home.userids():
        name = f"players/{userid}.txt"
        try:
            account = parse_account(home.read_player(userid))
        except (BadAccount, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            yield _on.bad(f"{name}: {reason}", "Put the file back from a backup")
            continue
        if account.userid != userid:
            yield _on.bad(
                f"{name}: the account in it is that of {account.userid}",
                f"Name the file {account.userid}.txt, or put the right one back from a backup",
            )
        yield from _lines_of(name, account)
        if not account.addresses:
            yield _on.bad(f"{name}: there is no line 'Address'", "Add one, so that mail arrives")


def _lines_of(name: str, account: Account) -> Iterator[Finding]:
    """Yield what is wrong with the lines that hold what a player has settled or keeps."""
    for read in _READERS:
        try:
            read(account)
        except BadAccount as error:
            yield _on.bad(f"{name}: {error}", "Mend the line or remove it")
    with suppress(BadAccount):
        if since := disabled_since(account):
            yield _on.note(f"{account.userid} is disabled since {format_time(since)}")
        if word := becomes(account):
            yield _on.note(f"{account.userid} is on the way to become {word}, which stopped midway")


def _bounces(home: Home) -> Iterator[Finding]:
    try:
        returned = home.bounces.all()
    except BadBounces as error:
        path, _, reason = str(error).partition(": ")
        name = within(home.path, home.path.joinpath(path))
        yield _on_bounces.bad(f"{name}: {reason}", "Remove the file; mail to its address goes on")
        return
    for each in returned:
        letters = counted(len(each.bounces), "letter")
        since = format_time(each.bounces[0].at) if each.bounces else "then"
        stopped = "; it gets no more until its owner writes" if each.is_suspended else ""
        yield _on_bounces.note(f"{letters} to {each.address} came back since {since}{stopped}")
