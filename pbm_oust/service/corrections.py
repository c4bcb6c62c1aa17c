"""The line to send instead of one that was refused. Pure."""

from pbm_oust.board.game import Game
from pbm_oust.board.reasons import AfterTurn, AgainstRules, board_of
from pbm_oust.board.record import Place, Wish
from pbm_oust.commands.broadcast import Broadcast
from pbm_oust.commands.challenge import Challenge, UnusableGrid
from pbm_oust.commands.notes import TakeNote
from pbm_oust.commands.play import Move, Preview
from pbm_oust.commands.queue import Queue, YourOwnTurn
from pbm_oust.commands.seek import Join, NoSuchSeek, OwnSeek, Withdraw
from pbm_oust.commands.show import Show
from pbm_oust.commands.submit import ChangedSinceSubmit, Confirm, Submit
from pbm_oust.commands.talk import Chat, Message, NothingWritten
from pbm_oust.commands.vacation import Ask, Leave, Vacation, VacationOverlaps, VacationTooLong
from pbm_oust.commands.verify import UseridTaken, Verify
from pbm_oust.commands.watch import Unwatch, Watch
from pbm_oust.grammar.suggest import legal_near, move_line, next_wish, possible_wish
from pbm_oust.play.moving import OldAnswer, OtherRecord
from pbm_oust.play.request import RefusedBefore
from pbm_oust.refusal import Refusal
from pbm_oust.service.table import Command
from pbm_oust.store.histories import NoSuchBoard


def advise(command: Command, refusal: Refusal) -> str | None:
    """Return a line that would be right where `command` was refused, or None if none is known."""
    match refusal.reason, command:
        case UseridTaken(free=free), Verify():
            return f"signup {free} PASSWORD"
        case NoSuchBoard(), Move() | Queue() | Submit() | Confirm() | Chat():
            return f"{command.kind.name} games {command.userid}"
        case NothingWritten(), Chat():
            return f"{command.kind.name} chat {command.board} {command.userid} PASSWORD"
        case NothingWritten(), Message():
            return f"message {command.userid} PASSWORD {' '.join(command.to)}"
        case VacationTooLong(left=left), Vacation(asked=Leave() as asked) if left:
            return f"vacation {command.userid} PASSWORD {asked.first} {left}"
        case VacationOverlaps(), Vacation():
            return f"vacation {command.userid} PASSWORD {Ask.CANCEL.value}"
        case NothingWritten(), Broadcast():
            return f"broadcast {command.userid} PASSWORD"
        case NoSuchBoard(), Show() | Preview() | TakeNote() | Watch() | Unwatch():
            return f"{command.kind.name} games"
        case NoSuchSeek() | OwnSeek(), Join() | Withdraw():
            return f"list {command.kind.name}"
        case UnusableGrid(), Challenge():
            return f"{command.kind.name} challenge {command.x} {command.o}"
    game = board_of(refusal.reason)
    if game is None:
        return None
    if isinstance(refusal.reason, YourOwnTurn) and isinstance(command, Queue):
        first = command.clauses[0]
        wish = next_wish(game) if first.condition else possible_wish(game, first.answer)
        return move_line(game, command.userid, wish) if wish else None
    if isinstance(refusal.reason, OtherRecord) and isinstance(command, Queue):
        clauses = "; ".join(map(str, command.clauses))
        line = f"{game.header.kind.name} queue {command.board} {command.userid} PASSWORD"
        return f"{line} {clauses}#{game.next_number}"
    if isinstance(refusal.reason, ChangedSinceSubmit) and isinstance(command, Confirm):
        return (
            f"{game.header.kind.name} submit {command.board} {command.userid} PASSWORD PLACEMENTS"
        )
    if isinstance(command, Submit):
        as_move = advise(_as_move(command), refusal)
        return as_move and as_move.replace(" move ", " submit ", 1)
    if not isinstance(command, Move) or game.player_to_move != command.userid or game.result:
        return f"{game.header.kind.name} show {game.header.board}"
    wish = _wish_instead(command, refusal, game)
    return move_line(game, command.userid, wish) if wish else None


def _as_move(command: Submit) -> Move:
    """Return the move that was submitted."""
    kind, board, wish = command.kind, command.board, command.wish
    return Move(kind, board, command.userid, command.password, wish, command.guard)


def _wish_instead(command: Move, refusal: Refusal, game: Game) -> Wish | None:
    match refusal.reason:
        case OtherRecord() | RefusedBefore():
            return command.wish
        case OldAnswer():
            return possible_wish(game, command.wish)
        case AfterTurn(played=played):
            return Place(played)
        case AgainstRules(played=played) as reason:
            near = legal_near(reason, refusal.culprit)
            return Place((*played, *near[:1]))
    return next_wish(game)
