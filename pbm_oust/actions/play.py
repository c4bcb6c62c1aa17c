"""Playing: challenges and moves."""

from collections.abc import Callable

from pbm_oust.actions.acting import check_guard, side_of
from pbm_oust.actions.desk import Desk
from pbm_oust.actions.request import Action, Actor, Handled, Request
from pbm_oust.actions.returning import end_absence, with_return
from pbm_oust.actions.starting import challenger_of, start_board
from pbm_oust.actions.telling import answer_again, tell_players
from pbm_oust.actions.undo import take_back
from pbm_oust.boards import open_board, read_game
from pbm_oust.commands.challenge import Challenge
from pbm_oust.commands.masking import without_passwords
from pbm_oust.commands.play import Move, Preview
from pbm_oust.commands.queue import Confirm
from pbm_oust.following import Orders, follow, orders_of
from pbm_oust.game import Game
from pbm_oust.header import Header
from pbm_oust.notices import BoardNotice, News
from pbm_oust.record import Deed, Wish
from pbm_oust.recovery import board_place
from pbm_oust.refusal import Barred, NotAllowed


def move(command: Move, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Add a record to a board, with what follows from it, and show the board to both players."""

    def wished(game: Game) -> Wish:
        check_guard(command.guard, game)
        return command.wish

    return carry_out(command, wished, actor, request, desk)


def carry_out(
    command: Move | Confirm,
    wished: Callable[[Game], Wish],
    actor: Actor,
    request: Request,
    desk: Desk,
) -> Handled:
    """Do what a player wishes on a board, once however often the mail comes.

    `wished` is given the game, which is held, and may raise NotAllowed.
    """
    with open_board(desk.home, command.kind, command.board) as board:
        game = acted = board.game
        if not game.has_cause(actor.cause):
            side = side_of(actor, game, desk)
            wish = wished(game)
            if wish is Deed.UNDO and (handled := take_back(board, side, actor, request, desk)):
                return handled
            acted = game.act(side, wish, max(desk.now(), game.latest), actor.cause)
        # A machine that stopped may have written a move and not what follows from it.
        acted = follow(acted, _orders_on(acted, desk), max(desk.now(), acted.latest))
        if acted is game:
            board.complete()
            end_absence(actor.account, game, actor.cause, desk)
            return answer_again(game, actor, request, desk)
        chat = without_passwords(request.chat, command.password)
        own = next(record for record in acted.records if record.cause == actor.cause)
        notices = tell_players(
            acted,
            News.PLAYED,
            desk,
            request,
            actor=actor.account,
            chat=chat,
            told_from=own.number,
        )
        notices = with_return(notices, actor.account, own, acted, desk)
        place = board_place(command.kind.name, command.board)
        with desk.posting(notices, request, actor.cause, place):
            board.append(acted)
        end_absence(actor.account, acted, actor.cause, desk)
    return Handled("played", acted.name, len(acted.records))


def preview(command: Preview, request: Request, desk: Desk) -> Handled:
    """Show a board as it would be after some placements."""
    game = read_game(desk.home, command.kind, command.board)
    check_guard(command.guard, game)
    acted = game.act(game.to_move, command.wish, desk.now(), request.cause(request.sender))
    notice = BoardNotice(desk.sender_of(request), News.PREVIEW, acted)
    return desk.answer(notice, request, Handled("previewed", game.name))


def challenge(command: Challenge, request: Request, desk: Desk) -> Handled:
    """Start a board and show it to both players."""
    actor = challenger_of(command.x, command.o, request, desk)
    if not command.kind.can_use(command.grid):
        raise NotAllowed(Barred.UNUSABLE_GRID, kind=command.kind, grid=command.grid)

    def header(number: int) -> Header:
        return Header(
            kind=command.kind,
            board=number,
            grid=command.grid,
            x=command.x,
            o=command.o,
            terms=command.terms,
            started=desk.now(),
        )

    return start_board(command.kind, header, actor, request, desk)


def _orders_on(game: Game, desk: Desk) -> dict[str, Orders]:
    """Return what the players of a board have settled ahead, by userid."""
    players = filter(desk.has_account, (game.x, game.o))
    return {userid: orders_of(desk.account(userid)) for userid in players}


SIGNED: dict[type, Action] = {Move: move}
UNSIGNED: dict[type, Action] = {Challenge: challenge, Preview: preview}
