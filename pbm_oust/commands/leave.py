"""The commands signoff and delete, and leaving all boards at once."""

from dataclasses import dataclass

from pbm_oust.accounts.account import Account, signed_off_since, with_signed_off
from pbm_oust.accounts.password import Secret
from pbm_oust.board.game import Game
from pbm_oust.board.record import Deed
from pbm_oust.grammar.form import Form
from pbm_oust.grammar.notation import Command, Heading
from pbm_oust.grammar.values import OWN
from pbm_oust.play.finding import active_games, boards_naming
from pbm_oust.play.forms import ForPlayer
from pbm_oust.play.moving import incoming
from pbm_oust.play.notices import News, Notice, OutcomeNotice
from pbm_oust.play.request import Actor, Handled, Outcome, RefusedBefore, Request
from pbm_oust.play.telling import tell_players
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.accounts import remove_account
from pbm_oust.store.index import BoardName
from pbm_oust.store.message_keys import KeyOutcome, outcome_of, settle_key
from pbm_oust.store.open_boards import open_board
from pbm_oust.store.verifications import forget_bounces, forget_player


@dataclass(frozen=True, slots=True)
class Signoff(Command):
    """Sign off: the account stays, and boards go on."""

    userid: str
    password: Secret


@dataclass(frozen=True, slots=True)
class Delete(Command):
    """Remove an account, after giving up its boards."""

    userid: str
    password: Secret


@dataclass(frozen=True, slots=True)
class SignedOffNotice(OutcomeNotice):
    """The reader has signed off."""

    template = "signed_off"
    boards: tuple[str, ...]
    """The names of those that go on."""


@dataclass(frozen=True, slots=True)
class DeletedNotice(Notice):
    """The reader's account was removed."""

    template = "deleted"
    userid: str
    boards: tuple[str, ...]
    """The names of those that ended with it."""


def sign_off(command: Signoff, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Let a player sign off: their boards go on, and nobody starts new ones with them."""

    def change(account: Account) -> Account:
        return with_signed_off(account, signed_off_since(account) or work.now())

    def tell(account: Account) -> tuple[OutcomeNotice, list[Notice]]:
        boards = tuple(game.name for game in active_games(account.userid, work.home))
        return SignedOffNotice(work.player_at(account, request), boards), []

    return work.change_account(change, tell, actor, request, Handled(Outcome.DONE))


def delete(command: Delete, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Remove an account: it gives up its boards, and then all of it is deleted."""
    home, userid = work.home, actor.userid
    if home.ask(outcome_of, actor.message_key) is KeyOutcome.REFUSED:
        raise NotAllowed(RefusedBefore())
    boards = leave_boards(actor, request, work)
    account = work.account(userid)
    told = DeletedNotice(work.player_at(account, request), userid, tuple(map(str, boards)))
    with work.posting([told], request):
        home.do(settle_key, actor.message_key, KeyOutcome.DONE, work.now())
        home.do(forget_player, account.userid, account.message_key)
        for address in account.addresses:
            home.do(forget_bounces, address)
        home.do(remove_account, account)
    return Handled(Outcome.DONE)


def leave_boards(actor: Actor, request: Request, work: UnitOfWork) -> dict[BoardName, Game]:
    """Resign all active boards of a player, and decline those on which they have not moved yet.

    The other players and those who watch are told. Returns the games after that. Raises
    DamagedHistory.
    """
    names = boards_naming(actor.userid, work.home)
    left = {name: _leave(name, actor, request, work) for name in names}
    return {name: game for name, game in left.items() if game}


def _leave(name: BoardName, actor: Actor, request: Request, work: UnitOfWork) -> Game | None:
    """Leave one board if its game goes on, and return the game after that."""
    opened = open_board(work.home, KINDS[name.kind], name.board)
    game = opened.game
    side = game.side_of(actor.userid)
    if side is None or game.result:
        return None
    deed = Deed.RESIGN if game.has_played(side) else Deed.DECLINE
    left = game.act(side, deed, game.time_of_next(work.now()), actor.message_key)
    told = tell_players(left, News.PLAYED, work, request, actor=None, leaving=actor.userid)
    notices = [notice for notice in told if notice.reader.userid != actor.userid]
    with work.posting(notices, request):
        opened.append(left, incoming(actor, request, work))
    return left


FORMS = (
    Form(
        "signoff",
        Signoff,
        OWN,
        heading=Heading.ACCOUNT,
        rank=60,
        run=ForPlayer(sign_off, brings_back=False),
    ),
    Form(
        "delete",
        Delete,
        OWN,
        heading=Heading.ACCOUNT,
        rank=70,
        run=ForPlayer(delete, may_be_sender=False, brings_back=False),
    ),
)
