"""Asking for a verification: codes to addresses, and challenges that nothing proves."""

from collections.abc import Sequence
from enum import Enum

from msgspec import structs

from pbm_oust.accounts.address import is_same_address, normal_address
from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.settings import USUAL
from pbm_oust.accounts.tags import Pending, Purpose, code_for, name_of
from pbm_oust.grammar.form import Command
from pbm_oust.languages import Language
from pbm_oust.play.authentication import PasswordWanted, of_codes, of_owner, record, spend_once
from pbm_oust.play.notices import Notice, Reader, Unheard, Verification
from pbm_oust.play.request import Actor, Handled, Outcome, Request, Silence, silent
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed
from pbm_oust.store.limits import Charge, Counted, end_of_limit
from pbm_oust.store.message_keys import outcome_of
from pbm_oust.store.verifications import find_verification, keep_verification, requests_of

MAILED = Handled(Outcome.DONE)
NOBODY = "nobody"
"""What stands in place of an address if a code is mailed to none."""


class CodeNotice(Notice, frozen=True):
    """A code, and what it is for."""

    code: Secret
    pending: Pending

    def answer(self) -> Verification | Unheard:
        """Return that an answer brings the code back, or nothing if only a page takes it."""
        is_heard = self.pending.purpose is not Purpose.SIGN_IN
        return Verification(self.code) if is_heard else Unheard()


class CodeSentNotice(Notice, frozen=True):
    """Codes were mailed to the addresses to be verified."""

    addresses: tuple[str, ...]
    present: tuple[str, ...] = ()
    """The addresses that the account has."""


class Asked(Enum):
    """What became of a verification that was asked for."""

    MAILED = "mailed"
    TOO_MANY = "too many"
    """The address has reached its limit of codes a day."""
    USED_BEFORE = "used before"
    """The code of this mail has come back already."""


def ask(pending: Pending, addresses: Sequence[str], work: UnitOfWork) -> Asked:
    """Mail the code of a verification to addresses, and keep what it is for.

    A mail that comes again sends the same letters again, within the same limits.
    """
    home, now = work.home, work.now()
    code = Secret(code_for(home.key(), pending))
    name = name_of(code)
    if home.ask(outcome_of, name):
        return Asked.USED_BEFORE
    known = home.ask(find_verification, name, now)
    free, charges = list[str](), list[Charge]()
    if pending.purpose in (Purpose.FORGOT, Purpose.SIGN_IN):
        charges = list(of_owner(pending.purpose, pending.userid, work.request))
        if not any(home.ask(end_of_limit, each, work.limits, now) for each in charges):
            free = list({normal_address(each): each for each in addresses}.values())
    else:
        for address in addresses:
            same = sum(is_same_address(address, each) for each in free)
            charge = _charge_to(address, work.request, same + 1)
            if home.ask(end_of_limit, charge, work.limits, now) is None:
                free.append(address)
        charges = [_charge_to(address, work.request) for address in free]
    if not free:
        return Asked.TOO_MANY
    notices = [
        CodeNotice(_reader_at(address, pending.language, work.request), code, pending)
        for address in free
    ]
    if pending.address == NOBODY:
        work.write(notices[0], work.request)
        pending, notices = structs.replace(pending, userid=""), []
    with work.posting(notices):
        home.do(keep_verification, name, known or pending)
        record(charges, work)
        if pending.purpose in (Purpose.ADD, Purpose.CHANGE):
            record(of_codes(len(free), pending.userid), work)
    return Asked.MAILED


def spend_time_for_a_code(
    work: UnitOfWork, asked_for: str, purpose: Purpose = Purpose.FORGOT
) -> Asked:
    """Do all that `ask` does, for nobody: so it takes as long where there is no account.

    `asked_for` is the userid or the address that somebody asks for.
    """
    pending = Pending(purpose, asked_for, NOBODY, work.now(), work.request.identity)
    return ask(pending, [work.request.sender], work)


def ask_each(pendings: Sequence[Pending], work: UnitOfWork) -> list[Asked]:
    """Ask for the verification of several addresses, each with its own code."""
    return [ask(pending, [pending.address], work) for pending in pendings]


def _charge_to(address: str, request: Request, number: int = 1) -> Charge:
    """Return what mails with a code to an address are charged.

    What others ask for does not keep anybody from asking for themselves.
    """
    is_own = is_same_address(address, request.sender)
    return Charge(Counted.OWN_CODES if is_own else Counted.CODES, address, number)


def _reader_at(address: str, language: Language, request: Request) -> Reader:
    """Return a reader known only by an address and a language."""
    wrote_from = request.sender if is_same_address(address, request.sender) else ""
    return Reader(
        (address,), wrote_from=wrote_from, settings=structs.replace(USUAL, language=language)
    )


def is_among(sender: str, addresses: Sequence[str]) -> bool:
    """Return whether the sender of a mail has one of some addresses."""
    return any(is_same_address(sender, address) for address in addresses)


def silence_about(asked: Sequence[Asked]) -> Handled:
    """Return the outcome of a mail that is answered with a code alone, or not at all."""
    if Asked.MAILED in asked:
        return MAILED
    return silent(Silence.TOO_MANY_CODES)


MOST_WAITING = 3
"""How many challenges of one player wait for a confirmation at most."""


class TooManyWait(PasswordWanted, frozen=True):
    """So many challenges of the player wait for a confirmation that no further one can."""

    most: int


class UnconfirmedNotice(Notice, frozen=True):
    """A challenge came from an address of the reader, who is asked whether it is theirs."""

    code: Secret
    challenge: Command
    other: str
    """The userid of the other player."""
    has_text: bool
    """Whether a text came with it, which goes to nobody: anybody may have written it."""

    def answer(self) -> Verification:
        """Return that an answer confirms the challenge."""
        return Verification(self.code)


def ask_to_confirm(challenge: Command, other: str, actor: Actor, work: UnitOfWork) -> Handled:
    """Ask the owner of an address whether a challenge from there is theirs; it waits for a yes.

    A mail that comes again asks for nothing more. Raises NotAllowed if too many challenges of the
    player wait, and says so once a day.
    """
    home, now, account = work.home, work.now(), actor.account
    pending = Pending(
        Purpose.CHALLENGE,
        account.userid,
        work.request.sender,
        now,
        actor.message_key,
        language=account.all_settings.language,
        line=challenge.line(),
        other=other,
    )
    code = Secret(code_for(home.key(), pending))
    if home.ask(find_verification, name_of(code), now):
        return silent(Silence.WAITS_FOR_A_YES)
    waiting = home.ask(requests_of, account.userid, account.message_key, now)
    if sum(each.purpose is Purpose.CHALLENGE for each in waiting) >= MOST_WAITING:
        if not spend_once(Charge(Counted.UNCONFIRMED, account.userid), work):
            return silent(Silence.TOO_MANY_WAIT)
        raise NotAllowed(TooManyWait(MOST_WAITING))
    # One of several commands has a letter of its own too, because its answer confirms it.
    reader = work.player(account) if work.is_within else work.player_at(account)
    has_text = bool(work.request.chat.strip())
    with work.posting([UnconfirmedNotice(reader, code, challenge, other, has_text)]):
        home.do(keep_verification, name_of(code), pending)
    return MAILED
