"""With what share of some games a player won, and how sure that is."""

from msgspec import Struct

_DEVIATIONS = 1.96
"""Within so many standard deviations a normal distribution has 95 % of its weight."""


class WonShare(Struct, frozen=True):
    """So many of some games, a draw counting half."""

    won: float
    games: int

    @property
    def part(self) -> float:
        """The share itself, 0..1."""
        return self.won / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of Wilson that holds the share of wins with 95 %, each end 0..1."""
        return self.within(_DEVIATIONS)

    def within(self, z: float) -> tuple[float, float]:
        """Return the same interval for so many standard deviations."""
        share, spread = self.part, z * z / self.games
        middle = (share + spread / 2) / (1 + spread)
        half = z / (1 + spread) * ((share * (1 - share) + spread / 4) / self.games) ** 0.5
        return middle - half, middle + half

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.part:.1%} ({low:.1%} to {high:.1%})"
