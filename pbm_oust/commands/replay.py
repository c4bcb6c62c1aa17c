"""The command that goes on from a position of a board: `oust replay 17 9 alice bob secret`."""

import re
from dataclasses import dataclass, replace

from pbm_oust.accounts.password import Secret
from pbm_oust.board.game import Game
from pbm_oust.board.header import Header, Origin, steps_of
from pbm_oust.board.notation import NUMBER
from pbm_oust.board.reasons import NoSuchRecord, OfBoard
from pbm_oust.commands.challenge import TWO_PLAYERS
from pbm_oust.grammar.form import Cost, Form
from pbm_oust.grammar.notation import Command, Heading
from pbm_oust.grammar.parts import Parameter
from pbm_oust.grammar.values import BOARD, PASSWORD_IF_ANY, BadNumber
from pbm_oust.play.forms import ForTwoPlayers
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Unreadable
from pbm_oust.rules.position import Kind
from pbm_oust.store.open_boards import read_game

_NUMBER = re.compile(rf"#?(?:0|{NUMBER.pattern})")


@dataclass(frozen=True, slots=True)
class ReplayOfTheEnd(OfBoard, NotAllowedReason):
    """The game was over after the record."""

    number: int
    """The number of the record."""


@dataclass(frozen=True, slots=True)
class Replay(Command):
    """Start an unrated board from the position of another one after its record `number`."""

    kind: Kind
    board: int
    number: int
    x: str
    o: str
    password: Secret | None
    """The password of the player who sends it, if it is there."""


def _read_number(word: str) -> int:
    """Return the number of a record, 0 for the start, with or without a `#`. Raises Unreadable."""
    if not _NUMBER.fullmatch(word):
        raise Unreadable(BadNumber(), word)
    return int(word.removeprefix("#"))


def header_of(command: Replay, work: UnitOfWork, number: int) -> Header:
    """Return the header of the board that continues another one. Raises NotAllowed."""
    old = read_game(work.home, command.kind, command.board)
    origin = origin_after(old, command.number)
    terms = replace(old.header.terms, swap=False, rated=False)
    kind, grid, now = command.kind, old.header.grid, work.now()
    return Header(kind, number, grid, command.x, command.o, terms, now, origin)


def origin_after(game: Game, number: int) -> Origin:
    """Return the origin of a board that continues a game after record `number`.

    Raises NotAllowed if there is no such record or the game was over then.
    """
    if number > len(game.records):
        raise NotAllowed(NoSuchRecord(game, number), f"#{number}")
    past = game.after(number)
    if past.position.result:
        raise NotAllowed(ReplayOfTheEnd(game, number))
    steps = game.header.origin.steps if game.header.origin else ()
    for record in past.line:
        steps += steps_of(record.side, record.action)
    return Origin(game.header.board, number, steps)


FORMS = (
    Form(
        "replay",
        Replay,
        (BOARD, Parameter("N", _read_number), *TWO_PLAYERS),
        PASSWORD_IF_ANY,
        heading=Heading.STARTING,
        rank=50,
        cost=Cost(boards=1),
        run=ForTwoPlayers(header_of),
    ),
)
