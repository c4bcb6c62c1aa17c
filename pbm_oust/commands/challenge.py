"""The commands that start a board: challenge, replay and rematch; seek, unseek and join.

A remark on a new board says which board it plays again, or which open challenge it takes. So the
one write that makes the board also takes the challenge, and each board has only one rematch,
whoever asks first.
"""

import hmac
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec import structs

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.items import LIFETIME, MOST_SEEKS, SOURCE, Seek
from pbm_oust.board import Game, Header
from pbm_oust.board.header import Origin, Terms, steps_of
from pbm_oust.board.notation import NUMBER
from pbm_oust.board.reasons import NoSuchRecord, OfBoard
from pbm_oust.commands.show import GAMES, LIST
from pbm_oust.grammar import values
from pbm_oust.grammar.form import Command, Cost, Form
from pbm_oust.grammar.notation import Heading
from pbm_oust.grammar.parts import Option, Parameter
from pbm_oust.play.moving import NotOnBoard, side_on
from pbm_oust.play.notices import BoardNotice, OutcomeNotice
from pbm_oust.play.request import Actor, Handled
from pbm_oust.play.starting import answered_again, open_of, write_board
from pbm_oust.play.unit_of_work import ForEither, ForPlayer, UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal, Unreadable
from pbm_oust.rules import KINDS, Grid, Kind, Shape, Side, format_size, parse_size
from pbm_oust.store.accounts import next_seek_number
from pbm_oust.store.accounts import seeker as seeker_of
from pbm_oust.store.boards import NoSuchBoard
from pbm_oust.store.index import Source
from pbm_oust.store.open_boards import next_number, read_game, started_from

HEADING = Heading.STARTING

LONGEST_TIME = 3650
"""The most days that a time option takes."""


class UnusableGrid(NotAllowedReason, frozen=True):
    """The game cannot be played on the grid."""

    kind: Kind
    grid: Grid


def _usual_grid(command: Command, refusal: Refusal) -> Command | None:
    """Return a challenge with the usual grid, if the game cannot be played on this one."""
    if not isinstance(refusal.reason, UnusableGrid):
        return None
    return Command(command.form, {name: command[name] for name in command.form.names})


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


def _switch(name: str, sets: str, chosen: bool | Side) -> Option:
    """Return an option without a value, which chooses something by being there."""

    def read(_kind: Kind, value: str | None) -> object:
        if value is not None:
            raise ValueError("takes no value")
        return chosen

    def write(_kind: Kind, value: object) -> str:
        return f"-{name}" if value == chosen else ""

    return Option(name, lambda _kind: (f"-{name}",), read, write, takes="nothing", sets=sets)


def _days(name: str, least: int) -> Option:
    """Return the option for a time in days."""

    def read(_kind: Kind, value: str | None) -> int:
        days = int(value) if value and value.isascii() and value.isdigit() else -1
        if not least <= days <= LONGEST_TIME:
            raise ValueError("not so many days")
        return days

    usual = getattr(Terms(), name)

    def write(_kind: Kind, days: int) -> str:
        return f"--{name}={days}"

    return Option(
        name,
        lambda _kind: (f"--{name}={usual}",),
        read,
        write,
        takes="days",
        sets=name,
        usual=lambda _kind: usual,
    )


_SIZE = Option(
    "size",
    _size_forms,
    _read_size,
    _write_size,
    takes="",
    sets="grid",
    usual=lambda kind: kind.default_grid,
)
_HEX = structs.replace(
    _SIZE,
    name="hex",
    forms=_hex_forms,
    read=_read_hex,
    write=_write_hex,
    takes="hex",
    is_shown=lambda kind: kind.own_shape is not Shape.HEX,  # else `-size` says it
)
OPTIONS = (
    _SIZE,
    _HEX,
    _switch("noswap", "swap", False),
    _switch("unrated", "rated", False),
    _days("nagtime", 1),
    _days("forfeittime", 1),
    _days("totaltime", 0),
    _days("maxtime", 0),
)
"""The options for starting a board."""

TWO_PLAYERS = (
    Parameter("USERID1", "x", values.read_userid),
    Parameter("USERID2", "o", values.read_userid),
)


def header_of(
    work: UnitOfWork,
    number: int,
    kind: Kind,
    x: str,
    o: str,
    grid: Grid | None = None,
    **terms: Any,
) -> Header:
    """Return the header of the board that a challenge starts; `x` moves first.

    Options set the grid and some of the terms. Raises NotAllowed.
    """
    usable = _usable(kind, grid)
    return Header(kind, number, usable, x, o, Terms(**terms), work.now())


def _usable(kind: Kind, grid: Grid | None) -> Grid:
    """Return a grid, or the usual one. Raises NotAllowed if the game cannot be played on it."""
    chosen = grid or kind.default_grid
    if not kind.plays_on(chosen):
        raise NotAllowed(UnusableGrid(kind, chosen))
    return chosen


_RECORD = re.compile(rf"#?(?:0|{NUMBER.pattern})")


class ReplayOfTheEnd(OfBoard, NotAllowedReason, frozen=True):
    """The game was over after the record."""

    number: int
    """The number of the record."""


def _read_record(word: str) -> int:
    """Return the number of a record, 0 for the start, with or without a `#`. Raises Unreadable."""
    if not _RECORD.fullmatch(word):
        raise Unreadable(values.BadNumber(), word)
    return int(word.removeprefix("#"))


def _header_of_replay(
    work: UnitOfWork, number: int, kind: Kind, board: int, record: int, x: str, o: str
) -> Header:
    """Return the header of an unrated board from the position of another one after a record.

    Raises NotAllowed.
    """
    old = read_game(work.home, kind, board)
    origin = origin_after(old, record)
    terms = structs.replace(old.header.terms, swap=False, rated=False, binding=False)
    return Header(kind, number, old.header.grid, x, o, terms, work.now(), origin)


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


def _finished_games(command: Command, refusal: Refusal) -> Command | None:
    """Return the list of the player's finished games, if this is not one of them."""
    if not isinstance(refusal.reason, NoSuchBoard | NotOnBoard):
        return None
    kind, userids = command["kind"], (command["userid"],)
    return GAMES.command(kind=kind, userids=userids, which=values.Filter.INACTIVE)


class RematchNotice(BoardNotice, frozen=True):
    """The board of a rematch begins."""

    earlier: str = ""
    """The name of the board that it plays again."""


def rematch(actor: Actor, work: UnitOfWork, kind: Kind, board: int) -> Handled:
    """Start a board like one that is over, with sides exchanged, and show it to both players."""
    done_before = answered_again(actor, work)
    if done_before:
        return done_before
    home = work.home
    earlier = read_game(home, kind, board)
    side_on(actor.userid, earlier)
    if earlier.result is None:
        raise NotAllowed(NotOverYet(earlier))
    source = Source("rematch", board)
    known = started_from(home, kind, source)
    if known:
        raise NotAllowed(PlayedAgain(known, earlier.name))
    # x is whoever played o at the end of the game, after any swap.
    number, x, o = next_number(home, kind), earlier.o, earlier.x
    terms = structs.replace(earlier.header.terms, binding=False)
    now = work.now()
    header = structs.replace(earlier.header, board=number, x=x, o=o, terms=terms, started=now)
    make = partial(RematchNotice, earlier=earlier.name, challenger=actor.userid)
    return write_board(header, actor, work, source=source, make=make)


class NoSuchSeek(NotAllowedReason, frozen=True):
    """There is no such open challenge."""

    kind: Kind
    number: int
    days: int
    """The days that one stays open."""


class OwnSeek(NotAllowedReason, frozen=True):
    """A player would join their own open challenge."""


class TooManySeeks(NotAllowedReason, frozen=True):
    """The player has reached the limit of open challenges."""

    most: int
    """The limit."""


def _open_challenges(command: Command, refusal: Refusal) -> Command | None:
    """Return the list of open challenges, if one does not exist or cannot be joined."""
    is_wrong = isinstance(refusal.reason, NoSuchSeek | OwnSeek)
    return LIST.command(kinds=(command["kind"],)) if is_wrong else None


class SoughtNotice(OutcomeNotice, frozen=True):
    """An open challenge was made or withdrawn."""

    is_made: bool
    seeks: tuple[tuple[Seek, str], ...]
    """The open challenges of the reader, with the userid."""


def seek(
    actor: Actor,
    work: UnitOfWork,
    kind: Kind,
    side: Side | None = None,
    grid: Grid | None = None,
    **terms: Any,
) -> Handled:
    """Offer a board to whoever joins; `side` is what the player wants."""
    usable = _usable(kind, grid)

    def change(account: Account) -> Account:
        kept = open_of(account, work.now())
        if len(kept) >= MOST_SEEKS:
            raise NotAllowed(TooManySeeks(MOST_SEEKS))
        number = work.home.ask(next_seek_number, kind.name)
        seek = Seek.of(number, kind.name, work.now(), side, usable, Terms(**terms))
        return structs.replace(account, seeks=(*kept, seek))

    return _change(change, actor, work, is_made=True)


def withdraw(actor: Actor, work: UnitOfWork, kind: Kind, number: int) -> Handled:
    """Withdraw an open challenge of a player."""

    def change(account: Account) -> Account:
        seeks = open_of(account, work.now())
        kept = [each for each in seeks if not each.is_named(kind.name, number)]
        if len(kept) == len(seeks):
            raise _no_such_seek(kind, number)
        return structs.replace(account, seeks=tuple(kept))

    return _change(change, actor, work, is_made=False)


def join(actor: Actor, work: UnitOfWork, kind: Kind, number: int) -> Handled:
    """Start the board that an open challenge offers, which takes it."""
    done_before = answered_again(actor, work)
    if done_before:
        return done_before
    found, seeker = _find(kind, number, work)
    if seeker.userid == actor.userid:
        raise NotAllowed(OwnSeek())
    header = _header(found, next_number(work.home, kind), seeker, actor, work)
    left = (each for each in seeker.seeks if each != found)
    taken = structs.replace(seeker, seeks=tuple(left))
    source = _source(found.number)
    return write_board(header, actor, work, source=source, changed=[taken])


def _change(
    change: Callable[[Account], Account], actor: Actor, work: UnitOfWork, *, is_made: bool
) -> Handled:
    """Change the challenges of a player, and tell them which are open."""

    def tell(account: Account) -> SoughtNotice:
        named = tuple((each, account.userid) for each in open_of(account, work.now()))
        return SoughtNotice(work.player_at(account), is_made, named)

    return work.change_account(change, tell, actor)


def _find(kind: Kind, number: int, work: UnitOfWork) -> tuple[Seek, Account]:
    """Return an open challenge and its maker. Raises NotAllowed if there is none."""
    account = work.home.ask(seeker_of, kind.name, number)
    if account and not started_from(work.home, kind, _source(number)):
        for each in open_of(account, work.now()):
            if each.is_named(kind.name, number):
                return each, account
    raise _no_such_seek(kind, number)


def _source(number: int) -> Source:
    return Source(SOURCE, number)


def _no_such_seek(kind: Kind, number: int) -> NotAllowed:
    return NotAllowed(NoSuchSeek(kind, number, LIFETIME.days))


def _header(seek: Seek, number: int, seeker: Account, joiner: Actor, work: UnitOfWork) -> Header:
    """Return the header of the board that a challenge leads to."""
    side = seek.side or _lot(joiner, work)
    x, o = seeker.userid, joiner.userid
    if side is Side.O:
        x, o = o, x
    return Header(KINDS[seek.kind], number, seek.grid, x, o, seek.terms, work.now())


def _lot(joiner: Actor, work: UnitOfWork) -> Side:
    """Return the side of the seeker, drawn by a lot that nobody can foresee."""
    drawn = hmac.digest(work.home.key(), joiner.message_key.encode(), "sha256")
    return Side.O if drawn[0] % 2 else Side.X


JOIN = Form(
    "join",
    (values.NUMBERED, *values.OWN),
    cost=Cost(boards=1),
    instead=_open_challenges,
    run=ForPlayer(join),
)
FORMS: tuple[Form[ForPlayer | ForEither], ...] = (
    Form(
        "challenge",
        TWO_PLAYERS,
        values.PASSWORD_IF_ANY,
        OPTIONS,
        cost=Cost(boards=1),
        instead=_usual_grid,
        run=ForEither(header_of),
    ),
    Form(
        "seek",
        values.OWN,
        options=(*(_switch(side.value, "side", side) for side in Side), *OPTIONS),
        run=ForPlayer(seek),
    ),
    JOIN,
    Form(
        "unseek", (values.NUMBERED, *values.OWN), instead=_open_challenges, run=ForPlayer(withdraw)
    ),
    Form(
        "replay",
        (values.BOARD, Parameter("N", "record", _read_record), *TWO_PLAYERS),
        values.PASSWORD_IF_ANY,
        cost=Cost(boards=1),
        run=ForEither(_header_of_replay),
    ),
    Form(
        "rematch",
        values.OF_BOARD,
        plays_again=True,
        cost=Cost(boards=1),
        instead=_finished_games,
        run=ForPlayer(rematch),
    ),
)
