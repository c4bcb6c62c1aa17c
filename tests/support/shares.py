"""With what share of some games a player won, and how sure that is."""

from msgspec import Struct

_DEVIATIONS = 1.96
"""Within so many standard deviations a normal distribution has 95 % of its weight."""


class Share(Struct, frozen=True):
    """So many of some games, a draw counting half."""

    won: float
    games: int

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of Wilson that holds the share of wins with 95 %, each end 0..1."""
        z = _DEVIATIONS
        share, spread = self.won / self.games, z * z / self.games
        middle = (share + spread / 2) / (1 + spread)
        half = z / (1 + spread) * ((share * (1 - share) + spread / 4) / self.games) ** 0.5
        return middle - half, middle + half

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.won / self.games:.1%} ({low:.1%} to {high:.1%})"
