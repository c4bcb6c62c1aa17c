"""What to send instead of a command that was refused. Pure.

A command knows that itself, in `instead`. This module has what is the same for all commands.
"""

from pbm_oust.accounts.queue import Clause
from pbm_oust.board.game import Game
from pbm_oust.board.reasons import NotYourTurn, board_of
from pbm_oust.board.record import PLAYING, Place
from pbm_oust.commands.lists import Games
from pbm_oust.commands.play import Move, Preview
from pbm_oust.commands.queue import Queue, Queueing
from pbm_oust.commands.show import board_as_it_is
from pbm_oust.commands.submit import Submit
from pbm_oust.commands.talk import NothingWritten
from dataclasses import replace
from pbm_oust.grammar.command import Command, Partial
from pbm_oust.grammar.suggest import next_wish
from pbm_oust.grammar.values import Filter
from pbm_oust.refusal import Refusal
from pbm_oust.rules.position import Kind
from pbm_oust.service.table import form_of
from pbm_oust.store.boards import NoSuchBoard


def advise(command: Command, refusal: Refusal) -> Command | Partial | None:
    """Return what to send instead of a command that was refused, or None if nothing is known."""
    own = command.instead(refusal)
    if own:
        return own
    if isinstance(command, Move) and isinstance(refusal.reason, NotYourTurn):
        return _queued(command, refusal.reason.game)
    if isinstance(refusal.reason, NothingWritten):
        return command
    given = form_of(command).given(command)
    kind, userid = given.get("kind"), given.get("userid")
    if isinstance(refusal.reason, NoSuchBoard) and isinstance(kind, Kind):
        return Games(kind, (userid,) if isinstance(userid, str) else (), Filter.ACTIVE)
    game = board_of(refusal.reason)
    return board_as_it_is(game) if game else None


def _queued(move: Move, game: Game) -> Command:
    """Return the command that queues a move, or that shows the board if it could not be played."""
    queue = Queue(
        move.kind,
        move.board,
        move.userid,
        move.password,
        Queueing.SET,
        (Clause(move.wish),),
        guard=None,
    )
    try:
        queue.try_on(game)
    except Refusal:
        return board_as_it_is(game)
    return queue if isinstance(move.wish, Place) or move.wish in PLAYING else board_as_it_is(game)


def tried(meant: Command | Partial, game: Game) -> Command | Partial | None:
    """Return what was probably meant, if it can be done on a board; otherwise what can be done.

    Only what the board alone decides is tried.
    """
    whole = form_of(meant).whole(meant)
    if whole is None:
        return meant
    try:
        whole.try_on(game)
    except Refusal as refusal:
        return advise(whole, refusal)
    return meant


def filled(meant: Command | Partial, game: Game, userid: str) -> Command | Partial:
    """Return what a player probably meant, with what the letter about a board knows.

    Where a move is missing, an example stands for it.
    """
    if isinstance(meant, Command):
        return meant
    header = game.header
    known: dict[str, object] = {"kind": header.kind, "board": header.board, "userid": userid}
    if meant.command in (Move, Preview, Submit):
        known |= {"wish": next_wish(game), "guard": None}
    names = form_of(meant).names
    return replace(meant, given={name: known[name] for name in names if name in known})
