"""Proving an address: a code came back, and what waited for it is done."""

from dataclasses import replace

from pbm_oust.actions.desk import Desk
from pbm_oust.actions.request import Action, Handled, Request
from pbm_oust.boards import has_played
from pbm_oust.commands.accounts import Verify, read_new_password
from pbm_oust.commands.table import is_fit
from pbm_oust.journal import Ending
from pbm_oust.membership import with_signed_off
from pbm_oust.notices import Notice, Reader, Told, WelcomeNotice
from pbm_oust.outbox import NOWHERE
from pbm_oust.players import Account, Secret, format_account, hash_password
from pbm_oust.proofs import Pending, Proof, Purpose, name_of, proofs_of, salt_for, with_proof
from pbm_oust.recovery import player_place
from pbm_oust.refusal import Barred, NotAllowed, Unread, Unreadable


def verify(command: Verify, request: Request, desk: Desk) -> Handled:
    """Do what waits for a code, once however often the code comes."""
    name = name_of(command.code)
    home = desk.home
    with home.locked_players():
        pending = home.pending.find(name, desk.now())
        if pending is None:
            if home.journal.ending(name) is None:
                raise NotAllowed(Barred.NO_SUCH_CODE)
            return desk.answer(Told(desk.sender_of(request), "code_used", {}), request, _AGAIN)
        account = desk.account_if_any(pending.userid)
        place = player_place(pending.userid)
        if account and name in (proof.name for proof in proofs_of(account)):
            home.sync_player(account.userid)
            home.outbox.finish(name, place)
            again = _notices(pending, account, account, request, desk)[:1]
            with desk.posting(again, request, name, NOWHERE):
                handled = _AGAIN
        else:
            changed = _changed(pending, account, command, request, desk)
            changed = with_proof(changed, Proof(name, pending.cause))
            notices = _notices(pending, account, changed, request, desk)
            with desk.posting(notices, request, name, place):
                home.write_player(changed.userid, format_account(changed))
            account, handled = changed, Handled(_OUTCOMES[pending.purpose])
        if home.journal.ending(name) is None:
            desk.note(name, Ending.DONE)
        if pending.purpose is Purpose.FORGOT:
            home.pending.forget_of(account, desk.now())
        home.pending.forget(name)
    return handled


def _changed(
    pending: Pending, account: Account | None, command: Verify, request: Request, desk: Desk
) -> Account:
    """Return the account as it is when the code has come back. Raises NotAllowed."""
    if pending.purpose is Purpose.SIGNUP:
        return _signed_up(pending, account, desk)
    if account is None:
        raise NotAllowed(Barred.NO_SUCH_CODE)
    if pending.purpose is Purpose.FORGOT:
        new = command.new or _password_in(request.chat)
        if new is None:
            raise NotAllowed(Barred.PASSWORD_MISSING)
        if not is_fit(new, account.userid):
            raise Unreadable(Unread.BAD_PASSWORD)
        salt = salt_for(desk.home.key(), account.userid, name_of(command.code))
        return replace(account, password=hash_password(new, salt))
    if pending.purpose is Purpose.CHANGE and not _has_begun(pending, account):
        return replace(account, addresses=(pending.address,))
    return _with_address(account, pending.address)


def _signed_up(pending: Pending, account: Account | None, desk: Desk) -> Account:
    """Return the account that a signup makes, or the one that it has made. Raises NotAllowed."""
    userid, address = pending.userid, pending.address
    if account is None:
        if has_played(userid, desk.home):
            raise _taken(userid, desk)
        return Account(userid, pending.password, (address,), desk.now(), pending.cause)
    if account.cause == pending.cause:
        return _with_address(account, address)
    if not account.has_address(address):
        raise _taken(userid, desk)
    if account.password != pending.password:
        raise NotAllowed(Barred.HAS_ACCOUNT, userid, userid=userid)
    return with_signed_off(account, None)


def _notices(
    pending: Pending, before: Account | None, after: Account, request: Request, desk: Desk
) -> list[Notice]:
    """Return what is told when a code has come back, the answer to its sender first."""
    reader = desk.player_at(after, request)
    if pending.purpose is Purpose.FORGOT:
        return [Told(reader, "password_changed", {})]
    if pending.purpose is Purpose.SIGNUP and (before is None or pending.cause != after.cause):
        return [WelcomeNotice(reader, after)]
    facts = {"account": after, "proved": pending.address}
    notices: list[Notice] = [Told(reader, "addresses", facts)]
    dropped = before.addresses if before else ()
    dropped = tuple(each for each in dropped if each not in reader.addresses)
    if dropped:
        notices.append(Told(Reader(dropped, after.userid), "addresses_replaced", facts))
    return notices


def _password_in(text: str) -> Secret | None:
    """Return the password of a text whose first line is `password NEWPASSWORD`. Raises Unreadable.

    The word in front is what no mail program writes that answers for somebody who is away.
    """
    words = text.strip().split("\n", 1)[0].split()
    is_meant = len(words) == 2 and words[0].lower().rstrip(":") == "password"
    return read_new_password(words[1]) if is_meant else None


def _has_begun(pending: Pending, account: Account) -> bool:
    """Return whether another address of the same mail has replaced the old ones."""
    return pending.cause in (proof.cause for proof in proofs_of(account))


def _with_address(account: Account, address: str) -> Account:
    if account.has_address(address):
        return account
    return replace(account, addresses=(*account.addresses, address))


def _taken(userid: str, desk: Desk) -> NotAllowed:
    """Return the refusal of a userid, with one like it that is free."""
    known = set(desk.home.userids())
    number = 2
    while (free := f"{userid[:17]}{number}") in known or has_played(free, desk.home):
        number += 1
    return NotAllowed(Barred.USERID_TAKEN, userid, userid=userid, free=free)


_AGAIN = Handled("done before")
_OUTCOMES: dict[Purpose, str] = {
    Purpose.SIGNUP: "signed up",
    Purpose.ADD: "added an address",
    Purpose.CHANGE: "changed the address",
    Purpose.FORGOT: "changed the password",
}

UNSIGNED: dict[type, Action] = {Verify: verify}
