"""Whose command it is, as a password or an answered letter proves, and what it may cause."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from pbm_oust.accounts import tags
from pbm_oust.accounts.account import Account
from pbm_oust.accounts.password import NO_PASSWORD, Match, Secret, nobodys_password
from pbm_oust.accounts.settings import Auth
from pbm_oust.grammar.form import USUAL_COST, Cost
from pbm_oust.play.notices import Notice
from pbm_oust.play.request import Actor, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Reason, Refusal, Unreadable
from pbm_oust.store.limits import Charge, Counted, count, end_of_limit, number_counted
from pbm_oust.store.open_boards import started_by
from pbm_oust.store.verifications import find_sheet


class TooMuch(NotAllowedReason, frozen=True):
    """A limit is reached."""

    charge: Charge
    most: int
    ends: datetime

    @property
    def limit(self) -> str:
        """The name of the limit."""
        return self.charge.counted.word


def spend(charges: Iterable[Charge], work: UnitOfWork) -> None:
    """Count what is about to be done. Raises NotAllowed at a limit."""
    charges = list(charges)
    ask(charges, work)
    record(charges, work)


def spend_once(charge: Charge, work: UnitOfWork) -> bool:
    """Return whether something is within its limit; if so, count it."""
    if work.home.ask(end_of_limit, charge, work.limits, work.now()):
        return False
    record([charge], work)
    return True


def record(charges: Iterable[Charge], work: UnitOfWork) -> None:
    """Count what is done."""
    for charge in charges:
        work.home.do(count, charge, work.now())


def ask(charges: Iterable[Charge], work: UnitOfWork) -> None:
    """Check that something may be done. Raises NotAllowed at a limit."""
    for charge in charges:
        ends = work.home.ask(end_of_limit, charge, work.limits, work.now())
        if ends:
            raise NotAllowed(TooMuch(charge, work.limits.most(charge.counted), ends))


def charge_stranger(cost: Cost, work: UnitOfWork) -> None:
    """Ask whether a mail that proves nothing may cause what it asks for. Raises NotAllowed."""
    spend(of_stranger(cost, work.request, is_known=work.is_known(work.request.sender)), work)


def charge_player(cost: Cost, actor: Actor | None, work: UnitOfWork) -> None:
    """Ask whether whoever has proved a command may cause what it asks for. Raises NotAllowed.

    A mail that has come again is answered as it was, whatever the player may do now.
    """
    userid = actor.userid if actor else work.request.writer or work.request.sender
    try:
        if cost.codes or cost.boards:
            ask([*of_codes(cost.codes, userid), *of_boards(cost.boards, userid)], work)
        if cost.work:
            spend([Charge(Counted.MOVES, userid, cost.work)], work)
    except NotAllowed:
        is_repeated = work.was_done(userid)
        if not (is_repeated or started_by(work.home, work.request.message_key(userid))):
            raise


def charge_refusal(refusal: Refusal, work: UnitOfWork, *, is_charged: bool) -> bool:
    """Ask whether a refusal may be answered, unless that was asked before. Raises NotAllowed.

    `is_charged`: whether it was, with the command. Return whether it is the last answer for a while
    to an answer that cannot be read.
    """
    reply = work.request.reply
    if isinstance(refusal.reason, TooMuch):
        return False
    if reply and isinstance(refusal, Unreadable):
        counted = Counted.UNREADABLE_ANSWERS
        before = work.home.ask(number_counted, counted, reply.userid, work.now())
        spend([Charge(counted, reply.userid)], work)
        return before + 1 >= work.limits.most(counted)
    if not (work.request.is_proved or is_charged):
        charge_stranger(USUAL_COST, work)
    return False


def is_to_be_told(limit: TooMuch, work: UnitOfWork) -> bool:
    """Return whether to say that a limit is reached, which is done once until it ends."""
    told = Charge(Counted.TOLD, f"{limit.charge.subject}\0{limit.limit}\0{limit.ends}")
    is_first = spend_once(told, work)
    if not is_first:
        work.home.tally.add(Counted.SILENCES, limit.limit)
    return is_first


def number_left(refusal: Refusal, work: UnitOfWork, *, is_guess: bool) -> int:
    """Count a refused mail; return how many more like it are answered at one address.

    Those have the same line and the same reason, so that robots end there and people do not, or
    wrong passwords, whatever their lines (`is_guess`). The same mail counts once, however often it
    comes. A negative number says that this one is not answered; nothing is written then.
    """
    line = "" if is_guess else work.request.line
    alike = "\0".join([work.request.sender, refusal.reason.word(), line])
    counted = Counted.ANSWERED_GUESSES if is_guess else Counted.EQUAL_REFUSALS
    before = work.home.ask(number_counted, counted, alike, work.now())
    left = work.limits.most(counted) - before
    if left <= 0:
        work.home.tally.add(Counted.SILENCES, counted.word)
        return -1
    if not spend_once(Charge(Counted.REFUSED_MAILS, f"{alike}\0{work.request.identity}"), work):
        return left
    record([Charge(counted, alike)], work)
    return left - 1


def of_stranger(cost: Cost, request: Request, *, is_known: bool) -> Iterator[Charge]:
    """Yield what a mail that proves nothing is charged.

    Where it comes from is a host or network or, through our own mail servers, its address.
    `is_known`: whether some account has the address of its sender.
    """
    if cost.work:
        answers = Counted.ANSWERS_TO_PLAYERS if is_known else Counted.ANSWERS
        answers = Counted.HELP if cost.is_help else answers
        yield Charge(answers, request.sender, cost.work)
        if request.source:
            yield Charge(Counted.ANSWERS_TO_SOURCE, request.source, cost.work)
        yield Charge(Counted.ALL_ANSWERS, "", cost.work)
    if cost.accounts:
        yield Charge(Counted.SIGNUPS_OF_SOURCE, origin(request), cost.accounts)
        yield Charge(Counted.ALL_SIGNUPS, "", cost.accounts)
    if cost.codes:
        yield Charge(Counted.CODES_OF_ASKER, request.sender, cost.codes)
        if request.source:
            yield Charge(Counted.CODES_OF_SOURCE, request.source, cost.codes)
        yield Charge(Counted.ALL_CODES, "", cost.codes)


def of_boards(number: int, userid: str) -> Iterator[Charge]:
    """Yield what is charged for boards that a player starts."""
    if number:
        yield Charge(Counted.CHALLENGES, userid, number)
        yield Charge(Counted.BOARDS, "", number)


def of_codes(number: int, userid: str) -> Iterator[Charge]:
    """Yield what is charged for mails with a code to new addresses that a player asks for."""
    if number:
        yield Charge(Counted.CODES_OF_ASKER, userid, number)


def of_owner(purpose: tags.Purpose, account: str, request: Request) -> Iterator[Charge]:
    """Yield what is charged for a mail with a code to the addresses of an account.

    That is counted for the account alone, so that nothing else keeps its player from getting one;
    and for who asks, so that one stranger does not.
    """
    of = f"{purpose.value}\0{account}"
    yield Charge(Counted.OWNER_CODES_OF_ASKER, f"{of}\0{origin(request)}")
    yield Charge(Counted.OWNER_CODES, of)


def of_texts(author: str, readers: Iterable[str]) -> Iterator[Charge]:
    """Yield what is charged for a text that a player has passed on to others."""
    readers = list(readers)
    if readers:
        yield Charge(Counted.MESSAGES, author, len(readers))
    for reader in readers:
        yield Charge(Counted.MESSAGES_TO_ONE, f"{author}\0{reader}")


def origin(request: Request) -> str:
    """Return where a mail comes from, as far as that is known."""
    return request.source or request.sender


class PasswordWanted(NotAllowedReason, frozen=True):
    """A reason that is gone once the line has the right password."""


class StrangeAddress(PasswordWanted, frozen=True):
    """A challenge came from an address of neither player."""


class WrongPassword(PasswordWanted, frozen=True):
    """The password is not that of the account, or there is no account."""


class WrongPasswordCase(PasswordWanted, frozen=True):
    """The password would be right if its first letter were of the other case."""


class SenderNotEnough(PasswordWanted, frozen=True):
    """The place of the password says that the sender proves enough, which is not so."""


class TooManyGuesses(NotAllowedReason, frozen=True):
    """So many wrong passwords have come for an account that none is taken for a while."""

    ends: datetime


class GuessedNotice(Notice, frozen=True):
    """Many wrong passwords have come for the reader's userid."""

    number: int
    most: int
    """How many may come within an hour before none is taken for a while."""


class Disabled(NotAllowedReason, frozen=True):
    """The operator has disabled an account."""

    userid: str
    own: bool
    """Whether the command came from its player."""


def is_guess(reason: Reason) -> bool:
    """Return whether a command was refused because its password is wrong."""
    if isinstance(reason, TooMuch):
        return reason.charge.counted is Counted.WRONG_PASSWORDS
    return isinstance(reason, WrongPassword | WrongPasswordCase | TooManyGuesses)


def authenticate(
    userid: str, proof: tags.Credential, work: UnitOfWork, *, may_be_sender: bool = True
) -> Actor:
    """Return the player who gave their password, who answers a letter, or who is the sender.

    With NO_PASSWORD in the line the sender counts, if `may_be_sender` and either they are signed
    in, or the mail is verified to come from an address of the account and its player has settled
    that this is enough.

    Raises NotAllowed for a wrong password, and for an account that the operator has disabled. An
    unknown userid is refused like a wrong password, and after the same work. While too many wrong
    ones have come for an account, it is not said whether one is right, unless the mail is verified
    to come from an address of the account; answers to letters work all the same.
    """
    account = work.account_if_any(userid)
    if not isinstance(proof, Secret):
        is_own = account is not None and userid == proof.userid
    elif proof == NO_PASSWORD:
        is_enough = work.request.signed_in == userid or (
            account
            and work.request.is_verified_by(account)
            and account.all_settings.auth is Auth.SENDER
        )
        if not (account and may_be_sender and is_enough):
            raise NotAllowed(SenderNotEnough())
        is_own = True
    else:
        is_own = _has_password(account, userid, proof, work)
    if account is None or not is_own:
        raise NotAllowed(WrongPassword(), userid)
    if account.disabled:
        raise NotAllowed(Disabled(userid, own=True))
    return Actor(account, work.request.message_key(userid), proof)


def sender_among(userids: Iterable[str], password: Secret | None, work: UnitOfWork) -> Actor | None:
    """Return which of two players sent a request, or None if it comes from neither.

    A password proves that, or an answer to a letter, a code, or a verified address. If nothing
    does, the actor is the owner of the address and not proved. Raises NotAllowed as `authenticate`
    does.
    """
    if work.request.confirmed:
        return work.request.confirmed
    players = {userid: work.account_if_any(userid) for userid in userids}
    players = dict(sorted(players.items(), key=lambda each: not _is_from(each[1], work.request)))
    if password:
        return _owner_of(password, players, work)
    writer = players.get(work.request.writer)
    if writer:
        return Actor(writer, work.request.message_key(writer.userid))
    first = next(iter(players.values()))
    if first is None or not _is_from(first, work.request):
        return None
    is_proved = work.request.is_verified_by(first)
    return Actor(first, work.request.message_key(first.userid), is_proved=is_proved)


def verify(claim: tags.Claim, work: UnitOfWork) -> tags.Answered | None:
    """Return the answer that a claim proves a mail to be, or None."""
    of, sheet = claim.of, None
    account = work.account_if_any(of.userid)
    if account is None:
        return None
    if isinstance(of, tags.SheetClaim):
        sheet = work.home.ask(find_sheet, of.userid, of.sheet)
    return tags.verified(claim, work.home.key(), account, sheet)


def note_wrong_password(userids: Iterable[str], work: UnitOfWork) -> None:
    """Count a wrong password for where it comes from and for its userids, and warn the players.

    Raises NotAllowed if too many have come from there.
    """
    for userid in userids:
        stored = stored_password(work.account_if_any(userid), userid)
        work.home.tally.add(Counted.WRONG_PASSWORDS_OF_ACCOUNT, stored)
        work.home.tally.add(Counted.WRONG_PASSWORDS_FOR_ONE, userid)
        _warn(userid, work)
    spend([Charge(Counted.WRONG_PASSWORDS, origin(work.request))], work)


def look_at_password(userids: Iterable[str], proof: tags.Credential, work: UnitOfWork) -> bool:
    """Return whether a password is that of one of some players, before anything is done.

    What is no password is not looked at. Raises NotDerived.
    """
    return (
        isinstance(proof, Secret)
        and proof != NO_PASSWORD
        and any(
            work.passwords.match(proof, stored_password(work.account_if_any(userid), userid))
            is Match.RIGHT
            for userid in userids
        )
    )


def _has_password(account: Account | None, userid: str, password: Secret, work: UnitOfWork) -> bool:
    """Return whether an account has a password; count a wrong one.

    Raises NotAllowed and NotDerived.
    """
    found = work.passwords.match(password, stored_password(account, userid))
    refuse_if_guessed(account, userid, work)
    if account and found is Match.RIGHT:
        work.proved.add((password, account.password))
        return True
    note_wrong_password([userid], work)
    if account and found is Match.OTHER_CASE:
        raise NotAllowed(WrongPasswordCase(), userid)
    return False


def _owner_of(password: Secret, players: Mapping[str, Account | None], work: UnitOfWork) -> Actor:
    """Return which of some players has a password; a wrong one counts for all of them.

    Each player costs one look at a password, and none once the mail has proved who sent it. Raises
    NotAllowed and NotDerived.
    """
    closed = list[NotAllowed]()
    for userid, account in players.items():
        stored = stored_password(account, userid)
        is_right = (
            (password, stored) in work.proved
            if work.proved
            else work.passwords.match(password, stored) is Match.RIGHT
        )
        try:
            refuse_if_guessed(account, userid, work)
        except NotAllowed as refusal:
            closed.append(refusal)
            continue
        if account and is_right:
            if account.disabled:
                raise NotAllowed(Disabled(userid, own=True))
            work.proved.add((password, stored))
            return Actor(account, work.request.message_key(userid))
    if closed:
        raise closed[0]
    note_wrong_password(players, work)
    raise NotAllowed(WrongPassword(), next(iter(players)))


def refuse_if_guessed(account: Account | None, userid: str, work: UnitOfWork) -> None:
    """Raise NotAllowed if too many wrong passwords have come for an account, or for none.

    They are counted for the password as it is stored, so that a new one begins anew. Whoever asks
    then counts as one who has sent a wrong one.
    """
    if account and work.request.is_verified_by(account):
        return
    counted, now, stored = (
        Counted.WRONG_PASSWORDS_OF_ACCOUNT,
        work.now(),
        stored_password(account, userid),
    )
    number = work.home.tally.number(counted, stored)
    number += work.home.ask(number_counted, counted, stored, now)
    if number >= work.limits.most(counted):
        spend([Charge(Counted.WRONG_PASSWORDS, origin(work.request))], work)
        ends = work.home.ask(end_of_limit, Charge(counted, stored), work.limits, now)
        raise NotAllowed(TooManyGuesses(ends or now + counted.within), userid)


def stored_password(account: Account | None, userid: str) -> str:
    """Return the hash that a password is compared with, whether or not anybody has the account."""
    if account is None or account.is_house:
        return nobodys_password(userid)
    return account.password


def _is_from(account: Account | None, request: Request) -> bool:
    """Return whether a request says that it comes from an address of an account."""
    return account is not None and account.has_address(request.sender)


def _warn(userid: str, work: UnitOfWork) -> None:
    """Tell a player, once a day, that many wrong passwords have come for their userid."""
    counted, now = Counted.WRONG_PASSWORDS_FOR_ONE, work.now()
    number = work.home.ask(number_counted, counted, userid, now)
    number += work.home.tally.number(counted, userid)
    account = work.account_if_any(userid)
    if account is None or number < work.limits.most(counted):
        return
    if spend_once(Charge(Counted.WARNINGS, userid), work):
        most = work.limits.most(Counted.WRONG_PASSWORDS_OF_ACCOUNT)
        work.answer(GuessedNotice(work.player(account), number, most))
