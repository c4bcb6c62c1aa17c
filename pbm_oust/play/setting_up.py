"""A board that the operator sets up for two players, as for a tournament."""

from collections.abc import Callable
from functools import partial

from pbm_oust.board.game import Game
from pbm_oust.board.header import Header
from dataclasses import dataclass
from pbm_oust.play.notices import BoardNotice, News
from pbm_oust.play.rulings import id_of, request_of
from pbm_oust.play.starting import LimitReached, Rejected, check_two, objections, post_board
from pbm_oust.play.telling import tell_players
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules.position import Kind
from pbm_oust.store.open_boards import next_number

_OVERRULED = (Rejected, LimitReached)
"""What players have settled about challenges of others does not hold for the operator."""


@dataclass(frozen=True, slots=True)
class SetUp:
    """A board that was set up."""

    game: Game
    overruled: tuple[NotAllowed, ...]
    """Why one of its players could not have challenged the other one."""


def set_up_board(
    kind: Kind, header: Callable[[UnitOfWork, int], Header], work: UnitOfWork, reason: str
) -> SetUp:
    """Set a board up and show it to both players; `reason` is what the operator writes to them.

    `header` is given the number of the board. Raises NotAllowed, also if a player has signed off or
    is disabled.
    """

    def deed(work: UnitOfWork) -> SetUp:
        game = Game.start(header(work, next_number(work.home, kind)))
        check_two(game.x, game.o)
        x, o = work.account(game.x), work.account(game.o)
        against = (*objections(x, o.userid, work.home), *objections(o, x.userid, work.home))
        for objection in against:
            if not isinstance(objection.reason, _OVERRULED):
                raise objection
        key = id_of(game.name, "challenge", game.x, game.o)
        request = request_of(key)
        make = partial(BoardNotice, is_set_up=True)
        notices = tell_players(
            game, News.STARTED, work, request, actor=None, chat=reason, make=make
        )
        post_board(game, notices, key, request, work)
        return SetUp(game, against)

    return work.retried(deed)
