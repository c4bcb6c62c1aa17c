"""Starting a board: who may start one with whom, and once for a mail, whatever command it is."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.invitations import limit_of, rejected_by
from pbm_oust.accounts.status import disabled_since, signed_off_since
from pbm_oust.board.game import Game
from pbm_oust.board.header import Header
from pbm_oust.board.reasons import SamePlayer
from pbm_oust.play.authentication import Disabled
from pbm_oust.play.notices import BoardNotice, News
from pbm_oust.play.outcome import Handled, Outcome
from pbm_oust.play.request import Actor, RefusedBefore, Request
from pbm_oust.play.telling import answer_again, tell_players
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason
from pbm_oust.rules.position import Kind
from pbm_oust.store import board_queries
from pbm_oust.store.boards import challenge_remark
from pbm_oust.store.entries import Source
from pbm_oust.store.home import Home
from pbm_oust.store.message_keys import outcome_of
from pbm_oust.store.open_boards import next_number, start_new_board, started_by


@dataclass(frozen=True, slots=True)
class StrangeAddress(NotAllowedReason):
    """A challenge came from an address of neither player."""


@dataclass(frozen=True, slots=True)
class SignedOff(NotAllowedReason):
    """A player has signed off."""

    own: bool
    """Whether it is the one who sent the command."""


@dataclass(frozen=True, slots=True)
class Rejected(NotAllowedReason):
    """A player takes no challenges from the challenger."""

    userid: str
    """The player."""
    challenger: str


@dataclass(frozen=True, slots=True)
class LimitReached(NotAllowedReason):
    """A player is on as many boards as they want."""

    userid: str
    limit: int
    """How many they want."""
    active: int
    """On how many they are."""


def challenger_of(x: str, o: str, request: Request, work: UnitOfWork) -> Actor:
    """Return the one of two players from whose address a request came.

    Raises NotAllowed where they cannot start a board against each other, or it came from neither.
    """
    actor = actor_among((x, o), request, work)
    if actor is None:
        raise NotAllowed(StrangeAddress())
    if x == o:
        raise NotAllowed(SamePlayer(), x)
    return actor


def actor_among(userids: tuple[str, ...], request: Request, work: UnitOfWork) -> Actor | None:
    """Return the first of some players from whose address a request came, or None."""
    found = (work.account_if_any(userid) for userid in userids)
    own = next((each for each in found if each and each.has_address(request.sender)), None)
    return Actor(own, request.message_key(own.userid)) if own else None


def start_board(
    kind: Kind, header: Callable[[int], Header], actor: Actor, request: Request, work: UnitOfWork
) -> Handled:
    """Start a board and show it to both players, if the mail has not done so before.

    `header` is given the number of the new board.
    """
    done_before = answered_again(actor, request, work)
    if done_before:
        return done_before
    game = Game.start(header(next_number(work.home, kind)))
    return write_board(game, actor, request, work)


def answered_again(actor: Actor, request: Request, work: UnitOfWork) -> Handled | None:
    """Show a player the board that the same mail started when it came before, if it did.

    Raises NotAllowed for a mail that was refused then.
    """
    known = started_by(work.home, actor.message_key)
    if known:
        return answer_again(known, actor, request, work)
    if work.home.ask(outcome_of, actor.message_key):
        raise NotAllowed(RefusedBefore())
    return None


def write_board(
    game: Game,
    actor: Actor,
    request: Request,
    work: UnitOfWork,
    *,
    source: Source | None = None,
    changed: Iterable[Account] = (),
    make: Callable[..., BoardNotice] = BoardNotice,
) -> Handled:
    """Write a new board and show it to both players.

    `source` is what it came from, where that leads to one board alone; `changed` are accounts that
    change with it; `make` makes the notices that show it. Raises NotAllowed where a player does not
    want to play.
    """
    for userid in (game.header.x, game.header.o):
        check_willing(work.account(userid), actor.userid, work.home)
    notices = tell_players(
        game, News.STARTED, work, request, actor=actor.account, chat=request.chat, make=make
    )
    with work.posting(notices, request):
        work.hold(game.header.x, game.header.o)
        for account in changed:
            work.save(account)
        start_new_board(
            work.home, game, actor.message_key, challenge_remark(actor.message_key), source
        )
    return Handled(Outcome.DONE, game.name)


def check_willing(challenged: Account, challenger: str, home: Home) -> None:
    """Make sure that a player may be put on a board by somebody whose userid is `challenger`.

    That may be the same player. Raises NotAllowed for one who rejects the challenger, who has
    signed off, who has as many boards as they want, or whose account is closed.
    """
    if signed_off_since(challenged):
        is_own = challenged.userid == challenger
        raise NotAllowed(SignedOff(is_own), challenged.userid)
    if challenger in rejected_by(challenged):
        raise NotAllowed(Rejected(challenged.userid, challenger), challenged.userid)
    check_room(challenged, home)


def check_room(account: Account, home: Home) -> None:
    """Make sure that a player has a board free. Raises NotAllowed, also for a closed account."""
    if disabled_since(account):
        raise NotAllowed(Disabled(account.userid, own=False), account.userid)
    limit = limit_of(account)
    active = count_active(account.userid, home) if limit else 0
    if limit and active >= limit:
        raise NotAllowed(LimitReached(account.userid, limit, active), account.userid)


def count_active(userid: str, home: Home) -> int:
    """Return on how many boards that go on a player is; damaged ones are left out."""
    return home.ask(board_queries.count_active, userid)
