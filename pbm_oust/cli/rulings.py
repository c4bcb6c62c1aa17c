"""`pbm-oust games challenge`, `void`, `award`, `adopt`, `extend`, `undo`, and `sweep`.

The operator sets a board up, rules on it, and has done what is due on all of them.
"""

import re
import sys
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import click

from pbm_oust.board import Game, Ruling, Verb
from pbm_oust.board.notation import DRAW, HIGHEST, format_ruling, format_time
from pbm_oust.board.reasons import GameOver, NothingToUndo, SamePlayer
from pbm_oust.cli import common
from pbm_oust.cli.terminal import Output, ask, say
from pbm_oust.commands.challenge import LONGEST_TIME, OPTIONS, UnusableGrid, header_of
from pbm_oust.doctor import counted
from pbm_oust.grammar.parts import BadOptionValue, OptionTwice, read_options
from pbm_oust.grammar.values import read_userid
from pbm_oust.play.authentication import Disabled
from pbm_oust.play.context import Look, NoSuchPlayer
from pbm_oust.play.rulings import rule_board
from pbm_oust.play.starting import LimitReached, Rejected, SignedOff, set_up_board
from pbm_oust.refusal import NotAllowed, Refusal, Unreadable
from pbm_oust.rules import KINDS, Kind, Side
from pbm_oust.service import sweep as sweeps
from pbm_oust.store.boards import NoSuchBoard
from pbm_oust.store.faults import command_line
from pbm_oust.store.index import all_names

_DURATION = re.compile(r"([1-9][0-9]{0,3})([dw])")
_DAYS = {"d": 1, "w": 7}

reason_option = click.option(
    "--reason", default="", metavar="TEXT", help="What to write to the players with it."
)


def as_by_mail(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a challenge by mail to a command."""
    for option in reversed(OPTIONS):
        forms = dict.fromkeys(form for kind in KINDS.values() for form in option.forms(kind))
        how: dict[str, Any] = {"is_flag": True}
        if option.takes != "nothing":
            bare = "" if f"-{option.name}" in forms else None
            how = {"is_flag": False, "flag_value": bare, "metavar": "VALUE"}
        words = f"As in a challenge by mail: {', '.join(forms)}."
        function = click.option(f"--{option.name}", help=words, **how)(function)
    return function


_USERID = common.Parsed("USERID", read_userid, wrong="is no userid")


@common.command()
@common.kind_name
@click.argument("x", type=_USERID, metavar="USERID1", shell_complete=common.complete_userids)
@click.argument("o", type=_USERID, metavar="USERID2", shell_complete=common.complete_userids)
@as_by_mail
@reason_option
def challenge(
    operator: common.Operator, kind: Kind, x: str, o: str, reason: str, **options: str | bool | None
) -> None:
    """Set up a board for two players; USERID1 moves first.

    Both get it by mail, which says that it comes from the operator. Each of them may decline before
    their first move. Whom they reject, how many boards they want, and how many may be started in a
    day does not hold here; a warning names the first two. Players who have signed off, or whose
    account is disabled, get no board.
    """
    work = operator.unit_of_work()
    work.home.recover()
    try:
        chosen: dict[str, Any] = read_options(OPTIONS, words_of_mail(options), kind)
        header = partial(header_of, kind=kind, x=x, o=o, **chosen)
        made = work.carry_out(lambda on: set_up_board(on, header, reason))
    except Unreadable as refusal:
        raise click.UsageError(usage(refusal, kind)) from None
    except NotAllowed as refusal:
        raise common.Refused(_why_not(operator, refusal)) from None
    for objection in made.overruled:
        say(f"Warning: {_why_not(operator, objection)}", err=True)
    say(f"{made.game.name}: {made.game.x} (x) - {made.game.o} (o)")
    operator.hand_over()


def words_of_mail(options: dict[str, str | bool | None]) -> list[str]:
    """Return the options of the command line as those of a mail."""
    given = {name: value for name, value in options.items() if value not in (None, False)}
    return [
        f"--{name}={value}" if isinstance(value, str) and value else f"--{name}"
        for name, value in given.items()
    ]


def usage(refusal: Unreadable, kind: Kind) -> str:
    """Return the sentence about a wrong option."""
    match refusal.reason:
        case BadOptionValue(forms=forms):
            return f"{refusal.culprit} is not possible; write it like {' or '.join(forms)}"
        case OptionTwice():
            return "give either --size or --hex"
        case _:
            return f"{kind.title} does not take {refusal.culprit}"


def _why_not(operator: common.Operator, refusal: Refusal) -> str:
    """Return the reason for which there is no board, or for which there should be none."""
    match refusal.reason:
        case NoSuchPlayer():
            return f"there is no player {refusal.culprit}"
        case SamePlayer():
            return f"{refusal.culprit} cannot play both sides; name two players"
        case SignedOff():
            return f"{refusal.culprit} has signed off; a command of theirs has to bring them back"
        case Disabled():
            culprit = refusal.culprit
            enable = command_line(operator.path, "players", "enable", culprit)
            return f"{culprit} is disabled; to change that:  {enable}"
        case UnusableGrid(kind=kind, grid=grid):
            return f"{kind.title} is not played on {grid}"
        case Rejected(userid=userid, challenger=challenger):
            return f"{userid} rejects challenges from {challenger}"
        case LimitReached(userid=userid, limit=limit, active=active):
            return f"{userid} wants at most {counted(limit, 'board')}, and plays on {active}"
        case _:
            return str(refusal)


def _ruling(
    *more: Callable[[Callable[..., Any]], Callable[..., Any]],
) -> Callable[[Callable[..., Ruling]], click.Command]:
    """Make a command that rules on a board of a function that says what to do to it.

    The function is given what the database holds, the board as it is, and what `more` adds to the
    command.
    It raises Refused or NotAllowed if that is not possible. It is done after the operator has seen
    the board and has said yes.
    """

    def made_of(decide: Callable[..., Ruling]) -> click.Command:
        @wraps(decide)
        def rule(
            operator: common.Operator, kind: Kind, board: int, reason: str, yes: bool, **given: Any
        ) -> None:
            work = operator.unit_of_work()
            work.home.recover()
            try:
                with work.reading() as on:
                    seen = on.game(kind, board)
                    if seen.result:
                        raise common.Refused(f"{seen.name} is over")
                    ruling = decide(on, seen, **given)
                # What does not fit the board is refused before anybody is asked.
                seen.rule(ruling, seen.latest, "")
                if not yes:
                    _ask(seen, ruling)

                def decide_again(on: Look, game: Game) -> Ruling:
                    if game.records != seen.records:
                        raise common.Refused(f"{game.name} has changed meanwhile; look at it again")
                    return decide(on, game, **given)

                work.carry_out(
                    lambda on: rule_board(on, kind, board, partial(decide_again, on), reason)
                )
            except Refusal as refusal:
                raise common.Refused(_refusal_text(refusal, kind, board)) from None
            say(f"{kind.name} {board}: {format_ruling(ruling)}")
            operator.hand_over()

        confirmed = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
        made: Callable[..., Any] = reason_option(confirmed(rule))
        for add in reversed(more):
            made = add(made)
        return common.command()(common.board_named(made))

    return made_of


@_ruling()
def void(on: Look, game: Game) -> Ruling:
    """End a game as never begun. This is recorded, and both players are told."""
    return Ruling(Verb.VOID)


@_ruling(click.argument("winner", type=click.Choice([*(side.value for side in Side), DRAW])))
def award(on: Look, game: Game, winner: str) -> Ruling:
    """End a game: a side wins, or it is a draw. This is recorded, and both players are told."""
    return Ruling(Verb.AWARD, None if winner == DRAW else Side(winner))


@_ruling(
    click.argument("side", type=click.Choice([side.value for side in Side])),
    click.argument("userid", type=_USERID, metavar="USERID"),
)
def adopt(on: Look, game: Game, side: str, userid: str) -> Ruling:
    """Hand a side to another player.

    The player begins a new turn and has used no time. This is recorded, and both players and the
    previous owner of the side are told.
    """
    if on.account_if_any(userid) is None:
        raise common.Refused(f"there is no player {userid}")
    return Ruling(Verb.ADOPT, Side(side), userid)


def read_duration(text: str) -> int:
    """Return the days of a duration such as 3d or 2w. Raises ValueError."""
    match = _DURATION.fullmatch(text.lower())
    days = int(match[1]) * _DAYS[match[2]] if match else 0
    if not 1 <= days <= LONGEST_TIME:
        raise ValueError(f"{text!r} is not written like 3d or 2w, and at most {LONGEST_TIME} days")
    return days


@_ruling(click.argument("duration", type=common.Parsed("DURATION", read_duration)))
def extend(on: Look, game: Game, duration: int) -> Ruling:
    """Give the player to move more time.

    DURATION is in days or weeks, as in 3d or 2w. All limits of this turn end so much later, and so
    does the total time, if the game has one. A first reminder that has not come yet comes later
    too. This is recorded, and both players are told.
    """
    clock = on.clock_of(game)
    if clock.away:
        until = format_time(clock.away.end)
        raise common.Refused(
            f"{clock.player} is away until {until}, and the clock of {game.name} stands until"
            " then; extend it once it goes on"
        )
    common.check_ahead(clock.deadline, duration, on.now)
    return Ruling(Verb.EXTEND, game.to_move, days=duration)


@_ruling(
    click.option(
        "--to",
        "number",
        type=click.IntRange(0, HIGHEST),
        metavar="RECORD",
        help="Take all moves after this record back; 0 for all moves.",
    )
)
def undo(on: Look, game: Game, number: int | None) -> Ruling:
    """Take the latest turn back, all parts of it.

    The records stay in the history. The player whose turn it is then begins a new turn. Answers to
    older mails no longer count. This is recorded, and both players get the board as it is then.
    """
    return Ruling(Verb.UNDO, back_to=game.before_latest_turn() if number is None else number)


def _ask(game: Game, ruling: Ruling) -> None:
    if not sys.stdin.isatty():
        raise click.UsageError("give --yes where nobody can be asked")
    players = f"{game.x} (x) - {game.o} (o)"
    records = counted(len(game.records), "record")
    ask(f"{game.name}, {players}, {records}: {_ruling_text(game, ruling)}?")


def _ruling_text(game: Game, ruling: Ruling) -> str:
    """Return a ruling as the question to the operator has it."""
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


def _refusal_text(refusal: Refusal, kind: Kind, board: int) -> str:
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


@common.command(has_json=True)
def sweep(operator: common.Operator, output: Output) -> None:
    """Do what is due: reminders, games lost on time, digests.

    A running server does the same every few minutes; both together do each thing once. Exit status
    1 if something could not be looked at, such as a damaged history; the rest is done.
    """
    home = operator.prepared_home()
    home.recover()
    home.remove_drafts()
    if not home.is_on_server:
        for name in home.publisher.check(home.ask(all_names)):
            say(f"{name}: its file was not as it should be", err=True)
    swept = sweeps.sweep(operator.unit_of_work())
    done = [{"about": deed.about, "what": deed.what} for deed in swept.done]
    troubles = [{"about": each.about, "reason": each.reason} for each in swept.troubles]
    output.json({"done": done, "troubles": troubles})
    for deed in swept.done:
        output.say(f"{deed.about}: {deed.what}")
    for each in swept.troubles:
        output.say(f"Error: {each.about}: {each.reason}", err=True)
    operator.hand_over()
    if swept.troubles:
        raise SystemExit(1)
