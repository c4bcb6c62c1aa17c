"""A game of Oust on a 7x7 board as players type it, with captures, a swap and a forced pass."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_GAME = Path(__file__).with_name("moves.txt").read_text()
_WORD = re.compile(r"[A-G][1-7]|PASS|SWAP")


@dataclass(frozen=True)
class Typed:
    """What a player types: a move, and lines for the other player."""

    by: str
    move: str
    chat: tuple[str, ...]

    @property
    def text(self) -> str:
        """The answer as it is typed."""
        return "\n".join([self.move, *([""] if self.chat else []), *self.chat])


def game() -> Iterator[Typed]:
    """Yield what the players type, one answer for each record."""
    for line in _GAME.splitlines():
        typed, _, chat = line.partition("|")
        by, move = typed.strip().split(maxsplit=1)
        yield Typed(by, move, tuple(part.strip() for part in chat.split("/") if part.strip()))


def words_of(move: str) -> list[str]:
    """Return the cells of a move, or the one word of it, however it is written."""
    return _WORD.findall(move.upper())
