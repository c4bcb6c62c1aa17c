"""The line to send instead of one that was refused. Pure."""

from pbm_oust.commands.accounts import Verify
from pbm_oust.commands.challenge import Challenge
from pbm_oust.commands.looking import Show
from pbm_oust.commands.personal import Broadcast, TakeNote, Unwatch, Watch
from pbm_oust.commands.play import Move, Preview, format_wish
from pbm_oust.commands.queue import Confirm, Queue, Submit
from pbm_oust.commands.seek import Join, Withdraw
from pbm_oust.commands.table import Command
from pbm_oust.commands.talk import Chat, Message
from pbm_oust.commands.vacation import Ask, Leave, Vacation
from pbm_oust.game import Game
from pbm_oust.record import Deed, Place, Wish
from pbm_oust.refusal import Barred, Refusal, Unlawful
from pbm_oust.rules.grid import Grid, NoSuchCell
from pbm_oust.rules.position import Position


def example(position: Position) -> str | None:
    """Return the name of a placement that the side to move has, a capturing one if there is one."""
    placements = position.capturing() or position.placements()
    return position.grid.names(placements)[0] if placements else None


def next_wish(game: Game) -> Wish | None:
    """Return something that the player to move could do now; None when the game is over."""
    if game.result:
        return None
    cell = example(game.position)
    return Place((cell,)) if cell else Deed.PASS


def move_line(game: Game, userid: str, wish: Wish) -> str:
    """Return the line that does something as the next record of a board."""
    words = format_wish(wish, game.next_number)
    return f"{game.header.kind.name} move {game.header.board} {userid} PASSWORD {words}"


def nearest(grid: Grid, cells: int, name: str) -> list[str]:
    """Return the names of a few of `cells`, those in fewest steps from the cell `name` first."""
    try:
        reached = grid.parse_cell(name)
    except NoSuchCell:
        return grid.names(cells)[:4]
    found: list[str] = []
    while len(found) < 4 and reached != grid.cells:
        ring = grid.neighbours(reached) & ~reached
        found += grid.names(ring & cells)
        reached |= ring
    return found[:4]


def legal_near(refusal: Refusal) -> list[str]:
    """Return a few placements that are legal where an illegal one was, nearest first."""
    game: Game = refusal.facts["game"]
    position: Position = refusal.facts.get("before", game.position)
    return nearest(game.header.grid, position.placements(), refusal.culprit)


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
        wish = next_wish(game) if first.condition else _possible(game, first.answer)
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


def _possible(game: Game, wish: Wish) -> Wish | None:
    """Return what the player to move wishes where he can do it, and else what he could do."""
    try:
        game.act(game.to_move, wish, game.latest, cause="")
    except Refusal:
        return next_wish(game)
    return wish


def _as_move(command: Submit) -> Move:
    """Return the move that was submitted."""
    kind, board, wish = command.kind, command.board, command.wish
    return Move(kind, board, command.userid, command.password, wish, command.guard)


def _wish_instead(command: Move, refusal: Refusal, game: Game) -> Wish | None:
    played: tuple[str, ...] = refusal.facts.get("played", ())
    match refusal.reason:
        case Barred.OTHER_RECORD | Barred.REFUSED_BEFORE:
            return command.wish
        case Barred.OLD_ANSWER:
            return _possible(game, command.wish)
        case Unlawful.AFTER_TURN:
            return Place(played)
        case Unlawful.AGAINST_RULES:
            near = legal_near(refusal)
            return Place((*played, *near[:1]))
    return next_wish(game)
