"""Starting a board: who may start one with whom, and only once for each mail."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from pbm_oust.accounts.account import HOUSE, Account, limit_of, rejected_by
from pbm_oust.accounts.status import disabled_since, signed_off_since
from pbm_oust.board.game import Game
from pbm_oust.board.header import Header
from pbm_oust.board.reasons import SamePlayer
from dataclasses import dataclass
from pbm_oust.play.authentication import Disabled
from pbm_oust.play.notices import BoardNotice, News, Notice
from pbm_oust.play.outcome import Handled, Outcome
from pbm_oust.play.quota import of_boards, of_challenged, record, spend
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
class SignedOff(NotAllowedReason):
    """A player has signed off."""

    own: bool
    """Whether that player sent the command."""


@dataclass(frozen=True, slots=True)
class Rejected(NotAllowedReason):
    """A player takes no challenges from the challenger."""

    userid: str
    """The player."""
    challenger: str


@dataclass(frozen=True, slots=True)
class LimitReached(NotAllowedReason):
    """A player plays on as many boards as they want."""

    userid: str
    limit: int
    """The number they want."""
    active: int
    """The number they play on."""


def start_board(
    kind: Kind,
    header: Callable[[int], Header],
    actor: Actor,
    request: Request,
    work: UnitOfWork,
    ask: Callable[[], Handled],
) -> Handled:
    """Start a board and show it to both players, unless the mail has done so before.

    `header` is given the number of the new board. `ask` has the challenge confirmed, if it could be
    carried out and nothing proves whose it is. Raises NotAllowed.
    """
    done_before = answered_again(actor, request, work)
    if done_before:
        return done_before
    new = header(next_number(work.home, kind))
    if actor.is_proved:
        make = partial(BoardNotice, challenger=actor.userid)
        return write_board(new, actor, request, work, make=make)
    _new_game(new, actor, work)
    return ask()


def answered_again(actor: Actor, request: Request, work: UnitOfWork) -> Handled | None:
    """Show a player the board that this mail started when it came before, if it did.

    Raises NotAllowed if it was refused then.
    """
    known = started_by(work.home, actor.message_key)
    if known:
        return answer_again(known, actor, request, work)
    if work.home.ask(outcome_of, actor.message_key):
        raise NotAllowed(RefusedBefore())
    return None


def write_board(
    header: Header,
    actor: Actor,
    request: Request,
    work: UnitOfWork,
    *,
    source: Source | None = None,
    changed: Iterable[Account] = (),
    make: Callable[..., BoardNotice] = BoardNotice,
) -> Handled:
    """Write a new board and show it to both players.

    A board of the house has the terms that the configuration wants. `source` is what the board came
    from, if only one board may come from that. `changed` holds accounts that change with it. `make`
    makes the notices that show it. Raises NotAllowed if a player does not want to play.
    """
    game = _new_game(header, actor, work)
    other = game.o if actor.userid == game.x else game.x
    if source is None and other not in HOUSE:
        spend(of_challenged(actor.userid, other), work)
    notices = tell_players(
        game, News.STARTED, work, request, actor=actor.account, chat=request.chat, make=make
    )
    record(of_boards(1, actor.userid), work)
    return post_board(
        game, notices, actor.message_key, request, work, source=source, changed=changed
    )


def post_board(
    game: Game,
    notices: Iterable[Notice],
    key: str,
    request: Request,
    work: UnitOfWork,
    *,
    source: Source | None = None,
    changed: Iterable[Account] = (),
) -> Handled:
    """Write a new board with the notices that show it.

    `key` is the message key of what started it. The rest is as in `write_board`.
    """
    with work.posting(notices, request):
        for account in changed:
            work.save(account)
        start_new_board(work.home, game, key, challenge_remark(key), source)
    return Handled(Outcome.DONE, game.name)


def check_two(x: str, o: str) -> None:
    """Check that two userids are not the same. Raises NotAllowed."""
    if x == o:
        raise NotAllowed(SamePlayer(), x)


def _new_game(header: Header, actor: Actor, work: UnitOfWork) -> Game:
    """Return a new board that both players want to play. Raises NotAllowed."""
    from pbm_oust.play.house import check_house, with_house_terms

    game = Game.start(with_house_terms(header, work))
    for userid in (header.x, header.o):
        check_may_challenge(work.account(userid), actor.userid, work.home)
    check_house(game, actor.userid, work)
    return game


def check_may_challenge(challenged: Account, challenger: str, home: Home) -> None:
    """Check that the player `challenger` may put a player, perhaps themselves, on a board.

    Raises NotAllowed for the first objection.
    """
    for objection in objections(challenged, challenger, home):
        raise objection


def objections(challenged: Account, challenger: str, home: Home) -> Iterator[NotAllowed]:
    """Yield what speaks against putting a player on a board for a challenger.

    The player rejects the challenger, has signed off or plays on as many boards as they want, or
    their account is disabled.
    """
    userid = challenged.userid
    if signed_off_since(challenged):
        yield NotAllowed(SignedOff(own=userid == challenger), userid)
    if challenger in rejected_by(challenged):
        yield NotAllowed(Rejected(userid, challenger), userid)
    if disabled_since(challenged):
        yield NotAllowed(Disabled(userid, own=False), userid)
    limit = limit_of(challenged)
    active = count_active(userid, home) if limit else 0
    if limit and active >= limit:
        yield NotAllowed(LimitReached(userid, limit, active), userid)


def count_active(userid: str, home: Home) -> int:
    """Return the number of a player's active boards; damaged ones are left out."""
    return home.ask(board_queries.count_active, userid)
