"""Invitations: letters that offer a board to an address, for the player who asks for it.

Whoever has the address moves first on that board: an answer makes an account for them, if they have
none, starts the board and plays there (`begin.py`). Nothing is kept of them but a name that is made
from the address (`asks.invited`), which does not tell it.
"""

from datetime import timedelta
from typing import NamedTuple

from msgspec import structs

from pbm_oust.accounts import asks
from pbm_oust.accounts.account import Account
from pbm_oust.accounts.address import is_same_address
from pbm_oust.accounts.asks import Ask, Topic
from pbm_oust.accounts.items import INVITATION_LIFETIME, MOST_INVITATIONS, Invitation
from pbm_oust.accounts.settings import USUAL
from pbm_oust.board import Game
from pbm_oust.board.header import Terms
from pbm_oust.grammar import values
from pbm_oust.grammar.form import AnsweredBy, Form
from pbm_oust.grammar.notation import Heading
from pbm_oust.grammar.parts import Rest
from pbm_oust.play.authentication import PasswordWanted, note_charges, spend
from pbm_oust.play.context import Context, Look, Outcome, done
from pbm_oust.play.notices import BoardNotice, Notice, Reader, ShownBoard
from pbm_oust.play.starting import objections
from pbm_oust.play.unit_of_work import ForPlayer
from pbm_oust.refusal import NotAllowed, NotAllowedReason
from pbm_oust.rules import KINDS, Grid, Kind
from pbm_oust.store.accounts import accounts_at
from pbm_oust.store.index import has_moved
from pbm_oust.store.limits import Charge, Counted

HEADING = Heading.STARTING

_NOBODY = "x"
"""What stands on the board for somebody who has no userid yet."""


# Who may invite whom


class InvitationsOff(NotAllowedReason, frozen=True):
    """Nobody can be invited: the operator has settled so."""


class MayNotInvite(NotAllowedReason, frozen=True):
    """The player has proved no address, or has no board with a move."""


class Unproved(PasswordWanted, frozen=True):
    """Nothing proves that the player has sent the challenge to an address."""


class OwnAddress(NotAllowedReason, frozen=True):
    """The address is one of the player's own, or that of the server."""


class TooManyInvitations(NotAllowedReason, frozen=True):
    """The player has reached the limit of open invitations."""

    most: int
    """The limit."""


class NotInvited(NotAllowedReason, frozen=True):
    """The address has had an invitation of late, or wants none: which of both is not told."""

    days: int
    """For how many days an address gets no other invitation."""


class NoSuchInvitation(NotAllowedReason, frozen=True):
    """The player has no open invitation to the address."""


class InvitationGone(NotAllowedReason, frozen=True):
    """The invitation that is answered is not open any more."""

    inviter: str
    days: int
    """For how many days one is."""


def _check_may_invite(on: Context, address: str) -> None:
    """Check that the player may invite somebody, and that address. Raises NotAllowed."""
    own = on.own
    if not on.home.configured.invitations:
        raise NotAllowed(InvitationsOff())
    is_proved = own.has_proved_address or on.request.writer or on.request.is_verified_by(own)
    if not (is_proved and has_moved(on.snapshot, own.userid)):
        raise NotAllowed(MayNotInvite())
    if own.has_address(address) or is_same_address(address, on.home.configured.address):
        raise NotAllowed(OwnAddress(), address)
    if len(open_invitations(own, on)) >= MOST_INVITATIONS:
        raise NotAllowed(TooManyInvitations(MOST_INVITATIONS))
    name = _name_of(on, address)
    if any(on.number_counted(each, name) for each in (Counted.INVITED, Counted.UNINVITED)):
        raise NotAllowed(NotInvited(Counted.INVITED.within // timedelta(days=1)), address)


def open_invitations(account: Account, on: Look) -> list[Invitation]:
    """Return the invitations of a player that wait for an answer."""
    return [each for each in account.invitations if each.is_open(on.now)]


def _name_of(on: Look, address: str) -> str:
    return asks.invited(on.home.key(), address)


# The letters


class InvitationNotice(Notice, frozen=True):
    """A board that a player offers to the reader, who may be a stranger."""

    game: Game
    """The board as it would begin."""
    inviter: str
    known: str
    """The userid of the account that has the address; empty if there is none, or several."""
    days: int
    """For how many days an answer begins the board."""
    days_between: int
    """For how many days no other invitation goes to the address."""

    def board(self) -> None:
        """Return that the letter belongs to the thread of no board."""

    def shows(self) -> tuple[ShownBoard, ...]:
        """Return the board."""
        return (ShownBoard(self.game),)

    def ask(self) -> Ask:
        """Return that an answer begins the board."""
        return Ask(Topic.INVITATION, (self.inviter,))


class InviteNotice(Notice, frozen=True):
    """An invitation of the reader's has left, or was withdrawn."""

    is_made: bool
    address: str
    game: Game
    """The board as it would begin."""
    days: int
    """For how many days it is open."""
    number: int
    """How many invitations of the reader are open."""
    most: int

    def board(self) -> None:
        """Return that the letter belongs to the thread of no board."""


class DeclinedNotice(Notice, frozen=True):
    """Somebody does not want to play whom the reader has invited."""

    address: str


class AcceptedNotice(BoardNotice, frozen=True):
    """The board begins to which somebody was invited."""

    inviter: str = ""
    address: str = ""
    """Where the invitation went to."""


def _notice(on: Look, reader: Reader, inviter: str, offered: Invitation) -> InvitationNotice:
    known = [each.userid for each in _owners(on, reader.addresses[0])]
    userid = known[0] if len(known) == 1 else ""
    return InvitationNotice(
        reader,
        Game.start(offered.header(1, userid or _NOBODY, inviter, offered.at)),
        inviter,
        userid,
        INVITATION_LIFETIME.days,
        Counted.INVITED.within.days,
    )


def _owners(on: Look, address: str) -> list[Account]:
    """Return the accounts that have exactly an address."""
    return [each for each in accounts_at(on.snapshot, address) if each.has_exactly(address)]


# The commands


def invite(on: Context, address: str) -> Outcome:
    """Invite somebody by their address to a board of the first game, on its usual grid."""
    kind = next(iter(KINDS.values()))
    return send_invitation(on, address, kind, kind.default_grid, Terms())


def send_invitation(on: Context, address: str, kind: Kind, grid: Grid, terms: Terms) -> Outcome:
    """Mail an invitation to a board, where whoever has the address moves first.

    The player hears the same whether or not some account has the address, and wants to play with
    them. Raises NotAllowed.
    """
    if not on.player.is_proved:
        raise NotAllowed(Unproved())
    _check_may_invite(on, address)
    userid, name = on.player.userid, _name_of(on, address)
    spend(on, [Charge(Counted.INVITATIONS, userid)])
    note_charges(on, [Charge(Counted.INVITED, name)])
    made = Invitation.of(kind.name, on.now, name, grid, terms)
    valid = (each for each in on.own.invitations if each.is_valid(on.now))
    own = on.save(structs.replace(on.own, invitations=(*valid, made)))
    told = [_told(on, own, address, made, is_made=True)]
    reader = _reader_at(on, address)
    sent = [_notice(on, reader, userid, made)] if reader else []
    return structs.replace(done([*told, *sent]), inviter=userid)


def _reader_at(on: Context, address: str) -> Reader | None:
    """Return who reads an invitation; None if nobody would: mail comes back, or they want none."""
    owners, own = _owners(on, address), on.own
    is_lost = any(each.is_suspended for each in on.returned_from(address))
    if is_lost or any(list(objections(on, each, own.userid)) for each in owners):
        return None
    language = (owners or [own])[0].all_settings.language
    return Reader((address,), settings=structs.replace(USUAL, language=language))


def _told(
    on: Context, own: Account, address: str, about: Invitation, *, is_made: bool
) -> InviteNotice:
    """Return what the player is told of an invitation."""
    return InviteNotice(
        on.reader_at(own),
        is_made,
        address,
        Game.start(about.header(1, _NOBODY, own.userid, about.at)),
        INVITATION_LIFETIME.days,
        len(open_invitations(own, on)),
        MOST_INVITATIONS,
    )


def withdraw(on: Context, address: str) -> Outcome:
    """Withdraw the open invitation to an address."""
    name = _name_of(on, address)
    found = [each for each in open_invitations(on.own, on) if each.to == name]
    if not found:
        raise NotAllowed(NoSuchInvitation(), address)
    kept = tuple(each for each in on.own.invitations if each not in found)
    own = on.save(structs.replace(on.own, invitations=kept))
    return done([_told(on, own, address, found[0], is_made=False)])


# The answers


class Offer(NamedTuple):
    """An invitation that is answered, and who has sent it."""

    inviter: Account
    invitation: Invitation

    def answered(self, on: Context, **given: object) -> None:
        """Keep with its inviter what became of the invitation: a board, or that it is declined."""
        now = structs.replace(self.invitation, **given)
        changed = (now if each == self.invitation else each for each in self.inviter.invitations)
        on.save(structs.replace(self.inviter, invitations=tuple(changed)))


def offer_to(on: Look, guest: Ask, address: str) -> Offer | None:
    """Return the invitation that a letter to an address brought; None if it is not there any more.

    Whoever has declined it may still change their mind.
    """
    inviter = on.account_if_any(guest.about[0])
    if guest.topic is not Topic.INVITATION or inviter is None:
        return None
    name = _name_of(on, address)
    valid = [each for each in inviter.invitations if each.to == name and each.is_valid(on.now)]
    return Offer(inviter, valid[-1]) if valid else None


def invitation_again(on: Context, reader: Reader) -> InvitationNotice | None:
    """Return the invitation that a mail answers for its reader once more, if it is there."""
    guest = on.request.guest
    offer = offer_to(on, guest, on.request.sender) if guest else None
    if offer is None or offer.invitation.board:
        return None
    return _notice(on, reader, offer.inviter.userid, offer.invitation)


def gone(guest: Ask) -> NotAllowed:
    """Return the refusal of an answer to an invitation that is not open any more."""
    return NotAllowed(InvitationGone(guest.about[0], INVITATION_LIFETIME.days))


def declined(on: Context, guest: Ask) -> list[Notice]:
    """Decline the invitation that a mail answers; return what its inviter is told."""
    address = on.request.sender
    offer = offer_to(on, guest, address)
    if offer is None or not offer.invitation.is_open(on.now):
        return []
    offer.answered(on, is_declined=True)
    return [DeclinedNotice(on.reader(offer.inviter), address)]


def keep_away(on: Context, name: str) -> None:
    """Keep all invitations away from the address with a name (`asks.invited`), for good."""
    if not on.number_counted(Counted.UNINVITED, name):
        note_charges(on, [Charge(Counted.UNINVITED, name)])


_ADDRESS = Rest(("address",), ("ADDRESS",), values.read_address, lambda address: (address,))
FORMS: tuple[Form[ForPlayer], ...] = (
    Form(
        "invite",
        values.OWN,
        _ADDRESS,
        is_of_kind=False,
        needs_own_mail=True,
        answers={Topic.PLAY: AnsweredBy.NAME},
        run=ForPlayer(invite),
    ),
    Form(
        "uninvite",
        values.OWN,
        _ADDRESS,
        is_of_kind=False,
        answers={Topic.PLAY: AnsweredBy.NAME},
        run=ForPlayer(withdraw),
    ),
)
