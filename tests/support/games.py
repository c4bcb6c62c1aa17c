"""Games and their histories for tests, with a clock that advances an hour each record."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec.structs import replace

from pbm_oust.board import Deed, Game, Header, Place, Wish
from pbm_oust.board.header import Terms
from pbm_oust.board.notation import format_action, format_header, format_record, format_result
from pbm_oust.rules import KINDS, Side, parse_grid
from pbm_oust.rules.oust import Oust

STARTED = datetime(2026, 11, 20, 15, 36, tzinfo=UTC)

EXAMPLE = (Path(__file__).parents[1] / "data" / "example.txt").read_text()
"""The history of a finished game, as it is in its file."""


def new_game(
    grid: str = "square 13x13",
    terms: Terms | None = None,
    *,
    kind: str = "oust",
    started: datetime = STARTED,
) -> Game:
    """Return board 17, before its first record, of rrognlie, who owns x, and marksteere."""
    return Game.start(
        Header(
            kind=KINDS[kind],
            board=17,
            grid=parse_grid(grid),
            x="rrognlie",
            o="marksteere",
            terms=terms or Terms(),
            started=started,
        )
    )


def wish(words: str) -> Wish:
    """Return the wish that words name: `pass`, `swap`, `resign`, or cells separated by spaces."""
    if words in {deed.value for deed in Deed}:
        return Deed(words)
    return Place(tuple(words.split()))


def act(game: Game, command: str) -> Game:
    """Return the game after a command like `x D4 E5` or `o resign`."""
    side, _, words = command.partition(" ")
    at = game.header.started + timedelta(hours=game.next_number)
    return game.act(Side(side), wish(words), at, f"{game.next_number:016x}")


def play(game: Game, *commands: str) -> Game:
    """Return the game after several commands like `x D4 E5` or `o resign`."""
    for command in commands:
        game = act(game, command)
    return game


def actions(game: Game) -> list[str]:
    """Return what was done in a game, as in its history: `x D4`, `o swap`."""
    return [f"{record.by} {format_action(record.action)}" for record in game.records]


def history_of(game: Game) -> bytes:
    """Return the history of a game, with its result line if there is a result."""
    lines = [format_record(record) for record in game.records]
    if game.result:
        lines.append(format_result(game.result))
    return (format_header(game.header) + "".join(f"{line}\n" for line in lines)).encode()


def standing_at(game: Game, position: Oust) -> Game:
    """Return a game with this position on its board, as if its records had led there."""
    return replace(game, position=position, result=position.result)
