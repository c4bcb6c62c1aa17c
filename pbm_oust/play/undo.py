"""Taking back a move without asking, as long as the other player does not know of it."""

from pbm_oust.board.record import Deed
from dataclasses import replace
from pbm_oust.play.causes import incoming
from pbm_oust.play.notices import BoardNotice, News, Notice
from pbm_oust.play.outcome import Handled, Outcome
from pbm_oust.play.request import Actor, Request
from pbm_oust.play.telling import tell_players
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.play.unsent import untold_letters
from pbm_oust.refusal import Refusal
from pbm_oust.rules.position import Side
from pbm_oust.store.letters import take_back_letter
from pbm_oust.store.open_boards import OpenBoard


def take_back(
    board: OpenBoard, side: Side, actor: Actor, request: Request, work: UnitOfWork
) -> Handled | None:
    """Take back the latest move of a player, if the other one has not been mailed anything since.

    Returns None if that is in doubt, so that the other player must be asked. The letters that
    would have told of the move are removed from the outbox along with it.
    """
    game, home = board.game, work.home
    other = game.owner(side.other)
    try:
        acted = game.act(side, Deed.RETRACT, game.time_of_next(work.now()), actor.message_key)
    except Refusal:
        return None
    since = game.line[-1].number
    if not work.has_account(other) or any(each.side is not side for each in game.records[since:]):
        return None
    letters = untold_letters(game, since, work.account(other), home)
    if letters is None:
        return None
    notices = tell_players(acted, News.PLAYED, work, request, actor=actor.account)
    told = [_untold(notice, other) for notice in notices if notice.reader.userid != other]
    with work.posting(told, request):
        board.append(acted, incoming(actor, request, work))
        home.withhold(letter.file for letter in letters if letter.file)
        for letter in letters:
            home.do(take_back_letter, letter)
    return Handled(Outcome.DONE, acted.name, len(acted.records))


def _untold(notice: Notice, other: str) -> Notice:
    """Return the answer to the actor, saying that the other player knows nothing of the move."""
    if isinstance(notice, BoardNotice) and notice.reader.asked:
        return replace(notice, untold=other)
    return notice
