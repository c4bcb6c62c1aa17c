"""One board as a fold over its records: who may do what now, and what a record does. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import lru_cache, reduce
from itertools import groupby, islice, takewhile
from operator import attrgetter, or_

from msgspec import Struct, field, structs

from pbm_oust.board import reasons
from pbm_oust.board.header import NO_BOARD, Header
from pbm_oust.board.record import Deed, Place, Placement, Record, Records, Ruling, Verb, Wish
from pbm_oust.refusal import Illegal, NotAllowed
from pbm_oust.rules import Grid, How, Kind, Position, Result, Side
from pbm_oust.rules.grid import NoSuchCell
from pbm_oust.rules.position import IllegalPass, IllegalPlacement, taken


def placement_of(name: str, before: Position, after: Position) -> Placement:
    """Return the placement on a cell that leads from one position to the next."""
    gone = taken(before, after)
    return Placement(name, gone.bit_count(), gone, gone & before.stones(before.to_move))


def placed(game: "Game", wish: Place) -> tuple[Position, tuple[Placement, ...]]:
    """Return the position after placements on a board, and the result of each placement.

    Raises NotAllowed or Illegal.
    """
    position, done = game.position, list[Placement]()
    for nth, name in enumerate(wish.cells, 1):
        played = wish.cells[: nth - 1]
        if done and not position.is_mid_turn:
            over = position.result is not None
            raise Illegal(reasons.AfterTurn(game, nth, played, over=over), name)
        try:
            cell = game.header.grid.parse_cell(name)
            following = position.place(cell)
        except (NoSuchCell, IllegalPlacement) as wrong:
            if game.must_pass:
                raise NotAllowed(reasons.MustPass(game)) from None
            if isinstance(wrong, NoSuchCell):
                raise Illegal(reasons.OffGrid(game, nth), name) from None
            reason = reasons.AgainstRules(game, nth, played, wrong.fault, position)
            raise Illegal(reason, name) from None
        done.append(placement_of(game.header.grid.format_cell(cell), position, following))
        position = following
    return position, tuple(done)


def ruled(game: "Game", ruling: Ruling) -> "Game":
    """Return a game that goes on, after a ruling, without its record.

    Raises NotAllowed if one player would own both sides, if time is extended for the side that is
    not to move, and if there is no move to take back.
    """
    side = ruling.side
    match ruling.verb:
        case Verb.FORFEIT if side and not game.can_decline(side):
            return structs.replace(game, result=Result(side.other, How.FORFEIT))
        case Verb.AWARD:
            return structs.replace(game, result=Result(side, How.AGREED))
        case Verb.VOID | Verb.FORFEIT:
            return structs.replace(game, result=Result(None, How.VOID))
        case Verb.ADOPT if side:
            if game.side_of(ruling.userid):
                raise NotAllowed(reasons.SamePlayer(), ruling.userid)
            x = ruling.userid if side is Side.X else game.x
            return structs.replace(game, x=x, o=ruling.userid if side is Side.O else game.o)
        case Verb.EXTEND if side:
            game.check_turn(side)
        case Verb.UNDO:
            kept = sum(move.number <= ruling.back_to for move in game.line)
            if kept == len(game.line):
                raise NotAllowed(reasons.NothingToUndo(game))
            return game.with_moves(kept)
    return game


REMEMBERED = 128
"""The number of boards of which a game is remembered as it was earlier."""
_CHANGING_OWNERS = (Deed.SWAP, Deed.ACCEPT, Deed.RETRACT)
"""The deeds after which the owners of the sides may change."""

AHEAD = timedelta(days=1)
"""The tolerance for a record's time before the next record's, or ahead of the clock.

A larger difference comes from a wrong clock.
"""


class Game(Struct, frozen=True):
    """A board after its records, as a value: acting returns the next game."""

    header: Header
    position: Position
    x: str
    """The userid that owns side x now."""
    o: str
    records: Records = field(default_factory=Records)
    line: Records = field(default_factory=Records)
    """The moves that led to the position, without any taken back."""
    offer: Record | None = None
    """The record that proposes a draw or asks for a turn back, until it is answered."""
    result: Result | None = None

    @classmethod
    def start(cls, header: Header) -> "Game":
        """Return the game before its first record."""
        return cls(header, header.first_position, header.x, header.o)

    @property
    def name(self) -> str:
        """The board's name: `oust 17`; that of the game alone, if it is on no board."""
        kind, board = self.header.kind.name, self.header.board
        return kind if board == NO_BOARD else f"{kind} {board}"

    @property
    def next_number(self) -> int:
        """The number that the next record will have."""
        return len(self.records) + 1

    @property
    def to_move(self) -> Side:
        """The side that acts next, as long as there is no result."""
        return self.position.to_move

    @property
    def player_to_move(self) -> str:
        """The userid that acts next, as long as there is no result."""
        return self.x if self.position.to_move is Side.X else self.o

    @property
    def must_pass(self) -> bool:
        """Whether the game goes on and the side to move has no placement."""
        return not self.result and not self.position.has_placement()

    @property
    def can_swap(self) -> bool:
        """Whether the pie rule lets the side to move exchange the owners now."""
        return (
            self.header.terms.swap
            and not self.result
            and self.position.to_move is Side.O
            and all(record.side is Side.X for record in self.line)
        )

    @property
    def is_first_stone(self) -> bool:
        """Whether the side to move places the first stone, which the other player may take over."""
        is_empty = not self.position.occupied
        return self.header.terms.swap and self.to_move is Side.X and is_empty

    def owner(self, side: Side) -> str:
        """Return the userid of a side's owner now."""
        return self.x if side is Side.X else self.o

    def side_of(self, userid: str) -> Side | None:
        """Return the side of a player now, or None."""
        return {self.x: Side.X, self.o: Side.O}.get(userid)

    def opponent_of(self, userid: str) -> str:
        """Return the userid of a player's opponent."""
        return self.o if self.x == userid else self.x

    def meets_guard(self, number: int) -> bool:
        """Return whether a move for record `number` was meant for this position."""
        since = self.records[number - 1 :]
        return 1 <= number <= self.next_number and all(record.is_talk for record in since)

    def has_played(self, side: Side) -> bool:
        """Return whether a side's player has made a move that stands."""
        return side in map(self.owned_now, reversed(self.line))

    def can_decline(self, side: Side) -> bool:
        """Return whether a side's player may leave as if the game had never begun."""
        return not (self.header.terms.binding or self.has_played(side))

    def is_offered_to(self, side: Side | None) -> bool:
        """Return whether an offer waits for the answer of this side."""
        return self.offer is not None and self.offer.side is not side

    @property
    def latest(self) -> datetime:
        """The time of the latest record, or of the start if there is none."""
        latest = self.records.latest
        return latest.at if latest else self.header.started

    def time_of_next(self, now: datetime) -> datetime:
        """Return the time for the next record: now, or the time of the latest one if that is later.

        A latest record far in the future comes from a wrong clock, and does not count.
        """
        latest = self.latest
        return now if latest > now + AHEAD else max(now, latest)

    @property
    def actor(self) -> str:
        """The player who made the latest record; empty if it was the server or the operator."""
        latest = self.records.latest
        if latest is None or latest.side is None:
            return ""
        is_same = latest.action not in _CHANGING_OWNERS
        return (self if is_same else self.after(latest.number - 1)).owner(latest.side)

    def after(self, number: int) -> "Game":
        """Return the game as it was after its first `number` records."""
        return next(self.each_after(number))

    def each_after(self, number: int) -> Iterator["Game"]:
        """Yield the game after its first `number` records, and after each further one."""
        if number < len(self.records):
            past = _replayed(self.header, self.records.first(number))
            for record in self.records[number:-1]:
                yield past
                past = past.redo(record)
            yield past
        yield self

    @property
    def latest_two_turns(self) -> tuple[tuple[Side, Placement], ...]:
        """The placements of the latest two turns, each with the side that made it."""
        runs = islice(groupby(reversed(self.line), attrgetter("side")), 2)
        moves = [move for _, run in runs for move in run][::-1]
        return tuple(
            (move.side, each)
            for move in moves
            if move.side and isinstance(move.action, tuple)
            for each in move.action
        )

    @property
    def latest_turn(self) -> tuple[Placement, ...]:
        """The placements of the latest turn so far, also if it came in parts."""
        if not self.line:
            return ()
        return tuple([each for side, each in self.latest_two_turns if side is self.line[-1].side])

    def latest_stones(self, *, is_of_turn: bool = False) -> int:
        """Return the stones on the board that the latest record placed.

        With `is_of_turn`, those that the whole turn of that record placed.
        """
        latest, cells = self.records.latest, 0
        if latest and isinstance(latest.action, tuple):
            for done in self.latest_turn if is_of_turn else latest.action:
                cells |= self.header.grid.parse_cell(done.cell)
        return cells

    def act(self, side: Side, wish: Wish, at: datetime, key: str) -> "Game":
        """Return the game after a side's wish, one record longer.

        Raises NotAllowed or Illegal, and then no part of the wish is done.
        """
        if self.result:
            raise NotAllowed(reasons.GameOver(self))
        if not isinstance(wish, Place):
            return self._do(side, wish)._with(Record(self.next_number, side, wish, at, key))
        self.check_turn(side)
        position, action = placed(self, wish)
        record = Record(self.next_number, side, action, at, key)
        return self.with_placements([record], position)

    def with_placements(self, records: Sequence[Record], position: Position) -> "Game":
        """Return the game with further records of placements, and the position after them."""
        return structs.replace(
            self,
            position=position,
            records=self.records.and_then(*records),
            line=self.line.and_then(*records),
            offer=None,
            result=position.result,
        )

    def rule(self, ruling: Ruling, at: datetime, key: str) -> "Game":
        """Return the game after a ruling, one record longer.

        Raises NotAllowed if the game is over, and if the ruling does not fit the board.
        """
        if self.result:
            raise NotAllowed(reasons.GameOver(self))
        record = Record(self.next_number, None, ruling, at, key)
        return ruled(self, ruling)._with(record)

    def _with(self, record: Record) -> "Game":
        """Return the game with one more record, whose effect is already there."""
        line, offer = self.line, self.offer
        if record.is_playing:
            line, offer = line.and_then(record), None
        elif not (isinstance(record.action, Ruling) and record.is_talk):
            is_offer = isinstance(record.action, Deed) and record.action.is_offer
            offer = record if is_offer else None
        return structs.replace(self, records=self.records.and_then(record), line=line, offer=offer)

    def check_turn(self, side: Side) -> None:
        """Raise NotAllowed if it is not the turn of a side."""
        if side is not self.position.to_move:
            raise NotAllowed(reasons.NotYourTurn(self))

    def check_cells(self, wish: Wish) -> None:
        """Raise Illegal for a cell of a wish that the grid does not have."""
        for nth, cell in enumerate(wish.cells if isinstance(wish, Place) else (), 1):
            try:
                self.header.grid.parse_cell(cell)
            except NoSuchCell:
                raise Illegal(reasons.OffGrid(self, nth), cell) from None

    def _do(self, side: Side, deed: Deed) -> "Game":
        match deed:
            case Deed.PASS:
                self.check_turn(side)
                return self._pass()
            case Deed.SWAP:
                self.check_turn(side)
                return self._swap()
            case Deed.RESIGN:
                return structs.replace(self, result=Result(side.other, How.RESIGN))
            case Deed.DECLINE:
                if self.header.terms.binding:
                    raise NotAllowed(reasons.IsBinding(self))
                if not self.can_decline(side):
                    raise NotAllowed(reasons.DeclineTooLate(self))
                return structs.replace(self, result=Result(None, How.VOID))
            case Deed.PROPOSE | Deed.UNDO:
                if self.offer:
                    raise NotAllowed(reasons.OfferWaits(self, own=self.offer.side is side))
                if deed is Deed.UNDO and not self.has_played(side):
                    raise NotAllowed(reasons.NothingToUndo(self))
                return self
            case Deed.ACCEPT | Deed.REJECT:
                if self.offer is None or not self.is_offered_to(side):
                    raise NotAllowed(reasons.NoOffer(self))
                if deed is Deed.REJECT:
                    return self
                if self.offer.action is Deed.PROPOSE:
                    return structs.replace(self, result=Result(None, How.AGREED))
                return self._without_latest_of(side.other)
            case Deed.RETRACT:
                if not self.line or self.owned_now(self.line[-1]) is not side:
                    raise NotAllowed(reasons.NothingToUndo(self))
                return self._without_latest_of(side)

    def owned_now(self, move: Record) -> Side | None:
        """Return the side that the player of a move owns now, after swaps.

        The first move of side o is the only one that can be a swap.
        """
        for first in self.line:
            if first.side is Side.O:
                is_swapped = first.action is Deed.SWAP and move.number <= first.number
                return move.side.other if move.side and is_swapped else move.side
        return move.side

    def _without_latest_of(self, side: Side) -> "Game":
        """Return the game before the latest move of a side, but with all its records."""
        places = reversed(range(len(self.line)))
        before = next(nth for nth in places if self.owned_now(self.line[nth]) is side)
        return self.with_moves(before)

    def with_moves(self, number: int) -> "Game":
        """Return the game after the first moves of `line`, but with all its records."""
        line = self.line.first(number)
        header = structs.replace(self.header, x=self.x, o=self.o)
        if any(move.action is Deed.SWAP for move in self.line):
            header = structs.replace(self.header, x=self.o, o=self.x)
        past = replay(header, line)
        return structs.replace(self, position=past.position, x=past.x, o=past.o, line=line)

    def _pass(self) -> "Game":
        try:
            return structs.replace(self, position=self.position.pass_turn())
        except IllegalPass:
            raise NotAllowed(reasons.MayNotPass(self)) from None

    def _swap(self) -> "Game":
        if not self.header.terms.swap:
            raise NotAllowed(reasons.SwapOff(self))
        if not self.can_swap:
            raise NotAllowed(reasons.SwapTooLate(self))
        return structs.replace(self, x=self.o, o=self.x)

    def redo(self, record: Record) -> "Game":
        """Return the game after a record from its history. Raises NotAllowed or Illegal."""
        wish = record.wish
        if isinstance(wish, Ruling):
            return self.rule(wish, record.at, record.message_key)
        if record.side is None:
            raise NotAllowed(reasons.NotYourTurn(self))
        return self.act(record.side, wish, record.at, record.message_key)

    @property
    def summary(self) -> "Summary":
        """The summary of the board for lists."""
        header, result = self.header, self.result
        return Summary(
            header.kind,
            header.board,
            header.grid,
            self.x,
            self.o,
            None if result else self.player_to_move,
            result,
            header.terms.rated,
            header.started,
            self.latest,
            len(self.records),
        )

    def before_latest_turn(self) -> int:
        """Return the number of the last record before the latest turn.

        The whole turn counts, also if it came in parts. Raises NotAllowed if no turn stands.
        """
        if not self.line:
            raise NotAllowed(reasons.NothingToUndo(self))
        *earlier, latest = self.line
        parts = takewhile(
            lambda move: move.side is latest.side and Deed.SWAP not in (move.action, latest.action),
            reversed(earlier),
        )
        return min([latest.number, *(move.number for move in parts)]) - 1

    @property
    def placed_cells(self) -> Iterator[int]:
        """The cells of the placements that led to the position, in their order; 0 for a pass."""
        for move in self.line:
            if move.action is Deed.PASS:
                yield 0
            elif isinstance(move.action, tuple):
                for placement in move.action:
                    yield self.header.grid.parse_cell(placement.cell)

    def taken_in_turn(self) -> int:
        """Return the cells of the stones that the latest turn has taken so far."""
        return reduce(or_, (done.taken for done in self.latest_turn), 0)


def replay(header: Header, records: Iterable[Record]) -> Game:
    """Return the game after these records. Raises NotAllowed or Illegal where one does not fit."""
    return reduce(Game.redo, records, Game.start(header))


def _replayed(header: Header, records: Records) -> Game:
    """Return the game after records that fit, from the latest one of its board if that is past."""
    latest = _latest_replayed(header)
    game = latest[0]
    if records[: len(game.records)] != game.records:
        game = Game.start(header)
    latest[0] = game = reduce(Game.redo, records[len(game.records) :], game)
    return game


@lru_cache(REMEMBERED)
def _latest_replayed(header: Header) -> list[Game]:
    """Return where the game of a board is kept that was replayed latest."""
    return [Game.start(header)]


NO_KEY = "0" * 16
"""The message key of records that no mail caused."""


class Variation(Struct, frozen=True):
    """A sequence of placements from a position on, each by the side to move."""

    games: Sequence[Game]
    """The game before the first placement and after each one, with passes that follow."""
    before_passes: Sequence[Game]
    """The same games, each before those passes."""

    def told_after(self, at: int) -> Sequence[Game]:
        """Return the games that show the turn which ends after `at` placements.

        If passes were forced, those before and after each pass are among them.
        """
        told = list[Game]()
        while at > 0:
            before, after = self.before_passes[at], self.games[at]
            told += [after] if after is before else [after, before]
            at -= len(before.latest_turn)
            if at <= 0 or self.games[at] is self.before_passes[at]:
                break
        return told[::-1]

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells of the placements, in their order."""
        return tuple(
            done.cell
            for record in self.records
            if isinstance(record.action, tuple)
            for done in record.action
        )

    @property
    def records(self) -> Sequence[Record]:
        """The actions since the beginning, passes included."""
        return self.games[-1].records[len(self.games[0].records) :]


def variation_of(game: Game, cells: Iterable[str]) -> Variation:
    """Return the longest legal beginning of some placements from a position on.

    A game that has ended otherwise than by its rules goes on. A side that cannot place passes.
    """
    done = [structs.replace(game, result=game.position.result, offer=None)]
    games = [_passed(done[0])]
    for cell in cells:
        try:
            done.append(_done(games[-1], Place((cell,))))
        except (Illegal, NotAllowed):
            break
        games.append(_passed(done[-1]))
    return Variation(games, done)


def _passed(game: Game) -> Game:
    while game.must_pass:
        game = _done(game, Deed.PASS)
    return game


def _done(game: Game, wish: Place | Deed) -> Game:
    return game.act(game.to_move, wish, game.latest, NO_KEY)


class Summary(Struct, frozen=True):
    """A board in a line of a list."""

    kind: Kind
    board: int
    grid: Grid
    x: str
    """The userid that owns side x."""
    o: str
    to_move: str | None
    """The userid that acts next; None if the game is over."""
    result: Result | None
    is_rated: bool
    """Whether the players agreed that the game counts."""
    started: datetime
    latest: datetime
    """The time of the latest record, or of the start if there is none."""
    records: int
    due: datetime | None = None
    """The earliest possible time of the next reminder or loss, where the index knows it."""

    @property
    def name(self) -> str:
        """The name of the board: `oust 17`."""
        return f"{self.kind.name} {self.board}"

    @property
    def side_to_move(self) -> Side | None:
        """The side that acts next; None if the game is over."""
        if self.to_move is None:
            return None
        return Side.X if self.to_move == self.x else Side.O

    @property
    def counts(self) -> bool:
        """Whether the game counts for ratings: over, rated, and not void."""
        return self.is_rated and has_counted(self)

    @property
    def winner(self) -> str | None:
        """The userid that has won; None if nobody has."""
        if self.result is None or self.result.winner is None:
            return None
        return self.x if self.result.winner is Side.X else self.o


def has_counted(game: Game | Summary) -> bool:
    """Return whether a game is over and counts as begun."""
    return game.result is not None and game.result.how is not How.VOID
