"""Refusals with their facts, at least one for each reason."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from importlib import import_module
from itertools import product
from pkgutil import walk_packages
from typing import get_type_hints
from zoneinfo import ZoneInfo

from msgspec import NODEFAULT
from msgspec.structs import replace

import pbm_oust
from pbm_oust.accounts.vacations import Absence
from pbm_oust.board import Game, Place
from pbm_oust.board.reasons import AfterTurn, AgainstRules, NoSuchRecord, OfferWaits, OffGrid
from pbm_oust.commands.challenge import UnusableGrid
from pbm_oust.commands.play import ChangedSinceSubmit
from pbm_oust.commands.vacation import Leave, SaidLoosely, VacationFar, VacationPast
from pbm_oust.grammar.form import MissingWord
from pbm_oust.grammar.parts import BadOptionValue
from pbm_oust.grammar.wish import BadPlacement
from pbm_oust.play.authentication import TooMuch
from pbm_oust.play.moving import OldAnswer
from pbm_oust.play.starting import LimitReached
from pbm_oust.refusal import (
    Illegal,
    IllegalReason,
    NotAllowed,
    NotAllowedReason,
    Reason,
    Refusal,
    Unreadable,
    UnreadableReason,
)
from pbm_oust.rules import KINDS, Kind, parse_grid
from pbm_oust.rules.churn import NotSmallest, TouchesFriend
from pbm_oust.rules.oust import EnemyAsLarge, TakesNothing
from pbm_oust.rules.position import Occupied
from pbm_oust.service.answers import MoreThanDeed
from pbm_oust.store.analyses import Obstacle
from pbm_oust.store.limits import SETTABLE, Charge
from pbm_oust.tournaments.cup import Cup, State
from pbm_oust.tournaments.ladder import Hindrance
from tests.support.games import new_game, play

OUST, CHURN = KINDS["oust"], KINDS["churn"]
ZONE = ZoneInfo("Europe/Paris")
AWAY = Absence(datetime(2026, 12, 20, 23, tzinfo=UTC), datetime(2027, 1, 3, 23, tzinfo=UTC))
UNTIL = datetime(2026, 11, 20, 13, tzinfo=UTC)
NEW = new_game()
BEGUN = play(NEW, "x G7", "o D4", "x K10")
CHURNING = new_game("hex 3", kind="churn")

_FAULTS = (
    (BEGUN, Occupied()),
    (BEGUN, TakesNothing(3)),
    (BEGUN, EnemyAsLarge(3, 4, "F6")),
    (CHURNING, TouchesFriend()),
    (CHURNING, NotSmallest(4, 2)),
)

_CHOSEN: list[Refusal] = [
    *(NotAllowed(NoSuchRecord(game, 9), "#9") for game in (BEGUN, play(NEW, "x G7"))),
    NotAllowed(OldAnswer(BEGUN, 2)),
    NotAllowed(ChangedSinceSubmit(BEGUN, 2, Place(("D4", "E5")))),
    *(NotAllowed(UnusableGrid(kind, parse_grid("hex 2,4"))) for kind in (CHURN, OUST)),
    *(
        NotAllowed(LimitReached("carol", limit, active), "carol")
        for limit, active in ((1, 1), (2, 2), (2, 4))
    ),
    *(
        NotAllowed(TooMuch(Charge(counted, "alice"), most, UNTIL))
        for counted, most in product(SETTABLE.values(), (1, 20))
    ),
    NotAllowed(VacationPast(date(2026, 11, 21), ZONE), "2026-11-01"),
    NotAllowed(VacationFar(365), "2030-11-01"),
    NotAllowed(SaidLoosely(Leave(date(2026, 12, 1), 7))),
    *(Unreadable(MissingWord(places)) for places in (("USERID",), ("CODE", "pass|swap[#N]"))),
    Unreadable(BadPlacement(is_in_column_i=True), "I4"),
    Unreadable(BadPlacement(right="D4"), "4d"),
    Unreadable(BadPlacement(), "D"),
    Unreadable(BadPlacement()),
    *(
        Unreadable(BadOptionValue(("-hex", "-hex=7"), takes), culprit)
        for culprit, takes in (
            *(("-size=99", "square"), ("-hex=99", "hex"), ("--nagtime=x", "days")),
            *(("-noswap=1", "nothing"), ("", "hex")),
        )
    ),
    Unreadable(MoreThanDeed(right="pass")),
    *(
        NotAllowed(OfferWaits(play(BEGUN, offer), own))
        for offer in ("x propose", "x undo")
        for own in (True, False)
    ),
    *(Illegal(OffGrid(BEGUN, nth), "E5") for nth in (1, 2)),
    *(Illegal(AfterTurn(BEGUN, 2, ("D4",), over), "E5") for over in (True, False)),
    *(
        Illegal(AgainstRules(game, nth, ("D4",) * (nth - 1), fault, game.position), "E5")
        for game, fault in _FAULTS
        for nth in (1, 2)
    ),
]
"""Those whose facts have to fit each other, or that always show the part at fault."""

_CUP = Cup(
    kind="oust",
    number=3,
    title="Spring cup",
    grid_name="square 5x5",
    terms_words="swap rated nagtime=7 forfeittime=21",
    size=4,
    starts=UNTIL,
)
_VALUES: dict[object, tuple[object, ...]] = {
    str: ("carol",),
    int: (9,),
    bool: (True, False),
    str | None: ("move", None),
    tuple[str, ...]: (("move", "show"),),
    Game: (BEGUN,),
    Kind: (OUST,),
    Absence: (AWAY,),
    ZoneInfo: (ZONE,),
    datetime: (UNTIL,),
    Hindrance: tuple(Hindrance),
    Obstacle: tuple(Obstacle),
    Cup: (_CUP, replace(_CUP, state=State.RUNNING)),
}
"""Facts of each type for all others."""


def all_reasons() -> list[type[Reason]]:
    """Return the classes of all reasons in our modules."""
    for module in walk_packages(pbm_oust.__path__, "pbm_oust."):
        import_module(module.name)
    return [reason for leaf in _LEAVES for reason in _derived(leaf)]


def _derived(base: type[Reason]) -> Iterator[type[Reason]]:
    """Yield what derives last from a class."""
    for reason in base.__subclasses__():
        yield from list(_derived(reason)) or [reason]


def _examples(reason: type[Reason]) -> Iterator[Refusal]:
    """Yield refusals for a reason, one for each way of putting it into words."""
    refusal = next(_LEAVES[leaf] for leaf in _LEAVES if issubclass(reason, leaf))
    types = get_type_hints(reason, localns={"Game": Game})
    names, defaults = reason.__struct_fields__, reason.__struct_defaults__
    needed = names[: len(names) - len(defaults)]
    wanted = [
        *needed,
        *(
            name
            for name, each in zip(names[len(needed) :], defaults, strict=True)
            if each is NODEFAULT
        ),
    ]
    for values in product(*(_VALUES[types[name]] for name in wanted)):
        for culprit in ("carol", ""):
            yield refusal(reason(**dict(zip(wanted, values, strict=True))), culprit)


_LEAVES: dict[type[Reason], type[Refusal]] = {
    UnreadableReason: Unreadable,
    NotAllowedReason: NotAllowed,
    IllegalReason: Illegal,
}

REFUSALS: list[Refusal] = [
    *_CHOSEN,
    *(
        refusal
        for reason in all_reasons()
        if reason not in {type(refusal.reason) for refusal in _CHOSEN}
        for refusal in _examples(reason)
    ),
]
"""Every reason, in each way of putting it into words."""
