"""Challenges that nothing proves: their player is asked by mail, and nobody else hears of them."""

from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.settings import settings_of
from pbm_oust.accounts.verification import Pending, Purpose, code_for, name_of
from dataclasses import dataclass
from pbm_oust.grammar.command import Command
from pbm_oust.play.authentication import PasswordWanted
from pbm_oust.play.meanings import Verification
from pbm_oust.play.notices import Notice
from pbm_oust.play.outcome import Handled, Silence, silent
from pbm_oust.play.quota import spend_once
from pbm_oust.play.request import Actor, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.play.verification import MAILED
from pbm_oust.refusal import NotAllowed
from pbm_oust.store.limits import Charge, Counted
from pbm_oust.store.verifications import count_waiting, find_verification, keep_verification

MOST_WAITING = 3
"""How many challenges of one player wait for a confirmation at most."""


@dataclass(frozen=True, slots=True)
class TooManyWait(PasswordWanted):
    """So many challenges of the player wait for a confirmation that no further one can."""

    most: int


@dataclass(frozen=True, slots=True)
class UnconfirmedNotice(Notice):
    """A challenge came from an address of the reader, who is asked whether it is theirs."""

    template = "unconfirmed"
    code: Secret
    challenge: Command
    other: str
    """The userid of the other player."""
    has_text: bool
    """Whether a text came with it, which goes to nobody: anybody may have written it."""

    def answer(self) -> Verification:
        """Return that an answer confirms the challenge."""
        return Verification(self.code)


def ask_to_confirm(
    challenge: Command, line: str, other: str, actor: Actor, request: Request, work: UnitOfWork
) -> Handled:
    """Ask the owner of an address whether a challenge from there is theirs; it waits for a yes.

    `line` is the challenge as it is kept. A mail that comes again asks for nothing more. Raises
    NotAllowed if too many challenges of the player wait, and says so once a day.
    """
    home, now, account = work.home, work.now(), actor.account
    pending = Pending(
        Purpose.CHALLENGE,
        account.userid,
        request.sender,
        now,
        actor.message_key,
        language=settings_of(account).language,
        line=line,
        other=other,
    )
    code = Secret(code_for(home.key(), pending))
    if home.ask(find_verification, name_of(code), now):
        return silent(Silence.WAITS_FOR_A_YES)
    if home.ask(count_waiting, Purpose.CHALLENGE, account.userid, now) >= MOST_WAITING:
        if not spend_once(Charge(Counted.UNCONFIRMED, account.userid), work):
            return silent(Silence.TOO_MANY_WAIT)
        raise NotAllowed(TooManyWait(MOST_WAITING))
    # One of several commands has a letter of its own too, because its answer confirms it.
    reader = work.player(account) if work.is_within else work.player_at(account, request)
    has_text = bool(request.chat.strip())
    with work.posting([UnconfirmedNotice(reader, code, challenge, other, has_text)], request):
        home.do(keep_verification, name_of(code), pending)
    return MAILED
