"""Playing: challenges and moves."""

from datetime import timedelta

from pbm_oust.actions.desk import Action, Actor, Desk, Handled, Request
from pbm_oust.actions.inviting import check_willing
from pbm_oust.actions.returning import end_absence, with_return
from pbm_oust.actions.telling import tell_players
from pbm_oust.boards import challenge_remark, find_challenge, open_board, read_game
from pbm_oust.commands.challenge import Challenge
from pbm_oust.commands.play import Move, Preview
from pbm_oust.commands.table import without_passwords
from pbm_oust.game import Game
from pbm_oust.header import Header
from pbm_oust.notation import format_header
from pbm_oust.notes import note_about
from pbm_oust.notices import BoardNotice, News
from pbm_oust.outbox import NOWHERE
from pbm_oust.recovery import board_place
from pbm_oust.refusal import Barred, NotAllowed

MEMORY = timedelta(days=30)
"""How long a challenge is known when the same mail comes again."""


def move(command: Move, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Add a record to a board and show the board to both players."""
    cause = actor.cause
    with open_board(desk.home, command.kind, command.board) as board:
        game = board.game
        if game.has_cause(cause):
            board.complete()
            end_absence(actor.account, game, cause, desk)
            return _answer_again(game, actor, request, desk)
        if desk.home.journal.ending(cause):
            raise NotAllowed(Barred.REFUSED_BEFORE, game=game)
        side = game.side_of(actor.userid)
        if side is None:
            raise NotAllowed(Barred.NOT_ON_BOARD, game=game, userid=actor.userid)
        _check_guard(command, game)
        acted = game.act(side, command.wish, max(desk.now(), game.latest), cause)
        chat = without_passwords(request.chat, command.password)
        notices = tell_players(acted, News.PLAYED, desk, request, actor=actor.account, chat=chat)
        notices = with_return(notices, actor.account, acted, desk)
        with desk.posting(notices, request, cause, board_place(command.kind.name, command.board)):
            board.append(acted)
        end_absence(actor.account, acted, cause, desk)
    return Handled("played", acted.name, len(acted.records))


def preview(command: Preview, request: Request, desk: Desk) -> Handled:
    """Show a board as it would be after some placements."""
    game = read_game(desk.home, command.kind, command.board)
    _check_guard(command, game)
    acted = game.act(game.to_move, command.wish, desk.now(), request.cause(request.sender))
    notice = BoardNotice(desk.sender_of(request), News.PREVIEW, acted)
    return desk.answer(notice, request, Handled("previewed", game.name))


def challenge(command: Challenge, request: Request, desk: Desk) -> Handled:
    """Start a board and show it to both players."""
    if not command.kind.can_use(command.grid):
        raise NotAllowed(Barred.UNUSABLE_GRID, kind=command.kind, grid=command.grid)
    found = [desk.account_if_any(userid) for userid in (command.x, command.o)]
    challenger = next((each for each in found if each and each.has_address(request.sender)), None)
    if challenger is None:
        raise NotAllowed(Barred.STRANGE_ADDRESS)
    if command.x == command.o:
        raise NotAllowed(Barred.SAME_PLAYER, command.x)
    actor = Actor(challenger, request.cause(challenger.userid))
    with desk.home.next_board(command.kind.name) as number:
        known = find_challenge(desk.home, command.kind, actor.cause, desk.now() - MEMORY)
        if known:
            return _answer_again(known, actor, request, desk)
        for userid in (command.x, command.o):
            check_willing(desk.account(userid), challenger.userid, desk.home)
        header = Header(
            kind=command.kind,
            board=number,
            grid=command.grid,
            x=command.x,
            o=command.o,
            terms=command.terms,
            started=desk.now(),
        )
        game = Game.start(header)
        chat = without_passwords(request.chat)
        notices = tell_players(game, News.STARTED, desk, request, actor=challenger, chat=chat)
        with desk.posting(notices, request, actor.cause, board_place(command.kind.name, number)):
            history = format_header(header) + challenge_remark(actor.cause)
            desk.home.create_history(command.kind.name, number, history)
    return Handled("started", game.name)


def _check_guard(command: Move | Preview, game: Game) -> None:
    guard = command.guard
    if guard is not None and not game.meets_guard(guard):
        raise NotAllowed(Barred.OTHER_RECORD, f"#{guard}", game=game, guard=guard)


def _answer_again(game: Game, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Tell a player that the command was done when the mail came the first time."""
    kind, board = game.header.kind.name, game.header.board
    desk.home.sync_history(kind, board)
    desk.home.outbox.finish(actor.cause, board_place(kind, board))
    reader, note = desk.player_at(actor.account, request), note_about(actor.account, game.name)
    repeated = BoardNotice(reader, News.DONE_BEFORE, game, note=note)
    with desk.posting([repeated], request, actor.cause, NOWHERE):
        return Handled("done before", game.name)


SIGNED: dict[type, Action] = {Move: move}
UNSIGNED: dict[type, Action] = {Challenge: challenge, Preview: preview}
