"""The course of a game, followed from line to line of its history by the rules. Pure."""

from pbm_oust.board.game import AHEAD, Game, redo
from pbm_oust.board.header import Header
from pbm_oust.board.notation import format_action, format_time, parse_record
from pbm_oust.board.reasons import AgainstRules
from pbm_oust.board.record import Placement, Record
from pbm_oust.refusal import Refusal
from pbm_oust.rules.position import IllegalPlacement, Position, taken


class NotFollowed(ValueError):
    """A line is no record, or not one that may come next by the rules; the message says why."""


class Course:
    """A game that is followed from record to record.

    Most of them are placements, one after another: of these only the positions are gone through.
    """

    def __init__(self, header: Header) -> None:
        self._game = Game.start(header)
        self._position = self._game.position
        self._placed = list[Record]()
        """Placements that led from the game to the position."""
        self._following = 1
        """The number of the next record."""
        self._latest = header.started

    def game(self) -> Game:
        """Return the game."""
        if self._placed:
            self._game = self._game.with_placements(self._placed, self._position)
            self._placed = []
        return self._game

    def follow(self, line: str) -> Record:
        """Add the record on a line, and return it. Raises NotFollowed."""
        try:
            record = parse_record(line)
        except ValueError as error:
            raise NotFollowed(str(error)) from None
        if record.number != self._following:
            raise NotFollowed(f"the next record is {self._following}, not {record.number}")
        if record.at < self._latest <= record.at + AHEAD:
            raise NotFollowed(f"the time lies before {format_time(self._latest)}")
        followed = None if self._game.result else _placed(self._position, record)
        if followed:
            self._position, record = followed
            self._placed.append(record)
        else:
            self._game = _step(record, self.game())
            self._position = self._game.position
        self._following, self._latest = record.number + 1, record.at
        return record


def _placed(position: Position, record: Record) -> tuple[Position, Record] | None:
    """Return the position after the placements of a record, and the record with what it took.

    None if it is not just placements. What else it may be, or why it is refused, is left to others
    to find out.
    """
    done, named = record.action, position.grid.named
    if not isinstance(done, tuple) or record.side is not position.to_move or position.result:
        return None
    action = done
    for nth, placement in enumerate(done):
        cell = named.get(placement.cell)
        if cell is None or (nth and not position.is_mid_turn):
            return None
        try:
            following = position.place(cell)
        except IllegalPlacement:
            return None
        gone = taken(position, following)
        if gone.bit_count() != placement.took:
            return None
        if gone:
            taking = Placement(placement.cell, placement.took, gone)
            action = (*action[:nth], taking, *action[nth + 1 :])
        position = following
    if action is not done:
        record = Record(record.number, record.side, action, record.at, record.message_key)
    return position, record


def _step(record: Record, game: Game) -> Game:
    """Return the game after a record. Raises NotFollowed if the rules disagree."""
    try:
        following = redo(game, record)
    except Refusal as refusal:
        reason = f"{format_action(record.action)} by {record.by}: {_words(refusal)}"
        raise NotFollowed(reason) from None
    if following.records[-1] != record:
        played = format_action(following.records[-1].action)
        raise NotFollowed(f"by the rules this record is {played}")
    return following


def _words(refusal: Refusal) -> str:
    """Return a refusal's reason in words for an operator."""
    reason = refusal.reason
    word = reason.fault.word if isinstance(reason, AgainstRules) else str(refusal)
    words = word.replace("_", " ")
    return f"{refusal.culprit} is refused, {words}" if refusal.culprit else words
