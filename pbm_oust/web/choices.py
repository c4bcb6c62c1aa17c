"""What a player may do at a board now, and so what its page offers. Pure."""

from dataclasses import dataclass

from pbm_oust.board.game import Game
from pbm_oust.rules.position import Side
from pbm_oust.web.turns import Turn


@dataclass(frozen=True, slots=True)
class Choices:
    """The choices of one of the two players of a board."""

    game: Game
    turn: Turn
    """The turn as far as it has been put together."""
    userid: str
    is_current: bool = True
    """Whether the page still counts: nothing has been played since."""

    @property
    def side(self) -> Side | None:
        """The side of the player."""
        return self.game.side_of(self.userid)

    @property
    def other(self) -> str:
        """The userid of the other player."""
        return self.game.o if self.game.x == self.userid else self.game.x

    @property
    def can_act(self) -> bool:
        """Whether anything can be done on the board."""
        return self.is_current and not self.game.result

    @property
    def is_mine(self) -> bool:
        """Whether it is the player's turn."""
        return self.can_act and self.game.player_to_move == self.userid

    @property
    def can_place(self) -> bool:
        """Whether a stone can be placed, or one more."""
        return self.is_mine and not self.turn.is_whole and not self.game.must_pass

    @property
    def can_pass(self) -> bool:
        """Whether the player has to pass."""
        return self.is_mine and self.game.must_pass

    @property
    def can_swap(self) -> bool:
        """Whether the player may take the other side."""
        return self.is_mine and self.game.can_swap

    @property
    def can_answer(self) -> bool:
        """Whether the other player has offered something that waits for an answer."""
        return self.can_act and self.game.is_offered_to(self.side)

    @property
    def can_offer(self) -> bool:
        """Whether the player may propose a draw."""
        return self.can_act and self.game.offer is None

    @property
    def can_take_back(self) -> bool:
        """Whether the player may ask to take back their latest turn."""
        return self.can_offer and self.side is not None and self.game.has_played(self.side)

    @property
    def can_decline(self) -> bool:
        """Whether the player may leave the board as if it had never begun."""
        return self.can_act and self.side is not None and not self.game.has_played(self.side)
