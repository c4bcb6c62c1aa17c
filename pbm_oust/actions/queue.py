"""Queueing turns that are played when the other player has made his."""

from pbm_oust.actions.acting import check_guard, is_over, side_of
from pbm_oust.actions.desk import Desk
from pbm_oust.actions.request import Action, Actor, Handled, Request
from pbm_oust.boards import open_board
from pbm_oust.commands.queue import Queue, Queueing
from pbm_oust.game import Game
from pbm_oust.notation import format_wish
from pbm_oust.notices import Told
from pbm_oust.plans import Clause, Plan, plans_of, waiting, with_plans
from pbm_oust.players import Account
from pbm_oust.record import Place, Wish
from pbm_oust.refusal import Barred, Illegal, NotAllowed, Refusal, Unlawful
from pbm_oust.rules.grid import NoSuchCell

_NO_CAUSE = "0" * 16
"""The id of records that are only imagined."""


def queue(command: Queue, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Settle what to play on a board when the other player has made his turn, or show or clear it.

    What is queued takes the place of what was queued on the board before.
    """
    with open_board(desk.home, command.kind, command.board) as board:
        game = board.game

        def tell(account: Account) -> tuple[Told, list[Told]]:
            facts = {"game": game, "plans": [each.clause for each in waiting(account, game)]}
            return Told(desk.player_at(account, request), "queued", facts), []

        def change(account: Account) -> Account:
            side_of(actor, game, desk)
            others = (plan for plan in plans_of(account) if not plan.is_on(game))
            kept = tuple(plan for plan in others if not is_over(plan.kind, plan.board, desk))
            if command.queueing is Queueing.CLEAR:
                return with_plans(account, kept)
            _check(command, game)
            added = (
                Plan(command.kind.name, command.board, game.next_number, actor.cause, clause)
                for clause in command.clauses
            )
            return with_plans(account, (*kept, *added))

        if command.queueing is Queueing.SHOW:
            if game.side_of(actor.userid) is None:
                raise NotAllowed(Barred.NOT_ON_BOARD, game=game, userid=actor.userid)
            return desk.answer(tell(actor.account)[0], request)
        return desk.change_account(change, tell, actor, request, Handled("queued", game.name))


def _check(command: Queue, game: Game) -> None:
    """Raise a refusal for what can never be played as it was queued."""
    if game.result:
        raise NotAllowed(Barred.GAME_OVER, game=game)
    if game.player_to_move == command.userid:
        raise NotAllowed(Barred.YOUR_OWN_TURN, game=game)
    check_guard(command.guard, game)
    for clause in command.clauses:
        _check_cells(clause, game)
        if clause.condition:
            _check_answer(clause.condition, clause.answer, game, command.userid)


def _check_cells(clause: Clause, game: Game) -> None:
    """Raise Illegal for a cell that the grid does not have."""
    cells = clause.answer.cells if isinstance(clause.answer, Place) else ()
    for nth, cell in enumerate(cells, 1):
        try:
            game.header.grid.parse_cell(cell)
        except NoSuchCell:
            raise Illegal(Unlawful.OFF_GRID, cell, game=game, nth=nth) from None


def _check_answer(turn: Wish, answer: Wish, game: Game, userid: str) -> None:
    """Raise a refusal where the other player cannot make the turn, or it cannot be answered so."""
    condition = format_wish(turn)
    try:
        supposed = game.act(game.to_move, turn, game.latest, _NO_CAUSE)
    except Refusal as refusal:
        refusal.facts["told_to"] = game.player_to_move
        raise
    if supposed.result:
        raise NotAllowed(Barred.PLAN_AFTER_END, game=game, condition=condition)
    if supposed.player_to_move != userid:
        raise NotAllowed(Barred.PLAN_WITHIN_TURN, game=game, condition=condition)
    try:
        supposed.act(supposed.to_move, answer, game.latest, _NO_CAUSE)
    except Refusal as refusal:
        refusal.facts["supposed"] = condition
        raise


SIGNED: dict[type, Action] = {Queue: queue}
