"""Starting a board from a position of another one."""

from dataclasses import replace

from pbm_oust.actions.desk import Desk
from pbm_oust.actions.request import Action, Handled, Request
from pbm_oust.actions.starting import challenger_of, start_board
from pbm_oust.boards import read_game
from pbm_oust.commands.challenge import Replay
from pbm_oust.game import Game
from pbm_oust.header import Header
from pbm_oust.origin import Origin, steps_of
from pbm_oust.refusal import Barred, NotAllowed


def replay(command: Replay, request: Request, desk: Desk) -> Handled:
    """Start an unrated board from the position of another one and show it to both players."""
    actor = challenger_of(command.x, command.o, request, desk)
    old = read_game(desk.home, command.kind, command.board)
    origin = origin_after(old, command.number)

    def header(number: int) -> Header:
        terms = replace(old.header.terms, swap=False, rated=False)
        kind, grid, now = command.kind, old.header.grid, desk.now()
        return Header(kind, number, grid, command.x, command.o, terms, now, origin)

    return start_board(command.kind, header, actor, request, desk)


def origin_after(game: Game, number: int) -> Origin:
    """Return where a board begins that continues a game after its record of a number.

    Raises NotAllowed where it has no such record or was over then.
    """
    if number > len(game.records):
        raise NotAllowed(Barred.NO_SUCH_RECORD, f"#{number}", game=game, number=number)
    past = game.after(number)
    if past.position.result:
        raise NotAllowed(Barred.REPLAY_OF_THE_END, game=game, number=number)
    steps = game.header.origin.steps if game.header.origin else ()
    for record in past.line:
        steps += steps_of(record.side, record.action)
    return Origin(game.header.board, number, steps)


UNSIGNED: dict[type, Action] = {Replay: replay}
