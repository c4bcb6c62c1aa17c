"""A game of Oust on a 7x7 board as players type it, with captures, a swap and a forced pass."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_GAME = """
alice  A1                   | Your turn, Bob.
bob    swap                 | I like this stone better than you do.
alice  g4
bob    E6
alice  E7
bob    a6                   | This is the first time that I play by mail.
alice  F7
alice  C3
bob    F2
alice  f3
bob    B2
alice  c2 e3 c5             | Three at once.
bob    F2
alice  G1
bob    B4
alice  C4, A5               | Did you see that coming?
bob    d1
alice  F1-E5
bob    D4                   | No. / But I still have stones.
alice  A7
bob    F4
alice  B6
bob    G3
alice  g6
bob    G5
alice  A3
bob    B4
alice  D6
bob    A2 f5 C6             | Now it is my turn to take some.
alice  e6 E1 F3
bob    D7
alice  G6
bob    D1
alice  E4
bob    G7
alice  G4
bob    e2                   | We could do this every week.
alice  B1
bob    C6
alice  C7
bob    B7
alice  A3
bob    pass                 | Nothing left to play, I see.
alice  A4 D3 E5 C6 E3 G2    | Thank you for the game.
"""

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
    for line in _GAME.strip().splitlines():
        typed, _, chat = line.partition("|")
        by, move = typed.strip().split(maxsplit=1)
        yield Typed(by, move, tuple(part.strip() for part in chat.split("/") if part.strip()))


def words_of(move: str) -> list[str]:
    """Return the cells of a move, or the one word of it, however it is written."""
    return _WORD.findall(move.upper())
