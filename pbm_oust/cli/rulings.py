"""`pbm-oust games void`, `award`, `adopt`, `extend` and `undo`: the operator rules on a board."""

import re
import sys
from collections.abc import Callable

import click

from pbm_oust.board.game import Game, before_latest_turn
from pbm_oust.board.notation import format_ruling, format_time
from pbm_oust.board.reasons import GameOver, NothingToUndo, SamePlayer
from pbm_oust.board.record import Ruling, Verb
from pbm_oust.cli.completion import complete_boards
from pbm_oust.cli.operator import KIND, Operator, Parsed, Refused, pass_operator
from pbm_oust.cli.sweeping import hand_over
from pbm_oust.cli.terminal import ask, say
from pbm_oust.cli.work import unit_of_work
from pbm_oust.commands.challenge import LONGEST_TIME
from pbm_oust.doctor.finding import counted
from pbm_oust.grammar.values import read_userid
from pbm_oust.play.rulings import rule_board
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import Refusal
from pbm_oust.rules.position import Kind, Side
from pbm_oust.store.boards import NoSuchBoard
from pbm_oust.store.faults import AccountDamaged
from pbm_oust.store.open_boards import DamagedHistory, read_game

DRAW = "draw"

_DURATION = re.compile(r"([1-9][0-9]{0,3})([dw])")
_DAYS = {"d": 1, "w": 7}

Decide = Callable[[Game, UnitOfWork], Ruling]
"""Returns what to do to a board as it is. Raises Refused or NotAllowed if that is not possible."""


def _read_duration(text: str) -> int:
    match = _DURATION.fullmatch(text.lower())
    days = int(match[1]) * _DAYS[match[2]] if match else 0
    if not 1 <= days <= LONGEST_TIME:
        raise ValueError(f"{text!r} is not written like 3d or 2w, and at most {LONGEST_TIME} days")
    return days


board_number = click.argument("board", type=click.IntRange(min=1), shell_complete=complete_boards)
kind_name = click.argument("kind", type=KIND)
yes_option = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
reason_option = click.option(
    "--reason", default="", metavar="TEXT", help="What to write to the players with it."
)


@click.command()
@kind_name
@board_number
@reason_option
@yes_option
@pass_operator
def void(operator: Operator, kind: Kind, board: int, reason: str, yes: bool) -> None:
    """End a game as never begun. This is recorded, and both players are told."""
    _rule(operator, kind, board, lambda _game, _work: Ruling(Verb.VOID), reason, yes)


@click.command()
@kind_name
@board_number
@click.argument("winner", type=click.Choice([*(side.value for side in Side), DRAW]))
@reason_option
@yes_option
@pass_operator
def award(operator: Operator, kind: Kind, board: int, winner: str, reason: str, yes: bool) -> None:
    """End a game: a side wins, or it is a draw. This is recorded, and both players are told."""
    ruling = Ruling(Verb.AWARD, None if winner == DRAW else Side(winner))
    _rule(operator, kind, board, lambda _game, _work: ruling, reason, yes)


@click.command()
@kind_name
@board_number
@click.argument("side", type=click.Choice([side.value for side in Side]))
@click.argument("userid")
@reason_option
@yes_option
@pass_operator
def adopt(
    operator: Operator, kind: Kind, board: int, side: str, userid: str, reason: str, yes: bool
) -> None:
    """Hand a side to another player.

    The player begins a new turn and has used no time. This is recorded, and both players and the
    previous owner of the side are told.
    """
    try:
        player = read_userid(userid)
    except Refusal:
        raise click.UsageError(f"{userid!r} is no userid") from None
    if operator.home.account(player) is None:
        raise Refused(f"there is no player {player}")
    ruling = Ruling(Verb.ADOPT, Side(side), player)
    _rule(operator, kind, board, lambda _game, _work: ruling, reason, yes)


@click.command()
@kind_name
@board_number
@click.argument("duration", type=Parsed("DURATION", _read_duration))
@reason_option
@yes_option
@pass_operator
def extend(
    operator: Operator, kind: Kind, board: int, duration: int, reason: str, yes: bool
) -> None:
    """Give the player to move more time.

    DURATION is in days or weeks, as in 3d or 2w. All limits of this turn end so much later, and so
    does the total time, if the game has one. A first reminder that has not come yet comes later
    too. This is recorded, and both players are told.
    """

    def decide(game: Game, work: UnitOfWork) -> Ruling:
        clock = work.clock_of(game)
        if clock.away:
            until = format_time(clock.away.end)
            raise Refused(
                f"{clock.player} is away until {until}, and the clock of {game.name} stands until"
                " then; extend it once it goes on"
            )
        return Ruling(Verb.EXTEND, game.to_move, days=duration)

    _rule(operator, kind, board, decide, reason, yes)


@click.command()
@kind_name
@board_number
@click.option(
    "--to",
    "number",
    type=click.IntRange(min=0),
    metavar="RECORD",
    help="Take all moves after this record back; 0 for all moves.",
)
@reason_option
@yes_option
@pass_operator
def undo(
    operator: Operator, kind: Kind, board: int, number: int | None, reason: str, yes: bool
) -> None:
    """Take the latest turn back, all parts of it.

    The records stay in the history. The player whose turn it is then begins a new turn. Answers to
    older mails no longer count. This is recorded, and both players get the board as it is then.
    """

    def decide(game: Game, work: UnitOfWork) -> Ruling:
        back_to = before_latest_turn(game) if number is None else number
        return Ruling(Verb.UNDO, back_to=back_to)

    _rule(operator, kind, board, decide, reason, yes)


def _rule(
    operator: Operator, kind: Kind, board: int, decide: Decide, reason: str, yes: bool
) -> None:
    """Do it after the operator has seen the board as it is and has said yes."""
    work = unit_of_work(operator)
    work.home.recover()
    try:
        seen = read_game(work.home, kind, board)
        if seen.result:
            raise Refused(f"{seen.name} is over")
        ruling = decide(seen, work)
        # What does not fit the board is refused before anybody is asked.
        seen.rule(ruling, seen.latest, "")
        if not yes:
            _ask(seen, ruling)

        def decide_again(game: Game) -> Ruling:
            if game.records != seen.records:
                raise Refused(f"{game.name} has changed meanwhile; look at it again")
            return decide(game, work)

        rule_board(work, kind, board, decide_again, reason)
    except Refusal as refusal:
        raise Refused(_reason(refusal, kind, board)) from None
    except (DamagedHistory, AccountDamaged) as damage:
        raise Refused(str(damage)) from None
    say(f"{kind.name} {board}: {format_ruling(ruling)}")
    hand_over(operator)


def _ask(game: Game, ruling: Ruling) -> None:
    if not sys.stdin.isatty():
        raise click.UsageError("give --yes where nobody can be asked")
    players = f"{game.x} (x) - {game.o} (o)"
    records = counted(len(game.records), "record")
    ask(f"{game.name}, {players}, {records}: {_words(game, ruling)}?")


def _words(game: Game, ruling: Ruling) -> str:
    """Return what the operator is asked about."""
    side = ruling.side.value if ruling.side else DRAW
    match ruling.verb:
        case Verb.AWARD:
            return f"end it as won by {side}" if ruling.side else "end it as a draw"
        case Verb.ADOPT:
            return f"hand {side} to {ruling.userid}"
        case Verb.EXTEND:
            return f"give {game.player_to_move} ({side}) {counted(ruling.days, 'day')} more"
        case Verb.UNDO:
            return f"take back all moves after record {ruling.back_to}"
        case _:
            return "end it as never begun"


def _reason(refusal: Refusal, kind: Kind, board: int) -> str:
    name = f"{kind.name} {board}"
    match refusal.reason:
        case NoSuchBoard():
            return f"there is no board {name}"
        case GameOver():
            return f"{name} is over"
        case SamePlayer():
            return f"{refusal.culprit} plays on {name} already"
        case NothingToUndo(game) if game.line:
            return f"no move is left to take back there; the latest on {name} is record " + str(
                game.line[-1].number
            )
        case NothingToUndo():
            return f"{name} has no move that could be taken back"
        case _:
            return str(refusal)
