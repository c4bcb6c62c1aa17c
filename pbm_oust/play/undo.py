"""Taking one's latest move back without asking, as long as the other player does not know of it."""

from dataclasses import replace

from pbm_oust.accounts.account import Account
from pbm_oust.board.game import Game
from pbm_oust.board.record import Deed
from pbm_oust.play.notices import BoardNotice, News, Notice
from pbm_oust.play.outcome import Handled, Outcome
from pbm_oust.play.request import Actor, Request
from pbm_oust.play.telling import tell_players
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.play.unsent import letters_to, untold_letters
from pbm_oust.refusal import Refusal
from pbm_oust.rules.position import Side
from pbm_oust.store.open_boards import OpenBoard
from pbm_oust.store.recovery import board_place


def take_back(
    board: OpenBoard, side: Side, actor: Actor, request: Request, work: UnitOfWork
) -> Handled | None:
    """Take the latest move of a player back if the other one has not been mailed anything since.

    None where that is in doubt, so that he has to be asked. The letters that would have told him
    are removed from the outbox after the record is written. Whatever stops this on its way leaves
    letters that fit together: those about the move together with the one that takes it back.
    """
    game, home = board.game, work.home
    other = game.owner(side.other)
    try:
        acted = game.act(side, Deed.RETRACT, max(work.now(), game.latest), actor.cause)
    except Refusal:
        return None
    since = game.line[-1].number
    if not work.has_account(other) or any(each.side is not side for each in game.records[since:]):
        return None
    account = work.account(other)
    with home.outbox.held_back() as is_held:
        names = untold_letters(game, since, account, home) if is_held else None
        if names is None:
            return None
        notices = tell_players(acted, News.PLAYED, work, request, actor=actor.account)
        answered = [_untold(notice, other) for notice in notices]
        place = board_place(game.header.kind.name, game.header.board)
        with work.posting(answered, request, actor.cause, place):
            board.append(acted)
        for name in [*names, *_letters_about(acted, account, work)]:
            home.outbox.remove(name)
    return Handled(Outcome.DONE, acted.name, len(acted.records))


def _untold(notice: Notice, other: str) -> Notice:
    """Return the answer to the actor with the word that the other player knows nothing."""
    if isinstance(notice, BoardNotice) and notice.reader.asked:
        return replace(notice, untold=other)
    return notice


def _letters_about(acted: Game, player: Account, work: UnitOfWork) -> list[str]:
    """Return the names of the letters that tell a player of the latest record."""
    number = len(acted.records)
    letters = letters_to(player, work.home)
    told = (letter for letter in letters if letter.tells_of(acted, number))
    return [letter.name for letter in told if not letter.is_answer]
