"""What follows a move by itself: turns that were queued, and passes where nothing else is possible.

Pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from pbm_oust.game import Game
from pbm_oust.plans import Plan, Prospect, derived_cause, plans_of
from pbm_oust.players import Account
from pbm_oust.record import Deed, Record
from pbm_oust.refusal import Refusal
from pbm_oust.settings import Switch, settings_of

MOST_FOLLOWED = 50
"""How many records may follow a move."""


@dataclass(frozen=True, slots=True)
class Orders:
    """What a player has settled ahead."""

    plans: tuple[Plan, ...] = ()
    autopass: bool = False


def orders_of(account: Account) -> Orders:
    """Return what a player has settled ahead. Raises BadAccount."""
    return Orders(plans_of(account), settings_of(account).autopass is Switch.ON)


def follow(game: Game, orders: Mapping[str, Orders], at: datetime) -> Game:
    """Return the game after all that its players have settled ahead; the same where that is none.

    `orders` are by userid. The records have ids of their own, made from those of the mails that
    led to them.
    """
    for _ in range(MOST_FOLLOWED):
        following = _next(game, orders.get(game.player_to_move, Orders()), at)
        if following is game:
            break
        game = following
    return game


def is_passed_for(game: Game, record: Record) -> bool:
    """Return whether the server passed for a player in a record of a game."""
    if record.action is not Deed.PASS:
        return False
    return record.cause == _cause_of_pass(game, record.number)


def _next(game: Game, orders: Orders, at: datetime) -> Game:
    if game.result:
        return game
    for plan in orders.plans:
        if plan.prospect(game, game.player_to_move) is Prospect.DUE:
            try:
                cause = plan.cause_at(game.next_number)
                return game.act(game.to_move, plan.clause.answer, at, cause)
            except Refusal:
                continue
    if orders.autopass and game.must_pass:
        return game.act(game.to_move, Deed.PASS, at, _cause_of_pass(game, game.next_number))
    return game


def _cause_of_pass(game: Game, number: int) -> str:
    """Return the id of the record of a pass by the server: made from the record before it."""
    before = game.records[number - 2].cause if number > 1 else ""
    return derived_cause(before, number)
