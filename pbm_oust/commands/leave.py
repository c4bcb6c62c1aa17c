"""The commands that leave: signoff and coming back, all boards at once, and delete."""

from dataclasses import dataclass

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.status import signed_off_since, with_signed_off
from pbm_oust.board.record import Deed
from pbm_oust.grammar.command import Command, Heading
from pbm_oust.grammar.values import OWN
from pbm_oust.play.forms import SignedForm
from pbm_oust.play.notices import News, Notice, OutcomeNotice
from pbm_oust.play.outcome import Handled, Outcome
from pbm_oust.play.renaming import active_games, boards_of
from pbm_oust.play.request import Actor, RefusedBefore, Request
from pbm_oust.play.telling import tell_players
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules.position import Kind
from pbm_oust.store.journal import Ending, Entry
from pbm_oust.store.open_boards import open_board
from pbm_oust.store.recovery import board_place, removal_place


@dataclass(frozen=True, slots=True)
class Signoff(Command):
    """Take leave: the account stays, and boards that go on."""

    userid: str
    password: Secret


@dataclass(frozen=True, slots=True)
class Delete(Command):
    """Remove an account, after giving up its boards."""

    userid: str
    password: Secret


@dataclass(frozen=True, slots=True)
class SignedOffNotice(OutcomeNotice):
    """The reader has taken leave."""

    template = "signed_off"
    boards: tuple[str, ...]
    """The names of those that go on."""


@dataclass(frozen=True, slots=True)
class DeletedNotice(Notice):
    """The reader's account is removed."""

    template = "deleted"
    userid: str
    boards: tuple[str, ...]
    """The names of those that ended with it."""


def sign_off(command: Signoff, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Let a player take leave: boards that go on do so, and nobody starts new ones with him."""

    def change(account: Account) -> Account:
        return with_signed_off(account, signed_off_since(account) or work.now())

    def tell(account: Account) -> tuple[OutcomeNotice, list[Notice]]:
        boards = tuple(game.name for game in active_games(account.userid, work.home))
        return SignedOffNotice(work.player_at(account, request), boards), []

    return work.change_account(change, tell, actor, request, Handled(Outcome.DONE))


def delete(command: Delete, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Remove an account: its boards first, one by one, then what waits for a code, then the rest.

    A mail that comes again after a fault goes on where the first one ended.
    """
    home, userid = work.home, actor.userid
    if home.journal.ending(actor.cause) is Ending.REFUSED:
        raise NotAllowed(RefusedBefore())
    boards = leave_boards(actor, request, work)
    with home.locked_players():
        account = work.account(userid)
        home.pending.forget_of(account, work.now())
        told = DeletedNotice(work.player_at(account, request), userid, tuple(boards))
        with home.journal.held(), work.posting([told], request, actor.cause, removal_place(userid)):
            if home.journal.ending(actor.cause) is None:
                home.journal.write(Entry(work.now(), actor.cause, Ending.DONE))
            home.remove_player(userid)
        for address in account.addresses:
            home.bounces.forget(address)
    return Handled(Outcome.DONE)


def leave_boards(actor: Actor, request: Request, work: UnitOfWork) -> list[str]:
    """Resign all boards of a player that go on, and decline those on which he has not moved yet.

    The other players and those who watch are told. Returns the names of the boards, those of an
    earlier try with the same mail among them. Raises DamagedHistory.
    """
    boards = boards_of(actor.userid, work.home)
    return [
        f"{kind.name} {board}"
        for kind, board in boards
        if _leave(kind, board, actor, request, work)
    ]


def _leave(kind: Kind, board: int, actor: Actor, request: Request, work: UnitOfWork) -> bool:
    """Leave one board, and return whether this mail did so."""
    place = board_place(kind.name, board)
    with open_board(work.home, kind, board) as opened:
        game = opened.game
        if game.has_cause(actor.cause):
            opened.complete()
            work.home.sync_history(kind.name, board)
            work.home.outbox.finish(actor.cause, place)
            return True
        side = game.side_of(actor.userid)
        if side is None or game.result:
            return False
        deed = Deed.RESIGN if game.has_played(side) else Deed.DECLINE
        left = game.act(side, deed, max(work.now(), game.latest), actor.cause)
        told = tell_players(left, News.PLAYED, work, request, actor=None)
        notices = [notice for notice in told if notice.reader.userid != actor.userid]
        with work.posting(notices, request, actor.cause, place):
            opened.append(left)
        return True


FORMS = (
    SignedForm(
        "signoff",
        Signoff,
        OWN,
        heading=Heading.ACCOUNT,
        rank=60,
        run=sign_off,
        brings_back=False,
    ),
    SignedForm(
        "delete", Delete, OWN, heading=Heading.ACCOUNT, rank=70, run=delete, brings_back=False
    ),
)
