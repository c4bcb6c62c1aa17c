"""Whose command it is, as a password or an answered letter proves, and what it may cause."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from ipaddress import ip_network

from msgspec import structs

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.asks import Ask, Claim, Credential, Topic, verified
from pbm_oust.accounts.password import NO_PASSWORD, Match, Secret, is_weak, nobodys_password
from pbm_oust.accounts.settings import Auth
from pbm_oust.accounts.tags import Purpose, salt_for
from pbm_oust.grammar.form import USUAL_COST, Command, Cost
from pbm_oust.play.context import Context, Look
from pbm_oust.play.notices import Notice
from pbm_oust.play.request import Actor, Request
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Reason, Refusal, Unreadable
from pbm_oust.store.accounts import accounts_at
from pbm_oust.store.index import started_by
from pbm_oust.store.limits import (
    FEW_PARTS,
    LEAST_BYTES,
    PARTS,
    Charge,
    Counted,
    Share,
    count,
    count_within,
    end_of_limit,
    number_counted,
)
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


def spend(on: Context, charges: Iterable[Charge]) -> None:
    """Count what is about to be done. Raises NotAllowed at a limit."""
    charges = list(charges)
    if len(charges) == 1 and spend_once(on, charges[0]):
        return
    ask(on, charges)
    note_charges(on, charges)


def spend_once(on: Context, charge: Charge) -> bool:
    """Return whether something is within its limit; if so, count it."""
    if not charge.shares and count_within(on.transaction, charge, on.limits, on.now):
        return True
    if end_of_limit(on.snapshot, charge, on.limits, on.now):
        return False
    note_charges(on, [charge])
    return True


def note_charges(on: Context, charges: Iterable[Charge]) -> None:
    """Count what is done."""
    for charge in charges:
        count(on.transaction, charge, on.now)


def ask(on: Context, charges: Iterable[Charge]) -> None:
    """Check that something may be done. Raises NotAllowed at a limit."""
    for charge in charges:
        ends = end_of_limit(on.snapshot, charge, on.limits, on.now)
        if ends:
            raise NotAllowed(TooMuch(charge, on.limits.most(charge.counted), ends))


def charge_stranger(on: Context, cost: Cost) -> None:
    """Ask whether a mail that proves nothing may cause what it asks for. Raises NotAllowed."""
    spend(on, of_stranger(cost, on.request, is_known=on.is_known(on.request.sender)))


def may_greet(on: Context) -> bool:
    """Return whether to tell an address how to begin, which is done once a day."""
    first = Charge(Counted.FIRST_LETTERS, on.request.sender)
    return not end_of_limit(on.snapshot, first, on.limits, on.now)


def charge_player(on: Context, cost: Cost, actor: Actor | None) -> None:
    """Ask whether whoever has proved a command may cause what it asks for. Raises NotAllowed.

    A mail that has come again is answered as it was, whatever the player may do now.
    """
    userid = actor.userid if actor else on.request.writer or on.request.sender
    try:
        if cost.codes or cost.boards:
            ask(on, [*of_codes(cost.codes, userid), *of_boards(cost.boards, userid)])
        if cost.work:
            spend(on, [Charge(Counted.MOVES, userid, cost.work)])
    except NotAllowed:
        if not (on.was_done(userid) or started_by(on.snapshot, on.message_key(userid))):
            raise


def charge_refusal(on: Context, refusal: Refusal, *, is_charged: bool) -> bool:
    """Ask whether a refusal may be answered, unless that was asked before. Raises NotAllowed.

    `is_charged`: whether it was, with the command. Return whether it is the last answer for a while
    to an answer that cannot be read.
    """
    reply = on.request.reply
    if isinstance(refusal.reason, TooMuch):
        return False
    if reply and isinstance(refusal, Unreadable):
        counted = Counted.UNREADABLE_ANSWERS
        before = number_counted(on.snapshot, counted, reply.userid, on.now)
        spend(on, [Charge(counted, reply.userid)])
        return before + 1 >= on.limits.most(counted)
    if not (on.request.is_proved or is_charged):
        charge_stranger(on, USUAL_COST)
    return False


def is_to_be_told(on: Context, limit: TooMuch) -> bool:
    """Return whether to say that a limit is reached, which is done once until it ends."""
    told = Charge(Counted.TOLD, f"{limit.charge.subject}\0{limit.limit}\0{limit.ends}")
    is_first = spend_once(on, told)
    if not is_first:
        on.count_later(Counted.SILENCES, limit.limit)
    return is_first


def number_left(on: Context, refusal: Refusal, *, is_guess: bool) -> int:
    """Count a refused mail; return how many more like it are answered at one address.

    Those have the same line and the same reason, so that robots end there and people do not, or
    wrong passwords, whatever their lines (`is_guess`). The same mail counts once, however often it
    comes. A negative number says that this one is not answered; nothing is written then.
    """
    line = "" if is_guess else on.request.line
    alike = "\0".join([on.request.sender, refusal.reason.word(), line])
    counted = Counted.ANSWERED_GUESSES if is_guess else Counted.EQUAL_REFUSALS
    before = number_counted(on.snapshot, counted, alike, on.now)
    left = on.limits.most(counted) - before
    if left <= 0:
        on.count_later(Counted.SILENCES, counted.word)
        return -1
    if not spend_once(on, Charge(Counted.REFUSED_MAILS, f"{alike}\0{on.request.identity}")):
        return left
    note_charges(on, [Charge(counted, alike)])
    return left - 1


def of_stranger(cost: Cost, request: Request, *, is_known: bool) -> Iterator[Charge]:
    """Yield what a mail that proves nothing is charged.

    Where it comes from is a host or network or, through our own mail servers, its address.
    `is_known`: whether some account has the address of its sender.
    """
    sender, shares = _asker(request), shares_of(request)
    if cost.work:
        answers = Counted.ANSWERS_TO_PLAYERS if is_known else Counted.ANSWERS
        answers = Counted.HELP if cost.is_help else answers
        yield Charge(answers, sender, cost.work)
        if not request.is_verified:
            yield Charge(Counted.BYTES, sender, LEAST_BYTES)
        if request.source:
            yield Charge(Counted.ANSWERS_TO_SOURCE, request.source, cost.work)
        yield Charge(Counted.ALL_ANSWERS, "", cost.work, shares)
        if cost.is_first:
            yield Charge(Counted.FIRST_LETTERS, request.sender)
    if cost.accounts:
        yield Charge(Counted.SIGNUPS_OF_SOURCE, origin(request), cost.accounts)
        yield Charge(Counted.ALL_SIGNUPS, "", cost.accounts, shares)
    if cost.codes:
        # Whoever forges a sender elsewhere does not ask in that one's place.
        asker = sender if request.is_verified else f"{sender}\0{request.source}"
        yield Charge(Counted.CODES_OF_ASKER, asker, cost.codes)
        if request.source:
            yield Charge(Counted.CODES_OF_SOURCE, request.source, cost.codes)
        yield Charge(Counted.ALL_CODES, "", cost.codes, shares)


def of_boards(number: int, userid: str) -> Iterator[Charge]:
    """Yield what is charged for boards that a player starts."""
    if number:
        yield Charge(Counted.CHALLENGES, userid, number)
        yield Charge(Counted.BOARDS, "", number, (Share(userid),))


def of_codes(number: int, userid: str) -> Iterator[Charge]:
    """Yield what is charged for mails with a code to new addresses that a player asks for."""
    if number:
        yield Charge(Counted.CODES_OF_ASKER, userid, number)


def of_owner(purpose: Purpose, account: str, request: Request, *, is_own: bool) -> Iterator[Charge]:
    """Yield what is charged for a mail with a code to the addresses of an account.

    That is counted for the account alone, so that nothing else keeps its player from getting one;
    and for who asks, so that a few strangers do not. `is_own`: whether one of these addresses asks;
    if that is verified, nobody else takes its place.
    """
    of = f"{purpose.value}\0{account}"
    if is_own and request.is_verified:
        yield Charge(Counted.OWNER_CODES, f"{of}\0verified")
        return
    of = f"{of}\0{'own' if is_own else 'others'}"
    yield Charge(Counted.OWNER_CODES_OF_ASKER, f"{of}\0{origin(request)}")
    yield Charge(Counted.OWNER_CODES, of, shares=shares_of(request, FEW_PARTS))


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


_UNNAMED = Share("unnamed", 1)
"""That of all who cannot be told apart. Whatever they take, as much is left for others."""
_WIDE = {4: 24, 6: 48}
"""How long the prefix of a network is, of IPv4 and of IPv6: whoever has one host has more there."""


def shares_of(request: Request, parts: int = PARTS) -> tuple[Share, ...]:
    """Return who takes a part of what all need: the network of a request, or else a domain.

    Anybody can write any domain, so all those count together that nothing verifies.
    """
    if request.source:
        network = ip_network(request.source)
        return (Share(str(network.supernet(new_prefix=_WIDE[network.version])), parts),)
    domain = Share(".".join(request.sender.lower().rpartition("@")[2].split(".")[-2:]), parts)
    return (domain,) if request.is_verified else (domain, _UNNAMED)


def _asker(request: Request) -> str:
    """Return for whom the answers to an address are counted: a forged one is another."""
    return f"{request.sender}\0verified" if request.is_verified else request.sender


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
    on: Context, userid: str, proof: Credential, *, may_be_sender: bool = True
) -> Actor:
    """Return the player who gave their password, who answers a letter, or who is the sender.

    With NO_PASSWORD in the line the sender counts, if `may_be_sender` and either they are signed
    in, or the mail is verified to come from an address of the account and its player has settled
    that this is enough.

    Raises NotAllowed for a wrong password, for an answer to a letter unless `may_be_sender`, and
    for an account that the operator has disabled. An unknown userid is refused like a wrong
    password, and after the same work. While too many wrong ones have come for an account, it is not
    said whether one is right, unless the mail is verified to come from an address of the account;
    answers to letters work all the same.
    """
    account = on.account_if_any(userid)
    if not isinstance(proof, Secret):
        if not may_be_sender:
            raise NotAllowed(SenderNotEnough())
        is_own = account is not None and userid == proof.userid
    elif proof == NO_PASSWORD:
        is_enough = on.request.signed_in == userid or (account and _is_sender_enough(on, account))
        if not (account and may_be_sender and is_enough):
            raise NotAllowed(SenderNotEnough())
        is_own = True
    else:
        is_own = _has_password(on, account, userid, proof)
        account = on.account_if_any(userid)  # it may have been hashed anew
    if account is None or not is_own:
        raise NotAllowed(WrongPassword(), userid)
    if account.disabled:
        raise NotAllowed(Disabled(userid, own=True))
    return Actor(account, on.message_key(userid), proof)


def _is_sender_enough(on: Look, account: Account) -> bool:
    """Return whether a player has settled that a verified mail from their address is enough."""
    return on.request.is_verified_by(account) and account.all_settings.auth is Auth.SENDER


def sender_of(on: Context, command: Command) -> Actor | None:
    """Return the player of a command whose own yes it needs; None if it is another's, or proved.

    It has a hyphen in place of the password, or answers a letter. Either only its From says whose
    it is, or it wants the password of a player who has none.
    """
    run, request, proof = command.form.run, on.request, command.proof
    is_open = proof == NO_PASSWORD or (isinstance(proof, Ask) and not run.may_be_sender)
    account = on.account_if_any(command["userid"]) if is_open else None
    if account is None or account.disabled or not account.has_exactly(request.sender):
        return None
    is_proved = request.is_proved or _is_sender_enough(on, account)
    if request.confirmed or (is_proved if run.may_be_sender else account.has_password):
        return None
    return Actor(account, on.message_key(account.userid), is_proved=False)


def sender_among(on: Context, userids: Iterable[str], password: Secret | None) -> Actor | None:
    """Return which of two players sent a request, or None if it comes from neither.

    A password proves that, or an answer to a letter, a code, or a verified address. If nothing
    does, the actor is the owner of the address and not proved. Raises NotAllowed as `authenticate`
    does.
    """
    if on.request.confirmed:
        return on.request.confirmed
    players = {userid: on.account_if_any(userid) for userid in userids}
    players = dict(sorted(players.items(), key=lambda each: not _is_from(each[1], on.request)))
    if password:
        return _owner_of(on, password, players)
    writer = players.get(on.request.writer)
    if writer:
        return Actor(writer, on.message_key(writer.userid))
    first = next(iter(players.values()))
    if first is None or not _is_from(first, on.request):
        return None
    is_proved = on.request.is_verified_by(first)
    return Actor(first, on.message_key(first.userid), is_proved=is_proved)


def answer_proved_by(on: Look, claim: Claim, sender: str = "") -> Ask | None:
    """Return the answer that a claim proves a mail from an address to be, or None.

    It may name the player as the server did before they chose their userid.
    """
    ask, kept = claim.ask, ""
    account = on.account_if_any(ask.userid)
    if account is None:
        owners = accounts_at(on.snapshot, sender) if sender else []
        before = (each.as_named_before(ask.userid) for each in owners)
        named = next(((now, was) for now, was in zip(owners, before, strict=True) if was), None)
        proved = verified(claim, on.home.key(), named[1]) if named else None
        return structs.replace(proved, userid=named[0].userid) if named and proved else None
    if ask.topic is Topic.SHEET:
        kept = find_sheet(on.snapshot, ask.userid, *ask.about)
    return verified(claim, on.home.key(), account, kept)


def note_wrong_password(on: Context, userids: Iterable[str]) -> None:
    """Count a wrong password for where it comes from and for its userids.

    Raises NotAllowed if too many have come from there.
    """
    for userid in userids:
        stored = stored_password(on.account_if_any(userid), userid)
        on.count_later(Counted.WRONG_PASSWORDS_OF_ACCOUNT, stored)
        on.count_later(Counted.WRONG_PASSWORDS_FOR_ONE, userid)
    spend(on, [Charge(Counted.WRONG_PASSWORDS, origin(on.request))])


def look_at_password(on: Context, userids: Iterable[str], proof: Credential) -> bool:
    """Return whether a password is that of one of some players, before anything is done.

    What is no password is not looked at. Raises NotDerived.
    """
    return (
        isinstance(proof, Secret)
        and proof != NO_PASSWORD
        and any(
            on.passwords.match(proof, stored_password(on.account_if_any(userid), userid))
            is Match.RIGHT
            for userid in userids
        )
    )


def _has_password(on: Context, account: Account | None, userid: str, password: Secret) -> bool:
    """Return whether an account has a password; count a wrong one.

    Raises NotAllowed and NotDerived.
    """
    found = on.passwords.match(password, stored_password(account, userid))
    refuse_if_guessed(on, account, userid)
    if account and found is Match.RIGHT:
        on.proved.add((password, _hashed_anew(on, account, password).password))
        return True
    note_wrong_password(on, [userid])
    if account and found is Match.OTHER_CASE:
        raise NotAllowed(WrongPasswordCase(), userid)
    return False


def _hashed_anew(on: Context, account: Account, password: Secret) -> Account:
    """Return an account, whose password is stored with the work of today. Raises NotDerived."""
    if not is_weak(account.password):
        return account
    salt = salt_for(on.home.key(), account.userid, account.password)
    stored = on.passwords.hash(password, salt)
    return on.save(account.hashed_anew(stored, on.now.date()))


def _owner_of(on: Context, password: Secret, players: Mapping[str, Account | None]) -> Actor:
    """Return which of some players has a password; a wrong one counts for all of them.

    Each player costs one look at a password, and none once the mail has proved who sent it. Raises
    NotAllowed and NotDerived.
    """
    closed = list[NotAllowed]()
    for userid, account in players.items():
        stored = stored_password(account, userid)
        is_right = (
            (password, stored) in on.proved
            if on.proved
            else on.passwords.match(password, stored) is Match.RIGHT
        )
        try:
            refuse_if_guessed(on, account, userid)
        except NotAllowed as refusal:
            closed.append(refusal)
            continue
        if account and is_right:
            if account.disabled:
                raise NotAllowed(Disabled(userid, own=True))
            account = _hashed_anew(on, account, password)
            on.proved.add((password, account.password))
            return Actor(account, on.message_key(userid))
    if closed:
        raise closed[0]
    note_wrong_password(on, players)
    raise NotAllowed(WrongPassword(), next(iter(players)))


def refuse_if_guessed(on: Context, account: Account | None, userid: str) -> None:
    """Raise NotAllowed if too many wrong passwords have come for an account, or for none.

    They are counted for the password as it is stored, so that a new one begins anew. Whoever asks
    then counts as one who has sent a wrong one.
    """
    if account and on.request.is_verified_by(account):
        return
    counted, stored = Counted.WRONG_PASSWORDS_OF_ACCOUNT, stored_password(account, userid)
    if on.number_counted(counted, stored) >= on.limits.most(counted):
        spend(on, [Charge(Counted.WRONG_PASSWORDS, origin(on.request))])
        ends = end_of_limit(on.snapshot, Charge(counted, stored), on.limits, on.now)
        raise NotAllowed(TooManyGuesses(ends or on.now + counted.within), userid)


def stored_password(account: Account | None, userid: str) -> str:
    """Return the hash that a password is compared with, whether or not anybody has the account."""
    if account is None or account.is_house:
        return nobodys_password(userid)
    return account.password


def _is_from(account: Account | None, request: Request) -> bool:
    """Return whether a request says that it comes from an address of an account."""
    return account is not None and account.has_address(request.sender)


def warnings(on: Context) -> list[GuessedNotice]:
    """Warnings to players for whose userids many wrong passwords have come, once a day for each.

    Only those count for whom the command at hand has brought one.
    """
    warned = list[GuessedNotice]()
    counted, most = Counted.WRONG_PASSWORDS_FOR_ONE, Counted.WRONG_PASSWORDS_OF_ACCOUNT
    for userid in dict.fromkeys(on.transaction.follows.get(counted, ())):
        account, number = on.account_if_any(userid), on.number_counted(counted, userid)
        if account is None or number < on.limits.most(counted):
            continue
        if spend_once(on, Charge(Counted.WARNINGS, userid)):
            warned.append(GuessedNotice(on.reader(account), number, on.limits.most(most)))
    return warned
