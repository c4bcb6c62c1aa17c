"""Invitations: letters that offer a board to an address, for the player who asks for it.

Whoever has the address moves first on that board: an answer makes an account for them, if they have
none, starts the board and plays there (`begin.py`). Nothing is kept of them but a name that is made
from the address (`asks.invited`), which does not tell it.
"""

from datetime import datetime
from typing import NamedTuple

from msgspec import structs

from pbm_oust.accounts import asks
from pbm_oust.accounts.account import Account
from pbm_oust.accounts.address import is_same_address
from pbm_oust.accounts.asks import Ask, Claim, Topic
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
from pbm_oust.play.request import Ending
from pbm_oust.play.starting import objections
from pbm_oust.play.unit_of_work import ForPlayer
from pbm_oust.refusal import NotAllowed, NotAllowedReason
from pbm_oust.rules import KINDS, Grid, Kind
from pbm_oust.store.limits import Charge, Counted

HEADING = Heading.STARTING

_NOBODY = "x"
"""What stands on the board for somebody who has no userid yet."""


# Who may invite whom


class InvitationsOff(NotAllowedReason, frozen=True):
    """Nobody can be invited: the operator has settled so."""


class MayNotInvite(NotAllowedReason, frozen=True):
    """The player has proved no address."""


class Unproved(PasswordWanted, frozen=True):
    """Nothing proves that the player has sent the challenge to an address."""


class NoLinks(NotAllowedReason, frozen=True):
    """There are no pages to which a link could lead."""


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


def _check_may_invite(on: Context) -> None:
    """Check that the player may invite somebody. Raises NotAllowed."""
    own = on.own
    if not on.player.is_proved:
        raise NotAllowed(Unproved())
    if not on.home.configured.invitations:
        raise NotAllowed(InvitationsOff())
    is_proved = own.has_proved_address or on.request.writer or on.request.is_verified_by(own)
    if not is_proved:
        raise NotAllowed(MayNotInvite())


def _check_address(on: Context, own: Account, address: str) -> None:
    """Check that an invitation of a player may go to an address. Raises NotAllowed."""
    if own.has_address(address) or is_same_address(address, on.home.configured.address):
        raise NotAllowed(OwnAddress(), address)
    name = _name_of(on, address)
    if any(on.number_counted(each, name) for each in (Counted.INVITED, Counted.UNINVITED)):
        raise NotAllowed(NotInvited(Counted.INVITED.within.days), address)


def _with_one_more(on: Context, own: Account, made: Invitation) -> Account:
    """Return the account of a player with one more invitation. Raises NotAllowed at the limit."""
    kept = [each for each in own.invitations if each.is_valid(on.now) and each.to != made.to]
    if sum(each.is_open(on.now) for each in kept) >= MOST_INVITATIONS:
        raise NotAllowed(TooManyInvitations(MOST_INVITATIONS))
    return structs.replace(own, invitations=(*kept, made))


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
    has_asked: bool
    """Whether somebody who came by a link has given the address, not the inviter."""

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
    """Empty if it is a link."""
    join_page: str
    """The page to which it leads, if it is one."""
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
    known = [each.userid for each in on.owners(reader.addresses[0])]
    userid = known[0] if len(known) == 1 else ""
    return InvitationNotice(
        reader,
        Game.start(offered.header(1, userid or _NOBODY, inviter, offered.at)),
        inviter,
        userid,
        INVITATION_LIFETIME.days,
        Counted.INVITED.within.days,
        has_asked=bool(offered.link),
    )


# The commands


def invite(on: Context, address: str) -> Outcome:
    """Invite somebody, by their address or a link, to a board of the first game."""
    kind = next(iter(KINDS.values()))
    return send_invitation(on, address, kind, kind.default_grid, Terms())


def send_invitation(on: Context, address: str, kind: Kind, grid: Grid, terms: Terms) -> Outcome:
    """Mail an invitation to a board, where whoever has the address moves first; or make a link.

    The player hears the same whether or not some account has the address, and wants to play with
    them. Raises NotAllowed.
    """
    _check_may_invite(on)
    if address == values.LINK:
        return _make_link(on, kind, grid, terms)
    _check_address(on, on.own, address)
    userid = on.player.userid
    made = Invitation.of(kind.name, on.now, _name_of(on, address), grid, terms)
    own = _with_one_more(on, on.own, made)
    spend(on, [Charge(Counted.INVITATIONS, userid)])
    on.save(own)
    return done([_told(on, own, address, made, is_made=True), *_sent(on, own, address, made)])


def _sent(on: Context, own: Account, address: str, made: Invitation) -> list[InvitationNotice]:
    """Return the letter of an invitation that goes to an address, if one does; count it."""
    note_charges(on, [Charge(Counted.INVITED, made.to)])
    reader = _reader_at(on, own, address)
    return [_notice(on, reader, own.userid, made)] if reader else []


def _reader_at(on: Context, own: Account, address: str) -> Reader | None:
    """Return who reads an invitation; None if nobody would: mail comes back, or they want none."""
    owners = on.owners(address)
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
        "" if address == values.LINK else address,
        _link_of(on, own, about) if address == values.LINK else "",
        Game.start(about.header(1, _NOBODY, own.userid, about.at)),
        INVITATION_LIFETIME.days,
        len(open_invitations(own, on)),
        MOST_INVITATIONS,
    )


def withdraw(on: Context, address: str) -> Outcome:
    """Withdraw the open invitation to an address, or all links."""
    name = _name_of(on, address)
    opened = open_invitations(on.own, on)
    if address == values.LINK:
        found = [each for each in opened if _link_of(on, on.own, each)]
    else:
        found = [each for each in opened if each.to == name]
    if not found:
        raise NotAllowed(NoSuchInvitation(), address)
    kept = tuple(each for each in on.own.invitations if each not in found)
    own = on.save(structs.replace(on.own, invitations=kept))
    return done([_told(on, own, address, found[0], is_made=False)])


# Links


class Offer(NamedTuple):
    """An invitation that is answered, and who has sent it."""

    inviter: Account
    invitation: Invitation

    def answered(self, on: Context, **given: object) -> None:
        """Keep with its inviter what became of the invitation: a board, or that it is declined."""
        was, now = self.invitation, structs.replace(self.invitation, **given)
        kept = (
            each for each in self.inviter.invitations if not (now.board and each.to == was.link)
        )
        changed = (now if each == was else each for each in kept)
        on.save(structs.replace(self.inviter, invitations=tuple(changed)))


JOIN_PATH = "/join"
"""Where the pages are found to which links of invitations lead."""


def _make_link(on: Context, kind: Kind, grid: Grid, terms: Terms) -> Outcome:
    """Make a link to a board, for somebody who gives their address there; one a day."""
    if not on.home.configured.web_address:
        raise NotAllowed(NoLinks())
    userid = on.player.userid
    made = Invitation.of(kind.name, on.now, _token(on, _asked_by(userid, on.now)), grid, terms)
    own = _with_one_more(on, on.own, made)
    spend(on, [Charge(Counted.INVITATIONS, userid)])
    on.save(own)
    return done([_told(on, own, values.LINK, made, is_made=True)])


def _asked_by(userid: str, at: datetime) -> Ask:
    return Ask(Topic.INVITATION, (userid,)).on_day(at.date())


def _token(on: Look, ask: Ask) -> str:
    """Return the token of a link, which is for no address."""
    return asks.token_for(on.home.key(), "", ask)


def _link_of(on: Look, own: Account, invitation: Invitation) -> str:
    """Return the address of the page of an invitation; empty if it is for an address."""
    ask = _asked_by(own.userid, invitation.at)
    if invitation.to != _token(on, ask):
        return ""
    return f"{on.home.configured.web_address}{JOIN_PATH}/{ask.tag}.{invitation.to}"


def offer_by_link(on: Look, claim: Claim) -> Offer | None:
    """Return the open invitation whose link makes a claim; None if there is none."""
    if claim.ask.topic is not Topic.INVITATION or not asks.verified(claim, on.home.key(), ""):
        return None
    inviter = on.account_if_any(claim.ask.about[0])
    opened = open_invitations(inviter, on) if inviter else []
    found = next((each for each in opened if each.to == claim.token), None)
    return Offer(inviter, found) if inviter and found else None


def take_link(on: Context, offer: Offer, address: str, userid: str) -> Outcome:
    """Mail the invitation of a link to whoever came by it and gave an address.

    Nothing says whether a letter goes there. Raises NotAllowed if too many wait for an answer.
    """
    inviter, link = offer
    made = structs.replace(
        link, at=on.now, to=_name_of(on, address), link=link.to, userid=userid or None
    )
    own = _with_one_more(on, inviter, made)
    try:
        _check_address(on, inviter, address)
    except NotAllowed:
        return Outcome(Ending.DONE)
    on.save(own)
    return Outcome(Ending.DONE, tuple(_sent(on, own, address, made)))


# The answers


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


def _write_address(address: str) -> list[str]:
    return [] if address == values.LINK else [address]


_ADDRESS = Rest(("address",), ("[ADDRESS]",), values.read_address, _write_address, least=0)
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
