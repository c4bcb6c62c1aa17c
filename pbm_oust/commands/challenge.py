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
from pbm_oust.accounts.asks import Topic
from pbm_oust.accounts.items import LIFETIME, MOST_SEEKS, SOURCE, Seek
from pbm_oust.board import Game, Header
from pbm_oust.board.header import Origin, Terms, steps_of
from pbm_oust.board.notation import NUMBER
from pbm_oust.board.reasons import NoSuchRecord, OfBoard
from pbm_oust.commands.invite import send_invitation
from pbm_oust.commands.show import GAMES, LIST
from pbm_oust.grammar import values
from pbm_oust.grammar.form import AnsweredBy, Command, Cost, Form
from pbm_oust.grammar.grids import grid_meant, option_of, read_grid, write_grid
from pbm_oust.grammar.notation import Heading
from pbm_oust.grammar.parts import Option, Parameter
from pbm_oust.play.context import Context, Outcome, done
from pbm_oust.play.moving import NotOnBoard, side_on
from pbm_oust.play.notices import BoardNotice, Notice
from pbm_oust.play.starting import open_of, start_board
from pbm_oust.play.unit_of_work import ForEither, ForPlayer
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal, Unreadable
from pbm_oust.rules import Grid, Kind, Shape, Side, format_size, parse_size
from pbm_oust.store.accounts import next_seek_number
from pbm_oust.store.accounts import seeker as seeker_of
from pbm_oust.store.boards import NoSuchBoard
from pbm_oust.store.index import Source

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
    return read_grid(value, kind.own_shape)


def _read_hex(kind: Kind, value: str | None) -> Grid:
    if value is None:
        return kind.defaults[Shape.HEX]
    return read_grid(value, Shape.HEX, is_sure=True)


def _write(name: str) -> Callable[[Kind, Grid], str]:
    def write(kind: Kind, grid: Grid) -> str:
        option, value = option_of(kind, grid)
        return f"-{name}={value}" if option == name else ""

    return write


def _meant(name: str) -> Callable[[Kind, str], str | None]:
    def meant(kind: Kind, value: str) -> str | None:
        grid = grid_meant(value, kind.own_shape if name == "size" else Shape.HEX)
        return f"-{name}={write_grid(grid)}" if grid else None

    return meant


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
    _write("size"),
    takes="",
    sets="grid",
    usual=lambda kind: kind.default_grid,
    meant=_meant("size"),
)
_HEX = structs.replace(
    _SIZE,
    name="hex",
    forms=_hex_forms,
    read=_read_hex,
    write=_write("hex"),
    meant=_meant("hex"),
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
    on: Context, kind: Kind, x: str, o: str, grid: Grid | None = None, **terms: Any
) -> Header:
    """Return the header of the board that a challenge starts; `x` moves first.

    Options set the grid and some of the terms. Raises NotAllowed.
    """
    usable = usable_grid(kind, grid)
    return Header(kind, on.next_number(kind), usable, x, o, Terms(**terms), on.now)


def usable_grid(kind: Kind, grid: Grid | None) -> Grid:
    """Return a grid, or the usual one. Raises NotAllowed if the game cannot be played on it."""
    chosen = grid or kind.default_grid
    if not kind.plays_on(chosen):
        raise NotAllowed(UnusableGrid(kind, chosen))
    return chosen


def invite_by_challenge(
    on: Context, kind: Kind, x: str, o: str, grid: Grid | None = None, **terms: Any
) -> Outcome:
    """Invite whoever has the address in the place of a player, who moves first on either side.

    Raises NotAllowed.
    """
    address = o if x == on.player.userid else x
    return send_invitation(on, address, kind, usable_grid(kind, grid), Terms(**terms))


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


def _header_of_replay(on: Context, kind: Kind, board: int, record: int, x: str, o: str) -> Header:
    """Return the header of an unrated board from the position of another one after a record.

    Raises NotAllowed.
    """
    old = on.game(kind, board)
    origin = origin_after(old, record)
    terms = structs.replace(old.header.terms, swap=False, rated=False, binding=False)
    return Header(kind, on.next_number(kind), old.header.grid, x, o, terms, on.now, origin)


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


def rematch(on: Context, kind: Kind, board: int) -> Outcome:
    """Start a board like one that is over, with sides exchanged, and show it to both players."""
    earlier = on.game(kind, board)
    side_on(on.player.userid, earlier)
    if earlier.result is None:
        raise NotAllowed(NotOverYet(earlier))
    source = Source("rematch", board)
    known = on.started_from(kind, source)
    if known:
        raise NotAllowed(PlayedAgain(known, earlier.name))
    # x is whoever played o at the end of the game, after any swap.
    number, x, o = on.next_number(kind), earlier.o, earlier.x
    terms = structs.replace(earlier.header.terms, binding=False)
    header = structs.replace(earlier.header, board=number, x=x, o=o, terms=terms, started=on.now)
    make = partial(RematchNotice, earlier=earlier.name, challenger=on.player.userid)
    return start_board(on, header, source=source, make=make)


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


class SoughtNotice(Notice, frozen=True):
    """An open challenge was made or withdrawn."""

    is_made: bool
    seeks: tuple[tuple[Seek, str], ...]
    """The open challenges of the reader, with the userid."""


def seek(
    on: Context, kind: Kind, side: Side | None = None, grid: Grid | None = None, **terms: Any
) -> Outcome:
    """Offer a board to whoever joins; `side` is what the player wants."""
    usable = usable_grid(kind, grid)
    kept = open_of(on.own, on.now)
    if len(kept) >= MOST_SEEKS:
        raise NotAllowed(TooManySeeks(MOST_SEEKS))
    number = next_seek_number(on.snapshot, kind.name)
    made = Seek.of(number, kind.name, on.now, side, usable, Terms(**terms))
    return _with_seeks(on, (*kept, made), is_made=True)


def withdraw(on: Context, kind: Kind, number: int) -> Outcome:
    """Withdraw an open challenge of a player."""
    seeks = open_of(on.own, on.now)
    kept = [each for each in seeks if not each.is_named(kind.name, number)]
    if len(kept) == len(seeks):
        raise _no_such_seek(kind, number)
    return _with_seeks(on, tuple(kept), is_made=False)


def _with_seeks(on: Context, seeks: tuple[Seek, ...], *, is_made: bool) -> Outcome:
    """Let a player have these open challenges, and tell them."""
    account = on.save(structs.replace(on.own, seeks=seeks))
    named = tuple((each, account.userid) for each in seeks)
    return done([SoughtNotice(on.reader_at(account), is_made, named)])


def join(on: Context, kind: Kind, number: int) -> Outcome:
    """Start the board that an open challenge offers, which takes it."""
    found, seeker = _find(on, kind, number)
    if seeker.userid == on.player.userid:
        raise NotAllowed(OwnSeek())
    x, o = seeker.userid, on.player.userid
    if (found.side or _lot(on)) is Side.O:
        x, o = o, x
    header = Header(kind, on.next_number(kind), found.grid, x, o, found.terms, on.now)
    made = start_board(on, header, source=_source(number))
    left = tuple(each for each in seeker.seeks if each != found)
    on.save(structs.replace(seeker, seeks=left))
    return made


def _find(on: Context, kind: Kind, number: int) -> tuple[Seek, Account]:
    """Return an open challenge and its maker. Raises NotAllowed if there is none."""
    account = seeker_of(on.snapshot, kind.name, number)
    if account and not on.started_from(kind, _source(number)):
        for each in open_of(account, on.now):
            if each.is_named(kind.name, number):
                return each, account
    raise _no_such_seek(kind, number)


def _source(number: int) -> Source:
    return Source(SOURCE, number)


def _no_such_seek(kind: Kind, number: int) -> NotAllowed:
    return NotAllowed(NoSuchSeek(kind, number, LIFETIME.days))


def _lot(on: Context) -> Side:
    """Return the side of the seeker, drawn by a lot that nobody can foresee."""
    drawn = hmac.digest(on.home.key(), on.key.encode(), "sha256")
    return Side.O if drawn[0] % 2 else Side.X


JOIN = Form(
    "join",
    (values.NUMBERED, *values.OWN),
    answers={Topic.JOIN: AnsweredBy.LINK},
    cost=Cost(boards=1),
    instead=_open_challenges,
    run=ForPlayer(join),
)
FORMS: tuple[Form[ForPlayer | ForEither], ...] = (
    Form(
        "challenge",
        tuple(structs.replace(each, read=values.read_player) for each in TWO_PLAYERS),
        values.PASSWORD_IF_ANY,
        OPTIONS,
        cost=Cost(boards=1),
        instead=_usual_grid,
        run=ForEither(header_of, invite_by_challenge),
    ),
    Form(
        "seek",
        values.OWN,
        options=(*(_switch(side.value, "side", side) for side in Side), *OPTIONS),
        run=ForPlayer(seek),
    ),
    JOIN,
    Form(
        "unseek",
        (values.NUMBERED, *values.OWN),
        instead=_open_challenges,
        run=ForPlayer(withdraw),
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
        answers={Topic.CHAT: AnsweredBy.NAME},
        cost=Cost(boards=1),
        instead=_finished_games,
        run=ForPlayer(rematch),
    ),
)
