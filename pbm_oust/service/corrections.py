"""What to send instead of a command that was refused. Pure.

A command knows that itself, in `instead`. This module has what is the same for all commands.
"""

from pbm_oust.board.reasons import board_of
from pbm_oust.commands.lists import Games
from pbm_oust.commands.show import board_as_it_is
from pbm_oust.commands.talk import NothingWritten
from pbm_oust.grammar.command import Command, Partial
from pbm_oust.grammar.values import Filter
from pbm_oust.refusal import Refusal
from pbm_oust.rules.position import Kind
from pbm_oust.service.table import form_of
from pbm_oust.store.histories import NoSuchBoard


def advise(command: Command, refusal: Refusal) -> Command | Partial | None:
    """Return what to send instead of a command that was refused, or None if nothing is known."""
    own = command.instead(refusal)
    if own:
        return own
    if isinstance(refusal.reason, NothingWritten):
        return command
    given = form_of(command).given(command)
    kind, userid = given.get("kind"), given.get("userid")
    if isinstance(refusal.reason, NoSuchBoard) and isinstance(kind, Kind):
        return Games(kind, (userid,) if isinstance(userid, str) else (), Filter.ACTIVE)
    game = board_of(refusal.reason)
    return board_as_it_is(game) if game else None
