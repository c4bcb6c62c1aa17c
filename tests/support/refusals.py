"""Refusals with the facts that they come with, at least one for each reason."""

from collections.abc import Iterator
from dataclasses import MISSING, fields
from datetime import UTC, datetime
from importlib import import_module
from itertools import product
from pkgutil import walk_packages
from typing import Any, get_type_hints
from zoneinfo import ZoneInfo

import pbm_oust
from pbm_oust.accounts.vacations import Absence
from pbm_oust.board.game import Game
from pbm_oust.board.header import Terms
from pbm_oust.board.reasons import AfterTurn, AgainstRules, OfferWaits, OffGrid
from pbm_oust.board.record import Place
from pbm_oust.grammar.form import BadOptionValue, MissingWord
from pbm_oust.grammar.wish import BadPlacement
from pbm_oust.refusal import (
    Barred,
    Illegal,
    IllegalReason,
    NotAllowed,
    NotAllowedReason,
    Reason,
    Refusal,
    Unreadable,
    UnreadableReason,
)
from pbm_oust.rules.churn import NotSmallest, TouchesFriend
from pbm_oust.rules.grid import parse_grid
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.oust import EnemyAsLarge, TakesNothing
from pbm_oust.rules.position import Kind, Occupied
from pbm_oust.service.answers import MoreThanDeed
from tests.support.games import new_game, play

OUST, CHURN = KINDS["oust"], KINDS["churn"]
ZONE = ZoneInfo("Europe/Paris")
AWAY = Absence(datetime(2026, 12, 20, 23, tzinfo=UTC), datetime(2027, 1, 3, 23, tzinfo=UTC))
NEW = new_game()
BEGUN = play(NEW, "x G7", "o D4", "x K10")
OVER = play(BEGUN, "o resign")
FIRST = new_game(terms=Terms(swap=False))
CHURNING = new_game("hex 3", kind="churn")
WISH = Place(("D4", "E5"))

_BARRED: list[tuple[Barred, str, dict[str, Any]]] = [
    (Barred.NO_SUCH_BOARD, "18", {"kind": OUST, "board": 18}),
    (Barred.OLD_ANSWER, "", {"game": BEGUN, "number": 2}),
    (Barred.NO_SUCH_RECORD, "#9", {"game": BEGUN, "number": 9}),
    (Barred.NO_SUCH_RECORD, "#9", {"game": play(NEW, "x G7"), "number": 9}),
    (Barred.NO_SUCH_PLAYER, "carol", {}),
    (Barred.NO_SUCH_PLAYER, "", {}),
    (Barred.WRONG_PASSWORD, "carol", {}),
    (Barred.WRONG_PASSWORD, "", {}),
    (Barred.WRONG_PASSWORD_CASE, "carol", {}),
    (Barred.WRONG_PASSWORD_CASE, "", {}),
    (Barred.STRANGE_ADDRESS, "", {}),
    (Barred.ACCOUNT_REMOVED, "carol", {}),
    (Barred.USERID_TAKEN, "carol", {"userid": "carol", "free": "carol2"}),
    (Barred.NO_SUCH_CODE, "", {}),
    (Barred.HAS_ACCOUNT, "carol", {"userid": "carol"}),
    (Barred.PASSWORD_MISSING, "", {}),
    (Barred.TOO_MANY_ADDRESSES, "", {"most": 9}),
    (Barred.TOO_MANY_WRONG, "carol", {}),
    (Barred.SIGNED_OFF, "carol", {"own": True}),
    (Barred.SIGNED_OFF, "carol", {"own": False}),
    (Barred.SIGNED_OFF, "", {"own": False}),
    (Barred.UNUSABLE_GRID, "", {"kind": CHURN, "grid": parse_grid("hex 2,4")}),
    (Barred.UNUSABLE_GRID, "", {"kind": OUST, "grid": parse_grid("hex 2,4")}),
    (Barred.REFUSED_BEFORE, "", {}),
    (Barred.NOT_ON_BOARD, "", {"game": BEGUN, "userid": "carol"}),
    (Barred.NOTHING_WRITTEN, "", {"game": BEGUN}),
    (Barred.OTHER_RECORD, "#9", {"game": BEGUN, "guard": 9}),
    (Barred.YOUR_OWN_TURN, "", {"game": BEGUN}),
    (Barred.PLAN_AFTER_END, "", {"game": BEGUN, "condition": "F6"}),
    (Barred.PLAN_WITHIN_TURN, "", {"game": BEGUN, "condition": "F6"}),
    (Barred.NOTHING_SUBMITTED, "", {"game": BEGUN}),
    (Barred.BOARD_CHANGED, "", {"game": BEGUN, "number": 2, "wish": WISH}),
    (Barred.REPLAY_OF_THE_END, "", {"game": OVER, "number": 4}),
    (Barred.NO_SUCH_SEEK, "", {"kind": OUST, "number": 5, "days": 28}),
    (Barred.OWN_SEEK, "", {"kind": OUST, "number": 5}),
    (Barred.TOO_MANY_SEEKS, "", {"most": 9}),
    (Barred.VACATION_PAST, "2026-11-01", {"today": "2026-11-21", "zone": ZONE}),
    (Barred.VACATION_FAR, "2030-11-01", {"most": 365}),
    (Barred.VACATION_OVERLAPS, "2026-12-24", {"other": AWAY, "zone": ZONE}),
    (Barred.VACATION_TOO_LONG, "31", {"allowance": 30, "year": 2026, "left": 12}),
    (Barred.NO_VACATION, "", {}),
    (Barred.DISABLED, "", {"userid": "carol", "own": True}),
    (Barred.DISABLED, "", {"userid": "carol", "own": False}),
    (Barred.REJECTED, "carol", {"userid": "carol", "challenger": "alice"}),
    *(
        (Barred.LIMIT_REACHED, "carol", {"userid": "carol", "limit": limit, "active": active})
        for limit, active in ((1, 1), (2, 2), (2, 4))
    ),
    (Barred.REJECTS_SELF, "", {}),
    (Barred.NOTE_TOO_LONG, "", {"game": BEGUN, "length": 2500, "most": 2000}),
    (Barred.PLAYS_THERE, "", {"game": BEGUN}),
    (Barred.TOO_MANY_WATCHED, "", {"game": BEGUN, "most": 9}),
    (Barred.TOO_MANY_BROADCASTS, "", {"most": 3}),
]


_FAULTS = (
    (BEGUN, Occupied()),
    (BEGUN, TakesNothing(3)),
    (BEGUN, EnemyAsLarge(3, 4, "F6")),
    (CHURNING, TouchesFriend()),
    (CHURNING, NotSmallest(4, 2)),
)

_CHOSEN: list[Refusal] = [
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
    *(Illegal(AfterTurn(BEGUN, 2, ("D4",), won), "E5") for won in (True, False)),
    *(
        Illegal(AgainstRules(game, nth, ("D4",) * (nth - 1), fault, game.position), "E5")
        for game, fault in _FAULTS
        for nth in (1, 2)
    ),
]
"""Those whose facts have to go together, or that always show the part at fault."""

_VALUES: dict[object, tuple[object, ...]] = {
    str: ("carol",),
    int: (9,),
    bool: (True, False),
    str | None: ("move", None),
    tuple[str, ...]: (("move", "show"),),
    Game: (BEGUN,),
    Kind: (OUST,),
}
"""What stands for facts of a type elsewhere."""


def all_reasons() -> list[type[Reason]]:
    """Return the classes of all reasons that some module of ours has."""
    for module in walk_packages(pbm_oust.__path__, "pbm_oust."):
        import_module(module.name)
    return [reason for leaf in _LEAVES for reason in _derived(leaf)]


def _derived(base: type[Reason]) -> Iterator[type[Reason]]:
    """Yield what derives last from a class; not what a decorator has replaced."""
    for reason in base.__subclasses__():
        if getattr(import_module(reason.__module__), reason.__name__) is reason:
            yield from list(_derived(reason)) or [reason]


def _examples(reason: type[Reason]) -> Iterator[Refusal]:
    """Yield refusals for a reason, in each of its ways to be put into words."""
    refusal = next(_LEAVES[leaf] for leaf in _LEAVES if issubclass(reason, leaf))
    types = get_type_hints(reason, localns={"Game": Game})
    wanted = [each.name for each in fields(reason) if each.default is MISSING]
    for values in product(*(_VALUES[types[name]] for name in wanted)):
        for culprit in ("carol", ""):
            yield refusal(reason(**dict(zip(wanted, values, strict=True))), culprit)


_LEAVES: dict[type[Reason], type[Refusal]] = {
    UnreadableReason: Unreadable,
    NotAllowedReason: NotAllowed,
    IllegalReason: Illegal,
}

_OLD: list[Refusal] = [
    *(NotAllowed(reason, culprit, **facts) for reason, culprit, facts in _BARRED),
]

REFUSALS: list[Refusal] = [
    *_OLD,
    *_CHOSEN,
    *(
        refusal
        for reason in all_reasons()
        if reason not in {type(refusal.reason) for refusal in _CHOSEN}
        for refusal in _examples(reason)
    ),
]
"""Every reason, in each of its ways to be put into words."""
