"""What becomes due in time: reminders, games that are lost, digests, puzzles of the day.

A sweep looks at everything and does what is due. It records what it did, so that sweeps may run at
any time, in any number of processes: each thing is done once.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

from msgspec import Struct

from pbm_oust.board import Game, Ruling
from pbm_oust.board.notation import format_action
from pbm_oust.play.context import Look
from pbm_oust.play.puzzles import mail_puzzle_of_day
from pbm_oust.play.request import Ending
from pbm_oust.play.rulings import rule_board, send_digest
from pbm_oust.play.tournaments import go_on
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import Refusal
from pbm_oust.rules import KINDS, Kind
from pbm_oust.store.accounts import whole, with_digest_due, with_puzzle_due
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.index import damaged_boards, due_by
from pbm_oust.store.tournaments import due_cups
from pbm_oust.store.upkeep import forget_expired
from pbm_oust.tournaments.cup import SOURCE

TOGETHER = 20
"""How many things a host takes at a time."""


class SweepAction(Struct, frozen=True):
    """Something that a sweep did."""

    what: str
    """As in histories, `remind x`; or `digest`, `puzzle`, or what went on in a tournament."""
    about: str
    """The name of a board or a tournament, or a userid."""


class SweepFailure(Struct, frozen=True):
    """A board or a player for which a sweep failed."""

    about: str
    reason: str


class Swept(Struct, frozen=True):
    """The deeds of a sweep, and those that failed."""

    done: tuple[SweepAction, ...]
    troubles: tuple[SweepFailure, ...]


class _Chore(Struct, frozen=True):
    """Something that a sweep looks at."""

    about: str
    """The name of a board or a tournament, or a userid."""
    task: str
    """What hosts call it that share what is due; no two chores have the same."""
    do: Callable[[], str | None]
    """Does it if it is due, and returns what it did, or nothing that anybody is told."""


def sweep(work: UnitOfWork) -> Swept:
    """Do all that is due by the clock of `work`, and return what was done.

    What fails for one board or player stays due, and does not hold up the others. Hosts that sweep
    at the same time share what is due.
    """
    done: list[SweepAction] = []
    troubles: list[SweepFailure] = []
    for some in _portions(work):
        with work.home.database.leased(chore.task for chore in some) as ours:
            for chore in (each for each in some if each.task in ours):
                try:
                    done += [SweepAction(what, chore.about) for what in [chore.do()] if what]
                except (OSError, DamagedHistory, Refusal) as error:
                    troubles.append(SweepFailure(chore.about, str(error)))
    return Swept(tuple(done), tuple(troubles))


def _portions(work: UnitOfWork) -> Iterator[list[_Chore]]:
    """Yield what a sweep looks at, some of it at a time."""
    for chores in (_chores(work), _of_tournaments(work)):
        while some := list(islice(chores, TOGETHER)):
            yield some


def _chores(work: UnitOfWork) -> Iterator[_Chore]:
    """Yield what a sweep looks at. Anything else that has to be done in time belongs here."""
    with work.reading() as on:
        damaged = [each for kind in KINDS for each in damaged_boards(on.snapshot, kind)]
        named, userids = due_by(on.snapshot, on.now), with_digest_due(on.snapshot, on.now)
        puzzled = with_puzzle_due(on.snapshot, on.now)
    for name in (*named, *damaged):
        rule = partial(_rule, work, KINDS[name.kind], name.board)
        yield _Chore(str(name), str(name), rule)
    for userid in userids:
        yield _Chore(userid, f"digest of {userid}", partial(_digest, work, userid))
    for userid in puzzled:
        yield _Chore(userid, f"puzzle for {userid}", partial(_puzzle, work, userid))
    yield _Chore("codes", "expired codes", partial(forget_expired, work.home, work.now()))


def _of_tournaments(work: UnitOfWork) -> Iterator[_Chore]:
    """Yield the tournaments to look at, also as games of theirs have ended just now."""
    for kind, number in work.home.ask(due_cups, work.now()):
        about = f"{kind} {SOURCE} {number}"
        yield _Chore(about, about, partial(go_on, work, kind, number))


def _digest(work: UnitOfWork, userid: str) -> str:
    """Mail a player what waits for them, if that is due."""
    made = work.carry_out(lambda on: send_digest(on, userid))
    return "digest" if made.ending is Ending.DONE else ""


def _puzzle(work: UnitOfWork, userid: str) -> str:
    """Mail a player the puzzle of the day, if that is due."""
    made = work.carry_out(lambda on: mail_puzzle_of_day(on, userid))
    return "puzzle" if made.ending is Ending.DONE else ""


def _rule(work: UnitOfWork, kind: Kind, board: int) -> str:
    """Remind the player to move on a board, or end the game, if that is due."""

    def due(on: Look, game: Game) -> Ruling | None:
        if game.result:
            return None
        for account in on.players_of(game):
            whole(account)  # nobody loses by a clock that lacks what cannot be read
        return on.clock_of(game).ruling_due(on.now)

    with work.reading() as on:
        game = on.game(kind, board)
        if not (game.result or due(on, game)):
            return ""
    ruled = work.carry_out(lambda on: rule_board(on, kind, board, partial(due, on))).game
    return format_action(ruled.records[-1].action) if ruled else ""
