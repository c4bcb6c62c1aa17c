"""Turning points of a game, with reasons as data: what was given away, missed or gained. Pure.

All of it follows from the game and the lines of its analysis, placed on the board: what a turn
took, what the best answer took, whether something won at once. Templates have the words.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise, starmap
from typing import ClassVar, NamedTuple

from msgspec import Struct, structs

from pbm_oust.board import Deed, Game, Place, Wish
from pbm_oust.experiments.advice import ADVICE, next_haul, room, safe_numbers, with_mover
from pbm_oust.refusal import in_small_letters
from pbm_oust.robot.analysis import Analysis, Evaluation
from pbm_oust.rules import Position, Side, taken

MOST_POINTS, LEAST_TURNED = 3, 0.1
"""The most turning points of a game, and the least change of the chance at each."""

MOST_QUIET = 2
"""The most reasons for a turn that neither misses nor allows a capture."""

LEAST_CELLS = 0.1
"""The least difference in cells of one's own that is a reason, in parts of those of both sides."""


class TurningReason(Struct, frozen=True):
    """A reason for a turning point. `turn` is a turn that was not played."""

    word: ClassVar[str]
    """The name of the class in templates and in JSON: `lets_take`."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.word = in_small_letters(cls.__name__)


class Forced(TurningReason, frozen=True):
    """There was nothing else to do."""


class Unfair(TurningReason, frozen=True):
    """A good or bad first stone, where the other player could choose the side."""

    is_strong: bool


class LeftStone(TurningReason, frozen=True):
    """A good first stone that the player did not take over."""


class TookStone(TurningReason, frozen=True):
    """A bad first stone that the player took over."""


class MissedWin(TurningReason, frozen=True):
    """Another turn would have won at once."""

    turn: Wish


class Loses(TurningReason, frozen=True):
    """The other player can win at once."""

    turn: Wish


class LetsTake(TurningReason, frozen=True):
    """The best answer takes stones of the player, and more than after the better turn."""

    turn: Wish
    number: int
    instead: int | None
    """The number after the better turn; None if that is not known."""


class MissedCapture(TurningReason, frozen=True):
    """The better turn takes more stones of the other side."""

    turn: Wish
    number: int
    took: int
    """The number of stones that the played turn took."""


class NoRoom(TurningReason, frozen=True):
    """Each free cell touches stones of the player, and not so after the better turn."""


class Groups(TurningReason, frozen=True):
    """After the best answers, the largest groups compare worse than after the better turn.

    Each pair has the sizes of the player's largest group and of the other one's.
    """

    turn: Wish
    """The best answer to the played turn."""
    after: tuple[int, int]
    better: tuple[int, int]


class JoinsGroups(TurningReason, frozen=True):
    """The turn joined groups of the player to a larger one, more than the better turn."""

    number: int
    """The number of groups."""
    size: int
    """The size of the largest group of the player then."""
    instead: int


class Threatens(TurningReason, frozen=True):
    """After the best answer, the other side could take more next than after the better turn."""

    turn: Wish
    """The best answer to the played turn."""
    number: int
    instead: int
    """The number after the better turn and its best answer."""


class MissedThreat(TurningReason, frozen=True):
    """After the better turn and its best answer, the player could take more next."""

    number: int
    has: int
    """The number after the played turn and the best answer."""


class OwnCells(TurningReason, frozen=True):
    """The turn leaves fewer cells of one's own than the better one, compared with the other side.

    A stone there takes nothing and cannot be taken next. Each pair has the numbers of the player
    and of the other one.
    """

    turn: Wish | None
    """The best answer to the played turn, if the cells after both answers are counted."""
    after: tuple[int, int]
    better: tuple[int, int]


class FreeCells(TurningReason, frozen=True):
    """The turn leaves more free cells that touch no stone of the player than the better one."""

    after: int
    better: int


class Answered(TurningReason, frozen=True):
    """The best answer to a turn, where nothing else tells the turn from the better one."""

    turn: Wish


class WonBefore(TurningReason, frozen=True):
    """The win was proved until then, and is not any more."""


class LostAfter(TurningReason, frozen=True):
    """The loss is proved from then on."""


class LastChance(TurningReason, frozen=True):
    """Until then the player was at least as likely to win as not, and never again."""


class Wins(TurningReason, frozen=True):
    """The turn won the game."""


class Takes(TurningReason, frozen=True):
    """The turn takes stones of the other side."""

    number: int


class TakesRoom(TurningReason, frozen=True):
    """Each free cell touches stones of the other side from then on."""


class Unforeseen(TurningReason, frozen=True):
    """The turn is better than the one that the search had thought best."""

    turn: Wish


class TurningPoint(Struct, frozen=True):
    """A move that changed its player's chance, with reasons."""

    number: int
    """The number of its record."""
    side: Side
    player: str
    """The userid of its player."""
    other: str
    wish: Wish
    chances: tuple[float, float]
    """The player's chance before and after, 0..1."""
    reasons: tuple[TurningReason, ...] = ()
    """The most telling one first."""
    better: tuple[Wish, ...] = ()
    """The best turns of both sides instead; none if nothing better is known."""

    @property
    def turned(self) -> float:
        """The size of the change."""
        return abs(self.chances[1] - self.chances[0])

    @property
    def is_worse(self) -> bool:
        """Whether the player's chance fell."""
        return self.chances[1] < self.chances[0]


class TurnDone(NamedTuple):
    """A turn, or a part of one, with its effects on the board."""

    side: Side
    position: Position
    """The position after it."""
    off: Counter[Side]
    """The number of stones of each side taken off the board."""
    joined: int
    """The number of groups of the side that the turn joined to others."""

    @property
    def wins(self) -> bool:
        """Whether the turn wins the game."""
        result = self.position.result
        return result is not None and result.winner is self.side


def walked(position: Position, line: tuple[Wish, ...]) -> Iterator[TurnDone]:
    """Yield the effects of each turn of a line, up to a swap."""
    for wish in line:
        if wish is Deed.SWAP:
            return
        side, off, joined = position.to_move, Counter[Side](), 0
        for name in wish.cells if isinstance(wish, Place) else ():
            cell, grid = position.grid.parse_cell(name), position.grid
            touched = [
                each for each in grid.groups(position.stones(side)) if each & grid.around[cell]
            ]
            joined += len(touched) if len(touched) > 1 else 0
            before, position = position, position.place(cell)
            gone = taken(before, position)
            off += {each: (gone & before.stones(each)).bit_count() for each in Side}
        position = position if isinstance(wish, Place) else position.pass_turn()
        yield TurnDone(side, position, off, joined)


def explained(game: Game, analysis: Analysis) -> list[TurningPoint]:
    """Return the turning points of a game, in order, with their reasons."""
    pasts = (structs.replace(past, result=past.position.result) for past in game.each_after(0))
    moments = list(starmap(_Moment, zip(pasts, analysis.evaluations, strict=True)))
    points = [
        _point(record.number, wish, before, after)
        for record, (before, after) in zip(game.records, pairwise(moments), strict=True)
        if record.is_playing and isinstance(wish := record.wish, Place | Deed)
    ]
    turning = [point for point in points if point.turned >= LEAST_TURNED]
    most = sorted(turning, key=lambda point: point.turned)[-MOST_POINTS:]
    return [_explained(point, moments) for point in sorted(most, key=lambda each: each.number)]


class _Moment(NamedTuple):
    """A game after one of its records, with its evaluation."""

    game: Game
    evaluation: Evaluation

    @property
    def may_swap(self) -> bool:
        """Whether the next turn is, or ends with, the choice of a side."""
        return self.game.can_swap or self.game.is_first_stone

    @property
    def line(self) -> tuple[Wish, ...]:
        """The best turns from here on."""
        return self.evaluation.line

    @property
    def steps(self) -> list[TurnDone]:
        """The effects of these turns."""
        return list(walked(self.game.position, self.line))

    def chance(self, side: Side) -> float:
        """Return the chance of the player who owns a side."""
        x_wins = self.evaluation.x_wins
        if self.may_swap:
            x_wins = min(x_wins, 1 - x_wins)
        return x_wins if side is Side.X else 1 - x_wins


def _point(number: int, wish: Wish, before: _Moment, after: _Moment) -> TurningPoint:
    """Return a turning point without reasons."""
    side = before.game.to_move
    owned = side.other if wish is Deed.SWAP else side
    return TurningPoint(
        number,
        side,
        before.game.owner(side),
        before.game.owner(side.other),
        wish,
        (before.chance(side), after.chance(owned)),
    )


def _explained(point: TurningPoint, moments: Sequence[_Moment]) -> TurningPoint:
    """Return a turning point with its reasons."""
    before, after = moments[point.number - 1 : point.number + 1]
    position, line = before.game.position, before.line
    if _is_forced(position, point.wish):
        return structs.replace(point, reasons=(Forced(),))
    played = next(walked(position, (point.wish,)), None)
    better = next(walked(position, line), None)
    if not point.is_worse:
        gains = _gains(played, position, line) if played else ()
        return structs.replace(point, reasons=tuple(gains))
    if played and better and (played.position == better.position or _is_begun(point.wish, line[0])):
        return point
    if reason := _choice(point, before, after):
        return structs.replace(point, reasons=(reason,), better=line)
    losses = _losses(played, before, after) if played and better else ()
    reasons = *losses, *_proofs(point, moments)
    return structs.replace(point, reasons=reasons, better=line)


def _is_forced(position: Position, wish: Wish) -> bool:
    """Return whether a move was the only one, down to each of its stones."""
    if not isinstance(wish, Place):
        return wish is Deed.PASS
    for cell in map(position.grid.parse_cell, wish.cells):
        if position.placements() != cell:
            return False
        position = position.place(cell)
    return True


def _is_begun(wish: Wish, turn: Wish) -> bool:
    """Return whether a move is the beginning of a turn."""
    if not (isinstance(wish, Place) and isinstance(turn, Place)):
        return False
    return turn.cells[: len(wish.cells)] == wish.cells


def _choice(point: TurningPoint, before: _Moment, after: _Moment) -> TurningReason | None:
    """Return the fault of a first stone, or of the side that was chosen after it."""
    if before.game.is_first_stone:
        return Unfair(after.evaluation.x_wins > 0.5)
    if point.wish is Deed.SWAP:
        return TookStone()
    return LeftStone() if before.line[:1] == (Deed.SWAP,) else None


def _gains(played: TurnDone, before: Position, line: tuple[Wish, ...]) -> Iterator[TurningReason]:
    """Yield the gains of a turn, and whether it was unforeseen."""
    other = played.side.other
    if played.wins:
        yield Wins()
        return
    if played.off[other]:
        yield Takes(played.off[other])
    if room(before, other) and not room(played.position, other):
        yield TakesRoom()
    better = next(walked(before, line), None)
    if better and better.position != played.position and not played.position.is_mid_turn:
        yield Unforeseen(line[0])


def _losses(played: TurnDone, before: _Moment, after: _Moment) -> Iterator[TurningReason]:
    """Yield what a turn missed or allowed, compared with the best one."""
    side, other, (better, *rest) = played.side, played.side.other, before.steps
    if better.wins:
        yield MissedWin(before.line[0])
    if played.position.is_mid_turn:
        return
    answer, instead = next(iter(after.steps), None), next(iter(rest), None)
    found = list[TurningReason]()
    if answer and answer.wins:
        yield Loses(after.line[0])
    elif answer and answer.off[side] > (instead.off[side] if instead else 0):
        found.append(
            LetsTake(after.line[0], answer.off[side], instead.off[side] if instead else None)
        )
    if not better.wins and better.off[other] > played.off[other]:
        found.append(MissedCapture(before.line[0], better.off[other], played.off[other]))
    if room(better.position, side) and not room(played.position, side):
        found.append(NoRoom())
    if not found and answer and not (answer.wins or better.wins):
        advice = ADVICE.get(before.game.header.kind.name, {})
        turns = _Compared(played, better, answer, instead, after.line[0], frozenset(advice))
        found += list(islice(turns.quiet(), MOST_QUIET)) or [Answered(after.line[0])]
    yield from found


class _Compared(NamedTuple):
    """A turn and the better one with the best answers, where no capture tells them apart."""

    played: TurnDone
    better: TurnDone
    answer: TurnDone
    instead: TurnDone | None
    """The best answer to the better turn, if it is known."""
    turn: Wish
    """The best answer to the played turn."""
    advice: frozenset[str]
    """The names of the advice for the game."""

    def quiet(self) -> Iterator[TurningReason]:
        """Yield what the turn did worse, the most concrete first."""
        side, other = self.played.side, self.played.side.other
        if self.instead and "next haul" in self.advice:
            after, better = self.answer.position, self.instead.position
            if (number := haul(after, other)) > (instead := haul(better, other)):
                yield Threatens(self.turn, number, instead)
            if (number := haul(better, side)) > (has := haul(after, side)):
                yield MissedThreat(number, has)
        if self.played.joined > self.better.joined:
            size = largest(self.played.position, side)
            yield JoinsGroups(self.played.joined, size, self.better.joined)
        if "own cells" in self.advice and (cells := self._own_cells()):
            yield cells
        if "few cells" in self.advice:
            after_it, instead = (
                room(each.position, side).bit_count() for each in (self.played, self.better)
            )
            if after_it > instead:
                yield FreeCells(after_it, instead)
        if self.instead:
            sizes, others = (
                (largest(each.position, side), largest(each.position, other))
                for each in (self.answer, self.instead)
            )
            if sizes[0] - sizes[1] < others[0] - others[1]:
                yield Groups(self.turn, sizes, others)

    def _own_cells(self) -> OwnCells | None:
        """Return the cells of one's own, after the turns or else after their answers, if worse."""
        pairs: list[tuple[Wish | None, TurnDone, TurnDone]] = [(None, self.played, self.better)]
        if self.instead:
            pairs.append((self.turn, self.answer, self.instead))
        for turn, one, another in pairs:
            after, better = (
                safe_numbers(each.position, self.played.side) for each in (one, another)
            )
            lost = better[0] - better[1] - (after[0] - after[1])
            if lost > 0 and lost >= LEAST_CELLS * sum(better):
                return OwnCells(turn, after, better)
        return None


def _proofs(point: TurningPoint, moments: Sequence[_Moment]) -> Iterator[TurningReason]:
    """Yield the effects of a turn on a proved or likely win."""
    before, *later = moments[point.number - 1 :]
    was_won = before.evaluation.is_certain and point.chances[0] == 1
    is_lost = later[0].evaluation.is_certain and point.chances[1] == 0
    if was_won:
        yield WonBefore()
    if is_lost:
        yield LostAfter()
    is_last = all(not each.may_swap and each.chance(point.side) < 0.5 for each in later)
    if not (was_won or is_lost) and is_last and point.chances[0] >= 0.5:
        yield LastChance()


def largest(position: Position, side: Side) -> int:
    """Return the size of the largest group of a side; 0 if it has no stone."""
    return max(map(int.bit_count, position.grid.groups(position.stones(side))), default=0)


def haul(position: Position, side: Side) -> int:
    """Return the stones that a side could take with a turn, as many as it can with each stone."""
    number = -next_haul(with_mover(position, side), side.other)
    return int(min(number, position.stones(side.other).bit_count()))
