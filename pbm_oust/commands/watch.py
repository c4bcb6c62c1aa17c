"""The commands to follow the boards of others: watch and unwatch."""

from collections.abc import Callable
from dataclasses import dataclass

from pbm_oust.accounts.account import MOST_WATCHED, Account, watched_by, with_watched
from pbm_oust.board.game import Game
from pbm_oust.board.reasons import GameOver, OfBoard
from pbm_oust.commands.lists import Games
from pbm_oust.grammar.form import Form
from pbm_oust.grammar.notation import BoardCommand, Command, Heading
from pbm_oust.grammar.values import OF_BOARD, Filter
from pbm_oust.play.forms import ForPlayer
from pbm_oust.play.notices import Notice, OutcomeNotice, Shown
from pbm_oust.play.request import Actor, Handled, Outcome, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.boards import NoSuchBoard
from pbm_oust.store.open_boards import DamagedHistory, read_game


class PlaysThere(OfBoard, NotAllowedReason):
    """A player would watch a board on which they play."""


@dataclass(frozen=True, slots=True)
class TooManyWatched(OfBoard, NotAllowedReason):
    """The player has reached the limit of watched boards."""

    most: int
    """The limit."""


class _OfWatched(BoardCommand):
    """A command about a board of others."""

    def instead(self, refusal: Refusal) -> Command | None:
        """Return the list of all boards, if there is no such board."""
        is_unknown = isinstance(refusal.reason, NoSuchBoard)
        return Games(self.kind, (), Filter.ACTIVE) if is_unknown else None


class Watch(_OfWatched):
    """Get every record of a board by mail."""


class Unwatch(_OfWatched):
    """Get no more records of a board by mail."""


@dataclass(frozen=True, slots=True)
class WatchNotice(OutcomeNotice):
    """A board is watched from now on, or no longer."""

    template = "watch"
    game: Game
    is_watched: bool
    names: tuple[str, ...]
    """The names of all boards that the reader watches."""

    def board(self) -> Game:
        """Return the game of the board."""
        return self.game

    def shows(self) -> tuple[Shown, ...]:
        """Return the board, if it is watched."""
        return (Shown(self.game),) if self.is_watched else ()


def watch(command: Watch, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Mail a player the records of a board on which they do not play."""
    game = read_game(work.home, command.kind, command.board)
    if game.result:
        raise NotAllowed(GameOver(game))
    if game.side_of(actor.userid):
        raise NotAllowed(PlaysThere(game))

    def change(account: Account) -> Account:
        names = [name for name in watched_by(account) if name != game.name]
        going_on = [name for name in names if _goes_on(name, work)]
        if len(going_on) >= MOST_WATCHED:
            raise NotAllowed(TooManyWatched(game, MOST_WATCHED))
        return with_watched(account, (*going_on, game.name))

    return _change_watched(change, game, True, actor, request, work)


def unwatch(command: Unwatch, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Mail a player no more records of a board."""
    game = read_game(work.home, command.kind, command.board)

    def change(account: Account) -> Account:
        return with_watched(account, (name for name in watched_by(account) if name != game.name))

    return _change_watched(change, game, False, actor, request, work)


def _change_watched(
    change: Callable[[Account], Account],
    game: Game,
    is_watched: bool,
    actor: Actor,
    request: Request,
    work: UnitOfWork,
) -> Handled:
    def tell(account: Account) -> tuple[OutcomeNotice, list[Notice]]:
        names = tuple(name for name in watched_by(account) if _goes_on(name, work))
        return WatchNotice(work.player_at(account, request), game, is_watched, names), []

    handled = Handled(Outcome.DONE, game.name)
    return work.change_account(change, tell, actor, request, handled)


def _goes_on(name: str, work: UnitOfWork) -> bool:
    """Return whether a board exists and goes on; a damaged one may."""
    kind, _, board = name.partition(" ")
    if kind not in KINDS:
        return False
    try:
        return read_game(work.home, KINDS[kind], int(board)).result is None
    except NotAllowed:
        return False
    except DamagedHistory:
        return True


FORMS = (
    Form("watch", Watch, OF_BOARD, heading=Heading.LOOKING, rank=60, run=ForPlayer(watch)),
    Form("unwatch", Unwatch, OF_BOARD, heading=Heading.LOOKING, rank=70, run=ForPlayer(unwatch)),
)
