"""The commands that start boards and show them: challenge, show, games."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pbm_oust.commands.grammar import Form, Option, Parameter, Rest
from pbm_oust.commands.values import (
    FILTERS,
    BoardAt,
    Filter,
    read_board_at,
    read_userid,
    read_userids_and_filter,
)
from pbm_oust.game import Terms
from pbm_oust.refusal import Unread, Unreadable
from pbm_oust.rules.grid import Grid, Shape, parse_size
from pbm_oust.rules.position import Kind

LONGEST_TIME = 3650
"""The most days that a time option takes."""


@dataclass(frozen=True, slots=True)
class Challenge:
    """Start a board; `x` moves first."""

    kind: Kind
    x: str
    o: str
    grid: Grid
    terms: Terms


@dataclass(frozen=True, slots=True)
class Show:
    """Draw these boards, or the boards of these players that the filter leaves."""

    kind: Kind
    boards: tuple[BoardAt, ...]
    userids: tuple[str, ...]
    filter: Filter


@dataclass(frozen=True, slots=True)
class Games:
    """List the boards of these players, or of everybody, that the filter leaves."""

    kind: Kind
    userids: tuple[str, ...]
    filter: Filter


def _challenge(
    kind: Kind, x: str, o: str, *, grid: Grid | None = None, **terms: bool | int
) -> Challenge:
    chosen = replace(Terms(), **terms)  # type: ignore[arg-type]  # the options name its fields
    return Challenge(kind, x, o, grid or kind.default_grid, chosen)


def _read_size(kind: Kind, value: str | None) -> Grid:
    if value is None:
        raise ValueError("a size is wanted")
    return parse_size(kind.own_shape, value)


def _read_hex(kind: Kind, value: str | None) -> Grid:
    if value is None:
        return kind.defaults[Shape.HEX]
    return parse_size(Shape.HEX, value)


def _show_size(kind: Kind) -> str:
    sizes = ("13", "11x9") if kind.own_shape is Shape.SQUARE else ("3", "3,4")
    return "[" + "|".join(f"-size={size}" for size in sizes) + "]"


def _show_hex(kind: Kind) -> str:
    other = kind.own_shape is not Shape.HEX and Shape.HEX in kind.defaults
    return "[-hex|-hex=7|-hex=3,4]" if other else ""


def _switch(name: str, term: str) -> Option:
    """Return the option that turns something off by its mere presence."""

    def read(_kind: Kind, value: str | None) -> bool:
        if value is not None:
            raise ValueError("takes no value")
        return False

    return Option(name, lambda _kind: f"[-{name}]", read, sets=term)


def _days(name: str, least: int) -> Option:
    """Return the option for a time in days."""

    def read(_kind: Kind, value: str | None) -> int:
        days = int(value) if value and value.isascii() and value.isdigit() else -1
        if not least <= days <= LONGEST_TIME:
            raise ValueError("not so many days")
        return days

    return Option(name, lambda _kind: f"[--{name}={getattr(Terms(), name)}]", read, sets=name)


_Chosen = tuple[tuple[BoardAt, ...], tuple[str, ...], Filter]


def _read_boards_or_userids(words: Sequence[str]) -> _Chosen:
    """Return the boards that all of the words name, or the userids and the filter behind them."""
    if words[0][:1].isdigit():
        return tuple(read_board_at(word) for word in words), (), Filter.ALL
    userids, chosen = read_userids_and_filter(words)
    if not userids:
        raise Unreadable(Unread.MISSING_WORD, missing="BOARD or USERID")
    return (), userids, chosen


def _show(kind: Kind, chosen: _Chosen) -> Show:
    return Show(kind, *chosen)


def _games(kind: Kind, chosen: tuple[tuple[str, ...], Filter]) -> Games:
    return Games(kind, *chosen)


FORMS = (
    Form(
        "challenge",
        _challenge,
        (Parameter("USERID1", read_userid), Parameter("USERID2", read_userid)),
        options=(
            Option("size", _show_size, _read_size, sets="grid"),
            Option("hex", _show_hex, _read_hex, sets="grid"),
            _switch("noswap", "swap"),
            _switch("unrated", "rated"),
            _days("nagtime", 1),
            _days("forfeittime", 1),
            _days("totaltime", 0),
        ),
    ),
    Form(
        "show",
        _show,
        rest=Rest(("BOARD[#N]..", f"USERID.. [{FILTERS}]"), _read_boards_or_userids),
    ),
    Form(
        "games",
        _games,
        rest=Rest((f"[USERID..] [{FILTERS}]",), read_userids_and_filter, least=0),
    ),
)
