"""The accounts: that each can be read and reached."""

from collections.abc import Iterator

from pbm_oust.accounts.account import Account, BadAccount
from pbm_oust.accounts.account_file import BadLines, parse_account
from pbm_oust.accounts.status import becomes, disabled_since
from pbm_oust.board.notation import format_time
from pbm_oust.doctor.finding import Examiner, Finding, counted, within
from pbm_oust.store.bounced import BadBounces
from pbm_oust.store.home import Home

_on = Examiner("accounts")
_on_bounces = Examiner("bounces")


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
        except BadLines as lines:
            for each in lines.reasons:
                yield _on.bad(f"{name}: {each}", "Mend the line or remove it")
            continue
        except (BadAccount, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            yield _on.bad(f"{name}: {reason}", "Put the file back from a backup")
            continue
        if account.userid != userid:
            yield _on.bad(
                f"{name}: the account in it is that of {account.userid}",
                f"Name the file {account.userid}.txt, or put the right one back from a backup",
            )
        yield from _state_of(account)
        if not account.addresses:
            yield _on.bad(f"{name}: there is no line 'Address'", "Add one, so that mail arrives")


def _state_of(account: Account) -> Iterator[Finding]:
    """Yield what an operator may have forgotten about an account."""
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
