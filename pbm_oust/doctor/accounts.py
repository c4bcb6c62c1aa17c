"""The accounts: that each can be read and reached."""

from collections.abc import Iterator

from pbm_oust.accounts.account import Account, disabled_since
from pbm_oust.accounts.bounces import listed_reasons
from pbm_oust.accounts.password import checked_hash
from pbm_oust.accounts.settings import settings_of
from pbm_oust.board.notation import format_time
from pbm_oust.doctor.finding import RESTORE, Examiner, Finding, counted
from pbm_oust.store.faults import AccountDamaged, DatabaseFault, ValueDamaged, command_line
from pbm_oust.store.home import Home
from pbm_oust.store.verifications import all_bounces

_on = Examiner("accounts")
_on_bounces = Examiner("bounces")


def check(home: Home) -> Iterator[Finding]:
    """Yield findings about accounts, and about addresses from which letters bounced."""
    try:
        accounts = counted(len(home.userids()), "account")
        findings = [*_on.all_or(f"{accounts} can be read", _accounts(home)), *_bounces(home)]
    except DatabaseFault:
        yield _on.note("not looked at, because the database cannot be read")
        return
    yield from findings


def _accounts(home: Home) -> Iterator[Finding]:
    for userid in home.userids():
        try:
            account = home.account(userid)
        except AccountDamaged as damage:
            yield _on.bad(str(damage), RESTORE)
            continue
        if account:
            yield from _account(home, account)


def _account(home: Home, account: Account) -> Iterator[Finding]:
    userid = account.userid
    try:
        checked_hash(account.password)
    except ValueError:
        yield _on.bad(
            f"the hash of the password of {userid} cannot be read",
            "Give it a new one",
            command_line(home.path, "players", "passwd", userid),
        )
    if since := disabled_since(account):
        yield _on.note(f"{userid} is disabled since {format_time(since)}")
    for each in settings_of(account).unknown:
        chosen = f"{each.name} {each.value}"
        yield _on.note(f"{userid} has settled {chosen}, which is not known here; the usual counts")
    if not account.addresses:
        yield _on.bad(
            f"{userid} has no address, so that no mail arrives",
            "Merge it into another account",
            command_line(home.path, "players", "merge", userid, "USERID"),
        )


def _bounces(home: Home) -> Iterator[Finding]:
    try:
        returned = home.ask(all_bounces)
    except ValueDamaged as damage:
        yield _on_bounces.bad(str(damage), RESTORE)
        return
    if not returned:
        yield _on_bounces.ok("no letters came back of late")
    for each in returned:
        letters = counted(len(each.bounces), "letter")
        since = format_time(each.bounces[0].at) if each.bounces else "then"
        reasons = listed_reasons(each)
        stopped = "; it gets no more until its owner writes" if each.is_suspended else ""
        yield _on_bounces.note(
            f"{letters} to {each.address} came back since {since}: {reasons}{stopped}"
        )
