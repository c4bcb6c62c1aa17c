"""The analyses that a home keeps, which pages show."""

from pbm_oust.board.game import Game
from pbm_oust.robot.analysis import Analysis, identity_of
from pbm_oust.robot.verdicts import BadAnalysis, format_analysis, parse_analysis
from pbm_oust.store.analyses import find_analysis, keep_analysis
from pbm_oust.store.home import Home
from pbm_oust.store.waiting import BoardName


def keep(home: Home, game: Game, analysis: Analysis) -> None:
    """Keep the analysis of a game that is over."""
    home.do(keep_analysis, _name_of(game), format_analysis(analysis))


def kept(home: Home, game: Game) -> Analysis | None:
    """Return the analysis of a game; None if there is none, or if the game is not over.

    One that was made of another history of the board counts as none.
    """
    text = home.ask(find_analysis, _name_of(game)) if game.result else None
    try:
        found = parse_analysis(text) if text else None
    except BadAnalysis:
        return None
    return found if found and found.identity == identity_of(game) else None


def _name_of(game: Game) -> BoardName:
    return BoardName(game.header.kind.name, game.header.board)
