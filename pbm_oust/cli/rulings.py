"""`pbm-oust games void`, `award` and `adopt`: the operator rules on a board."""

import sys

import click

from pbm_oust.board.game import Game
from pbm_oust.board.notation import format_ruling
from pbm_oust.board.reasons import GameOver, SamePlayer
from pbm_oust.board.record import Ruling, Verb
from pbm_oust.cli.operator import KIND, Operator, Refused, now, pass_operator
from pbm_oust.cli.sweeping import hand_over
from pbm_oust.cli.terminal import ask, say
from pbm_oust.doctor.finding import counted
from pbm_oust.grammar.values import read_userid
from pbm_oust.mail.inbound import open_inbound
from pbm_oust.play.rulings import rule_board
from pbm_oust.refusal import Refusal
from pbm_oust.rules.position import Kind, Side
from pbm_oust.store.faults import AccountDamaged
from pbm_oust.store.histories import NoSuchBoard
from pbm_oust.store.open_boards import DamagedHistory, read_game

DRAW = "draw"

board_number = click.argument("board", type=click.IntRange(min=1))
kind_name = click.argument("kind", type=KIND)
yes_option = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")


@click.command()
@kind_name
@board_number
@yes_option
@pass_operator
def void(operator: Operator, kind: Kind, board: int, yes: bool) -> None:
    """End a game as never begun. This is recorded, and both players are told."""
    _rule(operator, kind, board, Ruling(Verb.VOID), "end it as never begun", yes)


@click.command()
@kind_name
@board_number
@click.argument("winner", type=click.Choice([*(side.value for side in Side), DRAW]))
@yes_option
@pass_operator
def award(operator: Operator, kind: Kind, board: int, winner: str, yes: bool) -> None:
    """End a game: a side wins, or it is a draw. This is recorded, and both players are told."""
    side = None if winner == DRAW else Side(winner)
    what = f"end it as won by {winner}" if side else "end it as a draw"
    _rule(operator, kind, board, Ruling(Verb.AWARD, side), what, yes)


@click.command()
@kind_name
@board_number
@click.argument("side", type=click.Choice([side.value for side in Side]))
@click.argument("userid")
@yes_option
@pass_operator
def adopt(operator: Operator, kind: Kind, board: int, side: str, userid: str, yes: bool) -> None:
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
    _rule(operator, kind, board, ruling, f"hand {side} to {player}", yes)


def _rule(operator: Operator, kind: Kind, board: int, ruling: Ruling, what: str, yes: bool) -> None:
    """Do it after the operator has seen the board as it is and has said yes."""
    home = operator.prepared_home()
    home.recover()
    try:
        seen = read_game(home, kind, board)
        if seen.result:
            raise Refused(f"{seen.name} is over")
        if not yes:
            _ask(seen, what)

        def decide(game: Game) -> Ruling:
            if game.records != seen.records:
                raise Refused(f"{game.name} has changed meanwhile; look at it again")
            return ruling

        rule_board(
            open_inbound(home, operator.configuration.address, now).work, kind, board, decide
        )
    except Refusal as refusal:
        raise Refused(_reason(refusal, kind, board)) from None
    except (DamagedHistory, AccountDamaged) as damage:
        raise Refused(str(damage)) from None
    say(f"{kind.name} {board}: {format_ruling(ruling)}")
    hand_over(operator)


def _ask(game: Game, what: str) -> None:
    if not sys.stdin.isatty():
        raise click.UsageError("give --yes where nobody can be asked")
    players = f"{game.x} (x) - {game.o} (o)"
    records = counted(len(game.records), "record")
    ask(f"{game.name}, {players}, {records}: {what}?")


def _reason(refusal: Refusal, kind: Kind, board: int) -> str:
    name = f"{kind.name} {board}"
    match refusal.reason:
        case NoSuchBoard():
            return f"there is no board {name}"
        case GameOver():
            return f"{name} is over"
        case SamePlayer():
            return f"{refusal.culprit} plays on {name} already"
        case _:
            return str(refusal)
