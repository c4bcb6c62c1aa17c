"""Queued moves of players, and the records that follow a move by themselves. Pure.

    Plan: oust 17 5 4f0c1d2e9a8b7c6d if F6 then D4,E5
    Plan: oust 17 5 4f0c1d2e9a8b7c6d if G7 then F2 if G3 then H3
    Plan: oust 17 5 4f0c1d2e9a8b7c6d D4

So plans read in the owner's account: the board, the number that its next record had, the message
key of the mail that queued it, and turns of both players in their order, the last of them an
answer. A plan is bound to the position at that number, and each answer to the turns before it;
whether it still holds follows from the board alone, so that one that has had its time does no harm.
All plans on a board are one tree: where their turns are the same, so are their answers.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache, reduce
from itertools import groupby
from typing import ClassVar, Self

from msgspec import Struct, field

from pbm_oust.accounts.items import Key, Number, OnBoard
from pbm_oust.board import PLAYING, Deed, Game, Place, Record, Ruling, Wish
from pbm_oust.board.notation import MOST_REMEMBERED, format_wish, parse_wish
from pbm_oust.refusal import Refusal

MOST_CLAUSES = 20
"""The most answers that a command may queue."""
MOST_ANSWERS = 60
"""The most answers that may be queued on one board."""


class Clause(Struct, frozen=True):
    """Turns of both players in order, the last one an answer to be played.

    The first turn is the other player's. Where the number of turns is odd, it is an answer, too: to
    any turn.
    """

    turns: tuple[Wish, ...]

    @property
    def is_for_any(self) -> bool:
        """Whether it begins with an answer to any turn of the other player."""
        return len(self.turns) % 2 == 1

    @property
    def depth(self) -> int:
        """The number of answers before the last one."""
        return (len(self.turns) - 1) // 2

    @property
    def step(self) -> str:
        """The other player's last turn in it, and the answer to that."""
        return str(Clause(self.turns[-2:]))

    @property
    def beginnings(self) -> tuple["Clause", ...]:
        """The clauses up to each answer; the last one is the whole clause."""
        ends = range(len(self.turns) % 2 or 2, len(self.turns) + 1, 2)
        return tuple(Clause(self.turns[:end]) for end in ends)

    def begins_with(self, other: "Clause") -> bool:
        """Return whether another clause is a beginning of this one, or the same."""
        return self.turns[: len(other.turns)] == other.turns

    def __str__(self) -> str:
        """Return the clause as a player writes it: `if F6 then F2 if G3 then H3`, or just `D4`."""
        words = [format_wish(turn) for turn in self.turns]
        first = [words.pop(0)] if self.is_for_any else []
        pairs = zip(words[::2], words[1::2], strict=True)
        return " ".join([*first, *(f"if {turn} then {answer}" for turn, answer in pairs)])


def with_clauses(queued: Iterable[Clause], added: Iterable[Clause]) -> tuple[Clause, ...]:
    """Return the queue with more clauses; each replaces other answers to the same turns."""
    return reduce(_with_clause, added, tuple(queued))


def _with_clause(queued: tuple[Clause, ...], added: Clause) -> tuple[Clause, ...]:
    answers = {each.turns[:-1]: each.turns[-1] for each in added.beginnings}
    kept = [
        clause
        for clause in queued
        if all(answers.get(each.turns[:-1]) in (None, each.turns[-1]) for each in clause.beginnings)
    ]
    if any(clause.begins_with(added) for clause in kept):
        return tuple(kept)
    return (*(clause for clause in kept if not added.begins_with(clause)), added)


def without_clause(queued: Iterable[Clause], dropped: Clause) -> tuple[Clause, ...]:
    """Return the queue without the last answer of a clause, and without clauses beyond it."""
    queued = tuple(queued)
    kept = tuple(clause for clause in queued if not clause.begins_with(dropped))
    before = Clause(dropped.turns[:-2])
    return _with_clause(kept, before) if before.turns and len(kept) < len(queued) else kept


def tree(queued: Iterable[Clause]) -> tuple[Clause, ...]:
    """Return a clause for each queued answer, in the order of a tree.

    Answers to any turn are last, as they are played last.
    """
    each_once = dict.fromkeys(each for clause in queued for each in clause.beginnings)
    places = {clause: (clause.is_for_any, nth) for nth, clause in enumerate(each_once)}
    return tuple(sorted(places, key=lambda clause: [places[each] for each in clause.beginnings]))


class Plan(OnBoard, frozen=True, kw_only=True):
    """A clause queued on a board, and its starting position.

    `Plan.of` makes one.
    """

    word: ClassVar[str] = "Plan"
    number: Number = field(name="record")
    """The number that the next record had when the plan was queued."""
    message_key: Key
    """The message key of the mail with the plan."""
    condition: str | None = None
    """The turns before the last answer: `F6`, or `F6 F2 G3`."""
    answer: str

    def __post_init__(self) -> None:
        _clause(self.answer, self.condition)

    @classmethod
    def of(cls, kind: str, board: int, number: int, message_key: str, clause: Clause) -> Self:
        """Return the plan of a clause on a board."""
        *before, answer = map(format_wish, clause.turns)
        return cls(
            kind=kind,
            board=board,
            number=number,
            message_key=message_key,
            condition=" ".join(before) or None,
            answer=answer,
        )

    @property
    def clause(self) -> Clause:
        """The turns from the starting position on."""
        return _clause(self.answer, self.condition)

    def __str__(self) -> str:
        """Return the plan for people."""
        return f"{self.name} {self.number} {self.message_key} {self.clause}"

    def key_at(self, number: int) -> str:
        """Return the message key of the record of this number, if it came from this plan."""
        return derived_key(self.message_key, number)


def derived_key(key: str, number: int) -> str:
    """Return the message key of a record that follows from a mail later: always the same one."""
    return hashlib.sha256(f"{key}\0{number}".encode()).hexdigest()[:16]


def leads_to(plans: Iterable[Plan], game: Game, record: Record) -> bool:
    """Return whether a record of a game came from some plans."""
    key = record.message_key
    return any(plan.is_on(game) and plan.key_at(record.number) == key for plan in plans)


def standing(plans: Iterable[Plan], userid: str, game: Game) -> dict[Clause, Plan]:
    """Return the valid plans of a player on a board, by the rest of each clause.

    On the player's turn, the rest begins with an answer. Answers to any turn are last.
    """
    found = dict[Clause, Plan]()
    done = dict[int, _Done | None]()
    for plan in sorted(plans, key=lambda plan: plan.clause.is_for_any):
        if not plan.is_on(game):
            continue
        if plan.number not in done:
            done[plan.number] = _done_since(game, plan.number, userid)
        since = done[plan.number]
        rest = since.rest_of(plan.clause) if since else None
        if rest:
            found.setdefault(rest, plan)
    return found


def waiting(plans: Iterable[Plan], userid: str, game: Game) -> tuple[Clause, ...]:
    """Return the queued clauses of a player that wait for the other player's turn."""
    return () if game.player_to_move == userid else tuple(standing(plans, userid, game))


def explored(before: Game, after: Game, userid: str) -> Clause | None:
    """Return the clause that foresees the way from one position to another, or None.

    It ends with the last whole turn of the player.
    """
    records = after.records[len(before.records) :]
    parts = (list(part) for _, part in groupby(records, lambda record: record.side))
    turns = [
        _whole([each.wish for each in part if not isinstance(each.wish, Ruling)]) for part in parts
    ]
    if turns and not after.result and after.to_move is records[-1].side:
        turns.pop()
    is_own = before.player_to_move == userid
    ends_with_other = len(turns) % 2 != is_own
    turns = turns[: len(turns) - ends_with_other] if turns else turns
    return Clause(tuple(turns)) if turns else None


class _Done(Struct, frozen=True):
    """The turns since a position with the other player to move."""

    turns: tuple[Wish, ...]
    is_open: bool
    """Whether the last turn goes on."""

    def rest_of(self, clause: Clause) -> Clause | None:
        """Return the rest of a clause queued in that position, or None.

        None if other turns were made.
        """
        left: Sequence[Wish | None] = (None, *clause.turns) if clause.is_for_any else clause.turns
        for turn in self.turns[: len(self.turns) - self.is_open]:
            if not left or left[0] not in (None, turn):
                return None
            left = left[1:]
        if self.is_open and not (left and left[0] is None):
            rest = _rest_of_turn(left[0], self.turns[-1]) if left else None
            if rest is None:
                return None
            left = (rest, *left[1:])
        turns = tuple(turn for turn in left if turn)
        return Clause(turns) if turns else None


def _rest_of_turn(whole: Wish | None, begun: Wish) -> Wish | None:
    """Return the rest of a turn after its beginning; None if it does not fit."""
    if not (isinstance(whole, Place) and isinstance(begun, Place)):
        return None
    size = len(begun.cells)
    is_beginning = size < len(whole.cells) and whole.cells[:size] == begun.cells
    return Place(whole.cells[size:]) if is_beginning else None


@lru_cache(maxsize=MOST_REMEMBERED)
def _clause(answer: str, condition: str | None) -> Clause:
    return Clause(tuple(map(_played, [*(condition or "").split(), answer])))


def _played(text: str) -> Wish:
    wish = parse_wish(text)
    if isinstance(wish, Deed) and wish not in PLAYING:
        raise ValueError(f"{text!r} is no turn")
    return wish


def _done_since(game: Game, number: int, userid: str) -> _Done | None:
    """Return the turns since a position with the other player to move.

    None if it was not their turn, or if there is a record that is no turn. A move taken back before
    the other player knew of it counts as not made.
    """
    past = game.after(number - 1)
    other = past.player_to_move
    if game.result or number > game.next_number or not past.side_of(userid) or other == userid:
        return None
    done = list[tuple[str, Wish]]()
    for record in game.records[number - 1 :]:
        mover, wish = past.player_to_move, record.wish
        past = past.redo(record)
        if record.is_playing and not isinstance(wish, Ruling):
            done.append((mover, wish))
        elif record.action is Deed.RETRACT and done and done[-1][0] == other:
            done.pop()
        elif not record.is_talk:
            return None
    turns = (_whole([wish for _, wish in part]) for _, part in groupby(done, lambda each: each[0]))
    return _Done(tuple(turns), bool(done) and past.player_to_move == done[-1][0])


def _whole(parts: Sequence[Wish]) -> Wish:
    """Return the turn with these parts."""
    cells = (cell for part in parts if isinstance(part, Place) for cell in part.cells)
    return parts[0] if isinstance(parts[0], Deed) else Place(tuple(cells))


MOST_FOLLOWED = 50
"""The most records that may follow a move."""


class Orders(Struct, frozen=True):
    """A player's plans, and whether the server passes for them."""

    plans: tuple[Plan, ...] = ()
    autopass: bool = False


def carry_out_orders(game: Game, orders: Mapping[str, Orders], at: datetime) -> Game:
    """Return the game after all advance decisions of its players; the same if there is none.

    `orders` are by userid. The records have message keys derived from those of the mails with the
    orders.
    """
    for _ in range(MOST_FOLLOWED):
        following = _next(game, orders.get(game.player_to_move, Orders()), at)
        if following is game:
            break
        game = following
    return game


def is_passed_for(game: Game, record: Record) -> bool:
    """Return whether a record is a pass by the server for a player."""
    if record.action is not Deed.PASS:
        return False
    return record.message_key == _key_of_pass(game, record.number)


def _next(game: Game, orders: Orders, at: datetime) -> Game:
    if game.result:
        return game
    for rest, plan in standing(orders.plans, game.player_to_move, game).items():
        try:
            return game.act(game.to_move, rest.turns[0], at, plan.key_at(game.next_number))
        except Refusal:
            continue
    if orders.autopass and game.must_pass:
        return game.act(game.to_move, Deed.PASS, at, _key_of_pass(game, game.next_number))
    return game


def _key_of_pass(game: Game, number: int) -> str:
    """Return the message key of a pass by the server, derived from the record before it."""
    before = game.records[number - 2].message_key if number > 1 else ""
    return derived_key(before, number)
