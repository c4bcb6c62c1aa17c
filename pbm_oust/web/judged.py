"""What the page of a game that is over shows of its analysis. Pure."""

from dataclasses import dataclass

from pbm_oust.board.game import Game
from pbm_oust.board.notation import format_wish
from pbm_oust.render.svg import Scale, curve_svg
from pbm_oust.robot.analysis import Analysis, Verdict, turning_points

_SHARES = Scale(0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Judged:
    """A game that is over, with its analysis, and the record after which it is shown."""

    analysis: Analysis
    number: int
    turning_points: list[int]
    """The numbers of the moves that turned the game most."""

    @property
    def verdict(self) -> Verdict:
        """The verdict on the position that is shown."""
        return self.after(self.number)

    def after(self, number: int) -> Verdict:
        """Return the verdict on the position after a record; 0 is the start."""
        return self.analysis.verdicts[number]

    @property
    def line(self) -> list[str]:
        """The best turns from the position that is shown, as words."""
        return [format_wish(wish) for wish in self.verdict.line]

    @property
    def curve(self) -> str:
        """How likely x was to win after each record, as a curve."""
        rates = [verdict.x_wins for verdict in self.analysis.verdicts]
        return curve_svg(rates, _SHARES, place=self.number, rings=self.turning_points)


def judged_at(game: Game, analysis: Analysis, number: int) -> Judged:
    """Return a game with its analysis, shown after a record."""
    return Judged(analysis, number, turning_points(game, analysis))
