"""Boards that wait for the house: it is to move there, or has been offered something."""

from collections.abc import Iterator
from contextlib import suppress

from pbm_oust.accounts.account import HOUSE, is_house
from pbm_oust.board.game import Game
from pbm_oust.frozen import frozen
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.board_pages import Part, boards_of
from pbm_oust.store.board_queries import progress_of
from pbm_oust.store.entries import State
from pbm_oust.store.histories import DamagedHistory
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import read_game
from pbm_oust.store.waiting import BoardName

MOST_AT_ONCE = 200
"""How many boards of a game are looked at; of more, those on which something happened last."""


@frozen
class Waiting:
    """A board that waits for a house player."""

    game: Game
    userid: str

    @property
    def is_offered(self) -> bool:
        """Whether the other player's offer is what waits."""
        offer, side = self.game.offer, self.game.side_of(self.userid)
        return offer is not None and offer.side not in (side, None)


class Boards:
    """The boards of the house in a home, and what is known of them."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._progress = (0, 0)
        self._settled: dict[BoardName, int] = {}
        """How many records boards had that want nothing of the house."""

    def have_changed(self) -> bool:
        """Return whether anything has happened on boards of the house since this was asked."""
        before, self._progress = self._progress, self._home.ask(progress_of, HOUSE)
        return before != self._progress

    def waiting(self) -> Iterator[Waiting]:
        """Yield the boards that wait, those first that have waited longest."""
        found = [
            entry
            for kind in KINDS
            for entry in self._home.ask(
                boards_of, kind, HOUSE, (State.ACTIVE,), Part(MOST_AT_ONCE)
            ).entries
        ]
        known = {entry.name for entry in found}
        self._settled = {name: at for name, at in self._settled.items() if name in known}
        for entry in sorted(found, key=lambda entry: entry.latest):
            if self._settled.get(entry.name) == entry.records:
                continue
            waits = self._look(entry.name)
            if waits:
                yield waits
            else:
                self.settle(entry.name, entry.records)

    def settle(self, name: BoardName, records: int) -> None:
        """Leave a board alone until it has more records."""
        self._settled[name] = records

    def _look(self, name: BoardName) -> Waiting | None:
        """Return a board as it waits for the house; None if it does not, or cannot be read."""
        with suppress(DamagedHistory, NotAllowed):
            game = read_game(self._home, KINDS[name.kind], name.board)
            players = [each for each in (game.x, game.o) if self._is_house(each)]
            for userid in players if not game.result else ():
                waits = Waiting(game, userid)
                if waits.is_offered or game.player_to_move == userid:
                    return waits
        return None

    def _is_house(self, userid: str) -> bool:
        account = self._home.account(userid)
        return account is not None and is_house(account)
