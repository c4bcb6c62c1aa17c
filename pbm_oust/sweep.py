"""What time brings about: reminders, games that are lost, digests.

A sweep looks at everything and does what is due. What it did is written down, so that sweeps may
come at any time, in any number of processes: each thing is done once.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from pbm_oust.actions.desk import Desk
from pbm_oust.actions.digests import send_digest
from pbm_oust.actions.rulings import rule_board
from pbm_oust.boards import DamagedHistory, read_game
from pbm_oust.clock import ruling_due
from pbm_oust.disk import NoSuchFile
from pbm_oust.game import Game
from pbm_oust.journal import BadJournal
from pbm_oust.notation import format_action
from pbm_oust.players import BadAccount
from pbm_oust.record import Ruling
from pbm_oust.refusal import Refusal
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind


@dataclass(frozen=True, slots=True)
class Done:
    """Something that a sweep did."""

    what: str
    """As histories say it: `remind x`, `forfeit o`; or `digest`."""
    about: str
    """The name of a board, or a userid."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A board or a player whom a sweep could do nothing for."""

    about: str
    reason: str


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep did, and what it could not do."""

    done: tuple[Done, ...]
    troubles: tuple[Trouble, ...]


def sweep(desk: Desk) -> Swept:
    """Do all that is due by the clock of a desk, and return what was done.

    What fails for one board or player does not keep the others from theirs; it stays due.
    """
    done: list[Done] = []
    troubles: list[Trouble] = []
    for about, chore in _chores(desk):
        try:
            done += [Done(what, about) for what in [chore()] if what]
        except (OSError, DamagedHistory, BadAccount, BadJournal, Refusal) as error:
            troubles.append(Trouble(about, str(error)))
    return Swept(tuple(done), tuple(troubles))


def _chores(desk: Desk) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield what a sweep looks at, and what does the work there and says what it was.

    Whatever else is to be done in the course of time belongs here.
    """
    for kind in KINDS.values():
        for board in desk.home.boards(kind.name):
            yield f"{kind.name} {board}", partial(_rule, desk, kind, board)
    for userid in desk.home.userids():
        yield userid, partial(_send_digest, desk, userid)
    yield "codes", partial(_forget_expired, desk)


def _forget_expired(desk: Desk) -> str:
    """Remove codes that have expired and counts that count no more, of which nobody is told."""
    desk.home.forget_expired(desk.now())
    return ""


def _rule(desk: Desk, kind: Kind, board: int) -> str:
    """Remind the player to move on a board, or end the game, where that is due."""

    def decide(game: Game) -> Ruling | None:
        if game.result:
            return None
        return ruling_due(game, desk.clock_of(game), desk.now())

    if _is_closed(desk, kind, board):
        return ""
    game = read_game(desk.home, kind, board)
    if not (game.result or decide(game)):
        return ""
    ruled = rule_board(desk, kind, board, decide)
    return format_action(ruled.records[-1].action) if ruled else ""


def _send_digest(desk: Desk, userid: str) -> str:
    return "digest" if send_digest(desk, userid) else ""


def _is_closed(desk: Desk, kind: Kind, board: int) -> bool:
    """Return whether a history ends with its result, without reading all of it as a game."""
    try:
        data = desk.home.read_history(kind.name, board)
    except (OSError, NoSuchFile):
        return False
    return data.endswith(b"\n") and data[:-1].rpartition(b"\n")[2].startswith(b"=")
