"""A history taken apart into header, records and remarks, for every format. Pure.

A format carries the lines of the header as they are and knows nothing of their keys.
"""

import textwrap
from collections.abc import Sequence
from itertools import groupby

from msgspec import Struct, structs

from pbm_oust.board import notation
from pbm_oust.board.game import Game
from pbm_oust.board.history import BadHistory, read_history

FORMAT = "pbm_oust game 1"
"""The name and version that programs look for in the formats that have one."""

_BOARD = "Board: "
_WIDTH, _LINE_BEGINS = 75, "   1 2026-11-20 "


class BadGame(ValueError):
    """A text that is not a game: `where` names the line or record, `reason` the fault."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where}: {reason}")
        self.where = where
        self.reason = reason


class Remark(Struct, frozen=True):
    """A line of a history that begins with `#`, and its number, counted from 1."""

    line: int
    text: str


class Sheet(Struct, frozen=True):
    """A game with the remarks of its history: the whole content of the file."""

    game: Game
    remarks: tuple[Remark, ...] = ()

    @property
    def header(self) -> list[tuple[str, str]]:
        """The keys and the values of the header, in order."""
        lines = notation.format_header(self.game.header).split("\n")
        pairs = (line.partition(": ") for line in lines if line and line != notation.FIRST_LINE)
        return [(key, value) for key, _, value in pairs]

    @property
    def result(self) -> str:
        """The words of the result, such as `x resign`; empty while there is none."""
        return notation.format_outcome(self.game.result) if self.game.result else ""


def read_sheet(data: bytes) -> Sheet:
    """Return the sheet of a history file. Raises BadHistory, as `read_history` does."""
    history = read_history(data)
    lines = data[: history.whole_length].decode().split("\n")
    remarks = (Remark(number, line) for number, line in enumerate(lines, 1) if line[:1] == "#")
    return Sheet(history.game, tuple(remarks))


class Piece(Struct, frozen=True):
    """A line of a history, and its place in another format."""

    text: str
    where: str


class Checked(Struct, frozen=True):
    """A game with every record checked, and its history as the server writes it."""

    game: Game
    history: str

    def on_board(self, number: int) -> "Checked":
        """Return the same game under another number."""
        header = self.game.header
        before, after = (f"\n{_BOARD}{board}\n" for board in (header.board, number))
        game = structs.replace(self.game, header=structs.replace(header, board=number))
        return Checked(game, self.history.replace(before, after, 1))


class UncheckedSheet(Struct, frozen=True):
    """The lines of a history from another format, not yet checked."""

    pieces: tuple[Piece, ...]

    def check(self) -> Checked:
        """Return the game with its history. Raises BadGame.

        Every record is checked against the rules. A result line that is missing is added.
        """
        text = "".join(f"{piece.text}\n" for piece in self.pieces)
        try:
            history = read_history(text.encode())
        except BadHistory as error:
            at = error.line - 1
            where = self.pieces[at].where if at < len(self.pieces) else "the end"
            raise BadGame(where, error.reason) from None
        game = history.game
        if game.result and not history.has_result_line:
            text += f"{notation.format_result(game.result)}\n"
        return Checked(game, text)


def draft(
    header: Sequence[Piece], records: Sequence[Piece], remarks: Sequence[tuple[int, Piece]]
) -> UncheckedSheet:
    """Return the history with these lines; the result is among `records`.

    Raises BadGame for a misplaced line.
    """
    pieces = [
        Piece(notation.FIRST_LINE, "the beginning"),
        *header,
        Piece("", "the header"),
        *records,
    ]
    for number, remark in sorted(remarks, key=lambda each: each[0]):
        if not 1 <= number <= len(pieces) + 1:
            raise BadGame(remark.where, f"the history has no line {number} for this remark")
        if not remark.text.startswith("#"):
            raise BadGame(remark.where, "a remark begins with #")
        pieces.insert(number - 1, remark)
    for piece in pieces:
        if "\n" in piece.text:
            raise BadGame(piece.where, "a line break stands in it")
        if any("\ud800" <= character <= "\udfff" for character in piece.text):
            raise BadGame(piece.where, "half a character stands in it")
    return UncheckedSheet(tuple(pieces))


def format_moves(game: Game) -> str:
    """Return the actions of a game, day by day, and its result, for people to read.

    There is no newline at the end.
    """
    lines = list[str]()
    for day, records in groupby(game.records, lambda record: notation.format_time(record.at)[:10]):
        first, *later = records
        done = " ".join(
            f"{each.by} {notation.format_action(each.action)}" for each in (first, *later)
        )
        lines += textwrap.wrap(
            f"{first.number:>4} {day} {done}",
            _WIDTH,
            subsequent_indent=" " * len(_LINE_BEGINS),
            break_long_words=False,
            break_on_hyphens=False,
        )
    lines += [notation.format_result(game.result)] if game.result else []
    return "\n".join(lines)


def format_game(game: Game) -> str:
    """Return the header of a game and its actions, as `format_moves` does."""
    header = "".join(f"{key}: {value}\n" for key, value in Sheet(game).header)
    return f"{header}\n{format_moves(game)}\n"
