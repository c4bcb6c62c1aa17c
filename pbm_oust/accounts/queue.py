"""What players have queued, and what follows a move by itself. Pure.

    Plan: oust 17 5 4f0c1d2e9a8b7c6d if F6 then D4,E5
    Plan: oust 17 5 4f0c1d2e9a8b7c6d D4

So plans read in the owner's account: the board, the number that its next record had, the message
key of the mail that queued it, the turn of the other player that it answers, and the answer. A plan
is bound to the position at that number; whether it still waits follows from the board alone, so
that one that has had its time does no harm.
"""

import hashlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import Enum
from functools import lru_cache
from typing import ClassVar, Self

from msgspec import Struct, field

from pbm_oust.accounts.items import Key, Number, OnBoard
from pbm_oust.board import PLAYING, Action, Deed, Game, Place, Record, Wish
from pbm_oust.board.notation import MOST_REMEMBERED, format_wish, parse_wish
from pbm_oust.refusal import Refusal

MOST_CLAUSES = 20
"""The most clauses that may be queued on one board."""


class Prospect(Enum):
    """What may become of a plan."""

    WAITS = "waits"
    """The other player has not finished the turn that it may answer."""
    DUE = "due"
    """That turn is made, and the plan's answer is wanted."""
    GONE = "gone"
    """The board has taken another way."""


class Clause(Struct, frozen=True):
    """A turn to play: after one turn of the other player, or after any where none is named."""

    answer: Wish
    condition: Wish | None = None

    def __str__(self) -> str:
        answer = format_wish(self.answer)
        return f"if {format_wish(self.condition)} then {answer}" if self.condition else answer


class Plan(OnBoard, frozen=True, kw_only=True):
    """A clause that was queued on a board, and the position that it is bound to.

    `Plan.of` makes one.
    """

    word: ClassVar[str] = "Plan"
    number: Number = field(name="record")
    """The number that the next record had when this was queued."""
    message_key: Key
    """The message key of the mail that queued it."""
    condition: str | None = None
    answer: str

    def __post_init__(self) -> None:
        _clause(self.answer, self.condition)

    @classmethod
    def of(cls, kind: str, board: int, number: int, message_key: str, clause: Clause) -> Self:
        """Return a clause that is queued on a board."""
        return cls(
            kind=kind,
            board=board,
            number=number,
            message_key=message_key,
            condition=format_wish(clause.condition) if clause.condition else None,
            answer=format_wish(clause.answer),
        )

    @property
    def clause(self) -> Clause:
        """The turn to play."""
        return _clause(self.answer, self.condition)

    def __str__(self) -> str:
        """Return how a person reads it."""
        return f"{self.name} {self.number} {self.message_key} {self.clause}"

    def key_at(self, number: int) -> str:
        """Return the message key of the record of this number, if this plan leads to it."""
        return derived_key(self.message_key, number)

    def prospect(self, game: Game, userid: str) -> Prospect:
        """Return what may become of this plan of a player, by what was done on its board since."""
        turn = _turn_since(game, self.number, userid) if self.is_on(game) else None
        if turn is None:
            return Prospect.GONE
        condition = self.clause.condition
        if turn.is_over:
            fits = condition in (None, turn.wish)
            return Prospect.DUE if fits else Prospect.GONE
        waits = condition is None or turn.may_become(condition)
        return Prospect.WAITS if waits else Prospect.GONE


class _Turn(Struct, frozen=True):
    """What a player has done since a position, and whether it is the other one's turn then."""

    done: tuple[Action, ...]
    is_over: bool

    @property
    def cells(self) -> tuple[str, ...]:
        return tuple(each.cell for done in self.done if isinstance(done, tuple) for each in done)

    @property
    def wish(self) -> Wish | None:
        """The whole turn as a player names it."""
        if len(self.done) == 1 and isinstance(self.done[0], Deed):
            return self.done[0]
        return Place(self.cells) if self.cells else None

    def may_become(self, wish: Wish) -> bool:
        """Return whether the turn may yet be this one."""
        if not self.done:
            return True
        cells = wish.cells if isinstance(wish, Place) else ()
        return len(self.cells) < len(cells) and cells[: len(self.cells)] == self.cells


def derived_key(key: str, number: int) -> str:
    """Return the message key of a record that a mail led to later: always the same one."""
    return hashlib.sha256(f"{key}\0{number}".encode()).hexdigest()[:16]


def waiting(plans: Iterable[Plan], userid: str, game: Game) -> tuple[Plan, ...]:
    """Return the plans of a player that still wait on a game's board."""
    return tuple(plan for plan in plans if plan.prospect(game, userid) is Prospect.WAITS)


@lru_cache(maxsize=MOST_REMEMBERED)
def _clause(answer: str, condition: str | None) -> Clause:
    return Clause(_played(answer), _played(condition) if condition else None)


def _played(text: str) -> Wish:
    wish = parse_wish(text)
    if isinstance(wish, Deed) and wish not in PLAYING:
        raise ValueError(f"{text!r} is no turn")
    return wish


def _turn_since(game: Game, number: int, userid: str) -> _Turn | None:
    """Return what the other player has done since a position in which it was their turn.

    None if it was not their turn, or if more than that turn was done since. What they took back
    before anybody knew of it counts as not done.
    """
    past = game.after(number - 1)
    other = past.player_to_move
    if game.result or number > game.next_number or not past.side_of(userid) or other == userid:
        return None
    done: list[Action] = []
    for record in game.records[number - 1 :]:
        mover = past.player_to_move
        past = past.redo(record)
        if record.is_playing and mover == other:
            done.append(record.action)
        elif record.action is Deed.RETRACT and done:
            done.pop()
        elif not record.is_talk:
            return None
    return _Turn(tuple(done), past.player_to_move == userid)


MOST_FOLLOWED = 50
"""How many records may follow a move."""


class Orders(Struct, frozen=True):
    """What a player has settled ahead."""

    plans: tuple[Plan, ...] = ()
    autopass: bool = False


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
    return record.message_key == _key_of_pass(game, record.number)


def _next(game: Game, orders: Orders, at: datetime) -> Game:
    if game.result:
        return game
    for plan in orders.plans:
        if plan.prospect(game, game.player_to_move) is Prospect.DUE:
            try:
                key = plan.key_at(game.next_number)
                return game.act(game.to_move, plan.clause.answer, at, key)
            except Refusal:
                continue
    if orders.autopass and game.must_pass:
        return game.act(game.to_move, Deed.PASS, at, _key_of_pass(game, game.next_number))
    return game


def _key_of_pass(game: Game, number: int) -> str:
    """Return the message key of a pass by the server: made from that of the record before it."""
    before = game.records[number - 2].message_key if number > 1 else ""
    return derived_key(before, number)
