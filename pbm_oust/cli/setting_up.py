"""`pbm-oust games challenge`: the operator sets a board up for two players."""

from collections.abc import Callable
from functools import partial
from typing import Any

import click

from pbm_oust.board.reasons import SamePlayer
from pbm_oust.cli.completion import complete_userids
from pbm_oust.cli.operator import KIND, Operator, Parsed, Refused, pass_operator
from pbm_oust.cli.rulings import reason_option
from pbm_oust.cli.sweeping import hand_over
from pbm_oust.cli.terminal import say
from pbm_oust.cli.work import unit_of_work
from pbm_oust.commands.challenge import OPTIONS, UnusableGrid, challenge_with, header_of
from pbm_oust.doctor.finding import counted
from pbm_oust.grammar.parts import BadOptionValue, Option, OptionTwice, read_options
from pbm_oust.grammar.values import read_userid
from pbm_oust.play.authentication import Disabled
from pbm_oust.play.starting import LimitReached, Rejected, SignedOff, set_up_board
from pbm_oust.play.unit_of_work import NoSuchPlayer
from pbm_oust.refusal import NotAllowed, Refusal, Unreadable
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from pbm_oust.store.faults import AccountDamaged, command_line


def _as_in_a_mail(option: Option[object]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option of the command line that does what one of the challenge by mail does."""
    forms = dict.fromkeys(form for kind in KINDS.values() for form in option.forms(kind))
    words = f"As in a challenge by mail: {', '.join(forms)}."
    if option.takes == "nothing":
        return click.option(f"--{option.name}", is_flag=True, help=words)
    is_bare = f"-{option.name}" in forms
    return click.option(
        f"--{option.name}",
        is_flag=False,
        flag_value="" if is_bare else None,
        metavar="VALUE",
        help=words,
    )


def _as_by_mail(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a challenge by mail to a command."""
    for option in reversed(OPTIONS):
        function = _as_in_a_mail(option)(function)
    return function


def _read_player(text: str) -> str:
    try:
        return read_userid(text)
    except Unreadable:
        raise ValueError(f"{text!r} is no userid") from None


def _player(name: str, shown: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    kind = Parsed("USERID", _read_player)
    return click.argument(name, type=kind, metavar=shown, shell_complete=complete_userids)


@click.command()
@click.argument("kind", type=KIND)
@_player("x", "USERID1")
@_player("o", "USERID2")
@_as_by_mail
@reason_option
@pass_operator
def challenge(
    operator: Operator, kind: Kind, x: str, o: str, reason: str, **options: str | bool | None
) -> None:
    """Set up a board for two players; USERID1 moves first.

    Both get it by mail, which says that it comes from the operator. Each of them may decline before
    their first move. Whom they reject, how many boards they want, and how many may be started in a
    day does not hold here; a warning names the first two. Players who have signed off, or whose
    account is disabled, get no board.
    """
    work = unit_of_work(operator)
    work.home.recover()
    try:
        chosen: dict[str, Any] = read_options(OPTIONS, _words(options), kind)
        header = partial(header_of, challenge_with(kind, x, o, None, **chosen))
        made = set_up_board(kind, header, work, reason)
    except Unreadable as refusal:
        raise click.UsageError(_usage(refusal, kind)) from None
    except NotAllowed as refusal:
        raise Refused(_reason(operator, refusal)) from None
    except AccountDamaged as damage:
        raise Refused(str(damage)) from None
    for objection in made.overruled:
        say(f"Warning: {_reason(operator, objection)}", err=True)
    say(f"{made.game.name}: {made.game.x} (x) - {made.game.o} (o)")
    hand_over(operator)


def _words(options: dict[str, str | bool | None]) -> list[str]:
    """Return the options of the command line as those of a mail."""
    given = {name: value for name, value in options.items() if value not in (None, False)}
    return [
        f"--{name}={value}" if isinstance(value, str) and value else f"--{name}"
        for name, value in given.items()
    ]


def _usage(refusal: Unreadable, kind: Kind) -> str:
    """Return what is wrong with an option."""
    match refusal.reason:
        case BadOptionValue(forms=forms):
            return f"{refusal.culprit} is not possible; write it like {' or '.join(forms)}"
        case OptionTwice():
            return "give either --size or --hex"
        case _:
            return f"{kind.title} does not take {refusal.culprit}"


def _reason(operator: Operator, refusal: Refusal) -> str:
    """Return why there is no board, or what speaks against it."""
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
