"""The commands about the addresses of an account: add and change address."""

from dataclasses import dataclass

from pbm_oust.accounts.address import MOST_ADDRESSES
from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.settings import settings_of
from pbm_oust.accounts.verification import Pending, Purpose
from pbm_oust.grammar.form import ADDRESSES, Cost, Form
from pbm_oust.grammar.notation import Command, Heading
from pbm_oust.grammar.values import OWN
from pbm_oust.play.forms import ForPlayer
from pbm_oust.play.request import Actor, Handled, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.play.verification import (
    MAILED,
    Asked,
    CodeSentNotice,
    ask_each,
    is_among,
    silence_about,
)
from pbm_oust.refusal import NotAllowed, NotAllowedReason


@dataclass(frozen=True, slots=True)
class TooManyAddresses(NotAllowedReason):
    """The account would have too many addresses."""

    most: int
    """How many it may have."""


@dataclass(frozen=True, slots=True)
class Add(Command):
    """Add addresses to an account; if none are given, the sender's."""

    userid: str
    password: Secret
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangeAddress(Command):
    """Replace the addresses of an account; if none are given, by the sender's."""

    userid: str
    password: Secret
    addresses: tuple[str, ...]


def add(command: Add, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Mail codes to addresses that an account does not have yet."""
    addresses = command.addresses or (request.sender,)
    new = tuple(each for each in addresses if not actor.account.has_address(each))
    if len(actor.account.addresses) + len(new) > MOST_ADDRESSES:
        raise NotAllowed(TooManyAddresses(MOST_ADDRESSES))
    return _ask_for(Purpose.ADD, new, actor, request, work)


def change_address(
    command: ChangeAddress, actor: Actor, request: Request, work: UnitOfWork
) -> Handled:
    """Mail codes to the addresses that will replace those of an account."""
    addresses = command.addresses or (request.sender,)
    return _ask_for(Purpose.CHANGE, addresses, actor, request, work)


def _ask_for(
    purpose: Purpose, addresses: tuple[str, ...], actor: Actor, request: Request, work: UnitOfWork
) -> Handled:
    """Mail codes to addresses. If none is the sender's, the account's addresses get an answer."""
    language = settings_of(actor.account).language
    asked = ask_each(
        [
            Pending(
                purpose, actor.userid, address, work.now(), actor.message_key, language=language
            )
            for address in addresses
        ],
        request,
        work,
    )
    waiting = tuple(
        address
        for address, became in zip(addresses, asked, strict=True)
        if became is not Asked.USED_BEFORE
    )
    if waiting and is_among(request.sender, waiting):
        return silence_about(asked)
    reader = work.player_at(actor.account, request)
    sent = CodeSentNotice(reader, waiting, actor.account.addresses)
    return work.answer(sent, request, MAILED)


def _cost(command: Add | ChangeAddress) -> Cost:
    return Cost(codes=len(command.addresses) or 1)


FORMS = (
    Form(
        "add",
        Add,
        OWN,
        ADDRESSES,
        heading=Heading.ACCOUNT,
        rank=30,
        needs_own_mail=True,
        cost=_cost,
        run=ForPlayer(add, may_be_sender=False),
    ),
    Form(
        "change address",
        ChangeAddress,
        OWN,
        ADDRESSES,
        heading=Heading.ACCOUNT,
        rank=40,
        needs_own_mail=True,
        cost=_cost,
        run=ForPlayer(change_address, may_be_sender=False),
    ),
)
