"""The commands about the password of an account: change password and forgot."""

from dataclasses import dataclass, replace

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.settings import settings_of
from pbm_oust.accounts.verification import Pending, Purpose, salt_for
from pbm_oust.grammar.form import Cost, Form
from pbm_oust.grammar.notation import Command, Heading
from pbm_oust.grammar.parts import Parameter
from pbm_oust.grammar.values import OWN, USERID, read_new_password
from pbm_oust.play.authentication import of_stranger, spend
from pbm_oust.play.forms import ForAnybody, ForPlayer
from pbm_oust.play.notices import Notice, OutcomeNotice
from pbm_oust.play.request import Actor, Handled, Outcome, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.play.verification import MAILED, Asked, ask, silence_about, spend_time_for_a_code
from pbm_oust.store.verifications import forget_verifications_of


@dataclass(frozen=True, slots=True)
class ChangePassword(Command):
    """Give an account another password."""

    userid: str
    password: Secret
    new: Secret


@dataclass(frozen=True, slots=True)
class Forgot(Command):
    """Mail a code to the addresses of an account whose password is forgotten."""

    userid: str


class PasswordChangedNotice(OutcomeNotice):
    """The reader's password was changed."""

    template = "password_changed"


class ForgotNotice(Notice):
    """A code was mailed, if there is such an account."""

    template = "forgot"


_NEW_PASSWORD = Parameter("NEWPASSWORD", read_new_password, is_secret=True, is_new=True)


def change_password(
    command: ChangePassword, actor: Actor, request: Request, work: UnitOfWork
) -> Handled:
    """Give an account another password, and drop the verifications that wait under the old one."""
    salt = salt_for(work.home.key(), actor.userid, actor.message_key)
    stored = work.passwords.hash(command.new, salt)

    def change(account: Account) -> Account:
        return replace(account, password=stored)

    def tell(account: Account) -> tuple[OutcomeNotice, list[Notice]]:
        return PasswordChangedNotice(work.player_at(account, request)), []

    handled = work.change_account(change, tell, actor, request, Handled(Outcome.DONE))
    work.home.do(forget_verifications_of, actor.account.userid, actor.account.message_key)
    return handled


def forgot(command: Forgot, request: Request, work: UnitOfWork) -> Handled:
    """Mail a code to the addresses of an account, if there is one; the answer does not say so.

    A mail from one of these addresses is charged nothing but that code, so that nothing that others
    cause, or send with a forged From, keeps a player from it. Raises NotAllowed for others.
    """
    account = work.account_if_any(command.userid)
    is_own = account is not None and account.has_address(request.sender)
    if not is_own:
        is_known = work.is_known(request.sender)
        spend(of_stranger(Cost(codes=1), request, is_known=is_known), work)
    reader = None
    if account:
        reader = work.player_at(account, request) if is_own else work.player(account)
    if not (account and reader and reader.addresses):
        spend_time_for_a_code(request, work, command.userid)
        return work.answer(ForgotNotice(work.sender_of(request)), request, MAILED)
    pending = Pending(
        Purpose.FORGOT,
        account.userid,
        account.addresses[0],
        work.now(),
        request.message_key(command.userid),
        language=settings_of(account).language,
    )
    asked = ask(pending, reader.addresses, request, work)
    if is_own and asked is not Asked.USED_BEFORE:
        return silence_about([asked])
    return work.answer(ForgotNotice(work.sender_of(request)), request, MAILED)


FORMS = (
    Form(
        "change password",
        ChangePassword,
        (*OWN, _NEW_PASSWORD),
        heading=Heading.ACCOUNT,
        rank=50,
        needs_own_mail=True,
        run=ForPlayer(change_password, may_be_sender=False),
    ),
    Form(
        "forgot",
        Forgot,
        (USERID,),
        heading=Heading.ACCOUNT,
        rank=55,
        needs_own_mail=True,
        cost=Cost(work=0),  # it charges strangers alone
        run=ForAnybody(forgot),
    ),
)
