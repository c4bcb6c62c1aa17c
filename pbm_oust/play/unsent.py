"""Letters about a board that have not left, so that their reader does not know what they tell."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesHeaderParser

from pbm_oust.accounts.account import Account
from pbm_oust.board.game import Game
from pbm_oust.board.record import Record
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.home import Home


@dataclass(frozen=True, slots=True)
class Unsent:
    """A letter in the outbox to a player. Its name says when it was written."""

    name: str
    headers: Message

    @property
    def is_answer(self) -> bool:
        """Whether the player asked for it."""
        return self._header("Auto-Submitted") != "auto-generated"

    @property
    def may_show_any_board(self) -> bool:
        """Whether this is neither the news of a single board nor what another player wrote."""
        return self.is_answer or self._header("X-Pbm-Oust") not in ("board", "talk")

    @property
    def copies(self) -> int:
        """How many addresses it went to."""
        copies = self._header("X-Pbm-Oust-Copies")
        return int(copies) if copies.isdecimal() else 1

    def tells_of(self, game: Game, number: int) -> bool:
        """Return whether this is the board mail about a record of a game."""
        board = f"<{game.name.replace(' ', '.')}.{number}."
        is_board = self._header("X-Pbm-Oust") == "board"
        return is_board and self._header("Message-ID").startswith(board)

    def _header(self, name: str) -> str:
        return str(self.headers.get(name, ""))


def letters_to(player: Account, home: Home) -> Iterator[Unsent]:
    """Yield the letters to a player that are in the outbox, oldest first."""
    parser = BytesHeaderParser()
    for name in home.outbox.letters():
        with suppress(NoSuchFile):
            headers = parser.parsebytes(home.outbox.read(name))
            if player.has_address(str(headers.get("To", ""))):
                yield Unsent(name, headers)


def untold_letters(game: Game, since: int, player: Account, home: Home) -> list[str] | None:
    """Return the names of the letters that tell a player of the records from `since` on.

    None where he may know of one of them already: where a letter about it has left, was opened in
    the outbox or may not have been written, or where another one may show the board. Letters to
    an address leave in the order in which they were written, and nobody may send any meanwhile.
    """
    letters = list(letters_to(player, home))
    found: list[Unsent] = []
    for record in game.records[since - 1 :]:
        about = [letter for letter in letters if letter.tells_of(game, record.number)]
        if about and len(about) != about[0].copies:
            return None
        if not about and not _was_out_of_reach(player, record, home):
            return None
        found += about
    names = [letter.name for letter in found]
    others = (letter.name for letter in letters if letter.may_show_any_board)
    is_told = bool(names) and any(name >= min(names) for name in others)
    is_unopened = all(map(home.outbox.is_unopened, names))
    return names if is_unopened and not is_told else None


def _was_out_of_reach(player: Account, record: Record, home: Home) -> bool:
    """Return whether no letter was written to a player about a record, as all had come back."""
    returned = [home.bounces.of(address) for address in player.addresses]
    return all(each.is_suspended and each.bounces[-1].at < record.at for each in returned)
