"""The commands that start a board: challenge, replay and rematch.

A remark on a new board says which board it plays again. So each board has only one rematch,
whoever asks first.
"""

import re
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from msgspec import structs

from pbm_oust.accounts.password import Secret
from pbm_oust.board.game import Game
from pbm_oust.board.header import Header, Origin, Terms, steps_of
from pbm_oust.board.notation import NUMBER
from pbm_oust.board.reasons import NoSuchRecord, OfBoard
from pbm_oust.commands.lists import Games
from pbm_oust.grammar.form import Cost, Form
from pbm_oust.grammar.notation import BoardCommand, Command, Heading
from pbm_oust.grammar.parts import Option, Parameter
from pbm_oust.grammar.values import BOARD, OF_BOARD, PASSWORD_IF_ANY, BadNumber, Filter, read_userid
from pbm_oust.play.forms import ForPlayer, ForTwoPlayers
from pbm_oust.play.moving import NotOnBoard, side_on
from pbm_oust.play.notices import BoardNotice
from pbm_oust.play.request import Actor, Handled, Request
from pbm_oust.play.starting import answered_again, write_board
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal, Unreadable
from pbm_oust.rules.grid import Grid, Shape, format_size, parse_size
from pbm_oust.rules.position import Kind
from pbm_oust.store.boards import NoSuchBoard
from pbm_oust.store.index import Source
from pbm_oust.store.open_boards import next_number, read_game, started_from

LONGEST_TIME = 3650
"""The most days that a time option takes."""


class UnusableGrid(NotAllowedReason, frozen=True):
    """The game cannot be played on the grid."""

    kind: Kind
    grid: Grid


class Challenge(Command, frozen=True):
    """Start a board; `x` moves first."""

    kind: Kind
    x: str
    o: str
    password: Secret | None
    """The password of the player who sends it, if it is there."""
    grid: Grid
    terms: Terms

    def instead(self, refusal: Refusal) -> Command | None:
        """Return a challenge with the usual grid, if the game cannot be played on this one."""
        if not isinstance(refusal.reason, UnusableGrid):
            return None
        return structs.replace(self, grid=self.kind.default_grid, terms=Terms())


def challenge_with(
    kind: Kind,
    x: str,
    o: str,
    password: Secret | None,
    *,
    grid: Grid | None = None,
    **terms: Any,
) -> Challenge:
    """Return a challenge for which options set the grid and some of the terms."""
    chosen = replace(Terms(), **terms)
    return Challenge(kind, x, o, password, grid or kind.default_grid, chosen)


def _settled(command: Command) -> dict[str, object]:
    """Return what a challenge must set by options."""
    if not isinstance(command, Challenge):
        return {}
    return set_by(command.kind, command.grid, command.terms)


def set_by(kind: Kind, grid: Grid, terms: Terms) -> dict[str, object]:
    """Return what options must set: where the grid and terms differ from the usual ones."""
    usual = asdict(Terms())
    found = {name: value for name, value in asdict(terms).items() if value != usual[name]}
    return found if grid == kind.default_grid else {"grid": grid, **found}


def _read_size(kind: Kind, value: str | None) -> Grid:
    if value is None:
        raise ValueError("a size is wanted")
    # Three lengths or six are those of a hexagon, whatever the game is usually played on.
    return parse_size(Shape.HEX if value.count(",") > 1 else kind.own_shape, value)


def _read_hex(kind: Kind, value: str | None) -> Grid:
    if value is None:
        return kind.defaults[Shape.HEX]
    return parse_size(Shape.HEX, value)


def _write_size(kind: Kind, grid: Grid) -> str:
    return f"-size={_shortest(grid)}" if grid.shape is kind.own_shape else ""


def _write_hex(kind: Kind, grid: Grid) -> str:
    is_other = grid.shape is Shape.HEX and kind.own_shape is not Shape.HEX
    return f"-hex={_shortest(grid)}" if is_other else ""


def _shortest(grid: Grid) -> str:
    """Return the size of a grid in its shortest form: `13`, `11x9`, `3,4`."""
    return str(grid.size[0]) if len({*grid.size}) == 1 else format_size(grid)


_EXAMPLES = {Shape.SQUARE: ("13", "11x9"), Shape.HEX: ("3", "3,4", "3,3,5")}
"""Sizes that show how to write one."""


def _size_forms(kind: Kind) -> tuple[str, ...]:
    shape = kind.own_shape
    usable = [size for size in _EXAMPLES[shape] if kind.plays_on(parse_size(shape, size))]
    return tuple(f"-size={size}" for size in usable or [format_size(kind.default_grid)])


def _hex_forms(kind: Kind) -> tuple[str, ...]:
    if Shape.HEX not in kind.defaults:
        return ()
    usual = format_size(kind.defaults[Shape.HEX])
    return "-hex", *(f"-hex={size}" for size in (usual, *_EXAMPLES[Shape.HEX][1:]))


def _needs_hex(kind: Kind) -> bool:
    """Return whether a game needs `-hex`, because `-size` cannot say it."""
    return kind.own_shape is not Shape.HEX


def _switch(name: str, term: str) -> Option[bool]:
    """Return an option without a value that turns something off."""

    def read(_kind: Kind, value: str | None) -> bool:
        if value is not None:
            raise ValueError("takes no value")
        return False

    def write(_kind: Kind, value: bool) -> str:
        return "" if value else f"-{name}"

    return Option(name, lambda _kind: (f"-{name}",), read, write, takes="nothing", sets=term)


def _days(name: str, least: int) -> Option[int]:
    """Return the option for a time in days."""

    def read(_kind: Kind, value: str | None) -> int:
        days = int(value) if value and value.isascii() and value.isdigit() else -1
        if not least <= days <= LONGEST_TIME:
            raise ValueError("not so many days")
        return days

    usual = getattr(Terms(), name)

    def write(_kind: Kind, days: int) -> str:
        return f"--{name}={days}"

    return Option(name, lambda _kind: (f"--{name}={usual}",), read, write, takes="days", sets=name)


OPTIONS = (
    Option("size", _size_forms, _read_size, _write_size, takes="", sets="grid"),
    Option("hex", _hex_forms, _read_hex, _write_hex, takes="hex", sets="grid", is_shown=_needs_hex),
    _switch("noswap", "swap"),
    _switch("unrated", "rated"),
    _days("nagtime", 1),
    _days("forfeittime", 1),
    _days("totaltime", 0),
    _days("maxtime", 0),
)
"""The options for starting a board."""

TWO_PLAYERS = (Parameter("USERID1", read_userid), Parameter("USERID2", read_userid))


def header_of(command: Challenge, work: UnitOfWork, number: int) -> Header:
    """Return the header of the board that a challenge starts. Raises NotAllowed."""
    if not command.kind.plays_on(command.grid):
        raise NotAllowed(UnusableGrid(command.kind, command.grid))
    return Header(
        kind=command.kind,
        board=number,
        grid=command.grid,
        x=command.x,
        o=command.o,
        terms=command.terms,
        started=work.now(),
    )


_RECORD = re.compile(rf"#?(?:0|{NUMBER.pattern})")


class ReplayOfTheEnd(OfBoard, NotAllowedReason, frozen=True):
    """The game was over after the record."""

    number: int
    """The number of the record."""


class Replay(Command, frozen=True):
    """Start an unrated board from the position of another one after its record `number`."""

    kind: Kind
    board: int
    number: int
    x: str
    o: str
    password: Secret | None
    """The password of the player who sends it, if it is there."""


def _read_record(word: str) -> int:
    """Return the number of a record, 0 for the start, with or without a `#`. Raises Unreadable."""
    if not _RECORD.fullmatch(word):
        raise Unreadable(BadNumber(), word)
    return int(word.removeprefix("#"))


def _header_of_replay(command: Replay, work: UnitOfWork, number: int) -> Header:
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


class NotOverYet(OfBoard, NotAllowedReason, frozen=True):
    """The game that would be played again goes on."""


class PlayedAgain(OfBoard, NotAllowedReason, frozen=True):
    """There is a rematch already: the board that is shown."""

    earlier: str
    """The name of the board that it plays again."""


class Rematch(BoardCommand, frozen=True):
    """Start a board like one that is over, with sides exchanged."""

    def instead(self, refusal: Refusal) -> Command | None:
        """Return the list of the player's finished games, if this is not one of them."""
        is_other = isinstance(refusal.reason, NoSuchBoard | NotOnBoard)
        return Games(self.kind, (self.userid,), Filter.INACTIVE) if is_other else None


class RematchNotice(BoardNotice, frozen=True):
    """The board of a rematch begins."""

    template = "rematch"
    earlier: str = ""
    """The name of the board that it plays again."""


def rematch(command: Rematch, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Start a board like one that is over, with sides exchanged, and show it to both players."""
    done_before = answered_again(actor, request, work)
    if done_before:
        return done_before
    kind, home = command.kind, work.home
    earlier = read_game(home, kind, command.board)
    side_on(actor.userid, earlier)
    if earlier.result is None:
        raise NotAllowed(NotOverYet(earlier))
    source = Source("rematch", command.board)
    known = started_from(home, kind, source)
    if known:
        raise NotAllowed(PlayedAgain(known, earlier.name))
    # x is whoever played o at the end of the game, after any swap.
    number, x, o = next_number(home, kind), earlier.o, earlier.x
    header = replace(earlier.header, board=number, x=x, o=o, started=work.now())
    make = partial(RematchNotice, earlier=earlier.name, challenger=actor.userid)
    return write_board(header, actor, request, work, source=source, make=make)


FORMS = (
    Form(
        "challenge",
        Challenge,
        TWO_PLAYERS,
        PASSWORD_IF_ANY,
        OPTIONS,
        heading=Heading.STARTING,
        rank=10,
        build=challenge_with,
        settled=_settled,
        cost=Cost(boards=1),
        run=ForTwoPlayers(header_of),
    ),
    Form(
        "replay",
        Replay,
        (BOARD, Parameter("N", _read_record), *TWO_PLAYERS),
        PASSWORD_IF_ANY,
        heading=Heading.STARTING,
        rank=50,
        cost=Cost(boards=1),
        run=ForTwoPlayers(_header_of_replay),
    ),
    Form(
        "rematch",
        Rematch,
        OF_BOARD,
        heading=Heading.STARTING,
        rank=60,
        plays_again=True,
        cost=Cost(boards=1),
        run=ForPlayer(rematch),
    ),
)
