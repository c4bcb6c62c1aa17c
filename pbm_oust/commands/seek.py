"""The commands about open challenges: seek, unseek and join."""

from dataclasses import dataclass, replace
from typing import Any

from pbm_oust.commands.challenge import OPTIONS
from pbm_oust.commands.grammar import Form, Option, Parameter
from pbm_oust.commands.values import PASSWORD, USERID
from pbm_oust.header import Terms
from pbm_oust.notation import NUMBER
from pbm_oust.players import Secret
from pbm_oust.refusal import Unread, Unreadable
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.position import Kind, Side


@dataclass(frozen=True, slots=True)
class OpenChallenge:
    """Offer a board to whoever joins; `side` is the one that the seeker wants."""

    kind: Kind
    userid: str
    password: Secret
    side: Side | None
    grid: Grid
    terms: Terms


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Withdraw an open challenge."""

    kind: Kind
    number: int
    userid: str
    password: Secret


@dataclass(frozen=True, slots=True)
class Join:
    """Start the board that an open challenge offers."""

    kind: Kind
    number: int
    userid: str
    password: Secret


def _seek(
    kind: Kind,
    userid: str,
    password: Secret,
    *,
    side: Side | None = None,
    grid: Grid | None = None,
    **terms: Any,
) -> OpenChallenge:
    chosen = replace(Terms(), **terms)
    return OpenChallenge(kind, userid, password, side, grid or kind.default_grid, chosen)


def _read_number(word: str) -> int:
    if not NUMBER.fullmatch(word):
        raise Unreadable(Unread.BAD_NUMBER, word)
    return int(word)


def _side(side: Side) -> Option:
    """Return the option that asks for a side."""

    def read(_kind: Kind, value: str | None) -> Side:
        if value is not None:
            raise ValueError("takes no value")
        return side

    return Option(side.value, lambda _kind: f"[-{side.value}]", read, takes="nothing", sets="side")


_NUMBER = Parameter("NUMBER", _read_number)

FORMS = (
    Form("seek", _seek, (USERID, PASSWORD), options=(*map(_side, Side), *OPTIONS)),
    Form("unseek", Withdraw, (_NUMBER, USERID, PASSWORD)),
    Form("join", Join, (_NUMBER, USERID, PASSWORD)),
)
