"""The commands that say whose challenges a player takes, and how many: limit, reject, unreject."""

from dataclasses import dataclass

from pbm_oust.accounts.account import HIGHEST_LIMIT, Account, rejected_by, with_limit, with_rejected
from pbm_oust.grammar.form import Form
from pbm_oust.grammar.notation import Heading, OwnCommand
from pbm_oust.grammar.parts import Parameter, rest
from pbm_oust.grammar.values import OWN, read_userids
from pbm_oust.play.forms import ForPlayer
from pbm_oust.play.notices import Notice, OutcomeNotice
from pbm_oust.play.request import Actor, Handled, Outcome, Request
from pbm_oust.play.starting import count_active
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Unreadable, UnreadableReason


@dataclass(frozen=True, slots=True)
class BadLimit(UnreadableReason):
    """A word is not a number that can limit boards."""

    most: int
    """The highest number."""


class RejectsSelf(NotAllowedReason):
    """Players would reject themselves."""


@dataclass(frozen=True, slots=True)
class Limit(OwnCommand):
    """Limit the number of one's active boards; 0 for any number."""

    limit: int


@dataclass(frozen=True, slots=True)
class Reject(OwnCommand):
    """Take no challenges from these players; without userids, list those who are rejected."""

    userids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unreject(OwnCommand):
    """Take challenges from these players again."""

    userids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LimitNotice(OutcomeNotice):
    """The number of active boards that the reader wants at most."""

    template = "limit"
    limit: int
    """0 for any number."""
    active: int
    """The number that the reader has."""


@dataclass(frozen=True, slots=True)
class RejectedNotice(OutcomeNotice):
    """Whose challenges the reader rejects."""

    template = "rejected"
    rejected: tuple[str, ...]
    changed: tuple[str, ...] = ()
    """The players whom the command named."""
    is_ended: bool = False
    """Whether their challenges are taken again."""


def _read_limit(word: str) -> int:
    if not (word.isascii() and word.isdigit() and int(word) <= HIGHEST_LIMIT):
        raise Unreadable(BadLimit(HIGHEST_LIMIT), word)
    return int(word)


def set_limit(command: Limit, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Limit the number of a player's active boards."""

    def tell(account: Account) -> tuple[OutcomeNotice, list[Notice]]:
        active = count_active(account.userid, work.home)
        return LimitNotice(work.player_at(account, request), command.limit, active), []

    def change(account: Account) -> Account:
        return with_limit(account, command.limit)

    return work.change_account(change, tell, actor, request, Handled(Outcome.DONE))


def reject(command: Reject, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Reject the challenges of players from now on, or list those who are rejected."""
    if actor.userid in command.userids:
        raise NotAllowed(RejectsSelf())
    if not command.userids:
        reader = work.player_at(actor.account, request)
        return work.answer(RejectedNotice(reader, rejected_by(actor.account)), request)
    for userid in command.userids:
        work.account(userid)
    return _change_rejected(command, actor, request, work)


def unreject(command: Unreject, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Take the challenges of players again."""
    return _change_rejected(command, actor, request, work)


def _change_rejected(
    command: Reject | Unreject, actor: Actor, request: Request, work: UnitOfWork
) -> Handled:
    def change(account: Account) -> Account:
        rejected = rejected_by(account)
        if isinstance(command, Reject):
            return with_rejected(account, (*rejected, *command.userids))
        return with_rejected(account, (each for each in rejected if each not in command.userids))

    def tell(account: Account) -> tuple[OutcomeNotice, list[Notice]]:
        reader, is_ended = work.player_at(account, request), isinstance(command, Unreject)
        return RejectedNotice(reader, rejected_by(account), command.userids, is_ended), []

    return work.change_account(change, tell, actor, request, Handled(Outcome.DONE))


FORMS = (
    Form(
        "limit",
        Limit,
        (*OWN, Parameter("BOARDS", _read_limit)),
        heading=Heading.SETTINGS,
        rank=30,
        run=ForPlayer(set_limit),
    ),
    Form(
        "reject",
        Reject,
        OWN,
        rest(("[USERID..]",), read_userids, tuple, least=0),
        heading=Heading.SETTINGS,
        rank=40,
        run=ForPlayer(reject),
    ),
    Form(
        "unreject",
        Unreject,
        OWN,
        rest(("USERID..",), read_userids, tuple),
        heading=Heading.SETTINGS,
        rank=50,
        run=ForPlayer(unreject),
    ),
)
