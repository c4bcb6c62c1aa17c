"""What a house player does on a board: by the same service as everybody, and each thing once."""

from random import Random

from pbm_oust.accounts.tags import AnswerPurpose, Reply
from pbm_oust.board.notation import format_wish
from pbm_oust.board.record import Deed, Wish
from pbm_oust.play.request import Handled, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.robot.boards import Waiting
from pbm_oust.robot.player import LEVELS, Clock, Decision, Level, decide, takes_draw
from pbm_oust.robot.trees import Trees
from pbm_oust.service.service import handle


def level_of(userid: str) -> Level:
    """Return how well a house player plays; `house` plays as the first level."""
    return next((level for level in LEVELS if level.userid == userid), LEVELS[0])


def wishes_on(
    waiting: Waiting, seconds: float, clock: Clock, trees: Trees
) -> tuple[tuple[Wish, ...], Decision | None]:
    """Return what a house player does on a board, after thinking for at most some seconds.

    If that is a turn of its own, how it was decided comes with it.
    """
    game = waiting.game
    rng = Random(f"{game.name} {game.next_number}")  # a game # noqa: S311 # nosec B311
    if not waiting.is_offered or game.offer is None:
        decision = decide(game, seconds, rng, clock, trees)
        wishes = (decision.wish, Deed.PROPOSE) if decision.offers_draw else (decision.wish,)
        return wishes, decision
    if game.offer.action is Deed.PROPOSE:
        is_taken = takes_draw(game, seconds, rng, clock)
    else:
        is_taken = not game.header.terms.rated
    return (Deed.ACCEPT if is_taken else Deed.REJECT,), None


def act(waiting: Waiting, wish: Wish, number: int, work: UnitOfWork) -> Handled:
    """Do what a house player wishes as record `number`, unless the board has gone on.

    It is done once, however many processes ask for it.
    """
    header, userid = waiting.game.header, waiting.userid
    reply = Reply(AnswerPurpose.PLAY, header.kind.name, header.board, number, userid)
    identity = f"{userid} {waiting.game.name} #{number}"
    return handle(Request("", format_wish(wish), "", identity, reply=reply), work)
