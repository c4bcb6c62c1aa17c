"""What players have queued, and what follows a move by itself. Pure.

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
    """Turns of both players in their order: the last one is an answer, the others lead to it.

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
        """How many answers come before the last one."""
        return (len(self.turns) - 1) // 2

    @property
    def step(self) -> str:
        """The last turn of the other player that it names, and the answer to that."""
        return str(Clause(self.turns[-2:]))

    @property
    def beginnings(self) -> tuple["Clause", ...]:
        """The clause up to each of its answers; the last one is itself."""
        ends = range(len(self.turns) % 2 or 2, len(self.turns) + 1, 2)
        return tuple(Clause(self.turns[:end]) for end in ends)

    def begins_with(self, other: "Clause") -> bool:
        """Return whether it goes on from another clause, or is the same."""
        return self.turns[: len(other.turns)] == other.turns

    def __str__(self) -> str:
        """Return how a player writes it: `if F6 then F2 if G3 then H3`, or `D4` for any turn."""
        words = [format_wish(turn) for turn in self.turns]
        first = [words.pop(0)] if self.is_for_any else []
        pairs = zip(words[::2], words[1::2], strict=True)
        return " ".join([*first, *(f"if {turn} then {answer}" for turn, answer in pairs)])


def with_clauses(queued: Iterable[Clause], added: Iterable[Clause]) -> tuple[Clause, ...]:
    """Return what is queued with more clauses: each replaces other answers to the same turns."""
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
    """Return what is queued without the last answer of a clause, and without what follows that."""
    queued = tuple(queued)
    kept = tuple(clause for clause in queued if not clause.begins_with(dropped))
    before = Clause(dropped.turns[:-2])
    return _with_clause(kept, before) if before.turns and len(kept) < len(queued) else kept


def tree(queued: Iterable[Clause]) -> tuple[Clause, ...]:
    """Return a clause for each answer that is queued, those below it behind it.

    Answers to any turn are last, as they are played last.
    """
    each_once = dict.fromkeys(each for clause in queued for each in clause.beginnings)
    places = {clause: (clause.is_for_any, nth) for nth, clause in enumerate(each_once)}
    return tuple(sorted(places, key=lambda clause: [places[each] for each in clause.beginnings]))


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
    """The turns before the last answer: `F6`, or `F6 F2 G3`."""
    answer: str

    def __post_init__(self) -> None:
        _clause(self.answer, self.condition)

    @classmethod
    def of(cls, kind: str, board: int, number: int, message_key: str, clause: Clause) -> Self:
        """Return a clause that is queued on a board."""
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
        """The turns from the position on that it is bound to."""
        return _clause(self.answer, self.condition)

    def __str__(self) -> str:
        """Return how a person reads it."""
        return f"{self.name} {self.number} {self.message_key} {self.clause}"

    def key_at(self, number: int) -> str:
        """Return the message key of the record of this number, if this plan leads to it."""
        return derived_key(self.message_key, number)


def derived_key(key: str, number: int) -> str:
    """Return the message key of a record that a mail led to later: always the same one."""
    return hashlib.sha256(f"{key}\0{number}".encode()).hexdigest()[:16]


def leads_to(plans: Iterable[Plan], game: Game, record: Record) -> bool:
    """Return whether a record of a game came from some plans."""
    key = record.message_key
    return any(plan.is_on(game) and plan.key_at(record.number) == key for plan in plans)


def standing(plans: Iterable[Plan], userid: str, game: Game) -> dict[Clause, Plan]:
    """Return the plans of a player that hold on a game's board, by what is still to come of each.

    That begins with an answer if it is the player's turn. Answers to any turn are last.
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
    """Return what a player has queued that waits for the other one on a game's board."""
    return () if game.player_to_move == userid else tuple(standing(plans, userid, game))


def explored(before: Game, after: Game, userid: str) -> Clause | None:
    """Return what a player queues who foresees the way from one position to another, if anything.

    It ends with their last whole turn.
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
    """The turns that were made since a position in which it was the other player's turn."""

    turns: tuple[Wish, ...]
    is_open: bool
    """Whether the last one goes on."""

    def rest_of(self, clause: Clause) -> Clause | None:
        """Return what is still to come of a clause that was queued in that position, if anything.

        None if something else was done.
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
    """Return what is missing of a turn that has been begun; None if it cannot become the whole."""
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
    """Return what was done since a position in which it was the other player's turn.

    None if it was not their turn, or if something was done since that is no turn. What the other
    player took back before anybody knew of it counts as not done.
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
    """Return the turn of which these are the parts."""
    cells = (cell for part in parts if isinstance(part, Place) for cell in part.cells)
    return parts[0] if isinstance(parts[0], Deed) else Place(tuple(cells))


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
    for rest, plan in standing(orders.plans, game.player_to_move, game).items():
        try:
            return game.act(game.to_move, rest.turns[0], at, plan.key_at(game.next_number))
        except Refusal:
            continue
    if orders.autopass and game.must_pass:
        return game.act(game.to_move, Deed.PASS, at, _key_of_pass(game, game.next_number))
    return game


def _key_of_pass(game: Game, number: int) -> str:
    """Return the message key of a pass by the server: made from that of the record before it."""
    before = game.records[number - 2].message_key if number > 1 else ""
    return derived_key(before, number)
