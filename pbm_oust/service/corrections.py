"""The line to send instead of one that was refused. Pure."""

from pbm_oust.board.game import Game
from pbm_oust.board.reasons import AfterTurn, AgainstRules
from pbm_oust.board.record import Place, Wish
from pbm_oust.commands.broadcast import Broadcast
from pbm_oust.commands.challenge import Challenge
from pbm_oust.commands.notes import TakeNote
from pbm_oust.commands.play import Move, Preview
from pbm_oust.commands.queue import Queue
from pbm_oust.commands.seek import Join, Withdraw
from pbm_oust.commands.show import Show
from pbm_oust.commands.submit import Confirm, Submit
from pbm_oust.commands.talk import Chat, Message
from pbm_oust.commands.vacation import Ask, Leave, Vacation
from pbm_oust.commands.verify import Verify
from pbm_oust.commands.watch import Unwatch, Watch
from pbm_oust.grammar.suggest import legal_near, move_line, next_wish, possible_wish
from pbm_oust.refusal import Barred, Refusal
from pbm_oust.service.table import Command


def advise(command: Command, refusal: Refusal) -> str | None:
    """Return a line that would be right where `command` was refused, or None if none is known."""
    match refusal.reason, command:
        case Barred.USERID_TAKEN, Verify():
            return f"signup {refusal.facts['free']} PASSWORD"
        case Barred.NO_SUCH_BOARD, Move() | Queue() | Submit() | Confirm() | Chat():
            return f"{command.kind.name} games {command.userid}"
        case Barred.NOTHING_WRITTEN, Chat():
            return f"{command.kind.name} chat {command.board} {command.userid} PASSWORD"
        case Barred.NOTHING_WRITTEN, Message():
            return f"message {command.userid} PASSWORD {' '.join(command.to)}"
        case Barred.VACATION_TOO_LONG, Vacation(asked=Leave() as asked) if refusal.facts["left"]:
            return f"vacation {command.userid} PASSWORD {asked.first} {refusal.facts['left']}"
        case Barred.VACATION_OVERLAPS, Vacation():
            return f"vacation {command.userid} PASSWORD {Ask.CANCEL.value}"
        case Barred.NOTHING_WRITTEN, Broadcast():
            return f"broadcast {command.userid} PASSWORD"
        case Barred.NO_SUCH_BOARD, Show() | Preview() | TakeNote() | Watch() | Unwatch():
            return f"{command.kind.name} games"
        case Barred.NO_SUCH_SEEK | Barred.OWN_SEEK, Join() | Withdraw():
            return f"list {command.kind.name}"
        case Barred.UNUSABLE_GRID, Challenge():
            return f"{command.kind.name} challenge {command.x} {command.o}"
    game = refusal.facts.get("game")
    if not isinstance(game, Game):
        return None
    if refusal.reason is Barred.YOUR_OWN_TURN and isinstance(command, Queue):
        first = command.clauses[0]
        wish = next_wish(game) if first.condition else possible_wish(game, first.answer)
        return move_line(game, command.userid, wish) if wish else None
    if refusal.reason is Barred.OTHER_RECORD and isinstance(command, Queue):
        clauses = "; ".join(map(str, command.clauses))
        line = f"{game.header.kind.name} queue {command.board} {command.userid} PASSWORD"
        return f"{line} {clauses}#{game.next_number}"
    if refusal.reason is Barred.BOARD_CHANGED and isinstance(command, Confirm):
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
        case Barred.OTHER_RECORD | Barred.REFUSED_BEFORE:
            return command.wish
        case Barred.OLD_ANSWER:
            return possible_wish(game, command.wish)
        case AfterTurn(played=played):
            return Place(played)
        case AgainstRules(played=played) as reason:
            near = legal_near(reason, refusal.culprit)
            return Place((*played, *near[:1]))
    return next_wish(game)
