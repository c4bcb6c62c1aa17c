"""The command that starts a board: `oust challenge alice bob secret -size=13`."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from pbm_oust.accounts.password import Secret
from pbm_oust.board.header import Header, Terms
from pbm_oust.grammar.form import Cost, Form
from pbm_oust.grammar.notation import Command, Heading
from pbm_oust.grammar.parts import Option, Parameter
from pbm_oust.grammar.values import PASSWORD_IF_ANY, read_userid
from pbm_oust.play.forms import ForTwoPlayers
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal
from pbm_oust.rules.grid import Grid, Shape, format_size, parse_size
from pbm_oust.rules.position import Kind

LONGEST_TIME = 3650
"""The most days that a time option takes."""


@dataclass(frozen=True, slots=True)
class UnusableGrid(NotAllowedReason):
    """The game cannot be played on the grid."""

    kind: Kind
    grid: Grid


@dataclass(frozen=True, slots=True)
class Challenge(Command):
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
        return replace(self, grid=self.kind.default_grid, terms=Terms())


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
)
